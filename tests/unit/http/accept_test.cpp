#include <exportd/http/accept.hpp>

#include "catch.hpp"
#include <array>
#include <string>

using namespace exportd::http;

namespace {

std::string chosen(std::string_view accept) {
    static constexpr std::array<std::string_view, 2> offered{"application/json", "application/pdf"};
    return std::string{negotiate(accept, offered).value_or("none")};
}

}  // namespace

TEST_CASE("what a client wants most is chosen", "[http]") {
    CHECK(chosen("") == "application/json");
    CHECK(chosen("*/*") == "application/json");
    CHECK(chosen("application/pdf") == "application/pdf");
    CHECK(chosen("text/html, application/pdf;q=0.9, */*;q=0.1") == "application/pdf");
    CHECK(chosen("application/json;q=0.2,application/pdf;q=0.3") == "application/pdf");
    CHECK(chosen(" APPLICATION/PDF ; Q=1 ") == "application/pdf");
    CHECK(chosen("application/*;q=0.5, application/json;q=0.1") == "application/pdf");
}

TEST_CASE("what a client does not want is not chosen", "[http]") {
    CHECK(chosen("text/html") == "none");
    CHECK(chosen("application/json;q=0") == "none");
    CHECK(chosen("*/*, application/json;q=0") == "application/pdf");
    CHECK(chosen("application/json;q=2") == "none");
    CHECK(chosen("application/json;q=") == "none");
    CHECK(chosen(",;,") == "none");
}
