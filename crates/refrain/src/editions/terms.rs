//! Words as editions compare them: letters in lower case, with a position that survives bad scans.
//!
//! A word is a stretch of letters without their accents. Digits and punctuation are removed, as published, and an
//! apostrophe inside a word joins its two parts. In scripts without spaces, every two neighbouring characters count as
//! a word (four in the scripts of South-East Asia, whose characters carry less information).
//!
//! The position of a word is not its byte offset. Two editions differ in line ends, indents and punctuation, and
//! scanners read spaces as letters and letters as specks. So a stretch of letters and digits counts its length plus
//! one, and a single separate character counts nothing. A space misread as a letter does not shift the text after it.

use unicode_normalization::char::{decompose_canonical, is_combining_mark};

use super::hash;
use crate::text::scripts::{is_chinese_or_japanese, is_phonetic_katakana, is_southeast_asian};

/// A word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Term {
    /// The hash of its lower-case letters, 40 bits.
    pub key: u64,
    /// Its position in the text, in letters.
    pub position: u32,
    /// Its first byte.
    pub byte: u32,
    /// Its length in bytes; 0 if it is more than 255.
    pub bytes: u8,
    /// Its length in letters, at most 255; a character of a script without spaces counts as two.
    pub letters: u8,
}

/// The classes of ASCII bytes.
const OTHER: u8 = 0;
const LETTER: u8 = 1;
const DIGIT: u8 = 2;
const APOSTROPHE: u8 = 3;
const WIDE: u8 = 4;

static BYTES: [u8; 256] = {
    let mut table = [WIDE; 256];
    let mut at = 0;
    while at < 128 {
        table[at] = match at as u8 {
            b'a'..=b'z' | b'A'..=b'Z' => LETTER,
            b'0'..=b'9' => DIGIT,
            b'\'' => APOSTROPHE,
            _ => OTHER,
        };
        at += 1;
    }
    table
};

/// The class of a non-ASCII character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Digit,
    Apostrophe,
    /// Of a script without spaces, with the number of characters that count as a word.
    Alone(u8),
    Other,
}

fn class(character: char) -> Class {
    match character {
        // Apostrophes, combining accents, soft hyphens and joiners do not end a word.
        '\'' | '\u{2019}' | '\u{02BC}' | '\u{0300}'..='\u{036F}' | '\u{00AD}' | '\u{200C}' | '\u{200D}' => {
            Class::Apostrophe
        }
        _ if !character.is_alphabetic() => match character {
            _ if character.is_numeric() => Class::Digit,
            // Marks of other scripts: tone signs, vowel signs, conjunct signs.
            _ if is_combining_mark(character) => Class::Apostrophe,
            _ => Class::Other,
        },
        _ if is_chinese_or_japanese(character) || is_phonetic_katakana(character) => Class::Alone(2),
        _ if is_southeast_asian(character) => Class::Alone(4),
        _ => Class::Letter,
    }
}

/// The state of the stretch of letters and digits being read.
#[derive(Default)]
struct Stretch {
    /// Letters and digits so far.
    length: u32,
    /// Where the current word begins, in letters of the stretch and in bytes.
    word: Option<(u32, usize)>,
    /// The letters of the current word, if it is not plain ASCII.
    letters: Vec<u8>,
    /// The number of those letters.
    count: u32,
}

/// Calls `found` with the words of a text, and returns its length in letters.
pub(crate) fn terms(text: &str, mut found: impl FnMut(Term)) -> u32 {
    let bytes = text.as_bytes();
    let mut position: u32 = 0;
    let mut at = 0;
    let mut stretch = Stretch::default();
    while at < bytes.len() {
        // Fast path for nearly all words: plain letters between two ASCII characters that belong to no word.
        let start = at;
        while at < bytes.len() && BYTES[usize::from(bytes[at])] == LETTER {
            at += 1;
        }
        let behind = bytes.get(at).map_or(OTHER, |&byte| BYTES[usize::from(byte)]);
        if behind == OTHER {
            let length = (at - start) as u32;
            if length > 0 {
                let (size, letters) = (u8::try_from(length).unwrap_or(0), length.min(255) as u8);
                found(Term {
                    key: hash::letters(&bytes[start..at]),
                    position,
                    byte: start as u32,
                    bytes: size,
                    letters,
                });
            }
            if length > 1 {
                position = position.saturating_add(length + 1);
            }
            at += 1;
            continue;
        }
        at = odd(text, start, position, &mut stretch, &mut found);
        if stretch.length > 1 {
            position = position.saturating_add(stretch.length + 1);
        }
    }
    position
}

/// Reads a stretch of letters and digits that is not plain. Returns its end.
fn odd(text: &str, start: usize, position: u32, stretch: &mut Stretch, found: &mut impl FnMut(Term)) -> usize {
    (stretch.length, stretch.count, stretch.word) = (0, 0, None);
    stretch.letters.clear();
    // The last characters of a script without spaces, each with its byte and its position.
    let mut alone: [(char, usize, u32); 4] = [('\0', 0, 0); 4];
    let mut run: usize = 0;
    for (offset, character) in text[start..].char_indices() {
        let at = start + offset;
        let kind = class(character);
        if kind != Class::Letter && kind != Class::Apostrophe {
            stretch.end_word(position, at, found);
        }
        match kind {
            Class::Letter => {
                if stretch.word.is_none() {
                    stretch.word = Some((stretch.length, at));
                }
                stretch.count += 1;
                stretch.length += 1;
                let letters = &mut stretch.letters;
                for lower in character.to_lowercase() {
                    decompose_canonical(lower, |part| {
                        // Accents do not count: they can be part of their letter or follow it, and scanners lose them.
                        if class(part) != Class::Apostrophe {
                            letters.extend_from_slice(part.encode_utf8(&mut [0; 4]).as_bytes());
                        }
                    });
                }
            }
            Class::Digit => stretch.length += 1,
            Class::Apostrophe => {}
            Class::Alone(wanted) => {
                let wanted = usize::from(wanted);
                alone[run % 4] = (character, at, stretch.length);
                run += 1;
                stretch.length += 2;
                if run >= wanted {
                    let first = alone[(run - wanted) % 4];
                    for n in run - wanted..run {
                        let mut buffer = [0; 4];
                        stretch.letters.extend_from_slice(alone[n % 4].0.encode_utf8(&mut buffer).as_bytes());
                    }
                    let key = hash::lower(&stretch.letters);
                    stretch.letters.clear();
                    let size = u8::try_from(at + character.len_utf8() - first.1).unwrap_or(0);
                    let place = position.saturating_add(first.2);
                    found(Term { key, position: place, byte: first.1 as u32, bytes: size, letters: 2 * wanted as u8 });
                }
            }
            Class::Other => return at + character.len_utf8(),
        }
        if matches!(kind, Class::Letter | Class::Digit) {
            run = 0;
        }
    }
    stretch.end_word(position, text.len(), found);
    text.len()
}

impl Stretch {
    fn end_word(&mut self, position: u32, end: usize, found: &mut impl FnMut(Term)) {
        if let Some((place, byte)) = self.word.take() {
            found(Term {
                key: hash::lower(&self.letters),
                position: position.saturating_add(place),
                byte: byte as u32,
                bytes: u8::try_from(end - byte).unwrap_or(0),
                letters: self.count.min(255) as u8,
            });
            self.letters.clear();
            self.count = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unicode_normalization::UnicodeNormalization;

    use super::*;

    fn all(text: &str) -> Vec<Term> {
        let mut all = Vec::new();
        terms(text, |term| all.push(term));
        all
    }

    #[test]
    fn case_punctuation_and_numbers_do_not_count() {
        let of = |text: &str| all(text).iter().map(|term| term.key).collect::<Vec<_>>();
        assert_eq!(of("The lamp's light: 1893."), of("the LAMPS\n_light_"));
        assert_eq!(of("灯台の光").len(), 3);
    }

    /// The same, implemented directly from the description.
    fn plain(text: &str) -> (Vec<(Vec<u8>, u32, usize)>, u32) {
        let mut words = Vec::new();
        let mut position = 0;
        let characters: Vec<(usize, char)> = text.char_indices().collect();
        for stretch in characters.split(|(_, c)| class(*c) == Class::Other) {
            let mut length = 0;
            let mut open: Option<(Vec<u8>, u32, usize)> = None;
            for (at, c) in stretch {
                match class(*c) {
                    Class::Letter => {
                        let word = open.get_or_insert((Vec::new(), position + length, *at));
                        let lower = c.to_lowercase().nfd().filter(|c| !is_combining_mark(*c));
                        word.0.extend(lower.collect::<String>().bytes());
                        length += 1;
                    }
                    Class::Digit => {
                        words.extend(open.take());
                        length += 1;
                    }
                    _ => {}
                }
            }
            words.extend(open.take());
            if length > 1 {
                position += length + 1;
            }
        }
        (words, position)
    }

    #[test]
    fn words_have_places_that_spaces_do_not_move() {
        let places = |text: &str| all(text).iter().map(|term| term.position).collect::<Vec<_>>();
        assert_eq!(places("the keeper lit the lamp"), [0, 4, 11, 15, 19]);
        assert_eq!(places("the   keeper,\n\n\tlit -- the lamp"), [0, 4, 11, 15, 19]);
        assert_eq!(places("the x keeper"), [0, 4, 4], "a speck shifts nothing");
        assert_eq!(*places("thexkeeper lamp").last().unwrap_or(&0), 11, "nor does a space that became a letter");
    }

    #[test]
    fn scripts_without_spaces_have_words_too() {
        assert_eq!(all("灯台の光").len(), 3);
        assert_eq!(all("灯台の光")[1].byte, 3);
        assert_eq!(all("灯 台").len(), 0, "one character is no word");
        assert_eq!(all("ประภาคาร").len(), 5);
        assert_eq!(all("маяк ночью").len(), 2);
        assert_eq!(all("МАЯК")[0].key, all("маяк")[0].key);
        assert_eq!(all("प्रकाश स्तंभ").len(), 2, "the sign of a conjunct is inside of a word");
        assert_eq!(all("ที่นี่").len(), all("ทีนี").len(), "signs of tones stand on letters");
    }

    #[test]
    fn accents_do_not_count_however_they_are_written() {
        let keys = |text: &str| all(text).iter().map(|term| term.key).collect::<Vec<_>>();
        assert_eq!(keys("Café naïve Ångström"), keys("Cafe\u{301} nai\u{308}ve angstrom"));
        assert_eq!(keys("ব\u{9BE}\u{9DC}ি"), keys("ব\u{9BE}\u{9A1}\u{9BC}ি"));
        assert_ne!(keys("straße"), keys("strase"));
    }

    #[test]
    fn ranges_cover_the_words() {
        let text = "Café d’été, don't";
        let found: Vec<&str> =
            all(text).iter().map(|t| &text[t.byte as usize..t.byte as usize + usize::from(t.bytes)]).collect();
        assert_eq!(found, ["Café", "d’été", "don't"]);
    }

    #[test]
    fn a_word_without_end_has_no_length() {
        let long = "é".repeat(200);
        assert_eq!((all(&long)[0].bytes, all(&long)[0].letters), (0, 200));
        assert_eq!(all(&"x".repeat(300))[0].bytes, 0);
    }

    proptest! {
        #[test]
        fn fast_and_plain_agree(text in "[a-cA-C0-2éß’' ,\n_-]{0,60}") {
            let (words, length) = plain(&text);
            let mut found = Vec::new();
            prop_assert_eq!(terms(&text, |term| found.push((term.key, term.position, term.byte as usize))), length);
            let wanted: Vec<_> = words.iter().map(|(w, place, byte)| (hash::lower(w), *place, *byte)).collect();
            prop_assert_eq!(found, wanted);
        }

        #[test]
        fn any_text_is_read(text in any::<String>()) {
            terms(&text, |term| {
                assert!(text.is_char_boundary(term.byte as usize));
                assert!(text.is_char_boundary(term.byte as usize + usize::from(term.bytes)));
            });
        }
    }
}
