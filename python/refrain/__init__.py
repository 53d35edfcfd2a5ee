"""Find repeated text in large document collections, remove it or show where it is, and record why.

    import refrain

    page = refrain.extract(html)
    clean = refrain.dedup(table, memory="1.5G")
    refrain.corpus(["crawl.warc.gz"], "corpus/", lang="en")

Tables of pyarrow, pandas, Polars, DuckDB and Hugging Face datasets come out as they came in. ``help(refrain.dedup)`` lists the
options of a verb. Errors are :class:`refrain.Error`. Offsets count code points, as the indices of strings do.
"""

from refrain._errors import (
    AlarmError,
    DamagedError,
    Error,
    FileError,
    InputError,
    InternalError,
    InterruptedError,
    OptionError,
    ParquetError,
    RefusedError,
    UnusableError,
)
from refrain._refrain import __version__
from refrain._results import Block, Comparison, CorpusResult, Decoded, Document, Failure, Mark, Page, Pair, Result
from refrain._verbs import (
    Library,
    compare,
    convert,
    corpus,
    decode,
    decontaminate,
    dedup,
    editions,
    extract,
    quality,
    read,
    stats,
    strip,
    template,
)

__all__ = [
    "AlarmError",
    "Block",
    "Comparison",
    "CorpusResult",
    "DamagedError",
    "Decoded",
    "Document",
    "Error",
    "Failure",
    "FileError",
    "InputError",
    "InternalError",
    "InterruptedError",
    "Library",
    "Mark",
    "OptionError",
    "Page",
    "Pair",
    "ParquetError",
    "RefusedError",
    "Result",
    "UnusableError",
    "__version__",
    "compare",
    "convert",
    "corpus",
    "decode",
    "decontaminate",
    "dedup",
    "editions",
    "extract",
    "quality",
    "read",
    "stats",
    "strip",
    "template",
]
