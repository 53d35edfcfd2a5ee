//! The report of a comparison.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::{Value, json};

use super::VERSION;
use crate::compare::{ComparedPair, ComparisonResult, SharedPassage, page_of};
use crate::document::Span;
use crate::error::Result;
use crate::text::{ByteOffsets, CharOffsets, Offsets};

/// Names of documents for people: their ids without the folders that all of them share, and without extensions if the names
/// still differ.
pub(crate) fn short_names<'a>(ids: impl Iterator<Item = &'a str> + Clone) -> Vec<String> {
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
    all.into_iter().map(str::to_owned).collect()
}

/// A name without an ending such as `.docx`.
fn without_ending(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((bare, ending)) if !bare.is_empty() && !bare.ends_with('/') && is_ending(ending) => bare,
        _ => name,
    }
}

/// True for the text after the last dot of a file name if it is a file extension.
fn is_ending(ending: &str) -> bool {
    let letters = ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
    letters && (1..6).contains(&ending.len()) && !ending.bytes().all(|byte| byte.is_ascii_digit())
}

/// Passages that two texts share as JSON objects: `{a, b, kind, score}`, and if known `quoted_a`, `quoted_b`, `page_a`
/// and `page_b`. Each text is given with the start of its pages, in code points.
pub(crate) fn shared_passages(
    passages: &[SharedPassage],
    (text_a, pages_a): (&str, &[u64]),
    (text_b, pages_b): (&str, &[u64]),
    offsets: Offsets,
) -> Vec<Value> {
    let ends =
        |of: fn(&SharedPassage) -> Span| passages.iter().map(of).flat_map(|span| [span.start, span.end]).collect();
    let a = Places::of(text_a, ends(|passage| passage.a), Vec::new());
    let b = Places::of(text_b, ends(|passage| passage.b), Vec::new());
    let write = |passage: &SharedPassage| {
        let page = |pages: &[u64], places: &Places, span: Span| {
            let character = places.chars(span.start) as u64;
            page_of(pages, character).map(|page| json!(page))
        };
        let pages = [("page_a", page(pages_a, &a, passage.a)), ("page_b", page(pages_b, &b, passage.b))];
        passage_as(passage, a.range(passage.a, offsets), b.range(passage.b, offsets), pages)
    };
    passages.iter().map(write).collect()
}

/// A passage as a JSON object, with what else is known of it.
fn passage_as<'a>(
    passage: &SharedPassage,
    a: [usize; 2],
    b: [usize; 2],
    more: impl IntoIterator<Item = (&'a str, Option<Value>)>,
) -> Value {
    let SharedPassage { kind, score, quoted_a, quoted_b, .. } = passage;
    let mut written = json!({"a": a, "b": b, "kind": kind, "score": score.round()});
    let quoted =
        [("quoted_a", quoted_a.map(|quoted| json!(quoted))), ("quoted_b", quoted_b.map(|quoted| json!(quoted)))];
    for (name, value) in quoted.into_iter().chain(more) {
        if let (Some(value), Some(fields)) = (value, written.as_object_mut()) {
            fields.insert(name.to_owned(), value);
        }
    }
    written
}

/// How a comparison is written.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReportOptions {
    /// Omit ids and file names.
    pub anonymous: bool,
    /// The unit of ranges.
    pub offsets: Offsets,
    /// Options of the run, for readers of the report.
    pub run: Value,
    /// Inputs that could not be read, as messages.
    pub failures: Vec<String>,
}

/// A comparison as it is written.
pub(crate) struct ComparisonReport<'a> {
    result: &'a ComparisonResult,
    options: ReportOptions,
    places: Vec<Places>,
}

/// Positions in a document, in bytes and in code points.
#[derive(Default)]
struct Places {
    /// Ends of passages and of excluded ranges, in order: bytes, and code points before them.
    ends: Vec<(usize, usize)>,
    /// The same for the starts of files and pages, which are given in code points.
    starts: Vec<(usize, usize)>,
}

impl Places {
    /// Walks through a text once.
    fn of(text: &str, mut ends: Vec<usize>, mut starts: Vec<usize>) -> Places {
        ends.sort_unstable();
        ends.dedup();
        starts.sort_unstable();
        starts.dedup();
        let mut chars = CharOffsets::new(text);
        let mut bytes = ByteOffsets::new(text);
        Places {
            ends: ends.into_iter().map(|end| (end, chars.chars(end))).collect(),
            starts: starts.into_iter().map(|start| (bytes.byte(start).unwrap_or(text.len()), start)).collect(),
        }
    }

    /// The code points before a byte.
    fn chars(&self, byte: usize) -> usize {
        self.ends.binary_search_by_key(&byte, |(byte, _)| *byte).map_or(0, |at| self.ends[at].1)
    }

    /// A range in the requested unit.
    fn range(&self, span: Span, offsets: Offsets) -> [usize; 2] {
        match offsets {
            Offsets::Bytes => [span.start, span.end],
            Offsets::Chars => [self.chars(span.start), self.chars(span.end)],
        }
    }

    /// The byte of a code point.
    fn byte(&self, start: usize) -> usize {
        self.starts.binary_search_by_key(&start, |(_, start)| *start).map_or(0, |at| self.starts[at].0)
    }
}

/// The page has no more text than this in it.
const PAGE_TEXT: usize = 24 << 20;
/// The page has no more pairs than this, those with the highest R.
const PAGE_PAIRS: usize = 1000;
/// The page lists no more groups of documents, and common texts, than this.
const PAGE_LINES: usize = 500;
/// Bars of the histogram.
const BARS: usize = 20;
/// The precision of scores in reports.
const DIGITS: f64 = 1e6;
/// The page without the results.
const PAGE: &str = include_str!("comparison.html");

fn rounded(score: f64) -> f64 {
    (score * DIGITS).round() / DIGITS
}

impl<'a> ComparisonReport<'a> {
    /// The report of what was found.
    pub(crate) fn new(result: &'a ComparisonResult, options: ReportOptions) -> Result<ComparisonReport<'a>> {
        let mut ends = vec![Vec::new(); result.documents.len()];
        for pair in &result.pairs {
            for passage in &pair.passages {
                ends[pair.a].extend([passage.a.start, passage.a.end]);
                ends[pair.b].extend([passage.b.start, passage.b.end]);
            }
        }
        let mut places = Vec::with_capacity(ends.len());
        for ((number, document), mut ends) in result.documents.iter().enumerate().zip(ends) {
            ends.extend(document.left_out.iter().flat_map(|(span, _)| [span.start, span.end]));
            let files = document.parts.iter().flat_map(|part| part.pages.iter().chain([&part.start]));
            let starts: Vec<usize> = document.pages.iter().chain(files).map(|start| *start as usize).collect();
            let nothing = ends.is_empty() && starts.is_empty();
            places.push(if nothing { Places::default() } else { Places::of(&result.text(number)?, ends, starts) });
        }
        Ok(ComparisonReport { result, options, places })
    }

    /// How a document is named in files: its id, unless that must not be known.
    fn id(&self, number: usize) -> &str {
        if self.options.anonymous { self.name(number) } else { &self.result.documents[number].id }
    }

    /// How a document is named for people.
    fn name(&self, number: usize) -> &str {
        &self.result.documents[number].name
    }

    /// A pair as one JSON object: `{a, b, r, c_ab, c_ba, shared, longest, passages}`.
    pub(crate) fn pair(&self, pair: &ComparedPair) -> Value {
        self.pair_as(pair, &json!(self.id(pair.a)), &json!(self.id(pair.b)), self.options.offsets)
    }

    fn pair_as(&self, pair: &ComparedPair, a: &Value, b: &Value, offsets: Offsets) -> Value {
        let scores = pair.scores;
        let passages: Vec<Value> = pair.passages.iter().map(|passage| self.passage(pair, passage, offsets)).collect();
        json!({
            "a": a, "b": b,
            "r": rounded(scores.resemblance), "c_ab": rounded(scores.a_in_b), "c_ba": rounded(scores.b_in_a),
            "shared": scores.shared, "longest": pair.longest, "passages": passages,
        })
    }

    fn passage(&self, pair: &ComparedPair, passage: &SharedPassage, offsets: Offsets) -> Value {
        let known = |number: usize, span: Span, file: &'static str, page: &'static str| {
            let document = &self.result.documents[number];
            let start = self.places[number].chars(span.start) as u64;
            let part = document.part(start).map(|part| json!(self.file(number, part)));
            [(file, part), (page, document.page(start).map(|page| json!(page)))]
        };
        let more = known(pair.a, passage.a, "file_a", "page_a")
            .into_iter()
            .chain(known(pair.b, passage.b, "file_b", "page_b"));
        let range = |number: usize, span: Span| self.places[number].range(span, offsets);
        passage_as(passage, range(pair.a, passage.a), range(pair.b, passage.b), more)
    }

    /// The name of a file of a document.
    fn file(&self, number: usize, part: usize) -> String {
        match self.options.anonymous {
            true => format!("file {}", part + 1),
            false => self.result.documents[number].parts[part].name.clone(),
        }
    }

    /// The starts of files or pages in the requested unit.
    fn starts(&self, number: usize, starts: &[u64], offsets: Offsets) -> Vec<u64> {
        let place = |start: &u64| match offsets {
            Offsets::Bytes => self.places[number].byte(*start as usize) as u64,
            Offsets::Chars => *start,
        };
        starts.iter().map(place).collect()
    }

    fn document(&self, number: usize, offsets: Offsets) -> Value {
        let document = &self.result.documents[number];
        let left_out = document.left_out.iter().map(|(span, why)| {
            let [start, end] = self.places[number].range(*span, offsets);
            json!([start, end, why])
        });
        let mut written = json!({
            "id": self.id(number), "name": self.name(number), "words": document.words,
            "grams": document.grams, "reference": document.reference, "left_out": left_out.collect::<Vec<_>>(),
        });
        if !document.pages.is_empty() {
            written["pages"] = json!(self.starts(number, &document.pages, offsets));
        }
        if !document.parts.is_empty() {
            let files = document.parts.iter().enumerate().map(|(at, part)| {
                let start = self.starts(number, &[part.start], offsets);
                let pages = self.starts(number, &part.pages, offsets);
                json!({"name": self.file(number, at), "start": start[0], "pages": pages})
            });
            written["files"] = files.collect();
        }
        written
    }

    /// The parts of a report other than documents and pairs.
    fn frame(&self, offsets: Offsets) -> Value {
        let offsets = if offsets == Offsets::Chars { "chars" } else { "bytes" };
        json!({"refrain_report": VERSION, "verb": "compare", "offsets": offsets, "options": self.options.run})
    }

    /// The table of pairs, with a character between its columns: text in its cells is written as [`cell`](super::cell) does it.
    pub(crate) fn table(&self, between: char) -> String {
        let cell = |text: &str| super::cell(text, between);
        let head = ["a", "b", "r", "c_ab", "c_ba", "shared", "passages", "longest", "name_a", "name_b"];
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
                pair.longest.to_string(),
                cell(self.name(pair.a)),
                cell(self.name(pair.b)),
            ];
            let _ = writeln!(table, "{}", cells.join(&between.to_string()));
        }
        table
    }

    /// `report.json`: everything but the texts, in pieces: a document or pair a line.
    pub(crate) fn bundle(&self, mut found: impl FnMut(&str) -> Result<()>) -> Result<()> {
        let offsets = self.options.offsets;
        let frame = self.frame(offsets).to_string();
        found(frame.strip_suffix('}').unwrap_or(&frame))?;
        found(",\n\"documents\": [")?;
        for number in 0..self.result.documents.len() {
            let between = if number == 0 { "\n" } else { ",\n" };
            found(&format!("{between}{}", self.document(number, offsets)))?;
        }
        found("\n],\n\"pairs\": [")?;
        for (number, pair) in self.result.pairs.iter().enumerate() {
            let between = if number == 0 { "\n" } else { ",\n" };
            found(&format!("{between}{}", self.pair_as(pair, &json!(pair.a), &json!(pair.b), offsets)))?;
        }
        let rest = [
            ("clusters", json!(self.result.clusters())),
            ("common", json!(self.result.common)),
            ("failures", json!(self.options.failures)),
        ];
        found("\n]")?;
        for (name, value) in rest {
            found(&format!(",\n\"{name}\": {value}"))?;
        }
        found("}\n")
    }

    /// Documents of pairs, in the order in which pairs name them first.
    fn involved(pairs: &[ComparedPair]) -> Vec<usize> {
        let mut known = BTreeSet::new();
        let all = pairs.iter().flat_map(|pair| [pair.a, pair.b]);
        all.filter(|number| known.insert(*number)).collect()
    }

    /// `texts.jsonl`: the texts of documents in pairs, an object a line: `{document, text}`.
    pub(crate) fn each_text(&self, mut found: impl FnMut(&str) -> Result<()>) -> Result<()> {
        for number in Self::involved(&self.result.pairs) {
            let line = json!({"document": number, "text": self.result.text(number)?});
            found(&format!("{line}\n"))?;
        }
        Ok(())
    }

    /// `report.html`: a page with the highest pairs, up to a size limit. `alone`: there are no other report files.
    pub(crate) fn page(&self, alone: bool) -> Result<String> {
        let (result, offsets) = (self.result, Offsets::Chars);
        let shown = &result.pairs[..result.pairs.len().min(PAGE_PAIRS)];
        let involved = Self::involved(shown);
        // For the other documents, only their names.
        let names = (0..result.documents.len()).map(|number| json!({"name": self.name(number)}));
        let mut documents: Vec<Value> = names.collect();
        let mut texts = serde_json::Map::new();
        let mut room = PAGE_TEXT;
        for number in involved {
            documents[number] = self.document(number, offsets);
            let text = result.text(number)?;
            if text.len() <= room {
                room -= text.len();
                texts.insert(number.to_string(), json!(text));
            }
        }
        let mut bars = [0_usize; BARS];
        for pair in &result.pairs {
            let reached = |bar: &usize| pair.scores.resemblance * BARS as f64 >= *bar as f64;
            bars[(1..BARS).filter(reached).count()] += 1;
        }
        let pairs: Vec<Value> =
            shown.iter().map(|pair| self.pair_as(pair, &json!(pair.a), &json!(pair.b), offsets)).collect();
        let mut clusters = result.clusters();
        let totals = json!({"pairs": result.pairs.len(), "clusters": clusters.len(), "common": result.common.len()});
        clusters.truncate(PAGE_LINES);
        let mut page = self.frame(offsets);
        let parts = [
            ("documents", json!(documents)),
            ("pairs", json!(pairs)),
            ("clusters", json!(clusters)),
            ("common", json!(&result.common[..result.common.len().min(PAGE_LINES)])),
            ("failures", json!(self.options.failures)),
            ("texts", Value::Object(texts)),
            ("histogram", json!(bars)),
            ("totals", totals),
            ("alone", json!(alone)),
        ];
        for (name, value) in parts {
            page[name] = value;
        }
        // Escape `<`, so that no text can end the script that contains it.
        Ok(PAGE.replacen("/*REPORT*/null", &page.to_string().replace('<', "\\u003c"), 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_different() {
        let of = |ids: &[&'static str]| short_names(ids.iter().copied());
        assert_eq!(of(&["a/b/x.docx", "a/b/y.pdf"]), ["x", "y"]);
        assert_eq!(of(&["a/b/x.txt", "a/c/x.txt"]), ["b/x", "c/x"]);
        assert_eq!(of(&["a/x.txt", "a/x.pdf"]), ["x.txt", "x.pdf"]);
        assert_eq!(of(&["one", "two"]), ["one", "two"]);
        assert_eq!(of(&["é/1", "è/1"]), ["é/1", "è/1"]);
        assert_eq!(of(&[]), [""; 0]);
    }
}
