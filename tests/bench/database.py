"""The database that every contender reads: a private cluster, or one given by its URL."""

import glob
import os
import shutil
import socket
import subprocess
import tempfile
from datetime import datetime, timedelta, timezone

YEAR_START = datetime(2025, 1, 1, tzinfo=timezone.utc)
YEAR = timedelta(days=365)

TABLE = """
DROP TABLE IF EXISTS orders;
CREATE TABLE orders (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  customer_name text NOT NULL,
  email text NOT NULL,
  total numeric(14,2) NOT NULL,
  currency char(3) NOT NULL,
  created_at timestamptz NOT NULL);
"""

# Row i of n lies at start + i/n of the span, so that any number of rows is a range of time.
# No currency in which CLDR versions differ, and no amount that rounds to zero.
ROWS = """
INSERT INTO orders (customer_name, email, total, currency, created_at)
SELECT CASE i % 16 WHEN 5 THEN 'O''Neill, "Ned" ' || i ELSE 'Customer ' || i END,
       'customer' || i || '@example.com',
       (CASE i % 50 WHEN 0 THEN -1 ELSE 1 END) * (100 + i * 7919 % 250000) / 100.0,
       CASE i % 10 WHEN 7 THEN 'EUR' WHEN 8 THEN 'USD' WHEN 9 THEN 'JPY' ELSE 'GBP' END,
       timestamptz '{start}' + {span_s} * interval '1 second' * (i::float8 / {count})
FROM generate_series(0::bigint, {count} - 1) AS i;
"""

INDEX = "CREATE INDEX orders_created_at_id ON orders (created_at, id);"
COLUMNS = "id, customer_name, email, total, currency, created_at"


def instant(moment):
    """RFC 3339 in UTC, whole seconds."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


class Range:
    """A half-open range of created_at that holds a known number of rows."""

    def __init__(self, rows, start, end):
        self.rows, self.start, self.end = rows, instant(start), instant(end)

    def query_string(self):
        return f"from={self.start}&to={self.end}"

    def sql(self):
        return (f"SELECT {COLUMNS} FROM orders WHERE created_at >= '{self.start}' "
                f"AND created_at < '{self.end}' ORDER BY created_at, id")


class Orders:
    """Where the rows lie: `first(n)` is the range of the first n of 2025."""

    def __init__(self, url, rows):
        self.url, self.rows = url, rows

    def first(self, rows):
        rows = min(rows, self.rows)
        if rows == self.rows:
            return Range(rows, YEAR_START, YEAR_START + YEAR)
        end_s = int(YEAR.total_seconds() * rows / self.rows)
        # Just past row n-1: the whole second at or below row n, or one more if that is row n-1.
        while end_s <= YEAR.total_seconds() * (rows - 1) / self.rows:
            end_s += 1
        return Range(rows, YEAR_START, YEAR_START + timedelta(seconds=end_s))

    def create(self):
        sql(self.url, TABLE)
        self._add(YEAR_START, YEAR, self.rows)
        sql(self.url, INDEX)
        sql(self.url, "VACUUM ANALYZE orders")

    def add_ten_million(self):
        """Ten million more in the leap year 2024; returns their range."""
        start, rows = datetime(2024, 1, 1, tzinfo=timezone.utc), 10_000_000
        self._add(start, timedelta(days=366), rows)
        sql(self.url, "VACUUM ANALYZE orders")
        return Range(rows, start, YEAR_START)

    def _add(self, start, span, count):
        sql(self.url, ROWS.format(start=instant(start), span_s=int(span.total_seconds()), count=count))


def sql(url, text):
    """Runs SQL through psql and returns what it prints, unaligned."""
    command = ["psql", "-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", text]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


_given_ports = set()


def free_port():
    """A port of 127.0.0.1 that nothing listens on and that no other call got."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        if port not in _given_ports:
            _given_ports.add(port)
            return port


class PrivateCluster:
    """A throwaway PostgreSQL on 127.0.0.1; as root it runs as the user postgres."""

    SETTINGS = {"max_connections": 300, "shared_buffers": "512MB", "fsync": "off", "jit": "off",
                "max_wal_size": "4GB", "listen_addresses": "127.0.0.1"}

    def __enter__(self):
        self.directory = tempfile.mkdtemp(prefix="exportd-bench-")
        self.as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        if self.as_user:
            shutil.chown(self.directory, "postgres")
        self.bin = self._binaries()
        self.data = os.path.join(self.directory, "data")
        self._run("initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        port = free_port()
        settings = dict(self.SETTINGS, port=port, unix_socket_directories=self.directory)
        options = " ".join(f"-c {key}={value}" for key, value in settings.items())
        self._run("pg_ctl", "-D", self.data, "-w", "-l", os.path.join(self.directory, "log"), "-o", options, "start")
        self.url = f"postgresql://postgres@127.0.0.1:{port}/postgres"
        return self

    def __exit__(self, *_):
        self._run("pg_ctl", "-D", self.data, "-m", "immediate", "-w", "stop")
        shutil.rmtree(self.directory, ignore_errors=True)

    def _run(self, program, *arguments):
        subprocess.run([*self.as_user, os.path.join(self.bin, program), *arguments], check=True,
                       stdout=subprocess.DEVNULL, cwd=self.directory)

    @staticmethod
    def _binaries():
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]))
        if found:
            return found[-1]
        on_path = shutil.which("initdb")
        if not on_path:
            raise SystemExit("bench: no initdb found; install postgresql, or give --database-url")
        return os.path.dirname(on_path)
