//! Editions as tables, as lines of JSON, and as a page with a picture of every pair.

use std::fmt::Write as _;
use std::sync::Arc;

use arrow_array::builder::{Float64Builder, Int64Builder, ListBuilder, StringBuilder, StructBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Fields, Schema};
use parquet::arrow::ArrowWriter;
use serde_json::{Value, json};

use super::cell;
use crate::document::Span;
use crate::editions::{Entry, Found, Pair, Relation, Work};
use crate::error::{Error, Result};

/// What was found among books.
pub struct EditionsReport<'a> {
    /// The books.
    pub books: &'a [Entry],
    /// What was found.
    pub found: &'a Found,
    /// The works among them.
    pub works: &'a [Work],
    /// What could not be read.
    pub failures: Vec<String>,
}

/// The columns of the table of pairs.
const COLUMNS: [&str; 17] = [
    "a", "b", "score", "kind", "share_a", "share_b", "passages", "links", "worth", "cs", "its", "lcs", "common",
    "unique_a", "unique_b", "bytes_a", "bytes_b",
];

/// Pairs that the page shows.
const PAGE_PAIRS: usize = 1000;
/// Works that the page lists.
const PAGE_WORKS: usize = 2000;
/// Passages of a pair that the page lists.
const PAGE_PASSAGES: usize = 40;

impl EditionsReport<'_> {
    fn book(&self, number: u32) -> &str {
        self.books.get(number as usize).map_or("", |entry| &entry.id)
    }

    /// Pairs, one a line, with tabs between columns and a line of names above.
    pub fn pairs_tsv(&self) -> String {
        let mut table = COLUMNS.join("\t") + "\n";
        for pair in &self.found.pairs {
            let p = pair.published;
            let _ = writeln!(
                table,
                "{}\t{}\t{:.4}\t{}\t{:.4}\t{:.4}\t{}\t{}\t{:.1}\t{:.4}\t{:.4}\t{}\t{}\t{}\t{}\t{}\t{}",
                cell(self.book(pair.a), '\t'),
                cell(self.book(pair.b), '\t'),
                pair.score,
                pair.kind.name(),
                pair.share_a,
                pair.share_b,
                pair.passages.len(),
                pair.links,
                pair.worth,
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
    pub fn pair_json(&self, pair: &Pair) -> Value {
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
        json!({
            "a": self.book(pair.a), "b": self.book(pair.b),
            "score": round(pair.score), "kind": pair.kind.name(),
            "share_a": round(pair.share_a), "share_b": round(pair.share_b),
            "links": pair.links, "worth": round(pair.worth),
            "cs": round(p.cs()), "its": round(p.its()), "lcs": p.lcs, "common": p.common,
            "unique_a": p.x, "unique_b": p.y,
            "passages": passages,
        })
    }

    /// Pairs, a JSON object a line.
    pub fn pairs_jsonl(&self) -> String {
        self.found.pairs.iter().map(|pair| self.pair_json(pair).to_string() + "\n").collect()
    }

    /// Pairs as a Parquet file.
    pub fn pairs_parquet(&self) -> Result<Vec<u8>> {
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
        let text = |of: &dyn Fn(&Pair) -> String| {
            let mut column = StringBuilder::new();
            for pair in pairs {
                column.append_value(of(pair));
            }
            Arc::new(column.finish()) as ArrayRef
        };
        let number = |of: &dyn Fn(&Pair) -> f64| {
            let mut column = Float64Builder::new();
            for pair in pairs {
                column.append_value(of(pair));
            }
            Arc::new(column.finish()) as ArrayRef
        };
        let count = |of: &dyn Fn(&Pair) -> u32| {
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
            ("score", number(&|pair| pair.score)),
            ("kind", text(&|pair| pair.kind.name().to_owned())),
            ("share_a", number(&|pair| pair.share_a)),
            ("share_b", number(&|pair| pair.share_b)),
            ("links", count(&|pair| pair.links)),
            ("worth", number(&|pair| pair.worth)),
            ("cs", number(&|pair| pair.published.cs())),
            ("its", number(&|pair| pair.published.its())),
            ("lcs", count(&|pair| pair.published.lcs)),
            ("common", count(&|pair| pair.published.common)),
            ("unique_a", count(&|pair| pair.published.x)),
            ("unique_b", count(&|pair| pair.published.y)),
            ("passages", Arc::new(passages.finish())),
        ];
        let fields: Vec<Field> =
            columns.iter().map(|(name, column)| Field::new(*name, column.data_type().clone(), false)).collect();
        RecordBatch::try_new(Arc::new(Schema::new(fields)), columns.into_iter().map(|(_, column)| column).collect())
    }

    /// Works, a JSON object a line: title, author, books, and what it has to do with other works by their numbers.
    pub fn works_jsonl(&self) -> String {
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

    /// A page with all of it that opens anywhere.
    pub fn page(&self) -> String {
        let mut page = String::from(HEAD);
        let found = self.found;
        let editions = self.works.iter().filter(|work| work.books.len() > 1).count();
        let _ = write!(
            page,
            "<h1>Editions</h1><p>{} books, {} pairs that share text, {editions} works in several editions.</p>",
            self.books.len(),
            found.pairs.len()
        );
        self.list(&mut page, "Too short to judge", &found.too_short);
        self.list(&mut page, "Dictionaries and word lists, not compared with each other", &found.lists);
        if !self.failures.is_empty() {
            page.push_str("<details><summary>Could not be read</summary><ul>");
            for failure in &self.failures {
                let _ = write!(page, "<li>{}</li>", escaped(failure));
            }
            page.push_str("</ul></details>");
        }
        page.push_str("<h2>Works</h2><table><tr><th>no.</th><th>title</th><th>books</th><th>other works</th></tr>");
        for (number, work) in self.works.iter().enumerate().take(PAGE_WORKS) {
            let books: Vec<String> = work.books.iter().map(|book| escaped(self.book(*book))).collect();
            let related = |(relation, other): &(Relation, usize)| {
                let name = relation.name().replace('_', " ");
                format!("{name} <a href=\"#w{}\">{}</a>", other + 1, escaped(&self.works[*other].title))
            };
            let relations: Vec<String> = work.relations.iter().map(related).collect();
            let author = if work.author.is_empty() { String::new() } else { format!(", {}", escaped(&work.author)) };
            let _ = write!(
                page,
                "<tr id=\"w{0}\"><td>{0}</td><td>{1}{author}</td><td>{2}</td><td>{3}</td></tr>",
                number + 1,
                escaped(&work.title),
                books.join("<br>"),
                relations.join("<br>")
            );
        }
        page.push_str("</table>");
        more(&mut page, self.works.len(), PAGE_WORKS, "works", "works.jsonl");
        page.push_str("<h2>Pairs</h2><p>Each bar is a book, as long as it is; what is green is in the other, too.</p>");
        for pair in found.pairs.iter().take(PAGE_PAIRS) {
            self.pair(&mut page, pair);
        }
        more(&mut page, found.pairs.len(), PAGE_PAIRS, "pairs", "pairs.tsv");
        page.push_str("</main></body></html>\n");
        page
    }

    fn list(&self, page: &mut String, title: &str, books: &[u32]) {
        if !books.is_empty() {
            let names: Vec<String> = books.iter().map(|book| escaped(self.book(*book))).collect();
            let _ = write!(
                page,
                "<details><summary>{title}: {}</summary><p>{}</p></details>",
                books.len(),
                names.join(", ")
            );
        }
    }

    fn pair(&self, page: &mut String, pair: &Pair) {
        let title = |number: u32| {
            let entry = self.books.get(number as usize);
            let title = entry.map_or("", |entry| entry.title.as_str());
            let id = escaped(self.book(number));
            if title.is_empty() { id } else { format!("{id}: {}", escaped(title)) }
        };
        let _ = write!(
            page,
            "<section><h3>{}<br>{}</h3><p>{}: {:.0} % of the first, {:.0} % of the second; cs {:.3}, its {:.3}</p>{}",
            title(pair.a),
            title(pair.b),
            pair.kind.name(),
            100.0 * pair.share_a,
            100.0 * pair.share_b,
            pair.published.cs(),
            pair.published.its(),
            self.bars(pair)
        );
        page.push_str("<details><summary>passages, in bytes</summary><table><tr><th>first</th><th>second</th></tr>");
        for passage in pair.passages.iter().take(PAGE_PASSAGES) {
            let (a, b) = (passage.a_bytes, passage.b_bytes);
            let _ = write!(page, "<tr><td>{}–{}</td><td>{}–{}</td></tr>", a.start, a.end, b.start, b.end);
        }
        page.push_str("</table>");
        more(page, pair.passages.len(), PAGE_PASSAGES, "passages", "pairs.jsonl");
        page.push_str("</details></section>");
    }

    /// Two bars, as in the second figure of the paper: a bin is green when more than half of it is in the other book.
    pub fn bars(&self, pair: &Pair) -> String {
        let size = |number: u32| self.books.get(number as usize).map_or(1, |entry| entry.bytes.max(1)) as usize;
        let (a, b) = (size(pair.a), size(pair.b));
        let longest = a.max(b);
        let mut svg = format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" role=\"img\" \
             aria-label=\"what of each book is in the other\" xmlns=\"http://www.w3.org/2000/svg\">"
        );
        for (top, size, spans) in [
            (0, a, pair.passages.iter().map(|p| p.a_bytes).collect::<Vec<_>>()),
            (HEIGHT / 2 + 1, b, pair.passages.iter().map(|p| p.b_bytes).collect()),
        ] {
            let bins = (BINS * size).div_ceil(longest).max(1);
            let width = WIDTH as f64 / BINS as f64;
            for (first, last, shared) in runs(&coloured(&spans, size, bins)) {
                let colour = if shared { "#3a9d5d" } else { "#c8553d" };
                let _ = write!(
                    svg,
                    "<rect x=\"{:.1}\" y=\"{top}\" width=\"{:.1}\" height=\"{}\" fill=\"{colour}\"/>",
                    first as f64 * width,
                    (last - first) as f64 * width,
                    HEIGHT / 2 - 1,
                );
            }
        }
        svg + "</svg>"
    }
}

const WIDTH: usize = 640;
const HEIGHT: usize = 30;
/// Bins of the longer book.
const BINS: usize = 160;

/// For each bin of a book, whether more than half of it is covered.
fn coloured(spans: &[Span], size: usize, bins: usize) -> Vec<bool> {
    let bin = |n: usize| Span::new(size * n / bins, size * (n + 1) / bins);
    let mut spans = spans.to_vec();
    spans.sort_unstable();
    let mut end = 0;
    // Parts that are covered twice count once.
    for span in &mut spans {
        span.start = span.start.max(end);
        end = end.max(span.end);
    }
    let covered = |n: usize| spans.iter().map(|span| span.intersection(bin(n)).len()).sum::<usize>();
    (0..bins).map(|n| 2 * covered(n) > bin(n).len()).collect()
}

/// Bins of one colour together: from, to, colour.
fn runs(bins: &[bool]) -> Vec<(usize, usize, bool)> {
    let mut at = 0;
    bins.chunk_by(|one, other| one == other)
        .map(|run| {
            at += run.len();
            (at - run.len(), at, run[0])
        })
        .collect()
}

fn more(page: &mut String, all: usize, shown: usize, what: &str, file: &str) {
    if all > shown {
        let _ = write!(page, "<p>and {} more {what}: {file}</p>", all - shown);
    }
}

/// Ranges as text: 10-200 300-420.
fn ranges(spans: impl Iterator<Item = Span>) -> String {
    spans.map(|span| format!("{}-{}", span.start, span.end)).collect::<Vec<_>>().join(" ")
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

const HEAD: &str = "<!doctype html>
<html lang=\"en\"><head><meta charset=\"utf-8\">
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<title>Editions</title>
<style>
:root { color-scheme: light dark; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 900px; margin: 0 auto; padding: 24px; }
table { border-collapse: collapse; } th, td { text-align: left; vertical-align: top; padding: 4px 12px 4px 0; }
section { border-top: 1px solid #8886; padding: 12px 0; } h3 { font-size: 16px; margin: 0; } p { margin: 4px 0; }
svg { max-width: 100%; height: auto; }
</style></head><body><main>
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bin_is_coloured_when_more_than_half_of_it_is_covered() {
        let spans = [Span::new(0, 16), Span::new(10, 16), Span::new(35, 40)];
        assert_eq!(coloured(&spans, 40, 4), [true, true, false, false]);
        assert_eq!(runs(&[true, true, false]), [(0, 2, true), (2, 3, false)]);
    }

    #[test]
    fn hostile_names_stay_text() {
        assert_eq!(escaped("<a href=\"x\">&\u{1b}"), "&lt;a href=&quot;x&quot;&gt;&amp; ");
    }
}
