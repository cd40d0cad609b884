"""Each message of an export, in both directions, is where something fails once.

Nothing may fail silently: the answer is whole and right, or a problem document, or visibly cut. After
each fault the next export is right, and after all of them nothing has been kept.
"""

import collections
import functools
import os

import pytest

from support.exports import RANGE, series
from support.fault_relay import BLACK_HOLE, CLIENT, CUT, DELAY, GARBLE, HALF, RESET, SERVER, TRICKLE, FaultRelay
from support.poll import poll_until
from support.reports import ask_report
from support.wire import WHOLE

ROWS, WIDTH = 40, 30_000
EXPORT = series(ROWS, f"n, repeat('0123456789', {WIDTH // 10}) AS filler")
BODY = b"n,filler\n" + b"".join(b"%d,%s\n" % (n, b"0123456789" * (WIDTH // 10)) for n in range(1, ROWS + 1))
TARGET = f"/exports/wide.csv?{RANGE}"
POOL = 2
SOON = {"EXPORTD_DATABASE_PROGRESS_TIMEOUT": "300ms", "EXPORTD_DATABASE_CONNECT_TIMEOUT": "300ms",
        "EXPORTD_LIMITS_FIRST_ROW_TIMEOUT": "400ms"}


@pytest.fixture
def fault_relay_to(database):
    own = FaultRelay(database.endpoint())
    yield own
    own.stop()


@pytest.fixture
def behind_relay(service, database, fault_relay_to):
    """Starts a service whose database is behind the relay."""
    return functools.partial(service, exports={"wide": EXPORT}, EXPORTD_DATABASE_POOL_SIZE=str(POOL),
                             database_url=database.url_at("127.0.0.1", fault_relay_to.port))


@pytest.fixture
def faulty(behind_relay):
    return behind_relay(**SOON)


def outcome(answer):
    if answer.status == 200 and answer.ended == WHOLE:
        return "right" if answer.body == BODY else "silent"
    if answer.status == 200:
        return "broken"
    assert answer.ended == WHOLE and answer["Content-Type"] == "application/problem+json", answer
    return str(answer.status)


def steps_of(own, relay, whose):
    """How many messages one export takes."""
    relay.arm("none", whose, 0)
    whole_again(own, 10)
    return relay.seen[whose]


def whole_again(own, deadline=5):
    """The next export is right; connections that the relay cut may be found out first."""
    def right():
        seen = outcome(own.get(TARGET))
        assert seen != "silent"
        return seen == "right"
    poll_until(right, deadline, "an export that is right")


def strike(own, relay, fault, whose, every, anew=True):
    """The fault at each of these steps of an export, on a new connection or not: how often each
    outcome. An export may also meet a connection that was lost a moment ago, and is a 503 then."""
    seen = collections.Counter()
    if anew:
        relay.cut_all()
    steps = steps_of(own, relay, whose)
    assert steps > 10, "the relay sees too little to count"
    for step in range(1, steps + 1, every):
        if anew:
            relay.cut_all()
        relay.arm(fault, whose, step)
        seen[outcome(own.get(TARGET))] += 1
        relay.disarm()
        whole_again(own)
    return seen


def descriptors(own):
    return len(os.listdir(f"/proc/{own.process.pid}/fd"))


@pytest.mark.parametrize("whose", [CLIENT, SERVER])
@pytest.mark.parametrize("fault", [CUT, RESET, HALF])
def test_a_connection_lost_at_any_message_is_seen(faulty, database, fault_relay_to, fault, whose):
    whole_again(faulty)
    before, memory = descriptors(faulty), faulty.memory()
    seen = strike(faulty, fault_relay_to, fault, whose, every=1)
    assert seen["silent"] == 0
    assert seen["broken"] + seen["503"] + seen["502"] > 0, seen
    assert descriptors(faulty) <= before + POOL
    assert faulty.memory() < memory + (16 << 20)
    poll_until(lambda: not database.busy(), 5, "nothing left of the failed ones")
    assert len(database.backends()) <= POOL


def test_a_message_that_makes_no_sense_is_seen(faulty, fault_relay_to):
    whole_again(faulty)
    seen = strike(faulty, fault_relay_to, GARBLE, SERVER, every=1)
    assert seen["silent"] == 0
    assert seen["right"] < sum(seen.values()) / 2, seen


@pytest.mark.parametrize("whose", [CLIENT, SERVER])
@pytest.mark.parametrize("fault", [TRICKLE, DELAY])
def test_a_message_that_comes_slowly_changes_nothing(behind_relay, fault_relay_to, fault, whose):
    patient = behind_relay()
    whole_again(patient)
    seen = strike(patient, fault_relay_to, fault, whose, every=5, anew=False)
    assert set(seen) == {"right"}


@pytest.mark.parametrize("whose", [CLIENT, SERVER])
def test_silence_at_any_message_ends_at_a_deadline(faulty, database, fault_relay_to, whose):
    whole_again(faulty)
    before = descriptors(faulty)
    seen = strike(faulty, fault_relay_to, BLACK_HOLE, whose, every=8)
    assert seen["silent"] == 0
    assert seen["broken"] + seen["503"] + seen["504"] > 0, seen
    assert descriptors(faulty) <= before + POOL


def figures(answer):
    """All that a report says but when it was made."""
    return {name: value for name, value in answer.json().items() if name != "generated_at"}


@pytest.mark.parametrize("fault", [CUT, RESET])
def test_a_report_is_right_or_refused_wherever_its_connection_is_lost(behind_relay, database, fault_relay_to, fault):
    """Reports read by another library, on a worker thread."""
    database.fill_orders(300)
    own = behind_relay(EXPORTD_LOG_LEVEL="error")
    asked = {"from": "2025-09-01", "to": "2025-10-01"}
    fault_relay_to.arm("none", SERVER, 0)
    expected = ask_report(own, asked)
    steps = fault_relay_to.seen[SERVER]
    assert expected.status == 200 and steps > 30
    seen = collections.Counter()
    for step in range(1, steps + 1, 3):
        fault_relay_to.arm(fault, SERVER, step)
        answer = ask_report(own, asked)
        fault_relay_to.disarm()
        if answer.status == 200:
            assert figures(answer) == figures(expected)
        seen[answer.status] += 1
    assert seen[503] + seen[502] > 0, seen
    assert figures(ask_report(own, asked)) == figures(expected)
