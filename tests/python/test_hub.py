"""The folder for a hub of data sets, loaded by the library of Hugging Face."""

import os

import pytest
from cli import SAMPLES, json_lines, refrain

CRAWL = SAMPLES / "crawl.warc.gz"


@pytest.fixture(scope="module")
def datasets(tmp_path_factory):
    # Read when the library is imported: it must not use the network, nor the cache of the user.
    os.environ |= {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path_factory.mktemp("cache"))}
    import datasets

    datasets.disable_progress_bars()
    return datasets


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hub") / "pages"
    refrain("convert", CRAWL, "-o", f"{folder}/", "--format", "hf", "--shards", "3", "--quiet")
    return folder


@pytest.fixture(scope="module")
def rows():
    return {row["id"]: row for row in json_lines(refrain("convert", CRAWL, "--quiet"))}


def same_documents(split, rows):
    assert len(split) == len(rows)
    for document in split:
        row = rows[document["id"]]
        for name in ("url", "text", "language"):
            assert document[name] == row.get(name), name
        assert document["words"] == len(document["text"].split())


def test_the_files_load_as_parquet(datasets, hub, rows):
    files = [str(path) for path in sorted((hub / "data").iterdir())]
    same_documents(datasets.load_dataset("parquet", data_files=files, split="train"), rows)


def test_the_card_names_the_split(datasets, hub, rows):
    loaded = datasets.load_dataset(str(hub))
    assert list(loaded) == ["train"]
    same_documents(loaded["train"], rows)


def test_a_corpus_loads_from_its_parts(datasets, tmp_path):
    refrain("corpus", CRAWL, "-o", f"{tmp_path}/corpus/", "--quiet", "--row-group", "4K", "--zstd-level", "19")
    parts = [str(path) for path in (tmp_path / "corpus" / "documents").iterdir()]
    loaded = datasets.load_dataset("parquet", data_files=parts, split="train")
    rows = {row["id"]: row for row in json_lines(refrain("convert", tmp_path / "corpus", "--quiet"))}
    same_documents(loaded, rows)
    streamed = datasets.load_dataset("parquet", data_files=parts, split="train", streaming=True)
    assert [row["id"] for row in streamed] == [row["id"] for row in loaded]
