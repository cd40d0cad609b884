"""Through nginx as its package configures it (cases 2 and 37)."""

import subprocess
import time

import pytest

from support.database import order
from support.exports import RANGE, WIDE, fails_at, series, sleeps_at, wide_body
from support.poll import poll_until
from support.problems import check_problem
from support.wire import WHOLE

ROWS = 200_000
ORDERS = "/exports/orders.csv?from=2025-09-01&to=2025-10-01"
MODES = pytest.mark.parametrize("settings", ["", 'proxy_http_version 1.1; proxy_set_header Connection "";'],
                                ids=["HTTP/1.0 upstream", "HTTP/1.1 upstream"])


@MODES
def test_a_whole_file_passes_whole(service, nginx, tmp_path, settings):
    own = service(exports={"wide": series(50_000, WIDE)})
    proxy = nginx(own, settings)
    file = tmp_path / "f"
    run = own.curl("-o", str(file), proxy.url(f"/exports/wide.csv?{RANGE}"))
    assert run.returncode == 0, run.stderr
    assert file.read_bytes() == wide_body(50_000)


@MODES
@pytest.mark.parametrize("fail_at", [20_000, 50_000, 199_999])
def test_a_broken_file_is_seen_behind_nginx(service, nginx, tmp_path, settings, fail_at):
    own = service(exports={"dividing": fails_at(fail_at, ROWS)})
    proxy = nginx(own, settings)
    file = tmp_path / "f"
    run = own.curl("-o", str(file), proxy.url(f"/exports/dividing.csv?{RANGE}"))
    assert run.returncode in (18, 56), run
    body = file.read_bytes()
    assert wide_body(fail_at - 1).startswith(body)


@MODES
def test_a_terminated_backend_is_seen_behind_nginx(service, nginx, database, tmp_path, settings):
    own = service(exports={"wide": series(ROWS, WIDE)})
    proxy = nginx(own, settings)
    file = tmp_path / "f"
    curl = subprocess.Popen(["curl", "-sS", "--limit-rate", "5M", "-o", str(file),
                             proxy.url(f"/exports/wide.csv?{RANGE}")], stderr=subprocess.PIPE)
    poll_until(lambda: file.exists() and file.stat().st_size > 5_000_000, 20, "5 MB")
    [(pid, _, _)] = database.busy()
    database.terminate(pid)
    assert curl.wait(40) in (18, 56), curl.stderr.read()


@MODES
def test_the_first_rows_arrive_within_a_second(service, nginx, settings):
    own = service(exports={"pausing": sleeps_at(20_000, 30_000, 3)})
    proxy = nginx(own, settings)
    with proxy.connect() as connection:
        started = time.monotonic()
        connection.request(f"/exports/pausing.csv?{RANGE}")
        answer = connection.head()
        connection.take(20_000)
        assert time.monotonic() - started < 1
        assert answer.status == 200
        answer = connection.body_of(answer)
        assert (answer.ended, answer.body) == (WHOLE, wide_body(30_000))


@MODES
def test_a_client_that_leaves_nginx_ends_the_query(service, nginx, database, settings):
    own = service(exports={"pausing": sleeps_at(5_000, 10_000, 60)})
    proxy = nginx(own, settings)
    connection = proxy.connect()
    connection.request(f"/exports/pausing.csv?{RANGE}")
    assert connection.head().status == 200
    connection.take(1)
    connection.close()
    poll_until(lambda: not database.busy(), 2, "the backend gone")


@MODES
def test_errors_pass_as_they_are(service, nginx, settings):
    own = service(exports={"dividing": fails_at(1, 10)})
    proxy = nginx(own, settings)
    check_problem(proxy.get(f"/exports/dividing.csv?{RANGE}"), 502, "query_failed")
    check_problem(proxy.get("/exports/orders.csv?from=x&to=2025-10-01"), 400, "invalid_parameter", "from")


def test_header_fields_pass_nginx(service, nginx, database):
    database.replace_orders([order()])
    proxy = nginx(service())
    answer = proxy.get(ORDERS)
    assert (answer.status, answer.ended) == (200, WHOLE)
    assert answer["Content-Disposition"] == 'attachment; filename="orders_2025-09-01_2025-10-01.csv"'
    assert answer["Cache-Control"].replace(" ", "") == "private,no-store"
    assert answer["Export-Id"]
    head = proxy.get(ORDERS, method="HEAD")
    assert (head.status, head["Content-Type"]) == (200, answer["Content-Type"])


def test_a_slow_client_behind_nginx_gets_it_whole(service, nginx):
    own = service(exports={"wide": series(50_000, WIDE)}, EXPORTD_LIMITS_STALL_TIMEOUT="5s")
    proxy = nginx(own)
    with proxy.connect(rcvbuf=4096) as connection:
        connection.request(f"/exports/wide.csv?{RANGE}")
        assert connection.drip(200_000, 3)
        answer = connection.response()
        assert (answer.ended, answer.body) == (WHOLE, wide_body(50_000))
