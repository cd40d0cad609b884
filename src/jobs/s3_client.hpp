#pragma once

#include <exportd/curl/handle.hpp>
#include <exportd/jobs/object_store.hpp>

#include <chrono>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace exportd::jobs {

struct s3_request {
    const char* method = "GET";
    std::string key{};                           // below the prefix; empty: the bucket
    std::map<std::string, std::string> query{};  // not encoded
    std::string_view body{};                     // lives until the answer is there
    std::string range{};                         // "0-99"
    std::string if_match{};                      // an ETag
    std::span<char> into{};                      // where the body of a 206 goes
    std::chrono::milliseconds whole{0};          // longest time for one try; 0: no limit
};

struct s3_answer {
    long status = 0;
    std::string body;          // of anything but a 206
    std::string code;          // of an error document
    std::string etag;          // with its quotes
    std::string range;         // Content-Range
    std::string length;        // Content-Length
    std::size_t received = 0;  // bytes in s3_request::into
};

// Sends signed requests over one connection that is kept. For one thread at a time.
class s3_client {
public:
    explicit s3_client(std::shared_ptr<const object_store_settings> settings);

    // Returns an answer of any status but those that are worth another try. Throws store_error when
    // all tries are used up or a stop is requested.
    s3_answer send(const s3_request& request, const std::stop_token& stop);

    // The same, but throws unless the status is `wanted`: store_full, no_such_file (404 and 412) or
    // store_error. `action` is what was tried.
    s3_answer expect(long wanted, std::string_view action, const s3_request& request,
                     const std::stop_token& stop);

private:
    struct outcome;
    outcome try_once(const s3_request& request, const std::string& digest,
                     const std::stop_token& stop);
    void prepare(const s3_request& request, const std::stop_token& stop);

    const std::shared_ptr<const object_store_settings> settings_;
    curl::handle handle_;
};

// Throws what expect() throws.
[[noreturn]] void throw_refused(std::string_view action, const s3_answer& answer);

// A query as it is signed: sorted, everything but unreserved characters percent-encoded, and `=`
// behind each name.
std::string s3_query_text(const std::map<std::string, std::string>& query);

// SHA-256 in lower-case hexadecimal.
std::string sha256_hex(std::string_view bytes);

}  // namespace exportd::jobs
