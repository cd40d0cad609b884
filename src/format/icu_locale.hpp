#pragma once

#include <string>
#include <string_view>

namespace exportd::format {

// The ICU locale id of what Intl in Node.js resolves this BCP 47 tag to: the best locale there
// is data for, and of the tag's Unicode extensions `nu`, and with `dates` also `ca` and `hc`,
// if they are valid. Throws std::invalid_argument with the tag in it if the tag is malformed or
// its language unknown, where Intl would throw or silently take the system's locale.
std::string icu_locale_id(std::string_view tag, bool dates);

}  // namespace exportd::format
