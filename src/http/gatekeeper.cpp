#include <exportd/access/text.hpp>
#include <exportd/http/cross_site.hpp>
#include <exportd/http/gatekeeper.hpp>
#include <exportd/http/problem.hpp>

#include <boost/beast/core/string.hpp>
#include <boost/url/encode.hpp>
#include <boost/url/rfc/unreserved_chars.hpp>

#include "attempt.hpp"
#include "form.hpp"
#include "rate_limit_fields.hpp"
#include <algorithm>
#include <chrono>

namespace exportd::http {
namespace {

namespace beast = boost::beast;
using access::verdict;
using clock = std::chrono::system_clock;

problem make(unsigned status, std::string_view code, std::string_view detail) {
    auto p = bad_request(code, detail);
    p.status = status;
    return p;
}

problem slow_down(std::chrono::seconds pause) {
    auto p = make(429, "too_many_requests", "This is more than one caller may ask; come later.");
    p.retry_after = pause;
    return p;
}

// X-Forwarded-For, the nearest last: proxies append to it.
std::string forwarded_for(const request& r) {
    std::string all;
    for (const auto& [name, value] : r.fields) {
        if (!beast::iequals(name, "X-Forwarded-For")) continue;
        if (!all.empty()) all += ',';
        all += value;
    }
    return all;
}

// What the page sends with a change that it asks for.
std::string csrf_shown(const request& r) {
    if (const auto header = access::credentials{r.fields}.only("X-CSRF-Token"))
        return std::string{*header};
    const auto form = parse_form(r);
    return form ? field_of(*form, "csrf") : std::string{};
}

bool has_link_token(const request& r) {
    return std::any_of(r.query.begin(), r.query.end(),
                       [](const auto& parameter) { return parameter.first == "token"; });
}

response to_sign_in(const request& r) {
    response answer;
    answer.status = 303;
    answer.fields.push_back(
        {"Location",
         "/sign-in?next=" + boost::urls::encode(r.target, boost::urls::unreserved_chars)});
    return answer;
}

}  // namespace

struct gatekeeper::found {
    verdict seen;
    std::optional<access::sign_in> browser;
};

header_field sign_in_cookie::set(std::string_view value) const {
    std::string text{name()};
    text.append("=").append(value).append("; Path=/; HttpOnly; SameSite=Lax");
    if (secure_) text += "; Secure";
    return {"Set-Cookie", std::move(text)};
}

header_field sign_in_cookie::remove() const {
    auto field = set("");
    field.value += "; Max-Age=0";
    return field;
}

// Whether the peer is a trusted proxy; then the client is who it says came to it, or to the proxy
// before it.
bool gatekeeper::tell_client(request& r) const {
    const auto& trusted = services_.trusted_proxies;
    if (!trusted.contains(r.client)) return false;
    const auto all = forwarded_for(r);
    std::string_view rest = all;
    while (!rest.empty()) {
        const auto comma = rest.rfind(',');
        const auto hop =
            access::trim(comma == std::string_view::npos ? rest : rest.substr(comma + 1));
        if (!access::is_address(hop)) break;
        r.client = hop;
        if (comma == std::string_view::npos || !trusted.contains(hop)) break;
        rest = rest.substr(0, comma);
    }
    return true;
}

gatekeeper::found gatekeeper::look(request& r, bool from_proxy, decision& d) const {
    found who;
    who.seen = services_.authenticator->look_at({r.fields, from_proxy});
    if (who.seen.what != verdict::kind::absent || services_.sign_ins == nullptr) return who;
    const auto now = clock::now();
    auto browser =
        services_.sign_ins->find(find_cookie(r, cookie_.name()), services_.policies.current(), now);
    if (!browser) return who;
    who.seen.what = verdict::kind::known;
    who.seen.who = access::principal{access::principal::kind::token, browser->token, {}, {}};
    if (services_.sign_ins->due(*browser, now)) {
        browser->seen = std::chrono::floor<std::chrono::seconds>(now);
        d.fields.push_back(cookie_.set(services_.sign_ins->to_cookie(*browser)));
    }
    who.browser = std::move(browser);
    return who;
}

response gatekeeper::unknown(const request& r, const found& who, decision& d) {
    const bool wrong = who.seen.what == verdict::kind::wrong;
    note(r, wrong ? who.seen.cause : "no_credentials");
    if (!wrong && services_.sign_ins != nullptr && is_navigation(r) && !changes_something(r))
        return to_sign_in(r);
    if (wrong) {
        if (services_.failures.crowded(r.client)) {
            constexpr std::chrono::seconds pause{10};
            return to_response(slow_down(pause), r.request_id);
        }
        d.delay = services_.failures.next_delay(r.client, std::chrono::steady_clock::now());
    }
    const auto p = make(401, "not_signed_in", "Sign in, or show credentials that are valid.");
    auto answer = to_response(p, r.request_id);
    // A browser would ask for a password by itself; its page sends people to the sign-in.
    answer.fields.push_back({"WWW-Authenticate", is_from_browser(r) ? "Bearer realm=\"exportd\""
                                                                    : services_.challenges});
    return answer;
}

void gatekeeper::note(const request& r, std::string_view code) {
    attempt{services_.audit, r, "request"}.refuse(code);
    // The audit has the line; this one is counted.
    services_.observer.observe(observe::event{observe::level::debug, "access_refused"}
                                   .with("request_id", r.request_id)
                                   .with("code", code));
}

// Only those who are told apart: behind one address there may be a whole house.
std::optional<response> gatekeeper::count(const request& r, decision& d) {
    if (r.identity.empty()) return std::nullopt;
    const auto counted = services_.quota.count_request(r.identity, clock::now());
    if (!counted.requests) return std::nullopt;
    add_rate_limit(d.fields, "requests", *counted.requests, std::chrono::minutes{1});
    if (counted.allowed) return std::nullopt;
    note(r, "too_many_requests");
    return to_response(slow_down(counted.requests->reset), r.request_id);
}

std::optional<response> gatekeeper::check(request& r, audience whom, const found& who,
                                          decision& d) {
    const bool known = who.seen.what == verdict::kind::known;
    if (who.seen.what == verdict::kind::wrong || (!known && whom == audience::signed_in))
        return unknown(r, who, d);
    if (known) {
        r.who = *who.seen.who;
        r.identity = r.who.identity();
    }
    if (auto refusal = count(r, d)) return refusal;
    if (who.browser && whom == audience::signed_in && changes_something(r) &&
        !services_.sign_ins->is_csrf_token(*who.browser, csrf_shown(r))) {
        note(r, "csrf");
        return to_response(make(403, "csrf", "The page is out of date; load it again."),
                           r.request_id);
    }
    r.sign_in = who.browser;
    return std::nullopt;
}

gate::decision gatekeeper::admit(request& r, audience whom) {
    if (whom == audience::link) whom = has_link_token(r) ? audience::anyone : audience::signed_in;
    decision d;
    d.fields.push_back({"Cross-Origin-Resource-Policy", "same-origin"});
    if (services_.public_url.starts_with("https://"))
        d.fields.push_back({"Strict-Transport-Security", "max-age=31536000"});
    const bool from_proxy = tell_client(r);
    if (whom != audience::open) {
        if (is_foreign(r, services_.public_url)) {
            note(r, "cross_site");
            d.refusal = to_response(
                make(403, "cross_site", "Another site's page may not ask for this."), r.request_id);
        } else {
            found who;
            who.seen.what = verdict::kind::known;
            who.seen.who.emplace();
            if (services_.authenticator != nullptr) who = look(r, from_proxy, d);
            d.refusal = check(r, whom, who, d);
        }
    }
    r.fields.clear();
    return d;
}

void gatekeeper::delay_over(const request& r) noexcept {
    services_.failures.delay_over(r.client);
}

}  // namespace exportd::http
