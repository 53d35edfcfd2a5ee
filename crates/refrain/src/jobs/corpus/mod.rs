//! The corpus folder and the run that fills it.
//!
//! ```text
//! corpus/
//!   documents/part-00000.parquet  the documents
//!   removed/part-00000.jsonl.zst  every removed range, with its pass and reason
//!   errors.jsonl                what could not be used
//!   stats.json                  the figures
//!   inputs.tsv                  what was read: size, path
//!   manifest.json               options, versions, counts, digests; written last: a folder that has it is complete
//!   work/                       only while the run lasts
//! ```
//!
//! A run has three phases. *Read*: inputs are grouped into shards, and shards are read in parallel. Every 64 MiB of raw
//! documents become a work part (marked documents) with a note (where the next one begins, counts, failures). *Learn*:
//! the evidence of all work parts is merged and concluded. *Write*: work parts are marked with the finding and written
//! as final parts. Every file is written under a temporary name, synced and renamed; it counts once its note exists.
//! The run can be killed at any moment and the same command resumes it. Where parts begin and end depends only on the
//! input, not on threads or interruptions.

mod check;
mod digest;
mod evidence;
mod folder;
mod kept;
mod maintain;
mod run;
mod table;
mod work;
mod write;

pub use crate::source::corpus::Identity;
pub use check::{CorpusCheck, CorpusLock, LockedInput};
pub use folder::{Batch, InputsRecord, Manifest, Part};
pub use kept::Kept;
pub use run::{Corpus, CorpusDedup, CorpusReport, CorpusTemplates, LanguageUnit, Start};
