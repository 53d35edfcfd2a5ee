//! Writes books without their preambles and epilogues.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::Map;

use super::Strip;
use super::books::{Book, Books, Content, read_part};
use super::rows::{Row, head, sort_by_doubt};
use crate::document::{Document, Origin, Position, Span};
use crate::error::{Error, Failure, Hint, IoContext, Result};
use crate::jobs::failures::NoDocument;
use crate::jobs::outputs::{Output, Outputs, is_folder};
use crate::prepare::Preparation;
use crate::source::{Body, InputFiles, Item, Markup, RawDocument};
use crate::strip::{Boundaries, Ends};
use crate::text::Offsets;
use crate::write::{
    self, Compressed, Compression, DocumentWriter, FolderWriter, Format, WriteOptions, extension, is_not_for_text,
    place_below, removed_lines,
};

/// The name of the report in a folder of bodies.
const REPORT: &str = "report.jsonl";

/// File extensions of formats other than a body.
const TABLES_AND_PAGES: [&str; 4] = ["csv", "html", "htm", "json"];

/// The content of the main output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// Nothing.
    Nothing,
    /// The results, one row for each book.
    Rows(Format),
    /// The body of each book in a separate file.
    Folder(PathBuf),
    /// The body of the only book.
    Body,
    /// Documents.
    Documents,
}

impl Target {
    pub(super) fn of(job: &Strip, outputs: &Outputs, inputs: &InputFiles) -> Result<Target> {
        let asked = outputs.requested_format().map(|(format, _)| format);
        if job.explain {
            let in_memory = matches!(outputs.main(), Output::Memory(_));
            let default = if in_memory { Format::Jsonl } else { Format::Text };
            return outputs.file_format(&Strip::ROW_FORMATS, default).map(Target::Rows);
        }
        let one = inputs.len() == 1 && inputs.iter().all(|input| input.named && !input.in_corpus);
        let asked = asked.map(of_documents).transpose()?;
        let of_format = |format| if format == Format::Text { Target::Body } else { Target::Documents };
        match outputs.main() {
            Output::Discard => Ok(Target::Nothing),
            Output::Memory(_) => Ok(Target::Documents),
            Output::Stdout => match asked {
                Some(format) => Ok(of_format(format)),
                None if one => Ok(Target::Body),
                None => {
                    let text = "name one, such as `output=clean/`, or use `explain` to see what would be removed";
                    let several = format!("several {}s need a folder", job.profile.noun());
                    Err(Error::Refused(several).hint(Hint::value("output", "clean/", text)))
                }
            },
            Output::Path(path) if is_folder(path) => match asked {
                None | Some(Format::Text) => Ok(Target::Folder(path.clone())),
                _ => Err(Error::Refused(format!(
                    "a folder holds one text file for each {}; name a file instead of {}",
                    job.profile.noun(),
                    path.display()
                ))),
            },
            Output::Path(path) => {
                let named = Format::of_path_among(path, &Strip::FORMATS).map(of_documents).transpose()?;
                match (asked.or(named), extension(path)) {
                    // Several bodies in one file could not be separated again; this is checked when they are read.
                    (Some(format), _) => Ok(of_format(format)),
                    // A text may be a program or anything else, and keep its file extension.
                    (None, extension)
                        if one
                            && !is_not_for_text(path)
                            && !extension.as_ref().is_some_and(|it| TABLES_AND_PAGES.contains(&it.as_str())) =>
                    {
                        Ok(Target::Body)
                    }
                    (None, _) => {
                        let error = format!("the name {} does not state a format that can be written", path.display());
                        let files: Vec<String> =
                            Format::DOCUMENTS.iter().map(|format| format!(".{}", format.extension())).collect();
                        let files = files.join(", ");
                        let text = format!("end it in {files} or / for a folder, or choose one with `format`");
                        Err(Error::Refused(error).hint(Hint::option("format", text)))
                    }
                }
            }
        }
    }
}

/// Refuses formats that are not for documents.
fn of_documents(format: Format) -> Result<Format> {
    if Format::DOCUMENTS.contains(&format) {
        return Ok(format);
    }
    let hint = Hint::option("explain", "add `explain`, or write documents as jsonl");
    Err(Error::Refused(format!("{} is a format for results, not for texts", format.name())).hint(hint))
}

/// Why there is no result for a book.
pub(super) enum Problem {
    /// The book cannot be used.
    Book(Box<NoDocument>),
    /// The run cannot continue.
    Run(Error),
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Problem {
        Problem::from(NoDocument { skipped: None, failure: Some(failure) })
    }
}

impl From<NoDocument> for Problem {
    fn from(none: NoDocument) -> Problem {
        Problem::Book(Box::new(none))
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Problem {
        Problem::Run(error)
    }
}

/// The main output while it is written.
pub(super) enum Destination {
    Nothing,
    /// Rows; `kept` holds them until the end if they have to be sorted.
    Rows {
        out: Compressed,
        format: Format,
        kept: Option<Vec<Row>>,
    },
    /// The body, which is written when it is known to be the only one.
    Body {
        out: Compressed,
        body: Option<Vec<u8>>,
    },
    Folder(Box<Folder>),
    Documents {
        writer: Box<dyn DocumentWriter>,
        any: bool,
    },
}

/// A folder with the bytes of plain files under their names, texts of documents, and a report.
pub(super) struct Folder {
    path: PathBuf,
    report: Compressed,
    documents: Option<Box<FolderWriter>>,
    /// The files of inputs and of the report.
    taken: HashSet<PathBuf>,
    overwrite: bool,
    /// Whether something was written.
    used: bool,
    created: CreatedFolders,
}

/// Folders that were created for the output, the innermost first. Those that are empty in the end are removed.
struct CreatedFolders(Vec<PathBuf>);

impl Drop for CreatedFolders {
    fn drop(&mut self) {
        for folder in &self.0 {
            let _ = fs::remove_dir(folder);
        }
    }
}

impl Destination {
    pub(super) fn open(job: &Strip, target: Target, outputs: &Outputs, books: &Books<'_>) -> Result<Destination> {
        Ok(match target {
            Target::Nothing => Destination::Nothing,
            Target::Rows(format) => {
                let mut out = outputs.main().open()?;
                out.put(head(format).as_bytes())?;
                Destination::Rows { out, format, kept: job.worst.then(Vec::new) }
            }
            Target::Folder(path) => Destination::Folder(Box::new(Folder::create(&path, outputs, books)?)),
            Target::Body => Destination::Body { out: outputs.main().open()?, body: None },
            Target::Documents => {
                let options =
                    WriteOptions { keep_marked: job.keep_marked, offsets: job.offsets, ..WriteOptions::default() };
                Destination::Documents { writer: outputs.open_documents(options)?, any: false }
            }
        })
    }

    /// How threads prepare a book before its result is written.
    pub(super) fn preparation(&self) -> BodyPreparation {
        match self {
            Destination::Nothing | Destination::Rows { .. } => BodyPreparation::None,
            Destination::Body { .. } => BodyPreparation::Read,
            Destination::Folder(folder) => BodyPreparation::Copy(folder.path.clone()),
            Destination::Documents { .. } => BodyPreparation::Mark,
        }
    }

    /// Writes the result of a book.
    pub(super) fn write(&mut self, row: &mut Row, body: PreparedBody) -> Result<()> {
        match (self, body) {
            (Destination::Rows { kept: Some(kept), .. }, _) => kept.push(row.clone()),
            (Destination::Rows { out, format, kept: None }, _) => out.put(row.line(*format).as_bytes())?,
            (Destination::Body { body, .. }, PreparedBody::Bytes(bytes)) => *body = Some(bytes),
            (Destination::Documents { writer, any }, PreparedBody::Document(document)) => {
                *any = true;
                writer.write(&document)?;
            }
            (Destination::Folder(folder), body) => folder.write(row, body)?,
            _ => {}
        }
        Ok(())
    }

    /// Completes the output. An existing file is not replaced by an empty one.
    pub(super) fn finish(self) -> Result<()> {
        match self {
            Destination::Rows { mut out, format, kept } => {
                let mut kept = kept.unwrap_or_default();
                sort_by_doubt(&mut kept);
                kept.iter().try_for_each(|row| out.put(row.line(format).as_bytes()))?;
                out.finish()?;
            }
            Destination::Body { mut out, body: Some(body) } => {
                out.put(&body)?;
                out.finish()?;
            }
            Destination::Documents { writer, any: true } => drop(writer.finish()?),
            Destination::Folder(folder) => folder.finish()?,
            Destination::Nothing | Destination::Body { .. } | Destination::Documents { .. } => {}
        }
        Ok(())
    }
}

impl Folder {
    fn create(folder: &Path, outputs: &Outputs, books: &Books<'_>) -> Result<Folder> {
        outputs.check_folder(folder)?;
        // Without the slash at its end.
        let path: PathBuf = folder.components().collect();
        let missing = path.ancestors().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists());
        let created = CreatedFolders(missing.map(Path::to_owned).collect());
        fs::create_dir_all(&path).at(&path)?;
        let report = Compression::None.compress(write::Sink::below(&path, REPORT, None)?)?;
        // Objects of a store are no plain files.
        let files = books.source.inputs().iter().filter(|input| input.stored.is_none());
        let names = files.map(|input| books.names.of(input));
        let taken = names.chain([REPORT.into()]).collect();
        let overwrite = outputs.may_overwrite();
        Ok(Folder { path, report, documents: None, taken, overwrite, used: false, created })
    }

    fn write(&mut self, row: &mut Row, body: PreparedBody) -> Result<()> {
        self.used = true;
        if let PreparedBody::Text(name, text) = body {
            let writer = match &mut self.documents {
                Some(writer) => writer,
                None => {
                    let taken = std::mem::take(&mut self.taken);
                    let writer = FolderWriter::next_to(&self.path, taken, self.overwrite)?;
                    self.documents.insert(Box::new(writer))
                }
            };
            row.file = Some(writer.write(&name, text.as_bytes())?);
        }
        self.report.put(row.line(Format::Jsonl).as_bytes())
    }

    fn finish(self) -> Result<()> {
        let Folder { report, used, created, .. } = self;
        if used {
            report.finish()?;
        } else {
            drop(report);
        }
        drop(created);
        Ok(())
    }
}

/// How threads prepare a book before its result is written.
#[derive(Clone)]
pub(super) enum BodyPreparation {
    None,
    /// Read its body.
    Read,
    /// Copy its body into this folder.
    Copy(PathBuf),
    /// Read it as a document, and mark its preamble and epilogue.
    Mark,
}

/// The data that remains to be written.
pub(super) enum PreparedBody {
    Nothing,
    Bytes(Vec<u8>),
    /// A text, and the name of its file.
    Text(PathBuf, String),
    Document(Box<Document>),
}

impl BodyPreparation {
    pub(super) fn prepare(&self, book: Book, found: Boundaries) -> Result<(Row, PreparedBody), Problem> {
        let Book { position, id, name, origin, ends, content, failure } = book;
        let mut row = Row { id, name, origin, file: None, found, failure };
        let body = row.found.body(&ends);
        let unreadable = |origin: &str, error: &io::Error| Failure::new(origin, error.to_string());
        let prepared = match (self, content) {
            (BodyPreparation::None, _) => PreparedBody::Nothing,
            (BodyPreparation::Mark, content) => {
                let (document, failure) = marked(position, &row.origin, content, &ends, &row.found)?;
                row.failure = row.failure.or(failure);
                PreparedBody::Document(document)
            }
            // As in plain files, white space around the body is a part of it.
            (BodyPreparation::Read, Content::Document(document, _)) => {
                PreparedBody::Bytes(cut_body(*document, body).into_text().into())
            }
            (BodyPreparation::Copy(_), Content::Document(document, name)) => {
                PreparedBody::Text(name, cut_body(*document, body).into_text())
            }
            (BodyPreparation::Read, Content::File { path, .. }) => {
                let mut bytes = Vec::new();
                let read = read_part(&path, body).and_then(|mut part| part.read_to_end(&mut bytes));
                read.map_err(|error| unreadable(&row.origin, &error))?;
                PreparedBody::Bytes(bytes)
            }
            (BodyPreparation::Copy(folder), Content::File { path, name }) => {
                if name == Path::new(REPORT) {
                    let error = format!("would overwrite the report, {REPORT}");
                    return Err(Failure::new(&row.origin, error).hint("rename it").into());
                }
                let part = read_part(&path, body).map_err(|error| unreadable(&row.origin, &error))?;
                place_below(folder, &name, part)?;
                row.file = Some(name);
                PreparedBody::Nothing
            }
        };
        Ok((row, prepared))
    }
}

/// The document of a book, with marks on its preamble and epilogue, and a problem that did not prevent its use.
fn marked(
    position: Position,
    origin: &str,
    content: Content,
    ends: &Ends,
    found: &Boundaries,
) -> Result<(Box<Document>, Option<Failure>), Failure> {
    let path = match content {
        Content::Document(mut document, _) => {
            found.mark(&mut document, ends);
            return Ok((document, None));
        }
        Content::File { path, .. } => path,
    };
    let bytes = fs::read(&path).map_err(|error| Failure::new(origin, error.to_string()))?;
    let raw = RawDocument {
        id: origin.to_owned(),
        origin: Origin { input: origin.to_owned(), ..Origin::default() },
        meta: Map::new(),
        body: Body::Bytes(bytes),
        markup: Some(Markup::Text),
        charset: None,
        claims_text: true,
    };
    let preparation = Preparation::default();
    let prepared = preparation.prepare(position, Item::Document(Box::new(raw)));
    let Some(mut document) = prepared.document else {
        return Err(prepared.failure.unwrap_or_else(|| Failure::new(origin, "is not text")));
    };
    let text = Ends::of(document.text().as_bytes(), ends.edge_lines());
    found.mark(&mut document, &text);
    Ok((Box::new(document), prepared.failure))
}

/// The preamble and the epilogue of a book, as lines of the list `removed`.
pub(super) fn removed(book: &Book, found: &Boundaries, offsets: Offsets) -> Result<Vec<u8>, Problem> {
    let (document, _) = marked(book.position, &book.origin, book.content.clone(), &book.ends, found)?;
    Ok(removed_lines(&document, offsets)?)
}

/// Cuts a document to its body, by bytes of its text.
fn cut_body(mut document: Document, body: Range<u64>) -> Document {
    let length = document.text().len();
    let inside = |at: u64| document.text().floor_char_boundary(usize::try_from(at).unwrap_or(length).min(length));
    let (start, end) = (inside(body.start), inside(body.end));
    document.replace(Span::new(end, length), "");
    document.replace(Span::new(0, start), "");
    document
}
