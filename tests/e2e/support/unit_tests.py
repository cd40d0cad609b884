"""Hidden cases of the unit test binary that need a server which a test of this directory starts."""

import os
import subprocess

import pytest


def run_unit_tests(tag, environment):
    """Runs the cases of a tag; AssertionError with their output unless some ran and all passed."""
    binary = os.environ.get("EXPORTD_TEST_UNIT_BINARY")
    if not binary:
        pytest.skip("EXPORTD_TEST_UNIT_BINARY does not name the unit test binary")
    own = {key: value for key, value in os.environ.items() if not key.startswith("EXPORTD_")}
    done = subprocess.run([binary, f"[{tag}]"], env={**own, **environment}, text=True, timeout=55,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    assert done.returncode == 0 and "All tests passed" in done.stdout, done.stdout
