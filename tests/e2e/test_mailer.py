"""The mailer, against real mail servers. Each test sends one letter and looks at what came of it."""

import email.utils

import pytest

from support.poll import poll_until
from support.ports import free_port
from support.smtp import SILENCE
from support.unit_tests import run_unit_tests

LOGIN = ("exports", "correct horse:battery")


def send(url, expected, reply, cause="", **more):
    run_unit_tests("smtp", {"EXPORTD_TEST_SMTP_URL": url, "EXPORTD_TEST_SMTP_EXPECTED": expected,
                            "EXPORTD_TEST_SMTP_REPLY": str(reply), "EXPORTD_TEST_SMTP_CAUSE": cause,
                            **{f"EXPORTD_TEST_SMTP_{key.upper()}": str(value) for key, value in more.items()}})


def signed_in(authority, login=LOGIN):
    return {"tls": "required", "ca_file": authority.ca_file, "username": login[0], "password": login[1]}


def check_letter(letter):
    assert letter["From"] == "Order exports <exports@example.com>"
    assert letter["To"] == "ada@example.com"
    assert letter["Subject"] == "Your export is ready: Zürich € 1,000"
    assert letter["Message-ID"] == "<job-1@example.com>"
    assert letter["Auto-Submitted"] == "auto-generated"
    assert email.utils.parsedate_to_datetime(letter["Date"]).utcoffset().total_seconds() == 0
    assert letter.get_content_type() == "multipart/alternative"
    plain, html = letter.iter_parts()
    assert (plain.get_content_type(), html.get_content_type()) == ("text/plain", "text/html")
    text = plain.get_content().replace("\r\n", "\n")
    assert text == "Grüß Gott\n.\n..two dots\nFrom here on\n" + "x" * 2000 + "\n"
    assert html.get_content().strip() == "<p>株</p>"
    assert not letter.defects and not plain.defects and not html.defects


def test_a_letter_arrives_as_it_was_written(smtp_server):
    server = smtp_server()
    send(server.url, "sent", 250)
    [letter] = server.letters
    check_letter(letter)
    assert letter.sender == "exports@example.com"
    assert letter.recipients == ["ada@example.com"]
    assert letter.raw.isascii()


@pytest.mark.parametrize("command", ["MAIL", "RCPT", "DATA"])
@pytest.mark.parametrize("reply, expected", [("451 later", "temporary"), ("421 overloaded", "temporary"),
                                             ("550 nobody here", "refused"), ("552 too large", "refused"),
                                             ("530 sign in first", "temporary")])
def test_the_reply_decides_whether_another_try_is_worth_it(smtp_server, command, reply, expected):
    server = smtp_server()
    server.replies[command] = reply
    code = int(reply[:3])
    send(server.url, expected, code, f"the server answered {code}")
    assert server.letters == []


@pytest.mark.parametrize("command, last", [("MAIL", 250), ("RCPT", 250), ("DATA", 354)])
def test_silence_ends_with_the_timeout(smtp_server, command, last):
    server = smtp_server()
    server.replies[command] = SILENCE
    send(server.url, "temporary", last, "silence")


def test_a_server_that_does_not_greet(greeting):
    server = greeting()
    send(server.url, "temporary", 0, "silence")
    run_unit_tests("smtp-silence", {"EXPORTD_TEST_SMTP_URL": server.url})


@pytest.mark.parametrize("line", ["554 go away", "421 too many connections"])
def test_a_server_that_greets_with_a_refusal(greeting, line):
    code = int(line[:3])
    send(greeting(line).url, "temporary", code, f"the server answered {code}")


def test_nobody_listens():
    send(f"smtp://127.0.0.1:{free_port()}", "temporary", 0, "no connection")


def test_a_name_that_is_not_known():
    send("smtp://mail.invalid", "temporary", 0, "the server's name is not known")


def test_sign_in_over_tls(smtp_server, authority):
    server = smtp_server(authority=authority, login=LOGIN)
    send(server.url, "sent", 250, **signed_in(authority))
    [letter] = server.letters
    check_letter(letter)
    assert letter.over_tls


def test_a_wrong_password_is_for_people_to_mend(smtp_server, authority):
    server = smtp_server(authority=authority, login=LOGIN)
    send(server.url, "temporary", 535, "sign-in refused", **signed_in(authority, ("exports", "wrong")))


def test_no_letter_goes_in_the_clear_where_tls_is_required(smtp_server):
    server = smtp_server()
    send(server.url, "temporary", 250, "the server offers no TLS", tls="required")
    assert server.letters == []


def test_where_it_is_not_required_tls_is_used_if_it_is_offered(smtp_server, authority):
    plain, secure = smtp_server(), smtp_server(authority=authority)
    send(plain.url, "sent", 250, tls="if_offered")
    send(secure.url, "sent", 250, tls="if_offered", ca_file=authority.ca_file)
    assert [each.over_tls for each in plain.letters + secure.letters] == [False, True]


def test_a_certificate_that_nobody_vouches_for_is_refused(smtp_server, authority):
    server = smtp_server(authority=authority)
    send(server.url, "temporary", 220, "the server's certificate is not trusted", tls="required")
    send(server.url.replace("localhost", "127.0.0.1"), "temporary", 220,
         "the server's certificate is not trusted", tls="required", ca_file=authority.ca_file)
    assert server.letters == []


def test_postfix_takes_a_letter_and_delivers_it(postfix, authority):
    send(postfix.url, "sent", 250, tls="required", ca_file=authority.ca_file)
    [letter] = poll_until(postfix.letters, 20, "the delivery")
    check_letter(letter)


@pytest.mark.parametrize("to, expected, code", [("nobody@example.com", "refused", 554),
                                                ("later@example.com", "temporary", 450),
                                                ("ada@elsewhere.example", "refused", 554)])
def test_postfix_refuses(postfix, authority, to, expected, code):
    send(postfix.url, expected, code, f"the server answered {code}", tls="required",
         ca_file=authority.ca_file, to=to)
