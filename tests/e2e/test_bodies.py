"""Bodies of requests: how much, how fast, in which coding, and what stands behind them."""

import time

import pytest

from support.poll import poll_until
from support.problems import check_problem
from support.wire import CUT, RESET

LARGEST = 64 * 1024
TARGET = "/exports/orders/jobs"
BODY = '{"from":"2025-09-01","to":"2025-09-01"}'  # whole, and refused for its range


@pytest.fixture
def own(service):
    return service(EXPORTD_SERVER_HEADER_TIMEOUT="5s")


def head(length=None, *fields, method="POST", target=TARGET, version="1.1"):
    lines = [f"{method} {target} HTTP/{version}", "Host: exports.test", "Content-Type: application/json", *fields]
    if length is not None:
        lines.append(f"Content-Length: {length}")
    return "\r\n".join(lines) + "\r\n\r\n"


def chunked(*pieces):
    return "".join(f"{len(piece):x}\r\n{piece}\r\n" for piece in pieces) + "0\r\n\r\n"


def check_was_read(answer):
    """The body was read as it is: its range is what is wrong with it."""
    check_problem(answer, 400, "invalid_range", "to")


def check_closed(connection):
    assert connection.ending(5) in (CUT, RESET)
    assert connection.pending == 0, "nothing behind it was answered"


def test_a_body_is_read(own):
    with own.connect() as connection:
        for _ in range(3):
            connection.send(head(len(BODY)) + BODY)
            check_was_read(connection.response("POST"))


def test_a_body_that_arrives_byte_by_byte(own):
    with own.connect() as connection:
        for byte in head(len(BODY)) + BODY:
            connection.send(byte)
        check_was_read(connection.response("POST"))


def test_a_chunked_body_is_read(own):
    with own.connect() as connection:
        connection.send(head(None, "Transfer-Encoding: chunked") + chunked(BODY[:7], BODY[7:8], BODY[8:]))
        check_was_read(connection.response("POST"))
        assert connection.get("/healthz").status == 200


def test_a_chunked_body_with_extensions_and_trailers(own):
    with own.connect() as connection:
        connection.send(head(None, "Transfer-Encoding: chunked")
                        + f"{len(BODY):x};a=b\r\n{BODY}\r\n0\r\nX-Trailer: 1\r\n\r\n")
        check_was_read(connection.response("POST"))
        assert connection.get("/healthz").status == 200


def test_a_request_behind_a_body_is_answered_next(own):
    with own.connect() as connection:
        connection.send(head(len(BODY)) + BODY + "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
                        + head(None, "Transfer-Encoding: chunked") + chunked(BODY)
                        + "GET /exports HTTP/1.1\r\nHost: x\r\n\r\n")
        answers = [connection.response() for _ in range(4)]
    assert [answer.status for answer in answers] == [400, 200, 400, 200]
    check_was_read(answers[2])


def test_a_body_that_looks_like_a_request_is_none(own):
    trick = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    with own.connect() as connection:
        connection.send(head(len(trick)) + trick)
        check_problem(connection.response("POST"), 400, "invalid_body")
        connection.request("/nothing")
        assert connection.response().status == 404


def test_no_body_is_an_empty_one(own):
    with own.connect() as connection:
        connection.send(head())
        check_problem(connection.response("POST"), 400, "invalid_body")
        assert connection.get("/healthz").status == 200


def test_the_largest_body_and_one_byte_more(own):
    body = BODY + " " * (LARGEST - len(BODY))
    with own.connect() as connection:
        connection.send(head(len(body)) + body)
        check_was_read(connection.response("POST"))
        connection.send(head(len(body) + 1) + body + " ")
        check_problem(connection.response("POST"), 413, "content_too_large")
        check_closed(connection)


def test_a_body_that_is_announced_too_large_is_not_waited_for(own):
    with own.connect() as connection:
        connection.send(head(10**12))
        check_problem(connection.response("POST"), 413, "content_too_large")
        check_closed(connection)


def test_a_chunked_body_is_not_read_beyond_the_limit(own):
    with own.connect() as connection:
        connection.send(head(None, "Transfer-Encoding: chunked") + chunked(*["x" * 8192] * 100))
        check_problem(connection.response("POST"), 413, "content_too_large")
        check_closed(connection)


def test_a_body_that_does_not_come_is_408(service):
    own = service(EXPORTD_SERVER_HEADER_TIMEOUT="500ms")
    with own.connect() as connection:
        connection.send(head(len(BODY)) + BODY[:10])
        started = time.monotonic()
        check_problem(connection.response("POST"), 408, "body_timeout")
        assert 0.3 < time.monotonic() - started < 3
        check_closed(connection)


def test_the_deadline_of_a_body_is_absolute(service):
    """A byte every now and then does not put it off."""
    own = service(EXPORTD_SERVER_HEADER_TIMEOUT="800ms")
    with own.connect() as connection:
        started = time.monotonic()
        connection.socket.settimeout(0.1)
        connection.send(head(1000))
        while connection.pending == 0 and time.monotonic() - started < 5:
            connection.send(" ")
            try:
                connection.fill()
            except TimeoutError:
                pass
        connection.socket.settimeout(5)
        check_problem(connection.response("POST"), 408, "body_timeout")
        assert time.monotonic() - started < 3


def test_a_client_that_leaves_within_a_body_disturbs_nobody(own):
    for end in ("close", "reset"):
        connection = own.connect()
        connection.send(head(len(BODY)) + BODY[:10])
        getattr(connection, end)()
    assert own.get("/healthz").status == 200
    assert not own.events("request_failed")


def test_who_expects_100_gets_it_before_the_body(own):
    with own.connect() as connection:
        connection.send(head(len(BODY), "Expect: 100-continue"))
        first = connection.head()
        assert (first.status, first.fields) == (100, [])
        connection.send(BODY)
        check_was_read(connection.response("POST"))
        assert connection.get("/healthz").status == 200


def test_who_expects_100_for_too_much_gets_413_at_once(own):
    with own.connect() as connection:
        connection.send(head(LARGEST + 1, "Expect: 100-continue"))
        check_problem(connection.response("POST"), 413, "content_too_large")


def test_http_1_0_gets_no_100(own):
    with own.connect() as connection:
        connection.send(head(len(BODY), "Expect: 100-continue", version="1.0") + BODY)
        check_was_read(connection.response("POST"))


@pytest.mark.parametrize("framing", [
    "zz\r\nhello\r\n0\r\n\r\n", "5\r\nhelloworld\r\n0\r\n\r\n", "-5\r\nhello\r\n0\r\n\r\n",
    "fffffffffffffffff\r\nhello\r\n0\r\n\r\n"], ids=["no size", "a longer chunk", "negative", "overflow"])
def test_a_malformed_chunk_is_400_and_closed(own, framing):
    with own.connect() as connection:
        connection.send(head(None, "Transfer-Encoding: chunked") + framing + "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = connection.response("POST")
        assert answer.status in (400, 413), answer
        check_closed(connection)


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_method_without_bodies_takes_none(own, method):
    with own.connect() as connection:
        connection.send(head(len(BODY), method=method, target="/jobs") + BODY)
        answer = connection.response(method)
        assert (answer.status, answer["Connection"].lower()) == (400, "close")
        check_closed(connection)


def test_a_body_for_what_takes_no_post_is_read_and_left(own):
    with own.connect() as connection:
        connection.send(head(len(BODY), target="/healthz") + BODY)
        check_problem(connection.response("POST"), 405, "method_not_allowed")
        connection.send(head(len(BODY), target="/nothing") + BODY)
        check_problem(connection.response("POST"), 404, "not_found")
        assert connection.get("/healthz").status == 200


def test_curl_posts(own):
    done = own.curl("--json", BODY, "-w", "%{http_code}", own.url(TARGET))
    assert done.returncode == 0
    assert done.stdout.endswith(b"400")
    assert b"invalid_range" in done.stdout


def test_many_bodies_at_once(own):
    connections = [own.connect() for _ in range(200)]
    for connection in connections:
        connection.send(head(len(BODY)) + BODY[:10])
    poll_until(lambda: own.get("/healthz").status == 200, 2, "the service")
    for connection in connections:
        connection.send(BODY[10:])
    for connection in connections:
        check_was_read(connection.response("POST"))
