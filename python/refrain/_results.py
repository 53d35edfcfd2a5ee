"""What verbs return."""

from __future__ import annotations

import html
import json
import tempfile
import webbrowser
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from refrain._errors import RefusedError

COLOURS = {
    "boilerplate": "#d0d0d0",
    "template": "#d0d0d0",
    "duplicate": "#ffd9a0",
    "preamble": "#cfe3ff",
    "epilogue": "#cfe3ff",
    "foreign": "#e8d0f0",
    "benchmark": "#ffc0c0",
    "quality": "#f0e0a0",
    "masked": "#c8ecc8",
}


@dataclass(frozen=True)
class Mark:
    """A range of a text, in code points, with the reason for which it was marked."""

    start: int
    end: int
    label: str
    pass_: str
    evidence: Any

    @classmethod
    def of(cls, values: tuple[int, int, str, str, str]) -> Mark:
        """A mark from the values of the compiled module."""
        start, end, label, name, evidence = values
        return cls(start, end, label, name, json.loads(evidence))

    def as_dict(self) -> dict[str, Any]:
        """The same as it is written to files."""
        return {
            "start": self.start,
            "end": self.end,
            "label": self.label,
            "pass": self.pass_,
            "evidence": self.evidence,
        }


@dataclass(frozen=True)
class Block:
    """A block of a text: a paragraph, a heading, an item of a list, ... Its range is in code points."""

    start: int
    end: int
    kind: str


def coloured(text: str, marks: Iterable[Mark]) -> str:
    """A text as HTML, with its marks coloured."""
    parts, at = [], 0
    for mark in sorted(marks, key=lambda mark: (mark.start, mark.end)):
        start = max(mark.start, at)
        if start >= mark.end:
            continue
        title = html.escape(f"{mark.label} ({mark.pass_}): {json.dumps(mark.evidence)}", quote=True)
        colour = COLOURS.get(mark.label, "#e0e0e0")
        parts.append(html.escape(text[at:start]))
        inside = html.escape(text[start : mark.end])
        parts.append(f'<mark style="background:{colour}" title="{title}">{inside}</mark>')
        at = mark.end
    parts.append(html.escape(text[at:]))
    return f'<div style="white-space:pre-wrap;max-width:50em">{"".join(parts)}</div>'


@dataclass(frozen=True)
class Page:
    """The main content of a web page. With ``keep_marked=True``, ``text`` is the whole page, and ``marks`` say what is not content."""

    text: str
    title: str | None
    author: str | None
    date: str | None
    site: str | None
    language: str | None
    description: str | None
    kind: str | None
    url: str | None
    canonical: str | None
    encoding: str | None
    confidence: float
    blocks: list[Block] = field(repr=False)
    marks: list[Mark] = field(repr=False)
    markdown: str = field(repr=False)

    def to_markdown(self) -> str:
        """The main content as Markdown."""
        return self.markdown

    def _repr_html_(self) -> str:
        title = f"<h3>{html.escape(self.title)}</h3>" if self.title else ""
        facts = [self.author, self.date, self.site, self.language, self.url]
        line = html.escape(" · ".join(fact for fact in facts if fact))
        return f"{title}<p>{line}</p>{coloured(self.text, self.marks)}"


@dataclass(frozen=True)
class Decoded:
    """The text of some bytes."""

    text: str
    encoding: str
    language: str | None
    confidence: float
    second: str | None
    losses: int


@dataclass(frozen=True)
class Document:
    """A document of a source."""

    id: str
    text: str
    url: str | None
    language: str | None
    encoding: str | None
    origin: str
    blocks: list[Block] = field(repr=False)
    marks: list[Mark] = field(repr=False)
    meta: dict[str, Any] = field(repr=False)

    def _repr_html_(self) -> str:
        return f"<h3>{html.escape(self.id)}</h3>{coloured(self.text, self.marks)}"


@dataclass(frozen=True)
class Failure:
    """A document that could not be read or used. ``row`` counts from 0, as the rows of tables do."""

    message: str
    input: str
    member: str | None
    row: int | None
    error: str

    def __str__(self) -> str:
        return self.message

    @classmethod
    def of(cls, values: Mapping[str, Any], message: str) -> Failure:
        """A failure from a report."""
        place = values.get("place") or {}
        row = place.get("row")
        return cls(message, values["input"], values.get("member"), None if row is None else row - 1, values["error"])


@dataclass(frozen=True)
class Result:
    """What a run found and wrote.

    ``documents`` has the kind of the input. It is None if the documents were written to ``output``.
    """

    verb: str
    documents: Any
    report: dict[str, Any]
    failures: list[Failure]
    failure_count: int
    lists: dict[str, list[dict[str, Any]]] = field(repr=False)
    output: Path | None
    _again: Callable[[Path], Path | None] | None = field(repr=False, default=None)

    @property
    def removed(self) -> list[dict[str, Any]]:
        """Every range that was removed, with its text and the reason. It needs ``removed=True``."""
        if "removed" not in self.lists:
            raise RefusedError("the removed ranges were not kept; call the verb with removed=True")
        return self.lists["removed"]

    def show(self) -> Path:
        """Open the report in the browser, and return its path."""
        path = self._page()
        if path is None:
            raise RefusedError(f"{self.verb} has no report to show")
        webbrowser.open(path.resolve().as_uri())
        return path

    def _page(self) -> Path | None:
        if self.output is not None:
            for path in [self.output / "report.html", self.output]:
                if path.suffix == ".html" and path.is_file():
                    return path
        if self._again is None:
            return None
        return self._again(Path(tempfile.mkdtemp(prefix="refrain-")))

    def _repr_html_(self) -> str:
        figures = [(name, value) for name, value in self.report.items() if isinstance(value, (int, float, str))]
        return f"<b>{self.verb}</b>{table(['', ''], figures)}"


@dataclass(frozen=True)
class CorpusResult(Result):
    """A corpus on disk, and its statistics."""

    text: str = field(repr=False, default="")

    @property
    def statistics(self) -> dict[str, Any]:
        """Volume, documents, words and tokens at each stage, by language and host."""
        found: dict[str, Any] = self.report["manifest"]["statistics"]
        return found

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"


@dataclass(frozen=True)
class Pair:
    """Two documents that share passages: ``r`` is their resemblance, ``c_a`` and ``c_b`` how much of each is in the other."""

    values: dict[str, Any]
    texts: Mapping[str, str] = field(repr=False)

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def _repr_html_(self) -> str:
        a, b = str(self.values["a"]), str(self.values["b"])
        sides = []
        for side, name in (("a", a), ("b", b)):
            ranges = [passage[side] for passage in self.values.get("passages", [])]
            marks = [Mark(start, end, "duplicate", "compare", None) for start, end in map(range_of, ranges)]
            shown = coloured(self.texts.get(name, ""), marks)
            sides.append(f'<td style="vertical-align:top;text-align:left"><b>{html.escape(name)}</b>{shown}</td>')
        return f"<table><tr>{''.join(sides)}</tr></table>"


def range_of(passage: Any) -> tuple[int, int]:
    """Start and end of a passage, which is a list or an object."""
    if isinstance(passage, Mapping):
        return passage["start"], passage["end"]
    return passage[0], passage[1]


@dataclass(frozen=True)
class Comparison(Result):
    """The pairs of documents that share passages, the highest resemblance first."""

    pairs: list[Pair] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.pairs)

    def __iter__(self) -> Any:
        return iter(self.pairs)

    def _repr_html_(self) -> str:
        names = [name for name in (self.pairs[0].values if self.pairs else {}) if name != "passages"]
        return table(names, [[pair.values.get(name) for name in names] for pair in self.pairs[:50]])


def table(names: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A table as HTML."""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    cells = ("".join(f"<td>{html.escape(str(value))}</td>" for value in row) for row in rows)
    return f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"
