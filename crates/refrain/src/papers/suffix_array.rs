//! Duplicate n-grams by suffix arrays: the collection is sorted in chunks, and the sorted chunks are merged.
//!
//! This is the algorithm of section 6.2.1 of the PRESEMT report D3.1.3, *Corpus Creation & Annotation Module* (2012).
//! Words become numbers in the order of their first occurrence. The collection, now a sequence of numbers, is cut into chunks
//! that fit in memory. A suffix array of each chunk gives its n-grams in sorted order. Each n-gram is written once to the run
//! of the chunk, with the positions at which it occurs. When the runs are merged, n-grams with at least two positions are
//! duplicates.

use std::collections::HashMap;
use std::path::Path;

use libsais::SuffixArrayConstruction;
use libsais::suffix_array::SuffixArrayWithText;

use self::runs::{NgramRun, RunWriter, Sorted, merge};
use crate::dedup::answers::{Answers, Found, ngrams};
use crate::dedup::group::Spread;
use crate::dedup::store::Store;
use crate::disk::runs::FAN_IN;
use crate::error::{Error, Hint, Result};

mod bits;
mod runs;

/// The separator of documents in a chunk, which is part of no n-gram.
const SEPARATOR: i32 = 0;
/// Where no n-gram of the chunk begins.
const NONE: u32 = u32::MAX;

/// How large the parts of the work may be.
struct Sizes {
    /// Bytes of the dictionary.
    dictionary: u64,
    /// Words and separators of a chunk.
    chunk: usize,
    fan_in: usize,
    /// Bytes for the answers.
    answers: u64,
}

impl Sizes {
    /// Half of the memory is for the dictionary. A word of a chunk takes 12 bytes: its id, its place and a number in the
    /// suffix array. To build that array takes 4 bytes more for each word of the dictionary, of which there are fewer than
    /// one in 58 bytes of memory, and at worst 2 for each word of the chunk. What is left is for files.
    fn of(memory: u64) -> Sizes {
        Sizes {
            dictionary: memory / 2,
            chunk: (memory / 40).min(i32::MAX as u64 / 2) as usize,
            fan_in: FAN_IN,
            answers: memory,
        }
    }
}

/// Finds the n-grams that occur at least twice, within a memory limit. Temporary files and the answers are in the folder.
pub(crate) fn by_suffix_arrays(words: &Store, n: usize, memory: u64, folder: &Path) -> Result<Found> {
    find(words, n, &Sizes::of(memory), folder)
}

fn find(words: &Store, n: usize, sizes: &Sizes, folder: &Path) -> Result<Found> {
    let mut chunks = Chunks::new(n, sizes, folder);
    words.each_hashes(|document| chunks.add(document))?;
    let (runs, ngrams) = chunks.finish()?;
    let answers = Answers::new(folder, ngrams, sizes.answers);
    let mut repeated = Repeated { answers, first: None, again: false };
    merge(runs, n, sizes.fan_in, folder, &mut repeated)?;
    repeated.answers.finish()
}

/// The numbers of words.
struct Dictionary {
    ids: HashMap<u64, i32, Spread>,
    memory: u64,
}

impl Dictionary {
    /// The id of a word: the next one, from 1 on, when it is new.
    #[inline]
    fn id(&mut self, word: u64) -> Result<i32> {
        match self.ids.get(&word) {
            Some(id) => Ok(*id),
            None => self.add(word),
        }
    }

    fn add(&mut self, word: u64) -> Result<i32> {
        let words = self.ids.len();
        let full = words == self.ids.capacity() && growing(words) > self.memory;
        match i32::try_from(words + 1) {
            // The library takes the largest number for no letter.
            Ok(id) if !full && id < i32::MAX => {
                self.ids.insert(word, id);
                Ok(id)
            }
            _ => Err(Error::Refused(format!(
                "numbering more than {words} distinct words needs more than half of the memory"
            ))
            .hint(Hint::option("memory", "raise `memory`, or use `engine=hash`, which does not number words"))),
        }
    }
}

/// What a map with keys of 8 bytes and values of 4 takes for each of its places: padded to 16, and a byte of the map's own.
const PLACE: u64 = 17;

/// What such a map takes while it grows from `capacity` to the next size: it doubles while the old one still exists.
fn growing(capacity: usize) -> u64 {
    // A map of the standard library keeps one place in eight free.
    let places = (capacity as u64 * 8).div_ceil(7).max(4);
    3 * places * PLACE
}

/// Cuts the collection into chunks, and writes a run for each.
struct Chunks<'a> {
    n: usize,
    sizes: &'a Sizes,
    folder: &'a Path,
    dictionary: Dictionary,
    /// The ids of the chunk's words.
    text: Vec<i32>,
    /// For each of them the n-gram that begins there, counted from the first of the chunk.
    places: Vec<u32>,
    /// N-grams before the chunk, and with it.
    base: u64,
    ngrams: u64,
    runs: Vec<NgramRun>,
}

impl Chunks<'_> {
    fn new<'a>(n: usize, sizes: &'a Sizes, folder: &'a Path) -> Chunks<'a> {
        let dictionary = Dictionary { ids: HashMap::default(), memory: sizes.dictionary };
        let (text, places) = (Vec::with_capacity(sizes.chunk), Vec::with_capacity(sizes.chunk));
        Chunks { n, sizes, folder, dictionary, text, places, base: 0, ngrams: 0, runs: Vec::new() }
    }

    fn add(&mut self, document: &[u64]) -> Result<()> {
        let end = ngrams(document.len(), self.n);
        let mut start = 0;
        while start < end {
            // N-grams that begin in the chunk; their last one sees the words that follow it, and after them is a separator.
            // A chunk is never too small for one.
            let room = self.sizes.chunk.max(self.n + 1).saturating_sub(self.text.len() + self.n);
            let count = room.min(end - start);
            if count == 0 {
                self.cut()?;
                continue;
            }
            for word in &document[start..start + count + self.n - 1] {
                self.text.push(self.dictionary.id(*word)?);
            }
            self.text.push(SEPARATOR);
            let place = (self.ngrams - self.base) as u32;
            self.places.extend(place..place + count as u32);
            self.places.resize(self.text.len(), NONE);
            self.ngrams += count as u64;
            start += count;
        }
        Ok(())
    }

    /// Writes the run of a chunk, and begins the next.
    fn cut(&mut self) -> Result<()> {
        if !self.text.is_empty() {
            let mut suffixes = self.suffix_array()?;
            let path = self.folder.join(format!("chunk-{:05}", self.runs.len()));
            let run = NgramRun::write(path, self.base, |into| self.write(&mut suffixes, into))?;
            self.runs.push(run);
        }
        self.text.clear();
        self.places.clear();
        self.base = self.ngrams;
        Ok(())
    }

    /// Where the suffixes of the text begin, in sorted order.
    fn suffix_array(&mut self) -> Result<Vec<i32>> {
        let words = self.text.len();
        // The library looks at the text for the size of its alphabet. It writes to the text, but leaves it as it was. With
        // room for six numbers a letter, as it recommends, it was not faster.
        SuffixArrayConstruction::for_text_mut(&mut self.text)
            .in_owned_buffer32()
            .single_threaded()
            .run()
            .map(SuffixArrayWithText::into_vec)
            .map_err(|error| {
                Error::Refused(format!("cannot build a suffix array of {words} words ({error})"))
                    .hint(Hint::option("memory", "reduce it with less `memory`, or use `engine=hash`"))
            })
    }

    /// Writes the n-grams of the chunk, in sorted order.
    fn write(&self, suffixes: &mut [i32], into: &mut RunWriter<'_>) -> Result<()> {
        let mut left = suffixes;
        while let Some(first) = left.first().copied().map(position) {
            let mut equal = 1;
            if self.places[first] != NONE {
                let ngram = &self.text[first..first + self.n];
                // Equal words contain no separator, so they are an n-gram, too.
                let same = |at: &&i32| self.text[position(**at)..].starts_with(ngram);
                equal += left[1..].iter().take_while(same).count();
                // Suffixes come in the order of what follows; places are in the order of the text.
                left[..equal].sort_unstable();
                into.ngram(ngram)?;
                for at in &left[..equal] {
                    into.place(self.base + u64::from(self.places[position(*at)]))?;
                }
            }
            left = &mut left[equal..];
        }
        Ok(())
    }

    /// The runs of all chunks, and how many n-grams there are.
    fn finish(mut self) -> Result<(Vec<NgramRun>, u64)> {
        self.cut()?;
        Ok((self.runs, self.ngrams))
    }
}

/// Where a suffix begins. The library has signed numbers, but none below 0.
#[inline]
fn position(suffix: i32) -> usize {
    suffix.unsigned_abs() as usize
}

/// Passes on the positions of n-grams that have at least two.
struct Repeated {
    answers: Answers,
    /// The first place of the n-gram, and whether it had another.
    first: Option<u64>,
    again: bool,
}

impl Sorted for Repeated {
    fn ngram(&mut self, _: &[i32]) -> Result<()> {
        (self.first, self.again) = (None, false);
        Ok(())
    }

    fn place(&mut self, place: u64) -> Result<()> {
        let Some(first) = self.first else {
            self.first = Some(place);
            return Ok(());
        };
        if !self.again {
            self.again = true;
            self.answers.push(first, first)?;
        }
        self.answers.push(first, place)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::dedup::twin::{documents, engine, long, plain, word};

    fn sizes(chunk: usize, fan_in: usize, answers: u64) -> Sizes {
        Sizes { dictionary: 1 << 20, chunk, fan_in, answers }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]
        #[test]
        fn finds_what_the_twin_finds(
            documents in documents(), n in 1..7_usize, chunk in 0..200_usize, fan_in in 2..5_usize, memory in 0..3000_u64,
        ) {
            let found = engine(&documents, |words, folder| find(words, n, &sizes(chunk, fan_in, memory), folder));
            prop_assert_eq!(found, plain(&documents, n));
        }
    }

    #[test]
    fn all_fits_in_memory() {
        let documents = [long(500), long(3000), long(0), long(700)];
        for n in [1, 4, 7] {
            let found = engine(&documents, |words, folder| by_suffix_arrays(words, n, 16 << 20, folder));
            assert_eq!(found, plain(&documents, n));
        }
    }

    #[test]
    fn a_document_may_be_longer_than_many_chunks() {
        let documents = [long(20), long(5000), long(100)];
        // More chunks than are merged at once.
        let sizes = sizes(64, FAN_IN, 4 << 10);
        let found = engine(&documents, |words, folder| find(words, 5, &sizes, folder));
        assert_eq!(found, plain(&documents, 5));
    }

    #[test]
    fn nothing_and_short_documents() {
        for documents in [&[][..], &[vec![]], &[vec![1], vec![1, 2], vec![], vec![1, 2]]] {
            for n in [3, 100] {
                let found = engine(documents, |words, folder| by_suffix_arrays(words, n, 1 << 20, folder));
                assert_eq!(found, plain(documents, n));
            }
        }
    }

    #[test]
    fn too_many_words_are_refused_with_a_way_out() {
        let document: Vec<u64> = (0..30_000).map(word).collect();
        let sizes = Sizes::of(1 << 20);
        let folder = tempfile::tempdir().expect("a folder");
        let mut chunks = Chunks::new(3, &sizes, folder.path());
        let refused = chunks.add(&document).expect_err("too little memory").to_string();
        assert!(refused.contains("`memory`") && refused.contains("`engine=hash`"), "{refused}");
        let words = chunks.dictionary.ids.len() as u64;
        assert!(words * 17 < sizes.dictionary && words * 58 < 1 << 20, "{words}");
    }
}
