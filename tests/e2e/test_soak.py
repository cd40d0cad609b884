"""Mixed load for a while: everything right, memory flat, nothing kept.

An hour of it, with the picture that tests/README.md shows: pytest -m long tests/e2e/test_soak.py; it leaves
build/tests/soak.json and soak.svg.
"""

import os

import pytest

from support.exports import WIDE, fails_at, series, wide_body
from support.poll import poll_until
from support.service import SOURCE
from support.soak import MIB, Soak, save

ROWS = 20_000


def soak(service, database, seconds, every):
    database.fill_orders(20_000)
    database.execute("ANALYZE orders")
    own = service(exports={"wide": series(ROWS, WIDE), "bad": fails_at(10_000, ROWS)}, EXPORTD_LOG_LEVEL="error",
                  EXPORTD_LIMITS_COUNT_TIMEOUT="1ms", EXPORTD_LOOP_MAX_DELAY="1m",
                  EXPORTD_LIMITS_REQUESTS_PER_MINUTE="0")
    load = Soak(own, database, wide_body(ROWS))
    load.run(seconds, every)
    assert load.wrong == []
    assert all(load.counts[kind] > 0 for kind in ("whole", "slow", "left", "failed", "looked", "report"))
    poll_until(lambda: not database.busy(), 10, "nothing busy in the database")
    return load


def test_half_a_minute_of_mixed_load_is_right_and_keeps_nothing(service, database):
    load = soak(service, database, seconds=30, every=0.5)
    assert load.growth() < 24 * MIB


@pytest.mark.long(minutes=90)
def test_an_hour_of_mixed_load_keeps_memory_flat(service, database):
    minutes = float(os.environ.get("EXPORTD_SOAK_MINUTES", "60"))
    load = soak(service, database, seconds=60 * minutes, every=minutes)
    save(load, SOURCE / "build/tests/soak")
    assert load.growth() < 8 * MIB
