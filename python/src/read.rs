//! A source as a stream of documents.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use refrain::source::ReadOptions;
use refrain::text::Offsets;
use refrain::{Document, Error, Failure, Result, Run, Stop};

use crate::errors::{self, exception, raise};
use crate::jobs::build;
use crate::page::{blocks, marks};
use crate::source::Source;

/// Documents that are read ahead.
const AHEAD: usize = 64;

/// A reading that goes on in a thread of its own. It stops when it is dropped.
#[pyclass(frozen)]
pub(crate) struct Reading {
    items: Mutex<Option<Receiver<Item>>>,
    in_table: bool,
    stop: Stop,
}

enum Item {
    Document(Box<Document>),
    Failed(Box<Failure>),
    Error(Error),
}

/// What is read, and how.
#[derive(serde::Deserialize)]
struct Options {
    read: ReadOptions,
    keep_marked: bool,
}

#[pymethods]
impl Reading {
    #[new]
    #[pyo3(signature = (source, options, threads=None))]
    fn new(source: &Source, options: &str, threads: Option<usize>) -> PyResult<Reading> {
        let Options { read, keep_marked } = build(options).map_err(|error| exception(&error))?;
        let (sender, items) = sync_channel(AHEAD);
        let run = Run { threads, ..Run::default() };
        let (stop, input) = (run.stop.clone(), source.input.clone());
        let work = move || {
            let gone = |_| Error::Interrupted;
            let read = input.each_document(&read, keep_marked, &run, |document, failure| -> Result<()> {
                if let Some(failure) = failure {
                    sender.send(Item::Failed(Box::new(failure))).map_err(gone)?;
                }
                document.map_or(Ok(()), |document| sender.send(Item::Document(Box::new(document))).map_err(gone))
            });
            if let Err(error) = read {
                // Nobody listens if the reading was dropped.
                let _ = sender.send(Item::Error(error));
            }
        };
        let thread = std::thread::Builder::new().name("refrain".into()).spawn(work);
        thread.map_err(|error| exception(&error.into()))?;
        Ok(Reading { items: Mutex::new(Some(items)), in_table: source.table.is_some(), stop })
    }

    /// The next document as a dictionary, a failure as a text, or nothing at the end.
    fn next<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        loop {
            py.check_signals()?;
            let received = py.detach(|| {
                let items = self.items.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                items.as_ref().map(|items| items.recv_timeout(Duration::from_millis(100)))
            });
            return match received {
                Some(Err(RecvTimeoutError::Timeout)) => continue,
                None | Some(Err(RecvTimeoutError::Disconnected)) => Ok(None),
                Some(Ok(Item::Error(error))) => Err(exception(&error)),
                Some(Ok(Item::Failed(failure))) => {
                    Ok(Some(errors::failure(&failure, self.in_table).into_pyobject(py)?.into_any()))
                }
                Some(Ok(Item::Document(document))) => values(py, &document).map(|values| Some(values.into_any())),
            };
        }
    }

    /// Stops the reading.
    fn close(&self) -> PyResult<()> {
        self.stop.request();
        let mut items = self.items.lock().map_err(|_| raise("InternalError", "a reading broke".into()))?;
        *items = None;
        Ok(())
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.stop.request();
    }
}

fn values<'py>(py: Python<'py>, document: &Document) -> PyResult<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    result.set_item("id", &document.id)?;
    result.set_item("text", document.text())?;
    result.set_item("url", document.origin.url.as_deref())?;
    result.set_item("language", document.language.as_deref())?;
    result.set_item("encoding", document.encoding.as_deref())?;
    result.set_item("origin", document.origin.path())?;
    result.set_item("blocks", blocks(py, document, Offsets::Chars)?)?;
    result.set_item("marks", marks(py, document, Offsets::Chars)?)?;
    result.set_item("meta", serde_json::to_string(&document.meta).unwrap_or_default())?;
    Ok(result)
}
