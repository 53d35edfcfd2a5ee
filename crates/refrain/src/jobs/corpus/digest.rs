//! The digest of the documents of a corpus. It depends on the documents and their order, and not on formats and parts.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::document::Document;
use crate::text::Digest;

/// The digest of one document, or of all documents up to one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ContentDigest([u8; 32]);

impl Default for ContentDigest {
    /// The digest of no documents.
    fn default() -> ContentDigest {
        ContentDigest(Digest::default().bytes())
    }
}

impl ContentDigest {
    /// The digest of these documents and one more. A corpus that grows therefore never reads its old documents for it.
    pub(super) fn followed_by(self, document: ContentDigest) -> ContentDigest {
        let mut digest = Digest::default();
        digest.update(&self.0);
        digest.update(&document.0);
        ContentDigest(digest.bytes())
    }
}

/// The digest of a document: its id, address, language and text, and its marks if they are kept. Each is preceded by its length.
pub(super) fn digest_of(document: &Document, keep_marked: bool) -> ContentDigest {
    let mut digest = Digest::default();
    let mut add = |field: &str| {
        digest.update(&(field.len() as u64).to_le_bytes());
        digest.update(field.as_bytes());
    };
    add(&document.id);
    add(document.address().unwrap_or_default());
    add(document.language.as_deref().unwrap_or_default());
    add(&document.shown(keep_marked).text);
    for mark in document.fitting_marks().filter(|_| keep_marked) {
        add(&format!("{} {} {} {}", mark.span.start, mark.span.end, mark.label.name(), mark.pass));
    }
    ContentDigest(digest.bytes())
}

impl fmt::Display for ContentDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Serialize for ContentDigest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ContentDigest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ContentDigest, D::Error> {
        let hex = String::deserialize(deserializer)?;
        let mut bytes = [0; 32];
        let pairs = hex.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap_or_default());
        let all = pairs.zip(&mut bytes).all(|(pair, byte)| u8::from_str_radix(pair, 16).map(|it| *byte = it).is_ok());
        if all && hex.len() == 64 { Ok(ContentDigest(bytes)) } else { Err(serde::de::Error::custom("not a digest")) }
    }
}
