//! `refrain why`: what was removed from one document, and why.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use refrain::{Run, Why};

use crate::arguments::{OutputArguments, print, run_job, thread_number};
use crate::exit::Exit;
use crate::progress::Shown;

/// Explain what was removed from one document
///
/// Reads the output of corpus, dedup, strip, template, extract or convert. Prints a summary of two lines. Then it prints each
/// removed range: the rule, the reason, the beginning of its text, and the text that it was copied from.
#[derive(Args)]
#[command(
    before_help = "Examples:\n  refrain corpus samples/crawl.warc.gz -o corpus/\n  refrain why fog-signals.html corpus/"
)]
pub(crate) struct Arguments {
    /// Id, URL or file name of a document, or a part of one of these. If several documents match, refrain lists them
    #[arg(value_name = "ID")]
    id: String,

    /// Folder that a run wrote; or its file of documents, with --removed. refrain searches all of them for the text that was
    /// copied
    #[arg(value_name = "OUTPUT", required = true)]
    outputs: Vec<String>,

    /// The list that the run wrote with --removed, if the output is not a folder
    #[arg(long, value_name = "FILE")]
    removed: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Number of threads, 1 to 256 [default: number of cores]
    #[arg(long, value_name = "N", value_parser = thread_number, allow_negative_numbers = true)]
    threads: Option<usize>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit> {
    let job = Why { document: arguments.id.clone(), removed: arguments.removed.clone() };
    let run = Run { threads: arguments.threads, ..Run::default() };
    let report =
        run_job(run, Shown::Bar, "documents", || "nothing was printed".into(), |run| job.run(&arguments.outputs, run))?;
    let json = serde_json::to_string_pretty(&report)? + "\n";
    print(&if arguments.json { json } else { report.to_string() })?;
    Ok(OutputArguments::print_failures(&report.failures))
}
