#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace exportd::app {

// The bytes of a whole file, or nullopt if they can't all be read. Blocks.
std::optional<std::string> read_text_file(const std::filesystem::path& file);

}  // namespace exportd::app
