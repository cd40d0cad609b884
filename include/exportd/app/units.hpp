#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace exportd::app {

// A whole number and its unit without a space: us, ms, s, m, h or d ("250ms", "366d").
// nullopt for anything else, a bare number included, and for more than 10,000 days.
std::optional<std::chrono::microseconds> parse_duration(std::string_view text);

// A whole number and its unit without a space: B, KiB, MiB or GiB ("64KiB"). nullopt for
// anything else, a bare number included, and for more than 64 bits hold.
std::optional<std::uint64_t> parse_size(std::string_view text);

// A whole number in decimal digits, without sign. nullopt for anything else.
std::optional<std::uint64_t> parse_count(std::string_view text);

// The shortest text that parse_duration() reads as `value`, in the largest unit that divides it.
std::string duration_text(std::chrono::microseconds value);

// The shortest text that parse_size() reads as `value`, in the largest unit that divides it.
std::string size_text(std::uint64_t value);

}  // namespace exportd::app
