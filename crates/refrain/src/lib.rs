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
//! - [`source`] reads files, folders, archives and tables, and yields raw documents;
//! - [`decode`] finds the characters and the language;
//! - [`extract`] finds the blocks of a web page and marks its boilerplate;
//! - [`dedup`] marks copies;
//! - [`mod@write`] writes text, JSONL, Parquet and vertical files;
//! - [`corpus`] does all of it, into a folder, in a run that can be killed and goes on where it was;
//! - [`pass`] is what all passes are made of, [`pipeline`] what joins them, [`stats`] what counts them.
//!
//! # Example
//!
//! The main content of a page:
//!
//! ```
//! use refrain::extract::{segment, JusText};
//! use refrain::pass::LocalPass;
//! use refrain::Document;
//!
//! let html = "<ul><li><a href=/>Home</a><li><a href=/about>About</a></ul>
//!     <p>The lamp is lit at dusk and burns until the morning, when the keeper climbs the stairs once more, trims the
//!     wick and draws the curtains around the lens, so that the sun does not set fire to the tower while he is asleep
//!     in the house below. He has done this for as long as anyone in the village can remember.</p>";
//! let page = segment(html);
//! let mut document = Document { text: page.text, blocks: page.blocks, language: Some("en".into()), ..Document::default() };
//! JusText::default().mark(&mut document);
//! assert!(document.kept().starts_with("The lamp is lit"));
//! assert_eq!(document.marks.len(), 2);
//! ```

pub mod corpus;
pub mod decode;
pub mod dedup;
mod document;
mod error;
pub mod extract;
pub mod pass;
pub mod pipeline;
pub mod source;
pub mod stats;
pub mod text;
pub mod write;

pub use document::{Block, BlockKind, Document, Label, Link, Mark, Origin, Passage, Position, Reason, Span};
pub use error::{Error, Failure, Place, Result};
