#!/usr/bin/env python3
"""How well and how fast `refrain dedup` finds what repeats, compared with peers; how that grows with size; and what kills do to it.

    python bench/dedup.py --refrain target/release/refrain --bench target/release/refrain-bench

Four parts (--only picks some of them):

quality  Copies are planted in a collection (--base: JSONL, plain or .zst, with id and text), by make_dups.py with two seeds.
         What is removed is scored by eval_dedup.py: blocks, and documents by the share of 5-grams in both (--resemblance). The
         documents that the default rule removes are scored here, by the way in which they were planted.
peers    The same collection through refrain and through text-dedup, datasketch and rensa, which find documents that resemble
         others; in an environment of their own, .venv-dedup, made from bench/requirements-dedup.txt. onion, which leaves out
         blocks, takes part where it is on PATH. duplodocus does not: it is not in the registry of crates.
scale    Collections of 0.1, 0.5 and 2 G words (--words), grown from the base by `refrain-bench grow`: n-grams counted, and all
         of it deduplicated, each within --memory 1.2G and with a limit of 1.5 GB that the system enforces.
kill     A run killed at random moments and taken up again, whose files have to be those of an undisturbed run.

Inputs are made under bench-data/ once. Needs the packages of tests/python/requirements.txt.
"""

import argparse
import csv
import datetime
import hashlib
import json
import os
import platform
import random
import re
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from extract import lines, put, run
from read import RECORDS, ROOT, cpu_model, refrain_version

SHARED = ROOT.parent / "shared"
BASE = SHARED / "data" / "dedup" / "base.jsonl.zst"
MAKER = SHARED / "tools" / "make_dups.py"
SCORER = SHARED / "tools" / "eval_dedup.py"
DATA = ROOT / "bench-data" / "dedup"
PLAIN, NOTE, WORK = DATA / "base.jsonl", DATA / "inputs.json", DATA / "work"
VENV = ROOT / ".venv-dedup"
REQUIREMENTS = ROOT / "bench" / "requirements-dedup.txt"

RECIPE = 1  # to be raised when the inputs change
SEEDS = (1, 7)
PARTS = ("quality", "peers", "scale", "kill")

# What is scored, and the least that it has to be; 0: no target.
BLOCKS = {
    "exact": 0,
    "ws": 0,
    "edit0.01": 0,
    "edit0.03": 0,
    "edit0.05": 0.998,
    "edit0.1": 0.99,
    "edit0.2": 0.95,
    "edit0.3": 0,
    "shuffle": 0,
    "mix": 0.999,
    "mixedit": 0.995,
    "recall_all": 0.99,
    "precision_in_planted": 0.98,
}
DOCUMENTS = {"1.0": 1, ".9-1": 1, ".8-.9": 1, ".5-.8": 0.97, ".2-.5": 0.8, "<.2": 0, "precision": 0.99}
COPIES = {
    "exact": 1,
    "ws": 1,
    "edit0.01": 0.99,
    "edit0.03": 0.99,
    "edit0.05": 0.99,
    "edit0.1": 0.99,
    "edit0.2": 0.95,
    "edit0.3": 0,
    "shuffle": 0.98,
    "precision": 0.99,
}
# Documents with text of their own, which must not be removed as a whole: the most that may be.
PARTLY = {"mix": 0.005, "mixedit": 0.005, "quote": 0.005}

# What is measured: the options, and the least that each figure has to be. Documents by the published rule, and by the default.
UNITS = {
    "blocks": ([], BLOCKS),
    "resemblance": (["--by", "document", "--resemblance", "0.22"], DOCUMENTS),
    "documents": (["--by", "document"], COPIES),
}

# Million words a second, and how much longer a word may take in a large collection than in the smallest.
COUNT_SPEED, FULL_SPEED, GROWTH = 20, 5, 1.25

MEMORY = "1.2G"  # what refrain is told
LIMIT = 1500 << 20  # what the system enforces: memory in use
ADDRESSES = 1536 << 20  # the same where only the address space can be limited, which also counts what is not in use
WORD_BYTES = {"input": 6.3, "temporary": 16, "output": 7.5}  # disk, for each word
LONG = 60  # seconds: a peer that takes longer is run once


def cores():
    return len(os.sched_getaffinity(0))


def planted(seed):
    return DATA / f"planted-{seed}.jsonl", DATA / f"planted-{seed}.gold.jsonl"


def empty(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


# ---------------------------------------------------------------- inputs


def prepare(base, maker):
    """Unpacks the base collection and plants copies in it, unless that was done."""
    names = [f"{path.name}, {hashlib.sha256(path.read_bytes()).hexdigest()[:12]}" for path in (base, maker)]
    if NOTE.is_file():
        known = json.loads(NOTE.read_text())
        if (known["recipe"], known["names"]) == (RECIPE, names):
            return known
    print(f"making collections in {DATA.relative_to(ROOT)}/ ...", file=sys.stderr)
    empty(DATA)
    with PLAIN.open("w", encoding="utf-8") as file:
        file.writelines(lines(base))
    for seed in SEEDS:
        out = DATA / f"planted-{seed}"
        run([sys.executable, maker, PLAIN, out, "--seed", str(seed), "--share", "0.25", "--clean", "0.3"], 1)
    sizes = {str(seed): planted(seed)[0].stat().st_size for seed in SEEDS}
    made = {"recipe": RECIPE, "names": names, "bytes": sizes}
    NOTE.write_text(json.dumps(made))
    return made


# ---------------------------------------------------------------- quality


def score(scorer, unit, seed, removed):
    """What eval_dedup.py says, all figures side by side."""
    scores = json.loads(run([sys.executable, scorer, unit, *planted(seed), removed], 1).stdout)
    return scores.pop("recall") | scores


def dedup(refrain, seed, *options):
    """Runs refrain on a collection with planted copies. Returns seconds and the list of what was left out."""
    folder = empty(WORK)
    removed = folder / "removed.jsonl"
    command = [refrain, "dedup", planted(seed)[0], "-o", folder / "clean.jsonl", "--removed", removed, "--quiet", *options]
    start = time.perf_counter()
    run(command, cores())
    return time.perf_counter() - start, removed


def score_copies(seed, removed):
    """The share of planted documents that were removed as a whole, by way, and of the removed ones those that are planted or a source."""
    gone = {row["id"] for row in map(json.loads, lines(removed))}
    planted_in, found, known = Counter(), Counter(), set()
    for entry in map(json.loads, lines(planted(seed)[1])):
        way = f"edit{entry['rate']}" if entry["kind"] == "edit" else entry["kind"]
        planted_in[way] += 1
        # The copy was kept in place of its source: nothing is lost.
        instead = way not in PARTLY and any(source in gone for source in entry["sources"])
        found[way] += entry["id"] in gone or instead
        known |= {entry["id"], *entry["sources"]}
    scores = {way: found[way] / planted_in[way] for way in planted_in}
    return scores | {"precision": len(gone & known) / max(1, len(gone)), "removed": len(gone)}


def measure_quality(refrain, scorer):
    """Scores of blocks and of documents, by seed."""
    results = {unit: {} for unit in UNITS}
    for seed in SEEDS:
        for unit, (options, _) in UNITS.items():
            print(f"quality, {unit}, seed {seed}", file=sys.stderr)
            removed = dedup(refrain, seed, *options)[1]
            if unit == "documents":
                results[unit][seed] = score_copies(seed, removed)
            else:
                results[unit][seed] = score(scorer, "blocks" if unit == "blocks" else "documents", seed, removed)
    return results


def report_quality(results):
    for unit, (options, targets) in UNITS.items():
        print()
        title = " ".join([unit, *options[2:]])
        print(f"{title:34}" + "".join(f"{f'seed {seed}':>10}" for seed in SEEDS) + f"{'target':>10}")
        by_seed = results[unit]
        for name in dict.fromkeys([*targets, *(name for scores in by_seed.values() for name in scores)]):
            values = [by_seed[seed].get(name) for seed in SEEDS]
            if any(value is None for value in values):
                continue
            most = PARTLY.get(name) if unit == "documents" else None
            target = most or targets.get(name)
            missed = target and (max(values) > target if most else min(values) < target)
            title = f"recall, {name}" if name[0] in ".<1" else f"removed though partly new, {name}" if most else name
            figures = "".join(f"{value:10.4f}" if isinstance(value, float) else f"{value:10}" for value in values)
            wanted = f"{target:10.3f}" if target else ""
            print(f"{title:34}{figures}{wanted}{'  missed' if missed else ''}")


# ---------------------------------------------------------------- peers


@dataclass
class Peer:
    name: str
    about: str
    version: str = ""
    seconds: list = field(default_factory=list)
    scores: dict = field(default_factory=dict)
    skipped: str = ""


def peers():
    return [
        Peer("refrain", "blocks"),
        Peer("refrain", "--by document"),
        Peer("rensa", "RMinHashDeduplicator"),
        Peer("datasketch", "MinHashLSH"),
        Peer("text-dedup", "minhash"),
        Peer("onion", "blocks"),
    ]


def environment(venv):
    """Makes the environment of the peers, unless it is there. Returns its Python."""
    python, ready = venv / "bin" / "python", venv / "ready"
    wanted = REQUIREMENTS.read_text()
    if ready.is_file() and ready.read_text() == wanted:
        return python
    print(f"making {venv.name} ...", file=sys.stderr)
    run([sys.executable, "-m", "venv", venv], cores())
    install = [python, "-m", "pip", "install", "--quiet"]
    if subprocess.run([*install, "--requirement", REQUIREMENTS], stderr=subprocess.DEVNULL).returncode != 0:
        for package in wanted.split():  # one that cannot be had must not cost the others
            if subprocess.run([*install, package], stderr=subprocess.DEVNULL).returncode != 0:
                print(f"{package} cannot be installed", file=sys.stderr)
    ready.write_text(wanted)
    return python


def shingles(text):
    """The word 5-grams of a text, each once."""
    words = re.findall(r"\w+", text.lower())
    return list({" ".join(words[start : start + 5]) for start in range(max(1, len(words) - 4))})


def write_kept(documents, keep, folder):
    """Writes documents that stay and the ids of the others."""
    with (folder / "clean.jsonl").open("w", encoding="utf-8") as clean:
        with (folder / "removed.jsonl").open("w", encoding="utf-8") as removed:
            for document, kept in zip(documents, keep, strict=True):
                put(clean if kept else removed, document if kept else {"id": document["id"]})


def with_datasketch(path, folder, threshold=0.5, permutations=128):
    from datasketch import MinHash, MinHashLSH

    start = time.perf_counter()
    documents = list(map(json.loads, lines(path)))
    index = MinHashLSH(threshold=threshold, num_perm=permutations)
    sets = ([shingle.encode() for shingle in shingles(document["text"])] for document in documents)
    keep = []
    for number, sketch in enumerate(MinHash.generator(sets, num_perm=permutations)):
        keep.append(not index.query(sketch))
        if keep[-1]:
            index.insert(number, sketch)
    write_kept(documents, keep, folder)
    return time.perf_counter() - start


def with_rensa(path, folder, threshold=0.5, permutations=128):
    from rensa import RMinHashDeduplicator

    start = time.perf_counter()
    documents = list(map(json.loads, lines(path)))
    index = RMinHashDeduplicator(threshold=threshold, num_perm=permutations, use_lsh=True)
    keep = index.add_pairs((str(number), shingles(document["text"])) for number, document in enumerate(documents))
    write_kept(documents, keep, folder)
    return time.perf_counter() - start


def with_text_dedup(path, folder, threshold=0.5, permutations=128):
    os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    from datasets import load_from_disk
    from text_dedup.minhash import main as minhash

    options = {"--path": "json", "--data_files": path, "--split": "train", "--cache_dir": folder / "cache"}
    options |= {"--output": folder / "clean", "--column": "text", "--batch_size": 10_000, "--num_proc": cores()}
    options |= {"--ngram": 5, "--num_perm": permutations, "--threshold": threshold}
    start = time.perf_counter()
    minhash([str(word) for option in options.items() for word in option], standalone_mode=False)
    seconds = time.perf_counter() - start
    kept = set(load_from_disk(str(folder / "clean"))["id"])
    with (folder / "removed.jsonl").open("w", encoding="utf-8") as removed:
        for document in map(json.loads, lines(path)):
            if document["id"] not in kept:
                put(removed, {"id": document["id"]})
    return seconds


WITH = {"datasketch": with_datasketch, "rensa": with_rensa, "text-dedup": with_text_dedup}


def as_peer(name, path):
    """Does the work of a peer and tells the time, without that of loading it. Runs in the environment of the peers."""
    seconds = WITH[name](Path(path), WORK)
    print(json.dumps({"seconds": seconds, "version": version(name)}))


def with_onion(path):
    """Seconds of onion on a collection, a word a line; making that is not counted."""
    vertical = WORK / "input.vert"
    with vertical.open("w", encoding="utf-8") as file:
        for document in map(json.loads, lines(path)):
            file.write("<doc>\n")
            for block in re.split(r"\n\s*\n", document["text"]):
                file.write("\n".join(["<p>", *re.findall(r"\w+", block), "</p>\n"]))
            file.write("</doc>\n")
    start = time.perf_counter()
    run(["onion", "-s", "-n", "7", "-t", "0.5", vertical], 1)
    return time.perf_counter() - start


def once(peer, refrain, python, scorer):
    """Runs a peer once. Says why where that cannot be."""
    path = planted(SEEDS[0])[0]
    if peer.name == "refrain":
        options = ["--by", "document"] if "document" in peer.about else []
        seconds, removed = dedup(refrain, SEEDS[0], *options)
        peer.version = refrain_version()
    elif peer.name == "onion":
        if not shutil.which("onion"):
            peer.skipped = "it is not on PATH"
            return
        empty(WORK)
        seconds, removed = with_onion(path), None
    else:
        removed = empty(WORK) / "removed.jsonl"
        command = [python, __file__, "--peer", peer.name, path]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode != 0:
            words = done.stderr.decode(errors="replace").strip().splitlines()
            peer.skipped = words[-1] if words else f"it ended with {done.returncode}"
            return
        told = json.loads(done.stdout.decode().splitlines()[-1])
        seconds, peer.version = told["seconds"], told["version"]
    peer.seconds.append(seconds)
    if removed and not peer.scores:
        unit = "blocks" if peer.about == "blocks" else "documents"
        peer.scores = score(scorer, unit, SEEDS[0], removed)


def measure_peers(refrain, scorer, venv, rounds):
    """All in turn, again and again; those that take long only once."""
    python = environment(venv)
    all_peers = peers()
    for number in range(rounds):
        print(f"peers, round {number + 1} of {rounds}", file=sys.stderr)
        for peer in all_peers:
            if not peer.skipped and not (peer.seconds and peer.name != "refrain" and peer.seconds[0] > LONG):
                once(peer, refrain, python, scorer)
    return all_peers


def report_peers(all_peers, inputs):
    megabytes = inputs["bytes"][str(SEEDS[0])] / 1e6
    print()
    title = f"{megabytes:.1f} MB, {cores()} cores"
    print(f"{title:34}{'MB/s':>8}{'slowest':>9}{'fastest':>9}{'runs':>6}{'recall .5-.8':>14}{'precision':>11}")
    for peer in all_peers:
        label = f"{peer.name} {peer.about}"
        if peer.skipped:
            print(f"{label:34}skipped: {peer.skipped}")
            continue
        speeds = [megabytes / second for second in (statistics.median(peer.seconds), max(peer.seconds), min(peer.seconds))]
        scores = ""
        if "precision" in peer.scores:  # those of documents
            scores = f"{peer.scores['.5-.8']:14.4f}{peer.scores['precision']:11.4f}"
        print(f"{label:34}{speeds[0]:8.1f}{speeds[1]:9.1f}{speeds[2]:9.1f}{len(peer.seconds):6}{scores}")
    print("wall-clock time from reading JSONL to having written what is kept: of refrain the whole program, of peers without")
    print("the time to load them. rensa, datasketch, text-dedup: word 5-grams, 128 permutations, threshold 0.5; recall and")
    print("precision are those of whole documents, recall that of copies whose resemblance is .5 to .8")


# ---------------------------------------------------------------- scale


class Limit:
    """A limit of memory that the system enforces: what is put before a command, and what its process does first."""

    def __init__(self, name, before=(), first=None, folder=None):
        self.name, self.before, self.first, self.folder = name, list(before), first, folder

    def close(self):
        if self.folder:
            self.folder.rmdir()


def by_systemd():
    if not shutil.which("systemd-run") or not Path("/run/systemd/system").is_dir():
        return None
    before = ["systemd-run", "--scope", "--quiet", "-p", f"MemoryMax={LIMIT}", "-p", "MemorySwapMax=0"]
    before += [] if os.geteuid() == 0 else ["--user"]
    works = subprocess.run([*before, "true"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
    return Limit(f"memory of a systemd scope, {LIMIT >> 20} MiB", before) if works else None


def by_group(parent):
    """A control group below one that is ours to divide. Which one that is has to be said: most belong to somebody else."""
    if parent is None:
        return None
    folder = parent / f"refrain-bench-{os.getpid()}"
    try:
        folder.mkdir()
    except OSError as error:
        sys.exit(f"no control group can be made in {parent}: {error}")
    setting = next((folder / name for name in ("memory.max", "memory.limit_in_bytes") if (folder / name).exists()), None)
    if setting is None:
        folder.rmdir()
        sys.exit(f"{parent} does not control memory")
    setting.write_text(f"{LIMIT}")
    return Limit(
        f"memory of a control group, {LIMIT >> 20} MiB",
        first=lambda: (folder / "cgroup.procs").write_text(f"{os.getpid()}"),
        folder=folder,
    )


def by_addresses():
    return Limit(
        f"address space, {ADDRESSES >> 20} MiB",
        first=lambda: resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES)),
    )


def limit_of_memory(parent):
    """The first of the ways that works here."""
    return by_group(parent) or by_systemd() or by_addresses()


def used(folder):
    """Bytes on disk below a folder, files that vanish meanwhile left aside."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(place, name)).st_blocks * 512
            except OSError:
                pass
    return total


@dataclass
class Scale:
    what: str
    words: int
    seconds: float
    peak: int
    temporary: int

    @property
    def speed(self):
        return self.words / 1e6 / self.seconds


def watched(command, limit, temporary):
    """Runs a command within a limit. Returns its output, seconds, peak memory, and the peak of its temporary files."""
    peak, ended = 0, threading.Event()

    def watch():
        nonlocal peak
        while not ended.wait(1):
            peak = max(peak, used(temporary))

    output, errors = WORK / "output.json", WORK / "errors.txt"
    with output.open("wb") as out, errors.open("wb") as err:
        start = time.perf_counter()
        process = subprocess.Popen([*limit.before, *command], stdout=out, stderr=err, preexec_fn=limit.first)
        watcher = threading.Thread(target=watch)
        watcher.start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        ended.set()
        watcher.join()
    if process.returncode != 0:
        words = errors.read_text(errors="replace")[-2000:]
        sys.exit(f"{command[0]} ended with {process.returncode} ({limit.name}): {words}")
    return json.loads(output.read_text()), seconds, usage.ru_maxrss * 1024, peak


def grow(bench, words):
    """Grows a collection of so many words, unless one was kept. Returns where it is."""
    path = DATA / f"grown-{words}.jsonl"
    note = path.with_suffix(".json")
    if not (note.is_file() and path.is_file() and path.stat().st_size == json.loads(note.read_text())["bytes"]):
        print(f"growing a collection of {words / 1e9:g} G words ...", file=sys.stderr)
        note.write_bytes(run([bench, "grow", PLAIN, path, "--words", str(words)], 1).stdout)
    return path, note


def room(sizes):
    """Exits where the disk is too small for the largest collection, its temporary files and its output."""
    words = max(sizes)
    needed = sum(WORD_BYTES.values()) * words
    kept = DATA / f"grown-{words}.jsonl"
    free = shutil.disk_usage(DATA).free + (kept.stat().st_size if kept.is_file() else 0)
    if free < needed:
        shares = ", ".join(f"{name} {each * words / 1e9:.0f} GB" for name, each in WORD_BYTES.items())
        print(
            f"{words / 1e9:g} G words need {needed / 1e9:.0f} GB of disk ({shares}), {free / 1e9:.0f} GB are free:"
            " choose smaller collections with --words"
        )
        sys.exit(2)


def measure_scale(refrain, bench, sizes, limit, keep):
    """Counting and deduplication of collections of several sizes."""
    results = []
    for words in sizes:
        path, note = grow(bench, words)
        options = ["--memory", MEMORY, "--json", "--quiet"]
        for what, asked in ("count", ["--ngram", "10", "--count-only"]), ("full", None):
            print(f"scale, {what}, {words / 1e9:g} G words", file=sys.stderr)
            temporary = empty(WORK) / "temporary"
            temporary.mkdir()
            if asked is None:
                asked = ["-o", WORK / "clean.jsonl", "--removed", WORK / "removed.jsonl"]
            command = [refrain, "dedup", path, *asked, *options, "--temporary", temporary]
            told, seconds, peak, files = watched(command, limit, temporary)
            results.append(Scale(what, told["words"], seconds, peak, files))
            if told["words"] < words * 0.95:
                sys.exit(f"refrain saw {told['words']} of {words} words")
        empty(WORK)
        if not keep:
            path.unlink()
            note.unlink()
    return results


def report_scale(results, limit):
    print()
    print(f"{'scale':7}{'M words':>9}{'seconds':>10}{'M words/s':>11}{'target':>8}{'growth':>8}", end="")
    print(f"{'peak MB':>9}{'growth':>8}{'files, GB':>11}{'bytes/word':>12}")
    for what, target in ("count", COUNT_SPEED), ("full", FULL_SPEED):
        chosen = [result for result in results if result.what == what]
        first = min(chosen, key=lambda result: result.words)
        for result in chosen:
            slower, larger = first.speed / result.speed, result.peak / first.peak
            missed = [
                word
                for word, failed in (("speed", result.speed < target), ("growth of time", slower > GROWTH))
                if failed
            ]
            print(
                f"{what:7}{result.words / 1e6:9.1f}{result.seconds:10.1f}{result.speed:11.2f}{target:8}{slower:8.2f}"
                f"{result.peak / 1e6:9.0f}{larger:8.2f}{result.temporary / 1e9:11.2f}{result.temporary / result.words:12.1f}"
                f"{'  missed: ' + ', '.join(missed) if missed else ''}"
            )
    print(f"within --memory {MEMORY}; enforced: {limit.name}. growth: of the time for a word (target: at most {GROWTH:g})")
    print("and of the peak of memory, compared with the smallest collection; files: temporary ones at their peak, looked at every second")


# ---------------------------------------------------------------- kills


def digests(folder):
    """The SHA-256 of every file below a folder, by its path there."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def kill(refrain, kills, seed):
    """Kills a run at random moments, lets it finish, and compares every byte with an undisturbed run."""
    moments = random.Random(seed)
    empty(WORK)

    def command(folder):
        folder.mkdir(exist_ok=True)
        outputs = ["-o", folder / "clean.jsonl.zst", "--removed", folder / "removed.jsonl"]
        outputs += ["--report", folder / "report.json", "--lost", folder / "lost.jsonl"]
        return [refrain, "dedup", planted(SEEDS[0])[0], *outputs, "--checkpoint", "4M", "--quiet"]

    print()
    start = time.monotonic()
    code = subprocess.run(command(WORK / "undisturbed"), capture_output=True).returncode
    whole = time.monotonic() - start
    print(f"undisturbed run: {whole:.1f} s, exit code {code}")
    if code != 0:
        return False
    expected = digests(WORK / "undisturbed")
    killed, number, same = WORK / "killed", 0, True
    while number < kills:
        # Work that is done is not done again, so runs get shorter; the moments together reach all phases.
        moment = moments.uniform(0, whole * 0.25)
        process = subprocess.Popen(command(killed), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(moment)
        process.kill()
        process.wait()
        if process.returncode != -signal.SIGKILL:
            # It had ended, which is no kill: what it wrote has to be right, too, and the next one begins anew.
            same &= compared("ended", process.returncode, code, expected, killed)
            empty(killed)
            continue
        number += 1
        files = [path.name for path in killed.rglob("*") if path.is_file()]
        done = sum(name.endswith((".done", ".answers")) for name in files)
        print(f"run {number:2}: killed after {moment:.2f} s, {len(files)} files, {done} of finished work")
    last = subprocess.run(command(killed), capture_output=True).returncode
    return compared("last run", last, code, expected, killed) and same


def compared(name, code, expected_code, expected, folder):
    """Whether a run ended as the undisturbed one did, with the same files; tells which ones differ."""
    found = digests(folder)
    same = expected == found and code == expected_code
    print(f"{name}: exit code {code}; {len(found)} files, {'all identical' if same else 'DIFFERENT'}")
    for path in sorted(set(expected) | set(found)):
        if expected.get(path) != found.get(path):
            print(f"  differs: {path}")
    return same


# ---------------------------------------------------------------- report


def head(inputs, parts):
    print(f"{datetime.date.today()}, {cpu_model()}, {cores()} cores, {platform.system()} {platform.release()}")
    print(f"refrain {refrain_version()}, python {platform.python_version()}")
    sizes = ", ".join(f"{size / 1e6:.1f} MB (seed {seed})" for seed, size in inputs["bytes"].items())
    print(f"inputs: {'; '.join(inputs['names'])}; with planted copies {sizes}")
    print(f"measured: {', '.join(parts)}")


def record(quality, all_peers, scale, limit, inputs, parts):
    """Keeps the figures; those of some parts only next to those of others."""
    folder = RECORDS / f"{platform.system()}-{platform.machine()}".lower()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{datetime.date.today()}-dedup-{'-'.join(parts)}.csv"
    known = {peer.name: peer.version for peer in all_peers} | {"refrain": refrain_version()}
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["tool", "version", "cpu", "input", "measure", "value"])

        def row(tool, name, measure, value):
            writer.writerow([tool, known[tool], cpu_model(), name, measure, value])

        for unit, by_seed in quality.items():
            for seed, scores in by_seed.items():
                for name, value in scores.items():
                    row("refrain", f"seed {seed}", f"{unit} {name}", value)
        for peer in all_peers:
            if peer.seconds:
                speed = inputs["bytes"][str(SEEDS[0])] / 1e6 / statistics.median(peer.seconds)
                row(peer.name, f"seed {SEEDS[0]}, {cores()} cores", f"{peer.about}, mb_per_second", f"{speed:.1f}")
                for name in ".5-.8", "precision":
                    if "precision" in peer.scores:
                        row(peer.name, f"seed {SEEDS[0]}", f"{peer.about}, documents {name}", peer.scores[name])
        for result in scale:
            name = f"{result.words / 1e6:.1f} M words, {limit.name}"
            row("refrain", name, f"{result.what}, million_words_per_second", f"{result.speed:.2f}")
            row("refrain", name, f"{result.what}, peak_bytes", result.peak)
            row("refrain", name, f"{result.what}, temporary_bytes", result.temporary)
    print(f"recorded in {path.relative_to(ROOT)}")


def some_of(known):
    """Reads some of the known parts, with commas between them."""
    def parts_of(text):
        parts = text.split(",")
        if unknown := [part for part in parts if part not in known]:
            raise argparse.ArgumentTypeError(f"{unknown[0]} is none of {', '.join(known)}")
        return parts

    return parts_of


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bench", type=Path, default=ROOT / "target/release/refrain-bench", help="refrain-bench")
    parser.add_argument("--refrain", type=Path, default=ROOT / "target/release/refrain", help="refrain")
    parser.add_argument("--base", type=Path, default=BASE, help="the collection that copies are planted in")
    parser.add_argument("--make-dups", type=Path, default=MAKER, help="make_dups.py, which plants copies")
    parser.add_argument("--eval-dedup", type=Path, default=SCORER, help="eval_dedup.py, which scores what was left out")
    parser.add_argument("--only", type=some_of(PARTS), default=PARTS, help=f"parts, with commas between them: {','.join(PARTS)}")
    parser.add_argument("--rounds", type=int, default=3, help="how often peers are measured")
    parser.add_argument("--venv", type=Path, default=VENV, help="environment of the peers")
    parser.add_argument("--words", type=float, nargs="+", default=[0.1, 0.5, 2], help="sizes of grown collections, in G words")
    parser.add_argument("--keep", action="store_true", help="keep grown collections")
    parser.add_argument("--cgroup", type=Path, help="control group below which one may be made to limit memory")
    parser.add_argument("--kills", type=int, default=10, help="how often a run is killed")
    parser.add_argument("--seed", type=int, default=1, help="of the moments of the kills")
    parser.add_argument("--record", action="store_true", help="keep the figures under bench/record/")
    parser.add_argument("--peer", nargs=2, metavar=("NAME", "FILE"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.peer:
        as_peer(*arguments.peer)
        return 0
    needed = {"--base": arguments.base, "--make-dups": arguments.make_dups, "--eval-dedup": arguments.eval_dedup}
    for option, path in needed.items():
        if not path.is_file():
            print(f"{path} is not there: name the file with {option} (CONTRIBUTING.md says what it has to hold)")
            return 2
    for program in [arguments.refrain] + [arguments.bench] * ("scale" in arguments.only):
        if not program.is_file():
            sys.exit(f"{program} is not there: cargo build --release")
    refrain, bench, scorer = arguments.refrain.resolve(), arguments.bench.resolve(), arguments.eval_dedup.resolve()
    inputs = prepare(arguments.base, arguments.make_dups.resolve())
    sizes = sorted(round(size * 1e9) for size in arguments.words)
    if "scale" in arguments.only:
        room(sizes)
    quality, all_peers, scale, limit, same = {}, [], [], None, True
    head(inputs, arguments.only)
    if "quality" in arguments.only:
        quality = measure_quality(refrain, scorer)
        report_quality(quality)
    if "peers" in arguments.only:
        all_peers = measure_peers(refrain, scorer, arguments.venv, arguments.rounds)
        report_peers(all_peers, inputs)
    if "scale" in arguments.only:
        limit = limit_of_memory(arguments.cgroup)
        try:
            scale = measure_scale(refrain, bench, sizes, limit, arguments.keep)
        finally:
            limit.close()
        report_scale(scale, limit)
    if "kill" in arguments.only:
        same = kill(refrain, arguments.kills, arguments.seed)
    shutil.rmtree(WORK, ignore_errors=True)
    if arguments.record:
        record(quality, all_peers, scale, limit, inputs, arguments.only)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
