//! Jobs: one for each verb of the command line, with the same defaults, the same output and the same errors.
//!
//! A job is a plain struct whose `Default` holds every default. Its `run` takes an [`Input`] (files, or documents in memory),
//! [`Outputs`] (files, or memory) and a [`Run`](crate::Run) (threads, memory, progress, stop), and returns a typed report.

#![allow(clippy::needless_pass_by_value)] // a job uses up its outputs

mod alarms;
mod audit;
mod compare;
mod convert;
pub mod corpus;
mod decode;
mod decontaminate;
mod dedup;
mod editions;
mod evidence;
mod extract;
mod failures;
mod input;
mod judging;
mod library;
mod outputs;
mod quality;
mod schemas;
mod strip;
mod template;
mod why;

pub use crate::stats::losses::{Losses, RuleTotals};
pub use audit::{Agreement, Audit, AuditRate, AuditReport, AuditVerdicts, DrawnOfRule};
pub use compare::{Compare, CompareInput, CompareReport, NamedPairs};
pub use convert::{Convert, ConvertReport};
pub use corpus::{Corpus, CorpusReport};
pub use decode::{Decode, DecodeMethod, DecodeReport, Uncertain};
pub use decontaminate::{
    BenchmarkFigures, ContaminatedUnit, Decontaminate, DecontaminateReport, FoundItem, FoundPlace,
};
pub use dedup::{Dedup, DedupCounts, DedupPlan, DedupReport, Keep, NgramReport, RepeatedPassage, Totals};
#[cfg(feature = "papers")]
pub use editions::Threshold;
pub use editions::{Editions, EditionsInput, EditionsReport};
pub use extract::{Extract, ExtractReport, ExtractedPage};
pub use failures::Failures;
pub use input::{Input, ItemKind, ListedItem, ListedLine};
pub use library::{
    AddReport, CheckInput, CheckReport, CheckedDocument, FoundSource, Library, LibraryCheck, LibraryOptions,
    ListedSource,
};
pub use outputs::{Memory, Output, Outputs};
pub use quality::{LearnedQuality, Quality, QualityOptions, QualityReport};
pub use schemas::OutputSchema;
pub use strip::{LearnedFrom, SavedEvidence, Strip, StripReport};
pub use template::{
    RangeUnit, Template, TemplateBy, TemplateFigures, TemplateMethod, TemplateReport, TemplateResult, TemplateSummary,
};
pub use why::{CopiedFrom, ExplainedRange, Why, WhyReport};
