//! Plain text: documents one after the other, with a blank line between them.

use super::output::{Compressed, Written};
use super::{DocumentWriter, WriteOptions};
use crate::document::Document;
use crate::error::Result;

pub(super) struct TextWriter {
    out: Compressed,
    options: WriteOptions,
    first: bool,
}

impl TextWriter {
    pub(super) fn new(out: Compressed, options: WriteOptions) -> TextWriter {
        TextWriter { out, options, first: true }
    }
}

impl DocumentWriter for TextWriter {
    fn write(&mut self, document: &Document) -> Result<()> {
        let shown = document.shown(self.options.keep_marked);
        let text = shown.text.trim_end_matches('\n');
        if text.is_empty() {
            return Ok(());
        }
        if !std::mem::replace(&mut self.first, false) {
            self.out.put(b"\n")?;
        }
        self.out.put(text.as_bytes())?;
        self.out.put(b"\n")
    }

    fn pause(&mut self) -> Result<Option<u64>> {
        self.out.pause().map(Some)
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        self.out.finish()
    }
}
