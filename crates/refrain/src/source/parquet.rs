//! Parquet tables: one row, one document.

use std::fmt::Display;
use std::fs::File;
use std::ops::ControlFlow;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type};
use arrow_array::types::{UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::DataType;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use serde_json::{Map, Value};

use super::guard::guarded;
use super::jsonl::{document, take_id};
use super::sample::Part;
use super::{At, Emitter, too_large};
use crate::document::META_COLUMN;
use crate::error::{Hint, Place};

/// Rows at a time: few, because a row may hold a whole book.
const BATCH_ROWS: usize = 16;

pub(super) fn read(at: &At<'_>, file: File, part: Option<&Part>, out: &mut Emitter<'_>) -> ControlFlow<()> {
    let options = at.options();
    // The Arrow schema that some writers embed is not needed, and must not be believed.
    let reading = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let builder = match attempt(|| ParquetRecordBatchReaderBuilder::try_new_with_options(file, reading)) {
        Ok(builder) => builder.with_batch_size(BATCH_ROWS),
        Err(error) => return out.failed(at.failure(format!("not a readable Parquet file: {error}"))),
    };
    let schema = builder.schema().clone();
    let text_column = schema.column_with_name(&options.text_field);
    if text_column.is_none() && !options.text_field.is_empty() {
        let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).take(12).collect();
        let error = format!("no column \"{}\"; columns are: {}", options.text_field, names.join(", "));
        return out.failed(at.failure(error).hint(Hint::option("text_field", "name the column with `text_field`")));
    }
    if let Some((_, field)) = text_column.filter(|(_, field)| !is_text(field.data_type())) {
        let error = format!("column \"{}\" holds {}, not text", options.text_field, field.data_type());
        return out.failed(at.failure(error).hint(Hint::option("text_field", "name the column with `text_field`")));
    }
    let builder = match part {
        Some(part) => {
            let rows = part.rows(u64::try_from(builder.metadata().file_metadata().num_rows()).unwrap_or_default());
            builder.with_offset(rows.start as usize).with_limit((rows.end - rows.start) as usize)
        }
        None => builder,
    };
    let mut reader = match attempt(|| builder.build()) {
        Ok(reader) => reader,
        Err(error) => return out.failed(at.failure(format!("not a readable Parquet file: {error}"))),
    };
    let mut row_number = 0_u64;
    loop {
        let batch = match attempt(|| reader.next().transpose()) {
            Ok(Some(batch)) => batch,
            Ok(None) => return ControlFlow::Continue(()),
            Err(error) => {
                let failure = at.failure(format!("damaged Parquet data: {error}"));
                return out.failed(failure.place(Place::Row(row_number + 1)));
            }
        };
        for row in 0..batch.num_rows() {
            row_number += 1;
            if !out.wants_next() {
                out.pass_over()?;
                continue;
            }
            let text = text_column.and_then(|(column, _)| text_of(batch.column(column), row));
            let text = text.unwrap_or_default().to_owned();
            if text.len() as u64 > options.max_document {
                let failure = at.failure(too_large(options.max_document)).hint(Hint::max_document());
                out.failed(failure.place(Place::Row(row_number)))?;
                continue;
            }
            let mut fields = other_fields(&batch, row, text_column.map(|(column, _)| column));
            let id = take_id(&mut fields, &options.id_field).unwrap_or_else(|| format!("{}:{row_number}", at.path()));
            out.document(document(at, id, text, fields))?;
        }
    }
}

/// Runs a step of the Parquet library, which panics on some damaged files. Nothing is used after a step that failed.
fn attempt<T, E: Display>(step: impl FnOnce() -> Result<T, E>) -> Result<T, String> {
    match guarded(step) {
        Some(result) => result.map_err(|error| error.to_string()),
        None => Err("damaged".into()),
    }
}

fn is_text(kind: &DataType) -> bool {
    matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

fn text_of(column: &ArrayRef, row: usize) -> Option<&str> {
    if column.is_null(row) {
        return None;
    }
    match column.data_type() {
        DataType::Utf8 => Some(column.as_string::<i32>().value(row)),
        DataType::LargeUtf8 => Some(column.as_string::<i64>().value(row)),
        DataType::Utf8View => Some(column.as_string_view().value(row)),
        _ => None,
    }
}

/// The other columns as fields. Numbers, booleans, lists and structures are kept; other types become their
/// usual text form. The `meta` column of refrain's own tables is opened again.
fn other_fields(batch: &RecordBatch, row: usize, text_column: Option<usize>) -> Map<String, Value> {
    let mut fields = Map::new();
    for (index, field) in batch.schema_ref().fields().iter().enumerate() {
        let column = batch.column(index);
        if Some(index) == text_column || column.is_null(row) {
            continue;
        }
        if field.name() == META_COLUMN
            && let Some(Ok(inner)) = text_of(column, row).map(serde_json::from_str::<Map<String, Value>>)
        {
            // A field of the source may have the name of a column.
            let taken = |name: &String| batch.schema_ref().column_with_name(name).is_some();
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
        _ => match text_of(column, row) {
            Some(text) => Value::from(text),
            None => {
                let formatter = ArrayFormatter::try_new(column.as_ref(), &FormatOptions::default());
                formatter.ok().and_then(|f| f.value(row).try_to_string().ok()).map_or(Value::Null, Value::from)
            }
        },
    }
}
