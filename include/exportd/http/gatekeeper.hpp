#pragma once

#include <exportd/access/audit.hpp>
#include <exportd/access/authenticator.hpp>
#include <exportd/access/failure_limit.hpp>
#include <exportd/access/network.hpp>
#include <exportd/access/policy.hpp>
#include <exportd/access/quota.hpp>
#include <exportd/access/sign_in.hpp>
#include <exportd/http/gate.hpp>
#include <exportd/observe/event.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace exportd::http {

// The cookie of a browser's sign-in. With the prefix __Host- (RFC 6265bis section 4.1.3) where
// people come over TLS, so that no other host of the domain can set it.
class sign_in_cookie {
public:
    // `public_url`: what people reach the service under; empty: not known.
    explicit sign_in_cookie(std::string_view public_url)
        : secure_{public_url.starts_with("https://")} {}

    std::string_view name() const noexcept {
        return secure_ ? "__Host-exportd" : "exportd_sign_in";
    }
    header_field set(std::string_view value) const;
    header_field remove() const;

private:
    bool secure_;
};

struct gate_services {
    access::authenticator* authenticator = nullptr;  // null: nobody is told apart
    access::sign_ins* sign_ins = nullptr;            // null: browsers do not sign in here
    const access::policy_store& policies;
    const access::networks& trusted_proxies;
    access::failure_limit& failures;
    access::quota& quota;
    access::audit& audit;
    observe::observer& observer;
    std::string public_url;  // empty: not known
    std::string challenges;  // WWW-Authenticate of a 401, for programs
};

// The gate of the public listener: who asks, whether another site's page has them ask, and how
// often they do. Failures are slowed by address, and all are told in the same words.
class gatekeeper final : public gate {
public:
    explicit gatekeeper(gate_services services)
        : services_{std::move(services)}, cookie_{services_.public_url} {}

    decision admit(request& r, audience whom) override;
    void delay_over(const request& r) noexcept override;

private:
    struct found;

    bool tell_client(request& r) const;
    found look(request& r, bool from_proxy, decision& d) const;
    std::optional<response> check(request& r, audience whom, const found& who, decision& d);
    std::optional<response> count(const request& r, decision& d);
    response unknown(const request& r, const found& who, decision& d);
    void note(const request& r, std::string_view code);

    gate_services services_;
    sign_in_cookie cookie_;
};

}  // namespace exportd::http
