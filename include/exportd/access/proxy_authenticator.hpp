#pragma once

#include <exportd/access/authenticator.hpp>

#include <string>

namespace exportd::access {

// The fields in which a proxy says who signed in at it; by default as oauth2-proxy names them.
struct proxy_fields {
    std::string user;
    std::string groups;  // separated by commas
    std::string mail;
};

// auth.mode proxy: believes the fields of a trusted proxy, and of nobody else.
class proxy_authenticator final : public authenticator {
public:
    explicit proxy_authenticator(proxy_fields names) : names_{std::move(names)} {}

    verdict look_at(const credentials& given) override;

private:
    proxy_fields names_;
};

}  // namespace exportd::access
