"""Tables and texts of other libraries as sources, and results in the kind that came in."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from refrain import _refrain
from refrain._errors import Error, InputError
from refrain._results import Mark

if TYPE_CHECKING:
    from refrain._refrain import Outcome, Source

# The bytes of a stream that are held in memory; the rest is copied to a temporary file.
HELD = 256 << 20

# What `extract` finds out about a page, as columns.
PAGE_FIELDS = ("title", "author", "date", "site", "language", "canonical", "description", "kind")


class Reader(Protocol):
    """A kind of input."""

    source: Source

    def back(self, outcome: Outcome, text_field: str, marks: bool, fields: tuple[str, ...]) -> Any:
        """The documents in the kind of the input."""


class Files:
    """Files and folders by name. Their documents become a table of pyarrow."""

    def __init__(self, names: list[str]) -> None:
        self.source = _refrain.Source.paths(names)

    def back(self, outcome: Outcome, text_field: str, marks: bool, fields: tuple[str, ...]) -> Any:
        table = pyarrow().table(outcome.table())
        return table if marks or "marks" not in table.column_names else table.drop_columns(["marks"])


class Values:
    """Texts, bytes or dictionaries. The result is a list of the same."""

    def __init__(self, items: list[Any], text_field: str, needs_text: bool) -> None:
        self.items = items
        texts: list[Any] = []
        fields: list[str] | None = None
        if any(isinstance(item, Mapping) for item in items):
            fields = []
            for number, item in enumerate(items):
                if not isinstance(item, Mapping):
                    raise InputError(f"item {number} is {kind_of(item)}, and others are dictionaries")
                texts.append(item.get(text_field))
                rest = {str(name): value for name, value in item.items() if name != text_field}
                fields.append(as_json(rest, number))
            if needs_text and items and not any(text_field in item for item in items):
                names = ", ".join(str(name) for name in list(items[0])[:12])
                raise InputError(f'no field "{text_field}"; fields are: {names} (name the field with text_field=...)')
        else:
            texts = items
        is_bytes = any(isinstance(text, (bytes, bytearray, memoryview)) for text in texts)
        kind = (bytes, bytearray, memoryview) if is_bytes else (str,)
        for number, text in enumerate(texts):
            if text is not None and not isinstance(text, kind):
                expected = "bytes, as others are" if is_bytes else "a text"
                raise InputError(f"item {number} is {kind_of(text)}, not {expected}")
        try:
            if is_bytes:
                whole = [None if text is None else bytes(text) for text in texts]
                self.source = _refrain.Source.bytes(whole, fields, text_field)
            else:
                self.source = _refrain.Source.texts(texts, fields, text_field)
        except UnicodeEncodeError as error:
            raise InputError(f"a text has half a character (a surrogate): {error.reason}") from None

    def back(self, outcome: Outcome, text_field: str, marks: bool, fields: tuple[str, ...]) -> list[Any]:
        result: list[Any] = []
        for record, _, text, ranges, language, _, meta in outcome.values():
            item = self.items[record]
            found: dict[str, Any] = {}
            if isinstance(item, Mapping) or fields or marks:
                known = json.loads(meta or "{}") | {"language": language}
                found = {name: known[name] for name in fields if known.get(name) is not None}
            if marks:
                found["marks"] = [Mark.of(values).as_dict() for values in ranges]
            if isinstance(item, Mapping):
                result.append({**found, **item, text_field: text, **({"marks": found["marks"]} if marks else {})})
            elif marks:
                result.append({text_field: text, **found})
            else:
                result.append(text)
        return result


class Arrow:
    """Anything with the Arrow C stream interface. ``make`` turns such a stream into the kind of the input."""

    def __init__(self, stream: Any, make: Any, held: int | None, temporary: str | None) -> None:
        self.make = make
        try:
            self.source = _refrain.Source.table(stream, held, temporary)
        except Error:
            raise
        except Exception as error:
            raise InputError(f"the table cannot be read: {error}") from error

    def back(self, outcome: Outcome, text_field: str, marks: bool, fields: tuple[str, ...]) -> Any:
        return self.make(outcome.rows(self.source, text_field, marks, fields))


class Pandas(Arrow):
    """A data frame of pandas. Index and types of its other columns stay as they are."""

    def __init__(self, frame: Any, temporary: str | None) -> None:
        super().__init__(frame, None, None, temporary)
        self.frame = frame

    def back(self, outcome: Outcome, text_field: str, marks: bool, fields: tuple[str, ...]) -> Any:
        values = outcome.values()
        result = self.frame.iloc[[record for record, *_ in values]].copy()
        result[text_field] = [text for _, _, text, *_ in values]
        if marks:
            result["marks"] = [[Mark.of(mark).as_dict() for mark in ranges] for _, _, _, ranges, *_ in values]
        if fields:
            known = [json.loads(meta or "{}") | {"language": language} for *_, language, _, meta in values]
            for name in fields:
                if name not in self.frame.columns:
                    result[name] = [document.get(name) for document in known]
        return result


def kind_of(value: object) -> str:
    """What a value is, in words."""
    return "None" if value is None else f"of type {type(value).__name__}"


def as_json(fields: Mapping[str, Any], number: int) -> str:
    """Fields of an item as JSON. What JSON does not know becomes text."""
    try:
        return json.dumps(fields, default=str)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"item {number} has a field that cannot be kept: {error}") from None


def pyarrow() -> Any:
    """The module pyarrow."""
    try:
        import pyarrow as module
    except ImportError:
        message = "documents of files are returned as a table of pyarrow; install pyarrow, or name a file with output=..."
        raise InputError(message) from None
    return module


def is_path(value: object) -> bool:
    """True for a name of a file or folder that cannot be meant as a text."""
    return isinstance(value, os.PathLike)


def names_of(data: Any) -> list[str]:
    """The names of files, one or several."""
    several = [data] if isinstance(data, (str, os.PathLike)) else list(data)
    names = []
    for name in several:
        if not isinstance(name, (str, os.PathLike)):
            raise InputError(f"a file name is {kind_of(name)}")
        text = os.fspath(name)
        names.append(os.fsdecode(text))
    try:
        "".join(names).encode()
    except UnicodeEncodeError:
        raise InputError("a file name is not valid Unicode") from None
    return names


def reader_of(data: Any, text_field: str, temporary: Any, files: bool, needs_text: bool = True) -> Reader:
    """The reader of any input. With ``files``, plain strings in a list are names of files."""
    folder = None if temporary is None else os.fspath(temporary)
    if isinstance(data, (str, os.PathLike)):
        return Files(names_of(data))
    if isinstance(data, (bytes, bytearray, memoryview)):
        raise InputError("one text is no collection; pass a list of them")
    module = type(data).__module__.split(".")[0]
    name = type(data).__name__
    if module == "pandas" and name == "DataFrame":
        return Pandas(data, folder)
    if module == "pandas" and name == "Series":
        return Pandas(data.to_frame(text_field), folder)
    if module == "polars" and name == "LazyFrame":
        import polars

        return Arrow(data.collect(), lambda stream: polars.DataFrame(stream).lazy(), None, folder)
    if module == "polars" and name == "DataFrame":
        import polars

        return Arrow(data, polars.DataFrame, None, folder)
    if module == "polars" and name == "Series":
        raise InputError("a series of polars has no other columns; pass a data frame, such as series.to_frame()")
    if module == "pyarrow":
        return of_pyarrow(data, folder)
    if module in ("duckdb", "_duckdb") and name.endswith("Relation"):
        import duckdb

        stream = data if hasattr(data, "__arrow_c_stream__") else data.fetch_arrow_reader()
        return Arrow(stream, lambda made: duckdb.from_arrow(pyarrow().table(made)), HELD, folder)
    if module == "datasets" and name == "Dataset":
        return of_dataset(data, folder)
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        return Arrow(data, pyarrow().table, HELD, folder)
    if isinstance(data, Mapping) or not isinstance(data, Iterable):
        raise InputError(f"the data is {kind_of(data)}; pass a table, texts, dictionaries, or paths")
    items = list(data)
    if items and all(is_path(item) or (files and isinstance(item, str)) for item in items):
        return Files(names_of(items))
    if items and all(isinstance(item, str) and len(item) < 4096 and os.path.exists(item) for item in items):
        message = f'the texts name files, such as "{items[0]}"; to read these files, pass pathlib.Path objects'
        raise InputError(message)
    return Values(items, text_field, needs_text)


def of_pyarrow(data: Any, folder: str | None) -> Reader:
    import pyarrow as pa

    if isinstance(data, pa.RecordBatchReader):
        return Arrow(data, pa.RecordBatchReader.from_stream, HELD, folder)
    if isinstance(data, (pa.Table, pa.RecordBatch)):
        return Arrow(data, pa.table, None, folder)
    if hasattr(data, "scanner"):
        return Arrow(data.scanner().to_reader(), pa.table, HELD, folder)
    raise InputError(f"the data is {kind_of(data)}; pass a table, such as pyarrow.table({{'text': column}})")


def of_dataset(data: Any, folder: str | None) -> Reader:
    import datasets
    import pyarrow as pa

    arrow = data.with_format("arrow")
    schema = data.features.arrow_schema
    batches = (batch for table in arrow.iter(1000) for batch in table.cast(schema).to_batches())
    reader = pa.RecordBatchReader.from_batches(schema, batches)
    return Arrow(reader, lambda stream: datasets.Dataset(pa.table(stream).replace_schema_metadata(None)), HELD, folder)
