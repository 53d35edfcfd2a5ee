//! Documents as Arrow tables and as values of Python.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchIterator, StructArray};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use arrow_select::interleave::interleave;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};
use refrain::source::ArrowTable;
use serde_json::{Map, Value};

use crate::errors::{exception, raise};
use crate::source::Source;

/// The columns of documents that refrain fills.
const RECORD: &str = "record";
const TEXT: &str = "text";
const MARKS: &str = "marks";
const META: &str = "meta";

fn refused(error: ArrowError) -> PyErr {
    raise("InputError", error.to_string())
}

/// A table for other libraries. It can be read any number of times.
#[pyclass(frozen)]
pub(crate) struct Batches {
    schema: Arc<Schema>,
    batches: Vec<RecordBatch>,
}

#[pymethods]
impl Batches {
    /// The Arrow C stream interface. The batches are not copied.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // Consumers have to accept the schema that there is.
        drop(requested_schema);
        let batches = self.batches.clone().into_iter().map(Ok);
        let reader = RecordBatchIterator::new(batches, self.schema.clone());
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}

/// The table of documents without the numbers of their records.
pub(crate) fn documents(py: Python<'_>, batches: Vec<RecordBatch>) -> PyResult<Bound<'_, PyAny>> {
    let mut without = Vec::new();
    for mut batch in batches {
        if batch.schema_ref().field(0).name() == RECORD {
            batch.remove_column(0);
        }
        without.push(batch);
    }
    let schema = without.first().map_or_else(|| Arc::new(Schema::empty()), RecordBatch::schema);
    Ok(Batches { schema, batches: without }.into_pyobject(py)?.into_any())
}

/// How rows are shown.
pub(crate) struct Shape<'a> {
    pub(crate) text_field: &'a str,
    /// Add the marks.
    pub(crate) marks: bool,
    /// Fields of the documents that become columns, if the source has no such column.
    pub(crate) fields: &'a [String],
}

/// The rows of a source whose documents were written. All other columns are those of the source.
pub(crate) fn of_source<'py>(
    py: Python<'py>,
    batches: Vec<RecordBatch>,
    source: &Source,
    shape: &Shape<'_>,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(table) = &source.table else { return documents(py, batches) };
    let (schema, made) = py.detach(|| rows(batches, table, shape))?;
    Ok(Batches { schema, batches: made }.into_pyobject(py)?.into_any())
}

fn rows(batches: Vec<RecordBatch>, table: &ArrowTable, shape: &Shape<'_>) -> PyResult<(Arc<Schema>, Vec<RecordBatch>)> {
    let source = table.schema();
    let text = source.column_with_name(shape.text_field).map(|(index, _)| index);
    let mut fields: Vec<Arc<Field>> = source.fields().iter().cloned().collect();
    if let Some(index) = text {
        let kind = match fields[index].data_type() {
            kind @ (DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View) => kind.clone(),
            _ => DataType::Utf8,
        };
        fields[index] = Arc::new(Field::new(shape.text_field, kind, fields[index].is_nullable()));
    }
    let is_new = |name: &str| source.column_with_name(name).is_none();
    let added: Vec<&String> = shape.fields.iter().filter(|name| is_new(name)).collect();
    fields.extend(added.iter().map(|name| Arc::new(Field::new(name.as_str(), DataType::Utf8, true))));
    // The table may have marks of an earlier run, whose offsets no longer fit.
    let marks_at = source.column_with_name(MARKS).map(|(index, _)| index);
    let marks = batches.first().and_then(|batch| batch.schema_ref().column_with_name(MARKS).map(|(at, _)| at));
    let mark_field = batches.first().zip(marks).map(|(batch, at)| batch.schema_ref().field(at).clone());
    if let (true, Some(field)) = (shape.marks, mark_field) {
        match marks_at {
            Some(index) => fields[index] = Arc::new(field),
            None => fields.push(Arc::new(field)),
        }
    }
    let schema = Arc::new(Schema::new_with_metadata(fields, source.metadata().clone()));
    let mut cursor =
        Cursor { batches: table.batches().map_err(|error| exception(&error))?, held: VecDeque::new(), read: 0 };
    let mut made = Vec::new();
    for batch in batches {
        let found = cursor.rows(batch.column(0).as_primitive::<Int64Type>().values())?;
        let mut columns = Vec::new();
        for (index, field) in schema.fields().iter().enumerate().take(source.fields().len()) {
            let new = match index {
                _ if Some(index) == text => batch.column_by_name(TEXT),
                _ if shape.marks && Some(index) == marks_at => batch.column_by_name(MARKS),
                _ => None,
            };
            columns.push(match new {
                Some(column) => cast(column, field.data_type()).map_err(refused)?,
                None => cursor.column(index, &found, field.data_type())?,
            });
        }
        columns.extend(fields_of(&batch, &added));
        if shape.marks && marks_at.is_none() {
            columns.extend(batch.column_by_name(MARKS).cloned());
        }
        made.push(RecordBatch::try_new(schema.clone(), columns).map_err(refused)?);
    }
    Ok((schema, made))
}

/// Some fields of documents as columns.
fn fields_of(batch: &RecordBatch, names: &[&String]) -> Vec<ArrayRef> {
    if names.is_empty() {
        return Vec::new();
    }
    let mut columns: Vec<StringBuilder> = names.iter().map(|_| StringBuilder::new()).collect();
    let meta = batch.column_by_name(META).map(AsArray::as_string::<i32>);
    for row in 0..batch.num_rows() {
        let text = meta.filter(|meta| meta.is_valid(row)).map(|meta| meta.value(row));
        let fields: Map<String, Value> = text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        for (column, name) in columns.iter_mut().zip(names) {
            let own = batch.column_by_name(name).map(AsArray::as_string::<i32>);
            match own.filter(|own| own.is_valid(row)) {
                Some(own) => column.append_value(own.value(row)),
                None => column.append_option(fields.get(*name).and_then(Value::as_str)),
            }
        }
    }
    columns.into_iter().map(|mut column| Arc::new(column.finish()) as ArrayRef).collect()
}

/// Reads the batches of a source in order, and holds those that are needed.
struct Cursor<'a> {
    batches: Box<dyn Iterator<Item = refrain::Result<RecordBatch>> + Send + 'a>,
    /// The batches that are held, with the number of their first row.
    held: VecDeque<(i64, RecordBatch)>,
    /// Rows that were read.
    read: i64,
}

impl Cursor<'_> {
    /// The places of some rows, in order: the number of a batch that is held, and a row in it.
    fn rows(&mut self, numbers: &[i64]) -> PyResult<Vec<(usize, usize)>> {
        let (Some(first), Some(last)) = (numbers.first(), numbers.last()) else { return Ok(Vec::new()) };
        while self.read <= *last {
            let Some(batch) = self.batches.next() else { break };
            let batch = batch.map_err(|error| exception(&error))?;
            let start = self.read;
            self.read += batch.num_rows() as i64;
            if self.read > *first {
                self.held.push_back((start, batch));
            }
        }
        while self.held.front().is_some_and(|(start, batch)| start + batch.num_rows() as i64 <= *first) {
            self.held.pop_front();
        }
        let place = |number: &i64| {
            let at = self.held.partition_point(|(start, _)| start <= number).checked_sub(1)?;
            let (start, batch) = self.held.get(at)?;
            let row = usize::try_from(number - start).ok()?;
            (row < batch.num_rows()).then_some((at, row))
        };
        let places: Option<Vec<_>> = numbers.iter().map(place).collect();
        places.ok_or_else(|| raise("InputError", "the table changed while it was read".into()))
    }

    /// The values of a column in some rows. Rows that follow each other are not copied.
    fn column(&self, index: usize, places: &[(usize, usize)], kind: &DataType) -> PyResult<ArrayRef> {
        let Some(&(batch, row)) = places.first() else { return Ok(arrow_array::new_empty_array(kind)) };
        let follow = places.iter().enumerate().all(|(number, place)| *place == (batch, row + number));
        if let Some((_, batch)) = self.held.get(batch).filter(|_| follow) {
            return Ok(batch.column(index).slice(row, places.len()));
        }
        let columns: Vec<&dyn Array> = self.held.iter().map(|(_, batch)| &**batch.column(index)).collect();
        interleave(&columns, places).map_err(refused)
    }
}

/// Start, end, label, pass and evidence of a mark.
type MarkValues<'a> = (i64, i64, &'a str, &'a str, &'a str);

/// The documents as tuples: number of the record, id, text, marks, language, fields as JSON.
pub(crate) fn values<'py>(py: Python<'py>, batches: &[RecordBatch]) -> PyResult<Bound<'py, PyAny>> {
    let list = PyList::empty(py);
    for batch in batches {
        let strings = |name: &str| batch.column_by_name(name).map(AsArray::as_string::<i32>);
        let value = |name: &str, row: usize| {
            let column = strings(name).filter(|column| column.is_valid(row))?;
            Some(column.value(row))
        };
        let marks = batch.column_by_name(MARKS).map(AsArray::as_list::<i32>);
        for row in 0..batch.num_rows() {
            let marks = marks.map(|marks| marks.value(row));
            let marks = marks.as_ref().and_then(|marks| marks.as_struct_opt()).map(marks_of).unwrap_or_default();
            let record = batch.column(0).as_primitive::<Int64Type>().value(row);
            let (text, meta) = (value(TEXT, row), value(META, row));
            list.append((record, value("id", row), text, marks, value("language", row), value("url", row), meta))?;
        }
    }
    Ok(list.into_any())
}

fn marks_of(marks: &StructArray) -> Vec<MarkValues<'_>> {
    let number = |column: usize, row: usize| marks.column(column).as_primitive::<Int64Type>().value(row);
    let text = |column: usize, row: usize| marks.column(column).as_string::<i32>().value(row);
    (0..marks.len()).map(|row| (number(0, row), number(1, row), text(2, row), text(3, row), text(4, row))).collect()
}
