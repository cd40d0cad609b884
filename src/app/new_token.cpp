#include <exportd/access/token.hpp>
#include <exportd/app/application.hpp>
#include <exportd/app/new_token.hpp>
#include <exportd/app/units.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "access_check.hpp"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>

namespace exportd::app {

namespace {

constexpr int wrong_usage = 2;

std::optional<std::chrono::days> read_days(const std::string& text) {
    const auto time = parse_duration(text);
    if (!time || *time % std::chrono::days{1} != std::chrono::microseconds{0}) return std::nullopt;
    const auto days = std::chrono::floor<std::chrono::days>(*time);
    return days.count() < 1 ? std::nullopt : std::optional{days};
}

// The names as a list of TOML strings; nothing if one can't be an export's.
std::optional<std::string> export_list(const std::string& names) {
    std::vector<std::string> quoted;
    for (const auto name : words_of(names)) {
        const bool fine = name == "*" ||
                          (access::is_token_name(name) && name.find('@') == std::string_view::npos);
        if (!fine) return std::nullopt;
        quoted.push_back(fmt::format("\"{}\"", name));
    }
    return fmt::format("[{}]", fmt::join(quoted, ", "));
}

std::string midnight_after(std::chrono::days time) {
    const auto now = std::chrono::system_clock::now();
    const std::chrono::year_month_day date{std::chrono::ceil<std::chrono::days>(now + time)};
    return fmt::format("{:04}-{:02}-{:02}T00:00:00Z", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

int complain(std::string_view what) {
    fmt::print(stderr, "exportd: token: {}\n", what);
    return wrong_usage;
}

}  // namespace

int make_new_token(const new_token& t) {
    if (!access::is_token_name(t.name))
        return complain("NAME is 1 to 64 letters, digits, dots, hyphens, underscores and @");
    const auto exports = export_list(t.exports);
    if (!exports) return complain("--exports is names of exports, separated by commas, or *");
    const auto expires = read_days(t.expires);
    if (!expires) return complain("--expires is days, such as 90d");
    if (!t.max_range.empty() && !read_days(t.max_range))
        return complain("--max-range is days, such as 92d");
    const auto token = access::make_token();
    std::string entry =
        fmt::format("[[tokens]]\nname = \"{}\"\nsha256 = \"{}\"\nexports = {}\n", t.name,
                    access::to_text(access::digest_of_token(token)), *exports);
    if (t.raw) entry += "raw = true\n";
    if (!t.max_range.empty()) entry += fmt::format("max_range = \"{}\"\n", t.max_range);
    entry += fmt::format("expires = {}\n", midnight_after(*expires));
    fmt::print(stderr,
               "# Add this to the access file (auth.file) and send SIGHUP:\n{}"
               "# The token itself, which is kept nowhere, is on standard output:\n",
               entry);
    fmt::print("{}\n", token);
    return exit_ok;
}

}  // namespace exportd::app
