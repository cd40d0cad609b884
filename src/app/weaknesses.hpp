#pragma once

#include <exportd/app/config.hpp>

#include <string>
#include <vector>

namespace exportd::app {

// What is allowed and yet not safe in general, a sentence each, for `exportd check`. Names keys
// and never the value of a secret. Reads the access file.
std::vector<std::string> weaknesses(const config& c);

}  // namespace exportd::app
