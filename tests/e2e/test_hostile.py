"""Clients that mean harm, or are as good as that."""

import os
import random
import shutil
import subprocess
import threading
import time

import pytest

from support.exports import RANGE, WIDE, series, wide_body
from support.poll import poll_until
from support.wire import WHOLE, Connection

ROWS = 20_000
TARGET = f"/exports/wide.csv?{RANGE}"
FEW, MANY = 400, 10_000
CLIENTS = 8


def descriptors(own):
    return len(os.listdir(f"/proc/{own.process.pid}/fd"))


def abort(port, chance):
    """One export, left at a random point: a part of the request, of the head, or of the body."""
    with Connection(port, rcvbuf=65536) as connection:
        if chance.random() < 0.1:
            connection.send(f"GET {TARGET} HTTP/1.1\r\nHost: exports.test\r\n\r\n"[:chance.randrange(1, 60)])
        else:
            connection.request(TARGET, fields={"Connection": "close"})
            connection.take(chance.choice((0, 1, 100, 10_000, chance.randrange(1, 4_000_000))))
        if chance.random() < 0.5:
            connection.reset()


def aborts(own, count, seed):
    """So many by eight clients at once."""
    def work(number):
        chance = random.Random(seed * 100 + number)
        for _ in range(count // CLIENTS):
            abort(own.port, chance)
    threads = [threading.Thread(target=work, args=(number,)) for number in range(CLIENTS)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def assert_nothing_kept(own, database, before, memory):
    poll_until(lambda: not database.busy(), 10, "no backend busy")
    poll_until(lambda: descriptors(own) <= before, 10, f"no more than {before} descriptors")
    assert own.memory() < memory + (24 << 20)
    answer = own.get(TARGET)
    assert (answer.ended, answer.body) == (WHOLE, wide_body(ROWS))


def leave_at_random(service, database, count):
    own = service(exports={"wide": series(ROWS, WIDE)}, EXPORTD_LOG_LEVEL="warning", EXPORTD_LOOP_MAX_DELAY="1m",
                  EXPORTD_LIMITS_REQUESTS_PER_MINUTE="0", EXPORTD_DATABASE_POOL_SIZE="8")
    aborts(own, 80, seed=1)
    poll_until(lambda: not database.busy(), 10, "no backend busy")
    # Connections of the pool are opened when they are needed: some of these may come later.
    before, memory = descriptors(own) + 8, own.memory()
    aborts(own, count, seed=2)
    assert_nothing_kept(own, database, before, memory)


def test_exports_left_at_random_points_leave_nothing(service, database):
    leave_at_random(service, database, FEW)


@pytest.mark.long
def test_ten_thousand_exports_left_at_random_points_leave_nothing(service, database):
    leave_at_random(service, database, MANY)


def test_without_descriptors_what_runs_goes_on_and_all_comes_back(service):
    own = service(exports={"wide": series(ROWS, WIDE)}, wrapper=("prlimit", "--nofile=80"), EXPORTD_LOG_LEVEL="error")
    running, answer = own.start_export(TARGET, rcvbuf=4096)
    held = []
    for _ in range(200):
        held.append(Connection(own.port))
    used = own.cpu_seconds()
    time.sleep(1)
    # It waits for a descriptor and does not ask for one all the time.
    assert own.cpu_seconds() - used < 0.5
    answer = running.body_of(answer)
    assert (answer.ended, answer.body) == (WHOLE, wide_body(ROWS))
    running.close()
    for each in held:
        each.close()
    answer = poll_until(lambda: own.get(TARGET), 10, "an export")
    assert (answer.status, answer.ended, answer.body) == (200, WHOLE, wide_body(ROWS))


SLOW = {"headers": ["-H"], "bodies": ["-B", "-t", "POST"], "ranges": ["-R"], "reads": ["-X", "-w", "10", "-y", "20"]}


@pytest.mark.skipif(shutil.which("slowhttptest") is None, reason="slowhttptest is not installed")
@pytest.mark.parametrize("kind", SLOW)
def test_slowhttptest_does_not_close_the_service_to_others(service, kind):
    own = service(exports={"wide": series(ROWS, WIDE)}, EXPORTD_LIMITS_REQUESTS_PER_MINUTE="0")
    attack = subprocess.Popen(["slowhttptest", *SLOW[kind], "-c", "600", "-r", "300", "-l", "6", "-i", "2", "-p", "2",
                               "-u", own.url("/exports/wide.csv?" + RANGE)],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        served = 0
        while attack.poll() is None:
            begun = time.monotonic()
            assert own.get("/healthz").status == 200
            assert time.monotonic() - begun < 1
            served += 1
            time.sleep(0.1)
        assert served > 10
    finally:
        attack.kill()
        attack.wait()
    answer = poll_until(lambda: (a := own.get(TARGET)).status == 200 and a, 15, "an export")
    assert (answer.ended, answer.body) == (WHOLE, wide_body(ROWS))
