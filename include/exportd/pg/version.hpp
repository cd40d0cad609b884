#pragma once

#include <string>

namespace exportd::pg {

// Of the libpq that is linked at run time, such as "15.18".
std::string libpq_version();

}  // namespace exportd::pg
