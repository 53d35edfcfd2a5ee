//! What was found, for people and for programs.

use std::path::{Path, PathBuf};

use refrain::Failure;
use refrain::report::cell;
use refrain::strip::Found;
use refrain::write::Format;
use serde_json::{Map, Value, json};

use crate::common::{legible, tell};

/// What was found in one book.
#[derive(Clone)]
pub(super) struct Row {
    pub(super) id: String,
    pub(super) origin: String,
    /// The name of its body in the folder that bodies are written to.
    pub(super) file: Option<PathBuf>,
    pub(super) found: Found,
    /// What was wrong with the book, though it could be used.
    pub(super) failure: Option<Failure>,
}

/// The columns with tabs between them.
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
            Format::Jsonl => json(self).to_string() + "\n",
            _ => {
                let first = table([&preamble, &epilogue, &lines, &confidence], &legible(&self.id));
                let why = format!("{:>41}preamble: {}; epilogue: {}\n", "", found.why_preamble, found.why_epilogue);
                let against = match found.doubts.as_slice() {
                    [] => String::new(),
                    doubts => format!("{:>41}against it: {}\n", "", doubts.join("; ")),
                };
                first + &why + &against
            }
        }
    }
}

/// One line of the table.
fn table([preamble, epilogue, lines, confidence]: [&str; 4], id: &str) -> String {
    format!("{preamble:>8}  {epilogue:>8}  {lines:>8}  {confidence:>10}  {id}\n")
}

/// A row as JSON.
fn json(row: &Row) -> Value {
    let found = &row.found;
    let facts: Map<String, Value> = found.facts.fields().map(|(name, value)| (name.to_owned(), value.into())).collect();
    let confidence = found.confidence.map(|confidence| (f64::from(confidence) * 1000.0).round() / 1000.0);
    let mut out = json!({
        "id": row.id,
        "origin": row.origin,
        "lines": found.lines,
        "preamble_end": found.preamble_end,
        "epilogue_start": found.epilogue_start,
        "confidence": confidence,
        "doubtful": found.is_doubtful(),
        "why_preamble": found.why_preamble,
        "why_epilogue": found.why_epilogue,
        "doubts": found.doubts,
        "facts": facts,
    });
    if let Some(file) = &row.file {
        out["file"] = file.to_string_lossy().into();
    }
    out
}

/// A number of books, or whatever they are called.
pub(super) fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// What became of all books, in figures.
#[derive(Default)]
pub(super) struct Summary {
    books: u64,
    preambles: u64,
    epilogues: u64,
    doubtful: u64,
    /// Those of which nothing would be left: the first ones, and how many.
    emptied: (Vec<String>, u64),
}

/// How many books are named.
const NAMED: usize = 10;

impl Summary {
    /// True when no book could be read.
    pub(super) fn is_empty(&self) -> bool {
        self.books == 0
    }

    pub(super) fn add(&mut self, row: &Row) {
        let found = &row.found;
        self.books += 1;
        self.preambles += u64::from(found.preamble_end > 0);
        self.epilogues += u64::from(found.epilogue_start > 0);
        self.doubtful += u64::from(found.is_doubtful());
        if found.emptied {
            self.emptied.1 += 1;
            if self.emptied.0.len() < NAMED {
                self.emptied.0.push(legible(&row.id));
            }
        }
    }

    /// Tells it, and which books would have been emptied.
    pub(super) fn tell(&self, path: Option<&Path>, explained: bool, noun: &str) {
        if self.is_empty() && !explained {
            return tell(&format!("nothing was written: no {noun} could be read"));
        }
        let (first, count) = &self.emptied;
        if *count > 0 {
            let more =
                if *count > NAMED as u64 { format!(" and {} more", count - NAMED as u64) } else { String::new() };
            let kept = if explained { "they would be written whole" } else { "written whole" };
            tell(&format!("note: nothing but boilerplate, {kept}: {}{more}", first.join(", ")));
        }
        let wrote = path.map_or(String::new(), |path| format!("wrote {}: ", path.display()));
        tell(&format!(
            "{wrote}{}, {} with a preamble, {} with an epilogue, {} doubtful",
            counted(self.books, noun),
            self.preambles,
            self.epilogues,
            self.doubtful
        ));
    }
}
