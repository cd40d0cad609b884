"""PostgreSQL on the loop (cases 6 to 13)."""

import os
import re
import signal
import threading
import time

import pytest

from support.exports import IN_RANGE, RANGE, WIDE, Export, series, sleeps_at, wide_body
from support.poll import poll_until
from support.problems import check_problem
from support.relay import Relay, black_hole
from support.wire import RESET, WHOLE, Connection

SLEEPER = Export(f"SELECT pg_sleep(60)::text AS pause WHERE {IN_RANGE}")
BIG = 200_000


def leave(connection, how):
    connection.close() if how == "FIN" else connection.reset()


def gone(database):
    return not database.busy()


@pytest.mark.parametrize("how", ["FIN", "RST"])
def test_a_client_that_leaves_before_the_first_row_ends_the_query(service, database, how):
    own = service(exports={"sleeper": SLEEPER, "small": series(1, "n")}, EXPORTD_DATABASE_POOL_SIZE="1")
    connection = own.connect()
    connection.request(f"/exports/sleeper.csv?{RANGE}")
    poll_until(lambda: database.backends("state = 'active'"), 5, "the query")
    leave(connection, how)
    poll_until(lambda: gone(database), 2, "the backend gone")
    line = own.event("export_finished", export="sleeper")
    assert line["outcome"] == "aborted"
    poll_until(lambda: own.get(f"/exports/small.csv?{RANGE}").status == 200, 5, "the pool's only connection")


@pytest.mark.parametrize("how", ["FIN", "RST"])
def test_a_client_that_leaves_while_no_row_comes_ends_the_query(service, database, how):
    own = service(exports={"pausing": sleeps_at(5_000, 10_000, 60)})
    connection, answer = own.start_export(f"/exports/pausing.csv?{RANGE}")
    connection.take(1)
    leave(connection, how)
    poll_until(lambda: gone(database), 2, "the backend gone")
    receipt = own.receipt_once(answer["Export-Id"], "aborted")
    assert 0 <= receipt["rows"] < 5_000
    assert own.event("export_finished", export_id=answer["Export-Id"])["outcome"] == "aborted"


@pytest.mark.parametrize("how", ["FIN", "RST"])
def test_a_client_that_leaves_in_the_middle_of_the_rows_ends_the_query(service, database, how):
    own = service(exports={"wide": series(BIG, WIDE)})
    connection, answer = own.start_export(f"/exports/wide.csv?{RANGE}")
    connection.take(1_000_000)
    leave(connection, how)
    poll_until(lambda: gone(database), 2, "the backend gone")
    assert own.receipt_once(answer["Export-Id"], "aborted")["rows"] < BIG


def test_twenty_clients_leave_and_the_pool_is_whole_again(service, database):
    own = service(exports={"sleeper": SLEEPER, "small": series(1, "n")}, EXPORTD_DATABASE_POOL_SIZE="4")
    for _ in range(5):
        connections = [own.connect() for _ in range(4)]
        for connection in connections:
            connection.request(f"/exports/sleeper.csv?{RANGE}")
        poll_until(lambda: len(database.backends("state = 'active'")) == 4, 5, "four queries")
        for number, connection in enumerate(connections):
            leave(connection, "FIN" if number % 2 else "RST")
        poll_until(lambda: gone(database), 2, "the backends gone")
    poll_until(lambda: own.get(f"/exports/small.csv?{RANGE}").status == 200, 5, "an export")
    assert len(database.backends()) <= 4


def test_an_idle_in_transaction_timeout_on_the_role_does_not_cut_a_slow_reader(service, database):
    url = database.role(idle_in_transaction_session_timeout="500ms", idle_session_timeout="0")
    own = service(exports={"wide": series(20_000, WIDE)}, database_url=url)
    connection, answer = own.start_export(f"/exports/wide.csv?{RANGE}", rcvbuf=4096)
    assert connection.drip(50_000, 3)
    answer = connection.body_of(answer)
    assert (answer.ended, answer.body) == (WHOLE, wide_body(20_000))


@pytest.mark.parametrize("setting", ["statement_timeout", "lock_timeout"])
def test_a_statement_timeout_on_the_role_does_not_cut_an_export(service, database, setting):
    url = database.role(**{setting: "500ms"})
    own = service(exports={"wide": series(20_000, WIDE),
                           "pausing": sleeps_at(3_000, 6_000, 1)}, database_url=url)
    connection, answer = own.start_export(f"/exports/wide.csv?{RANGE}", rcvbuf=4096)
    assert connection.drip(50_000, 2)
    answer = connection.body_of(answer)
    assert (answer.ended, answer.body) == (WHOLE, wide_body(20_000))
    paused = own.get(f"/exports/pausing.csv?{RANGE}")
    assert (paused.ended, paused.body) == (WHOLE, wide_body(6_000))


@pytest.mark.parametrize("setting, value", [
    ("DateStyle", "German, DMY"), ("IntervalStyle", "sql_standard"), ("TimeZone", "Pacific/Auckland"),
    ("bytea_output", "escape"), ("extra_float_digits", "-10"), ("default_transaction_read_only", "on"),
    ("default_transaction_isolation", "serializable"), ("client_encoding", "LATIN1"),
    ("default_transaction_deferrable", "on")])
def test_settings_of_the_role_change_no_byte(service, database, setting, value):
    export = Export("SELECT 1.5::numeric AS amount, 0.1::float8 AS ratio, '£é€'::text AS label, "
                    "'\\xdead'::bytea AS raw, '2025-09-01T00:00:00Z'::timestamptz AS at, "
                    f"'2025-09-01'::date AS day, $1::timestamptz AS since WHERE {IN_RANGE}")
    plain = service(exports={"typed": export})
    odd = service(exports={"typed": export}, database_url=database.role(**{setting: value}))
    for values in ("formatted", "raw"):
        target = f"/exports/typed.csv?{RANGE}&values={values}"
        first, second = plain.get(target), odd.get(target)
        assert (first.status, second.status) == (200, 200)
        assert first.body == second.body


def test_a_full_pool_answers_503_within_the_bounded_wait(service, database):
    own = service(exports={"wide": series(BIG, WIDE)}, EXPORTD_DATABASE_POOL_SIZE="4",
                  EXPORTD_LIMITS_QUEUE_TIMEOUT="500ms")
    readers = [own.start_export(f"/exports/wide.csv?{RANGE}", rcvbuf=4096)[0] for _ in range(4)]
    started = time.monotonic()
    answer = own.get(f"/exports/wide.csv?{RANGE}")
    waited = time.monotonic() - started
    check_problem(answer, 503, "overloaded")
    assert 1 <= int(answer["Retry-After"]) <= 3600
    assert 0.3 < waited < 2.5
    assert len(database.backends()) <= 4
    for path in ("/healthz", "/readyz", "/exports"):
        before = time.monotonic()
        assert own.get(path).status == 200
        assert time.monotonic() - before < 0.25
    for reader in readers:
        assert reader.drip(1_000, 0.3)
    readers[0].close()
    poll_until(lambda: own.start_export(f"/exports/wide.csv?{RANGE}")[1].status == 200, 5, "a free connection")


def test_a_short_wait_for_the_pool_is_no_error(service):
    own = service(exports={"pausing": sleeps_at(500, 1_000, 1), "small": series(1, "n")},
                  EXPORTD_DATABASE_POOL_SIZE="1", EXPORTD_LIMITS_QUEUE_TIMEOUT="10s")
    with own.connect() as first:
        first.request(f"/exports/pausing.csv?{RANGE}")
        assert own.get(f"/exports/small.csv?{RANGE}").status == 200
        assert first.response().ended == WHOLE


def test_a_client_that_leaves_while_it_waits_for_the_pool_takes_no_connection(service, database):
    own = service(exports={"wide": series(BIG, WIDE), "small": series(1, "n")},
                  EXPORTD_DATABASE_POOL_SIZE="1", EXPORTD_LIMITS_QUEUE_TIMEOUT="20s")
    reader, _ = own.start_export(f"/exports/wide.csv?{RANGE}", rcvbuf=4096)
    waiters = [own.connect() for _ in range(5)]
    for waiter in waiters:
        waiter.request(f"/exports/wide.csv?{RANGE}")
    for waiter in waiters:
        waiter.close()
    reader.close()
    assert own.get(f"/exports/small.csv?{RANGE}").status == 200
    poll_until(lambda: gone(database), 2, "no work for those who left")


def health_while(own, action, deadline=30):
    """The slowest /healthz in seconds while action() runs."""
    done, failure = threading.Event(), []

    def run():
        try:
            action()
        except BaseException as problem:  # handed to the test's thread below
            failure.append(problem)
        finally:
            done.set()
    thread = threading.Thread(target=run)
    thread.start()
    slowest, end = 0.0, time.monotonic() + deadline
    with Connection(own.port) as probe:
        while not done.is_set() and time.monotonic() < end:
            before = time.monotonic()
            assert probe.get("/healthz").status == 200
            slowest = max(slowest, time.monotonic() - before)
            done.wait(0.05)
    thread.join(deadline)
    if failure:
        raise failure[0]
    return slowest


def test_a_name_that_takes_5_seconds_to_resolve_blocks_nobody(service, database, slow_resolver):
    own = service(exports={"small": series(3, "n")},
                  database_url=database.url_at("slow-db.resolver.test", database.endpoint()[1]),
                  LD_PRELOAD=str(slow_resolver), ASAN_OPTIONS="verify_asan_link_order=0",
                  EXPORTD_DATABASE_POOL_WAIT="15s", EXPORTD_LIMITS_FIRST_ROW_TIMEOUT="30s")

    def export():
        def once():
            answer = own.get(f"/exports/small.csv?{RANGE}")
            assert answer.status in (200, 503), answer
            return answer.body == b"n\n1\n2\n3\n"
        poll_until(once, 20, "the export")
    assert health_while(own, export) < 0.25


def test_the_second_address_is_used_when_the_first_is_dead(service, database, slow_resolver):
    relay = Relay(database.endpoint())
    try:
        own = service(exports={"small": series(3, "n")},
                      database_url=database.url_at("two.resolver.test", relay.port),
                      LD_PRELOAD=str(slow_resolver), ASAN_OPTIONS="verify_asan_link_order=0")
        poll_until(lambda: own.get(f"/exports/small.csv?{RANGE}").body == b"n\n1\n2\n3\n", 10, "the export")
    finally:
        relay.stop()


def test_the_second_address_is_used_when_the_first_never_answers(service, database, slow_resolver):
    relay = Relay(database.endpoint())
    hole = black_hole("127.0.0.2", relay.port)
    try:
        own = service(exports={"small": series(3, "n")},
                      database_url=database.url_at("two.resolver.test", relay.port) + "?connect_timeout=2",
                      LD_PRELOAD=str(slow_resolver), ASAN_OPTIONS="verify_asan_link_order=0",
                      EXPORTD_DATABASE_POOL_WAIT="5s")

        def export():
            poll_until(lambda: own.get(f"/exports/small.csv?{RANGE}").body == b"n\n1\n2\n3\n", 25, "the export")
        assert health_while(own, export) < 0.25
    finally:
        relay.stop()
        for each in hole:
            each.close()


def test_a_host_list_with_a_dead_first_host_works(service, database):
    host, port = database.endpoint()
    user = re.search(r"//(?:([^:@/]+)(?::([^@/]*))?@)?", database.url)
    login = f"user={user[1] or 'postgres'}" + (f" password={user[2]}" if user[2] else "")
    own = service(exports={"small": series(3, "n")},
                  database_url=f"host={host},{host} port=1,{port} dbname={database.name} {login}")
    assert own.get(f"/exports/small.csv?{RANGE}").body == b"n\n1\n2\n3\n"


def test_a_host_list_whose_first_name_is_unknown_works_at_once(service, database):
    host, port = database.endpoint()
    user = re.search(r"//(?:([^:@/]+)(?::([^@/]*))?@)?", database.url)
    login = f"user={user[1] or 'postgres'}" + (f" password={user[2]}" if user[2] else "")
    own = service(exports={"small": series(3, "n")},
                  database_url=f"host=nobody.invalid,{host} port={port} dbname={database.name} {login}")
    poll_until(lambda: own.get(f"/exports/small.csv?{RANGE}").status == 200, 10, "an export")


def test_a_lock_on_a_table_does_not_hold_up_the_end(service, database):
    database.execute("BEGIN")
    try:
        database.execute("LOCK TABLE orders IN ACCESS EXCLUSIVE MODE")
        own = service()
        own.terminate()
        assert own.wait(15) == 0
    finally:
        database.execute("ROLLBACK")


def test_a_stopped_backend_hurts_its_own_export_only(service, database):
    own = service(exports={"wide": series(BIG, WIDE), "small": series(3, "n")},
                  EXPORTD_DATABASE_PROGRESS_TIMEOUT="1s")
    connection, answer = own.start_export(f"/exports/wide.csv?{RANGE}")
    connection.take(100_000)
    [(pid, _, _)] = database.busy()
    os.kill(pid, signal.SIGSTOP)
    try:
        others = [own.start_export(f"/exports/wide.csv?{RANGE}") for _ in range(2)]
        for other, other_answer in others:
            assert other.body_of(other_answer).body == wide_body(BIG)
        before = time.monotonic()
        assert own.get("/healthz").status == 200
        assert time.monotonic() - before < 0.25
        assert connection.body_of(answer).ended == RESET
        assert own.receipt_once(answer["Export-Id"], "failed")["rows"] < BIG
        for _ in range(8):
            assert own.get(f"/exports/small.csv?{RANGE}").status == 200
    finally:
        os.kill(pid, signal.SIGCONT)
    poll_until(lambda: gone(database), 5, "the backend gone")


def test_a_silent_network_ends_the_export_at_the_progress_timeout(service, database, relay):
    own = service(exports={"wide": series(BIG, WIDE)}, database_url=database.url_at("127.0.0.1", relay.port),
                  EXPORTD_DATABASE_PROGRESS_TIMEOUT="1s")
    connection, answer = own.start_export(f"/exports/wide.csv?{RANGE}")
    connection.take(100_000)
    relay.pause()
    started = time.monotonic()
    answer = connection.body_of(answer)
    assert answer.ended == RESET
    assert time.monotonic() - started < 5
    assert own.get("/healthz").status == 200
    relay.resume()
    poll_until(lambda: own.start_export(f"/exports/wide.csv?{RANGE}")[1].status == 200, 10, "the export again")


def test_a_lost_database_is_a_503_and_comes_back_by_itself(service, database, relay):
    own = service(exports={"small": series(3, "n")}, database_url=database.url_at("127.0.0.1", relay.port),
                  EXPORTD_DATABASE_POOL_WAIT="500ms")
    assert own.get(f"/exports/small.csv?{RANGE}").status == 200
    relay.refuse()
    relay.cut()
    answer = own.get(f"/exports/small.csv?{RANGE}")
    document = check_problem(answer, 503, "database_unavailable")
    assert str(relay.port) not in answer.text and "127.0.0.1" not in document["detail"]
    assert own.get("/healthz").status == 200
    relay.listen()
    poll_until(lambda: own.get(f"/exports/small.csv?{RANGE}").status == 200, 15, "the database back")


def test_a_database_lost_in_the_middle_breaks_the_file(service, database, relay):
    own = service(exports={"wide": series(BIG, WIDE)}, database_url=database.url_at("127.0.0.1", relay.port))
    connection, answer = own.start_export(f"/exports/wide.csv?{RANGE}")
    connection.take(1_000_000)
    relay.cut()
    answer = connection.body_of(answer)
    assert answer.ended == RESET
    assert wide_body(BIG).startswith(answer.body)
    assert own.event("export_finished", export_id=answer["Export-Id"])["code"] == "database_unavailable"


def test_a_database_that_is_away_at_the_start_is_waited_for(service, database, relay):
    relay.refuse()
    own = service(exports={"small": series(3, "n")}, database_url=database.url_at("127.0.0.1", relay.port),
                  EXPORTD_DATABASE_POOL_WAIT="500ms")
    check_problem(own.get(f"/exports/small.csv?{RANGE}"), 503, "database_unavailable")
    relay.listen()
    poll_until(lambda: own.get(f"/exports/small.csv?{RANGE}").status == 200, 15, "the database there")


def test_clients_that_read_nothing_cost_little_and_are_dropped(service, database):
    own = service(exports={"wide": series(BIG, WIDE)}, EXPORTD_DATABASE_POOL_SIZE="50",
                  EXPORTD_LIMITS_STALL_TIMEOUT="4s")
    own.get(f"/exports/wide.csv?{RANGE}")
    before = own.memory()
    readers = [own.start_export(f"/exports/wide.csv?{RANGE}", rcvbuf=4096) for _ in range(50)]
    assert {answer.status for _, answer in readers} == {200}
    assert own.get("/healthz").status == 200
    assert own.memory() - before < 50 * 1024 * 1024
    poll_until(lambda: len(own.events("export_finished", code="stalled")) == 50, 15, "50 dropped")
    for connection, answer in readers:
        assert connection.body_of(answer).ended == RESET
    poll_until(lambda: gone(database), 2, "their backends gone")


def test_a_reader_that_pauses_and_goes_on_gets_it_whole(service):
    own = service(exports={"wide": series(50_000, WIDE)}, EXPORTD_LIMITS_STALL_TIMEOUT="4s")
    connection, answer = own.start_export(f"/exports/wide.csv?{RANGE}", rcvbuf=65536)
    for _ in range(3):
        time.sleep(1.5)  # the pause is what is tested
        connection.take(connection.pending + 2_000_000)
    answer = connection.body_of(answer)
    assert (answer.ended, answer.body) == (WHOLE, wide_body(50_000))


def test_a_slow_reader_makes_progress_and_is_not_stalled(service):
    """A chunk takes it longer than stall_timeout, yet it never stops taking bytes."""
    own = service(exports={"wide": series(50_000, WIDE)}, EXPORTD_LIMITS_STALL_TIMEOUT="1s")
    connection, answer = own.start_export(f"/exports/wide.csv?{RANGE}", rcvbuf=4096)
    assert connection.drip(40_000, 5, every=0.05)
    answer = connection.body_of(answer)
    assert (answer.ended, answer.body) == (WHOLE, wide_body(50_000))


def test_a_reader_that_stops_later_is_dropped_too(service):
    own = service(exports={"wide": series(BIG, WIDE)}, EXPORTD_LIMITS_STALL_TIMEOUT="1s")
    connection, answer = own.start_export(f"/exports/wide.csv?{RANGE}", rcvbuf=4096)
    connection.take(5_000_000)
    line = own.event("export_finished", export_id=answer["Export-Id"], deadline=5)
    assert (line["outcome"], line["code"]) == ("aborted", "stalled")
    assert connection.body_of(answer).ended == RESET


def test_the_export_deadline_ends_even_a_reader_that_makes_progress(service, database):
    own = service(exports={"wide": series(BIG, WIDE)}, EXPORTD_LIMITS_EXPORT_DEADLINE="2s")
    connection, answer = own.start_export(f"/exports/wide.csv?{RANGE}", rcvbuf=65536)
    started = time.monotonic()
    connection.drip(1_000_000, 6)
    answer = connection.body_of(answer)
    assert answer.ended == RESET
    assert time.monotonic() - started < 8
    line = own.event("export_finished", export_id=answer["Export-Id"])
    assert line["code"] == "export_deadline"
    assert 1_500 < line["duration_ms"] < 4_000
    poll_until(lambda: gone(database), 1, "the transaction gone")


def test_the_export_deadline_ends_a_query_that_stands_still(service, database):
    own = service(exports={"pausing": sleeps_at(5_000, 10_000, 60)}, EXPORTD_LIMITS_EXPORT_DEADLINE="1s")
    connection, answer = own.start_export(f"/exports/pausing.csv?{RANGE}")
    assert connection.body_of(answer).ended == RESET
    poll_until(lambda: gone(database), 2, "the transaction gone")


def test_nothing_is_left_in_a_transaction_at_rest(service, database):
    own = service(exports={"small": series(3_000, WIDE), "wide": series(BIG, WIDE),
                           "bad": Export(f"SELECT 1 / 0 AS n WHERE {IN_RANGE}")})
    ends = {
        "done": lambda: own.get(f"/exports/small.csv?{RANGE}"),
        "no rows": lambda: own.get("/exports/orders.csv?from=1999-01-01&to=1999-01-02"),
        "failed": lambda: own.get(f"/exports/bad.csv?{RANGE}"),
        "head": lambda: own.get(f"/exports/small.csv?{RANGE}", method="HEAD"),
        "estimate": lambda: own.get(f"/exports/small/estimate?{RANGE}"),
        "refused": lambda: own.get("/exports/small.csv?from=2025-02-01&to=2025-01-01"),
        "aborted": lambda: own.start_export(f"/exports/wide.csv?{RANGE}")[0].close(),
    }
    for name, end in ends.items():
        end()
        poll_until(lambda: gone(database), 1, f"nothing open after: {name}")


def test_the_export_shows_in_pg_stat_activity_by_its_id(service, database):
    own = service(exports={"wide": series(BIG, WIDE)})
    connection, answer = own.start_export(f"/exports/wide.csv?{RANGE}")
    names = [row[0] for row in database.rows(
        "SELECT application_name FROM pg_stat_activity WHERE datname = current_database() "
        "AND xact_start IS NOT NULL AND application_name <> 'exportd jobs' AND pid <> pg_backend_pid()")]
    export_id = answer["Export-Id"]
    assert len(names) == 1 and (export_id in names[0] or names[0] in export_id or export_id[:8] in names[0]), names
    connection.close()


def test_an_export_can_not_write(service, database):
    database.execute("CREATE TABLE IF NOT EXISTS written (n int)")
    database.execute("""CREATE OR REPLACE FUNCTION write_one() RETURNS int LANGUAGE sql VOLATILE
                        AS 'INSERT INTO written VALUES (1) RETURNING n'""")
    own = service(exports={"writer": Export(f"SELECT write_one() AS n WHERE {IN_RANGE}")})
    check_problem(own.get(f"/exports/writer.csv?{RANGE}"), 502, "query_failed")
    assert database.value("SELECT count(*) FROM written") == 0


def test_notices_of_the_server_are_not_in_the_way(service, database):
    database.execute("""CREATE OR REPLACE FUNCTION chatty(n int) RETURNS int LANGUAGE plpgsql
                        AS $$BEGIN RAISE NOTICE 'row %', n; RETURN n; END$$""")
    own = service(exports={"chatty": series(2_000, "chatty(n) AS n")})
    answer = own.get(f"/exports/chatty.csv?{RANGE}")
    assert answer.body == b"n\n" + b"".join(b"%d\n" % n for n in range(1, 2_001))
    assert "NOTICE" not in own.error_text


def test_exports_that_run_at_once_do_not_mix(service):
    own = service(exports={name: series(20_000, f"n, '{name}'::text AS source") for name in "abcdefgh"})
    started = [(name, *own.start_export(f"/exports/{name}.csv?{RANGE}")) for name in "abcdefgh"]
    for name, connection, answer in started:
        expected = b"n,source\n" + b"".join(b"%d,%s\n" % (n, name.encode()) for n in range(1, 20_001))
        assert connection.body_of(answer).body == expected


def test_the_loop_answers_while_exports_run(service):
    own = service(exports={"wide": series(BIG, WIDE)}, EXPORTD_DATABASE_POOL_SIZE="8")

    def export():
        with Connection(own.port) as connection:
            assert connection.get(f"/exports/wide.csv?{RANGE}").ended == WHOLE
    assert health_while(own, export) < 0.25


@pytest.mark.long
def test_an_hour_of_patience_in_two_minutes(service, database):
    """10 kB/s for two minutes, then the rest: whole."""
    url = database.role(statement_timeout="5s", idle_in_transaction_session_timeout="2s")
    own = service(exports={"wide": series(50_000, WIDE)}, database_url=url,
                  EXPORTD_LIMITS_STALL_TIMEOUT="30s", EXPORTD_LIMITS_EXPORT_DEADLINE="10m")
    connection, answer = own.start_export(f"/exports/wide.csv?{RANGE}", rcvbuf=4096)
    assert connection.drip(10_000, 120)
    answer = connection.body_of(answer)
    assert (answer.ended, answer.body) == (WHOLE, wide_body(50_000))


@pytest.mark.long
def test_a_query_without_a_row_for_a_minute(service, database):
    own = service(exports={"sleeper": SLEEPER}, EXPORTD_LIMITS_FIRST_ROW_TIMEOUT="2m")
    with own.connect(timeout=90) as connection:
        assert connection.get(f"/exports/sleeper.csv?{RANGE}").ended == WHOLE
    connection = own.connect()
    connection.request(f"/exports/sleeper.csv?{RANGE}")
    time.sleep(5)
    connection.close()
    poll_until(lambda: gone(database), 2, "the backend gone")
