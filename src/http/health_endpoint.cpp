#include <exportd/http/health_endpoint.hpp>

namespace exportd::http {

boost::asio::awaitable<void> health_endpoint::serve(exchange& x) {
    response r;
    r.content_type = "text/plain; charset=utf-8";
    r.body = "ok\n";
    co_await x.reply(std::move(r));
}

}  // namespace exportd::http
