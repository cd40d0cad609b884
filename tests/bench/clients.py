"""What reads the services: curl, a /healthz poll, slow readers, idle connections."""

import asyncio
import math
import multiprocessing
import os
import socket
import time

import process

POLL_INTERVAL_S = 0.020
HEALTHZ = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
CURL = ["curl", "-sS", "--fail", "--max-time", "600", "-w",
        "%{http_code} %{size_download} %{time_starttransfer} %header{export-id}\\n"]


class Download:
    """One transfer as curl tells of it; `first_byte_s` counts from curl's start of the request."""

    def __init__(self, line):
        status, size, first_byte, *export_id = line.split()
        self.status, self.bytes, self.first_byte_s = int(status), int(size), float(first_byte)
        self.export_id = export_id[0] if export_id else None


def download(url, path=os.devnull):
    finished = process.run([*CURL, "-o", path, url])
    return finished, [Download(finished.output)]


def download_many(url, count):
    """`count` transfers at once by one curl; it fails if any of them fails."""
    command = [*CURL, "--no-progress-meter", "--parallel", "--parallel-immediate", "--parallel-max", str(count)]
    for _ in range(count):
        command += ["-o", os.devnull, url]
    finished = process.run(command)
    return finished, [Download(line) for line in finished.output.splitlines()]


def _ask(connection):
    """Milliseconds until /healthz answered 200; infinite if it answered anything else."""
    asked = time.monotonic()
    connection.sendall(HEALTHZ)
    healthy = connection.recv(4096).startswith(b"HTTP/1.1 200")
    return (time.monotonic() - asked) * 1e3 if healthy else math.inf


def _poll(port, stop, answer):
    """Asks every 20 ms on one kept connection; a late answer delays the next question."""
    times = []
    try:
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            due = time.monotonic()
            while not stop.is_set():
                times.append(_ask(connection))
                due = max(due + POLL_INTERVAL_S, time.monotonic())
                time.sleep(max(0, due - time.monotonic()))
    except OSError:
        times.append(math.inf)
    answer.send(times)


class HealthPoll:
    """Polls /healthz from a process of its own while the block runs; then `worst_ms`, `median_ms`."""

    def __init__(self, port):
        self.stop = multiprocessing.Event()
        self.result, answer = multiprocessing.Pipe(duplex=False)
        self.child = multiprocessing.Process(target=_poll, args=(port, self.stop, answer))

    def __enter__(self):
        self.child.start()
        time.sleep(0.1)
        return self

    def __exit__(self, *_):
        self.stop.set()
        times = sorted(self.result.recv())
        self.child.join()
        self.worst_ms, self.median_ms, self.count = times[-1], times[len(times) // 2], len(times)


async def _read_slowly(connection, port, path, bytes_per_second, states, index):
    """Reads until it is cancelled; the state is the status code, and 0 before it and after a cut."""
    loop = asyncio.get_running_loop()
    await loop.sock_connect(connection, ("127.0.0.1", port))
    await loop.sock_sendall(connection, f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    some = await loop.sock_recv(connection, bytes_per_second)
    states[index] = int(some.split()[1]) if some else 0
    while some:
        await asyncio.sleep(1)
        some = await loop.sock_recv(connection, bytes_per_second)
    states[index] = 0


def _small_window():
    """A socket that makes the sender feel every second of it."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.setblocking(False)
    return connection


async def _read_slowly_all(port, path, readers, seconds, bytes_per_second, states):
    connections = [_small_window() for _ in range(readers)]
    tasks = [asyncio.create_task(_read_slowly(connection, port, path, bytes_per_second, states, index))
             for index, connection in enumerate(connections)]
    await asyncio.wait(tasks, timeout=seconds)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for connection in connections:
        connection.close()


def read_slowly(port, path, readers, seconds, bytes_per_second=1024):
    """`readers` at once, each taking `bytes_per_second` for `seconds`. Returns their status codes;
    0 for one that was never answered, or was cut."""
    states = [0] * readers
    asyncio.run(_read_slowly_all(port, path, readers, seconds, bytes_per_second, states))
    return states


class IdleConnections:
    """Kept connections that asked /healthz once and are then silent."""

    def __init__(self, port, count):
        self.port, self.count = port, count

    def __enter__(self):
        self.open = []
        for _ in range(self.count):
            connection = socket.create_connection(("127.0.0.1", self.port))
            connection.sendall(HEALTHZ)
            connection.recv(4096)
            self.open.append(connection)
        return self

    def __exit__(self, *_):
        for connection in self.open:
            connection.close()
