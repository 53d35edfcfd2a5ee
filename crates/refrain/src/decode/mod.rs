//! Decode: bytes to text, and the language of the text.
//!
//! The order of trust: a byte order mark; escapes of seven-bit encodings; UTF-8 that is valid; then the guess, to which
//! encodings that make no letters of the bytes are no candidates, and what HTTP or the document declares is evidence.

mod charsets;
mod declared;
mod guess;
mod language;
mod markup;
mod models;
mod ngrams;
mod published;
mod repair;
mod shipped;
mod symbols;
#[doc(hidden)]
pub mod training;

pub use language::{
    Language, LanguageFilter, block_languages, detect_language, identify, identify_page, known_languages,
};
pub use published::{CharedEncoding, CharedModel, DamagedModel, TrainError};
pub use shipped::chared_model;

use std::borrow::Cow;

use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use self::charsets::Charset;
use self::guess::{Known, guess};

/// What is known about bytes from outside.
#[derive(Debug, Clone, Copy, Default)]
pub struct Hints<'a> {
    /// Charset of the HTTP header.
    pub charset: Option<&'a str>,
    /// Top-level domain of the address, in lower case.
    pub domain: Option<&'a str>,
    /// The language, by its code, where it is known.
    pub language: Option<&'a str>,
    /// Look at no more than so many bytes to tell the encoding.
    pub sample: Option<usize>,
    /// The published method with this model decides, instead of the guess.
    pub model: Option<&'a CharedModel>,
}

/// What bytes are found to be.
#[derive(Debug, Clone, PartialEq)]
pub struct Detection {
    /// The encoding, by its WHATWG name where it has one, otherwise by its common name. None for no bytes at all.
    pub encoding: Option<&'static str>,
    /// The language, by its code.
    pub language: Option<&'static str>,
    /// How sure the encoding is, from 0 to 1.
    pub confidence: f32,
    /// The encoding that the document or its header declares, by its WHATWG name.
    pub declared: Option<&'static str>,
}

impl Detection {
    /// True when the declaration is right; none when there is none.
    pub fn agrees(&self) -> Option<bool> {
        self.declared.map(|declared| Some(declared) == self.encoding)
    }
}

/// What was wrong with a text beyond its encoding, and was set right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Repair {
    /// UTF-8 that was taken for another encoding and encoded once more.
    DoubleEncoded {
        /// The encoding it was taken for.
        through: &'static str,
    },
    /// Lines in another encoding than the rest.
    Mixed {
        /// The other encoding.
        with: &'static str,
        /// How many lines.
        lines: usize,
    },
}

/// Text out of bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct Decoded {
    /// The text. Bytes that fit nothing, and NULs, became U+FFFD.
    pub text: String,
    /// The encoding, by its WHATWG name where it has one.
    pub encoding: &'static str,
    /// The language that goes with the encoding, where the guess gave one.
    pub language: Option<&'static str>,
    /// How sure the encoding is, from 0 to 1.
    pub confidence: f32,
    /// What was set right.
    pub repair: Option<Repair>,
    /// Number of U+FFFD that stand for bytes that could not be decoded.
    pub losses: u64,
    /// NUL characters: where the first one stood (in bytes of the decoded text) and how many there were.
    pub nuls: Option<(usize, usize)>,
}

/// The bytes are not text in any encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotText {
    /// Where this showed.
    pub at: usize,
}

/// How many bytes decide whether something is text.
const PROBE: usize = 64 << 10;

/// How many bytes the guess looks at, where nothing else is said.
const GUESS: usize = 128 << 10;

/// Fewer bytes above ASCII than these are no evidence against a header.
const FEW: usize = 8;

/// How many bytes of text are looked at for its language.
const LANGUAGE: usize = 16 << 10;

/// Decodes bytes.
///
/// ```
/// use refrain::decode::{decode, Hints};
///
/// let decoded = decode(b"\xc8esk\xe1 \xf8eka te\xe8e p\xf8es \xfazem\xed".to_vec(), Hints { domain: Some("cz"), ..Hints::default() })?;
/// assert_eq!((decoded.text.as_str(), decoded.encoding), ("Česká řeka teče přes území", "windows-1250"));
/// # Ok::<(), refrain::decode::NotText>(())
/// ```
pub fn decode(bytes: Vec<u8>, hints: Hints<'_>) -> Result<Decoded, NotText> {
    let found = find(&bytes, hints)?;
    let bytes = if found.charset == Charset::Standard(UTF_8) && found.skip == 0 && !found.mixed {
        match String::from_utf8(bytes) {
            Ok(text) => return Ok(repair::doubly_encoded(clean(text, found, 0))),
            Err(error) => error.into_bytes(),
        }
    } else {
        bytes
    };
    let bytes = &bytes[found.skip..];
    if found.mixed
        && let Some(decoded) = repair::mixed(bytes, found)
    {
        return Ok(decoded);
    }
    let (text, losses) = found.charset.decode(bytes);
    Ok(clean(text.into_owned(), found, losses))
}

/// Tells the encoding and the language of bytes without decoding all of them.
///
/// ```
/// use refrain::decode::{detect, Hints};
///
/// let found = detect(b"Za\xbf\xf3\xb3\xe6 g\xea\xb6l\xb1 ja\xbc\xf1", Hints::default())?;
/// assert_eq!((found.encoding, found.language), (Some("ISO-8859-2"), Some("pl")));
/// # Ok::<(), refrain::decode::NotText>(())
/// ```
pub fn detect(bytes: &[u8], hints: Hints<'_>) -> Result<Detection, NotText> {
    let declared = declaration(bytes, hints).map(Charset::name);
    if bytes.is_empty() {
        return Ok(Detection { encoding: None, language: None, confidence: 0.0, declared });
    }
    let found = find(bytes, hints)?;
    let language = found.language.or_else(|| {
        let head = &bytes[found.skip.min(bytes.len())..];
        let head = markup::plain_text_of(&head[..head.len().min(LANGUAGE)]);
        let (text, _) = found.charset.decode(&head);
        identify(&text).map(|language| language.code)
    });
    Ok(Detection { encoding: Some(found.charset.name()), language, confidence: found.confidence, declared })
}

/// Codes of the languages whose encodings can be told: those that `Hints::language` may be.
pub fn languages_with_encodings() -> Vec<&'static str> {
    let mut codes = known_languages();
    codes.extend(["zh-hans", "zh-hant"]);
    codes.retain(|code| !guess::encodings_of(code).is_empty());
    codes.sort_unstable();
    codes
}

/// The encodings that are common for a language, besides UTF-8, the commonest first.
pub fn encodings_of(language: &str) -> Vec<&'static str> {
    guess::encodings_of(language)
}

/// What bytes are in.
#[derive(Debug, Clone, Copy)]
struct Found {
    charset: Charset,
    language: Option<&'static str>,
    confidence: f32,
    /// Bytes of the byte order mark.
    skip: usize,
    /// Some lines may be UTF-8 and others not.
    mixed: bool,
}

impl Found {
    fn sure(charset: Charset) -> Found {
        Found { charset, language: None, confidence: 1.0, skip: 0, mixed: false }
    }
}

/// Finds out what bytes are in.
fn find(bytes: &[u8], hints: Hints<'_>) -> Result<Found, NotText> {
    if let Some((charset, skip)) = by_mark(bytes) {
        return Ok(Found { skip, ..Found::sure(charset) });
    }
    if let Some(charset) = utf32_without_mark(bytes).or_else(|| utf16_without_mark(bytes)) {
        return Ok(Found::sure(charset));
    }
    if let Some(charset) = seven_bit(bytes) {
        return Ok(Found::sure(charset));
    }
    if let Some(at) = binary(bytes) {
        return Err(NotText { at });
    }
    let utf8 = Found::sure(Charset::Standard(UTF_8));
    if simdutf8::basic::from_utf8(bytes).is_ok() {
        return Ok(utf8);
    }
    if let Some(model) = hints.model {
        return Ok(by_model(bytes, model));
    }
    let (good, bad) = utf8_or_not(bytes);
    let declared = declaration(bytes, hints);
    let says_utf8 = declared == Some(Charset::Standard(UTF_8));
    if good > 10 * bad || (good >= bad && good > 0 && says_utf8) {
        return Ok(Found { confidence: 0.95, mixed: bad > 1, ..utf8 });
    }
    // A few bytes say less than whoever wrote the header.
    let served = hints.charset.and_then(Charset::for_label).filter(|_| !says_utf8);
    if let Some(charset) = served
        && bytes.iter().filter(|byte| **byte >= 0x80).take(FEW).count() < FEW
        && charset.decode(bytes).1 == 0
    {
        return Ok(Found { confidence: 0.8, ..Found::sure(charset) });
    }
    let head = &bytes[..bytes.len().min(hints.sample.unwrap_or(GUESS).max(1))];
    let text = match head.is_ascii() {
        true => Cow::Borrowed(bytes),
        false => markup::text_of(head),
    };
    let known =
        Known { language: hints.language, declared: declared::in_document(bytes), served, domain: hints.domain };
    let guessed = guess(&text, known).or_else(|| guess(bytes, Known { language: None, ..known }));
    // Many characters of several bytes do not come about by chance.
    let mixed = good > 2;
    Ok(match guessed {
        Some(guess) => Found {
            charset: guess.charset,
            language: Some(guess.language),
            confidence: guess.confidence,
            mixed,
            ..utf8
        },
        // Nothing fits: whatever loses least.
        None => {
            let fallback = declared.filter(|_| !says_utf8).unwrap_or(Charset::Standard(WINDOWS_1252));
            Found { confidence: 0.1, mixed, ..Found::sure(fallback) }
        }
    })
}

/// What the published method finds.
fn by_model(bytes: &[u8], model: &CharedModel) -> Found {
    let text = markup::text_of(bytes);
    let best = model.best(&text);
    let charset = best.iter().find_map(|name| Charset::for_label(name));
    Found {
        confidence: 1.0 / best.len().max(1) as f32,
        ..Found::sure(charset.unwrap_or(Charset::Standard(WINDOWS_1252)))
    }
}

/// The encoding that a header or the document declares. Whoever declares UTF-16 in ASCII letters is wrong.
fn declaration(bytes: &[u8], hints: Hints<'_>) -> Option<Charset> {
    let outside = hints.charset.and_then(Charset::for_label);
    let declared = outside.or_else(|| declared::in_document(bytes));
    declared.filter(|charset| ![UTF_16LE, UTF_16BE].map(Charset::Standard).contains(charset))
}

/// The encoding that a byte order mark tells, and how long the mark is.
fn by_mark(bytes: &[u8]) -> Option<(Charset, usize)> {
    match bytes {
        [0xff, 0xfe, 0, 0, ..] => Some((Charset::Utf32 { big_endian: false }, 4)),
        [0, 0, 0xfe, 0xff, ..] => Some((Charset::Utf32 { big_endian: true }, 4)),
        _ => Encoding::for_bom(bytes).map(|(encoding, length)| (Charset::Standard(encoding), length)),
    }
}

/// Encodings that switch between ASCII and others by escapes. All of their bytes are valid UTF-8, too.
fn seven_bit(bytes: &[u8]) -> Option<Charset> {
    let has = |sign: &[u8]| memchr::memmem::find(bytes, sign).is_some();
    let charset = match () {
        () if has(b"\x1b$)C") => Charset::Iso2022Kr,
        // Other escapes than those of Japanese are terminal colours.
        () if has(b"\x1b$") => Charset::Standard(ISO_2022_JP),
        () if has(b"~{") && has(b"~}") && charsets::may_be_hz(bytes) => Charset::Hz,
        () => return None,
    };
    if !bytes.is_ascii() {
        return None;
    }
    let (text, losses) = charset.decode(bytes);
    (losses == 0 && text.chars().any(|c| c >= '\u{3000}')).then_some(charset)
}

/// How many characters of several bytes there are in UTF-8, and how many bytes above ASCII that are no part of one.
fn utf8_or_not(bytes: &[u8]) -> (usize, usize) {
    let (mut good, mut bad) = (0, 0);
    let mut from = 0;
    while let Some(at) = guess::next_above_ascii(bytes, from) {
        let length = match bytes[at] {
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => 1,
        };
        let character = bytes.get(at..at + length).filter(|bytes| std::str::from_utf8(bytes).is_ok());
        good += usize::from(character.is_some());
        bad += usize::from(character.is_none());
        from = at + character.map_or(1, <[u8]>::len);
    }
    (good, bad)
}

/// What was decoded, with NULs replaced.
fn clean(text: String, found: Found, losses: u64) -> Decoded {
    let (text, nuls) = replace_nuls(text);
    let Found { charset, language, confidence, .. } = found;
    Decoded { text, encoding: charset.name(), language, confidence, repair: None, losses, nuls }
}

/// Replaces NUL characters by U+FFFD; says where the first one stood and how many there were.
pub(crate) fn replace_nuls(text: String) -> (String, Option<(usize, usize)>) {
    match memchr::memchr(0, text.as_bytes()) {
        None => (text, None),
        Some(at) => {
            let count = memchr::memchr_iter(0, text.as_bytes()).count();
            (text.replace('\0', "\u{fffd}"), Some((at, count)))
        }
    }
}

/// UTF-32 without a mark: two bytes of every four are zero, and always the same ones.
fn utf32_without_mark(bytes: &[u8]) -> Option<Charset> {
    let head = &bytes[..bytes.len().min(PROBE) & !3];
    if head.len() < 8 {
        return None;
    }
    let fits = |big_endian: bool| {
        head.chunks_exact(4).all(|four| {
            let number = [four[0], four[1], four[2], four[3]];
            let number = if big_endian { u32::from_be_bytes(number) } else { u32::from_le_bytes(number) };
            char::from_u32(number).is_some_and(|c| !c.is_control() || c.is_whitespace())
        })
    };
    [false, true].into_iter().find(|&big_endian| fits(big_endian)).map(|big_endian| Charset::Utf32 { big_endian })
}

/// UTF-16 without a mark: of the text of any script with spaces and line ends in it, one byte of each pair is often zero,
/// and always the same one.
fn utf16_without_mark(bytes: &[u8]) -> Option<Charset> {
    let head = &bytes[..bytes.len().min(PROBE) & !1];
    let zeros = |offset: usize| head.iter().skip(offset).step_by(2).filter(|&&b| b == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let many = head.len() / 20; // one character in ten
    let encoding = match (even, odd) {
        (even, odd) if odd > many && even * 20 < odd => UTF_16LE,
        (even, odd) if even > many && odd * 20 < even => UTF_16BE,
        _ => return None,
    };
    let (text, malformed) = encoding.decode_without_bom_handling(head);
    (!malformed && !text.chars().any(|c| c.is_control() && !c.is_whitespace())).then_some(Charset::Standard(encoding))
}

/// Where binary data show, if the bytes are no text: more than one in fifty bytes is a control character, or one in ten
/// a NUL.
fn binary(bytes: &[u8]) -> Option<usize> {
    let head = &bytes[..bytes.len().min(PROBE)];
    let control = |&b: &u8| b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b | 0) || b == 0x7f;
    let controls = head.iter().filter(|b| control(b)).count();
    let nuls = memchr::memchr_iter(0, head).count();
    (controls * 50 > head.len() || nuls * 10 > head.len())
        .then(|| head.iter().position(|b| control(b) || *b == 0).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8], charset: Option<&str>) -> (String, &'static str, u64) {
        let decoded = decode(bytes.to_vec(), Hints { charset, ..Hints::default() }).expect("text");
        (decoded.text, decoded.encoding, decoded.losses)
    }

    #[test]
    fn marks_come_first() {
        assert_eq!(decoded(b"\xef\xbb\xbfa\xc3\xa9", Some("windows-1252")), ("aé".into(), "UTF-8", 0));
        assert_eq!(decoded(b"\xff\xfea\0\xe9\0", None), ("aé".into(), "UTF-16LE", 0));
    }

    #[test]
    fn valid_utf8_beats_declarations() {
        assert_eq!(decoded("grün".as_bytes(), Some("iso-8859-1")), ("grün".into(), "UTF-8", 0));
    }

    #[test]
    fn declarations_beat_guesses() {
        assert_eq!(decoded(b"gr\xfcn", Some("iso-8859-1")), ("grün".into(), "windows-1252", 0));
        let meta = b"<html><head><meta charset='windows-1250'></head>\xf8eka";
        assert_eq!(decoded(meta, None).1, "windows-1250");
    }

    #[test]
    fn wrong_declarations_are_not_believed() {
        // Latin-1 bytes under a header that says UTF-8.
        let german = b"Der M\xfcller f\xfchrt die gr\xfcne M\xfchle \xfcber den Fl\xfcssen.";
        assert_eq!(decoded(german, Some("utf-8")).1, "windows-1252");
    }

    #[test]
    fn utf8_with_a_spoilt_byte_stays_utf8() {
        let czech = "<meta charset=utf-8>Příliš žluťoučký kůň úpěl ďábelské ódy";
        let mut spoilt = czech.as_bytes().to_vec();
        spoilt.push(0xff);
        assert_eq!(decoded(&spoilt, None), (format!("{czech}\u{fffd}"), "UTF-8", 1));
        let cut = &czech.as_bytes()[..=czech.find('ó').expect("an accent")];
        assert_eq!(decoded(cut, None).1, "UTF-8");
    }

    #[test]
    fn utf16_without_a_mark_is_seen() {
        let bytes: Vec<u8> = "Plain English text.".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(decoded(&bytes, None), ("Plain English text.".into(), "UTF-16BE", 0));
    }

    #[test]
    fn binary_data_are_no_text() {
        let noise: Vec<u8> = (0..4000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 11) as u8).collect();
        assert!(decode(noise, Hints::default()).is_err());
        assert!(decode(vec![0; 100], Hints::default()).is_err());
    }

    #[test]
    fn single_nuls_are_replaced_and_reported() {
        let decoded = decode(b"one two\0three four five six seven".to_vec(), Hints::default()).expect("text");
        assert_eq!(decoded.nuls, Some((7, 1)));
        assert!(decoded.text.starts_with("one two\u{fffd}three"));
    }

    #[test]
    fn japanese_with_escapes_is_seen() {
        let bytes = b"\x1b$B$3$s$K$A$O\x1b(B";
        assert_eq!(decoded(bytes, None), ("こんにちは".into(), "ISO-2022-JP", 0));
    }
}
