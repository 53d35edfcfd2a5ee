//! The report of a comparison.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::{Value, json};

use super::VERSION;
use crate::compare::{ComparedPair, ComparisonResult, SharedPassage};
use crate::document::Span;
use crate::error::Result;
use crate::text::{CharOffsets, Offsets};

/// What people call documents: short, and different from each other.
#[derive(Debug, Clone)]
pub struct Names(Vec<String>);

impl Names {
    /// Names made of ids: without the folders that all have in common, and without endings where that leaves them different.
    ///
    /// ```
    /// let names = refrain::report::Names::of(["essays/2024/anna.docx", "essays/2024/bert.pdf"].into_iter());
    /// assert_eq!(names.get(1), "bert");
    /// ```
    pub fn of<'a>(ids: impl Iterator<Item = &'a str> + Clone) -> Names {
        let first = ids.clone().next().unwrap_or_default();
        let folders = |id: &str| id.rfind('/').map_or(0, |slash| slash + 1);
        let mut common = folders(first);
        for id in ids.clone() {
            let alike = first.bytes().zip(id.bytes()).take_while(|(one, other)| one == other).count();
            common = first[..first.floor_char_boundary(common.min(alike).min(folders(id)))]
                .rfind('/')
                .map_or(0, |slash| slash + 1);
        }
        let short: Vec<&str> = ids.map(|id| &id[common..]).collect();
        let bare: Vec<&str> = short.iter().map(|name| without_ending(name)).collect();
        let different: BTreeSet<&&str> = bare.iter().collect();
        let all = if different.len() == bare.len() { bare } else { short };
        Names(all.into_iter().map(str::to_owned).collect())
    }

    /// Numbers instead of names.
    pub fn anonymous(documents: usize) -> Names {
        Names((1..=documents).map(|number| format!("Document {number}")).collect())
    }

    /// The name of a document.
    pub fn get(&self, number: usize) -> &str {
        &self.0[number]
    }
}

/// A name without an ending such as `.docx`.
fn without_ending(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((bare, ending)) if !bare.is_empty() && !bare.ends_with('/') && is_ending(ending) => bare,
        _ => name,
    }
}

/// True for what stands behind the last dot of names of files.
fn is_ending(ending: &str) -> bool {
    let letters = ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
    letters && (1..6).contains(&ending.len()) && !ending.bytes().all(|byte| byte.is_ascii_digit())
}

/// Text as a cell of a table with a character between its columns. Where that is a comma, cells are quoted if need be;
/// elsewhere, what would end a cell becomes a space. What a spreadsheet would take for a formula gets an apostrophe before it.
///
/// ```
/// use refrain::report::cell;
///
/// assert_eq!(cell("=1+1", '\t'), "'=1+1");
/// assert_eq!(cell("one, two", ','), "\"one, two\"");
/// ```
pub fn cell(text: &str, between: char) -> String {
    let is_formula = text.trim_start().starts_with(['=', '+', '-', '@']) || text.starts_with(['\t', '\r']);
    let text = if is_formula { format!("'{text}") } else { text.to_owned() };
    match between {
        ',' if text.contains([',', '"', '\n', '\r']) => format!("\"{}\"", text.replace('"', "\"\"")),
        ',' => text,
        _ => text.replace(['\t', '\n', '\r'], " "),
    }
}

/// Passages that two texts share as JSON objects: `{a, b, kind, score}`, and where known `quoted_a`, `quoted_b`, `page_a` and
/// `page_b`. With each text comes where its pages begin, in code points.
pub fn shared_passages(
    passages: &[SharedPassage],
    (text_a, pages_a): (&str, &[u64]),
    (text_b, pages_b): (&str, &[u64]),
    offsets: Offsets,
) -> Vec<Value> {
    let spans = |of: fn(&SharedPassage) -> Span| passages.iter().map(of).collect::<Vec<_>>();
    let a = ranges(text_a, pages_a, &spans(|passage| passage.a), offsets);
    let b = ranges(text_b, pages_b, &spans(|passage| passage.b), offsets);
    let write = |(passage, ((a, page_a), (b, page_b))): (&SharedPassage, (Ranged, Ranged))| {
        let SharedPassage { kind, score, quoted_a, quoted_b, .. } = passage;
        let mut written = json!({"a": [a.start, a.end], "b": [b.start, b.end], "kind": kind, "score": score.round()});
        let more = [
            ("quoted_a", quoted_a.map(|quoted| json!(quoted))),
            ("quoted_b", quoted_b.map(|quoted| json!(quoted))),
            ("page_a", page_a.map(|page| json!(page))),
            ("page_b", page_b.map(|page| json!(page))),
        ];
        for (name, value) in more {
            if let (Some(value), Some(fields)) = (value, written.as_object_mut()) {
                fields.insert(name.to_owned(), value);
            }
        }
        written
    };
    passages.iter().zip(a.into_iter().zip(b)).map(write).collect()
}

/// A span, and the page it begins on.
type Ranged = (Span, Option<usize>);

/// Spans of a text in the offsets asked for, with the pages they begin on.
fn ranges(text: &str, pages: &[u64], spans: &[Span], offsets: Offsets) -> Vec<Ranged> {
    // In their order in the text, so that it is walked once.
    let mut order: Vec<usize> = (0..spans.len()).collect();
    order.sort_by_key(|at| spans[*at]);
    let mut ranges = vec![(Span::default(), None); spans.len()];
    let mut chars = CharOffsets::new(text);
    for at in order {
        let in_chars = Span::new(chars.chars(spans[at].start), chars.chars(spans[at].end));
        let range = if offsets == Offsets::Chars { in_chars } else { spans[at] };
        ranges[at] = (range, page(pages, in_chars.start as u64));
    }
    ranges
}

/// The page on which a character stands, from 1 on; none where there are no pages.
fn page(pages: &[u64], character: u64) -> Option<usize> {
    (!pages.is_empty()).then(|| pages.partition_point(|start| *start <= character).max(1))
}

/// A comparison as it is written.
pub struct ComparisonReport<'a> {
    /// What was found.
    pub result: &'a ComparisonResult,
    /// What documents are called in tables and on the page.
    pub names: &'a Names,
    /// Their ids are left out.
    pub anonymous: bool,
    /// What ranges count.
    pub offsets: Offsets,
    /// Options of the run, for whoever reads the report.
    pub options: Value,
    /// What could not be read, in words.
    pub failures: Vec<String>,
}

/// The page has no more text than this in it; pairs beyond it are in the table only.
const PAGE_TEXT: usize = 24 << 20;
/// Scores are written with so many digits.
const DIGITS: f64 = 1e6;
/// The page, but for what was found.
const PAGE: &str = include_str!("comparison.html");

fn rounded(score: f64) -> f64 {
    (score * DIGITS).round() / DIGITS
}

impl ComparisonReport<'_> {
    /// How a document is named in files: its id, unless that must not be known.
    fn id(&self, number: usize) -> &str {
        if self.anonymous { self.names.get(number) } else { &self.result.documents[number].id }
    }

    /// A pair as one JSON object: `{a, b, r, c_ab, c_ba, shared, passages}`.
    pub fn pair(&self, pair: &ComparedPair) -> Result<Value> {
        let scores = pair.scores;
        Ok(json!({
            "a": self.id(pair.a), "b": self.id(pair.b),
            "r": rounded(scores.resemblance), "c_ab": rounded(scores.a_in_b), "c_ba": rounded(scores.b_in_a),
            "shared": scores.shared, "passages": self.passages(pair)?,
        }))
    }

    fn passages(&self, pair: &ComparedPair) -> Result<Vec<Value>> {
        if pair.passages.is_empty() {
            return Ok(Vec::new());
        }
        let (a, b) = (&self.result.documents[pair.a], &self.result.documents[pair.b]);
        let (text_a, text_b) = (self.result.text(pair.a)?, self.result.text(pair.b)?);
        Ok(shared_passages(&pair.passages, (&text_a, a.pages()), (&text_b, b.pages()), self.offsets))
    }

    /// Spans of a document in the offsets asked for.
    fn ranges(&self, number: usize, spans: &[Span]) -> Result<Vec<Span>> {
        let found = ranges(&self.result.text(number)?, &[], spans, self.offsets);
        Ok(found.into_iter().map(|(range, _)| range).collect())
    }

    /// The table of pairs, with a character between its columns: text in its cells is written as [`cell`] does it.
    pub fn table(&self, between: char) -> String {
        let cell = |text: &str| cell(text, between);
        let head = ["a", "b", "r", "c_ab", "c_ba", "shared", "passages", "name_a", "name_b"];
        let mut table = head.join(&between.to_string()) + "\n";
        for pair in &self.result.pairs {
            let scores = pair.scores;
            let cells = [
                cell(self.id(pair.a)),
                cell(self.id(pair.b)),
                rounded(scores.resemblance).to_string(),
                rounded(scores.a_in_b).to_string(),
                rounded(scores.b_in_a).to_string(),
                scores.shared.to_string(),
                pair.passages.len().to_string(),
                cell(self.names.get(pair.a)),
                cell(self.names.get(pair.b)),
            ];
            let _ = writeln!(table, "{}", cells.join(&between.to_string()));
        }
        table
    }

    /// `report.json`: everything but the texts.
    pub fn bundle(&self) -> Result<Value> {
        let mut documents = Vec::new();
        for (number, document) in self.result.documents.iter().enumerate() {
            let left_out = self.ranges(number, &document.left_out.iter().map(|(span, _)| *span).collect::<Vec<_>>())?;
            let left_out = left_out.into_iter().zip(&document.left_out);
            let left_out: Vec<Value> = left_out.map(|(range, (_, why))| json!([range.start, range.end, why])).collect();
            documents.push(json!({
                "id": self.id(number), "name": self.names.get(number), "words": document.words,
                "grams": document.grams, "reference": document.reference, "left_out": left_out,
            }));
        }
        let mut pairs = Vec::new();
        for pair in &self.result.pairs {
            let mut written = self.pair(pair)?;
            written["a"] = json!(pair.a);
            written["b"] = json!(pair.b);
            pairs.push(written);
        }
        Ok(json!({
            "refrain_report": VERSION, "verb": "compare", "offsets": if self.offsets == Offsets::Chars { "chars" } else { "bytes" },
            "options": self.options, "documents": documents, "pairs": pairs, "clusters": self.result.clusters(),
            "common": self.result.common, "failures": self.failures,
        }))
    }

    /// Documents of pairs, in the order in which pairs name them first.
    fn involved(&self) -> Vec<usize> {
        let mut known = BTreeSet::new();
        let all = self.result.pairs.iter().flat_map(|pair| [pair.a, pair.b]);
        all.filter(|number| known.insert(*number)).collect()
    }

    /// `texts.jsonl`: the texts of documents in pairs, an object a line: `{document, text}`.
    pub fn each_text(&self, mut found: impl FnMut(&str) -> Result<()>) -> Result<()> {
        for number in self.involved() {
            let line = json!({"document": number, "text": self.result.text(number)?});
            found(&format!("{line}\n"))?;
        }
        Ok(())
    }

    /// `report.html`: a page with all of it, as far as that is not too much.
    pub fn page(&self) -> Result<String> {
        let page = ComparisonReport {
            offsets: Offsets::Chars,
            options: self.options.clone(),
            failures: self.failures.clone(),
            ..*self
        };
        let mut bundle = page.bundle()?;
        let mut texts = serde_json::Map::new();
        let mut room = PAGE_TEXT;
        for number in self.involved() {
            let text = self.result.text(number)?;
            if text.len() <= room {
                room -= text.len();
                texts.insert(number.to_string(), json!(text));
            }
        }
        bundle["texts"] = Value::Object(texts);
        // Whatever a text has in it, it cannot end the script that it stands in.
        let data =
            bundle.to_string().replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029");
        Ok(PAGE.replacen("/*REPORT*/null", &data, 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_different() {
        let of = |ids: &[&'static str]| {
            let names = Names::of(ids.iter().copied());
            (0..ids.len()).map(|number| names.get(number).to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(of(&["a/b/x.txt", "a/b/y.txt"]), ["x", "y"]);
        assert_eq!(of(&["a/b/x.txt", "a/c/x.txt"]), ["b/x", "c/x"]);
        assert_eq!(of(&["a/x.txt", "a/x.pdf"]), ["x.txt", "x.pdf"]);
        assert_eq!(of(&["one", "two"]), ["one", "two"]);
        assert_eq!(of(&["é/1", "è/1"]), ["é/1", "è/1"]);
        assert_eq!(of(&[]), [""; 0]);
    }
}
