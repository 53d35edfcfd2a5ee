//! The ends of texts that a collection is learned from.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::learn::copies_of;
use super::lines::{Edges, Ends};
use crate::document::Position;
use crate::error::Result;
use crate::kernel::{Bytes, Fields, put, put_position};

/// The largest number of texts to learn from; more would add little.
const MOST: usize = 3000;
/// The most bytes of their ends that are kept.
const MOST_BYTES: usize = 256 << 20;
/// The most bytes of the ends of one text.
const LARGEST: usize = 4 << 20;

/// A text of a collection.
#[derive(Debug, Clone, Copy)]
pub struct BookText<'a> {
    /// Its position in the collection.
    pub position: Position,
    /// Its two ends.
    pub ends: &'a Ends,
}

/// The ends of the texts of a collection, or of a sample if there are many. The same text counts once, whether it
/// comes from a file or in a document: see [`Ends::identity`].
///
/// Which texts are in the sample depends on their contents only, so the collection can be cut and joined again in any way.
#[derive(Debug, Default)]
pub struct BookSample {
    /// By their identities, with the first position of each.
    texts: BTreeMap<u64, (Position, Ends)>,
    bytes: usize,
    /// The lowest identity of a text that there was no room for: none from there on is drawn.
    full_at: Option<u64>,
}

impl BookSample {
    /// Adds a text.
    pub fn add(&mut self, BookText { position, ends }: BookText<'_>) {
        let identity = ends.identity();
        if self.full_at.is_some_and(|full_at| identity >= full_at) {
            return;
        }
        let known = self.texts.entry(identity);
        if matches!(&known, Entry::Occupied(known) if known.get().0 <= position) {
            return;
        }
        // A file that is not a book, such as one without line ends, must not use the memory for all others.
        let ends = ends.without_middle();
        if ends.memory() > LARGEST {
            return;
        }
        self.bytes += ends.memory();
        match known {
            Entry::Occupied(mut known) => self.bytes -= known.insert((position, ends)).1.memory(),
            Entry::Vacant(free) => drop(free.insert((position, ends))),
        }
        while self.texts.len() > MOST || (self.bytes > MOST_BYTES && self.texts.len() > 1) {
            let Some((identity, (_, last))) = self.texts.pop_last() else { break };
            self.bytes -= last.memory();
            self.full_at = Some(identity);
        }
    }

    /// Which of many texts are worth reading, by their [identities](Ends::identity): the first of each, and no more than there
    /// is room for. Also returns how many different identities there are.
    pub fn draw(mut texts: Vec<(u64, Position)>) -> (Vec<Position>, usize) {
        texts.sort_unstable();
        texts.dedup_by_key(|(identity, _)| *identity);
        let distinct = texts.len();
        (texts.into_iter().take(MOST).map(|(_, position)| position).collect(), distinct)
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// True if there are no texts.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Removes texts that are near-duplicates of others, to measure the result without them. Returns how many.
    pub fn remove_copies_of(&mut self, others: &BookSample) -> usize {
        let copies = {
            let (mine, theirs) = (self.edges(), others.edges());
            copies_of(&mine, &theirs)
        };
        let mut positions: Vec<Position> = self.texts.values().map(|(position, _)| *position).collect();
        positions.sort_unstable();
        let gone: Vec<Position> = copies.iter().map(|copy| positions[*copy]).collect();
        self.texts.retain(|_, (position, _)| !gone.contains(position));
        self.bytes = self.texts.values().map(|(_, text)| text.memory()).sum();
        gone.len()
    }

    /// The texts, in the order of the collection.
    pub(super) fn texts(&self) -> Vec<(Position, &Ends)> {
        let mut texts: Vec<(Position, &Ends)> = self.texts.values().map(|(at, text)| (*at, text)).collect();
        texts.sort_unstable_by_key(|(position, _)| *position);
        texts
    }

    /// Their lines, in the same order.
    pub(super) fn edges(&self) -> Vec<Edges<'_>> {
        self.texts().into_par_iter().map(|(_, text)| text.edges()).collect()
    }

    /// Adds the texts of another sample.
    pub(super) fn merge(&mut self, other: &BookSample) {
        if let Some(full_at) = other.full_at {
            for (_, text) in self.texts.split_off(&full_at).into_values() {
                self.bytes -= text.memory();
            }
            self.full_at = Some(self.full_at.map_or(full_at, |mine| mine.min(full_at)));
        }
        for (position, ends) in other.texts.values() {
            self.add(BookText { position: *position, ends });
        }
    }
}

impl Bytes for BookSample {
    fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut out = vec![u8::from(self.full_at.is_some())];
        out.extend(self.full_at.unwrap_or_default().to_le_bytes());
        for (position, ends) in self.texts.values() {
            put_position(&mut out, *position);
            put(&mut out, &ends.to_bytes()?);
        }
        Ok(out)
    }

    fn from_bytes(bytes: &[u8]) -> Result<BookSample> {
        let mut fields = Fields(bytes);
        let (full, full_at) = (fields.array()? == [1], fields.number()?);
        let mut sample = BookSample { full_at: full.then_some(full_at), ..BookSample::default() };
        while !fields.is_empty() {
            let position = fields.position()?;
            sample.add(BookText { position, ends: &Ends::from_bytes(fields.bytes()?)? });
        }
        Ok(sample)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_texts_are_drawn_however_the_collection_is_cut() {
        let position = |n: u32| Position { input: n, record: 0 };
        let ends = |n: u32| Ends::of(n.to_string().as_bytes(), 9);
        let (mut whole, mut even, mut odd) = (BookSample::default(), BookSample::default(), BookSample::default());
        for n in 0..2 * MOST as u32 {
            whole.add(BookText { position: position(n), ends: &ends(n) });
            if n % 2 == 0 { &mut even } else { &mut odd }.add(BookText { position: position(n), ends: &ends(n) });
        }
        odd.merge(&even);
        assert_eq!((whole.len(), odd.len()), (MOST, MOST));
        assert_eq!(whole.edges(), odd.edges());
    }
}
