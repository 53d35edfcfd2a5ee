#!/usr/bin/env python3
"""What `refrain dedup` left out of documents that nobody planted, beside the kept text it resembles, for a reader to judge.

    refrain dedup d1.jsonl -o clean.jsonl --removed removed.jsonl
    python bench/judge_dedup.py d1.jsonl d1.gold.jsonl removed.jsonl clean.jsonl > sample.txt
    python bench/judge_dedup.py d1.jsonl d1.gold.jsonl removed.jsonl clean.jsonl --verdicts bench/record/dedup-judged.jsonl

The collection and its gold file are those of make_dups.py. Planted documents, whose right answers are known, are left out; of the
blocks removed from the others a sample is drawn (--seed, --count). Each is shown with how it was found; with the most similar
stretch of the document it is said to repeat, as far as that was kept; and where none is named or it is unlike, with the most
similar stretch of all kept text, if that is more similar. Similarity is the share of the words of the block that stand there in
the same order. Words are runs of letters, digits and underscores, in any case.

--verdicts checks what a reader wrote about such a sample, a JSON object a line (a header; then id, start, end, by, of, verdict:
right or wrong, note), against the list of what was removed, and counts.
"""

import argparse
import json
import random
import re
import sys
from bisect import bisect_left
from collections import Counter, defaultdict
from pathlib import Path

WORD = re.compile(r"\w+")
GRAMS = (5, 3)  # words in a row that have to be shared to be looked at; the second where the first finds nothing like it
UNLIKE = 0.9  # a stretch less similar than this is not enough: look elsewhere, too
PLACES = 8  # as many places of most shared n-grams are compared word by word
OFTEN = 20_000  # places of an n-gram that are noted
LIMIT = 2500  # characters of a text that are shown


def lines(path):
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.strip():
                yield json.loads(line)


def words(text):
    return [word.lower() for word in WORD.findall(text)]


def common(left, right):
    """How many words two lists have in common, in the same order."""
    row = [0] * (len(right) + 1)
    for word in left:
        before = 0
        for at, other in enumerate(right, 1):
            above = row[at]
            row[at] = before + 1 if word == other else max(above, row[at - 1])
            before = above
    return row[-1]


def likeness(block, stretch):
    return common(block, stretch) / len(block) if block else 0.0


def grams(block, length):
    """The n-grams of a block, each with its first place; a block that is shorter is one itself."""
    length = min(length, len(block))
    found = {}
    for at in range(len(block) - length + 1 if length else 0):
        found.setdefault(tuple(block[at : at + length]), at)
    return found


def places(block, text, length):
    """Where in the words of a text the block may begin, by shared n-grams, those of most first."""
    known = grams(block, length)
    length = min(length, len(block))
    votes = Counter()
    for at in range(len(text) - length + 1 if length else 0):
        first = known.get(tuple(text[at : at + length]))
        if first is not None:
            votes[at - first] += 1
    return votes.most_common(PLACES)


def best(block, text, begins):
    """The most similar stretch of a text among those at given places: likeness, first and last word."""
    found = (0.0, 0, 0)
    slack = min(8 + len(block) // 6, 60)
    for begin in dict.fromkeys(begins):
        first, last = max(begin - slack, 0), min(begin + len(block) + slack, len(text))
        like = likeness(block, text[first:last])
        if like > found[0]:
            found = (like, first, last)
    like, first, last = found
    if like:  # as short as it can be without getting less similar
        last = first + bisect_left(range(last - first), like, key=lambda size: likeness(block, text[first : first + size]))
        first = last - bisect_left(range(last - first), like, key=lambda size: likeness(block, text[last - size : last]))
    return like, first, last


def excerpt(text, first, last):
    """The characters of words, given by number, of a text."""
    spans = [match.span() for match in WORD.finditer(text)]
    return text[spans[first][0] : spans[last - 1][1]] if first < last else ""


def inside(block, text, stretch):
    """The best stretch within one document: near a stretch of words it had before, or where n-grams are shared."""
    begins = [begin for length in (*GRAMS, 1) for begin, _ in places(block, text, length)]
    begins += [begin for begin, _ in places(stretch, text, GRAMS[0])]
    return best(block, text, begins)


def elsewhere(blocks, clean):
    """For each block, the best stretch of all documents: likeness, id, first and last word."""
    wanted = defaultdict(list)
    for number, block in enumerate(blocks):
        for length in GRAMS:
            for gram, first in grams(block, length).items():
                wanted[gram].append((length, number, first))
    sizes = sorted({len(gram) for gram in wanted})
    firsts = {gram[0] for gram in wanted}
    seen = Counter()
    votes = [{length: Counter() for length in GRAMS} for _ in blocks]
    for name, text in clean.items():
        text = words(text)
        for at, word in enumerate(text):
            if word not in firsts:
                continue
            for size in sizes:
                gram = tuple(text[at : at + size])
                known = wanted.get(gram)
                if known is None or len(gram) < size:
                    continue
                seen[gram] += 1
                if seen[gram] <= OFTEN:
                    for length, number, first in known:
                        votes[number][length][name, at - first] += 1
    answers = []
    for block, counts in zip(blocks, votes):
        found = (0.0, None, 0, 0)
        for length in GRAMS:
            if found[0] >= UNLIKE:
                break
            for (name, begin), _ in counts[length].most_common(PLACES):
                like, first, last = best(block, words(clean[name]), [begin])
                if like > found[0]:
                    found = (like, name, first, last)
        answers.append(found)
    return answers


def shown(text):
    text = text if len(text) <= LIMIT else text[:LIMIT] + f" ... ({len(text) - LIMIT} characters more)"
    return "\n".join("    " + line for line in text.splitlines())


def sample(removed, gold, seed, count):
    """Blocks removed from documents that were not planted, drawn at random, in the order of the list."""
    blocks = [block for block in removed if block["id"] not in gold]
    drawn = random.Random(seed).sample(range(len(blocks)), min(count, len(blocks)))
    return [blocks[number] for number in sorted(drawn)], len(blocks)


def show(arguments):
    gold = {planted["id"] for planted in lines(arguments.gold)}
    chosen, total = sample(lines(arguments.removed), gold, arguments.seed, arguments.count)
    named = {block["evidence"]["repeats"].get("document") for block in chosen}
    originals = {document["id"]: document["text"] for document in lines(arguments.documents) if document["id"] in named}
    clean = {document["id"]: document["text"] for document in lines(arguments.clean)}
    blocks = [words(block["text"]) for block in chosen]
    found = elsewhere(blocks, clean)
    print(f"{len(chosen)} of {total} blocks, seed {arguments.seed}")
    for number, (block, own, (like, name, first, last)) in enumerate(zip(chosen, blocks, found), 1):
        repeats = block["evidence"]["repeats"]
        document = repeats.get("document")
        print(f"\n=== {number}  {block['id']}  {block['start']} to {block['end']}")
        print(f"by {repeats['by']}, share {repeats['share']}, of {document}, words {repeats.get('words')}\n")
        print(shown(block["text"]))
        here = (0.0, 0, 0)
        if document is not None:
            begin, end = repeats["words"]
            text = words(clean.get(document, ""))
            here = inside(own, text, words(originals.get(document, ""))[begin:end])
            print(f"\n--- kept in the document that is named, similarity {here[0]:.3f}")
            print(shown(excerpt(clean[document], *here[1:])) if here[0] else "    nothing")
        if document is None or here[0] < UNLIKE and like > here[0]:
            print(f"\n--- kept in {name}, similarity {like:.3f}")
            print(shown(excerpt(clean[name], first, last)) if like else "    nothing")
    return 0


def check(arguments):
    gold = {planted["id"] for planted in lines(arguments.gold)}
    removed = {(block["id"], block["start"], block["end"]): block for block in lines(arguments.removed)}
    right, of, faults = Counter(), Counter(), []
    known = set()
    for verdict in lines(arguments.verdicts):
        if "verdict" not in verdict:
            continue  # the header
        place = verdict["id"], verdict["start"], verdict["end"]
        name = f"{place[0]}, {place[1]} to {place[2]}"
        if verdict["verdict"] not in ("right", "wrong"):
            faults.append(f"{name}: neither right nor wrong")
        if place in known:
            faults.append(f"{name}: judged twice")
        known.add(place)
        if verdict["id"] in gold:
            faults.append(f"{name}: planted")
        if place not in removed:
            faults.append(f"{name}: not removed")
            continue
        repeats = removed[place]["evidence"]["repeats"]
        if repeats["by"] != verdict["by"] or repeats.get("document", verdict["of"]) != verdict["of"]:
            faults.append(f"{name}: found by {repeats['by']} of {repeats.get('document')} now")
        of[verdict["by"]] += 1
        right[verdict["by"]] += verdict["verdict"] == "right"
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"right: {right.total()} of {of.total()} ({right.total() / max(of.total(), 1):.1%})")
    for by in sorted(of):
        print(f"  {by}: {right[by]} of {of[by]}")
    return 1 if faults else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("documents", type=Path, help="the collection with planted copies")
    parser.add_argument("gold", type=Path, help="what was planted")
    parser.add_argument("removed", type=Path, help="what --removed of refrain wrote")
    parser.add_argument("clean", type=Path, help="what -o of refrain wrote")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--verdicts", type=Path, help="check and count these instead")
    arguments = parser.parse_args()
    return check(arguments) if arguments.verdicts else show(arguments)


if __name__ == "__main__":
    sys.exit(main())
