//! What a run writes, and how it is left at a checkpoint.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use refrain::Document;
use refrain::dedup::{EvidenceSize, EvidenceWriter, Learned, Lost, Signature};
use refrain::text::Word;
use refrain::write::{Compressed, Compression, DocumentWriter, Output, PartsWriter, WriteOptions, complete, open};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::passes::Run;
use crate::common::is_folder;

/// The files of a run.
#[derive(Default)]
pub(super) struct Outputs {
    documents: Option<Box<dyn DocumentWriter>>,
    removed: Option<Compressed>,
    /// Documents that resemble others, by their numbers.
    links: Option<Compressed>,
    /// Passages that may stand nowhere any more.
    lost: Option<Compressed>,
    evidence: Option<EvidenceWriter>,
}

/// Where they were left.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Paused {
    documents: Option<u64>,
    removed: Option<u64>,
    links: Option<u64>,
    lost: Option<u64>,
    evidence: EvidenceSize,
}

/// A document that resembles another one: their numbers, and how much.
pub(super) type Link = (usize, usize, f64);

impl Outputs {
    /// Opens what the arguments ask for; at a checkpoint, if there is one.
    pub(super) fn open(run: &Run<'_>, paused: Option<&Paused>) -> Result<Outputs> {
        let arguments = run.arguments;
        let write = WriteOptions { keep_marked: arguments.keep_marked, offsets: arguments.offsets };
        let bytes = |of: fn(&Paused) -> Option<u64>| paused.and_then(of);
        let mut outputs = Outputs::default();
        if arguments.writes_documents() {
            let (format, packing) = run.format;
            outputs.documents = Some(match arguments.output.path() {
                Some(path) if is_folder(path) => {
                    let parts = bytes(|paused| paused.documents).unwrap_or_default();
                    Box::new(PartsWriter::open(path, run.format, write, arguments.part_size, parts)?)
                }
                Some(path) => open(file(path, bytes(|paused| paused.documents))?, format, packing, write)?,
                None => open(Output::stream(std::io::stdout()), format, packing, write)?,
            });
        }
        let list = |path: Option<&Path>, bytes: Option<u64>| {
            let open = |path| Ok::<_, anyhow::Error>(Compression::of_path(path).compress(file(path, bytes)?)?);
            path.map(|path| open(path).with_context(|| path.display().to_string())).transpose()
        };
        outputs.removed = list(arguments.removed.as_deref(), bytes(|paused| paused.removed))?;
        let links = arguments.clusters.as_ref().map(|_| run.links_path());
        outputs.links = list(links.as_deref(), bytes(|paused| paused.links))?;
        let nowhere = arguments.lost.as_ref().map(|_| run.lost_path());
        outputs.lost = list(nowhere.as_deref(), bytes(|paused| paused.lost))?;
        if let Some(folder) = &arguments.save {
            outputs.evidence = Some(EvidenceWriter::open(folder, paused.map(|p| p.evidence).unwrap_or_default())?);
        }
        Ok(outputs)
    }

    /// Writes a document.
    pub(super) fn write(&mut self, document: &Document) -> refrain::Result<()> {
        match &mut self.documents {
            Some(documents) => documents.write(document),
            None => Ok(()),
        }
    }

    /// Saves the words of a document that are kept.
    pub(super) fn save(&mut self, id: &str, words: impl Iterator<Item = Word>) -> refrain::Result<()> {
        match &mut self.evidence {
            Some(evidence) => evidence.add(id, words),
            None => Ok(()),
        }
    }

    /// Lists what was left out.
    pub(super) fn list(&mut self, lines: &[u8]) -> refrain::Result<()> {
        match &mut self.removed {
            Some(removed) => removed.put(lines),
            None => Ok(()),
        }
    }

    /// Notes that a document resembles another one.
    pub(super) fn link(&mut self, link: Link) -> refrain::Result<()> {
        match &mut self.links {
            Some(links) => links.put(format!("{}\n", json!(link)).as_bytes()),
            None => Ok(()),
        }
    }

    /// Notes stretches that may stand nowhere any more: this is known when all documents were judged.
    pub(super) fn lose(&mut self, document: &Document, signature: &Signature, lost: &[Lost]) -> refrain::Result<()> {
        let Some(out) = &mut self.lost else { return Ok(()) };
        for lost in lost {
            let spans: Vec<(usize, u64, usize, usize)> = lost
                .ngrams
                .iter()
                .filter_map(|(at, number)| {
                    signature.span_of_ngram(*at, lost.block).map(|span| (*at, *number, span.start, span.end))
                })
                .collect();
            let text = signature.blocks[lost.block].0;
            let line =
                json!({"id": document.id, "start": text.start, "text": text.of(document.text()), "ngrams": spans});
            out.put(format!("{line}\n").as_bytes())?;
        }
        Ok(())
    }

    /// Ends what is packed, and leaves all files so that they can be resumed here, if they can.
    pub(super) fn pause(&mut self) -> refrain::Result<Option<Paused>> {
        let documents = match &mut self.documents {
            Some(documents) => match documents.pause()? {
                Some(at) => Some(at),
                None => return Ok(None),
            },
            None => None,
        };
        let pause = |list: &mut Option<Compressed>| list.as_mut().map(Compressed::pause).transpose();
        Ok(Some(Paused {
            documents,
            removed: pause(&mut self.removed)?,
            links: pause(&mut self.links)?,
            lost: pause(&mut self.lost)?,
            evidence: match &mut self.evidence {
                Some(evidence) => evidence.flush()?,
                None => EvidenceSize::default(),
            },
        }))
    }

    /// Ends the writing: files get their names.
    pub(super) fn finish(self) -> refrain::Result<()> {
        if let Some(documents) = self.documents {
            documents.finish()?;
        }
        for list in [self.removed, self.links, self.lost].into_iter().flatten() {
            list.finish()?;
        }
        self.evidence.map_or(Ok(()), EvidenceWriter::finish)
    }
}

/// Gives files their names that were complete when a run was killed.
pub(super) fn complete_all(run: &Run<'_>, paused: &Paused) -> Result<()> {
    let arguments = run.arguments;
    let documents = arguments.output.path().filter(|path| !is_folder(path));
    let (links, lost) = (run.links_path(), run.lost_path());
    for path in [documents, arguments.removed.as_deref(), Some(&*links), Some(&*lost)].into_iter().flatten() {
        complete(path)?;
    }
    if let Some(folder) = arguments.save.as_ref().filter(|folder| !refrain::dedup::is_evidence(folder)) {
        EvidenceWriter::open(folder, paused.evidence)?.finish()?;
    }
    Ok(())
}

/// A file, from its beginning or from where it was left.
fn file(path: &Path, bytes: Option<u64>) -> refrain::Result<Output> {
    match bytes {
        Some(bytes) => Output::resume(path, bytes),
        None => Output::file(path),
    }
}

/// A stretch as [`Outputs::lose`] wrote it.
#[derive(Deserialize)]
struct LostLine {
    id: String,
    start: usize,
    text: String,
    /// Where an n-gram begins among the words, its number, and where it stands in the text.
    ngrams: Vec<(usize, u64, usize, usize)>,
}

/// Writes the passages that stand nowhere any more: n-grams that follow each other become one.
pub(super) fn write_lost(from: &Path, to: &Path, learned: &Learned) -> Result<u64> {
    let mut out = Compression::of_path(to).compress(Output::file(to)?)?;
    let mut count = 0;
    for line in BufReader::new(std::fs::File::open(from)?).lines() {
        let LostLine { id, start, text, ngrams } = serde_json::from_str(&line?)?;
        let gone: Vec<_> =
            ngrams.into_iter().filter(|(_, number, ..)| *number == 0 || !learned.is_kept(*number - 1)).collect();
        for run in gone.chunk_by(|one, next| one.0 + 1 == next.0) {
            let (from, to) = (run[0].2 - start, run[run.len() - 1].3 - start);
            let line = json!({"id": id, "ngrams": run.len(), "text": &text[from..to]});
            out.put(format!("{line}\n").as_bytes())?;
            count += 1;
        }
    }
    out.finish()?;
    Ok(count)
}

/// Reads what [`Outputs::link`] wrote.
pub(super) fn read_links(path: &PathBuf) -> Result<Vec<Link>> {
    let lines = BufReader::new(std::fs::File::open(path).with_context(|| path.display().to_string())?).lines();
    lines.map(|line| Ok(serde_json::from_str(&line?)?)).collect()
}
