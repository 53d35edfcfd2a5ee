//! What a job reads: files by name, a table, or texts.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::RecordBatchReader;
use arrow_array::ffi_stream::ArrowArrayStreamReader;
use arrow_array::{ArrayRef, LargeBinaryArray, LargeStringArray, RecordBatch, StringArray};
use arrow_pyarrow::FromPyArrow;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use pyo3::prelude::*;
use refrain::Input;
use refrain::source::ArrowTable;

use crate::errors::{exception, raise};

/// The input of a job.
#[pyclass(frozen)]
pub(crate) struct Source {
    pub(crate) input: Input,
    pub(crate) table: Option<ArrowTable>,
}

#[pymethods]
impl Source {
    /// Files and folders by name.
    #[staticmethod]
    fn paths(names: Vec<String>) -> PyResult<Source> {
        let input = Input::paths(names).map_err(|error| exception(&error))?;
        Ok(Source { input, table: None })
    }

    /// Anything with the Arrow C stream interface. More than `held` bytes are copied to a temporary file, if it is given.
    #[staticmethod]
    #[pyo3(signature = (table, held=None, temporary=None))]
    fn table(
        py: Python<'_>,
        table: &Bound<'_, PyAny>,
        held: Option<u64>,
        temporary: Option<PathBuf>,
    ) -> PyResult<Source> {
        let reader = ArrowArrayStreamReader::from_pyarrow_bound(table)?;
        let schema = reader.schema();
        // Python may have to make each batch, and the user may press Ctrl-C meanwhile.
        let checked = reader.map(|batch| {
            #[allow(clippy::redundant_closure_for_method_calls)] // the method does not fit every lifetime
            let signals = Python::attach(|py| py.check_signals());
            signals.map_err(|error| ArrowError::ExternalError(Box::new(error)))?;
            batch
        });
        let held = held.unwrap_or(u64::MAX);
        let taken = py.detach(|| ArrowTable::of_stream(schema, checked, held, temporary.as_deref()));
        py.check_signals()?;
        taken.map(Source::of).map_err(|error| exception(&error))
    }

    /// Texts, with the other fields of each as JSON.
    #[staticmethod]
    #[pyo3(signature = (texts, fields, name))]
    fn texts(texts: Vec<Option<String>>, fields: Option<Vec<String>>, name: &str) -> PyResult<Source> {
        let texts: ArrayRef = Arc::new(LargeStringArray::from(texts));
        Source::of_columns(texts, DataType::LargeUtf8, fields, name)
    }

    /// The same for bytes whose encoding is not known.
    #[staticmethod]
    #[pyo3(signature = (texts, fields, name))]
    fn bytes(texts: Vec<Option<Vec<u8>>>, fields: Option<Vec<String>>, name: &str) -> PyResult<Source> {
        let texts: ArrayRef = Arc::new(LargeBinaryArray::from_iter(texts));
        Source::of_columns(texts, DataType::LargeBinary, fields, name)
    }
}

impl Source {
    fn of(table: ArrowTable) -> Source {
        Source { input: Input::arrow(table.clone()), table: Some(table) }
    }

    fn of_columns(texts: ArrayRef, kind: DataType, fields: Option<Vec<String>>, name: &str) -> PyResult<Source> {
        let mut columns = vec![texts];
        let mut kinds = vec![Field::new(name, kind, true)];
        if let Some(fields) = fields {
            columns.push(Arc::new(StringArray::from(fields)));
            kinds.push(Field::new("meta", DataType::Utf8, true));
        }
        let schema = Arc::new(Schema::new(kinds));
        let batch = RecordBatch::try_new(schema.clone(), columns);
        let batch = batch.map_err(|error| raise("InputError", error.to_string()))?;
        Ok(Source::of(ArrowTable::new(schema, vec![batch])))
    }
}
