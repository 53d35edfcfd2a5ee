"""Options have one definition, and mistakes are explained."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import refrain
from refrain import _build, _options

HERE = Path(__file__).parent


def test_the_types_are_those_of_the_jobs() -> None:
    """The file of options is what its program writes, and has each option with its default."""
    done = subprocess.run([sys.executable, HERE.parent / "generate.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for verb, docs in _options.DOCS.items():
        if verb == "run":
            assert set(docs) == set(_build.RUN)
            continue
        known = set(_build.places(verb)) - set(_build.RUN)
        assert set(docs) == known, verb
        typed = getattr(_options, "".join(part.title() for part in verb.split("_")) + "Options")
        assert known <= set(typed.__annotations__) | set(_options.ReadingOptions.__annotations__)


def test_signatures_show_the_defaults() -> None:
    parameters = inspect.signature(refrain.dedup).parameters
    assert parameters["ngram"].default == _build.places("dedup")["ngram"][1]
    assert parameters["text_field"].default == "text"
    assert "contained:" in (refrain.dedup.__doc__ or "")


def test_the_package_is_typed() -> None:
    done = subprocess.run([sys.executable, "-m", "mypy", "--config-file", HERE.parent / "pyproject.toml"],
                          capture_output=True, text=True, cwd=HERE.parent)
    assert done.returncode == 0, done.stdout


MISTAKES = [
    ({"unti": "document"}, refrain.OptionError, "do you mean unit="),
    ({"nothing_like_it": 1}, refrain.OptionError, "options are: "),
    ({"unit": "page"}, refrain.RefusedError, "document"),
    ({"memory": "lots"}, refrain.OptionError, "is not a size"),
    ({"memory": "1M"}, refrain.RefusedError, 'memory="128M"'),
    ({"threads": 0}, refrain.OptionError, "1 to 256"),
    ({"threads": "2"}, refrain.OptionError, "not int"),
    ({"threshold": float("nan")}, refrain.OptionError, "threshold|wrong type"),
    ({"ngram": "many"}, refrain.RefusedError, "many"),
    ({"text_field": "body"}, refrain.Error, "text_field=..."),
    ({"ngram": object()}, refrain.OptionError, "object"),
]


@pytest.mark.parametrize("options, kind, message", MISTAKES)
def test_mistakes_are_explained(options: dict, kind: type, message: str) -> None:
    with pytest.raises(kind, match=message) as caught:
        refrain.dedup([{"text": "One text."}], **options)
    assert isinstance(caught.value, refrain.Error)
    assert "--" not in str(caught.value)
