#pragma once

#include <exportd/app/config.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace exportd::app {

// Reads a TOML file into `c` and appends every fault to `errors` as "file:line: key: reason".
// Keys that the file does not set keep their value. Blocks on the file.
void read_config_file(const std::filesystem::path& file, config& c,
                      std::vector<std::string>& errors);

}  // namespace exportd::app
