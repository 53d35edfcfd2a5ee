"""Collections of different kinds for plan.py.

grown     the collection of `make bench-dedup`, grown by `refrain-bench grow`
web       the main text of web pages, from `refrain extract`, grown in the same way
html      these pages as they are, with their markup
tiny      documents of one sentence
long      documents of 10 MB each
copies    documents of which most are edited copies of earlier ones
docs      a folder of HTML documentation with many small files
held      what no rule was chosen on: a folder of source code (code), electronic books, one file each (books)
"""

import json
import os
import random
import re
import subprocess
import tarfile
from pathlib import Path

import extract
from dedup import PLAIN
from extract import lines, run
from read import ROOT

SHARED = ROOT.parent / "shared" / "data"
BOOKS = SHARED / "books" / "editions.tar.zst"
DOCS = "share/doc"
SENTENCE = re.compile(r"(?<=[.!?])\s+")
LONG = 10_000_000  # bytes
EDITED = 0.02  # words that a copy changes
COPIES = 0.7  # documents that are copies

TUNED = ("grown", "web", "html", "tiny", "long", "copies", "docs")
HELD = ("code", "books")


def grow(bench, source, path, words):
    run([bench, "grow", source, path, "--words", str(words)], 1)
    return path


def put(path, documents):
    with path.open("w", encoding="utf-8") as file:
        for number, text in enumerate(documents):
            file.write(json.dumps({"id": str(number), "text": text}, ensure_ascii=False) + "\n")
    return path


def texts(path):
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)["text"]


def until(words, documents):
    """Documents, up to a number of words."""
    for text in documents:
        if words <= 0:
            return
        words -= len(text.split())
        yield text


def pages():
    """The fields of web pages, as JSONL."""
    plain = PLAIN.parent / "pages.jsonl"
    if not plain.is_file():
        with plain.open("w", encoding="utf-8") as file:
            kept = (json.loads(line) for line in lines(extract.PAGES))
            file.writelines(json.dumps({key: page[key] for key in ("id", "html")}) + "\n" for page in kept if "html" in page)
    return plain


def joined(documents):
    """Documents of about 10 MB."""
    some, size = [], 0
    for text in documents:
        some.append(text)
        size += len(text)
        if size >= LONG:
            yield "\n\n".join(some)
            some, size = [], 0
    if some:
        yield "\n\n".join(some)


def edited(documents):
    """Documents, most of which are copies of one of the last thousand, with some words of the last ones instead of their own."""
    chance, last = random.Random(1), []
    for text in documents:
        if len(last) == 1000 and chance.random() < COPIES:
            words = chance.choice(last).split(" ")
            others = text.split(" ")
            for at in range(len(words)):
                if chance.random() < EDITED and "\n" not in words[at]:
                    words[at] = chance.choice(others).strip() or words[at]
            text = " ".join(words)
        else:
            if len(last) == 1000:
                last.pop(chance.randrange(1000))
            last.append(text)
        yield text


def books():
    """A folder of books, one file each."""
    folder = PLAIN.parent / "books"
    if not folder.is_dir():
        folder.mkdir()
        with subprocess.Popen(["zstd", "-dc", "--long=27", BOOKS], stdout=subprocess.PIPE) as process:
            with tarfile.open(fileobj=process.stdout, mode="r|") as archive:
                archive.extractall(folder, filter="data")
    return folder


def documentation():
    """A folder of HTML documentation."""
    sysroot = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True, check=True).stdout.strip()
    folder = Path(sysroot, DOCS, "rust", "html")
    return folder if folder.is_dir() else Path("/usr") / DOCS


def sources():
    """A folder of source code."""
    return Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo")) / "registry" / "src"


def collection(kind, words, work, refrain, bench):
    """Makes a collection. Returns the arguments that name it, and the files to delete afterwards."""
    path, grown = work / f"{kind}.jsonl", work / "grown.jsonl"
    if kind == "docs":
        return [documentation()], []
    if kind == "code":
        return [sources(), "--text-is", "text"], []
    if kind == "books":
        return [books()], []
    if kind == "html":
        return [pages(), "--text-field", "html", "--text-is", "text"], []
    if kind == "web":
        text = PLAIN.parent / "web.jsonl"
        if not text.is_file():
            run([refrain, "extract", pages(), "--text-field", "html", "--text-is", "html", "--fields", "id,text", "-o", text, "--quiet"], 1)
        return [grow(bench, text, path, words)], [path]
    grow(bench, PLAIN, grown, words)
    if kind == "grown":
        return [grown], [grown]
    if kind == "tiny":
        documents = (sentence for text in texts(grown) for sentence in SENTENCE.split(text))
    elif kind == "long":
        documents = joined(texts(grown))
    else:
        documents = edited(texts(grown))
    put(path, documents)
    grown.unlink()
    return [path], [path]
