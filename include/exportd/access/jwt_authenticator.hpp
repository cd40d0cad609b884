#pragma once

#include <exportd/access/authenticator.hpp>
#include <exportd/access/jwt.hpp>
#include <exportd/access/key_source.hpp>

namespace exportd::access {

// auth.mode jwt: Authorization: Bearer with a JSON Web Token.
class jwt_authenticator final : public authenticator {
public:
    // The source outlives it.
    jwt_authenticator(key_source& keys, jwt_rules rules) : keys_{keys}, rules_{std::move(rules)} {}

    verdict look_at(const credentials& given) override;

private:
    key_source& keys_;
    jwt_rules rules_;
};

}  // namespace exportd::access
