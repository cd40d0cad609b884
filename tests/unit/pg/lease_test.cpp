#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <sys/socket.h>

#include "server.hpp"
#include <array>
#include <csignal>
#include <filesystem>
#include <memory>
#include <set>
#include <vector>

using namespace exportd;
using namespace exportd::pg;
using namespace exportd::pg::test;

namespace {

const std::string sleepy = "SELECT pg_sleep(60)::text AS s";

std::size_t open_files() {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator{"/proc/self/fd"})
        ++count;
    return count;
}

std::set<int> connected_sockets() {
    std::set<int> found;
    for (int each = 3; each < 256; ++each) {
        sockaddr_storage peer{};
        socklen_t size = sizeof peer;
        if (::getpeername(each, reinterpret_cast<sockaddr*>(&peer), &size) == 0) found.insert(each);
    }
    return found;
}

}  // namespace

TEST_CASE("a terminated backend ends the query, and the pool heals") {
    loop_with_pool on;
    const auto script = [](loop_with_pool* l) -> asio::awaitable<void> {
        admin server;
        auto opened = co_await l->factory->open(
            query_of("SELECT i FROM generate_series(1, 2000000) i", "kill-me"));
        co_await opened.source->next();
        server.ask(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = "
            "'kill-me'");
        bool failed = false;
        try {
            co_await drain(opened.source.get());
        } catch (const boost::system::system_error& e) {
            failed = e.code() == errc::database_unavailable;
        }
        CHECK(failed);
        opened.source.reset();
        std::size_t rows = 0;
        co_await open_and_drain(l, query_of("SELECT 1"), &rows);
        CHECK(rows == 1);
    };
    on.run(script(&on));
}

TEST_CASE("a lost connection takes nothing from who has its descriptor's number next") {
    loop_with_pool on;
    const auto script = [](loop_with_pool* l) -> asio::awaitable<void> {
        const auto before = connected_sockets();
        auto opened =
            co_await l->factory->open(query_of("SELECT i FROM generate_series(1, 2000000) i"));
        for (const int each : connected_sockets()) {
            if (!before.contains(each)) ::shutdown(each, SHUT_RDWR);
        }
        bool failed = false;
        try {
            co_await drain(opened.source.get());
        } catch (const boost::system::system_error&) {
            failed = true;
        }
        CHECK(failed);
        // libpq has closed its socket: one of these has its number.
        std::vector<std::unique_ptr<asio::local::stream_protocol::socket>> near, far;
        std::size_t heard = 0;
        std::array<char, 8> bytes{};
        for (int i = 0; i < 8; ++i) {
            auto& a =
                near.emplace_back(std::make_unique<asio::local::stream_protocol::socket>(l->loop));
            auto& b =
                far.emplace_back(std::make_unique<asio::local::stream_protocol::socket>(l->loop));
            asio::local::connect_pair(*a, *b);
            a->async_read_some(asio::buffer(bytes), [&heard](auto ec, auto) { heard += !ec; });
        }
        opened.source.reset();
        for (const auto& each : far)
            each->write_some(asio::buffer("x", 1));
        co_await eventually([&heard] { return heard == 8; }, 2s);
        near.clear();
        co_await asio::post(asio::use_awaitable);
    };
    on.run(script(&on));
}

TEST_CASE("an idle connection that the server closed is noticed and replaced") {
    loop_with_pool on;
    const auto script = [](loop_with_pool* l) -> asio::awaitable<void> {
        admin server;
        int pid = 0;
        {
            const auto held = co_await l->pool->acquire();
            pid = held->backend_pid();
        }
        server.ask("SELECT pg_terminate_backend(" + std::to_string(pid) + ")");
        co_await eventually([l] { return l->events.opened == 2; }, 2s);
        CHECK(l->events.lost == 1);
        CHECK(l->pool->stats().idle == 1);
    };
    on.run(script(&on));
}

TEST_CASE("a stale connection costs a query nothing but a reconnect") {
    loop_with_pool on;
    const auto script = [](loop_with_pool* l) -> asio::awaitable<void> {
        admin server;
        int pid = 0;
        {
            const auto held = co_await l->pool->acquire();
            pid = held->backend_pid();
        }
        // The loop does not turn between here and open(), so the pool can't know yet.
        server.ask("SELECT pg_terminate_backend(" + std::to_string(pid) + ", 5000)");
        std::size_t rows = 0;
        co_await open_and_drain(l, query_of("SELECT 1"), &rows);
        CHECK(rows == 1);
    };
    on.run(script(&on));
    CHECK(on.events.opened == 2);
}

TEST_CASE("a query that is dropped stops on the server, its connection is replaced") {
    loop_with_pool on;
    const auto script = [](loop_with_pool* l) -> asio::awaitable<void> {
        admin server;
        asio::cancellation_signal stop;
        boost::system::error_code ended;
        bool done = false;
        asio::co_spawn(l->loop, open_only(l, query_of(sleepy, "drop-me")),
                       asio::bind_cancellation_slot(stop.slot(), [&](std::exception_ptr e) {
                           done = true;
                           try {
                               if (e) std::rethrow_exception(e);
                           } catch (const boost::system::system_error& error) {
                               ended = error.code();
                           }
                       }));
        co_await eventually(
            [&] { return server.ask(backends("drop-me", "state = 'active'")) == "1"; }, 5s);
        stop.emit(asio::cancellation_type::terminal);
        co_await eventually([&] { return done; }, 100ms);
        CHECK(ended == asio::error::operation_aborted);
        co_await eventually([&] { return server.ask(backends("drop-me")) == "0"; }, 2s);
        std::size_t rows = 0;
        co_await open_and_drain(l, query_of("SELECT 1"), &rows);
        CHECK(rows == 1);
    };
    on.run(script(&on));
    CHECK(on.events.cancelled == 1);
}

TEST_CASE("a query that ends in time after it is dropped gives its connection back") {
    loop_with_pool on;
    const auto script = [](loop_with_pool* l) -> asio::awaitable<void> {
        admin server;
        for (int i = 0; i < 100; ++i) {
            co_await open_only(l,
                               query_of("SELECT i FROM generate_series(1, 100000) i", "abandoned"));
        }
        co_await eventually([&] { return l->pool->stats().leased == 0; }, 2s);
        CHECK(server.ask("SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in%' "
                         "AND application_name = 'abandoned'") == "0");
    };
    const auto before = open_files();
    on.run(script(&on));
    CHECK(on.events.cancelled == 0);
    CHECK(on.events.opened <= 4);
    CHECK(open_files() <= before + 1);
}

TEST_CASE("first_row_timeout ends a query without a row, and its backend") {
    loop_with_pool on;
    const auto script = [](loop_with_pool* l) -> asio::awaitable<void> {
        admin server;
        auto q = query_of(sleepy, "no-row");
        q.first_row_timeout = 200ms;
        co_await fails_with(errc::first_row_timeout, open_only(l, q));
        co_await eventually([&] { return server.ask(backends("no-row")) == "0"; }, 2s);
    };
    on.run(script(&on));
}

TEST_CASE("a stopped backend runs into the progress timeout while others go on") {
    settings s;
    s.progress_timeout = 300ms;
    loop_with_pool on{s};
    const auto script = [](loop_with_pool* l) -> asio::awaitable<void> {
        admin server;
        auto stopped = co_await l->factory->open(
            query_of("SELECT i FROM generate_series(1, 9000000) i", "stop-me"));
        const auto pid = std::stoi(
            server.ask("SELECT pid FROM pg_stat_activity WHERE application_name = 'stop-me'"));
        REQUIRE(kill(pid, SIGSTOP) == 0);
        bool timed_out = false;
        try {
            co_await drain(stopped.source.get());
        } catch (const boost::system::system_error& e) {
            timed_out = e.code() == errc::progress_timeout;
        }
        std::size_t rows = 0;
        co_await open_and_drain(l, query_of("SELECT i FROM generate_series(1, 1000) i"), &rows);
        kill(pid, SIGCONT);
        CHECK(timed_out);
        CHECK(rows == 1000);
        stopped.source.reset();
        co_await eventually([&] { return server.ask(backends("stop-me")) == "0"; }, 3s);
    };
    on.run(script(&on));
}

TEST_CASE("a full pool refuses within its bound and serves in order") {
    settings s;
    s.size = 1;
    s.pool_wait = 200ms;
    loop_with_pool on{s};
    const auto script = [](loop_with_pool* l) -> asio::awaitable<void> {
        auto held = co_await l->pool->acquire();
        const auto began = clock::now();
        co_await fails_with(errc::pool_exhausted, open_only(l, query_of("SELECT 1")));
        CHECK(clock::now() - began >= 200ms);
        CHECK(clock::now() - began < 1s);

        std::string order;
        std::size_t rows = 0;
        asio::co_spawn(l->loop, open_and_drain(l, query_of("SELECT 1"), &rows),
                       [&order](std::exception_ptr e) { order += e ? "!" : "a"; });
        asio::co_spawn(l->loop, open_and_drain(l, query_of("SELECT 1"), &rows),
                       [&order](std::exception_ptr e) { order += e ? "!" : "b"; });
        co_await eventually([l] { return l->pool->stats().waiting == 2; }, 100ms);
        held.give_back();
        co_await eventually([&order] { return order.size() == 2; }, 1s);
        CHECK(order == "ab");
    };
    on.run(script(&on));
}

TEST_CASE("shutdown waits for the lease that is out and opens nothing more") {
    loop_with_pool on;
    const auto script = [](loop_with_pool* l) -> asio::awaitable<void> {
        auto opened =
            co_await l->factory->open(query_of("SELECT i FROM generate_series(1, 100000) i"));
        bool down = false;
        asio::co_spawn(l->loop, l->pool->shutdown(), [&down](std::exception_ptr) { down = true; });
        co_await fails_with(errc::shutting_down, open_only(l, query_of("SELECT 1")));
        co_await has_left(opened.source.get(), 100'000);
        co_await eventually([&down] { return down; }, 1s);
    };
    on.run(script(&on));
    CHECK(on.events.opened == 1);
}
