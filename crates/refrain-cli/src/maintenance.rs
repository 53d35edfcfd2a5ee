//! What `refrain corpus` does with complete corpora.

use std::path::Path;

use anyhow::Result;
use refrain::jobs::corpus::CorpusCheck;
use refrain::{Corpus, Run};

use crate::arguments::{print, print_message, run_job};
use crate::exit::Exit;

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

/// Checks or changes the corpora in these folders.
pub(crate) fn maintain(folders: &[String], task: Task, threads: Option<usize>, quiet: bool) -> Result<Exit> {
    let mut exit = Exit::Done;
    for name in folders {
        let (folder, run) = (Path::new(name), Run { threads, ..Run::default() });
        let change = |work: &dyn Fn(&Run) -> refrain::Result<refrain::jobs::corpus::Manifest>| {
            let manifest = run_job(run.clone(), !quiet, "documents", "the corpus is as it was before", work)?;
            print_message(&format!("{name}: {} documents", manifest.statistics.total.kept.documents));
            anyhow::Ok(())
        };
        match task {
            Task::RemoveBatch(batch) => change(&|run| Corpus::remove_batch(folder, batch, run))?,
            Task::RebuildEvidence => change(&|run| Corpus::rebuild_evidence(folder, run))?,
            Task::Verify { json } => {
                let check = |run: &Run| CorpusCheck::of(folder, run);
                let check = run_job(run, !quiet, "documents", "nothing was checked", check)?;
                check.problems.iter().for_each(|problem| print_message(&format!("failed: {name}: {problem}")));
                if !check.problems.is_empty() {
                    exit = Exit::SomeFailed;
                } else if json {
                    print(&(serde_json::to_string_pretty(&check)? + "\n"))?;
                } else {
                    let digest = check.digest.unwrap_or_else(|| "not checked in this format".into());
                    let (files, documents) = (check.files, check.documents);
                    print(&format!(
                        "{name}: {files} files and {documents} documents are as written; digest {digest}\n"
                    ))?;
                }
            }
        }
    }
    Ok(exit)
}
