#!/usr/bin/env python3
"""How well `refrain editions` finds pairs of books that share text.

    python bench/editions.py --refrain target/release/refrain --books FOLDER --data FOLDER --make-books SCRIPT --eval-pairs SCRIPT

Parts (--only, with commas between them):

real        books as they come, with the labelled pairs of --data (editions_pairs.tsv: a, b, kind).
made        books cut and scanned badly by the list of --data (editions_synth.tsv: out, base, donor, keep, noise, seed), which the
            script of --make-books turns into texts; each case is searched among all real books.
all-made    all books of that list and all real ones in one folder: dozens of versions of each.
other-made  the same kinds of damage with other books and other places: bases and donors are drawn from the books that the list does not
            name; recall and precision by noise and by the share that was kept.
other-books other books (--others) than those of --books, labelled here: shared shingles of eight words between the markers of
            Project Gutenberg, as in the data. Pairs on which labels and refrain do not agree are written to --disagreements.

A pair of books that share none of their sources, nor books that share text with these, is a false one.
"""

import argparse
import collections
import csv
import json
import random
import re
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path, PurePath

PARTS = ("real", "made", "all-made", "other-made", "other-books")
CASES = [(20, 40), (0, 10), (20, 20), (20, 100), (10, 40), (5, 40), (0, 40)]
NOISES, KEEPS = (0, 5, 10, 20), (10, 20, 40, 70, 100)
BASES, SEED = 40, 77


def rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def ordered(a, b):
    return (a, b) if a <= b else (b, a)


class Study:
    def __init__(self, given, work):
        self.given, self.work = given, Path(work)
        self.labels = rows(Path(given.data) / "editions_pairs.tsv")
        self.listed = rows(Path(given.data) / "editions_synth.tsv")
        # Books and all that share text with them.
        self.family = collections.defaultdict(set)
        for row in self.labels:
            self.family[row["a"]] |= {row["a"], row["b"]}
            self.family[row["b"]] |= {row["a"], row["b"]}

    def found(self, *arguments):
        """The pairs that refrain finds, and the file that they are in."""
        out = self.work / "pairs.tsv"
        subprocess.run([self.given.refrain, "editions", *map(str, arguments), "--format", "tsv", "-o", out, "-q"], check=True)
        return {ordered(*(PurePath(row[side]).name for side in "ab")) for row in rows(out)}, out

    def make(self, specification, name):
        """Makes books by a list. Returns their folder."""
        table, folder = self.work / f"{name}.tsv", self.work / name
        with open(table, "w", encoding="utf-8") as file:
            file.write("\t".join(specification[0]) + "\n")
            file.writelines("\t".join(map(str, row.values())) + "\n" for row in specification)
        subprocess.run([sys.executable, self.given.make_books, table, self.given.books, folder], check=True)
        return folder

    def judged(self, pairs, made):
        """Of pairs with made books: which of these were found together with their bases, and the false ones of each."""
        known = {ordered(row["a"], row["b"]) for row in self.labels}
        of = lambda book: self.family.get(book, {book})
        near = {row["out"]: set().union(*(of(book) for book in (row["base"], row["donor"]) if book != "-")) for row in made}
        right = {row["out"] for row in made if ordered(row["base"], row["out"]) in pairs}
        false = [pair for pair in pairs if pair not in known and not near.get(pair[0], of(pair[0])) & near.get(pair[1], of(pair[1]))]
        return right, false

    def real(self):
        _, out = self.found(self.given.books)
        labels = Path(self.given.data) / "editions_pairs.tsv"
        told = subprocess.run([sys.executable, self.given.eval_pairs, labels, out], check=True, capture_output=True)
        score = json.loads(told.stdout)
        partial = score["recall_by_kind"]["partial"]["recall"]
        print(f"real books as they come: P {score['precision']:.3f}, R {score['recall']:.3f}; partial pairs: R {partial:.3f}")

    def made(self):
        for noise, keep in CASES:
            made = [row for row in self.listed if (int(row["noise"]), int(row["keep"])) == (noise, keep)]
            pairs, _ = self.found(self.given.books, self.make(made, f"made-{noise}-{keep}"))
            right, false = self.judged(pairs, made)
            of_made = [pair for pair in pairs if {row["out"] for row in made} & set(pair)]
            precision = 1 - len(false) / max(1, len(of_made))
            print(f"{noise:3} % noise, {keep:3} % kept: R {len(right) / len(made):.3f}, P {precision:.3f} ({len(false)} false)")

    def all_made(self):
        self.grid(self.listed, "all-made")

    def other_made(self):
        named = {row[side] for row in self.listed for side in ("base", "donor")}
        chance = random.Random(SEED)
        books = sorted(path.stem for path in Path(self.given.books).glob("*.txt"))
        free = [book for book in books if not self.family.get(book, {book}) & named]
        made = []
        for number, base in enumerate(chance.sample(free, min(BASES, len(free)))):
            donor = chance.choice([book for book in free if not self.family.get(book, {book}) & self.family.get(base, {base})])
            for noise in NOISES:
                for keep in KEEPS:
                    seed = 7_000_000 + number * 1000 + noise * 10 + keep
                    out = f"{base}_k{keep}_n{noise}"
                    made.append({"out": out, "base": base, "donor": donor, "keep": keep, "noise": noise, "seed": seed})
        self.grid(made, "other-made")

    def grid(self, made, name):
        pairs, _ = self.found(self.given.books, self.make(made, name))
        right, false = self.judged(pairs, made)
        keeps = sorted({int(row["keep"]) for row in made})
        print(f"\n{name}: {len({row['base'] for row in made})} bases, {len(made)} books; recall by noise (rows) and share kept (columns); false pairs {len(false)}")
        print("        " + "".join(f"{keep:>5} %" for keep in keeps))
        for noise in sorted({int(row["noise"]) for row in made}):
            cells = [[row for row in made if (int(row["noise"]), int(row["keep"])) == (noise, keep)] for keep in keeps]
            print(f"{noise:>5} % " + "".join(f"{sum(row['out'] in right for row in cell) / len(cell):>7.3f}" for cell in cells))
        for pair in false[:10]:
            print("  false:", *pair)
        if self.given.disagreements:
            with open(self.given.disagreements, "a", encoding="utf-8") as file:
                file.writelines(f"{name}\tmissed\t{row['base']}\t{row['out']}\n" for row in made if row["out"] not in right)
                file.writelines(f"{name}\tfalse\t{a}\t{b}\n" for a, b in false)

    def other_books(self):
        known = {path.stem for path in Path(self.given.books).glob("*.txt")}
        folder = self.work / "others"
        folder.mkdir()
        for path in sorted(Path(self.given.others).glob("*.txt")):
            if path.stem not in known:
                (folder / path.name).symlink_to(path.resolve())
        labels = labelled(sorted(folder.glob("*.txt")), sorted(Path(self.given.books).glob("*.txt")))
        pairs, out = self.found(folder)
        kinds = collections.Counter(kind for kind, *_ in labels.values())
        wanted = {pair for pair, (kind, *_) in labels.items() if kind in ("dup", "partial")}
        said = {pair for pair in pairs if labels.get(pair, ("none",))[0] != "ignore"}
        partial = {pair for pair in wanted if labels[pair][0] == "partial"}
        print(
            f"{len(list(folder.iterdir()))} other books, {kinds['dup']} whole and {kinds['partial']} partial pairs: "
            f"P {len(said & wanted) / max(1, len(said)):.3f} ({len(said - wanted)} false), R {len(said & wanted) / max(1, len(wanted)):.3f} "
            f"({len(wanted - said)} missed); partial pairs: R {len(said & partial) / max(1, len(partial)):.3f}"
        )
        if self.given.disagreements:
            with open(self.given.disagreements, "a", encoding="utf-8") as file:
                for what, some in (("false", said - wanted), ("missed", wanted - said)):
                    for pair in sorted(some):
                        label = labels.get(pair, ("none", 0, 0, 0))
                        file.write(f"other-books\t{what}\t{pair[0]}\t{pair[1]}\t{label[0]}\t{label[1]:.3f}\t{label[2]:.3f}\t{label[3]}\n")


# ---------------------------------------------------------------- labels from shared shingles

START = re.compile(r"^\*\*\* ?START OF .*$|^.*\*END\*? ?THE SMALL PRINT.*$", re.MULTILINE | re.IGNORECASE)
END = re.compile(r"^\*\*\* ?END OF .*$|^ *End of (?:the |this )?Project Gutenberg.*$", re.MULTILINE | re.IGNORECASE)
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
# Books in the other collection are cut, so more shingles are looked at than one in 64.
ONE_IN, SHINGLE = 8, 8
LEAST_SHARED = 12 * 64 / ONE_IN
# Shingles that more than 60 of 3,260 books have were dropped in the data: licences, and notices inside of texts.
COMMON = 60 / 3260


def between_markers(path):
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    start = max((mark.end() for mark in START.finditer(text) if mark.start() < max(40_000, len(text) / 2)), default=0)
    end = next((mark.start() for mark in END.finditer(text) if mark.start() > start), len(text))
    return text[start:end]


def shingles(path):
    words = [word.replace("'", "").replace("’", "") for word in WORD.findall(between_markers(path).lower())]
    hashes = (zlib.crc32(" ".join(words[n : n + SHINGLE]).encode()) for n in range(len(words) - SHINGLE + 1))
    return {hash for hash in hashes if hash % ONE_IN == 0}


def labelled(paths, others):
    """Kind, share of the smaller and of the larger book, and shared shingles of all pairs that share some. What is frequent is counted
    over more books, the others."""
    having, elsewhere = collections.defaultdict(list), collections.Counter()
    for path in paths:
        for shingle in shingles(path):
            having[shingle].append(path.stem)
    for path in others:
        elsewhere.update(shingles(path))
    most = COMMON * (len(paths) + len(others))
    size, shared = collections.Counter(), collections.Counter()
    for shingle, some in having.items():
        if len(some) + elsewhere[shingle] <= most:
            size.update(some)
            shared.update(ordered(a, b) for n, a in enumerate(some) for b in some[n + 1 :])
    labels = {}
    for pair, count in shared.items():
        smaller, larger = sorted(size[book] for book in pair)
        of_smaller, of_larger = count / smaller, count / larger
        if of_smaller >= 0.6 and of_larger >= 0.5 and count >= LEAST_SHARED:
            kind = "dup"
        elif of_smaller >= 0.15 and count >= LEAST_SHARED:
            kind = "partial"
        else:
            kind = "ignore" if of_smaller >= 0.03 else "none"
        labels[pair] = (kind, of_smaller, of_larger, count)
    return labels


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("refrain", "books", "data", "make-books", "eval-pairs"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--others", help="a folder of other books, for other-books")
    parser.add_argument("--only", default=",".join(PARTS), help="parts, with commas between them")
    parser.add_argument("--disagreements", help="a file to which what was missed and what is false is added")
    given = parser.parse_args()
    parts = given.only.split(",")
    if unknown := set(parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    if "other-books" in parts and not given.others:
        if given.only != parser.get_default("only"):
            parser.error("other-books needs --others")
        parts.remove("other-books")
        print("other-books is left out: no --others")
    with tempfile.TemporaryDirectory() as work:
        study = Study(given, work)
        for part in parts:
            getattr(study, part.replace("-", "_"))()


if __name__ == "__main__":
    main()
