#pragma once

#include <exportd/http/exchange.hpp>
#include <exportd/http/export_services.hpp>

namespace exportd::http {

// What to expect of an export.
struct export_estimate {
    rows::row_count count;
    std::uint64_t bytes = 0;  // from the first rows' average
};

// GET /exports/{name}/estimate: rows and bytes to expect, and whether to stream them. Counts the
// rows and encodes the first of them, so it costs a query and counts as an export while it runs.
class estimate_endpoint final : public endpoint {
public:
    explicit estimate_endpoint(export_services& services) : services_{services} {}
    boost::asio::awaitable<void> serve(exchange& x) override;

private:
    boost::asio::awaitable<std::optional<errc>> run(exchange& x,
                                                    const exports::catalog_entry& entry,
                                                    const exports::request& asked,
                                                    export_estimate& found);

    export_services& services_;
};

}  // namespace exportd::http
