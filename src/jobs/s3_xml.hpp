#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace exportd::jobs {

// The documents of S3's interface. All throw store_error if a text is not what is expected.

// The code of an <Error>, letters only; empty if the text is none.
std::string s3_error_code(const std::string& text);

// The id in the answer to CreateMultipartUpload.
std::string s3_upload_id(const std::string& text);

// The body of CompleteMultipartUpload, for parts 1, 2, ...
std::string s3_complete_body(const std::vector<std::string>& etags);

struct s3_object {
    std::string key;
    std::chrono::sys_seconds modified;
};

// A page of ListObjectsV2; `next` is the token of the one after it, empty for the last.
struct s3_object_page {
    std::vector<s3_object> objects;
    std::string next;
};
s3_object_page s3_objects(const std::string& text);

struct s3_upload {
    std::string key;
    std::string id;
    std::chrono::sys_seconds initiated;
};

// A page of ListMultipartUploads; the markers are empty for the last.
struct s3_upload_page {
    std::vector<s3_upload> uploads;
    std::string next_key;
    std::string next_id;
};
s3_upload_page s3_uploads(const std::string& text);

// A page of ListParts.
struct s3_part_page {
    std::optional<std::chrono::sys_seconds> latest;
    std::string next;
};
s3_part_page s3_parts(const std::string& text);

// "2026-12-01T03:12:24.000Z"; fractions are dropped.
std::chrono::sys_seconds s3_instant(std::string_view text);

}  // namespace exportd::jobs
