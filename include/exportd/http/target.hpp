#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace exportd::http {

// A request target in origin-form or absolute-form (RFC 9112 section 3.2), taken apart and
// percent-decoded. A plus stays a plus.
struct target {
    std::vector<std::string> path;  // segments behind the leading slash; "/" has none
    std::vector<std::pair<std::string, std::string>> query;
};

// nullopt for what RFC 3986 does not allow.
std::optional<target> parse_target(std::string_view text);

}  // namespace exportd::http
