#!/usr/bin/env python3
"""How fast refrain reads web archives, JSONL and HTML, compared with FastWARC; and whether its memory grows with the input.

    python bench/read.py --refrain target/release/refrain-bench

Makes its inputs under bench-data/ once, then runs everything in turn, several times, and takes medians. Needs the
packages of tests/python/requirements.txt.
"""

import argparse
import base64
import csv
import datetime
import hashlib
import io
import itertools
import json
import os
import platform
import re
import resource
import shutil
import statistics
import subprocess
import sys
import time
import uuid
import zlib
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import zstandard
from recorded import RECORDS, ROOT, cpu_model, refrain_version

PAGES = ROOT.parent / "shared" / "data" / "web" / "pages.jsonl.zst"
SAMPLES = ROOT / "samples" / "pages"
DATA = ROOT / "bench-data" / "read"

RECIPE = 1  # to be raised when the inputs change
FILES = 2
FILE_BYTES = 100_000_000
GROWTH = 8
DATE = "2024-01-01T00:00:00Z"


# ---------------------------------------------------------------- inputs


@dataclass
class Page:
    name: str
    body: bytes
    charset: str

    def text(self):
        return self.body.decode(self.charset, errors="replace")


def shared_pages():
    """Real pages."""
    with PAGES.open("rb") as file:
        lines = zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(file)
        for line in io.TextIOWrapper(lines, encoding="utf-8", newline="\n"):
            page = json.loads(line)
            if "html" in page:
                yield Page(page["id"], page["html"].encode(), "utf-8")
            else:
                yield Page(page["id"], base64.b64decode(page["html_base64"]), page["charset"])


def sample_pages():
    """The pages of the samples, where there are no others."""
    for path in sorted(SAMPLES.rglob("*.html")):
        yield Page(str(path.relative_to(SAMPLES)), path.read_bytes(), "utf-8")


def warc_record(kind, name, content_type, block):
    """A record as it stands in an archive."""
    header = (
        f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, name)}>\r\n"
        f"WARC-Date: {DATE}\r\nWARC-Target-URI: https://pages.example/{name}\r\n"
        f"Content-Type: {content_type}\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return header.encode() + block + b"\r\n\r\n"


def gzip_member(content):
    """One gzip member without a time in it."""
    packer = zlib.compressobj(6, wbits=31)
    return packer.compress(content) + packer.flush()


class Files:
    """The same pages as a web archive, as JSONL and as a folder of files."""

    def __init__(self, folder, number):
        self.html = folder / "html" / f"{number}"
        self.html.mkdir(parents=True)
        for name in "warc", "jsonl":
            (folder / name).mkdir(exist_ok=True)
        self.warc = (folder / "warc" / f"pages-{number}.warc.gz").open("wb")
        self.jsonl = zstandard.ZstdCompressor(level=3).stream_writer(
            (folder / "jsonl" / f"pages-{number}.jsonl.zst").open("wb")
        )
        self.bytes = {"warc": 0, "jsonl": 0, "html": 0}
        self.count = 0
        self.archive("warcinfo", f"info-{number}", "application/warc-fields", b"format: WARC File Format 1.1\r\n")

    def archive(self, kind, name, content_type, block):
        record = warc_record(kind, name, content_type, block)
        self.warc.write(gzip_member(record))
        self.bytes["warc"] += len(record)

    def add(self, page):
        name = f"{self.count:05}-{re.sub(r'[^A-Za-z0-9.]+', '-', page.name)}"
        self.count += 1
        header = (
            f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset={page.charset}\r\n"
            f"Content-Length: {len(page.body)}\r\nServer: bench\r\n\r\n"
        )
        self.archive("response", name, "application/http; msgtype=response", header.encode() + page.body)
        line = json.dumps({"id": name, "text": page.text()}, ensure_ascii=False).encode() + b"\n"
        self.jsonl.write(line)
        self.bytes["jsonl"] += len(line)
        (self.html / f"{name}.html").write_bytes(page.body)
        self.bytes["html"] += len(page.body)

    def close(self):
        self.warc.close()
        self.jsonl.close()


def source_of_pages():
    if PAGES.is_file():
        return shared_pages, f"{PAGES.name}, {hashlib.sha256(PAGES.read_bytes()).hexdigest()[:12]}"
    return sample_pages, "samples/pages, repeated: the larger test data are not here"


def prepare():
    """Makes the inputs unless they are there. Returns what they are."""
    pages, name = source_of_pages()
    note = DATA / "inputs.json"
    if note.is_file():
        known = json.loads(note.read_text())
        if (known["recipe"], known["pages"]) == (RECIPE, name):
            return known
    print(f"making inputs in {DATA.relative_to(ROOT)}/ ...", file=sys.stderr)
    shutil.rmtree(DATA, ignore_errors=True)
    DATA.mkdir(parents=True)
    endless = itertools.cycle(pages())
    sizes = {"warc": 0, "jsonl": 0, "html": 0}
    count = 0
    for number in range(FILES):
        files = Files(DATA, number)
        while files.bytes["warc"] < FILE_BYTES:
            files.add(next(endless))
        files.close()
        count += files.count
        for form in sizes:
            sizes[form] += files.bytes[form]
    (DATA / "warc-grown").mkdir()
    for copy in range(GROWTH):
        for path in sorted((DATA / "warc").iterdir()):
            shutil.copyfile(path, DATA / "warc-grown" / f"{copy}-{path.name}")
    made = {"recipe": RECIPE, "pages": name, "documents": count, "bytes": sizes}
    note.write_text(json.dumps(made))
    return made


# ---------------------------------------------------------------- runs


@dataclass
class Case:
    tool: str
    form: str
    folder: str
    cores: int
    times: int  # how many times the input of the plain cases it reads


CASES = [
    Case("refrain", "warc", "warc", 1, 1),
    Case("fastwarc", "warc", "warc", 1, 1),
    Case("refrain", "warc", "warc", 2, 1),
    Case("refrain", "jsonl", "jsonl", 1, 1),
    Case("refrain", "jsonl", "jsonl", 2, 1),
    Case("refrain", "html", "html", 1, 1),
    Case("refrain", "html", "html", 2, 1),
    Case("refrain", "warc", "warc-grown", 1, GROWTH),
    Case("refrain", "warc", "warc-grown", 2, GROWTH),
]


def read_with_fastwarc(paths):
    """Reads archives and prints what refrain-bench prints. Runs in a process of its own."""
    from fastwarc.warc import ArchiveIterator

    records = size = 0
    start = time.perf_counter()
    for path in paths:
        with open(path, "rb") as file:
            for record in ArchiveIterator(file, parse_http=True):
                size += len(record.reader.read())
                records += 1
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"records": records, "bytes": size, "seconds": seconds, "peak_bytes": peak}))


def run(case, refrain):
    """Runs a case on as many cores as it asks for."""
    cores = sorted(os.sched_getaffinity(0))[: case.cores]
    if len(cores) < case.cores:
        sys.exit(f"this needs {case.cores} cores")
    folder = DATA / case.folder
    if case.tool == "refrain":
        command = [refrain, "read", "--threads", str(case.cores), folder]
    else:
        command = [sys.executable, __file__, "--read-with-fastwarc", *sorted(folder.iterdir())]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, check=True, preexec_fn=lambda: os.sched_setaffinity(0, cores)
    )
    return json.loads(done.stdout)


@dataclass
class Result:
    case: Case
    bytes: int
    runs: list

    @property
    def seconds(self):
        return statistics.median(each["seconds"] for each in self.runs)

    @property
    def speed(self):
        return self.bytes / 1e6 / self.seconds

    @property
    def peak(self):
        return max(each["peak_bytes"] for each in self.runs)


def measure(refrain, inputs, repeats):
    """All cases in turn, again and again, so that a slow minute of the machine hits all alike."""
    results = [Result(case, inputs["bytes"][case.form] * case.times, []) for case in CASES]
    for result in results:
        run(result.case, refrain)  # warms the page cache
    for number in range(repeats):
        print(f"run {number + 1} of {repeats}", file=sys.stderr)
        for result in results:
            result.runs.append(run(result.case, refrain))
    for result in results:
        check(result, inputs)
    return results


def check(result, inputs):
    """A reader that leaves something out is fast, too."""
    wanted = inputs["documents"] * result.case.times
    for each in result.runs:
        # FastWARC counts the warcinfo record of each file, too.
        read = each["documents"] if result.case.tool == "refrain" else each["records"] - FILES
        if read != wanted or each.get("failed"):
            sys.exit(f"{result.case.tool} read {read} of {wanted} documents of {result.case.folder}")


# ---------------------------------------------------------------- report


def versions():
    return {"refrain": refrain_version(), "fastwarc": version("fastwarc"), "python": platform.python_version()}


def find(results, tool, folder, cores):
    return next(r for r in results if (r.case.tool, r.case.folder, r.case.cores) == (tool, folder, cores))


def report(results, inputs):
    sizes = ", ".join(f"{form} {size / 1e6:.0f} MB" for form, size in inputs["bytes"].items())
    print(f"{datetime.date.today()}, {cpu_model()}, {platform.system()} {platform.release()}")
    print(", ".join(f"{tool} {number}" for tool, number in versions().items()))
    print(f"inputs: {inputs['documents']} pages from {inputs['pages']}; uncompressed: {sizes}; {FILES} files each")
    print()
    print(f"{'':10}{'input':12}{'cores':>6}{'MB/s':>9}{'slowest':>9}{'fastest':>9}{'peak MB':>9}")
    for result in results:
        case = result.case
        form = case.form if case.times == 1 else f"{case.form} x {case.times}"
        speeds = [result.bytes / 1e6 / each["seconds"] for each in result.runs]
        print(
            f"{case.tool:10}{form:12}{case.cores:6}{result.speed:9.0f}{min(speeds):9.0f}{max(speeds):9.0f}"
            f"{result.peak / 1e6:9.1f}"
        )
    print()
    one, two = find(results, "refrain", "warc", 1), find(results, "refrain", "warc", 2)
    ratio = one.speed / find(results, "fastwarc", "warc", 1).speed
    print(f"warc, one core: refrain reads {ratio:.2f} times as fast as FastWARC")
    for form in "warc", "jsonl", "html":
        gain = find(results, "refrain", form, 2).speed / find(results, "refrain", form, 1).speed
        print(f"{form}: two cores are {gain:.2f} times as fast as one")
    for before, cores in (one, 1), (two, 2):
        after = find(results, "refrain", "warc-grown", cores)
        print(
            f"memory, cores: {cores}: peak {before.peak / 1e6:.1f} MB at 1 x, {after.peak / 1e6:.1f} MB at {GROWTH} x"
            f" the input ({after.peak / before.peak:.2f} times)"
        )


def record(results):
    """Keeps the figures."""
    folder = RECORDS / f"{platform.system()}-{platform.machine()}".lower()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{datetime.date.today()}-read.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["tool", "version", "cpu", "input", "cores", "bytes", "seconds", "mb_per_second", "peak_bytes"])
        for result in results:
            case = result.case
            writer.writerow(
                [case.tool, versions()[case.tool], cpu_model(), case.folder, case.cores, result.bytes]
                + [f"{result.seconds:.4f}", f"{result.speed:.1f}", result.peak]
            )
    print(f"recorded in {path.relative_to(ROOT)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--refrain", type=Path, default=ROOT / "target/release/refrain-bench", help="refrain-bench")
    parser.add_argument("--repeats", type=int, default=5, help="how often everything is run")
    parser.add_argument("--record", action="store_true", help="keep the figures under bench/record/")
    parser.add_argument("--read-with-fastwarc", nargs="+", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.read_with_fastwarc:
        read_with_fastwarc(arguments.read_with_fastwarc)
        return
    refrain = arguments.refrain.resolve()
    if not refrain.is_file():
        sys.exit(f"{refrain} is not there: cargo build --release -p refrain-bench")
    inputs = prepare()
    results = measure(refrain, inputs, arguments.repeats)
    report(results, inputs)
    if arguments.record:
        record(results)


if __name__ == "__main__":
    main()
