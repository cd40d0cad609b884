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

// GET /exports/receipts: those of the caller, the newest first, 20 at most.
class receipts_endpoint final : public endpoint {
public:
    explicit receipts_endpoint(const exports::receipt_store& receipts) : receipts_{receipts} {}
    boost::asio::awaitable<void> serve(exchange& x) override;

private:
    const exports::receipt_store& receipts_;
};

}  // namespace exportd::http
