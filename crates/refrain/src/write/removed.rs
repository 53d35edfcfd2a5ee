//! The `removed` output: every marked range, with the pass that marked it and why, one JSON object a line.

use std::path::Path;

use serde::Serialize;

use super::output::{Output, Packed, Packing, Written};
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

/// Writes the marked ranges of documents.
pub struct RemovedWriter {
    out: Packed,
    offsets: Offsets,
}

impl RemovedWriter {
    /// Opens a file; its name says whether it is packed (.gz, .zst).
    pub fn create(path: &Path, offsets: Offsets) -> Result<RemovedWriter> {
        Ok(RemovedWriter { out: Packing::of_path(path).pack(Output::file(path)?)?, offsets })
    }

    /// Writes the marks of one document.
    pub fn write(&mut self, document: &Document) -> Result<()> {
        let mut chars = CharOffsets::new(&document.text);
        for mark in &document.marks {
            let span = chars.span(mark.span, self.offsets);
            let removed = Removed {
                id: &document.id,
                url: document.origin.url.as_deref(),
                start: span.start,
                end: span.end,
                label: mark.label,
                pass: &mark.pass,
                evidence: &mark.reason,
                text: mark.span.of(&document.text),
            };
            let mut line = serde_json::to_vec(&removed).map_err(std::io::Error::from)?;
            line.push(b'\n');
            self.out.put(&line)?;
        }
        Ok(())
    }

    /// Writes what is left and gives the file its name.
    pub fn finish(self) -> Result<Written> {
        self.out.finish()
    }
}
