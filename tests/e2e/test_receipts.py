"""What became of a download."""

import re
import uuid

import pytest

from support.exports import RANGE, WIDE, fails_at, series, wide_body
from support.poll import poll_until
from support.problems import check_private, check_problem
from support.wire import WHOLE

ROWS = 200_000


@pytest.fixture
def own(service):
    return service(exports={"wide": series(ROWS, WIDE), "small": series(3, "n"), "bad": fails_at(50_000, ROWS)})


def new_id():
    return str(uuid.uuid4())


INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


def test_a_complete_export(own):
    answer = own.get(f"/exports/small.csv?{RANGE}")
    receipt = own.receipt_once(answer["Export-Id"], "complete")
    assert receipt["export"] == "small"
    assert receipt["rows"] == 3
    assert receipt["bytes"] == len(answer.body) == 8
    assert receipt["expected_rows"] in (3, None)
    assert INSTANT.fullmatch(receipt["started_at"]) and INSTANT.fullmatch(receipt["finished_at"])
    assert receipt["started_at"] <= receipt["finished_at"]
    assert "loop_delay_ms" in receipt


def test_the_trailers_and_the_receipt_and_the_log_agree(own):
    answer = own.get(f"/exports/wide.csv?{RANGE}")
    receipt = own.receipt_once(answer["Export-Id"], "complete")
    line = own.event("export_finished", export_id=answer["Export-Id"])
    assert int(answer.trailer("Export-Rows")) == receipt["rows"] == line["rows"] == ROWS
    assert int(answer.trailer("Export-Bytes")) == receipt["bytes"] == line["bytes"] == len(wide_body(ROWS))


def test_a_running_export_has_a_receipt_that_grows(own):
    receipt_id = new_id()
    connection, answer = own.start_export(f"/exports/wide.csv?{RANGE}&receipt={receipt_id}", rcvbuf=65536)
    connection.take(1_000_000)
    first = own.receipt(receipt_id)
    assert first["state"] == "running"
    assert first.get("finished_at") is None
    assert 0 < first["rows"] < ROWS
    assert first["expected_rows"] in (ROWS, None)
    connection.take(20_000_000)
    second = own.receipt(receipt_id)
    assert second["rows"] > first["rows"] and second["bytes"] > first["bytes"]
    assert second["started_at"] == first["started_at"]
    assert connection.body_of(answer).ended == WHOLE
    assert own.receipt_once(receipt_id, "complete")["rows"] == ROWS


def test_an_aborted_export(own):
    receipt_id = new_id()
    connection, _ = own.start_export(f"/exports/wide.csv?{RANGE}&receipt={receipt_id}")
    connection.close()
    receipt = own.receipt_once(receipt_id, "aborted")
    assert receipt["rows"] < ROWS and receipt["finished_at"]


def test_a_failed_export(own):
    receipt_id = new_id()
    own.get(f"/exports/bad.csv?{RANGE}&receipt={receipt_id}")
    receipt = own.receipt_once(receipt_id, "failed")
    assert 0 < receipt["rows"] < 50_000
    assert "division" not in str(receipt) and "SELECT" not in str(receipt)


def test_an_export_that_fails_before_the_first_byte(service):
    own = service(exports={"bad": fails_at(1, 10)})
    receipt_id = new_id()
    assert own.get(f"/exports/bad.csv?{RANGE}&receipt={receipt_id}").status == 502
    receipt = own.receipt_once(receipt_id, "failed")
    assert (receipt["rows"], receipt["bytes"]) == (0, 0)


def test_head_and_refusals_leave_no_receipt(own):
    for target, method in ((f"/exports/small.csv?{RANGE}", "HEAD"), ("/exports/small.csv?from=x&to=y", "GET")):
        receipt_id = new_id()
        own.get(f"{target}&receipt={receipt_id}", method=method)
        check_problem(own.get(f"/exports/receipts/{receipt_id}"), 404, "not_found")
        answer = own.get(f"/exports/small.csv?{RANGE}&receipt={receipt_id}")
        assert answer.status == 200, "the id is still free"


def test_a_receipt_id_used_for_something_else_is_409(own):
    receipt_id = new_id()
    assert own.get(f"/exports/small.csv?{RANGE}&receipt={receipt_id}").status == 200
    answer = own.get(f"/exports/wide.csv?{RANGE}&receipt={receipt_id}")
    check_problem(answer, 409, "receipt_conflict")
    assert own.receipt(receipt_id)["export"] == "small"
    other_range = own.get(f"/exports/small.csv?from=2025-01-01&to=2025-01-02&receipt={receipt_id}")
    check_problem(other_range, 409, "receipt_conflict")


def test_a_receipt_id_of_a_running_export_is_409(own):
    receipt_id = new_id()
    connection, answer = own.start_export(f"/exports/wide.csv?{RANGE}&receipt={receipt_id}", rcvbuf=4096)
    check_problem(own.get(f"/exports/small.csv?{RANGE}&receipt={receipt_id}"), 409, "receipt_conflict")
    assert connection.body_of(answer).ended == WHOLE
    assert own.receipt_once(receipt_id, "complete")["rows"] == ROWS


def test_a_receipt_id_in_capitals_is_the_same(own):
    receipt_id = new_id()
    assert own.get(f"/exports/small.csv?{RANGE}&receipt={receipt_id.upper()}").status == 200
    assert own.receipt(receipt_id)["state"] == "complete"


@pytest.mark.parametrize("bad", ["7", "x" * 36, "00000000-0000-0000-0000-00000000000g",
                                 "%7B00000000-0000-0000-0000-000000000000%7D", "00000000000000000000000000000001x",
                                 "%00", "00000000-0000-0000-0000-0000000000001"])
def test_what_is_no_uuid_is_400(own, bad):
    check_problem(own.get(f"/exports/small.csv?{RANGE}&receipt={bad}"), 400, "invalid_parameter", "receipt")


@pytest.mark.parametrize("unknown", [new_id(), "7", "x", "..%2F..", "'%20OR%201=1", "%00"])
def test_an_unknown_receipt_is_404(own, unknown):
    answer = own.get(f"/exports/receipts/{unknown}")
    assert answer.status in (404, 400 if "-" not in unknown else 404)
    check_problem(answer, answer.status, answer.json()["code"])


def test_a_receipt_is_json_and_private(own):
    answer = own.get(f"/exports/small.csv?{RANGE}")
    receipt = own.get(f"/exports/receipts/{answer['Export-Id']}")
    assert receipt["Content-Type"].startswith("application/json")
    check_private(receipt)


def test_the_receipt_is_complete_as_soon_as_the_file_is(own):
    with own.connect() as connection:
        for _ in range(50):
            export_id = connection.get(f"/exports/small.csv?{RANGE}")["Export-Id"]
            receipt = connection.get(f"/exports/receipts/{export_id}").json()
            assert receipt["state"] == "complete"


def test_receipts_do_not_pile_up_for_ever(own):
    with own.connect(timeout=50) as connection:
        before = None
        for number in range(3_000):
            assert connection.get(f"/exports/small.csv?{RANGE}").status == 200
            if number == 500:
                before = own.memory()
    assert own.memory() - before < 8 * 1024 * 1024
    poll_until(lambda: own.get("/healthz").status == 200, 2)
