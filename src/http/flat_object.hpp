#pragma once

#include <exportd/http/problem.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace exportd::http {

enum class member_type : std::uint8_t { text, truth };

// What a body may hold. Outlives the reading.
struct member {
    std::string_view name;
    member_type type;
    std::string_view rule;  // what its value has to be, a sentence
};

// Names and values in the order they came; of a truth "1" or "0".
using flat_object = std::vector<std::pair<std::string, std::string>>;

// Reads one JSON object (RFC 8259) with members of known names and types, each at most once. A
// member that is null counts as not given. The problem otherwise: invalid_body,
// unknown_parameter, repeated_parameter or invalid_parameter, 400. No text of the caller's gets
// into it but the name of an unknown member (shortened).
std::variant<flat_object, problem> parse_flat_object(std::string_view text,
                                                     std::span<const member> known);

}  // namespace exportd::http
