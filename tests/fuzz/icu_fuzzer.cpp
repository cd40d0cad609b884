// Any amount in any currency, any number and any instant: the bytes that ICU prints.
#include <exportd/format/date_time.hpp>
#include <exportd/format/money.hpp>
#include <exportd/format/number.hpp>

#include <format/icu_date_oracle.hpp>
#include <format/icu_number_oracle.hpp>
#include <format/numeric_wire.hpp>
#include <fuzzer/FuzzedDataProvider.h>

#include "check.hpp"
#include <array>

using namespace exportd;

namespace {

constexpr std::array locales{"en-GB", "en-US", "de-DE", "fr-FR", "de-CH",
                             "en-IN", "ja-JP", "pl-PL", "ar-EG"};

// The formatters of one locale and ICU's own.
struct pair {
    explicit pair(const char* locale)
        : money{format::money_formatter::create(locale)},
          number{format::number_formatter::create(locale, format::fraction_digits{2, 2})},
          zone{format::time_zone::load("Europe/London")},
          dates{format::date_time_formatter::create(locale, zone)},
          numbers_of_icu{locale},
          dates_of_icu{locale, icu::DateFormat::kShort, icu::DateFormat::kMedium} {}

    std::unique_ptr<format::money_formatter> money;
    std::unique_ptr<format::number_formatter> number;
    std::shared_ptr<const format::time_zone> zone;
    std::unique_ptr<format::date_time_formatter> dates;
    format::test::icu_number_oracle numbers_of_icu;
    format::test::icu_date_oracle dates_of_icu;
};

std::string consume_number(FuzzedDataProvider& in) {
    std::string text = in.ConsumeBool() ? "-" : "";
    const auto digits = [&](std::size_t most) {
        const auto count = in.ConsumeIntegralInRange<std::size_t>(1, most);
        for (std::size_t i = 0; i < count; ++i)
            text += static_cast<char>('0' + in.ConsumeIntegralInRange(0, 9));
    };
    digits(40);
    if (in.ConsumeBool()) {
        text += '.';
        digits(20);
    }
    return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static std::map<std::size_t, pair> pairs;
    FuzzedDataProvider in{data, size};
    const auto which = in.ConsumeIntegralInRange<std::size_t>(0, locales.size() - 1);
    auto& p = pairs.try_emplace(which, locales.at(which)).first->second;

    std::string code(3, 'A');
    for (char& c : code)
        c = static_cast<char>('A' + in.ConsumeIntegralInRange(0, 25));
    const auto text = consume_number(in);
    const format::test::number value{text};
    const bool zero = text.find_first_of("123456789") == std::string::npos;
    rows::byte_buffer out;
    p.money->append(out, value.value(), code);
    // A zero has no sign here: the documented difference.
    if (!zero) fuzz::check(out.view() == p.numbers_of_icu.money(text, code), "the amount of ICU");
    out.clear();
    p.number->append(out, value.value());
    if (!zero) fuzz::check(out.view() == p.numbers_of_icu.number(text, 2), "the number of ICU");

    constexpr std::int64_t first = -63'082'281'600'000'000;  // 0001-01-01
    constexpr std::int64_t last = 252'455'615'999'999'999;   // 9999-12-31
    const auto t = in.ConsumeIntegralInRange(first, last);
    out.clear();
    p.dates->append(out, t);
    fuzz::check(out.view() == p.dates_of_icu.text(p.zone->to_local(t)), "the date-time of ICU");
    return 0;
}
