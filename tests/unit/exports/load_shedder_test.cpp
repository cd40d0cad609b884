#include <exportd/exports/load_shedder.hpp>

#include "catch.hpp"

using namespace std::chrono_literals;
using exportd::exports::load_shedder;
using exportd::exports::loop_load;

namespace {

// A shedder that is told the load every 250 ms.
struct script {
    load_shedder shedder;
    load_shedder::time_point now{};
    int changes = 0;

    void hold(loop_load load, std::chrono::milliseconds time) {
        for (; time > 0ms; time -= 250ms) {
            const bool before = shedder.shedding();
            shedder.update(load, now);
            changes += shedder.shedding() != before ? 1 : 0;
            now += 250ms;
        }
    }
};

}  // namespace

TEST_CASE("new exports are shed while the loop is late", "[exports]") {
    script s{load_shedder{{200ms, 1.0}}};
    s.hold({100ms, 0.5}, 10s);
    CHECK_FALSE(s.shedder.shedding());
    s.hold({201ms, 0.5}, 1s);
    CHECK_FALSE(s.shedder.shedding());
    s.hold({201ms, 0.5}, 500ms);
    CHECK(s.shedder.shedding());
    s.hold({50ms, 0.5}, 5s);
    CHECK(s.shedder.shedding());
    s.hold({50ms, 0.5}, 500ms);
    CHECK_FALSE(s.shedder.shedding());
}

TEST_CASE("new exports are shed while the loop is busy, if that is limited", "[exports]") {
    script limited{load_shedder{{200ms, 0.9}}};
    limited.hold({1ms, 0.95}, 2s);
    CHECK(limited.shedder.shedding());
    limited.hold({1ms, 0.75}, 10s);
    CHECK(limited.shedder.shedding());
    limited.hold({1ms, 0.7}, 6s);
    CHECK_FALSE(limited.shedder.shedding());

    script unlimited{load_shedder{{200ms, 1.0}}};
    unlimited.hold({1ms, 1.0}, 60s);
    CHECK_FALSE(unlimited.shedder.shedding());
}

TEST_CASE("a load around the limit for two minutes switches shedding once", "[exports]") {
    script s{load_shedder{{200ms, 0.9}}};
    for (int i = 0; i < 60; ++i) {
        s.hold({i % 2 == 0 ? 230ms : 170ms, i % 2 == 0 ? 0.93 : 0.8}, 2s);
    }
    CHECK(s.shedder.shedding());
    CHECK(s.changes == 1);
}

TEST_CASE("a burst that is over within a second sheds nothing", "[exports]") {
    script s{load_shedder{{200ms, 0.9}}};
    s.hold({300ms, 1.0}, 750ms);
    s.hold({1ms, 0.1}, 250ms);
    s.hold({300ms, 1.0}, 750ms);
    CHECK(s.changes == 0);
}
