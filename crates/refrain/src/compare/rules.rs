//! What counts as a word when documents are compared.

use std::collections::HashSet;

use crate::text::mix;
use crate::text::scripts::is_unspaced_or_rare;

/// How a text is split into words, and which words are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WordRule {
    /// Letters only, in lower case; all other characters separate words.
    #[default]
    Letters,
    /// Words as written, except that the first word of a sentence loses its capital unless it is a name. All numbers
    /// are equal.
    Sentences,
    /// Source code: names and numbers are words as written, and so is each sign.
    Code,
}

impl WordRule {
    /// All rules.
    pub const ALL: [WordRule; 3] = [WordRule::Letters, WordRule::Sentences, WordRule::Code];

    /// The name used in options.
    pub fn name(self) -> &'static str {
        match self {
            WordRule::Letters => "letters",
            WordRule::Sentences => "sentences",
            WordRule::Code => "code",
        }
    }
}

/// A word in the form in which it is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HashedToken {
    /// Equal for equal words.
    pub hash: u64,
    /// Where it begins in the text, in bytes.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
}

/// Calls `found` with each word of a text.
///
/// ```
/// use refrain::compare::{WordRule, tokens};
///
/// let of = |text: &str, rule| { let mut all = Vec::new(); tokens(text, rule, |token| all.push(token.hash)); all };
/// assert_eq!(of("The lamp; 12 lamps", WordRule::Letters), of("the LAMP lamps", WordRule::Letters));
/// assert_eq!(of("The lamp has 12 parts.", WordRule::Sentences), of("the lamp has 300 parts", WordRule::Sentences));
/// assert_eq!(of("a+=b", WordRule::Code).len(), 4);
/// ```
pub fn tokens(text: &str, rule: WordRule, mut found: impl FnMut(HashedToken)) {
    match rule {
        WordRule::Letters => letters(text, &mut found),
        WordRule::Sentences => sentences(text, &mut found),
        WordRule::Code => code(text, &mut found),
    }
}

/// The initial hash of a word. No text contains this character, so nothing else has the same hash.
const SEED: u64 = 0xFFF1_0000;
/// The hash of every number, for rules that treat all numbers as equal.
const NUMBER: u64 = 0x4E55_4D42_4552;

/// Adds a character to the hash of a word.
#[inline]
fn add(hash: u64, character: u32) -> u64 {
    mix(hash ^ u64::from(character))
}

/// True for combining marks, which belong to the letter before them.
fn belongs_to_letter(character: char) -> bool {
    matches!(u32::from(character), 0x0300..=0x036F | 0x0483..=0x0489 | 0x0591..=0x05C7 | 0x0610..=0x061A
        | 0x064B..=0x065F | 0x0670 | 0x06D6..=0x06ED | 0x0900..=0x0903 | 0x093A..=0x094F | 0x0951..=0x0957
        | 0x0962..=0x0963 | 0x0981..=0x0983 | 0x09BC..=0x09CD | 0x0A01..=0x0A03 | 0x0A3C..=0x0A4D | 0x0A81..=0x0A83
        | 0x0ABC..=0x0ACD | 0x0B01..=0x0B03 | 0x0B3C..=0x0B4D | 0x0B82 | 0x0BBE..=0x0BCD | 0x0C00..=0x0C04
        | 0x0C3E..=0x0C4D | 0x0C81..=0x0C83 | 0x0CBC..=0x0CCD | 0x0D00..=0x0D03 | 0x0D3B..=0x0D4D
        | 0x1DC0..=0x1DFF | 0x20D0..=0x20FF | 0xFE20..=0xFE2F)
}

/// True for invisible characters: soft hyphens, joiners, zero-width spaces. They do not affect how words compare.
pub(super) fn is_invisible(character: char) -> bool {
    matches!(character, '\u{00AD}' | '\u{200B}'..='\u{200F}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}')
}

fn letters(text: &str, found: &mut impl FnMut(HashedToken)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let mut hash = SEED;
        // Fast path: most letters are ASCII.
        while let Some(byte) = bytes.get(at).filter(|byte| byte.is_ascii_alphabetic()) {
            hash = add(hash, u32::from(byte.to_ascii_lowercase()));
            at += 1;
        }
        if bytes.get(at).is_some_and(|byte| !byte.is_ascii()) {
            at = wide_letters(text, start, hash, at, found);
            continue;
        }
        if at > start {
            found(token(hash, start, at));
        }
        at += 1;
    }
}

/// Continues or begins a word at a non-ASCII character. Returns the offset after the word.
fn wide_letters(text: &str, start: usize, mut hash: u64, from: usize, found: &mut impl FnMut(HashedToken)) -> usize {
    let mut end = from;
    for character in text[from..].chars() {
        let next = end + character.len_utf8();
        if is_invisible(character) {
            if end == start {
                return next;
            }
            end = next;
            continue;
        }
        if is_unspaced_or_rare(character) {
            if end > start {
                found(token(hash, start, end));
            }
            if character.is_alphabetic() {
                found(token(add(SEED, u32::from(character)), end, next));
            }
            return next;
        }
        let part_of_word = character.is_alphabetic() || (end > start && belongs_to_letter(character));
        if !part_of_word {
            if end > start {
                found(token(hash, start, end));
            }
            return next;
        }
        for small in character.to_lowercase() {
            hash = add(hash, u32::from(small));
        }
        end = next;
    }
    found(token(hash, start, end));
    end
}

fn token(hash: u64, start: usize, end: usize) -> HashedToken {
    HashedToken { hash, start: start as u32, end: end as u32 }
}

/// A word and its context.
struct Written {
    start: usize,
    end: usize,
    first_of_sentence: bool,
}

fn sentences(text: &str, found: &mut impl FnMut(HashedToken)) {
    let mut all = Vec::new();
    let mut first_of_sentence = true;
    let mut open: Option<usize> = None;
    for (at, character) in text.char_indices().chain([(text.len(), ' ')]) {
        let inside = character.is_alphanumeric()
            || (open.is_some()
                && (matches!(character, '\'' | '\u{2019}') || belongs_to_letter(character) || is_invisible(character)));
        let alone = inside && is_unspaced_or_rare(character);
        if (!inside || alone)
            && let Some(start) = open.take()
        {
            all.push(Written { start, end: at, first_of_sentence });
            first_of_sentence = false;
        }
        if alone {
            all.push(Written { start: at, end: at + character.len_utf8(), first_of_sentence: false });
        } else if inside {
            open = open.or(Some(at));
        } else if matches!(character, '.' | '?' | '!' | '\u{3002}' | '\u{FF01}' | '\u{FF1F}') {
            first_of_sentence = true;
        }
    }
    let names = names(text, &all);
    for word in all {
        let written = &text[word.start..word.end];
        let seen = written.chars().filter(|character| !is_invisible(*character));
        let hash = if written.starts_with(|first: char| first.is_numeric()) {
            mix(NUMBER)
        } else if word.first_of_sentence && !names.contains(written) {
            let mut characters = seen;
            let first = characters.next().into_iter().flat_map(char::to_lowercase);
            first.chain(characters).fold(SEED, |hash, character| add(hash, u32::from(character)))
        } else {
            seen.fold(SEED, |hash, character| add(hash, u32::from(character)))
        };
        found(token(hash, word.start, word.end));
    }
}

/// Words that are capitalised inside sentences and never occur in lower case. These are probably names.
fn names<'a>(text: &'a str, all: &[Written]) -> HashSet<&'a str> {
    let written = |word: &Written| &text[word.start..word.end];
    let has_capital = |word: &str| word.starts_with(char::is_uppercase);
    let small: HashSet<&str> = all.iter().map(written).filter(|word| !has_capital(word)).collect();
    let inside = all.iter().filter(|word| !word.first_of_sentence).map(written);
    inside.filter(|word| has_capital(word) && !small.contains(word.to_lowercase().as_str())).collect()
}

fn code(text: &str, found: &mut impl FnMut(HashedToken)) {
    let mut open: Option<(usize, u64)> = None;
    for (at, character) in text.char_indices().chain([(text.len(), ' ')]) {
        if character.is_alphanumeric() || character == '_' {
            let (start, hash) = open.unwrap_or((at, SEED));
            open = Some((start, add(hash, u32::from(character))));
            continue;
        }
        if let Some((start, hash)) = open.take() {
            found(token(hash, start, at));
        }
        if !character.is_whitespace() {
            found(token(add(SEED, u32::from(character)), at, at + character.len_utf8()));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(text: &str, rule: WordRule) -> Vec<&str> {
        let mut all = Vec::new();
        tokens(text, rule, |token| all.push(&text[token.start as usize..token.end as usize]));
        all
    }

    fn hashes(text: &str, rule: WordRule) -> Vec<u64> {
        let mut all = Vec::new();
        tokens(text, rule, |token| all.push(token.hash));
        all
    }

    #[test]
    fn letters_of_any_script_are_words() {
        assert_eq!(words("Don't, 4 x9 naïve Straße", WordRule::Letters), ["Don", "t", "x", "naïve", "Straße"]);
        assert_eq!(words("灯台の光 lamp灯", WordRule::Letters), ["灯", "台", "の", "光", "lamp", "灯"]);
        assert_eq!(words("हिन्दी भाषा", WordRule::Letters), ["हिन्दी", "भाषा"]);
        assert_eq!(hashes("ÉCOLE", WordRule::Letters), hashes("école", WordRule::Letters));
        assert_eq!(words("é", WordRule::Letters), ["é"]);
    }

    #[test]
    fn sentences_begin_in_lower_case_unless_with_a_name() {
        let text = "The lamp burns. It was lit by Anna. Anna left. The 12 lamps of 1788 and the lamp.";
        assert_eq!(words(text, WordRule::Sentences)[6], "by");
        let hashes = hashes(text, WordRule::Sentences);
        let words = words(text, WordRule::Sentences);
        let hash_of = |n: usize| hashes[n];
        assert_eq!((words[0], words[10]), ("The", "The"));
        assert_eq!(hash_of(0), hash_of(words.len() - 2), "the first word of a sentence is in lower case");
        assert_eq!(hash_of(7), hash_of(8), "a name keeps its capital");
        let numbers: Vec<u64> =
            words.iter().zip(&hashes).filter(|(word, _)| word.starts_with('1')).map(|(_, hash)| *hash).collect();
        assert_eq!(numbers[0], numbers[1]);
    }

    #[test]
    fn signs_of_programs_count() {
        assert_eq!(
            words("if (a_1 <= b) { c++; }", WordRule::Code),
            ["if", "(", "a_1", "<", "=", "b", ")", "{", "c", "+", "+", ";", "}"]
        );
    }

    proptest! {
        #[test]
        fn words_are_pieces_of_the_text_in_their_order(text in "\\PC{0,60}") {
            for rule in WordRule::ALL {
                let mut end = 0;
                tokens(&text, rule, |token| {
                    assert!(token.start as usize >= end && token.end > token.start);
                    end = token.end as usize;
                    assert!(text.get(token.start as usize..end).is_some());
                });
            }
        }
    }
}
