#!/usr/bin/env python3
"""How well `refrain decontaminate` finds benchmark items in documents, and what it removes that is none.

    python bench/decontaminate.py --refrain target/release/refrain

Documents: 200,000 (--documents), each a stretch of 60 to 250 words of a text in ../shared/data (news, reviews, product
documentation, books); texts are used more than once where there are too few. Items: 2,000 (--items), made by a seeded generator from
books of authors of whom no other text is among the documents:

reading  A passage of 40 to 120 words in whole sentences; a question with a gap, made of one of its sentences; the missing word as
         the answer, and three other words of the book as options.
claim    A question made of a sentence of 10 to 25 words; the next words as the answer, and words after other sentences as options.
short    A question of five to eight words about the words that follow four others, and these words as the answer.

Each item is planted in one document, in one of ten ways (WAYS), between its sentences. The same number of decoys is planted: items of
the same kinds with other names and numbers, single options, short questions without their answer, and parts of passages. Decoys must
not be removed. An item counts as found if refrain removes text of the document because of it; as reported if the report names it.

Items with an even number are those that limits were set with; the others are not looked at before. Both halves are printed.

Beside it, the plain overlap of 13 words in a row, as published for GPT-3 (Brown et al. 2020, appendix C): an item is found if a document
contains 13 words of it in a row in any case and without punctuation; items of fewer words count as a whole.
"""

import argparse
import collections
import io
import json
import random
import re
import string
import subprocess
import sys
import time
import zlib
from pathlib import Path

import recorded
from recorded import ROOT

SHARED = ROOT.parent / "shared" / "data"
DATA = ROOT / "bench-data" / "decontaminate"
HOSTS = ("dedup/base", "reuse/pan13_docs", "reuse/federalist", "reuse/news_doctored")
BOOKS = "reuse/speed1k"
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
WORD = re.compile(r"\w+")
NGRAM = 13

WAYS = (
    "verbatim",
    "re-wrapped",
    "case and punctuation",
    "numbering",
    "shuffled options",
    "answer far away",
    "5 % of words changed",
    "10 % of words changed",
    "quoted in a forum",
    "passage or question only",
)
DECOYS = ("other names, numbers", "one option", "short question only", "part of a passage")
COMMENTS = (
    "I think this is the part that matters.",
    "Not sure that I agree with the way he puts it here, to be honest.",
    "Same here!",
    "My teacher read this to us years ago, and I have never forgotten the sound of it since that day.",
    "lol",
    "Can somebody explain what this means?",
)


def texts(name):
    return (document["text"] for document in documents(name))


def texts_of_books():
    """Each stretch of a book, with its author: books of one author can contain each other."""
    return ((document["source"].split("/")[0], document["text"]) for document in documents(BOOKS))


def is_for_items(author):
    return zlib.crc32(author.encode()) % 2 == 0


def documents(name):
    path = SHARED / f"{name}.jsonl.zst"
    process = subprocess.Popen(["zstd", "-dcq", "--long=31", str(path)], stdout=subprocess.PIPE)
    for line in io.TextIOWrapper(process.stdout, encoding="utf-8"):
        document = json.loads(line)
        # refrain reports NUL characters as damage, and then exits with 1.
        yield {**document, "text": document["text"].replace("\0", "")}
    if process.wait():
        sys.exit(f"cannot read {path}")


# ---------------------------------------------------------------- items


def sentences(text):
    return [" ".join(sentence.split()) for sentence in SENTENCE.split(text)]


def passages(book, rng):
    """Stretches of whole sentences with 40 to 120 words that do not overlap."""
    found, run = [], []
    most = rng.randint(40, 110)
    for sentence in sentences(book):
        run.append(sentence)
        count = sum(len(s.split()) for s in run)
        if count >= most:
            if count <= 120:
                found.append(run)
            run, most = [], rng.randint(40, 110)
    return found[1:-1]


def phrase(rng, book, low, high):
    """Some words of a book in a row."""
    words = book.split()
    start = rng.randrange(len(words) - high)
    return " ".join(words[start : start + rng.randint(low, high)]).strip(string.punctuation + " ")


def reading(rng, run, book):
    gap = [word for s in run for word in s.split() if len(word.strip(string.punctuation)) > 5]
    sentence = max(run, key=len)
    choices = [word for word in sentence.split() if len(word.strip(string.punctuation)) > 5] or gap or sentence.split()
    answer = rng.choice(choices)
    question = "Which word is missing in this sentence of the passage? " + sentence.replace(answer, "____", 1)
    answer = answer.strip(string.punctuation)
    options = [answer] + [rng.choice(book.split()).strip(string.punctuation) or "none of these" for _ in range(3)]
    rng.shuffle(options)
    return {"passage": " ".join(run), "question": question, "options": options, "answer": answer}


def claim(rng, run, book):
    fit = [s for s in run if 14 <= len(s.split()) <= 33]
    words = (fit[0] if fit else " ".join(run)).split()[:33]
    cut = max(10, len(words) - rng.randint(3, 8))
    answer = " ".join(words[cut:]).strip(string.punctuation) or words[-1]
    question = f"How does the author go on after writing: {' '.join(words[:cut])} ...?"
    options = [answer] + [phrase(rng, book, 3, 8) for _ in range(3)]
    rng.shuffle(options)
    return {"question": question, "options": options, "answer": answer}


def short(rng, run, _book):
    words = run[0].split()
    start = rng.randrange(max(1, len(words) - 8))
    known = " ".join(words[start : start + 4]).strip(string.punctuation)
    answer = " ".join(words[start + 4 : start + 4 + rng.randint(1, 3)]).strip(string.punctuation) or words[-1]
    return {"question": f"What {rng.choice(['follows', 'comes after', 'did he add to'])} {known}?", "answer": answer}


def make_items(count, rng):
    """Items of the three kinds."""
    items, seen = [], set()
    for source, book in texts_of_books():
        if not is_for_items(source):
            continue
        runs = passages(book, rng)
        rng.shuffle(runs)
        for run in runs[:8]:
            # Stretches of a book can overlap; two items with the same text would both be right.
            words = WORD.findall(" ".join(run).lower())
            grams = set(zip(*(words[n:] for n in range(8)), strict=False))
            if grams & seen:
                continue
            seen |= grams
            make = rng.choices((reading, claim, short), (4, 4, 2))[0]
            item = make(rng, run, book)
            if len(set(map(str.lower, item.get("options", "ab")))) > 1 and len(item["question"].split()) > 4:
                items.append(item)
        if len(items) >= count:
            break
    rng.shuffle(items)
    for number, item in enumerate(items[:count]):
        item["id"] = f"i{number:05}"
    return items[:count]


# ---------------------------------------------------------------- ways


def shown(item, rng, labels="ABCD", style="{}) ", shuffle=False):
    """An item as people write it."""
    lines = [item["passage"]] if "passage" in item else []
    lines.append(item["question"])
    options = list(item.get("options", []))
    if shuffle:
        rng.shuffle(options)
    lines += [style.format(label) + option for label, option in zip(labels, options, strict=False)]
    lines.append("Answer: " + item["answer"])
    return "\n".join(lines)


def changed(text, share, vocabulary, rng):
    """Replaces, deletes or inserts words; lines stay."""
    words = re.split(r"(\s+)", text)
    places = [at for at in range(0, len(words), 2) if words[at]]
    for at in rng.sample(places, max(1, round(share * len(places)))):
        kind = rng.random()
        if kind < 0.7:
            words[at] = rng.choice(vocabulary)
        elif kind < 0.85:
            words[at] = ""
        else:
            words[at] += " " + rng.choice(vocabulary)
    return "".join(words)


def wrapped(text, width, rng):
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + len(word) > width:
            lines.append(line)
            line = ""
        line += ("" if not line else rng.choice([" ", " ", "  "])) + word
    return lines + [line]


def other_case(text, rng):
    text = rng.choice([str.upper, str.lower, str.title, str.swapcase])(text)
    return "".join(rng.choice(["", " ", "; ", " - "]) if c in string.punctuation and c not in "'’_" else c for c in text)


def planted(item, way, filler, vocabulary, rng):
    """The pieces of text to plant, with other text between them."""
    if way == "verbatim":
        return [shown(item, rng)]
    if way == "re-wrapped":
        return ["\n".join(wrapped(shown(item, rng), rng.randint(20, 70), rng))]
    if way == "case and punctuation":
        return [other_case(shown(item, rng), rng)]
    if way == "numbering":
        labels, style = rng.choice([(("i", "ii", "iii", "iv"), "({}) "), ("1234", "{}. "), ("abcd", "[{}] "), ("1234", "- option {}: ")])
        return [f"{rng.randint(2, 90)}. " + shown(item, rng, labels, style)]
    if way == "shuffled options":
        return [shown(item, rng, shuffle=True)]
    if way == "answer far away":
        text = (item["passage"] + "\n" if "passage" in item else "") + item["question"]
        return [text, filler, "Answer: " + item["answer"]]
    if way.endswith("words changed"):
        return [changed(shown(item, rng), 0.05 if way.startswith("5") else 0.1, vocabulary, rng)]
    if way == "quoted in a forum":
        lines = []
        for line in shown(item, rng).split("\n"):
            for part in wrapped(line, 60, rng):
                lines.append("> " + part)
                if rng.random() < 0.15:
                    lines += ["", rng.choice(COMMENTS), ""]
        # Comments are no text of the item.
        return [piece.strip("\n") for piece in "\n".join(lines).split("\n\n")]
    if "passage" in item and rng.random() < 0.5:
        return [item["passage"]]
    return [item["question"] + "\n" + item["answer"]]


def decoy(item, kind, vocabulary, rng):
    """Text that resembles an item and is none."""
    if kind == "other names, numbers":
        other = lambda word: rng.choice(NAMES) if word[:1].isupper() else str(rng.randint(20, 999)) if word.isdigit() else word
        words = re.split(r"(\W+)", item["question"] if "passage" not in item else item["passage"])
        swapped = [other(word) if at > 0 else word for at, word in enumerate(words)]
        return "".join(swapped) if sum(a != b for a, b in zip(words, swapped, strict=True)) > 1 else None
    if kind == "one option":
        return rng.choice(item["options"]) if len(item.get("options", [""])[0].split()) > 2 else None
    if kind == "short question only":
        return item["question"] if len(item["question"].split()) <= 8 else None
    words = item.get("passage", "").split()
    part = " ".join(words[5 : 5 + len(words) // 4])
    # The sentence of the question is all of the question.
    return part if words and item["question"].rsplit("____", 1)[-1][1:20] not in part else None


NAMES = ("Carrow", "Linsey", "Pell", "Hale", "Finch", "Marsh", "Skerrow", "Weston", "Aldous", "Brenner")


def prepare(options):
    """Writes documents.jsonl, evals/planted.jsonl and gold.jsonl."""
    rng = random.Random(options.seed)
    made = make_items(2 * options.items, rng)
    items, spare = made[: options.items], made[options.items :]
    chunks = []
    books = (text for source, text in texts_of_books() if not is_for_items(source))
    for source in (*map(texts, HOSTS), books):
        for text in source:
            words = re.findall(r"\S+\s*", text)
            at = 0
            while at < len(words):
                step = rng.randint(60, 250)
                chunks.append("".join(words[at : at + step]).strip())
                at += step
    vocabulary = [word for chunk in rng.sample(chunks, 2000) for word in chunk.split() if word.isalpha()]
    rng.shuffle(chunks)
    documents = [chunks[at % len(chunks)] for at in range(options.documents)]
    places = rng.sample(range(options.documents), 2 * options.items)
    gold = []
    for number, (item, place) in enumerate(zip(items, places, strict=False)):
        way = WAYS[number // 2 % len(WAYS)]
        filler = " ".join(" ".join(chunks[rng.randrange(len(chunks))].split()) for _ in range(2))
        plant(documents, place, planted(item, way, filler, vocabulary, rng), item["id"], way, gold)
    decoys = {kind: 0 for kind in DECOYS}
    left = iter(places[options.items :])
    # Decoys resemble items of the benchmark that are planted nowhere.
    for item in spare:
        kinds = [(kind, text) for kind in DECOYS if (text := decoy(item, kind, vocabulary, rng))]
        if kinds:
            kind, text = min(kinds, key=lambda kind: decoys[kind[0]])
            decoys[kind] += 1
            plant(documents, next(left), [text], item["id"], kind, gold)
    (DATA / "evals").mkdir(parents=True, exist_ok=True)
    write(DATA / "evals" / "planted.jsonl", items)
    write(DATA / "evals" / "decoys.jsonl", spare)
    write(DATA / "documents.jsonl", ({"id": f"d{number}", "text": text} for number, text in enumerate(documents)))
    write(DATA / "gold.jsonl", gold)


def plant(documents, place, pieces, item, way, gold):
    """Puts pieces between two sentences of a document; every second one is filler, which is not the item's text."""
    text = documents[place]
    ends = [match.end() for match in SENTENCE.finditer(text)] or [len(text)]
    at = ends[len(ends) // 2]
    out, spans = text[:at].rstrip() + "\n\n", []
    for number, piece in enumerate(pieces):
        if number % 2 == 0:
            spans.append((len(out), len(out) + len(piece)))
        out += piece + "\n\n"
    documents[place] = out + text[at:].lstrip()
    gold.append({"document": f"d{place}", "item": item, "way": way, "spans": spans})


def write(path, rows):
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def read(path):
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


# ---------------------------------------------------------------- scores


def run(options):
    """Items that were removed from each document, the removed ranges, and items that were only reported."""
    removed, report = DATA / "removed.jsonl", DATA / "report.json"
    command = [options.refrain, "decontaminate", DATA / "documents.jsonl", "--evals", DATA / "evals", "-o", DATA / "clean.jsonl"]
    began = time.monotonic()
    subprocess.run([*map(str, command), "--removed", str(removed), "--report", str(report), "-q"], check=True)
    seconds = time.monotonic() - began
    found, spans = collections.defaultdict(set), collections.defaultdict(list)
    for mark in read(removed):
        found[mark["id"]].add(mark["evidence"]["item"]["item"])
        spans[mark["id"]].append((mark["start"], mark["end"]))
    reported = collections.defaultdict(set)
    for benchmark in json.loads(report.read_text())["benchmarks"]:
        for item in benchmark["doubtful"]:
            for place in item["places"]:
                reported[place["document"]].add(item["id"])
    return found, spans, reported, seconds


def overlap(items):
    """The plain overlap of 13 words: items found in each document."""
    grams = collections.defaultdict(set)
    for item in items:
        text = " ".join([item.get("passage", ""), item["question"], *item.get("options", []), item["answer"]])
        words = [word.lower() for word in WORD.findall(text)]
        size = min(NGRAM, len(words))
        for at in range(len(words) - size + 1):
            grams[tuple(words[at : at + size])].add(item["id"])
    sizes = {len(gram) for gram in grams}
    found = collections.defaultdict(set)
    with (DATA / "documents.jsonl").open(encoding="utf-8") as file:
        for line in file:
            document = json.loads(line)
            words = [word.lower() for word in WORD.findall(document["text"])]
            for size in sizes:
                for gram in zip(*(words[n:] for n in range(size)), strict=False):
                    if gram in grams:
                        found[document["id"]] |= grams[gram]
    return found


def covered(spans, others):
    """Characters of the spans that are in others."""
    inside = set()
    for start, end in others:
        inside.update(range(start, end))
    return sum(at in inside for at in {at for start, end in spans for at in range(start, end)})


def table(title, gold, found, spans, reported, half):
    """A row for each way: recall, precision of the items named in these documents, and of the removed characters. Returns the
    figures."""
    figures = []
    print(f"\n{title}\n{'':28}{'items':>7}{'recall':>9}{'precision':>11}{'reported':>10}{'text recall':>13}{'text precision':>16}")
    of_half = [entry for entry in gold if half is None or int(entry["item"][1:]) % 2 == half]
    for way in (*WAYS, "all ways", *DECOYS):
        rows = [entry for entry in of_half if entry["way"] == way or way == "all ways" and entry["way"] in WAYS]
        if not rows:
            continue
        hits = sum(entry["item"] in found[entry["document"]] for entry in rows)
        named = sum(len(found[entry["document"]]) for entry in rows)
        seen = sum(entry["item"] in reported[entry["document"]] for entry in rows)
        if way in DECOYS:
            print(f"{way:28}{len(rows):>7}{'removed':>9}{named:>11}{seen:>10}")
            figures += [(f"{title}: {way}", "removed", named), (f"{title}: {way}", "reported", seen)]
            continue
        figures.append((f"{title}: {way}", "recall", f"{hits / len(rows):.3f}"))
        figures.append((f"{title}: {way}", "precision", f"{hits / max(1, named):.3f}"))
        line = f"{way:28}{len(rows):>7}{hits / len(rows):>9.3f}{hits / max(1, named):>11.3f}{seen:>10}"
        if spans is not None:
            planted_text = sum(end - start for entry in rows for start, end in entry["spans"])
            right = sum(covered(entry["spans"], spans[entry["document"]]) for entry in rows)
            gone = sum(end - start for entry in rows for start, end in spans[entry["document"]])
            line += f"{right / planted_text:>13.3f}{right / max(1, gone):>16.3f}"
            figures.append((f"{title}: {way}", "text recall", f"{right / planted_text:.3f}"))
            figures.append((f"{title}: {way}", "text precision", f"{right / max(1, gone):.3f}"))
        print(line)
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--refrain", default=str(ROOT / "target" / "release" / "refrain"))
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--items", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-baseline", action="store_true", help="skip the plain overlap of 13 words")
    parser.add_argument("--misses", type=int, default=0, help="print this many items of the first half that were not found")
    parser.add_argument("--record", action="store_true", help="keep the figures under bench/record/")
    options = parser.parse_args()
    if not SHARED.is_dir():
        sys.exit(f"{SHARED} is missing; it holds the texts that documents and items are made of")
    prepare(options)
    gold = read(DATA / "gold.jsonl")
    found, spans, reported, seconds = run(options)
    size = (DATA / "documents.jsonl").stat().st_size / 1e6
    figures = []
    print(f"{options.documents} documents, {size:.0f} MB; seed {options.seed}")
    for title, half in (("limits set with (even items)", 0), ("not looked at (odd items)", 1)):
        figures += table(f"refrain decontaminate, {title}", gold, found, spans, reported, half)
    known = {entry["document"] for entry in gold}
    elsewhere = sum(len(items) for document, items in found.items() if document not in known)
    print(f"\nremoved from documents without a planted item: {elsewhere} items")
    print(f"refrain took {seconds:.1f} s, {size / seconds:.1f} MB/s")
    figures.append(("all documents", "mb_per_second", f"{size / seconds:.1f}"))
    if not options.no_baseline:
        began = time.monotonic()
        items = read(DATA / "evals" / "planted.jsonl") + read(DATA / "evals" / "decoys.jsonl")
        plain = overlap(items)
        figures += table("overlap of 13 words, all items", gold, plain, None, collections.defaultdict(set), None)
        elsewhere = sum(len(items) for document, items in plain.items() if document not in known)
        print(f"\nfound in documents without a planted item: {elsewhere} items; {time.monotonic() - began:.0f} s in Python")
    if options.record:
        recorded.write("decontaminate", figures)
    by_id = {item["id"]: item for item in read(DATA / "evals" / "planted.jsonl") + read(DATA / "evals" / "decoys.jsonl")}
    wrong = [e for e in gold if (e["item"] in found[e["document"]]) != (e["way"] in WAYS) and int(e["item"][1:]) % 2 == 0]
    for entry in wrong[: options.misses]:
        print(json.dumps({**entry, "reported": entry["item"] in reported[entry["document"]], "is": by_id[entry["item"]]}, ensure_ascii=False))


if __name__ == "__main__":
    main()
