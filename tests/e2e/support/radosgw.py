"""A real S3 object store: Ceph's radosgw over one monitor and one OSD that keeps all in memory.

Everything listens on loopback and lives in a private directory. The gateway checks the signatures of
all requests.
"""

import hashlib
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import urllib.error
import urllib.request
import uuid

from .poll import poll_until
from .ports import free_port

PROGRAMS = ("ceph", "ceph-authtool", "ceph-mon", "ceph-osd", "monmaptool", "radosgw", "radosgw-admin")

_CONFIG = """
[global]
fsid = {fsid}
mon host = [v2:127.0.0.1:{mon_port}/0]
public addr = 127.0.0.1
keyring = {directory}/keyring
run dir = {directory}
admin socket = {directory}/$name.asok
log file = {directory}/$name.log
crash dir = {directory}
mon data = {directory}/mon
mon allow pool size one = true
mon warn on pool no redundancy = false
mon max pg per osd = 1000
osd data = {directory}/osd
osd objectstore = memstore
osd crush chooseleaf type = 0
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
memstore device bytes = 2147483648
osd class update on start = false

[client.rgw]
rgw data = {directory}/rgw
keyring = {directory}/keyring
rgw frontends = beast endpoint=127.0.0.1:{port}{tls}
rgw thread pool size = 32
rgw multipart min part size = 5242880
"""


class RadosGateway:
    """Starts at once and is ready when the constructor returns.

    With `certificate` and `key` (PEM files) there is a TLS port besides: `tls_endpoint`.
    """

    region = "us-east-1"
    access_key = "EXPORTDTESTKEY"
    secret_key = "exportd/test+secret=0123456789"
    bucket = "exports"

    def __init__(self, certificate=None, key=None):
        self.port = free_port()
        self.endpoint = f"http://127.0.0.1:{self.port}"
        tls = ""
        if certificate is not None:
            tls_port = free_port()
            self.tls_endpoint = f"https://localhost:{tls_port}"
            tls = f" ssl_endpoint=127.0.0.1:{tls_port} ssl_certificate={certificate} ssl_private_key={key}"
        # Names of sockets are short: pytest's own directories are too deep.
        self._directory = pathlib.Path(tempfile.mkdtemp(prefix="exportd-rgw-"))
        self._processes = []
        try:
            self._start(tls)
        except BaseException:
            self.stop()
            raise

    def environment(self):
        """What the tests of the object store in the unit test binary look for."""
        return {
            "EXPORTD_TEST_S3_ENDPOINT": self.endpoint,
            "EXPORTD_TEST_S3_REGION": self.region,
            "EXPORTD_TEST_S3_BUCKET": self.bucket,
            "EXPORTD_TEST_S3_ACCESS_KEY": self.access_key,
            "EXPORTD_TEST_S3_SECRET_KEY": self.secret_key,
        }

    def settings(self):
        """Configuration of the service, as Service takes it."""
        return {
            "EXPORTD_JOBS_STORE": "s3",
            "EXPORTD_S3_ENDPOINT": self.endpoint,
            "EXPORTD_S3_REGION": self.region,
            "EXPORTD_S3_BUCKET": self.bucket,
            "EXPORTD_S3_ACCESS_KEY": self.access_key,
            "EXPORTD_S3_SECRET_KEY": self.secret_key,
        }

    def admin(self, *arguments):
        """Runs radosgw-admin and returns what it says."""
        return self._run("radosgw-admin", "-n", "client.rgw", *arguments)

    def set_quota(self, kilobytes):
        """Lets the bucket hold only so much; None is no limit."""
        if kilobytes is None:
            self.admin("quota", "disable", "--quota-scope=bucket", "--uid=exportd")
            return
        self.admin("quota", "set", "--quota-scope=bucket", "--uid=exportd", f"--max-size={kilobytes}K")
        self.admin("quota", "enable", "--quota-scope=bucket", "--uid=exportd")

    def stop(self):
        for process in reversed(self._processes):
            # All is in memory and thrown away: nothing has to be put in order.
            process.send_signal(signal.SIGKILL)
            process.wait(10)
        shutil.rmtree(self._directory, ignore_errors=True)

    def _start(self, tls):
        mon_port = free_port()
        fsid = str(uuid.uuid4())
        self._config = self._directory / "ceph.conf"
        self._config.write_text(_CONFIG.format(directory=self._directory, fsid=fsid, mon_port=mon_port,
                                               port=self.port, tls=tls))
        for name in ("mon", "osd", "rgw"):
            (self._directory / name).mkdir()
        self._make_keys()
        monmap = str(self._directory / "monmap")
        self._run("monmaptool", "--create", "--fsid", fsid, "--addv", "a",
                  f"[v2:127.0.0.1:{mon_port}/0]", monmap)
        self._run("ceph-mon", "--mkfs", "-i", "a", "--monmap", monmap,
                  "--keyring", str(self._directory / "keyring"))
        self._spawn("ceph-mon", "-f", "-i", "a")
        osd = str(uuid.uuid4())
        assert self._ceph("osd", "new", osd).strip() == "0"
        self._run("ceph-osd", "--mkfs", "-i", "0", "--osd-uuid", osd)
        self._spawn("ceph-osd", "-f", "-i", "0")
        poll_until(lambda: "1 up" in self._ceph("osd", "stat"), 20, "the OSD")
        self.admin("user", "create", "--uid=exportd", "--display-name=exportd",
                   f"--access-key={self.access_key}", f"--secret-key={self.secret_key}")
        self._spawn("radosgw", "-f", "-n", "client.rgw")
        poll_until(self._answers, 30, "radosgw")
        self._make_bucket()

    def _make_keys(self):
        everything = ("--cap", "mon", "allow *", "--cap", "osd", "allow *", "--cap", "mgr", "allow *")
        keyring = str(self._directory / "keyring")
        self._run("ceph-authtool", "--create-keyring", keyring)
        for name in ("mon.", "client.admin", "osd.0", "client.rgw"):
            self._run("ceph-authtool", keyring, "--gen-key", "-n", name, *everything)

    def _make_bucket(self):
        # curl signs; the service itself makes no buckets. curl 7.88 leaves out the body's digest.
        subprocess.run(["curl", "-sS", "-f", "--noproxy", "*", "-X", "PUT", "--data-binary", "",
                        "-H", f"x-amz-content-sha256: {hashlib.sha256().hexdigest()}", "--aws-sigv4", f"aws:amz:{self.region}:s3",
                        "--user", f"{self.access_key}:{self.secret_key}",
                        f"{self.endpoint}/{self.bucket}"], check=True, timeout=30)

    def _answers(self):
        self._check_alive()
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(self.endpoint, timeout=2):
                return True
        except urllib.error.HTTPError:
            return True
        except OSError:
            return False

    def _ceph(self, *arguments):
        return self._run("ceph", "--connect-timeout=20", *arguments)

    def _run(self, program, *arguments):
        self._check_alive()
        done = subprocess.run([program, "-c", str(self._config), *arguments], text=True, timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert done.returncode == 0, f"{program} {' '.join(arguments)}: {done.stderr}"
        return done.stdout

    def _spawn(self, program, *arguments):
        with open(self._directory / f"{program}.out", "wb") as out:
            self._processes.append(subprocess.Popen(
                [program, "-c", str(self._config), *arguments], stdout=out, stderr=out,
                stdin=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C"}))

    def _check_alive(self):
        for process in self._processes:
            if process.poll() is not None:
                out = self._directory / f"{process.args[0]}.out"
                raise AssertionError(f"{process.args[0]} ended: {out.read_text(errors='replace')[-2000:]}")
