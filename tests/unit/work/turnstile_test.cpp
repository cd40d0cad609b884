#include <exportd/work/turnstile.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "catch.hpp"
#include <algorithm>
#include <string>
#include <vector>

namespace asio = boost::asio;
using namespace std::chrono_literals;
using exportd::work::turnstile;

namespace {

using journal = std::vector<std::string>;

// A clock that only work moves.
struct fake_clock {
    turnstile::clock::time_point now{};
};

// Turns of a millisecond each.
asio::awaitable<void> work(turnstile& turns, fake_clock& time, std::string name, int times,
                           journal& done) {
    for (int i = 0; i < times; ++i) {
        co_await turns.next();
        done.push_back(name);
        time.now += 1ms;
    }
}

// Notes each of its passes, as a request that takes several would.
asio::awaitable<void> bystander(int passes, journal& done) {
    for (int i = 0; i < passes; ++i) {
        co_await asio::post(asio::use_awaitable);
        done.push_back("-");
    }
}

}  // namespace

TEST_CASE("callers take turns in the order of asking", "[work]") {
    asio::io_context loop{1};
    fake_clock time;
    turnstile turns{loop.get_executor(), [&time] { return time.now; }};
    journal done;
    for (const std::string name : {"a", "b", "c"})
        asio::co_spawn(loop, work(turns, time, name, 2, done), asio::detached);
    loop.run();
    // The first one asks for its second turn before the others ask for their first.
    CHECK(done == journal{"a", "a", "b", "c", "b", "c"});
    CHECK(turns.waiting() == 0);
}

TEST_CASE("a turn that is free is had at once", "[work]") {
    asio::io_context loop{1};
    fake_clock time;
    turnstile turns{loop.get_executor(), [&time] { return time.now; }};
    journal done;
    asio::co_spawn(loop, work(turns, time, "a", 1, done), asio::detached);
    CHECK(loop.poll_one() == 1);
    CHECK(done == journal{"a"});
}

TEST_CASE("others wait for one turn, however many have work", "[work]") {
    asio::io_context loop{1};
    fake_clock time;
    turnstile turns{loop.get_executor(), [&time] { return time.now; }};
    journal done;
    for (int i = 0; i < 50; ++i)
        asio::co_spawn(loop, work(turns, time, "w", 4, done), asio::detached);
    asio::co_spawn(loop, bystander(20, done), asio::detached);
    loop.run();
    std::size_t since = 0;
    std::size_t longest = 0;
    int passes = 0;
    for (const auto& what : done) {
        if (passes == 20) break;
        since = what == "w" ? since + 1 : 0;
        passes += what == "-" ? 1 : 0;
        longest = std::max(longest, since);
    }
    CHECK(passes == 20);
    CHECK(longest <= 2);
}

TEST_CASE("who is cancelled gives the place up", "[work]") {
    asio::io_context loop{1};
    fake_clock time;
    turnstile turns{loop.get_executor(), [&time] { return time.now; }};
    journal done;
    asio::cancellation_signal cancel;
    std::exception_ptr end;
    const auto note = [&end](std::exception_ptr e) { end = std::move(e); };
    asio::co_spawn(loop, work(turns, time, "a", 1, done), asio::detached);
    // The signal takes two passes to reach the one who waits.
    for (const std::string name : {"b", "c", "d"})
        asio::co_spawn(loop, work(turns, time, name, 1, done), asio::detached);
    asio::co_spawn(loop, work(turns, time, "gone", 1, done),
                   asio::bind_cancellation_slot(cancel.slot(), note));
    asio::co_spawn(loop, work(turns, time, "e", 1, done), asio::detached);
    for (int i = 0; i < 5; ++i)
        loop.poll_one();
    REQUIRE(turns.waiting() == 4);
    cancel.emit(asio::cancellation_type::terminal);
    loop.run();
    CHECK(end);
    CHECK(done == journal{"a", "b", "c", "d", "e"});
}

TEST_CASE("short turns follow each other within half a millisecond", "[work]") {
    asio::io_context loop{1};
    fake_clock time;
    turnstile turns{loop.get_executor(), [&time] { return time.now; }};
    journal done;
    const auto brief = [&]() -> asio::awaitable<void> {
        for (int i = 0; i < 6; ++i) {
            co_await turns.next();
            done.push_back("s");
            time.now += 200us;
        }
    };
    asio::co_spawn(loop, brief(), asio::detached);
    asio::co_spawn(loop, bystander(2, done), asio::detached);
    loop.run();
    CHECK(done == journal{"s", "s", "s", "-", "s", "s", "s", "-"});
}
