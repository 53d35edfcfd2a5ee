//! All pairs of documents that share enough n-grams, exactly, by an inverted index.
//!
//! A pair is reported for its resemblance or its containment; both say how many n-grams it must share at least. So the most
//! common n-grams of the smaller document of a pair need not be looked up, as long as these are fewer than it must share:
//! pairs that come near enough without them are counted again with them. Nothing is lost by it, whatever the documents.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU16, Ordering};

use rayon::slice::ParallelSliceMut;

use super::fingerprint::{Fingerprint, Scores};
use super::store::GramStore;
use crate::error::{Error, Result};

/// Which pairs are reported, and what finding them may take.
#[derive(Debug, Clone)]
pub struct PairOptions {
    /// Pairs that resemble each other so much, or more.
    pub resemblance: f64,
    /// Pairs of which one contains so much of the other, or more.
    pub containment: f64,
    /// N-grams that stand in more than this share of the documents do not count: 1 for none.
    pub common: f64,
    /// With fewer documents than this, all n-grams count.
    pub common_from: usize,
    /// Memory to stay within, in bytes.
    pub memory: u64,
    /// Where temporary files go.
    pub temporary: PathBuf,
}

impl Default for PairOptions {
    fn default() -> Self {
        PairOptions {
            resemblance: 0.03,
            containment: 0.31,
            common: 1.0,
            common_from: 0,
            memory: 512 << 20,
            temporary: std::env::temp_dir(),
        }
    }
}

impl PairOptions {
    /// True for pairs that are reported.
    fn wants(&self, scores: &Scores) -> bool {
        scores.shared > 0
            && (scores.resemblance >= self.resemblance || scores.a_in_b.max(scores.b_in_a) >= self.containment)
    }

    /// How many n-grams two documents share at least, if they are reported.
    fn needed(&self, a: usize, b: usize) -> f64 {
        let resemblance = self.resemblance / (1.0 + self.resemblance) * (a + b) as f64;
        resemblance.min(self.containment * a.min(b) as f64)
    }
}

/// What a document is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// All others.
    New,
    /// Those that are new.
    Reference,
}

/// Two documents that share n-grams, by their numbers: the earlier one first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// One of them.
    pub a: usize,
    /// The other one.
    pub b: usize,
    /// How much they share.
    pub scores: Scores,
}

/// Fingerprints that are compared with each other.
///
/// ```
/// use refrain::compare::{Collection, Fingerprint, FingerprintOptions, PairOptions, Side};
///
/// let mut collection = Collection::new(PairOptions::default());
/// for text in ["The keeper lit the lamp at dusk.", "Bread was sold out.", "The keeper lit the lamp at dawn."] {
///     collection.add(&Fingerprint::of(text, &FingerprintOptions::default()), Side::New)?;
/// }
/// let found = collection.pairs(&|| true)?;
/// assert_eq!((found.pairs[0].a, found.pairs[0].b), (0, 2));
/// # Ok::<(), refrain::Error>(())
/// ```
pub struct Collection {
    options: PairOptions,
    store: GramStore,
    sides: Vec<Side>,
}

/// What a comparison of a collection comes to.
#[derive(Debug, Default)]
pub struct FoundPairs {
    /// The pairs, those that resemble each other most first.
    pub pairs: Vec<Pair>,
    /// How many n-grams each document has that count.
    pub sizes: Vec<usize>,
    /// Those that stand in too many documents, in ascending order.
    pub common: Vec<u64>,
}

/// Of the n-grams that a pair must share, the part that is not looked up at first.
const SKIPPED: f64 = 0.6;
/// Memory is divided: fingerprints have one part in so many, counters another one, the index twice as much.
const STORE: u64 = 4;
const COUNTERS: u64 = 8;
const INDEX: u64 = 2;
/// Bytes of an entry of the index while that is made.
const ENTRY: u64 = 30;

impl Collection {
    /// An empty one.
    pub fn new(options: PairOptions) -> Collection {
        let store = GramStore::new(&options.temporary, options.memory / STORE);
        Collection { options, store, sides: Vec::new() }
    }

    /// Takes in the next document. Returns its number.
    pub fn add(&mut self, fingerprint: &Fingerprint, side: Side) -> Result<usize> {
        self.store.add(fingerprint.grams())?;
        self.sides.push(side);
        Ok(self.sides.len() - 1)
    }

    /// Fingerprints of some documents.
    pub fn fingerprints(&self, wanted: &BTreeSet<usize>) -> Result<HashMap<usize, Fingerprint>> {
        let found = self.store.each(
            Vec::new,
            |found, document, grams| {
                if wanted.contains(&document) {
                    found.push((document, Fingerprint::known(grams.to_vec(), 0)));
                }
            },
            |found| found,
        )?;
        Ok(found.into_iter().flatten().collect())
    }

    /// Finds the pairs. `step` is called now and then; false stops the work.
    pub fn pairs(&self, step: &(dyn Fn() -> bool + Sync)) -> Result<FoundPairs> {
        let counters = Counters::of(&self.store, self.options.memory / COUNTERS)?;
        let mut common = self.common(&counters)?;
        let mut sizes = self.sizes(&common)?;
        // What most documents have most of their text of is no boilerplate: they are copies.
        let emptied = sizes.iter().enumerate().filter(|(document, size)| **size * 2 < self.store.length(*document));
        if emptied.count() * 2 > sizes.len() {
            common.clear();
            sizes = self.sizes(&common)?;
        }
        let mut by_size: Vec<usize> = (0..sizes.len()).collect();
        by_size.sort_by_key(|document| std::cmp::Reverse(sizes[*document]));
        let mut ranks = vec![0_u32; sizes.len()];
        for (rank, document) in (0..).zip(&by_size) {
            ranks[*document] = rank;
        }
        let order = Order { sizes: &sizes, by_size: &by_size, ranks: &ranks, common: &common, counters: &counters };
        let mut pairs = Vec::new();
        let most = (self.options.memory / INDEX / ENTRY).max(1);
        let mut first = 0;
        while first < by_size.len() {
            let mut entries = 0;
            let more = by_size[first..].iter().take_while(|document| {
                entries += sizes[**document] as u64;
                entries <= most
            });
            let last = first + more.count().max(1);
            let index = Index::of(&self.store, &order, first..last)?;
            pairs.extend(self.pairs_with(&index, &order, step)?);
            first = last;
        }
        pairs.sort_by(|one, other| {
            other.scores.resemblance.total_cmp(&one.scores.resemblance).then((one.a, one.b).cmp(&(other.a, other.b)))
        });
        Ok(FoundPairs { pairs, sizes, common })
    }

    /// N-grams that stand in too many documents.
    fn common(&self, counters: &Counters) -> Result<Vec<u64>> {
        if self.options.common >= 1.0 || self.sides.len() < self.options.common_from {
            return Ok(Vec::new());
        }
        let limit = self.options.common * self.sides.len() as f64;
        let likely = |gram: u64| f64::from(counters.count(gram)) > limit || counters.count(gram) == u16::MAX;
        let found = self.store.each(
            Vec::new,
            |found, _, grams| found.extend(grams.iter().copied().filter(|gram| likely(*gram))),
            |found| found,
        )?;
        let mut all: Vec<u64> = found.into_iter().flatten().collect();
        all.sort_unstable();
        let often = all.chunk_by(|one, other| one == other).filter(|same| same.len() as f64 > limit);
        Ok(often.map(|same| same[0]).collect())
    }

    /// How many n-grams of each document count.
    fn sizes(&self, common: &[u64]) -> Result<Vec<usize>> {
        if common.is_empty() {
            return Ok((0..self.store.documents()).map(|document| self.store.length(document)).collect());
        }
        let count = |grams: &[u64]| grams.iter().filter(|gram| common.binary_search(gram).is_err()).count();
        let sizes =
            self.store.each(Vec::new, |sizes: &mut Vec<usize>, _, grams| sizes.push(count(grams)), |sizes| sizes)?;
        Ok(sizes.into_iter().flatten().collect())
    }

    /// Pairs of documents in an index with smaller ones.
    fn pairs_with(&self, index: &Index, order: &Order<'_>, step: &(dyn Fn() -> bool + Sync)) -> Result<Vec<Pair>> {
        let found = self.store.each(
            || (Probe::new(index.documents()), Vec::new()),
            |(probe, found), document, grams| {
                if step() {
                    self.probe(index, order, probe, document, grams, found);
                }
            },
            |(_, found)| found,
        )?;
        if step() { Ok(found.into_iter().flatten().collect()) } else { Err(Error::Interrupted) }
    }

    /// Finds those larger documents of an index that make pairs with a document.
    fn probe(
        &self,
        index: &Index,
        order: &Order<'_>,
        probe: &mut Probe,
        document: usize,
        grams: &[u64],
        found: &mut Vec<Pair>,
    ) {
        let rank = order.ranks[document];
        let size = order.sizes[document];
        if rank <= index.first || size == 0 {
            return;
        }
        probe.grams.clear();
        probe.grams.extend(grams.iter().filter_map(|gram| order.shared(*gram).map(|count| (count, *gram))));
        // Documents that are compared with are as large, or larger: no pair needs fewer.
        #[allow(clippy::cast_sign_loss)] // no number of n-grams is less than zero
        let skipped = (SKIPPED * self.options.needed(size, size)) as usize;
        let kept = probe.grams.len().saturating_sub(skipped);
        if kept < probe.grams.len() {
            probe.grams.select_nth_unstable(kept);
        }
        for (_, gram) in &probe.grams[..kept] {
            for other in index.documents_with(*gram).iter().take_while(|other| **other < rank) {
                let count = &mut probe.counts[(other - index.first) as usize];
                if *count == 0 {
                    probe.met.push(*other);
                }
                *count += 1;
            }
        }
        // With few looked up, a pair may share nothing but what was skipped.
        debug_assert!(self.options.needed(size, size) <= 0.0 || (skipped as f64) < self.options.needed(size, size));
        probe.met.sort_unstable();
        for other in probe.met.drain(..) {
            let count = std::mem::take(&mut probe.counts[(other - index.first) as usize]) as usize;
            let larger = order.by_size[other as usize];
            let both_known = self.sides[document] == Side::Reference && self.sides[larger] == Side::Reference;
            let most = count + probe.grams.len() - kept;
            if both_known || (most as f64) < self.options.needed(size, order.sizes[larger]) - ROUNDING {
                continue;
            }
            let rest = probe.grams[kept..].iter().filter(|(_, gram)| index.has(*gram, other));
            let shared = count + rest.count();
            let (a, b) = (document.min(larger), document.max(larger));
            let scores = Scores::of(order.sizes[a], order.sizes[b], shared);
            if self.options.wants(&scores) {
                found.push(Pair { a, b, scores });
            }
        }
    }
}

/// What may be lost when numbers are multiplied.
const ROUNDING: f64 = 1e-6;

/// What is known of all documents.
struct Order<'a> {
    sizes: &'a [usize],
    /// The documents, the largest first.
    by_size: &'a [usize],
    /// Where each document is among them.
    ranks: &'a [u32],
    common: &'a [u64],
    counters: &'a Counters,
}

impl Order<'_> {
    /// In about how many documents an n-gram stands; none for one that stands in no other document, or does not count.
    #[inline]
    fn shared(&self, gram: u64) -> Option<u16> {
        let count = self.counters.count(gram);
        let counts = count > 1 && (self.common.is_empty() || self.common.binary_search(&gram).is_err());
        counts.then_some(count)
    }
}

/// What a thread needs to look a document up.
struct Probe {
    /// N-grams with their counts.
    grams: Vec<(u16, u64)>,
    /// How many n-grams each document of the index shares.
    counts: Vec<u32>,
    /// Those that share any.
    met: Vec<u32>,
}

impl Probe {
    fn new(documents: usize) -> Probe {
        Probe { grams: Vec::new(), counts: vec![0; documents], met: Vec::new() }
    }
}

/// In how many documents n-grams stand, at most: those whose hashes end alike are counted together.
struct Counters {
    counts: Vec<AtomicU16>,
}

impl Counters {
    fn of(store: &GramStore, memory: u64) -> Result<Counters> {
        let slots = (2 * store.total()).clamp(1 << 10, (memory / 2).max(1 << 10)).next_power_of_two();
        let counters = Counters { counts: (0..slots).map(|_| AtomicU16::new(0)).collect() };
        store.each(
            || (),
            |(), _, grams| {
                for gram in grams {
                    let slot = counters.slot(*gram);
                    // More than that are not told apart. Threads that meet here add up, though not beyond it by much.
                    if slot.load(Ordering::Relaxed) < FULL {
                        slot.fetch_add(1, Ordering::Relaxed);
                    }
                }
            },
            |()| (),
        )?;
        Ok(counters)
    }

    fn slot(&self, gram: u64) -> &AtomicU16 {
        &self.counts[gram as usize & (self.counts.len() - 1)]
    }

    #[inline]
    fn count(&self, gram: u64) -> u16 {
        match self.slot(gram).load(Ordering::Relaxed) {
            full if full >= FULL => u16::MAX,
            count => count,
        }
    }
}

/// Far enough from the largest number that no thread gets beyond it.
const FULL: u16 = u16::MAX - 1024;

/// The n-grams of some documents, each with the documents it stands in.
struct Index {
    /// Their places among all documents by size, from this one on.
    first: u32,
    last: u32,
    /// The n-grams, in ascending order, and where the documents of each end.
    grams: Vec<u64>,
    ends: Vec<u32>,
    documents: Vec<u32>,
    /// Where n-grams with these highest bits begin.
    starts: Vec<u32>,
    bits: u32,
}

impl Index {
    fn of(store: &GramStore, order: &Order<'_>, ranks: std::ops::Range<usize>) -> Result<Index> {
        let (first, last) = (ranks.start as u32, ranks.end as u32);
        let entries = store.each(
            Vec::new,
            |entries, document, grams| {
                let rank = order.ranks[document];
                if (first..last).contains(&rank) {
                    let shared = grams.iter().filter(|gram| order.shared(**gram).is_some());
                    entries.extend(shared.map(|gram| (*gram, rank)));
                }
            },
            |entries| entries,
        )?;
        let mut all: Vec<(u64, u32)> = Vec::with_capacity(entries.iter().map(Vec::len).sum());
        for some in entries {
            all.extend(some);
        }
        all.par_sort_unstable();
        let mut index = Index {
            first,
            last,
            grams: Vec::new(),
            ends: Vec::new(),
            documents: Vec::with_capacity(all.len()),
            starts: Vec::new(),
            bits: (all.len() as u64).max(2).ilog2().clamp(1, 26),
        };
        for same in all.chunk_by(|one, other| one.0 == other.0) {
            index.documents.extend(same.iter().map(|(_, rank)| *rank));
            index.grams.push(same[0].0);
            index.ends.push(index.documents.len() as u32);
        }
        drop(all);
        index.starts = vec![0; (1 << index.bits) + 1];
        for gram in &index.grams {
            index.starts[(gram >> (u64::BITS - index.bits)) as usize + 1] += 1;
        }
        for at in 1..index.starts.len() {
            index.starts[at] += index.starts[at - 1];
        }
        Ok(index)
    }

    /// How many documents it is of.
    fn documents(&self) -> usize {
        (self.last - self.first) as usize
    }

    /// The documents that have an n-gram, in ascending order.
    #[inline]
    fn documents_with(&self, gram: u64) -> &[u32] {
        let bucket = (gram >> (u64::BITS - self.bits)) as usize;
        let (from, to) = (self.starts[bucket] as usize, self.starts[bucket + 1] as usize);
        match self.grams[from..to].iter().position(|known| *known == gram) {
            Some(at) => {
                let at = from + at;
                let start = if at == 0 { 0 } else { self.ends[at - 1] as usize };
                &self.documents[start..self.ends[at] as usize]
            }
            None => &[],
        }
    }

    fn has(&self, gram: u64, document: u32) -> bool {
        self.documents_with(gram).binary_search(&document).is_ok()
    }
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
            let options = PairOptions { resemblance, containment, common, memory, ..PairOptions::default() };
            let mut collection = Collection::new(options.clone());
            for (number, grams) in texts.iter().enumerate() {
                let side = if number < reference { Side::Reference } else { Side::New };
                collection.add(&Fingerprint::known(grams.clone(), 0), side).expect("room");
            }
            let found = collection.pairs(&|| true).expect("pairs");
            prop_assert!(found.pairs.is_sorted_by(|one, other| one.scores.resemblance >= other.scores.resemblance));
            let mut pairs: Vec<_> = found.pairs.iter().map(|pair| (pair.a, pair.b, pair.scores.shared)).collect();
            pairs.sort_unstable();
            prop_assert_eq!(pairs, plain(&texts, &options, reference));
        }
    }
}
