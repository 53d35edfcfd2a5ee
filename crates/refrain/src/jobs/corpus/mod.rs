//! The corpus folder and the run that fills it.
//!
//! ```text
//! corpus/
//!   documents/part-00000.parquet  the documents
//!   removed/part-00000.jsonl.zst  every range left out, by which pass and why
//!   errors.jsonl                what could not be used
//!   stats.json                  the figures
//!   inputs.tsv                  what was read: size, path
//!   manifest.json               options, versions, counts, digests; written last: a folder that has it is complete
//!   work/                       only while the run lasts
//! ```
//!
//! A run has three phases. *Read*: inputs are grouped into shards, shards are read side by side, and every 64 MiB of raw
//! documents become a work part (marked documents) with a note beside it (where the next one begins, counts, failures).
//! *Learn*: the evidence of all work parts is merged and concluded. *Write*: work parts are marked with the finding and
//! written as final parts. Every file is written aside, synced and renamed; the note is what makes it count. So the run
//! can be killed at any moment and the same command goes on, and where parts begin and end depends on nothing but the
//! input: not on threads, not on when it was killed.

mod folder;
mod run;
mod work;

pub use crate::source::corpus::Identity;
pub use folder::{InputsRecord, Manifest, Part};
pub use run::{Corpus, CorpusReport, CorpusTemplates, LanguageUnit, Start};
