//! Encodings: those of the web, and a few that the web has left behind but old files have not.

use std::borrow::Cow;

use encoding_rs::{EUC_KR, Encoding, GB18030};
use memchr::memmem;

/// An encoding that bytes can be decoded with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Charset {
    /// One of the Encoding Standard.
    Standard(&'static Encoding),
    /// Cyrillic of DOS, the older one.
    Ibm855,
    /// Four bytes a character; true for the highest first.
    Utf32 { big_endian: bool },
    /// Chinese between tildes and braces.
    Hz,
    /// Korean between shifts.
    Iso2022Kr,
}

/// The upper half of IBM855.
const IBM855: &str = "ђЂѓЃёЁєЄѕЅіІїЇјЈљЉњЊћЋќЌўЎџЏюЮъЪаАбБцЦдДеЕфФгГ«»░▒▓│┤хХиИ╣║╗╝йЙ┐└┴┬├─┼кК╚╔╩╦╠═╬¤\
    лЛмМнНоОп┘┌█▄Пя▀ЯрРсСтТуУжЖвВьЬ№\u{ad}ыЫзЗшШэЭщЩчЧ§■\u{a0}";

impl Charset {
    /// The name users know it by: that of the Encoding Standard where it is in it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Charset::Standard(encoding) => encoding.name(),
            Charset::Ibm855 => "IBM855",
            Charset::Utf32 { big_endian: false } => "UTF-32LE",
            Charset::Utf32 { big_endian: true } => "UTF-32BE",
            Charset::Hz => "HZ-GB-2312",
            Charset::Iso2022Kr => "ISO-2022-KR",
        }
    }

    /// An encoding by any of its labels.
    pub(super) fn for_label(label: &str) -> Option<Charset> {
        let label = label.trim();
        let own = [
            (Charset::Ibm855, ["ibm855", "cp855", "855", "csibm855"]),
            (Charset::Utf32 { big_endian: false }, ["utf-32le", "utf-32", "utf32", "ucs-4"]),
            (Charset::Utf32 { big_endian: true }, ["utf-32be", "utf32be", "ucs-4be", "utf-32-be"]),
            (Charset::Hz, ["hz-gb-2312", "hz", "hz-gb", "csiso58gb1988"]),
            (Charset::Iso2022Kr, ["iso-2022-kr", "csiso2022kr", "iso2022kr", "iso2022-kr"]),
        ];
        // The standard maps some of these to an encoding that refuses everything.
        let own = own.into_iter().find(|(_, labels)| labels.iter().any(|known| known.eq_ignore_ascii_case(label)));
        own.map(|(charset, _)| charset).or_else(|| Encoding::for_label(label.as_bytes()).map(Charset::Standard))
    }

    /// The character that a single byte stands for; none where it stands for nothing.
    pub(super) fn single(self, byte: u8) -> Option<char> {
        match self {
            _ if byte < 0x80 => Some(char::from(byte)),
            Charset::Ibm855 => IBM855.chars().nth(usize::from(byte) - 0x80),
            Charset::Standard(encoding) => encoding
                .decode_without_bom_handling_and_without_replacement(&[byte])
                .and_then(|text| text.chars().next()),
            _ => None,
        }
    }

    /// Decodes bytes; says how many characters stand for bytes that fit nothing.
    pub(super) fn decode(self, bytes: &[u8]) -> (Cow<'_, str>, u64) {
        match self {
            Charset::Standard(encoding) => {
                let (text, malformed) = encoding.decode_without_bom_handling(bytes);
                let losses = if malformed { text.matches('\u{fffd}').count() as u64 } else { 0 };
                (text, losses)
            }
            Charset::Ibm855 => {
                let upper: Vec<char> = IBM855.chars().collect();
                let letter = |byte: &u8| upper.get(usize::from(*byte).wrapping_sub(0x80)).copied();
                (bytes.iter().map(|byte| letter(byte).unwrap_or(char::from(*byte))).collect(), 0)
            }
            Charset::Utf32 { big_endian } => utf32(bytes, big_endian),
            Charset::Hz => shifted(bytes, b"~{", b"~}", GB18030),
            Charset::Iso2022Kr => {
                let header = b"\x1b$)C";
                shifted(bytes.strip_prefix(header).unwrap_or(bytes), b"\x0e", b"\x0f", EUC_KR)
            }
        }
    }
}

fn utf32(bytes: &[u8], big_endian: bool) -> (Cow<'_, str>, u64) {
    let mut losses = 0;
    let text = bytes.chunks(4).map(|four| {
        let number = <[u8; 4]>::try_from(four).ok().map(|four| match big_endian {
            true => u32::from_be_bytes(four),
            false => u32::from_le_bytes(four),
        });
        number.and_then(char::from_u32).unwrap_or_else(|| {
            losses += 1;
            '\u{fffd}'
        })
    });
    (text.collect::<String>().into(), losses)
}

/// Seven-bit text in which some stretches, between two signs, are that of an eight-bit encoding.
fn shifted<'a>(bytes: &'a [u8], open: &[u8], close: &[u8], inside: &'static Encoding) -> (Cow<'a, str>, u64) {
    let mut eight = Vec::with_capacity(bytes.len());
    let (mut at, mut shifted) = (0, false);
    while at < bytes.len() {
        let rest = &bytes[at..];
        let sign = if shifted { close } else { open };
        if rest.starts_with(sign) {
            shifted = !shifted;
            at += sign.len();
        } else if !shifted && open[0] == b'~' && rest.starts_with(b"~~") {
            eight.push(b'~');
            at += 2;
        } else {
            let text = shifted && rest[0] > b' ';
            eight.push(if text { rest[0] | 0x80 } else { rest[0] });
            at += 1;
        }
    }
    let (text, malformed) = inside.decode_without_bom_handling(&eight);
    let losses = if malformed { text.matches('\u{fffd}').count() as u64 } else { 0 };
    (text.into_owned().into(), losses)
}

/// True when what stands between the signs of HZ may be Chinese: pairs of bytes, without spaces, on one line. Tildes before
/// braces are common in other texts.
pub(super) fn may_be_hz(bytes: &[u8]) -> bool {
    memmem::find_iter(bytes, b"~{").all(|open| {
        let inside = &bytes[open + 2..];
        let end = memmem::find(inside, b"~}");
        end.is_some_and(|end| end > 0 && end % 2 == 0 && inside[..end].iter().all(|byte| (0x21..0x7f).contains(byte)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_encodings_are_decoded() {
        let decode = |label: &str, bytes: &[u8]| {
            let (text, losses) = Charset::for_label(label).expect("an encoding").decode(bytes);
            (text.into_owned(), losses)
        };
        assert_eq!(decode("IBM855", b"\xe2\xd6\xe3\xe3\xb7\xde!"), ("Россия!".to_owned(), 0));
        assert_eq!(decode("windows-1253", b"\xd2"), ("\u{fffd}".to_owned(), 1));
    }

    #[test]
    fn seven_bit_chinese_and_korean() {
        let decode = |charset: Charset, bytes: &[u8]| charset.decode(bytes).0.into_owned();
        assert_eq!(decode(Charset::Hz, b"~{<:Ky2;~} and ~~"), "己所不 and ~");
        assert_eq!(decode(Charset::Iso2022Kr, b"\x1b$)C\x0eGQ1[\x0f!"), "한글!");
        assert_eq!(decode(Charset::Utf32 { big_endian: true }, b"\0\0\0a\0\x01\xf6\0"), "a😀");
        assert_eq!(Charset::Utf32 { big_endian: false }.decode(b"a\0\0\0b").1, 1);
    }

    #[test]
    fn tildes_before_braces_are_no_chinese() {
        assert!(may_be_hz(b"~{<:Ky2;~} and ~{<:Ky~}"));
        assert!(!may_be_hz(b"see Fig.~{a b}, and Fig.~{c~}"));
        assert!(!may_be_hz(b"~{abc\nd~}"));
    }

    #[test]
    fn tables_are_full() {
        assert_eq!(IBM855.chars().count(), 128);
        assert_eq!(Charset::Ibm855.single(0xff), Some('\u{a0}'));
        assert_eq!(Charset::for_label("koi8-r").map(Charset::name), Some("KOI8-R"));
        assert_eq!(Charset::for_label("hz-gb-2312").map(Charset::name), Some("HZ-GB-2312"));
    }
}
