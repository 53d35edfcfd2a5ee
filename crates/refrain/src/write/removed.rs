//! The `removed` output: every marked range, with the pass that marked it and why, one JSON object a line.

use serde::Serialize;

use crate::document::{Document, Label, Reason};
use crate::error::Result;
use crate::text::{CharOffsets, Offsets};

/// A line of the output.
#[derive(Serialize)]
struct Removed<'a> {
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    start: usize,
    end: usize,
    label: Label,
    pass: &'a str,
    evidence: &'a Reason,
    text: &'a str,
}

/// The marked ranges of a document as lines of JSON.
pub(crate) fn removed_lines(document: &Document, offsets: Offsets) -> Result<Vec<u8>> {
    let mut lines = Vec::new();
    let mut chars = CharOffsets::new(document.text());
    for mark in document.fitting_marks() {
        let span = chars.span(mark.span, offsets);
        let removed = Removed {
            id: &document.id,
            url: document.origin.url.as_deref(),
            start: span.start,
            end: span.end,
            label: mark.label,
            pass: &mark.pass,
            evidence: &mark.reason,
            text: mark.span.of(document.text()),
        };
        serde_json::to_writer(&mut lines, &removed).map_err(std::io::Error::from)?;
        lines.push(b'\n');
    }
    Ok(lines)
}
