"""Background exports: whole files from whichever process, one owner at a time, and their ends."""

import hashlib
import os
import random
import statistics
import threading

import pytest

from support.exports import IN_RANGE, Export, fails_at, series, wide_body
from support.jobs import (SEPTEMBER, continue_process, job, job_once, pause_process, post, start_job)
from support.metrics import Metrics
from support.poll import poll_until
from support.wire import Connection

ROWS = 200_000

# Slow enough that a test can act in its middle: a millisecond a row in steps of a hundred.
SLOW = Export(f"""
    SELECT n, CASE WHEN n % 100 = 0 THEN pg_sleep(0.02)::text ELSE '' END AS pause
    FROM generate_series(1, 20000) AS n WHERE {IN_RANGE}""")
SLOW_FILE = "n,pause\n" + "".join(f'{n},""\n' for n in range(1, 20001))


@pytest.fixture
def own(service, jobs):
    return service(exports={"slow": SLOW, "bad": fails_at(50_000, 200_000),
                            "sized": series(ROWS, "n, 'row ' || n AS text")}, **jobs.settings)


def download(service, job_id):
    answer = service.get(f"/jobs/{job_id}/file")
    assert answer.status == 200, answer
    return answer.body


def test_a_job_makes_the_very_file_that_a_stream_sends(own, jobs, database):
    database.fill_orders(5_000)
    streamed = own.get("/exports/orders.csv?from=2025-09-01&to=2025-10-01")
    job_id = start_job(own)
    done = job_once(own, job_id)
    assert done["state"] == "complete"
    assert done["rows"] == 5_000 == done["expected_rows"]
    assert done["progress"] == 1
    assert done["bytes"] == len(streamed.body)
    assert download(own, job_id) == streamed.body
    assert done["file"]["sha256"] == hashlib.sha256(streamed.body).hexdigest()
    assert jobs.files() == [f"{job_id}.1.csv"]


@pytest.mark.parametrize("options, target", [
    ({"excel": True}, "&excel=1"), ({"values": "raw"}, "&values=raw")], ids=["excel", "raw"])
def test_options_of_a_job_mean_what_they_mean_for_a_stream(own, database, options, target):
    database.fill_orders(100)
    streamed = own.get("/exports/orders.csv?from=2025-09-01&to=2025-10-01" + target)
    job_id = start_job(own, **options)
    assert job_once(own, job_id)["state"] == "complete"
    assert download(own, job_id) == streamed.body


def test_a_job_has_no_row_limit(own, service, jobs):
    tight = service(exports={"sized": series(ROWS, "n, 'row ' || n AS text")}, **jobs.settings,
                    EXPORTD_LIMITS_STREAM_ROW_LIMIT="1000")
    refused = tight.get("/exports/sized.csv?from=2025-09-01&to=2025-10-01")
    assert refused.status == 422
    way = refused.json()["job"]
    answer = post(tight, way["href"], way["body"])
    assert answer.status == 202
    done = job_once(tight, answer.json()["id"])
    assert done["state"] == "complete" and done["rows"] == ROWS


def test_a_running_job_tells_how_far_it_has_come_and_when_it_ends(own):
    job_id = start_job(own, "slow")

    def half():
        found = job(own, job_id)
        return found if found["rows"] and found["rows"] > 2_000 else None
    seen = poll_until(half, 20, "progress")
    assert seen["state"] == "running"
    assert seen["expected_rows"] == 20_000
    assert 0 < seen["progress"] < 1
    assert seen["progress"] == pytest.approx(seen["rows"] / 20_000, abs=0.001)
    assert 0 < seen["eta_seconds"] < 20
    assert job_once(own, job_id)["rows"] == 20_000


def test_a_query_that_fails_fails_its_job_and_leaves_no_file(own, jobs):
    job_id = start_job(own, "bad")
    ended = job_once(own, job_id)
    assert ended["state"] == "failed"
    assert ended["code"] == "query_failed"
    assert ended["attempt"] == 1
    assert jobs.files() == []
    assert own.get(f"/jobs/{job_id}/file").status == 409
    assert "division" not in own.get(f"/jobs/{job_id}").text


def test_a_lost_backend_costs_a_try_and_not_the_job(own, database):
    job_id = start_job(own, "slow")
    poll_until(lambda: job(own, job_id)["rows"] > 0, 20, "rows")
    (pid,), = database.rows("SELECT pid FROM pg_stat_activity WHERE application_name LIKE %s",
                            (f"exportd job {job_id[:8]}%",))
    database.terminate(pid)
    done = job_once(own, job_id, "complete", deadline=30)
    assert done["attempt"] == 2
    assert download(own, job_id).decode() == SLOW_FILE


def test_cancelling_a_running_job_ends_its_query_and_its_file(own, jobs, database):
    job_id = start_job(own, "slow")
    poll_until(lambda: job(own, job_id)["rows"] > 0, 20, "rows")
    assert jobs.files() != []
    with Connection(own.port) as connection:
        connection.request(f"/jobs/{job_id}", method="DELETE")
        assert connection.response("DELETE").status == 200
    assert job_once(own, job_id, deadline=5)["state"] == "cancelled"
    assert jobs.files() == []
    poll_until(lambda: not database.backends(f"application_name LIKE 'exportd job {job_id[:8]}%'"), 2,
               "an ended backend")
    assert own.get(f"/jobs/{job_id}/file").status == 410


def test_with_one_worker_the_third_runs_once_the_others_are_cancelled(own, jobs):
    """Case 48: A runs; of B, C that wait B is cancelled, then A: C runs."""
    ids = [start_job(own, "slow") for _ in range(3)]
    job_once(own, ids[0], "running")
    for job_id in (ids[1], ids[0]):
        with Connection(own.port) as connection:
            connection.request(f"/jobs/{job_id}", method="DELETE")
            assert connection.response("DELETE").status == 200
    assert job_once(own, ids[2], deadline=30)["state"] == "complete"
    assert [jobs.row(job_id)["state"] for job_id in ids] == ["cancelled", "cancelled", "complete"]


def test_somebody_with_fifty_jobs_does_not_starve_another(service, jobs):
    own = service(exports={"tiny": series(10, "n")}, **jobs.settings, EXPORTD_JOBS_PER_CALLER="50")
    pause = service(exports={"tiny": series(10, "n"), "slow": SLOW}, **jobs.settings)
    pause.terminate()
    pause.wait()
    many = [start_job(own, "tiny") for _ in range(50)]
    late = start_job(own, "tiny", source="127.0.0.2")
    assert job_once(own, late, deadline=20)["state"] == "complete"
    before = jobs.database.value("""
        SELECT count(*) FROM exportd.jobs AS other, exportd.jobs AS late
        WHERE late.id = %s AND other.created_at < late.created_at AND other.started_at > late.started_at""",
                                 (late,))
    assert before > 0 or all(jobs.row(i)["state"] == "complete" for i in many)


def test_a_caller_may_have_so_many_jobs_and_all_callers_so_many(service, jobs):
    own = service(exports={"slow": SLOW}, **jobs.settings, EXPORTD_JOBS_PER_CALLER="2",
                  EXPORTD_JOBS_MAX_QUEUED="2")
    running = start_job(own, "slow")
    job_once(own, running, "running")
    start_job(own, "slow")
    third = post(own, "/exports/slow/jobs", SEPTEMBER)
    assert (third.status, third.json()["code"]) == (429, "too_many_jobs")
    assert int(third["Retry-After"]) > 0
    start_job(own, "slow", source="127.0.0.2")
    full = post(own, "/exports/slow/jobs", SEPTEMBER, source="127.0.0.3")
    assert (full.status, full.json()["code"]) == (503, "queue_full")
    assert int(full["Retry-After"]) > 0


# Two processes


def test_kill_nine_five_times_and_the_job_is_whole_in_the_end(service, jobs):
    """Case 44: the owner is killed in the middle, again and again; one owner at a time."""
    settings = {**jobs.settings, "EXPORTD_JOBS_ATTEMPTS": "10", "EXPORTD_JOBS_LEASE": "1s"}
    exports = {"slow": SLOW}
    replicas = [service(exports=exports, **settings) for _ in range(2)]
    job_id = start_job(replicas[0], "slow")
    chance = random.Random(44)
    fences = []
    for _ in range(5):
        def taken():
            row = jobs.row(job_id)
            return row if row["state"] == "running" and row["fence"] not in fences else None
        row = poll_until(taken, 15, "an owner")
        fences.append(row["fence"])
        pid = int(row["lease_owner"].rpartition("/")[2])
        victim = next(r for r in replicas if r.process.pid == pid)
        target = chance.randrange(200, 4_000)
        poll_until(lambda: jobs.row(job_id)["row_count"] >= 0 and victim.events("job_started"), 5, "a start")
        threading.Event().wait(target / 10_000)
        victim.kill()
        replicas[replicas.index(victim)] = service(exports=exports, **settings)
    done = job_once(replicas[0], job_id, deadline=40)
    assert done["state"] == "complete"
    assert done["attempt"] == 6
    assert fences == [1, 2, 3, 4, 5]
    for replica in replicas:
        assert download(replica, job_id).decode() == SLOW_FILE


def test_a_job_that_kills_its_owner_fails_after_its_tries(service, jobs):
    settings = {**jobs.settings, "EXPORTD_JOBS_ATTEMPTS": "2", "EXPORTD_JOBS_LEASE": "1s"}
    owner = service(exports={"slow": SLOW}, **settings)
    job_id = start_job(owner, "slow")
    for attempt in (1, 2):
        poll_until(lambda: jobs.row(job_id)["state"] == "running" and jobs.row(job_id)["attempt"] == attempt,
                   10, f"try {attempt}")
        owner.kill()
        owner = service(exports={"slow": SLOW}, **settings)
    ended = job_once(owner, job_id)
    assert (ended["state"], ended["code"]) == ("failed", "gave_up")
    assert owner.get(f"/jobs/{job_id}/file").status == 409


def test_an_owner_that_slept_through_its_lease_changes_nothing(service, jobs):
    settings = {**jobs.settings, "EXPORTD_JOBS_LEASE": "1s"}
    first = service(exports={"slow": SLOW}, **settings)
    job_id = start_job(first, "slow")
    poll_until(lambda: job(first, job_id)["rows"] > 0, 20, "rows")
    second = service(exports={"slow": SLOW}, **settings)
    pause_process(first)
    try:
        done = job_once(second, job_id, "complete", deadline=30)
    finally:
        continue_process(first)
    assert done["attempt"] == 2
    first.event("job_finished", deadline=15, job=job_id, outcome="lost")
    assert jobs.row(job_id)["fence"] == 2
    assert download(second, job_id).decode() == SLOW_FILE
    poll_until(lambda: jobs.files() == [f"{job_id}.2.csv"], 5, "one file")


def test_sigterm_hands_the_job_to_another_process_at_once(service, jobs):
    settings = {**jobs.settings, "EXPORTD_JOBS_LEASE": "10m"}
    first = service(exports={"slow": SLOW}, **settings)
    job_id = start_job(first, "slow")
    poll_until(lambda: job(first, job_id)["rows"] > 0, 20, "rows")
    second = service(exports={"slow": SLOW}, **settings)
    first.terminate()
    assert first.wait() == 0
    done = job_once(second, job_id, "complete", deadline=30)
    assert done["attempt"] == 1
    assert download(second, job_id).decode() == SLOW_FILE


def test_two_equal_posts_at_once_on_two_processes_are_one_job(service, jobs, database):
    """Case 47."""
    replicas = [service(exports={"tiny": series(10, "n")}, **jobs.settings) for _ in range(2)]
    ids = [None, None]

    def ask(n):
        answer = post(replicas[n], "/exports/tiny/jobs", SEPTEMBER, Idempotency_Key="one")
        assert answer.status == 202
        ids[n] = answer.json()["id"]
    threads = [threading.Thread(target=ask, args=(n,)) for n in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ids[0] == ids[1] is not None
    assert database.value("SELECT count(*) FROM exportd.jobs") == 1
    other = post(replicas[0], "/exports/tiny/jobs", {**SEPTEMBER, "excel": True}, Idempotency_Key="one")
    assert (other.status, other.json()["code"]) == (409, "idempotency_conflict")


# Ends of files and rows


def test_a_file_is_really_deleted_when_it_expires(service, jobs):
    own = service(exports={"tiny": series(10, "n")}, **jobs.settings, EXPORTD_JOBS_EXPIRY="2s")
    job_id = start_job(own, "tiny")
    assert job_once(own, job_id, "complete")["file"]["bytes"] > 0
    assert job_once(own, job_id, "expired", deadline=5)
    assert own.get(f"/jobs/{job_id}/file").status == 410
    poll_until(lambda: jobs.files() == [], 5, "an empty directory")
    poll_until(lambda: jobs.row(job_id)["file"] is None, 5, "a forgotten file")


def test_deleting_a_complete_job_deletes_its_file(own, jobs):
    job_id = start_job(own, "sized")
    assert job_once(own, job_id)["state"] == "complete"
    with Connection(own.port) as connection:
        connection.request(f"/jobs/{job_id}", method="DELETE")
        assert connection.response("DELETE").json()["state"] == "expired"
    poll_until(lambda: jobs.files() == [], 5, "an empty directory")


def test_a_row_is_forgotten_after_its_time(service, jobs):
    own = service(exports={"tiny": series(10, "n")}, **jobs.settings, EXPORTD_JOBS_EXPIRY="1s",
                  EXPORTD_JOBS_RETENTION="1s")
    job_id = start_job(own, "tiny")
    poll_until(lambda: own.get(f"/jobs/{job_id}").status == 404, 10, "a forgotten job")


# What is missing or broken


def test_without_a_job_table_exports_are_served_and_jobs_say_so(service, jobs, database):
    database.execute("DROP SCHEMA exportd CASCADE")
    database.fill_orders(10)
    own = service(**jobs.settings)
    assert own.get("/exports/orders.csv?from=2025-09-01&to=2025-10-01").status == 200
    answer = post(own, "/exports/orders/jobs", SEPTEMBER)
    assert (answer.status, answer.json()["code"]) == (503, "jobs_not_set_up")
    assert own.get("/jobs").json()["code"] == "jobs_not_set_up"


def test_a_silent_job_table_costs_answers_about_jobs_and_not_the_exit(service, jobs, database, relay):
    own = service(exports={"tiny": series(10, "n")}, **jobs.settings,
                  EXPORTD_JOBS_URL=database.url_at("127.0.0.1", relay.port))
    assert job_once(own, start_job(own, "tiny"))["state"] == "complete"
    relay.pause()
    answers = []
    asking = threading.Thread(target=lambda: answers.append(own.get("/jobs")))
    asking.start()
    asking.join(20)
    assert answers[0].status == 503
    assert answers[0].json()["code"] == "jobs_unavailable"
    assert own.get("/exports/tiny.csv?from=2025-09-01&to=2025-10-01").status == 200
    own.terminate()
    assert own.wait(12) == 0


def test_an_owner_stops_at_the_end_of_its_lease_though_the_table_says_nothing(service, jobs, database, relay):
    own = service(exports={"slow": SLOW}, **jobs.settings,
                  EXPORTD_JOBS_URL=database.url_at("127.0.0.1", relay.port))
    start_job(own, "slow")
    own.event("job_started")
    at_work = "application_name LIKE 'exportd job %' AND state <> 'idle'"
    poll_until(lambda: database.backends(at_work), 10, "the job's query")
    relay.pause()
    poll_until(lambda: not database.backends(at_work), 6, "an end at the lease's")
    relay.resume()
    own.event("job_finished", deadline=20, outcome="lost")


def test_somebody_elses_polls_do_not_keep_a_lease_from_being_renewed(service, jobs):
    own = service(exports={"slow": SLOW}, **jobs.settings)
    job_id = start_job(own, "slow")
    stop = threading.Event()

    def poll():
        while not stop.is_set():
            own.get("/jobs")
    pollers = [threading.Thread(target=poll) for _ in range(16)]
    for poller in pollers:
        poller.start()
    try:
        assert job_once(own, job_id, "complete", deadline=40)["attempt"] == 1
    finally:
        stop.set()
        for poller in pollers:
            poller.join()


def test_migrate_tells_what_it_did_and_does_it_once(config, jobs, database):
    assert jobs.migrated.stdout == "applied 0001_jobs\napplied 0002_access\n"
    again = config.run("migrate", database.url, jobs.settings)
    assert (again.returncode, again.stdout) == (0, "nothing to do\n")
    wrong = config.run("migrate", database.url_at("127.0.0.1", 1), jobs.settings)
    assert wrong.returncode == 1
    assert wrong.stderr.startswith("exportd: migrate: ")


@pytest.mark.skipif(os.geteuid() != 0, reason="needs a file system of its own")
def test_a_full_disk_fails_only_the_job_that_filled_it(service, jobs, tmp_path):
    """Case 49."""
    import subprocess
    jobs.directory.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(jobs.directory)],
                             capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("may not mount: " + mounted.stderr.decode())
    try:
        own = service(exports={"sized": series(ROWS, "n, 'row ' || n AS text"),
                               "tiny": series(10, "n")}, **jobs.settings)
        big, small = start_job(own, "sized"), start_job(own, "tiny")
        ended = job_once(own, big)
        assert (ended["state"], ended["code"], ended["attempt"]) == ("failed", "store_full", 1)
        assert job_once(own, small)["state"] == "complete"
        assert jobs.files() == [f"{small}.1.csv"]
        assert own.get("/exports/sized.csv?from=2025-09-01&to=2025-10-01").ended == "whole"
        own.stop()
    finally:
        subprocess.run(["umount", str(jobs.directory)], check=True)


def test_jobs_show_in_the_metrics_and_no_label_comes_from_them(own):
    job_once(own, start_job(own, "sized"))
    job_once(own, start_job(own, "bad"))
    seen = Metrics(own)
    assert seen["exportd_jobs_total", {"outcome": "complete"}] == 1
    assert seen["exportd_jobs_total", {"outcome": "failed"}] == 1
    assert seen["exportd_job_rows_total"] == ROWS
    assert seen["exportd_job_duration_seconds_count"] == 1
    assert seen["exportd_jobs_running"] == 0


def test_the_loop_stays_quick_while_every_worker_is_busy_and_an_export_runs(service, jobs, database):
    database.fill_orders(100_000)
    own = service(exports={"sized": series(2_000_000, "n, 'row ' || n AS text")}, **jobs.settings,
                  EXPORTD_LOOP_MAX_DELAY="1m")
    start_job(own, "sized")
    poll_until(lambda: Metrics(own)["exportd_jobs_running"] == 1, 5, "a running job")
    late = []
    for _ in range(5):
        answer = own.get("/exports/orders.csv?from=2025-09-01&to=2025-10-01")
        assert answer.ended == "whole"
        late.append(own.receipt(answer["Export-Id"])["loop_delay_ms"]["p99"])
    assert statistics.median(late) < 25, late
