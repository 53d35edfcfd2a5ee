//! The folder that a run works in, from which it can be resumed.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::UNIX_EPOCH;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::Dedup;
use crate::disk::atomic::{open_lock, rename_if_present};
use crate::disk::platform;
use crate::error::{Error, IoContext, Result};
use crate::jobs::outputs::Outputs;
use crate::source::InputFile;
use crate::text::Digest;

/// The folder for the evidence of a run.
pub(super) struct WorkFolder {
    folder: PathBuf,
    /// Deleted with the run.
    temporary: Option<TempDir>,
    /// Another run in the same folder would spoil both.
    #[allow(dead_code)] // held, not read
    lock: Option<File>,
    /// An earlier run of the same kind began here.
    is_begun: bool,
    /// Whether there is a checkpoint to resume from.
    saved: AtomicBool,
}

const RUN: &str = "run.json";
/// The identity of a run that was complete, while its folder is deleted.
const DONE: &str = "done.json";
const LOCK: &str = "lock";

impl WorkFolder {
    /// The folder of a run. With an output and an identity, it is next to the output, and the same run resumes there;
    /// other runs use a temporary folder.
    pub(super) fn open(output: Option<&Path>, identity: Option<Value>, temporary: Option<&Path>) -> Result<WorkFolder> {
        let (Some(output), Some(identity)) = (output.filter(|path| !is_device(path)), identity) else {
            let above = temporary.map_or_else(std::env::temp_dir, Path::to_owned);
            let folder = tempfile::Builder::new().prefix("refrain-dedup-").tempdir_in(&above).at(&above)?;
            return Ok(WorkFolder {
                folder: folder.path().to_owned(),
                temporary: Some(folder),
                lock: None,
                is_begun: false,
                saved: AtomicBool::new(false),
            });
        };
        let folder = folder_for(output, temporary)?;
        fs::create_dir_all(&folder).at(&folder)?;
        let path = folder.join(LOCK);
        let lock = open_lock(&path)?;
        if lock.try_lock().is_err() {
            return Err(Error::Refused(format!(
                "another run is writing to {}; wait until it ends, or name another output",
                output.display()
            )));
        }
        let has_identity = |name: &str| {
            let earlier = fs::read(folder.join(name)).ok();
            earlier.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok()).is_some_and(|it| it == identity)
        };
        let (is_same, was_done) = (has_identity(RUN), has_identity(DONE));
        if !is_same {
            clear(&folder)?;
            let path = folder.join(RUN);
            fs::write(&path, identity.to_string()).at(&path)?;
        }
        let saved = AtomicBool::new(is_same && folder.join("learn.json").exists());
        Ok(WorkFolder { folder, temporary: None, lock: Some(lock), is_begun: is_same || was_done, saved })
    }

    pub(super) fn path(&self) -> &Path {
        &self.folder
    }

    /// True if the same run began here before.
    pub(super) fn is_begun(&self) -> bool {
        self.is_begun
    }

    /// True if the run can be resumed once there is a checkpoint.
    pub(super) fn is_resumable(&self) -> bool {
        self.temporary.is_none()
    }

    /// Notes that there is a checkpoint.
    pub(super) fn save(&self) {
        self.saved.store(true, Ordering::Relaxed);
    }

    /// The folder, if a run that ends now can be resumed.
    pub(super) fn left_behind(&self) -> Option<&Path> {
        (self.is_resumable() && self.saved.load(Ordering::Relaxed) && self.folder.exists()).then_some(&self.folder)
    }

    /// Deletes the folder of a run that is complete.
    pub(super) fn remove(&self) -> Result<()> {
        // It is not deleted once more at the end.
        self.saved.store(true, Ordering::Relaxed);
        clear(&self.folder)?;
        fs::remove_dir_all(&self.folder).at(&self.folder)
    }
}

impl Drop for WorkFolder {
    fn drop(&mut self) {
        // Without a checkpoint there is nothing to resume from.
        if self.is_resumable() && !self.saved.load(Ordering::Relaxed) {
            let _ = self.remove();
        }
    }
}

fn is_device(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir())
}

/// The folder for an output: hidden next to it, or in the folder for temporary files.
fn folder_for(output: &Path, temporary: Option<&Path>) -> Result<PathBuf> {
    let absolute = std::path::absolute(output).at(output)?;
    let name = absolute.file_name().ok_or_else(|| Error::Refused("the output has no name".into()))?.to_string_lossy();
    Ok(match temporary {
        Some(folder) => {
            let mut digest = Digest::default();
            digest.update(absolute.as_os_str().as_encoded_bytes());
            folder.join(format!("refrain-dedup-{name}-{}", &digest.hex()[..12]))
        }
        None => absolute.with_file_name(format!(".{name}.working")),
    })
}

/// Deletes all files of an earlier run. First of all, nothing resumes in the folder any more: a run that is killed meanwhile
/// leaves some of the files, and a later one would miss the others. It still recognises its own outputs.
fn clear(folder: &Path) -> Result<()> {
    rename_if_present(&folder.join(RUN), &folder.join(DONE))?;
    for entry in fs::read_dir(folder).at(folder)? {
        let path = entry.at(folder)?.path();
        if path.file_name().is_some_and(|name| name != LOCK && name != DONE) {
            fs::remove_file(&path).at(&path)?;
        }
    }
    Ok(())
}

/// The identity of a run: the job, the inputs, the outputs and the version. `None` if an output does not outlive the
/// run.
pub(super) fn identity(
    job: &Dedup,
    inputs: &[&InputFile],
    evidence: &[PathBuf],
    outputs: &Outputs,
) -> Result<Option<Value>> {
    let Some(outputs) = outputs.identity() else { return Ok(None) };
    let inputs: Vec<Value> = inputs.iter().map(|input| json!([input.path, change_of(input)])).collect();
    let changed = |folder: &PathBuf| json!([folder, last_change(&folder.join("evidence.json"))]);
    let evidence: Vec<Value> = evidence.iter().map(changed).collect();
    // Checkpoints are not synced to disk: after a restart of the machine, files may have holes.
    let boot = platform::boot();
    // Whoever accepts an alarm runs the same job with another limit.
    let job = Dedup { alarm: None, ..job.clone() };
    let job = serde_json::to_value(job).map_err(std::io::Error::from)?;
    Ok(Some(json!({
        "version": env!("CARGO_PKG_VERSION"), "job": job, "inputs": inputs, "evidence": evidence, "outputs": outputs,
        "boot": boot,
    })))
}

/// A value that differs after an input changed.
fn change_of(input: &InputFile) -> Value {
    match &input.stored {
        Some(_) => json!([input.version(), input.size]),
        None => last_change(&input.path),
    }
}

/// When a file was changed, and its size.
fn last_change(path: &Path) -> Value {
    let meta = fs::metadata(path).ok();
    let time = meta.as_ref().and_then(|meta| meta.modified().ok());
    let time = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map(|time| time.as_nanos() as u64);
    json!([time, meta.map(|meta| meta.len())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_was_killed_while_its_folder_was_deleted_is_recognised() {
        let folder = tempfile::tempdir().expect("a folder");
        let output = folder.path().join("out/");
        let open = |identity: &str| WorkFolder::open(Some(&output), Some(json!(identity)), None).expect("a folder");
        let work = open("a");
        work.save();
        fs::write(work.path().join("learn.json"), "{}").expect("a file");
        let path = work.path().to_owned();
        drop(work);
        // It can be resumed; then it is complete, and killed before the folder is gone.
        let work = open("a");
        assert!(work.is_begun() && work.left_behind().is_some());
        clear(&path).expect("a folder");
        drop(work);
        let work = open("a");
        assert!(work.is_begun() && work.left_behind().is_none(), "known, and nothing to resume from");
        drop(work);
        assert!(!path.exists());
        assert!(!open("b").is_begun());
    }
}
