#pragma once

#include <cstdint>

namespace exportd::format {

// A day of the proleptic Gregorian calendar. The year before 1 is 0.
struct civil_day {
    std::int64_t year = 2000;
    unsigned month = 1;  // 1..12
    unsigned day = 1;    // 1..31
};

inline constexpr std::int64_t days_per_400_years = 146097;

constexpr std::int64_t floor_div(std::int64_t n, std::int64_t by) noexcept {
    return n / by - (n % by < 0 ? 1 : 0);
}

// Days from 2000-03-01 to 1 March of a year and back are counted in years that begin in March,
// so that the leap day is the last one; 2000 begins a cycle of 400 years.
inline constexpr std::int64_t march_offset = 60;  // 2000-01-01 to 2000-03-01

// Days since 2000-01-01.
constexpr std::int64_t days_from_civil(std::int64_t year, unsigned month, unsigned day) noexcept {
    const std::int64_t y = (month <= 2 ? year - 1 : year) - 2000;
    const std::int64_t cycle = floor_div(y, 400);
    const std::int64_t year_of_cycle = y - cycle * 400;
    const std::int64_t month_from_march = month > 2 ? month - 3 : month + 9;
    const std::int64_t day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    return cycle * days_per_400_years + year_of_cycle * 365 + year_of_cycle / 4 -
           year_of_cycle / 100 + day_of_year + march_offset;
}

constexpr civil_day civil_from_days(std::int64_t days) noexcept {
    days -= march_offset;
    const std::int64_t cycle = floor_div(days, days_per_400_years);
    const std::int64_t d = days - cycle * days_per_400_years;
    const std::int64_t y = (d - d / 1460 + d / 36524 - d / 146096) / 365;
    const std::int64_t day_of_year = d - (365 * y + y / 4 - y / 100);
    const std::int64_t m = (5 * day_of_year + 2) / 153;
    civil_day c;
    c.day = static_cast<unsigned>(day_of_year - (153 * m + 2) / 5 + 1);
    c.month = static_cast<unsigned>(m < 10 ? m + 3 : m - 9);
    c.year = y + cycle * 400 + 2000 + (c.month <= 2 ? 1 : 0);
    return c;
}

// 0 is Sunday; 2000-01-01 was a Saturday.
constexpr unsigned weekday_from_days(std::int64_t days) noexcept {
    const std::int64_t d = days + 6;
    return static_cast<unsigned>(d - floor_div(d, 7) * 7);
}

}  // namespace exportd::format
