#include "icu_number_oracle.hpp"

#include <exportd/format/money.hpp>
#include <exportd/format/number.hpp>

#include <unicode/ucurr.h>

#include "numeric_wire.hpp"
#include "random.hpp"
#include <catch.hpp>
#include <map>
#include <set>

using namespace exportd::format;

namespace {

constexpr std::array locales{"en-GB", "en-US", "de-DE", "fr-FR", "de-CH", "en-IN", "ja-JP",
                             "pl-PL", "ar-EG", "th-TH", "fa-IR", "es-ES", "sv-SE", "hi-IN",
                             "bn-BD", "he-IL", "lt-LT", "pt-PT", "my-MM", "de-AT"};

std::vector<std::string> currencies() {
    UErrorCode status = U_ZERO_ERROR;
    std::set<std::string> codes{"XXX", "ABC", "QZZ", "AAA", "ZZZ"};
    UEnumeration* known = ucurr_openISOCurrencies(UCURR_ALL, &status);
    while (const char* code = uenum_next(known, nullptr, &status))
        codes.insert(code);
    uenum_close(known);
    return {codes.begin(), codes.end()};
}

bool wants_quotes(std::string_view text) {
    return text.find_first_of(",\"\r\n") != std::string_view::npos || text.starts_with(' ') ||
           text.ends_with(' ');
}

}  // namespace

TEST_CASE("amounts in every currency are what ICU prints", "[format][money][oracle]") {
    const auto codes = currencies();
    REQUIRE(codes.size() > 250);
    for (const auto* locale : locales) {
        const auto money = money_formatter::create(locale);
        test::icu_number_oracle icu(locale);
        test::random random(20250901);
        std::size_t wrong = 0;
        for (const auto& code : codes) {
            for (int i = 0; i < 5; ++i) {
                const std::string amount = random.number(i == 0 ? 30 : 9, i == 1 ? 12 : 4);
                const test::number value(amount);
                exportd::rows::byte_buffer out;
                const text_flags flags = money->append(out, value.value(), code);
                INFO(locale << " " << code << " " << amount << ", seed 20250901");
                if (out.view() != icu.money(amount, code)) {
                    CHECK(out.view() == icu.money(amount, code));
                    if (++wrong > 5) return;
                }
                if (flags.needs_quotes != wants_quotes(out.view())) FAIL_CHECK("quotes");
                if (flags.fallback) FAIL_CHECK("fallback");
            }
        }
    }
    SUCCEED();
}

TEST_CASE("every code of three letters is what ICU prints", "[format][money][oracle]") {
    const auto money = money_formatter::create("en-GB");
    test::icu_number_oracle icu("en-GB");
    const test::number amount("-1234.5");
    for (unsigned i = 0; i < 26 * 26 * 26; i += 7) {  // 7 meets every letter at every place
        std::string code{static_cast<char>('A' + i / 676), static_cast<char>('A' + i / 26 % 26),
                         static_cast<char>('A' + i % 26)};
        exportd::rows::byte_buffer out;
        money->append(out, amount.value(), code);
        const std::string expected = icu.money("-1234.5", code);
        if (out.view() != expected) {
            INFO(code);
            CHECK(out.view() == expected);
        }
    }
    SUCCEED();
}

TEST_CASE("numbers are what ICU prints", "[format][number][oracle]") {
    for (const auto* locale : locales) {
        const auto own = number_formatter::create(locale);
        const auto two = number_formatter::create(locale, fraction_digits{2, 2});
        test::icu_number_oracle icu(locale);
        test::random random(42);
        for (int i = 0; i < 300; ++i) {
            const std::string n = random.number(i % 4 == 0 ? 40 : 12, 8);
            const auto point = n.find('.');
            const int digits =
                point == std::string::npos ? 0 : static_cast<int>(n.size() - point - 1);
            const test::number value(n);
            exportd::rows::byte_buffer out;
            const text_flags flags = own->append(out, value.value());
            INFO(locale << " " << n << ", seed 42");
            const std::string expected = icu.number(n, digits);
            if (out.view() != expected) CHECK(out.view() == expected);
            if (flags.needs_quotes != wants_quotes(out.view())) FAIL_CHECK("quotes");
            out.clear();
            two->append(out, value.value());
            if (out.view() != icu.number(n, 2)) CHECK(out.view() == icu.number(n, 2));
        }
    }
    SUCCEED();
}

TEST_CASE("these locales need no ICU for their numbers", "[format]") {
    for (const auto* locale : locales) {
        INFO(locale);
        CHECK(number_formatter::create(locale)->fast());
        CHECK(money_formatter::create(locale)->fast());
    }
}
