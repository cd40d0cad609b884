#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>

namespace exportd::fuzz {

// A directory in memory; gone at the end.
class scratch {
public:
    scratch()
        : directory_{std::filesystem::path{"/dev/shm"} /
                     ("exportd-fuzz-" + std::to_string(getpid()))} {
        std::filesystem::create_directories(directory_);
    }
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;
    ~scratch() {
        std::error_code ignored;
        std::filesystem::remove_all(directory_, ignored);
    }

    std::filesystem::path write(std::string_view name, std::string_view text) const {
        auto file = directory_ / name;
        std::ofstream{file, std::ios::binary | std::ios::trunc}.write(
            text.data(), static_cast<std::streamsize>(text.size()));
        return file;
    }
    const std::filesystem::path& directory() const noexcept { return directory_; }

private:
    std::filesystem::path directory_;
};

}  // namespace exportd::fuzz
