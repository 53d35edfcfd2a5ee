//! The report of a run: the input, the kept text, and the most frequent repetitions.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::AddAssign;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::dedup::{Counts, DedupFigures, FrequentPassage, Learned, LinkKind, Related, Task};
use crate::document::{Document, Mark};
use crate::error::Result;
use crate::jobs::alarms;
use crate::jobs::failures::Failures;
use crate::report::{self, excerpt, rule};
use crate::run::Run;
use crate::stats::losses::{RuleTotals, write_groups, write_rules};
use crate::stats::{Account, Loss, OTHERS, add_to_group, source_of};
use crate::text;
use crate::url;

/// The result of [`Dedup`](super::Dedup). As text, it is a table for people; as JSON, it is the list `report`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct DedupReport {
    /// Documents.
    pub documents: u64,
    /// Documents of which something was kept.
    pub documents_kept: u64,
    /// Documents without words; they are kept.
    pub documents_without_words: u64,
    /// Documents that were only compared with.
    pub documents_compared_with: u64,
    /// Words.
    pub words: u64,
    /// Words that were kept.
    pub words_kept: u64,
    /// Documents by the file that holds them, or the folder of files with one document each.
    pub by_source: BTreeMap<String, Totals>,
    /// Removed text by the rule that removed it.
    pub by_rule: BTreeMap<String, RuleTotals>,
    /// Documents by their language, where it is known.
    pub by_language: BTreeMap<String, Totals>,
    /// Documents by their host, where it is known.
    pub by_host: BTreeMap<String, Totals>,
    /// Blocks that were removed; `None` where whole documents are compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocks_removed: Option<u64>,
    /// Blocks that were kept because they have the wording of many documents, but say something else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocks_of_templates: Option<u64>,
    /// Whole documents: those that were kept, by their relation to the earlier document that is nearest to them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub related: BTreeMap<LinkKind, u64>,
    /// N-grams, where they were counted.
    #[serde(flatten)]
    pub ngrams: Option<NgramReport>,
    /// What became of the items of the inputs.
    pub input: Account,
    /// What failed.
    pub failures: Failures,
}

/// What a run found that only counted n-grams, and what it took.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DedupCounts {
    /// Documents.
    pub documents: u64,
    /// Words.
    pub words: u64,
    /// Number of words in an n-gram.
    pub ngram: usize,
    /// N-grams.
    pub ngrams: u64,
    /// Different n-grams.
    pub distinct: u64,
    /// Different n-grams that occur more than once.
    pub duplicate: u64,
    /// Occurrences of these.
    pub occurrences: u64,
    /// Time, in seconds.
    pub seconds: f64,
    /// The most memory that the process used, in bytes, where the system says it.
    pub peak_memory: Option<u64>,
}

/// N-grams of a collection.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct NgramReport {
    /// Number of words in an n-gram.
    pub ngram: usize,
    /// N-grams of all documents.
    pub ngrams_before: Counts,
    /// N-grams of what was kept; `None` if they were only counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ngrams_after: Option<Counts>,
    /// Different n-grams that no longer occur anywhere.
    pub ngrams_lost: u64,
    /// Passages in the list `lost`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passages_lost: Option<u64>,
    /// The passages that were repeated most often, at most 100.
    pub most_repeated: Vec<RepeatedPassage>,
}

/// Documents of one language or host.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Totals {
    /// Documents.
    pub documents: u64,
    /// Documents of which something was kept.
    pub documents_kept: u64,
    /// Their words and n-grams.
    #[serde(flatten)]
    pub figures: DedupFigures,
}

/// A passage that is repeated often.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RepeatedPassage {
    /// How often its most frequent n-gram occurs.
    pub count: u64,
    /// Its words.
    pub words: u64,
    /// The first document with the passage.
    pub document: String,
    /// The beginning of its text.
    pub text: String,
}

/// Repeated passages that are remembered, reported, and shown in the table.
const REMEMBERED: usize = 1000;
const REPORTED: usize = 100;
const SHOWN: usize = 10;
/// Characters of a passage that are reported.
const CHARACTERS: usize = 300;

/// The figures of a report while documents are judged.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Tally {
    total: Totals,
    by_source: BTreeMap<String, Totals>,
    by_rule: BTreeMap<String, RuleTotals>,
    by_language: BTreeMap<String, Totals>,
    by_host: BTreeMap<String, Totals>,
    blocks_removed: u64,
    blocks_of_templates: u64,
    related: BTreeMap<LinkKind, u64>,
    without_words: u64,
    most_repeated: Vec<RepeatedPassage>,
    pub(super) passages_lost: Option<u64>,
}

impl Tally {
    /// Counts a document, with the marks on its blocks.
    pub(super) fn add(&mut self, document: &Document, figures: DedupFigures, removed: bool, marks: &[Mark]) {
        let totals = Totals { documents: 1, documents_kept: u64::from(!removed), figures };
        self.total += totals;
        self.blocks_removed += marks.len() as u64;
        self.without_words += u64::from(figures.words == 0);
        for mark in marks {
            let mut words = 0;
            text::words(mark.span.of(document.text()), |_| words += 1);
            self.add_rule(rule(&mark.pass, mark.label, &mark.reason), words);
        }
        if removed && marks.is_empty() && figures.words > figures.words_kept {
            self.add_rule("dedup document".to_owned(), figures.words - figures.words_kept);
        }
        add_to_group(&mut self.by_source, source_of(document), totals);
        if let Some(language) = &document.language {
            add_to_group(&mut self.by_language, language.clone(), totals);
        }
        let address = document.origin.url.as_deref().or_else(|| document.meta.get("url").and_then(Value::as_str));
        if let Some(host) = address.and_then(url::host) {
            add_to_group(&mut self.by_host, host, totals);
        }
    }

    /// Counts a kept document by its nearest relative.
    pub(super) fn add_related(&mut self, related: &[Related]) {
        let share = |related: &Related| related.contained.max(related.contains);
        if let Some(nearest) = related.iter().max_by(|one, other| share(one).total_cmp(&share(other))) {
            *self.related.entry(nearest.kind).or_default() += 1;
        }
    }

    /// Counts blocks that were kept although their wording is that of other documents.
    pub(super) fn add_of_templates(&mut self, blocks: usize) {
        self.blocks_of_templates += blocks as u64;
    }

    fn add_rule(&mut self, rule: String, words: u64) {
        let totals = self.by_rule.entry(rule).or_default();
        totals.ranges += 1;
        totals.words += words;
    }

    /// Refuses to complete the output if a group loses more than a limit.
    pub(super) fn check(&self, limit: Option<f64>) -> Result<()> {
        let tables = [("source", &self.by_source), ("host", &self.by_host), ("language", &self.by_language)];
        let groups = tables.into_iter().flat_map(|(kind, table)| {
            table
                .iter()
                .filter(|(name, _)| *name != OTHERS)
                .map(move |(name, totals)| (kind, name.as_str(), totals.loss()))
        });
        alarms::check(limit, groups)
    }

    /// Notes passages that are repeated often.
    pub(super) fn add_frequent(&mut self, document: &Document, frequent: &[FrequentPassage]) {
        self.most_repeated.extend(frequent.iter().map(|frequent| RepeatedPassage {
            count: frequent.count,
            words: frequent.words,
            document: document.id.clone(),
            text: excerpt(frequent.span.of(document.text()), CHARACTERS),
        }));
        if self.most_repeated.len() > 2 * REMEMBERED {
            self.sort_repeated(REMEMBERED);
        }
    }

    fn sort_repeated(&mut self, keep: usize) {
        self.most_repeated.sort_by_key(|passage| std::cmp::Reverse((passage.count, passage.words)));
        self.most_repeated.truncate(keep);
    }

    /// The report, with what is known at the end.
    pub(super) fn report(mut self, learned: &Learned, task: Task, ngram: usize) -> DedupReport {
        self.sort_repeated(REPORTED);
        let before = learned.counts();
        let ngrams = (task == Task::Blocks).then(|| NgramReport {
            ngram,
            ngrams_before: before,
            ngrams_after: Some(learned.counts_after()),
            ngrams_lost: learned.lost(),
            passages_lost: self.passages_lost,
            most_repeated: self.most_repeated,
        });
        DedupReport {
            documents: self.total.documents,
            documents_kept: self.total.documents_kept,
            documents_without_words: self.without_words,
            documents_compared_with: before.documents - self.total.documents,
            words: self.total.figures.words,
            words_kept: self.total.figures.words_kept,
            by_source: self.by_source,
            by_rule: self.by_rule,
            by_language: self.by_language,
            by_host: self.by_host,
            blocks_removed: (task != Task::Documents).then_some(self.blocks_removed),
            blocks_of_templates: (task == Task::Blocks).then_some(self.blocks_of_templates),
            related: self.related,
            ngrams,
            ..DedupReport::default()
        }
    }
}

impl Totals {
    fn loss(&self) -> Loss {
        Loss {
            documents: self.documents,
            documents_kept: self.documents_kept,
            words: self.figures.words,
            words_kept: self.figures.words_kept,
        }
    }
}

impl AddAssign for Totals {
    fn add_assign(&mut self, other: Totals) {
        self.documents += other.documents;
        self.documents_kept += other.documents_kept;
        self.figures += other.figures;
    }
}

impl DedupReport {
    /// What a run found that only counted n-grams, with the time that it took.
    pub fn counts(&self, took: Duration) -> DedupCounts {
        let NgramReport { ngram, ngrams_before: counts, .. } = self.ngrams.clone().unwrap_or_default();
        DedupCounts {
            documents: counts.documents,
            words: counts.words,
            ngram,
            ngrams: counts.ngrams,
            distinct: counts.distinct,
            duplicate: counts.duplicate,
            occurrences: counts.occurrences,
            seconds: (took.as_secs_f64() * 1000.0).round() / 1000.0,
            peak_memory: Run::peak_memory(),
        }
    }

    /// The report of a run that only counted n-grams.
    pub(super) fn of_counts(ngram: usize, counts: Counts) -> DedupReport {
        let ngrams = NgramReport { ngram, ngrams_before: counts, ..NgramReport::default() };
        DedupReport { documents: counts.documents, words: counts.words, ngrams: Some(ngrams), ..DedupReport::default() }
    }
}

impl fmt::Display for DedupReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(NgramReport { ngram, ngrams_before: counts, ngrams_after: None, .. }) = &self.ngrams {
            return write_counts(f, *ngram, counts);
        }
        let counted = |count: u64| format!("{count} document{}", if count == 1 { "" } else { "s" });
        writeln!(f, "{:<28}{:>16}{:>16}{:>8}", "", "before", "after", "kept")?;
        write_line(f, "documents", self.documents, self.documents_kept)?;
        write_line(f, "words", self.words, self.words_kept)?;
        if let Some(NgramReport { ngram, ngrams_before, ngrams_after, ngrams_lost, .. }) = &self.ngrams {
            let after = ngrams_after.unwrap_or_default();
            write_line(f, &format!("{ngram}-grams"), ngrams_before.ngrams, after.ngrams)?;
            write_line(f, &format!("{ngram}-grams, distinct"), ngrams_before.distinct, after.distinct)?;
            write_line(f, &format!("{ngram}-grams, repeated"), ngrams_before.duplicate, after.duplicate)?;
            let all = ngrams_before.distinct;
            writeln!(f, "{ngrams_lost} of {all} distinct {ngram}-grams no longer occur anywhere")?;
            if self.documents_compared_with > 0 {
                writeln!(f, "n-gram counts include {} to compare with", counted(self.documents_compared_with))?;
            }
        }
        if self.documents_without_words > 0 {
            writeln!(f, "{} without words kept", counted(self.documents_without_words))?;
        }
        if let Some(blocks @ 1..) = self.blocks_of_templates {
            let blocks = format!("{blocks} block{}", if blocks == 1 { "" } else { "s" });
            writeln!(f, "{blocks} kept: the wording of many documents, but other names, numbers or words in it")?;
        }
        for (kind, count) in &self.related {
            writeln!(f, "{} kept: {}", counted(*count), kind.description())?;
        }
        write_rules(f, &self.by_rule, "words", self.words, usize::MAX)?;
        let ngram = self.ngrams.as_ref().map(|ngrams| ngrams.ngram);
        let repeated = |row: Option<&Totals>| match (ngram, row) {
            (None, _) => String::new(),
            (Some(ngram), None) => format!("  repeated {ngram}-grams before and after"),
            (Some(_), Some(Totals { figures, .. })) => {
                let percent = |part: u64, of: u64| format!("{:.1} %", part as f64 * 100.0 / of.max(1) as f64);
                let after = percent(figures.repeated_kept, figures.ngrams_kept);
                format!("  {:>8}{after:>8}", percent(figures.repeated, figures.ngrams))
            }
        };
        for (what, table) in [("source", &self.by_source), ("language", &self.by_language), ("host", &self.by_host)] {
            write_groups(f, (what, "words"), table, Totals::loss, repeated)?;
        }
        let repeated = self.ngrams.iter().flat_map(|ngrams| &ngrams.most_repeated).take(SHOWN);
        for (number, passage) in repeated.enumerate() {
            if number == 0 {
                writeln!(f, "\nmost repeated          times   words")?;
            }
            let text = excerpt(&passage.text, report::SHOWN);
            writeln!(f, "{:>28}{:>8}  {text}", passage.count, passage.words)?;
        }
        Ok(())
    }
}

/// The table of a run that only counted n-grams.
fn write_counts(f: &mut fmt::Formatter<'_>, ngram: usize, counts: &Counts) -> fmt::Result {
    writeln!(f, "{:<26}{:>16}", "documents", counts.documents)?;
    writeln!(f, "{:<26}{:>16}", "words", counts.words)?;
    writeln!(f, "{:<26}{:>16}", format!("{ngram}-grams"), counts.ngrams)?;
    writeln!(f, "{:<26}{:>16}", "  distinct", counts.distinct)?;
    writeln!(f, "{:<26}{:>16}", "  repeated", counts.duplicate)?;
    writeln!(f, "{:<26}{:>16}", "  occurrences of these", counts.occurrences)
}

/// One row of the table of figures.
fn write_line(f: &mut fmt::Formatter<'_>, name: &str, before: u64, after: u64) -> fmt::Result {
    let share = if before == 0 { String::new() } else { format!("{:.1} %", after as f64 * 100.0 / before as f64) };
    writeln!(f, "{name:<28}{before:>16}{after:>16}{share:>8}")
}
