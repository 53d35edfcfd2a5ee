#!/usr/bin/env python3
"""How fast and how well refrain detects encodings and languages, compared with chardetng.

    python bench/decode.py --bench target/release/refrain-bench --refrain target/release/refrain

Reads documents in known encodings (--documents: JSONL, plain or .zst, with id, lang, encoding, kind, len, bytes_base64) and
texts in known languages (--texts: id, lang, len, text), unpacks them under bench-data/ once, then measures everything in turn,
several times, and takes medians. Needs the packages of tests/python/requirements.txt.
"""

import argparse
import base64
import csv
import datetime
import importlib.util
import json
import platform
import re
import statistics
import sys
from collections import defaultdict
from pathlib import Path

from extract import lines, prepared, put, run, with_digest
from read import RECORDS, ROOT, cpu_model, refrain_version

SHARED = ROOT.parent / "shared"
DOCUMENTS = SHARED / "data" / "charset" / "test_dev.jsonl.zst"
TEXTS = SHARED / "data" / "charset" / "langid_dev.jsonl.zst"
SCORER = SHARED / "tools" / "eval_charset.py"
DATA = ROOT / "bench-data" / "decode"
INDEX, FOLDER, SAMPLES, NOTE = DATA / "documents.jsonl", DATA / "docs", DATA / "texts.jsonl", DATA / "inputs.json"

RECIPE = 1  # to be raised when the inputs change

# What is measured: input, what it is called, the target of refrain and its unit.
SPEEDS = [
    ("all", "all documents", 4.0, "times chardetng"),
    ("legacy", "those not in UTF-8", 4.0, "times chardetng"),
    ("ascii", "64 MiB of ASCII", 1.0, "GB/s"),
    ("russian", "64 MiB of UTF-8, Russian", 1.0, "GB/s"),
    ("chinese", "64 MiB of UTF-8, Chinese", 1.0, "GB/s"),
    ("texts", "language of texts", 16.0, "MB/s"),
]

# Texts of so many characters, and the percentage of them whose language has to be right.
LENGTHS = {50: 98.5, 200: 99.8, 1000: 100.0}

# Languages that count as one.
SAME = {"zh-hans": "zh", "zh-hant": "zh", "nb": "no", "nn": "no", "bs": "hr", "sr": "hr"}

# Shares of encodings among the pages of six languages, in percent: PRESEMT D3.1.3, Table 1, those of more than 0.5 %.
SHARES = {
    "cs": {"utf-8": 60.2, "windows-1250": 32.2, "iso-8859-2": 6.0},
    "en": {"utf-8": 56.9, "windows-1252": 9.4, "iso-8859-1": 32.8},
    "de": {"utf-8": 54.6, "windows-1252": 6.5, "iso-8859-1": 37.1, "iso-8859-15": 1.2},
    "el": {"utf-8": 68.5, "windows-1253": 14.3, "iso-8859-7": 12.0},
    "it": {"utf-8": 54.2, "windows-1252": 7.1, "iso-8859-1": 37.9},
    "no": {"utf-8": 63.0, "windows-1252": 7.0, "iso-8859-1": 29.3},
}
WITHOUT_WORD = ("text", "html-none", "html-wrong")  # kinds that do not state their encoding


# ---------------------------------------------------------------- inputs


def prepare(documents, texts):
    """A file for each document, and what is known of all in another."""
    def unpack():
        FOLDER.mkdir()
        count = size = 0
        with INDEX.open("w", encoding="utf-8") as index:
            for document in map(json.loads, lines(documents)):
                content = base64.b64decode(document["bytes_base64"])
                (FOLDER / document["id"]).write_bytes(content)
                put(index, {key: document[key] for key in ("id", "lang", "encoding", "kind", "len")})
                count += 1
                size += len(content)
        with SAMPLES.open("w", encoding="utf-8") as samples:
            samples.writelines(lines(texts))
        return {"documents": count, "bytes": size}

    return prepared(NOTE, {"recipe": RECIPE, "names": [with_digest(path) for path in (documents, texts)]}, unpack)


def read(path):
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


# ---------------------------------------------------------------- speed


def measure_speed(bench, rounds):
    """MB/s by tool and input: median, slowest and fastest of the rounds."""
    print(f"speed, {rounds} rounds", file=sys.stderr)
    speeds = {}
    for measured in json.loads(run([bench, "decode", INDEX, SAMPLES, "--rounds", str(rounds)], 1).stdout):
        seconds = measured["cpu_seconds"]
        chosen = statistics.median(seconds), max(seconds), min(seconds)
        speeds[measured["tool"], measured["input"]] = [measured["bytes"] / 1e6 / second for second in chosen]
    return speeds


# ---------------------------------------------------------------- right and wrong


def judge():
    """A function of bytes and two encodings: whether they make the same text of them."""
    if not SCORER.is_file():
        print(f"{SCORER.name} is not here: encodings are compared by Python's codecs alone", file=sys.stderr)
        return same_text
    spec = importlib.util.spec_from_file_location("eval_charset", SCORER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.right


# What browsers take encodings for, as Python calls it.
CODECS = {
    "iso-8859-1": "cp1252",
    "us-ascii": "cp1252",
    "iso-8859-9": "cp1254",
    "iso-8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc-kr": "cp949",
    "iso-2022-jp": "iso2022_jp_ext",
    "hz-gb-2312": "hz",
    "utf-8": "utf-8-sig",
    "iso-8859-8-i": "iso8859_8",
    "x-mac-cyrillic": "mac_cyrillic",
    "macintosh": "mac_roman",
}


def same_text(content, expected, found):
    def decoded(label):
        label = label.lower()
        codec = CODECS.get(label, re.sub("^(windows-|ibm)", "cp", label))
        return content.decode(codec, "replace").lstrip("\ufeff").replace("\r\n", "\n")

    try:
        return expected == found or bool(found) and decoded(expected) == decoded(found)
    except LookupError:
        return False


def detected(refrain, inputs, language=None):
    """What `refrain decode --detect` says of files: name to encoding."""
    found = DATA / "found.jsonl"
    command = [refrain, "decode", "--detect", *inputs, "--format", "jsonl", "-o", found, "--quiet"]
    found.unlink(missing_ok=True)
    # 1: some documents are not text to it; they are wrong.
    run(command + (["--assume-lang", language] if language else []), 1, good=(0, 1))
    return {Path(line["origin"]).name: line["encoding"] for line in read(found)}


def with_languages(refrain, documents):
    """The same with the language given, for the documents that are plain text."""
    by_language = defaultdict(list)
    for document in documents:
        if document["kind"] == "text":
            by_language[document["lang"]].append(FOLDER / document["id"])
    answers = {}
    for language, files in sorted(by_language.items()):
        names = DATA / "names.txt"
        names.write_text("".join(f"{file}\n" for file in files), encoding="utf-8")
        answers |= detected(refrain, [f"@{names}"], language)
    return answers


def judged(documents, answers, right):
    """Whether the encoding of each document is right: id to answer."""
    return {
        document["id"]: right((FOLDER / document["id"]).read_bytes(), document["encoding"], answers.get(document["id"]))
        for document in documents
        if document["id"] in answers
    }


def measure_quality(bench, refrain):
    documents, texts = read(INDEX), read(SAMPLES)
    right = judge()
    print("right and wrong, encodings", file=sys.stderr)
    answers = [json.loads(line) for line in run([bench, "decode", INDEX, SAMPLES], 1).stdout.splitlines()]
    by_chardetng = {answer["document"]: answer["encoding"] for answer in answers if "document" in answer}
    results = {
        "chardetng": judged(documents, by_chardetng, right),
        "refrain": judged(documents, dict.fromkeys(by_chardetng) | detected(refrain, [FOLDER]), right),
    }
    print("right and wrong, encodings where the language is given", file=sys.stderr)
    given = judged(documents, with_languages(refrain, documents), right)
    languages = {answer["text"]: answer["language"] for answer in answers if "text" in answer}
    return rows(documents, results, given), told(texts, languages)


def share(documents, result):
    """Percentage of the documents that are right."""
    return 100 * statistics.fmean(result[document["id"]] for document in documents)


def weighted(documents, result):
    """Percentage right in six languages, each encoding by its share, each language alike."""
    averages = []
    for language, shares in SHARES.items():
        total = summed = 0.0
        for encoding, weight in shares.items():
            chosen = [
                document
                for document in documents
                if (document["lang"], document["encoding"]) == (language, encoding) and document["kind"] in WITHOUT_WORD
            ]
            if chosen:
                summed += weight * share(chosen, result)
                total += weight
        averages.append(summed / total)
    return statistics.fmean(averages)


def rows(documents, results, given):
    """What is scored: name, number of documents, percentage right of each tool, target."""

    def kind(name, chosen, target):
        return name, len(chosen), {tool: share(chosen, result) for tool, result in results.items()}, target

    text = [document for document in documents if document["kind"] == "text"]
    legacy = [document for document in text if document["encoding"] != "utf-8"]
    presemt = [d for d in documents if d["kind"] in WITHOUT_WORD and d["encoding"] in SHARES.get(d["lang"], {})]
    return [
        kind("text in legacy encodings", legacy, 99.2),
        kind("  of 100 bytes", [document for document in legacy if document["len"] == 100], 99.0),
        kind("pages with a wrong meta", [document for document in documents if document["kind"] == "html-wrong"], 99.5),
        kind("real files", [document for document in documents if document["kind"] == "real"], 97.0),
        kind("text in UTF-8", [document for document in text if document["encoding"] == "utf-8"], 100.0),
        ("legacy, language given", len(legacy), {"refrain": share(legacy, given)}, 99.7),
        (
            "six languages, weighted",
            len(presemt),
            {tool: weighted(documents, result) for tool, result in results.items()},
            99.5,
        ),
    ]


def alike(code):
    return SAME.get(code, code)


def told(texts, languages):
    """Languages: length, number of texts, percentage right."""
    results = []
    for length in LENGTHS:
        chosen = [text for text in texts if text["len"] == length]
        right = [alike(languages[text["id"]]) == alike(text["lang"]) for text in chosen]
        results.append((length, len(chosen), 100 * statistics.fmean(right)))
    return results


# ---------------------------------------------------------------- report


def versions():
    locked = re.search(r'name = "chardetng"\nversion = "(.*)"', (ROOT / "Cargo.lock").read_text())
    return {"refrain": refrain_version(), "chardetng": locked[1], "python": platform.python_version()}


def report_speed(speeds, inputs):
    print(f"{datetime.date.today()}, {cpu_model()}, {platform.system()} {platform.release()}")
    print(", ".join(f"{tool} {number}" for tool, number in versions().items()))
    print(f"inputs: {inputs['documents']} documents, {inputs['bytes'] / 1e6:.1f} MB; {'; '.join(inputs['names'])}")
    print()
    print(f"{'one core, CPU time':37}{'MB/s':>10}{'slowest':>10}{'fastest':>10}{'ratio':>8}  target")  # ratio: compared with chardetng
    for name, title, target, unit in SPEEDS:
        peer = speeds.get(("chardetng", name))
        for (tool, measured), figures in speeds.items():
            if measured != name:
                continue
            line = f"{title:26}{tool:11}" + "".join(f"{figure:10.1f}" for figure in figures)
            if tool == "refrain":
                ratio = f"{figures[0] / peer[0]:.2f}" if peer else ""
                line += f"{ratio:>8}  {target:g} {unit}"
            print(line)


def report_quality(kinds, languages):
    print()
    print(f"{'encoding right, %':26}{'documents':>10}{'chardetng':>11}{'refrain':>9}{'target':>8}")
    for name, count, shares, target in kinds:
        peer = f"{shares['chardetng']:11.2f}" if "chardetng" in shares else " " * 11
        print(f"{name:26}{count:10}{peer}{shares['refrain']:9.2f}{target:8.1f}")
    print()
    print(f"{'language right, %':26}{'texts':>10}{'':11}{'refrain':>9}{'target':>8}")
    for length, count, right in languages:
        print(f"{f'of {length} characters':26}{count:10}{'':11}{right:9.2f}{LENGTHS[length]:8.1f}")


def record(speeds, kinds, languages):
    """Keeps the figures."""
    folder = RECORDS / f"{platform.system()}-{platform.machine()}".lower()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{datetime.date.today()}-decode.csv"
    known = versions()
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["tool", "version", "cpu", "input", "measure", "value"])

        def row(tool, name, measure, value):
            writer.writerow([tool, known.get(tool, ""), cpu_model(), name, measure, value])

        for (tool, name), figures in speeds.items():
            row(tool, name, "mb_per_cpu_second", f"{figures[0]:.1f}")
        for name, _, shares, _ in kinds:
            for tool, right in shares.items():
                row(tool, name.strip(), "encoding_right_percent", f"{right:.2f}")
        for length, _, right in languages:
            row("refrain", f"{length} characters", "language_right_percent", f"{right:.2f}")
    print(f"recorded in {path.relative_to(ROOT)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bench", type=Path, default=ROOT / "target/release/refrain-bench", help="refrain-bench")
    parser.add_argument("--refrain", type=Path, default=ROOT / "target/release/refrain", help="refrain")
    parser.add_argument("--documents", type=Path, default=DOCUMENTS, help="documents in known encodings")
    parser.add_argument("--texts", type=Path, default=TEXTS, help="texts in known languages")
    parser.add_argument("--rounds", type=int, default=5, help="how often everything is measured")
    parser.add_argument("--record", action="store_true", help="keep the figures under bench/record/")
    arguments = parser.parse_args()
    for path, option in (arguments.documents, "--documents"), (arguments.texts, "--texts"):
        if not path.is_file():
            print(f"{path} is not there: name the file with {option} (CONTRIBUTING.md says what it has to hold)")
            sys.exit(2)
    for program in arguments.bench, arguments.refrain:
        if not program.is_file():
            sys.exit(f"{program} is not there: cargo build --release")
    inputs = prepare(arguments.documents, arguments.texts)
    bench, refrain = arguments.bench.resolve(), arguments.refrain.resolve()
    speeds = measure_speed(bench, arguments.rounds)
    report_speed(speeds, inputs)
    kinds, languages = measure_quality(bench, refrain)
    report_quality(kinds, languages)
    if arguments.record:
        record(speeds, kinds, languages)


if __name__ == "__main__":
    main()
