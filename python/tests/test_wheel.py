"""The wheel installs in an empty environment, without a compiler and without other packages."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from conftest import SAMPLES

WHEEL = os.environ.get("REFRAIN_WHEEL")


@pytest.mark.skipif(not WHEEL, reason="no wheel was named; `make test-python-package` names one")
def test_the_wheel_needs_nothing(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    programs = tmp_path / "venv/bin"
    environment = {"PATH": str(programs), "HOME": str(tmp_path)}
    install = [programs / "python", "-m", "pip", "install", "--quiet", "--no-index", Path(str(WHEEL)).resolve()]
    subprocess.run(install, check=True, env=environment)
    code = """
import refrain, sys
texts = ["The keeper lit the lamp at dusk, and again when the fog came in."] * 2
assert refrain.dedup(texts, unit="document") == texts[:1]
assert refrain.dedup([{"text": text} for text in texts], unit="document", progress=True) == [{"text": texts[0]}]
assert refrain.decode(b"caf\\xe9").text
assert len(refrain.compare(texts)) == 1
try:
    refrain.convert(sys.argv[1])
except refrain.InputError as error:
    assert "pyarrow" in str(error)
else:
    raise AssertionError("a table without pyarrow")
refrain.convert(sys.argv[1], "notes.jsonl")
assert not {"pyarrow", "pandas", "numpy", "tqdm"} & set(sys.modules)
"""
    given = str(SAMPLES / "notes.zip")
    subprocess.run([programs / "python", "-c", code, given], check=True, env=environment, cwd=tmp_path)
    for program in ("refrain", "refrain-text"):
        done = subprocess.run([programs / program, "corpus", given, "-o", f"{program}/"], env=environment, cwd=tmp_path)
        assert done.returncode == 0


@pytest.mark.skipif(not WHEEL, reason="no wheel was named; `make test-python-package` names one")
def test_one_wheel_for_all_versions() -> None:
    assert "-cp310-abi3-" in str(WHEEL)
    names = zipfile.ZipFile(str(WHEEL)).namelist()
    assert {"refrain/py.typed", "refrain/_refrain.pyi", "refrain/__main__.py", "refrain/_refrain.abi3.so"} <= set(names)
