#include "letter_text.hpp"

#include <exportd/jobs/export_letter.hpp>

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>

namespace exportd::jobs {

namespace {

using namespace std::chrono;

std::optional<sys_days> parse_date(std::string_view text) {
    if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
    const auto number = [&](std::size_t at, std::size_t digits) {
        unsigned value = 0;
        const char* first = text.data() + at;
        const auto [end, error] = std::from_chars(first, first + digits, value);
        return error == std::errc{} && end == first + digits ? value : 0U;
    };
    const year_month_day date{year{static_cast<int>(number(0, 4))}, month{number(5, 2)},
                              day{number(8, 2)}};
    if (!date.ok()) return std::nullopt;
    return sys_days{date};
}

}  // namespace

std::string date_text(sys_days when) {
    constexpr std::array names{"January",   "February", "March",    "April",
                               "May",       "June",     "July",     "August",
                               "September", "October",  "November", "December"};
    const year_month_day date{when};
    return fmt::format("{} {} {}", static_cast<unsigned>(date.day()),
                       names.at(static_cast<unsigned>(date.month()) - 1),
                       static_cast<int>(date.year()));
}

std::string instant_text(sys_seconds when, minutes utc_offset, const std::string& zone) {
    const sys_seconds local = when + utc_offset;
    const auto day = floor<days>(local);
    const hh_mm_ss time{local - day};
    return fmt::format("{}, {:02}:{:02} ({})", date_text(day), time.hours().count(),
                       time.minutes().count(), zone);
}

std::string period_text(const std::string& from, const std::string& to) {
    const auto first = parse_date(from);
    const auto end = parse_date(to);
    if (!first || !end || *end <= *first) return from + " up to " + to;
    const sys_days last = *end - days{1};
    return last == *first ? date_text(last) : date_text(*first) + " to " + date_text(last);
}

std::string count_text(std::uint64_t number) {
    std::string digits = std::to_string(number);
    for (std::size_t at = digits.size(); at > 3;) {
        at -= 3;
        digits.insert(at, ",");
    }
    return digits;
}

std::string bytes_text(std::uint64_t bytes) {
    constexpr std::array units{"kB", "MB", "GB", "TB"};
    if (bytes < 1000) return fmt::format("{} bytes", bytes);
    double value = static_cast<double>(bytes) / 1000;
    std::size_t unit = 0;
    // 999.95 would be written as 1000.0.
    while (value >= 999.95 && unit + 1 < units.size()) {
        value /= 1000;
        ++unit;
    }
    return fmt::format("{:.1f} {}", value, units.at(unit));
}

}  // namespace exportd::jobs
