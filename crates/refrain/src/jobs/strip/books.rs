//! Reads books: only the two ends of plain files, and everything else as documents.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::document::{Document, Position};
use crate::error::{Error, Failure, Hint, Result};
use crate::flow::each_document_of;
use crate::jobs::failures::NoDocument;
use crate::prepare::Preparation;
use crate::run::Workers;
use crate::source::{Collection, InputFile, InputFormat, Item, is_plain_text};
use crate::strip::Ends;
use crate::write::{Names, TEXT, without_extension, without_packing};

/// The books of a collection, which can be read several times.
pub(super) struct Books<'a> {
    pub(super) source: Collection,
    /// Their names below an output folder.
    pub(super) names: Names,
    /// Lines that are examined at each end.
    pub(super) lines: usize,
    /// Whether several books are an error.
    pub(super) only_one: bool,
    /// The output, for messages.
    pub(super) output: Option<&'a Path>,
    /// The noun for one of them in messages.
    pub(super) noun: &'static str,
    pub(super) workers: &'a Workers,
}

/// One book.
pub(super) struct Book {
    pub(super) position: Position,
    /// Its name without `.txt`.
    pub(super) id: String,
    /// The name that people see: its address, or else its id.
    pub(super) name: String,
    /// The name of the input, with that of the member of an archive.
    pub(super) origin: String,
    pub(super) ends: Ends,
    pub(super) content: Content,
    /// A problem that did not prevent its use.
    pub(super) failure: Option<Failure>,
}

/// Where the text of a book is.
#[derive(Clone)]
pub(super) enum Content {
    /// In a plain file.
    File {
        path: PathBuf,
        /// Its name below an output folder.
        name: PathBuf,
    },
    /// In memory, with the name of a file for it.
    Document(Box<Document>, PathBuf),
}

/// Plain files that are read before their results are passed on, and their maximum total size: documents are in
/// memory until then.
const CHUNK: usize = 256;
const CHUNK_BYTES: u64 = 64 << 20;
/// Bytes examined to identify a file.
const HEAD: u64 = 4096;
/// Files up to this size are read at once.
const SMALL: u64 = 128 << 10;

/// A book that may be drawn for the sample that is learned from.
pub(super) enum Candidate {
    /// A plain file, with its [identity](Ends::identity).
    File(u64, Position),
    /// A document, which was read.
    Document(Box<Book>),
    /// Not a book.
    Failed,
}

/// How much of a plain file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// Its ends.
    Ends,
    /// Its ends, and how many lines it has.
    Whole,
}

impl Books<'_> {
    /// Reads all books, works on them on all threads, and hands over the results in the order of the collection.
    pub(super) fn each<T: Send>(
        &self,
        phase: &'static str,
        extent: Extent,
        work: impl Fn(Result<Book, NoDocument>) -> T + Sync,
        sink: impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        self.each_input(phase, |index, input| self.plain(index, input, extent).map(|book| work(Ok(book))), &work, sink)
    }

    /// Finds all candidates for the sample. Reads a few bytes of each plain file, and all of everything else.
    pub(super) fn candidates(&self, sink: impl FnMut(Candidate) -> Result<()>) -> Result<()> {
        let file = |index, input: &InputFile| {
            let identity = self.may_be_plain(input).then(|| self.identity(input).ok().flatten()).flatten()?;
            Some(Candidate::File(identity, Position { input: index, record: 0 }))
        };
        let document =
            |book: Result<Book, NoDocument>| book.map_or(Candidate::Failed, |book| Candidate::Document(Box::new(book)));
        self.each_input("learn", file, document, sink)
    }

    /// Reads the ends of some plain files, in any order.
    pub(super) fn ends_of(&self, files: &[Position], each: impl Fn(Position, Ends) -> Result<()> + Sync) -> Result<()> {
        let stop = self.workers.stop();
        let read = |position: &Position| {
            stop.check()?;
            let input = self.source.inputs().get(position.input);
            let ends = input.and_then(|input| self.ends(input, Extent::Ends).ok().flatten());
            ends.filter(Ends::is_text).map_or(Ok(()), |ends| each(*position, ends))
        };
        self.workers.install(|| files.par_iter().try_for_each(read))
    }

    /// Works on all inputs on all threads: on plain files by `plain` where it can, and on the documents in all others.
    fn each_input<T: Send>(
        &self,
        phase: &'static str,
        plain: impl Fn(u32, &InputFile) -> Option<T> + Sync,
        work: impl Fn(Result<Book, NoDocument>) -> T + Sync,
        mut sink: impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        let source = &self.source;
        let stop = self.workers.stop();
        source.rewind();
        self.workers.begin(phase, source.inputs().total_size());
        let books = AtomicU64::new(0);
        let work = |book: Result<Book, NoDocument>| {
            books.fetch_add(u64::from(book.is_ok()), Ordering::Relaxed);
            work(book)
        };
        let mut sink = |done| match self.only_one && books.load(Ordering::Relaxed) > 1 {
            true => Err(self.several()),
            false => sink(done),
        };
        let list: Vec<(u32, &InputFile)> = (0..).zip(source.inputs().iter()).collect();
        let plain = |(index, input): &(u32, &InputFile)| {
            let done = if stop.is_requested() { None } else { plain(*index, input) };
            if done.is_some() {
                books.fetch_add(1, Ordering::Relaxed);
                source.count_as_read(*index);
            }
            done
        };
        for chunk in chunks(&list) {
            let done: Vec<Option<T>> = self.workers.install(|| chunk.par_iter().map(plain).collect());
            for (done, (index, _)) in done.into_iter().zip(chunk) {
                stop.check()?;
                match done {
                    Some(done) => {
                        self.workers.set_done(source.bytes_read(), 1);
                        sink(done)?;
                    }
                    None => self.documents(*index, &work, &mut sink)?,
                }
            }
        }
        Ok(())
    }

    /// True if there is one book, in a plain file.
    pub(super) fn is_one_file(&self) -> bool {
        let first = self.source.inputs().iter().next().filter(|_| self.source.inputs().len() == 1);
        first.is_some_and(|input| self.plain(0, input, Extent::Ends).is_some())
    }

    /// False for inputs that are certainly not plain files.
    fn may_be_plain(&self, input: &InputFile) -> bool {
        let options = self.source.options();
        let readable = input.size.is_some_and(|size| size <= options.max_document);
        let as_text = options.format.is_none_or(|format| format == InputFormat::Text);
        readable && as_text && !input.in_corpus && input.stored.is_none() && !self.source.is_in_memory()
    }

    /// The book in a plain file. `None` if the file is something else, or cannot be read.
    fn plain(&self, index: u32, input: &InputFile, extent: Extent) -> Option<Book> {
        if !self.may_be_plain(input) {
            return None;
        }
        let ends = self.ends(input, extent).ok().flatten().filter(Ends::is_text)?;
        let name = self.names.of(input);
        let id = without_extension(&name.to_string_lossy()).to_owned();
        Some(Book {
            position: Position { input: index, record: 0 },
            name: id.clone(),
            id,
            origin: input.name.clone(),
            ends,
            content: Content::File { path: input.path.clone(), name },
            failure: None,
        })
    }

    /// The two ends of a plain file. `None` if the file is something else.
    fn ends(&self, input: &InputFile, extent: Extent) -> io::Result<Option<Ends>> {
        let mut file = File::open(&input.path)?;
        let small = input.size.filter(|size| *size <= SMALL);
        // Read one extra byte to see whether the file has grown.
        let limit = small.map_or(HEAD, |size| size + 1);
        let mut head = Vec::with_capacity(limit as usize);
        (&mut file).take(limit).read_to_end(&mut head)?;
        let whole = small.is_some_and(|size| head.len() as u64 <= size);
        if !self.is_plain(&head, input) {
            return Ok(None);
        }
        Ok(Some(match extent {
            _ if whole => Ends::of_whole(head, self.lines),
            Extent::Ends => Ends::glance(&mut file, self.lines)?,
            Extent::Whole => Ends::read(&mut file, self.lines)?,
        }))
    }

    /// Whether the first bytes of a file are plain text.
    fn is_plain(&self, head: &[u8], input: &InputFile) -> bool {
        is_plain_text(&head[..head.len().min(HEAD as usize)], &input.name, self.source.options().format)
    }

    /// A hash that identifies the text of a plain file. `None` if the file is something else.
    fn identity(&self, input: &InputFile) -> io::Result<Option<u64>> {
        let mut file = File::open(&input.path)?;
        let mut head = Vec::with_capacity(HEAD as usize);
        (&mut file).take(HEAD).read_to_end(&mut head)?;
        if self.is_plain(&head, input) { Ends::identify(&mut file) } else { Ok(None) }
    }

    /// Works on the documents of one input.
    fn documents<T: Send>(
        &self,
        index: u32,
        work: &(impl Fn(Result<Book, NoDocument>) -> T + Sync),
        sink: &mut impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        let preparation = Preparation::default();
        let name = self.source.inputs().get(index).map(|input| self.names.of(input)).unwrap_or_default();
        let id = |document: &Document| match document.id == document.origin.input {
            true => without_extension(without_packing(&name.to_string_lossy())).to_owned(),
            false => without_extension(&document.id).to_owned(),
        };
        let book = |position: Position, item: Item| {
            let origin = item.origin().cloned();
            let prepared = preparation.prepare(position, item).without_marked();
            match (prepared.document, prepared.skipped, origin) {
                (Some(document), ..) => {
                    let input = self.source.inputs().get(index).filter(|_| !self.source.is_in_memory());
                    let file = self.names.of_document(&document, input, TEXT);
                    Ok(Book {
                        position,
                        name: document.origin.url.clone().unwrap_or_else(|| id(&document)),
                        id: id(&document),
                        origin: document.origin.path().into_owned(),
                        ends: Ends::of(document.text().as_bytes(), self.lines),
                        content: Content::Document(Box::new(document), file),
                        failure: prepared.failure,
                    })
                }
                (None, Some(reason), Some(origin)) => {
                    Err(NoDocument::instead_of_book(&origin, reason, prepared.failure))
                }
                (None, skipped, _) => Err(NoDocument { skipped, failure: prepared.failure }),
            }
        };
        each_document_of(
            self.workers,
            &self.source,
            index..index + 1,
            Position { input: index, record: 0 },
            |position, item| work(book(position, item)),
            |_, done| sink(done),
        )
    }

    /// Several books were found, and the output has room for one.
    fn several(&self) -> Error {
        let hint = match self.output.filter(|path| path.extension().is_none()) {
            Some(path) => {
                let folder = format!("{}/", path.display());
                let text = format!("end the name with a slash for a folder: `output={folder}`");
                Hint::value("output", folder, text)
            }
            None => folder_hint(),
        };
        Error::Refused(format!("several {}s need a folder", self.noun)).hint(hint)
    }
}

/// The hint to write several books to a folder.
pub(super) fn folder_hint() -> Hint {
    Hint::value("output", "clean/", "name one, such as `output=clean/`")
}

/// Reads a part of a file, after its byte order mark.
pub(super) fn read_part(path: &Path, part: Range<u64>) -> io::Result<impl Read> {
    let mut file = File::open(path)?;
    let mut head = Vec::new();
    file.by_ref().take(LONGEST_MARK).read_to_end(&mut head)?;
    let mark = MARKS.iter().find(|mark| part.start > 0 && head.starts_with(mark)).copied().unwrap_or_default();
    file.seek(SeekFrom::Start(part.start))?;
    Ok(mark.chain(file.take(part.end - part.start)))
}

/// Cuts a list into chunks of few enough files that are small enough together, with at least one file each.
fn chunks<'a, 'b>(mut rest: &'a [(u32, &'b InputFile)]) -> impl Iterator<Item = &'a [(u32, &'b InputFile)]> {
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let fits = |(_, input): &&(u32, &InputFile)| {
            bytes += input.size.unwrap_or(0);
            bytes <= CHUNK_BYTES
        };
        let count = rest.iter().take(CHUNK).take_while(fits).count().max(1);
        let (chunk, others) = rest.split_at_checked(count)?;
        rest = others;
        Some(chunk)
    })
}

/// Byte order marks of UTF-8 and UTF-16. Without its mark, a text could not be read any more.
const MARKS: [&[u8]; 3] = [b"\xEF\xBB\xBF", b"\xFF\xFE", b"\xFE\xFF"];
const LONGEST_MARK: u64 = 3;
