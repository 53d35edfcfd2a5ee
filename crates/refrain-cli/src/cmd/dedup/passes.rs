//! The passes of a run over its documents: learn, find, mark.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::Result;
use refrain::dedup::{
    Asked, Counts, DedupOptions, Figures, Learned, Learning, Resembles, Signature, Taken, Task, Unit, each_saved,
};
use refrain::pipeline::{Control, Preparation, Prepared, in_stages, run_in_order};
use refrain::source::{Inputs, Source};
use refrain::write::{Compression, Format, Output, removed_lines};
use refrain::{Document, Failure, Hint, Label, Position, Reason};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::output::{Outputs, Paused, complete_all, read_links, write_lost};
use super::report::{Report, explain_blocks, explain_document};
use super::work::Work;
use super::{Arguments, Which};
use crate::common::{Failures, counted_documents, print};
use crate::progress::{Bar, Status};

/// A run over the documents.
pub(super) struct Run<'a> {
    pub(super) arguments: &'a Arguments,
    pub(super) options: DedupOptions,
    /// Folders with evidence to compare with.
    pub(super) saved: Vec<PathBuf>,
    /// What is compared with, then what is written.
    pub(super) inputs: [Inputs; 2],
    pub(super) control: Arc<Control>,
    pub(super) pool: rayon::ThreadPool,
    pub(super) work: Work,
    pub(super) format: (Format, Compression),
}

/// What documents are read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum Part {
    /// To be compared with; only their words are there.
    Saved,
    /// To be compared with.
    Against,
    /// To be written.
    Written,
}

/// A place between two documents: the next one is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct At {
    part: Part,
    position: Position,
}

impl At {
    pub(super) const START: At = At { part: Part::Saved, position: Position { input: 0, record: 0 } };
}

/// What comes by in a pass.
pub(super) struct Passing {
    /// None for what failed or was skipped.
    pub(super) document: Option<Document>,
    /// The id, where only the words of a document are there.
    pub(super) id: Option<String>,
    pub(super) signature: Signature,
    /// Bytes of the text.
    pub(super) text: u64,
    pub(super) failure: Option<Failure>,
    pub(super) part: Part,
    /// What comes next.
    pub(super) next: At,
}

impl Passing {
    /// The id of what was learnt: a document, or the words of one.
    pub(super) fn id(&self) -> Option<&str> {
        self.document.as_ref().map(|document| document.id.as_str()).or(self.id.as_deref())
    }
}

/// What the checkpoints of the first pass remember.
#[derive(Serialize, Deserialize)]
struct LearnState {
    next: At,
    failures: Value,
}

/// What the checkpoints of the last pass remember.
#[derive(Serialize, Deserialize)]
struct MarkState {
    next: At,
    paused: Paused,
    failures: Value,
    report: Report,
    /// All is written, but for the names of the files.
    finished: bool,
}

/// The name of the first pass.
const LEARN: &str = "learn";
/// Text between two places where packed files can be cut.
const PAUSE: u64 = 16 << 20;
/// Documents that are dropped at a time, at most.
const DONE: usize = 256;
/// Few bytes of text for a word.
const BYTES_OF_WORD: u64 = 6;
/// Text of the documents that are compared at a time.
const CHUNK: u64 = 256 << 10;

impl Run<'_> {
    pub(super) fn links_path(&self) -> PathBuf {
        self.work.path().join("links.jsonl")
    }

    pub(super) fn lost_path(&self) -> PathBuf {
        self.work.path().join("lost.jsonl")
    }

    /// Learns, finds what repeats, then writes or counts. Returns what failed, and what there is to tell.
    pub(super) fn all(&self, early: Vec<Failure>, began: Instant) -> Result<(Failures, Option<String>)> {
        let mut learning = Learning::resume(self.options.clone(), self.work.path())?;
        let state = learning.last_checkpoint().map(|(of, complete)| Ok((LearnState::deserialize(of)?, complete)));
        let state: Option<(LearnState, bool)> = state.transpose().map_err(|error: serde_json::Error| error)?;
        let mut failures = self.arguments.output.failures_from(state.as_ref().map(|(state, _)| &state.failures))?;
        if state.is_none() {
            early.into_iter().try_for_each(|failure| failures.add(failure))?;
        }
        if state.as_ref().is_none_or(|(_, complete)| !complete) {
            let from = state.map_or(At::START, |(state, _)| state.next);
            self.learn(&mut learning, from, &mut failures)?;
        }
        if self.options.task == Task::Count {
            let counts = self.find(|step| learning.count(&self.pool, step))?;
            self.print_counts(counts, began)?;
            return Ok((failures, None));
        }
        let mut learned = self.find(|step| learning.conclude(&self.pool, step))?;
        let report = if self.arguments.keep == Which::First {
            self.mark(&mut learned, &mut failures)?
        } else {
            self.choose(&mut learned, &mut failures)?
        };
        let report = report.complete(&learned, self.options.task, self.options.ngram);
        if let Some(path) = &self.arguments.report {
            let mut out = Compression::None.compress(Output::file(path)?)?;
            out.put((serde_json::to_string_pretty(&report.json())? + "\n").as_bytes())?;
            out.finish()?;
        }
        drop(learned);
        if self.work.is_resumable() {
            self.work.remove()?;
        }
        let told = self.tell(&report)?;
        Ok((failures, told))
    }

    /// Prints the report, where standard output is free for it. Returns a line to tell.
    fn tell(&self, report: &Report) -> Result<Option<String>> {
        let Arguments { output, json, explain, .. } = self.arguments;
        let free = output.path().is_some() || !self.arguments.writes_documents();
        if *json && free {
            print(&(serde_json::to_string_pretty(&report.json())? + "\n"))?;
        } else if free && !explain && !output.quiet {
            print(&report.table())?;
        }
        let path = output.path().map(|path| path.display().to_string());
        Ok(path.map(|path| {
            format!(
                "wrote {} to {path}; {}",
                counted_documents(report.documents_kept()),
                report.words(self.options.task)
            )
        }))
    }

    /// Goes over all documents in their order, with their signatures: first those to compare with, then the others. Who only
    /// learns of them gets no more than that.
    pub(super) fn each(
        &self,
        phase: &'static str,
        from: At,
        mut take: impl FnMut(Passing) -> refrain::Result<()>,
    ) -> refrain::Result<()> {
        if from.part == Part::Saved {
            let next = At::START;
            for folder in &self.saved {
                each_saved(folder, &self.options, |id, signature| {
                    take(Passing {
                        document: None,
                        id: Some(id),
                        signature,
                        text: 0,
                        failure: None,
                        part: Part::Saved,
                        next,
                    })
                })?;
            }
        }
        for (inputs, part) in self.inputs.iter().zip([Part::Against, Part::Written]) {
            if part >= from.part {
                let position = if part == from.part { from.position } else { Position::default() };
                self.each_of(inputs, phase, At { part, position }, &mut take)?;
            }
        }
        Ok(())
    }

    fn each_of(
        &self,
        inputs: &Inputs,
        phase: &'static str,
        from: At,
        take: &mut dyn FnMut(Passing) -> refrain::Result<()>,
    ) -> refrain::Result<()> {
        let source = Arc::new(Source::new(inputs.clone(), self.arguments.input.options()));
        let (watched, counted, before) = (source.clone(), self.control.clone(), self.control.documents());
        let bar = Bar::start(!self.arguments.output.shows_progress(), move || {
            let documents = counted.documents() - before;
            Status {
                phase,
                done: watched.bytes_read(),
                total: watched.inputs().total_size(),
                documents,
                note: format!(", {documents} documents"),
            }
        });
        let preparation = Preparation { language: None, extractor: None };
        let result = run_in_order(
            &source,
            0..source.inputs().len(),
            from.position,
            &self.pool,
            &self.control,
            |position, item| {
                let mut prepared = preparation.prepare(position, item);
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
                let Prepared { document, failure, .. } = prepared;
                self.control.count(u64::from(document.is_some()), 0);
                let position = Position { record: position.record + 1, ..position };
                take(Passing {
                    document,
                    id: None,
                    signature,
                    text,
                    failure,
                    part: from.part,
                    next: At { position, ..from },
                })
            },
        );
        drop(bar);
        result
    }

    fn learn(&self, learning: &mut Learning, from: At, failures: &mut Failures) -> Result<()> {
        let (mut since, mut all) = (0, 0);
        self.each(LEARN, from, |mut passing| {
            if let Some(failure) = passing.failure.take() {
                failures.add(failure)?;
            }
            let Some(id) = passing.id() else { return Ok(()) };
            match passing.part {
                Part::Written => learning.add(id, &passing.signature)?,
                _ => learning.add_kept(id, &passing.signature)?,
            }
            since += passing.text;
            if since >= self.arguments.checkpoint && self.work.is_resumable() {
                (since, all) = (0, all + since);
                let state = LearnState { next: passing.next, failures: json!(failures.saved()) };
                learning.checkpoint(json!(state), false)?;
                self.work.save();
            }
            Ok(())
        })?;
        // What is short is done again faster than it is saved.
        if (all > 0 || from != At::START) && self.work.is_resumable() {
            let state = LearnState { next: At::START, failures: json!(failures.saved()) };
            learning.checkpoint(json!(state), true)?;
        }
        Ok(())
    }

    /// Works on what was learnt, with a bar.
    fn find<T>(&self, work: impl FnOnce(refrain::dedup::Step<'_>) -> refrain::Result<T>) -> Result<T> {
        let total: u64 = self.inputs.iter().map(Inputs::total_size).sum();
        let progress = Arc::new((AtomicU64::new(0), AtomicU64::new(1)));
        let watched = progress.clone();
        let bar = Bar::start(!self.arguments.output.shows_progress(), move || {
            let (done, of) = (watched.0.load(Ordering::Relaxed), watched.1.load(Ordering::Relaxed));
            let done = (u128::from(total) * u128::from(done) / u128::from(of.max(1))) as u64;
            Status { phase: "find", done, total, documents: 1, note: String::new() }
        });
        let found = work(&|done, of| {
            progress.0.store(done, Ordering::Relaxed);
            progress.1.store(of, Ordering::Relaxed);
            !self.control.stopped()
        });
        drop(bar);
        Ok(found?)
    }

    /// Marks what repeats, and writes the rest.
    fn mark(&self, learned: &mut Learned, failures: &mut Failures) -> Result<Report> {
        let state = learned.last_checkpoint().map(MarkState::deserialize).transpose()?;
        let mut outputs = Outputs::default();
        let (mut report, mut from) = (Report::default(), At::START);
        let mut finished = None;
        if let Some(state) = state {
            (report, from) = (state.report, state.next);
            *failures = self.arguments.output.failures_from(Some(&state.failures))?;
            if state.finished {
                finished = Some(state.paused);
            } else {
                outputs = Outputs::open(self, Some(&state.paused))?;
            }
        } else {
            outputs = Outputs::open(self, None)?;
        }
        if let Some(paused) = finished {
            complete_all(self, &paused)?;
        } else {
            self.mark_from(learned, failures, from, &mut outputs, &mut report)?;
            learned.finish()?;
            let paused = if self.work.left_behind().is_some() { outputs.pause()? } else { None };
            if let Some(paused) = paused {
                let failures = json!(failures.saved());
                let state = MarkState { next: At::START, paused, failures, report, finished: true };
                learned.checkpoint(Taken::default(), json!(state))?;
                report = state.report;
            }
            outputs.finish()?;
        }
        if let Some(path) = &self.arguments.clusters {
            let links = read_links(&self.links_path())?.into_iter().map(|(copy, of, _)| (copy, of));
            Self::write_clusters(path, learned, links)?;
        }
        if let Some(path) = &self.arguments.lost {
            report.set_lost_passages(write_lost(&self.lost_path(), path, learned)?);
        }
        Ok(report)
    }

    fn mark_from(
        &self,
        learned: &mut Learned,
        failures: &mut Failures,
        from: At,
        outputs: &mut Outputs,
        report: &mut Report,
    ) -> Result<()> {
        let mut since = 0;
        let (mut done, mut text_done) = (Vec::new(), 0);
        self.each_asked(learned, "mark", from, |learned, passing, asked, pause| {
            let Passing { document, signature, part, next, .. } = passing;
            let Some(mut document) = document.filter(|_| part == Part::Written) else {
                return learned.keep(&signature, &asked);
            };
            since += document.text().len() as u64;
            self.check_id(learned, &mut document, failures)?;
            match self.options.task {
                Task::Documents => self.mark_document(learned, &mut document, &signature, &asked, outputs, report)?,
                _ => self.mark_blocks(learned, &mut document, &signature, &asked, outputs, report)?,
            }
            // What many threads wait for should not have to clean up, too.
            text_done += document.text().len() as u64;
            done.push((document, signature, asked));
            if done.len() >= DONE || text_done >= CHUNK {
                let done = std::mem::take(&mut done);
                text_done = 0;
                self.pool.spawn(move || drop(done));
            }
            let Some(taken) = pause else { return Ok(()) };
            if let Some(paused) = outputs.pause()?
                && since >= self.arguments.checkpoint
                && self.work.left_behind().is_some()
            {
                since = 0;
                let (failures, report) = (json!(failures.saved()), report.clone());
                learned.checkpoint(taken, json!(MarkState { next, paused, failures, report, finished: false }))?;
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Goes over all documents with what is known of them before they are judged. Evidence is looked up in their order; then
    /// they are compared with earlier text, many at a time; then they are handed out in their order. Behind some documents
    /// packed files are to be cut: these are the same whenever a run is killed.
    pub(super) fn each_asked(
        &self,
        learned: &mut Learned,
        phase: &'static str,
        from: At,
        mut take: impl FnMut(&mut Learned, Passing, Asked, Option<Taken>) -> refrain::Result<()>,
    ) -> refrain::Result<()> {
        let mut lookup = learned.take_lookup()?;
        let aligner = lookup.aligner();
        let pause = PAUSE.min(self.arguments.checkpoint);
        in_stages(
            &self.pool,
            |send| {
                let (mut chunk, mut in_chunk, mut since) = (Vec::new(), 0, 0);
                self.each(phase, from, |passing| {
                    if passing.id().is_none() {
                        return Ok(());
                    }
                    let asked = lookup.ask(&passing.signature)?;
                    // Of saved documents there are only words.
                    in_chunk += passing.text.max(BYTES_OF_WORD * passing.signature.words.len() as u64) + 1;
                    since += if passing.part == Part::Written { passing.text } else { 0 };
                    let cut = since >= pause;
                    since = if cut { 0 } else { since };
                    chunk.push((passing, asked, cut.then(|| lookup.taken())));
                    if in_chunk < CHUNK {
                        return Ok(());
                    }
                    in_chunk = 0;
                    // Whoever takes the chunks met an error, and says so.
                    if send(std::mem::take(&mut chunk)).is_break() { Err(refrain::Error::Interrupted) } else { Ok(()) }
                })?;
                let _ = send(chunk);
                Ok(())
            },
            |(passing, mut asked, pause)| {
                let compared = match passing.part {
                    Part::Written => aligner.align(&passing.signature, &mut asked),
                    _ => Ok(()),
                };
                (passing, asked, pause, compared)
            },
            |(passing, asked, pause, compared)| {
                compared?;
                take(learned, passing, asked, pause)
            },
        )
    }

    /// Says so when an id was there before; or makes another one of it.
    pub(super) fn check_id(
        &self,
        learned: &Learned,
        document: &mut Document,
        failures: &mut Failures,
    ) -> refrain::Result<()> {
        if learned.times_before()? == 0 {
            return Ok(());
        }
        if self.arguments.make_ids {
            document.id = learned.id_of(learned.next_number())?;
            return Ok(());
        }
        let id = &document.id;
        let failure = Failure::new(&document.origin.input, format!("the id `{id}` was there before"));
        failures.add(
            failure
                .member(document.origin.member.as_deref())
                .hint(Hint::option("make_ids", "number such ids with `make_ids`")),
        )
    }

    /// Marks copied blocks of a document, and writes what is left.
    fn mark_blocks(
        &self,
        learned: &mut Learned,
        document: &mut Document,
        signature: &Signature,
        asked: &Asked,
        outputs: &mut Outputs,
        report: &mut Report,
    ) -> refrain::Result<()> {
        let before = document.marks.len();
        let judged = learned.mark(document, signature, asked)?;
        let copied = document.marks.len() - before;
        // Marks that came with it count, too.
        let gone = !document.marks.is_empty() && document.is_removed();
        if self.arguments.lost.is_some() {
            outputs.lose(document, signature, &judged.lost)?;
        }
        report.add(document, judged.figures, gone, copied);
        report.add_frequent(document, &judged.frequent);
        if self.arguments.explain {
            explain_blocks(document, before, self.arguments.offsets)?;
        }
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
        outputs.list(&removed_lines(document, self.arguments.offsets)?)?;
        if gone && !self.arguments.keep_marked {
            return Ok(());
        }
        if self.arguments.save.is_some() {
            outputs.save(&document.id, signature.words_outside(&document.marks[before..]))?;
        }
        outputs.write(document)
    }

    /// Marks a document that resembles an earlier one, and writes what is left.
    fn mark_document(
        &self,
        learned: &mut Learned,
        document: &mut Document,
        signature: &Signature,
        asked: &Asked,
        outputs: &mut Outputs,
        report: &mut Report,
    ) -> refrain::Result<()> {
        let number = learned.next_number();
        let (found, figures) = self.judge_document(learned, signature, asked)?;
        report.add(document, figures, found.is_some(), 0);
        match found {
            Some(found) => {
                outputs.link((number, found.number, found.score))?;
                self.leave_out(document, &found, outputs)
            }
            None => {
                outputs.save(&document.id, signature.words.iter().copied())?;
                outputs.write(document)
            }
        }
    }

    pub(super) fn judge_document(
        &self,
        learned: &mut Learned,
        signature: &Signature,
        asked: &Asked,
    ) -> refrain::Result<(Option<Resembles>, Figures)> {
        learned.judge_document(signature, asked, self.arguments.measure, self.arguments.resemblance)
    }

    /// Marks a document that resembles another one.
    pub(super) fn leave_out(
        &self,
        document: &mut Document,
        found: &Resembles,
        outputs: &mut Outputs,
    ) -> refrain::Result<()> {
        let score = (found.score * 10_000.0).round() / 10_000.0;
        let reason = Reason::Resembles { document: found.document.clone(), score };
        document.mark_all(Label::Duplicate, "dedup", reason);
        outputs.list(&removed_lines(document, self.arguments.offsets)?)?;
        if self.arguments.explain {
            explain_document(document, found)?;
        }
        if self.arguments.keep_marked { outputs.write(document) } else { Ok(()) }
    }

    fn print_counts(&self, counts: Counts, began: Instant) -> Result<()> {
        let seconds = (began.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
        let Counts { documents, words, ngrams, distinct, duplicate, occurrences } = counts;
        if self.arguments.json {
            let figures = json!({
                "documents": documents, "words": words, "ngram": self.arguments.ngram, "ngrams": ngrams,
                "distinct": distinct, "duplicate": duplicate, "occurrences": occurrences, "seconds": seconds,
                "peak_memory": peak_memory(),
            });
            return print(&format!("{figures}\n"));
        }
        print(&format!(
            "documents                 {documents:>16}\nwords                     {words:>16}\n{}-grams{:>width$}\n  different               \
             {distinct:>16}\n  of these twice or more  {duplicate:>16}\n  which occur             {occurrences:>16} times\n",
            self.arguments.ngram,
            ngrams,
            width = 42 - 6 - self.arguments.ngram.to_string().len(),
        ))
    }
}

/// The most memory that the process has had, in bytes, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

/// Lines for people, on standard output.
pub(super) fn say(line: &str) -> refrain::Result<()> {
    Ok(writeln!(std::io::stdout().lock(), "{line}")?)
}
