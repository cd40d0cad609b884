#include <exportd/observe/asio_tracking.hpp>
#include <exportd/observe/turn_meter.hpp>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <catch.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using exportd::observe::turn_meter;
using namespace std::chrono_literals;

namespace {

turn_meter::clock::time_point at(std::chrono::nanoseconds t) {
    return turn_meter::clock::time_point{1h} + t;
}

// Has Asio's hook feed the meter, on this thread.
class installed {
public:
    explicit installed(turn_meter& m) { exportd::observe::meter_of_this_thread = &m; }
    ~installed() { exportd::observe::meter_of_this_thread = nullptr; }
    installed(const installed&) = delete;
    installed& operator=(const installed&) = delete;
};

}  // namespace

TEST_CASE("The time between begin and end is busy, the time outside is not",
          "[observe][turn_meter]") {
    turn_meter meter;
    meter.begin(at(0ms));
    meter.end(at(3ms));
    meter.begin(at(10ms));
    meter.end(at(14ms));
    CHECK(meter.read(at(20ms)).busy == 7ms);
    CHECK(meter.read(at(20ms)).turns == 2);
    CHECK(meter.read(at(20ms)).turn == 0ms);
}

TEST_CASE("A turn in progress counts as busy so far", "[observe][turn_meter]") {
    turn_meter meter;
    meter.begin(at(0ms));
    CHECK(meter.read(at(3000ms)).busy == 3000ms);
    CHECK(meter.read(at(3000ms)).turn == 3000ms);
    CHECK(meter.read(at(3000ms)).turns == 0);
    // A reader whose clock is behind sees no negative time.
    CHECK(meter.read(at(-1ms)).busy == 0ms);
}

TEST_CASE("Handlers within a handler are one turn", "[observe][turn_meter]") {
    turn_meter meter;
    meter.begin(at(0ms));
    meter.begin(at(1ms));
    meter.end(at(2ms));
    CHECK(meter.read(at(2ms)).turns == 0);
    meter.end(at(5ms));
    CHECK(meter.read(at(9ms)).busy == 5ms);
    CHECK(meter.read(at(9ms)).turns == 1);
}

TEST_CASE("An end without its begin is none", "[observe][turn_meter]") {
    turn_meter meter;
    meter.end(at(5ms));
    CHECK(meter.read(at(9ms)).turns == 0);
    CHECK(meter.read(at(9ms)).busy == 0ms);
}

TEST_CASE("What the loop does from waking on is part of the turn", "[observe][turn_meter]") {
    turn_meter meter;
    meter.wake(at(2ms));
    meter.begin(at(5ms));
    meter.wake(at(6ms));  // within a turn it says nothing
    meter.end(at(7ms));
    CHECK(meter.read(at(9ms)).busy == 5ms);

    // Once used, it is used up: the next turn begins when it begins.
    meter.begin(at(20ms));
    meter.end(at(21ms));
    CHECK(meter.read(at(30ms)).busy == 6ms);
}

TEST_CASE("A wake without a handler makes no later waiting busy", "[observe][turn_meter]") {
    turn_meter meter;
    meter.wake(at(2ms));
    meter.wake(at(900ms));
    meter.begin(at(901ms));
    meter.end(at(902ms));
    CHECK(meter.read(at(903ms)).busy == 2ms);
}

TEST_CASE("The loop's own steps between two handlers are busy", "[observe][turn_meter]") {
    turn_meter meter;
    meter.begin(at(0us));
    meter.end(at(100us));
    meter.begin(at(110us));
    meter.end(at(200us));
    CHECK(meter.read(at(300us)).busy == 200us);
    meter.begin(at(220us));
    meter.end(at(230us));
    CHECK(meter.read(at(300us)).busy == 210us);
}

TEST_CASE("A slow turn is told with its route, which the next turn does not inherit",
          "[observe][turn_meter]") {
    std::vector<std::pair<std::string, turn_meter::clock::duration>> told;
    turn_meter meter{50ms, [&](const std::string* route, turn_meter::clock::duration took) {
                         told.emplace_back(route == nullptr ? "none" : *route, took);
                     }};
    const std::string route = "/exports/{}.csv";
    meter.work_for(route);  // outside a turn it says nothing
    CHECK(meter.route() == nullptr);
    meter.begin(at(0ms));
    meter.work_for(route);
    CHECK(meter.route() == &route);
    meter.end(at(50ms));
    CHECK(meter.route() == nullptr);
    meter.begin(at(100ms));
    meter.end(at(149ms));
    meter.begin(at(200ms));
    meter.end(at(300ms));
    REQUIRE(told.size() == 2);
    CHECK(told[0].first == "/exports/{}.csv");
    CHECK(told[0].second == 50ms);
    CHECK(told[1].first == "none");
    CHECK(told[1].second == 100ms);
}

TEST_CASE("Asio's handlers are turns, also those that throw", "[observe][turn_meter]") {
    boost::asio::io_context loop{1};
    turn_meter meter;
    const installed here{meter};
    boost::asio::post(loop, [&] { boost::asio::dispatch(loop, [] {}); });
    loop.run();
    CHECK(meter.read(turn_meter::clock::now()).turns == 1);

    loop.restart();
    boost::asio::post(loop, [] { throw std::runtime_error{"thrown"}; });
    CHECK_THROWS(loop.run());
    CHECK(meter.read(turn_meter::clock::now()).turns == 2);
    CHECK(meter.read(turn_meter::clock::now()).turn == 0ns);
}

TEST_CASE("Handlers of other threads are no turns", "[observe][turn_meter]") {
    boost::asio::io_context loop{1};
    turn_meter meter;
    const installed here{meter};
    boost::asio::post(loop, [] {});
    std::thread other{[&] { loop.run(); }};
    other.join();
    CHECK(meter.read(turn_meter::clock::now()).turns == 0);
}

TEST_CASE("A meter is read on another thread, whole, while it counts", "[observe][turn_meter]") {
    turn_meter meter;
    constexpr int turns = 200'000;
    std::thread writer{[&] {
        for (int i = 0; i < turns; ++i) {
            meter.begin(at(i * 100us));
            meter.end(at(i * 100us + 30us));
        }
    }};
    // Each turn adds 30 us: busy and turns have to belong together.
    bool whole = true;
    for (turn_meter::reading r; r.turns < turns;) {
        r = meter.read(at(0us));
        whole = whole && r.busy == r.turns * 30us;
    }
    writer.join();
    CHECK(whole);
}
