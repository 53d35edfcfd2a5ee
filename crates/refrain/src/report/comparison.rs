//! The report of a comparison.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::VERSION;
use crate::compare::{
    ComparedPair, ComparisonResult, DocumentPart, Exclusion, PassageKind, Quoted, SharedPassage, page_of,
};
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

/// A passage that two documents share, as it is written.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct WrittenPassage {
    /// Start and exclusive end in the first text.
    a: [usize; 2],
    /// Start and exclusive end in the second text.
    b: [usize; 2],
    /// How it was reused.
    kind: PassageKind,
    /// The weight of the shared words; a copied sentence scores about 50.
    score: f32,
    /// Whether it is a quotation in the first text, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    quoted_a: Option<Quoted>,
    /// Whether it is a quotation in the second text, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    quoted_b: Option<Quoted>,
    /// The file of the first document in which it starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    file_a: Option<String>,
    /// The page of the first document on which it starts, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    page_a: Option<usize>,
    /// The file of the second document in which it starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    file_b: Option<String>,
    /// The page of the second document on which it starts, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    page_b: Option<usize>,
}

impl WrittenPassage {
    fn new(passage: &SharedPassage, a: [usize; 2], b: [usize; 2]) -> WrittenPassage {
        let SharedPassage { kind, score, quoted_a, quoted_b, .. } = *passage;
        let (file_a, page_a, file_b, page_b) = (None, None, None, None);
        WrittenPassage { a, b, kind, score: score.round(), quoted_a, quoted_b, file_a, page_a, file_b, page_b }
    }
}

/// Two documents that share text, by their ids or numbers.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct WrittenPair<N> {
    /// The first document.
    a: N,
    /// The second document.
    b: N,
    /// The resemblance, from 0 to 1.
    r: f64,
    /// The containment of the first document in the second.
    c_ab: f64,
    /// The containment of the second document in the first.
    c_ba: f64,
    /// The number of n-grams in both.
    shared: usize,
    /// The number of words in the longest passage, on the side where it has fewer.
    longest: u64,
    /// The shared passages, in the order of the first document.
    passages: Vec<WrittenPassage>,
}

/// A document of the report.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct WrittenDocument<'a> {
    /// Its id.
    id: &'a str,
    /// Its name for people.
    name: &'a str,
    /// The number of its words.
    words: u64,
    /// The number of its n-grams that count.
    grams: usize,
    /// Whether other documents are only compared with it.
    reference: bool,
    /// Ranges that do not count: start, exclusive end, and why.
    left_out: Vec<(usize, usize, Exclusion)>,
    /// Where its pages start.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pages: Vec<u64>,
    /// The files that it was assembled from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<DocumentPart>,
}

/// The options of a comparison, for readers of its report.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub(crate) struct ComparisonSettings {
    /// What counts as a word.
    pub(crate) tokens: &'static str,
    /// The number of words in an n-gram.
    pub(crate) ngram: usize,
    /// The least resemblance of a pair.
    pub(crate) resemblance: f64,
    /// The least containment of a pair.
    pub(crate) containment: f64,
    /// The least words of a passage; 0 if passages were not searched for.
    pub(crate) passage_words: u64,
    /// The share of documents in which text is too frequent to count.
    pub(crate) common: f64,
    /// Whether lists of references count.
    pub(crate) keep_references: bool,
    /// Whether only named pairs were compared.
    pub(crate) pairs_named: bool,
    /// Whether the files of a folder are one document.
    pub(crate) folders: bool,
}

/// The beginning of a report.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct ReportFrame<'a> {
    /// The version of the format.
    refrain_report: u32,
    /// The verb.
    verb: &'a str,
    /// The unit of ranges: `chars` or `bytes`.
    offsets: &'a str,
    /// The options.
    options: &'a ComparisonSettings,
}

/// All of `report.json`. It is written in pieces, by [`ComparisonReport::bundle`].
#[derive(JsonSchema)]
#[allow(dead_code, reason = "describes what is written in pieces")]
pub(crate) struct ReportBundle<'a> {
    #[serde(flatten)]
    frame: ReportFrame<'a>,
    /// The documents, in the order of the inputs.
    documents: Vec<WrittenDocument<'a>>,
    /// The pairs, by the numbers of documents, from 0.
    pairs: Vec<WrittenPair<usize>>,
    /// Groups of documents that pairs connect, by number.
    clusters: Vec<Vec<usize>>,
    /// Text that occurs in too many documents to count, and in how many.
    common: Vec<(String, usize)>,
    /// What could not be read, for people.
    failures: Vec<String>,
}

/// A line of `texts.jsonl`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReportText<'a> {
    /// The number of the document.
    document: usize,
    /// Its text.
    text: Cow<'a, str>,
}

/// Passages that two texts share, as they are written. Each text is given with the start of its pages, in code points.
pub(crate) fn shared_passages(
    passages: &[SharedPassage],
    (text_a, pages_a): (&str, &[u64]),
    (text_b, pages_b): (&str, &[u64]),
    offsets: Offsets,
) -> Vec<WrittenPassage> {
    let ends =
        |of: fn(&SharedPassage) -> Span| passages.iter().map(of).flat_map(|span| [span.start, span.end]).collect();
    let a = Places::of(text_a, ends(|passage| passage.a), Vec::new());
    let b = Places::of(text_b, ends(|passage| passage.b), Vec::new());
    let write = |passage: &SharedPassage| {
        let page = |pages: &[u64], places: &Places, span: Span| page_of(pages, places.chars(span.start) as u64);
        WrittenPassage {
            page_a: page(pages_a, &a, passage.a),
            page_b: page(pages_b, &b, passage.b),
            ..WrittenPassage::new(passage, a.range(passage.a, offsets), b.range(passage.b, offsets))
        }
    };
    passages.iter().map(write).collect()
}

/// How a comparison is written.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReportOptions {
    /// Omit ids and file names.
    pub anonymous: bool,
    /// The unit of ranges.
    pub offsets: Offsets,
    /// Options of the run, for readers of the report.
    pub run: ComparisonSettings,
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

    /// A pair as one JSON object.
    pub(crate) fn pair(&self, pair: &ComparedPair) -> Value {
        json!(self.pair_as(pair, self.id(pair.a), self.id(pair.b), self.options.offsets))
    }

    fn pair_as<N>(&self, pair: &ComparedPair, a: N, b: N, offsets: Offsets) -> WrittenPair<N> {
        let scores = pair.scores;
        WrittenPair {
            a,
            b,
            r: rounded(scores.resemblance),
            c_ab: rounded(scores.a_in_b),
            c_ba: rounded(scores.b_in_a),
            shared: scores.shared,
            longest: pair.longest,
            passages: pair.passages.iter().map(|passage| self.passage(pair, passage, offsets)).collect(),
        }
    }

    fn passage(&self, pair: &ComparedPair, passage: &SharedPassage, offsets: Offsets) -> WrittenPassage {
        let known = |number: usize, span: Span| {
            let document = &self.result.documents[number];
            let start = self.places[number].chars(span.start) as u64;
            (document.part(start).map(|part| self.file(number, part)), document.page(start))
        };
        let ((file_a, page_a), (file_b, page_b)) = (known(pair.a, passage.a), known(pair.b, passage.b));
        let range = |number: usize, span: Span| self.places[number].range(span, offsets);
        let written = WrittenPassage::new(passage, range(pair.a, passage.a), range(pair.b, passage.b));
        WrittenPassage { file_a, page_a, file_b, page_b, ..written }
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

    fn document(&self, number: usize, offsets: Offsets) -> WrittenDocument<'_> {
        let document = &self.result.documents[number];
        let left_out = document.left_out.iter().map(|(span, why)| {
            let [start, end] = self.places[number].range(*span, offsets);
            (start, end, *why)
        });
        let files = document.parts.iter().enumerate().map(|(at, part)| DocumentPart {
            name: self.file(number, at),
            start: self.starts(number, &[part.start], offsets)[0],
            pages: self.starts(number, &part.pages, offsets),
        });
        WrittenDocument {
            id: self.id(number),
            name: self.name(number),
            words: document.words,
            grams: document.grams,
            reference: document.reference,
            left_out: left_out.collect(),
            pages: self.starts(number, &document.pages, offsets),
            files: files.collect(),
        }
    }

    /// The parts of a report other than documents and pairs.
    fn frame(&self, offsets: Offsets) -> Value {
        let offsets = if offsets == Offsets::Chars { "chars" } else { "bytes" };
        json!(ReportFrame { refrain_report: VERSION, verb: "compare", offsets, options: &self.options.run })
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
            found(&format!("{between}{}", json!(self.document(number, offsets))))?;
        }
        found("\n],\n\"pairs\": [")?;
        for (number, pair) in self.result.pairs.iter().enumerate() {
            let between = if number == 0 { "\n" } else { ",\n" };
            found(&format!("{between}{}", json!(self.pair_as(pair, pair.a, pair.b, offsets))))?;
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
            let line = ReportText { document: number, text: self.result.text(number)? };
            found(&format!("{}\n", json!(line)))?;
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
            documents[number] = json!(self.document(number, offsets));
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
        let pairs: Vec<WrittenPair<usize>> =
            shown.iter().map(|pair| self.pair_as(pair, pair.a, pair.b, offsets)).collect();
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
