//! Passages that two books share: chains of rare words and pairs that follow each other at the same distances in both.
//!
//! Two books have many words in common by chance, but chance does not put them at the same distances. Words and pairs
//! in both books are linked if the second follows the first in both, nearby, and at nearly the same distance. A link is
//! worth the logarithm of how unlikely it is that a common word occurs there by accident. A chain is a series of links,
//! and the books share the text between its ends. Chains need no common order, as stories may change places.
//!
//! Scanning errors add and lose characters, so distances differ by about the square root of their length. Two
//! translations of a work keep names in order, but their distances differ by a share of the length, and their chains
//! break.

use super::book::{Anchor, Book, MOST_TIMES};
use crate::document::Span;

/// How chains are made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChainOptions {
    /// The maximum distance between two words of a chain, in letters.
    pub longest_gap: u32,
    /// The difference in distance that is always allowed, in letters.
    pub drift: f64,
    /// The additional difference allowed per square root of the distance.
    pub drift_per_root: f64,
    /// The maximum worth of a link.
    pub most_per_link: f64,
    /// Chains worth less than this may be chance.
    pub least_worth: f64,
}

impl Default for ChainOptions {
    fn default() -> ChainOptions {
        ChainOptions { longest_gap: 2500, drift: 2.0, drift_per_root: 0.45, most_per_link: 12.0, least_worth: 25.0 }
    }
}

/// The number of preceding words that a word may be linked to.
const BEFORE: usize = 32;
/// Pairs overlap, so words closer than this are not independent.
const LEAST_GAP: i64 = 4;

/// A passage that two books share.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub struct BookPassage {
    /// Its range in the first book, in letters.
    pub a: (u32, u32),
    /// Its range in the second book.
    pub b: (u32, u32),
    /// Its bytes in the first book.
    pub a_bytes: Span,
    /// Its bytes in the second book.
    pub b_bytes: Span,
    /// Words and pairs in it.
    pub links: u32,
    /// How unlikely it is by chance: the sum of logarithms.
    pub worth: f64,
}

impl BookPassage {
    /// The same passage seen from the other book.
    pub(super) fn turned(&self) -> BookPassage {
        BookPassage { a: self.b, b: self.a, a_bytes: self.b_bytes, b_bytes: self.a_bytes, ..*self }
    }
}

/// Words and pairs that follow each other at the same distances in two books.
#[derive(Debug, Clone, PartialEq)]
pub struct Chain {
    /// The passages it covers, in order.
    pub passages: Vec<BookPassage>,
    /// How unlikely the chain is by chance: the sum of logarithms.
    pub worth: f64,
    /// Unique words of both books between its ends: those in the positions that the chain predicts...
    pub in_place: u32,
    /// ...and those near these positions, but not in them.
    pub astray: u32,
}

/// A word or pair that two books have in common.
#[derive(Debug, Clone, Copy)]
struct Match {
    a: Anchor,
    b: Anchor,
}

impl Match {
    /// True for a word that occurs once in each book.
    fn is_unique(&self) -> bool {
        self.a.is_unique_word() && self.b.is_unique_word()
    }
}

/// The anchors of a book by key.
#[derive(Debug, Clone, Default)]
pub struct AnchorIndex {
    keys: Vec<(u64, u32)>,
}

impl AnchorIndex {
    /// Indexes the words and pairs of a book that form chains.
    pub fn of(anchors: &[Anchor]) -> AnchorIndex {
        let of = anchors.iter().zip(0..).filter(|(anchor, _)| anchor.links());
        let mut keys: Vec<(u64, u32)> = of.map(|(anchor, at)| (key(*anchor), at)).collect();
        keys.sort_unstable();
        AnchorIndex { keys }
    }
}

/// The key, made distinct for words and pairs.
fn key(anchor: Anchor) -> u64 {
    anchor.key() << 1 | u64::from(anchor.is_pair())
}

/// The words and pairs that two books have in common, in the order of the first.
fn matches(a: &Book, la: &AnchorIndex, b: &Book, lb: &AnchorIndex) -> Vec<Match> {
    let (mut i, mut j) = (0, 0);
    let mut found = Vec::new();
    while i < la.keys.len() && j < lb.keys.len() {
        let (one, other) = (la.keys[i].0, lb.keys[j].0);
        match one.cmp(&other) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                let end = |keys: &[(u64, u32)], from: usize| {
                    from + keys[from..].iter().take_while(|(key, _)| *key == one).count()
                };
                let (i_end, j_end) = (end(&la.keys, i), end(&lb.keys, j));
                // No book has a key more than twice, unless an index was manipulated.
                for (_, x) in la.keys[i..i_end].iter().take(MOST_TIMES as usize) {
                    for (_, y) in lb.keys[j..j_end].iter().take(MOST_TIMES as usize) {
                        found.push(Match { a: a.anchors[*x as usize], b: b.anchors[*y as usize] });
                    }
                }
                (i, j) = (i_end, j_end);
            }
        }
    }
    found.sort_unstable_by_key(|m| (m.a.position, m.b.position, m.a.is_pair()));
    found
}

/// The chains of two books, the highest worth first.
pub fn chains(a: &Book, la: &AnchorIndex, b: &Book, lb: &AnchorIndex, options: &ChainOptions) -> Vec<Chain> {
    let found = matches(a, la, b, lb);
    // The expected number of common words by chance in an area of one letter by one letter.
    let area = f64::from(a.letters.max(1)) * f64::from(b.letters.max(1));
    let density = found.len() as f64 / area;
    let (best, before) = linked(&found, density, options);
    best_chains(&found, &best, &before, options)
}

/// No preceding word.
const NONE: u32 = u32::MAX;

/// For each word, the worth of the best chain that ends there, and the preceding word in that chain.
fn linked(found: &[Match], density: f64, options: &ChainOptions) -> (Vec<f64>, Vec<u32>) {
    let longest = i64::from(options.longest_gap);
    let mut best = vec![0.0; found.len()];
    let mut before = vec![NONE; found.len()];
    for (i, here) in found.iter().enumerate() {
        for (j, there) in found[..i].iter().enumerate().rev().take(BEFORE) {
            let in_a = i64::from(here.a.position) - i64::from(there.a.position);
            if in_a > longest {
                break;
            }
            let in_b = i64::from(here.b.position) - i64::from(there.b.position);
            if in_a < LEAST_GAP || in_b < LEAST_GAP || in_b > longest {
                continue;
            }
            let (gap, drift) = (in_a.max(in_b) as f64, (in_a - in_b).abs() as f64);
            if drift > options.drift + options.drift_per_root * gap.sqrt() {
                continue;
            }
            let worth = -(density * gap * (2.0 * drift + 4.0)).ln();
            let worth = worth.min(options.most_per_link);
            if worth > 0.0 && best[j] + worth > best[i] {
                best[i] = best[j] + worth;
                before[i] = j as u32;
            }
        }
    }
    (best, before)
}

/// Selects chains, the best first; no word belongs to two.
fn best_chains(found: &[Match], best: &[f64], before: &[u32], options: &ChainOptions) -> Vec<Chain> {
    let mut order: Vec<u32> = (0..found.len() as u32).filter(|n| best[*n as usize] >= options.least_worth).collect();
    order.sort_by(|x, y| best[*y as usize].total_cmp(&best[*x as usize]).then(x.cmp(y)));
    let mut used = vec![false; found.len()];
    let mut chains = Vec::new();
    let mut path = Vec::new();
    for last in order {
        let last = last as usize;
        let mut at = last;
        path.clear();
        while !used[at] {
            used[at] = true;
            path.push(at);
            if before[at] == NONE {
                break;
            }
            at = before[at] as usize;
        }
        let Some(&first) = path.last() else { continue };
        let worth = best[last] - best[first];
        if worth >= options.least_worth {
            path.reverse();
            let (in_place, astray) = steadiness(found, &path, options);
            chains.push(Chain { passages: passages(found, &path, best), worth, in_place, astray });
        }
    }
    let place = |chain: &Chain| chain.passages.first().map(|passage| (passage.a, passage.b));
    chains.sort_by(|x, y| y.worth.total_cmp(&x.worth).then_with(|| place(x).cmp(&place(y))));
    without_nested(chains)
}

/// A chain is cut at a gap longer than this and longer than this many times its usual gap: that text is in only one of
/// the books. In a clean copy, where every word is linked, gaps show early; in a bad scan, late.
const LONG_GAP: u32 = 300;
const TIMES_USUAL: u32 = 8;
/// The minimum number of words and pairs in a piece of a chain.
const LEAST_LINKS: usize = 3;

/// The passages that a chain is made of.
fn passages(found: &[Match], path: &[usize], best: &[f64]) -> Vec<BookPassage> {
    let gap = |two: &[usize]| {
        let (from, to) = (&found[two[0]], &found[two[1]]);
        (to.a.position - from.a.position).max(to.b.position - from.b.position)
    };
    let mut gaps: Vec<u32> = path.windows(2).map(gap).collect();
    let middle = gaps.len() / 2;
    let usual = if gaps.is_empty() { 0 } else { *gaps.select_nth_unstable(middle).1 };
    let longest = LONG_GAP.max(TIMES_USUAL.saturating_mul(usual));
    let passage = |piece: &[usize]| {
        let (first, last) = (*piece.first()?, *piece.last()?);
        let (from, to) = (&found[first], &found[last]);
        let bytes = |from: Anchor, to: Anchor| Span::new(from.byte as usize, to.end() as usize);
        (piece.len() >= LEAST_LINKS).then(|| BookPassage {
            a: (from.a.position, to.a.position),
            b: (from.b.position, to.b.position),
            a_bytes: bytes(from.a, to.a),
            b_bytes: bytes(from.b, to.b),
            links: piece.len() as u32,
            worth: best[last] - best[first],
        })
    };
    path.chunk_by(|one, other| gap(&[*one, *other]) <= longest).filter_map(passage).collect()
}

/// The maximum distance in letters of a word that is near its predicted position.
const NEAR: i64 = 300;

/// Of the unique words of both books between the ends of a chain: how many are where the chain predicts, and how many
/// are near, but not there. In a copy, however bad, nearly all are in place. In another translation, the same words
/// occur in other sentences.
fn steadiness(found: &[Match], path: &[usize], options: &ChainOptions) -> (u32, u32) {
    let (mut in_place, mut astray) = (0, 0);
    for two in path.windows(2) {
        in_place += u32::from(found[two[1]].is_unique());
        for word in found[two[0] + 1..two[1]].iter().filter(|word| word.is_unique()) {
            let away = [two[0], two[1]].map(|link| {
                let in_a = i64::from(word.a.position) - i64::from(found[link].a.position);
                let in_b = i64::from(word.b.position) - i64::from(found[link].b.position);
                let away = (in_a - in_b).abs();
                (
                    away,
                    away as f64 <= options.drift + options.drift_per_root * (in_a.abs().max(in_b.abs()) as f64).sqrt(),
                )
            });
            if away.iter().any(|(_, fits)| *fits) {
                in_place += 1;
            } else if away.iter().any(|(away, _)| *away <= NEAR) {
                astray += 1;
            }
        }
    }
    (in_place, astray)
}

/// Removes passages inside those of better chains in both books.
fn without_nested(mut chains: Vec<Chain>) -> Vec<Chain> {
    let inside = |one: (u32, u32), other: (u32, u32)| {
        one.0.saturating_add(SLACK) >= other.0 && one.1 <= other.1.saturating_add(SLACK)
    };
    let mut kept: Vec<BookPassage> = Vec::new();
    for chain in &mut chains {
        let better = kept.len();
        chain.passages.retain(|passage| {
            !kept[..better].iter().any(|better| inside(passage.a, better.a) && inside(passage.b, better.b))
        });
        kept.extend(&chain.passages);
    }
    chains.retain(|chain| !chain.passages.is_empty());
    chains
}

/// Letters by which a chain may extend beyond another and still count as inside.
const SLACK: u32 = 40;

/// Joins passages that follow each other in both books with little between them: a note, a heading, a changed line.
/// They are in the order of the first book.
pub(super) fn joined(mut passages: Vec<BookPassage>, most_between: u32) -> Vec<BookPassage> {
    passages.sort_by_key(|chain| (chain.a, chain.b));
    let mut joined: Vec<BookPassage> = Vec::with_capacity(passages.len());
    let follows = |last: (u32, u32), next: (u32, u32)| {
        next.0 >= last.0 && next.1 >= last.1 && next.0 <= last.1.saturating_add(most_between)
    };
    for chain in passages {
        // The passage it follows need not be the last, as unrelated passages may come between.
        let near =
            joined.iter_mut().rev().take(BEFORE).find(|last| follows(last.a, chain.a) && follows(last.b, chain.b));
        match near {
            Some(last) => {
                (last.a.1, last.b.1) = (chain.a.1, chain.b.1);
                last.a_bytes.end = last.a_bytes.end.max(chain.a_bytes.end);
                last.b_bytes.end = last.b_bytes.end.max(chain.b_bytes.end);
                last.links += chain.links;
                last.worth += chain.worth;
            }
            None => joined.push(chain),
        }
    }
    joined
}

/// The number of letters covered by the union of the ranges.
pub(super) fn covered(ranges: impl Iterator<Item = (u32, u32)>) -> u32 {
    let mut ranges: Vec<(u32, u32)> = ranges.collect();
    ranges.sort_unstable();
    let (mut end, mut sum) = (0, 0);
    for (from, to) in ranges {
        let from = from.max(end);
        if to > from {
            sum += to - from;
            end = to;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Words that occur nowhere else.
    fn words(from: usize, count: usize) -> Vec<String> {
        let word = |n: usize| {
            format!("w{}", n * 7919).bytes().map(|b| if b == b'w' { 'w' } else { (b + 49) as char }).collect()
        };
        (from..from + count).map(word).collect()
    }

    fn chains_of(a: &[String], b: &[String]) -> Vec<Chain> {
        let (a, b) = (Book::read("a", &a.join(" "), &[]), Book::read("b", &b.join(" "), &[]));
        chains(&a, &AnchorIndex::of(&a.anchors), &b, &AnchorIndex::of(&b.anchors), &ChainOptions::default())
    }

    fn found(a: &[String], b: &[String]) -> Vec<BookPassage> {
        chains_of(a, b).into_iter().flat_map(|chain| chain.passages).collect()
    }

    #[test]
    fn stories_in_another_order_are_two_passages() {
        let (one, two) = (words(1000, 300), words(2000, 300));
        let a = [words(0, 200), one.clone(), two.clone()].concat();
        let b = [two, words(5000, 400), one].concat();
        let found = found(&a, &b);
        assert_eq!(found.len(), 2);
        assert!(found[0].a.0 != found[1].a.0 && found.iter().all(|chain| chain.links > 250));
        let (text_a, text_b) = (a.join(" "), b.join(" "));
        for chain in &found {
            assert_eq!(chain.a_bytes.of(&text_a), chain.b_bytes.of(&text_b), "the ranges are those of the story");
        }
    }

    #[test]
    fn the_same_words_at_other_distances_are_no_passage() {
        let names = words(0, 200);
        let spaced = |other: usize, step: usize| -> Vec<String> {
            let filler = words(other, 200 * 20);
            names
                .iter()
                .enumerate()
                .flat_map(|(n, name)| {
                    let count = 4 + n * n * step % 15;
                    std::iter::once(name.clone()).chain(filler[n * 20..n * 20 + count].iter().cloned())
                })
                .collect()
        };
        let long: u32 = found(&spaced(10_000, 7), &spaced(90_000, 11)).iter().map(|chain| chain.links).sum();
        assert!(long < 60, "{long} of 200 names were linked");
    }

    #[test]
    fn text_between_in_one_book_only_is_no_passage() {
        let (one, two) = (words(0, 100), words(1000, 100));
        let a = [one.clone(), words(5000, 80), two.clone()].concat();
        let b = [one, words(7000, 80), two].concat();
        let chains = chains_of(&a, &b);
        assert_eq!(chains.len(), 1, "other words of the same length keep the distance");
        let lengths: Vec<u32> = chains[0].passages.iter().map(|passage| passage.links).collect();
        assert_eq!(lengths.len(), 2, "{lengths:?}");
        assert!(chains[0].worth > chains[0].passages.iter().map(|passage| passage.worth).sum::<f64>());
    }

    #[test]
    fn words_that_come_along_in_other_sentences_are_astray() {
        let copy = words(0, 400);
        let chains = chains_of(&copy, &copy);
        assert_eq!((chains[0].in_place > 300, chains[0].astray), (true, 0));
        // Every second word changes places with a near one, as in another translation.
        let mut other = copy.clone();
        (0..400).step_by(8).for_each(|n| other[n..n + 8].rotate_left(n / 8 % 5));
        let chains = chains_of(&copy, &other);
        let (in_place, astray) = chains.iter().fold((0, 0), |sum, c| (sum.0 + c.in_place, sum.1 + c.astray));
        assert!(astray > in_place, "{in_place} in place, {astray} astray");
    }

    #[test]
    fn passages_with_little_between_are_joined() {
        let at = |a: u32, b: u32, length: u32| BookPassage {
            a: (a, a + length),
            b: (b, b + length),
            a_bytes: Span::new(a as usize, (a + length) as usize),
            b_bytes: Span::new(b as usize, (b + length) as usize),
            links: 5,
            worth: 50.0,
        };
        let joined = joined(vec![at(0, 1000, 100), at(150, 1120, 100), at(300, 5000, 100)], 60);
        assert_eq!(joined.len(), 2);
        assert_eq!((joined[0].a, joined[0].b, joined[0].links), ((0, 250), (1000, 1220), 10));
    }

    /// Links as described: every word examines all words before it.
    fn plain(found: &[Match], density: f64, options: &ChainOptions) -> Vec<f64> {
        let mut best = vec![0.0_f64; found.len()];
        for i in 0..found.len() {
            for j in 0..i {
                let a = i64::from(found[i].a.position) - i64::from(found[j].a.position);
                let b = i64::from(found[i].b.position) - i64::from(found[j].b.position);
                let gap = a.max(b) as f64;
                let near = a.min(b) >= LEAST_GAP && a.max(b) <= i64::from(options.longest_gap);
                let drift = (a - b).abs() as f64;
                if near && drift <= options.drift + options.drift_per_root * gap.sqrt() {
                    let worth = (-(density * gap * (2.0 * drift + 4.0)).ln()).min(options.most_per_link);
                    if worth > 0.0 {
                        best[i] = best[i].max(best[j] + worth);
                    }
                }
            }
        }
        best
    }

    proptest! {
        #[test]
        fn links_are_the_best_there_are(places in prop::collection::vec((0_u32..400, 0_u32..400), 0..BEFORE)) {
            let anchor = |position| Anchor::new(0, 0, position, position, 1);
            let mut found: Vec<Match> =
                places.iter().map(|(a, b)| Match { a: anchor(*a), b: anchor(*b) }).collect();
            found.sort_unstable_by_key(|m| (m.a.position, m.b.position));
            let (best, _) = linked(&found, 1e-4, &ChainOptions::default());
            prop_assert_eq!(best, plain(&found, 1e-4, &ChainOptions::default()));
        }
    }
}
