#include <exportd/http/router.hpp>

#include "catch.hpp"

using namespace exportd::http;

namespace {

struct silent_endpoint final : endpoint {
    boost::asio::awaitable<void> serve(exchange&) override { co_return; }
};

}  // namespace

TEST_CASE("a request finds its endpoint", "[http]") {
    silent_endpoint receipt;
    silent_endpoint estimate;
    silent_endpoint file;
    router routes;
    routes.add("GET", {"exports", "receipts", "{}"}, receipt);
    routes.add("GET", {"exports", "{}", "estimate"}, estimate);
    routes.add("GET", {"exports", "{}.csv"}, file);

    CHECK(routes.find("GET", {"exports", "orders.csv"}).serves == &file);
    CHECK(routes.find("HEAD", {"exports", "orders.csv"}).serves == &file);
    CHECK(routes.find("GET", {"exports", "orders", "estimate"}).serves == &estimate);
    CHECK(routes.find("GET", {"exports", "receipts", "estimate"}).serves == &receipt);
    CHECK(routes.find("GET", {"exports", ".csv"}).serves == nullptr);
    CHECK(routes.find("GET", {"exports", "orders"}).serves == nullptr);
    CHECK(routes.find("GET", {"exports", "orders.csv", ""}).serves == nullptr);
    CHECK(routes.find("GET", {}).serves == nullptr);
}

TEST_CASE("an address tells which methods it takes", "[http]") {
    silent_endpoint file;
    silent_endpoint job;
    router routes;
    routes.add("GET", {"x"}, file);
    routes.add("POST", {"x"}, job);
    const auto found = routes.find("DELETE", {"x"});
    CHECK(found.serves == nullptr);
    CHECK(found.allow == std::vector<std::string>{"GET", "HEAD", "POST"});
    CHECK(routes.find("get", {"x"}).serves == nullptr);
    CHECK(routes.find("DELETE", {"y"}).allow.empty());
}
