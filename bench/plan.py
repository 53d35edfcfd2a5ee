#!/usr/bin/env python3
"""What `refrain dedup --plan` predicts, compared with what the run then takes; and how `refrain dedup` grows in extreme cases.

    python bench/plan.py --refrain target/release/refrain --bench target/release/refrain-bench

sizes   Collections of several sizes (--words), grown from the base by `refrain-bench grow`: each is planned, then deduplicated, by
        block and by document, by exact copies, and counted. The table shows the predicted figure divided by the measured one: the
        median of several rounds (--rounds), each of which plans and runs one after the other.
kinds   The same for collections of different kinds, see plan_collections.py. No rule of the plan was chosen on those that are
        named last.
growth  20,000 near-identical documents, one n-gram in a million documents, and one document of 1 GB, each compared with smaller
        collections of the same kind: CPU seconds and peak memory.
"""

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

import dedup
import plan_collections
import recorded
from dedup import BASE, DATA, PLAIN, ROOT, empty, lines

WORK = DATA / "plan"
UNITS = {
    "blocks": [],
    "documents": ["--by", "document"],
    "exact": ["--exact"],
    "count": ["--count-only"],
}
WITHIN = 0.25


def size(folder):
    """Bytes of the files below a folder, files that vanish meanwhile left aside."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(place, name)).st_size
            except OSError:
                pass
    return total


def measured(command, temporary):
    """Runs a command. Returns seconds, CPU seconds, peak memory, and the peak of its temporary files."""
    peak, ended = 0, threading.Event()

    def watch():
        nonlocal peak
        while not ended.wait(0.02):
            peak = max(peak, size(temporary))

    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    watcher = threading.Thread(target=watch)
    watcher.start()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    ended.set()
    watcher.join()
    if process.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {process.returncode}")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, peak


def compare(refrain, inputs, unit):
    """Plans a run and does it. Returns pairs of what was predicted and what was measured."""
    temporary = empty(WORK) / "temporary"
    temporary.mkdir()
    output = WORK / "clean.jsonl"
    command = [refrain, "dedup", *inputs, *UNITS[unit], "--json", "--quiet", "--temporary", temporary]
    command += [] if unit == "count" else ["-o", output]
    done = subprocess.run([*command, "--plan"], stdout=subprocess.PIPE, check=True)
    plan = json.loads(done.stdout)
    seconds, cpu, memory, files = measured(command, temporary)
    written = output.stat().st_size if output.exists() else 0
    return plan["words"], {
        "memory": (plan["peak_memory"], memory),
        "disk": (plan["temporary_disk"], files),
        "output": (plan["output"], written),
        "CPU": (plan["cpu_seconds"], cpu),
        "seconds": (plan["seconds"], seconds),
    }


NAMES = ["memory", "disk", "output", "CPU", "seconds"]
HEADING = f"{'predicted / measured':20}{'M words':>9}" + "".join(f"{name:>9}" for name in NAMES)


def judge(refrain, inputs, unit, rounds, label):
    """Prints a row of the table. Returns what is recorded, and whether something was missed."""
    found, shares = 0, {}
    for _ in range(rounds):
        found, figures = compare(refrain, inputs, unit)
        for name in NAMES:
            if figures[name][1]:
                shares.setdefault(name, []).append(figures[name][0] / figures[name][1])
    shares = {name: statistics.median(of) for name, of in shares.items()}
    wrong = [name for name, share in shares.items() if abs(share - 1) > WITHIN]
    cells = "".join(f"{shares[name]:9.2f}" if name in shares else f"{'':9}" for name in NAMES)
    print(f"{label:20}{found / 1e6:9.1f}{cells}{'  missed: ' + ', '.join(wrong) if wrong else ''}", flush=True)
    return [(name, share) for name, share in shares.items()], bool(wrong)


def sizes(refrain, bench, words, rounds):
    print(HEADING)
    missed, rows = False, []
    for count in words:
        path, note = dedup.grow(bench, count)
        for unit in UNITS:
            shares, wrong = judge(refrain, [path], unit, rounds, unit)
            missed |= wrong
            rows += [(f"{unit}, {count / 1e6:g} M words", f"{name} / measured", f"{share:.3f}") for name, share in shares]
        path.unlink()
        note.unlink()
    return not missed, rows


def kinds(refrain, bench, words, rounds):
    print(f"\n{HEADING}")
    missed, rows = False, []
    DATA.mkdir(parents=True, exist_ok=True)
    for kind in (*plan_collections.TUNED, *plan_collections.HELD):
        inputs, files = plan_collections.collection(kind, words, DATA, refrain, bench)
        for unit in UNITS:
            shares, wrong = judge(refrain, inputs, unit, rounds, f"{kind}, {unit}")
            missed |= wrong
            rows += [(f"{kind}, {unit}", f"{name} / measured", f"{share:.3f}") for name, share in shares]
        for file in files:
            file.unlink()
    return not missed, rows


def near(path, count, vocabulary, chance):
    """Documents of 300 words that differ in seven of them."""
    text = [chance.choice(vocabulary) for _ in range(300)]
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            words = list(text)
            for _ in range(7):
                words[chance.randrange(len(words))] = chance.choice(vocabulary)
            blocks = (" ".join(words[at : at + 50]) for at in range(0, len(words), 50))
            file.write(json.dumps({"id": str(number), "text": "\n\n".join(blocks)}) + "\n")


def one(path, count, vocabulary, chance):
    """Short documents that share one n-gram."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            before, after = (" ".join(chance.choices(vocabulary, k=12)) for _ in range(2))
            text = f"{before}\n\nwe use cookies to count our visits\n\n{after}"
            file.write(json.dumps({"id": str(number), "text": text}) + "\n")


def large(path, megabytes, vocabulary, chance):
    """One document."""
    left = megabytes * 1_000_000
    with path.open("w", encoding="utf-8") as file:
        while left > 0:
            text = " ".join(chance.choices(vocabulary, k=80)) + "\n\n"
            file.write(text)
            left -= len(text)


GROWTH = [
    ("near-identical", near, (5_000, 20_000), [], "documents"),
    ("near-identical", near, (5_000, 20_000), ["--by", "document"], "documents"),
    ("one n-gram", one, (250_000, 1_000_000), ["--memory", "128M"], "documents"),
    ("one document", large, (250, 1_000), ["--max-document", "2G"], "MB"),
]


def growth(refrain, megabytes):
    print(f"\n{'':34}{'size':>22}{'CPU s':>9}{'growth':>8}{'peak MB':>9}")
    rows = []
    texts = (json.loads(line)["text"] for line in lines(BASE))
    vocabulary = sorted({word for _, text in zip(range(2000), texts) for word in text.split() if word.isalpha()})
    for name, make, counts, options, unit in GROWTH:
        counts = megabytes if make is large else counts
        first = None
        for count in counts:
            temporary = empty(WORK) / "temporary"
            temporary.mkdir()
            path = WORK / ("input.txt" if make is large else "input.jsonl")
            make(path, count, vocabulary, random.Random(count))
            command = [refrain, "dedup", path, *options, "-o", WORK / "clean.jsonl", "--quiet", "--temporary", temporary]
            _, cpu, memory, _ = measured(command, temporary)
            first = first or (count, cpu)
            # How much longer each document takes than in the smaller collection.
            slower = cpu / count / (first[1] / first[0])
            about = " ".join([name, *options])
            print(f"{about:34}{f'{count:,} {unit}':>22}{cpu:9.1f}{slower:8.2f}{memory / 1e6:9.0f}", flush=True)
            sized = f"{about}, {count} {unit}"
            rows += [(sized, "cpu_seconds", f"{cpu:.2f}"), (sized, "growth", f"{slower:.3f}"), (sized, "peak_bytes", memory)]
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bench", type=Path, default=ROOT / "target/release/refrain-bench", help="refrain-bench")
    parser.add_argument("--refrain", type=Path, default=ROOT / "target/release/refrain", help="refrain")
    parser.add_argument("--words", type=float, nargs="+", default=[0.02, 0.06, 0.2], help="sizes of collections, in G words")
    parser.add_argument("--only", choices=["sizes", "kinds", "growth"], help="one of the parts")
    parser.add_argument("--rounds", type=int, default=3, help="times that each collection is planned and run")
    parser.add_argument("--of-kind", type=float, default=0.02, help="size of the collections of different kinds, in G words")
    parser.add_argument("--megabytes", type=int, nargs=2, default=[250, 1000], help="sizes of the one document")
    parser.add_argument("--record", action="store_true", help="keep the figures under bench/record/")
    arguments = parser.parse_args()
    refrain, bench = arguments.refrain.resolve(), arguments.bench.resolve()
    if not BASE.is_file():
        print(f"{BASE} is not there")
        return 2
    DATA.mkdir(parents=True, exist_ok=True)
    if not PLAIN.is_file():
        with PLAIN.open("w", encoding="utf-8") as file:
            file.writelines(lines(BASE))
    ok, rows = True, []
    if arguments.only in (None, "sizes"):
        ok, rows = sizes(refrain, bench, [round(count * 1e9) for count in arguments.words], arguments.rounds)
    if arguments.only in (None, "kinds"):
        good, more = kinds(refrain, bench, round(arguments.of_kind * 1e9), arguments.rounds)
        ok, rows = ok and good, rows + more
    if arguments.only in (None, "growth"):
        rows += growth(refrain, arguments.megabytes)
    if arguments.record:
        recorded.write("-".join(["plan", *([arguments.only] if arguments.only else [])]), rows)
    shutil.rmtree(WORK, ignore_errors=True)
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
