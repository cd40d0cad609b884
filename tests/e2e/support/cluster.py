"""A PostgreSQL cluster of a test's own, which may be stopped, crashed and promoted; and PgBouncer."""

import glob
import os
import pathlib
import shutil
import subprocess
import tempfile

import psycopg2

from .database import ORDERS_TABLE
from .poll import poll_until
from .ports import free_port

PASSWORD = "a word for tests"
_SETTINGS = {"fsync": "off", "unix_socket_directories": "''", "max_connections": "40", "log_min_messages": "warning",
             "max_standby_streaming_delay": "'200ms'", "hot_standby_feedback": "off", "wal_level": "replica"}
_HBA = """
local all all reject
host replication all 127.0.0.1/32 scram-sha-256
{kind} all all 127.0.0.1/32 scram-sha-256
"""


def binaries():
    """Where the newest PostgreSQL server is; None without one."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
    return pathlib.Path(found[-1]).parent if found else None


def own_directory():
    """A directory that the user of servers can reach: they refuse to run as root."""
    directory = pathlib.Path(tempfile.mkdtemp(prefix="exportd-cluster.", dir="/var/tmp"))
    give(directory)
    return directory


def give(path):
    if os.geteuid() == 0:
        shutil.chown(path, "postgres", "postgres")


def as_server(*command):
    prefix = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    return [*prefix, *map(str, command)]


def run(*command, check=True):
    done = subprocess.run(as_server(*command), cwd="/", text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=50,
                          env={**os.environ, "PGPASSWORD": PASSWORD})
    assert done.returncode == 0 or not check, done.stdout
    return done.stdout


class Cluster:
    """Runs from the start, with an orders table; a copy of `primary` is its standby."""

    def __init__(self, primary=None, authority=None):
        self.directory, self.port = own_directory(), free_port()
        self.data = self.directory / "data"
        if primary is None:
            self._create(authority)
        else:
            run(binaries() / "pg_basebackup", "-D", self.data, "-R", "-c", "fast",
                "-d", f"host=127.0.0.1 port={primary.port} user=postgres")
        self.start()
        if primary is None:
            self.execute(ORDERS_TABLE.format(name="orders"))

    def _create(self, authority):
        secret = self.directory / "password"
        secret.write_text(PASSWORD, encoding="utf-8")
        give(secret)
        run(binaries() / "initdb", "-D", self.data, "-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8",
            "--auth=scram-sha-256", f"--pwfile={secret}", "--no-sync")
        settings = dict(_SETTINGS)
        if authority is not None:
            for source, name in ((authority.certificate, "server.crt"), (authority.key, "server.key")):
                copy = self.data / name
                shutil.copy(source, copy)
                copy.chmod(0o600)
                give(copy)
            settings["ssl"] = "on"
        with open(self.data / "postgresql.conf", "a", encoding="utf-8") as conf:
            conf.writelines(f"{name} = {value}\n" for name, value in settings.items())
        (self.data / "pg_hba.conf").write_text(_HBA.format(kind="hostssl" if authority else "host"), encoding="utf-8")

    def start(self):
        # Its own standard output would keep the pipe of whoever waits for it open.
        run("sh", "-c", f"'{binaries()}/pg_ctl' -D '{self.data}' -w -o '-p {self.port} -c listen_addresses=127.0.0.1' "
            f"-l '{self.directory}/log' start >/dev/null")

    def stop(self, mode="immediate"):
        run(binaries() / "pg_ctl", "-D", self.data, "-m", mode, "-w", "stop", check=False)

    def promote(self):
        run(binaries() / "pg_ctl", "-D", self.data, "-w", "promote")

    def url(self, port=None, **options):
        query = "&".join(f"{name}={value}" for name, value in options.items())
        return f"postgresql://postgres:{PASSWORD.replace(' ', '%20')}@127.0.0.1:{port or self.port}/postgres?{query}"

    def connect(self, **options):
        connection = psycopg2.connect(self.url(**options))
        connection.autocommit = True
        return connection

    def execute(self, sql):
        """The rows, if the statement has some."""
        connection = self.connect()
        try:
            with connection.cursor() as cursor:
                cursor.execute(sql)
                return cursor.fetchall() if cursor.description else None
        finally:
            connection.close()

    def caught_up(self, primary):
        """Waits until this standby has replayed all that the primary has written."""
        position = primary.execute("SELECT pg_current_wal_lsn()::text")[0][0]
        poll_until(lambda: self.execute(f"SELECT pg_last_wal_replay_lsn() >= '{position}'::pg_lsn")[0][0], 10,
                   "the standby at the primary's position")

    def remove(self):
        self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)


class PgBouncer:
    """In front of a cluster, in one of its modes, with two server connections."""

    def __init__(self, cluster, mode):
        self.directory, self.port = own_directory(), free_port()
        users, conf = self.directory / "users.txt", self.directory / "pgbouncer.ini"
        users.write_text(f'"postgres" "{PASSWORD}"\n', encoding="utf-8")
        conf.write_text(f"""
[databases]
postgres = host=127.0.0.1 port={cluster.port} dbname=postgres user=postgres password='{PASSWORD}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {self.port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = {users}
pool_mode = {mode}
default_pool_size = 2
logfile = {self.directory}/log
""", encoding="utf-8")
        for file in (users, conf):
            give(file)
        self.process = subprocess.Popen(as_server("pgbouncer", "-q", conf), cwd="/", stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        poll_until(lambda: self._answers(cluster), 10, "PgBouncer")

    def _answers(self, cluster):
        try:
            cluster.connect(port=self.port).close()
            return True
        except psycopg2.OperationalError:
            return False

    def kill(self):
        subprocess.run(["pkill", "-9", "-f", str(self.directory / "pgbouncer.ini")], check=False)
        self.process.wait(10)

    def remove(self):
        self.kill()
        shutil.rmtree(self.directory, ignore_errors=True)
