#!/usr/bin/env python3
"""What is removed though it is no copy: texts with the same wording and other facts, and documents that resemble each other.

    python bench/trust.py --refrain target/release/refrain

Parts (--only picks some of them):

documents  generated collections (trust_collections.py), `refrain dedup --by document`: documents removed that are no copies, and
           planted copies found
templates  the same collections, `refrain dedup`: words removed from blocks that are no copies, and words of planted copies found
border     `refrain dedup --by document --contained` from 0.6 to 1: documents removed that are no copies, and copies found, in the
           generated collection of all templates and in the real ones
real       collections from Debian packages and web sites (trust_real.py): removed documents that no kept document contains, by an
           independent and slow comparison of words; words of removed blocks that the named document does not contain
peers      rensa, datasketch and text-dedup at the settings that they ship or document, on the same collections, by document; and
           the rule of onion (`refrain dedup --intact`), by block
quality    the figures of bench/dedup.py --only quality: recall of copies planted in ordinary texts
audit      the verdicts of readers in bench/record/audit-*.jsonl, summed up by `refrain audit --verdicts`
decontaminate  the figures of bench/decontaminate.py without its baseline; with --held, of other items

The time of each part is printed. --record writes the figures again after each part, so that a run that is stopped leaves those of the parts before.

--audit measures nothing: it makes three collections for `refrain dedup`, whose removals a reader then judges: ordinary texts with
planted copies (web/), documentation of Debian packages (debian/) and books with editions (books/), in bench-data/trust/audit/.

The collections are made under bench-data/trust/, once. --held takes templates that no rule was chosen on.
"""

import argparse
import csv
import datetime
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import time
from collections import defaultdict
from importlib.metadata import version
from pathlib import Path

import dedup
import trust_collections
import trust_real
import zstandard
from extract import lines, put, run
from read import RECORDS, ROOT, cpu_model

DATA = ROOT / "bench-data" / "trust"
WORK = DATA / f"work-{os.getpid()}"  # several runs at once must not disturb each other
BOOKS = ROOT.parent / "shared" / "data" / "books" / "editions.tar.zst"
PARTS = ("documents", "templates", "border", "real", "peers", "quality", "audit", "decontaminate")
WORD = re.compile(r"\w+")

# The most that may be removed wrongly, in per cent.
FALSE_DOCUMENTS, FALSE_WORDS = 0.5, 5

# Which copies a document as a whole is. The other ways hold so much else that removing them loses text.
WHOLE = ("exact", "edit5", "edit20", "excerpt")
PARTLY = ("newer", "partial")

LIMITS = (0.6, 0.7, 0.8, 0.9, 1.0)  # of --contained

FAMILIES = {  # templates and documents of the generated collections
    "mixed": (None, 3000, 1),  # all templates
    "three": (("notice", "report", "article"), 3000, 1),  # much of each, in one wording
    "few": (None, 150, 10),  # little of each: ten small collections, added up
}
HELD_FAMILIES = {"mixed": (None, 3000, 1), "one": (("transfer",), 1000, 1), "few": (None, 70, 10)}

PEER_SECONDS = 240  # a peer that takes longer on a collection is skipped there
# Threshold and permutations of the peers: rensa as in its README; text-dedup as its command has them; datasketch in between.
SETTINGS = {"rensa": (0.8, 128), "datasketch": (0.8, 128), "text-dedup": (0.7, 250)}


def percent(part, whole):
    return 100 * part / whole if whole else float("nan")


# ---------------------------------------------------------------- collections


def generated(arguments):
    """The generated collections: name, and the files of each of its parts (texts and what is known of them)."""
    sources = [Path(trust_collections.__file__), Path(trust_collections.__file__).with_name("trust_templates.py")]
    recipe = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:8]
    folder = DATA / "generated"
    for each in (folder, WORK):
        each.mkdir(parents=True, exist_ok=True)
    found = {}
    for name, (templates, count, times) in (HELD_FAMILIES if arguments.held else FAMILIES).items():
        count = max(round(count * (arguments.scale if times == 1 else 1)), 30)
        parts = []
        for number in range(times):
            seed = arguments.seed + 1000 * number
            out = folder / f"{'held-' if arguments.held else ''}{name}-{count}-{seed}-{recipe}"
            texts, known = out.with_name(out.name + ".jsonl"), out.with_name(out.name + ".gold.jsonl")
            if not known.is_file():  # both files get their names once they are whole
                made = trust_collections.write(WORK / out.name, seed, count, arguments.held, templates)
                for path, final in zip(made, (texts, known)):
                    path.replace(final)
            parts.append((texts, known))
        found[name] = parts
    return found


def rows(path):
    return list(map(json.loads, lines(path)))


# ---------------------------------------------------------------- runs


def removed_by(refrain, texts, *options):
    """Runs refrain on a collection. Returns what it removed, and the seconds."""
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    removed = WORK / "removed.jsonl"
    start = time.perf_counter()
    run([refrain, "dedup", texts, "-o", WORK / "clean.jsonl", "--removed", removed, "--quiet", *options], dedup.cores())
    return rows(removed), time.perf_counter() - start


def peer_removed(python, name, texts):
    """The ids that a peer removes, and the seconds; why not, where it cannot run."""
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    try:
        done = subprocess.run([python, __file__, "--peer", name, texts, WORK], capture_output=True, timeout=PEER_SECONDS)
    except subprocess.TimeoutExpired:
        return None, f"it takes more than {PEER_SECONDS} seconds"
    if done.returncode != 0:
        told = done.stderr.decode(errors="replace").strip().splitlines()
        return None, told[-1] if told else f"it ended with {done.returncode}"
    told = json.loads(done.stdout.decode().splitlines()[-1])
    return {row["id"] for row in rows(WORK / "removed.jsonl")}, told


def as_peer(name, texts, folder):
    """Does the work of a peer, in its environment."""
    seconds = dedup.WITH[name](Path(texts), Path(folder), *SETTINGS[name])
    print(json.dumps({"seconds": seconds, "version": version(name)}))


# ---------------------------------------------------------------- scores


class Documents:
    """Documents removed rightly and wrongly."""

    def __init__(self):
        self.own = defaultdict(int)  # documents that are no copies, by template
        self.wrong = defaultdict(int)  # of these, removed
        self.planted = defaultdict(int)  # by way
        self.found = defaultdict(int)
        self.named = [0, 0]  # removed copies whose partner is their source or another copy of it; and all of these

    def add(self, known, removed, partners=None):
        """removed: ids; partners: by id, where the tool names them."""
        sources = {document["id"]: document["source"] for document in known if document["source"]}
        copies = {source: (copy, way) for copy, source, way in ((d["id"], d["source"], d["way"]) for d in known) if source}
        for document in known:
            name, way = document["id"], document["way"]
            if way == "own":
                self.own[document["template"]] += 1
                copy, how = copies.get(name, (None, None))
                # The copy was kept in place of its source: nothing is lost.
                instead = copy and copy not in removed and how in (*WHOLE[:3], "newer")
                self.wrong[document["template"]] += name in removed and not instead
            else:
                self.planted[way] += 1
                self.found[way] += name in removed or (way in WHOLE[:3] and document["source"] in removed)
                if partners and name in removed and way in WHOLE:
                    self.named[1] += 1
                    other = partners.get(name)
                    self.named[0] += other == sources[name] or sources.get(other) == sources[name]

    def wrong_share(self, template=None):
        if template:
            return percent(self.wrong[template], self.own[template])
        return percent(sum(self.wrong.values()), sum(self.own.values()))

    def recall(self, ways=WHOLE):
        return percent(sum(self.found[way] for way in ways), sum(self.planted[way] for way in ways))


class Words:
    """Words removed rightly and wrongly. Blocks without anything of their own are not counted."""

    def __init__(self):
        self.own = defaultdict(int)
        self.wrong = defaultdict(int)
        self.planted = defaultdict(int)
        self.found = defaultdict(int)
        self.fixed = [0, 0]  # words of pure wording: removed, all

    def add(self, known, texts, removed):
        ranges = defaultdict(list)
        for row in removed:
            ranges[row["id"]].append((row["start"], row["end"]))
        for document in known:
            text, gone = texts[document["id"]], sorted(ranges.get(document["id"], ()))
            for block in document["blocks"]:
                count = lost = 0
                for match in WORD.finditer(text, block["start"], block["end"]):
                    count += 1
                    lost += any(start <= match.start() < end for start, end in gone)
                if block["copied"] and block["kind"] == "own":
                    self.planted[document["way"]] += count
                    self.found[document["way"]] += lost
                elif block["kind"] == "own":
                    self.own[document["template"]] += count
                    self.wrong[document["template"]] += lost
                elif not block["copied"]:
                    self.fixed[0] += lost
                    self.fixed[1] += count

    def wrong_share(self, template=None):
        if template:
            return percent(self.wrong[template], self.own[template])
        return percent(sum(self.wrong.values()), sum(self.own.values()))

    def recall(self, ways=None):
        ways = ways or trust_collections.WAYS
        return percent(sum(self.found[way] for way in ways), sum(self.planted[way] for way in ways))


def measure(refrain, parts, unit, *options):
    """Documents or words removed from the parts of a generated collection."""
    scores, seconds = Documents() if unit == "documents" else Words(), 0.0
    for texts, known in parts:
        removed, took = removed_by(refrain, texts, *options)
        seconds += took
        known = rows(known)
        if unit == "documents":
            scores.add(known, {row["id"] for row in removed}, {row["id"]: trust_real.partner(row) for row in removed})
        else:
            scores.add(known, {document["id"]: document["text"] for document in rows(texts)}, removed)
    return scores, seconds


# ---------------------------------------------------------------- report


class Record:
    """Figures that go to a file."""

    def __init__(self):
        self.rows = []

    def add(self, tool, collection, measure, value):
        if value == value:  # not where nothing was measured
            self.rows.append([tool, collection, measure, f"{value:.3f}"])

    def write(self, refrain, parts, held):
        folder = RECORDS / f"{platform.system()}-{platform.machine()}".lower()
        folder.mkdir(parents=True, exist_ok=True)
        name = ["trust", *(["held"] if held else []), *(parts if set(parts) != set(PARTS) else [])]
        path = folder / f"{datetime.date.today()}-{'-'.join(name)}.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["tool", "collection", "measure", "value", "refrain", "cpu", "parts"])
            for row in self.rows:
                writer.writerow([*row, refrain, cpu_model(), " ".join(parts)])
        print(f"recorded in {path.relative_to(ROOT)}")


def by_template(title, scores, limit):
    """A table of what was removed wrongly, by collection and template."""
    names = list(scores)
    templates = list(dict.fromkeys(template for each in scores.values() for template in each.own))
    print()
    print(f"{title:34}" + "".join(f"{name:>10}" for name in names))
    for template in templates:
        figures = (each.wrong_share(template) if template in each.own else float("nan") for each in scores.values())
        print(f"  {template:32}" + "".join(f"{value:10.2f}" if value == value else f"{'':10}" for value in figures))
    totals = [each.wrong_share() for each in scores.values()]
    missed = "  missed" if max(totals) > limit else ""
    print(f"  {f'all (goal: at most {limit:g})':32}" + "".join(f"{value:10.2f}" for value in totals) + missed)


def by_way(title, scores, ways):
    print(f"{title:34}" + "".join(f"{name:>10}" for name in scores))
    for way in ways:
        print(f"  {way:32}" + "".join(f"{each.recall((way,)):10.2f}" for each in scores.values()))


def report_documents(scores, record):
    by_template("by document: wrongly removed, %", scores, FALSE_DOCUMENTS)
    by_way("planted copies removed, %", scores, WHOLE)
    by_way("partly new text, removed whole, %", scores, PARTLY)
    named = (percent(*each.named) for each in scores.values())
    print(f"{'right source named, %':34}" + "".join(f"{value:10.2f}" for value in named))
    for name, each in scores.items():
        record.add("refrain", name, "documents wrong %", each.wrong_share())
        for template in each.own:
            record.add("refrain", name, f"documents wrong % {template}", each.wrong_share(template))
        for way in trust_collections.WAYS:
            record.add("refrain", name, f"documents removed % {way}", each.recall((way,)))
        record.add("refrain", name, "right source named %", percent(*each.named))


def report_words(scores, record, tool="refrain", title="by block: words wrongly removed, %"):
    by_template(title, scores, FALSE_WORDS)
    by_way("words of planted copies removed, %", scores, trust_collections.WAYS)
    fixed = (percent(*each.fixed) for each in scores.values())
    print(f"{'fixed wording removed (not judged)':34}" + "".join(f"{value:10.2f}" for value in fixed))
    for name, each in scores.items():
        record.add(tool, name, "words wrong %", each.wrong_share())
        for template in each.own:
            record.add(tool, name, f"words wrong % {template}", each.wrong_share(template))
        for way in trust_collections.WAYS:
            record.add(tool, name, f"words of copies removed % {way}", each.recall((way,)))
        record.add(tool, name, "fixed wording removed %", percent(*each.fixed))


def measure_border(refrain, collections, real, record):
    """What the share of a document that another one must contain means for what is removed."""
    measured = {"mixed": collections["mixed"]} | {name: [files] for name, files in real.items()}
    scores = {name: [by_limit(refrain, name in real, parts, limit) for limit in LIMITS] for name, parts in measured.items()}
    for title in ("wrong %", "recall %"):
        print()
        heading = f"by document, --contained: {title}"
        print(f"{heading:34}" + "".join(f"{limit:>10}" for limit in LIMITS))
        for name, by_limits in scores.items():
            values = [each.wrong_share() if title == "wrong %" else each.recall() for each in by_limits]
            print(f"  {name:32}" + "".join(f"{value:10.2f}" if value == value else f"{'':10}" for value in values))
            for limit, value in zip(LIMITS, values):
                record.add(f"refrain --contained {limit}", name, f"documents {title}", value)


def measure_all(refrain, collections, unit, *options):
    """Scores of all generated collections."""
    return {name: measure(refrain, parts, unit, *options)[0] for name, parts in collections.items()}


def measure_real(refrain, real, held, record):
    """What is removed wrongly from the real collections."""
    trust_real.report(trust_real.measure(refrain, real, removed_by), trust_real.place(DATA, held), record)


def measure_quality(refrain, arguments, record):
    """The figures of bench/dedup.py --only quality."""
    dedup.prepare(arguments.base, arguments.make_dups.resolve())
    quality = dedup.measure_quality(refrain, arguments.eval_dedup.resolve())
    dedup.report_quality(quality)
    for unit, by_seed in quality.items():
        for seed, scores in by_seed.items():
            for name, value in scores.items():
                record.add("refrain", f"planted in ordinary texts, seed {seed}", f"{unit} {name}", value)


def measure_decontamination(refrain, arguments):
    """The figures of bench/decontaminate.py."""
    sys.stdout.flush()
    command = [sys.executable, ROOT / "bench" / "decontaminate.py", "--refrain", refrain, "--seed", str(arguments.seed), "--no-baseline"]
    subprocess.run([*command, *(["--record"] if arguments.record and not arguments.held else [])], check=True)


def by_limit(refrain, is_real, parts, limit):
    """Scores of a collection at one limit."""
    options = ("--by", "document", "--contained", str(limit))
    if not is_real:
        return measure(refrain, parts, "documents", *options)[0]
    scores = trust_real.Scores()
    for texts, known in parts:
        scores.add(rows(known), {row["id"] for row in removed_by(refrain, texts, *options)[0]})
    return scores


def sum_audits(refrain):
    """The tables of the verdicts that readers gave."""
    files = sorted(RECORDS.glob("audit-*.jsonl"))
    if not files:
        print(f"no verdicts: {RECORDS.relative_to(ROOT)}/audit-*.jsonl is missing")
    for path in files:
        print(f"\nrefrain audit --verdicts {path.relative_to(ROOT)}")
        print(run([refrain, "audit", "--verdicts", path], 1).stdout.decode().rstrip())


def measure_peers(refrain, collections, real, venv, record):
    """All tools on the same collections, by document; then the rule of onion, by block."""
    python = dedup.environment(venv)
    print()
    title = "by document, all tools"
    print(f"{title:44}{'collection':>13}{'wrong %':>9}{'recall %':>10}{'seconds':>9}" + "".join(f"{way:>9}" for way in WHOLE))

    def line(tool, label, name, scores, seconds):
        ways = WHOLE if isinstance(scores, Documents) else ()
        shares = "".join(f"{scores.recall((way,)):9.1f}" for way in ways)
        print(f"{label:44}{name:>13}{scores.wrong_share():9.2f}{scores.recall():10.2f}{seconds:9.1f}{shares}", flush=True)
        record.add(tool, name, "documents wrong %", scores.wrong_share())
        record.add(tool, name, "documents recall %", scores.recall())
        for way in ways:
            record.add(tool, name, f"documents removed % {way}", scores.recall((way,)))

    whole = {name: parts for name, parts in collections.items() if len(parts) == 1}  # each part starts every program again
    for name, parts in (whole | {name: [files] for name, files in real.items()}).items():
        for tool in ("refrain", *SETTINGS):
            scores, total, label = trust_real.Scores() if name in real else Documents(), 0.0, "refrain --by document"
            for texts, known in parts:
                if tool == "refrain":
                    removed, seconds = removed_by(refrain, texts, "--by", "document")
                    removed = {row["id"] for row in removed}
                else:
                    removed, told = peer_removed(python, tool, texts)
                    if removed is None:
                        print(f"{tool:44}{name:>13}  skipped: {told}")
                        break
                    seconds, (threshold, permutations) = told["seconds"], SETTINGS[tool]
                    label = f"{tool} {told['version']}, threshold {threshold}, {permutations}"
                total += seconds
                scores.add(rows(known), removed)
            else:
                line(label.split(",")[0], label, name, scores, total)
    intact = {name: measure(refrain, parts, "words", "--intact")[0] for name, parts in collections.items()}
    report_words(intact, record, "onion's rule", "onion's rule: words wrongly removed")


# ---------------------------------------------------------------- inputs for a reader


def for_readers(refrain, arguments):
    """Makes the collections whose removals are judged by reading."""
    folder = DATA / "audit"
    for name in ("web", "debian", "books"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    dedup.prepare(arguments.base, arguments.make_dups.resolve())
    shutil.copyfile(dedup.planted(dedup.SEEDS[0])[0], folder / "web" / "documents.jsonl")
    with (folder / "debian" / "documents.jsonl").open("w", encoding="utf-8") as file:
        for held in (False, True):
            for identifier, text in trust_real.manuals(refrain, DATA, held):
                put(file, {"id": identifier, "text": text})
    with arguments.books.open("rb") as file:
        stream = zstandard.ZstdDecompressor(max_window_size=1 << 31).stream_reader(file)
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            for member in archive:
                if member.isfile():
                    (folder / "books" / Path(member.name).name).write_bytes(archive.extractfile(member).read())
    for path in sorted(folder.iterdir()):
        size = sum(file.stat().st_size for file in path.iterdir())
        print(f"{path.relative_to(ROOT)}/: {len(list(path.iterdir()))} files, {size / 1e6:.1f} MB")


# ---------------------------------------------------------------- command


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--refrain", type=Path, default=ROOT / "target/release/refrain", help="refrain")
    parser.add_argument("--only", type=dedup.some_of(PARTS), default=PARTS, help=f"parts, with commas between them: {','.join(PARTS)}")
    parser.add_argument("--seed", type=int, help="of the generated collections (1; with --held, 2)")
    parser.add_argument("--held", action="store_true", help="generate from the templates that are kept for validation")
    parser.add_argument("--scale", type=float, default=1, help="how many documents to generate: 1 is 3,000 in a collection")
    parser.add_argument("--venv", type=Path, default=dedup.VENV, help="environment of the peers")
    parser.add_argument("--base", type=Path, default=dedup.BASE, help="for quality: the collection that copies are planted in")
    parser.add_argument("--make-dups", type=Path, default=dedup.MAKER, help="for quality: make_dups.py, which plants copies")
    parser.add_argument("--eval-dedup", type=Path, default=dedup.SCORER, help="for quality: eval_dedup.py, which scores")
    parser.add_argument("--record", action="store_true", help="keep the figures under bench/record/")
    parser.add_argument("--audit", action="store_true", help="make collections whose removals a reader judges, and nothing else")
    parser.add_argument("--books", type=Path, default=BOOKS, help="for --audit: books in a .tar.zst")
    parser.add_argument("--peer", nargs=3, metavar=("NAME", "FILE", "FOLDER"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.peer:
        as_peer(*arguments.peer)
        return 0
    if not arguments.refrain.is_file():
        sys.exit(f"{arguments.refrain} is not there: cargo build --release")
    refrain, only = arguments.refrain.resolve(), arguments.only
    if arguments.audit:
        for_readers(refrain, arguments)
        shutil.rmtree(WORK, ignore_errors=True)
        return 0
    if arguments.seed is None:
        arguments.seed = 2 if arguments.held else 1
    told = run([refrain, "--version"], 1).stdout.decode().split()[-1]
    print(f"{datetime.date.today()}, {cpu_model()}, {dedup.cores()} cores; refrain {told}; load {os.getloadavg()[0]:.1f}")
    print(f"{'held' if arguments.held else 'development'} templates, seed {arguments.seed}; measured: {', '.join(only)}")
    record = Record()
    collections = generated(arguments) if {"documents", "templates", "border", "peers"} & set(only) else {}
    real = trust_real.prepared(refrain, DATA, arguments.held) if {"border", "real", "peers"} & set(only) else {}
    parts = {
        "documents": lambda: report_documents(measure_all(refrain, collections, "documents", "--by", "document"), record),
        "templates": lambda: report_words(measure_all(refrain, collections, "words"), record),
        "border": lambda: measure_border(refrain, collections, real, record),
        "real": lambda: measure_real(refrain, real, arguments.held, record),
        "peers": lambda: measure_peers(refrain, collections, real, arguments.venv, record),
        "quality": lambda: measure_quality(refrain, arguments, record),
        "audit": lambda: sum_audits(refrain),
        "decontaminate": lambda: measure_decontamination(refrain, arguments),
    }
    for part in (part for part in PARTS if part in only):
        start = time.perf_counter()
        parts[part]()
        print(f"[{part}: {time.perf_counter() - start:.0f} s]", flush=True)
        if arguments.record:
            record.write(told, only, arguments.held)
    shutil.rmtree(WORK, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
