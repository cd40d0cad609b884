#pragma once

#include <exportd/access/audit.hpp>
#include <exportd/access/failure_limit.hpp>
#include <exportd/access/policy.hpp>
#include <exportd/access/sign_in.hpp>
#include <exportd/http/exchange.hpp>
#include <exportd/http/gatekeeper.hpp>
#include <exportd/http/router.hpp>
#include <exportd/observe/event.hpp>

#include <string>

namespace exportd::http {

struct sign_in_services {
    access::sign_ins* sign_ins = nullptr;  // null: browsers do not sign in here
    const access::policy_store& policies;
    access::failure_limit& failures;
    access::audit& audit;
    observe::observer& observer;
    std::string mode;          // auth.mode, as it is written
    std::string sign_out_url;  // the proxy's, if it has one
    sign_in_cookie cookie;
};

// GET /sign-in: the form. POST /sign-in: takes a token, sets the cookie and leads to `next`.
class sign_in_endpoint final : public endpoint {
public:
    explicit sign_in_endpoint(const sign_in_services& services) : services_{services} {}
    boost::asio::awaitable<void> serve(exchange& x) override;

private:
    boost::asio::awaitable<void> take(exchange& x);
    response welcome(const request& r, const access::token_entry& token, const std::string& next);
    void note_refusal(const request& r, std::string_view code) const;

    const sign_in_services& services_;
};

// POST /sign-out: ends the sign-in, in the browser and here.
class sign_out_endpoint final : public endpoint {
public:
    explicit sign_out_endpoint(const sign_in_services& services) : services_{services} {}
    boost::asio::awaitable<void> serve(exchange& x) override;

private:
    const sign_in_services& services_;
};

// GET /session: who is signed in, and how to sign in and out, for the page.
class session_endpoint final : public endpoint {
public:
    explicit session_endpoint(const sign_in_services& services) : services_{services} {}
    boost::asio::awaitable<void> serve(exchange& x) override;

private:
    const sign_in_services& services_;
};

class sign_in_endpoints {
public:
    explicit sign_in_endpoints(sign_in_services services)
        : services_{std::move(services)}, in_{services_}, out_{services_}, session_{services_} {}

    // Gives each its route. They outlive the router.
    void add_to(router& routes);

private:
    sign_in_services services_;
    sign_in_endpoint in_;
    sign_out_endpoint out_;
    session_endpoint session_;
};

}  // namespace exportd::http
