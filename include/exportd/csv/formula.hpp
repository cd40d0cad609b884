#pragma once

#include <string_view>

namespace exportd::csv::formula {

// Whether the text begins, after optional white space, with a character that makes Excel,
// LibreOffice or Google Sheets read the cell as a formula: = + - @ and their full-width, small
// and mathematical forms (U+FF1D U+FF0B U+FF0D U+FF20, U+FE66 U+FE62 U+FE63 U+FE6B, U+2212);
// TAB and CR at the very front count by themselves (OWASP, "CSV Injection"). White space is
// Unicode's White_Space, the invisible format characters that spreadsheets drop, and the
// control characters. Decides on the first few bytes; most text is settled by its first one.
bool begins_with_trigger(std::string_view text) noexcept;

}  // namespace exportd::csv::formula
