//! How a block differs from earlier text that it resembles: whether it is an edited copy, or the same wording about
//! something else.

use std::collections::HashMap;

use super::alignment::{Gap, differences};
use super::group::Spread;
use super::lookup::DocumentEvidence;
use super::matching::missing;
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

/// Words of a document that are examined around a position.
pub(super) const AROUND: u64 = 1500;
/// In shorter blocks, any different name or number makes a different text; in longer ones, none does.
const SHORT: usize = 12;
const LONG: usize = 120;
/// Texts with more words than this are looked up in a table.
const MANY: usize = 256;
/// At least one new word in this many must belong to the subject of the document.
const OF_SUBJECT: usize = 3;
/// A word of the subject occurs at least this often in the document, and this many times more rarely elsewhere.
pub(super) const OFTEN: u32 = 4;
pub(super) const RARER: usize = 4;

/// How a block differs from the earlier text it is aligned with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Difference {
    /// The number of its words that are not in that text.
    pub(super) new: usize,
    /// The number of these that are names, numbers, or words of the subject of its document.
    pub(super) names: usize,
    /// The number of new words that belong to the subject of its document.
    pub(super) subject: usize,
    /// Whether it is a quotation: new words surround the copied text and do not replace any of it.
    pub(super) quotes: bool,
    /// The most of its words that follow each other and are new: an editor changes words here and there, an author adds
    /// statements.
    pub(super) longest: usize,
    /// Whether the block on its own is about something else.
    pub(super) other: bool,
}

/// The most words that follow each other and have no counterpart in a text, nor are known to be copied from elsewhere.
pub(super) fn longest_new(words: &[u64], text: &[u64], is_copied: impl Fn(usize) -> bool) -> usize {
    let missing = missing(words, text);
    let is_new: Vec<bool> = missing.iter().enumerate().map(|(at, missing)| *missing && !is_copied(at)).collect();
    is_new.chunk_by(|one, next| one == next).filter(|run| run[0]).map(<[bool]>::len).max().unwrap_or_default()
}

impl Store {
    /// Compares a block with earlier text. It is about something else if other names and numbers replace those in the
    /// text: marked words, except the first one and common ones. The same holds if the new words belong to the subject
    /// of its document: they occur in it often, and more often than in the other document. Many texts use one wording
    /// for many subjects. Editors of a copy also change other words, and add words that occur once or are common.
    pub(super) fn difference(
        &self,
        words: &[Word],
        text: &[Word],
        place: u64,
        signature: &Signature,
        evidence: &DocumentEvidence,
    ) -> Result<Difference> {
        // If it spans several documents, take the longest part.
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
        let is_fact = |word: &Word| word.marked() && !self.is_common(word.hash, evidence.start);
        let mut there = Vec::new();
        if new.iter().any(|word| is_often(word) && !self.is_common(word.hash, evidence.start)) {
            let (_, bounds) = self.document_of(place)?;
            let (start, end) = bounds.words;
            self.words(start.max(place.saturating_sub(AROUND)), end.min(place + AROUND), &mut there)?;
        }
        let is_of_subject = |word: &Word| {
            let here = counts.get(&word.hash).copied().unwrap_or_default() as usize;
            let rarer = || RARER * there.iter().filter(|there| **there == word.hash).count() * signature.words.len();
            is_often(word) && !self.is_common(word.hash, evidence.start) && rarer() < here * there.len()
        };
        let subject = new.iter().filter(|word| is_of_subject(word)).count();
        let names = new.iter().filter(|word| is_fact(word) || is_of_subject(word)).count();
        let mut difference = Difference {
            new: new.len(),
            names,
            subject,
            other: subject > 0 && subject * OF_SUBJECT >= new.len(),
            ..Difference::default()
        };
        if !difference.other && words.len() <= LONG {
            difference.other = has_other_facts(words, text, is_fact);
        }
        Ok(difference)
    }
}

/// True if names or numbers replace others. In longer blocks, common ones count, too: a small number is everywhere.
fn has_other_facts(words: &[Word], text: &[Word], is_fact: impl Fn(&Word) -> bool) -> bool {
    let is_in = |word: &Word, words: &[Word]| words.iter().any(|other| other.hash == word.hash);
    let is_new = |at: usize| at > 0 && words[at].marked() && !is_in(&words[at], text);
    if words.len() < SHORT {
        return (0..words.len()).any(|at| is_new(at) && is_fact(&words[at]));
    }
    if !(0..words.len()).any(is_new) {
        return false;
    }
    let hashes = |words: &[Word]| words.iter().map(|word| word.hash).collect::<Vec<_>>();
    let is_old = |at: usize| text[at].marked() && !is_in(&text[at], words);
    let gaps = differences(&hashes(words), &hashes(text));
    let count = |words: &dyn Fn(&Gap) -> usize| gaps.iter().map(words).sum::<usize>();
    let (new, old) = (count(&|(new, _)| new.len()), count(&|(_, old)| old.len()));
    let new_facts = count(&|(new, _)| new.clone().filter(|at| is_new(*at)).count());
    let old_facts = count(&|(_, old)| old.clone().filter(|at| is_old(*at)).count());
    // At the ends of a block, nothing says what it replaces.
    let replaces = |(new, old): &Gap| {
        let is_end = new.start == 0 || new.end == words.len();
        new.clone().any(is_new) && (is_end || old.clone().any(is_old))
    };
    2 * new_facts >= new && old_facts > 0 && 2 * old_facts >= old && gaps.iter().any(replaces)
}
