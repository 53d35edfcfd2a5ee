//! What failed in a run, and what was skipped.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::outputs::{ERRORS, Output, Outputs};
use crate::document::Origin;
use crate::error::{Error, Failure, Hint, IoContext, Result};

/// What failed in a run, and what was skipped.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failures {
    /// The first failures; the list `errors` has them all.
    pub first: Vec<Failure>,
    /// How many there were.
    pub count: u64,
    /// What was skipped, by the reason.
    #[serde(default)]
    pub skipped: BTreeMap<String, u64>,
}

/// How many failures a report holds.
pub(super) const REPORTED: usize = 10_000;

/// Collects failures, and writes them to the list `errors` if requested.
pub(crate) struct FailureLog {
    list: List,
    failures: Failures,
    /// Bytes in the list.
    bytes: u64,
}

enum List {
    None,
    File(PathBuf, File),
    Other(Box<dyn Write + Send>),
}

/// Failures at a checkpoint.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct SavedFailures {
    failures: Failures,
    bytes: u64,
}

/// A skipped item where books are expected. A file is a failure, because it was meant to be a book; what an archive
/// contains besides books is not.
pub(super) fn not_a_book(origin: &Origin, reason: &str) -> Option<Failure> {
    let is_file = origin.member.is_none() && origin.url.is_none() && !reason.starts_with("WARC");
    is_file.then(|| Failure::new(&origin.input, format!("is not text: {reason}")))
}

impl FailureLog {
    /// Opens the list at once: a list that cannot be written should fail before the work, not after it. Continues from a
    /// checkpoint if there is one.
    pub(crate) fn open(outputs: &Outputs, saved: Option<SavedFailures>) -> Result<FailureLog> {
        let SavedFailures { failures, bytes } = saved.unwrap_or_default();
        let list = match outputs.get(ERRORS) {
            None => List::None,
            Some(Output::Path(path)) => {
                let mut file = File::options().write(true).create(true).truncate(false).open(path).at(path)?;
                if file.metadata().at(path)?.is_file() {
                    file.set_len(bytes).at(path)?;
                    file.seek(SeekFrom::End(0)).at(path)?;
                }
                List::File(path.clone(), file)
            }
            Some(Output::Memory(memory)) => List::Other(Box::new(memory.clone())),
            Some(_) => {
                let message = "the list of failures cannot be written to standard output, which is for documents";
                let advice = "name a file for `errors`; failures are also printed on standard error";
                return Err(Error::Refused(message.into()).hint(Hint::option("errors", advice)));
            }
        };
        Ok(FailureLog { list, failures, bytes })
    }

    /// A new log that begins with earlier failures.
    pub(crate) fn new(outputs: &Outputs, early: Vec<Failure>) -> Result<FailureLog> {
        let mut log = FailureLog::open(outputs, None)?;
        early.into_iter().try_for_each(|failure| log.add(failure))?;
        Ok(log)
    }

    /// Adds a failure.
    pub(crate) fn add(&mut self, failure: Failure) -> Result<()> {
        if !matches!(self.list, List::None) {
            let line = serde_json::to_string(&failure).map_err(std::io::Error::from)? + "\n";
            match &mut self.list {
                List::File(path, file) => file.write_all(line.as_bytes()).at(path)?,
                List::Other(list) => list.write_all(line.as_bytes())?,
                List::None => {}
            }
            self.bytes += line.len() as u64;
        }
        self.failures.count += 1;
        if self.failures.first.len() < REPORTED {
            self.failures.first.push(failure);
        }
        Ok(())
    }

    /// Counts something that was skipped.
    pub(crate) fn skip(&mut self, reason: String) {
        *self.failures.skipped.entry(reason).or_default() += 1;
    }

    /// The failures so far.
    pub(crate) fn so_far(&self) -> &Failures {
        &self.failures
    }

    /// The state for a checkpoint.
    pub(crate) fn save(&self) -> SavedFailures {
        SavedFailures { failures: self.failures.clone(), bytes: self.bytes }
    }

    /// The failures, for the report.
    pub(crate) fn finish(self) -> Failures {
        self.failures
    }
}
