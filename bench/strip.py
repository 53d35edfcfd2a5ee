#!/usr/bin/env python3
"""How well and how fast `refrain strip` removes licences from books, compared with gutenberg-cleaner.

    python bench/strip.py --books folder --gold strip_gold.tsv --scorer eval_strip.py

Parts (--only, with commas between them):

quality  books with boundaries set by hand, in the whole collection: the default method, with and without evidence of these
         very books, the published method, the generic profile, and gutenberg-cleaner.
speed    learning and marking, on two threads, over the collection replicated to 2 GB, and over as much whose bodies are
         all different; MB/s by the size of the files, compared with gutenberg-cleaner over one copy of it, in turn.
counting lines counted by the hashed counter, compared with sort | uniq -c of the same lines, in one run.
memory   of the hashed counter, over one copy of the collection and over all.

Where the needed packages are missing, an environment of its own is made: .venv-strip/.
"""

import argparse
import datetime
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

from compare import measured, verdict
from read import RECORDS, ROOT, cpu_model, refrain_version

DATA = ROOT / "bench-data" / "strip"
VENV = ROOT / ".venv-strip"
PARTS = ("quality", "speed", "counting", "memory")
BYTES = 2_000_000_000
FASTER, COUNTING = 50, 10
ARRAY, MEMORY = 1 << 23, 64 << 20
# Preamble exact and within 10 lines, epilogue exact and within 10 lines, both exact, and preamble exact of old books.
TARGETS = (0.92, 0.99, 0.98, 1.00, 0.89, 0.85)

PEER = r"""
import json, re, sys, time
from pathlib import Path
from gutenberg_cleaner import simple_cleaner

def lines(path):
    return path.read_bytes().decode("utf-8", errors="replace").split("\n")

def boundaries(path):
    # Each line carries its number behind it, so that the lines that stay can be told.
    all_lines = [line.rstrip() for line in lines(path)]
    text = "\n".join(f"{line}\x01{number}" for number, line in enumerate(all_lines, 1))
    stay = [int(number) for number in re.findall("\x01([0-9]+)", simple_cleaner(text))]
    if not stay:
        return 0, 0
    before = [number for number in range(1, stay[0]) if all_lines[number - 1].strip()]
    behind = [number for number in range(stay[-1] + 1, len(all_lines) + 1) if all_lines[number - 1].strip()]
    return (before[-1] if before else 0), (behind[0] if behind else 0)

paths = sorted(Path(sys.argv[2]).glob("*.txt"))
if sys.argv[1] == "boundaries":
    for path in paths:
        print(path.stem, *boundaries(path), sep="\t")
else:
    size, start = 0, time.perf_counter()
    for path in paths:
        book = path.read_bytes()
        size += len(book)
        simple_cleaner(book.decode("utf-8", errors="replace"))
    print(json.dumps({"bytes": size, "seconds": time.perf_counter() - start}))
"""

rows = []


def record(part, name, value, target=""):
    rows.append((part, name, value, target))


def peer(*arguments):
    """Runs gutenberg-cleaner. Returns what it prints; none where it cannot be had."""
    python = VENV / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
        command = [python, "-m", "pip", "install", "--quiet", "-r", ROOT / "bench" / "requirements-strip.txt"]
        if subprocess.run(command).returncode != 0:
            shutil.rmtree(VENV, ignore_errors=True)
            return None
    command = [python, "-c", PEER, *map(str, arguments)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


# ---------------------------------------------------------------- quality


def quality(refrain, bench, books, gold, scorer):
    ids = DATA / "ids"
    ids.write_text("".join(line.split("\t")[0] + "\n" for line in gold.read_text().split("\n")[1:] if line))
    without = DATA / "without.evidence"
    subprocess.run([bench, "strip-evidence", books, "--without", ids, "--output", without], check=True, stderr=subprocess.DEVNULL)
    methods = [
        ("default", []),
        ("only evidence without these books", ["--evidence", without]),
        ("--method paper", ["--method", "paper"]),
        ("--method paper --heuristics", ["--method", "paper", "--heuristics"]),
        ("--profile generic", ["--profile", "generic"]),
    ]
    found = DATA / "found.tsv"
    print(f"\n{'exact / within 10 lines':<36}{'preamble':>14}{'epilogue':>14}{'both':>8}{'old books':>11}{'too much':>10}")
    for name, options in methods:
        subprocess.run([refrain, "strip", books, "--explain", "--format", "tsv", "-o", found, "--quiet", *options], check=True)
        score(name, gold, found, scorer, TARGETS if name == "default" else None)
    told = peer("boundaries", books)
    if told is None:
        print("gutenberg-cleaner cannot be installed here")
    else:
        found.write_text(told)
        score("gutenberg-cleaner", gold, found, scorer, None)


def score(name, gold, found, scorer, targets):
    command = [sys.executable, scorer, gold, found, "--by", "era", "--worst", "1000"]
    scores = json.loads(subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE).stdout)
    everything, old = scores["all"], scores.get("old", scores["all"])
    values = [everything["preamble"]["exact"], everything["preamble"]["within_10"], everything["epilogue"]["exact"],
              everything["epilogue"]["within_10"], everything["both_exact"], old["preamble"]["exact"]]
    # Lines of the body that were taken: a preamble that ends too late, or an epilogue that begins too early.
    taken = [max(book["pre_err"], -book["epi_err"], 0) for book in scores["worst"]]
    lost = sum(lines > 0 for lines in taken)
    good = not targets or (all(value >= target for value, target in zip(values, targets)) and lost <= 1 and max(taken) <= 5)
    print(f"{name:<36}{values[0]:>7.2f} / {values[1]:.2f}{values[2]:>7.2f} / {values[3]:.2f}{values[4]:>8.2f}{values[5]:>11.2f}"
          f"{lost:>10}{verdict(good)}")
    for part, value, target in zip(("preamble exact", "preamble within 10", "epilogue exact", "epilogue within 10", "both exact",
                                    "old books, preamble exact"), values, targets or [""] * 6):
        record("quality", f"{name}: {part}", value, target)
    record("quality", f"{name}: books that lose lines of their bodies", lost, 1 if targets else "")


# ---------------------------------------------------------------- speed


def replicas(books, name, change):
    """Copies of the collection in folders, 2 GB of them."""
    folder = DATA / name
    if not (folder / "ready").exists():
        shutil.rmtree(folder, ignore_errors=True)
        paths, size, copy = sorted(books.glob("*.txt")), 0, 0
        while size < BYTES:
            (folder / f"copy{copy:02}").mkdir(parents=True)
            for path in paths:
                book = change(path.read_bytes(), copy)
                (folder / f"copy{copy:02}" / path.name).write_bytes(book)
                size += len(book)
            copy += 1
        (folder / "ready").touch()
    copies = sorted(path for path in folder.iterdir() if path.is_dir())
    return copies, sum(path.stat().st_size for copy in copies for path in copy.iterdir())


def with_another_body(book, copy):
    """The same book with the letters of its body moved on, but for 300 lines in front and 450 at the end."""
    lines = book.split(b"\n")
    small = bytes(range(97, 123))
    moved = small[copy + 1:] + small[:copy + 1]
    table = bytes.maketrans(small + small.upper(), moved + moved.upper())
    return b"\n".join([*lines[:300], *(line.translate(table) for line in lines[300:-450]), *lines[max(300, len(lines) - 450):]])


def speed(refrain, books, rounds):
    same, size = replicas(books, "same", lambda book, _: book)
    other, other_size = replicas(books, "other", with_another_body)
    command = [refrain, "strip", "--explain", "--format", "tsv", "-o", DATA / "found.tsv", "--quiet", "--threads", "2"]
    runs = {"peer": [], "same": [], "other": []}
    for copies in same, other:
        measured([*command, *copies])
    for _ in range(rounds):
        told = peer("time", books)
        if told is None:
            sys.exit("gutenberg-cleaner cannot be installed here, and the speed is measured in comparison with it")
        told = json.loads(told)
        runs["peer"].append(told["bytes"] / 1e6 / told["seconds"])
        runs["same"].append(size / 1e6 / measured([*command, *same])[1])
        runs["other"].append(other_size / 1e6 / measured([*command, *other])[1])
    middle = {name: statistics.median(speeds) for name, speeds in runs.items()}
    print(f"\n{'learning and marking':<36}{'GB':>6}{'MB/s':>8}{'slowest':>9}{'fastest':>9}{'times':>8}{'target':>8}")
    names = {"peer": "gutenberg-cleaner", "same": "refrain, collection replicated", "other": "refrain, all bodies different"}
    sizes = {"peer": told["bytes"], "same": size, "other": other_size}
    for name, speeds in runs.items():
        times = middle[name] / middle["peer"]
        target = FASTER if name == "same" else ""
        print(f"{names[name]:<36}{sizes[name] / 1e9:>6.2f}{middle[name]:>8.1f}{min(speeds):>9.1f}{max(speeds):>9.1f}{times:>8.1f}"
              f"{target:>8}{verdict(name != 'same' or times >= FASTER)}")
        record("speed", f"{names[name]}, MB/s", round(middle[name], 1))
        record("speed", f"{names[name]}, times gutenberg-cleaner", round(times, 1), target)


# ---------------------------------------------------------------- counting and memory


def counting(bench, books):
    out = DATA / "counting"
    subprocess.run([bench, "paper-strip", books, "--output", out, "--only", "figure9"], check=True, stdout=subprocess.DEVNULL)
    table = [line.split("\t") for line in (out / "figure9.tsv").read_text().splitlines()]
    head = table[0]
    print(f"\n{'counting lines':<36}{'threads':>9}{'MB/s':>8}{'times sort | uniq -c':>24}{'target':>8}")
    for cells in table[1:]:
        row = dict(zip(head, cells))
        name = row["structure"] + (f", {row['counters']} counters" if row["counters"] else "")
        is_hashed = row["structure"] == "hashed" and row["threads"] == "2"
        times = float(row["times sort"])
        print(f"{name:<36}{row['threads']:>9}{row['MB/s']:>8}{times:>24.1f}{COUNTING if is_hashed else '':>8}"
              f"{verdict(not is_hashed or times >= COUNTING)}")
        record("counting", f"{name}, {row['threads'] or 'own'} threads, times sort | uniq -c", times, COUNTING if is_hashed else "")


def memory(refrain, books):
    same, size = replicas(books, "same", lambda book, _: book)
    command = [refrain, "strip", "--method", "paper", "--counter", "hashed", "--explain", "--format", "tsv",
               "-o", DATA / "found.tsv", "--quiet", "--threads", "2"]
    print()
    for copies in same[:1], same:
        _, seconds, peak = measured([*command, *copies])
        good = peak <= ARRAY + MEMORY
        print(f"hashed counter of {ARRAY >> 20} MiB, {len(copies)} copies of the collection: {peak / (1 << 20):.1f} MiB "
              f"(at most {(ARRAY + MEMORY) >> 20}), {seconds:.1f} s{verdict(good)}")
        record("memory", f"hashed, {len(copies)} copies, MiB", round(peak / (1 << 20), 1), (ARRAY + MEMORY) >> 20)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--refrain", default=ROOT / "target/release/refrain", type=Path)
    parser.add_argument("--bench", default=ROOT / "target/release/refrain-bench", type=Path)
    parser.add_argument("--books", type=Path, required=True, help="folder of plain text files")
    parser.add_argument("--gold", type=Path, required=True, help="table with tabs: id, preamble_end, epilogue_start, lines, era")
    parser.add_argument("--scorer", type=Path, required=True, help="eval_strip.py")
    parser.add_argument("--only", default=",".join(PARTS), help="parts, with commas between them")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--record", action="store_true", help="keep the figures under bench/record/")
    arguments = parser.parse_args()
    for path in arguments.books, arguments.gold, arguments.scorer:
        if not path.exists():
            sys.exit(f"{path} is not there; say where it is")
    DATA.mkdir(parents=True, exist_ok=True)
    machine = f"{cpu_model()}, {len(os.sched_getaffinity(0))} cores, {platform.system()} {platform.release()}"
    print(f"{datetime.date.today()}, {machine}\nrefrain {refrain_version()}, python {platform.python_version()}")
    parts = arguments.only.split(",")
    if "quality" in parts:
        quality(arguments.refrain, arguments.bench, arguments.books, arguments.gold, arguments.scorer)
    if "speed" in parts:
        speed(arguments.refrain, arguments.books, arguments.rounds)
    if "counting" in parts:
        counting(arguments.bench, arguments.books)
    if "memory" in parts:
        memory(arguments.refrain, arguments.books)
    if arguments.record:
        folder = RECORDS / f"{platform.system().lower()}-{platform.machine()}"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{datetime.date.today()}-strip.csv"
        lines = ["part,what,value,target", *(",".join(f'"{cell}"' if "," in str(cell) else str(cell) for cell in row) for row in rows)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"recorded in {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
