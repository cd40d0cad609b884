"""The record of who took what (case 50), its two places, and what happens when it can't be kept."""

import os
import subprocess
import time

import psycopg2
import pytest

from support.access import ANNA, BEN, ask, audit_once, audit_rows, bearer, tokens
from support.database import role_of
from support.exports import fails_at, series, sleeps_at
from support.jobs import SEPTEMBER
from support.poll import poll_until
from support.service import SOURCE, binary, fill, is_healthy
from support.wire import Connection

RANGE = "from=2025-09-01&to=2025-10-01"
RIGHT = bearer(ANNA)
BOTH = {"EXPORTD_AUDIT_SINKS": "log,table"}


@pytest.fixture
def audited(service, jobs, tmp_path):
    def start(exports=None, **more):
        return service(exports={"numbers": series(10, "n"), **(exports or {})},
                       **tokens(tmp_path, **{**jobs.settings, **BOTH, **more}))
    return start


def pair(database, export_id_or_action, **expected):
    """The start and the end of the one attempt, which have its facts in common."""
    rows = audit_once(database, f"action = '{export_id_or_action}' AND phase <> 'refused'", 2)
    start, end = rows
    assert (start["phase"], end["phase"]) == ("start", "end")
    for name in ("attempt", "who", "client", "request_id", "export", "subject", "range_from", "range_to", "options"):
        assert start[name] == end[name], name
    assert (start["outcome"], start["row_count"]) == ("", 0)
    for name, value in expected.items():
        assert end[name] == value, name
    return start, end


def test_a_success_has_its_start_and_its_end_in_table_and_log(audited, database):
    own = audited()
    answer = ask(own, "GET", f"/exports/numbers.csv?{RANGE}&values=raw&excel=1", {**RIGHT, "X-Request-Id": "req-1"})
    start, end = pair(database, "export", outcome="complete", code="", row_count=10, byte_count=len(answer.body))
    assert (start["who"], start["client"], start["request_id"], start["export"], start["options"]) == (
        "token:anna", "127.0.0.1", "req-1", "numbers", "raw excel")
    assert start["subject"] == answer["Export-Id"]
    assert [str(start[n].astimezone().astimezone(tz=None).timestamp()) for n in ("range_from", "range_to")] == [
        "1756681200.0", "1759273200.0"]  # midnights of London
    lines = own.events("audit", action="export")
    assert [line["phase"] for line in lines] == ["start", "end"]
    assert lines[1]["who"] == "token:anna"
    assert (lines[1]["rows"], lines[1]["outcome"], lines[1]["attempt"]) == (10, "complete", end["attempt"])


def test_the_start_is_there_before_the_first_byte(audited, database):
    own = audited(exports={"slow": sleeps_at(5, 10, 1)}, EXPORTD_AUDIT_REQUIRED="true")
    connection = own.connect()
    connection.request(f"/exports/slow.csv?{RANGE}", fields=RIGHT)
    assert connection.head().status == 200
    assert [r["phase"] for r in audit_rows(database, "action = 'export'")] == ["start"]


def test_every_way_to_end_has_its_record(audited, database):
    """Case 50: abort, failure before and after the first byte, timeout, refusals."""
    own = audited(exports={"bad": fails_at(50_000, 200_000), "none": fails_at(1, 10),
                           "late": sleeps_at(1, 10, 30)},
                  EXPORTD_LIMITS_FIRST_ROW_TIMEOUT="500ms", EXPORTD_LIMITS_COUNT_TIMEOUT="1ms")

    def once(export, **expected):
        start, end = audit_once(database, f"action = 'export' AND export = '{export}'", 2)
        assert start["phase"] == "start"
        for name, value in expected.items():
            assert end[name] == value, (export, name)
    assert ask(own, "GET", f"/exports/bad.csv?{RANGE}", RIGHT).ended == "reset"
    once("bad", phase="end", outcome="failed", code="query_failed")
    assert ask(own, "GET", f"/exports/none.csv?{RANGE}", RIGHT).status == 502
    once("none", phase="end", outcome="failed", code="query_failed", row_count=0, byte_count=0)
    assert ask(own, "GET", f"/exports/late.csv?{RANGE}", RIGHT).status == 504
    once("late", phase="end", outcome="failed", code="first_row_timeout")


def test_a_client_that_leaves_has_an_end(audited, database):
    own = audited(exports={"wide": series(200_000, "n, repeat('x', 200) AS filler")})
    connection = own.connect(rcvbuf=4096)
    connection.request(f"/exports/wide.csv?{RANGE}", fields=RIGHT)
    connection.head()
    connection.reset()
    pair(database, "export", outcome="aborted", code="client_gone")


@pytest.mark.parametrize("target, who, code", [
    (f"/exports/numbers.csv?from=2025-09-01&to=never", RIGHT, "invalid_parameter"),
    (f"/exports/numbers.csv?{RANGE}", bearer(BEN), "not_permitted"),
    (f"/exports/unknown.csv?{RANGE}", RIGHT, "not_found"),
])
def test_a_refusal_is_one_record(audited, database, target, who, code):
    own = audited()
    assert ask(own, "GET", target, who).status >= 400
    refused = audit_once(database, "action = 'export'")[0]
    assert (refused["phase"], refused["outcome"], refused["code"]) == ("refused", "refused", code)
    assert refused["export"] == ("" if code == "not_found" else "numbers")


@pytest.mark.parametrize("fields, code", [({}, "no_credentials"), (bearer("xpd_no"), "unknown_token"),
                                          ({"Authorization": "?"}, "malformed_credentials"),
                                          ({**RIGHT, "Sec-Fetch-Site": "cross-site"}, "cross_site")])
def test_who_is_stopped_at_the_gate_is_recorded(audited, database, fields, code):
    own = audited()
    assert ask(own, "GET", f"/exports/numbers.csv?{RANGE}", fields).status in (401, 403)
    refused = audit_once(database, "action = 'request'")[0]
    assert (refused["phase"], refused["code"], refused["client"]) == ("refused", code, "127.0.0.1")


def test_a_shed_export_is_recorded(audited, database):
    own = audited(EXPORTD_LOOP_MAX_UTILISATION="0.01", EXPORTD_DEBUG_ROUTES="true")
    own.get("/debug/block?ms=500")
    poll_until(lambda: ask(own, "GET", f"/exports/numbers.csv?{RANGE}", RIGHT).status == 503, 10, "shedding")
    refused = poll_until(lambda: audit_rows(database, "action = 'export' AND phase = 'refused'"), 5, "its record")
    assert refused[0]["code"] == "overloaded"


def test_a_report_and_a_job_with_its_run_download_and_cancel(audited, database):
    own = audited()
    database.fill_orders(100)
    assert ask(own, "POST", "/exports/quarterly-report", RIGHT, SEPTEMBER).status == 200
    pair(database, "report", outcome="complete", row_count=100, options="json", export="orders")
    job = ask(own, "POST", "/exports/numbers/jobs", RIGHT, SEPTEMBER).json()["id"]
    asked = audit_once(database, "action = 'job'")[0]
    assert (asked["who"], asked["subject"], asked["outcome"]) == ("token:anna", job, "complete")
    pair(database, "job_run", who="token:anna", client="", subject=job, outcome="complete", row_count=10)
    poll_until(lambda: ask(own, "GET", f"/jobs/{job}", RIGHT).json()["state"] == "complete", 10, "the job")
    file = ask(own, "GET", f"/jobs/{job}/file", RIGHT)
    pair(database, "download", subject=job, outcome="complete", row_count=10, byte_count=len(file.body))
    assert ask(own, "DELETE", f"/jobs/{job}", RIGHT).status == 200
    assert audit_once(database, "action = 'cancel'")[0]["subject"] == job
    assert ask(own, "GET", f"/jobs/{job}/file", RIGHT).status == 410
    assert audit_once(database, "action = 'download' AND phase = 'refused'")[0]["code"] == "expired"


def test_after_kill_9_the_missing_end_shows(audited, database):
    own = audited(exports={"slow": sleeps_at(5, 10, 30)}, EXPORTD_AUDIT_REQUIRED="true")
    connection = own.connect()
    connection.request(f"/exports/slow.csv?{RANGE}", fields=RIGHT)
    connection.head()
    own.kill()
    unfinished = database.rows("SELECT who, export, action FROM exportd.audit_unfinished")
    assert unfinished == [("token:anna", "slow", "export")]


def test_an_orderly_end_leaves_no_attempt_without_one(audited, database):
    own = audited(exports={"slow": sleeps_at(5, 10, 30)}, EXPORTD_SERVER_DRAIN_TIMEOUT="0s")
    connection = own.connect()
    connection.request(f"/exports/slow.csv?{RANGE}", fields=RIGHT)
    connection.head()
    own.terminate()
    assert own.wait() == 0
    assert audit_once(database, "phase = 'end'")[0]["code"] == "shutting_down"
    assert database.rows("SELECT 1 FROM exportd.audit_unfinished") == []


def test_nothing_of_a_row_is_recorded(audited, database):
    secret = "anna.secret@example.com"
    own = audited(exports={"people": series(10, f"'{secret}' AS email")})
    ask(own, "GET", f"/exports/people.csv?{RANGE}", RIGHT)
    ask(own, "POST", "/exports/people/jobs", RIGHT, {**SEPTEMBER, "notify": secret})
    audit_once(database, "phase = 'end' AND action = 'export'")
    own.stop()
    assert secret not in str(audit_rows(database)) and secret not in own.log_text


# No record, no export


@pytest.mark.parametrize("required, status", [("true", 503), ("false", 200)])
def test_without_the_table_nothing_is_given_out_if_that_is_required(audited, database, required, status):
    own = audited(EXPORTD_AUDIT_REQUIRED=required, EXPORTD_AUDIT_SINKS="table")
    database.execute("ALTER TABLE exportd.audit RENAME TO elsewhere")
    began = time.monotonic()
    answer = ask(own, "GET", f"/exports/numbers.csv?{RANGE}", RIGHT)
    assert answer.status == status
    if required == "true":
        assert time.monotonic() - began < 8
        assert (answer.json()["code"], answer["Retry-After"]) == ("audit_unavailable", "10")
        assert own.events("export_started") == []  # and so no query
        assert ask(own, "POST", "/exports/quarterly-report", RIGHT, SEPTEMBER).status == 503


def test_a_silent_database_holds_up_exports_but_not_the_loop(audited, database, relay):
    own = audited(EXPORTD_AUDIT_REQUIRED="true", EXPORTD_AUDIT_SINKS="table",
                  EXPORTD_AUDIT_URL=database.url_at("127.0.0.1", relay.port))
    assert ask(own, "GET", f"/exports/numbers.csv?{RANGE}", RIGHT).status == 200
    relay.pause()
    connection = own.connect()
    connection.request(f"/exports/numbers.csv?{RANGE}", fields=RIGHT)
    worst = 0
    end = time.monotonic() + 3
    while time.monotonic() < end:
        began = time.monotonic()
        assert own.get("/healthz").status == 200
        worst = max(worst, time.monotonic() - began)
    assert connection.response("GET").status == 503
    assert worst < 0.25
    relay.resume()


def test_a_log_that_nobody_reads_holds_up_exports_but_not_the_loop(config, database, tmp_path):
    """The pipe is full: what must be recorded can't be."""
    from support.ports import free_port
    config.add("numbers", series(10, "n"))
    port, ops = free_port(), free_port()
    reading, writing = os.pipe()
    environment = config.environment(database.url, {
        **tokens(tmp_path), "EXPORTD_AUDIT_REQUIRED": "true", "EXPORTD_SERVER_LISTEN": f"127.0.0.1:{port}",
        "EXPORTD_OPS_LISTEN": f"127.0.0.1:{ops}"})
    os.set_blocking(writing, False)
    process = subprocess.Popen([binary(), "serve", "-c", str(config.file)], env=environment, stdout=writing,
                               stderr=subprocess.PIPE)
    try:
        poll_until(lambda: is_healthy(port), 10, "the service")
        fill(writing)
        with Connection(port, timeout=20) as connection:
            connection.request(f"/exports/numbers.csv?{RANGE}", fields=RIGHT)
            assert is_healthy(port)
            answer = connection.response("GET")
        assert (answer.status, answer.json()["code"]) == (503, "audit_unavailable")
        assert os.read(reading, 1 << 20)
    finally:
        os.close(reading)
        os.close(writing)
        process.terminate()
        process.wait(20)
        process.stderr.close()


def test_audit_lines_are_there_whatever_the_level(audited):
    own = audited(EXPORTD_LOG_LEVEL="error", EXPORTD_AUDIT_SINKS="log")
    ask(own, "GET", f"/exports/numbers.csv?{RANGE}", RIGHT)
    poll_until(lambda: len(own.events("audit", action="export")) == 2, 5, "two lines")


# Append-only


def test_the_services_role_may_only_add_and_the_owner_not_change_in_passing(jobs, database):
    url = database.role()
    done = subprocess.run(["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-v", f"service={role_of(url)}", "-f",
                           str(SOURCE / "sql" / "grants" / "jobs.sql"), "-d", database.url], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    add = ("INSERT INTO exportd.audit (phase, attempt, action, who, client, request_id, export, subject, options, outcome, "
           "code, row_count, byte_count, duration_ms) VALUES ('start', gen_random_uuid(), 'export', 'a', '', '', '', '', '', "
           "'', '', 0, 0, 0)")
    connection = psycopg2.connect(url)
    connection.autocommit = True
    try:
        with connection.cursor() as cursor:
            cursor.execute(add)
            for statement in ("UPDATE exportd.audit SET who = 'b'", "DELETE FROM exportd.audit", "TRUNCATE exportd.audit",
                              "SELECT * FROM exportd.audit", "DROP TABLE exportd.audit",
                              "ALTER TABLE exportd.audit DISABLE TRIGGER audit_only_grows"):
                with pytest.raises(psycopg2.errors.InsufficientPrivilege):
                    cursor.execute(statement)
    finally:
        connection.close()
    for statement in ("UPDATE exportd.audit SET who = 'b'", "DELETE FROM exportd.audit", "TRUNCATE exportd.audit"):
        with pytest.raises(psycopg2.errors.RaiseException, match="only ever added to"):
            database.execute(statement)
    database.execute(f"DROP OWNED BY {role_of(url)}")
