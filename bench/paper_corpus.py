"""Build a corpus from open data, and print its figures in the rows of the published table, beside the published ones.

Usage: paper_corpus.py [--refrain target/release/refrain] INPUT...

The inputs are JSONL with a field `html`, or with the bytes of a page in `html_base64`. The second column has the corpus with the published
rule for near-duplicates instead of the default one: `refrain dedup --intact`.
"""

import argparse
import base64
import collections
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# Table 2 of PRESEMT D3.1.3: English, Italian, German, Greek. Volumes are in GB there, compressed and uncompressed.
PUBLISHED = {
    "downloaded bytes": (129e9, 272e9, 291e9, 157e9),
    "downloaded bytes, uncompressed": (645e9, 1360e9, 1455e9, 785e9),
    "addresses": (13_638_928, 33_459_999, 43_160_992, 18_000_511),
    "main content, words": (6_805_296_135, 7_740_199_568, None, None),
    "boilerplate, words": (7_843_420_305, 14_814_859_910, None, None),
    "without exact duplicates: documents": (3_357_252, 5_335_839, 8_237_310, 3_357_894),
    "without exact duplicates: tokens": (4_765_119_530, 5_017_409_779, 4_880_335_291, 1_952_309_530),
    "without exact duplicates: duplicate 10-grams": (212_864_389, 295_369_351, 331_258_395, 131_047_973),
    "corpus: documents": (2_838_738, 4_020_968, 5_752_857, 2_208_243),
    "corpus: tokens": (3_658_726_327, 3_076_812_674, 2_874_779_294, 1_073_266_453),
    "corpus: duplicate 10-grams": (6_757_185, 12_230_555, 7_196_387, 3_375_029),
}
COLUMNS = ("this corpus", "published rule", "English", "Italian", "German", "Greek")


def figures(statistics: dict) -> list[int]:
    """The rows of the table."""
    total, volume, ngrams = (statistics[name] for name in ("total", "volume", "ngrams"))
    near = total.get("near_duplicates", {"documents": 0, "tokens": 0})
    template = total.get("template", {"words": 0})
    before = {unit: total["kept"][unit] + near[unit] for unit in ("documents", "tokens")}
    return [
        volume["files"],
        volume["documents"],
        statistics["addresses"],
        total["main_content"]["words"],
        total["boilerplate"]["words"] + template["words"],
        before["documents"],
        before["tokens"],
        ngrams["after_exact_duplicates"]["duplicate"],
        total["kept"]["documents"],
        total["kept"]["tokens"],
        ngrams["after_near_duplicates"]["duplicate"],
    ]


def readable(path: Path, folder: Path) -> Path:
    """The pages of a file, all of them with their text in the field `html`."""
    lines = subprocess.run(["zstd", "-dcq", "--long=31", str(path)], check=True, capture_output=True).stdout
    copy = folder / path.name.removesuffix(".zst")
    with copy.open("wb") as out:
        for line in lines.splitlines():
            page = json.loads(line)
            if "html_base64" in page:
                raw = base64.b64decode(page.pop("html_base64"))
                page["html"] = raw.decode(page.pop("charset"), "replace")
                line = json.dumps(page).encode()
            out.write(line + b"\n")
    return copy


def published_rule(refrain: str, exact: Path, folder: Path) -> tuple[dict, dict]:
    """Documents and tokens, and duplicate 10-grams, of a corpus without exact duplicates after the published rule."""
    clean = folder / "clean.jsonl"
    subprocess.run([refrain, "dedup", str(exact), "--intact", "-o", str(clean), "--quiet"], check=True)
    # A corpus of the result has the same text, and its figures.
    again = folder / "again"
    subprocess.run([refrain, "corpus", str(clean), "--method", "none", "--dedup", "none", "--quiet", "-o", str(again)], check=True)
    kept = json.loads((again / "stats.json").read_text())["total"]["kept"]
    count = [refrain, "dedup", str(clean), "--count-only", "--ngram", "10", "--json", "--quiet"]
    return kept, json.loads(subprocess.run(count, check=True, capture_output=True).stdout)


def inside_one_document(documents: Path) -> tuple[int, int]:
    """Duplicate 10-grams of a corpus, and those of them that occur in one document only. Words are runs of letters and digits."""
    times, owners, shared = collections.Counter(), {}, set()
    with documents.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            words = re.findall(r"\w+", json.loads(line)["text"].lower())
            for ngram in map(hash, zip(*(words[at:] for at in range(10)))):
                times[ngram] += 1
                if owners.setdefault(ngram, number) != number:
                    shared.add(ngram)
    duplicate = sum(count > 1 for count in times.values())
    return duplicate, duplicate - len(shared)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--refrain", default="target/release/refrain")
    parser.add_argument("inputs", nargs="+")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="refrain-paper-") as name:
        folder = Path(name)
        inputs = [str(readable(Path(path), folder)) for path in arguments.inputs]
        run = [arguments.refrain, "corpus", *inputs, "--text-field", "html", "--text-is", "html", "--quiet"]
        part = Path("documents/part-00000.jsonl")
        inside = []
        for options, to in [([], "corpus"), (["--dedup", "exact"], "exact")]:
            options += ["--format", "jsonl", "--part-size", "1000G", "-o", str(folder / to)]
            if subprocess.run([*run, *options]).returncode > 1:
                return 1
            inside.append(inside_one_document(folder / to / part))
        statistics = json.loads((folder / "corpus" / "stats.json").read_text())
        kept, ngrams = published_rule(arguments.refrain, folder / "exact", folder)
        inside.append(inside_one_document(folder / "clean.jsonl"))
    own = figures(statistics)
    with_rule = [*own[:8], kept["documents"], kept["tokens"], ngrams["duplicate"]]
    print(f"{'':<46}" + "".join(f"{name:>20}" for name in COLUMNS))
    for (row, published), here, rule in zip(PUBLISHED.items(), own, with_rule, strict=True):
        cells = [here, rule, *published]
        print(f"{row:<46}" + "".join(f"{'-' if cell is None else format(int(cell), ','):>20}" for cell in cells))
    before, after = PUBLISHED["without exact duplicates: duplicate 10-grams"], PUBLISHED["corpus: duplicate 10-grams"]
    pairs = [(own[7], own[10]), (own[7], with_rule[10]), *zip(before, after)]
    shares = ", ".join(f"{100 - 100 * a / max(b, 1):.1f} % ({name})" for (b, a), name in zip(pairs, COLUMNS))
    print(f"share of the duplicate 10-grams without exact duplicates that near-duplicates take: {shares}")
    for name, (duplicate, alone) in zip(("this corpus", "without exact duplicates", "published rule"), inside):
        print(f"{name}: {duplicate:,} duplicate 10-grams, {alone:,} of them in one document only, {duplicate - alone:,} in several")
    return 0


if __name__ == "__main__":
    sys.exit(main())
