// What the tests of this directory share: the real server, seen from beside the pool.
#pragma once

#include <exportd/pg/cursor_factory.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "catch.hpp"
#include <chrono>
#include <cstdlib>
#include <functional>
#include <libpq-fe.h>
#include <memory>
#include <stdexcept>
#include <string>

// GCC 12 sees a mismatch where an inlined coroutine frees its frame through Asio's recycler.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace exportd::pg::test {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

inline std::string database_url() {
    const char* url = std::getenv("EXPORTD_TEST_DATABASE_URL");
    if (!url) throw std::runtime_error{"set EXPORTD_TEST_DATABASE_URL to a throwaway server"};
    return url;
}

// A blocking connection of the test itself.
class admin {
public:
    explicit admin(const std::string& url = database_url())
        : conn_(PQconnectdb(url.c_str()), PQfinish) {
        if (PQstatus(conn_.get()) != CONNECTION_OK) {
            throw std::runtime_error{PQerrorMessage(conn_.get())};
        }
        PQsetNoticeReceiver(
            conn_.get(), [](void*, const PGresult*) {}, nullptr);
    }

    // The first value of the last statement's result; empty for none.
    std::string ask(const std::string& sql) {
        const result r{PQexec(conn_.get(), sql.c_str())};
        const auto status = PQresultStatus(r.get());
        if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
            throw std::runtime_error{PQresultErrorMessage(r.get())};
        }
        return PQntuples(r.get()) > 0 ? PQgetvalue(r.get(), 0, 0) : "";
    }

    std::string parameter(const char* name) { return PQparameterStatus(conn_.get(), name); }
    std::string host() { return PQhost(conn_.get()); }
    std::string port() { return PQport(conn_.get()); }
    std::string database() { return PQdb(conn_.get()); }
    std::string password() { return PQpass(conn_.get()); }
    std::string user() { return PQuser(conn_.get()); }

private:
    std::unique_ptr<PGconn, decltype(&PQfinish)> conn_;
};

struct recorder final : observer {
    int opened = 0;
    int lost = 0;
    int cancelled = 0;
    int backoffs = 0;
    void connection_opened(int, std::chrono::milliseconds) noexcept override { ++opened; }
    void connection_lost(int, std::string_view) noexcept override { ++lost; }
    void backing_off(std::chrono::milliseconds, std::string_view) noexcept override { ++backoffs; }
    void query_cancelled(int) noexcept override { ++cancelled; }
};

// Waits on the loop until `holds`, looking every few milliseconds; fails the test after `limit`.
// Nothing is awaited inside CHECK, which would run it twice.
inline asio::awaitable<void> eventually(std::function<bool()> holds, clock::duration limit) {
    const auto end = clock::now() + limit;
    asio::steady_timer look{co_await asio::this_coro::executor};
    bool held = holds();
    while (!held && clock::now() < end) {
        look.expires_after(5ms);
        co_await look.async_wait(asio::use_awaitable);
        held = holds();
    }
    CHECK(held);
}

// A loop with a pool on it. Everything the test awaits runs inside run(), which then shuts the
// pool down and returns only when the loop has run out of work by itself.
class loop_with_pool {
public:
    explicit loop_with_pool(settings s = {}) {
        if (s.url.empty()) s.url = database_url();
        pool =
            std::make_shared<pg::pool>(loop.get_executor(), std::move(s), names, cancels, events);
        factory = std::make_unique<cursor_factory>(pool);
    }

    void run(asio::awaitable<void> script) {
        std::exception_ptr failure;
        asio::co_spawn(loop, then_shut_down(std::move(script), pool.get()),
                       [&failure](std::exception_ptr e) { failure = e; });
        loop.run_for(60s);
        if (failure) std::rethrow_exception(failure);
        CHECK(loop.stopped());
    }

    asio::io_context loop{1};
    system_resolver names;
    canceller cancels;
    recorder events;
    std::shared_ptr<pg::pool> pool;
    std::unique_ptr<cursor_factory> factory;

private:
    static asio::awaitable<void> then_shut_down(asio::awaitable<void> script, pg::pool* pool) {
        std::exception_ptr failure;
        try {
            co_await std::move(script);
        } catch (...) {
            failure = std::current_exception();
        }
        co_await pool->shutdown();
        if (failure) std::rethrow_exception(failure);
    }
};

inline rows::query query_of(std::string sql, std::string tag = "exportd-test") {
    rows::query q;
    q.sql = std::move(sql);
    q.tag = std::move(tag);
    return q;
}

// Checks that `work` ends with `expected`.
inline asio::awaitable<void> fails_with(errc expected, asio::awaitable<void> work) {
    boost::system::error_code ended;
    try {
        co_await std::move(work);
    } catch (const boost::system::system_error& e) {
        ended = e.code();
    }
    CHECK(ended == make_error_code(expected));
}

inline asio::awaitable<std::size_t> drain(rows::row_source* source) {
    std::size_t rows = 0;
    while (const auto batch = co_await source->next())
        rows += batch->row_count();
    co_return rows;
}

// Checks how many rows are left.
inline asio::awaitable<void> has_left(rows::row_source* source, std::size_t expected) {
    const auto rows = co_await drain(source);
    CHECK(rows == expected);
}

inline asio::awaitable<void> open_and_drain(loop_with_pool* on, rows::query q, std::size_t* rows) {
    auto opened = co_await on->factory->open(std::move(q));
    while (const auto batch = co_await opened.source->next())
        *rows += batch->row_count();
}

inline asio::awaitable<void> open_only(loop_with_pool* on, rows::query q) {
    co_await on->factory->open(std::move(q));
}

inline std::string backends(const std::string& tag, const std::string& where = "true") {
    return "SELECT count(*) FROM pg_stat_activity WHERE application_name = '" + tag + "' AND " +
           where;
}

}  // namespace exportd::pg::test
