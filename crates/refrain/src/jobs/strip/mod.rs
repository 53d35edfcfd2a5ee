//! `strip`: removes licence headers, footers and notes from books.

mod books;
mod learn;
mod rows;
mod write;

pub use learn::{LearnedFrom, SavedEvidence};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::failures::{FailureLog, Failures};
use super::input::Input;
use super::outputs::{DOUBTFUL, ERRORS, EVIDENCE_LIST, Outputs, PAGE, REMOVED, REPORT, SAVE};
use crate::document::{Document, Label};
use crate::error::{Error, Result};
use crate::report::StripPage;
use crate::run::Run;
use crate::source::ReadOptions;
use crate::stats::losses::{Groups, Losses};
use crate::stats::{Account, Loss};
use crate::strip::{Boundaries, NAME, StripMethod, StripProfile};
use crate::text::Offsets;
use crate::write::{Format, Names};
use books::{Book, Books, Content, Extent};
use learn::Finder;
pub(super) use rows::StrippedBook;
use rows::{Row, head, sort_by_doubt};
use write::{Destination, Problem, Target};

/// Removes preambles and epilogues from books: licences, headers, notes of transcribers.
///
/// The texts are read twice: first to learn from their two ends what they share, then to find where the preamble of
/// each ends and its epilogue starts. If nothing of a text would remain, it is written whole and counted in the report.
///
/// | output | content |
/// |---|---|
/// | main: a folder | the bytes of each book without preamble and epilogue, and `report.jsonl` |
/// | main: a file or standard output | documents, or the body of a single book |
/// | main: memory | documents |
/// | `errors` | what failed |
/// | `doubtful` | a table (tsv) of doubtful cases, the least certain first |
/// | `removed` | what was removed and why, one JSON object a line |
/// | `report` | the report as JSON |
/// | `page` | a web page: the least certain cases, and figures of the collection |
/// | `save` | what was learned, for [`evidence`](Strip::evidence) |
///
/// ```
/// use refrain::{Document, Input, Outputs, Run, Strip};
///
/// let book = "The Project Gutenberg EBook of The Lamp, by A. Keeper\n\nTitle: The Lamp\n\nAuthor: A. Keeper\n\n\
///     *** START OF THIS PROJECT GUTENBERG EBOOK THE LAMP ***\n\n\nProduced by B. Reader\n\n\n\n\
///     THE LAMP\n\nBy A. Keeper\n\nThe lamp was lit at dusk.\n\n\n\
///     End of Project Gutenberg's The Lamp, by A. Keeper\n";
/// let (outputs, results) = Outputs::memory();
/// let report = Strip::default().run(&Input::documents([Document::from_text("lamp", book)]), outputs, &Run::default())?;
/// assert_eq!((report.preambles, report.epilogues), (1, 1));
/// let lamp = &results.documents()[0];
/// assert_eq!(lamp.text(), "THE LAMP\n\nBy A. Keeper\n\nThe lamp was lit at dusk.");
/// assert_eq!(lamp.meta["author"], "A. Keeper");
/// # Ok::<(), refrain::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools)] // options
pub struct Strip {
    /// How inputs are read. Text that is already marked is removed, unless `use_marked` is set.
    pub read: ReadOptions,
    /// How preambles and epilogues are found.
    pub method: StripMethod,
    /// The profile of the texts. The published method ignores it.
    pub profile: StripProfile,
    /// Keep credits and notes of those who made the e-book, if they follow the marker at the start of the book.
    pub keep_credits: bool,
    /// Evidence of an earlier run; nothing is learned then.
    pub evidence: Option<SavedEvidence>,
    /// Write one row for each book instead: what was found, and why.
    pub explain: bool,
    /// With `explain`: the least certain first.
    pub worst: bool,
    /// Documents: keep preambles and epilogues, with their marks.
    pub keep_marked: bool,
    /// Documents: the unit of the offsets of marks in files.
    pub offsets: Offsets,
}

/// The result of [`Strip`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StripReport {
    /// Books that were read.
    pub books: u64,
    /// Texts with a preamble.
    pub preambles: u64,
    /// Texts with an epilogue.
    pub epilogues: u64,
    /// The number of texts that need a manual check.
    pub doubtful: u64,
    /// Texts of which nothing would remain. They are written whole.
    pub emptied: u64,
    /// The names of the first of them.
    pub first_emptied: Vec<String>,
    /// The texts that it learned from, if any.
    pub learned: Option<LearnedFrom>,
    /// How much was removed, by group and by rule: in bytes, because only the ends of texts are read.
    #[serde(skip)]
    pub losses: Losses,
    /// What became of the items of the inputs.
    pub input: Account,
    /// What failed.
    pub failures: Failures,
}

impl StripReport {
    /// How many names of emptied books a report holds.
    const NAMED: usize = 10;

    fn add(&mut self, row: &Row, losses: Losses) {
        let found = &row.found;
        self.losses.merge(losses);
        self.books += 1;
        self.preambles += u64::from(found.preamble_end > 0);
        self.epilogues += u64::from(found.epilogue_start > 0);
        self.doubtful += u64::from(found.is_doubtful());
        self.emptied += u64::from(found.emptied);
        if found.emptied && self.first_emptied.len() < Self::NAMED {
            self.first_emptied.push(row.name.clone());
        }
    }
}

/// What is removed from a book, in bytes. Its header states its language.
fn losses_of(book: &Book, found: &Boundaries) -> Losses {
    let mut groups = match &book.content {
        Content::Document(document, _) => Groups::of(document),
        Content::File { .. } => {
            let mut document = Document::from_text(&book.origin, "");
            document.origin.input.clone_from(&book.origin);
            Groups::of(&document)
        }
    };
    let stated = Some(found.facts.language.as_str()).filter(|language| !language.is_empty());
    groups.language = groups.language.or(stated.map(str::to_owned));
    let (body, size) = (found.body(&book.ends), book.ends.size());
    let mut losses = Losses::default();
    let kept = body.end - body.start;
    losses.add(groups, Loss { documents: 1, documents_kept: 1, words: size, words_kept: kept });
    for (label, bytes) in [(Label::Preamble, body.start), (Label::Epilogue, size - body.end)] {
        if bytes > 0 {
            losses.add_rule(format!("{NAME} {}", label.name()), bytes);
        }
    }
    losses
}

impl Strip {
    /// The formats that the job writes. Documents are written as text, jsonl, parquet and vertical.
    pub const FORMATS: [Format; 5] = [Format::Text, Format::Tsv, Format::Jsonl, Format::Parquet, Format::Vertical];
    /// The formats of `explain`.
    pub const ROW_FORMATS: [Format; 3] = [Format::Text, Format::Tsv, Format::Jsonl];

    /// Runs the job.
    pub fn run(&self, input: &Input, outputs: Outputs, run: &Run) -> Result<StripReport> {
        outputs.check(&[DOUBTFUL, ERRORS, PAGE, REMOVED, REPORT, SAVE])?;
        let outputs = outputs.with_evidence();
        if outputs.get(SAVE).is_some() && (self.evidence.is_some() || self.method != StripMethod::Learned) {
            return Err(Error::Refused("nothing to save: this run learns no evidence".into()));
        }
        let (source, early, _copy) = input.open_twice(&self.read, &outputs, run.temporary.as_deref())?;
        let target = Target::of(self, &outputs, source.inputs())?;
        let mut failures = FailureLog::new(&outputs, early)?;
        let workers = run.start()?;
        let books = Books {
            names: Names::new(input.names(), source.inputs()),
            source,
            lines: self.method.edge_lines(),
            only_one: target == Target::Body,
            output: outputs.path(),
            noun: self.profile.noun(),
            workers: &workers,
        };
        let mut destination = Destination::open(self, target, &outputs, &books)?;
        let (finder, learned) = self.learn(&books)?;
        if let (Some(save), Finder::Learned { evidence, .. }) = (outputs.get(SAVE), &finder) {
            save.write(&evidence.saved())?;
        }
        let mut report = StripReport { learned, ..StripReport::default() };
        let mut page = outputs.get(PAGE).map(|_| StripPage::default());
        let mut doubtful = outputs.get(DOUBTFUL).map(|_| Vec::new());
        let mut removed = outputs.open_removed(&[])?;
        let (preparation, has_page, lists_removed) = (destination.preparation(), page.is_some(), !removed.is_empty());
        books.each(
            "strip",
            Extent::Whole,
            |book| {
                let book = book?;
                let found = finder.find(&book.ends);
                let losses = losses_of(&book, &found);
                let ends = has_page.then(|| (book.position, book.ends.clone()));
                let removed = if lists_removed { write::removed(&book, &found, self.offsets)? } else { Vec::new() };
                let (row, body) = preparation.prepare(book, found)?;
                Ok((row, body, ends, removed, losses))
            },
            |done| {
                let (mut row, body, ends, lines, losses) = match done {
                    Ok(done) => done,
                    Err(Problem::Book(none)) => return failures.count_none(*none),
                    Err(Problem::Run(error)) => return Err(error),
                };
                failures.count(true, None, row.failure.take())?;
                report.add(&row, losses);
                removed.put(&lines)?;
                if let (Some(page), Some((position, ends))) = (&mut page, ends) {
                    page.add(position, &row.name, &ends, &row.found);
                }
                destination.write(&mut row, body)?;
                if let Some(doubtful) = doubtful.as_mut().filter(|_| row.found.is_doubtful()) {
                    doubtful.push(row);
                }
                Ok(())
            },
        )?;
        // A list that was requested is written even if there was nothing to read, but a folder then remains empty.
        if report.books > 0 || outputs.get(EVIDENCE_LIST).is_none() {
            removed.finish()?;
        } else {
            drop(removed);
        }
        destination.finish()?;
        if let Some(page) = page
            && let Some(mut out) = outputs.open_list(PAGE)?
        {
            out.put(workers.install(|| page.page()).as_bytes())?;
            out.finish()?;
        }
        if let (Some(mut out), Some(mut rows)) = (outputs.open_list(DOUBTFUL)?, doubtful) {
            sort_by_doubt(&mut rows);
            out.put(head(Format::Tsv).as_bytes())?;
            rows.iter().try_for_each(|row| out.put(row.line(Format::Tsv).as_bytes()))?;
            out.finish()?;
        }
        (report.input, report.failures) = failures.finish();
        outputs.write_report(&report)?;
        Ok(report)
    }
}
