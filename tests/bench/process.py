"""What the kernel knows of a process: CPU seconds, resident memory, and its peak."""

import os
import subprocess
import time

TICK = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid):
    """utime + stime of all threads, in steps of one tick."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def memory_kib(pid, key):
    """VmRSS or VmHWM of /proc/PID/status, in KiB."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        for line in status:
            if line.startswith(key + ":"):
                return int(line.split()[1])
    raise LookupError(key)


def reset_peak(pid):
    """Sets VmHWM back to the present size; where that is not allowed the peak is of the whole life."""
    try:
        with open(f"/proc/{pid}/clear_refs", "w", encoding="ascii") as clear:
            clear.write("5")
    except OSError:
        pass


class Finished:
    """A command that ran to its end: output, wall and CPU seconds, peak memory in KiB."""

    def __init__(self, output, wall_s, cpu_s, peak_kib):
        self.output, self.wall_s, self.cpu_s, self.peak_kib = output, wall_s, cpu_s, peak_kib


def run(command, stdout=subprocess.PIPE):
    """Runs to the end; an exit code other than 0 is an error."""
    started = time.monotonic()
    with subprocess.Popen(command, stdout=stdout, text=True) as child:
        output = child.stdout.read() if child.stdout else ""
        _, status, usage = os.wait4(child.pid, 0)
        wall_s = time.monotonic() - started
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise RuntimeError(f"{command[0]} ended with {child.returncode}: {output}")
    return Finished(output, wall_s, usage.ru_utime + usage.ru_stime, usage.ru_maxrss)
