#include <exportd/observe/loop_watchdog.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <observe/recorder.hpp>

#include <catch.hpp>
#include <thread>

using namespace exportd::observe;
using namespace std::chrono_literals;

namespace {

// Not inlined, as its name is looked for.
[[gnu::noinline]] void spin_until_told(const recorder& told, std::string_view name) {
    while (told.all(name).empty())
        std::this_thread::yield();
}

// A loop on the test's thread, a watchdog on another.
class watched_loop {
public:
    explicit watched_loop(loop_watchdog_options options)
        : dog_{ops_.get_executor(), monitor_, pthread_self(), ready_, told_, std::move(options)} {
        monitor_.start();
        dog_.start();
        ready_.set(readiness::state::ready);
        thread_ = std::thread{[this] { ops_.run(); }};
    }
    ~watched_loop() {
        boost::asio::post(ops_, [this] { dog_.stop(); });
        thread_.join();
    }

    // Turns until the event is told, then returns it; the test's time limit is the limit.
    event turn_until(std::string_view name) {
        while (told_.all(name).empty())
            loop_.run_one();
        return told_.all(name).front();
    }

    // Blocks the loop until the event is told, so that it is told during the block.
    void block_until(std::string_view name) {
        boost::asio::post(loop_, [this, name] {
            monitor_.turns().work_for(route_);
            spin_until_told(told_, name);
        });
        while (told_.all(name).empty())
            loop_.run_one();
    }

    recorder& told() { return told_; }
    const readiness& ready() const { return ready_; }

private:
    const std::string route_ = "/debug/block";
    recorder told_;
    readiness ready_;
    boost::asio::io_context loop_{1};
    boost::asio::io_context ops_{1};
    loop_monitor monitor_{loop_.get_executor(), told_};
    loop_watchdog dog_;
    std::thread thread_;
};

loop_watchdog_options quick() {
    loop_watchdog_options o;
    o.stall = 150ms;
    o.log_every = 0ms;
    o.delay = {300ms, 150ms, 200ms};
    return o;
}

}  // namespace

TEST_CASE("A stall is told while it lasts, with the stack, and then its length",
          "[observe][loop_watchdog]") {
    watched_loop loop{quick()};
    loop.block_until("loop_stalled");
    const auto stalled = loop.told().all("loop_stalled").at(0);
    CHECK(field_of<std::string>(stalled, "cause") == "blocked");
    CHECK(field_of<std::string>(stalled, "route") == "/debug/block");
    CHECK(field_of<double>(stalled, "stalled_ms") > 150.0);
    const auto stack = field_of<std::string>(stalled, "stack");
    INFO(stack);
    CHECK(stack.find("spin_until_told") != std::string::npos);
    CHECK(loop.told().all("loop_stall_ended").empty());

    const auto ended = loop.turn_until("loop_stall_ended");
    CHECK(field_of<double>(ended, "duration_ms") >= field_of<double>(stalled, "stalled_ms") - 1);
    CHECK(loop.told().all("loop_stalled").size() == 1);
}

TEST_CASE("A stall of a throttled process is told as that", "[observe][loop_watchdog]") {
    auto options = quick();
    options.throttled = [] { return true; };
    watched_loop loop{options};
    loop.block_until("loop_stalled");
    CHECK(field_of<std::string>(loop.told().all("loop_stalled").at(0), "cause") == "throttled");
}

TEST_CASE("Delay that lasts is a reason against readiness, told once", "[observe][loop_watchdog]") {
    watched_loop loop{quick()};
    loop.block_until("loop_delay_high");
    CHECK(loop.ready().reasons() == std::vector<std::string_view>{"delay"});
    CHECK(loop.told().all("loop_delay_high").size() == 1);
}

TEST_CASE("A line about the loop comes at its times", "[observe][loop_watchdog]") {
    auto options = quick();
    options.log_every = 100ms;
    watched_loop loop{options};
    const auto line = loop.turn_until("loop");
    CHECK(field_of<std::int64_t>(line, "turns") > 0);
    CHECK(field_of<double>(line, "p50_ms") >= 0.0);
    CHECK(field_of<double>(line, "max_ms") >= field_of<double>(line, "p99_ms"));
    CHECK(field_of<double>(line, "utilisation") >= 0.0);
    CHECK_FALSE(field_of<bool>(line, "throttled"));
}
