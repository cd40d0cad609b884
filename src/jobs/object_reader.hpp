#pragma once

#include "s3_client.hpp"
#include <string>

namespace exportd::jobs {

// Reads one object by ranges, over a connection that is kept, ahead of what is asked for. All bytes
// are of the object that was there when the reader was made.
class object_reader final : public file_reader {
public:
    // Throws no_such_file or store_error.
    object_reader(std::shared_ptr<const object_store_settings> settings, std::string key,
                  std::stop_token stop);

    std::uint64_t size() const noexcept override { return size_; }
    std::size_t read(std::uint64_t offset, std::span<char> into) override;

private:
    void fetch(std::uint64_t offset, std::span<char> into);

    const std::string key_;
    const std::stop_token stop_;
    s3_client client_;
    std::uint64_t size_ = 0;
    std::string etag_;
    std::string ahead_;  // bytes from ahead_offset_ on
    std::uint64_t ahead_offset_ = 0;
};

}  // namespace exportd::jobs
