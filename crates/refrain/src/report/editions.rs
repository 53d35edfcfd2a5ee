//! Editions as tables and as lines of JSON. The page is in `editions_page.rs`.

use std::fmt::Write as _;
use std::sync::Arc;

use arrow_array::builder::{Float64Builder, Int64Builder, ListBuilder, StringBuilder, StructBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Fields, Schema};
use parquet::arrow::ArrowWriter;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::cell;
use crate::document::Span;
use crate::editions::{BookPair, BookPairKind, Entry, FoundEditions, Relation, Work};
use crate::error::{Error, Result};

/// The results of a search for editions.
pub(crate) struct EditionsTables<'a> {
    /// The books.
    pub books: &'a [Entry],
    /// The pairs found.
    pub found: &'a FoundEditions,
    /// The works among them.
    pub works: &'a [Work],
    /// Inputs that could not be read.
    pub failures: Vec<String>,
}

/// The columns of the table of pairs.
const COLUMNS: [&str; 18] = [
    "a",
    "b",
    "score",
    "kind",
    "share_a",
    "share_b",
    "passages",
    "links",
    "worth",
    "steadiness",
    "cs",
    "its",
    "lcs",
    "common",
    "unique_a",
    "unique_b",
    "bytes_a",
    "bytes_b",
];

/// A pair of books as it is written.
#[derive(Serialize, JsonSchema)]
pub(crate) struct WrittenBooks<'a> {
    /// The id of the first book.
    a: &'a str,
    /// The id of the second book.
    b: &'a str,
    /// The larger of the two shares, from 0 to 1; of a published method, its score.
    score: f64,
    /// How much of the books the other has.
    kind: BookPairKind,
    /// The share of the first book that is in the second.
    share_a: Option<f64>,
    /// The share of the second book that is in the first.
    share_b: Option<f64>,
    /// Rare words and word pairs at the same distances, in all passages.
    links: Option<u32>,
    /// How unlikely the best series of these is by chance: a sum of logarithms.
    worth: Option<f64>,
    /// The share of the unique words of both, within the shared text, that are in the same places.
    steadiness: Option<f64>,
    /// The published correlation score.
    cs: f64,
    /// The published information theoretic score.
    its: f64,
    /// The longest common subsequence of the unique words.
    lcs: u32,
    /// The unique words of both.
    common: u32,
    /// The unique words of the first book.
    unique_a: u32,
    /// The unique words of the second book.
    unique_b: u32,
    /// The passages that they share, in the order of the first book.
    passages: Vec<WrittenBookPassage>,
}

/// A passage that two books share.
#[derive(Serialize, JsonSchema)]
struct WrittenBookPassage {
    /// First byte in the first book, and the byte after the last.
    a: [usize; 2],
    /// First byte in the second book, and the byte after the last.
    b: [usize; 2],
    /// Rare words and word pairs at the same distances.
    links: u32,
    /// How unlikely it is by chance: a sum of logarithms.
    worth: f64,
}

/// A work as it is written.
#[derive(Serialize, JsonSchema)]
pub(crate) struct WrittenWork<'a> {
    /// Its number, from 1.
    work: usize,
    /// Its title, as most of its books state it.
    title: &'a str,
    /// Its author, as most of its books state it.
    author: &'a str,
    /// The ids of its books.
    books: Vec<&'a str>,
    /// Numbers of works of which it has most.
    contains: Vec<usize>,
    /// Numbers of works that have most of it.
    contained_in: Vec<usize>,
    /// Numbers of works that share a part with it.
    overlaps: Vec<usize>,
}

impl EditionsTables<'_> {
    /// The id of a book.
    fn book(&self, number: u32) -> &str {
        self.books.get(number as usize).map_or("", |entry| &entry.id)
    }

    /// The name of a book that people see.
    pub(super) fn name(&self, number: u32) -> &str {
        self.books.get(number as usize).map_or("", Entry::name)
    }

    /// Pairs, one a line, with tabs between columns and a line of names above.
    pub(crate) fn pairs_tsv(&self) -> String {
        let mut table = COLUMNS.join("\t") + "\n";
        for pair in &self.found.pairs {
            let p = pair.published;
            // Values that a published method does not provide are empty.
            let measured = match pair.is_measured() {
                true => format!(
                    "{:.4}\t{:.4}\t{}\t{}\t{:.1}\t{:.4}",
                    pair.share_a,
                    pair.share_b,
                    pair.passages.len(),
                    pair.links,
                    pair.worth,
                    pair.steadiness
                ),
                false => "\t".repeat(5),
            };
            let _ = writeln!(
                table,
                "{}\t{}\t{:.4}\t{}\t{measured}\t{:.4}\t{:.4}\t{}\t{}\t{}\t{}\t{}\t{}",
                cell(self.book(pair.a), '\t'),
                cell(self.book(pair.b), '\t'),
                pair.score,
                pair.kind.name(),
                p.cs(),
                p.its(),
                p.lcs,
                p.common,
                p.x,
                p.y,
                ranges(pair.passages.iter().map(|passage| passage.a_bytes)),
                ranges(pair.passages.iter().map(|passage| passage.b_bytes)),
            );
        }
        table
    }

    /// A pair as it is written.
    fn written(&self, pair: &BookPair) -> WrittenBooks<'_> {
        let round = |number: f64| (number * 1e4).round() / 1e4;
        // Values that a published method does not provide are null.
        let known = |value: f64| pair.is_measured().then(|| round(value));
        let ends = |span: Span| [span.start, span.end];
        let passages = pair.passages.iter().map(|passage| WrittenBookPassage {
            a: ends(passage.a_bytes),
            b: ends(passage.b_bytes),
            links: passage.links,
            worth: round(passage.worth),
        });
        let p = pair.published;
        WrittenBooks {
            a: self.book(pair.a),
            b: self.book(pair.b),
            score: round(pair.score),
            kind: pair.kind,
            share_a: known(pair.share_a),
            share_b: known(pair.share_b),
            links: pair.is_measured().then_some(pair.links),
            worth: known(pair.worth),
            steadiness: known(pair.steadiness),
            cs: round(p.cs()),
            its: round(p.its()),
            lcs: p.lcs,
            common: p.common,
            unique_a: p.x,
            unique_b: p.y,
            passages: passages.collect(),
        }
    }

    /// Pairs, a JSON object a line.
    pub(crate) fn pairs_jsonl(&self) -> String {
        self.found.pairs.iter().map(|pair| json!(self.written(pair)).to_string() + "\n").collect()
    }

    /// Pairs as a Parquet file.
    pub(crate) fn pairs_parquet(&self) -> Result<Vec<u8>> {
        let wrong = |error: &dyn std::fmt::Display| Error::Parquet { path: "pairs".into(), message: error.to_string() };
        let batch = self.batch().map_err(|error| wrong(&error))?;
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).map_err(|error| wrong(&error))?;
        writer.write(&batch).map_err(|error| wrong(&error))?;
        writer.close().map_err(|error| wrong(&error))?;
        Ok(bytes)
    }

    fn batch(&self) -> std::result::Result<RecordBatch, arrow_schema::ArrowError> {
        let pairs = &self.found.pairs;
        let text = |of: &dyn Fn(&BookPair) -> String| {
            let mut column = StringBuilder::new();
            for pair in pairs {
                column.append_value(of(pair));
            }
            Arc::new(column.finish()) as ArrayRef
        };
        let number = |of: &dyn Fn(&BookPair) -> Option<f64>| {
            let mut column = Float64Builder::new();
            for pair in pairs {
                column.append_option(of(pair));
            }
            Arc::new(column.finish()) as ArrayRef
        };
        // Values that a published method does not provide are null.
        let known = |pair: &BookPair, value: f64| pair.is_measured().then_some(value);
        let count = |of: &dyn Fn(&BookPair) -> u32| {
            let mut column = Int64Builder::new();
            for pair in pairs {
                column.append_value(i64::from(of(pair)));
            }
            Arc::new(column.finish()) as ArrayRef
        };
        let names = ["a_start", "a_end", "b_start", "b_end"];
        let fields: Fields = names.iter().map(|name| Field::new(*name, DataType::Int64, false)).collect();
        let mut passages = ListBuilder::new(StructBuilder::from_fields(fields.clone(), 0)).with_field(Field::new(
            "item",
            DataType::Struct(fields.clone()),
            false,
        ));
        for pair in pairs {
            for passage in &pair.passages {
                let (a, b) = (passage.a_bytes, passage.b_bytes);
                for (n, number) in [a.start, a.end, b.start, b.end].into_iter().enumerate() {
                    if let Some(field) = passages.values().field_builder::<Int64Builder>(n) {
                        field.append_value(number.cast_signed() as i64);
                    }
                }
                passages.values().append(true);
            }
            passages.append(true);
        }
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("a", text(&|pair| self.book(pair.a).to_owned())),
            ("b", text(&|pair| self.book(pair.b).to_owned())),
            ("score", number(&|pair| Some(pair.score))),
            ("kind", text(&|pair| pair.kind.name().to_owned())),
            ("share_a", number(&|pair| known(pair, pair.share_a))),
            ("share_b", number(&|pair| known(pair, pair.share_b))),
            ("links", count(&|pair| pair.links)),
            ("worth", number(&|pair| known(pair, pair.worth))),
            ("steadiness", number(&|pair| known(pair, pair.steadiness))),
            ("cs", number(&|pair| Some(pair.published.cs()))),
            ("its", number(&|pair| Some(pair.published.its()))),
            ("lcs", count(&|pair| pair.published.lcs)),
            ("common", count(&|pair| pair.published.common)),
            ("unique_a", count(&|pair| pair.published.x)),
            ("unique_b", count(&|pair| pair.published.y)),
            ("passages", Arc::new(passages.finish())),
        ];
        let fields: Vec<Field> = columns
            .iter()
            .map(|(name, column)| Field::new(*name, column.data_type().clone(), column.null_count() > 0))
            .collect();
        RecordBatch::try_new(Arc::new(Schema::new(fields)), columns.into_iter().map(|(_, column)| column).collect())
    }

    /// Works, a JSON object a line: title, author, books, and what it has to do with other works by their numbers.
    pub(crate) fn works_jsonl(&self) -> String {
        let of = |(number, work): (usize, &Work)| {
            let books: Vec<&str> = work.books.iter().map(|book| self.book(*book)).collect();
            let related = |relation: Relation| {
                work.relations.iter().filter(|(known, _)| *known == relation).map(|(_, other)| other + 1).collect()
            };
            let line = WrittenWork {
                work: number + 1,
                title: &work.title,
                author: &work.author,
                books,
                contains: related(Relation::Contains),
                contained_in: related(Relation::ContainedIn),
                overlaps: related(Relation::Overlaps),
            };
            json!(line).to_string() + "\n"
        };
        self.works.iter().enumerate().map(of).collect()
    }
}

/// Ranges as text: 10-200 300-420.
fn ranges(spans: impl Iterator<Item = Span>) -> String {
    spans.map(|span| format!("{}-{}", span.start, span.end)).collect::<Vec<_>>().join(" ")
}
