"""Who gets what: nobody, a wrong token, another user, the right user; tokens, browsers, proxies."""

import signal
import time
import uuid

import pytest

from support.access import (ANNA, BEN, OLD, Browser, ask, basic, bearer, token_entry, tokens)
from support.exports import series
from support.jobs import SEPTEMBER, job_once, start_job
from support.poll import poll_until

RANGE = "from=2025-09-01&to=2025-10-01"
NOBODY, WRONG, OTHER, RIGHT = {}, bearer("xpd_no-such-token"), bearer(BEN), bearer(ANNA)


def as_anna(own, method, target, body=None):
    return ask(own, method, target, RIGHT, body)


@pytest.fixture
def guarded(service, jobs, tmp_path):
    """A service with tokens, the job of anna's that is complete, and her receipt."""
    own = service(exports={"numbers": series(10, "n")}, **tokens(tmp_path, **jobs.settings))
    answer = as_anna(own, "POST", "/exports/numbers/jobs", SEPTEMBER)
    assert answer.status == 202, answer
    job_id = answer.json()["id"]
    poll_until(lambda: as_anna(own, "GET", f"/jobs/{job_id}").json()["state"] == "complete", 20, "the job")
    receipt = str(uuid.uuid4())
    assert as_anna(own, "GET", f"/exports/numbers.csv?{RANGE}&receipt={receipt}").status == 200
    own.names = {"job": job_id, "receipt": receipt, "export_id": own.event("export_started")["export_id"]}
    return own


# Every route, and what nobody, a wrong token, another user and the right one get. The end of the
# list deletes the job.
ROUTES = [
    ("GET", "/healthz", (200, 200, 200, 200)),
    ("GET", "/readyz", (200, 200, 200, 200)),
    ("GET", "/", (401, 401, 200, 200)),
    ("GET", "/page/sign_in.html", (200, 200, 200, 200)),
    ("GET", "/openapi.json", (200, 200, 200, 200)),
    ("GET", "/sign-in", (200, 401, 200, 200)),
    ("POST", "/sign-in", (401, 401, 401, 401)),
    ("GET", "/session", (200, 401, 200, 200)),
    ("POST", "/sign-out", (401, 401, 404, 404)),
    ("GET", "/exports", (401, 401, 200, 200)),
    ("GET", "/exports/numbers.csv?" + RANGE, (401, 401, 403, 200)),
    ("HEAD", "/exports/numbers.csv?" + RANGE, (401, 401, 403, 200)),
    ("GET", "/exports/numbers/estimate?" + RANGE, (401, 401, 403, 200)),
    ("GET", "/exports/receipts", (401, 401, 200, 200)),
    ("GET", "/exports/receipts/{receipt}", (401, 401, 404, 200)),
    ("GET", "/exports/receipts/{export_id}", (401, 401, 404, 200)),
    ("POST", "/exports/quarterly-report", (401, 401, 403, 200)),
    ("POST", "/exports/numbers/jobs", (401, 401, 403, 202)),
    ("GET", "/jobs", (401, 401, 200, 200)),
    ("GET", "/jobs/{job}", (401, 401, 404, 200)),
    ("GET", "/jobs/{job}/file", (401, 401, 404, 200)),
    ("HEAD", "/jobs/{job}/file", (401, 401, 404, 200)),
    ("DELETE", "/jobs/{job}", (401, 401, 404, 200)),
    ("GET", "/no-such-address", (404, 401, 404, 404)),
]


def test_every_route_gives_each_what_is_theirs(guarded):
    addresses = (f"127.0.{i}.{j}" for i in range(2, 9) for j in range(1, 250))

    def source():
        return next(addresses)
    bodies = {"POST /exports/numbers/jobs": SEPTEMBER, "POST /exports/quarterly-report": SEPTEMBER,
              "POST /sign-in": "token=no"}
    for method, target, expected in ROUTES:
        body = bodies.get(f"{method} {target}")
        # Failures come from addresses of their own, as they are slowed.
        got = tuple(ask(guarded, method, target.format(**guarded.names), who, body, source=source()).status
                    for who in (NOBODY, WRONG, OTHER, RIGHT))
        assert got == expected, f"{method} {target}"


def test_the_table_above_has_every_route(guarded):
    """By the metric that names all of them."""
    text = ask_ops(guarded, "/metrics")
    named = {line.split('route="')[1].split('"')[0] for line in text.splitlines()
             if line.startswith("exportd_http_requests_total{")}
    parts = {"{job}": "{}", "{receipt}": "{}", "{export_id}": "{}", "numbers": "{}", "sign_in.html": "{}"}
    tested = set()
    for _, target, _ in ROUTES:
        route = target.split("?")[0]
        for name, pattern in parts.items():
            route = route.replace(name, pattern)
        tested.add(route)
    assert named - {"other"} <= tested


def ask_ops(own, target):
    from support.wire import Connection
    with Connection(own.ops_port) as connection:
        return connection.get(target).text


def test_a_401_says_how_to_come_in_and_a_failure_never_what_was_wrong(guarded):
    said = set()
    for fields in (WRONG, basic("no"), bearer(OLD), bearer("?"), {"Authorization": "Digest x"}):
        answer = ask(guarded, "GET", "/exports", fields)
        assert answer.status == 401
        assert answer["Cache-Control"] == "private, no-store"
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert answer["WWW-Authenticate"] == 'Basic realm="exportd", charset="UTF-8", Bearer realm="exportd"'
        problem = answer.json()
        problem.pop("request_id")
        said.add(str(problem))
    assert len(said) == 1
    browser = Browser(guarded).ask("GET", "/exports")
    assert browser["WWW-Authenticate"] == 'Bearer realm="exportd"'  # no dialog of the browser's own


def test_curl_with_a_user_and_with_a_bearer_token(guarded):
    url = guarded.url(f"/exports/numbers.csv?{RANGE}")
    for options in (("-u", f"anna:{ANNA}"), ("-H", f"Authorization: Bearer {ANNA}")):
        done = guarded.curl("--fail", *options, url)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(b"n\n1\n2\n")
    assert guarded.curl("--fail", "-u", f"anna:{BEN}x", url).returncode == 22


def test_a_listing_holds_what_one_may_use_and_how(guarded):
    listed = {e["name"]: e for e in ask(guarded, "GET", "/exports", OTHER).json()["exports"]}
    assert set(listed) == {"showcase"}
    assert (listed["showcase"]["raw"], listed["showcase"]["max_range_days"]) == (False, 31)
    all_of_them = {e["name"]: e for e in ask(guarded, "GET", "/exports", RIGHT).json()["exports"]}
    assert set(all_of_them) == {"numbers", "orders", "showcase"}
    assert (all_of_them["orders"]["raw"], all_of_them["orders"]["report"]) == (True, True)


@pytest.mark.parametrize("more, status, code", [
    ("", 200, None), ("&values=raw", 403, "raw_not_permitted"), ("&values=formatted", 200, None)])
def test_raw_values_need_a_permission(guarded, more, status, code):
    answer = ask(guarded, "GET", f"/exports/showcase.csv?from=2025-09-01&to=2025-09-02{more}", OTHER)
    assert answer.status == status
    assert code is None or answer.json()["code"] == code


def test_a_range_over_ones_own_longest_is_refused(guarded):
    for target in (f"/exports/showcase.csv?from=2025-09-01&to=2025-10-03",
                   f"/exports/showcase/estimate?from=2025-09-01&to=2025-10-03"):
        answer = ask(guarded, "GET", target, OTHER)
        assert (answer.status, answer.json()["code"], answer.json()["parameter"]) == (400, "range_too_long", "to")
    answer = ask(guarded, "POST", "/exports/showcase/jobs", OTHER, {"from": "2025-09-01", "to": "2025-10-03"})
    assert (answer.status, answer.json()["code"]) == (400, "range_too_long")
    assert ask(guarded, "GET", f"/exports/showcase.csv?from=2025-09-01&to=2025-10-02", OTHER).status == 200


def test_equal_requests_of_two_are_two_jobs_even_with_one_key(service, jobs, tmp_path):
    """Case 46."""
    own = service(**tokens(tmp_path, token_entry("a", ANNA, ["*"]) + token_entry("b", BEN, ["*"]), **jobs.settings))
    ids = [ask(own, "POST", "/exports/orders/jobs", {**bearer(token), "Idempotency-Key": "same"}, SEPTEMBER).json()["id"]
           for token in (ANNA, BEN)]
    assert ids[0] != ids[1]
    for token, mine, other in ((ANNA, *ids), (BEN, *reversed(ids))):
        assert [j["id"] for j in ask(own, "GET", "/jobs", bearer(token)).json()["jobs"]] == [mine]
        assert ask(own, "GET", f"/jobs/{other}", bearer(token)).status == 404


def reload(own, file, text):
    before = len(own.events("access_reloaded"))
    file.write_text(text, encoding="utf-8")
    own.process.send_signal(signal.SIGHUP)
    poll_until(lambda: len(own.events("access_reloaded")) > before, 5, "the access file read again")


def test_a_permission_that_is_taken_away_ends_at_download(service, jobs, tmp_path):
    """Case 46."""
    own = service(exports={"numbers": series(10, "n")}, **tokens(tmp_path, **jobs.settings))
    job_id = as_anna(own, "POST", "/exports/numbers/jobs", SEPTEMBER).json()["id"]
    poll_until(lambda: as_anna(own, "GET", f"/jobs/{job_id}").json()["state"] == "complete", 20, "the job")
    assert as_anna(own, "GET", f"/jobs/{job_id}/file").status == 200
    reload(own, tmp_path / "access.toml", token_entry("anna", ANNA, ["orders"]))
    answer = as_anna(own, "GET", f"/jobs/{job_id}/file")
    assert (answer.status, answer.json()["code"]) == (403, "not_permitted")
    reload(own, tmp_path / "access.toml", token_entry("ben", BEN, ["*"]))
    assert as_anna(own, "GET", f"/jobs/{job_id}/file").status == 401


def test_a_permission_that_is_taken_away_ends_a_job_that_waits(service, jobs, tmp_path, database):
    own = service(exports={"numbers": series(10, "n")}, **tokens(tmp_path, **jobs.settings))
    reload(own, tmp_path / "access.toml", token_entry("anna", ANNA, ["orders"]))
    job_id = str(uuid.uuid4())
    database.execute(
        "INSERT INTO exportd.jobs (id, owner, caller, export, range_from, range_to, raw_values, excel, letter_wanted) "
        f"VALUES ('{job_id}', 'token:anna', 'token:anna', 'numbers', '2025-09-01', '2025-10-01', false, false, false)")
    job = poll_until(lambda: (j := as_anna(own, "GET", f"/jobs/{job_id}").json())["state"] == "failed" and j, 10, "an end")
    assert (job["code"], job["rows"]) == ("not_permitted", 0)
    assert jobs.files() == []


def test_a_bad_access_file_leaves_the_one_in_force(service, tmp_path):
    own = service(exports={"numbers": series(10, "n")}, **tokens(tmp_path))
    file = tmp_path / "access.toml"
    file.write_text("[[tokens]]\nname = 'x'\n", encoding="utf-8")
    own.process.send_signal(signal.SIGHUP)
    failed = own.event("access_reload_failed")
    assert "access.toml:1: " in failed["cause"]
    assert as_anna(own, "GET", f"/exports/numbers.csv?{RANGE}").status == 200
    reload(own, file, token_entry("ben", BEN, ["*"]))
    assert as_anna(own, "GET", "/exports").status == 401


def test_failures_are_slowed_by_address_and_good_tokens_are_not(service, tmp_path):
    own = service(**tokens(tmp_path))
    took = []
    for _ in range(7):
        began = time.monotonic()
        assert ask(own, "GET", "/exports", WRONG, source="127.0.0.2").status == 401
        took.append(time.monotonic() - began)
    assert max(took[:5]) < 0.9
    assert took[5] >= 1 and took[6] >= 2
    began = time.monotonic()
    assert ask(own, "GET", "/exports", RIGHT, source="127.0.0.2").status == 200
    assert ask(own, "GET", "/exports", WRONG, source="127.0.0.3").status == 401
    assert time.monotonic() - began < 0.9


# Browsers


def test_a_browser_signs_in_uses_it_and_signs_out(guarded):
    browser = Browser(guarded)
    led = browser.open("/jobs?limit=1")
    assert (led.status, led["Location"]) == (303, "/sign-in?next=%2Fjobs%3Flimit%3D1")
    form = browser.open(led["Location"])
    assert form.status == 200 and 'value="/jobs?limit=1"' in form.text
    assert "default-src 'none'" in form["Content-Security-Policy"]
    answer = browser.sign_in(ANNA, "/jobs?limit=1")
    assert (answer.status, answer["Location"]) == (303, "/jobs?limit=1")
    assert answer["Set-Cookie"].endswith("; Path=/; HttpOnly; SameSite=Lax")
    session = browser.session()
    assert (session["mode"], session["signed_in"], session["name"]) == ("tokens", True, "anna")
    assert browser.ask("GET", f"/exports/numbers.csv?{RANGE}").body.startswith(b"n\n1\n")
    stolen = dict(browser.cookies)
    out = browser.submit("/sign-out", {"csrf": session["csrf"]})
    assert (out.status, out["Location"]) == (303, "/sign-in")
    assert browser.cookies == {}
    thief = Browser(guarded)
    thief.cookies = stolen
    assert thief.ask("GET", "/exports").status == 401


def test_a_wrong_token_shows_the_form_again_and_nothing_of_the_token(guarded):
    answer = Browser(guarded).sign_in("xpd_<script>", '"><script>')
    assert answer.status == 401
    assert "This token is not valid here" in answer.text
    assert "<script" not in answer.text and "xpd_&lt;" not in answer.text
    assert answer.get("Set-Cookie") is None


@pytest.mark.parametrize("next", ["//evil.example", "https://evil.example", "/\\evil.example", "\\\\evil.example",
                                  "javascript:alert(1)", "/a\r\nSet-Cookie: x=y", ""])
def test_signing_in_leads_to_this_service_only(guarded, next):
    assert Browser(guarded).sign_in(ANNA, next)["Location"] == "/"


def test_a_change_from_a_browser_needs_the_proof_of_its_page(guarded):
    browser = Browser(guarded)
    browser.sign_in(ANNA)
    job = f"/jobs/{guarded.names['job']}"
    for method, target, body in (("POST", "/exports/numbers/jobs", SEPTEMBER), ("DELETE", job, None),
                                 ("POST", "/exports/quarterly-report", SEPTEMBER), ("POST", "/sign-out", None)):
        without = browser.ask(method, target, body=body)
        assert (without.status, without.json()["code"]) == (403, "csrf"), target
        wrong = browser.ask(method, target, {"X-CSRF-Token": "0" * 64}, body)
        assert (wrong.status, wrong.json()["code"]) == (403, "csrf"), target
    other = Browser(guarded)
    other.sign_in(ANNA)
    assert browser.ask("DELETE", job, other.csrf()).status == 403
    assert browser.ask("DELETE", job, browser.csrf()).status == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_sites_page_gets_nothing(guarded, site):
    browser = Browser(guarded)
    browser.sign_in(ANNA)
    proof = browser.csrf()
    for method, target, body in (("POST", "/exports/numbers/jobs", SEPTEMBER), ("GET", "/exports", None),
                                 ("DELETE", f"/jobs/{guarded.names['job']}", None)):
        answer = browser.ask(method, target, proof, body, mode="no-cors", site=site)
        assert (answer.status, answer.json()["code"]) == (403, "cross_site")
    assert browser.submit("/sign-in", {"token": BEN}, site=site).status == 403
    # Following a link from elsewhere is all right.
    assert browser.open(f"/jobs/{guarded.names['job']}/file", site=site).status == 200


def test_a_browser_without_fetch_metadata_is_judged_by_origin(guarded):
    for origin, status in (("http://evil.example", 403), ("null", 403), ("http://exports.test", 202)):
        answer = ask(guarded, "POST", "/exports/numbers/jobs", {**RIGHT, "Origin": origin}, SEPTEMBER)
        assert answer.status == status, origin


def test_no_service_without_tokens_changes_anything_for_another_site(service, jobs):
    """auth.mode none, on loopback: a page elsewhere could ask the browser to send it."""
    own = service(exports={"numbers": series(10, "n")}, **jobs.settings)
    page = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    assert ask(own, "POST", "/exports/numbers/jobs", page, SEPTEMBER).status == 403
    assert ask(own, "POST", "/exports/numbers/jobs", {}, SEPTEMBER).status == 202


def test_a_sign_in_ends_when_idle_and_a_used_one_goes_on(service, tmp_path):
    own = service(**tokens(tmp_path, EXPORTD_AUTH_SESSION_IDLE="3s", EXPORTD_LIMITS_REQUESTS_PER_MINUTE="0"))
    used, idle = Browser(own), Browser(own)
    used.sign_in(ANNA)
    idle.sign_in(ANNA)
    end = time.monotonic() + 4
    while time.monotonic() < end:
        assert used.ask("GET", "/exports").status == 200
    assert idle.ask("GET", "/exports").status == 401


def test_a_sign_in_ends_by_age_however_much_it_is_used(service, tmp_path):
    own = service(**tokens(tmp_path, EXPORTD_AUTH_SESSION_LIFETIME="3s", EXPORTD_AUTH_SESSION_IDLE="3s",
                           EXPORTD_LIMITS_REQUESTS_PER_MINUTE="0"))
    browser = Browser(own)
    browser.sign_in(ANNA)
    begun, last = time.monotonic(), None
    while time.monotonic() < begun + 4:
        last = browser.ask("GET", "/exports").status
        if last != 200:
            break
        time.sleep(0.05)
    assert last == 401 and time.monotonic() - begun > 1.5


def test_behind_tls_cookies_and_browsers_are_bound_to_it(service, tmp_path):
    own = service(**tokens(tmp_path, EXPORTD_SERVER_PUBLIC_URL="https://exports.example"))
    answer = Browser(own).sign_in(ANNA)
    assert answer["Set-Cookie"].startswith("__Host-exportd=")
    assert answer["Set-Cookie"].endswith("; Path=/; HttpOnly; SameSite=Lax; Secure")
    for target in ("/sign-in", "/exports", "/healthz"):
        assert own.get(target)["Strict-Transport-Security"] == "max-age=31536000"


def test_replicas_with_one_key_know_each_others_sign_ins(service, tmp_path):
    key = {"EXPORTD_AUTH_SESSION_KEY": "k" * 32}
    first, second = (service(**tokens(tmp_path, **key)) for _ in range(2))
    stranger = service(**tokens(tmp_path))
    browser = Browser(first)
    browser.sign_in(ANNA)
    for own, status in ((second, 200), (stranger, 401)):
        browser.service = own
        assert browser.ask("GET", "/exports").status == status


# Proxies

GROUPS = """
[[groups]]
name = "finance"
exports = ["numbers"]
raw = true
[[groups]]
name = "*"
exports = ["showcase"]
"""


def behind_proxy(service, tmp_path, **more):
    file = tmp_path / "access.toml"
    file.write_text(GROUPS, encoding="utf-8")
    return service(exports={"numbers": series(10, "n")}, EXPORTD_AUTH_MODE="proxy", EXPORTD_AUTH_FILE=str(file),
                   EXPORTD_SERVER_TRUSTED_PROXIES="127.0.0.9/32", **more)


def test_a_proxy_is_believed_and_nobody_else(service, tmp_path):
    own = behind_proxy(service, tmp_path)
    anna = {"X-Forwarded-User": "anna", "X-Forwarded-Groups": "staff,finance", "X-Forwarded-Email": "anna@example.org"}

    def names(fields, source):
        answer = ask(own, "GET", "/exports", fields, source=source)
        return answer.status, [e["name"] for e in answer.json().get("exports", [])]
    assert names(anna, "127.0.0.9") == (200, ["numbers", "showcase"])
    assert names({"X-Forwarded-User": "ben"}, "127.0.0.9") == (200, ["showcase"])
    assert names(anna, "127.0.0.1") == (401, [])
    assert names({}, "127.0.0.9") == (401, [])
    session = ask(own, "GET", "/session", anna, source="127.0.0.9").json()
    assert (session["name"], session["mail"]) == ("anna", "anna@example.org")


def test_a_client_cannot_add_to_what_the_proxy_says(service, tmp_path):
    own = behind_proxy(service, tmp_path)
    from support.wire import Connection
    with Connection(own.port, source="127.0.0.9") as connection:
        connection.send("GET /exports HTTP/1.1\r\nHost: a\r\nX-Forwarded-User: ben\r\n"
                        "X-Forwarded-Groups: staff\r\nx-forwarded-groups: finance\r\n\r\n")
        assert connection.response("GET").status == 401


def test_the_client_is_who_the_trusted_proxy_says(service, jobs, tmp_path, database):
    own = behind_proxy(service, tmp_path, EXPORTD_AUDIT_SINKS="table", **jobs.settings)
    from support.access import audit_once
    anna = {"X-Forwarded-User": "anna", "X-Forwarded-Groups": "finance"}
    for told, client in (("203.0.113.7", "203.0.113.7"), ("10.9.9.9, 203.0.113.7", "203.0.113.7"),
                         ("203.0.113.7, 127.0.0.9", "203.0.113.7"), ("unknown", "127.0.0.9")):
        answer = ask(own, "GET", f"/exports/numbers.csv?{RANGE}", {**anna, "X-Forwarded-For": told,
                                                                   "X-Request-Id": "as-told"}, source="127.0.0.9")
        assert answer.status == 200
        ended = audit_once(database, "phase = 'end' AND request_id = 'as-told'")[0]
        assert (ended["client"], ended["who"]) == (client, "user:anna")
        database.execute("ALTER TABLE exportd.audit DISABLE TRIGGER audit_only_grows; DELETE FROM exportd.audit; "
                         "ALTER TABLE exportd.audit ENABLE TRIGGER audit_only_grows")


def test_a_job_remembers_the_groups_its_owner_had(service, jobs, tmp_path):
    own = behind_proxy(service, tmp_path, **jobs.settings)
    anna = {"X-Forwarded-User": "anna", "X-Forwarded-Groups": "staff, finance"}
    job_id = ask(own, "POST", "/exports/numbers/jobs", anna, SEPTEMBER, source="127.0.0.9").json()["id"]

    def look(user):
        return ask(own, "GET", f"/jobs/{job_id}", user, source="127.0.0.9")
    poll_until(lambda: look(anna).json()["state"] == "complete", 20, "the job")
    assert look({"X-Forwarded-User": "ben", "X-Forwarded-Groups": "finance"}).status == 404
    left = {"X-Forwarded-User": "anna", "X-Forwarded-Groups": "staff"}
    assert ask(own, "GET", f"/jobs/{job_id}/file", left, source="127.0.0.9").status == 403


# Limits


def test_requests_of_one_caller_are_limited_and_told(service, tmp_path):
    own = service(**tokens(tmp_path, EXPORTD_LIMITS_REQUESTS_PER_MINUTE="5"))
    poll_until(lambda: time.time() % 60 < 50, 15, "a minute with time left")
    answers = [ask(own, "GET", "/exports", RIGHT) for _ in range(6)]
    assert [a.status for a in answers] == [200] * 5 + [429]
    assert answers[0]["RateLimit-Policy"] == '"requests";q=5;w=60'
    assert answers[0]["RateLimit"].startswith('"requests";r=4;t=')
    assert answers[5].json()["code"] == "too_many_requests"
    assert 1 <= int(answers[5]["Retry-After"]) <= 60
    assert ask(own, "GET", "/exports", OTHER).status == 200
    assert own.get("/healthz").status == 200


def test_rows_of_one_caller_are_limited_by_the_day(service, tmp_path):
    own = service(exports={"numbers": series(10, "n")},
                  **tokens(tmp_path, EXPORTD_LIMITS_ROWS_PER_DAY="15"))
    target = f"/exports/numbers.csv?{RANGE}"
    assert as_anna(own, "GET", target).status == 200
    assert as_anna(own, "GET", target).status == 200
    third = as_anna(own, "GET", target)
    assert (third.status, third.json()["code"]) == (429, "row_quota")
    assert 0 < int(third["Retry-After"]) <= 86_400
    job = as_anna(own, "POST", "/exports/numbers/jobs", SEPTEMBER)
    assert (job.status, job.json()["code"]) == (429, "row_quota")
    assert ask(own, "GET", "/exports/showcase.csv?from=2025-09-01&to=2025-09-02", OTHER).status == 200


# Secrets


def test_no_secret_and_no_cookie_is_in_the_log(service, tmp_path):
    key = "a-key-that-nobody-may-see-0123456789"
    own = service(exports={"numbers": series(10, "n")},
                  **tokens(tmp_path, EXPORTD_LOG_LEVEL="debug", EXPORTD_AUTH_SESSION_KEY=key))
    browser = Browser(own)
    browser.sign_in(ANNA)
    browser.sign_in("xpd_wrong-secret")
    browser.ask("GET", f"/exports/numbers.csv?{RANGE}")
    ask(own, "GET", "/exports", basic(BEN, "ben-as-user"))
    ask(own, "GET", "/exports", bearer("xpd_wrong-secret"))
    own.stop()
    for secret in (ANNA, BEN, "wrong-secret", "ben-as-user", key, *browser.cookies.values()):
        assert secret not in own.log_text and secret not in own.error_text


@pytest.mark.parametrize("settings, says", [
    ({"EXPORTD_AUTH_MODE": "tokens"}, "auth.file: expected the access file"),
    ({"EXPORTD_AUTH_MODE": "proxy", "EXPORTD_AUTH_FILE": "/x"}, "server.trusted_proxies: expected"),
    ({"EXPORTD_AUTH_SESSION_KEY": "short"}, "auth.session_key: expected 32 characters"),
    ({"EXPORTD_SERVER_TRUSTED_PROXIES": "10.0.0.1/8"}, "server.trusted_proxies: expected networks"),
    ({"EXPORTD_AUDIT_SINKS": "file"}, "audit.sinks: expected"),
    ({"EXPORTD_AUTH_MODE": "jwt", "EXPORTD_AUTH_FILE": "/x"}, "jwt.issuer: expected"),
    ({"EXPORTD_SERVER_LISTEN": "0.0.0.0:0"}, "without authentication"),
])
def test_unsafe_settings_are_refused(config, database, settings, says):
    done = config.run("check", database.url, settings)
    assert done.returncode == 1
    assert says in done.stderr


# The command


def test_a_new_token_comes_in_by_the_entry_that_is_printed_with_it(service, tmp_path):
    from support.access import make_token
    made = make_token("nightly", "--exports", "showcase", "--max-range", "31d", "--expires", "90d")
    assert made.returncode == 0
    token = made.stdout.strip()
    assert token.startswith("xpd_") and len(token) == 47 and token not in made.stderr
    own = service(**tokens(tmp_path, made.stderr))
    listed = ask(own, "GET", "/exports", bearer(token)).json()["exports"]
    assert [(e["name"], e["raw"], e["max_range_days"]) for e in listed] == [("showcase", False, 31)]
    assert make_token("a b").returncode == 2


def test_check_warns_of_what_is_weak_and_names_no_secret(config, database, tmp_path):
    secret = "k" * 40
    done = config.run("check", database.url, tokens(
        tmp_path, token_entry("nightly", ANNA, ["*"]), EXPORTD_SERVER_LISTEN="0.0.0.0:18080",
        EXPORTD_JOBS_URL="postgresql://user:hunter2@db.example/x"))
    assert done.returncode == 0, done.stderr
    for weak in ("the token nightly does not expire", "auth.session_key: not set", "server.public_url: not https://",
                 "audit.required: false", "audit.sinks: without table", "jobs.url: without sslmode=verify-full"):
        assert weak in done.stderr, weak
    assert "hunter2" not in done.stderr
    calm = config.run("check", database.url, tokens(
        tmp_path, token_entry("nightly", ANNA, ["*"], expires="2030-01-01T00:00:00Z"), EXPORTD_AUTH_SESSION_KEY=secret,
        EXPORTD_AUDIT_REQUIRED="true", EXPORTD_AUDIT_SINKS="log,table"))
    assert "warning" not in calm.stderr and secret not in calm.stderr
