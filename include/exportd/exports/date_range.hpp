#pragma once

#include <exportd/format/time_zone.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace exportd::exports {

// A point of time as PostgreSQL stores it: microseconds, here since 1970-01-01T00:00Z.
using instant = std::chrono::sys_time<std::chrono::microseconds>;

// Half-open: from <= t < to.
struct date_range {
    instant from;
    instant to;
};

// Reads a date (2025-01-01: the first instant of that day in the zone) or an RFC 3339 date-time
// (section 5.6; the offset's plus may be a space, which is what form decoding makes of it). A
// fraction finer than microseconds is rounded up, which selects the same rows on either end of a
// half-open range. Years 0001 to 9999; a leap second is the next second. nullopt: neither.
std::optional<instant> parse_instant(std::string_view text, const format::time_zone& zone);

// `2025-01-01T00:00:00Z`, with microseconds only where there are any.
std::string to_rfc3339(instant t);

// The instant as text that PostgreSQL reads as timestamptz whatever its settings.
std::string to_parameter(instant t);

// The local time as a part of a file name: `2025-01-01`, or `2025-01-01T12-30-00` when it is not
// the start of a day.
std::string to_file_name_part(instant t, const format::time_zone& zone);

// Days on the calendar of the zone between the two ends; a day begun counts as one.
std::chrono::days calendar_days(const date_range& range, const format::time_zone& zone);

}  // namespace exportd::exports
