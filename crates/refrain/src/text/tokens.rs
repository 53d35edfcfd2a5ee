//! The tokeniser of vertical files and of token counts.
//!
//! Words and punctuation by the word boundaries of Unicode (UAX #29); addresses of the web and of mail stay whole.

use unicode_segmentation::UnicodeSegmentation;

/// A token, and whether white space precedes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    /// The token.
    pub text: &'a str,
    /// True when it is glued to the token before it (`<g/>` in vertical files).
    pub glued: bool,
}

/// The tokens of a text.
///
/// ```
/// let tokens: Vec<&str> = refrain::text::tokens("Don't go (yet).").map(|token| token.text).collect();
/// assert_eq!(tokens, ["Don't", "go", "(", "yet", ")", "."]);
/// ```
pub fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    text.split_whitespace().flat_map(|chunk| {
        let mut first = true;
        pieces(chunk).map(move |text| Token { text, glued: !std::mem::replace(&mut first, false) })
    })
}

/// Cuts a stretch without white space.
fn pieces(chunk: &str) -> impl Iterator<Item = &str> {
    let (before, address, after) = split_address(chunk);
    before.split_word_bounds().chain((!address.is_empty()).then_some(address)).chain(after.split_word_bounds())
}

/// Finds a web or mail address inside a stretch without white space: what precedes it, the address, what follows it.
fn split_address(chunk: &str) -> (&str, &str, &str) {
    // Most chunks are words: leave early.
    if !chunk.bytes().any(|byte| matches!(byte, b'/' | b'@')) && !chunk.contains("www.") {
        return (chunk, "", "");
    }
    let start = ["https://", "http://", "ftp://", "www."].iter().filter_map(|prefix| chunk.find(prefix)).min();
    let (start, end) = match start {
        Some(start) => (start, chunk.len()),
        None => match mail_address(chunk) {
            Some(range) => range,
            None => return (chunk, "", ""),
        },
    };
    let closing =
        |c: char| matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '"' | '\'' | ')' | ']' | '>' | '»' | '”' | '’');
    let address = &chunk[start..end];
    let end = start + address.find(['<', '>', '"']).unwrap_or(address.len());
    let end = start + chunk[start..end].trim_end_matches(closing).len();
    (&chunk[..start], &chunk[start..end], &chunk[end..])
}

/// The number of words, as `wc -w` counts them, and of [`tokens`].
///
/// Finding all word boundaries of Unicode takes longer than all else that is done with a document. Only their number is needed here,
/// and letters, digits and frequent signs follow a few of the rules, so the rules are applied to these directly.
pub(crate) fn count_words_and_tokens(text: &str) -> (u64, u64) {
    let (mut words, mut count) = (0, 0);
    for chunk in text.split_whitespace() {
        words += 1;
        // Most chunks are plain words.
        if chunk.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            count += 1;
            continue;
        }
        let (before, address, after) = split_address(chunk);
        count += count_pieces(before) + u64::from(!address.is_empty()) + count_pieces(after);
    }
    (words, count)
}

/// The part that a character has in the rules of word boundaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Letter,
    Digit,
    /// It joins letters and digits: the underscore.
    Joiner,
    /// It joins letters if it is between two, or digits, or both.
    BetweenLetters,
    BetweenDigits,
    BetweenBoth,
    /// It is a piece by itself.
    Alone,
    /// Only the complete rules say so.
    Other,
}

static ASCII: [Part; 128] = ascii();

const fn ascii() -> [Part; 128] {
    let mut table = [Part::Alone; 128];
    let mut at = 0;
    while at < 128 {
        table[at] = match at as u8 {
            b'a'..=b'z' | b'A'..=b'Z' => Part::Letter,
            b'0'..=b'9' => Part::Digit,
            b'_' => Part::Joiner,
            b':' => Part::BetweenLetters,
            b',' | b';' => Part::BetweenDigits,
            b'.' | b'\'' => Part::BetweenBoth,
            0..=31 | 127 => Part::Other,
            _ => Part::Alone,
        };
        at += 1;
    }
    table
}

fn part_of(character: char) -> Part {
    match character {
        '\0'..='\x7f' => ASCII[character as usize],
        // Latin, Greek, Cyrillic and Korean letters.
        '\u{c0}'..='\u{d6}'
        | '\u{d8}'..='\u{f6}'
        | '\u{f8}'..='\u{24f}'
        | '\u{391}'..='\u{3a1}'
        | '\u{3a3}'..='\u{3ce}'
        | '\u{400}'..='\u{481}'
        | '\u{ac00}'..='\u{d7a3}' => Part::Letter,
        '\u{2018}' | '\u{2019}' => Part::BetweenBoth,
        // Dashes, quotation marks, bullets, an ellipsis; Chinese characters.
        '\u{ab}'
        | '\u{b0}'
        | '\u{bb}'
        | '\u{2010}'..='\u{2015}'
        | '\u{201a}'..='\u{2023}'
        | '\u{2026}'
        | '\u{3001}'
        | '\u{3002}'
        | '\u{4e00}'..='\u{9fff}' => Part::Alone,
        _ => Part::Other,
    }
}

/// The number of pieces between word boundaries.
fn count_pieces(chunk: &str) -> u64 {
    let mut characters = chunk.chars();
    let Some(first) = characters.next() else { return 0 };
    // The two parts before the one in hand.
    let (mut before, mut last) = (Part::Alone, part_of(first));
    let mut unknown = last == Part::Other;
    let mut pieces = 1;
    for character in characters {
        let part = part_of(character);
        unknown |= part == Part::Other;
        let joins = match (last, part) {
            (Part::Letter | Part::Digit | Part::Joiner, Part::Letter | Part::Digit | Part::Joiner) => true,
            // What is between two others was counted as two pieces.
            (Part::BetweenLetters | Part::BetweenBoth, Part::Letter) if before == Part::Letter => {
                pieces -= 1;
                true
            }
            (Part::BetweenDigits | Part::BetweenBoth, Part::Digit) if before == Part::Digit => {
                pieces -= 1;
                true
            }
            _ => false,
        };
        pieces += u64::from(!joins);
        (before, last) = (last, part);
    }
    if unknown { chunk.split_word_bounds().count() as u64 } else { pieces }
}

fn mail_address(chunk: &str) -> Option<(usize, usize)> {
    let at = chunk.find('@')?;
    let local = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '+' | '%');
    let start = chunk[..at].char_indices().rev().take_while(|&(_, c)| local(c)).last()?.0;
    let host = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-');
    let length: usize = chunk[at + 1..].chars().take_while(|&c| host(c)).map(char::len_utf8).sum();
    let end = at + 1 + length;
    chunk[at + 1..end].trim_end_matches('.').contains('.').then_some((start, end))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn split(text: &str) -> Vec<String> {
        tokens(text).map(|t| format!("{}{}", if t.glued { "+" } else { "" }, t.text)).collect()
    }

    #[test]
    fn punctuation_is_cut_off_and_glued() {
        assert_eq!(split("He said: \"No.\""), ["He", "said", "+:", "\"", "+No", "+.", "+\""]);
    }

    fn counted(text: &str) -> (u64, u64) {
        (text.split_whitespace().count() as u64, tokens(text).count() as u64)
    }

    proptest! {
        #[test]
        fn counts_are_those_of_the_tokens(
            text in "([a-zA-Z0-9._:;,'@/\u{2019}\u{e9}\u{43f}\u{d7} \u{a0}\u{301}\u{30ab}\u{4e2d}\u{5d0}\"-]|www\\.|http://){0,60}",
            any in "\\PC{0,40}",
        ) {
            prop_assert_eq!(count_words_and_tokens(&text), counted(&text));
            prop_assert_eq!(count_words_and_tokens(&any), counted(&any));
        }
    }

    #[test]
    fn every_character_plays_its_part() {
        for character in (0..=0x1_ffff).filter_map(char::from_u32).filter(|&c| part_of(c) != Part::Other) {
            for text in [
                "x",
                "ax",
                "xa",
                "axa",
                "1x1",
                "a1x",
                "_x",
                "x_",
                "'x",
                "a'x'a",
                "1'x'1",
                "\u{4e2d}x",
                "xx",
                "axxa",
                "1xx1",
            ] {
                let text = text.replace('x', &character.to_string());
                assert_eq!(count_words_and_tokens(&text), counted(&text), "{text:?}");
            }
        }
    }

    #[test]
    fn addresses_are_not_divided() {
        assert_eq!(
            split("(see https://a.example/x?y=1&z=2)."),
            ["(", "+see", "https://a.example/x?y=1&z=2", "+)", "+."]
        );
        assert_eq!(split("write to a.b@c.example, please"), ["write", "to", "a.b@c.example", "+,", "please"]);
        assert_eq!(split("@home a@b"), ["@", "+home", "a", "+@", "+b"]);
    }

    #[test]
    fn numbers_are_not_divided() {
        assert_eq!(split("3.14 1,000"), ["3.14", "1,000"]);
    }

    #[test]
    fn tokens_and_glue_give_the_text_back() {
        let text = "Ein Haus, \u{201e}alt\u{201c} -- www.x.example! 漢字かな a@b.cd. <p>";
        let mut back = String::new();
        for token in tokens(text) {
            if !token.glued && !back.is_empty() {
                back.push(' ');
            }
            back.push_str(token.text);
        }
        assert_eq!(back, text);
    }
}
