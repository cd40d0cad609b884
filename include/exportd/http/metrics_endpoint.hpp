#pragma once

#include <exportd/http/exchange.hpp>
#include <exportd/observe/exposition.hpp>

#include <functional>
#include <string_view>
#include <utility>

namespace exportd::http {

// GET /metrics, in the form that the request's Accept field asks for.
class metrics_endpoint final : public endpoint {
public:
    using render = std::function<observe::rendered_metrics(std::string_view accept)>;

    // `render` is called on the thread that serves.
    explicit metrics_endpoint(render how) : render_{std::move(how)} {}
    boost::asio::awaitable<void> serve(exchange& x) override;

private:
    render render_;
};

}  // namespace exportd::http
