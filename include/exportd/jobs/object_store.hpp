#pragma once

#include <exportd/jobs/file_store.hpp>

#include <memory>

namespace exportd::jobs {

struct object_store_settings {
    std::string endpoint;  // one that parse_server_url() takes, http or https
    std::string region = "us-east-1";
    std::string bucket;
    std::string prefix;      // see is_object_prefix()
    std::string access_key;  // see is_access_key()
    std::string secret_key;
    std::uint64_t part_size = 8 * 1024 * 1024;  // bytes; held in memory for each writer
    std::string ca_file;                        // empty: the system's certificates
    std::chrono::milliseconds connect_timeout{5'000};
    std::chrono::milliseconds stall_timeout{60'000};  // whole seconds count
    int tries = 5;                                    // for each request
    std::chrono::milliseconds retry_delay{200};       // before the second try; then twice as long
};

// Finished files in a bucket of an S3-compatible object store, shared by all replicas. A key is the
// object `prefix + key`; nothing else may be kept under the prefix.
//
// A file of less than one part is one PUT; a longer one is a multipart upload, which S3 shows only
// once it is completed. The SHA-256 of each part is signed, so that a store that checks signatures
// checks the bytes too. Should the answer to the last request of publish() be lost for good, the
// file may be there although publish() throws: a sweep removes it then.
//
// A request is tried again, with growing pauses, if it is not answered, or with 429 or 5xx.
// Redirects are not followed. TLS is always verified. Messages name the operation, the status and
// the store's code alone.
//
// sweep() goes by the time of an upload's last part: `age` has to be longer than it takes to write
// `part_size` bytes of an export.
class object_store final : public file_store {
public:
    // Throws std::invalid_argument if a setting is not what it has to be.
    explicit object_store(object_store_settings settings);

    std::unique_ptr<file_writer> create(const std::string& key,
                                        std::optional<std::uint64_t> expected_bytes,
                                        std::stop_token stop) override;
    std::unique_ptr<file_reader> open(const std::string& key, std::stop_token stop) override;
    void remove(const std::string& key) override;
    std::size_t sweep(std::chrono::seconds age,
                      const std::function<bool(const std::string& key)>& keep) override;
    void close() noexcept override { closing_.request_stop(); }
    std::optional<std::string> fault() override;

private:
    const std::shared_ptr<const object_store_settings> settings_;
    std::stop_source closing_;
};

}  // namespace exportd::jobs
