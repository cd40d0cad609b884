"""Background exports over HTTP: what is asked for and how, and files that go on where they broke off."""

import base64
import hashlib
import json
import threading
import uuid

import pytest

from support.exports import WIDE, Export, IN_RANGE, series, wide_body
from support.jobs import SEPTEMBER, job, job_once, post, start_job
from support.metrics import Metrics
from support.poll import poll_until
from support.problems import check_private, check_problem
from support.wire import RESET, WHOLE, Connection

ROWS = 50_000
FILE = wide_body(ROWS)
SIZE = len(FILE)

# Never ends within a test.
ENDLESS = Export(f"SELECT n, pg_sleep(1)::text AS pause FROM generate_series(1, 1000) AS n WHERE {IN_RANGE}")


@pytest.fixture
def own(service, jobs):
    return service(exports={"wide": series(ROWS, WIDE), "endless": ENDLESS}, **jobs.settings)


@pytest.fixture
def ready(own):
    """The address of a complete job's file."""
    job_id = start_job(own, "wide")
    assert job_once(own, job_id)["state"] == "complete"
    return f"/jobs/{job_id}/file"


def delete(service, target):
    with Connection(service.port, timeout=30) as connection:
        connection.request(target, method="DELETE")
        return connection.response("DELETE")


def mailed_token(database, job_id):
    """A token whose link was mailed for that job: the table holds its digest alone."""
    token = base64.urlsafe_b64encode(uuid.uuid4().bytes + uuid.uuid4().bytes).decode().rstrip("=")
    database.execute("UPDATE exportd.jobs SET link_digests = array_append(link_digests, %s) WHERE id = %s",
                     (hashlib.sha256(token.encode()).hexdigest(), job_id))
    return token


# Asking for an export

def test_a_job_is_accepted_and_has_an_address(own):
    answer = post(own, "/exports/wide/jobs", {**SEPTEMBER, "values": "raw", "excel": True})
    assert (answer.status, answer.reason) == (202, "Accepted")
    check_private(answer)
    assert answer["Content-Type"] == "application/json"
    made = answer.json()
    assert answer["Location"] == made["links"]["self"] == f"/jobs/{made['id']}"
    assert (made["export"], made["values"], made["excel"]) == ("wide", "raw", True)
    assert (made["from"], made["to"]) == ("2025-08-31T23:00:00Z", "2025-09-30T23:00:00Z")
    assert made["state"] in ("queued", "running", "complete")
    if made["state"] != "complete":
        assert 1 <= int(answer["Retry-After"]) <= 60
    own.event("job_submitted", job=made["id"], request_id=answer["X-Request-Id"], created=True)


@pytest.mark.parametrize("body, code, parameter", [
    ({}, "missing_parameter", "from"),
    ({"from": "2025-09-01"}, "missing_parameter", "to"),
    ({**SEPTEMBER, "from": "01/09/2025"}, "invalid_parameter", "from"),
    ({**SEPTEMBER, "from": 20250901}, "invalid_parameter", "from"),
    ({**SEPTEMBER, "to": "2025-09-01"}, "invalid_range", "to"),
    ({**SEPTEMBER, "from": "2020-01-01"}, "range_too_long", "to"),
    ({**SEPTEMBER, "values": "pretty"}, "invalid_parameter", "values"),
    ({**SEPTEMBER, "excel": "1"}, "invalid_parameter", "excel"),
    ({**SEPTEMBER, "notify": "nobody"}, "invalid_parameter", "notify"),
    ({**SEPTEMBER, "notify": "a@example.com\r\nBcc: b@example.com"}, "invalid_parameter", "notify"),
    ({**SEPTEMBER, "receipt": str(uuid.uuid4())}, "unknown_parameter", "receipt"),
    ({**SEPTEMBER, "form": "x"}, "unknown_parameter", "form"),
    ('{"from":"2025-09-01","from":"2025-09-01","to":"2025-10-01"}', "repeated_parameter", "from"),
    ("[]", "invalid_body", None),
    ("", "invalid_body", None),
    ("from=2025-09-01&to=2025-10-01", "invalid_body", None),
    ("[" * 60_000, "invalid_body", None),
    (b'{"from":"\xff"}', "invalid_body", None),
], ids=str)
def test_a_wrong_body_is_400_and_makes_no_job(own, jobs, body, code, parameter):
    check_problem(post(own, "/exports/wide/jobs", body), 400, code, parameter)
    assert jobs.database.value("SELECT count(*) FROM exportd.jobs") == 0


def test_a_stream_and_a_job_refuse_a_range_in_the_same_words(own):
    streamed = own.get("/exports/wide.csv?from=2025-09-01&to=2025-08-01").json()
    asked = post(own, "/exports/wide/jobs", {"from": "2025-09-01", "to": "2025-08-01"}).json()
    assert (streamed["code"], streamed["detail"]) == (asked["code"], asked["detail"])


def test_other_types_of_body_are_415(own):
    for field in ("text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-16"):
        answer = post(own, "/exports/wide/jobs", SEPTEMBER, Content_Type=field)
        check_problem(answer, 415, "unsupported_media_type")
        assert answer["Accept"] == "application/json"
    assert post(own, "/exports/wide/jobs", SEPTEMBER,
                Content_Type="application/json; charset=UTF-8").status == 202


def test_an_unknown_export_is_404_and_parameters_are_400(own):
    check_problem(post(own, "/exports/nothing/jobs", SEPTEMBER), 404, "not_found")
    check_problem(post(own, "/exports/wide/jobs?from=2025-09-01", SEPTEMBER), 400, "unknown_parameter")


def test_without_a_mail_server_notify_is_422(own, jobs):
    answer = post(own, "/exports/wide/jobs", {**SEPTEMBER, "notify": "ann@example.com"})
    check_problem(answer, 422, "mail_not_available", "notify")
    assert "ann@example.com" not in answer.text + own.log_text
    assert jobs.database.value("SELECT count(*) FROM exportd.jobs") == 0


# Idempotency

def test_the_same_key_and_body_are_one_job(own, jobs):
    first = post(own, "/exports/wide/jobs", SEPTEMBER, Idempotency_Key="key-1").json()["id"]
    for key in ("key-1", '"key-1"'):
        again = post(own, "/exports/wide/jobs", SEPTEMBER, Idempotency_Key=key)
        assert (again.status, again["Location"]) == (202, f"/jobs/{first}")
    assert post(own, "/exports/wide/jobs", SEPTEMBER, Idempotency_Key="key-2").json()["id"] != first
    assert jobs.database.value("SELECT count(*) FROM exportd.jobs") == 2


@pytest.mark.parametrize("change", [
    {"to": "2025-09-30"}, {"values": "raw"}, {"excel": True}], ids=str)
def test_the_same_key_for_something_else_is_409(own, change):
    post(own, "/exports/wide/jobs", SEPTEMBER, Idempotency_Key="key-1")
    check_problem(post(own, "/exports/wide/jobs", {**SEPTEMBER, **change}, Idempotency_Key="key-1"),
                  409, "idempotency_conflict")


def test_the_same_key_for_another_export_is_409(own):
    post(own, "/exports/wide/jobs", SEPTEMBER, Idempotency_Key="key-1")
    check_problem(post(own, "/exports/orders/jobs", SEPTEMBER, Idempotency_Key="key-1"), 409,
                  "idempotency_conflict")


@pytest.mark.parametrize("key", ["", "a b", '"a', '""', "k" * 256, "k\u00e9y"], ids=repr)
def test_a_malformed_key_is_400(own, key):
    check_problem(post(own, "/exports/wide/jobs", SEPTEMBER, Idempotency_Key=key), 400,
                  "invalid_idempotency_key")


def test_two_keys_are_400(own):
    body = json.dumps(SEPTEMBER)
    with own.connect() as connection:
        connection.send("POST /exports/wide/jobs HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                        "Idempotency-Key: a\r\nIdempotency-Key: b\r\n"
                        f"Content-Length: {len(body)}\r\n\r\n{body}")
        check_problem(connection.response("POST"), 400, "invalid_idempotency_key")


def test_twenty_equal_posts_at_once_are_one_job(own, jobs):
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(
        post(own, "/exports/wide/jobs", SEPTEMBER, Idempotency_Key="key-1"))) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {answer.status for answer in answers} == {202}
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert jobs.database.value("SELECT count(*) FROM exportd.jobs") == 1


# How a job stands

def test_a_job_is_shown_as_long_as_it_is_known(own):
    job_id = start_job(own, "wide")
    done = job_once(own, job_id, "complete")
    assert done["rows"] == done["expected_rows"] == ROWS
    assert (done["progress"], done["eta_seconds"], done["bytes"]) == (1, None, SIZE)
    assert done["created_at"] <= done["started_at"] <= done["finished_at"] < done["file"]["expires_at"]
    assert done["file"]["href"] == done["links"]["file"] == f"/jobs/{job_id}/file"
    assert done["file"]["name"] == "wide_2025-09-01_2025-10-01.csv"
    assert done["file"]["sha256"] == hashlib.sha256(FILE).hexdigest()
    assert "mail" not in done and "code" not in done
    answer = own.get(f"/jobs/{job_id.upper()}")
    assert answer.json() == done
    assert answer.get("Retry-After") is None
    assert own.get(f"/jobs/{job_id}", method="HEAD").status == 200


def test_a_job_that_runs_says_when_to_ask_again(own):
    job_id = start_job(own, "endless")
    job_once(own, job_id, "running")
    assert 1 <= int(own.get(f"/jobs/{job_id}")["Retry-After"]) <= 60
    delete(own, f"/jobs/{job_id}")


@pytest.mark.parametrize("job_id", [
    str(uuid.UUID(int=7)), "7", "x" * 36, "0a72d61d-cc28-4b80-bf1c-8a80ea4e01aeX", "%27%20OR%201=1", "%00"])
def test_what_is_no_job_of_mine_is_404(own, job_id):
    for target in (f"/jobs/{job_id}", f"/jobs/{job_id}/file"):
        check_problem(own.get(target), 404, "not_found")
    check_problem(delete(own, f"/jobs/{job_id}"), 404, "not_found")


def test_jobs_are_listed_newest_first(own):
    ids = []
    for _ in range(3):
        ids.append(start_job(own, "wide"))
        job_once(own, ids[-1])
    listed = own.get("/jobs").json()["jobs"]
    assert [each["id"] for each in listed] == ids[::-1]
    assert listed[0] == job(own, ids[-1])
    assert [each["id"] for each in own.get("/jobs?limit=2").json()["jobs"]] == ids[:0:-1]
    for limit in ("0", "101", "x", ""):
        check_problem(own.get(f"/jobs?limit={limit}"), 400, "invalid_parameter", "limit")
    check_problem(own.get("/jobs?limit=1&limit=1"), 400, "repeated_parameter", "limit")
    check_problem(own.get("/jobs?owner=x"), 400, "unknown_parameter")


@pytest.mark.parametrize("target, method, allow", [
    ("/exports/wide/jobs", "GET", {"POST"}),
    ("/jobs", "POST", {"GET", "HEAD"}),
    ("/jobs/" + str(uuid.UUID(int=7)), "PUT", {"GET", "HEAD", "DELETE"}),
    ("/jobs/" + str(uuid.UUID(int=7)) + "/file", "DELETE", {"GET", "HEAD"})])
def test_other_methods_are_405(own, target, method, allow):
    answer = own.get(target, method=method)
    check_problem(answer, 405, "method_not_allowed")
    assert set(answer["Allow"].replace(" ", "").split(",")) == allow


# Files

def test_the_file_and_its_header_fields(own, ready):
    answer = own.get(ready)
    assert (answer.status, answer.ended, answer.body) == (200, WHOLE, FILE)
    check_private(answer)
    digest = hashlib.sha256(FILE).digest()
    assert answer["Content-Length"] == str(SIZE)
    assert answer["Content-Type"] == "text/csv; charset=utf-8; header=present"
    assert answer["Content-Disposition"] == 'attachment; filename="wide_2025-09-01_2025-10-01.csv"'
    assert answer["ETag"] == f'"{digest.hex()}"'
    assert answer["Repr-Digest"] == f"sha-256=:{base64.b64encode(digest).decode()}:"
    assert answer["Accept-Ranges"] == "bytes"
    assert answer["Last-Modified"].endswith(" GMT")
    assert answer["Export-Rows"] == str(ROWS)
    assert answer["Export-Range"] == "2025-08-31T23:00:00Z/2025-09-30T23:00:00Z"
    assert answer.get("Transfer-Encoding") is None
    assert answer.get("Content-Range") is None


def test_head_has_the_same_fields_and_the_connection_goes_on(own, ready):
    with own.connect() as connection:
        head = connection.get(ready, method="HEAD")
        ranged = connection.get(ready, method="HEAD", fields={"Range": "bytes=0-9"})
        whole = connection.get(ready)
        again = connection.get(ready, fields={"Range": "bytes=0-9"})

    def lasting(answer):
        return {name: value for name, value in answer.fields if name not in ("Date", "X-Request-Id")}
    assert lasting(head) == lasting(ranged) == lasting(whole)
    assert (head.body, whole.body, again.body) == (b"", FILE, FILE[:10])


@pytest.mark.parametrize("given, first, last", [
    ("bytes=0-0", 0, 0), ("bytes=0-99", 0, 99), (f"bytes={SIZE - 1}-", SIZE - 1, SIZE - 1),
    ("bytes=300000-", 300_000, SIZE - 1), ("bytes=-1", SIZE - 1, SIZE - 1),
    (f"bytes=-{SIZE + 5}", 0, SIZE - 1), (f"bytes=5-{SIZE * 2}", 5, SIZE - 1),
    ("bytes=262143-262144", 262_143, 262_144), ("bytes=0-262144", 0, 262_144),
    ("bytes=5-99999999999999999999999", 5, SIZE - 1)])
def test_a_range_is_206(own, ready, given, first, last):
    answer = own.get(ready, fields={"Range": given})
    assert (answer.status, answer.reason, answer.ended) == (206, "Partial Content", WHOLE)
    assert answer["Content-Range"] == f"bytes {first}-{last}/{SIZE}"
    assert answer["Content-Length"] == str(last - first + 1)
    assert answer.body == FILE[first:last + 1]
    check_private(answer)


@pytest.mark.parametrize("given", [f"bytes={SIZE}-", "bytes=-0", "bytes=99999999999999999999999-"])
def test_a_range_behind_the_end_is_416(own, ready, given):
    with own.connect() as connection:
        answer = connection.get(ready, fields={"Range": given})
        check_problem(answer, 416, "range_not_satisfiable")
        assert answer["Content-Range"] == f"bytes */{SIZE}"
        assert connection.get("/healthz").status == 200


@pytest.mark.parametrize("given", ["bytes=9-5", "bytes=x-", "rows=0-5", "bytes=0-1,5-6", "bytes=0-1, 5-6", "0-5"])
def test_other_ranges_have_the_whole_file(own, ready, given):
    answer = own.get(ready, fields={"Range": given})
    assert (answer.status, answer.body == FILE) == (200, True)


def test_conditions(own, ready):
    etag = own.get(ready, method="HEAD")["ETag"]
    modified = own.get(ready, method="HEAD")["Last-Modified"]
    with own.connect() as connection:
        for fields in ({"If-None-Match": etag}, {"If-None-Match": "*"}, {"If-None-Match": f'"x", W/{etag}'},
                       {"If-Modified-Since": modified}):
            answer = connection.get(ready, fields=fields)
            assert (answer.status, answer["ETag"], answer.body) == (304, etag, b""), fields
            assert (answer.get("Content-Length"), answer.get("Transfer-Encoding")) == (None, None)
        for fields in ({"If-Match": '"x"'}, {"If-Match": "W/" + etag},
                       {"If-Unmodified-Since": "Sat, 01 Mar 2025 12:00:00 GMT"}):
            check_problem(connection.get(ready, fields=fields), 412, "precondition_failed")
        assert connection.get(ready, fields={"If-Match": etag, "Range": "bytes=0-1"}).status == 206


def test_two_fields_of_one_condition_are_one_list(own, ready):
    etag = own.get(ready, method="HEAD")["ETag"]
    with own.connect() as connection:
        connection.send(f'GET {ready} HTTP/1.1\r\nHost: x\r\nIf-None-Match: "x"\r\nIf-None-Match: {etag}\r\n\r\n')
        assert connection.response("GET").status == 304


def test_a_browser_resumes_with_if_range(own, ready):
    """Chrome sends If-Range with the tag, Firefox If-Match and If-Unmodified-Since."""
    head = own.get(ready, method="HEAD")
    for fields in ({"If-Range": head["ETag"]},
                   {"If-Match": head["ETag"], "If-Unmodified-Since": head["Last-Modified"]}):
        rest = own.get(ready, fields={"Range": "bytes=1000000-", **fields})
        assert (rest.status, rest.body) == (206, FILE[1_000_000:])
    for other in ('"other"', "W/" + head["ETag"], head["Last-Modified"]):
        whole = own.get(ready, fields={"Range": "bytes=1000000-", "If-Range": other})
        assert (whole.status, whole.body == FILE) == (200, True)


def test_http_1_0_has_a_length_too(own, ready):
    answer = own.get(ready, version="1.0")
    assert (answer.status, answer["Content-Length"], answer.body == FILE) == (200, str(SIZE), True)


@pytest.mark.parametrize("had", [1, 1_000_000, SIZE - 1], ids=["a byte", "a part", "all but a byte"])
def test_curl_resumes(own, ready, tmp_path, had):
    part = tmp_path / "f.csv"
    part.write_bytes(FILE[:had])
    done = own.curl("-f", "-C", "-", "-o", str(part), own.url(ready))
    assert done.returncode == 0, done.stderr
    assert part.read_bytes() == FILE


def test_curl_resumes_what_is_whole_already(own, ready, tmp_path):
    part = tmp_path / "f.csv"
    part.write_bytes(FILE)
    done = own.curl("-C", "-", "-o", str(part), "-w", "%{http_code}", own.url(ready))
    assert (done.returncode, done.stdout) == (0, b"416")
    assert part.read_bytes() == FILE


def test_curl_resumes_a_download_that_was_cut(own, ready, tmp_path):
    part = tmp_path / "f.csv"
    cut = own.curl("-m", "3", "--limit-rate", "200K", "-o", str(part), own.url(ready))
    assert cut.returncode == 28  # its time was over
    assert 0 < part.stat().st_size < SIZE
    assert own.curl("-f", "-C", "-", "-o", str(part), own.url(ready)).returncode == 0
    assert part.read_bytes() == FILE


def test_eight_parts_at_once(own, ready):
    parts = [None] * 8
    step = -(-SIZE // 8)

    def fetch(n):
        parts[n] = own.get(ready, fields={"Range": f"bytes={n * step}-{(n + 1) * step - 1}"}).body
    threads = [threading.Thread(target=fetch, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert b"".join(parts) == FILE


# Files that are not there

def test_a_file_that_is_not_ready_is_409(own):
    job_id = start_job(own, "endless")
    answer = own.get(f"/jobs/{job_id}/file")
    check_problem(answer, 409, "not_ready")
    assert int(answer["Retry-After"]) >= 1
    assert delete(own, f"/jobs/{job_id}").status == 200
    job_once(own, job_id, "cancelled")
    check_problem(own.get(f"/jobs/{job_id}/file"), 410, "expired")
    assert job(own, job_id)["state"] == "cancelled"


def test_a_deleted_file_is_410(own, ready):
    assert delete(own, ready.removesuffix("/file")).json()["state"] == "expired"
    for method in ("GET", "HEAD"):
        assert own.get(ready, method=method).status == 410
    check_problem(own.get(ready), 410, "expired")


def test_a_file_that_somebody_removed_is_410(own, jobs, ready):
    for entry in jobs.directory.iterdir():
        entry.unlink()
    check_problem(own.get(ready), 410, "expired")


def test_a_file_that_was_shortened_is_never_sent_as_whole(own, jobs, ready):
    [stored] = jobs.directory.iterdir()
    stored.write_bytes(FILE[:SIZE // 2])
    check_problem(own.get(ready), 500, "internal_error")
    own.event("download_finished", outcome="failed")


# Links

def test_a_link_works_for_anybody_as_often_as_it_is_fetched(own, ready, database):
    token = mailed_token(database, ready.split("/")[2])
    for method in ("HEAD", "GET", "HEAD", "GET", "GET"):  # case 45: scanners come first
        answer = own.get(f"{ready}?token={token}", method=method)
        assert answer.status == 200
    assert answer.body == FILE
    assert own.get(f"{ready}?token={token}", fields={"Range": "bytes=5-9"}).body == FILE[5:10]
    assert own.events("download_finished", by_link=True, outcome="complete")


def test_a_wrong_token_is_404(own, ready, database):
    token = mailed_token(database, ready.split("/")[2])
    for wrong in (token[:-1], token + "A", token[::-1], "", "x", "%00", token.swapcase()):
        check_problem(own.get(f"{ready}?token={wrong}"), 404, "not_found")
    other = "/jobs/" + str(uuid.UUID(int=7)) + "/file"
    check_problem(own.get(f"{other}?token={token}"), 404, "not_found")


def test_no_token_is_in_a_log_or_an_answer(service, jobs, database):
    own = service(exports={"wide": series(10, WIDE)}, **jobs.settings, EXPORTD_LOG_LEVEL="debug")
    job_id = start_job(own, "wide")
    job_once(own, job_id, "complete")
    token = mailed_token(database, job_id)
    link = f"/jobs/{job_id}/file?token={token}"
    assert own.get(link).status == 200
    for target, status in ((f"{link}&token={token}", 400), (f"{link}&x={token}", 400),
                           (f"/jobs/{job_id}/file?{token}", 400), (f"/jobs/{job_id}/file?tokem={token}", 400),
                           (f"/jobs/{job_id}?token={token}", 400), (f"/nothing?token={token}", 404),
                           (f"/jobs/{job_id}/file/{token}", 404)):
        answer = own.get(target)
        assert answer.status == status, target
        assert token not in answer.text + str(answer.fields)
    delete(own, f"/jobs/{job_id}")
    assert own.get(link).status == 410
    poll_until(lambda: own.events("download_finished"), 5, "the download's event")
    own.stop()
    assert token not in own.log_text + own.error_text


# Transfers that end early

def test_a_download_that_is_left_is_aborted_and_counted(own, ready):
    connection, answer = own.start_export(ready, rcvbuf=4096)
    assert answer.status == 200
    connection.reset()
    own.event("download_finished", outcome="aborted", code="client_gone")
    assert own.get(ready).body == FILE
    own.event("download_finished", outcome="complete", bytes=SIZE)
    seen = Metrics(own)
    assert seen["exportd_downloads_total", {"outcome": "aborted"}] == 1
    assert seen["exportd_downloads_total", {"outcome": "complete"}] == 1
    assert seen["exportd_download_bytes_total"] >= SIZE
    assert seen["exportd_http_requests_total", {"route": "/jobs/{}/file", "status": "200"}] == 2


def test_a_file_that_ends_early_breaks_the_transfer(own, jobs, ready):
    connection, answer = own.start_export(ready, rcvbuf=4096)
    [stored] = jobs.directory.iterdir()
    with open(stored, "r+b") as file:
        file.truncate(SIZE // 2)
    connection.body_of(answer)
    assert (answer.status, answer.ended) == (200, RESET)
    assert FILE.startswith(answer.body) and len(answer.body) < SIZE
    own.event("download_finished", outcome="failed", code="jobs_unavailable")


def test_a_reader_that_takes_nothing_is_reset_after_the_limit(service, jobs):
    own = service(exports={"wide": series(ROWS, WIDE)}, **jobs.settings, EXPORTD_LIMITS_STALL_TIMEOUT="1s",
                  EXPORTD_SERVER_SEND_BUFFER="64KiB")
    job_id = start_job(own, "wide")
    job_once(own, job_id, "complete")
    connection, answer = own.start_export(f"/jobs/{job_id}/file", rcvbuf=4096)
    own.event("download_finished", outcome="aborted", code="stalled")
    assert connection.body_of(answer).ended == RESET


def test_downloads_of_one_caller_are_limited(own, ready):
    taken = [own.start_export(ready, rcvbuf=4096) for _ in range(16)]
    answer = own.get(ready)
    check_problem(answer, 429, "too_many_downloads")
    assert int(answer["Retry-After"]) >= 1
    assert own.get(ready, method="HEAD").status == 200
    with Connection(own.port, source="127.0.0.2") as other:
        assert other.get(ready).body == FILE
    taken[0][0].close()
    poll_until(lambda: own.get(ready).status == 200, 5, "room again")


# What the other answers say of jobs

def test_too_much_for_a_stream_names_a_request_that_works_as_it_is(service, jobs):
    own = service(exports={"wide": series(ROWS, WIDE)}, **jobs.settings, EXPORTD_LIMITS_STREAM_ROW_LIMIT="1000")
    query = "from=2025-09-01&to=2025-10-01T12:00:00%2B01:00&excel=1&values=raw"
    document = check_problem(own.get(f"/exports/wide.csv?{query}"), 422, "too_many_rows")
    assert document["job"] == {
        "method": "POST", "href": "/exports/wide/jobs", "content_type": "application/json",
        "body": {"from": "2025-08-31T23:00:00Z", "to": "2025-10-01T11:00:00Z", "values": "raw", "excel": True}}
    assert "/exports/wide/jobs" in document["detail"]
    answer = post(own, document["job"]["href"], document["job"]["body"])
    assert answer.status == 202
    assert job_once(own, answer.json()["id"])["rows"] == ROWS

    estimate = own.get(f"/exports/wide/estimate?{query}").json()
    assert (estimate["delivery"], estimate["job"]) == ("job", document["job"])
    listed = {each["name"]: each for each in own.get("/exports").json()["exports"]}
    assert listed["wide"]["jobs"] == "/exports/wide/jobs"
