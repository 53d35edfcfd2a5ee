//! Decode: bytes to text, and the language of the text.
//!
//! The order of trust: a byte order mark; escapes of seven-bit encodings; valid UTF-8; then the guess. Encodings in
//! which the bytes are not letters are no candidates, and declarations by HTTP or the document are evidence.

mod charsets;
mod declared;
mod guess;
mod language;
mod markup;
mod models;
mod ngrams;
mod repair;
pub(crate) mod symbols;

/// What training the shipped models needs to know of them.
#[doc(hidden)]
pub mod training {
    pub use super::models::{TONES_APART, pack};
    pub use super::ngrams::{FALL_BACK, Gram, Key, ORDER, STEP, order};
    pub use super::symbols::{symbols, with_tones_apart};
    pub use crate::papers::chared::pack as pack_published;
}

#[doc(hidden)]
pub use language::detect_language;
pub(crate) use language::known_languages;
pub use language::{Language, LanguageFilter, Undecided, identify, identify_page};

pub use crate::papers::chared::{CharedEncoding, CharedModel, DamagedModel, TrainError, chared_model};

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
    /// Examine at most this many bytes to detect the encoding, once they are known not to be valid UTF-8. The UTF-8
    /// check reads all bytes.
    pub sample: Option<usize>,
    /// The published method with this model decides, instead of the guess.
    pub model: Option<&'a CharedModel>,
    /// The encoding, by any of its labels: nothing is detected. A label for which [`is_encoding`] is false has no effect.
    pub from: Option<&'a str>,
}

/// The detected properties of bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct Detection {
    /// The encoding, by its WHATWG name where it has one, otherwise by its common name. None for no bytes at all.
    pub encoding: Option<&'static str>,
    /// The language, by its code.
    pub language: Option<&'static str>,
    /// The next best guess, if another encoding would give a different text.
    pub second: Option<&'static str>,
    /// How sure the encoding is, from 0 to 1.
    pub confidence: f32,
    /// The encoding that the document or its header declares, by its WHATWG name.
    pub declared: Option<&'static str>,
}

impl Detection {
    /// True if the declaration is right; `None` if there is no declaration.
    pub fn agrees(&self) -> Option<bool> {
        self.declared.map(|declared| Some(declared) == self.encoding)
    }
}

/// A defect of a text beyond its encoding, which was repaired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Repair {
    /// UTF-8 that was mistaken for another encoding and encoded again.
    DoubleEncoded {
        /// The encoding it was mistaken for.
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

/// Decoded text.
#[derive(Debug, Clone, PartialEq)]
pub struct Decoded {
    /// The text. Undecodable bytes and NULs became U+FFFD.
    pub text: String,
    /// The encoding, by its WHATWG name where it has one.
    pub encoding: &'static str,
    /// The next best guess, if another encoding would give a different text.
    pub second: Option<&'static str>,
    /// The language that the guess found with the encoding, or that of a repaired text.
    pub language: Option<&'static str>,
    /// How sure the encoding is, from 0 to 1.
    pub confidence: f32,
    /// The repair, if any.
    pub repair: Option<Repair>,
    /// Number of U+FFFD that replace undecodable bytes.
    pub losses: u64,
    /// NUL characters: the position of the first one (in bytes of the decoded text) and their number.
    pub nuls: Option<(usize, usize)>,
}

/// The bytes are not text in any encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotText {
    /// The position of the evidence.
    pub at: usize,
}

/// How many bytes decide whether something is text.
const PROBE: usize = 64 << 10;

/// How many bytes the guess looks at, where nothing else is said.
const GUESS: usize = 128 << 10;

/// Fewer bytes above ASCII than these are no evidence against a header.
const FEW: usize = 8;

/// Numbers of UTF-16 and UTF-32 of which one may be no character of a text.
const FEW_BAD: usize = 100;

/// Characters of a seven-bit encoding of which one may be damaged.
const SOUND: u64 = 20;

/// How many bytes of text are examined for its language.
const LANGUAGE: usize = 16 << 10;

/// The same at first, and where the guess at the encoding named a language by fewer letters than the latter.
const LANGUAGE_AT_FIRST: usize = 2 << 10;
const MANY: usize = 24;

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
            Ok(text) => return Ok(finish(text, found, 0)),
            Err(error) => error.into_bytes(),
        }
    } else {
        bytes
    };
    let bytes = &bytes[found.skip..];
    if found.mixed
        && let Some(decoded) = repair::mixed(bytes, found, known(bytes, hints))
    {
        return Ok(decoded);
    }
    let (text, losses) = found.charset.decode(bytes);
    let language = choose_language(&text, found);
    Ok(finish(text.into_owned(), Found { language, ..found }, losses))
}

/// The language of a text whose encoding was guessed together with a language. Many letters above ASCII determine both;
/// if there are few, the whole text determines the language.
fn choose_language(text: &str, found: Found) -> Option<&'static str> {
    let by_all = || language_of(&text[..text.floor_char_boundary(LANGUAGE_AT_FIRST)]);
    if found.by_few { by_all().or(found.language) } else { found.language }
}

/// The decoded text, repaired if it was encoded twice. Only Unicode encodings have the characters for that.
fn finish(text: String, found: Found, losses: u64) -> Decoded {
    let repaired = if found.charset.is_unicode() { repair::doubly_encoded(&text) } else { None };
    match repaired {
        Some((text, repair)) => {
            let language = language_of(&text).or(found.language);
            Decoded { repair: Some(repair), ..clean(text, Found { language, ..found }, losses) }
        }
        None => clean(text, found, losses),
    }
}

/// The language of a text without its markup, where there is enough of it.
fn language_of(text: &str) -> Option<&'static str> {
    // The first lines are enough, unless the page begins with scripts and menus.
    [LANGUAGE_AT_FIRST, LANGUAGE].into_iter().find_map(|most| {
        let head = &text[..text.floor_char_boundary(most)];
        let plain = markup::plain_text_of(head.as_bytes());
        let found = identify(&String::from_utf8_lossy(&plain))?;
        found.reliable.then_some(found.code)
    })
}

/// Detects the encoding and the language of bytes without decoding all of them.
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
        return Ok(Detection { encoding: None, second: None, language: None, confidence: 0.0, declared });
    }
    let found = find(bytes, hints)?;
    let body = &bytes[found.skip.min(bytes.len())..];
    if found.mixed
        && let Some(decoded) = repair::mixed(body, found, known(body, hints))
    {
        let Decoded { encoding, second, language, confidence, .. } = decoded;
        return Ok(Detection { encoding: Some(encoding), second, language, confidence, declared });
    }
    let decoded = |most: usize| found.charset.decode(&body[..body.len().min(most)]).0;
    let language = match found.language {
        Some(_) if found.by_few => choose_language(&decoded(LANGUAGE_AT_FIRST), found),
        Some(language) => Some(language),
        None => language_of(&decoded(LANGUAGE)),
    };
    let Found { charset, second, confidence, .. } = found;
    let second = second.map(Charset::name);
    Ok(Detection { encoding: Some(charset.name()), second, language, confidence, declared })
}

/// Codes of the languages whose encodings can be detected: the valid values of `Hints::language`.
#[doc(hidden)]
pub fn languages_with_encodings() -> Vec<&'static str> {
    let mut codes = known_languages();
    codes.extend(["zh-hans", "zh-hant"]);
    codes.retain(|code| !guess::encodings_of(code).is_empty());
    codes.sort_unstable();
    codes
}

/// True for the labels of encodings that text can be decoded from: the names of the Encoding Standard and their aliases, and
/// those of the other encodings that are known here.
pub fn is_encoding(label: &str) -> bool {
    stated(label).is_some()
}

/// The names of all encodings that text can be decoded from.
pub fn encodings() -> Vec<&'static str> {
    charsets::all().into_iter().map(Charset::name).collect()
}

/// An encoding that a user states, by any of its labels.
fn stated(label: &str) -> Option<Charset> {
    Charset::for_label(label).filter(|charset| charsets::all().contains(charset))
}

/// The encodings that are common for a language, besides UTF-8, the commonest first.
#[doc(hidden)]
pub fn encodings_of(language: &str) -> Vec<&'static str> {
    guess::encodings_of(language)
}

/// What bytes are in.
#[derive(Debug, Clone, Copy)]
struct Found {
    charset: Charset,
    /// The next best guess.
    second: Option<Charset>,
    language: Option<&'static str>,
    /// The language is based on a few letters.
    by_few: bool,
    confidence: f32,
    /// Bytes of the byte order mark.
    skip: usize,
    /// Some lines may be UTF-8 and others not.
    mixed: bool,
}

impl Found {
    fn sure(charset: Charset) -> Found {
        Found { charset, second: None, language: None, by_few: false, confidence: 1.0, skip: 0, mixed: false }
    }
}

/// Finds out what bytes are in.
fn find(bytes: &[u8], hints: Hints<'_>) -> Result<Found, NotText> {
    if let Some(charset) = hints.from.and_then(stated) {
        return from(bytes, charset);
    }
    if let Some((charset, skip)) = by_mark(bytes) {
        return match binary_behind_mark(&bytes[skip..], charset) {
            Some(at) => Err(NotText { at: skip + at }),
            None => Ok(Found { skip, ..Found::sure(charset) }),
        };
    }
    if let Some(charset) = utf32_without_mark(bytes).or_else(|| utf16_without_mark(bytes)) {
        return Ok(Found::sure(charset));
    }
    if let Some(found) = seven_bit(bytes) {
        return Ok(found);
    }
    let valid = simdutf8::basic::from_utf8(bytes).is_ok();
    if !valid && let Some(charset) = utf16_of_east_asia(bytes) {
        return Ok(Found { confidence: 0.95, ..Found::sure(charset) });
    }
    if let Some(at) = chinese_escapes(bytes).or_else(|| binary(bytes)) {
        return Err(NotText { at });
    }
    let utf8 = Found::sure(Charset::Standard(UTF_8));
    if valid {
        return Ok(utf8);
    }
    let sample = sample(bytes, hints.sample);
    if let Some(model) = hints.model {
        return Ok(by_model(sample, model));
    }
    let (good, bad) = utf8_or_not(sample);
    let declared = declaration(bytes, hints);
    let says_utf8 = declared == Some(Charset::Standard(UTF_8));
    if nearly_utf8(good, bad) || (good >= bad && good > 0 && says_utf8) {
        return Ok(Found { confidence: 0.95, mixed: bad > 1, ..utf8 });
    }
    // A few bytes are weaker evidence than the header.
    if let Some(charset) = served(hints).filter(|charset| charset.has_bytes_above_ascii() && !says_utf8)
        && bytes.iter().filter(|byte| **byte >= 0x80).take(FEW).count() < FEW
        && charset.decode(bytes).1 == 0
    {
        return Ok(Found { confidence: 0.8, ..Found::sure(charset) });
    }
    let head = &sample[..sample.len().min(hints.sample.map_or(GUESS, |_| usize::MAX))];
    let text = match head.is_ascii() {
        true => Cow::Borrowed(sample),
        false => markup::text_of(head),
    };
    let known = known(bytes, hints);
    let guessed = guess(&text, known).or_else(|| guess(sample, Known { language: None, ..known }));
    // Many multi-byte characters do not occur by chance.
    let mixed = good > 2;
    Ok(match guessed {
        Some(guess) => Found {
            charset: guess.charset,
            second: guess.second,
            language: Some(guess.language),
            by_few: hints.language.is_none() && guess.judged_by < MANY,
            confidence: guess.confidence,
            mixed,
            ..utf8
        },
        // Nothing fits: use whatever loses least.
        None => {
            let fallback = declared.filter(|charset| charset.has_bytes_above_ascii() && !says_utf8);
            let fallback = fallback.unwrap_or(Charset::Standard(WINDOWS_1252));
            Found { confidence: 0.1, mixed, ..Found::sure(fallback) }
        }
    })
}

/// What bytes are in, if their encoding is stated. Binary data are not text in this encoding, either.
fn from(bytes: &[u8], charset: Charset) -> Result<Found, NotText> {
    let skip = by_mark(bytes).filter(|(marked, _)| *marked == charset).map_or(0, |(_, length)| length);
    let body = &bytes[skip..];
    let bad = match charset {
        Charset::Standard(encoding) if [UTF_16LE, UTF_16BE].contains(&encoding) => binary_behind_mark(body, charset),
        // Their escapes are control characters.
        _ if !charset.has_bytes_above_ascii() || !charset.contains_ascii() => None,
        _ => binary(body),
    };
    match bad {
        Some(at) => Err(NotText { at: skip + at }),
        None => Ok(Found { skip, ..Found::sure(charset) }),
    }
}

/// The bytes used to detect the encoding: as many as requested, from the start, or from the first byte above ASCII if
/// that comes later.
fn sample(bytes: &[u8], most: Option<usize>) -> &[u8] {
    let Some(most) = most.map(|most| most.max(1)).filter(|most| *most < bytes.len()) else { return bytes };
    let first = guess::next_above_ascii(bytes, 0).unwrap_or(0);
    let start = if first < most { 0 } else { first };
    let end = bytes.len().min(start + most);
    // No character of UTF-8 is cut.
    let goes_on = bytes[end..].iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count();
    &bytes[start..end + goes_on]
}

/// What is known before the guess.
fn known<'a>(bytes: &[u8], hints: Hints<'a>) -> Known<'a> {
    let served = served(hints).filter(|charset| *charset != Charset::Standard(UTF_8));
    Known { language: hints.language, declared: declared(bytes), served, domain: hints.domain }
}

/// The result of the published method. It does not know that these bytes are not valid UTF-8, so UTF-8 is rejected
/// unless they nearly are.
fn by_model(bytes: &[u8], model: &CharedModel) -> Found {
    let text = markup::text_of(bytes);
    let (good, bad) = utf8_or_not(bytes);
    let mut ranked = model.classify(&text);
    ranked.retain(|(name, _)| nearly_utf8(good, bad) || *name != UTF_8.name());
    let highest = ranked.first().map_or(0, |(_, score)| *score);
    ranked.retain(|(_, score)| *score == highest);
    let charset = ranked.iter().find_map(|(name, _)| Charset::for_label(name));
    Found {
        second: ranked.get(1).and_then(|(name, _)| Charset::for_label(name)),
        confidence: 1.0 / ranked.len().max(1) as f32,
        ..Found::sure(charset.unwrap_or(Charset::Standard(WINDOWS_1252)))
    }
}

/// True for UTF-8 with a little damage.
fn nearly_utf8(good: usize, bad: usize) -> bool {
    good > 10 * bad
}

/// The encoding that a header or the document declares.
fn declaration(bytes: &[u8], hints: Hints<'_>) -> Option<Charset> {
    served(hints).or_else(|| declared(bytes))
}

/// The encoding that the header declares, if a text that is no UTF-16 may be in it.
fn served(hints: Hints<'_>) -> Option<Charset> {
    hints.charset.and_then(Charset::for_label).filter(|charset| charset.contains_ascii())
}

/// The encoding that the document declares. Whoever declares UTF-16 in ASCII letters is wrong.
fn declared(bytes: &[u8]) -> Option<Charset> {
    declared::in_document(bytes).filter(|charset| charset.contains_ascii())
}

/// The encoding that a byte order mark indicates, and the length of the mark.
fn by_mark(bytes: &[u8]) -> Option<(Charset, usize)> {
    match bytes {
        // In UTF-16 this is a mark and a NUL.
        [0xff, 0xfe, 0, 0, rest @ ..] if is_utf32(rest, false) => Some((Charset::Utf32 { big_endian: false }, 4)),
        [0, 0, 0xfe, 0xff, rest @ ..] if is_utf32(rest, true) => Some((Charset::Utf32 { big_endian: true }, 4)),
        _ => Encoding::for_bom(bytes).map(|(encoding, length)| (Charset::Standard(encoding), length)),
    }
}

/// The position of binary data after a mark, if the bytes are not text: noise can start like a mark.
fn binary_behind_mark(bytes: &[u8], charset: Charset) -> Option<usize> {
    match charset {
        Charset::Standard(encoding) if encoding != UTF_8 => {
            let units = Units::of(bytes, encoding == UTF_16BE);
            let bad = units.malformed + units.controls;
            // A twelfth of all numbers of two bytes is private, and one in thirty is half a character.
            let noise = units.malformed > 0 && (bad + units.private) * 10 > units.all;
            (bad * 50 > units.all || units.nuls * 10 > units.all || noise).then_some(units.first_bad)
        }
        Charset::Standard(_) => binary(bytes),
        _ => None,
    }
}

/// Encodings that switch between ASCII and others by escapes. All of their bytes are valid UTF-8, too.
fn seven_bit(bytes: &[u8]) -> Option<Found> {
    let has = |sign: &[u8]| memchr::memmem::find(bytes, sign).is_some();
    let (escapes, tildes) = (has(b"\x1b$"), has(b"~{"));
    if !(escapes || tildes) || !bytes.is_ascii() {
        return None;
    }
    let charset = match () {
        () if has(b"\x1b$)C") => Charset::Iso2022Kr,
        () if has(b"\x1b$(D") => Charset::Iso2022Jp1,
        // Other escapes than those of Japanese are terminal colours.
        () if escapes => Charset::Standard(ISO_2022_JP),
        () if charsets::may_be_hz(bytes) => Charset::Hz,
        () => return None,
    };
    let (text, losses) = charset.decode(bytes);
    let wide = text.chars().filter(|c| *c >= '\u{3000}' && *c != '\u{fffd}').count() as u64;
    // The text may be cut inside a character.
    let losses = losses - u64::from(losses > 0 && text.ends_with('\u{fffd}'));
    let confidence = match () {
        () if wide > 0 && losses * SOUND <= wide => 1.0,
        // Damaged, or with sets of characters that are not known, such as those of ISO-2022-JP-2.
        () if wide > 0 && losses * 4 <= wide && charset != Charset::Hz => 0.5,
        () => return None,
    };
    Some(Found { confidence, ..Found::sure(charset) })
}

/// The position of ISO-2022-CN escapes, which cannot be decoded: their text would be mistaken for ASCII.
fn chinese_escapes(bytes: &[u8]) -> Option<usize> {
    let shift = memchr::memchr(0x0e, bytes)?;
    let escapes = memchr::memmem::find_iter(&bytes[..shift], b"\x1b$");
    let mut known = escapes.filter(|at| matches!(bytes[at + 2..], [b')', b'A' | b'E' | b'G', ..] | [b'*', b'H', ..]));
    known.next().filter(|_| bytes.is_ascii())
}

/// How many characters of several bytes there are in UTF-8, and how many bytes above ASCII that are no part of one.
fn utf8_or_not(bytes: &[u8]) -> (usize, usize) {
    let (mut good, mut bad) = (0, 0);
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte < 0x80 {
            match guess::next_above_ascii(bytes, at) {
                Some(next) => at = next,
                None => break,
            }
            continue;
        }
        let length = match byte {
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => 1,
        };
        // Most letters of other encodings fail here already.
        let goes_on = bytes.get(at + 1).is_some_and(|next| (0x80..0xc0).contains(next));
        let character = bytes.get(at..at + length).filter(|bytes| goes_on && std::str::from_utf8(bytes).is_ok());
        good += usize::from(character.is_some());
        bad += usize::from(character.is_none());
        at += character.map_or(1, <[u8]>::len);
    }
    (good, bad)
}

/// What was decoded, with NULs replaced.
fn clean(text: String, found: Found, losses: u64) -> Decoded {
    let (text, nuls) = replace_nuls(text);
    let Found { charset, second, language, confidence, .. } = found;
    let second = second.map(Charset::name);
    Decoded { text, encoding: charset.name(), second, language, confidence, repair: None, losses, nuls }
}

/// Replaces NUL characters by U+FFFD; returns the position of the first one and their number.
pub(crate) fn replace_nuls(text: String) -> (String, Option<(usize, usize)>) {
    match memchr::memchr(0, text.as_bytes()) {
        None => (text, None),
        Some(at) => {
            let count = memchr::memchr_iter(0, text.as_bytes()).count();
            (text.replace('\0', "\u{fffd}"), Some((at, count)))
        }
    }
}

/// UTF-32 without a mark: of all groups of four bytes the highest is zero, and the next one is that of a plane with
/// characters in it.
fn utf32_without_mark(bytes: &[u8]) -> Option<Charset> {
    let fits = |&big_endian: &bool| bytes.len() >= 8 && is_utf32(bytes, big_endian);
    [false, true].into_iter().find(fits).map(|big_endian| Charset::Utf32 { big_endian })
}

/// True when no more than one in a hundred numbers of four bytes is no character of a text.
fn is_utf32(bytes: &[u8], big_endian: bool) -> bool {
    let head = &bytes[..bytes.len().min(PROBE) & !3];
    let fits = |four: &&[u8]| {
        let number = [four[0], four[1], four[2], four[3]];
        let number = if big_endian { u32::from_be_bytes(number) } else { u32::from_le_bytes(number) };
        matches!(number >> 16, 0..=3 | 14) && char::from_u32(number).is_some_and(|c| !is_no_text(c))
    };
    let few_bad = |head: &[u8]| {
        let all = head.len() / 4;
        (all - head.chunks_exact(4).filter(fits).count()) * FEW_BAD <= all
    };
    // Nearly all other files are ruled out by their first bytes.
    few_bad(&head[..head.len().min(FIRST_BYTES)]) && few_bad(head)
}

/// Bytes of a quick look.
const FIRST_BYTES: usize = 512;

/// Characters that no text has: control characters and noncharacters.
fn is_no_text(c: char) -> bool {
    let none = matches!(c, '\u{fdd0}'..='\u{fdef}') || u32::from(c) & 0xfffe == 0xfffe;
    none || c.is_control() && !c.is_whitespace()
}

/// What the head of bytes is in UTF-16.
#[derive(Debug, Default)]
struct Units {
    all: usize,
    malformed: usize,
    /// Characters that no text has, other than NUL.
    controls: usize,
    nuls: usize,
    private: usize,
    /// Chinese characters, Japanese letters, Korean syllables, and signs among them.
    east_asian: usize,
    /// ASCII, and signs that all scripts share.
    shared: usize,
    /// Kana, and the characters between words and sentences.
    common: usize,
    /// The position of the first one that is malformed or not text.
    first_bad: usize,
}

impl Units {
    fn of(bytes: &[u8], big_endian: bool) -> Units {
        let mut head = &bytes[..bytes.len().min(PROBE) & !1];
        let unit = |two: &[u8]| match big_endian {
            true => u16::from_be_bytes([two[0], two[1]]),
            false => u16::from_le_bytes([two[0], two[1]]),
        };
        // The head may end inside a character.
        if let Some((rest, last)) = head.split_last_chunk::<2>()
            && matches!(unit(last), 0xd800..=0xdbff)
        {
            head = rest;
        }
        let mut units = Units { all: head.len() / 2, ..Units::default() };
        let mut at = 0;
        for c in char::decode_utf16(head.chunks_exact(2).map(unit)) {
            let bad = units.malformed + units.controls + units.nuls;
            match c {
                Ok(c) => units.count(c),
                Err(_) => units.malformed += 1,
            }
            if bad == 0 && units.malformed + units.controls + units.nuls > 0 {
                units.first_bad = at;
            }
            at += c.map_or(2, |c| 2 * c.len_utf16());
        }
        units
    }

    fn count(&mut self, c: char) {
        match c {
            '\0' => self.nuls += 1,
            _ if is_no_text(c) => self.controls += 1,
            '\u{e000}'..='\u{f8ff}' => self.private += 1,
            '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{3000}'..='\u{30ff}' | '\u{ff01}'..='\u{ff9f}' => {
                self.east_asian += 1;
            }
            '\0'..='\u{7f}' | '\u{a0}'..='\u{bf}' | '×' | '\u{2010}'..='\u{203b}' | '\u{2460}'..='\u{24ff}' => {
                self.shared += 1;
            }
            _ => {}
        }
        let kana = matches!(c, '\u{3040}'..='\u{30ff}');
        self.common += usize::from(kana || " \n。、，！？：；　「」“”".contains(c));
    }

    /// True when no more than one in a hundred is malformed or no text.
    fn fit(&self) -> bool {
        (self.malformed + self.controls + self.nuls) * FEW_BAD <= self.all
    }

    /// True for text in Chinese, Japanese or Korean beyond doubt.
    fn are_east_asian(&self) -> bool {
        let strange = self.all - (self.east_asian + self.shared).min(self.all);
        self.all >= 8
            && self.fit()
            && strange * 50 <= self.all
            && self.east_asian * 2 > self.all
            && self.common * 50 >= self.all
    }
}

/// UTF-16 without a mark: of the text of most scripts, with spaces and line ends in it, one byte of each pair is often
/// zero, and always the same one.
fn utf16_without_mark(bytes: &[u8]) -> Option<Charset> {
    let head = &bytes[..bytes.len().min(PROBE) & !1];
    let any = memchr::memchr(0, head).is_some();
    let zeros = |offset: usize| head.iter().skip(offset).step_by(2).filter(|&&b| b == 0).count();
    let (even, odd) = if any { (zeros(0), zeros(1)) } else { (0, 0) };
    let many = head.len() / 20; // one character in ten
    let encoding = match (even, odd) {
        (even, odd) if odd > many && even * 20 < odd => UTF_16LE,
        (even, odd) if even > many && odd * 20 < even => UTF_16BE,
        // Alphabets that have two hundred numbers to themselves, and no spaces between words.
        _ if one_control_reigns(head, 1) => UTF_16LE,
        _ if one_control_reigns(head, 0) => UTF_16BE,
        _ => return None,
    };
    Units::of(bytes, encoding == UTF_16BE).fit().then_some(Charset::Standard(encoding))
}

/// True if most of every second byte are the same control character: no other encoding has this many of them. Tabs and line
/// ends are common in other texts; where they are half of a letter, the letters have spaces between them.
fn one_control_reigns(head: &[u8], offset: usize) -> bool {
    let head = &head[..head.len().min(FIRST_BYTES)];
    let mut counts = [0_usize; 0x20];
    let bytes = head.iter().skip(offset).step_by(2);
    bytes.for_each(|byte| counts.get_mut(usize::from(*byte)).into_iter().for_each(|count| *count += 1));
    let spaces = counts[0] * 50 >= head.len() / 2;
    (1..=u8::MAX).zip(&counts[1..]).any(|(byte, count)| 20 * count > 6 * head.len() && (is_control(byte) || spaces))
}

/// UTF-16 without a mark in Chinese or Japanese, where hardly any byte is zero. Pairs of ASCII letters and characters
/// of Shift_JIS would be Chinese, too. So this applies only where the bytes are no UTF-8, and one in a hundred is a
/// control character, as in no text of another encoding.
fn utf16_of_east_asia(bytes: &[u8]) -> Option<Charset> {
    let head = &bytes[..bytes.len().min(PROBE)];
    let controls = head.iter().filter(|byte| is_control(**byte) || **byte == 0).count();
    if controls * 100 <= head.len() {
        return None;
    }
    let encodings = [UTF_16LE, UTF_16BE].into_iter();
    let mut fits = encodings.filter(|&encoding| Units::of(bytes, encoding == UTF_16BE).are_east_asian());
    fits.next().map(Charset::Standard)
}

/// Control characters that text has no use for. NUL is counted by itself.
fn is_control(byte: u8) -> bool {
    byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b | 0) || byte == 0x7f
}

/// How archives and documents begin that may hold text as it is: zip, PDF, gzip, zstd, xz, 7z.
const SIGNATURES: [&[u8]; 6] =
    [b"PK\x03\x04", b"%PDF-", b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"\xfd7zXZ", b"7z\xbc\xaf"];

/// The position of binary data, if the bytes are not text: more than one in fifty bytes is a control character, or one
/// in ten a NUL.
fn binary(bytes: &[u8]) -> Option<usize> {
    if SIGNATURES.iter().any(|signature| bytes.starts_with(signature)) {
        return Some(0);
    }
    let head = &bytes[..bytes.len().min(PROBE)];
    let controls = head.iter().filter(|byte| is_control(**byte)).count();
    let nuls = memchr::memchr_iter(0, head).count();
    (controls * 50 > head.len() || nuls * 10 > head.len())
        .then(|| head.iter().position(|byte| is_control(*byte) || *byte == 0).unwrap_or(0))
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
    fn utf8_with_a_spoilt_byte_is_utf8() {
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

    /// Sentences in ASCII, and what is put between their words: names of all Western languages, and signs.
    const ASCII: [(&str, &str); 5] = [
        (
            "en",
            "The lamp is lit at dusk and burns until the morning. Nobody on the island remembers a winter as long as this one. \
            When the boat came back with flour and letters, all of us went down to the harbour to help with the boxes.",
        ),
        (
            "nl",
            "De lamp wordt in de avond aangestoken en brandt tot de ochtend. Niemand op het eiland herinnert zich zo een lange \
            winter. Toen de boot terugkwam met meel en brieven, gingen wij allemaal naar de haven om te helpen met de dozen.",
        ),
        (
            "de",
            "Die Lampe brennt vom Abend bis zum Morgen. Niemand auf der Insel erinnert sich an einen so langen Winter. Als das \
            Boot mit Mehl und Briefen wieder kam, gingen wir alle zum Hafen hinunter und halfen mit den Kisten.",
        ),
        (
            "fr",
            "La lampe brille du soir au matin. Personne ne se souvient sur notre petite rive de tant de neige et de vent. Quand \
            le bateau revint avec la farine et les lettres, nous sommes tous descendus au port pour porter les caisses.",
        ),
        (
            "es",
            "La luz del faro brilla de noche y se apaga por la mañana. Nadie recuerda un invierno tan largo como este. Cuando el \
            barco trajo la harina y las cartas, todos bajamos al puerto para ayudar con las cajas grandes.",
        ),
    ];
    const PLANTED: [&[&str]; 9] = [
        &["café"],
        &["Zoë", "Müller", "García"],
        &["Björk", "Århus", "Curaçao", "Ibáñez", "Genève"],
        &["naïve", "über", "señor", "São", "Malmö", "façade", "Brontë", "coöperatie"],
        &["–", "…"],
        &["“harbour”", "l’eau", "‘sel’"],
        &["£5", "¢20", "¥1000", "£7"],
        &["€5", "5 €", "§ 7", "20 °C", "€ 12"],
        &["«sel»", "½", "© 1999", "£3", "Ångström", "ça"],
    ];

    #[test]
    fn a_few_signs_and_accents_in_ascii_are_western() {
        let mut chance = 7_u64;
        let mut below = |most: usize| {
            chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (chance >> 33) as usize % most
        };
        let mut wrong = Vec::new();
        for (language, text) in ASCII {
            for (planted, repeated) in PLANTED.iter().flat_map(|planted| [(planted, 1), (planted, 12), (planted, 300)])
            {
                let mut words: Vec<&str> =
                    text.split(' ').filter(|word| word.is_ascii()).collect::<Vec<_>>().repeat(repeated);
                planted.iter().for_each(|sign| words.insert(below(words.len()), sign));
                let text = words.join(" ");
                let bytes = WINDOWS_1252.encode(&text).0;
                let found = detect(&bytes, Hints::default()).expect("text");
                if found.encoding != Some("windows-1252") {
                    wrong.push((language, planted, repeated, found.encoding));
                }
            }
        }
        assert!(wrong.is_empty(), "{} of 135: {wrong:?}", wrong.len());
    }

    #[test]
    fn a_few_words_of_another_script_in_ascii_are_found() {
        let (_, english) = ASCII[0];
        for (word, label) in [
            ("Владивосток", "windows-1251"),
            ("Владивосток", "KOI8-R"),
            ("Θεσσαλονίκη", "windows-1253"),
            ("ירושלים", "windows-1255"),
            ("東京の郵便局", "Shift_JIS"),
            ("北京的冬天", "gb18030"),
        ] {
            let encoding = Encoding::for_label(label.as_bytes()).expect("an encoding");
            let text = format!("{english} {word} {english}");
            let bytes = encoding.encode(&text).0.into_owned();
            assert_eq!(decoded(&bytes, None).0, text, "{label}");
        }
    }

    #[test]
    fn declarations_that_decode_the_text_need_strong_evidence_against_them() {
        let page = b"<meta charset=windows-1253><p>Price 5 \x80, alpha \xe1 beta \xe2</p>";
        assert_eq!(decoded(page, None).1, "windows-1253");
        let page = b"<meta charset=windows-1251><p>\x93No\x94, she said \x96 and left.</p>";
        assert_eq!(decoded(page, None).1, "windows-1251", "the same text as in windows-1252");
        let russian =
            encoding_rs::WINDOWS_1251.encode("<meta charset=iso-8859-1><p>Маяк горит всю ночь.</p>").0.into_owned();
        assert_eq!(decoded(&russian, None).1, "windows-1251");
    }

    #[test]
    fn text_of_dos_is_found() {
        let lines = [
            ("IBM850", "Der Wärter grüßt über die Brücke, und die Möwen hören ihn schön von der Düne.\r\n"),
            (
                "IBM437",
                "│ Größe │ über 5 │ Müller │\r\n└───────┴────────┴────────┘ Ärger für Jürgen, schöne Grüße.\r\n",
            ),
            ("IBM852", "Příliš žluťoučký kůň úpěl ďábelské ódy, a pak šel domů přes řeku.\r\n"),
        ];
        for (label, line) in lines {
            let charset = Charset::for_label(label).expect("an encoding");
            let byte = |c: char| (0..=u8::MAX).find(|byte| charset.single(*byte) == Some(c)).expect("in the encoding");
            let bytes: Vec<u8> = line.chars().map(byte).collect();
            assert_eq!(decoded(&bytes, None).0, line, "{label}");
        }
    }

    #[test]
    fn one_short_word_is_no_certainty() {
        let english = "The report says that the boat came back in the evening and that all of us went to the harbour. ";
        for repeated in [1, 6] {
            let text =
                [english.as_bytes(), b"The file about \x9d\xa2d\xab was made in 1992. "].concat().repeat(repeated);
            let found = detect(&text, Hints::default()).expect("text");
            assert!(found.confidence < 0.5, "{found:?}");
            let guesses = [found.encoding, found.second].map(|name| name.unwrap_or_default().starts_with("IBM"));
            assert!(guesses.contains(&true), "{found:?}");
        }
        let found = detect(b"The file about \x9d\xa2d\xab was made in 1992.\r\n", Hints::default()).expect("text");
        assert!(found.confidence < 0.5 && found.second.is_some(), "{found:?}");
        let cafe = [english.as_bytes(), b"The caf\xe9 is open."].concat();
        assert!(detect(&cafe, Hints::default()).expect("text").confidence > 0.5);
    }

    #[test]
    fn repeated_words_do_not_decide_the_language() {
        let line = b"The committee agreed that the caf\xe9 on the corner, run by Zo\xeb, stays open until the harbour is full. ";
        let text = line.repeat(200);
        let found = detect(&text, Hints::default()).expect("text");
        assert_eq!((found.encoding, found.language), (Some("windows-1252"), Some("en")));
        assert_eq!(decode(text, Hints::default()).expect("text").language, Some("en"));
    }

    #[test]
    fn a_doubtful_text_names_two_encodings() {
        let text = b"P\xfd\xa1li\xe7 \xa7lu\x9cou\x9fk\xec k\x85\xe5 \xa3p\xd8l \xd4\xa0belsk\x82 \xa2dy. ".repeat(5);
        for language in [None, Some("nl"), Some("cs")] {
            let found = detect(&text, Hints { language, ..Hints::default() }).expect("text");
            assert!(found.confidence > 0.5 || found.second.is_some(), "{language:?}: {found:?}");
        }
    }

    #[test]
    fn a_stated_encoding_decodes_without_a_guess() {
        let from = |bytes: &[u8], label| {
            let found = decode(bytes.to_vec(), Hints { from: Some(label), ..Hints::default() });
            found.map(|found| (found.text, found.encoding, found.confidence, found.losses))
        };
        assert_eq!(from(b"Gr\x81\xe1e", "cp437"), Ok(("Grüße".into(), "IBM437", 1.0, 0)));
        assert_eq!(from("Grüße".as_bytes(), "latin1"), Ok(("GrÃ¼ÃŸe".into(), "windows-1252", 1.0, 0)));
        assert_eq!(from(b"\xef\xbb\xbfa\xff", "utf8"), Ok(("a\u{fffd}".into(), "UTF-8", 1.0, 1)));
        assert_eq!(from(b"a\0b\0", "utf-16le"), Ok(("ab".into(), "UTF-16LE", 1.0, 0)));
        assert_eq!(from(&[0; 100], "cp850"), Err(NotText { at: 0 }));
        assert!(is_encoding("Latin1") && !is_encoding("latin-1000") && !is_encoding("iso-2022-cn"));
        assert!(encodings().into_iter().all(is_encoding));
    }

    #[test]
    fn doubtful_encodings_have_a_second_guess() {
        let found = detect(b"x \xe9 y", Hints::default()).expect("text");
        assert!(found.second.is_some() && found.second != found.encoding, "{found:?}");
        assert_eq!(detect(b"plain", Hints::default()).expect("text").second, None);
    }

    #[test]
    fn tabs_and_line_ends_are_no_half_of_a_letter() {
        let row = |row: usize| ["\t".repeat(12), "<td>\n".into(), "\t".repeat(14), format!("<b>{row}é</b>\n")].concat();
        let rows = (0..10).map(row).collect::<Vec<_>>().concat();
        let columns = "é\t1\t2\t3\n".repeat(40);
        let lines = "\n1\n2\n3\né".repeat(40);
        for text in [format!("<html><body>\n{rows}"), columns, lines.clone(), format!(" {lines}")] {
            let latin1: Vec<u8> = text.chars().map(|c| c as u8).collect();
            assert_eq!(decoded(&latin1, None), (text, "windows-1252", 0));
        }
        // Numbers of these letters begin with a tab, a line end or a carriage return.
        let hindi = "यह एक छोटा सा गाँव है और इसके पास एक नदी बहती है।";
        let punjabi = "ਇਹ ਇੱਕ ਛੋਟਾ ਜਿਹਾ ਪਿੰਡ ਹੈ ਅਤੇ ਇਸ ਦੇ ਕੋਲ ਇੱਕ ਨਦੀ ਵਗਦੀ ਹੈ।";
        let malayalam = "ഇതൊരു ചെറിയ ഗ്രാമമാണ് അതിന്റെ അടുത്ത് ഒരു നദി ഒഴുകുന്നു";
        for text in [hindi, punjabi, malayalam] {
            assert_eq!(decoded(&utf16(text, false), None), (text.into(), "UTF-16LE", 0));
            assert_eq!(decoded(&utf16(text, true), None), (text.into(), "UTF-16BE", 0));
        }
    }

    fn utf16(text: &str, big_endian: bool) -> Vec<u8> {
        text.encode_utf16().flat_map(|unit| if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    }

    #[test]
    fn utf16_without_a_mark_may_be_cut_or_damaged() {
        let long = "Plain English text with spaces. ".repeat(2000);
        let text = format!("{}😀 and more text follows here.", &long[..32767]);
        for big_endian in [false, true] {
            assert_eq!(decoded(&utf16(&text, big_endian), None).0, text);
        }
        let mut damaged = utf16(&long, false);
        damaged[1001] = 0xd8;
        assert_eq!((decoded(&damaged, None).1, decoded(&damaged, None).2), ("UTF-16LE", 1));
        assert_eq!(decoded(&utf16("1\n2\n3\n4\n5\n", false), None), ("1\n2\n3\n4\n5\n".into(), "UTF-16LE", 0));
        let utf32: Vec<u8> = "1\n2\n😀\n".chars().flat_map(|c| u32::from(c).to_be_bytes()).collect();
        assert_eq!(decoded(&utf32, None), ("1\n2\n😀\n".into(), "UTF-32BE", 0));
    }

    #[test]
    fn a_sample_is_all_that_is_looked_at() {
        let with = |bytes: &[u8], most| {
            let found = detect(bytes, Hints { sample: Some(most), ..Hints::default() }).expect("text");
            found.encoding.unwrap_or_default()
        };
        let german = b"Der M\xfcller f\xfchrt die gr\xfcne M\xfchle \xfcber den Fl\xfcssen. ".repeat(3);
        let utf8 = "Der Müller führt die grüne Mühle über den Flüssen. ".repeat(10);
        let bytes = [&german, utf8.as_bytes()].concat();
        assert_eq!(with(&bytes, 100), "windows-1252");
        let bytes = [utf8.as_bytes(), &german].concat();
        // Characters are not cut.
        assert!((1..400).all(|most| with(&bytes, most) == "UTF-8"));
        // The relevant bytes come after the first ones.
        let bytes = [&b"Plain English text. ".repeat(10)[..], &german].concat();
        assert_eq!(with(&bytes, 60), "windows-1252");
    }

    #[test]
    fn the_published_method_does_not_name_utf8_for_other_bytes() {
        let czech = "Příliš žluťoučký kůň úpěl ďábelské ódy.\n".repeat(300);
        let model = CharedModel::train(&czech, &["utf-8", "windows-1250"]).expect("a model");
        let decided = |bytes: &[u8]| {
            let found = detect(bytes, Hints { model: Some(&model), ..Hints::default() }).expect("text");
            (found.encoding.unwrap_or_default(), found.confidence)
        };
        assert_eq!(decided(b"x \xe9 y"), ("windows-1250", 1.0), "nothing speaks for either");
        assert_eq!(decided(&[czech.as_bytes(), b"\xff"].concat()), ("UTF-8", 1.0), "one byte is spoilt");
    }

    const CHINESE: &str =
        "北京是中华人民共和国的首都，是全国的政治中心、文化中心，是世界著名古都和现代化国际城市。一天一夜。";
    const JAPANESE: &str =
        "吾輩は猫である。名前はまだ無い。どこで生れたか頓と見当がつかぬ。何でも薄暗いじめじめした所で";

    #[test]
    fn utf16_of_east_asia_is_seen_without_zeros() {
        for text in [CHINESE.to_owned(), JAPANESE.to_owned(), CHINESE.replace('。', "。\n"), format!("{CHINESE}UTF-16")]
        {
            for big_endian in [false, true] {
                let name = if big_endian { "UTF-16BE" } else { "UTF-16LE" };
                assert_eq!(decoded(&utf16(&text, big_endian), None), (text.clone(), name, 0));
            }
        }
    }

    #[test]
    fn nothing_else_is_taken_for_utf16() {
        let korean = "서울은 대한민국의 수도이자 최대 도시이다. 한강을 끼고 있으며 오랜 역사를 지니고 있다.";
        let cases = [
            (CHINESE, encoding_rs::GBK),
            (JAPANESE, encoding_rs::SHIFT_JIS),
            (JAPANESE, encoding_rs::EUC_JP),
            (korean, encoding_rs::EUC_KR),
            ("臺北是中華民國的首都，也是全國的政治、文化中心。", encoding_rs::BIG5),
            ("Plain text of even length, with nothing else in it..", UTF_8),
        ];
        for (text, encoding) in cases {
            let bytes = encoding.encode(text).0;
            for damage in [&b""[..], b"\x01\x02", &[2; 20]] {
                let bytes = [&bytes[..], damage].concat();
                let found = detect(&bytes, Hints::default()).ok().and_then(|found| found.encoding);
                assert!(!found.is_some_and(|name| name.starts_with("UTF-16")), "{text}: {found:?}");
            }
        }
    }

    #[test]
    fn noise_behind_a_mark_is_no_text() {
        let noise: Vec<u8> = (0..4000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 11) as u8).collect();
        for mark in [&b"\xff\xfe"[..], b"\xfe\xff", b"\xef\xbb\xbf", b"\xff\xfe\0\0"] {
            assert!(decode([mark, &noise].concat(), Hints::default()).is_err(), "{mark:?}");
        }
        assert_eq!(decode(b"\xff\xfea\0\x01\0\x02\0".to_vec(), Hints::default()), Err(NotText { at: 4 }));
        assert_eq!(decoded(b"\xff\xfe", None), (String::new(), "UTF-16LE", 0));
    }

    #[test]
    fn the_whole_text_decides_the_language() {
        let english =
            "The lamp is lit at dusk and burns until the morning, when the keeper climbs the stairs once more. ";
        let bytes = [english.repeat(3).as_bytes(), b"Zo\xeb said: \x93hello\x94 to everyone."].concat();
        assert_eq!(detect(&bytes, Hints::default()).expect("text").language, Some("en"));
        assert_eq!(decode(bytes, Hints::default()).expect("text").language, Some("en"));
    }

    #[test]
    fn thai_in_utf_16_needs_no_mark() {
        let thai = "ประภาคารตั้งอยู่บนหน้าผาเหนือท่าเรือมานานกว่าร้อยปีแล้ว ".repeat(4);
        for big_endian in [false, true] {
            let bytes = utf16(&thai, big_endian);
            assert_eq!(decode(bytes, Hints::default()).expect("text").text, thai);
        }
    }

    #[test]
    fn what_was_encoded_twice_through_latin_1_is_set_right() {
        let text = "Příliš žluťoučký kůň úpěl ďábelské ódy.";
        let twice: String = text.bytes().map(char::from).collect();
        assert_eq!(decode(twice.into_bytes(), Hints::default()).expect("text").text, text);
    }

    #[test]
    fn archives_and_documents_with_text_in_them_are_no_text() {
        for begin in [&b"PK\x03\x04"[..], b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"] {
            let bytes = [begin, b"The lamp is lit at dusk and burns until the morning."].concat();
            assert_eq!(decode(bytes, Hints::default()), Err(NotText { at: 0 }));
        }
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
    fn the_language_is_that_of_the_text_and_not_of_its_markup() {
        let tags = "<div class='navigation content wrapper'><span class='the button and with for'></span></div>";
        let page = format!(
            "<html><body>{}Příliš žluťoučký kůň úpěl ďábelské ódy, a pak šel domů.</body></html>",
            tags.repeat(20)
        );
        for bytes in [page.as_bytes(), &utf16(&format!("\u{feff}{page}"), false)] {
            assert_eq!(detect(bytes, Hints::default()).expect("text").language, Some("cs"));
        }
        let short = detect(b"Ahoi", Hints::default()).expect("text");
        assert_eq!((short.encoding, short.language), (Some("UTF-8"), None));
    }

    #[test]
    fn japanese_with_escapes_is_seen() {
        let bytes = b"\x1b$B$3$s$K$A$O\x1b(B";
        assert_eq!(decoded(bytes, None), ("こんにちは".into(), "ISO-2022-JP", 0));
        // One character of many is cut in two.
        let damaged = [&[&bytes[..], b"\n"].concat().repeat(20)[..], b"\x1b$B!\x1b(B\n"].concat();
        assert_eq!(decoded(&damaged, None), ("こんにちは\n".repeat(20) + "\u{fffd}\n", "ISO-2022-JP", 1));
        assert_eq!(decoded(b"\x1b$BF|K\\\x1b$(D0!\x1b(B", None), ("日本丂".into(), "ISO-2022-JP-1", 0));
    }

    #[test]
    fn escapes_that_are_not_known_are_not_taken_for_letters() {
        let line = b"\x1b$)A\x0e=;;;\x0f, and a long line of plain text, and a long line of plain text.\n";
        let chinese = [b"Subject: x\n".as_slice(), &line.repeat(3)].concat();
        assert_eq!(decode(chinese, Hints::default()), Err(NotText { at: 11 }));
        let colours = detect(b"\x1b[31mred\x1b[0m and $ 5", Hints::default()).expect("text");
        assert_eq!((colours.encoding, colours.confidence), (Some("UTF-8"), 1.0));
        // Chinese among Japanese, as in ISO-2022-JP-2.
        let japanese = b"\x1b$B$3$s$K$A$O$3$s$K$A$O$3$s$K$A$O$3$s$K$A$O\x1b(B \x1b$A=;\x1b(B".to_vec();
        let decoded = decode(japanese, Hints::default()).expect("text");
        assert_eq!((decoded.encoding, decoded.losses), ("ISO-2022-JP", 1));
    }

    #[test]
    fn headers_that_cannot_be_right_are_no_evidence() {
        let page = b"<p>A caf\xe9 at the harbour, with a terrace above the water";
        for charset in ["utf-16", "utf-32", "utf-16be", "replacement", "iso-2022-cn", "hz", "x-user-defined"] {
            let decoded = decoded(page, Some(charset));
            assert_eq!(decoded.1, "windows-1252", "{charset}");
            assert!(decoded.0.contains("café"), "{charset}");
        }
        assert_eq!(detect(page, Hints { charset: Some("utf-32"), ..Hints::default() }).expect("text").declared, None);
    }
}
