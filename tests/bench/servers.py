"""The HTTP services under test, each started on a port of its own and stopped by SIGTERM."""

import json
import os
import subprocess
import time
import urllib.error
import urllib.request

from database import free_port

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
START_LIMIT_S = 60
POOL_SIZE = 220


class Server:
    """A running service. `delay(ids)` is its loop's delay in ms since the last call, if it tells."""

    name = ""
    wrapper = ()

    def __init__(self, database_url, log_path):
        self.database_url, self.log_path = database_url, log_path
        self.port = free_port()

    def command(self):
        raise NotImplementedError

    def environment(self):
        return {"PORT": str(self.port), "DATABASE_URL": self.database_url}

    def delay(self, _export_ids):
        return None

    def url(self, rows):
        return f"http://127.0.0.1:{self.port}/exports/orders.csv?{rows.query_string()}"

    def get(self, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=60) as answer:
            return answer.read().decode()

    def __enter__(self):
        with open(self.log_path, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen([*self.wrapper, *self.command()], cwd=ROOT, stdout=log, stderr=log,
                                            env={**os.environ, **self.environment()})
        self.pid = self.process.pid
        deadline = time.monotonic() + START_LIMIT_S
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.__exit__()
                with open(self.log_path, encoding="utf-8") as log:
                    raise RuntimeError(f"{self.name} did not start:\n{log.read()[-2000:]}")
            time.sleep(0.05)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _answers(self):
        try:
            self.get("/healthz")
            return True
        except (urllib.error.URLError, OSError):
            return False


class Exportd(Server):
    name = "exportd, `curl`"
    binary = os.path.join(ROOT, "build", "release", "exportd")

    def __init__(self, database_url, log_path, pool_size=POOL_SIZE):
        super().__init__(database_url, log_path)
        self.pool_size = pool_size

    def command(self):
        return [self.binary, "serve", "-c", os.path.join(ROOT, "config", "exportd.toml")]

    def environment(self):
        return {
            "EXPORTD_DATABASE_URL": self.database_url,
            "EXPORTD_DATABASE_POOL_SIZE": str(self.pool_size),
            "EXPORTD_SERVER_LISTEN": f"127.0.0.1:{self.port}",
            "EXPORTD_OPS_LISTEN": f"127.0.0.1:{free_port()}",
            "EXPORTD_LIMITS_STREAM_ROW_LIMIT": "0",
            "EXPORTD_LIMITS_EXPORTS_PER_CLIENT": "1000",
            "EXPORTD_LIMITS_MAX_EXPORTS": "1000",
        }

    def receipt(self, export_id):
        return json.loads(self.get(f"/exports/receipts/{export_id}"))

    def delay(self, export_ids):
        """The worst of these exports' receipts, each over its own duration."""
        readings = [self.receipt(export_id).get("loop_delay_ms") for export_id in export_ids]
        readings = [reading for reading in readings if reading]
        if not readings:
            return None
        return {key: max(reading[key] for reading in readings) for key in ("p50", "p99", "max")}


class NodeServer(Server):
    script = ""

    def command(self):
        return ["node", os.path.join(HERE, "node", self.script)]

    def delay(self, _export_ids):
        return json.loads(self.get("/stats"))


class NodeStreamed(NodeServer):
    name, script = "Node.js, streamed", "streamed.mjs"


class NodeNaive(NodeServer):
    name, script = "Node.js, naive", "naive.mjs"


class GoServer(Server):
    name = "Go, pgx"
    binary = os.path.join(ROOT, "build", "bench", "go-exports")

    def command(self):
        return [self.binary]
