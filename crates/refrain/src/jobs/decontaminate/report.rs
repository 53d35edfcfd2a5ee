//! What was found of each benchmark, and where.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};

use schemars::JsonSchema;
use serde::Serialize;

use super::{Searched, rounded};
use crate::decontaminate::{BenchmarkItem, Contamination, Doubt, ItemField};
use crate::document::{Document, Mark, Reason, Span};
use crate::jobs::Failures;
use crate::report::{Side, SidesPage, excerpt, sentence, side};
use crate::stats::Account;
use crate::stats::losses::Losses;
use crate::text::{CharOffsets, Offsets, legible};

/// The result of [`Decontaminate`](super::Decontaminate).
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct DecontaminateReport {
    /// Documents that were searched.
    pub documents: u64,
    /// Documents of which something was kept.
    pub documents_kept: u64,
    /// Documents that contain an item.
    pub documents_contaminated: u64,
    /// Words of all documents.
    pub words: u64,
    /// Words that were kept, or would be without `keep_marked`.
    pub words_kept: u64,
    /// What was found of each benchmark, in the order in which they were read.
    pub benchmarks: Vec<BenchmarkFigures>,
    /// How much was removed, by group and by rule.
    #[serde(flatten)]
    pub losses: Losses,
    /// What failed, and what was skipped.
    pub failures: Failures,
    /// What became of the items of the inputs, and of the benchmarks.
    pub input: Account,
}

/// What was found of a benchmark.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct BenchmarkFigures {
    /// Its name.
    pub name: String,
    /// Its items.
    pub items: u64,
    /// Items that cannot be found: they have no four words in a row of their own.
    pub items_without_words: u64,
    /// Items that were found and removed.
    pub items_found: u64,
    /// Items that were found only in part or not surely. They were not removed.
    pub items_doubtful: u64,
    /// Documents with an item that was removed.
    pub documents: u64,
    /// The items that were found, in the order of the benchmark.
    pub found: Vec<FoundItem>,
    /// The doubtful items, in the order of the benchmark.
    pub doubtful: Vec<FoundItem>,
}

/// An item that was found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct FoundItem {
    /// Its id, or the number of its line.
    pub id: String,
    /// How often it was found.
    pub count: u64,
    /// The largest share of its words that were found in one place.
    pub share: f64,
    /// The fields that were found there.
    pub fields: Vec<ItemField>,
    /// Why it was not removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubt: Option<Doubt>,
    /// The beginning of the item.
    pub text: String,
    /// The first places.
    pub places: Vec<FoundPlace>,
}

/// A place in a document where an item was found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct FoundPlace {
    /// The address of the document, or its id.
    pub document: String,
    /// Where the first range of the item begins.
    pub start: usize,
    /// Where its last range ends.
    pub end: usize,
    /// The share of the words of the item.
    pub share: f64,
    /// The beginning of the text there.
    pub text: String,
}

/// Places of an item that the report lists.
const PLACES: usize = 3;
/// Characters of items and of places that the report shows.
const TEXT: usize = 400;

impl FoundPlace {
    /// The places of items in a document.
    pub(super) fn of_all(
        document: &Document,
        found: Vec<Contamination>,
        offsets: Offsets,
    ) -> Vec<(Contamination, FoundPlace)> {
        let mut chars = CharOffsets::new(document.text());
        let mut places = Vec::with_capacity(found.len());
        for found in found {
            let first = found.spans.first().copied().unwrap_or_default();
            let whole = Span::new(first.start, found.spans.last().map_or(first.end, |span| span.end));
            let Span { start, end } = chars.span(whole, offsets);
            let text = excerpt(whole.of(document.text()), TEXT);
            let place =
                FoundPlace { document: document.name().to_owned(), start, end, share: rounded(found.share), text };
            places.push((found, place));
        }
        places
    }
}

/// Counts what is found.
pub(super) struct Tally<'a> {
    searched: Searched<'a>,
    report: DecontaminateReport,
    /// The benchmark of each item, by its place in the report.
    benchmark_of: Vec<usize>,
    found: BTreeMap<usize, FoundItem>,
    doubtful: BTreeMap<usize, FoundItem>,
}

impl<'a> Tally<'a> {
    pub(super) fn new(searched: Searched<'a>) -> Tally<'a> {
        let mut report = DecontaminateReport::default();
        let mut known: BTreeMap<&str, usize> = BTreeMap::new();
        let mut benchmark_of = Vec::with_capacity(searched.names.len());
        for (number, name) in searched.names.iter().enumerate() {
            let at = *known.entry(&name.benchmark).or_insert_with(|| {
                report.benchmarks.push(BenchmarkFigures { name: name.benchmark.to_string(), ..Default::default() });
                report.benchmarks.len() - 1
            });
            report.benchmarks[at].items += 1;
            report.benchmarks[at].items_without_words += u64::from(!searched.benchmarks.can_find(number));
            benchmark_of.push(at);
        }
        Tally { searched, report, benchmark_of, found: BTreeMap::new(), doubtful: BTreeMap::new() }
    }

    /// Counts a document with what was found in it.
    pub(super) fn add(&mut self, document: &Document, places: Vec<(Contamination, FoundPlace)>, is_kept: bool) {
        let report = &mut self.report;
        let loss = report.losses.add_marked(document);
        report.documents += 1;
        report.documents_kept += u64::from(is_kept);
        report.words += loss.words;
        report.words_kept += loss.words_kept;
        let mut benchmarks = BTreeSet::new();
        for (found, place) in places {
            let number = found.item;
            let list = if found.doubt.is_none() { &mut self.found } else { &mut self.doubtful };
            if found.doubt.is_none() {
                benchmarks.insert(self.benchmark_of[number]);
            }
            let item = list.entry(number).or_insert_with(|| FoundItem {
                id: self.searched.names[number].id.clone(),
                text: shown(&self.searched.items[number], &ItemField::ALL),
                ..FoundItem::default()
            });
            item.count += 1;
            if item.count == 1 || place.share > item.share {
                (item.share, item.fields, item.doubt) = (place.share, found.fields, found.doubt);
            }
            if item.places.len() < PLACES {
                item.places.push(place);
            }
        }
        report.documents_contaminated += u64::from(!benchmarks.is_empty());
        for benchmark in benchmarks {
            report.benchmarks[benchmark].documents += 1;
        }
    }

    pub(super) fn finish(mut self, input: Account, failures: Failures) -> DecontaminateReport {
        for (number, item) in &self.found {
            let benchmark = &mut self.report.benchmarks[self.benchmark_of[*number]];
            benchmark.items_found += 1;
            benchmark.found.push(item.clone());
        }
        for (number, item) in self.doubtful.into_iter().filter(|(number, _)| !self.found.contains_key(number)) {
            let benchmark = &mut self.report.benchmarks[self.benchmark_of[number]];
            benchmark.items_doubtful += 1;
            benchmark.doubtful.push(item);
        }
        DecontaminateReport { failures, input, ..self.report }
    }
}

/// The beginning of some fields of an item.
pub(super) fn shown(item: &BenchmarkItem, fields: &[ItemField]) -> String {
    let BenchmarkItem { passage, question, options, answers } = item;
    let options = options.join(" / ");
    let parts = [
        (ItemField::Passage, passage.as_str()),
        (ItemField::Question, question),
        (ItemField::Options, &options),
        (ItemField::Answer, answers.first().map(String::as_str).unwrap_or_default()),
    ];
    let wanted = parts.iter().filter(|(field, text)| fields.contains(field) && !text.trim().is_empty());
    wanted.map(|(_, text)| excerpt(text, TEXT)).collect::<Vec<_>>().join(" · ")
}

impl DecontaminateReport {
    /// The report as a web page in one file.
    pub(super) fn page(&self) -> String {
        let mut page = SidesPage::new("Benchmark items in documents", &self.summary());
        for benchmark in &self.benchmarks {
            let BenchmarkFigures { name, items, items_found, items_doubtful, documents, .. } = benchmark;
            page.part(
                name,
                &format!(
                    "{items} items: {items_found} removed from {documents} documents, {items_doubtful} only reported."
                ),
            );
            for (title, list) in [("Removed", &benchmark.found), ("Not removed", &benchmark.doubtful)] {
                page.list(title, list.len());
                for item in list.iter().take(SidesPage::ITEMS) {
                    let times = if item.count == 1 { String::new() } else { format!(", {} times", item.count) };
                    let about = described(&item.fields, item.share, item.doubt) + &times;
                    let places = item.places.iter().map(|place| {
                        let own = Side { note: "item", text: &item.text };
                        [own, Side { note: &place.document, text: &place.text }]
                    });
                    page.item(&item.id, &about, &places.collect::<Vec<_>>());
                }
            }
        }
        page.finish()
    }

    /// What was found, in a sentence.
    fn summary(&self) -> String {
        let DecontaminateReport { documents, documents_contaminated, words, words_kept, .. } = self;
        let of = |count: fn(&BenchmarkFigures) -> u64| self.benchmarks.iter().map(count).sum::<u64>();
        let (items, found, doubtful) =
            (of(|figures| figures.items), of(|figures| figures.items_found), of(|figures| figures.items_doubtful));
        let removed = words - words_kept;
        format!(
            "{documents_contaminated} of {documents} documents contain {found} of {items} items; {removed} of {words} words are \
             text of these items. {doubtful} more items were found only in part or not surely, and are not removed."
        )
    }
}

/// Which fields were found, how much of the item, and why it was not removed.
fn described(fields: &[ItemField], share: f64, doubt: Option<Doubt>) -> String {
    let names: Vec<&str> = fields.iter().map(|field| field.name()).collect();
    let doubt = doubt.map(|doubt| format!("; {}", doubt.explained())).unwrap_or_default();
    format!("{}, {} % of the item{doubt}", names.join(", "), (share * 100.0).round())
}

impl fmt::Display for DecontaminateReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<36}{:>10}{:>10}{:>14}{:>12}", "benchmark", "items", "removed", "only reported", "documents")?;
        for figures in &self.benchmarks {
            let BenchmarkFigures { items, items_found, items_doubtful, documents, .. } = figures;
            let name = excerpt(&figures.name, 34);
            writeln!(f, "{name:<36}{items:>10}{items_found:>10}{items_doubtful:>14}{documents:>12}")?;
        }
        for figures in self.benchmarks.iter().filter(|figures| figures.items_without_words > 0) {
            let (name, count) = (legible(&figures.name), figures.items_without_words);
            writeln!(f, "{name}: {count} items cannot be found, because no four words in a row are their own")?;
        }
        f.write_str(&self.losses.tables("words"))
    }
}

/// Why ranges of a document were removed: a line for each mark, and both sides.
pub(super) fn explain(document: &Document, marks: &[Mark], offsets: Offsets) -> String {
    let mut chars = CharOffsets::new(document.text());
    let mut lines = String::new();
    for mark in marks {
        let Reason::Item { text, .. } = &mark.reason else { continue };
        let span = chars.span(mark.span, offsets);
        let (name, start, end) = (legible(document.name()), span.start, span.end);
        let _ = writeln!(lines, "{name}, {start} to {end}: {}", sentence(&mark.reason, None));
        lines += &side("removed", mark.span.of(document.text()));
        lines += &side("item", text);
    }
    lines
}
