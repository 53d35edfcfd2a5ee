//! Evidence of earlier runs: a collection that grows is not judged again.
//!
//! Its files only grow. A run reads them once, in their order, and keeps what its own documents may have in common with them: the
//! hashes of these are in a [`Filter`]. Of an n-gram or anchor, later runs need to know only its first occurrences, and the
//! first one in kept text; a bit for each word says which these are.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::evidence::{DedupOptions, Learning, whole};
use super::group::KEPT_PLACE;
use super::learned::{CELL, Learned};
use super::lookup::DocumentEvidence;
use super::signature::{ANCHOR, Signature, each_hash};
use super::store::{Store, StoreSize, WORD};
use super::word_bits::WordBits;
use crate::disk::platform::FileExt;
use crate::document::Mark;
use crate::error::{Error, IoContext, Result};
use crate::run::Workers;

/// Evidence of earlier runs.
#[derive(Debug, Clone)]
pub(crate) struct Past {
    pub(crate) folder: PathBuf,
    pub(crate) size: PastSize,
}

/// How much of the files counts: a run that was killed may have written more.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct PastSize {
    pub(super) store: StoreSize,
    /// Bytes of the verdicts.
    pub(crate) verdicts: u64,
    /// Words that are common in the first words of the collection, by their number.
    pub(super) common: Vec<(u64, Vec<u64>)>,
}

/// The file of the verdicts.
pub(crate) const VERDICTS: &str = "verdicts";
/// The files of bits: words in widespread text, and the n-grams and anchors that later runs need to know.
pub(super) const WIDESPREAD: &str = "widespread";
pub(super) const FIRST_NGRAMS: &str = "first-ngrams";
pub(super) const FIRST_ANCHORS: &str = "first-anchors";

impl Past {
    /// Evidence in a folder, of which nothing counts yet.
    pub(crate) fn none(folder: PathBuf) -> Past {
        Past { folder, size: PastSize::default() }
    }

    /// True if there is nothing in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.size.store.documents == 0
    }

    /// Drops what does not count, and makes the rest survive a power failure.
    pub(crate) fn finish(&self) -> Result<()> {
        let PastSize { store, verdicts, .. } = &self.size;
        let bits = WordBits::bytes(store.words);
        let all = [(VERDICTS, *verdicts), (WIDESPREAD, bits), (FIRST_NGRAMS, bits), (FIRST_ANCHORS, bits)];
        for (name, bytes) in store.files().into_iter().chain(all) {
            let path = self.folder.join(name);
            match File::options().write(true).open(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                file => file.and_then(|file| file.set_len(bytes).and_then(|()| file.sync_all())).at(&path)?,
            }
        }
        Ok(())
    }

    /// Makes evidence from documents, their words and the verdicts on them, in a folder. The other folder is for temporary files.
    pub(crate) fn rebuild(
        folder: PathBuf,
        work: &Path,
        options: &DedupOptions,
        workers: &Workers,
        feed: impl FnOnce(&mut dyn FnMut(&str, &Signature, &PastVerdict) -> Result<()>) -> Result<()>,
    ) -> Result<Past> {
        if work.exists() {
            std::fs::remove_dir_all(work).at(work)?;
        }
        let mut past = Past::none(folder);
        let mut learning = Learning::resume_behind(options.clone(), work, &past)?;
        let path = past.folder.join(VERDICTS);
        let mut file = BufWriter::new(File::create(&path).at(&path)?);
        feed(&mut |id, signature, verdict| {
            workers.stop().check()?;
            learning.add(id, signature)?;
            let mut bytes = Vec::new();
            verdict.write(&mut bytes);
            past.size.verdicts += bytes.len() as u64;
            file.write_all(&bytes).at(&path)
        })?;
        file.flush().at(&path)?;
        let mut learned = learning.conclude(workers)?;
        let (store, mut lookup, mut verdicts) = (learned.store.clone(), learned.take_lookup()?, past.verdicts()?);
        workers.begin("rebuild", store.places()? * WORD as u64);
        store.words_of_each(|_, words| {
            workers.stop().check()?;
            workers.advance((words.len() * WORD) as u64, 1, 0);
            let signature = Signature::of_words(words, options);
            let evidence = lookup.look_up(&signature)?;
            learned.replay(&signature, &evidence, &verdicts.next()?)
        })?;
        past.size = learned.size_as_past(past.size.verdicts)?;
        Ok(past)
    }

    /// The verdicts, to be read in the order of the documents.
    pub(super) fn verdicts(&self) -> Result<Verdicts> {
        let path = self.folder.join(VERDICTS);
        let file = BufReader::with_capacity(1 << 20, File::open(&path).at(&path)?);
        Ok(Verdicts { path, file })
    }
}

/// Verdicts as they are read.
pub(super) struct Verdicts {
    path: PathBuf,
    file: BufReader<File>,
}

impl Verdicts {
    pub(super) fn next(&mut self) -> Result<PastVerdict> {
        PastVerdict::read(&mut self.file).at(&self.path)
    }
}

/// What an earlier run decided about a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PastVerdict {
    /// The document was removed as a whole.
    pub(crate) is_gone: bool,
    /// A number for its language; 0 if unknown.
    pub(super) language: u16,
    /// The hash of all of its words.
    pub(super) hash: u64,
    /// The words of removed blocks, in order; ranges may be empty.
    pub(super) removed: Vec<Range<usize>>,
}

impl PastVerdict {
    /// The verdict that marks express: those that were set when the document was judged.
    pub(crate) fn of(
        signature: &Signature,
        evidence: &DocumentEvidence,
        marks: &[Mark],
        language: Option<u16>,
    ) -> PastVerdict {
        let is_marked = |block: &usize| {
            let span = signature.blocks[*block].0;
            marks.iter().any(|mark| mark.span.start <= span.start && span.end <= mark.span.end)
        };
        let removed: Vec<Range<usize>> =
            (0..signature.blocks.len()).filter(is_marked).map(|block| signature.words_of(block)).collect();
        let is_gone = !marks.is_empty() && removed.len() == signature.blocks.len();
        PastVerdict { is_gone, language: number_of(language), hash: evidence.hash, removed }
    }

    /// The verdict on a document that was kept.
    pub(crate) fn kept(signature: &Signature, language: Option<u16>) -> PastVerdict {
        PastVerdict { hash: whole(signature), language: number_of(language), ..PastVerdict::default() }
    }

    /// Appends the bytes that [`PastVerdict::read`] reads.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.push(u8::from(self.is_gone));
        out.extend(self.language.to_le_bytes());
        out.extend(self.hash.to_le_bytes());
        out.extend((self.removed.len() as u32).to_le_bytes());
        for end in self.removed.iter().flat_map(|range| [range.start, range.end]) {
            out.extend((end as u32).to_le_bytes());
        }
    }

    /// Reads the next verdict.
    pub(crate) fn read(input: &mut impl BufRead) -> io::Result<PastVerdict> {
        PastVerdict::read_with(input, true)
    }

    /// The same as earlier versions wrote it, and the words of its document.
    pub(crate) fn read_old(input: &mut impl BufRead, signature: &Signature) -> io::Result<PastVerdict> {
        let verdict = PastVerdict::read_with(input, false)?;
        Ok(PastVerdict { hash: whole(signature), ..verdict })
    }

    fn read_with(input: &mut impl BufRead, has_hash: bool) -> io::Result<PastVerdict> {
        let mut number = |bytes: usize| {
            let mut eight = [0; 8];
            input.read_exact(&mut eight[..bytes]).map(|()| u64::from_le_bytes(eight))
        };
        let (is_gone, language) = (number(1)? > 0, number(2)? as u16);
        let hash = if has_hash { number(8)? } else { 0 };
        let mut removed = Vec::new();
        for _ in 0..number(4)? {
            removed.push(number(4)? as usize..number(4)? as usize);
        }
        Ok(PastVerdict { is_gone, language, hash, removed })
    }

    /// True if an n-gram is in kept text: it does not reach into or over a removed block.
    fn keeps(&self, at: usize, ngram: usize) -> bool {
        let next = self.removed.partition_point(|range| range.end <= at);
        self.removed.get(next).is_none_or(|range| at + ngram <= range.start)
    }
}

fn number_of(language: Option<u16>) -> u16 {
    language.map_or(0, |language| language.max(1))
}

impl Learned {
    /// Repeats a verdict on the next document. What follows is judged as it was when that was decided.
    pub(crate) fn replay(
        &mut self,
        signature: &Signature,
        evidence: &DocumentEvidence,
        past: &PastVerdict,
    ) -> Result<()> {
        let (number, start) = self.begin(signature.words.len())?;
        self.note_past(number, start, past);
        let mut firsts = self.firsts(signature, evidence);
        for (at, ngram) in evidence.numbers.iter().enumerate() {
            firsts[at] |= past.keeps(at, self.options.ngram) && self.keep_ngram(*ngram, start + at as u64)?;
        }
        self.push_firsts(&firsts)
    }

    /// Notes what was removed from a document of an earlier run.
    fn note_past(&mut self, number: usize, start: u64, past: &PastVerdict) {
        for range in &past.removed {
            let (from, to) = (start + range.start as u64, start + range.end as u64);
            (from / CELL..to.div_ceil(CELL)).for_each(|cell| self.removed.set(cell));
        }
        if past.is_gone {
            self.gone.set(number as u64);
        }
        if past.language > 0 {
            self.languages.resize(number, 0);
            self.languages.push(past.language);
        }
    }

    /// Begins behind the documents of earlier runs.
    pub(super) fn begin_behind(&mut self, past: &Past) -> Result<()> {
        let mut verdicts = past.verdicts()?;
        let documents = past.size.store.documents as usize;
        let mut number = 0;
        while number < documents {
            for bounds in self.store.some_bounds(number)?.into_iter().take(documents - number) {
                self.note_past(number, bounds.words.0, &verdicts.next()?);
                number += 1;
            }
        }
        self.state.next = documents;
        if let Some(first_ngrams) = &self.first_ngrams {
            first_ngrams.resume(past.size.store.words)?;
        }
        match &mut self.lookup {
            Some(lookup) => {
                lookup.next = past.size.store.words;
                lookup.resume_bits()
            }
            None => Ok(()),
        }
    }

    /// How much evidence there is once all documents were judged, with this many bytes of verdicts.
    pub(crate) fn size_as_past(&self, verdicts: u64) -> Result<PastSize> {
        self.flush_bits()?;
        Ok(PastSize { store: self.store.size()?, verdicts, common: self.store.common_words() })
    }
}

/// A set of hashes that seems to contain some others, too. Each hash sets bits of one word, so that it costs one access to memory.
pub(super) struct Filter(Vec<u64>);

impl Filter {
    /// Room for about so many hashes, in at most so many bytes. With more, it seems to contain more of the others.
    pub(super) fn new(hashes: u64, most: u64) -> Filter {
        let bytes = (BYTES_OF_HASH * hashes).next_power_of_two().min(1 << most.max(1).ilog2()).max(LEAST_FILTER);
        Filter(vec![0; bytes as usize / 8])
    }

    /// The word of a hash, and its bits there.
    #[inline]
    fn place(&self, hash: u64) -> (usize, u64) {
        let bit = |shift: u32| 1_u64 << (hash >> shift & 63);
        // All anchors have the same lowest bits.
        ((hash >> (u64::BITS - self.0.len().trailing_zeros())) as usize, bit(4) | bit(10) | bit(16) | bit(22))
    }

    #[inline]
    pub(super) fn add(&mut self, hash: u64) {
        let (at, bits) = self.place(hash);
        self.0[at] |= bits;
    }

    #[inline]
    fn may_contain(&self, hash: u64) -> bool {
        let (at, bits) = self.place(hash);
        self.0[at] & bits == bits
    }
}

/// With two bytes for each hash, about one other in 50 seems to be contained.
const BYTES_OF_HASH: u64 = 2;
const LEAST_FILTER: u64 = 4096;

/// The n-grams, anchors and whole documents of the new documents.
pub(super) struct Filters {
    pub(super) ngrams: Filter,
    pub(super) anchors: Filter,
    pub(super) wholes: Filter,
}

/// What the documents of earlier runs may have in common with the new ones: hashes, and where they are. Places of n-grams in kept text
/// have [`KEPT_PLACE`].
#[derive(Default)]
pub(super) struct Hits {
    pub(super) ngrams: Vec<(u64, u64)>,
    pub(super) anchors: Vec<(u64, u64)>,
    pub(super) wholes: Vec<(u64, u64)>,
}

/// Consecutive documents of earlier runs.
struct Chunk {
    /// The number of the first, and where its words begin.
    first: usize,
    start: u64,
    words: Vec<u8>,
    /// From the byte on that has the bit of the first word.
    first_ngrams: Vec<u8>,
    first_anchors: Vec<u8>,
    /// The words and the verdict of each.
    documents: Vec<(usize, PastVerdict)>,
}

/// Words of documents that are read at a time.
const WORDS_AT_A_TIME: u64 = 64 << 10;

impl Past {
    /// Reads all documents once, and calls `take` with what they may have in common with the new ones, in their order.
    pub(super) fn each_hits(
        &self,
        workers: &Workers,
        options: &DedupOptions,
        filters: &Filters,
        mut take: impl FnMut(Hits) -> Result<()>,
    ) -> Result<()> {
        workers.begin("look back", self.size.store.words * WORD as u64);
        let store = Store::open(&self.folder)?;
        let open = |name: &str, is_needed: bool| {
            let path = self.folder.join(name);
            is_needed.then(|| File::open(&path).at(&path)).transpose()
        };
        let first_ngrams = open(FIRST_NGRAMS, options.needs_ngrams())?;
        let first_anchors = open(FIRST_ANCHORS, options.needs_anchors())?;
        let mut verdicts = self.verdicts()?;
        let count = self.size.store.documents as usize;
        let bits = |file: &Option<File>, name: &str, from: u64, to: u64| {
            let mut bytes = vec![0; if file.is_some() { (to.div_ceil(8) - from / 8) as usize } else { 0 }];
            file.as_ref()
                .map_or(Ok(()), |file| file.read_exact_at(&mut bytes, from / 8))
                .at(&self.folder.join(name))?;
            Ok::<_, Error>(bytes)
        };
        workers.in_stages(
            |send| {
                let mut number = 0;
                while number < count {
                    let some = store.some_bounds(number)?;
                    let mut rest = &some[..some.len().min(count - number)];
                    while let Some(bounds) = rest.first() {
                        workers.stop().check()?;
                        let from = bounds.words.0;
                        let here = rest.partition_point(|it| it.words.1 < from + WORDS_AT_A_TIME).max(1);
                        let (now, later) = rest.split_at(here);
                        let to = now[here - 1].words.1;
                        let documents = now.iter().map(|it| Ok(((it.words.1 - it.words.0) as usize, verdicts.next()?)));
                        let documents = documents.collect::<Result<_>>()?;
                        let mut words = Vec::new();
                        store.bytes_of_words(from, to, &mut words)?;
                        let chunk = Chunk {
                            first: number,
                            start: from,
                            words,
                            first_ngrams: bits(&first_ngrams, FIRST_NGRAMS, from, to)?,
                            first_anchors: bits(&first_anchors, FIRST_ANCHORS, from, to)?,
                            documents,
                        };
                        if send(vec![chunk]).is_break() {
                            return Ok(());
                        }
                        (number, rest) = (number + here, later);
                    }
                }
                Ok(())
            },
            |chunk| (chunk.words.len(), chunk.documents.len(), chunk.hits(options, filters)),
            |(bytes, documents, hits)| {
                workers.advance(bytes as u64, documents as u64, 0);
                take(hits)
            },
        )
    }
}

impl Chunk {
    fn hits(&self, options: &DedupOptions, filters: &Filters) -> Hits {
        let mut hits = Hits::default();
        let is_set = |bits: &[u8], word: u64| bits[(word / 8 - self.start / 8) as usize] >> (word % 8) & 1 == 1;
        let (words, _) = self.words.as_chunks::<WORD>();
        let words: Vec<u64> =
            words.iter().map(|[a, b, c, d, e, f]| u64::from_le_bytes([*a, *b, *c, *d, *e, *f, 0, 0]) >> 1).collect();
        let (mut next, mut from) = (self.start, 0);
        for (number, (length, verdict)) in (self.first..).zip(&self.documents) {
            let own = &words[from..from + length];
            if !self.first_ngrams.is_empty() {
                let mut at = 0;
                each_hash(
                    own,
                    |word| *word,
                    options.ngram,
                    |hash| {
                        if filters.ngrams.may_contain(hash) && is_set(&self.first_ngrams, next + at) {
                            let kept = if verdict.keeps(at as usize, options.ngram) { KEPT_PLACE } else { 0 };
                            hits.ngrams.push((hash, (next + at) | kept));
                        }
                        at += 1;
                    },
                );
            }
            if !self.first_anchors.is_empty() {
                let mut at = 0;
                each_hash(
                    own,
                    |word| *word,
                    ANCHOR,
                    |hash| {
                        if is_set(&self.first_anchors, next + at) && filters.anchors.may_contain(hash) {
                            hits.anchors.push((hash, next + at));
                        }
                        at += 1;
                    },
                );
            }
            if filters.wholes.may_contain(verdict.hash) {
                hits.wholes.push((verdict.hash, number as u64));
            }
            // A placeholder separates documents.
            (next, from) = (next + *length as u64 + 1, from + length + 1);
        }
        hits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::mix;

    #[test]
    fn verdicts_are_read_as_they_were_written() {
        let verdicts = [
            PastVerdict::default(),
            PastVerdict { is_gone: true, language: 0xabcd, hash: u64::MAX - 7, removed: vec![0..7, 7..7, 9..200_000] },
        ];
        let mut bytes = Vec::new();
        for verdict in &verdicts {
            verdict.write(&mut bytes);
        }
        let mut input = &bytes[..];
        let read = [(); 2].map(|()| PastVerdict::read(&mut input).expect("a verdict"));
        assert_eq!(read, verdicts);
        assert!(PastVerdict::read(&mut input).is_err());
    }

    #[test]
    fn a_filter_contains_its_hashes_and_few_others() {
        for count in [1, 1000, 100_000] {
            let mut filter = Filter::new(count, 1 << 30);
            (0..count).for_each(|number| filter.add(mix(number)));
            assert!((0..count).all(|number| filter.may_contain(mix(number))));
            let others = (count..count + 10_000).filter(|number| filter.may_contain(mix(*number))).count();
            assert!(others < 400, "{others} of 10,000");
        }
        // Too small, it contains everything.
        let mut filter = Filter::new(1 << 20, 4096);
        (0..1 << 20).for_each(|number| filter.add(mix(number)));
        assert!(filter.may_contain(mix(1 << 30)));
    }

    #[test]
    fn an_ngram_is_kept_if_no_removed_block_is_in_it() {
        let verdict = PastVerdict { removed: vec![3..5, 8..8], ..PastVerdict::default() };
        let kept: Vec<usize> = (0..12).filter(|at| verdict.keeps(*at, 2)).collect();
        assert_eq!(kept, [0, 1, 5, 6, 8, 9, 10, 11]);
    }
}
