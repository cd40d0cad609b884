#include "object_writer.hpp"

#include "s3_xml.hpp"
#include <algorithm>

namespace exportd::jobs {

namespace {

constexpr std::size_t most_parts = 10'000;  // S3's own limit

// For the requests that clean up: whoever waits for them wants to go on.
constexpr std::chrono::milliseconds cleaning{5'000};

}  // namespace

object_writer::object_writer(std::shared_ptr<const object_store_settings> settings, std::string key,
                             std::stop_token stop)
    : settings_{settings},
      key_{std::move(key)},
      stop_{std::move(stop)},
      client_{std::move(settings)} {
}

void object_writer::write(std::string_view bytes) {
    require_open();
    try {
        written_ += bytes.size();
        while (!bytes.empty()) {
            const std::size_t taken = std::min(bytes.size(), settings_->part_size - part_.size());
            part_ += bytes.substr(0, taken);
            bytes.remove_prefix(taken);
            if (part_.size() == settings_->part_size) send_part();
        }
    } catch (...) {
        discard();  // a file with a gap must not be published
        throw;
    }
}

void object_writer::publish() {
    require_open();
    try {
        if (upload_.empty()) {
            client_.expect(200, "storing a file",
                           {.method = "PUT", .key = key_, .query = {}, .body = part_}, stop_);
        } else {
            if (!part_.empty()) send_part();
            complete();
        }
    } catch (...) {
        discard();
        throw;
    }
    open_ = false;
}

void object_writer::discard() noexcept {
    if (!open_) return;
    open_ = false;
    if (upload_.empty()) return;
    try {
        // Also when a stop was requested. What stays nevertheless, a sweep removes.
        client_.send(
            {.method = "DELETE", .key = key_, .query = {{"uploadId", upload_}}, .whole = cleaning},
            {});
    } catch (const std::exception&) {
    }
}

void object_writer::require_open() const {
    if (!open_) throw store_error{"the file was published or discarded before"};
}

void object_writer::begin_upload() {
    const auto answer =
        client_.expect(200, "beginning an upload",
                       {.method = "POST", .key = key_, .query = {{"uploads", ""}}}, stop_);
    upload_ = s3_upload_id(answer.body);
}

void object_writer::send_part() {
    if (etags_.size() == most_parts) throw store_full{"a file has 10,000 parts at most"};
    if (upload_.empty()) begin_upload();
    s3_request request{.method = "PUT", .key = key_};
    request.query = {{"partNumber", std::to_string(etags_.size() + 1)}, {"uploadId", upload_}};
    request.body = part_;
    const auto answer = client_.expect(200, "storing a part", request, stop_);
    if (answer.etag.empty()) throw store_error{"storing a part: no ETag"};
    etags_.push_back(answer.etag);
    part_.clear();
}

void object_writer::complete() {
    const std::string body = s3_complete_body(etags_);
    s3_request request{.method = "POST", .key = key_, .query = {{"uploadId", upload_}}};
    request.body = body;
    const s3_answer answer = client_.send(request, stop_);
    if (answer.status == 200 && answer.code.empty()) return;
    // An earlier try whose answer was lost may have done it.
    if (answer.code == "NoSuchUpload" && is_complete()) return;
    throw_refused("completing an upload", answer);
}

bool object_writer::is_complete() {
    const auto answer = client_.send({.method = "HEAD", .key = key_}, stop_);
    return answer.status == 200 && answer.length == std::to_string(written_);
}

}  // namespace exportd::jobs
