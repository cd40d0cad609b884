#include "../../../src/http/rate_limit_fields.hpp"

#include "catch.hpp"

using namespace exportd;
using namespace std::chrono_literals;

TEST_CASE("a limit is told with what is left of it and when it is whole again", "[http]") {
    std::vector<http::header_field> fields;
    http::add_rate_limit(fields, "requests", {600, 599, 42s}, 60s);
    REQUIRE(fields.size() == 2);
    CHECK(fields[0].name == "RateLimit-Policy");
    CHECK(fields[0].value == "\"requests\";q=600;w=60");
    CHECK(fields[1].name == "RateLimit");
    CHECK(fields[1].value == "\"requests\";r=599;t=42");
}
