#include <exportd/access/authorization.hpp>
#include <exportd/access/jwt_authenticator.hpp>

namespace exportd::access {

verdict jwt_authenticator::look_at(const credentials& given) {
    const auto shown = read_authorization(given);
    if (shown.what == authorization::kind::absent) return {};
    if (shown.what != authorization::kind::bearer)
        return {verdict::kind::wrong, {}, "malformed_credentials"};
    const auto* keys = keys_.keys();
    if (keys == nullptr) return {verdict::kind::wrong, {}, "no_keys"};
    auto seen = verify_jwt(shown.secret, *keys, rules_, std::chrono::system_clock::now());
    if (seen.cause == "unknown_key") keys_.missed();
    return seen;
}

}  // namespace exportd::access
