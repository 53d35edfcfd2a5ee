//! A folder of parts, each a file that holds some of the documents.

use std::path::{Path, PathBuf};

use super::output::Written;
use super::{Compression, DocumentWriter, Format, Sink, WriteOptions, open};
use crate::document::Document;
use crate::error::{IoContext, Result};

/// Writes documents into parts of a folder: `part-00000.jsonl` and so on.
pub(crate) struct PartsWriter {
    folder: PathBuf,
    format: Format,
    packing: Compression,
    options: WriteOptions,
    /// Bytes of text per part.
    size: u64,
    /// Text in the part that is being written.
    written: u64,
    part: Option<Box<dyn DocumentWriter>>,
    parts: u64,
    /// The total size of the parts written here.
    bytes: u64,
}

impl PartsWriter {
    /// Resumes after the complete parts, and deletes others. A part ends at the first [pause](DocumentWriter::pause)
    /// after `size` bytes of text.
    pub(crate) fn open(
        folder: &Path,
        (format, packing): (Format, Compression),
        options: WriteOptions,
        size: u64,
        parts: u64,
    ) -> Result<PartsWriter> {
        std::fs::create_dir_all(folder).at(folder)?;
        let writer = PartsWriter {
            folder: folder.to_owned(),
            format,
            packing,
            options,
            size,
            written: 0,
            part: None,
            parts,
            bytes: 0,
        };
        let earlier: Vec<PathBuf> =
            (parts..u64::MAX).map(|number| writer.path(number)).take_while(|path| path.exists()).collect();
        earlier.iter().try_for_each(|path| std::fs::remove_file(path).at(path))?;
        Ok(writer)
    }

    fn path(&self, number: u64) -> PathBuf {
        self.folder.join(format!("part-{number:05}.{}{}", self.format.extension(), self.packing.suffix()))
    }

    fn end_part(&mut self) -> Result<()> {
        if let Some(part) = self.part.take() {
            self.bytes += part.finish()?.bytes;
            self.parts += 1;
            self.written = 0;
        }
        Ok(())
    }
}

impl DocumentWriter for PartsWriter {
    fn write(&mut self, document: &Document) -> Result<()> {
        let part = match &mut self.part {
            Some(part) => part,
            None => {
                let output = Sink::file(&self.path(self.parts))?;
                self.part.insert(open(output, self.format, self.packing, self.options)?)
            }
        };
        self.written += document.text().len() as u64;
        part.write(document)
    }

    fn pause(&mut self) -> Result<Option<u64>> {
        if self.written >= self.size {
            self.end_part()?;
        }
        Ok(self.part.is_none().then_some(self.parts))
    }

    fn finish(mut self: Box<Self>) -> Result<Written> {
        self.end_part()?;
        Ok(Written { bytes: self.bytes, sha256: None })
    }
}
