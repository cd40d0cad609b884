"""One measured run of each way to read the rows; every one reads the same rows."""

import filecmp
import json
import os
import statistics
import subprocess

import clients
import process
import servers
from servers import ROOT

CURSOR_DRAIN = os.path.join(ROOT, "build", "release", "cursor_drain")


class Sample:
    """One run: seconds, CPU seconds, peak KiB, and for a service its delay and worst /healthz, in ms."""

    def __init__(self, rows, wall_s, cpu_s, peak_kib, delay=None, healthz_ms=None, bytes_read=None):
        self.rows, self.wall_s, self.cpu_s, self.peak_kib = rows, wall_s, cpu_s, peak_kib
        self.delay, self.healthz_ms, self.bytes_read = delay, healthz_ms, bytes_read


class Contender:
    """A name, the range it reads, and `run()`; keeps every sample taken."""

    def __init__(self, name, rows):
        self.name, self.rows, self.samples = name, rows, []

    def run(self):
        raise NotImplementedError

    def measure(self):
        self.samples.append(self.run())

    def median(self, pick):
        values = [pick(sample) for sample in self.samples]
        return None if None in values else statistics.median(values)

    def per_million(self, pick):
        """The median of a figure in seconds, scaled to a million rows."""
        return self.median(pick) * 1e6 / self.rows.rows

    def worst(self, pick):
        values = [pick(sample) for sample in self.samples]
        return None if None in values else max(values)


class ServedByCurl(Contender):
    """`count` downloads at once from a running service, with /healthz polled meanwhile."""

    def __init__(self, server, rows, count=1):
        super().__init__(server.name, rows)
        self.server, self.count, self.expected_bytes = server, count, None

    def run(self):
        pid = self.server.pid
        self.server.delay([])
        with clients.HealthPoll(self.server.port) as poll:
            process.reset_peak(pid)
            cpu_before = process.cpu_seconds(pid)
            finished, downloads = clients.download_many(self.server.url(self.rows), self.count)
            cpu_s = process.cpu_seconds(pid) - cpu_before
            peak_kib = process.memory_kib(pid, "VmHWM")
        self._check(downloads)
        delay = self.server.delay([download.export_id for download in downloads])
        return Sample(self.rows.rows * self.count, finished.wall_s, cpu_s, peak_kib, delay, poll.worst_ms,
                      downloads[0].bytes)

    def _check(self, downloads):
        sizes = {download.bytes for download in downloads}
        if self.expected_bytes:
            sizes.add(self.expected_bytes)
        if len(downloads) != self.count or len(sizes) != 1:
            raise RuntimeError(f"{self.name}: {len(downloads)} of {self.count} files, of sizes {sizes}")
        self.expected_bytes = sizes.pop()


class PsqlCopy(Contender):
    """PostgreSQL's own CSV, written to nowhere by psql. The memory is psql's."""

    def __init__(self, database_url, rows):
        super().__init__("`psql`, `COPY ... csv`", rows)
        self.database_url = database_url

    def run(self):
        copy = f"COPY ({self.rows.sql()}) TO STDOUT (FORMAT csv, HEADER)"
        finished = process.run(["psql", "-X", "-q", "-d", self.database_url, "-c", copy], stdout=subprocess.DEVNULL)
        return Sample(self.rows.rows, finished.wall_s, finished.cpu_s, finished.peak_kib)


class BareCursor(Contender):
    """The pipelined cursor drained and thrown away: what no reader of a cursor can beat."""

    def __init__(self, database_url, rows):
        super().__init__("bare cursor (the limit)", rows)
        self.database_url = database_url

    @staticmethod
    def built():
        return os.access(CURSOR_DRAIN, os.X_OK)

    def run(self):
        finished = process.run([CURSOR_DRAIN, self.database_url, self.rows.sql()])
        told = json.loads(finished.output)
        if told["rows"] != self.rows.rows:
            raise RuntimeError(f"{self.name}: {told['rows']} rows instead of {self.rows.rows}")
        return Sample(self.rows.rows, finished.wall_s, finished.cpu_s, finished.peak_kib)


def interleave(contenders, rounds):
    """A B C A B C ...: noise that lasts longer than one run meets them all."""
    for contender in contenders:
        contender.run()
    for _ in range(rounds):
        for contender in contenders:
            contender.measure()


def compare_bytes(orders, kinds, rows, directory):
    """Equal work: these services must send the same file. Returns the sentence for it."""
    paths = []
    for kind in kinds:
        paths.append(os.path.join(directory, kind.__name__ + ".csv"))
        with kind(orders.url, paths[-1] + ".log") as server:
            clients.download(server.url(orders.first(rows)), paths[-1])
    with open(paths[0], "rb") as ours:
        lines = sum(1 for _ in ours)
    if lines != rows + 1:
        raise RuntimeError(f"{paths[0]} has {lines} lines for {rows} rows and a header")
    for other in paths[1:]:
        if not filecmp.cmp(paths[0], other, shallow=False):
            raise RuntimeError(f"{paths[0]} and {other} differ")
    for path in paths:
        os.remove(path)
        os.remove(path + ".log")
    return f"{' and '.join(kind.name for kind in kinds)} sent the same bytes for {rows:,} orders."
