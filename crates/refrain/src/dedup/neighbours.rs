//! Short blocks: they follow the copies beside them, where they stand beside them in the text that these came from.

use super::alignment::common;
use super::blocks::{By, Copied, FEW_NEW, MOSTLY, main_source};
use super::difference::AROUND;
use super::learned::Learned;
use super::lookup::DocumentEvidence;
use super::signature::Signature;
use crate::error::Result;
use crate::text::Word;

impl Learned {
    /// Takes short blocks beside a duplicate as copies, too, if they stand beside it in the text that it was copied from.
    pub(super) fn extend(
        &mut self,
        signature: &Signature,
        evidence: &DocumentEvidence,
        edited: bool,
        verdicts: &mut [Option<Copied>],
    ) -> Result<()> {
        let blocks = verdicts.len();
        let forwards = (1..blocks).map(|block| (block, block - 1));
        let backwards = (0..blocks.saturating_sub(1)).rev().map(|block| (block, block + 1));
        for (block, beside) in forwards.chain(backwards) {
            let words = signature.words_of(block);
            if verdicts[block].is_some() || words.is_empty() || words.len() >= self.options.stub {
                continue;
            }
            let Some((first, there)) = self.text_beside(signature, block, beside, verdicts, EDGE, evidence)? else {
                continue;
            };
            let own = &signature.words[words.clone()];
            let hashes: Vec<u64> = there.iter().map(|word| word.hash).collect();
            let share = common(&signature.hashes_of(words), &hashes) as f64 / own.len() as f64;
            if share < BESIDE {
                continue;
            }
            let difference = self.store.difference(own, &there, first, signature, evidence)?;
            if edited || !difference.other {
                let (source, of) = self.place_of(first, own.len() as u64)?;
                let (source, of, place) = (Some(source), Some(of), Some(first));
                verdicts[block] = Some(Copied { by: By::Alignment, share, of, place, source, difference });
            }
        }
        Ok(())
    }

    /// Where a block would stand beside a duplicate in the text that this was copied from, and the words there.
    fn text_beside(
        &self,
        signature: &Signature,
        block: usize,
        beside: usize,
        verdicts: &[Option<Copied>],
        edge: u64,
        evidence: &DocumentEvidence,
    ) -> Result<Option<(u64, Vec<Word>)>> {
        let Some(place) = verdicts[beside].as_ref().and_then(|copied| copied.place) else { return Ok(None) };
        let length = signature.words_of(block).len() as u64;
        let first =
            if beside < block { place + signature.words_of(beside).len() as u64 } else { place.saturating_sub(length) };
        let (from, to) = (first.saturating_sub(edge), (first + length + edge).min(evidence.start));
        if from >= to || self.is_removed(from, to) {
            return Ok(None);
        }
        Ok(Some((first, self.store.known_words(from, to)?)))
    }

    /// Short blocks follow the blocks around them: those between two duplicates; and those beside one, if all longer blocks are
    /// duplicates and the short ones are a small part of the document. Their words have to stand about there.
    pub(super) fn smooth(
        &self,
        signature: &Signature,
        evidence: &DocumentEvidence,
        edited: bool,
        verdicts: &mut [Option<Copied>],
    ) -> Result<()> {
        let stub = self.options.stub;
        let length = |block: usize| signature.words_of(block).len();
        let follows = |block: usize, verdicts: &[Option<Copied>]| verdicts[block].is_none() && length(block) < stub;
        let left: usize = (0..verdicts.len()).filter(|block| verdicts[*block].is_none()).map(length).sum();
        let all_gone = LEFT_OVER * left < signature.words.len()
            && (0..verdicts.len()).all(|block| verdicts[block].is_some() || length(block) < stub);
        let mut start = 0;
        while start < verdicts.len() {
            if !follows(start, verdicts) {
                start += 1;
                continue;
            }
            let end = (start..verdicts.len()).find(|block| !follows(*block, verdicts)).unwrap_or(verdicts.len());
            let words: usize = (start..end).map(length).sum();
            let (before, behind) = (
                start.checked_sub(1).filter(|block| verdicts[*block].is_some()),
                (end < verdicts.len()).then_some(end),
            );
            let between = before.is_some() && behind.is_some() && words < stub;
            if between || (all_gone && (before.is_some() || behind.is_some())) {
                let beside: Vec<usize> = before.into_iter().chain(behind).collect();
                for block in start..end {
                    if length(block) == 0 || self.stands_about(signature, block, &beside, verdicts, evidence, edited)? {
                        verdicts[block] = Some(Copied::new(By::Neighbours, 0.0, None));
                    }
                }
            }
            start = end;
        }
        Ok(())
    }

    /// True when nearly all words of a short block stand about where the blocks beside it were copied from, and no others tell
    /// of another subject; most of them where the document is an edited copy, or comes from another for the most part.
    fn stands_about(
        &self,
        signature: &Signature,
        block: usize,
        beside: &[usize],
        verdicts: &[Option<Copied>],
        evidence: &DocumentEvidence,
        edited: bool,
    ) -> Result<bool> {
        let words = signature.words_of(block);
        let own = &signature.words[words.clone()];
        let hashes = signature.hashes_of(words);
        // The document that this one comes from for the most part.
        let source = main_source(signature, verdicts)
            .filter(|(copied, _)| *copied as f64 > MOSTLY * signature.words.len() as f64);
        for beside in beside {
            if let Some(place) = verdicts[*beside].as_ref().and_then(|copied| copied.place)
                && self.stands_in_document(&hashes, place, AROUND)?
            {
                return Ok(true);
            }
            let edge = self.options.stub as u64;
            let Some((first, there)) = self.text_beside(signature, block, *beside, verdicts, edge, evidence)? else {
                continue;
            };
            let difference = self.store.difference(own, &there, first, signature, evidence)?;
            let (new, length) = (difference.new, own.len());
            let few = if edited || source.is_some() { 2 * new < length } else { FEW_NEW * new < length };
            if few && (edited || !difference.other) {
                return Ok(true);
            }
        }
        // Passages that stand in many documents are known by the first of these; the others tell where all of it comes from.
        match source {
            Some((_, place)) => self.stands_in_document(&hashes, place, FAR),
            None => Ok(false),
        }
    }

    /// True when words stand one after the other in the document of a place, about there, and were not removed.
    fn stands_in_document(&self, words: &[u64], place: u64, around: u64) -> Result<bool> {
        let (_, bounds) = self.store.document_of(place)?;
        let (from, to) = (bounds.words.0.max(place.saturating_sub(around)), bounds.words.1.min(place + around));
        let mut there = Vec::new();
        self.store.words(from, to, &mut there)?;
        let length = words.len() as u64;
        let is_there = |(at, window): (u64, &[u64])| window == words && !self.is_removed(at, at + length);
        Ok((from..).zip(there.windows(words.len().max(1))).any(is_there))
    }
}

/// Words around a copied block among which a short one beside it is looked for where most of a document is copied.
const FAR: u64 = 20_000;
/// One word in so many may be left over of a document that is a duplicate otherwise.
const LEFT_OVER: usize = 2;
/// Words around the place where a short block should stand, and the share of it that has to be there.
pub(super) const EDGE: u64 = 3;
const BESIDE: f64 = 0.75;
