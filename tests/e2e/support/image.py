"""Building the image with buildah, without a registry: its base is a root made by debootstrap."""

import json
import os
import pathlib
import shutil
import signal
import subprocess

from .poll import poll_until
from .ports import free_port
from .service import SOURCE
from .wire import Connection

# Kept between runs: it takes minutes to make and never changes.
_ROOT = SOURCE / "build" / "tests" / "bookworm"
_MIRROR = "http://deb.debian.org/debian"


def obstacle():
    """Why no image can be built here, or None."""
    for tool in ("buildah", "debootstrap"):
        if not shutil.which(tool):
            return f"{tool} is not installed"
    return None if os.geteuid() == 0 else "needs root"


def debian_root():
    if not (_ROOT / "complete").exists():
        shutil.rmtree(_ROOT, ignore_errors=True)
        _ROOT.mkdir(parents=True)
        subprocess.run(["debootstrap", "--variant=minbase", "bookworm", str(_ROOT / "root"), _MIRROR],
                       check=True, stdout=subprocess.DEVNULL)
        (_ROOT / "complete").touch()
    return _ROOT / "root"


class Buildah:
    """A store of its own in `directory`."""

    def __init__(self, directory):
        self._options = ["--root", str(directory / "store"), "--runroot", str(directory / "run"),
                         "--storage-driver", "vfs"]
        self._log = directory / "buildah.log"

    def command(self, verb, *arguments):
        return ["buildah", *self._options, verb, *arguments]

    def __call__(self, verb, *arguments):
        """Its stdout; AssertionError with the end of its output when it fails."""
        with self._log.open("wb") as errors:
            done = subprocess.run(self.command(verb, *arguments), stdout=subprocess.PIPE, stderr=errors)
        out = done.stdout.decode("utf-8", "replace")
        assert done.returncode == 0, (out + self._log.read_text(errors="replace"))[-6000:]
        return out.strip()

    def import_root(self, root, name):
        container = self("from", "scratch")
        self("add", "--quiet", container, str(root), "/")
        self("commit", "--quiet", container, name)
        self("rm", container)

    def build(self, base, name):
        self("bud", "--isolation", "chroot", "--pull-never", "--format", "docker", "--tag", name,
             "--build-arg", f"BUILD_BASE={base}", "--build-arg", f"RUN_BASE={base}", str(SOURCE))

    def config(self, name):
        return json.loads(self("inspect", "--type", "image", name))["Docker"]["config"]


class Container:
    """The service in a container of an image, as the image says that it is run."""

    def __init__(self, buildah, image, database_url):
        self.port, self.ops_port = free_port(), free_port()
        self._buildah = buildah
        self.name = buildah("from", "--pull-never", image)
        self.root = pathlib.Path(buildah("mount", self.name))
        self._settings = {"EXPORTD_DATABASE_URL": database_url,
                          "EXPORTD_SERVER_LISTEN": f"127.0.0.1:{self.port}",
                          "EXPORTD_OPS_LISTEN": f"127.0.0.1:{self.ops_port}"}
        config = buildah.config(image)
        self.process = subprocess.Popen(self._run(*config["Entrypoint"], *config["Cmd"]),
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        poll_until(self._answers, 30, "the service in the container")

    def _run(self, *command):
        settings = [word for pair in self._settings.items() for word in ("--env", "=".join(pair))]
        return self._buildah.command("run", "--isolation", "chroot", *settings, self.name, "--", *command)

    def run(self, *command):
        return subprocess.run(self._run(*command), capture_output=True, text=True, timeout=60)

    def get(self, target):
        with Connection(self.port, timeout=30) as connection:
            return connection.get(target)

    def pid(self):
        """The service's own process, below those of buildah."""
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if (entry / "comm").read_text() == "exportd\n" and self._settings_of(entry) == self._settings:
                    return int(entry.name)
            except OSError:
                continue
        raise AssertionError("no process of the service")

    def _settings_of(self, entry):
        pairs = [pair.split("=", 1) for pair in (entry / "environ").read_text().split("\0") if "=" in pair]
        return {key: value for key, value in pairs if key in self._settings}

    def stop(self):
        """SIGTERM; the exit code."""
        os.kill(self.pid(), signal.SIGTERM)
        return self.process.wait(30)

    def remove(self):
        if self.process.poll() is None:
            os.kill(self.pid(), signal.SIGKILL)
            self.process.wait(10)
        self._buildah("rm", self.name)

    def _answers(self):
        assert self.process.poll() is None, self.process.stdout.read()
        try:
            return self.get("/healthz").status == 200
        except OSError:
            return False
