//! Figures 2 and 5 of the paper for any collection: where its frequent lines are, and how often lines occur.

use std::collections::BTreeMap;

use foldhash::{HashMap, HashMapExt};

use super::BookSample;
use super::lines::{Line, preprocess};
use crate::document::Position;

/// Statistics of the ends of texts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StripFigures {
    /// The number of different texts examined.
    pub texts: usize,
    /// How often non-trivial lines occur at the two ends.
    pub occurrences: Vec<Occurrences>,
    /// Lines with at least this many occurrences are in a [`Column`].
    pub least: u32,
    /// Frequent lines of some of the texts.
    pub columns: Vec<Column>,
}

/// How many lines occur a number of times: a row of figure 5.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Occurrences {
    /// A number of occurrences.
    pub times: u32,
    /// Distinct lines that occur so many times (5a).
    pub distinct: u64,
    /// Share of all lines that occur at least so many times (5b).
    pub at_least: f64,
}

impl Occurrences {
    /// The rows for distinct lines with these counts, for each number of occurrences that some line has.
    pub fn rows(counts: impl IntoIterator<Item = u32>) -> Vec<Occurrences> {
        let mut distinct: BTreeMap<u32, u64> = BTreeMap::new();
        counts.into_iter().for_each(|count| *distinct.entry(count).or_default() += 1);
        let lines: u64 = distinct.iter().map(|(times, distinct)| u64::from(*times) * distinct).sum();
        let mut left = lines;
        let row = |(times, distinct)| {
            let at_least = left as f64 / lines as f64;
            left -= u64::from(times) * distinct;
            Occurrences { times, distinct, at_least }
        };
        distinct.into_iter().map(row).collect()
    }
}

/// The positions of the frequent lines of one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Column {
    /// Which text it is.
    pub position: Position,
    /// Lines of the text.
    pub lines: usize,
    /// Numbers of lines at the top, from 1.
    pub head: Vec<usize>,
    /// Numbers of lines at the bottom, where the last one is 1.
    pub tail: Vec<usize>,
}

impl StripFigures {
    /// Analyses a sample; `columns` of its texts get a column.
    pub(crate) fn of(sample: &BookSample, columns: usize) -> StripFigures {
        let texts = sample.texts();
        let mut lines: Vec<Vec<u8>> = Vec::new();
        let mut buffer = Vec::new();
        for (_, text) in &texts {
            let edges = text.edges();
            let tail = edges.tail.iter().filter(|line| line.number >= edges.head.len());
            for line in edges.head.iter().chain(tail) {
                if preprocess(line.text, &mut buffer) {
                    lines.push(buffer.clone());
                }
            }
        }
        let mut counts: HashMap<&[u8], u32> = HashMap::new();
        for line in &lines {
            *counts.entry(line).or_default() += 1;
        }
        let least = (texts.len() as u32 / 20).clamp(3, 100);
        let mut is_frequent = |line: &Line| {
            preprocess(line.text, &mut buffer) && counts.get(&buffer[..]).is_some_and(|&count| count >= least)
        };
        let step = texts.len().div_ceil(columns.max(1)).max(1);
        let column = |(position, text): &(Position, &super::Ends)| {
            let edges = text.edges();
            let head = edges.head.iter().filter(|line| is_frequent(line)).map(|line| line.number + 1).collect();
            let tail =
                edges.tail.iter().filter(|line| is_frequent(line)).map(|line| edges.total - line.number).collect();
            Column { position: *position, lines: edges.total, head, tail }
        };
        let columns = texts.iter().step_by(step).map(column).collect();
        StripFigures { texts: texts.len(), occurrences: Occurrences::rows(counts.into_values()), least, columns }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strip::{BookText, Ends};

    #[test]
    fn figure_5_of_a_few_lines() {
        let rows = Occurrences::rows([2, 1, 1]);
        let expected = [(1, 2, 1.0), (2, 1, 0.5)];
        assert_eq!(rows.iter().map(|row| (row.times, row.distinct, row.at_least)).collect::<Vec<_>>(), expected);
        assert!(Occurrences::rows([]).is_empty());
    }

    #[test]
    fn shared_lines_are_placed_and_counted() {
        let mut sample = BookSample::default();
        for input in 0..4 {
            let text = format!(
                "A licence that stands in front of every text.\n\nThe body of text {input} is of its own here.\n\
                 A notice that stands at the end of every text.\n"
            );
            let position = Position { input, record: 0 };
            sample.add(BookText { position, ends: &Ends::of(text.as_bytes(), 600) });
        }
        let figures = StripFigures::of(&sample, 2);
        assert_eq!((figures.texts, figures.least, figures.columns.len()), (4, 3, 2));
        assert_eq!((&figures.columns[0].head[..], &figures.columns[0].tail[..]), (&[1, 4][..], &[4, 1][..]));
        let counts: Vec<(u32, u64)> = figures.occurrences.iter().map(|row| (row.times, row.distinct)).collect();
        assert_eq!(counts, [(1, 4), (4, 2)]);
    }
}
