#pragma once

#include <exportd/access/principal.hpp>
#include <exportd/access/sign_in.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace exportd::http {

// A whole request, already checked against RFC 9112. Strings are owned. A field that came several
// times is the list of its values (RFC 9110 section 5.3); one that did not come is empty.
struct request {
    std::string method;                                      // as sent
    std::vector<std::string> path;                           // decoded segments
    std::vector<std::pair<std::string, std::string>> query;  // decoded, in order
    std::string accept;
    std::string content_type;
    std::optional<std::string> idempotency_key;
    std::string range;
    std::string if_range;
    std::string if_none_match;
    std::string if_match;
    std::string if_modified_since;
    std::string if_unmodified_since;
    std::string want_repr_digest;
    // Field values as they came, in order, for the gate, which empties it.
    std::vector<std::pair<std::string, std::string>> fields;
    std::string target;      // as sent
    std::string body;        // of a bounded size; never with GET or HEAD
    std::string client;      // address without port; behind a trusted proxy the one that it tells
    access::principal who;   // who asks
    std::string identity;    // of `who`; empty while nobody is told apart
    std::string request_id;  // the caller's if it is well-formed, else made here
    std::optional<access::sign_in> sign_in;  // of a browser, if that is how it is known
    bool http_1_0 = false;

    bool is_head() const noexcept { return method == "HEAD"; }

    // Who takes turns with others and whose limits count.
    const std::string& caller() const noexcept { return identity.empty() ? client : identity; }
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
    unsigned status = 200;
    std::optional<std::uint64_t> content_length;  // of the body, if it is known
    std::vector<header_field> fields;
    std::string content_type;
    // Names of trailer fields that may follow the body (RFC 9110 section 6.6.2); none with
    // a length that is known.
    std::vector<std::string> trailers;
};

}  // namespace exportd::http
