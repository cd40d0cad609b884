#pragma once

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

namespace exportd::observe {

// The whole of a file of proc or sys; empty when it can't be read.
inline std::string read_small_file(const std::filesystem::path& path) {
    std::ifstream in{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

// Takes the next part that ends in one of `separators` (or with the text), without it.
inline std::string_view take_part(std::string_view& text, std::string_view separators) {
    const auto first = text.find_first_not_of(separators);
    if (first == std::string_view::npos) {
        text = {};
        return {};
    }
    text.remove_prefix(first);
    const auto part = text.substr(0, text.find_first_of(separators));
    text.remove_prefix(part.size());
    return part;
}

inline std::optional<std::uint64_t> to_count(std::string_view text) {
    std::uint64_t value = 0;
    const auto end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end) return std::nullopt;
    return value;
}

// The number after `name` on the line that begins with it.
inline std::optional<std::uint64_t> count_of(std::string_view file, std::string_view name) {
    while (!file.empty()) {
        auto line = take_part(file, "\n");
        if (take_part(line, " ") == name) return to_count(take_part(line, " "));
    }
    return std::nullopt;
}

}  // namespace exportd::observe
