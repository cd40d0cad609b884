#include <exportd/format/decimal.hpp>

#include "numeric_wire.hpp"
#include <catch.hpp>

using namespace exportd::format;
using test::numeric_wire;
using namespace std::string_literals;

namespace {

std::string plain(const decimal& value) {
    exportd::rows::byte_buffer out;
    append_plain(out, value);
    return std::string(out.view());
}

std::string plain_of_wire(const std::string& wire) {
    const auto value = parse_numeric(wire);
    return value ? plain(*value) : "malformed";
}

}  // namespace

TEST_CASE("a numeric is read from the bytes of numeric_send", "[format]") {
    // SELECT numeric_send(-12345.6780)
    CHECK(plain_of_wire("\x00\x03\x00\x01\x40\x00\x00\x04\x00\x01\x09\x29\x1a\x7c"s) ==
          "-12345.6780");
    CHECK(plain_of_wire("\x00\x00\x00\x00\x00\x00\x00\x02"s) == "0.00");
    CHECK(plain_of_wire("\x00\x00\x00\x00\xc0\x00\x00\x00"s) == "NaN");
    CHECK(plain_of_wire("\x00\x00\x00\x00\xd0\x00\x00\x00"s) == "Infinity");
    CHECK(plain_of_wire("\x00\x00\x00\x00\xf0\x00\x00\x00"s) == "-Infinity");
}

TEST_CASE("every stored digit is kept", "[format]") {
    for (const auto* text :
         {"0", "1", "-1", "9999", "10000", "0.0001", "0.00001", "-0.000000000001", "100000000",
          "100000000.00000001", "9007199254740993.01", "12345678901234567890.12", "1.10", "0.10",
          "123456789012345678901234567890123456789012345678901234567890.000"}) {
        CHECK(plain_of_wire(numeric_wire(text)) == text);
    }
    CHECK(plain_of_wire(numeric_wire("1" + std::string(131071, '0'))) ==
          "1" + std::string(131071, '0'));
}

TEST_CASE("bytes that are no numeric are refused", "[format]") {
    const std::string good = "\x00\x01\x00\x00\x00\x00\x00\x00\x00\x07"s;
    REQUIRE(plain_of_wire(good) == "7");
    CHECK(plain_of_wire("") == "malformed");
    CHECK(plain_of_wire(good.substr(0, 9)) == "malformed");
    CHECK(plain_of_wire(good + "\x00"s) == "malformed");
    CHECK(plain_of_wire("\x00\x01\x00\x00\x00\x00\x00\x00\x27\x10"s) ==
          "malformed");  // a digit of 10000
    CHECK(plain_of_wire("\x00\x01\x00\x00\x12\x00\x00\x00\x00\x07"s) ==
          "malformed");  // no such sign
    CHECK(plain_of_wire("\x00\x01\x00\x00\x00\x00\x40\x00\x00\x07"s) ==
          "malformed");  // dscale too large
    CHECK(plain_of_wire("\xff\xff\x00\x00\x00\x00\x00\x00\x00\x07"s) == "malformed");  // -1 digits
}

TEST_CASE("an integer is a decimal", "[format]") {
    CHECK(plain(decimal::from_int64(0)) == "0");
    CHECK(plain(decimal::from_int64(-1)) == "-1");
    CHECK(plain(decimal::from_int64(INT64_MAX)) == "9223372036854775807");
    CHECK(plain(decimal::from_int64(INT64_MIN)) == "-9223372036854775808");
    CHECK(plain(decimal::from_scaled(-5, 3)) == "-0.005");
}
