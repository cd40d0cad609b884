"""/metrics on the ops listener: what it counts, how it is written, and that reading it costs nothing."""

import os
import pathlib
import re
import subprocess
import threading
import time

import pytest

from support.exports import IN_RANGE, RANGE, WIDE, Export, fails_at, series, sleeps_at, wide_body
from support.metrics import OPENMETRICS, Metrics, parse_openmetrics, scrape
from support.poll import poll_until
from support.service import SOURCE
from support.wire import Connection

# Every family, with its type. A rule, a panel or a page that names another one is wrong.
FAMILIES = {
    "counter": """
        exportd_loop_busy_seconds exportd_loop_turns exportd_loop_slow_turns exportd_loop_stalls
        exportd_loop_stalled_seconds exportd_exports exportd_exports_refused exportd_export_rows
        exportd_export_bytes exportd_export_fallbacks exportd_http_requests exportd_pool_connect_failures
        exportd_workers_tasks exportd_reports exportd_downloads exportd_download_bytes exportd_log_dropped exportd_cgroup_cpu_periods
        exportd_access_refused exportd_audit_lost
        exportd_jobs exportd_job_rows exportd_job_bytes exportd_job_files_expired exportd_job_failures exportd_letters
        exportd_cgroup_cpu_throttled_periods exportd_cgroup_cpu_throttled_seconds
        exportd_cgroup_cpu_pressure_seconds process_cpu_seconds""",
    "gauge": """
        exportd_loop_delay_p50_seconds exportd_loop_delay_p99_seconds exportd_loop_delay_max_seconds
        exportd_loop_delay_mean_seconds exportd_loop_utilisation_ratio exportd_loop_stall_seconds
        exportd_loop_throttled exportd_exports_running exportd_exports_waiting exportd_shedding
        exportd_http_connections exportd_pool_connections exportd_pool_waiting exportd_pool_size
        exportd_workers_threads exportd_workers_busy exportd_workers_queued exportd_ready exportd_not_ready
        exportd_job_table_up exportd_file_store_up exportd_jobs_running exportd_jobs_queued exportd_letters_waiting
        exportd_cgroup_cpu_quota_cores exportd_cgroup_memory_bytes exportd_cgroup_memory_limit_bytes
        process_resident_memory_bytes process_virtual_memory_bytes process_open_fds process_max_fds
        process_start_time_seconds process_threads exportd_build_info exportd_tzdata_info
        exportd_metrics_render_seconds""",
    "histogram": """
        exportd_loop_delay_seconds exportd_export_duration_seconds exportd_export_first_byte_seconds
        exportd_export_queue_wait_seconds exportd_workers_wait_seconds exportd_workers_run_seconds
        exportd_job_duration_seconds exportd_report_duration_seconds""",
}

ROWS = 50_000


@pytest.fixture
def own(service):
    return service(exports={
        "wide": series(200_000, WIDE), "some": series(ROWS, WIDE), "small": series(3, "n"),
        "bad": fails_at(ROWS, 200_000), "broken": Export(f"SELECT 1 / 0 AS n WHERE {IN_RANGE}"),
        "slow": sleeps_at(2, 3, 5),
        "money": Export("SELECT v AS amount, c AS currency FROM (VALUES (1.5, 'GBP'), (2.5, 'x'), (3, '12')) "
                        f"AS t(v, c) WHERE {IN_RANGE}",
                        columns=[{"name": "amount", "format": "money", "currency": "currency"}])})


def leave_early(service, target):
    connection, answer = service.start_export(target)
    connection.close()
    return service.receipt_once(answer["Export-Id"], "aborted")


def finish_some_of_each(service):
    service.get(f"/exports/small.csv?{RANGE}")
    service.get(f"/exports/bad.csv?{RANGE}")
    service.get(f"/exports/broken.csv?{RANGE}")
    leave_early(service, f"/exports/wide.csv?{RANGE}")


def promtool(text):
    return subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, timeout=30)


def test_promtool_finds_nothing(own):
    finish_some_of_each(own)
    checked = promtool(scrape(own).text)
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")


@pytest.mark.parametrize("kind", FAMILIES)
def test_every_family_is_there_from_the_start_with_type_and_help(own, kind):
    families = {family.name: family for family in parse_openmetrics(scrape(own, OPENMETRICS).text)}
    assert {name for name, family in families.items() if family.type == kind} == set(FAMILIES[kind].split())
    assert all(family.documentation.endswith(".") for family in families.values())


def test_the_readme_lists_every_metric_and_no_other():
    readme = (SOURCE / "README.md").read_text(encoding="utf-8")
    rows = [line for line in readme.splitlines() if line.startswith("| `") and re.match(
        r"\| .* \| (counter|gauge|histogram) \|", line)]
    listed = {(name, row.split("|")[2].strip()) for row in rows
              for name in re.findall(r"`((?:exportd|process)_[a-z0-9_]+)", row.split("|")[1])}
    total = {"counter": "_total"}
    assert listed == {(name + total.get(kind, ""), kind) for kind in FAMILIES for name in FAMILIES[kind].split()}


def test_openmetrics_is_what_an_independent_parser_reads(own):
    finish_some_of_each(own)
    answer = scrape(own, OPENMETRICS)
    assert answer["Content-Type"] == "application/openmetrics-text; version=1.0.0; charset=utf-8"
    assert answer.text.endswith("# EOF\n")
    families = {family.name: family for family in parse_openmetrics(answer.text)}
    assert families["exportd_export_bytes"].unit == "bytes"
    [rows] = [s.value for s in families["exportd_export_rows"].samples if s.labels == {"export": "small"}]
    assert rows == 3


def test_the_classic_text_is_the_default_and_head_has_no_body(own):
    for accept in (None, "*/*", "text/plain", "text/html,*/*;q=0.1"):
        answer = scrape(own, accept)
        assert (answer.status, answer["Content-Type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
        assert "# EOF" not in answer.text
    head = scrape(own, OPENMETRICS, method="HEAD")
    assert head.status == 200 and head.body == b""
    assert head["Content-Type"].startswith("application/openmetrics-text")


def test_metrics_are_on_the_ops_listener_only(own):
    assert own.get("/metrics").status == 404


def test_ends_rows_and_bytes_are_counted_exactly(own):
    for _ in range(3):
        own.get(f"/exports/some.csv?{RANGE}")
    bad = own.get(f"/exports/bad.csv?{RANGE}")
    own.get(f"/exports/broken.csv?{RANGE}")
    left = leave_early(own, f"/exports/wide.csv?{RANGE}")
    own.event("export_finished", outcome="aborted")
    m = Metrics(own)
    ends = {(export, outcome): m["exportd_exports_total", {"export": export, "outcome": outcome}]
            for export in ("some", "bad", "broken", "wide", "small") for outcome in ("complete", "failed", "aborted")}
    assert {end: count for end, count in ends.items() if count} == {
        ("some", "complete"): 3, ("bad", "failed"): 1, ("broken", "failed"): 1, ("wide", "aborted"): 1}
    assert m["exportd_export_rows_total", {"export": "some"}] == 3 * ROWS
    assert m["exportd_export_bytes_total", {"export": "some"}] == 3 * len(wide_body(ROWS))
    failed = own.receipt(bad["Export-Id"])
    assert m["exportd_export_rows_total", {"export": "bad"}] == failed["rows"] > 0
    assert m["exportd_export_bytes_total", {"export": "bad"}] == failed["bytes"] > 0
    assert m["exportd_export_bytes_total", {"export": "wide"}] == left["bytes"] > 0
    assert m["exportd_export_bytes_total", {"export": "broken"}] == 0
    assert m.sum("exportd_exports_refused_total") == 0


def test_rows_of_a_long_export_are_counted_as_it_runs(own):
    connection, answer = own.start_export(f"/exports/wide.csv?{RANGE}")
    assert connection.drip(4_000_000, 2.5)
    running = Metrics(own)["exportd_export_rows_total", {"export": "wide"}]
    assert 0 < running < 200_000
    assert connection.body_of(answer).ended == "whole"
    own.event("export_finished", export="wide")
    assert Metrics(own)["exportd_export_rows_total", {"export": "wide"}] == 200_000


def test_durations_are_those_of_the_log(own):
    own.get(f"/exports/some.csv?{RANGE}")
    own.get(f"/exports/broken.csv?{RANGE}")
    end = own.event("export_finished", export="some")
    m = Metrics(own)
    complete = {"export": "some", "outcome": "complete"}
    assert m["exportd_export_duration_seconds_count", complete] == 1
    assert m["exportd_export_duration_seconds_sum", complete] == pytest.approx(end["duration_ms"] / 1000)
    first = m["exportd_export_first_byte_seconds_sum", {"export": "some"}]
    assert first == pytest.approx(end["first_byte_ms"] / 1000)
    assert 0 < first < end["duration_ms"] / 1000
    assert m["exportd_export_first_byte_seconds_count", {"export": "broken"}] == 0


def test_fallbacks_are_counted(own):
    own.get(f"/exports/money.csv?{RANGE}")
    own.event("export_finished", export="money")
    assert Metrics(own)["exportd_export_fallbacks_total", {"export": "money"}] == 2


def test_running_exports_and_connections_are_shown_and_go_back_to_nothing(own):
    held = [own.start_export(f"/exports/wide.csv?{RANGE}")[0] for _ in range(3)]
    m = Metrics(own)
    assert m["exportd_exports_running"] == 3
    assert m["exportd_http_connections"] == 3
    assert m["exportd_pool_connections", {"state": "in_use"}] == 3
    for connection in held:
        connection.close()

    def idle():
        now = Metrics(own)
        return (now["exportd_exports_running"] == now["exportd_http_connections"]
                == now["exportd_pool_connections", {"state": "in_use"}] == 0)
    poll_until(idle, 5, "nothing running")


def test_refusals_are_counted_by_reason_and_not_as_failures(service):
    own = service(exports={"wide": series(200_000, WIDE), "many": series(10, "n", settings={"stream_row_limit": 5})},
                  EXPORTD_LIMITS_EXPORTS_PER_CLIENT="1")
    own.get(f"/exports/many.csv?{RANGE}")
    own.get("/exports/wide.csv?from=nonsense&to=2025-01-01")
    own.get("/exports/wide.csv")
    own.start_export(f"/exports/wide.csv?{RANGE}")
    own.get(f"/exports/wide.csv?{RANGE}")
    m = Metrics(own)
    refused = {reason: m["exportd_exports_refused_total", {"reason": reason}]
               for reason in m.labels("exportd_exports_refused_total")}
    assert {reason: count for reason, count in refused.items() if count} == {
        "too_many_rows": 1, "invalid": 2, "too_many_exports": 1}
    assert m.sum("exportd_exports_total") == 0
    assert own.event("export_refused", code="too_many_exports")["export"] == "wide"


def test_failed_connects_are_counted(service, database, relay):
    own = service(exports={"small": series(3, "n")}, database_url=database.url_at("127.0.0.1", relay.port),
                  EXPORTD_DATABASE_POOL_WAIT="500ms")
    relay.refuse()
    relay.cut()
    own.get(f"/exports/small.csv?{RANGE}")
    poll_until(lambda: Metrics(own)["exportd_pool_connect_failures_total"] > 0, 5, "a failed connect")
    relay.listen()


def test_requests_are_counted_by_route_and_status(own):
    before = Metrics(own)
    own.get(f"/exports/small.csv?{RANGE}")
    own.get(f"/exports/small.csv?{RANGE}", method="HEAD")
    own.get("/exports/small.csv")
    own.get("/readyz")
    with own.connect() as connection:
        connection.send("garbage\r\n\r\n")
        connection.response()
    after = Metrics(own)

    def added(route, status):
        labels = {"route": route, "status": status}
        return after["exportd_http_requests_total", labels] - before["exportd_http_requests_total", labels]
    assert added("/exports/{}.csv", "200") == 2
    assert added("/exports/{}.csv", "400") == 1
    assert added("/readyz", "200") == 1
    assert added("other", "400") == 1


def test_what_is_asked_on_the_ops_listener_is_not_counted(own):
    # An answer is counted once it is sent, the one to the fixture's /healthz too.
    before = poll_until(lambda: Metrics(own).sum("exportd_http_requests_total"), 5, "the first request")
    for target in ("/healthz", "/readyz", "/metrics", "/nothing"):
        with Connection(own.ops_port) as connection:
            connection.get(target)
    assert Metrics(own).sum("exportd_http_requests_total") == before


def test_no_label_comes_from_input(own):
    own.get("/exports/first.csv")
    own.get("/nothing")
    own.get(f"/exports/small.csv?{RANGE}")
    own.get("/exports/small.csv?x=1")
    # An answer is counted once it is sent: /healthz of the fixture and these four.
    poll_until(lambda: Metrics(own).sum("exportd_http_requests_total") == 5, 5, "all requests counted")
    before = len(Metrics(own).series)
    for n in range(200):
        own.get(f"/exports/junk{n}.csv?{RANGE}")
        own.get(f"/junk{n}")
        own.get(f"/exports/small.csv?junk{n}=1", fields={"X-Request-Id": f"junk{n}"})
    m = Metrics(own)
    assert "junk" not in m.text
    assert len(m.series) == before


def test_two_scrapers_at_once_see_the_same_and_change_nothing(own):
    finish_some_of_each(own)
    own.event("export_finished", outcome="aborted")
    poll_until(lambda: Metrics(own)["exportd_http_connections"] == 0, 5, "no connection")
    # The service's own counts; time passes for the loop, the process and the machine.
    moving = re.compile(r"exportd_loop_|exportd_cgroup_|process_|exportd_metrics_")
    seen = []

    def read():
        for _ in range(50):
            seen.append({key: value for key, value in Metrics(own).series.items() if not moving.match(key[0])})
    scrapers = [threading.Thread(target=read) for _ in range(2)]
    for scraper in scrapers:
        scraper.start()
    for scraper in scrapers:
        scraper.join()
    assert len(seen) == 100
    assert all(each == seen[0] for each in seen)


def test_rendering_takes_less_than_5_ms_with_fifty_exports(service):
    own = service(exports={f"export_number_{n}": series(3, "n") for n in range(50)})
    took = []
    for _ in range(20):
        scrape(own, OPENMETRICS)
        took.append(Metrics(own)["exportd_metrics_render_seconds"])
    assert sorted(took)[10] < 0.005, took


def test_scraping_does_not_hold_up_a_running_export(own):
    def delay_p99(scraping):
        stop = threading.Event()

        def scrape_on():
            while not stop.wait(0.01):
                scrape(own)
        scrapers = [threading.Thread(target=scrape_on) for _ in range(2 if scraping else 0)]
        for scraper in scrapers:
            scraper.start()
        answer = own.get(f"/exports/wide.csv?{RANGE}")
        stop.set()
        for scraper in scrapers:
            scraper.join()
        return own.receipt(answer["Export-Id"])["loop_delay_ms"]["p99"]
    quiet = min(delay_p99(False) for _ in range(3))
    assert min(delay_p99(True) for _ in range(3)) < quiet + 50


def test_metrics_say_when_the_service_drains(service):
    own = service(exports={"slow": sleeps_at(2, 3, 2)}, EXPORTD_SERVER_SHUTDOWN_DELAY="1500ms")
    assert Metrics(own)["exportd_ready"] == 1
    own.terminate()

    def draining():
        m = Metrics(own)
        return m["exportd_ready"] == 0 and m["exportd_not_ready", {"reason": "draining"}] == 1
    poll_until(draining, 1.4, "draining")


def test_the_process_is_described(own):
    m = Metrics(own)
    assert m["process_resident_memory_bytes"] == pytest.approx(own.memory(), rel=0.2)
    assert abs(m["process_start_time_seconds"] - time.time()) < 60
    assert m["process_open_fds"] == pytest.approx(len(os.listdir(f"/proc/{own.process.pid}/fd")), abs=3)
    assert m.sum("exportd_build_info") == m.sum("exportd_tzdata_info") == 1


CPU_GROUPS = pathlib.Path("/sys/fs/cgroup/cpu")


@pytest.fixture
def half_a_core():
    """The file that puts a process into a control group with half a core; version 1 or 2."""
    unified = (CPU_GROUPS.parent / "cgroup.controllers").exists()
    group = (CPU_GROUPS.parent if unified else CPU_GROUPS) / f"exportd-test-{os.getpid()}"
    try:
        group.mkdir()
        if unified:
            (group / "cpu.max").write_text("50000 100000")
        else:
            (group / "cpu.cfs_period_us").write_text("100000")
            (group / "cpu.cfs_quota_us").write_text("50000")
    except OSError as reason:
        if group.exists():
            group.rmdir()
        pytest.skip(f"no control group of one's own here: {reason}")
    yield group / "cgroup.procs"
    poll_until(lambda: not (group / "cgroup.procs").read_text(), 10, "an empty control group")
    group.rmdir()


@pytest.fixture
def busy_neighbour(half_a_core):
    """A process that uses up what the control group may use."""
    busy = subprocess.Popen(["sh", "-c", 'echo $$ >"$0" && while :; do :; done', str(half_a_core)])
    yield busy
    busy.kill()
    busy.wait()


def test_with_half_a_core_throttling_is_reported_as_such(half_a_core, service, busy_neighbour):
    own = service(exports={"some": series(ROWS, WIDE)}, group=half_a_core)
    assert Metrics(own)["exportd_cgroup_cpu_quota_cores"] == 0.5

    def throttled():
        assert own.get(f"/exports/some.csv?{RANGE}").ended == "whole"
        return Metrics(own)["exportd_loop_throttled"] == 1
    poll_until(throttled, 20, "throttling reported")
    m = Metrics(own)
    assert m["exportd_cgroup_cpu_throttled_periods_total"] > 0
    assert m["exportd_cgroup_cpu_throttled_seconds_total"] > 0
    assert m["exportd_loop_delay_p99_seconds"] > 0.02
    # Late, and yet nothing blocks and nobody is sent away.
    assert m["exportd_loop_stalls_total"] == 0
    assert m["exportd_ready"] == 1
    assert own.get("/readyz").status == own.get("/healthz").status == 200

    busy_neighbour.kill()
    poll_until(lambda: Metrics(own)["exportd_loop_throttled"] == 0, 30, "throttling over", every=0.5)
