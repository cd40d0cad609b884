"""The real binary, as a process."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading

from .poll import poll_until
from .ports import free_port
from .wire import Connection

SOURCE = pathlib.Path(__file__).resolve().parents[3]

# Short waits, so that a test ends soon; each test overrides what it is about.
QUICK = {
    "EXPORTD_SERVER_SHUTDOWN_DELAY": "0ms",
    "EXPORTD_SERVER_DRAIN_TIMEOUT": "1s",
    "EXPORTD_LIMITS_EXPORTS_PER_CLIENT": "64",
    "EXPORTD_LIMITS_FIRST_ROW_TIMEOUT": "20s",
    "EXPORTD_LIMITS_STALL_TIMEOUT": "20s",
}


def binary():
    path = os.environ.get("EXPORTD_TEST_BINARY") or str(SOURCE / "build" / "release" / "exportd")
    assert os.access(path, os.X_OK), f"EXPORTD_TEST_BINARY: {path} can't be run"
    return path


def jobs_drain():
    """Seconds that the service takes at most to put its background exports back."""
    source = (SOURCE / "src/app/service.cpp").read_text(encoding="utf-8")
    return int(re.search(r"std::chrono::seconds jobs_drain\{(\d+)\}", source)[1])


def is_healthy(port):
    """Whether the loop of the service there answers."""
    try:
        with Connection(port) as connection:
            return connection.get("/healthz").status == 200
    except OSError:
        return False


def fill(pipe):
    """Writes into a pipe that does not block until nothing more fits, as if nobody read it."""
    try:
        while True:
            os.write(pipe, b"\n" * 4096)
    except BlockingIOError:
        pass


class Config:
    """A private copy of config/ and sql/ with more exports in it."""

    def __init__(self, directory, exports=None):
        self.directory = directory
        shutil.copytree(SOURCE / "config", directory / "config")
        shutil.copytree(SOURCE / "sql", directory / "sql")
        self.file = directory / "config" / "exportd.toml"
        self.exports = directory / "config" / "exports"
        self.sql = directory / "sql" / "exports"
        for name, export in (exports or {}).items():
            self.add(name, export)

    def add(self, name, export):
        (self.exports / f"{name}.toml").write_text(export.toml(name), encoding="utf-8")
        (self.sql / f"{name}.sql").write_text(export.sql, encoding="utf-8")

    def environment(self, database_url, overrides=None):
        own = {key: value for key, value in os.environ.items() if not key.startswith("EXPORTD_")}
        paths = {"EXPORTD_DATABASE_URL": database_url,
                 "EXPORTD_EXPORTS_DIRECTORY": str(self.exports),
                 "EXPORTD_EXPORTS_SQL_DIRECTORY": str(self.sql)}
        merged = {**own, **QUICK, **paths, **(overrides or {})}
        return {key: value for key, value in merged.items() if value is not None}

    def run(self, command, database_url, overrides=None, timeout=30):
        """`exportd COMMAND -c FILE`, to its end; a command with arguments is a list."""
        words = [command] if isinstance(command, str) else command
        return subprocess.run([binary(), *words, "-c", str(self.file)], text=True, timeout=timeout,
                              capture_output=True, env=self.environment(database_url, overrides))


class Service:
    """The service as a process; in the control group whose list of processes `group` is, and started
    by the command `wrapper`, which has it run `slowdown` times as long."""

    def __init__(self, config, database_url, overrides=None, wait=True, group=None, wrapper=(), slowdown=1):
        self.port, self.ops_port = free_port(), free_port()
        self._connections, self._lines, self._errors = [], [], []
        self.config, self.killed, self._slowdown = config, False, slowdown
        environment = config.environment(database_url, {
            "EXPORTD_SERVER_LISTEN": f"127.0.0.1:{self.port}",
            "EXPORTD_OPS_LISTEN": f"127.0.0.1:{self.ops_port}", **(overrides or {})})
        enter = ["sh", "-c", 'echo $$ >"$0" && exec "$@"', str(group)] if group else []
        self.process = subprocess.Popen([*enter, *wrapper, binary(), "serve", "-c", str(config.file)], env=environment,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self._readers = [threading.Thread(target=self._collect, args=(pipe, into), daemon=True)
                         for pipe, into in ((self.process.stdout, self._lines),
                                            (self.process.stderr, self._errors))]
        for reader in self._readers:
            reader.start()
        if wait:
            poll_until(self._healthy, 20 * slowdown, "the service's /healthz")

    # Requests

    def connect(self, **options):
        connection = Connection(self.port, **options)
        self._connections.append(connection)
        return connection

    def get(self, target, **request):
        """One request on a connection of its own."""
        with Connection(self.port, timeout=60) as connection:
            return connection.get(target, **request)

    def start_export(self, target, rcvbuf=65536, **request):
        """Sends the request, reads the answer's header and no more: (connection, answer)."""
        connection = self.connect(rcvbuf=rcvbuf)
        connection.request(target, **request)
        return connection, connection.head()

    def url(self, target):
        return f"http://127.0.0.1:{self.port}{target}"

    def curl(self, *arguments, timeout=60):
        return subprocess.run(["curl", "-sS", *arguments], capture_output=True, timeout=timeout)

    def receipt(self, export_id):
        answer = self.get(f"/exports/receipts/{export_id}")
        assert answer.status == 200, answer
        return answer.json()

    def receipt_once(self, export_id, state, deadline=5):
        def settled():
            receipt = self.receipt(export_id)
            return receipt if receipt["state"] == state else None
        return poll_until(settled, deadline, f"receipt {export_id} {state}")

    # Logs

    @property
    def log_text(self):
        return b"".join(self._lines).decode("utf-8")

    @property
    def error_text(self):
        return b"".join(self._errors).decode("utf-8", "replace")

    def logs(self):
        return [json.loads(line) for line in list(self._lines)]

    def events(self, name, **fields):
        """Log lines of that event with these fields."""
        return [line for line in self.logs() if event_name(line) == name
                and all(line.get(key) == value for key, value in fields.items())]

    def event(self, name, deadline=5, **fields):
        return poll_until(lambda: self.events(name, **fields), deadline, f"log event {name} {fields}")[0]

    # Process

    def memory(self):
        """Resident bytes."""
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        raise AssertionError("no VmRSS")

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def running(self):
        return self.process.poll() is None

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)

    def wait(self, deadline=15):
        """The exit code."""
        code = self.process.wait(deadline)
        for reader in self._readers:
            reader.join(5)
        return code

    def close_connections(self):
        for connection in self._connections:
            connection.close()
        self._connections.clear()

    def stop(self):
        """SIGTERM; the process has to end by itself, with 0, unless it was killed before."""
        self.close_connections()
        if self.killed:
            return
        if self.running():
            self.terminate()
        try:
            code = self.wait(15 * self._slowdown)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError("the service did not end within 15 s of SIGTERM")
        assert code == 0, f"exit code {code}\n{self.error_text[-4000:]}"

    def kill(self):
        """kill -9."""
        self.killed = True
        self.close_connections()
        if self.running():
            self.process.kill()
        self.process.wait()

    def _healthy(self):
        assert self.running(), (f"the service ended with {self.process.returncode}\n"
                                f"{self.error_text[-4000:]}\n{self.log_text[-4000:]}")
        return is_healthy(self.port)

    @staticmethod
    def _collect(pipe, into):
        for line in pipe:
            into.append(line)


def event_name(line):
    return line.get("event") or line.get("name") or line.get("message") or line.get("msg")
