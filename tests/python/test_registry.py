"""The registry file and the vertical file, read as corpus managers document them: NoSketch Engine and the IMS Corpus
Workbench cannot be installed here. What this reader counts is what the Parquet file of the same documents says."""

import gzip
import re
import shlex
from collections import Counter
from urllib.parse import urlsplit

import pyarrow.parquet as pq
import pytest
from cli import SAMPLES, refrain

CRAWL = SAMPLES / "crawl.warc.gz"
NAME = r"[A-Za-z_][A-Za-z0-9_]*"
ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'", "&#10;": "\n", "&amp;": "&"}


def unescape(text):
    """The five entities of XML, each once."""
    return re.sub("&(?:lt|gt|quot|apos|#10|amp);", lambda found: ENTITIES[found[0]], text)


# --- the registry: words, strings in quotation marks, blocks in braces, comments ------------------------------------

SIGN = re.compile(r'\s+|#[^\n]*|(?P<string>"[^"]*")|(?P<brace>[{}])|(?P<word>[^\s"{}#]+)')


def signs(text):
    at = 0
    while at < len(text):
        found = SIGN.match(text, at)
        assert found, f"no sign of a registry at {text[at : at + 20]!r}"
        at = found.end()
        if found["string"] or found["brace"] or found["word"]:
            yield found[0]


def block(source, is_inner):
    """Options, attributes and structures up to the end of a block."""
    options, attributes, structures = {}, {}, {}
    waiting = next(source, None)
    while waiting not in (None, "}"):
        key = waiting
        assert re.fullmatch(NAME, key), key
        value = next(source).strip('"')
        waiting = next(source, None)
        inner = ({}, {}, {})
        if key in ("ATTRIBUTE", "STRUCTURE"):
            assert re.fullmatch(NAME, value), value
            if waiting == "{":
                inner = block(source, True)
                waiting = next(source, None)
        if key == "ATTRIBUTE":
            assert value not in attributes
            attributes[value] = inner[0]
        elif key == "STRUCTURE":
            assert value not in structures and not is_inner
            structures[value] = inner
        else:
            assert key not in options, key
            options[key] = value
    assert (waiting == "}") == is_inner
    return options, attributes, structures


def registry(path):
    return block(signs(path.read_text(encoding="utf-8")), False)


# --- the vertical file: a token with its columns on each line, or a tag --------------------------------------------

TAG = re.compile(rf'<(?P<name>{NAME})(?P<attributes>( {NAME}="[^"<>]*")*)(?P<empty>/?)>')


def vertical(text, declared):
    """The documents: attributes, and pairs of a token and whether it is glued to the one before. Every line is checked
    against the registry."""
    _, positional, structures = declared
    documents, open_tags, glued = [], [], False
    for line in text.split("\n")[:-1]:
        if line.startswith("</"):
            assert open_tags.pop() == line[2:-1], line
        elif line.startswith("<"):
            tag = TAG.fullmatch(line)
            assert tag, line
            options, attributes, _ = structures[tag["name"]]
            values = dict(re.findall(rf'({NAME})="([^"]*)"', tag["attributes"]))
            assert set(values) <= set(attributes), line
            if tag["empty"]:
                glued = tag["name"] == "g"
                continue
            assert tag["name"] not in open_tags or options.get("NESTED") == "1", line
            open_tags.append(tag["name"])
            if tag["name"] == "doc":
                documents.append(({name: unescape(value) for name, value in values.items()}, []))
        else:
            columns = line.split("\t")
            assert 1 <= len(columns) <= len(positional) and columns[0], line
            assert "<" not in columns[0] and not re.search("&(?!(?:lt|gt|quot|apos|#10|amp);)", columns[0]), line
            documents[-1][1].append((unescape(columns[0]), glued))
            glued = False
    assert not open_tags
    return documents


def text_of(tokens):
    return "".join(token if glued else " " + token for token, glued in tokens)


# --- tests ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("registry")
    refrain("corpus", CRAWL, "-o", folder / "corpus", "--quiet")
    refrain("convert", folder / "corpus", "-o", folder / "crawl.vert", "--registry", "--quiet")
    refrain("convert", folder / "corpus", "-o", folder / "crawl.parquet", "--quiet")
    return folder


@pytest.fixture(scope="module")
def documents(files):
    declared = registry(files / "crawl.registry")
    return vertical((files / "crawl.vert").read_text(encoding="utf-8"), declared)


@pytest.fixture(scope="module")
def rows(files):
    return pq.read_table(files / "crawl.parquet").to_pylist()


def test_the_registry_describes_the_file(files):
    options, positional, structures = registry(files / "crawl.registry")
    # Half of the documents are English, which is not most of them.
    assert options == {
        "NAME": "crawl",
        "PATH": f"{files}/crawl.data/",
        "VERTICAL": str(files / "crawl.vert"),
        "ENCODING": "UTF-8",
        "DEFAULTATTR": "word",
        "DOCSTRUCTURE": "doc",
    }
    assert list(positional) == ["word"]
    assert {"doc", "p", "g"} <= set(structures)
    assert {"id", "url", "language", "origin", "title", "warc_date"} <= set(structures["doc"][1])
    assert structures["g"][0] == {"DISPLAYTAG": "0", "DISPLAYBEGIN": "_EMPTY_"}


def test_documents_and_tokens_are_those_of_the_table(files, documents, rows):
    assert [attributes["id"] for attributes, _ in documents] == [row["id"] for row in rows]
    for (attributes, tokens), row in zip(documents, rows):
        assert text_of(tokens).split() == row["text"].split(), row["url"]
        assert attributes["url"] == row["url"] and attributes.get("language") == row["language"]
    counted = re.search(r'"tokens": (\d+)', refrain("stats", files / "corpus", "--json").split('"kept"')[1])
    assert sum(len(tokens) for _, tokens in documents) == int(counted[1])


def test_queries_give_what_the_table_says(documents, rows):
    words = Counter(token for _, tokens in documents for token, _ in tokens)
    pairs = Counter(
        (one, two) for _, tokens in documents for (one, _), (two, glued) in zip(tokens, tokens[1:]) if not glued
    )
    texts = [" ".join(row["text"].split()) for row in rows]
    count = lambda pattern: sum(len(re.findall(pattern, text)) for text in texts)  # noqa: E731
    assert words["lamp"] == count(r"\blamp\b") > 3
    assert pairs["the", "lamp"] == count(r"\bthe lamp\b") > 1
    host = "garten.example"
    found = [attributes["id"] for attributes, _ in documents if urlsplit(attributes["url"]).hostname == host]
    assert found == [row["id"] for row in rows if urlsplit(row["url"]).hostname == host] and found


def test_reserved_signs_and_columns_come_through(tmp_path):
    (tmp_path / "in.jsonl").write_text(
        '{"id": "a \\"b\\" <c>", "text": "<doc> a < b && \\"c\\" &lt; </p>\\n\\n<g/> end", "title": "x > y & z\\n", "bad name": "no"}\n',
        encoding="utf-8",
    )
    refrain("convert", tmp_path / "in.jsonl", "-o", tmp_path / "signs.vert.gz", "--registry", "--quiet")
    declared = registry(tmp_path / "signs.registry")
    assert declared[0]["VERTICAL"] == f"| gzip -dc '{tmp_path}/signs.vert.gz'"
    text = gzip.decompress((tmp_path / "signs.vert.gz").read_bytes()).decode()
    ((attributes, tokens),) = vertical(text, declared)
    assert (attributes["id"], attributes["title"]) == ('a "b" <c>', "x > y & z ")
    assert text_of(tokens).split() == '<doc> a < b && "c" &lt; </p> <g/> end'.split()

    (tmp_path / "tagged.vert").write_text(
        '<doc id="1">\n<s n="1">\nlamps\tNNS\tlamp\n<g/>\n.\n</s>\n</doc>\n', encoding="utf-8"
    )
    refrain("convert", tmp_path / "tagged.vert", "-o", tmp_path / "again.vert", "--registry", "--quiet")
    declared = registry(tmp_path / "again.registry")
    assert list(declared[1]) == ["word", "column_2", "column_3"]
    assert vertical((tmp_path / "again.vert").read_text(encoding="utf-8"), declared)[0][1] == [("lamps", False), (".", True)]


def test_marks_may_nest(tmp_path):
    refrain("corpus", CRAWL, "-o", tmp_path / "marked", "--keep-marked", "--quiet")
    refrain("convert", tmp_path / "marked", "-o", tmp_path / "marked.vert", "--keep-marked", "--registry", "--quiet")
    declared = registry(tmp_path / "marked.registry")
    assert set(declared[2]["mark"][1]) == {"label", "pass"}
    assert vertical((tmp_path / "marked.vert").read_text(encoding="utf-8"), declared)


def test_the_command_of_the_workbench_declares_the_same(files):
    _, positional, structures = registry(files / "crawl.registry")
    comments = (files / "crawl.registry").read_text(encoding="utf-8").split("\n")
    (command,) = [line.lstrip("# ") for line in comments if "cwb-encode" in line]
    words = shlex.split(command)
    assert words[:3] == ["cwb-encode", "-f", str(files / "crawl.vert")] and "-xsB" in words
    pairs = list(zip(words, words[1:]))
    assert [name for option, name in pairs if option == "-P"] == list(positional)[1:]
    declared = {}
    for option, value in pairs:
        if option == "-S":
            name, rest = value.split(":")
            declared[name] = rest.split("+")[1:]
        elif option == "-0":
            declared[value] = []
    assert declared == {name: list(attributes) for name, (_, attributes, _) in structures.items()}
