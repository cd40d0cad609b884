#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>

namespace exportd::jobs {

// The store has no room left, or would have less than it has to keep free.
class store_full : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The file is not there (any more).
class no_such_file : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The store can't be reached or refused. what() is for the log alone: it may name directories and
// hosts, never a secret.
class store_error : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Takes the bytes of one new file. Without publish() nothing of it stays: the destructor does what
// discard() does.
class file_writer {
public:
    virtual ~file_writer() = default;

    // Appends. Throws store_full or store_error.
    virtual void write(std::string_view bytes) = 0;

    // Makes the file visible under its key, whole and safe on its medium. Throws like write();
    // nothing is visible then.
    virtual void publish() = 0;

    virtual void discard() noexcept = 0;
};

// Reads a published file. May be handed from thread to thread, one at a time.
class file_reader {
public:
    virtual ~file_reader() = default;

    virtual std::uint64_t size() const noexcept = 0;  // of the whole file, in bytes

    // Fills `into` from `offset` on and returns how many bytes that were: fewer than asked only at
    // the end of the file. Throws no_such_file or store_error.
    virtual std::size_t read(std::uint64_t offset, std::span<char> into) = 0;
};

// Where the files of finished exports are. Keys are made by this service: letters, digits, `.`,
// `-` and `_`, not beginning with a dot. Every call may wait for a disk or the network, so none is
// for the loop's thread; a store may be used by several threads at once. A requested stop ends a
// wait for the network soon, with store_error.
class file_store {
public:
    virtual ~file_store() = default;

    // `expected_bytes` are checked against the room there is, if they are known. Throws store_full
    // or store_error.
    virtual std::unique_ptr<file_writer> create(const std::string& key,
                                                std::optional<std::uint64_t> expected_bytes,
                                                std::stop_token stop) = 0;

    // Throws no_such_file or store_error.
    virtual std::unique_ptr<file_reader> open(const std::string& key, std::stop_token stop) = 0;

    // Removes a file; one that is not there is removed already. Throws store_error.
    virtual void remove(const std::string& key) = 0;

    // Removes what writers that are gone (a crash, kill -9) left unpublished and what is older
    // than `age`, and published files that are older than `age` and of which `keep` says no.
    // Returns how many. Throws store_error.
    virtual std::size_t sweep(std::chrono::seconds age,
                              const std::function<bool(const std::string& key)>& keep) = 0;

    // For any thread: removing, sweeping and looking for a fault end soon from now on, with
    // store_error.
    virtual void close() noexcept {}

    // Whether the store can be written to now; the cause if not, for the log.
    virtual std::optional<std::string> fault() = 0;
};

}  // namespace exportd::jobs
