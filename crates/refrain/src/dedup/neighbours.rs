//! Short blocks: they follow the copies next to them if they are also next to them in the source text. By the published rule, they
//! always do.

use super::alignment::common;
use super::blocks::{By, Copied, only_source};
use super::difference::AROUND;
use super::learned::Learned;
use super::lookup::DocumentEvidence;
use super::signature::Signature;
use crate::error::Result;
use crate::text::Word;

impl Learned {
    /// Marks short blocks next to a duplicate as copies if they are also next to it in its source.
    pub(super) fn extend_copies(
        &mut self,
        signature: &Signature,
        evidence: &DocumentEvidence,
        edited: bool,
        verdicts: &mut [Option<Copied>],
    ) -> Result<()> {
        let blocks = verdicts.len();
        // Documents that share some passages have headings that differ in one word.
        let needed = if edited || only_source(signature, verdicts).is_some() { BESIDE } else { 1.0 };
        let forwards = (1..blocks).map(|block| (block, block - 1));
        let backwards = (0..blocks.saturating_sub(1)).rev().map(|block| (block, block + 1));
        for (block, beside) in forwards.chain(backwards) {
            let words = signature.words_of(block);
            if verdicts[block].is_some() || words.is_empty() || words.len() >= self.options.stub {
                continue;
            }
            let Some((first, there)) = self.text_next_to(signature, block, beside, verdicts, EDGE, evidence)? else {
                continue;
            };
            let own = &signature.words[words.clone()];
            let hashes: Vec<u64> = there.iter().map(|word| word.hash).collect();
            let share = common(&signature.hashes_of(words), &hashes) as f64 / own.len() as f64;
            if share < needed {
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

    /// The position and the words next to a duplicate in its source, where a block would be.
    fn text_next_to(
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

    /// Short blocks follow the blocks around them: those between two duplicates, and those next to one, if all longer
    /// blocks are duplicates and the short ones are a small part of the document. Their words must occur near the
    /// source.
    pub(super) fn mark_short_blocks(
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
                    if length(block) == 0
                        || self.occurs_near_source(signature, block, &beside, verdicts, evidence, edited)?
                    {
                        verdicts[block] = Some(Copied::new(By::Neighbours, 0.0, None));
                    }
                }
            }
            start = end;
        }
        Ok(())
    }

    /// True if all words of a short block occur in order near the source of the blocks next to it. Most words are enough if
    /// the document is an edited copy, or comes mostly from another.
    fn occurs_near_source(
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
        // The document that most of this one comes from.
        let source = only_source(signature, verdicts);
        for beside in beside {
            if let Some(place) = verdicts[*beside].as_ref().and_then(|copied| copied.place)
                && self.occurs_in_document(&hashes, place, AROUND)?
            {
                return Ok(true);
            }
            let edge = self.options.stub as u64;
            let Some((first, there)) = self.text_next_to(signature, block, *beside, verdicts, edge, evidence)? else {
                continue;
            };
            let difference = self.store.difference(own, &there, first, signature, evidence)?;
            let found = if edited || source.is_some() {
                2 * difference.new < own.len() && (edited || !difference.other)
            } else {
                // Some of the words occur by chance near any place, but not all of them in order.
                let there: Vec<u64> = there.iter().map(|word| word.hash).collect();
                common(&hashes, &there) == own.len()
            };
            if found {
                return Ok(true);
            }
        }
        // A passage in many documents is attributed to the first; the other blocks show where the whole comes from.
        match source {
            Some(place) => self.occurs_in_document(&hashes, place, FAR),
            None => Ok(false),
        }
    }

    /// True if the words occur in sequence near a position, in its document, and were not removed.
    fn occurs_in_document(&self, words: &[u64], place: u64, around: u64) -> Result<bool> {
        let (_, bounds) = self.store.document_of(place)?;
        let (from, to) = (bounds.words.0.max(place.saturating_sub(around)), bounds.words.1.min(place + around));
        let mut there = Vec::new();
        self.store.words(from, to, &mut there)?;
        let length = words.len() as u64;
        let is_there = |(at, window): (u64, &[u64])| window == words && !self.is_removed(at, at + length);
        Ok((from..).zip(there.windows(words.len().max(1))).any(is_there))
    }
}

/// The published rule for short blocks: in a document with a duplicate, blocks that have at most `stub` words together
/// are duplicates, too, if they are between duplicates, or between a duplicate and the start or end of the document.
pub(super) fn smooth(signature: &Signature, stub: usize, verdicts: &mut [Option<Copied>]) {
    if stub == 0 || verdicts.iter().all(Option::is_none) {
        return;
    }
    let mut start = 0;
    for run in verdicts.chunk_by_mut(|one, next| one.is_some() == next.is_some()) {
        let blocks = start..start + run.len();
        start = blocks.end;
        let words: usize = blocks.map(|block| signature.words_of(block).len()).sum();
        if run[0].is_none() && words <= stub {
            run.fill(Some(Copied::new(By::Neighbours, 0.0, None)));
        }
    }
}

/// Words around a copied block that are searched for a short one, if most of the document is copied.
const FAR: u64 = 20_000;
/// At most one word in this many of an otherwise duplicate document may remain.
const LEFT_OVER: usize = 2;
/// Words around the expected position of a short block, and the share of it that must be there in a copy with changes.
pub(super) const EDGE: u64 = 3;
const BESIDE: f64 = 0.75;
