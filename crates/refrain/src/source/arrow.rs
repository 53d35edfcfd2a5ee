//! Arrow tables in memory, or copied to a temporary file: one row, one document.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type};
use arrow_array::types::{UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, GenericStringArray, OffsetSizeTrait, RecordBatch};
use arrow_cast::cast;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use serde_json::{Map, Value};

use super::jsonl::{document, take_id};
use super::{At, Body, Emitter, too_large};
use crate::disk::platform::FileExt;
use crate::document::META_COLUMN;
use crate::error::{Error, Failure, Hint, Place, Result};

/// A table of documents. Its batches are in memory, or in a temporary file that is deleted with the last clone.
#[derive(Debug, Clone)]
pub struct ArrowTable {
    schema: SchemaRef,
    batches: Batches,
    bytes: u64,
}

#[derive(Debug, Clone)]
enum Batches {
    Memory(Arc<[RecordBatch]>),
    File(Arc<File>),
}

impl ArrowTable {
    /// The batches as they are: nothing is copied.
    pub fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> ArrowTable {
        let bytes = batches.iter().map(bytes_of).sum();
        ArrowTable { schema, batches: Batches::Memory(batches.into()), bytes }
    }

    /// Takes all batches of a stream. More than `held` bytes of them are copied to a temporary file, so that a job can read
    /// them more than once.
    pub fn of_stream(
        schema: SchemaRef,
        mut stream: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
        held: u64,
        temporary: Option<&Path>,
    ) -> Result<ArrowTable> {
        let refused = |error: ArrowError| Error::Refused(format!("the table cannot be read: {error}"));
        let (mut batches, mut bytes) = (Vec::new(), 0);
        for batch in stream.by_ref() {
            let batch = batch.map_err(refused)?;
            bytes += bytes_of(&batch);
            batches.push(batch);
            if bytes > held {
                break;
            }
        }
        if bytes <= held {
            return Ok(ArrowTable { schema, batches: Batches::Memory(batches.into()), bytes });
        }
        let file = match temporary {
            Some(folder) => tempfile::tempfile_in(folder).map_err(|error| Error::io(folder, error))?,
            None => tempfile::tempfile()?,
        };
        let copied = |error: ArrowError| match error {
            ArrowError::IoError(_, error) => Error::Stream(error),
            error => refused(error),
        };
        let mut out = StreamWriter::try_new(BufWriter::new(file), &schema).map_err(copied)?;
        for batch in batches.drain(..) {
            out.write(&batch).map_err(copied)?;
        }
        for batch in stream {
            let batch = batch.map_err(refused)?;
            bytes += bytes_of(&batch);
            out.write(&batch).map_err(copied)?;
        }
        let file = out.into_inner().map_err(copied)?.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        Ok(ArrowTable { schema, batches: Batches::File(Arc::new(file)), bytes })
    }

    /// The columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The batches, in order.
    pub fn batches(&self) -> Result<Box<dyn Iterator<Item = Result<RecordBatch>> + Send + '_>> {
        match &self.batches {
            Batches::Memory(batches) => Ok(Box::new(batches.iter().cloned().map(Ok))),
            Batches::File(file) => {
                let damaged = |error: ArrowError| Error::Refused(format!("a temporary file cannot be read: {error}"));
                let reader = BufReader::new(Shared { file: file.clone(), at: 0 });
                let reader = StreamReader::try_new(reader, None).map_err(damaged)?;
                Ok(Box::new(reader.map(move |batch| batch.map_err(damaged))))
            }
        }
    }

    /// The size in memory, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// Reads a file from its start, while others read it, too.
struct Shared {
    file: Arc<File>,
    at: u64,
}

impl std::io::Read for Shared {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = FileExt::read_at(&*self.file, buffer, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

/// The bytes of the rows of a batch. Buffers that batches share count once for each of them, so slices of a large table are measured
/// by their rows.
fn bytes_of(batch: &RecordBatch) -> u64 {
    let bytes = |column: &ArrayRef| column.to_data().get_slice_memory_size().unwrap_or_default() as u64;
    batch.columns().iter().map(bytes).sum()
}

/// Rows of a batch at a time: columns that have to be converted are converted for so many.
const SLICE_ROWS: usize = 1024;

pub(super) fn read(at: &At<'_>, table: &ArrowTable, out: &mut Emitter<'_>) -> ControlFlow<()> {
    let mut rows = match Rows::of(at, table.schema(), true) {
        Ok(rows) => rows,
        Err(failure) => return out.failed(*failure),
    };
    let batches = match table.batches() {
        Ok(batches) => batches,
        Err(error) => return out.failed(at.failure(error.to_string())),
    };
    for batch in batches {
        let batch = match batch {
            Ok(batch) => batch,
            Err(error) => return out.failed(at.failure(error.to_string())),
        };
        for start in (0..batch.num_rows()).step_by(SLICE_ROWS) {
            let slice = batch.slice(start, SLICE_ROWS.min(batch.num_rows() - start));
            at.source.add_read(bytes_of(&slice));
            rows.emit(&slice, out)?;
        }
    }
    ControlFlow::Continue(())
}

/// Turns the rows of a table into documents.
pub(super) struct Rows<'a> {
    at: &'a At<'a>,
    text_column: Option<usize>,
    /// Rows so far.
    number: u64,
    /// Rows without an id have their number, from 0, as their id.
    numbered: bool,
}

impl<'a> Rows<'a> {
    /// The rows of a table with these columns. A table without the column of texts is a failure. Only a table in memory may hold
    /// texts as bytes.
    pub(super) fn of(at: &'a At<'a>, schema: &Schema, in_memory: bool) -> Result<Rows<'a>, Box<Failure>> {
        let options = at.options();
        let column = schema.column_with_name(&options.text_field);
        let hint = Hint::option("text_field", "name the column with `text_field`");
        if column.is_none() && !options.text_field.is_empty() {
            let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).take(12).collect();
            let error = format!("no column \"{}\"; columns are: {}", options.text_field, names.join(", "));
            return Err(Box::new(at.failure(error).hint(hint)));
        }
        let fits = |kind: &DataType| match kind {
            DataType::Dictionary(_, kind) => in_memory && (is_text(kind) || is_binary(kind)),
            DataType::Null => in_memory,
            kind => is_text(kind) || in_memory && is_binary(kind),
        };
        if let Some((_, field)) = column.filter(|(_, field)| !fits(field.data_type())) {
            let error = format!("column \"{}\" holds {}, not text", options.text_field, field.data_type());
            return Err(Box::new(at.failure(error).hint(hint)));
        }
        let text_column = column.map(|(column, _)| column);
        Ok(Rows { at, text_column, number: 0, numbered: in_memory })
    }

    /// The number of the last row, from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Passes on the rows of a batch.
    pub(super) fn emit(&mut self, batch: &RecordBatch, out: &mut Emitter<'_>) -> ControlFlow<()> {
        let options = self.at.options();
        let plain = |(index, column): (usize, &ArrayRef)| self.plain(index, column);
        let columns: Vec<ArrayRef> = batch.columns().iter().enumerate().map(plain).collect();
        for row in 0..batch.num_rows() {
            self.number += 1;
            if !out.wants_next() {
                out.pass_over()?;
                continue;
            }
            let number = self.number;
            let fail = |error: String| self.at.failure(error).place(Place::Row(number));
            let text = self.text_column.and_then(|column| columns.get(column)).and_then(|column| bytes_at(column, row));
            let bytes = text.unwrap_or_default();
            if bytes.len() as u64 > options.max_document {
                out.failed(fail(too_large(options.max_document)).hint(Hint::max_document()))?;
                continue;
            }
            let is_bytes = self.text_column.is_some_and(|column| is_binary(columns[column].data_type()));
            let text = match simdutf8::basic::from_utf8(bytes) {
                _ if is_bytes => String::new(),
                Ok(text) => text.to_owned(),
                Err(_) => {
                    out.failed(fail("the text is not valid UTF-8".into()))?;
                    continue;
                }
            };
            let mut fields = other_fields(batch.schema_ref(), &columns, row, self.text_column);
            let id = take_id(&mut fields, &options.id_field).unwrap_or_else(|| match self.numbered {
                true => (number - 1).to_string(),
                false => format!("{}:{number}", self.at.path()),
            });
            let mut raw = document(self.at, id, text, fields);
            if is_bytes {
                raw.body = Body::Bytes(bytes.to_vec());
                raw.markup = self.at.text_is;
            }
            out.document(raw)?;
        }
        ControlFlow::Continue(())
    }

    /// A column without a dictionary. Other columns are left as they are.
    fn plain(&self, index: usize, column: &ArrayRef) -> ArrayRef {
        let kind = match column.data_type() {
            DataType::Dictionary(_, kind) => kind,
            DataType::Null if Some(index) == self.text_column => &DataType::Utf8,
            _ => return column.clone(),
        };
        cast(column, kind).unwrap_or_else(|_| column.clone())
    }
}

fn is_text(kind: &DataType) -> bool {
    matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

fn is_binary(kind: &DataType) -> bool {
    matches!(kind, DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_))
}

/// The bytes of a text or of bytes. A program may claim that bytes are text, so they are not believed to be UTF-8.
fn bytes_at(column: &ArrayRef, row: usize) -> Option<&[u8]> {
    fn of_text<O: OffsetSizeTrait>(column: &GenericStringArray<O>, row: usize) -> Option<&[u8]> {
        let (from, to) = (column.value_offsets().get(row)?.as_usize(), column.value_offsets().get(row + 1)?.as_usize());
        column.value_data().get(from..to)
    }
    if column.is_null(row) {
        return None;
    }
    match column.data_type() {
        DataType::Utf8 => of_text(column.as_string::<i32>(), row),
        DataType::LargeUtf8 => of_text(column.as_string::<i64>(), row),
        DataType::Utf8View => Some(column.as_string_view().value(row).as_bytes()),
        DataType::Binary => Some(column.as_binary::<i32>().value(row)),
        DataType::LargeBinary => Some(column.as_binary::<i64>().value(row)),
        DataType::BinaryView => Some(column.as_binary_view().value(row)),
        DataType::FixedSizeBinary(_) => Some(column.as_fixed_size_binary().value(row)),
        _ => None,
    }
}

/// The text in a row of a column of texts.
fn text_at(column: &ArrayRef, row: usize) -> Option<Cow<'_, str>> {
    if is_text(column.data_type()) { bytes_at(column, row).map(String::from_utf8_lossy) } else { None }
}

/// The other columns as fields. Numbers, booleans, lists and structures are kept; other types become their
/// usual text form. The `meta` column of refrain's own tables is opened again.
fn other_fields(schema: &Schema, columns: &[ArrayRef], row: usize, text_column: Option<usize>) -> Map<String, Value> {
    let mut fields = Map::new();
    for (index, (field, column)) in schema.fields().iter().zip(columns).enumerate() {
        if Some(index) == text_column || column.is_null(row) {
            continue;
        }
        if field.name() == META_COLUMN
            && let Some(Ok(inner)) = text_at(column, row).map(|text| serde_json::from_str::<Map<String, Value>>(&text))
        {
            // A field of the source may have the name of a column.
            let taken = |name: &String| schema.column_with_name(name).is_some();
            fields.extend(
                inner
                    .into_iter()
                    .map(|(name, value)| if taken(&name) { (format!("source_{name}"), value) } else { (name, value) }),
            );
            continue;
        }
        fields.insert(field.name().clone(), value_of(column, row));
    }
    fields
}

fn value_or_null(column: &ArrayRef, row: usize) -> Value {
    if column.is_null(row) { Value::Null } else { value_of(column, row) }
}

fn value_of(column: &ArrayRef, row: usize) -> Value {
    macro_rules! number {
        ($kind:ty) => {
            Value::from(column.as_primitive::<$kind>().value(row))
        };
    }
    match column.data_type() {
        DataType::Boolean => Value::from(column.as_boolean().value(row)),
        DataType::Int8 => number!(Int8Type),
        DataType::Int16 => number!(Int16Type),
        DataType::Int32 => number!(Int32Type),
        DataType::Int64 => number!(Int64Type),
        DataType::UInt8 => number!(UInt8Type),
        DataType::UInt16 => number!(UInt16Type),
        DataType::UInt32 => number!(UInt32Type),
        DataType::UInt64 => number!(UInt64Type),
        DataType::Float32 => number!(Float32Type),
        DataType::Float64 => number!(Float64Type),
        DataType::List(_) => {
            let items = column.as_list::<i32>().value(row);
            (0..items.len()).map(|item| value_or_null(&items, item)).collect()
        }
        DataType::Struct(fields) => {
            let columns = column.as_struct().columns();
            let fields =
                fields.iter().zip(columns).map(|(field, column)| (field.name().clone(), value_or_null(column, row)));
            Value::Object(fields.collect())
        }
        _ => match text_at(column, row) {
            Some(text) => Value::from(text),
            None => {
                let formatter = ArrayFormatter::try_new(column.as_ref(), &FormatOptions::default());
                let shown = formatter.ok().and_then(|f| f.value(row).try_to_string().ok());
                // Texts inside the value may not be UTF-8.
                shown.map_or(Value::Null, |shown| String::from_utf8_lossy(shown.as_bytes()).into_owned().into())
            }
        },
    }
}
