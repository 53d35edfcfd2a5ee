//! Stretches that two texts share word for word.

use std::ops::Range;

use foldhash::{HashMap, HashMapExt};

use super::pair::Span;
use super::text::PassageText;

/// Words that are looked up together; shorter runs are not found. From 6 to 12 nothing changes.
pub(in crate::compare) const GRAM: usize = 8;

/// Positions of one gram that are followed. A gram with more positions is followed only between words that no run
/// covers yet, which keeps the work near-linear on repetitive texts.
const PLACES: usize = 16;

/// Odd multiplier of the rolling hash.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// A run of equal words: first token on both sides, and length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Run {
    starts: [usize; 2],
    length: usize,
}

impl Run {
    /// Tokens of one side.
    fn tokens(&self, side: usize) -> Range<usize> {
        self.starts[side]..self.starts[side] + self.length
    }
}

/// Runs of at least [`GRAM`] equal words, the longest first. Runs that repeat each other are kept only if they cover
/// something new on at least one side. A stretch copied twice is two passages, but two texts that both repeat it do not
/// give every combination.
pub(super) fn find(a: &PassageText, b: &PassageText) -> Vec<Span> {
    let mut runs = runs(a, b);
    runs.sort_by(|x, y| y.length.cmp(&x.length).then(x.cmp(y)));
    let mut covered = [vec![false; a.len()], vec![false; b.len()]];
    let mut spans = Vec::new();
    for run in runs {
        let new = |side: usize| covered[side][run.tokens(side)].iter().filter(|&&covered| !covered).count();
        if 2 * new(0).max(new(1)) > run.length {
            for side in 0..2 {
                covered[side][run.tokens(side)].fill(true);
            }
            spans.push([run.tokens(0), run.tokens(1)]);
        }
    }
    spans
}

/// All maximal runs of at least [`GRAM`] equal words, in order of the first text. In highly repetitive texts, not every
/// combination of the repeats is reported.
fn runs(a: &PassageText, b: &PassageText) -> Vec<Run> {
    let index = Index::new(&b.forms);
    let mut ends: HashMap<usize, usize> = HashMap::new();
    let mut covered = [vec![false; a.len()], vec![false; b.len()]];
    let mut runs = Vec::new();
    for (i, hash) in hashes(&a.forms).into_iter().enumerate() {
        let places = index.places(hash);
        for j in places.iter().take(PLACES).map(|&place| place as usize) {
            let diagonal = j.wrapping_sub(i);
            let repeated = places.len() > PLACES && (covered[0][i] || covered[1][j]);
            if repeated || ends.get(&diagonal).is_some_and(|&end| end > i) {
                continue;
            }
            let run = extend(&a.forms, &b.forms, i, j);
            if run.length >= GRAM {
                ends.insert(diagonal, run.tokens(0).end);
                for side in 0..2 {
                    covered[side][run.tokens(side)].fill(true);
                }
                runs.push(run);
            }
        }
    }
    runs
}

/// The longest run of equal words around the positions `i` and `j`.
fn extend(a: &[u64], b: &[u64], i: usize, j: usize) -> Run {
    let back = a[..i].iter().rev().zip(b[..j].iter().rev()).take_while(|(x, y)| x == y).count();
    let ahead = a[i..].iter().zip(&b[j..]).take_while(|(x, y)| x == y).count();
    Run { starts: [i - back, j - back], length: back + ahead }
}

/// Rolling hash of every run of [`GRAM`] words.
pub(in crate::compare) fn hashes(forms: &[u64]) -> Vec<u64> {
    if forms.len() < GRAM {
        return Vec::new();
    }
    let top = (1..GRAM).fold(1u64, |power, _| power.wrapping_mul(BASE));
    let mut hash = forms[..GRAM].iter().fold(0u64, |hash, &form| hash.wrapping_mul(BASE).wrapping_add(form));
    let mut hashes = vec![hash];
    for at in GRAM..forms.len() {
        hash = hash.wrapping_sub(forms[at - GRAM].wrapping_mul(top));
        hash = hash.wrapping_mul(BASE).wrapping_add(forms[at]);
        hashes.push(hash);
    }
    hashes
}

/// The positions of every gram of a text, sorted by hash and then by position.
struct Index {
    /// Hash at each position.
    hashes: Vec<u64>,
    /// First token of each gram.
    places: Vec<u32>,
}

impl Index {
    fn new(forms: &[u64]) -> Index {
        let mut grams: Vec<(u64, u32)> = hashes(forms).into_iter().zip(0..).collect();
        grams.sort_unstable();
        let (hashes, places) = grams.into_iter().unzip();
        Index { hashes, places }
    }

    /// Positions of the gram with this hash.
    fn places(&self, hash: u64) -> &[u32] {
        let start = self.hashes.partition_point(|&other| other < hash);
        let length = self.hashes[start..].partition_point(|&other| other == hash);
        &self.places[start..start + length]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All maximal runs of at least `GRAM` words, by comparing every pair of positions.
    fn plain_runs(a: &[u64], b: &[u64]) -> Vec<Run> {
        let mut runs = Vec::new();
        for i in 0..a.len() {
            for j in 0..b.len() {
                let starts = a[i] == b[j] && (i == 0 || j == 0 || a[i - 1] != b[j - 1]);
                let length = a[i..].iter().zip(&b[j..]).take_while(|(x, y)| x == y).count();
                if starts && length >= GRAM {
                    runs.push(Run { starts: [i, j], length });
                }
            }
        }
        runs
    }

    fn text(words: &[u8]) -> PassageText {
        let words: Vec<String> = words.iter().map(|word| format!("w{word}")).collect();
        PassageText::new(&words.join(" "), None)
    }

    /// Two texts that share a stretch.
    fn related() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
        let words = |most| prop::collection::vec(0..40u8, 0..most);
        (words(40), words(30), words(40), words(40), words(40)).prop_map(|(head, shared, tail, before, after)| {
            ([head, shared.clone(), tail].concat(), [before, shared, after].concat())
        })
    }

    proptest! {
        #[test]
        fn agrees_with_the_plain_search((a, b) in related()) {
            let (a, b) = (text(&a), text(&b));
            let mut found = runs(&a, &b);
            found.sort();
            prop_assert_eq!(found, plain_runs(&a.forms, &b.forms));
        }

        #[test]
        fn finds_the_longest_run_of_repetitive_texts(a in prop::collection::vec(0..2u8, 0..120), b in prop::collection::vec(0..2u8, 0..120)) {
            let (a, b) = (text(&a), text(&b));
            let plain = plain_runs(&a.forms, &b.forms);
            for run in runs(&a, &b) {
                prop_assert!(plain.contains(&run), "{:?} is no maximal run", run);
            }
            prop_assert_eq!(runs(&a, &b).is_empty(), plain.is_empty());
        }
    }

    #[test]
    fn a_stretch_copied_twice_is_two_passages() {
        let words: Vec<u8> = (0..30).collect();
        let once = text(&[&[100; 5], words.as_slice()].concat());
        let twice = text(&[words.as_slice(), &[200; 5], &words].concat());
        assert_eq!(find(&once, &twice).len(), 2);
        assert_eq!(find(&twice, &twice).len(), 1, "the whole; the crosswise pairs cover nothing new");
    }
}
