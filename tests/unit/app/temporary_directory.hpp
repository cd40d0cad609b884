#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace exportd::app::test {

// A directory of its own for one test, removed with all that is in it.
class temporary_directory {
public:
    temporary_directory() {
        std::string name = (std::filesystem::temp_directory_path() / "exportd-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error{"no temporary directory"};
        path_ = name;
    }
    ~temporary_directory() { std::filesystem::remove_all(path_); }

    temporary_directory(const temporary_directory&) = delete;
    temporary_directory& operator=(const temporary_directory&) = delete;

    const std::filesystem::path& path() const noexcept { return path_; }

    std::filesystem::path write(std::string_view name, std::string_view text) const {
        const auto file = path_ / name;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream{file, std::ios::binary} << text;
        return file;
    }

private:
    std::filesystem::path path_;
};

}  // namespace exportd::app::test
