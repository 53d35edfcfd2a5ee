//! Office documents and e-books: distinguished from other archives, and passed on unchanged.
//!
//! Opening them happens on many threads, where documents are decoded.

use std::io::{BufRead, Cursor, Read, Seek};
use std::ops::ControlFlow;

use serde_json::Map;
use zip::ZipArchive;

use crate::source::sniff::{HEAD, format_of_xml, has_extension};
use crate::source::{At, Body, Emitter, InputFormat, Markup, OfficeFile, OfficeFormat, RawDocument, read_limited};

/// The kind of a zip archive that is itself a document.
pub(in crate::source) enum Found {
    /// A document that is read.
    Document(OfficeFormat),
    /// One without running text.
    Other(&'static str),
}

/// What a zip archive is, by its members; `None` for an archive of files.
pub(in crate::source) fn of_zip<R: Read + Seek>(archive: &mut ZipArchive<R>) -> Option<Found> {
    let mut kind = Vec::new();
    if let Ok(member) = archive.by_name("mimetype") {
        // An unreadable one is ignored.
        let _ = member.take(100).read_to_end(&mut kind);
    }
    if kind.starts_with(b"application/epub+zip") {
        return Some(Found::Document(OfficeFormat::Epub));
    }
    if kind.starts_with(b"application/vnd.oasis.opendocument.text") {
        return Some(Found::Document(OfficeFormat::Odt));
    }
    if kind.starts_with(b"application/vnd.oasis.opendocument") {
        return Some(Found::Other("OpenDocument file"));
    }
    let is_of_pages = |name: &str| name.starts_with("Index/") && has_end(name, ".iwa");
    if archive.file_names().any(|name| name.is_ok_and(|name| is_of_pages(&name))) {
        return Some(Found::Other("iWork document"));
    }
    archive.index_for_name("[Content_Types].xml")?;
    let is_main = |name: &str| name.starts_with("word/document") && has_end(name, ".xml");
    let has_text = archive.file_names().any(|name| name.is_ok_and(|name| is_main(&name)));
    Some(if has_text { Found::Document(OfficeFormat::Docx) } else { Found::Other("Office document") })
}

/// What a record of a web archive is, by its first bytes and the members of a zip archive; `None` for other content.
pub(in crate::source) fn of_content(bytes: &[u8]) -> Option<Found> {
    let signs = [(&b"%PDF-"[..], OfficeFormat::Pdf), (b"{\\rtf", OfficeFormat::Rtf)];
    if let Some((_, format)) = signs.into_iter().find(|(sign, _)| bytes.starts_with(sign)) {
        return Some(Found::Document(format));
    }
    // hOCR is a web page, too, and a crawler brings it home as one.
    let format = format_of_xml(&bytes[..bytes.len().min(HEAD)]).filter(|format| *format != InputFormat::Hocr);
    if let Some(format) = format.and_then(OfficeFormat::of) {
        return Some(Found::Document(format));
    }
    bytes
        .starts_with(b"PK")
        .then(|| ZipArchive::new(Cursor::new(bytes)).ok())
        .flatten()
        .and_then(|mut all| of_zip(&mut all))
}

fn has_end(name: &str, end: &str) -> bool {
    name.strip_suffix(end).is_some()
}

/// The zip-based format that a file name claims, if any.
pub(in crate::source) fn claimed(name: &str) -> Option<&'static str> {
    [("docx", "DOCX"), ("odt", "ODT"), ("epub", "EPUB")]
        .into_iter()
        .find(|(extension, _)| has_extension(name, &[extension]))
        .map(|(_, format)| format)
}

/// Passes on a document unchanged.
pub(in crate::source) fn read(
    at: &At<'_>,
    format: OfficeFormat,
    reader: impl Read,
    out: &mut Emitter<'_>,
) -> ControlFlow<()> {
    let limit = at.options().max_document;
    let bytes = match read_limited(reader, limit) {
        Ok(bytes) => bytes,
        Err(trouble) => return out.failed(trouble.into_failure(at)),
    };
    out.document(RawDocument {
        id: at.path(),
        origin: at.origin(),
        meta: Map::new(),
        body: Body::Office(OfficeFile { format, bytes, limit: limit.min(at.allowance.left()) }),
        markup: Some(Markup::Text),
        charset: None,
        claims_text: at.claims_text,
    })
}

/// A container of Office before 2007: a document of old Word, an encrypted document, or something else.
pub(in crate::source) fn read_ole(
    at: &At<'_>,
    reader: Box<dyn BufRead + '_>,
    out: &mut Emitter<'_>,
) -> ControlFlow<()> {
    let bytes = match read_limited(reader, at.options().max_document) {
        Ok(bytes) => bytes,
        Err(trouble) => return out.failed(trouble.into_failure(at)),
    };
    if has_entry(&bytes, "EncryptedPackage") {
        let failure = at.failure("encrypted Office document");
        return out.failed(failure.hint("save it without a password"));
    }
    if has_entry(&bytes, "WordDocument") {
        let failure = at.failure("Word document from before 2007 (.doc), which refrain does not read");
        return out.failed(failure.hint("save it as DOCX, for example with soffice --convert-to docx"));
    }
    at.binary("Office document", out)
}

/// True if the directory of a container has an entry of this name. Entries take 128 bytes and begin with their name, in
/// UTF-16, followed by a zero.
fn has_entry(bytes: &[u8], name: &str) -> bool {
    let name: Vec<u8> = name.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect();
    bytes.chunks(128).any(|entry| entry.starts_with(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_containers_are_found() {
        let mut bytes = vec![0; 1024];
        let name: Vec<u8> = "WordDocument".encode_utf16().flat_map(u16::to_le_bytes).collect();
        bytes[640..640 + name.len()].copy_from_slice(&name);
        assert!(has_entry(&bytes, "WordDocument") && !has_entry(&bytes, "Word"));
        bytes[640 + name.len()] = 1;
        assert!(!has_entry(&bytes, "WordDocument"));
    }
}
