"""Outputs in the shapes of other programs, read as these read them."""

import gzip
import hashlib
import json
import re

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from cli import SAMPLES, json_lines, refrain
from fastwarc.warc import ArchiveIterator as FastArchive
from fastwarc.warc import WarcRecordType
from warcio.archiveiterator import ArchiveIterator

CRAWL = SAMPLES / "crawl.warc.gz"


@pytest.fixture(scope="module")
def rows():
    return {row["id"]: row for row in json_lines(refrain("convert", CRAWL, "--quiet"))}


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hub") / "pages"
    refrain("convert", CRAWL, "-o", f"{folder}/", "--format", "hf", "--shards", "3", "--quiet")
    return folder


def front_matter(text):
    """The YAML of a card, as far as cards have it: names, values, and lists of values or of names with values."""
    yaml = re.fullmatch(r"---\n(.*?)\n---\n.*", text, re.DOTALL)[1]
    found, key = {}, None
    for line in yaml.split("\n"):
        top = re.fullmatch(r"(\w+):(?: (.*))?", line)
        if top:
            key = top[1]
            found[key] = json.loads(top[2]) if top[2] else []
        else:
            found[key].append(re.sub(r"^ *(- )?|\"", "", line))
    return found


def test_the_files_of_a_hub_are_one_table(hub, rows):
    names = sorted(path.name for path in (hub / "data").iterdir())
    assert names == [f"train-{number:05}-of-00003.parquet" for number in range(3)]
    table = ds.dataset(hub / "data", format="parquet").to_table()
    assert {row["id"]: row["text"] for row in table.to_pylist()} == {id: row["text"] for id, row in rows.items()}
    sizes = [pq.read_table(hub / "data" / name)["text"].nbytes for name in names]
    assert max(sizes) < 1.5 * min(sizes)


def test_the_card_names_the_files_and_languages(hub, rows):
    card = front_matter((hub / "README.md").read_text(encoding="utf-8"))
    assert card["pretty_name"] == "pages"
    assert card.get("language", []) == sorted({row["language"] for row in rows.values() if "language" in row})
    assert card["size_categories"] == ["n<1K"]
    assert card["configs"] == ["config_name: default", "data_files:", "split: train", "path: data/train-*.parquet"]
    assert sorted(hub.glob("data/train-*.parquet")) == sorted((hub / "data").iterdir())


def test_the_metadata_describe_the_files(hub):
    metadata = json.loads((hub / "croissant.json").read_text(encoding="utf-8"))
    assert metadata["@type"] == "sc:Dataset" and metadata["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    assert {"cr", "sc", "dct", "recordSet", "field", "extract"} <= set(metadata["@context"])
    *files, collection = metadata["distribution"]
    for file in files:
        content = (hub / file["contentUrl"]).read_bytes()
        assert (file["@type"], file["sha256"]) == ("cr:FileObject", hashlib.sha256(content).hexdigest())
        assert file["contentSize"] == f"{len(content)} B"
    assert [{"@id": file["@id"]} for file in files] == collection["containedIn"]
    schema = pq.read_schema(hub / "data" / files[0]["name"])
    types = {"sc:Text": pa.string(), "sc:Integer": pa.int64()}
    (records,) = metadata["recordSet"]
    fields = [(field["name"], types[field["dataType"]]) for field in records["field"]]
    assert fields == [(field.name, field.type) for field in schema]
    for field in records["field"]:
        assert field["source"] == {"fileSet": {"@id": collection["@id"]}, "extract": {"column": field["name"]}}


def test_dolma_and_datatrove_have_their_fields(tmp_path, rows):
    refrain("convert", CRAWL, "-o", tmp_path / "dolma.jsonl.gz", "--format", "dolma", "--quiet")
    dolma = json_lines(gzip.decompress((tmp_path / "dolma.jsonl.gz").read_bytes()).decode())
    for document in dolma:
        assert set(document) <= {"id", "text", "source", "added", "created", "metadata"}
        row = rows[document["id"]]
        assert (document["text"], document["added"]) == (row["text"], row["warc_date"])
        assert document["metadata"]["url"] == row["url"]
    datatrove = json_lines(refrain("convert", CRAWL, "--format", "datatrove", "--quiet"))
    for document in datatrove:
        assert list(document) == ["text", "id", "media", "metadata"] and document["media"] == []
        assert document["metadata"] == {name: value for name, value in rows[document["id"]].items() if name not in document}
    assert len(dolma) == len(datatrove) == len(rows)


def test_wet_is_read_by_readers_of_web_archives(tmp_path, rows):
    path = tmp_path / "crawl.wet.gz"
    refrain("convert", CRAWL, "-o", path, "--quiet")
    texts = {}
    with path.open("rb") as file:
        for record in ArchiveIterator(file):
            assert record.rec_type == "conversion"
            refers = record.rec_headers.get_header("WARC-Refers-To").removeprefix("<urn:uuid:").removesuffix(">")
            texts[refers] = (record.rec_headers.get_header("WARC-Target-URI"), record.content_stream().read().decode())
    assert texts == {id: (row["url"], row["text"]) for id, row in rows.items()}
    with path.open("rb") as file:
        records = [record.record_id for record in FastArchive(file, record_types=WarcRecordType.conversion)]
    assert len(set(records)) == len(rows)
