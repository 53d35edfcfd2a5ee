//! TEI: a file is one document, or a corpus of them.

use std::io::BufRead;
use std::ops::ControlFlow;

use serde_json::Map;

use super::divided::{self, Division};
use super::sniff::is_tei_corpus;
use super::{At, Body, Emitter, Markup, OfficeFile, OfficeFormat, RawDocument, describe, office, too_large};
use crate::error::{Hint, Place};

pub(super) fn read(at: &At<'_>, mut reader: Box<dyn BufRead + '_>, out: &mut Emitter<'_>) -> ControlFlow<()> {
    match reader.fill_buf() {
        Ok(head) if is_tei_corpus(head) => {}
        Ok(_) => return office::read(at, OfficeFormat::Tei, reader, out),
        Err(error) => return out.failed(at.failure(describe(&error))),
    }
    let limit = at.options().max_document;
    let documents = Division { begin: b"<TEI", end: b"</TEI>", what: "TEI document" };
    divided::read(at, reader, &documents, out, |header, document, number, out| {
        // The declaration of the file states the encoding of each document.
        let end = memchr::memmem::find(header, b"?>").map_or(0, |end| end + 2);
        let declaration = Some(&header[..end]).filter(|start| start.starts_with(b"<?xml")).unwrap_or_default();
        let bytes = [declaration, document].concat();
        if bytes.len() as u64 > limit {
            let failure = at.failure(too_large(limit)).hint(Hint::max_document());
            return out.failed(failure.place(Place::Record(number)));
        }
        out.document(RawDocument {
            id: format!("{}:{number}", at.path()),
            origin: at.origin(),
            meta: Map::new(),
            body: Body::Office(OfficeFile { format: OfficeFormat::Tei, bytes, limit }),
            markup: Some(Markup::Text),
            charset: None,
            claims_text: true,
        })
    })
}
