//! What can go wrong with a request, in words, with the way out.

use std::error::Error;
use std::io;

use object_store::Error as StoreError;
use refrain::Failure;

/// Why a request failed.
#[derive(Debug, Clone)]
pub enum Trouble {
    /// There is no such object.
    Missing(String),
    /// The object is another one than before.
    Changed,
    /// The server sends whole objects only.
    NoRanges,
    /// The connection or the server failed; another attempt may succeed.
    Passing(String),
    /// Another attempt would fail as well: the problem, and the way out.
    End(String, Option<String>),
}

impl Trouble {
    pub(crate) fn end(problem: impl Into<String>) -> Trouble {
        Trouble::End(problem.into(), None)
    }

    pub(crate) fn hint(self, hint: impl Into<String>) -> Trouble {
        match self {
            Trouble::End(problem, _) | Trouble::Passing(problem) => Trouble::End(problem, Some(hint.into())),
            other => other,
        }
    }

    /// The problem in words, and the way out.
    fn words(self) -> (String, Option<String>) {
        match self {
            Trouble::Missing(problem) => (problem, None),
            Trouble::Changed => {
                ("changed while it was read".into(), Some("run again when nothing writes to it".into()))
            }
            Trouble::NoRanges => ("the server sends whole files only".into(), None),
            Trouble::Passing(problem) => (problem, Some("run again later".into())),
            Trouble::End(problem, hint) => (problem, hint),
        }
    }

    pub(crate) fn into_failure(self, name: &str) -> Failure {
        let (problem, hint) = self.words();
        let failure = Failure::new(name, problem);
        hint.into_iter().fold(failure, Failure::hint)
    }

    pub(crate) fn into_io(self) -> io::Error {
        io::Error::other(self.to_string())
    }

    /// The trouble of a request to a bucket.
    pub(crate) fn of_store(error: &StoreError, access: &Access) -> Trouble {
        let detail = innermost(error);
        let has = |sign: &str| detail.contains(sign);
        match error {
            _ if has("NoSuchBucket") => {
                Trouble::end("no such bucket").hint("check its name, and where the endpoint leads")
            }
            StoreError::NotFound { .. } => Trouble::Missing("no such object".into()),
            StoreError::Precondition { .. } => Trouble::Changed,
            StoreError::PermissionDenied { .. } | StoreError::Unauthenticated { .. } => {
                Trouble::end("access denied").hint(access.advice)
            }
            // Lists are refused without a kind of their own.
            _ if has("403 Forbidden") || has("401 Unauthorized") => Trouble::end("access denied").hint(access.advice),
            _ if has("AuthorizationHeaderMalformed") || has("PermanentRedirect") || has("region") => {
                Trouble::end("the bucket is in another region").hint("set AWS_REGION to its region")
            }
            StoreError::Generic { .. } => Trouble::Passing(detail),
            _ => Trouble::end(detail),
        }
    }
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (problem, hint) = self.clone().words();
        f.write_str(&problem)?;
        hint.map_or(Ok(()), |hint| write!(f, "; {hint}"))
    }
}

impl Error for Trouble {}

/// How a bucket is accessed.
#[derive(Debug, Clone)]
pub(crate) struct Access {
    /// What helps when access is denied.
    pub(crate) advice: &'static str,
}

/// The messages of an error and its causes on one line, without repetitions.
pub(crate) fn innermost(error: &dyn Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let text = inner.to_string();
        if !message.contains(&text) {
            message = format!("{message}: {text}");
        }
        cause = inner.source();
    }
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}
