#pragma once

#include <exportd/jobs/file_store.hpp>

#include <filesystem>

namespace exportd::jobs {

// Finished files in one directory, which belongs to this store alone: sweep() removes other plain
// files in it too. Replicas that share a file system may share the directory.
//
// The directory is made with mode 0700 if it is missing (its parent has to be there), files with
// 0600. A file that is being written is called `.KEY.RANDOM.part`; publish() flushes it to the
// medium, renames it, which replaces a file of that key, and flushes the directory. Its writer
// holds a lock (flock) on it: a part that nobody holds was left by a writer that is gone, and
// sweep() goes by that and by the time of the last write. Symbolic links in the directory are not
// followed; the directory itself may be one.
//
// Calls wait for the disk alone, so a requested stop does not end them.
class directory_store final : public file_store {
public:
    // No file is written that would leave less than `keep_free` bytes to others on that file
    // system.
    directory_store(std::filesystem::path directory, std::uint64_t keep_free);

    std::unique_ptr<file_writer> create(const std::string& key,
                                        std::optional<std::uint64_t> expected_bytes,
                                        std::stop_token stop) override;
    std::unique_ptr<file_reader> open(const std::string& key, std::stop_token stop) override;
    void remove(const std::string& key) override;
    std::size_t sweep(std::chrono::seconds age,
                      const std::function<bool(const std::string& key)>& keep) override;
    std::optional<std::string> fault() override;

private:
    const std::filesystem::path directory_;
    const std::uint64_t keep_free_;
};

}  // namespace exportd::jobs
