"""The documents: links lead somewhere, and commands print what is shown."""

import re
import shutil

import pytest
from cli import ROOT
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


@pytest.mark.skipif(not (shutil.which("jq") and shutil.which("zstd")), reason="the examples need jq and zstd")
@pytest.mark.parametrize("document", with_examples(), ids=by_path)
def test_commands_print_what_is_shown(document):
    text, failed = renewed(document)
    assert not failed
    assert text == document.read_text(), "renew the output with `make examples`"
