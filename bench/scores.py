"""How well the text found in a page agrees with the text that people picked."""

import re
from collections import Counter, defaultdict
from statistics import fmean

WORD = re.compile(r"\w+")
SHINGLE = 4


def compare(text, gold):
    """Precision, recall and F1 of the bag of words in lower case, then of the shingles of four words."""
    text, gold = WORD.findall(text), WORD.findall(gold)
    return overlap(bag(text), bag(gold)), overlap(shingles(text), shingles(gold))


def bag(words):
    return Counter(word.lower() for word in words)


def shingles(words):
    return Counter(tuple(words[i : i + SHINGLE]) for i in range(max(1, len(words) - SHINGLE + 1)) if words)


def overlap(found, gold):
    common = sum((found & gold).values())
    precision = common / sum(found.values()) if found else 0.0
    recall = common / sum(gold.values()) if gold else 0.0
    return precision, recall, 2 * precision * recall / (precision + recall) if common else 0.0


def grouped(pages, scores):
    """The scores of all pages, of each set, and of each type of page: name to scores, in the order of names."""
    groups = defaultdict(list)
    for page, score in zip(pages, scores, strict=True):
        groups["all"].append(score)
        groups[page["dataset"]].append(score)
        if page.get("page_type"):
            groups["  " + page["page_type"]].append(score)
    return dict(sorted(groups.items()))


def summed_up(scores):
    """Mean precision, recall and F1 over words, and the F1 of the mean precision and recall over shingles."""
    precision, recall, f1 = (fmean(words[i] for words, _ in scores) for i in range(3))
    exact, complete = (fmean(shingles[i] for _, shingles in scores) for i in range(2))
    return precision, recall, f1, 2 * exact * complete / (exact + complete) if exact + complete else 0.0
