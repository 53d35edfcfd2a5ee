#!/usr/bin/env python3
"""Builds the sample archives of this folder from pages/ and the notes below.

    python3 samples/make_samples.py

Writes crawl.warc.gz, crawl-broken.warc.gz, notes.zip, notes.jsonl and notes.csv
next to this file.  Python 3.11 or later, standard library only.  Every date, record
id and gzip header is fixed, so two runs write the same bytes.
"""

import base64
import csv
import datetime
import hashlib
import io
import json
import struct
import uuid
import zipfile
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGES = HERE / "pages"

# file below pages/, path on its site, Content-Type header, transfer encoding,
# content encoding.  The folder of the file is the host name.
CRAWL = [
    ("lighthouse.example/lens.html", "/articles/lens.html",
     "text/html; charset=utf-8", None, None),
    ("lighthouse.example/keeper-day.html", "/articles/keeper-day.html",
     "text/html; charset=UTF-8", "chunked", None),
    ("lighthouse.example/fog-signals.html", "/articles/fog-signals.html",
     "text/html", None, None),
    ("lighthouse.example/shingle.html", "/articles/shingle.html",
     "text/html; charset=utf-8", None, "gzip"),
    ("lighthouse.example/skerrow-head.html", "/walks/skerrow-head.html",
     "text/html", None, None),
    ("lighthouse.example/paint.html", "/old/paint.htm",
     "text/html", None, None),
    ("lighthouse.example/tides.html", "/articles/tides.html",
     "text/html", "chunked", "gzip"),
    ("lighthouse.example/birds.html", "/articles/birds.html",
     "text/html; charset=utf-8", None, "deflate"),
    ("lighthouse.example/carrow.html", "/people/carrow.html",
     "text/html", None, None),
    ("lighthouse.example/forum-118.html", "/forum/thread-118",
     'text/html; charset="utf-8"', None, "gzip"),
    ("lighthouse.example/reef.html", "/articles/reef.html",
     "text/html", "chunked", None),
    ("lighthouse.example/lens-print.html", "/articles/lens.html?print=1",
     "text/html; charset=utf-8", None, None),
    ("lighthouse.example/fr-ete-au-phare.html", "/fr/ete-au-phare.html",
     "text/html", None, None),
    ("lighthouse.example/fr-marais-salants.html", "/fr/marais-salants.html",
     "text/html; charset=utf-8", "chunked", None),
    ("lighthouse.example/el-faros.html", "/el/faros.html",
     "text/html; charset=utf-8", None, "gzip"),
    ("lighthouse.example/el-anemoi.html", "/el/anemoi.html",
     "text/html", None, None),
    ("garten.example/kompost.html", "/boden/kompost.html",
     "text/html; charset=utf-8", None, None),
    ("garten.example/tomaten.html", "/gemuese/tomaten.html",
     "text/html", None, None),
    ("garten.example/hecke.html", "/hecken/hecke.html",
     "text/html;charset=UTF-8", "chunked", "gzip"),
    ("garten.example/januar.html", "/kalender/januar.html",
     "text/html; charset=ISO-8859-1", None, None),
    ("garten.example/kompost-print.html", "/boden/kompost.html?print=1",
     "text/html", None, None),
    ("garten.example/cz-jablon.html", "/cz/ovoce/jablon.html",
     "text/html", None, None),
    ("garten.example/cz-zizaly.html", "/cz/puda/zizaly.html",
     "text/html; charset=utf-8", "chunked", None),
    ("garten.example/cz-listopad.html", "/cz/kalendar/listopad.html",
     "text/html", None, "gzip"),
]

ADDRESS = {"lighthouse.example": "192.0.2.17", "garten.example": "192.0.2.44"}
START = datetime.datetime(2024, 5, 6, 8, 0, 0)
REVISIT = datetime.datetime(2024, 6, 3, 8, 0, 0)
NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "https://lighthouse.example/samples")
CHUNK = 1499  # odd on purpose: chunks end inside multi-byte characters


# --- gzip, digests, HTTP ---------------------------------------------------

def gzip_member(data: bytes) -> bytes:
    """One gzip member whose header holds no time, name or system."""
    pack = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    body = pack.compress(data) + pack.flush()
    head = b"\x1f\x8b\x08\x00" + b"\0\0\0\0" + b"\x02\xff"
    return head + body + struct.pack("<II", zlib.crc32(data), len(data))


def digest(data: bytes) -> str:
    return "sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode()


def chunked(data: bytes) -> bytes:
    out = bytearray()
    for at in range(0, len(data), CHUNK):
        piece = data[at:at + CHUNK]
        out += b"%x\r\n" % len(piece) + piece + b"\r\n"
    return bytes(out + b"0\r\n\r\n")


def http_date(when: datetime.datetime) -> str:
    days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun",
              "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    return (f"{days[when.weekday()]}, {when.day:02d} {months[when.month - 1]} "
            f"{when.year} {when:%H:%M:%S} GMT")


def head(first: str, fields: list[tuple[str, str]]) -> bytes:
    lines = [first] + [f"{name}: {value}" for name, value in fields]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("ascii")


def http_response(status, ctype, body, when, transfer=None, coding=None,
                  extra=()):
    """The HTTP head and the message body, both as they go over the wire."""
    fields = [("Date", http_date(when)), ("Server", "sample/1.0")]
    fields += list(extra)
    if ctype:
        fields.append(("Content-Type", ctype))
    if coding == "gzip":
        body = gzip_member(body)
    elif coding == "deflate":
        body = zlib.compress(body, 9)
    if coding:
        fields += [("Content-Encoding", coding), ("Vary", "Accept-Encoding")]
    if transfer == "chunked":
        body = chunked(body)
        fields.append(("Transfer-Encoding", "chunked"))
    else:
        fields.append(("Content-Length", str(len(body))))
    fields.append(("Connection", "close"))
    return head(f"HTTP/1.1 {status}", fields), body


# --- WARC ------------------------------------------------------------------

def record_id(label: str) -> str:
    return f"<urn:uuid:{uuid.uuid5(NAMESPACE, label)}>"


def warc_record(kind, label, when, block, ctype, fields=()) -> bytes:
    all_fields = [
        ("WARC-Type", kind),
        ("WARC-Record-ID", record_id(label)),
        ("WARC-Date", f"{when:%Y-%m-%dT%H:%M:%SZ}"),
        *fields,
        ("WARC-Block-Digest", digest(block)),
        ("Content-Type", ctype),
        ("Content-Length", str(len(block))),
    ]
    data = head("WARC/1.1", all_fields) + block + b"\r\n\r\n"
    return gzip_member(data)


class Crawl:
    def __init__(self):
        self.members: list[bytes] = []
        info = ("software: make_samples.py\r\n"
                "format: WARC File Format 1.1\r\n"
                "description: two invented web sites, written as sample data\r\n"
                "robots: ignore\r\n").encode("ascii")
        self.members.append(warc_record(
            "warcinfo", "warcinfo", START, info, "application/warc-fields",
            [("WARC-Filename", "crawl.warc.gz")]))

    def exchange(self, host, path, when, http_head, body, *, kind="response",
                 digest_of=None, extra=()):
        """A request record and the response or revisit record that answers it."""
        uri = f"https://{host}{path}"
        label = f"{kind} {when:%Y%m%d} {uri}"
        request = head(f"GET {path} HTTP/1.1", [
            ("Host", host),
            ("User-Agent", "sample-crawler/1.0"),
            ("Accept", "text/html,*/*;q=0.5"),
            ("Accept-Encoding", "gzip, deflate"),
            ("Connection", "close"),
        ])
        about = [
            ("WARC-Target-URI", uri),
            ("WARC-IP-Address", ADDRESS[host]),
            ("WARC-Warcinfo-ID", record_id("warcinfo")),
        ]
        self.members.append(warc_record(
            "request", "request to " + label, when, request,
            "application/http; msgtype=request",
            about + [("WARC-Concurrent-To", record_id(label))]))
        # The payload digest is that of the message body as it is stored,
        # chunk marks included, as most crawlers write it.
        payload = digest_of or digest(body)
        self.members.append(warc_record(
            kind, label, when, http_head + body,
            "application/http; msgtype=response",
            about + list(extra) + [("WARC-Payload-Digest", payload)]))
        return label, payload


def tiny_png() -> bytes:
    def part(name, data):
        return (struct.pack(">I", len(data)) + name + data
                + struct.pack(">I", zlib.crc32(name + data)))
    return (b"\x89PNG\r\n\x1a\n"
            + part(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
            + part(b"IDAT", zlib.compress(b"\0\xff\xff\xff", 9))
            + part(b"IEND", b""))


def build_crawl() -> list[bytes]:
    crawl = Crawl()
    when = START
    step = datetime.timedelta(seconds=2)
    first = None
    for name, path, ctype, transfer, coding in CRAWL:
        when += step
        page = (PAGES / name).read_bytes()
        host = name.split("/")[0]
        http_head, body = http_response("200 OK", ctype, page, when, transfer,
                                        coding)
        made = crawl.exchange(host, path, when, http_head, body)
        if first is None:
            first = (host, path, when, http_head, *made)

    host = "lighthouse.example"
    when += step
    moved = (b"<html><head><title>301 Moved Permanently</title></head><body>"
             b"<h1>Moved Permanently</h1><p>The document has moved "
             b'<a href="/articles/lens.html">here</a>.</p></body></html>\n')
    crawl.exchange(host, "/lens", when, *http_response(
        "301 Moved Permanently", "text/html; charset=utf-8", moved, when,
        extra=[("Location", f"https://{host}/articles/lens.html")]))

    when += step
    missing = (b"<html><head><title>404 Not Found</title></head><body>"
               b"<h1>Not Found</h1><p>There is no page at this address. It may "
               b"have been moved, or the link that led you here may be wrong. "
               b'Go to the <a href="/">home page</a>.</p></body></html>\n')
    crawl.exchange(host, "/shop/", when, *http_response(
        "404 Not Found", "text/html; charset=utf-8", missing, when))

    when += step
    crawl.exchange(host, "/static/dot.png", when, *http_response(
        "200 OK", "image/png", tiny_png(), when))

    # The first page again, four weeks later and unchanged.
    host, path, seen, http_head, label, payload = first
    crawl.exchange(
        host, path, REVISIT,
        http_head.replace(http_date(seen).encode(), http_date(REVISIT).encode()),
        b"", kind="revisit", digest_of=payload,
        extra=[
            ("WARC-Profile", "http://netpreserve.org/warc/1.1/revisit/"
                             "identical-payload-digest"),
            ("WARC-Refers-To", record_id(label)),
            ("WARC-Refers-To-Target-URI", f"https://{host}{path}"),
            ("WARC-Refers-To-Date", f"{seen:%Y-%m-%dT%H:%M:%SZ}"),
        ])
    return crawl.members


def break_crawl(members: list[bytes]) -> bytes:
    """Nine records: the fifth is damaged inside, the ninth is cut off."""
    part = list(members[:9])
    hurt = bytearray(part[4])
    middle = len(hurt) // 2
    for at in range(middle, middle + 4):
        hurt[at] ^= 0x5A
    try:
        zlib.decompress(bytes(hurt), 31)
    except zlib.error:
        pass
    else:
        raise SystemExit("the damaged member can still be read")
    part[4] = bytes(hurt)
    part[8] = part[8][:len(part[8]) * 3 // 5]
    return b"".join(part)


# --- notes -----------------------------------------------------------------

# name, encoding of the .txt file, line end, author, year, text
NOTES = [
    ("harbour/barometer", "utf-8", "\n", "Ida Fennick", 2019, """\
The barometer on the harbour office wall has been wrong since the autumn of the big flood. It reads about six millibars too high. Everybody in the town knows this and takes six off, and when a visiting engineer set it right one summer there was confusion for weeks, until somebody quietly turned the screw back again.

I used to think this was foolish. Now I believe that an instrument with a known error is worth more than one that is right for reasons nobody can check. We have thirty years of readings in the ledger, all of them six too high, and they agree with one another perfectly.
"""),
    ("harbour/ferry", "utf-16-le", "\r\n", "Tomos Avery", 2021, """\
The small ferry crosses at twenty past and at ten to the hour, unless the tide is very low, when it does not cross at all. There is no notice to say so. You learn it by standing on the slip with your shopping — once is generally enough.

The ferryman keeps a tin for the fares and does not look at what you put into it. He told me that it comes out right at the end of the year, “give or take a button”. The buttons he keeps in a second tin.

In winter he takes the schoolchildren over for nothing, and they repay him by reading aloud from whatever they have been set. He says he has heard the first half of a great many books.
"""),
    ("harbour/quai", "latin-1", "\n", "Solène Marchadour", 2020, """\
Le matin, avant l'arrivée des chalutiers, le quai appartient aux chats. Ils sont sept ou huit, toujours les mêmes, assis à distance égale les uns des autres comme s'ils avaient mesuré. Dès que le premier bateau passe la jetée, ils se lèvent tous ensemble.

Le mareyeur prétend qu'ils reconnaissent les moteurs. C'est peut-être vrai : pour le bateau de plaisance du notaire, qui fait pourtant le même bruit à mon oreille, aucun ne s'est jamais dérangé.
"""),
    ("garden/slugs", "utf-8", "\n", "Prudence Oakell", 2022, """\
I have tried beer, copper, ash, eggshells, coffee grounds and going out at midnight with a torch. The torch works. Everything else gives the slugs something to think about for a night or two, and then they come to the lettuces by a different way.

The other thing that works is to plant twice as many lettuces as you need and to put the second lot at the bottom of the garden, near the compost, where the slugs live. They are lazy. If there is a lettuce at the door, they will not walk to the top of the hill for another.
"""),
    ("garden/regentonne", "utf-8", "\n", "Jörg Wittenhus", 2023, """\
Unsere Regentonne fasst dreihundert Liter, und das klingt nach viel, bis man im Juli anfängt zu gießen. Drei heiße Tage, dann ist sie leer, und man hört beim Schöpfen nur noch die Kanne über den Boden kratzen. Seit dem letzten Sommer stehen deshalb vier Tonnen hinter dem Schuppen, mit kurzen Schläuchen verbunden wie die Wagen eines Zuges.

Das Schönste daran ist das Geräusch bei einem Gewitter. Erst füllt sich die vordere, dann hört man es gluckern, und das Wasser geht weiter zur nächsten. Die Kinder stehen mit Gummistiefeln daneben und wetten, wie weit es kommt.
"""),
]


def build_zip() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as pack:
        for name, encoding, line_end, _, year, text in NOTES:
            data = text.replace("\n", line_end).encode(encoding)
            if encoding == "utf-16-le":
                data = b"\xff\xfe" + data
            entry = zipfile.ZipInfo(f"{name}.txt", (year, 3, 1, 12, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = 0o100644 << 16
            pack.writestr(entry, data)
    return out.getvalue()


def build_jsonl() -> bytes:
    lines = [
        json.dumps({"id": name, "text": text.rstrip("\n"), "author": author,
                    "year": year}, ensure_ascii=False)
        for name, _, _, author, year, text in NOTES
    ]
    return ("\n".join(lines) + "\n").encode("utf-8")


def build_csv() -> bytes:
    out = io.StringIO()
    rows = csv.writer(out)
    rows.writerow(["id", "text", "author", "year"])
    rows.writerows([name, text.rstrip("\n"), author, year] for name, _, _, author, year, text in NOTES)
    return out.getvalue().encode("utf-8")


def main():
    members = build_crawl()
    files = {
        "crawl.warc.gz": b"".join(members),
        "crawl-broken.warc.gz": break_crawl(members),
        "notes.zip": build_zip(),
        "notes.jsonl": build_jsonl(),
        "notes.csv": build_csv(),
    }
    for name, data in files.items():
        (HERE / name).write_bytes(data)
        print(f"{name}: {len(data)} bytes")


if __name__ == "__main__":
    main()
