"""deploy/systemd/exportd.service, as systemd itself reads it; nothing is started."""

import configparser
import re
import shutil
import subprocess
import tomllib

import pytest

from support.service import SOURCE, binary, jobs_drain

FOLDER = SOURCE / "deploy" / "systemd"
UNIT = FOLDER / "exportd.service"
MIGRATION = FOLDER / "exportd-migrate.service"

systemd = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")


def analyze(*arguments):
    return subprocess.run(["systemd-analyze", *map(str, arguments)], capture_output=True, text=True, timeout=30)


def service_section(file):
    unit = configparser.RawConfigParser(strict=False, interpolation=None)
    unit.optionxform = str
    unit.read(file)
    return unit["Service"]


def verify(directory, text):
    """What systemd says to a unit whose program exists."""
    program = directory / "exportd"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    unit = directory / "exportd.service"
    unit.write_text(text.replace("/usr/local/bin/exportd", str(program)))
    done = analyze("verify", "--man=no", "--recursive-errors=no", unit)
    # Other units of the machine are not this one's matter.
    return done.returncode, [line for line in done.stderr.splitlines() if "exportd.service" in line]


@systemd
@pytest.mark.parametrize("file", [UNIT, MIGRATION], ids=lambda file: file.stem)
def test_systemd_understands_the_unit(tmp_path, file):
    assert verify(tmp_path, file.read_text()) == (0, [])


@systemd
def test_a_wrong_key_is_seen(tmp_path):
    _, told = verify(tmp_path, UNIT.read_text().replace("ProtectHome=", "ProtectHoem="))
    assert any("ProtectHoem" in line for line in told)


@systemd
@pytest.mark.parametrize("file", [UNIT, MIGRATION], ids=lambda file: file.stem)
def test_the_unit_is_locked_up(file):
    """Exposure of at most 1.2 of 10: what is left is the network, which it serves."""
    done = analyze("security", "--offline=true", "--threshold=12", file)
    assert done.returncode == 0, done.stdout


def test_the_unit_fits_the_defaults():
    own = service_section(UNIT)
    defaults = tomllib.loads((SOURCE / "config/exportd.toml").read_text())
    drain = sum(int(re.fullmatch(r"(\d+)s", defaults["server"][key])[1]) for key in ("shutdown_delay", "drain_timeout"))
    assert drain + jobs_drain() + 10 <= int(own["TimeoutStopSec"].removesuffix("s"))
    assert int(own["LimitNOFILE"]) > defaults["server"]["max_connections"] + defaults["database"]["pool_size"]
    assert own["Environment"] == "EXPORTD_DATABASE_URL_FILE=%d/" + own["LoadCredential"].partition(":")[0]
    # The only place that it may write to, and where the files are by default.
    assert defaults["jobs"]["directory"] == f"/var/lib/{own['StateDirectory']}/files"
    assert (own["ProtectSystem"], "ReadWritePaths" in own) == ("strict", False)


def test_the_owner_of_the_schema_stays_out_of_the_service():
    own = service_section(MIGRATION)
    assert own["LoadCredential"] == "owner_url:/etc/exportd/owner_url"
    assert own["Environment"] == "EXPORTD_JOBS_URL_FILE=%d/owner_url"
    assert "owner_url" not in "\n".join(service_section(UNIT).values())
    assert not [key for key in service_section(UNIT) if key.startswith("ExecStartP")]


def test_migrating_needs_the_address_and_nothing_else(tmp_path, database):
    """As the unit calls it: without a configuration file, in a directory without one."""
    own = service_section(MIGRATION)
    program, *words = own["ExecStart"].split()
    url = tmp_path / "owner_url"
    url.write_text(database.url + "\n")
    database.execute("DROP SCHEMA IF EXISTS exportd CASCADE")
    done = subprocess.run([binary(), *words], capture_output=True, text=True, timeout=30, cwd=tmp_path,
                          env={own["Environment"].partition("=")[0]: str(url)})
    assert (program, done.returncode, done.stderr) == ("/usr/local/bin/exportd", 0, "")
    assert "0001" in done.stdout or "jobs" in done.stdout
