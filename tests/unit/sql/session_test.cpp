#include <exportd/sql/session.hpp>

#include "catch.hpp"
#include "pg/server.hpp"
#include <chrono>
#include <thread>

using namespace exportd;
using namespace std::chrono_literals;

namespace {

sql::session_options options() {
    return {pg::test::database_url(), "exportd session test", 5s, 30s};
}

}  // namespace

TEST_CASE("A session gives values, NULLs and names of columns as text", "[sql]") {
    sql::session session{options()};
    const auto got = session.exec("SELECT $1::int + 1 AS n, $2::text AS t", {"41", std::nullopt});
    REQUIRE(got.size() == 1);
    CHECK(got.at(0, "n") == "42");
    CHECK(got.at(0, "t") == std::nullopt);
    CHECK_THROWS_AS(got.at(0, "other"), std::out_of_range);
    CHECK_THROWS_AS(got.at(1, 0), std::out_of_range);
}

TEST_CASE("A transaction that throws leaves nothing behind, and the session goes on", "[sql]") {
    sql::session session{options()};
    session.exec("CREATE TEMPORARY TABLE kept (n int)");
    session.transaction(
        [&] { CHECK(session.exec("INSERT INTO kept VALUES (1)").affected() == 1); });
    CHECK_THROWS_AS(session.transaction([&] {
        session.exec("INSERT INTO kept VALUES (2)");
        session.exec("SELECT 1 / 0");
    }),
                    sql::error);
    CHECK(session.exec("SELECT n FROM kept").size() == 1);
}

TEST_CASE("An error carries its SQLSTATE, and no words that may quote data", "[sql]") {
    sql::session session{options()};
    try {
        session.exec("SELECT 'secret'::int");
        FAIL("no error");
    } catch (const sql::error& e) {
        CHECK(e.sqlstate() == "22P02");
        CHECK(std::string{e.what()} == "SQLSTATE 22P02");
    }
}

TEST_CASE("A lost connection is told apart and made anew at the next statement", "[sql]") {
    sql::session session{options()};
    const auto pid = session.exec("SELECT pg_backend_pid() AS pid").at(0, "pid");
    sql::session other{options()};
    other.exec("SELECT pg_terminate_backend($1::int)", {pid});
    CHECK_THROWS_AS(session.exec("SELECT 1"), sql::connection_error);
    CHECK(session.exec("SELECT 1 AS one").at(0, "one") == "1");
}

TEST_CASE("A connection that is lost inside a transaction is not made anew in it", "[sql]") {
    sql::session session{options()};
    sql::session other{options()};
    CHECK_THROWS_AS(session.transaction([&] {
        const auto pid = session.exec("SELECT pg_backend_pid() AS pid").at(0, "pid");
        other.exec("SELECT pg_terminate_backend($1::int)", {pid});
        CHECK_THROWS_AS(session.exec("SELECT 1"), sql::connection_error);
        session.exec("SELECT 1");
    }),
                    sql::connection_error);
    CHECK(session.exec("SELECT 1 AS one").size() == 1);
}

TEST_CASE("A requested stop ends a statement that runs, and the session works again", "[sql]") {
    sql::session session{options()};
    std::stop_source stop;
    std::jthread later{[&] {
        sql::session other{options()};
        while (other
                   .exec("SELECT 1 FROM pg_stat_activity WHERE query LIKE '%pg_sleep(20)%' AND "
                         "pid <> pg_backend_pid()")
                   .empty()) {
        }
        stop.request_stop();
    }};
    const auto began = std::chrono::steady_clock::now();
    CHECK_THROWS_AS(
        session.interruptible(stop.get_token(), [&] { session.exec("SELECT pg_sleep(20)"); }),
        sql::interrupted);
    CHECK(std::chrono::steady_clock::now() - began < 15s);
    CHECK(session.exec("SELECT 1 AS one").size() == 1);
}

TEST_CASE("a server that falls silent is waited for no longer than was said", "[sql]") {
    auto o = options();
    o.statement_timeout = 200ms;
    o.patience = 300ms;
    sql::session session{o};
    // The server's own limit is taken away, so that it is as if it did not keep it.
    const auto began = std::chrono::steady_clock::now();
    CHECK_THROWS_AS(session.transaction([&] {
        session.exec("SET LOCAL statement_timeout = 0");
        session.exec("SELECT pg_sleep(30)");
    }),
                    sql::connection_error);
    CHECK(std::chrono::steady_clock::now() - began < 10s);
    CHECK(session.exec("SELECT 1 AS one").size() == 1);
}

TEST_CASE("somebody in a hurry cuts a statement without a limit", "[sql]") {
    auto o = options();
    o.statement_timeout = 0ms;
    o.patience = 300ms;
    sql::session session{o};
    std::jthread later{[&] {
        sql::session other{options()};
        while (other
                   .exec("SELECT 1 FROM pg_stat_activity WHERE query LIKE '%pg_sleep(31)%' AND "
                         "pid <> pg_backend_pid()")
                   .empty()) {
        }
        session.hurry();
    }};
    const auto began = std::chrono::steady_clock::now();
    CHECK_THROWS_AS(session.exec("SELECT pg_sleep(31)"), sql::connection_error);
    CHECK(std::chrono::steady_clock::now() - began < 15s);
    CHECK(session.exec("SELECT 1 AS one").size() == 1);
}
