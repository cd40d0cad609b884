"""The experiment of workers.sh: one export on the loop, with idle workers and with busy ones."""

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import database
import servers

OUTPUT = os.path.join(servers.ROOT, "build", "bench")
ORDERS, EXPORTED, ROUNDS = 1_000_000, 200_000, 9
YEAR = {"from": "2025-01-01", "to": "2026-01-01"}


class Busy(servers.Exportd):
    """The service with two worker threads, and a directory for the files of background exports."""

    def __init__(self, database_url, log_path, files):
        super().__init__(database_url, log_path)
        self.files = files

    def environment(self):
        return {**super().environment(), "EXPORTD_WORKERS_THREADS": "2", "EXPORTD_JOBS_DIRECTORY": self.files,
                "EXPORTD_JOBS_KEEP_FREE": "0B", "EXPORTD_JOBS_POLL": "100ms"}

    def migrate(self):
        subprocess.run([self.binary, "migrate", "-c", os.path.join(servers.ROOT, "config", "exportd.toml")],
                       env={**os.environ, **self.environment()}, check=True, stdout=subprocess.DEVNULL)

    def post(self, path, body):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", json.dumps(body).encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.read()


class Load:
    """Keeps both workers busy until it is ended: one job after the other, one report after the other."""

    def __init__(self, server):
        self._server, self._stop = server, threading.Event()
        self.jobs, self.reports = 0, 0
        self._threads = [threading.Thread(target=each) for each in (self._run_jobs, self._run_reports)]
        for thread in self._threads:
            thread.start()

    def _run_jobs(self):
        while not self._stop.is_set():
            job = json.loads(self._server.post("/exports/orders/jobs", YEAR))
            while json.loads(self._server.get(f"/jobs/{job['id']}"))["state"] in ("queued", "running"):
                time.sleep(0.1)
            self.jobs += 1
            request = urllib.request.Request(f"http://127.0.0.1:{self._server.port}/jobs/{job['id']}", method="DELETE")
            urllib.request.urlopen(request, timeout=30).close()

    def _run_reports(self):
        while not self._stop.is_set():
            self._server.post("/exports/quarterly-report", YEAR)
            self.reports += 1

    def end(self):
        self._stop.set()
        for thread in self._threads:
            thread.join()


def export_once(server, rows):
    """Seconds, and the loop's delay while it ran."""
    began = time.monotonic()
    heads = subprocess.run(["curl", "-sS", "-f", "-D", "-", "-o", os.devnull, server.url(rows)], check=True,
                           capture_output=True, text=True).stdout
    took = time.monotonic() - began
    export_id = next(line.split(": ")[1].strip() for line in heads.splitlines() if line.lower().startswith("export-id"))
    return took, server.delay([export_id])


def measure(server, rows):
    taken = [export_once(server, rows) for _ in range(ROUNDS)]
    return {"seconds": statistics.median(t for t, _ in taken),
            **{key: statistics.median(d[key] for _, d in taken) for key in ("p50", "p99", "max")},
            "worst": max(d["p99"] for _, d in taken)}


def row(name, m):
    return f"| {name} | {m['seconds']:.2f} | {m['p50']:.2f} | {m['p99']:.2f} | {m['worst']:.2f} | {m['max']:.2f} |"


def main():
    parser = argparse.ArgumentParser(prog="tests/bench/workers.sh")
    parser.add_argument("--database-url", help="a database, instead of a private server")
    options = parser.parse_args()
    os.makedirs(OUTPUT, exist_ok=True)
    with contextlib.ExitStack() as stack:
        url = options.database_url or stack.enter_context(database.PrivateCluster()).url
        orders = database.Orders(url, ORDERS)
        orders.create()
        files = stack.enter_context(tempfile.TemporaryDirectory(prefix="exportd-bench-"))
        server = Busy(url, os.path.join(OUTPUT, "workers.log"), files)
        server.migrate()
        stack.enter_context(server)
        rows = orders.first(EXPORTED)
        export_once(server, rows)
        idle = measure(server, rows)
        load = Load(server)
        time.sleep(2)
        busy = measure(server, rows)
        load.end()
    text = "\n".join([
        f"An export of {EXPORTED:,} orders, medians of {ROUNDS}; the loop's delay meanwhile, ms:", "",
        "| the two workers | export, s | p50 | p99 | p99, worst round | max |",
        "|---|---|---|---|---|---|",
        row("idle", idle),
        row(f"busy: a background export of {ORDERS:,} orders, and reports on as many", busy), "",
        f"Meanwhile {load.jobs} background exports and {load.reports} reports were made.", ""])
    with open(os.path.join(OUTPUT, "workers.md"), "w", encoding="utf-8") as out:
        out.write(text)
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
