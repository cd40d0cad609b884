#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace exportd::http {

// `text` with each {{name}} replaced by its value, made safe for text and attributes in quotes.
std::string fill_template(std::string_view text,
                          const std::vector<std::pair<std::string_view, std::string_view>>& values);

}  // namespace exportd::http
