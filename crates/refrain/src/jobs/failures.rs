//! What became of the items of an input, and what failed in a run.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::outputs::{ERRORS, Output, Outputs};
use crate::document::Origin;
use crate::error::{Error, Failure, Hint, IoContext, Result};
use crate::prepare::FULLY_MARKED;
use crate::stats::Account;

/// What failed in a run. Failures of documents that were used all the same are among them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Failures {
    /// The first failures; the list `errors` has them all.
    pub first: Vec<Failure>,
    /// How many there were.
    pub count: u64,
}

/// How many failures a report holds.
pub(super) const REPORTED: usize = 10_000;

/// An item that is no document: it was skipped, or failed, or was skipped where a book is expected.
#[derive(Debug, Default)]
pub(crate) struct NoDocument {
    pub(super) skipped: Option<String>,
    pub(super) failure: Option<Failure>,
}

impl NoDocument {
    /// An item that was skipped where books are expected. A file fails all the same, because it was meant to be a book; what
    /// an archive contains besides books does not, and neither does text that was marked before.
    pub(super) fn instead_of_book(origin: &Origin, reason: String, failure: Option<Failure>) -> NoDocument {
        let is_file = origin.member.is_none() && origin.url.is_none() && !reason.starts_with("WARC");
        let is_meant = is_file && reason != FULLY_MARKED;
        let instead = is_meant.then(|| Failure::new(&origin.input, format!("is not text: {reason}")));
        NoDocument { skipped: Some(reason), failure: failure.or(instead) }
    }
}

/// Collects failures, and writes them to the list `errors` if requested.
pub(crate) struct FailureLog {
    list: List,
    account: Account,
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
    account: Account,
    failures: Failures,
    bytes: u64,
}

impl FailureLog {
    /// Opens the list at once: a list that cannot be written should fail before the work, not after it. Continues from a
    /// checkpoint if there is one.
    pub(crate) fn open(outputs: &Outputs, saved: Option<SavedFailures>) -> Result<FailureLog> {
        let SavedFailures { account, failures, bytes } = saved.unwrap_or_default();
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
        Ok(FailureLog { list, account, failures, bytes })
    }

    /// A new log that begins with earlier failures.
    pub(crate) fn new(outputs: &Outputs, early: Vec<Failure>) -> Result<FailureLog> {
        let mut log = FailureLog::open(outputs, None)?;
        log.add_early(early)?;
        Ok(log)
    }

    /// Adds names that lead to nothing.
    pub(crate) fn add_early(&mut self, early: Vec<Failure>) -> Result<()> {
        early.into_iter().try_for_each(|failure| self.count(false, None, Some(failure)))
    }

    /// Counts an item, and adds its failure.
    pub(crate) fn count(&mut self, is_document: bool, skipped: Option<&str>, failure: Option<Failure>) -> Result<()> {
        self.account.add(is_document, skipped);
        failure.map_or(Ok(()), |failure| self.add(failure))
    }

    /// Counts an item that is no document.
    pub(crate) fn count_none(&mut self, none: NoDocument) -> Result<()> {
        self.count(false, none.skipped.as_deref(), none.failure)
    }

    /// Adds a failure. The item was counted, or there is none.
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

    /// The failures so far.
    pub(crate) fn so_far(&self) -> &Failures {
        &self.failures
    }

    /// The state for a checkpoint.
    pub(crate) fn save(&self) -> SavedFailures {
        SavedFailures { account: self.account.clone(), failures: self.failures.clone(), bytes: self.bytes }
    }

    /// What the report says of items and failures.
    pub(crate) fn finish(self) -> (Account, Failures) {
        (self.account, self.failures)
    }
}
