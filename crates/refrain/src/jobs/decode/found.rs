//! The result for one file.

use std::borrow::Cow;
use std::io::{self, Read};

use super::Uncertain;
use crate::decode::{
    CharedModel, Decoded, Detection, Hints, LanguageFilter, NotText, Repair, decode, detect, identify_page,
};
use crate::document::Document;
use crate::error::{Failure, Hint, Place};
use crate::source::{InputFile, describe};

/// A file, or a document in memory.
#[derive(Clone, Copy)]
pub(super) enum Raw<'a> {
    File(&'a InputFile),
    Document(&'a Document),
}

impl Raw<'_> {
    /// The name of the file, or the id of the document.
    pub(super) fn name(&self) -> &str {
        match self {
            Raw::File(input) => &input.name,
            Raw::Document(document) => &document.id,
        }
    }

    /// The size in bytes, as far as it is known before reading.
    pub(super) fn size(&self) -> u64 {
        match self {
            Raw::File(input) => input.size.unwrap_or(0),
            Raw::Document(document) => document.text().len() as u64,
        }
    }

    /// True unless the file was found in a folder or by a pattern.
    pub(super) fn is_named(&self) -> bool {
        match self {
            Raw::File(input) => input.named,
            Raw::Document(_) => true,
        }
    }

    /// Reads the bytes.
    fn bytes(&self, max_document: u64) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        let limit = max_document.saturating_add(1);
        let read = match self {
            Raw::Document(document) => document.text().as_bytes().take(limit).read_to_end(&mut bytes),
            Raw::File(input) if input.is_stdin() => io::stdin().lock().take(limit).read_to_end(&mut bytes),
            Raw::File(input) => input.open().and_then(|file| {
                bytes.reserve_exact(self.size().min(max_document) as usize);
                file.take(limit).read_to_end(&mut bytes)
            }),
        };
        match read {
            Ok(read) if read as u64 > max_document => {
                let error = format!("larger than {max_document} bytes, the limit for one document");
                Err(Failure::new(self.name(), error).hint(Hint::max_document()))
            }
            Ok(_) => Ok(bytes),
            Err(error) => Err(Failure::new(self.name(), describe(&error))),
        }
    }
}

/// The encoding and language found for a file, and the outcome.
pub(super) struct Found {
    pub(super) origin: String,
    /// Its size.
    pub(super) bytes: u64,
    /// Its encoding and language, if it is text.
    pub(super) detection: Option<Detection>,
    /// The damage in its text, if it was decoded.
    pub(super) damage: Damage,
    /// Whether it is in a language that was not requested.
    pub(super) foreign: bool,
    /// Whether it may be in such a language, but has too little text to decide.
    pub(super) unsure: bool,
    pub(super) failure: Option<Failure>,
}

/// Damage in a text.
#[derive(Default)]
pub(super) struct Damage {
    /// How many U+FFFD replace bytes that fit no encoding.
    pub(super) losses: u64,
    /// Offsets of the first U+FFFD in the text, in bytes.
    pub(super) loss_at: Vec<usize>,
    pub(super) repair: Option<Repair>,
    /// The offset of the first NUL character, and how many there were.
    pub(super) nuls: Option<(usize, usize)>,
}

/// The encoding of a file is uncertain if it is less sure than this.
const SURE: f32 = 0.5;

/// How many offsets of losses are reported.
const LOSSES_LISTED: usize = 10;

impl Damage {
    fn of(decoded: &Decoded) -> Damage {
        let Decoded { losses, repair, nuls, .. } = *decoded;
        let replaced = losses > 0 || nuls.is_some();
        let offsets = || decoded.text.match_indices('\u{fffd}').map(|(at, _)| at).take(LOSSES_LISTED).collect();
        Damage { losses, loss_at: if replaced { offsets() } else { Vec::new() }, repair, nuls }
    }
}

impl Found {
    /// A file that cannot be used.
    pub(super) fn failed(failure: Failure) -> Found {
        let (origin, failure) = (failure.input.clone(), Some(failure));
        Found { origin, bytes: 0, detection: None, damage: Damage::default(), foreign: false, unsure: false, failure }
    }

    fn not_text(name: &str, bytes: u64, NotText { at }: NotText) -> Found {
        let failure = Failure::new(name, "is not text: binary data").place(Place::Byte(at as u64));
        Found { bytes, ..Found::failed(failure) }
    }

    fn text(name: &str, bytes: u64, detection: Detection, damage: Damage) -> Found {
        let (origin, detection) = (name.to_owned(), Some(detection));
        Found { origin, bytes, detection, damage, foreign: false, unsure: false, failure: None }
    }

    /// Records whether the text is in a requested language.
    fn note_language(&mut self, text: &str, filter: &LanguageFilter) {
        if filter.wanted.is_empty() {
            return;
        }
        let found = identify_page(text);
        self.foreign = found.is_some_and(|found| filter.is_foreign(&found));
        self.unsure = !found.is_some_and(|found| found.reliable);
        if let (Some(found), Some(detection)) = (found.filter(|found| found.reliable), &mut self.detection) {
            detection.language = Some(found.code);
        }
    }

    /// The encoding and its confidence, if they are not to be relied on.
    pub(super) fn uncertain(&self) -> Option<Uncertain> {
        let Detection { encoding: Some(encoding), second, confidence, .. } = *self.detection.as_ref()? else {
            return None;
        };
        let origin = || self.origin.clone();
        (confidence < SURE).then(|| Uncertain { origin: origin(), encoding, second, confidence })
    }

    /// True for a file without content.
    pub(super) fn is_empty(&self) -> bool {
        self.bytes == 0 && self.detection.is_some()
    }
}

/// Decodes bytes by the options of a job.
pub(super) struct Decoder {
    pub(super) lang: Option<String>,
    /// The encoding, if it is known.
    pub(super) from: Option<String>,
    pub(super) model: Option<Cow<'static, CharedModel>>,
    pub(super) sample: Option<usize>,
    /// The languages whose texts are wanted.
    pub(super) filter: LanguageFilter,
    pub(super) max_document: u64,
}

/// Declarations are within this many bytes from the start.
const HEAD: usize = 16 << 10;

impl Decoder {
    fn hints(&self) -> Hints<'_> {
        let (language, model) = (self.lang.as_deref(), self.model.as_deref());
        Hints { language, sample: self.sample, model, from: self.from.as_deref(), ..Hints::default() }
    }

    /// Decodes bytes, and returns the encoding that they declare.
    pub(super) fn decode(&self, bytes: Vec<u8>) -> Result<(Decoded, Option<&'static str>), NotText> {
        let head = detect(&bytes[..bytes.len().min(HEAD)], self.hints()).ok();
        let declared = head.as_ref().and_then(|head| head.declared);
        let decoded = decode(bytes, self.hints())?;
        let language = decoded.language.or(head.and_then(|head| head.language));
        Ok((Decoded { language, ..decoded }, declared))
    }

    /// Detects the encoding and language of a file.
    pub(super) fn detect_raw(&self, raw: Raw<'_>) -> Found {
        let bytes = match raw.bytes(self.max_document) {
            Ok(bytes) => bytes,
            Err(failure) => return Found::failed(failure),
        };
        let size = bytes.len() as u64;
        match detect(&bytes, self.hints()) {
            Ok(detection) => Found::text(raw.name(), size, detection, Damage::default()),
            Err(error) => Found::not_text(raw.name(), size, error),
        }
    }

    /// Decodes a file; its text is returned if it is wanted.
    pub(super) fn decode_raw(&self, raw: Raw<'_>) -> (Found, Option<String>) {
        let bytes = match raw.bytes(self.max_document) {
            Ok(bytes) => bytes,
            Err(failure) => return (Found::failed(failure), None),
        };
        let size = bytes.len() as u64;
        let (decoded, declared) = match self.decode(bytes) {
            Ok(decoded) => decoded,
            Err(error) => return (Found::not_text(raw.name(), size, error), None),
        };
        let damage = Damage::of(&decoded);
        let Decoded { text, encoding, second, language, confidence, .. } = decoded;
        let detection = match size {
            0 => Detection { encoding: None, second: None, language: None, confidence: 0.0, declared },
            _ => Detection { encoding: Some(encoding), second, language, confidence, declared },
        };
        let mut found = Found::text(raw.name(), size, detection, damage);
        found.note_language(&text, &self.filter);
        let wanted = !found.foreign;
        (found, wanted.then_some(text))
    }
}
