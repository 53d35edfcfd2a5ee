//! The fingerprint of a document: the set of its word n-grams.

use super::rules::{HashedToken, WordRule, tokens};
use crate::document::Span;
use crate::text::mix;

/// What fingerprints are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FingerprintOptions {
    /// What counts as a word.
    pub rule: WordRule,
    /// Words of an n-gram.
    pub ngram: usize,
}

impl Default for FingerprintOptions {
    fn default() -> Self {
        FingerprintOptions { rule: WordRule::default(), ngram: 3 }
    }
}

/// The different word n-grams of a text.
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
    /// The fingerprint of a text. One with fewer words than an n-gram has all of them for one.
    pub fn of(text: &str, options: &FingerprintOptions) -> Fingerprint {
        let mut words = Vec::with_capacity(text.len() / 6);
        tokens(text, options.rule, |token| words.push(token.hash));
        let n = options.ngram.clamp(1, words.len().max(1));
        let mut grams: Vec<u64> = words.windows(n).map(hash_of).collect();
        grams.sort_unstable();
        grams.dedup();
        grams.shrink_to_fit();
        Fingerprint { grams, words: words.len() as u64 }
    }

    /// A fingerprint of which the n-grams are known, in ascending order.
    #[cfg(test)]
    pub(super) fn known(grams: Vec<u64>, words: u64) -> Fingerprint {
        Fingerprint { grams, words }
    }

    /// How many different n-grams there are.
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

    /// Takes out n-grams that do not count.
    #[must_use]
    pub fn without(mut self, others: impl Fn(u64) -> bool) -> Fingerprint {
        self.grams.retain(|gram| !others(*gram));
        self
    }

    /// How many n-grams two fingerprints have in common.
    pub fn shared(&self, other: &Fingerprint) -> usize {
        shared(&self.grams, &other.grams)
    }

    /// Its n-grams alone.
    pub(super) fn into_grams(self) -> Vec<u64> {
        self.grams
    }

    /// The resemblance R: of the n-grams of both, the share that both have.
    pub fn resemblance(&self, other: &Fingerprint) -> f64 {
        Scores::of(self.len(), other.len(), self.shared(other)).resemblance
    }

    /// The containment C: the share of its n-grams that another one has, too.
    pub fn contained_in(&self, other: &Fingerprint) -> f64 {
        Scores::of(self.len(), other.len(), self.shared(other)).a_in_b
    }
}

/// Goes through what two lists have in common, both in ascending order: hands out the places in both.
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

/// What the common n-grams of two documents come to.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Scores {
    /// N-grams that both have.
    pub shared: usize,
    /// The share of the n-grams of both that both have: R.
    pub resemblance: f64,
    /// The share of the first one's n-grams that the second one has: C.
    pub a_in_b: f64,
    /// The share of the second one's n-grams that the first one has.
    pub b_in_a: f64,
}

impl Scores {
    /// The scores of fingerprints of these sizes that have so many n-grams in common.
    pub fn of(a: usize, b: usize, shared: usize) -> Scores {
        let share = |of: usize| if of == 0 { 0.0 } else { shared as f64 / of as f64 };
        Scores { shared, resemblance: share(a + b - shared), a_in_b: share(a), b_in_a: share(b) }
    }
}

/// Hands out the n-grams of a text, in their order: their hashes, and where they stand.
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

    /// The sets of the paper, as they stand.
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
