#!/usr/bin/env python3
"""How fast `refrain corpus` builds a corpus from web archives, what it needs for that, and whether its figures add up.

    python bench/corpus.py --refrain target/release/refrain

Makes archives of about 1.3 GB of HTML under bench-data/corpus/ once (bench/corpus_pages.py says from what). Parts (--only picks some):

speed     the archives to Parquet: without near-duplicates on two cores, and up to exact duplicates on one core and on two; on some
          of the pages, also `refrain extract` alone. MB/s of HTML, by the clock and by CPU time. The price of a month of Common
          Crawl follows from it.
template  --template host beside the same run without it
memory    peak memory with --memory 1G, for the archives and for eight times as much: seven copies of each page whose words are in
          another order, so that they are no copies
peers     a part of the archives through trafilatura and MinHash of datatrove, as a chain of datatrove, beside refrain
accounts  items, documents and words that were read = kept + removed by each reason + failed, added up from the files of the corpus
quality   text, removed blocks and encodings that come through `refrain corpus`, scored beside those of extract, dedup and decode

Needs the packages of bench/requirements-corpus.txt, and ../shared.
"""

import argparse
import base64
import json
import os
import re
import shutil
import subprocess
import sys
import time
import zlib
from collections import Counter
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import corpus_pages
import pyarrow.parquet
import recorded
from corpus_pages import DATA, SHARED, archives
from extract import lines, put
from recorded import ROOT

PARTS = ("speed", "template", "memory", "peers", "accounts", "quality")
TOOLS = ROOT.parent / "shared" / "tools"
WORK = DATA / "work"

EXACT_TARGET = 80  # MB/s of HTML on a core, up to exact duplicates
CORES_TARGET = 1.8  # two cores against one
PEER_TARGET = 20  # times as fast as the chain of peers
GROWTH_TARGET = 0.15  # growth of peak memory

CRAWL = 400 * 2**40  # bytes of HTML in a month of Common Crawl
PRICE = 0.02  # assumed US dollars of an hour of one core, as cloud providers rent them out for interruptible work


@dataclass
class Run:
    seconds: float
    cpu: float
    peak: int


def run(command, cores, good=(0, 1)):
    """Runs a command on some cores. 1: some records may be damaged."""
    chosen = sorted(os.sched_getaffinity(0))[:cores]
    if len(chosen) < cores:
        sys.exit(f"this needs {cores} cores")
    start = time.perf_counter()
    process = subprocess.Popen(
        list(map(str, command)), stdout=subprocess.DEVNULL, preexec_fn=lambda: os.sched_setaffinity(0, chosen)
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in good:
        sys.exit(f"{' '.join(map(str, command))} ended with {process.returncode}")
    return Run(time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def build(refrain, inputs, *options, cores=2, to=None):
    """Builds a corpus; nobody keeps it unless it has a folder."""
    folder = to or WORK / "corpus"
    shutil.rmtree(folder, ignore_errors=True)
    done = run([refrain, "corpus", *inputs, "-o", folder, "--threads", cores, "--quiet", *options], cores)
    if to is None:
        shutil.rmtree(folder)
    return done


def verdict(value, target, is_met):
    return f"(target {target}: {'met' if is_met else 'missed'})"


# ---------------------------------------------------------------- speed


def measure_speed(refrain, made, repeats, rows):
    size, inputs = made["bytes"] / 1e6, archives()
    some = inputs[:2]
    pages = WORK / "pages.jsonl"
    of_some = pages_as_jsonl(some, pages) / 1e6
    plans = {
        "blocks, two cores": lambda: (size, build(refrain, inputs)),
        "exact, two cores": lambda: (size, build(refrain, inputs, "--dedup", "exact")),
        "exact, one core": lambda: (size, build(refrain, inputs, "--dedup", "exact", cores=1)),
        "exact, JSONL of some pages, one core": lambda: (
            of_some,
            build(refrain, [pages], "--dedup", "exact", "--text-field", "html", "--text-is", "html", cores=1),
        ),
        "extract alone, JSONL of some pages, one core": lambda: (
            of_some,
            run([refrain, "extract", pages, "--text-field", "html", "-o", WORK / "texts.jsonl", "--threads", 1, "--quiet"], 1),
        ),
    }
    best = {}
    for number in range(repeats):
        for name, measure in plans.items():
            print(f"{name}, run {number + 1} of {repeats}", file=sys.stderr)
            megabytes, done = measure()
            if name not in best or done.seconds < best[name][1].seconds:
                best[name] = megabytes, done
    print(f"\n{'':<46}{'MB of HTML':>12}{'seconds':>10}{'CPU':>8}{'MB/s':>8}{'MB/CPU s':>10}{'peak MB':>9}")
    for name, (megabytes, done) in best.items():
        by_clock, by_cpu = megabytes / done.seconds, megabytes / done.cpu
        print(
            f"{name:<46}{megabytes:>12.0f}{done.seconds:>10.1f}{done.cpu:>8.1f}{by_clock:>8.1f}{by_cpu:>10.1f}{done.peak / 1e6:>9.0f}"
        )
        rows += [(name, "mb_per_second", f"{by_clock:.1f}"), (name, "mb_per_cpu_second", f"{by_cpu:.1f}")]
    one, two, blocks = (best[name][1] for name in ("exact, one core", "exact, two cores", "blocks, two cores"))
    a_core, gain = size / one.cpu, one.seconds / two.seconds
    print(f"up to exact duplicates: {a_core:.1f} MB/s a core {verdict(a_core, EXACT_TARGET, a_core >= EXACT_TARGET)}")
    print(f"two cores are {gain:.2f} times as fast as one {verdict(gain, CORES_TARGET, gain >= CORES_TARGET)}")
    print(f"CPU time on two cores is {two.cpu / one.cpu:.2f} times that on one")
    hours = CRAWL / 1e6 / (size / blocks.cpu) / 3600
    print(
        f"a month of Common Crawl ({CRAWL / 2**40:.0f} TiB of HTML): {hours:,.0f} hours of a core, "
        f"{hours * PRICE:,.0f} dollars at {PRICE} dollars an hour, and storage"
    )
    rows += [("exact", "two_cores_by_one", f"{gain:.3f}"), ("crawl", "core_hours", f"{hours:.0f}")]


def pages_as_jsonl(inputs, to):
    """Writes the pages of archives to a file. Returns their bytes."""
    from warcio.archiveiterator import ArchiveIterator

    size = 0
    with to.open("w", encoding="utf-8") as out:
        for path in inputs:
            with path.open("rb") as file:
                for record in ArchiveIterator(file):
                    if record.rec_type == "response":
                        body = record.raw_stream.read()
                        size += len(body)
                        address = record.rec_headers.get_header("WARC-Target-URI")
                        put(out, {"id": address, "url": address, "html": body.decode("utf-8", "replace")})
    return size


def measure_template(refrain, made, rows):
    inputs = archives()[:4]
    plain, host = (build(refrain, inputs, "--dedup", "exact", *options) for options in ((), ("--template", "host")))
    print(f"\n--template host: {host.cpu / plain.cpu:.2f} times the CPU time, {host.seconds / plain.seconds:.2f} times the time")
    rows.append(("template", "times_cpu", f"{host.cpu / plain.cpu:.2f}"))


# ---------------------------------------------------------------- memory


def measure_memory(refrain, rows):
    peaks = {}
    for name, inputs in (("1", archives()), (f"{corpus_pages.GROWTH}", corpus_pages.grown())):
        print(f"memory, {name} times the archives", file=sys.stderr)
        done = build(refrain, inputs, "--memory", "1G", "--no-removed")
        peaks[name] = done.peak
        print(f"{name} times the archives with --memory 1G: peak {done.peak / 1e6:,.0f} MB, {done.seconds:.0f} s")
        rows.append((f"{name} times", "peak_mb", f"{done.peak / 1e6:.0f}"))
    growth = list(peaks.values())[1] / list(peaks.values())[0] - 1
    print(f"growth of peak memory: {100 * growth:+.1f} % {verdict(growth, '15 %', growth <= GROWTH_TARGET)}")


# ---------------------------------------------------------------- peers


def part_of(path, size, to):
    """Copies the first members of an archive, up to some bytes. Returns the bytes of their pages."""
    data, taken, at = path.read_bytes(), 0, 0
    while at < len(data) and taken < size:
        member = zlib.decompressobj(wbits=31)
        block = member.decompress(data[at:])
        at = len(data) - len(member.unused_data)
        if b"WARC-Type: response" in block[:200]:
            taken += len(block.split(b"\r\n\r\n", 2)[2]) - 4
    to.write_bytes(data[:at])
    return taken


def chain_of_peers(folder):
    """Archives to deduplicated Parquet with datatrove. Runs in a process of its own."""
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.dedup import (
        MinhashDedupBuckets,
        MinhashDedupCluster,
        MinhashDedupFilter,
        MinhashDedupSignature,
    )
    from datatrove.pipeline.dedup.minhash import MinhashConfig
    from datatrove.pipeline.extractors import Trafilatura
    from datatrove.pipeline.readers import JsonlReader, WarcReader
    from datatrove.pipeline.writers import JsonlWriter, ParquetWriter

    def at(name):
        return str(folder / name)

    config = MinhashConfig()
    stages = [
        ([WarcReader(at("warc"), glob_pattern="*.warc.gz"), Trafilatura(timeout=10), JsonlWriter(at("texts"))], 2),
        ([JsonlReader(at("texts")), MinhashDedupSignature(at("signatures"), config=config)], 2),
        ([MinhashDedupBuckets(at("signatures"), at("buckets"), config=config)], config.num_buckets),
        ([MinhashDedupCluster(at("buckets"), at("removed"), config=config)], 1),
        ([JsonlReader(at("texts")), MinhashDedupFilter(at("removed")), ParquetWriter(at("corpus"))], 2),
    ]
    for number, (pipeline, tasks) in enumerate(stages):
        LocalPipelineExecutor(pipeline, tasks=tasks, workers=2, logging_dir=at(f"logs-{number}"), start_method="fork").run()


def measure_peers(refrain, megabytes, rows):
    folder = WORK / "peers"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "warc").mkdir(parents=True)
    chosen = archives()[:2]
    size = sum(part_of(path, megabytes * 1e6 / len(chosen), folder / "warc" / path.name) for path in chosen) / 1e6
    inputs = sorted((folder / "warc").iterdir())
    print(f"peers, {size:.0f} MB of HTML", file=sys.stderr)
    with (folder / "log").open("w") as log:
        start = time.perf_counter()
        process = subprocess.Popen([sys.executable, __file__, "--chain-of-peers", folder], stdout=log, stderr=log)
        _, status, usage = os.wait4(process.pid, 0)
        theirs = Run(time.perf_counter() - start, usage.ru_utime + usage.ru_stime, 0)
    if status != 0:
        sys.exit((folder / "log").read_text()[-3000:])
    own = min((build(refrain, inputs, to=folder / "own") for _ in range(3)), key=lambda done: done.seconds)
    kept = sum(pyarrow.parquet.read_metadata(path).num_rows for path in (folder / "corpus").glob("*.parquet"))
    ours = json.loads((folder / "own" / "stats.json").read_text())["total"]["kept"]["documents"]
    by_clock, by_cpu = theirs.seconds / own.seconds, theirs.cpu / own.cpu
    print(
        f"\n{size:.0f} MB of HTML on two cores: trafilatura {version('trafilatura')} and datatrove {version('datatrove')} "
        f"{theirs.seconds:.1f} s ({theirs.cpu:.1f} CPU), {kept} documents kept; refrain {own.seconds:.2f} s ({own.cpu:.2f} CPU), {ours} kept"
    )
    print(f"{by_clock:.0f} times as fast {verdict(by_clock, PEER_TARGET, by_clock >= PEER_TARGET)}, {by_cpu:.0f} times by CPU time")
    rows += [("peers", "times_by_clock", f"{by_clock:.1f}"), ("peers", "times_by_cpu", f"{by_cpu:.1f}")]
    shutil.rmtree(folder)


# ---------------------------------------------------------------- accounts


# What Unicode calls white space, as Rust does: Python has some control characters more.
WORD = re.compile(r"[^\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
REASONS = ("boilerplate", "template", "foreign", "quality", "stripped", "duplicates", "near_duplicates")


def balances(folder):
    """What has to be the same in the files of a corpus: a name, and two numbers."""
    statistics = json.loads((folder / "stats.json").read_text())
    account, total = statistics["input"], statistics["total"]
    skipped = sum(account["skipped"].values())
    yield "items found = documents + skipped + failed", account["found"], account["documents"] + skipped + account["failed"]
    empty = statistics["skipped"].get("document without text", 0)
    yield "documents = with text + without", account["documents"], total["downloaded"]["documents"] + empty
    for unit in ("documents", "words", "tokens"):
        parts = total["kept"][unit] + sum(total.get(reason, {}).get(unit, 0) for reason in REASONS)
        yield f"{unit} in = kept + removed by reason", total["downloaded"][unit], parts
        languages = sum(stages["downloaded"][unit] for stages in statistics["languages"].values())
        yield f"{unit} of languages", total["downloaded"][unit], languages
    by_rule = sum(rule["words"] for rule in statistics["rules"].values())
    yield "words removed = words by rule", total["downloaded"]["words"] - total["kept"]["words"], by_rule
    tables = [pyarrow.parquet.read_table(path, columns=["words", "text"]) for path in sorted((folder / "documents").glob("*.parquet"))]
    yield "kept documents = rows of Parquet", total["kept"]["documents"], sum(table.num_rows for table in tables)
    yield "kept words = column of Parquet", total["kept"]["words"], sum(sum(table["words"].to_pylist()) for table in tables)
    texts = sum(len(WORD.findall(text)) for table in tables for text in table["text"].to_pylist())
    yield "kept words, counted in the texts", total["kept"]["words"], texts
    labels = Counter()
    for path in sorted((folder / "removed").glob("*.zst")):
        for line in map(json.loads, lines(path)):
            labels[line["label"]] += len(WORD.findall(line["text"]))
    yield "words of boilerplate, counted in removed/", total["boilerplate"]["words"], labels["boilerplate"]
    errors = (folder / "errors.jsonl").read_text().splitlines()
    yield "failures = lines of errors.jsonl", statistics["failures"], len(errors)


def measure_accounts(refrain, made, rows):
    folder = WORK / "accounts"
    build(refrain, archives(), to=folder)
    found = json.loads((folder / "stats.json").read_text())["input"]
    known = [("pages written to the archives = documents + failed", made["pages"], found["documents"] + found["failed"])]
    print()
    wrong = 0
    for name, one, other in [*known, *balances(folder)]:
        wrong += one != other
        print(f"{name:<54}{one:>16,}{other:>16,}{'' if one == other else '  DIFFERENT'}")
    rows.append(("accounts", "differences", wrong))
    shutil.rmtree(folder)
    return wrong


# ---------------------------------------------------------------- quality


def scored(script, *arguments):
    done = subprocess.run([sys.executable, TOOLS / script, *map(str, arguments)], capture_output=True, text=True, check=True)
    return done.stdout


def documents_of(folder):
    for path in sorted((folder / "documents").iterdir()):
        yield from map(json.loads, lines(path))


def measure_quality(refrain, rows):
    print()
    wrong = 0

    def compared(name, by_verb, by_corpus, same):
        nonlocal wrong
        wrong += by_verb != by_corpus
        print(f"{name:<34} by the verb {by_verb}, in a corpus {by_corpus}; {same}")
        rows.extend([(name, "verb", by_verb), (name, "corpus", by_corpus)])

    # Main content.
    pages, texts = SHARED / "web" / "pages.jsonl.zst", WORK / "texts.jsonl"
    html = WORK / "html.jsonl"
    with html.open("w", encoding="utf-8") as out:
        for page in map(json.loads, lines(pages)):
            text = page["html"] if "html" in page else base64.b64decode(page["html_base64"]).decode(page["charset"], "replace")
            put(out, {"id": page["id"], "html": text})
    run([refrain, "extract", html, "--text-field", "html", "-o", texts, "--quiet"], 2)
    plain = ["--dedup", "none", "--format", "jsonl"]
    folder = WORK / "extracted"
    build(refrain, [html], *plain, "--text-field", "html", "--text-is", "html", to=folder)
    own = WORK / "corpus.jsonl"
    with own.open("w", encoding="utf-8") as out:
        for document in documents_of(folder):
            put(out, {"id": document["id"], "text": document["text"]})
    by_verb = {page["id"]: page["text"] for page in map(json.loads, lines(texts))}
    by_corpus = {page["id"]: page["text"] for page in map(json.loads, lines(own))}
    same = sum(by_verb.get(name) == text for name, text in by_corpus.items())
    scores = [json.loads(scored("eval_extract.py", pages, path, "--missing-ok"))["overall"]["f1"] for path in (texts, own)]
    compared("extract: F1", *(f"{score:.4f}" for score in scores), f"{same} of {len(by_verb)} texts are the same")

    # Near-duplicates.
    base = WORK / "base.jsonl"
    base.write_bytes(b"".join(line.encode() for line in lines(SHARED / "dedup" / "base.jsonl.zst")))
    subprocess.run(
        [sys.executable, TOOLS / "make_dups.py", base, WORK / "dups", "--seed", "1", "--share", "0.25", "--clean", "0.3"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    documents, gold, removed = WORK / "dups.jsonl", WORK / "dups.gold.jsonl", WORK / "removed.jsonl"
    run([refrain, "dedup", documents, "-o", WORK / "clean.jsonl", "--removed", removed, "--quiet"], 2)
    build(refrain, [documents], "--format", "jsonl", "--text-is", "text", to=WORK / "deduplicated")
    gone = WORK / "gone.jsonl"
    with gone.open("w", encoding="utf-8") as out:
        for path in sorted((WORK / "deduplicated" / "removed").iterdir()):
            for line in map(json.loads, lines(path)):
                if line["label"] == "duplicate":
                    put(out, line)
    scores = [json.loads(scored("eval_dedup.py", "blocks", documents, gold, path)) for path in (removed, gone)]
    ranges = [{(row["id"], row["start"], row["end"]) for row in map(json.loads, lines(path))} for path in (removed, gone)]
    for measure in ("recall_all", "precision_in_planted"):
        same = f"{len(ranges[0] & ranges[1])} of {len(ranges[0])} ranges are the same"
        compared(f"dedup: {measure}", *(f"{score[measure]:.4f}" for score in scores), same)

    # Encodings.
    inputs, known = WORK / "encoded", WORK / "encoded.jsonl"
    shutil.rmtree(inputs, ignore_errors=True)
    inputs.mkdir()
    gold, names = SHARED / "charset" / "test_dev.jsonl.zst", {}
    with known.open("w", encoding="utf-8") as out:
        for number, document in enumerate(map(json.loads, lines(gold))):
            if document["kind"] == "text" and number % 5 == 0:
                names[f"{number}.txt"] = document["id"]
                (inputs / f"{number}.txt").write_bytes(base64.b64decode(document["bytes_base64"]))
                put(out, document)
    run([refrain, "decode", "--detect", inputs, "-o", WORK / "detected.jsonl", "--quiet"], 2)
    build(refrain, [inputs], *plain, "--input-format", "text", "--method", "none", to=WORK / "decoded")
    both = []
    for name, found_ones in (
        ("verb.jsonl", ((row["origin"], row["encoding"]) for row in map(json.loads, lines(WORK / "detected.jsonl")))),
        ("corpus.jsonl", ((document["id"], document.get("encoding")) for document in documents_of(WORK / "decoded"))),
    ):
        path = WORK / name
        with path.open("w", encoding="utf-8") as out:
            for file, encoding in found_ones:
                put(out, {"id": names[Path(file).name], "encoding": encoding})
        both.append(path)
    scores = [json.loads(scored("eval_charset.py", known, path, "--json"))["summary"]["all"][0] for path in both]
    answers = [{row["id"]: row["encoding"] for row in map(json.loads, lines(path))} for path in both]
    same = sum(answers[0].get(name) == encoding for name, encoding in answers[1].items())
    compared("decode: accuracy", *(f"{score:.2f} %" for score in scores), f"{same} of {len(names)} answers are the same")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--refrain", type=Path, default=ROOT / "target/release/refrain", help="refrain")
    parser.add_argument("--only", default=",".join(PARTS), help=f"parts, separated by commas, of {', '.join(PARTS)}")
    parser.add_argument("--repeats", type=int, default=3, help="how often each speed is measured; the best counts")
    parser.add_argument("--peer-megabytes", type=int, default=40, help="HTML that goes through the chain of peers")
    parser.add_argument("--record", action="store_true", help="keep the figures under bench/record/")
    parser.add_argument("--chain-of-peers", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.chain_of_peers:
        chain_of_peers(arguments.chain_of_peers.resolve())
        return
    parts = arguments.only.split(",")
    if unknown := [part for part in parts if part not in PARTS]:
        sys.exit(f"unknown part: {', '.join(unknown)}; the parts are {', '.join(PARTS)}")
    if not SHARED.is_dir():
        print(f"skipped: the pages are not here ({SHARED})")
        return
    refrain = arguments.refrain.resolve()
    made = corpus_pages.prepare()
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    print(f"{recorded.cpu_model()}; refrain {recorded.refrain_version()}")
    sources = ", ".join(f"{name} {count['bytes'] / 1e6:.0f}" for name, count in made["sources"].items())
    print(f"{made['pages']:,} different pages, {made['bytes'] / 1e6:,.0f} MB of HTML in {len(archives())} archives (MB: {sources})")
    rows, wrong = [], 0
    if "speed" in parts:
        measure_speed(refrain, made, arguments.repeats, rows)
    if "template" in parts:
        measure_template(refrain, made, rows)
    if "memory" in parts:
        measure_memory(refrain, rows)
    if "peers" in parts:
        measure_peers(refrain, arguments.peer_megabytes, rows)
    if "accounts" in parts:
        wrong += measure_accounts(refrain, made, rows)
    if "quality" in parts:
        measure_quality(refrain, rows)
    shutil.rmtree(WORK, ignore_errors=True)
    if arguments.record:
        recorded.write("corpus", rows)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
