"""The Python blocks of all documents run as printed, one after the other, next to a copy of the samples."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, SAMPLES

import refrain

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DOCUMENTS = [
    path
    for path in [ROOT / "README.md", ROOT / "python/README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if BLOCK.search(path.read_text())
]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the commands above the blocks wrote."""
    folder = tmp_path_factory.mktemp("documents")
    refrain.corpus(str(SAMPLES / "crawl.warc.gz"), folder / "corpus/")
    refrain.convert(SAMPLES / "crawl.warc.gz", folder / "pages/", format="hf")
    return folder


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_python_runs_as_printed(document: Path, prepared: Path, tmp_path: Path) -> None:
    shutil.copytree(prepared, tmp_path, dirs_exist_ok=True)
    shutil.copytree(SAMPLES, tmp_path / "samples")
    script = tmp_path / "blocks.py"
    script.write_text("\n".join(BLOCK.findall(document.read_text())))
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
