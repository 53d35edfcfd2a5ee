//! What a run tells: what there was, what is left, and what repeats most.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use refrain::dedup::{Counts, Figures, Frequent, Learned, Resembles, Task};
use refrain::text::{CharOffsets, Offsets};
use refrain::{Document, Reason};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::passes::say;
use crate::common::counted_documents;

/// A run in figures.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Report {
    total: Row,
    by_language: BTreeMap<String, Row>,
    by_host: BTreeMap<String, Row>,
    /// Blocks that were left out.
    blocks: u64,
    /// Documents without words.
    empty: u64,
    frequent: Vec<Passage>,
    ngram: usize,
    before: Counts,
    after: Counts,
    lost: u64,
    /// Documents that were only compared with.
    compared: u64,
    lost_passages: Option<u64>,
}

/// Documents of one kind.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Row {
    documents: u64,
    documents_kept: u64,
    #[serde(flatten)]
    figures: Figures,
}

/// A passage that is repeated often.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Passage {
    count: u64,
    words: u64,
    document: String,
    text: String,
}

/// Hosts that are told apart; those that come later are counted together.
const HOSTS: usize = 100_000;
const OTHER_HOSTS: &str = "(others)";
/// Passages that are remembered, told in files, and told to people.
const REMEMBERED: usize = 1000;
const LISTED: usize = 100;
const TOLD: usize = 10;
/// Rows of a table, and characters of a passage.
const ROWS: usize = 10;
const CHARACTERS: usize = 300;
const CHARACTERS_TOLD: usize = 70;

impl Report {
    /// Counts a document.
    pub(super) fn add(&mut self, document: &Document, figures: Figures, gone: bool, blocks: usize) {
        let row = Row { documents: 1, documents_kept: u64::from(!gone), figures };
        self.total.add(row);
        self.blocks += blocks as u64;
        self.empty += u64::from(figures.words == 0);
        if let Some(language) = &document.language {
            self.by_language.entry(language.clone()).or_default().add(row);
        }
        let url = document.origin.url.as_deref().or_else(|| document.meta.get("url").and_then(Value::as_str));
        if let Some(host) = url.and_then(refrain::url::host) {
            let known = self.by_host.len() < HOSTS || self.by_host.contains_key(&host);
            self.by_host.entry(if known { host } else { OTHER_HOSTS.to_owned() }).or_default().add(row);
        }
    }

    /// Notes passages that are repeated often.
    pub(super) fn add_frequent(&mut self, document: &Document, frequent: &[Frequent]) {
        self.frequent.extend(frequent.iter().map(|frequent| Passage {
            count: frequent.count,
            words: frequent.words,
            document: document.id.clone(),
            text: shortened(frequent.span.of(document.text()), CHARACTERS),
        }));
        if self.frequent.len() > 2 * REMEMBERED {
            self.sort_frequent();
        }
    }

    fn sort_frequent(&mut self) {
        self.frequent.sort_by_key(|passage| std::cmp::Reverse((passage.count, passage.words)));
        self.frequent.truncate(REMEMBERED);
    }

    /// Adds what is known at the end.
    pub(super) fn complete(mut self, learned: &Learned, task: Task, ngram: usize) -> Report {
        self.sort_frequent();
        self.before = learned.counts();
        self.after = learned.counts_after();
        self.compared = self.before.documents - self.total.documents;
        if task == Task::Blocks {
            (self.ngram, self.lost) = (ngram, learned.lost());
        }
        self
    }

    pub(super) fn set_lost_passages(&mut self, passages: u64) {
        self.lost_passages = Some(passages);
    }

    pub(super) fn documents_kept(&self) -> u64 {
        self.total.documents_kept
    }

    /// What was left out, in words.
    pub(super) fn words(&self, task: Task) -> String {
        let gone = counted_documents(self.total.documents - self.total.documents_kept);
        match task {
            Task::Documents => format!("{gone} resembled earlier ones"),
            _ => {
                let blocks = format!("{} block{}", self.blocks, if self.blocks == 1 { "" } else { "s" });
                format!("{blocks} and {gone} were copies")
            }
        }
    }

    /// The report for programs.
    pub(super) fn json(&self) -> Value {
        let mut report = json!({
            "documents": self.total.documents, "documents_kept": self.total.documents_kept,
            "documents_without_words": self.empty, "documents_compared_with": self.compared,
            "words": self.total.figures.words, "words_kept": self.total.figures.words_kept,
            "by_language": self.by_language, "by_host": self.by_host,
        });
        if self.ngram > 0 {
            let passages: Vec<&Passage> = self.frequent.iter().take(LISTED).collect();
            report["blocks_removed"] = json!(self.blocks);
            report["ngram"] = json!(self.ngram);
            report["ngrams_before"] = json!(self.before);
            report["ngrams_after"] = json!(self.after);
            report["ngrams_lost"] = json!(self.lost);
            if let Some(passages) = self.lost_passages {
                report["passages_lost"] = json!(passages);
            }
            report["most_repeated"] = json!(passages);
        }
        report
    }

    /// The report for people.
    pub(super) fn table(&self) -> String {
        let mut out = String::new();
        let Row { documents, documents_kept, figures } = self.total;
        let _ = writeln!(out, "{:<28}{:>16}{:>16}{:>8}", "", "before", "after", "left");
        let mut line = |name: &str, before: u64, after: u64| {
            let share =
                if before == 0 { String::new() } else { format!("{:.1} %", after as f64 * 100.0 / before as f64) };
            let _ = writeln!(out, "{name:<28}{before:>16}{after:>16}{share:>8}");
        };
        line("documents", documents, documents_kept);
        line("words", figures.words, figures.words_kept);
        if self.ngram > 0 {
            let name = |what: &str| format!("{}-grams{what}", self.ngram);
            line(&name(""), self.before.ngrams, self.after.ngrams);
            line(&name(", different"), self.before.distinct, self.after.distinct);
            line(&name(", twice or more"), self.before.duplicate, self.after.duplicate);
            let _ = writeln!(
                out,
                "{} of {} different {}-grams stand nowhere any more{}",
                self.lost,
                self.before.distinct,
                self.ngram,
                if self.lost > 0 { " (--lost FILE lists them)" } else { "" }
            );
        }
        if self.ngram > 0 && self.compared > 0 {
            let _ = writeln!(out, "n-grams with those of {} to compare with", counted_documents(self.compared));
        }
        if self.empty > 0 {
            let _ = writeln!(out, "{} had no words and stayed", counted_documents(self.empty));
        }
        rows(&mut out, "language", &self.by_language, self.ngram);
        rows(&mut out, "host", &self.by_host, self.ngram);
        if !self.frequent.is_empty() {
            let _ = writeln!(out, "\nrepeated most          times   words");
            for passage in self.frequent.iter().take(TOLD) {
                let text = shortened(&passage.text, CHARACTERS_TOLD);
                let _ = writeln!(out, "{:>28}{:>8}  {text}", passage.count, passage.words);
            }
        }
        out
    }
}

impl Row {
    fn add(&mut self, other: Row) {
        self.documents += other.documents;
        self.documents_kept += other.documents_kept;
        self.figures += other.figures;
    }
}

/// The largest rows of a table, if there are two or more.
fn rows(out: &mut String, what: &str, table: &BTreeMap<String, Row>, ngram: usize) {
    if table.len() < 2 {
        return;
    }
    let mut rows: Vec<(&String, &Row)> = table.iter().collect();
    rows.sort_by_key(|(_, row)| std::cmp::Reverse(row.figures.words));
    let repeated = if ngram > 0 { format!("repeated {ngram}-grams before and after") } else { String::new() };
    let _ = writeln!(out, "\n{what:<28}{:>12}{:>8}{:>14}{:>8}  {repeated}", "documents", "left", "words", "left");
    for (name, row) in rows.iter().take(ROWS) {
        let percent = |part: u64, of: u64| format!("{:.1} %", part as f64 * 100.0 / of.max(1) as f64);
        let figures = row.figures;
        let repeated = if ngram > 0 {
            let after = percent(figures.repeated_kept, figures.ngrams_kept);
            format!("  {:>8}{after:>8}", percent(figures.repeated, figures.ngrams))
        } else {
            String::new()
        };
        let name: String = name.chars().take(27).collect();
        let _ = writeln!(
            out,
            "{name:<28}{:>12}{:>8}{:>14}{:>8}{repeated}",
            row.documents,
            percent(row.documents_kept, row.documents),
            figures.words,
            percent(figures.words_kept, figures.words)
        );
    }
    if rows.len() > ROWS {
        let _ = writeln!(out, "({} more: --report FILE has them all)", rows.len() - ROWS);
    }
}

/// The beginning of a text, on one line.
fn shortened(text: &str, characters: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(characters) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

/// Tells what was left out of a document, and why.
pub(super) fn explain_blocks(document: &Document, from: usize, offsets: Offsets) -> refrain::Result<()> {
    let mut chars = CharOffsets::new(document.text());
    for mark in &document.marks[from..] {
        let Reason::Repeats { document: of, words, share, by } = &mark.reason else { continue };
        let place = match (of, words) {
            (Some(id), Some((from, to))) => format!("copy of {id}, words {from} to {to}"),
            (Some(id), None) => format!("copy of {id}"),
            (None, _) => "beside copies".to_owned(),
        };
        let span = chars.span(mark.span, offsets);
        let text = shortened(mark.span.of(document.text()), CHARACTERS_TOLD);
        let share = (share * 100.0).round();
        say(&format!("{}, {} to {}: {place}, {share} % ({by}): {text}", document.id, span.start, span.end))?;
    }
    Ok(())
}

/// Tells which document another one resembles.
pub(super) fn explain_document(document: &Document, found: &Resembles) -> refrain::Result<()> {
    say(&format!("{}: resembles {}, {} %", document.id, found.document, (found.score * 100.0).round()))
}
