#!/usr/bin/env python3
"""Collections in which many texts look alike and few are copies, with what is known about every block of them.

    python bench/trust_collections.py OUT --seed 1 --documents 3000

Documents are written from templates (bench/trust_templates.py): the same wording with other names, numbers and places. No two
of them are copies of each other. Among them, copies of a tenth are planted, in these ways:

exact    the same text
edit5    5 % of the ordinary words (no names, no numbers) substituted, deleted, inserted or swapped, at random places
edit20   20 % of them
excerpt  a run of blocks with 40 to 70 % of the words of the source
newer    all blocks of the source, 2 % of its ordinary words edited, and so many new blocks that they hold 25 to 40 % of the words
partial  blocks with 25 to 50 % of the words come from the source, the others are new ones of the same template

OUT.jsonl holds {id, text}, a copy always behind its source. OUT.gold.jsonl holds, for each document, {id, template, wording,
language, way (own, or one of the above), source, blocks}. A block is what stands between blank lines: {start, end, words, copied,
kind}. Its kind is
  own      it holds at least one slot that was filled in for this document
  fixed    pure wording of the template, so removing it is neither right nor wrong
  same     its words equal those of another block which is not its source, so nobody could tell them apart; counted as fixed

All choices come from --seed: the same seed and size give the same bytes. --held takes the templates that are kept for validation.
"""

import argparse
import json
import random
import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from trust_templates import HELD, TEMPLATES, Slots

WORD = re.compile(r"\w+")
ORDINARY = re.compile(r"[^\W\d_A-Z]{2,}[,.;:]?", re.ASCII)
SHORTEST, LONGEST = 60, 600  # words of a document
WAYS = ("exact", "edit5", "edit20", "excerpt", "newer", "partial")
PLANTED = 0.1


def words(text):
    return WORD.findall(text.lower())


@dataclass
class Block:
    text: str
    slots: bool
    source: int | None = None  # the block of the source that it was copied from


@dataclass
class Document:
    template: str
    wording: int
    language: str
    blocks: list
    way: str = "own"
    source: "Document | None" = None
    place: float = 0.0
    id: str = ""

    def size(self):
        return sum(len(words(block.text)) for block in self.blocks)


# ---------------------------------------------------------------- filling in


@dataclass
class Filling:
    """One document while it is written: values that stay the same in it, and whether the block at hand has a slot."""

    slots: Slots
    r: random.Random
    known: dict = field(default_factory=dict)
    filled: bool = False

    def expand(self, text):
        """Chooses among `{a|b}` and fills in `<slot>`, `<slot:name>` (remembered) and `<n LOW HIGH>`."""
        out, at = [], 0
        while at < len(text):
            letter = text[at]
            if letter == "\\":
                out.append(text[at + 1])
                at += 2
            elif letter == "{":
                end, options = choices(text, at)
                out.append(self.expand(self.r.choice(options)))
                at = end
            elif letter == "<":
                end = text.index(">", at)
                out.append(self.fill(text[at + 1 : end]))
                at = end + 1
            else:
                out.append(letter)
                at += 1
        return "".join(out)

    def fill(self, slot):
        self.filled = True
        kind, _, name = slot.partition(":")
        if not name:
            return self.slots.value(kind)
        if slot not in self.known:
            self.known[slot] = self.slots.value(kind)
        return self.known[slot]

    def blocks(self, wording):
        for source in re.split(r"\n\s*\n", wording.strip("\n")):
            if directive := re.match(r"\?(\d+) ", source):
                if self.r.random() * 100 >= int(directive[1]):
                    continue
                source = source[directive.end() :]
            times, joined = 1, None
            if directive := re.match(r"([*+~])(\d+)-(\d+) ", source):
                times, joined = self.r.randint(int(directive[2]), int(directive[3])), directive[1]
                source = source[directive.end() :]
            if joined == "~":  # so many of its lines, in any order
                lines = source.split("\n")
                source = " ".join(self.r.sample(lines, min(times, len(lines))))
                times = 1
            parts = []
            for _ in range(times):
                self.filled = self.filled and joined == "*"
                parts.append((self.expand(source), self.filled))
            if joined == "*":  # a list: one block of several lines
                parts = [("\n".join(text for text, _ in parts), parts[-1][1])]
            for text, filled in parts:
                self.filled = False
                yield Block(text, filled)


def choices(text, start):
    """The options of a `{a|b}` that begins here, and where it ends."""
    depth, at, first, options = 0, start, start + 1, []
    while True:
        letter = text[at]
        if letter == "\\":
            at += 1
        elif letter == "{":
            depth += 1
        elif letter == "}":
            depth -= 1
            if depth == 0:
                options.append(text[first:at])
                return at + 1, options
        elif letter == "|" and depth == 1:
            options.append(text[first:at])
            first = at + 1
        at += 1


def written(template, r):
    """A new document of a template, of a size that is wanted."""
    slots = Slots(r, template.language)
    while True:
        wording = r.randrange(len(template.wordings))
        blocks = list(Filling(slots, r).blocks(template.wordings[wording]))
        document = Document(template.name, wording, template.language, blocks)
        if SHORTEST <= document.size() <= LONGEST and len(blocks) >= 3:
            return document


# ---------------------------------------------------------------- copies


def edited(text, rate, r, vocabulary):
    """A text with a share of its ordinary words substituted, deleted, inserted or swapped."""
    out = []
    for line in text.split("\n"):
        left, tokens, at = [], line.split(" "), 0
        while at < len(tokens):
            token = tokens[at]
            if ORDINARY.fullmatch(token) and r.random() < rate:
                kind, other = r.random(), r.choice(vocabulary)
                if kind < 0.55:
                    left.append(other)
                elif kind < 0.75:
                    pass
                elif kind < 0.9 or at + 1 == len(tokens):
                    left += [token, other]
                else:
                    left += [tokens[at + 1], token]
                    at += 1
            else:
                left.append(token)
            at += 1
        if any(left):
            out.append(" ".join(left))
    return "\n".join(out)


def copied(source, chosen, rate, r, vocabulary):
    """Blocks of a source, given by number, with some words edited."""
    found = []
    for number in chosen:
        block = source.blocks[number]
        text = edited(block.text, rate, r, vocabulary) if rate else block.text
        if words(text):
            found.append(Block(text, block.slots, number))
    return found


def run_of(source, share, r):
    """Numbers of blocks in a row that hold about a share of the words."""
    sizes = [len(words(block.text)) for block in source.blocks]
    wanted, best = share * sum(sizes), None
    for first in r.sample(range(len(sizes)), len(sizes)):
        total = 0
        for last in range(first, len(sizes)):
            total += sizes[last]
            off = abs(total - wanted)
            if best is None or off < best[0]:
                best = (off, first, last)
    return list(range(best[1], best[2] + 1))


def fresh(template, size, r):
    """New blocks of a template with about so many words; at least one."""
    found, total = [], 0
    for _ in range(50):
        for block in r.sample(other := written(template, r).blocks, len(other)):
            count = len(words(block.text))
            if block.slots and (not found or total + count <= size * 1.15 + 8):
                found.append(block)
                total += count
            if total >= size * 0.85:
                return found
    return found


def copy(source, way, template, r, vocabulary):
    everything = range(len(source.blocks))
    if way == "exact":
        blocks = copied(source, everything, 0, r, vocabulary)
    elif way in ("edit5", "edit20"):
        blocks = copied(source, everything, 0.05 if way == "edit5" else 0.2, r, vocabulary)
    elif way == "excerpt":
        blocks = copied(source, run_of(source, r.uniform(0.4, 0.7), r), 0, r, vocabulary)
    elif way == "newer":
        blocks = copied(source, everything, 0.02, r, vocabulary)
        new = r.uniform(0.25, 0.4)
        for block in fresh(template, source.size() * new / (1 - new), r):
            blocks.insert(r.randint(1, len(blocks)), block)
    else:
        blocks = copied(source, run_of(source, r.uniform(0.3, 0.6), r), 0, r, vocabulary)
        size, share = sum(len(words(block.text)) for block in blocks), r.uniform(0.25, 0.5)
        new = fresh(template, size * (1 - share) / share, r)
        at = r.randint(0, len(new))
        blocks = new[:at] + blocks + new[at:]
    return Document(source.template, source.wording, source.language, blocks, way, source)


# ---------------------------------------------------------------- collections


def collection(seed, count, held=False, names=None):
    """Documents in order, copies behind their sources."""
    r = random.Random(f"{seed} {count} {held}")
    templates = [template for template in (HELD if held else TEMPLATES) if not names or template.name in names]
    documents, seen = [], set()
    while len(documents) < count:
        document = written(templates[len(documents) % len(templates)], r)
        key = tuple(word for block in document.blocks for word in words(block.text))
        if key not in seen:  # the same text by chance would be a copy
            seen.add(key)
            documents.append(document)
    vocabulary = [
        word
        for document in r.sample(documents, min(400, count))
        for block in document.blocks
        for word in block.text.split(" ")
        if ORDINARY.fullmatch(word)
    ]
    by_name = {template.name: template for template in templates}
    planted = []
    for number, source in enumerate(r.sample(documents, round(count * PLANTED))):
        planted.append(copy(source, WAYS[number % len(WAYS)], by_name[source.template], r, vocabulary))
    for number, document in enumerate(documents):
        document.id, document.place = f"{document.template}-{number:05}", r.random()
    for number, document in enumerate(planted):
        document.id, document.place = f"planted-{number:05}", r.uniform(document.source.place, 1)
    return sorted(documents + planted, key=lambda document: (document.place, document.id))


def gold(documents):
    """What is known of each document, and of each of its blocks."""
    times = Counter(tuple(words(block.text)) for document in documents for block in document.blocks)
    explained = Counter()  # blocks of which a copy was planted, with that copy
    for document in documents:
        for block in document.blocks:
            key = tuple(words(block.text))
            explained[key] += block.source is not None and key == tuple(words(document.source.blocks[block.source].text))
    for document in documents:
        blocks, at = [], 0
        for block in document.blocks:
            key = tuple(words(block.text))
            kind = "own" if block.slots else "fixed"
            if block.slots and times[key] - explained[key] > 1:
                kind = "same"
            end = at + len(block.text)
            blocks.append({"start": at, "end": end, "words": len(key), "copied": block.source is not None, "kind": kind})
            at = end + 2
        yield {
            "id": document.id,
            "template": document.template,
            "wording": document.wording,
            "language": document.language,
            "way": document.way,
            "source": document.source.id if document.source else None,
            "blocks": blocks,
        }


def write(out, seed, count, held=False, names=None):
    """Writes OUT.jsonl and OUT.gold.jsonl. Returns both names."""
    documents = collection(seed, count, held, names)
    texts, known = Path(f"{out}.jsonl"), Path(f"{out}.gold.jsonl")
    with texts.open("w", encoding="utf-8") as file:
        for document in documents:
            text = "\n\n".join(block.text for block in document.blocks)
            file.write(json.dumps({"id": document.id, "text": text}, ensure_ascii=False) + "\n")
    with known.open("w", encoding="utf-8") as file:
        for line in gold(documents):
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    return texts, known


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", help="beginning of the names of both files")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--documents", type=int, default=3000)
    parser.add_argument("--held", action="store_true", help="templates that are kept for validation")
    arguments = parser.parse_args()
    for path in write(arguments.out, arguments.seed, arguments.documents, arguments.held):
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
