#include "../../../src/http/form.hpp"

#include "catch.hpp"

using namespace exportd::http;

namespace {

std::optional<form_fields> parse(std::string type, std::string body) {
    request r;
    r.content_type = std::move(type);
    r.body = std::move(body);
    return parse_form(r);
}

const std::string form_type = "application/x-www-form-urlencoded";

}  // namespace

TEST_CASE("fields of a form are decoded", "[http]") {
    const auto form = parse(form_type, "token=a%2Bb+c&next=%2Fexports%3Fx%3D1&empty=");
    REQUIRE(form);
    CHECK(field_of(*form, "token") == "a+b c");
    CHECK(field_of(*form, "next") == "/exports?x=1");
    CHECK(field_of(*form, "empty").empty());
    CHECK(field_of(*form, "missing").empty());
}

TEST_CASE("a field that came twice is none", "[http]") {
    const auto form = parse(form_type, "token=mine&token=theirs");
    REQUIRE(form);
    CHECK(field_of(*form, "token").empty());
}

TEST_CASE("what is no form has no fields", "[http]") {
    CHECK_FALSE(parse("application/json", "token=a"));
    CHECK_FALSE(parse("", "token=a"));
    CHECK_FALSE(parse(form_type, "token=%2"));
    CHECK_FALSE(parse(form_type, "token=%zz"));
    CHECK(parse("Application/X-WWW-Form-Urlencoded; charset=UTF-8", "token=a"));
}
