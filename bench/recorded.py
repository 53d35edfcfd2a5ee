"""Keeps figures of a benchmark under bench/record/."""

import csv
import datetime
import platform
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECORDS = ROOT / "bench" / "record"


def cpu_model():
    try:
        return re.search(r"model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text())[1]
    except (OSError, TypeError):
        return platform.processor() or platform.machine()


def refrain_version():
    number = re.search(r'^version = "(.*)"', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)[1]
    described = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    return f"{number} ({described.stdout.decode().strip()})" if described.returncode == 0 else number


def write(name, rows):
    """Writes figures of refrain to a file of today: rows of an input, a measure and a value."""
    folder = RECORDS / f"{platform.system()}-{platform.machine()}".lower()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{datetime.date.today()}-{name}.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["tool", "version", "cpu", "input", "measure", "value"])
        writer.writerows(["refrain", refrain_version(), cpu_model(), *row] for row in rows)
    print(f"recorded in {path.relative_to(ROOT)}")
