//! Decode: bytes to text, and the language of the text.
//!
//! The order of trust: a byte order mark; UTF-8 that is valid; what HTTP and the document declare, when the bytes fit it;
//! a statistical guess (chardetng, the detector of Firefox).

mod declared;
mod language;

pub use language::{Language, LanguageFilter, detect_language};

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};

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

/// How many bytes the statistical guess looks at.
const GUESS: usize = 128 << 10;

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
    if let Some((encoding, length)) = Encoding::for_bom(&bytes) {
        return Ok(with_encoding(&bytes[length..], encoding));
    }
    if let Some(encoding) = utf16_without_mark(&bytes) {
        return Ok(with_encoding(&bytes, encoding));
    }
    if let Some(at) = binary(&bytes) {
        return Err(NotText { at });
    }
    // Seven-bit encodings with escapes are valid UTF-8, too.
    let escapes = memchr::memmem::find(&bytes, b"\x1b$").is_some();
    let bytes = if escapes {
        bytes
    } else {
        match String::from_utf8(bytes) {
            Ok(text) => return Ok(clean(text, UTF_8.name(), 0)),
            Err(error) => error.into_bytes(),
        }
    };
    if nearly_utf8(&bytes, hints) {
        return Ok(with_encoding(&bytes, UTF_8));
    }
    let declared = hints
        .charset
        .and_then(|label| Encoding::for_label(label.as_bytes()))
        .or_else(|| declared::in_document(&bytes))
        // Whoever declares UTF-16 in ASCII letters, or UTF-8 over bytes that are none, is wrong.
        .filter(|&encoding| encoding != UTF_16LE && encoding != UTF_16BE && encoding != UTF_8);
    let by_declaration = declared.map(|encoding| with_encoding(&bytes, encoding));
    match by_declaration {
        Some(decoded) if decoded.losses == 0 => Ok(decoded),
        by_declaration => {
            let by_guess = with_encoding(&bytes, guess(&bytes, hints.domain));
            match by_declaration {
                Some(decoded) if decoded.losses <= by_guess.losses => Ok(decoded),
                _ => Ok(by_guess),
            }
        }
    }
}

/// Tells the encoding and the language of bytes without decoding all of them.
pub fn detect(bytes: &[u8], hints: Hints<'_>) -> Result<Detection, NotText> {
    let declared = declared::in_document(bytes).map(Encoding::name);
    if bytes.is_empty() {
        return Ok(Detection { encoding: None, language: None, confidence: 0.0, declared });
    }
    let decoded = decode(bytes.to_vec(), hints)?;
    let Decoded { encoding, language, confidence, .. } = decoded;
    Ok(Detection { encoding: Some(encoding), language, confidence, declared })
}

/// True for UTF-8 with a few bytes spoilt, such as a page cut off inside a character: characters of several bytes do not
/// come about by chance.
fn nearly_utf8(bytes: &[u8], hints: Hints<'_>) -> bool {
    let (mut good, mut bad) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        good += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        bad += usize::from(!chunk.invalid().is_empty());
    }
    let declared = || {
        let outside = hints.charset.and_then(|label| Encoding::for_label(label.as_bytes()));
        outside.or_else(|| declared::in_document(bytes)) == Some(UTF_8)
    };
    good > 10 * bad || (good >= bad && good > 0 && declared())
}

fn with_encoding(bytes: &[u8], encoding: &'static Encoding) -> Decoded {
    let (text, malformed) = encoding.decode_without_bom_handling(bytes);
    let losses = if malformed { text.matches('\u{fffd}').count() as u64 } else { 0 };
    clean(text.into_owned(), encoding.name(), losses)
}

fn clean(text: String, encoding: &'static str, losses: u64) -> Decoded {
    let (text, nuls) = replace_nuls(text);
    Decoded { text, encoding, language: None, confidence: 1.0, repair: None, losses, nuls }
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

fn guess(bytes: &[u8], domain: Option<&str>) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(&bytes[..bytes.len().min(GUESS)], bytes.len() <= GUESS);
    let domain = domain.filter(|d| d.bytes().all(|b| b.is_ascii_lowercase() || b == b'-' || b.is_ascii_digit()));
    let guess = detector.guess(domain.map(str::as_bytes), Utf8Detection::Allow);
    // Escapes that make no Japanese are terminal colours.
    if guess == ISO_2022_JP && memchr::memmem::find(bytes, b"\x1b$").is_none() { UTF_8 } else { guess }
}

/// UTF-16 without a mark: of the text of any script with spaces and line ends in it, one byte of each pair is often zero,
/// and always the same one.
fn utf16_without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
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
    (!malformed && !text.chars().any(|c| c.is_control() && !c.is_whitespace())).then_some(encoding)
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
