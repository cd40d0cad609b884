#include <exportd/exports/request.hpp>

#include "catch.hpp"
#include <string>
#include <utility>
#include <vector>

using namespace exportd;
using namespace exportd::exports;

namespace {

using list = std::vector<std::pair<std::string, std::string>>;

struct fixture {
    definition orders;
    std::shared_ptr<const format::time_zone> london = format::time_zone::load("Europe/London");

    fixture() {
        orders.name = "orders";
        orders.filename = "orders";
    }

    std::string resolve(const std::string& text) const {
        const auto t = parse_instant(text, *london);
        return t ? to_rfc3339(*t) : "invalid";
    }

    // "code parameter" of the refusal, or the resolved range.
    std::string ask(const list& given) const {
        const auto r = parse_request(orders, *london, given);
        if (!r) return r.error().code + " " + r.error().parameter;
        return to_rfc3339(r->range.from) + " " + to_rfc3339(r->range.to);
    }
};

}  // namespace

TEST_CASE_METHOD(fixture, "a date is the start of its day in the zone", "[exports]") {
    CHECK(resolve("2025-01-01") == "2025-01-01T00:00:00Z");
    CHECK(resolve("2025-07-01") == "2025-06-30T23:00:00Z");
    CHECK(resolve("2025-03-30") == "2025-03-30T00:00:00Z");
    CHECK(resolve("2025-03-31") == "2025-03-30T23:00:00Z");
    CHECK(resolve("2025-10-26") == "2025-10-25T23:00:00Z");
    CHECK(resolve("2025-10-27") == "2025-10-27T00:00:00Z");
    CHECK(resolve("2024-02-29") == "2024-02-29T00:00:00Z");
}

TEST_CASE_METHOD(fixture, "an RFC 3339 date-time is taken as it is", "[exports]") {
    CHECK(resolve("2025-09-01T00:00:00+01:00") == "2025-08-31T23:00:00Z");
    CHECK(resolve("2025-09-01T00:00:00 01:00") == "2025-08-31T23:00:00Z");
    CHECK(resolve("2025-09-01T00:00:00Z") == "2025-09-01T00:00:00Z");
    CHECK(resolve("2025-09-01t12:30:15z") == "2025-09-01T12:30:15Z");
    CHECK(resolve("2025-09-01T12:30:15.25-05:30") == "2025-09-01T18:00:15.250000Z");
    CHECK(resolve("2025-09-01T00:00:00.0000001Z") == "2025-09-01T00:00:00.000001Z");
    CHECK(resolve("2016-12-31T23:59:60Z") == "2017-01-01T00:00:00Z");
}

TEST_CASE_METHOD(fixture, "anything else is no point of time", "[exports]") {
    for (const auto* text : {"",
                             "2025",
                             "2025-9-1",
                             "01/09/2025",
                             "20250901",
                             "2025-02-30",
                             "2025-13-01",
                             "2025-00-10",
                             "0000-01-01",
                             "294276-12-31",
                             "2025-09-01T",
                             "2025-09-01T00:00",
                             "2025-09-01T00:00:00",
                             "2025-09-01T24:00:00Z",
                             "2025-09-01T00:60:00Z",
                             "2025-09-01T00:00:61Z",
                             "2025-09-01T00:00:00.Z",
                             "2025-09-01T00:00:00+1:00",
                             "2025-09-01T00:00:00+0100",
                             "2025-09-01T00:00:00Zx",
                             " 2025-09-01",
                             "2025-09-01 ",
                             "2025-09-01\n",
                             "-2025-09-01",
                             "+2025-09-01",
                             "2025-09-01'",
                             "../2025-09-01",
                             "2025-09-01T00:00:00+24:00",
                             "infinity",
                             "today",
                             "now()"}) {
        INFO(text);
        CHECK(resolve(text) == "invalid");
    }
    CHECK(resolve(std::string("2025-09-01\0", 11)) == "invalid");
}

TEST_CASE_METHOD(fixture, "a request has both ends, once, in order", "[exports]") {
    CHECK(ask({{"from", "2025-01-01"}, {"to", "2025-04-01"}}) ==
          "2025-01-01T00:00:00Z 2025-03-31T23:00:00Z");
    CHECK(ask({{"to", "2025-04-01"}}) == "missing_parameter from");
    CHECK(ask({{"from", "2025-01-01"}}) == "missing_parameter to");
    CHECK(ask({{"from", ""}, {"to", "2025-04-01"}}) == "invalid_parameter from");
    CHECK(ask({{"from", "2025-01-01"}, {"to", "x"}}) == "invalid_parameter to");
    CHECK(ask({{"from", "2025-01-01"}, {"from", "2025-01-01"}, {"to", "2025-04-01"}}) ==
          "repeated_parameter from");
    CHECK(ask({{"from", "2025-01-01"}, {"to", "2025-04-01"}, {"limit", "1"}}) ==
          "unknown_parameter limit");
    CHECK(ask({{"From", "2025-01-01"}, {"to", "2025-04-01"}}) == "unknown_parameter From");
    CHECK(ask({{"from", "2025-04-01"}, {"to", "2025-01-01"}}) == "invalid_range to");
    CHECK(ask({{"from", "2025-04-01"}, {"to", "2025-04-01"}}) == "invalid_range to");
    CHECK(ask({{"a\r\nSet-Cookie: x", "1"}}) == "unknown_parameter a??Set-Cookie: x");
}

TEST_CASE_METHOD(fixture, "the range's length is counted in days of the zone", "[exports]") {
    CHECK(ask({{"from", "2024-01-01"}, {"to", "2025-01-01"}}) ==
          "2024-01-01T00:00:00Z 2025-01-01T00:00:00Z");
    CHECK(ask({{"from", "2024-01-01"}, {"to", "2025-01-02"}}) == "range_too_long to");
    // 366 days that begin in winter and end in summer time, and the other way round.
    CHECK(ask({{"from", "2025-03-30"}, {"to", "2026-03-31"}}) ==
          "2025-03-30T00:00:00Z 2026-03-30T23:00:00Z");
    CHECK(ask({{"from", "2024-10-26"}, {"to", "2025-10-27"}}) ==
          "2024-10-25T23:00:00Z 2025-10-27T00:00:00Z");
    CHECK(ask({{"from", "2025-01-01T00:00:00Z"}, {"to", "2026-01-02T00:00:01Z"}}) ==
          "range_too_long to");
    CHECK(ask({{"from", "0001-01-01"}, {"to", "9999-12-31"}}) == "range_too_long to");
}

TEST_CASE_METHOD(fixture, "options are checked", "[exports]") {
    const list range{{"from", "2025-01-01"}, {"to", "2025-04-01"}};
    const auto with = [&](const std::string& name, const std::string& value) {
        auto given = range;
        given.emplace_back(name, value);
        return given;
    };
    const auto plain = parse_request(orders, *london, range);
    REQUIRE(plain.has_value());
    CHECK(plain->values == values::formatted);
    CHECK_FALSE(plain->excel);
    CHECK_FALSE(plain->receipt_id);

    CHECK(parse_request(orders, *london, with("values", "raw"))->values == values::raw);
    CHECK(parse_request(orders, *london, with("excel", "1"))->excel);
    CHECK(*parse_request(orders, *london, with("receipt", "0B9D3C1E-7A54-4F6B-9C1D-2E3F4A5B6C7D"))
               ->receipt_id == "0b9d3c1e-7a54-4f6b-9c1d-2e3f4a5b6c7d");

    CHECK(ask(with("values", "RAW")) == "invalid_parameter values");
    CHECK(ask(with("excel", "yes")) == "invalid_parameter excel");
    CHECK(ask(with("receipt", "1")) == "invalid_parameter receipt");
    CHECK(ask(with("receipt", "0b9d3c1e-7a54-4f6b-9c1d-2e3f4a5b6c7g")) ==
          "invalid_parameter receipt");
}

TEST_CASE_METHOD(fixture, "file names are made of parsed values", "[exports]") {
    const auto name = [&](const std::string& from, const std::string& to) {
        return file_name(orders, *london,
                         {*parse_instant(from, *london), *parse_instant(to, *london)});
    };
    CHECK(name("2025-01-01", "2025-04-01") == "orders_2025-01-01_2025-04-01.csv");
    CHECK(name("2025-09-01T00:00:00+01:00", "2025-09-01T12:30:00Z") ==
          "orders_2025-09-01_2025-09-01T13-30-00.csv");
}

TEST_CASE("instants become text that PostgreSQL reads the same everywhere", "[exports]") {
    const auto utc = format::time_zone::load("Etc/UTC");
    CHECK(to_parameter(*parse_instant("2025-01-01", *utc)) == "2025-01-01 00:00:00+00");
    CHECK(to_parameter(*parse_instant("2025-01-01T01:02:03.5Z", *utc)) ==
          "2025-01-01 01:02:03.500000+00");
    CHECK(to_parameter(*parse_instant("0001-01-01T00:00:00+01:00", *utc)) ==
          "0001-12-31 23:00:00+00 BC");
}
