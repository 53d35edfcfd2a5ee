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

use crate::progress::{Bar, Status};
use refrain::write::{Names, without_extension, without_packing};

/// What is read, and how.
pub(super) struct Books {
    pub(super) inputs: Inputs,
    /// What they are called.
    pub(super) names: Names,
    pub(super) options: SourceOptions,
    /// Lines that are looked at at each end.
    pub(super) lines: usize,
    /// There must not be more than one book.
    pub(super) only_one: bool,
    /// Where they go; to standard output where there is none.
    pub(super) output: Option<PathBuf>,
    /// What they are called: not all texts are books.
    pub(super) noun: &'static str,
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

/// What is seen of a book before some are drawn.
pub(super) enum Glimpse {
    /// A plain file, with its [identity](Ends::identity).
    File(u64, Position),
    /// All else was read.
    Document(Box<Book>),
    Failed,
}

/// What is needed of plain files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// Their ends.
    Ends,
    /// Their ends, and how many lines there are.
    Whole,
}

impl Books {
    /// Reads all books, works on them on all cores, and hands over what came of it in their order.
    pub(super) fn each<T: Send>(
        &self,
        phase: &'static str,
        reading: Reading,
        work: impl Fn(Result<Book, Trouble>) -> T + Sync,
        sink: impl FnMut(T) -> refrain::Result<()>,
    ) -> refrain::Result<()> {
        self.each_input(phase, |index, input| self.plain(index, input, reading).map(|book| work(Ok(book))), &work, sink)
    }

    /// Looks at all books, to draw some of them: at the first and last bytes of plain files, and at all of the others.
    pub(super) fn glimpse(&self, sink: impl FnMut(Glimpse) -> refrain::Result<()>) -> refrain::Result<()> {
        let file = |index, input: &Input| {
            let identity = self.is_for_us(input).then(|| self.identity(input).ok().flatten()).flatten()?;
            Some(Glimpse::File(identity, Position { input: index, record: 0 }))
        };
        let document =
            |book: Result<Book, Trouble>| book.map_or(Glimpse::Failed, |book| Glimpse::Document(Box::new(book)));
        self.each_input("learn", file, document, sink)
    }

    /// Reads the ends of some plain files.
    pub(super) fn ends_of(
        &self,
        drawn: &[Position],
        each: impl Fn(Position, Ends) -> refrain::Result<()> + Sync,
    ) -> refrain::Result<()> {
        let read = |position: &Position| {
            let input = self.inputs.get(position.input).filter(|_| !self.control.stopped());
            let ends = input.and_then(|input| self.ends(input, Reading::Ends).ok().flatten());
            ends.filter(Ends::is_text).map_or(Ok(()), |ends| each(*position, ends))
        };
        self.pool.install(|| drawn.par_iter().try_for_each(read))?;
        // A part of the sample teaches something else than all of it.
        if self.control.stopped() { Err(refrain::Error::Interrupted) } else { Ok(()) }
    }

    /// Works on all inputs on all cores: on plain files by `plain`, where it can, and on the documents in all others.
    fn each_input<T: Send>(
        &self,
        phase: &'static str,
        plain: impl Fn(u32, &Input) -> Option<T> + Sync,
        work: impl Fn(Result<Book, Trouble>) -> T + Sync,
        mut sink: impl FnMut(T) -> refrain::Result<()>,
    ) -> refrain::Result<()> {
        let source = Arc::new(Source::new(self.inputs.clone(), self.options.clone()));
        let (watched, counted, before) = (source.clone(), self.control.clone(), self.control.documents());
        let noun = self.noun;
        let _bar = Bar::start(!self.shows_progress, move || Status {
            phase,
            done: watched.bytes_read(),
            total: watched.inputs().total_size(),
            documents: counted.documents() - before,
            note: format!(", {}", super::rows::counted(counted.documents() - before, noun)),
        });
        let seen = AtomicU64::new(0);
        let work = |book: Result<Book, Trouble>| {
            seen.fetch_add(u64::from(book.is_ok()), Ordering::Relaxed);
            work(book)
        };
        let mut sink = |done| match self.only_one && seen.load(Ordering::Relaxed) > 1 {
            true => Err(several(self.noun, self.output.as_deref())),
            false => sink(done),
        };
        let list: Vec<(u32, &Input)> = (0..).zip(self.inputs.iter()).collect();
        let plain = |(index, input): &(u32, &Input)| {
            let done = if self.control.stopped() { None } else { plain(*index, input) };
            if done.is_some() {
                seen.fetch_add(1, Ordering::Relaxed);
                source.count_as_read(*index);
            }
            done
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
                    None => self.documents(&source, *index, &work, &mut sink)?,
                }
            }
        }
        Ok(())
    }

    /// True when there is one book, in a plain file.
    pub(super) fn is_one(&self) -> bool {
        let first = self.inputs.iter().next().filter(|_| self.inputs.len() == 1);
        first.is_some_and(|input| self.plain(0, input, Reading::Ends).is_some())
    }

    /// False for what is surely read in another way.
    fn is_for_us(&self, input: &Input) -> bool {
        let readable = input.size.is_some_and(|size| size <= self.options.max_document);
        readable && !input.in_corpus && self.options.format.is_none_or(|format| format == InputFormat::Text)
    }

    /// The book in a plain file; none where the file is something else, or cannot be read.
    fn plain(&self, index: u32, input: &Input, reading: Reading) -> Option<Book> {
        if !self.is_for_us(input) {
            return None;
        }
        let ends = self.ends(input, reading).ok().flatten().filter(Ends::is_text)?;
        let name = self.names.of(input);
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
        let limit = head.capacity() as u64;
        read_up_to(&mut file, limit, &mut head)?;
        let whole = small.is_some_and(|size| head.len() as u64 <= size);
        if !self.is_plain(&head, input) {
            return Ok(None);
        }
        Ok(Some(match reading {
            _ if whole => Ends::of_whole(head, self.lines),
            Reading::Ends => Ends::glance(&mut file, self.lines)?,
            Reading::Whole => Ends::read(&mut file, self.lines)?,
        }))
    }

    /// What the first bytes of a file say.
    fn is_plain(&self, head: &[u8], input: &Input) -> bool {
        is_plain_text(&head[..head.len().min(HEAD as usize)], &input.name, self.options.format)
    }

    /// What identifies the text of a plain file; none where it is something else.
    fn identity(&self, input: &Input) -> io::Result<Option<u64>> {
        let mut file = File::open(&input.path)?;
        let mut head = Vec::with_capacity(HEAD as usize);
        read_up_to(&mut file, HEAD, &mut head)?;
        if self.is_plain(&head, input) { Ends::identify(&mut file) } else { Ok(None) }
    }

    /// The books in anything else.
    fn documents<T: Send>(
        &self,
        source: &Source,
        index: u32,
        work: &(impl Fn(Result<Book, Trouble>) -> T + Sync),
        sink: &mut impl FnMut(T) -> refrain::Result<()>,
    ) -> refrain::Result<()> {
        let preparation = Preparation { language: None, extractor: None };
        let name = self.inputs.get(index).map(|input| self.names.of(input)).unwrap_or_default();
        let id = |document: &Document| match document.id == document.origin.input {
            true => without_extension(without_packing(&name.to_string_lossy())).to_owned(),
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
                (Some(mut document), failure) => {
                    document.remove_marked();
                    Some(Ok(Book {
                        position,
                        id: id(&document),
                        origin: document.origin.path().into_owned(),
                        ends: Ends::of(document.text().as_bytes(), self.lines),
                        content: Content::Document(Box::new(document)),
                        failure,
                    }))
                }
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

/// Several books were found where there is room for one.
fn several(noun: &str, path: Option<&Path>) -> Error {
    let way_out = match path {
        Some(path) if path.extension().is_none() => {
            format!("a slash at the end of the name makes it one: -o {}/", path.display())
        }
        _ => "name one, such as -o clean/".to_owned(),
    };
    Error::Refused(format!("there are several {noun}s, and they go into a folder; {way_out}"))
}

/// Reads so many bytes, or as many as there are, behind those that were read before.
fn read_up_to(file: &mut File, limit: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
    let before = bytes.len();
    bytes.resize(before + limit as usize, 0);
    let mut filled = before;
    while filled < bytes.len() {
        match file.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(filled);
    Ok(())
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
