//! Entries of a partition with the same hash, found in memory a few thousand at a time, so that they fit in the CPU
//! caches.

use std::hash::{BuildHasher, Hash, Hasher};
use std::path::PathBuf;

use crate::disk::partitions::Partition;
use crate::error::{IoContext, Result};

/// Entries processed together.
const BUCKET: u64 = 4096;

/// Bytes of an n-gram hash on disk; the partition gives the highest byte.
pub(super) const NGRAM: usize = 7;
/// Bytes of a place or a number.
pub(super) const PLACE: usize = 5;
/// Bytes of an anchor on disk: of its hash, and its place.
pub(super) const ANCHOR: usize = 5 + PLACE;
/// The same for a whole document or an id.
pub(super) const WHOLE: usize = 7 + PLACE;
/// The digest of a text.
pub(super) const DIGEST: usize = 16;
/// Bytes of the number of an n-gram that occurs twice or more.
pub(super) const NUMBER: usize = 4;

/// Text that occurs at least this often is widespread.
pub(super) const WIDESPREAD: u64 = 5;
/// The highest bit of an answer: set if the n-gram or anchor is widespread.
pub(crate) const WIDESPREAD_NUMBER: u32 = 1 << 31;
pub(super) const WIDESPREAD_PLACE: u64 = 1 << (8 * PLACE - 1);
/// The second highest bit: set if the anchor occurs again.
pub(super) const REPEATED_PLACE: u64 = 1 << (8 * PLACE - 2);
/// The bits that hold a position.
pub(super) const PLACE_BITS: u64 = REPEATED_PLACE - 1;
/// The highest bit of the place of an n-gram of an earlier run: set if it is in kept text.
pub(super) const KEPT_PLACE: u64 = WIDESPREAD_PLACE;

/// Memory for processing an entry: the entry, its key and position, and its answer.
pub(super) const fn bytes_of_work(entry: usize) -> u64 {
    entry as u64 + if entry > NGRAM { 32 } else { 16 } + 8
}

/// A number of N bytes.
#[inline]
pub(super) fn number(bytes: &[u8]) -> u64 {
    let mut eight = [0; 8];
    eight[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(eight)
}

/// A place as it is on disk.
#[inline]
pub(super) fn place(place: u64) -> [u8; PLACE] {
    let bytes = place.to_le_bytes();
    [bytes[0], bytes[1], bytes[2], bytes[3], bytes[4]]
}

/// The hash of an n-gram as it is on disk.
#[inline]
pub(super) fn ngram(hash: u64) -> [u8; NGRAM] {
    let [bytes @ .., _] = hash.to_le_bytes();
    bytes
}

/// Uses a hash as its own hash, except for its highest bits, which are equal within a partition.
#[derive(Clone, Copy, Default)]
pub(crate) struct Spread;

pub(crate) struct SpreadHasher(u64);

impl BuildHasher for Spread {
    type Hasher = SpreadHasher;

    fn build_hasher(&self) -> SpreadHasher {
        SpreadHasher(0)
    }
}

impl Hasher for SpreadHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    #[inline]
    fn write_u64(&mut self, hash: u64) {
        self.0 = (self.0 ^ hash).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    #[inline]
    fn write_u128(&mut self, hash: u128) {
        self.write_u64(hash as u64);
        self.write_u64((hash >> 64) as u64);
    }

    fn finish(&self) -> u64 {
        self.0.rotate_left(20)
    }
}

/// Entries in buckets by some bits of their hashes, in their original order within a bucket.
struct Buckets<E> {
    entries: Vec<E>,
    ends: Vec<u32>,
}

impl<E: Copy + Default> Buckets<E> {
    /// Makes a value from each entry and its position, and puts it into the bucket selected by `bits_of`.
    fn new<const N: usize>(bytes: &[u8], bits_of: impl Fn(&[u8]) -> u64, make: impl Fn(&[u8], u32) -> E) -> Buckets<E> {
        let count = bytes.len() / N;
        let bits = (count as u64 / BUCKET).max(1).ilog2();
        let bucket = |entry: &[u8]| (bits_of(entry) & ((1 << bits) - 1)) as usize;
        let mut ends = vec![0_u32; 1 << bits];
        for entry in bytes.chunks_exact(N) {
            ends[bucket(entry)] += 1;
        }
        let mut end = 0;
        for count in &mut ends {
            (*count, end) = (end, end + *count);
        }
        let mut entries = vec![E::default(); count];
        for (at, entry) in (0..).zip(bytes.chunks_exact(N)) {
            let end = &mut ends[bucket(entry)];
            entries[*end as usize] = make(entry, at);
            *end += 1;
        }
        Buckets { entries, ends }
    }

    fn iter(&self) -> impl Iterator<Item = &[E]> {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts.zip(&self.ends).map(|(start, end)| &self.entries[*start as usize..*end as usize])
    }
}

/// Keys seen so far, each with a value. Small, so that it stays in the nearest caches.
struct Seen<K, T> {
    /// The index of each key, counted from 1; zero for an empty slot.
    slots: Vec<u32>,
    keys: Vec<(K, T)>,
}

impl<K: Copy + Eq + Hash, T> Seen<K, T> {
    fn new() -> Seen<K, T> {
        Seen { slots: Vec::new(), keys: Vec::new() }
    }

    /// Removes all keys, and makes room for this many.
    fn clear(&mut self, keys: usize) {
        self.keys.clear();
        self.slots.clear();
        self.slots.resize((2 * keys).next_power_of_two(), 0);
    }

    /// The value of a key seen before; for a new key, stores `first`.
    #[inline]
    fn get_or_add(&mut self, key: K, first: impl FnOnce() -> T) -> Option<&mut T> {
        let last = self.slots.len() - 1;
        let mut at = Spread.hash_one(key) as usize & last;
        loop {
            match self.slots[at] {
                0 => {
                    self.keys.push((key, first()));
                    self.slots[at] = self.keys.len() as u32;
                    return None;
                }
                found if self.keys[found as usize - 1].0 == key => return Some(&mut self.keys[found as usize - 1].1),
                _ => at = (at + 1) & last,
            }
        }
    }
}

/// Calls `later` for all but the first entry of each key, with the value that `first` made from that one.
fn by_key<const N: usize, K: Copy + Default + Eq + Hash, T>(
    bytes: &[u8],
    bits_of: impl Fn(&[u8]) -> u64,
    key_of: impl Fn(&[u8]) -> K,
    first: impl Fn(u32) -> T,
    mut later: impl FnMut(u32, &mut T),
) {
    let buckets = Buckets::new::<N>(bytes, bits_of, |entry, at| (key_of(entry), at));
    let mut seen = Seen::new();
    for bucket in buckets.iter() {
        seen.clear(bucket.len());
        for (key, at) in bucket {
            if let Some(left) = seen.get_or_add(*key, || first(*at)) {
                later(*at, left);
            }
        }
    }
}

/// The result of grouping the n-grams of a partition.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Grouped {
    /// Distinct n-grams that occur at least twice.
    pub(super) repeated: u64,
    /// How often these occur.
    pub(super) occurrences: u64,
    /// The most frequent ones, by their numbers.
    pub(super) most: Most<u32>,
}

/// How many of the most frequent n-grams are recorded.
pub(crate) const MOST: usize = 1 << 14;

/// The most frequent n-grams, with their counts. Of those with equal counts, all or none are included, so the result
/// does not depend on partitions or on the order in which parts are merged.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Most<N> {
    /// N-grams that occur this often or less are not included.
    floor: u64,
    /// The others, unordered.
    pub(crate) counts: Vec<(u64, N)>,
}

impl<N> Most<N> {
    pub(crate) fn of(counts: Vec<(u64, N)>) -> Most<N> {
        let mut most = Most { floor: 0, counts };
        most.cut();
        most
    }

    /// Adds the most frequent of other n-grams.
    pub(crate) fn add<O>(&mut self, others: Most<O>, name: impl Fn(O) -> N) {
        self.floor = self.floor.max(others.floor);
        self.counts.extend(others.counts.into_iter().map(|(count, other)| (count, name(other))));
        self.cut();
    }

    /// Adds another n-gram.
    #[cfg(feature = "papers")]
    pub(crate) fn push(&mut self, count: u64, ngram: N) {
        if count > self.floor {
            self.counts.push((count, ngram));
        }
        if self.counts.len() > 2 * MOST {
            self.cut();
        }
    }

    /// Keeps only the most frequent ones.
    pub(crate) fn cut(&mut self) {
        if self.counts.len() > MOST {
            let (_, (count, _), _) = self.counts.select_nth_unstable_by(MOST, |one, other| other.0.cmp(&one.0));
            self.floor = self.floor.max(*count);
        }
        self.counts.retain(|(count, _)| *count > self.floor);
    }
}

/// Counts the n-grams of a partition that occur at least twice.
pub(super) fn count(partition: &mut Partition) -> Result<Grouped> {
    let buckets = Buckets::new::<NGRAM>(&partition.read()?, |entry| number(&entry[4..]), |entry, _| number(entry));
    let mut grouped = Grouped::default();
    let mut seen = Seen::new();
    for bucket in buckets.iter() {
        seen.clear(bucket.len());
        for key in bucket {
            if let Some(again) = seen.get_or_add(*key, || false) {
                grouped.repeated += u64::from(!*again);
                grouped.occurrences += if *again { 1 } else { 2 };
                *again = true;
            }
        }
    }
    Ok(grouped)
}

/// How much of something is repeated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Repeated {
    /// How many there are.
    pub(crate) all: u64,
    /// How many different ones.
    pub(crate) distinct: u64,
    /// How many different ones occur at least twice.
    pub(crate) duplicate: u64,
}

impl std::ops::AddAssign for Repeated {
    fn add_assign(&mut self, other: Repeated) {
        self.all += other.all;
        self.distinct += other.distinct;
        self.duplicate += other.duplicate;
    }
}

/// Counts the hashes of a partition: all of them, and those that are kept. `ignored` bits do not belong to the hash.
pub(super) fn repeated(
    partition: &Partition,
    is_kept: impl Fn(u64) -> bool,
    ignored: u64,
) -> Result<super::RepetitionCounts> {
    let buckets = Buckets::new::<NGRAM>(&partition.read()?, |entry| number(&entry[4..]), |entry, _| number(entry));
    let mut counts = super::RepetitionCounts::default();
    // How often a hash occurs at all, and in kept text, as far as it matters.
    let mut seen: Seen<u64, (bool, u8)> = Seen::new();
    for bucket in buckets.iter() {
        seen.clear(bucket.len());
        for entry in bucket {
            let kept = is_kept(*entry);
            counts.before.all += 1;
            counts.after.all += u64::from(kept);
            match seen.get_or_add(entry & !ignored, || (false, u8::from(kept))) {
                None => {
                    counts.before.distinct += 1;
                    counts.after.distinct += u64::from(kept);
                }
                Some((again, times)) => {
                    counts.before.duplicate += u64::from(!*again);
                    *again = true;
                    if kept {
                        counts.after.distinct += u64::from(*times == 0);
                        counts.after.duplicate += u64::from(*times == 1);
                        *times = (*times + 1).min(2);
                    }
                }
            }
        }
    }
    Ok(counts)
}

/// Numbers the n-grams of a partition that occur at least twice, in order of first occurrence, from 1; answers others
/// with zero. If `CAUSAL`, an n-gram is widespread from the occurrence on that makes it so, not before. N-grams of earlier runs
/// come first, each with a place. Of those in kept text, the first places are noted next to the answers.
pub(super) fn group<const CAUSAL: bool>(partition: &mut Partition) -> Result<Grouped> {
    let past = partition.past().map_or(Ok(Vec::new()), Partition::read)?;
    let before = past.len() / WHOLE;
    let mut entries = partition.read()?;
    if before > 0 {
        let hashes = past.chunks_exact(WHOLE).flat_map(|entry| &entry[..NGRAM]).copied();
        entries = hashes.chain(entries).collect();
    }
    let mut firsts = vec![0_u32; entries.len() / NGRAM];
    let bits = |entry: &[u8]| number(&entry[4..]);
    by_key::<NGRAM, u64, u32>(
        &entries,
        bits,
        number,
        |at| at,
        |at, first| {
            firsts[at as usize] = *first + 1;
            firsts[*first as usize] = *first + 1;
        },
    );
    drop(entries);
    let mut counts: Vec<(u64, u32)> = Vec::new();
    let mut answers = Vec::with_capacity((firsts.len() - before) * NUMBER);
    for at in 0..firsts.len() {
        let first = firsts[at] as usize;
        if first == at + 1 {
            counts.push((0, counts.len() as u32 + 1));
            firsts[at] = counts.len() as u32;
        } else if first > 0 {
            firsts[at] = firsts[first - 1];
        }
        let count = firsts[at].checked_sub(1).map_or(0, |number| {
            let count = &mut counts[number as usize].0;
            *count += 1;
            *count
        });
        if CAUSAL && at >= before {
            answers.extend_from_slice(&flagged(firsts[at], count).to_le_bytes());
        }
    }
    if !CAUSAL {
        for number in &firsts[before..] {
            let count = number.checked_sub(1).map_or(0, |at| counts[at as usize].0);
            answers.extend_from_slice(&flagged(*number, count).to_le_bytes());
        }
    }
    note_kept(partition, &past, &firsts[..before], counts.len())?;
    partition.answer(answers)?;
    let all: u64 = counts.iter().map(|(count, _)| count).sum();
    let occurrences = all - firsts[..before].iter().filter(|number| **number > 0).count() as u64;
    Ok(Grouped { repeated: counts.len() as u64, occurrences, most: Most::of(counts) })
}

/// Notes, for n-grams of earlier runs and their numbers, the first place of each that is in kept text.
fn note_kept(partition: &Partition, past: &[u8], numbers: &[u32], count: usize) -> Result<()> {
    let mut kept = Vec::new();
    let mut is_known = vec![false; if past.is_empty() { 0 } else { count + 1 }];
    for (entry, of) in past.chunks_exact(WHOLE).zip(numbers).filter(|(_, of)| **of > 0) {
        let at = number(&entry[NGRAM..]);
        if at & KEPT_PLACE != 0 && !std::mem::replace(&mut is_known[*of as usize], true) {
            kept.extend_from_slice(&of.to_le_bytes());
            kept.extend_from_slice(&place(at & !KEPT_PLACE));
        }
    }
    let path = kept_path(partition);
    if kept.is_empty() { Ok(()) } else { std::fs::write(&path, kept).at(&path) }
}

/// The file of the n-grams of a partition that are in kept text of earlier runs.
fn kept_path(partition: &Partition) -> PathBuf {
    partition.answers_path().with_extension("kept")
}

/// Calls `take` with the number of each n-gram of a partition that is in kept text of earlier runs, and its place there.
pub(super) fn each_kept(partition: &Partition, mut take: impl FnMut(u64, u64) -> Result<()>) -> Result<()> {
    let path = kept_path(partition);
    let kept = match std::fs::read(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        kept => kept.at(&path)?,
    };
    kept.chunks_exact(NUMBER + PLACE).try_for_each(|entry| take(number(&entry[..NUMBER]), number(&entry[NUMBER..])))
}

/// The number of an n-gram that occurs `count` times, as an answer.
pub(crate) fn flagged(number: u32, count: u64) -> u32 {
    if count >= WIDESPREAD { number | WIDESPREAD_NUMBER } else { number }
}

/// Answers each entry with the position of the first one with its hash, counted from 1; zero for the first itself. An
/// entry is a hash followed by a position. Answers for entries that occur again have [`REPEATED_PLACE`], and those for widespread
/// ones have [`WIDESPREAD_PLACE`]; if `CAUSAL`, only from the occurrence on that makes them widespread. Entries of earlier runs come
/// first, and get no answers.
pub(super) fn first_places<const N: usize, const CAUSAL: bool>(partition: &mut Partition) -> Result<()> {
    let mut entries = partition.past().map_or(Ok(Vec::new()), Partition::read)?;
    let before = entries.len() / N;
    entries.extend(partition.read()?);
    let mut answers = vec![0_u8; entries.len() / N * PLACE];
    let key = |entry: &[u8]| {
        let mut key = [0; 16];
        key[..N - PLACE].copy_from_slice(&entry[..N - PLACE]);
        u128::from_le_bytes(key)
    };
    let place_of = |at: u32| number(&entries[(at as usize + 1) * N - PLACE..][..PLACE]) + 1;
    let mut put = |at: u32, answer: u64| answers[at as usize * PLACE..][..PLACE].copy_from_slice(&place(answer));
    // The entries of a key until it is widespread.
    let first = |at: u32| ([at; WIDESPREAD as usize - 1], 1);
    by_key::<N, u128, ([u32; WIDESPREAD as usize - 1], usize)>(
        &entries,
        |entry| number(&entry[2..5]),
        key,
        first,
        |at, (few, count)| {
            let place = place_of(few[0]);
            let (repeated, widespread) = (REPEATED_PLACE, REPEATED_PLACE | WIDESPREAD_PLACE);
            *count += 1;
            if *count == 2 {
                put(few[0], repeated);
            }
            if *count <= few.len() {
                few[*count - 1] = at;
                put(at, place | repeated);
                return;
            }
            if *count == few.len() + 1 && !CAUSAL {
                put(few[0], widespread);
                few[1..].iter().for_each(|at| put(*at, place | widespread));
            }
            put(at, place | widespread);
        },
    );
    partition.answer(answers.split_off(before * PLACE))
}

/// Answers each entry with the number of earlier entries with its hash.
pub(super) fn times_before(partition: &mut Partition) -> Result<()> {
    let entries = partition.read()?;
    let mut answers = vec![0_u8; entries.len() / NGRAM * NUMBER];
    by_key::<NGRAM, u64, u32>(
        &entries,
        |entry| number(&entry[4..]),
        number,
        |_| 0,
        |at, times| {
            *times += 1;
            answers[at as usize * NUMBER..][..NUMBER].copy_from_slice(&times.to_le_bytes());
        },
    );
    partition.answer(answers)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn later_entries_know_the_first_of_their_key(keys in proptest::collection::vec(0_u8..40, 0..9000)) {
            let mut firsts: Vec<u32> = (0..keys.len() as u32).collect();
            by_key::<1, u8, u32>(&keys, |entry| u64::from(entry[0]), |entry| entry[0], |at| at, |at, first| {
                firsts[at as usize] = *first;
            });
            let plain = keys.iter().map(|key| keys.iter().position(|other| other == key).expect("itself") as u32);
            prop_assert_eq!(firsts, plain.collect::<Vec<_>>());
        }
    }

    #[test]
    fn of_equal_counts_all_are_taken_or_none() {
        let count = |n: u32| (if n < 7 { 9 } else { 3 }, n);
        let all: Vec<(u64, u32)> = (0..MOST as u32 + 5).map(count).collect();
        assert_eq!(Most::of(all.clone()).counts.len(), 7);
        assert_eq!(Most::of(vec![(2, 1), (5, 2)]).counts, [(2, 1), (5, 2)]);
        // The result is the same in parts, in any order, though only one part has too many.
        for parts in [[&all[..3], &all[3..]], [&all[3..], &all[..3]], [&all[..=MOST], &all[MOST + 1..]]] {
            let mut most = Most::default();
            for part in parts {
                most.add(Most::of(part.to_vec()), |n| n);
            }
            most.counts.sort_unstable();
            assert_eq!(most.counts, (0..7).map(|n| (9, n)).collect::<Vec<_>>());
        }
    }
}
