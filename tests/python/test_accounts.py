"""One command from web archives to a deduplicated corpus, whose figures are added up from its files."""

import json
import re
from collections import Counter, defaultdict
from io import BytesIO

import pyarrow.parquet
import pytest
import zstandard
from cli import SAMPLES, SHARED, json_lines, needs_shared, refrain
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

PAGES = 80
# What Unicode calls white space, as Rust does: Python has some control characters more.
WORD = re.compile(r"[^\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
# In the order in which they are applied, with the marks of each.
REASONS = {
    "boilerplate": lambda line: line["label"] == "boilerplate",
    "foreign": lambda line: line["label"] == "foreign",
    "quality": lambda line: line["label"] == "quality",
    "duplicates": lambda line: line["label"] == "duplicate" and line["pass"] == "exact",
    "near_duplicates": lambda line: line["label"] == "duplicate" and line["pass"] != "exact",
}


def of_samples():
    return [path.read_bytes() for path in sorted((SAMPLES / "pages").rglob("*.html"))]


def of_people():
    """Real pages."""
    with (SHARED / "web" / "pages.jsonl.zst").open("rb") as file:
        text = zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(file).read(64 << 20)
    pages = (json.loads(line) for line in text.split(b"\n")[:PAGES])
    return [page["html"].encode() for page in pages if "html" in page]


def write_archives(folder, pages):
    """Archives with pages, some of them twice, some nearly; records that hold no page; and one that is damaged."""
    first, second = folder / "first.warc.gz", folder / "second.warc.gz"
    content = Counter()

    def put(writer, address, body, kind="text/html"):
        headers = StatusAndHeaders("200 OK", [("Content-Type", kind)], protocol="HTTP/1.1")
        writer.write_record(writer.create_warc_record(address, "response", payload=BytesIO(body), http_headers=headers))
        content["response"] += 1

    with first.open("wb") as file:
        writer = WARCWriter(file)
        for number, page in enumerate(pages):
            put(writer, f"https://site{number % 7}.example/{number}", page)
            if number % 3 == 0:
                put(writer, f"https://copy.example/{number}", page)
        put(writer, "https://site0.example/picture.png", b"\x89PNG\r\n\x1a\n" + bytes(64), "image/png")
        put(writer, "https://site0.example/empty", b"<html><body></body></html>")
        writer.write_record(writer.create_warc_record("https://site0.example/1", "metadata", payload=BytesIO(b"a: b")))
        content["other"] += 1
    with second.open("wb") as file:
        writer = WARCWriter(file)
        for number, page in enumerate(pages[::2]):
            # The same text under a heading of its own is a near-duplicate.
            put(writer, f"https://near.example/{number}", page.replace(b"</h1>", b" again</h1>").replace(b"</title>", b" again</title>"))
    damaged = folder / "third.warc.gz"
    damaged.write_bytes(second.read_bytes()[:200])
    return [first, second, damaged], content


def lines_of(path):
    return json_lines(zstandard.ZstdDecompressor().stream_reader(path.read_bytes()).read().decode())


def removed_words(folder):
    """Words by reason: those that no earlier reason has, by their places in their documents."""
    marks, words = defaultdict(list), Counter()
    for path in sorted((folder / "removed").iterdir()):
        for line in lines_of(path):
            marks[line["id"], line.get("url")].append(line)
    for lines in marks.values():
        gone = set()
        for reason, applies in REASONS.items():
            new = {
                line["start"] + word.start() for line in lines if applies(line) for word in WORD.finditer(line["text"])
            } - gone
            words[reason] += len(new)
            gone |= new
    return words


@pytest.mark.parametrize("pages", [of_samples, pytest.param(of_people, marks=needs_shared)])
def test_what_was_read_is_what_was_kept_removed_and_failed(pages, tmp_path):
    archives, content = write_archives(tmp_path, pages())
    corpus = tmp_path / "corpus"
    refrain("corpus", *archives, "-o", corpus, "--lang", "en,cs,de", "--quality", "fineweb", "--quiet", failures=True)
    statistics = json.loads((corpus / "stats.json").read_text())
    total, items = statistics["total"], statistics["input"]

    # Items, and documents by what became of them.
    assert items["found"] == items["documents"] + sum(items["skipped"].values()) + items["failed"]
    assert items["documents"] + items["skipped"].get("image/png", 0) <= content["response"]
    assert len((corpus / "errors.jsonl").read_text().splitlines()) == statistics["failures"] > 0
    without_text = statistics["skipped"].get("document without text", 0)
    assert items["documents"] == total["downloaded"]["documents"] + without_text
    for unit in "documents", "words", "tokens":
        parts = {reason: total.get(reason, {}).get(unit, 0) for reason in REASONS}
        assert total["downloaded"][unit] == total["kept"][unit] + sum(parts.values()), (unit, parts)

    # Words, counted in the files.
    tables = [pyarrow.parquet.read_table(path) for path in sorted((corpus / "documents").iterdir())]
    texts = [text for table in tables for text in table["text"].to_pylist()]
    kept = sum(len(WORD.findall(text)) for text in texts)
    assert (len(texts), kept) == (total["kept"]["documents"], total["kept"]["words"])
    removed = removed_words(corpus)
    assert dict(removed) == {reason: total.get(reason, {}).get("words", 0) for reason in REASONS}
    assert kept + sum(removed.values()) == total["downloaded"]["words"]
    assert min(removed["boilerplate"], removed["duplicates"], removed["near_duplicates"]) > 0
    by_rule = sum(rule["words"] for rule in statistics["rules"].values())
    assert by_rule == sum(removed.values())
