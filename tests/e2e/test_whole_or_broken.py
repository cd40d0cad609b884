"""The file is whole, or its receiver sees that it is not (cases 1 to 5)."""

import base64
import hashlib
import os
import subprocess
import sys
import uuid

import pytest

from support.database import MANY
from support.exports import IN_RANGE, RANGE, Export, fails_at, series, sleeps_at, wide_body, WIDE
from support.poll import poll_until
from support.problems import check_problem
from support.rfc4180 import read_rectangle
from support.wire import RESET, WHOLE, Connection

ROWS = 200_000
SEPTEMBER = "from=2025-09-01&to=2025-10-01"
LEAKS = [b"ERROR", b"{", b"57P01", b"division", b"terminat", b"pg_", b"generate_series", b"SELECT"]


def without_leaks(body):
    return not [leak for leak in LEAKS if leak in body]


@pytest.fixture
def dividing(service):
    return service(exports={"dividing": fails_at(50_000, ROWS)})


def test_a_query_that_fails_at_row_50000_resets_the_connection(dividing):
    with dividing.connect() as connection:
        answer = connection.get(f"/exports/dividing.csv?{RANGE}")
    assert answer.status == 200
    assert answer.ended == RESET
    assert answer.trailers == []
    assert 0 < len(answer.body) <= len(wide_body(49_999))
    assert wide_body(49_999).startswith(answer.body)
    assert without_leaks(answer.body)


@pytest.mark.parametrize("fail_at", [2_000, 10_001, 65_536, 199_999, 200_000])
def test_wherever_a_query_fails_the_file_is_a_prefix_and_broken(service, fail_at):
    own = service(exports={"dividing": fails_at(fail_at, ROWS)})
    answer = own.get(f"/exports/dividing.csv?{RANGE}")
    if answer.status == 502:
        assert fail_at <= 20_000, "only the first batch may fail before the header"
        return
    assert (answer.status, answer.ended) == (200, RESET)
    assert wide_body(fail_at - 1).startswith(answer.body)


def test_curl_says_18_or_56_when_the_query_fails(dividing, tmp_path):
    run = dividing.curl("-o", str(tmp_path / "f.csv"), dividing.url(f"/exports/dividing.csv?{RANGE}"))
    assert run.returncode in (18, 56), run.stderr


def test_curl_with_http_1_0_says_so_too(dividing, tmp_path):
    run = dividing.curl("--http1.0", "-o", str(tmp_path / "f.csv"),
                        dividing.url(f"/exports/dividing.csv?{RANGE}"))
    assert run.returncode in (18, 56), run.stderr
    assert without_leaks((tmp_path / "f.csv").read_bytes())


def test_http_1_0_ends_in_a_reset_not_in_a_close(dividing):
    with dividing.connect() as connection:
        answer = connection.get(f"/exports/dividing.csv?{RANGE}", version="1.0")
    assert (answer.status, answer.chunked, answer.ended) == (200, False, RESET)
    assert wide_body(49_999).startswith(answer.body)


def test_a_failed_export_has_a_receipt_and_a_log_line_with_its_id(dividing):
    receipt_id = str(uuid.uuid4())
    answer = dividing.get(f"/exports/dividing.csv?{RANGE}&receipt={receipt_id}")
    export_id = answer["Export-Id"]
    receipt = dividing.receipt_once(receipt_id, "failed")
    assert receipt["export"] == "dividing"
    assert receipt["id"] == receipt_id
    assert 0 < receipt["rows"] < 50_000
    assert receipt["bytes"] >= len(answer.body) > 0
    assert receipt["finished_at"] >= receipt["started_at"]
    line = dividing.event("export_finished", export_id=export_id)
    assert line["outcome"] == "failed"
    assert line["code"] == "query_failed"
    assert line["rows"] == receipt["rows"]
    assert line["export"] == "dividing"


def test_a_terminated_backend_breaks_the_file(service, database):
    own = service(exports={"wide": series(ROWS, WIDE)})
    connection, answer = own.start_export(f"/exports/wide.csv?{RANGE}")
    connection.take(10_000_000)
    [(pid, _, _)] = database.busy()
    database.terminate(pid)
    answer = connection.body_of(answer)
    assert answer.ended == RESET
    assert 10_000_000 <= len(answer.body) < len(wide_body(ROWS))
    assert wide_body(ROWS).startswith(answer.body)
    assert without_leaks(answer.body)
    receipt = own.receipt_once(answer["Export-Id"], "failed")
    assert 40_000 < receipt["rows"] < ROWS
    line = own.event("export_finished", export_id=answer["Export-Id"])
    assert (line["outcome"], line["code"]) == ("failed", "database_unavailable")


def test_curl_says_18_or_56_when_the_backend_is_terminated(service, database, tmp_path):
    own = service(exports={"wide": series(ROWS, WIDE)})
    file = tmp_path / "f.csv"
    curl = subprocess.Popen(["curl", "-sS", "--limit-rate", "5M", "-o", str(file),
                             own.url(f"/exports/wide.csv?{RANGE}")], stderr=subprocess.PIPE)
    poll_until(lambda: file.exists() and file.stat().st_size > 5_000_000, 20, "5 MB")
    [(pid, _, _)] = database.busy()
    database.terminate(pid)
    assert curl.wait(30) in (18, 56), curl.stderr.read()


def test_the_service_goes_on_after_a_terminated_backend(service, database):
    own = service(exports={"wide": series(ROWS, WIDE), "small": series(10, "n")})
    connection, _ = own.start_export(f"/exports/wide.csv?{RANGE}")
    for pid, _, _ in database.backends():
        database.terminate(pid)
    assert connection.ending() == RESET
    poll_until(lambda: own.get(f"/exports/small.csv?{RANGE}").status == 200, 5, "an export after the loss")


def test_every_idle_backend_terminated_goes_unnoticed(service, database):
    own = service(exports={"small": series(10, "n")})
    assert own.get(f"/exports/small.csv?{RANGE}").status == 200
    for pid, _, _ in database.backends():
        database.terminate(pid)
    poll_until(lambda: own.get(f"/exports/small.csv?{RANGE}").status == 200, 5, "an export after the loss")


def test_the_same_fault_before_the_first_byte_is_a_502(service):
    own = service(exports={"dividing": fails_at(1, 10)})
    answer = own.get(f"/exports/dividing.csv?{RANGE}")
    document = check_problem(answer, 502, "query_failed")
    for leak in ("division", "22012", "SELECT", "generate_series", "quotient"):
        assert leak not in answer.text
    assert document["detail"][0].isupper()
    assert own.event("export_finished", code="query_failed")["outcome"] == "failed"


def test_a_query_whose_table_is_dropped_meanwhile_is_a_502(service, database):
    database.execute("CREATE TABLE short_lived (n int)")
    own = service(exports={"short": Export(f"SELECT n FROM short_lived WHERE {IN_RANGE}")})
    assert own.get(f"/exports/short.csv?{RANGE}").body == b"n\n"
    database.execute("DROP TABLE short_lived")
    answer = own.get(f"/exports/short.csv?{RANGE}")
    check_problem(answer, 502, "query_failed")
    assert "short_lived" not in answer.text


def test_the_connection_is_usable_after_a_502(service):
    own = service(exports={"dividing": fails_at(1, 10), "small": series(2, "n")})
    with own.connect() as connection:
        check_problem(connection.get(f"/exports/dividing.csv?{RANGE}"), 502, "query_failed")
        assert connection.get(f"/exports/small.csv?{RANGE}").body == b"n\n1\n2\n"


@pytest.mark.parametrize("sql, why", [
    (f"SELECT pg_sleep(30)::text AS pause WHERE {IN_RANGE}", "waiting"),
    (f"SELECT n FROM generate_series(1, 2000000000) AS n WHERE {IN_RANGE} ORDER BY -n", "computing"),
], ids=["waiting", "computing"])
def test_a_late_first_row_is_a_504_and_the_backend_stops(service, database, sql, why):
    own = service(exports={"late": Export(sql)}, EXPORTD_LIMITS_FIRST_ROW_TIMEOUT="500ms",
                  EXPORTD_LIMITS_STREAM_ROW_LIMIT="0")
    answer = own.get(f"/exports/late.csv?{RANGE}")
    check_problem(answer, 504, "first_row_timeout")
    poll_until(lambda: not database.busy(), 2, f"the {why} backend idle")


def test_the_first_row_timeout_counts_until_the_first_row_only(service):
    own = service(exports={"pausing": sleeps_at(50_000, 60_000, 2)}, EXPORTD_LIMITS_FIRST_ROW_TIMEOUT="500ms")
    answer = own.get(f"/exports/pausing.csv?{RANGE}")
    assert (answer.status, answer.ended) == (200, WHOLE)
    assert answer.body == wide_body(60_000)


def test_500000_rows_stream_whole(service, many_orders):
    own = service(exports={"many": Export((many_sql()), columns=MANY_COLUMNS)})
    answer = own.get(f"/exports/many.csv?{SEPTEMBER}")
    assert (answer.status, answer.ended) == (200, WHOLE)
    lines = answer.body.split(b"\n")
    assert len(lines) == MANY + 2
    assert lines[0] == b"id,customer,email,total,created_at"
    assert lines[1] == b'1,Customer 1,c1@example.com,\xc2\xa30.14,"01/09/2025, 00:00:00"'
    assert lines[MANY].startswith(b"500000,Customer 500000,c500000@example.com,")
    assert lines[-1] == b""
    assert [line.split(b",", 1)[0] for line in lines[1:-1]] == [b"%d" % n for n in range(1, MANY + 1)]
    assert answer.trailer("Export-Rows") == str(MANY)
    assert answer.trailer("Export-Bytes") == str(len(answer.body))


def test_500001_rows_are_422_and_say_how_to_go_on(service, many_orders):
    own = service(exports={"many": Export(many_sql(), columns=MANY_COLUMNS)})
    answer = own.get("/exports/many.csv?from=2025-09-01&to=2025-10-02")
    document = check_problem(answer, 422, "too_many_rows")
    assert document["limit"] == 500_000
    assert document["rows"] >= 500_001
    assert "job" in answer.text


def test_few_rows_of_a_large_table_stream(service, many_orders):
    own = service(exports={"many": Export(many_sql(), columns=MANY_COLUMNS)})
    answer = own.get("/exports/many.csv?from=2025-09-10T00:00:00Z&to=2025-09-10T13:53:20Z")
    assert (answer.status, answer.ended) == (200, WHOLE)
    assert answer.body.count(b"\n") == 10_001


@pytest.mark.parametrize("limit, rows, status", [
    (10, 0, 200), (10, 9, 200), (10, 10, 200), (10, 11, 422), (1, 1, 200), (1, 2, 422), (0, 1000, 200)])
def test_the_row_limit_is_exact(service, limit, rows, status):
    own = service(exports={"rows": series(rows, "n")}, EXPORTD_LIMITS_STREAM_ROW_LIMIT=str(limit))
    answer = own.get(f"/exports/rows.csv?{RANGE}")
    assert answer.status == status
    if status == 200:
        assert answer.body.count(b"\n") == rows + 1
    else:
        assert answer.json()["limit"] == limit


def test_an_export_can_have_a_row_limit_of_its_own(service):
    own = service(exports={"tight": series(6, "n", settings={"stream_row_limit": 5}),
                           "free": series(6, "n")}, EXPORTD_LIMITS_STREAM_ROW_LIMIT="100")
    assert check_problem(own.get(f"/exports/tight.csv?{RANGE}"), 422, "too_many_rows")["limit"] == 5
    assert own.get(f"/exports/free.csv?{RANGE}").status == 200


def test_stale_statistics_do_not_shorten_the_file(service, database):
    database.execute("CREATE TABLE stale (n int, filler text) WITH (autovacuum_enabled = false)")
    database.execute("INSERT INTO stale SELECT n, 'x' FROM generate_series(1, 500) n")
    database.execute("ANALYZE stale")
    database.execute("INSERT INTO stale SELECT n, 'x' FROM generate_series(501, 50000) n")
    try:
        own = service(exports={"stale": Export(f"SELECT n, filler FROM stale WHERE {IN_RANGE} ORDER BY n")})
        answer = own.get(f"/exports/stale.csv?{RANGE}")
        assert answer.ended == WHOLE
        assert answer.body == b"n,filler\n" + b"".join(b"%d,x\n" % n for n in range(1, 50_001))
        database.execute("DELETE FROM stale WHERE n > 500")
        assert own.get(f"/exports/stale.csv?{RANGE}").body.count(b"\n") == 501
    finally:
        database.execute("DROP TABLE stale")


def test_stale_statistics_that_promise_too_many_do_not_refuse(service, database):
    database.execute("CREATE TABLE shrunk (n int) WITH (autovacuum_enabled = false)")
    try:
        database.execute("INSERT INTO shrunk SELECT n FROM generate_series(1, 100000) n")
        database.execute("ANALYZE shrunk")
        database.execute("DELETE FROM shrunk WHERE n > 1000")
        own = service(exports={"shrunk": Export(f"SELECT n FROM shrunk WHERE {IN_RANGE} ORDER BY n")},
                      EXPORTD_LIMITS_STREAM_ROW_LIMIT="1000")
        answer = own.get(f"/exports/shrunk.csv?{RANGE}")
        assert (answer.status, answer.body.count(b"\n")) == (200, 1001)
    finally:
        database.execute("DROP TABLE shrunk")


def test_no_rows_are_a_header_and_a_clean_end(service, database):
    database.replace_orders([])
    own = service()
    answer = own.get(f"/exports/orders.csv?{SEPTEMBER}")
    assert (answer.status, answer.ended) == (200, WHOLE)
    assert answer.body == b"id,customer,email,total,created_at\n"
    assert (answer.trailer("Export-Rows"), answer.trailer("Export-Bytes")) == ("0", str(len(answer.body)))


def test_one_snapshot_although_orders_keep_arriving(service, database):
    database.fill_orders(100_000)
    own = service()
    connection, answer = own.start_export(f"/exports/orders.csv?{SEPTEMBER}")
    database.execute("DELETE FROM orders WHERE id > 50000")
    database.execute("INSERT INTO orders SELECT 200000 + n, 'late', 'l@example.com', 1, 'GBP', "
                     "'2025-09-20' FROM generate_series(1, 1000) n")
    answer = connection.body_of(answer)
    records = read_rectangle(answer.body)
    assert [record[0] for record in records[1:]] == [str(n) for n in range(1, 100_001)]


def test_the_same_closed_range_twice_is_the_same_bytes(service, database):
    database.fill_orders(30_000)
    own = service()
    first, second = (own.get(f"/exports/orders.csv?{SEPTEMBER}") for _ in range(2))
    assert (first.ended, second.ended) == (WHOLE, WHOLE)
    assert first.body == second.body
    assert first.body.count(b"\n") == 30_001


def test_orders_at_the_same_instant_come_in_the_order_of_their_ids(service, database):
    database.replace_orders([("c", "e@example.com", n, "GBP", "2025-09-15T12:00:00Z") for n in range(2000)])
    answer = service().get(f"/exports/orders.csv?{SEPTEMBER}")
    assert [r[0] for r in read_rectangle(answer.body)[1:]] == [str(n) for n in range(1, 2001)]


def test_the_digest_is_a_trailer_when_asked_for(service):
    own = service(exports={"wide": series(5_000, WIDE)})
    answer = own.get(f"/exports/wide.csv?{RANGE}", fields={"Want-Repr-Digest": "sha-256=1"})
    digest = hashlib.sha256(answer.body)
    assert answer.trailer("Repr-Digest") == f"sha-256=:{base64.b64encode(digest.digest()).decode()}:"
    receipt = own.receipt_once(answer["Export-Id"], "complete")
    assert receipt["sha256"] == digest.hexdigest()


def test_no_digest_unless_asked_for(service):
    own = service(exports={"small": series(5, "n")})
    answer = own.get(f"/exports/small.csv?{RANGE}")
    assert "Repr-Digest" not in dict(answer.trailers)
    assert "sha256" not in own.receipt_once(answer["Export-Id"], "complete")


def test_trailers_are_announced_and_right(service):
    own = service(exports={"wide": series(5_000, WIDE)})
    answer = own.get(f"/exports/wide.csv?{RANGE}")
    announced = {name.strip().lower() for name in answer["Trailer"].split(",")}
    assert {"export-rows", "export-bytes"} <= announced
    assert answer.trailer("Export-Rows") == "5000"
    assert answer.trailer("Export-Bytes") == str(len(wide_body(5_000)))


def test_a_script_can_tell_by_curl_alone(service, tmp_path):
    own = service(exports={"wide": series(20_000, WIDE), "dividing": fails_at(15_000, ROWS)})
    good = own.curl("--fail", "-o", str(tmp_path / "g"), own.url(f"/exports/wide.csv?{RANGE}"))
    bad = own.curl("--fail", "-o", str(tmp_path / "b"), own.url(f"/exports/dividing.csv?{RANGE}"))
    refused = own.curl("--fail", "-o", str(tmp_path / "r"), own.url("/exports/wide.csv?from=x&to=y"))
    assert (good.returncode, refused.returncode) == (0, 22)
    assert bad.returncode in (18, 22, 56)
    assert (tmp_path / "g").read_bytes() == wide_body(20_000)


def test_a_python_client_sees_the_failure(dividing):
    script = ("import urllib.request, http.client, sys\n"
              "try:\n    urllib.request.urlopen(sys.argv[1]).read()\n"
              "except (http.client.IncompleteRead, ConnectionResetError):\n    sys.exit(7)\n")
    run = subprocess.run([sys.executable, "-c", script, dividing.url(f"/exports/dividing.csv?{RANGE}")],
                         timeout=30, env={**os.environ, "no_proxy": "*"})
    assert run.returncode == 7


@pytest.mark.parametrize("version", ["1.1", "1.0"])
def test_a_connection_that_dies_with_the_process_is_not_whole(service, version):
    own = service(exports={"wide": series(ROWS, WIDE)})
    connection = own.connect(rcvbuf=4096)
    connection.request(f"/exports/wide.csv?{RANGE}", version=version)
    answer = connection.head()
    own.process.kill()
    answer = connection.body_of(answer)
    assert answer.ended != WHOLE
    connection.close()
    own.process.wait()
    own.process.returncode = 0  # this end was the test's


MANY_COLUMNS = [{"name": "id"}, {"name": "customer"}, {"name": "email"},
                {"name": "total", "format": "money", "currency": "currency"}, {"name": "created_at"}]


def many_sql():
    return ("SELECT id, customer_name AS customer, email, total, currency, created_at FROM many_orders\n"
            "WHERE created_at >= $1 AND created_at < $2 ORDER BY created_at, id")


@pytest.mark.long
def test_10000_rows_in_range_of_5_million_stream(service, database):
    database.fill_orders(5_000_000, start="2025-01-01T00:00:00Z", step="1 second")
    database.execute("ANALYZE orders")
    own = service()
    answer = own.get("/exports/orders.csv?from=2025-02-01T00:00:00Z&to=2025-02-01T02:46:40Z")
    assert (answer.status, answer.body.count(b"\n")) == (200, 10_001)
    refused = own.get("/exports/orders.csv?from=2025-01-01T00:00:00Z&to=2025-12-31T00:00:00Z")
    check_problem(refused, 422, "too_many_rows")
    database.replace_orders([])


def test_a_second_connection_is_not_disturbed_by_a_failing_export(service):
    own = service(exports={"dividing": fails_at(50_000, ROWS), "wide": series(50_000, WIDE)})
    healthy, answer = own.start_export(f"/exports/wide.csv?{RANGE}")
    with Connection(own.port) as failing:
        assert failing.get(f"/exports/dividing.csv?{RANGE}").ended == RESET
    assert healthy.body_of(answer).body == wide_body(50_000)
