"""`exportd probe`, which containers ask about the service inside of them."""

import socket
import threading
import time

import pytest

from support.ports import free_port


def probe(config, url, port, *arguments, listen="127.0.0.1"):
    return config.run(["probe", *arguments], url, {"EXPORTD_OPS_LISTEN": f"{listen}:{port}"})


def test_a_running_service_is_alive_and_ready(service, database):
    running = service()
    assert probe(running.config, database.url, running.ops_port).returncode == 0
    assert probe(running.config, database.url, running.ops_port, "--ready").returncode == 0


@pytest.mark.parametrize("listen", ["0.0.0.0", "[::]"])
def test_an_address_for_all_is_asked_on_loopback(service, database, listen):
    port = free_port()
    running = service(EXPORTD_OPS_LISTEN=f"{listen}:{port}")
    told = probe(running.config, database.url, port, listen=listen)
    assert (told.returncode, told.stderr) == (0, "")


def test_nobody_there_is_a_failure_with_its_reason(config, database):
    port = free_port()
    told = probe(config, database.url, port)
    assert told.returncode == 1
    assert told.stderr == f"exportd: /healthz on port {port}: Connection refused\n"


def test_a_draining_service_is_alive_but_not_ready(service, database):
    running = service(EXPORTD_SERVER_SHUTDOWN_DELAY="10s")
    running.terminate()
    running.event("signal")
    told = probe(running.config, database.url, running.ops_port, "--ready")
    assert told.returncode == 1
    assert "503" in told.stderr and "draining" in told.stderr
    assert probe(running.config, database.url, running.ops_port).returncode == 0
    running.terminate()


@pytest.mark.parametrize("answer, told_text", [
    (b"", "an empty answer"),
    (b"HTTP/1.1 404 Not Found\r\n\r\n", "404 Not Found"),
    (b"220 mail.example.com\r\n", "220 mail.example.com"),
])
def test_another_answer_is_a_failure(config, database, answer, told_text):
    with socket.create_server(("127.0.0.1", 0)) as other:
        answering = _answer_once(other, answer)
        told = probe(config, database.url, other.getsockname()[1])
        answering.join(5)
    assert told.returncode == 1
    assert told_text in told.stderr


def test_silence_is_a_failure_after_two_seconds(config, database):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        start = time.monotonic()
        told = probe(config, database.url, silent.getsockname()[1])
        took = time.monotonic() - start
    assert told.returncode == 1
    assert "no answer within two seconds" in told.stderr
    assert 1.9 < took < 4


def _answer_once(listener, answer):
    def serve():
        connection, _ = listener.accept()
        with connection:
            connection.recv(4096)
            connection.sendall(answer)
    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    return thread
