//! Books as they are read: plain files by their two ends, all else as documents.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use refrain::pipeline::{Control, Preparation, run_in_order};
use refrain::source::{Input, InputFormat, Inputs, Item, Source, SourceOptions, is_plain_text};
use refrain::strip::Ends;
use refrain::{Document, Error, Failure, Position};

use crate::names::{Names, without_extension};
use crate::progress::{Bar, Status};

/// What is read, and how.
pub(super) struct Books<'a> {
    pub(super) inputs: Inputs,
    /// What the user named.
    pub(super) named: &'a [String],
    pub(super) options: SourceOptions,
    /// Lines that are looked at at each end.
    pub(super) lines: usize,
    /// There must not be more than one book.
    pub(super) only_one: bool,
    pub(super) shows_progress: bool,
    pub(super) pool: rayon::ThreadPool,
    pub(super) control: Arc<Control>,
}

/// One book.
pub(super) struct Book {
    pub(super) position: Position,
    /// What people know it by: its name without `.txt`.
    pub(super) id: String,
    /// The name of the input, with that of the member of an archive.
    pub(super) origin: String,
    pub(super) ends: Ends,
    pub(super) content: Content,
    /// What was wrong with it, though it can be used.
    pub(super) failure: Option<Failure>,
}

/// Where the text is.
pub(super) enum Content {
    /// In a plain file.
    File {
        path: PathBuf,
        /// Its name below what the user named.
        name: PathBuf,
    },
    /// Here.
    Document(Box<Document>),
}

/// Why there is no book.
pub(super) enum Trouble {
    /// An input cannot be used.
    Failed(Failure),
    /// The run cannot go on.
    Ended(Error),
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Trouble {
        Trouble::Ended(error)
    }
}

/// Files that are looked at before what was found is handed over, and how large they may be together: what is written as
/// documents is held until then.
const CHUNK: usize = 256;
const CHUNK_BYTES: u64 = 64 << 20;
/// Bytes that tell what a file is.
const HEAD: u64 = 4096;
/// Files up to this size are read at once.
const SMALL: u64 = 128 << 10;

/// What is needed of plain files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// Their ends.
    Ends,
    /// Their ends, and how many lines there are.
    Whole,
}

impl Books<'_> {
    /// Reads all books, works on them on all cores, and hands over what came of it in their order.
    pub(super) fn each<T: Send>(
        &self,
        phase: &'static str,
        reading: Reading,
        work: impl Fn(Result<Book, Trouble>) -> T + Sync,
        mut sink: impl FnMut(T) -> refrain::Result<()>,
    ) -> refrain::Result<()> {
        let source = Arc::new(Source::new(self.inputs.clone(), self.options.clone()));
        let (watched, counted, before) = (source.clone(), self.control.clone(), self.control.documents());
        let _bar = Bar::start(!self.shows_progress, move || Status {
            phase,
            done: watched.bytes_read(),
            total: watched.inputs().total_size(),
            documents: counted.documents() - before,
            note: format!(", {} books", counted.documents() - before),
        });
        let seen = AtomicU64::new(0);
        let work = |book: Result<Book, Trouble>| {
            seen.fetch_add(u64::from(book.is_ok()), Ordering::Relaxed);
            work(book)
        };
        let mut sink = |done| match self.only_one && seen.load(Ordering::Relaxed) > 1 {
            true => Err(Error::Refused(
                "there are several books in it, and they go into a folder: name one, such as -o clean/".into(),
            )),
            false => sink(done),
        };
        let names = Names::new(self.named, &self.inputs);
        let list: Vec<(u32, &Input)> = (0..).zip(self.inputs.iter()).collect();
        let plain = |(index, input): &(u32, &Input)| {
            let stopped = self.control.stopped();
            let book = if stopped { None } else { self.plain(*index, input, &names, reading) };
            book.map(|book| {
                source.count_as_read(*index);
                work(Ok(book))
            })
        };
        for chunk in chunks(&list) {
            let done: Vec<Option<T>> = self.pool.install(|| chunk.par_iter().map(plain).collect());
            for (done, (index, _)) in done.into_iter().zip(chunk) {
                if self.control.stopped() {
                    return Err(Error::Interrupted);
                }
                match done {
                    Some(done) => {
                        self.control.count(1, 0);
                        sink(done)?;
                    }
                    None => self.documents(&source, *index, &names, &work, &mut sink)?,
                }
            }
        }
        Ok(())
    }

    /// True when there is one book, in a plain file.
    pub(super) fn is_one(&self) -> bool {
        let names = Names::new(self.named, &self.inputs);
        let mut inputs = self.inputs.iter();
        let first = inputs.next().and_then(|input| self.plain(0, input, &names, Reading::Ends));
        first.is_some() && inputs.next().is_none()
    }

    /// The book in a plain file; none where the file is something else, or cannot be read.
    fn plain(&self, index: u32, input: &Input, names: &Names, reading: Reading) -> Option<Book> {
        let readable = input.size.is_some_and(|size| size <= self.options.max_document);
        if !readable || input.in_corpus || self.options.format.is_some_and(|format| format != InputFormat::Text) {
            return None;
        }
        let ends = self.ends(input, reading).ok().flatten().filter(Ends::is_text)?;
        let name = names.of(input);
        Some(Book {
            position: Position { input: index, record: 0 },
            id: without_extension(&name.to_string_lossy()).to_owned(),
            origin: input.name.clone(),
            ends,
            content: Content::File { path: input.path.clone(), name },
            failure: None,
        })
    }

    /// The two ends of a plain file; none where it is something else.
    fn ends(&self, input: &Input, reading: Reading) -> io::Result<Option<Ends>> {
        let mut file = File::open(&input.path)?;
        let small = input.size.filter(|size| *size <= SMALL);
        // One byte more than there should be shows whether that was all.
        let mut head = Vec::with_capacity(small.map_or(HEAD, |size| size + 1) as usize);
        (&mut file).take(head.capacity() as u64).read_to_end(&mut head)?;
        let whole = small.is_some_and(|size| head.len() as u64 <= size);
        if !is_plain_text(&head[..head.len().min(HEAD as usize)], &input.name, self.options.format) {
            return Ok(None);
        }
        Ok(Some(match reading {
            _ if whole => Ends::of(&head, self.lines),
            Reading::Ends => Ends::glance(&mut file, self.lines)?,
            Reading::Whole => Ends::read(&mut file, self.lines)?,
        }))
    }

    /// The books in anything else.
    fn documents<T: Send>(
        &self,
        source: &Source,
        index: u32,
        names: &Names,
        work: &(impl Fn(Result<Book, Trouble>) -> T + Sync),
        sink: &mut impl FnMut(T) -> refrain::Result<()>,
    ) -> refrain::Result<()> {
        let preparation = Preparation { language: None, extractor: None };
        let name = self.inputs.get(index).map(|input| names.of(input)).unwrap_or_default();
        let id = |document: &Document| match document.id == document.origin.input {
            true => without_extension(&name.to_string_lossy()).to_owned(),
            false => without_extension(&document.id).to_owned(),
        };
        let book = |position: Position, mut item: Item| {
            match &mut item {
                // A file of its own that is no text was meant to be a book.
                Item::Skipped { origin, reason } if origin.member.is_none() && origin.url.is_none() => {
                    let failure = Failure::new(&origin.input, format!("is not text: {reason}"));
                    return Some(Err(Trouble::Failed(failure)));
                }
                Item::Document(raw) if raw.origin.member.is_none() => raw.claims_text = true,
                _ => {}
            }
            let prepared = preparation.prepare(position, item);
            match (prepared.document, prepared.failure) {
                (Some(document), failure) => Some(Ok(Book {
                    position,
                    id: id(&document),
                    origin: document.origin.path().into_owned(),
                    ends: Ends::of(document.text.as_bytes(), self.lines),
                    content: Content::Document(Box::new(document)),
                    failure,
                })),
                (None, Some(failure)) => Some(Err(Trouble::Failed(failure))),
                (None, None) => None,
            }
        };
        run_in_order(
            source,
            index..index + 1,
            Position { input: index, record: 0 },
            &self.pool,
            &self.control,
            |position, item| book(position, item).map(work),
            |_, done| {
                self.control.count(u64::from(done.is_some()), 0);
                done.map_or(Ok(()), &mut *sink)
            },
        )
    }
}

/// Reads a part of a file.
pub(super) fn read_part(path: &Path, part: std::ops::Range<u64>) -> io::Result<impl Read> {
    let mut file = File::open(path)?;
    let mut head = Vec::new();
    file.by_ref().take(LONGEST_MARK).read_to_end(&mut head)?;
    let mark = MARKS.iter().find(|mark| part.start > 0 && head.starts_with(mark)).copied().unwrap_or_default();
    io::Seek::seek(&mut file, io::SeekFrom::Start(part.start))?;
    Ok(mark.chain(file.take(part.end - part.start)))
}

/// Pieces of a list, each with few enough files that are small enough together, and one at least.
fn chunks<'a, 'b>(mut rest: &'a [(u32, &'b Input)]) -> impl Iterator<Item = &'a [(u32, &'b Input)]> {
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let fits = |(_, input): &&(u32, &Input)| {
            bytes += input.size.unwrap_or(0);
            bytes <= CHUNK_BYTES
        };
        let count = rest.iter().take(CHUNK).take_while(fits).count().max(1);
        let (chunk, others) = rest.split_at_checked(count)?;
        rest = others;
        Some(chunk)
    })
}

/// Marks of the order of bytes: UTF-8, UTF-16. Without it, nobody could read what is left.
const MARKS: [&[u8]; 3] = [b"\xEF\xBB\xBF", b"\xFF\xFE", b"\xFE\xFF"];
const LONGEST_MARK: u64 = 3;
