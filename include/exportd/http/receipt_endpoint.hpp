#pragma once

#include <exportd/exports/receipts.hpp>
#include <exportd/http/exchange.hpp>

namespace exportd::http {

// GET /exports/receipts/{id}: what became of an export, by its own id or by the caller's.
class receipt_endpoint final : public endpoint {
public:
    explicit receipt_endpoint(exports::receipt_store& receipts) : receipts_{receipts} {}
    boost::asio::awaitable<void> serve(exchange& x) override;

private:
    exports::receipt_store& receipts_;
};

}  // namespace exportd::http
