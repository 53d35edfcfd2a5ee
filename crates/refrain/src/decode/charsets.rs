//! Encodings: those of the web, and a few that the web no longer supports but old files still use.

use std::borrow::Cow;

use encoding_rs::{
    BIG5, DecoderResult, EUC_JP, EUC_KR, Encoding, GB18030, GBK, IBM866, ISO_2022_JP, ISO_8859_2, ISO_8859_3,
    ISO_8859_4, ISO_8859_5, ISO_8859_6, ISO_8859_7, ISO_8859_8, ISO_8859_8_I, ISO_8859_10, ISO_8859_13, ISO_8859_14,
    ISO_8859_15, ISO_8859_16, KOI8_R, KOI8_U, MACINTOSH, REPLACEMENT, SHIFT_JIS, UTF_8, UTF_16BE, UTF_16LE,
    WINDOWS_874, WINDOWS_1250, WINDOWS_1251, WINDOWS_1252, WINDOWS_1253, WINDOWS_1254, WINDOWS_1255, WINDOWS_1256,
    WINDOWS_1257, WINDOWS_1258, X_MAC_CYRILLIC, X_USER_DEFINED,
};

/// An encoding that bytes can be decoded with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Charset {
    /// One of the Encoding Standard.
    Standard(&'static Encoding),
    /// One of DOS.
    Dos(&'static CodePage),
    /// Four bytes per character.
    Utf32 { big_endian: bool },
    /// Chinese in seven bits, between `~{` and `~}`.
    Hz,
    /// Korean in seven bits, between shift characters.
    Iso2022Kr,
    /// Japanese in seven bits, with the supplementary characters that the Encoding Standard omits.
    Iso2022Jp1,
}

/// A code page of DOS: ASCII, and a character for each byte above.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CodePage {
    name: &'static str,
    labels: [&'static str; 4],
    upper: &'static str,
}

/// Those that the Encoding Standard does not have: of English and many others, of Western and Central Europe, and Cyrillic.
#[rustfmt::skip] // a table
static DOS: [CodePage; 4] = [
    CodePage { name: "IBM437", labels: ["ibm437", "cp437", "437", "cspc8codepage437"], upper: IBM437 },
    CodePage { name: "IBM850", labels: ["ibm850", "cp850", "850", "cspc850multilingual"], upper: IBM850 },
    CodePage { name: "IBM852", labels: ["ibm852", "cp852", "852", "cspcp852"], upper: IBM852 },
    CodePage { name: "IBM855", labels: ["ibm855", "cp855", "855", "csibm855"], upper: IBM855 },
];

const IBM437: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
    └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";
const IBM850: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐\
    └┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{ad}±‗¾¶§÷¸°¨·¹³²■\u{a0}";
const IBM852: &str = "ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐\
    └┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u{ad}˝˛ˇ˘§÷¸°¨˙űŘř■\u{a0}";
const IBM855: &str = "ђЂѓЃёЁєЄѕЅіІїЇјЈљЉњЊћЋќЌўЎџЏюЮъЪаАбБцЦдДеЕфФгГ«»░▒▓│┤хХиИ╣║╗╝йЙ┐└┴┬├─┼кК╚╔╩╦╠═╬¤\
    лЛмМнНоОп┘┌█▄Пя▀ЯрРсСтТуУжЖвВьЬ№\u{ad}ыЫзЗшШэЭщЩчЧ§■\u{a0}";

/// The encodings of the Encoding Standard that text can be decoded from.
#[rustfmt::skip] // a table
static STANDARD: [&Encoding; 38] = [
    UTF_8, UTF_16LE, UTF_16BE, WINDOWS_1250, WINDOWS_1251, WINDOWS_1252, WINDOWS_1253, WINDOWS_1254, WINDOWS_1255,
    WINDOWS_1256, WINDOWS_1257, WINDOWS_1258, WINDOWS_874, ISO_8859_2, ISO_8859_3, ISO_8859_4, ISO_8859_5, ISO_8859_6,
    ISO_8859_7, ISO_8859_8, ISO_8859_8_I, ISO_8859_10, ISO_8859_13, ISO_8859_14, ISO_8859_15, ISO_8859_16, KOI8_R, KOI8_U,
    IBM866, MACINTOSH, X_MAC_CYRILLIC, SHIFT_JIS, EUC_JP, ISO_2022_JP, EUC_KR, GBK, GB18030, BIG5,
];

/// All encodings that text can be decoded from.
pub(super) fn all() -> Vec<Charset> {
    let wide = [false, true].map(|big_endian| Charset::Utf32 { big_endian });
    let standard = STANDARD.iter().map(|encoding| Charset::Standard(encoding));
    let seven_bit = [Charset::Hz, Charset::Iso2022Kr, Charset::Iso2022Jp1];
    standard.chain(DOS.iter().map(Charset::Dos)).chain(wide).chain(seven_bit).collect()
}

impl Charset {
    /// The name that users see: that of the Encoding Standard, if it has one.
    pub(super) fn name(self) -> &'static str {
        match self {
            Charset::Standard(encoding) => encoding.name(),
            Charset::Dos(page) => page.name,
            Charset::Utf32 { big_endian: false } => "UTF-32LE",
            Charset::Utf32 { big_endian: true } => "UTF-32BE",
            Charset::Hz => "HZ-GB-2312",
            Charset::Iso2022Kr => "ISO-2022-KR",
            Charset::Iso2022Jp1 => "ISO-2022-JP-1",
        }
    }

    /// An encoding by any of its labels.
    pub(super) fn for_label(label: &str) -> Option<Charset> {
        let label = label.trim();
        let own = [
            (Charset::Utf32 { big_endian: false }, ["utf-32le", "utf-32", "utf32", "ucs-4"]),
            (Charset::Utf32 { big_endian: true }, ["utf-32be", "utf32be", "ucs-4be", "utf-32-be"]),
            (Charset::Hz, ["hz-gb-2312", "hz", "hz-gb", "csiso58gb1988"]),
            (Charset::Iso2022Kr, ["iso-2022-kr", "csiso2022kr", "iso2022kr", "iso2022-kr"]),
            (Charset::Iso2022Jp1, ["iso-2022-jp-1", "iso2022-jp-1", "iso2022jp-1", "iso2022_jp_1"]),
        ];
        // The standard maps some of these to an encoding that rejects everything.
        let own = own.into_iter().find(|(_, labels)| labels.iter().any(|known| known.eq_ignore_ascii_case(label)));
        let dos = || DOS.iter().find(|page| page.labels.iter().any(|known| known.eq_ignore_ascii_case(label)));
        let own = own.map(|(charset, _)| charset).or_else(|| dos().map(Charset::Dos));
        own.or_else(|| Encoding::for_label(label.as_bytes()).map(Charset::Standard))
    }

    /// True for encodings in which a declaration can be read before its encoding is known.
    pub(super) fn contains_ascii(self) -> bool {
        let wide = matches!(self, Charset::Utf32 { .. });
        !wide && ![UTF_16LE, UTF_16BE, REPLACEMENT].map(Charset::Standard).contains(&self)
    }

    /// True for the encodings of Unicode.
    pub(super) fn is_unicode(self) -> bool {
        let wide = matches!(self, Charset::Utf32 { .. });
        wide || [UTF_8, UTF_16LE, UTF_16BE].map(Charset::Standard).contains(&self)
    }

    /// True for encodings in which bytes above ASCII represent characters.
    pub(super) fn has_bytes_above_ascii(self) -> bool {
        let seven_bit = matches!(self, Charset::Hz | Charset::Iso2022Kr | Charset::Iso2022Jp1);
        !seven_bit && ![ISO_2022_JP, X_USER_DEFINED, REPLACEMENT].map(Charset::Standard).contains(&self)
    }

    /// True for encodings with several bytes for most characters, except Unicode and seven-bit encodings.
    pub(super) fn has_wide_characters(self) -> bool {
        [GBK, GB18030, BIG5, SHIFT_JIS, EUC_JP, EUC_KR].map(Charset::Standard).contains(&self)
    }

    /// The character of a single byte, if it has one.
    pub(super) fn single(self, byte: u8) -> Option<char> {
        match self {
            _ if byte < 0x80 => Some(char::from(byte)),
            Charset::Dos(page) => page.upper.chars().nth(usize::from(byte) - 0x80),
            Charset::Standard(encoding) => encoding
                .decode_without_bom_handling_and_without_replacement(&[byte])
                .and_then(|text| text.chars().next()),
            _ => None,
        }
    }

    /// Decodes bytes. Also returns how many characters replace undecodable bytes.
    pub(super) fn decode(self, bytes: &[u8]) -> (Cow<'_, str>, u64) {
        match self {
            Charset::Standard(encoding) => decode_standard(encoding, bytes),
            Charset::Dos(page) => {
                let upper: Vec<char> = page.upper.chars().collect();
                let letter = |byte: &u8| upper.get(usize::from(*byte).wrapping_sub(0x80)).copied();
                (bytes.iter().map(|byte| letter(byte).unwrap_or(char::from(*byte))).collect(), 0)
            }
            Charset::Utf32 { big_endian } => utf32(bytes, big_endian),
            Charset::Hz => decode_owned(GB18030, &HZ.eight_bit(bytes)),
            Charset::Iso2022Kr => decode_owned(EUC_KR, &KOREAN.eight_bit(bytes)),
            Charset::Iso2022Jp1 => decode_owned(EUC_JP, &as_euc_jp(bytes)),
        }
    }
}

/// Decodes bytes, and counts undecodable ones. U+FFFD characters already in the text do not count.
fn decode_standard<'b>(encoding: &'static Encoding, bytes: &'b [u8]) -> (Cow<'b, str>, u64) {
    let (text, malformed) = encoding.decode_without_bom_handling(bytes);
    let losses = if malformed { malformed_sequences(encoding, bytes) } else { 0 };
    (text, losses)
}

fn decode_owned(encoding: &'static Encoding, bytes: &[u8]) -> (Cow<'static, str>, u64) {
    let (text, losses) = decode_standard(encoding, bytes);
    (text.into_owned().into(), losses)
}

/// How many sequences of bytes are malformed: each becomes one U+FFFD.
fn malformed_sequences(encoding: &'static Encoding, mut bytes: &[u8]) -> u64 {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut buffer = [0; 4096];
    let mut count = 0;
    loop {
        let (result, read, _) = decoder.decode_to_utf8_without_replacement(bytes, &mut buffer, true);
        bytes = &bytes[read..];
        match result {
            DecoderResult::InputEmpty => return count,
            DecoderResult::OutputFull => {}
            DecoderResult::Malformed(..) => count += 1,
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

/// Seven-bit text with sections, between two signs, that are in an eight-bit encoding.
struct Shifts {
    open: &'static [u8],
    close: &'static [u8],
    /// Sequences to replace or remove.
    replaced: &'static [(&'static [u8], &'static [u8])],
}

const HZ: Shifts = Shifts { open: b"~{", close: b"~}", replaced: &[(b"~~", b"~"), (b"~\n", b"")] };
/// The header should be at the top, but is not always.
const KOREAN: Shifts = Shifts { open: b"\x0e", close: b"\x0f", replaced: &[(b"\x1b$)C", b"")] };

impl Shifts {
    /// The text in the eight-bit encoding. Sections end at the end of their line at the latest.
    fn eight_bit(&self, bytes: &[u8]) -> Vec<u8> {
        let mut eight = Vec::with_capacity(bytes.len());
        let (mut rest, mut shifted) = (bytes, false);
        while let Some(&first) = rest.first() {
            let sign = if shifted { self.close } else { self.open };
            let length = if rest.starts_with(sign) {
                shifted = !shifted;
                sign.len()
            } else if let Some((from, to)) = self.replaced.iter().find(|(from, _)| rest.starts_with(from)) {
                eight.extend_from_slice(to);
                from.len()
            } else if shifted && first > b' ' {
                self.push_shifted(rest, &mut eight)
            } else {
                shifted &= first != b'\n';
                eight.push(first);
                1
            };
            rest = &rest[length..];
        }
        eight
    }

    /// Adds a character of a section. Its second byte may look like the first byte of a sign.
    fn push_shifted(&self, rest: &[u8], eight: &mut Vec<u8>) -> usize {
        let pair = rest.get(1).is_some_and(|second| *second > b' ') && !rest[1..].starts_with(self.close);
        let length = if pair { 2 } else { 1 };
        eight.extend(rest[..length].iter().map(|byte| byte | 0x80));
        length
    }
}

/// Converts escaped Japanese to EUC-JP, which has the same characters.
fn as_euc_jp(bytes: &[u8]) -> Vec<u8> {
    // Escape sequence, bytes per character, and the prefix of each character.
    const SETS: [(&[u8], usize, &[u8]); 6] = [
        (b"\x1b(B", 0, b""),
        (b"\x1b(J", 0, b""),
        (b"\x1b(I", 1, b"\x8e"),
        (b"\x1b$@", 2, b""),
        (b"\x1b$B", 2, b""),
        (b"\x1b$(D", 2, b"\x8f"),
    ];
    let mut eight = Vec::with_capacity(bytes.len());
    let (mut rest, mut width, mut before) = (bytes, 0, &b""[..]);
    while let Some(&first) = rest.first() {
        let length = if let Some((escape, of_set, prefix)) = SETS.iter().find(|(escape, ..)| rest.starts_with(escape)) {
            (width, before) = (*of_set, prefix);
            escape.len()
        } else if width > 0 && first > b' ' {
            eight.extend_from_slice(before);
            let character = rest.iter().take(width).take_while(|byte| **byte > b' ');
            let from = eight.len();
            eight.extend(character.map(|byte| byte | 0x80));
            eight.len() - from
        } else {
            width = if first == b'\n' { 0 } else { width };
            eight.push(first);
            1
        };
        rest = &rest[length..];
    }
    eight
}

/// One section in this many may be broken.
const SOUND_STRETCHES: usize = 20;

/// True if the sections between HZ signs may be Chinese: pairs of bytes, without spaces, on one line. Tildes before
/// braces are common in other texts.
pub(super) fn may_be_hz(bytes: &[u8]) -> bool {
    let (mut sound, mut broken) = (0, 0);
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'~', &bytes[at..]) {
        at += found + 1;
        match bytes.get(at) {
            Some(b'{') => match hz_stretch(&bytes[at + 1..]) {
                Ok(length) => {
                    sound += 1;
                    at += 1 + length;
                }
                Err(length) => {
                    broken += 1;
                    at += 1 + length;
                }
            },
            Some(b'~') => at += 1,
            _ => {}
        }
    }
    sound > 0 && broken * SOUND_STRETCHES <= sound
}

/// The length of an HZ section with its closing sign, or how far it reaches before it turns out not to be one.
fn hz_stretch(bytes: &[u8]) -> Result<usize, usize> {
    let mut at = 0;
    while let Some(&[first, second]) = bytes.get(at..at + 2) {
        match (first, second) {
            (b'~', b'}') if at > 0 => return Ok(at + 2),
            (0x21..=0x77, 0x21..=0x7e) => at += 2,
            _ => break,
        }
    }
    Err(at)
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
        assert_eq!(decode("cp437", b"Gr\x81\xe1e \xc4 \x9b5"), ("Grüße ─ ¢5".to_owned(), 0));
        assert_eq!(decode("850", b"Gr\x81\xe1e \xb5 \xd5"), ("Grüße Á ı".to_owned(), 0));
        assert_eq!(decode("ibm852", b"P\xfd\xa1li\xe7"), ("Příliš".to_owned(), 0));
        assert_eq!(decode("windows-1253", b"\xd2"), ("\u{fffd}".to_owned(), 1));
    }

    #[test]
    fn seven_bit_chinese_and_korean() {
        let decode = |charset: Charset, bytes: &[u8]| charset.decode(bytes).0.into_owned();
        assert_eq!(decode(Charset::Hz, b"~{<:Ky2;~} and ~~"), "己所不 and ~");
        assert_eq!(decode(Charset::Hz, b"~{<:~}~\n~{Ky~}\n~{2;\nplain"), "己所\n不\nplain");
        assert_eq!(decode(Charset::Iso2022Kr, b"\x1b$)C\x0eGQ1[\x0f!"), "한글!");
        assert_eq!(decode(Charset::Iso2022Kr, b"Subject: x\n\x1b$)C\x0eGQ1[\x0f!"), "Subject: x\n한글!");
        assert_eq!(decode(Charset::Utf32 { big_endian: true }, b"\0\0\0a\0\x01\xf6\0"), "a😀");
        assert_eq!(Charset::Utf32 { big_endian: false }.decode(b"a\0\0\0b").1, 1);
    }

    #[test]
    fn supplementary_japanese() {
        let bytes = b"\x1b$BF|K\\\x1b$(D0!0\x22\x1b(I1\x1b(B.\n";
        assert_eq!(Charset::Iso2022Jp1.decode(bytes), ("日本丂丄ｱ.\n".into(), 0));
        // A character cut in the middle.
        assert_eq!(Charset::Iso2022Jp1.decode(b"\x1b$BF|K\x1b(B.").1, 1);
    }

    #[test]
    fn signs_of_the_text_are_no_loss() {
        let utf8 = Charset::Standard(encoding_rs::UTF_8);
        assert_eq!(utf8.decode(b"\xef\xbf\xbd \xff \xef\xbf\xbd"), ("\u{fffd} \u{fffd} \u{fffd}".into(), 1));
        let long = [&b"\xef\xbf\xbd".repeat(5000)[..], b"\xe2\x82", &b"\xff".repeat(5000)].concat();
        assert_eq!(utf8.decode(&long).1, 5001);
        assert_eq!(Charset::Standard(UTF_16LE).decode(b"\xfd\xff\0\xd8a\0").1, 1);
    }

    #[test]
    fn tildes_before_braces_are_no_chinese() {
        assert!(may_be_hz(b"~{<:Ky2;~} and ~{<:Ky~}"));
        assert!(!may_be_hz(b"see Fig.~{a b}, and Fig.~{c~}"));
        assert!(!may_be_hz(b"~{abc\nd~}"));
        assert!(!may_be_hz(b"~~{<:Ky2;~}"), "an escaped tilde");
        assert!(may_be_hz(b"~{!~~}"), "a character that ends like the sign begins");
        // This stays fast even if everything could be an opening sign.
        assert!(!may_be_hz(&[b"~{".repeat(1 << 20), b"~}".to_vec()].concat()));
    }

    #[test]
    fn tables_are_full() {
        for page in &DOS {
            assert_eq!(page.upper.chars().count(), 128, "{}", page.name);
            assert_eq!(Charset::Dos(page).single(0xff), Some('\u{a0}'), "{}", page.name);
            assert_eq!(Charset::for_label(page.name), Some(Charset::Dos(page)));
        }
        assert_eq!(Charset::for_label("koi8-r").map(Charset::name), Some("KOI8-R"));
        assert_eq!(Charset::for_label("hz-gb-2312").map(Charset::name), Some("HZ-GB-2312"));
    }
}
