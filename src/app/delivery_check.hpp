#pragma once

#include <exportd/app/config.hpp>

#include <string>
#include <vector>

namespace exportd::app {

// Adds what forbids serving with the settings of [s3] and [mail], as validate() does.
void check_delivery(const config& c, std::vector<std::string>& faults);

}  // namespace exportd::app
