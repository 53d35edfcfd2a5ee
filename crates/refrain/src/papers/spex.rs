//! Duplicate n-grams by SPEX: from shorter ones to longer ones.
//!
//! An n-gram can only occur twice if both shorter ones in it occur twice. This is the method of Bernstein and Zobel, *A
//! scalable system for identifying co-derivative documents* (2004), which section 6.2 of the PRESEMT report D3.1.3
//! describes. So the collection is read once per length. A table of small counters shows which l-grams may have
//! occurred twice, and the next pass counts only those made of two of them. Counters can collide, so length n yields
//! candidates that include all duplicates. They are written to disk with their words, and compared word by word.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;

use crate::dedup::answers::{Answers, Found, ngrams, number, parts};
use crate::dedup::group::Spread;
use crate::dedup::store::{Store, WORD};
use crate::disk::partitions::{Partition, Partitions};
use crate::error::Result;
use crate::text::mix;

/// L-grams are polynomials in this, modulo 2^64.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;
/// Counters for each word of the collection. With more counters, fewer candidates are accidental.
const COUNTERS: u64 = 8;
/// No n-gram.
const NONE: u32 = u32::MAX;

/// How large the parts of the work may be.
struct Room {
    /// Counters of a table, a power of two.
    counters: u64,
    /// Bytes for the work on candidates and answers.
    memory: u64,
    /// Bits of hashes that are used. (In tests few, so that many are equal.)
    mask: u64,
}

/// Finds the n-grams that occur at least twice, within a memory limit. Temporary files and the answers are in the folder.
pub(crate) fn by_spex(words: &Store, n: usize, memory: u64, folder: &Path) -> Result<Found> {
    let count = words.places()?;
    // Two tables at a time, four counters a byte.
    let most = 1 << (memory / 3 * 4).max(4).ilog2();
    let room = Room { counters: (count * COUNTERS).next_power_of_two().min(most), memory, mask: u64::MAX };
    find(words, n, &room, folder)
}

fn find(words: &Store, n: usize, room: &Room, folder: &Path) -> Result<Found> {
    let sieve = Sieve::fill(words, n, room)?;
    let ngrams = sieve.ngrams;
    let candidates = sieve.candidates(words, room, folder)?;
    let mut answers = Answers::new(folder, ngrams, room.memory);
    for part in candidates.finish() {
        group(&part, n, &mut answers)?;
        part.delete_entries()?;
    }
    answers.finish()
}

/// Counters of two bits: not seen, seen once, seen twice or more.
struct Table {
    counters: Vec<u8>,
    /// L-grams that were counted, and counters that have counted one.
    counted: u64,
    once: u64,
}

impl Table {
    fn new(counters: u64) -> Table {
        Table { counters: vec![0; counters.div_ceil(4) as usize], counted: 0, once: 0 }
    }

    /// The byte of a counter, and where in it the counter begins.
    #[inline]
    fn slot(&self, hash: u64) -> (usize, u32) {
        ((hash >> 2) as usize & (self.counters.len() - 1), (hash as u32 & 3) * 2)
    }

    #[inline]
    fn count(&mut self, hash: u64) {
        let (byte, shift) = self.slot(hash);
        let count = self.counters[byte] >> shift & 3;
        self.counted += 1;
        self.once = self.once + u64::from(count == 0) - u64::from(count == 1);
        if count < 2 {
            self.counters[byte] += 1 << shift;
        }
    }

    #[inline]
    fn twice(&self, hash: u64) -> bool {
        let (byte, shift) = self.slot(hash);
        self.counters[byte] >> shift & 3 == 2
    }
}

/// Selects candidates: the table of the n-grams, and that of the length before, which shows which were counted.
struct Sieve {
    n: usize,
    mask: u64,
    before: Option<Table>,
    table: Table,
    /// N-grams of the collection.
    ngrams: u64,
}

impl Sieve {
    /// Counts what may occur twice, length by length.
    fn fill(words: &Store, n: usize, room: &Room) -> Result<Sieve> {
        let mut sieve = Sieve { n, mask: room.mask, before: None, table: Table::new(room.counters), ngrams: 0 };
        for length in 1..=n {
            if length > 1 {
                sieve.before = None; // Never more than two tables.
                sieve.before = Some(std::mem::replace(&mut sieve.table, Table::new(room.counters)));
            }
            let Sieve { before, table, .. } = &mut sieve;
            let mut all = 0;
            words.each_hashes(|document| {
                all += ngrams(document.len(), n) as u64;
                // Shorter documents have no part in n-grams.
                if document.len() >= n {
                    each_hopeful(document, length, room.mask, before.as_ref(), |_, hash| {
                        table.count(hash);
                        Ok(())
                    })?;
                }
                Ok(())
            })?;
            sieve.ngrams = all;
        }
        Ok(sieve)
    }

    /// Scatters all n-grams that may occur twice, by hash: place, hash, words.
    fn candidates(self, words: &Store, room: &Room, folder: &Path) -> Result<Partitions> {
        let Sieve { n, mask, before, table, .. } = self;
        // An n-gram whose counter is 1 occurs once: it is not a candidate.
        let candidates = table.counted - table.once;
        let count = candidates.div_ceil(Distinct::most(n, room.memory / 2)).max(1);
        let mut found = parts(folder, "candidates", count, 16 + n * WORD, room.memory / 16);
        let mut entry = Vec::with_capacity(16 + n * WORD);
        let mut place = 0_u64;
        words.each_hashes(|document| {
            let all = ngrams(document.len(), n);
            if all > 0 {
                each_hopeful(document, n, mask, before.as_ref(), |at, hash| {
                    if !table.twice(hash) {
                        return Ok(());
                    }
                    entry.clear();
                    entry.extend_from_slice(&(place + at as u64).to_le_bytes());
                    entry.extend_from_slice(&hash.to_le_bytes());
                    for word in &document[at..at + n] {
                        entry.extend_from_slice(&word.to_le_bytes()[..WORD]);
                    }
                    let part = ((u128::from(hash) * u128::from(count)) >> u64::BITS) as usize;
                    found.push(part, &entry)
                })?;
            }
            place += all as u64;
            Ok(())
        })?;
        Ok(found)
    }
}

/// Passes on the position and hash of each l-gram if both shorter ones in it may occur twice. Before there is a table
/// of shorter ones, that is every word.
fn each_hopeful(
    document: &[u64],
    length: usize,
    mask: u64,
    before: Option<&Table>,
    mut take: impl FnMut(usize, u64) -> Result<()>,
) -> Result<()> {
    let Some(before) = before else {
        return (0..).zip(document).try_for_each(|(at, word)| take(at, mix(*word) & mask));
    };
    // The shorter one that begins a word before, if it was seen twice.
    let mut first: Option<u64> = None;
    let mut polynomial = document[..length - 2].iter().fold(0, |sum, word| next(sum, *word));
    let power = (0..length - 2).fold(1_u64, |power, _| power.wrapping_mul(BASE));
    for (at, word) in document[length - 2..].iter().enumerate() {
        polynomial = next(polynomial, *word);
        let twice = before.twice(mix(polynomial) & mask);
        if twice && let Some(first) = first {
            take(at - 1, mix(next(first, *word)) & mask)?;
        }
        first = twice.then_some(polynomial);
        polynomial = polynomial.wrapping_sub(document[at].wrapping_mul(power));
    }
    Ok(())
}

/// The polynomial of words and the one that follows them.
#[inline]
fn next(polynomial: u64, word: u64) -> u64 {
    polynomial.wrapping_mul(BASE).wrapping_add(word)
}

/// Groups equal candidates of a partition, and passes on the positions of those that occur at least twice.
fn group(candidates: &Partition, n: usize, answers: &mut Answers) -> Result<()> {
    let mut distinct = Distinct::new(n * WORD);
    candidates.each(|record| {
        let place = u64::from_le_bytes(number(record, 0));
        let hash = u64::from_le_bytes(number(record, 8));
        let Some(ngram) = distinct.find(hash, &record[16..], place) else { return Ok(()) };
        let first = ngram.first;
        if !ngram.again {
            ngram.again = true;
            answers.push(first, first)?;
        }
        answers.push(first, place)
    })
}

/// Different n-grams. Only those whose hashes are equal are compared.
struct Distinct {
    /// Bytes of an n-gram.
    width: usize,
    by_hash: HashMap<u64, u32, Spread>,
    ngrams: Vec<Ngram>,
    words: Vec<u8>,
}

struct Ngram {
    first: u64,
    /// Another one with the same hash.
    next: u32,
    /// Whether it occurred again.
    again: bool,
}

impl Distinct {
    /// How many fit in memory. The map and the lists double when they grow, while the old ones still exist.
    fn most(n: usize, memory: u64) -> u64 {
        let bytes = 58 + 3 * (size_of::<Ngram>() + n * WORD) as u64;
        (memory / bytes).clamp(1, 1 << 31)
    }

    fn new(width: usize) -> Distinct {
        Distinct { width, by_hash: HashMap::default(), ngrams: Vec::new(), words: Vec::new() }
    }

    /// The n-gram, if it is known already.
    fn find(&mut self, hash: u64, words: &[u8], place: u64) -> Option<&mut Ngram> {
        let new = self.ngrams.len() as u32;
        match self.by_hash.entry(hash) {
            Entry::Vacant(entry) => {
                entry.insert(new);
            }
            Entry::Occupied(entry) => {
                let mut at = *entry.get() as usize;
                loop {
                    if self.words[at * self.width..][..self.width] == *words {
                        return Some(&mut self.ngrams[at]);
                    }
                    match self.ngrams[at].next {
                        NONE => break,
                        next => at = next as usize,
                    }
                }
                self.ngrams[at].next = new;
            }
        }
        self.ngrams.push(Ngram { first: place, next: NONE, again: false });
        self.words.extend_from_slice(words);
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::dedup::twin::{documents, engine, long, plain};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]
        #[test]
        fn finds_what_the_twin_finds(
            documents in documents(), n in 1..7_usize, counters in 2..12_u32, memory in 0..3000_u64, few in any::<bool>(),
        ) {
            // Few hashes, in four parts: most n-grams share theirs with others.
            let mask = if few { 3 << 62 | 1 } else { u64::MAX };
            let room = Room { counters: 1 << counters, memory, mask };
            let found = engine(&documents, |words, folder| find(words, n, &room, folder));
            prop_assert_eq!(found, plain(&documents, n));
        }

        #[test]
        fn both_engines_find_the_same(documents in documents(), n in 1..7_usize) {
            let suffixes = crate::papers::suffix_array::by_suffix_arrays;
            let found = engine(&documents, |words, folder| by_spex(words, n, 1 << 12, folder));
            prop_assert_eq!(found, engine(&documents, |words, folder| suffixes(words, n, 1 << 14, folder)));
        }
    }

    #[test]
    fn all_in_memory_and_almost_nothing() {
        let documents = [long(20), long(3000), long(100)];
        for (n, memory) in [(1, 1 << 20), (5, 1 << 20), (5, 4000), (7, 1)] {
            let found = engine(&documents, |words, folder| by_spex(words, n, memory, folder));
            assert_eq!(found, plain(&documents, n));
        }
    }

    #[test]
    fn nothing_and_short_documents() {
        for documents in [&[][..], &[vec![]], &[vec![1], vec![1, 2], vec![], vec![1, 2]]] {
            for n in [3, 100] {
                let found = engine(documents, |words, folder| by_spex(words, n, 1 << 20, folder));
                assert_eq!(found, plain(documents, n));
            }
        }
    }

    #[test]
    fn the_sieve_holds_back_what_is_unique() {
        let mut table = Table::new(64);
        for hash in [1, 2, 2, 3, 3, 3, 64 + 1] {
            table.count(hash);
        }
        let twice: Vec<u64> = (0..6).filter(|hash| table.twice(*hash)).collect();
        assert_eq!(twice, [1, 2, 3]);
        assert_eq!((table.counted, table.once), (7, 0));
        table.count(5);
        assert_eq!((table.counted, table.once, table.twice(5)), (8, 1, false));
    }
}
