"""Jobs from keyword arguments. Names and defaults are those of the compiled jobs; nothing is repeated here."""

from __future__ import annotations

import difflib
import functools
import inspect
import json
import os
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from refrain import _options, _refrain
from refrain._errors import OptionError

# Options of jobs that have another name here: `from` is a word of the language, and `format` is the format of the output.
NAMES = {("read", "format"): "input_format", ("from",): "encoding"}

SIZES = ("memory", "part_size", "max_document", "checkpoint", "row_group")

# Every verb has these; they are not a part of its job.
RUN: dict[str, object] = {
    "format": None,
    "overwrite": False,
    "errors": None,
    "report": None,
    "threads": None,
    "memory": None,
    "temporary": None,
    "progress": False,
}


@functools.cache
def places(verb: str) -> dict[str, tuple[tuple[str, ...], Any]]:
    """The options of a verb by name: where they are in its job, and their defaults."""
    found: dict[str, tuple[tuple[str, ...], Any]] = {}

    def walk(values: Mapping[str, Any], path: tuple[str, ...]) -> None:
        for name, value in values.items():
            if isinstance(value, dict) and not path:
                walk(value, (name,))
            else:
                place = (*path, name)
                found[NAMES.get(place, name)] = (place, value)

    walk(json.loads(_refrain.defaults(verb)), ())
    return found


@functools.cache
def methods(verb: str) -> dict[str, Any]:
    """The methods of a verb by name, with their parameters."""
    found: dict[str, Any] = json.loads(_refrain.methods(verb))
    return found


def size(name: str, value: object) -> object:
    """A number of bytes, which may be written as ``"1.5G"``."""
    if not isinstance(value, str):
        return value
    number = value.strip().upper().removesuffix("B").removesuffix("I")
    factor = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}.get(number[-1:], 1)
    try:
        return int(float(number if factor == 1 else number[:-1]) * factor)
    except (ValueError, OverflowError):
        message = f'{name}="{value}" is not a size; write a number of bytes, or "500K", "64M", "1.5G"'
        raise OptionError(message) from None


def job(verb: str, options: Mapping[str, Any]) -> str:
    """The job of a verb as JSON."""
    known = places(verb)
    values = json.loads(_refrain.defaults(verb))
    for name, value in options.items():
        if name not in known:
            unknown(verb, name)
        if name in SIZES:
            value = size(name, value)
        place, default = known[name]
        if name == "method" and isinstance(value, str):
            value = methods(verb).get(value, value)
        if isinstance(default, list) and isinstance(value, (str, os.PathLike)):
            value = [value]
        target = values
        for step in place[:-1]:
            target = target[step]
        target[place[-1]] = value
    try:
        return json.dumps(values, default=plain, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise OptionError(f"{verb}: an option has a value of the wrong type: {error}") from None


def plain(value: object) -> object:
    """What JSON does not know: paths, tuples of numbers, sets."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} {value!r:.60}")


def unknown(verb: str, name: str) -> None:
    names = sorted({*places(verb), *RUN})
    close = difflib.get_close_matches(name, names, 1)
    advice = f"do you mean {close[0]}=...?" if close else f"options are: {', '.join(names)}"
    raise OptionError(f"{verb.replace('library_', 'Library.')} has no option {name}; {advice}")


F = TypeVar("F", bound=Callable[..., Any])


def documented(verb: str) -> Callable[[F], F]:
    """Shows the options of a verb, their defaults and what they mean in ``help()``."""

    def wrap(function: F) -> F:
        signature = inspect.signature(function)
        parameters = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        taken = {parameter.name for parameter in parameters}
        options = {name: default for name, (_, default) in places(verb).items()} | RUN
        added = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
            for name, default in options.items()
            if name not in taken
        ]
        function.__signature__ = signature.replace(parameters=[*parameters, *added])  # type: ignore[attr-defined]
        docs = _options.DOCS[verb] | _options.DOCS["run"]
        lines = [f"    {name}: {docs.get(name, '')}" for name in (p.name for p in added)]
        function.__doc__ = inspect.cleandoc(function.__doc__ or "") + "\n\nOptions:\n" + "\n".join(lines) + "\n"
        return function

    return wrap
