//! The words of a collection on disk, and the bounds of its documents.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::group::{NUMBER, Spread, number};
use crate::disk::partitions::Answers;
use crate::disk::platform::FileExt;
use crate::error::{IoContext, Result};
use crate::text::{Word, mix};

/// Bytes of a word on disk: its hash, and a bit that says whether it is marked.
pub(crate) const WORD: usize = 6;
/// Bytes of a document in the directory: where the words of the next one begin, and where its id ends.
pub(super) const DOCUMENT: usize = 16;
/// Bytes of words that are read without allocating.
const FEW: usize = 256 * WORD;
/// The number of words sampled to find common ones, and how many are read at a time.
pub(crate) const SAMPLE: u64 = 16 << 20;
const SAMPLE_STEP: u64 = 1 << 20;
/// The least words by which a document is judged, if later ones must not matter.
const LEAST_SAMPLE: u64 = 1 << 16;
/// A word is common if it is at least one in this many words and was seen this often.
const COMMON: u64 = 1000;
const LEAST_COMMON: u32 = 20;
/// One document in this many is indexed in memory.
const STEP: usize = 256;

/// A file that grows.
pub(super) struct Growing {
    path: PathBuf,
    file: BufWriter<File>,
    pub(super) bytes: u64,
}

impl Growing {
    /// Opens a file and keeps its first `bytes`; the rest is discarded.
    pub(crate) fn open(path: PathBuf, bytes: u64) -> Result<Growing> {
        let mut file = File::options().write(true).create(true).truncate(false).open(&path).at(&path)?;
        file.set_len(bytes).at(&path)?;
        file.seek(SeekFrom::End(0)).at(&path)?;
        Ok(Growing { path, file: BufWriter::with_capacity(256 << 10, file), bytes })
    }

    #[inline]
    pub(super) fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.bytes += bytes.len() as u64;
        self.file.write_all(bytes).at(&self.path)
    }

    pub(crate) fn flush(&mut self) -> Result<()> {
        self.file.flush().at(&self.path)
    }
}

/// Writes words, documents and ids.
pub(crate) struct StoreWriter {
    words: Growing,
    documents: Growing,
    ids: Growing,
}

/// The size of a store.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct StoreSize {
    /// Words, with the placeholders between documents.
    pub(super) words: u64,
    pub(super) documents: u64,
    /// Bytes of ids.
    ids: u64,
}

impl StoreSize {
    /// The files, and how many bytes of each count.
    pub(super) fn files(&self) -> [(&'static str, u64); 3] {
        let [words, documents, ids] = NAMES;
        [(words, self.words * WORD as u64), (documents, self.documents * DOCUMENT as u64), (ids, self.ids)]
    }
}

/// The byte between the address of a document and its id. No text contains it.
const AFTER_ADDRESS: u8 = 0xff;

/// The address of a document, if it has one, and its id.
fn address_and_id(bytes: &[u8]) -> (Option<&[u8]>, &[u8]) {
    match bytes.iter().position(|byte| *byte == AFTER_ADDRESS) {
        Some(at) => (Some(&bytes[..at]), &bytes[at + 1..]),
        None => (None, bytes),
    }
}

/// The file of the words.
pub(super) const WORDS: &str = "words";
const NAMES: [&str; 3] = [WORDS, "documents", "ids"];

/// True for a folder with the files of a store.
pub(super) fn is_store(folder: &Path) -> bool {
    NAMES.iter().all(|name| folder.join(name).is_file())
}

impl StoreWriter {
    pub(crate) fn open(folder: &Path, size: StoreSize) -> Result<StoreWriter> {
        let [words, documents, ids] = size.files().map(|(name, bytes)| Growing::open(folder.join(name), bytes));
        Ok(StoreWriter { words: words?, documents: documents?, ids: ids? })
    }

    /// Sets the address of the document that is added next.
    pub(super) fn address_next(&mut self, url: &str) -> Result<()> {
        self.ids.put(url.as_bytes())?;
        self.ids.put(&[AFTER_ADDRESS])
    }

    /// Adds a document with its words. The next one begins at `next`; a placeholder word separates them.
    pub(crate) fn add(&mut self, id: &str, words: impl Iterator<Item = Word>, next: u64) -> Result<()> {
        for word in words {
            self.words.put(&(word.hash << 1 | u64::from(word.marked())).to_le_bytes()[..WORD])?;
        }
        self.words.put(&[0; WORD])?;
        self.add_without_words(id, next)
    }

    /// Adds a document whose words are not kept.
    pub(super) fn add_without_words(&mut self, id: &str, next: u64) -> Result<()> {
        self.ids.put(id.as_bytes())?;
        self.documents.put(&next.to_le_bytes())?;
        self.documents.put(&self.ids.bytes.to_le_bytes())
    }

    /// Writes everything that is still in memory.
    pub(crate) fn flush(&mut self) -> Result<StoreSize> {
        [&mut self.words, &mut self.documents, &mut self.ids].into_iter().try_for_each(Growing::flush)?;
        Ok(StoreSize {
            words: self.words.bytes / WORD as u64,
            documents: self.documents.bytes / DOCUMENT as u64,
            ids: self.ids.bytes,
        })
    }
}

/// Reads words, documents and ids.
pub(crate) struct Store {
    folder: PathBuf,
    /// The paths of the three files.
    paths: [PathBuf; 3],
    words: File,
    documents: File,
    ids: File,
    /// Where the words of one document in [`STEP`] begin.
    steps: Vec<u64>,
    count: usize,
    /// Words that are common in the first words of the collection, and for which documents they are counted: those that begin
    /// at this position or later. The last that applies counts.
    common: Vec<(u64, HashSet<u64, Spread>)>,
    /// How many earlier documents have the same id, and the separator between an id and its number, if ids are
    /// numbered; `None` if no id is repeated.
    times: Option<(File, Option<String>)>,
    /// How many words were read at places: the work of comparing documents.
    #[cfg(test)]
    pub(super) words_read: std::sync::atomic::AtomicU64,
}

/// The hash of an id.
pub(crate) fn hash_of_id(id: &[u8]) -> u64 {
    mix(id.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)))
}

/// The number of `#` before the number at the end of an id.
fn signs_before_number(id: &[u8]) -> usize {
    let number = id.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    if number == 0 { 0 } else { id[..id.len() - number].iter().rev().take_while(|byte| **byte == b'#').count() }
}

/// A document in a store.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) words: (u64, u64),
    id: (u64, u64),
}

impl Store {
    pub(crate) fn open(folder: &Path) -> Result<Store> {
        let open = |name: &str| File::open(folder.join(name)).at(&folder.join(name));
        let (words, documents, ids) = (open(NAMES[0])?, open(NAMES[1])?, open(NAMES[2])?);
        let paths = NAMES.map(|name| folder.join(name));
        let count = documents.metadata().at(&paths[1])?.len() as usize / DOCUMENT;
        let mut store = Store {
            folder: folder.to_owned(),
            paths,
            words,
            documents,
            ids,
            steps: Vec::new(),
            count,
            common: Vec::new(),
            times: None,
            #[cfg(test)]
            words_read: std::sync::atomic::AtomicU64::default(),
        };
        for number in (0..count).step_by(STEP) {
            let start = store.bounds(number)?.words.0;
            store.steps.push(start);
        }
        Ok(store)
    }

    /// How many documents there are.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Finds the words that are common in the collection, from its first words. If `causal`, a document is judged by as many
    /// words as there are before it: a power of two of them. What an earlier run found is `known`.
    pub(super) fn count_common(&mut self, causal: bool, known: &[(u64, Vec<u64>)]) -> Result<()> {
        let last = self.places()?.min(SAMPLE).checked_ilog2().map_or(0, |last| 1 << last);
        if causal && known.last().is_some_and(|(at, _)| *at >= last) {
            self.common = known.iter().map(|(at, words)| (*at, words.iter().copied().collect())).collect();
            return Ok(());
        }
        let mut counts: HashMap<u64, u32, Spread> = HashMap::default();
        let (mut at, mut words) = (0, Vec::new());
        let places = self.places()?;
        let end = places.min(SAMPLE);
        let step = if causal { LEAST_SAMPLE } else { SAMPLE_STEP };
        while at < end {
            self.words(at, (at + step).min(end), &mut words)?;
            for word in &words {
                // Most words are rare; a word that is not seen early is not common.
                match counts.get_mut(word) {
                    Some(count) => *count += 1,
                    None if at < SAMPLE_STEP => {
                        counts.insert(*word, 1);
                    }
                    None => {}
                }
            }
            at = (at + step).min(end);
            if (causal && at.is_power_of_two()) || (!causal && at == end) {
                let is_common = |(word, count): (&u64, &u32)| {
                    (*word != 0 && *count >= LEAST_COMMON && u64::from(*count) * COMMON > at).then_some(*word)
                };
                self.common.push((if causal { at } else { 0 }, counts.iter().filter_map(is_common).collect()));
            }
        }
        Ok(())
    }

    /// The common words, for a later run.
    pub(super) fn common_words(&self) -> Vec<(u64, Vec<u64>)> {
        let sorted = |words: &HashSet<u64, Spread>| {
            let mut words: Vec<u64> = words.iter().copied().collect();
            words.sort_unstable();
            words
        };
        self.common.iter().map(|(at, words)| (*at, sorted(words))).collect()
    }

    /// True for a word that is common in the collection, for a document that begins at a position.
    pub(super) fn is_common(&self, word: u64, start: u64) -> bool {
        self.common.iter().rev().find(|(from, _)| *from <= start).is_some_and(|(_, common)| common.contains(&word))
    }

    /// The number of words, including the placeholders between documents.
    pub(crate) fn places(&self) -> Result<u64> {
        Ok(self.words.metadata().at(&self.paths[0])?.len() / WORD as u64)
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// How much there is.
    pub(super) fn size(&self) -> Result<StoreSize> {
        let ids = self.ids.metadata().at(&self.paths[2])?.len();
        Ok(StoreSize { words: self.places()?, documents: self.count as u64, ids })
    }

    /// The bounds of a document.
    pub(super) fn bounds(&self, number: usize) -> Result<Bounds> {
        Ok(self.bounds_from(number, 1)?[0])
    }

    /// The bounds of this document and some that follow it.
    pub(super) fn some_bounds(&self, first: usize) -> Result<Vec<Bounds>> {
        self.bounds_from(first, STEP.min(self.count - first))
    }

    /// The bounds of several documents.
    fn bounds_from(&self, first: usize, count: usize) -> Result<Vec<Bounds>> {
        let mut bytes = vec![0; (count + 1) * DOCUMENT];
        // The directory has no entry before the first document; both bounds begin at zero.
        let (skip, from) = if first == 0 { (DOCUMENT, 0) } else { (0, (first - 1) * DOCUMENT) };
        self.documents.read_exact_at(&mut bytes[skip..], from as u64).at(&self.paths[1])?;
        let ends: Vec<(u64, u64)> =
            bytes.chunks_exact(DOCUMENT).map(|entry| (number(&entry[..8]), number(&entry[8..]))).collect();
        Ok(ends.windows(2).map(|two| Bounds { words: (two[0].0, two[1].0 - 1), id: (two[0].1, two[1].1) }).collect())
    }

    /// Stores how many earlier documents have the same id, from answers in document order; the first `without`
    /// documents have none. With `make`, repeated ids are numbered from now on.
    pub(super) fn count_ids(&mut self, mut answers: Answers<NUMBER>, without: usize, make: bool) -> Result<()> {
        let path = self.path("times");
        let mut times = Growing::open(path.clone(), 0)?;
        let (mut ids, mut repeated, mut signs) = (Vec::new(), false, 0);
        for first in (0..self.count).step_by(STEP) {
            let some = self.some_bounds(first)?;
            let (from, to) = (some[0].id.0, some[some.len() - 1].id.1);
            ids.resize((to - from) as usize, 0);
            self.ids.read_exact_at(&mut ids, from).at(&self.paths[2])?;
            for (number, Bounds { id: (start, end), .. }) in (first..).zip(some) {
                let (_, id) = address_and_id(&ids[(start - from) as usize..(end - from) as usize]);
                signs = signs.max(signs_before_number(id));
                let before = if number < without { 0 } else { answers.next(hash_of_id(id))?.1 };
                times.put(&(before as u32).to_le_bytes())?;
                repeated |= before > 0;
            }
        }
        times.flush()?;
        // One more than any id has, so that no generated id equals another.
        let between = make.then(|| "#".repeat(signs + 1));
        self.times = if repeated { Some((File::open(&path).at(&path)?, between)) } else { None };
        Ok(())
    }

    /// How many earlier documents have the same id.
    pub(super) fn times_before(&self, number: usize) -> Result<u64> {
        let mut bytes = [0; NUMBER];
        if let Some((times, _)) = &self.times {
            times.read_exact_at(&mut bytes, (number * NUMBER) as u64).at(&self.path("times"))?;
        }
        Ok(u64::from(u32::from_le_bytes(bytes)))
    }

    /// The id of a document.
    pub(super) fn id(&self, number: usize) -> Result<String> {
        let bytes = self.id_bytes(number)?;
        let id = String::from_utf8_lossy(address_and_id(&bytes).1).into_owned();
        let Some((_, Some(between))) = &self.times else { return Ok(id) };
        let before = self.times_before(number)?;
        Ok(if before > 0 { format!("{id}{between}{}", before + 1) } else { id })
    }

    /// The address of a document, if it is known.
    pub(super) fn url(&self, number: usize) -> Result<Option<String>> {
        Ok(address_and_id(&self.id_bytes(number)?).0.map(|url| String::from_utf8_lossy(url).into_owned()))
    }

    fn id_bytes(&self, number: usize) -> Result<Vec<u8>> {
        let (from, to) = self.bounds(number)?.id;
        let mut bytes = vec![0; (to - from) as usize];
        self.ids.read_exact_at(&mut bytes, from).at(&self.paths[2])?;
        Ok(bytes)
    }

    /// The document that contains a word, and its bounds.
    pub(super) fn document_of(&self, word: u64) -> Result<(usize, Bounds)> {
        let step = self.steps.partition_point(|start| *start <= word).saturating_sub(1);
        let first = step * STEP;
        let near = self.some_bounds(first)?;
        // Documents without words end where they begin.
        let at = near.partition_point(|bounds| bounds.words.1 <= word).min(near.len() - 1);
        Ok((first + at, near[at]))
    }

    /// The hashes of the words in a range.
    pub(crate) fn words(&self, from: u64, to: u64, words: &mut Vec<u64>) -> Result<()> {
        words.clear();
        self.with_bytes(from, to, |bytes| words.extend(bytes.iter().map(|word| number(word) >> 1)))
    }

    /// The words in a range.
    pub(crate) fn known_words(&self, from: u64, to: u64) -> Result<Vec<Word>> {
        self.with_bytes(from, to, |bytes| bytes.iter().map(|word| known(word)).collect())
    }

    /// The words in a range as they are on disk.
    pub(super) fn bytes_of_words(&self, from: u64, to: u64, bytes: &mut Vec<u8>) -> Result<()> {
        bytes.resize(WORD * to.saturating_sub(from) as usize, 0);
        self.words.read_exact_at(bytes, WORD as u64 * from).at(&self.paths[0])
    }

    /// Reads words into a small buffer on the stack, or a larger one on the heap.
    fn with_bytes<T>(&self, from: u64, to: u64, work: impl FnOnce(&[[u8; WORD]]) -> T) -> Result<T> {
        let length = WORD * to.saturating_sub(from) as usize;
        let (mut few, mut many) = ([0; FEW], Vec::new());
        let bytes = match few.get_mut(..length) {
            Some(few) => few,
            None => {
                many.resize(length, 0);
                &mut many
            }
        };
        #[cfg(test)]
        self.words_read.fetch_add(to.saturating_sub(from), std::sync::atomic::Ordering::Relaxed);
        self.words.read_exact_at(bytes, WORD as u64 * from).at(&self.paths[0])?;
        Ok(work(bytes.as_chunks().0))
    }

    /// Calls `take` with the words of each document, in order.
    pub(crate) fn words_of_each(&self, mut take: impl FnMut(usize, &[Word]) -> Result<()>) -> Result<()> {
        let path = &self.paths[0];
        let mut file = BufReader::with_capacity(1 << 20, File::open(path).at(path)?);
        let (mut words, mut bytes) = (Vec::new(), Vec::new());
        for first in (0..self.count).step_by(STEP) {
            for (at, bounds) in self.some_bounds(first)?.into_iter().enumerate() {
                bytes.resize(WORD * (bounds.words.1 + 1 - bounds.words.0) as usize, 0);
                file.read_exact(&mut bytes).at(path)?;
                words.clear();
                words.extend(bytes.chunks_exact(WORD).map(known));
                words.pop();
                take(first + at, &words)?;
            }
        }
        Ok(())
    }
}

#[cfg(feature = "papers")]
impl Store {
    /// Calls `take` with the hashes of the words of each document, in order.
    pub(crate) fn each_hashes(&self, mut take: impl FnMut(&[u64]) -> Result<()>) -> Result<()> {
        let mut hashes = Vec::new();
        self.words_of_each(|_, words| {
            hashes.clear();
            hashes.extend(words.iter().map(|word| word.hash));
            take(&hashes)
        })
    }
}

/// A word as it is on disk.
fn known(bytes: &[u8]) -> Word {
    let number = number(bytes);
    Word::known_by(number >> 1, number & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_found_by_their_words() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut writer = StoreWriter::open(folder.path(), StoreSize::default()).expect("room");
        let (mut next, mut count) = (0, 0);
        for number in 0..1000_u64 {
            // Some documents have no words.
            let words = number % 3;
            (next, count) = (next + words + 1, count + words);
            writer
                .add(&format!("d{number}"), (0..words).map(|word| Word::known_by(number << 8 | word, word == 1)), next)
                .expect("room");
        }
        writer.flush().expect("room");
        let store = Store::open(folder.path()).expect("files");
        assert_eq!((store.len(), store.id(999).expect("an id")), (1000, "d999".to_owned()));
        let mut words = Vec::new();
        for number in 0..1000 {
            let (from, to) = store.bounds(number).expect("a document").words;
            for word in from..to {
                assert_eq!(store.document_of(word).expect("a document").0, number);
                store.words(word, word + 1, &mut words).expect("a word");
                assert_eq!(words, [(number as u64) << 8 | (word - from)]);
                assert_eq!(store.known_words(word, word + 1).expect("a word")[0].marked(), word - from == 1);
            }
        }
        let mut all = 0;
        let each = store.words_of_each(|number, words| {
            assert_eq!(words.len(), number % 3);
            all += words.len() as u64;
            Ok(())
        });
        assert!(each.is_ok() && all == count);
    }
}
