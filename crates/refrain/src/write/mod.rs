//! Writers: one file per format behind one small trait.
//!
//! A writer honours the marks of a document: marked ranges are left out, or kept with their labels when
//! [`WriteOptions::keep_marked`] says so. Files appear under their name only when they are complete.

mod folder;
mod jsonl;
mod output;
mod parquet;
mod parts;
mod removed;
mod table;
mod text;
mod vertical;

pub use crate::disk::atomic::{complete, place_below, write_atomically};
pub use folder::FolderWriter;
pub use output::{Output, Packed, Packing, Written};
pub use parts::PartsWriter;
pub use removed::removed_lines;
pub use table::TableWriter;

use std::path::Path;

use crate::document::{BYTE_MARKS_FIELD, Document, MARKS_FIELD};
use crate::error::{Error, Result};
use crate::text::Offsets;

/// Formats of written documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutputFormat {
    /// Plain text.
    Text,
    /// One JSON object a line.
    Jsonl,
    /// A Parquet table.
    Parquet,
    /// One token a line, structures as tags.
    Vertical,
}

impl OutputFormat {
    /// All of them.
    pub const ALL: [OutputFormat; 4] =
        [OutputFormat::Text, OutputFormat::Jsonl, OutputFormat::Parquet, OutputFormat::Vertical];

    /// The name that options use.
    pub fn name(self) -> &'static str {
        match self {
            OutputFormat::Text => "text",
            OutputFormat::Jsonl => "jsonl",
            OutputFormat::Parquet => "parquet",
            OutputFormat::Vertical => "vertical",
        }
    }

    /// The extension of its files.
    pub fn extension(self) -> &'static str {
        match self {
            OutputFormat::Text => "txt",
            OutputFormat::Jsonl => "jsonl",
            OutputFormat::Parquet => "parquet",
            OutputFormat::Vertical => "vert",
        }
    }

    /// The format that a file name asks for.
    pub fn of_path(path: &Path) -> Option<OutputFormat> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let name = [".gz", ".zst"].iter().find_map(|packed| name.strip_suffix(packed)).unwrap_or(&name);
        match name.rsplit_once('.')?.1 {
            "txt" | "text" => Some(OutputFormat::Text),
            "jsonl" | "ndjson" => Some(OutputFormat::Jsonl),
            "parquet" => Some(OutputFormat::Parquet),
            "vert" | "vertical" => Some(OutputFormat::Vertical),
            _ => None,
        }
    }
}

/// What writers do with marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WriteOptions {
    /// Keep marked ranges, with their marks.
    pub keep_marked: bool,
    /// How ranges are written.
    pub offsets: Offsets,
}

impl WriteOptions {
    /// The field that holds marks; its name tells what its offsets count.
    fn marks_field(self) -> &'static str {
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

    /// Ends what is packed at a time, and leaves the output so that writing can be resumed here. Returns from where; `None`
    /// when this format cannot.
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
/// use refrain::write::{open, Output, OutputFormat, Packing, WriteOptions};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("out.jsonl");
/// let mut writer = open(Output::file(&path)?, OutputFormat::Jsonl, Packing::None, WriteOptions::default())?;
/// writer.write(&Document::from_text("a", "One text."))?;
/// writer.finish()?;
/// assert_eq!(std::fs::read_to_string(&path)?, "{\"id\":\"a\",\"text\":\"One text.\"}\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn open(
    output: Output,
    format: OutputFormat,
    packing: Packing,
    options: WriteOptions,
) -> Result<Box<dyn DocumentWriter>> {
    if format == OutputFormat::Parquet {
        if packing != Packing::None {
            return Err(Error::Refused("Parquet files are compressed inside; leave .gz or .zst off the name".into()));
        }
        return Ok(Box::new(parquet::ParquetWriter::new(output, options)?));
    }
    let packed = packing.pack(output)?;
    Ok(match format {
        OutputFormat::Text => Box::new(text::TextWriter::new(packed, options)),
        OutputFormat::Vertical => Box::new(vertical::VerticalWriter::new(packed, options)),
        _ => Box::new(jsonl::JsonlWriter::new(packed, options)),
    })
}

/// Opens a writer that puts every document into a text file of its own under a folder.
pub fn open_folder(folder: &Path, options: WriteOptions) -> Result<Box<dyn DocumentWriter>> {
    Ok(Box::new(FolderWriter::beside(folder, options, [], false)?))
}
