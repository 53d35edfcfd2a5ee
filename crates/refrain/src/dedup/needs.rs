//! What a collection will take, by the rules that [`Learning`](super::Learning) and [`Learned`](super::Learned) follow.

#![allow(clippy::cast_sign_loss)] // sizes and counts are not negative

use super::evidence::{BYTES_OF_SMALL_TABLES, DedupOptions, FEW_BITS, Task, buffer};
use super::group::{ANCHOR, DIGEST, NGRAM, NUMBER, PLACE, WHOLE, bytes_of_work};
use super::signature::ANCHOR as WORDS_OF_ANCHOR;
use super::store::{DOCUMENT, WORD};
use super::tables::BYTES_OF_PLACES;
use crate::disk::partitions::READ_ANSWERS;

/// A collection in figures.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Volume {
    pub(crate) documents: u64,
    pub(crate) words: u64,
    pub(crate) ngrams: u64,
    /// Distinct n-grams that occur at least twice.
    pub(crate) duplicate: u64,
    /// How often the most frequent n-gram occurs.
    pub(crate) most: u64,
    /// Blocks or documents that are compared as a whole.
    pub(crate) digests: u64,
    /// Bytes of ids and addresses.
    pub(crate) ids: u64,
    /// Bytes of text.
    pub(crate) text: u64,
}

/// How a collection is processed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Process {
    pub(crate) threads: usize,
    /// There are checkpoints, which write everything to files.
    pub(crate) is_saved: bool,
    /// The bytes that the system hands out when the first of them is used.
    pub(crate) page: u64,
}

impl std::ops::AddAssign for Volume {
    fn add_assign(&mut self, other: Volume) {
        self.documents += other.documents;
        self.words += other.words;
        self.ngrams += other.ngrams;
        self.duplicate += other.duplicate;
        self.most = self.most.max(other.most);
        self.digests += other.digests;
        self.ids += other.ids;
        self.text += other.text;
    }
}

/// What learning from a collection and judging it takes, in bytes. Documents in process are extra.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Needs {
    /// Temporary files, at their peak.
    pub(crate) disk: u64,
    /// Memory while documents are learned, while the evidence is processed, and while they are judged.
    pub(crate) memory: [u64; 3],
    /// The least that `memory` has to be: half of it holds what is processed at a time.
    pub(crate) least: u64,
}

/// Entries of one kind.
struct Kind {
    entries: u64,
    /// How many of them have the same hash, at most.
    equal: u64,
    size: u64,
    answer: u64,
    bits: u32,
}

impl Kind {
    /// Bytes of the largest partition.
    fn largest(&self) -> u64 {
        ((self.entries.saturating_sub(self.equal) >> self.bits) + self.equal) * self.size
    }

    fn bytes(&self) -> u64 {
        self.entries * self.size
    }

    /// The bytes that a partition keeps in memory.
    fn room(&self, options: &DedupOptions) -> u64 {
        buffer(options.memory, self.bits) as u64 / self.size * self.size
    }

    /// The memory of the buffers. Each is used from its beginning.
    fn buffers(&self, options: &DedupOptions, page: u64) -> u64 {
        let room = self.room(options);
        (self.bytes() + if self.entries > 0 { page.min(room) << self.bits } else { 0 }).min(room << self.bits)
    }

    /// The share of the partitions that is written to files. Hashes spread entries at random, so that a partition has more or
    /// fewer than others.
    fn on_disk(&self, options: &DedupOptions, is_saved: bool) -> f64 {
        if self.entries == 0 || is_saved {
            return f64::from(u8::from(is_saved));
        }
        let (mean, room) = ((self.entries >> self.bits) as f64, (self.room(options) / self.size) as f64);
        // The normal distribution, nearly.
        1.0 / (1.0 + (1.7 * (room - mean) / mean.max(1.0).sqrt()).exp())
    }

    fn work(&self) -> u64 {
        self.largest() / self.size * bytes_of_work(self.size as usize)
    }
}

impl DedupOptions {
    /// What a collection takes.
    pub(crate) fn needs(&self, volume: &Volume, process: Process) -> Needs {
        let Process { threads, is_saved, page } = process;
        let (bits, words) = (self.bits(), volume.words);
        let if_so = |wanted: bool, entries: u64| if wanted { entries } else { 0 };
        let kind = |entries, equal, size: usize, answer: usize, bits| Kind {
            entries,
            equal,
            size: size as u64,
            answer: answer as u64,
            bits,
        };
        let is_exact = matches!(self.task, Task::Exact(..));
        let short = (WORDS_OF_ANCHOR as u64 - 1) * volume.documents;
        let anchors = if_so(self.needs_anchors(), words.saturating_sub(short) / self.anchor_every());
        // An n-gram that is frequent may hold a frequent anchor.
        let kinds = [
            kind(if_so(self.needs_ngrams(), volume.ngrams), volume.most, NGRAM, NUMBER, bits),
            kind(anchors, volume.most.min(anchors), ANCHOR, PLACE, bits - 2),
            kind(if_so(self.needs_words(), volume.documents), 0, WHOLE, PLACE, FEW_BITS),
            kind(if_so(is_exact, volume.digests), 0, DIGEST + PLACE, PLACE, bits),
            kind(volume.documents, 0, NGRAM, NUMBER, FEW_BITS),
        ];
        let kinds = kinds.each_ref();
        let sum = |of: &dyn Fn(&Kind) -> u64| kinds.iter().map(|kind| of(kind)).sum::<u64>();
        let largest = kinds.iter().filter(|kind| kind.entries > 0).map(|kind| kind.work()).max().unwrap_or_default();

        let counts = self.task == Task::Count;
        let stored = if_so(self.needs_words(), (words + volume.documents) * WORD as u64)
            + if_so(!counts, volume.documents * DOCUMENT as u64 + volume.ids);
        let part = |share: f64, bytes: u64| (share * bytes as f64) as u64;
        let entries = sum(&|kind| part(kind.on_disk(self, is_saved), kind.bytes()));
        let answers = sum(&|kind| part(kind.on_disk(self, is_saved), kind.entries * kind.answer));
        let judged = if_so(self.task == Task::Blocks, volume.duplicate * PLACE as u64)
            + if_so(self.needs_words() && !counts, words / 8)
            + volume.documents * NUMBER as u64
            // A checkpoint is written before the last one is deleted.
            + if_so(is_saved, 2 * self.tables(volume.duplicate, words, volume.documents));
        let after = if counts { 0 } else { answers + judged };
        let disk = stored + entries.max(after);

        let buffers = sum(&|kind| kind.buffers(self, page));
        let at_a_time = (self.memory / 2).checked_div(largest).map_or(0, |most| most.clamp(1, threads as u64));
        let rests = sum(&|kind| part(1.0 - kind.on_disk(self, is_saved), kind.bytes()));
        let answered = sum(&|kind| {
            let on_disk = kind.on_disk(self, is_saved);
            part(on_disk, (READ_ANSWERS as u64) << kind.bits) + part(1.0 - on_disk, kind.entries * kind.answer)
        });
        let tables = self.tables(volume.duplicate, words, volume.documents)
            + if_so(self.needs_words() && !counts, BYTES_OF_SMALL_TABLES)
            + if_so(self.task == Task::Blocks, (volume.duplicate * PLACE as u64).min(BYTES_OF_PLACES));
        let judging = if counts { 0 } else { answered + tables };
        let least = 2 * largest.max(if_so(!counts, self.tables(volume.duplicate, words, volume.documents)));
        Needs { disk, memory: [buffers, rests + at_a_time * largest, judging], least }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::dedup::{Learning, Signature};
    use crate::document::Document;

    const PROCESS: Process = Process { threads: 2, is_saved: false, page: 4096 };

    #[test]
    fn evidence_takes_the_disk_that_was_foreseen() {
        for (task, thousands) in [(Task::Count, 1000), (Task::Blocks, 2000), (Task::Documents, 3000)] {
            let options = DedupOptions { task, memory: 128 << 20, ..DedupOptions::default() };
            let folder = tempfile::tempdir().expect("a folder");
            let mut learning = Learning::resume(options.clone(), folder.path()).expect("a folder");
            let mut volume = Volume::default();
            let mut number = 0_u64;
            for document in 0..thousands {
                let words = (0..1000).map(|_| {
                    number += 1;
                    format!("w{:x}", number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 44)
                });
                let document = Document::from_text(document.to_string(), words.collect::<Vec<_>>().join(" "));
                let signature = Signature::of(&document, &options);
                learning.add(&document.id, &signature).expect("room");
                volume += Volume {
                    documents: 1,
                    words: signature.words.len() as u64,
                    ngrams: signature.ngrams.len() as u64,
                    ids: document.id.len() as u64,
                    ..Volume::default()
                };
            }
            learning.checkpoint(Value::Null, false).expect("room");
            let files = std::fs::read_dir(folder.path()).expect("a folder").flatten();
            let used: u64 = files.map(|file| file.metadata().expect("a file").len()).sum();
            let share = options.needs(&volume, Process { is_saved: true, ..PROCESS }).disk as f64 / used as f64;
            assert!((0.9..1.1).contains(&share), "{task:?}: {share}");
        }
    }

    #[test]
    fn a_frequent_ngram_needs_memory_only_beyond_half_of_the_limit() {
        let options = DedupOptions { memory: 128 << 20, ..DedupOptions::default() };
        let volume = |documents| Volume {
            documents,
            words: 30 * documents,
            ngrams: 24 * documents,
            most: documents,
            ..Volume::default()
        };
        assert!(options.needs(&volume(1_000_000), PROCESS).least <= options.memory);
        assert!(options.needs(&volume(100_000_000), PROCESS).least > options.memory);
    }
}
