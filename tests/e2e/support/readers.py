"""Readers of CSV that this project did not write: Python's csv module and npm's csv-parse."""

import csv
import hashlib
import io
import json
import pathlib
import subprocess

from . import npm
from .service import SOURCE
from .wire import WHOLE

NODE, BUILT = SOURCE / "tests/e2e/readers", SOURCE / "build/tests/readers"
_BOM = b"\xef\xbb\xbf"
_LARGEST = 4 << 20


def digest(records):
    """The same as read.mjs has it."""
    sha = hashlib.sha256()
    for record in records:
        sha.update(f"{len(record)};".encode())
        for field in record:
            encoded = field.encode()
            sha.update(f"{len(encoded)}:".encode() + encoded)
    return sha.hexdigest()


def by_python(body):
    """The records as Python's csv module has them; it takes an empty line for a record of nothing."""
    csv.field_size_limit(1 << 30)
    reader = csv.reader(io.StringIO(body.decode("utf-8-sig"), newline=""), strict=True)
    return [record or [""] for record in reader]


def by_node(directory):
    """The digest, or what is wrong, for each file in the directory."""
    npm.install(NODE, BUILT)
    done = subprocess.run(["node", str(BUILT / "read.mjs"), str(directory)], capture_output=True, text=True,
                          timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class ReadBack:
    """Keeps each different export that a test of this run has read to its end, up to 4 MiB."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)

    def keep(self, answer):
        kind = answer.get("Content-Type") or ""
        if answer.status != 200 or answer.ended != WHOLE or not kind.startswith("text/csv"):
            return
        if 0 < len(answer.body) <= _LARGEST:
            self.write(answer.body)

    def write(self, body):
        """The name of the file."""
        kind = "crlf" if body.startswith(_BOM) else "lf"
        name = f"{hashlib.sha256(body).hexdigest()[:32]}.{kind}.csv"
        (self.directory / name).write_bytes(body)
        return name
