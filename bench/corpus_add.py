#!/usr/bin/env python3
"""What adding to a corpus costs, compared with building it.

    python bench/corpus_add.py --refrain target/release/refrain --bench target/release/refrain-bench

shares  A collection grown from the base by `refrain-bench grow` is built; then 1 % and 10 % of its size are added to it. The table shows
        the CPU seconds and the bytes read of each, as shares of the build. Each corpus must have the digest of one that was built at once.
months  The collection in twelve equal batches, one added after the other: the CPU seconds of each, and the size of the evidence.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import recorded
from dedup import BASE, DATA, ROOT, empty

WORK = DATA / "corpus-add"
TASKS = ["blocks", "documents", "exact"]
MONTHS = 12
# The goal: adding 1 % takes at most so large a share of the CPU seconds of a build.
MOST = 0.03


def measured(command):
    """Runs a command. Returns CPU seconds, and the bytes it read, from the system's memory or from disk."""
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL)
    # The figures of a process are there until it is waited for.
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    figures = dict(line.split(": ") for line in Path(f"/proc/{process.pid}/io").read_text().splitlines())
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime, int(figures["rchar"])


def corpus(refrain, task, output, *inputs, add=False):
    options = ["--dedup", task, "--format", "jsonl.zst", "--quiet"]
    return measured([refrain, "corpus", *inputs, "-o", output, *options, *(["--add"] if add else [])])


def digest(folder):
    return json.loads((folder / "manifest.json").read_text())["digest"]


def size(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def split(path, shares):
    """Files with consecutive lines of a file, by their shares of its bytes."""
    whole, parts = path.stat().st_size, []
    with path.open("rb") as lines:
        for number, share in enumerate(shares):
            part = WORK / f"{number:02}.jsonl"
            left = whole * share
            with part.open("wb") as out:
                while left > 0 and (line := lines.readline()):
                    out.write(line)
                    left -= len(line)
            parts.append(part)
    return parts


def shares(refrain, path, words):
    """Builds most of a collection, and adds the rest."""
    missed, rows = False, []
    old, one, ten = split(path, [100 / 111, 1 / 111, 1])
    print(f"{'':12}{'M words':>9}{'build, CPU s':>14}{'add 1 %':>9}{'read':>7}{'add 10 %':>10}{'read':>7}{'bytes a word':>14}")
    for task in TASKS:
        base, grown, whole = WORK / "base", WORK / "grown", WORK / "whole"
        cpu, read = corpus(refrain, task, base, old)
        found = []
        for more in one, ten:
            shutil.rmtree(grown, ignore_errors=True)
            shutil.copytree(base, grown)
            found.append(corpus(refrain, task, grown, more, add=True))
            shutil.rmtree(whole, ignore_errors=True)
            corpus(refrain, task, whole, old, more)
            if digest(grown) != digest(whole):
                sys.exit(f"{task}: the corpus that grew has other documents")
        evidence = size(base / "evidence") / (words * 100 / 111)
        cells = "".join(f"{more / cpu:{width}.4f}{bytes / read:7.3f}" for (more, bytes), width in zip(found, (9, 10)))
        print(f"{task:12}{words / 1e6:9.1f}{cpu:14.1f}{cells}{evidence:14.2f}", flush=True)
        rows += [(task, f"CPU of adding {name} / build", f"{more / cpu:.4f}") for name, (more, _) in zip(("1 %", "10 %"), found)]
        rows += [(task, "evidence, bytes a word", f"{evidence:.2f}")]
        missed |= task != "exact" and found[0][0] / cpu > MOST
        shutil.rmtree(base)
    return not missed, rows


def months(refrain, path, words):
    """Adds equal batches, one after the other."""
    batches, rows = split(path, [1 / MONTHS] * (MONTHS - 1) + [1]), []
    for task in TASKS:
        grown = WORK / "grown"
        shutil.rmtree(grown, ignore_errors=True)
        found = [corpus(refrain, task, grown, batch, add=number > 0)[0] for number, batch in enumerate(batches)]
        print(f"{task}, {words / 1e6 / MONTHS:.1f} M words a month; CPU seconds as shares of the first month:")
        print("  " + "  ".join(f"{seconds / found[0]:.2f}" for seconds in found), flush=True)
        rows += [(task, "CPU of month 12 / month 1", f"{found[-1] / found[0]:.3f}")]
    return True, rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--refrain", type=Path, default=ROOT / "target/release/refrain")
    parser.add_argument("--bench", type=Path, default=ROOT / "target/release/refrain-bench")
    parser.add_argument("--base", type=Path, default=BASE, help="the collection that is grown")
    parser.add_argument("--words", type=float, default=60, help="million words of the large collection")
    parser.add_argument("--only", choices=["shares", "months"])
    parser.add_argument("--record", action="store_true", help="keep the figures under bench/record/")
    arguments = parser.parse_args()
    empty(WORK)
    grown, plain = WORK / "all.jsonl", WORK / "base.jsonl"
    subprocess.run(["zstd", "-dqf", arguments.base, "-o", plain], check=True)
    command = [arguments.bench, "grow", plain, grown, "--words", str(int(arguments.words * 1e6))]
    words = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)["words"]
    done, rows = True, []
    for part in shares, months:
        if arguments.only in (None, part.__name__):
            reached, found = part(arguments.refrain, grown, words)
            done, rows = done and reached, rows + found
    shutil.rmtree(WORK)
    if arguments.record:
        recorded.write("corpus-add", rows)
    return 0 if done else 1


if __name__ == "__main__":
    sys.exit(main())
