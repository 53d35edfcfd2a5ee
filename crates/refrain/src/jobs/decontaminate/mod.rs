//! `decontaminate`: text of benchmarks that models are measured with.

mod items;
mod report;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use self::items::{ItemName, read_items};
use self::report::{Tally, explain, shown};
use super::failures::FailureLog;
use super::input::Input;
use super::outputs::{ERRORS, EXPLAIN, Outputs, PAGE, REMOVED, REPORT};
use crate::decontaminate::{BenchmarkFields, BenchmarkItem, Benchmarks, Contamination, PASS};
use crate::document::{Document, Label, Mark, Position, Reason, Span};
use crate::error::Result;
use crate::flow::each_document;
use crate::prepare::{Preparation, Prepared};
use crate::run::Run;
use crate::source::{Item, ReadOptions};
use crate::text::Offsets;
use crate::write::{Compressed, DocumentWriter, PartsWriter, WriteOptions, removed_lines};

pub use report::{BenchmarkFigures, DecontaminateReport, FoundItem, FoundPlace};

/// Removes items of benchmarks from documents: passages, questions, options and answers that a model should not have seen.
///
/// Documents are read once, and items are kept in memory. An item is removed only if enough of its words are in the text in the
/// same order; what is less sure is listed in the report. Besides the documents, it writes the lists `removed`, `errors`,
/// `explain` (a line for each removal), `report` and `page` (the report as a web page).
///
/// ```
/// use refrain::{Decontaminate, Document, Input, Outputs, Run};
/// use serde_json::json;
///
/// let question = "Which keeper lit the lamp of Skerrow Head on the night of the great storm?";
/// let mut item = Document::from_text("q1", "");
/// item.meta = [("question".into(), json!(question)), ("answer".into(), json!("Eva Carrow"))].into_iter().collect();
/// let page = Document::from_text("a", format!("A quiz.\n\n1. {question}\nEva Carrow!\n\nSend us your answers."));
/// let (outputs, results) = Outputs::memory();
/// let evals = Input::documents([item]);
/// let report = Decontaminate::default().run(&Input::documents([page]), &evals, outputs, &Run::default())?;
/// assert_eq!(report.benchmarks[0].items_found, 1);
/// assert_eq!(results.documents()[0].text(), "A quiz.\n\nSend us your answers.");
/// # Ok::<(), refrain::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Decontaminate {
    /// How documents are read.
    pub read: ReadOptions,
    /// The fields of benchmark records, where they are not recognised.
    pub fields: BenchmarkFields,
    /// What is removed.
    pub unit: ContaminatedUnit,
    /// Keep what was found, with its marks.
    pub keep_marked: bool,
    /// The unit of offsets in files.
    pub offsets: Offsets,
}

/// What is removed if a document contains an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContaminatedUnit {
    /// The text of the item.
    #[default]
    Passage,
    /// The whole document.
    Document,
}

/// Text in a part of a folder.
const PART_SIZE: u64 = 256 << 20;

/// What is searched for: items with their names.
#[derive(Clone, Copy)]
struct Searched<'a> {
    benchmarks: &'a Benchmarks,
    names: &'a [ItemName],
    items: &'a [BenchmarkItem],
}

/// What became of a document.
struct Done {
    prepared: Prepared,
    places: Vec<(Contamination, FoundPlace)>,
    removed: Result<Vec<u8>>,
    explained: String,
}

impl Decontaminate {
    /// Runs the job: removes the items of `evals` from the documents. Each file of `evals` is a benchmark, in JSONL or Parquet.
    pub fn run(&self, input: &Input, evals: &Input, outputs: Outputs, run: &Run) -> Result<DecontaminateReport> {
        outputs.check(&[ERRORS, REMOVED, REPORT, PAGE, EXPLAIN])?;
        let outputs = outputs.with_evidence();
        let (source, early) = input.open(&self.read, &outputs)?;
        let mut failures = FailureLog::new(&outputs, early)?;
        let (names, items) = read_items(evals, &self.fields, &outputs, &mut failures)?;
        let benchmarks = Benchmarks::new(items.iter().cloned());
        let searched = Searched { benchmarks: &benchmarks, names: &names, items: &items };
        let mut tally = Tally::new(searched);
        let mut writer = self.open_documents(&outputs)?;
        let mut removed = outputs.open_removed(&[])?;
        let mut explained = outputs.open_list(EXPLAIN)?;
        let lists = (!removed.is_empty(), explained.is_some());
        each_document(
            &run.start()?,
            "search",
            &source,
            |position, item| self.search(position, item, searched, lists),
            |_, done| {
                let is_document = done.prepared.document.is_some();
                failures.count(is_document, done.prepared.skipped.as_deref(), done.prepared.failure)?;
                let Some(document) = done.prepared.document else { return Ok(()) };
                removed.put(&done.removed?)?;
                if done.prepared.skipped.is_some() {
                    return Ok(());
                }
                let is_kept = self.keep_marked || document.marks.is_empty() || !document.is_removed();
                tally.add(&document, done.places, is_kept);
                if let Some(out) = &mut explained {
                    out.put(done.explained.as_bytes())?;
                }
                if is_kept {
                    writer.write(&document)?;
                    writer.pause()?;
                }
                Ok(())
            },
        )?;
        writer.finish()?;
        removed.finish()?;
        if let Some(parts) = outputs.parts()? {
            parts.show(parts.hidden_parts())?;
        }
        explained.map(Compressed::finish).transpose()?;
        let (input, failures) = failures.finish();
        let report = tally.finish(input, failures);
        outputs.write_report(&report)?;
        if let Some(mut out) = outputs.open_list(PAGE)? {
            out.put(report.page().as_bytes())?;
            out.finish()?;
        }
        Ok(report)
    }

    fn open_documents(&self, outputs: &Outputs) -> Result<Box<dyn DocumentWriter>> {
        let options = WriteOptions { keep_marked: self.keep_marked, offsets: self.offsets, ..WriteOptions::default() };
        match outputs.parts()? {
            Some(parts) => {
                outputs.check_folder(&parts.folder)?;
                Ok(Box::new(PartsWriter::open(parts, options, PART_SIZE, 0)?))
            }
            None => outputs.open_documents(options),
        }
    }

    /// Prepares a document and marks what it contains of benchmarks.
    fn search(
        &self,
        position: Position,
        item: Item,
        searched: Searched<'_>,
        (lists_removed, explains): (bool, bool),
    ) -> Done {
        let preparation = Preparation::default();
        let mut done = Done {
            prepared: preparation.prepare(position, item).skip_marked(self.keep_marked),
            places: Vec::new(),
            removed: Ok(Vec::new()),
            explained: String::new(),
        };
        let Some(document) = &mut done.prepared.document else { return done };
        let found = searched.benchmarks.find(document.text(), &document.removed_spans());
        let before = document.marks.len();
        document.marks.extend(self.marks(document, &found, searched));
        if explains {
            done.explained = explain(document, &document.marks[before..], self.offsets);
        }
        done.places = FoundPlace::of_all(document, found, self.offsets);
        if lists_removed {
            done.removed = removed_lines(document, self.offsets);
        }
        done
    }

    /// The marks on what was found. A range that several items contain, such as a passage with several questions, is marked for
    /// the first of those that are there most completely.
    fn marks(&self, document: &Document, found: &[Contamination], searched: Searched<'_>) -> Vec<Mark> {
        let mut sure: Vec<&Contamination> = found.iter().filter(|found| found.doubt.is_none()).collect();
        sure.sort_by(|one, other| other.share.total_cmp(&one.share).then(one.item.cmp(&other.item)));
        let reason = |found: &Contamination| Reason::Item {
            benchmark: searched.names[found.item].benchmark.to_string(),
            item: searched.names[found.item].id.clone(),
            fields: found.fields.iter().map(|field| Cow::Borrowed(field.name())).collect(),
            share: rounded(found.share),
            text: shown(&searched.items[found.item], &found.fields),
        };
        let mark = |span, found| Mark { span, label: Label::Benchmark, pass: PASS.into(), reason: reason(found) };
        if self.unit == ContaminatedUnit::Document {
            let whole = Span::new(0, document.text().len());
            return sure.first().map(|found| mark(whole, found)).into_iter().collect();
        }
        let mut marks: Vec<Mark> = Vec::new();
        for found in sure {
            for span in &found.spans {
                let is_inside = |mark: &Mark| mark.span.start <= span.start && span.end <= mark.span.end;
                if !marks.iter().any(is_inside) {
                    marks.push(mark(*span, found));
                }
            }
        }
        marks.sort_by_key(|mark| mark.span);
        marks
    }
}

/// A share with three digits.
fn rounded(share: f64) -> f64 {
    (share * 1000.0).round() / 1000.0
}
