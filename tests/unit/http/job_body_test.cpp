#include "../../../src/http/job_body.hpp"

#include "catch.hpp"

using namespace exportd::http;
using namespace std::string_literals;

namespace {

// "code parameter" of the problem.
std::string refused(std::string_view text) {
    const auto result = parse_job_body(text);
    const auto* p = std::get_if<problem>(&result);
    if (p == nullptr) return "taken";
    CHECK(p->status == 400);
    return p->parameter.empty() ? p->code : p->code + " " + p->parameter;
}

using pairs = std::vector<std::pair<std::string, std::string>>;

}  // namespace

TEST_CASE("the members of a body become parameters", "[http][jobs]") {
    const auto body = std::get<job_body>(parse_job_body(
        R"( {"from":"2025-01-01", "to":"2025-02-01","values":"raw","excel":true,
             "notify":"ann@example.com"} )"));
    CHECK(body.parameters ==
          pairs{{"from", "2025-01-01"}, {"to", "2025-02-01"}, {"values", "raw"}, {"excel", "1"}});
    CHECK(body.notify == "ann@example.com");
}

TEST_CASE("what is null or missing is not given", "[http][jobs]") {
    const auto body = std::get<job_body>(
        parse_job_body(R"({"from":null,"values":null,"excel":null,"notify":null})"));
    CHECK(body.parameters.empty());
    CHECK(body.notify == std::nullopt);
    CHECK(std::get<job_body>(parse_job_body("{}")).parameters.empty());
}

TEST_CASE("escapes in names and values are read", "[http][jobs]") {
    const auto body =
        std::get<job_body>(parse_job_body("{\"fr\\u006fm\":\"2025\\u002d01-01\",\"excel\":false}"));
    CHECK(body.parameters == pairs{{"from", "2025-01-01"}, {"excel", "0"}});
}

TEST_CASE("a body that is no JSON object is refused", "[http][jobs]") {
    for (const auto* text : {"",
                             " ",
                             "{",
                             "}",
                             "[]",
                             "[{}]",
                             "null",
                             "true",
                             "7",
                             "\"from\"",
                             "{}{}",
                             "{} x",
                             "{from:1}",
                             "{\"from\"}",
                             "{\"from\":}",
                             "{\"from\":\"a\",}",
                             "{'from':'a'}",
                             "{\"from\":\"a\"",
                             "\xEF\xBB\xBF{}",
                             "{\"from\":\"\xFF\"}",
                             "{}//",
                             "from=1&to=2",
                             "{\"from\":NaN}"}) {
        CAPTURE(text);
        CHECK(refused(text) == "invalid_body");
    }
    CHECK(refused("{}\0"s) == "invalid_body");
    CHECK(refused(std::string(60'000, '[')) == "invalid_body");
}

TEST_CASE("a member of the wrong type is named", "[http][jobs]") {
    CHECK(refused(R"({"from":20250101})") == "invalid_parameter from");
    CHECK(refused(R"({"to":true})") == "invalid_parameter to");
    CHECK(refused(R"({"values":["raw"]})") == "invalid_parameter values");
    CHECK(refused(R"({"excel":"1"})") == "invalid_parameter excel");
    CHECK(refused(R"({"excel":1})") == "invalid_parameter excel");
    CHECK(refused(R"({"excel":1.5})") == "invalid_parameter excel");
    CHECK(refused(R"({"excel":-1})") == "invalid_parameter excel");
    CHECK(refused(R"({"notify":{"to":"ann@example.com"}})") == "invalid_parameter notify");
    CHECK(refused("{\"from\":" + std::string(60'000, '[')) == "invalid_parameter from");
}

TEST_CASE("members that are unknown or repeated are named", "[http][jobs]") {
    CHECK(refused(R"({"form":"2025-01-01"})") == "unknown_parameter form");
    CHECK(refused(R"({"receipt":"x"})") == "unknown_parameter receipt");
    CHECK(refused(R"({"From":"2025-01-01"})") == "unknown_parameter From");
    CHECK(refused(R"({"":1})") == "unknown_parameter");
    CHECK(refused("{\"a\\u0000\xC3\xBC\":1}") == "unknown_parameter a???");
    CHECK(refused("{\"" + std::string(500, 'n') + "\":1}") ==
          "unknown_parameter " + std::string(40, 'n'));
    CHECK(refused(R"({"to":"a","to":"a"})") == "repeated_parameter to");
    CHECK(refused(R"({"to":null,"t\u006f":"a"})") == "repeated_parameter to");
}

TEST_CASE("JSON in UTF-8 is the one type of a body", "[http][jobs]") {
    for (const auto* type :
         {"application/json", "Application/JSON", " application/json ", "application/json;",
          "application/json; charset=utf-8", "application/json;charset=UTF-8",
          "application/json ; charset=\"utf-8\""}) {
        CAPTURE(type);
        CHECK(is_json_type(type));
    }
    for (const auto* type :
         {"", "text/json", "application/jsonp", "application/problem+json", "application/*",
          "application/x-www-form-urlencoded", "application/json; charset=latin1",
          "application/json; q=1", "application/json, text/plain",
          "application/json; charset=utf-8; x=y"}) {
        CAPTURE(type);
        CHECK_FALSE(is_json_type(type));
    }
}

TEST_CASE("an idempotency key is taken with or without quotes", "[http][jobs]") {
    CHECK(parse_idempotency_key("k") == "k");
    CHECK(parse_idempotency_key("8e03978e-40d5-43dd-bc93-6894a57f9324") ==
          "8e03978e-40d5-43dd-bc93-6894a57f9324");
    CHECK(parse_idempotency_key("\"8e03978e\"") == "8e03978e");
    CHECK(parse_idempotency_key("\"a\\\"b\\\\c\"") == "a\"b\\c");
    CHECK(parse_idempotency_key("a\\b") == "a\\b");
    CHECK(parse_idempotency_key(std::string(255, 'k')) == std::string(255, 'k'));
    CHECK(parse_idempotency_key('"' + std::string(255, 'k') + '"') == std::string(255, 'k'));
}

TEST_CASE("what is no idempotency key is refused", "[http][jobs]") {
    for (const auto& key : {""s, "\"\""s, "a b"s, "\"a b\""s, "a, b"s, "\"a\", \"b\""s, "\"a"s,
                            "\"a\"b"s, "\""s, "\"a\\\""s, "\"a\\b\""s, "k\xC3\xA4y"s, "a\tb"s,
                            "a\x7F"s, std::string(256, 'k'), '"' + std::string(256, 'k') + '"'}) {
        CAPTURE(key);
        CHECK(parse_idempotency_key(key) == std::nullopt);
    }
}
