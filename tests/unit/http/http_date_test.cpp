#include "../../../src/http/http_date.hpp"

#include "catch.hpp"

using namespace exportd::http;
using namespace std::chrono;

namespace {

constexpr sys_seconds moment = sys_days{1994y / 11 / 6} + 8h + 49min + 37s;

}  // namespace

TEST_CASE("a date is written as IMF-fixdate", "[http]") {
    CHECK(to_http_date(moment) == "Sun, 06 Nov 1994 08:49:37 GMT");
    CHECK(to_http_date(sys_days{2026y / 2 / 28} + 23h + 59min + 59s) ==
          "Sat, 28 Feb 2026 23:59:59 GMT");
}

TEST_CASE("the three forms of a date are read", "[http]") {
    CHECK(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT") == moment);
    CHECK(parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT") == moment);
    CHECK(parse_http_date("Sun Nov  6 08:49:37 1994") == moment);
    CHECK(parse_http_date("Friday, 06-Nov-26 08:49:37 GMT") ==
          sys_days{2026y / 11 / 6} + 8h + 49min + 37s);
    CHECK(parse_http_date("Sat, 31 Dec 2016 23:59:60 GMT") == sys_days{2017y / 1 / 1});
}

TEST_CASE("a date beyond what nanoseconds count is written and read", "[http]") {
    const sys_seconds far = sys_days{3994y / 11 / 6} + 8h + 49min + 37s;
    CHECK(to_http_date(far) == "Sun, 06 Nov 3994 08:49:37 GMT");
    CHECK(parse_http_date("Sun Nov  6 08:49:37 3994") == far);
}

TEST_CASE("what is no date is none", "[http]") {
    for (const auto* text :
         {"", "x", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
          "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 31 Feb 1994 08:49:37 GMT",
          "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
          "Sun, 06 Nov 1994  8:49:37 GMT", "Sun, -6 Nov 1994 08:49:37 GMT",
          "Sunday, 06-Nov-1994 08:49:37 GMT", "1994-11-06T08:49:37Z", "\"tag\""}) {
        CAPTURE(text);
        CHECK(parse_http_date(text) == std::nullopt);
    }
}
