#include <exportd/http/metrics_endpoint.hpp>

#include <string>

namespace exportd::http {

boost::asio::awaitable<void> metrics_endpoint::serve(exchange& x) {
    auto rendered = render_(x.request().accept);
    response answer;
    answer.content_type = std::string{rendered.content_type};
    answer.fields = {{"Vary", "Accept"}};
    answer.body = std::move(rendered.body);
    co_await x.reply(std::move(answer));
}

}  // namespace exportd::http
