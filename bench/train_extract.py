#!/usr/bin/env python3
"""Train the model of `refrain extract`'s default method.

usage: train_extract.py PAGES --bench refrain-bench [--output MODEL] [--evaluate hosts|sets] [--work FOLDER]

PAGES is JSONL (plain or .zst): id, html (or html_base64 and charset), gold, dataset, url. Pages of the sets named by --never
(dragnet: its licence allows tests only) are judged but never learned from.

The blocks of all pages are measured by `refrain-bench features`; their labels are the share of their words that aligns with
the gold text. The first look is trained on those; the second one on the same features and on what the first look says of
pages it has not seen. With --evaluate hosts, five models are trained, each without the pages of a fifth of the hosts, and
each page is scored by the model that has not seen its host. With --evaluate sets, each set is scored by a model that has not
seen the set (dragnet is never seen). Scores come from the extractor itself (`refrain-bench extract --model`), so that all of its steps count.
"""
import argparse
import base64
import hashlib
import io
import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from urllib.parse import urlparse

import numpy as np
from catboost import CatBoost, Pool
from scores import compare, grouped, summed_up

FOLDS = 5
# The sets differ in size and in how well they show what readers want: how much a page of each counts.
SET_WEIGHTS = {"cleaneval": 0.5, "wcxb": 2.0, "aeb": 2.5, "l3s-gn1": 1.0, "cleanportaleval": 1.0}
LOOKS = [
    dict(iterations=400, learning_rate=0.08, depth=6),
    dict(iterations=400, learning_rate=0.06, depth=6),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", type=Path)
    parser.add_argument("--bench", type=Path, required=True)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--evaluate", choices=["hosts", "sets"], action="append", default=[])
    parser.add_argument("--work", type=Path, default=Path("bench-data/train"))
    parser.add_argument("--never", nargs="*", default=["dragnet"])
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    plain = arguments.work / "pages.jsonl"
    pages = unpack(arguments.pages, plain)
    trainer = Trainer(arguments.bench, arguments.work, plain, pages, set(arguments.never))
    if arguments.output:
        write_model(arguments.output, trainer.train(), trainer.names)
        print(f"wrote {arguments.output}")
    for by in arguments.evaluate:
        trainer.evaluate(by)


def unpack(path, plain):
    """Writes the pages as plain JSONL with decoded HTML, and returns what is known of them."""
    pages = []
    with open(plain, "w", encoding="utf-8") as out:
        for line in lines(path):
            page = json.loads(line)
            if "html" not in page:
                page["html"] = base64.b64decode(page.pop("html_base64")).decode(page["charset"], "replace")
            out.write(json.dumps(page) + "\n")
            pages.append({key: page.get(key) for key in ("id", "dataset", "url", "page_type", "gold")})
    return pages


def lines(path):
    if path.suffix == ".zst":
        process = subprocess.Popen(["zstd", "-dcq", "--long=31", path], stdout=subprocess.PIPE)
        yield from io.TextIOWrapper(process.stdout, encoding="utf-8")
        if process.wait():
            sys.exit(f"{path}: zstd failed")
    else:
        with open(path, encoding="utf-8") as file:
            yield from file


class Trainer:
    def __init__(self, bench, work, plain, pages, never):
        self.bench, self.work, self.plain, self.pages = bench, work, plain, pages
        self.measure(None)
        self.first_rows = self.rows
        self.models = []
        self.sets = np.array([page["dataset"] for page in pages])
        self.taught = ~np.isin(self.sets, list(never))
        weights = np.array([SET_WEIGHTS.get(name, 1.0) for name in self.sets])
        gold = np.array([max(page["gold_tokens"], 30) for page in self.known])
        share = np.minimum(self.tokens / gold[self.page_of], 0.3) + 0.002
        self.weights = share * weights[self.page_of]
        # CleanEval counts comments of readers as main content, the other sets do not: it has no say there.
        comments = self.rows[:, self.names[0].index("word_comment")] > 0
        self.weights[comments & (self.sets[self.page_of] == "cleaneval")] = 0
        self.folds = np.array([fold_of(page) for page in pages])

    def measure(self, probabilities):
        """Has the blocks measured; with the probabilities of the first look, for the second one."""
        folder = self.work / ("second" if probabilities is not None else "first")
        command = [self.bench, "features", self.plain, "--output", folder]
        if probabilities is not None:
            file = self.work / "probabilities.f32"
            probabilities.astype("<f4").tofile(file)
            command += ["--probabilities", file]
        subprocess.run(command, check=True)
        names = (folder / "names.txt").read_text().split()
        self.rows = np.fromfile(folder / "features.f32", "<f4").reshape(-1, len(names))
        if probabilities is None:
            self.names = [names, None]
            self.labels = np.fromfile(folder / "labels.f32", "<f4")
            self.tokens = np.fromfile(folder / "tokens.f32", "<f4")
            self.known = [json.loads(line) for line in open(folder / "pages.jsonl", encoding="utf-8")]
            counts = [page["count"] for page in self.known]
            self.page_of = np.repeat(np.arange(len(counts)), counts)
        else:
            self.names[1] = names

    def fit(self, look, rows, chosen):
        chosen = chosen & (self.weights > 0)
        model = CatBoost(dict(
            LOOKS[look], loss_function="CrossEntropy", border_count=32, l2_leaf_reg=5, rsm=0.3, random_seed=1,
            bootstrap_type="Bernoulli", subsample=0.8, thread_count=2, verbose=0, allow_writing_files=False,
        ))
        model.fit(Pool(rows[chosen], self.labels[chosen], weight=self.weights[chosen]))
        return model

    def unseen(self):
        """Five models of the first look, each without the pages of a fifth of the hosts, and the features of the second look
        with what they say of the pages that they have not seen."""
        if not self.models:
            told = np.zeros(len(self.labels))
            for fold in range(FOLDS):
                aside = self.folds[self.page_of] == fold
                self.models.append(self.fit(0, self.first_rows, self.taught[self.page_of] & ~aside))
                told[aside] = sigmoid(self.models[-1].predict(self.first_rows[aside]))
            self.measure(told)
        return self.models

    def train(self):
        """Both looks, trained on all pages that may be learned from."""
        self.unseen()
        learned = self.taught[self.page_of]
        return self.fit(0, self.first_rows, learned), self.fit(1, self.rows, learned)

    def train_by_hosts(self):
        """For each fold, both looks trained on the others."""
        for fold, first in enumerate(self.unseen()):
            learned = self.taught & (self.folds != fold)
            yield self.folds == fold, (first, self.fit(1, self.rows, learned[self.page_of]))

    def train_by_sets(self):
        """For each set, both looks trained on the others. (How sure the first look is of pages it has not seen is asked of
        models that know all sets; the second look learns that from the other sets only.)"""
        self.unseen()
        for name in sorted(set(self.sets)):
            aside = self.sets == name
            learned = (self.taught & ~aside)[self.page_of]
            yield aside, (self.fit(0, self.first_rows, learned), self.fit(1, self.rows, learned))

    def evaluate(self, by):
        scores = [None] * len(self.pages)
        for aside, looks in self.train_by_hosts() if by == "hosts" else self.train_by_sets():
            model = self.work / "part.model"
            write_model(model, looks, self.names)
            for at, score in self.score(model, np.flatnonzero(aside)):
                scores[at] = score
            print(f"{aside.sum()} pages aside: {np.mean([scores[at][0][2] for at in np.flatnonzero(aside)]):.4f}", flush=True)
        report(self.pages, scores)

    def score(self, model, chosen):
        wanted = set(chosen.tolist())
        part = self.work / "part.jsonl"
        with open(self.plain, encoding="utf-8") as file, open(part, "w", encoding="utf-8") as out:
            out.writelines(line for at, line in enumerate(file) if at in wanted)
        done = subprocess.run([self.bench, "extract", part, "--model", model], check=True, stdout=subprocess.PIPE)
        texts = {page["id"]: page["text"] for page in map(json.loads, done.stdout.decode().splitlines())}
        return [(at, compare(texts[self.pages[at]["id"]], self.pages[at]["gold"])) for at in chosen]


def fold_of(page):
    host = urlparse(page["url"]).hostname if page["url"] else None
    key = (host or page["id"]).removeprefix("www.")
    return int(hashlib.md5(key.encode()).hexdigest(), 16) % FOLDS


def sigmoid(values):
    return 1 / (1 + np.exp(-values))


def report(pages, scores):
    for name, group in grouped(pages, scores).items():
        p, r, f1, shingle_f1 = summed_up(group)
        print(f"{name:18} {len(group):5} pages  P {p:.3f}  R {r:.3f}  F1 {f1:.4f}  shingle F1 {shingle_f1:.4f}")


def write_model(path, looks, names):
    """Writes trees as text: only the features and borders that they ask for, leaves as whole numbers."""
    models = []
    for look in looks:
        file = path.with_suffix(".json")
        look.save_model(str(file), format="json")
        models.append(json.loads(file.read_text()))
        file.unlink()
    # The features of the first look are the first ones of the second: both share columns and borders.
    borders = defaultdict(set)
    for model in models:
        for tree in model["oblivious_trees"]:
            for split in tree["splits"]:
                borders[split["float_feature_index"]].add(split["border"])
    columns = {feature: column for column, feature in enumerate(sorted(borders))}
    borders = {feature: sorted(values) for feature, values in borders.items()}
    with open(path, "w", encoding="utf-8") as out:
        out.write("# The model of refrain's default extraction method. Built by `make train-extract`; see CONTRIBUTING.md.\n")
        for feature in columns:
            out.write(f"feature {names[1][feature]} {' '.join(f'{border:.9g}' for border in borders[feature])}\n")
        for model in models:
            write_look(out, model, columns, borders)


def write_look(out, model, columns, borders):
    scale, (bias,) = model["scale_and_bias"]
    trees = model["oblivious_trees"]
    step = max(abs(leaf) for tree in trees for leaf in tree["leaf_values"]) / 32000
    out.write(f"look {bias:.8g} {scale * step:.8g}\n")
    for tree in trees:
        questions = [f"{columns[s['float_feature_index']]}:{borders[s['float_feature_index']].index(s['border'])}"
                     for s in tree["splits"]]
        leaves = [str(round(leaf / step)) for leaf in tree["leaf_values"]]
        out.write(f"tree {' '.join(questions)} = {' '.join(leaves)}\n")


if __name__ == "__main__":
    main()
