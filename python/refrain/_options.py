"""The options of every verb. Written by generate.py from the jobs in Rust: change them there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Literal, TypedDict, Union

Path = Union[str, "PathLike[str]"]


class RunOptions(TypedDict, total=False):
    """How a verb runs, and where its results go."""

    format: str | None  # The format of the output, if its name does not say it: ``jsonl``, ``jsonl.zst``, ``parquet``, ...
    overwrite: bool  # Allow an output folder that is not empty.
    errors: Path | None  # A file for what failed, one JSON object per line.
    report: Path | None  # A file for the report, as JSON.
    threads: int | None  # Worker threads; one per core unless it is set.
    memory: int | str | None  # Memory for what the job learns, such as ``"1.5G"``.
    temporary: Path | None  # The folder for temporary files.
    progress: bool  # Show progress with tqdm, where it is installed.


class ReadingOptions(RunOptions, total=False):
    """How inputs are read."""

    input_format: Literal["text", "html", "jsonl", "parquet", "warc", "arc", "vertical", "csv", "mediawiki", "zip", "tar", "docx", "odt", "pdf", "epub", "rtf", "tei", "alto", "hocr"] | None  # The format, if the user overrides detection. Compression is detected in any case.
    text_field: str  # The JSON field or the column of a table that holds the text. Empty: records have no text, and all their fields are kept. Default: ``'text'``.
    id_field: str  # The JSON field or the column of a table that holds the id. Default: ``'id'``.
    text_is: Literal["auto", "html", "text"] | None  # The markup of texts in JSON, Parquet and memory. ``None`` leaves it to the job: HTML for jobs that read web pages, otherwise detected for each text.
    types: Literal["text", "html", "jsonl", "parquet", "warc", "arc", "vertical", "csv", "mediawiki", "zip", "tar", "docx", "odt", "pdf", "epub", "rtf", "tei", "alto", "hocr"] | Sequence[Literal["text", "html", "jsonl", "parquet", "warc", "arc", "vertical", "csv", "mediawiki", "zip", "tar", "docx", "odt", "pdf", "epub", "rtf", "tei", "alto", "hocr"]]  # The types of documents to read; others are skipped. Empty: all. Texts in tables and JSON are HTML or plain text.
    use_marked: bool  # Read marked text as if it were not marked. Otherwise it is ignored. Default: ``False``.
    max_document: int | str  # Documents larger than this many bytes are failures. Default: ``268435456``.
    max_expansion: int  # An input may expand to this many times its size. Default: ``1000``.


class CompareOptions(ReadingOptions, total=False):
    """Options of ``compare``."""

    tokens: Literal["letters", "sentences", "code"]  # What counts as a word. Default: ``'letters'``.
    ngram: int  # Number of words in an n-gram. Default: ``3``.
    resemblance: float  # Pairs with at least this resemblance R are reported. Default: ``0.03``.
    containment: float  # Pairs of which one document contains at least this share of the other, C, are reported. Default: ``0.31``.
    passage_words: int  # Pairs that share a passage of at least this many words are reported, too; 0 disables this. Default: ``40``.
    common: float  # With 20 documents or more, n-grams that occur in more than this share of them do not count. Default: ``0.8``.
    keep_references: bool  # Compare lists of references, too. Default: ``False``.
    folders: bool  # Treat the files of each folder as one document. Default: ``False``.
    no_passages: bool  # Find no passages, only scores. Default: ``False``.
    anonymous: bool  # Write numbers instead of names. The list ``key`` maps numbers to documents. Default: ``False``.
    offsets: Literal["chars", "bytes"]  # The unit of ranges in files. Default: ``'chars'``.


class ConvertOptions(ReadingOptions, total=False):
    """Options of ``convert``."""

    keep_marked: bool  # Keep ranges that are already marked, with their marks. Default: ``False``.
    offsets: Literal["chars", "bytes"]  # The unit of the offsets of marks in files. Default: ``'chars'``.
    zstd_level: int | None  # The level of zstd, in Parquet and in compressed files.
    row_group: int | str | None  # Bytes of a row group in Parquet.
    shards: int | None  # Divide the documents into so many files of about the same size, in a folder.
    registry: bool  # Write the registry of a vertical file next to it. Default: ``False``.


class CorpusOptions(ReadingOptions, total=False):
    """Options of ``corpus``."""

    lang: str | Sequence[str]  # Languages to keep; all if empty.
    lang_by: Literal["document", "block"]  # The unit that must be in one of them. Default: ``'document'``.
    lang_undecided: Literal["keep", "drop"]  # What becomes of text whose language is unknown, if languages are named. Default: ``'keep'``.
    method: Literal["default", "justext", "bte"] | Mapping[str, object]  # The method. Default: ``'default'``.
    profile: Literal["cleaneval", "krdwrd"]  # The profile. Default: ``'cleaneval'``.
    comments: bool  # Keep reader comments below articles. Forum posts are always main content. Default: ``False``.
    language: str | None  # Language of the stop list that jusText uses. If not given, each page's own language decides.
    template: Literal["none", "host"]  # Whether the template of each host is learned and marked. The inputs are then read twice. Default: ``'none'``.
    quality: str | Sequence[str]  # Sets of rules, applied in this order: presets, and files with rules in JSON.
    min_words: int | None  # Documents with fewer words are removed.
    max_words: int | None  # Documents with more words are removed.
    block_hosts: Path | Sequence[Path]  # Files that name hosts whose documents are removed, one per line.
    sample: float | None  # The share of documents that are read. Their addresses decide, or their texts.
    mask: Literal["pii"] | None  # What is masked.
    strip: bool  # Mark what was added before and after books, with the evidence that ships with the library. Web pages are no books. Default: ``False``.
    dedup: Literal["none", "exact", "documents", "blocks"]  # Which duplicates are removed. Default: ``'blocks'``.
    keep_marked: bool  # Keep marked ranges in the parts, with their marks. Default: ``False``.
    offsets: Literal["chars", "bytes"]  # The unit of offsets. Default: ``'chars'``.
    removed: bool  # List removed ranges under ``removed/``. Default: ``True``.
    part_size: int | str  # Text in one part, in bytes. Default: ``268435456``.
    zstd_level: int | None  # The level of zstd, in Parquet and in compressed parts.
    row_group: int | str | None  # Bytes of a row group in Parquet.
    checkpoint: int | str  # Raw documents between two checkpoints, in bytes: the most that a killed run has to repeat, per thread. Default: ``67108864``.
    alarm: float | None  # Does not complete the corpus if a source, host or language loses more than this share of its main content to other passes, in words or documents. The same job with a higher limit, or none, then completes it. It is not a part of the record.
    add: bool  # Add the inputs to a complete corpus, as another batch. Its documents are compared with those of the corpus, which does not change. Its documents are then those of a corpus of all inputs. It is not a part of the record. Default: ``False``.
    evidence: bool  # Keep what later batches are compared with. Without it, nothing can be added to the corpus until it is made again. It is not a part of the record. Default: ``True``.


class DecodeOptions(RunOptions, total=False):
    """Options of ``decode``."""

    max_document: int | str  # The maximum size of a file in bytes; larger files are failures. Default: ``268435456``.
    assume_lang: str | None  # The language of the files, by its code, if it is known.
    encoding: str | None  # The encoding of the files, by any of its names, if it is known: nothing is detected, and the options that say how have no effect.
    method: Literal["letters", "published"]  # How the encoding is detected. Default: ``'letters'``.
    model: Path | None  # A file with a model for the published method, which is then used. See Decode::train.
    sample: int | None  # How many bytes of a file are examined to detect its encoding; ``None`` examines as many as needed.
    detect: bool  # List encoding, language, confidence and declaration of each file instead of writing texts. Default: ``False``.
    lang: str | Sequence[str]  # Write only texts in these languages, by their codes, and those whose language is unclear. Empty for all.


class DecontaminateOptions(ReadingOptions, total=False):
    """Options of ``decontaminate``."""

    question: str | None  # The field that holds the question.
    answer: str | None  # The field that holds the answer.
    passage: str | None  # The field that holds the passage.
    options: str | None  # The field that holds the options.
    unit: Literal["passage", "document"]  # What is removed. Default: ``'passage'``.
    keep_marked: bool  # Keep what was found, with its marks. Default: ``False``.
    offsets: Literal["chars", "bytes"]  # The unit of offsets in files. Default: ``'chars'``.


class DedupOptions(ReadingOptions, total=False):
    """Options of ``dedup``."""

    unit: Literal["block", "document"]  # The unit to remove: blocks, or whole documents. Default: ``'block'``.
    contained: float  # Whole documents: the share of the own text of a document that an earlier one must contain. Wording that many documents share does not count. Default: ``0.8``.
    resemblance: float | None  # Whole documents: compare them as published instead, by how much their word 5-grams resemble each other.
    measure: Literal["jaccard", "containment"]  # Whole documents: how resemblance is measured. Default: ``'jaccard'``.
    keep: Literal["first", "longest", "newest"] | Mapping[str, object]  # Whole documents: which one of those that resemble each other is kept. Default: ``'first'``.
    exact: Literal["bytes", "space", "words"] | None  # Remove only what is equal as a whole, and what must be equal.
    count_only: bool  # Only count n-grams. Nothing is written but the list ``errors``. Default: ``False``.
    ngram: int  # Number of words in an n-gram. Default: ``7``.
    threshold: float  # A block is a duplicate if a larger share of its words occurred before. Default: ``0.5``.
    stub: int  # Blocks of fewer words between two duplicates are removed with them. Default: ``20``.
    intact: bool  # Compare n-grams only. This misses heavily edited copies, and removes near-duplicates that differ only in names or numbers. Default: ``False``.
    template_text: bool  # Also remove blocks with the wording of many documents that say something else: with other names, numbers or words. Default: ``False``.
    engine: Literal["hash", "suffix_array", "spex"]  # How repeated n-grams are found. The result is the same. Default: ``'hash'``.
    make_ids: bool  # Number ids that occur more than once: ``id``, ``id#2``, ``id#3``. Default: ``False``.
    keep_marked: bool  # Keep duplicates, with their marks. Default: ``False``.
    offsets: Literal["chars", "bytes"]  # The unit of offsets in files. Default: ``'chars'``.
    part_size: int | str  # Bytes of text in each part, where the output is a folder. Default: ``268435456``.
    checkpoint: int | str  # Bytes of text between two checkpoints: what a killed run repeats at most. Default: ``1073741824``.
    alarm: float | None  # Does not complete the output if a source, host or language loses more than this share of its words or documents. The same job with a higher limit, or none, then completes it. It is not a part of what makes two runs the same.


class EditionsOptions(ReadingOptions, total=False):
    """Options of ``editions``."""

    no_strip: bool  # Compare licences and notices at the beginning and the end of books, too. Default: ``False``.
    method: Literal["cs", "its", "uwo", "vo", "shingle", "imatch"] | None  # A published method that compares books instead. It finds no passages, and keeps all sets of words in memory.
    threshold: Literal["calibrated"] | Mapping[str, object] | None  # With a published method: the minimum score of a pair; by default, the published one.


class ExtractOptions(ReadingOptions, total=False):
    """Options of ``extract``."""

    method: Literal["default", "justext", "bte"] | Mapping[str, object]  # The method. Default: ``'default'``.
    profile: Literal["cleaneval", "krdwrd"]  # The profile. Default: ``'cleaneval'``.
    comments: bool  # Keep reader comments below articles. Forum posts are always main content. Default: ``False``.
    language: str | None  # Language of the stop list that jusText uses. If not given, each page's own language decides.
    links: bool  # Write links with their addresses; otherwise only their text. Default: ``True``.
    emphasis: bool  # Write strong, emphasised and code words as such; otherwise as plain text. Default: ``True``.
    tables: bool  # Write data tables as tables; otherwise every cell becomes a paragraph. Default: ``True``.
    explain: bool  # Write each block with the decision and the reason instead: as text, or as JSON with its features. Default: ``False``.
    keep_marked: bool  # JSONL and memory: write all text of the page, with marks on what is not main content. Default: ``False``.
    offsets: Literal["chars", "bytes"]  # JSONL: the unit of the offsets of blocks. Default: ``'chars'``.


class LibraryAddOptions(ReadingOptions, total=False):
    """Options of ``Library.add``."""

    tokens: Literal["letters", "sentences", "code"] | None  # What counts as a word.
    ngram: int | None  # Number of words in an n-gram.


class LibraryCheckOptions(ReadingOptions, total=False):
    """Options of ``Library.check``."""

    most: int  # The most sources to report for each document. Default: ``20``.
    containment: float  # Report sources that contain at least this share of the document. Default: ``0.02``.
    others: bool  # Ignore the document itself: a source with the same id and the same text. Default: ``False``.
    no_passages: bool  # Find no passages, only scores. Default: ``False``.


class QualityOptions(ReadingOptions, total=False):
    """Options of ``quality``."""

    quality: str | Sequence[str]  # Sets of rules, applied in this order: presets, and files with rules in JSON.
    min_words: int | None  # Documents with fewer words are removed.
    max_words: int | None  # Documents with more words are removed.
    block_hosts: Path | Sequence[Path]  # Files that name hosts whose documents are removed, one per line.
    sample: float | None  # The share of documents that are read. Their addresses decide, or their texts.
    mask: Literal["pii"] | None  # What is masked.
    explain: bool  # Write what was measured of each document, and the rule that it breaks, instead of documents. Default: ``False``.
    keep_marked: bool  # Keep what breaks a rule, with its marks. Default: ``False``.
    offsets: Literal["chars", "bytes"]  # The unit of offsets in files. Default: ``'chars'``.


class ReadOptions(ReadingOptions, total=False):
    """Options of ``read``."""

    keep_marked: bool  # Keep ranges that an earlier run of refrain marked, with their marks. Default: ``False``.


class StripOptions(ReadingOptions, total=False):
    """Options of ``strip``."""

    method: Literal["learned", "paper"] | Mapping[str, object]  # How preambles and epilogues are found. Default: ``'learned'``.
    profile: Literal["gutenberg", "generic"]  # The profile of the texts. The published method ignores it. Default: ``'gutenberg'``.
    keep_credits: bool  # Keep credits and notes of those who made the e-book, if they follow the marker at the start of the book. Default: ``False``.
    evidence: Mapping[str, object] | None  # Evidence of an earlier run; nothing is learned then.
    explain: bool  # Write one row for each book instead: what was found, and why. Default: ``False``.
    worst: bool  # With ``explain``: the least certain first. Default: ``False``.
    keep_marked: bool  # Documents: keep preambles and epilogues, with their marks. Default: ``False``.
    offsets: Literal["chars", "bytes"]  # Documents: the unit of the offsets of marks in files. Default: ``'chars'``.


class TemplateOptions(ReadingOptions, total=False):
    """Options of ``template``."""

    by: Literal["all", "host", "folder"]  # Which pages may share a template. Default: ``'all'``.
    method: Literal["backbone", "findoptimal"]  # How content is found. Default: ``'backbone'``.
    evidence: Path | None  # A file of templates that an earlier run saved. With it, the job learns nothing.
    result: Literal["content", "records", "show", "show_in_terminal"] | Mapping[str, object]  # The kind of result to write. Default: ``'content'``.
    wrapper: Path | None  # A file with the delimiters of fields that an earlier run saved, for records. With it, the job learns nothing.


DOCS: dict[str, dict[str, str]] = {
    "run": {
        'format': 'The format of the output, if its name does not say it: ``jsonl``, ``jsonl.zst``, ``parquet``, ...',
        'overwrite': 'Allow an output folder that is not empty.',
        'errors': 'A file for what failed, one JSON object per line.',
        'report': 'A file for the report, as JSON.',
        'threads': 'Worker threads; one per core unless it is set.',
        'memory': 'Memory for what the job learns, such as ``"1.5G"``.',
        'temporary': 'The folder for temporary files.',
        'progress': 'Show progress with tqdm, where it is installed.',
    },
    "compare": {
        'input_format': 'The format, if the user overrides detection. Compression is detected in any case.',
        'text_field': "The JSON field or the column of a table that holds the text. Empty: records have no text, and all their fields are kept. Default: ``'text'``.",
        'id_field': "The JSON field or the column of a table that holds the id. Default: ``'id'``.",
        'text_is': 'The markup of texts in JSON, Parquet and memory. ``None`` leaves it to the job: HTML for jobs that read web pages, otherwise detected for each text.',
        'types': 'The types of documents to read; others are skipped. Empty: all. Texts in tables and JSON are HTML or plain text.',
        'use_marked': 'Read marked text as if it were not marked. Otherwise it is ignored. Default: ``False``.',
        'max_document': 'Documents larger than this many bytes are failures. Default: ``268435456``.',
        'max_expansion': 'An input may expand to this many times its size. Default: ``1000``.',
        'tokens': "What counts as a word. Default: ``'letters'``.",
        'ngram': 'Number of words in an n-gram. Default: ``3``.',
        'resemblance': 'Pairs with at least this resemblance R are reported. Default: ``0.03``.',
        'containment': 'Pairs of which one document contains at least this share of the other, C, are reported. Default: ``0.31``.',
        'passage_words': 'Pairs that share a passage of at least this many words are reported, too; 0 disables this. Default: ``40``.',
        'common': 'With 20 documents or more, n-grams that occur in more than this share of them do not count. Default: ``0.8``.',
        'keep_references': 'Compare lists of references, too. Default: ``False``.',
        'folders': 'Treat the files of each folder as one document. Default: ``False``.',
        'no_passages': 'Find no passages, only scores. Default: ``False``.',
        'anonymous': 'Write numbers instead of names. The list ``key`` maps numbers to documents. Default: ``False``.',
        'offsets': "The unit of ranges in files. Default: ``'chars'``.",
    },
    "convert": {
        'input_format': 'The format, if the user overrides detection. Compression is detected in any case.',
        'text_field': "The JSON field or the column of a table that holds the text. Empty: records have no text, and all their fields are kept. Default: ``'text'``.",
        'id_field': "The JSON field or the column of a table that holds the id. Default: ``'id'``.",
        'text_is': 'The markup of texts in JSON, Parquet and memory. ``None`` leaves it to the job: HTML for jobs that read web pages, otherwise detected for each text.',
        'types': 'The types of documents to read; others are skipped. Empty: all. Texts in tables and JSON are HTML or plain text.',
        'use_marked': 'Read marked text as if it were not marked. Otherwise it is ignored. Default: ``False``.',
        'max_document': 'Documents larger than this many bytes are failures. Default: ``268435456``.',
        'max_expansion': 'An input may expand to this many times its size. Default: ``1000``.',
        'keep_marked': 'Keep ranges that are already marked, with their marks. Default: ``False``.',
        'offsets': "The unit of the offsets of marks in files. Default: ``'chars'``.",
        'zstd_level': 'The level of zstd, in Parquet and in compressed files.',
        'row_group': 'Bytes of a row group in Parquet.',
        'shards': 'Divide the documents into so many files of about the same size, in a folder.',
        'registry': 'Write the registry of a vertical file next to it. Default: ``False``.',
    },
    "corpus": {
        'input_format': 'The format, if the user overrides detection. Compression is detected in any case.',
        'text_field': "The JSON field or the column of a table that holds the text. Empty: records have no text, and all their fields are kept. Default: ``'text'``.",
        'id_field': "The JSON field or the column of a table that holds the id. Default: ``'id'``.",
        'text_is': 'The markup of texts in JSON, Parquet and memory. ``None`` leaves it to the job: HTML for jobs that read web pages, otherwise detected for each text.',
        'types': 'The types of documents to read; others are skipped. Empty: all. Texts in tables and JSON are HTML or plain text.',
        'use_marked': 'Read marked text as if it were not marked. Otherwise it is ignored. Default: ``False``.',
        'max_document': 'Documents larger than this many bytes are failures. Default: ``268435456``.',
        'max_expansion': 'An input may expand to this many times its size. Default: ``1000``.',
        'lang': 'Languages to keep; all if empty.',
        'lang_by': "The unit that must be in one of them. Default: ``'document'``.",
        'lang_undecided': "What becomes of text whose language is unknown, if languages are named. Default: ``'keep'``.",
        'method': "The method. Default: ``'default'``.",
        'profile': "The profile. Default: ``'cleaneval'``.",
        'comments': 'Keep reader comments below articles. Forum posts are always main content. Default: ``False``.',
        'language': "Language of the stop list that jusText uses. If not given, each page's own language decides.",
        'template': "Whether the template of each host is learned and marked. The inputs are then read twice. Default: ``'none'``.",
        'quality': 'Sets of rules, applied in this order: presets, and files with rules in JSON.',
        'min_words': 'Documents with fewer words are removed.',
        'max_words': 'Documents with more words are removed.',
        'block_hosts': 'Files that name hosts whose documents are removed, one per line.',
        'sample': 'The share of documents that are read. Their addresses decide, or their texts.',
        'mask': 'What is masked.',
        'strip': 'Mark what was added before and after books, with the evidence that ships with the library. Web pages are no books. Default: ``False``.',
        'dedup': "Which duplicates are removed. Default: ``'blocks'``.",
        'keep_marked': 'Keep marked ranges in the parts, with their marks. Default: ``False``.',
        'offsets': "The unit of offsets. Default: ``'chars'``.",
        'removed': 'List removed ranges under ``removed/``. Default: ``True``.',
        'part_size': 'Text in one part, in bytes. Default: ``268435456``.',
        'zstd_level': 'The level of zstd, in Parquet and in compressed parts.',
        'row_group': 'Bytes of a row group in Parquet.',
        'checkpoint': 'Raw documents between two checkpoints, in bytes: the most that a killed run has to repeat, per thread. Default: ``67108864``.',
        'alarm': 'Does not complete the corpus if a source, host or language loses more than this share of its main content to other passes, in words or documents. The same job with a higher limit, or none, then completes it. It is not a part of the record.',
        'add': 'Add the inputs to a complete corpus, as another batch. Its documents are compared with those of the corpus, which does not change. Its documents are then those of a corpus of all inputs. It is not a part of the record. Default: ``False``.',
        'evidence': 'Keep what later batches are compared with. Without it, nothing can be added to the corpus until it is made again. It is not a part of the record. Default: ``True``.',
    },
    "decode": {
        'max_document': 'The maximum size of a file in bytes; larger files are failures. Default: ``268435456``.',
        'assume_lang': 'The language of the files, by its code, if it is known.',
        'encoding': 'The encoding of the files, by any of its names, if it is known: nothing is detected, and the options that say how have no effect.',
        'method': "How the encoding is detected. Default: ``'letters'``.",
        'model': 'A file with a model for the published method, which is then used. See Decode::train.',
        'sample': 'How many bytes of a file are examined to detect its encoding; ``None`` examines as many as needed.',
        'detect': 'List encoding, language, confidence and declaration of each file instead of writing texts. Default: ``False``.',
        'lang': 'Write only texts in these languages, by their codes, and those whose language is unclear. Empty for all.',
    },
    "decontaminate": {
        'input_format': 'The format, if the user overrides detection. Compression is detected in any case.',
        'text_field': "The JSON field or the column of a table that holds the text. Empty: records have no text, and all their fields are kept. Default: ``'text'``.",
        'id_field': "The JSON field or the column of a table that holds the id. Default: ``'id'``.",
        'text_is': 'The markup of texts in JSON, Parquet and memory. ``None`` leaves it to the job: HTML for jobs that read web pages, otherwise detected for each text.',
        'types': 'The types of documents to read; others are skipped. Empty: all. Texts in tables and JSON are HTML or plain text.',
        'use_marked': 'Read marked text as if it were not marked. Otherwise it is ignored. Default: ``False``.',
        'max_document': 'Documents larger than this many bytes are failures. Default: ``268435456``.',
        'max_expansion': 'An input may expand to this many times its size. Default: ``1000``.',
        'question': 'The field that holds the question.',
        'answer': 'The field that holds the answer.',
        'passage': 'The field that holds the passage.',
        'options': 'The field that holds the options.',
        'unit': "What is removed. Default: ``'passage'``.",
        'keep_marked': 'Keep what was found, with its marks. Default: ``False``.',
        'offsets': "The unit of offsets in files. Default: ``'chars'``.",
    },
    "dedup": {
        'input_format': 'The format, if the user overrides detection. Compression is detected in any case.',
        'text_field': "The JSON field or the column of a table that holds the text. Empty: records have no text, and all their fields are kept. Default: ``'text'``.",
        'id_field': "The JSON field or the column of a table that holds the id. Default: ``'id'``.",
        'text_is': 'The markup of texts in JSON, Parquet and memory. ``None`` leaves it to the job: HTML for jobs that read web pages, otherwise detected for each text.',
        'types': 'The types of documents to read; others are skipped. Empty: all. Texts in tables and JSON are HTML or plain text.',
        'use_marked': 'Read marked text as if it were not marked. Otherwise it is ignored. Default: ``False``.',
        'max_document': 'Documents larger than this many bytes are failures. Default: ``268435456``.',
        'max_expansion': 'An input may expand to this many times its size. Default: ``1000``.',
        'unit': "The unit to remove: blocks, or whole documents. Default: ``'block'``.",
        'contained': 'Whole documents: the share of the own text of a document that an earlier one must contain. Wording that many documents share does not count. Default: ``0.8``.',
        'resemblance': 'Whole documents: compare them as published instead, by how much their word 5-grams resemble each other.',
        'measure': "Whole documents: how resemblance is measured. Default: ``'jaccard'``.",
        'keep': "Whole documents: which one of those that resemble each other is kept. Default: ``'first'``.",
        'exact': 'Remove only what is equal as a whole, and what must be equal.',
        'count_only': 'Only count n-grams. Nothing is written but the list ``errors``. Default: ``False``.',
        'ngram': 'Number of words in an n-gram. Default: ``7``.',
        'threshold': 'A block is a duplicate if a larger share of its words occurred before. Default: ``0.5``.',
        'stub': 'Blocks of fewer words between two duplicates are removed with them. Default: ``20``.',
        'intact': 'Compare n-grams only. This misses heavily edited copies, and removes near-duplicates that differ only in names or numbers. Default: ``False``.',
        'template_text': 'Also remove blocks with the wording of many documents that say something else: with other names, numbers or words. Default: ``False``.',
        'engine': "How repeated n-grams are found. The result is the same. Default: ``'hash'``.",
        'make_ids': 'Number ids that occur more than once: ``id``, ``id#2``, ``id#3``. Default: ``False``.',
        'keep_marked': 'Keep duplicates, with their marks. Default: ``False``.',
        'offsets': "The unit of offsets in files. Default: ``'chars'``.",
        'part_size': 'Bytes of text in each part, where the output is a folder. Default: ``268435456``.',
        'checkpoint': 'Bytes of text between two checkpoints: what a killed run repeats at most. Default: ``1073741824``.',
        'alarm': 'Does not complete the output if a source, host or language loses more than this share of its words or documents. The same job with a higher limit, or none, then completes it. It is not a part of what makes two runs the same.',
    },
    "editions": {
        'input_format': 'The format, if the user overrides detection. Compression is detected in any case.',
        'text_field': "The JSON field or the column of a table that holds the text. Empty: records have no text, and all their fields are kept. Default: ``'text'``.",
        'id_field': "The JSON field or the column of a table that holds the id. Default: ``'id'``.",
        'text_is': 'The markup of texts in JSON, Parquet and memory. ``None`` leaves it to the job: HTML for jobs that read web pages, otherwise detected for each text.',
        'types': 'The types of documents to read; others are skipped. Empty: all. Texts in tables and JSON are HTML or plain text.',
        'use_marked': 'Read marked text as if it were not marked. Otherwise it is ignored. Default: ``False``.',
        'max_document': 'Documents larger than this many bytes are failures. Default: ``268435456``.',
        'max_expansion': 'An input may expand to this many times its size. Default: ``1000``.',
        'no_strip': 'Compare licences and notices at the beginning and the end of books, too. Default: ``False``.',
        'method': 'A published method that compares books instead. It finds no passages, and keeps all sets of words in memory.',
        'threshold': 'With a published method: the minimum score of a pair; by default, the published one.',
    },
    "extract": {
        'input_format': 'The format, if the user overrides detection. Compression is detected in any case.',
        'text_field': "The JSON field or the column of a table that holds the text. Empty: records have no text, and all their fields are kept. Default: ``'text'``.",
        'id_field': "The JSON field or the column of a table that holds the id. Default: ``'id'``.",
        'text_is': 'The markup of texts in JSON, Parquet and memory. ``None`` leaves it to the job: HTML for jobs that read web pages, otherwise detected for each text.',
        'types': 'The types of documents to read; others are skipped. Empty: all. Texts in tables and JSON are HTML or plain text.',
        'use_marked': 'Read marked text as if it were not marked. Otherwise it is ignored. Default: ``False``.',
        'max_document': 'Documents larger than this many bytes are failures. Default: ``268435456``.',
        'max_expansion': 'An input may expand to this many times its size. Default: ``1000``.',
        'method': "The method. Default: ``'default'``.",
        'profile': "The profile. Default: ``'cleaneval'``.",
        'comments': 'Keep reader comments below articles. Forum posts are always main content. Default: ``False``.',
        'language': "Language of the stop list that jusText uses. If not given, each page's own language decides.",
        'links': 'Write links with their addresses; otherwise only their text. Default: ``True``.',
        'emphasis': 'Write strong, emphasised and code words as such; otherwise as plain text. Default: ``True``.',
        'tables': 'Write data tables as tables; otherwise every cell becomes a paragraph. Default: ``True``.',
        'explain': 'Write each block with the decision and the reason instead: as text, or as JSON with its features. Default: ``False``.',
        'keep_marked': 'JSONL and memory: write all text of the page, with marks on what is not main content. Default: ``False``.',
        'offsets': "JSONL: the unit of the offsets of blocks. Default: ``'chars'``.",
    },
    "library_add": {
        'input_format': 'The format, if the user overrides detection. Compression is detected in any case.',
        'text_field': "The JSON field or the column of a table that holds the text. Empty: records have no text, and all their fields are kept. Default: ``'text'``.",
        'id_field': "The JSON field or the column of a table that holds the id. Default: ``'id'``.",
        'text_is': 'The markup of texts in JSON, Parquet and memory. ``None`` leaves it to the job: HTML for jobs that read web pages, otherwise detected for each text.',
        'types': 'The types of documents to read; others are skipped. Empty: all. Texts in tables and JSON are HTML or plain text.',
        'use_marked': 'Read marked text as if it were not marked. Otherwise it is ignored. Default: ``False``.',
        'max_document': 'Documents larger than this many bytes are failures. Default: ``268435456``.',
        'max_expansion': 'An input may expand to this many times its size. Default: ``1000``.',
        'tokens': 'What counts as a word.',
        'ngram': 'Number of words in an n-gram.',
    },
    "library_check": {
        'input_format': 'The format, if the user overrides detection. Compression is detected in any case.',
        'text_field': "The JSON field or the column of a table that holds the text. Empty: records have no text, and all their fields are kept. Default: ``'text'``.",
        'id_field': "The JSON field or the column of a table that holds the id. Default: ``'id'``.",
        'text_is': 'The markup of texts in JSON, Parquet and memory. ``None`` leaves it to the job: HTML for jobs that read web pages, otherwise detected for each text.',
        'types': 'The types of documents to read; others are skipped. Empty: all. Texts in tables and JSON are HTML or plain text.',
        'use_marked': 'Read marked text as if it were not marked. Otherwise it is ignored. Default: ``False``.',
        'max_document': 'Documents larger than this many bytes are failures. Default: ``268435456``.',
        'max_expansion': 'An input may expand to this many times its size. Default: ``1000``.',
        'most': 'The most sources to report for each document. Default: ``20``.',
        'containment': 'Report sources that contain at least this share of the document. Default: ``0.02``.',
        'others': 'Ignore the document itself: a source with the same id and the same text. Default: ``False``.',
        'no_passages': 'Find no passages, only scores. Default: ``False``.',
    },
    "quality": {
        'input_format': 'The format, if the user overrides detection. Compression is detected in any case.',
        'text_field': "The JSON field or the column of a table that holds the text. Empty: records have no text, and all their fields are kept. Default: ``'text'``.",
        'id_field': "The JSON field or the column of a table that holds the id. Default: ``'id'``.",
        'text_is': 'The markup of texts in JSON, Parquet and memory. ``None`` leaves it to the job: HTML for jobs that read web pages, otherwise detected for each text.',
        'types': 'The types of documents to read; others are skipped. Empty: all. Texts in tables and JSON are HTML or plain text.',
        'use_marked': 'Read marked text as if it were not marked. Otherwise it is ignored. Default: ``False``.',
        'max_document': 'Documents larger than this many bytes are failures. Default: ``268435456``.',
        'max_expansion': 'An input may expand to this many times its size. Default: ``1000``.',
        'quality': 'Sets of rules, applied in this order: presets, and files with rules in JSON.',
        'min_words': 'Documents with fewer words are removed.',
        'max_words': 'Documents with more words are removed.',
        'block_hosts': 'Files that name hosts whose documents are removed, one per line.',
        'sample': 'The share of documents that are read. Their addresses decide, or their texts.',
        'mask': 'What is masked.',
        'explain': 'Write what was measured of each document, and the rule that it breaks, instead of documents. Default: ``False``.',
        'keep_marked': 'Keep what breaks a rule, with its marks. Default: ``False``.',
        'offsets': "The unit of offsets in files. Default: ``'chars'``.",
    },
    "read": {
        'input_format': 'The format, if the user overrides detection. Compression is detected in any case.',
        'text_field': "The JSON field or the column of a table that holds the text. Empty: records have no text, and all their fields are kept. Default: ``'text'``.",
        'id_field': "The JSON field or the column of a table that holds the id. Default: ``'id'``.",
        'text_is': 'The markup of texts in JSON, Parquet and memory. ``None`` leaves it to the job: HTML for jobs that read web pages, otherwise detected for each text.',
        'types': 'The types of documents to read; others are skipped. Empty: all. Texts in tables and JSON are HTML or plain text.',
        'use_marked': 'Read marked text as if it were not marked. Otherwise it is ignored. Default: ``False``.',
        'max_document': 'Documents larger than this many bytes are failures. Default: ``268435456``.',
        'max_expansion': 'An input may expand to this many times its size. Default: ``1000``.',
        'keep_marked': 'Keep ranges that an earlier run of refrain marked, with their marks. Default: ``False``.',
    },
    "strip": {
        'input_format': 'The format, if the user overrides detection. Compression is detected in any case.',
        'text_field': "The JSON field or the column of a table that holds the text. Empty: records have no text, and all their fields are kept. Default: ``'text'``.",
        'id_field': "The JSON field or the column of a table that holds the id. Default: ``'id'``.",
        'text_is': 'The markup of texts in JSON, Parquet and memory. ``None`` leaves it to the job: HTML for jobs that read web pages, otherwise detected for each text.',
        'types': 'The types of documents to read; others are skipped. Empty: all. Texts in tables and JSON are HTML or plain text.',
        'use_marked': 'Read marked text as if it were not marked. Otherwise it is ignored. Default: ``False``.',
        'max_document': 'Documents larger than this many bytes are failures. Default: ``268435456``.',
        'max_expansion': 'An input may expand to this many times its size. Default: ``1000``.',
        'method': "How preambles and epilogues are found. Default: ``'learned'``.",
        'profile': "The profile of the texts. The published method ignores it. Default: ``'gutenberg'``.",
        'keep_credits': 'Keep credits and notes of those who made the e-book, if they follow the marker at the start of the book. Default: ``False``.',
        'evidence': 'Evidence of an earlier run; nothing is learned then.',
        'explain': 'Write one row for each book instead: what was found, and why. Default: ``False``.',
        'worst': 'With ``explain``: the least certain first. Default: ``False``.',
        'keep_marked': 'Documents: keep preambles and epilogues, with their marks. Default: ``False``.',
        'offsets': "Documents: the unit of the offsets of marks in files. Default: ``'chars'``.",
    },
    "template": {
        'input_format': 'The format, if the user overrides detection. Compression is detected in any case.',
        'text_field': "The JSON field or the column of a table that holds the text. Empty: records have no text, and all their fields are kept. Default: ``'text'``.",
        'id_field': "The JSON field or the column of a table that holds the id. Default: ``'id'``.",
        'text_is': 'The markup of texts in JSON, Parquet and memory. ``None`` leaves it to the job: HTML for jobs that read web pages, otherwise detected for each text.',
        'types': 'The types of documents to read; others are skipped. Empty: all. Texts in tables and JSON are HTML or plain text.',
        'use_marked': 'Read marked text as if it were not marked. Otherwise it is ignored. Default: ``False``.',
        'max_document': 'Documents larger than this many bytes are failures. Default: ``268435456``.',
        'max_expansion': 'An input may expand to this many times its size. Default: ``1000``.',
        'by': "Which pages may share a template. Default: ``'all'``.",
        'method': "How content is found. Default: ``'backbone'``.",
        'evidence': 'A file of templates that an earlier run saved. With it, the job learns nothing.',
        'result': "The kind of result to write. Default: ``'content'``.",
        'wrapper': 'A file with the delimiters of fields that an earlier run saved, for records. With it, the job learns nothing.',
    },
}
