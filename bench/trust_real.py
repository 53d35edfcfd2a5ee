"""Real collections in which much looks alike, for trust.py: what is installed here or comes with Debian packages, and web sites.

copyright     copyright files of installed packages
changelogs    their changelogs
descriptions  descriptions of packages, from the translation files of the archive
man           manual pages, as `man` shows them
manuals       HTML documentation in several languages, through `refrain extract`
sites         pages of sites, through `refrain extract`
records       the records on pages of such sites (job offers, restaurants, films, articles), without the rest of the page
gcloud        manual pages of the commands of one program, where it is installed

Only among the held ones, from sources that no rule was chosen on:

other-copyright   copyright files of small packages that are not installed, one for each source package
other-changelogs  their changelogs
other-commands    manual pages of the commands of three programs
other-functions   manual pages of the functions of two libraries
other-licences    licence files of the crates that this project is built with
other-readmes     their README files

Nobody has said which of these documents are copies. Whether one contains another is found by a slow comparison that shares no
code with refrain: words in 5-grams that occur in at least five other texts are wording that many documents share; the others
are its own. Two documents are aligned word by word, in order. A document is a copy of another

- if both have the same words, or
- if the other contains 90 % of its own words and 90 % of all of its words.

It is unclear

- if less than 1 % of its words are its own,
- if the other contains 80 % of them, or
- if it is a copy but for other facts: names or numbers (words with a capital or a digit) that the other text has nowhere, in the
  place of such words that this text has nowhere. If these are 2 % of its own words, it is no copy: the licence of another
  package, by another author, is another text. One date in a long text is not enough.

All else is no copy. A removed block is judged by the document that refrain names as its source. It is wrong if that document does not
contain 65 % of its words in one place, or if facts replace others, and unclear if it does not contain 80 %. Packages, pages and commands are split in two halves by their names: one to develop with, one that is held.
"""

import gzip
import html
import json
import lzma
import os
import re
import subprocess
import sys
import urllib.request
import zlib
from bisect import bisect_left
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from difflib import SequenceMatcher
from pathlib import Path

from extract import lines, put, run
from read import ROOT

RECIPE = 2  # to be raised when collections or what is known of them change
WORD = re.compile(r"\w+")
SITES = ROOT.parent / "shared" / "data" / "sites" / "dev"
TRANSLATIONS = "http://deb.debian.org/debian/dists/bookworm/main/i18n/Translation-en.xz"
MOST = 300  # documents of a collection
SHORTEST, LONGEST = 20, 20_000  # words

GRAM, COMMON = 5, 5  # words in a row; in how many other texts they have to occur to be shared wording
CONTAINED, UNCLEAR, NOTHING, FACTS = 0.9, 0.8, 0.01, 0.02
LEAST_OF_BLOCK = 0.65
CANDIDATES = 8
LEAST = 0.1  # 5-grams that two have to share, for each of a document's own words, to be compared
SMALL = 40_000  # of two texts with fewer pairs of words, all are compared

# Package, files, languages by a part of the path: development and held.
MANUALS = {
    False: [
        ("git-doc", "usr/share/doc/git-doc/**/*.html", None),
        ("postgresql-doc-15", "usr/share/doc/postgresql-doc-15/html/app-*.html", None),
        ("postgresql-doc-15", "usr/share/doc/postgresql-doc-15/html/sql-*.html", None),
        ("debian-handbook", "usr/share/doc/debian-handbook/html/{}/*.html", ("en-US", "de-DE", "fr-FR")),
        ("debian-reference-en", "usr/share/debian-reference/*.en.html", None),
        ("debian-reference-de", "usr/share/debian-reference/*.de.html", None),
    ],
    True: [
        ("postgresql-doc-15", "usr/share/doc/postgresql-doc-15/html/infoschema-*.html", None),
        ("postgresql-doc-15", "usr/share/doc/postgresql-doc-15/html/catalog-*.html", None),
        ("postgresql-doc-15", "usr/share/doc/postgresql-doc-15/html/view-*.html", None),
        ("postgresql-doc-15", "usr/share/doc/postgresql-doc-15/html/spi-*.html", None),
        ("debian-handbook", "usr/share/doc/debian-handbook/html/{}/*.html", ("it-IT", "es-ES", "pt-BR")),
        ("developers-reference", "usr/share/developers-reference/**/*.html", None),
        ("debian-faq", "usr/share/doc/debian/FAQ/**/*.html", None),
        ("debian-reference-fr", "usr/share/debian-reference/*.fr.html", None),
        ("debian-reference-it", "usr/share/debian-reference/*.it.html", None),
    ],
}

# Packages of which the manual pages are compared, held.
COMMANDS = ("git-man", "lvm2", "btrfs-progs")
FUNCTIONS = ("manpages-dev", "openmpi-doc")
SMALL_PACKAGE = 40_000  # bytes
CRATES = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo")) / "registry" / "src"


def words(text):
    return WORD.findall(text.lower())


def half(name, held):
    return zlib.crc32(name.encode()) % 2 == held


# ---------------------------------------------------------------- collections


def readable(path):
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    return data.decode("utf-8", errors="replace")


def of_packages(file, held):
    """A file of each installed package; folders that are links to those of other packages are left aside."""
    for path in sorted(Path("/usr/share/doc").glob(f"*/{file}")):
        if half(path.parent.name, held) and not path.parent.is_symlink() and not path.is_symlink():
            yield path.parent.name, readable(path)


def descriptions(data, held):
    path = data / "downloads" / "Translation-en.xz"
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(urllib.request.urlopen(TRANSLATIONS, timeout=60).read())
    for entry in lzma.decompress(path.read_bytes()).decode().split("\n\n"):
        name = re.match(r"Package: (\S+)", entry)
        _, _, text = entry.partition("Description-en: ")
        # Packages of one source mostly begin with the same word: they stay together.
        family = re.split(r"[-.0-9]", name[1])[0] if name else ""
        if text and zlib.crc32(family.encode()) % 24 == (7 if held else 3):
            yield name[1], re.sub(r"\n \.(?=\n)", "\n", text).replace("\n ", "\n")


def pages_of_man(held, of_gcloud):
    paths = [path for section in (1, 8) for path in Path(f"/usr/share/man/man{section}").glob("*.gz") if not path.is_symlink()]
    paths = [path for path in paths if path.name.startswith("gcloud") == of_gcloud and half(path.name, held)]
    # Those next to each other by name are most alike, so a run of names is taken where there are too many.
    chosen = sorted(paths)
    if len(chosen) > MOST:
        first = 3000 if of_gcloud else 0
        chosen = chosen[first : first + MOST]
    return shown_pages(chosen)


def shown_pages(paths):
    """Manual pages as `man` shows them."""

    def shown(path):
        command = ["man", "--no-hyphenation", "--no-justification", "-P", "cat", "-l", path]
        done = subprocess.run(command, env=os.environ | {"MANWIDTH": "100", "LC_ALL": "C.UTF-8"}, capture_output=True)
        return path.name.removesuffix(".gz"), re.sub(r".\x08", "", done.stdout.decode("utf-8", errors="replace"))

    with ThreadPoolExecutor(2) as pool:
        yield from pool.map(shown, paths)


def pages_in(packages, data):
    """Manual pages of packages, evenly spread where there are too many."""
    paths = []
    for package in packages:
        folder = unpacked(package, data)
        found = sorted(path for path in (folder / "usr/share/man").glob("man*/*.gz") if not path.is_symlink()) if folder else []
        step = -(-len(found) * len(packages) // MOST) or 1
        paths += found[::step]
    return shown_pages(paths)


def small_packages(data):
    """Folders of packages that are not installed, of different sources."""
    chosen, sources = [], set()
    for entry in subprocess.run(["apt-cache", "dumpavail"], stdout=subprocess.PIPE, check=True).stdout.decode().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in entry.splitlines() if ": " in line and not line.startswith(" "))
        name, source = fields.get("Package", ""), fields.get("Source", fields.get("Package", "")).split(" ")[0]
        is_new = source not in sources and not Path(f"/usr/share/doc/{name}").exists()
        if name and is_new and int(fields["Size"]) < SMALL_PACKAGE and zlib.crc32(source.encode()) % 60 == 7:
            sources.add(source)
            chosen.append(name)
    downloads = data / "downloads"
    downloads.mkdir(parents=True, exist_ok=True)
    missing = [name for name in chosen[:MOST] if not list(downloads.glob(f"{name}_*.deb"))]
    if missing:
        subprocess.run(["apt-get", "download", "-qq", *missing], cwd=downloads, stderr=subprocess.DEVNULL)
    folders = ((name, unpacked(name, data)) for name in chosen[:MOST])
    return [(name, folder) for name, folder in folders if folder]


def of_small_packages(file, data):
    for name, folder in small_packages(data):
        for path in sorted(folder.glob(f"usr/share/doc/*/{file}")):
            if path.is_file() and not path.is_symlink():
                yield name, readable(path)


def of_crates(pattern):
    for path in sorted(CRATES.glob(f"*/*/{pattern}")):
        if path.is_file():
            yield f"{path.parent.name}/{path.name}", readable(path)


def extracted(refrain, pages, work):
    """The main text of pages: (id, HTML) to (id, text)."""
    work.mkdir(parents=True, exist_ok=True)
    source, out = work / "pages.jsonl", work / "texts.jsonl"
    with source.open("w", encoding="utf-8") as file:
        for name, page in pages:
            put(file, {"id": name, "text": page})
    run([refrain, "extract", source, "-o", out, "--quiet"], 1, (0, 1))
    for document in map(json.loads, lines(out)):
        yield document["id"], document["text"]


def unpacked(package, data):
    """The folder of an unpacked package; none where it cannot be fetched."""
    folder, downloads = data / "packages" / package, data / "downloads"
    if not folder.is_dir():
        downloads.mkdir(parents=True, exist_ok=True)
        if not list(downloads.glob(f"{package}_*.deb")):
            subprocess.run(["apt-get", "download", "-qq", package], cwd=downloads, stderr=subprocess.DEVNULL)
        found = sorted(downloads.glob(f"{package}_*.deb"))
        if not found:
            print(f"left out: the package {package} cannot be fetched (apt-get update?)", file=sys.stderr)
            return None
        folder.mkdir(parents=True)
        subprocess.run(["dpkg", "-x", found[0], folder], check=True)
    return folder


def manuals(refrain, data, held):
    pages = []
    for package, files, languages in MANUALS[held]:
        folder = unpacked(package, data)
        if folder is None:
            continue
        above = folder / re.match(r"[^*{]*/", files)[0]  # folders inside it are part of the name: names of files repeat
        for language in languages or ("",):
            paths = sorted(path for path in folder.glob(files.format(language)) if path.is_file() and not path.is_symlink())
            for path in paths:
                pages.append((f"{package}/{path.relative_to(above)}", path.read_text(encoding="utf-8", errors="replace")))
    return extracted(refrain, pages, data / f"work-{os.getpid()}")


def sites(refrain, data, held):
    pages = []
    for path in sorted(SITES.glob("*.jsonl.zst")):
        site = path.name.split(".")[0]
        if half(site, held) and not site.startswith(("mix", "noise")):
            pages += [(f"{site}/{page['id']}", page["html"]) for page in map(json.loads, lines(path))]
    return extracted(refrain, pages, data / f"work-{os.getpid()}")


HIDDEN = re.compile(r"(?is)<(script|style|noscript)\b.*?</\1\s*>|<!--.*?-->")
BREAK = re.compile(r"(?i)</?(?:p|div|li|ul|ol|tr|td|th|table|br|h[1-6]|dd|dt|dl|section|article|pre|hr)\b[^>]*>")
TAG = re.compile(r"<[^>]*>")


def records(held):
    """What is between the delimiters of the content of each page; their offsets are those of the page with single spaces."""
    for path in sorted(SITES.glob("*.jsonl.zst")):
        site = path.name.split(".")[0]
        if not half(site, held) or site.startswith(("mix", "noise")):
            continue
        for page in map(json.loads, lines(path)):
            plain = re.sub(r"[ \t\r\n]+", " ", page["html"])
            parts = "\n\n".join(plain[start:end] for start, end in page["content_ranges"])
            text = html.unescape(TAG.sub(" ", BREAK.sub("\n\n", HIDDEN.sub(" ", parts))))
            blocks = (" ".join(block.split()) for block in text.split("\n\n"))
            yield f"{site}/{page['id']}", "\n\n".join(block for block in blocks if block)


def collections(refrain, data, held):
    """Name and documents of each collection."""
    yield "copyright", lambda: of_packages("copyright", held)
    yield "changelogs", lambda: of_packages("changelog.Debian.gz", held)
    yield "descriptions", lambda: descriptions(data, held)
    yield "man", lambda: pages_of_man(held, False)
    yield "manuals", lambda: manuals(refrain, data, held)
    yield "sites", lambda: sites(refrain, data, held)
    yield "records", lambda: records(held)
    yield "gcloud", lambda: pages_of_man(held, True)
    if held:
        yield "other-copyright", lambda: of_small_packages("copyright", data)
        yield "other-changelogs", lambda: of_small_packages("changelog.Debian.gz", data)
        yield "other-commands", lambda: pages_in(COMMANDS, data)
        yield "other-functions", lambda: pages_in(FUNCTIONS, data)
        yield "other-licences", lambda: of_crates("LICEN[CS]E*")
        yield "other-readmes", lambda: of_crates("README*")


def made(name, make, folder):
    """The files of a collection: texts, and what is known of them. None where there is nothing of the kind here."""
    texts, known = folder / f"{name}.jsonl", folder / f"{name}.gold.jsonl"
    if not known.is_file():
        print(f"making {name} ...", file=sys.stderr)
        seen = Counter()
        documents = []
        for identifier, text in make():
            seen[identifier] += 1
            if SHORTEST <= len(words(text)) <= LONGEST:
                documents.append((identifier if seen[identifier] == 1 else f"{identifier}#{seen[identifier]}", text))
        if len(documents) < 20:
            print(f"left out: there are only {len(documents)} documents of {name} here", file=sys.stderr)
            return None
        with texts.open("w", encoding="utf-8") as file:
            for identifier, text in documents:
                put(file, {"id": identifier, "text": text})
        unfinished = known.with_suffix(f".{os.getpid()}")
        with unfinished.open("w", encoding="utf-8") as file:
            for line in compared(documents):
                put(file, line)
        unfinished.replace(known)
    return texts, known


# ---------------------------------------------------------------- what is a copy


def anchors(left, right):
    """Pairs of places of 4-grams that occur once in both, in the same order in both (a longest such row)."""

    def once(side):
        times = Counter(zip(side, side[1:], side[2:], side[3:]))
        return {gram: at for at, gram in enumerate(zip(side, side[1:], side[2:], side[3:])) if times[gram] == 1}

    places = once(right)
    pairs = [(at, places[gram]) for gram, at in once(left).items() if gram in places]
    ends, last, before = [], [], {}
    for number, (_, at) in enumerate(pairs):
        length = bisect_left(ends, at)
        before[number] = last[length - 1] if length else None
        if length == len(ends):
            ends.append(at)
            last.append(number)
        else:
            ends[length], last[length] = at, number
    number, chosen = last[-1] if last else None, []
    while number is not None:
        chosen.append(pairs[number])
        number = before[number]
    return chosen[::-1]


def aligned(left, right, start=0):
    """For each word of the left, where it occurs in the right (which begins at `start`), all in the same order; or None."""
    if len(left) * len(right) <= SMALL:
        found = [None] * len(left)
        for match in SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks():
            found[match.a : match.a + match.size] = range(start + match.b, start + match.b + match.size)
        return found
    fixed = anchors(left, right)
    if not fixed:
        return [None] * len(left)
    found, a, b = [], 0, 0
    for to_a, to_b in [*fixed, (len(left), len(right))]:
        if to_a < a or to_b < b:  # within the run of equal words before
            continue
        found += aligned(left[a:to_a], right[b:to_b], start + b)
        a, b = to_a, to_b
        while a < len(left) and b < len(right) and left[a] == right[b]:
            found.append(start + b)
            a, b = a + 1, b + 1
    return found + [None] * (len(left) - len(found))


def other_facts(left, right, found):
    """How many names and numbers of the left are in the place of others of the right. Words are as written; `found` is from `aligned`."""
    in_left, in_right = ({word.lower() for word in side} for side in (left, right))

    def facts(side, others):
        return sum(word.lower() not in others and any(c.isupper() or c.isdigit() for c in word) for word in side)

    count, before, place = 0, 0, 0  # the last two: what follows the words that were found last
    for at, where in enumerate([*found, len(right)]):
        if where is not None:
            if before < at and place < where and facts(right[place:where], in_left):
                count += facts(left[before:at], in_right)
            before, place = at + 1, where + 1
    return count


def compared(documents):
    """For each document: what contains it, what may, and how many of its words are its own."""
    written = [WORD.findall(text) for _, text in documents]
    sides = [[word.lower() for word in side] for side in written]
    same = defaultdict(list)
    for number, side in enumerate(sides):
        same[tuple(side)].append(number)

    def grams(side):
        return [hash(tuple(side[at : at + GRAM])) for at in range(len(side) - GRAM + 1)]

    times = Counter(gram for side in same for gram in set(grams(side)))
    holders = defaultdict(list)  # texts that hold a 5-gram of few; the first of those with the same words
    for side, numbers in same.items():
        for gram in set(grams(side)):
            if 1 < times[gram] <= COMMON:
                holders[gram].append(numbers[0])
    for number, side in enumerate(sides):
        shared = [False] * len(side)
        votes = Counter()
        for at, gram in enumerate(grams(side)):
            if times[gram] > COMMON:
                shared[at : at + GRAM] = [True] * GRAM
            votes.update(holders.get(gram, ()))
        own = [at for at, common in enumerate(shared) if not common]
        copies = [other for other in same[tuple(side)] if other != number]
        unclear, best = [], (0.0, "")
        for other, _ in votes.most_common(CANDIDATES + 1) if own else ():
            # A text that contains so much of another shares at least so many 5-grams with it, even if one word in four differs.
            if sides[other] == side or votes[other] < LEAST * len(own):
                continue
            found = aligned(side, sides[other])
            share = sum(found[at] is not None for at in own) / len(own)
            whole = sum(place is not None for place in found) / len(found)
            best = max(best, (share, documents[other][0]))
            facts = other_facts(written[number], written[other], found) if share >= UNCLEAR else 0
            if facts >= FACTS * len(own):
                continue
            if share >= CONTAINED and whole >= CONTAINED and not facts:
                copies += same[tuple(sides[other])]
            elif share >= UNCLEAR:
                unclear += same[tuple(sides[other])]
        yield {
            "id": documents[number][0],
            "words": len(side),
            "own": len(own),
            "copy_of": [documents[other][0] for other in copies],
            "unclear": [documents[other][0] for other in unclear],
            "best": best[1],
            "share": round(best[0], 3),
        }


# ---------------------------------------------------------------- scores


def partner(row):
    """The document that a removed one is said to be a copy of."""
    evidence = row.get("evidence", {})
    for value in (evidence, *evidence.values()):
        if isinstance(value, dict) and "document" in value:
            return value["document"]
    return None


def around(block, other, places):
    """The part of a text in which most 3-grams of a block are."""
    size = max(len(block), 20)
    votes = Counter()
    for at, gram in enumerate(zip(block, block[1:], block[2:])):
        votes.update({(place - at) // size for place in places.get(gram, ())})
    if not votes:
        return 0, 0
    near = max(votes, key=lambda step: (votes[step] + votes[step + 1], -step))
    return max(0, (near - 1) * size), min(len(other), (near + 4) * size)


class Blocks:
    """Words of blocks removed rightly and wrongly."""

    def __init__(self, documents, removed):
        written = {document["id"]: WORD.findall(document["text"]) for document in documents}
        self.words = sum(map(len, written.values()))
        self.removed = self.wrong = self.unclear = 0
        self.examples = []
        by_source = defaultdict(list)
        for row in removed:
            by_source[partner(row)].append(row)
        for source, blocks in by_source.items():
            other = written.get(source, ())
            small = [word.lower() for word in other]
            places = defaultdict(list)
            for at, gram in enumerate(zip(small, small[1:], small[2:])):
                places[gram].append(at)
            text = f" {' '.join(small)} "
            for row in blocks:
                block = WORD.findall(row["text"])
                self.removed += len(block)
                lower = [word.lower() for word in block]
                if f" {' '.join(lower)} " not in text:
                    self.judge(row, block, lower, other, small, places)

    def judge(self, row, block, lower, other, small, places):
        if not other or len(block) < 3:  # beside copies, without a source of its own
            self.unclear += len(block)
            return
        start, end = around(lower, small, places)
        found = aligned(lower, small[start:end])
        share = sum(place is not None for place in found) / len(found)
        if share < LEAST_OF_BLOCK or other_facts(block, other[start:end], found) >= max(1, FACTS * len(block)):
            self.wrong += len(block)
            self.examples.append(row | {"found": round(share, 3)})
        elif share < UNCLEAR:
            self.unclear += len(block)

    def wrong_share(self):
        """Of the words that are no copies."""
        return 100 * self.wrong / max(1, self.words - self.removed + self.wrong)


class Scores:
    """Documents removed rightly and wrongly."""

    def __init__(self):
        self.documents = self.others = self.removed = self.unclear = self.copies = self.found = 0
        self.wrong = []

    def add(self, known, removed):
        """removed: ids."""
        earlier = set()
        self.documents += len(known)
        for document in known:
            name = document["id"]
            # Copies of an earlier document are to be found; which of two the first is, the order says.
            due = any(other in earlier for other in document["copy_of"])
            earlier.add(name)
            self.others += not document["copy_of"]
            self.copies += due
            self.found += due and name in removed
            if name not in removed:
                continue
            self.removed += 1
            if any(other not in removed for other in document["copy_of"]):
                continue
            if document["own"] < NOTHING * document["words"] or any(other not in removed for other in document["unclear"]):
                self.unclear += 1
            else:
                self.wrong.append(document)

    def wrong_share(self):
        return 100 * len(self.wrong) / self.others

    def recall(self):
        return 100 * self.found / self.copies if self.copies else float("nan")


def place(data, held):
    folder = data / "real" / f"{'held' if held else 'dev'}-{RECIPE}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def prepared(refrain, data, held):
    """The collections that can be made here: name, and the files of texts and of what is known of them."""
    files = ((name, made(name, make, place(data, held))) for name, make in collections(refrain, data, held))
    return {name: found for name, found in files if found}


def measure(refrain, prepared, removed_by):
    """Scores of the documents removed, and the share of words removed from blocks. Lists what was removed wrongly."""
    found = {}
    for name, (texts, known) in prepared.items():
        scores = Scores()
        removed = {row["id"]: row for row in removed_by(refrain, texts, "--by", "document")[0]}
        scores.add(list(map(json.loads, lines(known))), removed)
        scores.blocks = Blocks(list(map(json.loads, lines(texts))), removed_by(refrain, texts)[0])
        found[name] = scores
        with texts.with_name(f"{name}.wrong-blocks.jsonl").open("w", encoding="utf-8") as file:
            for block in scores.blocks.examples:
                put(file, block)
        with texts.with_name(f"{name}.wrong.jsonl").open("w", encoding="utf-8") as file:
            for document in scores.wrong:
                put(file, {**document, "evidence": removed[document["id"]].get("evidence")})
    return found


def report(found, folder, record):
    print()
    print(f"{'real collections, by document':32}{'documents':>10}{'removed':>9}{'wrong':>7}{'wrong %':>9}{'unclear':>9}", end="")
    print(f"{'copies':>8}{'found %':>9}   words by block: removed %, wrong %, unclear %")
    for name, scores in found.items():
        blocks = scores.blocks
        removed, unclear = (100 * count / blocks.words for count in (blocks.removed, blocks.unclear))
        print(
            f"  {name:30}{scores.documents:10}{scores.removed:9}{len(scores.wrong):7}{scores.wrong_share():9.2f}{scores.unclear:9}"
            f"{scores.copies:8}{scores.recall():9.2f}{removed:28.2f}{blocks.wrong_share():9.2f}{unclear:11.2f}"
        )
        record.add("refrain", name, "documents wrong %", scores.wrong_share())
        record.add("refrain", name, "copies removed %", scores.recall())
        record.add("refrain", name, "words removed by block %", removed)
        record.add("refrain", name, "words removed by block, wrong %", blocks.wrong_share())
    print("wrong: no kept document contains it, by a slow comparison word by word; listed in")
    print(f"{folder.relative_to(ROOT)}/NAME.wrong.jsonl and NAME.wrong-blocks.jsonl. wrong %: of the documents, or words, that are no copies.")
    print("copies: documents that an earlier one contains")
