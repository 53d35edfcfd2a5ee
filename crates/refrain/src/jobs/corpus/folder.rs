//! The layout of a corpus folder, its manifest, and who may write to it.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::digest::ContentDigest;
use super::evidence::{EVIDENCE, EVIDENCE_FILES};
use super::run::{Corpus, CorpusDedup};
use crate::disk::atomic::{open_lock, rename_if_present};
use crate::error::{Error, Hint, IoContext, Result};
use crate::source::InputFiles;
use crate::source::corpus::{CLEARING, Identity, LAYOUT, MANIFEST, RUN, WORK, parts_of};
use crate::stats::Statistics;
use crate::text::Digest;
use crate::write::{Compressed, Compression, Format, Sink, Written, write_atomically};

const STATS: &str = "stats.json";
const ERRORS: &str = "errors.jsonl";
pub(super) const INPUTS: &str = "inputs.tsv";
const RECIPE: &str = "recipe.toml";
const DOCUMENTS: &str = "documents";
const REMOVED: &str = "removed";
const LOCK: &str = "lock";
/// What a batch adds, in the work folder, and the file that makes it a part of the corpus.
const NEW: &str = "new";
const COMMIT: &str = "commit";

/// The content of a corpus folder. It has no timestamps, so that the same input and options always give the same bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Manifest {
    /// The program that made it.
    pub refrain: Identity,
    /// The inputs.
    pub inputs: InputsRecord,
    /// The options.
    pub options: Map<String, Value>,
    /// The files with the documents, in order.
    pub parts: Vec<Part>,
    /// The files with the removed ranges, in order; `None` if not requested.
    pub removed: Vec<Part>,
    /// The digest of all documents; `None` in corpora of earlier versions. It does not depend on the format or on the sizes of parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub(crate) digest: Option<ContentDigest>,
    /// What each run added, in order.
    #[serde(default)]
    pub batches: Vec<Batch>,
    /// The folder of what later batches are compared with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// The figures.
    pub statistics: Statistics,
}

/// What one run added to a corpus.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Batch {
    /// The program that added it.
    pub refrain: Identity,
    /// Its inputs.
    pub inputs: InputsRecord,
    /// The number of its parts.
    pub parts: usize,
    /// The number of files with removed ranges.
    pub removed: usize,
    /// Its figures.
    pub statistics: Statistics,
}

/// The inputs of a corpus; `inputs.tsv` has the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InputsRecord {
    /// Number of files.
    pub files: u64,
    /// Their size.
    pub bytes: u64,
    /// Digest of `inputs.tsv`.
    pub sha256: String,
}

impl InputsRecord {
    /// These inputs behind others: the list in the folder holds both.
    pub(super) fn after(&self, others: &InputsRecord, folder: &Folder) -> Result<InputsRecord> {
        let list = folder.path(INPUTS);
        let mut digest = Digest::default();
        digest.update(&fs::read(&list).at(&list)?);
        Ok(InputsRecord { files: others.files + self.files, bytes: others.bytes + self.bytes, sha256: digest.hex() })
    }
}

/// A file of a corpus.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Part {
    /// Its path in the folder.
    pub path: String,
    /// Documents (or removed ranges' documents) in it.
    pub documents: u64,
    /// Size and digest.
    #[serde(flatten)]
    pub written: Written,
}

/// The settings of a run. The same command must find the same ones to resume.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct RunRecord {
    pub(super) refrain: Identity,
    pub(super) inputs: InputsRecord,
    pub(super) options: Map<String, Value>,
}

impl RunRecord {
    pub(super) fn new(inputs: &str, count: &InputFiles, options: Map<String, Value>) -> RunRecord {
        let mut digest = Digest::default();
        digest.update(inputs.as_bytes());
        RunRecord {
            refrain: Identity { version: env!("CARGO_PKG_VERSION").into(), layout: LAYOUT },
            inputs: InputsRecord { files: count.len().into(), bytes: count.total_size(), sha256: digest.hex() },
            options,
        }
    }

    /// In words, how another record differs from this one; empty when it does not.
    fn differences(&self, now: &RunRecord) -> Vec<String> {
        let mut differences = Vec::new();
        if self.refrain != now.refrain {
            let (then, now) = (&self.refrain.version, &now.refrain.version);
            differences.push(format!("refrain {then} started it, and this is refrain {now}"));
        }
        let mut names: Vec<&String> = self.options.keys().chain(now.options.keys()).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            // An option that an earlier version did not have is not set.
            let set = |options: &Map<String, Value>| options.get(name).filter(|value| !value.is_null()).cloned();
            let (then, now) = (set(&self.options), set(&now.options));
            if then != now {
                differences.push(format!(
                    "{} was {}, now {}",
                    option_name(name),
                    show(then.as_ref()),
                    show(now.as_ref())
                ));
            }
        }
        if self.inputs != now.inputs {
            let (then, now) = (&self.inputs, &now.inputs);
            differences.push(format!(
                "the inputs were {} files of {} bytes, now {} files of {} bytes{}",
                then.files,
                then.bytes,
                now.files,
                now.bytes,
                if (then.files, then.bytes) == (now.files, now.bytes) { ", with other names or sizes" } else { "" }
            ));
        }
        differences
    }
}

/// An option, as hints name it.
fn option_name(name: &str) -> String {
    match name {
        "removed" => "the list of removed ranges (`no_removed`)".into(),
        name => format!("`{name}`"),
    }
}

/// The value of an option in words.
fn show(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => "not set".into(),
        Some(Value::Bool(on)) => if *on { "on" } else { "off" }.into(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(values)) if values.is_empty() => "not set".into(),
        Some(Value::Array(values)) => values.iter().map(|value| show(Some(value))).collect::<Vec<_>>().join(","),
        Some(other) => other.to_string(),
    }
}

/// The line of standard input in the list of inputs.
const STDIN_LINE: &str = "-\t-";

/// The list of inputs as it is kept: size, tab, name.
pub(super) fn list_inputs(inputs: &InputFiles) -> String {
    let mut list = String::new();
    for input in inputs.iter() {
        let size = input.size.map_or("-".to_owned(), |size| size.to_string());
        let _ = write!(list, "{size}\t{}", input.name.replace(['\t', '\n'], " "));
        list.extend(input.version().map(|version| format!("\t{version}")));
        list.push('\n');
    }
    list
}

/// A corpus folder that belongs to this run as long as this value lives.
pub(super) struct Folder {
    root: PathBuf,
    /// A batch is added: what is new is kept aside until all of it is complete.
    adds: bool,
    _lock: Option<File>,
}

/// The state of a folder.
pub(super) enum State {
    /// Ready to be filled, from the start or from where an earlier run stopped.
    Open { folder: Folder, begun: bool, base: Option<Box<Manifest>> },
    /// Filled by the same command before.
    Complete(Box<Manifest>),
}

impl Folder {
    /// Opens a folder for a run: a new one, one that the same command began to fill, or any one when `overwrite` is set.
    /// With `add`, a complete corpus gets another batch.
    pub(super) fn open(root: &Path, record: &RunRecord, inputs: &str, overwrite: bool, add: bool) -> Result<State> {
        // For the system, a file name with a slash after it does not exist.
        let plain: PathBuf = root.components().collect();
        if plain.exists() && !plain.is_dir() {
            return Err(Error::Refused(format!("{} is a file; name a folder", plain.display())));
        }
        let ours = parts_of(root).is_some();
        if !ours && root.is_dir() && !is_barely_begun(root).at(root)? {
            return Err(Error::Refused(format!(
                "{} is not empty and holds no corpus; name another folder",
                root.display()
            )));
        }
        fs::create_dir_all(root.join(WORK)).at(root)?;
        let mut folder = Folder { root: root.to_owned(), adds: false, _lock: Some(lock(root)?) };
        folder.finish_commit()?;
        if overwrite || folder.work(CLEARING).exists() {
            folder.clear()?;
        }
        let begun = read_json::<RunRecord>(&folder.work(RUN))?;
        let complete = read_json::<Manifest>(&root.join(MANIFEST))?;
        if let Some(manifest) = complete {
            if add {
                folder.adds = true;
                return folder.open_batch(manifest, record, inputs, begun);
            }
            let then = RunRecord {
                refrain: manifest.refrain.clone(),
                inputs: manifest.inputs.clone(),
                options: manifest.known_options(),
            };
            if begun.is_some_and(|begun| !begun.differences(&then).is_empty()) {
                let error = format!("a batch was being added to {} when a run ended", root.display());
                let advice = "run the command that adds it again";
                return Err(Error::Refused(error).hint(Hint::option("add", advice)));
            }
            let differences = then.differences(record);
            folder.remove_work()?;
            let way_out = "replace it with `overwrite`, or name another folder";
            if differences.is_empty() {
                refuse_standard_input(root, inputs, way_out)?;
            }
            if differences.is_empty() {
                return Ok(State::Complete(Box::new(manifest)));
            }
            let error = Error::Refused(format!(
                "{} holds a corpus that was built with other options or inputs",
                root.display()
            ));
            return Err(error.hint(Hint::option("overwrite", format!("{}; {way_out}", differences.join("; ")))));
        }
        if let Some(then) = &begun {
            refuse_standard_input(root, inputs, "start again with `overwrite`")?;
            let differences = then.differences(record);
            if !differences.is_empty() {
                let error = Error::Refused(format!(
                    "{} holds an unfinished corpus with other options or inputs",
                    root.display()
                ));
                let way_out = "use the same options to resume, `overwrite` to start again, or another folder";
                return Err(error.hint(Hint::option("overwrite", format!("{}; {way_out}", differences.join("; ")))));
            }
        } else {
            for name in [DOCUMENTS, REMOVED] {
                fs::create_dir_all(root.join(name)).at(root)?;
            }
            write_atomically(&folder.path(INPUTS), inputs.as_bytes())?;
            write_json(&folder.work(RUN), record)?;
        }
        Ok(State::Open { folder, begun: begun.is_some(), base: None })
    }

    /// Begins or resumes to add a batch.
    fn open_batch(
        self,
        manifest: Manifest,
        record: &RunRecord,
        inputs: &str,
        begun: Option<RunRecord>,
    ) -> Result<State> {
        if manifest.knows(&record.inputs) {
            self.remove_work()?;
            return Ok(State::Complete(Box::new(manifest)));
        }
        let is_begun = begun.is_some();
        if let Err(error) = self.check_batch(&manifest, record, inputs, begun) {
            if !is_begun {
                self.remove_work()?;
            }
            return Err(error);
        }
        for name in [DOCUMENTS, REMOVED] {
            let path = self.path(name);
            fs::create_dir_all(&path).at(&path)?;
        }
        let all = self.old_path(INPUTS);
        let all = fs::read_to_string(&all).at(&all)? + inputs;
        write_atomically(&self.path(INPUTS), all.as_bytes())?;
        write_json(&self.work(RUN), record)?;
        Ok(State::Open { folder: self, begun: is_begun, base: Some(Box::new(manifest)) })
    }

    /// Refuses a batch that the corpus cannot get.
    fn check_batch(
        &self,
        manifest: &Manifest,
        record: &RunRecord,
        inputs: &str,
        begun: Option<RunRecord>,
    ) -> Result<()> {
        let root = self.root.display();
        refuse_standard_input(&self.root, inputs, "save it to a file first")?;
        let then = RunRecord { options: manifest.known_options(), ..record.clone() };
        let differences = then.differences(record).join("; ");
        if !differences.is_empty() {
            let error = Error::Refused(format!("{root} was built with other options"));
            let way_out = "add with the same options, or build another corpus";
            return Err(error.hint(Hint::new(format!("{differences}; {way_out}"))));
        }
        let differences = begun.map(|begun| begun.differences(record).join("; ")).unwrap_or_default();
        if !differences.is_empty() {
            let error = Error::Refused(format!("another batch was being added to {root} when a run ended"));
            let work = self.work("");
            return Err(
                error.hint(Hint::new(format!("{differences}; add that batch first, or delete {}", work.display())))
            );
        }
        match &manifest.evidence {
            Some(evidence) if self.old_path(evidence).is_dir() => Ok(()),
            _ => {
                let error = Error::Refused(format!("{root} has no evidence that new documents could be compared with"));
                Err(error.hint(Hint::option("rebuild_evidence", "make it again with `rebuild_evidence`")))
            }
        }
    }

    /// Opens a complete corpus to change it.
    pub(super) fn open_to_change(root: &Path) -> Result<(Folder, Manifest)> {
        Manifest::read(root)?;
        fs::create_dir_all(root.join(WORK)).at(root)?;
        let folder = Folder { root: root.to_owned(), adds: true, _lock: Some(lock(root)?) };
        folder.finish_commit()?;
        if folder.work(RUN).exists() {
            let error = format!("a batch was being added to {} when a run ended", root.display());
            return Err(Error::Refused(error).hint(Hint::option("add", "run the command that adds it again")));
        }
        Ok((folder, Manifest::read(root)?))
    }

    /// Prepares the lists of inputs and failures without some of their lines: from which on, and how many.
    pub(super) fn drop_lines(&self, inputs: u64, their_inputs: u64, failures: u64, their_failures: u64) -> Result<()> {
        for (name, from, count) in [(INPUTS, inputs, their_inputs), (ERRORS, failures, their_failures)] {
            let path = self.old_path(name);
            let mut kept = Vec::new();
            for (at, line) in (0..).zip(fs::read(&path).at(&path)?.split_inclusive(|byte| *byte == b'\n')) {
                if !(from..from + count).contains(&at) {
                    kept.extend_from_slice(line);
                }
            }
            fs::create_dir_all(self.path("")).at(&path)?;
            write_atomically(&self.path(name), &kept)?;
        }
        Ok(())
    }

    /// The inputs without those of a batch, once its [lines](Folder::drop_lines) are gone.
    pub(super) fn inputs_without(&self, all: &InputsRecord, batch: &InputsRecord) -> Result<InputsRecord> {
        let none = InputsRecord { files: 0, bytes: 0, sha256: String::new() };
        let rest = InputsRecord { files: all.files - batch.files, bytes: all.bytes - batch.bytes, ..none.clone() };
        rest.after(&none, self)
    }

    /// Makes a change a part of the corpus.
    pub(super) fn complete_change(&self, manifest: &Manifest) -> Result<()> {
        write_json(&self.path(STATS), &manifest.statistics)?;
        write_json(&self.path(MANIFEST), manifest)?;
        write_atomically(&self.work(COMMIT), b"")?;
        self.finish_commit()?;
        self.remove_work()
    }

    /// The path of a file of the corpus. While a batch is added, it is aside.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        if self.adds { self.work(NEW).join(name) } else { self.root.join(name) }
    }

    /// The path of a file of the corpus as it was before.
    pub(super) fn old_path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub(super) fn work(&self, name: &str) -> PathBuf {
        self.root.join(WORK).join(name)
    }

    pub(super) fn documents(name: &str) -> String {
        format!("{DOCUMENTS}/{name}")
    }

    pub(super) fn removed(name: &str) -> String {
        format!("{REMOVED}/{name}")
    }

    /// The folder of evidence behind a batch.
    pub(super) fn evidence(batch: usize) -> String {
        format!("{EVIDENCE}/{batch:05}")
    }

    /// The list of failures, opened for writing.
    pub(super) fn errors(&self) -> Result<Compressed> {
        Compression::None.compress(Sink::file(&self.path(ERRORS))?)
    }

    /// The list of failures of the corpus before a batch is added.
    pub(super) fn old_errors(&self) -> Result<Option<File>> {
        let path = self.old_path(ERRORS);
        if self.adds { File::open(&path).at(&path).map(Some) } else { Ok(None) }
    }

    /// Writes the files that complete the folder, the manifest last.
    pub(super) fn complete(&self, manifest: &Manifest, recipe: &str) -> Result<()> {
        write_json(&self.path(STATS), &manifest.statistics)?;
        write_atomically(&self.path(RECIPE), recipe.as_bytes())?;
        if !self.adds {
            if manifest.removed.is_empty() {
                let _ = fs::remove_dir(self.path(REMOVED));
            }
            write_json(&self.path(MANIFEST), manifest)?;
            self.remove_evidence(manifest.evidence.as_deref())?;
            return self.remove_work();
        }
        write_json(&self.path(MANIFEST), manifest)?;
        // From here on, the batch is a part of the corpus: a later run does the rest if this one is killed.
        write_atomically(&self.work(COMMIT), b"")?;
        self.finish_commit()?;
        self.remove_work()
    }

    /// Gives the files of a complete batch their names, the manifest last, and removes what the corpus no longer needs.
    fn finish_commit(&self) -> Result<()> {
        if !self.work(COMMIT).exists() {
            return Ok(());
        }
        let new = self.work(NEW);
        let mut files = Vec::new();
        for entry in walkdir::WalkDir::new(&new).into_iter().flatten().filter(|entry| entry.file_type().is_file()) {
            files.extend(entry.path().strip_prefix(&new).map(Path::to_owned));
        }
        files.sort_by_key(|name| (name == Path::new(MANIFEST), name.clone()));
        for name in files {
            let (from, to) = (new.join(&name), self.root.join(&name));
            if let Some(folder) = to.parent() {
                fs::create_dir_all(folder).at(folder)?;
            }
            rename_if_present(&from, &to)?;
        }
        let manifest: Option<Manifest> = read_json(&self.root.join(MANIFEST))?;
        if let Some(manifest) = &manifest {
            self.remove_parts_but(manifest)?;
            self.remove_evidence(manifest.evidence.as_deref())?;
        }
        remove(&self.work(RUN))?;
        remove(&self.work(COMMIT))
    }

    /// Removes parts that do not belong to the corpus.
    fn remove_parts_but(&self, manifest: &Manifest) -> Result<()> {
        for name in [DOCUMENTS, REMOVED] {
            for entry in fs::read_dir(self.root.join(name)).into_iter().flatten().flatten() {
                let known = format!("{name}/{}", entry.file_name().to_string_lossy());
                let mut parts = manifest.parts.iter().chain(&manifest.removed);
                if is_part(&entry.path()) && !parts.any(|part| part.path == known) {
                    remove(&entry.path())?;
                }
            }
        }
        Ok(())
    }

    /// Removes evidence, except for a folder that is still needed.
    fn remove_evidence(&self, needed: Option<&str>) -> Result<()> {
        let folder = self.root.join(EVIDENCE);
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let name = format!("{EVIDENCE}/{}", entry.file_name().to_string_lossy());
            if needed != Some(&name) {
                for file in EVIDENCE_FILES {
                    remove(&entry.path().join(file))?;
                }
                let _ = fs::remove_dir(entry.path());
            }
        }
        let _ = fs::remove_dir(folder);
        Ok(())
    }

    /// Removes what refrain wrote, and nothing else.
    fn clear(&self) -> Result<()> {
        // If killed from here on, the next run clears the rest.
        write_atomically(&self.work(CLEARING), b"")?;
        for name in [MANIFEST, STATS, ERRORS, INPUTS, RECIPE] {
            remove(&self.path(name))?;
        }
        for name in [DOCUMENTS, REMOVED, WORK] {
            let folder = self.root.join(name);
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            for entry in entries {
                let path = entry.at(&folder)?.path();
                if name == WORK && path.is_dir() {
                    fs::remove_dir_all(&path).at(&path)?;
                }
                let ours = name == WORK || is_part(&path);
                if ours && !path.ends_with(LOCK) && !path.ends_with(CLEARING) && path.is_file() {
                    remove(&path)?;
                }
            }
            // The folder is kept if it contains other files.
            let _ = fs::remove_dir(&folder);
        }
        self.remove_evidence(None)?;
        remove(&self.work(CLEARING))
    }

    fn remove_work(&self) -> Result<()> {
        let work = self.root.join(WORK);
        match fs::remove_dir_all(&work) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io(work, error)),
            _ => Ok(()),
        }
    }
}

/// Earlier standard input cannot be compared with the current one.
fn refuse_standard_input(root: &Path, inputs: &str, way_out: &'static str) -> Result<()> {
    match inputs.lines().any(|line| line == STDIN_LINE) {
        true => Err(Error::Refused(format!(
            "{} was built from standard input, which cannot be compared with the input of this run",
            root.display()
        ))
        .hint(Hint::option("overwrite", way_out))),
        false => Ok(()),
    }
}

/// True for a folder with only the files that a run creates before its record, as a run killed then leaves it.
fn is_barely_begun(root: &Path) -> std::io::Result<bool> {
    for entry in fs::read_dir(root)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let partial = name.starts_with('.') && name.ends_with(".partial");
        let fine = match name {
            WORK => fs::read_dir(&path)?.all(|entry| {
                entry.is_ok_and(|entry| {
                    entry.file_name() == LOCK || entry.file_name().as_encoded_bytes().ends_with(b".partial")
                })
            }),
            DOCUMENTS | REMOVED => fs::read_dir(&path)?.next().is_none(),
            name => name == INPUTS || partial,
        };
        if !fine {
            return Ok(false);
        }
    }
    Ok(true)
}

/// True for the file name of a part, finished or not.
fn is_part(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let name = name.strip_prefix('.').and_then(|name| name.strip_suffix(".partial")).unwrap_or(name);
    let number = name.strip_prefix("part-").and_then(|rest| rest.split('.').next());
    number.is_some_and(|number| number.len() >= 5 && number.bytes().all(|b| b.is_ascii_digit()))
}

fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io(path, error)),
        _ => Ok(()),
    }
}

/// One run at a time.
fn lock(root: &Path) -> Result<File> {
    let path = root.join(WORK).join(LOCK);
    let file = open_lock(&path)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(fs::TryLockError::WouldBlock) => Err(Error::Refused(format!(
            "another run is writing to {}; wait until it ends, or name another output",
            root.display()
        ))),
        Err(fs::TryLockError::Error(error)) => Err(Error::io(path, error)),
    }
}

/// Reads a JSON file of refrain; `None` if it does not exist.
pub(super) fn read_json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<Option<T>> {
    let content = match fs::read(path) {
        Ok(content) => content,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::io(path, error)),
    };
    serde_json::from_slice(&content)
        .map(Some)
        .map_err(|error| Error::Damaged { path: path.to_owned(), message: format!("damaged: {error}") })
}

/// Writes a JSON file for people and programs.
pub(super) fn write_json(path: &Path, value: &impl Serialize) -> Result<()> {
    let mut content = serde_json::to_vec_pretty(value).map_err(std::io::Error::from)?;
    content.push(b'\n');
    write_atomically(path, &content)
}

/// A recipe: the inputs, and the options that are not at their defaults, as TOML. Strings, numbers and lists are written there as
/// in JSON.
pub(super) fn recipe(inputs: &[String], options: &Map<String, Value>, defaults: &Map<String, Value>) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let mut recipe = format!("# A recipe for refrain corpus, written by refrain {version}.\n");
    let _ = writeln!(recipe, "inputs = {}", Value::from(inputs));
    for (name, value) in options.iter().filter(|(name, value)| defaults.get(*name) != Some(value)) {
        // An option that turns something off exists under the name of what it does.
        let _ = match (name.as_str(), value) {
            (_, Value::Null | Value::Bool(false)) if name != "removed" => Ok(()),
            ("removed", _) => writeln!(recipe, "no_removed = true"),
            // Main content is not looked for.
            ("profile", Value::String(none)) if none == "none" => Ok(()),
            _ => writeln!(recipe, "{name} = {value}"),
        };
    }
    recipe
}

impl Manifest {
    /// True if a batch had these inputs.
    fn knows(&self, inputs: &InputsRecord) -> bool {
        self.inputs == *inputs || self.batches.iter().any(|batch| batch.inputs == *inputs)
    }

    /// The manifest with another batch.
    #[must_use]
    pub(super) fn with(mut self, other: Manifest) -> Manifest {
        if self.batches.is_empty() {
            self.batches.push(Batch {
                refrain: self.refrain.clone(),
                inputs: self.inputs.clone(),
                parts: self.parts.len(),
                removed: self.removed.len(),
                statistics: self.statistics.clone(),
            });
        }
        self.batches.extend(other.batches);
        self.parts.extend(other.parts);
        self.removed.extend(other.removed);
        let mut statistics = Statistics::default();
        self.batches.iter().for_each(|batch| statistics.merge(&batch.statistics));
        Manifest { statistics, digest: other.digest, evidence: other.evidence, inputs: other.inputs, ..self }
    }

    /// The options, with those that earlier versions did not have: they did what is the default now, but for duplicates.
    fn known_options(&self) -> Map<String, Value> {
        let mut options = self.options.clone();
        options.entry("dedup").or_insert("exact".into());
        for (name, value) in Corpus::default().record((Format::Parquet, Compression::None), None) {
            options.entry(name).or_insert(value);
        }
        options
    }

    /// The batch with these inputs, and how many failures are listed before its own.
    pub(super) fn batch_of(&self, inputs: &InputsRecord) -> Option<(&Batch, u64)> {
        let at = self.batches.iter().position(|batch| batch.inputs == *inputs)?;
        Some((&self.batches[at], self.batches[..at].iter().map(|batch| batch.statistics.failures).sum()))
    }

    /// True if documents can be read from the parts as they were written.
    pub(super) fn holds_documents(&self) -> bool {
        let format = self.option("format");
        ["parquet", "jsonl"].iter().any(|known| format.starts_with(known))
    }

    /// Which duplicates were removed; in corpora of earlier versions exact ones.
    pub(super) fn dedup(&self) -> CorpusDedup {
        let known = self.options.get("dedup").and_then(|dedup| CorpusDedup::deserialize(dedup).ok());
        known.unwrap_or(CorpusDedup::Exact)
    }

    /// The name of the next folder of evidence.
    pub(super) fn next_evidence(&self) -> String {
        let last = self.evidence.as_deref().and_then(|name| name.rsplit('/').next()?.parse::<usize>().ok());
        Folder::evidence(last.unwrap_or_default() + 1)
    }

    /// The number of the next part.
    pub(super) fn next_part(&self) -> usize {
        let number = |part: &Part| part.path.split_once("part-")?.1.split('.').next()?.parse::<usize>().ok();
        self.parts.iter().filter_map(number).max().map_or(0, |last| last + 1)
    }

    /// The value of an option, as text.
    pub(super) fn option(&self, name: &str) -> String {
        match self.options.get(name) {
            Some(Value::String(text)) => text.clone(),
            other => other.map(Value::to_string).unwrap_or_default(),
        }
    }

    /// Reads the manifest of a corpus folder.
    pub fn read(folder: &Path) -> Result<Manifest> {
        let path = folder.join(MANIFEST);
        match fs::read(&path) {
            Ok(content) => Manifest::of_bytes(folder, &content),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(Error::Refused(format!("{} holds no complete corpus: there is no {MANIFEST}", folder.display())))
            }
            Err(error) => Err(Error::io(path, error)),
        }
    }

    /// The manifest of a corpus that is not in a folder, from its content.
    pub fn of_bytes(folder: &Path, content: &[u8]) -> Result<Manifest> {
        let manifest: Manifest = serde_json::from_slice(content)
            .map_err(|error| Error::Damaged { path: folder.join(MANIFEST), message: format!("damaged: {error}") })?;
        if manifest.refrain.layout > LAYOUT {
            let version = &manifest.refrain.version;
            return Err(Error::Refused(format!(
                "{} was written by refrain {version}, which is newer",
                folder.display()
            )));
        }
        Ok(manifest)
    }
}
