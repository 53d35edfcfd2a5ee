//! How a block differs from earlier text that it resembles: whether it is that text with some words changed, or the same
//! wording for something else.

use std::collections::HashMap;

use super::alignment::differences;
use super::group::Spread;
use super::lookup::DocumentEvidence;
use super::signature::Signature;
use super::store::Store;
use crate::error::Result;
use crate::text::Word;

/// How often the words of a document occur in it.
pub(super) type WordCounts = HashMap<u64, u32, Spread>;

pub(super) fn count_words(words: &[Word]) -> WordCounts {
    let mut counts = WordCounts::with_capacity_and_hasher(words.len() / 2, Spread);
    for word in words {
        *counts.entry(word.hash).or_default() += 1;
    }
    counts
}

/// Words of a document around a place that are looked at.
pub(super) const AROUND: u64 = 1500;
/// In blocks of fewer words any other name or number makes another text; in those of more, none does.
const SHORT: usize = 12;
const LONG: usize = 120;
/// In a text of more words than these, they are looked up in a table.
const MANY: usize = 256;
/// One new word in so many must be of the subject of the document.
const OF_SUBJECT: usize = 3;
/// A word of the subject of a document occurs in it so often, and elsewhere so much more rarely.
const OFTEN: u32 = 4;
const RARER: usize = 4;

/// How a block differs from earlier text that it stands beside.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Difference {
    /// Its words that do not stand there.
    pub(super) new: usize,
    /// Those of them that are names, numbers, or of the subject of its document.
    pub(super) names: usize,
    /// It quotes: other words stand around what was copied, not in the place of others.
    pub(super) quotes: bool,
    /// By itself, it says something else.
    pub(super) other: bool,
}

impl Store {
    /// Compares a block with earlier text. It says something else when other names and numbers stand in the place of those
    /// there: marked words, but for the first one and for common ones. Or when the new words are of the subject of its
    /// document: they occur in it often, and more often than in the document of that text. Many texts have one wording for
    /// many subjects. Somebody who edits a copy changes other words, too, and puts in words that occur once, or that are common.
    pub(super) fn difference(
        &self,
        words: &[Word],
        text: &[Word],
        place: u64,
        signature: &Signature,
        evidence: &DocumentEvidence,
    ) -> Result<Difference> {
        // Of several documents the one that most of it stands in.
        let text = text.split(|word| word.hash == 0).max_by_key(|text| text.len()).unwrap_or_default();
        let known = (text.len() > MANY).then(|| count_words(text));
        let is_known = |word: &Word| match &known {
            Some(known) => known.contains_key(&word.hash),
            None => text.iter().any(|other| other.hash == word.hash),
        };
        let new: Vec<&Word> = words.iter().filter(|word| !is_known(word)).collect();
        if new.is_empty() {
            return Ok(Difference::default());
        }
        let counts = evidence.counts(signature);
        let is_often = |word: &Word| counts.get(&word.hash).is_some_and(|count| *count >= OFTEN);
        let is_fact = |word: &Word| word.marked() && !self.is_common(word.hash);
        let mut there = Vec::new();
        if new.iter().any(|word| is_often(word) && !self.is_common(word.hash)) {
            let (_, bounds) = self.document_of(place)?;
            let (start, end) = bounds.words;
            self.words(start.max(place.saturating_sub(AROUND)), end.min(place + AROUND), &mut there)?;
        }
        let is_of_subject = |word: &Word| {
            let here = counts.get(&word.hash).copied().unwrap_or_default() as usize;
            let rarer = || RARER * there.iter().filter(|there| **there == word.hash).count() * signature.words.len();
            is_often(word) && !self.is_common(word.hash) && rarer() < here * there.len()
        };
        let subject = new.iter().filter(|word| is_of_subject(word)).count();
        let names = new.iter().filter(|word| is_fact(word) || is_of_subject(word)).count();
        let mut difference = Difference {
            new: new.len(),
            names,
            quotes: false,
            other: subject > 0 && subject * OF_SUBJECT >= new.len(),
        };
        if !difference.other && words.len() <= LONG {
            difference.other = has_other_facts(words, text, is_fact);
        }
        Ok(difference)
    }
}

/// True when names or numbers stand in the place of others.
fn has_other_facts(words: &[Word], text: &[Word], is_fact: impl Fn(&Word) -> bool) -> bool {
    let is_in = |word: &Word, words: &[Word]| words.iter().any(|other| other.hash == word.hash);
    let is_new_fact = |at: &usize| *at > 0 && is_fact(&words[*at]) && !is_in(&words[*at], text);
    if !(0..words.len()).any(|at| is_new_fact(&at)) {
        return false;
    }
    if words.len() < SHORT {
        return true;
    }
    let hashes = |words: &[Word]| words.iter().map(|word| word.hash).collect::<Vec<_>>();
    let (new, old) = differences(&hashes(words), &hashes(text));
    let new_facts = new.iter().filter(|at| is_new_fact(at)).count();
    let old_facts = old.iter().filter(|at| is_fact(&text[**at]) && !is_in(&text[**at], words)).count();
    2 * new_facts >= new.len() && old_facts > 0 && 2 * old_facts >= old.len()
}
