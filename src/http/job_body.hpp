#pragma once

#include <exportd/http/problem.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace exportd::http {

// What the body of POST /exports/{name}/jobs says, not yet checked: the members that exports know,
// as the parameters that they are in an address, and the address for a letter.
struct job_body {
    std::vector<std::pair<std::string, std::string>> parameters;
    std::optional<std::string> notify;
};

// Reads one JSON object (RFC 8259) with members of known names and types, each at most once:
// from, to, values and notify are strings, excel is true or false. A member that is null counts
// as not given. The problem otherwise: invalid_body, unknown_parameter, repeated_parameter or
// invalid_parameter, 400. No text of the caller's gets into it but the name of an unknown member
// (shortened).
std::variant<job_body, problem> parse_job_body(std::string_view text);

// Whether a Content-Type field says JSON in UTF-8 (RFC 8259 section 8.1): application/json, with
// no parameter but charset=utf-8.
bool is_json_type(std::string_view content_type);

// The caller's own name of a request, out of an Idempotency-Key field: 1 to 255 visible ASCII
// characters, either as they are or as a string of RFC 9651 section 3.3.3, in quotes. nullopt for
// anything else.
std::optional<std::string> parse_idempotency_key(std::string_view field);

}  // namespace exportd::http
