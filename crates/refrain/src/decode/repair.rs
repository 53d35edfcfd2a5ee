//! Texts that somebody decoded wrongly before, or put together from several encodings.

use encoding_rs::{UTF_8, WINDOWS_1252};

use super::charsets::Charset;
use super::guess::{Known, guess};
use super::{Decoded, Found, Repair, clean, utf8_or_not};

/// So many characters must come out right before a text is taken for doubly encoded.
const ENOUGH: usize = 2;

/// A guess at some lines must be this sure.
const SURE: f32 = 0.9;

/// Sets lines right that are UTF-8 taken for windows-1252 and encoded once more: `Ã©` becomes `é`.
pub(super) fn doubly_encoded(mut decoded: Decoded) -> Decoded {
    // The place of a NUL would be another one afterwards.
    if decoded.nuls.is_some() || !looks_doubly_encoded(decoded.text.as_bytes()) {
        return decoded;
    }
    let mut text = String::with_capacity(decoded.text.len());
    let mut set_right = 0;
    for line in decoded.text.split_inclusive('\n') {
        match once_less(line) {
            Some((line, characters)) => {
                set_right += characters;
                text.push_str(&line);
            }
            None => text.push_str(line),
        }
    }
    if set_right >= ENOUGH {
        decoded.text = text;
        decoded.repair = Some(Repair::DoubleEncoded { through: WINDOWS_1252.name() });
    }
    decoded
}

/// A quick look: letters of windows-1252 that begin a character of UTF-8, before letters that go on with one.
fn looks_doubly_encoded(bytes: &[u8]) -> bool {
    let goes_on = |&at: &usize| matches!(bytes.get(at + 2), Some(0xc2 | 0xc5 | 0xc6 | 0xcb | 0xe2));
    memchr::memchr_iter(0xc3, bytes).filter(goes_on).nth(ENOUGH - 1).is_some()
}

/// A line with one encoding taken off, and how many characters of several bytes that made.
fn once_less(line: &str) -> Option<(String, usize)> {
    if line.is_ascii() {
        return None;
    }
    let bytes = line.chars().map(byte_in_windows_1252).collect::<Option<Vec<u8>>>()?;
    let text = String::from_utf8(bytes).ok()?;
    let characters = text.chars().filter(|c| !c.is_ascii()).count();
    Some((text, characters))
}

/// The byte of a character in windows-1252; those that are none there stand for themselves.
fn byte_in_windows_1252(c: char) -> Option<u8> {
    match c {
        '\0'..='\u{7f}' | '\u{a0}'..='\u{ff}' | '\u{81}' | '\u{8d}' | '\u{8f}' | '\u{90}' | '\u{9d}' => {
            u8::try_from(u32::from(c)).ok()
        }
        _ => (0x80..=0x9f).find(|&byte| Charset::Standard(WINDOWS_1252).single(byte) == Some(c)),
    }
}

/// Decodes a text of which some lines are UTF-8 and others are not. None when all lines are of one kind, or the others
/// cannot be told.
pub(super) fn mixed(bytes: &[u8], found: Found) -> Option<Decoded> {
    let is_utf8 = |line: &&[u8]| {
        let (good, bad) = utf8_or_not(line);
        good > 0 && good >= bad
    };
    let lines = || bytes.split_inclusive(|byte| *byte == b'\n');
    let mut others = Vec::new();
    let (mut as_utf8, mut not) = (0, 0);
    for line in lines().filter(|line| !line.is_ascii()) {
        if is_utf8(&line) {
            as_utf8 += 1;
        } else {
            not += 1;
            others.extend_from_slice(line);
        }
    }
    if as_utf8 == 0 || not == 0 {
        return None;
    }
    let other = guess(&others, Known::default()).filter(|guess| guess.confidence >= SURE)?;
    let (mut text, mut losses) = (String::with_capacity(bytes.len()), 0);
    for line in lines() {
        let charset = if line.is_ascii() || is_utf8(&line) { Charset::Standard(UTF_8) } else { other.charset };
        let (line, lost) = charset.decode(line);
        text.push_str(&line);
        losses += lost;
    }
    let (charset, with, lines) = match as_utf8 >= not {
        true => (Charset::Standard(UTF_8), other.charset, not),
        false => (other.charset, Charset::Standard(UTF_8), as_utf8),
    };
    let repair = Some(Repair::Mixed { with: with.name(), lines });
    let language = Some(other.language).filter(|_| as_utf8 < not);
    Some(Decoded { repair, ..clean(text, Found { charset, language, ..found }, losses) })
}

#[cfg(test)]
mod tests {
    use super::super::{Hints, decode};
    use super::*;

    #[test]
    fn doubly_encoded_text_is_set_right() {
        let right = "Größe und Länge: “schön”, naïve cafés – 10 €";
        let wrong: String = right.bytes().map(|byte| WINDOWS_1252.decode(&[byte]).0.into_owned()).collect();
        let decoded = decode(wrong.into_bytes(), Hints::default()).expect("text");
        assert_eq!(decoded.text, right);
        assert_eq!(decoded.repair, Some(Repair::DoubleEncoded { through: "windows-1252" }));
    }

    #[test]
    fn text_that_is_right_stays() {
        for text in ["Größe und Länge", "SÃO PAULO é uma cidade", "Ã© is what é becomes", "Â 5"] {
            let decoded = decode(text.into(), Hints::default()).expect("text");
            assert_eq!((decoded.text.as_str(), decoded.repair), (text, None));
        }
    }

    #[test]
    fn lines_in_another_encoding_are_decoded_by_themselves() {
        let czech = "Příliš žluťoučký kůň úpěl ďábelské ódy, a pak šel domů.\n";
        let mut bytes = czech.repeat(3).into_bytes();
        bytes.extend(encoding_rs::WINDOWS_1250.encode(czech).0.iter());
        bytes.extend_from_slice(b"The end.\n");
        let decoded = decode(bytes, Hints::default()).expect("text");
        assert_eq!(decoded.text, czech.repeat(4) + "The end.\n");
        assert_eq!((decoded.encoding, decoded.losses), ("UTF-8", 0));
        assert_eq!(decoded.repair, Some(Repair::Mixed { with: "windows-1250", lines: 1 }));
    }
}
