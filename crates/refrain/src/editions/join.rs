//! The search for editions as a [`Join`]: the rare pairs of words that books share decide which books are compared.

use std::collections::{BTreeMap, HashSet};

use super::book::Book;
use super::candidates::{entered, is_candidate, most_books, pairs_of, posting, thinned};
use super::find::{Ready, beyond, is_long_enough, judge};
use super::pair::{BookPair, PairRule};
use crate::document::Position;
use crate::error::Result;
use crate::kernel::{Bytes, Join};

/// Finds the same pairs as [`find`](super::find) among books that are all different, after boilerplate was removed from
/// them.
///
/// If a pair of words occurs in very many books, only neighbours in the list are compared, and then books that share a
/// passage with a third one. [`find`](super::find) does that for all books as soon as one list is that long; a join
/// does it for the books of that component.
#[derive(Debug, Clone, Copy, Default)]
pub struct EditionJoin {
    /// When two books share enough.
    pub rule: PairRule,
    /// How many books there are.
    pub books: u32,
    /// How many rare pairs of words they have together.
    pub pairs: u64,
}

/// A book, and a position in it.
type At = (Position, u64);

/// Two books that share a pair of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// The earlier book.
    a: At,
    b: At,
    /// Whether there are too many such books to compare all of them.
    cut: bool,
}

impl Bytes for Hit {
    fn to_bytes(&self) -> Result<Vec<u8>> {
        ((self.a, self.b), u64::from(self.cut)).to_bytes()
    }

    fn from_bytes(bytes: &[u8]) -> Result<Hit> {
        let ((a, b), cut) = <((At, At), u64)>::from_bytes(bytes)?;
        Ok(Hit { a, b, cut: cut != 0 })
    }
}

impl Join for EditionJoin {
    type Item = Book;
    type Key = u64;
    type Entry = At;
    type Answer = Hit;
    /// Two books, the earlier one first. The pair numbers the books of the component from 0.
    type Verdict = (Position, Position, BookPair);

    fn entries(&self, position: Position, book: &Book) -> Result<Vec<(u64, At)>> {
        if !is_long_enough(book) {
            return Ok(Vec::new());
        }
        let entry = |anchor: &super::Anchor| (anchor.key(), (position, u64::from(anchor.position)));
        Ok(entered(&book.anchors, thinned(self.pairs)).map(entry).collect())
    }

    fn answer(&self, key: &u64, mut entries: Vec<At>) -> Result<Vec<Hit>> {
        entries.sort_unstable();
        let mut books: Vec<Position> = entries.iter().map(|(book, _)| *book).collect();
        books.dedup();
        let number = |book: &Position| books.partition_point(|other| other < book) as u32;
        let postings: Vec<u128> =
            entries.iter().map(|(book, place)| posting(*key, number(book), *place as u32)).collect();
        let mut hits = Vec::new();
        let cut = pairs_of(&postings, None, most_books(self.books), &mut |event| {
            let at = |book: u128, place: u128| (books[book as u32 as usize], u64::from(place as u32));
            hits.push(Hit { a: at(event >> 96, event >> 32), b: at(event >> 64, event), cut: false });
            Ok(())
        })?;
        Ok(hits.into_iter().map(|hit| Hit { cut, ..hit }).collect())
    }

    fn connects(&self, hit: &Hit) -> (Position, Position) {
        (hit.a.0, hit.b.0)
    }

    fn verdicts(&self, books: &[(Position, &Book)], hits: Vec<Hit>) -> Result<Vec<(Position, Position, BookPair)>> {
        let cut = hits.iter().any(|hit| hit.cut);
        let number = |at: At| books.partition_point(|(book, _)| *book < at.0) as u32;
        let mut shared: BTreeMap<(u32, u32), Vec<u128>> = BTreeMap::new();
        for Hit { a, b, .. } in hits {
            let places = u128::from(a.1 as u32) << 32 | u128::from(b.1 as u32);
            shared.entry((number(a), number(b))).or_default().push(places);
        }
        for places in shared.values_mut() {
            places.sort_unstable();
        }
        let mut next: Vec<(u32, u32)> =
            shared.into_iter().filter(|(_, places)| is_candidate(places)).map(|(pair, _)| pair).collect();
        let ready: Vec<Ready> = books.iter().map(|(_, book)| Ready::new((*book).clone())).collect();
        let (mut pairs, mut tested) = (Vec::new(), HashSet::new());
        while !next.is_empty() {
            tested.extend(&next);
            let judged = |(a, b): &(u32, u32)| judge(&self.rule, (*a, &ready[*a as usize]), (*b, &ready[*b as usize]));
            pairs.extend(next.iter().filter_map(judged));
            next = if cut { beyond(pairs.iter(), None, &tested) } else { Vec::new() };
        }
        pairs.sort_by_key(|pair: &BookPair| (pair.a, pair.b));
        let positions = |pair: BookPair| (books[pair.a as usize].0, books[pair.b as usize].0, pair);
        Ok(pairs.into_iter().map(positions).collect())
    }
}
