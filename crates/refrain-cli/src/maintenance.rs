//! What `refrain corpus` does with complete corpora.

use std::path::Path;

use anyhow::Result;
use refrain::jobs::corpus::{CorpusCheck, Manifest};
use refrain::{Corpus, Run};

use crate::arguments::{print, print_message, run_job};
use crate::exit::Exit;
use crate::progress::Shown;

/// What is done with each corpus.
#[derive(Clone, Copy)]
pub(crate) enum Task {
    /// Check all files against the manifest.
    Verify {
        /// Print the result as JSON.
        json: bool,
    },
    /// Remove a batch, by its number.
    RemoveBatch(usize),
    /// Build the evidence anew.
    RebuildEvidence,
}

/// What became of a corpus.
enum Done {
    Changed(Box<Manifest>),
    Checked(CorpusCheck),
}

impl Task {
    fn run(self, folder: &Path, run: &Run) -> refrain::Result<Done> {
        match self {
            Task::RemoveBatch(batch) => {
                Corpus::remove_batch(folder, batch, run).map(|manifest| Done::Changed(Box::new(manifest)))
            }
            Task::RebuildEvidence => {
                Corpus::rebuild_evidence(folder, run).map(|manifest| Done::Changed(Box::new(manifest)))
            }
            Task::Verify { .. } => CorpusCheck::of(folder, run).map(Done::Checked),
        }
    }
}

/// Checks or changes the corpora in these folders.
pub(crate) fn maintain(folders: &[String], task: Task, threads: Option<usize>, quiet: bool) -> Result<Exit> {
    let run = Run { threads, ..Run::default() };
    let left = match task {
        Task::Verify { .. } => "nothing was checked",
        _ => "the corpus is as it was before",
    };
    let each = |run: &Run| Ok(folders.iter().map(|name| task.run(Path::new(name), run)).collect::<Vec<_>>());
    let mut exit = Exit::Done;
    for (name, done) in folders.iter().zip(run_job(run, Shown::unless(quiet), "documents", || left.into(), each)?) {
        match done? {
            Done::Changed(manifest) => {
                print_message(&format!("{name}: {} documents", manifest.statistics.total.kept.documents));
            }
            Done::Checked(check) => exit = print_check(name, check, task)?.unwrap_or(exit),
        }
    }
    Ok(exit)
}

/// Prints what a check found. Returns the exit code of problems.
fn print_check(name: &str, check: CorpusCheck, task: Task) -> Result<Option<Exit>> {
    check.problems.iter().for_each(|problem| print_message(&format!("failed: {name}: {problem}")));
    if !check.problems.is_empty() {
        return Ok(Some(Exit::SomeFailed));
    }
    if matches!(task, Task::Verify { json: true }) {
        print(&(serde_json::to_string_pretty(&check)? + "\n"))?;
    } else {
        let digest = check.digest.unwrap_or_else(|| "not checked in this format".into());
        let (files, documents) = (check.files, check.documents);
        print(&format!("{name}: {files} files and {documents} documents are as written; digest {digest}\n"))?;
    }
    Ok(None)
}
