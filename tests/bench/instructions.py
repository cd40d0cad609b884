"""Instructions per row by callgrind: the one figure that does not depend on the machine's mood."""

import os
import re
import tempfile

import clients
from servers import Exportd

FEW, MORE = 20_000, 40_000


class CountedExportd(Exportd):
    """The service under callgrind. One pooled connection: start-up is most of what cancels out."""

    def __init__(self, database_url, log_path, out_path):
        super().__init__(database_url, log_path, pool_size=1)
        self.wrapper = ("valgrind", "--tool=callgrind", "--separate-threads=yes", f"--callgrind-out-file={out_path}")


def _whole_life(database_url, rows, directory):
    """Instructions of the loop's thread from start to exit of a service that ran one export. The other threads work
    by the clock, which goes on while valgrind makes everything slow."""
    out_path = os.path.join(directory, f"callgrind.{rows.rows}")
    with CountedExportd(database_url, os.path.join(directory, "log"), out_path) as server:
        clients.download(server.url(rows))
    with open(out_path + "-01", encoding="utf-8") as out:
        return int(re.search(r"^(?:summary|totals): (\d+)", out.read(), re.MULTILINE).group(1))


def per_row(orders):
    """The difference between an export of 40,000 rows and one of 20,000, by row."""
    with tempfile.TemporaryDirectory(prefix="exportd-bench-") as directory:
        few = _whole_life(orders.url, orders.first(FEW), directory)
        more = _whole_life(orders.url, orders.first(MORE), directory)
    return round((more - few) / (MORE - FEW))
