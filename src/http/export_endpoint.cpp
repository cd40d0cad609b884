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
    const auto& asked = x.request();
    const auto* entry = services_.catalog.find(name_in(asked));
    if (entry == nullptr) {
        co_await x.reply(to_response(not_found(), asked.request_id));
        co_return;
    }
    const auto parsed = exports::parse_request(entry->what, *entry->zone, asked.query);
    if (!parsed) {
        co_await x.reply(to_response(to_problem(parsed.error()), asked.request_id));
        co_return;
    }
    export_run run{services_, x, *entry, *parsed};
    if (asked.is_head()) {
        co_await x.reply_head(run.head());
        co_return;
    }
    auto entered = enter(services_, asked);
    std::optional<problem> failure;
    if (!entered.ticket) {
        failure = std::move(entered.refused);
    } else if (!run.open_receipt()) {
        failure = receipt_taken();
    } else {
        failure = co_await run.run();
    }
    if (failure) co_await x.reply(to_response(*failure, asked.request_id));
}

}  // namespace exportd::http
