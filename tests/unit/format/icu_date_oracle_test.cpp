#include "icu_date_oracle.hpp"

#include <exportd/format/date_time.hpp>

#include "random.hpp"
#include <catch.hpp>
#include <memory>

using namespace exportd::format;

namespace {

constexpr std::array locales{"en-GB", "en-US", "de-DE", "fr-FR", "de-CH", "en-IN", "ja-JP",
                             "pl-PL", "ar-EG", "th-TH", "fa-IR", "es-ES", "sv-SE", "hi-IN",
                             "bn-BD", "he-IL", "lt-LT", "my-MM", "ko-KR", "hu-HU"};
constexpr std::array zones{"Europe/London", "America/New_York", "Asia/Kathmandu",
                           "Australia/Lord_Howe", "Africa/Casablanca"};

}  // namespace

TEST_CASE("instants in the years 1 to 9999 are what ICU prints", "[format][date_time][oracle]") {
    constexpr std::int64_t from = -63'082'281'600'000'000;  // 0001-01-01
    constexpr std::uint64_t span = 315'537'897'600'000'000;
    const struct {
        date_time_style date, time;
        icu::DateFormat::EStyle icu_date, icu_time;
    } styles[] = {
        {date_time_style::short_form, date_time_style::medium, icu::DateFormat::kShort,
         icu::DateFormat::kMedium},
        {date_time_style::full, date_time_style::short_form, icu::DateFormat::kFull,
         icu::DateFormat::kShort},
        {date_time_style::long_form, date_time_style::none, icu::DateFormat::kLong,
         icu::DateFormat::kNone},
    };
    for (const auto* locale : locales) {
        for (const auto& style : styles) {
            test::random random(7);
            const auto zone = time_zone::load(zones[random.below(zones.size())]);
            const auto f = date_time_formatter::create(locale, zone, style.date, style.time);
            const test::icu_date_oracle icu(locale, style.icu_date, style.icu_time);
            for (int i = 0; i < 400; ++i) {
                std::int64_t t = from + static_cast<std::int64_t>(random.below(span));
                if (i % 2 == 0)
                    t = static_cast<std::int64_t>(random.below(1'600'000'000)) * 1'000'000;
                for (int k = 0; k < 2; ++k, t += 13 * 3600 * micros_per_second) {
                    exportd::rows::byte_buffer out;
                    f->append(out, t);
                    const std::string expected = icu.text(zone->to_local(t));
                    if (out.view() != expected) {
                        INFO(locale << " " << zone->name() << " " << t << ", seed 7");
                        CHECK(out.view() == expected);
                    }
                }
            }
        }
    }
    SUCCEED();
}

TEST_CASE("both sides of every change of a zone are right", "[format][date_time][oracle]") {
    const test::icu_date_oracle icu("en-GB", icu::DateFormat::kShort, icu::DateFormat::kMedium);
    for (const auto* name : zones) {
        const auto zone = time_zone::load(name);
        const auto f = date_time_formatter::create("en-GB", zone);
        for (auto i = zone->at(-6'000'000'000'000'000); i.end < 3'000'000'000'000'000;
             i = zone->at(i.end)) {
            for (const std::int64_t t : {i.end - 1, i.end, i.end - 1, i.end + 3'600'000'000}) {
                exportd::rows::byte_buffer out;
                f->append(out, t);
                const std::string expected = icu.text(zone->to_local(t));
                INFO(name << " " << t);
                if (out.view() != expected) CHECK(out.view() == expected);
            }
        }
    }
    SUCCEED();
}
