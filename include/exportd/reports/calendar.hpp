#pragma once

#include <exportd/format/time_zone.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace exportd::reports {

// A day of the calendar, without a zone.
using day = std::chrono::sys_days;

// Half-open, whole days on the calendar of a zone.
struct day_range {
    day from;
    day to;

    std::chrono::days length() const { return to - from; }
    bool operator==(const day_range&) const = default;
};

// The range of as many days that ends where this one begins.
day_range range_before(const day_range& range);

// A stretch of a range with a name: a day 2025-09-01, a month 2025-09 or an ISO 8601 week
// 2025-W36, cut at the ends of the range.
struct period {
    std::string name;
    day_range days;
};

std::vector<period> days_of(const day_range& range);
std::vector<period> months_of(const day_range& range);
std::vector<period> weeks_of(const day_range& range);

// Monday is 0.
unsigned weekday_of(day d);

// 2025-09-01.
std::string iso_date(day d);

// The first instant of the day in the zone, as text that PostgreSQL reads as timestamptz, and as
// RFC 3339 has it.
std::string start_parameter(day d, const format::time_zone& zone);
std::string start_rfc3339(day d, const format::time_zone& zone);

// The stretches of a range in which the zone's clocks do not change. Each begins at an instant
// that PostgreSQL reads as timestamptz; `offset` is local time minus UTC as an interval.
struct clock_change {
    std::string begin;
    std::string offset;
};
std::vector<clock_change> clock_changes(const day_range& range, const format::time_zone& zone);

}  // namespace exportd::reports
