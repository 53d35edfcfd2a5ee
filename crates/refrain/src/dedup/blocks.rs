//! Blocks that stand in earlier documents already: by n-grams, and by alignment where words were changed.

use super::alignment::{common, diagonals};
use super::evidence::{CELL, Learned, whole};
use super::signature::Signature;
use crate::document::{Document, Label, Mark, Reason};
use crate::error::Result;
use crate::text::Word;

/// Why a block is a duplicate.
#[derive(Debug, Clone, PartialEq)]
pub struct Copied {
    /// How it was found.
    pub by: By,
    /// The share of its words that stand in earlier text.
    pub share: f64,
    /// The document that most of it stands in, and where: first and last word, counted from 0. None where no single place is
    /// known.
    pub of: Option<(String, u64, u64)>,
    /// The place of its first word among all words.
    place: Option<u64>,
}

/// How a duplicate was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// The whole document has the same words as an earlier one.
    Digest,
    /// Its n-grams stand in text that was kept.
    Ngrams,
    /// Its words stand there in the same order, with others between them.
    Alignment,
    /// It is short, and what stands around it is a duplicate.
    Neighbours,
}

impl By {
    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            By::Digest => "digest",
            By::Ngrams => "ngrams",
            By::Alignment => "alignment",
            By::Neighbours => "neighbours",
        }
    }
}

impl From<Copied> for Reason {
    fn from(copied: Copied) -> Reason {
        let (document, words) = copied.of.map(|(id, from, to)| (id, (from, to))).unzip();
        let share = (copied.share * 1000.0).round() / 1000.0;
        Reason::Repeats { document, words, share, by: copied.by.name().into() }
    }
}

/// A place in earlier text that resembles a block.
struct Source {
    share: f64,
    from: u64,
}

impl Learned {
    /// Marks what the next document repeats.
    pub fn mark(&mut self, document: &mut Document, signature: &Signature) -> Result<()> {
        let verdicts = self.judge(signature)?;
        for ((span, _), copied) in signature.blocks.iter().zip(verdicts) {
            if let Some(copied) = copied {
                let reason = copied.into();
                document.marks.push(Mark { span: *span, label: Label::Duplicate, pass: "dedup".into(), reason });
            }
        }
        Ok(())
    }

    /// Takes the next document as it is: nothing of it is a duplicate, and what repeats it is.
    pub fn keep(&mut self, signature: &Signature) -> Result<()> {
        let (_, start) = self.begin(signature)?;
        let answers = self.answers(signature)?;
        self.places(signature)?;
        let _: (usize, u64) = self.wholes.next(whole(signature))?;
        self.remember(signature, start, &answers, &vec![None; signature.blocks.len()]);
        Ok(())
    }

    /// The partitions of n-grams, and their numbers.
    fn answers(&mut self, signature: &Signature) -> Result<Vec<(usize, u32)>> {
        signature.ngrams.iter().map(|hash| self.ngrams.next(*hash)).collect()
    }

    /// The first places of anchors.
    fn places(&mut self, signature: &Signature) -> Result<Vec<u64>> {
        if !self.options.edited {
            return Ok(vec![0; signature.anchors.len()]);
        }
        signature.anchors.iter().map(|(_, hash)| Ok(self.anchors.next(*hash)?.1)).collect()
    }

    /// Judges the next document: for each block of its signature, why it is a duplicate, if it is one.
    pub fn judge(&mut self, signature: &Signature) -> Result<Vec<Option<Copied>>> {
        let (_, start) = self.begin(signature)?;
        let answers = self.answers(signature)?;
        let mut covered = vec![false; signature.words.len()];
        let mut reach = 0;
        for (at, (partition, answer)) in answers.iter().enumerate() {
            if *answer > 0 && self.kept[*partition].get(u64::from(*answer - 1)) {
                reach = at + self.options.ngram;
            }
            covered[at] = at < reach;
        }
        for (at, covered) in covered.iter_mut().enumerate().skip(answers.len()) {
            *covered = at < reach;
        }
        let places = self.places(signature)?;
        let (_, first): (_, u64) = self.wholes.next(whole(signature))?;
        if first > 0 && !signature.words.is_empty() {
            let id = self.id_of(first as usize - 1)?;
            let place = self.documents[first as usize - 1].word;
            let copied = |block: usize| {
                let words = signature.words_of(block);
                let of = Some((id.clone(), words.start as u64, words.end as u64));
                Some(Copied { by: By::Digest, share: 1.0, of, place: Some(place + words.start as u64) })
            };
            let verdicts: Vec<_> = (0..signature.blocks.len()).map(copied).collect();
            self.remember(signature, start, &answers, &verdicts);
            return Ok(verdicts);
        }
        let mut verdicts = Vec::with_capacity(signature.blocks.len());
        for block in 0..signature.blocks.len() {
            verdicts.push(self.judge_block(signature, block, start, &covered, &places)?);
        }
        self.extend(signature, start, &mut verdicts)?;
        smooth(signature, self.options.stub, &mut verdicts);
        self.remember(signature, start, &answers, &verdicts);
        Ok(verdicts)
    }

    fn judge_block(
        &self,
        signature: &Signature,
        block: usize,
        start: u64,
        covered: &[bool],
        places: &[u64],
    ) -> Result<Option<Copied>> {
        let range = signature.words_of(block);
        let (words, covered) = (&signature.words[range.clone()], &covered[range.clone()]);
        if words.is_empty() {
            return Ok(None);
        }
        let share = covered.iter().filter(|covered| **covered).count() as f64 / words.len() as f64;
        let other_facts = || words.iter().zip(covered).skip(1).any(|(word, covered)| word.marked && !covered);
        let by_ngrams = share > self.options.threshold && !(words.len() < SHORT && other_facts());
        if !by_ngrams && (words.len() < LEAST_ALIGNED || !self.options.edited) {
            return Ok(None);
        }
        // A short block is a part of longer n-grams: what stands around it tells where they stood.
        let reach = if words.len() < LEAST_ALIGNED { self.options.ngram } else { 0 };
        let near = range.start.saturating_sub(reach)..range.end + reach;
        let [from, to] =
            [near.start, near.end].map(|end| signature.anchors.partition_point(|(at, _)| (*at as usize) < end));
        let hits = signature.anchors[from..to].iter().zip(&places[from..to]);
        let hits = hits.filter(|(_, place)| (1..=start).contains(*place));
        // Where the first word of the block would stand there; before the first text, that is less than zero.
        let first = i64::from(range.start as u32);
        let mut distances: Vec<i64> =
            hits.map(|((at, _), place)| (place - 1).cast_signed() + first - i64::from(*at)).collect();
        let source = self.best_source(words, &mut distances, start, by_ngrams)?;
        let needed = match words.len() {
            0..15 => 0.85,
            15..30 => 0.7,
            _ => 0.65,
        };
        let by = match &source {
            _ if by_ngrams => By::Ngrams,
            Some(source) if source.share >= needed => By::Alignment,
            _ => return Ok(None),
        };
        let share = source.as_ref().map_or(share, |source| share.max(source.share));
        let place = source.map(|source| source.from);
        let of = place.map(|place| self.place_of(place, words.len() as u64)).transpose()?;
        Ok(Some(Copied { by, share, of, place }))
    }

    /// Takes short blocks beside a duplicate as copies, too, if they stand beside it in the text that it was copied from.
    fn extend(&self, signature: &Signature, start: u64, verdicts: &mut [Option<Copied>]) -> Result<()> {
        let blocks = verdicts.len();
        let forwards = (1..blocks).map(|block| (block, block - 1));
        let backwards = (0..blocks.saturating_sub(1)).rev().map(|block| (block, block + 1));
        for (block, beside) in forwards.chain(backwards) {
            let (words, copied) = (signature.words_of(block), signature.words_of(beside));
            let Some(place) = verdicts[beside].as_ref().and_then(|copied| copied.place) else { continue };
            if verdicts[block].is_some() || words.is_empty() || words.len() >= self.options.stub {
                continue;
            }
            let length = words.len() as u64;
            let first = if beside < block { place + copied.len() as u64 } else { place.saturating_sub(length) };
            let (from, to) = (first.saturating_sub(EDGE), (first + length + EDGE).min(start));
            if from >= to || self.is_removed(from, to) {
                continue;
            }
            let pattern: Vec<u32> = signature.words[words].iter().map(|word| word.hash as u32).collect();
            let share = common(&pattern, &self.words_between(from, to)?) as f64 / pattern.len() as f64;
            if share >= BESIDE {
                let of = Some(self.place_of(first, length)?);
                verdicts[block] = Some(Copied { by: By::Alignment, share, of, place: Some(first) });
            }
        }
        Ok(())
    }

    /// The place in earlier text, kept so far, that has most words of a block in the same order.
    fn best_source(
        &self,
        words: &[Word],
        distances: &mut [i64],
        start: u64,
        known_as_copy: bool,
    ) -> Result<Option<Source>> {
        let length = words.len() as u64;
        let (width, slack) = ((length / 5 + 4).min(40), (length / 6 + 5).min(40));
        let pattern: Vec<u32> = words.iter().map(|word| word.hash as u32).collect();
        let mut best: Option<Source> = None;
        for diagonal in diagonals(distances, width.cast_signed(), DIAGONALS) {
            let first = u64::try_from(diagonal.from).unwrap_or(0);
            let from = first.saturating_sub(slack);
            let to = (u64::try_from(diagonal.to).unwrap_or(0) + length + slack).min(start);
            if from >= to || self.is_removed(from, to) {
                continue;
            }
            let text = self.words_between(from, to)?;
            let share = common(&pattern, &text) as f64 / pattern.len() as f64;
            let other_facts = || words.iter().skip(1).any(|word| word.marked && !text.contains(&(word.hash as u32)));
            if best.as_ref().is_some_and(|best| best.share >= share)
                || (!known_as_copy && words.len() < SHORT && other_facts())
            {
                continue;
            }
            best = Some(Source { share, from: first });
        }
        Ok(best)
    }

    /// Remembers what is kept and what is not.
    fn remember(&mut self, signature: &Signature, start: u64, answers: &[(usize, u32)], verdicts: &[Option<Copied>]) {
        for (block, verdict) in verdicts.iter().enumerate() {
            let range = signature.words_of(block);
            if verdict.is_some() {
                let (from, to) = (start + range.start as u64, start + range.end as u64);
                (from / CELL..to / CELL).for_each(|cell| self.removed.set(cell));
                continue;
            }
            let last = range.end.min(answers.len());
            for (partition, answer) in &answers[range.start.min(last)..last] {
                if *answer > 0 {
                    self.kept[*partition].set(u64::from(*answer - 1));
                }
            }
        }
    }
}

/// One word in so many may be left over of a document that is a duplicate otherwise.
const LEFT_OVER: usize = 2;
/// Diagonals that are looked at.
const DIAGONALS: usize = 3;
/// In blocks of fewer words other names and numbers make another text.
const SHORT: usize = 12;
/// Words around the place where a short block should stand, and the share of it that has to be there.
const EDGE: u64 = 3;
const BESIDE: f64 = 0.75;
/// Blocks of fewer words are not aligned.
const LEAST_ALIGNED: usize = 8;

/// Short blocks follow the blocks around them: those between two duplicates; and those beside one, if all longer blocks are
/// duplicates and the short ones are a small part of the document.
fn smooth(signature: &Signature, stub: usize, verdicts: &mut [Option<Copied>]) {
    let is_short = |block: usize| signature.words_of(block).len() < stub;
    let follows = |block: usize, verdicts: &[Option<Copied>]| verdicts[block].is_none() && is_short(block);
    let left: usize = (0..verdicts.len())
        .filter(|block| verdicts[*block].is_none())
        .map(|block| signature.words_of(block).len())
        .sum();
    let all_gone = LEFT_OVER * left < signature.words.len()
        && (0..verdicts.len()).all(|block| verdicts[block].is_some() || is_short(block));
    let mut start = 0;
    while start < verdicts.len() {
        if !follows(start, verdicts) {
            start += 1;
            continue;
        }
        let end = (start..verdicts.len()).find(|block| !follows(*block, verdicts)).unwrap_or(verdicts.len());
        let words: usize = (start..end).map(|block| signature.words_of(block).len()).sum();
        let (before, behind) =
            (start.checked_sub(1).map(|block| verdicts[block].is_some()), verdicts.get(end).map(Option::is_some));
        let between = before == Some(true) && behind == Some(true) && words < stub;
        let left_over = all_gone && (before == Some(true) || behind == Some(true));
        if between || left_over {
            verdicts[start..end].fill(Some(Copied { by: By::Neighbours, share: 0.0, of: None, place: None }));
        }
        start = end;
    }
}
