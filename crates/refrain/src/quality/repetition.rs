//! Repetition inside a text: lines, paragraphs and sequences of words that occurred before (Rae et al. 2021, Table A1).

use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;

use super::measure::WordFacts;

/// What equals something before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Duplicates {
    /// Lines or paragraphs.
    pub(super) all: usize,
    /// Those that equal an earlier one.
    pub(super) repeated: usize,
    /// Characters in these.
    pub(super) chars: usize,
}

/// Counts the elements that equal an earlier one.
pub(super) fn duplicates<'a>(elements: impl Iterator<Item = &'a str>) -> Duplicates {
    let mut seen: HashSet<&str, FixedState> = HashSet::default();
    let mut found = Duplicates::default();
    for element in elements {
        found.all += 1;
        if !seen.insert(element) {
            found.repeated += 1;
            found.chars += element.chars().count();
        }
    }
    found
}

/// A multiplier without pattern, so that sums of products of it with hashes of words have none.
const FACTOR: u64 = 0x9E6C_63D0_876A_68EF;

/// Hands out the hash of each sequence of n words, by the number of its first word.
struct Ngrams<'a> {
    words: &'a [WordFacts],
    n: usize,
    /// The factor of the word that leaves a sequence.
    leaving: u64,
    at: usize,
    hash: u64,
}

impl<'a> Ngrams<'a> {
    fn new(words: &'a [WordFacts], n: usize) -> Ngrams<'a> {
        let mut ngrams = Ngrams { words, n, leaving: FACTOR.wrapping_pow(n as u32), at: 0, hash: 0 };
        ngrams.move_to(0);
        ngrams
    }

    /// The hash of the sequence at a word further on; `None` behind the last one.
    fn move_to(&mut self, at: usize) -> Option<u64> {
        if at >= self.at + self.n || (at == 0 && self.at == 0) {
            let words = self.words.get(at..at + self.n)?;
            self.hash = words.iter().fold(0, |hash: u64, word| hash.wrapping_mul(FACTOR).wrapping_add(word.hash));
        } else {
            for old in self.at..at {
                let next = self.words.get(old + self.n)?.hash;
                let gone = self.words[old].hash.wrapping_mul(self.leaving);
                self.hash = self.hash.wrapping_mul(FACTOR).wrapping_add(next).wrapping_sub(gone);
            }
        }
        self.at = at;
        Some(self.hash)
    }
}

/// The characters in all occurrences of the most frequent sequence of n words, with a space between two words; of several equally
/// frequent ones, the first. `None` for a text with fewer words.
pub(super) fn top_ngram_chars(words: &[WordFacts], n: usize) -> Option<usize> {
    let count = words.len().checked_sub(n - 1).filter(|count| *count > 0)?;
    let mut counts: HashMap<u64, (u32, u32), FixedState> =
        HashMap::with_capacity_and_hasher(count, FixedState::default());
    let mut ngrams = Ngrams::new(words, n);
    let mut best = (0, u32::MAX);
    for at in 0..count {
        let Some(hash) = ngrams.move_to(at) else { break };
        let entry = counts.entry(hash).or_insert((0, at as u32));
        entry.0 += 1;
        if entry.0 > best.0 || (entry.0 == best.0 && entry.1 < best.1) {
            best = *entry;
        }
    }
    let first = words.get(best.1 as usize..best.1 as usize + n)?;
    Some((first.iter().map(|word| word.chars).sum::<usize>() + n - 1) * best.0 as usize)
}

/// The characters in sequences of n words that occurred before. After such a sequence, the next one begins behind it.
pub(super) fn duplicate_ngram_chars(words: &[WordFacts], n: usize) -> usize {
    let Some(last) = words.len().checked_sub(n) else { return 0 };
    let mut seen: HashSet<u64, FixedState> = HashSet::with_capacity_and_hasher(last + 1, FixedState::default());
    let mut ngrams = Ngrams::new(words, n);
    let (mut chars, mut at) = (0, 0);
    while at <= last {
        let Some(hash) = ngrams.move_to(at) else { break };
        if seen.insert(hash) {
            at += 1;
        } else {
            chars += words[at..at + n].iter().map(|word| word.chars).sum::<usize>();
            at += n;
        }
    }
    chars
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::document::Span;
    use crate::quality::words;

    fn facts(text: &str) -> Vec<WordFacts> {
        let mut all = Vec::new();
        words(text, true, |span: Span| {
            let word = span.of(text);
            let hash = word.bytes().fold(7, |hash: u64, byte| crate::text::mix(hash ^ u64::from(byte)));
            all.push(WordFacts { span, chars: word.chars().count(), hash });
        });
        all
    }

    /// Table A1 as datatrove counts it, word by word.
    fn plain_top(words: &[&str], n: usize) -> Option<usize> {
        let grams: Vec<String> = words.windows(n).map(|gram| gram.join(" ")).collect();
        let count = |gram: &String| grams.iter().filter(|other| *other == gram).count();
        let most = grams.iter().map(count).max()?;
        let first = grams.iter().find(|gram| count(gram) == most)?;
        Some(first.chars().count() * most)
    }

    fn plain_duplicates(words: &[&str], n: usize) -> usize {
        let (mut seen, mut chars, mut at) = (Vec::new(), 0, 0);
        while at + n <= words.len() {
            let gram = &words[at..at + n];
            if seen.contains(&gram) {
                chars += gram.iter().map(|word| word.chars().count()).sum::<usize>();
                at += n;
            } else {
                seen.push(gram);
                at += 1;
            }
        }
        chars
    }

    proptest! {
        #[test]
        fn sequences_are_counted_as_published(text in "([abé] |bc |ab |\n){0,80}") {
            let facts = facts(&text);
            let words: Vec<&str> = facts.iter().map(|word| word.span.of(&text)).collect();
            for n in 2..=10 {
                prop_assert_eq!(top_ngram_chars(&facts, n), plain_top(&words, n), "{} words", n);
                prop_assert_eq!(duplicate_ngram_chars(&facts, n), plain_duplicates(&words, n), "{} words", n);
            }
        }
    }

    #[test]
    fn the_first_of_equal_lines_is_no_duplicate() {
        assert_eq!(duplicates(["aé", "b", "aé", "aé"].into_iter()), Duplicates { all: 4, repeated: 2, chars: 4 });
    }
}
