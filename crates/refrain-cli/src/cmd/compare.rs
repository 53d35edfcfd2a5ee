//! `refrain compare`: passages that documents share.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use refrain::compare::WordRule;
use refrain::jobs::{CompareInput, NamedPairs};
use refrain::text::Offsets;
use refrain::text::legible;
use refrain::write::Format;
use refrain::{Compare, CompareReport, Outputs, Run};

use crate::arguments::{
    Given, InputArguments, OutputArguments, is_folder, named, offsets, one_of, print, print_message, share, size,
};
use crate::exit::Exit;
use crate::stores::input;

/// Find passages that documents share, and rank the pairs
///
/// Each document becomes the set of its word trigrams. R is the share of the trigrams of both documents that both
/// contain. C is the share of the trigrams of one document that the other contains. Pairs with enough of either, or
/// with a long passage, are listed, the most similar first. Their passages are listed, too, even if edited. A score
/// shows where to look; it proves nothing.
#[derive(Args)]
#[command(before_help = "Example:\n  refrain compare samples/essays -o report/", mut_arg("output", |arg| arg.help("Folder for a report (its name ends with /), or file whose extension states format and compression (.gz, .zst) [default: a table on standard output]")))]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: InputArguments,

    /// Output format, if the file extension does not select it
    #[arg(long, value_name = "FORMAT", value_parser = one_of(Compare::FORMATS), help_heading = "Output")]
    format: Option<Format>,

    /// Unit of ranges: characters (code points) or bytes
    #[arg(long, value_name = "UNIT", default_value = "chars", value_parser = offsets(), help_heading = "Output")]
    offsets: Offsets,

    /// Replace names by numbers, and write the key to this file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    anonymous: Option<PathBuf>,

    /// Compute scores only, without passages
    #[arg(long, help_heading = "Output")]
    no_passages: bool,

    /// Compare the inputs with these files or folders too, but do not compare these with each other. Takes all names up
    /// to the next option
    #[arg(long, value_name = "INPUT", num_args = 1.., help_heading = "Documents")]
    reference: Vec<String>,

    /// Ignore text that occurs in these files, such as the assignment. Takes all names up to the next option
    #[arg(long, value_name = "INPUT", num_args = 1.., help_heading = "Documents")]
    exclude: Vec<String>,

    /// Compare only these pairs: a file with two ids per line, separated by a tab
    #[arg(long, value_name = "FILE", help_heading = "Documents")]
    pairs: Option<PathBuf>,

    /// Treat the files of each folder as one document
    #[arg(long, help_heading = "Documents")]
    folders: bool,

    /// What counts as a word: letters (lower case, letters only), sentences (as written, all numbers equal) or code
    /// (names, numbers and signs of programs)
    #[arg(long, value_name = "TOKENS", default_value = Compare::default().tokens.name(), value_parser = named(WordRule::ALL.map(|rule| (rule.name(), rule)).to_vec()), help_heading = "Comparison")]
    tokens: WordRule,

    /// Number of words in an n-gram
    #[arg(long, value_name = "N", default_value_t = Compare::default().ngram as u8, value_parser = clap::value_parser!(u8).range(1..=100), help_heading = "Comparison")]
    ngram: u8,

    /// List pairs with this resemblance R or more, from 0 to 1 or in percent
    #[arg(long, value_name = "SHARE", default_value_t = Compare::default().resemblance, value_parser = share, help_heading = "Comparison")]
    resemblance: f64,

    /// List pairs in which one document contains at least this share of the other, C
    #[arg(long, value_name = "SHARE", default_value_t = Compare::default().containment, value_parser = share, help_heading = "Comparison")]
    containment: f64,

    /// List pairs that share a passage of this many words or more, whatever their R and C; 0 lists none for their passages
    #[arg(long, value_name = "WORDS", default_value_t = Compare::default().passage_words, help_heading = "Comparison")]
    passage_words: u64,

    /// Ignore n-grams that occur in more than this share of the documents, if there are at least 20
    #[arg(long, value_name = "SHARE", default_value_t = Compare::default().common, value_parser = share, help_heading = "Comparison")]
    common: f64,

    /// Also compare lists of references
    #[arg(long, help_heading = "Comparison")]
    keep_references: bool,

    /// Memory limit
    #[arg(long, value_name = "SIZE", default_value = "512M", value_parser = size, allow_negative_numbers = true, help_heading = "Running")]
    memory: u64,

    /// Folder for temporary files [default: that of the system]
    #[arg(long, value_name = "FOLDER", help_heading = "Running")]
    temporary: Option<PathBuf>,

    #[command(flatten)]
    output: OutputArguments,
}

/// Pairs that the table on the terminal shows.
const SHOWN: usize = 40;

impl Arguments {
    fn job(&self) -> Compare {
        Compare {
            read: self.input.options(),
            tokens: self.tokens,
            ngram: usize::from(self.ngram),
            resemblance: self.resemblance,
            containment: self.containment,
            passage_words: self.passage_words,
            common: self.common,
            keep_references: self.keep_references,
            folders: self.folders,
            no_passages: self.no_passages,
            anonymous: self.anonymous.is_some(),
            offsets: self.offsets,
        }
    }

    fn input(&self) -> Result<CompareInput> {
        let paths = |names: &[String]| (!names.is_empty()).then(|| input(names)).transpose();
        Ok(CompareInput {
            documents: self.input.input()?,
            reference: paths(&self.reference)?,
            exclude: paths(&self.exclude)?,
            pairs: self.pairs.as_ref().map(NamedPairs::read).transpose().context("--pairs")?,
        })
    }

    fn outputs(&self) -> Result<Outputs> {
        self.output.outputs_of_pairs(self.format, "key", self.anonymous.as_deref())
    }

    /// The format, as far as the command line says it.
    fn format(&self) -> Format {
        let by_name = |path: &Path| match is_folder(path) {
            true => Some(Format::Report),
            false => Format::of_path_among(path, Compare::FORMATS),
        };
        self.format.or_else(|| self.output.path().and_then(by_name)).unwrap_or(Format::Table)
    }

    /// Refuses options that would do nothing.
    fn refuse_idle(&self, given: &Given) -> Result<()> {
        if self.pairs.is_some() {
            let why = "has no effect with --pairs, which lists every named pair";
            given.refuse(&["resemblance", "containment", "passage_words", "common", "reference", "folders"], why)?;
        }
        if self.anonymous.is_some() {
            given.refuse(&["json", "report"], "would name the documents; write pairs with -o pairs.json")?;
        }
        if self.no_passages {
            given.refuse(&["offsets", "passage_words"], "has no effect with --no-passages")?;
        }
        if !matches!(self.format(), Format::Jsonl | Format::Json | Format::Report) {
            given.refuse(&["offsets"], "needs --format jsonl, json or a report; other formats have no ranges")?;
        }
        Ok(())
    }

    /// Prints what was found.
    fn print_report(&self, report: &CompareReport) -> Result<()> {
        let is_report = self.format() == Format::Report;
        if self.output.quiet {
            return Ok(());
        }
        let path = self.output.path();
        if self.output.prints_table(self.format) || (is_report && path.is_some() && !self.output.json) {
            let mut table = self.job().table(report, SHOWN);
            if let Some(more) = report.pairs.len().checked_sub(SHOWN).filter(|more| *more > 0) {
                table = format!("{table}and {more} more pairs (write all of them with -o pairs.csv or -o report/)\n");
            }
            print(&table)?;
        }
        let Some(path) = path else { return Ok(()) };
        if !report.common.is_empty() {
            print_message("text that occurs in most documents was ignored; --common 100% includes it");
        }
        let (documents, pairs) = (report.documents.len(), report.pairs.len());
        let pairs = if pairs == 1 { "1 pair".to_owned() } else { format!("{pairs} pairs") };
        let page = if is_report { "; open report.html in it" } else { "" };
        print_message(&format!("compared {documents} documents, wrote {pairs} to {}{page}", path.display()));
        Ok(())
    }

    /// Prints why nothing was compared.
    fn print_too_few(&self, report: &CompareReport) {
        let read = match report.documents.first() {
            Some(only) => format!(
                "{}: this is the only document that could be read",
                legible(only.url.as_deref().unwrap_or(&only.id))
            ),
            None => "no document could be read".to_owned(),
        };
        let way_out = match self.folders {
            true => "name a folder that contains one folder per document",
            false => "name at least two files, or a folder",
        };
        print_message(&format!("failed: {read}: nothing to compare; {way_out}"));
    }
}

pub(crate) fn run(arguments: &Arguments, given: &Given) -> Result<Exit> {
    let output = &arguments.output;
    arguments.refuse_idle(given)?;
    let (job, input, outputs) = (arguments.job(), arguments.input()?, arguments.outputs()?);
    let run = Run { memory: Some(arguments.memory), temporary: arguments.temporary.clone(), ..Run::default() };
    let report = output.run(run, "documents", "nothing was written", |run| job.run(input, outputs, run))?;
    output.print_json(&report)?;
    let is_compared = report.documents.len() > 1;
    if is_compared {
        arguments.print_report(&report)?;
    }
    let exit = OutputArguments::print_failures(&report.failures);
    if !is_compared {
        arguments.print_too_few(&report);
    }
    output.print_account(&report.input);
    Ok(if is_compared { exit } else { Exit::SomeFailed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_those_of_the_job() {
        let arguments: Arguments = crate::arguments::parsed();
        assert_eq!((arguments.job(), arguments.memory), (Compare::default(), Compare::MEMORY));
    }
}
