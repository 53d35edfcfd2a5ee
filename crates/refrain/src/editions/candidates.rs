//! Which pairs of books to compare: those that share rare pairs of words at the same distances.
//!
//! Pairs of consecutive words that occur in few books are entered in an inverted index. Books that share a series of
//! them, at nearly the same distances in both, are candidates. A pair of words in many books would make every two of
//! them candidates. There, each book is compared only with its neighbours in the list, and related books are found by
//! going from neighbour to neighbour. So the work grows with the amount of shared text, not with the number of pairs of
//! books.

use std::path::PathBuf;

use rayon::slice::ParallelSliceMut;

use super::book::Anchor;
use super::hash::KEY_BITS;
use crate::disk::partitions::{Partition, Partitions};
use crate::error::Result;
use crate::run::Workers;

/// The maximum number of books with a pair of words that are all compared with each other: 30, or fewer in a large
/// collection, where significant pairs of words are rarer.
const MOST_BOOKS: std::ops::RangeInclusive<u32> = 8..=30;
/// This, divided by the number of books, gives that maximum.
const SMALL_COLLECTION: u32 = 30_000;
/// A pair of words in more books than this is ignored.
const EVERYWHERE: usize = 1000;
/// How many neighbours a book is compared with if there are more books.
const NEIGHBOURS: usize = 2;
/// The maximum distance between two hits, in letters.
const LONGEST_GAP: i64 = 5000;
/// The minimum number of consecutive hits at the same distances.
const LEAST_HITS: usize = 3;
/// The number of preceding hits that are examined.
const BEFORE: usize = 16;

/// The maximum number of pairs of words in the index. If there are more, one in two, four and so on is chosen by its
/// key. In such collections, books that share text share far more than three of them.
const MOST_POSTINGS: u64 = 800_000_000;
/// The bits of a key by which they are chosen.
const THINNED: u32 = 24;

/// Partitions of the index.
const PARTS: usize = 64;
/// The minimum number of values written at a time.
const LEAST: usize = 1 << 12;
/// Bytes of a number.
const SIZE: usize = size_of::<u128>();

/// Partitions of numbers that use half of the memory.
fn partitions(options: &CandidateOptions) -> Partitions {
    let buffer = usize::try_from(options.memory / 2).unwrap_or(usize::MAX) / PARTS;
    Partitions::unnamed(&options.temporary, PARTS, SIZE, buffer.max(LEAST * SIZE))
}

/// The numbers of a partition, in order.
fn sorted(partition: Partition, workers: &Workers) -> Result<Vec<u128>> {
    let mut numbers = Vec::with_capacity(partition.len() as usize);
    partition.each(|number| {
        numbers.extend(number.as_chunks().0.iter().map(|number| u128::from_le_bytes(*number)));
        Ok(())
    })?;
    drop(partition);
    workers.install(|| numbers.par_sort_unstable());
    Ok(numbers)
}

/// Limits of the search for candidates.
#[derive(Debug, Clone)]
pub struct CandidateOptions {
    /// The memory limit in bytes; the rest is written to temporary files.
    pub memory: u64,
    /// The folder for temporary files.
    pub temporary: PathBuf,
}

impl CandidateOptions {
    /// The default of `memory`.
    pub const MEMORY: u64 = 1 << 30;
}

impl Default for CandidateOptions {
    fn default() -> CandidateOptions {
        CandidateOptions { memory: Self::MEMORY, temporary: std::env::temp_dir() }
    }
}

/// An inverted index that proposes candidates.
pub(crate) struct Candidates {
    postings: Partitions,
    options: CandidateOptions,
    books: u32,
    /// Bits that must be zero in the key of an indexed pair.
    thinned: u64,
}

impl Candidates {
    /// An empty index, for books with this many rare pairs of words in total.
    pub(super) fn new(options: CandidateOptions, pairs: u64) -> Candidates {
        let postings = partitions(&options);
        Candidates { postings, options, books: 0, thinned: thinned(pairs) }
    }

    /// Adds a book under its number. Numbers must increase.
    pub(super) fn add(&mut self, number: u32, anchors: &[Anchor]) -> Result<()> {
        self.books = self.books.max(number + 1);
        for anchor in entered(anchors, self.thinned) {
            let part = anchor.key() as usize % PARTS;
            self.postings.push(part, &posting(anchor.key(), number, anchor.position).to_le_bytes())?;
        }
        Ok(())
    }

    /// The candidates, in order, and whether some pair of words occurs in too many books to compare all of them. If
    /// books from a number on are new, each candidate has one book before that number and one from it on.
    pub(super) fn conclude(self, new_from: Option<u32>, workers: &Workers) -> Result<(Vec<(u32, u32)>, bool)> {
        let Candidates { postings, options, books, .. } = self;
        let mut cut = false;
        let mut events = partitions(&options);
        for part in postings.finish() {
            for same in sorted(part, workers)?.chunk_by(|one, other| one >> 64 == other >> 64) {
                cut |= pairs_of(same, new_from, most_books(books), &mut |event: u128| {
                    let a = (event >> 96) as u32;
                    events.push(a as usize * PARTS / books.max(1) as usize, &event.to_le_bytes())
                })?;
            }
        }
        let mut found = Vec::new();
        for part in events.finish() {
            for same in sorted(part, workers)?.chunk_by(|one, other| one >> 64 == other >> 64) {
                if is_candidate(same) {
                    found.push(((same[0] >> 96) as u32, (same[0] >> 64) as u32));
                }
            }
        }
        found.sort_unstable();
        Ok((found, cut))
    }
}

/// Bits that must be zero in the keys of indexed pairs, given the total number of pairs.
pub(super) fn thinned(pairs: u64) -> u64 {
    (pairs.div_ceil(MOST_POSTINGS).max(1).next_power_of_two() - 1) << THINNED
}

/// The pairs of words that are indexed.
pub(super) fn entered(anchors: &[Anchor], thinned: u64) -> impl Iterator<Item = &Anchor> {
    anchors.iter().filter(move |anchor| anchor.is_pair() && anchor.key() & thinned == 0)
}

/// A pair of words, a book and a position in it.
pub(super) fn posting(key: u64, book: u32, place: u32) -> u128 {
    u128::from(key) << 64 | u128::from(book) << 32 | u128::from(place)
}

/// The maximum number of books with a pair of words that are all compared with each other.
pub(super) fn most_books(books: u32) -> usize {
    (SMALL_COLLECTION / books.max(1)).clamp(*MOST_BOOKS.start(), *MOST_BOOKS.end()) as usize
}

const _: () = assert!(KEY_BITS <= 64, "a posting has room for the key");

/// If more new and other books share a key, only one key in sixteen is used.
const MOST_ACROSS: usize = 200;
/// The maximum positions of a key in a book; only a damaged or manipulated index has more.
const MOST_PLACES: usize = 2;

/// Calls `event` with each two books that share a key: their numbers, then the positions. True if there are too many
/// books to compare all of them.
pub(super) fn pairs_of(
    postings: &[u128],
    new_from: Option<u32>,
    most: usize,
    event: &mut dyn FnMut(u128) -> Result<()>,
) -> Result<bool> {
    let book = |posting: u128| (posting >> 32) as u32;
    let distinct = postings.chunk_by(|one, other| book(*one) == book(*other)).count();
    if distinct > EVERYWHERE {
        return Ok(false);
    }
    // New books are compared with all others: going from neighbour to neighbour would visit pairs that are not wanted.
    let many = distinct > most && new_from.is_none();
    let reach = if many { NEIGHBOURS } else { usize::MAX };
    let starts: Vec<usize> = std::iter::once(0)
        .chain((1..postings.len()).filter(|n| book(postings[*n]) != book(postings[n - 1])))
        .chain([postings.len()])
        .collect();
    // If this many books share a key, they share thousands, so a sample of keys is enough.
    if new_from.is_some() && distinct > MOST_ACROSS && (postings[0] >> (64 + THINNED)) & 15 != 0 {
        return Ok(false);
    }
    let border = new_from.map(|new| starts[..distinct].partition_point(|start| book(postings[*start]) < new));
    for (n, one) in starts.windows(2).enumerate().take(border.unwrap_or(distinct)) {
        for other in starts.windows(2).skip(border.unwrap_or(n + 1)).take(reach) {
            let (a, b) = (book(postings[one[0]]), book(postings[other[0]]));
            for x in postings[one[0]..one[1]].iter().take(MOST_PLACES) {
                for y in postings[other[0]..other[1]].iter().take(MOST_PLACES) {
                    let places = u128::from(*x as u32) << 32 | u128::from(*y as u32);
                    event(u128::from(a) << 96 | u128::from(b) << 64 | places)?;
                }
            }
        }
    }
    Ok(many)
}

/// True if enough hits of two books follow each other at the same distances in both.
pub(super) fn is_candidate(hits: &[u128]) -> bool {
    if hits.len() < LEAST_HITS {
        return false;
    }
    let places = |hit: u128| (i64::from((hit >> 32) as u32), i64::from(hit as u32));
    // The longest series that ends at each of the last hits.
    let mut series = [1_usize; BEFORE];
    for (n, hit) in hits.iter().enumerate() {
        let (a, b) = places(*hit);
        let mut longest = 1;
        for before in n.saturating_sub(BEFORE - 1)..n {
            let (in_a, in_b) = (a - places(hits[before]).0, b - places(hits[before]).1);
            let gap = in_a.max(in_b);
            let drift = (in_a - in_b).abs() as f64;
            if in_a > 0 && in_b > 0 && gap <= LONGEST_GAP && drift <= 3.0 + 0.6 * (gap as f64).sqrt() {
                longest = longest.max(series[before % BEFORE] + 1);
            }
        }
        if longest >= LEAST_HITS {
            return true;
        }
        series[n % BEFORE] = longest;
    }
    false
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::book::Book;
    use super::*;

    /// All pairs of books, one after the other, by the same rule.
    fn plain(books: &[Book]) -> Vec<(u32, u32)> {
        let pairs = |book: &Book| book.anchors.iter().copied().filter(|a| a.is_pair()).collect::<Vec<_>>();
        let mut found = Vec::new();
        for (m, a) in books.iter().enumerate() {
            for (n, b) in books.iter().enumerate().skip(m + 1) {
                let mut hits = Vec::new();
                for x in pairs(a) {
                    for y in pairs(b) {
                        if x.key() == y.key() {
                            hits.push(u128::from(x.position) << 32 | u128::from(y.position));
                        }
                    }
                }
                hits.sort_unstable();
                if is_candidate(&hits) {
                    found.push((m as u32, n as u32));
                }
            }
        }
        found
    }

    /// Books with passages of one text: start, number of words, and the number of other words around them.
    fn books(passages: &[(usize, usize, usize)]) -> Vec<Book> {
        let word = |n: usize| n.to_string().bytes().map(|digit| char::from(digit - b'0' + b'k')).collect::<String>();
        let book = |(n, (from, count, around)): (usize, &(usize, usize, usize))| {
            let own = (0..*around).map(|at| word(10_000 * (n + 1) + at));
            let text: Vec<String> = own.chain((*from..from + count).map(word)).collect();
            Book::read(n.to_string(), &text.join(" "), &[])
        };
        passages.iter().enumerate().map(book).collect()
    }

    fn found(books: &[Book], memory: u64, new_from: Option<u32>) -> (Vec<(u32, u32)>, bool) {
        let options = CandidateOptions { memory, ..CandidateOptions::default() };
        let mut index = Candidates::new(options, 0);
        for (n, book) in books.iter().enumerate() {
            index.add(n as u32, &book.anchors).expect("room");
        }
        let workers = crate::run::two_workers();
        index.conclude(new_from, &workers).expect("room")
    }

    #[test]
    fn new_books_are_compared_with_all_others_however_many_there_are() {
        let books = books(&[(0, 90, 0); 45]);
        let wanted: Vec<(u32, u32)> = (0..43).flat_map(|old| [(old, 43), (old, 44)]).collect();
        assert_eq!(found(&books, 1 << 20, Some(43)), (wanted, false));
        let (neighbours, cut) = found(&books, 1 << 20, None);
        assert!(cut && neighbours.len() < 45 * 3, "{}", neighbours.len());
    }

    proptest! {
        /// With few books no list is truncated: the index finds the same as all pairs, in memory and on disk.
        #[test]
        fn nothing_is_lost(passages in prop::collection::vec((0_usize..200, 0_usize..120, 0_usize..60), 0..8), new in 0_u32..8) {
            let books = books(&passages);
            let all = plain(&books);
            prop_assert_eq!(found(&books, 512 << 20, None), (all.clone(), false));
            prop_assert_eq!(found(&books, 1024, None), (all.clone(), false));
            let across: Vec<(u32, u32)> = all.into_iter().filter(|(a, b)| *a < new && *b >= new).collect();
            prop_assert_eq!(found(&books, 512 << 20, Some(new)), (across, false));
        }
    }
}
