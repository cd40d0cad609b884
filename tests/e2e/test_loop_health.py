"""What the service tells about its loop: while it stalls, afterwards, and at rest."""

import time

import pytest

from support.poll import poll_until
from support.problems import check_problem
from support.wire import Connection

WATCHED = {
    "EXPORTD_DEBUG_ROUTES": "true",
    "EXPORTD_LOOP_LOG_EVERY": "250ms",
    "EXPORTD_READINESS_SUSTAIN": "1s",
}


def block(own, milliseconds):
    """Blocks the service's loop; the answer comes on the returned connection, afterwards."""
    connection = own.connect()
    connection.request(f"/debug/block?ms={milliseconds}")
    return connection


def ask_ops(own, path):
    with Connection(own.ops_port) as ops:
        return ops.get(path)


def metric(own, name):
    """The value of a metric without labels, read on the ops port."""
    for line in ask_ops(own, "/metrics").text.splitlines():
        if line.startswith(name + " "):
            return float(line.split()[1])
    raise AssertionError(f"no {name}")


def last_line(own):
    """The newest line about the loop."""
    lines = own.events("loop")
    return lines[-1] if lines else None


def line_where(own, holds, deadline, what):
    def found():
        line = last_line(own)
        return line if line and holds(line) else None
    return poll_until(found, deadline, what)


def test_a_stall_is_told_while_it_lasts_and_when_it_is_over(service):
    own = service(**WATCHED)
    line_where(own, lambda line: True, 2, "a line about the loop")
    blocking = block(own, 3000)
    started = time.monotonic()

    stalled = own.event("loop_stalled", deadline=2)
    assert stalled["cause"] == "blocked"
    assert stalled["route"] == "/debug/block"
    assert "block_the_loop" in stalled["stack"]
    assert "block_endpoint::serve" in stalled["stack"]
    assert 1000 <= stalled["stalled_ms"] <= 1500
    high = line_where(own, lambda line: line["max_ms"] > 1500, 2, "the stall in a line")
    assert high["p99_ms"] > 1400
    unready = poll_until(lambda: ask_ops(own, "/readyz").status == 503 and ask_ops(own, "/readyz"),
                         1.2, "/readyz 503 on the ops port")
    assert unready.json() == {"ready": False, "reasons": ["delay"]}
    assert ask_ops(own, "/healthz").status == 200
    line_where(own, lambda line: line["utilisation"] > 0.95, 1, "a full loop")
    assert metric(own, "exportd_loop_delay_max_seconds") > 1.5
    assert metric(own, "exportd_loop_stall_seconds") > 1.5
    assert metric(own, "exportd_loop_stalls_total") == 1
    assert metric(own, "exportd_loop_utilisation_ratio") > 0.95
    assert time.monotonic() - started < 2.9, "all of that has to show before the stall is over"
    assert not own.events("loop_stall_ended")

    assert blocking.response().status == 200
    over = time.monotonic()
    ended = own.event("loop_stall_ended", deadline=1)
    assert 2990 <= ended["duration_ms"] <= 3150
    slow = own.event("slow_turn", deadline=1, route="/debug/block")
    assert 3000 <= slow["duration_ms"] <= 3100
    whole = line_where(own, lambda line: 2980 < line["max_ms"] < 3100, 1, "all of the stall")
    # The ticks that it made late are counted by how late: a 1.6 % bucket below the longest.
    assert 2850 < whole["p99_ms"] < 3100
    assert own.get("/readyz").json() == {"ready": False, "reasons": ["delay"]}
    line_where(own, lambda line: line["utilisation"] < 0.1, 2.1 - (time.monotonic() - over),
               "an idle loop")
    assert len(own.events("loop_stalled")) == 1
    assert 2.99 <= metric(own, "exportd_loop_stalled_seconds_total") <= 3.15
    assert metric(own, "exportd_loop_stall_seconds") == 0
    assert metric(own, 'exportd_loop_slow_turns_total{route="/debug/block"}') == 1

    # The window forgets after 10 s, and a second of calm makes ready again.
    poll_until(lambda: own.get("/readyz").status == 200, 13, "/readyz 200")
    assert own.get("/readyz").json() == {"ready": True, "reasons": []}
    assert len(own.events("loop_delay_high")) == len(own.events("loop_delay_normal")) == 1


def test_a_fifth_of_every_second_makes_a_p99_of_it(service):
    own = service(**WATCHED)
    for _ in range(4):
        blocking = block(own, 200)
        assert blocking.response().status == 200
        time.sleep(0.8)
    line = last_line(own)
    assert 180 < line["p99_ms"] < 230
    assert line["p50_ms"] < 5
    assert len(own.events("slow_turn", route="/debug/block")) == 4
    assert not own.events("loop_stalled")


def test_a_loop_at_rest_is_idle_and_costs_next_to_nothing(service):
    own = service(EXPORTD_LOOP_LOG_EVERY="1s")
    time.sleep(1)
    before, started = own.cpu_seconds(), time.monotonic()
    time.sleep(3)
    used = (own.cpu_seconds() - before) / (time.monotonic() - started)
    line = last_line(own)
    assert line["p50_ms"] < 1
    assert line["exports"] == 0
    assert line["utilisation"] < 0.02
    assert used < 0.015, f"{used:.1%} of a core"


def test_exports_are_no_slow_turns(service):
    own = service()
    assert own.get("/exports/orders.csv?from=2025-09-01&to=2025-10-01").status == 200
    assert not own.events("slow_turn")


@pytest.mark.parametrize("choice,status", [("stay", 200), ("fail", 503)])
def test_an_outage_of_the_database_means_what_was_chosen(service, database, relay, choice, status):
    own = service(database_url=database.url_at("127.0.0.1", relay.port),
                  EXPORTD_READINESS_ON_DATABASE_OUTAGE=choice)
    assert own.get("/readyz").status == 200
    relay.refuse()
    relay.cut()
    own.event("database_unavailable", deadline=5)
    poll_until(lambda: own.get("/readyz").status == status, 2, f"/readyz {status}")
    answer = ask_ops(own, "/readyz")
    assert answer.status == status
    assert answer.json()["reasons"] == ([] if status == 200 else ["database"])
    assert own.get("/healthz").status == ask_ops(own, "/healthz").status == 200
    relay.listen()
    poll_until(lambda: ask_ops(own, "/readyz").status == 200, 10, "/readyz 200")


def test_debug_routes_exist_only_when_they_are_asked_for(service):
    assert service().get("/debug/block?ms=1").status == 404
    own = service(EXPORTD_DEBUG_ROUTES="true")
    assert own.get("/debug/block?ms=1").status == 200
    for wrong in ("", "?ms=", "?ms=0", "?ms=60001", "?ms=1x", "?ms=-1"):
        check_problem(own.get(f"/debug/block{wrong}"), 400, "invalid_ms")


def test_debug_routes_are_for_loopback_only(config, database):
    ended = config.run("serve", database.url, {"EXPORTD_DEBUG_ROUTES": "true",
                                               "EXPORTD_SERVER_LISTEN": "0.0.0.0:0"})
    assert ended.returncode == 1
    assert "debug.routes: " in ended.stderr
