//! What is learnt of a collection that may be larger than memory, and where it is kept.
//!
//! Documents come by twice, in the same order: first to be [learnt](Learning::add), then to be judged with what was
//! [learnt](Learned). Evidence is on disk; in memory stay a bit for each n-gram that occurs twice or more, a bit for every
//! eight words, and sixteen bytes a document.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use rayon::iter::{IntoParallelRefMutIterator, ParallelIterator};
use serde::Serialize;
use tempfile::TempDir;

use super::scatter::{Answers, Partition, Scatter};
use super::signature::Signature;
use crate::error::{Error, IoContext, Result};
use crate::text::mix;

/// What is a duplicate, and how it is found.
#[derive(Debug, Clone)]
pub struct DedupOptions {
    /// Words of an n-gram.
    pub ngram: usize,
    /// A block is a duplicate when a larger share of its words stands in n-grams that were kept before.
    pub threshold: f64,
    /// Blocks of fewer words follow the blocks around them.
    pub stub: usize,
    /// Find copies of which words were changed, too.
    pub edited: bool,
    /// Memory to stay within, in bytes.
    pub memory: u64,
    /// Where temporary files go.
    pub temporary: PathBuf,
}

impl Default for DedupOptions {
    fn default() -> Self {
        DedupOptions {
            ngram: 7,
            threshold: 0.5,
            stub: 20,
            edited: true,
            memory: 1 << 30,
            temporary: std::env::temp_dir(),
        }
    }
}

/// Files, their buffers and documents that are worked on need so much.
const LEAST_MEMORY: u64 = 128 << 20;
/// Highest bits of a hash that tell its partition.
const BITS: u32 = 8;
/// The same for whole documents: there are fewer.
const FEW_BITS: u32 = 4;
/// Words that share a bit.
pub(super) const CELL: u64 = 8;

/// N-grams in figures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Documents.
    pub documents: u64,
    /// Words.
    pub words: u64,
    /// N-grams.
    pub ngrams: u64,
    /// Different ones.
    pub distinct: u64,
    /// Different ones that occur twice or more.
    pub duplicate: u64,
    /// How often these occur.
    pub occurrences: u64,
}

/// What is being learnt of the documents.
pub struct Learning {
    options: DedupOptions,
    folder: TempDir,
    ngrams: Scatter<1>,
    anchors: Scatter<2>,
    /// Whole documents.
    wholes: Scatter<2>,
    words: (PathBuf, BufWriter<File>),
    ids: (PathBuf, BufWriter<File>),
    id_bytes: u64,
    documents: Vec<Place>,
    counts: Counts,
}

/// Where a document's words and its id begin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) word: u64,
    id: u64,
}

impl Learning {
    /// Begins to learn.
    pub fn new(options: DedupOptions) -> Result<Learning> {
        if options.memory < LEAST_MEMORY {
            let needed = LEAST_MEMORY >> 20;
            return Err(Error::Refused(format!(
                "that is too little memory to work with; give it --memory {needed}M or more"
            )));
        }
        let folder = tempfile::Builder::new().prefix("refrain-dedup-").tempdir_in(&options.temporary);
        let folder = folder.at(&options.temporary)?;
        let file = |name: &str| {
            let path = folder.path().join(name);
            let file = File::create(&path).at(&path)?;
            Ok::<_, Error>((path, BufWriter::with_capacity(1 << 20, file)))
        };
        Ok(Learning {
            ngrams: Scatter::new(folder.path(), "ngrams", BITS),
            anchors: Scatter::new(folder.path(), "anchors", BITS),
            wholes: Scatter::new(folder.path(), "documents", FEW_BITS),
            words: file("words")?,
            ids: file("ids")?,
            id_bytes: 0,
            documents: Vec::new(),
            counts: Counts::default(),
            options,
            folder,
        })
    }

    /// Takes in the next document.
    pub fn add(&mut self, id: &str, signature: &Signature) -> Result<()> {
        let start = self.counts.words;
        self.documents.push(Place { word: start, id: self.id_bytes });
        let (path, ids) = &mut self.ids;
        ids.write_all(id.as_bytes()).at(path)?;
        self.id_bytes += id.len() as u64;
        for hash in &signature.ngrams {
            self.ngrams.push([*hash])?;
        }
        self.wholes.push([whole(signature), self.counts.documents])?;
        if self.options.edited {
            for (at, hash) in &signature.anchors {
                self.anchors.push([*hash, start + u64::from(*at)])?;
            }
        }
        let (path, words) = &mut self.words;
        for word in &signature.words {
            words.write_all(&(word.hash as u32).to_le_bytes()).at(path)?;
        }
        self.counts.documents += 1;
        self.counts.words += signature.words.len() as u64;
        self.counts.ngrams += signature.ngrams.len() as u64;
        Ok(())
    }

    /// Finds the n-grams that occur twice or more, and the first places of anchors.
    pub fn conclude(mut self, pool: &rayon::ThreadPool) -> Result<Learned> {
        for (path, file) in [&mut self.words, &mut self.ids] {
            file.flush().at(path)?;
        }
        self.documents.push(Place { word: self.counts.words, id: self.id_bytes });
        let mut ngrams = self.ngrams.finish()?;
        let mut anchors = self.anchors.finish()?;
        let mut wholes = self.wholes.finish()?;
        let memory = self.options.memory;
        let grouped = each_partition(&mut ngrams, memory, pool, group)?;
        for partitions in [&mut anchors, &mut wholes] {
            each_partition(partitions, memory, pool, first_places)?;
        }
        for group in &grouped {
            self.counts.distinct += group.distinct;
            self.counts.duplicate += u64::from(group.repeated);
            self.counts.occurrences += group.occurrences;
        }
        let open = |(path, _): &(PathBuf, BufWriter<File>)| Ok::<_, Error>((path.clone(), File::open(path).at(path)?));
        Ok(Learned {
            ngrams: Answers::open(ngrams)?,
            anchors: Answers::open(anchors)?,
            wholes: Answers::open(wholes)?,
            kept: grouped.iter().map(|group| Bits::new(u64::from(group.repeated))).collect(),
            removed: Bits::new(self.counts.words.div_ceil(CELL)),
            words: open(&self.words)?,
            ids: open(&self.ids)?,
            documents: self.documents,
            gone: Bits::new(self.counts.documents),
            next: 0,
            counts: self.counts,
            options: self.options,
            _folder: self.folder,
        })
    }
}

/// Works on partitions, as many at a time as there is memory for.
fn each_partition<const N: usize, T: Send>(
    partitions: &mut [Partition<N>],
    memory: u64,
    pool: &rayon::ThreadPool,
    work: fn(&mut Partition<N>) -> Result<T>,
) -> Result<Vec<T>> {
    // The numbers, the same sorted with their places, and the answers.
    let bytes = |partition: &Partition<N>| partition.entries * (8 * N as u64 + 16 + 8);
    let largest = partitions.iter().map(bytes).max().unwrap_or_default().max(1);
    let share = memory / 2;
    if largest > share {
        let needed = (2 * largest).div_ceil(1 << 20);
        return Err(Error::Refused(format!("the collection needs more memory than that: --memory {needed}M will do")));
    }
    let at_a_time = usize::try_from(share / largest).unwrap_or(usize::MAX).clamp(1, pool.current_num_threads());
    let mut done = Vec::with_capacity(partitions.len());
    for some in partitions.chunks_mut(at_a_time) {
        done.extend(pool.install(|| some.par_iter_mut().map(work).collect::<Result<Vec<T>>>())?);
    }
    Ok(done)
}

/// What the n-grams of a partition come to.
struct Grouped {
    distinct: u64,
    repeated: u32,
    occurrences: u64,
}

/// Numbers the n-grams of a partition that occur twice or more, from 1 on; others are zero.
fn group(partition: &mut Partition<1>) -> Result<Grouped> {
    let mut sorted: Vec<(u64, u32)> = partition.read()?.into_iter().map(|[hash]| hash).zip(0..).collect();
    sorted.sort_unstable();
    let mut answers = vec![0_u32; sorted.len()];
    let mut grouped = Grouped { distinct: 0, repeated: 0, occurrences: 0 };
    for same in sorted.chunk_by(|one, next| one.0 == next.0) {
        grouped.distinct += 1;
        if same.len() > 1 {
            grouped.repeated += 1;
            grouped.occurrences += same.len() as u64;
            for (_, at) in same {
                answers[*at as usize] = grouped.repeated;
            }
        }
    }
    partition.answer(&answers)?;
    Ok(grouped)
}

/// Answers each hash with its first place, from 1 on; zero at that place itself.
fn first_places(partition: &mut Partition<2>) -> Result<()> {
    let entries = partition.read()?;
    let mut sorted: Vec<(u64, u32)> = entries.iter().map(|[hash, _]| *hash).zip(0..).collect();
    sorted.sort_unstable();
    let mut answers = vec![0_u64; sorted.len()];
    for same in sorted.chunk_by(|one, next| one.0 == next.0) {
        if same.len() > 1 {
            let first = entries[same[0].1 as usize][1];
            for (_, at) in &same[1..] {
                answers[*at as usize] = first + 1;
            }
        }
    }
    partition.answer(&answers)
}

/// Documents are read twice, and were not the same.
fn changed() -> Error {
    Error::Refused("the documents changed while they were read; run it again when nobody writes to them".into())
}

/// A row of bits.
pub(super) struct Bits(Vec<u64>);

impl Bits {
    pub(super) fn new(length: u64) -> Bits {
        Bits(vec![0; length.div_ceil(64) as usize])
    }

    pub(super) fn get(&self, at: u64) -> bool {
        self.0[(at / 64) as usize] >> (at % 64) & 1 == 1
    }

    pub(super) fn set(&mut self, at: u64) {
        self.0[(at / 64) as usize] |= 1 << (at % 64);
    }
}

/// What was learnt: documents are judged with it, in the same order.
pub struct Learned {
    pub(super) options: DedupOptions,
    pub(super) ngrams: Answers,
    pub(super) anchors: Answers,
    pub(super) wholes: Answers,
    /// N-grams that occur twice or more and stand in text that was kept so far, by partition.
    pub(super) kept: Vec<Bits>,
    /// Words that were removed so far, eight at a time.
    pub(super) removed: Bits,
    pub(super) words: (PathBuf, File),
    pub(super) ids: (PathBuf, File),
    pub(super) documents: Vec<Place>,
    /// Documents that were removed as a whole.
    pub(super) gone: Bits,
    pub(super) next: usize,
    pub(super) counts: Counts,
    _folder: TempDir,
}

impl Learned {
    /// N-grams in figures.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The next document: its number, and the place of its first word. An error if it is not the one that was learnt.
    pub(super) fn begin(&mut self, signature: &Signature) -> Result<(usize, u64)> {
        let number = self.next;
        match self.documents.get(number..number + 2) {
            Some([this, next]) if next.word - this.word == signature.words.len() as u64 => {
                self.next += 1;
                Ok((number, this.word))
            }
            _ => Err(changed()),
        }
    }

    /// Checks that all documents that were learnt were judged.
    pub fn finish(self) -> Result<()> {
        if self.next as u64 == self.counts.documents { Ok(()) } else { Err(changed()) }
    }

    /// The words from one place to another, as they are compared.
    pub(super) fn words_between(&self, from: u64, to: u64) -> Result<Vec<u32>> {
        let (path, file) = &self.words;
        let mut bytes = vec![0; 4 * to.saturating_sub(from) as usize];
        file.read_exact_at(&mut bytes, 4 * from).at(path)?;
        Ok(bytes.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect())
    }

    /// True when most of a stretch was removed.
    pub(super) fn is_removed(&self, from: u64, to: u64) -> bool {
        let cells = from / CELL..to.div_ceil(CELL);
        let (all, removed) =
            cells.fold((0, 0), |(all, removed), cell| (all + 1, removed + u64::from(self.removed.get(cell))));
        2 * removed > all
    }

    /// The document of a place, and where in it.
    pub(super) fn place_of(&self, word: u64, length: u64) -> Result<(String, u64, u64)> {
        let number = self.number_of(word);
        let (this, next) = (self.documents[number], self.documents[number + 1]);
        let from = word - this.word;
        Ok((self.id_of(number)?, from, (from + length).min(next.word - this.word)))
    }

    /// The number of the document that a word stands in.
    pub(super) fn number_of(&self, word: u64) -> usize {
        self.documents.partition_point(|place| place.word <= word).saturating_sub(1)
    }

    /// The id of a document.
    pub(super) fn id_of(&self, number: usize) -> Result<String> {
        let (this, next) = (self.documents[number], self.documents[number + 1]);
        let (path, file) = &self.ids;
        let mut id = vec![0; (next.id - this.id) as usize];
        file.read_exact_at(&mut id, this.id).at(path)?;
        Ok(String::from_utf8_lossy(&id).into_owned())
    }
}

/// A hash of all words of a document.
pub(super) fn whole(signature: &Signature) -> u64 {
    mix(signature.words.iter().fold(0, |hash, word| mix(hash ^ word.hash)))
}
