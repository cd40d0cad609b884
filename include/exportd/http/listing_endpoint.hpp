#pragma once

#include <exportd/exports/schema_store.hpp>
#include <exportd/http/exchange.hpp>
#include <exportd/http/export_services.hpp>

namespace exportd::http {

// GET /exports: the exports, with their columns, zone and limits.
class listing_endpoint final : public endpoint {
public:
    listing_endpoint(const export_services& services, const exports::schema_store& schemas)
        : services_{services}, schemas_{schemas} {}
    boost::asio::awaitable<void> serve(exchange& x) override;

private:
    std::string entry_json(const exports::catalog_entry& entry,
                           const access::permission& may) const;

    const export_services& services_;
    const exports::schema_store& schemas_;
};

}  // namespace exportd::http
