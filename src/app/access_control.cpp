#include "access_control.hpp"

#include <exportd/access/audit_log.hpp>
#include <exportd/access/audit_table.hpp>
#include <exportd/access/jwt_authenticator.hpp>
#include <exportd/access/proxy_authenticator.hpp>
#include <exportd/access/token_authenticator.hpp>

#include "access_check.hpp"
#include "job_session.hpp"
#include <stop_token>

namespace exportd::app {
namespace asio = boost::asio;

namespace {

using observe::event;
using observe::level;

std::shared_ptr<const access::policy> read_policy(const config& c,
                                                  const std::set<std::string>& exports) {
    auto read = c.auth.mode == auth_mode::none ? access::policy::open()
                                               : access::policy::read(c.auth.file, exports);
    return std::make_shared<const access::policy>(std::move(read));
}

access::jwt_rules rules_of(const jwt_config& c) {
    access::jwt_rules rules;
    rules.issuer = c.issuer;
    rules.audience = c.audience;
    for (const auto& name : words_of(c.algorithms))
        rules.algorithms.emplace(name);
    rules.user_claim = c.user_claim;
    rules.groups_claim = c.groups_claim;
    rules.mail_claim = c.mail_claim;
    rules.clock_skew = std::chrono::ceil<std::chrono::seconds>(c.clock_skew);
    return rules;
}

std::unique_ptr<access::key_source> make_key_source(const config& c, asio::any_io_executor loop,
                                                    observe::observer& told) {
    if (c.auth.mode != auth_mode::jwt) return nullptr;
    const bool file = c.jwt.jwks_url.empty();
    auto from = file ? access::keys_of_file(c.jwt.jwks_file.string())
                     : access::keys_of_url(c.jwt.jwks_url, c.jwt.ca_file.string());
    // A file changes when somebody says so.
    const auto refresh = file ? std::chrono::milliseconds{0} : c.jwt.jwks_refresh;
    return std::make_unique<access::key_source>(loop, std::move(from), refresh, told);
}

std::unique_ptr<access::authenticator> make_authenticator(const config& c,
                                                          const access::policy_store& policies,
                                                          access::key_source* keys) {
    switch (c.auth.mode) {
        case auth_mode::none:
            break;
        case auth_mode::tokens:
            return std::make_unique<access::token_authenticator>(policies);
        case auth_mode::proxy:
            return std::make_unique<access::proxy_authenticator>(
                access::proxy_fields{c.auth.user_header, c.auth.groups_header, c.auth.mail_header});
        case auth_mode::jwt:
            return std::make_unique<access::jwt_authenticator>(*keys, rules_of(c.jwt));
    }
    return nullptr;
}

access::sign_in_options sign_in_options_of(const config& c) {
    access::sign_in_options o;
    o.key = c.auth.session_key;
    o.idle = std::chrono::ceil<std::chrono::seconds>(c.auth.session_idle);
    o.lifetime = std::chrono::ceil<std::chrono::seconds>(c.auth.session_lifetime);
    return o;
}

access::quota_limits quota_limits_of(const config& c) {
    access::quota_limits l;
    l.requests_per_minute = c.limits.requests_per_minute;
    l.rows_per_day = c.limits.rows_per_day;
    return l;
}

std::vector<std::unique_ptr<access::audit_sink>> sinks_of(const config& c, observe::logger& lines) {
    std::vector<std::unique_ptr<access::audit_sink>> sinks;
    if (has_sink(c.audit, "log")) sinks.push_back(std::make_unique<access::audit_log>(lines));
    if (has_sink(c.audit, "table")) {
        auto database = job_session_options(c, "exportd audit");
        if (!c.audit.url.empty()) database.url = c.audit.url;
        sinks.push_back(std::make_unique<access::audit_table>(std::move(database)));
    }
    return sinks;
}

access::recorder_options recorder_options_of(const config& c) {
    access::recorder_options o;
    o.required = c.audit.required;
    return o;
}

// RFC 9110 section 11.6.1.
std::string challenges_of(auth_mode mode) {
    if (mode == auth_mode::tokens)
        return "Basic realm=\"exportd\", charset=\"UTF-8\", Bearer realm=\"exportd\"";
    if (mode == auth_mode::proxy) return "Proxy-Sign-In realm=\"exportd\"";
    return "Bearer realm=\"exportd\"";
}

}  // namespace

std::set<std::string> export_names(const exports::catalog& catalog) {
    std::set<std::string> names;
    for (const auto& [name, entry] : catalog.all())
        names.insert(name);
    return names;
}

access_control::access_control(const config& settings, asio::any_io_executor loop,
                               const exports::catalog& catalog, observe::logger& lines,
                               observe::observer& observer)
    : c{settings},
      told{observer},
      exports{export_names(catalog)},
      policies{read_policy(c, exports)},
      keys{make_key_source(c, loop, observer)},
      authenticator{make_authenticator(c, policies, keys.get())},
      trusted_proxies{
          access::networks::parse(c.server.trusted_proxies).value_or(access::networks{})},
      quota{quota_limits_of(c)},
      audit{loop, sinks_of(c, lines), recorder_options_of(c), observer} {
    if (c.auth.mode == auth_mode::tokens) sign_ins.emplace(sign_in_options_of(c));
}

void access_control::start() {
    if (keys) keys->start();
}

asio::awaitable<void> access_control::drain() {
    if (keys) keys->close();
    co_await audit.drain();
}

asio::awaitable<void> access_control::reload(work::worker_pool& workers) {
    if (keys) keys->refresh();
    auto read = [this](const std::stop_token&) { return read_policy(c, exports); };
    try {
        auto fresh = co_await workers.run(work::lane::brief, "access", std::move(read));
        policies.replace(std::move(fresh));
        told.observe(event{level::info, "access_reloaded"}.with(
            "tokens", policies.current().tokens().size()));
    } catch (const std::exception& e) {
        told.observe(event{level::error, "access_reload_failed"}.with("cause", e.what()));
    }
}

http::gate_services access_control::gate_services() {
    return {authenticator.get(),
            sign_ins ? &*sign_ins : nullptr,
            policies,
            trusted_proxies,
            failures,
            quota,
            audit,
            told,
            c.server.public_url,
            challenges_of(c.auth.mode)};
}

http::sign_in_services access_control::sign_in_services() {
    return {sign_ins ? &*sign_ins : nullptr,
            policies,
            failures,
            audit,
            told,
            std::string{name_of(c.auth.mode)},
            c.auth.sign_out_url,
            http::sign_in_cookie{c.server.public_url}};
}

}  // namespace exportd::app
