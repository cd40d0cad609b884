"""What is asked of the service beyond one export: many at once, slow readers, idle connections."""

import re
import statistics
import tempfile
import threading
import time

import clients
import process
from contenders import ServedByCurl

SLOW_READERS = 200
SLOW_SECONDS = 10
IDLE_CONNECTIONS = 200
FIRST_BYTE_RUNS = 25


def many_at_once(server, rows, count):
    """One run of `count` exports at once; the service is otherwise fresh."""
    contender = ServedByCurl(server, rows, count)
    resident = process.memory_kib(server.pid, "VmRSS")
    sample = contender.run()
    return {
        "exports": count,
        "rows_each": rows.rows,
        "rows_per_s": sample.rows / sample.wall_s,
        "cpu_s_per_million": sample.cpu_s * 1e6 / sample.rows,
        "peak_mib": sample.peak_kib / 1024,
        "mib_per_export": (sample.peak_kib - resident) / 1024 / count,
        "delay_ms": sample.delay,
        "healthz_worst_ms": sample.healthz_ms,
    }


def slow_readers(server, rows):
    """200 readers at 1 KiB/s, and meanwhile one ordinary download and the probes."""
    resident = process.memory_kib(server.pid, "VmRSS")
    process.reset_peak(server.pid)
    path = server.url(rows).split(str(server.port), 1)[1]
    states = []
    readers = threading.Thread(
        target=lambda: states.extend(clients.read_slowly(server.port, path, SLOW_READERS, SLOW_SECONDS)))
    readers.start()
    time.sleep(SLOW_SECONDS / 2)
    peak_kib = process.memory_kib(server.pid, "VmHWM")
    with clients.HealthPoll(server.port) as poll:
        ordinary, _ = clients.download(server.url(rows))
    readers.join()
    return {
        "readers": SLOW_READERS,
        "refused_or_cut": sum(state != 200 for state in states),
        "peak_mib": peak_kib / 1024,
        "mib_per_reader": (peak_kib - resident) / 1024 / SLOW_READERS,
        "ordinary_export_s": ordinary.wall_s,
        "ordinary_rows": rows.rows,
        "healthz_worst_ms": poll.worst_ms,
    }


def idle_connections(server):
    resident = process.memory_kib(server.pid, "VmRSS")
    with clients.IdleConnections(server.port, IDLE_CONNECTIONS):
        grown = process.memory_kib(server.pid, "VmRSS") - resident
    return {"connections": IDLE_CONNECTIONS, "grown_mib": grown / 1024}


def _first_row_ms(database_url, rows):
    """Median ms of BEGIN, DECLARE and FETCH 1 on a connection that is already open, by psql's own clock."""
    steps = ["BEGIN READ ONLY", "SET LOCAL cursor_tuple_fraction = 1",
             f"DECLARE c NO SCROLL CURSOR FOR {rows.sql()}", "FETCH 1 FROM c"]
    once = "\\timing on\n" + "".join(step + ";\n" for step in steps) + "\\timing off\nROLLBACK;\n"
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as script:
        script.write(once * FIRST_BYTE_RUNS)
        script.flush()
        told = process.run(["psql", "-X", "-q", "-At", "-d", database_url, "-f", script.name]).output
    times = [float(time_ms) for time_ms in re.findall(r"^Time: ([0-9.]+) ms", told, re.MULTILINE)]
    return statistics.median(sum(times[at:at + len(steps)]) for at in range(0, len(times), len(steps)))


def first_byte(server, rows):
    """Median ms from curl's start to the answer's first byte, and from the query to its first row."""
    served = [clients.download(server.url(rows))[1][0].first_byte_s * 1e3 for _ in range(FIRST_BYTE_RUNS)]
    return {"first_byte_ms": statistics.median(served), "first_row_ms": _first_row_ms(server.database_url, rows)}


def ten_million(server, rows):
    """One export of ten million rows: what matters is that the memory does not grow with them."""
    sample = ServedByCurl(server, rows).run()
    return {"rows": rows.rows, "wall_s": sample.wall_s, "cpu_s": sample.cpu_s, "peak_mib": sample.peak_kib / 1024,
            "delay_ms": sample.delay}
