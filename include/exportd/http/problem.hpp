#pragma once

#include <exportd/http/message.hpp>
#include <exportd/rows/errc.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace exportd::http {

// An error answer, application/problem+json (RFC 9457). Holds nothing internal: no SQL, host,
// table or file name.
struct problem {
    unsigned status = 500;
    std::string code;       // stable, for programs
    std::string detail;     // one sentence, for people
    std::string parameter;  // the query parameter at fault, if any
    std::optional<std::chrono::seconds> retry_after;
    std::vector<std::string> allow;  // methods, with 405
    // Further members: name, and value as JSON text.
    std::vector<std::pair<std::string, std::string>> extra;
};

response to_response(const problem& p, std::string_view request_id);

// The problem that an error before the first byte is told as.
problem problem_of(errc e);

problem bad_request(std::string_view code, std::string_view detail);
problem not_found();
problem method_not_allowed(std::vector<std::string> allow);
problem internal_error();

// The reason phrase (RFC 9110 section 15), such as "Bad Request".
std::string_view title_of(unsigned status) noexcept;

}  // namespace exportd::http
