//! Documents whose text is in an earlier one, and documents that are identical to one.
//!
//! Candidates come from a sample of n-grams, chosen by hash and looked up in the earlier documents. This is
//! the sample "modulo m" of Broder's paper on resemblance. Unlike a fixed number of minima, it covers a fair share of a
//! short passage in a long document. Candidates are then aligned word by word.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::blocks::{By, Copied, DedupFigures, Judged};
use super::evidence::Unit;
use super::learned::Learned;
use super::lookup::{Aligner, DocumentEvidence};
use super::matching::{Found, Side, compare, new_phrases};
use super::signature::Signature;
use crate::document::Document;
use crate::error::{Error, Result};
use crate::text::{Word, mix};

/// Words in the n-grams by which documents are compared.
const SHINGLE: usize = 5;
/// The maximum number of earlier documents that a document is compared with.
const CANDIDATES: usize = 4;
/// Candidates of which neither contains this share of the n-grams of the other are not aligned.
const LEAST_SHARED: f64 = 0.1;
/// So much more of a text must be in the other one if the differences are not those of an editor, or half of the rest.
const DOUBT: f64 = 0.1;
/// A passage of so many own words is a text of its own, even if it is a small share of a long document. If a lower share than the
/// default is asked for, the share decides.
const PASSAGE: usize = 25;
/// With fewer own words than this, one different word can make a different text. As many show which language they are in.
const FEW_OWN: usize = 20;
/// An editor changes a text in at least this many places.
const LEAST_EDITS: usize = 5;
/// At most one of the own words in this many may be a fact that replaces another, if most of the differences are.
const FEW_FACTS: usize = 100;
/// With fewer words than this, it does not show whether an editor changed the text.
const FEW_EDITED: usize = 50;
/// If a difference, or one in words of the subject, occurs this often, and is one of this many, another subject replaces that of the text.
const SUBJECT: usize = 4;
const OF_SUBJECT: usize = 6;
/// Documents that are [related](Related): the minimum resemblance, or share of the own text of either in the other.
const RELATED: f64 = 0.22;
const RELATED_OWN: f64 = 0.5;

/// An earlier document that a document resembles.
#[derive(Debug, Clone, PartialEq)]
pub struct Resembles {
    /// Its id.
    pub document: String,
    /// Its number.
    pub number: usize,
    /// How much, from 0 to 1, by the [rule](DocumentRule).
    pub score: f64,
}

/// When a document is a duplicate of an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentRule {
    /// The earlier one contains at least this share of the words that are its own: not those in wording that many documents
    /// share. They are in the same language, and do not differ mainly in names, numbers and the words of their subject. From
    /// 0.8 on, it contains every longer passage, too.
    Contained(f64),
    /// Their word 5-grams resemble each other at least this much.
    Resemblance(Measure, f64),
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

/// How a document is related to an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LinkKind {
    /// Each contains nearly all of the text of the other.
    Copy,
    /// The earlier one contains nearly all of its text, and more.
    Excerpt,
    /// It contains nearly all of the text of the earlier one, and more.
    NewerVersion,
    /// They share wording that many documents have, or differ mainly in names and numbers.
    SameTemplate,
    /// They are in different languages, and share what is not translated.
    Translation,
    /// A part of each is in the other.
    Overlap,
}

impl LinkKind {
    /// What the relation means, for a document that was kept.
    pub(crate) fn description(self) -> &'static str {
        match self {
            LinkKind::Copy => "copies of documents that were kept",
            LinkKind::Excerpt => "excerpts of other documents",
            LinkKind::NewerVersion => "contain an earlier document and more",
            LinkKind::SameTemplate => "the same wording as other documents, with other names, numbers or words",
            LinkKind::Translation => "share with a document in another language what is not translated",
            LinkKind::Overlap => "share a part with an earlier document",
        }
    }
}

/// An earlier document that is related to a document, by numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Related {
    pub(crate) number: usize,
    pub(crate) kind: LinkKind,
    /// The share of the own words of the later document that the earlier one contains, and the reverse.
    pub(crate) contained: f64,
    pub(crate) contains: f64,
    /// The share of the n-grams of both that are in both.
    pub(crate) resemblance: f64,
}

/// The verdict on a whole document.
#[derive(Debug, Clone, Default)]
pub struct JudgedDocument {
    /// The earlier kept document of which it is a duplicate.
    pub resembles: Option<Resembles>,
    /// Its figures.
    pub figures: DedupFigures,
    /// Earlier kept documents that are related to it.
    pub(crate) related: Vec<Related>,
}

/// Identifies the language of a text, as a number.
pub type LanguageNumber = fn(&str) -> Option<u16>;

/// What a caller of [`Learned::judge_document`] knows of a document.
#[derive(Debug, Clone, Copy, Default)]
pub struct DocumentContext<'a> {
    /// A number for its language, if that is known: documents in different languages are not copies of each other.
    pub language: Option<u16>,
    /// The document, and what identifies the language of a text: new text in another language is a translation.
    pub text: Option<(&'a Document, LanguageNumber)>,
    /// Compare it with all earlier documents, kept or not, and keep it.
    pub choosing: bool,
}

impl Learned {
    /// Judges the next document as a whole.
    pub fn judge_document(
        &mut self,
        signature: &Signature,
        evidence: &DocumentEvidence,
        rule: DocumentRule,
        context: DocumentContext<'_>,
    ) -> Result<JudgedDocument> {
        let (number, _) = self.begin(signature.words.len())?;
        self.languages.resize(number, 0);
        self.languages.push(context.language.map_or(0, |language| language.max(1)));
        let words = signature.words.len() as u64;
        let mut judged = JudgedDocument {
            figures: DedupFigures { words, words_kept: words, ..DedupFigures::default() },
            ..JudgedDocument::default()
        };
        let found;
        if self.same_words(evidence.whole, signature)?.is_some() {
            let other = evidence.whole as usize - 1;
            found = Some((other, 1.0));
            judged.related.push(Related::same(other));
        } else {
            let mut compared = self.compare_kept(signature, evidence, rule)?;
            for compared in &mut compared {
                compared.translated = self.are_translations(number, compared.number)
                    || (compared.score(rule).is_some() && self.translates(signature, compared, context)?);
            }
            let score = |compared: &Compared| compared.score(rule).map(|score| (compared.number, score));
            let best = compared.iter().filter_map(score);
            found = best.reduce(|best, next| if next.1 > best.1 { next } else { best });
            judged.related = compared.iter().filter_map(|compared| compared.related(rule)).collect();
        }
        if found.is_some() && !context.choosing {
            self.gone.set(number as u64);
            judged.figures.words_kept = 0;
        }
        self.state.after.words += judged.figures.words_kept;
        let resembles = |(number, score)| self.store.id(number).map(|document| Resembles { document, number, score });
        judged.resembles = found.map(resembles).transpose()?;
        Ok(judged)
    }

    /// True for documents in different languages.
    fn are_translations(&self, one: usize, other: usize) -> bool {
        let language = |number: usize| self.languages.get(number).copied().unwrap_or_default();
        language(one) != language(other) && language(one) > 0 && language(other) > 0
    }

    /// True if the phrases of a document that an earlier one does not contain are in another language than the document.
    fn translates(&self, signature: &Signature, compared: &Compared, context: DocumentContext<'_>) -> Result<bool> {
        let (Some(language), Some((document, language_of))) = (context.language, context.text) else {
            return Ok(false);
        };
        if compared.found.is_none_or(|(found, _)| found.words - found.found < FEW_OWN) {
            return Ok(false);
        }
        let (from, to) = self.store.bounds(compared.number)?.words;
        let there: Vec<u64> = self.store.known_words(from, to)?.iter().map(|word| word.hash).collect();
        let new = new_phrases(&signature.hashes_of(0..signature.words.len()), &there);
        let text = (new.len() >= FEW_OWN).then(|| signature.text_of(&new, document));
        Ok(text.and_then(|text| language_of(&text)).is_some_and(|found| found != language))
    }

    /// How two documents are related, by their numbers: one to `other`.
    pub(crate) fn relation(
        &self,
        one: usize,
        other: usize,
        rule: DocumentRule,
    ) -> Result<(Option<f64>, Option<Related>)> {
        let (from, to) = self.store.bounds(one)?.words;
        let words = self.store.known_words(from, to)?;
        let widespread = self.aligner.widespread.words(from, to)?;
        let own = shingles(&words.iter().map(|word| word.hash).collect::<Vec<_>>());
        let side = Side { words: &words, widespread: &widespread };
        let mut compared = self.aligner.compare(&own, side, from, other, rule.aligns())?;
        compared.translated = self.are_translations(one, other);
        Ok((compared.score(rule), compared.related(rule)))
    }

    /// The kept documents that share most with a document, compared with it.
    fn compare_kept(
        &self,
        signature: &Signature,
        evidence: &DocumentEvidence,
        rule: DocumentRule,
    ) -> Result<Vec<Compared>> {
        let now;
        let candidates = match &evidence.alike {
            Some(candidates) => candidates,
            None => {
                now = self.aligner.candidates(signature, evidence)?;
                &now
            }
        };
        let kept = candidates.iter().filter(|candidate| !self.gone.get(candidate.number as u64));
        let mut own = None;
        let compared = |candidate: &Candidate| match &candidate.compared {
            Some(compared) => Ok(**compared),
            None => {
                let own = own.get_or_insert_with(|| shingles(&signature.hashes_of(0..signature.words.len())));
                let side = Side { words: &signature.words, widespread: &evidence.widespread };
                self.aligner.compare(own, side, evidence.start, candidate.number, rule.aligns())
            }
        };
        kept.take(CANDIDATES).map(compared).collect()
    }

    /// The number of words in a document, by its number.
    pub fn length_of(&self, number: usize) -> Result<u64> {
        let (from, to) = self.store.bounds(number)?.words;
        Ok(to - from)
    }

    /// The address of a document, by its number, if it is known.
    pub(crate) fn url_of(&self, number: usize) -> Result<Option<String>> {
        self.store.url(number)
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
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    number: usize,
    /// How they compare, if known. There are many candidates, and few of them are compared.
    compared: Option<Box<Compared>>,
}

/// Two documents, compared.
#[derive(Debug, Clone, Copy)]
struct Compared {
    /// The number of the earlier one.
    number: usize,
    shared: Shared,
    /// How much of the later one is in the earlier one, and the reverse, if they were aligned.
    found: Option<(Found, Found)>,
    /// They are in different languages.
    translated: bool,
}

impl DocumentRule {
    /// The default share of its own text that an earlier document contains.
    pub(crate) const CONTAINED: f64 = 0.8;

    /// True if documents are compared word by word.
    pub(super) fn aligns(self) -> bool {
        matches!(self, DocumentRule::Contained(_))
    }
}

impl Compared {
    /// How much the later document resembles the earlier one, if it is a duplicate.
    fn score(&self, rule: DocumentRule) -> Option<f64> {
        match rule {
            DocumentRule::Resemblance(measure, least) => {
                Some(self.shared.score(measure)).filter(|score| *score >= least)
            }
            DocumentRule::Contained(least) => {
                let found = self.found.filter(|(found, _)| !self.translated && is_contained(*found, least));
                found.map(|(found, _)| found.share().min(1.0))
            }
        }
    }

    /// The relation, if there is one.
    fn related(&self, rule: DocumentRule) -> Option<Related> {
        let resemblance = self.shared.score(Measure::Jaccard);
        let related =
            |kind, contained, contains| Some(Related { number: self.number, kind, contained, contains, resemblance });
        let Some((found, reverse)) = self.found else {
            return self.score(rule).and_then(|_| {
                let of = |all: usize| self.shared.both as f64 / all.max(1) as f64;
                related(LinkKind::Copy, of(self.shared.own), of(self.shared.theirs))
            });
        };
        let DocumentRule::Contained(least) = rule else { return None };
        let (contained, contains) = (is_contained(found, least), is_contained(reverse, least));
        let kind = match (contained, contains) {
            _ if self.translated => LinkKind::Translation,
            (true, true) => LinkKind::Copy,
            (true, false) => LinkKind::Excerpt,
            (false, true) => LinkKind::NewerVersion,
            _ if differs_in_facts(found) || 2 * found.own < found.words => LinkKind::SameTemplate,
            _ => LinkKind::Overlap,
        };
        let (one, two) = (found.share(), reverse.share());
        let worth = contained || contains || resemblance >= RELATED || one.max(two) >= RELATED_OWN;
        if worth { related(kind, one, two) } else { None }
    }
}

impl Related {
    /// A document with the same words.
    fn same(number: usize) -> Related {
        Related { number, kind: LinkKind::Copy, contained: 1.0, contains: 1.0, resemblance: 1.0 }
    }
}

/// True if a text is in another one: nearly all of its words, and of its own words, no passage of its own, and nothing that is about
/// something else. An editor may have changed more words, if there are many changes, and few of them are new text.
fn is_contained(found: Found, least: f64) -> bool {
    let (missing, most) = (found.words - found.found, least + DOUBT.min((1.0 - least) / 2.0));
    let is_in = |found: f64, words: usize, least: f64| found >= least * words as f64;
    let is_excerpt = is_in(found.own_found as f64, found.own, most) && is_in(found.found as f64, found.words, most);
    let is_edited = found.gaps >= LEAST_EDITS
        && found.words >= FEW_EDITED
        && 2 * found.new <= missing
        && found.share() >= least
        && is_in(found.found as f64 + found.small as f64 / 2.0, found.words, least);
    let is_enough = missing == 0 || found.own >= FEW_OWN;
    let has_passage = least >= DocumentRule::CONTAINED && found.longest >= PASSAGE;
    found.words > 0 && is_enough && (is_excerpt || is_edited) && !has_passage && !differs_in_facts(found)
}

/// True if most of the differences are names and numbers in the place of others, or many replace the subject.
fn differs_in_facts(found: Found) -> bool {
    let replaced = found.same.max(found.subject);
    let is_other_subject = replaced >= SUBJECT && replaced * OF_SUBJECT >= found.gaps;
    is_other_subject || (found.facts * FEW_FACTS > found.own && 2 * found.facts >= found.own - found.own_found)
}

/// N-grams of two documents.
#[derive(Debug, Clone, Copy)]
struct Shared {
    both: usize,
    own: usize,
    theirs: usize,
}

impl Aligner {
    /// The documents that first contain the anchors of a document, those with the most in front; some are compared.
    /// Anchors in widespread text say little about the origin, so the others come first.
    pub(super) fn candidates(&self, signature: &Signature, evidence: &DocumentEvidence) -> Result<Vec<Candidate>> {
        let known = signature.anchors.iter().zip(&evidence.places);
        let known = known.filter(|(_, place)| (1..=evidence.start).contains(*place));
        let mut places: Vec<(u64, bool)> =
            known.map(|((at, _), place)| (place - 1, !evidence.widespread[*at as usize])).collect();
        places.sort_unstable();
        let mut found: Vec<(usize, usize, usize)> = Vec::new();
        let mut rest = &places[..];
        while let Some((place, _)) = rest.first() {
            let (number, bounds) = self.store.document_of(*place)?;
            let here = rest.partition_point(|(place, _)| *place < bounds.words.1).max(1);
            found.push((rest[..here].iter().filter(|(_, own)| *own).count(), here, number));
            rest = &rest[here..];
        }
        found.sort_unstable_by_key(|(own, hits, number)| (std::cmp::Reverse((*own, *hits)), *number));
        let own = if found.is_empty() { Vec::new() } else { shingles(&signature.hashes_of(0..signature.words.len())) };
        let candidate = |(at, (_, _, number)): (usize, (usize, usize, usize))| {
            let aligns = self.options.aligns;
            let side = Side { words: &signature.words, widespread: &evidence.widespread };
            let compare = || self.compare(&own, side, evidence.start, number, aligns);
            Ok::<_, Error>(Candidate { number, compared: (at < CANDIDATES).then(compare).transpose()?.map(Box::new) })
        };
        found.into_iter().enumerate().map(candidate).collect()
    }

    /// Compares a document, which begins at `start` and of which the n-grams are `own`, with an earlier one.
    fn compare(&self, own: &[u64], side: Side<'_>, start: u64, number: usize, aligns: bool) -> Result<Compared> {
        let (from, to) = self.store.bounds(number)?.words;
        let there = self.store.known_words(from, to)?;
        let hashes: Vec<u64> = there.iter().map(|word| word.hash).collect();
        let shared = Shared::of(own, &shingles(&hashes));
        let least = shared.both as f64 / shared.own.min(shared.theirs).max(1) as f64;
        let found = if aligns && least >= LEAST_SHARED {
            let widespread = self.widespread.words(from, to)?;
            let other = Side { words: &there, widespread: &widespread };
            let is_fact = |word: &Word| word.marked() && !self.store.is_common(word.hash, start);
            Some(compare(side, other, true, is_fact))
        } else {
            None
        };
        Ok(Compared { number, shared, found, translated: false })
    }
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
