#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace exportd::csv::formula {

// The first bytes of text that is no formula, whatever follows.
inline constexpr std::array<bool, 256> harmless_first_bytes = [] {
    std::array<bool, 256> harmless{};
    for (unsigned i = 0; i < harmless.size(); ++i) {
        const bool ascii_print = i > 0x20U && i < 0x7FU;
        const bool trigger = i == '=' || i == '+' || i == '-' || i == '@';
        const bool leads_special =
            i == 0xC2U || i == 0xE1U || i == 0xE2U || i == 0xE3U || i == 0xEFU;
        harmless[i] = ascii_print ? !trigger : i >= 0xC0U && !leads_special;
    }
    return harmless;
}();

// begins_with_trigger() of a text that is not empty and whose first byte decides nothing.
bool begins_with_trigger_at_length(std::string_view text) noexcept;

// Whether the text begins, after optional white space, with a character that makes Excel,
// LibreOffice or Google Sheets read the cell as a formula: = + - @ and their full-width, small
// and mathematical forms (U+FF1D U+FF0B U+FF0D U+FF20, U+FE66 U+FE62 U+FE63 U+FE6B, U+2212);
// TAB and CR at the very front count by themselves (OWASP, "CSV Injection"). White space is
// Unicode's White_Space, the invisible format characters that spreadsheets drop, and the
// control characters. Decides on the first few bytes; most text is settled by its first one.
inline bool begins_with_trigger(std::string_view text) noexcept {
    if (text.empty() || harmless_first_bytes[static_cast<std::uint8_t>(text.front())]) return false;
    return begins_with_trigger_at_length(text);
}

}  // namespace exportd::csv::formula
