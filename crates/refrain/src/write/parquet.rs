//! Parquet: one row a document.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_schema::Schema;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use super::arrow::Columns;
use super::output::{Sink, Written};
use super::{DocumentWriter, WriteOptions};
use crate::document::Document;
use crate::error::{Error, Result};

/// Encoded bytes after which a row group is closed, unless the user chooses: what a reader needs to hold at a time.
const ROW_GROUP_BYTES: u64 = 32 << 20;

pub(super) struct ParquetWriter {
    writer: ArrowWriter<Sink>,
    place: Place,
    columns: Columns,
    row_group: u64,
}

impl ParquetWriter {
    pub(super) fn new(output: Sink, options: WriteOptions) -> Result<ParquetWriter> {
        let place = Place::of(&output);
        let columns = Columns::new(options, false);
        let schema: Arc<Schema> = columns.schema().clone();
        let level = match options.zstd_level {
            Some(level) => ZstdLevel::try_new(level).map_err(|error| place.wrap(error))?,
            None => ZstdLevel::default(),
        };
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(level))
            .set_created_by(format!("refrain {}", env!("CARGO_PKG_VERSION")))
            // A dictionary of whole texts is useless.
            .set_column_dictionary_enabled("text".into(), false)
            .set_column_statistics_enabled("text".into(), parquet::file::properties::EnabledStatistics::None)
            .build();
        let writer = ArrowWriter::try_new(output, schema, Some(properties)).map_err(|error| place.wrap(error))?;
        let row_group = options.row_group.unwrap_or(ROW_GROUP_BYTES);
        Ok(ParquetWriter { writer, place, columns, row_group })
    }

    fn flush(&mut self) -> Result<()> {
        let batch = self.columns.take().map_err(|error| self.place.wrap(error))?;
        self.writer.write(&batch).map_err(|error| self.place.wrap(error))?;
        if self.writer.in_progress_size() as u64 > self.row_group {
            self.writer.flush().map_err(|error| self.place.wrap(error))?;
        }
        Ok(())
    }
}

/// The path for errors of the Parquet library.
#[derive(Clone)]
pub(super) struct Place {
    path: PathBuf,
    closed: Arc<AtomicBool>,
}

impl Place {
    pub(super) fn of(output: &Sink) -> Place {
        Place { path: output.path(), closed: output.closed() }
    }

    pub(super) fn wrap(&self, error: impl std::fmt::Display) -> Error {
        match self.closed.load(Ordering::Relaxed) {
            true => Error::io(&self.path, std::io::ErrorKind::BrokenPipe.into()),
            false => Error::Parquet { path: self.path.clone(), message: error.to_string() },
        }
    }
}

impl DocumentWriter for ParquetWriter {
    fn write(&mut self, document: &Document) -> Result<()> {
        self.columns.push(document)?;
        if self.columns.bytes() > self.row_group.min(Columns::BYTES) { self.flush() } else { Ok(()) }
    }

    fn finish(mut self: Box<Self>) -> Result<Written> {
        self.flush()?;
        self.writer.into_inner().map_err(|error| self.place.wrap(error))?.finish()
    }
}
