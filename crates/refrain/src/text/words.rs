//! Words as passes compare them: letters and digits in lower case, by their hashes.

use super::scripts::is_unspaced;

/// The role of a character in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Part of a word.
    Inside,
    /// A word by itself: scripts that write no spaces.
    Alone,
    /// Between words.
    Outside,
}

/// The role of a byte in a word; zero separates words.
const INSIDE: u8 = 1;
const CAPITAL: u8 = 2;
const DIGIT: u8 = 4;
/// A part of a character that is not ASCII.
const WIDE: u8 = 8;
/// Directly before or after a word, it marks the word as a name, as in source code or an address.
const BEFORE_NAME: u8 = 16;
const BEHIND_NAME: u8 = 32;
/// Bytes that can be part of a word.
const OF_WORD: u8 = INSIDE | WIDE;

static BYTES: [u8; 256] = bytes();

const fn bytes() -> [u8; 256] {
    let mut table = [WIDE; 256];
    let mut at = 0;
    while at < 128 {
        table[at] = match at as u8 {
            b'A'..=b'Z' => INSIDE | CAPITAL,
            b'0'..=b'9' => INSIDE | DIGIT,
            b'a'..=b'z' | b'_' => INSIDE,
            b'`' | b'"' | b'/' | b'\\' | b'=' | b'<' | b'[' | b'*' => BEFORE_NAME | BEHIND_NAME,
            b'.' | b':' | b'-' | b'#' | b'@' | b'$' => BEFORE_NAME,
            b'(' => BEHIND_NAME,
            _ => 0,
        };
        at += 1;
    }
    table
}

/// No text has bytes such as the first ones of these: what is combined with them is never zero.
const SEED: u64 = 0xFFE2_9CE4_8422_2325;
const FACTOR: u64 = 0xFFE8_FEB8_6659_FD93;
/// Bits of the hash of a word.
const WORD_BITS: u32 = 47;
/// Makes ASCII letters small; of other parts of words it changes only the underscore, which becomes no other one.
const SMALL: u64 = 0x2020_2020_2020_2020;
const UNDERSCORE: u8 = b'_' | 0x20;

/// Multiplies, and combines both halves of the product, so that each bit depends on most bits of both.
#[inline]
fn folded(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    product as u64 ^ (product >> 64) as u64
}

/// Spreads what is in a hash over all of its bits.
#[inline]
pub(crate) fn mix(hash: u64) -> u64 {
    folded(hash ^ SEED, FACTOR)
}

/// A word: its position, its hash, and whether it may be a fact. A fact has a digit, begins with a capital, or is
/// written like a name in source code or an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// The hash of its letters in lower case: 47 bits, never zero.
    pub hash: u64,
    start: u32,
    /// Its length in bytes, twice, and one more when it is marked.
    tail: u32,
}

impl Word {
    /// A word of which no more is known than this.
    pub(crate) fn known_by(hash: u64, marked: bool) -> Word {
        Word { hash, start: 0, tail: u32::from(marked) }
    }

    /// Whether it has a digit, begins with a capital, or has a sign next to it that marks a name.
    pub fn marked(self) -> bool {
        self.tail & 1 == 1
    }

    /// Its range in the text, in bytes.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.start as usize + (self.tail >> 1) as usize
    }
}

/// Hands out the words of a text: stretches of letters, digits and underscores, whatever their case. Characters of scripts
/// without spaces are words by themselves.
///
/// ```
/// use refrain::text::words;
///
/// let of = |text: &str| { let mut all = Vec::new(); words(text, |word| all.push(word.hash)); all };
/// assert_eq!(of("The lamp, THE lamp."), of("the Lamp\nthe lamp"));
/// assert_eq!(of("灯台").len(), 2);
/// ```
pub fn words(text: &str, mut found: impl FnMut(Word)) {
    let bytes = text.as_bytes();
    let mut letters = Vec::new();
    // The word that reached the end of the last stretch, and whether it had a digit.
    let mut open: Option<(usize, bool)> = None;
    let mut at = 0;
    while at < bytes.len() {
        let stretch = Stretch::of(&bytes[at..]);
        if stretch.wide {
            let start = open.take().map_or(at, |(start, _)| start);
            at = plain_words(text, start, at + Stretch::LENGTH, &mut letters, &mut found);
            continue;
        }
        let mut end_word = |start: usize, end: usize, digit: bool| {
            found(word(hash(bytes, start, end, SMALL), is_marked(bytes, start, end, digit), start, end));
        };
        let mut inside = stretch.inside;
        if let Some((start, digit)) = open.take() {
            let length = inside.trailing_ones();
            let digit = digit || stretch.has_digit(0, length);
            if length == u64::BITS {
                open = Some((start, digit));
                at += Stretch::LENGTH;
                continue;
            }
            end_word(start, at + length as usize, digit);
            inside &= u64::MAX << length;
        }
        while inside != 0 {
            let start = inside.trailing_zeros();
            let length = (inside >> start).trailing_ones();
            let digit = stretch.has_digit(start, length);
            let first = at + start as usize;
            if start + length == u64::BITS {
                open = Some((first, digit));
                break;
            }
            end_word(first, first + length as usize, digit);
            inside &= u64::MAX << (start + length);
        }
        at += Stretch::LENGTH;
    }
    if let Some((start, digit)) = open {
        let end = bytes.len();
        found(word(hash(bytes, start, end, SMALL), is_marked(bytes, start, end, digit), start, end));
    }
}

/// A stretch of a text, a bit for each byte.
struct Stretch {
    /// Letters, digits and underscores.
    inside: u64,
    digits: u64,
    /// Whether it has non-ASCII characters; then the other fields are not used.
    wide: bool,
}

impl Stretch {
    const LENGTH: usize = 64;

    /// The start of a text, padded after its end.
    #[inline]
    fn of(bytes: &[u8]) -> Stretch {
        let mut padded = [0; Stretch::LENGTH];
        let bytes = bytes.first_chunk().unwrap_or_else(|| {
            padded[..bytes.len()].copy_from_slice(bytes);
            &padded
        });
        let mut stretch = Stretch { inside: 0, digits: 0, wide: false };
        let (eights, _) = bytes.as_chunks::<8>();
        let mut high = 0;
        for (n, eight) in eights.iter().enumerate() {
            let eight = u64::from_le_bytes(*eight);
            high |= eight & HIGH;
            let (letter, digit) = classes(eight & !HIGH);
            stretch.inside |= gathered(letter | digit) << (8 * n);
            stretch.digits |= gathered(digit) << (8 * n);
        }
        stretch.wide = high != 0;
        stretch
    }

    #[inline]
    fn has_digit(&self, start: u32, length: u32) -> bool {
        length > 0 && self.digits >> start << (u64::BITS - length) != 0
    }
}

/// The highest bit of each of eight bytes.
const HIGH: u64 = 0x8080_8080_8080_8080;

const fn each(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// The high bits of those of eight ASCII characters that are letters or underscores, and of those that are digits.
/// Adding to a byte carries into that bit from a certain character on.
#[inline]
fn classes(eight: u64) -> (u64, u64) {
    let from = |eight: u64, first: u8| eight + each(0x80 - first);
    let small = eight | SMALL;
    let letters = from(small, b'a') & !from(small, b'z' + 1);
    let digits = from(eight, b'0') & !from(eight, b'9' + 1);
    let underscores = !from(eight ^ each(b'_'), 1);
    ((letters | underscores) & HIGH, digits & HIGH)
}

/// The highest bits of eight bytes, together.
#[inline]
fn gathered(high: u64) -> u64 {
    (high >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// The same byte by byte, up to the first word that does not begin before `to`. Returns where that is.
fn plain_words(text: &str, from: usize, to: usize, letters: &mut Vec<u8>, found: &mut impl FnMut(Word)) -> usize {
    let bytes = text.as_bytes();
    let mut at = from;
    while at < bytes.len().min(to) {
        let first = BYTES[usize::from(bytes[at])];
        if first & OF_WORD == 0 {
            at += 1;
            continue;
        }
        let (start, mut seen) = (at, 0);
        let mut class = first;
        while class & INSIDE != 0 {
            seen |= class;
            at += 1;
            class = if at < bytes.len() { BYTES[usize::from(bytes[at])] } else { 0 };
        }
        if class & WIDE == 0 {
            let marked = seen & DIGIT != 0 || first & CAPITAL != 0 || is_name(bytes, start, at);
            found(word(hash(bytes, start, at, SMALL), marked, start, at));
        } else {
            at = wide_words(text, start, letters, found);
        }
    }
    at
}

/// True for a marked word. Evaluates every condition, since branches on names are hard to predict.
#[inline]
fn is_marked(bytes: &[u8], start: usize, end: usize, digit: bool) -> bool {
    digit | bytes[start].is_ascii_uppercase() | is_name(bytes, start, end)
}

/// True if a sign next to a word marks it as a name.
#[inline]
fn is_name(bytes: &[u8], start: usize, end: usize) -> bool {
    let class = |at: usize| bytes.get(at).map_or(0, |byte| BYTES[usize::from(*byte)]);
    (class(start.wrapping_sub(1)) & BEFORE_NAME | class(end) & BEHIND_NAME) != 0
}

#[inline]
fn word(hash: u64, marked: bool, start: usize, end: usize) -> Word {
    Word { hash, start: start as u32, tail: ((end - start) as u32) << 1 | u32::from(marked) }
}

/// The words of a stretch with characters that are not ASCII. Returns where the stretch ends.
fn wide_words(text: &str, from: usize, letters: &mut Vec<u8>, found: &mut impl FnMut(Word)) -> usize {
    let (mut marked, mut start) = (false, from);
    letters.clear();
    for (at, c) in text[from..].char_indices() {
        let (at, end) = (from + at, from + at + c.len_utf8());
        match class(c) {
            Class::Inside => {
                if letters.is_empty() {
                    (marked, start) = (c.is_uppercase(), at);
                }
                marked |= c.is_numeric();
                for lower in c.to_lowercase() {
                    letters.extend_from_slice(lower.encode_utf8(&mut [0; 4]).as_bytes());
                }
            }
            other => {
                if !letters.is_empty() {
                    found(word(end_of_word(letters), marked || is_name(text.as_bytes(), start, at), start, at));
                }
                if other == Class::Outside {
                    return end;
                }
                letters.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                found(word(end_of_word(letters), false, at, end));
            }
        }
    }
    if !letters.is_empty() {
        let marked = marked || is_name(text.as_bytes(), start, text.len());
        found(word(end_of_word(letters), marked, start, text.len()));
    }
    text.len()
}

/// The hash of the word that these letters make, as it is where all of them are ASCII.
fn end_of_word(letters: &mut Vec<u8>) -> u64 {
    letters.iter_mut().filter(|letter| **letter == b'_').for_each(|letter| *letter = UNDERSCORE);
    let hash = hash(letters, 0, letters.len(), 0);
    letters.clear();
    hash
}

/// The hash of a stretch of bytes, sixteen at a time, each with some bits set.
#[inline]
fn hash(bytes: &[u8], start: usize, end: usize, set: u64) -> u64 {
    let length = end - start;
    let hash = match bytes[start..].as_chunks::<8>().0 {
        // Most words.
        [first, second, ..] if length <= 16 => of_sixteen(SEED, *first, *second, length, set),
        _ => bytes[start..end].chunks(16).fold(SEED, |hash, some| {
            let mut eights = [[0; 8]; 2];
            eights.as_flattened_mut()[..some.len()].copy_from_slice(some);
            of_sixteen(hash, eights[0], eights[1], some.len(), set)
        }),
    };
    (hash >> (u64::BITS - WORD_BITS)).max(1)
}

#[inline]
fn of_sixteen(hash: u64, first: [u8; 8], second: [u8; 8], length: usize, set: u64) -> u64 {
    mix(folded(hash ^ part(first, length, set), FACTOR ^ part(second, length.saturating_sub(8), set)))
}

/// The first of eight bytes, with some bits set.
#[inline]
fn part(eight: [u8; 8], length: usize, set: u64) -> u64 {
    let none = u64::BITS - 8 * length.min(8) as u32;
    (u64::from_le_bytes(eight) | set) & u64::MAX.checked_shr(none).unwrap_or(0)
}

#[rustfmt::skip] // a table
fn class(c: char) -> Class {
    match c {
        _ if is_unspaced(c) => Class::Alone,
        // Signs above and below letters.
        '_' | '\u{300}'..='\u{36f}' | '\u{483}'..='\u{487}' | '\u{591}'..='\u{5c7}' | '\u{610}'..='\u{61a}'
        | '\u{64b}'..='\u{65f}' | '\u{900}'..='\u{dff}' => Class::Inside,
        _ if c.is_alphanumeric() => Class::Inside,
        _ => Class::Outside,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(text: &str) -> Vec<Word> {
        let mut all = Vec::new();
        words(text, |word| all.push(word));
        all
    }

    fn hashes(text: &str) -> Vec<u64> {
        of(text).iter().map(|word| word.hash).collect()
    }

    proptest! {
        #[test]
        fn stretches_and_bytes_give_the_same_words(text in "([a-zA-Z0-9_]{1,9}|[ ,.@`\\[{/:^\n]{1,3}|[é灯Ä’\u{7f}]|[a-z]{60,140}){0,60}") {
            let mut plain = Vec::new();
            plain_words(&text, 0, text.len(), &mut Vec::new(), &mut |word| plain.push(word));
            prop_assert_eq!(of(&text), plain);
        }
    }

    #[test]
    fn words_know_their_position() {
        let text = "The naïve—lamp灯台, of 1999";
        let words: Vec<&str> = of(text).iter().map(|word| &text[word.range()]).collect();
        assert_eq!(words, ["The", "naïve", "lamp", "灯", "台", "of", "1999"]);
    }

    #[test]
    fn words_are_letters_and_digits_in_any_case() {
        assert_eq!(of("Don't go_on 1999!").len(), 4);
        assert_eq!(hashes("ÄRGER  straße"), hashes("Ärger\tStraße"));
        assert_eq!(of(" \n--- "), []);
        assert_ne!(hashes("ab c"), hashes("a bc"));
        // A word has one hash however it is reached: next to other signs, at the end of the text, in eights or less.
        for word in ["a", "abcdefg", "abcdefgh", "Abcdefghi", "x_1", "abcdefghijklmnopq", "naïve_Café9"] {
            let alone = of(word);
            assert_eq!(alone.len(), 1);
            for around in [
                format!("{word} and more words"),
                format!("{word}’s 灯"),
                format!("{word}\u{2014}"),
                word.to_uppercase(),
            ] {
                assert_eq!(of(&around)[0].hash, alone[0].hash, "{around}");
            }
        }
    }

    #[test]
    fn capitals_and_digits_mark_facts() {
        let marked: Vec<bool> = of("on Monday at 5pm room b12").iter().map(|word| word.marked()).collect();
        assert_eq!(marked, [false, true, false, true, false, true]);
        let marked = |text: &str| of(text).iter().map(|word| word.marked()).collect::<Vec<_>>();
        assert_eq!(marked("the at() of `state`, (so) a.b"), [false, true, false, true, false, false, true]);
    }

    #[test]
    fn scripts_without_spaces_have_a_word_a_character() {
        assert_eq!(of("灯台は明るい").len(), 6);
        assert_eq!(of("abc灯d").len(), 3);
        assert_eq!(hashes("Abc灯d_9"), [hashes("Abc"), hashes("灯"), hashes("d_9")].concat());
    }
}
