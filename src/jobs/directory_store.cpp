#include <exportd/jobs/directory_store.hpp>

#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "directory.hpp"
#include "file_key.hpp"
#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <exception>
#include <fcntl.h>
#include <unistd.h>
#include <vector>

namespace exportd::jobs {

namespace {

// Most bytes between two looks at the room there is.
constexpr std::uint64_t look_every = 16 * 1024 * 1024;

class directory_writer final : public file_writer {
public:
    directory_writer(descriptor directory, std::string key, std::uint64_t keep_free)
        : directory_{std::move(directory)},
          key_{std::move(key)},
          keep_free_{keep_free},
          part_{make_part(directory_.get(), key_)} {}
    ~directory_writer() override { discard(); }

    void write(std::string_view bytes) override {
        require_open();
        try {
            append(bytes);
        } catch (...) {
            discard();  // a file with a gap must not be published
            throw;
        }
    }

    void publish() override {
        require_open();
        if (::fsync(part_.file.get()) != 0) fail("flushing a file");
        if (::renameat(directory_.get(), part_.name.c_str(), directory_.get(), key_.c_str()) != 0)
            fail("renaming a file");
        if (::fsync(directory_.get()) != 0) {
            const int error = errno;
            ::unlinkat(directory_.get(), key_.c_str(), 0);
            part_ = {};
            throw_errno(error, "flushing the directory");
        }
        part_ = {};
    }

    void discard() noexcept override {
        if (!part_.file) return;
        ::unlinkat(directory_.get(), part_.name.c_str(), 0);
        part_ = {};
    }

private:
    void require_open() const {
        if (!part_.file) throw store_error{"the file was published or discarded before"};
    }

    void append(std::string_view bytes) {
        if (bytes.size() > unlooked_) {
            const std::uint64_t free = room(part_.file.get(), keep_free_);
            if (free < bytes.size()) throw store_full{"less would be free than has to stay so"};
            unlooked_ = std::min(free, look_every);
        }
        unlooked_ -= std::min<std::uint64_t>(unlooked_, bytes.size());
        write_all(part_.file.get(), bytes);
    }

    [[noreturn]] void fail(std::string_view action) {
        const int error = errno;
        discard();
        throw_errno(error, action);
    }

    const descriptor directory_;
    const std::string key_;
    const std::uint64_t keep_free_;
    part_file part_;
    std::uint64_t unlooked_ = 0;  // bytes that may be written before the next look
};

class directory_reader final : public file_reader {
public:
    directory_reader(descriptor file, std::uint64_t size) : file_{std::move(file)}, size_{size} {}

    std::uint64_t size() const noexcept override { return size_; }

    std::size_t read(std::uint64_t offset, std::span<char> into) override {
        if (offset >= size_) return 0;
        const std::size_t wanted = std::min<std::uint64_t>(into.size(), size_ - offset);
        std::size_t done = 0;
        while (done < wanted) {
            const ssize_t got = ::pread(file_.get(), into.data() + done, wanted - done,
                                        static_cast<off_t>(offset + done));
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) throw_errno(errno, "reading");
            if (got == 0) throw store_error{"a file became shorter"};
            done += static_cast<std::size_t>(got);
        }
        return done;
    }

private:
    const descriptor file_;
    const std::uint64_t size_;
};

struct stream_closer {
    void operator()(DIR* stream) const noexcept { ::closedir(stream); }
};

std::vector<std::string> names_in(const descriptor& directory) {
    const int own = ::openat(directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (own < 0) throw_errno(errno, "listing the directory");
    const std::unique_ptr<DIR, stream_closer> stream{::fdopendir(own)};
    if (!stream) {
        const int error = errno;
        ::close(own);
        throw_errno(error, "listing the directory");
    }
    std::vector<std::string> names;
    for (;;) {
        errno = 0;
        const dirent* entry = ::readdir(stream.get());
        if (entry == nullptr && errno != 0) throw_errno(errno, "listing the directory");
        if (entry == nullptr) return names;
        names.emplace_back(entry->d_name);
    }
}

// Whether the last write to a plain file of this name is `age` ago.
bool is_old(int directory, const std::string& name, std::chrono::seconds age) {
    struct stat found {};
    if (::fstatat(directory, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) return false;
    const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    return S_ISREG(found.st_mode) && now - found.st_mtime >= age.count();
}

// Whether nobody writes the part any more.
bool is_abandoned(int directory, const std::string& name) {
    const descriptor file{
        ::openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
    return file && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
}

bool unlink(int directory, const std::string& name) {
    if (::unlinkat(directory, name.c_str(), 0) == 0) return true;
    if (errno == ENOENT) return false;
    throw_errno(errno, "removing a file");
}

}  // namespace

directory_store::directory_store(std::filesystem::path directory, std::uint64_t keep_free)
    : directory_{std::move(directory)}, keep_free_{keep_free} {
}

std::unique_ptr<file_writer> directory_store::create(const std::string& key,
                                                     std::optional<std::uint64_t> expected_bytes,
                                                     std::stop_token) {
    require_file_key(key);
    descriptor directory = open_directory(directory_);
    const std::uint64_t free = room(directory.get(), keep_free_);
    if (free == 0 || free < expected_bytes.value_or(0)) {
        throw store_full{
            fmt::format("room for {} bytes beside those that have to stay free, {} "
                        "are expected",
                        free, expected_bytes.value_or(1))};
    }
    return std::make_unique<directory_writer>(std::move(directory), key, keep_free_);
}

std::unique_ptr<file_reader> directory_store::open(const std::string& key, std::stop_token) {
    require_file_key(key);
    const descriptor directory = open_directory(directory_);
    // Not to wait for the other end if it is a named pipe.
    descriptor file{
        ::openat(directory.get(), key.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
    if (!file && errno == ENOENT) throw no_such_file{"no such file"};
    if (!file) throw_errno(errno, "opening a file");
    struct stat found {};
    if (::fstat(file.get(), &found) != 0) throw_errno(errno, "looking at a file");
    if (!S_ISREG(found.st_mode)) throw store_error{"not a plain file"};
    return std::make_unique<directory_reader>(std::move(file),
                                              static_cast<std::uint64_t>(found.st_size));
}

void directory_store::remove(const std::string& key) {
    require_file_key(key);
    unlink(open_directory(directory_).get(), key);
}

std::size_t directory_store::sweep(std::chrono::seconds age,
                                   const std::function<bool(const std::string& key)>& keep) {
    const descriptor directory = open_directory(directory_);
    const int fd = directory.get();
    std::size_t removed = 0;
    std::exception_ptr fault;
    for (const std::string& name : names_in(directory)) {
        const bool part = is_part_name(name);
        if ((!part && !is_file_key(name)) || !is_old(fd, name, age)) continue;
        if (part ? !is_abandoned(fd, name) : keep(name)) continue;
        try {
            if (unlink(fd, name)) ++removed;
        } catch (const store_error&) {
            fault = std::current_exception();
        }
    }
    if (fault) std::rethrow_exception(fault);
    return removed;
}

std::optional<std::string> directory_store::fault() {
    try {
        directory_writer probe{open_directory(directory_), "probe", keep_free_};
        probe.write("?");
        return std::nullopt;
    } catch (const std::runtime_error& e) {
        return e.what();
    }
}

}  // namespace exportd::jobs
