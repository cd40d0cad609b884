#pragma once

#include <exportd/format/date_time.hpp>

#include "date_shape.hpp"
#include <cstdint>
#include <memory>
#include <string>

namespace exportd::format {

// One date format of ICU, set up as V8 does it for Intl. Not thread-safe.
class icu_date {
public:
    // `locale` is an ICU id. `zone` may be null: UTC.
    icu_date(const std::string& locale, std::shared_ptr<const time_zone> zone, date_time_style date,
             date_time_style time);
    ~icu_date();

    // UTF-8, with the spaces that V8 prints. Microseconds since 2000-01-01 00:00, UTC or local.
    std::string format(std::int64_t utc) const;
    std::string format_local(std::int64_t local) const;

    // Whether this is the Gregorian calendar, so that a date_shape may be possible.
    bool is_gregorian() const;
    // UTF-8, spaces as in texts.
    std::string pattern() const;
    date_symbols symbols() const;

private:
    struct formatters;
    std::unique_ptr<formatters> formatters_;
};

}  // namespace exportd::format
