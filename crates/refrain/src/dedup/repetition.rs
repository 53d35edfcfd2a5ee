//! How much of a collection is repeated, before and after duplicates are removed.

use std::ops::AddAssign;
use std::path::Path;

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde::{Deserialize, Serialize};

use super::evidence::buffer;
use super::group::{NGRAM, Repeated, ngram, repeated};
use super::signature::{Signature, each_hash};
use crate::disk::partitions::{Partitions, partition};
use crate::document::Mark;
use crate::error::Result;
use crate::run::Workers;

/// Hashes of all documents, of which some are in text that was kept.
pub(crate) struct Repetition {
    partitions: Partitions,
    bits: u32,
}

/// How many hashes there are, before and after duplicates were removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RepetitionCounts {
    pub(crate) before: Repeated,
    pub(crate) after: Repeated,
}

impl AddAssign for RepetitionCounts {
    fn add_assign(&mut self, other: RepetitionCounts) {
        self.before += other.before;
        self.after += other.after;
    }
}

/// The bit of a hash that says whether it is in kept text.
const KEPT: u64 = 1;

/// The high bits of a hash that select its partition. Entries hold the others.
const BITS: u32 = 8;

impl Repetition {
    /// Nothing yet. What does not fit into the memory is written to files in a folder.
    pub(crate) fn new(folder: &Path, name: &str, memory: u64) -> Repetition {
        let partitions = Partitions::named(folder, name, 1 << BITS, NGRAM, buffer(memory, BITS));
        Repetition { partitions, bits: BITS }
    }

    /// Adds a hash.
    pub(crate) fn add(&mut self, hash: u64, is_kept: bool) -> Result<()> {
        let hash = hash & !KEPT | u64::from(is_kept);
        self.partitions.push(partition(hash, self.bits), &ngram(hash))
    }

    /// Adds hashes of which the lowest bit says whether they are in kept text.
    pub(crate) fn add_all(&mut self, hashes: &[u64]) -> Result<()> {
        hashes.iter().try_for_each(|hash| self.add(*hash, hash & KEPT > 0))
    }

    /// Writes everything to files, to [resume](Repetition::resume) here.
    pub(crate) fn flush(&mut self) -> Result<Vec<u64>> {
        self.partitions.flush()
    }

    /// Continues with the files of an earlier run.
    pub(crate) fn resume(&mut self, entries: &[u64]) -> Result<()> {
        self.partitions.resume(entries)
    }

    /// Counts, and discards the hashes.
    pub(crate) fn count(self, workers: &Workers) -> Result<RepetitionCounts> {
        let partitions = self.partitions.finish();
        let counted: Vec<RepetitionCounts> = workers.install(|| {
            let count = |partition: &_| repeated(partition, |entry| entry & KEPT > 0, KEPT);
            partitions.par_iter().map(count).collect::<Result<_>>()
        })?;
        partitions.iter().try_for_each(crate::disk::partitions::Partition::delete_entries)?;
        let mut counts = RepetitionCounts::default();
        for other in counted {
            counts += other;
        }
        Ok(counts)
    }
}

/// The hashes of the n-grams of a document for [`Repetition::add_all`]. An n-gram is kept if none of its words is in a block that one
/// of the marks covers.
pub(crate) fn ngrams_of(signature: &Signature, n: usize, marks: &[Mark]) -> Vec<u64> {
    let mut is_kept = vec![true; signature.words.len()];
    for block in 0..signature.blocks.len() {
        let span = signature.blocks[block].0;
        if marks.iter().any(|mark| mark.span.start <= span.start && span.end <= mark.span.end) {
            is_kept[signature.words_of(block)].fill(false);
        }
    }
    // How many words are kept from each word on.
    let mut run = 0;
    let mut runs: Vec<usize> = is_kept
        .iter()
        .rev()
        .map(|kept| {
            run = if *kept { run + 1 } else { 0 };
            run
        })
        .collect();
    runs.reverse();
    let mut hashes = Vec::with_capacity((signature.words.len() + 1).saturating_sub(n));
    each_hash(
        &signature.words,
        |word| word.hash,
        n,
        |hash| {
            let kept = runs[hashes.len()] >= n;
            hashes.push(hash & !KEPT | u64::from(kept));
        },
    );
    hashes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dedup::DedupOptions;
    use crate::document::{Document, Label, Reason, Span};

    #[test]
    fn repetition_is_counted_before_and_after_removal() {
        let folder = tempfile::tempdir().expect("a folder");
        let text = "one two three four five\n\nsix seven eight nine ten";
        let mut counts = Vec::new();
        for removes in [false, true] {
            let mut repetition = Repetition::new(folder.path(), "ngrams", 1 << 30);
            for number in 0..2 {
                let mut document = Document::from_text("d", text);
                let signature = Signature::of(&document, &DedupOptions::default());
                if removes && number == 1 {
                    let span = Span::new(0, 23);
                    let reason = Reason::Stated(String::new());
                    document.marks.push(Mark { span, label: Label::Duplicate, pass: "dedup".into(), reason });
                }
                repetition.add_all(&ngrams_of(&signature, 3, &document.marks)).expect("room");
                // A killed run wrote more than it resumes with.
                let entries = repetition.flush().expect("room");
                repetition.add(7, true).expect("room");
                repetition.flush().expect("room");
                repetition = Repetition::new(folder.path(), "ngrams", 1 << 30);
                repetition.resume(&entries).expect("the files");
            }
            let found = repetition.count(&crate::run::two_workers()).expect("counts");
            counts.push([found.before, found.after].map(|it| (it.all, it.distinct, it.duplicate)));
        }
        // Ten words have eight trigrams; three of them remain of the second document.
        assert_eq!(counts, [[(16, 8, 8), (16, 8, 8)], [(16, 8, 8), (11, 8, 3)]]);
    }
}
