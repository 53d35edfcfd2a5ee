//! Evidence learned from a collection that may be larger than memory, and its storage.
//!
//! Documents are read twice, in the same order: first to be [learned](Learning::add), then to be judged with the
//! [result](super::Learned). Evidence is on disk. Memory holds two bits for each n-gram that occurs at least twice, one
//! bit for every eight words, and one bit for each document.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tempfile::TempDir;

#[cfg(feature = "papers")]
use super::answers::Found;
use super::exact::first_of_digests;
use super::group::{
    ANCHOR, DIGEST, Most, NGRAM, PLACE, WHOLE, bytes_of_work, count, first_places, group, ngram, place, times_before,
};
use super::learned::Learned;
use super::past::{Filter, Filters, Past};
use super::signature::Signature;
use super::store::{Store, StoreSize, StoreWriter, hash_of_id};
use crate::disk::atomic::AtomicFile;
use crate::disk::partitions::{Answers, Partition, Partitions, partition};
use crate::error::{Error, Hint, IoContext, Result};
#[cfg(feature = "papers")]
use crate::papers::spex::by_spex;
#[cfg(feature = "papers")]
use crate::papers::suffix_array::by_suffix_arrays;
use crate::run::Workers;
use crate::text::mix;

/// Increased with each change to the evidence files or to the definition of a word.
pub(super) const FORMAT: u32 = 2;

/// What is a duplicate, and how it is found.
#[derive(Debug, Clone)]
#[allow(clippy::struct_excessive_bools)] // options
pub struct DedupOptions {
    /// What is looked for.
    pub task: Task,
    /// How duplicate n-grams are found.
    pub engine: Engine,
    /// Number of words in an n-gram.
    pub ngram: usize,
    /// A block is a duplicate if a larger share of its words is in n-grams that were kept before.
    pub threshold: f64,
    /// Blocks with fewer words follow the blocks around them.
    pub stub: usize,
    /// Also find copies in which words were changed.
    pub edited: bool,
    /// Also remove blocks that have the wording of many documents, but say something else.
    pub template_text: bool,
    /// Align whole documents word by word, for [`DocumentRule::Contained`](super::DocumentRule).
    pub aligns: bool,
    /// Judge each document by earlier ones alone: what is common and what is widespread is counted up to the document, not in
    /// the whole collection. Documents that are added later then change nothing.
    pub causal: bool,
    /// List removed text that may not occur in the output.
    pub list_lost: bool,
    /// Remember the addresses of documents, for lists of them.
    pub addresses: bool,
    /// Note which documents marks were copied from, for explanations.
    pub sources: bool,
    /// The memory limit in bytes.
    pub memory: u64,
    /// The folder for temporary files.
    pub temporary: PathBuf,
    /// Number ids that occur more than once.
    pub make_ids: bool,
    /// The expected size of the text in bytes, which sets the number of partitions.
    pub expected: u64,
}

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Nothing; n-grams are counted.
    Count,
    /// Blocks that repeat earlier documents.
    Blocks,
    /// Documents that resemble an earlier one.
    Documents,
    /// Blocks or documents that are identical to an earlier one.
    Exact(Unit, Normalise),
}

/// What is kept or removed as a whole.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A block, such as a paragraph.
    #[default]
    Block,
    /// A document.
    Document,
}

/// What must be equal when texts are compared as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Normalise {
    /// Every byte.
    Bytes,
    /// Everything but the amount of white space.
    Space,
    /// The words: not their case, white space or punctuation.
    Words,
}

/// How duplicate n-grams are found. All engines give the same result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// By hashes that are partitioned on disk.
    #[default]
    Hash,
    /// By suffix arrays over chunks of words, and a merge of their n-grams.
    #[cfg(feature = "papers")]
    SuffixArray,
    /// By counts of shorter n-grams first: SPEX.
    #[cfg(feature = "papers")]
    Spex,
}

impl Default for DedupOptions {
    fn default() -> Self {
        DedupOptions {
            task: Task::Blocks,
            engine: Engine::Hash,
            ngram: 7,
            threshold: 0.5,
            stub: 20,
            edited: true,
            template_text: false,
            aligns: true,
            causal: false,
            list_lost: false,
            memory: DedupOptions::MEMORY,
            temporary: std::env::temp_dir(),
            addresses: false,
            sources: false,
            make_ids: false,
            expected: 0,
        }
    }
}

impl DedupOptions {
    /// The default memory limit.
    pub const MEMORY: u64 = 1 << 30;

    pub(super) fn needs_ngrams(&self) -> bool {
        matches!(self.task, Task::Count | Task::Blocks)
    }

    pub(super) fn needs_anchors(&self) -> bool {
        self.task == Task::Documents || (self.task == Task::Blocks && self.edited)
    }

    /// One n-gram in this many is an anchor.
    pub(super) fn anchor_every(&self) -> u64 {
        if self.task == Task::Documents && self.aligns { 2 } else { 4 }
    }

    pub(super) fn needs_words(&self) -> bool {
        matches!(self.task, Task::Blocks | Task::Documents) || (self.task == Task::Count && self.engine != Engine::Hash)
    }

    /// The number of high bits of a hash that select its partition: enough for partitions to fit in memory, if the text
    /// has the expected size.
    pub(super) fn bits(&self) -> u32 {
        let words = self.expected / BYTES_OF_WORD;
        let partitions = (words * bytes_of_work(NGRAM) * SHARES / self.memory.max(1)).max(1);
        partitions.next_power_of_two().ilog2().clamp(LEAST_BITS, MOST_BITS)
    }

    /// Bytes kept in memory while documents are judged: two bits for each n-gram that occurs at least twice, one for
    /// every eight words, one for each document and its language.
    pub(super) fn tables(&self, duplicate: u64, words: u64, documents: u64) -> u64 {
        let languages = if self.task == Task::Documents { 2 * documents } else { 0 };
        duplicate / 4 + words / 64 + documents / 8 + languages
    }
}

/// Memory for files, their buffers and the documents in progress.
const LEAST_MEMORY: u64 = 128 << 20;
/// A partition should use 1/16 of the memory, whatever the size of the collection.
const SHARES: u64 = 16;
/// The buffers of one kind of entries use 1/32 of the memory. They are large because each write opens a file.
const BUFFERS: u64 = 32;
const LEAST_BUFFER: u64 = 8 << 10;
const MOST_BUFFER: u64 = 128 << 10;
/// The minimum and maximum number of bits.
const LEAST_BITS: u32 = 8;
const MOST_BITS: u32 = 11;
/// The lowest bits of the hash of an anchor, which are not compared.
const ANCHOR_SHIFT: u32 = u64::BITS - (LEAST_BITS - 2) - 8 * (ANCHOR - PLACE) as u32;
/// The bits for whole documents, of which there are fewer.
pub(super) const FEW_BITS: u32 = 6;
/// A low estimate of the bytes of a word and the space after it.
const BYTES_OF_WORD: u64 = 6;

/// The memory of what is counted to find common words, and of the most frequent n-grams.
pub(super) const BYTES_OF_SMALL_TABLES: u64 = 16 << 20;

/// The bytes of a buffer of a partition that a hash selects with so many bits.
pub(super) fn buffer(memory: u64, bits: u32) -> usize {
    ((memory / BUFFERS) >> bits).clamp(LEAST_BUFFER, MOST_BUFFER) as usize
}

/// N-grams in figures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// Documents.
    pub documents: u64,
    /// Words.
    pub words: u64,
    /// N-grams.
    pub ngrams: u64,
    /// Distinct n-grams.
    pub distinct: u64,
    /// Distinct n-grams that occur at least twice.
    pub duplicate: u64,
    /// How often these occur.
    pub occurrences: u64,
}

/// Evidence being learned from documents.
pub struct Learning {
    options: DedupOptions,
    folder: Folder,
    ngrams: Hashes,
    anchors: Hashes,
    /// Whole documents, by their words.
    wholes: Hashes,
    /// Blocks or documents, by their digests.
    digests: Hashes,
    /// Hashes of ids.
    ids: Hashes,
    store: StoreWriter,
    /// What is in earlier runs, if there were such.
    past: Option<LookBack>,
    /// The folder of the words.
    home: PathBuf,
    /// The position of the next word or block.
    next: u64,
    /// The number of documents that are only compared against; they come first.
    compared: u64,
    counts: Counts,
    note: Option<Note>,
}

/// Entries of one kind, partitioned by their hashes.
struct Hashes {
    bits: u32,
    partitions: Partitions,
}

impl Hashes {
    fn new(folder: &Path, name: &str, size: usize, bits: u32, memory: u64) -> Hashes {
        let buffer = buffer(memory, bits);
        Hashes { bits, partitions: Partitions::named(folder, name, 1 << bits, size, buffer) }
    }

    #[inline]
    fn push<const N: usize>(&mut self, hash: u64, entry: &[u8; N]) -> Result<()> {
        self.partitions.push(partition(hash, self.bits), entry)
    }
}

/// What documents of earlier runs may have in common with the new ones.
struct LookBack {
    past: Past,
    filters: Filters,
    /// Hashes and places: the entries in front of those of the new documents.
    ngrams: Partitions,
    anchors: Partitions,
    wholes: Partitions,
}

impl LookBack {
    fn new(past: Past, options: &DedupOptions, folder: &Path, bits: u32) -> LookBack {
        let entries =
            |name, size, bits| Partitions::named(folder, name, 1_usize << bits, size, buffer(options.memory, bits));
        let words = options.expected / BYTES_OF_WORD;
        let filter = |every, share| Filter::new(words / every, options.memory / share);
        LookBack {
            past,
            filters: Filters {
                ngrams: filter(1, 16),
                anchors: filter(options.anchor_every(), 32),
                wholes: filter(50, 128),
            },
            ngrams: entries("past-ngrams", WHOLE, bits),
            anchors: entries("past-anchors", ANCHOR, bits - 2),
            wholes: entries("past-wholes", WHOLE, FEW_BITS),
        }
    }

    /// Notes the hashes of a new document.
    fn add(&mut self, signature: &Signature, hash: u64) {
        signature.ngrams.iter().for_each(|hash| self.filters.ngrams.add(*hash));
        signature.anchors.iter().for_each(|(_, hash)| self.filters.anchors.add(*hash));
        self.filters.wholes.add(hash);
    }
}

/// Where evidence is stored.
pub(super) enum Folder {
    /// Deleted when dropped.
    Temporary(TempDir),
    /// Kept, so that a run can be resumed.
    Kept(PathBuf),
}

impl Folder {
    pub(super) fn path(&self) -> &Path {
        match self {
            Folder::Temporary(folder) => folder.path(),
            Folder::Kept(path) => path,
        }
    }
}

/// The content of a checkpoint.
#[derive(Serialize, Deserialize, Default)]
struct Note {
    /// Whether all documents were learned.
    complete: bool,
    counts: Counts,
    next: u64,
    compared: u64,
    store: StoreSize,
    /// Entries of the partitions of n-grams, anchors, whole documents, digests and ids.
    entries: [Vec<u64>; 5],
    /// The same for n-grams, anchors and whole documents of earlier runs.
    #[serde(default)]
    past: [Vec<u64>; 3],
    /// A value from the caller of the checkpoint.
    of: Value,
}

const NOTE: &str = "learn.json";

impl Learning {
    /// Begins to learn, with temporary files that are deleted afterwards.
    pub fn new(options: DedupOptions) -> Result<Learning> {
        let folder = tempfile::Builder::new().prefix("refrain-dedup-").tempdir_in(&options.temporary);
        let folder = folder.at(&options.temporary)?;
        Learning::open(options, Folder::Temporary(folder), None, None)
    }

    /// Begins to learn, or resumes at the last [checkpoint](Learning::checkpoint), with files in a permanent folder.
    pub fn resume(options: DedupOptions, folder: &Path) -> Result<Learning> {
        std::fs::create_dir_all(folder).at(folder)?;
        let note = read_note(&folder.join(NOTE))?;
        Learning::open(options, Folder::Kept(folder.to_owned()), note, None)
    }

    /// The same for documents that follow those of earlier runs. Their words go to the folder of these.
    pub(crate) fn resume_behind(options: DedupOptions, folder: &Path, past: &Past) -> Result<Learning> {
        std::fs::create_dir_all(folder).at(folder)?;
        let note = read_note(&folder.join(NOTE))?;
        Learning::open(options, Folder::Kept(folder.to_owned()), note, Some(past.clone()))
    }

    fn open(options: DedupOptions, folder: Folder, note: Option<Note>, past: Option<Past>) -> Result<Learning> {
        if options.memory < LEAST_MEMORY {
            let needed = format!("{}M", LEAST_MEMORY >> 20);
            let advice = format!("use at least `memory={needed}`");
            let error = Error::Refused("not enough memory".into());
            return Err(error.hint(Hint::value("memory", needed, advice)));
        }
        // A different memory limit does not change the files.
        let bits = note.as_ref().map_or(options.bits(), |note| note.entries[0].len().trailing_zeros());
        let path = folder.path();
        let home = past.as_ref().map_or(path, |past| &past.folder).to_owned();
        let known = past.as_ref().map(|past| past.size.store).unwrap_or_default();
        let past = past.filter(|past| !past.is_empty()).map(|past| LookBack::new(past, &options, path, bits));
        let mut learning = Learning {
            ngrams: Hashes::new(path, "ngrams", NGRAM, bits, options.memory),
            // One word in four has an anchor.
            anchors: Hashes::new(path, "anchors", ANCHOR, bits - 2, options.memory),
            wholes: Hashes::new(path, "wholes", WHOLE, FEW_BITS, options.memory),
            digests: Hashes::new(path, "digests", DIGEST + PLACE, bits, options.memory),
            ids: Hashes::new(path, "names", NGRAM, FEW_BITS, options.memory),
            store: StoreWriter::open(&home, note.as_ref().map_or(known, |note| note.store))?,
            past,
            home,
            next: known.words,
            compared: 0,
            counts: Counts { documents: known.documents, ..Counts::default() },
            options,
            folder,
            note: None,
        };
        if let Some(note) = note {
            let [ngrams, anchors, wholes, digests, ids] = &note.entries;
            learning.ngrams.partitions.resume(ngrams)?;
            learning.anchors.partitions.resume(anchors)?;
            learning.wholes.partitions.resume(wholes)?;
            learning.digests.partitions.resume(digests)?;
            learning.ids.partitions.resume(ids)?;
            if let Some(past) = &mut learning.past {
                past.ngrams.resume_past(&note.past[0])?;
                past.anchors.resume_past(&note.past[1])?;
                past.wholes.resume_past(&note.past[2])?;
            }
            (learning.counts, learning.next, learning.compared) = (note.counts, note.next, note.compared);
            learning.note = Some(note);
        }
        Ok(learning)
    }

    /// The value given to the last checkpoint, and whether learning was complete.
    pub fn last_checkpoint(&self) -> Option<(&Value, bool)> {
        self.note.as_ref().map(|note| (&note.of, note.complete))
    }

    /// Adds the next document.
    pub fn add(&mut self, id: &str, signature: &Signature) -> Result<()> {
        // Ids of a collection that grows are never numbered.
        if !self.options.causal {
            let name = hash_of_id(id.as_bytes());
            self.ids.push(name, &ngram(name))?;
        }
        self.add_signature(id, signature)
    }

    /// Adds the next document, which is only compared against: `Learned::keep` will keep it, and its id may occur
    /// again. Such documents come before all others.
    pub fn add_kept(&mut self, id: &str, signature: &Signature) -> Result<()> {
        self.compared += 1;
        self.add_signature(id, signature)
    }

    fn add_signature(&mut self, id: &str, signature: &Signature) -> Result<()> {
        for hash in &signature.ngrams {
            self.ngrams.push(*hash, &ngram(*hash))?;
        }
        for (at, hash) in &signature.anchors {
            self.anchors.push(*hash, &anchor(*hash, self.next + u64::from(*at)))?;
        }
        if let Some(url) = signature.address.as_ref().filter(|_| self.options.task != Task::Count) {
            self.store.address_next(url)?;
        }
        if self.options.needs_words() {
            let whole = whole(signature);
            let entry: [u8; WHOLE] = joined(&whole.to_le_bytes(), self.counts.documents);
            self.wholes.push(whole, &entry)?;
            if let Some(past) = &mut self.past {
                past.add(signature, whole);
            }
            self.next += signature.words.len() as u64 + 1;
            self.store.add(id, signature.words.iter().copied(), self.next)?;
        } else if self.options.task != Task::Count {
            for (digest, at) in signature.digests.iter().zip(self.next..) {
                let entry: [u8; DIGEST + PLACE] = joined(&digest.to_le_bytes(), at);
                self.digests.push((digest >> 64) as u64, &entry)?;
            }
            self.next += signature.digests.len() as u64 + 1;
            self.store.add_without_words(id, self.next)?;
        }
        self.counts.documents += 1;
        self.counts.words += signature.length as u64;
        self.counts.ngrams += signature.ngrams.len() as u64;
        Ok(())
    }

    /// Finds what the documents of earlier runs have in common with those that were added. There must be no more.
    pub(crate) fn look_back(&mut self, workers: &Workers) -> Result<()> {
        let Some(LookBack { past, filters, ngrams, anchors, wholes }) = &mut self.past else { return Ok(()) };
        let bits = [self.ngrams.bits, self.anchors.bits, self.wholes.bits];
        past.each_hits(workers, &self.options, filters, |hits| {
            for (hash, place) in hits.ngrams {
                ngrams.push(partition(hash, bits[0]), &joined::<WHOLE>(&hash.to_le_bytes(), place))?;
            }
            for (hash, place) in hits.anchors {
                anchors.push(partition(hash, bits[1]), &anchor(hash, place))?;
            }
            for (hash, number) in hits.wholes {
                wholes.push(partition(hash, bits[2]), &joined::<WHOLE>(&hash.to_le_bytes(), number))?;
            }
            Ok(())
        })
    }

    /// Lets a killed run resume here. [`Learning::last_checkpoint`] then returns `of`; `complete` says that there are
    /// no more documents.
    pub fn checkpoint(&mut self, of: Value, complete: bool) -> Result<()> {
        let note = Note {
            complete,
            counts: self.counts,
            next: self.next,
            compared: self.compared,
            store: self.store.flush()?,
            entries: [
                self.ngrams.partitions.flush()?,
                self.anchors.partitions.flush()?,
                self.wholes.partitions.flush()?,
                self.digests.partitions.flush()?,
                self.ids.partitions.flush()?,
            ],
            past: match &mut self.past {
                Some(past) => [past.ngrams.flush()?, past.anchors.flush()?, past.wholes.flush()?],
                None => <[Vec<u64>; 3]>::default(),
            },
            of,
        };
        write_note(&self.folder.path().join(NOTE), &note)?;
        self.note = Some(note);
        Ok(())
    }

    /// Counts the n-grams and discards the evidence.
    pub fn count(mut self, workers: &Workers) -> Result<Counts> {
        self.store.flush()?;
        let found: Vec<_> = match self.options.engine {
            Engine::Hash => {
                let mut ngrams = self.ngrams.partitions.finish_for_answers()?;
                let work = Work::begin(&self.options, workers, false, &[&ngrams]);
                let counted = work.each(&mut ngrams, count)?;
                counted.into_iter().map(|grouped| (grouped.repeated, grouped.occurrences)).collect()
            }
            #[cfg(feature = "papers")]
            other => {
                let found = find_by(other, &Store::open(self.folder.path())?, &self.options, self.folder.path())?;
                vec![(found.repeated, found.occurrences)]
            }
        };
        Ok(self.counts.with(found))
    }

    /// Finds the n-grams that occur at least twice, and the first positions of everything else.
    pub fn conclude(mut self, workers: &Workers) -> Result<Learned> {
        self.store.flush()?;
        let saved = self.note.as_ref().is_some_and(|note| note.complete);
        let mut ngrams = self.ngrams.partitions.finish_for_answers()?;
        let mut anchors = self.anchors.partitions.finish_for_answers()?;
        let mut wholes = self.wholes.partitions.finish_for_answers()?;
        let mut digests = self.digests.partitions.finish_for_answers()?;
        let mut ids = self.ids.partitions.finish_for_answers()?;
        let known = self.past.map(|LookBack { past, ngrams: one, anchors: two, wholes: three, .. }| {
            (ngrams, anchors, wholes) =
                (behind(&mut ngrams, one), behind(&mut anchors, two), behind(&mut wholes, three));
            past
        });
        let all: [&[Partition]; 5] = [&ngrams, &anchors, &wholes, &digests, &ids];
        let work = Work::begin(&self.options, workers, saved, &all);
        work.check(all.into_iter().map(needs).max().unwrap_or_default())?;
        let mut store = Store::open(&self.home)?;
        if self.options.needs_words() && self.options.task != Task::Count {
            let common = known.as_ref().map(|past| &past.size.common[..]).unwrap_or_default();
            store.count_common(self.options.causal, common)?;
        }
        let found = match self.options.engine {
            #[cfg(feature = "papers")]
            Engine::SuffixArray | Engine::Spex if self.options.needs_ngrams() => {
                let found = find_by(self.options.engine, &store, &self.options, self.folder.path())?;
                self.counts = self.counts.with([(found.repeated, found.occurrences)]);
                NgramAnswers::Placed(found)
            }
            _ => {
                let most = Mutex::new(Most::default());
                let group = if self.options.causal { group::<true> } else { group::<false> };
                let grouped = work.each_with(&mut ngrams, group, |number, grouped| {
                    let mut most = most.lock().unwrap_or_else(PoisonError::into_inner);
                    most.add(std::mem::take(&mut grouped.most), |ngram| (number, ngram));
                })?;
                self.counts = self.counts.with(grouped.iter().map(|grouped| (grouped.repeated, grouped.occurrences)));
                let repeated = grouped.into_iter().map(|grouped| grouped.repeated).collect();
                NgramAnswers::Hashed(ngrams, repeated, most.into_inner().unwrap_or_else(PoisonError::into_inner))
            }
        };
        work.check(self.options.tables(self.counts.duplicate, self.next, self.counts.documents))?;
        let places = if self.options.causal { first_places::<ANCHOR, true> } else { first_places::<ANCHOR, false> };
        work.each(&mut anchors, places)?;
        work.each(&mut wholes, first_places::<WHOLE, false>)?;
        work.each(&mut digests, first_of_digests)?;
        if !self.options.causal {
            work.each(&mut ids, times_before)?;
            store.count_ids(Answers::new(ids), self.compared as usize, self.options.make_ids)?;
        }
        let partitions = (anchors, wholes, digests);
        let mut learned = Learned::open(self.options, self.folder, self.counts, self.next, store, found, partitions)?;
        if let Some(past) = known.filter(|_| learned.last_checkpoint().is_none()) {
            learned.begin_behind(&past)?;
        }
        Ok(learned)
    }
}

impl Counts {
    /// Adds the n-grams that occur at least twice: how many there are, and how often they occur.
    fn with(self, found: impl IntoIterator<Item = (u64, u64)>) -> Counts {
        let add = |(all, times): (u64, u64), (repeated, occurrences)| (all + repeated, times + occurrences);
        let (duplicate, occurrences) = found.into_iter().fold((0, 0), add);
        Counts { distinct: self.ngrams - occurrences + duplicate, duplicate, occurrences, ..self }
    }
}

/// Answers for n-grams.
pub(super) enum NgramAnswers {
    /// In the order of their partitions: how many n-grams of each occur at least twice, and the most frequent ones of
    /// all, by partition and number.
    Hashed(Vec<Partition>, Vec<u64>, Most<(usize, u32)>),
    /// In the order of the documents.
    #[cfg(feature = "papers")]
    Placed(Found),
}

/// Finds repeated n-grams with an engine that works on words rather than hashes.
#[cfg(feature = "papers")]
fn find_by(engine: Engine, store: &Store, options: &DedupOptions, folder: &Path) -> Result<Found> {
    let find = if engine == Engine::Spex { by_spex } else { by_suffix_arrays };
    find(store, options.ngram, options.memory, folder)
}

/// Puts entries of earlier runs in front of the new ones.
fn behind(partitions: &mut Vec<Partition>, past: Partitions) -> Vec<Partition> {
    std::mem::take(partitions).into_iter().zip(past.finish()).map(|(new, past)| new.behind(past)).collect()
}

/// The bytes of the entries of a partition.
fn bytes(partition: &Partition) -> u64 {
    partition.len() * partition.size() as u64
}

/// The memory needed for the largest of some partitions.
fn needs(partitions: &[Partition]) -> u64 {
    let needs = |partition: &Partition| {
        let entries = partition.len() + partition.past().map_or(0, Partition::len);
        entries * bytes_of_work(partition.past().unwrap_or(partition).size())
    };
    partitions.iter().map(needs).max().unwrap_or_default()
}

/// Work on partitions.
struct Work<'a> {
    memory: u64,
    workers: &'a Workers,
    /// Whether progress is recorded, so that a killed run can resume.
    saved: bool,
}

impl<'a> Work<'a> {
    fn begin(options: &DedupOptions, workers: &'a Workers, saved: bool, partitions: &[&[Partition]]) -> Work<'a> {
        workers.begin("find", partitions.iter().copied().flatten().map(bytes).sum());
        Work { memory: options.memory, workers, saved }
    }

    /// Returns an error if a partition needs more memory than there is.
    fn check(&self, needed: u64) -> Result<()> {
        if needed <= self.memory / 2 {
            return Ok(());
        }
        let needed = format!("{}M", (2 * needed).div_ceil(1 << 20));
        let advice = format!("use at least `memory={needed}`");
        let error = Error::Refused("not enough memory for this collection".into());
        Err(error.hint(Hint::value("memory", needed, advice)))
    }

    /// Processes partitions, as many at a time as fit in memory.
    fn each<T: Send + Serialize + DeserializeOwned>(
        &self,
        partitions: &mut [Partition],
        work: fn(&mut Partition) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.each_with(partitions, work, |_, _| {})
    }

    /// The same; `done` gets the number and the result of each partition as soon as it is ready.
    fn each_with<T: Send + Serialize + DeserializeOwned>(
        &self,
        partitions: &mut [Partition],
        work: fn(&mut Partition) -> Result<T>,
        done: impl Fn(usize, &mut T) + Sync,
    ) -> Result<Vec<T>> {
        let largest = needs(partitions).max(1);
        self.check(largest)?;
        let work = |(number, partition): (usize, &mut Partition)| {
            self.workers.stop().check()?;
            let bytes = bytes(partition);
            let mut result = self.once(partition, work)?;
            done(number, &mut result);
            self.workers.advance(bytes, 0, 0);
            Ok(result)
        };
        // As many at a time as there are threads, or fewer if partitions are large.
        let at_a_time = usize::try_from(self.memory / 2 / largest).unwrap_or(usize::MAX).max(1);
        if at_a_time >= self.workers.threads() {
            return self.workers.install(|| partitions.par_iter_mut().with_max_len(1).enumerate().map(work).collect());
        }
        let mut all = Vec::with_capacity(partitions.len());
        for (first, some) in (0..).step_by(at_a_time).zip(partitions.chunks_mut(at_a_time)) {
            let numbered = some.par_iter_mut().enumerate().map(|(at, partition)| (first + at, partition));
            all.extend(self.workers.install(|| numbered.map(work).collect::<Result<Vec<T>>>())?);
        }
        Ok(all)
    }

    /// Processes a partition, unless that was done before.
    fn once<T: Serialize + DeserializeOwned>(
        &self,
        partition: &mut Partition,
        work: fn(&mut Partition) -> Result<T>,
    ) -> Result<T> {
        let path = partition.answers_path().with_extension("done");
        let known = if self.saved { read_note(&path)? } else { None };
        let done = match known {
            Some(done) => done,
            None => {
                let done = work(partition)?;
                if self.saved {
                    write_note(&path, &done)?;
                }
                done
            }
        };
        partition.delete_entries()?;
        Ok(done)
    }
}

/// An anchor and its position. The partition gives the highest bits of its hash; with those that follow them, it does not matter how
/// many partitions there are.
#[inline]
fn anchor(hash: u64, at: u64) -> [u8; ANCHOR] {
    joined(&(hash >> ANCHOR_SHIFT).to_le_bytes(), at)
}

/// The beginning of a hash, followed by a position.
#[inline]
fn joined<const N: usize>(hash: &[u8], at: u64) -> [u8; N] {
    let mut entry = [0; N];
    entry[..N - PLACE].copy_from_slice(&hash[..N - PLACE]);
    entry[N - PLACE..].copy_from_slice(&place(at));
    entry
}

/// A hash of all words of a document.
pub(super) fn whole(signature: &Signature) -> u64 {
    mix(signature.words.iter().fold(0, |hash, word| mix(hash ^ word.hash)))
}

/// Reads what [`write_note`] wrote, if it exists.
pub(super) fn read_note<T: DeserializeOwned>(path: &Path) -> Result<Option<T>> {
    match std::fs::read(path) {
        Ok(bytes) => {
            let note = serde_json::from_slice(&bytes);
            Ok(Some(note.map_err(|error| Error::Damaged { path: path.to_owned(), message: error.to_string() })?))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io(path, error)),
    }
}

/// Writes a note atomically. It need not survive a crash of the machine.
pub(super) fn write_note<T: Serialize>(path: &Path, note: &T) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(&serde_json::to_vec(note).map_err(std::io::Error::from)?).at(path)?;
    file.commit_unsynced()
}
