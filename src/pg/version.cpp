#include <exportd/pg/version.hpp>

#include <libpq-fe.h>

namespace exportd::pg {

// PQlibVersion() is 10000 * major + minor since version 10.
std::string libpq_version() {
    const int version = PQlibVersion();
    return std::to_string(version / 10'000) + '.' + std::to_string(version % 10'000);
}

}  // namespace exportd::pg
