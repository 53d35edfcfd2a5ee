//! Where bodies go.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use refrain::pipeline::Preparation;
use refrain::source::{Body, Item, Markup, RawDocument};
use refrain::strip::{Ends, Found};
use refrain::write::{
    Compressed, Compression, DocumentWriter, FolderWriter, Format, Output, WriteOptions, place_below,
};
use refrain::{Document, Failure, Origin, Span};
use serde_json::Map;

use super::books::{Book, Content, Trouble, read_part};
use super::rows::Row;

/// The name of the report in a folder of bodies.
const REPORT: &str = "report.jsonl";

/// Where bodies go.
pub(super) enum Destination {
    /// Nowhere: what was found is told.
    Nowhere,
    /// To one file, or to standard output. The book is held back until it is known to be the only one.
    Stream { out: Compressed, held: Option<Vec<u8>> },
    /// Into a folder: the bytes of plain files under their names, texts of documents beside them, and a report.
    Folder {
        folder: PathBuf,
        report: Compressed,
        documents: Option<Box<FolderWriter>>,
        /// Where bodies of plain files go.
        taken: HashSet<PathBuf>,
        overwrite: bool,
        /// Something was written.
        used: bool,
        /// Folders that were made, the innermost first.
        made: Made,
    },
    /// As documents.
    Documents(Box<dyn DocumentWriter>),
}

/// Folders that were made for the output, the innermost first. Those that stay empty are taken away.
pub(super) struct Made(Vec<PathBuf>);

impl Drop for Made {
    fn drop(&mut self) {
        for folder in &self.0 {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// What is done with a book before it is its turn.
#[derive(Clone)]
pub(super) enum Preparing {
    Nothing,
    Bytes,
    Copy(PathBuf),
    Document,
}

/// What is left to be written when it is its turn.
pub(super) enum Left {
    Nothing,
    Bytes(Vec<u8>),
    Document(Box<Document>),
}

impl Destination {
    /// A folder, made ready.
    pub(super) fn folder(folder: &Path, overwrite: bool, names: impl Iterator<Item = PathBuf>) -> Result<Destination> {
        // Without the slash at its end.
        let plain: PathBuf = folder.components().collect();
        if plain.exists() && !plain.is_dir() {
            bail!("{} is a file, and the books need a folder; name another one, such as -o clean/", plain.display());
        }
        if !overwrite && plain.read_dir().is_ok_and(|mut entries| entries.next().is_some()) {
            bail!(
                "the folder {} is not empty; name another one, or replace files of the same names with --overwrite",
                folder.display()
            );
        }
        let missing = plain.ancestors().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists());
        let made = Made(missing.map(Path::to_owned).collect());
        fs::create_dir_all(&plain).with_context(|| format!("cannot make the folder {}", folder.display()))?;
        let report = Compression::None.compress(Output::file(&plain.join(REPORT))?)?;
        let taken = names.map(|name| plain.join(name)).chain([plain.join(REPORT)]).collect();
        Ok(Destination::Folder { folder: plain, report, documents: None, taken, overwrite, used: false, made })
    }

    /// What is done beforehand, on all cores.
    pub(super) fn writer(&self) -> Preparing {
        match self {
            Destination::Nowhere => Preparing::Nothing,
            Destination::Stream { .. } => Preparing::Bytes,
            Destination::Folder { folder, .. } => Preparing::Copy(folder.clone()),
            Destination::Documents(_) => Preparing::Document,
        }
    }

    /// Writes what is left of a book.
    pub(super) fn put(&mut self, row: &mut Row, left: Left) -> refrain::Result<()> {
        match (self, left) {
            (Destination::Stream { held, .. }, Left::Bytes(bytes)) => {
                *held = Some(bytes);
                Ok(())
            }
            (Destination::Documents(writer), Left::Document(document)) => writer.write(&document),
            (Destination::Folder { folder, report, documents, taken, overwrite, used, .. }, left) => {
                *used = true;
                if let Left::Document(document) = left {
                    let writer = match documents {
                        Some(writer) => writer,
                        None => {
                            let (options, taken) = (WriteOptions::default(), std::mem::take(taken));
                            documents.insert(Box::new(FolderWriter::beside(folder, options, taken, *overwrite)?))
                        }
                    };
                    let mut document = *document;
                    document.id.clone_from(&row.id);
                    let path = writer.write_named(&document)?;
                    row.file = Some(path.strip_prefix(&folder).unwrap_or(&path).to_owned());
                }
                report.put(row.line(Format::Jsonl).as_bytes())
            }
            _ => Ok(()),
        }
    }

    pub(super) fn finish(self, any: bool) -> refrain::Result<()> {
        match self {
            Destination::Stream { mut out, held } => {
                // What stood there before is not replaced by nothing.
                if let Some(held) = held {
                    out.put(&held)?;
                    drop(out.finish()?);
                }
            }
            // The same where no book could be read.
            Destination::Documents(writer) if any => drop(writer.finish()?),
            Destination::Nowhere | Destination::Documents(_) => {}
            Destination::Folder { report, documents, used, made, .. } => {
                // An empty report beside nothing says nothing.
                if used {
                    drop(report.finish()?);
                    drop(documents.map(DocumentWriter::finish).transpose()?);
                } else {
                    drop(report);
                }
                drop(made);
            }
        }
        Ok(())
    }
}

impl Preparing {
    /// Does what can be done at once.
    pub(super) fn prepare(&self, book: Book, found: Found) -> Result<(Row, Left), Trouble> {
        let Book { position, id, origin, ends, content, failure } = book;
        let mut row = Row { id, origin, file: None, found, failure };
        let body = row.found.body(&ends);
        let left = match (self, content) {
            (Preparing::Nothing, _) => Left::Nothing,
            (Preparing::Document, Content::Document(mut document)) => {
                row.found.mark(&mut document, &ends);
                Left::Document(document)
            }
            // As with plain files, white space around the body is a part of it.
            (Preparing::Bytes, Content::Document(document)) => Left::Bytes(body_of(*document, body).into_text().into()),
            (Preparing::Copy(_), Content::Document(document)) => Left::Document(Box::new(body_of(*document, body))),
            (Preparing::Bytes, Content::File { path, .. }) => {
                let mut bytes = Vec::new();
                let read = read_part(&path, body).and_then(|mut part| part.read_to_end(&mut bytes));
                read.map_err(|error| unreadable(&row.origin, &error))?;
                Left::Bytes(bytes)
            }
            (Preparing::Copy(folder), Content::File { path, name }) => {
                if name == Path::new(REPORT) {
                    let error = format!("would lie where the report goes, which is called {REPORT}");
                    return Err(Trouble::Failed(Failure::new(&row.origin, error).hint("rename it")));
                }
                let part = read_part(&path, body).map_err(|error| unreadable(&row.origin, &error))?;
                place_below(folder, &name, part)?;
                row.file = Some(name);
                Left::Nothing
            }
            (Preparing::Document, Content::File { path, .. }) => {
                let bytes = fs::read(&path).map_err(|error| unreadable(&row.origin, &error))?;
                let raw = RawDocument {
                    id: row.origin.clone(),
                    origin: Origin { input: row.origin.clone(), ..Origin::default() },
                    meta: Map::new(),
                    body: Body::Bytes(bytes),
                    markup: Some(Markup::Text),
                    charset: None,
                    claims_text: true,
                };
                let preparation = Preparation { language: None, extractor: None };
                let prepared = preparation.prepare(position, Item::Document(Box::new(raw)));
                let Some(mut document) = prepared.document else {
                    let unclear = || Failure::new(&row.origin, "is not text");
                    return Err(Trouble::Failed(prepared.failure.unwrap_or_else(unclear)));
                };
                row.failure = row.failure.or(prepared.failure);
                let text = Ends::of(document.text().as_bytes(), ends.edge_lines());
                row.found.mark(&mut document, &text);
                Left::Document(Box::new(document))
            }
        };
        Ok((row, left))
    }
}

/// The body of a document, by bytes of its text.
fn body_of(mut document: Document, body: Range<u64>) -> Document {
    let length = document.text().len();
    let inside = |at: u64| document.text().floor_char_boundary(usize::try_from(at).unwrap_or(length).min(length));
    let (start, end) = (inside(body.start), inside(body.end));
    document.replace(Span::new(end, length), "");
    document.replace(Span::new(0, start), "");
    document
}

fn unreadable(origin: &str, error: &io::Error) -> Trouble {
    Trouble::Failed(Failure::new(origin, error.to_string()))
}
