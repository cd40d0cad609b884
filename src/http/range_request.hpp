#pragma once

#include <exportd/http/message.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace exportd::http {

// A file that never changes, as conditional and range requests see it.
struct file_version {
    std::string etag;  // a strong entity tag with its quotes
    std::uint64_t size = 0;
    std::optional<std::chrono::sys_seconds> modified;
};

enum class selection {
    whole,                // 200
    part,                 // 206
    not_modified,         // 304
    precondition_failed,  // 412
    unsatisfiable,        // 416
};

// Which bytes of a file to answer with.
struct selected_range {
    selection what = selection::whole;
    std::uint64_t first = 0;
    std::uint64_t length = 0;
};

// What a GET or HEAD asks for: If-Match, If-None-Match and their two dates in the order of RFC
// 9110 section 13.2.2, then Range and If-Range (sections 14.2 and 13.1.5; GET only). Several
// ranges, another unit and what is malformed get the whole file, which section 14.2 allows; so
// does a date in If-Range.
selected_range select_range(const request& r, const file_version& file);

}  // namespace exportd::http
