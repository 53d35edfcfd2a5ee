//! `refrain library`: sources that are kept, to check documents against them.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use refrain::compare::{
    Added, AlignOptions, CheckOptions, Checked, CompareOptions, Essay, FingerprintOptions, GivenText, Library,
    LibraryWriter, Rule,
};
use refrain::pipeline::Control;
use refrain::report::shared_passages;
use refrain::text::Offsets;
use refrain::write::{Compression, Format, Output};
use serde_json::{Value, json};

use crate::cmd::compare::LEAST_MEMORY;
use crate::cmd::compare::read::{Reader, language_of};
use crate::common::{
    InputArguments, OutputArguments, counted_documents, legible, named, on_interrupt, percent, print, size, tell,
    tell_failures, twice_failure,
};
use crate::exit::Exit;

/// Keep a library of sources, and check documents against it
///
/// A library is a folder with an index of the word trigrams of its sources, and their texts. One program at a time may change
/// it, any number may read it; killed at any moment, it is as it was before the last change or after it.
#[derive(Args)]
#[command(
    before_help = "Example:\n  refrain library add lib/ samples/essays\n  refrain library check lib/ samples/brief.md"
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
    /// Make sure that all files of a library are as they were written
    #[command(before_help = "Example:\n  refrain library verify lib/")]
    Verify(Named),
    /// Make one segment of many, without what was taken out; this happens by itself, too
    #[command(before_help = "Example:\n  refrain library compact lib/")]
    Compact(Named),
}

/// Add sources to a library, which is made if it is not there
///
/// A source with the id of one that is there takes its place.
#[derive(Args)]
#[command(before_help = "Example:\n  refrain library add lib/ samples/essays", mut_arg("output", |arg| arg.hide(true)))]
struct Add {
    /// Folder of the library
    library: PathBuf,

    #[command(flatten)]
    input: InputArguments,

    /// What counts as a word in a new library: letters, sentences or code [default: letters; that of the library, where it is
    /// there]
    #[arg(long, value_name = "TOKENS", value_parser = named(Rule::ALL.map(|rule| (rule.name(), rule)).to_vec()), help_heading = "Comparison")]
    tokens: Option<Rule>,

    /// Words of an n-gram in a new library [default: 3; that of the library, where it is there]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=100), help_heading = "Comparison")]
    ngram: Option<u8>,

    /// Memory to stay within
    #[arg(long, value_name = "SIZE", default_value = "512M", value_parser = size, allow_negative_numbers = true, help_heading = "Running")]
    memory: u64,

    #[command(flatten)]
    output: OutputArguments,
}

/// Take sources out of a library, by their ids
#[derive(Args)]
#[command(before_help = "Example:\n  refrain library remove lib/ samples/essays/eva.txt")]
struct Remove {
    /// Folder of the library
    library: PathBuf,
    /// Ids of sources, as `refrain library list` tells them
    #[arg(required = true)]
    ids: Vec<String>,
}

/// List the sources of a library
#[derive(Args)]
#[command(before_help = "Example:\n  refrain library list lib/")]
struct List {
    /// Folder of the library
    library: PathBuf,
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
}

/// Check documents against a library: how much of each stands in it, in which sources, and where
#[derive(Args)]
#[command(before_help = "Example:\n  refrain library check lib/ samples/brief.md --json", mut_arg("output", |arg| arg.help("File to write: .jsonl for JSON; standard output when not given")))]
struct Check {
    /// Folder of the library
    library: PathBuf,

    #[command(flatten)]
    input: InputArguments,

    /// Write one JSON object for each document, a line each
    #[arg(long, help_heading = "Output")]
    json: bool,

    /// Text that everyone was given: what stands in these files does not count; takes all names up to the next option
    #[arg(long, value_name = "INPUT", num_args = 1.., help_heading = "Documents")]
    exclude: Vec<String>,

    /// Tell of so many sources of each document at most
    #[arg(long, value_name = "N", default_value_t = 20, help_heading = "Comparison")]
    most: usize,

    /// Tell of sources that contain this share of the document, or more
    #[arg(long, value_name = "SHARE", default_value = "0.02", value_parser = percent, help_heading = "Comparison")]
    containment: f64,

    /// Leave the document itself out where it is in the library, with the same id and the same text
    #[arg(long, help_heading = "Comparison")]
    others: bool,

    /// Find no passages, only scores
    #[arg(long, help_heading = "Output")]
    no_passages: bool,

    #[command(flatten)]
    output: OutputArguments,
}

#[derive(Args)]
struct Named {
    /// Folder of the library
    library: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit> {
    match &arguments.command {
        Command::Add(add) => add.run(),
        Command::Remove(remove) => remove.run(),
        Command::List(list) => list.run(),
        Command::Check(check) => check.run(),
        Command::Verify(Named { library }) => {
            let opened = Library::open(library)?;
            opened.verify()?;
            tell(&format!("{}: {} sources, all as they were written", library.display(), opened.sources().count()));
            Ok(Exit::Done)
        }
        Command::Compact(Named { library }) => {
            // It has to be there.
            let before = Library::open(library)?;
            let options = CompareOptions { fingerprints: before.fingerprints(), ..CompareOptions::default() };
            LibraryWriter::open(library, &options)?.compact()?;
            tell(&format!("{}: {} sources in one segment", library.display(), before.sources().count()));
            Ok(Exit::Done)
        }
    }
}

/// How documents are compared with a library that counts so.
fn options_of(fingerprints: FingerprintOptions) -> CompareOptions {
    CompareOptions {
        fingerprints,
        keep_references: fingerprints.rule == Rule::Code,
        passages: Some(AlignOptions::of(fingerprints.rule)),
        language: language_of,
        ..CompareOptions::default()
    }
}

/// What reads documents, until Ctrl-C is pressed.
struct Reading {
    control: Arc<Control>,
    pool: rayon::ThreadPool,
}

impl Reading {
    fn start(output: &OutputArguments) -> Result<Reading> {
        let control = Arc::new(Control::default());
        let stopped = control.clone();
        on_interrupt(move || stopped.stop())?;
        Ok(Reading { control, pool: output.pool()? })
    }

    fn reader<'a>(&'a self, input: &'a InputArguments, output: &'a OutputArguments) -> Reader<'a> {
        let (control, pool) = (&self.control, &self.pool);
        Reader { input, output, folders: None, languages: false, wordless: false, control, pool }
    }
}

impl Add {
    fn run(&self) -> Result<Exit> {
        let (inputs, early) = self.input.expand(Some(&self.library))?;
        self.output.check(&inputs)?;
        if self.output.is_given() {
            bail!("sources go into the library; leave -o out");
        }
        if self.memory < LEAST_MEMORY {
            bail!("that is too little memory to work with; give it --memory {}M or more", LEAST_MEMORY >> 20);
        }
        let mut failures = self.output.failures(early)?;
        let usual = FingerprintOptions::default();
        let wanted = FingerprintOptions {
            rule: self.tokens.unwrap_or(usual.rule),
            ngram: self.ngram.map_or(usual.ngram, usize::from),
        };
        let mut options = options_of(wanted);
        options.pairs.memory = self.memory;
        let mut writer = LibraryWriter::open(&self.library, &options)?;
        let kept = writer.fingerprints()?;
        let otherwise = self.tokens.is_some_and(|rule| rule != kept.rule)
            || self.ngram.is_some_and(|ngram| usize::from(ngram) != kept.ngram);
        if otherwise {
            bail!(
                "the library {} was made with --tokens {} --ngram {}, and all its sources are; leave these options out, or name \
                 another folder for a library with others",
                self.library.display(),
                kept.rule.name(),
                kept.ngram
            );
        }
        options = CompareOptions { pairs: options.pairs, ..options_of(kept) };
        let reading = Reading::start(&self.output)?;
        let reader = Reader { languages: true, ..reading.reader(&self.input, &self.output) };
        let (mut new, mut replaced, mut known) = (0, Vec::new(), 0);
        let (mut here, mut twice) = (HashSet::new(), Vec::new());
        let read = reader.essays(inputs, &options, &GivenText::default(), &mut failures, |essay| {
            let id = essay.id.clone();
            if !here.insert(id.clone()) {
                twice.push(id);
                return Ok(());
            }
            match writer.add(essay)? {
                Added::New => new += 1,
                Added::Replaced => replaced.push(id),
                Added::Known => known += 1,
            }
            Ok(())
        });
        if let Some(refrain::Error::Interrupted) = read.as_ref().err().and_then(|error| error.downcast_ref()) {
            tell("interrupted; nothing was added");
            return Ok(Exit::Interrupted);
        }
        read?;
        writer.commit()?;
        for id in twice {
            failures.add(twice_failure(&id))?;
        }
        if !self.output.quiet {
            failures.tell_passed_over();
        }
        tell_failures(&failures.first, failures.count, " (list them all with --errors)");
        if !self.output.quiet {
            let mut line = format!("added {} to {}", counted_documents(new), self.library.display());
            if let [first, more @ ..] = replaced.as_slice() {
                let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
                let _ = write!(line, ", replaced {}: {}{more}", replaced.len(), legible(first));
            }
            if known > 0 {
                let _ = write!(line, "; {known} were there already");
            }
            tell(&line);
        }
        Ok(Exit::of_failures(failures.count))
    }
}

impl Remove {
    fn run(&self) -> Result<Exit> {
        let options =
            CompareOptions { fingerprints: Library::open(&self.library)?.fingerprints(), ..CompareOptions::default() };
        let mut writer = LibraryWriter::open(&self.library, &options)?;
        let mut missing = 0;
        for id in &self.ids {
            if !writer.remove(id)? {
                missing += 1;
                tell(&format!(
                    "failed: {id}: no source has this id; refrain library list {} tells them",
                    self.library.display()
                ));
            }
        }
        writer.commit()?;
        let removed = counted_documents(self.ids.len() as u64 - missing);
        tell(&format!("removed {removed} from {}", self.library.display()));
        Ok(Exit::of_failures(missing))
    }
}

impl List {
    fn run(&self) -> Result<Exit> {
        let library = Library::open(&self.library)?;
        let mut list = String::new();
        for source in library.sources() {
            let _ = if self.json {
                let line =
                    json!({"id": source.id, "words": source.words, "grams": source.grams, "language": source.language});
                writeln!(list, "{line}")
            } else {
                writeln!(list, "{:>9} words  {}", source.words, legible(&source.id))
            };
        }
        print(&list)?;
        Ok(Exit::Done)
    }
}

impl Check {
    fn run(&self) -> Result<Exit> {
        let library = Library::open(&self.library)?;
        let (inputs, early) = self.input.expand_to_any(self.output.path())?;
        self.output.check(&inputs)?;
        let mut failures = self.output.failures(early)?;
        let mut options = options_of(library.fingerprints());
        if self.no_passages {
            options.passages = None;
        }
        let check = CheckOptions { containment: self.containment, most: self.most, others: self.others };
        self.output.keeps("--exclude", &self.exclude)?;
        let reading = Reading::start(&self.output)?;
        let reader = reading.reader(&self.input, &self.output);
        let mut given = GivenText::default();
        reader.documents(&self.exclude, &mut failures, |document| {
            given.add(document.text(), &options.fingerprints);
            Ok(())
        })?;
        let json = match self.output.path() {
            None => self.json,
            Some(path) => Format::choose(path, None, &[Format::Table, Format::Jsonl])? == Format::Jsonl || self.json,
        };
        let mut out =
            self.output.path().map_or(Compression::None, Compression::of_path).compress(match self.output.path() {
                Some(path) => Output::file(path)?,
                None => Output::stream(std::io::stdout()),
            })?;
        reader.essays(inputs, &options, &given, &mut failures, |essay| {
            let checked = library.check(&essay, &check, &options)?;
            let told = if json {
                format!("{}\n", as_json(&essay, &checked))
            } else {
                table(&essay, &checked, self.no_passages)
            };
            out.put(told.as_bytes())
        })?;
        out.finish()?;
        if !self.output.quiet {
            failures.tell_passed_over();
        }
        tell_failures(&failures.first, failures.count, " (list them all with --errors)");
        Ok(Exit::of_failures(failures.count))
    }
}

/// What was found of a document, in code points.
fn as_json(essay: &Essay, checked: &Checked) -> Value {
    let sources: Vec<Value> = checked
        .sources
        .iter()
        .map(|found| {
            let (own, other) = ((&*essay.text, &*essay.pages), (&*found.text, &*found.source.pages));
            let passages = shared_passages(&found.passages, own, other, Offsets::Chars);
            json!({
                "id": found.source.id, "r": rounded(found.scores.resemblance), "c": rounded(found.scores.a_in_b),
                "c_source": rounded(found.scores.b_in_a), "shared": found.scores.shared, "itself": found.itself,
                "passages": passages,
            })
        })
        .collect();
    json!({
        "id": essay.id, "words": essay.words(), "grams": checked.grams, "shared": checked.shared,
        "c": rounded(checked.containment), "sources": sources,
    })
}

fn rounded(score: f64) -> f64 {
    (score * 1e6).round() / 1e6
}

/// The same for people.
fn table(essay: &Essay, checked: &Checked, no_passages: bool) -> String {
    let percent = |share: f64| format!("{:.1}", 100.0 * share);
    let mut table = format!(
        "{}: {} % of its n-grams stand in the library ({} of {})\n",
        legible(&essay.id),
        percent(checked.containment),
        checked.shared,
        checked.grams
    );
    for found in &checked.sources {
        let passages = found.passages.len();
        let _ = writeln!(
            table,
            "  {:>6} % in {} ({} n-grams{}){}",
            percent(found.scores.a_in_b),
            legible(&found.source.id),
            found.scores.shared,
            if no_passages {
                String::new()
            } else {
                format!(", {passages} passage{}", if passages == 1 { "" } else { "s" })
            },
            if found.itself { ": the document itself; --others leaves it out" } else { "" },
        );
        for passage in &found.passages {
            let text: String = passage.a.of(&essay.text).split_whitespace().collect::<Vec<_>>().join(" ");
            let short: String = text.chars().take(SHOWN).collect();
            let more = if short.len() < text.len() { " ..." } else { "" };
            let _ = writeln!(table, "           {}{more}", legible(&short));
        }
    }
    table
}

/// Characters of a passage that the table shows.
const SHOWN: usize = 100;
