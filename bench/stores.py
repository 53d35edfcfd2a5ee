#!/usr/bin/env python3
"""How fast refrain reads from S3 on loopback, compared with local files, in the same run.

    python bench/stores.py

Uses the inputs of bench/read.py, and a Parquet file made of them. The server is `refrain-bench serve`: without credentials and
encryption, so that what is measured is the way from a socket to a document. Each pair of runs takes turns.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import time

from read import DATA, prepare
from recorded import ROOT, cpu_model, refrain_version

BINARY = ROOT / "target" / "release" / "refrain"
BENCH = ROOT / "target" / "release" / "refrain-bench"
GOAL = 0.95


def timed(*arguments, environment=None):
    """The seconds that a run takes, and the CPU seconds of refrain."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([BINARY, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = lambda usage: usage.ru_utime + usage.ru_stime
    return seconds, cpu(after) - cpu(before)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    prepare()
    table = DATA / "parquet" / "pages.parquet"
    if not table.is_file():
        table.parent.mkdir(exist_ok=True)
        subprocess.run([BINARY, "convert", DATA / "jsonl", "-o", table, "--quiet"], check=True)
    server = subprocess.Popen([BENCH, "serve", DATA], stdout=subprocess.PIPE, text=True)
    try:
        endpoint = server.stdout.readline().strip()
        environment = {**os.environ, "AWS_ENDPOINT_URL": endpoint, "NO_PROXY": "127.0.0.1"}
        cases = [
            ("list", "warc", "", ["list"]),
            ("list", "jsonl", "", ["list"]),
            ("extract", "warc", "", ["extract", "--quiet"]),
            ("convert", "parquet", "pages.parquet", ["convert", "--quiet"]),
            ("convert", "jsonl", "", ["convert", "--quiet"]),
        ]
        print(f"{cpu_model()}, refrain {refrain_version()}, {arguments.rounds} rounds")
        print("share of the speed of local files, by the medians of time; goal " + str(GOAL))
        print(f"{'verb':<10}{'input':<10}{'local s':>9}{'S3 s':>9}{'speed':>8}{'CPU':>8}")
        for verb, folder, name, command in cases:
            here, there = [], []
            for _ in range(arguments.rounds):
                here.append(timed(*command, DATA / folder / name))
                there.append(timed(*command, f"s3://{folder}/{name}", environment=environment))
            median = lambda runs, at: statistics.median(run[at] for run in runs)
            speed = median(here, 0) / median(there, 0)
            cpu = median(here, 1) / median(there, 1)
            print(f"{verb:<10}{folder:<10}{median(here, 0):>9.3f}{median(there, 0):>9.3f}{speed:>8.2f}{cpu:>8.2f}")
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    sys.exit(main())
