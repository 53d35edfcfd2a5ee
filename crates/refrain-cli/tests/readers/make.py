#!/usr/bin/env python3
"""Make the files of this folder: see README.md. Run it here, with pip install weasyprint fpdf2 uharfbuzz reportlab
arabic-reshaper python-bidi pypdf, with GNU tar, and with the fonts DejaVu."""

import os
import re
import subprocess
import tempfile
from pathlib import Path

import arabic_reshaper
from bidi.algorithm import get_display
from fpdf import FPDF
from pypdf import PdfReader, PdfWriter
from pypdf.generic import NameObject
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen import canvas
from weasyprint import HTML

HERE = Path(__file__).parent
FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
SERIF = "/usr/share/fonts/truetype/dejavu/DejaVuSerif.ttf"
HEBREW = [
    "המנורה בסקרו הד הודלקה עם רדת הלילה ובערה עד הבוקר, ואז עלה השומר שוב במדרגות, גזם את הפתיל וסגר את הווילונות סביב העדשה.",
    "ביומן נכתב כי 4 סירות (שתיים מהן מ־Évreux) יצאו בלילה ההוא בשעה 21:45, ורק 3 חזרו. איש לא ספר את השחפים!",
]
ARABIC = [
    "أضيء المصباح في سكيرو هيد عند الغسق وظل مشتعلاً حتى الصباح، ثم صعد الحارس السلالم مرة أخرى، وقلّم الفتيل وأسدل الستائر حول العدسة.",
    "يقول السجل إن 4 قوارب (اثنان منها من Évreux) خرجت تلك الليلة في الساعة 21:45، ولم يعد إلا 3. لا أحد يحصي النوارس!",
]
ENGLISH = "The lamp at Skerrow Head was lit at dusk and burned until the morning."


def pango(name, language, paragraphs):
    style = "@page{size:A5} body{font:12pt 'DejaVu Sans'}"
    body = "".join(f"<p>{text}</p>" for text in paragraphs)
    html = f"<html lang={language} dir=rtl><head><title>{name}</title><style>{style}</style></head><body>{body}</body></html>"
    HTML(string=html).write_pdf(HERE / f"{name}.pdf")


def harfbuzz(name, paragraphs):
    pdf = FPDF(format="A4")
    pdf.add_page()
    pdf.add_font("sans", "", FONT)
    pdf.set_font("sans", size=12)
    pdf.set_text_shaping(True)
    for text in paragraphs:
        pdf.multi_cell(0, 8, text, align="R", new_x="LMARGIN", new_y="NEXT")
        pdf.ln(4)
    pdf.output(HERE / f"{name}.pdf")


def reportlab(name, paragraphs, shape):
    pdfmetrics.registerFont(TTFont("sans", FONT))
    page = canvas.Canvas(str(HERE / f"{name}.pdf"), pagesize=(420, 595))
    page.setFont("sans", 12)
    y = 540
    for text in paragraphs:
        lines, line = [], ""
        for word in text.split():
            if pdfmetrics.stringWidth(f"{line} {word}", "sans", 12) > 330:
                lines.append(line)
                line = word
            else:
                line = f"{line} {word}".strip()
        for line in [*lines, line]:
            page.drawRightString(380, y, get_display(shape(line), base_dir="R"))
            y -= 16
        y -= 12
    page.save()


def unmapped(name):
    """Two fonts, of which one no longer says which letters its glyphs are."""
    pdf = FPDF(format="A4")
    pdf.add_page()
    for font, file in (("sans", FONT), ("serif", SERIF)):
        pdf.add_font(font, "", file)
        pdf.set_font(font, size=12)
        pdf.multi_cell(0, 8, ENGLISH, new_x="LMARGIN", new_y="NEXT")
        pdf.ln(4)
    plain = HERE / f"{name}.tmp"
    pdf.output(plain)
    writer = PdfWriter(clone_from=PdfReader(plain))
    fonts = writer.pages[0]["/Resources"]["/Font"]
    for font in fonts.values():
        font = font.get_object()
        if "Serif" in font["/BaseFont"]:
            del font[NameObject("/ToUnicode")]
    writer.write(HERE / f"{name}.pdf")
    plain.unlink()


def sparse():
    """A sparse archive in a tar archive, and a text with a hole, in each format of GNU tar."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "one.txt").write_text(ENGLISH)
        (folder / "two.txt").write_text("Nobody has counted the gulls.")
        inner = ["tar", "-cf", "dense.tar", "--blocking-factor=40", "--owner=0", "--group=0", "one.txt", "two.txt"]
        subprocess.run(inner, cwd=folder, check=True)
        with open(folder / "dense.tar", "rb") as dense, open(folder / "inner.tar", "wb") as file:
            for block in iter(lambda: dense.read(4096), b""):
                if block.strip(b"\0"):
                    file.write(block)
                else:
                    file.seek(len(block), os.SEEK_CUR)
            file.truncate()
        with open(folder / "hole.txt", "wb") as file:
            file.write(ENGLISH.encode())
            file.seek(1 << 16)
            file.write(b"Nobody has counted the gulls.")
        versions = {"gnu": ["gnu"], "pax-0.0": ["pax", "--sparse-version=0.0"], "pax-0.1": ["pax", "--sparse-version=0.1"]}
        versions["pax-1.0"] = ["pax", "--sparse-version=1.0"]
        for name, (form, *version) in versions.items():
            members = ["one.txt", "inner.tar", "hole.txt"]
            make = ["tar", "-czf", HERE / f"sparse-{name}.tar.gz", "--sparse", f"--format={form}", *version]
            subprocess.run([*make, "--owner=0", "--group=0", *members], cwd=folder, check=True)


pango("hebrew-pango", "he", HEBREW)
pango("arabic-pango", "ar", ARABIC)
harfbuzz("hebrew-harfbuzz", HEBREW)
harfbuzz("arabic-harfbuzz", ARABIC)
reportlab("hebrew-reportlab", HEBREW, str)
SHAPER = arabic_reshaper.ArabicReshaper(configuration={"delete_harakat": False})
reportlab("arabic-reportlab", ARABIC, SHAPER.reshape)
unmapped("unmapped")
sparse()
