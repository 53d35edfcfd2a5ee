"""Build a corpus from open data, and print its figures in the rows of the published table, beside the published ones.

Usage: paper_corpus.py [--refrain target/release/refrain] INPUT...
"""

import argparse
import json
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
COLUMNS = ("this corpus", "English", "Italian", "German", "Greek")


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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--refrain", default="target/release/refrain")
    parser.add_argument("inputs", nargs="+")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="refrain-paper-") as folder:
        corpus = Path(folder) / "corpus"
        run = [arguments.refrain, "corpus", *arguments.inputs, "--text-field", "html", "--quiet", "-o", str(corpus)]
        if subprocess.run(run).returncode > 1:
            return 1
        statistics = json.loads((corpus / "stats.json").read_text())
    print(f"{'':<46}" + "".join(f"{name:>20}" for name in COLUMNS))
    for (row, published), here in zip(PUBLISHED.items(), figures(statistics), strict=True):
        cells = [here, *published]
        print(f"{row:<46}" + "".join(f"{'-' if cell is None else format(int(cell), ','):>20}" for cell in cells))
    removed = "of the duplicate 10-grams that exact duplicates leave, near-duplicates take"
    before, after = PUBLISHED["without exact duplicates: duplicate 10-grams"], PUBLISHED["corpus: duplicate 10-grams"]
    own = statistics["ngrams"]
    pairs = [(own["after_exact_duplicates"]["duplicate"], own["after_near_duplicates"]["duplicate"]), *zip(before, after)]
    print(removed + ": " + ", ".join(f"{100 - 100 * a / max(b, 1):.1f} % ({name})" for (b, a), name in zip(pairs, COLUMNS)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
