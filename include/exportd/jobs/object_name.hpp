#pragma once

#include <string_view>

namespace exportd::jobs {

// What an object store's settings may be, so that none of them has to be escaped in a request's
// path or in the text that is signed.

// 3 to 63 letters, digits, `.`, `-` and `_`, beginning with a letter or digit.
bool is_bucket_name(std::string_view text) noexcept;

// Empty, or letters, digits, `.`, `-`, `_` and slashes, one at the end, none at the beginning or
// beside another, no `.` or `..` between two; at most 200 bytes.
bool is_object_prefix(std::string_view text) noexcept;

// Letters, digits and hyphens.
bool is_region_name(std::string_view text) noexcept;

// Printable ASCII without blanks, colons (which would divide it from the secret) and slashes (which
// divide the parts of a credential's scope).
bool is_access_key(std::string_view text) noexcept;

}  // namespace exportd::jobs
