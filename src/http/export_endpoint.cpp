#include <exportd/http/export_endpoint.hpp>

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
        auto answer = to_response(*asked.refused, r.request_id);
        co_await x.reply(std::move(answer));
        co_return;
    }
    export_run run{services_, x, *asked.entry, std::move(asked.what)};
    if (r.is_head()) {
        auto head = run.head();
        co_await x.reply_head(std::move(head));
        co_return;
    }
    auto entered = enter(services_, r);
    std::optional<problem> failure;
    if (!entered.ticket) {
        failure = std::move(entered.refused);
    } else if (!run.open_receipt()) {
        failure = receipt_taken();
    } else {
        failure = co_await run.run();
    }
    if (!failure) co_return;
    auto answer = to_response(*failure, r.request_id);
    co_await x.reply(std::move(answer));
}

}  // namespace exportd::http
