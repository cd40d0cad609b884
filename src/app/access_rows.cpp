#include "config_rows.hpp"
#include <array>
#include <chrono>

namespace exportd::app {

namespace {

using namespace std::chrono_literals;

constexpr bool optional = true;
constexpr bool secret = true;

bool set_mode(config& c, std::string_view word) {
    for (const auto mode : {auth_mode::none, auth_mode::tokens, auth_mode::proxy, auth_mode::jwt}) {
        if (word != name_of(mode)) continue;
        c.auth.mode = mode;
        return true;
    }
    return false;
}

const std::array rows{
    config_key{"auth", "mode", "none",
               choice_value{set_mode, "\"none\", \"tokens\", \"proxy\" or \"jwt\""},
               "How callers are told apart: not at all (on loopback only), by tokens of the access "
               "file, by a proxy that they sign in at, or by JSON Web Tokens."},
    config_key{"auth", "file", "", path_value{at<&config::auth, &auth_config::file>, optional},
               "The access file, with tokens and what each group may do; read again on SIGHUP."},
    config_key{"auth", "session_key", "",
               text_value{at<&config::auth, &auth_config::session_key>, optional},
               "Key that sign-ins of browsers are signed with, 32 characters at least and the same "
               "for all replicas; empty is one that ends with the process; a secret.",
               secret},
    config_key{"auth", "session_idle", "30m",
               duration_value{at<&config::auth, &auth_config::session_idle>, 1s, 24h},
               "Time without a request after which a browser has to sign in again."},
    config_key{"auth", "session_lifetime", "12h",
               duration_value{at<&config::auth, &auth_config::session_lifetime>, 1s, 720h},
               "Time after which it has to in any case."},
    config_key{"auth", "user_header", "X-Forwarded-User",
               text_value{at<&config::auth, &auth_config::user_header>},
               "Field in which the proxy names the user."},
    config_key{"auth", "groups_header", "X-Forwarded-Groups",
               text_value{at<&config::auth, &auth_config::groups_header>},
               "Field in which it names the user's groups, separated by commas."},
    config_key{"auth", "mail_header", "X-Forwarded-Email",
               text_value{at<&config::auth, &auth_config::mail_header>},
               "Field in which it gives the user's mail address."},
    config_key{"auth", "sign_out_url", "",
               text_value{at<&config::auth, &auth_config::sign_out_url>, optional},
               "Where the page's sign-out leads with mode proxy, such as /oauth2/sign_out."},

    config_key{"jwt", "issuer", "", text_value{at<&config::jwt, &jwt_config::issuer>, optional},
               "The iss that a token has to have."},
    config_key{"jwt", "audience", "", text_value{at<&config::jwt, &jwt_config::audience>, optional},
               "What its aud has to be or hold."},
    config_key{"jwt", "algorithms", "RS256,ES256,EdDSA",
               text_value{at<&config::jwt, &jwt_config::algorithms>},
               "Signatures that are taken, separated by commas."},
    config_key{"jwt", "jwks_file", "",
               path_value{at<&config::jwt, &jwt_config::jwks_file>, optional},
               "File with the keys (RFC 7517); read again on SIGHUP."},
    config_key{"jwt", "jwks_url", "", text_value{at<&config::jwt, &jwt_config::jwks_url>, optional},
               "Where the keys are fetched instead, https://..."},
    config_key{"jwt", "jwks_refresh", "10m",
               duration_value{at<&config::jwt, &jwt_config::jwks_refresh>, 10s, 24h},
               "Time after which they are fetched again."},
    config_key{"jwt", "ca_file", "", path_value{at<&config::jwt, &jwt_config::ca_file>, optional},
               "Certificates (PEM) that the server's has to lead to; empty is the system's."},
    config_key{"jwt", "user_claim", "sub", text_value{at<&config::jwt, &jwt_config::user_claim>},
               "Claim that names the user."},
    config_key{"jwt", "groups_claim", "groups",
               text_value{at<&config::jwt, &jwt_config::groups_claim>},
               "Claim with the user's groups, a list or one text."},
    config_key{"jwt", "mail_claim", "email", text_value{at<&config::jwt, &jwt_config::mail_claim>},
               "Claim with the user's mail address."},
    config_key{"jwt", "clock_skew", "60s",
               duration_value{at<&config::jwt, &jwt_config::clock_skew>, 0s, 10min},
               "How far the clocks of issuer and service may differ."},

    config_key{"audit", "sinks", "log", text_value{at<&config::audit, &audit_config::sinks>},
               "Where the record of who took what goes: log, table (made by exportd migrate), or "
               "both, separated by commas."},
    config_key{"audit", "required", "false",
               flag_value{at<&config::audit, &audit_config::required>},
               "Whether nothing is given out whose start could not be recorded."},
    config_key{"audit", "url", "", text_value{at<&config::audit, &audit_config::url>, optional},
               "Where the table is, as database.url; by default where the job table is; a secret.",
               secret},
};

}  // namespace

std::string_view name_of(auth_mode m) noexcept {
    switch (m) {
        case auth_mode::none:
            return "none";
        case auth_mode::tokens:
            return "tokens";
        case auth_mode::proxy:
            return "proxy";
        case auth_mode::jwt:
            return "jwt";
    }
    return "unknown";
}

std::span<const config_key> access_rows() {
    return rows;
}

}  // namespace exportd::app
