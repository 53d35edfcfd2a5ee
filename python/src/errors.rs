//! Errors of the library as Python exceptions, with hints in the words of Python.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyModule;
use refrain::{Error, Failure, Place};

/// An option as Python spells it. Values that are no numbers are quoted.
fn spelled(option: &str, value: Option<&str>) -> String {
    match value {
        None => format!("{option}=..."),
        Some(value) if value.parse::<f64>().is_ok() => format!("{option}={value}"),
        Some(value) => format!("{option}=\"{value}\""),
    }
}

/// A failure in words. Rows of a table in memory count from 0, as everywhere in Python.
pub(crate) fn failure(failure: &Failure, in_table: bool) -> String {
    match failure.place {
        Some(Place::Row(row)) if in_table => {
            let named = Failure {
                input: "the table".into(),
                place: Some(Place::Row(row.saturating_sub(1))),
                ..failure.clone()
            };
            named.spelled(spelled)
        }
        _ if in_table => Failure { input: "the table".into(), ..failure.clone() }.spelled(spelled),
        _ => failure.spelled(spelled),
    }
}

/// An exception of the package by the name of its class.
pub(crate) fn raise(name: &str, message: String) -> PyErr {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    Python::attach(|py| {
        let module = MODULE.get_or_try_init(py, || PyModule::import(py, "refrain._errors").map(Bound::unbind));
        let made = module.and_then(|module| module.bind(py).getattr(name)?.call1((message,)));
        made.map_or_else(|error| error, PyErr::from_value)
    })
}

/// The exception for an error of the library.
pub(crate) fn exception(error: &Error) -> PyErr {
    let name = match innermost(error) {
        Error::Io { .. } | Error::Stream(_) => "FileError",
        Error::Parquet { .. } => "ParquetError",
        Error::Damaged { .. } => "DamagedError",
        Error::Unusable { .. } => "UnusableError",
        Error::Alarm(_) => "AlarmError",
        Error::Interrupted => "InterruptedError",
        _ => "RefusedError",
    };
    raise(name, error.spelled(spelled))
}

fn innermost(error: &Error) -> &Error {
    match error {
        Error::Hinted { error, .. } => innermost(error),
        error => error,
    }
}
