#!/usr/bin/env python3
"""Pages of sites that no number of `refrain template` was chosen on, with their content known; and how well it is told.

    python bench/template_other.py --bench target/release/refrain-bench

Sets are made in bench-data/template/other/, once:

- documentation in Debian packages, from `apt-get download`: content is what stands between two delimiters of each;
- blogs that Hexo makes with the themes people use, from npm: content is the body of a post, and its heading;
- sites of records (jobs, restaurants, films, ...) with lists, advertisements and counters that differ from page to page: made
  here.

Text of blogs and records is that of the Debian installation guide, in many languages. What cannot be fetched is left out, and said.
"""

import argparse
import glob
import html
import json
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

from read import ROOT

DATA = ROOT / "bench-data" / "template"
SPACE = re.compile(r"[ \t\r\n]+")
PAGES, LETTERS, LONGEST, SHORTEST = 120, 3_200_000, 300_000, 200
GUIDE = "installation-guide-amd64"
# Marks around content, while pages are made.
L, R = "\x01", "\x02"

# Name, package, files, what stands in front of the content (a pattern) and behind it.
DOCUMENTATION = [
    (
        "postgresql",
        "postgresql-doc-15",
        "usr/share/doc/postgresql-doc-15/html/*.html",
        r'<hr(?: /)?></div>(?=<div class="(?:sect1|refentry|chapter|appendix))',
        r'<div class="navfooter">',
    ),
    (
        "sqlite",
        "sqlite3-doc",
        "usr/share/doc/sqlite3/*.html",
        r"antiRobotDefense\(\); </script>",
        r'<p align="center"><small><i>This page last modified',
    ),
    (
        "cppreference",
        "cppreference-doc-en-html",
        "usr/share/cppreference/doc/html/en/**/*.html",
        r'.*<div class="t-navbar-sep">\xa0</div></div>',
        r"<!-- /bodycontent -->",
    ),
    (
        "exim",
        "exim4-doc-html",
        "usr/share/doc/exim4-doc-html/spec_html/*.html",
        r'<div id="chapter" class="chapter">',
        r'<a class="previous_page"',
    ),
    (
        "installation-ro",
        "installation-guide-amd64",
        "usr/share/doc/installation-guide-amd64/ro/*.html",
        r'<hr> </div>(?= <div class="(?:sect1|chapter|appendix))',
        r'<div class="navfooter">',
    ),
    (
        "installation-ko",
        "installation-guide-amd64",
        "usr/share/doc/installation-guide-amd64/ko/*.html",
        r'<hr> </div>(?= <div class="(?:sect1|chapter|appendix))',
        r'<div class="navfooter">',
    ),
    (
        "glib",
        "libglib2.0-doc",
        "usr/share/gtk-doc/html/*/*.html",
        r'</tr></table>(?= <div class="(?:refentry|chapter|index|part))',
        r'<div class="footer">',
    ),
    (
        "libreoffice-de",
        "libreoffice-help-de",
        "usr/share/libreoffice/help/de/text/**/*.html",
        r"(?=<h1 id=)",
        r'<div id="SearchFrame">',
    ),
    (
        "lilypond-fr",
        "lilypond-doc-html-fr",
        "usr/share/doc/lilypond/html/Documentation/web/*.fr.html",
        r'<div id="main">',
        r'<div id="footer">',
    ),
    ("nodejs", "nodejs-doc", "usr/share/doc/nodejs/api/*.html", r'<div id="apicontent">', r"<!-- API END -->"),
    ("octave", "octave-doc", "usr/share/doc/octave/octave.html/*.html", r"</p> </div> <hr>", r"</body>"),
    (
        "javadoc",
        "openjdk-17-doc",
        "usr/share/doc/openjdk-17-jre-headless/api/java.desktop/**/*.html",
        r'<main role="main">',
        r"</main>",
    ),
    (
        "qt",
        "qtbase5-doc-html",
        "usr/share/qt5/doc/**/*.html",
        r'(?=<h1 class="title">)',
        r'</div> </div> </div> </div> </div> </div> <div class="footer">',
    ),
    (
        "flask",
        "python-flask-doc",
        "usr/share/doc/python-flask-doc/html/**/*.html",
        r'<div class="body" role="main">',
        r'<div class="clearer">',
    ),
    ("gnuplot", "gnuplot-doc", "usr/share/doc/gnuplot/htmldocs/node*.html", r"<!--End of Navigation Panel-->", r"<BR><HR>"),
]

# Theme, and the language of the posts.
BLOGS = [
    ("landscape", "el"),
    ("next", "zh_CN"),
    ("butterfly", "ja"),
    ("fluid", "vi"),
    ("icarus", "de"),
    ("keep", "ru"),
    ("melody", "cs"),
    ("volantis", "fr"),
    ("stellar", "it"),
    ("redefine", "pt"),
    ("ayer", "nl"),
    ("reimu", "ca"),
    ("pure", "es"),
    ("async", "da"),
]
HEXO = [
    "hexo@8.1.2",
    "hexo-generator-archive",
    "hexo-generator-category",
    "hexo-generator-index",
    "hexo-generator-tag",
    "hexo-renderer-ejs",
    "hexo-renderer-marked",
    "hexo-renderer-stylus",
    "hexo-renderer-pug",
    "hexo-renderer-sass",
    "hexo-renderer-inferno",
    "hexo-component-inferno",
    "hexo-theme-landscape@1.1.0",
    "hexo-theme-next@8.29.0",
    "hexo-theme-butterfly@5.7.0",
    "hexo-theme-fluid@1.9.9",
    "hexo-theme-icarus@6.1.1",
    "hexo-theme-keep@4.3.0",
    "hexo-theme-melody@1.9.1",
    "hexo-theme-volantis@6.8.3",
    "hexo-theme-stellar@1.44.0",
    "hexo-theme-redefine@2.9.0",
    "hexo-theme-ayer@1.9.7-0",
    "hexo-theme-reimu@1.12.6",
    "hexo-theme-pure@1.0.2",
    "hexo-theme-async@2.2.7",
]


def write(name, pages):
    """Writes a set; pages are (id, page with marks)."""
    lines, letters = [], 0
    for id_, marked in pages:
        page, ranges, length = gold(marked)
        lines.append(
            json.dumps({"site": name, "id": id_, "html": page, "content_ranges": ranges, "norm_chars": length}, ensure_ascii=False)
        )
        letters += length
    path = DATA / "other" / f"{name}.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"made {name}: {len(lines)} pages, {letters / 1e6:.1f} M letters", flush=True)


def gold(marked):
    """A page without marks, the ranges between them on the normalised page, and its length."""
    ranges, at, start, in_space = [], 0, 0, False
    for letter in marked:
        if letter == L:
            start = at
        elif letter == R:
            ranges.append([start, at])
        else:
            space = letter in " \t\r\n"
            at += not (space and in_space)
            in_space = space
    return marked.replace(L, "").replace(R, ""), ranges, at


# ---------------------------------------------------------------- documentation in packages


def unpacked(package):
    """The folder of an unpacked package; none when it cannot be fetched."""
    folder = DATA / "packages" / package
    if not folder.exists():
        downloads = DATA / "downloads"
        downloads.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(["apt-get", "download", "-qq", package], cwd=downloads, stderr=subprocess.DEVNULL)
        found = sorted(downloads.glob(f"{package}_*.deb"))
        if done.returncode != 0 or not found:
            print(f"left out: the package {package} cannot be fetched (apt-get update?)")
            return None
        folder.mkdir(parents=True)
        subprocess.run(["dpkg", "-x", found[0], folder], check=True)
    return folder


def documentation():
    for name, package, files, left, right in DOCUMENTATION:
        folder = unpacked(package)
        if folder is None or (DATA / "other" / f"{name}.jsonl").exists():
            continue
        paths = sorted(path for path in glob.glob(f"{folder}/{files}", recursive=True) if not os.path.islink(path))
        random.Random(1).shuffle(paths)
        pages, bodies, letters = [], set(), 0
        for path in paths:
            try:
                page = SPACE.sub(" ", Path(path).read_text(encoding="utf-8"))
            except UnicodeDecodeError:
                continue
            found = re.search(left, page)
            end = page.find(right, found.end()) if found else -1
            body = page[found.end() : end] if end >= 0 else ""
            if len(body) < SHORTEST or len(page) > LONGEST or body in bodies:
                continue
            bodies.add(body)
            pages.append((os.path.relpath(path, folder), page[: found.end()] + L + body + R + page[end:]))
            letters += len(page)
            if len(pages) >= PAGES or letters > LETTERS:
                break
        write(name, pages)


# ---------------------------------------------------------------- text


class Text:
    """Paragraphs, sentences and words of the installation guide in one language, at random."""

    def __init__(self, language, seed):
        pages = sorted((DATA / "packages" / GUIDE / "usr/share/doc" / GUIDE / language).glob("*.html"))
        found = [
            re.sub(r"<[^>]+>", "", p) for page in pages for p in re.findall(r"<p>(.*?)</p>", page.read_text(encoding="utf-8"), re.S)
        ]
        self.p = sorted({p for p in (SPACE.sub(" ", html.unescape(p)).strip() for p in found) if len(p) > 60})
        self.r = random.Random(seed)
        self.s = [s for p in self.p for s in re.split(r"(?<=[.!?。])\s*", p) if 15 < len(s) < 300]
        longest = 4 if language[:2] in ("zh", "ja") else 40
        self.w = [word[:longest] for p in self.p for word in re.findall(r"\w+", p)]

    def para(self):
        return html.escape(self.r.choice(self.p), quote=False)

    def sent(self, count=1):
        return " ".join(html.escape(self.r.choice(self.s), quote=False) for _ in range(count))

    def words(self, least, most):
        return html.escape(" ".join(self.r.choice(self.w) for _ in range(self.r.randint(least, most))), quote=False)

    def title(self):
        return self.words(2, 6).title()

    def name(self):
        return self.words(1, 2).title()


# ---------------------------------------------------------------- blogs

BEGIN = re.compile(r'(?:<p>)?<i data-begin="?x"?></i>(?:</p>)?')
END = re.compile(r'(?:<p>)?<i data-end="?x"?></i>(?:</p>)?')


def post(text):
    r, un = text.r, html.unescape
    title = un(text.words(3, 8)).replace('"', "").replace("'", "")
    tags = [f"tag{r.randint(1, 30)}" for _ in range(r.randint(0, 4))]
    parts = []
    for _ in range(r.randint(3, 12)):
        kind = r.random()
        if kind < 0.6:
            part = un(text.para())
        elif kind < 0.7:
            part = "## " + un(text.words(2, 5))
        elif kind < 0.8:
            part = "\n".join("- " + un(text.sent()) for _ in range(r.randint(2, 6)))
        elif kind < 0.9:
            part = "```\n" + "\n".join(un(text.words(2, 6)) for _ in range(r.randint(1, 10))) + "\n```"
        else:
            part = un(text.sent())
        parts.append(re.sub(r"[{}<>]", "", part))
    date = f"20{r.randint(10, 20)}-0{r.randint(1, 9)}-{r.randint(10, 28)} 12:00:00"
    head = f'title: "{title}"\ndate: {date}\ncategories: ["cat{r.randint(1, 6)}"]\ntags: {json.dumps(tags)}\n'
    body = "\n\n".join(parts)
    return f'---\n{head}---\n\n<i data-begin="x"></i>\n\n{body}\n\n<i data-end="x"></i>\n'


def blogs():
    if unpacked(GUIDE) is None or all((DATA / "other" / f"blog-{theme}.jsonl").exists() for theme, _ in BLOGS):
        return
    folder = DATA / "hexo"
    if not (folder / "node_modules" / "hexo").exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text('{"name": "blogs", "version": "1.0.0", "private": true, "hexo": {"version": ""}}')
        command = ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", "--legacy-peer-deps", *HEXO]
        if shutil.which("npm") is None or subprocess.run(command, cwd=folder).returncode != 0:
            print("left out: blogs, since Hexo and its themes cannot be fetched with npm")
            return
    for theme, language in BLOGS:
        text = Text(language, len(theme) * 7)
        posts = folder / "source" / "_posts"
        shutil.rmtree(posts, ignore_errors=True)
        shutil.rmtree(folder / "public", ignore_errors=True)
        (folder / "db.json").unlink(missing_ok=True)
        posts.mkdir(parents=True)
        for number in range(70):
            (posts / f"post{number}.md").write_text(post(text), encoding="utf-8")
        (folder / "_config.yml").write_text(
            "title: Notes\nsubtitle: a blog\nauthor: Anna\nlanguage: en\nurl: https://blog.example.org\n"
            f"theme: {theme}\npermalink: :year/:title/\nper_page: 10\nsyntax_highlighter: highlight.js\n"
        )
        subprocess.run(["npx", "hexo", "generate", "--silent"], cwd=folder, stderr=subprocess.DEVNULL)
        pages = []
        for path in sorted((folder / "public").glob("20*/**/index.html")):
            page = path.read_text(encoding="utf-8")
            begin, end = list(BEGIN.finditer(page)), list(END.finditer(page))
            if len(begin) == len(end) == 1:
                front, behind = page[: begin[0].start()], page[end[0].end() :]
                marked = headed(front, page) + L + page[begin[0].end() : end[0].start()] + R + behind
                pages.append((str(path.relative_to(folder / "public")), marked))
        write(f"blog-{theme}", pages)


def headed(front, page):
    """What is in front of a post, its heading marked."""
    title = re.search(r"(?s)<title>(.*?)</title>", page)
    for heading in re.finditer(r"(?s)<h1[^>]*>(.*?)</h1>", front):
        said = re.sub(r"<[^>]+>", "", heading[1]).strip()
        if said and title and said in title[1]:
            return front[: heading.start(1)] + L + heading[1] + R + front[heading.end(1) :]
    return front


# ---------------------------------------------------------------- records


def page_id(r):
    return r.randint(10**5, 10**8)


def nav(t, count, kind="nav"):
    items = (f'<li><a href="/{t.words(1, 1).lower()}/{number}">{t.name()}</a></li>' for number in range(count))
    return f'<ul class="{kind}">' + "".join(items) + "</ul>"


def script(r, count):
    numbers = "".join(f'var a{number}="{r.randint(0, 10**9)}";' for number in range(count))
    return f'<script type="text/javascript">{numbers}ord=window.ord||Math.floor(Math.random()*1E16);document.write("ad;ord="+ord);</script>'


def job(lang, seed):
    t = Text(lang, seed)
    fixed = Text(lang, seed + 1000)
    top = nav(fixed, 25)
    left = nav(Text(lang, seed + 2000), 12)
    foot = nav(fixed, 40, "foot")
    eeo = fixed.para() + " " + fixed.para()
    states = "".join(f'<option value="{i}">{fixed.name()}</option>' for i in range(50))
    css = '<style type="text/css">' + "".join(f".c{i}{{color:#{i:06x};margin:{i}px}}\n" for i in range(120)) + "</style>"
    while True:
        r = t.r
        i = page_id(r)
        title = t.title()
        comp = t.name()
        loc = t.name()
        body = "".join(
            r.choice(["<p>%s</p>", "%s<br><br>", "<p><b>%s</b></p>", "<div>%s</div>"])
            % (t.para() if r.random() < 0.6 else t.sent(2))
            for _ in range(r.randint(2, 7))
        )
        if r.random() < 0.7:
            body += "<ul>" + "".join(f"<li>{t.sent()}</li>" for _ in range(r.randint(3, 10))) + "</ul>"
        if r.random() < 0.6:
            body += f"<p>{eeo}</p>"
        sim = "".join(
            f'<tr><td><a href="/job/{page_id(r)}">{t.title()}</a></td><td>{t.name()}</td><td>{t.name()}, {r.randint(1,28)}/{r.randint(1,12)}</td></tr>'
            for _ in range(r.randint(3, 9))
        )
        yield f"""<html><head><title>{title} - {comp} - {loc} | Jobs</title><meta name="description" content="{title} at {comp}"><meta name="keywords" content="{t.words(5,9)}">{css}{script(r,6)}</head>
<body onload="track('{i}')"><div id="top">{top}<form action="/search"><select>{states}</select><input type="hidden" name="jid" value="{i}"></form></div>
<div class="crumb"><a href="/">Home</a> &gt; <a href="/c/{r.randint(1,40)}">{t.name()}</a> &gt; {title}</div>
<table width="100%"><tr><td class="left">{left}<div class="ad">{script(r,3)}</div></td><td>
<h1>{L}{title}{R}</h1><table class="facts"><tr><th>Company:</th><td>{comp}</td></tr><tr><th>Location:</th><td>{loc}</td></tr><tr><th>Pay:</th><td>{r.choice(['DOE','$%d'%(r.randint(10,90)*1000),'open'])}</td></tr><tr><th>Posted:</th><td>{r.randint(1,12)}/{r.randint(1,28)}/2011</td></tr><tr><th>Job ID:</th><td>{i}</td></tr></table>
<div id="description">{L}{body}{R}</div><a class="apply" href="/apply/{i}">Apply</a> <a href="/mail/{i}">Mail</a>
<h3>Similar jobs</h3><table class="similar">{sim}</table></td></tr></table><div id="foot">{foot}<p>&copy; 2011 Jobs Inc. {eeo}</p></div>{script(r,2)}</body></html>"""


def restaurant(lang, seed):
    t = Text(lang, seed)
    f = Text(lang, seed + 1000)
    menus = [nav(f, 30, "m%d" % i) for i in range(6)]
    opts = "".join(f"<option>{f.name()}</option>" for _ in range(160))
    foot = nav(f, 30, "foot") + f"<p>{f.para()}</p>"
    js = "<script>" + "".join(f'menu[{i}]=new Item("{f.words(1,3)}","/x/{i}");\n' for i in range(80)) + "</script>"
    while True:
        r = t.r
        i = page_id(r)
        name = t.title()
        near = "".join(
            f'<li><a href="/r/{page_id(r)}">{t.title()}</a><br>{r.randint(1,999)} {t.name()} St.</li>'
            for _ in range(r.randint(4, 8))
        )
        rev = " ".join(t.sent() for _ in range(r.randint(3, 8)))
        opt = f'<div class="award">{t.sent()}</div>' if r.random() < 0.3 else ""
        yield f"""<!DOCTYPE html><html><head><title>{name} Review - {t.name()}</title><meta name="description" content="{name}: {t.sent()}">{js}{script(r,4)}</head><body>{menus[0]}{menus[1]}<select>{opts}</select>
<div id="left">{menus[2]}{menus[3]}</div><div id="main"><h2 class="rname">{name}</h2><p class="addr">{r.randint(1,9999)} {t.name()} Ave., {t.name()}, {r.randint(10000,99999)} <a href="/map?id={i}">Map</a></p><p>Cuisine: <a href="/cu/{r.randint(1,30)}">{t.name()}</a></p><p>Open: {r.choice(['Lunch &amp; Dinner Tue.-Sun.','Dinner nightly','Open daily'])}</p>{opt}
<table><tr><td>{L}{rev}{R}</td></tr></table><div class="near"><h4>Nearby</h4><ul>{near}</ul></div>{menus[4]}</div><div id="right">{menus[5]}{script(r,2)}</div>{foot}</body></html>"""


def movie(lang, seed):
    t = Text(lang, seed)
    f = Text(lang, seed + 1000)
    top = nav(f, 40)
    side = nav(f, 30, "side")
    foot = nav(f, 60, "foot")
    while True:
        r = t.r
        i = page_id(r)
        name = t.title()
        cast = "".join(
            f'<tr><td><a href="/p/{page_id(r)}">{t.name()}</a></td><td>{t.name()}</td></tr>' for _ in range(r.randint(3, 15))
        )
        syn = "".join(f'<p>{t.para()} <a href="/p/{page_id(r)}">{t.name()}</a> {t.sent()}</p>' for _ in range(r.randint(1, 3)))
        com = "".join(
            f'<div class="comment" id="c{page_id(r)}"><b>{t.name()}</b> <i>{r.randint(1,28)} May</i><div>{t.sent()}</div></div>'
            for _ in range(r.choice([0, 0, 1, 2, 3]))
        )
        keys = "".join(f"<li>{t.words(1,2)}</li>" for _ in range(r.randint(2, 8)))
        rel = "".join(
            f'<div class="rel"><img src="/i/{page_id(r)}.jpg" alt="{t.title()}"><a href="/m/{page_id(r)}">{t.title()}</a></div>'
            for _ in range(5)
        )
        yield f"""<html><head><title>{name} (19{r.randint(50,99)}) - Films</title><link rel="canonical" href="http://films.example/{i}"></head><body><div id="h">{top}</div><div id="w"><h1>{L}{name}{R}</h1><ul class="d"><li><b>Year:</b> 19{r.randint(50,99)}</li><li><b>Director:</b> <a href="/p/{page_id(r)}">{t.name()}</a></li><li><b>Length:</b> {r.randint(60,200)} min</li></ul>
<div id="synopsis">{L}{syn}{R}</div><h3>Keywords</h3><ul class="k">{keys}</ul><h3>Cast</h3><table class="cast">{cast}</table><h3>Comments</h3><div id="comments">{com}<form action="/c/{i}"><textarea></textarea></form></div></div><div id="s">{rel}{side}</div>{foot}</body></html>"""


def player(lang, seed):
    t = Text(lang, seed)
    f = Text(lang, seed + 1000)
    top = nav(f, 30)
    teams = "".join(f'<li><a href="/t/{i}">{f.name()}</a></li>' for i in range(30))
    foot = f"<p>{f.para()}</p>" + nav(f, 20, "foot")
    news = nav(f, 8, "news")
    while True:
        r = t.r
        i = page_id(r)
        name = t.name() + " " + t.name()
        rows = "".join(
            "<tr>"
            + f'<td>{1990+k}</td><td><a href="/t/{r.randint(0,30)}">{t.name()[:3].upper()}</a></td>'
            + "".join(f"<td>{r.randint(0,400)/10}</td>" for _ in range(15))
            + "</tr>"
            for k in range(r.randint(1, 14))
        )
        bio = "".join(f"<p>{t.para()}</p>" for _ in range(r.randint(1, 4)))
        head = (
            "<tr>"
            + "".join(f"<th>{h}</th>" for h in "Year Team G GS MPG FG 3P FT OFF DEF RPG APG SPG BPG TO PF PPG".split())
            + "</tr>"
        )
        yield f"""<html><head><title>{name} Stats</title></head><body>{top}<div class="teams"><ul>{teams}</ul></div>{news}<div id="player"><h1>{L}{name}{R}</h1><div class="vitals">{L}<ul><li>Height: {r.randint(5,7)}-{r.randint(0,11)}</li><li>Weight: {r.randint(150,300)}</li><li>Born: {r.randint(1,28)}.{r.randint(1,12)}.19{r.randint(60,90)}</li></ul><table>{head}{rows}</table>{bio}{R}</div></div><div id="f">{foot}</div></body></html>"""


def camera(lang, seed):
    t = Text(lang, seed)
    f = Text(lang, seed + 1000)
    top = nav(f, 60)
    foot = nav(f, 50, "foot")
    labels = [f.words(1, 3).title() for _ in range(40)]
    vocab = [[f.words(1, 3) for _ in range(r)] for r in [2, 3, 4, 6, 8, 12, 20, 40] * 5]
    ship = f.para() + " " + f.para()
    while True:
        r = t.r
        i = page_id(r)
        name = t.title()
        specs = "".join(f"<tr><th>{l}</th><td>{r.choice(v)}</td></tr>" for l, v in zip(labels, vocab) if r.random() < 0.85)
        desc = "".join(f"<p>{t.para()}</p>" for _ in range(r.randint(1, 4)))
        also = "".join(
            f'<div class="also"><a href="/c/{page_id(r)}"><img src="/{page_id(r)}.jpg">{t.title()}</a> <span>${r.randint(50,999)}.{r.randint(10,99)}</span></div>'
            for _ in range(6)
        )
        yield f"""<html><head><title>{name} : Cameras</title>{script(r,5)}</head><body>{top}<div class="crumbs"><a href="/">Home</a> / <a href="/b/{r.randint(1,30)}">{t.name()}</a> / {name}</div><h1>{L}{name}{R}</h1><div class="price">${r.randint(50,999)}.{r.randint(10,99)} <span>In stock: {r.randint(0,50)}</span></div><div class="buy"><form><input type="hidden" value="{i}"><input type="submit" value="Add"></form>{ship}</div>
<div id="overview"><h2>Overview</h2>{L}{desc}{R}<h3>Specifications</h3><table>{specs}</table></div><h2>Customers also bought</h2>{also}{foot}</body></html>"""


def auto(lang, seed):
    t = Text(lang, seed)
    f = Text(lang, seed + 1000)
    top = nav(f, 45)
    foot = nav(f, 45, "foot")
    features = [f.words(2, 5) for _ in range(90)]
    legal = "".join(f"<p>{f.para()}</p>" for _ in range(6))
    while True:
        r = t.r
        i = page_id(r)
        name = t.title()
        feats = "".join(f"<li>{x}</li>" for x in r.sample(features, r.randint(15, 45)))
        yield f"""<html><head><title>{name} for sale</title></head><body>{top}<div id="a"><h1>{L}{name}{R}</h1><dl><dt>Price</dt><dd>${r.randint(2,60)},{r.randint(100,999)}</dd><dt>Mileage</dt><dd>{r.randint(1,200)},{r.randint(100,999)}</dd><dt>VIN</dt><dd>{page_id(r)}{page_id(r)}</dd></dl><div class="seller">{t.name()} Motors, {r.randint(1,999)} {t.name()} Rd. ({r.randint(200,999)}) 555-{r.randint(1000,9999)}</div><div id="features">{L}<p>{t.sent(2)}</p><ul>{feats}</ul>{R}</div><div class="legal">{legal}</div></div>{foot}</body></html>"""


def book(lang, seed):
    t = Text(lang, seed)
    f = Text(lang, seed + 1000)
    top = nav(f, 35)
    foot = nav(f, 35, "foot")
    authors = [(f.name() + " " + f.name(), f.para()) for _ in range(12)]
    while True:
        r = t.r
        i = page_id(r)
        name = t.title()
        a = r.choice(authors)
        desc = "".join(f"<p>{t.para()}</p>" for _ in range(r.choice([1, 1, 2, 3, 5])))
        rel = "".join(
            f'<li><a href="/b/{page_id(r)}">{t.title()}</a> by {t.name()} <em>${r.randint(5,40)}.99</em></li>' for _ in range(8)
        )
        revs = "".join(f"<blockquote>{t.sent()} <cite>{t.name()}</cite></blockquote>" for _ in range(r.choice([0, 0, 0, 1, 2])))
        yield f"""<html><head><title>{name} by {a[0]}</title><meta property="og:title" content="{name}"><script type="application/ld+json">{{"@type":"Book","name":"{name}","isbn":"{page_id(r)}"}}</script></head><body>{top}<div class="prod"><h1>{L}{name}{R}</h1><h2>{a[0]}</h2><div class="meta">ISBN {page_id(r)} &middot; {r.randint(80,900)} pages &middot; {t.name()} Press</div><div class="synopsis">{L}{desc}{R}</div><div class="about"><h3>About the author</h3><p>{a[1]}</p></div>{revs}</div><aside><h4>More like this</h4><ul>{rel}</ul></aside>{foot}</body></html>"""


def news(lang, seed):
    t = Text(lang, seed)
    f = Text(lang, seed + 1000)
    top = nav(f, 30)
    foot = nav(f, 30, "foot")
    most = nav(f, 10, "most")
    cookie = f'<div class="cookie">{f.para()}</div>'
    while True:
        r = t.r
        i = page_id(r)
        name = t.title()
        body = "".join(
            (
                f"<p>{t.para()}</p>"
                if r.random() < 0.8
                else f'<figure><img src="/{page_id(r)}.jpg"><figcaption>{t.sent()}</figcaption></figure>'
            )
            for _ in range(r.randint(3, 9))
        )
        rel = "".join(
            f'<article class="teaser"><h4><a href="/{page_id(r)}">{t.title()}</a></h4><p>{t.sent()}</p></article>'
            for _ in range(r.randint(2, 5))
        )
        poll = f'<div class="poll"><b>{t.sent()}</b><label>Yes</label><label>No</label></div>' if r.random() < 0.3 else ""
        yield f"""<!doctype html><html><head><title>{name} | News</title><meta name="description" content="{t.sent()}">{script(r,8)}</head><body>{cookie}{top}<main><span class="kicker">{t.name()}</span><h1>{L}{name}{R}</h1><div class="by">{t.name()} {t.name()}, {r.randint(1,28)}. {r.randint(1,12)}. 2019, {r.randint(0,23)}:{r.randint(10,59)}</div><div class="share"><a href="/s?u={i}">share</a></div><div class="text">{L}{body}{R}</div>{poll}<div class="tags">{nav(t,r.randint(1,5),'t')}</div><section class="rel">{rel}</section></main><aside>{most}</aside>{foot}</body></html>"""


def university(lang, seed):
    t = Text(lang, seed)
    f = Text(lang, seed + 1000)
    top = nav(f, 50)
    foot = nav(f, 20, "foot")
    side = nav(f, 120, "states")
    while True:
        r = t.r
        name = t.title()
        body = (
            "".join(
                f'<p>{t.sent()} <a href="http://{page_id(r)}.edu/">{t.name()}</a> {t.sent(2)}</p>' for _ in range(r.randint(2, 5))
            )
            + "<table>"
            + "".join(f"<tr><td>{l}</td><td>{r.randint(1,50000)}</td></tr>" for l in ["Students", "Tuition", "Faculty", "Founded"])
            + "</table>"
        )
        yield f"""<html><head><title>{name}</title></head><body>{top}{side}<div class=col><h2>{name}</h2><div class=info>{L}{body}{R}</div></div><p>Ranking: {r.randint(1,900)}. Updated {r.randint(1,28)}/{r.randint(1,12)}. Visitors: {page_id(r)}</p>{foot}</body></html>"""


RECORDS = [
    (job, "en", 90),
    (restaurant, "fr", 100),
    (movie, "de", 100),
    (player, "en", 80),
    (camera, "es", 80),
    (auto, "en", 100),
    (book, "ru", 100),
    (news, "sv", 100),
    (university, "zh_CN", 100),
]


def records():
    if unpacked(GUIDE) is None:
        return
    for make, language, count in RECORDS:
        name = f"records-{make.__name__}"
        if not (DATA / "other" / f"{name}.jsonl").exists():
            pages = make(language, 7)
            write(name, [(str(number), next(pages)) for number in range(count)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", default=ROOT / "target/release/refrain-bench", type=Path)
    arguments = parser.parse_args()
    (DATA / "other").mkdir(parents=True, exist_ok=True)
    documentation()
    blogs()
    records()
    sys.stdout.flush()
    subprocess.run([arguments.bench, "template", DATA / "other"], check=True)


if __name__ == "__main__":
    main()
