#!/usr/bin/env python3
"""How well `refrain editions` finds pairs of real books, as they come, and of books made from them.

usage: editions.py --refrain BINARY --books FOLDER --data FOLDER --make-books SCRIPT --eval-pairs SCRIPT

FOLDER of --data has editions_pairs.tsv (a, b, kind) and editions_synth.tsv (out, base, donor, keep, noise, seed), which the script of
--make-books turns into books. Made books are searched among all real ones. A pair of books that share none of their sources, nor books
that share text with these, is a false one.
"""
import argparse, csv, json, pathlib, subprocess, sys, tempfile

CASES = [(20, 40), (0, 10), (20, 20), (20, 100), (10, 40), (5, 40), (0, 40)]


def rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def found(refrain, folders, out):
    subprocess.run([refrain, "editions", *folders, "--format", "tsv", "-o", out, "-q"], check=True)
    return {tuple(sorted(pathlib.PurePath(row[side]).name for side in "ab")) for row in rows(out)}


def main():
    parser = argparse.ArgumentParser()
    for name in ("refrain", "books", "data", "make-books", "eval-pairs"):
        parser.add_argument(f"--{name}", required=True)
    given = parser.parse_args()
    data = pathlib.Path(given.data)
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        out = work / "pairs.tsv"
        found(given.refrain, [given.books], out)
        told = subprocess.run([sys.executable, given.eval_pairs, data / "editions_pairs.tsv", out], check=True, capture_output=True)
        score = json.loads(told.stdout)
        partial = score["recall_by_kind"]["partial"]
        print(f"real books as they come: P {score['precision']:.3f}, R {score['recall']:.3f}; partial pairs: R {partial['recall']:.3f}")
        family = {}
        for row in rows(data / "editions_pairs.tsv"):
            family.setdefault(row["a"], {row["a"]}).add(row["b"])
            family.setdefault(row["b"], {row["b"]}).add(row["a"])
        known = {tuple(sorted((row["a"], row["b"]))) for row in rows(data / "editions_pairs.tsv")}
        specification = rows(data / "editions_synth.tsv")
        for noise, keep in CASES:
            made = [row for row in specification if (int(row["noise"]), int(row["keep"])) == (noise, keep)]
            list_file, folder = work / "list.tsv", work / f"made-{noise}-{keep}"
            with open(list_file, "w", encoding="utf-8") as file:
                file.write("\t".join(made[0]) + "\n" + "".join("\t".join(row.values()) + "\n" for row in made))
            subprocess.run([sys.executable, given.make_books, list_file, given.books, folder], check=True)
            pairs = found(given.refrain, [given.books, str(folder)], out)
            sources = {}
            for row in made:
                of = {row["base"], row["donor"]} - {"-"}
                sources[row["out"]] = set().union(*(family.get(book, {book}) for book in of))
            near = lambda book: sources.get(book, family.get(book, {book}))
            false = [pair for pair in pairs if pair not in known and not near(pair[0]) & near(pair[1])]
            right = sum(tuple(sorted((row["base"], row["out"]))) in pairs for row in made)
            of_made = [pair for pair in pairs if pair[0] in sources or pair[1] in sources]
            precision = 1 - len(false) / max(1, len(of_made))
            print(f"{noise:3} % noise, {keep:3} % kept: R {right / len(made):.3f}, P {precision:.3f} ({len(false)} false)")


if __name__ == "__main__":
    main()
