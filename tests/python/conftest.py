"""Checks once that there is something to test."""

import pytest
from cli import BINARY


@pytest.fixture(scope="session", autouse=True)
def binary():
    if not BINARY.is_file():
        pytest.exit(f"{BINARY} is not there: build it with `cargo build`, or name it with REFRAIN_BIN", returncode=2)
