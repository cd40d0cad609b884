"""The image: its recipe, and, with `-m long`, the image itself, built and run."""

import re
import shutil
import subprocess
import tempfile
import tomllib
import pathlib

import pytest

from support.image import Buildah, Container, debian_root, obstacle
from support.jobs import SEPTEMBER, job_once, post, start_job
from support.service import SOURCE, binary

RECIPE = (SOURCE / "Dockerfile").read_text(encoding="utf-8")
LAST_STAGE = RECIPE[RECIPE.rindex("\nFROM "):]


def listed_packages():
    return set(re.findall(r"^      ([a-z0-9.+-]+)", LAST_STAGE, re.MULTILINE))


def package_list(name):
    """The words of a list in packages.sh."""
    done = subprocess.run(["bash", "-c", f'. "$0"; echo "${{{name}[@]}}"', str(SOURCE / "deploy/local/packages.sh")],
                          capture_output=True, text=True, check=True)
    return done.stdout.split()


def needed_packages():
    """The Debian packages of the libraries that the binary names itself."""
    dynamic = subprocess.run(["readelf", "-d", binary()], capture_output=True, text=True, check=True).stdout
    libraries = re.findall(r"NEEDED.*\[(.*)\]", dynamic)
    triplet = subprocess.run(["gcc", "-print-multiarch"], capture_output=True, text=True, check=True).stdout.strip()
    for library in libraries:
        for folder in (f"/usr/lib/{triplet}", f"/lib/{triplet}"):
            found = subprocess.run(["dpkg-query", "-S", f"{folder}/{library}"], capture_output=True, text=True)
            yield from (line.split(":")[0] for line in found.stdout.splitlines() if "-dev" not in line)


@pytest.mark.skipif('VERSION_ID="12"' not in pathlib.Path("/etc/os-release").read_text(),
                    reason="the image is Debian 12's, and its packages have its versions in their names")
def test_the_recipe_installs_every_library():
    everywhere = {"libc6", "libgcc-s1", "libstdc++6"}
    needed = set(needed_packages()) - everywhere
    assert "libpq5" in needed
    assert {name for name in listed_packages() if name.startswith("lib")} == needed


def test_the_recipe_has_the_fonts_of_reports_and_lists_them():
    fonts = {name for name in package_list("run_packages") if name.startswith("font")}
    assert fonts and fonts <= listed_packages()
    # After whole-second times: an image keeps no others, and the list would be stale.
    assert re.search(r"-exec touch -d \S+ \{\} \+ && \\\n    fc-cache ", LAST_STAGE)


def test_the_first_stage_has_the_schema_that_is_part_of_the_program():
    first = RECIPE[:RECIPE.rindex("\nFROM ")]
    assert "COPY sql/schema sql/schema\n" in first
    assert "${PROJECT_SOURCE_DIR}/sql/schema/" in (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8")


def test_files_of_background_exports_have_a_place_where_the_root_is_read_only():
    directory = tomllib.loads((SOURCE / "config/exportd.toml").read_text(encoding="utf-8"))["jobs"]["directory"]
    assert f"\nVOLUME {directory}\n" in LAST_STAGE
    user = re.search(r"^USER (\d+):(\d+)$", LAST_STAGE, re.MULTILINE)
    assert f"install -d -m 700 -o {user[1]} -g {user[2]} {directory}\n" in LAST_STAGE


def test_the_last_stage_runs_as_nobody_in_particular():
    assert re.search(r"^USER [1-9]\d*:[1-9]\d*$", LAST_STAGE, re.MULTILINE)
    assert re.search(r'^ENTRYPOINT \["', LAST_STAGE, re.MULTILINE)


@pytest.fixture(scope="module")
def buildah():
    if obstacle():
        pytest.skip(obstacle())
    directory = pathlib.Path(tempfile.mkdtemp(prefix="exportd-image.", dir="/var/tmp"))
    yield Buildah(directory)
    shutil.rmtree(directory)


@pytest.fixture
def container(buildah, database):
    buildah.import_root(debian_root(), "localhost/bookworm")
    buildah.build("localhost/bookworm", "localhost/exportd:test")
    own = Container(buildah, "localhost/exportd:test", database.url)
    yield own
    own.remove()


@pytest.mark.long(minutes=60)
def test_the_image_is_built_and_serves(buildah, container, database):
    config = buildah.config("localhost/exportd:test")
    assert config["User"] == "10001:10001"
    assert config["Entrypoint"] == ["/usr/local/bin/exportd"]
    assert config["Healthcheck"]["Test"] == ["CMD", "/usr/local/bin/exportd", "probe"]
    assert config["StopSignal"] in ("SIGTERM", "15")

    database.fill_orders(1000)
    answer = container.get("/exports/orders.csv?from=2025-09-01&to=2025-10-01")
    assert answer.status == 200
    assert answer.body.count(b"\n") == 1001
    assert "£".encode() in answer.body

    status = pathlib.Path(f"/proc/{container.pid()}/status").read_text()
    assert re.search(r"^Uid:\s+10001\s+10001\s", status, re.MULTILINE)
    healthy = container.run("/usr/local/bin/exportd", "probe")
    assert healthy.returncode == 0, healthy.stderr

    migrated = container.run("/usr/local/bin/exportd", "migrate")
    assert migrated.returncode == 0, migrated.stderr
    job_id = start_job(container)
    assert job_once(container, job_id)["rows"] == 1000
    assert container.get(f"/jobs/{job_id}/file").body == answer.body
    report = post(container, "/exports/quarterly-report", SEPTEMBER, Accept="application/pdf")
    assert (report.status, report.body[:5]) == (200, b"%PDF-")
    listed = container.run("fc-cache", "--verbose", "/usr/share/fonts")
    assert "existing cache is valid" in listed.stdout and "caching, new" not in listed.stdout, listed.stdout

    for tool in ("g++", "gcc", "cc", "cmake", "ninja", "ld", "curl", "wget", "git", "python3"):
        assert not list(container.root.glob(f"usr/*bin/{tool}")), tool
    assert container.root.joinpath("usr/local/bin/exportd").stat().st_size < 40 << 20
    assert container.stop() == 0
    gone = container.run("/usr/local/bin/exportd", "probe")
    assert gone.returncode != 0
