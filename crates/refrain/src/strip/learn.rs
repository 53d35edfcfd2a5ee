//! Self-training on a collection, no labels needed.
//!
//! First labels: what lies between the marker and the block that repeats the title given in the
//! header is boilerplate, that block and what follows is the book. The classifier trained on them
//! marks all books anew, and its marks are the labels of the next round.

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use rayon::prelude::*;

use super::evidence::{Evidence, Side};
use super::head::{Extent, Head, HeadBlock, evidence_features, header_blocks, keys_of};
use super::lines::Edges;
use super::mark::{best_cut, preamble_end, scores, tail_start};
use super::model::{Example, Model};
use super::rules::Rules;

/// Rounds of marking and training.
const ROUNDS: usize = 4;
/// The title page must come within this many blocks to serve as a first label.
const TITLE_REACH: usize = 12;
/// Blocks behind the boundary that count in full as examples of the book.
const NEAR: usize = 6;

/// Weight of a block of the header as an example.
const LICENCE: f32 = 0.2;

/// Learns from a collection; near-copies of one book vote once.
pub(super) fn learn(books: &[Edges], rules: &Rules) -> Evidence {
    let voters = distinct(books);
    let raw = frequency(books, &voters);
    let heads: Vec<Head> = voters.par_iter().map(|&b| Head::new(&books[b].head, rules, &raw, Extent::Full)).collect();
    let keys: Vec<Vec<Option<u64>>> = voters.par_iter().map(|&b| keys_of(&books[b].head)).collect();
    let mut labels: Vec<Vec<Option<bool>>> = heads.iter().map(first_labels).collect();
    let licence: Vec<Example> =
        heads.par_iter().zip(&voters).flat_map_iter(|(h, &b)| licence_examples(h, &books[b])).collect();
    let mut evidence = raw;
    for _ in 0..ROUNDS {
        evidence.heads = head_votes(&keys, &heads, &labels);
        evidence.tails = tail_votes(books, &voters, &heads, &labels, rules, &evidence);
        let examples: Vec<Example> =
            heads.par_iter().zip(&labels).flat_map_iter(|(h, l)| examples(h, l, &evidence)).collect();
        evidence.model = Model::train(&[&examples[..], &licence].concat());
        labels = heads.par_iter().map(|h| labels_of(h, &evidence)).collect();
    }
    evidence.heads = head_votes(&keys, &heads, &labels);
    evidence
}

/// First labels: what a rule vouches for is boilerplate.
fn first_labels(head: &Head) -> Vec<Option<bool>> {
    label(head, |_, b| b.credit || b.note || b.in_note || b.notice)
}

/// Labels by the present classifier.
fn labels_of(head: &Head, evidence: &Evidence) -> Vec<Option<bool>> {
    let cut = best_cut(&scores(head, evidence)).blocks;
    label(head, |i, _| i < cut)
}

/// The title page and all behind it is the book; before it, what is not known as boilerplate
/// is left open.
fn label(head: &Head, boilerplate: impl Fn(usize, &HeadBlock) -> bool) -> Vec<Option<bool>> {
    let title = head.title.filter(|&t| t < TITLE_REACH);
    let book = title.unwrap_or(TITLE_REACH * 2);
    let label = |(i, b)| {
        if i >= book { Some(false) } else { boilerplate(i, b).then_some(true) }
    };
    head.blocks.iter().enumerate().map(label).collect()
}

/// Blocks taken into the preamble by these labels.
fn taken(labels: &[Option<bool>]) -> usize {
    labels.iter().take_while(|l| **l == Some(true)).count()
}

/// Plain line frequencies: every line counts as boilerplate if enough books share it.
fn frequency(books: &[Edges], voters: &[usize]) -> Evidence {
    let mut evidence = Evidence { books: voters.len() as u32, ..Default::default() };
    let keys: Vec<(HashSet<u64>, HashSet<u64>)> = voters
        .par_iter()
        .map(|&b| {
            let set = |lines| keys_of(lines).into_iter().flatten().collect();
            (set(&books[b].head), set(&books[b].tail))
        })
        .collect();
    for (head, tail) in keys {
        for key in head {
            evidence.heads.vote(key, true);
        }
        for key in tail {
            evidence.tails.vote(key, true);
        }
    }
    let least = (voters.len() as u32 / 12).clamp(2, 8);
    for side in [&mut evidence.heads, &mut evidence.tails] {
        side.0.retain(|_, c| c.inside >= least);
    }
    evidence
}

fn head_votes(keys: &[Vec<Option<u64>>], heads: &[Head], labels: &[Vec<Option<bool>>]) -> Side {
    let mut side = Side::default();
    for ((keys, head), labels) in keys.iter().zip(heads).zip(labels) {
        let end = preamble_end(head, taken(labels));
        let mut seen = HashSet::new();
        let mut vote = |key: &Option<u64>, inside| {
            if let Some(key) = key
                && seen.insert(*key)
            {
                side.vote(*key, inside);
            }
        };
        keys[..end].iter().for_each(|k| vote(k, true));
        for (b, label) in head.blocks.iter().zip(labels).skip(taken(labels)) {
            if *label == Some(false) {
                b.keys.iter().for_each(|k| vote(&Some(*k), false));
            }
        }
        let rest = head.blocks.last().map_or(end, |b| b.block.last + 1);
        keys[rest..].iter().for_each(|k| vote(k, false));
    }
    side
}

fn tail_votes(
    books: &[Edges],
    voters: &[usize],
    heads: &[Head],
    labels: &[Vec<Option<bool>>],
    rules: &Rules,
    evidence: &Evidence,
) -> Side {
    let cast: Vec<Vec<(u64, bool)>> = (0..voters.len())
        .into_par_iter()
        .map(|v| {
            let book = &books[voters[v]];
            let end = preamble_end(&heads[v], taken(&labels[v]));
            let start = tail_start(&book.tail, end, rules, evidence).start;
            let keys = keys_of(&book.tail);
            let mut seen = HashSet::new();
            let rows = book.tail.iter().zip(keys).filter(|(l, _)| l.number >= end);
            rows.filter_map(|(l, k)| k.filter(|k| seen.insert(*k)).map(|k| (k, start > 0 && l.number + 1 >= start)))
                .collect()
        })
        .collect();
    let mut side = Side::default();
    for (key, inside) in cast.into_iter().flatten() {
        side.vote(key, inside);
    }
    side
}

/// The header itself: how those who made the e-book write.
fn licence_examples(head: &Head, book: &Edges) -> Vec<Example> {
    let Some(anchor) = head.anchor else { return Vec::new() };
    let example = |b: HeadBlock| Example { features: b.features, boilerplate: true, weight: LICENCE };
    header_blocks(&book.head, anchor).into_iter().map(example).collect()
}

fn examples(head: &Head, labels: &[Option<bool>], evidence: &Evidence) -> Vec<Example> {
    let near = taken(labels) + NEAR;
    let example = |(i, (b, label)): (usize, (&HeadBlock, &Option<bool>))| {
        let boilerplate = (*label)?;
        let mut features = b.features.clone();
        evidence_features(b, evidence, &mut features);
        Some(Example { features, boilerplate, weight: if i < near { 1.0 } else { 0.3 } })
    };
    head.blocks.iter().zip(labels).enumerate().filter_map(example).collect()
}

/// Lines of the sketch of a book.
const SKETCH: usize = 48;
/// Share of sketch lines that makes two files copies of one book.
const COPY: f32 = 0.3;

/// One file for every group of near-copies (by lines of the body), in order.
pub(super) fn distinct(books: &[Edges]) -> Vec<usize> {
    let sketches: Vec<Vec<u64>> = books.par_iter().map(sketch).collect();
    let mut holders: HashMap<u64, Vec<usize>> = HashMap::new();
    let mut kept = Vec::new();
    for (i, sketch) in sketches.iter().enumerate() {
        let mut shared: HashMap<usize, usize> = HashMap::new();
        for &j in sketch.iter().filter_map(|h| holders.get(h)).flatten() {
            *shared.entry(j).or_default() += 1;
        }
        let copy =
            shared.iter().any(|(&j, &n)| n as f32 >= COPY * sketch.len().min(sketches[j].len()) as f32 && n >= 3);
        if !copy {
            kept.push(i);
            for key in sketch {
                holders.entry(*key).or_default().push(i);
            }
        }
    }
    kept
}

/// The places of files that are near-copies of one of the others.
pub(super) fn copies_of(books: &[Edges], others: &[Edges]) -> Vec<usize> {
    let sketches = |books: &[Edges]| -> Vec<HashSet<u64>> {
        books.par_iter().map(|book| sketch(book).into_iter().collect()).collect()
    };
    let (books, others) = (sketches(books), sketches(others));
    let alike = |one: &HashSet<u64>, other: &HashSet<u64>| {
        let shared = one.intersection(other).count();
        shared >= 3 && shared as f32 >= COPY * one.len().min(other.len()) as f32
    };
    (0..books.len()).into_par_iter().filter(|&book| others.iter().any(|other| alike(&books[book], other))).collect()
}

/// Smallest line keys of the body part that is in reach.
fn sketch(book: &Edges) -> Vec<u64> {
    let skip = 400.min(book.total / 3);
    let body = |n: usize| n >= skip && n + skip < book.total;
    let edge = book.head.iter().chain(book.tail.iter().filter(|l| l.number >= book.head.len()));
    let lines: Vec<_> = edge.filter(|l| body(l.number)).copied().collect();
    let mut keys: Vec<u64> = keys_of(&lines).into_iter().flatten().collect();
    keys.sort_unstable();
    keys.dedup();
    keys.truncate(SKETCH);
    keys
}
