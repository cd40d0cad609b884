#include "directory.hpp"

#include <exportd/jobs/file_store.hpp>

#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "file_key.hpp"
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <random>
#include <system_error>
#include <unistd.h>

namespace exportd::jobs {

namespace {

constexpr std::string_view part_end = ".part";
constexpr std::size_t random_digits = 16;

std::string random_name() {
    std::random_device source;
    const std::uint64_t number = (std::uint64_t{source()} << 32) | source();
    return fmt::format("{:016x}", number);
}

}  // namespace

descriptor::~descriptor() {
    if (fd_ >= 0) ::close(fd_);
}

void throw_errno(int error, std::string_view action) {
    const std::string what = fmt::format("{}: {}", action, std::generic_category().message(error));
    // EFBIG: more than the file system, or a limit of the process, has in one file.
    if (error == ENOSPC || error == EDQUOT || error == EFBIG) throw store_full{what};
    throw store_error{what};
}

descriptor open_directory(const std::filesystem::path& path) {
    constexpr int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    descriptor opened{::open(path.c_str(), flags)};
    if (!opened && errno == ENOENT) {
        if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
            throw_errno(errno, "making the directory " + path.string());
        opened = descriptor{::open(path.c_str(), flags)};
    }
    if (!opened) throw_errno(errno, "opening the directory " + path.string());
    return opened;
}

std::uint64_t room(int fd, std::uint64_t keep_free) {
    struct statvfs found {};
    if (::fstatvfs(fd, &found) != 0) throw_errno(errno, "asking for the room there is");
    const std::uint64_t free = std::uint64_t{found.f_bavail} * found.f_frsize;
    return free > keep_free ? free - keep_free : 0;
}

void write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(fd, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) throw_errno(errno, "writing");
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

part_file make_part(int directory, std::string_view key) {
    part_file made;
    made.name = fmt::format(".{}.{}{}", key, random_name(), part_end);
    made.file = descriptor{::openat(directory, made.name.c_str(),
                                    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
    if (!made.file) throw_errno(errno, "making a file");
    // Waits for a sweep that is looking at the file just now; what it then removed, publish()
    // misses.
    while (::flock(made.file.get(), LOCK_EX) != 0) {
        if (errno == EINTR) continue;
        const int error = errno;
        ::unlinkat(directory, made.name.c_str(), 0);
        throw_errno(error, "locking a file");
    }
    return made;
}

bool is_part_name(std::string_view name) noexcept {
    constexpr std::size_t around = 1 + 1 + random_digits + part_end.size();
    if (name.size() <= around || name.front() != '.' || !name.ends_with(part_end)) return false;
    const std::string_view key = name.substr(1, name.size() - around);
    const std::string_view random = name.substr(1 + key.size() + 1, random_digits);
    return is_file_key(key) && name[1 + key.size()] == '.' &&
           random.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace exportd::jobs
