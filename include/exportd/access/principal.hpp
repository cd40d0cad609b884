#pragma once

#include <optional>
#include <string>
#include <vector>

namespace exportd::access {

// Who asks, or for whom something is done. A plain value; the name, the groups and the address
// are personal data and belong into the audit alone.
struct principal {
    enum class kind {
        anybody,  // nobody is told apart: auth.mode is none
        token,    // the bearer of a token of the access file
        user,     // somebody whom the proxy or a JWT names
    };
    kind what = kind::anybody;
    std::string name;
    std::vector<std::string> groups;  // of a user
    std::optional<std::string> mail;  // of a user, if it is told

    // "token:nightly", "user:anna@example.org"; empty for anybody. Tells owners of jobs and
    // receipts apart and is what limits are counted under.
    std::string identity() const;

    // Whose identity it was, with these groups; anybody for an empty or unknown one.
    static principal of(const std::string& identity, std::vector<std::string> groups);
};

}  // namespace exportd::access
