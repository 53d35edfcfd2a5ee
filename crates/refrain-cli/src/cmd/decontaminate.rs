//! `refrain decontaminate`: remove items of benchmarks from documents.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use refrain::decontaminate::BenchmarkFields;
use refrain::jobs::ContaminatedUnit;
use refrain::text::Offsets;
use refrain::write::{Compression, Format};
use refrain::{Decontaminate, Output, Outputs, Run};

use crate::arguments::{
    Given, InputArguments, OutputArguments, counted_documents, is_folder, named, offsets, output_format, print,
    print_message,
};
use crate::exit::Exit;
use crate::stores::input;

/// Remove items of benchmarks from documents
///
/// Reads benchmarks (--evals) and finds their questions, passages, options and answers in the documents. Line breaks, case,
/// punctuation, numbering, the order of options and some words may differ. A short question is removed only if its answer
/// or its options are near it. refrain keeps uncertain items and lists them in the report.
#[derive(Args)]
#[command(
    before_help = "Example:\n  refrain decontaminate samples/quiz.jsonl --evals samples/evals/ -o clean.jsonl",
    mut_arg("report", |arg| arg.value_name("FILE").help(
        "Write the report of the run to this file: as JSON (.json), or as a page (.html) that shows both sides"
    ))
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: InputArguments,
    /// Benchmarks: JSONL or Parquet files, or folders of them; one per file. Takes all names up to the next option
    #[arg(long, value_name = "INPUT", required = true, num_args = 1.., help_heading = "Benchmarks")]
    evals: Vec<String>,

    /// Field of a benchmark record that holds the question [default: recognised by its name]
    #[arg(long, value_name = "NAME", help_heading = "Benchmarks")]
    question_field: Option<String>,
    /// Field that holds the answer: its text, or the number or letter of the option [default: recognised by its name]
    #[arg(long, value_name = "NAME", help_heading = "Benchmarks")]
    answer_field: Option<String>,
    /// Field that holds the passage that the question is about [default: recognised by its name]
    #[arg(long, value_name = "NAME", help_heading = "Benchmarks")]
    passage_field: Option<String>,
    /// Field that holds the list of options [default: recognised by its name]
    #[arg(long, value_name = "NAME", help_heading = "Benchmarks")]
    options_field: Option<String>,
    /// What to remove: the text of an item, or the whole document that contains it
    #[arg(long, value_name = "UNIT", default_value = "passage", value_parser = named(vec![("passage", ContaminatedUnit::Passage), ("document", ContaminatedUnit::Document)]), help_heading = "Benchmarks")]
    by: ContaminatedUnit,
    /// Output format, if the file extension does not select it [default: jsonl]
    #[arg(long, value_name = "FORMAT", value_parser = output_format(), help_heading = "Output")]
    format: Option<(Format, Compression)>,

    /// Write what was removed to this file, one JSON object per line: where, and which item it is
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    removed: Option<PathBuf>,

    /// Instead of documents, write what was removed and why: as text, or as the JSON of --removed (--format jsonl)
    #[arg(long, help_heading = "Output")]
    explain: bool,

    /// Keep what was found, with its marks
    #[arg(long, conflicts_with = "explain", help_heading = "Output")]
    keep_marked: bool,
    /// Unit of ranges: characters (code points) or bytes
    #[arg(long, value_name = "UNIT", default_value = "chars", value_parser = offsets(), help_heading = "Output")]
    offsets: Offsets,
    #[command(flatten)]
    output: OutputArguments,
}

impl Arguments {
    fn job(&self) -> Decontaminate {
        Decontaminate {
            read: self.input.options(),
            fields: BenchmarkFields {
                question: self.question_field.clone(),
                answer: self.answer_field.clone(),
                passage: self.passage_field.clone(),
                options: self.options_field.clone(),
            },
            unit: self.by,
            keep_marked: self.keep_marked,
            offsets: self.offsets,
        }
    }

    fn outputs(&self, given: &Given) -> Result<Outputs> {
        let mut outputs = self.output.outputs(self.format)?;
        if let Some(path) = &self.removed {
            outputs = outputs.removed(path)?;
        }
        if !self.explain {
            return Ok(outputs);
        }
        self.output.refuse_json(given, true, &["explain"])?;
        let asked = self.format.map(|(format, _)| format);
        let (path, output) = match self.output.path() {
            Some(path) if is_folder(path) => {
                bail!("{} is a folder, but --explain writes one file; name a file", path.display())
            }
            Some(path) => (path, Output::path(path)?),
            None => (Path::new("standard output"), Output::Stdout),
        };
        let asked = asked.or(self.output.path().is_none().then_some(Format::Text));
        let is_jsonl = Format::choose(path, asked, &[Format::Text, Format::Jsonl])? == Format::Jsonl;
        if is_jsonl && self.removed.is_some() {
            bail!("--explain with --format jsonl writes what --removed lists; remove one of them");
        }
        Ok(outputs.discard_main().list(if is_jsonl { "removed" } else { "explain" }, output))
    }
}

pub(crate) fn run(arguments: &Arguments, given: &Given) -> Result<Exit> {
    let (output, job) = (&arguments.output, arguments.job());
    let (input, evals) = (arguments.input.input()?, input(&arguments.evals)?);
    let outputs = arguments.outputs(given)?;
    let search = |run: &Run| job.run(&input, &evals, outputs, run);
    let report = output.run(Run::default(), "documents", "the output was not finished", search)?;
    output.print_json(&report)?;
    if !output.quiet && !output.json && output.path().is_some() {
        print(&report.to_string())?;
    }
    let exit = OutputArguments::print_failures(&report.failures);
    if let Some(path) = output.path().filter(|_| !output.quiet) {
        let (what, count) = match arguments.explain {
            true => ("what would be removed of ", report.documents),
            false => ("", report.documents_kept),
        };
        let [documents, found] = [count, report.documents_contaminated].map(counted_documents);
        print_message(&format!("wrote {what}{documents} to {}; found items of benchmarks in {found}", path.display()));
    }
    output.print_account(&report.input);
    Ok(exit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_those_of_the_job() {
        let arguments = crate::arguments::parsed_with::<Arguments>(&["--evals", "evals/"]);
        assert_eq!(arguments.job(), Decontaminate::default());
    }
}
