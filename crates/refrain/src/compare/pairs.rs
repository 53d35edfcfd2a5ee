//! All pairs of documents that share enough n-grams, exactly, by an inverted index.
//!
//! A pair is reported for its resemblance or its containment, and either one sets a minimum number of shared n-grams.
//! The most common n-grams of the smaller document therefore need not be looked up, as long as there are fewer of them
//! than that minimum. Pairs that come close without them are counted again with them, so no pair is missed. Documents
//! that do not fit in memory together are compared block by block, each block with each.

use std::borrow::Cow;
use std::path::PathBuf;

use super::batch::{Batch, MOST_DOCUMENTS, MOST_GRAMS};
use super::fingerprint::{Fingerprint, Scores, meet, shared};
use super::spillable::SpillableList;
use crate::error::{Error, Result};
use crate::run::Workers;

/// Which pairs are reported, and the resources for finding them.
#[derive(Debug, Clone)]
pub struct PairOptions {
    /// The minimum resemblance of a pair.
    pub resemblance: f64,
    /// The minimum containment of one document in the other.
    pub containment: f64,
    /// N-grams that occur in more than this share of the documents do not count; 1 disables the limit.
    pub common: f64,
    /// With fewer documents than this, all n-grams count, because text that most of them share was probably copied.
    pub common_from: usize,
    /// The memory limit in bytes.
    pub memory: u64,
    /// The folder for temporary files.
    pub temporary: PathBuf,
}

impl Default for PairOptions {
    fn default() -> Self {
        PairOptions {
            resemblance: 0.03,
            containment: 0.31,
            common: 0.8,
            common_from: 20,
            memory: Self::MEMORY,
            temporary: std::env::temp_dir(),
        }
    }
}

impl PairOptions {
    /// The default of `memory`.
    pub const MEMORY: u64 = 512 << 20;

    /// True for pairs that are reported.
    pub(super) fn wants(&self, scores: &Scores) -> bool {
        scores.shared > 0
            && (scores.resemblance >= self.resemblance || scores.a_in_b.max(scores.b_in_a) >= self.containment)
    }

    /// The minimum number of n-grams that two documents share if they are reported.
    pub(super) fn needed(&self, a: usize, b: usize) -> f64 {
        let resemblance = self.resemblance / (1.0 + self.resemblance) * (a + b) as f64;
        resemblance.min(self.containment * a.min(b) as f64)
    }
}

/// What a document is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// All other documents.
    New,
    /// New documents only.
    Reference,
}

/// Two documents that share n-grams, by number, the earlier one first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DocumentPair {
    /// The earlier document.
    pub a: usize,
    /// The later document.
    pub b: usize,
    /// How much they share.
    pub scores: Scores,
}

/// A collection of fingerprints to compare with each other.
///
/// ```
/// use refrain::Run;
/// use refrain::compare::{FingerprintCollection, Fingerprint, FingerprintOptions, PairOptions, Side};
///
/// let mut collection = FingerprintCollection::new(PairOptions::default());
/// for text in ["The keeper lit the lamp at dusk.", "Bread was sold out.", "The keeper lit the lamp at dawn."] {
///     collection.add(Fingerprint::of(text, &FingerprintOptions::default()), Side::New)?;
/// }
/// let found = collection.pairs(&Run::default().start()?)?;
/// assert_eq!((found.pairs[0].a, found.pairs[0].b), (0, 2));
/// # Ok::<(), refrain::Error>(())
/// ```
pub struct FingerprintCollection {
    options: PairOptions,
    grams: SpillableList<[u64]>,
    sides: Vec<Side>,
}

/// The result of comparing a collection.
#[derive(Debug, Default)]
pub struct FoundPairs {
    /// The pairs, the highest resemblance first.
    pub pairs: Vec<DocumentPair>,
    /// The number of n-grams of each document that count.
    pub sizes: Vec<usize>,
    /// The n-grams that occur in too many documents, in ascending order.
    pub common: Vec<u64>,
}

/// Memory is divided into eight parts: fingerprints get one, and the batch being compared gets six.
const PARTS: u64 = 8;
const COMPARED: u64 = 6;
/// Bytes of an n-gram while it is compared: the n-gram and its entry in a list.
const ENTRY: u64 = 12;

impl FingerprintCollection {
    /// An empty collection.
    pub fn new(options: PairOptions) -> FingerprintCollection {
        let grams = SpillableList::new(&options.temporary, options.memory / PARTS);
        FingerprintCollection { options, grams, sides: Vec::new() }
    }

    /// Adds the next document. Returns its number.
    pub fn add(&mut self, fingerprint: Fingerprint, side: Side) -> Result<usize> {
        self.grams.add(fingerprint.into_grams())?;
        self.sides.push(side);
        Ok(self.sides.len() - 1)
    }

    /// The scores of two documents, by their numbers, without common n-grams.
    pub fn scores(&self, a: usize, b: usize, common: &[u64]) -> Result<Scores> {
        let (one, other) = (without(self.grams.get(a)?, common), without(self.grams.get(b)?, common));
        Ok(Scores::of(one.len(), other.len(), shared(&one, &other)))
    }

    /// Finds the pairs.
    pub fn pairs(&self, workers: &Workers) -> Result<FoundPairs> {
        let mut common = self.common(workers)?;
        let mut sizes = self.sizes(&common)?;
        // Common n-grams that make up most of the text of most documents are copies, not boilerplate.
        let emptied = sizes.iter().enumerate().filter(|(document, size)| **size * 2 < self.grams.length(*document));
        if emptied.count() * 2 > sizes.len() {
            common.clear();
            sizes = self.sizes(&common)?;
        }
        let mut pairs = self.compare(&sizes, &common, workers)?;
        pairs.sort_by(|one, other| {
            other.scores.resemblance.total_cmp(&one.scores.resemblance).then((one.a, one.b).cmp(&(other.a, other.b)))
        });
        Ok(FoundPairs { pairs, sizes, common })
    }

    /// The maximum number of n-grams to compare at a time.
    fn room(&self) -> u64 {
        (self.options.memory / PARTS * COMPARED / ENTRY).min(MOST_GRAMS)
    }

    /// Compares documents within each block, and between each two blocks, the largest documents first.
    fn compare(&self, sizes: &[usize], common: &[u64], workers: &Workers) -> Result<Vec<DocumentPair>> {
        let mut by_size: Vec<usize> = (0..sizes.len()).filter(|document| sizes[*document] > 0).collect();
        by_size.sort_by_key(|document| std::cmp::Reverse(sizes[*document]));
        let total = by_size.iter().map(|document| sizes[*document] as u64).sum::<u64>();
        let room = if total <= self.room() { total } else { self.room() / 2 };
        let (new, reference): (Vec<usize>, Vec<usize>) =
            by_size.into_iter().partition(|document| self.sides[*document] == Side::New);
        let (new, reference) = (blocks(&new, sizes, room), blocks(&reference, sizes, room));
        let mut pairs = Vec::new();
        let mut compare = |documents: &[usize], groups: Option<Vec<bool>>| {
            let batch = self.batch(documents, groups, common, sizes)?;
            pairs.extend(batch.pairs(&self.options, workers)?);
            Ok::<(), Error>(())
        };
        for (number, block) in new.iter().enumerate() {
            compare(block, None)?;
            for other in new[number + 1..].iter().chain(&reference) {
                let mut both: Vec<(usize, bool)> = block.iter().map(|document| (*document, false)).collect();
                both.extend(other.iter().map(|document| (*document, true)));
                both.sort_by_key(|(document, _)| std::cmp::Reverse(sizes[*document]));
                let (documents, groups): (Vec<usize>, Vec<bool>) = both.into_iter().unzip();
                compare(&documents, Some(groups))?;
            }
        }
        Ok(pairs)
    }

    /// Prepares documents for comparison, without common n-grams.
    fn batch(&self, documents: &[usize], groups: Option<Vec<bool>>, common: &[u64], sizes: &[usize]) -> Result<Batch> {
        let mut batch = Batch::new(groups, documents.iter().map(|document| sizes[*document]).sum());
        for document in documents {
            batch.add(*document, &without(self.grams.get(*document)?, common));
        }
        Ok(batch)
    }

    /// N-grams that occur in too many documents.
    fn common(&self, workers: &Workers) -> Result<Vec<u64>> {
        if self.options.common >= 1.0 || self.sides.len() < self.options.common_from {
            return Ok(Vec::new());
        }
        let limit = |documents: usize| self.options.common * documents as f64;
        let sizes = self.sizes(&[])?;
        let all: Vec<usize> = (0..sizes.len()).collect();
        // An n-gram that is too frequent in all documents is too frequent in at least one block.
        let mut likely: Vec<u64> = Vec::new();
        for block in blocks(&all, &sizes, self.room()) {
            let batch = self.batch(block, None, &[], &sizes)?;
            likely.extend(batch.frequent(limit(block.len()), workers));
            workers.stop().check()?;
        }
        likely.sort_unstable();
        likely.dedup();
        let mut counts = vec![0_usize; likely.len()];
        for document in all {
            meet(&self.grams.get(document)?, &likely, |_, place| counts[place] += 1);
        }
        let counted = likely.into_iter().zip(counts);
        Ok(counted.filter(|(_, count)| *count as f64 > limit(sizes.len())).map(|(gram, _)| gram).collect())
    }

    /// The number of n-grams of each document that count.
    fn sizes(&self, common: &[u64]) -> Result<Vec<usize>> {
        let size = |document: usize| {
            let length = self.grams.length(document);
            Ok(if common.is_empty() { length } else { length - shared(&self.grams.get(document)?, common) })
        };
        (0..self.grams.len()).map(size).collect()
    }
}

/// Splits documents into blocks of at most `room` n-grams, with at least one document each.
fn blocks<'a>(documents: &'a [usize], sizes: &[usize], room: u64) -> Vec<&'a [usize]> {
    let mut blocks = Vec::new();
    let mut rest = documents;
    while !rest.is_empty() {
        let mut total = 0;
        let fitting = rest.iter().take(MOST_DOCUMENTS / 2).take_while(|document| {
            total += sizes[**document] as u64;
            total <= room
        });
        let (block, others) = rest.split_at(fitting.count().max(1));
        blocks.push(block);
        rest = others;
    }
    blocks
}

/// N-grams without the common ones.
fn without<'a>(grams: Cow<'a, [u64]>, common: &[u64]) -> Cow<'a, [u64]> {
    if common.is_empty() {
        return grams;
    }
    let mut rest = Vec::with_capacity(grams.len());
    let mut from = 0;
    meet(&grams, common, |place, _| {
        rest.extend_from_slice(&grams[from..place]);
        from = place + 1;
    });
    rest.extend_from_slice(&grams[from..]);
    Cow::Owned(rest)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All pairs, one by one.
    fn plain(texts: &[Vec<u64>], options: &PairOptions, reference: usize) -> Vec<(usize, usize, usize)> {
        let limit = options.common * texts.len() as f64;
        let often = |gram: u64| texts.iter().filter(|grams| grams.contains(&gram)).count() as f64 > limit;
        let counting = |grams: &Vec<u64>| grams.iter().copied().filter(|gram| !often(*gram)).collect::<Vec<u64>>();
        let counted: Vec<Vec<u64>> = texts.iter().map(counting).collect();
        let emptied = counted.iter().zip(texts).filter(|(counted, all)| counted.len() * 2 < all.len()).count();
        let texts = if emptied * 2 > texts.len() { texts } else { &counted };
        let mut pairs = Vec::new();
        for (b, two) in texts.iter().enumerate() {
            for (a, one) in texts[..b].iter().enumerate() {
                let shared = one.iter().filter(|gram| two.contains(gram)).count();
                if b >= reference && options.wants(&Scores::of(one.len(), two.len(), shared)) {
                    pairs.push((a, b, shared));
                }
            }
        }
        pairs.sort_unstable();
        pairs
    }

    proptest! {
        #[test]
        fn pairs_are_those_of_brute_force(
            texts in proptest::collection::vec(proptest::collection::btree_set(0_u64..60, 0..40), 0..14),
            resemblance in 0.0..0.6_f64,
            containment in 0.0..1.0_f64,
            common in 0.3..1.3_f64,
            reference in 0_usize..5,
            memory in prop_oneof![Just(1_u64), Just(1 << 12), Just(1 << 28)],
        ) {
            let texts: Vec<Vec<u64>> = texts.into_iter().map(|text| {
                let mut grams: Vec<u64> = text.into_iter().map(|gram| crate::text::mix(gram + 1)).collect();
                grams.sort_unstable();
                grams
            }).collect();
            let options =
                PairOptions { resemblance, containment, common, common_from: 0, memory, ..PairOptions::default() };
            let mut collection = FingerprintCollection::new(options.clone());
            for (number, grams) in texts.iter().enumerate() {
                let side = if number < reference { Side::Reference } else { Side::New };
                collection.add(Fingerprint::known(grams.clone(), 0), side).expect("room");
            }
            let workers = crate::run::two_workers();
            let found = collection.pairs(&workers).expect("pairs");
            prop_assert!(found.pairs.is_sorted_by(|one, other| one.scores.resemblance >= other.scores.resemblance));
            let mut pairs: Vec<_> = found.pairs.iter().map(|pair| (pair.a, pair.b, pair.scores.shared)).collect();
            pairs.sort_unstable();
            prop_assert_eq!(pairs, plain(&texts, &options, reference));
        }
    }
}
