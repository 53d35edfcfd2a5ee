//! refrain finds repeated text in large document collections: boilerplate, site templates, duplicates, copied passages,
//! editions of the same book. It removes the repetition or shows where it is, and records why.
//!
//! # One call per verb
//!
//! Each verb of the command line is a job: a plain struct with the same defaults, the same output and the same errors.
//!
//! ```no_run
//! use refrain::{
//!     Compare, Convert, Corpus, Decode, Decontaminate, Dedup, Editions, Extract, Input, Library, LibraryCheck, Outputs, Quality, Run,
//!     Strip, Unit,
//! };
//!
//! let run = Run::default();
//!
//! // Build a clean corpus from a crawl.
//! let crawl = Input::paths(["crawl.warc.gz"])?;
//! Corpus::default().run(&crawl, Outputs::to("corpus/")?, &run)?;
//!
//! // Convert documents to another format.
//! Convert::default().run(&Input::paths(["notes.zip"])?, Outputs::to("notes.parquet")?, &run)?;
//!
//! // Extract the main content of web pages: a whole crawl, or one page.
//! Extract::default().run(&crawl, Outputs::to("pages.jsonl")?, &run)?;
//! let page = Extract::default().page("<p>The lamp is lit at dusk.</p>", Some("https://example.org/"));
//!
//! // Decode files to UTF-8: a whole folder, or some bytes.
//! Decode::default().run(&Input::paths(["old/"])?, Outputs::to("utf8/")?, &run)?;
//! let decoded = Decode::default().bytes(b"caf\xe9".as_slice())?;
//!
//! // Remove documents that resemble an earlier one, and list them.
//! let outputs = Outputs::to("clean.jsonl")?.removed("removed.jsonl")?;
//! let report = Dedup { unit: Unit::Document, ..Dedup::default() }.run(&Input::paths(["docs.jsonl"])?, outputs, &run)?;
//! println!("kept {} of {} documents", report.documents_kept, report.documents);
//!
//! // Remove items of benchmarks.
//! let evals = Input::paths(["evals/"])?;
//! Decontaminate::default().run(&Input::paths(["docs.jsonl"])?, &evals, Outputs::to("clean.jsonl")?, &run)?;
//!
//! // Remove documents that break published rules of quality.
//! let rules = refrain::jobs::QualityOptions { quality: vec!["gopher".into()], ..Default::default() };
//! Quality { rules, ..Quality::default() }.run(&Input::paths(["docs.jsonl"])?, Outputs::to("good.jsonl")?, &run)?;
//!
//! // Remove licence headers and footers from books.
//! let books = Input::paths(["books/"])?;
//! Strip::default().run(&books, Outputs::to("stripped/")?, &run)?;
//!
//! // Find the passages that essays share.
//! let essays = Input::paths(["essays/"])?;
//! Compare::default().run(&essays, Outputs::to("report/")?, &run)?;
//!
//! // Find editions of the same book.
//! Editions::default().run(&books, Outputs::to("editions/")?, &run)?;
//!
//! // Check essays against a library of sources.
//! let report = Library::open("library/")?.check(&essays, &LibraryCheck::default(), Outputs::none(), &run)?;
//! # Ok::<(), refrain::Error>(())
//! ```
//!
//! [`Input`] and [`Outputs`] can be memory instead of files. [`Run`] sets threads and memory, reports progress and stops a job:
//!
//! ```
//! use refrain::{Dedup, Document, Input, Outputs, Run, Unit};
//!
//! let text = "The keeper lit the lamp at dusk, and again when the fog came in.";
//! let input = Input::documents([Document::from_text("a", text), Document::from_text("b", text)]);
//! let (outputs, results) = Outputs::memory();
//! Dedup { unit: Unit::Document, ..Dedup::default() }.run(&input, outputs, &Run::default())?;
//! assert_eq!(results.documents().len(), 1);
//! # Ok::<(), refrain::Error>(())
//! ```
//!
//! # Model
//!
//! A [`Document`] has text and blocks. Methods add a [`Mark`] to each range that is boilerplate, a duplicate or otherwise
//! unwanted, with the reason. Methods that compare documents return a [`Link`] for each pair. No method deletes text: writers
//! remove marked ranges, or keep them with their marks.
//!
//! An [`Error`] ends a run. A [`Failure`] concerns one input; the run reports it and continues.
//!
//! # Modules
//!
//! Methods are also available without files and options, as values in and values out:
//!
//! - [`source`] reads files, folders, archives and tables; [`prepare`] turns their records into documents;
//! - [`decode`] detects encodings and languages, [`extract`] finds the main content of web pages;
//! - [`dedup`] finds duplicates, [`decontaminate`] items of benchmarks, [`quality`] applies rules of quality, [`strip`] licence headers and footers, [`template`] site templates;
//! - [`compare`] finds shared passages, [`editions`] editions of the same book;
//! - [`papers`] holds methods as published, under the names of their papers and systems; the feature `papers` adds those
//!   that no default needs;
//! - [`mod@write`] writes documents, [`stats`] counts marks;
//! - [`kernel`] defines how a method learns from a whole collection.
//!
//! # Features
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `papers` | no | published methods that no default uses, to reproduce their papers: [`Engine::Spex`] and [`Engine::SuffixArray`], [`StripMethod::Paper`](strip::StripMethod::Paper), [`TemplateMethod::FindOptimal`](jobs::TemplateMethod::FindOptimal), [`Editions::method`], and the modules of [`papers`] that implement them |

// Links to published methods need their feature.
#![cfg_attr(not(feature = "papers"), allow(rustdoc::broken_intra_doc_links))]

pub mod compare;
pub mod decode;
pub mod decontaminate;
pub mod dedup;
mod disk;
mod document;
pub mod editions;
mod error;
pub mod extract;
mod flow;
pub mod jobs;
pub mod kernel;
pub mod papers;
pub mod prepare;
pub mod quality;
mod report;
mod run;
pub mod source;
pub mod stats;
pub mod strip;
pub mod template;
pub mod text;
mod url;
pub mod write;

pub use dedup::{Engine, Measure, Normalise, Unit};
pub use document::{Block, BlockKind, Document, Label, Link, Mark, Origin, Passage, Position, Reason, Span};
pub use error::{Error, Failure, Hint, Place, Result};
pub use jobs::{
    Audit, AuditReport, CheckReport, Compare, CompareReport, Convert, ConvertReport, Corpus, CorpusReport, Decode,
    DecodeReport, Decontaminate, DecontaminateReport, Dedup, DedupReport, Editions, EditionsReport, Extract,
    ExtractReport, Failures, Input, Keep, Library, LibraryCheck, LibraryOptions, Memory, Output, Outputs, Quality,
    QualityReport, Strip, StripReport, Template, TemplateReport, Why, WhyReport,
};
pub use run::{Event, Observer, Run, Stop, Workers};
pub use stats::Account;

/// Tests the examples of the guide.
#[cfg(doctest)]
#[doc = include_str!("../docs/programs.md")]
struct Guide;
