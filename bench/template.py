#!/usr/bin/env python3
"""How well and how fast `refrain template` tells content from templates.

    python bench/template.py paper --sites folder --refrain target/release/refrain
    python bench/template.py bench --sites folder --refrain target/release/refrain

paper  the table of the FindOptimal paper (n, a, accuracy, recall, precision, F1) for each set: published method and default.
bench  seconds and memory for 1, 4, 16, 64 and 256 MB of pages, on two threads.

A set is a file of JSON lines, plain or packed with zstd: {site, id, html, content_ranges}, in code points of the normalised page.
"""

import argparse
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path


def lines(path):
    data = path.read_bytes()
    if path.suffix == ".zst":
        data = subprocess.run(["zstd", "-dcq", str(path)], check=True, capture_output=True).stdout
    return data.decode().splitlines()


def common(a, b):
    total = i = j = 0
    while i < len(a) and j < len(b):
        total += max(0, min(a[i][1], b[j][1]) - max(a[i][0], b[j][0]))
        if a[i][1] < b[j][1]:
            i += 1
        else:
            j += 1
    return total


def values(gold, found):
    letters = content = kept = both = 0
    for page, other in zip(gold, found):
        letters += page["norm_chars"]
        content += sum(end - start for start, end in page["content_ranges"])
        kept += sum(end - start for start, end in other["content_ranges"])
        both += common(page["content_ranges"], other["content_ranges"])
    precision = both / kept if kept else 0.0
    recall = both / content if content else 1.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return (letters - content - kept + 2 * both) / letters, recall, precision, f1


def run(refrain, path, *options):
    command = [refrain, "template", path, "--text-field", "html", "--quiet", *options]
    return subprocess.run([str(part) for part in command], check=True, capture_output=True).stdout.decode()


def paper(arguments):
    means = [[], []]
    print(f"{'set':26}  {'n':>4} {'a':>4}  published: acc. recall prec. F1    default: acc. recall prec. F1")
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(Path(arguments.sites).glob("*.jsonl*")):
            plain = Path(folder) / "set.jsonl"
            text = lines(path)
            plain.write_text("\n".join(text) + "\n")
            gold = [json.loads(line) for line in text]
            cut = json.loads(run(arguments.refrain, plain, "--method", "findoptimal", "--json"))
            row = []
            for number, options in enumerate((("--method", "findoptimal"), ())):
                out = run(arguments.refrain, plain, *options, "--ranges", "normalised")
                row.append(values(gold, [json.loads(line) for line in out.splitlines()]))
                means[number].append(row[-1])
            shown = "    ".join(" ".join(f"{value:.3f}" for value in part) for part in row)
            print(f"{path.name.split('.')[0]:26}  {cut['n']:4} {cut['a']:4}  {shown}", flush=True)
    rows = ["    ".join(" ".join(f"{sum(v) / len(v):.3f}" for v in zip(*part)) for part in means)]
    print(f"{'mean':26}  {'':9}  {rows[0]}")


def bench(arguments):
    pages = [line for path in sorted(Path(arguments.sites).glob("*.jsonl*")) for line in lines(path)]
    print(f"{'MB':>5} {'seconds':>8} {'s/MB':>7} {'peak MB':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for size in (1, 4, 16, 64, 256):
            path, out = Path(folder) / "pages.jsonl", Path(folder) / "out.jsonl"
            with path.open("w") as file:
                written = number = 0
                while written < size << 20:
                    line = pages[number % len(pages)] + "\n"
                    file.write(line)
                    written += len(line.encode())
                    number += 1
            start = time.perf_counter()
            command = [arguments.refrain, "template", path, "--text-field", "html", "--ranges", "normalised", "--threads", "2", "-o", out, "-q"]
            process = subprocess.Popen([str(part) for part in command])
            _, _, usage = os.wait4(process.pid, 0)
            seconds = time.perf_counter() - start
            print(f"{size:5} {seconds:8.2f} {seconds / size:7.3f} {usage.ru_maxrss >> 10:8}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("paper", "bench"))
    parser.add_argument("--sites", required=True)
    parser.add_argument("--refrain", required=True)
    arguments = parser.parse_args()
    {"paper": paper, "bench": bench}[arguments.what](arguments)


if __name__ == "__main__":
    main()
