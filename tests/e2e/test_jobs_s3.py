"""Background exports whose files are in a real object store, so that replicas share them."""

import hashlib

import pytest

from support.exports import IN_RANGE, Export, series
from support.jobs import job, job_once, start_job
from support.poll import poll_until
from support.wire import Connection

ROWS = 600_000
SIZED = series(ROWS, "n, 'row ' || n AS text")
WHOLE = ("n,text\n" + "".join(f"{n},row {n}\n" for n in range(1, ROWS + 1))).encode()

# Some ten seconds, with parts of an upload on their way in the middle.
LONG = Export(f"""
    SELECT n, repeat('x', 1000) || CASE WHEN n % 100 = 0 THEN pg_sleep(0.05)::text ELSE '' END AS text
    FROM generate_series(1, 20000) AS n WHERE {IN_RANGE}""")


@pytest.fixture
def settings(jobs, object_store):
    """Parts of 5 MiB, the smallest there may be: WHOLE is two of them."""
    return {**jobs.settings, **object_store.settings(), "EXPORTD_S3_PART_SIZE": "5MiB"}


@pytest.fixture
def own(service, settings):
    return service(exports={"sized": SIZED, "tiny": series(10, "n")}, **settings)


@pytest.mark.parametrize("name, whole", [
    ("sized", WHOLE), ("tiny", b"n\n" + b"".join(b"%d\n" % n for n in range(1, 11)))], ids=["parts", "one"])
def test_a_file_that_one_process_wrote_another_sends(own, service, settings, jobs, name, whole):
    job_id = start_job(own, name)
    done = job_once(own, job_id, deadline=60)
    assert done["state"] == "complete", done
    assert done["file"]["sha256"] == hashlib.sha256(whole).hexdigest()
    other = service(exports={"sized": SIZED}, **settings)
    answer = other.get(f"/jobs/{job_id}/file")
    assert answer.body == whole
    assert jobs.files() == []


def test_ranges_and_resuming_work_as_with_a_directory(own, tmp_path):
    job_id = start_job(own, "sized")
    job_once(own, job_id, "complete", deadline=60)
    target = f"/jobs/{job_id}/file"
    with Connection(own.port, timeout=30) as connection:
        part = connection.get(target, fields={"Range": "bytes=5242870-5242889"})
        assert (part.status, part["Content-Range"]) == (206, f"bytes 5242870-5242889/{len(WHOLE)}")
        assert part.body == WHOLE[5242870:5242890]
        tail = connection.get(target, fields={"Range": "bytes=-7", "If-Range": part["ETag"]})
        assert (tail.status, tail.body) == (206, WHOLE[-7:])
    file = tmp_path / "half.csv"
    file.write_bytes(WHOLE[:6_000_000])
    resumed = own.curl("-f", "-C", "-", "-o", str(file), own.url(target))
    assert resumed.returncode == 0, resumed.stderr
    assert file.read_bytes() == WHOLE


def test_an_owner_that_is_killed_in_an_upload_leaves_nothing_to_download(service, settings, object_store):
    fast = {**settings, "EXPORTD_JOBS_LEASE": "1s"}
    first = service(exports={"long": LONG}, **fast)
    job_id = start_job(first, "long")
    poll_until(lambda: job(first, job_id)["bytes"] > 6_000_000, 40, "a part on its way")
    first.kill()
    second = service(exports={"long": LONG}, **fast)
    assert second.get(f"/jobs/{job_id}/file").status == 409
    done = job_once(second, job_id, "complete", deadline=50)
    assert done["attempt"] == 2
    body = second.get(f"/jobs/{job_id}/file").body
    assert hashlib.sha256(body).hexdigest() == done["file"]["sha256"]
    assert body.count(b"\n") == 20_001


def test_expiry_deletes_the_object(service, settings, object_store):
    own = service(exports={"tiny": series(10, "n")}, **settings, EXPORTD_JOBS_EXPIRY="2s")
    job_id = start_job(own, "tiny")
    job_once(own, job_id, "complete", deadline=20)
    assert job_id in object_store.admin("bi", "list", f"--bucket={object_store.bucket}")
    job_once(own, job_id, "expired", deadline=10)
    poll_until(lambda: job_id not in object_store.admin("bi", "list", f"--bucket={object_store.bucket}"), 10,
               "a deleted object")


def test_a_wrong_secret_leaves_jobs_to_others_and_tells_the_log_alone(service, settings):
    own = service(exports={"tiny": series(10, "n")}, **{**settings, "EXPORTD_S3_SECRET_KEY": "tops3cret"})
    own.event("file_store_unavailable", deadline=20)
    with Connection(own.port) as connection:
        body = b'{"from":"2025-09-01","to":"2025-10-01"}'
        connection.request("/exports/tiny/jobs", method="POST",
                           fields={"Content-Type": "application/json", "Content-Length": str(len(body))})
        connection.send(body)
        answer = connection.response("POST")
    assert (answer.status, answer.json()["code"]) == (503, "jobs_unavailable")
    assert "tops3cret" not in own.log_text + own.error_text
