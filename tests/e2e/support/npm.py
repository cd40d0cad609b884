"""npm's packages of a lock file."""

import shutil
import subprocess


def install(source, built):
    """Copies the files of `source` to `built`, below build/, and installs what its lock says."""
    lock, installed = source / "package-lock.json", built / "node_modules" / "installed.json"
    built.mkdir(parents=True, exist_ok=True)
    for file in source.iterdir():
        if file.suffix in (".json", ".mjs"):
            shutil.copy(file, built)
    if not installed.exists() or installed.read_bytes() != lock.read_bytes():
        done = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=built,
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        shutil.copy(lock, installed)
