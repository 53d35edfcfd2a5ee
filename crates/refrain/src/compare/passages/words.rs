//! Words: their positions, their lower-case forms and stems, and what separates them.

use std::borrow::Cow;
use std::hash::BuildHasher;
use std::ops::Range;

use foldhash::fast::FixedState;
use foldhash::{HashMap, HashMapExt};
use rust_stemmers::{Algorithm, Stemmer};
use unicode_segmentation::UnicodeSegmentation;

use crate::compare::rules::{WordRule, is_invisible, tokens};
use crate::text::scripts::is_unspaced;

/// Letters kept of a word if its language is unknown: a rough stem for any alphabetic script. On English, 5, 6 and 7
/// are alike, and lower by .002 to .004 than stemming.
const STEM_LETTERS: usize = 6;

/// Seed of the word hash. Any value will do; it is fixed so that results do not change from run to run.
const HASH_SEED: u64 = 0x7265_6672_6169_6e00;

/// What separates a token from the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Break {
    /// Nothing but spaces or punctuation inside a sentence.
    None,
    /// A line break, which may be the end of a heading or mere wrapping.
    Line,
    /// The end of a sentence or a blank line.
    Sentence,
}

/// One word with its position in the original.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    /// First byte, including punctuation attached to the front of the word.
    pub(super) start: u32,
    /// End byte, including punctuation attached to the back of the word.
    pub(super) end: u32,
    /// The stem, as an index into the stems of the text.
    pub(super) stem: u32,
    /// What separates it from the token before.
    pub(super) before: Break,
}

/// A distinct word form.
pub(super) struct Form {
    /// Hash of the lower-cased word.
    pub(super) hash: u64,
    /// Hash of its stem.
    pub(super) stem: u64,
}

/// The words of a text in order, and their distinct forms.
pub(super) struct Words {
    /// The words; `stem` is an index into `forms`.
    pub(super) tokens: Vec<Token>,
    /// The distinct forms.
    pub(super) forms: Vec<Form>,
}

impl Words {
    /// Finds the words of a text of less than 4 GiB. `language` is an ISO 639-1 code.
    pub(super) fn new(text: &str, language: Option<&str>) -> Words {
        let mut builder = Builder::new(stemmer(language));
        builder.scan(text);
        Words { tokens: builder.tokens, forms: builder.forms }
    }
}

impl Words {
    /// The names, numbers and signs of a program of less than 4 GiB: the words that [`WordRule::Code`] compares.
    pub(super) fn of_code(text: &str) -> Words {
        let by_signs = ends_by_signs(text);
        let mut known: HashMap<u64, u32> = HashMap::new();
        let mut words = Words { tokens: Vec::new(), forms: Vec::new() };
        let mut last = 0;
        tokens(text, WordRule::Code, |token| {
            let between = &text[last..token.start as usize];
            let behind = text[..last].chars().next_back();
            last = token.end as usize;
            let form = *known.entry(token.hash).or_insert_with(|| {
                words.forms.push(Form { hash: token.hash, stem: token.hash });
                words.forms.len() as u32 - 1
            });
            let lines = between.bytes().filter(|byte| *byte == b'\n').count();
            let before = match lines {
                _ if words.tokens.is_empty() || (by_signs && behind.is_some_and(ends_statement)) => Break::Sentence,
                0 => Break::None,
                1 if by_signs => Break::Line,
                _ => Break::Sentence,
            };
            words.tokens.push(Token { start: token.start, end: token.end, stem: form, before });
        });
        words
    }
}

/// Whether a sign ends a statement, or part of one.
fn ends_statement(sign: char) -> bool {
    matches!(sign, ';' | '{' | '}')
}

/// With more lines than this for each sign that ends a statement, line ends are taken as the ends of statements.
const LINES_PER_SIGN: usize = 4;

/// Whether signs rather than line ends terminate statements.
fn ends_by_signs(text: &str) -> bool {
    let signs = text.chars().filter(|sign| ends_statement(*sign)).count();
    signs * LINES_PER_SIGN > text.lines().filter(|line| !line.trim().is_empty()).count()
}

/// Collects tokens while a document is scanned.
struct Builder {
    stemmer: Option<Stemmer>,
    /// Index into `forms` by hash.
    known: HashMap<u64, u32>,
    forms: Vec<Form>,
    /// The words so far; `stem` is an index into `forms`.
    tokens: Vec<Token>,
    /// The last word if it is a single character of a script written without spaces, else empty.
    unspaced: String,
    /// The current word in lower case, kept to avoid allocations.
    lower: String,
}

impl Builder {
    fn new(stemmer: Option<Stemmer>) -> Builder {
        Builder {
            stemmer,
            known: HashMap::new(),
            forms: Vec::new(),
            tokens: Vec::new(),
            unspaced: String::new(),
            lower: String::new(),
        }
    }

    /// Finds all words: runs of ASCII letters and digits directly, everything next to other characters by the Unicode
    /// rules.
    fn scan(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut at = 0;
        let mut last_end = 0;
        while at < bytes.len() {
            let end = at + ascii_word(&bytes[at..]);
            if bytes.get(end).is_none_or(u8::is_ascii) {
                if end > at {
                    self.push(text, last_end, at..end, false);
                    last_end = end;
                }
                at = end + 1;
            } else {
                let end = chunk_end(bytes, end);
                // A zero-width space inside a word must not hide it. It is replaced by a byte order mark, which is as
                // long and does not end a word.
                let mut chunk = Cow::Borrowed(&text[at..end]);
                if chunk.contains('\u{200B}') {
                    chunk = Cow::Owned(chunk.replace('\u{200B}', "\u{FEFF}"));
                }
                for (offset, word) in chunk.unicode_word_indices() {
                    let start = at + offset;
                    self.push(text, last_end, start..start + word.len(), true);
                    last_end = start + word.len();
                }
                at = end;
            }
        }
        if let Some(last) = self.tokens.last_mut() {
            last.end = (last_end + stuck(&text[last_end..])) as u32;
        }
    }

    /// Adds the word at `word`; the text since `last_end` separates it from the word before.
    fn push(&mut self, text: &str, last_end: usize, word: Range<usize>, unicode: bool) {
        let between = &text[last_end..word.start];
        let mut start = word.start;
        let trailing = stuck(between);
        if let Some(last) = self.tokens.last_mut() {
            last.end = (last_end + trailing) as u32;
        }
        if trailing < between.len() || self.tokens.is_empty() {
            start -= between.len() - after_last_space(between);
        }
        let form = self.form(&text[word], unicode, between.is_empty());
        let before = if self.tokens.is_empty() { Break::Sentence } else { break_in(between) };
        self.tokens.push(Token { start: start as u32, end: 0, stem: form, before });
    }

    /// Index of the form of a word. Characters of scripts without spaces are paired with the one before them: single
    /// characters are far too common to distinguish passages.
    fn form(&mut self, word: &str, unicode: bool, touches: bool) -> u32 {
        let mut lower = std::mem::take(&mut self.lower);
        lower.clear();
        // The Unicode rules split scripts without spaces into characters.
        let single = unicode && word.starts_with(is_unspaced);
        if single && touches {
            lower.push_str(&self.unspaced);
        }
        self.unspaced.clear();
        if single {
            self.unspaced.push_str(word);
        }
        lower.push_str(word);
        if unicode {
            lower = lower.to_lowercase();
            lower.retain(|character| !is_invisible(character));
        } else {
            lower.make_ascii_lowercase();
        }
        let index = self.intern(&lower, single);
        self.lower = lower;
        index
    }

    /// Index of a lower-cased form, which is stemmed when it is seen for the first time.
    fn intern(&mut self, lower: &str, unspaced: bool) -> u32 {
        let key = hash(lower);
        if let Some(&index) = self.known.get(&key) {
            return index;
        }
        let stem = match &self.stemmer {
            _ if unspaced => key,
            Some(stemmer) => hash(&stemmer.stem(lower)),
            None => hash(lower.char_indices().nth(STEM_LETTERS).map_or(lower, |(end, _)| &lower[..end])),
        };
        let index = self.forms.len() as u32;
        self.forms.push(Form { hash: key, stem });
        self.known.insert(key, index);
        index
    }
}

/// The Snowball stemmer for a language code, if there is one.
fn stemmer(language: Option<&str>) -> Option<Stemmer> {
    let code = language?.split(['-', '_']).next()?.to_ascii_lowercase();
    let algorithm = match code.as_str() {
        "ar" => Algorithm::Arabic,
        "da" => Algorithm::Danish,
        "de" => Algorithm::German,
        "el" => Algorithm::Greek,
        "en" => Algorithm::English,
        "es" => Algorithm::Spanish,
        "fi" => Algorithm::Finnish,
        "fr" => Algorithm::French,
        "hu" => Algorithm::Hungarian,
        "it" => Algorithm::Italian,
        "nl" => Algorithm::Dutch,
        "no" | "nb" | "nn" => Algorithm::Norwegian,
        "pt" => Algorithm::Portuguese,
        "ro" => Algorithm::Romanian,
        "ru" => Algorithm::Russian,
        "sv" => Algorithm::Swedish,
        "ta" => Algorithm::Tamil,
        "tr" => Algorithm::Turkish,
        _ => return None,
    };
    Some(Stemmer::create(algorithm))
}

/// Hash of a word.
fn hash(word: &str) -> u64 {
    FixedState::with_seed(HASH_SEED).hash_one(word)
}

/// Length of the ASCII word at the front of `bytes`: letters and digits, with single apostrophes inside.
fn ascii_word(bytes: &[u8]) -> usize {
    let mut end = 0;
    while let Some(byte) = bytes.get(end) {
        let inside = *byte == b'\'' && end > 0 && bytes.get(end + 1).is_some_and(u8::is_ascii_alphanumeric);
        if !byte.is_ascii_alphanumeric() && !inside {
            break;
        }
        end += 1;
    }
    end
}

/// End of the stretch without ASCII white space that contains `at`.
fn chunk_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(u8::is_ascii_whitespace).map_or(bytes.len(), |length| at + length)
}

/// Length of the part of `between` attached to the word before it: everything up to the first white space.
fn stuck(between: &str) -> usize {
    between.find(char::is_whitespace).unwrap_or(between.len())
}

/// Start of the part of `between` attached to the word after it: everything after the last white space.
fn after_last_space(between: &str) -> usize {
    between.char_indices().rfind(|(_, c)| c.is_whitespace()).map_or(0, |(at, c)| at + c.len_utf8())
}

/// Whether a character ends a sentence.
fn is_terminator(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？' | '．' | '｡' | '।' | '؟' | '۔' | '።' | '։')
}

/// The strongest break in what separates two words.
fn break_in(between: &str) -> Break {
    let mut lines = 0;
    let mut ended = false;
    let mut closed = false;
    for c in between.chars() {
        lines += usize::from(c == '\n');
        closed |= ended && c.is_whitespace();
        ended = is_terminator(c) || (ended && !c.is_whitespace() && c != ',');
        closed |= ended && !c.is_ascii();
    }
    match lines {
        _ if closed => Break::Sentence,
        0 => Break::None,
        1 => Break::Line,
        _ => Break::Sentence,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_end_by_signs_or_lines() {
        let starts = |text: &str| {
            let words = Words::of_code(text);
            let starts = words.tokens.iter().filter(|token| token.before == Break::Sentence);
            starts.map(|token| &text[token.start as usize..token.end as usize]).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(starts("if (a)\n{ b = 1; c(); }"), "if b c }");
        assert_eq!(starts("if a:\n    b = 1\n    c()\n"), "if b c");
    }

    #[test]
    fn breaks_are_distinguished() {
        let cases = [
            (" ", Break::None),
            (". ", Break::Sentence),
            (".\" ", Break::Sentence),
            ("., ", Break::None),
            (".", Break::None),
            ("。", Break::Sentence),
            ("\n", Break::Line),
            ("\r\n", Break::Line),
            ("\n \n", Break::Sentence),
        ];
        for (between, expected) in cases {
            assert_eq!(break_in(between), expected, "{between:?}");
        }
    }
}
