//! What the rules measure of a text.

use std::borrow::Cow;
use std::cell::OnceCell;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lines::LineVerdicts;
use super::repetition::{duplicate_ngram_chars, duplicates, top_ngram_chars};
use super::words::{count_sentences, ends_sentence, is_symbols, words};
use crate::document::Span;
use crate::text::mix;

/// Lines of at most this many characters are short (FineWeb).
const SHORT_LINE: usize = 30;

/// A figure of a text that a rule limits, in the order in which rules are applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum QualityMeasure {
    /// Share of paragraphs that equal an earlier one.
    DuplicateParagraphs,
    /// Share of characters in them.
    DuplicateParagraphChars,
    /// Share of lines that equal an earlier one.
    DuplicateLines,
    /// Share of characters in them.
    DuplicateLineChars,
    /// Share of characters in the most frequent sequence of two words.
    #[serde(rename = "top_2_gram_chars")]
    Top2GramChars,
    /// The same of three words.
    #[serde(rename = "top_3_gram_chars")]
    Top3GramChars,
    /// The same of four words.
    #[serde(rename = "top_4_gram_chars")]
    Top4GramChars,
    /// Share of characters in sequences of five words that occurred before.
    #[serde(rename = "duplicate_5_gram_chars")]
    Duplicate5GramChars,
    /// The same of six words.
    #[serde(rename = "duplicate_6_gram_chars")]
    Duplicate6GramChars,
    /// The same of seven words.
    #[serde(rename = "duplicate_7_gram_chars")]
    Duplicate7GramChars,
    /// The same of eight words.
    #[serde(rename = "duplicate_8_gram_chars")]
    Duplicate8GramChars,
    /// The same of nine words.
    #[serde(rename = "duplicate_9_gram_chars")]
    Duplicate9GramChars,
    /// The same of ten words.
    #[serde(rename = "duplicate_10_gram_chars")]
    Duplicate10GramChars,
    /// Words, without punctuation marks.
    Words,
    /// Their mean length in characters.
    WordLength,
    /// Hash signs per word.
    Hashes,
    /// Ellipses per word.
    Ellipses,
    /// Share of lines that begin with a bullet or a dash.
    BulletLines,
    /// Share of lines that end with an ellipsis.
    EllipsisLines,
    /// Share of words, punctuation marks included, that contain a letter.
    AlphabeticWords,
    /// Different stop words.
    StopWords,
    /// Lines that contain "lorem ipsum".
    LoremIpsum,
    /// Lines that contain a curly bracket.
    CurlyBrackets,
    /// Sentences.
    Sentences,
    /// Share of lines that end with a mark that ends sentences.
    SentenceLines,
    /// Share of lines with at most 30 characters.
    ShortLines,
    /// Share of characters, line breaks aside, in lines that equal an earlier one.
    RepeatedLineChars,
    /// Line breaks per word, punctuation marks included.
    LineBreaks,
}

use QualityMeasure as M;

/// The name of each measure in files, what it is in words, and whether it is a share.
#[rustfmt::skip] // a table
const NAMES: [(QualityMeasure, &str, &str, bool); 28] = [
    (M::DuplicateParagraphs, "duplicate_paragraphs", "share of paragraphs that equal an earlier one", true),
    (M::DuplicateParagraphChars, "duplicate_paragraph_chars", "share of characters in paragraphs that equal an earlier one", true),
    (M::DuplicateLines, "duplicate_lines", "share of lines that equal an earlier one", true),
    (M::DuplicateLineChars, "duplicate_line_chars", "share of characters in lines that equal an earlier one", true),
    (M::Top2GramChars, "top_2_gram_chars", "share of characters in the most frequent sequence of 2 words", true),
    (M::Top3GramChars, "top_3_gram_chars", "share of characters in the most frequent sequence of 3 words", true),
    (M::Top4GramChars, "top_4_gram_chars", "share of characters in the most frequent sequence of 4 words", true),
    (M::Duplicate5GramChars, "duplicate_5_gram_chars", "share of characters in sequences of 5 words that occurred before", true),
    (M::Duplicate6GramChars, "duplicate_6_gram_chars", "share of characters in sequences of 6 words that occurred before", true),
    (M::Duplicate7GramChars, "duplicate_7_gram_chars", "share of characters in sequences of 7 words that occurred before", true),
    (M::Duplicate8GramChars, "duplicate_8_gram_chars", "share of characters in sequences of 8 words that occurred before", true),
    (M::Duplicate9GramChars, "duplicate_9_gram_chars", "share of characters in sequences of 9 words that occurred before", true),
    (M::Duplicate10GramChars, "duplicate_10_gram_chars", "share of characters in sequences of 10 words that occurred before", true),
    (M::Words, "words", "number of words", false),
    (M::WordLength, "word_length", "mean length of words", false),
    (M::Hashes, "hashes", "hash signs per word", false),
    (M::Ellipses, "ellipses", "ellipses per word", false),
    (M::BulletLines, "bullet_lines", "share of lines that begin with a bullet or a dash", true),
    (M::EllipsisLines, "ellipsis_lines", "share of lines that end with an ellipsis", true),
    (M::AlphabeticWords, "alphabetic_words", "share of words that contain a letter", true),
    (M::StopWords, "stop_words", "number of different stop words", false),
    (M::LoremIpsum, "lorem_ipsum", "number of lines that contain \"lorem ipsum\"", false),
    (M::CurlyBrackets, "curly_brackets", "number of lines that contain a curly bracket", false),
    (M::Sentences, "sentences", "number of sentences", false),
    (M::SentenceLines, "sentence_lines", "share of lines that end like a sentence", true),
    (M::ShortLines, "short_lines", "share of lines with at most 30 characters", true),
    (M::RepeatedLineChars, "repeated_line_chars", "share of characters in lines that equal an earlier one", true),
    (M::LineBreaks, "line_breaks", "line breaks per word", false),
];

impl QualityMeasure {
    /// All measures, in the order in which rules are applied.
    pub fn all() -> impl Iterator<Item = QualityMeasure> {
        NAMES.iter().map(|(measure, ..)| *measure)
    }

    /// The name used in files.
    pub fn name(self) -> &'static str {
        NAMES[self as usize].1
    }

    /// The words for a measure with this name, and whether it is a share.
    pub(crate) fn described(name: &str) -> Option<(&'static str, bool)> {
        NAMES.iter().find(|(_, known, ..)| *known == name).map(|(_, _, words, is_share)| (*words, *is_share))
    }
}

/// True for a text that is divided into words as English is: one in English, or in an unknown language.
pub(super) fn is_english(language: Option<&str>) -> bool {
    language.is_none_or(|language| language == "en")
}

/// A word of a text: its characters, and the hash of its bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct WordFacts {
    pub(super) span: Span,
    pub(super) chars: usize,
    pub(super) hash: u64,
}

/// A text as it is measured: its lines without the blank ones. What is measured once is kept.
#[derive(Debug)]
pub struct MeasuredText<'a> {
    whole: Cow<'a, str>,
    english: bool,
    lines: Vec<Span>,
    /// Characters of the lines, with a line break between two.
    chars: usize,
    words: OnceCell<Vec<WordFacts>>,
}

/// The lines of a text that are not blank, without the line break.
fn lines(text: &str) -> Vec<Span> {
    let mut lines = Vec::new();
    let mut at = 0;
    for line in text.split('\n') {
        let bare = line.strip_suffix('\r').unwrap_or(line);
        if !bare.trim().is_empty() {
            lines.push(Span::new(at, at + bare.len()));
        }
        at += line.len() + 1;
    }
    lines
}

impl<'a> MeasuredText<'a> {
    /// A text in a language, by its code; a text in an unknown language is divided into words as if it were English.
    pub fn new(text: impl Into<Cow<'a, str>>, language: Option<&str>) -> MeasuredText<'a> {
        let whole = text.into();
        let lines = lines(&whole);
        let chars = lines.iter().map(|line| line.of(&whole).chars().count()).sum::<usize>();
        let chars = chars + lines.len().saturating_sub(1);
        MeasuredText { whole, english: is_english(language), lines, chars, words: OnceCell::new() }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.whole
    }

    fn lines(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(|line| line.of(&self.whole))
    }

    /// True for a text of white space only, of which nothing can be measured.
    pub fn is_blank(&self) -> bool {
        self.lines.is_empty()
    }

    fn words(&self) -> &[WordFacts] {
        self.words.get_or_init(|| {
            let mut all = Vec::with_capacity(self.whole.len() / 5);
            words(&self.whole, self.english, |span| {
                let word = span.of(&self.whole);
                let hash = word.as_bytes().chunks(8).fold(word.len() as u64, |hash, some| {
                    let mut eight = [0; 8];
                    eight[..some.len()].copy_from_slice(some);
                    mix(hash ^ mix(u64::from_le_bytes(eight)))
                });
                all.push(WordFacts { span, chars: word.chars().count(), hash });
            });
            all
        })
    }

    fn share_of_chars(&self, chars: usize) -> f64 {
        chars as f64 / self.chars.max(1) as f64
    }

    fn share_of_lines(&self, holds: impl Fn(&str) -> bool) -> f64 {
        self.lines().filter(|line| holds(line)).count() as f64 / self.lines.len().max(1) as f64
    }

    fn per_word(&self, count: usize) -> f64 {
        count as f64 / self.words().len().max(1) as f64
    }

    /// The share of characters in repeated sequences of n words.
    fn duplicate_ngrams(&self, n: usize) -> f64 {
        self.share_of_chars(duplicate_ngram_chars(self.words(), n))
    }

    fn top_ngram(&self, n: usize) -> Option<f64> {
        Some(self.share_of_chars(top_ngram_chars(self.words(), n)?))
    }

    /// Measures the text. `None` if the measure says nothing about it: a sequence of words that is longer than the text, or stop
    /// words if none are known. Figures of lines are counted in `judged` if the rules remove lines.
    pub fn measure(&self, measure: QualityMeasure, stop_words: &[&str], judged: Option<&LineVerdicts>) -> Option<f64> {
        let paragraphs = || duplicates(paragraphs(&self.whole));
        let lines = || duplicates(self.lines());
        let share = |part: usize, whole: usize| Some(part as f64 / whole.max(1) as f64);
        match measure {
            M::DuplicateParagraphs => {
                let found = paragraphs();
                share(found.repeated, found.all)
            }
            M::DuplicateParagraphChars => Some(self.share_of_chars(paragraphs().chars)),
            M::DuplicateLines => share(lines().repeated, self.lines.len()),
            M::DuplicateLineChars => Some(self.share_of_chars(lines().chars)),
            M::RepeatedLineChars => share(lines().chars, self.chars - self.lines.len().saturating_sub(1)),
            M::Top2GramChars => self.top_ngram(2),
            M::Top3GramChars => self.top_ngram(3),
            M::Top4GramChars => self.top_ngram(4),
            M::Duplicate5GramChars => Some(self.duplicate_ngrams(5)),
            M::Duplicate6GramChars => Some(self.duplicate_ngrams(6)),
            M::Duplicate7GramChars => Some(self.duplicate_ngrams(7)),
            M::Duplicate8GramChars => Some(self.duplicate_ngrams(8)),
            M::Duplicate9GramChars => Some(self.duplicate_ngrams(9)),
            M::Duplicate10GramChars => Some(self.duplicate_ngrams(10)),
            M::Words => Some(self.proper_words().count() as f64),
            M::WordLength => {
                let (words, chars) =
                    self.proper_words().fold((0, 0), |(words, chars), word| (words + 1, chars + word.chars));
                (words > 0).then(|| chars as f64 / f64::from(words))
            }
            M::Hashes => Some(self.per_word(memchr::memchr_iter(b'#', self.whole.as_bytes()).count())),
            M::Ellipses => Some(self.per_word(self.whole.matches("...").count() + self.whole.matches('…').count())),
            M::BulletLines => Some(self.share_of_lines(|line| line.trim_start().starts_with(['•', '-']))),
            M::EllipsisLines => Some(self.share_of_lines(|line| {
                let line = line.trim_end();
                line.ends_with("...") || line.ends_with('…')
            })),
            M::AlphabeticWords => {
                let with_letter = |word: &&WordFacts| word.span.of(&self.whole).chars().any(char::is_alphabetic);
                Some(self.per_word(self.words().iter().filter(with_letter).count()))
            }
            M::StopWords => {
                let occurs = |stop: &&&str| self.words().iter().any(|word| word.span.of(&self.whole) == **stop);
                (!stop_words.is_empty()).then(|| stop_words.iter().filter(occurs).count() as f64)
            }
            M::LoremIpsum => Some(judged.map_or_else(
                || self.lines().filter(|line| line.to_lowercase().contains("lorem ipsum")).count(),
                |judged| judged.lorem_ipsum,
            ) as f64),
            M::CurlyBrackets => {
                Some(judged.map_or_else(
                    || self.lines().filter(|line| line.contains('{')).count(),
                    |judged| judged.curly_brackets,
                ) as f64)
            }
            M::Sentences => Some(judged.map_or_else(
                || self.lines().map(|line| count_sentences(line, self.english)).sum(),
                |judged| judged.sentences,
            ) as f64),
            M::SentenceLines => Some(self.share_of_lines(|line| line.ends_with(ends_sentence))),
            M::ShortLines => Some(self.share_of_lines(|line| line.chars().nth(SHORT_LINE).is_none())),
            M::LineBreaks => Some(self.per_word(self.lines.len().saturating_sub(1))),
        }
    }

    /// The words without punctuation marks.
    fn proper_words(&self) -> impl Iterator<Item = &WordFacts> {
        self.words().iter().filter(|word| !is_symbols(word.span.of(&self.whole)))
    }
}

/// Stretches between blank lines; lines with white space only are not blank here, as published.
fn paragraphs(text: &str) -> impl Iterator<Item = &str> {
    text.trim().split("\n\n").map(|part| part.trim_matches('\n')).filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(text: &str, measure: QualityMeasure) -> f64 {
        MeasuredText::new(text, Some("en")).measure(measure, &["the", "of"], None).expect("a figure")
    }

    #[test]
    fn every_measure_has_its_name() {
        for (number, (measure, name, ..)) in NAMES.iter().enumerate() {
            assert_eq!(*measure as usize, number);
            assert_eq!(serde_json::to_value(measure).expect("a name"), *name);
        }
    }

    #[test]
    fn figures_are_those_of_the_text() {
        for (text, measure, expected) in [
            ("a\n\nb\n\na", M::DuplicateParagraphs, 1.0 / 3.0),
            ("aa\n\nb\n\naa", M::DuplicateParagraphChars, 2.0 / 7.0),
            ("a\nb\na\na", M::DuplicateLines, 0.5),
            ("aa\nb\naa", M::DuplicateLineChars, 2.0 / 7.0),
            ("aa\nb\naa", M::RepeatedLineChars, 2.0 / 5.0),
            ("Go on, go on!", M::Words, 4.0),
            ("ab, abcd!", M::WordLength, 3.0),
            ("# one two # three", M::Hashes, 2.0 / 5.0),
            ("one... two… three", M::Ellipses, 2.0 / 5.0),
            ("- a\n  • b\nc\nd", M::BulletLines, 0.5),
            ("a...\nb… \nc.\nd", M::EllipsisLines, 0.5),
            ("a 1 b 2", M::AlphabeticWords, 0.5),
            ("the keeper of the lamp", M::StopWords, 2.0),
            ("Lorem Ipsum\n{", M::LoremIpsum, 1.0),
            ("Lorem Ipsum\n{", M::CurlyBrackets, 1.0),
            ("One. Two.\nThree", M::Sentences, 3.0),
            ("One.\nTwo!\nThree\nfour", M::SentenceLines, 0.5),
            ("123456789012345678901234567890\n1234567890123456789012345678901", M::ShortLines, 0.5),
            ("one two\n\nthree\nfour", M::LineBreaks, 0.5),
        ] {
            assert!((measured(text, measure) - expected).abs() < 1e-9, "{text:?}, {}", measure.name());
        }
    }

    #[test]
    fn what_says_nothing_is_not_measured() {
        let text = MeasuredText::new("one", Some("en"));
        assert_eq!(text.measure(M::Top2GramChars, &[], None), None);
        assert_eq!(text.measure(M::StopWords, &[], None), None);
        assert_eq!(MeasuredText::new("—", None).measure(M::WordLength, &[], None), None);
        assert!(MeasuredText::new(" \n\t", None).is_blank());
    }
}
