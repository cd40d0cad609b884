#pragma once

#include <exportd/access/jwt.hpp>

#include <memory>
#include <rhonabwy.h>
#include <vector>

namespace exportd::access {

struct jwk_deleter {
    void operator()(jwk_t* p) const noexcept { r_jwk_free(p); }
};
struct jwks_deleter {
    void operator()(jwks_t* p) const noexcept { r_jwks_free(p); }
};
struct jwt_deleter {
    void operator()(jwt_t* p) const noexcept { r_jwt_free(p); }
};
struct text_deleter {
    void operator()(char* p) const noexcept { r_free(p); }
};
using jwk_ptr = std::unique_ptr<jwk_t, jwk_deleter>;

struct key_set::state {
    std::vector<jwk_ptr> keys;
};

}  // namespace exportd::access
