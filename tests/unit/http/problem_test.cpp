#include <exportd/http/json.hpp>
#include <exportd/http/problem.hpp>

#include "catch.hpp"

using namespace exportd;
using namespace exportd::http;
using namespace std::string_literals;

TEST_CASE("a problem is a document for programs and people", "[http]") {
    problem p = bad_request("invalid_parameter", "from has to be a date.");
    p.parameter = "from";
    p.extra = {{"limit", "5"}};
    const auto r = to_response(p, "req-1");
    CHECK(r.status == 400);
    CHECK(r.content_type == "application/problem+json");
    CHECK(r.body ==
          "{\"type\":\"about:blank\",\"title\":\"Bad "
          "Request\",\"status\":400,\"code\":\"invalid_parameter\","
          "\"detail\":\"from has to be a "
          "date.\",\"parameter\":\"from\",\"limit\":5,\"request_id\":\"req-1\"}\n");
}

TEST_CASE("problems carry the fields that belong to them", "[http]") {
    const auto busy = to_response(problem_of(errc::pool_exhausted), "r");
    CHECK(busy.status == 503);
    REQUIRE(busy.fields.size() == 1);
    CHECK(busy.fields[0].name == "Retry-After");
    CHECK(busy.fields[0].value == "2");

    const auto wrong_method = to_response(method_not_allowed({"GET", "HEAD"}), "r");
    REQUIRE(wrong_method.fields.size() == 1);
    CHECK(wrong_method.fields[0].name == "Allow");
    CHECK(wrong_method.fields[0].value == "GET, HEAD");
}

TEST_CASE("every early end has its status and code", "[http]") {
    const auto told = [](errc e) {
        return std::to_string(problem_of(e).status) + " " + problem_of(e).code;
    };
    CHECK(told(errc::query_failed) == "502 query_failed");
    CHECK(told(errc::unsupported_type) == "502 query_failed");
    CHECK(told(errc::database_unavailable) == "503 database_unavailable");
    CHECK(told(errc::pool_exhausted) == "503 overloaded");
    CHECK(told(errc::shutting_down) == "503 shutting_down");
    CHECK(told(errc::first_row_timeout) == "504 first_row_timeout");
    CHECK(told(errc::export_deadline) == "504 export_deadline");
    CHECK(told(errc::too_many_rows) == "422 too_many_rows");
}

TEST_CASE("JSON strings are valid whatever the bytes", "[http]") {
    CHECK(json_string("plain") == "\"plain\"");
    CHECK(json_string("a\"b\\c\n\r\t\x01\x7F") == "\"a\\\"b\\\\c\\n\\r\\t\\u0001\\u007f\"");
    CHECK(json_string("Zo\xC3\xAB \xF0\x9F\xA6\x8A") == "\"Zo\xC3\xAB \xF0\x9F\xA6\x8A\"");
    CHECK(json_string("\0"s) == "\"\\u0000\"");
    CHECK(json_string("a\xFFz") == "\"a\xEF\xBF\xBDz\"");
    CHECK(json_string("\xC3") == "\"\xEF\xBF\xBD\"");
    CHECK(json_string("\xED\xA0\x80") == "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
    CHECK(json_string("\xC0\x80") == "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");
}
