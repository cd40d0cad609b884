#include <exportd/reports/calendar.hpp>

#include "catch.hpp"
#include <string>

using namespace exportd;
using namespace exportd::reports;
using namespace std::chrono;

namespace {

// "2025-W36 2025-09-01/2025-09-08" for each.
std::vector<std::string> told(const std::vector<period>& periods) {
    std::vector<std::string> all;
    for (const auto& p : periods)
        all.push_back(p.name + " " + iso_date(p.days.from) + "/" + iso_date(p.days.to));
    return all;
}

using list = std::vector<std::string>;

}  // namespace

TEST_CASE("periods are cut at the ends of the range", "[reports]") {
    const day_range range{2025y / 9 / 29, 2025y / 10 / 8};
    CHECK(told(months_of(range)) ==
          list{"2025-09 2025-09-29/2025-10-01", "2025-10 2025-10-01/2025-10-08"});
    CHECK(told(weeks_of(range)) ==
          list{"2025-W40 2025-09-29/2025-10-06", "2025-W41 2025-10-06/2025-10-08"});
    CHECK(days_of(range).size() == 9);
    CHECK(days_of(range).back().name == "2025-10-07");
}

TEST_CASE("a week belongs to the year of its Thursday", "[reports]") {
    CHECK(told(weeks_of({2024y / 12 / 29, 2025y / 1 / 7})) ==
          list{"2024-W52 2024-12-29/2024-12-30", "2025-W01 2024-12-30/2025-01-06",
               "2025-W02 2025-01-06/2025-01-07"});
    CHECK(weeks_of({2021y / 1 / 1, 2021y / 1 / 2}).front().name == "2020-W53");
}

TEST_CASE("the range before is as long and ends where this one begins", "[reports]") {
    CHECK(range_before({2025y / 7 / 1, 2025y / 10 / 1}) ==
          day_range{2025y / 3 / 31, 2025y / 7 / 1});
    CHECK(range_before({2024y / 3 / 1, 2024y / 3 / 2}) == day_range{2024y / 2 / 29, 2024y / 3 / 1});
}

TEST_CASE("a day begins by the rules of its zone", "[reports]") {
    const auto london = format::time_zone::load("Europe/London");
    CHECK(start_parameter(2025y / 9 / 1, *london) == "2025-08-31 23:00:00+00");
    CHECK(start_rfc3339(2025y / 1 / 1, *london) == "2025-01-01T00:00:00Z");
    CHECK(start_parameter(sys_days{1y / 1 / 1} - days{1}, *london).ends_with(" BC"));
}

TEST_CASE("the stretches between two changes of the clocks cover the range", "[reports]") {
    const auto london = format::time_zone::load("Europe/London");
    const auto changes = clock_changes({2025y / 1 / 1, 2026y / 1 / 1}, *london);
    REQUIRE(changes.size() == 3);
    CHECK(changes[0].begin == "2025-01-01 00:00:00+00");
    CHECK(changes[1].begin == "2025-03-30 01:00:00+00");
    CHECK(changes[1].offset == "3600000000 microseconds");
    CHECK(changes[2].begin == "2025-10-26 01:00:00+00");
    CHECK(changes[2].offset == "0 microseconds");
    CHECK(clock_changes({2025y / 6 / 1, 2025y / 6 / 2}, *london).size() == 1);
}
