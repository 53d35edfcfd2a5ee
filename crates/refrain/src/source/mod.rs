//! Sources: read bytes from inputs and produce raw documents.
//!
//! [`InputFiles`] turns the names given by the user (files, folders, globs, `@list`, `-`) into a sorted list of files;
//! [`Collection`] reads them one after another. The content determines the format. Formats are compression (gzip, zstd,
//! bzip2, xz), containers (zip, tar, WARC, ARC, JSONL, Parquet, vertical, CSV, MediaWiki), plain documents (HTML, text),
//! office documents (DOCX, ODT, PDF, EPUB, RTF), editions (TEI) and recognised text (ALTO, hOCR). They can be nested in any
//! way. Everything streams: one document of an input is in memory at a time, or a few rows of a Parquet table.
//!
//! Reading passes [`Item`]s to a closure. Each item has a [`Position`]; reading can start at any position, which lets a
//! killed run resume. An unusable part of the input becomes [`Item::Failed`] or, if that is ordinary (an image in a
//! crawl), [`Item::Skipped`].

mod arc;
mod archive;
mod arrow;
mod compress;
pub(crate) mod corpus;
mod csv;
mod divided;
mod emit;
mod guard;
mod http;
mod inputs;
mod jsonl;
mod mediawiki;
pub(crate) mod office;
mod parquet;
mod sample;
mod sniff;
mod sparse;
mod store;
mod tei;
mod vertical;
mod warc;
mod wikitext;

pub use arrow::ArrowTable;
pub(crate) use emit::Emitter;
pub use guard::is_guarded;
pub(crate) use inputs::plain_name;
pub use inputs::{InputFile, InputFiles, STDIN};
pub(crate) use jsonl::is_record;
pub(crate) use sample::Sample;
pub use sniff::{InputFormat, Markup, OfficeFormat};
pub(crate) use sniff::{is_html, names_page};
pub(crate) use store::Outage;
pub use store::{Content, Object, Store};

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tempfile::TempDir;

use crate::document::{Annotation, Document, Origin, Position};
use crate::error::{Error, Failure, Hint, Result};
use sniff::Kind;
use store::{BytesOf, Bytewise};

/// How inputs are read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReadOptions {
    /// The format, if the user overrides detection. Compression is detected in any case.
    pub format: Option<InputFormat>,
    /// The JSON field or the column of a table that holds the text. Empty: records have no text, and all their fields are kept.
    pub text_field: String,
    /// The JSON field or the column of a table that holds the id.
    pub id_field: String,
    /// The markup of texts in JSON, Parquet and memory. `None` leaves it to the job: HTML for jobs that read web pages,
    /// otherwise detected for each text.
    pub text_is: Option<TextIs>,
    /// The types of documents to read, of [`InputFormat::DOCUMENTS`]; others are skipped. Empty: all. Texts in tables and JSON
    /// are HTML or plain text.
    pub types: Vec<InputFormat>,
    /// Read marked text as if it were not marked. Otherwise it is ignored.
    pub use_marked: bool,
    /// Documents larger than this many bytes are failures.
    pub max_document: u64,
    /// An input may expand to this many times its size (and to [`ReadOptions::FREE_EXPANSION`] in any case).
    pub max_expansion: u64,
}

/// The markup of texts that have no format of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextIs {
    /// Whole pages and fragments full of tags are HTML, others plain text.
    Auto,
    /// HTML.
    Html,
    /// Plain text.
    Text,
}

impl TextIs {
    /// All of them, with the names that options use.
    pub const ALL: [(&'static str, TextIs); 3] =
        [("auto", TextIs::Auto), ("html", TextIs::Html), ("text", TextIs::Text)];

    fn markup(self) -> Option<Markup> {
        match self {
            TextIs::Auto => None,
            TextIs::Html => Some(Markup::Html),
            TextIs::Text => Some(Markup::Text),
        }
    }
}

impl ReadOptions {
    /// The same for a job that reads web pages: texts are HTML unless the user says otherwise.
    #[must_use]
    pub fn of_pages(&self) -> ReadOptions {
        ReadOptions { text_is: self.text_is.or(Some(TextIs::Html)), ..self.clone() }
    }

    /// The default name of the text field.
    pub const TEXT_FIELD: &'static str = "text";
    /// The default name of the id field.
    pub const ID_FIELD: &'static str = "id";
    /// 256 MiB.
    pub const MAX_DOCUMENT: u64 = 256 << 20;
    /// Text rarely shrinks more than a hundredfold; malicious archives expand a millionfold.
    pub const MAX_EXPANSION: u64 = 1000;
    /// What any input may expand to, however small: 1 GiB.
    pub const FREE_EXPANSION: u64 = 1 << 30;
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            format: None,
            text_field: Self::TEXT_FIELD.into(),
            id_field: Self::ID_FIELD.into(),
            text_is: None,
            types: Vec::new(),
            use_marked: false,
            max_document: Self::MAX_DOCUMENT,
            max_expansion: Self::MAX_EXPANSION,
        }
    }
}

/// True if a file with this start is a single plain text, so that it can be read without a [`Collection`]. It is not
/// compressed, not an archive, table, web page or office document, and not known to be binary. A page in a file whose
/// name says that it is text counts as text.
pub(crate) fn is_plain_text(head: &[u8], name: &str, forced: Option<InputFormat>) -> bool {
    let named = |extensions| sniff::has_extension(name, extensions);
    let page =
        || named(&["html", "htm", "xhtml"]) || (!named(&["txt", "text"]) && is_html(&String::from_utf8_lossy(head)));
    match (sniff::sniff(head, name), forced) {
        (Kind::Compressed(_), _) => false,
        (Kind::Format(found), Some(InputFormat::Text)) => !found.is_archive(),
        (_, Some(format)) => format == InputFormat::Text,
        (kind, None) => kind == Kind::Unknown && !head.is_empty() && !page(),
    }
}

/// What a source yields.
#[derive(Debug)]
pub enum Item {
    /// A document, not yet decoded.
    Document(Box<RawDocument>),
    /// Something that is not expected to be a document.
    Skipped {
        /// Its origin.
        origin: Origin,
        /// Why it was skipped, in words suitable for counting ("image", "status 404").
        reason: String,
    },
    /// Something that should have been a document.
    Failed(Failure),
}

impl Item {
    /// Where it came from; a failure has its own name for that.
    pub(crate) fn origin(&self) -> Option<&Origin> {
        match self {
            Item::Document(raw) => Some(&raw.origin),
            Item::Skipped { origin, .. } => Some(origin),
            Item::Failed(_) => None,
        }
    }
}

/// A document as it was found.
#[derive(Debug)]
pub struct RawDocument {
    /// Its id.
    pub id: String,
    /// Where it came from.
    pub origin: Origin,
    /// Fields of the source.
    pub meta: Map<String, Value>,
    /// The content.
    pub body: Body,
    /// The markup according to the source; `None` if unknown.
    pub markup: Option<Markup>,
    /// The charset declared outside the document (HTTP header).
    pub charset: Option<String>,
    /// True if the user named this file itself, or its name says that it is text: binary content is then a failure. A
    /// picture in a folder of pages is only skipped.
    pub claims_text: bool,
}

/// The error of files without content.
pub(crate) const EMPTY_FILE: &str = "empty file";

/// The content of a raw document.
#[derive(Debug)]
pub enum Body {
    /// Bytes in an encoding yet to be detected.
    Bytes(Vec<u8>),
    /// Text that is already decoded (JSON strings, Parquet columns).
    Text(String),
    /// A document that has to be opened before it is text.
    Office(OfficeFile),
    /// A document that was in memory, with its blocks and marks.
    Document(Box<Document>),
    /// Text, and the annotation of its tokens from a vertical file.
    Annotated(String, Box<Annotation>),
    /// Text with the markup of a wiki.
    Wiki(WikiText),
}

/// Text with the markup of a wiki.
#[derive(Debug)]
pub struct WikiText {
    /// The markup.
    pub text: String,
    /// Namespaces whose links are pictures or categories: they are not text.
    pub unread: Arc<[String]>,
}

impl WikiText {
    /// Its plain text.
    pub(crate) fn plain(&self) -> String {
        wikitext::text_of(&self.text, &self.unread)
    }
}

/// A document that has to be opened before it is text.
#[derive(Debug)]
pub struct OfficeFile {
    /// Its format.
    pub format: OfficeFormat,
    /// The file.
    pub bytes: Vec<u8>,
    /// How many bytes it may decompress to.
    pub limit: u64,
}

impl RawDocument {
    /// Its type, of [`InputFormat::DOCUMENTS`].
    fn document_type(&self) -> InputFormat {
        let is_page = match (&self.body, self.markup) {
            (Body::Office(file), _) => return file.format.input_format(),
            (Body::Wiki(_), _) => false,
            (_, Some(markup)) => markup == Markup::Html,
            (Body::Bytes(bytes), None) => sniff::begins_as_html(bytes) || names_page(&self.origin),
            (Body::Text(text) | Body::Annotated(text, _), None) => is_html(text),
            (Body::Document(document), None) => is_html(document.text()),
        };
        if is_page { InputFormat::Html } else { InputFormat::Text }
    }

    /// Its approximate size in memory: content and fields.
    pub fn size(&self) -> usize {
        fn weight(value: &Value) -> usize {
            match value {
                Value::String(text) => text.len() + 32,
                Value::Array(values) => values.iter().map(weight).sum::<usize>() + 32,
                Value::Object(fields) => {
                    fields.iter().map(|(name, value)| name.len() + weight(value)).sum::<usize>() + 64
                }
                _ => 32,
            }
        }
        self.body.len() + self.meta.iter().map(|(name, value)| name.len() + weight(value)).sum::<usize>()
    }
}

impl Body {
    /// The content as it was found.
    fn bytes(&self) -> &[u8] {
        match self {
            Body::Bytes(bytes) => bytes,
            Body::Text(text) | Body::Annotated(text, _) => text.as_bytes(),
            Body::Office(packed) => &packed.bytes,
            Body::Wiki(wiki) => wiki.text.as_bytes(),
            Body::Document(document) => document.text().as_bytes(),
        }
    }

    /// Size in bytes.
    pub fn len(&self) -> usize {
        self.bytes().len()
    }

    /// True if it is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Reads inputs.
///
/// ```
/// use std::ops::ControlFlow;
/// use refrain::source::{InputFiles, Item, Collection, ReadOptions};
///
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("a.txt"), "One.")?;
/// std::fs::write(folder.path().join("b.jsonl"), "{\"id\": \"x\", \"text\": \"Two.\"}\n")?;
///
/// let (inputs, _failures) = InputFiles::expand([folder.path().to_string_lossy()]);
/// let source = Collection::new(inputs, ReadOptions::default());
/// let mut sizes = Vec::new();
/// source.read_all(&mut |_position, item| {
///     if let Item::Document(raw) = item {
///         sizes.push(raw.body.len());
///     }
///     ControlFlow::Continue(())
/// });
/// assert_eq!(sizes, [4, 4]);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Collection {
    inputs: InputFiles,
    options: ReadOptions,
    bytes_read: AtomicU64,
    /// The documents, if they are in memory.
    memory: Option<InMemory>,
    /// Of a sample: the parts of inputs that are read instead of all of them.
    parts: Vec<Option<sample::Part>>,
    /// Set when a store fails.
    outage: Outage,
}

/// Documents that are not in files.
#[derive(Debug, Clone)]
enum InMemory {
    Documents(Arc<[Document]>),
    Table(ArrowTable),
}

/// The buffer on a file.
const BUFFER: usize = 256 << 10;

/// Inputs that a store can request before they are read.
const EXPECTED: u32 = 8;

/// Archives nested deeper than this are probably malicious.
const MAX_DEPTH: u8 = 4;

impl Collection {
    /// A source of all the inputs.
    pub fn new(inputs: InputFiles, options: ReadOptions) -> Collection {
        Collection {
            inputs,
            options,
            bytes_read: AtomicU64::new(0),
            memory: None,
            parts: Vec::new(),
            outage: Outage::default(),
        }
    }

    /// A source of documents in memory.
    pub fn of_documents(documents: Arc<[Document]>, options: ReadOptions) -> Collection {
        let bytes = documents.iter().map(|document| document.text().len() as u64).sum();
        Collection {
            memory: Some(InMemory::Documents(documents)),
            ..Collection::new(InputFiles::memory(bytes), options)
        }
    }

    /// A source of the rows of a table.
    pub fn of_table(table: ArrowTable, options: ReadOptions) -> Collection {
        let inputs = InputFiles::memory(table.bytes());
        Collection { memory: Some(InMemory::Table(table)), ..Collection::new(inputs, options) }
    }

    /// The same inputs, to be read again.
    pub(crate) fn again(&self) -> Collection {
        let (inputs, options, memory) = (self.inputs.clone(), self.options.clone(), self.memory.clone());
        Collection { memory, parts: self.parts.clone(), ..Collection::new(inputs, options) }
    }

    /// Names documents in memory by their content, so that a later run can recognise them.
    pub(crate) fn identify_memory(&mut self) {
        if !self.is_in_memory() {
            return;
        }
        let mut digest = crate::text::Digest::default();
        self.read_all(&mut |_, item| {
            if let Item::Document(raw) = item {
                digest.update(raw.id.as_bytes());
                digest.update(&[0]);
                digest.update(raw.body.bytes());
                digest.update(&[0]);
            }
            ControlFlow::Continue(())
        });
        self.rewind();
        self.inputs.rename_memory(&digest.hex());
    }

    /// True for documents in memory.
    pub(crate) fn is_in_memory(&self) -> bool {
        self.memory.is_some()
    }

    /// Passes on documents in memory.
    fn read_documents(&self, documents: &[Document], out: &mut Emitter<'_>) -> ControlFlow<()> {
        for document in documents {
            self.bytes_read.fetch_add(document.text().len() as u64, Ordering::Relaxed);
            if out.wants_next() {
                let mut own = document.clone();
                if self.options.use_marked {
                    own.marks.clear();
                }
                out.document(RawDocument {
                    id: document.id.clone(),
                    origin: document.origin.clone(),
                    meta: document.meta.clone(),
                    body: Body::Document(Box::new(own)),
                    markup: self.options.text_is.unwrap_or(TextIs::Text).markup(),
                    charset: None,
                    claims_text: true,
                })?;
            } else {
                out.pass_over()?;
            }
        }
        ControlFlow::Continue(())
    }

    /// The files that documents are read from; none for documents in memory.
    pub(crate) fn files(&self) -> Option<&InputFiles> {
        (!self.is_in_memory()).then_some(&self.inputs)
    }

    /// The inputs.
    pub fn inputs(&self) -> &InputFiles {
        &self.inputs
    }

    /// The options.
    pub fn options(&self) -> &ReadOptions {
        &self.options
    }

    /// Bytes of the input files read so far (before decompression), for progress.
    pub fn bytes_read(&self) -> u64 {
        self.bytes_read.load(Ordering::Relaxed)
    }

    /// Starts to count bytes from 0, for a job that reads its input again.
    pub(crate) fn rewind(&self) {
        self.bytes_read.store(0, Ordering::Relaxed);
    }

    /// Copies standard input to a temporary file, so that it can be read again. See [`InputFiles::copy_stdin`].
    pub(crate) fn copy_stdin(&mut self, temporary: Option<&Path>) -> Result<Option<TempDir>> {
        self.inputs.copy_stdin(temporary)
    }

    /// Counts an input that need not be read again as read.
    pub fn count_as_read(&self, input: u32) {
        let size = self.inputs.get(input).and_then(|input| input.size).unwrap_or(0);
        self.bytes_read.fetch_add(size, Ordering::Relaxed);
    }

    /// Reads every input.
    pub fn read_all(&self, sink: &mut dyn FnMut(Position, Item) -> ControlFlow<()>) {
        for input in 0..self.inputs.len() {
            if self.read(Position { input, record: 0 }, sink).is_break() {
                return;
            }
        }
    }

    /// Reads one input from a position on; earlier items are not passed on. Breaks when the sink does.
    pub fn read(&self, from: Position, sink: &mut dyn FnMut(Position, Item) -> ControlFlow<()>) -> ControlFlow<()> {
        let Some(input) = self.inputs.get(from.input) else { return ControlFlow::Continue(()) };
        let mut out = Emitter::new(from, &self.options.types, &self.outage, sink);
        if let Some(stored) = &input.stored {
            let next =
                (from.input + 1..=from.input + EXPECTED).map_while(|next| self.inputs.get(next)?.stored.as_ref());
            stored.store.expect(&next.map(|stored| &stored.object).collect::<Vec<_>>());
        }
        let at = self.at(input);
        match &self.memory {
            Some(InMemory::Documents(documents)) => return self.read_documents(documents, &mut out),
            Some(InMemory::Table(table)) => return arrow::read(&at, table, &mut out),
            None => {}
        }
        if input.is_stdin() {
            return at.read_stream(Box::new(io::stdin().lock()), &mut out);
        }
        match (self.open(input), self.parts.get(from.input as usize)) {
            (Ok(file), Some(Some(part))) => at.read_part(file, part, &mut out),
            (Ok(file), _) => at.read_file(file, &mut out),
            (Err(error), _) => out.failed(at.failure(describe(&error))),
        }
    }

    /// Opens a file, or an object of a store.
    fn open(&self, input: &InputFile) -> io::Result<Bytewise> {
        let Some(stored) = &input.stored else { return File::open(&input.path).map(Bytewise::File) };
        let opened = stored.open(&self.outage);
        opened.inspect_err(|error| {
            let _ = self.outage.set(format!("{}: {error}", input.name));
        })
    }

    /// An error if a store failed: what was read until then is not the collection.
    pub(crate) fn check_stores(&self) -> Result<()> {
        match self.outage.get() {
            Some(outage) => Err(Error::Refused(outage.clone())),
            None => Ok(()),
        }
    }

    fn at<'s>(&'s self, input: &'s InputFile) -> At<'s> {
        At {
            source: self,
            input: &input.name,
            member: None,
            depth: 0,
            claims_text: input.named || sniff::named_as_text(&input.name),
            forced: self.options.format,
            // A corpus holds text, even if the text is about tags.
            text_is: if input.in_corpus { Some(Markup::Text) } else { self.options.text_is.and_then(TextIs::markup) },
            // A pipe has no size to compare with; only the size of single documents is limited.
            allowance: compress::Allowance::of(input.size.map_or(u64::MAX, |size| {
                size.saturating_mul(self.options.max_expansion).max(ReadOptions::FREE_EXPANSION)
            })),
        }
    }

    fn add_read(&self, bytes: u64) {
        self.bytes_read.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// What is being read: an input, or a member of one.
#[derive(Clone)]
struct At<'s> {
    source: &'s Collection,
    input: &'s str,
    member: Option<String>,
    depth: u8,
    claims_text: bool,
    forced: Option<InputFormat>,
    /// The markup of texts in tables, if known.
    text_is: Option<Markup>,
    /// How many bytes may still be decompressed from this input.
    allowance: compress::Allowance,
}

impl<'s> At<'s> {
    fn options(&self) -> &'s ReadOptions {
        &self.source.options
    }

    fn failure(&self, error: impl Into<String>) -> Failure {
        Failure::new(self.input, error).member(self.member.as_deref())
    }

    fn origin(&self) -> Origin {
        Origin { input: self.input.to_owned(), member: self.member.clone(), url: None }
    }

    /// The path of the current input; also the id of a document without one.
    fn path(&self) -> String {
        self.origin().path().into_owned()
    }

    /// The name used for detection: the member's, or the input's.
    fn name(&self) -> &str {
        self.member.as_deref().unwrap_or(self.input)
    }

    /// One step into a container.
    fn inside(&self, member: &str) -> At<'s> {
        let member = match &self.member {
            Some(outer) => format!("{outer}/{member}"),
            None => member.to_owned(),
        };
        At {
            claims_text: sniff::named_as_text(&member),
            member: Some(member),
            depth: self.depth + 1,
            forced: self.forced.filter(|format| !format.is_archive()),
            ..self.clone()
        }
    }

    fn read_file(&self, mut file: Bytewise, out: &mut Emitter<'_>) -> ControlFlow<()> {
        let mut head = [0; sniff::HEAD];
        let filled = match file.kind() {
            // Only a regular file can be inspected and read again from the start.
            Ok(BytesOf::Seekable) => read_up_to(&mut file, &mut head),
            Ok(BytesOf::Folder) => return out.failed(self.failure("is a folder")),
            Ok(BytesOf::Stream) => (0, None),
            Err(error) => (0, Some(error)),
        };
        let head = match filled {
            (filled, None) => &head[..filled],
            (_, Some(error)) => return out.failed(self.failure(describe(&error))),
        };
        let seekable = match self.kind(head) {
            Kind::Format(format) if format.is_seekable() => Some(format),
            _ => None,
        };
        let size = file.size();
        if let Some(format) = seekable {
            let result = self.read_seekable(format, file, None, out);
            self.source.add_read(size);
            return result;
        }
        // A pipe cannot be rewound, and nothing was read from it.
        if !head.is_empty()
            && let Err(error) = io::Seek::rewind(&mut file)
        {
            return out.failed(self.failure(describe(&error)));
        }
        // The buffer is no larger than the file: with many small files, clearing it would dominate.
        let buffer = if size == 0 { BUFFER } else { (size as usize + 1).min(BUFFER) };
        let counted = compress::Counted::new(file, &self.source.bytes_read);
        self.read_stream(Box::new(BufReader::with_capacity(buffer, counted)), out)
    }

    /// Reads a table or an archive, or a part of it.
    fn read_seekable(
        &self,
        format: InputFormat,
        file: Bytewise,
        part: Option<&sample::Part>,
        out: &mut Emitter<'_>,
    ) -> ControlFlow<()> {
        match format {
            InputFormat::Zip => archive::read_zip(self, file, part, out),
            _ => parquet::read(self, file, part, out),
        }
    }

    fn kind(&self, head: &[u8]) -> Kind {
        match (sniff::sniff(head, self.name()), self.forced) {
            (Kind::Compressed(compression), _) => Kind::Compressed(compression),
            // A forced format applies to the members of an archive, unless it is an archive format itself.
            (Kind::Format(found), Some(forced)) if found.is_archive() && !forced.is_archive() => Kind::Format(found),
            (_, Some(format)) => Kind::Format(format),
            (Kind::Unknown, None) if csv::begins_table(head, &self.options().text_field) => {
                Kind::Format(InputFormat::Csv)
            }
            (kind, None) => kind,
        }
    }

    /// Reads a stream of unknown kind.
    fn read_stream<'r>(&self, mut reader: Box<dyn BufRead + 'r>, out: &mut Emitter<'_>) -> ControlFlow<()> {
        let mut head = vec![0; sniff::HEAD];
        let mut damaged = false;
        let trouble = loop {
            let (filled, trouble) = read_up_to(&mut reader, &mut head);
            match trouble {
                // A damaged member before good ones.
                Some(error) if filled == 0 && compress::DamagedMember::is(&error) => {
                    out.failed(self.failure(describe(&error)))?;
                    damaged = true;
                }
                Some(error) if filled == 0 => return out.failed(self.failure(describe(&error))),
                trouble => {
                    head.truncate(filled);
                    break trouble;
                }
            }
        };
        if head.is_empty() && damaged {
            return ControlFlow::Continue(());
        }
        if head.is_empty() {
            return match self.claims_text {
                true => out.failed(self.failure(EMPTY_FILE).hint("remove it, or download it again")),
                false => out.skipped(self.origin(), EMPTY_FILE),
            };
        }
        let kind = self.kind(&head);
        let reader: Box<dyn BufRead + 'r> = match trouble {
            None => Box::new(io::Cursor::new(head).chain(reader)),
            // Errors after the head are reported there.
            Some(error) => Box::new(io::Cursor::new(head).chain(compress::Once(Some(error))).chain(reader)),
        };
        if self.depth > MAX_DEPTH {
            return out.failed(self.failure(format!("archives nested more than {MAX_DEPTH} deep")));
        }
        match kind {
            Kind::Compressed(compression) => {
                let decoder = match compression.decoder(reader) {
                    Ok(decoder) => decoder,
                    Err(error) => return out.failed(self.failure(describe(&error))),
                };
                let metered = compress::Metered::new(decoder, &self.allowance);
                let inner = At { depth: self.depth + 1, ..self.clone() };
                inner.read_stream(Box::new(BufReader::with_capacity(64 << 10, metered)), out)
            }
            Kind::Format(InputFormat::Warc) => warc::read(self, warc::Syntax::Warc, reader, out),
            Kind::Format(InputFormat::Arc) => warc::read(self, warc::Syntax::Arc, reader, out),
            Kind::Format(InputFormat::Jsonl) => jsonl::read(self, reader, out),
            Kind::Format(InputFormat::Vertical) => vertical::read(self, reader, out),
            Kind::Format(InputFormat::Csv) => csv::read(self, reader, out),
            Kind::Format(InputFormat::Tei) => tei::read(self, reader, out),
            Kind::Format(InputFormat::Mediawiki) => mediawiki::read(self, reader, out),
            Kind::Format(InputFormat::Tar) => archive::read_tar(self, reader, out),
            Kind::Format(format @ (InputFormat::Zip | InputFormat::Parquet)) => match spool(reader) {
                Ok(file) => self.read_seekable(format, Bytewise::File(file), None, out),
                Err(error) => out.failed(self.failure(describe(&error))),
            },
            Kind::Format(InputFormat::Html) => self.read_document(reader, Some(Markup::Html), out),
            Kind::Format(InputFormat::Text) => self.read_document(reader, Some(Markup::Text), out),
            Kind::Format(format) => match OfficeFormat::of(format) {
                Some(format) => office::read(self, format, reader, out),
                None => self.read_document(reader, None, out),
            },
            Kind::Unknown => self.read_document(reader, None, out),
            Kind::Ole => office::read_ole(self, reader, out),
            Kind::Binary(what) => self.binary(what, out),
            Kind::OtherJson => out.failed(
                self.failure("JSON, but not one object per line")
                    .hint("convert it to JSONL, for example with jq -c '.[]' for an array or jq -c . for an object"),
            ),
        }
    }

    /// A file that is known not to be text.
    fn binary(&self, what: &str, out: &mut Emitter<'_>) -> ControlFlow<()> {
        if self.claims_text {
            out.failed(self.failure(format!("is not text: {what}")))
        } else {
            out.skipped(self.origin(), what)
        }
    }

    /// One plain document.
    fn read_document(
        &self,
        reader: Box<dyn BufRead + '_>,
        markup: Option<Markup>,
        out: &mut Emitter<'_>,
    ) -> ControlFlow<()> {
        if !out.wants_next() {
            // Read it anyway: the container notices if a member is truncated.
            let _ = io::copy(&mut reader.take(self.options().max_document.saturating_add(1)), &mut io::sink());
            return out.pass_over();
        }
        let body = match read_limited(reader, self.options().max_document) {
            Ok(body) => body,
            Err(trouble) => return out.failed(trouble.into_failure(self)),
        };
        out.document(RawDocument {
            id: self.path(),
            origin: self.origin(),
            meta: Map::new(),
            body: Body::Bytes(body),
            markup,
            charset: None,
            claims_text: self.claims_text,
        })
    }
}

/// Why a document could not be read whole.
enum Trouble {
    TooLarge(u64),
    Io(io::Error),
}

impl Trouble {
    fn into_failure(self, at: &At<'_>) -> Failure {
        match self {
            Trouble::TooLarge(limit) => at.failure(too_large(limit)).hint(Hint::max_document()),
            Trouble::Io(error) => at.failure(describe(&error)),
        }
    }
}

fn too_large(limit: u64) -> String {
    format!("larger than {limit} bytes, the limit for one document")
}

fn read_limited(reader: impl Read, limit: u64) -> Result<Vec<u8>, Trouble> {
    let mut body = Vec::new();
    reader.take(limit.saturating_add(1)).read_to_end(&mut body).map_err(Trouble::Io)?;
    if body.len() as u64 > limit {
        return Err(Trouble::TooLarge(limit));
    }
    Ok(body)
}

/// Fills the buffer until the reader ends or fails.
fn read_up_to(reader: &mut dyn Read, buffer: &mut [u8]) -> (usize, Option<io::Error>) {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (filled, Some(error)),
        }
    }
    (filled, None)
}

/// Formats that need random access get a file, even if the data comes from a pipe or an archive.
fn spool(mut reader: impl Read) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    io::copy(&mut reader, &mut file)?;
    io::Seek::rewind(&mut file)?;
    Ok(file)
}

/// The content of a file, decompressed if it is compressed.
pub(crate) fn reader_of_file(file: File) -> io::Result<Box<dyn Read>> {
    let mut reader = BufReader::new(file);
    match compress::Compression::of(reader.fill_buf()?) {
        Some(compression) => compression.decoder(Box::new(reader)),
        None => Ok(Box::new(reader)),
    }
}

/// An I/O error in words that help the user.
pub(crate) fn describe(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        io::ErrorKind::UnexpectedEof => format!("truncated ({error})"),
        _ => error.to_string(),
    }
}
