"""The conditions under which the figures hold."""

import datetime
import os
import platform
import shutil
import subprocess

import database


def _cpu():
    with open("/proc/cpuinfo", encoding="ascii") as info:
        for line in info:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


def _version(*command):
    if not shutil.which(command[0]):
        return "none"
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\n")[0]


def describe(database_url):
    return {
        "date": datetime.date.today().isoformat(),
        "cores": len(os.sched_getaffinity(0)),
        "cpu": _cpu(),
        "kernel": platform.release(),
        "postgresql": database.sql(database_url, "SHOW server_version").split()[0],
        "node": _version("node", "--version").lstrip("v"),
        "curl": " ".join(_version("curl", "--version").split()[:2]),
    }
