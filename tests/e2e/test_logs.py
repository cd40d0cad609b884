"""The log: JSON lines that tell an export from its start to its end, and nothing secret."""

import json
import re
import uuid

import pytest

from support.database import order
from support.exports import IN_RANGE, RANGE, WIDE, Export, fails_at, series
from support.service import event_name

ORDERS = "/exports/orders.csv?from=2025-09-01&to=2025-10-01"


@pytest.fixture
def own(service):
    return service(exports={"wide": series(200_000, WIDE), "small": series(3, "n"), "bad": fails_at(50_000, 200_000),
                            "broken": Export(f"SELECT 1 / 0 AS n WHERE {IN_RANGE}")})


def test_every_line_is_json(own):
    own.get(f"/exports/small.csv?{RANGE}")
    own.get(f"/exports/bad.csv?{RANGE}")
    own.get("/exports/small.csv?from=%0a{\"x\"}&to=%22")
    own.get("/nothing%0A%22", fields={"X-Request-Id": "\"\n"[:1], "User-Agent": "a\"b\\c\u00e9"})
    own.event("export_finished", export="bad")
    own.stop()
    lines = own.log_text.splitlines()
    assert lines
    for line in lines:
        record = json.loads(line)
        assert isinstance(record, dict)
        assert event_name(record)
        assert record.get("level")
    stamps = [str(record.get("time") or record.get("timestamp") or record.get("ts")) for record in own.logs()]
    assert all(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", stamp) for stamp in stamps)
    assert stamps == sorted(stamps)


def test_an_export_has_a_start_and_an_end(own):
    answer = own.get(f"/exports/small.csv?{RANGE}", fields={"X-Request-Id": "one-1"})
    end = own.event("export_finished", export_id=answer["Export-Id"])
    [start] = own.events("export_started", export_id=answer["Export-Id"])
    assert (start["export"], start["request_id"]) == ("small", "one-1")
    assert (end["export"], end["request_id"], end["outcome"]) == ("small", "one-1", "complete")
    assert (end["rows"], end["bytes"]) == (3, 8)
    assert 0 <= end["duration_ms"] < 5_000
    assert not end.get("code")


OUTCOMES = {
    "complete": ("small", "complete", None),
    "fails in the middle": ("bad", "failed", "query_failed"),
    "fails before the first byte": ("broken", "failed", "query_failed"),
}


@pytest.mark.parametrize("name", OUTCOMES)
def test_each_end_has_its_outcome_and_code(own, name):
    export, outcome, code = OUTCOMES[name]
    own.get(f"/exports/{export}.csv?{RANGE}")
    end = own.event("export_finished", export=export)
    assert (end["outcome"], end.get("code") or None) == (outcome, code)


def test_a_client_that_leaves_is_an_abort(own):
    connection, answer = own.start_export(f"/exports/wide.csv?{RANGE}")
    connection.close()
    end = own.event("export_finished", export_id=answer["Export-Id"])
    assert (end["outcome"], end["code"]) == ("aborted", "client_gone")


def test_starts_and_ends_pair_up(own):
    for export in ("small", "bad", "broken") * 3:
        own.get(f"/exports/{export}.csv?{RANGE}")
    connection, _ = own.start_export(f"/exports/wide.csv?{RANGE}")
    connection.close()
    own.event("export_finished", outcome="aborted")
    own.stop()
    starts = [line["export_id"] for line in own.events("export_started")]
    ends = [line["export_id"] for line in own.events("export_finished")]
    assert sorted(starts) == sorted(ends)
    assert len(set(starts)) == len(starts) == 10


def test_a_failed_query_is_logged_with_its_reason_for_the_operator(own):
    answer = own.get(f"/exports/broken.csv?{RANGE}")
    own.event("export_finished", export="broken")
    assert "division by zero" in own.log_text or "22012" in own.log_text
    assert "division" not in answer.text and "22012" not in answer.text


def test_no_customer_data_in_the_log(service, database):
    database.replace_orders([order("2025-09-15T12:00:00Z", customer="Secret Name", email="hidden@example.com")])
    own = service(EXPORTD_LOG_LEVEL="debug")
    assert "Secret Name" in own.get(ORDERS).text
    own.event("export_finished")
    own.stop()
    assert "Secret Name" not in own.log_text and "hidden@" not in own.log_text


def test_no_password_in_the_log(service, database, relay):
    url = database.role()
    password = url.split("@")[0].rpartition(":")[2]
    own = service(exports={"small": series(3, "n")}, database_url=database.url_at("127.0.0.1", relay.port, url),
                  EXPORTD_LOG_LEVEL="debug", EXPORTD_DATABASE_POOL_WAIT="500ms")
    own.get(f"/exports/small.csv?{RANGE}")
    relay.refuse()
    relay.cut()
    own.get(f"/exports/small.csv?{RANGE}")
    relay.listen()
    own.stop()
    assert password not in own.log_text + own.error_text


def test_probes_are_not_in_the_log(own):
    before = len(own.logs())
    for _ in range(50):
        own.get("/healthz")
        own.get("/readyz")
    assert len(own.logs()) <= before + 2


def test_secrets_in_request_fields_are_not_in_the_log(own):
    own.get(f"/exports/small.csv?{RANGE}", fields={"Authorization": "Bearer t0psecret", "Cookie": "s=t0psecret"})
    own.event("export_finished")
    assert "t0psecret" not in own.log_text + own.error_text


def test_a_forged_line_stays_one_line(own):
    forged = str(uuid.uuid4())
    own.get(f"/exports/small.csv?from=%0A%7B%22event%22%3A%22{forged}%22%7D&to=x")
    own.get(f"/%0A{{\"event\":\"{forged}\"}}")
    assert not own.events(forged)


def test_the_log_level_is_obeyed(service):
    own = service(exports={"small": series(3, "n")}, EXPORTD_LOG_LEVEL="error")
    own.get(f"/exports/small.csv?{RANGE}")
    assert not own.events("export_started")


def test_a_loop_of_garbage_does_not_flood_the_log(own):
    before = len(own.logs())
    for _ in range(100):
        with own.connect() as connection:
            connection.send("\x00\x01garbage\r\n\r\n")
            assert connection.response().status == 400
    assert len(own.logs()) - before <= 110


def test_standard_error_stays_empty(own):
    own.get(f"/exports/small.csv?{RANGE}")
    own.get(f"/exports/bad.csv?{RANGE}")
    own.stop()
    assert own.error_text == ""
