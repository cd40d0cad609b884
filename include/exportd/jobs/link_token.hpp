#pragma once

#include <string>
#include <string_view>

namespace exportd::jobs {

// A secret for a link: 32 random bytes in base64url (RFC 4648 section 5), 43 characters. Throws
// std::runtime_error when the system has no randomness.
std::string make_link_token();

// What is kept of it: the SHA-256 in lower-case hex.
std::string digest_of(std::string_view token);

// Whether a text has a token's form.
bool is_link_token(std::string_view text) noexcept;

}  // namespace exportd::jobs
