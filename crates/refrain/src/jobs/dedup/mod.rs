//! `dedup`: text that occurs in earlier documents.

mod explain;
mod files;
mod keep;
mod passes;
mod plan;
mod report;
mod work;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use self::passes::Passes;
use self::work::WorkFolder;
use super::input::Input;
use super::outputs::{CLUSTERS, ERRORS, EXPLAIN, LOST, Outputs, PAGE, REMOVED, REPORT, SAVE, is_folder};
use crate::dedup::{
    DedupOptions, DocumentRule, Engine, Measure, Normalise, Task, Unit, bytes_of_evidence, is_evidence,
    refuse_unfinished,
};
use crate::error::{Error, Failure, Hint, Result};
use crate::run::Run;
use crate::source::{self, Collection, ReadOptions};
use crate::text::Offsets;

pub(super) use files::LostPassage;
pub(super) use keep::Cluster;
pub use keep::Keep;
pub use plan::DedupPlan;
pub use report::{DedupCounts, DedupReport, NgramReport, RepeatedPassage, Totals};

/// Removes text that occurs in earlier documents: blocks that are copies, or whole documents that resemble another one.
///
/// Documents are read twice: first to learn what repeats, then to mark it. A run that writes files and is killed or
/// interrupted resumes when it is run again, and ends with the same bytes.
///
/// Besides the documents, it writes the lists `removed`, `errors`, `report` and `explain` (both sides of each removal, for people).
/// `page` shows the first of them as a web page. For blocks, it also writes `lost`: passages that no longer occur anywhere. For
/// documents, it also writes `clusters`. `save` is a folder of evidence that a later run can be compared
/// [against](Dedup::run_against).
///
/// ```
/// use refrain::{Dedup, Document, Input, Outputs, Run, Unit};
///
/// let text = "The keeper lit the lamp at dusk, and again when the fog came in.";
/// let (outputs, results) = Outputs::memory();
/// let input = Input::documents([Document::from_text("a", text), Document::from_text("b", text)]);
/// let report = Dedup { unit: Unit::Document, ..Dedup::default() }.run(&input, outputs, &Run::default())?;
/// assert_eq!((report.documents, report.documents_kept), (2, 1));
/// assert_eq!(results.documents()[0].id, "a");
/// # Ok::<(), refrain::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools)] // options, each on its own
pub struct Dedup {
    /// How inputs are read.
    pub read: ReadOptions,
    /// The unit to remove: blocks, or whole documents.
    pub unit: Unit,
    /// Whole documents: the share of the own text of a document that an earlier one must contain. Wording that many documents
    /// share does not count.
    pub contained: f64,
    /// Whole documents: compare them as published instead, by how much their word 5-grams resemble each other.
    pub resemblance: Option<f64>,
    /// Whole documents: how resemblance is measured.
    pub measure: Measure,
    /// Whole documents: which one of those that resemble each other is kept.
    pub keep: Keep,
    /// Remove only what is equal as a whole, and what must be equal.
    pub exact: Option<Normalise>,
    /// Only count n-grams. Nothing is written but the list `errors`.
    pub count_only: bool,
    /// Number of words in an n-gram.
    pub ngram: usize,
    /// A block is a duplicate if a larger share of its words occurred before.
    pub threshold: f64,
    /// Blocks of fewer words between two duplicates are removed with them.
    pub stub: usize,
    /// Compare n-grams only. This misses heavily edited copies, and removes near-duplicates that differ only in names or
    /// numbers.
    pub intact: bool,
    /// Also remove blocks with the wording of many documents that say something else: with other names, numbers or words.
    pub template_text: bool,
    /// How repeated n-grams are found. The result is the same.
    pub engine: Engine,
    /// Number ids that occur more than once: `id`, `id#2`, `id#3`.
    pub make_ids: bool,
    /// Keep duplicates, with their marks.
    pub keep_marked: bool,
    /// The unit of offsets in files.
    pub offsets: Offsets,
    /// Bytes of text in each part, where the output is a folder.
    pub part_size: u64,
    /// Bytes of text between two checkpoints: what a killed run repeats at most.
    pub checkpoint: u64,
    /// Does not complete the output if a source, host or language loses more than this share of its words or documents. The
    /// same job with a higher limit, or none, then completes it. It is not a part of what makes two runs the same.
    pub alarm: Option<f64>,
}

impl Default for Dedup {
    fn default() -> Dedup {
        let method = DedupOptions::default();
        Dedup {
            read: ReadOptions::default(),
            unit: Unit::default(),
            contained: DocumentRule::CONTAINED,
            resemblance: None,
            measure: Measure::default(),
            keep: Keep::default(),
            exact: None,
            count_only: false,
            ngram: method.ngram,
            threshold: method.threshold,
            stub: method.stub,
            intact: !method.edited,
            template_text: method.template_text,
            engine: method.engine,
            make_ids: method.make_ids,
            keep_marked: false,
            offsets: Offsets::default(),
            part_size: 256 << 20,
            checkpoint: 1 << 30,
            alarm: None,
        }
    }
}

/// Longer blocks are not short.
const MAX_STUB: usize = 1 << 20;
/// About how much larger text is than its compressed file.
const EXPANSION: u64 = 4;

impl Dedup {
    /// The memory that a run may use unless it says otherwise.
    pub const MEMORY: u64 = DedupOptions::MEMORY;

    /// Runs the job.
    pub fn run(&self, input: &Input, outputs: Outputs, run: &Run) -> Result<DedupReport> {
        self.start(input, None, &outputs, run)
    }

    /// Runs the job, and also removes what occurs in `against`: documents that are compared with and not written. Names may
    /// be files, folders, or folders of evidence that an earlier run saved.
    ///
    /// ```
    /// use refrain::{Dedup, Document, Input, Outputs, Run};
    ///
    /// let text = "The keeper lit the lamp at dusk, and again when the fog came in.";
    /// let known = Input::documents([Document::from_text("known", text)]);
    /// let new = Input::documents([Document::from_text("a", text), Document::from_text("b", "Another text.")]);
    /// let (outputs, results) = Outputs::memory();
    /// Dedup::default().run_against(&new, &known, outputs, &Run::default())?;
    /// assert_eq!(results.documents()[0].id, "b");
    /// # Ok::<(), refrain::Error>(())
    /// ```
    pub fn run_against(&self, input: &Input, against: &Input, outputs: Outputs, run: &Run) -> Result<DedupReport> {
        self.start(input, Some(against), &outputs, run)
    }

    fn start(&self, input: &Input, against: Option<&Input>, outputs: &Outputs, run: &Run) -> Result<DedupReport> {
        self.check(outputs)?;
        let outputs = &outputs.clone().with_evidence();
        let workers = run.start()?;
        let known = against.map(|against| self.open_against(against, outputs)).transpose()?.unwrap_or_default();
        let Known { evidence, source: known, failures } = known;
        let (source, mut early, copied) = input.open_twice(&self.read, outputs, run.temporary.as_deref())?;
        early.extend(failures);
        let sources = [known.as_ref(), Some(&source)].into_iter().flatten();
        let inputs: Vec<&source::InputFile> = sources.flat_map(|source| source.inputs().iter()).collect();
        let options = self.options(&inputs, &evidence, outputs, run);
        let in_files = |input: &Input| !input.names().is_empty();
        let can_resume = copied.is_none() && in_files(input) && against.is_none_or(in_files);
        let identity = if can_resume { work::identity(self, &inputs, &evidence, outputs)? } else { None };
        let work = WorkFolder::open(outputs.path(), identity, run.temporary.as_deref())?;
        if let Some(folder) = outputs.path().filter(|path| is_folder(path) && !work.is_begun()) {
            outputs.check_folder(folder)?;
        }
        let passes = Passes { job: self, options, evidence, against: known, source, outputs, workers: &workers, work };
        let result = passes.run(early);
        match (result, passes.work.left_behind()) {
            (Err(error), Some(folder)) if !error.is_alarm() => Err(error.hint(Hint::new(format!(
                "run it again with the same options to resume, or delete {} to start again",
                folder.display()
            )))),
            (result, _) => result,
        }
    }

    fn task(&self) -> Task {
        match (self.exact, self.unit) {
            _ if self.count_only => Task::Count,
            (Some(normalise), unit) => Task::Exact(unit, normalise),
            (None, Unit::Block) => Task::Blocks,
            (None, Unit::Document) => Task::Documents,
        }
    }

    /// When a whole document is a duplicate.
    fn rule(&self) -> DocumentRule {
        match self.resemblance {
            Some(least) => DocumentRule::Resemblance(self.measure, least),
            None => DocumentRule::Contained(self.contained),
        }
    }

    /// Refuses what cannot be done.
    fn check(&self, outputs: &Outputs) -> Result<()> {
        let task = self.task();
        outputs.check(match task {
            Task::Count => &[ERRORS, REPORT],
            Task::Blocks => &[ERRORS, REMOVED, REPORT, PAGE, EXPLAIN, SAVE, LOST],
            Task::Documents => &[ERRORS, REMOVED, REPORT, PAGE, EXPLAIN, SAVE, CLUSTERS],
            Task::Exact(..) => &[ERRORS, REMOVED, REPORT, PAGE, EXPLAIN],
        })?;
        if task == Task::Count && !outputs.main().is_discarded() {
            return Err(Error::Refused("counting n-grams writes no documents".into()));
        }
        if self.alarm.is_some() && outputs.path().is_none() {
            let error = Error::Refused("an alarm can only hold back a file or a folder".into());
            return Err(error.hint(Hint::option("output", "name one with `output`")));
        }
        if self.keep != Keep::First && task != Task::Documents {
            let error = Error::Refused("choosing which document to keep needs whole documents".into());
            return Err(error.hint(Hint::option("keep", "remove `keep`, or compare whole documents")));
        }
        let (resemblance, alarm) = (self.resemblance.unwrap_or_default(), self.alarm.unwrap_or_default());
        let shares = [
            ("threshold", self.threshold),
            ("contained", self.contained),
            ("resemblance", resemblance),
            ("alarm", alarm),
        ];
        for (name, share) in shares {
            if !(0.0..=1.0).contains(&share) {
                let error = Error::Refused(format!("{share} is not a share"));
                return Err(error.hint(Hint::option(name, format!("set `{name}` to a number from 0 to 1"))));
            }
        }
        if self.ngram == 0 {
            let error = Error::Refused("an n-gram has at least one word".into());
            return Err(error.hint(Hint::option("ngram", "raise `ngram`")));
        }
        Ok(())
    }

    /// Opens what documents are compared with.
    fn open_against(&self, against: &Input, outputs: &Outputs) -> Result<Known> {
        let (evidence, others): (Vec<&String>, Vec<&String>) =
            against.names().iter().partition(|name| is_evidence(Path::new(name)));
        others.iter().try_for_each(|name| refuse_unfinished(Path::new(name)))?;
        let evidence: Vec<PathBuf> = evidence.into_iter().map(PathBuf::from).collect();
        if self.exact.is_some() && !evidence.is_empty() {
            return Err(Error::Refused(
                "saved evidence holds words, not whole texts; exact comparison needs the documents themselves".into(),
            ));
        }
        if let Some(folder) = outputs.folder(SAVE).and_then(|folder| folder.canonicalize().ok())
            && evidence.iter().any(|other| other.canonicalize().is_ok_and(|other| other == folder))
        {
            let error = Error::Refused("evidence that is compared with cannot be overwritten".into());
            return Err(error.hint(Hint::option("save", "name another folder for `save`")));
        }
        if !evidence.is_empty() && others.is_empty() {
            return Ok(Known { evidence, ..Known::default() });
        }
        let others = if evidence.is_empty() { against.clone() } else { against.with_names(others)? };
        let (source, failures) = others.open(&self.read, outputs)?;
        if source.inputs().iter().any(source::InputFile::is_stdin) {
            let error = Error::Refused("documents to compare with cannot come from standard input".into());
            return Err(error.hint(Hint::option("against", "name a file with `against`")));
        }
        Ok(Known { evidence, source: Some(source), failures })
    }

    fn options(
        &self,
        inputs: &[&source::InputFile],
        evidence: &[PathBuf],
        outputs: &Outputs,
        run: &Run,
    ) -> DedupOptions {
        let bytes = |input: &&source::InputFile| {
            input.size.unwrap_or_default() * if is_compressed(&input.path) { EXPANSION } else { 1 }
        };
        let saved = evidence.iter().map(|folder| bytes_of_evidence(folder));
        let default = DedupOptions::default();
        DedupOptions {
            task: self.task(),
            engine: self.engine,
            template_text: self.template_text,
            ngram: self.ngram,
            threshold: self.threshold,
            stub: self.stub.min(MAX_STUB),
            edited: !self.intact,
            aligns: self.resemblance.is_none(),
            list_lost: outputs.get(LOST).is_some(),
            addresses: outputs.get(CLUSTERS).is_some(),
            sources: outputs.get(EXPLAIN).or(outputs.get(PAGE)).is_some(),
            memory: run.memory.unwrap_or(Dedup::MEMORY),
            make_ids: self.make_ids,
            expected: inputs.iter().map(bytes).chain(saved).sum(),
            ..default
        }
    }
}

/// The sources that documents are compared against.
#[derive(Default)]
struct Known {
    /// Folders of saved evidence.
    evidence: Vec<PathBuf>,
    source: Option<Collection>,
    /// Names that do not exist.
    failures: Vec<Failure>,
}

/// True for files whose text is larger than they are.
fn is_compressed(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    ["gz", "zst", "bz2", "xz", "zip", "tgz", "parquet"].contains(&extension.to_ascii_lowercase().as_str())
}
