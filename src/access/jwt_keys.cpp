#include <exportd/access/jwt.hpp>

#include <fmt/format.h>

#include "jwt_state.hpp"
#include <rhonabwy.h>
#include <stdexcept>

namespace exportd::access {

jose_library::jose_library() {
    if (r_global_init() != RHN_OK) throw std::runtime_error{"librhonabwy can't be used"};
}

jose_library::~jose_library() {
    r_global_close();
}

key_set::key_set(std::string_view json) : state_{std::make_unique<state>()} {
    jwks_t* all = nullptr;
    if (r_jwks_init(&all) != RHN_OK) throw std::runtime_error{"no memory for keys"};
    const std::unique_ptr<jwks_t, jwks_deleter> owner{all};
    const std::string text{json};
    // Keys of kinds that the library does not know make it say so and go on.
    const int result = r_jwks_import_from_json_str(all, text.c_str());
    if (r_jwks_size(all) == 0)
        throw std::runtime_error{fmt::format("this is no set of usable keys ({})", result)};
    for (std::size_t i = 0; i < r_jwks_size(all); ++i) {
        jwk_ptr key{r_jwks_get_at(all, i)};
        const int kind = r_jwk_key_type(key.get(), nullptr, R_FLAG_IGNORE_REMOTE);
        if ((kind & (R_KEY_TYPE_PRIVATE | R_KEY_TYPE_SYMMETRIC)) != 0)
            throw std::runtime_error{"it holds a key that nobody but the issuer may have"};
        if ((kind & R_KEY_TYPE_PUBLIC) != 0) state_->keys.push_back(std::move(key));
    }
    if (state_->keys.empty()) throw std::runtime_error{"it holds no public key"};
}

key_set::~key_set() = default;

std::size_t key_set::size() const noexcept {
    return state_->keys.size();
}

}  // namespace exportd::access
