#include <exportd/http/json.hpp>
#include <exportd/http/probe_endpoints.hpp>

#include <string>

namespace exportd::http {
namespace {

response plain(unsigned status, std::string_view word) {
    response r;
    r.status = status;
    r.content_type = "text/plain; charset=utf-8";
    r.body = std::string{word} + '\n';
    return r;
}

}  // namespace

boost::asio::awaitable<void> ready_endpoint::serve(exchange& x) {
    const auto reasons = readiness_.reasons();
    std::string list;
    for (const auto reason : reasons)
        list.append(list.empty() ? "" : ",").append(json_string(reason));
    json_object body;
    body.boolean("ready", reasons.empty()).raw("reasons", "[" + list + "]");
    response answer;
    answer.status = reasons.empty() ? 200 : 503;
    answer.content_type = "application/json";
    answer.body = std::move(body).done() + '\n';
    co_await x.reply(std::move(answer));
}

boost::asio::awaitable<void> alive_endpoint::serve(exchange& x) {
    const bool turns = clock::now() - last_turn_() <= limit_;
    auto answer = turns ? plain(200, "ok") : plain(503, "the loop does not turn");
    co_await x.reply(std::move(answer));
}

boost::asio::awaitable<void> health_endpoint::serve(exchange& x) {
    auto answer = plain(200, "ok");
    co_await x.reply(std::move(answer));
}

}  // namespace exportd::http
