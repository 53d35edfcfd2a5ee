"""jusText as published: the blocks of real pages and their classes, beside those of the program on PyPI."""

import base64
import difflib
import io
import json
import subprocess

import justext
import pytest
import zstandard
from cli import BINARY, SHARED, json_lines

PAGES = SHARED / "web" / "pages.jsonl.zst"
BENCH = BINARY.with_name("refrain-bench")

needs_pages = pytest.mark.skipif(not PAGES.is_file(), reason=f"no test data: {PAGES} is not there")


@pytest.fixture(scope="module")
def pages():
    decompressor = zstandard.ZstdDecompressor(max_window_size=2**27)
    with PAGES.open("rb") as file, decompressor.stream_reader(file) as stream:
        return [decoded(json.loads(line)) for line in io.TextIOWrapper(stream, encoding="utf-8", newline="\n")]


def decoded(page):
    html = page.get("html") or base64.b64decode(page["html_base64"]).decode(page["charset"], "replace")
    return {"id": page["id"], "html": html}


def published(pages, words):
    """Page by page (text, class by itself, class) of each block; nothing for pages that the program cannot read."""
    for page in pages:
        try:
            found = justext.justext(page["html"], words)
        except ValueError:  # control characters
            yield None
            continue
        yield [(" ".join(block.text.split()), block.cf_class, block.class_type) for block in found]


def ours(pages, words, folder):
    (folder / "pages.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages))
    (folder / "words.txt").write_text("\n".join(words))
    command = [BENCH, "justext", folder / "pages.jsonl", "--stop-words", folder / "words.txt"]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=300)
    for page in json_lines(done.stdout.decode()):
        blocks = page["blocks"]
        yield [(" ".join(block["text"].split()), block["context_free"], block["class"]) for block in blocks]


def pairs(left, right):
    """Blocks of the same text, in the same order."""
    left_texts, right_texts = [block[0] for block in left], [block[0] for block in right]
    matcher = difflib.SequenceMatcher(None, left_texts, right_texts, autojunk=False)
    for match in matcher.get_matching_blocks():
        yield from zip(left[match.a : match.a + match.size], right[match.b : match.b + match.size], strict=True)


@needs_pages
def test_blocks_and_classes_agree_with_the_published_program(pages, tmp_path):
    assert BENCH.is_file(), f"{BENCH} is not there: build it with `cargo build --package refrain-bench`"
    words = justext.get_stoplist("English")
    blocks = same_text = same_alone = same = 0
    for theirs, own in zip(published(pages, words), ours(pages, words, tmp_path), strict=True):
        if theirs is None:
            continue
        blocks += max(len(theirs), len(own))
        for left, right in pairs(theirs, own):
            same_text += 1
            same_alone += left[1] == right[1]
            same += left == right
    print(f"{blocks} blocks: {same_text} have the same text, {same_alone} the same class alone, {same} the same class")
    assert blocks > 0
    assert same_alone >= 0.999 * blocks
    assert same >= 0.99 * blocks
