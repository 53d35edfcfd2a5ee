#!/usr/bin/env python3
"""How well and how fast `refrain template` distinguishes content from templates, compared with programs that look at each page alone.

    python bench/template.py paper --sites folder
    python bench/template.py bench --sites folder

paper  the table of the FindOptimal paper (n, a, accuracy, recall, precision, F1) for each set: published method and default.
bench  these parts (--only, with commas between them):

  quality  accuracy, recall, precision and F1 of each set.
  mixed    each site inside a set of several sites, and the same pages alone.
  few      five pages of each site, in four draws.
  peers    F1 of the words that are kept, on sets of one site: compared with trafilatura, resiliparse, jusText, and lines that are on
           at most a tenth of the pages.
  corpus   F1 of the words that `refrain corpus` keeps of the same sites, without and with --template host.
  vary     quality with half and with twice of each number of the method.
  speed    seconds and memory for 1, 4, 16, 64 and 256 MB of pages, on two threads.

A set is a file of JSON lines, plain or packed with zstd: {site, id, html, content_ranges, norm_chars}, in code points of the
normalised page. Where the needed packages are missing, an environment of its own is made: .venv-template/.
"""

import argparse
import datetime
import html
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from compare import measured, verdict
from read import RECORDS, ROOT, cpu_model, refrain_version

VENV = ROOT / ".venv-template"
PARTS = ("quality", "mixed", "few", "peers", "corpus", "vary", "speed")
F1, LOWEST, ACCURACY, LOSS, FEW = 0.93, 0.75, 0.97, 0.03, 0.85
SITES_ABOVE = 14 / 16
SECONDS, MEGABYTES = 8, 1024
RARE = 0.1

PEERS = r"""
import json, sys
import justext, trafilatura
from resiliparse.extract.html2text import extract_plain_text

def stop_words(language):
    found = [name for name in justext.get_stoplists() if name.lower() == language]
    return justext.get_stoplist(found[0]) if found else None

def by_justext(page, words):
    options = {} if words else {"stopwords_low": 0, "stopwords_high": 0}
    try:
        paragraphs = justext.justext(page, words or frozenset(), **options)
    except Exception:
        return ""
    return "\n".join(p.text for p in paragraphs if not p.is_boilerplate)

words = stop_words(sys.argv[1])
for line in sys.stdin:
    page = json.loads(line)["html"]
    found = {
        "trafilatura": trafilatura.extract(page, include_comments=False) or "",
        "resiliparse": extract_plain_text(page, main_content=True) or "",
        "jusText": by_justext(page, words),
    }
    print(json.dumps(found))
"""

# What a page calls its language, and what jusText calls its list of stop words.
LANGUAGES = {"ar": "arabic", "de": "german", "en": "english", "es": "spanish", "fr": "french", "ko": "korean", "ru": "russian"}

rows = []


def record(part, name, value, target=""):
    rows.append((part, name, value, target))


def lines(path):
    data = path.read_bytes()
    if path.suffix == ".zst":
        data = subprocess.run(["zstd", "-dcq", str(path)], check=True, capture_output=True).stdout
    # Not splitlines: pages may hold other characters that end lines.
    return [line for line in data.decode().split("\n") if line]


def read_sets(folder):
    found = {path.name.split(".")[0]: lines(path) for path in sorted(folder.glob("*.jsonl*"))}
    if not found:
        sys.exit(f"{folder} holds no .jsonl or .jsonl.zst files")
    return found


def common(a, b):
    total = i = j = 0
    while i < len(a) and j < len(b):
        total += max(0, min(a[i][1], b[j][1]) - max(a[i][0], b[j][0]))
        if a[i][1] < b[j][1]:
            i += 1
        else:
            j += 1
    return total


def harmonic(precision, recall):
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def values(gold, found):
    letters = content = kept = both = 0
    for page, other in zip(gold, found, strict=True):
        letters += page["norm_chars"]
        content += sum(end - start for start, end in page["content_ranges"])
        kept += sum(end - start for start, end in other["content_ranges"])
        both += common(page["content_ranges"], other["content_ranges"])
    precision = both / kept if kept else 0.0
    recall = both / content if content else 1.0
    return (letters - content - kept + 2 * both) / letters, recall, precision, harmonic(precision, recall)


class Refrain:
    """The program, and a folder for what it reads."""

    def __init__(self, program, folder):
        self.program, self.path = program, Path(folder) / "set.jsonl"

    def run(self, text, *options):
        self.path.write_text("\n".join(text) + "\n")
        command = [self.program, "template", self.path, "--text-field", "html", "--quiet", *options]
        done = subprocess.run([str(part) for part in command], check=True, capture_output=True)
        return [json.loads(line) for line in done.stdout.decode().split("\n") if line]

    def score(self, text, *options):
        return values([json.loads(line) for line in text], self.run(text, *options, "--ranges", "normalised"))


def paper(refrain, sets):
    means = [[], []]
    print(f"{'set':26}  {'n':>4} {'a':>4}  published: acc. recall prec. F1    default: acc. recall prec. F1")
    for name, text in sets.items():
        cut = refrain.run(text, "--method", "findoptimal", "--json")[0]
        row = [refrain.score(text, *options) for options in (("--method", "findoptimal"), ())]
        for mean, part in zip(means, row):
            mean.append(part)
        shown = "    ".join(" ".join(f"{value:.3f}" for value in part) for part in row)
        print(f"{name:26}  {cut['n']:4} {cut['a']:4}  {shown}", flush=True)
    shown = "    ".join(" ".join(f"{sum(v) / len(v):.3f}" for v in zip(*part)) for part in means)
    print(f"{'mean':26}  {'':9}  {shown}")


# ---------------------------------------------------------------- quality


def quality(refrain, sets):
    print(f"\n{'quality':<28}{'accuracy':>9}{'recall':>8}{'precision':>11}{'F1':>7}{'target':>8}")
    found = []
    for name, text in sets.items():
        found.append(refrain.score(text))
        accuracy, recall, precision, f1 = found[-1]
        print(f"{name:<28}{accuracy:>9.3f}{recall:>8.3f}{precision:>11.3f}{f1:>7.3f}{LOWEST:>8}{verdict(f1 >= LOWEST)}", flush=True)
        record("quality", f"{name}: F1", round(f1, 4), LOWEST)
    accuracy, recall, precision, f1 = (sum(column) / len(column) for column in zip(*found))
    good = f1 >= F1 and accuracy >= ACCURACY
    print(f"{'mean':<28}{accuracy:>9.3f}{recall:>8.3f}{precision:>11.3f}{f1:>7.3f}{F1:>8}{verdict(good)}")
    print(f"accuracy at least {ACCURACY}")
    record("quality", "mean F1", round(f1, 4), F1)
    record("quality", "mean accuracy", round(accuracy, 4), ACCURACY)


def sites_of(text):
    sites = {}
    for line in text:
        sites.setdefault(json.loads(line)["site"], []).append(line)
    return sites


def single(sets):
    """Sets of one site without pages of other kinds."""
    return {
        name: text
        for name, text in sets.items()
        if len(sites_of(text)) == 1 and not any(json.loads(line).get("noise") for line in text)
    }


def mixed(refrain, sets):
    print(f"\n{'in a set of several sites':<28}{'site':<16}{'pages':>6}{'F1':>7}{'alone':>7}{'loss':>8}{'target':>8}")
    for name, text in sets.items():
        sites = sites_of(text)
        if len(sites) < 2:
            continue
        together = refrain.run(text, "--ranges", "normalised")
        gold = [json.loads(line) for line in text]
        for site, own in sites.items():
            pairs = [(page, other) for page, other in zip(gold, together, strict=True) if page["site"] == site]
            inside, alone = values(*zip(*pairs))[3], refrain.score(own)[3]
            loss = alone - inside
            print(
                f"{name:<28}{site:<16}{len(own):>6}{inside:>7.3f}{alone:>7.3f}{loss:>8.3f}{LOSS:>8}{verdict(loss <= LOSS)}",
                flush=True,
            )
            record("mixed", f"{site} in {name}: loss of F1", round(loss, 4), LOSS)


def few(refrain, sets):
    print(f"\n{'five pages':<28}{'F1':>7}{'lowest':>8}")
    means = []
    for name, text in single(sets).items():
        step = max(1, len(text) // 5)
        draws = [refrain.score(text[first::step][:5])[3] for first in range(min(4, step))]
        means.append(sum(draws) / len(draws))
        print(f"{name:<28}{means[-1]:>7.3f}{min(draws):>8.3f}", flush=True)
    mean = sum(means) / len(means)
    print(f"{'mean':<28}{mean:>7.3f} (at least {FEW}){verdict(mean >= FEW)}")
    record("few", "five pages, mean F1", round(mean, 4), FEW)


# ---------------------------------------------------------------- words that are kept, compared with others

SPACE = re.compile(r"[ \t\r\n]+")
HIDDEN = re.compile(r"(?is)<(script|style|svg)\b.*?</\1\s*>|<!--.*?-->")
# Words; one character each where they are not spaced.
WORD = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff]|[^\W\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff]+"
)


def shown(page):
    """The text of a piece of HTML."""
    return html.unescape(re.sub(r"<[^>]*>", "\n", HIDDEN.sub(" ", page)))


def words(text):
    return Counter(WORD.findall(text))


def word_f1(gold, found):
    kept = sum(sum(words(text).values()) for text in found)
    there = sum(sum(page.values()) for page in gold)
    both = sum((page & words(text)).total() for page, text in zip(gold, found, strict=True))
    return harmonic(both / kept if kept else 0.0, both / there if there else 1.0)


def gold_words(pages):
    """The words in the content of each page."""
    normalised = [SPACE.sub(" ", page["html"]) for page in pages]
    return [
        words("\n".join(shown(page[start:end]) for start, end in of["content_ranges"]))
        for page, of in zip(normalised, pages, strict=True)
    ]


def rare_lines(pages):
    """Lines of text that are on at most a tenth of the pages."""
    texts = [[line.strip() for line in shown(page["html"]).split("\n") if line.strip()] for page in pages]
    on = Counter(line for text in texts for line in set(text))
    most = max(1, RARE * len(pages))
    return ["\n".join(line for line in text if on[line] <= most) for text in texts]


def language(pages):
    """What most pages say their language is."""
    said = Counter(
        match[1].lower() for page in pages if (match := re.search(r"(?i)<html[^>]*\blang=[\"']?([a-z]{2})", page["html"]))
    )
    return LANGUAGES.get(said.most_common(1)[0][0] if said else "en", "none")


def peer(pages):
    """What other programs keep of the pages; nothing where they cannot be had."""
    python = VENV / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
        command = [python, "-m", "pip", "install", "--quiet", "-r", ROOT / "bench" / "requirements-template.txt"]
        if subprocess.run(command).returncode != 0:
            shutil.rmtree(VENV, ignore_errors=True)
            return {}
    given = "\n".join(json.dumps({"html": page["html"]}) for page in pages) + "\n"
    command = [python, "-c", PEERS, language(pages)]
    done = subprocess.run(command, input=given, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    found = [json.loads(line) for line in done.stdout.split("\n") if line]
    return {name: [page[name] for page in found] for name in found[0]}


def peers(refrain, sets):
    above, all_sites = 0, single(sets)
    for name, text in all_sites.items():
        pages = [json.loads(line) for line in text]
        gold = gold_words(pages)
        # Lines come one a page and in their order.
        found = {"refrain": [page["text"] for page in refrain.run(text, "--format", "jsonl")]}
        found |= peer(pages)
        found["rare lines"] = rare_lines(pages)
        scores = {program: word_f1(gold, texts) for program, texts in found.items()}
        if above == 0 and name == next(iter(all_sites)):
            print(f"\n{'F1 of the words kept':<28}" + "".join(f"{program:>13}" for program in scores))
        best = all(scores["refrain"] > score for program, score in scores.items() if program != "refrain")
        above += best
        print(f"{name:<28}" + "".join(f"{score:>13.3f}" for score in scores.values()) + ("" if best else "  not above"), flush=True)
        for program, score in scores.items():
            record("peers", f"{name}: {program}", round(score, 4))
    target = round(SITES_ABOVE * len(all_sites))
    print(f"above all others on {above} of {len(all_sites)} sites (at least {target}){verdict(above >= target)}")
    record("peers", "sites above all others", above, target)


def kept_in_corpus(refrain, pages, options):
    """What `refrain corpus` keeps of each page; nothing of one that is a copy."""
    with tempfile.TemporaryDirectory() as folder:
        path, corpus = Path(folder) / "pages.jsonl", Path(folder) / "corpus"
        with path.open("w") as file:
            for number, page in enumerate(pages):
                file.write(json.dumps({"id": f"https://site.example/{number}", "html": page["html"]}) + "\n")
        command = [refrain.program, "corpus", path, "-o", corpus, "--text-field", "html", "--text-is", "html", "--format", "jsonl"]
        subprocess.run([*command, "-q", *options], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        kept = {}
        for part in (corpus / "documents").iterdir():
            for line in part.read_text().splitlines():
                document = json.loads(line)
                kept[int(document["id"].rsplit("/", 1)[1])] = document["text"]
    return [kept.get(number, "") for number in range(len(pages))]


def corpus(refrain, sets):
    print(f"\n{'F1 of the words in a corpus':<28}{'alone':>13}{'host':>13}")
    scores = []
    for name, text in single(sets).items():
        pages = [json.loads(line) for line in text]
        gold = gold_words(pages)
        scores.append([word_f1(gold, kept_in_corpus(refrain, pages, options)) for options in ([], ["--template", "host"])])
        print(f"{name:<28}" + "".join(f"{score:>13.3f}" for score in scores[-1]), flush=True)
    means = [sum(column) / len(column) for column in zip(*scores)]
    better = sum(host > alone for alone, host in scores)
    print(f"{'mean':<28}" + "".join(f"{mean:>13.3f}" for mean in means) + f"  better on {better} of {len(scores)} sites")
    record("corpus", "mean F1 of words, pages alone", round(means[0], 4))
    record("corpus", "mean F1 of words, --template host", round(means[1], 4))
    record("corpus", "sites that are better with --template host", better)


# ---------------------------------------------------------------- numbers of the method, and speed


def vary(bench, sets, others):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in sets.items():
            (Path(folder) / f"{name}.jsonl").write_text("\n".join(text) + "\n")
        folders = [folder, *([others] if others else [])]
        done = subprocess.run(
            [bench, "template", *folders, "--vary", "--pages", "20"], check=True, stdout=subprocess.PIPE, text=True
        )
    print("\n" + done.stdout.replace(folder, "the sets").rstrip())


def speed(program, sets):
    pages = [line for text in sets.values() for line in text]
    print(f"\n{'MB':>5} {'seconds':>8} {'CPU s':>8} {'s/MB':>7} {'peak MB':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for size in (1, 4, 16, 64, 256):
            path, out = Path(folder) / "pages.jsonl", Path(folder) / "out.jsonl"
            with path.open("w") as file:
                written = number = 0
                while written < size << 20:
                    line = pages[number % len(pages)] + "\n"
                    file.write(line)
                    written += len(line.encode())
                    number += 1
            processor, seconds, peak = measured(
                [program, "template", path, "--text-field", "html", "--ranges", "normalised", "--threads", "2", "-o", out, "-q"]
            )
            asked = size == 64
            good = not asked or (seconds <= SECONDS and peak <= MEGABYTES << 20)
            told = f"  (at most {SECONDS} s, {MEGABYTES} MB)" if asked else ""
            print(f"{size:5} {seconds:8.2f} {processor:8.2f} {seconds / size:7.3f} {peak >> 20:8}{told}{verdict(good)}", flush=True)
            record("speed", f"{size} MB: seconds", round(seconds, 2), SECONDS if asked else "")
            record("speed", f"{size} MB: peak MB", peak >> 20, MEGABYTES if asked else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("paper", "bench"))
    parser.add_argument("--sites", required=True, type=Path, help="folder of sets")
    parser.add_argument("--others", type=Path, help="folder of plain sets that no number was chosen on, for vary")
    parser.add_argument("--refrain", default=ROOT / "target/release/refrain", type=Path)
    parser.add_argument("--bench", default=ROOT / "target/release/refrain-bench", type=Path)
    parser.add_argument("--only", default=",".join(PARTS), help="parts, with commas between them")
    parser.add_argument("--record", action="store_true", help="keep the figures under bench/record/")
    arguments = parser.parse_args()
    sets = read_sets(arguments.sites)
    machine = f"{cpu_model()}, {len(os.sched_getaffinity(0))} cores, {platform.system()} {platform.release()}"
    print(f"{datetime.date.today()}, {machine}\nrefrain {refrain_version()}, python {platform.python_version()}")
    with tempfile.TemporaryDirectory() as folder:
        refrain = Refrain(arguments.refrain, folder)
        if arguments.what == "paper":
            return paper(refrain, sets)
        parts = arguments.only.split(",")
        for name, part in (("quality", quality), ("mixed", mixed), ("few", few), ("peers", peers), ("corpus", corpus)):
            if name in parts:
                part(refrain, sets)
    if "vary" in parts:
        vary(arguments.bench, sets, arguments.others)
    if "speed" in parts:
        speed(arguments.refrain, sets)
    if arguments.record:
        folder = RECORDS / f"{platform.system().lower()}-{platform.machine()}"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{datetime.date.today()}-template.csv"
        told = [
            "part,what,value,target",
            *(",".join(f'"{cell}"' if "," in str(cell) else str(cell) for cell in row) for row in rows),
        ]
        path.write_text("\n".join(told) + "\n", encoding="utf-8")
        print(f"recorded in {path.relative_to(ROOT)}")
    return None


if __name__ == "__main__":
    main()
