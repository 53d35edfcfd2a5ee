"""Where things are, and how to run refrain."""

import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "samples"
SHARED = ROOT.parent / "shared" / "data"
BINARY = ROOT / os.environ.get("REFRAIN_BIN", "target/debug/refrain")

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason=f"no test data in {SHARED}")


def refrain(*arguments, failures=False):
    """Runs refrain and returns its standard output. With `failures`, some inputs may be damaged."""
    command = [BINARY, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT, timeout=300)
    assert done.returncode in ((0, 1) if failures else (0,)), done.stderr.decode()
    return done.stdout.decode()


def json_lines(text):
    """One object a line. JSON strings may hold line ends of other kinds, so only line feeds count."""
    return [json.loads(line) for line in text.split("\n") if line]
