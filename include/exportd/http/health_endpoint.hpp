#pragma once

#include <exportd/http/exchange.hpp>

namespace exportd::http {

// GET /healthz: 200 while the loop turns, for it is the loop that answers.
class health_endpoint final : public endpoint {
public:
    boost::asio::awaitable<void> serve(exchange& x) override;
};

}  // namespace exportd::http
