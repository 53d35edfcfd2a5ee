//! The passes of a run over its documents: learn, find, mark.

use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::explain::{note_on_document, notes_on_blocks, write_explanations};
use super::files::{DocumentLinks, Files, PausedFiles, complete_all, read_links, write_lost};
use super::report::{DedupReport, Tally};
use super::work::WorkFolder;
use super::{Dedup, Keep};
use crate::dedup::{
    Aligner, DedupOptions, DocumentContext, DocumentEvidence, JudgedDocument, Learned, Learning, LookupState,
    Resembles, Signature, Task, Unit, each_saved,
};
use crate::document::{Document, Label, Position, Reason};
use crate::error::{Error, Failure, Hint, Result};
use crate::flow::each_document_of;
use crate::jobs::failures::{FailureLog, SavedFailures};
use crate::jobs::judging::{Judged, each_with_evidence, language_number, language_of, reason_of_copy};
use crate::jobs::outputs::{CLUSTERS, Outputs, SAVE};
use crate::prepare::Preparation;
use crate::run::Workers;
use crate::source::Collection;
use crate::write::removed_lines;

/// A run over the documents.
pub(super) struct Passes<'a> {
    pub(super) job: &'a Dedup,
    pub(super) options: DedupOptions,
    /// Folders of saved evidence to compare with.
    pub(super) evidence: Vec<PathBuf>,
    /// Documents to compare with.
    pub(super) against: Option<Collection>,
    /// Documents to write.
    pub(super) source: Collection,
    pub(super) outputs: &'a Outputs,
    pub(super) workers: &'a Workers,
    pub(super) work: WorkFolder,
}

/// The purpose of reading documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum Part {
    /// To be compared with; only their words are known.
    Saved,
    /// To be compared with.
    Against,
    /// To be written.
    Written,
}

/// A position between two documents, given by the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ResumePoint {
    part: Part,
    position: Position,
}

impl ResumePoint {
    pub(super) const START: ResumePoint = ResumePoint { part: Part::Saved, position: Position { input: 0, record: 0 } };
}

/// A document as a pass reads it.
pub(super) struct ReadDocument {
    /// `None` if it failed, or if only its words are known. If it was skipped, it has nothing but text that was marked before.
    pub(super) document: Option<Document>,
    /// The id, where only words are known.
    pub(super) id: Option<String>,
    pub(super) signature: Signature,
    /// A number for the language, if the document may resemble others as a whole.
    pub(super) language: Option<u16>,
    /// Bytes of the text.
    pub(super) text: u64,
    pub(super) failure: Option<Failure>,
    pub(super) skipped: Option<String>,
    pub(super) part: Part,
    pub(super) next: ResumePoint,
}

impl Judged for ReadDocument {
    fn signature(&self) -> Option<&Signature> {
        self.id().map(|_| &self.signature)
    }

    fn text_bytes(&self) -> u64 {
        self.text
    }

    fn align(&mut self, aligner: &Aligner, evidence: &mut DocumentEvidence) -> Result<()> {
        if aligner.compares_documents() && evidence.may_resemble() {
            self.language = self.document.as_ref().and_then(language_number);
        }
        match self.part {
            Part::Written if self.id().is_some() => aligner.align(&self.signature, evidence),
            _ => Ok(()),
        }
    }
}

impl ReadDocument {
    /// The id of a document, or of the words of one; `None` for what was skipped or failed.
    pub(super) fn id(&self) -> Option<&str> {
        let document = self.document.as_ref().filter(|_| self.skipped.is_none());
        document.map(|document| document.id.as_str()).or(self.id.as_deref())
    }

    /// A document that was skipped, whose marks are still to be listed.
    pub(super) fn skipped_document(&self) -> Option<&Document> {
        self.document.as_ref().filter(|_| self.skipped.is_some() && self.part == Part::Written)
    }
}

/// The state in checkpoints of the first pass.
#[derive(Serialize, Deserialize)]
struct LearnState {
    next: ResumePoint,
    failures: SavedFailures,
}

/// The state in checkpoints of the last pass.
#[derive(Serialize, Deserialize)]
struct MarkState {
    next: ResumePoint,
    files: PausedFiles,
    failures: SavedFailures,
    tally: Tally,
    /// Everything is written, but files do not have their names yet.
    finished: bool,
}

/// The name of the first pass.
const LEARN: &str = "learn";
/// Bytes of text between two places where compressed files can be cut.
const PAUSE: u64 = 16 << 20;
/// Documents that are dropped at a time, at most.
const DROPPED: usize = 256;
/// Bytes of text of the documents that are dropped at a time, at most.
const CHUNK: u64 = 256 << 10;

impl Passes<'_> {
    pub(super) fn links_path(&self) -> PathBuf {
        self.work.path().join("links.jsonl")
    }

    pub(super) fn notes_path(&self) -> PathBuf {
        self.work.path().join("notes.jsonl")
    }

    pub(super) fn lost_path(&self) -> PathBuf {
        self.work.path().join("lost.jsonl")
    }

    /// Learns, finds what repeats, then writes or counts. `early` is what failed before.
    pub(super) fn run(&self, early: Vec<Failure>) -> Result<DedupReport> {
        let mut learning = Learning::resume(self.options.clone(), self.work.path())?;
        let state = match learning.last_checkpoint() {
            Some((of, complete)) => Some((self.restore::<LearnState>(of)?, complete)),
            None => None,
        };
        let (mut failures, from) = match state {
            None => (FailureLog::new(self.outputs, early)?, Some(ResumePoint::START)),
            Some((LearnState { next, failures }, complete)) => {
                (FailureLog::open(self.outputs, Some(failures))?, (!complete).then_some(next))
            }
        };
        if let Some(from) = from {
            self.learn(&mut learning, from, &mut failures)?;
        }
        if self.options.task == Task::Count {
            let counts = learning.count(self.workers)?;
            let mut report = DedupReport::of_counts(self.options.ngram, counts);
            (report.input, report.failures) = failures.finish();
            self.outputs.write_report(&report)?;
            return Ok(report);
        }
        let mut learned = learning.conclude(self.workers)?;
        let tally = match self.job.keep {
            Keep::First => self.mark(&mut learned, &mut failures)?,
            _ => self.choose(&mut learned, &mut failures)?,
        };
        let mut report = tally.report(&learned, self.options.task, self.options.ngram);
        (report.input, report.failures) = failures.finish();
        write_explanations(self, &learned, &report)?;
        self.outputs.write_report(&report)?;
        drop(learned);
        if self.work.is_resumable() {
            self.work.remove()?;
        }
        Ok(report)
    }

    /// The state that a checkpoint saved.
    fn restore<T: DeserializeOwned>(&self, of: &Value) -> Result<T> {
        let damaged =
            |error: serde_json::Error| Error::Damaged { path: self.work.path().to_owned(), message: error.to_string() };
        T::deserialize(of).map_err(damaged)
    }

    /// Reads all documents in their order, with their signatures: first those to compare with, then the others. The first
    /// pass gets no text.
    pub(super) fn each(
        &self,
        phase: &'static str,
        from: ResumePoint,
        mut take: impl FnMut(ReadDocument) -> Result<()>,
    ) -> Result<()> {
        if from.part == Part::Saved {
            for folder in &self.evidence {
                each_saved(folder, &self.options, |id, signature| {
                    self.workers.stop().check()?;
                    take(ReadDocument {
                        document: None,
                        id: Some(id),
                        signature,
                        language: None,
                        text: 0,
                        failure: None,
                        skipped: None,
                        part: Part::Saved,
                        next: ResumePoint::START,
                    })
                })?;
            }
        }
        for (source, part) in [(self.against.as_ref(), Part::Against), (Some(&self.source), Part::Written)] {
            if let Some(source) = source.filter(|_| part >= from.part) {
                let position = if part == from.part { from.position } else { Position::default() };
                self.each_of(source, phase, ResumePoint { part, position }, &mut take)?;
            }
        }
        Ok(())
    }

    fn each_of(
        &self,
        source: &Collection,
        phase: &'static str,
        from: ResumePoint,
        take: &mut dyn FnMut(ReadDocument) -> Result<()>,
    ) -> Result<()> {
        let preparation = Preparation::default();
        source.rewind();
        self.workers.begin(phase, source.inputs().total_size());
        each_document_of(
            self.workers,
            source,
            0..source.inputs().len(),
            from.position,
            |position, item| {
                let mut prepared = preparation.prepare(position, item).skip_marked(self.job.keep_marked);
                let (mut signature, mut text) = (Signature::default(), 0);
                if let Some(document) = &mut prepared.document {
                    signature = Signature::of(document, &self.options);
                    text = document.text().len() as u64;
                    if phase == LEARN {
                        signature.shrink(&self.options);
                        *document = Document::from_text(std::mem::take(&mut document.id), "");
                    }
                }
                (prepared, signature, text)
            },
            |position, (prepared, signature, text)| {
                let next = Position { record: position.record + 1, ..position };
                take(ReadDocument {
                    document: prepared.document,
                    id: None,
                    signature,
                    language: None,
                    text,
                    failure: prepared.failure,
                    skipped: prepared.skipped,
                    part: from.part,
                    next: ResumePoint { position: next, ..from },
                })
            },
        )
    }

    fn learn(&self, learning: &mut Learning, from: ResumePoint, failures: &mut FailureLog) -> Result<()> {
        let (mut since, mut all) = (0, 0);
        self.each(LEARN, from, |mut read| {
            // What earlier runs saved is no input.
            if read.part != Part::Saved {
                failures.count(read.document.is_some(), read.skipped.as_deref(), read.failure.take())?;
            }
            let Some(id) = read.id() else { return Ok(()) };
            match read.part {
                Part::Written => learning.add(id, &read.signature)?,
                _ => learning.add_kept(id, &read.signature)?,
            }
            since += read.text;
            if since >= self.job.checkpoint && self.work.is_resumable() {
                (since, all) = (0, all + since);
                let state = LearnState { next: read.next, failures: failures.save() };
                learning.checkpoint(json!(state), false)?;
                self.work.save();
            }
            Ok(())
        })?;
        // Saving a short collection takes longer than reading it again.
        if (all > 0 || from != ResumePoint::START || self.job.alarm.is_some()) && self.work.is_resumable() {
            let state = LearnState { next: ResumePoint::START, failures: failures.save() };
            learning.checkpoint(json!(state), true)?;
        }
        Ok(())
    }

    /// Marks what repeats, and writes the rest.
    fn mark(&self, learned: &mut Learned, failures: &mut FailureLog) -> Result<Tally> {
        let state = learned.last_checkpoint().map(|of| self.restore::<MarkState>(of)).transpose()?;
        let (mut tally, mut from, mut paused) = (Tally::default(), ResumePoint::START, None);
        let mut finished = false;
        if let Some(state) = state {
            *failures = FailureLog::open(self.outputs, Some(state.failures))?;
            (tally, from, paused, finished) = (state.tally, state.next, Some(state.files), state.finished);
        }
        if let Some(paused) = paused.as_ref().filter(|_| finished) {
            tally.check(self.job.alarm)?;
            complete_all(self, paused)?;
        } else {
            let mut files = Files::open(self, paused.as_ref())?;
            self.mark_from(learned, failures, from, &mut files, &mut tally)?;
            learned.finish()?;
            files.finish_parts()?;
            if self.job.alarm.is_some() {
                // If the alarm is raised, accepting it needs the state.
                self.work.save();
            }
            let paused = if self.work.left_behind().is_some() { files.pause()? } else { None };
            if let Some(files) = paused {
                let (next, failures) = (ResumePoint::START, failures.save());
                let state = MarkState { next, files, failures, tally, finished: true };
                learned.checkpoint(LookupState::default(), json!(state))?;
                tally = state.tally;
            }
            tally.check(self.job.alarm)?;
            files.finish()?;
        }
        if self.outputs.get(CLUSTERS).is_some() {
            self.write_clusters(learned, read_links(self)?)?;
        }
        tally.passages_lost = write_lost(self, learned)?;
        Ok(tally)
    }

    fn mark_from(
        &self,
        learned: &mut Learned,
        failures: &mut FailureLog,
        from: ResumePoint,
        files: &mut Files,
        tally: &mut Tally,
    ) -> Result<()> {
        let mut since = 0;
        let (mut done, mut text_done) = (Vec::new(), 0);
        self.each_with_evidence(learned, "mark", from, |learned, read, evidence, pause| {
            if let Some(document) = read.skipped_document() {
                return files.list_removed(|| removed_lines(document, self.job.offsets));
            }
            let ReadDocument { document, signature, language, part, next, .. } = read;
            let Some(mut document) = document.filter(|_| part == Part::Written) else {
                return learned.keep(&signature, &evidence);
            };
            since += document.text().len() as u64;
            self.check_id(learned, &mut document, failures)?;
            match self.options.task {
                Task::Documents => {
                    let judged = (&signature, &evidence, language);
                    self.mark_document(learned, &mut document, judged, files, tally)?;
                }
                _ => self.mark_blocks(learned, &mut document, &signature, &evidence, files, tally)?,
            }
            // All threads wait for this one, so another one frees the memory.
            text_done += document.text().len() as u64;
            done.push((document, signature, evidence));
            if done.len() >= DROPPED || text_done >= CHUNK {
                let done = std::mem::take(&mut done);
                text_done = 0;
                self.workers.spawn(move || drop(done));
            }
            let Some(lookup) = pause else { return Ok(()) };
            if let Some(files) = files.pause()?
                && since >= self.job.checkpoint
                && self.work.left_behind().is_some()
            {
                since = 0;
                let (failures, tally) = (failures.save(), tally.clone());
                learned.checkpoint(lookup, json!(MarkState { next, files, failures, tally, finished: false }))?;
            }
            Ok(())
        })
    }

    /// Reads all documents with the evidence about them. Evidence is looked up in the order of the documents; then many
    /// documents at a time are compared with earlier text; then they are handed over in their order. After some documents,
    /// with the state of the lookup, compressed files are cut: these are the same wherever a run is killed.
    pub(super) fn each_with_evidence(
        &self,
        learned: &mut Learned,
        phase: &'static str,
        from: ResumePoint,
        mut take: impl FnMut(&mut Learned, ReadDocument, DocumentEvidence, Option<LookupState>) -> Result<()>,
    ) -> Result<()> {
        let (lookup, pause) = (learned.take_lookup()?, PAUSE.min(self.job.checkpoint));
        each_with_evidence(
            self.workers,
            lookup,
            |send| {
                let mut since = 0;
                self.each(phase, from, |read| {
                    if read.id().is_none() && read.skipped_document().is_none() {
                        return Ok(());
                    }
                    since += if read.part == Part::Written { read.text } else { 0 };
                    let cut = since >= pause;
                    since = if cut { 0 } else { since };
                    send(read, cut)
                })
            },
            |read, evidence, pause| take(learned, read, evidence, pause),
        )
    }

    /// Reports an id that occurred before, or makes a new one of it.
    pub(super) fn check_id(&self, learned: &Learned, document: &mut Document, failures: &mut FailureLog) -> Result<()> {
        if learned.times_before()? == 0 {
            return Ok(());
        }
        if self.job.make_ids {
            document.id = learned.id_of(learned.next_number())?;
            return Ok(());
        }
        let failure = Failure::new(&document.origin.input, format!("repeated id `{}`", document.id));
        let hint = Hint::option("make_ids", "number repeated ids with `make_ids`");
        failures.add(failure.member(document.origin.member.as_deref()).hint(hint))
    }

    /// Marks copied blocks of a document, and writes what is left.
    fn mark_blocks(
        &self,
        learned: &mut Learned,
        document: &mut Document,
        signature: &Signature,
        evidence: &DocumentEvidence,
        files: &mut Files,
        tally: &mut Tally,
    ) -> Result<()> {
        let before = document.marks.len();
        let judged = learned.mark(document, signature, evidence)?;
        // Marks that came with it count, too.
        let removed = !document.marks.is_empty() && document.is_removed();
        if self.options.list_lost {
            files.lose(document, signature, &judged.lost)?;
        }
        tally.add(document, judged.figures, removed, &document.marks[before..]);
        tally.add_of_templates(judged.of_templates);
        tally.add_frequent(document, &judged.frequent);
        files.explain(|| notes_on_blocks(document, &document.marks[before..], &judged.sources, self.job.offsets))?;
        if let Task::Exact(Unit::Document, _) = self.options.task {
            // The document is a copy as a whole.
            let copy_of = document.marks.drain(before..).find_map(|mark| match mark.reason {
                Reason::Repeats { document, .. } => document,
                _ => None,
            });
            if let Some(of) = copy_of {
                document.mark_all(Label::Duplicate, "dedup", Reason::Resembles { document: of, score: 1.0 });
            }
        }
        files.list_removed(|| removed_lines(document, self.job.offsets))?;
        if removed && !self.job.keep_marked {
            return Ok(());
        }
        if self.outputs.get(SAVE).is_some() {
            files.save(&document.id, signature.words_outside(&document.marks[before..]))?;
        }
        files.write(document)
    }

    /// Marks a document that resembles an earlier one, and writes it otherwise.
    fn mark_document(
        &self,
        learned: &mut Learned,
        document: &mut Document,
        (signature, evidence, language): (&Signature, &DocumentEvidence, Option<u16>),
        files: &mut Files,
        tally: &mut Tally,
    ) -> Result<()> {
        let number = learned.next_number();
        let context = DocumentContext { language, text: Some((document, language_of)), choosing: false };
        let JudgedDocument { resembles: found, figures, related } =
            learned.judge_document(signature, evidence, self.job.rule(), context)?;
        tally.add(document, figures, found.is_some(), &[]);
        if found.is_none() {
            tally.add_related(&related);
        }
        files.link(&DocumentLinks { number, copy_of: found.as_ref().map(|found| found.number), related })?;
        match found {
            Some(found) => self.remove_document(document, &found, files),
            None => {
                // Text that was marked before is removed, too.
                files.list_removed(|| removed_lines(document, self.job.offsets))?;
                files.save(&document.id, signature.words.iter().copied())?;
                files.write(document)
            }
        }
    }

    /// Marks a document that resembles another one.
    pub(super) fn remove_document(&self, document: &mut Document, found: &Resembles, files: &mut Files) -> Result<()> {
        let reason = reason_of_copy(found);
        files.explain(|| vec![note_on_document(document, &reason, found.number)])?;
        document.mark_all(Label::Duplicate, "dedup", reason);
        files.list_removed(|| removed_lines(document, self.job.offsets))?;
        if self.job.keep_marked { files.write(document) } else { Ok(()) }
    }
}
