//! `refrain audit`: removals drawn at random, for people to judge, and the sum of their verdicts.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use refrain::jobs::AuditVerdicts;
use refrain::{Audit, Run};

use crate::arguments::{Given, OutputArguments, print, print_message};
use crate::exit::Exit;

/// Draw a random sample of removed text, so that people can judge each removal
///
/// Reads the output of corpus, dedup, strip, template, extract or convert. Half of the sample is drawn evenly from all rules and
/// scores, and half in proportion to the removals. -o audit.html writes a page that shows both sides, where you enter verdicts with
/// the keyboard. -o sample.jsonl writes the drawn items. --verdicts prints the rate of wrong removals per rule and overall, with its 95 % interval, from saved verdicts.
#[derive(Args)]
#[command(
    before_help = "Examples:\n  refrain corpus samples/crawl.warc.gz -o corpus/\n  refrain audit corpus/ -o audit.html\n  refrain audit --verdicts verdicts.jsonl"
)]
pub(crate) struct Arguments {
    /// Folder that a run wrote; or its file of documents, with --removed. refrain searches all of them for the text that was
    /// copied
    #[arg(value_name = "OUTPUT", required_unless_present = "verdicts", conflicts_with = "verdicts")]
    outputs: Vec<String>,

    /// The list that the run wrote with --removed, if the output is not a folder
    #[arg(long, value_name = "FILE")]
    removed: Option<PathBuf>,

    /// Number of removals to draw
    #[arg(long, value_name = "N", default_value_t = Audit::default().sample as u64, value_parser = clap::value_parser!(u64).range(1..))]
    sample: u64,

    /// Seed of the random sample: the same seed draws the same removals
    #[arg(long, value_name = "N", default_value_t = Audit::default().seed)]
    seed: u64,

    /// Evaluate these verdicts, one JSON object per line, instead of drawing a sample
    #[arg(long, value_name = "FILE", num_args = 1..)]
    verdicts: Vec<PathBuf>,

    #[command(flatten)]
    output: OutputArguments,
}

impl Arguments {
    fn job(&self) -> Audit {
        let sample = usize::try_from(self.sample).unwrap_or(usize::MAX);
        Audit { sample, seed: self.seed, removed: self.removed.clone() }
    }
}

pub(crate) fn run(arguments: &Arguments, given: &Given) -> Result<Exit> {
    let (output, job) = (&arguments.output, arguments.job());
    if !arguments.verdicts.is_empty() {
        given.refuse(
            &["removed", "sample", "seed", "output", "overwrite", "errors", "report"],
            "has no effect with --verdicts",
        )?;
        let sum = AuditVerdicts::read(&arguments.verdicts)?;
        output.print_json(&sum)?;
        if !output.json {
            print(&sum.to_string())?;
        }
        return Ok(Exit::Done);
    }
    if output.overwrite {
        bail!("--overwrite is for folders; an audit is one file");
    }
    let results = output.outputs(None)?;
    let report = output
        .run(Run::default(), "documents", "nothing was written", |run| job.run(&arguments.outputs, results, run))?;
    output.print_json(&report)?;
    if let Some(path) = output.path().filter(|_| !output.quiet) {
        print_message(&format!("wrote {} of {} removals to {}", report.drawn, report.removals, path.display()));
    }
    Ok(OutputArguments::print_failures(&report.failures))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_those_of_the_job() {
        let arguments: Arguments = crate::arguments::parsed();
        assert_eq!(arguments.job(), Audit::default());
    }
}
