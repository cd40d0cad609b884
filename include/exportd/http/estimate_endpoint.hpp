#pragma once

#include <exportd/http/exchange.hpp>
#include <exportd/http/export_services.hpp>

namespace exportd::http {

// GET /exports/{name}/estimate: rows and bytes to expect, and whether to stream them. Counts the
// rows and encodes the first of them, so it costs a query and counts as an export while it runs.
class estimate_endpoint final : public endpoint {
public:
    explicit estimate_endpoint(export_services& services) : services_{services} {}
    boost::asio::awaitable<void> serve(exchange& x) override;

private:
    export_services& services_;
};

}  // namespace exportd::http
