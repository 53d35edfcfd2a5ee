//! The jobs by the names of their verbs.

use std::collections::HashMap;
use std::path::PathBuf;

use pyo3::prelude::*;
use refrain::extract::ExtractMethod;
use refrain::jobs::corpus::Manifest;
use refrain::jobs::{CheckInput, CompareInput, EditionsInput, LibraryOptions, NamedPairs};
use refrain::source::ReadOptions;
use refrain::strip::StripMethod;
use refrain::{
    Compare, Convert, Corpus, Decode, Decontaminate, Dedup, Editions, Error, Extract, Input, Library, LibraryCheck,
    Outputs, Quality, Result, Run, Strip, Template,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::errors::{exception, raise};

/// A job that adds sources to a library.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct LibraryAdd {
    read: ReadOptions,
    library: LibraryOptions,
}

/// The options of a verb with their defaults, as JSON.
#[pyfunction]
pub(crate) fn defaults(verb: &str) -> PyResult<String> {
    fn of<T: Default + Serialize>() -> serde_json::Result<Value> {
        serde_json::to_value(T::default())
    }
    let options = match verb {
        "compare" => of::<Compare>(),
        "convert" => of::<Convert>(),
        "corpus" => of::<Corpus>().map(|mut options| {
            // The record of a corpus leaves them out.
            let Corpus { add, evidence, .. } = Corpus::default();
            options["add"] = json!(add);
            options["evidence"] = json!(evidence);
            options
        }),
        "decode" => of::<Decode>(),
        "decontaminate" => of::<Decontaminate>(),
        "dedup" => of::<Dedup>(),
        "editions" => of::<Editions>(),
        "extract" => of::<Extract>(),
        "library_add" => of::<LibraryAdd>(),
        "library_check" => of::<LibraryCheck>(),
        "quality" => of::<Quality>(),
        "read" => serde_json::to_value(json!({"read": ReadOptions::default(), "keep_marked": false})),
        "strip" => of::<Strip>(),
        "template" => of::<Template>(),
        _ => return Err(raise("OptionError", format!("no verb {verb}"))),
    };
    options.map(|options| options.to_string()).map_err(|error| raise("OptionError", error.to_string()))
}

/// The methods of a verb by name, with their parameters, as JSON.
#[pyfunction]
pub(crate) fn methods(verb: &str) -> String {
    let methods: Map<String, Value> = match verb {
        "extract" | "corpus" => {
            ExtractMethod::ALL.iter().map(|(name, method)| (name.to_string(), json!(method))).collect()
        }
        "strip" => StripMethod::ALL.iter().map(|(name, method)| (name.to_string(), json!(method))).collect(),
        _ => Map::new(),
    };
    Value::from(methods).to_string()
}

/// A job from its options.
pub(crate) fn build<T: DeserializeOwned>(options: &str) -> Result<T> {
    serde_json::from_str(options).map_err(|error| {
        let error = error.to_string();
        let message = error.split(" at line ").next().unwrap_or_default().to_owned();
        Error::Refused(message)
    })
}

/// What a job reads and writes.
pub(crate) struct Task {
    pub(crate) verb: String,
    pub(crate) options: String,
    pub(crate) input: Input,
    /// Other inputs by their names.
    pub(crate) others: HashMap<String, Input>,
    pub(crate) outputs: Outputs,
    /// Names that are not inputs: a folder, or a file.
    pub(crate) names: HashMap<String, PathBuf>,
}

impl Task {
    /// Runs the job and returns its report.
    pub(crate) fn run(mut self, run: &Run) -> Result<Value> {
        let (input, outputs, options) = (self.input.clone(), self.outputs.clone(), self.options.as_str());
        let against = self.others.remove("against");
        match self.verb.as_str() {
            "compare" => {
                let job: Compare = build(options)?;
                let mut inputs = CompareInput::from(&input);
                inputs.reference = self.others.remove("reference");
                inputs.exclude = self.others.remove("exclude");
                inputs.pairs = self.names.remove("pairs").map(NamedPairs::read).transpose()?;
                report(&job.run(inputs, outputs, run)?)
            }
            "convert" => report(&build::<Convert>(options)?.run(&input, outputs, run)?),
            "corpus" => report(&build::<Corpus>(options)?.run(&input, outputs, run)?),
            "decode" => report(&build::<Decode>(options)?.run(&input, outputs, run)?),
            "decontaminate" => {
                let Some(items) = self.others.remove("evals") else {
                    return Err(Error::Refused("no benchmarks to look for".into()));
                };
                report(&build::<Decontaminate>(options)?.run(&input, &items, outputs, run)?)
            }
            "dedup" => {
                let job: Dedup = build(options)?;
                report(&match against {
                    Some(known) => job.run_against(&input, &known, outputs, run)?,
                    None => job.run(&input, outputs, run)?,
                })
            }
            "editions" => {
                let mut inputs = EditionsInput::from(&input);
                inputs.against = against;
                report(&build::<Editions>(options)?.run(inputs, outputs, run)?)
            }
            "extract" => report(&build::<Extract>(options)?.run(&input, outputs, run)?),
            "library_add" => {
                let job: LibraryAdd = build(options)?;
                let folder = self.names.remove("library").unwrap_or_default();
                report(&Library::open_or_create(folder, job.library)?.add(&input, &job.read, outputs, run)?)
            }
            "library_check" => {
                let job: LibraryCheck = build(options)?;
                let folder = self.names.remove("library").unwrap_or_default();
                let mut inputs = CheckInput::from(&input);
                inputs.exclude = self.others.remove("exclude");
                report(&Library::open(folder)?.check(inputs, &job, outputs, run)?)
            }
            "quality" => report(&build::<Quality>(options)?.run(&input, outputs, run)?),
            "strip" => report(&build::<Strip>(options)?.run(&input, outputs, run)?),
            "template" => report(&build::<Template>(options)?.run(&input, outputs, run)?),
            verb => Err(Error::Refused(format!("no verb {verb}"))),
        }
    }
}

fn report(report: &impl Serialize) -> Result<Value> {
    serde_json::to_value(report).map_err(|error| Error::Refused(format!("the report is not JSON: {error}")))
}

/// The sources of a library, as JSON.
#[pyfunction]
pub(crate) fn library_sources(py: Python<'_>, folder: PathBuf) -> PyResult<Vec<(String, String)>> {
    let library = py.detach(|| Library::open(folder)).map_err(|error| exception(&error))?;
    Ok(library.sources().map(|source| (source.id.clone(), source.name().to_owned())).collect())
}

/// Removes sources from a library and returns the names that no source has; or verifies or compacts it.
#[pyfunction]
pub(crate) fn library_change(py: Python<'_>, folder: PathBuf, what: &str, ids: Vec<String>) -> PyResult<Vec<String>> {
    let change = || {
        let mut library = Library::open(folder)?;
        match what {
            "remove" => library.remove(ids),
            "verify" => library.verify().map(|()| Vec::new()),
            _ => library.compact().map(|()| Vec::new()),
        }
    };
    py.detach(change).map_err(|error| exception(&error))
}

/// The statistics of a corpus as JSON, and as tables for people.
#[pyfunction]
pub(crate) fn statistics(py: Python<'_>, folder: PathBuf) -> PyResult<(String, String)> {
    let read = || {
        let manifest = Manifest::read(&folder)?;
        let json = report(&manifest.statistics)?.to_string();
        Ok((json, format!("{}\n{}", manifest.table(), manifest.statistics.table())))
    };
    py.detach(read).map_err(|error: Error| exception(&error))
}
