#include <exportd/observe/stall_watch.hpp>

#include <catch.hpp>

using exportd::observe::stall_watch;
using change = stall_watch::change;
using namespace std::chrono_literals;

namespace {

stall_watch::clock::time_point at(std::chrono::milliseconds t) {
    return stall_watch::clock::time_point{1h} + t;
}

}  // namespace

TEST_CASE("A stall is told once when it is over the limit, and once when it ends",
          "[observe][stall_watch]") {
    stall_watch watch{1s};
    CHECK(watch.look(at(0ms), at(0ms)) == change::none);
    CHECK(watch.look(at(500ms), at(0ms)) == change::none);
    CHECK(watch.look(at(1000ms), at(0ms)) == change::none);
    CHECK(watch.look(at(1100ms), at(0ms)) == change::begun);
    CHECK(watch.counts().stalls == 1);
    CHECK(watch.counts().current == 1100ms);
    CHECK(watch.counts().stalled == 1100ms);
    CHECK(watch.look(at(2000ms), at(0ms)) == change::none);
    CHECK(watch.counts().current == 2000ms);
    CHECK(watch.look(at(2900ms), at(0ms)) == change::none);
    CHECK(watch.look(at(3100ms), at(3000ms)) == change::ended);
    CHECK(watch.last_length() == 3000ms);
    CHECK(watch.counts().current == 0ms);
    CHECK(watch.counts().stalled == 3000ms);

    CHECK(watch.look(at(3200ms), at(3190ms)) == change::none);
    CHECK(watch.look(at(4000ms), at(3190ms)) == change::none);
    CHECK(watch.look(at(4500ms), at(3190ms)) == change::begun);
    CHECK(watch.look(at(4800ms), at(4790ms)) == change::ended);
    CHECK(watch.counts().stalls == 2);
    CHECK(watch.counts().stalled == 4600ms);
}

TEST_CASE("A process that was stopped as a whole is no stall of its loop",
          "[observe][stall_watch]") {
    stall_watch watch{1s};
    watch.look(at(0ms), at(0ms));
    CHECK(watch.look(at(60'000ms), at(0ms)) == change::none);
    CHECK(watch.look(at(60'100ms), at(60'090ms)) == change::none);
    CHECK(watch.counts().stalls == 0);
}

TEST_CASE("A loop that stands still after such a stop is one", "[observe][stall_watch]") {
    stall_watch watch{1s};
    watch.look(at(0ms), at(0ms));
    watch.look(at(60'000ms), at(0ms));
    CHECK(watch.look(at(60'100ms), at(0ms)) == change::begun);
}
