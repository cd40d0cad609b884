#include <exportd/exports/date_range.hpp>
#include <exportd/exports/request.hpp>
#include <exportd/http/json.hpp>
#include <exportd/http/problem.hpp>
#include <exportd/http/receipt_endpoint.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace exportd::http {
namespace {

std::string time_text(std::chrono::system_clock::time_point t) {
    return exports::to_rfc3339(std::chrono::floor<std::chrono::microseconds>(t));
}

// `id` is the one that was asked for: the export's own or the caller's.
std::string to_json(const std::string& id, const exports::receipt& r) {
    json_object o;
    o.text("id", id)
        .text("export_id", r.export_id)
        .text("export", r.export_name)
        .text("state", exports::name_of(r.state))
        .text("from", exports::to_rfc3339(r.range.from))
        .text("to", exports::to_rfc3339(r.range.to));
    o.number("rows", r.sent.rows).number("bytes", r.sent.bytes);
    if (r.expected_rows) {
        o.number("expected_rows", *r.expected_rows);
    } else {
        o.null("expected_rows");
    }
    if (r.sha256) o.text("sha256", *r.sha256);
    if (r.code) o.text("code", *r.code);
    o.text("started_at", time_text(r.started_at));
    if (r.finished_at) {
        o.text("finished_at", time_text(*r.finished_at));
    } else {
        o.null("finished_at");
    }
    if (r.loop_delay) {
        o.raw("loop_delay_ms",
              fmt::format("{{\"p50\":{:.3f},\"p99\":{:.3f},\"max\":{:.3f}}}", r.loop_delay->p50,
                          r.loop_delay->p99, r.loop_delay->max));
    }
    return std::move(o).done();
}

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return text;
}

}  // namespace

boost::asio::awaitable<void> receipt_endpoint::serve(exchange& x) {
    const auto id = lower(x.request().path.back());
    const auto found = receipts_.find(x.request().identity, id, std::chrono::system_clock::now());
    if (!found) {
        co_await x.reply(to_response(not_found(), x.request().request_id));
        co_return;
    }
    response r;
    r.content_type = "application/json";
    r.body = to_json(id, *found) + '\n';
    co_await x.reply(std::move(r));
}

boost::asio::awaitable<void> receipts_endpoint::serve(exchange& x) {
    constexpr std::size_t most = 20;
    if (!x.request().query.empty()) {
        const auto p = bad_request("unknown_parameter", "This address takes no parameters.");
        co_await x.reply(to_response(p, x.request().request_id));
        co_return;
    }
    std::string list = "[";
    for (const auto& kept :
         receipts_.list(x.request().identity, most, std::chrono::system_clock::now())) {
        if (list.size() > 1) list += ',';
        list += to_json(kept->export_id, *kept);
    }
    json_object o;
    o.raw("receipts", list + ']');
    response r;
    r.content_type = "application/json";
    r.body = std::move(o).done() + '\n';
    co_await x.reply(std::move(r));
}

}  // namespace exportd::http
