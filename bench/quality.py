#!/usr/bin/env python3
"""Compare the rules of refrain quality with the filters of datatrove, document by document, and the time that both take.

    python bench/quality.py --refrain target/release/refrain

Reads the main content of real pages (--pages, extracted by refrain) and a collection of documents (--base), both JSONL, plain or .zst,
under bench-data/quality/. Each filter judges each document by itself. Blank lines are removed first, because the pages on which the
limits were chosen have none; --as-is keeps them. Needs the packages of bench/requirements-quality.txt.
"""

import argparse
import collections
import json
import os
import resource
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

os.environ["LOGURU_LEVEL"] = "ERROR"

import zstandard  # noqa: E402
import extract  # noqa: E402
from datatrove.data import Document  # noqa: E402
from datatrove.pipeline.filters import (  # noqa: E402
    C4QualityFilter,
    FineWebQualityFilter,
    GopherQualityFilter,
    GopherRepetitionFilter,
)
from datatrove.utils.text import split_into_parts  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "data"
DATA = ROOT / "bench-data" / "quality"

FILTERS = {
    "gopher-repetition": GopherRepetitionFilter,
    "gopher-quality": GopherQualityFilter,
    "c4": C4QualityFilter,
    "fineweb-quality": FineWebQualityFilter,
}

# The names of datatrove, as refrain calls the rule.
RULES = {
    "dup_para_frac": "duplicate_paragraphs",
    "dup_para_char_frac": "duplicate_paragraph_chars",
    "dup_line_frac": "duplicate_lines",
    "dup_line_char_frac": "duplicate_line_chars",
    **{f"top_{n}_gram": f"top_{n}_gram_chars" for n in (2, 3, 4)},
    **{f"duplicated_{n}_n_grams": f"duplicate_{n}_gram_chars" for n in range(5, 11)},
    "gopher_short_doc": "words",
    "gopher_long_doc": "words",
    "gopher_below_avg_threshold": "word_length",
    "gopher_above_avg_threshold": "word_length",
    "gopher_too_many_hashes": "hashes",
    "gopher_too_many_ellipsis": "ellipses",
    "gopher_too_many_bullets": "bullet_lines",
    "gopher_too_many_end_ellipsis": "ellipsis_lines",
    "gopher_below_alpha_threshold": "alphabetic_words",
    "gopher_enough_stop_words": "stop_words",
    "lorem_ipsum": "lorem_ipsum",
    "curly_bracket": "curly_brackets",
    "too_few_sentences": "sentences",
    "line_punct_ratio": "sentence_lines",
    "short_line_ratio": "short_lines",
    "char_dup_ratio": "repeated_line_chars",
    "list_ratio": "line_breaks",
}


def lines(path):
    """The objects of a JSONL file."""
    with path.open("rb") as file:
        data = file.read()
    if path.suffix == ".zst":
        data = zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(data).read()
    return [json.loads(line) for line in data.splitlines()]


def prepared(name, documents, as_is):
    """The documents in a file of their own, with new ids, and with the texts that both programs judge."""
    texts = [document["text"] for document in documents]
    if not as_is:
        texts = ["\n".join(line for line in text.split("\n") if line.strip()) for text in texts]
    texts = [text for text in texts if text.strip()]
    path = DATA / f"{name}.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number, text in enumerate(texts):
            file.write(json.dumps({"id": str(number), "text": text}, ensure_ascii=False) + "\n")
    return path, texts


def judged_by_datatrove(name, texts):
    """The rule that each text breaks, or none; the text that is left; the seconds."""
    judge = FILTERS[name]()
    judge.filter(Document(text="A warm start. Of the filter.", id="0"))
    verdicts, left = [], []
    start = time.process_time()
    for number, text in enumerate(texts):
        split_into_parts.cache_clear()
        document = Document(text=text, id=str(number))
        verdict = judge.filter(document)
        verdicts.append(None if verdict is True else RULES.get(verdict[1], verdict[1]))
        left.append(document.text)
    return verdicts, left, time.process_time() - start


def judged_by_refrain(refrain, name, path, count):
    """The same by refrain, reading and writing included, and the languages."""
    out, removed = DATA / "good.jsonl", DATA / "removed.jsonl"
    command = [refrain, "quality", path, "--quality", name, "-q", "--text-is", "text", "--threads", "1"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*command, "-o", out, "--removed", removed], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    left = {int(document["id"]): document for document in lines(out)}
    verdicts = [None] * count
    for mark in lines(removed):
        number, rule = int(mark["id"]), mark["evidence"]["measured"]["rule"]
        if number not in left:
            verdicts[number] = rule
    texts = [left[number]["text"] if number in left else None for number in range(count)]
    return verdicts, texts, seconds


def languages(refrain, path):
    out = DATA / "explained.jsonl"
    subprocess.run([refrain, "quality", path, "--quality", "c4", "--text-is", "text", "-q", "--explain", "-o", out], check=True)
    return [document["language"] for document in lines(out)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--refrain", type=Path, default=ROOT / "target" / "release" / "refrain")
    parser.add_argument("--pages", type=Path, default=SHARED / "web" / "pages.jsonl.zst")
    parser.add_argument("--base", type=Path, default=SHARED / "dedup" / "base.jsonl.zst")
    parser.add_argument("--documents", type=int, help="the first documents of each collection only")
    parser.add_argument("--as-is", action="store_true", help="keep blank lines")
    parser.add_argument("--show", type=int, default=0, help="print so many differences of each filter")
    options = parser.parse_args()
    DATA.mkdir(parents=True, exist_ok=True)
    extracted = DATA / "extracted.jsonl"
    extract.prepare(options.pages)
    command = [options.refrain, "extract", extract.HTML, "--text-field", "html", "-q", "-o", extracted]
    subprocess.run(command, check=True)
    print(f"datatrove {version('datatrove')}, spaCy {version('spacy')}\n")
    print("| collection | filter | documents | removed by datatrove | by refrain | same verdict | same rule | times as fast |")
    print("|---|---|---|---|---|---|---|---|")
    failed = False
    for collection, path in ("pages", extracted), ("documents", options.base):
        path, texts = prepared(collection, lines(path)[: options.documents], options.as_is)
        known = languages(options.refrain, path)
        english = [number for number, language in enumerate(known) if language in (None, "en")]
        for name in FILTERS:
            theirs, their_texts, their_seconds = judged_by_datatrove(name, texts)
            ours, our_texts, our_seconds = judged_by_refrain(options.refrain, name, path, len(texts))
            differing = [number for number in english if (theirs[number] is None) != (ours[number] is None)]
            rules = sum(theirs[number] == ours[number] for number in english)
            kept = [number for number in english if theirs[number] is None and ours[number] is None]
            words = [number for number in kept if their_texts[number].split() != our_texts[number].split()]
            share = 1 - len(differing) / len(english)
            failed |= share < 0.995
            removed = [sum(verdicts[number] is not None for number in english) for verdicts in (theirs, ours)]
            print(
                f"| {collection} | {name} | {len(english)} | {removed[0]} | {removed[1]} | {100 * share:.2f} % "
                f"| {100 * rules / len(english):.2f} % | {their_seconds / our_seconds:.0f} |",
                flush=True,
            )
            pairs = collections.Counter((theirs[number], ours[number]) for number in differing)
            if options.show:
                print(f"  differing: {dict(pairs)}; kept with other text: {len(words)}", file=sys.stderr)
            for number in differing[: options.show]:
                print(f"  {number}: {theirs[number]} {ours[number]} {texts[number][:100]!r}", file=sys.stderr)
    print()
    sys.exit(failed)


if __name__ == "__main__":
    main()
