"""The experiment of blocking.sh: the same work on the loop and on the pool, and who notices."""

import argparse
import contextlib
import http.client
import json
import os
import statistics
import sys
import threading
import time
import urllib.error
import urllib.request

import database
import servers

OUTPUT = os.path.join(servers.ROOT, "build", "bench")
WORK_MS, TIMES = 500, 4
STALL_MS = 3_000
POLL_S = 0.01


class Watched(servers.Exportd):
    """The service with its debug routes, and with thresholds low enough to show in half a minute."""

    def __init__(self, database_url, log_path):
        super().__init__(database_url, log_path)
        self.ops_port = database.free_port()

    def environment(self):
        return {**super().environment(), "EXPORTD_OPS_LISTEN": f"127.0.0.1:{self.ops_port}",
                "EXPORTD_DATABASE_POOL_SIZE": "4", "EXPORTD_DEBUG_ROUTES": "true",
                "EXPORTD_READINESS_SUSTAIN": "1s", "EXPORTD_LOOP_LOG_EVERY": "2s"}

    def ops(self, path):
        """Status and body on the listener of probes and metrics."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.ops_port}{path}", timeout=5) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def metric(self, name):
        for line in self.ops("/metrics")[1].splitlines():
            if line.startswith(name + " "):
                return float(line.split()[1])
        raise LookupError(name)

    def logged(self, event):
        with open(self.log_path, encoding="utf-8") as log:
            lines = [json.loads(line) for line in log if line.startswith("{")]
        return [line for line in lines if line["event"] == event]


class Poller:
    """Asks /healthz every 10 ms on one connection and keeps how long each answer took."""

    def __init__(self, port):
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._stop = threading.Event()
        self.times_ms = []
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self):
        # Asked for when it is due, not when the one before was answered, as many clients would:
        # a late answer counts from the moment at which it was wanted.
        due = time.monotonic()
        while not self._stop.is_set():
            due += POLL_S
            time.sleep(max(0.0, due - time.monotonic()))
            self._connection.request("GET", "/healthz")
            self._connection.getresponse().read()
            self.times_ms.append((time.monotonic() - due) * 1000)

    def end(self):
        self._stop.set()
        self._thread.join()
        self._connection.close()
        ordered = sorted(self.times_ms)
        return {"p50": statistics.median(ordered), "p99": ordered[int(0.99 * (len(ordered) - 1))], "max": ordered[-1]}


def run(server, path):
    poller = Poller(server.port)
    time.sleep(1)
    for _ in range(TIMES if path else 0):
        server.get(f"{path}?ms={WORK_MS}")
        time.sleep(0.5)
    time.sleep(1)
    return poller.end()


def watch_a_stall(server):
    """One stall of three seconds, and what the listener for operators says at two of them."""
    blocking = threading.Thread(target=server.get, args=(f"/debug/block?ms={STALL_MS}",))
    blocking.start()
    time.sleep(STALL_MS / 1000 * 0.7)
    during = {"healthz": server.ops("/healthz")[0], "readyz": server.ops("/readyz"),
              "stall_s": server.metric("exportd_loop_stall_seconds"),
              "p99_s": server.metric("exportd_loop_delay_p99_seconds")}
    blocking.join()
    time.sleep(0.5)
    during["log"] = server.logged("loop_stalled")[-1]
    during["ended"] = server.logged("loop_stall_ended")[-1]
    return during


def calm_down(server):
    deadline = time.monotonic() + 20
    while server.metric("exportd_loop_delay_p99_seconds") > 0.05 and time.monotonic() < deadline:
        time.sleep(0.2)


def row(name, times):
    return f"| {name} | {times['p50']:.1f} | {times['p99']:.1f} | {times['max']:.1f} |"


def written(quiet, pool, loop, stall):
    lines = [
        f"`/healthz`, every {POLL_S * 1000:.0f} ms, ms, while work of {WORK_MS} ms runs {TIMES} times:",
        "",
        "| the work | p50 | p99 | max |",
        "|---|---|---|---|",
        row("none", quiet), row("on the pool of worker threads", pool), row("on the loop", loop),
        "",
        f"Two seconds into a stall of {STALL_MS / 1000:.0f} s, on the listener for operators:",
        "",
        f"- `/healthz` {stall['healthz']}: the process is alive, and a restart would cut what runs",
        f"- `/readyz` {stall['readyz'][0]}: `{stall['readyz'][1].strip()}`",
        f"- `exportd_loop_stall_seconds` {stall['stall_s']:.1f}, `exportd_loop_delay_p99_seconds` {stall['p99_s']:.1f}",
        f"- the log, while it lasts: `{stall['log']['event']}` route `{stall['log'].get('route')}`, stack "
        f"`{stall['log']['stack'][:160]}...`",
        f"- and afterwards: `{stall['ended']['event']}` duration_ms {stall['ended']['duration_ms']}",
    ]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(prog="tests/bench/blocking.sh")
    parser.add_argument("--database-url", help="a database, instead of a private server")
    options = parser.parse_args()
    os.makedirs(OUTPUT, exist_ok=True)
    with contextlib.ExitStack() as stack:
        url = options.database_url or stack.enter_context(database.PrivateCluster()).url
        if not options.database_url:
            database.sql(url, database.TABLE)
        server = stack.enter_context(Watched(url, os.path.join(OUTPUT, "blocking.log")))
        quiet = run(server, None)
        pool = run(server, "/debug/work")
        loop = run(server, "/debug/block")
        calm_down(server)
        text = written(quiet, pool, loop, watch_a_stall(server))
    with open(os.path.join(OUTPUT, "blocking.md"), "w", encoding="utf-8") as out:
        out.write(text)
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
