"""Ports for the processes that tests start."""

import itertools
import random
import socket

# Below the range that the system gives to outgoing connections, and each only once: a port that
# was looked up is neither given out again nor taken by a client before its server listens.
_FIRST, _LAST = 20_000, 32_000
_candidates = itertools.islice(
    itertools.cycle(range(_FIRST, _LAST)), random.SystemRandom().randrange(_LAST - _FIRST), None)


def free_port():
    """A port of 127.0.0.1 that nothing listens on and that no other call gets."""
    for port in itertools.islice(_candidates, _LAST - _FIRST):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise RuntimeError(f"no port of {_FIRST} to {_LAST} is free")
