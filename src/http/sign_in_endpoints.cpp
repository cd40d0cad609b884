#include <exportd/http/json.hpp>
#include <exportd/http/page_asset.hpp>
#include <exportd/http/problem.hpp>
#include <exportd/http/sign_in_endpoints.hpp>

#include "attempt.hpp"
#include "form.hpp"
#include "html.hpp"
#include "pause.hpp"
#include <algorithm>

namespace exportd::http {
namespace asio = boost::asio;

namespace {

using clock = std::chrono::system_clock;

constexpr std::string_view wrong_token =
    "This token is not valid here, or not any more. Ask whoever gave it to you for a new one.";
constexpr std::string_view too_often = "There were too many tries; wait a moment.";

// Only an address of this service: a path in visible ASCII, and not one that browsers take for
// another host.
std::string safe_next(const std::string& next) {
    const bool visible = std::all_of(next.begin(), next.end(),
                                     [](char c) { return c > ' ' && c < 0x7F && c != '\\'; });
    return visible && next.starts_with('/') && !next.starts_with("//") ? next : "/";
}

std::string next_in(const request& r) {
    for (const auto& [name, value] : r.query) {
        if (name == "next") return safe_next(value);
    }
    return "/";
}

response form_page(unsigned status, std::string_view error, const std::string& next) {
    const auto* page = find_page_asset("sign_in.html");
    response r;
    r.status = status;
    r.content_type = "text/html; charset=utf-8";
    r.fields = page_fields();
    r.body = fill_template(page->content, {{"error", error}, {"next", next}});
    return r;
}

response see_other(std::string location) {
    response r;
    r.status = 303;
    r.fields.push_back({"Location", std::move(location)});
    return r;
}

}  // namespace

response sign_in_endpoint::welcome(const request& r, const access::token_entry& token,
                                   const std::string& next) {
    const auto begun = services_.sign_ins->begin(token, clock::now());
    attempt made{services_.audit, r, "sign_in"};
    made.by(access::principal{access::principal::kind::token, token.name, {}, {}}.identity());
    made.done({});
    auto answer = see_other(next);
    answer.fields.push_back(services_.cookie.set(services_.sign_ins->to_cookie(begun)));
    return answer;
}

void sign_in_endpoint::note_refusal(const request& r, std::string_view code) const {
    attempt{services_.audit, r, "sign_in"}.refuse(code);
    services_.observer.observe(observe::event{observe::level::debug, "access_refused"}
                                   .with("request_id", r.request_id)
                                   .with("code", code));
}

asio::awaitable<void> sign_in_endpoint::take(exchange& x) {
    const auto& r = x.request();
    const auto form = parse_form(r);
    const auto token = form ? field_of(*form, "token") : std::string{};
    const auto next = form ? safe_next(field_of(*form, "next")) : std::string{"/"};
    const auto* found = services_.policies.current().find_token(token, clock::now());
    response answer;
    if (found != nullptr) {
        answer = welcome(r, *found, next);
    } else if (services_.failures.crowded(r.client)) {
        note_refusal(r, "too_many_requests");
        answer = form_page(429, too_often, next);
    } else {
        note_refusal(r, "unknown_token");
        const auto delay =
            services_.failures.next_delay(r.client, std::chrono::steady_clock::now());
        answer = form_page(401, wrong_token, next);
        // What a 401 has to have (RFC 9110 section 15.5.2), in a scheme that opens no dialog.
        answer.fields.push_back({"WWW-Authenticate", "Bearer realm=\"exportd\""});
        const bool there = co_await pause(x, delay);
        if (delay.count() > 0) services_.failures.delay_over(r.client);
        if (!there) co_return;
    }
    co_await x.reply(std::move(answer));
}

asio::awaitable<void> sign_in_endpoint::serve(exchange& x) {
    const auto& r = x.request();
    if (services_.sign_ins == nullptr) {
        auto answer = to_response(not_found(), r.request_id);
        co_await x.reply(std::move(answer));
    } else if (r.method == "POST") {
        co_await take(x);
    } else {
        auto answer = form_page(200, "", next_in(r));
        co_await x.reply(std::move(answer));
    }
}

asio::awaitable<void> sign_out_endpoint::serve(exchange& x) {
    const auto& r = x.request();
    if (services_.sign_ins == nullptr || !r.sign_in) {
        auto answer = to_response(not_found(), r.request_id);
        co_await x.reply(std::move(answer));
        co_return;
    }
    services_.sign_ins->end(*r.sign_in);
    attempt{services_.audit, r, "sign_out"}.done({});
    auto answer = see_other("/sign-in");
    answer.fields.push_back(services_.cookie.remove());
    answer.fields.push_back({"Clear-Site-Data", "\"cache\", \"storage\""});
    co_await x.reply(std::move(answer));
}

asio::awaitable<void> session_endpoint::serve(exchange& x) {
    const auto& r = x.request();
    const auto text_or_null = [](json_object& o, std::string_view name, const std::string& text) {
        if (text.empty()) {
            o.null(name);
        } else {
            o.text(name, text);
        }
    };
    const bool nobody_told_apart = services_.mode == "none";
    json_object o;
    o.text("mode", services_.mode).boolean("signed_in", nobody_told_apart || !r.identity.empty());
    o.text("name", r.who.name);
    text_or_null(o, "mail", r.who.mail.value_or(""));
    text_or_null(o, "csrf", r.sign_in ? services_.sign_ins->csrf_token(*r.sign_in) : std::string{});
    text_or_null(o, "sign_in", services_.sign_ins == nullptr ? "" : "/sign-in");
    text_or_null(o, "sign_out", r.sign_in ? std::string{"/sign-out"} : services_.sign_out_url);
    response answer;
    answer.content_type = "application/json";
    answer.body = std::move(o).done() + '\n';
    co_await x.reply(std::move(answer));
}

void sign_in_endpoints::add_to(router& routes) {
    routes.add("GET", {"sign-in"}, in_, audience::anyone);
    routes.add("POST", {"sign-in"}, in_, audience::anyone);
    routes.add("POST", {"sign-out"}, out_, audience::signed_in);
    routes.add("GET", {"session"}, session_, audience::anyone);
}

}  // namespace exportd::http
