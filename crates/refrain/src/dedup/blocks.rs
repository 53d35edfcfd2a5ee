//! Blocks that repeat earlier documents, found by n-grams, or by alignment if words were changed.

use std::collections::BTreeMap;
use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::difference::{Difference, longest_new};
use super::evidence::Task;
use super::learned::{CELL, Learned};
use super::lookup::{Aligned, DocumentEvidence};
use super::matching::{Side, compare};
use super::neighbours::{EDGE, smooth};
use super::signature::Signature;
use crate::document::{Document, Label, Mark, Reason, Span};
use crate::error::Result;

/// Why a block is a duplicate.
#[derive(Debug, Clone, PartialEq)]
pub struct Copied {
    /// How it was found.
    pub by: By,
    /// The share of its words that occur in earlier text.
    pub share: f64,
    /// The document that contains most of it, and the range of words there, counted from 0. `None` if no single source
    /// is known.
    pub of: Option<Of>,
    /// The position of its first word among all words.
    pub(super) place: Option<u64>,
    /// Where its source document begins.
    pub(super) source: Option<u64>,
    /// How it differs from its source.
    pub(super) difference: Difference,
}

/// A document, and words in it.
pub(crate) type Of = (String, Option<(u64, u64)>);

/// How a duplicate was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// The whole document has the same words as an earlier one.
    Digest,
    /// Its n-grams occur in text that was kept.
    Ngrams,
    /// Its words occur there in the same order, with others between them.
    Alignment,
    /// It is short, and the blocks around it are duplicates.
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

impl Copied {
    /// A copy without further details.
    pub(super) fn new(by: By, share: f64, of: Option<Of>) -> Copied {
        Copied { by, share, of, place: None, source: None, difference: Difference::default() }
    }
}

impl From<Copied> for Reason {
    fn from(copied: Copied) -> Reason {
        let (document, words) = copied.of.unzip();
        let share = (copied.share * 1000.0).round() / 1000.0;
        Reason::Repeats { document, words: words.flatten(), share, by: copied.by.name().into() }
    }
}

/// Consecutive words of a document that occur in earlier text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Copy {
    words: Range<usize>,
    /// The position of the first of them.
    place: u64,
}

/// What was found in a document.
#[derive(Debug, Clone, Default)]
pub struct Judged {
    /// Why each block of the signature is a duplicate, if it is one.
    pub blocks: Vec<Option<Copied>>,
    /// The numbers of the documents that marks were copied from, if these are [noted](super::DedupOptions::sources).
    pub sources: Vec<Option<usize>>,
    /// The figures of the document.
    pub figures: DedupFigures,
    /// Blocks that were kept because they have the wording of many documents, but say something else.
    pub of_templates: usize,
    /// Passages that are among the most repeated ones of the collection and were not seen before.
    pub(crate) frequent: Vec<FrequentPassage>,
    /// Stretches with no other copy kept so far, if these are [listed](super::DedupOptions::list_lost).
    pub(crate) lost: Vec<Lost>,
}

/// The figures of a document.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DedupFigures {
    /// Words.
    pub words: u64,
    /// N-grams.
    pub ngrams: u64,
    /// N-grams that occur more than once in the collection.
    pub repeated: u64,
    /// Words that were kept.
    pub words_kept: u64,
    /// N-grams that were kept.
    pub ngrams_kept: u64,
    /// N-grams that already occur in kept text.
    pub repeated_kept: u64,
}

impl std::ops::AddAssign for DedupFigures {
    fn add_assign(&mut self, other: DedupFigures) {
        self.words += other.words;
        self.ngrams += other.ngrams;
        self.repeated += other.repeated;
        self.words_kept += other.words_kept;
        self.ngrams_kept += other.ngrams_kept;
        self.repeated_kept += other.repeated_kept;
    }
}

/// A passage that is repeated often.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FrequentPassage {
    /// Its range in the text of the document.
    pub span: Span,
    /// The number of words.
    pub words: u64,
    /// How often its most frequent n-gram occurs.
    pub count: u64,
}

/// A removed stretch that does not occur completely in text that was kept before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lost {
    /// The block that contains it.
    pub block: usize,
    /// Where its n-grams begin, and their numbers; zero for those that occur nowhere else. See [`Learned::is_kept`].
    pub ngrams: Vec<(usize, u64)>,
}

impl Learned {
    /// Marks what the next document repeats.
    pub(crate) fn mark(
        &mut self,
        document: &mut Document,
        signature: &Signature,
        evidence: &DocumentEvidence,
    ) -> Result<Judged> {
        let mut judged = self.judge_with(signature, evidence)?;
        for ((span, _), copied) in signature.blocks.iter().zip(&mut judged.blocks) {
            if let Some(copied) = copied.take() {
                if self.options.sources {
                    let number = |word| self.store.document_of(word).map(|(number, _)| number);
                    judged.sources.push(copied.source.map(number).transpose()?);
                }
                let reason = copied.into();
                document.marks.push(Mark { span: *span, label: Label::Duplicate, pass: "dedup".into(), reason });
            }
        }
        Ok(judged)
    }

    /// Keeps the next document whole: nothing in it is a duplicate, and later text that repeats it is.
    pub(crate) fn keep(&mut self, signature: &Signature, evidence: &DocumentEvidence) -> Result<()> {
        if let Task::Exact(..) = self.options.task {
            self.begin(signature.digests.len())?;
        } else {
            let (_, start) = self.begin(signature.words.len())?;
            for (at, number) in evidence.numbers.iter().enumerate() {
                self.keep_ngram(*number, start + at as u64)?;
            }
            self.state.after.ngrams += evidence.numbers.len() as u64;
            self.state.after.unique += evidence.numbers.iter().filter(|number| **number == 0).count() as u64;
        }
        self.state.after.words += signature.words.len() as u64;
        Ok(())
    }

    /// Judges the next document.
    pub fn judge(&mut self, signature: &Signature) -> Result<Judged> {
        let evidence = self.look_up(signature)?;
        self.judge_with(signature, &evidence)
    }

    /// The same with evidence from a [lookup](Learned::take_lookup).
    pub fn judge_with(&mut self, signature: &Signature, evidence: &DocumentEvidence) -> Result<Judged> {
        if let Task::Exact(unit, _) = self.options.task {
            return self.judge_exact(signature, evidence, unit);
        }
        let (number, start) = self.begin(signature.words.len())?;
        let (blocks, of_templates) = match self.same_words(evidence.whole, signature)? {
            Some(place) => (self.all_of(evidence.whole as usize - 1, place, signature)?, 0),
            None => self.judge_blocks(signature, start, evidence)?,
        };
        let mut judged = Judged { blocks, of_templates, ..Judged::default() };
        self.note_frequent(signature, &evidence.numbers, &mut judged);
        self.remember(signature, start, evidence, &mut judged)?;
        if judged.blocks.iter().all(Option::is_some) && !judged.blocks.is_empty() {
            self.gone.set(number as u64);
        }
        Ok(judged)
    }

    /// The start of an earlier document with the same words as this one, unless it was removed as a whole. Documents
    /// are counted from 1, as in answers.
    pub(super) fn same_words(&self, first: u64, signature: &Signature) -> Result<Option<u64>> {
        if first == 0 || signature.words.is_empty() || self.gone.get(first - 1) {
            return Ok(None);
        }
        let (from, to) = self.store.bounds(first as usize - 1)?.words;
        let mut words = Vec::new();
        self.store.words(from, to, &mut words)?;
        // Different words can have the same hash; then it is another document.
        let same = words.iter().eq(signature.words.iter().map(|word| &word.hash));
        Ok(same.then_some(from))
    }

    /// The verdicts on the blocks of a document that is the same as an earlier one.
    fn all_of(&self, first: usize, place: u64, signature: &Signature) -> Result<Vec<Option<Copied>>> {
        let id = self.store.id(first)?;
        let copied = |block: usize| {
            let words = signature.words_of(block);
            let of = Some((id.clone(), Some((words.start as u64, words.end as u64))));
            let source = Some(place);
            Some(Copied { place: Some(place + words.start as u64), source, ..Copied::new(By::Digest, 1.0, of) })
        };
        Ok((0..signature.blocks.len()).map(copied).collect())
    }

    fn judge_blocks(
        &mut self,
        signature: &Signature,
        start: u64,
        evidence: &DocumentEvidence,
    ) -> Result<(Vec<Option<Copied>>, usize)> {
        let copies = self.copies(signature, start, &evidence.numbers)?;
        let mut covered = vec![false; signature.words.len()];
        for copy in &copies {
            covered[copy.words.clone()].fill(true);
        }
        let mut verdicts = Vec::with_capacity(signature.blocks.len());
        let mut first = 0;
        for block in 0..signature.blocks.len() {
            let words = signature.words_of(block);
            first += copies[first..].iter().take_while(|copy| copy.words.end <= words.start).count();
            let count = copies[first..].iter().take_while(|copy| copy.words.start < words.end).count();
            let here = &copies[first..first + count];
            let verdict = match here {
                [_, ..] if self.is_covered(&covered[words.clone()]) => {
                    Some(self.copied(here, signature, words, &covered, evidence)?)
                }
                _ if self.options.edited => self.judge_edited(signature, block, evidence)?,
                _ => None,
            };
            verdicts.push(verdict);
        }
        let edited = is_edited(signature, &verdicts);
        let mut of_template = Vec::new();
        if self.options.edited {
            doubt(signature, edited, &mut verdicts);
            if !self.options.template_text {
                of_template = self.of_template(signature, evidence, &verdicts)?;
                release(&of_template, &mut verdicts);
            }
            self.extend_copies(signature, evidence, edited, &mut verdicts)?;
        }
        if self.options.edited {
            self.mark_short_blocks(signature, evidence, edited, &mut verdicts)?;
        } else {
            smooth(signature, self.options.stub, &mut verdicts);
        }
        release(&of_template, &mut verdicts);
        Ok((verdicts, of_template.iter().filter(|of_template| **of_template).count()))
    }

    /// Which of the copied blocks have the wording of many documents, but other words where these differ. In a document
    /// that consists mostly of such blocks, those without differences belong to them.
    fn of_template(
        &self,
        signature: &Signature,
        evidence: &DocumentEvidence,
        verdicts: &[Option<Copied>],
    ) -> Result<Vec<bool>> {
        let mut of_template = vec![false; verdicts.len()];
        let (mut differ, mut fixed, mut copied) = (0, Vec::new(), 0);
        for (block, verdict) in verdicts.iter().enumerate() {
            let Some(Copied { place: Some(place), difference, .. }) = verdict else { continue };
            let words = signature.words_of(block);
            let widespread = &evidence.widespread[words.clone()];
            let count = widespread.iter().filter(|widespread| **widespread).count();
            if SOME_WIDESPREAD * count < words.len() {
                copied += words.len();
                continue;
            }
            let length = words.len() as u64;
            let slack = length / 5 + AROUND_BLOCK;
            let (from, to) = (place.saturating_sub(slack), (*place + length + slack).min(evidence.start));
            let there = self.store.known_words(from, to)?;
            // If it spans several documents, take the longest part.
            let mut next = from;
            let parts = there.split(|word| word.hash == 0).map(|part| {
                next += part.len() as u64 + 1;
                (part, next - 1)
            });
            let (part, end) = parts.max_by_key(|(part, _)| part.len()).unwrap_or_default();
            let other = self.aligner.widespread.words(end - part.len() as u64, end)?;
            let own = Side { words: &signature.words[words.clone()], widespread };
            let other = Side { words: part, widespread: &other };
            let (found, _) = compare(own, other, false, |_| false);
            // A quotation has other text around it; other names and numbers are in many places. Text that many documents share is
            // no quotation, but a form, and what is before or after it are the own words.
            let is_form = 2 * found.own_found <= found.found;
            let scattered = found.longest <= SCATTERED || 2 * found.longest <= found.own - found.own_found;
            let quotes = difference.quotes && !is_form && !scattered;
            let says_more = difference.quotes && is_form && difference.longest > ADDED;
            let few = found.own > 0 && (found.own_found as f64) < OWN_COPIED * found.own as f64;
            if few && !quotes {
                of_template[block] = true;
                differ += words.len();
            } else if says_more {
                of_template[block] = true;
            } else if 2 * count > words.len() {
                fixed.push(block);
            } else {
                copied += words.len();
            }
        }
        let others = fixed.iter().map(|block| signature.words_of(*block).len()).sum::<usize>().max(copied);
        if differ > 0 && differ >= others {
            for block in fixed {
                of_template[block] = true;
            }
        }
        Ok(of_template)
    }

    /// The stretches of a document that occur in kept text. N-grams locate them; then the words themselves are
    /// compared.
    fn copies(&mut self, signature: &Signature, start: u64, numbers: &[u64]) -> Result<Vec<Copy>> {
        let ngram = self.options.ngram;
        let mut copies: Vec<Copy> = Vec::new();
        let (mut at, mut there) = (0, Vec::new());
        while at < numbers.len() {
            if numbers[at] == 0 || !self.kept.get(numbers[at] - 1) {
                at += 1;
                continue;
            }
            let place = self.places.get(numbers[at] - 1)?;
            let own = &signature.words[at..];
            let equal = |there: &[u64]| own.iter().zip(there).take_while(|(own, there)| own.hash == **there).count();
            let mut ahead = AHEAD;
            let equal = loop {
                self.store.words(place, (place + ahead).min(start), &mut there)?;
                let equal = equal(&there);
                if equal < there.len() || (there.len() as u64) < ahead || equal == own.len() || ahead >= FAR_AHEAD {
                    break equal;
                }
                ahead *= 4;
            };
            if equal < ngram {
                // A different n-gram with the same hash.
                at += 1;
                continue;
            }
            // The stretch continues as long as its n-grams occur there and were kept.
            let mut next = 1;
            while next + ngram <= equal
                && numbers.get(at + next).is_some_and(|number| *number > 0 && self.kept.get(*number - 1))
                && self.is_intact(place + next as u64, place + (next + ngram) as u64)
            {
                next += 1;
            }
            copies.push(Copy { words: at..at + next + ngram - 1, place });
            at += next;
        }
        Ok(copies)
    }

    /// True if enough words of a block occur in kept text.
    fn is_covered(&self, covered: &[bool]) -> bool {
        share_of(covered) > self.options.threshold
    }

    /// The verdict on a block whose words occur in kept text, most of them in one place.
    fn copied(
        &mut self,
        copies: &[Copy],
        signature: &Signature,
        words: Range<usize>,
        covered: &[bool],
        evidence: &DocumentEvidence,
    ) -> Result<Copied> {
        let (own, covered) = (&signature.words[words.clone()], &covered[words.clone()]);
        let share = share_of(covered);
        // Widespread wording says little about the origin.
        let length = |copy: &&Copy| {
            let here = copy.words.start.max(words.start)..copy.words.end.min(words.end);
            (evidence.widespread[here.clone()].iter().filter(|widespread| !**widespread).count(), here.len())
        };
        let copy = copies.iter().max_by_key(length).unwrap_or(&copies[0]);
        let place = (copy.place + words.start as u64).saturating_sub(copy.words.start as u64);
        // A block may begin before the copied words, and the source document may begin after that point.
        let (source, of) = if copy.words.start >= words.start {
            let length = copy.words.end.min(words.end) - copy.words.start;
            self.place_of(copy.place, length as u64)?
        } else {
            self.place_of(place, words.len() as u64)?
        };
        let mut difference = Difference::default();
        let longest = covered.chunk_by(|one, next| one == next).filter(|run| !run[0]).map(<[bool]>::len).max();
        if let Some(longest) = longest {
            let around =
                |slack: u64| (place.saturating_sub(slack), (place + own.len() as u64 + slack).min(evidence.start));
            // A quotation has other text around it; an edited copy has words replaced inside it.
            let quotes = longest > SCATTERED && own.len() >= self.options.stub && !is_framed(copies);
            if !quotes {
                let (from, to) = around(EDGE);
                let there = self.store.known_words(from, to)?;
                difference = self.store.difference(own, &there, copy.place, signature, evidence)?;
            }
            difference.quotes = quotes;
            if longest > ADDED {
                let ((from, to), mut there) = (around(own.len() as u64 / 5 + AROUND_BLOCK), Vec::new());
                self.store.words(from, to, &mut there)?;
                difference.longest = longest_new(&signature.hashes_of(words), &there, |at| covered[at]);
            }
        }
        Ok(Copied { by: By::Ngrams, share, of: Some(of), place: Some(place), source: Some(source), difference })
    }

    /// Judges a block by the order of its words, for copies whose n-grams are broken by changes.
    fn judge_edited(
        &mut self,
        signature: &Signature,
        block: usize,
        evidence: &DocumentEvidence,
    ) -> Result<Option<Copied>> {
        let length = signature.words_of(block).len();
        let now;
        let aligned = match evidence.aligned.get(block) {
            Some(Some(aligned)) => aligned,
            _ => {
                now = self.aligner.aligned(signature, block, evidence)?;
                &now
            }
        };
        let needed = match length {
            0..15 => 0.85,
            15..30 => 0.7,
            _ => 0.65,
        };
        // Of equally good ones, take the first.
        let kept = aligned.iter().filter(|it| it.share >= needed && !self.is_removed(it.from, it.to));
        let better = |one: &&Aligned, other: &&Aligned| {
            (!one.difference.other).cmp(&!other.difference.other).then(one.share.total_cmp(&other.share))
        };
        let Some(Aligned { share, first, difference, .. }) = kept.rev().max_by(better) else { return Ok(None) };
        let (source, of) = self.place_of(*first, length as u64)?;
        let (share, difference, place) = (*share, *difference, Some(*first));
        Ok(Some(Copied { by: By::Alignment, share, of: Some(of), place, source: Some(source), difference }))
    }

    /// Records an n-gram of kept text. True if it is the first there, of those that occur again.
    pub(super) fn keep_ngram(&mut self, number: u64, place: u64) -> Result<bool> {
        let is_first = number > 0 && self.kept.add(number - 1);
        if is_first {
            self.places.set(number - 1, place)?;
        }
        Ok(is_first)
    }

    /// Records what is kept and removed. An n-gram is kept if all of its words are.
    fn remember(
        &mut self,
        signature: &Signature,
        start: u64,
        evidence: &DocumentEvidence,
        judged: &mut Judged,
    ) -> Result<()> {
        let numbers = &evidence.numbers;
        let mut firsts = self.firsts(signature, evidence);
        let figures = &mut judged.figures;
        figures.words = signature.words.len() as u64;
        figures.ngrams = numbers.len() as u64;
        figures.repeated = numbers.iter().filter(|number| **number > 0).count() as u64;
        let mut lost: Vec<Lost> = Vec::new();
        // Where the words kept without a gap from each block onwards end.
        let mut kept_to = vec![0; judged.blocks.len()];
        let mut end = signature.words.len();
        for (block, verdict) in judged.blocks.iter().enumerate().rev() {
            if verdict.is_some() {
                end = signature.words_of(block).start;
            }
            kept_to[block] = end;
        }
        for (block, verdict) in judged.blocks.iter().enumerate() {
            let range = signature.words_of(block);
            if verdict.is_some() {
                let (from, to) = (start + range.start as u64, start + range.end as u64);
                (from / CELL..to.div_ceil(CELL)).for_each(|cell| self.removed.set(cell));
            } else {
                figures.words_kept += range.len() as u64;
            }
            let mut here = Lost { block, ngrams: Vec::new() };
            let begins = range.start.min(numbers.len())..range.end.min(numbers.len());
            for (at, number) in begins.clone().zip(numbers[begins].iter().copied()) {
                if at + self.options.ngram <= kept_to[block] && verdict.is_none() {
                    figures.ngrams_kept += 1;
                    figures.repeated_kept += u64::from(number > 0 && self.kept.get(number - 1));
                    self.state.after.unique += u64::from(number == 0);
                    let is_first = self.keep_ngram(number, start + at as u64)?;
                    if let Some(first) = firsts.get_mut(at) {
                        *first |= is_first;
                    }
                } else if number == 0 || !self.kept.get(number - 1) {
                    self.state.after.lost += u64::from(number == 0);
                    if self.options.list_lost {
                        here.ngrams.push((at, number));
                    }
                }
            }
            if !here.ngrams.is_empty() {
                lost.push(here);
            }
        }
        self.state.after.words += figures.words_kept;
        self.state.after.ngrams += figures.ngrams_kept;
        judged.lost = lost;
        self.push_firsts(&firsts)
    }

    /// Records passages of the most frequent n-grams. If the most frequent one was seen before, the passage is part of
    /// another, or the same with a different context.
    fn note_frequent(&mut self, signature: &Signature, numbers: &[u64], judged: &mut Judged) {
        let mut at = 0;
        while at < numbers.len() {
            let count = |at: usize| numbers.get(at).and_then(|number| self.top.get(number)).copied();
            if count(at).is_none() {
                at += 1;
                continue;
            }
            let block = signature.blocks.partition_point(|(_, end)| *end as usize <= at);
            let words = signature.words_of(block);
            let (first, mut most) = (at, (0, 0));
            while let Some(count) = count(at).filter(|_| at < words.end) {
                // Of equal ones, take the first: numbers depend on partitions.
                most = if count > most.0 { (count, numbers[at]) } else { most };
                at += 1;
            }
            let (count, number) = most;
            if !self.reported.contains(&number) {
                let passage = first..(at - 1 + self.options.ngram).min(words.end);
                let words = passage.len() as u64;
                judged.frequent.push(FrequentPassage { span: signature.span_of(passage, block), words, count });
            }
            self.reported.extend(&numbers[first..at]);
        }
    }
}

/// Keeps blocks that have the wording of many documents, but say something else.
fn release(of_template: &[bool], verdicts: &mut [Option<Copied>]) {
    for (verdict, _) in verdicts.iter_mut().zip(of_template).filter(|(_, of_template)| **of_template) {
        *verdict = None;
    }
}

/// The share of words that are covered.
fn share_of(covered: &[bool]) -> f64 {
    covered.iter().filter(|covered| **covered).count() as f64 / covered.len().max(1) as f64
}

/// True for an edited copy: its blocks have words that are not in their source, and most of these are ordinary words. Either
/// the source has most of the document, or the changes are everywhere in what comes from it. Documents that share some
/// passages differ in a few of these, and there the difference matters. A document about another subject has its words in many
/// blocks.
fn is_edited(signature: &Signature, verdicts: &[Option<Copied>]) -> bool {
    let Some((words, place)) = main_source(signature, verdicts) else { return false };
    let source = verdicts.iter().flatten().find(|copied| copied.place == Some(place)).and_then(|copied| copied.source);
    let (mut new, mut names, mut changed, mut long) = (0, 0, 0, 0);
    let (mut differ, mut of_subject) = (0, 0);
    for (block, verdict) in verdicts.iter().enumerate() {
        let Some(Copied { difference, .. }) = verdict.as_ref().filter(|copied| copied.source == source) else {
            continue;
        };
        new += difference.new;
        names += difference.names;
        differ += usize::from(difference.new > 0);
        of_subject += usize::from(difference.subject > 0);
        if signature.words_of(block).len() >= LONG {
            long += 1;
            changed += usize::from(difference.new > 0);
        }
    }
    let part = words as f64 / signature.words.len() as f64;
    let everywhere = long >= SEVERAL && 2 * changed >= long;
    let other_subject = of_subject >= SUBJECT && of_subject * OF_SUBJECT >= differ;
    new >= EDITED && 3 * names < new && !other_subject && (part > HALF || (part > PARTLY && everywhere))
}

/// Rejects blocks that say something else than the text they resemble, or may do so. The more of a document comes from one
/// source, the likelier it is that the differences are edits.
fn doubt(signature: &Signature, edited: bool, verdicts: &mut [Option<Copied>]) {
    let length = |block: usize| signature.words_of(block).len();
    let part = |words: usize| words as f64 / signature.words.len() as f64;
    let from_one = main_source(signature, verdicts).map_or(0, |(words, _)| words);
    for (block, verdict) in verdicts.iter_mut().enumerate() {
        verdict.take_if(|Copied { share, difference, .. }| {
            let related = part(from_one.saturating_sub(length(block))) >= PARTLY;
            // New text beside a quotation; in a document that shares more with the source, it was added to a copy.
            if difference.quotes && !related {
                return *share < QUOTED;
            }
            let says_more = difference.other
                || difference.longest > ADDED
                || (part(from_one) < MOSTLY && difference.new * FEW_NEW > length(block));
            (says_more && !edited) || (*share < SURE && part(from_one) < PARTLY)
        });
    }
}

/// For the document that most of another one was copied from: the number of copied words, and the position of one
/// block.
fn main_source(signature: &Signature, verdicts: &[Option<Copied>]) -> Option<(usize, u64)> {
    let mut sources: BTreeMap<u64, (usize, u64)> = BTreeMap::new();
    for (block, verdict) in verdicts.iter().enumerate() {
        if let Some(Copied { source: Some(source), place: Some(place), .. }) = verdict {
            sources.entry(*source).or_insert((0, *place)).0 += signature.words_of(block).len();
        }
    }
    sources.into_values().max()
}

/// The position of a block in the source of a document that comes mostly from one other.
pub(super) fn only_source(signature: &Signature, verdicts: &[Option<Copied>]) -> Option<u64> {
    let mostly = |words: usize| words as f64 > MOSTLY * signature.words.len() as f64;
    main_source(signature, verdicts).filter(|(words, _)| mostly(*words)).map(|(_, place)| place)
}

/// True if other text separates two copied stretches.
fn is_framed(copies: &[Copy]) -> bool {
    copies.windows(2).any(|two| two[0].words.end < two[1].words.start)
}

/// One word in this many of a block must be widespread if its wording is that of many documents.
const SOME_WIDESPREAD: usize = 8;
/// The minimum share of the own words of a copied block that are in its source, if its wording is that of many documents.
const OWN_COPIED: f64 = 0.68;
/// Words before and after the expected place of a block that are compared with it, besides a fifth of its length.
const AROUND_BLOCK: u64 = 8;
/// Unless a document is an edited copy or comes mostly from one other, at most one word in this many of a block may be new.
const FEW_NEW: usize = 12;
const MOSTLY: f64 = 0.7;
/// If a smaller share of the document comes from any one source, a larger share of a block must be copied.
const PARTLY: f64 = 0.2;
const SURE: f64 = 0.9;
/// The minimum share of a block with a quotation that must be copied.
const QUOTED: f64 = 0.6;
/// More new words in a row than this are a statement that was added.
const ADDED: usize = 5;
/// The minimum share of an edited copy that comes from its source, if it has fewer than so many blocks of at least so many words
/// that show whether changes are everywhere.
const HALF: f64 = 0.5;
const SEVERAL: usize = 2;
const LONG: usize = 16;
/// The minimum number of new words in an edited copy.
const EDITED: usize = 6;
/// A document is about another subject than its source if words of its subject are new in at least so many blocks, and in one
/// in so many of those that differ.
const SUBJECT: usize = 4;
const OF_SUBJECT: usize = 3;
/// Words of a copied stretch that are read first, and at most; what follows is a separate stretch.
const AHEAD: u64 = 64;
const FAR_AHEAD: u64 = 4096;
/// The longest run of new words in a text where only single words were replaced.
const SCATTERED: usize = 8;
