#include <exportd/work/worker_pool.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/system/system_error.hpp>
#include <sys/resource.h>

#include "catch.hpp"
#include <algorithm>
#include <atomic>
#include <future>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace asio = boost::asio;
using namespace exportd::work;

namespace {

// Keeps what is told from the pool's threads.
struct reports {
    std::mutex guard;
    std::vector<outcome> all;

    void add(const task_report& r) {
        const std::lock_guard lock{guard};
        all.push_back(r.what);
    }
    std::size_t count(outcome what) {
        const std::lock_guard lock{guard};
        return static_cast<std::size_t>(std::count(all.begin(), all.end(), what));
    }
};

worker_pool_options options_for(reports& told, std::size_t threads, std::size_t queue) {
    worker_pool_options o;
    o.threads = threads;
    o.queue = queue;
    o.reported = [&told](const task_report& r) { told.add(r); };
    return o;
}

// A job that runs until it is released or asked to stop.
struct gate {
    std::promise<void> started;
    std::atomic<bool> open{false};
    std::atomic<bool> asked_to_stop{false};

    std::function<int(std::stop_token)> job() {
        return [this](const std::stop_token& stop) {
            started.set_value();
            while (!open && !stop.stop_requested())
                std::this_thread::yield();
            asked_to_stop = stop.stop_requested();
            return 1;
        };
    }
};

asio::awaitable<int> run_int(worker_pool& pool, std::string caller,
                             std::function<int(std::stop_token)> job, lane in = lane::brief) {
    co_return co_await pool.run(in, std::move(caller), std::move(job));
}

struct fixture {
    asio::io_context loop;
    reports told;

    std::future<int> start(worker_pool& pool, std::function<int(std::stop_token)> job,
                           const std::string& caller = "a", lane in = lane::brief) {
        auto result =
            asio::co_spawn(loop, run_int(pool, caller, std::move(job), in), asio::use_future);
        loop.poll();
        return result;
    }
    int finish(std::future<int>& result) {
        loop.restart();
        loop.run();
        return result.get();
    }
};

bool is_aborted(const boost::system::system_error& e) {
    return e.code() == asio::error::operation_aborted;
}

}  // namespace

TEST_CASE("a job runs beside the loop and its caller goes on upon the loop", "[work]") {
    fixture f;
    worker_pool pool{options_for(f.told, 1, 8)};
    std::thread::id ran;
    std::thread::id resumed;
    const auto body = [&]() -> asio::awaitable<void> {
        auto job = [&ran](std::stop_token) {
            ran = std::this_thread::get_id();
            return std::string{"text"};
        };
        const std::string text = co_await pool.run(lane::brief, "a", std::move(job));
        resumed = std::this_thread::get_id();
        CHECK(text == "text");
    };
    asio::co_spawn(f.loop, body(), asio::detached);
    f.loop.run();
    CHECK(resumed == std::this_thread::get_id());
    CHECK(ran != resumed);
    CHECK(ran != std::thread::id{});
    CHECK(f.told.count(outcome::done) == 1);
}

TEST_CASE("what a job throws reaches its caller", "[work]") {
    fixture f;
    worker_pool pool{options_for(f.told, 1, 8)};
    auto result = f.start(pool, [](std::stop_token) -> int { throw std::runtime_error{"broken"}; });
    CHECK_THROWS_WITH(f.finish(result), "broken");
    CHECK(f.told.count(outcome::failed) == 1);
}

TEST_CASE("threads and queue are bounded, and more is refused at once", "[work]") {
    fixture f;
    gate first;
    worker_pool pool{options_for(f.told, 1, 1)};
    auto running = f.start(pool, first.job());
    first.started.get_future().wait();
    auto queued = f.start(pool, [](std::stop_token) { return 2; });
    CHECK(pool.state().busy == 1);
    CHECK(pool.state().queued == 1);
    CHECK(pool.state().threads == 1);
    auto refused = f.start(pool, [](std::stop_token) { return 3; });
    f.loop.poll();
    CHECK_THROWS_AS(refused.get(), pool_full);
    first.open = true;
    CHECK(f.finish(running) == 1);
    CHECK(queued.get() == 2);
    CHECK(f.told.count(outcome::refused) == 1);
}

TEST_CASE("a cancelled job in the queue never runs", "[work]") {
    fixture f;
    gate first;
    std::atomic<bool> ran{false};
    worker_pool pool{options_for(f.told, 1, 8)};
    auto running = f.start(pool, first.job());
    first.started.get_future().wait();

    asio::cancellation_signal cancel;
    std::exception_ptr end;
    const auto note = [&end](std::exception_ptr e, int) { end = std::move(e); };
    asio::co_spawn(f.loop,
                   run_int(pool, "b",
                           [&ran](std::stop_token) {
                               ran = true;
                               return 0;
                           }),
                   asio::bind_cancellation_slot(cancel.slot(), note));
    f.loop.poll();
    cancel.emit(asio::cancellation_type::terminal);
    f.loop.poll();
    REQUIRE(end);
    CHECK_THROWS_MATCHES(std::rethrow_exception(end), boost::system::system_error,
                         Catch::Predicate<boost::system::system_error>(is_aborted));
    CHECK(pool.state().queued == 0);

    first.open = true;
    CHECK(f.finish(running) == 1);
    CHECK_FALSE(ran);
    CHECK(f.told.count(outcome::cancelled) == 1);
}

TEST_CASE("a cancelled job that runs is asked to stop", "[work]") {
    fixture f;
    gate held;
    worker_pool pool{options_for(f.told, 1, 8)};
    asio::cancellation_signal cancel;
    std::exception_ptr end;
    const auto note = [&end](std::exception_ptr e, int) { end = std::move(e); };
    asio::co_spawn(f.loop, run_int(pool, "a", held.job()),
                   asio::bind_cancellation_slot(cancel.slot(), note));
    f.loop.poll();
    held.started.get_future().wait();
    cancel.emit(asio::cancellation_type::terminal);
    f.loop.restart();
    f.loop.run();
    REQUIRE(end);
    CHECK_THROWS_MATCHES(std::rethrow_exception(end), boost::system::system_error,
                         Catch::Predicate<boost::system::system_error>(is_aborted));
    CHECK(held.asked_to_stop);
}

TEST_CASE("closing drops what waits, stops what runs and refuses what comes", "[work]") {
    fixture f;
    gate held;
    worker_pool pool{options_for(f.told, 1, 8)};
    auto running = f.start(pool, held.job());
    held.started.get_future().wait();
    auto queued = f.start(pool, [](std::stop_token) { return 2; });
    pool.close();
    auto late = f.start(pool, [](std::stop_token) { return 3; });
    f.loop.restart();
    f.loop.run();
    CHECK_THROWS_AS(running.get(), boost::system::system_error);
    CHECK_THROWS_AS(queued.get(), boost::system::system_error);
    CHECK_THROWS_AS(late.get(), pool_full);
    CHECK(held.asked_to_stop);
}

TEST_CASE("many jobs from many coroutines each get their own result", "[work]") {
    fixture f;
    worker_pool pool{options_for(f.told, 4, 1000)};
    std::vector<std::future<int>> results;
    for (int i = 0; i < 500; ++i) {
        results.push_back(f.start(
            pool, [i](std::stop_token) { return i * i; }, "caller " + std::to_string(i % 7)));
    }
    f.loop.restart();
    f.loop.run();
    for (int i = 0; i < 500; ++i)
        CHECK(results[static_cast<std::size_t>(i)].get() == i * i);
    CHECK(f.told.count(outcome::done) == 500);
}

TEST_CASE("lasting work never takes the last thread, so brief work goes on", "[work]") {
    fixture f;
    gate first;
    gate second;
    worker_pool pool{options_for(f.told, 2, 8)};
    auto one = f.start(pool, first.job(), "a", lane::lasting);
    auto two = f.start(pool, second.job(), "b", lane::lasting);
    first.started.get_future().wait();
    auto brief = f.start(pool, [](std::stop_token) { return 7; });
    f.loop.restart();
    while (brief.wait_for(std::chrono::seconds{0}) != std::future_status::ready)
        f.loop.run_one();
    CHECK(brief.get() == 7);
    CHECK(pool.state().busy == 1);
    CHECK(pool.state().queued == 1);
    first.open = true;
    second.started.get_future().wait();
    second.open = true;
    CHECK(f.finish(one) == 1);
    CHECK(two.get() == 1);
}

TEST_CASE("brief work never takes the last thread either", "[work]") {
    fixture f;
    gate first;
    gate second;
    worker_pool pool{options_for(f.told, 2, 8)};
    CHECK(pool.lane_width() == 1);
    auto one = f.start(pool, first.job());
    auto two = f.start(pool, second.job());
    first.started.get_future().wait();
    auto lasting = f.start(
        pool, [](std::stop_token) { return 7; }, "a", lane::lasting);
    f.loop.restart();
    while (lasting.wait_for(std::chrono::seconds{0}) != std::future_status::ready)
        f.loop.run_one();
    CHECK(lasting.get() == 7);
    first.open = true;
    second.started.get_future().wait();
    second.open = true;
    CHECK(f.finish(one) == 1);
    CHECK(two.get() == 1);
}

TEST_CASE("a single thread serves both lanes in turn", "[work]") {
    fixture f;
    gate held;
    std::vector<int> order;
    worker_pool pool{options_for(f.told, 1, 8)};
    auto running = f.start(pool, held.job());
    held.started.get_future().wait();
    const auto noting = [&order](int n) {
        return [&order, n](std::stop_token) {
            order.push_back(n);
            return n;
        };
    };
    std::vector<std::future<int>> rest;
    rest.push_back(f.start(pool, noting(1)));
    rest.push_back(f.start(pool, noting(2)));
    rest.push_back(f.start(pool, noting(3), "a", lane::lasting));
    rest.push_back(f.start(pool, noting(4), "a", lane::lasting));
    held.open = true;
    CHECK(f.finish(running) == 1);
    CHECK(order == std::vector<int>{3, 1, 4, 2});
}

TEST_CASE("threads stand back as far as they are told to, and others do not", "[work]") {
    fixture f;
    auto o = options_for(f.told, 1, 8);
    o.niceness = 7;
    worker_pool pool{o};
    auto result = f.start(pool, [](std::stop_token) {
        return ::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()));
    });
    CHECK(f.finish(result) == 7);
    CHECK(::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid())) != 7);
}
