"""Progress with tqdm."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from refrain._refrain import Progress


@contextlib.contextmanager
def progress_bar(verb: str, shown: bool) -> Iterator[Progress | None]:
    """A function that shows the progress of a run, where it is wanted and tqdm is installed."""
    if not shown:
        yield None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        logging.getLogger("refrain").info("install tqdm to see progress")
        yield None
        return
    bar: Any = tqdm(unit="B", unit_scale=True, desc=verb)
    current = ""

    def show(phase: str, done: int, total: int, documents: int, failures: int) -> None:
        nonlocal current
        if phase != current:
            current = phase
            bar.reset()
            bar.set_description(f"{verb}: {phase}")
        bar.total = max(total, done) or None
        bar.n = done
        bar.set_postfix(documents=documents, failed=failures, refresh=False)
        bar.refresh()

    try:
        yield show
    finally:
        bar.close()
