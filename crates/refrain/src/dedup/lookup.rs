//! Evidence about documents, looked up in order before they are judged. Whatever does not depend on earlier verdicts
//! can be computed for many documents at a time.

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use super::alignment::{common, diagonals};
use super::difference::{Difference, WordCounts, count_words, longest_new};
use super::documents::Candidate;
use super::evidence::{DedupOptions, Task, whole};
use super::group::{NUMBER, PLACE, PLACE_BITS, REPEATED_PLACE, WIDESPREAD_NUMBER, WIDESPREAD_PLACE};
use super::signature::{ANCHOR, Signature};
use super::store::Store;
use super::word_bits::WordBits;
use crate::disk::partitions::Answers;
use crate::error::Result;

/// Answers to the hashes of documents, in their order.
pub struct Lookup {
    pub(super) ngrams: Answers<NUMBER>,
    /// Where the numbers of the n-grams of each partition begin.
    pub(super) bases: Vec<u64>,
    pub(super) anchors: Answers<PLACE>,
    pub(super) wholes: Answers<PLACE>,
    pub(super) digests: Answers<PLACE>,
    /// Where the words of the next document begin.
    pub(super) next: u64,
    pub(super) aligner: Aligner,
    /// Which anchors later runs need to know, if there may be such.
    pub(super) first_anchors: Option<Arc<WordBits>>,
}

/// The progress of a lookup: the answers read for n-grams, anchors, whole documents and digests, by partition, and the
/// position of the next word.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct LookupState([Vec<u64>; 4], u64);

/// The evidence about one document that is available before it is judged.
#[derive(Debug, Clone, Default)]
pub struct DocumentEvidence {
    /// Where its words begin.
    pub(super) start: u64,
    /// The numbers of its n-grams: zero for those that occur once.
    pub(super) numbers: Vec<u64>,
    /// Which of its n-grams occur so often before that later runs need not know of them, if there may be such.
    pub(super) is_often: Vec<bool>,
    /// The first positions of its anchors, counted from 1.
    pub(super) places: Vec<u64>,
    /// How many of its anchors occur again.
    repeated: usize,
    /// The first document with its hash, counted from 1.
    pub(super) whole: u64,
    /// The hash of all of its words.
    pub(super) hash: u64,
    /// The first positions of its digests, counted from 1.
    pub(super) digests: Vec<u64>,
    /// Which of its words are in widespread text.
    pub(super) widespread: Vec<bool>,
    /// How often each word occurs in it, computed on demand.
    counts: OnceLock<WordCounts>,
    /// For each block, the earlier text aligned with it, if computed.
    pub(super) aligned: Vec<Option<Vec<Aligned>>>,
    /// Earlier documents that may resemble it, if computed.
    pub(super) alike: Option<Vec<Candidate>>,
}

/// A document that resembles others has at least this many anchors that occur again, and one in this many.
const LEAST_REPEATED: usize = 3;
const REPEATED: usize = 10;

impl DocumentEvidence {
    /// True if the document may resemble others.
    pub(crate) fn may_resemble(&self) -> bool {
        self.repeated >= LEAST_REPEATED && self.repeated * REPEATED >= self.places.len()
    }

    /// How often the words of the document occur in it.
    pub(super) fn counts(&self, signature: &Signature) -> &WordCounts {
        self.counts.get_or_init(|| count_words(&signature.words))
    }
}

/// Earlier text aligned with a block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Aligned {
    /// The share of its words that occur there in the same order.
    pub(super) share: f64,
    /// The position that corresponds to its first word.
    pub(super) first: u64,
    /// The range that was compared.
    pub(super) from: u64,
    pub(super) to: u64,
    /// How the block differs from that text.
    pub(super) difference: Difference,
}

impl Lookup {
    /// The evidence about the next document.
    pub fn look_up(&mut self, signature: &Signature) -> Result<DocumentEvidence> {
        let mut evidence = DocumentEvidence { start: self.next, ..DocumentEvidence::default() };
        if let Task::Exact(..) = self.aligner.options.task {
            let first = |digest: &u128| self.digests.next((digest >> 64) as u64).map(|(_, first)| first);
            evidence.digests = signature.digests.iter().map(first).collect::<Result<_>>()?;
            self.next += signature.digests.len() as u64 + 1;
            return Ok(evidence);
        }
        self.next += signature.words.len() as u64 + 1;
        evidence.numbers.reserve_exact(signature.ngrams.len());
        // The separator after the document has a place, too.
        let mut widespread = vec![false; signature.words.len() + 1];
        for (at, hash) in signature.ngrams.iter().enumerate() {
            let (partition, number) = self.ngrams.next(*hash)?;
            let is_often = number >= u64::from(WIDESPREAD_NUMBER);
            if is_often {
                widespread[at..at + self.aligner.options.ngram].fill(true);
            }
            let number = number & !u64::from(WIDESPREAD_NUMBER);
            if self.first_anchors.is_some() {
                evidence.is_often.push(is_often);
            }
            evidence.numbers.push(if number == 0 { 0 } else { self.bases[partition] + number });
        }
        evidence.places.reserve_exact(signature.anchors.len());
        let mut first_anchors = vec![false; widespread.len()];
        for (at, hash) in &signature.anchors {
            let place = self.anchors.next(*hash)?.1;
            first_anchors[*at as usize] = place & WIDESPREAD_PLACE == 0;
            if place & WIDESPREAD_PLACE != 0 {
                widespread[*at as usize..*at as usize + ANCHOR].fill(true);
            }
            evidence.repeated += usize::from(place & REPEATED_PLACE != 0);
            evidence.places.push(place & PLACE_BITS);
        }
        evidence.hash = whole(signature);
        evidence.whole = self.wholes.next(evidence.hash)?.1 & PLACE_BITS;
        self.aligner.widespread.push(&widespread)?;
        self.first_anchors.as_ref().map_or(Ok(()), |bits| bits.push(&first_anchors))?;
        widespread.pop();
        evidence.widespread = widespread;
        Ok(evidence)
    }

    /// The progress of the lookup, for a [checkpoint](super::Learned::checkpoint).
    pub(crate) fn state(&self) -> LookupState {
        LookupState(
            [
                self.ngrams.answers_read(),
                self.anchors.answers_read(),
                self.wholes.answers_read(),
                self.digests.answers_read(),
            ],
            self.next,
        )
    }

    /// Continues from a state.
    pub(super) fn restore(&mut self, state: &LookupState) -> Result<()> {
        let LookupState([ngrams, anchors, wholes, digests], next) = state;
        self.ngrams.skip(ngrams);
        self.anchors.skip(anchors);
        self.wholes.skip(wholes);
        self.digests.skip(digests);
        self.next = *next;
        if let Task::Exact(..) = self.aligner.options.task { Ok(()) } else { self.resume_bits() }
    }

    /// Continues the bits of words at the next document.
    pub(super) fn resume_bits(&self) -> Result<()> {
        self.aligner.widespread.resume(self.next)?;
        self.first_anchors.as_ref().map_or(Ok(()), |bits| bits.resume(self.next))
    }

    /// An aligner that compares documents with earlier text.
    pub fn aligner(&self) -> Aligner {
        self.aligner.clone()
    }
}

/// The maximum number of diagonals to try.
const DIAGONALS: usize = 3;
/// The minimum share of its words for a block to be a copy.
const LEAST_SHARE: f64 = 0.65;
/// Blocks of fewer words are not aligned.
pub(super) const LEAST_ALIGNED: usize = 8;
/// In longer blocks, a diagonal needs at least one anchor for this many words. If every third word is changed, about
/// one in twenty remains.
const WORDS_OF_HIT: usize = 64;

/// Compares documents with earlier text, whether or not that was kept.
#[derive(Clone)]
pub struct Aligner {
    pub(super) store: Arc<Store>,
    pub(super) widespread: Arc<WordBits>,
    pub(super) options: DedupOptions,
}

impl Aligner {
    /// True if whole documents are compared word by word.
    pub(crate) fn compares_documents(&self) -> bool {
        self.options.task == Task::Documents && self.options.aligns
    }

    /// Computes in advance what judging a document needs. Optional, and possible for many documents at once.
    pub fn align(&self, signature: &Signature, evidence: &mut DocumentEvidence) -> Result<()> {
        match self.options.task {
            Task::Blocks if self.options.edited && evidence.whole == 0 => {
                for block in 0..signature.blocks.len() {
                    let known = self.is_repeated(signature, block, evidence);
                    let aligned = if known { None } else { Some(self.aligned(signature, block, evidence)?) };
                    evidence.aligned.push(aligned);
                }
            }
            Task::Documents if evidence.whole == 0 => {
                evidence.alike = Some(self.candidates(signature, evidence)?);
            }
            _ => {}
        }
        Ok(())
    }

    /// True if most n-grams of a block are repeated, so that it is probably a copy by n-grams.
    fn is_repeated(&self, signature: &Signature, block: usize, evidence: &DocumentEvidence) -> bool {
        let words = signature.words_of(block);
        let numbers = &evidence.numbers[words.start.min(evidence.numbers.len())..words.end.min(evidence.numbers.len())];
        let repeated = numbers.iter().filter(|number| **number > 0).count();
        !numbers.is_empty() && repeated as f64 > self.options.threshold * numbers.len() as f64
    }

    /// The positions in earlier text that may have most words of a block in the same order, the likeliest first.
    pub(super) fn aligned(
        &self,
        signature: &Signature,
        block: usize,
        evidence: &DocumentEvidence,
    ) -> Result<Vec<Aligned>> {
        let range = signature.words_of(block);
        let words = &signature.words[range.clone()];
        let mut all = Vec::new();
        if words.len() < LEAST_ALIGNED {
            return Ok(all);
        }
        let [from, to] =
            [range.start, range.end].map(|end| signature.anchors.partition_point(|(at, _)| (*at as usize) < end));
        let hits = signature.anchors[from..to].iter().zip(&evidence.places[from..to]);
        let hits = hits.filter(|(_, place)| (1..=evidence.start).contains(*place));
        // The position there of the first word of the block, which can be negative before the first text.
        let first = i64::from(range.start as u32);
        let mut distances: Vec<i64> =
            hits.map(|((at, _), place)| (place - 1).cast_signed() + first - i64::from(*at)).collect();
        let length = words.len() as u64;
        let (width, slack) = ((length / 5 + 4).min(40), (length / 6 + 5).min(40));
        let mut diagonals = diagonals(&mut distances, width.cast_signed(), DIAGONALS);
        diagonals.retain(|diagonal| diagonal.hits * WORDS_OF_HIT >= words.len().saturating_sub(WORDS_OF_HIT));
        if diagonals.is_empty() {
            return Ok(all);
        }
        let pattern = signature.hashes_of(range);
        let mut text = Vec::new();
        for diagonal in diagonals {
            let first = u64::try_from(diagonal.from).unwrap_or(0);
            let from = first.saturating_sub(slack);
            let to = (u64::try_from(diagonal.to).unwrap_or(0) + length + slack).min(evidence.start);
            if from < to {
                self.store.words(from, to, &mut text)?;
                let share = common(&pattern, &text) as f64 / pattern.len() as f64;
                let last = (u64::try_from(diagonal.to).unwrap_or(0) + length).min(to);
                let mut difference = Difference::default();
                if (LEAST_SHARE..1.0).contains(&share) {
                    let there = self.store.known_words(first, last)?;
                    difference = self.store.difference(words, &there, first, signature, evidence)?;
                    if difference.new > 0 {
                        difference.longest = longest_new(&pattern, &text, |_| false);
                    }
                }
                all.push(Aligned { share, first, from, to, difference });
            }
        }
        Ok(all)
    }
}
