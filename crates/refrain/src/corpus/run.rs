//! The run: read, learn, write.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::folder::{Folder, Manifest, Part, RunRecord, State, list_inputs, read_json, write_json};
use super::work::{
    PartWriter, Ready, WorkPart, finished_parts, read_document, read_lines, read_part, shards, write_failure,
};
use crate::decode::LanguageFilter;
use crate::dedup::{ExactDuplicates, FirstCopies};
use crate::document::{Document, Label, Position};
use crate::error::{Error, Failure, Hint, IoContext, Result};
use crate::extract::{ExtractOptions, Extractor, Method};
use crate::kernel::Kernel;
use crate::pipeline::{Control, Opened, Preparation, in_stages, run_in_order};
use crate::source::{Body, Input, Inputs, Item, Markup, Source, SourceOptions};
use crate::stats::Statistics;
use crate::template::{Page, SiteTemplates, Templates};
use crate::text::Offsets;
use crate::write::{self, Compression, Format, Output, WriteOptions, removed_lines, write_atomically};

/// The templates of hosts, in the work folder.
const TEMPLATES: &str = "templates.json";

/// How a corpus is made.
#[derive(Debug, Clone)]
#[allow(clippy::struct_excessive_bools)] // each is one choice of whoever makes the corpus
pub struct CorpusOptions {
    /// How inputs are read.
    pub source: SourceOptions,
    /// Languages to keep; all when empty.
    pub languages: Vec<String>,
    /// Whether each block has to be in one of them, instead of each document.
    pub by_block: bool,
    /// How boilerplate of web pages is found and marked; `None` leaves pages whole.
    pub extract: Option<ExtractOptions>,
    /// Learn the template of each host, and mark what is no content on its pages.
    pub template_of_host: bool,
    /// Format of the parts.
    pub format: Format,
    /// Compression of the parts.
    pub packing: Compression,
    /// What to do with marked ranges.
    pub write: WriteOptions,
    /// List removed ranges under `removed/`.
    pub removed: bool,
    /// Text that goes into one part, in bytes.
    pub part_bytes: u64,
    /// Raw documents after which the work so far is safe, in bytes: what a killed run has to do again at most, per thread.
    pub checkpoint_bytes: u64,
    /// Memory for evidence, in bytes; beyond it goes to disk.
    pub memory: u64,
    /// Threads.
    pub threads: usize,
    /// Replace a corpus that is there already.
    pub overwrite: bool,
}

impl Default for CorpusOptions {
    fn default() -> Self {
        CorpusOptions {
            source: SourceOptions::default(),
            languages: Vec::new(),
            by_block: false,
            extract: Some(ExtractOptions::default()),
            template_of_host: false,
            format: Format::Parquet,
            packing: Compression::None,
            write: WriteOptions::default(),
            removed: true,
            part_bytes: Self::PART_BYTES,
            checkpoint_bytes: Self::CHECKPOINT_BYTES,
            memory: Self::MEMORY,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            overwrite: false,
        }
    }
}

impl CorpusOptions {
    /// 256 MiB of text in a part.
    pub const PART_BYTES: u64 = 256 << 20;
    /// 64 MiB of raw documents between checkpoints.
    pub const CHECKPOINT_BYTES: u64 = 64 << 20;
    /// 1 GiB of memory for evidence.
    pub const MEMORY: u64 = 1 << 30;

    /// The options that decide what the corpus is; others (threads, memory) only decide how fast it is made.
    fn record(&self) -> Map<String, Value> {
        let options = json!({
            "input_format": self.source.format.map(crate::source::InputFormat::name),
            "text_field": self.source.text_field,
            "id_field": self.source.id_field,
            "text_is": self.source.text_is.unwrap_or(crate::source::TextIs::Auto),
            "max_document": self.source.max_document,
            "max_expansion": self.source.max_expansion,
            "lang": self.languages,
            "lang_by": if self.by_block { "block" } else { "document" },
            "method": self.extract.as_ref().map_or("none", |options| options.method.name()),
            "profile": self.extract.as_ref().map_or("none", |options| options.profile.name()),
            "template": if self.template_of_host { "host" } else { "none" },
            "comments": self.extract.as_ref().is_some_and(|options| options.comments),
            "format": format!("{}{}", self.format.name(), self.packing.suffix()),
            "keep_marked": self.write.keep_marked,
            "removed": self.removed,
            "offsets": if self.write.offsets == Offsets::Bytes { "bytes" } else { "chars" },
            "part_size": self.part_bytes,
            "checkpoint": self.checkpoint_bytes,
        });
        let mut record = match options {
            Value::Object(options) => options,
            _ => Map::new(),
        };
        // The thresholds matter only to the method that has them.
        if let Some(ExtractOptions { method: Method::JusText(thresholds), .. }) = &self.extract
            && let Ok(Value::Object(thresholds)) = serde_json::to_value(thresholds)
        {
            record.extend(thresholds);
        }
        record
    }

    fn preparation(&self) -> Preparation {
        Preparation {
            language: Some(LanguageFilter { wanted: self.languages.clone(), by_block: self.by_block }),
            extractor: self.extract.clone().map(Extractor::new),
        }
    }

    fn part_name(&self, number: usize) -> String {
        Folder::documents(&format!("part-{number:05}.{}{}", self.format.extension(), self.packing.suffix()))
    }
}

/// How a run found its folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// New or empty.
    New,
    /// Begun by the same command, which was stopped.
    Resumed,
    /// Complete: there was nothing to do.
    Complete,
}

/// What a run ends with.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// What the folder holds now.
    pub manifest: Manifest,
    /// How it was found.
    pub start: Start,
}

/// What a run is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Reading a first time, for the templates of sites.
    Templates,
    /// Reading, decoding, extracting.
    Read,
    /// Finding duplicates.
    Learn,
    /// Writing the parts.
    Write,
}

/// How far a run has come.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// What it is doing.
    pub phase: Phase,
    /// Bytes done in this phase.
    pub done: u64,
    /// Bytes to do in this phase.
    pub total: u64,
    /// Documents read.
    pub documents: u64,
    /// Failures met.
    pub failures: u64,
}

/// A run that makes a corpus.
///
/// ```
/// use refrain::corpus::{Corpus, CorpusOptions};
/// use refrain::source::Inputs;
///
/// let folder = tempfile::tempdir()?;
/// let notes = folder.path().join("notes.jsonl");
/// std::fs::write(&notes, "{\"text\": \"One note.\"}\n{\"text\": \"One  note.\"}\n{\"text\": \"Another.\"}\n")?;
///
/// let (inputs, failures) = Inputs::expand([notes.to_string_lossy()]);
/// let corpus = Corpus::new(inputs, failures, folder.path().join("corpus"), CorpusOptions::default());
/// let manifest = corpus.run()?.manifest;
/// assert_eq!(manifest.statistics.total.kept.documents, 2);
/// assert_eq!(manifest.statistics.total.duplicates.documents, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Corpus {
    source: Source,
    /// The same, where all is read a first time.
    first_reading: Source,
    early_failures: Vec<Failure>,
    output: PathBuf,
    options: CorpusOptions,
    control: Control,
    phase: AtomicU8,
    done: AtomicU64,
    total: AtomicU64,
}

impl Corpus {
    /// Plans a run. `failures` are those of finding the inputs; they join the others.
    pub fn new(inputs: Inputs, failures: Vec<Failure>, output: PathBuf, options: CorpusOptions) -> Corpus {
        Corpus {
            first_reading: Source::new(inputs.clone(), options.source.clone()),
            source: Source::new(inputs, options.source.clone()),
            early_failures: failures,
            output,
            options,
            control: Control::default(),
            phase: AtomicU8::new(Phase::Read as u8),
            done: AtomicU64::new(0),
            total: AtomicU64::new(0),
        }
    }

    /// What stops the run early.
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// How far the run has come.
    pub fn progress(&self) -> Progress {
        let phases = [Phase::Templates, Phase::Read, Phase::Learn, Phase::Write];
        let phase = phases[usize::from(self.phase.load(Ordering::Relaxed).min(3))];
        let source = match phase {
            Phase::Templates => Some(&self.first_reading),
            Phase::Read => Some(&self.source),
            Phase::Learn | Phase::Write => None,
        };
        Progress {
            phase,
            done: source.map_or_else(|| self.done.load(Ordering::Relaxed), Source::bytes_read),
            total: source.map_or_else(|| self.total.load(Ordering::Relaxed), |source| source.inputs().total_size()),
            documents: self.control.documents(),
            failures: self.control.failures(),
        }
    }

    fn begin(&self, phase: Phase, total: u64) {
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
        self.phase.store(phase as u8, Ordering::Relaxed);
    }

    /// Makes the corpus, or goes on making it.
    pub fn run(&self) -> Result<Outcome> {
        if self.options.template_of_host && self.source.inputs().iter().any(Input::is_stdin) {
            let error = Error::Refused("standard input can be read only once".into());
            let advice = "`template=host` reads the inputs twice: save it to a file first";
            return Err(error.hint(Hint::value("template", "host", advice)));
        }
        let list = list_inputs(self.source.inputs());
        let record = RunRecord::new(&list, self.source.inputs(), self.options.record());
        let (folder, start) = match Folder::open(&self.output, &record, &list, self.options.overwrite)? {
            State::Complete(manifest) => return Ok(Outcome { manifest: *manifest, start: Start::Complete }),
            State::Open { folder, begun } => (folder, if begun { Start::Resumed } else { Start::New }),
        };
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.options.threads)
            .build()
            .map_err(|error| Error::Refused(format!("cannot start {} threads: {error}", self.options.threads)))?;
        let templates = self.templates(&folder, &pool)?;
        let parts = self.read(&folder, &pool, templates.as_ref())?;
        let finding = self.learn(&folder, &pool, &parts)?;
        let finals = self.write(&folder, &pool, &parts, &finding)?;
        Ok(Outcome { manifest: self.complete(&folder, record, &parts, finals)?, start })
    }

    /// Phase 0, where it is asked for: the templates of all hosts, from a sample of their pages. They are kept until the corpus
    /// is complete, so that a run that goes on marks with the same ones.
    fn templates(&self, folder: &Folder, pool: &rayon::ThreadPool) -> Result<Option<Templates>> {
        if !self.options.template_of_host {
            return Ok(None);
        }
        let path = folder.work(TEMPLATES);
        if path.exists() {
            return Templates::from_bytes(&std::fs::read(&path).at(&path)?).map(Some);
        }
        self.begin(Phase::Templates, 0);
        // The sample does not depend on --memory: what a corpus is must not.
        let kernel = SiteTemplates::default();
        let mut sample = kernel.partial();
        run_in_order(
            &self.first_reading,
            0..self.first_reading.inputs().len(),
            Position::default(),
            pool,
            &self.control,
            page_of_site,
            |position, page| {
                let Some((key, text)) = &page else { return Ok(()) };
                kernel.observe(Page { position, key, text }, &mut sample)
            },
        )?;
        let templates = pool.install(|| kernel.conclude(sample))?;
        write_atomically(&path, &templates.to_bytes()?)?;
        Ok(Some(templates))
    }

    /// Phase 1: inputs to work parts. As many shards at a time as there are threads.
    fn read(&self, folder: &Folder, pool: &rayon::ThreadPool, sites: Option<&Templates>) -> Result<Vec<WorkPart>> {
        self.begin(Phase::Read, 0);
        let preparation = self.options.preparation();
        self.control.count(0, self.early_failures.len() as u64);
        let shards = shards(self.source.inputs());
        let parts = self.on_threads(&shards, |_, shard| self.read_shard(folder, pool, shard, (&preparation, sites)))?;
        Ok(parts.into_iter().flatten().collect())
    }

    /// Does the work for each item on plain threads, which leave the pool's to those who share out what is inside an
    /// item. Results come in the order of the items; the first error ends it.
    fn on_threads<I: Sync, T: Send>(
        &self,
        items: &[I],
        work: impl Fn(usize, &I) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::new());
        let failed = Mutex::new(None);
        std::thread::scope(|scope| {
            for _ in 0..self.options.threads.min(items.len()) {
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
        pool: &rayon::ThreadPool,
        shard: &super::work::Shard,
        (preparation, sites): (&Preparation, Option<&Templates>),
    ) -> Result<Vec<WorkPart>> {
        let mut parts = finished_parts(folder, shard)?;
        for part in &parts {
            self.control.count(part.note.documents, part.note.failures);
        }
        let from = parts.last().map_or(Position { input: shard.inputs.start, record: 0 }, |part| part.note.next);
        let done = if parts.last().is_some_and(|part| part.note.last) { shard.inputs.end } else { from.input };
        (shard.inputs.start..done).for_each(|input| self.source.count_as_read(input));
        if done == shard.inputs.end {
            return Ok(parts);
        }
        let number = |parts: &[WorkPart]| parts.len() as u32;
        let mut part = PartWriter::new(folder, shard.number, number(&parts), from, self.options.checkpoint_bytes);
        run_in_order(
            &self.source,
            shard.inputs.clone(),
            from,
            pool,
            &self.control,
            |position, item| Ready::new(preparation.prepare_in_site(position, item, sites)),
            |position, ready| {
                let ready = ready?;
                self.control.count(u64::from(ready.document.is_some()), u64::from(ready.failure.is_some()));
                part.add(position, ready)?;
                if part.is_full() {
                    let next = Position { record: position.record + 1, ..position };
                    let following =
                        PartWriter::new(folder, shard.number, number(&parts) + 1, next, self.options.checkpoint_bytes);
                    parts.push(std::mem::replace(&mut part, following).finish(false)?);
                }
                Ok(())
            },
        )?;
        parts.push(part.finish(true)?);
        Ok(parts)
    }

    fn exact_duplicates(&self, folder: &Folder) -> ExactDuplicates {
        let share = self.options.memory / (self.options.threads as u64 + 1);
        ExactDuplicates { memory: share as usize, temporary: folder.work("") }
    }

    /// Phase 2: what the whole collection teaches.
    fn learn(&self, folder: &Folder, pool: &rayon::ThreadPool, parts: &[WorkPart]) -> Result<FirstCopies> {
        self.begin(Phase::Learn, parts.iter().map(|part| part.note.text_bytes).sum());
        let pass = self.exact_duplicates(folder);
        // As many pieces of evidence as threads, each with its share of the memory.
        let pieces = Mutex::new(Vec::new());
        pool.install(|| {
            parts.par_iter().try_for_each(|part| {
                let mut evidence = lock(&pieces).pop().unwrap_or_else(|| pass.partial());
                self.read_work_part(folder, part, |document| pass.observe(&document, &mut evidence))?;
                lock(&pieces).push(evidence);
                Ok::<(), Error>(())
            })
        })?;
        let mut evidence = pass.partial();
        for piece in std::mem::take(&mut *lock(&pieces)) {
            pass.merge(&mut evidence, piece)?;
        }
        pass.conclude(evidence)
    }

    fn read_work_part(
        &self,
        folder: &Folder,
        part: &WorkPart,
        mut each: impl FnMut(Document) -> Result<()>,
    ) -> Result<()> {
        if part.note.documents == 0 {
            return Ok(());
        }
        read_part(&folder.work(&part.file_name()), |document| {
            if self.control.stopped() {
                return Err(Error::Interrupted);
            }
            self.done.fetch_add(document.text().len() as u64, Ordering::Relaxed);
            each(document)
        })
    }

    /// Phase 3: work parts to final parts, several at a time.
    fn write(
        &self,
        folder: &Folder,
        pool: &rayon::ThreadPool,
        parts: &[WorkPart],
        finding: &FirstCopies,
    ) -> Result<Vec<FinalNote>> {
        self.begin(Phase::Write, parts.iter().map(|part| part.note.text_bytes).sum());
        let pass = self.exact_duplicates(folder);
        let groups = group(parts, self.options.part_bytes);
        self.on_threads(&groups, |number, group| self.write_part(folder, pool, number, group, &pass, finding))
    }

    fn write_part(
        &self,
        folder: &Folder,
        pool: &rayon::ThreadPool,
        number: usize,
        group: &[WorkPart],
        pass: &ExactDuplicates,
        finding: &FirstCopies,
    ) -> Result<FinalNote> {
        let note_path = folder.work(&format!("final-{number:05}.json"));
        if let Some(note) = read_json(&note_path)? {
            self.done.fetch_add(group.iter().map(|part| part.note.text_bytes).sum(), Ordering::Relaxed);
            return Ok(note);
        }
        let name = self.options.part_name(number);
        let output = Output::file(&folder.path(&name))?;
        let mut writer = write::open(output, self.options.format, self.options.packing, self.options.write)?;
        let removed_name = Folder::removed(&format!("part-{number:05}.jsonl.zst"));
        let mut removed = match self.options.removed {
            true => Some(
                Compression::of_path(Path::new(&removed_name)).compress(Output::file(&folder.path(&removed_name))?)?,
            ),
            false => None,
        };
        let mut statistics = Statistics::default();
        let (mut documents, mut cut) = (0, 0);
        // One part may be all there is: its documents are looked at on all threads, and written in their order.
        let look = |(line, path): (Vec<u8>, &Path)| {
            let mut document = read_document(&line, path)?;
            if let Some(reason) = pass.mark(&document, finding)? {
                document.mark_all(Label::Duplicate, ExactDuplicates::NAME, reason);
            }
            let mut own = Statistics::default();
            own.add(&document);
            let marked =
                self.options.removed.then(|| removed_lines(&document, self.options.write.offsets)).transpose()?;
            Ok::<_, Error>((document, own, marked))
        };
        let paths: Vec<_> = group.iter().map(|part| folder.work(&part.file_name())).collect();
        let read = |send: &mut dyn FnMut(_) -> ControlFlow<()>| {
            let mut all = paths.iter();
            all.try_for_each(|path| {
                read_lines(path, &mut |lines| send(lines.into_iter().map(|line| (line, &**path)).collect()))
            })
        };
        in_stages(pool, read, look, |looked| {
            if self.control.stopped() {
                return Err(Error::Interrupted);
            }
            let (document, own, marked) = looked?;
            self.done.fetch_add(document.text().len() as u64, Ordering::Relaxed);
            statistics.merge(&own);
            if let (Some(removed), Some(lines)) = (&mut removed, marked) {
                cut += u64::from(!document.marks.is_empty());
                removed.put(&lines)?;
            }
            if self.options.write.keep_marked || !document.is_removed() {
                documents += 1;
                writer.write(&document)?;
            }
            Ok(())
        })?;
        let removed = match removed {
            Some(removed) => Some(Part { path: removed_name, documents: cut, written: removed.finish()? }),
            None => None,
        };
        let note = FinalNote { part: Part { path: name, documents, written: writer.finish()? }, removed, statistics };
        write_json(&note_path, &note)?;
        Ok(note)
    }

    /// The end: figures, errors, manifest.
    fn complete(
        &self,
        folder: &Folder,
        record: RunRecord,
        parts: &[WorkPart],
        finals: Vec<FinalNote>,
    ) -> Result<Manifest> {
        let mut statistics = Statistics::default();
        let mut errors = folder.errors()?;
        for failure in &self.early_failures {
            write_failure(&mut errors, failure)?;
        }
        statistics.failures = self.early_failures.len() as u64;
        for part in parts {
            if part.note.failures > 0 {
                let path = folder.work(&part.errors_name());
                std::fs::File::open(&path).and_then(|mut file| std::io::copy(&mut file, &mut errors)).at(&path)?;
                statistics.failures += part.note.failures;
            }
            for (reason, count) in &part.note.skipped {
                *statistics.skipped.entry(reason.clone()).or_default() += count;
            }
        }
        for note in &finals {
            statistics.merge(&note.statistics);
        }
        let manifest = Manifest {
            refrain: record.refrain,
            inputs: record.inputs,
            options: record.options,
            removed: finals.iter().filter_map(|note| note.removed.clone()).collect(),
            parts: finals.into_iter().map(|note| note.part).collect(),
            statistics,
        };
        errors.finish()?;
        folder.complete(&manifest)?;
        Ok(manifest)
    }
}

/// A web page that has an address, and its host.
fn page_of_site(position: Position, item: Item) -> Option<(String, String)> {
    let Item::Document(raw) = item else { return None };
    // Office documents are no pages, and take long to open.
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

/// The note that makes a final part count.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct FinalNote {
    part: Part,
    removed: Option<Part>,
    statistics: Statistics,
}

/// Consecutive work parts that make one final part.
fn group(parts: &[WorkPart], bytes: u64) -> Vec<Vec<WorkPart>> {
    let mut groups: Vec<Vec<WorkPart>> = Vec::new();
    let mut size = u64::MAX;
    for part in parts.iter().filter(|part| part.note.documents > 0) {
        if size >= bytes {
            groups.push(Vec::new());
            size = 0;
        }
        size = size.saturating_add(part.note.text_bytes);
        if let Some(group) = groups.last_mut() {
            group.push(part.clone());
        }
    }
    groups
}
