//! `refrain library`: sources that are kept, to check documents against them.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use refrain::compare::WordRule;
use refrain::jobs::{CheckInput, ListedSource};
use refrain::text::legible;
use refrain::write::{Compression, Format};
use refrain::{Library, LibraryCheck, LibraryOptions, Run};
use serde_json::json;

use crate::arguments::{InputArguments, OutputArguments, counted_documents, named, print, print_message, share, size};
use crate::exit::Exit;
use crate::stores::input;

/// Store sources on disk and check documents against them
///
/// A library is a folder with an index of the word trigrams of its sources, and their texts. One program at a time can
/// change it; any number can read it. If a change is interrupted, the library is unchanged.
#[derive(Args)]
#[command(
    before_help = "Examples:\n  refrain library add lib/ samples/essays\n  refrain library check lib/ samples/brief.md"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Add(Add),
    Remove(Remove),
    List(List),
    Check(Check),
    /// Check that the files of a library are undamaged
    #[command(before_help = "Example:\n  refrain library verify lib/")]
    Verify(Named),
    /// Merge the segments of a library and drop removed sources; refrain also does this automatically
    #[command(before_help = "Example:\n  refrain library compact lib/")]
    Compact(Named),
}

/// Add sources to a library, and create it if needed
///
/// A source with a known id replaces the old one.
#[derive(Args)]
#[command(before_help = "Example:\n  refrain library add lib/ samples/essays", mut_args(|arg| match arg.get_id().as_str() {
    "output" | "overwrite" => arg.hide(true),
    _ => arg,
}))]
struct Add {
    /// Folder of the library
    library: PathBuf,

    #[command(flatten)]
    input: InputArguments,

    /// What counts as a word in a new library: letters, sentences or code [default: letters; an existing library keeps
    /// its setting]
    #[arg(long, value_name = "TOKENS", value_parser = named(WordRule::ALL.map(|rule| (rule.name(), rule)).to_vec()), help_heading = "Comparison")]
    tokens: Option<WordRule>,

    /// Number of words in an n-gram of a new library [default: 3; an existing library keeps its setting]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=100), help_heading = "Comparison")]
    ngram: Option<u8>,

    /// Memory limit
    #[arg(long, value_name = "SIZE", default_value = "512M", value_parser = size, allow_negative_numbers = true, help_heading = "Running")]
    memory: u64,

    #[command(flatten)]
    output: OutputArguments,
}

/// Remove sources from a library by name
#[derive(Args)]
#[command(before_help = "Example:\n  refrain library remove lib/ samples/essays/eva.txt")]
struct Remove {
    /// Folder of the library
    library: PathBuf,
    /// Names of sources, as `refrain library list` prints them
    #[arg(required = true)]
    ids: Vec<String>,

    #[command(flatten)]
    quiet: Quiet,
}

/// List the sources of a library
#[derive(Args)]
#[command(before_help = "Example:\n  refrain library list lib/")]
struct List {
    /// Folder of the library
    library: PathBuf,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

/// Check how much of each document occurs in a library, in which sources, and where
#[derive(Args)]
#[command(before_help = "Example:\n  refrain library check lib/ samples/brief.md --json", mut_arg("output", |arg| arg.help("File to write: .jsonl for JSON [default: standard output]")), mut_arg("json", |arg| arg.help("Print one JSON object per document, one per line")), mut_arg("overwrite", |arg| arg.hide(true)))]
struct Check {
    /// Folder of the library
    library: PathBuf,

    #[command(flatten)]
    input: InputArguments,

    /// Ignore text that occurs in these files, such as the assignment. Takes all names up to the next option
    #[arg(long, value_name = "INPUT", num_args = 1.., help_heading = "Documents")]
    exclude: Vec<String>,

    /// List at most this many sources per document
    #[arg(long, value_name = "N", default_value_t = LibraryCheck::default().most, help_heading = "Comparison")]
    most: usize,

    /// List sources that contain at least this share of the document
    #[arg(long, value_name = "SHARE", default_value_t = LibraryCheck::default().containment, value_parser = share, help_heading = "Comparison")]
    containment: f64,

    /// Ignore the document itself, if the library holds it with the same id and text
    #[arg(long, help_heading = "Comparison")]
    others: bool,

    /// Compute scores only, without passages
    #[arg(long, help_heading = "Output")]
    no_passages: bool,

    #[command(flatten)]
    output: OutputArguments,
}

#[derive(Args)]
struct Named {
    /// Folder of the library
    library: PathBuf,

    #[command(flatten)]
    quiet: Quiet,
}

/// The choice to print less.
#[derive(Args)]
struct Quiet {
    /// Print failures only
    #[arg(short, long, help_heading = "Output")]
    quiet: bool,
}

impl Quiet {
    fn print_message(&self, line: &str) {
        if !self.quiet {
            print_message(line);
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit> {
    match &arguments.command {
        Command::Add(add) => add.run(),
        Command::Remove(remove) => remove.run(),
        Command::List(list) => list.run(),
        Command::Check(check) => check.run(),
        Command::Verify(Named { library, quiet }) => {
            let opened = Library::open(library)?;
            opened.verify()?;
            quiet.print_message(&format!(
                "{}: {} sources, no damage found",
                library.display(),
                opened.sources().count()
            ));
            Ok(Exit::Done)
        }
        Command::Compact(Named { library, quiet }) => {
            let mut opened = Library::open(library)?;
            opened.compact()?;
            quiet.print_message(&format!("{}: {} sources in one segment", library.display(), opened.sources().count()));
            Ok(Exit::Done)
        }
    }
}

impl Add {
    fn run(&self) -> Result<Exit> {
        let output = &self.output;
        if output.is_given() {
            bail!("sources are written to the library; remove -o");
        }
        let options = LibraryOptions { tokens: self.tokens, ngram: self.ngram.map(usize::from) };
        let mut library = Library::open_or_create(&self.library, options)?;
        let (input, read, outputs) = (self.input.input()?, self.input.options(), output.lists()?);
        let run = Run { memory: Some(self.memory), ..Run::default() };
        let left = "nothing was added";
        let report = output.run(run, "documents", left, |run| library.add(&input, &read, outputs, run))?;
        output.print_json(&report)?;
        let exit = OutputArguments::print_failures(&report.failures);
        if !output.quiet {
            let mut line = format!("added {} to {}", counted_documents(report.new), self.library.display());
            if let [first, more @ ..] = report.replaced.as_slice() {
                let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
                let _ = write!(line, ", replaced {}: {}{more}", report.replaced.len(), legible(first));
            }
            if report.known > 0 {
                let _ = write!(line, "; {} already present", report.known);
            }
            print_message(&line);
        }
        output.print_account(&report.input);
        Ok(exit)
    }
}

impl Remove {
    fn run(&self) -> Result<Exit> {
        let folder = self.library.display();
        let missing = Library::open(&self.library)?.remove(&self.ids)?;
        for id in &missing {
            print_message(&format!(
                "failed: {id}: no source has this name; `refrain library list {folder}` shows the names"
            ));
        }
        let removed = counted_documents((self.ids.len() - missing.len()) as u64);
        self.quiet.print_message(&format!("removed {removed} from {folder}"));
        Ok(Exit::of_failures(missing.len() as u64))
    }
}

impl List {
    fn run(&self) -> Result<Exit> {
        let library = Library::open(&self.library)?;
        let mut list = String::new();
        for source in library.sources() {
            let _ = if self.json {
                writeln!(list, "{}", json!(ListedSource::from(source)))
            } else {
                writeln!(list, "{:>9} words  {}", source.words, legible(source.name()))
            };
        }
        print(&list)?;
        Ok(Exit::Done)
    }
}

impl Check {
    fn job(&self) -> LibraryCheck {
        LibraryCheck {
            read: self.input.options(),
            most: self.most,
            containment: self.containment,
            others: self.others,
            no_passages: self.no_passages,
        }
    }

    fn run(&self) -> Result<Exit> {
        let output = &self.output;
        let library = Library::open(&self.library)?;
        let exclude = (!self.exclude.is_empty()).then(|| input(&self.exclude)).transpose()?;
        let input = CheckInput { documents: self.input.input()?, exclude };
        let outputs = output.results(output.json.then_some((Format::Jsonl, Compression::None)))?;
        let (job, left) = (self.job(), "the output was not finished");
        let report = output.run(Run::default(), "documents", left, |run| library.check(input, &job, outputs, run))?;
        let exit = OutputArguments::print_failures(&report.failures);
        output.print_account(&report.input);
        Ok(exit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_command_line_has_the_defaults_of_the_library() {
        let check = Check { library: PathBuf::new(), ..crate::arguments::parsed() };
        assert_eq!(check.job(), LibraryCheck::default());
        let add = Add { library: PathBuf::new(), ..crate::arguments::parsed() };
        assert_eq!(add.memory, Library::MEMORY);
    }
}
