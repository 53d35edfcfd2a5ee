//! Benchmark items in documents: questions, passages, options and answers that a model should not have seen.
//!
//! [`BenchmarkFields`] turns records into items, [`Benchmarks`] searches a text for all of them. An item is found by runs of
//! words that it shares with the text, in the same order, and only removed if the words that were compared one by one say
//! enough: see `docs/algorithms/decontaminate.md`.

mod alignment;
mod evidence;
mod fields;
mod index;
mod ranges;
#[cfg(test)]
mod twin;

pub use evidence::{Contamination, Doubt};
pub use fields::{BenchmarkFields, BenchmarkItem};
pub use index::Benchmarks;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The name of the pass in marks.
pub const PASS: &str = "decontaminate";

/// A field of a benchmark item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ItemField {
    /// The text that the question is about.
    Passage,
    /// The question, problem or instruction.
    Question,
    /// The options to choose from.
    Options,
    /// The answer or solution.
    Answer,
}

impl ItemField {
    /// All fields, in the order in which an item is read.
    pub(crate) const ALL: [ItemField; 4] =
        [ItemField::Passage, ItemField::Question, ItemField::Options, ItemField::Answer];

    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            ItemField::Passage => "passage",
            ItemField::Question => "question",
            ItemField::Options => "options",
            ItemField::Answer => "answer",
        }
    }
}
