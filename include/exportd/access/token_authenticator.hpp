#pragma once

#include <exportd/access/authenticator.hpp>
#include <exportd/access/policy.hpp>

#include <chrono>
#include <functional>

namespace exportd::access {

// auth.mode tokens: Authorization with Bearer (RFC 6750) and a token of the access file, or with
// Basic (RFC 7617) and the token as the password of any user.
class token_authenticator final : public authenticator {
public:
    using now_function = std::function<policy::clock::time_point()>;

    explicit token_authenticator(const policy_store& policies,
                                 now_function now = policy::clock::now)
        : policies_{policies}, now_{std::move(now)} {}

    verdict look_at(const credentials& given) override;

private:
    const policy_store& policies_;
    now_function now_;
};

}  // namespace exportd::access
