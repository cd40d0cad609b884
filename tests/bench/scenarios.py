"""What is asked of the service beyond one export: many at once, slow readers, idle connections."""

import statistics
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


def first_byte(server, cursor, rows):
    """Median ms from the request to the first body byte, and from the query to its first row, taken in turns."""
    served, first_rows = [], len(cursor.first_row_ms)
    for _ in range(FIRST_BYTE_RUNS):
        served.append(clients.download(server.url(rows))[1][0].first_byte_s * 1e3)
        cursor.run()
    return {"first_byte_ms": statistics.median(served),
            "first_row_ms": statistics.median(cursor.first_row_ms[first_rows:])}


def ten_million(server, rows):
    """One export of ten million rows: what matters is that the memory does not grow with them."""
    sample = ServedByCurl(server, rows).run()
    return {"rows": rows.rows, "wall_s": sample.wall_s, "cpu_s": sample.cpu_s, "peak_mib": sample.peak_kib / 1024,
            "delay_ms": sample.delay}
