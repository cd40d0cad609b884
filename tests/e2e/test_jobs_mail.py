"""Letters about background exports, through real SMTP servers; their state apart from the export's."""

import re
from urllib.parse import urlsplit

import pytest

from support.exports import IN_RANGE, Export, series
from support.jobs import SEPTEMBER, job, job_once, post, start_job
from support.metrics import Metrics
from support.poll import poll_until
from support.ports import free_port
from support.smtp import SILENCE, SmtpServer
from support.wire import Connection

ANN = "ann.other@example.com"
BROKEN = Export(f"SELECT 1 / 0 AS n WHERE {IN_RANGE}")


@pytest.fixture
def smtp(smtp_server):
    return smtp_server()


@pytest.fixture
def start(service, jobs):
    """A service that sends its letters to a server: start(smtp, ...)."""
    def started(server, **overrides):
        settings = {**jobs.settings, **server.settings(), "EXPORTD_SERVER_PUBLIC_URL": "http://exports.test",
                    "EXPORTD_MAIL_ALLOW_PLAIN": "true", **overrides}
        return service(exports={"tiny": series(10, "n"), "broken": BROKEN}, **settings)
    return started


def letter_once(server):
    return poll_until(lambda: server.letters, 15, "a letter")[0]


def link_in(letter):
    plain = letter.get_body(("plain",)).get_content()
    links = re.findall(r"https?://\S+", plain)
    assert len(links) == 1, plain
    return links[0]


def mail_state_once(service, job_id, state):
    poll_until(lambda: job(service, job_id)["mail"]["state"] == state, 15, f"mail {state}")


def test_a_letter_brings_a_link_that_works_however_often_it_is_fetched(start, smtp, jobs):
    """Case 45: a scanner looks with GET and HEAD before the person does."""
    own = start(smtp)
    job_id = start_job(own, "tiny", notify=ANN)
    letter = letter_once(smtp)
    assert letter.recipients == [ANN]
    assert letter["To"] == ANN and letter["Auto-Submitted"] == "auto-generated"
    assert letter.get_content_type() == "multipart/alternative"
    link = urlsplit(link_in(letter))
    assert (link.scheme, link.netloc, link.path) == ("http", "exports.test", f"/jobs/{job_id}/file")
    assert link_in(letter).replace("&", "&amp;") in letter.get_body(("html",)).get_content()
    target = f"{link.path}?{link.query}"
    expected = b"n\n" + b"".join(b"%d\n" % n for n in range(1, 11))
    for method in ("GET", "HEAD", "GET", "GET"):
        with Connection(own.port) as connection:
            connection.request(target, method=method)
            answer = connection.response(method)
            assert (answer.status, answer.body) == (200, expected if method == "GET" else b"")
    mail_state_once(own, job_id, "sent")
    token = link.query.partition("=")[2]
    assert len(token) == 43
    assert token not in own.log_text and ANN not in own.log_text
    stored = jobs.database.value("SELECT row_to_json(jobs)::text FROM exportd.jobs")
    assert token not in stored and ANN not in stored
    assert own.get(f"{link.path}?token={'A' * 43}").status == 404


def test_a_failed_export_is_told_without_a_link(start, smtp):
    own = start(smtp)
    job_id = start_job(own, "broken", notify=ANN)
    letter = letter_once(smtp)
    text = letter.get_body(("plain",)).get_content()
    assert "http" not in text and job_id in text
    assert "division" not in text
    mail_state_once(own, job_id, "sent")
    assert job(own, job_id)["state"] == "failed"


def test_a_server_that_is_away_delays_the_letter_and_not_the_file(start, jobs):
    """Case 49, with the ten minutes cut short: the state of the letter is looked at, then made due."""
    port = free_port()

    class Away:
        url = f"smtp://localhost:{port}"
        settings = SmtpServer.settings
    own = start(Away())
    job_id = start_job(own, "tiny", notify=ANN)
    assert job_once(own, job_id)["state"] == "complete"
    own.event("letter_finished", deadline=15, outcome="retry")
    assert job(own, job_id)["mail"]["state"] == "waiting"
    assert own.get(f"/jobs/{job_id}/file").status == 200
    assert Metrics(own)["exportd_letters_total", {"outcome": "retry"}] >= 1
    server = SmtpServer(port=port)
    try:
        jobs.database.execute("UPDATE exportd.jobs SET mail_due_at = now()")
        assert letter_once(server).recipients == [ANN]
        mail_state_once(own, job_id, "sent")
    finally:
        server.stop()


def test_pauses_between_tries_grow(start, smtp, jobs):
    smtp.replies["RCPT"] = "451 try again later"
    own = start(smtp)
    start_job(own, "tiny", notify=ANN)
    first = own.event("letter_finished", deadline=15, outcome="retry", attempt=1)
    jobs.database.execute("UPDATE exportd.jobs SET mail_due_at = now()")
    second = own.event("letter_finished", deadline=15, outcome="retry", attempt=2)
    assert (first["reply"], first["retry_ms"], second["retry_ms"]) == (451, 10_000, 20_000)


def test_a_refused_letter_has_failed_and_its_job_has_not(start, smtp, jobs):
    smtp.replies["RCPT"] = "550 no such person"
    own = start(smtp)
    job_id = start_job(own, "tiny", notify=ANN)
    mail_state_once(own, job_id, "failed")
    assert job_once(own, job_id)["state"] == "complete"
    assert own.get(f"/jobs/{job_id}/file").status == 200
    end = own.event("letter_finished", outcome="failed")
    assert end["reply"] == 550 and ANN not in own.log_text
    assert jobs.row(job_id)["notify"] is None


def test_a_silent_server_holds_up_no_job(start, smtp):
    smtp.replies["MAIL"] = SILENCE
    own = start(smtp, EXPORTD_MAIL_TIMEOUT="2s")
    start_job(own, "tiny", notify=ANN)
    second = start_job(own, "tiny")
    assert job_once(own, second, deadline=10)["state"] == "complete"
    own.event("letter_finished", deadline=15, outcome="retry")


@pytest.mark.parametrize("address, status, code", [
    ("ann@elsewhere.test", 422, "mail_not_available"), ("ann", 400, "invalid_parameter"),
    ("ann@example.com\r\nBcc: all@example.com", 400, "invalid_parameter")])
def test_letters_go_to_configured_domains_only(start, smtp, address, status, code):
    answer = post(start(smtp), "/exports/tiny/jobs", {**SEPTEMBER, "notify": address})
    assert (answer.status, answer.json()["code"]) == (status, code)
    assert address not in answer.text


def test_without_a_mail_server_nobody_is_promised_a_letter(service, jobs):
    own = service(exports={"tiny": series(10, "n")}, **jobs.settings)
    answer = post(own, "/exports/tiny/jobs", {**SEPTEMBER, "notify": ANN})
    assert (answer.status, answer.json()["code"]) == (422, "mail_not_available")
