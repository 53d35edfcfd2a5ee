//! Writers: one module per format, with one small trait.
//!
//! A writer honours the marks of a document: it removes marked ranges, or keeps them with their labels if
//! [`WriteOptions::keep_marked`] is set. Files appear under their name only when they are complete.

mod arrow;
mod folder;
mod format;
mod hub;
mod jsonl;
mod names;
mod output;
mod parquet;
mod parts;
mod registry;
mod removed;
mod shards;
mod table;
mod text;
mod vertical;
mod wet;

pub(crate) use crate::disk::atomic::{complete, followed, place_below, write_atomically};
pub(crate) use arrow::Columns;
pub(crate) use folder::{FolderWriter, TEXT, TextFolder};
pub use format::Format;
pub(crate) use format::{extension, is_not_for_text};
pub(crate) use hub::HubWriter;
pub(crate) use jsonl::{DatatroveDocument, DolmaDocument, WrittenDocument, WrittenMark, marks as marks_as_json};
pub(crate) use names::{Names, without_extension, without_packing};
pub(crate) use output::Compressed;
pub use output::{Compression, Sink, Written};
pub(crate) use parts::{Parts, PartsWriter};
pub(crate) use removed::{RemovedLine, removed_lines};
pub(crate) use shards::ShardsWriter;
pub(crate) use table::TableWriter;

use jsonl::Shape;

use crate::document::{BYTE_MARKS_FIELD, Document, MARKS_FIELD};
use crate::error::{Error, Result};
use crate::text::Offsets;

/// How writers treat marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WriteOptions {
    /// Keep marked ranges, with their marks.
    pub keep_marked: bool,
    /// How ranges are written.
    pub offsets: Offsets,
    /// The level of zstd, in Parquet and in files that it compresses.
    pub zstd_level: Option<i32>,
    /// Bytes of a row group in Parquet.
    pub row_group: Option<u64>,
    /// Write the registry of a vertical file beside it.
    pub registry: bool,
}

impl WriteOptions {
    /// The field that holds marks; its name states the unit of the offsets.
    pub(crate) fn marks_field(self) -> &'static str {
        match self.offsets {
            Offsets::Chars => MARKS_FIELD,
            Offsets::Bytes => BYTE_MARKS_FIELD,
        }
    }
}

/// Writes documents in one format.
pub trait DocumentWriter: Send {
    /// Writes one document.
    fn write(&mut self, document: &Document) -> Result<()>;

    /// Ends the current compression frame, so that writing can be resumed here. Returns the offset, or `None` if this
    /// format cannot resume.
    fn pause(&mut self) -> Result<Option<u64>> {
        Ok(None)
    }

    /// Writes what is left and gives the file its name.
    fn finish(self: Box<Self>) -> Result<Written>;
}

/// Opens a writer on an output.
///
/// ```
/// use refrain::Document;
/// use refrain::write::{Compression, Format, Sink, WriteOptions, open};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("out.jsonl");
/// let mut writer = open(Sink::file(&path)?, Format::Jsonl, Compression::None, WriteOptions::default())?;
/// writer.write(&Document::from_text("a", "One text."))?;
/// writer.finish()?;
/// assert_eq!(std::fs::read_to_string(&path)?, "{\"id\":\"a\",\"text\":\"One text.\"}\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn open(
    output: Sink,
    format: Format,
    packing: Compression,
    options: WriteOptions,
) -> Result<Box<dyn DocumentWriter>> {
    if format == Format::Parquet {
        if packing != Compression::None {
            return Err(Error::Refused(
                "Parquet files are compressed internally; remove .gz or .zst from the name".into(),
            ));
        }
        return Ok(Box::new(parquet::ParquetWriter::new(output, options)?));
    }
    let path = output.file_path();
    let packed = match options.zstd_level {
        Some(level) => packing.compress_at(output, level)?,
        None => packing.compress(output)?,
    };
    Ok(match format {
        Format::Text => Box::new(text::TextWriter::new(packed, options)),
        Format::Vertical => Box::new(vertical::VerticalWriter::new(packed, path.as_deref(), options)?),
        Format::Jsonl => Box::new(jsonl::JsonlWriter::new(packed, Shape::Own, options)),
        Format::Dolma => Box::new(jsonl::JsonlWriter::new(packed, Shape::Dolma, options)),
        Format::Datatrove => Box::new(jsonl::JsonlWriter::new(packed, Shape::Datatrove, options)),
        Format::Wet => Box::new(wet::WetWriter::new(packed, packing, options)),
        _ => return Err(Error::Refused(format!("documents cannot be written as {}", format.name()))),
    })
}
