#include <exportd/observe/delay_gate.hpp>

#include <catch.hpp>

using exportd::observe::delay_gate;
using namespace std::chrono_literals;

namespace {

// Looks every 100 ms.
struct gate_script {
    delay_gate gate{{500ms, 250ms, 5s}};
    delay_gate::clock::time_point now{1h};
    int changes = 0;

    void hold(std::chrono::milliseconds time, std::chrono::microseconds delay) {
        for (const auto end = now + time; now < end; now += 100ms)
            changes += gate.update(now, delay) ? 1 : 0;
    }
};

}  // namespace

TEST_CASE("Only a delay that lasts makes high, and only calm that lasts ends it",
          "[observe][delay_gate]") {
    gate_script s;
    s.hold(10s, 1ms);
    s.hold(4900ms, 600ms);
    s.hold(100ms, 499ms);
    s.hold(5000ms, 600ms);
    CHECK_FALSE(s.gate.high());
    s.hold(100ms, 600ms);
    CHECK(s.gate.high());

    s.hold(60s, 251ms);  // better, but not well
    CHECK(s.gate.high());
    s.hold(4900ms, 100ms);
    s.hold(100ms, 300ms);
    s.hold(5000ms, 100ms);
    CHECK(s.gate.high());
    s.hold(100ms, 100ms);
    CHECK_FALSE(s.gate.high());
    CHECK(s.changes == 2);
}

TEST_CASE("Held around the limit for two minutes it does not flap", "[observe][delay_gate]") {
    gate_script s;
    for (int i = 0; i < 600; ++i) {
        s.hold(100ms, 490ms);
        s.hold(100ms, 510ms);
    }
    CHECK(s.changes == 0);

    s.hold(6s, 510ms);
    CHECK(s.gate.high());
    for (int i = 0; i < 12; ++i) {
        s.hold(3s, 480ms);
        s.hold(4s, 240ms);
        s.hold(3s, 520ms);
    }
    CHECK(s.changes == 1);
    CHECK(s.gate.high());
}

TEST_CASE("The levels themselves are still normal and still high", "[observe][delay_gate]") {
    gate_script s;
    s.hold(20s, 500ms);
    CHECK_FALSE(s.gate.high());
    s.hold(20s, 501ms);
    s.hold(20s, 250ms);
    CHECK(s.gate.high());
}
