"""The archives of corpus.py: real pages as WARC files, and the same pages with their words in other orders.

Pages come from web pages that people picked the main text of, pages with known dates, pages of sites, texts of the collection for
near-duplicates (as simple pages), and HTML documentation of Debian packages. Pages with the same bytes are written once.
"""

import base64
import hashlib
import html
import json
import re
import shutil
import sys
import uuid
import zlib
from multiprocessing import Pool

from extract import lines
from read import DATE, ROOT, gzip_member
from trust_real import unpacked

SHARED = ROOT.parent / "shared" / "data"
DATA = ROOT / "bench-data" / "corpus"

RECIPE = 2  # to be raised when the archives change
FILES = 16
GROWTH = 8
# Packages with HTML by different programs, in several languages.
PACKAGES = (
    "debian-handbook",
    "debian-reference-de",
    "debian-reference-fr",
    "developers-reference",
    "erlang-doc",
    "exim4-doc-html",
    "gimp-help-de",
    "gimp-help-en",
    "git-doc",
    "gnuplot-doc",
    "installation-guide-amd64",
    "libboost1.81-doc",
    "libglib2.0-doc",
    "lilypond-doc-html-fr",
    "maxima-doc",
    "nodejs-doc",
    "octave-doc",
    "postgis-doc",
    "postgresql-doc-15",
    "python-flask-doc",
    "python-scipy-doc",
    "python3.11-doc",
    "qtbase5-doc-html",
    "qtdeclarative5-doc-html",
    "sqlite3-doc",
)
TYPE = "WARC-Identified-Payload-Type: text/html\r\n"  # as in Common Crawl
RUN = re.compile(rb">([^<>]{60,})<")


# ---------------------------------------------------------------- pages: source, address, bytes, declared charset


def of_file(source, path):
    for page in map(json.loads, lines(path)):
        name = page.get("url") or f"https://{page.get('dataset', source)}.example/{page['id']}"
        if "html" in page:
            yield source, name, page["html"].encode(), "utf-8"
        elif "html_base64" in page:
            yield source, name, base64.b64decode(page["html_base64"]), page.get("charset")


def texts_as_pages():
    for document in map(json.loads, lines(SHARED / "dedup" / "base.jsonl.zst")):
        title = html.escape(document["id"])
        paragraphs = "".join(f"<p>{html.escape(text)}</p>\n" for text in document["text"].split("\n\n"))
        page = f"<!DOCTYPE html><html><head><title>{title}</title></head><body>\n<h1>{title}</h1>\n{paragraphs}</body></html>"
        yield "texts", f"https://{document['id'].split('/')[0]}.example/{document['id']}", page.encode(), "utf-8"


def of_package(package):
    folder = unpacked(package, DATA)
    for path in sorted(folder.rglob("*.htm*")) if folder else ():
        if path.is_file() and not path.is_symlink() and path.suffix in (".html", ".htm"):
            yield "debian", f"https://{package}.example/{path.relative_to(folder / 'usr')}", path.read_bytes(), None
    if folder:
        shutil.rmtree(folder)  # the package stays


def pages():
    for name in ("pages", "wcxb_dev", "dates_dev"):
        yield from of_file("web", SHARED / "web" / f"{name}.jsonl.zst")
    for path in sorted((SHARED / "sites" / "dev").glob("*.jsonl.zst")):
        if not path.name.startswith(("mix", "noise")):
            yield from of_file("sites", path)
    yield from texts_as_pages()
    for package in PACKAGES:
        yield from of_package(package)


# ---------------------------------------------------------------- archives


def record(kind, address, block):
    kind_of_block = f"application/http; msgtype={kind}"
    header = (
        f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, kind + address)}>\r\n"
        f"WARC-Date: {DATE}\r\nWARC-Target-URI: {address}\r\nContent-Type: {kind_of_block}\r\n"
        f"{TYPE if kind == 'response' else ''}Content-Length: {len(block)}\r\n\r\n"
    )
    return header.encode() + block + b"\r\n\r\n"


def response(body, charset):
    content_type = "text/html" + (f"; charset={charset}" if charset else "")
    return f"HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def make():
    """Writes the archives. Returns how many pages of which source they hold, and their bytes."""
    folder = DATA / "warc"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    files = [(folder / f"crawl-{number:02}.warc.gz").open("wb") for number in range(FILES)]
    seen, sources = set(), {}
    for source, address, body, charset in pages():
        digest = hashlib.sha256(body).digest()
        if digest in seen:
            continue
        seen.add(digest)
        address = re.sub(r"[^!-~]", "-", address)
        file = files[zlib.crc32(address.encode()) % FILES]
        file.write(gzip_member(record("request", address, b"GET / HTTP/1.1\r\n\r\n")))
        file.write(gzip_member(record("response", address, response(body, charset))))
        count = sources.setdefault(source, {"pages": 0, "bytes": 0})
        count["pages"] += 1
        count["bytes"] += len(body)
    for file in files:
        file.close()
    return sources


def other_order(step):
    """Every `step`-th word of a run of text, then those behind them, and so on: no n-gram stays what it was."""

    def shuffled(run):
        words = run[1].split()
        return b">" + b" ".join(b" ".join(words[first::step]) for first in range(step)) + b"<"

    return shuffled


def grow_file(path):
    """Writes copies of an archive whose pages have other text."""
    from warcio.archiveiterator import ArchiveIterator

    for copy in range(1, GROWTH):
        to = DATA / "grown" / f"{copy}-{path.name}"
        with path.open("rb") as file, to.with_suffix(".part").open("wb") as out:
            for read in ArchiveIterator(file):
                if read.rec_type != "response":
                    continue
                address = f"{read.rec_headers.get_header('WARC-Target-URI')}#{copy}"
                head = read.http_headers.get_header("Content-Type")
                body = RUN.sub(other_order(copy + 1), read.raw_stream.read())
                block = f"HTTP/1.1 200 OK\r\nContent-Type: {head}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
                packer = zlib.compressobj(1, wbits=31)
                out.write(packer.compress(record("response", address, block)) + packer.flush())
        to.with_suffix(".part").rename(to)


def prepare():
    """Makes the archives unless they are there. Returns what is in them."""
    note = DATA / "inputs.json"
    if note.is_file():
        known = json.loads(note.read_text())
        if known["recipe"] == RECIPE:
            return known
    print(f"making archives in {DATA.relative_to(ROOT)}/warc/ ...", file=sys.stderr)
    sources = make()
    made = {"recipe": RECIPE, "sources": sources} | {
        unit: sum(count[unit] for count in sources.values()) for unit in ("pages", "bytes")
    }
    note.write_text(json.dumps(made))
    return made


def archives():
    return sorted((DATA / "warc").glob("*.warc.gz"))


def grown():
    """The archives and their copies with other text, which are made if they are not there."""
    folder = DATA / "grown"
    folder.mkdir(exist_ok=True)
    missing = [path for path in archives() if not all((folder / f"{copy}-{path.name}").is_file() for copy in range(1, GROWTH))]
    if missing:
        print(f"making {GROWTH - 1} copies with other text in {folder.relative_to(ROOT)}/ ...", file=sys.stderr)
        with Pool(2) as pool:
            pool.map(grow_file, missing)
    return [*archives(), *sorted(folder.glob("*.warc.gz"))]


if __name__ == "__main__":
    print(json.dumps(prepare()))
    if "--grown" in sys.argv:
        print(len(grown()), "archives")
