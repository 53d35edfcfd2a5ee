//! Judges documents with the evidence learned from a collection, in the same order.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::blocks::Of;
use super::evidence::{Counts, DedupOptions, Folder, NgramAnswers};
use super::group::{Most, Spread, each_kept};
use super::lookup::{Aligner, DocumentEvidence, Lookup, LookupState};
use super::past::{FIRST_ANCHORS, FIRST_NGRAMS, WIDESPREAD};
use super::signature::Signature;
use super::store::{Bounds, Store};
use super::tables::{Bits, Kept, Places};
use super::word_bits::WordBits;
use crate::disk::atomic::AtomicFile;
use crate::disk::partitions::{Answers, Partition};
use crate::error::{Error, IoContext, Result};

/// Words that share a bit.
pub(super) const CELL: u64 = 8;

/// The result of learning. It judges documents in the same order.
pub struct Learned {
    pub(super) options: DedupOptions,
    /// `None` once it was taken.
    pub(super) lookup: Option<Lookup>,
    pub(super) aligner: Aligner,
    /// N-grams that occur at least twice and are in text kept so far.
    pub(super) kept: Kept,
    /// Their first positions in kept text.
    pub(super) places: Places,
    /// Words that were removed so far, eight at a time.
    pub(super) removed: Bits,
    /// Documents that were removed as a whole.
    pub(super) gone: Bits,
    /// The languages of documents that were judged as a whole; 0 if unknown.
    pub(super) languages: Vec<u16>,
    /// Which n-grams and anchors later runs need to know, if there may be such.
    pub(super) first_ngrams: Option<WordBits>,
    first_anchors: Option<Arc<WordBits>>,
    pub(super) store: Arc<Store>,
    pub(super) counts: Counts,
    pub(super) state: State,
    /// How often the most frequent n-grams occur.
    pub(super) top: HashMap<u64, u64, Spread>,
    /// Those in passages that were already reported.
    pub(super) reported: HashSet<u64, Spread>,
    /// The bounds of some documents, and the number of the first of them.
    bounds: (usize, Vec<Bounds>),
    /// The document of the last position looked up: its bounds and its id.
    last_place: Option<((u64, u64), String)>,
    resumed: Option<Value>,
    folder: Folder,
}

/// The small part of the state that changes from document to document.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct State {
    /// The next document.
    pub(super) next: usize,
    pub(super) after: After,
}

/// Figures of the kept text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct After {
    pub(super) words: u64,
    pub(super) ngrams: u64,
    /// The number of these n-grams that occur only once.
    pub(super) unique: u64,
    /// N-grams that occurred once, and were removed.
    pub(super) lost: u64,
}

/// The content of a checkpoint, before the bits.
#[derive(Serialize, Deserialize)]
struct Saved {
    state: State,
    lookup: LookupState,
    reported: Vec<u64>,
    languages: Vec<u16>,
    of: Value,
}

const SAVED: &str = "mark.state";

type Partitions = (Vec<Partition>, Vec<Partition>, Vec<Partition>);

impl Learned {
    pub(super) fn open(
        options: DedupOptions,
        folder: Folder,
        counts: Counts,
        words: u64,
        store: Store,
        ngrams: NgramAnswers,
        (anchors, wholes, digests): Partitions,
    ) -> Result<Learned> {
        let mut bases = vec![0];
        let mut top = Most::default();
        let (mut kept, mut places) = (Kept::new(counts.duplicate + 1), Places::new(folder.path().join("places")));
        let is_resumed = folder.path().join(SAVED).exists();
        let ngrams = match ngrams {
            NgramAnswers::Hashed(partitions, repeated, most) => {
                bases.extend(repeated.iter().scan(0, |base, repeated| {
                    *base += repeated;
                    Some(*base)
                }));
                top.add(most, |(partition, number)| bases[partition] + u64::from(number));
                for (partition, base) in partitions.iter().zip(&bases).filter(|_| !is_resumed) {
                    each_kept(partition, |number, place| {
                        kept.add(base + number - 1);
                        places.set(base + number - 1, place)
                    })?;
                }
                Answers::new(partitions)
            }
            #[cfg(feature = "papers")]
            NgramAnswers::Placed(found) => {
                top.add(found.most, u64::from);
                Answers::of_file(found.answers)
            }
        };
        let store = Arc::new(store);
        let widespread = Arc::new(WordBits::new(store.path(WIDESPREAD)));
        let bits = |name, is_needed: bool| (options.causal && is_needed).then(|| WordBits::new(store.path(name)));
        let first_ngrams = bits(FIRST_NGRAMS, options.needs_ngrams());
        let first_anchors = bits(FIRST_ANCHORS, options.needs_anchors()).map(Arc::new);
        let aligner = Aligner { store: store.clone(), widespread, options: options.clone() };
        let lookup = Lookup {
            ngrams,
            bases,
            anchors: Answers::new(anchors),
            wholes: Answers::new(wholes),
            digests: Answers::new(digests),
            next: 0,
            aligner: aligner.clone(),
            first_anchors: first_anchors.clone(),
        };
        let mut learned = Learned {
            lookup: Some(lookup),
            aligner,
            kept,
            places,
            removed: Bits::new(words.div_ceil(CELL) + 1),
            gone: Bits::new(counts.documents),
            languages: Vec::new(),
            first_ngrams,
            first_anchors,
            store,
            counts,
            state: State::default(),
            top: top.counts.into_iter().map(|(count, number)| (number, count)).collect(),
            reported: HashSet::default(),
            bounds: (0, Vec::new()),
            last_place: None,
            resumed: None,
            options,
            folder,
        };
        learned.restore()?;
        Ok(learned)
    }

    /// N-grams in figures.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// N-grams of the text that was kept, in figures.
    pub fn counts_after(&self) -> Counts {
        let After { words, ngrams, unique, .. } = self.state.after;
        let (kept, again) = self.kept.counts();
        Counts {
            documents: self.state.next as u64 - self.gone.count(),
            words,
            ngrams,
            distinct: unique + kept,
            duplicate: again,
            occurrences: ngrams - unique - (kept - again),
        }
    }

    /// The number of n-grams that no longer occur in the kept text.
    pub fn lost(&self) -> u64 {
        self.state.after.lost + self.counts.duplicate - self.kept.counts().0
    }

    /// The number of the next document, counted from 0.
    pub fn next_number(&self) -> usize {
        self.state.next
    }

    /// True if the n-gram with this number occurs in the kept text.
    pub fn is_kept(&self, number: u64) -> bool {
        self.kept.get(number)
    }

    /// Starts the next document. Returns its number and the position of its first word, or an error if it is not the
    /// document that was learned.
    pub(super) fn begin(&mut self, length: usize) -> Result<(usize, u64)> {
        let number = self.state.next;
        if number < self.store.len() {
            let (start, end) = self.next_bounds(number)?;
            if end - start == length as u64 {
                self.state.next += 1;
                return Ok((number, start));
            }
        }
        Err(changed())
    }

    /// Where a document begins and ends. Documents are needed in order, so they are read in batches.
    fn next_bounds(&mut self, number: usize) -> Result<(u64, u64)> {
        let (first, bounds) = &mut self.bounds;
        if number < *first || number >= *first + bounds.len() {
            (*first, *bounds) = (number, self.store.some_bounds(number)?);
        }
        Ok(bounds[number - *first].words)
    }

    /// Checks that all learned documents were judged.
    pub fn finish(&self) -> Result<()> {
        if self.state.next as u64 == self.counts.documents { Ok(()) } else { Err(changed()) }
    }

    /// How many earlier documents had the id of the next one; those only compared against do not count.
    pub fn times_before(&self) -> Result<u64> {
        self.store.times_before(self.state.next)
    }

    /// Returns the lookup, so that evidence about the next documents can be read while others are judged. See
    /// [`Learned::judge_with`].
    pub fn take_lookup(&mut self) -> Result<Lookup> {
        self.lookup.take().ok_or_else(|| Error::Refused("the evidence is looked up elsewhere".into()))
    }

    /// Writes the bits of all words that are still in memory.
    pub(super) fn flush_bits(&self) -> Result<()> {
        let all = [Some(&*self.aligner.widespread), self.first_anchors.as_deref(), self.first_ngrams.as_ref()];
        all.into_iter().flatten().try_for_each(WordBits::flush)
    }

    /// Room to note which n-grams of a document later runs need to know: so far, those that do not occur often before.
    pub(super) fn firsts(&self, signature: &Signature, evidence: &DocumentEvidence) -> Vec<bool> {
        let mut firsts = vec![false; if self.first_ngrams.is_some() { signature.words.len() + 1 } else { 0 }];
        firsts.iter_mut().zip(&evidence.is_often).for_each(|(first, is_often)| *first = !is_often);
        firsts
    }

    /// Adds them to those of earlier documents.
    pub(super) fn push_firsts(&self, firsts: &[bool]) -> Result<()> {
        self.first_ngrams.as_ref().map_or(Ok(()), |bits| bits.push(firsts))
    }

    /// Looks up the evidence about the next document.
    pub(super) fn look_up(&mut self, signature: &Signature) -> Result<DocumentEvidence> {
        match &mut self.lookup {
            Some(lookup) => lookup.look_up(signature),
            None => self.take_lookup().map(|_| DocumentEvidence::default()),
        }
    }

    /// True if most of a stretch was removed.
    pub(super) fn is_removed(&self, from: u64, to: u64) -> bool {
        let cells = from / CELL..to.div_ceil(CELL);
        let (all, removed) =
            cells.fold((0, 0), |(all, removed), cell| (all + 1, removed + u64::from(self.removed.get(cell))));
        2 * removed > all
    }

    /// True if nothing in or near a stretch was removed.
    pub(super) fn is_intact(&self, from: u64, to: u64) -> bool {
        !(from / CELL..to.div_ceil(CELL)).any(|cell| self.removed.get(cell))
    }

    /// The document at a position: where it begins, its id, and the range in it.
    pub(super) fn place_of(&mut self, word: u64, length: u64) -> Result<(u64, Of)> {
        // Consecutive copied blocks mostly come from the same document.
        let known = self.last_place.as_ref().filter(|((start, end), _)| (*start..*end).contains(&word));
        let ((start, end), id) = match known {
            Some(known) => known.clone(),
            None => {
                let (number, bounds) = self.store.document_of(word)?;
                let place = (bounds.words, self.store.id(number)?);
                self.last_place.insert(place).clone()
            }
        };
        let from = word.saturating_sub(start);
        Ok((start, (id, Some((from, (from + length).min(end - start))))))
    }

    /// Lets a killed run resume here; [`Learned::last_checkpoint`] then returns `of`. This works only if learning
    /// ended with a checkpoint: otherwise everything is learned again. `lookup` is the [state](Lookup::state) of the lookup
    /// after the last document that was judged.
    pub(crate) fn checkpoint(&mut self, lookup: LookupState, of: Value) -> Result<()> {
        self.places.flush()?;
        self.flush_bits()?;
        let mut reported: Vec<u64> = self.reported.iter().copied().collect();
        reported.sort_unstable();
        let languages = self.languages.clone();
        let saved = Saved { state: self.state.clone(), lookup, reported, languages, of };
        let path = self.saved_path();
        let mut out = BufWriter::with_capacity(1 << 20, AtomicFile::create(&path)?);
        let mut write = || {
            serde_json::to_writer(&mut out, &saved)?;
            out.write_all(b"\n")?;
            [self.kept.bits(), &self.removed, &self.gone].into_iter().try_for_each(|bits| bits.write(&mut out))
        };
        write().at(&path)?;
        out.into_inner().map_err(std::io::IntoInnerError::into_error).at(&path)?.commit_unsynced()
    }

    /// The value given to the last checkpoint, if this run resumed from one.
    pub fn last_checkpoint(&self) -> Option<&Value> {
        self.resumed.as_ref()
    }

    fn saved_path(&self) -> PathBuf {
        self.folder.path().join(SAVED)
    }

    /// Resumes from a checkpoint, if there is one.
    fn restore(&mut self) -> Result<()> {
        let path = self.saved_path();
        let file = match File::open(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            file => file.at(&path)?,
        };
        let mut input = BufReader::with_capacity(1 << 20, file);
        let mut line = Vec::new();
        input.read_until(b'\n', &mut line).at(&path)?;
        let saved: Saved = serde_json::from_slice(&line)
            .map_err(|error| Error::Damaged { path: path.clone(), message: error.to_string() })?;
        let bits = [self.kept.bits_mut(), &mut self.removed, &mut self.gone];
        bits.into_iter().try_for_each(|bits| bits.read(&mut input.by_ref())).at(&path)?;
        if let Some(lookup) = &mut self.lookup {
            lookup.restore(&saved.lookup)?;
            self.first_ngrams.as_ref().map_or(Ok(()), |bits| bits.resume(lookup.next))?;
        }
        self.places.resume()?;
        self.state = saved.state;
        self.languages = saved.languages;
        self.reported = saved.reported.into_iter().collect();
        self.resumed = Some(saved.of);
        Ok(())
    }
}

/// The error for documents that changed between the two passes.
fn changed() -> Error {
    Error::Refused("the documents changed during the run; run again when no other program writes to them".into())
}
