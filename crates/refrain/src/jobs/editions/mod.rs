//! `editions`: which books are editions of one work, and where they overlap.

mod read;
mod write;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::read::Reader;
use super::failures::{FailureLog, Failures};
use super::input::Input;
use super::outputs::{ERRORS, Output, Outputs, REPORT};
#[cfg(feature = "papers")]
use crate::editions::BaselineMethod;
use crate::editions::{BookPair, CandidateOptions, Entry, FindOptions, FoundEditions, Shelf, Work, find, works};
use crate::error::{Error, IoContext, Result};
use crate::run::{Run, Workers};
use crate::source::ReadOptions;
use crate::stats::Account;
use crate::write::Format;

/// Finds books that are editions of the same work, in whole or in part, and where they overlap.
///
/// ```
/// use refrain::{Document, Editions, Input, Outputs, Run};
///
/// let word = |n: u32| n.to_string().bytes().map(|digit| char::from(digit - b'0' + b'k')).collect::<String>();
/// let text = |from: u32, to: u32| (from..to).map(word).collect::<Vec<_>>().join(" ");
/// let input = Input::documents([
///     Document::from_text("a story", text(1000, 1900)),
///     Document::from_text("a collection", text(5000, 9000) + " " + &text(1000, 1900)),
/// ]);
/// let report = Editions::default().run(&input, Outputs::none(), &Run::default())?;
/// let pair = &report.pairs[0];
/// assert_eq!(report.books[pair.b as usize].id, "a story");
/// assert!(pair.share_b > 0.9 && pair.share_a < 0.3);
/// # Ok::<(), refrain::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Editions {
    /// How inputs are read.
    pub read: ReadOptions,
    /// Compare licences and notices at the beginning and the end of books, too.
    pub no_strip: bool,
    /// A published method that compares books instead. It finds no passages, and keeps all sets of words in memory.
    #[cfg(feature = "papers")]
    pub method: Option<BaselineMethod>,
    /// With a published method: the minimum score of a pair; by default, the published one.
    #[cfg(feature = "papers")]
    pub threshold: Option<Threshold>,
}

/// The minimum score of a pair.
#[cfg(feature = "papers")]
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Threshold {
    /// The given score.
    Score(f64),
    /// A score that suits clean texts without licences.
    Calibrated,
}

/// The input of [`Editions`]. An `&Input` is enough if all books are compared with each other.
#[derive(Debug, Clone)]
pub struct EditionsInput {
    /// The books: texts, or indexes of earlier runs.
    pub books: Input,
    /// Books to look for among the others, and not among each other.
    pub against: Option<Input>,
}

impl From<&Input> for EditionsInput {
    fn from(books: &Input) -> EditionsInput {
        EditionsInput { books: books.clone(), against: None }
    }
}

/// The result of [`Editions`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct EditionsReport {
    /// The books.
    pub books: Vec<Entry>,
    /// False if there were too few books to compare: nothing was written then.
    pub compared: bool,
    /// Books that share text, by their numbers.
    pub pairs: Vec<BookPair>,
    /// Works with their editions.
    pub works: Vec<Work>,
    /// Books with too few unique words to be compared, by their numbers.
    pub too_short: Vec<u32>,
    /// Dictionaries and word lists, which were not compared with each other.
    pub lists: Vec<u32>,
    /// What became of the items of the inputs.
    pub input: Account,
    /// What failed.
    pub failures: Failures,
}

/// The list that stores the index of all books, as an input of later runs.
const INDEX: &str = "index";

impl Editions {
    /// The formats that the job writes.
    pub const FORMATS: &[Format] = &[Format::Table, Format::Tsv, Format::Jsonl, Format::Parquet, Format::Report];
    /// The memory that a run may use unless it says otherwise.
    pub const MEMORY: u64 = CandidateOptions::MEMORY;

    /// Runs the job.
    pub fn run(&self, input: impl Into<EditionsInput>, outputs: Outputs, run: &Run) -> Result<EditionsReport> {
        let EditionsInput { books, against } = input.into();
        outputs.check(&[ERRORS, INDEX, REPORT])?;
        let format = outputs.report_format(Self::FORMATS)?;
        let limits = CandidateOptions { memory: run.memory_or(Self::MEMORY)?, temporary: run.temporary() };
        let (source, early) = books.open(&self.read, &outputs.without(INDEX))?;
        // An index of indexes may replace one of them.
        let is_index = |path: Option<&std::path::Path>| path.is_some_and(Shelf::is_saved);
        let replaces = is_index(outputs.get(INDEX).and_then(Output::as_path))
            && source.inputs().iter().all(|input| is_index(Some(&input.path)));
        if !replaces {
            outputs.refuse_inputs(source.inputs())?;
        }
        let opened = against.as_ref().map(|against| against.open(&self.read, &outputs)).transpose()?;
        let mut failures = FailureLog::new(&outputs, early)?;
        let workers = run.start()?;
        let mut reader = Reader::new(self, &workers)?;
        let made = if self.no_strip { "as they come" } else { "without licences" };
        let mut shelved = Shelf::of_books_made(&limits.temporary, made)?;
        reader.add(&books, &source, &mut shelved, &mut failures)?;
        // The data of a published method is in the order in which books were read.
        let sorts = reader.set_of.is_none();
        if sorts {
            shelved.sort_from(0);
        }
        let new_from = opened.is_some().then_some(shelved.len() as u32);
        if let (Some((source, early)), Some(against)) = (opened, &against) {
            failures.add_early(early)?;
            // A book may be looked for under the name that it has in the collection, but not saved under it once more.
            if outputs.get(INDEX).is_none() {
                reader.ids.clear();
            }
            reader.add(against, &source, &mut shelved, &mut failures)?;
            if sorts {
                shelved.sort_from(new_from.unwrap_or(0) as usize);
            }
        }
        shelved.flush()?;
        let compared = is_enough(shelved.len() as u32, new_from, outputs.get(INDEX).is_some());
        if !compared {
            let books = shelved.books().to_vec();
            let (input, failures) = failures.finish();
            let report = EditionsReport { books, input, failures, ..EditionsReport::default() };
            outputs.write_report(&report)?;
            return Ok(report);
        }
        save(&mut shelved, outputs.get(INDEX), run)?;
        workers.begin("match", 0);
        workers.advance(0, shelved.len() as u64, 0);
        #[cfg(feature = "papers")]
        let published = self.search_published(&shelved, new_from, &reader.sets, &workers)?;
        #[cfg(not(feature = "papers"))]
        let published = None;
        let found = published.map_or_else(|| search(&shelved, new_from, limits, &workers), Ok)?;
        let works = works(shelved.books(), &found.pairs);
        let (input, failures) = failures.finish();
        let FoundEditions { pairs, too_short, lists, .. } = &found;
        write::write(&shelved, &found, &works, &failures, format, &outputs)?;
        let (pairs, too_short, lists) = (pairs.clone(), too_short.clone(), lists.clone());
        let books = shelved.books().to_vec();
        let report = EditionsReport { books, compared, pairs, works, too_short, lists, input, failures };
        outputs.write_report(&report)?;
        Ok(report)
    }

    /// Finds the pairs by a published method, if one is chosen.
    #[cfg(feature = "papers")]
    fn search_published(
        &self,
        shelved: &Shelf,
        new_from: Option<u32>,
        sets: &[Vec<u64>],
        workers: &Workers,
    ) -> Result<Option<FoundEditions>> {
        let Some(method) = self.method else { return Ok(None) };
        let threshold = match self.threshold {
            None => method.threshold(),
            Some(Threshold::Score(score)) => score,
            Some(Threshold::Calibrated) => method.calibrated(),
        };
        let pairs = method.pairs(sets, threshold, workers).into_iter();
        let pairs = pairs.filter(|(a, b, _)| new_from.is_none_or(|new| *a < new && *b >= new));
        let pairs =
            pairs.map(|(a, b, score)| Ok(BookPair::published((a, &shelved.book(a)?), (b, &shelved.book(b)?), score)));
        Ok(Some(FoundEditions { pairs: pairs.collect::<Result<_>>()?, ..FoundEditions::default() }))
    }
}

/// Finds the pairs.
fn search(
    shelved: &Shelf,
    new_from: Option<u32>,
    limits: CandidateOptions,
    workers: &Workers,
) -> Result<FoundEditions> {
    let options = FindOptions { limits, new_from, ..FindOptions::default() };
    let mut found = find(shelved, &options, workers)?;
    // A book of the collection that is looked for finds itself.
    let id = |book: u32| shelved.books().get(book as usize).map(|book| &book.id);
    let is_itself = |pair: &BookPair| id(pair.a) == id(pair.b) && shelved.are_same(pair.a, pair.b);
    found.pairs.retain(|pair| new_from.is_none() || !is_itself(pair));
    Ok(found)
}

impl EditionsReport {
    /// The pairs as a table for people, the largest shares first, with at most `most` rows.
    pub fn table(&self, most: usize) -> String {
        write::table(&self.books, &self.pairs, most)
    }
}

/// True if there are books to compare, or at least one for an index. If books are new from a number on, each side needs some.
fn is_enough(books: u32, new_from: Option<u32>, for_index: bool) -> bool {
    match new_from {
        Some(new) => new > 0 && new < books,
        None => books > 1 || (for_index && books > 0),
    }
}

/// Saves the index, if it is wanted.
fn save(shelved: &mut Shelf, index: Option<&Output>, run: &Run) -> Result<()> {
    match index {
        None => Ok(()),
        Some(Output::Path(path)) => shelved.save(path),
        Some(output @ Output::Memory(_)) => {
            let folder = run.temporary();
            let file = tempfile::NamedTempFile::new_in(&folder).at(&folder)?;
            shelved.save(file.path())?;
            let mut out = output.open()?;
            out.put(&std::fs::read(file.path()).at(file.path())?)?;
            out.finish().map(drop)
        }
        Some(_) => Err(Error::Refused("an index needs a file".into())),
    }
}
