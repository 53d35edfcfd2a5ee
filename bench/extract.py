#!/usr/bin/env python3
"""How fast and how well refrain finds the main content of web pages, compared with Resiliparse; and what a second core adds.

    python bench/extract.py --bench target/release/refrain-bench --refrain target/release/refrain

Reads pages with main text that people picked (--pages: JSONL, plain or .zst, with id, html or html_base64 and charset, gold,
dataset, url), unpacks them under bench-data/ once, then runs everything in turn, several times, and takes medians. Needs the
packages of tests/python/requirements.txt.
"""

import argparse
import base64
import csv
import datetime
import hashlib
import io
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

import zstandard
from read import RECORDS, ROOT, cpu_model, refrain_version
from scores import compare, grouped, summed_up

PAGES = ROOT.parent / "shared" / "data" / "web" / "pages.jsonl.zst"
DATA = ROOT / "bench-data" / "extract"
HTML, GOLD, NOTE = DATA / "pages.jsonl", DATA / "gold.jsonl", DATA / "inputs.json"

RECIPE = 1  # to be raised when the inputs change


# ---------------------------------------------------------------- inputs


def lines(path):
    with path.open("rb") as file:
        if path.suffix == ".zst":
            file = zstandard.ZstdDecompressor(max_window_size=1 << 31).stream_reader(file)
        yield from io.TextIOWrapper(file, encoding="utf-8", newline="\n")


def prepared(note, inputs, unpack):
    """What `unpack` writes next to the note and returns, unless it was done for the same inputs."""
    if note.is_file():
        known = json.loads(note.read_text())
        if {key: known.get(key) for key in inputs} == inputs:
            return known
    print(f"unpacking to {note.parent.relative_to(ROOT)}/ ...", file=sys.stderr)
    shutil.rmtree(note.parent, ignore_errors=True)
    note.parent.mkdir(parents=True)
    made = inputs | unpack()
    note.write_text(json.dumps(made))
    return made


def with_digest(path):
    """The name of a file, and what identifies its content."""
    return f"{path.name}, {hashlib.sha256(path.read_bytes()).hexdigest()[:12]}"


def prepare(pages):
    """Pages as text in one file, what people picked in another."""
    def unpack():
        count = size = 0
        with HTML.open("w", encoding="utf-8") as html, GOLD.open("w", encoding="utf-8") as gold:
            for line in lines(pages):
                page = json.loads(line)
                if "html" not in page:
                    page["html"] = base64.b64decode(page["html_base64"]).decode(page["charset"], "replace")
                count += 1
                size += len(page["html"].encode())
                put(html, {key: page.get(key) for key in ("id", "url", "html")})
                put(gold, {key: page.get(key) for key in ("id", "dataset", "page_type", "gold")})
        return {"documents": count, "bytes": size}

    return prepared(NOTE, {"recipe": RECIPE, "pages": with_digest(pages)}, unpack)


def put(file, page):
    file.write(json.dumps(page, ensure_ascii=False) + "\n")


# ---------------------------------------------------------------- speed and quality


@dataclass
class Tool:
    name: str
    method: str
    target: float | None  # how many times as fast as Resiliparse it has to be
    seconds: list = field(default_factory=list)
    scores: list = field(default_factory=list)
    empty: int = 0

    @property
    def median(self):
        return statistics.median(self.seconds)

    @property
    def label(self):
        return f"{self.name} {self.method}"


def tools():
    return [
        Tool("resiliparse", "main_content", None),
        Tool("refrain", "default", 2.0),
        Tool("refrain", "justext", 3.0),
        Tool("refrain", "bte", None),
    ]


def extract_with_resiliparse(timed):
    """Does what refrain-bench does, with Resiliparse. Runs in a process of its own."""
    from resiliparse.extract.html2text import extract_plain_text

    with HTML.open(encoding="utf-8") as file:
        pages = [(page["id"], page["html"]) for page in map(json.loads, file)]
    if not timed:
        for identifier, html in pages:
            print(json.dumps({"id": identifier, "text": extract_plain_text(html, main_content=True)}))
        return
    seconds = []
    for _ in range(timed):
        start = time.process_time()
        for _, html in pages:
            extract_plain_text(html, main_content=True)
        seconds.append(time.process_time() - start)
    print(json.dumps({"pages": len(pages), "cpu_seconds": seconds}))


def call(tool, bench, timed):
    if tool.name == "refrain":
        command = [bench, "extract", HTML, "--method", tool.method]
        command += ["--rounds", str(timed)] if timed else []
    else:
        command = [sys.executable, __file__, "--with-resiliparse", str(timed)]
    return run(command, 1).stdout.decode()


def run(command, cores, good=(0,)):
    """Runs a command on some of the cores."""
    chosen = sorted(os.sched_getaffinity(0))[:cores]
    if len(chosen) < cores:
        sys.exit(f"this needs {cores} cores")
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: os.sched_setaffinity(0, chosen),
    )
    if done.returncode not in good:
        sys.exit(f"{command[0]} failed: {done.stderr.decode(errors='replace')}")
    return done


def measure_speed(all_tools, bench, inputs, repeats):
    """All tools in turn, again and again. Each goes over the pages twice; the second time counts."""
    for number in range(repeats):
        print(f"speed, run {number + 1} of {repeats}", file=sys.stderr)
        for tool in all_tools:
            done = json.loads(call(tool, bench, 2))
            if done["pages"] != inputs["documents"]:
                sys.exit(f"{tool.label} saw {done['pages']} of {inputs['documents']} pages")
            if not done["cpu_seconds"]:
                sys.exit("the CPU time is unknown: this needs Linux with /proc/self/schedstat")
            tool.seconds.append(done["cpu_seconds"][-1])


def measure_quality(all_tools, bench):
    with GOLD.open(encoding="utf-8") as file:
        pages = [json.loads(line) for line in file]
    for tool in all_tools:
        print(f"quality, {tool.label}", file=sys.stderr)
        texts = {page["id"]: page["text"] for page in map(json.loads, call(tool, bench, 0).splitlines())}
        tool.scores = [compare(texts[page["id"]], page["gold"]) for page in pages]
        tool.empty = sum(not texts[page["id"]].strip() for page in pages)
    return pages


# ---------------------------------------------------------------- a whole corpus


def measure_corpus(refrain, inputs, repeats):
    """Wall-clock seconds of `refrain corpus` on all pages, with one thread and with two."""
    seconds = {1: [], 2: []}
    folder = DATA / "corpus"
    for number in range(repeats):
        print(f"corpus, run {number + 1} of {repeats}", file=sys.stderr)
        for threads in seconds:
            shutil.rmtree(folder, ignore_errors=True)
            command = [refrain, "corpus", HTML, "-o", folder, "--text-field", "html", "--text-is", "html"]
            start = time.perf_counter()
            # 1: some pages have NUL characters in them; they are used all the same.
            done = run([*command, "--threads", str(threads), "--quiet", "--json"], threads, good=(0, 1))
            seconds[threads].append(time.perf_counter() - start)
            seen = json.loads(done.stdout)["total"]["downloaded"]["documents"]
            if seen > inputs["documents"] or seen < inputs["documents"] * 0.95:
                sys.exit(f"refrain corpus saw {seen} of {inputs['documents']} pages")
    shutil.rmtree(folder, ignore_errors=True)
    return {threads: statistics.median(times) for threads, times in seconds.items()}


# ---------------------------------------------------------------- report


def versions():
    return {"refrain": refrain_version(), "resiliparse": version("resiliparse"), "python": platform.python_version()}


def report_speed(all_tools, inputs):
    megabytes = inputs["bytes"] / 1e6
    print(f"{datetime.date.today()}, {cpu_model()}, {platform.system()} {platform.release()}")
    print(", ".join(f"{tool} {number}" for tool, number in versions().items()))
    print(f"inputs: {inputs['documents']} pages from {inputs['pages']}; {megabytes:.1f} MB of HTML as UTF-8")
    print()
    print(f"{'one core, CPU time':25}{'MB/s':>9}{'slowest':>9}{'fastest':>9}{'ratio':>8}{'target':>8}")
    peer = all_tools[0].median
    for tool in all_tools:
        speeds = [megabytes / seconds for seconds in (tool.median, max(tool.seconds), min(tool.seconds))]
        target = f"{tool.target:8.1f}" if tool.target else ""
        print(f"{tool.label:25}" + "".join(f"{speed:9.1f}" for speed in speeds) + f"{peer / tool.median:8.2f}{target}")


def report_quality(all_tools, pages):
    print()
    print(f"{'agreement with people':25}{'pages':>20}{'precision':>11}{'recall':>8}{'F1':>8}{'shingle F1':>12}{'empty':>7}")
    for tool in all_tools:
        for name, scores in grouped(pages, tool.scores).items():
            if name.startswith(" "):
                continue
            precision, recall, f1, shingle = summed_up(scores)
            empty = f"{tool.empty:7}" if name == "all" else ""
            print(
                f"{tool.label:25}{name:15}{len(scores):5}{precision:11.3f}{recall:8.3f}{f1:8.4f}{shingle:12.4f}{empty}"
            )
    print()
    print("refrain default was trained on these pages (all sets but dragnet): its figures here are no fair comparison.")
    print("`make evaluate-extract` scores every page by a model that was not trained on its host, or its set.")


def report_corpus(seconds, inputs):
    print()
    for threads, median in seconds.items():
        print(f"refrain corpus, threads: {threads}: {median:.2f} s, {inputs['bytes'] / 1e6 / median:.1f} MB/s")
    print(f"two threads are {seconds[1] / seconds[2]:.2f} times as fast as one (target: 1.8)")


def record(all_tools, pages, seconds, inputs):
    """Keeps the figures."""
    folder = RECORDS / f"{platform.system()}-{platform.machine()}".lower()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{datetime.date.today()}-extract.csv"
    known = versions()
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["tool", "version", "cpu", "method", "pages", "measure", "value"])

        def row(tool, method, group, measure, value):
            writer.writerow([tool, known[tool], cpu_model(), method, group, measure, value])

        for tool in all_tools:
            row(tool.name, tool.method, "all", "mb_per_cpu_second", f"{inputs['bytes'] / 1e6 / tool.median:.1f}")
            row(tool.name, tool.method, "all", "empty", tool.empty)
            for name, scores in grouped(pages, tool.scores).items():
                for measure, value in zip(("precision", "recall", "f1", "shingle_f1"), summed_up(scores), strict=True):
                    row(tool.name, tool.method, name.strip(), measure, f"{value:.4f}")
        for threads, median in seconds.items():
            row("refrain", f"corpus, {threads} threads", "all", "seconds", f"{median:.3f}")
    print(f"recorded in {path.relative_to(ROOT)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bench", type=Path, default=ROOT / "target/release/refrain-bench", help="refrain-bench")
    parser.add_argument("--refrain", type=Path, default=ROOT / "target/release/refrain", help="refrain")
    parser.add_argument("--pages", type=Path, default=PAGES, help="the pages, with what people picked")
    parser.add_argument("--repeats", type=int, default=5, help="how often each tool is run")
    parser.add_argument("--corpus-repeats", type=int, default=3, help="how often a corpus is made with each number of threads")
    parser.add_argument("--record", action="store_true", help="keep the figures under bench/record/")
    parser.add_argument("--with-resiliparse", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.with_resiliparse is not None:
        extract_with_resiliparse(arguments.with_resiliparse)
        return
    if not arguments.pages.is_file():
        print(f"skipped: the pages are not here ({arguments.pages.name}); name them with --pages")
        return
    for program in arguments.bench, arguments.refrain:
        if not program.is_file():
            sys.exit(f"{program} is not there: cargo build --release")
    inputs = prepare(arguments.pages)
    all_tools = tools()
    measure_speed(all_tools, arguments.bench.resolve(), inputs, arguments.repeats)
    report_speed(all_tools, inputs)
    pages = measure_quality(all_tools, arguments.bench.resolve())
    report_quality(all_tools, pages)
    seconds = measure_corpus(arguments.refrain.resolve(), inputs, arguments.corpus_repeats)
    report_corpus(seconds, inputs)
    if arguments.record:
        record(all_tools, pages, seconds, inputs)


if __name__ == "__main__":
    main()
