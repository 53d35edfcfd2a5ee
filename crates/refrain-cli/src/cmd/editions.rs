//! `refrain editions`: which books are editions of which, and where they overlap.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use refrain::editions::BaselineMethod;
use refrain::jobs::EditionsInput;
use refrain::jobs::Threshold;
use refrain::text::legible;
use refrain::write::Format;
use refrain::{Editions, EditionsReport, Outputs, Run};

use crate::arguments::{
    Given, InputArguments, OutputArguments, is_folder, named, one_of, print, print_message, share, size,
};
use crate::exit::Exit;
use crate::stores::input;

/// Find editions of the same work, complete or partial, and show where they overlap
///
/// refrain compares the words and word pairs that occur once or twice in a book. Books in which they
/// occur at the same distances share text. This also works for bad scans, for stories in another order, and for a book
/// that is part of a collection. Licences before and after books do not count. Translations are not editions of each other.
#[derive(Args)]
#[command(
    before_help = "Examples:\n  refrain editions samples/editions/ -o editions/\n  refrain editions samples/editions/ --format tsv -o pairs.tsv\n  refrain editions samples/editions/ --index books.index -o pairs.tsv\n  refrain editions books.index --against samples/editions/lamp-scanned.txt",
    mut_arg("output", |arg| arg.value_name("PATH").help(
        "Folder for pairs, works and a page with pictures; or a file of pairs (.tsv, .jsonl, .parquet) \
         [default: a table on standard output]"
    ))
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: InputArguments,

    /// Look only for these books among the others
    #[arg(long, value_name = "INPUT", num_args = 1.., help_heading = "Books")]
    against: Vec<String>,

    /// Save an index of all books to this file; use it as an INPUT of later runs instead of the books
    #[arg(long, value_name = "FILE", help_heading = "Books")]
    index: Option<PathBuf>,

    /// Also compare licences and notices at the start and the end of books
    #[arg(long, help_heading = "Books")]
    no_strip: bool,

    /// How to compare books: by chains of rare words (default), or by a published method: DUPNIQ (cs, its), the overlap
    /// of unique words (uwo) or vocabularies (vo), shingles, I-Match. Published methods find no passages and keep all
    /// sets of words in memory
    #[arg(long, value_name = "METHOD", default_value = "default", value_parser = methods(), help_heading = "Comparison")]
    method: Chosen,

    /// Published methods: the score that a pair must reach, or `calibrated` for clean texts without licences [default:
    /// as published]
    #[arg(long, value_name = "SCORE", value_parser = threshold, help_heading = "Comparison")]
    threshold: Option<Threshold>,

    /// Format of the pairs, if the file extension does not select it
    #[arg(long, value_name = "FORMAT", value_parser = one_of(Editions::FORMATS), help_heading = "Output")]
    format: Option<Format>,

    /// Memory limit
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = size, allow_negative_numbers = true, help_heading = "Running")]
    memory: u64,

    /// Folder for temporary files [default: that of the system]
    #[arg(long, value_name = "FOLDER", help_heading = "Running")]
    temporary: Option<PathBuf>,

    #[command(flatten)]
    output: OutputArguments,
}

fn threshold(text: &str) -> Result<Threshold, String> {
    if text == "calibrated" { Ok(Threshold::Calibrated) } else { share(text).map(Threshold::Score) }
}

/// The default method, or a published one.
#[derive(Debug, Clone, Copy)]
struct Chosen(Option<BaselineMethod>);

fn methods() -> impl clap::builder::TypedValueParser<Value = Chosen> {
    let published = BaselineMethod::ALL.map(|(name, method)| (name, Chosen(Some(method))));
    named(std::iter::once(("default", Chosen(None))).chain(published).collect())
}

/// Pairs that the table on the terminal shows.
const SHOWN: usize = 40;
/// Books that are named one by one.
const NAMED: usize = 20;

impl Arguments {
    fn job(&self) -> Editions {
        let (method, threshold) = (self.method.0, self.threshold);
        Editions { read: self.input.options(), no_strip: self.no_strip, method, threshold }
    }

    fn input(&self) -> Result<EditionsInput> {
        let against = (!self.against.is_empty()).then(|| input(&self.against)).transpose()?;
        Ok(EditionsInput { books: self.input.input()?, against })
    }

    fn outputs(&self) -> Result<Outputs> {
        self.output.outputs_of_pairs(self.format, "index", self.index.as_deref())
    }

    /// Prints what was found, and which books could not be compared.
    fn print_report(&self, report: &EditionsReport) -> Result<()> {
        if self.output.quiet {
            return Ok(());
        }
        let is_report = self.format == Some(Format::Report) || self.output.path().is_some_and(is_folder);
        if self.output.prints_table(self.format) || (is_report && !self.output.json) {
            let mut table = report.table(SHOWN);
            if let Some(more) = report.pairs.len().checked_sub(SHOWN).filter(|more| *more > 0) {
                table = format!("{table}and {more} more pairs (write all of them with -o pairs.tsv or -o editions/)\n");
            }
            print(&table)?;
        }
        print_books("too short to compare", report, &report.too_short);
        print_books("alphabetical lists, not compared with each other", report, &report.lists);
        let wrote = self.output.path().map_or(String::new(), |path| format!("wrote {}: ", path.display()));
        let count = |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
        let share = if report.pairs.len() == 1 { "shares" } else { "share" };
        let works = report.works.iter().filter(|work| work.books.len() > 1).count();
        let (books, pairs) = (count(report.books.len(), "book"), count(report.pairs.len(), "pair"));
        print_message(&format!(
            "{wrote}{books}, {pairs} that {share} text, {} with several editions",
            count(works, "work")
        ));
        if let Some(index) = &self.index {
            print_message(&format!("saved the index {}", index.display()));
        }
        Ok(())
    }
}

/// Prints the names of some books.
fn print_books(what: &str, report: &EditionsReport, books: &[u32]) {
    let found = books.iter().take(NAMED).filter_map(|number| report.books.get(*number as usize));
    let names: Vec<String> = found.map(|book| legible(book.name())).collect();
    let more = if books.len() > NAMED { format!(" and {} more", books.len() - NAMED) } else { String::new() };
    if !names.is_empty() {
        print_message(&format!("note: {what}: {}{more}", names.join(", ")));
    }
}

pub(crate) fn run(arguments: &Arguments, given: &Given) -> Result<Exit> {
    let output = &arguments.output;
    if arguments.method.0.is_none() {
        given.refuse(&["threshold"], "needs a published method (--method)")?;
    }
    let (job, input, outputs) = (arguments.job(), arguments.input()?, arguments.outputs()?);
    let run = Run { memory: Some(arguments.memory), temporary: arguments.temporary.clone(), ..Run::default() };
    let left = if arguments.index.is_some() { "no pairs were written" } else { "nothing was written" };
    let report = output.run(run, "books", left, |run| job.run(input, outputs, run))?;
    output.print_json(&report)?;
    if report.compared {
        arguments.print_report(&report)?;
    }
    let exit = OutputArguments::print_failures(&report.failures);
    if report.compared {
        output.print_account(&report.input);
        return Ok(exit);
    }
    let read = match report.books.as_slice() {
        [] => "no book could be read".to_owned(),
        [only] => format!("{}: this is the only book that could be read", legible(only.name())),
        _ => "only the books of one side could be read".to_owned(),
    };
    print_message(&format!("failed: {read}: nothing to compare; name at least two books, or a folder"));
    output.print_account(&report.input);
    Ok(Exit::SomeFailed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_those_of_the_job() {
        let arguments: Arguments = crate::arguments::parsed();
        assert_eq!((arguments.job(), arguments.memory), (Editions::default(), Editions::MEMORY));
    }
}
