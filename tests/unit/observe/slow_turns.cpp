#include <exportd/observe/slow_turns.hpp>

#include <observe/recorder.hpp>

#include <catch.hpp>

using exportd::observe::slow_turns;
using namespace std::chrono_literals;

TEST_CASE("A slow turn is told with its route and counted, a storm of them in part",
          "[observe][slow_turns]") {
    recorder told;
    slow_turns slow{told};
    const std::string route = "/exports/{}.csv";
    const slow_turns::clock::time_point start{1h};
    slow.add(&route, 75500us, start);
    slow.add(nullptr, 51ms, start);
    REQUIRE(told.all("slow_turn").size() == 2);
    const auto first = told.all("slow_turn")[0];
    CHECK(field_of<std::string>(first, "route") == "/exports/{}.csv");
    CHECK(field_of<double>(first, "duration_ms") == 75.5);
    CHECK_FALSE(has_field(first, "suppressed"));
    CHECK(field_of<std::string>(told.all("slow_turn")[1], "route") == "other");

    for (int i = 0; i < 1000; ++i)
        slow.add(&route, 60ms, start + i * 60ms);
    CHECK(slow.counts().at("/exports/{}.csv") == 1001);
    CHECK(slow.counts().at("other") == 1);
    // Of a minute of nothing but slow turns: what was left at the start and one each 5 s.
    const auto all = told.all("slow_turn");
    CHECK(all.size() == 10 + 11);
    CHECK(field_of<std::int64_t>(all.back(), "suppressed") > 50);
}
