#include <exportd/observe/cgroup_watch.hpp>

#include <catch.hpp>

using namespace exportd::observe;
using namespace std::chrono_literals;

namespace {

// A control group whose clock and counters the test turns.
struct group {
    cgroup_watch::clock::time_point now{};
    cgroup_usage usage;
    int reads = 0;
    cgroup_watch watch{[this] {
                           ++reads;
                           return usage;
                       },
                       [this] { return now; }};

    group() {
        usage.throttled_periods = 100;
        usage.throttled = 10s;
    }

    // So many seconds, in each of which threads stand still for `stood` in one period.
    void run(int seconds, std::chrono::milliseconds stood) {
        for (int i = 0; i < seconds; ++i) {
            now += 1s;
            usage.throttled = *usage.throttled + stood;
            usage.throttled_periods = *usage.throttled_periods + (stood > 0ms ? 1 : 0);
            watch.usage();
        }
    }
};

}  // namespace

TEST_CASE("the control group is looked at once a second at most", "[observe][cgroup]") {
    group g;
    g.usage.memory_bytes = 1;
    CHECK(g.watch.usage().memory_bytes == 1);
    g.usage.memory_bytes = 2;
    g.now += 999ms;
    CHECK(g.watch.usage().memory_bytes == 1);
    CHECK(g.watch.throttled() == false);
    CHECK(g.reads == 1);
    g.now += 1ms;
    CHECK(g.watch.usage().memory_bytes == 2);
    CHECK(g.reads == 2);
}

TEST_CASE("only throttling that is new and noticeable counts", "[observe][cgroup]") {
    group g;
    CHECK_FALSE(g.watch.throttled());  // the 10 s before
    g.run(20, 0ms);
    CHECK_FALSE(g.watch.throttled());
    g.run(10, 49ms);
    CHECK_FALSE(g.watch.throttled());
    g.run(10, 50ms);
    CHECK(g.watch.throttled());
}

TEST_CASE("throttling that is over is forgotten after the window", "[observe][cgroup]") {
    group g;
    g.run(3, 500ms);
    CHECK(g.watch.throttled());
    g.run(9, 0ms);
    CHECK(g.watch.throttled());
    g.run(2, 0ms);
    CHECK_FALSE(g.watch.throttled());
}

TEST_CASE("without a quota nothing is throttled", "[observe][cgroup]") {
    group g;
    g.usage = {};
    g.now += 1s;
    CHECK_FALSE(g.watch.throttled());
    g.now += 1s;
    CHECK_FALSE(g.watch.throttled());
}
