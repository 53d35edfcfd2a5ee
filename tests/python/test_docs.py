"""The documents: links lead somewhere, and commands print what is shown."""

import json
import re
import shutil

import pytest
from cli import ROOT, SAMPLES, refrain
from examples import documents, renewed, with_examples

LINK = re.compile(r"!?\[(?:[^\]\[]|\[[^\]]*\])*\]\(([^)\s]+)\)")
CODE = re.compile(r"^(```+).*?^\1$|``.+?``|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def prose(document):
    """The text of a document without its code."""
    return CODE.sub("", document.read_text())


def anchors(document):
    """The anchors that GitHub and mdBook give the headings of a document."""
    text = re.sub(r"^```.*?^```$", "", document.read_text(), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def by_path(document):
    return str(document.relative_to(ROOT))


@pytest.mark.parametrize("document", documents(), ids=by_path)
def test_links_lead_somewhere(document):
    broken = []
    for link in LINK.findall(prose(document)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (document.parent / path).resolve() if path else document
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            broken.append(link)
    assert not broken


def test_every_page_is_in_the_book():
    summary = (ROOT / "docs/SUMMARY.md").read_text()
    listed = {ROOT / "docs" / link for link in LINK.findall(summary)}
    pages = set((ROOT / "docs").rglob("*.md")) - {ROOT / "docs/SUMMARY.md"}
    assert listed == pages


def test_pages_of_the_book_link_inside_it():
    book = ROOT / "docs"
    outside = [
        f"{by_path(page)}: {link}"
        for page in book.rglob("*.md")
        for link in LINK.findall(prose(page))
        if not re.match(r"[a-z]+:|#", link) and book not in (page.parent / link).resolve().parents
    ]
    assert not outside


OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
SPAN = re.compile(r"`([^`\n]+)`")
VERB_OF_PAGE = {"first-corpus": ["corpus"], "list-stats": ["list", "stats"]}


def visible_options():
    """The options that the help of each verb lists, by verb. A test of the command line keeps the page of options up to date."""
    options, verbs = {}, []
    for line in (ROOT / "docs/guide/options.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| |"):
            verbs = cells[1:]
        elif found := OPTION.search(cells[0]) if line.startswith("| `") else None:
            for verb, cell in zip(verbs, cells[1:]):
                if cell:
                    options.setdefault(verb, {"--help"}).add(found.group())
    return options


def code_of(text):
    """The code spans of a document, and the lines of its blocks; a command may continue after a backslash."""
    blocks = re.findall(r"^```[a-z]*\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    spans = SPAN.findall(re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL))
    return spans + [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]


def unknown_options(page, options):
    """The options in a page that no help lists: those of commands, of tables about one verb, and others by their name alone."""
    text = page.read_text()
    unknown = []
    for code in code_of(text):
        for command in re.split(r"[|;&]|\$\(|`", code):
            called = re.search(r"(?:^|[ $])refrain (library )?([a-z]+)\b", command)
            verb = "".join(part for part in called.groups() if part) if called else None
            known = options.get(verb, set()) if called else set().union(*options.values())
            if called or command.startswith("--"):
                unknown += [f"{command}: {option}" for option in OPTION.findall(command) if option not in known]
    stem = page.stem
    verbs = VERB_OF_PAGE.get(stem, [verb for verb in options if verb.split()[0] == stem])
    if page.parent.name == "guide" and verbs:
        known = set().union(*(options[verb] for verb in verbs))
        rows = re.findall(r"^\| (`-[^|]*) \|", text, flags=re.MULTILINE)
        unknown += [f"{row}: {option}" for row in rows for option in OPTION.findall(row) if option not in known]
    return unknown


@pytest.mark.parametrize("page", [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))], ids=by_path)
def test_options_are_those_of_the_help(page):
    assert not unknown_options(page, visible_options())


def test_the_page_lists_the_options_in_a_manifest(tmp_path):
    options = ["--method", "justext", "--types", "text", "--zstd-level", "3", "--row-group", "1M"]
    refrain("corpus", SAMPLES / "notes.jsonl", "-o", tmp_path / "corpus", *options, "--quiet")
    written = json.loads((tmp_path / "corpus/manifest.json").read_text())["options"]
    page = (ROOT / "docs/formats.md").read_text()
    table = page.partition("### manifest.json")[2].partition("| Option | Value |")[2].partition("\n\n")[0]
    listed = [name for row in table.splitlines() for name in SPAN.findall(row.split("|")[1] if row else "")]
    assert sorted(listed) == sorted(written)


MOST_WORDS = 30
GUIDE = [ROOT / "README.md", ROOT / "docs/introduction.md", *sorted((ROOT / "docs/guide").glob("*.md"))]


def long_sentences(text):
    """The sentences with too many words, without code, tables, headings and pictures. A code span counts as one word."""
    text = CODE.sub(lambda code: "code" if code[1] is None else "\n\n", text)
    text = re.sub(r"^(\||#|!\[).*$", "", text, flags=re.MULTILINE)
    # An item of a list ends the sentence before it.
    text = re.sub(r"^\s*([-*>]|\d+\.)\s", r"\n\n", text, flags=re.MULTILINE)
    text = LINK.sub(lambda link: link[0][1:].partition("](")[0], text)
    parts = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text)]
    sentences = [sentence for part in parts for sentence in re.split(r"(?<=[.!?])[*)\"”]*\s", part)]
    return [sentence for sentence in sentences if len(re.findall(r"\S*\w\S*", sentence)) > MOST_WORDS]


@pytest.mark.parametrize("page", GUIDE, ids=by_path)
def test_sentences_are_short(page):
    assert not long_sentences(page.read_text())


def test_long_sentences_are_found():
    words = " ".join(["word"] * 29)
    assert not long_sentences(f"# {words} {words}\n\nA {words}. B {words}.\n\n| {words} {words} |\n\n```\n{words} {words}\n```\n")
    assert not long_sentences(f"- {words}\n- {words}\n\n`{words}` [{words}](a.md).")
    assert long_sentences(f"- A {words}\n  and more.") == [f"A {words} and more."]


def string_literals():
    """The string literals of both crates, without comments and tests."""
    found = []
    for file in (ROOT / "crates").glob("refrain*/src/**/*.rs"):
        code = file.read_text().partition("#[cfg(test)]")[0]
        code = "\n".join(line for line in code.splitlines() if not line.lstrip().startswith("//"))
        found += re.findall(r'"((?:[^"\\]|\\.)*)"', code, flags=re.DOTALL)
    found = [re.sub(r"\\\n\s*", "", literal).replace('\\"', '"') for literal in found]
    # The command line spells the options in hints as flags.
    return [re.sub(r"`([a-z_]+)`", lambda name: "--" + name[1].replace("_", "-"), literal) for literal in found]


def test_messages_that_the_guide_explains_exist():
    literals = string_literals()
    page = (ROOT / "docs/guide/troubleshooting.md").read_text()
    tables = re.findall(r"^\| Message \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", page, flags=re.MULTILINE)
    messages = [span for table in tables for row in table.splitlines() for span in SPAN.findall(row.split(" | ")[0])]
    assert len(messages) > 40
    parts = [(message, part.strip()) for message in messages for part in re.split(r"\.\.\.|…", message)]
    unknown = [message for message, part in parts if not any(part in literal for literal in literals)]
    assert not unknown, "\n".join(unknown)


@pytest.mark.skipif(not (shutil.which("jq") and shutil.which("zstd")), reason="the examples need jq and zstd")
@pytest.mark.parametrize("document", with_examples(), ids=by_path)
def test_commands_print_what_is_shown(document):
    text, failed = renewed(document)
    assert not failed
    assert text == document.read_text(), "renew the output with `make examples`"
