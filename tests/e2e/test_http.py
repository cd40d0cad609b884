"""HTTP/1.1 and 1.0 on the wire (cases 31 to 36)."""

import re
import resource
import socket
import time
import uuid

import pytest

from support.database import order
from support.exports import RANGE, WIDE, fails_at, series, sleeps_at, wide_body
from support.poll import poll_until
from support.problems import check_private, check_problem
from support.wire import CUT, RESET, WHOLE, Connection

ORDERS = "/exports/orders.csv?from=2025-09-01&to=2025-10-01"
PER_ANSWER = {"date", "export-id", "x-request-id"}


@pytest.fixture
def own(service, database):
    database.replace_orders([order(f"2025-09-{day:02}T12:00:00Z") for day in range(1, 11)])
    return service(exports={"wide": series(50_000, WIDE), "bad": fails_at(1, 10)})


# Header fields

def test_the_answers_header_fields(own):
    answer = own.get(ORDERS)
    assert (answer.status, answer.version, answer.ended) == (200, "HTTP/1.1", WHOLE)
    check_private(answer)
    assert answer["Content-Type"].replace(" ", "").lower().startswith("text/csv;charset=utf-8")
    assert answer["Content-Disposition"] == 'attachment; filename="orders_2025-09-01_2025-10-01.csv"'
    assert answer["X-Accel-Buffering"] == "no"
    assert answer["Accept-Ranges"] == "none"
    assert answer["Transfer-Encoding"] == "chunked"
    assert answer["Export-Id"] and answer["Export-Range"] and answer["X-Request-Id"]
    assert answer.get("Content-Length") is None
    assert answer.get("ETag") is None


@pytest.mark.parametrize("target, method, status", [
    (ORDERS, "GET", 200),
    (ORDERS + "&values=raw", "GET", 200),
    (ORDERS + "&excel=1", "GET", 200),
    ("/exports", "GET", 200),
    (f"/exports/orders/estimate?{RANGE}", "GET", 200),
    ("/exports/orders.csv", "GET", 400),
    ("/exports/orders.csv?from=1&to=2", "GET", 400),
    ("/nothing", "GET", 404),
    ("/exports/nothing.csv?from=2025-01-01&to=2025-02-01", "GET", 404),
    ("/exports/receipts/" + str(uuid.UUID(int=7)), "GET", 404),
    (ORDERS, "DELETE", 405),
    (ORDERS, "POST", 405),
    (f"/exports/bad.csv?{RANGE}", "GET", 502),
    pytest.param("/" + "x" * 100_000, "GET", 414, id="long"),
])
def test_every_answer_is_private_and_not_to_be_sniffed(own, target, method, status):
    answer = own.get(target, method=method)
    assert answer.status == status
    check_private(answer)
    assert answer["X-Request-Id"]


def test_a_receipt_is_private_too(own):
    export_id = own.get(ORDERS)["Export-Id"]
    answer = own.get(f"/exports/receipts/{export_id}")
    assert answer.status == 200
    check_private(answer)


# HEAD

def names_and_values(answer):
    return {(name.lower(), value) for name, value in answer.fields if name.lower() not in PER_ANSWER}


def test_head_then_get_on_the_same_connection(own, database):
    with own.connect() as connection:
        head = connection.get(ORDERS, method="HEAD")
        assert connection.pending == 0
        assert database.busy() == []
        answer = connection.get(ORDERS)
        again = connection.get(ORDERS, method="HEAD")
    assert (head.status, answer.status, again.status) == (200, 200, 200)
    assert names_and_values(head) == names_and_values(answer) == names_and_values(again)
    assert {n.lower() for n, _ in head.fields} == {n.lower() for n, _ in answer.fields}
    assert answer.body.count(b"\n") == 11
    own.event("export_finished")
    assert len(own.events("export_started")) == 1


def test_curl_head_then_get(own, tmp_path):
    run = own.curl("--head", own.url(ORDERS), "--next", "-sS", "-o", str(tmp_path / "f"), own.url(ORDERS))
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith(b"HTTP/1.1 200")
    assert (tmp_path / "f").read_bytes().count(b"\n") == 11


@pytest.mark.parametrize("target, status", [
    ("/exports/orders.csv?from=x&to=2025-10-01", 400), ("/nothing", 404), ("/exports", 200), ("/healthz", 200)])
def test_head_of_other_answers_has_no_body_either(own, target, status):
    with own.connect() as connection:
        head = connection.get(target, method="HEAD")
        answer = connection.get(target)
        assert (head.status, answer.status) == (status, status)
        assert names_and_values(head) == names_and_values(answer)


def test_head_with_http_1_0(own):
    with own.connect() as connection:
        head = connection.get(ORDERS, method="HEAD", version="1.0")
        assert head.status == 200
        assert connection.ending() == CUT
        assert connection.pending == 0


def test_head_runs_no_query(own):
    assert own.get(f"/exports/bad.csv?{RANGE}", method="HEAD").status == 200


def test_head_takes_no_connection_from_the_pool(service):
    own = service(exports={"wide": series(200_000, WIDE)}, EXPORTD_DATABASE_POOL_SIZE="1",
                  EXPORTD_LIMITS_QUEUE_TIMEOUT="250ms")
    own.start_export(f"/exports/wide.csv?{RANGE}", rcvbuf=4096)
    for _ in range(20):
        assert own.get(f"/exports/wide.csv?{RANGE}", method="HEAD").status == 200


# Versions and connections

def test_http_1_0_has_the_whole_body_and_no_chunk_sizes(own):
    answer = own.get(f"/exports/wide.csv?{RANGE}", version="1.0")
    assert (answer.status, answer.ended, answer.chunked) == (200, WHOLE, False)
    assert answer.get("Transfer-Encoding") is None
    assert answer.get("Trailer") is None
    assert answer.body == wide_body(50_000)


def test_http_1_0_without_a_host(own):
    assert own.get(ORDERS, version="1.0", host=None).body.count(b"\n") == 11


def test_http_1_0_with_keep_alive_is_not_ambiguous(own):
    with own.connect() as connection:
        answer = connection.get(ORDERS, version="1.0", fields={"Connection": "keep-alive"})
        assert answer.body.count(b"\n") == 11
        assert answer.ended == WHOLE
        assert answer.get("Connection", "close").lower() == "close"


def test_curl_with_http_1_0(own, tmp_path):
    run = own.curl("--http1.0", "-o", str(tmp_path / "f"), own.url(f"/exports/wide.csv?{RANGE}"))
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "f").read_bytes() == wide_body(50_000)


@pytest.mark.parametrize("field", ["close", "Close", "foo, close"])
def test_connection_close_has_the_whole_body_and_closes(own, field):
    with own.connect() as connection:
        answer = connection.get(f"/exports/wide.csv?{RANGE}", fields={"Connection": field})
        assert (answer.ended, answer.body) == (WHOLE, wide_body(50_000))
        assert answer["Connection"].lower() == "close"
        assert connection.ending() == CUT


def test_a_connection_is_kept_for_many_exports(own):
    with own.connect() as connection:
        bodies = {connection.get(ORDERS).body for _ in range(50)}
    assert len(bodies) == 1


def test_an_idle_kept_connection_is_closed_after_its_timeout(service):
    own = service(EXPORTD_SERVER_KEEPALIVE_TIMEOUT="500ms")
    with own.connect() as connection:
        assert connection.get("/healthz").status == 200
        started = time.monotonic()
        assert connection.ending(5) in (CUT, RESET)
        assert 0.3 < time.monotonic() - started < 3
        assert connection.pending == 0


def test_no_nagle_delay_on_a_kept_connection(own):
    with own.connect() as connection:
        connection.get("/healthz")
        started = time.monotonic()
        for _ in range(50):
            connection.get(ORDERS, method="HEAD")
        assert time.monotonic() - started < 1


# Request targets and parameters

@pytest.mark.parametrize("query, code, parameter", [
    ("from=2025-09-01&to=2025-10-01&x=1", "unknown_parameter", "x"),
    ("from=2025-09-01&to=2025-10-01&From=2025-09-01", "unknown_parameter", "From"),
    ("from=2025-09-01&to=2025-10-01&format=csv", "unknown_parameter", "format"),
    ("from=2025-09-01&to=2025-10-01&from=2025-09-01", "repeated_parameter", "from"),
    ("from=2025-09-01&to=2025-10-01&to=2025-09-02", "repeated_parameter", "to"),
    ("from=2025-09-01&to=2025-10-01&%66rom=2025-09-01", "repeated_parameter", "from"),
    ("from=2025-09-01&to=2025-10-01&excel=1&excel=1", "repeated_parameter", "excel"),
    ("from=2025-09-01&to=2025-10-01&values=Raw", "invalid_parameter", "values"),
    ("from=2025-09-01&to=2025-10-01&values=", "invalid_parameter", "values"),
    ("from=2025-09-01&to=2025-10-01&values", "invalid_parameter", "values"),
    ("from=2025-09-01&to=2025-10-01&excel=yes", "invalid_parameter", "excel"),
    ("from=2025-09-01&to=2025-10-01&excel=2", "invalid_parameter", "excel"),
    ("from=2025-09-01&to=2025-10-01&excel=", "invalid_parameter", "excel"),
    ("from=2025-09-01&to=2025-10-01&receipt=7", "invalid_parameter", "receipt"),
    ("from=2025-09-01&to=2025-10-01&receipt=../../etc/passwd", "invalid_parameter", "receipt"),
    ("from=2025-09-01&to=2025-10-01&receipt=", "invalid_parameter", "receipt"),
])
def test_a_wrong_parameter_is_400_and_named(own, query, code, parameter):
    check_problem(own.get(f"/exports/orders.csv?{query}"), 400, code, parameter)
    assert not own.events("export_started")


@pytest.mark.parametrize("query", [
    "to=2025-10-01&from=2025-09-01", "from=2025%2D09-01&to=2025-10-01", "%66rom=2025-09-01&to=2025-10-01",
    "from=2025-09-01&to=2025-10-01&values=formatted"])
def test_the_same_request_in_other_words(own, query):
    assert own.get(f"/exports/orders.csv?{query}").body == own.get(ORDERS).body


@pytest.mark.parametrize("text", [
    "%22", "2025-09-01%22", "%0D%0ASet-Cookie:%20a=b", "2025-09-01%0d%0aX-Evil:%201", "../../etc/passwd",
    "..%2F..%2Fetc%2Fpasswd", "2025-09-01/../x", "%22;filename=%22x.exe", "2025-09-01%0A", "%00", "<script>",
    "%F0%9F%92%A3"])
def test_dates_never_reach_a_header(own, text):
    for query in (f"from={text}&to=2025-10-01", f"from=2025-09-01&to={text}"):
        with own.connect() as connection:
            connection.request(f"/exports/orders.csv?{query}")
            answer = connection.head()
            assert answer.status == 400
            header = repr(answer.fields).lower()
            assert "set-cookie" not in header and "x-evil" not in header
            assert "passwd" not in header and "script" not in header and "x.exe" not in header


def test_the_file_name_of_date_times_is_made_of_safe_bytes(own):
    answer = own.get("/exports/orders.csv?from=2025-09-01T00:00:00.5%2B01:00&to=2025-10-01T12:30:00Z")
    assert answer.status == 200
    name = re.fullmatch(r'attachment; filename="(orders_[A-Za-z0-9._-]+\.csv)"', answer["Content-Disposition"])
    assert name, answer["Content-Disposition"]
    assert "/" not in name[1] and ":" not in name[1]


@pytest.mark.parametrize("target", [
    "/exports/orders.csv?from=2025-09-01&to=%zz", "/exports/orders.csv?from=2025-09-01&to=%4",
    "/%", "/exports/orders%2.csv?from=2025-09-01&to=2025-10-01"])
def test_a_malformed_target_is_400(own, target):
    answer = own.get(target)
    assert answer.status == 400, answer
    check_problem(answer, 400, answer.json()["code"])


@pytest.mark.parametrize("target", [
    "/exports/..%2forders.csv?" + RANGE, "/exports/../orders.csv?" + RANGE, "/exports/orders.csv/?" + RANGE,
    "/exports/orders?" + RANGE, "/exports/Orders.csv?" + RANGE, "/exports/orders.CSV?" + RANGE,
    "/exports/.csv?" + RANGE, "/exports/orders.csv.csv?" + RANGE, "/exports//orders.csv?" + RANGE,
    "/EXPORTS/orders.csv?" + RANGE, "/exports/orders.toml", "/exports/%00.csv?" + RANGE, "//exports", "/exports/",
    "/exports/orders/estimate/x", "/favicon.ico", "/exports/orders%0d%0a.csv?" + RANGE])
def test_a_path_that_is_not_there_is_404(own, target):
    answer = own.get(target)
    assert answer.status in (404, 400), answer
    check_problem(answer, answer.status, answer.json()["code"])


def test_absolute_form_is_accepted(own):
    assert own.get("http://exports.test" + ORDERS).body == own.get(ORDERS).body


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_another_method_is_405_with_allow(own, method):
    answer = own.get(ORDERS, method=method, fields={"Content-Length": "0"})
    check_problem(answer, 405, "method_not_allowed")
    assert {part.strip() for part in answer["Allow"].split(",")} >= {"GET", "HEAD"}


@pytest.mark.parametrize("path", ["/exports", "/healthz", f"/exports/orders/estimate?{RANGE}"])
def test_another_method_elsewhere_is_405_with_allow(own, path):
    answer = own.get(path, method="DELETE")
    check_problem(answer, 405, "method_not_allowed")
    assert "GET" in answer["Allow"]


# Malformed and ambiguous requests

SMUGGLED = {
    "a GET with a body": f"GET {ORDERS} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
    "a GET with a chunked body":
        f"GET {ORDERS} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "Transfer-Encoding and Content-Length":
        f"GET {ORDERS} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "Content-Length and Transfer-Encoding, POST":
        "POST /exports HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
    "two lengths": f"GET {ORDERS} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\nhello",
    "a negative length": f"GET {ORDERS} HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    "a length that is no number": f"GET {ORDERS} HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n",
    "a space before the colon": f"GET {ORDERS} HTTP/1.1\r\nHost : x\r\n\r\n",
    "a header without a colon": f"GET {ORDERS} HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n",
    "no HTTP": "hello\r\n\r\n",
    "no version": f"GET {ORDERS}\r\n\r\n",
    "a wrong version": f"GET {ORDERS} HTTP/9.9\r\nHost: x\r\n\r\n",
    "TLS": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    "a NUL in a field": f"GET {ORDERS} HTTP/1.1\r\nHost: x\r\nX-A: a\x00b\r\n\r\n",
    "a target with a space": "GET /exports/orders.csv?from=2025-09-01 00:00&to=2025-10-01 HTTP/1.1\r\nHost: x\r\n\r\n",
    "an unknown coding, POST": "POST /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n",
    "a coding behind chunked": "POST /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, gzip\r\n\r\n",
    "an unknown coding": f"GET {ORDERS} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n",
}


@pytest.mark.parametrize("name", SMUGGLED)
def test_an_ambiguous_request_is_400_and_closed(own, name):
    with own.connect() as connection:
        connection.send(SMUGGLED[name] + f"GET {ORDERS} HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = connection.response()
        assert answer.status in (400, 505) if "version" in name else answer.status == 400, answer
        check_private(answer)
        assert answer["Connection"].lower() == "close"
        assert connection.ending(5) in (CUT, RESET)
        assert connection.pending == 0, "nothing behind it was answered"


@pytest.mark.parametrize("body", ["Host: a\r\nHost: b\r\n", ""], ids=["two hosts", "no host"])
def test_http_1_1_needs_one_host(own, body):
    with own.connect() as connection:
        connection.send(f"GET {ORDERS} HTTP/1.1\r\n{body}\r\n")
        assert connection.response().status == 400


def test_a_get_with_an_empty_body_is_a_get(own):
    with own.connect() as connection:
        assert connection.get(ORDERS, fields={"Content-Length": "0"}).status == 200
        assert connection.get(ORDERS).status == 200


def test_two_pipelined_gets_are_answered_in_order(own):
    wide = f"/exports/wide.csv?{RANGE}"
    with own.connect() as connection:
        connection.send(f"GET {wide} HTTP/1.1\r\nHost: x\r\n\r\nGET {ORDERS} HTTP/1.1\r\nHost: x\r\n\r\n")
        first, second = connection.response(), connection.response()
    assert (first.ended, first.body) == (WHOLE, wide_body(50_000))
    assert (second.status, second.body.count(b"\n")) == (200, 11)


def test_many_pipelined_requests_of_all_kinds(own):
    targets = [ORDERS, "/healthz", "/nothing", ORDERS + "&values=raw", f"/exports/bad.csv?{RANGE}", "/exports"] * 5
    with own.connect() as connection:
        connection.send("".join(f"GET {target} HTTP/1.1\r\nHost: x\r\n\r\n" for target in targets))
        statuses = [connection.response().status for _ in targets]
    assert statuses == [200, 200, 404, 200, 502, 200] * 5


def test_a_pipelined_request_does_not_hide_that_the_client_left(own, database):
    connection = own.connect(rcvbuf=4096)
    connection.send(f"GET /exports/wide.csv?{RANGE} HTTP/1.1\r\nHost: x\r\n\r\nGET {ORDERS} HTTP/1.1\r\nHost: x\r\n\r\n")
    connection.take(1)
    connection.close()
    poll_until(lambda: not database.busy(), 2, "the backend gone")


def test_a_request_that_arrives_byte_by_byte(own):
    with own.connect() as connection:
        for byte in f"GET {ORDERS} HTTP/1.1\r\nHost: x\r\n\r\n":
            connection.send(byte)
        assert connection.response().body.count(b"\n") == 11


def test_bare_line_feeds_do_not_split_a_request(own):
    with own.connect() as connection:
        connection.send(f"GET {ORDERS} HTTP/1.1\nHost: x\n\n")
        assert connection.response().status in (200, 400, 505)


def test_expect_100_continue_does_not_hang(own):
    with own.connect() as connection:
        connection.request(ORDERS, fields={"Expect": "100-continue"})
        answer = connection.response()
        if answer.status == 100:
            answer = connection.response()
        assert answer.status in (200, 417)


# Header limits

def test_a_long_target_is_414(own):
    answer = own.get("/exports/orders.csv?from=" + "9" * 100_000)
    check_problem(answer, 414, "uri_too_long")


def test_a_large_header_is_431(own):
    with own.connect() as connection:
        connection.request(ORDERS, fields={"X-Large": "x" * 1_000_000})
        check_problem(connection.response(), 431, "header_too_large")
        assert connection.ending(5) in (CUT, RESET)


def test_many_small_header_fields_are_431(own):
    with own.connect() as connection:
        connection.request(ORDERS, fields={f"X-{n}": "x" for n in range(20_000)})
        assert connection.response().status == 431


def test_a_header_of_ordinary_size_is_fine(own):
    assert own.get(ORDERS, fields={"Cookie": "c" * 4_000}).status == 200


def test_a_late_header_is_408_and_closed(service):
    own = service(EXPORTD_SERVER_HEADER_TIMEOUT="500ms")
    with own.connect() as connection:
        connection.send("GET /healthz HTTP/1.1\r\nHost:")
        started = time.monotonic()
        check_problem(connection.response(), 408, "header_timeout")
        assert 0.3 < time.monotonic() - started < 3
        assert connection.ending(5) in (CUT, RESET)


def test_the_header_deadline_is_absolute(service):
    """A byte every now and then does not put it off."""
    own = service(EXPORTD_SERVER_HEADER_TIMEOUT="800ms")
    with own.connect() as connection:
        started = time.monotonic()
        connection.socket.settimeout(0.1)
        connection.send("GET /healthz HTTP/1.1\r\nX-Slow: ")
        while connection.pending == 0 and time.monotonic() - started < 5:
            connection.send("x")
            try:
                connection.fill()
            except socket.timeout:
                pass
        assert time.monotonic() - started < 3
        assert connection.head().status == 408


def test_slow_and_idle_connections_disturb_nobody(service, database):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < 8192:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(8192, hard), hard))
    own = service(exports={"wide": series(20_000, WIDE)}, EXPORTD_SERVER_HEADER_TIMEOUT="20s",
                  EXPORTD_SERVER_KEEPALIVE_TIMEOUT="20s")
    slow = [socket.create_connection(("127.0.0.1", own.port)) for _ in range(2_000)]
    idle = [socket.create_connection(("127.0.0.1", own.port)) for _ in range(2_000)]
    try:
        for byte in "GET /":
            for each in slow:
                each.send(byte.encode())
            before = time.monotonic()
            assert own.get("/healthz").status == 200
            assert time.monotonic() - before < 0.5
        answer = own.get(f"/exports/wide.csv?{RANGE}")
        assert (answer.ended, answer.body) == (WHOLE, wide_body(20_000))
    finally:
        for each in slow + idle:
            each.close()
    assert own.get("/healthz").status == 200


def test_slow_connections_are_all_dropped_at_the_deadline(service):
    own = service(EXPORTD_SERVER_HEADER_TIMEOUT="1s")
    slow = [own.connect() for _ in range(200)]
    for each in slow:
        each.send("GET /healthz HTTP/1.1\r\n")
    started = time.monotonic()
    assert {each.response().status for each in slow} == {408}
    assert time.monotonic() - started < 5


# Request ids

@pytest.mark.parametrize("given", ["abc-123", "A.b_c-9", pytest.param("x" * 128, id="longest"), str(uuid.UUID(int=5))])
def test_a_well_formed_request_id_is_echoed(own, given):
    answer = own.get(ORDERS, fields={"X-Request-Id": given})
    assert answer["X-Request-Id"] == given
    assert own.get("/nothing", fields={"X-Request-Id": given}).json()["request_id"] == given
    assert own.event("export_finished", request_id=given)["outcome"] == "complete"


@pytest.mark.parametrize("given", ["", "a b", pytest.param("x" * 129, id="too long"), "a\"b", "<x>", "a/b", "{}", "\u00e9", "a,b"])
def test_another_request_id_is_replaced(own, given):
    made = own.get(ORDERS, fields={"X-Request-Id": given})["X-Request-Id"]
    assert made != given
    assert re.fullmatch(r"[A-Za-z0-9._-]{8,128}", made)


def test_request_ids_that_are_made_differ(own):
    assert len({own.get("/healthz")["X-Request-Id"] for _ in range(50)}) == 50


def test_export_ids_differ(own):
    assert len({own.get(ORDERS)["Export-Id"] for _ in range(20)}) == 20


# Ranges, conditions, encodings that a client may ask for

def test_a_byte_range_is_answered_with_the_whole(own):
    answer = own.get(ORDERS, fields={"Range": "bytes=0-10"})
    assert (answer.status, answer.body.count(b"\n")) == (200, 11)
    assert answer.get("Content-Range") is None


@pytest.mark.parametrize("fields", [
    {"If-None-Match": "*"}, {"If-Modified-Since": "Mon, 01 Sep 2025 00:00:00 GMT"}, {"Accept-Encoding": "gzip, br"},
    {"Accept": "application/json"}, {"TE": "trailers"}, {"Origin": "https://evil.test"}, {"Upgrade": "h2c"}])
def test_other_request_fields_change_nothing(own, fields):
    answer = own.get(ORDERS, fields=fields)
    assert answer.status == 200
    assert answer.body.count(b"\n") == 11
    assert answer.get("Content-Encoding") is None
    assert answer.get("Access-Control-Allow-Origin") is None


def test_the_server_does_not_tell_its_libraries(own):
    for target in (ORDERS, "/nothing"):
        server = own.get(target).get("Server", "")
        assert "Beast" not in server and "/" not in server.replace("exportd/", "")


@pytest.mark.parametrize("limit", [0, 500_000], ids=["no row limit", "row limit"])
def test_the_first_bytes_do_not_wait_for_the_last(service, limit):
    own = service(exports={"pausing": sleeps_at(20_000, 30_000, 3, stream_row_limit=limit)})
    started = time.monotonic()
    connection, answer = own.start_export(f"/exports/pausing.csv?{RANGE}")
    connection.take(100_000)
    assert time.monotonic() - started < 1
    assert connection.body_of(answer).body == wide_body(30_000)


def test_chunks_are_of_a_useful_size(own):
    with Connection(own.port) as connection:
        connection.request(f"/exports/wide.csv?{RANGE}", fields={"Connection": "close"})
        while connection.fill():
            pass
        raw = bytes(connection._buffer)
    head, _, rest = raw.partition(b"\r\n\r\n")
    sizes = []
    while True:
        line, _, rest = rest.partition(b"\r\n")
        size = int(line, 16)
        if size == 0:
            break
        sizes.append(size)
        rest = rest[size + 2:]
    assert max(sizes) <= 1 << 20
    assert sum(sizes) / len(sizes) > 8_192
