#include <exportd/rows/wire.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/detached.hpp>

#include "server.hpp"
#include <csignal>
#include <filesystem>

using namespace exportd;
using namespace exportd::pg;
using namespace exportd::pg::test;
using rows::value_kind;

namespace {

const std::string sleepy = "SELECT pg_sleep(60)::text AS s";

asio::awaitable<void> open_and_drain(loop_with_pool* on, rows::query q, std::size_t* rows) {
    auto opened = co_await on->factory->open(std::move(q));
    while (const auto batch = co_await opened.source->next())
        *rows += batch->row_count();
}

asio::awaitable<void> open_only(loop_with_pool* on, rows::query q) {
    co_await on->factory->open(std::move(q));
}

std::int64_t int8_at(const rows::row_batch& batch, std::size_t row, std::size_t columns = 1) {
    std::vector<rows::cell> cells(columns);
    batch.read_row(row, cells.data());
    return rows::load_int64(cells[0].data);
}

std::size_t open_files() {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator{"/proc/self/fd"})
        ++count;
    return count;
}

}  // namespace

TEST_CASE("every row comes once and in order") {
    loop_with_pool on;
    const auto script = [](loop_with_pool* l) -> asio::awaitable<void> {
        auto opened = co_await l->factory->open(
            query_of("SELECT i FROM generate_series(1::bigint, 50000) i"));
        CHECK(opened.source->columns().size() == 1);
        CHECK(opened.source->columns()[0].name == "i");
        CHECK(opened.source->columns()[0].kind == value_kind::int8);
        CHECK_FALSE(opened.expected_rows);
        std::int64_t expected = 0;
        bool in_order = true;
        while (const auto batch = co_await opened.source->next()) {
            for (std::size_t r = 0; r < batch->row_count(); ++r)
                in_order &= int8_at(*batch, r) == ++expected;
        }
        CHECK(in_order);
        CHECK(expected == 50000);
        const auto after_the_end = co_await opened.source->next();
        CHECK(after_the_end == nullptr);
    };
    on.run(script(&on));
}

TEST_CASE("no rows, one row, and exactly as many as a FETCH asks for") {
    const std::size_t wanted = GENERATE(0U, 1U, 9U, 17U, 81U, 145U, 657U);
    loop_with_pool on;
    std::size_t rows = 0;
    auto q = query_of("SELECT i FROM generate_series(1, $1) i");
    q.parameters = {std::to_string(wanted)};
    on.run(open_and_drain(&on, q, &rows));
    CHECK(rows == wanted);
}

TEST_CASE("NULL, an empty text and a parameter that is NULL") {
    loop_with_pool on;
    const auto script = [](loop_with_pool* l) -> asio::awaitable<void> {
        auto q = query_of("SELECT NULL::int, ''::text, $1::text -- a comment");
        q.parameters = {std::nullopt};
        q.row_limit = 10;
        auto opened = co_await l->factory->open(q);
        CHECK(opened.expected_rows == 1U);
        const auto batch = co_await opened.source->next();
        rows::cell cells[3];
        batch->read_row(0, cells);
        CHECK(cells[0].is_null());
        CHECK_FALSE(cells[1].is_null());
        CHECK(cells[1].size == 0);
        CHECK(cells[2].is_null());
    };
    on.run(script(&on));
}

TEST_CASE("a query that can't be run says so from open, and keeps the server's words for the log") {
    loop_with_pool on;
    const auto script = [](loop_with_pool* l) -> asio::awaitable<void> {
        bool told = false;
        try {
            co_await l->factory->open(query_of("SELECT 1/0"));
        } catch (const server_error& e) {
            told = true;
            CHECK(e.code() == errc::query_failed);
            CHECK(e.sqlstate() == "22012");
            CHECK(e.message() == "division by zero");
        }
        CHECK(told);
        co_await fails_with(errc::query_failed,
                            open_only(l, query_of("SELECT nothing FROM nowhere")));
        auto zero = query_of("SELECT $1::text");
        zero.parameters = {std::string("a\0b", 3)};
        co_await fails_with(errc::query_failed, open_only(l, zero));
        co_await fails_with(errc::unsupported_type,
                            open_only(l, query_of("SELECT '10.0.0.1'::inet")));
        co_await open_only(l, query_of("SELECT 1"));
    };
    on.run(script(&on));
    CHECK(on.events.opened <= 4);
    CHECK(on.events.cancelled == 0);
}

TEST_CASE("division by zero in the middle delivers what came before it and then fails") {
    loop_with_pool on;
    std::size_t rows = 0;
    const auto script = [](loop_with_pool* l, std::size_t* n) -> asio::awaitable<void> {
        const auto q = query_of("SELECT 100 / (50000 - i) FROM generate_series(1, 200000) i");
        co_await fails_with(errc::query_failed, open_and_drain(l, q, n));
    };
    on.run(script(&on, &rows));
    CHECK(rows > 0);
    CHECK(rows <= 49'999);
}

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

TEST_CASE("the first row is there before a slow second one") {
    loop_with_pool on;
    const auto script = [](loop_with_pool* l) -> asio::awaitable<void> {
        const auto began = clock::now();
        auto opened = co_await l->factory->open(query_of(
            "SELECT i, CASE WHEN i > 1 THEN pg_sleep(1)::text END FROM generate_series(1, 2) i"));
        CHECK(opened.source->ready());
        const auto first = co_await opened.source->next();
        CHECK(first->row_count() == 1);
        CHECK(clock::now() - began < 500ms);
        co_await has_left(opened.source.get(), 1);
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

TEST_CASE("over the row limit nothing is sent but the count") {
    loop_with_pool on;
    const auto script = [](loop_with_pool* l) -> asio::awaitable<void> {
        auto q = query_of("SELECT i FROM generate_series(1, $1::int) i");
        q.row_limit = 10;
        const auto refused = [](loop_with_pool* on_loop,
                                rows::query asked) -> asio::awaitable<rows::too_many_rows> {
            try {
                co_await on_loop->factory->open(asked);
            } catch (const rows::too_many_rows& e) {
                co_return e;
            }
            co_return rows::too_many_rows{};
        };
        q.parameters = {"11"};
        auto many = co_await refused(l, q);
        CHECK(many.limit == 10);
        CHECK(many.count.rows == 11);
        CHECK(many.count.exact);
        q.parameters = {"5000"};
        many = co_await refused(l, q);
        CHECK(many.count.rows == 101);
        CHECK_FALSE(many.count.exact);
        q.parameters = {"10"};
        auto opened = co_await l->factory->open(q);
        CHECK(opened.expected_rows == 10U);
        co_await has_left(opened.source.get(), 10);
        const auto counted = co_await l->factory->count(q, 9);
        CHECK(counted.rows == 9);
        CHECK_FALSE(counted.exact);
        const auto exact = co_await l->factory->count(q, 10);
        CHECK(exact.rows == 10);
        CHECK(exact.exact);
    };
    on.run(script(&on));
}

TEST_CASE("the rows are of one snapshot and the role's timeouts don't cut a paused reader") {
    admin server;
    server.ask(
        "DROP SCHEMA IF EXISTS exportd_pg_test CASCADE; CREATE SCHEMA exportd_pg_test;"
        "CREATE TABLE exportd_pg_test.t AS SELECT i FROM generate_series(1, 100000) i;"
        "DROP ROLE IF EXISTS exportd_pg_reader;"
        "CREATE ROLE exportd_pg_reader LOGIN SUPERUSER;"
        "ALTER ROLE exportd_pg_reader SET idle_in_transaction_session_timeout = '300ms';"
        "ALTER ROLE exportd_pg_reader SET statement_timeout = '400ms'");
    settings s;
    s.url = "host=" + server.host() + " port=" + server.port() + " dbname=" + server.database() +
            " user=exportd_pg_reader";
    loop_with_pool on{s};
    const auto script = [](loop_with_pool* l, admin* beside) -> asio::awaitable<void> {
        auto opened =
            co_await l->factory->open(query_of("SELECT i FROM exportd_pg_test.t", "paused"));
        beside->ask("INSERT INTO exportd_pg_test.t SELECT 1 FROM generate_series(1, 1000)");
        asio::steady_timer pause{l->loop, 700ms};
        co_await pause.async_wait(asio::use_awaitable);
        co_await has_left(opened.source.get(), 100'000);
        std::size_t rows = 0;
        co_await open_and_drain(l, query_of("SELECT pg_sleep(0.6)::text"), &rows);
        CHECK(rows == 1);
    };
    on.run(script(&on, &server));
    server.ask("DROP SCHEMA exportd_pg_test CASCADE; DROP ROLE exportd_pg_reader");
}

TEST_CASE("wide rows come a few at a time") {
    loop_with_pool on;
    const auto script = [](loop_with_pool* l) -> asio::awaitable<void> {
        auto opened = co_await l->factory->open(
            query_of("SELECT repeat('x', 1 << 20) FROM generate_series(1, 90) i"));
        std::vector<std::size_t> sizes;
        while (const auto batch = co_await opened.source->next())
            sizes.push_back(batch->row_count());
        REQUIRE(sizes.size() > 4);
        CHECK(sizes[0] == 1);
        CHECK(sizes.back() == 1);
    };
    on.run(script(&on));
}

TEST_CASE("types without a run: names, enums, and what has no decoder") {
    admin server;
    server.ask("DROP TYPE IF EXISTS exportd_mood; CREATE TYPE exportd_mood AS ENUM ('sad', 'ok')");
    loop_with_pool on;
    const auto script = [](loop_with_pool* l) -> asio::awaitable<void> {
        const auto q = query_of(
            "SELECT 'ok'::exportd_mood AS m, '{1}'::int[] AS a, 1.5::numeric(14,2) AS n,"
            " now() AS t, 'x'::char(3) AS c, 'y'::\"char\" AS y, 1/0 AS never_run");
        const auto columns = co_await l->factory->describe(q);
        REQUIRE(columns.size() == 7);
        CHECK(columns[0].kind == value_kind::text);
        CHECK(columns[0].type_name == "exportd_mood");
        CHECK(columns[1].kind == value_kind::unsupported);
        CHECK(columns[1].type_name == "integer[]");
        CHECK(columns[2].kind == value_kind::numeric);
        CHECK(columns[3].kind == value_kind::timestamptz);
        CHECK(columns[3].type_name == "timestamp with time zone");
        CHECK(columns[4].kind == value_kind::text);
        CHECK(columns[5].kind == value_kind::text);
        CHECK(columns[6].name == "never_run");
    };
    on.run(script(&on));
    loop_with_pool fresh;
    const auto unlearned = [](loop_with_pool* l) -> asio::awaitable<void> {
        auto opened = co_await l->factory->open(
            query_of("SELECT 'ok'::exportd_mood FROM generate_series(1, 1000)"));
        CHECK(opened.source->columns()[0].kind == value_kind::text);
        co_await has_left(opened.source.get(), 1000);
    };
    fresh.run(unlearned(&fresh));
    server.ask("DROP TYPE exportd_mood");
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
