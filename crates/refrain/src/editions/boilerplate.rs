//! Licences and notices anywhere in a book, clean or badly scanned.
//!
//! Licences before and after the text of books are removed before anything is counted. But a licence may also occur in
//! the middle of a file made of two, or be scanned too badly to be recognised by its lines. Text that the edges of
//! several books share is a notice. It is kept as a separate text, and passages that chains find of it in a book are
//! removed, too.

use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::RandomState;

use super::book::{Anchor, Book};
use super::chains::{AnchorIndex, ChainOptions, chains};

/// The maximum number of texts to keep.
const MOST_TEXTS: usize = 64;
/// The maximum number of edges to examine.
pub(crate) const MOST_EDGES: usize = 2000;
/// A notice must occur in the edges of at least this many books, and of one book in this many.
const LEAST_BOOKS: usize = 3;
const ONE_IN: usize = 50;
/// A text must have at least this many words and pairs that no other text has.
const LEAST_NEW: usize = 40;

/// Texts of notices.
#[derive(Debug, Clone, Default)]
pub(crate) struct Boilerplate {
    texts: Vec<(Book, AnchorIndex)>,
}

impl Boilerplate {
    /// Learns from the edges of books, in order.
    pub(super) fn learn(edges: &[Book]) -> Boilerplate {
        let mut books: HashMap<u64, usize, RandomState> = HashMap::default();
        for edge in edges {
            let mut keys: Vec<u64> = edge.anchors.iter().map(|anchor| anchor.key()).collect();
            keys.sort_unstable();
            keys.dedup();
            for key in keys {
                *books.entry(key).or_default() += 1;
            }
        }
        let least = LEAST_BOOKS.max(edges.len() / ONE_IN);
        let shared = |anchor: &Anchor| books.get(&anchor.key()).is_some_and(|books| *books >= least);
        let mut known: std::collections::HashSet<u64, RandomState> = std::collections::HashSet::default();
        let mut texts = Vec::new();
        for edge in edges {
            let anchors: Vec<Anchor> = edge.anchors.iter().copied().filter(shared).collect();
            if anchors.iter().filter(|anchor| !known.contains(&anchor.key())).count() < LEAST_NEW {
                continue;
            }
            known.extend(anchors.iter().map(|anchor| anchor.key()));
            texts.push(Book { anchors, ..edge.clone() });
            if texts.len() == MOST_TEXTS {
                break;
            }
        }
        Boilerplate::of(texts)
    }

    /// Uses texts that were learned before.
    pub(super) fn of(texts: Vec<Book>) -> Boilerplate {
        let with_lookup = |text: Book| {
            let lookup = AnchorIndex::of(&text.anchors);
            (text, lookup)
        };
        Boilerplate { texts: texts.into_iter().map(with_lookup).collect() }
    }

    /// Removes these texts from a book.
    pub(super) fn remove_from(&self, book: &mut Book) {
        let lookup = AnchorIndex::of(&book.anchors);
        let options = ChainOptions::default();
        let mut ranges: Vec<Range<u32>> = Vec::new();
        for (text, text_lookup) in &self.texts {
            let found = chains(book, &lookup, text, text_lookup, &options);
            let pieces = found.iter().filter(|chain| chain.worth >= LEAST_WORTH).flat_map(|chain| &chain.passages);
            ranges.extend(pieces.map(|passage| passage.a.0..passage.a.1.saturating_add(1)));
        }
        if ranges.is_empty() {
            return;
        }
        ranges.sort_unstable_by_key(|range| (range.start, range.end));
        // The text between two pieces of a notice also belongs to it.
        ranges.dedup_by(|next, last| {
            let near = next.start <= last.end.saturating_add(JOINED);
            if near {
                last.end = last.end.max(next.end);
            }
            near
        });
        for range in &mut ranges {
            range.start = range.start.saturating_sub(EDGE);
            range.end = range.end.saturating_add(EDGE);
        }
        book.remove_ranges(&ranges);
    }
}

/// The minimum worth of a piece of a notice.
const LEAST_WORTH: f64 = 60.0;
/// The maximum letters between two pieces of one notice.
const JOINED: u32 = 1500;
/// Letters next to a piece that also belong to it.
const EDGE: u32 = 150;
