#!/usr/bin/env python3
"""How often refrain finds the encoding of Western texts with few bytes above ASCII.

    python bench/western.py --refrain target/release/refrain --texts ../shared/data/charset/train_text.tar.zst

Makes texts under bench-data/western/ from sentences (--texts: a tar file, plain or .zst, with LANG/FILE.txt in UTF-8), runs
`refrain decode --detect` on them, and compares what each encoding makes of the bytes. Sentences are halved by blocks of twelve:
one half of the texts was used to set the weights of the guess, the other was not.

- 500 texts in English, Dutch, German, French and Spanish, of 100 to 100,000 bytes, in windows-1252, ISO-8859-1 or ISO-8859-15.
  A fifth are sentences as they are. In the others, all sentences are ASCII, and 1 to 12 signs are put in between words: accented
  names, dashes, quotation marks, currency signs, or all of them.
- 300 texts the other way: English in ASCII with one to three sentences in another script, in one of its encodings. They show
  what trust in Western encodings costs.
"""

import argparse
import io
import json
import random
import re
import shutil
import subprocess
import sys
import tarfile
from collections import defaultdict
from pathlib import Path

import recorded
import zstandard

ROOT = Path(__file__).resolve().parent.parent
TEXTS = ROOT.parent / "shared" / "data" / "charset" / "train_text.tar.zst"
DATA = ROOT / "bench-data" / "western"
ACCENTED = "en nl de fr es it pt sv da no fi is".split()
LANGUAGES = ["en", "nl", "de", "fr", "es"]
HALVES = ["tuned on", "held"]
STYLES = ["as it is", "accents", "dashes", "quotes", "currency", "mixed"]
ENCODINGS = ["windows-1252", "iso-8859-1", "iso-8859-15", "windows-1252"]
CODECS = {"iso-8859-1": "cp1252", "windows-1252": "cp1252", "macintosh": "mac_roman", "x-mac-cyrillic": "mac_cyrillic"}

QUOTED = [("“", "”"), ("‘", "’"), ("«", "»"), ("„", "“"), ("« ", " »")]
DASHES = [" – ", " — ", "—", " … ", " • "]
AMOUNTS = ["€{}", "€ {}", "{} €", "£{}", "£ {}.50", "¥{}", "{}¢", "{} °C", "§ {}", "© {}", "±{}", "{} m²", "{}½"]
PLAIN = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "…": ".", "•": "*", "€": "E"})

# Languages in other scripts, and their encodings.
OTHERS = {
    "ru": ["cp1251", "koi8_r", "cp866"], "uk": ["cp1251"], "bg": ["cp1251"], "el": ["cp1253", "iso8859_7"], "he": ["cp1255"],
    "ar": ["cp1256"], "th": ["cp874"], "ja": ["cp932", "euc_jp"], "ko": ["cp949"], "zh-hans": ["gb18030"], "zh-hant": ["big5"],
}  # fmt: skip


def sentences(path):
    """The sentences of each language, in halves."""
    data = path.read_bytes()
    if path.suffix == ".zst":
        data = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data)).read()
    halves = defaultdict(lambda: ([], []))
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        for member in sorted(tar.getmembers(), key=lambda member: member.name):
            if not member.name.endswith(".txt"):
                continue
            language = member.name.split("/")[-2]
            lines = tar.extractfile(member).read().decode().splitlines()
            for number, line in enumerate(line.strip() for line in lines):
                # Some lines were decoded wrongly before, and have control characters in them.
                if line and "Ã" not in line and line.isprintable():
                    halves[language][number // 12 % 2].append(line)
    return halves


def accented(halves, half):
    """The words with accents of all languages that are written in windows-1252."""
    words = {word for language in ACCENTED for line in halves[language][half] for word in line.split()}
    return sorted(word for word in words if re.fullmatch("[A-Za-zÀ-ÖØ-öø-ÿ]{2,}[,.]?", word) and not word.isascii())


def filled(chance, lines, size):
    """Lines drawn at random until they have so many characters."""
    drawn, length = [], 0
    while length < size:
        drawn.append(chance.choice(lines))
        length += len(drawn[-1]) + 1
    return "\n".join(drawn)[:size]


def planted(chance, style, words, names):
    """Puts a few signs between words, at random."""
    kinds = ["accents", "dashes", "quotes", "currency"]
    for _ in range(chance.randint(1, 12)):
        at = chance.randrange(1, len(words))
        kind = chance.choice(kinds) if style == "mixed" else style
        if kind == "accents":
            words[at] = chance.choice(names)
        elif kind == "dashes":
            words[at - 1 : at + 1] = [words[at - 1] + chance.choice(DASHES) + words[at]]
        elif kind == "currency":
            words[at] = chance.choice(AMOUNTS).format(chance.randint(1, 2000))
        elif chance.random() < 0.5:
            words[at] = chance.choice(["don’t", "l’air", "it’s", "’s", "the boys’"])
        else:
            first, last = chance.choice(QUOTED)
            words[at] = first + words[at] + last
        if len(words) < 2:
            break
    return words


def fitting(text, encoding):
    """The text in an encoding: signs that it lacks are replaced, and what else does not fit is dropped."""
    fits = lambda c: c.encode(encoding, "ignore") != b""
    return "".join(c if fits(c) else c.translate(PLAIN) for c in text).encode(encoding, "ignore")


def western(chance, lines, names, number):
    """A text, with its encoding and style."""
    style = STYLES[number // len(LANGUAGES) % len(STYLES)]
    for _ in range(100):
        size, encoding = int(100 * 1000 ** chance.random()), chance.choice(ENCODINGS)
        if style == "as it is":
            text = filled(chance, lines, size)
        else:
            words = filled(chance, [line for line in lines if line.isascii()], size).split(" ")
            text = " ".join(planted(chance, style, words, names)) if len(words) > 1 else ""
        content = fitting(text, encoding)
        if not content.isascii():
            return content, encoding, style
    raise SystemExit("the sentences have no characters above ASCII")


def foreign(chance, halves, half, number):
    """English with a few sentences in another script."""
    language = list(OTHERS)[number % len(OTHERS)]
    encoding = chance.choice(OTHERS[language])
    english = [line for line in halves["en"][half] if line.isascii()]
    lines = filled(chance, english, int(100 * 100 ** chance.random())).split("\n")
    inside = [line for line in halves[language][half] if sum(c > "\x7f" for c in line[:100]) > 8]
    for _ in range(chance.randint(1, 3)):
        lines.insert(chance.randint(0, len(lines)), chance.choice(inside)[:100])
    return fitting("\n".join(lines), encoding), encoding, language


def make(path):
    """Makes all texts. Returns what they are: name to set, half, language or script, encoding and style."""
    halves = sentences(path)
    shutil.rmtree(DATA, ignore_errors=True)
    (DATA / "texts").mkdir(parents=True)
    made = {}
    for half, half_name in enumerate(HALVES):
        chance, names = random.Random(f"western {half}"), accented(halves, half)
        for number in range(250):
            language = LANGUAGES[number % len(LANGUAGES)]
            content, encoding, style = western(chance, halves[language][half], names, number)
            made[f"w{half}-{number:03}.txt"] = "Western", half_name, language, encoding, style
            (DATA / "texts" / f"w{half}-{number:03}.txt").write_bytes(content)
        for number in range(150):
            content, encoding, language = foreign(chance, halves, half, number)
            made[f"f{half}-{number:03}.txt"] = "other", half_name, language, encoding, "sentences"
            (DATA / "texts" / f"f{half}-{number:03}.txt").write_bytes(content)
    return made


def decoded(content, label):
    label = (label or "ascii").lower()
    codec = CODECS.get(label, label.replace("windows-", "cp").replace("ibm", "cp"))
    return content.decode(codec, "replace")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--refrain", type=Path, default=ROOT / "target/release/refrain", help="refrain")
    parser.add_argument("--texts", type=Path, default=TEXTS, help="sentences by language")
    parser.add_argument("--wrong", action="store_true", help="list the texts that are wrong")
    parser.add_argument("--record", action="store_true", help="keep the figures under bench/record/")
    arguments = parser.parse_args()
    if not arguments.texts.is_file():
        print(f"{arguments.texts} is not there: name the file with --texts")
        sys.exit(2)
    made = make(arguments.texts)
    found = DATA / "found.jsonl"
    command = [arguments.refrain.resolve(), "decode", "--detect", DATA / "texts", "-o", found, "--quiet"]
    subprocess.run(command, check=False)
    answers = {Path(line["origin"]).name: line for line in map(json.loads, found.read_text("utf-8").splitlines())}
    tables = {column: defaultdict(list) for column in (2, 3, 4)}
    halves = defaultdict(list)
    for name, facts in made.items():
        content = (DATA / "texts" / name).read_bytes()
        answer = answers.get(name, {})
        # What browsers make of the bytes: ISO-8859-1 is windows-1252.
        right = decoded(content, facts[3]) == decoded(content, answer.get("encoding"))
        halves[facts[:2]].append(right)
        for column, table in tables.items():
            table[facts[0], facts[column]].append(right)
        if arguments.wrong and not right:
            above = sorted({f"{byte:02x}" for byte in content if byte >= 0x80})
            about = f"{answer.get('encoding')} {answer.get('confidence')} {answer.get('error')}"
            print(f"{name} {len(content):7} {' '.join(facts[2:]):34} {about:34} {' '.join(above)[:60]}")
    rows = []
    for (kind, half), rights in halves.items():
        rows.append((f"{kind}, {half}, {len(rights)} texts", "right_percent", f"{100 * sum(rights) / len(rights):.2f}"))
        print(f"{kind:10} {half:12} {len(rights):5} texts {100 * sum(rights) / len(rights):7.2f} % right")
    for table in tables.values():
        print()
        for (kind, value), rights in table.items():
            print(f"{kind:10} {value:12} {len(rights):5} texts {100 * sum(rights) / len(rights):7.2f} % right")
    if arguments.record:
        recorded.write("western", rows)


if __name__ == "__main__":
    main()
