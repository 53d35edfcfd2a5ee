"""The verbs."""

from __future__ import annotations

import json
import logging
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast, overload

from refrain import _build, _refrain, _tables
from refrain._errors import InputError, OptionError
from refrain._progress import progress_bar
from refrain._results import Block, Comparison, CorpusResult, Decoded, Document, Failure, Mark, Page, Pair, Result

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from refrain import _options as o
    from refrain._refrain import Outcome, Plan, Source

log = logging.getLogger("refrain")

# Any kind of table, or texts, or dictionaries: what comes in comes out.
T = TypeVar("T")
PathLike = os.PathLike[str]
Paths = str | PathLike | list[PathLike]
Output = str | PathLike

# Failures that are logged one by one.
LOGGED = 20


def path_of(name: str, value: Any) -> str | None:
    """A path, or nothing."""
    if value is None or isinstance(value, (str, os.PathLike)):
        return None if value is None else os.fspath(value)
    raise OptionError(f"{name} is {_tables.kind_of(value)}, not a path")


def output_of(value: Any) -> str | None:
    """The path of an output. A :class:`pathlib.Path` cannot end with a slash: without a file extension, it is a folder."""
    path = path_of("output", value)
    if path is None or isinstance(value, str) or os.path.splitext(path)[1] or (os.path.exists(path) and not os.path.isdir(path)):
        return path
    return os.path.join(path, "")


def wanted(name: str, value: Any, kind: type) -> Any:
    """A value of a type."""
    if value is not None and (not isinstance(value, kind) or (kind is int and isinstance(value, bool))):
        raise OptionError(f"{name} is {_tables.kind_of(value)}, not {kind.__name__}")
    return value


class Call:
    """A call of a verb: its options, divided into those of the job and those of the run."""

    def __init__(self, verb: str, options: Mapping[str, Any]) -> None:
        self.verb = verb
        self.run = {name: options.get(name, default) for name, default in _build.RUN.items()}
        of_job = {name: value for name, value in options.items() if name not in _build.RUN}
        if self.run["memory"] is not None and "memory" in _build.places(verb):
            of_job["memory"] = self.run["memory"]
        self.job = _build.job(verb, of_job)
        self.values = {name: of_job.get(name, default) for name, (_, default) in _build.places(verb).items()}
        self.text_field = str(self.values.get("text_field", "text"))

    def reader(self, data: Any, files: bool = False, needs_text: bool = True) -> _tables.Reader:
        """The reader of an input."""
        return _tables.reader_of(data, self.text_field, path_of("temporary", self.run["temporary"]), files, needs_text)

    def plan(
        self,
        kind: str,
        output: Any,
        lists: Mapping[str, Any],
        others: Mapping[str, Source],
        names: Mapping[str, Any] | None = None,
    ) -> Plan:
        """How the job runs, and what it writes."""
        run = self.run
        memory = _build.size("memory", run["memory"])
        threads = wanted("threads", run["threads"], int)
        if threads is not None and not 1 <= threads <= 256:
            raise OptionError(f"threads={threads}: the number of threads is from 1 to 256")
        if wanted("memory", memory, int) is not None and not 0 < cast("int", memory) < 2**63:
            raise OptionError(f"memory={memory} is not a number of bytes")
        lists = {**lists, "errors": run["errors"], "report": run["report"]}
        chosen = {name: value for name, value in lists.items() if value is not None and value is not False}
        return {
            "verb": self.verb,
            "job": self.job,
            "others": dict(others),
            "names": {name: cast("str", path_of(name, value)) for name, value in (names or {}).items()},
            "kind": kind,
            "output": output_of(output),
            "format": wanted("format", run["format"], str),
            "overwrite": bool(run["overwrite"]),
            "byte_offsets": self.values.get("offsets") == "bytes",
            "lists": {name: None if value is True else path_of(name, value) for name, value in chosen.items()},
            "threads": threads,
            "memory": cast("int | None", memory),
            "temporary": path_of("temporary", run["temporary"]),
        }

    def start(self, source: Source, plan: Plan) -> Outcome:
        """Runs the job."""
        with progress_bar(self.verb, bool(self.run["progress"])) as progress:
            return _refrain.run(source, plan, progress)


def lines(data: bytes) -> list[dict[str, Any]]:
    """The objects of a list, one on each line."""
    return [json.loads(line) for line in data.splitlines() if line]


def facts(call: Call, outcome: Outcome, plan: Plan, documents: Any, again: Any = None) -> dict[str, Any]:
    """What every result has. Failures are logged."""
    report = json.loads(outcome.report)
    failed = report.get("failures") or {"first": [], "count": 0}
    failures = [Failure.of(*pair) for pair in zip(failed["first"], outcome.failures)]
    for failure in failures[:LOGGED]:
        log.warning("%s", failure)
    if failed["count"] > LOGGED:
        log.warning("%d more failures", failed["count"] - LOGGED)
    return {
        "verb": call.verb,
        "documents": documents,
        "report": report,
        "failures": failures,
        "failure_count": failed["count"],
        "lists": {name: lines(outcome.bytes(name)) for name, path in plan["lists"].items() if path is None},
        "output": None if plan["output"] is None else Path(plan["output"]),
        "_again": again,
    }


def documents(
    verb: str,
    data: Any,
    output: Any,
    options: Mapping[str, Any],
    *,
    full: bool = False,
    lists: Mapping[str, Any] | None = None,
    others: Mapping[str, Any] | None = None,
    fields: tuple[str, ...] = (),
) -> Any:
    """Runs a verb that writes documents. Without an output, they are returned in the kind of the input."""
    call = Call(verb, options)
    reader = call.reader(data)
    if output is None and isinstance(reader, _tables.Files):
        _tables.pyarrow()
    # What is compared with may be named by strings; benchmarks have fields of their own.
    named = {name: value for name, value in (others or {}).items() if value is not None}
    sources = {name: call.reader(value, True, name != "evals").source for name, value in named.items()}
    # With these options, a verb writes no documents, but objects that describe them.
    describes = bool(call.values.get("explain"))
    kind = "none" if call.values.get("count_only") else "memory" if describes else "table"
    plan = call.plan(kind, output, lists or {}, sources)
    outcome = call.start(reader.source, plan)
    marks = bool(call.values.get("keep_marked"))
    found = None
    if output is None and kind == "table":
        found = reader.back(outcome, call.text_field, marks, fields)
    elif describes and output is None:
        found = lines(outcome.bytes())
    result = Result(**facts(call, outcome, plan, found))
    return result if full or output is not None or kind == "none" else found


@overload
def extract(data: str | bytes, *, url: str | None = None, **options: Unpack[o.ExtractOptions]) -> Page: ...
@overload
def extract(
    data: Any, output: Output, *, full: bool = False, removed: bool | Output | None = None,
    **options: Unpack[o.ExtractOptions],
) -> Result: ...
@overload
def extract(
    data: PathLike | list[PathLike], output: None = None, *, full: Literal[False] = False,
    removed: bool | Output | None = None, **options: Unpack[o.ExtractOptions],
) -> Any: ...
@overload
def extract(
    data: T, output: None = None, *, full: Literal[False] = False,
    removed: bool | Output | None = None, **options: Unpack[o.ExtractOptions],
) -> T: ...
@_build.documented("extract")
def extract(
    data: Any, output: Any = None, *, url: Any = None, full: bool = False, removed: Any = None, **options: Any
) -> Any:
    """Extract the main content of web pages.

    A string or bytes are one page, and the result is a :class:`Page`. A table, a list or paths are many: the column of texts
    becomes the main content, and title, author, date and other facts become columns.
    """
    if isinstance(data, (str, bytes, bytearray, memoryview)):
        call = Call("extract", options)
        found = _refrain.extract(text_of(data), path_of("url", url), call.job)
        found["blocks"] = [Block(*values) for values in found["blocks"]]
        found["marks"] = [Mark.of(values) for values in found["marks"]]
        return Page(**found)
    if url is not None:
        raise InputError("an address belongs to one page; for many pages, name a column url")
    lists = {"removed": removed}
    return documents("extract", data, output, options, full=full, lists=lists, fields=_tables.PAGE_FIELDS)


def text_of(data: Any) -> str | bytes:
    """A text that can be passed on, or bytes."""
    if not isinstance(data, str):
        return bytes(data)
    try:
        data.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"the text has half a character (a surrogate): {error.reason}") from None
    return data


@overload
def decode(data: bytes, output: None = None, **options: Unpack[o.DecodeOptions]) -> Decoded: ...
@overload
def decode(data: Paths, output: Output, **options: Unpack[o.DecodeOptions]) -> Result: ...
@overload
def decode(
    data: Iterable[bytes], output: None = None, **options: Unpack[o.DecodeOptions]
) -> list[Decoded]: ...
@_build.documented("decode")
def decode(data: Any, output: Any = None, **options: Any) -> Any:
    """Decode bytes to text: detect the encoding and the language.

    Bytes give a :class:`Decoded`, and several bytes a list of them. Paths need an output: a folder for the texts as UTF-8.
    """
    call = Call("decode", options)
    if isinstance(data, (bytes, bytearray, memoryview)):
        return Decoded(**_refrain.decode(bytes(data), call.job))
    if output is not None:
        source = _tables.Files(_tables.names_of(data)).source
        plan = call.plan("none", output, {}, {})
        return Result(**facts(call, call.start(source, plan), plan, None))
    if isinstance(data, (str, os.PathLike)) or not isinstance(data, Iterable):
        raise InputError("decode takes bytes, or paths and output=...")
    items = list(data)
    for number, item in enumerate(items):
        if not isinstance(item, (bytes, bytearray, memoryview)):
            raise InputError(f"item {number} is {_tables.kind_of(item)}, not bytes")
    return [Decoded(**_refrain.decode(bytes(item), call.job)) for item in items]


@overload
def dedup(
    data: Any, output: Output, *, removed: bool | Output | None = None, explain: Output | None = None, page: Output | None = None, lost: Output | None = None, clusters: Output | None = None, save: Output | None = None, against: Any = None, **options: Unpack[o.DedupOptions]
) -> Result: ...
@overload
def dedup(
    data: Any, output: None = None, *, full: Literal[True], removed: bool | Output | None = None, explain: Output | None = None, page: Output | None = None, lost: Output | None = None, clusters: Output | None = None, save: Output | None = None, against: Any = None, **options: Unpack[o.DedupOptions]
) -> Result: ...
@overload
def dedup(
    data: Paths, output: None = None, *, full: Literal[False] = False, removed: bool | Output | None = None, explain: Output | None = None, page: Output | None = None, lost: Output | None = None, clusters: Output | None = None, save: Output | None = None, against: Any = None, **options: Unpack[o.DedupOptions]
) -> Any: ...
@overload
def dedup(
    data: T, output: None = None, *, full: Literal[False] = False, removed: bool | Output | None = None, explain: Output | None = None, page: Output | None = None, lost: Output | None = None, clusters: Output | None = None, save: Output | None = None, against: Any = None, **options: Unpack[o.DedupOptions]
) -> T: ...
@_build.documented("dedup")
def dedup(
    data: Any, output: Any = None, *, full: bool = False, removed: Any = None, explain: Any = None, page: Any = None, lost: Any = None, clusters: Any = None, save: Any = None, against: Any = None, **options: Any
) -> Any:
    """Remove text that occurs in earlier documents: blocks that are copies, or whole documents with ``unit="document"``.

    ``against`` is what documents are compared with, and not written: anything that can be an input, or folders that an earlier run
    saved with ``save``.

    The result has the kind of the input: a table, a list of texts or dictionaries; a table of pyarrow for paths. With
    ``full=True`` or ``output``, it is a :class:`Result`.
    """
    lists = {"removed": removed, "explain": explain, "page": page, "lost": lost, "clusters": clusters, "save": save}
    return documents("dedup", data, output, options, full=full, lists=lists, others={"against": against})

@overload
def quality(
    data: Any, output: Output, *, removed: bool | Output | None = None, **options: Unpack[o.QualityOptions]
) -> Result: ...
@overload
def quality(
    data: Any, output: None = None, *, full: Literal[True], removed: bool | Output | None = None, **options: Unpack[o.QualityOptions]
) -> Result: ...
@overload
def quality(
    data: Paths, output: None = None, *, full: Literal[False] = False, removed: bool | Output | None = None, **options: Unpack[o.QualityOptions]
) -> Any: ...
@overload
def quality(
    data: T, output: None = None, *, full: Literal[False] = False, removed: bool | Output | None = None, **options: Unpack[o.QualityOptions]
) -> T: ...
@_build.documented("quality")
def quality(
    data: Any, output: Any = None, *, full: bool = False, removed: Any = None, **options: Any
) -> Any:
    """Remove documents that break published rules of quality, such as ``quality=["gopher", "c4"]``.

    The result has the kind of the input: a table, a list of texts or dictionaries; a table of pyarrow for paths. With
    ``full=True`` or ``output``, it is a :class:`Result`.
    """
    lists = {"removed": removed}
    return documents("quality", data, output, options, full=full, lists=lists)

@overload
def decontaminate(
    data: Any, evals: Any, output: Output, *, removed: bool | Output | None = None, **options: Unpack[o.DecontaminateOptions]
) -> Result: ...
@overload
def decontaminate(
    data: Any, evals: Any, output: None = None, *, full: Literal[True], removed: bool | Output | None = None, **options: Unpack[o.DecontaminateOptions]
) -> Result: ...
@overload
def decontaminate(
    data: Paths, evals: Any, output: None = None, *, full: Literal[False] = False, removed: bool | Output | None = None, **options: Unpack[o.DecontaminateOptions]
) -> Any: ...
@overload
def decontaminate(
    data: T, evals: Any, output: None = None, *, full: Literal[False] = False, removed: bool | Output | None = None, **options: Unpack[o.DecontaminateOptions]
) -> T: ...
@_build.documented("decontaminate")
def decontaminate(
    data: Any, evals: Any, output: Any = None, *, full: bool = False, removed: Any = None, **options: Any
) -> Any:
    """Remove documents, or passages of them, that contain items of benchmarks.

    The result has the kind of the input: a table, a list of texts or dictionaries; a table of pyarrow for paths. With
    ``full=True`` or ``output``, it is a :class:`Result`.
    """
    lists = {"removed": removed}
    return documents("decontaminate", data, output, options, full=full, lists=lists, others={"evals": evals})

@overload
def strip(
    data: Any, output: Output, *, removed: bool | Output | None = None, doubtful: Output | None = None, save: Output | None = None, **options: Unpack[o.StripOptions]
) -> Result: ...
@overload
def strip(
    data: Any, output: None = None, *, full: Literal[True], removed: bool | Output | None = None, doubtful: Output | None = None, save: Output | None = None, **options: Unpack[o.StripOptions]
) -> Result: ...
@overload
def strip(
    data: Paths, output: None = None, *, full: Literal[False] = False, removed: bool | Output | None = None, doubtful: Output | None = None, save: Output | None = None, **options: Unpack[o.StripOptions]
) -> Any: ...
@overload
def strip(
    data: T, output: None = None, *, full: Literal[False] = False, removed: bool | Output | None = None, doubtful: Output | None = None, save: Output | None = None, **options: Unpack[o.StripOptions]
) -> T: ...
@_build.documented("strip")
def strip(
    data: Any, output: Any = None, *, full: bool = False, removed: Any = None, doubtful: Any = None, save: Any = None, **options: Any
) -> Any:
    """Remove licence headers and footers from books.

    The result has the kind of the input: a table, a list of texts or dictionaries; a table of pyarrow for paths. With
    ``full=True`` or ``output``, it is a :class:`Result`.
    """
    lists = {"removed": removed, "doubtful": doubtful, "save": save}
    return documents("strip", data, output, options, full=full, lists=lists)

@overload
def convert(
    data: Any, output: Output, *, removed: bool | Output | None = None, **options: Unpack[o.ConvertOptions]
) -> Result: ...
@overload
def convert(
    data: Any, output: None = None, *, full: Literal[True], removed: bool | Output | None = None, **options: Unpack[o.ConvertOptions]
) -> Result: ...
@overload
def convert(
    data: Paths, output: None = None, *, full: Literal[False] = False, removed: bool | Output | None = None, **options: Unpack[o.ConvertOptions]
) -> Any: ...
@overload
def convert(
    data: T, output: None = None, *, full: Literal[False] = False, removed: bool | Output | None = None, **options: Unpack[o.ConvertOptions]
) -> T: ...
@_build.documented("convert")
def convert(
    data: Any, output: Any = None, *, full: bool = False, removed: Any = None, **options: Any
) -> Any:
    """Read documents in any format and write them in another one.

    The result has the kind of the input: a table, a list of texts or dictionaries; a table of pyarrow for paths. With
    ``full=True`` or ``output``, it is a :class:`Result`.
    """
    lists = {"removed": removed}
    return documents("convert", data, output, options, full=full, lists=lists)


@overload
def template(
    data: Any, output: Output, *, records: bool = False, full: bool = False, removed: Output | None = None,
    save: Output | None = None, save_wrapper: Output | None = None, **options: Unpack[o.TemplateOptions],
) -> Result: ...
@overload
def template(
    data: Any, output: None = None, *, records: Literal[True], full: Literal[False] = False, removed: None = None,
    save: Output | None = None, save_wrapper: Output | None = None, **options: Unpack[o.TemplateOptions],
) -> list[dict[str, Any]]: ...
@overload
def template(
    data: T, output: None = None, *, records: Literal[False] = False, full: Literal[False] = False,
    removed: bool | Output | None = None, save: Output | None = None, save_wrapper: Output | None = None,
    **options: Unpack[o.TemplateOptions],
) -> T: ...
@_build.documented("template")
def template(
    data: Any, output: Any = None, *, records: bool = False, full: bool = False, removed: Any = None, save: Any = None,
    save_wrapper: Any = None, **options: Any,
) -> Any:
    """Remove the template that the pages of a site share, or return its records, one dictionary for each, with ``records=True``."""
    lists = {"removed": removed, "save": save, "save_wrapper": save_wrapper}
    if "result" in options and output is None:
        raise OptionError("result=... needs an output; for a list of records, set records=True")
    if not records:
        return documents("template", data, output, options, full=full, lists=lists)
    call = Call("template", {**options, "result": "records"})
    reader = call.reader(data)
    plan = call.plan("memory", output, lists, {})
    if output is None:
        plan["format"] = "jsonl"
    outcome = call.start(reader.source, plan)
    result = Result(**facts(call, outcome, plan, lines(outcome.bytes()) if output is None else None))
    return result if full or output is not None else result.documents


def compared(
    call: Call,
    reader: _tables.Reader,
    output: Any,
    lists: Mapping[str, Any],
    others: Mapping[str, Source],
    names: Mapping[str, Any] | None = None,
) -> Comparison:
    """Runs a verb that finds pairs."""
    plan = call.plan("memory", output, lists, others, names)
    if output is None and plan["format"] is None:
        plan["format"] = "jsonl"
    outcome = call.start(reader.source, plan)

    def again(folder: Path) -> Path:
        """The report of the same run, in a folder."""
        repeated = call.plan("none", os.path.join(folder, ""), {}, others, names)
        _refrain.run(reader.source, {**repeated, "format": None, "overwrite": True, "lists": {}}, None)
        return folder / "report.html"

    rows = lines(outcome.bytes()) if plan["format"] == "jsonl" and output is None else []
    texts = Texts(again)
    pairs = [Pair(row, texts) for row in rows]
    return Comparison(**facts(call, outcome, plan, None, again), pairs=pairs)


class Texts(Mapping[str, str]):
    """The texts of documents in pairs, by id. They are read from a report when they are first needed."""

    def __init__(self, again: Callable[[Path], Path]) -> None:
        self.again = again
        self.known: dict[str, str] | None = None

    def all(self) -> dict[str, str]:
        """All texts."""
        if self.known is None:
            with tempfile.TemporaryDirectory(prefix="refrain-") as folder:
                self.again(Path(folder))
                self.known = {}
                texts = Path(folder, "texts.jsonl")
                if texts.exists():
                    report = json.loads(Path(folder, "report.json").read_text("utf-8"))
                    names = [document["id"] for document in report["documents"]]
                    for line in lines(texts.read_bytes()):
                        self.known[names[line["document"]]] = line["text"]
        return self.known

    def __getitem__(self, name: str) -> str:
        return self.all()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.all())

    def __len__(self) -> int:
        return len(self.all())


@_build.documented("compare")
def compare(
    data: Any,
    output: Output | None = None,
    *,
    reference: Any = None,
    exclude: Any = None,
    pairs: Output | None = None,
    key: Output | None = None,
    **options: Unpack[o.CompareOptions],
) -> Comparison:
    """Find the passages that documents share.

    The result lists the pairs, the highest resemblance first. ``result.show()`` opens the report. ``reference`` is what
    documents are also compared with, ``exclude`` text that does not count, ``pairs`` a file of the pairs to compare.
    """
    call = Call("compare", options)
    others = {"reference": reference, "exclude": exclude}
    sources = {name: call.reader(value).source for name, value in others.items() if value is not None}
    names = {} if pairs is None else {"pairs": pairs}
    return compared(call, call.reader(data), output, {"key": key}, sources, names)


@_build.documented("editions")
def editions(
    data: Any, output: Output | None = None, *, against: Any = None, **options: Unpack[o.EditionsOptions]
) -> Comparison:
    """Find editions of the same book. Strings are names of files and folders.

    The result lists the pairs, and ``result.report["works"]`` the works. ``result.show()`` opens the report.
    """
    call = Call("editions", options)
    others = {} if against is None else {"against": call.reader(against, files=True).source}
    return compared(call, call.reader(data, files=True), output, {}, others)


@_build.documented("corpus")
def corpus(data: Any, output: Output, **options: Unpack[o.CorpusOptions]) -> CorpusResult:
    """Build a clean corpus in a folder. Strings are names of files and folders. A run that was interrupted resumes."""
    call = Call("corpus", options)
    plan = call.plan("none", output, {}, {})
    outcome = call.start(call.reader(data, files=True).source, plan)
    text = _refrain.statistics(cast("str", plan["output"]))[1]
    return CorpusResult(**facts(call, outcome, plan, None), text=text)


def stats(folder: Output) -> dict[str, Any]:
    """The statistics of a corpus: volume, documents, words and tokens at each stage, by language and host."""
    found: dict[str, Any] = json.loads(_refrain.statistics(cast("str", path_of("folder", folder)))[0])
    return found


@_build.documented("read")
def read(data: Any, **options: Unpack[o.ReadOptions]) -> Iterator[Document]:
    """Read the documents of any source, one after another. Strings are names of files and folders. What fails is logged."""
    call = Call("read", options)
    reading = _refrain.Reading(call.reader(data, files=True).source, call.job, call.plan("none", None, {}, {})["threads"])

    def documents() -> Iterator[Document]:
        try:
            while (item := reading.next()) is not None:
                if isinstance(item, str):
                    log.warning("%s", item)
                    continue
                item["blocks"] = [Block(*values) for values in item["blocks"]]
                item["marks"] = [Mark.of(values) for values in item["marks"]]
                item["meta"] = json.loads(item["meta"])
                yield Document(**item)
        finally:
            reading.close()

    return documents()


class Library:
    """A library of sources that documents can be checked against. It is a folder."""

    def __init__(self, folder: Output) -> None:
        self.folder = Path(cast("str", path_of("folder", folder)))

    def __repr__(self) -> str:
        return f"Library({str(self.folder)!r})"

    def add(self, data: Any, **options: Unpack[o.LibraryAddOptions]) -> Result:
        """Add sources. A source with the id of an earlier one replaces it. The first sources create the folder."""
        call = Call("library_add", options)
        plan = call.plan("none", None, {}, {}, {"library": self.folder})
        outcome = call.start(call.reader(data).source, plan)
        return Result(**facts(call, outcome, plan, None))

    def check(self, data: Any, *, exclude: Any = None, **options: Unpack[o.LibraryCheckOptions]) -> list[dict[str, Any]]:
        """How much of each document occurs in the library, in which sources, and where."""
        call = Call("library_check", options)
        others = {} if exclude is None else {"exclude": call.reader(exclude).source}
        plan = call.plan("memory", None, {}, others, {"library": self.folder})
        plan["format"] = "jsonl"
        outcome = call.start(call.reader(data).source, plan)
        facts(call, outcome, plan, None)
        return lines(outcome.bytes())

    def remove(self, ids: Iterable[str]) -> list[str]:
        """Remove sources by their ids or addresses. Returns the names that no source has."""
        return _refrain.library_change(self.folder, "remove", [ids] if isinstance(ids, str) else list(ids))

    def verify(self) -> None:
        """Check that no file of the library is damaged."""
        _refrain.library_change(self.folder, "verify", [])

    def compact(self) -> None:
        """Merge the files of the library, without removed sources."""
        _refrain.library_change(self.folder, "compact", [])

    def __iter__(self) -> Iterator[str]:
        """The ids of the sources, in the order in which they were added."""
        return iter([source for source, _ in _refrain.library_sources(self.folder)])

    def __len__(self) -> int:
        return len(_refrain.library_sources(self.folder))
