//! A folder of parts, each a file that holds some of the documents. Parts are hidden until all of them are complete.

use std::fs;
use std::path::PathBuf;

use super::output::Written;
use super::{Compression, DocumentWriter, Format, Sink, WriteOptions, open};
use crate::disk::atomic::{rename_if_present, sync_folder};
use crate::document::Document;
use crate::error::{IoContext, Result};

/// A folder of parts: `part-00000.jsonl` and so on.
#[derive(Debug, Clone)]
pub(crate) struct Parts {
    pub(crate) folder: PathBuf,
    pub(crate) format: Format,
    pub(crate) packing: Compression,
}

impl Parts {
    fn name(&self, number: u64) -> String {
        format!("part-{number:05}.{}{}", self.format.extension(), self.packing.suffix())
    }

    fn path(&self, number: u64) -> PathBuf {
        self.folder.join(self.name(number))
    }

    /// The name of a complete part before all are complete.
    fn hidden(&self, number: u64) -> PathBuf {
        self.folder.join(self.hidden_name(number))
    }

    fn hidden_name(&self, number: u64) -> String {
        format!(".{}", self.name(number))
    }

    /// Shows this many parts under their names, and deletes later ones of an earlier run. A run that was killed meanwhile can do
    /// it again.
    pub(crate) fn show(&self, parts: u64) -> Result<()> {
        for number in 0..parts {
            rename_if_present(&self.hidden(number), &self.path(number))?;
        }
        self.delete_from(parts, Parts::path)?;
        sync_folder(Some(&self.folder))
    }

    /// The number of parts that are complete and hidden.
    pub(crate) fn hidden_parts(&self) -> u64 {
        (0..u64::MAX).take_while(|number| self.hidden(*number).exists()).count() as u64
    }

    fn delete_from(&self, first: u64, path: fn(&Parts, u64) -> PathBuf) -> Result<()> {
        let others = (first..u64::MAX).map(|number| path(self, number)).take_while(|path| path.exists());
        others.collect::<Vec<_>>().iter().try_for_each(|path| fs::remove_file(path).at(path))
    }
}

/// Writes documents into parts of a folder.
pub(crate) struct PartsWriter {
    to: Parts,
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
    /// after `size` bytes of text. All parts are hidden until they are [shown](Parts::show).
    pub(crate) fn open(to: Parts, options: WriteOptions, size: u64, parts: u64) -> Result<PartsWriter> {
        fs::create_dir_all(&to.folder).at(&to.folder)?;
        to.delete_from(parts, Parts::hidden)?;
        Ok(PartsWriter { to, options, size, written: 0, part: None, parts, bytes: 0 })
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
                let output = Sink::below(&self.to.folder, self.to.hidden_name(self.parts), None)?;
                self.part.insert(open(output, self.to.format, self.to.packing, self.options)?)
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
