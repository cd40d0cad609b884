"""How much at once, and how the service says no."""

import time

import pytest

from support.exports import RANGE, WIDE, series, sleeps_at, wide_body
from support.poll import poll_until
from support.problems import check_problem
from support.wire import WHOLE, Connection

ROWS = 200_000
WIDE_TARGET = f"/exports/wide.csv?{RANGE}"


@pytest.fixture
def own(service):
    return service(exports={"wide": series(ROWS, WIDE), "small": series(3, "n")},
                   EXPORTD_LIMITS_EXPORTS_PER_CLIENT="2")


def test_one_export_too_many_for_a_client_is_429(own):
    running = [own.start_export(WIDE_TARGET, rcvbuf=4096) for _ in range(2)]
    answer = own.get(WIDE_TARGET)
    check_problem(answer, 429, "too_many_exports")
    assert 1 <= int(answer["Retry-After"]) <= 3600
    running[0][0].close()
    poll_until(lambda: own.get(f"/exports/small.csv?{RANGE}").status == 200, 3, "room again")
    assert running[1][0].body_of(running[1][1]).body == wide_body(ROWS)


def test_a_429_keeps_the_connection(own):
    for _ in range(2):
        own.start_export(WIDE_TARGET, rcvbuf=4096)
    with own.connect() as connection:
        assert connection.get(WIDE_TARGET).status == 429
        assert connection.get("/healthz").status == 200


def test_only_running_exports_count(own):
    for _ in range(20):
        assert own.get(f"/exports/small.csv?{RANGE}").status == 200
        assert own.get("/exports/small.csv?from=x&to=y").status == 400


def test_other_requests_do_not_count(own):
    for _ in range(2):
        own.start_export(WIDE_TARGET, rcvbuf=4096)
    for target in ("/healthz", "/readyz", "/exports"):
        assert own.get(target).status == 200, target
    assert own.get(WIDE_TARGET, method="HEAD").status == 200


def test_a_client_that_asks_for_heads_and_reads_none_is_dropped(service):
    own = service(exports={"small": series(10, "n")}, EXPORTD_LIMITS_STALL_TIMEOUT="1s",
                  EXPORTD_SERVER_SEND_BUFFER="4KiB")
    connection = own.connect(rcvbuf=4096)
    head = f"HEAD /exports/small.csv?{RANGE} HTTP/1.1\r\nHost: x\r\n\r\n"
    connection.socket.setblocking(False)
    sent = 0
    deadline = time.monotonic() + 3
    while time.monotonic() < deadline:  # until neither side takes more
        try:
            sent += connection.socket.send((head * 1000).encode())
        except BlockingIOError:
            time.sleep(0.05)
        except OSError:
            return
    poll_until(lambda: connection.ending(0.2) != "open", 10, "the connection dropped")


def test_a_failed_or_left_export_no_longer_counts(own):
    for _ in range(6):
        connection, answer = own.start_export(WIDE_TARGET, rcvbuf=4096)
        connection.reset()
        own.receipt_once(answer["Export-Id"], "aborted")
    assert own.get(f"/exports/small.csv?{RANGE}").status == 200


def test_exports_that_wait_for_their_first_row_count_too(service):
    own = service(exports={"late": sleeps_at(1, 10, 2), "small": series(3, "n")},
                  EXPORTD_LIMITS_EXPORTS_PER_CLIENT="1")
    with own.connect() as connection:
        connection.request(f"/exports/late.csv?{RANGE}")
        poll_until(lambda: own.get(f"/exports/small.csv?{RANGE}").status == 429, 1, "the limit")
        assert connection.response().ended == WHOLE
    poll_until(lambda: own.get(f"/exports/small.csv?{RANGE}").status == 200, 1, "room again")


def test_the_second_of_two_equal_clients_is_another_client_by_its_address(own):
    for _ in range(2):
        own.start_export(WIDE_TARGET, rcvbuf=4096)
    assert own.get(WIDE_TARGET).status == 429
    with Connection(own.port) as same:
        assert same.get(WIDE_TARGET, fields={"X-Forwarded-For": "203.0.113.9"}).status == 429


def test_too_many_rows_tells_the_numbers_and_the_way(service):
    own = service(exports={"wide": series(2_000, WIDE)}, EXPORTD_LIMITS_STREAM_ROW_LIMIT="1500")
    answer = own.get(WIDE_TARGET)
    document = check_problem(answer, 422, "too_many_rows")
    assert (document["limit"], document["rows"] >= 1501) == (1500, True)
    assert "1500" in document["detail"].replace(",", "") or "1,500" in document["detail"]
    assert "job" in answer.text
    assert own.get(WIDE_TARGET, method="HEAD").status == 200


def test_a_422_leaves_nothing_behind(service, database):
    own = service(exports={"wide": series(2_000, WIDE)}, EXPORTD_LIMITS_STREAM_ROW_LIMIT="10",
                  EXPORTD_LIMITS_EXPORTS_PER_CLIENT="1", EXPORTD_DATABASE_POOL_SIZE="1")
    for _ in range(10):
        assert own.get(WIDE_TARGET).status == 422
    poll_until(lambda: not database.busy(), 1, "no transaction")


def test_sixteen_exports_at_once_all_end_whole(service):
    own = service(exports={"wide": series(20_000, WIDE)}, EXPORTD_DATABASE_POOL_SIZE="16")
    running = [own.start_export(WIDE_TARGET) for _ in range(16)]
    for connection, answer in running:
        assert connection.body_of(answer).body == wide_body(20_000)


def test_more_exports_than_connections_queue_and_end_whole(service):
    own = service(exports={"wide": series(2_000, WIDE)}, EXPORTD_DATABASE_POOL_SIZE="2",
                  EXPORTD_LIMITS_QUEUE_TIMEOUT="20s")
    connections = [own.connect() for _ in range(30)]
    for connection in connections:
        connection.request(WIDE_TARGET)
    for connection in connections:
        assert connection.response().body == wide_body(2_000)


def test_memory_does_not_grow_with_the_file(service):
    own = service(exports={"wide": series(450_000, WIDE)})
    own.get(f"/exports/orders.csv?{RANGE}")
    before = own.memory()
    peak = 0
    connection, answer = own.start_export(WIDE_TARGET)
    while connection.fill():
        if connection.pending > 1 << 22:
            peak = max(peak, own.memory())
            connection._buffer.clear()
        if connection._buffer.endswith(b"\r\n\r\n") and b"Export-Rows" in connection._buffer[-400:]:
            break
    assert 0 < peak - before < 24 * 1024 * 1024


def test_a_row_of_ten_megabytes_passes(service):
    own = service(exports={"huge": series(3, "n, repeat('x', 10000000) AS filler")})
    answer = own.get(f"/exports/huge.csv?{RANGE}")
    line = b",%s\n" % (b"x" * 10_000_000)
    assert answer.body == b"n,filler\n" + b"".join(b"%d%s" % (n, line) for n in (1, 2, 3))


def test_a_stalled_client_does_not_hold_its_place_for_ever(service):
    own = service(exports={"wide": series(ROWS, WIDE)}, EXPORTD_LIMITS_EXPORTS_PER_CLIENT="1",
                  EXPORTD_LIMITS_STALL_TIMEOUT="1s")
    own.start_export(WIDE_TARGET, rcvbuf=4096)
    assert own.get(WIDE_TARGET).status == 429
    started = time.monotonic()
    poll_until(lambda: own.start_export(WIDE_TARGET, rcvbuf=4096)[1].status == 200, 6, "the place free")
    assert time.monotonic() - started < 5


def test_an_idle_service_uses_no_cpu(service):
    own = service()
    own.get("/healthz")
    before = own.cpu_seconds()
    time.sleep(2)  # the idle time is what is measured
    assert own.cpu_seconds() - before <= 0.06


def test_readers_that_stand_still_use_no_cpu(service):
    own = service(exports={"wide": series(ROWS, WIDE)})
    for _ in range(10):
        own.start_export(WIDE_TARGET, rcvbuf=4096)
    poll_until(lambda: own.get("/healthz").status == 200, 2, "health")
    time.sleep(0.5)  # until the kernel's buffers are full
    before = own.cpu_seconds()
    time.sleep(2)  # the idle time is what is measured
    assert own.cpu_seconds() - before <= 0.08
