#pragma once

#include <string>
#include <string_view>

namespace exportd::jobs {

// The text as it stands in HTML and XML, in elements and in attributes with quotes.
std::string escaped_markup(std::string_view text);

}  // namespace exportd::jobs
