//! The relation between two books.

use super::book::Book;
use super::chains::{AnchorIndex, BookPassage, ChainOptions, chains, covered, joined};
use crate::papers::dupniq::Published;

/// The relation between two books.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BookPairKind {
    /// Most of each is in the other.
    Duplicate,
    /// Part of one book, large or small, is in the other.
    Partial,
}

impl BookPairKind {
    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            BookPairKind::Duplicate => "duplicate",
            BookPairKind::Partial => "partial",
        }
    }
}

/// When two books share enough to be called duplicates, whole or in part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairRule {
    /// How chains are made.
    pub chains: ChainOptions,
    /// The minimum worth of the best chain: less may be chance.
    pub least_worth: f64,
    /// The minimum share of unique words that are in place: about half in two translations of a work, nearly all in a
    /// bad copy.
    pub least_steadiness: f64,
    /// The minimum share of the smaller book.
    pub least_share: f64,
    /// The minimum length of shared text, in letters: a page. Less is a quotation or an advertisement...
    pub least_letters: u32,
    /// ...unless it is a large part of something small: length in letters, and share of the smaller book.
    pub least_of_small: (u32, f64),
    /// The shares of the smaller and of the larger book that make a full duplicate.
    pub whole: (f64, f64),
}

impl Default for PairRule {
    fn default() -> PairRule {
        PairRule {
            chains: ChainOptions::default(),
            least_worth: 100.0,
            least_steadiness: 0.7,
            least_share: 0.015,
            least_letters: 1500,
            least_of_small: (800, 0.2),
            whole: (0.7, 0.6),
        }
    }
}

impl PairRule {
    /// Accepts any pair that shares a chain, to see how close pairs come to the default limits.
    pub fn loose() -> PairRule {
        let least_worth = ChainOptions::default().least_worth;
        PairRule {
            least_worth,
            least_steadiness: 0.0,
            least_share: 0.0,
            least_letters: 0,
            least_of_small: (0, 0.0),
            ..PairRule::default()
        }
    }
}

/// The maximum letters between two passages that are reported as one.
const MOST_BETWEEN: u32 = 400;

/// Two books that share text.
#[derive(Debug, Clone, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub struct BookPair {
    /// The number of the first book.
    pub a: u32,
    /// The number of the second book, which is higher.
    pub b: u32,
    /// Their relation.
    pub kind: BookPairKind,
    /// The larger of the two shares: 1 if one book contains the other. For a published method, its score.
    pub score: f64,
    /// The share of the first book that is in the second.
    pub share_a: f64,
    /// The share of the second book that is in the first.
    pub share_b: f64,
    /// The worth of the best chain: how unlikely it is by chance.
    pub worth: f64,
    /// Words and pairs of words in all chains.
    pub links: u32,
    /// The share of the unique words of both, between the ends of chains, that are in place: see
    /// [`Chain`](super::Chain).
    pub steadiness: f64,
    /// The published scores.
    pub published: Published,
    /// The passages they share, in the order of the first book.
    pub passages: Vec<BookPassage>,
}

impl BookPair {
    /// The same pair with the books swapped: `b` is now the first book, under these numbers.
    pub(super) fn turned(&self, a: u32, b: u32) -> BookPair {
        let Published { x, y, .. } = self.published;
        let mut passages: Vec<BookPassage> = self.passages.iter().map(BookPassage::turned).collect();
        passages.sort_by_key(|passage| (passage.a, passage.b));
        BookPair {
            a: b,
            b: a,
            share_a: self.share_b,
            share_b: self.share_a,
            published: Published { x: y, y: x, ..self.published },
            passages,
            ..*self
        }
    }

    /// A pair found by a published method, which gives a score, one kind of pairs, and no passages.
    pub fn published(a: (u32, &Book), b: (u32, &Book), score: f64) -> BookPair {
        BookPair {
            a: a.0,
            b: b.0,
            kind: BookPairKind::Duplicate,
            score,
            share_a: 0.0,
            share_b: 0.0,
            worth: 0.0,
            links: 0,
            steadiness: 0.0,
            published: Published::of(a.1, b.1),
            passages: Vec::new(),
        }
    }

    /// False for a pair from a published method, which has only a score.
    pub fn is_measured(&self) -> bool {
        self.links > 0
    }
}

impl PairRule {
    /// Compares two books; `None` if they share too little.
    pub fn judge(&self, a: (u32, &Book, &AnchorIndex), b: (u32, &Book, &AnchorIndex)) -> Option<BookPair> {
        let chains = chains(a.1, a.2, b.1, b.2, &self.chains);
        let worth = chains.first()?.worth;
        let in_place: u32 = chains.iter().map(|chain| chain.in_place).sum();
        let astray: u32 = chains.iter().map(|chain| chain.astray).sum();
        let steadiness = f64::from(in_place + 1) / f64::from(in_place + astray + 1);
        let passages: Vec<BookPassage> = chains.into_iter().flat_map(|chain| chain.passages).collect();
        let covered_a = covered(passages.iter().map(|chain| chain.a));
        let covered_b = covered(passages.iter().map(|chain| chain.b));
        let links: u32 = passages.iter().map(|chain| chain.links).sum();
        let share = |covered: u32, book: &Book| (f64::from(covered) / f64::from(book.letters.max(1))).min(1.0);
        let (share_a, share_b) = (share(covered_a, a.1), share(covered_b, b.1));
        let (smaller, larger) = if a.1.letters <= b.1.letters { (share_a, share_b) } else { (share_b, share_a) };
        let letters = covered_a.min(covered_b);
        let is_long =
            letters >= self.least_letters || (letters >= self.least_of_small.0 && smaller >= self.least_of_small.1);
        let is_sure = worth >= self.least_worth && steadiness >= self.least_steadiness;
        if !is_sure || !is_long || smaller < self.least_share {
            return None;
        }
        let whole = smaller >= self.whole.0 && larger >= self.whole.1;
        let kind = if whole { BookPairKind::Duplicate } else { BookPairKind::Partial };
        let passages = joined(passages, MOST_BETWEEN);
        let published = Published::of(a.1, b.1);
        let score = share_a.max(share_b);
        Some(BookPair { a: a.0, b: b.0, kind, score, share_a, share_b, worth, links, steadiness, published, passages })
    }
}
