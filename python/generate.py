"""Writes refrain/_options.py: the options of every verb with their types and meanings, read from the jobs in Rust.

Run it with the Python in which refrain is installed: ``make install-python`` does."""

from __future__ import annotations

import re
import sys
from pathlib import Path

# The package that is installed, not the one beside this file.
sys.path = [place for place in sys.path if Path(place or ".").resolve() != Path(__file__).resolve().parent]

from refrain import _build  # noqa: E402

SOURCE = Path(__file__).resolve().parent.parent / "crates/refrain/src"
TARGET = Path(__file__).resolve().parent / "refrain/_options.py"

JOBS = {
    "compare": "Compare", "convert": "Convert", "corpus": "Corpus", "decode": "Decode", "decontaminate": "Decontaminate",
    "dedup": "Dedup", "editions": "Editions", "extract": "Extract", "library_add": "LibraryAdd",
    "library_check": "LibraryCheck", "quality": "Quality", "read": "Read", "strip": "Strip", "template": "Template",
}  # fmt: skip

RUN = {
    "format": ("str | None", "The format of the output, if its name does not say it: ``jsonl``, ``jsonl.zst``, ``parquet``, ..."),
    "overwrite": ("bool", "Allow an output folder that is not empty."),
    "errors": ("Path | None", "A file for what failed, one JSON object per line."),
    "report": ("Path | None", "A file for the report, as JSON."),
    "threads": ("int | None", "Worker threads; one per core unless it is set."),
    "memory": ("int | str | None", "Memory for what the job learns, such as ``\"1.5G\"``."),
    "temporary": ("Path | None", "The folder for temporary files."),
    "progress": ("bool", "Show progress with tqdm, where it is installed."),
}

STRUCT = re.compile(r"pub struct (\w+) \{\n(.*?)\n\}", re.DOTALL)
ENUM = re.compile(r"((?:#\[[^\n]*\]\n)*)pub enum (\w+) \{\n(.*?)\n\}", re.DOTALL)
FIELD = re.compile(r"((?:    ///[^\n]*\n)*)(?:    #\[[^\n]*\]\n)*    pub (\w+): ([^\n]+),")
VARIANT = re.compile(r"^    (\w+)([({ ]?)", re.MULTILINE)


def snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def meaning(comment: str) -> str:
    text = " ".join(line.strip().removeprefix("///").strip() for line in comment.splitlines())
    text = re.sub(r"\[`?([^]`]+)`?\](\([^)]*\))?", r"\1", text)
    text = re.sub(r"`?\b(?:Run|Self|ReadOptions)::(\w+)`?", r"\1", text)
    text = text.replace(", of InputFormat::DOCUMENTS", "").replace(" (and to FREE_EXPANSION in any case)", "")
    return re.sub(r"`([^`]+)`", r"``\1``", text)


class Types:
    def __init__(self) -> None:
        self.structs: dict[str, list[tuple[str, str, str]]] = {}
        self.enums: dict[str, tuple[list[str], bool]] = {}
        for path in sorted(SOURCE.rglob("*.rs")):
            text = path.read_text()
            for name, body in STRUCT.findall(text):
                self.structs.setdefault(name, [(n, t, meaning(c)) for c, n, t in FIELD.findall(body)])
            for attributes, name, body in ENUM.findall(text):
                if "Deserialize" in attributes:
                    renamed = dict(re.findall(r'#\[serde\(rename = "([^"]+)"\)\]\s*\n\s*(\w+)', body))
                    back = {variant: name for name, variant in renamed.items()}
                    variants = VARIANT.findall(body)
                    lower = 'rename_all = "lowercase"' in attributes
                    names = [back.get(v, v.lower() if lower else snake(v)) for v, after in variants if after in ("", " ")]
                    self.enums.setdefault(name, (names, any(after in "({" and after for _, after in variants)))

    def python(self, rust: str, name: str) -> str:
        if found := re.fullmatch(r"Option<(.+)>", rust):
            return f"{self.python(found[1], name)} | None"
        if found := re.fullmatch(r"Vec<(.+)>", rust):
            inner = self.python(found[1], name)
            return f"{inner} | Sequence[{inner}]"
        if rust in ("f64", "f32"):
            return "float"
        if re.fullmatch(r"[ui](\d+|size)", rust):
            return "int | str" if name in _build.SIZES else "int"
        plain = {"bool": "bool", "String": "str", "PathBuf": "Path"}
        if rust in plain:
            return plain[rust]
        rust = rust.rsplit("::")[-1]
        if rust in self.enums:
            names, has_data = self.enums[rust]
            literal = "Literal[" + ", ".join(f'"{name}"' for name in names) + "]"
            mapping = "Mapping[str, object]"
            return mapping if has_data and not names else f"{literal} | {mapping}" if has_data else literal
        if rust in self.structs:
            return "Mapping[str, object]"
        return "object"

    def field(self, struct: str, place: tuple[str, ...]) -> tuple[str, str]:
        fields = {name: (kind, text) for name, kind, text in self.structs[struct]}
        kind, text = fields[place[0]]
        if len(place) == 1:
            return kind, text
        inner = re.sub(r"Option<(.+)>", r"\1", kind).rsplit("::")[-1]
        return self.field(inner, place[1:])


def shown(default: object) -> str:
    return "" if default is None or default == [] else f" Default: ``{default!r}``."


def main() -> None:
    types = Types()
    types.structs["LibraryAdd"] = [("read", "ReadOptions", ""), ("library", "LibraryOptions", "")]
    types.structs["Read"] = [
        ("read", "ReadOptions", ""),
        ("keep_marked", "bool", "Keep ranges that an earlier run of refrain marked, with their marks."),
    ]
    out = [
        '"""The options of every verb. Written by generate.py from the jobs in Rust: change them there."""',
        "",
        "from __future__ import annotations",
        "",
        "from collections.abc import Mapping, Sequence",
        "from os import PathLike",
        "from typing import Literal, TypedDict, Union",
        "",
        'Path = Union[str, "PathLike[str]"]',
        "",
    ]
    docs: dict[str, dict[str, str]] = {"run": {name: text for name, (_, text) in RUN.items()}}

    def write(name: str, base: str, text: str, fields: list[tuple[str, str, str]]) -> None:
        out.extend(["", f"class {name}({base}, total=False):", f'    """{text}"""', ""])
        for option, kind, what in fields:
            out.extend([f"    {option}: {kind}  # {what}"])
        out.append("")

    write("RunOptions", "TypedDict", "How a verb runs, and where its results go.", [(n, k, t) for n, (k, t) in RUN.items()])
    reading = [(name, place) for name, (place, _) in _build.places("read").items() if place[0] == "read"]
    read_names = {name for name, _ in reading}
    fields = []
    for name, place in reading:
        kind, text = types.field("Read", place)
        fields.append((name, types.python(kind, name), text + shown(_build.places("read")[name][1])))
    write("ReadingOptions", "RunOptions", "How inputs are read.", fields)
    of_reading = {name: text for name, _, text in fields}
    for verb, struct in JOBS.items():
        own, docs[verb] = [], {}
        for name, (place, default) in _build.places(verb).items():
            if name in read_names and place[0] == "read":
                docs[verb][name] = of_reading[name]
                continue
            if name in RUN:
                continue
            kind, text = types.field(struct, place)
            text += shown(default)
            docs[verb][name] = text
            kind = types.python(kind, name)
            if name == "method" and (methods := _build.methods(verb)):
                kind = "Literal[" + ", ".join(f'"{method}"' for method in methods) + "] | Mapping[str, object]"
            own.append((name, kind, text))
        if verb == "decode":
            base = "RunOptions"
        else:
            base = "ReadingOptions"
        title = "".join(part.title() for part in verb.split("_")) + "Options"
        call = verb.replace("library_", "Library.")
        write(title, base, f"Options of ``{call}``.", own)
    out.extend(["", "DOCS: dict[str, dict[str, str]] = {"])
    for verb, texts in docs.items():
        out.append(f'    "{verb}": {{')
        out.extend(f"        {name!r}: {text!r}," for name, text in texts.items())
        out.append("    },")
    out.extend(["}", ""])
    text = "\n".join(out)
    if "--check" in sys.argv:
        sys.exit(0 if TARGET.read_text() == text else "refrain/_options.py is not what generate.py writes; run it")
    TARGET.write_text(text)


if __name__ == "__main__":
    main()
