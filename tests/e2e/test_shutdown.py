"""SIGTERM: nothing is cut in silence."""

import signal
import socket
import time

from support.exports import RANGE, WIDE, series, sleeps_at, wide_body
from support.poll import poll_until
from support.problems import check_problem
from support.wire import CUT, RESET, WHOLE, Connection

ROWS = 200_000
WIDE_TARGET = f"/exports/wide.csv?{RANGE}"


def refused(own):
    try:
        own.connect().close()
        return False
    except ConnectionRefusedError:
        return True


def test_an_idle_service_ends_at_once_with_0(service):
    own = service()
    own.get("/healthz")
    started = time.monotonic()
    own.terminate()
    assert own.wait() == 0
    assert time.monotonic() - started < 2


def test_sigint_ends_it_too(service):
    own = service()
    own.process.send_signal(signal.SIGINT)
    assert own.wait() == 0


def test_idle_connections_do_not_hold_it_up(service):
    own = service(EXPORTD_SERVER_DRAIN_TIMEOUT="10s")
    for _ in range(20):
        own.connect()
    kept = own.connect()
    assert kept.get("/healthz").status == 200
    started = time.monotonic()
    own.terminate()
    assert own.wait() == 0
    assert time.monotonic() - started < 3
    assert kept.ending() in (CUT, RESET)


def test_running_exports_end_whole(service):
    own = service(exports={"wide": series(ROWS, WIDE)}, EXPORTD_SERVER_DRAIN_TIMEOUT="20s")
    running = [own.start_export(WIDE_TARGET) for _ in range(5)]
    own.terminate()
    for connection, answer in running:
        answer = connection.body_of(answer)
        assert (answer.ended, answer.body) == (WHOLE, wide_body(ROWS))
    assert own.wait() == 0
    assert len(own.events("export_finished", outcome="complete")) == 5


def test_an_export_that_waits_for_its_first_row_ends_whole(service):
    own = service(exports={"late": sleeps_at(1, 1_000, 1)}, EXPORTD_SERVER_DRAIN_TIMEOUT="10s")
    with own.connect() as connection:
        connection.request(f"/exports/late.csv?{RANGE}")
        own.event("export_started")
        own.terminate()
        assert connection.response().body == wide_body(1_000)
    assert own.wait() == 0


def test_running_exports_fail_visibly_at_the_drain_limit(service, database):
    own = service(exports={"wide": series(ROWS, WIDE)}, EXPORTD_SERVER_DRAIN_TIMEOUT="1s")
    running = [own.start_export(WIDE_TARGET, rcvbuf=4096) for _ in range(5)]
    started = time.monotonic()
    own.terminate()
    assert own.wait() == 0
    assert 0.8 < time.monotonic() - started < 4
    for connection, answer in running:
        assert connection.body_of(answer).ended == RESET
    assert {line["code"] for line in own.events("export_finished")} == {"shutting_down"}
    poll_until(lambda: not database.busy(), 2, "the backends gone")


def test_an_export_without_a_first_row_at_the_drain_limit_is_a_503(service):
    own = service(exports={"late": sleeps_at(1, 10, 60)}, EXPORTD_SERVER_DRAIN_TIMEOUT="500ms")
    with own.connect() as connection:
        connection.request(f"/exports/late.csv?{RANGE}")
        own.event("export_started")
        own.terminate()
        check_problem(connection.response(), 503, "shutting_down")
    assert own.wait() == 0


def test_during_the_delay_the_listener_is_open_and_says_no(service):
    own = service(exports={"wide": series(ROWS, WIDE)}, EXPORTD_SERVER_SHUTDOWN_DELAY="2s",
                  EXPORTD_SERVER_DRAIN_TIMEOUT="20s")
    running, answer = own.start_export(WIDE_TARGET, rcvbuf=65536)
    kept = own.connect()
    assert kept.get("/readyz").status == 200
    started = time.monotonic()
    own.terminate()
    poll_until(lambda: kept.get("/readyz").status == 503, 0.5, "/readyz 503")
    assert own.get("/readyz").status == 503
    assert own.get("/healthz").status == 200
    refusal = own.get(WIDE_TARGET)
    check_problem(refusal, 503, "shutting_down")
    assert 1 <= int(refusal["Retry-After"]) <= 3600
    poll_until(lambda: refused(own), 5, "the listener closed")
    assert 1.5 < time.monotonic() - started < 4
    assert running.body_of(answer).body == wide_body(ROWS)
    assert own.wait() == 0


def test_the_ops_port_tells_readiness_too(service):
    own = service(EXPORTD_SERVER_SHUTDOWN_DELAY="2s")
    with Connection(own.ops_port) as ops:
        assert ops.get("/readyz").status == 200
        assert ops.get("/healthz").status == 200
    own.terminate()

    def unready():
        with Connection(own.ops_port) as ops:
            return ops.get("/readyz").status == 503 and ops.get("/healthz").status == 200
    poll_until(unready, 1, "/readyz 503 on the ops port")


def test_a_kept_connection_is_told_to_close(service):
    own = service(EXPORTD_SERVER_SHUTDOWN_DELAY="2s")
    with own.connect() as connection:
        assert connection.get("/readyz").status == 200
        own.terminate()
        poll_until(lambda: own.get("/readyz").status == 503, 1, "/readyz 503")
        assert connection.get("/exports")["Connection"].lower() == "close"
        assert connection.ending(1) == CUT


def test_a_second_sigterm_is_no_crash(service):
    own = service(exports={"wide": series(ROWS, WIDE)}, EXPORTD_SERVER_DRAIN_TIMEOUT="2s")
    own.start_export(WIDE_TARGET, rcvbuf=4096)
    own.terminate()
    own.event("export_started")
    own.terminate()
    assert own.wait() == 0


def test_traffic_that_keeps_arriving_does_not_hold_it_up(service):
    own = service(exports={"small": series(10, "n")}, EXPORTD_SERVER_SHUTDOWN_DELAY="500ms",
                  EXPORTD_SERVER_DRAIN_TIMEOUT="10s")
    own.terminate()
    started = time.monotonic()
    statuses = set()
    while own.running() and time.monotonic() - started < 8:
        try:
            statuses.add(own.get(f"/exports/small.csv?{RANGE}").status)
        except (OSError, AssertionError):
            pass
    assert own.wait() == 0
    assert time.monotonic() - started < 4
    assert statuses <= {200, 503} and 503 in statuses


def test_the_port_is_free_again(service):
    own = service()
    own.get("/healthz")
    own.terminate()
    assert own.wait() == 0
    with socket.socket() as again:
        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        again.bind(("127.0.0.1", own.port))


def test_no_backend_is_left(service, database):
    own = service(exports={"small": series(10, "n")})
    assert own.get(f"/exports/small.csv?{RANGE}").status == 200
    own.terminate()
    assert own.wait() == 0
    poll_until(lambda: not database.backends(), 2, "the pool closed")
