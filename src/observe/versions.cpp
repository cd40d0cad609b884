#include <exportd/observe/versions.hpp>

#include <fmt/format.h>
#include <spdlog/version.h>

namespace exportd::observe {

std::string spdlog_version() {
    return fmt::format("{}.{}.{}", SPDLOG_VER_MAJOR, SPDLOG_VER_MINOR, SPDLOG_VER_PATCH);
}

}  // namespace exportd::observe
