#include <exportd/observe/delay_window.hpp>

#include <catch.hpp>

using exportd::observe::delay_window;
using namespace std::chrono_literals;

namespace {

// A loop whose timer ticks every 5 ms, on a clock of its own.
class pretended_loop {
public:
    void idle(delay_window::clock::duration length) {
        for (const auto end = now_ + length; now_ < end;)
            stall(0us);
    }

    // The next tick is due in 5 ms and runs `late` after that.
    void stall(delay_window::clock::duration late) {
        const auto due = now_ + 5ms;
        now_ = due + late;
        window_.tick(due, now_);
    }

    auto summary() const { return window_.summary(now_); }
    const delay_window& window() const { return window_; }

private:
    delay_window window_{5ms};
    delay_window::clock::time_point now_{1000s};
};

}  // namespace

TEST_CASE("An idle loop has no delay", "[observe][delay_window]") {
    pretended_loop loop;
    loop.idle(10s);
    CHECK(loop.summary().p50 == 0us);
    CHECK(loop.summary().p99 == 0us);
    CHECK(loop.summary().max == 0us);
    CHECK(loop.summary().mean == 0us);
}

TEST_CASE("Before the first tick there is nothing to tell", "[observe][delay_window]") {
    const delay_window window{5ms};
    CHECK(window.summary(delay_window::clock::time_point{5s}).samples == 0);
}

TEST_CASE("One stall of 3 s counts for 3 s", "[observe][delay_window]") {
    pretended_loop loop;
    loop.idle(6s);
    loop.stall(3s);
    CHECK(loop.summary().max == 3s);
    CHECK(loop.summary().samples == 1200 + 600);
    CHECK(loop.summary().p50 == 0us);
    CHECK(loop.summary().p99 > 2850ms);
    CHECK(loop.summary().p99 <= 3s);
    CHECK(loop.window().total().count() == 1800);
}

TEST_CASE("200 ms in every second show as a p99 of about 200 ms", "[observe][delay_window]") {
    pretended_loop loop;
    for (int second = 0; second < 10; ++second) {
        loop.stall(200ms);
        loop.idle(795ms);
    }
    CHECK(loop.summary().max == 200ms);
    CHECK(loop.summary().p99 >= 190ms);
    CHECK(loop.summary().p99 <= 200ms);
    CHECK(loop.summary().p50 == 0us);
    CHECK(loop.summary().mean >= 20ms);  // 10 stalls * 40 ticks * 102.5 ms on average / 2,000 ticks
    CHECK(loop.summary().mean <= 21ms);
}

TEST_CASE("A stall leaves the window after 10 s, and never the total", "[observe][delay_window]") {
    pretended_loop loop;
    loop.stall(3s);
    loop.idle(9s);
    CHECK(loop.summary().max == 3s);
    loop.idle(1s);
    CHECK(loop.summary().max == 0us);
    CHECK(loop.summary().samples <= 2000);
    CHECK(loop.window().total().max() == 3s);
}

TEST_CASE("A window that nobody ticked for long is empty", "[observe][delay_window]") {
    delay_window window{5ms};
    window.tick(delay_window::clock::time_point{1000s}, delay_window::clock::time_point{1001s});
    CHECK(window.summary(delay_window::clock::time_point{1001s}).max == 1s);
    CHECK(window.summary(delay_window::clock::time_point{1011s}).samples == 0);
}

TEST_CASE("A tick that comes early is on time", "[observe][delay_window]") {
    delay_window window{5ms};
    window.tick(delay_window::clock::time_point{1000s}, delay_window::clock::time_point{999'999ms});
    CHECK(window.total().count() == 1);
    CHECK(window.total().max() == 0us);
}
