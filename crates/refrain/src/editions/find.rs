//! The whole search: from books on a shelf to pairs that share text.

use std::collections::{HashMap, HashSet};

use rayon::iter::{IntoParallelRefIterator, ParallelExtend, ParallelIterator};

use super::boilerplate::Boilerplate;
use super::book::Book;
use super::candidates::{CandidateOptions, Candidates};
use super::chains::AnchorIndex;
use super::pair::{BookPair, PairRule};
use super::shelf::Shelf;
use crate::error::Result;
use crate::run::Workers;

/// Books with fewer unique words are not judged.
pub(crate) const LEAST_UNIQUE: u32 = 50;
/// Two texts in alphabetical order count only if nearly all of each is in the other.
const LIST_SHARE: f64 = 0.9;

/// How books are searched.
#[derive(Debug, Clone, Default)]
pub struct FindOptions {
    /// When two books share enough.
    pub rule: PairRule,
    /// Memory and temporary files.
    pub limits: CandidateOptions,
    /// Books from this number on are compared only with those before it; `None` compares all with all.
    pub new_from: Option<u32>,
}

/// The result of a search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FoundEditions {
    /// Books that share text, by their numbers.
    pub pairs: Vec<BookPair>,
    /// Books with too few unique words to be judged.
    pub too_short: Vec<u32>,
    /// Dictionaries and word lists.
    pub lists: Vec<u32>,
    /// The number of pairs that were compared.
    pub candidates: u64,
}

/// A book prepared for comparison.
pub(super) struct Ready {
    book: Book,
    lookup: AnchorIndex,
}

impl Ready {
    pub(super) fn new(book: Book) -> Ready {
        Ready { lookup: AnchorIndex::of(&book.anchors), book }
    }
}

/// True for a book with enough unique words to be judged.
pub(super) fn is_long_enough(book: &Book) -> bool {
    book.unique_words().count() as u32 >= LEAST_UNIQUE
}

/// Compares two books; `None` if they share too little.
pub(super) fn judge(rule: &PairRule, (a, one): (u32, &Ready), (b, other): (u32, &Ready)) -> Option<BookPair> {
    let pair = rule.judge((a, &one.book, &one.lookup), (b, &other.book, &other.lookup))?;
    let lists = one.book.is_list && other.book.is_list;
    (!lists || pair.share_a.min(pair.share_b) >= LIST_SHARE).then_some(pair)
}

/// Searches a shelf.
pub fn find(shelf: &Shelf, options: &FindOptions, workers: &Workers) -> Result<FoundEditions> {
    workers.install(|| find_pairs(shelf, options, workers))
}

fn find_pairs(shelf: &Shelf, options: &FindOptions, workers: &Workers) -> Result<FoundEditions> {
    let search = Search { shelf, options, boilerplate: Boilerplate::learn(&shelf.edges()?), workers };
    let mut found = FoundEditions::default();
    let numbered = || shelf.books().iter().zip(0_u32..);
    found.lists.extend(numbered().filter(|(entry, _)| entry.is_list).map(|(_, number)| number));
    let copies = search.copies();
    let (candidates, cut) = search.candidates(&mut found, &copies)?;
    let mut tested: HashSet<(u32, u32)> = HashSet::new();
    let mut next = candidates;
    while !next.is_empty() {
        found.candidates += next.len() as u64;
        tested.extend(&next);
        search.judge(&next, &mut found.pairs)?;
        // A copy shares the same text as its original.
        let pairs = found.pairs.iter().filter(|pair| !copies.are(pair));
        next = if cut { beyond(pairs, options.new_from, &tested) } else { Vec::new() };
    }
    copies.add_pairs(&mut found.pairs);
    found.pairs.sort_by_key(|pair| (pair.a, pair.b));
    Ok(found)
}

struct Search<'a> {
    shelf: &'a Shelf,
    options: &'a FindOptions,
    boilerplate: Boilerplate,
    workers: &'a Workers,
}

/// If a book has more copies than this, each is paired only with the first: a thousand copies have half a million
/// pairs.
const MOST_COPIES: usize = 1000;

/// Books that are identical to an earlier one, by the number of that one.
#[derive(Default)]
struct Copies {
    of: HashMap<u32, Vec<u32>>,
}

impl Copies {
    /// True for a book and the first copy of it.
    fn are(&self, pair: &BookPair) -> bool {
        self.of.get(&pair.a).is_some_and(|copies| copies.first() == Some(&pair.b))
    }

    /// Adds the pairs of copies: the result for the first copy holds for all.
    fn add_pairs(&self, pairs: &mut Vec<BookPair>) {
        let all = |book: u32| std::iter::once(book).chain(self.of.get(&book).into_iter().flatten().copied());
        let mut more = Vec::new();
        for pair in pairs.iter() {
            if self.are(pair) {
                let same: Vec<u32> = all(pair.a).collect();
                let firsts = if same.len() > MOST_COPIES { 1 } else { same.len() };
                for (n, a) in same.iter().take(firsts).enumerate() {
                    more.extend(same[n + 1..].iter().map(|b| BookPair { a: *a, b: *b, ..pair.clone() }));
                }
                continue;
            }
            let counts = [pair.a, pair.b].map(|book| all(book).count());
            let few = counts[0].saturating_mul(counts[1]) <= MOST_COPIES * MOST_COPIES / 2;
            for (n, a) in all(pair.a).enumerate() {
                // If there are very many, each is paired only with the first of the others.
                for b in all(pair.b).take(if few || n == 0 { counts[1] } else { 1 }) {
                    more.push(if a < b { BookPair { a, b, ..pair.clone() } } else { pair.turned(a, b) });
                }
            }
        }
        // These include the original pairs.
        *pairs = more;
    }
}

/// Memory of a book per byte of its record.
const GROWTH: u64 = 5;
/// If two books share this many letters of a third, they are compared with each other.
const OVERLAP: u32 = 500;

impl Search<'_> {
    fn read(&self, number: u32) -> Result<Book> {
        let mut book = self.shelf.book(number)?;
        self.boilerplate.remove_from(&mut book);
        Ok(book)
    }

    /// Books that are identical to an earlier one.
    fn copies(&self) -> Copies {
        let mut copies = Copies::default();
        let mut known: HashMap<(u64, u32), u32> = HashMap::new();
        for (entry, number) in self.shelf.books().iter().zip(0..) {
            let first = *known.entry(entry.same()).or_insert(number);
            // A new book and a copy of it among the others are compared like any two books.
            let same_side = self.options.new_from.is_none_or(|new| (first < new) == (number < new));
            if !same_side {
                known.insert(entry.same(), number);
            } else if first != number {
                copies.of.entry(first).or_default().push(number);
            }
        }
        copies
    }

    /// The candidates, and whether some lists of books were too long to compare all of them. Only the first of
    /// identical books is considered.
    fn candidates(&self, found: &mut FoundEditions, copies: &Copies) -> Result<(Vec<(u32, u32)>, bool)> {
        let pairs = self.shelf.books().iter().map(|book| u64::from(book.pairs)).sum();
        let mut index = Candidates::new(self.options.limits.clone(), pairs);
        let later: HashSet<u32> = copies.of.values().flatten().copied().collect();
        let books: Vec<u32> = (0..self.shelf.len() as u32).collect();
        let mut rest = books.as_slice();
        while !rest.is_empty() {
            self.workers.stop().check()?;
            let mut size = 0;
            let fits = |number: &&u32| {
                size += self.shelf.size(**number);
                size <= self.options.limits.memory / 4 / GROWTH
            };
            let (now, behind) = rest.split_at(rest.iter().take_while(fits).count().max(1));
            rest = behind;
            let read: Vec<Book> = now.par_iter().map(|number| self.read(*number)).collect::<Result<_>>()?;
            for (number, book) in now.iter().zip(&read) {
                if !is_long_enough(book) {
                    found.too_short.push(*number);
                } else if !later.contains(number) {
                    index.add(*number, &book.anchors)?;
                }
            }
        }
        let (mut candidates, cut) = index.conclude(self.options.new_from, self.workers)?;
        if self.options.new_from.is_none() {
            let short: HashSet<u32> = found.too_short.iter().copied().collect();
            let first = |(first, copies): (&u32, &Vec<u32>)| Some((*first, *copies.first()?));
            candidates.extend(copies.of.iter().filter_map(first).filter(|(first, _)| !short.contains(first)));
            candidates.sort_unstable();
            candidates.dedup();
        }
        Ok((candidates, cut))
    }

    /// Compares candidates, a few at a time so that their books fit in memory.
    fn judge(&self, candidates: &[(u32, u32)], pairs: &mut Vec<BookPair>) -> Result<()> {
        let most = self.options.limits.memory / 2 / GROWTH;
        let mut rest = candidates;
        while !rest.is_empty() {
            self.workers.stop().check()?;
            let mut needed: HashSet<u32> = HashSet::new();
            let mut size = 0;
            let fits = |pair: &&(u32, u32)| {
                for number in [pair.0, pair.1] {
                    if needed.insert(number) {
                        size += self.shelf.size(number);
                    }
                }
                size <= most
            };
            let count = rest.iter().take_while(fits).count().max(1);
            let (now, later) = rest.split_at(count);
            rest = later;
            needed = now.iter().flat_map(|pair| [pair.0, pair.1]).collect();
            let ready = |number: &u32| Ok((*number, Ready::new(self.read(*number)?)));
            let books: HashMap<u32, Ready> = needed.par_iter().map(ready).collect::<Result<_>>()?;
            let judged = |(a, b): &(u32, u32)| judge(&self.options.rule, (*a, books.get(a)?), (*b, books.get(b)?));
            pairs.par_extend(now.par_iter().filter_map(judged));
        }
        Ok(())
    }
}

/// If a book shares a passage with two others, these two are compared as well.
pub(super) fn beyond<'p>(
    pairs: impl Iterator<Item = &'p BookPair>,
    new_from: Option<u32>,
    tested: &HashSet<(u32, u32)>,
) -> Vec<(u32, u32)> {
    let mut places: HashMap<u32, Vec<(u32, u32, u32)>> = HashMap::new();
    for pair in pairs {
        for chain in &pair.passages {
            places.entry(pair.a).or_default().push((chain.a.0, chain.a.1, pair.b));
            places.entry(pair.b).or_default().push((chain.b.0, chain.b.1, pair.a));
        }
    }
    let mut next: HashSet<(u32, u32)> = HashSet::new();
    for passages in places.values_mut() {
        passages.sort_unstable();
        for (n, one) in passages.iter().enumerate() {
            for other in passages[n + 1..].iter().take_while(|other| other.0.saturating_add(OVERLAP) <= one.1) {
                let pair = (one.2.min(other.2), one.2.max(other.2));
                let wanted = new_from.is_none_or(|new| pair.0 < new && pair.1 >= new);
                if pair.0 != pair.1 && wanted && !tested.contains(&pair) {
                    next.insert(pair);
                }
            }
        }
    }
    let mut next: Vec<(u32, u32)> = next.into_iter().collect();
    next.sort_unstable();
    next
}
