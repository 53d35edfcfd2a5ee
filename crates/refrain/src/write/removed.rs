//! The `removed` output: every marked range, with the pass that marked it and why, one JSON object a line.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::{Document, Label, Reason};
use crate::error::Result;
use crate::text::{CharOffsets, Offsets, count_words};

/// A line of the output.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct RemovedLine<'a> {
    /// Id of the document.
    pub(crate) id: Cow<'a, str>,
    /// Its address, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) url: Option<Cow<'a, str>>,
    /// Where the range starts.
    pub(crate) start: usize,
    /// Where the range ends; the end is exclusive.
    pub(crate) end: usize,
    /// What the range is.
    pub(crate) label: Label,
    /// The pass that marked it.
    pub(crate) pass: Cow<'a, str>,
    /// Why.
    pub(crate) evidence: Cow<'a, Reason>,
    /// Words of the whole document; `None` in lists of earlier versions.
    #[serde(default)]
    pub(crate) document_words: Option<u64>,
    /// Blocks of the whole document; `None` in lists of earlier versions.
    #[serde(default)]
    pub(crate) document_blocks: Option<u64>,
    /// The text of the range.
    pub(crate) text: Cow<'a, str>,
}

/// The marked ranges of a document as lines of JSON.
pub(crate) fn removed_lines(document: &Document, offsets: Offsets) -> Result<Vec<u8>> {
    let mut lines = Vec::new();
    if document.marks.is_empty() {
        return Ok(lines);
    }
    let (words, blocks) = (count_words(document.text()), document.blocks().len() as u64);
    let mut chars = CharOffsets::new(document.text());
    for mark in document.fitting_marks() {
        let span = chars.span(mark.span, offsets);
        let removed = RemovedLine {
            id: document.id.as_str().into(),
            url: document.origin.url.as_deref().map(Cow::from),
            start: span.start,
            end: span.end,
            label: mark.label,
            pass: (&*mark.pass).into(),
            evidence: Cow::Borrowed(&mark.reason),
            document_words: Some(words),
            document_blocks: Some(blocks),
            text: mark.span.of(document.text()).into(),
        };
        serde_json::to_writer(&mut lines, &removed).map_err(std::io::Error::from)?;
        lines.push(b'\n');
    }
    Ok(lines)
}
