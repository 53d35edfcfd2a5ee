//! The data kept of a book: its rare words and pairs of words, in order.

use super::counts::Counts;
use super::hash;
use super::lists::is_list;
use super::terms::{Term, terms};
use crate::document::Span;

/// A word, or two consecutive words, that occurs once or twice in the book.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Anchor {
    /// The key of the word or pair, 40 bits, with its flags above them.
    tagged: u64,
    /// Its position in the text, in letters.
    pub position: u32,
    /// Its first byte.
    pub byte: u32,
    /// Its length in bytes; 0 if it is more than 255.
    pub bytes: u8,
}

impl Anchor {
    /// A word that occurs once in the book: a unique word, as published.
    pub(super) const UNIQUE: u64 = 1 << hash::KEY_BITS;
    /// Two consecutive words.
    pub(super) const PAIR: u64 = 2 << hash::KEY_BITS;
    /// A word too short to be significant if it also occurs in another book.
    pub(super) const SHORT: u64 = 4 << hash::KEY_BITS;

    pub(super) fn new(key: u64, flags: u64, position: u32, byte: u32, bytes: u8) -> Anchor {
        Anchor { tagged: key & hash::KEY_MASK | flags, position, byte, bytes }
    }

    /// The key of the word or pair.
    #[inline]
    pub fn key(self) -> u64 {
        self.tagged & hash::KEY_MASK
    }

    /// The flags above the bits of the key.
    pub(super) fn flags(self) -> u64 {
        self.tagged & !hash::KEY_MASK
    }

    /// True for a word that occurs once in the book.
    #[inline]
    pub fn is_unique_word(self) -> bool {
        self.tagged & Anchor::UNIQUE != 0
    }

    /// True for two consecutive words.
    #[inline]
    pub fn is_pair(self) -> bool {
        self.tagged & Anchor::PAIR != 0
    }

    /// True for anchors that form chains: pairs, and words of at least four letters.
    #[inline]
    pub fn links(self) -> bool {
        self.tagged & Anchor::SHORT == 0
    }

    /// Where it ends.
    pub fn end(self) -> u32 {
        self.byte.saturating_add(u32::from(self.bytes))
    }
}

/// Words or pairs that occur more often say little about their position.
pub(super) const MOST_TIMES: u32 = 2;
/// Words with fewer letters form no chains.
const LEAST_LETTERS: u8 = 4;
/// One pair in four is used: those with none of these bits in their keys.
const PAIRS_LEFT_OUT: u64 = 3 << 20;

/// The data kept of a book.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Book {
    /// Its id: the name of its file without the extension, or the id of the document.
    pub id: String,
    /// Its address, if it has one.
    pub url: Option<String>,
    /// Its title, if it states one.
    pub title: String,
    /// Its author, if it states one.
    pub author: String,
    /// Its length in letters, without removed text.
    pub letters: u32,
    /// The number of words, without removed text.
    pub words: u32,
    /// Size of its text in bytes.
    pub bytes: u32,
    /// The range from its first compared word to its last one, in bytes.
    pub compared: (u32, u32),
    /// Whether it is in alphabetical order, like a dictionary.
    pub is_list: bool,
    /// The rare words and pairs, in the order of the text.
    pub anchors: Vec<Anchor>,
}

impl Book {
    /// Reads a text, except the ranges in `left_out`, which are in order.
    ///
    /// ```
    /// use refrain::editions::Book;
    ///
    /// let book = Book::read("poem", "a rose is a rose is a rose by any name", &[]);
    /// let unique: Vec<u32> = book.unique_words().map(|word| word.byte).collect();
    /// assert_eq!(unique, [27, 30, 34], "by, any, name");
    /// ```
    pub fn read(id: impl Into<String>, text: &str, left_out: &[Span]) -> Book {
        let mut all: Vec<Term> = Vec::with_capacity(text.len() / 6);
        let mut counts = Counts::for_text(text.len());
        let mut ranges = left_out.iter().copied().peekable();
        let (mut missing, mut last) = (0, 0);
        let mut out = false;
        let length = terms(text, |term| {
            let at = term.byte as usize;
            while ranges.peek().is_some_and(|span| span.end <= at) {
                ranges.next();
            }
            let is_out = ranges.peek().is_some_and(|span| span.start <= at);
            if out {
                missing += term.position - last;
            }
            (out, last) = (is_out, term.position);
            if !is_out {
                counts.add(term.key);
                all.push(term);
            }
        });
        if out {
            missing += length - last;
        }
        Book {
            id: id.into(),
            letters: length - missing,
            words: all.len() as u32,
            bytes: u32::try_from(text.len()).unwrap_or(u32::MAX),
            compared: compared(&all),
            is_list: is_list(text),
            anchors: anchors(&all, &counts),
            ..Book::default()
        }
    }

    /// Makes a book from known words, in order, and the length of the text in letters.
    pub fn of_terms(id: impl Into<String>, all: &[Term], letters: u32) -> Book {
        let mut counts = Counts::for_text(6 * all.len());
        for term in all {
            counts.add(term.key);
        }
        let (words, anchors) = (all.len() as u32, anchors(all, &counts));
        Book { id: id.into(), letters, words, bytes: letters, compared: compared(all), anchors, ..Book::default() }
    }

    /// The sequence of unique words, as published.
    pub fn unique_words(&self) -> impl Iterator<Item = Anchor> + '_ {
        self.anchors.iter().copied().filter(|anchor| anchor.is_unique_word())
    }

    /// Removes the anchors in some ranges of positions, which are in order and do not overlap.
    pub(super) fn remove_ranges(&mut self, places: &[std::ops::Range<u32>]) {
        let mut ranges = places.iter().peekable();
        self.anchors.retain(|anchor| {
            while ranges.peek().is_some_and(|range| range.end <= anchor.position) {
                ranges.next();
            }
            ranges.peek().is_none_or(|range| range.start > anchor.position)
        });
        let gone: u32 = places.iter().map(|range| range.end - range.start).sum();
        // Words are not counted again; the remaining share of letters gives an estimate.
        let left = self.letters.saturating_sub(gone);
        self.words = (u64::from(self.words) * u64::from(left) / u64::from(self.letters.max(1))) as u32;
        self.letters = left;
    }
}

/// From the first of some words to the last one, in bytes.
fn compared(all: &[Term]) -> (u32, u32) {
    let end = |term: &Term| term.byte.saturating_add(u32::from(term.bytes));
    (all.first().map_or(0, |term| term.byte), all.last().map_or(0, end))
}

/// The rare words and pairs among all words of a book.
fn anchors(all: &[Term], words: &Counts) -> Vec<Anchor> {
    let mut pairs = Counts::for_text(all.len());
    let pair = |two: &[Term]| {
        let key = hash::pair(two[0].key, two[1].key);
        (key & PAIRS_LEFT_OUT == 0).then_some(key)
    };
    for two in all.windows(2) {
        if let Some(key) = pair(two) {
            pairs.add(key);
        }
    }
    let mut anchors = Vec::with_capacity(all.len() / 8);
    for (n, term) in all.iter().enumerate() {
        let times = words.get(term.key);
        if times <= MOST_TIMES {
            let unique = if times == 1 { Anchor::UNIQUE } else { 0 };
            let short = if term.letters < LEAST_LETTERS { Anchor::SHORT } else { 0 };
            if unique != 0 || short == 0 {
                anchors.push(Anchor::new(term.key, unique | short, term.position, term.byte, term.bytes));
            }
        }
        if let Some(two) = all.get(n..n + 2)
            && let Some(key) = pair(two)
            && pairs.get(key) <= MOST_TIMES
        {
            let end = two[1].byte + u32::from(two[1].bytes);
            let bytes = u8::try_from(end.saturating_sub(term.byte)).unwrap_or(term.bytes);
            anchors.push(Anchor::new(key, Anchor::PAIR, term.position, term.byte, bytes));
        }
    }
    anchors
}

/// The unique words of a text, as published, and nothing else: key and first byte of each, in order.
pub fn unique_words(text: &str) -> Vec<(u64, u32)> {
    let mut all = Vec::with_capacity(text.len() / 6);
    let mut counts = Counts::for_text(text.len());
    terms(text, |term| {
        counts.add(term.key);
        all.push((term.key, term.byte));
    });
    all.retain(|(key, _)| counts.get(*key) == 1);
    all
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ignored_words_are_not_counted() {
        let text = "LICENCE lamp LICENCE the keeper lit the lamp";
        let whole = Book::read("a", text, &[]);
        let book = Book::read("a", text, &[Span::new(0, 20)]);
        assert_eq!(book.words, 5);
        let bytes: Vec<u32> = book.unique_words().map(|word| word.byte).collect();
        assert_eq!(bytes, [25, 32, 40], "keeper, lit, lamp");
        assert_eq!(whole.letters - book.letters, 8 + 5 + 8);
        assert_eq!(
            book.unique_words().next().map(|word| word.position),
            Some(25),
            "places are those of the whole text"
        );
    }

    #[test]
    fn places_are_forgotten() {
        let mut book = Book::read("a", "one two three four five six seven", &[]);
        let before = book.letters;
        book.remove_ranges(&[4..14, 30..31]);
        let left: Vec<u32> = book.unique_words().map(|word| word.position).collect();
        assert_eq!(left, [0, 14, 19, 24, 28]);
        assert_eq!(before - book.letters, 11);
    }

    proptest! {
        /// Unique words as the paper defines them: count, then keep those that occur once, in order.
        #[test]
        fn unique_words_are_those_that_occur_once(words in prop::collection::vec("[a-e]{1,2}", 0..60)) {
            let text = words.join(" ");
            let mut counts: HashMap<&str, u32> = HashMap::new();
            for word in &words {
                *counts.entry(word).or_default() += 1;
            }
            let wanted: Vec<u64> =
                words.iter().filter(|word| counts[word.as_str()] == 1).map(|w| hash::letters(w.as_bytes())).collect();
            let book = Book::read("a", &text, &[]);
            prop_assert_eq!(book.unique_words().map(Anchor::key).collect::<Vec<_>>(), wanted.clone());
            prop_assert_eq!(unique_words(&text).into_iter().map(|(key, _)| key).collect::<Vec<_>>(), wanted);
        }

        #[test]
        fn anchors_are_in_order_and_rare(words in prop::collection::vec("[a-e]{4,5}", 0..60)) {
            let book = Book::read("a", &words.join(" "), &[]);
            prop_assert!(book.anchors.is_sorted_by_key(|anchor| anchor.position));
            for anchor in &book.anchors {
                let same = book.anchors.iter().filter(|a| a.key() == anchor.key() && a.is_pair() == anchor.is_pair());
                prop_assert!(same.count() <= MOST_TIMES as usize);
            }
        }
    }
}
