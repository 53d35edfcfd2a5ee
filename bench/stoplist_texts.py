"""Fetches the texts that the stop lists are counted in, for `make stoplists`.

    python3 bench/stoplist_texts.py FOLDER

writes FOLDER/CODE/sample.txt for each language, and FOLDER/CODE/more.txt where there is more text. It needs cargo, and
apt-get and dpkg-deb with access to a Debian mirror (`apt-get update` first). CONTRIBUTING.md names the sources.
"""

import html
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

# The crates of lingua-rs hold a thousand sentences of each language as test data.
CRATES_VERSION = "=1.3.0"
LANGUAGES = {
    "afrikaans": "af", "albanian": "sq", "arabic": "ar", "armenian": "hy", "azerbaijani": "az", "basque": "eu",
    "belarusian": "be", "bengali": "bn", "bokmal": "no", "bosnian": "bs", "bulgarian": "bg", "catalan": "ca",
    "croatian": "hr", "czech": "cs", "danish": "da", "dutch": "nl", "english": "en", "esperanto": "eo",
    "estonian": "et", "finnish": "fi", "french": "fr", "ganda": "lg", "georgian": "ka", "german": "de", "greek": "el",
    "gujarati": "gu", "hebrew": "he", "hindi": "hi", "hungarian": "hu", "icelandic": "is", "indonesian": "id",
    "irish": "ga", "italian": "it", "kazakh": "kk", "korean": "ko", "latin": "la", "latvian": "lv",
    "lithuanian": "lt", "macedonian": "mk", "malay": "ms", "maori": "mi", "marathi": "mr", "mongolian": "mn",
    "nynorsk": "no", "persian": "fa", "polish": "pl", "portuguese": "pt", "punjabi": "pa", "romanian": "ro",
    "russian": "ru", "serbian": "sr", "shona": "sn", "slovak": "sk", "slovene": "sl", "somali": "so", "sotho": "st",
    "swahili": "sw", "swedish": "sv", "tagalog": "tl", "tamil": "ta", "telugu": "te", "tsonga": "ts", "tswana": "tn",
    "turkish": "tr", "ukrainian": "uk", "urdu": "ur", "vietnamese": "vi", "welsh": "cy", "xhosa": "xh",
    "yoruba": "yo", "zulu": "zu",
}  # fmt: skip

# The translations of a game with long stories, as further text: Debian's packages and their locales.
GAME = "wesnoth-1.16"
GAME_PARTS = "data did dm dw ei httt l low nr sof sota sotbe thot trow tsg ttb utbs".split()
GAME_LOCALES = {"no": ["nb_NO"], "sr": ["sr", "sr@latin"], "pt": ["pt", "pt_BR"], "gl": [], "gd": []}

# The Spanish sentences above lack all accented letters; this manual takes their place.
MANUAL, MANUAL_PAGES = "debian-handbook", "usr/share/doc/debian-handbook/html/es-ES"
PARAGRAPH = re.compile(r'<div class="para">(.*?)</div>', re.DOTALL)


def sentences(folder, work):
    """The sentences of the crates."""
    project = work / "crates"
    (project / "src").mkdir(parents=True)
    (project / "src" / "lib.rs").touch()
    needed = "".join(f'lingua-{name}-language-model = "{CRATES_VERSION}"\n' for name in LANGUAGES)
    (project / "Cargo.toml").write_text(
        f'[package]\nname = "texts"\nversion = "0.0.0"\nedition = "2021"\n[workspace]\n[dependencies]\n{needed}'
    )
    subprocess.run(["cargo", "vendor", "--quiet", "vendor"], cwd=project, check=True, stdout=subprocess.DEVNULL)
    for name, code in LANGUAGES.items():
        text = (project / "vendor" / f"lingua-{name}-language-model" / "testdata" / "sentences.txt").read_text()
        with (folder / code / "sample.txt").open("a") as sample:
            sample.write(text.strip() + "\n")


def packages(names, work):
    """Downloads packages and unpacks them into one tree."""
    downloads, tree = work / "packages", work / "tree"
    downloads.mkdir()
    subprocess.run(["apt-get", "download", "-qq", *names], cwd=downloads, check=True)
    for package in sorted(downloads.glob("*.deb")):
        subprocess.run(["dpkg-deb", "--extract", package, tree], check=True)
    return tree


def catalogue(path):
    """The entries of a .mo file: original and translation."""
    data = path.read_bytes()
    order = "<" if data[:4] == b"\xde\x12\x04\x95" else ">"
    count, originals, translations = struct.unpack_from(f"{order}3I", data, 8)

    def string(table, index):
        length, start = struct.unpack_from(f"{order}2I", data, table + 8 * index)
        return data[start : start + length].decode("utf-8", "replace")

    return [(string(originals, i), string(translations, i)) for i in range(count)]


def stories(folder, tree):
    """The longer entries of the game's translations; short ones are labels of buttons."""
    locale = tree / "usr/share/games/wesnoth/1.16/locale"
    for language in folder.iterdir():
        lines = {}
        for name in GAME_LOCALES.get(language.name, [language.name]):
            for path in sorted((locale / name).glob("LC_MESSAGES/*.mo")):
                for original, translation in catalogue(path):
                    for form in translation.split("\0"):
                        text = re.sub(r"<[^<>]*>|\$\S+", " ", form)
                        if original and form != original and len(text.split()) >= 6:
                            lines.update(dict.fromkeys(line.strip() for line in text.split("\n")))
        if lines:
            (language / "more.txt").write_text("\n".join(lines) + "\n")


def manual(folder, tree):
    """The text of the Spanish manual."""
    pages = sorted((tree / MANUAL_PAGES).glob("*.html"))
    paragraphs = [found for page in pages for found in re.findall(PARAGRAPH, page.read_text())]
    texts = [" ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split()) for text in paragraphs]
    (folder / "es" / "sample.txt").write_text("\n".join(dict.fromkeys(texts)) + "\n")


def main():
    folder = Path(sys.argv[1])
    if folder.exists() and any(folder.iterdir()):
        sys.exit(f"{folder} is not empty: name a folder that is, or that is not there yet")
    for code in {*LANGUAGES.values(), "es"}:
        (folder / code).mkdir(parents=True)
    with tempfile.TemporaryDirectory() as work:
        sentences(folder, Path(work))
        tree = packages([f"{GAME}-{part}" for part in GAME_PARTS] + [MANUAL], Path(work))
        stories(folder, tree)
        manual(folder, tree)


if __name__ == "__main__":
    main()
