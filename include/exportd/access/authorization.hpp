#pragma once

#include <exportd/access/authenticator.hpp>

#include <string>

namespace exportd::access {

// What an Authorization field holds (RFC 9110 section 11.6.2).
struct authorization {
    enum class kind { absent, bearer, basic, wrong };
    kind what = kind::absent;
    std::string secret;  // the bearer token, or the password
};

authorization read_authorization(const credentials& given);

}  // namespace exportd::access
