#include <exportd/app/units.hpp>

#include <array>
#include <charconv>
#include <limits>

namespace exportd::app {

namespace {

struct unit {
    std::string_view name;
    std::uint64_t factor;
};

// Largest first, so that the first one that divides a value gives its shortest text.
constexpr std::array duration_units{
    unit{"d", 86'400'000'000}, unit{"h", 3'600'000'000}, unit{"m", 60'000'000},
    unit{"s", 1'000'000},      unit{"ms", 1'000},        unit{"us", 1},
};
constexpr std::array size_units{
    unit{"GiB", 1ULL << 30},
    unit{"MiB", 1ULL << 20},
    unit{"KiB", 1ULL << 10},
    unit{"B", 1},
};
constexpr std::uint64_t longest_duration = 10'000ULL * 86'400'000'000ULL;

template <std::size_t Size>
std::optional<std::uint64_t> parse(std::string_view text, const std::array<unit, Size>& units) {
    const std::size_t digits = text.find_first_not_of("0123456789");
    if (digits == std::string_view::npos) return std::nullopt;
    const auto number = parse_count(text.substr(0, digits));
    if (!number) return std::nullopt;
    for (const unit& u : units) {
        if (text.substr(digits) != u.name) continue;
        if (*number > std::numeric_limits<std::uint64_t>::max() / u.factor) return std::nullopt;
        return *number * u.factor;
    }
    return std::nullopt;
}

template <std::size_t Size>
std::string shortest(std::uint64_t value, std::string_view zero,
                     const std::array<unit, Size>& units) {
    if (value == 0) return std::string{zero};
    for (const unit& u : units) {
        if (value % u.factor == 0) return std::to_string(value / u.factor).append(u.name);
    }
    return {};
}

}  // namespace

std::optional<std::uint64_t> parse_count(std::string_view text) {
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || stop != end) return std::nullopt;
    return number;
}

std::optional<std::chrono::microseconds> parse_duration(std::string_view text) {
    const auto value = parse(text, duration_units);
    if (!value || *value > longest_duration) return std::nullopt;
    return std::chrono::microseconds{static_cast<std::int64_t>(*value)};
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
    return parse(text, size_units);
}

std::string duration_text(std::chrono::microseconds value) {
    return shortest(static_cast<std::uint64_t>(value.count()), "0s", duration_units);
}

std::string size_text(std::uint64_t value) {
    return shortest(value, "0B", size_units);
}

}  // namespace exportd::app
