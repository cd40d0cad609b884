#include <exportd/http/target.hpp>

#include "catch.hpp"

using exportd::http::parse_target;
using list = std::vector<std::pair<std::string, std::string>>;

TEST_CASE("a target is taken apart and decoded", "[http]") {
    const auto t = parse_target("/exports/orders%2Ecsv?from=2025-09-01T00:00:00%2B01:00&to=a+b&x");
    REQUIRE(t);
    CHECK(t->path == std::vector<std::string>{"exports", "orders.csv"});
    CHECK(t->query == list{{"from", "2025-09-01T00:00:00+01:00"}, {"to", "a+b"}, {"x", ""}});

    CHECK(parse_target("/")->path.size() <= 1);
    CHECK(parse_target("/exports?")->path == std::vector<std::string>{"exports"});
    CHECK(parse_target("/a/../b")->path == std::vector<std::string>{"a", "..", "b"});
}

TEST_CASE("a target may name the host, as for a proxy", "[http]") {
    const auto t = parse_target("http://example.com:8080/exports?from=1");
    REQUIRE(t);
    CHECK(t->path == std::vector<std::string>{"exports"});
    CHECK(t->query == list{{"from", "1"}});
}

TEST_CASE("what RFC 3986 does not allow is no target", "[http]") {
    for (const auto* text :
         {"", "*", "exports", "/exports?from=%", "/exports?from=%2", "/exports?from=%zz",
          "/exports?from=\"1\"", "/a b", "/%", "/a\r\nb", "/a?b=<c>", "/a#f"}) {
        INFO(text);
        CHECK_FALSE(parse_target(text));
    }
}
