#include <exportd/observe/utilisation_window.hpp>

#include <catch.hpp>

using exportd::observe::utilisation_window;
using namespace std::chrono_literals;

namespace {

using clock_type = utilisation_window::clock;

// A loop whose time is passed on in ticks of 10 ms.
struct loop_script {
    utilisation_window window;
    clock_type::time_point now{1h};
    std::chrono::nanoseconds busy{0};

    void pass(std::chrono::milliseconds time, double load) {
        for (const auto end = now + time; now < end;) {
            now += 10ms;
            busy += std::chrono::duration_cast<std::chrono::nanoseconds>(10ms * load);
            window.sample(now, busy);
        }
    }
    double ratio() const { return window.ratio(now, busy); }
};

}  // namespace

TEST_CASE("Two seconds after an idle hour saturation shows, and two seconds after it is gone",
          "[observe][utilisation]") {
    loop_script loop;
    loop.pass(1h, 0.0);
    CHECK(loop.ratio() == 0.0);
    loop.pass(2s, 1.0);
    CHECK(loop.ratio() == Approx(1.0).margin(0.02));
    loop.pass(8s, 1.0);
    CHECK(loop.ratio() == Approx(1.0).margin(0.02));
    loop.pass(2s, 0.0);
    CHECK(loop.ratio() == Approx(0.0).margin(0.02));
}

TEST_CASE("A part of the time is that part", "[observe][utilisation]") {
    loop_script loop;
    loop.pass(5s, 0.25);
    CHECK(loop.ratio() == Approx(0.25).margin(0.01));
}

TEST_CASE("A stall, which lets no sample through, shows while it lasts", "[observe][utilisation]") {
    loop_script loop;
    loop.pass(10s, 0.0);
    loop.pass(900ms, 0.0);
    CHECK(loop.window.ratio(loop.now + 1s, loop.busy + 1s) == 1.0);
    CHECK(loop.window.ratio(loop.now + 3s, loop.busy + 3s) == 1.0);
    // And when it is over, until the next second is.
    loop.now += 3s;
    loop.busy += 3s;
    loop.window.sample(loop.now, loop.busy);
    loop.pass(990ms, 0.0);
    CHECK(loop.ratio() == 1.0);
    loop.pass(10ms, 0.0);
    CHECK(loop.ratio() == 0.0);
}

TEST_CASE("Before the first second is over nothing is claimed", "[observe][utilisation]") {
    loop_script loop;
    CHECK(loop.ratio() == 0.0);
    loop.pass(500ms, 1.0);
    CHECK(loop.ratio() == 0.0);
}
