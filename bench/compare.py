#!/usr/bin/env python3
"""How well and how fast `refrain compare` finds copied passages.

    python bench/compare.py --data ../shared/data/reuse --scorer ../shared/tools/eval_passages.py

Parts (--only, with commas between them):

passages 500 pairs of documents with annotated passages: plagdet of each kind, compared with the target; CPU seconds for
         all of them; and how much is found in pairs of documents that have nothing to do with each other.
answers  short answers that were copied more or less: how well R and C tell them from others (area under the curve).
speed    all pairs of 1,000 documents, compared with the crate ferret in the same run; of 10,000 documents, and of 100,000
         within 2 GB, made of stretches of the 1,000.
library  these 10,000 documents added to a library; an essay of 3,000 words checked against it, each time by a new process,
         with the files of the library in the cache of the system and without.
"""

import argparse
import datetime
import json
import os
import platform
import random
import resource
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

from extract import lines
from read import ROOT, cpu_model, refrain_version

DATA = ROOT / "bench-data" / "compare"
PARTS = ("passages", "answers", "speed", "library")
TARGETS = {"01": None, "02": 0.99, "03": 0.94, "04": 0.94, "05": 0.85, "ALL": 0.95}
CPU, GRANULARITY, CROSS, AUC, FASTER = 2.0, 1.01, 10, 0.98, 20
LARGE_CPU, LARGE_MEMORY = 10.0, 750 << 20
FERRET = "1.1.1"
CROSS_PAIRS, CROSS_SEED = 5000, 13
LIMIT = 2 << 30
ESSAY, COPIED, CHECK, CHECKS = 3000, 300, 0.2, 9


def measured(command, limit=None):
    """Runs a command. Returns CPU seconds, seconds and the peak of memory."""
    def first():
        if limit:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    start = time.perf_counter()
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=first)
    error = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):  # 1: some documents had faults
        sys.exit(f"{command[0]} failed: {error.decode(errors='replace')}")
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - start, usage.ru_maxrss << 10


def verdict(good):
    return "" if good else "  missed"


def objects(path):
    return [json.loads(line) for line in lines(path) if line.strip()]


# ---------------------------------------------------------------- passages


def compare_pairs(refrain, documents, pairs, name):
    """What refrain finds in pairs of documents; CPU seconds."""
    table, out = DATA / f"{name}.tsv", DATA / f"{name}.jsonl"
    table.write_text("".join(f"{a}\t{b}\n" for a, b in pairs), encoding="utf-8")
    cpu, _, _ = measured([refrain, "compare", documents, "--pairs", table, "--format", "jsonl", "-o", out, "--quiet"])
    found = {(pair["a"], pair["b"]): pair for pair in map(json.loads, out.read_text(encoding="utf-8").split("\n")[:-1])}
    return found, cpu


def passages(refrain, data, scorer):
    documents = DATA / "documents.jsonl"
    texts = objects(data / "pan13_docs.jsonl.zst")
    with documents.open("w", encoding="utf-8") as file:
        for text in texts:
            file.write(json.dumps({"id": f"{text['kind']}/{text['id']}", "text": text["text"]}) + "\n")
    truth = objects(data / "pan13_pairs.jsonl.zst")
    wanted = [(f"susp/{pair['susp']}", f"src/{pair['src']}") for pair in truth]
    found, cpu = compare_pairs(refrain, documents, wanted, "pairs")
    cpus = [cpu] + [compare_pairs(refrain, documents, wanted, "pairs")[1] for _ in range(2)]
    detections = DATA / "detections.jsonl"
    with detections.open("w", encoding="utf-8") as file:
        for pair, key in zip(truth, wanted):
            cases = [
                {"susp_off": p["a"][0], "susp_len": p["a"][1] - p["a"][0], "src_off": p["b"][0], "src_len": p["b"][1] - p["b"][0]}
                for p in found[key]["passages"]
            ]
            file.write(json.dumps({"pair": pair["pair"], "cases": cases}) + "\n")
    command = [sys.executable, scorer, str(data / "pan13_pairs.jsonl.zst"), str(detections), "--json"]
    scores = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    print(f"\n{'passages':<28}{'plagdet':>9}{'target':>8}{'precision':>11}{'recall':>8}{'granularity':>13}{'found':>7}")
    for kind, score in scores.items():
        target = next((target for name, target in TARGETS.items() if kind.startswith(name)), None)
        if kind.startswith("01"):
            print(f"{kind:<28}{'':>9}{'':>8}{'':>11}{'':>8}{'':>13}{score['detections']:>7}{verdict(score['detections'] == 0)}")
            continue
        good = score["plagdet"] >= (target or 0) and score["granularity"] <= GRANULARITY
        print(f"{kind:<28}{score['plagdet']:>9.4f}{target or '':>8}{score['precision']:>11.4f}{score['recall']:>8.4f}"
              f"{score['granularity']:>13.3f}{score['detections']:>7}{verdict(good)}")
    cpu = statistics.median(cpus)
    print(f"CPU seconds for {len(wanted)} pairs: {cpu:.2f} (at most {CPU:g}){verdict(cpu <= CPU)}")
    ids = [sorted({f"{t['kind']}/{t['id']}" for t in texts if t["kind"] == kind}) for kind in ("susp", "src")]
    chance, known, cross = random.Random(CROSS_SEED), set(wanted), []
    while len(cross) < CROSS_PAIRS:
        pair = (chance.choice(ids[0]), chance.choice(ids[1]))
        if pair not in known:
            known.add(pair)
            cross.append(pair)
    found, cpu = compare_pairs(refrain, documents, cross, "cross")
    count = sum(len(pair["passages"]) for pair in found.values())
    print(f"{CROSS_PAIRS} other pairs of these documents: {count} passages (at most {CROSS} that are not real), {cpu:.1f} CPU seconds{verdict(count <= CROSS)}")
    for pair in found.values():
        for passage in pair["passages"]:
            print(f"  {pair['a']} {passage['a']}  {pair['b']} {passage['b']}  {passage['kind']}")


# ---------------------------------------------------------------- answers


def area(positive, negative):
    pairs = [(one > other) + 0.5 * (one == other) for one in positive for other in negative]
    return sum(pairs) / len(pairs)


def answers(refrain, data):
    texts = objects(data / "short_answers.jsonl.zst")
    documents = DATA / "answers.jsonl"
    with documents.open("w", encoding="utf-8") as file:
        for text in texts:
            file.write(json.dumps({"id": text["id"], "text": text["text"]}) + "\n")
    originals = {text["task"]: text["id"] for text in texts if text["category"] == "orig"}
    answers = [text for text in texts if text["category"] != "orig"]
    found, _ = compare_pairs(refrain, documents, [(text["id"], originals[text["task"]]) for text in answers], "answer_pairs")
    print(f"\nshort answers, {len(answers)}: area under the curve (target {AUC})")
    for name in "r", "c_ab":
        score = {text["id"]: found[text["id"], originals[text["task"]]][name] for text in answers}
        copied = [score[text["id"]] for text in answers if text["category"] != "non"]
        others = [score[text["id"]] for text in answers if text["category"] == "non"]
        value = area(copied, others)
        print(f"  by {name}: {value:.4f}{verdict(value >= AUC)}")


# ---------------------------------------------------------------- speed


def stretches(texts, count, path, seed=5, words=(2000, 4000)):
    """Writes so many documents of 2,000 to 4,000 words, or as many as is said, each of stretches of 40 words of the texts with every fourth word another.
    One in twenty takes over 300 to 1,500 words of one of the last hundred before it."""
    chance = random.Random(seed)
    sources = [text.split() for text in texts]
    vocabulary = [word for text in sources[:200] for word in text]
    before = []
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            text, wanted = [], chance.randint(*words)
            while len(text) < wanted:
                source = chance.choice(sources)
                at = chance.randrange(max(1, len(source) - 40))
                piece = source[at:at + 40]
                for place in range(number % 3, len(piece), 4):
                    piece[place] = chance.choice(vocabulary)
                text += piece
            if number % 20 == 19:
                source, length = chance.choice(before), chance.randint(300, 1500)
                at = chance.randrange(max(1, len(source) - length))
                text[:length] = source[at:at + length]
            before = [*before[-99:], text]
            file.write(json.dumps({"id": f"made{number}", "text": " ".join(text)}) + "\n")


def made_documents(texts):
    """10,000 documents in a file."""
    made = DATA / "made10k.jsonl"
    if not made.exists():
        stretches(texts, 10_000, made)
    return made


def again(command):
    """The second of two runs."""
    measured(command)
    return measured(command)


def ferret():
    """The crate ferret; none where it cannot be built."""
    tools = ROOT / ".tools"
    program = tools / "bin" / "ferret"
    if not program.exists():
        command = ["cargo", "install", "ferret", "--version", FERRET, "--root", str(tools), "--quiet"]
        if subprocess.run(command).returncode != 0:
            return None
    return program


def speed(refrain, data, rounds, large):
    source = DATA / "speed1k.jsonl"
    texts = objects(data / "speed1k.jsonl.zst")
    with source.open("w", encoding="utf-8") as file:
        for text in texts:
            file.write(json.dumps({"id": str(text["id"]), "text": text["text"]}) + "\n")
    folder = DATA / "speed1k"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for text in texts:
        (folder / f"{text['id']}.txt").write_text(text["text"], encoding="utf-8")
    peer = ferret()
    own, passages, theirs = [], [], []
    command = [refrain, "compare", source, "--format", "jsonl", "-o", DATA / "speed.jsonl", "--quiet"]
    for _ in range(rounds):
        # The crate ferret lists pairs with their scores; it looks for no passages then. Every program runs twice and counts once,
        # so that what the system does to get memory is not laid to whoever comes after a large one.
        own.append(again([*command, "--no-passages"]))
        passages.append(again(command))
        if peer:
            theirs.append(again([peer, "-l", *sorted(folder.iterdir())]))
    cpu = statistics.median(run[0] for run in own)
    for name, runs in ("", own), (", with their passages", passages):
        print(f"{'' if name else chr(10)}all pairs of {len(texts)} documents{name}: {statistics.median(run[0] for run in runs):.2f} CPU seconds, "
              f"{statistics.median(run[1] for run in runs):.2f} s, {max(run[2] for run in runs) >> 20} MiB")
    if theirs:
        other = statistics.median(run[0] for run in theirs)
        with_passages = other / statistics.median(run[0] for run in passages)
        print(f"crate ferret {FERRET}, all pairs: {other:.1f} CPU seconds, {max(run[2] for run in theirs) >> 20} MiB; "
              f"{other / cpu:.1f} times as many as without passages (target {FASTER}){verdict(other / cpu >= FASTER)}, "
              f"{with_passages:.1f} times as many as with them")
    else:
        print(f"crate ferret {FERRET} could not be built here")
    plain = [text["text"] for text in texts]
    made = made_documents(plain)
    cpu, seconds, peak = measured([refrain, "compare", made, "--format", "jsonl", "-o", DATA / "made.jsonl", "--quiet"])
    good = cpu <= LARGE_CPU and peak <= LARGE_MEMORY
    pairs = (DATA / "made.jsonl").read_bytes().count(b"\n")
    print(f"all pairs of 10000 documents: {cpu:.1f} CPU seconds (at most {LARGE_CPU:g}), {seconds:.1f} s, {peak >> 20} MiB "
          f"(at most {LARGE_MEMORY >> 20}), {pairs} pairs{verdict(good)}")
    if large:
        made = DATA / "made100k.jsonl"
        if not made.exists():
            stretches(plain, 100_000, made, seed=6)
        command = [refrain, "compare", made, "--memory", "1G", "--format", "jsonl", "-o", DATA / "made.jsonl", "--quiet"]
        cpu, seconds, peak = measured(command, LIMIT)
        pairs = (DATA / "made.jsonl").read_bytes().count(b"\n")
        print(f"all pairs of 100000 documents within {LIMIT >> 20} MiB of addresses: {seconds:.0f} s, {cpu:.0f} CPU seconds, "
              f"{peak >> 20} MiB, {pairs} pairs")


# ---------------------------------------------------------------- library


def forget(folder):
    """Takes the files of a folder out of the cache of the system."""
    for path in folder.iterdir():
        file = os.open(path, os.O_RDONLY)
        os.fsync(file)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(file)


def library(refrain, data):
    plain = [text["text"] for text in objects(data / "speed1k.jsonl.zst")]
    made = made_documents(plain)
    with made.open(encoding="utf-8") as file:
        source = json.loads(next(line for number, line in enumerate(file) if number == 4321))
    essay = DATA / "essay.jsonl"
    stretches(plain, 1, essay, seed=7, words=(ESSAY, ESSAY))
    words = json.loads(essay.read_text(encoding="utf-8"))["text"].split()[:ESSAY]
    words[1000:1000 + COPIED] = source["text"].split()[500:500 + COPIED]
    essay = DATA / "essay.txt"
    essay.write_text(" ".join(words), encoding="utf-8")
    folder = DATA / "library"
    shutil.rmtree(folder, ignore_errors=True)
    cpu, seconds, peak = measured([refrain, "library", "add", folder, made, "--quiet"])
    size = sum(path.stat().st_size for path in folder.iterdir())
    print(f"\nlibrary of 10000 documents: added in {seconds:.1f} s, {cpu:.1f} CPU seconds, {peak >> 20} MiB; {size / 1e6:.0f} MB "
          f"on disk, of {made.stat().st_size / 1e6:.0f} MB")
    check = [refrain, "library", "check", folder, essay, "--json"]
    found = json.loads(subprocess.run(check, check=True, stdout=subprocess.PIPE).stdout)
    if not any(match["id"] == source["id"] and match["passages"] for match in found["sources"]):
        sys.exit(f"the passage of {source['id']} was not found")
    for name, cold in ("in the cache of the system", False), ("read from disk", True):
        runs = []
        for _ in range(CHECKS):
            if cold:
                forget(folder)
            runs.append(measured(check))
        times = sorted(run[1] for run in runs)
        middle = statistics.median(times)
        print(f"check of {len(words)} words, library {name}: {1000 * middle:.0f} ms ({1000 * times[0]:.0f} to {1000 * times[-1]:.0f}, "
              f"{CHECKS} runs; less than {1000 * CHECK:.0f}), {max(run[2] for run in runs) >> 20} MiB{verdict(middle < CHECK)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--refrain", default=ROOT / "target/release/refrain", type=Path)
    parser.add_argument("--data", type=Path, required=True, help="folder with the collections")
    parser.add_argument("--scorer", type=Path, required=True, help="eval_passages.py")
    parser.add_argument("--only", default=",".join(PARTS), help="parts, with commas between them")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--large", action="store_true", help="100,000 documents, too")
    arguments = parser.parse_args()
    if not arguments.data.is_dir():
        sys.exit(f"{arguments.data} is not there; say where the collections are with --data")
    DATA.mkdir(parents=True, exist_ok=True)
    print(f"{datetime.date.today()}, {cpu_model()}, {len(os.sched_getaffinity(0))} cores, {platform.system()} {platform.release()}")
    print(f"refrain {refrain_version()}, python {platform.python_version()}")
    parts = arguments.only.split(",")
    if "passages" in parts:
        passages(arguments.refrain, arguments.data, arguments.scorer)
    if "answers" in parts:
        answers(arguments.refrain, arguments.data)
    if "speed" in parts:
        speed(arguments.refrain, arguments.data, arguments.rounds, arguments.large)
    if "library" in parts:
        library(arguments.refrain, arguments.data)


if __name__ == "__main__":
    main()
