#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace exportd::http {

// A request without its body, already checked against RFC 9112. Strings are owned.
struct request {
    std::string method;                                      // as sent
    std::vector<std::string> path;                           // decoded segments
    std::vector<std::pair<std::string, std::string>> query;  // decoded, in order
    std::string accept;
    std::string want_repr_digest;
    std::string client;      // address without port
    std::string request_id;  // the caller's if it is well-formed, else made here
    bool http_1_0 = false;

    bool is_head() const noexcept { return method == "HEAD"; }
};

struct header_field {
    std::string name;
    std::string value;  // no CR, LF or NUL
};

// A whole answer.
struct response {
    unsigned status = 200;
    std::vector<header_field> fields;
    std::string content_type;
    std::string body;
};

// The head of an answer whose body is streamed.
struct stream_head {
    std::vector<header_field> fields;
    std::string content_type;
    // Names of trailer fields that may follow the body (RFC 9110 section 6.6.2).
    std::vector<std::string> trailers;
};

}  // namespace exportd::http
