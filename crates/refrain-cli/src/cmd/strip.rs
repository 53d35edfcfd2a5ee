//! `refrain strip`: removes licence headers, footers and notes from books.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use refrain::jobs::{LearnedFrom, SavedEvidence};
use refrain::source::STDIN;
use refrain::strip::StripProfile;
use refrain::text::Offsets;
use refrain::text::legible;
use refrain::write::{Compression, Format};
use refrain::{Output, Outputs, Run, Strip, StripReport};

use crate::arguments::{Given, InputArguments, OutputArguments, offsets, one_of, print_losses, print_message};
use crate::exit::Exit;
use crate::strip_method::MethodArguments;

/// Remove licence headers and footers from books
///
/// Reads the texts twice. The first time, it learns which lines the beginnings and the ends of texts share. The second time,
/// it finds the last line of the preamble and the first line of the epilogue of each text. The profile gutenberg also uses
/// evidence that ships with refrain, so one book is enough.
///
/// In an output folder, the remaining bytes of each book are unchanged, and report.jsonl lists what was found. If stripping
/// would remove a whole text, refrain keeps it and prints a note.
#[derive(Args)]
#[command(
    before_help = "Examples:\n  refrain strip samples/books/ -o clean/\n  refrain strip samples/books/lamp.txt\n  refrain strip samples/books/ --explain --worst\n  refrain strip samples/books/ --explain --format tsv -o found.tsv",
    mut_arg("output", |arg| arg.value_name("PATH").help(
        "Folder for the bodies and their report; or a file: the body of one book, documents (.jsonl, .parquet, .vert), or with \
         --explain what was found [default: standard output]"
    )),
    mut_arg("report", |arg| arg.value_name("FILE").help(
        "Write the report of the run to this file: as JSON (.json), or as a page (.html). The page shows the least certain \
         cases, the positions of frequent lines, and line frequencies"
    ))
)]
#[allow(clippy::struct_excessive_bools)] // switches of a command line
pub(crate) struct Arguments {
    #[command(flatten)]
    input: InputArguments,

    #[command(flatten)]
    method: MethodArguments,

    /// Instead of books, write what was found in each and why: as text, or as tsv or jsonl (--format)
    #[arg(long, help_heading = "Output")]
    explain: bool,

    /// With --explain: list the least certain texts first
    #[arg(long, requires = "explain", help_heading = "Output")]
    worst: bool,

    /// Write doubtful cases to this file, the least certain first, with tabs between columns
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    doubtful: Option<PathBuf>,

    /// Write preambles and epilogues to this file, one JSON object per line: where, and why
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    removed: Option<PathBuf>,

    /// Output format, if the file extension does not select it. With --explain: text (a table), tsv or jsonl; for
    /// documents: text, jsonl, parquet or vertical
    #[arg(long, value_name = "FORMAT", value_parser = one_of(&Strip::FORMATS), help_heading = "Output")]
    format: Option<Format>,

    /// Documents: keep preambles and epilogues, with their marks
    #[arg(long, conflicts_with = "explain", help_heading = "Output")]
    keep_marked: bool,

    /// With --removed or --keep-marked: unit of ranges, characters (code points) or bytes
    #[arg(long, value_name = "UNIT", default_value = "chars", value_parser = offsets(), help_heading = "Output")]
    offsets: Offsets,

    /// Folder for temporary files [default: that of the system]
    #[arg(long, value_name = "FOLDER", help_heading = "Running")]
    temporary: Option<PathBuf>,

    #[command(flatten)]
    output: OutputArguments,
}

impl Arguments {
    fn job(&self) -> Result<Strip> {
        Ok(Strip {
            read: self.input.options(),
            method: self.method.method()?,
            profile: self.method.profile,
            keep_credits: self.method.keep_credits,
            evidence: self.method.evidence.clone().map(SavedEvidence::File),
            explain: self.explain,
            worst: self.worst,
            keep_marked: self.keep_marked,
            offsets: self.offsets,
        })
    }

    fn outputs(&self) -> Result<Outputs> {
        let format = self.format.map(|format| (format, Compression::None));
        let mut outputs = self.output.outputs(format)?;
        for (name, path) in [("doubtful", &self.doubtful), ("removed", &self.removed), ("save", &self.method.save)] {
            let Some(path) = path else { continue };
            if path == Path::new(STDIN) {
                bail!("--{name} needs the name of a file");
            }
            outputs = outputs.list(name, Output::path(path)?);
        }
        Ok(outputs)
    }

    /// Refuses options that would do nothing.
    fn refuse_idle(&self, given: &Given) -> Result<()> {
        self.method.refuse_idle(given)?;
        self.output.refuse_json(given, self.explain, &["explain"])?;
        let path = self.output.path();
        let format = self.format.or_else(|| path.and_then(Format::of_path));
        if !matches!(format, Some(Format::Jsonl | Format::Parquet)) {
            let why = "needs --format jsonl or parquet; other formats have no ranges";
            given.refuse(&["keep_marked"], why)?;
        }
        if !self.keep_marked && self.removed.is_none() {
            given.refuse(&["offsets"], "needs --removed or --keep-marked; without them no ranges are written")?;
        }
        Ok(())
    }
}

pub(crate) fn run(arguments: &Arguments, given: &Given) -> Result<Exit> {
    let output = &arguments.output;
    arguments.refuse_idle(given)?;
    let (job, input, outputs) = (arguments.job()?, arguments.input.input()?, arguments.outputs()?);
    let unit = if job.profile == StripProfile::Gutenberg { "books" } else { "texts" };
    let run = Run { memory: arguments.method.memory, temporary: arguments.temporary.clone(), ..Run::default() };
    let report = output.run(run, unit, "the output was not finished", |run| job.run(&input, outputs, run))?;
    output.print_json(&report)?;
    let exit = OutputArguments::print_failures(&report.failures);
    if !output.quiet && !output.json {
        print_report(&job, &report, output.path());
    }
    output.print_account(&report.input);
    Ok(exit)
}

/// Prints what was learned from and what was found.
fn print_report(job: &Strip, report: &StripReport, path: Option<&Path>) {
    let noun = job.profile.noun();
    if let Some(learned) = report.learned.filter(|learned| learned.texts > 0) {
        print_message(&learned_from(learned, noun));
    }
    if report.books == 0 && !job.explain {
        return print_message(&format!("wrote nothing: no {noun} could be read"));
    }
    if report.emptied > 0 {
        let names: Vec<String> = report.first_emptied.iter().map(|id| legible(id)).collect();
        let more = match report.emptied - names.len() as u64 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let (text, keeps) = if report.emptied == 1 { ("a text", "it") } else { ("texts", "them") };
        let keeps = if job.explain { format!("would keep {keeps}") } else { format!("kept {keeps}") };
        print_message(&format!(
            "note: found only boilerplate in {text}, so refrain {keeps} whole: {}{more}",
            names.join(", ")
        ));
    }
    let wrote = path.map_or(String::new(), |path| format!("wrote {}: ", path.display()));
    let StripReport { books, preambles, epilogues, doubtful, .. } = report;
    let books = counted(*books, noun);
    print_message(&format!(
        "{wrote}{books}, {preambles} with a preamble, {epilogues} with an epilogue, {doubtful} doubtful"
    ));
    print_losses(&report.losses, "bytes");
}

fn learned_from(LearnedFrom { texts, distinct, shipped }: LearnedFrom, noun: &str) -> String {
    let from = match distinct == texts {
        true => counted(texts, noun),
        false => format!("{} among {texts}", counted(distinct, &format!("different {noun}"))),
    };
    match (shipped, distinct) {
        (0, _) => format!("learned from {from}"),
        (_, 0) => {
            let one = if texts == 1 { "one book" } else { "copies of one book" };
            format!("{one}: used the evidence that ships with refrain ({shipped} books)")
        }
        _ => format!("learned from {from} and from the evidence that ships with refrain ({shipped} books)"),
    }
}

/// A number of books or texts in words.
fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_command_line_has_the_defaults_of_the_library() {
        let arguments: Arguments = crate::arguments::parsed();
        assert_eq!((arguments.job().expect("a job"), arguments.method.memory), (Strip::default(), None));
    }
}
