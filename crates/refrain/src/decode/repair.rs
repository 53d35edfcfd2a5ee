//! Repairs texts that were decoded wrongly before, or combined from several encodings.

use encoding_rs::{UTF_8, WINDOWS_1252};

use super::charsets::Charset;
use super::guess::{Known, guess};
use super::{Decoded, Found, Repair, clean, language_of, utf8_or_not};

/// So many characters must come out right before a text is taken for doubly encoded.
const ENOUGH: usize = 2;

/// This many multi-byte characters do not occur in one line by chance.
const SEVERAL: usize = 3;

/// A guess at some lines must be this sure.
const SURE: f32 = 0.9;

/// Repairs lines of UTF-8 that were mistaken for windows-1252 and encoded again: `Ã©` becomes `é`. `None` if there is
/// nothing to repair.
pub(super) fn doubly_encoded(text: &str) -> Option<(String, Repair)> {
    if !looks_doubly_encoded(text.as_bytes()) {
        return None;
    }
    let mut right = String::with_capacity(text.len());
    let mut set_right = 0;
    for line in text.split_inclusive('\n') {
        match once_less(line) {
            Some((line, characters)) => {
                set_right += characters;
                right.push_str(&line);
            }
            None => right.push_str(line),
        }
    }
    let repair = Repair::DoubleEncoded { through: WINDOWS_1252.name() };
    (set_right >= ENOUGH).then_some((right, repair))
}

/// A quick look: letters of windows-1252 that begin a character of UTF-8, before letters that continue one.
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

/// What the bytes 80 to 9f are in windows-1252.
#[rustfmt::skip] // a table
const FROM_80: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// The byte of a character in windows-1252.
fn byte_in_windows_1252(c: char) -> Option<u8> {
    match c {
        // Those from 80 to 9f are what ISO-8859-1 makes of these bytes.
        '\0'..='\u{ff}' => u8::try_from(u32::from(c)).ok(),
        _ => (0x80..).zip(FROM_80).find(|(_, known)| *known == c).map(|(byte, _)| byte),
    }
}

/// True for a line of UTF-8 in a text with another detected encoding. Short lines can be valid by chance, especially in
/// multi-byte encodings: 通知 in GBK is two letters in UTF-8.
fn is_utf8(line: &[u8], detected: Charset) -> bool {
    let (good, bad) = utf8_or_not(line);
    if detected == Charset::Standard(UTF_8) {
        return good > 0 && good >= bad;
    }
    let convincing = good >= SEVERAL && good >= 4 * bad || bad == 0 && has_typographic_sign(line);
    // Where nothing is bad, these are the first bytes of characters of three bytes or four.
    let long = || line.iter().filter(|byte| **byte >= 0xe0).count();
    convincing && (!detected.has_wide_characters() || bad == 0 && long() > SEVERAL || detected.decode(line).1 > 0)
}

/// Quotation marks, dashes, ellipses and the euro sign: in single-byte encodings, their three bytes are not letters
/// that occur together.
fn has_typographic_sign(line: &[u8]) -> bool {
    memchr::memchr_iter(0xe2, line).any(|at| matches!(line[at + 1..], [0x80, 0x90..=0xa6, ..] | [0x82, 0xac, ..]))
}

/// Decodes a text of which some lines are UTF-8 and others are not. `None` if all lines are of one kind, or the
/// encoding of the others is unknown.
pub(super) fn mixed(bytes: &[u8], found: Found, known: Known<'_>) -> Option<Decoded> {
    let is_utf8 = |line: &[u8]| is_utf8(line, found.charset);
    let lines = || bytes.split_inclusive(|byte| *byte == b'\n');
    let mut others = Vec::new();
    let (mut as_utf8, mut not) = (0, 0);
    for line in lines().filter(|line| !line.is_ascii()) {
        if is_utf8(line) {
            as_utf8 += 1;
        } else {
            not += 1;
            others.extend_from_slice(line);
        }
    }
    if as_utf8 == 0 || not == 0 {
        return None;
    }
    let other = guess(&others, known).or_else(|| guess(&others, Known { language: None, ..known }));
    let other = other.filter(|guess| guess.confidence >= SURE)?;
    let (mut text, mut losses) = (String::with_capacity(bytes.len()), 0);
    for line in lines() {
        let charset = if line.is_ascii() || is_utf8(line) { Charset::Standard(UTF_8) } else { other.charset };
        let (line, lost) = charset.decode(line);
        text.push_str(&line);
        losses += lost;
    }
    let (charset, with, lines) = match as_utf8 >= not {
        true => (Charset::Standard(UTF_8), other.charset, not),
        false => (other.charset, Charset::Standard(UTF_8), as_utf8),
    };
    let repair = Some(Repair::Mixed { with: with.name(), lines });
    let language = language_of(&text).or(Some(other.language).filter(|_| as_utf8 < not));
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
    fn doubly_encoded_text_is_set_right_in_all_encodings_of_unicode() {
        let right = "Größe und Länge: schön, naïve cafés für alle, über Ämter\n";
        let wrong: String = right.bytes().map(|byte| WINDOWS_1252.decode(&[byte]).0.into_owned()).collect();
        let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
        let spoilt = [wrong.repeat(3).as_bytes(), b"One spoilt byte: \xff\n"].concat();
        for (bytes, text) in [
            (format!("\u{feff}{wrong}").into_bytes(), right.to_owned()),
            (utf16(&wrong), right.to_owned()),
            (utf16(&format!("\u{feff}{wrong}")), right.to_owned()),
            (format!("{wrong}\0\n").into_bytes(), format!("{right}\u{fffd}\n")),
            (spoilt, format!("{}One spoilt byte: \u{fffd}\n", right.repeat(3))),
        ] {
            let decoded = decode(bytes, Hints::default()).expect("text");
            assert_eq!((decoded.text.as_str(), decoded.language), (text.as_str(), Some("de")));
            assert_eq!(decoded.repair, Some(Repair::DoubleEncoded { through: "windows-1252" }));
            assert!(decoded.nuls.is_none_or(|nuls| nuls == (right.len(), 1)), "{:?}", decoded.nuls);
        }
    }

    #[test]
    fn text_that_is_right_is_kept() {
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

    #[test]
    fn the_table_is_that_of_the_standard() {
        for (byte, c) in (0x80..).zip(FROM_80) {
            assert_eq!(Charset::Standard(WINDOWS_1252).single(byte), Some(c));
            assert_eq!(byte_in_windows_1252(c), Some(byte));
        }
    }

    #[test]
    fn short_lines_that_are_utf8_by_chance_are_decoded_as_the_rest() {
        let chinese = "通知\n各位同事：今天下午三点在会议室召开全体会议，请大家准时参加，不得迟到。\n\
            会议内容包括年度工作总结和明年计划安排，请各部门负责人准备好材料。\n";
        let russian = "Ещё\nВ доме моём её не было, и никто не знал, куда она ушла.\nеё\nНа столе лежала её книга.\n";
        for (text, encoding) in [(chinese, encoding_rs::GBK), (russian, encoding_rs::KOI8_R)] {
            let decoded = decode(encoding.encode(text).0.into_owned(), Hints::default()).expect("text");
            assert_eq!((decoded.text.as_str(), decoded.repair), (text, None));
        }
        let dos = Charset::for_label("IBM866").expect("an encoding");
        assert!(!is_utf8(b"\xe3\xac\xa0", dos), "ума");
        assert!(!is_utf8(b"\xe2\xa5\xac\xa0", dos), "тема");
        assert!(is_utf8("Übergröße".as_bytes(), Charset::Standard(WINDOWS_1252)));
        assert!(is_utf8("“Yes”".as_bytes(), dos));
    }

    #[test]
    fn lines_of_utf8_among_chinese_ones_are_found() {
        let line = "会议内容包括年度工作总结和明年计划安排，请各部门负责人准备好材料。\n";
        let mut bytes = encoding_rs::GBK.encode(&line.repeat(4)).0.into_owned();
        bytes.extend_from_slice(line.as_bytes());
        let decoded = decode(bytes, Hints::default()).expect("text");
        assert_eq!((decoded.text, decoded.losses), (line.repeat(5), 0));
        assert_eq!(decoded.repair, Some(Repair::Mixed { with: "UTF-8", lines: 1 }));
    }
}
