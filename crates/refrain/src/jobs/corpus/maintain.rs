//! Changes to a finished corpus that read no inputs: evidence that is made again, and batches that are removed.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::digest::{ContentDigest, digest_of};
use super::evidence::{Evidence, near_duplicates};
use super::folder::{Folder, Manifest};
use super::run::{Corpus, CorpusDedup};
use crate::dedup::{ExactDuplicates, Past, PastVerdict, Signature};
use crate::document::{Document, Position};
use crate::error::{Error, Hint, Result};
use crate::flow::each_document;
use crate::jobs::judging::number_of_language;
use crate::jobs::{Input, Outputs};
use crate::prepare::Preparation;
use crate::run::{Run, Workers};
use crate::source::{ReadOptions, TextIs};
use crate::stats::Statistics;
use crate::write::Sink;

/// Reads the documents of parts, in their order, as they were written.
pub(super) fn each_written<T: Send>(
    workers: &Workers,
    phase: &'static str,
    parts: &[PathBuf],
    work: impl Fn(Document) -> T + Sync,
    mut sink: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    if parts.is_empty() {
        return Ok(());
    }
    let read = ReadOptions { text_is: Some(TextIs::Text), max_document: u64::MAX, ..ReadOptions::default() };
    let (source, _) = Input::paths(parts.iter().map(|part| part.to_string_lossy()))?.open(&read, &Outputs::none())?;
    let preparation = Preparation::default();
    let prepare = |position, item| preparation.prepare(position, item).document.map(&work);
    each_document(workers, phase, &source, prepare, |_, found| found.map_or(Ok(()), &mut sink))
}

/// Bytes of text for a word and the space behind it.
const BYTES_OF_WORD: u64 = 6;

impl Corpus {
    /// Makes the evidence of a finished corpus again, for [`Corpus::add`]: because it was deleted, or is of an earlier version. It then
    /// knows the documents of the corpus, and not what was removed from them.
    pub fn rebuild_evidence(folder: &Path, run: &Run) -> Result<Manifest> {
        Changing::open(folder)?.complete(run)
    }

    /// Removes a batch from a finished corpus, by its number from 1. Copies of its text that were removed from other batches are
    /// not restored. The evidence is made again.
    pub fn remove_batch(folder: &Path, batch: usize, run: &Run) -> Result<Manifest> {
        let mut changing = Changing::open(folder)?;
        let number = changing.manifest.batches.len();
        if batch == 0 || batch > number || number < 2 {
            let folder = folder.display();
            return Err(Error::Refused(match number {
                0 | 1 => format!("{folder} has only one batch; delete the folder instead"),
                _ => format!("{folder} has no batch {batch}; its batches are 1 to {number}"),
            }));
        }
        changing.remove(batch - 1)?;
        changing.complete(run)
    }
}

/// A corpus that is being changed.
struct Changing {
    folder: Folder,
    manifest: Manifest,
}

impl Changing {
    fn open(folder: &Path) -> Result<Changing> {
        let (folder, manifest) = Folder::open_to_change(folder)?;
        if !manifest.holds_documents() {
            let error = Error::Refused(format!(
                "the parts are {}, from which documents cannot be read as they were",
                manifest.option("format")
            ));
            return Err(error.hint(Hint::new("build the corpus again as parquet or jsonl")));
        }
        Ok(Changing { folder, manifest })
    }

    /// Removes a batch from the manifest, and its lines from the lists.
    fn remove(&mut self, at: usize) -> Result<()> {
        let before = &self.manifest.batches[..at];
        let (parts, removed) =
            before.iter().fold((0, 0), |(parts, removed), it| (parts + it.parts, removed + it.removed));
        let failures: u64 = before.iter().map(|batch| batch.statistics.failures).sum();
        let inputs: u64 = before.iter().map(|batch| batch.inputs.files).sum();
        let batch = self.manifest.batches.remove(at);
        self.manifest.parts.drain(parts..parts + batch.parts);
        self.manifest.removed.drain(removed..removed + batch.removed);
        self.folder.drop_lines(inputs, batch.inputs.files, failures, batch.statistics.failures)?;
        let mut statistics = Statistics::default();
        self.manifest.batches.iter().for_each(|batch| statistics.merge(&batch.statistics));
        if let [only] = self.manifest.batches.as_slice() {
            statistics = only.statistics.clone();
        }
        self.manifest.statistics = statistics;
        self.manifest.inputs = self.folder.inputs_without(&self.manifest.inputs, &batch.inputs)?;
        Ok(())
    }

    /// Reads all documents for the new evidence and the digest, and replaces the manifest.
    fn complete(self, run: &Run) -> Result<Manifest> {
        let Changing { folder, mut manifest } = self;
        let workers = run.start()?;
        let mut evidence = Evidence::new(&folder, manifest.next_evidence())?;
        let dedup = manifest.dedup();
        let parts: Vec<PathBuf> = manifest.parts.iter().map(|part| folder.old_path(&part.path)).collect();
        let expected = BYTES_OF_WORD * manifest.statistics.total.kept.words;
        let options = near_duplicates(dedup, run.memory.unwrap_or(Corpus::MEMORY), folder.work(""), expected);
        let keep_marked = manifest.option("keep_marked") == "true";
        let exact_path = folder.work("exact");
        let mut exact = Sink::file(&exact_path)?;
        let (mut digest, mut number) = (ContentDigest::default(), 0);
        let work = |document: Document| {
            let sighting = ExactDuplicates::sighting(&document);
            let options = options.as_ref().filter(|_| sighting.is_some());
            let signature = options.map(|options| Signature::of(&document, options));
            let language = document.language.as_deref().map(number_of_language);
            (digest_of(&document, keep_marked), sighting, signature, document.id, language)
        };
        let mut each = |take: &mut dyn FnMut(&str, &Signature, &PastVerdict) -> Result<()>| {
            each_written(&workers, "rebuild", &parts, work, |(own, sighting, signature, id, language)| {
                digest = digest.followed_by(own);
                if let Some(mut sighting) = sighting.filter(|_| dedup != CorpusDedup::None) {
                    // Where it was in its input is not known any more.
                    sighting.move_to(Position { input: 0, record: number });
                    let mut bytes = Vec::new();
                    sighting.append_to(&mut bytes)?;
                    exact.write_all(&bytes)?;
                }
                number += 1;
                signature.map_or(Ok(()), |signature| take(&id, &signature, &PastVerdict::kept(&signature, language)))
            })
        };
        match &options {
            Some(options) => {
                let home = evidence.past.folder.clone();
                evidence.past = Past::rebuild(home, &folder.work("rebuild"), options, &workers, each)?;
            }
            None => each(&mut |_, _, _| Ok(()))?,
        }
        exact.finish()?;
        evidence.add_exact([exact_path])?;
        let name = evidence.keep(&folder, None)?;
        manifest.digest = Some(digest);
        manifest.evidence = Some(name);
        folder.complete_change(&manifest)?;
        Ok(manifest)
    }
}
