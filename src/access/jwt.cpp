#include <exportd/access/jwt.hpp>
#include <exportd/access/text.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "jwt_state.hpp"
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

namespace exportd::access {
namespace json = boost::json;

namespace {

using clock = std::chrono::system_clock;
using kind = verdict::kind;

constexpr std::size_t longest_token = 16 * 1024;
constexpr std::size_t most_groups = 1000;
constexpr unsigned fewest_rsa_bits = 2048;  // RFC 7518 section 3.3

verdict wrong(std::string cause) {
    return {kind::wrong, {}, std::move(cause)};
}

std::string_view text_of(const char* text) {
    return text == nullptr ? std::string_view{} : std::string_view{text};
}

std::optional<json::object> read_object(char* owned) {
    const std::unique_ptr<char, text_deleter> text{owned};
    if (!text) return std::nullopt;
    boost::system::error_code ec;
    auto value = json::parse(text_of(text.get()), ec);
    if (ec || !value.is_object()) return std::nullopt;
    return std::move(value.get_object());
}

std::optional<std::string> text_in(const json::object& claims, std::string_view name) {
    const auto* value = claims.if_contains(name);
    if (value == nullptr || !value->is_string()) return std::nullopt;
    return std::string{value->get_string()};
}

// RFC 7519 section 2: NumericDate, seconds that may have a fraction.
std::optional<double> time_in(const json::object& claims, std::string_view name) {
    const auto* value = claims.if_contains(name);
    if (value == nullptr || !value->is_number()) return std::nullopt;
    return value->to_number<double>();
}

std::vector<std::string> names_in(const json::object& claims, std::string_view name) {
    std::vector<std::string> names;
    const auto* value = claims.if_contains(name);
    if (value == nullptr) return names;
    const auto add = [&names](const json::value& v) {
        if (v.is_string() && is_name(std::string_view{v.get_string()}) &&
            names.size() < most_groups)
            names.emplace_back(v.get_string());
    };
    if (value->is_array()) {
        for (const auto& each : value->get_array())
            add(each);
    } else {
        add(*value);
    }
    return names;
}

// RFC 7518 section 3.1, as far as it is taken here: the key type that goes with an algorithm.
struct algorithm {
    jwa_alg id;
    std::string_view name;
    int key;
    std::string_view curve;
};
constexpr std::array<algorithm, 3> algorithms{{
    {R_JWA_ALG_RS256, "RS256", R_KEY_TYPE_RSA, ""},
    {R_JWA_ALG_ES256, "ES256", R_KEY_TYPE_EC, "P-256"},
    {R_JWA_ALG_EDDSA, "EdDSA", R_KEY_TYPE_EDDSA, "Ed25519"},
}};

const algorithm* find_algorithm(jwa_alg id) {
    const auto* found = std::find_if(algorithms.begin(), algorithms.end(),
                                     [&](const algorithm& a) { return a.id == id; });
    return found == algorithms.end() ? nullptr : found;
}

bool fits(jwk_t* key, const algorithm& a) {
    unsigned bits = 0;
    const int type = r_jwk_key_type(key, &bits, R_FLAG_IGNORE_REMOTE);
    const auto property = [key](const char* name) {
        return text_of(r_jwk_get_property_str(key, name));
    };
    const auto use = property("use");
    const auto own = property("alg");
    return (type & a.key) != 0 && (a.curve.empty() || property("crv") == a.curve) &&
           (a.key != R_KEY_TYPE_RSA || bits >= fewest_rsa_bits) && (use.empty() || use == "sig") &&
           (own.empty() || own == a.name);
}

}  // namespace

// One token on its way to a verdict.
class jwt_check {
public:
    jwt_check(const key_set& keys, const jwt_rules& rules, clock::time_point now)
        : keys_{keys}, rules_{rules}, now_{now} {}

    verdict run(const std::string& token) {
        if (token.size() > longest_token || !parse(token)) return wrong("malformed");
        const auto* a = find_algorithm(r_jwt_get_sign_alg(token_.get()));
        if (a == nullptr || !rules_.algorithms.contains(a->name)) return wrong("algorithm");
        const auto header = read_object(r_jwt_get_full_header_str(token_.get()));
        if (!header || !is_plain(*header)) return wrong("header");
        auto* key = find_key(*a, text_in(*header, "kid"));
        if (key == nullptr) return wrong("unknown_key");
        if (r_jwt_verify_signature(token_.get(), key, R_FLAG_IGNORE_REMOTE) != RHN_OK)
            return wrong("signature");
        const auto claims = read_object(r_jwt_get_full_claims_str(token_.get()));
        if (!claims) return wrong("claims");
        const auto cause = fault_of(*claims);
        return cause.empty() ? known(*claims) : wrong(std::string{cause});
    }

private:
    bool parse(const std::string& token) {
        jwt_t* made = nullptr;
        if (r_jwt_init(&made) != RHN_OK) return false;
        token_.reset(made);
        return r_jwt_advanced_parse(made, token.c_str(), R_PARSE_NONE, R_FLAG_IGNORE_REMOTE) ==
                   RHN_OK &&
               r_jwt_get_type(made) == R_JWT_TYPE_SIGN;
    }

    // RFC 8725 section 3.10 and RFC 7515 section 4.1.11: no key of the sender's own choice, and
    // nothing that has to be understood and is not.
    static bool is_plain(const json::object& header) {
        for (const auto* refused : {"jwk", "jku", "x5u", "x5c", "crit", "b64"}) {
            if (header.contains(refused)) return false;
        }
        return true;
    }

    jwk_t* find_key(const algorithm& a, const std::optional<std::string>& id) const {
        jwk_t* found = nullptr;
        for (const auto& key : keys_.state_->keys) {
            if (!fits(key.get(), a)) continue;
            if (id && text_of(r_jwk_get_property_str(key.get(), "kid")) != *id) continue;
            // Without a name, or with one that two have, it has to be the only one.
            if (found != nullptr) return nullptr;
            found = key.get();
        }
        return found;
    }

    bool is_for_us(const json::object& claims) const {
        const auto* audience = claims.if_contains("aud");
        if (audience == nullptr) return false;
        if (audience->is_string()) return audience->get_string() == rules_.audience;
        if (!audience->is_array()) return false;
        const auto& all = audience->get_array();
        return std::any_of(all.begin(), all.end(), [this](const json::value& v) {
            return v.is_string() && v.get_string() == rules_.audience;
        });
    }

    std::string_view fault_of(const json::object& claims) const {
        if (text_in(claims, "iss") != rules_.issuer) return "issuer";
        if (!is_for_us(claims)) return "audience";
        const auto now = std::chrono::duration<double>{now_.time_since_epoch()}.count();
        const auto skew = static_cast<double>(rules_.clock_skew.count());
        const auto expires = time_in(claims, "exp");
        if (!expires) return "claims";
        // Not the other way round: nothing is before a time that is not a number.
        if (!(now < *expires + skew)) return "expired";
        for (const auto* name : {"nbf", "iat"}) {
            if (!claims.contains(name)) continue;
            const auto from = time_in(claims, name);
            if (!from) return "claims";
            if (!(now + skew >= *from)) return "not_yet";
        }
        const auto user = text_in(claims, rules_.user_claim);
        return user && is_name(*user) ? "" : "claims";
    }

    verdict known(const json::object& claims) const {
        principal who{principal::kind::user,
                      *text_in(claims, rules_.user_claim),
                      names_in(claims, rules_.groups_claim),
                      {}};
        const auto mail = text_in(claims, rules_.mail_claim);
        if (mail && is_name(*mail)) who.mail = mail;
        return {kind::known, std::move(who), {}};
    }

    const key_set& keys_;
    const jwt_rules& rules_;
    clock::time_point now_;
    std::unique_ptr<jwt_t, jwt_deleter> token_;
};

verdict verify_jwt(const std::string& token, const key_set& keys, const jwt_rules& rules,
                   clock::time_point now) {
    return jwt_check{keys, rules, now}.run(token);
}

}  // namespace exportd::access
