#include <exportd/exports/encoder_factory.hpp>

#include "catch.hpp"
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

using namespace exportd;
using namespace std::string_literals;
using exports::values;
using rows::value_kind;

namespace {

std::string big_endian(std::uint64_t value, int size) {
    std::string bytes;
    for (int i = size - 1; i >= 0; --i)
        bytes += static_cast<char>(value >> (8 * i));
    return bytes;
}

std::string int8(std::int64_t v) {
    return big_endian(static_cast<std::uint64_t>(v), 8);
}
std::string int4(std::int32_t v) {
    return big_endian(static_cast<std::uint32_t>(v), 4);
}

// numeric_send of digits in base 10000.
std::string numeric(bool negative, int weight, int dscale, const std::vector<int>& digits) {
    std::string bytes =
        big_endian(digits.size(), 2) + big_endian(static_cast<std::uint64_t>(weight) & 0xFFFFU, 2) +
        big_endian(negative ? 0x4000U : 0U, 2) + big_endian(static_cast<std::uint64_t>(dscale), 2);
    for (const int d : digits)
        bytes += big_endian(static_cast<std::uint64_t>(d), 2);
    return bytes;
}

struct one_row final : rows::row_batch {
    explicit one_row(std::vector<std::optional<std::string>> c) : cells{std::move(c)} {}
    std::size_t row_count() const noexcept override { return 1; }
    std::size_t read_row(std::size_t, rows::cell* out) const noexcept override {
        std::size_t bytes = 0;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            out[i] = cells[i]
                         ? rows::cell{cells[i]->data(), static_cast<std::int32_t>(cells[i]->size())}
                         : rows::cell{};
            bytes += out[i].bytes().size();
        }
        return bytes;
    }
    std::vector<std::optional<std::string>> cells;
};

// A configuration directory with one export, removed at the end.
struct fixture {
    std::filesystem::path root =
        std::filesystem::temp_directory_path() / ("exportd-encoder-" + std::to_string(::getpid()));

    fixture() {
        std::filesystem::create_directories(root);
        std::ofstream{root / "x.sql"} << "SELECT 1;\n";
    }
    ~fixture() { std::filesystem::remove_all(root); }

    exports::catalog load(const std::string& toml) const {
        std::ofstream{root / "x.toml"} << toml;
        return exports::catalog::load(root, root);
    }

    std::string encode(const std::string& toml, const std::vector<rows::column>& columns,
                       std::vector<std::optional<std::string>> cells, values v = values::formatted,
                       bool excel = false) const {
        const auto catalog = load(toml);
        const exports::encoder_factory factory{catalog};
        const auto encoder = factory.make(catalog.find("x")->what, v, excel, columns);
        rows::byte_buffer out;
        encoder->append_header(out);
        const one_row batch{std::move(cells)};
        const bool whole = encoder->encode_some(batch, out, {});
        REQUIRE(whole);
        return std::string{out.view()};
    }

    std::string refusal(const std::string& toml, const std::vector<rows::column>& columns) const {
        const auto catalog = load(toml);
        const exports::encoder_factory factory{catalog};
        try {
            factory.make(catalog.find("x")->what, values::formatted, false, columns);
        } catch (const std::runtime_error& e) {
            return e.what();
        }
        return "none";
    }
};

const std::string orders_toml = R"(
[[columns]]
name = "id"
[[columns]]
name = "customer"
[[columns]]
name = "total"
heading = "Amount, GBP"
format = "money"
currency = "currency"
[[columns]]
name = "created_at"
)";

const std::vector<rows::column> orders_columns{
    {"id", value_kind::int8, "bigint"},
    {"customer", value_kind::text, "text"},
    {"total", value_kind::numeric, "numeric"},
    {"currency", value_kind::text, "character"},
    {"created_at", value_kind::timestamptz, "timestamp with time zone"}};

// 2025-10-26T00:30:00Z.
constexpr std::int64_t autumn_night = 814'753'800'000'000;

}  // namespace

TEST_CASE_METHOD(fixture, "an order is written as finance reads it", "[exports]") {
    CHECK(encode(orders_toml, orders_columns,
                 {int8(7), "=1+1", numeric(true, 0, 2, {1234, 5000}), "GBP", int8(autumn_night)}) ==
          "id,customer,\"Amount, GBP\",created_at\n"
          "7,\"'=1+1\",\"-£1,234.50\",\"26/10/2025, 01:30:00\"\n");
}

TEST_CASE_METHOD(fixture, "raw values are those of the table, every column", "[exports]") {
    CHECK(encode(orders_toml, orders_columns,
                 {int8(7), "=1+1", numeric(true, 0, 2, {1234, 5000}), "GBP", int8(autumn_night)},
                 values::raw) ==
          "id,customer,total,currency,created_at\n"
          "7,=1+1,-1234.50,GBP,2025-10-26T00:30:00.000000Z\n");
}

TEST_CASE_METHOD(fixture, "Excel gets a byte order mark and CRLF", "[exports]") {
    CHECK(encode("", {{"a", value_kind::text, "text"}}, {"x\ny"}, values::formatted, true) ==
          "\xEF\xBB\xBF"
          "a\r\n\"x\ny\"\r\n");
}

TEST_CASE_METHOD(fixture, "NULL is no bytes in every kind of column", "[exports]") {
    for (const auto kind :
         {value_kind::boolean, value_kind::int2, value_kind::int4, value_kind::int8,
          value_kind::oid, value_kind::float4, value_kind::float8, value_kind::numeric,
          value_kind::text, value_kind::jsonb, value_kind::uuid, value_kind::bytea,
          value_kind::date, value_kind::time, value_kind::timestamp, value_kind::timestamptz,
          value_kind::interval}) {
        CHECK(encode("", {{"a", kind, "t"}, {"b", value_kind::text, "text"}}, {std::nullopt, ""}) ==
              "a,b\n,\"\"\n");
    }
}

TEST_CASE_METHOD(fixture, "a currency that is none is shown beside the plain amount", "[exports]") {
    const std::string toml =
        "[[columns]]\nname = \"total\"\nformat = \"money\"\ncurrency = \"currency\"\n";
    const std::vector<rows::column> columns{{"total", value_kind::numeric, "numeric"},
                                            {"currency", value_kind::text, "text"}};
    const auto shown = [&](std::optional<std::string> code) {
        return encode(toml, columns, {numeric(false, 0, 2, {1234, 5000}), std::move(code)})
            .substr(6);
    };
    CHECK(shown("GBP") == "\"£1,234.50\"\n");
    CHECK(shown("gbp") == "1234.50 gbp\n");
    CHECK(shown("US$") == "1234.50 US$\n");
    CHECK(shown("a\"b,c") == "\"1234.50 a\"\"b,c\"\n");
    CHECK(shown(std::nullopt) == "1234.50\n");
    const auto refund = [&](const std::string& code) {
        return encode(toml, columns, {numeric(true, 0, 0, {5}), code}).substr(6);
    };
    CHECK(refund("gbp") == "-5 gbp\n");
    CHECK(refund("US$") == "-5 US$\n");
    CHECK(refund("+cmd|' /C calc'!A0") == "\"'-5 +cmd|' /C calc'!A0\"\n");
    CHECK(shown("   ") == "1234.50\n");
}

TEST_CASE_METHOD(fixture, "a heading that looks like a formula is guarded", "[exports]") {
    CHECK(encode("[[columns]]\nname = \"a\"\nheading = \"=x\"\n",
                 {{"a", value_kind::int4, "integer"}}, {int4(1)}) == "\"'=x\"\n1\n");
}

TEST_CASE_METHOD(fixture, "numbers, dates and times take the form that is configured",
                 "[exports]") {
    CHECK(encode("[[columns]]\nname = \"a\"\nformat = \"number\"\n",
                 {{"a", value_kind::int8, "bigint"}}, {int8(-1234567)}) == "a\n\"-1,234,567\"\n");
    CHECK(
        encode("locale = \"de-DE\"\n[[columns]]\nname = \"a\"\nformat = \"number\"\ndecimals = 1\n",
               {{"a", value_kind::numeric, "numeric"}},
               {numeric(false, 0, 2, {1234, 5500})}) == "a\n\"1.234,6\"\n");
    CHECK(encode("", {{"a", value_kind::date, "date"}}, {int4(9065)}) == "a\n26/10/2024\n");
    CHECK(encode("[[columns]]\nname = \"a\"\nformat = \"date\"\n",
                 {{"a", value_kind::timestamptz, "t"}}, {int8(autumn_night)}) == "a\n26/10/2025\n");
    CHECK(encode("", {{"a", value_kind::time, "time"}}, {int8(3'723'000'000)}) == "a\n01:02:03\n");
    CHECK(encode("", {{"a", value_kind::timestamptz, "t"}}, {int8(INT64_MAX)}) == "a\ninfinity\n");
}

TEST_CASE_METHOD(fixture, "what can't be encoded is named", "[exports]") {
    CHECK(refusal("", {{"x", value_kind::unsupported, "inet"}}) ==
          "cast column x of type inet to text in the query");
    CHECK(refusal("[[columns]]\nname = \"y\"\n", {{"x", value_kind::text, "text"}}) ==
          "the query has no column y");
    CHECK(refusal("[[columns]]\nname = \"x\"\n",
                  {{"x", value_kind::text, "text"}, {"x", value_kind::text, "text"}}) ==
          "the query has more than one column x");
    CHECK(
        refusal("[[columns]]\nname = \"x\"\nformat = \"money\"\ncurrency = \"c\"\n",
                {{"x", value_kind::float8, "double precision"}, {"c", value_kind::text, "text"}}) ==
        "column x of type double precision can't be shown as money; cast it to numeric in the "
        "query");
    CHECK(refusal("[[columns]]\nname = \"x\"\nformat = \"date\"\n",
                  {{"x", value_kind::int4, "integer"}}) ==
          "column x of type integer can't be shown as this date or time");
}

TEST_CASE_METHOD(fixture, "a long bytea passes in slices", "[exports]") {
    const auto catalog = load("");
    const exports::encoder_factory factory{catalog};
    const auto encoder = factory.make(catalog.find("x")->what, values::formatted, false,
                                      {{"a", value_kind::bytea, "bytea"}});
    const one_row batch{{std::string(100'000, '\x5A')}};
    std::string all;
    bool whole = false;
    while (!whole) {
        rows::byte_buffer out;
        whole = encoder->encode_some(batch, out, {4096, std::chrono::hours{1}});
        CHECK(out.size() <= 2 * 4096 + 3);
        all += out.view();
    }
    std::string expected = "\\x";
    for (int i = 0; i < 100'000; ++i)
        expected += "5a";
    CHECK(all == expected + "\n");
}

TEST_CASE_METHOD(fixture, "malformed bytes end the export", "[exports]") {
    for (const auto kind :
         {value_kind::int8, value_kind::numeric, value_kind::timestamptz, value_kind::uuid,
          value_kind::boolean, value_kind::float8, value_kind::interval}) {
        CHECK_THROWS_AS(encode("", {{"a", kind, "t"}}, {"abc"}), std::runtime_error);
    }
}

TEST_CASE_METHOD(fixture, "a definition's faults name file, line and key", "[exports]") {
    const auto fault = [&](const std::string& toml) {
        try {
            load(toml);
        } catch (const std::runtime_error& e) {
            const std::string text = e.what();
            return text.substr(text.find("x.toml"));
        }
        return "none"s;
    };
    CHECK(fault("tittle = \"X\"\n") == "x.toml:1: unknown key tittle");
    CHECK(fault("title = 5\n") == "x.toml:1: title has to be a string");
    CHECK(fault("\nmax_range = \"3 weeks\"\n") ==
          "x.toml:2: max_range has to be 1 to 36525 days, such as \"366d\"");
    CHECK(fault("[[columns]]\nname = \"a\"\nformat = \"euros\"\n") ==
          "x.toml:3: format is one of text, plain, number, money, date_time, date, time");
    CHECK(fault("[[columns]]\nheading = \"a\"\n") == "x.toml:1: name is missing");
    CHECK(fault("[[columns]]\nname = \"a\"\nformat = \"money\"\n") ==
          "x.toml:1: column a: format \"money\" and currency go together");
    CHECK(fault("filename = \"../x\"\n") ==
          "x.toml:1: filename is made of letters, digits, - _ and .");
    CHECK(fault("time_zone = \"Europe/Atlantis\"\n").find("Europe/Atlantis") != std::string::npos);
    CHECK(fault("a = \n").substr(0, 9) == "x.toml:1:");
}

TEST_CASE_METHOD(fixture, "an unknown locale is refused at the start", "[exports]") {
    const auto catalog = load("locale = \"xx-nowhere-else\"\n");
    CHECK_THROWS_AS(exports::encoder_factory{catalog}, std::runtime_error);
}
