#!/usr/bin/env python3
"""Compare two builds of refrain: CPU time, peak memory and outputs of every verb on the same inputs.

    python bench/side_by_side.py --old path/to/refrain --new target/release/refrain

Runs both builds alternately, and which of them runs first alternates, too. Prints medians of CPU time (user and system) and of
peak memory, and whether the outputs are equal, byte for byte. Other programs on the machine affect CPU time by a few per cent:
run a case with a ratio near the limit again, alone (--only). Uses the inputs of the other benchmarks.
"""

import argparse
import datetime
import hashlib
import os
import platform
import shutil
import statistics
import sys
from pathlib import Path

import compare
import decode
import dedup
import extract
import read
from read import ROOT, cpu_model

DATA = ROOT / "bench-data" / "side-by-side"
LIMIT = 1.05
LEAST = 0.02, 4  # seconds and MiB: smaller differences do not count
# Facts about one run or one build, in outputs that are otherwise comparable.
VOLATILE = {"manifest.json", "library.json"}


def unpacked(path):
    """A compressed file as a plain one."""
    plain = DATA / path.name.removesuffix(".zst")
    if not plain.exists():
        with plain.open("w", encoding="utf-8") as file:
            file.writelines(extract.lines(path))
    return plain


def cases(shared, books, editions):
    """Name of each case, and its arguments. OUT is a fresh path; PREPARED is what an earlier case with this build wrote."""
    read.prepare()
    extract.prepare(extract.PAGES)
    dedup.prepare(dedup.BASE, dedup.MAKER)
    decode.prepare(decode.DOCUMENTS, decode.TEXTS)
    warc, jsonl = read.DATA / "warc" / "pages-0.warc.gz", dedup.planted(dedup.SEEDS[0])[0]
    pages = ["--text-field", "html"]
    sites, texts = sorted((shared / "sites" / "dev").glob("[a-k]*.jsonl.zst")), unpacked(shared / "reuse" / "speed1k.jsonl.zst")
    essay = DATA / "essay.txt"
    essay.write_text(compare.objects(texts)[0]["text"], encoding="utf-8")
    return {
        "corpus, WARC": ["corpus", warc, "-o", "OUT/"],
        "corpus, JSONL": ["corpus", extract.HTML, *pages, "--text-is", "html", "-o", "OUT/"],
        "convert to Parquet": ["convert", jsonl, "-o", "OUT.parquet"],
        "convert to vertical": ["convert", jsonl, "-o", "OUT.vert"],
        "convert to JSONL": ["convert", jsonl, "-o", "OUT.jsonl"],
        "extract": ["extract", extract.HTML, *pages, "-o", "OUT.jsonl"],
        "extract, jusText": ["extract", extract.HTML, *pages, "--method", "justext", "-o", "OUT.jsonl"],
        "decode --detect": ["decode", "--detect", decode.FOLDER, "--format", "jsonl", "-o", "OUT.jsonl"],
        "decode": ["decode", decode.FOLDER, "-o", "OUT/"],
        "dedup": ["dedup", jsonl, "-o", "OUT.jsonl"],
        "dedup --by document": ["dedup", jsonl, "--by", "document", "-o", "OUT.jsonl"],
        "dedup --exact": ["dedup", jsonl, "--exact", "-o", "OUT.jsonl"],
        "dedup --memory 128M": ["dedup", jsonl, "--memory", "128M", "-o", "OUT.jsonl"],
        "dedup --count-only": ["dedup", jsonl, "--count-only"],
        "strip": ["strip", books, "-o", "OUT/"],
        "strip --explain": ["strip", books, "--explain", "--format", "tsv", "-o", "OUT.tsv"],
        "template": ["template", *sites, *pages, "-o", "OUT.jsonl"],
        "template --ranges": ["template", *sites, *pages, "--ranges", "normalised", "-o", "OUT.jsonl"],
        "compare": ["compare", texts, "--format", "jsonl", "-o", "OUT.jsonl"],
        "compare --no-passages": ["compare", texts, "--no-passages", "--format", "jsonl", "-o", "OUT.jsonl"],
        "editions": ["editions", editions, "--format", "tsv", "-o", "OUT.tsv"],
        "library add": ["library", "add", "OUT", texts],
        "library check": ["library", "check", "PREPARED", essay, "--json"],
    }


def digests(path):
    """Digest of every file below a path."""
    files = [path] if path.is_file() else sorted(each for each in path.rglob("*") if each.is_file())
    return {str(file.relative_to(path)): hashlib.sha256(file.read_bytes()).digest() for file in files if file.name not in VOLATILE}


def once(program, name, arguments, threads):
    """CPU seconds, peak memory in MiB, and the digests of what was written."""
    folder, prepared = DATA / name, DATA / f"{name}-library"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    if "PREPARED" in arguments and not prepared.exists():
        compare.measured([program, "library", "add", prepared, DATA / "speed1k.jsonl", "--quiet"])
    words = [str(word).replace("OUT", str(folder / "out")).replace("PREPARED", str(prepared)) for word in arguments]
    cpu, _, peak = compare.measured([program, *words, "--threads", str(threads), "--quiet"])
    written = digests(folder)
    shutil.rmtree(folder)
    return cpu, peak / (1 << 20), written


def worse(old, new, least):
    return new > old * LIMIT and new - old > least


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--old", type=Path, required=True, help="the build to compare with")
    parser.add_argument("--new", type=Path, default=ROOT / "target/release/refrain", help="the build to judge")
    parser.add_argument("--shared", type=Path, default=dedup.SHARED / "data", help="folder with the collections")
    parser.add_argument("--books", type=Path, default=ROOT / "bench-data/books/strip", help="books for strip")
    parser.add_argument("--editions", type=Path, default=ROOT / "bench-data/editions", help="books for editions")
    parser.add_argument("--only", help="run the cases whose names contain this text")
    parser.add_argument("--pairs", type=int, default=5, help="runs of each build")
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    for path in given.old, given.new, given.shared, given.books, given.editions:
        if not path.exists():
            sys.exit(f"{path} does not exist; name it with its option (see --help)")
    DATA.mkdir(parents=True, exist_ok=True)
    builds = {"old": given.old.resolve(), "new": given.new.resolve()}
    for name in builds:
        shutil.rmtree(DATA / f"{name}-library", ignore_errors=True)
    print(f"{datetime.date.today()}, {cpu_model()}, {len(os.sched_getaffinity(0))} cores, {platform.system()} {platform.release()}")
    print(f"medians of {given.pairs} alternating runs with {given.threads} threads\n")
    print(f"{'':24}{'CPU s, old':>11}{'new':>8}{'ratio':>7}{'MiB, old':>10}{'new':>8}{'ratio':>7}  outputs")
    missed = 0
    for case, arguments in cases(given.shared, given.books, given.editions).items():
        if given.only and given.only not in case:
            continue
        runs = {name: [] for name in builds}
        for number in range(given.pairs):
            for name in sorted(builds, reverse=number % 2 == 0):
                runs[name].append(once(builds[name], name, arguments, given.threads))
        (old, old_peak), (new, new_peak) = ([statistics.median(run[i] for run in runs[name]) for i in (0, 1)] for name in builds)
        before, after = runs["old"][0][2], runs["new"][0][2]
        different = sum(before.get(file) != after.get(file) for file in before.keys() | after.keys())
        written = "none" if not before and not after else "equal" if not different else f"{different} of {len(before | after)} differ"
        slow = worse(old, new, LEAST[0]) or worse(old_peak, new_peak, LEAST[1])
        missed += slow
        print(f"{case:24}{old:11.2f}{new:8.2f}{new / old:7.2f}{old_peak:10.0f}{new_peak:8.0f}{new_peak / old_peak:7.2f}  {written}"
              f"{'  above the limit' if slow else ''}", flush=True)
    return missed > 0


if __name__ == "__main__":
    sys.exit(main())
