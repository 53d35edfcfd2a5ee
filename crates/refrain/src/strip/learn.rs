//! Self-training on a collection, no labels needed.
//!
//! First labels: the text between the marker and the block that repeats the title given in the header is boilerplate;
//! that block and the rest are the book. The classifier trained on them marks all books again, and its marks are the
//! labels of the next round.

use std::ops::Range;

use foldhash::{HashMap, HashMapExt, HashSet};
use rayon::prelude::*;

use super::evidence::{Count, Evidence, Side};
use super::head::{Extent, Head, HeadBlock, evidence_features, header_blocks, keys_of};
use super::lines::Edges;
use super::mark::{best_cut, preamble_end, scores, tail_start};
use super::model::{Examples, Model};
use super::rules::Rules;

/// Rounds of marking and training.
const ROUNDS: usize = 4;
/// The title page must come within this many blocks to serve as a first label.
const TITLE_REACH: usize = 12;
/// Blocks after the boundary that count in full as examples of the book.
const NEAR: usize = 6;

/// Weight of a block of the header as an example.
const LICENCE: f32 = 0.2;

/// Learns from a collection; near-duplicates of one book have one vote.
pub(super) fn learn(books: &[Edges], rules: &Rules) -> Evidence {
    let voters = voters(books);
    let [top, bottom] = [Votes::of(&voters, |voter| &voter.head), Votes::of(&voters, |voter| &voter.tail)];
    let least = (voters.len() as u32 / 12).clamp(2, 8);
    let mut evidence = Evidence { books: voters.len() as u32, ..Default::default() };
    (evidence.heads, evidence.tails) = (top.frequent(least), bottom.frequent(least));
    let prepare = |voter: &Keyed| Head::new(&voter.edges.head, rules, &evidence, Extent::Full);
    let heads: Vec<Head> = voters.par_iter().map(prepare).collect();
    let licence: Vec<Vec<HeadBlock>> =
        heads.par_iter().zip(&voters).map(|(head, voter)| licence_blocks(head, voter.edges)).collect();
    let mut labels: Vec<Vec<Option<bool>>> = heads.iter().map(first_labels).collect();
    for _ in 0..ROUNDS {
        evidence.heads = top.count(|voter, lines| vote_head(&heads[voter], &labels[voter], lines));
        let starts: Vec<(usize, usize)> = (0..voters.len())
            .into_par_iter()
            .map(|voter| {
                let end = preamble_end(&heads[voter], preamble_blocks(&labels[voter]));
                (end, tail_start(&voters[voter].edges.tail, end, rules, &evidence).start)
            })
            .collect();
        evidence.tails = bottom.count(|voter, lines| vote_tail(voters[voter].edges, starts[voter], lines));
        evidence.model = Model::train(&examples(&heads, &labels, &licence, &evidence));
        labels = heads.par_iter().map(|h| labels_of(h, &evidence)).collect();
    }
    evidence.heads = top.count(|voter, lines| vote_head(&heads[voter], &labels[voter], lines));
    evidence
}

/// A text with the keys of its lines.
struct Keyed<'a> {
    edges: &'a Edges<'a>,
    head: Vec<Option<u64>>,
    tail: Vec<Option<u64>>,
}

impl Keyed<'_> {
    fn of<'a>(edges: &'a Edges<'a>) -> Keyed<'a> {
        Keyed { edges, head: keys_of(&edges.head), tail: keys_of(&edges.tail) }
    }
}

/// The texts that have a vote: one of each group of near-duplicates.
fn voters<'a>(books: &'a [Edges<'a>]) -> Vec<Keyed<'a>> {
    let keyed: Vec<Keyed> = books.par_iter().map(Keyed::of).collect();
    let sketches: Vec<Vec<u64>> = keyed.par_iter().map(sketch).collect();
    let mut kept = distinct_by(&sketches).into_iter().peekable();
    let keyed = keyed.into_iter().enumerate();
    keyed.filter_map(|(at, text)| kept.next_if_eq(&at).map(|_| text)).collect()
}

/// The lines of one end that more than one text has, by number: lines of a single text teach nothing, and they are by far the
/// most.
struct Votes {
    /// The key of each line.
    keys: Vec<u64>,
    /// How many texts have it.
    texts: Vec<u32>,
    /// The lines of each text.
    lines: Vec<Vec<Option<u32>>>,
}

impl Votes {
    fn of(voters: &[Keyed], end: for<'a> fn(&'a Keyed<'_>) -> &'a Vec<Option<u64>>) -> Votes {
        let distinct = |voter: &Keyed| {
            let mut keys: Vec<u64> = end(voter).iter().flatten().copied().collect();
            keys.sort_unstable();
            keys.dedup();
            keys
        };
        let mut all: Vec<u64> = voters.par_iter().flat_map_iter(distinct).collect();
        all.par_sort_unstable();
        let (mut keys, mut texts) = (Vec::new(), Vec::new());
        for same in all.chunk_by(|one, other| one == other).filter(|same| same.len() > 1) {
            keys.push(same[0]);
            texts.push(same.len() as u32);
        }
        let numbers: HashMap<u64, u32> = keys.iter().copied().zip(0..).collect();
        let number = |key: &Option<u64>| key.and_then(|key| numbers.get(&key).copied());
        let lines = voters.par_iter().map(|voter| end(voter).iter().map(number).collect()).collect();
        Votes { keys, texts, lines }
    }

    /// Lines that at least `least` texts have, as if all of them were boilerplate.
    fn frequent(&self, least: u32) -> Side {
        let often = self.keys.iter().zip(&self.texts).filter(|(_, texts)| **texts >= least);
        Side(often.map(|(key, texts)| (*key, Count { inside: *texts, outside: 0 })).collect())
    }

    /// Lets each text vote. `cast` returns consecutive ranges of its lines, and whether each is inside the boilerplate. Only the
    /// first occurrence of a line counts.
    fn count<R: IntoIterator<Item = (Range<usize>, bool)>>(&self, cast: impl Fn(usize, usize) -> R) -> Side {
        let mut counts = vec![Count::default(); self.keys.len()];
        let mut last = vec![usize::MAX; self.keys.len()];
        for (voter, lines) in self.lines.iter().enumerate() {
            for (range, inside) in cast(voter, lines.len()) {
                for &line in lines[range].iter().flatten() {
                    if std::mem::replace(&mut last[line as usize], voter) != voter {
                        counts[line as usize].add(inside);
                    }
                }
            }
        }
        let voted = self.keys.iter().copied().zip(counts).filter(|(_, count)| *count != Count::default());
        Side(voted.collect())
    }
}

/// First labels: blocks that a rule matches are boilerplate.
fn first_labels(head: &Head) -> Vec<Option<bool>> {
    label(head, |_, b| b.credit || b.note || b.in_note || b.notice)
}

/// Labels by the present classifier.
fn labels_of(head: &Head, evidence: &Evidence) -> Vec<Option<bool>> {
    let cut = best_cut(&scores(head, evidence)).blocks;
    label(head, |i, _| i < cut)
}

/// The title page and everything after it is the book; before it, text not known to be boilerplate is left undecided.
fn label(head: &Head, boilerplate: impl Fn(usize, &HeadBlock) -> bool) -> Vec<Option<bool>> {
    let title = head.title.filter(|&t| t < TITLE_REACH);
    let book = title.unwrap_or(TITLE_REACH * 2);
    let label = |(i, b)| {
        if i >= book { Some(false) } else { boilerplate(i, b).then_some(true) }
    };
    head.blocks.iter().enumerate().map(label).collect()
}

/// Blocks that these labels add to the preamble.
fn preamble_blocks(labels: &[Option<bool>]) -> usize {
    labels.iter().take_while(|l| **l == Some(true)).count()
}

/// The ranges inside and outside the boilerplate at the top; undecided ones have no vote.
fn vote_head(head: &Head, labels: &[Option<bool>], lines: usize) -> Vec<(Range<usize>, bool)> {
    let taken = preamble_blocks(labels);
    let end = preamble_end(head, taken);
    let rest = head.blocks.last().map_or(end, |b| b.block.last + 1);
    let book = head.blocks.iter().zip(labels).skip(taken).filter(|(_, label)| **label == Some(false));
    let book = book.map(|(b, _)| (b.block.first..b.block.last + 1, false));
    std::iter::once((0..end, true)).chain(book).chain([(rest..lines, false)]).collect()
}

/// The same at the bottom: after the end of the preamble, from the start of the epilogue on.
fn vote_tail(text: &Edges, (end, start): (usize, usize), lines: usize) -> [(Range<usize>, bool); 2] {
    let from = text.tail.partition_point(|line| line.number < end);
    let inside = if start == 0 { lines } else { text.tail.partition_point(|line| line.number + 1 < start).max(from) };
    [(from..inside, false), (inside..lines, true)]
}

/// The header itself: text by the producers of the e-book.
fn licence_blocks(head: &Head, book: &Edges) -> Vec<HeadBlock> {
    head.anchor.map_or_else(Vec::new, |anchor| header_blocks(&book.head, anchor))
}

/// Labelled blocks after the header, then blocks of headers.
fn examples(heads: &[Head], labels: &[Vec<Option<bool>>], licence: &[Vec<HeadBlock>], evidence: &Evidence) -> Examples {
    let mut examples = Examples::default();
    let mut learned = Vec::new();
    for (head, labels) in heads.iter().zip(labels) {
        let near = preamble_blocks(labels) + NEAR;
        for (i, (b, label)) in head.blocks.iter().zip(labels).enumerate() {
            if let Some(boilerplate) = *label {
                learned.clear();
                evidence_features(b, evidence, &mut learned);
                examples.add(&[&b.features, &learned], boilerplate, if i < near { 1.0 } else { 0.3 });
            }
        }
    }
    licence.iter().flatten().for_each(|b| examples.add(&[&b.features], true, LICENCE));
    examples
}

/// Lines of the sketch of a book.
const SKETCH: usize = 48;
/// Share of sketch lines that makes two files copies of one book.
const COPY: f32 = 0.3;

/// The least number of lines that copies of one book have in common.
pub(super) const COPY_LINES: usize = 3;

/// One text of every group of near-duplicates, by their sketches, in order.
pub(super) fn distinct_by(sketches: &[Vec<u64>]) -> Vec<usize> {
    let mut holders: HashMap<u64, Vec<usize>> = HashMap::new();
    let mut kept = Vec::new();
    for (i, sketch) in sketches.iter().enumerate() {
        let mut shared: HashMap<usize, usize> = HashMap::new();
        for &j in sketch.iter().filter_map(|h| holders.get(h)).flatten() {
            *shared.entry(j).or_default() += 1;
        }
        if !shared.iter().any(|(&j, &n)| are_copies(n, sketch.len(), sketches[j].len())) {
            kept.push(i);
            for key in sketch {
                holders.entry(*key).or_default().push(i);
            }
        }
    }
    kept
}

/// True if two texts are copies of one book, given the sizes of their sketches and the number of shared keys.
fn are_copies(shared: usize, one: usize, other: usize) -> bool {
    shared >= COPY_LINES && shared as f32 >= COPY * one.min(other) as f32
}

/// The indices of texts that are near-duplicates of another one.
pub(super) fn copies_of(texts: &[Edges], others: &[Edges]) -> Vec<usize> {
    let sketches = |texts: &[Edges]| -> Vec<HashSet<u64>> {
        texts.par_iter().map(|text| sketch(&Keyed::of(text)).into_iter().collect()).collect()
    };
    let (texts, others) = (sketches(texts), sketches(others));
    let alike =
        |one: &HashSet<u64>, other: &HashSet<u64>| are_copies(one.intersection(other).count(), one.len(), other.len());
    (0..texts.len()).into_par_iter().filter(|&text| others.iter().any(|other| alike(&texts[text], other))).collect()
}

/// Smallest line keys of the body part that is in reach.
fn sketch(text: &Keyed) -> Vec<u64> {
    let Edges { head, tail, total } = text.edges;
    let skip = 400.min(total / 3);
    let body = |n: usize| n >= skip && n + skip < *total;
    let tail = tail.iter().zip(&text.tail).filter(|(line, _)| line.number >= head.len());
    let lines = head.iter().zip(&text.head).chain(tail);
    smallest(lines.filter(|(line, _)| body(line.number)).filter_map(|(_, key)| *key).collect())
}

/// The smallest of these keys, as many as a sketch has.
pub(super) fn smallest(mut keys: Vec<u64>) -> Vec<u64> {
    keys.sort_unstable();
    keys.dedup();
    keys.truncate(SKETCH);
    keys
}
