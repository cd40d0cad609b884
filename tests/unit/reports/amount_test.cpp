#include <exportd/format/decimal.hpp>
#include <exportd/reports/amount.hpp>

#include "../format/numeric_wire.hpp"
#include "catch.hpp"
#include <stdexcept>

using namespace exportd::reports;

namespace {

amount of(std::string_view text) {
    return amount::parse(text);
}

}  // namespace

TEST_CASE("amounts are read and written digit by digit", "[reports]") {
    for (const char* text : {"0", "0.00", "-0.01", "1234.50", "-12345678901234567890.12", "0.007",
                             "100000000000000000000000000000", "8", "09.5"}) {
        CHECK(of(text).text() == (std::string_view{text} == "09.5" ? "9.5" : text));
    }
    for (const char* text :
         {"", "-", "NaN", "Infinity", "-Infinity", "1e5", "1.", ".5", "1.2.3", "+1", " 1", "--1"}) {
        INFO(text);
        CHECK_THROWS_AS(of(text), std::invalid_argument);
    }
}

TEST_CASE("sums, products and halves keep every digit", "[reports]") {
    CHECK((of("0.1") + of("0.2")).text() == "0.3");
    CHECK((of("9007199254740993.01") + of("-0.005")).text() == "9007199254740993.005");
    CHECK((of("1") - of("1.00")).text() == "0.00");
    CHECK((of("-1.5") * of("100")).text() == "-150.0");
    CHECK(of("0.01").half().text() == "0.005");
    CHECK(of("-3").half().text() == "-1.5");
    amount sum;
    for (int i = 0; i < 1000; ++i)
        sum += of("0.001");
    CHECK(sum.text() == "1.000");
}

TEST_CASE("amounts are compared by value", "[reports]") {
    CHECK(of("1.0") == of("1.000"));
    CHECK(of("-2") < of("-1.5"));
    CHECK(of("10") > of("9.99"));
    CHECK(of("0.000").sign() == 0);
    CHECK(of("-0.001").sign() == -1);
    CHECK(of("0.001").sign() == 1);
}

TEST_CASE("quotients are rounded half away from zero", "[reports]") {
    CHECK(of("10").divided(of("3"), 2).text() == "3.33");
    CHECK(of("1").divided(of("200"), 2).text() == "0.01");
    CHECK(of("-1").divided(of("200"), 2).text() == "-0.01");
    CHECK(of("100").divided(of("4"), 1).text() == "25.0");
}

TEST_CASE("a quotient that was cut still rounds as the exact one", "[reports]") {
    CHECK(of("1").divided_sticky(of("4"), 5).text() == "0.25000");
    CHECK(of("1").divided_sticky(of("3"), 3).text() == "0.3331");
    // 0.005 and a little more: cut to four digits it would seem to be the half.
    const auto little_more = of("0.01000000000000000000000001").divided_sticky(of("2"), 4);
    CHECK(little_more > of("0.005"));
    CHECK(of("-2").divided_sticky(of("3"), 2).text() == "-0.661");
}

TEST_CASE("an amount is what numeric_send would send", "[reports]") {
    for (const char* text : {"0", "0.00", "1", "-1234.50", "10000", "100000000", "0.0001",
                             "0.00001", "12345678901234567890.12", "-99999.99999", "123400.0000"}) {
        INFO(text);
        CHECK(of(text).wire() == exportd::format::test::numeric_wire(text));
    }
}
