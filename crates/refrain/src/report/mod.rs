//! Reports: a bundle of files that programs read, and a page made of it that opens anywhere.
//!
//! A bundle is a folder. `report.json` has what was found, `texts.jsonl` the texts of it, and `pairs.csv` a table for
//! spreadsheets. `report.html` shows all of it without other files and without a network. The form is described in
//! `docs/formats.md` and has a [version](VERSION).

mod aligned;
mod audit;
mod books;
mod cells;
mod comparison;
mod editions;
mod editions_page;
mod sides;
mod why;

pub(crate) use aligned::{Aligned, align, sequences};
pub(crate) use audit::{AuditItem, Pieces, ShownPartner, audit_page};
pub(crate) use books::StripPage;
pub(crate) use cells::{SHOWN, cell, excerpt};
pub(crate) use comparison::{
    ComparisonReport, ComparisonSettings, ReportBundle, ReportOptions, ReportText, WrittenPair, WrittenPassage,
    shared_passages, short_names,
};
pub(crate) use editions::{EditionsTables, WrittenBooks, WrittenWork};
pub(crate) use sides::{Side, SidesPage};
pub(crate) use why::{kind, percent, rule, score, sentence, side, source};

/// The version of the form of bundles; a reader refuses what is newer.
pub(crate) const VERSION: u32 = 1;
