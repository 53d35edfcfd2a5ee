//! What a comparison writes.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result, bail};
use refrain::compare::ComparisonResult;
use refrain::report::{ComparisonReport, Names, ReportOptions, cell};
use refrain::write::{Compression, Format, Output};
use serde_json::{Value, json};

use super::Arguments;
use crate::common::{Failures, legible, print, tell};

/// The formats of the output.
pub(super) const FORMATS: [Format; 7] =
    [Format::Table, Format::Jsonl, Format::Json, Format::Csv, Format::Tsv, Format::Html, Format::Report];

/// A comparison on its way out.
pub(super) struct Written<'a> {
    pub(super) arguments: &'a Arguments,
    pub(super) form: Format,
    pub(super) result: &'a ComparisonResult,
    pub(super) failures: &'a Failures,
}

/// Pairs that the table on the terminal shows.
const SHOWN: usize = 40;

impl Written<'_> {
    pub(super) fn write(&self) -> Result<()> {
        let documents = &self.result.documents;
        let names = match &self.arguments.anonymous {
            Some(_) => Names::anonymous(documents.len()),
            None => Names::of(documents.iter().map(|document| document.id.as_str())),
        };
        let options = ReportOptions {
            anonymous: self.arguments.anonymous.is_some(),
            offsets: self.arguments.offsets,
            run: self.options(),
            failures: self.told_failures(),
        };
        let report = ComparisonReport::new(self.result, &names, options)?;
        if let Some(path) = &self.arguments.anonymous {
            self.write_key(path, &names)?;
        }
        match (self.form, self.arguments.output.path()) {
            (Format::Report, Some(folder)) => write_report(folder, &report)?,
            (form, path) => {
                let output = match path {
                    Some(path) => Output::file(path)?,
                    None => Output::stream(std::io::stdout()),
                };
                let packing = path.map_or(Compression::None, Compression::of_path);
                let mut out = packing.compress(output)?;
                match form {
                    Format::Jsonl => {
                        for pair in &self.result.pairs {
                            out.put(format!("{}\n", report.pair(pair)).as_bytes())?;
                        }
                    }
                    Format::Json => report.bundle(|piece| out.put(piece.as_bytes()))?,
                    Format::Csv => out.put(report.table(',').as_bytes())?,
                    Format::Tsv => out.put(report.table('\t').as_bytes())?,
                    Format::Html => out.put(report.page(true)?.as_bytes())?,
                    _ => out.put(self.table(&names, path.is_some()).as_bytes())?,
                }
                out.finish()?;
            }
        }
        self.tell(&names)
    }

    /// What could not be read; without names where these must not be known.
    fn told_failures(&self) -> Vec<String> {
        match (&self.arguments.anonymous, self.failures.count) {
            (_, 0) => Vec::new(),
            (Some(_), count) => vec![format!("{count} documents had faults")],
            (None, _) => self.failures.first.iter().map(ToString::to_string).collect(),
        }
    }

    /// Says what was found.
    fn tell(&self, names: &Names) -> Result<()> {
        let Some(path) = self.arguments.output.path().filter(|_| !self.arguments.output.quiet) else { return Ok(()) };
        if self.form == Format::Report {
            print(&self.table(names, false))?;
        }
        if !self.result.common.is_empty() {
            tell("some text stands in most documents and does not count; --common 100% compares it, too");
        }
        let (documents, pairs) = (self.result.documents.len(), self.result.pairs.len());
        let pairs = if pairs == 1 { "1 pair".to_owned() } else { format!("{pairs} pairs") };
        let page = if self.form == Format::Report { "; open report.html in it" } else { "" };
        tell(&format!("compared {documents} documents, wrote {pairs} to {}{page}", path.display()));
        Ok(())
    }

    /// The highest pairs, for people; all of them in a file.
    fn table(&self, names: &Names, to_file: bool) -> String {
        let percent = |share: f64| format!("{:.1}", 100.0 * share);
        let mut table = String::new();
        if self.result.pairs.is_empty() {
            table.push_str(match self.arguments.pairs {
                Some(_) => "none of the named pairs could be compared\n",
                None => "no pair of documents shares enough text to be listed\n",
            });
            return table;
        }
        let head = ["R %", "C a %", "C b %", "n-grams", "passages"];
        let _ = writeln!(table, "{:>6} {:>6} {:>6} {:>9} {:>9}  a | b", head[0], head[1], head[2], head[3], head[4]);
        let shown = if to_file { usize::MAX } else { SHOWN };
        for pair in self.result.pairs.iter().take(shown) {
            let _ = writeln!(
                table,
                "{:>6} {:>6} {:>6} {:>9} {:>9}  {} | {}",
                percent(pair.scores.resemblance),
                percent(pair.scores.a_in_b),
                percent(pair.scores.b_in_a),
                pair.scores.shared,
                if self.arguments.no_passages { "-".to_owned() } else { pair.passages.len().to_string() },
                legible(names.get(pair.a)),
                legible(names.get(pair.b)),
            );
        }
        if let Some(more) = self.result.pairs.len().checked_sub(shown).filter(|more| *more > 0) {
            let _ = writeln!(table, "and {more} more pairs (all of them with -o pairs.csv, or -o report/)");
        }
        table
    }

    /// What the report says of the run.
    fn options(&self) -> Value {
        let a = self.arguments;
        json!({
            "tokens": a.tokens.name(), "ngram": a.ngram, "resemblance": a.resemblance, "containment": a.containment,
            "common": a.common, "keep_references": a.options().keep_references, "pairs_named": a.pairs.is_some(),
            "folders": a.folders,
        })
    }

    /// Writes which number stands for which document.
    fn write_key(&self, path: &Path, names: &Names) -> Result<()> {
        let mut key = String::from("name\tid\n");
        for (number, document) in self.result.documents.iter().enumerate() {
            let _ = writeln!(key, "{}\t{}", names.get(number), cell(&document.id, '\t'));
        }
        let mut out = Compression::None.compress(Output::file(path)?)?;
        out.put(key.as_bytes())?;
        out.finish()?;
        Ok(())
    }
}

/// The files of a report, and nothing else, may be in its folder.
const FILES: [&str; 4] = ["report.json", "texts.jsonl", "pairs.csv", "report.html"];

/// Refuses a folder with other files in it.
pub(super) fn check_folder(folder: &Path) -> Result<()> {
    // With the slash at its end, a file is not found.
    let plain: std::path::PathBuf = folder.components().collect();
    if plain.is_file() {
        bail!("{} is a file; name another folder for the report", plain.display());
    }
    if let Ok(entries) = folder.read_dir() {
        for entry in entries {
            let name = entry?.file_name();
            if !FILES.iter().any(|file| name == *file) {
                bail!("the folder {} has other files in it; name another one for the report", folder.display());
            }
        }
    }
    Ok(())
}

fn write_report(folder: &Path, report: &ComparisonReport<'_>) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    // It tells that the report is whole: an old one must not stand beside new texts.
    let note = folder.join("report.json");
    if note.exists() {
        std::fs::remove_file(&note).with_context(|| note.display().to_string())?;
    }
    let write = |name: &str, text: &str| -> Result<()> {
        let mut out = Compression::None.compress(Output::file(&folder.join(name))?)?;
        out.put(text.as_bytes())?;
        out.finish()?;
        Ok(())
    };
    let mut texts = Compression::None.compress(Output::file(&folder.join("texts.jsonl"))?)?;
    report.each_text(|line| texts.put(line.as_bytes()))?;
    texts.finish()?;
    write("pairs.csv", &report.table(','))?;
    write("report.html", &report.page(false)?)?;
    let mut bundle = Compression::None.compress(Output::file(&note)?)?;
    report.bundle(|piece| bundle.put(piece.as_bytes()))?;
    bundle.finish()?;
    Ok(())
}
