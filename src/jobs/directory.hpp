#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace exportd::jobs {

// Owns a file descriptor.
class descriptor {
public:
    descriptor() = default;
    explicit descriptor(int fd) noexcept : fd_{fd} {}
    descriptor(descriptor&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}
    descriptor& operator=(descriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~descriptor();

    explicit operator bool() const noexcept { return fd_ >= 0; }
    int get() const noexcept { return fd_; }

private:
    int fd_ = -1;
};

// Throws store_full if `error` (an errno) says that there is no room, else store_error. `action` is
// what was tried.
[[noreturn]] void throw_errno(int error, std::string_view action);

// Opens a directory; makes it with mode 0700 if it is missing. Throws store_error.
descriptor open_directory(const std::filesystem::path& path);

// Bytes that may be written to the file system of `fd` while `keep_free` stay. Throws store_error.
std::uint64_t room(int fd, std::uint64_t keep_free);

// Appends all bytes. Throws store_full or store_error.
void write_all(int fd, std::string_view bytes);

// A new, empty file in `directory` for the key, open for writing and locked.
struct part_file {
    std::string name;
    descriptor file;
};
part_file make_part(int directory, std::string_view key);

// Whether a name is one that make_part() gives.
bool is_part_name(std::string_view name) noexcept;

}  // namespace exportd::jobs
