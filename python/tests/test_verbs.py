"""Every verb, and the same results as the program."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from conftest import SAMPLES

import refrain


def command(*words: object, code: int = 0) -> str:
    line = [sys.executable, "-m", "refrain", *map(str, words)]
    done = subprocess.run(line, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done.stdout


def test_one_page() -> None:
    html = (SAMPLES / "pages/lighthouse.example/lens.html").read_text()
    page = refrain.extract(html, url="https://lighthouse.example/lens.html")
    assert page.text == command("extract", SAMPLES / "pages/lighthouse.example/lens.html").rstrip("\n")
    assert page.title and page.url == "https://lighthouse.example/lens.html"
    assert "# " in page.to_markdown() or page.to_markdown()
    assert [page.text[b.start : b.end] for b in page.blocks][0] == page.text.split("\n")[0]
    marked = refrain.extract(html, keep_marked=True)
    assert "<mark" in marked._repr_html_() and marked.marks[0].label == "boilerplate"
    assert refrain.extract(html.encode()).text == page.text


def test_one_text() -> None:
    data = "Příliš žluťoučký kůň úpěl ďábelské ódy. Včera večer přišel domů velmi pozdě.".encode("cp1250")
    decoded = refrain.decode(data)
    assert decoded.text.startswith("Příliš") and decoded.encoding == "windows-1250" and decoded.language == "cs"
    assert refrain.decode([data, b"plain"])[1].text == "plain"
    with pytest.raises(refrain.Error):
        refrain.decode(bytes(range(256)) * 50)


VERBS = [
    ("dedup", ["crawl.warc.gz"], {}),
    ("dedup", ["crawl.warc.gz"], {"unit": "document"}),
    ("quality", ["crawl.warc.gz"], {"quality": ["gopher"]}),
    ("convert", ["notes.zip"], {}),
    ("strip", ["books"], {}),
    ("template", ["site"], {}),
    ("extract", ["crawl.warc.gz"], {}),
]


@pytest.mark.parametrize("verb, names, options", VERBS)
def test_results_are_those_of_the_program(verb: str, names: list[str], options: dict, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    flags = [word for name, value in options.items() for word in (f"--{name}", *([value] if isinstance(value, str) else value))]
    if verb == "dedup":
        flags = ["--by", "document"] if options else []
    command(verb, *(SAMPLES / name for name in names), *flags, "-o", out, code=0)
    expected = [json.loads(line) for line in out.read_text().splitlines()]
    again = tmp_path / "again.jsonl"
    getattr(refrain, verb)([SAMPLES / name for name in names], again, **options)
    assert again.read_text() == out.read_text()
    table = getattr(refrain, verb)([SAMPLES / name for name in names], **options)
    assert table["text"].to_pylist() == [row["text"] for row in expected]


def test_decontaminate() -> None:
    item = "What light does the keeper lit at dusk show to the ships that come home in the fog of November?"
    rows = [{"text": "Other words entirely, about nothing in particular."}, {"text": f"Before it.\n\n{item}\n\nAfter it."}]
    clean = refrain.decontaminate(rows, [{"question": item}], text_field="text")
    assert item not in clean[-1]["text"]


def test_template_records() -> None:
    rows = refrain.template(SAMPLES / "site", by="host", records=True)
    expected = command("template", SAMPLES / "site", "--records", "--format", "jsonl")
    assert rows == [json.loads(line) for line in expected.splitlines()]


def test_compare_and_editions(tmp_path: Path) -> None:
    pairs = refrain.compare(SAMPLES / "essays", exclude=SAMPLES / "brief.md")
    assert [(pair["a"], pair["b"]) for pair in pairs][0] == ("anna", "bert") or len(pairs) == 3
    shown = pairs.pairs[0]._repr_html_()
    assert shown.count("<mark") >= 2
    texts = ["The keeper lit the lamp at dusk, and again when the fog came in from the sea to the harbour."] * 2
    assert len(refrain.compare(texts)) == 1
    books = refrain.editions(SAMPLES / "editions")
    assert len(books) > 0 and books.report["works"]
    refrain.compare(SAMPLES / "essays", tmp_path / "report/")
    assert (tmp_path / "report/report.html").exists()


def test_corpus(tmp_path: Path) -> None:
    result = refrain.corpus([str(SAMPLES / "crawl.warc.gz")], tmp_path / "corpus", lang="en")
    assert result.statistics == refrain.stats(tmp_path / "corpus")
    command("corpus", SAMPLES / "crawl.warc.gz", "-o", tmp_path / "other", "--lang", "en")
    assert refrain.stats(tmp_path / "other") == result.statistics
    assert "main content" in result._repr_html_()
    documents = list(refrain.read(tmp_path / "corpus"))
    assert {document.language for document in documents} == {"en"}


def test_read() -> None:
    documents = list(refrain.read(SAMPLES / "notes.zip"))
    assert documents and all(document.text for document in documents)
    reading = refrain.read(str(SAMPLES / "crawl.warc.gz"))
    assert next(reading).url
    reading.close()


def test_library(tmp_path: Path) -> None:
    library = refrain.Library(tmp_path / "library")
    library.add(SAMPLES / "essays")
    found = library.check(SAMPLES / "essays/anna.txt" if (SAMPLES / "essays/anna.txt").exists() else SAMPLES / "essays")
    assert found and found[0]["sources"]
    size = len(library)
    assert library.remove([next(iter(library)), "nobody"]) == ["nobody"]
    library.compact()
    library.verify()
    assert len(library) == size - 1


def test_failures() -> None:
    table = pa.table({"text": pa.array([b"good text", b"\xff\xfe\xff"]).cast(pa.binary())})
    bad = pa.Array.from_buffers(pa.string(), 2, table["text"].chunk(0).buffers())
    result = refrain.dedup(pa.table({"text": bad}), full=True)
    assert [failure.row for failure in result.failures] == [1]
    assert "UTF-8" in str(result.failures[0])
    assert result.documents["text"].to_pylist() == ["good text"]


def test_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    pairs = refrain.compare(SAMPLES / "essays", tmp_path / "report/")
    assert pairs.show() == tmp_path / "report/report.html"
    again = refrain.compare(SAMPLES / "essays")
    assert again.show().exists() and len(opened) == 2
