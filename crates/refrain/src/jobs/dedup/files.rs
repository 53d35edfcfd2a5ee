//! The files that a run writes, and how a checkpoint leaves them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::explain::Note;
use super::passes::Passes;
use crate::dedup::{EvidenceSize, EvidenceWriter, Learned, Lost, Related, Signature, is_evidence};
use crate::document::Document;
use crate::error::{Error, IoContext, Result};
use crate::jobs::outputs::{
    CLUSTERS, EVIDENCE_LIST, EXPLAIN, LOST, Output, Outputs, PAGE, REMOVED, RemovedLists, SAVE, is_folder,
};
use crate::report::SidesPage;
use crate::text::Word;
use crate::write::{self, Compressed, DocumentWriter, Parts, PartsWriter, WriteOptions, complete, followed};

/// The files of a run.
#[derive(Default)]
pub(super) struct Files {
    documents: Option<Box<dyn DocumentWriter>>,
    /// The folder of the documents, if they are in parts, and how many parts it gets.
    parts: Option<(Parts, Option<u64>)>,
    removed: RemovedLists,
    notes: Option<Compressed>,
    /// How many notes of each rule there are; all are written if their list is wanted, and some for the page.
    noted: BTreeMap<String, usize>,
    notes_all: bool,
    /// Documents that are related to others, by their numbers.
    links: Option<Compressed>,
    /// Passages that may no longer occur anywhere.
    lost: Option<Compressed>,
    evidence: Option<EvidenceWriter>,
}

/// The state of the files at a checkpoint.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct PausedFiles {
    documents: Option<u64>,
    removed: Vec<u64>,
    notes: Option<u64>,
    noted: BTreeMap<String, usize>,
    links: Option<u64>,
    lost: Option<u64>,
    evidence: EvidenceSize,
}

/// A document and its earlier documents, by their numbers: the one it is a copy of, and those that are related to it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct DocumentLinks {
    pub(super) number: usize,
    pub(super) copy_of: Option<usize>,
    pub(super) related: Vec<Related>,
}

impl Files {
    /// Opens the requested files; as a checkpoint left them, if there is one.
    pub(super) fn open(passes: &Passes<'_>, paused: Option<&PausedFiles>) -> Result<Files> {
        let outputs = passes.outputs;
        let bytes = |of: fn(&PausedFiles) -> Option<u64>| paused.and_then(of);
        let list = |output: Option<&Output>, bytes| output.map(|output| output.open_at(bytes)).transpose();
        let work = |name: &str, path: PathBuf| outputs.get(name).map(|_| Output::Path(path));
        let notes_for = if outputs.get(EXPLAIN).is_some() { EXPLAIN } else { PAGE };
        let documents = match outputs.main() {
            Output::Discard => None,
            _ => Some(open_documents(passes, bytes(|paused| paused.documents))?),
        };
        let evidence = match outputs.folder(SAVE) {
            Some(folder) => Some(EvidenceWriter::open(folder, paused.map(|p| p.evidence).unwrap_or_default())?),
            None => None,
        };
        Ok(Files {
            documents,
            parts: outputs.parts()?.map(|parts| (parts, None)),
            removed: outputs.open_removed(paused.map_or(&[], |paused| &paused.removed))?,
            notes: list(work(notes_for, passes.notes_path()).as_ref(), bytes(|paused| paused.notes))?,
            noted: paused.map(|paused| paused.noted.clone()).unwrap_or_default(),
            notes_all: notes_for == EXPLAIN,
            links: list(work(CLUSTERS, passes.links_path()).as_ref(), bytes(|paused| paused.links))?,
            lost: list(work(LOST, passes.lost_path()).as_ref(), bytes(|paused| paused.lost))?,
            evidence,
        })
    }

    /// Writes a document.
    pub(super) fn write(&mut self, document: &Document) -> Result<()> {
        self.documents.as_mut().map_or(Ok(()), |documents| documents.write(document))
    }

    /// Saves the words of a document that are kept.
    pub(super) fn save(&mut self, id: &str, words: impl Iterator<Item = Word>) -> Result<()> {
        self.evidence.as_mut().map_or(Ok(()), |evidence| evidence.add(id, words))
    }

    /// Lists the removed text.
    pub(super) fn list_removed(&mut self, lines: impl FnOnce() -> Result<Vec<u8>>) -> Result<()> {
        if self.removed.is_empty() { Ok(()) } else { self.removed.put(&lines()?) }
    }

    /// Notes removed text, to be explained at the end.
    pub(super) fn explain(&mut self, notes: impl FnOnce() -> Vec<Note>) -> Result<()> {
        let Some(out) = &mut self.notes else { return Ok(()) };
        for note in notes() {
            let of_rule = self.noted.entry(note.rule.clone()).or_default();
            *of_rule += 1;
            if self.notes_all || *of_rule <= SidesPage::ITEMS {
                out.put(format!("{}\n", json!(note)).as_bytes())?;
            }
        }
        Ok(())
    }

    /// Records the earlier documents that are related to a document, if there are any.
    pub(super) fn link(&mut self, link: &DocumentLinks) -> Result<()> {
        if link.related.is_empty() {
            return Ok(());
        }
        self.links.as_mut().map_or(Ok(()), |links| links.put(format!("{}\n", json!(link)).as_bytes()))
    }

    /// Notes passages that may no longer occur anywhere: this is known once all documents were judged.
    pub(super) fn lose(&mut self, document: &Document, signature: &Signature, lost: &[Lost]) -> Result<()> {
        let Some(out) = &mut self.lost else { return Ok(()) };
        for lost in lost {
            let span = |(at, number): &(usize, u64)| {
                signature.span_of_ngram(*at, lost.block).map(|span| (*at, *number, span.start, span.end))
            };
            let spans: Vec<(usize, u64, usize, usize)> = lost.ngrams.iter().filter_map(span).collect();
            let text = signature.blocks[lost.block].0;
            let line =
                json!({"id": document.id, "start": text.start, "text": text.of(document.text()), "ngrams": spans});
            out.put(format!("{line}\n").as_bytes())?;
        }
        Ok(())
    }

    /// Completes the documents in a folder of parts: the last part could not be resumed.
    pub(super) fn finish_parts(&mut self) -> Result<()> {
        if let Some((parts, ready)) = &mut self.parts
            && let Some(documents) = self.documents.take()
        {
            documents.finish()?;
            *ready = Some(parts.hidden_parts());
        }
        Ok(())
    }

    /// Ends compressed frames, and leaves all files so that they can be resumed here. `None` if that is not possible.
    pub(super) fn pause(&mut self) -> Result<Option<PausedFiles>> {
        let documents = match &mut self.documents {
            Some(documents) => match documents.pause()? {
                Some(at) => Some(at),
                None => return Ok(None),
            },
            None => self.parts.as_ref().and_then(|(_, ready)| *ready),
        };
        let pause = |list: &mut Option<Compressed>| list.as_mut().map(Compressed::pause).transpose();
        Ok(Some(PausedFiles {
            documents,
            removed: self.removed.pause()?,
            notes: pause(&mut self.notes)?,
            noted: self.noted.clone(),
            links: pause(&mut self.links)?,
            lost: pause(&mut self.lost)?,
            evidence: match &mut self.evidence {
                Some(evidence) => evidence.flush()?,
                None => EvidenceSize::default(),
            },
        }))
    }

    /// Finishes writing and renames the files.
    pub(super) fn finish(mut self) -> Result<()> {
        self.finish_parts()?;
        if let Some(documents) = self.documents {
            documents.finish()?;
        }
        if let Some((parts, Some(ready))) = self.parts {
            parts.show(ready)?;
        }
        self.removed.finish()?;
        for list in [self.notes, self.links, self.lost].into_iter().flatten() {
            list.finish()?;
        }
        self.evidence.map_or(Ok(()), EvidenceWriter::finish)
    }
}

/// Opens the main output: a file, a folder of parts, standard output or memory.
fn open_documents(passes: &Passes<'_>, paused: Option<u64>) -> Result<Box<dyn DocumentWriter>> {
    let (job, outputs) = (passes.job, passes.outputs);
    let options = WriteOptions { keep_marked: job.keep_marked, offsets: job.offsets, ..WriteOptions::default() };
    if let Some(parts) = outputs.parts()? {
        return Ok(Box::new(PartsWriter::open(parts, options, job.part_size, paused.unwrap_or_default())?));
    }
    match (outputs.path(), paused) {
        (Some(path), Some(bytes)) => {
            let (format, compression) = outputs.document_format()?;
            write::open(write::Sink::resume(path, bytes)?, format, compression, options)
        }
        _ => outputs.open_documents(options),
    }
}

/// Renames the files that were complete when a run ended early.
pub(super) fn complete_all(passes: &Passes<'_>, paused: &PausedFiles) -> Result<()> {
    let outputs: &Outputs = passes.outputs;
    let documents = outputs.path().filter(|path| !is_folder(path));
    let list = |name| outputs.get(name).and_then(Output::as_path);
    let named = documents.into_iter().chain(list(REMOVED)).map(followed);
    let own = list(EVIDENCE_LIST).map(Path::to_owned).into_iter();
    let own = own.chain([passes.notes_path(), passes.links_path(), passes.lost_path()]);
    named.chain(own).try_for_each(|path| complete(&path))?;
    if let Some(parts) = outputs.parts()? {
        parts.show(paused.documents.unwrap_or_default())?;
    }
    match outputs.folder(SAVE).filter(|folder| !is_evidence(folder)) {
        Some(folder) => EvidenceWriter::open(folder, paused.evidence)?.finish(),
        None => Ok(()),
    }
}

/// A passage as [`Files::lose`] wrote it.
#[derive(Deserialize)]
struct LostLine {
    id: String,
    start: usize,
    text: String,
    /// Where an n-gram begins among the words, its number, and its range in the text.
    ngrams: Vec<(usize, u64, usize, usize)>,
}

/// A passage that no longer occurs anywhere.
#[derive(Serialize, JsonSchema)]
pub(in crate::jobs) struct LostPassage<'a> {
    /// The document that it was removed from.
    id: &'a str,
    /// How many n-grams in a row are lost.
    ngrams: usize,
    /// The passage.
    text: &'a str,
}

/// Writes the passages that no longer occur anywhere, if they are wanted: n-grams that follow each other become one. Returns
/// how many there are.
pub(super) fn write_lost(passes: &Passes<'_>, learned: &Learned) -> Result<Option<u64>> {
    let Some(mut out) = passes.outputs.open_list(LOST)? else { return Ok(None) };
    let mut count = 0;
    each_line(&passes.lost_path(), |LostLine { id, start, text, ngrams }| {
        let gone: Vec<_> =
            ngrams.into_iter().filter(|(_, number, ..)| *number == 0 || !learned.is_kept(*number - 1)).collect();
        for run in gone.chunk_by(|one, next| one.0 + 1 == next.0) {
            let (from, to) = (run[0].2 - start, run[run.len() - 1].3 - start);
            let line = LostPassage { id: &id, ngrams: run.len(), text: &text[from..to] };
            out.put(format!("{}\n", json!(line)).as_bytes())?;
            count += 1;
        }
        Ok(())
    })?;
    out.finish()?;
    Ok(Some(count))
}

/// Reads what [`Files::link`] wrote.
pub(super) fn read_links(passes: &Passes<'_>) -> Result<Vec<DocumentLinks>> {
    let mut links = Vec::new();
    each_line(&passes.links_path(), |link| {
        links.push(link);
        Ok(())
    })?;
    Ok(links)
}

/// Reads a file of JSON lines that this run wrote.
pub(super) fn each_line<T: DeserializeOwned>(path: &Path, mut take: impl FnMut(T) -> Result<()>) -> Result<()> {
    for line in BufReader::new(File::open(path).at(path)?).lines() {
        let value = serde_json::from_str(&line.at(path)?);
        take(value.map_err(|error| Error::Damaged { path: path.to_owned(), message: error.to_string() })?)?;
    }
    Ok(())
}
