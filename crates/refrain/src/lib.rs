//! refrain finds the text that repeats across a pile of documents, and strips it, folds it or shows it.
//!
//! # Model
//!
//! A [`Document`] has text and blocks. Passes add [`Mark`]s to it: this range is boilerplate, that one is a copy, and why.
//! Passes that compare documents give [`Link`]s. No pass deletes text; a writer leaves marked ranges out, or keeps them.
//!
//! # Data flow
//!
//! ```text
//! source -> decode -> extract -> language -> dedup -> write
//!    \_________ marks accumulate on the Document ________/
//! ```
//!
//! - [`source`] reads files, folders, archives and tables, and yields raw documents; those of office programs, books and
//!   PDFs are opened by [`pipeline`] on the way to the next step;
//! - [`decode`] finds the characters and the language;
//! - [`extract`] finds the blocks of a web page, tells its main content from the rest, and what the page says about itself;
//! - [`dedup`] marks copies;
//! - [`strip`] marks what was put in front of books and behind them;
//! - [`template`] finds what the pages of a site share;
//! - [`compare`] finds passages that documents share;
//! - [`editions`] finds books that are editions of one work, and where they overlap;
//! - [`papers`] holds methods as published, under the names of their papers and systems;
//! - [`report`] shows what was found;
//! - [`mod@write`] writes text, JSONL, Parquet and vertical files;
//! - [`corpus`] does all of it, into a folder, in a run that can be killed and goes on where it was;
//! - [`kernel`] defines how methods learn from a whole collection, [`pipeline`] joins them, [`stats`] counts their marks.
//!
//! # Example
//!
//! The main content of a page:
//!
//! ```
//! use refrain::extract::{Extractor, Workspace};
//!
//! let html = "<title>The lamp</title><nav><a href=/>Home</a> <a href=/about>About</a></nav>
//!     <article><h1>The lamp</h1><p>The lamp is lit at dusk and burns until the morning, when the keeper climbs the stairs
//!     once more, trims the wick and draws the curtains around the lens.</p></article>";
//! let mut workspace = Workspace::default();
//! let found = Extractor::default().extract(html, None, &mut workspace);
//! assert!(found.text().contains("The lamp is lit at dusk"));
//! assert_eq!(found.page.blocks[0].span.of(&found.page.text), "Home About");
//! assert!(!found.keeps(0));
//! ```

pub mod compare;
pub mod decode;
pub mod dedup;
mod disk;
mod document;
pub mod editions;
mod error;
pub mod extract;
mod flow;
pub mod jobs;
pub mod kernel;
mod office;
pub mod papers;
pub mod pipeline;
pub mod report;
mod run;
pub mod source;
pub mod stats;
pub mod strip;
pub mod template;
pub mod text;
pub mod url;
pub mod write;

pub use dedup::{Engine, Measure, Normalise, Unit};
pub use document::{Block, BlockKind, Document, Label, Link, Mark, Origin, Passage, Position, Reason, Span};
pub use error::{Error, Failure, Hint, Place, Result};
pub use jobs::{
    AddReport, CheckInput, CheckReport, CheckedDocument, Compare, CompareInput, CompareReport, Convert, ConvertReport,
    Corpus, CorpusReport, Decode, DecodeMethod, DecodeReport, Dedup, DedupReport, Editions, EditionsInput,
    EditionsReport, Extract, ExtractReport, ExtractedPage, Failures, FoundSource, Input, Keep, LearnedFrom, Library,
    LibraryCheck, LibraryOptions, Memory, NamedPairs, Output, Outputs, SavedEvidence, Strip, StripReport, Threshold,
};
pub use run::{Event, Observer, Run, Stop, Workers};
