#include <exportd/format/iso.hpp>

#include <bit>
#include <catch.hpp>
#include <cstdint>
#include <limits>
#include <string>

using namespace exportd::format;
using exportd::rows::byte_buffer;

namespace {

template <class Integer>
std::string cell(Integer value) {
    std::string bytes;
    for (int shift = static_cast<int>(sizeof(Integer)) * 8 - 8; shift >= 0; shift -= 8) {
        bytes += static_cast<char>(static_cast<std::uint64_t>(value) >> shift & 255);
    }
    return bytes;
}

std::string text(bool (*append)(byte_buffer&, std::string_view), std::string_view bytes) {
    byte_buffer out;
    if (append(out, bytes)) return std::string(out.view());
    CHECK(out.empty());
    return "malformed";
}

std::string timestamptz(std::int64_t micros) {
    return text(append_iso_timestamptz, cell(micros));
}
std::string interval(std::int64_t micros, std::int32_t days, std::int32_t months) {
    return text(append_iso_interval, cell(micros) + cell(days) + cell(months));
}
std::string float8(double v) {
    return text(append_float8, cell(std::bit_cast<std::uint64_t>(v)));
}
std::string float4(float v) {
    return text(append_float4, cell(std::bit_cast<std::uint32_t>(v)));
}

constexpr auto max8 = std::numeric_limits<std::int64_t>::max();
constexpr auto min8 = std::numeric_limits<std::int64_t>::min();

}  // namespace

TEST_CASE("instants are written in UTC with microseconds", "[format][iso]") {
    CHECK(timestamptz(814'753'800'000'000) == "2025-10-26T00:30:00.000000Z");
    CHECK(timestamptz(814'757'400'000'001) == "2025-10-26T01:30:00.000001Z");
    CHECK(timestamptz(-1) == "1999-12-31T23:59:59.999999Z");
    CHECK(text(append_iso_timestamp, cell(std::int64_t{0})) == "2000-01-01T00:00:00.000000");
    CHECK(timestamptz(252'455'616'000'000'000) == "+010000-01-01T00:00:00.000000Z");
    CHECK(timestamptz(9'223'371'331'199'999'999) == "+294276-12-31T23:59:59.999999Z");
    CHECK(timestamptz(-63'113'904'000'000'000) == "0000-01-01T00:00:00.000000Z");  // 1 BC
    CHECK(timestamptz(-63'113'904'000'000'001) == "-000001-12-31T23:59:59.999999Z");
    CHECK(timestamptz(-211'813'488'000'000'000) == "-004713-11-24T00:00:00.000000Z");
    CHECK(timestamptz(max8) == "infinity");
    CHECK(timestamptz(min8) == "-infinity");
    CHECK(timestamptz(min8 + 1) != "malformed");
    CHECK(text(append_iso_timestamptz, "1234567") == "malformed");
    CHECK(text(append_iso_timestamptz, "") == "malformed");
}

TEST_CASE("dates and times are written in ISO 8601", "[format][iso]") {
    CHECK(text(append_iso_date, cell(std::int32_t{9430})) == "2025-10-26");
    CHECK(text(append_iso_date, cell(std::int32_t{-730'119})) == "0001-01-01");
    CHECK(text(append_iso_date, cell(std::int32_t{2'145'031'948})) == "+5874897-12-31");
    CHECK(text(append_iso_date, cell(std::numeric_limits<std::int32_t>::max())) == "infinity");
    CHECK(text(append_iso_date, cell(std::numeric_limits<std::int32_t>::min())) == "-infinity");
    CHECK(text(append_iso_date, "abc") == "malformed");
    CHECK(text(append_iso_time, cell(std::int64_t{1})) == "00:00:00.000001");
    CHECK(text(append_iso_time, cell(std::int64_t{86'400'000'000})) == "24:00:00.000000");
    CHECK(text(append_iso_time, cell(std::int64_t{86'400'000'001})) == "malformed");
    CHECK(text(append_iso_time, cell(std::int64_t{-1})) == "malformed");
}

TEST_CASE("intervals are ISO 8601 durations", "[format][iso]") {
    CHECK(interval(14'706'500'000, 3, 14) == "P1Y2M3DT4H5M6.5S");
    CHECK(interval(0, 0, 0) == "PT0S");
    CHECK(interval(0, 0, -13) == "P-1Y-1M");
    CHECK(interval(7'200'000'000, -1, 0) == "P-1DT2H");
    CHECK(interval(-500'000, 0, 0) == "PT-0.5S");
    CHECK(interval(60'000'001, 0, 0) == "PT1M0.000001S");
    CHECK(interval(min8, 0, 0) == "PT-2562047788H-54.775808S");
    CHECK(text(append_iso_interval, cell(max8)) == "malformed");
}

TEST_CASE("numbers are PostgreSQL's texts", "[format][iso]") {
    CHECK(text(append_integer, cell(std::int16_t{-1})) == "-1");
    CHECK(text(append_integer, cell(std::int32_t{-2147483647 - 1})) == "-2147483648");
    CHECK(text(append_integer, cell(min8)) == "-9223372036854775808");
    CHECK(text(append_integer, "abc") == "malformed");
    CHECK(text(append_oid, cell(std::uint32_t{4294967295})) == "4294967295");
    CHECK(text(append_boolean, std::string_view("\1", 1)) == "t");
    CHECK(text(append_boolean, std::string_view("\0", 1)) == "f");
    CHECK(text(append_boolean, "\2") == "malformed");
    CHECK(float8(1e20) == "1e+20");
    CHECK(float8(1e-7) == "1e-07");
    CHECK(float8(1e14) == "100000000000000");
    CHECK(float8(1e15) == "1e+15");
    CHECK(float8(123456789012345680) == "1.2345678901234568e+17");
    CHECK(float8(0.1) == "0.1");
    CHECK(float8(0.0001) == "0.0001");
    CHECK(float8(0.00001234) == "1.234e-05");
    CHECK(float8(-1234.5) == "-1234.5");
    CHECK(float8(-0.0) == "-0");
    CHECK(float8(1e23) == "9.999999999999999e+22");
    CHECK(float8(5e-324) == "5e-324");
    CHECK(float8(1e100) == "1e+100");
    CHECK(float8(std::numeric_limits<double>::quiet_NaN()) == "NaN");
    CHECK(float8(std::numeric_limits<double>::infinity()) == "Infinity");
    CHECK(float8(-std::numeric_limits<double>::infinity()) == "-Infinity");
    CHECK(float4(0.1F) == "0.1");
    CHECK(float4(1e6F) == "1e+06");
    CHECK(float4(123456.0F) == "123456");
    CHECK(text(append_float4, "abc") == "malformed");
    CHECK(text(append_float8, "abc") == "malformed");
}

TEST_CASE("bytes are hexadecimal", "[format][iso]") {
    CHECK(text(append_uuid, "\x01\x23\x45\x67\x89\xab\xcd\xef\x01\x23\x45\x67\x89\xab\xcd\xef") ==
          "01234567-89ab-cdef-0123-456789abcdef");
    CHECK(text(append_uuid, "short") == "malformed");
    CHECK(text(append_bytea, std::string_view("\0\xff", 2)) == "\\x00ff");
    CHECK(text(append_bytea, "") == "\\x");
}
