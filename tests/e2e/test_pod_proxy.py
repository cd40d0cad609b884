"""deploy/kubernetes/nginx.conf, the proxy of the pod, in front of a service."""

import base64
import json
import os

import pytest

from support.database import order
from support.exports import RANGE, WIDE, fails_at, series, wide_body
from support.jobs import SEPTEMBER, job_once
from support.manifests import FOLDER
from support.nginx import Nginx
from support.poll import poll_until

ORDERS = "/exports/orders.csv?from=2025-09-01&to=2025-10-01"
USERS = {"finance": "correct horse", "support": "battery staple"}


def sign_in(name):
    return [("Authorization", "Basic " + base64.b64encode(f"{name}:{USERS[name]}".encode()).decode())]


@pytest.fixture
def proxy(tmp_path):
    """Starts the pod's proxy in front of a service, with other ports and paths only."""
    started = []

    def start(upstream):
        started.append(PodProxy(tmp_path / "proxy", upstream.port))
        return started[-1]

    yield start
    for each in started:
        each.stop()


class PodProxy(Nginx):
    def errors(self):
        """What it wrote into its error log, once it has ended."""
        self._errors = getattr(self, "_errors", "") + self._process.stderr.read().decode()
        return self._errors

    def write_config(self, config, directory, upstream, settings):
        users = directory / "htpasswd"
        users.write_text("".join(f"{name}:{{PLAIN}}{password}\n" for name, password in USERS.items()))
        users.chmod(0o644)
        directory.chmod(0o755)
        text = (FOLDER / "nginx.conf").read_text()
        for written, here in (("listen 8080;", f"listen 127.0.0.1:{self.port};"),
                              ("http://127.0.0.1:8081;", f"http://127.0.0.1:{upstream};"),
                              ("/etc/exportd-users/htpasswd", "htpasswd"), (" /tmp/", f" {directory}/")):
            assert written in text, written
            text = text.replace(written, here)
        user = "user root;\n" if os.geteuid() == 0 else ""
        config.write_text("daemon off;\n" + user + text)


def test_nobody_gets_in_without_a_password(service, proxy):
    own = proxy(service())
    assert own.get(ORDERS).status == 401
    wrong = [("Authorization", "Basic " + base64.b64encode(b"finance:wrong").decode())]
    assert own.get(ORDERS, fields=wrong).status == 401
    assert own.get("/healthz").status == 401


def test_a_whole_file_passes_whole_and_a_broken_one_broken(service, proxy, tmp_path):
    upstream = service(exports={"wide": series(50_000, WIDE), "dividing": fails_at(50_000, 200_000)})
    own = proxy(upstream)
    credentials = "finance:" + USERS["finance"]
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    run = upstream.curl("-u", credentials, "-o", str(whole), own.url(f"/exports/wide.csv?{RANGE}"))
    assert (run.returncode, whole.read_bytes() == wide_body(50_000)) == (0, True), run.stderr
    run = upstream.curl("-u", credentials, "-o", str(broken), own.url(f"/exports/dividing.csv?{RANGE}"))
    assert run.returncode in (18, 56), run
    assert wide_body(50_000 - 1).startswith(broken.read_bytes())


def test_the_service_sees_no_password(service, proxy, database):
    database.replace_orders([order()])
    upstream = service(EXPORTD_LOG_LEVEL="debug")
    assert proxy(upstream).get(ORDERS, fields=sign_in("finance")).status == 200
    assert "Authorization" not in upstream.log_text and USERS["finance"] not in upstream.log_text


def test_each_name_is_a_caller_of_its_own_whatever_it_says_of_itself(service, proxy, jobs):
    upstream = service(EXPORTD_AUTH_MODE="proxy", EXPORTD_AUTH_FILE=str(FOLDER / "access.toml"),
                       EXPORTD_SERVER_TRUSTED_PROXIES="127.0.0.1/32", **jobs.settings)
    own = proxy(upstream)
    accepted = asked_for(own, SEPTEMBER)
    assert accepted.status == 202, accepted
    job = f"/jobs/{accepted.json()['id']}"
    claimed = [("X-Forwarded-User", "finance"), ("X-Forwarded-Groups", "root"), ("X-Forwarded-For", "10.9.9.9")]
    assert own.get(job, fields=sign_in("finance")).status == 200
    assert own.get(job, fields=[*sign_in("support"), *claimed]).status == 404
    session = own.get("/session", fields=[*sign_in("support"), *claimed]).json()
    assert (session["name"], session["mail"]) == ("support", None)
    assert [e["name"] for e in own.get("/exports", fields=sign_in("support")).json()["exports"]] == ["orders"]


def test_each_name_has_eight_exports_at_once(service, proxy):
    upstream = service(exports={"wide": series(5_000_000, WIDE)}, EXPORTD_LIMITS_STREAM_ROW_LIMIT="0")
    own = proxy(upstream)
    target = f"/exports/wide.csv?{RANGE}"
    held = [own.connect(rcvbuf=65536) for _ in range(8)]
    try:
        for connection in held:
            connection.request(target, fields=sign_in("finance"))
            assert connection.head().status == 200
        assert own.get("/exports", fields=sign_in("finance")).status == 429
        assert own.get("/exports", fields=sign_in("support")).status == 200
    finally:
        for connection in held:
            connection.close()
    poll_until(lambda: own.get("/exports", fields=sign_in("finance")).status == 200, 10, "a free place")


def asked_for(proxy, body, name="finance"):
    data = json.dumps(body).encode()
    with proxy.connect() as connection:
        connection.request("/exports/orders/jobs", method="POST",
                           fields=[*sign_in(name), ("Content-Type", "application/json"),
                                   ("Content-Length", str(len(data)))])
        connection.send(data)
        return connection.response("POST")


def test_a_background_export_is_asked_for_fetched_resumed_and_deleted(service, proxy, database, jobs, tmp_path):
    database.fill_orders(5_000)
    upstream = service(**jobs.settings)
    own = proxy(upstream)
    accepted = asked_for(own, SEPTEMBER)
    assert accepted.status == 202, accepted
    job_id = accepted.json()["id"]
    assert job_once(upstream, job_id)["state"] == "complete"
    whole = own.get(f"/jobs/{job_id}/file", fields=sign_in("finance")).body
    assert whole.count(b"\n") == 5_001
    part = tmp_path / "part"
    part.write_bytes(whole[:1000])
    run = upstream.curl("-f", "-C", "-", "-u", "finance:" + USERS["finance"], "-o", str(part),
                        own.url(f"/jobs/{job_id}/file"))
    assert (run.returncode, part.read_bytes() == whole) == (0, True), run.stderr
    with own.connect() as connection:
        connection.request(f"/jobs/{job_id}", method="DELETE", fields=sign_in("finance"))
        assert connection.response("DELETE").status == 200


def test_bodies_pass_up_to_the_size_that_the_service_takes(service, proxy, database, jobs):
    own = proxy(service(**jobs.settings))
    room = 64 << 10
    fitting = {**SEPTEMBER, "more": "x" * (room - len(json.dumps({**SEPTEMBER, "more": ""})))}
    assert asked_for(own, fitting).status == 400      # the service's answer: no such member
    assert asked_for(own, {**fitting, "more": fitting["more"] + "x"}).status == 413


def test_nobody_follows_a_link_without_a_password_and_no_log_holds_it(service, proxy, tmp_path):
    upstream = service()
    own = proxy(upstream)
    token = "t" * 43
    link = f"/jobs/5e6a1c1c-0000-4000-8000-000000000000/file?token={token}"
    assert own.get(link).status == 401
    assert own.get(link, fields=sign_in("finance")).status in (404, 503)
    upstream.stop()
    assert own.get(link, fields=sign_in("finance")).status == 502
    assert own.get("/exports?seen=1", fields=sign_in("finance")).status == 502
    own.stop()
    assert "seen=1" in own.errors() and token not in own.errors()
