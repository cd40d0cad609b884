"""Who waits for a turn, how long, and when new exports are refused because the loop is late."""

import resource
import socket
import threading
import time

import pytest

from support.exports import RANGE, WIDE, series, wide_body
from support.jobs import SEPTEMBER, job_once, post, start_job
from support.metrics import Metrics, scrape
from support.poll import poll_until
from support.problems import check_problem
from support.wire import WHOLE, Connection

ROWS = 200_000
WIDE_TARGET = f"/exports/wide.csv?{RANGE}"
SMALL_TARGET = f"/exports/small.csv?{RANGE}"
SMALL_BODY = b"n\n1\n2\n3\n"


def start(service, **settings):
    return service(exports={"wide": series(ROWS, WIDE), "small": series(3, "n")}, **settings)


def ask(own, path):
    with Connection(own.ops_port, timeout=5) as ops:
        return ops.get(path)


def fill(own, count):
    """Exports that run until their clients read on."""
    return [own.start_export(WIDE_TARGET, rcvbuf=4096) for _ in range(count)]


def wait_in_queue(own, target=SMALL_TARGET):
    connection = own.connect()
    before = Metrics(own)["exportd_exports_waiting"]
    connection.request(target)
    poll_until(lambda: Metrics(own)["exportd_exports_waiting"] == before + 1, 3, "one more in the queue")
    return connection


def test_an_export_waits_for_its_turn_and_is_whole(service):
    own = start(service, EXPORTD_LIMITS_MAX_EXPORTS="1", EXPORTD_LIMITS_QUEUE_TIMEOUT="20s")
    [(busy, _)] = fill(own, 1)
    waiting = wait_in_queue(own)
    assert Metrics(own)["exportd_exports_running"] == 1
    busy.close()
    answer = waiting.response()
    assert (answer.status, answer.ended, answer.body) == (200, WHOLE, SMALL_BODY)
    assert own.event("export_started", export="small")["queue_wait_ms"] > 0
    poll_until(lambda: Metrics(own)["exportd_exports_running"] == 0, 3, "nothing running")
    seen = Metrics(own)
    assert seen["exportd_exports_waiting"] == 0
    assert seen["exportd_export_queue_wait_seconds_count"] == 1


def test_who_waits_too_long_is_refused_and_told_when_to_come_again(service):
    own = start(service, EXPORTD_DATABASE_POOL_SIZE="4", EXPORTD_LIMITS_QUEUE_TIMEOUT="1s")
    running = fill(own, 4)
    began = time.monotonic()
    answer = own.get(SMALL_TARGET)
    took = time.monotonic() - began
    check_problem(answer, 503, "overloaded")
    assert 1 <= int(answer["Retry-After"]) <= 60
    assert 0.9 < took < 3
    for path in ("/healthz", "/readyz", "/metrics"):
        began = time.monotonic()
        assert ask(own, path).status == 200
        assert time.monotonic() - began < 0.5
    assert Metrics(own)["exportd_exports_refused_total", {"reason": "queue_timeout"}] == 1
    connection, head = running[0]
    assert connection.body_of(head).body == wide_body(ROWS)


def test_a_full_queue_refuses_at_once(service):
    own = start(service, EXPORTD_LIMITS_MAX_EXPORTS="1", EXPORTD_LIMITS_MAX_QUEUED="1",
                EXPORTD_LIMITS_QUEUE_TIMEOUT="30s")
    [(busy, _)] = fill(own, 1)
    waiting = wait_in_queue(own)
    began = time.monotonic()
    check_problem(own.get(SMALL_TARGET), 503, "overloaded")
    assert time.monotonic() - began < 1
    assert Metrics(own)["exportd_exports_refused_total", {"reason": "queue_full"}] == 1
    busy.close()
    assert waiting.response().body == SMALL_BODY


@pytest.mark.parametrize("leave", ["close", "reset"])
def test_who_leaves_the_queue_gives_the_place_up(service, leave):
    own = start(service, EXPORTD_LIMITS_MAX_EXPORTS="1", EXPORTD_LIMITS_MAX_QUEUED="1",
                EXPORTD_LIMITS_QUEUE_TIMEOUT="30s")
    fill(own, 1)
    waiting = wait_in_queue(own)
    getattr(waiting, leave)()
    poll_until(lambda: Metrics(own)["exportd_exports_waiting"] == 0, 2, "an empty queue")
    wait_in_queue(own)


def test_what_waits_counts_against_the_clients_limit(service):
    own = start(service, EXPORTD_LIMITS_MAX_EXPORTS="1", EXPORTD_LIMITS_EXPORTS_PER_CLIENT="2",
                EXPORTD_LIMITS_QUEUE_TIMEOUT="30s")
    fill(own, 1)
    wait_in_queue(own)
    check_problem(own.get(SMALL_TARGET), 429, "too_many_exports")


def test_sigterm_refuses_who_waits_and_lets_finish_who_runs(service):
    own = start(service, EXPORTD_LIMITS_MAX_EXPORTS="1", EXPORTD_LIMITS_QUEUE_TIMEOUT="30s",
                EXPORTD_SERVER_DRAIN_TIMEOUT="20s")
    [(busy, head)] = fill(own, 1)
    waiting = wait_in_queue(own)
    own.terminate()
    answer = waiting.response()
    check_problem(answer, 503, "shutting_down")
    assert int(answer["Retry-After"]) >= 1
    assert busy.body_of(head).body == wide_body(ROWS)
    assert own.wait() == 0


def test_a_late_loop_sheds_new_exports_only_and_recovers(service):
    own = start(service, EXPORTD_DEBUG_ROUTES="true", EXPORTD_LOOP_MAX_DELAY="50ms",
                EXPORTD_READINESS_SUSTAIN="30s")
    [(running, head)] = fill(own, 1)
    assert own.get("/debug/block?ms=1500").status == 200
    poll_until(lambda: Metrics(own)["exportd_shedding"] == 1, 3, "shedding")
    answer = own.get(SMALL_TARGET)
    check_problem(answer, 503, "overloaded")
    assert int(answer["Retry-After"]) >= 1
    own.event("shedding_started")
    assert own.get("/healthz").status == 200
    assert own.get("/readyz").status == 200  # it has not lasted
    assert own.get("/exports").status == 200
    for path in ("/healthz", "/readyz", "/metrics"):
        assert ask(own, path).status == 200
    assert Metrics(own)["exportd_exports_refused_total", {"reason": "overloaded"}] == 1
    assert running.body_of(head).body == wide_body(ROWS)
    # The window forgets after 10 s, and calm has to last 5 s.
    poll_until(lambda: Metrics(own)["exportd_shedding"] == 0, 20, "no shedding")
    assert own.get(SMALL_TARGET).status == 200
    own.event("shedding_ended")
    assert len(own.events("shedding_started")) == 1


def test_a_busy_loop_sheds_if_its_utilisation_is_limited(service):
    own = start(service, EXPORTD_DEBUG_ROUTES="true", EXPORTD_LOOP_MAX_UTILISATION="0.6",
                EXPORTD_LOOP_MAX_DELAY="1m")
    with own.connect() as connection:
        for _ in range(40):
            assert connection.get("/debug/block?ms=90").status == 200
            if own.events("shedding_started"):
                break
    assert own.events("shedding_started")
    check_problem(own.get(SMALL_TARGET), 503, "overloaded")


def test_work_on_the_pool_leaves_the_loop_alone(service):
    own = start(service, EXPORTD_DEBUG_ROUTES="true", EXPORTD_WORKERS_THREADS="1",
                EXPORTD_WORKERS_QUEUE="1")
    first, second = own.connect(), own.connect()
    first.request("/debug/work?ms=1500")
    poll_until(lambda: Metrics(own)["exportd_workers_busy"] == 1, 2, "a busy worker")
    second.request("/debug/work?ms=1")
    poll_until(lambda: Metrics(own)["exportd_workers_queued"] == 1, 1, "a queued task")
    answer = own.get("/debug/work?ms=1")
    check_problem(answer, 503, "overloaded")
    assert first.response().status == 200
    assert second.response().status == 200
    assert Metrics(own)["exportd_loop_delay_max_seconds"] < 0.5
    seen = Metrics(own)
    assert seen["exportd_workers_threads"] == 1
    assert seen["exportd_workers_busy"] == seen["exportd_workers_queued"] == 0
    assert seen["exportd_workers_tasks_total", {"outcome": "done"}] == 2
    assert seen["exportd_workers_tasks_total", {"outcome": "refused"}] == 1
    assert seen["exportd_workers_run_seconds_count"] >= 2


def test_a_client_that_leaves_ends_its_work(service):
    own = start(service, EXPORTD_DEBUG_ROUTES="true")
    connection = own.connect()
    connection.request("/debug/work?ms=60000")
    poll_until(lambda: Metrics(own)["exportd_workers_busy"] == 1, 2, "a busy worker")
    connection.close()
    poll_until(lambda: Metrics(own)["exportd_workers_busy"] == 0, 2, "a free worker")
    assert Metrics(own)["exportd_workers_tasks_total", {"outcome": "cancelled"}] == 1


class Probe:
    """Kubernetes' probe: a second to answer, asked more often than there."""

    def __init__(self, port, path):
        self.port, self.path = port, path
        self.asked, self.failed, self.worst = 0, [], 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self):
        while not self._stop.wait(0.2):
            began = time.monotonic()
            self.asked += 1
            try:
                with Connection(self.port, timeout=1) as connection:
                    status = connection.get(self.path).status
                if status != 200:
                    self.failed.append(status)
            except OSError as error:
                self.failed.append(str(error))
            self.worst = max(self.worst, time.monotonic() - began)

    def end(self):
        self._stop.set()
        self._thread.join()
        return self


class Reporter:
    """Asks for one report after the other, as PDF, until it is stopped."""

    def __init__(self, own):
        self._own, self._stop, self.statuses = own, threading.Event(), []
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self):
        while not self._stop.is_set():
            answer = post(self._own, "/exports/quarterly-report", SEPTEMBER, Accept="application/pdf")
            assert answer.status != 200 or answer.body.startswith(b"%PDF")
            self.statuses.append(answer.status)

    def end(self):
        self._stop.set()
        self._thread.join()
        return self.statuses


def test_probes_never_fail_under_sixteen_exports_a_report_a_job_and_two_thousand_hostile_connections(
        service, jobs, database):
    database.fill_orders(20_000)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 16_384), hard))
    own = service(exports={"wide": series(60_000, WIDE)}, **jobs.settings, EXPORTD_WORKERS_THREADS="2")
    hostile = [socket.create_connection(("127.0.0.1", own.port)) for _ in range(2_000)]
    for each in hostile[:1_000]:
        each.send(b"GET / HT")  # and never the rest
    probes = [Probe(own.ops_port, path) for path in ("/healthz", "/readyz", "/metrics")]
    probes.append(Probe(own.port, "/healthz"))
    reporter = Reporter(own)
    in_background = start_job(own, "wide")
    running = [own.start_export(WIDE_TARGET) for _ in range(16)]
    bodies = [None] * len(running)

    def read(i):
        bodies[i] = running[i][0].body_of(running[i][1]).body
    readers = [threading.Thread(target=read, args=(i,)) for i in range(len(running))]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    statuses = reporter.end()
    ended = [probe.end() for probe in probes]
    for each in hostile:
        each.close()
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert all(body == wide_body(60_000) for body in bodies)
    assert job_once(own, in_background, deadline=30)["state"] == "complete"
    assert statuses and set(statuses) == {200}
    for probe in ended:
        assert probe.asked > 5
        assert not probe.failed, (probe.path, probe.failed, probe.worst)


def test_a_scrape_is_answered_while_everything_is_taken(service):
    own = start(service, EXPORTD_DATABASE_POOL_SIZE="2", EXPORTD_SERVER_MAX_CONNECTIONS="4",
                EXPORTD_LIMITS_QUEUE_TIMEOUT="30s")
    fill(own, 2)
    wait_in_queue(own)
    own.connect()
    for _ in range(20):
        assert scrape(own).status == 200
