#include <exportd/format/money.hpp>
#include <exportd/format/number.hpp>

#include "numeric_wire.hpp"
#include <catch.hpp>
#include <stdexcept>

using namespace exportd::format;
using Catch::Matchers::Contains;
using test::number;

namespace {

struct shown {
    std::string text;
    text_flags flags;
};

class british {
public:
    shown show(std::string_view amount, std::optional<std::string_view> currency) const {
        exportd::rows::byte_buffer out;
        const number value(amount);
        const text_flags flags = money_->append(out, value.value(), currency);
        return {std::string(out.view()), flags};
    }
    std::string text(std::string_view amount, std::optional<std::string_view> currency) const {
        return show(amount, currency).text;
    }
    const money_formatter& money() const { return *money_; }

private:
    std::unique_ptr<money_formatter> money_ = money_formatter::create("en-GB");
};

}  // namespace

TEST_CASE("amounts of any size are exact", "[format][money]") {
    const british gb;
    CHECK(gb.text("99999999999999.99", "GBP") == "£99,999,999,999,999.99");
    CHECK(gb.text("9007199254740993.01", "GBP") == "£9,007,199,254,740,993.01");
    CHECK(gb.text("12345678901234567890.12", "GBP") == "£12,345,678,901,234,567,890.12");
    CHECK(gb.text("-1" + std::string(40, '0'), "GBP").substr(0, 13) == "-£10,000,000");
}

TEST_CASE("half a unit is rounded away from zero, and zero has no sign", "[format][money]") {
    const british gb;
    CHECK(gb.text("0.005", "GBP") == "£0.01");
    CHECK(gb.text("0.015", "GBP") == "£0.02");
    CHECK(gb.text("0.025", "GBP") == "£0.03");
    CHECK(gb.text("-0.005", "GBP") == "-£0.01");
    CHECK(gb.text("0.00499999999999999999999999", "GBP") == "£0.00");
    CHECK(gb.text("1234.5", "JPY") == "JP¥1,235");
    CHECK(gb.text("-0.001", "GBP") == "£0.00");
    CHECK(gb.text("-0.4", "JPY") == "JP¥0");
    CHECK(gb.text("999999999999999999999.995", "GBP") == "£1,000,000,000,000,000,000,000.00");
}

TEST_CASE("a currency has its own digits and symbol", "[format][money]") {
    const british gb;
    CHECK(gb.text("1234.567", "KWD") == "KWD\u00A01,234.567");
    CHECK(gb.text("1234.5", "CHF") == "CHF\u00A01,234.50");
    CHECK(gb.text("1234.5", "USD") == "US$1,234.50");
    CHECK(gb.text("1234.5", "EUR") == "€1,234.50");
    CHECK(gb.text("1234", "JPY") == "JP¥1,234");
    CHECK(gb.text("-1234.50", "GBP") == "-£1,234.50");
    CHECK(gb.text("1", "XXX") == "¤1.00");
    CHECK(gb.text("-1", "ABC") == "-ABC\u00A01.00");
    CHECK(gb.text("-1", "ABD") == "-ABD\u00A01.00");
}

TEST_CASE("what is no currency is never guessed to be one", "[format][money]") {
    const british gb;
    for (const auto* code : {"GB", "gbp", "US$", "GB£", "GBPX", "1.0", "£"}) {
        const shown s = gb.show("-1234.50", code);
        CHECK(s.text == "-1234.50 " + std::string(code));
        CHECK(s.flags.fallback);
        CHECK_FALSE(s.flags.needs_quotes);
    }
    for (const auto& nothing :
         {std::optional<std::string_view>{}, std::optional<std::string_view>{""},
          std::optional<std::string_view>{"   "}}) {
        const shown s = gb.show("1234.500", nothing);
        CHECK(s.text == "1234.500");
        CHECK(s.flags.fallback);
    }
    CHECK(gb.text("5", "GBP  ") == "£5.00");
    CHECK(gb.text("5", "GB ") == "5 GB");
    CHECK_FALSE(gb.show("5", "GBP ").flags.fallback);
    CHECK(gb.show("5", "a,b").flags.needs_quotes);
    CHECK(gb.show("5", "\"").flags.needs_quotes);
}

TEST_CASE("what is no amount is never zero", "[format][money]") {
    const british gb;
    for (const auto* special : {"NaN", "Infinity", "-Infinity"}) {
        CHECK(gb.text(special, "GBP") == special);
        CHECK_FALSE(gb.show(special, "GBP").flags.needs_quotes);
        CHECK(gb.text(special, std::nullopt) == special);
        CHECK(gb.text(special, "gbp") == std::string(special) + " gbp");
    }
}

TEST_CASE("the need for quotes is known without reading the text", "[format][money]") {
    const british gb;
    CHECK_FALSE(gb.show("999.99", "GBP").flags.needs_quotes);
    CHECK(gb.show("1000", "GBP").flags.needs_quotes);
    CHECK(gb.money().quoting() == csv_class::may_need_quotes);
    CHECK(number_formatter::create("de-DE")->quoting() == csv_class::may_need_quotes);
    CHECK(number_formatter::create("de-DE", fraction_digits{2, 2})->quoting() ==
          csv_class::always_needs_quotes);
    CHECK(number_formatter::create("de-DE", fraction_digits{0, 0})->quoting() ==
          csv_class::never_needs_quotes);
    CHECK(number_formatter::create("en-GB", fraction_digits{2, 2})->quoting() ==
          csv_class::may_need_quotes);
}

TEST_CASE("a number keeps its own digits unless told otherwise", "[format][number]") {
    const auto text = [](const number_formatter& f, std::string_view n) {
        exportd::rows::byte_buffer out;
        const number value(n);
        f.append(out, value.value());
        return std::string(out.view());
    };
    const auto own = number_formatter::create("en-GB");
    CHECK(text(*own, "1234.500") == "1,234.500");
    CHECK(text(*own, "-0.00") == "0.00");
    CHECK(text(*own, "0." + std::string(2000, '7')) == "0." + std::string(2000, '7'));
    const auto some = number_formatter::create("en-GB", fraction_digits{1, 3});
    CHECK(text(*some, "1234.500") == "1,234.5");
    CHECK(text(*some, "1234") == "1,234.0");
    CHECK(text(*some, "1234.5675") == "1,234.568");
    CHECK(text(*some, "12345678901234567890.1230") == "12,345,678,901,234,567,890.123");
    CHECK(text(*some, "NaN") == "NaN");
    exportd::rows::byte_buffer out;
    own->append(out, INT64_MIN);
    CHECK(out.view() == "-9,223,372,036,854,775,808");
}

TEST_CASE("an unknown locale is an error that names it", "[format]") {
    for (const auto* tag : {"", "xx-YY", "en_GB", "english", "en-GB\n", "root", "de-", "../x"}) {
        CHECK_THROWS_AS(money_formatter::create(tag), std::invalid_argument);
        CHECK_THROWS_WITH(number_formatter::create(tag), Contains(tag));
    }
    CHECK_THROWS_AS(number_formatter::create("en-GB", fraction_digits{3, 2}),
                    std::invalid_argument);
    CHECK_THROWS_AS(number_formatter::create("en-GB", fraction_digits{0, 101}),
                    std::invalid_argument);
}
