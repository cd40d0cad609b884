#include <exportd/format/time_zone.hpp>

#include "civil.hpp"
#include "posix_rule.hpp"
#include "tzif.hpp"
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <stdexcept>
#include <system_error>

namespace exportd::format {

namespace {

constexpr std::int64_t unix_epoch = -946'684'800;  // 1970-01-01 in seconds since 2000-01-01
constexpr std::int64_t cycle_seconds = days_per_400_years * 86'400;
// In seconds, no later than any instant.
constexpr std::int64_t beginning =
    floor_div(std::numeric_limits<std::int64_t>::min(), micros_per_second);

std::optional<std::string> read_file(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
    std::ifstream in(path, std::ios::binary);
    if (!in) return std::nullopt;
    return std::string{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Nothing that leaves the directory.
bool is_zone_name(std::string_view name) noexcept {
    const auto allowed = [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
               c == '/' || c == '_' || c == '-' || c == '+';
    };
    return !name.empty() && name.front() != '/' && std::all_of(name.begin(), name.end(), allowed);
}

// Changes may lie beyond the microseconds that 64 bits can count: those are never reached.
std::int64_t to_micros(std::int64_t seconds) {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    return std::clamp(seconds, -most / micros_per_second, most / micros_per_second) *
           micros_per_second;
}

}  // namespace

// Puts the table together.
class time_zone_builder {
public:
    explicit time_zone_builder(std::string_view name) { zone_->name_ = name; }

    void add_transitions(const tzif& file) {
        zone_->changes_.push_back({beginning, file.before.offset, file.before.daylight});
        for (const auto& t : file.transitions) {
            if (t.at > -beginning) break;  // outside of what microseconds can count
            const std::int64_t at = std::max(t.at, beginning - unix_epoch) + unix_epoch;
            add(at, t.becomes.offset, t.becomes.daylight);
        }
    }

    // For a zone that still changes: 400 years of the rule behind the last transition, after which
    // it repeats: days of the week and leap years do.
    void add_rule(const posix_rule& rule) {
        auto& changes = zone_->changes_;
        const std::int64_t last = changes.back().at;
        const std::int64_t from = std::max(last, std::int64_t{0});
        const std::int64_t first_year = civil_from_days(from / 86'400).year;
        std::vector<time_zone::change> ruled;
        for (std::int64_t year = first_year - 1; year <= first_year + 402; ++year) {
            ruled.push_back({local_seconds(rule.daylight_begins, year) - rule.standard_offset,
                             rule.daylight_offset, true});
            ruled.push_back({local_seconds(rule.daylight_ends, year) - rule.daylight_offset,
                             rule.standard_offset, false});
        }
        std::stable_sort(ruled.begin(), ruled.end(),
                         [](const auto& a, const auto& b) { return a.at < b.at; });
        for (const auto& c : ruled) {
            if (c.at > last) add(c.at, c.offset, c.daylight);
        }
        zone_->cycle_begin_ = days_from_civil(first_year + 1, 1, 1) * 86'400 + cycle_seconds;
    }

    std::shared_ptr<const time_zone> build() { return std::move(zone_); }

private:
    // Changes of the name alone don't count; of two at one time the later one does.
    void add(std::int64_t at, std::int32_t offset, bool daylight) {
        auto& changes = zone_->changes_;
        if (changes.back().at == at) changes.pop_back();
        if (!changes.empty() && changes.back().offset == offset &&
            changes.back().daylight == daylight) {
            return;
        }
        changes.push_back({at, offset, daylight});
    }

    std::shared_ptr<time_zone> zone_{new time_zone};
};

std::shared_ptr<const time_zone> time_zone::load(std::string_view name,
                                                 const std::string& directory) {
    const std::string text(name);
    if (!is_zone_name(name)) throw std::invalid_argument("unknown time zone \"" + text + "\"");
    const auto bytes = read_file(directory + "/" + text);
    if (!bytes) throw std::invalid_argument("unknown time zone \"" + text + "\"");
    if (!bytes->starts_with("TZif")) {
        throw std::invalid_argument("unknown time zone \"" + text + "\"");
    }
    const auto file = parse_tzif(*bytes);
    const auto rule = file ? parse_posix_rule(file->footer) : std::nullopt;
    if (!file || (!rule && !file->footer.empty())) {
        throw std::runtime_error("the file of time zone \"" + text + "\" is damaged");
    }
    time_zone_builder builder(name);
    builder.add_transitions(*file);
    if (rule && rule->has_daylight) builder.add_rule(*rule);
    return builder.build();
}

std::string time_zone::default_directory() {
    const char* configured = std::getenv("TZDIR");
    return configured != nullptr && *configured != '\0' ? configured : "/usr/share/zoneinfo";
}

std::string time_zone::tzdata_version(const std::string& directory) {
    std::string line;
    std::ifstream rules(directory + "/tzdata.zi");
    constexpr std::string_view intro = "# version ";
    if (std::getline(rules, line) && line.starts_with(intro)) return line.substr(intro.size());
    std::ifstream version(directory + "/+VERSION");
    if (std::getline(version, line) && !line.empty()) return line;
    return "unknown";
}

time_zone::interval time_zone::at(std::int64_t utc) const noexcept {
    std::int64_t seconds = floor_div(utc, micros_per_second);
    std::int64_t shift = 0;
    if (seconds >= cycle_begin_) {
        shift = ((seconds - cycle_begin_) / cycle_seconds + 1) * cycle_seconds;
        seconds -= shift;
    }
    const auto after = std::upper_bound(changes_.begin(), changes_.end(), seconds,
                                        [](std::int64_t t, const change& c) { return t < c.at; });
    const change& now = *std::prev(after);
    interval found;
    found.offset = now.offset * micros_per_second;
    found.daylight = now.daylight;
    found.begin =
        now.at == beginning ? std::numeric_limits<std::int64_t>::min() : to_micros(now.at + shift);
    found.end = std::numeric_limits<std::int64_t>::max();
    if (shift != 0) {
        const std::int64_t cycle = cycle_begin_ - cycle_seconds + shift;
        found.begin = std::max(found.begin, to_micros(cycle));
    }
    if (after != changes_.end()) found.end = to_micros(after->at + shift);
    return found;
}

std::int64_t time_zone::start_of_day(std::int32_t day) const noexcept {
    const std::int64_t midnight = day * micros_per_day;
    // No zone has ever been a day away from UTC.
    interval i = at(midnight - 2 * micros_per_day);
    while (midnight - i.offset >= i.end)
        i = at(i.end);
    return std::max(i.begin, midnight - i.offset);
}

}  // namespace exportd::format
