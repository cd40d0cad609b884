#include <exportd/access/principal.hpp>

#include <string_view>
#include <utility>

namespace exportd::access {

std::string principal::identity() const {
    switch (what) {
        case kind::token:
            return "token:" + name;
        case kind::user:
            return "user:" + name;
        case kind::anybody:
            break;
    }
    return {};
}

principal principal::of(const std::string& identity, std::vector<std::string> groups) {
    constexpr std::string_view token = "token:";
    constexpr std::string_view user = "user:";
    if (identity.starts_with(token)) return {kind::token, identity.substr(token.size()), {}, {}};
    if (identity.starts_with(user))
        return {kind::user, identity.substr(user.size()), std::move(groups), {}};
    return {};
}

}  // namespace exportd::access
