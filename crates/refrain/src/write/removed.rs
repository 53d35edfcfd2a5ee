//! The `removed` output: every marked range, with the pass that marked it and why, one JSON object a line.

use std::path::Path;

use serde_json::json;

use super::output::{Output, Packed, Packing, Written};
use crate::document::Document;
use crate::error::Result;
use crate::text::{CharOffsets, Offsets};

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
            let mut line = serde_json::to_vec(&json!({
                "id": document.id,
                "url": document.origin.url,
                "start": span.start,
                "end": span.end,
                "label": mark.label,
                "pass": mark.pass,
                "evidence": mark.reason,
                "text": mark.span.of(&document.text),
            }))
            .map_err(std::io::Error::from)?;
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
