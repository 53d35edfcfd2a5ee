//! Runs a job in a thread of its own, while the calling thread looks for Ctrl-C and reports progress.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arrow_array::RecordBatch;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use refrain::text::Offsets;
use refrain::write::{Compression, Format};
use refrain::{Error, Event, Input, Memory, Observer, Output, Outputs, Result, Run, Stop};
use serde_json::Value;

use crate::errors::{self, exception, raise};
use crate::jobs::Task;
use crate::rows;
use crate::source::Source;

/// How often the calling thread looks for Ctrl-C.
const PERIOD: Duration = Duration::from_millis(50);

/// The lists that jobs write.
const LISTS: [&str; 12] = [
    "clusters",
    "doubtful",
    "errors",
    "explain",
    "files",
    "key",
    "lost",
    "page",
    "removed",
    "report",
    "save",
    "save_wrapper",
];

/// What a job left in memory.
#[pyclass(frozen)]
pub(crate) struct Outcome {
    /// The report as JSON.
    #[pyo3(get)]
    report: String,
    /// Failures in words.
    #[pyo3(get)]
    failures: Vec<String>,
    lists: HashMap<String, Memory>,
    main: Option<Memory>,
}

#[pymethods]
impl Outcome {
    /// The bytes of a list, or of the main output.
    #[pyo3(signature = (list=None))]
    fn bytes<'py>(&self, py: Python<'py>, list: Option<&str>) -> Bound<'py, PyBytes> {
        let memory = match list {
            Some(list) => self.lists.get(list),
            None => self.main.as_ref(),
        };
        PyBytes::new(py, &memory.map(Memory::bytes).unwrap_or_default())
    }

    /// The documents as a table of their own.
    fn table<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        rows::documents(py, self.batches()?)
    }

    /// The rows of the source whose documents were written, with their new text.
    fn rows<'py>(
        &self,
        py: Python<'py>,
        source: &Source,
        text_field: &str,
        marks: bool,
        fields: Vec<String>,
    ) -> PyResult<Bound<'py, PyAny>> {
        rows::of_source(py, self.batches()?, source, &rows::Shape { text_field, marks, fields: &fields })
    }

    /// The documents as values: number of the record, text, marks and fields.
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        rows::values(py, &self.batches()?)
    }
}

impl Outcome {
    fn batches(&self) -> PyResult<Vec<RecordBatch>> {
        let batches = self.main.as_ref().map(Memory::batches).transpose();
        Ok(batches.map_err(|error| exception(&error))?.unwrap_or_default())
    }
}

/// How a job runs and what it writes.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Plan {
    verb: String,
    /// The job as JSON.
    job: String,
    others: HashMap<String, Py<Source>>,
    names: HashMap<String, PathBuf>,
    /// The main output: a path, `memory`, `table`, or nothing.
    kind: String,
    output: Option<PathBuf>,
    format: Option<String>,
    overwrite: bool,
    byte_offsets: bool,
    /// Lists with their paths; those without one stay in memory.
    lists: HashMap<String, Option<PathBuf>>,
    threads: Option<usize>,
    memory: Option<u64>,
    temporary: Option<PathBuf>,
}

/// Runs a job. `progress` is called with the phase, bytes done, bytes in all, documents and failures.
#[pyfunction]
#[pyo3(signature = (source, plan, progress=None))]
pub(crate) fn run(
    py: Python<'_>,
    source: &Source,
    plan: Plan,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Outcome> {
    let (outputs, main, lists) = outputs(&plan).map_err(|error| exception(&error))?;
    let others: HashMap<String, Input> =
        plan.others.iter().map(|(name, source)| (name.clone(), source.get().input.clone())).collect();
    let Plan { verb, job: options, names, threads, memory, temporary, .. } = plan;
    let latest: Arc<Mutex<Option<Event>>> = Arc::default();
    let observer = match progress {
        Some(_) => {
            let latest = latest.clone();
            Observer::new(move |event| *latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(*event))
        }
        None => Observer::default(),
    };
    let run = Run { threads, memory, temporary, stop: Stop::default(), observer };
    let stop = run.stop.clone();
    let task = Task { verb, options, input: source.input.clone(), others, outputs, names };
    let report = watched(
        py,
        &stop,
        move || task.run(&run),
        || {
            let event = latest.lock().unwrap_or_else(PoisonError::into_inner).take();
            match (&progress, event) {
                (Some(progress), Some(Event::Progress { phase, done, total, documents, failures, .. })) => {
                    progress.call1((phase, done, total, documents, failures)).map(drop)
                }
                _ => Ok(()),
            }
        },
    )?;
    let failures = failures_of(&report, source.table.is_some());
    Ok(Outcome { report: report.to_string(), failures, lists, main })
}

/// Does something in a thread of its own and waits for it. Ctrl-C, or an error of `tick`, asks it to stop.
pub(crate) fn watched<T: Send + 'static>(
    py: Python<'_>,
    stop: &Stop,
    work: impl FnOnce() -> Result<T> + Send + 'static,
    mut tick: impl FnMut() -> PyResult<()>,
) -> PyResult<T> {
    let (sender, mut receiver) = channel();
    let thread = std::thread::Builder::new().name("refrain".into()).spawn(move || {
        let _ = sender.send(catch_unwind(AssertUnwindSafe(work)));
    });
    thread.map_err(|error| exception(&error.into()))?;
    let mut interrupted = None;
    loop {
        let (done, next) = py.detach(move || wait(receiver));
        receiver = next;
        match done {
            Ok(Ok(result)) => {
                return match (interrupted, result) {
                    (Some(signal), _) => Err(signal),
                    (None, result) => result.map_err(|error| exception(&error)),
                };
            }
            Ok(Err(panic)) => {
                let text = panic.downcast_ref::<&str>().map(ToString::to_string);
                let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
                return Err(raise("InternalError", format!("please report this: {text}")));
            }
            Err(RecvTimeoutError::Disconnected) => return Err(raise("InternalError", "the job ended early".into())),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(error) = py.check_signals().and_then(|()| tick()) {
            stop.request();
            interrupted.get_or_insert(error);
        }
    }
}

fn wait<T>(receiver: Receiver<T>) -> (Result<T, RecvTimeoutError>, Receiver<T>) {
    (receiver.recv_timeout(PERIOD), receiver)
}

type Written = (Outputs, Option<Memory>, HashMap<String, Memory>);

fn outputs(plan: &Plan) -> Result<Written> {
    let offsets = if plan.byte_offsets { Offsets::Bytes } else { Offsets::Chars };
    let (mut outputs, main) = match (&plan.output, plan.kind.as_str()) {
        (Some(path), _) => (Outputs::to(path)?, None),
        (None, "table") => {
            let (outputs, memory) = Outputs::arrow(offsets);
            (outputs, Some(memory))
        }
        (None, "memory") => {
            let (outputs, memory) = Outputs::memory();
            (outputs, Some(memory))
        }
        (None, _) => (Outputs::none(), None),
    };
    if let Some(format) = &plan.format {
        let (format, compression) = format_of(format)?;
        outputs = outputs.format(format, compression);
    }
    outputs = outputs.overwrite(plan.overwrite);
    let mut lists = HashMap::new();
    for (name, path) in &plan.lists {
        let Some(name) = LISTS.into_iter().find(|list| list == name) else {
            return Err(Error::Refused(format!("no list {name}")));
        };
        outputs = match path {
            Some(path) if name == "save" => outputs.save(path)?,
            Some(path) => outputs.list(name, Output::path(path)?),
            None => {
                let memory = Memory::default();
                lists.insert(name.to_owned(), memory.clone());
                outputs.list(name, Output::Memory(memory))
            }
        };
    }
    Ok((outputs, main, lists))
}

/// A format with its compression: `jsonl`, `jsonl.zst`, ...
fn format_of(name: &str) -> Result<(Format, Compression)> {
    let (format, compression) = match name.rsplit_once('.') {
        Some((format, "gz")) => (format, Compression::Gzip),
        Some((format, "zst")) => (format, Compression::Zstd),
        _ => (name, Compression::None),
    };
    let known = Format::ALL.into_iter().find(|known| known.name() == format);
    known.map(|format| (format, compression)).ok_or_else(|| {
        let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
        Error::Refused(format!("no format {name}; formats are: {}", names.join(", ")))
    })
}

/// The failures in a report, in words.
fn failures_of(report: &Value, in_table: bool) -> Vec<String> {
    let first = report.pointer("/failures/first").and_then(Value::as_array).into_iter().flatten();
    let failures = first.filter_map(|failure| serde_json::from_value(failure.clone()).ok());
    failures.map(|failure| errors::failure(&failure, in_table)).collect()
}
