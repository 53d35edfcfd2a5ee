//! Documents that resemble an earlier one by their shared n-grams, and documents that are identical to one.
//!
//! Candidates come from a sample of one n-gram in four, chosen by hash and looked up in the earlier documents. This is
//! the sample "modulo m" of Broder's paper on resemblance. Unlike a fixed number of minima, it covers a fair share of a
//! short passage in a long document. The n-grams that candidates share are then counted in full.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::blocks::{By, Copied, DedupFigures, Judged};
use super::evidence::Unit;
use super::learned::Learned;
use super::lookup::DocumentEvidence;
use super::signature::Signature;
use super::store::Store;
use crate::error::{Error, Result};
use crate::text::mix;

/// Words in the n-grams by which documents are compared.
const SHINGLE: usize = 5;
/// The maximum number of earlier documents that a document is compared with.
const CANDIDATES: usize = 4;

/// An earlier document that a document resembles.
#[derive(Debug, Clone, PartialEq)]
pub struct Resembles {
    /// Its id.
    pub document: String,
    /// Its number.
    pub number: usize,
    /// The resemblance, from 0 to 1.
    pub score: f64,
}

/// How the resemblance of two documents is measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// The Jaccard index: the share of the n-grams of either document that occur in both.
    #[default]
    Jaccard,
    /// The share of the n-grams of the later document that occur in the earlier one.
    Containment,
}

impl Learned {
    /// Judges the next document as a whole: returns the earlier kept document that it resembles most, if any.
    pub fn judge_document(
        &mut self,
        signature: &Signature,
        evidence: &DocumentEvidence,
        measure: Measure,
        threshold: f64,
    ) -> Result<(Option<Resembles>, DedupFigures)> {
        let (number, _) = self.begin(signature.words.len())?;
        let words = signature.words.len() as u64;
        let mut figures = DedupFigures { words, words_kept: words, ..DedupFigures::default() };
        let mut found = None;
        if self.same_words(evidence.whole, signature)?.is_some() {
            found = Some((evidence.whole as usize - 1, 1.0));
        } else if let Some((other, score)) = self.most_alike(signature, evidence, measure)?
            && score >= threshold
        {
            found = Some((other, score));
        }
        if found.is_some() {
            self.gone.set(number as u64);
            figures.words_kept = 0;
        }
        self.state.after.words += figures.words_kept;
        let resembles = |(number, score)| self.store.id(number).map(|document| Resembles { document, number, score });
        Ok((found.map(resembles).transpose()?, figures))
    }

    /// The kept document that resembles a document most, among those that share anchors with it.
    fn most_alike(
        &self,
        signature: &Signature,
        evidence: &DocumentEvidence,
        measure: Measure,
    ) -> Result<Option<(usize, f64)>> {
        let now;
        let candidates = match &evidence.alike {
            Some(candidates) => candidates,
            None => {
                now = candidates(&self.store, signature, evidence)?;
                &now
            }
        };
        let kept = candidates.iter().filter(|candidate| !self.gone.get(candidate.number as u64));
        let mut best: Option<(usize, f64)> = None;
        let mut own = None;
        for candidate in kept.take(CANDIDATES) {
            let shared = match candidate.shared {
                Some(shared) => shared,
                None => {
                    let own = own.get_or_insert_with(|| shingles(&signature.hashes_of(0..signature.words.len())));
                    Shared::of(own, &shingles_of(&self.store, candidate.number)?)
                }
            };
            let score = shared.score(measure);
            if best.is_none_or(|(_, best)| score > best) {
                best = Some((candidate.number, score));
            }
        }
        Ok(best)
    }

    /// How much one document resembles another, and the id of the other, by document number.
    pub fn compare(&self, one: usize, other: usize, measure: Measure) -> Result<Resembles> {
        let shared = Shared::of(&shingles_of(&self.store, one)?, &shingles_of(&self.store, other)?);
        Ok(Resembles { document: self.store.id(other)?, number: other, score: shared.score(measure) })
    }

    /// The number of words in a document, by its number.
    pub fn length_of(&self, number: usize) -> Result<u64> {
        let (from, to) = self.store.bounds(number)?.words;
        Ok(to - from)
    }

    /// The display name of a document, by its number.
    pub fn name_of(&self, number: usize) -> Result<String> {
        self.store.name(number)
    }

    /// The id of a document, by its number.
    pub fn id_of(&self, number: usize) -> Result<String> {
        self.store.id(number)
    }

    /// Judges the next document by digests.
    pub(super) fn judge_exact(
        &mut self,
        signature: &Signature,
        evidence: &DocumentEvidence,
        unit: Unit,
    ) -> Result<Judged> {
        let (number, _) = self.begin(signature.digests.len())?;
        let mut ids: HashMap<usize, String> = HashMap::new();
        let mut judged = Judged::default();
        for block in 0..signature.blocks.len() {
            let first = evidence.digests[if unit == Unit::Document { 0 } else { block }];
            let words = signature.words_of(block).len() as u64;
            judged.figures.words += words;
            // A text without words is not a copy, and repetition inside a document is kept.
            let copied = (1..=evidence.start).contains(&first)
                && (if unit == Unit::Document { !signature.words.is_empty() } else { words > 0 });
            judged.blocks.push(if copied {
                let (other, bounds) = self.store.document_of(first - 1)?;
                let id = match ids.get(&other) {
                    Some(id) => id.clone(),
                    None => ids.entry(other).or_insert(self.store.id(other)?).clone(),
                };
                let source = Some(bounds.words.0);
                Some(Copied { source, ..Copied::new(By::Digest, 1.0, Some((id, None))) })
            } else {
                judged.figures.words_kept += words;
                None
            });
        }
        if judged.blocks.iter().all(Option::is_some) && !judged.blocks.is_empty() {
            self.gone.set(number as u64);
        }
        self.state.after.words += judged.figures.words_kept;
        Ok(judged)
    }
}

/// An earlier document that shares anchors with a document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    number: usize,
    /// The n-grams they share, if counted.
    shared: Option<Shared>,
}

/// N-grams of two documents.
#[derive(Debug, Clone, Copy)]
struct Shared {
    both: usize,
    own: usize,
    theirs: usize,
}

/// The documents that first contain the anchors of a document, those with the most in front; some are compared.
pub(super) fn candidates(store: &Store, signature: &Signature, evidence: &DocumentEvidence) -> Result<Vec<Candidate>> {
    let known = evidence.places.iter().filter(|place| (1..=evidence.start).contains(*place));
    let mut places: Vec<u64> = known.map(|place| place - 1).collect();
    places.sort_unstable();
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut rest = &places[..];
    while let Some(place) = rest.first() {
        let (number, bounds) = store.document_of(*place)?;
        let here = rest.partition_point(|place| *place < bounds.words.1);
        found.push((here, number));
        rest = &rest[here.max(1)..];
    }
    found.sort_unstable_by_key(|(hits, number)| (std::cmp::Reverse(*hits), *number));
    let own = if found.is_empty() { Vec::new() } else { shingles(&signature.hashes_of(0..signature.words.len())) };
    let candidate = |(at, (_, number)): (usize, (usize, usize))| {
        let compare = || Ok::<_, Error>(Shared::of(&own, &shingles_of(store, number)?));
        Ok(Candidate { number, shared: (at < CANDIDATES).then(compare).transpose()? })
    };
    found.into_iter().enumerate().map(candidate).collect()
}

fn shingles_of(store: &Store, number: usize) -> Result<Vec<u64>> {
    let (from, to) = store.bounds(number)?.words;
    let mut words = Vec::new();
    store.words(from, to, &mut words)?;
    Ok(shingles(&words))
}

/// The distinct n-grams of a document, in order.
fn shingles(words: &[u64]) -> Vec<u64> {
    let hash = |window: &[u64]| window.iter().fold(0, |hash, word| mix(hash ^ word));
    let mut shingles: Vec<u64> = words.windows(SHINGLE).map(hash).collect();
    shingles.sort_unstable();
    shingles.dedup();
    shingles
}

impl Shared {
    /// Compares sorted n-grams.
    fn of(own: &[u64], theirs: &[u64]) -> Shared {
        let (mut both, mut left) = (0, theirs.iter().peekable());
        for shingle in own {
            while left.next_if(|theirs| *theirs < shingle).is_some() {}
            both += usize::from(left.peek() == Some(&shingle));
        }
        Shared { both, own: own.len(), theirs: theirs.len() }
    }

    fn score(self, measure: Measure) -> f64 {
        let all = match measure {
            Measure::Jaccard => self.own + self.theirs - self.both,
            Measure::Containment => self.own,
        };
        self.both as f64 / all.max(1) as f64
    }
}
