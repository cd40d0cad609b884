#pragma once

#include <string>
#include <string_view>

namespace exportd::observe {

// Appends a JSON string literal (RFC 8259 section 7). Control characters are escaped, DEL too;
// bytes that are not UTF-8 (RFC 3629) become U+FFFD, so that every document is valid.
void append_json_string(std::string& out, std::string_view text);

}  // namespace exportd::observe
