#include "access_check.hpp"

#include <exportd/access/network.hpp>
#include <exportd/jobs/server_url.hpp>

#include <algorithm>

namespace exportd::app {

namespace {

bool all_of(std::string_view list, std::initializer_list<std::string_view> known) {
    const auto words = words_of(list);
    return std::all_of(words.begin(), words.end(), [&](std::string_view w) {
        return std::find(known.begin(), known.end(), w) != known.end();
    });
}

// RFC 9110 section 5.6.2.
bool is_field_name(std::string_view name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-';
    });
}

void check_proxy(const config& c, std::vector<std::string>& faults) {
    const auto& out = c.auth.sign_out_url;
    if (!out.empty() && !out.starts_with("https://") &&
        (!out.starts_with("/") || out.starts_with("//")))
        faults.emplace_back(
            "auth.sign_out_url: expected a path such as /oauth2/sign_out, or https://...");
    if (c.server.trusted_proxies.empty()) {
        faults.emplace_back(
            "server.trusted_proxies: expected the proxy's network, since auth.mode is \"proxy\"");
    }
    for (const auto& name : {c.auth.user_header, c.auth.groups_header, c.auth.mail_header}) {
        if (!is_field_name(name))
            faults.emplace_back(
                "auth.user_header, groups_header, mail_header: expected letters, digits and "
                "hyphens");
    }
}

void check_jwks_url(const jwt_config& c, std::vector<std::string>& faults) {
    const auto scheme_end = c.jwks_url.find("://");
    const auto path =
        scheme_end == std::string::npos ? scheme_end : c.jwks_url.find('/', scheme_end + 3);
    const auto server = jobs::parse_server_url(c.jwks_url.substr(0, path));
    const bool fine =
        server && (server->scheme == "https" || (server->scheme == "http" && server->loopback));
    if (!fine) faults.emplace_back("jwt.jwks_url: expected https://host[:port]/path");
}

void check_jwt(const jwt_config& c, std::vector<std::string>& faults) {
    if (c.issuer.empty()) faults.emplace_back("jwt.issuer: expected the iss of your tokens");
    if (c.audience.empty())
        faults.emplace_back("jwt.audience: expected the aud that stands for this service");
    if (c.jwks_file.empty() == c.jwks_url.empty())
        faults.emplace_back("jwt.jwks_file, jwt.jwks_url: expected one of them");
    if (!c.jwks_url.empty()) check_jwks_url(c, faults);
    if (!all_of(c.algorithms, {"RS256", "ES256", "EdDSA"}))
        faults.emplace_back("jwt.algorithms: expected RS256, ES256 and EdDSA, or some of them");
}

}  // namespace

std::vector<std::string_view> words_of(std::string_view list) {
    std::vector<std::string_view> words;
    while (true) {
        const auto comma = list.find(',');
        auto word = list.substr(0, comma);
        while (word.starts_with(' '))
            word.remove_prefix(1);
        while (word.ends_with(' '))
            word.remove_suffix(1);
        words.push_back(word);
        if (comma == std::string_view::npos) return words;
        list.remove_prefix(comma + 1);
    }
}

bool has_sink(const audit_config& c, std::string_view sink) {
    const auto words = words_of(c.sinks);
    return std::find(words.begin(), words.end(), sink) != words.end();
}

void check_access(const config& c, std::vector<std::string>& faults) {
    constexpr std::size_t shortest_key = 32;
    if (!access::networks::parse(c.server.trusted_proxies))
        faults.emplace_back(
            "server.trusted_proxies: expected networks such as 10.0.0.0/8, separated by commas");
    if (c.auth.mode != auth_mode::none && c.auth.file.empty())
        faults.emplace_back("auth.file: expected the access file, since auth.mode is \"" +
                            std::string{name_of(c.auth.mode)} + "\"");
    if (!c.auth.session_key.empty() && c.auth.session_key.size() < shortest_key)
        faults.emplace_back("auth.session_key: expected 32 characters at least");
    if (c.auth.session_idle > c.auth.session_lifetime)
        faults.emplace_back("auth.session_idle: expected at most auth.session_lifetime");
    if (c.auth.mode == auth_mode::proxy) check_proxy(c, faults);
    if (c.auth.mode == auth_mode::jwt) check_jwt(c.jwt, faults);
    if (!all_of(c.audit.sinks, {"log", "table"}))
        faults.emplace_back("audit.sinks: expected log, table, or both");
}

}  // namespace exportd::app
