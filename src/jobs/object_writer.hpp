#pragma once

#include "s3_client.hpp"
#include <string>
#include <vector>

namespace exportd::jobs {

// Writes one object: by a single PUT, or once a part is full by a multipart upload.
class object_writer final : public file_writer {
public:
    object_writer(std::shared_ptr<const object_store_settings> settings, std::string key,
                  std::stop_token stop);
    ~object_writer() override { discard(); }

    void write(std::string_view bytes) override;
    void publish() override;
    void discard() noexcept override;

private:
    void require_open() const;
    void begin_upload();
    void send_part();
    void complete();
    bool is_complete();

    const std::shared_ptr<const object_store_settings> settings_;
    const std::string key_;
    const std::stop_token stop_;
    s3_client client_;
    std::string part_;
    std::string upload_;  // the upload's id; empty: none was begun
    std::vector<std::string> etags_;
    std::uint64_t written_ = 0;
    bool open_ = true;
};

}  // namespace exportd::jobs
