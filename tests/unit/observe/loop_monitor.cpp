#include <exportd/observe/loop_monitor.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <observe/recorder.hpp>

#include <atomic>
#include <catch.hpp>
#include <optional>
#include <thread>

using exportd::observe::loop_monitor;
using exportd::observe::loop_monitor_options;
using namespace std::chrono_literals;

namespace {

void block_for(std::chrono::milliseconds length) {
    const auto end = loop_monitor::clock::now() + length;
    while (loop_monitor::clock::now() < end) {
    }
}

}  // namespace

TEST_CASE("A blocked loop shows its stall, and a heartbeat that stands still",
          "[observe][loop_monitor]") {
    boost::asio::io_context loop{1};
    recorder told;
    loop_monitor monitor{loop.get_executor(), told, {.resolution = 5ms}};
    monitor.start();
    loop.run_one();
    const auto before = monitor.last_turn();

    block_for(100ms);
    CHECK(monitor.last_turn() == before);
    loop.run_one();

    CHECK(monitor.last_turn() - before >= 100ms);
    CHECK(monitor.summary().max >= 94ms);
    CHECK(monitor.summary().max < 1s);
    CHECK(monitor.summary().samples >= 19);
    CHECK(monitor.total().count() == monitor.summary().samples);
}

TEST_CASE("A stopped monitor lets its loop run out of work", "[observe][loop_monitor]") {
    boost::asio::io_context loop{1};
    recorder told;
    loop_monitor monitor{loop.get_executor(), told};
    monitor.start();
    boost::asio::post(loop, [&] { monitor.stop(); });
    loop.run();
    CHECK(monitor.total().count() == 0);
}

TEST_CASE("A monitor may end before its loop, with a tick due", "[observe][loop_monitor]") {
    boost::asio::io_context loop{1};
    std::optional<loop_monitor> monitor;
    recorder told;
    monitor.emplace(loop.get_executor(), told, loop_monitor_options{.resolution = 1ms});
    monitor->start();
    block_for(2ms);
    boost::asio::post(loop, [&] { monitor.reset(); });
    loop.run();
    CHECK_FALSE(monitor);
}

TEST_CASE("A loop may end before its monitor", "[observe][loop_monitor]") {
    std::optional<boost::asio::io_context> loop{std::in_place, 1};
    recorder told;
    loop_monitor monitor{loop->get_executor(), told};
    monitor.start();
    monitor.stop();
    loop->run();
    CHECK(monitor.summary().samples == 0);
}

TEST_CASE("A stall shows on another thread while it lasts", "[observe][loop_monitor]") {
    boost::asio::io_context loop{1};
    recorder told;
    loop_monitor monitor{loop.get_executor(), told, {.resolution = 5ms, .slow_turn = 50ms}};
    monitor.start();
    loop.run_one();
    const std::string route = "/debug/block";
    exportd::observe::loop_health during;
    boost::asio::post(loop, [&] {
        monitor.turns().work_for(route);
        block_for(120ms);
        std::thread{[&] { during = monitor.health(loop_monitor::clock::now()); }}.join();
    });
    loop.run_one();

    CHECK(during.window.max >= 110ms);
    CHECK(during.window.p99 >= 100ms);
    CHECK(during.turn >= 120ms);
    CHECK(during.busy >= 120ms);
    CHECK(during.route == "/debug/block");
    CHECK(during.turns == 1);
    CHECK(during.delays.count() == 1);
    CHECK(during.slow_turns.empty());

    const auto after = monitor.health(loop_monitor::clock::now());
    CHECK(after.turns == 2);
    CHECK(after.turn == 0ms);
    CHECK(after.route.empty());
    CHECK(after.slow_turns.at("/debug/block") == 1);
    REQUIRE(told.all("slow_turn").size() == 1);
    CHECK(field_of<double>(told.all("slow_turn")[0], "duration_ms") >= 120.0);
}

TEST_CASE("Readers on other threads keep no tick out for good", "[observe][loop_monitor]") {
    boost::asio::io_context loop{1};
    recorder told;
    loop_monitor monitor{loop.get_executor(), told, {.resolution = 1ms}};
    monitor.start();
    std::atomic<bool> over{false};
    std::thread reader{[&] {
        while (!over)
            monitor.health(loop_monitor::clock::now());
    }};
    for (int ticks = 0; ticks < 100; ++ticks)
        loop.run_one();
    over = true;
    reader.join();
    loop.run_one();
    CHECK(monitor.total().count() >= 101);
}
