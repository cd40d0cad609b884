"""What others read out of the files: Python's csv module, npm's csv-parse, LibreOffice."""

import json
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

import pytest

from support import npm
from support.exports import IN_RANGE, RANGE, Export
from support.readers import BUILT, NODE, ReadBack, by_node, by_python, digest
from support.rfc4180 import read_rectangle
from support.wire import WHOLE
from test_cells import GUARDED, HARMLESS

TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"


@pytest.fixture(scope="module")
def naughty(database):
    """The Big List of Naughty Strings, and the cells of test_cells, in a table."""
    npm.install(NODE, BUILT)
    done = subprocess.run(["node", "-e", 'import("blns").then((m) => console.log(JSON.stringify(m.default)))'],
                          cwd=BUILT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    strings = [each for each in json.loads(done.stdout) if "\0" not in each]
    assert len(strings) > 400
    strings += [value for value, _ in GUARDED + HARMLESS]
    database.execute("CREATE TABLE naughty (n int, cell text)")
    for n, value in enumerate(strings):
        database.execute("INSERT INTO naughty VALUES (%s, %s)", (n, value))
    yield strings
    database.execute("DROP TABLE naughty")


def is_guarded(value):
    """By the rule of the README: a formula's first character, behind blanks or not, or a control."""
    first = value.lstrip(" \t\r\n\v\f\u00a0\u2003\u3000")[:1]
    return first in tuple("=+-@\uff1d\uff0b\uff0d\uff20\u2212")


@pytest.mark.parametrize("option", ["", "&excel=1", "&values=raw"])
def test_naughty_strings_come_back_as_they_were(service, naughty, option):
    export = Export(f"SELECT n, cell FROM naughty WHERE {IN_RANGE} ORDER BY n",
                    columns=[{"name": "n"}, {"name": "cell"}])
    answer = service(exports={"naughty": export}).get(f"/exports/naughty.csv?{RANGE}{option}")
    assert (answer.status, answer.ended) == (200, WHOLE)
    body = answer.body.removeprefix(b"\xef\xbb\xbf")
    ours = read_rectangle(body, b"\r\n" if "excel" in option else b"\n")
    theirs = by_python(answer.body)
    assert [[field or "" for field in record] for record in ours] == theirs
    assert len(theirs) == 1 + len(naughty)
    for value, (_, cell) in zip(naughty, theirs[1:], strict=True):
        if cell != value:
            assert cell == "'" + value and "raw" not in option
        if is_guarded(value) and "raw" not in option:
            assert cell == "'" + value


def test_a_reader_finds_what_is_wrong(tmp_path):
    kept = ReadBack(tmp_path)
    bad = kept.write(b'a,b\n1,"x"y\n')
    uneven = kept.write(b"a,b\n1\n")
    good = kept.write(b'a,b\n1,"x""y"\n')
    seen = by_node(tmp_path)
    assert seen[bad].startswith("CSV_") and seen[uneven].startswith("CSV_")
    assert seen[good] == digest([["a", "b"], ["1", 'x"y']])


def opened(path, directory):
    """The cells of the file in LibreOffice, (formula or None, text), formulas evaluated on import."""
    # Comma, quote, UTF-8, from line 1; numbers are recognised and formulas evaluated.
    done = subprocess.run(["soffice", "--headless", f"-env:UserInstallation=file://{directory}/profile",
                           "--infilter=CSV:44,34,76,1,,0,false,true,false,false,false,-1,true",
                           "--convert-to", "fods", "--outdir", str(directory), str(path)],
                          capture_output=True, text=True, timeout=170)
    assert done.returncode == 0, done.stdout + done.stderr
    flat = next(directory.glob("*.fods"))
    found = []
    for row in ElementTree.parse(flat).iter(f"{TABLE}table-row"):
        found.append([(cell.get(f"{TABLE}formula"), "\n".join("".join(p.itertext()) for p in cell.iter(f"{TEXT}p")))
                      for cell in row.iter(f"{TABLE}table-cell")])
    flat.unlink()
    return found


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
def test_libreoffice_shows_the_cells_and_runs_none(service, naughty, tmp_path):
    export = Export(f"SELECT n, cell FROM naughty WHERE {IN_RANGE} ORDER BY n",
                    columns=[{"name": "n"}, {"name": "cell"}])
    body = service(exports={"naughty": export}).get(f"/exports/naughty.csv?{RANGE}&excel=1").body
    live = tmp_path / "live.csv"
    live.write_text("n,cell\n1,=1+1\n", encoding="utf-8")
    assert opened(live, tmp_path)[1][1] == ("of:=1+1", "2"), "formulas are not evaluated: this test can't fail"
    safe = tmp_path / "safe.csv"
    safe.write_bytes(body)
    rows = opened(safe, tmp_path)
    assert [cell for row in rows for cell in row if cell[0] is not None] == []
    shown = {row[0][1]: row[1][1] for row in rows if len(row) > 1}
    plain = [(str(n), value) for n, value in enumerate(naughty) if value.isascii() and value.isalpha()]
    assert len(plain) > 20
    for n, value in plain:
        assert shown[n].lower() == value.lower()
    assert shown[str(naughty.index("=1+1"))] == "'=1+1"


@pytest.mark.last
def test_every_export_of_this_run_is_read_alike_by_two_others(read_back):
    seen = by_node(read_back.directory)
    assert len(seen) > 0
    for name, found in sorted(seen.items()):
        assert found == digest(by_python((read_back.directory / name).read_bytes())), name
