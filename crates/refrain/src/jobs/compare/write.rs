//! The output of a comparison.

use std::fmt::Write as _;
use std::path::Path;

use super::super::failures::Failures;
use super::super::outputs::Outputs;
use super::{Compare, KEY};
use crate::compare::{ComparedDocument, ComparedPair, ComparisonResult};
use crate::error::{IoContext, Result};
use crate::report::{ComparisonReport, ComparisonSettings, ReportOptions, cell};
use crate::run::Stop;
use crate::text::legible;
use crate::write::{Compression, Format, Sink};

/// A comparison being written.
pub(super) struct Writing<'a> {
    pub(super) job: &'a Compare,
    pub(super) result: &'a ComparisonResult,
    pub(super) stop: &'a Stop,
    /// Whether only named pairs were compared.
    pub(super) named_pairs: bool,
    pub(super) failures: &'a Failures,
}

impl Writing<'_> {
    pub(super) fn write(&self, format: Format, outputs: &Outputs) -> Result<()> {
        if let Some(mut key) = outputs.open_list(KEY)? {
            key.put(self.key().as_bytes())?;
            key.finish()?;
        }
        if outputs.main().is_discarded() {
            return Ok(());
        }
        let options = ReportOptions {
            anonymous: self.job.anonymous,
            offsets: self.job.offsets,
            run: self.options(),
            failures: self.failures(),
        };
        let report = ComparisonReport::new(self.result, options)?;
        if let (Format::Report, Some(folder)) = (format, outputs.path()) {
            return write_report(folder, &report);
        }
        let mut out = outputs.main().open()?;
        match format {
            Format::Jsonl => {
                for pair in &self.result.pairs {
                    self.stop.check()?;
                    out.put(format!("{}\n", report.pair(pair)).as_bytes())?;
                }
            }
            Format::Json => report.bundle(|piece| out.put(piece.as_bytes()))?,
            Format::Csv => out.put(report.table(',').as_bytes())?,
            Format::Tsv => out.put(report.table('\t').as_bytes())?,
            Format::Html => out.put(report.page(true)?.as_bytes())?,
            _ => {
                let ComparisonResult { documents, pairs, .. } = self.result;
                out.put(table(documents, pairs, !self.job.no_passages, usize::MAX).as_bytes())?;
            }
        }
        out.finish()?;
        Ok(())
    }

    /// Inputs that could not be read, without names if the report is anonymous.
    fn failures(&self) -> Vec<String> {
        match (self.job.anonymous, self.failures.count) {
            (_, 0) => Vec::new(),
            (true, count) => vec![format!("{count} documents failed")],
            (false, _) => self.failures.first.iter().map(ToString::to_string).collect(),
        }
    }

    /// The options of the run, for the report.
    fn options(&self) -> ComparisonSettings {
        let job = self.job;
        ComparisonSettings {
            tokens: job.tokens.name(),
            ngram: job.ngram,
            resemblance: job.resemblance,
            containment: job.containment,
            passage_words: if job.no_passages { 0 } else { job.passage_words },
            common: job.common,
            keep_references: job.keeps_references(),
            pairs_named: self.named_pairs,
            folders: job.folders,
        }
    }

    /// The table that maps numbers to documents.
    fn key(&self) -> String {
        let mut key = String::from("name\tid\n");
        for document in &self.result.documents {
            let _ = writeln!(key, "{}\t{}", document.name, cell(&document.id, '\t'));
        }
        key
    }
}

fn write_report(folder: &Path, report: &ComparisonReport<'_>) -> Result<()> {
    std::fs::create_dir_all(folder).at(folder)?;
    // It is written last, to show that the report is complete: an old one must not accompany new texts.
    let last = folder.join("report.json");
    if last.exists() {
        std::fs::remove_file(&last).at(&last)?;
    }
    let open = |name: &str| Compression::None.compress(Sink::below(folder, name, None)?);
    let write = |name: &str, text: &str| -> Result<()> {
        let mut out = open(name)?;
        out.put(text.as_bytes())?;
        out.finish().map(drop)
    };
    let mut texts = open("texts.jsonl")?;
    report.each_text(|line| texts.put(line.as_bytes()))?;
    texts.finish()?;
    write("pairs.csv", &report.table(','))?;
    write("report.html", &report.page(false)?)?;
    let mut bundle = open("report.json")?;
    report.bundle(|piece| bundle.put(piece.as_bytes()))?;
    bundle.finish()?;
    Ok(())
}

/// The first pairs, for people.
pub(super) fn table(documents: &[ComparedDocument], pairs: &[ComparedPair], has_passages: bool, most: usize) -> String {
    if pairs.is_empty() {
        return "no pair of documents shares enough text to be listed\n".to_owned();
    }
    let percent = |share: f64| format!("{:.1}", 100.0 * share);
    let mut table = format!(
        "{:>6} {:>6} {:>6} {:>9} {:>9} {:>8}  a | b\n",
        "R %", "C a %", "C b %", "n-grams", "passages", "longest"
    );
    for ComparedPair { a, b, scores, longest, passages } in pairs.iter().take(most) {
        let _ = writeln!(
            table,
            "{:>6} {:>6} {:>6} {:>9} {:>9} {:>8}  {} | {}",
            percent(scores.resemblance),
            percent(scores.a_in_b),
            percent(scores.b_in_a),
            scores.shared,
            if has_passages { passages.len().to_string() } else { "-".to_owned() },
            if has_passages { longest.to_string() } else { "-".to_owned() },
            legible(&documents[*a].name),
            legible(&documents[*b].name),
        );
    }
    table
}
