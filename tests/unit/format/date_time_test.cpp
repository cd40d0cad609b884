#include <exportd/format/date_time.hpp>

#include <catch.hpp>
#include <chrono>
#include <limits>
#include <stdexcept>

using namespace exportd::format;
using namespace std::chrono_literals;

namespace {

using style = date_time_style;

std::int64_t at(int y, unsigned m, unsigned d, std::chrono::microseconds time = 0us) {
    using namespace std::chrono;
    const sys_days epoch = year{2000} / 1 / 1;
    return (sys_days{year{y} / month{m} / std::chrono::day{d}} - epoch + time) / 1us;
}

std::string text(const date_time_formatter& f, std::int64_t utc) {
    exportd::rows::byte_buffer out;
    f.append(out, utc);
    return std::string(out.view());
}

std::unique_ptr<date_time_formatter> london(style date = style::short_form,
                                            style time = style::medium) {
    return date_time_formatter::create("en-GB", time_zone::load("Europe/London"), date, time);
}

}  // namespace

TEST_CASE("an order's day is London's", "[format][date_time]") {
    const auto f = london();
    CHECK(text(*f, at(2025, 9, 29, 23h)) == "30/09/2025, 00:00:00");
    CHECK(text(*f, at(2025, 9, 30, 23h - 1us)) == "30/09/2025, 23:59:59");
    CHECK(text(*f, at(2025, 9, 30, 23h)) == "01/10/2025, 00:00:00");
    CHECK(text(*f, at(2025, 8, 31, 23h + 30min)) == "01/09/2025, 00:30:00");
    CHECK(text(*f, at(2025, 6, 30, 23h + 30min)) == "01/07/2025, 00:30:00");
    CHECK(text(*f, at(2025, 3, 30, 1h - 1us)) == "30/03/2025, 00:59:59");
    CHECK(text(*f, at(2025, 3, 30, 1h)) == "30/03/2025, 02:00:00");
}

TEST_CASE("the hour that comes twice prints alike", "[format][date_time]") {
    const auto f = london();
    CHECK(text(*f, at(2025, 10, 26, 30min)) == "26/10/2025, 01:30:00");
    CHECK(text(*f, at(2025, 10, 26, 1h + 30min)) == "26/10/2025, 01:30:00");
    CHECK(text(*f, at(2025, 10, 26, 23h + 59min)) == "26/10/2025, 23:59:00");
    CHECK(text(*f, at(2025, 10, 26, 30min)) == "26/10/2025, 01:30:00");
}

TEST_CASE("years, midnights and months are right", "[format][date_time]") {
    const auto f = london();
    CHECK(text(*f, at(2024, 12, 30, 12h)) == "30/12/2024, 12:00:00");
    CHECK(text(*f, at(2024, 12, 31)) == "31/12/2024, 00:00:00");
    const auto words = london(style::medium, style::none);
    const char* const months[] = {"Jan", "Feb", "Mar",  "Apr", "May", "Jun",
                                  "Jul", "Aug", "Sept", "Oct", "Nov", "Dec"};
    for (unsigned m = 1; m <= 12; ++m) {
        const std::string two = (m < 10 ? "0" : "") + std::to_string(m);
        CHECK(text(*f, at(2025, m, 15, 12h + 5s)).substr(0, 10) == "15/" + two + "/2025");
        CHECK(text(*words, at(2025, m, 15)) == "15 " + std::string(months[m - 1]) + " 2025");
    }
    CHECK(text(*f, at(1, 1, 5)) == "04/01/1, 23:58:45");
    CHECK(text(*f, at(150, 1, 5)) == "04/01/150, 23:58:45");
    CHECK(text(*f, at(1500, 2, 28, 12h)) == "28/02/1500, 11:58:45");
    CHECK(text(*f, at(9999, 1, 5)) == "05/01/9999, 00:00:00");
    CHECK(text(*f, at(12345, 6, 7)) == "07/06/12345, 01:00:00");
    CHECK(text(*f, at(0, 1, 5)) == "04/01/1, 23:58:45");
    CHECK(text(*f, at(-1, 1, 5)) == "04/01/2, 23:58:45");
}

TEST_CASE("infinities are bare", "[format][date_time]") {
    for (const auto* locale : {"en-GB", "th-TH"}) {
        const auto f = date_time_formatter::create(locale, time_zone::load("Europe/London"));
        exportd::rows::byte_buffer out;
        CHECK_FALSE(f->append(out, INT64_MAX).needs_quotes);
        CHECK(out.view() == "infinity");
        out.clear();
        CHECK_FALSE(f->append(out, INT64_MIN).needs_quotes);
        CHECK(out.view() == "-infinity");
        out.clear();
        f->append_date(out, std::numeric_limits<std::int32_t>::min());
        CHECK(out.view() == "-infinity");
        out.clear();
        f->append_date(out, std::numeric_limits<std::int32_t>::max());
        CHECK(out.view() == "infinity");
    }
}

TEST_CASE("the ends of what PostgreSQL stores are written", "[format][date_time]") {
    const auto f = london();
    CHECK(text(*f, 9'223'371'331'199'999'999) == "31/12/294276, 23:59:59");
    CHECK(text(*f, -211'813'488'000'000'000) == "23/11/4714, 23:58:45");  // 4714-11-24 BC
    CHECK_FALSE(text(*f, INT64_MAX - 1).empty());
    CHECK_FALSE(text(*f, INT64_MIN + 1).empty());
}

TEST_CASE("dates and times without a zone are shown as they are", "[format][date_time]") {
    exportd::rows::byte_buffer out;
    london(style::short_form, style::none)->append_date(out, 9313);
    CHECK(out.view() == "01/07/2025");
    out.clear();
    london(style::none, style::medium)->append_time(out, 45'296'999'999);
    CHECK(out.view() == "12:34:56");
    out.clear();
    london(style::none, style::short_form)->append_time(out, 86'400'000'000);
    CHECK(out.view() == "24:00:00");
    out.clear();
    const auto f = london();
    f->append_local(out, at(2025, 7, 1, 12h));
    f->append(out, at(2025, 7, 1, 12h));
    f->append_local(out, at(2025, 7, 1, 12h));
    CHECK(out.view() == "01/07/2025, 12:00:0001/07/2025, 13:00:0001/07/2025, 12:00:00");
    CHECK_THROWS_AS(london(style::none, style::none), std::invalid_argument);
}

TEST_CASE("a date that microseconds do not reach is written plainly", "[format][date_time]") {
    const auto f = london(style::short_form, style::none);
    const auto text = [&](std::int32_t days) {
        exportd::rows::byte_buffer out;
        CHECK(f->append_date(out, days).fallback);
        return std::string{out.view()};
    };
    CHECK(text(2'145'031'948) == "+5874897-12-31");  // the last one that PostgreSQL has
    CHECK(text(106'751'992) == "+294277-01-10");
    exportd::rows::byte_buffer out;
    CHECK_FALSE(f->append_date(out, 90'000'000).fallback);
}

TEST_CASE("a style that names the zone has our offset and ICU's name", "[format][date_time]") {
    CHECK(text(*london(style::full, style::full), at(2025, 9, 5, 15h)) ==
          "Friday, 5 September 2025 at 16:00:00 British Summer Time");
    CHECK(text(*london(style::long_form, style::long_form), at(2025, 12, 5, 15h)) ==
          "5 December 2025 at 15:00:00 GMT");
    // ICU of Debian 12 has the offset of before October 2022 for this zone in summer.
    const auto mexico = date_time_formatter::create("en-GB", time_zone::load("America/Mexico_City"),
                                                    style::short_form, style::full);
    CHECK(text(*mexico, at(2025, 7, 1, 12h)) == "01/07/2025, 06:00:00 Central Standard Time");
}

TEST_CASE("the need for quotes is known for dates", "[format][date_time]") {
    exportd::rows::byte_buffer out;
    const auto f = london();
    CHECK(f->quoting() == csv_class::always_needs_quotes);
    CHECK(f->append(out, at(2025, 1, 1)).needs_quotes);
    CHECK(london(style::short_form, style::none)->quoting() == csv_class::never_needs_quotes);
    CHECK_FALSE(london(style::short_form, style::none)->append_date(out, 1).needs_quotes);
}

TEST_CASE("these locales need no ICU for their dates", "[format][date_time]") {
    const auto fast = [](const char* locale) {
        return date_time_formatter::create(locale, time_zone::load("Europe/London"))->fast();
    };
    for (const auto* locale :
         {"en-GB", "en-US", "de-DE", "fr-FR", "de-CH", "en-IN", "ja-JP", "pl-PL", "ar-EG", "es-ES",
          "sv-SE", "hi-IN", "bn-BD", "he-IL", "lt-LT"}) {
        INFO(locale);
        CHECK(fast(locale));
    }
    CHECK_FALSE(fast("th-TH"));                // Buddhist calendar
    CHECK_FALSE(fast("fa-IR"));                // Persian calendar
    CHECK_FALSE(fast("ja-JP-u-ca-japanese"));  // emperors' eras
    CHECK_FALSE(london(style::full, style::full)->fast());
}
