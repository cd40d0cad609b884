#include <exportd/access/authorization.hpp>
#include <exportd/access/token_authenticator.hpp>

namespace exportd::access {

verdict token_authenticator::look_at(const credentials& given) {
    const auto shown = read_authorization(given);
    if (shown.what == authorization::kind::absent) return {};
    if (shown.what == authorization::kind::wrong)
        return {verdict::kind::wrong, {}, "malformed_credentials"};
    const auto* token = policies_.current().find_token(shown.secret, now_());
    if (token == nullptr) return {verdict::kind::wrong, {}, "unknown_token"};
    return {verdict::kind::known, principal{principal::kind::token, token->name, {}, {}}, {}};
}

}  // namespace exportd::access
