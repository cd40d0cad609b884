#include <exportd/format/time_zone.hpp>

#include <date/tz.h>
#include <unicode/timezone.h>

#include <catch.hpp>
#include <memory>
#include <stdexcept>

using namespace exportd::format;
using namespace std::chrono_literals;

namespace {

constexpr std::int64_t epoch = 946'684'800;  // 2000-01-01 in Unix time

std::int64_t micros(date::sys_seconds t) {
    return (t.time_since_epoch().count() - epoch) * 1'000'000;
}
std::int64_t micros(int y, unsigned m, unsigned d, std::chrono::seconds time = 0s) {
    return micros(date::sys_days{date::year{y} / date::month{m} / date::day{d}} + time);
}
std::int32_t day(int y, unsigned m, unsigned d) {
    return static_cast<std::int32_t>(micros(y, m, d) / micros_per_day);
}
std::int64_t offset_seconds(const time_zone& zone, std::int64_t utc) {
    return zone.at(utc).offset / micros_per_second;
}

constexpr std::array zones{"Europe/London", "America/New_York", "Asia/Kathmandu",
                           "Australia/Lord_Howe", "Africa/Casablanca"};

}  // namespace

TEST_CASE("every change of a zone is where the system's files have it", "[format][time_zone]") {
    // The date library reads the same files on its own. It does not read the rule at their end,
    // so it is asked for the years before 2038 only.
    const date::sys_seconds last = date::sys_days{date::year{2037} / 12 / 31};
    for (const auto* name : zones) {
        const auto zone = time_zone::load(name);
        std::size_t changes = 0;
        for (date::sys_seconds t = date::sys_days{date::year{1} / 1 / 1}; t < last; ++changes) {
            const auto expected = date::locate_zone(name)->get_info(t);
            const auto end = std::min(expected.end, last);
            INFO(name << " " << t.time_since_epoch().count());
            CHECK(zone->at(micros(t)).offset == expected.offset.count() * micros_per_second);
            CHECK(zone->at(micros(end) - 1).offset == expected.offset.count() * micros_per_second);
            t = end;
        }
        CHECK(changes > 1);
    }
}

TEST_CASE("the rule after the last stored change holds for ever", "[format][time_zone]") {
    const auto london = time_zone::load("Europe/London");
    // 25 March 2040 is the last Sunday of that month; likewise 31 March 9997.
    CHECK(offset_seconds(*london, micros(2040, 3, 25, 1h) - 1) == 0);
    CHECK(offset_seconds(*london, micros(2040, 3, 25, 1h)) == 3600);
    CHECK(offset_seconds(*london, micros(2040, 10, 28, 1h) - 1) == 3600);
    CHECK(offset_seconds(*london, micros(2040, 10, 28, 1h)) == 0);
    CHECK(offset_seconds(*london, micros(9999, 7, 1)) == 3600);
    CHECK(offset_seconds(*london, micros(9999, 12, 31)) == 0);
    CHECK(offset_seconds(*london, 9'223'371'331'199'999'999) == 0);  // 294276-12-31
    const auto howe = time_zone::load("Australia/Lord_Howe");
    CHECK(offset_seconds(*howe, micros(2500, 1, 1)) == 39'600);
    CHECK(offset_seconds(*howe, micros(2500, 7, 1)) == 37'800);
}

TEST_CASE("rules after 2037 are ICU's, where its copy knows the zone's rule",
          "[format][time_zone]") {
    for (const auto* name :
         {"Europe/London", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu",
          "America/Havana", "Pacific/Chatham", "Europe/Dublin"}) {
        const auto zone = time_zone::load(name);
        const std::unique_ptr<icu::TimeZone> icu(icu::TimeZone::createTimeZone(name));
        for (int year = 2030; year < 10'000; year += year < 2450 ? 1 : 97) {
            for (int hours = 0; hours < 365 * 24; hours += 31) {
                const std::int64_t t = micros(year, 1, 1) + hours * 3600 * micros_per_second;
                std::int32_t raw = 0;
                std::int32_t saving = 0;
                UErrorCode status = U_ZERO_ERROR;
                icu->getOffset(static_cast<double>(t / 1000 + epoch * 1000), false, raw, saving,
                               status);
                if (zone->at(t).offset != (raw + saving) * std::int64_t{1000}) {
                    INFO(name << " " << year << " hour " << hours);
                    CHECK(zone->at(t).offset == (raw + saving) * std::int64_t{1000});
                    return;
                }
            }
        }
    }
    SUCCEED();
}

TEST_CASE("an interval says how long it holds", "[format][time_zone]") {
    for (const auto* name : zones) {
        const auto zone = time_zone::load(name);
        for (std::int64_t t = micros(1800, 1, 1); t < micros(3000, 1, 1);) {
            const auto i = zone->at(t);
            REQUIRE(i.contains(t));
            REQUIRE(i.begin == (t == micros(1800, 1, 1) ? i.begin : t));
            if (i.end == INT64_MAX) break;
            t = i.end;
        }
    }
}

TEST_CASE("local mean time holds before the first change", "[format][time_zone]") {
    CHECK(offset_seconds(*time_zone::load("Europe/London"), micros(1, 1, 1)) == -75);
    CHECK(offset_seconds(*time_zone::load("Europe/London"), INT64_MIN + 1) == -75);
    CHECK(offset_seconds(*time_zone::load("Asia/Kathmandu"), micros(1900, 1, 1)) == 20'476);
}

TEST_CASE("the system's rules are used, not ICU's older ones", "[format][time_zone]") {
    // Mexico gave summer time up in October 2022; Kazakhstan has one offset since March 2024.
    CHECK(offset_seconds(*time_zone::load("America/Mexico_City"), micros(2025, 7, 1)) == -21'600);
    CHECK(offset_seconds(*time_zone::load("Asia/Almaty"), micros(2025, 1, 1)) == 18'000);
    CHECK(offset_seconds(*time_zone::load("Africa/Cairo"), micros(2025, 7, 1)) == 10'800);
}

TEST_CASE("a day starts by the zone's rules", "[format][time_zone]") {
    const auto london = time_zone::load("Europe/London");
    CHECK(london->start_of_day(day(2025, 9, 1)) == micros(2025, 8, 31, 23h));
    CHECK(london->start_of_day(day(2025, 10, 1)) == micros(2025, 9, 30, 23h));
    CHECK(london->start_of_day(day(2025, 1, 1)) == micros(2025, 1, 1));
    // 23 and 25 hours.
    CHECK(london->start_of_day(day(2025, 3, 31)) - london->start_of_day(day(2025, 3, 30)) ==
          23 * 3600 * micros_per_second);
    CHECK(london->start_of_day(day(2025, 10, 27)) - london->start_of_day(day(2025, 10, 26)) ==
          25 * 3600 * micros_per_second);
    // No midnight: Beirut's clocks go from 00:00 to 01:00.
    CHECK(time_zone::load("Asia/Beirut")->start_of_day(day(2024, 3, 31)) ==
          micros(2024, 3, 30, 22h));
    // Two: Havana's go from 01:00 back to 00:00.
    CHECK(time_zone::load("America/Havana")->start_of_day(day(2024, 11, 3)) ==
          micros(2024, 11, 3, 4h));
    // No such day: Samoa had no 30 December 2011.
    const auto apia = time_zone::load("Pacific/Apia");
    CHECK(apia->start_of_day(day(2011, 12, 30)) == micros(2011, 12, 30, 10h));
    CHECK(apia->start_of_day(day(2011, 12, 31)) == micros(2011, 12, 30, 10h));
}

TEST_CASE("every instant is in exactly one day and quarter", "[format][time_zone]") {
    for (const auto* name : zones) {
        const auto zone = time_zone::load(name);
        for (std::int32_t d = day(2020, 1, 1); d < day(2040, 1, 1); ++d) {
            const std::int64_t start = zone->start_of_day(d);
            REQUIRE(zone->to_local(start) == d * micros_per_day);
            REQUIRE(zone->to_local(start - 1) < d * micros_per_day);
        }
    }
    const auto london = time_zone::load("Europe/London");
    const std::int64_t last_june_evening = micros(2025, 6, 30, 23h + 30min);
    CHECK(last_june_evening >= london->start_of_day(day(2025, 7, 1)));
    CHECK(micros(2025, 8, 31, 23h + 30min) >= london->start_of_day(day(2025, 9, 1)));
}

TEST_CASE("an unknown zone is an error that names it", "[format][time_zone]") {
    for (const auto* name :
         {"", "Europe/Londn", "Europe", "../zoneinfo/UTC", "/usr/share/zoneinfo/UTC", "tzdata.zi",
          "GMT0BST,M3.5.0/1,M10.5.0", "zone.tab"}) {
        CHECK_THROWS_AS(time_zone::load(name), std::invalid_argument);
        CHECK_THROWS_WITH(time_zone::load(name), Catch::Matchers::Contains(name));
    }
    CHECK(time_zone::load("UTC")->at(0).offset == 0);
    CHECK(time_zone::load("Etc/GMT+5")->at(0).offset == -5 * 3600 * micros_per_second);
}

TEST_CASE("the version of the rules is known", "[format][time_zone]") {
    const std::string version = time_zone::tzdata_version();
    REQUIRE(version.size() >= 5);
    CHECK(version >= "2023a");
    CHECK(time_zone::tzdata_version("/nonexistent") == "unknown");
}
