//! Books as they are read.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, bail};
use refrain::editions::{Book, Method, Shelf};
use refrain::pipeline::{Control, Preparation, run_in_order};
use refrain::source::{Inputs, Item, Source};
use refrain::strip::{EDGE_LINES, Ends, Evidence, Profile, Strip};
use refrain::{Document, Failure, Position, Span};

use crate::common::{Failures, InputArguments, OutputArguments};
use crate::progress::{Bar, Status};
use refrain::write::{Names, without_extension};

/// Reads books and puts them on a shelf.
pub(super) struct Reader<'a> {
    pub(super) input: &'a InputArguments,
    pub(super) output: &'a OutputArguments,
    /// What was put in front of books and behind them is left out.
    pub(super) strip: Option<Strip>,
    pub(super) control: &'a Arc<Control>,
    pub(super) pool: &'a rayon::ThreadPool,
    /// A published method that books are read for, too.
    pub(super) method: Option<Method>,
    /// What it keeps of each book.
    pub(super) sets: Vec<Vec<u64>>,
    /// Names that are taken, among the books or among those that are looked for.
    pub(super) known: HashSet<String>,
}

impl Reader<'_> {
    pub(super) fn strip_by_default(wanted: bool) -> Result<Option<Strip>> {
        Ok(if wanted { Some(Strip::new(Profile::Gutenberg)?) } else { None })
    }

    /// Puts the books of inputs on a shelf: those of saved indexes as they are, all others as they are read.
    pub(super) fn add(
        &mut self,
        as_named: &[String],
        inputs: &Inputs,
        books: &mut Shelf,
        failures: &mut Failures,
    ) -> Result<()> {
        let list: Vec<&Path> = inputs.iter().map(|input| input.path.as_path()).collect();
        let names = Names::new(as_named, inputs);
        let mut from = 0;
        for (at, path) in list.iter().enumerate() {
            if Shelf::is_saved(path) {
                if self.method.is_some() {
                    bail!("{}: published methods read books, not indexes; name the books", path.display());
                }
                self.read(from..at as u32, inputs, &names, books, failures)?;
                let known = &mut self.known;
                let mut twice = 0;
                books.join(&Shelf::open(path)?, |book| {
                    let is_new = known.insert(book.id.clone());
                    twice += u32::from(!is_new);
                    is_new
                })?;
                if twice > 0 {
                    let error = format!("{twice} of its books have names that others have, too; they were left out");
                    let failure = Failure::new(path.display().to_string(), error);
                    failures.add(failure.hint("name each index once, and give books names of their own"))?;
                }
                from = at as u32 + 1;
            }
        }
        self.read(from..list.len() as u32, inputs, &names, books, failures)
    }

    fn read(
        &mut self,
        range: std::ops::Range<u32>,
        inputs: &Inputs,
        names: &Names,
        books: &mut Shelf,
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
        let (known, sets, method) = (&mut self.known, &mut self.sets, self.method);
        let result = run_in_order(
            &source,
            range.clone(),
            Position { input: range.start, record: 0 },
            self.pool,
            self.control,
            |position, mut item| {
                match &mut item {
                    // A file of its own that is no text was meant to be a book.
                    Item::Skipped { origin, reason }
                        if origin.member.is_none() && origin.url.is_none() && !reason.starts_with("WARC") =>
                    {
                        return (None, Some(Failure::new(&origin.input, format!("is not text: {reason}"))));
                    }
                    Item::Document(raw) if raw.origin.member.is_none() => raw.claims_text = true,
                    _ => {}
                }
                let mut prepared = preparation.prepare(position, item);
                prepared.document.iter_mut().for_each(Document::remove_marked);
                let name = inputs.get(position.input).map(|input| names.of(input)).unwrap_or_default();
                (prepared.document.map(|document| Read::of(&document, &name, strip, method)), prepared.failure)
            },
            |_, (book, failure)| {
                if let Some(failure) = failure {
                    failures.add(failure)?;
                }
                let Some(Read { origin, size, book, edges, set }) = book else { return Ok(()) };
                self.control.count(1, 0);
                if u32::try_from(size).is_err() {
                    let failure = Failure::new(origin, "is too large for a book: 4 GiB of text is the most");
                    return failures.add(failure.hint("cut it into pieces"));
                }
                if book.words == 0 {
                    let way_out = "is it the right file? If it shows pictures of pages, run OCR over it first";
                    return failures.add(Failure::new(origin, "has no words to compare").hint(way_out));
                }
                if !known.insert(book.id.clone()) {
                    let failure = Failure::new(origin, format!("there is another book `{}`; it was left out", book.id));
                    return failures.add(failure.hint("give it a name of its own"));
                }
                sets.extend(set);
                books.add(&book, edges.as_ref())
            },
        );
        drop(bar);
        Ok(result?)
    }
}

/// A book as it was read.
struct Read {
    /// The name of its file.
    origin: String,
    /// Bytes of its text.
    size: usize,
    /// Without what was put in front of it and behind it...
    book: Book,
    /// ...and that, as a text of its own.
    edges: Option<Book>,
    /// What a published method keeps of it.
    set: Option<Vec<u64>>,
}

impl Read {
    fn of(document: &Document, name: &Path, strip: Option<&Strip>, method: Option<Method>) -> Read {
        let is_file = document.id == document.origin.input;
        let id = if is_file { name.to_string_lossy().into_owned() } else { document.id.clone() };
        let id = without_extension(&id).to_owned();
        let text = document.text();
        let ends = Ends::of(text.as_bytes(), EDGE_LINES);
        let found = strip.map(|strip| strip.find(&ends, Evidence::shipped())).unwrap_or_default();
        let body = if strip.is_some() { found.body(&ends) } else { 0..ends.size() };
        let at = |place: u64| text.floor_char_boundary(usize::try_from(place).unwrap_or(text.len()).min(text.len()));
        let (start, end) = (at(body.start), at(body.end));
        let outside = [Span::new(0, start), Span::new(end, text.len())];
        let field = |name: &str, told: String| {
            let known = document.meta.get(name).and_then(|value| value.as_str());
            known.filter(|known| !known.is_empty()).map_or(told, str::to_owned)
        };
        let has_edges = start > 0 || end < text.len();
        Read {
            origin: document.origin.path().into_owned(),
            size: text.len(),
            edges: has_edges.then(|| Book::read(id.clone(), text, &[Span::new(start, end)])),
            set: method.map(|method| method.read(text, &outside)),
            book: Book {
                title: field("title", found.facts.title),
                author: field("author", found.facts.author),
                ..Book::read(id, text, &outside)
            },
        }
    }
}
