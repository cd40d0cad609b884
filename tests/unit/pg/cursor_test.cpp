#include <exportd/rows/wire.hpp>

#include "server.hpp"

using namespace exportd;
using namespace exportd::pg;
using namespace exportd::pg::test;
using rows::value_kind;

namespace {

std::int64_t int8_at(const rows::row_batch& batch, std::size_t row, std::size_t columns = 1) {
    std::vector<rows::cell> cells(columns);
    batch.read_row(row, cells.data());
    return rows::load_big<std::int64_t>(cells[0].data);
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
        "CREATE ROLE exportd_pg_reader LOGIN SUPERUSER PASSWORD 'reads';"
        "ALTER ROLE exportd_pg_reader SET idle_in_transaction_session_timeout = '300ms';"
        "ALTER ROLE exportd_pg_reader SET statement_timeout = '400ms'");
    settings s;
    s.url = "host=" + server.host() + " port=" + server.port() + " dbname=" + server.database() +
            " user=exportd_pg_reader password=reads";
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
