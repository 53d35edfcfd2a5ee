//! Reads books.

use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;

use super::super::failures::{FailureLog, NoDocument};
use super::super::input::Input;
use super::Editions;
use crate::document::{Document, Position, Span};
use crate::editions::{Book, Shelf};
use crate::error::{Error, Failure, Result};
use crate::flow::each_document_of;
use crate::prepare::Preparation;
use crate::run::Workers;
use crate::source::Collection;
use crate::strip::{BoundaryFinder, EDGE_LINES, Ends, Evidence, StripProfile};
use crate::write::{Names, without_extension};

/// What a published method keeps of a text without some ranges.
type SetOf = Box<dyn Fn(&str, &[Span]) -> Vec<u64> + Send + Sync>;

/// Reads books and adds them to a shelf.
pub(super) struct Reader<'a> {
    workers: &'a Workers,
    /// Removes licences and notices.
    strip: Option<BoundaryFinder>,
    /// The sets of a published method that also uses the books.
    pub(super) set_of: Option<SetOf>,
    /// The data that a published method keeps of each book.
    pub(super) sets: Vec<Vec<u64>>,
    /// Ids in use, among the books or among those that are looked for.
    pub(super) ids: HashSet<String>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(job: &Editions, workers: &'a Workers) -> Result<Reader<'a>> {
        let strip = if job.no_strip { None } else { Some(BoundaryFinder::new(StripProfile::Gutenberg)?) };
        #[cfg(feature = "papers")]
        let set_of = job.method.map(|method| -> SetOf { Box::new(move |text, left_out| method.read(text, left_out)) });
        #[cfg(not(feature = "papers"))]
        let set_of = None;
        Ok(Reader { workers, strip, set_of, sets: Vec::new(), ids: HashSet::new() })
    }

    /// Adds the books of all inputs to a shelf: those of indexes unchanged, all others as they are read.
    pub(super) fn add(
        &mut self,
        input: &Input,
        source: &Collection,
        shelved: &mut Shelf,
        failures: &mut FailureLog,
    ) -> Result<()> {
        // Documents in memory have no files.
        let names = (!input.names().is_empty()).then(|| Names::new(input.names(), source.inputs()));
        self.workers.begin("read", source.inputs().total_size());
        let mut from = 0;
        for (number, input) in source.inputs().iter().enumerate().filter(|_| names.is_some()) {
            if Shelf::is_saved(&input.path) {
                self.read(from..number as u32, source, names.as_ref(), shelved, failures)?;
                self.join(&input.path, shelved, failures)?;
                from = number as u32 + 1;
            }
        }
        self.read(from..source.inputs().len(), source, names.as_ref(), shelved, failures)
    }

    /// Adds the books of an index.
    fn join(&mut self, index: &Path, shelved: &mut Shelf, failures: &mut FailureLog) -> Result<()> {
        if self.set_of.is_some() {
            let index = index.display();
            return Err(Error::Refused(format!("{index}: published methods read books, not indexes; name the books")));
        }
        let mut twice = 0;
        shelved.join(&Shelf::open(index)?, |book| {
            let is_new = self.ids.insert(book.id.clone());
            twice += u32::from(!is_new);
            is_new
        })?;
        if twice == 0 {
            return Ok(());
        }
        let error = format!("skipped {twice} books whose names occur twice");
        let failure = Failure::new(index.display().to_string(), error);
        failures.add(failure.hint("name each index once, and give each book a unique name"))
    }

    fn read(
        &mut self,
        range: Range<u32>,
        source: &Collection,
        names: Option<&Names>,
        shelved: &mut Shelf,
        failures: &mut FailureLog,
    ) -> Result<()> {
        if range.is_empty() {
            return Ok(());
        }
        let preparation = Preparation::default();
        let (strip, set_of) = (self.strip.as_ref(), self.set_of.as_ref());
        let (ids, sets) = (&mut self.ids, &mut self.sets);
        each_document_of(
            self.workers,
            source,
            range.clone(),
            Position { input: range.start, record: 0 },
            |position, item| {
                let origin = item.origin().cloned();
                let prepared = preparation.prepare(position, item).without_marked();
                let file = names.and_then(|names| Some(names.of(source.inputs().get(position.input)?)));
                let book = prepared.document.map(|document| ReadBook::of(&document, file.as_deref(), strip, set_of));
                let none = match (prepared.skipped, origin) {
                    (Some(reason), Some(origin)) => NoDocument::instead_of_book(&origin, reason, prepared.failure),
                    (skipped, _) => NoDocument { skipped, failure: prepared.failure },
                };
                (book, none)
            },
            |_, (book, none)| {
                failures.count(book.is_some(), none.skipped.as_deref(), none.failure)?;
                let Some(ReadBook { origin, size, book, edges, set }) = book else { return Ok(()) };
                if u32::try_from(size).is_err() {
                    let failure = Failure::new(origin, "too large for a book: more than 4 GiB of text");
                    return failures.add(failure.hint("split it"));
                }
                if book.words == 0 {
                    let hint = "check the file; if it holds images of pages, run OCR first";
                    return failures.add(Failure::new(origin, "no words to compare").hint(hint));
                }
                if !ids.insert(book.id.clone()) {
                    let error = format!("skipped: another book has the name `{}`", book.id);
                    return failures.add(Failure::new(origin, error).hint("give each book a unique name"));
                }
                sets.extend(set);
                shelved.add(&book, edges.as_ref())
            },
        )
    }
}

/// A book as it was read.
struct ReadBook {
    /// The name of its file.
    origin: String,
    /// Bytes of its text.
    size: usize,
    /// The book without licences and notices.
    book: Book,
    /// Licences and notices as a separate text.
    edges: Option<Book>,
    /// The data that a published method keeps of it.
    set: Option<Vec<u64>>,
}

impl ReadBook {
    /// `file` is the name of its file, if it has one.
    fn of(
        document: &Document,
        file: Option<&Path>,
        strip: Option<&BoundaryFinder>,
        set_of: Option<&SetOf>,
    ) -> ReadBook {
        let file = file.filter(|_| document.id == document.origin.input);
        let id = file.map_or_else(|| document.id.clone(), |file| file.to_string_lossy().into_owned());
        let id = without_extension(&id).to_owned();
        let text = document.text();
        let ends = Ends::of(text.as_bytes(), EDGE_LINES);
        let found = strip.map(|strip| strip.find(&ends, Evidence::shipped())).unwrap_or_default();
        let body = if strip.is_some() { found.body(&ends) } else { 0..ends.size() };
        let at = |place: u64| text.floor_char_boundary(usize::try_from(place).unwrap_or(text.len()).min(text.len()));
        let (start, end) = (at(body.start), at(body.end));
        let outside = [Span::new(0, start), Span::new(end, text.len())];
        let field = |name: &str, found: String| {
            let known = document.meta.get(name).and_then(|value| value.as_str());
            known.filter(|known| !known.is_empty()).map_or(found, str::to_owned)
        };
        let has_edges = start > 0 || end < text.len();
        ReadBook {
            origin: document.origin.path().into_owned(),
            size: text.len(),
            edges: has_edges.then(|| Book::read(id.clone(), text, &[Span::new(start, end)])),
            set: set_of.map(|set_of| set_of(text, &outside)),
            book: Book {
                url: document.origin.url.clone(),
                title: field("title", found.facts.title),
                author: field("author", found.facts.author),
                ..Book::read(id, text, &outside)
            },
        }
    }
}
