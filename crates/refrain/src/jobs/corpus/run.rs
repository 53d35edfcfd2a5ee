//! The run: read, learn, write.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::super::alarms;
use super::super::failures::REPORTED;
use super::super::quality::{QualityOptions, identity};
use super::super::{Failures, Input, Outputs};
use super::evidence::Evidence;
use super::folder::{Batch, Folder, InputsRecord, Manifest, Part, RunRecord, State, list_inputs, recipe};
use super::work::{PartWriter, Ready, WorkPart, finished_parts, shards, write_failure};
use super::write::Finals;
use crate::decode::{LanguageFilter, Undecided};
use crate::document::{Document, Position};
use crate::error::{Error, Failure, Hint, IoContext, Result};
use crate::extract::{ExtractMethod, ExtractOptions, Extractor};
use crate::flow::{each_document, each_document_of};
use crate::kernel::Kernel;
use crate::prepare::{Opened, Preparation};
use crate::quality::QualityFilter;
use crate::run::{Run, Workers};
use crate::source::{Body, Collection, InputFile, Item, Markup, ReadOptions};
use crate::stats::{Account, Loss, OTHERS, Volume};
use crate::strip::{BoundaryFinder, EDGE_LINES, Ends, Evidence as StripEvidence, StripProfile};
use crate::template::{SiteTemplates, TemplatePage, Templates};
use crate::text::Offsets;
use crate::write::{Compression, Format, write_atomically};

/// The templates of hosts, in the work folder.
const TEMPLATES: &str = "templates.json";

/// Builds a clean corpus: reads, decodes, extracts main content, identifies languages, removes duplicates, and writes a folder that
/// every later step can read.
///
/// The main output is the folder. A run that was killed resumes when the same job runs again, and ends with the same bytes.
///
/// ```
/// use refrain::{Corpus, Document, Input, Outputs, Run};
///
/// let folder = tempfile::tempdir()?;
/// let notes = ["One note.", "One  note.", "Another."].map(|text| Document::from_text("", text));
/// let outputs = Outputs::to(folder.path().join("corpus"))?;
/// let report = Corpus::default().run(&Input::documents(notes), outputs, &Run::default())?;
/// assert_eq!(report.manifest.statistics.total.kept.documents, 2);
/// assert_eq!(report.manifest.statistics.total.duplicates.documents, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools)] // options, each on its own
pub struct Corpus {
    /// How inputs are read.
    pub read: ReadOptions,
    /// Languages to keep; all if empty.
    pub lang: Vec<String>,
    /// The unit that must be in one of them.
    pub lang_by: LanguageUnit,
    /// What becomes of text whose language is unknown, if languages are named.
    pub lang_undecided: Undecided,
    /// How main content is found on web pages; `None` keeps whole pages.
    pub content: Option<ExtractOptions>,
    /// Whether the template of each host is learned and marked. The inputs are then read twice.
    pub template: CorpusTemplates,
    /// What decides whether documents are worth keeping, after their languages are known.
    pub quality: QualityOptions,
    /// Mark what was added before and after books, with the evidence that ships with the library. Web pages are no books.
    pub strip: bool,
    /// Which duplicates are removed.
    pub dedup: CorpusDedup,
    /// Keep marked ranges in the parts, with their marks.
    pub keep_marked: bool,
    /// The unit of offsets.
    pub offsets: Offsets,
    /// List removed ranges under `removed/`.
    pub removed: bool,
    /// Text in one part, in bytes.
    pub part_size: u64,
    /// The level of zstd, in Parquet and in compressed parts.
    pub zstd_level: Option<i32>,
    /// Bytes of a row group in Parquet.
    pub row_group: Option<u64>,
    /// Raw documents between two checkpoints, in bytes: the most that a killed run has to repeat, per thread.
    pub checkpoint: u64,
    /// Add the inputs to a complete corpus, as another batch. Its documents are compared with those of the corpus, which does not
    /// change. Its documents are then those of a corpus of all inputs. It is not a part of the record.
    #[serde(skip_serializing)]
    pub add: bool,
    /// Keep what later batches are compared with. Without it, nothing can be added to the corpus until it is
    /// [made again](Corpus::rebuild_evidence). It is not a part of the record.
    #[serde(skip_serializing)]
    pub evidence: bool,
    /// Does not complete the corpus if a source, host or language loses more than this share of its main content to other passes,
    /// in words or documents. The same job with a higher limit, or none, then completes it. It is not a part of the record.
    pub alarm: Option<f64>,
}

/// The unit that must be in a wanted language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LanguageUnit {
    /// Whole documents.
    #[default]
    Document,
    /// Each block by itself.
    Block,
}

/// Which templates are learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CorpusTemplates {
    /// None.
    #[default]
    None,
    /// The templates of each host.
    Host,
}

/// Which duplicates are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CorpusDedup {
    /// None.
    None,
    /// Documents with the same text as an earlier one.
    Exact,
    /// Also documents whose text is in an earlier one.
    Documents,
    /// Exact duplicates, and blocks that occur in earlier documents.
    #[default]
    Blocks,
}

impl Default for Corpus {
    fn default() -> Self {
        Corpus {
            read: ReadOptions::default(),
            lang: Vec::new(),
            lang_by: LanguageUnit::default(),
            lang_undecided: Undecided::default(),
            content: Some(ExtractOptions::default()),
            template: CorpusTemplates::default(),
            quality: QualityOptions::default(),
            strip: false,
            dedup: CorpusDedup::default(),
            keep_marked: false,
            offsets: Offsets::default(),
            removed: true,
            part_size: 256 << 20,
            zstd_level: None,
            row_group: None,
            checkpoint: 64 << 20,
            add: false,
            evidence: true,
            alarm: None,
        }
    }
}

/// The result of [`Corpus`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CorpusReport {
    /// The content of the folder.
    pub manifest: Manifest,
    /// How the run found the folder.
    pub start: Start,
    /// What became of the items of the inputs.
    pub input: Account,
    /// What failed.
    pub failures: Failures,
    /// The evidence had the layout of an earlier version, and was converted.
    pub converted: bool,
}

impl CorpusReport {
    /// The report on a run with these inputs: all of the corpus, or a batch of it.
    fn of(folder: &Path, manifest: Manifest, start: Start, inputs: &InputsRecord) -> CorpusReport {
        let (statistics, before) = match manifest.batch_of(inputs) {
            Some((batch, before)) => (&batch.statistics, before),
            None => (&manifest.statistics, 0),
        };
        let failures = read_failures(folder, before, statistics.failures);
        CorpusReport { start, input: statistics.input.clone(), failures, manifest, converted: false }
    }
}

impl Corpus {
    /// Memory for evidence about duplicates, unless [`Run::memory`] says otherwise; the rest is written to disk.
    pub const MEMORY: u64 = 1 << 30;

    /// Runs the job, or resumes it.
    pub fn run(&self, input: &Input, outputs: Outputs, run: &Run) -> Result<CorpusReport> {
        let outputs = outputs.into_folder();
        outputs.check(&[])?;
        let Some(output) = outputs.path() else {
            return Err(Error::Refused("a corpus is a folder; name one".into()));
        };
        let (mut source, early_failures) = input.open(&self.read, &outputs)?;
        source.identify_memory();
        if self.template == CorpusTemplates::Host && source.inputs().iter().any(InputFile::is_stdin) {
            let error = Error::Refused("standard input can be read only once".into());
            let advice = "`template=host` reads the inputs twice: save it to a file first";
            return Err(error.hint(Hint::value("template", "host", advice)));
        }
        let format = outputs.requested_format().unwrap_or((Format::Parquet, Compression::None));
        let list = list_inputs(source.inputs());
        let quality = self.quality.filter()?;
        let record = RunRecord::new(&list, source.inputs(), self.record(format, quality.as_ref()));
        let (folder, start, base) = match Folder::open(output, &record, &list, outputs.may_overwrite(), self.add)? {
            State::Complete(manifest) => {
                return Ok(CorpusReport::of(output, *manifest, Start::Complete, &record.inputs));
            }
            State::Open { folder, begun, base } => (folder, if begun { Start::Resumed } else { Start::New }, base),
        };
        let workers = run.start()?;
        let names = input.names().to_vec();
        let building = Building { job: self, quality, format, source, early_failures, workers: &workers, base, names };
        let inputs = record.inputs.clone();
        let done = building.run(&folder, record).map_err(|error| with_way_out(error, output));
        let (manifest, converted) = done?;
        Ok(CorpusReport { converted, ..CorpusReport::of(output, manifest, start, &inputs) })
    }

    /// The options that determine the corpus; others (threads, memory) only affect the speed.
    pub(super) fn record(
        &self,
        (format, compression): (Format, Compression),
        quality: Option<&QualityFilter>,
    ) -> Map<String, Value> {
        let options = json!({
            "input_format": self.read.format.map(crate::source::InputFormat::name),
            "text_field": self.read.text_field,
            "id_field": self.read.id_field,
            "text_is": self.read.text_is.unwrap_or(crate::source::TextIs::Auto),
            "max_document": self.read.max_document,
            "max_expansion": self.read.max_expansion,
            "lang": self.lang,
            "lang_by": self.lang_by,
            "lang_undecided": self.lang_undecided,
            "method": self.content.as_ref().map_or("none", |options| options.method.name()),
            "profile": self.content.as_ref().map_or("none", |options| options.profile.name()),
            "template": self.template,
            "quality": quality.map(identity),
            "strip": self.strip,
            "dedup": self.dedup,
            "comments": self.content.as_ref().is_some_and(|options| options.comments),
            "format": format!("{}{}", format.name(), compression.suffix()),
            "keep_marked": self.keep_marked,
            "removed": self.removed,
            "offsets": self.offsets,
            "part_size": self.part_size,
            "checkpoint": self.checkpoint,
        });
        let mut record = match options {
            Value::Object(options) => options,
            _ => Map::new(),
        };
        // Records of earlier versions do not have these.
        if !self.read.types.is_empty() {
            record.insert("types".into(), json!(self.read.types));
        }
        if let Some(level) = self.zstd_level {
            record.insert("zstd_level".into(), level.into());
        }
        if let Some(bytes) = self.row_group {
            record.insert("row_group".into(), bytes.into());
        }
        // The thresholds matter only to the method that has them.
        if let Some(ExtractOptions { method: ExtractMethod::JusText(thresholds), .. }) = &self.content
            && let Ok(Value::Object(thresholds)) = serde_json::to_value(thresholds)
        {
            record.extend(thresholds);
        }
        record
    }

    fn preparation(&self, quality: Option<QualityFilter>) -> Preparation {
        Preparation {
            language: Some(LanguageFilter {
                wanted: self.lang.clone(),
                by_block: self.lang_by == LanguageUnit::Block,
                undecided: self.lang_undecided,
            }),
            extractor: self.content.clone().map(Extractor::new),
            quality,
        }
    }
}

/// How a run found its folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// New or empty.
    New,
    /// Begun by the same command, which was stopped.
    Resumed,
    /// Complete: there was nothing to do.
    Complete,
}

/// A run at work.
pub(super) struct Building<'a> {
    pub(super) job: &'a Corpus,
    quality: Option<QualityFilter>,
    pub(super) format: (Format, Compression),
    source: Collection,
    early_failures: Vec<Failure>,
    pub(super) workers: &'a Workers,
    /// The corpus that a batch is added to.
    pub(super) base: Option<Box<Manifest>>,
    /// The inputs as they were named.
    names: Vec<String>,
}

impl Building<'_> {
    /// Returns what was built, and whether evidence was converted.
    fn run(&self, folder: &Folder, record: RunRecord) -> Result<(Manifest, bool)> {
        let templates = self.templates(folder)?;
        let parts = self.read(folder, templates.as_ref())?;
        let evidence = self.evidence(folder)?;
        let copies = self.first_copies(folder, &evidence, &parts)?;
        let finals = self.write(folder, &evidence.past, &parts, &copies)?;
        let is_converted = evidence.is_converted;
        let manifest = self.complete(folder, record, (&parts, finals), evidence)?;
        Ok((manifest, is_converted))
    }

    /// What documents are compared with, if they are added to a corpus.
    fn evidence(&self, folder: &Folder) -> Result<Evidence> {
        let Some(base) = &self.base else { return Evidence::new(folder, Folder::evidence(1)) };
        Evidence::open(folder, base, self.near_duplicates(folder, 0), self.workers)
    }

    /// Phase 0, if requested: learns the templates of all hosts from a sample of their pages. They are kept until the
    /// corpus is complete, so that a resumed run marks with the same ones.
    fn templates(&self, folder: &Folder) -> Result<Option<Templates>> {
        if self.job.template == CorpusTemplates::None {
            return Ok(None);
        }
        let path = folder.work(TEMPLATES);
        if path.exists() {
            return Templates::from_bytes(&std::fs::read(&path).at(&path)?).map(Some);
        }
        // The sample does not depend on the memory limit, because the corpus must not.
        let kernel = SiteTemplates::default();
        let mut sample = kernel.partial();
        let source = self.source.again();
        each_document(self.workers, "templates", &source, page_of_site, |position, page| {
            let Some((key, text)) = &page else { return Ok(()) };
            kernel.observe(TemplatePage { position, key, text }, &mut sample)
        })?;
        let templates = self.workers.install(|| kernel.conclude(sample))?;
        write_atomically(&path, &templates.to_bytes()?)?;
        Ok(Some(templates))
    }

    /// Phase 1: inputs to work parts. As many shards at a time as there are threads.
    fn read(&self, folder: &Folder, sites: Option<&Templates>) -> Result<Vec<WorkPart>> {
        self.workers.begin("read", self.source.inputs().total_size());
        let preparation = self.job.preparation(self.quality.clone());
        self.workers.advance(0, 0, self.early_failures.len() as u64);
        let shards = shards(self.source.inputs());
        let parts = self.on_threads(&shards, |_, shard| self.read_shard(folder, shard, (&preparation, sites)))?;
        Ok(parts.into_iter().flatten().collect())
    }

    /// Processes each item on plain threads, so that the thread pool is free for parallel work inside an item. Results
    /// are in the order of the items; the first error ends it.
    fn on_threads<I: Sync, T: Send>(
        &self,
        items: &[I],
        work: impl Fn(usize, &I) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::new());
        let failed = Mutex::new(None);
        std::thread::scope(|scope| {
            for _ in 0..self.workers.threads().min(items.len()) {
                scope.spawn(|| {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        let Some(item) = items.get(number) else { break };
                        match work(number, item) {
                            Ok(result) => lock(&done).push((number, result)),
                            Err(error) => {
                                lock(&failed).get_or_insert(error);
                                next.store(items.len(), Ordering::Relaxed);
                            }
                        }
                    }
                });
            }
        });
        if let Some(error) = lock(&failed).take() {
            return Err(error);
        }
        let mut done = std::mem::take(&mut *lock(&done));
        done.sort_by_key(|(number, _)| *number);
        Ok(done.into_iter().map(|(_, result)| result).collect())
    }

    fn read_shard(
        &self,
        folder: &Folder,
        shard: &super::work::Shard,
        (preparation, sites): (&Preparation, Option<&Templates>),
    ) -> Result<Vec<WorkPart>> {
        let mut parts = finished_parts(folder, shard)?;
        for part in &parts {
            self.workers.advance(0, part.note.documents, part.note.failures);
        }
        let from = parts.last().map_or(Position { input: shard.inputs.start, record: 0 }, |part| part.note.next);
        let done = if parts.last().is_some_and(|part| part.note.last) { shard.inputs.end } else { from.input };
        (shard.inputs.start..done).for_each(|input| self.source.count_as_read(input));
        if done == shard.inputs.end {
            return Ok(parts);
        }
        let mut number = parts.len() as u32;
        let mut part = PartWriter::new(folder, shard.number, number, from, self.job.checkpoint);
        // Inputs are numbered through all batches.
        let inputs_before = self.base.as_ref().map_or(0, |base| base.inputs.files as u32);
        let finder = self.job.strip.then(|| BoundaryFinder::new(StripProfile::Gutenberg)).transpose()?;
        // The disk takes some time to make a part last. Meanwhile, the next one begins.
        let finished = std::thread::scope(|scope| {
            let (sender, full) = sync_channel::<PartWriter<'_>>(0);
            let finishing =
                scope.spawn(move || full.into_iter().map(|part| part.finish(false)).collect::<Result<Vec<_>>>());
            let read = each_document_of(
                self.workers,
                &self.source,
                shard.inputs.clone(),
                from,
                |position, item| {
                    let mut prepared = preparation.prepare_in_site(position, item, sites);
                    if let (Some(finder), Some(document), false) = (&finder, &mut prepared.document, prepared.is_page) {
                        strip_book(finder, document);
                    }
                    if let Some(document) = &mut prepared.document {
                        document.position.input += inputs_before;
                    }
                    Ready::new(prepared)
                },
                |position, ready| {
                    let ready = ready?;
                    self.workers.remove(u64::from(ready.is_removed()));
                    self.workers.advance(0, 0, u64::from(ready.failure.is_some()));
                    part.add(position, ready)?;
                    if part.is_full() {
                        number += 1;
                        let next = Position { record: position.record + 1, ..position };
                        let following = PartWriter::new(folder, shard.number, number, next, self.job.checkpoint);
                        // If the part is refused, the earlier one met an error, which is returned below.
                        sender.send(std::mem::replace(&mut part, following)).map_err(|_| Error::Interrupted)?;
                    }
                    Ok(())
                },
            );
            drop(sender);
            let finished = finishing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            read.map(|()| finished)
        })?;
        parts.extend(finished);
        parts.push(part.finish(true)?);
        Ok(parts)
    }

    /// The end: figures, errors, manifest.
    fn complete(
        &self,
        folder: &Folder,
        record: RunRecord,
        (parts, finals): (&[WorkPart], Finals),
        evidence: Evidence,
    ) -> Result<Manifest> {
        let Finals { notes: finals, mut statistics, digest, sample } = finals;
        let mut errors = folder.errors()?;
        if let Some(mut old) = folder.old_errors()? {
            std::io::copy(&mut old, &mut errors)?;
        }
        for failure in &self.early_failures {
            write_failure(&mut errors, failure)?;
        }
        statistics.failures += self.early_failures.len() as u64;
        self.early_failures.iter().for_each(|_| statistics.input.add(false, None));
        for part in parts {
            if part.note.failures > 0 {
                let path = folder.work(&part.errors_name());
                std::fs::File::open(&path).and_then(|mut file| std::io::copy(&mut file, &mut errors)).at(&path)?;
                statistics.failures += part.note.failures;
            }
            statistics.input.merge(&part.note.account());
            for (reason, count) in &part.note.skipped {
                *statistics.skipped.entry(reason.clone()).or_default() += count;
            }
        }
        statistics.volume = Volume {
            files: self.source.inputs().total_size(),
            documents: parts.iter().map(|part| part.note.raw_bytes).sum(),
        };
        let ngrams = self.ngrams_of_all(folder, sample)?;
        let evidence = self.keep_evidence(folder, evidence, parts, ngrams.as_ref())?;
        let removed: Vec<Part> = finals.iter().filter_map(|note| note.removed.clone()).collect();
        let batch = Batch {
            refrain: record.refrain.clone(),
            inputs: record.inputs.clone(),
            parts: finals.len(),
            removed: removed.len(),
            statistics: statistics.clone(),
        };
        let inputs = match &self.base {
            Some(base) => record.inputs.after(&base.inputs, folder)?,
            None => record.inputs,
        };
        let mut manifest = Manifest {
            digest: Some(digest),
            refrain: record.refrain,
            inputs,
            options: record.options,
            removed,
            parts: finals.into_iter().map(|note| note.part).collect(),
            batches: vec![batch],
            evidence,
            statistics,
        };
        errors.finish()?;
        let of = |kind, table: &BTreeMap<String, Loss>| {
            let known = table.iter().filter(|(name, _)| *name != OTHERS);
            known.map(|(name, loss)| (kind, name.clone(), *loss)).collect::<Vec<_>>()
        };
        let statistics = &manifest.statistics;
        let languages = statistics.languages.iter().map(|(code, stages)| ("language", code.clone(), Loss::of(stages)));
        let groups =
            of("source", &statistics.sources).into_iter().chain(of("host", &statistics.hosts)).chain(languages);
        let groups: Vec<(&str, String, Loss)> = groups.collect();
        alarms::check(self.job.alarm, groups.iter().map(|(kind, name, loss)| (*kind, name.as_str(), *loss)))?;
        let defaults = Corpus::default().record((Format::Parquet, Compression::None), None);
        if let Some(base) = &self.base {
            let counts_ngrams = manifest.statistics.ngrams.is_some();
            manifest = base.as_ref().clone().with(manifest);
            manifest.statistics.ngrams = ngrams.filter(|_| counts_ngrams).map(|ngrams| ngrams.count());
        }
        folder.complete(&manifest, &recipe(&self.names, &manifest.options, &defaults))?;
        Ok(manifest)
    }
}

/// An error of the disk, and how to go on after it: what is complete is kept.
fn with_way_out(error: Error, folder: &Path) -> Error {
    let is_full = match &error {
        Error::Io { error, .. } | Error::Stream(error) => error.kind() == std::io::ErrorKind::StorageFull,
        Error::Parquet { message, .. } => message.contains("No space left"),
        _ => return error,
    };
    let folder = folder.display();
    let cause = if is_full { format!("make room on the disk of {folder}") } else { "remove the cause".into() };
    error.hint(Hint::new(format!("{cause}, then run the same command again to resume")))
}

/// Failures of a corpus, as its folder lists them: behind some others, and how many.
fn read_failures(folder: &Path, before: u64, count: u64) -> Failures {
    let lines = std::fs::read(folder.join("errors.jsonl")).unwrap_or_default();
    let lines = lines.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok());
    let own = lines.skip(before as usize).take(REPORTED.min(count as usize));
    Failures { first: own.collect(), count }
}

/// Marks what was added before and after a book.
fn strip_book(finder: &BoundaryFinder, document: &mut Document) {
    if document.is_removed() {
        return;
    }
    let ends = Ends::of(document.text().as_bytes(), EDGE_LINES);
    let found = finder.find(&ends, StripEvidence::shipped());
    if !found.emptied {
        found.mark(document, &ends);
    }
}

/// A web page that has an address, and its host.
fn page_of_site(position: Position, item: Item) -> Option<(String, String)> {
    let Item::Document(raw) = item else { return None };
    // Office documents are not web pages, and are slow to open.
    if matches!(raw.body, Body::Office(_)) {
        return None;
    }
    let opened = Opened::new(position, *raw).ok()?;
    let host = opened.document.host();
    (opened.markup == Markup::Html && !host.is_empty()).then_some((host, opened.text))
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
