//! A document prepared for alignment: words with their positions, stems, and sentence-like units.
//!
//! A [`PassageText`] is built once per document and reused for every pair with that document. It keeps no copy of the
//! original: the aligner needs only numbers.

use std::ops::Range;

use super::words::{Break, Token, Words};

/// Shortest unit in tokens. Shorter sentences join the next one, because two or three words are no evidence of reuse. 4
/// is as good, 7 lower by .003.
const UNIT_MIN: usize = 5;

/// Longest unit in tokens; longer ones are split into pieces of [`UNIT_PIECE`]. From 30 to 45 the result moves by .002.
const UNIT_MAX: usize = 37;

/// Length in tokens of the pieces of overlong units. From 20 to 30 the result moves by .001.
const UNIT_PIECE: usize = 25;

/// A document prepared for alignment.
#[derive(Clone, Debug, Default)]
pub struct PassageText {
    /// The words in order.
    pub(super) tokens: Vec<Token>,
    /// Hash of the lower-cased word of each token, for exact comparison.
    pub(super) forms: Vec<u64>,
    /// Distinct stem hashes, sorted; a token's `stem` is an index into it.
    pub(super) stems: Vec<u64>,
    /// First token of each unit, and the number of tokens at the end.
    unit_starts: Vec<u32>,
    /// Distinct stems of each unit with their counts, one unit after another, each sorted by stem.
    unit_stems: Vec<(u32, u32)>,
    /// Where each unit's part of `unit_stems` begins, and its length at the end.
    unit_stem_starts: Vec<u32>,
    /// Number of units each stem occurs in.
    pub(super) unit_frequency: Vec<u32>,
    /// Number of tokens of each stem.
    pub(super) occurrences: Vec<u32>,
}

impl PassageText {
    /// Splits `text` into tokens and units. `language` is an ISO 639-1 code such as `en` or `pt-BR`; without one, or for a
    /// language without a stemmer, words are cut to their first letters instead. Only the first 4 GiB are read.
    pub fn new(text: &str, language: Option<&str>) -> PassageText {
        PassageText::from_words(Words::new(clip(text, u32::MAX as usize), language))
    }

    /// Splits a program into names, numbers and signs, and these into statements. Only the first 4 GiB are read.
    pub fn code(text: &str) -> PassageText {
        PassageText::from_words(Words::of_code(clip(text, u32::MAX as usize)))
    }

    /// Number of words.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Whether the document contains no words.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Number of units.
    pub(super) fn units(&self) -> usize {
        self.unit_starts.len().saturating_sub(1)
    }

    /// Tokens of the units `from..to`.
    pub(super) fn unit_tokens(&self, units: Range<usize>) -> Range<usize> {
        self.unit_starts[units.start] as usize..self.unit_starts[units.end] as usize
    }

    /// Stems of one unit with their counts, sorted by stem.
    pub(super) fn unit_stems(&self, unit: usize) -> &[(u32, u32)] {
        &self.unit_stems[self.unit_stem_starts[unit] as usize..self.unit_stem_starts[unit + 1] as usize]
    }

    /// Byte range in the original of a range of tokens, which must not be empty.
    pub(super) fn bytes(&self, tokens: Range<usize>) -> Range<usize> {
        self.tokens[tokens.start].start as usize..self.tokens[tokens.end - 1].end as usize
    }
}

impl PassageText {
    /// Numbers the stems, cuts the units and counts.
    fn from_words(words: Words) -> PassageText {
        let Words { mut tokens, forms: distinct } = words;
        let mut stems: Vec<u64> = distinct.iter().map(|form| form.stem).collect();
        stems.sort_unstable();
        stems.dedup();
        let number = |stem: u64| stems.partition_point(|&other| other < stem) as u32;
        let numbers: Vec<u32> = distinct.iter().map(|form| number(form.stem)).collect();
        let forms = tokens.iter().map(|token| distinct[token.stem as usize].hash).collect();
        for token in &mut tokens {
            token.stem = numbers[token.stem as usize];
        }
        let unit_starts = cut_units(&tokens);
        let mut text = PassageText { tokens, forms, unit_starts, ..PassageText::default() };
        text.count_units(stems.len());
        text.stems = stems;
        text
    }

    /// Fills in the stems of each unit and the unit frequency of each of the `stems` stems.
    fn count_units(&mut self, stems: usize) {
        self.unit_frequency = vec![0; stems];
        self.occurrences = vec![0; stems];
        self.unit_stem_starts.push(0);
        let mut words = Vec::new();
        for unit in 0..self.units() {
            words.clear();
            words.extend(self.tokens[self.unit_tokens(unit..unit + 1)].iter().map(|token| token.stem));
            words.sort_unstable();
            for run in words.chunk_by(|x, y| x == y) {
                self.unit_stems.push((run[0], run.len() as u32));
                self.unit_frequency[run[0] as usize] += 1;
                self.occurrences[run[0] as usize] += run.len() as u32;
            }
            self.unit_stem_starts.push(self.unit_stems.len() as u32);
        }
    }
}

/// The longest prefix of `text` of at most `limit` bytes that ends between two characters.
fn clip(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}

/// First tokens of the units, and the number of tokens: sentences, with short ones joined to the next and long ones
/// split.
fn cut_units(tokens: &[Token]) -> Vec<u32> {
    let mut starts = vec![0];
    let mut start = 0;
    for at in 1..=tokens.len() {
        let ends = at == tokens.len() || (tokens[at].before == Break::Sentence && at - start >= UNIT_MIN);
        if !ends {
            continue;
        }
        while at - start > UNIT_MAX {
            start += UNIT_PIECE;
            starts.push(start as u32);
        }
        start = at;
        starts.push(at as u32);
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The byte ranges of all tokens as text.
    fn tokens<'t>(original: &'t str, text: &PassageText) -> Vec<&'t str> {
        (0..text.len()).map(|at| &original[text.bytes(at..at + 1)]).collect()
    }

    #[test]
    fn tokens_hold_the_punctuation_stuck_to_them() {
        let original = "\"Don't go,\" he said - (twice).";
        let text = PassageText::new(original, Some("en"));
        assert_eq!(tokens(original, &text), ["\"Don't", "go,\"", "he", "said", "(twice)."]);
    }

    #[test]
    fn case_and_endings_make_no_difference_to_stems() {
        let text = PassageText::new("Copies COPIED copying", Some("en-GB"));
        assert_eq!(text.stems.len(), 1);
        let text = PassageText::new("überraschend überraschten", None);
        assert_eq!(text.stems.len(), 1);
        assert_eq!(text.forms.iter().collect::<std::collections::HashSet<_>>().len(), 2);
    }

    #[test]
    fn scripts_without_spaces_give_pairs_of_characters() {
        let original = "我们喜欢读书。你们喜欢写字。";
        let text = PassageText::new(original, None);
        assert_eq!(text.len(), 12);
        assert_eq!(text.forms[3], text.forms[9], "both are the second character of the same pair");
        assert_ne!(text.forms[0], text.forms[1]);
        assert!(tokens(original, &text)[5].ends_with('。'));
        assert_eq!(PassageText::new("ฉันชอบอ่านหนังสือ", None).stems.len(), PassageText::new("ฉันชอบอ่านหนังสือ", None).len());
    }

    #[test]
    fn units_are_neither_too_short_nor_too_long() {
        let text = PassageText::new(&format!("No. Yes. {}. End of it all now.", "word ".repeat(100)), None);
        let lengths: Vec<usize> = (0..text.units()).map(|unit| text.unit_tokens(unit..unit + 1).len()).collect();
        assert_eq!(lengths.iter().sum::<usize>(), text.len());
        assert!(lengths.iter().all(|length| (UNIT_MIN..=UNIT_MAX).contains(length)), "{lengths:?}");
    }

    #[test]
    fn nothing_gives_nothing() {
        for text in ["", " \n", "...!"] {
            let text = PassageText::new(text, None);
            assert!(text.is_empty());
            assert_eq!(text.units(), 0);
        }
    }
}
