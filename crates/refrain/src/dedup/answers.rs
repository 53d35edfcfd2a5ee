//! Turns occurrences of repeated n-grams, in any order, into one answer for each n-gram of the collection, in order.
//!
//! A group of equal n-grams is identified by its first position: the number of its first n-gram in the order of the
//! collection. Occurrences are partitioned by the first position of their group. There, groups are numbered in order,
//! and the numbers are partitioned again by position. Each partition covers a range of positions, so that memory is
//! bounded by the range, however often an n-gram occurs.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use super::group::{Most, WIDESPREAD_NUMBER, flagged};
use crate::disk::partitions::{Partition, Partitions};
use crate::error::{Error, IoContext, Result};

/// Bytes per position while groups are numbered: the count of its group, and its number.
const SLOT: u64 = 12;

/// Bytes of an occurrence on disk: the first position in its part, and the position.
const OCCURRENCE: usize = 12;
/// Bytes of an answer on disk: the position in its part, and the number of the group.
const ANSWER: usize = 8;
/// The maximum number of bytes that a partition keeps in memory.
const BUFFER: u64 = 256 << 10;

/// Partitions in the folder, whose buffers share this much memory.
pub(crate) fn parts(folder: &Path, name: &str, count: u64, size: usize, memory: u64) -> Partitions {
    let buffer = (memory / 2 / count.max(1)).min(BUFFER);
    Partitions::named(folder, name, count as usize, size, buffer as usize)
}

/// A number that begins at a byte of an entry.
#[inline]
pub(crate) fn number<const N: usize>(entry: &[u8], at: usize) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&entry[at..at + N]);
    bytes
}

/// The number of n-grams in a document with this many words.
pub(crate) fn ngrams(words: usize, n: usize) -> usize {
    if n == 0 { 0 } else { (words + 1).saturating_sub(n) }
}

/// The result of an engine that works on words rather than hashes.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// A file with a four-byte number for each n-gram, in document order: zero if it occurs once, else the number of
    /// its group, with [`WIDESPREAD_NUMBER`].
    pub(crate) answers: PathBuf,
    /// How many groups there are.
    pub(crate) repeated: u64,
    /// How often their n-grams occur.
    pub(crate) occurrences: u64,
    /// The most frequent groups, by their numbers.
    pub(crate) most: Most<u32>,
}

/// Collects occurrences and writes answers.
pub(crate) struct Answers {
    folder: PathBuf,
    memory: u64,
    /// The number of n-grams in the collection, and in the range of one partition.
    ngrams: u64,
    range: u64,
    /// Occurrences by first position: the first position in its part, and the position.
    firsts: Partitions,
}

impl Answers {
    /// `memory` is the limit while groups are numbered; until then, an eighth of it is used.
    pub(crate) fn new(folder: &Path, ngrams: u64, memory: u64) -> Answers {
        let range = (memory / 2 / SLOT).clamp(1, 1 << 31).min(ngrams.max(1));
        let firsts = parts(folder, "firsts", ngrams.div_ceil(range), OCCURRENCE, memory / 8);
        Answers { folder: folder.to_owned(), memory, ngrams, range, firsts }
    }

    /// Adds an occurrence of an n-gram that occurs at least twice. Its first occurrence is added, too.
    #[inline]
    pub(crate) fn push(&mut self, first: u64, place: u64) -> Result<()> {
        let slot = (first % self.range) as u32;
        let mut entry = [0; OCCURRENCE];
        entry[..4].copy_from_slice(&slot.to_le_bytes());
        entry[4..].copy_from_slice(&place.to_le_bytes());
        self.firsts.push((first / self.range) as usize, &entry)
    }

    /// Numbers the groups and writes the answers.
    pub(crate) fn finish(self) -> Result<Found> {
        let Answers { folder, memory, ngrams, range, firsts } = self;
        let mut places = parts(&folder, "places", ngrams.div_ceil(range), ANSWER, memory / 8);
        let mut groups = Groups::default();
        for part in firsts.finish() {
            groups.number(&part, range, |place, group| {
                let slot = (place % range) as u32;
                let mut entry = [0; ANSWER];
                entry[..4].copy_from_slice(&slot.to_le_bytes());
                entry[4..].copy_from_slice(&group.to_le_bytes());
                places.push((place / range) as usize, &entry)
            })?;
            part.delete_entries()?;
        }
        let answers = folder.join("answers");
        write(places, ngrams, range, &answers)?;
        let Groups { repeated, occurrences, mut most } = groups;
        most.cut();
        Ok(Found { answers, repeated, occurrences, most })
    }
}

/// The state of numbering groups.
#[derive(Default)]
struct Groups {
    repeated: u64,
    occurrences: u64,
    /// The most frequent ones, and some more.
    most: Most<u32>,
}

impl Groups {
    /// Numbers the groups of a part, and calls `take` with the position and the number of each occurrence.
    fn number(&mut self, part: &Partition, range: u64, mut take: impl FnMut(u64, u32) -> Result<()>) -> Result<()> {
        let mut counts = vec![0_u64; range as usize];
        part.each(|record| {
            counts[u32::from_le_bytes(number(record, 0)) as usize] += 1;
            Ok(())
        })?;
        let mut numbers = vec![0_u32; range as usize];
        for (number, count) in numbers.iter_mut().zip(counts).filter(|(_, count)| *count > 0) {
            *number = self.next(count)?;
        }
        part.each(|record| {
            let group = numbers[u32::from_le_bytes(number(record, 0)) as usize];
            take(u64::from_le_bytes(number(record, 4)), group)
        })
    }

    /// The number of the next group, which occurs `count` times.
    fn next(&mut self, count: u64) -> Result<u32> {
        self.repeated += 1;
        self.occurrences += count;
        let Some(group) = u32::try_from(self.repeated).ok().filter(|group| *group < WIDESPREAD_NUMBER) else {
            let most = WIDESPREAD_NUMBER - 1;
            let message =
                format!("more than {most} n-grams occur at least twice; use longer n-grams or fewer documents");
            return Err(Error::Refused(message));
        };
        self.most.push(count, group);
        Ok(flagged(group, count))
    }
}

/// Writes an answer for each position.
fn write(places: Partitions, ngrams: u64, range: u64, path: &Path) -> Result<()> {
    let mut file = BufWriter::with_capacity(1 << 20, File::create(path).at(path)?);
    let mut left = ngrams;
    for part in places.finish() {
        let mut answers = vec![0_u32; left.min(range) as usize];
        part.each(|record| {
            answers[u32::from_le_bytes(number(record, 0)) as usize] = u32::from_le_bytes(number(record, 4));
            Ok(())
        })?;
        answers.iter().try_for_each(|answer| file.write_all(&answer.to_le_bytes())).at(path)?;
        part.delete_entries()?;
        left -= answers.len() as u64;
    }
    file.flush().at(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dedup::group::MOST;

    /// The answers to occurrences, and the other results.
    fn answers(occurrences: &[(u64, u64)], ngrams: u64, memory: u64) -> (Vec<u32>, Found) {
        let folder = tempfile::tempdir().expect("a folder");
        let mut answers = Answers::new(folder.path(), ngrams, memory);
        for (first, place) in occurrences {
            answers.push(*first, *place).expect("room");
        }
        let found = answers.finish().expect("answers");
        let bytes = std::fs::read(&found.answers).expect("answers");
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1);
        (bytes.chunks_exact(4).map(|bytes| u32::from_le_bytes(number(bytes, 0))).collect(), found)
    }

    #[test]
    fn groups_are_numbered_by_their_first_place() {
        let occurrences = [(7, 9), (7, 7), (2, 5), (2, 4), (0, 1), (2, 2), (0, 0)];
        for memory in [0, 24, 100, 1 << 20] {
            let (answers, found) = answers(&occurrences, 11, memory);
            assert_eq!(answers, [1, 1, 2, 0, 2, 2, 0, 3, 0, 3, 0]);
            assert_eq!((found.repeated, found.occurrences), (3, 7));
            assert_eq!(found.most.counts, [(2, 1), (3, 2), (2, 3)]);
        }
    }

    #[test]
    fn the_most_frequent_groups_are_kept() {
        let last = MOST as u64 + 9;
        // All occur twice, except the last, which occurs three times.
        let twice = (0..=last).flat_map(|first| [(first, first), (first, last + 1 + first)]);
        let occurrences: Vec<(u64, u64)> = twice.chain([(last, 2 * last + 2)]).collect();
        let (_, found) = answers(&occurrences, 2 * last + 3, 1 << 20);
        assert_eq!(found.most.counts, [(3, last as u32 + 1)]);
    }

    #[test]
    fn nothing_has_no_answers() {
        assert!(answers(&[], 0, 100).0.is_empty());
        assert_eq!(answers(&[], 3, 100).0, [0, 0, 0]);
    }
}
