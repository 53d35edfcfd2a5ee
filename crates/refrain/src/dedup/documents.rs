//! Documents that resemble an earlier one: by the n-grams that both have.

use std::collections::{HashMap, HashSet};

use super::evidence::{Learned, whole};
use super::signature::Signature;
use crate::error::Result;
use crate::text::mix;

/// Words of the n-grams that documents are compared by.
const SHINGLE: usize = 5;
/// Earlier documents that a document is compared with.
const CANDIDATES: usize = 4;

/// An earlier document that a document resembles.
#[derive(Debug, Clone, PartialEq)]
pub struct Resembles {
    /// Its id.
    pub document: String,
    /// Its number.
    pub number: usize,
    /// How many of the n-grams of both both have: from 0 to 1.
    pub score: f64,
}

impl Learned {
    /// Judges the next document as a whole: which earlier one, kept so far, it resembles most, if it resembles one.
    pub fn judge_document(&mut self, signature: &Signature, threshold: f64) -> Result<Option<Resembles>> {
        let (number, start) = self.begin(signature)?;
        let (_, first): (_, u64) = self.wholes.next(whole(signature))?;
        let mut shared: HashMap<usize, u32> = HashMap::new();
        for (_, hash) in &signature.anchors {
            let (_, place): (_, u64) = self.anchors.next(*hash)?;
            if (1..=start).contains(&place) {
                *shared.entry(self.number_of(place - 1)).or_default() += 1;
            }
        }
        let mut found = None;
        if first > 0 && !signature.words.is_empty() {
            found = Some((first as usize - 1, 1.0));
        } else if let Some((other, score)) = self.most_alike(signature, shared)?
            && score >= threshold
        {
            found = Some((other, score));
        }
        let Some((other, score)) = found else { return Ok(None) };
        self.gone.set(number as u64);
        Ok(Some(Resembles { document: self.id_of(other)?, number: other, score }))
    }

    /// Of the documents with which a document shares anchors, the one that resembles it most.
    fn most_alike(&self, signature: &Signature, shared: HashMap<usize, u32>) -> Result<Option<(usize, f64)>> {
        let mut candidates: Vec<(usize, u32)> = shared.into_iter().collect();
        candidates.retain(|(other, _)| !self.gone.get(*other as u64));
        candidates.sort_unstable_by_key(|(other, shared)| (std::cmp::Reverse(*shared), *other));
        candidates.truncate(CANDIDATES);
        if candidates.is_empty() {
            return Ok(None);
        }
        let own = shingles(&signature.words.iter().map(|word| word.hash as u32).collect::<Vec<_>>());
        let mut best: Option<(usize, f64)> = None;
        for (other, _) in candidates {
            let theirs = shingles(&self.words_between(self.documents[other].word, self.documents[other + 1].word)?);
            let both = own.intersection(&theirs).count();
            let score = both as f64 / (own.len() + theirs.len() - both).max(1) as f64;
            if best.is_none_or(|(_, best)| score > best) {
                best = Some((other, score));
            }
        }
        Ok(best)
    }
}

fn shingles(words: &[u32]) -> HashSet<u64> {
    words.windows(SHINGLE).map(|window| window.iter().fold(0, |hash, word| mix(hash ^ u64::from(*word)))).collect()
}
