"""What refrain sees in web archives, beside FastWARC and warcio. Some of the archives are broken on purpose."""

from collections import Counter
from dataclasses import dataclass, field

import pytest
from cli import SAMPLES, SHARED, json_lines, needs_shared, refrain
from fastwarc.warc import ArchiveIterator as FastWarcIterator
from warcio.archiveiterator import ArchiveIterator as WarcioIterator
from warcio.exceptions import ArchiveLoadFailed

ARCHIVES = SHARED / "charset" / "warc"
# Records that may hold a document. `refrain list` tells what is in them, not which of the three they are.
CONTENT = {"response", "resource", "conversion"}
DOCUMENT_TYPES = {"text/html", "text/plain"}


@dataclass
class Seen:
    """Records of an archive that a reader yields before it stops."""

    types: Counter = field(default_factory=Counter)
    # Pages and texts by record id: their decoded bodies (None where the reader does not decode), or only their sizes.
    documents: dict = field(default_factory=dict)
    failures: int = 0
    stopped: bool = False

    def record(self, kind):
        self.types["content" if kind in CONTENT else kind] += 1

    def document(self, kind, record_id, status, content_type, body):
        media_type = (content_type or "").split(";")[0].strip().lower()
        if kind in CONTENT and status.startswith("2") and media_type in DOCUMENT_TYPES and body != b"":
            self.documents[record_id.strip("<>").removeprefix("urn:uuid:")] = body


def by_refrain(path):
    seen = Seen()
    for item in json_lines(refrain("list", "--json", path, failures=True)):
        match item:
            case {"kind": "document"}:
                seen.record("response")
                seen.documents[item["id"]] = item["bytes"]
            case {"kind": "skipped", "reason": reason}:
                seen.record(reason.removeprefix("WARC ") if reason.startswith("WARC ") else "response")
            case {"kind": "failed"}:
                seen.failures += 1
    return seen


def by_fastwarc(path):
    """Bodies are left as they were sent: with decoding switched on, FastWARC 1.1.0 ends early without an error."""
    seen = Seen()
    with path.open("rb") as file:
        try:
            for record in FastWarcIterator(file, parse_http=True):
                body = record.reader.read()
                kind, http = str(record.record_type), record.http_headers
                seen.record(kind)
                if http is None:
                    seen.document(kind, record.record_id, "200", record.headers.get("Content-Type"), body)
                else:
                    encoded = http.get("Content-Encoding") or http.get("Transfer-Encoding")
                    status, content_type = str(http.status_code), http.get("Content-Type")
                    seen.document(kind, record.record_id, status, content_type, None if encoded else body)
        except OSError:
            seen.stopped = True
    return seen


def by_warcio(path):
    seen = Seen()
    with path.open("rb") as file:
        try:
            for record in WarcioIterator(file):
                body = record.content_stream().read()
                kind, http = record.rec_type, record.http_headers
                seen.record(kind)
                status = http.get_statuscode() if http else "200"
                content_type = http.get_header("Content-Type") if http else record.content_type
                seen.document(kind, record.rec_headers.get_header("WARC-Record-ID"), status, content_type, body)
        except ArchiveLoadFailed:
            seen.stopped = True
    return seen


READERS = {"fastwarc": by_fastwarc, "warcio": by_warcio}


@dataclass
class Difference:
    """Where two readers disagree: what refrain sees more (or, below zero, less) than the other."""

    why: str
    records: dict
    documents: int
    stopped: bool = True


DIFFERENCES = {
    ("crawl-broken.warc.gz", "fastwarc"): Difference(
        "FastWARC stops at the damaged gzip member, refrain goes on with the next one", {"request": 2, "content": 1}, 1
    ),
    ("crawl-broken.warc.gz", "warcio"): Difference(
        "warcio stops at the damaged gzip member, refrain goes on with the next one", {"request": 2, "content": 1}, 1
    ),
    ("example-bad-non-chunked.warc.gz", "warcio"): Difference(
        "warcio refuses several records in one gzip member",
        {"warcinfo": 1, "content": 1, "request": 2, "revisit": 1},
        1,
    ),
    ("example-bad.warc.gz.bad", "warcio"): Difference(
        "warcio refuses several records in one gzip member", {"content": 2, "request": 2, "revisit": 1}, 1
    ),
    ("example-trunc.warc", "fastwarc"): Difference(
        "a Content-Length that is two bytes short: FastWARC stops behind the record, refrain reports it and goes on",
        {"request": 1},
        0,
    ),
}
# Damaged records that refrain reports.
FAILURES = {"crawl-broken.warc.gz": 2, "example-trunc.warc": 1}


def archives():
    """All archives; one skipped stand-in for those that are not here."""
    paths = sorted(SAMPLES.glob("*.warc.gz")) + sorted(ARCHIVES.glob("*"))
    here = [pytest.param(path, id=path.name) for path in paths]
    return here if ARCHIVES.is_dir() else [*here, pytest.param(ARCHIVES, id="shared", marks=needs_shared)]


@pytest.fixture(scope="module", params=archives())
def archive(request):
    return request.param, by_refrain(request.param)


def test_failures_are_those_known(archive):
    path, ours = archive
    assert ours.failures == FAILURES.get(path.name, 0)


@pytest.mark.parametrize("reader", READERS)
def test_records_are_the_same_but_for_known_differences(archive, reader):
    path, ours = archive
    theirs = READERS[reader](path)
    known = DIFFERENCES.get((path.name, reader), Difference("none", {}, 0, stopped=False))
    more = {kind: ours.types[kind] - theirs.types[kind] for kind in ours.types | theirs.types}
    assert {kind: n for kind, n in more.items() if n != 0} == known.records, known.why
    assert theirs.stopped == known.stopped, known.why
    assert len(ours.documents) - len(theirs.documents) == known.documents, known.why


@pytest.mark.parametrize("reader", READERS)
def test_nothing_is_lost_without_a_word(archive, reader):
    path, ours = archive
    theirs = READERS[reader](path)
    missing = theirs.types - ours.types
    assert missing.total() <= ours.failures, f"refrain passes over {missing}"


@pytest.mark.parametrize("reader", READERS)
def test_bodies_have_the_same_size(archive, reader):
    path, ours = archive
    theirs = READERS[reader](path).documents
    sizes = {name: len(body) for name, body in theirs.items() if body is not None and name in ours.documents}
    assert sizes == {name: ours.documents[name] for name in sizes}


def test_texts_are_those_of_the_bodies(archive, tmp_path):
    """Bodies that warcio decoded, stored as files and converted, give the texts that the archive gives."""
    path, _ = archive
    texts = {document["id"]: document for document in json_lines(refrain("convert", path, failures=True))}
    stored = {}
    for name, body in by_warcio(path).documents.items():
        if name in texts and texts[name]["encoding"] == "UTF-8":
            form = "html" if texts[name]["content_type"] == "text/html" else "text"
            file = tmp_path / form / f"{name}.{form}"
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(body)
            stored[str(file)] = name
    for folder in tmp_path.iterdir():
        for document in json_lines(refrain("convert", folder, "--input-format", folder.name)):
            assert document["text"] == texts[stored.pop(document["id"])]["text"]
    assert not stored
