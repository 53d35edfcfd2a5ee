"""Checks once that there is something to test."""

import pytest
from cli import BINARY, ROOT


@pytest.fixture(scope="session", autouse=True)
def binary():
    if not BINARY.is_file():
        pytest.exit(f"{BINARY} is not there: build it with `cargo build`, or name it with REFRAIN_BIN", returncode=2)


def pytest_runtest_logreport(report):
    """Counts skipped tests with those of Rust (tests/skipped.rs)."""
    if report.skipped and isinstance(report.longrepr, tuple):
        reason = report.longrepr[2].removeprefix("Skipped: ")
        with open(ROOT / "target" / "skipped-tests.txt", "a", encoding="utf-8") as skipped:
            skipped.write(f"{report.nodeid}: {reason}\n")
