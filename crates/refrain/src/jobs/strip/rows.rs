//! One row for each book: what was found and why.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::error::Failure;
use crate::report::cell;
use crate::strip::Boundaries;
use crate::text::legible;
use crate::write::Format;

/// The result for one book.
#[derive(Clone)]
pub(super) struct Row {
    pub(super) id: String,
    /// The name that people see: its address, or else its id.
    pub(super) name: String,
    pub(super) origin: String,
    /// The name of its body in the output folder.
    pub(super) file: Option<PathBuf>,
    pub(super) found: Boundaries,
    /// A problem that did not prevent the use of the book.
    pub(super) failure: Option<Failure>,
}

/// A row as JSON.
#[derive(Serialize, JsonSchema)]
pub(in crate::jobs) struct StrippedBook<'a> {
    /// The name of the text, without `.txt`.
    id: &'a str,
    /// The input, with the member of an archive.
    origin: &'a str,
    /// The number of lines in the whole text.
    lines: usize,
    /// The last line of the preamble, from 1; 0 if there is none.
    preamble_end: usize,
    /// The first line of the epilogue, from 1; 0 if there is none.
    epilogue_start: usize,
    /// From 0 to 1; null if the method does not compute it.
    confidence: Option<f64>,
    /// Whether a person should look at it: the confidence is low, or nothing would remain.
    doubtful: bool,
    /// The reasons for the end of the preamble, for people.
    why_preamble: &'a str,
    /// The reasons for the start of the epilogue, for people.
    why_epilogue: &'a str,
    /// Evidence against the boundaries, for people.
    doubts: &'a [&'a str],
    /// What the preamble states.
    #[schemars(with = "BTreeMap<String, String>")]
    facts: Map<String, Value>,
    /// The file with the body, relative to the folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<Cow<'a, str>>,
}

/// The columns of a table with tabs.
const COLUMNS: [&str; 15] = [
    "id",
    "preamble_end",
    "epilogue_start",
    "confidence",
    "lines",
    "doubtful",
    "why_preamble",
    "why_epilogue",
    "doubts",
    "title",
    "author",
    "language",
    "release_date",
    "ebook",
    "credits",
];

/// The line above the rows.
pub(super) fn head(format: Format) -> String {
    match format {
        Format::Tsv => COLUMNS.join("\t") + "\n",
        Format::Jsonl => String::new(),
        _ => table(["preamble", "epilogue", "lines", "confidence"], "book"),
    }
}

/// Sorts rows, the least certain first.
pub(super) fn sort_by_doubt(rows: &mut [Row]) {
    rows.sort_by(|one, other| one.found.by_doubt(&other.found));
}

impl Row {
    /// The row as text, tsv or jsonl.
    pub(super) fn line(&self, format: Format) -> String {
        let found = &self.found;
        let confidence = found.confidence.map_or(String::new(), |confidence| format!("{confidence:.3}"));
        let [preamble, epilogue, lines] =
            [found.preamble_end, found.epilogue_start, found.lines].map(|number| number.to_string());
        match format {
            Format::Tsv => {
                let facts = &found.facts;
                let doubtful = if found.is_doubtful() { "yes" } else { "no" };
                let cells: [&str; COLUMNS.len()] = [
                    &self.id,
                    &preamble,
                    &epilogue,
                    &confidence,
                    &lines,
                    doubtful,
                    &found.why_preamble,
                    &found.why_epilogue,
                    &found.doubts.join("; "),
                    &facts.title,
                    &facts.author,
                    &facts.language,
                    &facts.release_date,
                    &facts.ebook,
                    &facts.credits,
                ];
                cells.map(|text| cell(&legible(text), '\t')).join("\t") + "\n"
            }
            Format::Jsonl => self.json().to_string() + "\n",
            _ => {
                let first = table([&preamble, &epilogue, &lines, &confidence], &legible(&self.name));
                let why = format!("{:>41}preamble: {}; epilogue: {}\n", "", found.why_preamble, found.why_epilogue);
                let against = match found.doubts.as_slice() {
                    [] => String::new(),
                    doubts => format!("{:>41}against it: {}\n", "", doubts.join("; ")),
                };
                first + &why + &against
            }
        }
    }

    fn json(&self) -> Value {
        let found = &self.found;
        let facts: Map<String, Value> =
            found.facts.fields().map(|(name, value)| (name.to_owned(), value.into())).collect();
        let confidence = found.confidence.map(|confidence| (f64::from(confidence) * 1000.0).round() / 1000.0);
        json!(StrippedBook {
            id: &self.id,
            origin: &self.origin,
            lines: found.lines,
            preamble_end: found.preamble_end,
            epilogue_start: found.epilogue_start,
            confidence,
            doubtful: found.is_doubtful(),
            why_preamble: &found.why_preamble,
            why_epilogue: &found.why_epilogue,
            doubts: &found.doubts,
            facts,
            file: self.file.as_deref().map(std::path::Path::to_string_lossy),
        })
    }
}

/// One line of the table.
fn table([preamble, epilogue, lines, confidence]: [&str; 4], id: &str) -> String {
    format!("{preamble:>8}  {epilogue:>8}  {lines:>8}  {confidence:>10}  {id}\n")
}
