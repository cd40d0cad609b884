#include <exportd/observe/loop_monitor.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <catch.hpp>
#include <optional>

using exportd::observe::loop_monitor;
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
    loop_monitor monitor{loop.get_executor(), 5ms};
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
    loop_monitor monitor{loop.get_executor()};
    monitor.start();
    boost::asio::post(loop, [&] { monitor.stop(); });
    loop.run();
    CHECK(monitor.total().count() == 0);
}

TEST_CASE("A monitor may end before its loop, with a tick due", "[observe][loop_monitor]") {
    boost::asio::io_context loop{1};
    std::optional<loop_monitor> monitor;
    monitor.emplace(loop.get_executor(), 1ms);
    monitor->start();
    block_for(2ms);
    boost::asio::post(loop, [&] { monitor.reset(); });
    loop.run();
    CHECK_FALSE(monitor);
}

TEST_CASE("A loop may end before its monitor", "[observe][loop_monitor]") {
    std::optional<boost::asio::io_context> loop{std::in_place, 1};
    loop_monitor monitor{loop->get_executor()};
    monitor.start();
    monitor.stop();
    loop->run();
    CHECK(monitor.summary().samples == 0);
}
