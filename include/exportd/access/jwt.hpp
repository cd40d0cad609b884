#pragma once

#include <exportd/access/authenticator.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace exportd::access {

// Has librhonabwy ready while it lives. One, made before there is a second thread. Throws
// std::runtime_error.
class jose_library {
public:
    jose_library();
    ~jose_library();
    jose_library(const jose_library&) = delete;
    jose_library& operator=(const jose_library&) = delete;
};

// The public keys of who issues tokens: a JSON Web Key Set (RFC 7517). Immutable.
class key_set {
public:
    // Throws std::runtime_error for what is no key set, and for one with a private or symmetric
    // key: nobody but the issuer may have those. Keys of unknown kinds are left out.
    explicit key_set(std::string_view json);
    ~key_set();
    key_set(const key_set&) = delete;
    key_set& operator=(const key_set&) = delete;

    std::size_t size() const noexcept;

private:
    friend class jwt_check;
    struct state;
    std::unique_ptr<state> state_;
};

// What a token has to be like (RFC 7519, RFC 8725).
struct jwt_rules {
    std::string issuer;
    std::string audience;
    std::set<std::string, std::less<>> algorithms;  // of RS256, ES256, EdDSA
    std::string user_claim = "sub";
    std::string groups_claim = "groups";
    std::string mail_claim = "email";
    std::chrono::seconds clock_skew{60};
};

// Who a token says that its bearer is. A verdict is wrong with cause "malformed", "algorithm",
// "header", "unknown_key", "signature", "issuer", "audience", "expired", "not_yet", "claims".
// Does not wait and asks nobody: keys and addresses in the token's own header are not used.
verdict verify_jwt(const std::string& token, const key_set& keys, const jwt_rules& rules,
                   std::chrono::system_clock::time_point now);

}  // namespace exportd::access
