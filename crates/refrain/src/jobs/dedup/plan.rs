//! What a run will take, from a sample of its inputs.

#![allow(clippy::cast_sign_loss)] // sizes and counts are not negative

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Serialize;

use super::passes::Passes;
use super::work::WorkFolder;
use super::{Dedup, DedupReport, Known};
use crate::dedup::{DedupOptions, Process, Signature, Task, Volume, WORDS_OF_COMMON, bytes_of_evidence};
use crate::disk::platform::{cpu_seconds, resident_memory, size_of_pages};
use crate::document::Position;
use crate::error::{Error, IoContext, Result};
use crate::flow::each_document_of;
use crate::jobs::input::Input;
use crate::jobs::outputs::Outputs;
use crate::prepare::Preparation;
use crate::run::{Event, Observer, Run};
use crate::source::{Collection, InputFile, Sample};
use crate::stats::thousands;

/// What [`Dedup::run`] will take, estimated by [`Dedup::plan`].
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DedupPlan {
    /// Bytes of the inputs, and of the parts of them that were read.
    pub input_bytes: u64,
    /// The parts of the inputs that were read.
    pub sampled_bytes: u64,
    /// Documents.
    pub documents: u64,
    /// Words.
    pub words: u64,
    /// The memory that the process needs at its peak, in bytes.
    pub peak_memory: u64,
    /// The temporary files at their peak, in bytes.
    pub temporary_disk: u64,
    /// Bytes of the documents that are written.
    pub output: u64,
    /// The same if nothing occurs in several of the parts that were not read.
    pub output_at_most: u64,
    /// Time, in seconds.
    pub seconds: f64,
    /// The time of all cores together, if the system states it.
    pub cpu_seconds: Option<f64>,
    /// The share by which words, and with them disk and output, can differ, because only a sample was read.
    pub spread: f64,
    /// Bytes of the text of the largest document that was read, or of the largest input that is one document.
    pub largest_document: u64,
    /// The memory limit that the run needs, if it was given less.
    pub memory_needed: Option<u64>,
    /// Inputs of which only the beginning was read.
    pub beginnings: u32,
}

/// The sample: its share of the inputs, the number of its parts, and its bytes.
const SHARE: u64 = 4;
const PARTS: u64 = 32;
const LEAST_BYTES: u64 = 8 << 20;
const MOST_BYTES: u64 = 48 << 20;
/// About how much memory a large document takes while it is processed, as a multiple of its text.
const DOCUMENT_FACTOR: u64 = 12;
/// From this size on, a document is in work alone. So many are for each thread: three wait for each of two stages, and one is processed.
const LARGE: u64 = 256 << 10;
const IN_WORK: u64 = 7;
/// About how much memory each of them takes, as a multiple of its text.
const LARGE_FACTOR: u64 = 8;
/// The share by which time and memory differ between two runs.
const NOISE: f64 = 0.1;
/// The time between two looks at the memory.
const LOOK: Duration = Duration::from_millis(5);
/// When there is twice as much earlier text, so many more whole documents have something in it to be compared with.
const GROWTH: f64 = 0.1;
/// The middle of the second half of a sample.
const MIDDLE: f64 = 0.75;
/// The names of phases.
const LEARN: &str = "learn";
const FIND: &str = "find";
/// One hash in this many is counted to estimate repetition.
const HASHES: u64 = 16;
/// Hashes in more parts than this are frequent enough to need no estimate.
const FREQUENT: usize = 16;

impl Dedup {
    /// Estimates what [`run`](Dedup::run) with the same arguments will take, or [`run_against`](Dedup::run_against). It reads a
    /// sample of the inputs, runs the job on it, and deletes everything that was written. Inputs of less than 8 MiB are
    /// read whole.
    ///
    /// ```
    /// use refrain::{Dedup, Document, Input, Outputs, Run};
    ///
    /// let input = Input::documents([Document::from_text("a", "The keeper lit the lamp at dusk.")]);
    /// let plan = Dedup::default().plan(&input, None, &Outputs::none(), &Run::default())?;
    /// assert_eq!((plan.documents, plan.words), (1, 7));
    /// # Ok::<(), refrain::Error>(())
    /// ```
    pub fn plan(&self, input: &Input, against: Option<&Input>, outputs: &Outputs, run: &Run) -> Result<DedupPlan> {
        self.check(outputs)?;
        let known = against.map(|against| self.open_against(against, outputs)).transpose()?.unwrap_or_default();
        let Known { evidence, source: known, .. } = known;
        let (source, _) = input.open(&self.read, outputs)?;
        if source.inputs().iter().any(InputFile::is_stdin) {
            let error = Error::Refused("standard input can be read only once, so there is no sample of it".into());
            return Err(error.hint("name a file".into()));
        }
        let sources = || [known.as_ref(), Some(&source)].into_iter().flatten();
        let inputs: Vec<&InputFile> = sources().flat_map(|source| source.inputs().iter()).collect();
        let options = self.options(&inputs, &evidence, outputs, run);
        let total: u64 = sources().map(|source| source.inputs().total_size()).sum();
        // What is compressed is more text than it is bytes.
        let expansion = (options.expected as f64 / total.max(1) as f64).max(1.0);
        let bytes = (total / SHARE).clamp(LEAST_BYTES, MOST_BYTES) as f64 / expansion;
        let share = (bytes / total.max(1) as f64).min(1.0);
        let sample = |parts: u64, share: f64| {
            let of = |source: &Collection| {
                let size = source.inputs().total_size();
                source.sample(parts, (size as f64 * share).ceil() as u64)
            };
            (known.as_ref().map(of), of(&source))
        };
        let folder = run.temporary();
        let folder = tempfile::Builder::new().prefix("refrain-plan-").tempdir_in(&folder).at(&folder)?;
        let run_sample = |(known, source): (Option<Sample>, Sample)| {
            let collections = (known.map(|known| known.collection), source.collection);
            self.run_sample(&options, collections, outputs, folder.path(), run)
        };
        // First of all, so that the memory of nothing else counts.
        let drawn = sample(PARTS, share);
        let (beginnings, largest) = (drawn.1.beginnings, drawn.1.largest);
        let whole = run_sample(drawn)?;
        let page = size_of_pages();
        let mut survey = Survey::default();
        let workers = run.start()?;
        let drawn = sample(PARTS, share);
        for source in drawn.0.iter().chain([&drawn.1]) {
            survey.read(&source.collection, &options, &workers)?;
        }
        // How much more a larger sample removes than a smaller one shows how that grows.
        let removes = share < 1.0 && options.task != Task::Count;
        let half = if removes { Some(run_sample(sample(PARTS / 2, share / 2.0))?) } else { None };

        let factor = total as f64 / survey.bytes().max(1) as f64;
        let saved: u64 = evidence.iter().map(|folder| bytes_of_evidence(folder) / WORD).sum();
        let half = half.as_ref().map(|half| &half.report);
        let estimate = Estimate { survey: &survey, report: &whole.report, half, factor, saved };
        let volume = estimate.volume();
        let is_kept = outputs.path().is_some() && !input.names().is_empty();
        let process = Process { threads: workers.threads(), is_saved: is_kept && volume.text >= self.checkpoint, page };
        let needs = options.needs(&volume, process);
        let of_sample = options.needs(&survey.volume(), Process { is_saved: false, ..process });
        let unread = largest.saturating_sub(survey.largest) * DOCUMENT_FACTOR;
        // Large documents are few in a sample, and many may be in work.
        let mean = volume.text / volume.documents.max(1);
        let in_work = |documents: u64| match mean >= LARGE {
            true => documents.min(IN_WORK * workers.threads() as u64) * mean * LARGE_FACTOR,
            false => 0,
        };
        let unread = unread + in_work(volume.documents).saturating_sub(in_work(survey.total().documents));
        let peak = |phase: &Phase| {
            let at = match phase.name {
                LEARN => 0,
                FIND => 1,
                _ => 2,
            };
            phase.memory.saturating_sub(of_sample.memory[at]).max(LEAST_MEMORY) + needs.memory[at] + unread
        };
        let peak_memory = whole.phases.iter().map(peak).max().unwrap_or(LEAST_MEMORY);
        // Saved words are neither read as text nor written.
        let with_saved = 1.0 + saved as f64 / (survey.total().words as f64 * factor).max(1.0);
        let common = |words: u64| words.clamp(1, WORDS_OF_COMMON) as f64;
        let common = common(volume.words) / common(survey.total().words);
        let growth = match options.task {
            Task::Documents => Some(GROWTH),
            Task::Blocks => Some(0.0),
            Task::Count | Task::Exact(..) => None,
        };
        let grown = |of: fn(&Moment) -> f64| {
            let phases = whole.phases.iter().map(|phase| phase.grown(factor, common, growth, of));
            rounded(phases.sum::<f64>() * with_saved)
        };
        let kept = estimate.kept();
        Ok(DedupPlan {
            input_bytes: total,
            sampled_bytes: survey.bytes(),
            documents: volume.documents,
            words: volume.words,
            peak_memory,
            temporary_disk: needs.disk,
            output: (whole.written as f64 * factor * kept) as u64,
            output_at_most: (whole.written as f64 * factor * kept.max(1.0)) as u64,
            seconds: grown(|moment| moment.seconds),
            cpu_seconds: cpu_seconds().map(|_| grown(|moment| moment.cpu)),
            spread: if factor > 1.0 { rounded(survey.spread()) } else { 0.0 },
            largest_document: survey.largest.max(largest),
            memory_needed: Some(needs.least.next_multiple_of(1 << 20)).filter(|least| *least > options.memory),
            beginnings,
        })
    }

    /// Runs the job on a sample of what is compared with, and of the documents, and deletes what it wrote.
    fn run_sample(
        &self,
        options: &DedupOptions,
        (against, source): (Option<Collection>, Collection),
        outputs: &Outputs,
        folder: &Path,
        run: &Run,
    ) -> Result<SampleRun> {
        let folder = tempfile::Builder::new().tempdir_in(folder).at(folder)?;
        let outputs = outputs.moved_to(folder.path()).with_evidence();
        let watch = Watch::default();
        let watching = watch.clone();
        let observer = run.observer.clone();
        let observer = Observer::new(move |event| {
            let Event::Progress { phase, done, total, .. } = *event;
            watching.see(phase, done as f64 / total.max(1) as f64);
            observer.send(event);
        });
        let watched = Run { observer, temporary: Some(folder.path().to_owned()), ..run.clone() };
        let workers = watched.start()?;
        let passes = Passes {
            job: &Dedup { alarm: None, ..self.clone() },
            options: options.clone(),
            evidence: Vec::new(),
            against,
            source,
            outputs: &outputs,
            workers: &workers,
            work: WorkFolder::open(None, None, Some(folder.path()))?,
        };
        let report = passes.run(Vec::new())?;
        Ok(SampleRun { report, phases: watch.finish(), written: written(&outputs) })
    }
}

/// What a run on a sample took.
struct SampleRun {
    report: DedupReport,
    phases: Vec<Phase>,
    /// Bytes of the output.
    written: u64,
}

/// Bytes of a word in saved evidence.
const WORD: u64 = 6;
/// The memory of a process that has done nothing yet.
const LEAST_MEMORY: u64 = 12 << 20;

fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

/// The figures of a part of a sample.
#[derive(Debug, Clone, Copy, Default)]
struct Figures {
    bytes: u64,
    volume: Volume,
}

/// A sample in figures.
#[derive(Default)]
struct Survey {
    parts: Vec<Figures>,
    /// Bytes of the text of the largest document.
    largest: u64,
    /// Some of the hashes: the last part with one, how many parts have it, and how often it occurs.
    hashes: HashMap<u64, (u32, u32, u64)>,
}

impl Survey {
    fn read(&mut self, source: &Collection, options: &DedupOptions, workers: &crate::run::Workers) -> Result<()> {
        let preparation = Preparation::default();
        let first = self.parts.len();
        let sizes = source.inputs().iter().map(|input| input.size.unwrap_or_default());
        self.parts.extend(sizes.map(|bytes| Figures { bytes, ..Figures::default() }));
        source.rewind();
        workers.begin("sample", source.inputs().total_size());
        each_document_of(
            workers,
            source,
            0..source.inputs().len(),
            Position::default(),
            |position, item| {
                let document = preparation.prepare(position, item).document?;
                let signature = Signature::of(&document, options);
                let volume = Volume {
                    documents: 1,
                    words: signature.words.len() as u64,
                    ngrams: signature.ngrams.len() as u64,
                    digests: signature.digests.len() as u64,
                    ids: document.id.len() as u64,
                    text: document.text().len() as u64,
                    ..Volume::default()
                };
                Some((volume, hashes(&signature)))
            },
            |position, read| {
                let Some((volume, hashes)) = read else { return Ok(()) };
                let part = first + position.input as usize;
                self.parts[part].volume += volume;
                self.largest = self.largest.max(volume.text);
                for hash in hashes {
                    let (last, parts, times) = self.hashes.entry(hash).or_insert((u32::MAX, 0, 0));
                    *parts += u32::from(*last != part as u32);
                    *last = part as u32;
                    *times += 1;
                }
                Ok(())
            },
        )
    }

    fn bytes(&self) -> u64 {
        self.parts.iter().map(|part| part.bytes).sum()
    }

    fn total(&self) -> Volume {
        let mut total = Volume::default();
        self.parts.iter().for_each(|part| total += part.volume);
        total
    }

    fn volume(&self) -> Volume {
        let duplicate = self.hashes.values().filter(|(.., times)| *times > 1).count() as u64 * HASHES;
        Volume { duplicate, most: self.most(), ..self.total() }
    }

    fn most(&self) -> u64 {
        self.hashes.values().map(|(.., times)| *times).max().unwrap_or_default()
    }

    /// Twice the standard error of the words of a byte, as a share: what a sample of parts can miss.
    fn spread(&self) -> f64 {
        let (count, bytes, words) = (self.parts.len() as f64, self.bytes() as f64, self.total().words as f64);
        if count < 2.0 || words == 0.0 {
            return 1.0;
        }
        let left = |part: &Figures| part.volume.words as f64 - words / bytes * part.bytes as f64;
        let squares: f64 = self.parts.iter().map(|part| left(part).powi(2)).sum();
        2.0 * (squares * count / (count - 1.0)).sqrt() / words
    }
}

/// Some of the hashes by which a document is compared.
fn hashes(signature: &Signature) -> Vec<u64> {
    let all = || signature.ngrams.iter().copied().chain(signature.digests.iter().map(|digest| (digest >> 64) as u64));
    let anchors = || signature.anchors.iter().map(|(_, hash)| *hash);
    // An n-gram needs all bits of its hash; those of an anchor end with zeros.
    let chosen = |hash: &u64| hash.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 60 == 0;
    match signature.ngrams.is_empty() && signature.digests.is_empty() {
        true => anchors().filter(chosen).collect(),
        false => all().filter(chosen).collect(),
    }
}

/// What a sample says about the whole.
struct Estimate<'a> {
    survey: &'a Survey,
    report: &'a DedupReport,
    /// The report of a sample of half that size.
    half: Option<&'a DedupReport>,
    /// How much larger the whole is.
    factor: f64,
    /// Words that are known from an earlier run.
    saved: u64,
}

impl Estimate<'_> {
    fn volume(&self) -> Volume {
        let total = self.survey.total();
        let grown = |count: u64| (count as f64 * self.factor) as u64;
        let saved = |count: u64| if count > 0 { grown(count) + self.saved } else { 0 };
        Volume {
            documents: grown(total.documents),
            words: saved(total.words),
            ngrams: saved(total.ngrams),
            digests: grown(total.digests),
            ids: grown(total.ids),
            text: grown(total.text),
            duplicate: self.repetition().1 * HASHES,
            most: if self.survey.most() > 2 { grown(self.survey.most()) } else { 0 },
        }
    }

    /// The share of all sampled hashes that are repetitions, in the whole collection, and how many occur at least twice.
    ///
    /// A hash that is in `m` parts of the whole is in a part of the sample with probability `1 / factor` for each of them. How
    /// many are in one, two and more parts of the sample therefore shows how many are in how many parts of the whole.
    /// Expectation maximisation finds the likeliest numbers.
    fn repetition(&self) -> (f64, u64) {
        let share = 1.0 / self.factor;
        let (mut times, mut within, mut spectrum) = (0.0, 0.0, vec![0.0; FREQUENT + 1]);
        let (mut distinct, mut in_parts, mut twice) = (0.0, 0.0, 0.0);
        for (_, parts, count) in self.survey.hashes.values() {
            times += *count as f64;
            within += f64::from(*parts);
            match spectrum.get_mut(*parts as usize) {
                Some(hashes) => *hashes += 1.0,
                None => {
                    distinct += 1.0;
                    twice += 1.0;
                    in_parts += f64::from(*parts) * self.factor;
                }
            }
            // Repetition inside a part grows with the parts.
            if *parts == 1 && *count > 1 {
                twice += self.factor;
            }
        }
        if times == 0.0 {
            return (0.0, 0);
        }
        // In how many parts of the whole a hash may be.
        let most = (FREQUENT as f64 * 2.0 * self.factor).ceil();
        let sizes: Vec<f64> = std::iter::successors(Some(1.0_f64), |size| Some((size * 1.3).ceil().max(size + 1.0)))
            .take_while(|size| *size <= most)
            .collect();
        let chance: Vec<Vec<f64>> = sizes.iter().map(|size| chances(*size, share)).collect();
        let seen: Vec<f64> = chance.iter().map(|of| of[1..].iter().sum::<f64>().max(1e-12)).collect();
        let all: f64 = spectrum[1..].iter().sum();
        let mut weights = vec![1.0 / sizes.len() as f64; sizes.len()];
        for _ in 0..ROUNDS {
            let mut next = vec![0.0; sizes.len()];
            for (parts, hashes) in spectrum.iter().enumerate().skip(1).filter(|(_, hashes)| **hashes > 0.0) {
                let likely: Vec<f64> = (0..sizes.len()).map(|at| weights[at] * chance[at][parts] / seen[at]).collect();
                let sum: f64 = likely.iter().sum::<f64>().max(1e-300);
                next.iter_mut().zip(likely).for_each(|(next, likely)| *next += hashes * likely / sum);
            }
            for weight in &mut next {
                *weight /= all.max(1.0);
            }
            weights = next;
        }
        for ((size, weight), seen) in sizes.iter().zip(weights).zip(seen) {
            let hashes = all * weight / seen;
            distinct += hashes;
            in_parts += hashes * size;
            twice += if *size > 1.0 { hashes } else { 0.0 };
        }
        // What is repeated inside a part, and what then is in several parts.
        let kept = (within / times) * (distinct / in_parts.max(1.0));
        (1.0 - kept.min(1.0), twice as u64)
    }

    /// How much of the share of words that the sample keeps the whole will keep.
    fn kept(&self) -> f64 {
        let (mut times, mut distinct) = (0, 0);
        for (.., count) in self.survey.hashes.values() {
            (times, distinct) = (times + count, distinct + 1);
        }
        if times == 0 || self.factor <= 1.0 || self.report.words == 0 {
            return 1.0;
        }
        let share = |report: &DedupReport| report.words_kept as f64 / report.words.max(1) as f64;
        if let Some(before) = self.half.map(share) {
            let now = share(self.report);
            // Of text that has the wording of many documents, the more is kept the more documents there are.
            if now > 0.0 && now >= before {
                return (now + (now - before) * self.factor.log2()).min(1.0) / now;
            }
        }
        let here = 1.0 - f64::from(distinct) / times as f64;
        let there = self.repetition().0.max(here);
        let removed = 1.0 - self.report.words_kept as f64 / self.report.words as f64;
        // Of repeated words, as many are removed as in the sample.
        let rate = if here > 0.005 { (removed / here).min(1.0) } else { 1.0 };
        ((1.0 - (removed + (there - here) * rate).min(1.0)) / (1.0 - removed).max(0.001)).clamp(0.0, 1.0)
    }
}

/// Rounds of expectation maximisation.
const ROUNDS: usize = 300;

/// The chances that of `size` parts with a hash, each of which is sampled with the same chance, 0, 1, 2, ... are.
fn chances(size: f64, share: f64) -> Vec<f64> {
    let mut chance = (size * (1.0 - share).max(1e-12).ln()).exp();
    let mut all = vec![chance];
    for sampled in 1..=FREQUENT {
        chance *= (size - sampled as f64 + 1.0).max(0.0) / sampled as f64 * share / (1.0 - share).max(1e-12);
        all.push(chance);
    }
    all
}

/// The bytes of the main output.
fn written(outputs: &Outputs) -> u64 {
    let Some(path) = outputs.main().as_path() else { return 0 };
    let size = |path: &std::path::Path| fs::metadata(path).map_or(0, |meta| meta.len());
    match fs::read_dir(path) {
        Ok(entries) => {
            entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file()).map(|path| size(&path)).sum()
        }
        Err(_) => size(path),
    }
}

/// Watches the phases of a run.
#[derive(Clone, Default)]
struct Watch(Arc<Mutex<Vec<Phase>>>);

/// A phase of a run on a sample.
struct Phase {
    name: &'static str,
    memory: u64,
    moments: Vec<Moment>,
    began: Instant,
    looked: Instant,
}

/// A moment of a phase, and what the run took until then.
#[derive(Debug, Clone, Copy)]
struct Moment {
    /// The share of the phase that is done.
    done: f64,
    seconds: f64,
    cpu: f64,
}

impl Watch {
    fn see(&self, name: &'static str, done: f64) {
        let mut phases = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let is_same = phases.last().is_some_and(|phase| phase.name == name);
        if !is_same {
            if let Some(last) = phases.last_mut() {
                last.look(now, 1.0);
            }
            phases.push(Phase { name, memory: 0, moments: Vec::new(), began: now, looked: now });
        }
        if let Some(phase) = phases.last_mut()
            && (phase.moments.len() < 2 || now.duration_since(phase.looked) >= LOOK)
        {
            phase.look(now, done.min(1.0));
        }
    }

    /// The phases of the run, which has ended.
    fn finish(&self) -> Vec<Phase> {
        let mut phases = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        if let Some(last) = phases.last_mut() {
            last.look(Instant::now(), 1.0);
        }
        phases
    }
}

impl Phase {
    fn look(&mut self, now: Instant, done: f64) {
        let seconds = self.began.elapsed().as_secs_f64();
        self.looked = now;
        self.memory = self.memory.max(resident_memory().unwrap_or_default());
        self.moments.push(Moment { done, seconds, cpu: cpu_seconds().unwrap_or_default() });
    }

    /// What the phase takes in a collection that is larger by a factor: for each byte of the rest as much as in the second half
    /// of the sample. Where documents are compared with earlier text, it takes more by `growth` whenever there is twice as much of that.
    /// `common` is how many more words are counted to find common ones.
    fn grown(&self, factor: f64, common: f64, growth: Option<f64>, of: fn(&Moment) -> f64) -> f64 {
        let [Some(first), Some(last)] = [self.moments.first(), self.moments.last()] else { return 0.0 };
        let all = of(last) - of(first);
        if self.name == FIND {
            // Common words come first; their number is limited.
            let before = self.moments.get(1).map_or(0.0, of) - of(first);
            return before * common + (all - before) * factor;
        }
        let middle = self.moments.iter().find(|moment| moment.done >= 0.5);
        let middle = middle.filter(|moment| moment.done <= MIDDLE).unwrap_or(first);
        let growth = growth.filter(|_| self.name != LEARN);
        // What is read is not processed yet: so much of it is in work when everything was read. Comparisons take more than that.
        let read = self.moments.iter().find(|moment| moment.done >= 1.0).unwrap_or(last);
        let in_work = ((of(last) - of(read)) / all.max(f64::MIN_POSITIVE)).clamp(0.0, middle.done);
        let lag = if growth.is_some() { 0.0 } else { in_work };
        let rate = (of(last) - of(middle)) / (1.0 - middle.done + lag).max(0.1);
        let growth = growth.unwrap_or_default();
        // The integral of 1 + growth * log2(x / MIDDLE).
        let integral = |x: f64| x + growth * (x * (x / MIDDLE).log2() - x / std::f64::consts::LN_2);
        all + rate * (integral(factor) - integral(1.0))
    }
}

impl fmt::Display for DedupPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let read = self.sampled_bytes as f64 * 100.0 / self.input_bytes.max(1) as f64;
        let spread = |share: f64| format!("± {:.0} %", (share * 100.0).ceil());
        writeln!(f, "{:<20}{:>16}", "input", size(self.input_bytes))?;
        writeln!(f, "{:<20}{:>16}  {read:.1} % of the input", "sample", size(self.sampled_bytes))?;
        writeln!(f, "{:<20}{:>16}  {}", "documents", thousands(self.documents), spread(self.spread))?;
        writeln!(f, "{:<20}{:>16}  {}", "words", thousands(self.words), spread(self.spread))?;
        let noisy = spread(self.spread.hypot(NOISE));
        writeln!(f, "{:<20}{:>16}  {noisy}", "peak memory", size(self.peak_memory))?;
        writeln!(f, "{:<20}{:>16}  {}", "temporary disk", size(self.temporary_disk), spread(self.spread))?;
        writeln!(f, "{:<20}{:>16}  at most {}", "output", size(self.output), size(self.output_at_most))?;
        writeln!(f, "{:<20}{:>16.1}  {noisy}", "seconds", self.seconds)?;
        let document = self.largest_document;
        writeln!(
            f,
            "the largest document in the sample has {}; refrain needs about {} of memory while it processes it",
            size(document),
            size(document * DOCUMENT_FACTOR)
        )?;
        if let Some(needed) = self.memory_needed {
            writeln!(f, "the memory limit is too low for this collection: the run needs at least {}", size(needed))?;
        }
        match self.beginnings {
            0 => Ok(()),
            1 => writeln!(f, "the sample holds only the beginning of 1 input, which cannot be read from the middle"),
            more => writeln!(
                f,
                "the sample holds only the beginnings of {more} inputs, which cannot be read from the middle"
            ),
        }
    }
}

/// A size for people.
fn size(bytes: u64) -> String {
    let (mut value, mut unit) = (bytes as f64, 0);
    while value >= 999.5 && unit + 1 < UNITS.len() {
        (value, unit) = (value / 1000.0, unit + 1);
    }
    match unit {
        0 => format!("{bytes} B"),
        _ if value < 9.95 => format!("{value:.1} {}", UNITS[unit]),
        _ => format!("{value:.0} {}", UNITS[unit]),
    }
}

const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
