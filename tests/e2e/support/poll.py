"""Waiting for something to become true, with a deadline."""

import time


def poll_until(condition, deadline=5.0, what="the condition", every=0.02):
    """The first truthy value of condition(); AssertionError after `deadline` seconds."""
    end = time.monotonic() + deadline
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() >= end:
            raise AssertionError(f"{what} did not come true within {deadline} s (last: {value!r})")
        time.sleep(every)
