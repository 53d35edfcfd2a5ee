//! The folder that a run works in: it tells whether an earlier run can be resumed.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::UNIX_EPOCH;

use anyhow::{Context, Result, bail};
use refrain::source::Inputs;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::Arguments;

/// Where a run keeps its evidence.
pub(super) struct Work {
    folder: PathBuf,
    /// Goes with the run.
    temporary: Option<TempDir>,
    /// Another run in the same folder would spoil both.
    #[allow(dead_code)] // held, not read
    lock: Option<File>,
    /// There is something to go on from.
    saved: AtomicBool,
}

const RUN: &str = "run.json";

impl Work {
    /// The folder of a run. One that can be resumed works in a folder beside its output; others in a temporary one.
    pub(super) fn open(arguments: &Arguments, inputs: [&Inputs; 2], from_stdin: bool) -> Result<Work> {
        let resumable = if from_stdin || !arguments.writes_documents() { None } else { arguments.output.path() };
        let Some(output) = resumable.filter(|path| !is_device(path)) else {
            let above = arguments.temporary.clone().unwrap_or_else(std::env::temp_dir);
            let folder = tempfile::Builder::new().prefix("refrain-dedup-").tempdir_in(&above);
            let folder = folder.with_context(|| above.display().to_string())?;
            return Ok(Work {
                folder: folder.path().to_owned(),
                temporary: Some(folder),
                lock: None,
                saved: AtomicBool::new(false),
            });
        };
        let folder = place_of(output, arguments.temporary.as_deref())?;
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let path = folder.join("lock");
        let lock = File::create(&path).with_context(|| path.display().to_string())?;
        if lock.try_lock().is_err() {
            bail!("another run works on {}, in {}; wait for it, or end it", output.display(), folder.display());
        }
        let this = identity(arguments, inputs);
        let path = folder.join(RUN);
        let earlier = fs::read(&path).ok().and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
        let saved = earlier.as_ref() == Some(&this);
        if !saved {
            clear(&folder)?;
            fs::write(&path, this.to_string()).with_context(|| path.display().to_string())?;
        }
        Ok(Work { folder, temporary: None, lock: Some(lock), saved: AtomicBool::new(saved && folder_has_state(&path)) })
    }

    pub(super) fn path(&self) -> &Path {
        &self.folder
    }

    /// True when the run can be resumed, once there is a checkpoint.
    pub(super) fn is_resumable(&self) -> bool {
        self.temporary.is_none()
    }

    /// There is a checkpoint now.
    pub(super) fn save(&self) {
        self.saved.store(true, Ordering::Relaxed);
    }

    /// The folder, if a run that ends now can be resumed.
    pub(super) fn left_behind(&self) -> Option<&Path> {
        (self.is_resumable() && self.saved.load(Ordering::Relaxed) && self.folder.exists()).then_some(&self.folder)
    }

    /// The run is complete.
    pub(super) fn remove(&self) -> Result<()> {
        fs::remove_dir_all(&self.folder).with_context(|| self.folder.display().to_string())
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        // Without a checkpoint there is nothing to go on from.
        if self.is_resumable() && !self.saved.load(Ordering::Relaxed) {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// True when an earlier run made a checkpoint.
fn folder_has_state(run: &Path) -> bool {
    run.with_file_name("learn.json").exists()
}

fn is_device(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir())
}

/// Where the work on an output is done: beside it, hidden, or in the folder for temporary files.
fn place_of(output: &Path, temporary: Option<&Path>) -> Result<PathBuf> {
    let absolute = std::path::absolute(output).with_context(|| output.display().to_string())?;
    let name = absolute.file_name().context("the output has no name")?.to_string_lossy().into_owned();
    Ok(match temporary {
        Some(folder) => {
            let mut digest = refrain::text::Digest::default();
            digest.update(absolute.as_os_str().as_encoded_bytes());
            folder.join(format!("refrain-dedup-{name}-{}", &digest.hex()[..12]))
        }
        None => absolute.with_file_name(format!(".{name}.working")),
    })
}

fn clear(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| name != "lock") {
            fs::remove_file(&path).with_context(|| path.display().to_string())?;
        }
    }
    Ok(())
}

/// When a file was changed, and how long it is.
fn changed(path: &Path) -> Value {
    let meta = fs::metadata(path).ok();
    let time = meta.as_ref().and_then(|meta| meta.modified().ok());
    let time = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map(|time| time.as_nanos() as u64);
    json!([time, meta.map(|meta| meta.len())])
}

/// What has to be the same for a run to go on where another one was.
fn identity(arguments: &Arguments, inputs: [&Inputs; 2]) -> Value {
    let input = |input: &refrain::source::Input| json!([input.path, input.size, changed(&input.path)]);
    let inputs = inputs.map(|inputs| inputs.iter().map(input).collect::<Vec<_>>());
    // What is in memory of the system is not on disk: when the machine was started anew, files may have holes.
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    // Another build may have other rules, or other files.
    let program = std::env::current_exe().map(|path| changed(&path)).unwrap_or_default();
    let evidence: Vec<Value> =
        arguments.against.iter().map(|name| changed(&Path::new(name).join("evidence.json"))).collect();
    let a = arguments;
    json!({
        "version": env!("CARGO_PKG_VERSION"), "program": program, "evidence": evidence, "boot": boot, "inputs": inputs, "source": format!("{:?}", a.input.options()),
        "what": format!("{:?}", (a.task(), a.engine, a.ngram, a.threshold, a.stub, a.intact, a.measure, a.resemblance)),
        "keep": format!("{:?}", (&a.keep, a.make_ids, &a.against, a.keep_marked, a.offsets, a.part_size)),
        "files": [a.output.path(), a.removed.as_deref(), a.clusters.as_deref(), a.lost.as_deref(), a.report.as_deref(), a.save.as_deref()],
        "format": format!("{:?}", a.format), "checkpoint": a.checkpoint,
    })
}
