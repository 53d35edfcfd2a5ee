"""Every kind of table comes out as it came in."""

from __future__ import annotations

import datetime
import json

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest

import refrain

KEPT = [0, 1, 3, 4]


@pytest.fixture
def table(texts: list[str]) -> pa.Table:
    size = len(texts)
    return pa.table(
        {
            "name": pa.array([f"n{i}" for i in range(size)]).dictionary_encode(),
            "text": texts,
            "when": [datetime.datetime(2020, 1, 1 + i) for i in range(size)],
            "tags": [["a"] * i for i in range(size)],
            "text_length": pa.array(range(size), pa.int8()),
        }
    )


def kept(table: pa.Table) -> pa.Table:
    return table.take(KEPT)


def test_pyarrow(table: pa.Table) -> None:
    clean = refrain.dedup(table, unit="document")
    assert isinstance(clean, pa.Table)
    assert clean.schema == table.schema
    assert clean.to_pylist() == kept(table).to_pylist()


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
def test_kinds_of_text(table: pa.Table, kind: pa.DataType) -> None:
    given = table.set_column(1, "text", table["text"].cast(kind))
    clean = refrain.dedup(given, unit="document")
    assert clean.schema == given.schema
    assert clean["text"].to_pylist() == kept(table)["text"].to_pylist()


def test_dictionaries(table: pa.Table) -> None:
    given = table.set_column(1, "text", table["text"].dictionary_encode())
    clean = refrain.dedup(given, unit="document")
    assert clean["text"].to_pylist() == kept(table)["text"].to_pylist()


def test_slices_and_chunks(table: pa.Table) -> None:
    padded = pa.concat_tables([table.slice(5), table.slice(0, 2), table.slice(2, 1), table.slice(3), table.slice(0, 0)])
    given = padded.slice(1)
    assert given["text"].num_chunks > 1
    assert refrain.dedup(given, unit="document").to_pylist() == kept(table).to_pylist()


def test_nulls_and_empty_tables(table: pa.Table) -> None:
    given = pa.table({"text": pa.array([None, "one text", None])})
    assert refrain.dedup(given)["text"].to_pylist() == ["", "one text", ""]
    none = refrain.dedup(pa.table({"text": pa.array([None, None])}))
    assert none.num_rows == 2
    empty = refrain.dedup(table.slice(0, 0))
    assert empty.num_rows == 0 and empty.column_names == table.column_names


def test_readers_and_datasets(table: pa.Table, tmp_path) -> None:
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=2))
    result = refrain.dedup(reader, unit="document")
    assert isinstance(result, pa.RecordBatchReader)
    assert result.read_all().to_pylist() == kept(table).to_pylist()
    pa.parquet.write_table(table, tmp_path / "a.parquet")
    dataset = pa.dataset.dataset(tmp_path)
    assert refrain.dedup(dataset, unit="document").num_rows == 4


def test_streams_larger_than_memory(table: pa.Table, monkeypatch) -> None:
    monkeypatch.setattr(refrain._tables, "HELD", 100)
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=1))
    result = refrain.dedup(reader, unit="document").read_all()
    assert result.to_pylist() == kept(table).to_pylist()


def test_pandas(table: pa.Table) -> None:
    frame = table.to_pandas().set_index("name", drop=False)
    clean = refrain.dedup(frame, unit="document")
    assert isinstance(clean, pd.DataFrame)
    pd.testing.assert_frame_equal(clean, frame.iloc[KEPT])


def test_polars(table: pa.Table) -> None:
    frame = pl.from_arrow(table)
    clean = refrain.dedup(frame, unit="document")
    assert isinstance(clean, pl.DataFrame)
    assert clean.schema == frame.schema
    assert clean["text"].to_list() == kept(table)["text"].to_pylist()
    lazy = refrain.dedup(frame.lazy(), unit="document")
    assert isinstance(lazy, pl.LazyFrame) and lazy.collect().equals(clean)


def test_duckdb(table: pa.Table) -> None:
    relation = duckdb.from_arrow(table)
    clean = refrain.dedup(relation, unit="document")
    assert isinstance(clean, duckdb.DuckDBPyRelation)
    assert clean.fetchall() == duckdb.from_arrow(kept(table)).fetchall()


def test_lists(texts: list[str]) -> None:
    assert refrain.dedup(texts, unit="document") == [texts[i] for i in KEPT]
    assert refrain.dedup((text for text in texts), unit="document") == [texts[i] for i in KEPT]
    rows = [{"text": text, "n": i, "more": {"a": [1]}} for i, text in enumerate(texts)]
    assert refrain.dedup(rows, unit="document") == [rows[i] for i in KEPT]
    assert refrain.dedup([]) == []


def test_paths(texts: list[str], tmp_path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps({"id": str(i), "text": t}) + "\n" for i, t in enumerate(texts)))
    for given in (path, str(path), [path]):
        clean = refrain.dedup(given, unit="document")
        assert isinstance(clean, pa.Table) and clean["id"].to_pylist() == [str(i) for i in KEPT]
    result = refrain.dedup(path, tmp_path / "out.jsonl", unit="document")
    assert result.documents is None and result.report["documents_kept"] == 4
    with pytest.raises(refrain.InputError, match="pathlib"):
        refrain.dedup([str(path)])


def test_other_columns(texts: list[str]) -> None:
    given = pa.table({"body": texts, "key": [f"k{i}" for i in range(len(texts))]})
    result = refrain.dedup(given, text_field="body", id_field="key", unit="document", full=True, removed=True)
    assert result.documents.column_names == ["body", "key"]
    assert [mark["id"] for mark in result.removed] == ["k2", "k5"]


def test_marks(texts: list[str]) -> None:
    """Marks can be exploded, and their offsets count code points."""
    given = pa.table({"text": ["Grüße 😀.\n\n" + texts[0], texts[1] + "\n\n" + texts[0]]})
    marked = refrain.dedup(given, keep_marked=True)
    assert marked["text"].to_pylist() == given["text"].to_pylist()
    rows = pl.from_arrow(marked).explode("marks").unnest("marks").drop_nulls("start").to_dicts()
    assert [set(row) for row in rows] == [{"text", "start", "end", "label", "pass", "evidence"}]
    assert rows[0]["text"][rows[0]["start"] : rows[0]["end"]] == texts[0]
    assert rows[0]["label"] == "duplicate" and json.loads(rows[0]["evidence"])["repeats"]["document"] == "0"
    frame = refrain.dedup(given.to_pandas(), keep_marked=True).explode("marks").dropna(subset="marks")
    assert frame["marks"].tolist()[0]["start"] == rows[0]["start"]
    listed = refrain.dedup(given["text"].to_pylist(), keep_marked=True)
    assert [len(item["marks"]) for item in listed] == [0, 1]


def test_pages_of_a_table() -> None:
    from conftest import SAMPLES

    page = (SAMPLES / "pages/lighthouse.example/lens.html").read_text()
    one = refrain.extract(page)
    for given in (pa.table({"text": [page]}), pa.table({"text": [page.encode()]})):
        many = refrain.extract(given)
        assert many["text"].to_pylist() == [one.text]
        assert many["title"].to_pylist() == [one.title]
    assert refrain.extract([page]) == [one.text]
    assert refrain.extract([page.encode()]) == [one.text]
