#pragma once

#include <exportd/http/exchange.hpp>
#include <exportd/http/router.hpp>

#include <map>
#include <string>
#include <string_view>

namespace exportd::http {

// A file of the page for staff: one of that name, or the one that the last segment of the path
// names. Everybody may have these; they hold no data.
class page_file_endpoint final : public endpoint {
public:
    using etags = std::map<std::string_view, std::string>;  // by the file's name

    // `versions` outlives it. `name`: empty for that of the path.
    page_file_endpoint(const etags& versions, std::string_view name)
        : versions_{versions}, name_{name} {}
    boost::asio::awaitable<void> serve(exchange& x) override;

private:
    const etags& versions_;
    std::string_view name_;
};

// GET /: the page for staff. GET /page/{name}: its files. GET /openapi.json: the interface,
// described (OpenAPI 3.1).
class page_endpoints {
public:
    page_endpoints();

    // Gives each its route. They outlive the router.
    void add_to(router& routes);

private:
    page_file_endpoint::etags versions_;
    page_file_endpoint page_{versions_, "index.html"};
    page_file_endpoint file_{versions_, {}};
    page_file_endpoint interface_{versions_, "openapi.json"};
};

}  // namespace exportd::http
