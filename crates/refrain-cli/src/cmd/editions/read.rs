//! Books as they are read.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use refrain::editions::{Book, Shelf};
use refrain::pipeline::{Control, Preparation, run_in_order};
use refrain::source::{Inputs, Item, Source};
use refrain::strip::{EDGE_LINES, Ends, Evidence, Profile, Strip};
use refrain::{Document, Failure, Position, Span};

use crate::common::{Failures, InputArguments, OutputArguments};
use crate::names::{Names, without_extension};
use crate::progress::{Bar, Status};

/// Reads books and puts them on a shelf.
pub(super) struct Reader<'a> {
    pub(super) input: &'a InputArguments,
    pub(super) output: &'a OutputArguments,
    /// What was put in front of books and behind them is left out.
    pub(super) strip: Option<Strip>,
    pub(super) control: &'a Arc<Control>,
    pub(super) pool: &'a rayon::ThreadPool,
    /// Names that are taken.
    pub(super) known: HashSet<String>,
}

impl Reader<'_> {
    pub(super) fn strip_by_default(wanted: bool) -> Result<Option<Strip>> {
        Ok(if wanted { Some(Strip::new(Profile::Gutenberg)?) } else { None })
    }

    /// Puts the books of inputs on a shelf: those of saved indexes as they are, all others as they are read.
    pub(super) fn add(
        &mut self,
        named: &[String],
        inputs: &Inputs,
        shelf: &mut Shelf,
        failures: &mut Failures,
    ) -> Result<()> {
        let list: Vec<&Path> = inputs.iter().map(|input| input.path.as_path()).collect();
        let names = Names::new(named, inputs);
        let mut from = 0;
        for (at, path) in list.iter().enumerate() {
            if Shelf::is_saved(path) {
                self.read(from..at as u32, inputs, &names, shelf, failures)?;
                let saved = Shelf::open(path)?;
                self.known.extend(saved.books().iter().map(|book| book.id.clone()));
                shelf.join(&saved)?;
                from = at as u32 + 1;
            }
        }
        self.read(from..list.len() as u32, inputs, &names, shelf, failures)
    }

    fn read(
        &mut self,
        range: std::ops::Range<u32>,
        inputs: &Inputs,
        names: &Names,
        shelf: &mut Shelf,
        failures: &mut Failures,
    ) -> Result<()> {
        if range.is_empty() {
            return Ok(());
        }
        let source = Arc::new(Source::new(inputs.clone(), self.input.options()));
        let (watched, counted) = (source.clone(), self.control.clone());
        let bar = Bar::start(!self.output.shows_progress(), move || Status {
            phase: "read",
            done: watched.bytes_read(),
            total: watched.inputs().total_size(),
            documents: counted.documents(),
            note: format!(", {} books", counted.documents()),
        });
        let preparation = Preparation { language: None, extractor: None };
        let strip = self.strip.as_ref();
        let known = &mut self.known;
        let result = run_in_order(
            &source,
            range.clone(),
            Position { input: range.start, record: 0 },
            self.pool,
            self.control,
            |position, mut item| {
                match &mut item {
                    // A file of its own that is no text was meant to be a book.
                    Item::Skipped { origin, reason } if origin.member.is_none() && origin.url.is_none() => {
                        return (None, Some(Failure::new(&origin.input, format!("is not text: {reason}"))));
                    }
                    Item::Document(raw) if raw.origin.member.is_none() => raw.claims_text = true,
                    _ => {}
                }
                let prepared = preparation.prepare(position, item);
                let name = inputs.get(position.input).map(|input| names.of(input)).unwrap_or_default();
                (prepared.document.map(|document| book_of(&document, &name, strip)), prepared.failure)
            },
            |_, (book, failure)| {
                if let Some(failure) = failure {
                    failures.add(failure)?;
                }
                let Some((origin, book, edges)) = book else { return Ok(()) };
                self.control.count(1, 0);
                if book.words == 0 {
                    let way_out = "is it the right file? If it shows pictures of pages, run OCR over it first";
                    return failures.add(Failure::new(origin, "has no words to compare").hint(way_out));
                }
                if !known.insert(book.id.clone()) {
                    let failure = Failure::new(origin, format!("there is another book `{}`; it was left out", book.id));
                    return failures.add(failure.hint("give it a name of its own"));
                }
                shelf.add(&book, edges.as_ref())
            },
        );
        drop(bar);
        Ok(result?)
    }
}

/// A book, without what was put in front of it and behind it; that, as a text of its own. With the name of its file.
fn book_of(document: &Document, name: &Path, strip: Option<&Strip>) -> (String, Book, Option<Book>) {
    let is_file = document.id == document.origin.input;
    let id = if is_file { name.to_string_lossy().into_owned() } else { document.id.clone() };
    let id = without_extension(&id).to_owned();
    let origin = document.origin.path().into_owned();
    let text = &document.text;
    let field = |name: &str| document.meta.get(name).and_then(|value| value.as_str()).unwrap_or_default().to_owned();
    let Some(strip) = strip else {
        return (origin, Book { title: field("title"), author: field("author"), ..Book::read(id, text, &[]) }, None);
    };
    let ends = Ends::of(text.as_bytes(), EDGE_LINES);
    let found = strip.find(&ends, Evidence::shipped());
    let body = found.body(&ends);
    let at = |place: u64| text.floor_char_boundary(usize::try_from(place).unwrap_or(text.len()).min(text.len()));
    let (start, end) = (at(body.start), at(body.end));
    let mut book = Book::read(id.clone(), text, &[Span::new(0, start), Span::new(end, text.len())]);
    let or = |told: &String, field: String| if field.is_empty() { told.clone() } else { field };
    book.title = or(&found.facts.title, field("title"));
    book.author = or(&found.facts.author, field("author"));
    let has_edges = start > 0 || end < text.len();
    let edges = has_edges.then(|| Book::read(id, text, &[Span::new(start, end)]));
    (origin, book, edges)
}
