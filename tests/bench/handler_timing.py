#!/usr/bin/env python3
"""Two ways to time the handlers of an Asio loop, side by side: Asio's handler tracking, as the service has it, and an
executor that wraps what it runs.

Compiles handler_timing.cpp three times, runs its workloads in interleaved rounds and writes
build/bench/handler_timing.md: times are medians, what was seen is a median of the least disturbed quarter. Takes about
five minutes. Needs a C++ compiler and Boost; counts instructions if valgrind is there. On a machine that does nothing
else.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

import process
from servers import ROOT

OUTPUT = os.path.join(ROOT, "build", "bench")

# As the release preset has them.
FLAGS = ["-std=c++20", "-O2", "-g1", "-DNDEBUG", "-fno-omit-frame-pointer", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow",
         "-Wconversion", "-Werror", "-Wno-mismatched-new-delete", "-DBOOST_ASIO_SEPARATE_COMPILATION",
         "-DBOOST_ASIO_NO_DEPRECATED", "-I" + os.path.join(ROOT, "include"), "-pthread"]
SOURCES = [os.path.join(ROOT, path) for path in (
    "tests/bench/handler_timing.cpp", "tests/bench/loop_workloads.cpp", "src/observe/turn_meter.cpp",
    "src/separate_compilation.cpp")]
VARIANTS = {
    "plain": [],
    "tracking": ["-DBOOST_ASIO_CUSTOM_HANDLER_TRACKING=<exportd/observe/asio_tracking.hpp>"],
    "executor": ["-DHANDLER_TIMING_EXECUTOR"],
}
METERED = ("tracking", "executor")
# Units in one run, short enough to keep its core to the end; and in the shorter one of the two whose difference
# callgrind counts.
WORKLOADS = {"post": (160_000, 6_400), "dispatch": (409_600, 10_240), "resume": (64_000, 6_400),
             "timer": (64_000, 6_400), "race": (12_800, 1_280), "relay": (1_000, 200), "fast": (60, 20),
             "slow": (60, 20)}


def compile_variants(directory):
    """CPU seconds of the compiler and bytes of code, by variant; the programs are in the directory."""
    built = {}
    for variant, definitions in VARIANTS.items():
        program = os.path.join(directory, variant)
        compiler = process.run([os.environ.get("CXX", "c++"), *FLAGS, *definitions, *SOURCES, "-o", program])
        code = subprocess.run(["size", program], check=True, capture_output=True, text=True).stdout.splitlines()[1]
        built[variant] = compiler.cpu_s, int(code.split()[0])
    return built


def measure(directory, rounds):
    """What the programs print, by workload and variant, a list with one entry a round."""
    runs = {workload: {variant: [] for variant in VARIANTS} for workload in WORKLOADS}
    for done in range(rounds):
        print(f"handler_timing: round {done + 1} of {rounds}", file=sys.stderr)
        for workload, (count, _few) in WORKLOADS.items():
            for variant in VARIANTS:
                printed = process.run([os.path.join(directory, variant), workload, str(count)]).output
                runs[workload][variant].append(json.loads(printed))
    return runs


def _instructions(program, workload, count, directory):
    """Of the loop's thread, from start to exit."""
    out_path = os.path.join(directory, "callgrind.out")
    subprocess.run(["valgrind", "--quiet", "--tool=callgrind", "--separate-threads=yes",
                    f"--callgrind-out-file={out_path}", program, workload, str(count)],
                   check=True, stdout=subprocess.DEVNULL)
    with open(out_path + "-01", encoding="utf-8") as out:
        return int(re.search(r"^(?:summary|totals): (\d+)", out.read(), re.MULTILINE).group(1))


def instructions_per_unit(directory):
    """By workload and variant; start-up cancels out. Empty without valgrind."""
    if not shutil.which("valgrind"):
        return {}
    return {workload: {variant: (_instructions(os.path.join(directory, variant), workload, 2 * few, directory) -
                                 _instructions(os.path.join(directory, variant), workload, few, directory)) / few
                       for variant in VARIANTS}
            for workload, (_count, few) in WORKLOADS.items()}


def _row(*cells):
    return "| " + " | ".join(cells) + " |"


def _median(runs, value):
    return statistics.median(value(run) for run in runs)


def _cost(runs, instructions):
    lines = [_row("workload", *(f"CPU ns a unit, {v}" for v in VARIANTS), *(f"instructions, {v}" for v in VARIANTS)),
             "|---|" + "--:|" * (2 * len(VARIANTS))]
    for workload, by_variant in runs.items():
        count = WORKLOADS[workload][0]
        times = (f"{_median(by_variant[v], lambda run: run['cpu_ns'] / count):,.0f}" for v in VARIANTS)
        counts = (f"{instructions[workload][v]:,.0f}" if instructions else "-" for v in VARIANTS)
        lines.append(_row(workload, *times, *counts))
    return lines


def _undisturbed(runs):
    """The quarter of the rounds in which the thread, while awake, waited least for a core: no meter can tell that
    from work."""
    return sorted(runs, key=lambda run: run["awake_ns"] / run["awake_cpu_ns"])[:max(1, len(runs) // 4)]


def _coverage(runs):
    """Awake is the time outside epoll_wait."""
    lines = [_row("workload", *(f"turns a unit, {v}" for v in METERED), "functions a unit, executor",
                  "awake, % of the time", *(f"seen of awake, %, {v}" for v in METERED),
                  *(f"seen of CPU time, %, {v}" for v in METERED)),
             "|---|" + "--:|" * (2 + 3 * len(METERED))]
    for workload, by_variant in runs.items():
        count = WORKLOADS[workload][0]
        cells = [f"{_median(by_variant[v], lambda run: run['turns'] / count):.2f}" for v in METERED]
        cells.append(f"{_median(by_variant['executor'], lambda run: run['executions'] / count):.2f}")
        cells.append(f"{_median(by_variant['plain'], lambda run: 100 * run['awake_ns'] / run['wall_ns']):.0f}")
        quiet = {v: _undisturbed(by_variant[v]) for v in METERED}
        for whole in ("awake_ns", "cpu_ns"):
            cells += [f"{_median(quiet[v], lambda run: 100 * run['busy_ns'] / run[whole]):.1f}" for v in METERED]
        lines.append(_row(workload, *cells))
    return lines


def _builds(built):
    return [_row("program", "compiler, CPU s", "code, bytes"), "|---|--:|--:|",
            *(_row(variant, f"{cpu_s:.1f}", f"{code:,}") for variant, (cpu_s, code) in built.items())]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=21)
    rounds = options.parse_args().rounds
    os.makedirs(OUTPUT, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="exportd-bench-") as directory:
        built = compile_variants(directory)
        runs = measure(directory, rounds)
        instructions = instructions_per_unit(directory)
    report = "\n".join([*_cost(runs, instructions), "", *_coverage(runs), "", *_builds(built), ""])
    with open(os.path.join(OUTPUT, "handler_timing.md"), "w", encoding="utf-8") as out:
        out.write(report)
    print(report, end="")


if __name__ == "__main__":
    main()
