#include "http_date.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>

namespace exportd::http {
namespace {

using namespace std::chrono;

constexpr std::array<std::string_view, 12> month_names{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

struct civil_fields {
    int year = 0;
    unsigned month = 0;
    int day = 0;
    int hour = 0;
    int minute = 0;
    int second = 0;
};

bool add_digit(int& number, char c) {
    // asctime pads the day with a space.
    if (c == ' ' && number == 0) return true;
    if (c < '0' || c > '9') return false;
    number = number * 10 + (c - '0');
    return true;
}

unsigned month_of(std::string_view name) {
    const auto* at = std::find(month_names.begin(), month_names.end(), name);
    return at == month_names.end() ? 0 : static_cast<unsigned>(at - month_names.begin()) + 1;
}

// Reads text that is laid out like `layout`: d, y, h, m and s stand for a digit of the day, year
// and so on, nnn for the name of a month, w for any character, all others for themselves.
std::optional<civil_fields> read_as(std::string_view layout, std::string_view text) {
    if (text.size() != layout.size()) return std::nullopt;
    civil_fields f;
    for (std::size_t i = 0; i < layout.size(); ++i) {
        bool fits = true;
        switch (layout[i]) {
            case 'd':
                fits = add_digit(f.day, text[i]);
                break;
            case 'y':
                fits = text[i] != ' ' && add_digit(f.year, text[i]);
                break;
            case 'h':
                fits = text[i] != ' ' && add_digit(f.hour, text[i]);
                break;
            case 'm':
                fits = text[i] != ' ' && add_digit(f.minute, text[i]);
                break;
            case 's':
                fits = text[i] != ' ' && add_digit(f.second, text[i]);
                break;
            case 'n':
                f.month = month_of(text.substr(i, 3));
                fits = f.month != 0;
                i += 2;
                break;
            case 'w':
                break;
            default:
                fits = text[i] == layout[i];
        }
        if (!fits) return std::nullopt;
    }
    return f;
}

std::optional<civil_fields> read_fields(std::string_view text) {
    if (auto f = read_as("www, dd nnn yyyy hh:mm:ss GMT", text)) return f;
    if (auto f = read_as("www nnn dd hh:mm:ss yyyy", text)) return f;
    const auto comma = text.find(", ");
    if (comma == std::string_view::npos) return std::nullopt;
    auto f = read_as("dd-nnn-yy hh:mm:ss GMT", text.substr(comma + 2));
    if (f) f->year += f->year < 70 ? 2000 : 1900;
    return f;
}

}  // namespace

std::string to_http_date(sys_seconds t) {
    // Not through system_clock, whose nanoseconds end in the year 2262.
    const auto seconds_of_epoch = static_cast<std::time_t>(t.time_since_epoch().count());
    return fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(seconds_of_epoch));
}

std::optional<sys_seconds> parse_http_date(std::string_view text) {
    const auto f = read_fields(text);
    if (!f || f->hour > 23 || f->minute > 59 || f->second > 60) return std::nullopt;
    const auto date = year{f->year} / month{f->month} / day{static_cast<unsigned>(f->day)};
    if (!date.ok()) return std::nullopt;
    return sys_days{date} + hours{f->hour} + minutes{f->minute} + seconds{f->second};
}

}  // namespace exportd::http
