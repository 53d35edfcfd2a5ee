#!/usr/bin/env python3
"""Builds the pages of site/: what a small content management system would make of the texts below.

    python3 samples/make_site.py

Python 3.11 or later, standard library only.  Two runs write the same bytes.
"""

import html
from pathlib import Path

SITE = Path(__file__).resolve().parent / "site"

# file, headline, author, date, place, paragraphs
NOTICES = [
    ("ferry", "The small ferry is back", "Ines Holt", "2 May 2024", "North Quay",
     ["The small ferry has come back from the yard with a new coat of green paint and a wheelhouse that keeps the rain out.",
      "It leaves at ten past the hour, and the mate blows a whistle instead of the horn, which the geese never liked.",
      "Bicycles travel free before nine."]),
    ("crane", "What the old crane still lifts", "Bram Oost", "9 May 2024", "Coal Pier",
     ["Nobody has unloaded coal here for forty years, yet the crane turns every morning.",
      "It lifts the boats of the rowing club out of the water, one by one, and sets them on trestles in the sun.",
      "The driver is seventy-one and will not hear of a motor.",
      "Visitors may climb the first eleven steps."]),
    ("eels", "Eels under the lock gate", "Ines Holt", "16 May 2024", "Lock House",
     ["Every spring young eels gather under the lower gate and wait for somebody to open it.",
      "The lock keeper opens it by a hand's width at night, without a boat in sight, and writes the number of eels into a book."]),
    ("ropes", "A rope walk in the attic", "Pia Lund", "23 May 2024", "Sail Loft",
     ["Above the sail loft runs an attic sixty paces long, and in it two sisters lay ropes as their grandmother did.",
      "Hemp comes in bales from the south, is combed, spun, tarred and twisted, three strands to the left and the whole to the right.",
      "A mooring line takes them a day and a half."]),
    ("bells", "Fog bells for sale", "Bram Oost", "30 May 2024", "Buoy Yard",
     ["Seven fog bells stand in the yard since the buoys began to talk by radio.",
      "The smallest weighs as much as a child, the largest as much as a cow, and none of them is out of tune."]),
    ("bakery", "Bread before the first tide", "Pia Lund", "6 June 2024", "Salt Lane",
     ["The oven in Salt Lane is lit at two, so that crews who sail with the first tide have warm bread on board.",
      "On Fridays there are buns with cardamom, and the queue reaches the corner before it is light.",
      "Whoever brings a jar of plum jam gets a loaf for it."]),
]

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{headline} - Harbour Notices</title>
<meta name="description" content="{first}">
<link rel="stylesheet" href="/style.css">
<script>var page = "{name}"; function menu() {{ document.body.classList.toggle("open"); }}</script>
</head>
<body>
<header><a href="/">Harbour Notices</a> <button onclick="menu()">Menu</button></header>
<nav><ul><li><a href="/">Notices</a></li><li><a href="/tides">Tides</a></li><li><a href="/moorings">Moorings</a></li><li><a href="/contact">Contact</a></li></ul></nav>
<main>
<article>
<h1>{headline}</h1>
<p class="meta"><span class="author">{author}</span> <span class="date">{date}</span></p>
<dl><dt>Place:</dt><dd>{place}</dd></dl>
<div class="body">
{body}
</div>
</article>
<aside><h2>Other notices</h2><ul>
{links}
</ul></aside>
</main>
<footer><p>The harbour office is open from eight to four, and closed while the swing bridge is open.</p>
<p>Notices may be copied and posted anywhere.</p></footer>
</body>
</html>
"""


def main():
    SITE.mkdir(exist_ok=True)
    for number, (name, headline, author, date, place, paragraphs) in enumerate(NOTICES):
        others = [NOTICES[(number + step) % len(NOTICES)] for step in (1, 2, 3)]
        page = PAGE.format(
            name=name, headline=html.escape(headline), author=author, date=date, place=place,
            first=html.escape(paragraphs[0]),
            body="\n".join(f"<p>{html.escape(text, quote=False)}</p>" for text in paragraphs),
            links="\n".join(f'<li><a href="/{other[0]}.html">{html.escape(other[1])}</a></li>' for other in others),
        )
        (SITE / f"{name}.html").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
