//! Letters as the language models see them.

use std::sync::LazyLock;

/// The separator of words.
pub(super) const SPACE: u16 = b' ' as u16;

/// The symbols of characters below this are in a table: most alphabets are there.
const TABLE: usize = 0x1000;

/// A character as a letter in lower case, or [`SPACE`] if it is not a letter.
#[inline]
pub(super) fn symbol(c: char) -> u16 {
    static SYMBOLS: LazyLock<[u16; TABLE]> =
        LazyLock::new(|| std::array::from_fn(|at| char::from_u32(at as u32).map_or(SPACE, work_out)));
    match c {
        'a'..='z' => c as u16,
        'A'..='Z' => c.to_ascii_lowercase() as u16,
        '\0'..='\x7f' => SPACE,
        // Chinese characters and Korean syllables.
        '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' => u32::from(c) as u16,
        _ => SYMBOLS.get(u32::from(c) as usize).copied().unwrap_or_else(|| work_out(c)),
    }
}

fn work_out(c: char) -> u16 {
    match c {
        'ª' | 'º' => SPACE,
        // Romanian has commas below its letters; older charsets have cedillas only.
        'ș' | 'Ș' => 'ş' as u16,
        'ț' | 'Ț' => 'ţ' as u16,
        _ if is_letter(c) => {
            let lower = c.to_lowercase().next().unwrap_or(c);
            u16::try_from(u32::from(lower)).unwrap_or(SPACE)
        }
        _ => SPACE,
    }
}

/// Letters, and the signs that many scripts write above, below and between them.
fn is_letter(c: char) -> bool {
    let sign = || {
        let punctuation = matches!(c, '\u{2000}'..='\u{2bff}' | '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ff65}');
        c >= '\u{300}' && !punctuation && !c.is_numeric()
    };
    c.is_alphabetic() || sign()
}

/// Hands out the symbols of a text, runs of spaces as one.
pub fn symbols(text: &str) -> impl Iterator<Item = u16> {
    let mut last = 0;
    text.chars().map(symbol).filter(move |&symbol| {
        let again = symbol == SPACE && last == SPACE;
        last = symbol;
        !again
    })
}

/// The letters with tone marks of Vietnamese, and the same letters without, tone by tone.
pub(crate) const TONES: [(char, &str); 5] = [
    ('\u{300}', "àằầèềìòồờùừỳ"),
    ('\u{301}', "áắấéếíóốớúứý"),
    ('\u{309}', "ảẳẩẻểỉỏổởủửỷ"),
    ('\u{303}', "ãẵẫẽễĩõỗỡũữỹ"),
    ('\u{323}', "ạặậẹệịọộợụựỵ"),
];
pub(crate) const TONELESS: &str = "aăâeêioôơuưy";

/// Text in lower case with the tone marks of Vietnamese after their letters, as in windows-1258.
pub fn with_tones_apart(text: &str) -> String {
    let mut apart = String::with_capacity(text.len());
    for c in text.chars().flat_map(char::to_lowercase) {
        let tone = TONES.iter().find_map(|(mark, letters)| Some((*mark, letters.chars().position(|l| l == c)?)));
        match tone.and_then(|(mark, at)| Some((TONELESS.chars().nth(at)?, mark))) {
            Some((letter, mark)) => apart.extend([letter, mark]),
            None => apart.push(c),
        }
    }
    apart
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> String {
        String::from_utf16(&symbols(text).collect::<Vec<_>>()).expect("letters")
    }

    #[test]
    fn letters_become_lower_case_and_the_rest_is_space() {
        assert_eq!(of("Łódź, 1999 – Ș!"), "łódź ş ");
        assert_eq!(of("ภาษาไทย 12"), "ภาษาไทย ");
    }

    #[test]
    fn tone_marks_come_apart() {
        assert_eq!(with_tones_apart("Tiếng Việt"), "tiê\u{301}ng viê\u{323}t");
    }
}
