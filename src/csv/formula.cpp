#include <exportd/csv/formula.hpp>

#include <cstdint>

namespace exportd::csv::formula {
namespace {

enum class role : std::uint8_t { harmless, blank, trigger };

struct code_point {
    char32_t value;
    std::size_t bytes;
};

// Decodes the first code point. Malformed UTF-8 yields U+FFFD of one byte, which is harmless.
code_point first_code_point(std::string_view text) noexcept {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    const auto follows = [&](std::size_t i) {
        return i < text.size() && (byte(i) & 0xC0U) == 0x80U;
    };
    const std::uint8_t lead = byte(0);
    if (lead < 0x80U) return {lead, 1};
    if ((lead & 0xE0U) == 0xC0U && follows(1)) {
        return {static_cast<char32_t>((lead & 0x1FU) << 6U | (byte(1) & 0x3FU)), 2};
    }
    if ((lead & 0xF0U) == 0xE0U && follows(1) && follows(2)) {
        return {static_cast<char32_t>((lead & 0x0FU) << 12U | (byte(1) & 0x3FU) << 6U |
                                      (byte(2) & 0x3FU)),
                3};
    }
    return {U'\uFFFD', 1};
}

role role_of(char32_t c) noexcept {
    switch (c) {
        case U'=':
        case U'+':
        case U'-':
        case U'@':
        case U'\uFF1D':
        case U'\uFF0B':
        case U'\uFF0D':
        case U'\uFF20':
        case U'\uFE66':
        case U'\uFE62':
        case U'\uFE63':
        case U'\uFE6B':
        case U'\u2212':
            return role::trigger;
        case U' ':
        case U'\u007F':
        case U'\u00A0':
        case U'\u00AD':
        case U'\u1680':
        case U'\u180E':
        case U'\u2028':
        case U'\u2029':
        case U'\u202F':
        case U'\u205F':
        case U'\u3000':
        case U'\uFEFF':
            return role::blank;
        default:
            break;
    }
    const bool control = c < 0x20U || (c >= 0x80U && c <= 0x9FU);
    const bool space = c >= 0x2000U && c <= 0x200FU;  // includes zero-width and direction marks
    const bool format = (c >= 0x202AU && c <= 0x202EU) || (c >= 0x2060U && c <= 0x206FU);
    return control || space || format ? role::blank : role::harmless;
}

constexpr std::size_t longest_look = 16 * 1024;

}  // namespace

bool begins_with_trigger_at_length(std::string_view text) noexcept {
    if (text.front() == '\t' || text.front() == '\r') return true;
    // A text that begins with more white space than this is guarded unseen: that is safe, and
    // it bounds the work for one cell.
    const bool bounded = text.size() > longest_look;
    if (bounded) text = text.substr(0, longest_look);
    while (!text.empty()) {
        const auto [value, bytes] = first_code_point(text);
        const role r = role_of(value);
        if (r != role::blank) return r == role::trigger;
        text.remove_prefix(bytes);
    }
    return bounded;
}

}  // namespace exportd::csv::formula
