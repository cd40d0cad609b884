#pragma once

#include <exportd/access/policy.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace exportd::access {

// A new token: "xpd_" and 32 random bytes in base64url (RFC 4648 section 5), 47 characters.
// Throws std::runtime_error when the system has no randomness.
std::string make_token();

token_digest digest_of_token(std::string_view token);

// 64 hex digits, in lower case.
std::string to_text(const token_digest& digest);
std::optional<token_digest> parse_digest(std::string_view text);

// What a token's or a group's name may be: 1 to 64 letters, digits, dots, hyphens, underscores
// and at signs.
bool is_token_name(std::string_view text);

}  // namespace exportd::access
