#pragma once

#include <exportd/format/text.hpp>
#include <exportd/format/time_zone.hpp>
#include <exportd/rows/byte_buffer.hpp>

#include <cstdint>
#include <memory>
#include <string_view>

namespace exportd::format {

// Intl's dateStyle and timeStyle.
enum class date_time_style : std::uint8_t { none, short_form, medium, long_form, full };

// Writes dates and times as Intl.DateTimeFormat(locale, {timeZone, dateStyle, timeStyle}) of
// Node.js does: the locale's own calendar, where that is Gregorian the proleptic one, the spaces
// that V8 prints. The zone's rules are those of the system's tzdata. PostgreSQL's infinities
// are written as `infinity` and `-infinity`, and the time `24:00:00`, which no clock shows, like
// that.
//
// Everything is learned from ICU and checked against it by create(). The text of the last day
// is kept, so values in order of time are cheapest. Not thread-safe, not even its const
// functions: one for each thread.
class date_time_formatter {
public:
    // `locale` is a BCP 47 tag. Without a zone instants are shown in UTC. Throws
    // std::invalid_argument that names a locale Intl would not know, or if both styles are none.
    static std::unique_ptr<date_time_formatter> create(
        std::string_view locale, std::shared_ptr<const time_zone> zone,
        date_time_style date = date_time_style::short_form,
        date_time_style time = date_time_style::medium);

    date_time_formatter(const date_time_formatter&) = delete;
    date_time_formatter& operator=(const date_time_formatter&) = delete;
    ~date_time_formatter();

    // A timestamptz: microseconds since 2000-01-01 00:00 UTC, shown in the zone.
    text_flags append(rows::byte_buffer& out, std::int64_t utc) const;
    // A timestamp: microseconds since 2000-01-01 00:00 on an unknown clock, shown as they are.
    // A style that names the zone names UTC here.
    text_flags append_local(rows::byte_buffer& out, std::int64_t local) const;
    // A date: days since 2000-01-01.
    text_flags append_date(rows::byte_buffer& out, std::int32_t days) const;
    // A time: microseconds since midnight, 0 to 24 hours.
    text_flags append_time(rows::byte_buffer& out, std::int64_t micros) const;

    // Whether all years from 1 on are written without ICU. Not so for other calendars than the
    // Gregorian one, names of zones and flexible periods of the day ("in the morning").
    bool fast() const noexcept;
    csv_class quoting() const noexcept;

private:
    struct state;
    explicit date_time_formatter(std::unique_ptr<state> s);
    std::unique_ptr<state> state_;
};

}  // namespace exportd::format
