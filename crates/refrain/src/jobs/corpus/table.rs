//! The figures of a corpus batch by batch, in the rows of a published table.

use std::fmt::Write as _;

use super::folder::Manifest;
use crate::stats::{Amount, NgramAmount, NgramStages, Statistics, thousands};

/// Columns that fit beside each other; of more batches, the last ones are shown.
const COLUMNS: usize = 6;

/// The value of a row for a column.
type Value = fn(&Statistics) -> Option<u64>;

/// The rows, as in Table 2 of the PRESEMT paper on corpora of the web. Those without a value are headings.
const ROWS: [(&str, Option<Value>); 16] = [
    ("downloaded bytes", Some(|it| Some(it.volume.files))),
    ("downloaded, decompressed", Some(|it| Some(it.volume.documents))),
    ("addresses", Some(|it| Some(it.addresses))),
    ("main content, words", Some(|it| Some(it.total.main_content.words))),
    ("boilerplate, words", Some(|it| Some(it.total.boilerplate.words + it.total.template.words))),
    ("without exact duplicates", None),
    ("  documents", Some(|it| Some(without_exact(it).documents))),
    ("  words", Some(|it| Some(without_exact(it).words))),
    ("  tokens", Some(|it| Some(without_exact(it).tokens))),
    ("  duplicate 10-grams", Some(|it| ngrams(it, |ngrams| ngrams.after_exact_duplicates))),
    ("corpus", None),
    ("  documents", Some(|it| Some(it.total.kept.documents))),
    ("  words", Some(|it| Some(it.total.kept.words))),
    ("  tokens", Some(|it| Some(it.total.kept.tokens))),
    ("  duplicate 10-grams", Some(|it| ngrams(it, |ngrams| ngrams.after_near_duplicates))),
    ("  share of words, %", Some(|it| (100 * it.total.kept.words).checked_div(it.total.downloaded.words))),
];

fn without_exact(statistics: &Statistics) -> Amount {
    let mut amount = statistics.total.kept;
    amount += statistics.total.near_duplicates;
    amount
}

fn ngrams(statistics: &Statistics, of: fn(NgramStages) -> NgramAmount) -> Option<u64> {
    statistics.ngrams.as_ref().map(|ngrams| of(ngrams.total).duplicate)
}

impl Manifest {
    /// The figures of each batch and of all together, as a table for people.
    pub fn table(&self) -> String {
        let (number, batches) = (self.batches.len(), &self.batches);
        let first = number.saturating_sub(COLUMNS);
        let mut columns: Vec<(String, &Statistics)> =
            (first..number).map(|at| (format!("batch {}", at + 1), &batches[at].statistics)).collect();
        if number != 1 {
            columns.push(("all".into(), &self.statistics));
        }
        let mut table = format!("{:<28}", "");
        table.extend(columns.iter().map(|(name, _)| format!("{name:>18}")));
        table.push('\n');
        for (name, value) in ROWS {
            let mut row = format!("{name:<28}");
            for (_, statistics) in columns.iter().filter(|_| value.is_some()) {
                let value = value.and_then(|value| value(statistics)).map_or_else(|| "-".to_owned(), thousands);
                let _ = write!(row, "{value:>18}");
            }
            table += row.trim_end();
            table.push('\n');
        }
        table
    }
}
