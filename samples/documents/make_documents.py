#!/usr/bin/env python3
"""Builds the documents of this folder: one essay in the formats people hand in.

    pip install python-docx odfpy reportlab ebooklib pypdf cryptography msoffcrypto-tool
    python3 samples/documents/make_documents.py

LibreOffice (soffice) converts keeper.docx to keeper.rtf, keeper.doc and
writer.pdf; without it, these three stay as they are.  Programs put dates and
random keys into their files, so two runs do not write the same bytes; the text
in them is the same.
"""

import io
import shutil
import subprocess
from pathlib import Path

import docx
import msoffcrypto
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from ebooklib import epub
from odf import dc, meta, office, table, text
from odf.namespaces import TEXTNS
from odf.opendocument import OpenDocumentText
from PIL import Image, ImageDraw
from pypdf import PdfReader, PdfWriter
from reportlab.lib import colors
from reportlab.lib.enums import TA_JUSTIFY, TA_LEFT
from reportlab.lib.pagesizes import A5
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import ListFlowable, PageBreak, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

HERE = Path(__file__).resolve().parent

TITLE = "The keeper's year"
AUTHOR = "Ida Fennick"
FIRST = (
    "The lamp at Skerrow Head was lit at dusk and burned until the morning, when the keeper climbed the stairs once more, "
    "trimmed the wick and drew the curtains around the lens."
)
CHANGED = ("The log says that ", "three", "four", " boats went out that night.")
HEADING = "The harbour"
SECOND = (
    "In the harbour café the fishermen from Évreux-sur-Mer spoke of naïve visitors, “quite lost”, who asked for the "
    "first ferry of the day and found the office closed until noon."
)
ITEMS = ("Oil for the lamp", "Wicks, cut to length", "Chamois leather")
ROWS = (("Month", "Nights lit", "Oil used"), ("January", "31", "120 l"), ("June", "30", "64 l"))
FOOTNOTE = "The stairs have one hundred and ninety-six steps."
ENDNOTE = "The log is kept in the office of the harbour."
LAST = "Nobody has counted the gulls."
PASSWORD = "lamp"


def make_docx(path):
    document = docx.Document()
    properties = document.core_properties
    properties.title, properties.author, properties.language = TITLE, AUTHOR, "en-GB"
    document.add_heading(TITLE, 0)
    first = document.add_paragraph(FIRST)
    first.runs[0].text = FIRST
    add_note(document, first, "footnote", FOOTNOTE)
    before, deleted, inserted, after = CHANGED
    changed = document.add_paragraph(before)
    by = 'w:id="1" w:author="Ida" w:date="2024-01-01T00:00:00Z"'
    changed._p.append(parse_xml(f"<w:del {nsdecls('w')} {by}><w:r><w:delText>{deleted}</w:delText></w:r></w:del>"))
    changed._p.append(parse_xml(f"<w:ins {nsdecls('w')} {by}><w:r><w:t>{inserted}</w:t></w:r></w:ins>"))
    changed.add_run(after)
    document.add_heading(HEADING, 1)
    second = document.add_paragraph(SECOND)
    add_note(document, second, "endnote", ENDNOTE)
    for item in ITEMS:
        document.add_paragraph(item, style="List Bullet")
    grid = document.add_table(rows=0, cols=3)
    for row in ROWS:
        for cell, value in zip(grid.add_row().cells, row):
            cell.text = value
    last = document.add_paragraph()
    for kind in ("begin", None, "separate"):
        run = last.add_run()
        inner = f'<w:fldChar {nsdecls("w")} w:fldCharType="{kind}"/>' if kind else (
            f'<w:instrText {nsdecls("w")} xml:space="preserve"> HYPERLINK "https://lighthouse.example/" </w:instrText>')
        run._r.append(parse_xml(inner))
    last.add_run(LAST)
    last.add_run()._r.append(parse_xml(f'<w:fldChar {nsdecls("w")} w:fldCharType="end"/>'))
    document.save(path)


def add_note(document, paragraph, kind, note):
    """python-docx knows no notes: the part is written by hand."""
    separators = "".join(
        f'<w:{kind} w:type="{name}" w:id="{number}"><w:p><w:r><w:{mark}/></w:r></w:p></w:{kind}>'
        for number, name, mark in ((-1, "separator", "separator"), (0, "continuationSeparator", "continuationSeparator")))
    xml = (
        f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?><w:{kind}s {nsdecls("w")}>{separators}'
        f'<w:{kind} w:id="1"><w:p><w:r><w:{kind}Ref/></w:r><w:r><w:t xml:space="preserve"> {note}</w:t></w:r></w:p></w:{kind}>'
        f"</w:{kind}s>")
    kind_of_part = f"application/vnd.openxmlformats-officedocument.wordprocessingml.{kind}s+xml"
    part = Part(PackURI(f"/word/{kind}s.xml"), kind_of_part, xml.encode(), document.part.package)
    document.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES if kind == "footnote" else RELATIONSHIP_TYPE.ENDNOTES)
    run = paragraph.add_run()
    run._r.append(parse_xml(f'<w:{kind}Reference {nsdecls("w")} w:id="1"/>'))


def make_odt(path):
    document = OpenDocumentText()
    document.meta.addElement(dc.Title(text=TITLE))
    document.meta.addElement(meta.InitialCreator(text=AUTHOR))
    document.meta.addElement(dc.Language(text="en-GB"))
    changes = text.TrackedChanges()
    region = text.ChangedRegion(check_grammar=False)
    region.setAttrNS(TEXTNS, "id", "c1")
    deletion = text.Deletion()
    info = office.ChangeInfo()
    info.addElement(dc.Creator(text="Ida"))
    info.addElement(dc.Date(text="2024-01-01T00:00:00"))
    deletion.addElement(info)
    deletion.addElement(text.P(text=CHANGED[1]))
    region.addElement(deletion)
    changes.addElement(region)
    document.text.addElement(changes)
    document.text.addElement(text.H(outlinelevel=1, text=TITLE))
    first = text.P(text=FIRST)
    first.addElement(odf_note("footnote", "1", FOOTNOTE))
    document.text.addElement(first)
    changed = text.P(text=CHANGED[0])
    changed.addElement(text.Change(changeid="c1"))
    changed.addText(CHANGED[2] + CHANGED[3])
    document.text.addElement(changed)
    document.text.addElement(text.H(outlinelevel=2, text=HEADING))
    second = text.P(text=SECOND)
    second.addElement(odf_note("endnote", "i", ENDNOTE))
    remark = office.Annotation()
    remark.addElement(dc.Creator(text="Tom Carrow"))
    remark.addElement(text.P(text="Is this so?"))
    second.addElement(remark)
    document.text.addElement(second)
    items = text.List()
    for item in ITEMS:
        entry = text.ListItem()
        entry.addElement(text.P(text=item))
        items.addElement(entry)
    document.text.addElement(items)
    grid = table.Table(name="Oil")
    grid.addElement(table.TableColumn(numbercolumnsrepeated=3))
    for row in ROWS:
        line = table.TableRow()
        for value in row:
            cell = table.TableCell()
            cell.addElement(text.P(text=value))
            line.addElement(cell)
        grid.addElement(line)
    document.text.addElement(grid)
    document.text.addElement(text.P(text=LAST))
    document.save(path)


def odf_note(kind, citation, note):
    element = text.Note(noteclass=kind, id=f"n{citation}")
    element.addElement(text.NoteCitation(text=citation))
    body = text.NoteBody()
    body.addElement(text.P(text=note))
    element.addElement(body)
    return element


def make_epub(path):
    book = epub.EpubBook()
    book.set_identifier("keeper")
    book.set_title(TITLE)
    book.set_language("en-GB")
    book.add_author(AUTHOR)
    one = epub.EpubHtml(title=TITLE, file_name="text/one.xhtml", lang="en")
    one.content = f"<h1>{TITLE}</h1><p>{FIRST}</p><p>{CHANGED[0]}{CHANGED[2]}{CHANGED[3]}</p>"
    two = epub.EpubHtml(title=HEADING, file_name="text/two words.xhtml", lang="en")
    items = "".join(f"<li>{item}</li>" for item in ITEMS)
    two.content = f'<h2>{HEADING}</h2><p><a id="here"/>{SECOND}</p><ul>{items}</ul><p>{LAST}</p>'
    book.add_item(two)
    book.add_item(one)
    book.toc = (one, two)
    book.add_item(epub.EpubNcx())
    book.add_item(epub.EpubNav())
    book.spine = [one, two]
    epub.write_epub(str(path), book)


def make_pdf(path):
    pdfmetrics.registerFont(TTFont("Vera", "Vera.ttf"))
    base = ParagraphStyle("base", fontName="Times-Roman", fontSize=11, leading=14, spaceAfter=8, alignment=TA_JUSTIFY)
    heading = ParagraphStyle("heading", parent=base, fontName="Helvetica-Bold", fontSize=16, leading=20)
    unicode = ParagraphStyle("unicode", parent=base, fontName="Vera", fontSize=10)
    grid = Table(ROWS, style=TableStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.black)]), colWidths=100)
    # A hyphen at the end of a line.
    hyphenated = FIRST.replace("the curtains", "the cur-<br/>tains")
    ragged = ParagraphStyle("ragged", parent=base, alignment=TA_LEFT)
    story = [
        Paragraph(TITLE, heading), Paragraph(hyphenated, ragged),
        Paragraph(CHANGED[0] + CHANGED[2] + CHANGED[3], base), PageBreak(),
        Paragraph(HEADING, heading), Paragraph(SECOND, unicode),
        ListFlowable([Paragraph(item, base) for item in ITEMS], bulletType="bullet"),
        Spacer(1, 12), grid, Spacer(1, 12), Paragraph(LAST, base),
    ]
    SimpleDocTemplate(str(path), pagesize=A5, title=TITLE, author=AUTHOR, lang="en-GB", invariant=1).build(story)


def make_scan(path):
    picture = Image.new("1", (400, 560), 1)
    ImageDraw.Draw(picture).text((40, 40), TITLE)
    canvas = Canvas(str(path), pagesize=A5, invariant=1)
    data = io.BytesIO()
    picture.save(data, "PNG")
    data.seek(0)
    from reportlab.lib.utils import ImageReader
    canvas.drawImage(ImageReader(data), 0, 0, *A5)
    canvas.save()


def encrypt_pdf(source, path, **passwords):
    writer = PdfWriter(clone_from=PdfReader(source))
    writer.encrypt(algorithm="AES-256", **passwords)
    writer.write(path)


def encrypt_docx(source, path):
    with open(source, "rb") as plain, open(path, "wb") as locked:
        msoffcrypto.OfficeFile(plain).encrypt(PASSWORD, locked)


def convert(source):
    """What LibreOffice makes of it."""
    if not shutil.which("soffice"):
        print("no soffice: keeper.rtf, keeper.doc and writer.pdf stay as they are")
        return
    for extension, name in (("rtf", "keeper.rtf"), ("doc", "keeper.doc"), ("pdf", "writer.pdf")):
        folder = HERE / ".converted"
        command = ["soffice", "--headless", "--convert-to", extension, "--outdir", folder, source]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        shutil.move(folder / f"keeper.{extension}", HERE / name)
        shutil.rmtree(folder)


def main():
    make_docx(HERE / "keeper.docx")
    make_odt(HERE / "keeper.odt")
    make_epub(HERE / "keeper.epub")
    make_pdf(HERE / "keeper.pdf")
    make_scan(HERE / "scan.pdf")
    encrypt_pdf(HERE / "keeper.pdf", HERE / "encrypted.pdf", user_password=PASSWORD)
    encrypt_pdf(HERE / "keeper.pdf", HERE / "restricted.pdf", user_password="", owner_password=PASSWORD)
    encrypt_docx(HERE / "keeper.docx", HERE / "encrypted.docx")
    convert(HERE / "keeper.docx")


if __name__ == "__main__":
    main()
