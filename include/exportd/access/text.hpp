#pragma once

#include <span>
#include <string>
#include <string_view>

namespace exportd::access {

// Without blanks and tabs at its ends.
std::string_view trim(std::string_view text);

// Lower-case hex digits, two for each byte.
std::string to_hex(std::span<const unsigned char> bytes);

// Whether a name that somebody else gives may be stored, compared and shown: 1 to 255 bytes of
// UTF-8 (RFC 3629) without control characters.
bool is_name(std::string_view text);

}  // namespace exportd::access
