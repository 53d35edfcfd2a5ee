//! Learns how preambles and epilogues are found.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Strip;
#[cfg(feature = "papers")]
use super::books::{Book, Extent};
use super::books::{Books, Candidate};
use crate::error::{Error, Hint, IoContext, Result};
use crate::kernel::Kernel;
use crate::strip::{self, BookSample, BookText, Boundaries, Ends, Evidence, StripProfile};
#[cfg(feature = "papers")]
use crate::strip::{FrequentLines, LineCounts, PaperOptions, PreparedLines, StripMethod};

/// Evidence that an earlier run saved (the list `save`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SavedEvidence {
    /// In a file.
    File(PathBuf),
    /// In memory.
    Bytes(Vec<u8>),
}

impl SavedEvidence {
    fn read(&self) -> Result<Evidence> {
        match self {
            SavedEvidence::Bytes(bytes) => Evidence::from_saved(bytes),
            SavedEvidence::File(path) => Evidence::from_saved(&fs::read(path).at(path)?)
                .map_err(|error| Error::Damaged { path: path.clone(), message: error.to_string() }),
        }
    }
}

/// The texts that a run of [`Strip`] learned from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LearnedFrom {
    /// Texts of the collection.
    pub texts: u64,
    /// Distinct texts among them that voted. Near-copies of one text share one vote; a single text has none, and is
    /// stripped by the evidence included in the library.
    pub distinct: u64,
    /// Number of books in the evidence included in the library, if it was used.
    pub shipped: u64,
}

/// A method that has learned.
pub(super) enum Finder {
    Learned {
        method: strip::BoundaryFinder,
        evidence: Box<Evidence>,
        cache: Option<Cache>,
    },
    #[cfg(feature = "papers")]
    Paper(Box<FrequentLines>),
}

impl Finder {
    /// Finds preamble and epilogue of one text.
    pub(super) fn find(&self, text: &Ends) -> Boundaries {
        match self {
            Finder::Learned { method, evidence, cache: Some(cache) } => {
                cache.get_or_find(text, || method.find(text, evidence))
            }
            Finder::Learned { method, evidence, cache: None } => method.find(text, evidence),
            #[cfg(feature = "papers")]
            Finder::Paper(lines) => lines.find(text),
        }
    }
}

/// The boundaries of texts by their digests and numbers of lines, for collections that hold the same text several times.
#[derive(Default)]
pub(super) struct Cache(Mutex<HashMap<(u64, usize), Boundaries>>);

impl Cache {
    /// The maximum number of texts that are remembered.
    const MOST: usize = 10_000;

    fn get_or_find(&self, text: &Ends, find: impl FnOnce() -> Boundaries) -> Boundaries {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (text.digest(), text.lines());
        let cached = known().get(&key).cloned();
        cached.unwrap_or_else(|| {
            let found = find();
            let mut known = known();
            if known.len() < Cache::MOST {
                known.insert(key, found.clone());
            }
            found
        })
    }
}

impl Strip {
    /// Reads the books and learns from them, unless there is saved evidence.
    pub(super) fn learn(&self, books: &Books<'_>) -> Result<(Finder, Option<LearnedFrom>)> {
        #[cfg(feature = "papers")]
        if let StripMethod::Paper(options) = self.method {
            return Ok((Finder::Paper(Box::new(count_lines(options, books)?)), None));
        }
        let mut method = strip::BoundaryFinder::new(self.profile)?;
        method.keep_credits = self.keep_credits;
        if let Some(saved) = &self.evidence {
            let evidence = Box::new(saved.read()?);
            if evidence.profile() != self.profile {
                let name = evidence.profile().name();
                let hint = Hint::value("profile", name, format!("it was learned with `profile={name}`"));
                return Err(Error::Refused("this evidence belongs to another profile".into()).hint(hint));
            }
            return Ok((Finder::Learned { method, evidence, cache: None }, None));
        }
        // There is nothing to learn from a single plain file, so it is not read twice.
        let one = self.profile == StripProfile::Gutenberg && books.is_one_file();
        let drawn = if one { Drawn { texts: 1, ..Drawn::default() } } else { draw(&method, books)? };
        if self.profile == StripProfile::Generic && drawn.texts == 1 {
            let hint = Hint::option("evidence", "name more texts, or use saved evidence with `evidence`");
            return Err(Error::Refused("the generic profile needs at least two texts".into()).hint(hint));
        }
        let Drawn { sample, texts, repeated } = drawn;
        let evidence = Box::new(books.workers.install(|| method.conclude(sample))?);
        let shipped = if self.profile == StripProfile::Gutenberg { Evidence::shipped().books() } else { 0 };
        let distinct = evidence.books().saturating_sub(shipped);
        let from = LearnedFrom { texts, distinct: distinct.into(), shipped: shipped.into() };
        Ok((Finder::Learned { method, evidence, cache: repeated.then(Cache::default) }, Some(from)))
    }
}

/// Counts the lines of all books, as published.
#[cfg(feature = "papers")]
fn count_lines(options: PaperOptions, books: &Books<'_>) -> Result<FrequentLines> {
    let run = books.workers.run();
    let mut lines = LineCounts::new(options.build_counter(run.memory, run.temporary())?, options);
    // Only what the counter needs of a book is in memory until it is counted.
    let prepare = |book: Book| PreparedLines::of(&book.ends, &options, options.counter);
    books.each(
        "learn",
        Extent::Ends,
        |book| book.ok().map(prepare),
        |prepared| match prepared {
            Some(prepared) => lines.add(&prepared?),
            None => Ok(()),
        },
    )?;
    lines.conclude()
}

/// The sample that is learned from.
#[derive(Default)]
struct Drawn {
    sample: BookSample,
    /// Texts that it was drawn from.
    texts: u64,
    /// Whether some of them seem to be the same.
    repeated: bool,
}

/// Draws the sample. Plain files are identified by their sizes and some of their bytes; only those that are drawn are read.
fn draw(method: &strip::BoundaryFinder, books: &Books<'_>) -> Result<Drawn> {
    let mut sample = method.partial();
    let (mut files, mut texts) = (Vec::new(), 0);
    books.candidates(|candidate| {
        texts += u64::from(!matches!(candidate, Candidate::Failed));
        match candidate {
            Candidate::File(identity, position) => files.push((identity, position)),
            Candidate::Document(book) => {
                return method.observe(BookText { position: book.position, ends: &book.ends }, &mut sample);
            }
            Candidate::Failed => {}
        }
        Ok(())
    })?;
    let sample = Mutex::new(sample);
    let count = files.len();
    let (drawn, distinct) = BookSample::draw(files);
    // The sample does not depend on the order in which texts are added.
    books.ends_of(&drawn, |position, ends| {
        let mut sample = sample.lock().unwrap_or_else(PoisonError::into_inner);
        method.observe(BookText { position, ends: &ends }, &mut sample)
    })?;
    let sample = sample.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(Drawn { sample, texts, repeated: distinct < count })
}
