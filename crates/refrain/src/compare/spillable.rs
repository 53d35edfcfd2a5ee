//! Data that a comparison keeps for each document: in memory while there is room, then in a temporary file.

use std::borrow::{Borrow, Cow};
use std::path::Path;

use crate::disk::spilled::Spilled;
use crate::error::Result;

/// A value that can be stored in a file.
pub(super) trait Piece: ToOwned {
    /// The number of characters or numbers in it.
    fn length(&self) -> usize;
    /// The size in bytes of a value of this length.
    fn size(length: usize) -> usize;
    fn bytes(&self) -> Cow<'_, [u8]>;
    fn from_bytes(bytes: Vec<u8>) -> Self::Owned;
}

impl Piece for str {
    fn length(&self) -> usize {
        self.len()
    }

    fn size(length: usize) -> usize {
        length
    }

    fn bytes(&self) -> Cow<'_, [u8]> {
        Cow::Borrowed(self.as_bytes())
    }

    fn from_bytes(bytes: Vec<u8>) -> String {
        String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }
}

impl Piece for [u64] {
    fn length(&self) -> usize {
        self.len()
    }

    fn size(length: usize) -> usize {
        length * 8
    }

    fn bytes(&self) -> Cow<'_, [u8]> {
        Cow::Owned(self.iter().flat_map(|number| number.to_le_bytes()).collect())
    }

    fn from_bytes(bytes: Vec<u8>) -> Vec<u64> {
        bytes.as_chunks().0.iter().map(|number| u64::from_le_bytes(*number)).collect()
    }
}

/// Texts or fingerprints, by document number.
pub(super) struct SpillableList<T: Piece + ?Sized> {
    all: Vec<Place<T>>,
    /// Bytes of memory still available.
    room: u64,
    file: Spilled,
}

/// Where an item is stored.
enum Place<T: Piece + ?Sized> {
    Memory(T::Owned),
    File { start: u64, length: usize },
}

impl<T: Piece + ?Sized> SpillableList<T> {
    /// An empty list that keeps up to `memory` bytes in memory and the rest in a file in the folder.
    pub(super) fn new(folder: &Path, memory: u64) -> SpillableList<T> {
        SpillableList { all: Vec::new(), room: memory, file: Spilled::unnamed(folder) }
    }

    pub(super) fn add(&mut self, piece: T::Owned) -> Result<()> {
        let length = piece.borrow().length();
        let size = T::size(length) as u64;
        if size <= self.room {
            self.room -= size;
            self.all.push(Place::Memory(piece));
            return Ok(());
        }
        self.all.push(Place::File { start: self.file.len(), length });
        self.file.append(&piece.borrow().bytes())?;
        Ok(())
    }

    /// The number of items.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// The number of characters or numbers in an item.
    pub(super) fn length(&self, number: usize) -> usize {
        match &self.all[number] {
            Place::Memory(piece) => piece.borrow().length(),
            Place::File { length, .. } => *length,
        }
    }

    /// Renumbers the items: the item `order[n]` becomes number `n`.
    pub(super) fn reorder(&mut self, order: &[usize]) {
        let mut old: Vec<Option<Place<T>>> = std::mem::take(&mut self.all).into_iter().map(Some).collect();
        self.all = order.iter().filter_map(|number| old[*number].take()).collect();
    }

    pub(super) fn get(&self, number: usize) -> Result<Cow<'_, T>> {
        match &self.all[number] {
            Place::Memory(piece) => Ok(Cow::Borrowed(piece.borrow())),
            Place::File { start, length } => {
                let mut bytes = vec![0; T::size(*length)];
                self.file.read_at(&mut bytes, *start)?;
                Ok(Cow::Owned(T::from_bytes(bytes)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_numbers_come_back_from_memory_and_from_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut texts: SpillableList<str> = SpillableList::new(folder.path(), 40);
        let mut numbers: SpillableList<[u64]> = SpillableList::new(folder.path(), 100);
        let text_of = |number: usize| "é".repeat(number);
        let numbers_of = |number: usize| (0..number as u64).map(|n| n << 50).collect::<Vec<u64>>();
        for number in 0..20 {
            texts.add(text_of(number)).expect("room");
            numbers.add(numbers_of(number)).expect("room");
        }
        assert!(texts.file.len() > 0 && numbers.file.len() > 0);
        for number in 0..texts.len() {
            assert_eq!(texts.get(number).expect("the file"), text_of(number));
            assert_eq!(numbers.get(number).expect("the file"), numbers_of(number));
            assert_eq!(numbers.length(number), number);
        }
    }
}
