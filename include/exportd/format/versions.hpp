#pragma once

#include <string>

namespace exportd::format {

// Of the ICU that is linked, and of the locale data in it: "72.1", "42".
std::string icu_version();
std::string cldr_version();

}  // namespace exportd::format
