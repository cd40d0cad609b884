#include <exportd/http/export_endpoint.hpp>

#include "attempt.hpp"
#include "export_run.hpp"

namespace exportd::http {
namespace asio = boost::asio;

namespace {

problem receipt_taken() {
    problem p = bad_request("receipt_conflict", "This receipt id belongs to another export.");
    p.status = 409;
    p.parameter = "receipt";
    return p;
}

void tell_refused(const export_services& services, const request& r, std::string_view reason,
                  const asked_export& asked, std::chrono::milliseconds waited = {}) {
    const auto* entry = asked.entry;
    attempt refused{services.audit, r, "export"};
    if (entry != nullptr) refused.about(entry->what.name);
    if (asked.what.range.from < asked.what.range.to) refused.about(asked.what);
    refused.refuse(reason);
    observe::event e{observe::level::info, "export_refused"};
    // A name that is unknown is the client's text.
    if (entry != nullptr) e.with("export", entry->what.name);
    e.with("request_id", r.request_id).with("code", reason);
    if (waited.count() > 0) e.with("queue_wait_ms", waited.count());
    services.observer.observe(e);
}

// The name in /exports/{name}.csv.
std::string_view name_in(const request& r) {
    std::string_view segment = r.path.back();
    segment.remove_suffix(std::string_view{".csv"}.size());
    return segment;
}

}  // namespace

asio::awaitable<void> export_endpoint::serve(exchange& x) {
    const auto& r = x.request();
    auto asked = find_asked(services_, name_in(r), r);
    if (asked.refused) {
        tell_refused(services_, r, asked.refused->code, asked);
        auto answer = to_response(*asked.refused, r.request_id);
        co_await x.reply(std::move(answer));
        co_return;
    }
    export_run run{services_, x, *asked.entry, asked.what};
    if (r.is_head()) {
        auto head = run.head();
        co_await x.reply_head(std::move(head));
        co_return;
    }
    auto entered = co_await enter(services_, x);
    std::optional<problem> failure;
    if (!entered.ticket) {
        tell_refused(services_, r, entered.reason, asked, entered.waited);
        failure = std::move(entered.refused);
    } else if (!run.open_receipt()) {
        failure = receipt_taken();
        tell_refused(services_, r, failure->code, asked, entered.waited);
    } else {
        failure = co_await run.run(entered.waited);
    }
    if (!failure) co_return;
    auto answer = to_response(*failure, r.request_id);
    co_await x.reply(std::move(answer));
}

}  // namespace exportd::http
