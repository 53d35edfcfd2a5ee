"""What refrain writes, read by others."""

import hashlib
import html
import io
import json
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from cli import SAMPLES, json_lines, refrain

CRAWL = SAMPLES / "crawl.warc.gz"
PAGES = 24
DISTINCT_PAGES = 22


def make_corpus(folder, *options):
    refrain("corpus", CRAWL, "-o", folder, "--quiet", *options)
    return folder


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return make_corpus(tmp_path_factory.mktemp("corpus") / "plain")


@pytest.fixture(scope="module")
def marked_corpus(tmp_path_factory):
    return make_corpus(tmp_path_factory.mktemp("corpus") / "marked", "--keep-marked")


def manifest(folder):
    return json.loads((folder / "manifest.json").read_text(encoding="utf-8"))


def table(folder):
    return pa.concat_tables(pq.read_table(folder / part["path"]) for part in manifest(folder)["parts"])


def removed(folder):
    """All removed ranges."""
    ranges = []
    for part in manifest(folder)["removed"]:
        with (folder / part["path"]).open("rb") as file:
            stream = io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(file), encoding="utf-8", newline="\n")
            ranges += json_lines(stream.read())
    return ranges


def test_parts_are_tables_with_the_documented_schema(corpus):
    expected = pa.schema(
        [
            pa.field("id", pa.string(), nullable=False),
            pa.field("url", pa.string()),
            pa.field("language", pa.string()),
            pa.field("encoding", pa.string()),
            pa.field("origin", pa.string()),
            pa.field("words", pa.int64(), nullable=False),
            pa.field("text", pa.string(), nullable=False),
            pa.field("meta", pa.string()),
        ]
    )
    assert table(corpus).schema.remove_metadata() == expected


def test_rows_are_the_distinct_pages(corpus):
    rows = table(corpus).to_pylist()
    assert len(rows) == DISTINCT_PAGES
    assert len({row["id"] for row in rows}) == DISTINCT_PAGES
    for row in rows:
        assert row["text"].strip(), row["url"]
        assert row["words"] == len(row["text"].split()), row["url"]
        assert row["url"].startswith(("https://lighthouse.example/", "https://garten.example/"))
        assert row["origin"] == str(CRAWL)
        meta = json.loads(row["meta"])
        assert meta["content_type"] == "text/html" and meta["warc_date"], row["url"]


def test_columns_can_be_grouped(corpus):
    counts = table(corpus).group_by("language").aggregate([("id", "count")]).to_pylist()
    assert {row["language"]: row["id_count"] for row in counts} == {"en": 11, "de": 4, "cs": 3, "fr": 2, "el": 2}


def test_manifest_describes_the_files(corpus, marked_corpus):
    for folder in corpus, marked_corpus:
        listed = manifest(folder)["parts"] + manifest(folder)["removed"]
        for part in listed:
            content = (folder / part["path"]).read_bytes()
            assert part["bytes"] == len(content), part["path"]
            assert part["sha256"] == hashlib.sha256(content).hexdigest(), part["path"]
        on_disk = {str(path.relative_to(folder)) for path in folder.rglob("part-*")}
        assert on_disk == {part["path"] for part in listed}
        inputs = (folder / "inputs.tsv").read_bytes()
        assert manifest(folder)["inputs"]["sha256"] == hashlib.sha256(inputs).hexdigest()
        assert sum(part["documents"] for part in manifest(folder)["parts"]) == table(folder).num_rows
        assert json.loads((folder / "stats.json").read_text()) == manifest(folder)["statistics"]


def test_removed_ranges_are_code_points_of_the_marked_text(corpus, marked_corpus):
    pages = {row["id"]: row for row in table(marked_corpus).to_pylist()}
    assert len(pages) == PAGES
    ranges = removed(corpus)
    assert ranges == removed(marked_corpus)
    assert any(not pages[cut["id"]]["text"][: cut["start"]].isascii() for cut in ranges), "bytes would pass, too"
    for cut in ranges:
        assert pages[cut["id"]]["text"][cut["start"] : cut["end"]] == cut["text"]
        assert cut["label"] in {"boilerplate", "duplicate"} and cut["pass"] and cut["evidence"]


def test_marks_in_the_table_are_the_removed_ranges(marked_corpus):
    marks = [
        {"id": row["id"], "url": row["url"], **mark, "evidence": json.loads(mark["evidence"])}
        for row in table(marked_corpus).to_pylist()
        for mark in row["marks"]
    ]
    assert marks == [{key: cut[key] for key in cut if key not in ("text", "document_words", "document_blocks")} for cut in removed(marked_corpus)]


def test_byte_offsets_are_bytes(tmp_path):
    folder = make_corpus(tmp_path / "corpus", "--keep-marked", "--offsets", "bytes")
    pages = {row["id"]: row["text"].encode() for row in table(folder).to_pylist()}
    for cut in removed(folder):
        assert pages[cut["id"]][cut["start"] : cut["end"]].decode() == cut["text"]


def test_kept_text_is_marked_text_without_its_marks(corpus, marked_corpus):
    kept = {row["id"]: row["text"] for row in table(corpus).to_pylist()}
    for row in table(marked_corpus).to_pylist():
        rest = list(row["text"])
        for mark in row["marks"]:
            rest[mark["start"] : mark["end"]] = [""] * (mark["end"] - mark["start"])
        assert "".join(rest).split() == kept.get(row["id"], "").split(), row["url"]


def test_jsonl_parts_hold_what_the_tables_hold(corpus, tmp_path):
    folder = make_corpus(tmp_path / "corpus", "--format", "jsonl.zst")
    documents = []
    for part in manifest(folder)["parts"]:
        with (folder / part["path"]).open("rb") as file:
            documents += json_lines(zstandard.ZstdDecompressor().stream_reader(file).read().decode())
    rows = table(corpus).to_pylist()
    for name in "id", "url", "language", "encoding", "origin", "text":
        assert [document.get(name) for document in documents] == [row[name] for row in rows], name


ATTRIBUTE = r' [A-Za-z][A-Za-z0-9_]*="[^"<>]*"'
OPENING = re.compile(rf"<(doc|p)((?:{ATTRIBUTE})*)>")


def parse_vertical(vertical):
    """Documents as attributes and paragraphs of (token, glued). A strict reader: whatever is odd is an error."""
    documents, paragraph, glued = [], None, False
    inside = []
    assert vertical.endswith("\n")
    for line in vertical[:-1].split("\n"):
        if opening := OPENING.fullmatch(line):
            name, attributes = opening.groups()
            assert inside == {"doc": [], "p": ["doc"]}[name], line
            inside.append(name)
            if name == "doc":
                pairs = re.findall(r' ([A-Za-z0-9_]+)="([^"]*)"', attributes)
                assert len(pairs) == len(dict(pairs)), "an attribute stands twice"
                documents.append(({key: html.unescape(value) for key, value in pairs}, []))
            else:
                paragraph = []
                documents[-1][1].append(paragraph)
        elif line in ("</p>", "</doc>"):
            assert not glued and inside.pop() == line[2:-1]
        elif line == "<g/>":
            assert inside == ["doc", "p"] and paragraph and not glued
            glued = True
        else:
            assert inside == ["doc", "p"] and line and not line.startswith("<"), repr(line)
            assert not re.search(r"\s", line), repr(line)
            paragraph.append((line.replace("&lt;", "<").replace("&amp;", "&"), glued))
            glued = False
    assert not inside
    return documents


def joined(paragraphs):
    return "\n\n".join(
        "".join(token if glued or not i else " " + token for i, (token, glued) in enumerate(paragraph))
        for paragraph in paragraphs
    )


@pytest.mark.parametrize("name", ["notes.zip", "notes.jsonl", "crawl.warc.gz", "pages"])
def test_vertical_parses_and_holds_the_text(name, tmp_path):
    refrain("convert", SAMPLES / name, "-o", tmp_path / "out.vert")
    documents = parse_vertical((tmp_path / "out.vert").read_bytes().decode())
    plain = json_lines(refrain("convert", SAMPLES / name))
    assert [attributes["id"] for attributes, _ in documents] == [document["id"] for document in plain]
    for (attributes, paragraphs), document in zip(documents, plain, strict=True):
        assert joined(paragraphs).split() == document["text"].split(), attributes["id"]


def test_vertical_survives_text_that_looks_like_markup(tmp_path):
    text = 'a < b <g/> </doc> <doc id="x"> &amp; &lt; <p>'
    source = tmp_path / "odd.jsonl"
    source.write_text(json.dumps({"id": 'q"<&>', "text": text, "note": "line\nline"}) + "\n", encoding="utf-8")
    ((attributes, paragraphs),) = parse_vertical(refrain("convert", source, "--format", "vertical"))
    assert attributes["id"] == 'q"<&>' and attributes["note"] == "line line"
    assert joined(paragraphs) == text
    (document,) = json_lines(refrain("convert", source))
    assert document["text"] == text
