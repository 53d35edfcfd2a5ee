//! Works: groups of books that are editions of one another, and which work contains which.
//!
//! Only full duplicates form a group. Two works are not one because a collection contains parts of both; such pairs
//! become relations between groups.

use std::collections::BTreeMap;

use super::pair::{BookPair, BookPairKind};
use super::shelf::Entry;

/// A group of editions.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, schemars::JsonSchema)]
pub struct Work {
    /// A title, derived from the titles that the books state.
    pub title: String,
    /// The author, derived in the same way.
    pub author: String,
    /// The numbers of the books, in order.
    pub books: Vec<u32>,
    /// Its relations to other works.
    pub relations: Vec<(Relation, usize)>,
}

/// The relation of one work to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// It contains most of the other: it is a collection, or the other is a part of it.
    Contains,
    /// Most of it is in the other.
    ContainedIn,
    /// They have a part in common.
    Overlaps,
}

/// The minimum share of a work in another to be contained in it.
const CONTAINED: f64 = 0.6;

/// The works among books, in the order of their first books. Books that are related to no other are not included.
pub fn works(books: &[Entry], pairs: &[BookPair]) -> Vec<Work> {
    let mut above: Vec<u32> = (0..books.len() as u32).collect();
    for pair in pairs.iter().filter(|pair| pair.kind == BookPairKind::Duplicate) {
        let (a, b) = (root(&mut above, pair.a), root(&mut above, pair.b));
        let (low, high) = (a.min(b), a.max(b));
        above[high as usize] = low;
    }
    let mut groups: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut touched: Vec<u32> = pairs.iter().flat_map(|pair| [pair.a, pair.b]).collect();
    touched.sort_unstable();
    touched.dedup();
    for book in touched {
        groups.entry(root(&mut above, book)).or_default().push(book);
    }
    let number: BTreeMap<u32, usize> = groups.keys().copied().zip(0..).collect();
    let mut works: Vec<Work> = groups.into_values().map(|members| named(books, members)).collect();
    for pair in pairs.iter().filter(|pair| pair.kind == BookPairKind::Partial) {
        let of = |book: u32, above: &mut [u32]| number.get(&root(above, book)).copied();
        let (Some(a), Some(b)) = (of(pair.a, &mut above), of(pair.b, &mut above)) else { continue };
        if a == b {
            continue;
        }
        let (to_b, to_a) = match (pair.share_a >= CONTAINED, pair.share_b >= CONTAINED) {
            (true, false) => (Relation::ContainedIn, Relation::Contains),
            (false, true) => (Relation::Contains, Relation::ContainedIn),
            _ => (Relation::Overlaps, Relation::Overlaps),
        };
        works[a].relations.push((to_b, b));
        works[b].relations.push((to_a, a));
    }
    for work in &mut works {
        // Of several relations to one work, keep the strongest, which comes first.
        work.relations.sort_unstable_by_key(|(relation, other)| (*other, *relation));
        work.relations.dedup_by_key(|(_, other)| *other);
    }
    works
}

fn root(above: &mut [u32], mut book: u32) -> u32 {
    while above[book as usize] != book {
        let next = above[above[book as usize] as usize];
        above[book as usize] = next;
        book = next;
    }
    book
}

/// Names a work after its books: the most frequent title, ignoring spelling details.
fn named(books: &[Entry], members: Vec<u32>) -> Work {
    let entries = || members.iter().filter_map(|book| books.get(*book as usize));
    let title = most_frequent(entries().map(|entry| entry.title.as_str()));
    let author = most_frequent(entries().map(|entry| entry.author.as_str()));
    let title = title.or_else(|| entries().next().map(|entry| entry.id.clone())).unwrap_or_default();
    Work { title, author: author.unwrap_or_default(), books: members, relations: Vec::new() }
}

/// The most frequent text, ignoring case and punctuation; the first if there are several.
fn most_frequent<'a>(texts: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut counts: Vec<(String, &str, u32)> = Vec::new();
    for text in texts.filter(|text| !text.trim().is_empty()) {
        let letters = text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase);
        let plain: String = letters.collect();
        match counts.iter_mut().find(|(known, ..)| *known == plain) {
            Some((.., count)) => *count += 1,
            None => counts.push((plain, text, 1)),
        }
    }
    let most = counts.iter().map(|(.., count)| *count).max()?;
    counts.iter().find(|(.., count)| *count == most).map(|(_, text, _)| text.trim().to_owned())
}
