#pragma once

#include <exportd/http/exchange.hpp>
#include <exportd/http/export_services.hpp>

namespace exportd::http {

// GET and HEAD /exports/{name}.csv: the file, streamed.
class export_endpoint final : public endpoint {
public:
    explicit export_endpoint(export_services& services) : services_{services} {}
    boost::asio::awaitable<void> serve(exchange& x) override;

private:
    export_services& services_;
};

}  // namespace exportd::http
