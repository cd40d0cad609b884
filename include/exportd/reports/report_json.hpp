#pragma once

#include <exportd/reports/report.hpp>

#include <string>

namespace exportd::reports {

// The report for programs: application/json, UTF-8, ends with a line feed. Each amount is an
// object of two strings, `raw` (all digits) and `formatted` (as in the CSV). README.md shows one.
std::string to_json(const report& r);

// Bytes that are not UTF-8 become U+FFFD.
std::string valid_utf8(std::string_view text);

}  // namespace exportd::reports
