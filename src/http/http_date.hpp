#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace exportd::http {

// `Sun, 06 Nov 1994 08:49:37 GMT` (IMF-fixdate of RFC 9110 section 5.6.7), in English whatever
// the process's locale.
std::string to_http_date(std::chrono::sys_seconds t);

// Reads the three forms of that section. A year of two digits is one from 1970 to 2069. nullopt
// for anything else; the name of the weekday is not checked.
std::optional<std::chrono::sys_seconds> parse_http_date(std::string_view text);

}  // namespace exportd::http
