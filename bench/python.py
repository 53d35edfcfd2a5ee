#!/usr/bin/env python3
"""How fast the Python package is, beside Python peers and beside the program.

    python bench/python.py --refrain target/release/refrain

It runs in .venv-python, which `make bench-python` makes from bench/requirements-python.txt and the wheel. Parts (--only picks some):

extract  Main content of web pages (--pages), one call for each page, and one call for a table of them. The peers are trafilatura
         and resiliparse.
dedup    Whole documents of a collection (--base), repeated with other words to --copies times its size. The peers are rensa,
         datasketch and text-dedup: word 5-grams, 128 permutations, threshold 0.5, as in bench/dedup.py.
program  The same Parquet file through `refrain.dedup` and through `refrain dedup`.
memory   A Parquet file of --gigabytes through `refrain.dedup(..., memory="512M")`, in a process of its own.

Every contender runs in a process of its own and measures CPU time without loading; ratios are what counts.
"""

import argparse
import io
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

sys.path.insert(0, str(Path(__file__).parent))
import recorded  # noqa: E402
from dedup import shingles  # noqa: E402

ROOT = recorded.ROOT
SHARED = ROOT.parent / "shared"
PARTS = ("extract", "dedup", "program", "memory")
GOALS = {
    "trafilatura": 30, "resiliparse": 2, "rensa": 3, "datasketch": 10, "text-dedup": 10,
}  # fmt: skip


def records(path):
    """The objects of a JSONL file, plain or compressed."""
    with open(path, "rb") as file:
        reader = zstandard.ZstdDecompressor().stream_reader(file) if str(path).endswith(".zst") else file
        yield from map(json.loads, io.TextIOWrapper(reader, encoding="utf-8"))


def pages_of(path, most):
    pages = []
    for page in records(path):
        if isinstance(page.get("html"), str):
            pages.append(page["html"])
        if len(pages) == most:
            break
    return pages


def grown(path, copies):
    """The texts of a collection, and copies of them with every third word changed, so that most of them are no duplicates."""
    texts = [record["text"] for record in records(path)]
    result = list(texts)
    for number in range(1, copies):
        words = (text.split(" ") for text in texts)
        result += [" ".join(f"{word}{number}" if at % 3 == 0 else word for at, word in enumerate(w)) for w in words]
    return result


class Timer:
    """CPU seconds of this process and its children."""

    def __enter__(self):
        self.before = self.now()
        self.wall = time.perf_counter()
        return self

    def __exit__(self, *_):
        self.cpu = self.now() - self.before
        self.wall = time.perf_counter() - self.wall

    @staticmethod
    def now():
        usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def extract_refrain(pages):
    import refrain

    return [refrain.extract(page).text for page in pages]


def extract_table(pages):
    import refrain

    return refrain.extract(pa.table({"text": pages}))["text"].to_pylist()


def extract_trafilatura(pages):
    import trafilatura

    return [trafilatura.extract(page) for page in pages]


def extract_resiliparse(pages):
    from resiliparse.extract.html2text import extract_plain_text

    return [extract_plain_text(page, main_content=True) for page in pages]


def dedup_refrain(texts):
    import refrain

    return refrain.dedup(pa.table({"text": texts}), unit="document").num_rows


def dedup_rensa(texts):
    from rensa import RMinHashDeduplicator

    index = RMinHashDeduplicator(threshold=0.5, num_perm=128, use_lsh=True)
    return sum(index.add_pairs((str(number), shingles(text)) for number, text in enumerate(texts)))


def dedup_datasketch(texts):
    from datasketch import MinHash, MinHashLSH

    index = MinHashLSH(threshold=0.5, num_perm=128)
    kept = 0
    for number, sketch in enumerate(MinHash.generator(([s.encode() for s in shingles(t)] for t in texts), num_perm=128)):
        if not index.query(sketch):
            kept += 1
            index.insert(number, sketch)
    return kept


def dedup_text_dedup(texts):
    os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    from datasets import load_from_disk
    from text_dedup.minhash import main as minhash

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "in.jsonl")
        with path.open("w") as file:
            file.writelines(json.dumps({"text": text}) + "\n" for text in texts)
        options = {"--path": "json", "--data_files": path, "--split": "train", "--cache_dir": f"{folder}/cache"}
        options |= {"--output": f"{folder}/clean", "--column": "text", "--batch_size": 10_000, "--ngram": 5}
        options |= {"--num_perm": 128, "--threshold": 0.5, "--num_proc": len(os.sched_getaffinity(0))}
        minhash([str(word) for option in options.items() for word in option], standalone_mode=False)
        return len(load_from_disk(f"{folder}/clean"))


def as_contender(name, arguments):
    """Does the work of a contender and prints what it took."""
    kind, _, peer = name.partition(":")
    if kind == "file":
        import refrain

        with Timer() as timer:
            refrain.dedup(peer, arguments.output, unit="document", memory=arguments.memory)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
        print(json.dumps({"cpu": timer.cpu, "wall": timer.wall, "peak": peak}))
        return
    data = pages_of(arguments.pages, arguments.count) if kind == "extract" else grown(arguments.base, arguments.copies)
    work = globals()[f"{kind}_{peer.replace('-', '_')}"]
    work(data[:5])  # loads what it needs
    with Timer() as timer:
        found = work(data)
    size = sum(map(len, data))
    print(json.dumps({"cpu": timer.cpu, "wall": timer.wall, "size": size, "items": len(data), "result": len(found) if kind == "extract" else found}))


def contender(name, arguments, *more):
    command = [sys.executable, __file__, "--as", name, "--pages", arguments.pages, "--base", arguments.base]
    command += ["--count", arguments.count, "--copies", arguments.copies, *more]
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE)
    if done.returncode:
        sys.exit(f"{name} failed")
    return json.loads(done.stdout.splitlines()[-1])


def compared(kind, names, arguments, rows):
    """Runs contenders in turn, and prints how many times the CPU time of refrain each takes."""
    best = {}
    for _ in range(arguments.rounds):
        for name in names:
            found = contender(f"{kind}:{name}", arguments)
            if name not in best or found["cpu"] < best[name]["cpu"]:
                best[name] = found
    own = best["refrain"]
    print(f"\n{kind}: {own['items']} items, {own['size'] / 1e6:.0f} M characters; CPU seconds, the best of {arguments.rounds}")
    for name, found in best.items():
        ratio = found["cpu"] / own["cpu"]
        goal = f"  goal {GOALS[name]}" if name in GOALS else ""
        print(f"  {name:12} {found['cpu']:8.2f} CPU s  {found['wall']:8.2f} s  {ratio:7.2f} times refrain{goal}  result {found['result']}")
        rows.append((f"python-{kind}", f"{name} cpu ratio", f"{ratio:.3f}"))


def program(arguments, rows):
    with tempfile.TemporaryDirectory(dir=arguments.scratch) as folder:
        path = Path(folder, "in.parquet")
        texts = grown(arguments.base, arguments.copies)
        pq.write_table(pa.table({"id": [str(n) for n in range(len(texts))], "text": texts}), path, compression="zstd")
        ours, theirs = [], []
        for number in range(max(3, arguments.rounds)):
            ours.append(contender(f"file:{path}", arguments, "--output", f"{folder}/a{number}.parquet"))
            with Timer() as timer:
                command = [arguments.refrain, "dedup", path, "--by", "document", "-o", f"{folder}/b{number}.parquet", "--quiet"]
                subprocess.run(command, check=True)
            theirs.append({"cpu": timer.cpu, "wall": timer.wall})
        same = Path(folder, "a0.parquet").read_bytes() == Path(folder, "b0.parquet").read_bytes()
    for what in ("cpu", "wall"):
        ratio = min(found[what] for found in ours) / min(found[what] for found in theirs)
        print(f"\nprogram: {what} of Python {ratio:.3f} times that of the program (goal 1.10); same bytes: {same}")
        rows.append(("python-program", f"{what} ratio", f"{ratio:.3f}"))


def memory(arguments, rows):
    r = random.Random(1)
    words = sorted({word for record, _ in zip(records(arguments.base), range(3000)) for word in record["text"].split()})
    with tempfile.TemporaryDirectory(dir=arguments.scratch) as folder:
        path = Path(folder, "in.parquet")
        schema = pa.schema([("id", pa.string()), ("text", pa.string())])
        number, texts = 0, []
        with pq.ParquetWriter(path, schema, compression="snappy") as out:
            while not path.exists() or path.stat().st_size < arguments.gigabytes * 1e9:
                texts = [" ".join(r.choices(words, k=700)) if r.random() > 0.2 or not texts else r.choice(texts) for _ in range(2000)]
                out.write_table(pa.table({"id": [str(number + n) for n in range(len(texts))], "text": texts}, schema))
                number += len(texts)
        size = path.stat().st_size
        found = contender(f"file:{path}", arguments, "--output", f"{folder}/out.parquet", "--memory", "512M")
    peak = found["peak"] / 2**20
    print(f"\nmemory: {size / 1e9:.2f} GB of Parquet with memory=\"512M\": peak {peak:.0f} MiB of the whole process")
    rows.append(("python-memory", "peak MiB", f"{peak:.0f}"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--refrain", default=ROOT / "target/release/refrain")
    parser.add_argument("--pages", default=SHARED / "data/web/pages.jsonl.zst")
    parser.add_argument("--base", default=SHARED / "data/dedup/base.jsonl.zst")
    parser.add_argument("--count", type=int, default=1000, help="web pages")
    parser.add_argument("--copies", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--gigabytes", type=float, default=2)
    parser.add_argument("--scratch", help="a folder for large files")
    parser.add_argument("--only", type=lambda text: text.split(","), default=PARTS)
    parser.add_argument("--record", action="store_true", help="keep the figures under bench/record/")
    parser.add_argument("--as", dest="contender", help=argparse.SUPPRESS)
    parser.add_argument("--output", help=argparse.SUPPRESS)
    parser.add_argument("--memory", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.contender:
        return as_contender(arguments.contender, arguments)
    names = ("refrain-text", "trafilatura", "resiliparse", "rensa", "datasketch", "text-dedup")
    print(f"{recorded.cpu_model()}, " + ", ".join(f"{name} {version(name)}" for name in names))
    rows = []
    if "extract" in arguments.only:
        compared("extract", ["refrain", "table", "resiliparse", "trafilatura"], arguments, rows)
    if "dedup" in arguments.only:
        compared("dedup", ["refrain", "rensa", "datasketch", "text-dedup"], arguments, rows)
    if "program" in arguments.only:
        program(arguments, rows)
    if "memory" in arguments.only:
        memory(arguments, rows)
    if arguments.record:
        recorded.write("python", rows)


if __name__ == "__main__":
    main()
