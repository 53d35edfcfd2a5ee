//! Errors that end a run ([`Error`]) and troubles with one input that do not ([`Failure`]).
//!
//! The difference matters everywhere: a damaged record in an archive is a [`Failure`], written to the errors output and
//! counted, and reading goes on; a folder that cannot be written is an [`Error`].

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The result of an operation that can end a run.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a run could not go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder of ours could not be read or written.
    #[error("{path}: {error}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// A stream that has no path (standard output, a buffer) could not be written.
    #[error(transparent)]
    Stream(#[from] std::io::Error),
    /// A Parquet file could not be written.
    #[error("{path}: {message}")]
    Parquet {
        /// The file.
        path: PathBuf,
        /// What the Parquet library said.
        message: String,
    },
    /// A file that refrain wrote itself is not as it was written.
    #[error("{path}: {message}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// A file or folder that refrain keeps is in order, but cannot be used now: another program changes it, or another version
    /// of refrain made it. The message names the way out.
    #[error("{path}: {message}")]
    Unusable {
        /// The file or folder.
        path: PathBuf,
        /// Why, and what to do.
        message: String,
    },
    /// What was asked cannot be done; the message says why and names the way out.
    #[error("{0}")]
    Refused(String),
    /// The run was asked to stop (Ctrl-C).
    #[error("interrupted")]
    Interrupted,
}

impl Error {
    /// Wraps an I/O error with the path it belongs to.
    pub fn io(path: impl Into<PathBuf>, error: std::io::Error) -> Error {
        Error::Io { path: path.into(), error }
    }

    /// True for a write to a pipe whose reader has gone: the end of the work, not a fault.
    pub fn is_closed_pipe(&self) -> bool {
        match self {
            Error::Io { error, .. } | Error::Stream(error) => error.kind() == std::io::ErrorKind::BrokenPipe,
            _ => false,
        }
    }
}

/// Adds the path to an I/O result.
pub(crate) trait IoContext<T> {
    fn at(self, path: &Path) -> Result<T>;
}

impl<T> IoContext<T> for std::io::Result<T> {
    fn at(self, path: &Path) -> Result<T> {
        self.map_err(|error| Error::io(path, error))
    }
}

/// Something in the input that could not be used. The rest of the input goes on without it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The input as the user knows it: a path, or `-` for standard input.
    pub input: String,
    /// The member of an archive, where the input is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
    /// The place inside the input or member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// What is wrong.
    pub error: String,
    /// The way out, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Where in an input something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// A line, counted from 1.
    Line(u64),
    /// A row of a table, counted from 1.
    Row(u64),
    /// A byte offset in the (decompressed) stream.
    Byte(u64),
    /// A record of an archive, counted from 1.
    Record(u64),
}

impl Failure {
    /// A failure of a whole input.
    pub fn new(input: impl Into<String>, error: impl Into<String>) -> Failure {
        Failure { input: input.into(), member: None, place: None, error: error.into(), hint: None }
    }

    /// Says which member of an archive it is.
    #[must_use]
    pub fn member(mut self, member: Option<&str>) -> Failure {
        self.member = member.map(str::to_owned);
        self
    }

    /// Says where it is.
    #[must_use]
    pub fn place(mut self, place: Place) -> Failure {
        self.place = Some(place);
        self
    }

    /// Adds the way out.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.input)?;
        if let Some(member) = &self.member {
            write!(f, "/{member}")?;
        }
        match self.place {
            Some(Place::Line(n)) => write!(f, ", line {n}")?,
            Some(Place::Row(n)) => write!(f, ", row {n}")?,
            Some(Place::Byte(n)) => write!(f, ", byte {n}")?,
            Some(Place::Record(n)) => write!(f, ", record {n}")?,
            None => {}
        }
        write!(f, ": {}", self.error)?;
        if let Some(hint) = &self.hint {
            write!(f, " ({hint})")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_file_member_place_and_way_out() {
        let failure = Failure::new("a.zip", "not JSON").member(Some("b.jsonl")).place(Place::Line(3)).hint("fix it");
        assert_eq!(failure.to_string(), "a.zip/b.jsonl, line 3: not JSON (fix it)");
    }
}
