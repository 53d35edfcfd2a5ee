//! The output of a search for editions.

use std::fmt::Write as _;

use super::super::failures::Failures;
use super::super::outputs::Outputs;
use crate::editions::{BookPair, Entry, FoundEditions, Shelf, Work};
use crate::error::{IoContext, Result};
use crate::report::EditionsTables;
use crate::text::legible;
use crate::write::{Compressed, Compression, Format, Sink};

/// The files of a report.
const FILES: [&str; 4] = ["pairs.tsv", "pairs.jsonl", "works.jsonl", "report.html"];

pub(super) fn write(
    shelf: &Shelf,
    found: &FoundEditions,
    works: &[Work],
    failures: &Failures,
    format: Format,
    outputs: &Outputs,
) -> Result<()> {
    if outputs.main().is_discarded() {
        return Ok(());
    }
    let failures = failures.first.iter().map(ToString::to_string).collect();
    let tables = EditionsTables { books: shelf.books(), found, works, failures };
    let finish = |mut out: Compressed, bytes: &[u8]| -> Result<()> {
        out.put(bytes)?;
        out.finish().map(drop)
    };
    if let (Format::Report, Some(folder)) = (format, outputs.path()) {
        std::fs::create_dir_all(folder).at(folder)?;
        let contents = [tables.pairs_tsv(), tables.pairs_jsonl(), tables.works_jsonl(), tables.page()];
        let mut files = FILES.iter().zip(contents);
        return files.try_for_each(|(name, text)| {
            finish(Compression::None.compress(Sink::below(folder, name, None)?)?, text.as_bytes())
        });
    }
    let out = outputs.main().open()?;
    match format {
        Format::Jsonl => finish(out, tables.pairs_jsonl().as_bytes()),
        Format::Tsv => finish(out, tables.pairs_tsv().as_bytes()),
        Format::Parquet => finish(out, &tables.pairs_parquet()?),
        _ => finish(out, table(shelf.books(), &found.pairs, usize::MAX).as_bytes()),
    }
}

/// The pairs that share most, for people.
pub(super) fn table(books: &[Entry], pairs: &[BookPair], most: usize) -> String {
    if pairs.is_empty() {
        return "no two books share enough text to be editions of the same work\n".to_owned();
    }
    let book = |number: u32| books.get(number as usize).map_or(String::new(), |book| legible(book.name()));
    let mut pairs: Vec<&BookPair> = pairs.iter().collect();
    pairs.sort_by(|one, other| other.score.total_cmp(&one.score).then((one.a, one.b).cmp(&(other.a, other.b))));
    let mut table = match pairs.iter().any(|pair| pair.is_measured()) {
        false => format!("{:>9} {:>7}  books\n", "kind", "score"),
        true => format!("{:>9} {:>5} {:>5} {:>8}  books\n", "kind", "A %", "B %", "passages"),
    };
    for pair in pairs.iter().take(most) {
        let (kind, a, b) = (pair.kind.name(), book(pair.a), book(pair.b));
        let _ = match pair.is_measured() {
            false => writeln!(table, "{kind:>9} {:>7.4}  {a} | {b}", pair.score),
            true => {
                let (in_a, in_b) = (100.0 * pair.share_a, 100.0 * pair.share_b);
                writeln!(table, "{kind:>9} {in_a:>5.1} {in_b:>5.1} {:>8}  {a} | {b}", pair.passages.len())
            }
        };
    }
    table
}
