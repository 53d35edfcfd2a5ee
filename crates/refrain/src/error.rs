//! Errors that end a run ([`Error`]) and problems with one input that do not ([`Failure`]).
//!
//! The difference matters everywhere. A damaged record in an archive is a [`Failure`]: it is written to the errors
//! output and counted, and the run continues. A folder that cannot be written is an [`Error`].

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The result of an operation that can end a run.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a run could not continue.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder could not be read or written.
    #[error("{path}: {error}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error of the operating system.
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
        /// The message of the Parquet library.
        message: String,
    },
    /// A file that refrain wrote is damaged.
    #[error("{path}: {message}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// A file or folder of refrain is undamaged but cannot be used: another program is changing it, or another version of
    /// refrain wrote it. The message says what to do.
    #[error("{path}: {message}")]
    Unusable {
        /// The file or folder.
        path: PathBuf,
        /// Why, and what to do.
        message: String,
    },
    /// The request cannot be carried out; the message says why and what to do.
    #[error("{0}")]
    Refused(String),
    /// The output was not completed, because more would be lost than the user accepts. The message names what.
    #[error("{0}")]
    Alarm(String),
    /// An error with a hint.
    #[error("{error}; {hint}")]
    Hinted {
        /// What is wrong.
        error: Box<Error>,
        /// What to do.
        hint: Hint,
    },
    /// The run was asked to stop (Ctrl-C).
    #[error("interrupted")]
    Interrupted,
}

impl Error {
    /// Wraps an I/O error with the path it belongs to.
    pub fn io(path: impl Into<PathBuf>, error: std::io::Error) -> Error {
        Error::Io { path: path.into(), error }
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(self, hint: Hint) -> Error {
        Error::Hinted { error: Box::new(self), hint }
    }

    /// The message, with options as a surface [spells](Hint::spelled) them.
    pub fn spelled(&self, spell: impl Fn(&str, Option<&str>) -> String) -> String {
        match self {
            Error::Hinted { error, hint } => {
                let error = error.spelled(&spell as &dyn Fn(&str, Option<&str>) -> String);
                format!("{error}; {}", hint.spelled(spell))
            }
            _ => self.to_string(),
        }
    }

    /// True if the run was asked to stop.
    pub fn is_interrupted(&self) -> bool {
        match self {
            Error::Hinted { error, .. } => error.is_interrupted(),
            _ => matches!(self, Error::Interrupted),
        }
    }

    /// True if a run ended because more would be lost than the user accepts.
    pub fn is_alarm(&self) -> bool {
        match self {
            Error::Hinted { error, .. } => error.is_alarm(),
            _ => matches!(self, Error::Alarm(_)),
        }
    }

    /// True for a write to a closed pipe: the reader has seen enough, so this is not a fault.
    pub fn is_closed_pipe(&self) -> bool {
        match self {
            Error::Io { error, .. } | Error::Stream(error) => error.kind() == std::io::ErrorKind::BrokenPipe,
            Error::Hinted { error, .. } => error.is_closed_pipe(),
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

/// How to resolve an error. The library does not know whether options are set on a command line, in Python or in Rust.
/// The text puts option names, and nothing else, in backquotes; [`spelled`](Hint::spelled) replaces them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hint {
    /// What to do, with options as `` `name` `` or `` `name=value` ``.
    #[serde(rename = "hint")]
    pub text: Cow<'static, str>,
    /// The option that helps most, in snake case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option: Option<Cow<'static, str>>,
    /// A value that helps, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

impl Hint {
    /// A hint that names no option.
    pub fn new(text: impl Into<Cow<'static, str>>) -> Hint {
        Hint { text: text.into(), option: None, value: None }
    }

    /// A hint whose text names an option as `` `option` ``.
    pub fn option(option: &'static str, text: impl Into<Cow<'static, str>>) -> Hint {
        Hint { option: Some(option.into()), ..Hint::new(text) }
    }

    /// A hint whose text names an option and its value as `` `option=value` ``.
    pub fn value(option: &'static str, value: impl Into<String>, text: impl Into<Cow<'static, str>>) -> Hint {
        Hint { value: Some(value.into()), ..Hint::option(option, text) }
    }

    /// The hint for documents that are too large.
    pub(crate) fn max_document() -> Hint {
        Hint::option("max_document", "raise it with `max_document`")
    }

    /// The text, with options as a surface spells them.
    ///
    /// ```
    /// use refrain::Hint;
    ///
    /// let hint = Hint::option("text_field", "name the field with `text_field`");
    /// let flag = |option: &str, _: Option<&str>| format!("--{}", option.replace('_', "-"));
    /// assert_eq!(hint.spelled(flag), "name the field with --text-field");
    /// assert_eq!(hint.spelled(|option, _| format!("{option}=")), "name the field with text_field=");
    /// ```
    pub fn spelled(&self, spell: impl Fn(&str, Option<&str>) -> String) -> String {
        let mut text = String::new();
        for (number, part) in self.text.split('`').enumerate() {
            let (option, value) = part.split_once('=').map_or((part, None), |(option, value)| (option, Some(value)));
            let is_option = !option.is_empty() && option.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
            match number % 2 {
                0 => text.push_str(part),
                _ if is_option => text.push_str(&spell(option, value)),
                _ => text.extend(["`", part, "`"]),
            }
        }
        text
    }
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<&'static str> for Hint {
    fn from(text: &'static str) -> Hint {
        Hint::new(text)
    }
}

impl From<String> for Hint {
    fn from(text: String) -> Hint {
        Hint::new(text)
    }
}

/// Something in the input that could not be used. The run continues without it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// The input as the user knows it: a path, or `-` for standard input.
    pub input: String,
    /// The member, if the input is an archive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
    /// The place inside the input or member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// What is wrong.
    pub error: String,
    /// The way out, if there is one.
    #[serde(flatten)]
    pub hint: Option<Box<Hint>>,
}

/// A location in an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

    /// Sets the member of an archive.
    #[must_use]
    pub fn member(mut self, member: Option<&str>) -> Failure {
        self.member = member.map(str::to_owned);
        self
    }

    /// Sets its location.
    #[must_use]
    pub fn place(mut self, place: Place) -> Failure {
        self.place = Some(place);
        self
    }

    /// Adds the way out.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Hint>) -> Failure {
        self.hint = Some(Box::new(hint.into()));
        self
    }

    /// The failure in words, with options as a surface [spells](Hint::spelled) them.
    pub fn spelled(&self, spell: impl Fn(&str, Option<&str>) -> String) -> String {
        let mut text = self.input.clone();
        if let Some(member) = &self.member {
            text = format!("{text}/{member}");
        }
        if let Some(place) = self.place {
            let (what, number) = match place {
                Place::Line(number) => ("line", number),
                Place::Row(number) => ("row", number),
                Place::Byte(number) => ("byte", number),
                Place::Record(number) => ("record", number),
            };
            text = format!("{text}, {what} {number}");
        }
        match &self.hint {
            Some(hint) => format!("{text}: {} ({})", self.error, hint.spelled(spell)),
            None => format!("{text}: {}", self.error),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.spelled(neutral))
    }
}

/// An option as the library writes it.
fn neutral(option: &str, value: Option<&str>) -> String {
    value.map_or_else(|| format!("`{option}`"), |value| format!("`{option}={value}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_file_member_place_and_way_out() {
        let failure = Failure::new("a.zip", "not JSON").member(Some("b.jsonl")).place(Place::Line(3)).hint("fix it");
        assert_eq!(failure.to_string(), "a.zip/b.jsonl, line 3: not JSON (fix it)");
    }
    #[test]
    fn a_hint_survives_a_checkpoint() {
        let hint = Hint::value("memory", "64M", "give it `memory=64M` or more");
        let failure = Failure::new("a.zip", "too large").hint(hint);
        let json = serde_json::to_value(&failure).expect("JSON");
        assert_eq!(json["hint"], "give it `memory=64M` or more");
        assert_eq!((json["option"].as_str(), json["value"].as_str()), (Some("memory"), Some("64M")));
        let back: Failure = serde_json::from_value(json).expect("a failure");
        assert_eq!(back, failure);
        let plain: Failure = serde_json::from_str(r#"{"input":"a","error":"b"}"#).expect("a failure");
        assert_eq!(plain.hint, None);
    }
}
