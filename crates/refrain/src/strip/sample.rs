//! The ends of texts that a collection is learned from.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use twox_hash::XxHash3_64;

use super::learn::copies_of;
use super::lines::{Edges, Ends};
use crate::document::Position;
use crate::error::Result;
use crate::pass;

/// Texts that are learned from at most: more of them teach little.
const MOST: usize = 3000;
/// Bytes of their ends that are kept at most.
const MOST_BYTES: usize = 256 << 20;
/// Bytes of the ends of one text at most.
const LARGEST: usize = 4 << 20;

/// The ends of the texts of a collection, or of a sample of them where there are many. Texts with the same ends count once.
///
/// Which texts are in the sample depends on their contents only, so the collection can be cut and joined again in any way.
#[derive(Debug, Default)]
pub struct Sample {
    /// By their digests, with the first position of each.
    texts: BTreeMap<u64, (Position, Ends)>,
    bytes: usize,
    /// The lowest digest of a text that there was no room for: none from there on is drawn.
    full_at: Option<u64>,
}

impl Sample {
    /// Adds a text.
    pub fn add(&mut self, position: Position, text: Ends) {
        self.insert(position, text.digest(), text);
    }

    /// Adds a text whose [digest](Ends::digest) is known: it takes time that another thread may have.
    pub fn insert(&mut self, position: Position, digest: u64, text: Ends) {
        // One that is no book, such as a file without any ends of lines, must not take the room of all others.
        if text.memory() > LARGEST || self.full_at.is_some_and(|full_at| digest >= full_at) {
            return;
        }
        match self.texts.entry(digest) {
            Entry::Occupied(mut known) => known.get_mut().0 = position.min(known.get().0),
            Entry::Vacant(free) => {
                let text = text.without_middle();
                self.bytes += text.memory();
                free.insert((position, text));
            }
        }
        while self.texts.len() > MOST || (self.bytes > MOST_BYTES && self.texts.len() > 1) {
            let Some((digest, (_, last))) = self.texts.pop_last() else { break };
            self.bytes -= last.memory();
            self.full_at = Some(digest);
        }
    }

    /// A digest of a text of which only the first and the last bytes are known, and its size: what most texts can be told
    /// apart by without reading them. None where they are not text.
    pub fn glimpse(size: u64, first_and_last: &[u8]) -> Option<u64> {
        Ends::of(first_and_last, 1).is_text().then(|| XxHash3_64::oneshot_with_seed(size, first_and_last))
    }

    /// Those of many texts that are worth reading, by their digests: one of each, and no more than there is room for. Also tells
    /// how many different digests there are.
    pub fn draw(mut texts: Vec<(u64, Position)>) -> (Vec<(u64, Position)>, usize) {
        texts.sort_unstable();
        texts.dedup_by_key(|(digest, _)| *digest);
        let distinct = texts.len();
        texts.truncate(MOST);
        (texts, distinct)
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// True when there is none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Leaves out texts that are near-copies of others, to see what is found without them. Returns how many.
    pub fn leave_out_copies_of(&mut self, others: &Sample) -> usize {
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
}

impl pass::Evidence for Sample {
    fn merge(&mut self, other: Sample) -> Result<()> {
        if let Some(full_at) = other.full_at {
            for (_, text) in self.texts.split_off(&full_at).into_values() {
                self.bytes -= text.memory();
            }
            self.full_at = Some(self.full_at.map_or(full_at, |mine| mine.min(full_at)));
        }
        for (digest, (position, text)) in other.texts {
            self.insert(position, digest, text);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pass::Evidence;

    #[test]
    fn the_same_texts_are_drawn_however_the_collection_is_cut() {
        let position = |n: u32| Position { input: n, record: 0 };
        let ends = |n: u32| Ends::of(n.to_string().as_bytes(), 9);
        let (mut whole, mut even, mut odd) = (Sample::default(), Sample::default(), Sample::default());
        for n in 0..2 * MOST as u32 {
            whole.add(position(n), ends(n));
            if n % 2 == 0 { &mut even } else { &mut odd }.add(position(n), ends(n));
        }
        odd.merge(even).expect("in memory");
        assert_eq!((whole.len(), odd.len()), (MOST, MOST));
        assert_eq!(whole.edges(), odd.edges());
    }
}
