//! A batch of documents compared in memory: which of them share n-grams, and how many.
//!
//! N-grams are processed one bucket at a time, by their highest bits. The n-grams of each document are sorted, so those
//! of a bucket are read in sequence, and their state fits in the CPU caches. Each n-gram that occurs in several
//! documents has a list of them, larger documents first. In place of the n-gram, each document then stores the part of
//! the list that precedes it. To find the pairs of a document, only its lists need to be counted.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::fingerprint::Scores;
use super::pairs::{DocumentPair, PairOptions};
use crate::error::Result;
use crate::run::Workers;

/// The share of the n-grams a pair must have in common that is not looked up at first.
const SKIPPED: f64 = 0.6;
/// Tolerance for rounding errors in products.
const ROUNDING: f64 = 1e-6;
/// Approximate number of n-grams in a bucket.
const BUCKET: u64 = 1 << 14;
/// Minimum number of n-grams of one document in a bucket; visiting a document for fewer is not worth the cost.
const OF_DOCUMENT: u64 = 16;
/// Number of bits used for the first count of the n-grams in a bucket.
const TALLY: u32 = 16;
/// The number of an n-gram that occurs in only one document.
const ALONE: u32 = u32::MAX;
/// Units of work per thread.
const PARTS: usize = 4;
/// The maximum number of documents in a batch, and of n-grams.
pub(super) const MOST_DOCUMENTS: usize = (1 << 24) - 1;
pub(super) const MOST_GRAMS: u64 = u32::MAX as u64;

/// Documents and their n-grams.
pub(super) struct Batch {
    /// The numbers of the documents.
    documents: Vec<usize>,
    /// The group of each document. Each document is compared with those of the other group, or with all others if there
    /// are no groups.
    groups: Option<Vec<bool>>,
    /// The n-grams of one document after the other, each in ascending order; later, the lists that replace them.
    cells: Vec<AtomicU64>,
    /// Where the n-grams of each document end.
    ends: Vec<usize>,
}

/// A list of the documents with an n-gram, up to a given document: those in `lists[part][start..start + length]`. The
/// encoded numbers sort by length.
#[derive(Clone, Copy)]
struct Earlier(u64);

/// The part number of lists with only one document, which is stored in place of the start.
const SINGLE: u64 = 0xFF;

impl Earlier {
    fn new(length: u32, part: usize, start: u32) -> Earlier {
        Earlier(u64::from(length) << 40 | (part as u64) << 32 | u64::from(start))
    }

    /// The document of a list with only one.
    fn single(self) -> Option<usize> {
        (self.0 >> 32 & 0xFF == SINGLE).then_some(self.0 as u32 as usize)
    }

    fn of(self, lists: &[Vec<u32>]) -> &[u32] {
        let (length, part, start) = ((self.0 >> 40) as usize, (self.0 >> 32 & 0xFF) as usize, self.0 as u32 as usize);
        &lists[part][start..start + length]
    }
}

/// A range of buckets.
struct DocumentPart {
    number: usize,
    buckets: Range<u64>,
    /// How far an n-gram is shifted to get its bucket.
    shift: u32,
    /// Where the n-grams of these buckets begin and end in each document.
    cursors: Vec<usize>,
    ends: Vec<usize>,
}

/// The n-grams of a bucket.
#[derive(Default)]
struct Bucket {
    grams: Vec<u64>,
    /// How often n-grams with the same next bits occur.
    tally: Vec<u16>,
    /// How far an n-gram is shifted to get these bits.
    shift: u32,
    /// Indices of documents, with the number of their n-grams.
    takes: Vec<(u32, u32)>,
    /// For each n-gram, its number among the distinct ones.
    numbers: Vec<u32>,
    /// For each distinct n-gram, how many documents of each group contain it.
    counts: Vec<[u32; 2]>,
    /// Where the lists of each distinct n-gram begin.
    starts: Vec<[u32; 2]>,
    different: Vec<u64>,
    slots: Vec<u32>,
}

impl Batch {
    /// An empty batch with room for this many n-grams.
    pub(super) fn new(groups: Option<Vec<bool>>, grams: usize) -> Batch {
        Batch { documents: Vec::new(), groups, cells: Vec::with_capacity(grams), ends: Vec::new() }
    }

    /// Adds the next document, which must not be larger than the one before.
    pub(super) fn add(&mut self, document: usize, grams: &[u64]) {
        self.documents.push(document);
        self.cells.extend(grams.iter().map(|gram| AtomicU64::new(*gram)));
        self.ends.push(self.cells.len());
    }

    fn group(&self, place: usize) -> usize {
        self.groups.as_ref().map_or(0, |groups| usize::from(groups[place]))
    }

    fn range(&self, place: usize) -> Range<usize> {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        start..self.ends[place]
    }

    /// Splits the work into parts of about the same size.
    fn parts(&self, threads: usize) -> Vec<DocumentPart> {
        let size = BUCKET.max(OF_DOCUMENT * self.ends.len() as u64);
        let buckets = (self.cells.len() as u64 / size).next_power_of_two().clamp(2, 1 << 16);
        let shift = u64::BITS - buckets.ilog2();
        let parts = (PARTS * threads).min(SINGLE as usize).min(buckets as usize);
        let first_of = |part: usize| buckets * part as u64 / parts as u64;
        let cut = |place: usize, bucket: u64| {
            let range = self.range(place);
            let before = |cell: &AtomicU64| cell.load(Ordering::Relaxed) >> shift < bucket;
            range.start + self.cells[range].partition_point(before)
        };
        // Compute all cursors before a list replaces the first n-gram.
        let cuts = (0..=parts).map(|part| (0..self.ends.len()).map(|place| cut(place, first_of(part))).collect());
        let cuts: Vec<Vec<usize>> = cuts.collect();
        let part = |number: usize| DocumentPart {
            number,
            buckets: first_of(number)..first_of(number + 1),
            shift,
            cursors: cuts[number].clone(),
            ends: cuts[number + 1].clone(),
        };
        (0..parts).map(part).collect()
    }

    /// Processes the buckets of a part, one after the other.
    fn each_bucket(&self, part: DocumentPart, mut work: impl FnMut(&mut Bucket, &[usize])) {
        let DocumentPart { buckets, shift, mut cursors, ends, .. } = part;
        let mut bucket = Bucket { tally: vec![0; 1 << TALLY], ..Bucket::default() };
        for number in buckets {
            bucket.grams.clear();
            bucket.takes.clear();
            bucket.tally.fill(0);
            bucket.shift = shift.saturating_sub(TALLY);
            for (place, (cursor, end)) in (0..).zip(cursors.iter().zip(&ends)) {
                let before = bucket.grams.len();
                let own = self.cells[*cursor..*end].iter().map(|cell| cell.load(Ordering::Relaxed));
                bucket.grams.extend(own.take_while(|gram| gram >> shift == number));
                if bucket.grams.len() > before {
                    bucket.takes.push((place, (bucket.grams.len() - before) as u32));
                }
            }
            for gram in &bucket.grams {
                let count = &mut bucket.tally[slot(*gram, bucket.shift)];
                *count = count.saturating_add(1);
            }
            work(&mut bucket, &cursors);
            for (place, count) in &bucket.takes {
                cursors[*place as usize] += *count as usize;
            }
        }
    }

    /// N-grams that occur in more than `limit` of the documents; may include a few others.
    pub(super) fn frequent(&self, limit: f64, workers: &Workers) -> Vec<u64> {
        let found = self.parts(workers.threads()).into_par_iter().flat_map_iter(|part| {
            let mut found = Vec::new();
            self.each_bucket(part, |bucket, _| {
                let often = |count: u16| f64::from(count) > limit || count == u16::MAX;
                if bucket.tally.iter().any(|count| often(*count)) {
                    let likely = bucket.grams.iter().filter(|gram| often(bucket.count(**gram)));
                    found.extend(likely);
                    found.sort_unstable();
                    found.dedup();
                }
            });
            found
        });
        workers.install(|| found.collect())
    }

    /// Replaces n-grams with lists.
    fn share(&self, threads: usize) -> Vec<Vec<u32>> {
        let shared = self.parts(threads).into_par_iter().map(|part| {
            let (number, mut lists) = (part.number, Vec::new());
            self.each_bucket(part, |bucket, cursors| self.share_bucket(bucket, cursors, number, &mut lists));
            lists.shrink_to_fit();
            lists
        });
        shared.collect()
    }

    fn share_bucket(&self, bucket: &mut Bucket, cursors: &[usize], part: usize, lists: &mut Vec<u32>) {
        let crossed = self.groups.is_some();
        bucket.number(|place| self.group(place as usize));
        bucket.starts.clear();
        for counts in &mut bucket.counts {
            let listed = if crossed { counts[0].min(counts[1]) > 0 } else { counts[0] > 1 };
            let start = if listed { lists.len() as u32 } else { u32::MAX };
            bucket.starts.push([start, start.wrapping_add(counts[0])]);
            if listed {
                lists.resize(lists.len() + (counts[0] + counts[1]) as usize, 0);
            }
            *counts = [0, 0];
        }
        let mut numbers = bucket.numbers.iter();
        for (place, count) in &bucket.takes {
            let group = self.group(*place as usize);
            let other = if crossed { 1 - group } else { group };
            let cells = &self.cells[cursors[*place as usize]..][..*count as usize];
            for (cell, number) in cells.iter().zip(numbers.by_ref()) {
                if *number == ALONE {
                    cell.store(0, Ordering::Relaxed);
                    continue;
                }
                let (starts, known) = (&bucket.starts[*number as usize], &mut bucket.counts[*number as usize]);
                let earlier = match known[other] {
                    _ if starts[0] == u32::MAX => Earlier(0),
                    0 => Earlier(0),
                    1 => Earlier::new(1, SINGLE as usize, lists[starts[other] as usize]),
                    length => Earlier::new(length, part, starts[other]),
                };
                cell.store(earlier.0, Ordering::Relaxed);
                if starts[0] != u32::MAX {
                    lists[(starts[group] + known[group]) as usize] = *place;
                    known[group] += 1;
                }
            }
        }
    }

    /// All pairs that share enough n-grams.
    pub(super) fn pairs(self, options: &PairOptions, workers: &Workers) -> Result<Vec<DocumentPair>> {
        let stop = workers.stop();
        let found = workers.install(|| {
            let lists = self.share(workers.threads());
            let rows = (0..self.documents.len()).into_par_iter();
            let found = rows.map_init(
                || Row { counts: vec![0; self.documents.len()], lists: Vec::new() },
                |row, place| if stop.is_requested() { Vec::new() } else { self.row(place, row, &lists, options) },
            );
            found.flatten_iter().collect()
        });
        stop.check().map(|()| found)
    }

    /// Finds the larger documents that form pairs with a document.
    fn row(&self, place: usize, row: &mut Row, lists: &[Vec<u32>], options: &PairOptions) -> Vec<DocumentPair> {
        let size = self.range(place).len();
        row.lists.clear();
        for cell in &self.cells[self.range(place)] {
            let earlier = Earlier(cell.load(Ordering::Relaxed));
            match earlier.single() {
                Some(other) => row.counts[other] += 1,
                None if earlier.0 == 0 => {}
                None => row.lists.push(earlier.0),
            }
        }
        // Earlier documents are at least as large, so no pair needs fewer.
        let needed = options.needed(size, size);
        #[allow(clippy::cast_sign_loss)] // the number of n-grams is never negative
        let skipped = (SKIPPED * needed) as usize;
        let kept = row.lists.len().saturating_sub(skipped);
        if kept < row.lists.len() {
            row.lists.select_nth_unstable(kept);
        }
        let (kept, rest) = row.lists.split_at(kept);
        for other in kept.iter().flat_map(|earlier| Earlier(*earlier).of(lists)) {
            row.counts[*other as usize] += 1;
        }
        // A pair that shares only the skipped n-grams does not share enough.
        #[allow(clippy::cast_sign_loss)]
        let lowest = ((needed - ROUNDING).ceil() as u32).saturating_sub(rest.len() as u32).max(1);
        let mut found = Vec::new();
        for (other, count) in row.counts[..place].iter().enumerate().filter(|(_, count)| **count >= lowest) {
            let larger = self.range(other).len();
            if ((*count as usize + rest.len()) as f64) < options.needed(size, larger) - ROUNDING {
                continue;
            }
            let has = |earlier: &&u64| Earlier(**earlier).of(lists).binary_search(&(other as u32)).is_ok();
            let shared = *count as usize + rest.iter().filter(has).count();
            let (one, two) = ((self.documents[place], size), (self.documents[other], larger));
            let (a, b) = if one.0 < two.0 { (one, two) } else { (two, one) };
            let scores = Scores::of(a.1, b.1, shared);
            if options.wants(&scores) {
                found.push(DocumentPair { a: a.0, b: b.0, scores });
            }
        }
        row.counts[..place].fill(0);
        found
    }
}

/// What a thread needs to find the pairs of a document.
struct Row {
    /// How many n-grams each earlier document shares.
    counts: Vec<u32>,
    /// Lists of more than one document.
    lists: Vec<u64>,
}

/// The counter for n-grams that have the same bits after those of the bucket.
#[inline]
fn slot(gram: u64, shift: u32) -> usize {
    (gram >> shift) as usize & ((1 << TALLY) - 1)
}

impl Bucket {
    /// The maximum number of documents with an n-gram.
    #[inline]
    fn count(&self, gram: u64) -> u16 {
        self.tally[slot(gram, self.shift)]
    }

    /// Numbers and counts the distinct n-grams that occur in several documents.
    fn number(&mut self, group: impl Fn(u32) -> usize) {
        let slots = (2 * self.grams.len()).next_power_of_two();
        self.slots.clear();
        self.slots.resize(slots, 0);
        self.numbers.clear();
        self.different.clear();
        self.counts.clear();
        let mut grams = self.grams.iter();
        for (place, count) in &self.takes {
            let group = group(*place);
            for gram in grams.by_ref().take(*count as usize) {
                if self.tally[slot(*gram, self.shift)] < 2 {
                    self.numbers.push(ALONE);
                    continue;
                }
                let mut slot = *gram as usize & (slots - 1);
                let number = loop {
                    match self.slots[slot] {
                        0 => {
                            self.different.push(*gram);
                            self.counts.push([0, 0]);
                            self.slots[slot] = self.different.len() as u32;
                            break self.different.len() as u32 - 1;
                        }
                        known if self.different[known as usize - 1] == *gram => break known - 1,
                        _ => slot = (slot + 1) & (slots - 1),
                    }
                };
                self.counts[number as usize][group] += 1;
                self.numbers.push(number);
            }
        }
    }
}
