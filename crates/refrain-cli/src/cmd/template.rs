//! `refrain template`: the content of pages without the template of their site.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use refrain::jobs::{RangeUnit, TemplateBy, TemplateMethod, TemplateResult};
use refrain::write::{Compression, Format};
use refrain::{Output, Outputs, Run, Template, TemplateReport};

use crate::arguments::{
    Given, InputArguments, OutputArguments, named, one_of, print, print_losses, print_message, size,
};
use crate::exit::Exit;

/// Remove the template of a site from its pages, and keep content or records
///
/// Reads the pages twice: first to learn what the pages of a site share, then to mark it in each page. Detects which pages
/// belong to the same site. A site needs at least three different pages. With fewer, refrain extracts each page on its
/// own, as `refrain extract` does, and prints a note.
#[derive(Args)]
#[command(
    before_help = "Examples:\n  refrain template samples/site/ -o content/\n  refrain template samples/crawl.warc.gz --by host --format text\n  refrain template samples/site/ --records --format csv\n  refrain template samples/site/ --show -o pages.html",
    mut_arg("output", |arg| arg.value_name("PATH").help(
        "Folder for the content of the pages; or a file. It holds documents (.txt, .jsonl, .parquet, .vert), a table of records \
         (.csv, .tsv, .jsonl, .parquet), or the pages of --show (.html) [default: standard output]"
    ))
)]
#[allow(clippy::struct_excessive_bools)] // switches of a command line
pub(crate) struct Arguments {
    #[command(flatten)]
    input: InputArguments,

    /// Which pages may share a template: all, those of one host, or those of one folder
    #[arg(long, value_name = "WHAT", default_value = "all", value_parser = named(TemplateBy::ALL.to_vec()), help_heading = "Method")]
    by: TemplateBy,

    /// How to find templates: by a backbone of shared tokens (default), or by frequent n-grams, as published
    #[arg(long, value_name = "METHOD", default_value = "backbone", value_parser = named(TemplateMethod::ALL.to_vec()), help_heading = "Method")]
    method: TemplateMethod,

    /// Use the templates in this file, which --save wrote, instead of learning them
    #[arg(long, value_name = "FILE", help_heading = "Method")]
    evidence: Option<PathBuf>,

    /// Write the learned templates to this file, for --evidence
    #[arg(long, value_name = "FILE", help_heading = "Method")]
    save: Option<PathBuf>,

    /// Memory for the pages to learn from. If they do not fit, refrain uses a sample, with an equal share for each host
    #[arg(long, value_name = "SIZE", default_value = "128M", value_parser = size, allow_negative_numbers = true, help_heading = "Running")]
    memory: u64,

    /// Instead of content, write its ranges, one JSON object per page. They count characters or bytes of the page, or
    /// characters of the normalised page, in which one space replaces every run of white space
    #[arg(long, value_name = "UNIT", value_parser = named(RangeUnit::ALL.to_vec()), help_heading = "Output")]
    ranges: Option<RangeUnit>,

    /// Write a table: one row per page, one column per inferred field
    #[arg(long, conflicts_with_all = ["ranges", "show"], help_heading = "Output")]
    records: bool,

    /// With --records: use the fields in this file, which --save-wrapper wrote, instead of learning them
    #[arg(long, value_name = "FILE", requires = "records", help_heading = "Output")]
    wrapper: Option<PathBuf>,

    /// With --records: write the delimiters of fields to this file, for --wrapper
    #[arg(long, value_name = "FILE", requires = "records", conflicts_with = "wrapper", help_heading = "Output")]
    save_wrapper: Option<PathBuf>,

    /// Show whole pages with their template in grey
    #[arg(long, conflicts_with = "ranges", help_heading = "Output")]
    show: bool,

    /// Output format, if the file name does not state it: text, jsonl, parquet or vertical; csv and tsv for --records
    #[arg(long, value_name = "FORMAT", value_parser = one_of(&FORMATS), help_heading = "Output")]
    format: Option<Format>,

    /// Folder for temporary files [default: that of the system]
    #[arg(long, value_name = "FOLDER", help_heading = "Running")]
    temporary: Option<PathBuf>,

    #[command(flatten)]
    output: OutputArguments,
}

/// The values of `--format`.
const FORMATS: [Format; 6] = [Format::Text, Format::Jsonl, Format::Parquet, Format::Vertical, Format::Csv, Format::Tsv];

impl Arguments {
    fn job(&self) -> Template {
        Template {
            read: self.input.options(),
            by: self.by,
            method: self.method,
            evidence: self.evidence.clone(),
            memory: self.memory,
            result: self.result(),
            wrapper: self.wrapper.clone(),
        }
    }

    /// The kind of result to write.
    fn result(&self) -> TemplateResult {
        let to_terminal = self.output.path().is_none() && std::io::stdout().is_terminal();
        match self.ranges {
            Some(unit) => TemplateResult::Ranges(unit),
            None if self.records => TemplateResult::Records,
            None if self.show && to_terminal => TemplateResult::ShowInTerminal,
            None if self.show => TemplateResult::Show,
            None => TemplateResult::Content,
        }
    }

    fn outputs(&self) -> Result<Outputs> {
        let format = self.format.map(|format| (format, Compression::None));
        let mut outputs = self.output.outputs(format)?;
        for (name, path) in [("save", &self.save), ("save_wrapper", &self.save_wrapper)] {
            if let Some(path) = path {
                outputs = outputs.list(name, Output::path(path)?);
            }
        }
        Ok(outputs)
    }

    /// Refuses options that would have no effect.
    fn refuse_idle(&self, given: &Given) -> Result<()> {
        if self.method == TemplateMethod::FindOptimal {
            let own = ["by", "evidence", "save", "memory", "records", "wrapper"];
            given.refuse(&own, "needs the default method; remove --method findoptimal")?;
        }
        let other = self.ranges.is_some() || self.records || self.show;
        self.output.refuse_json(given, other, &["ranges", "records", "show"])?;
        if self.evidence.is_some() {
            given.refuse(&["save", "memory"], "has no effect with --evidence, because nothing is learned")?;
            given.refuse(&["records"], "learns its fields from pages; remove --evidence, or name a --wrapper")?;
        }
        if self.wrapper.is_some() {
            given.refuse(&["save", "memory", "by"], "has no effect with --wrapper, because nothing is learned")?;
        }
        Ok(())
    }
}

pub(crate) fn run(arguments: &Arguments, given: &Given) -> Result<Exit> {
    let output = &arguments.output;
    arguments.refuse_idle(given)?;
    let (job, input, outputs) = (arguments.job(), arguments.input.input()?, arguments.outputs()?);
    let left = "the output was not finished";
    let run = Run { temporary: arguments.temporary.clone(), ..Run::default() };
    let report = output.run(run, "pages", left, |run| job.run(&input, outputs, run))?;
    if output.json {
        print(&(serde_json::to_string(&report.summary())? + "\n"))?;
    }
    let exit = OutputArguments::print_failures(&report.failures);
    if let (Some(path), Some(before), true) = (&arguments.evidence, report.fitted_before, report.no_longer_fits) {
        print_message(&format!(
            "note: {} no longer fits: {} of {} pages match its templates ({:.0} % when it was learned); learn it again with --save",
            path.display(),
            report.fitting,
            report.pages,
            100.0 * before
        ));
    }
    if !output.quiet {
        print_report(&report, arguments.result(), output.path());
    }
    output.print_account(&report.input);
    Ok(exit)
}

/// Prints a summary.
fn print_report(report: &TemplateReport, result: TemplateResult, path: Option<&Path>) {
    if report.learned_from < report.observed {
        let (learned_from, observed) = (report.learned_from, report.observed);
        print_message(&format!(
            "note: learned from a sample of {learned_from} of {observed} pages; raise --memory to use all"
        ));
    }
    if report.pages == 0 {
        return print_message("wrote nothing: no page could be read");
    }
    let wrote = path.map_or(String::new(), |path| format!("wrote {}: ", path.display()));
    let pages = counted(report.pages as usize, "page");
    let by = match report.cut {
        Some(cut) => format!("cut at n {} and a {}", cut.n, cut.a),
        None if result == TemplateResult::Records => counted(report.fields.len(), "field"),
        None => counted(report.templates.len(), "template"),
    };
    let mut notes = Vec::new();
    if report.other_kind > 0 {
        notes.push(format!("{} that belong to no template and have no content", report.other_kind));
    }
    if report.empty > report.other_kind {
        notes.push(format!("{} without content", report.empty - report.other_kind));
    }
    let notes = if notes.is_empty() { String::new() } else { format!("; {}", notes.join(", ")) };
    print_message(&format!("{wrote}{pages}, {by}{notes}"));
    if report.alone > 0 {
        let (have, content) = if report.alone == 1 { ("has", "its content") } else { ("have", "their content") };
        print_message(&format!(
            "note: {} of {pages} {have} no template, because a template needs at least {} different pages of a site; refrain \
             extracted {content} page by page, as refrain extract does",
            report.alone,
            Template::LEAST_PAGES
        ));
    }
    print_losses(&report.losses, "words");
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_are_not_given_are_the_defaults_of_the_job() {
        let arguments: Arguments = crate::arguments::parsed();
        assert_eq!(arguments.job(), Template::default());
    }
}
