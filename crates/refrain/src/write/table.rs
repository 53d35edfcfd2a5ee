//! Tables of text in Parquet: one row a record, one column a field.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use super::output::{Sink, Written};
use super::parquet::Place;
use crate::error::Result;

/// Rows that are collected before they are handed to the encoder.
const BATCH_ROWS: usize = 4096;

/// Writes a table of text, row by row.
pub(crate) struct TableWriter {
    writer: ArrowWriter<Sink>,
    schema: Arc<Schema>,
    place: Place,
    columns: Vec<Vec<Option<String>>>,
}

impl TableWriter {
    /// A table with these columns.
    pub(crate) fn new(output: Sink, columns: &[String]) -> Result<TableWriter> {
        let place = Place::of(&output);
        let fields: Vec<Field> = columns.iter().map(|name| Field::new(name, DataType::Utf8, true)).collect();
        let schema = Arc::new(Schema::new(fields));
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(format!("refrain {}", env!("CARGO_PKG_VERSION")))
            .build();
        let writer =
            ArrowWriter::try_new(output, schema.clone(), Some(properties)).map_err(|error| place.wrap(error))?;
        Ok(TableWriter { writer, schema, place, columns: vec![Vec::new(); columns.len()] })
    }

    /// Adds a row; cells that are missing are null.
    pub(crate) fn write(&mut self, row: Vec<Option<String>>) -> Result<()> {
        let mut row = row.into_iter();
        for column in &mut self.columns {
            column.push(row.next().flatten());
        }
        if self.columns.first().is_some_and(|column| column.len() >= BATCH_ROWS) { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        let text =
            |column: &mut Vec<Option<String>>| -> ArrayRef { Arc::new(StringArray::from(std::mem::take(column))) };
        let columns = self.columns.iter_mut().map(text).collect();
        let batch = RecordBatch::try_new(self.schema.clone(), columns).map_err(|error| self.place.wrap(error))?;
        self.writer.write(&batch).map_err(|error| self.place.wrap(error))
    }

    /// Completes the file.
    pub(crate) fn finish(mut self) -> Result<Written> {
        self.flush()?;
        self.writer.into_inner().map_err(|error| self.place.wrap(error))?.finish()
    }
}
