//! The fingerprint of a document: the set of its word n-grams.

use super::passages::verbatim::{GRAM, hashes};
use super::rules::{HashedToken, WordRule, tokens};
use crate::document::Span;
use crate::text::mix;

/// How fingerprints are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FingerprintOptions {
    /// What counts as a word.
    pub rule: WordRule,
    /// The number of words in an n-gram.
    pub ngram: usize,
}

impl Default for FingerprintOptions {
    fn default() -> Self {
        FingerprintOptions { rule: WordRule::default(), ngram: 3 }
    }
}

/// The distinct word n-grams of a text.
///
/// ```
/// use refrain::compare::{Fingerprint, FingerprintOptions};
///
/// let of = |text: &str| Fingerprint::of(text, &FingerprintOptions::default());
/// let (one, other) = (of("the keeper lit the lamp at dusk"), of("The keeper lit the lamp at dawn."));
/// assert_eq!((one.len(), one.shared(&other)), (5, 4));
/// assert_eq!(one.resemblance(&other), 4.0 / 6.0);
/// assert_eq!(of("the keeper lit the lamp").contained_in(&one), 1.0);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fingerprint {
    /// Their hashes, in ascending order.
    grams: Vec<u64>,
    /// How many words the text has.
    words: u64,
}

impl Fingerprint {
    /// The fingerprint of a text. If it has fewer words than an n-gram, all of them form a single n-gram.
    pub fn of(text: &str, options: &FingerprintOptions) -> Fingerprint {
        Fingerprint::of_words(&words_of(text, options.rule), options)
    }

    /// The fingerprint of a text, given its words.
    pub(super) fn of_words(words: &[u64], options: &FingerprintOptions) -> Fingerprint {
        let n = options.ngram.clamp(1, words.len().max(1));
        let mut grams: Vec<u64> = words.windows(n).map(hash_of).collect();
        grams.sort_unstable();
        grams.dedup();
        grams.shrink_to_fit();
        Fingerprint { grams, words: words.len() as u64 }
    }

    /// A fingerprint with known n-grams, in ascending order.
    #[cfg(test)]
    pub(super) fn known(grams: Vec<u64>, words: u64) -> Fingerprint {
        Fingerprint { grams, words }
    }

    /// The number of distinct n-grams.
    pub fn len(&self) -> usize {
        self.grams.len()
    }

    /// True for a text without words.
    pub fn is_empty(&self) -> bool {
        self.grams.is_empty()
    }

    /// How many words the text has.
    pub fn words(&self) -> u64 {
        self.words
    }

    /// The hashes of the n-grams, in ascending order.
    pub fn grams(&self) -> &[u64] {
        &self.grams
    }

    /// Removes n-grams that do not count.
    #[must_use]
    pub fn without(mut self, others: impl Fn(u64) -> bool) -> Fingerprint {
        self.grams.retain(|gram| !others(*gram));
        self
    }

    /// How many n-grams two fingerprints have in common.
    pub fn shared(&self, other: &Fingerprint) -> usize {
        shared(&self.grams, &other.grams)
    }

    /// The n-grams only.
    pub(super) fn into_grams(self) -> Vec<u64> {
        self.grams
    }

    /// The resemblance R: the share of the n-grams of both documents that occur in both.
    pub fn resemblance(&self, other: &Fingerprint) -> f64 {
        Scores::of(self.len(), other.len(), self.shared(other)).resemblance
    }

    /// The containment C: the share of its n-grams that also occur in the other fingerprint.
    pub fn contained_in(&self, other: &Fingerprint) -> f64 {
        Scores::of(self.len(), other.len(), self.shared(other)).a_in_b
    }
}

/// The words of a text.
pub(super) fn words_of(text: &str, rule: WordRule) -> Vec<u64> {
    let mut words = Vec::with_capacity(text.len() / 6);
    tokens(text, rule, |token| words.push(token.hash));
    words
}

/// Two texts with this many equal words in a row share a landmark.
const RUN: usize = 20;

/// Runs of 8 words that represent the words around them: of all runs within [`RUN`] words, the one with the lowest hash. This is
/// winnowing, as Schleimer, Wilkerson and Aiken published it. Two texts that share [`RUN`] words in a row share at least one.
pub(super) fn landmarks(words: &[u64]) -> Fingerprint {
    // Mixed, since the hash of a run of words may be low because a frequent word begins it.
    let hashes: Vec<u64> = hashes(words).into_iter().map(mix).collect();
    let window = RUN - GRAM + 1;
    let mut grams: Vec<u64> = Vec::with_capacity(2 * hashes.len() / window + 1);
    let mut lowest: Option<usize> = None;
    for last in window..=hashes.len() {
        let first = last - window;
        lowest = match lowest.filter(|lowest| *lowest >= first) {
            Some(lowest) if hashes[last - 1] < hashes[lowest] => Some(last - 1),
            Some(lowest) => Some(lowest),
            None => (first..last).min_by_key(|at| hashes[*at]),
        };
        let gram = lowest.map_or(0, |lowest| hashes[lowest]);
        if grams.last() != Some(&gram) {
            grams.push(gram);
        }
    }
    grams.sort_unstable();
    grams.dedup();
    grams.shrink_to_fit();
    Fingerprint { grams, words: words.len() as u64 }
}

/// Calls `found` with the indices of each value that two ascending lists have in common.
pub(super) fn meet(one: &[u64], other: &[u64], mut found: impl FnMut(usize, usize)) {
    let (mut at, mut there) = (0, 0);
    while at < one.len() && there < other.len() {
        let (gram, known) = (one[at], other[there]);
        if gram == known {
            found(at, there);
        }
        at += usize::from(gram <= known);
        there += usize::from(known <= gram);
    }
}

/// How many n-grams two lists have in common.
pub(super) fn shared(one: &[u64], other: &[u64]) -> usize {
    let mut count = 0;
    meet(one, other, |_, _| count += 1);
    count
}

/// Scores computed from the n-grams that two documents share.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub struct Scores {
    /// The number of n-grams that both contain.
    pub shared: usize,
    /// The resemblance R: the share of the n-grams of both that occur in both.
    pub resemblance: f64,
    /// The containment C: the share of the first one's n-grams that the second one contains.
    pub a_in_b: f64,
    /// The share of the second one's n-grams that the first one contains.
    pub b_in_a: f64,
}

impl Scores {
    /// The scores of two fingerprints, given their sizes and the number of n-grams in common.
    pub fn of(a: usize, b: usize, shared: usize) -> Scores {
        let share = |of: usize| if of == 0 { 0.0 } else { shared as f64 / of as f64 };
        Scores { shared, resemblance: share(a + b - shared), a_in_b: share(a), b_in_a: share(b) }
    }
}

/// Calls `found` with the hash and range of each n-gram of a text, in order.
pub(super) fn gram_spans(text: &str, options: &FingerprintOptions, mut found: impl FnMut(u64, Span)) {
    let mut words: Vec<HashedToken> = Vec::with_capacity(text.len() / 6);
    tokens(text, options.rule, |token| words.push(token));
    let n = options.ngram.clamp(1, words.len().max(1));
    let mut hashes = Vec::with_capacity(n);
    for gram in words.windows(n) {
        hashes.clear();
        hashes.extend(gram.iter().map(|token| token.hash));
        found(hash_of(&hashes), Span::new(gram[0].start as usize, gram[n - 1].end as usize));
    }
}

/// The hash of an n-gram.
#[inline]
fn hash_of(words: &[u64]) -> u64 {
    words.iter().fold(0, |hash, word| mix(hash ^ word))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    /// The sets as the paper defines them.
    fn plain(text: &str, n: usize) -> HashSet<Vec<String>> {
        let words: Vec<String> = text
            .split(|character: char| !character.is_alphabetic())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect();
        let n = n.min(words.len()).max(1);
        words.windows(n).map(<[String]>::to_vec).collect()
    }

    proptest! {
        #[test]
        fn scores_are_those_of_plain_sets(one in "[a-cA-C .,1]{0,60}", other in "[a-cA-C .,1]{0,60}", n in 1_usize..5) {
            let options = FingerprintOptions { ngram: n, ..FingerprintOptions::default() };
            let (a, b) = (Fingerprint::of(&one, &options), Fingerprint::of(&other, &options));
            let (plain_a, plain_b) = (plain(&one, n), plain(&other, n));
            let shared = plain_a.intersection(&plain_b).count();
            prop_assert_eq!((a.len(), b.len(), a.shared(&b)), (plain_a.len(), plain_b.len(), shared));
            let all = plain_a.union(&plain_b).count();
            let resemblance = if all == 0 { 0.0 } else { shared as f64 / all as f64 };
            prop_assert!((a.resemblance(&b) - resemblance).abs() < 1e-12);
        }
    }

    proptest! {
        #[test]
        fn texts_with_equal_words_in_a_row_share_a_landmark(
            one in proptest::collection::vec(0_u64..9, 0..60),
            other in proptest::collection::vec(0_u64..9, 0..60),
            run in proptest::collection::vec(0_u64..9, RUN),
        ) {
            let with_run = |words: &[u64], at: usize| {
                let (before, after) = words.split_at(at.min(words.len()));
                [before, &run, after].concat()
            };
            let landmarks = [landmarks(&with_run(&one, 11)), landmarks(&with_run(&other, 30))];
            prop_assert!(landmarks[0].shared(&landmarks[1]) > 0);
        }
    }

    #[test]
    fn landmarks_are_few_and_not_in_short_texts() {
        let words: Vec<u64> = (0..3000).map(mix).collect();
        let found = landmarks(&words).len();
        assert!((300..600).contains(&found), "{found}");
        assert!(landmarks(&words[..RUN - 1]).is_empty());
    }

    #[test]
    fn a_text_resembles_itself_however_short() {
        for text in ["lamp", "the lamp", "the keeper lit the lamp"] {
            let own = Fingerprint::of(text, &FingerprintOptions::default());
            assert!((own.resemblance(&own) - 1.0).abs() < f64::EPSILON);
        }
        let nothing = Fingerprint::of("12 ...", &FingerprintOptions::default());
        assert!(nothing.is_empty() && nothing.resemblance(&nothing).abs() < f64::EPSILON);
    }
}
