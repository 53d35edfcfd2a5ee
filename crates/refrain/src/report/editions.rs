//! Editions as tables and as lines of JSON. The page is in `editions_page.rs`.

use std::fmt::Write as _;
use std::sync::Arc;

use arrow_array::builder::{Float64Builder, Int64Builder, ListBuilder, StringBuilder, StructBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Fields, Schema};
use parquet::arrow::ArrowWriter;
use serde_json::{Value, json};

use super::cell;
use crate::document::Span;
use crate::editions::{BookPair, Entry, FoundEditions, Relation, Work};
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

    /// A pair as JSON.
    pub(crate) fn pair_json(&self, pair: &BookPair) -> Value {
        let round = |number: f64| (number * 1e4).round() / 1e4;
        let passages: Vec<Value> = pair
            .passages
            .iter()
            .map(|passage| {
                json!({
                    "a": [passage.a_bytes.start, passage.a_bytes.end],
                    "b": [passage.b_bytes.start, passage.b_bytes.end],
                    "links": passage.links,
                    "worth": round(passage.worth),
                })
            })
            .collect();
        let p = pair.published;
        // Values that a published method does not provide are null.
        let known = |value: Value| if pair.is_measured() { value } else { Value::Null };
        json!({
            "a": self.book(pair.a), "b": self.book(pair.b),
            "score": round(pair.score), "kind": pair.kind.name(),
            "share_a": known(round(pair.share_a).into()), "share_b": known(round(pair.share_b).into()),
            "links": known(pair.links.into()), "worth": known(round(pair.worth).into()),
            "steadiness": known(round(pair.steadiness).into()),
            "cs": round(p.cs()), "its": round(p.its()), "lcs": p.lcs, "common": p.common,
            "unique_a": p.x, "unique_b": p.y,
            "passages": passages,
        })
    }

    /// Pairs, a JSON object a line.
    pub(crate) fn pairs_jsonl(&self) -> String {
        self.found.pairs.iter().map(|pair| self.pair_json(pair).to_string() + "\n").collect()
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
            let mut line = json!({"work": number + 1, "title": work.title, "author": work.author, "books": books});
            for relation in [Relation::Contains, Relation::ContainedIn, Relation::Overlaps] {
                let others = work.relations.iter().filter(|(known, _)| *known == relation);
                line[relation.name()] = others.map(|(_, other)| other + 1).collect::<Vec<_>>().into();
            }
            line.to_string() + "\n"
        };
        self.works.iter().enumerate().map(of).collect()
    }
}

/// Ranges as text: 10-200 300-420.
fn ranges(spans: impl Iterator<Item = Span>) -> String {
    spans.map(|span| format!("{}-{}", span.start, span.end)).collect::<Vec<_>>().join(" ")
}
