#pragma once

#include <string>

namespace exportd::observe {

// Of the spdlog this was built with, such as "1.10.0".
std::string spdlog_version();

}  // namespace exportd::observe
