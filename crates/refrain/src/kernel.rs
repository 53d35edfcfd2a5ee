//! The two shapes of a method that learns from a whole collection: [`Kernel`] and [`Join`].
//!
//! A kernel counts and concludes. A join connects documents that share keys. In both, everything that passes from one
//! step to the next can be written as [`Bytes`]. The result does not depend on how the collection was divided, or on
//! the order in which the parts were merged. That one law gives threads, resumable runs, memory limits and clusters
//! from one implementation; `tests/law.rs` checks it for every method.
//!
//! Methods that learn nothing from other documents, such as language detection and extraction, are plain functions.

use crate::document::Position;
use crate::error::{Error, Result};

/// A value that can be sent to another process and read there.
pub trait Bytes: Sized {
    /// Writes the value.
    fn to_bytes(&self) -> Result<Vec<u8>>;

    /// Reads what [`Bytes::to_bytes`] wrote. Other bytes are an error, never a panic.
    fn from_bytes(bytes: &[u8]) -> Result<Self>;
}

/// A method that counts something over the whole collection, then looks at one item with the result.
pub trait Kernel: Sync {
    /// What is counted and marked: a document, the two ends of a text, a page of a site.
    type Item<'a>: Copy;
    /// The counts of a part of the collection.
    type Partial: Bytes + Send;
    /// The conclusion from the counts of the whole collection.
    type Finding: Bytes + Sync;
    /// The decision about one item.
    type Verdict;

    /// Counts of nothing.
    fn partial(&self) -> Self::Partial;

    /// Counts one item.
    fn observe(&self, item: Self::Item<'_>, partial: &mut Self::Partial) -> Result<()>;

    /// Adds the counts of another part. The order in which parts are merged does not change the finding.
    fn merge(&self, partial: &mut Self::Partial, other: Self::Partial) -> Result<()>;

    /// Draws the conclusion, once all parts are merged.
    fn conclude(&self, partial: Self::Partial) -> Result<Self::Finding>;

    /// Decides what to mark in one item.
    fn mark(&self, item: Self::Item<'_>, finding: &Self::Finding) -> Result<Self::Verdict>;
}

/// A method that compares documents which share keys.
///
/// Each document gives entries; the entries of one key are answered together; the answers connect documents, and each
/// connected component is judged by itself, in order of position. A document without answers is a component of its own.
pub trait Join: Sync {
    /// What a document is compared by.
    type Item: Sync;
    /// The key that entries share.
    type Key: Ord + Bytes;
    /// The entry of a document for a key.
    type Entry: Bytes;
    /// What the entries of one key have in common.
    type Answer: Bytes;
    /// What is found in one component.
    type Verdict;

    /// The entries of one document.
    fn entries(&self, position: Position, item: &Self::Item) -> Result<Vec<(Self::Key, Self::Entry)>>;

    /// Answers all entries of one key, whatever their order.
    fn answer(&self, key: &Self::Key, entries: Vec<Self::Entry>) -> Result<Vec<Self::Answer>>;

    /// The two documents that an answer connects.
    fn connects(&self, answer: &Self::Answer) -> (Position, Position);

    /// Judges one connected component: its documents in order of position, and all answers that connect them, in any order.
    fn verdicts(&self, documents: &[(Position, &Self::Item)], answers: Vec<Self::Answer>)
    -> Result<Vec<Self::Verdict>>;
}

impl Bytes for u64 {
    fn to_bytes(&self) -> Result<Vec<u8>> {
        Ok(self.to_le_bytes().to_vec())
    }

    fn from_bytes(bytes: &[u8]) -> Result<u64> {
        Fields(bytes).only(Fields::number)
    }
}

impl Bytes for Position {
    fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        put_position(&mut out, *self);
        Ok(out)
    }

    fn from_bytes(bytes: &[u8]) -> Result<Position> {
        Fields(bytes).only(Fields::position)
    }
}

impl<A: Bytes, B: Bytes> Bytes for (A, B) {
    fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        put(&mut out, &self.0.to_bytes()?);
        put(&mut out, &self.1.to_bytes()?);
        Ok(out)
    }

    fn from_bytes(bytes: &[u8]) -> Result<(A, B)> {
        Fields(bytes).only(|fields| Ok((A::from_bytes(fields.bytes()?)?, B::from_bytes(fields.bytes()?)?)))
    }
}

/// Appends a field of any length.
pub(crate) fn put(out: &mut Vec<u8>, field: &[u8]) {
    out.extend((field.len() as u64).to_le_bytes());
    out.extend_from_slice(field);
}

/// Appends a position.
pub(crate) fn put_position(out: &mut Vec<u8>, position: Position) {
    out.extend(u64::from(position.input).to_le_bytes());
    out.extend(position.record.to_le_bytes());
}

/// Appends numbers, and how many there are.
pub(crate) fn put_numbers(out: &mut Vec<u8>, numbers: &[u64]) {
    out.extend((numbers.len() as u64).to_le_bytes());
    out.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

/// Reads fields one after the other.
pub(crate) struct Fields<'a>(pub(crate) &'a [u8]);

impl<'a> Fields<'a> {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (array, rest) = self.0.split_first_chunk().ok_or_else(damaged)?;
        self.0 = rest;
        Ok(*array)
    }

    pub(crate) fn number(&mut self) -> Result<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub(crate) fn size(&mut self) -> Result<usize> {
        usize::try_from(self.number()?).map_err(|_| damaged())
    }

    /// Reads what [`put`] wrote.
    pub(crate) fn bytes(&mut self) -> Result<&'a [u8]> {
        let length = self.size()?;
        let (bytes, rest) = self.0.split_at_checked(length).ok_or_else(damaged)?;
        self.0 = rest;
        Ok(bytes)
    }

    /// Reads what [`put_numbers`] wrote.
    pub(crate) fn numbers(&mut self) -> Result<Vec<u64>> {
        let count = self.size()?;
        if count > self.0.len() / size_of::<u64>() {
            return Err(damaged());
        }
        (0..count).map(|_| self.number()).collect()
    }

    pub(crate) fn text(&mut self) -> Result<&'a str> {
        std::str::from_utf8(self.bytes()?).map_err(|_| damaged())
    }

    pub(crate) fn position(&mut self) -> Result<Position> {
        let input = u32::try_from(self.number()?).map_err(|_| damaged())?;
        Ok(Position { input, record: self.number()? })
    }

    /// Reads a value that is all there is.
    pub(crate) fn only<T>(mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let value = read(&mut self)?;
        if self.is_empty() { Ok(value) } else { Err(damaged()) }
    }
}

/// The bytes are not what they should be.
pub(crate) fn damaged() -> Error {
    Error::Refused("these bytes are damaged, or another version of refrain wrote them; create them again".into())
}
