//! `refrain compare`: passages that documents share.

mod output;
pub(crate) mod read;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use clap::Args;
use refrain::Failure;
use refrain::compare::{
    AlignOptions, CompareOptions, Comparison, ComparisonResult, Essay, FingerprintOptions, GivenText, PairOptions,
    Rule, Side,
};
use refrain::pipeline::Control;
use refrain::source::Inputs;
use refrain::text::{Offsets, TextDigest};
use refrain::write::Format;

use self::output::FORMATS;
use self::output::Written;
use self::read::{Reader, language_of};
use crate::common::{
    Failures, Given, InputArguments, OutputArguments, expand_to_any, is_folder, legible, named, offsets, on_interrupt,
    one_of, percent, refuse_input_as, size, tell, tell_failures, twice_failure,
};
use crate::exit::Exit;
use crate::progress::{Bar, Status};

/// Find passages that documents share: pairs ranked, with what they have in common
///
/// Each document becomes the set of its word trigrams. Of two documents, R is the share of the trigrams of both that both
/// have, C the share of those of the one that the other has. Pairs with enough of either are listed, the most alike first,
/// with the passages they share, also edited ones. A score shows where to look; it proves nothing.
#[derive(Args)]
#[command(before_help = "Example:\n  refrain compare samples/essays -o report/", mut_arg("output", |arg| arg.help("Folder for a report (its name ends with /), or file to write, its form and packing (.gz, .zst) told by its name; standard output when not given")))]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: InputArguments,

    /// Form of the output, where its name (.jsonl, .csv, .tsv, .json, .html) does not tell
    #[arg(long, value_name = "FORMAT", value_parser = one_of(&FORMATS), help_heading = "Output")]
    format: Option<Format>,

    /// What ranges count: characters (code points) or bytes
    #[arg(long, value_name = "UNIT", default_value = "chars", value_parser = offsets(), help_heading = "Output")]
    offsets: Offsets,

    /// Write numbers instead of names, and which document has which number to this file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    anonymous: Option<PathBuf>,

    /// Find no passages, only scores
    #[arg(long, help_heading = "Output")]
    no_passages: bool,

    /// Compare with these files or folders, too, but not those among each other; takes all names up to the next option
    #[arg(long, value_name = "INPUT", num_args = 1.., help_heading = "Documents")]
    reference: Vec<String>,

    /// Text that everyone was given: what stands in these files does not count; takes all names up to the next option
    #[arg(long, value_name = "INPUT", num_args = 1.., help_heading = "Documents")]
    exclude: Vec<String>,

    /// Compare just these pairs: a file with two ids on each line and a tab between them
    #[arg(long, value_name = "FILE", help_heading = "Documents")]
    pairs: Option<PathBuf>,

    /// Take the files of each folder together, as one document
    #[arg(long, help_heading = "Documents")]
    folders: bool,

    /// What counts as a word: letters in lower case; words as written, but for the first of sentences, with all numbers alike;
    /// or names and signs of programs
    #[arg(long, value_name = "TOKENS", default_value = Rule::default().name(), value_parser = named(Rule::ALL.map(|rule| (rule.name(), rule)).to_vec()), help_heading = "Comparison")]
    tokens: Rule,

    /// Words of an n-gram
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=100), help_heading = "Comparison")]
    ngram: u8,

    /// List pairs with this resemblance R or more, from 0 to 1 or in percent
    #[arg(long, value_name = "SHARE", default_value = "0.03", value_parser = percent, help_heading = "Comparison")]
    resemblance: f64,

    /// List pairs of which one contains this share of the other, C, or more
    #[arg(long, value_name = "SHARE", default_value = "0.31", value_parser = percent, help_heading = "Comparison")]
    containment: f64,

    /// N-grams that stand in more than this share of the documents do not count, where there are 20 documents or more
    #[arg(long, value_name = "SHARE", default_value = "0.8", value_parser = percent, help_heading = "Comparison")]
    common: f64,

    /// Compare lists of references, too
    #[arg(long, help_heading = "Comparison")]
    keep_references: bool,

    /// Memory to stay within
    #[arg(long, value_name = "SIZE", default_value = "512M", value_parser = size, allow_negative_numbers = true, help_heading = "Running")]
    memory: u64,

    /// Folder for temporary files [default: that of the system]
    #[arg(long, value_name = "FOLDER", help_heading = "Running")]
    temporary: Option<PathBuf>,

    #[command(flatten)]
    output: OutputArguments,
}

/// With fewer documents, much of what most of them have is what they copied.
const FEW: usize = 20;
/// Less memory is too little to work with.
pub(crate) const LEAST_MEMORY: u64 = 32 << 20;

impl Arguments {
    /// The form of the output.
    fn form(&self) -> Result<Format> {
        match (self.output.path(), self.format) {
            (Some(path), None) if is_folder(path) => Ok(Format::Report),
            (Some(path), Some(form)) if is_folder(path) && form != Format::Report => {
                bail!("{} is a folder, for a report; name a file for {}", path.display(), form.name())
            }
            (None, Some(Format::Report)) => bail!("a report is a folder; name it with -o"),
            (Some(path), asked) => Ok(Format::choose(path, asked, &FORMATS)?),
            (None, asked) => Ok(asked.unwrap_or(Format::Table)),
        }
    }

    fn options(&self) -> CompareOptions {
        CompareOptions {
            fingerprints: FingerprintOptions { rule: self.tokens, ngram: usize::from(self.ngram) },
            pairs: PairOptions {
                resemblance: self.resemblance,
                containment: self.containment,
                common: self.common,
                common_from: FEW,
                memory: self.memory,
                temporary: self.temporary.clone().unwrap_or_else(std::env::temp_dir),
            },
            passages: (!self.no_passages).then(|| AlignOptions::of(self.tokens)),
            keep_references: self.keep_references || self.tokens == Rule::Code,
            language: language_of,
        }
    }

    /// Refuses to write over what is read, or to write two things to one place.
    fn keep_what_is_read(&self) -> Result<()> {
        let pairs: Vec<String> = self.pairs.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        for (option, names) in [("--exclude", &self.exclude), ("--reference", &self.reference), ("--pairs", &pairs)] {
            self.output.keeps(option, names)?;
            let (read, _) = expand_to_any(names, None)?;
            refuse_input_as("--anonymous", self.anonymous.as_deref(), &read)?;
        }
        if let (Some(key), Some(output)) = (&self.anonymous, self.output.path()) {
            let (key, output) = (std::path::absolute(key)?, std::path::absolute(output)?);
            let clean = |path: PathBuf| path.canonicalize().unwrap_or_else(|_| path.components().collect());
            if clean(key.clone()) == clean(output.clone()) {
                bail!("the pairs and the key to their names cannot go into one file; name another one for --anonymous");
            }
            if key.parent().map(|folder| clean(folder.to_owned())) == Some(clean(output)) {
                bail!(
                    "the key to the names does not belong into the report; name a file outside of it for --anonymous"
                );
            }
        }
        Ok(())
    }

    fn check(&self, given: &Given, form: Format) -> Result<()> {
        if self.pairs.is_some() {
            let why = "does nothing with --pairs, which lists every pair that is named";
            given.refuse(&["resemblance", "containment", "common", "reference", "folders"], why)?;
        }
        if self.no_passages {
            given.refuse(&["offsets"], "does nothing with --no-passages")?;
        }
        if !matches!(form, Format::Jsonl | Format::Json | Format::Report) {
            given.refuse(&["offsets"], "needs --format jsonl, json or a report; other forms have no ranges")?;
        }
        if self.common <= 0.0 {
            bail!("with --common 0 no text counts; give it a share such as 0.5, or 100% to compare all text");
        }
        if self.memory < LEAST_MEMORY {
            bail!("that is too little memory to work with; give it --memory {}M or more", LEAST_MEMORY >> 20);
        }
        if let Some(folder) = self.temporary.as_deref().filter(|folder| !folder.is_dir()) {
            bail!("--temporary: {} is no folder; make it first", folder.display());
        }
        Ok(())
    }

    /// Reads what is compared: given text first, then the documents, then those they are compared with.
    fn read<'a>(
        &'a self,
        inputs: Inputs,
        options: &CompareOptions,
        reader_of: impl Fn(&'a [String]) -> Reader<'a>,
        failures: &mut Failures,
    ) -> Result<Comparison> {
        let reader = reader_of(&self.input.inputs);
        let mut excluded = GivenText::default();
        reader.documents(&self.exclude, failures, |document| {
            excluded.add(document.text(), &options.fingerprints);
            Ok(())
        })?;
        let mut comparison = Comparison::new(options.clone());
        // Texts matter only where a reference may be one of the documents.
        let text_of = |essay: &Essay| (!self.reference.is_empty()).then(|| TextDigest::of(&essay.text));
        let mut known = HashMap::new();
        let mut twice = Vec::new();
        reader.essays(inputs, options, &excluded, failures, |essay| {
            if known.insert(essay.id.clone(), text_of(&essay)).is_none() {
                return comparison.add(essay, Side::New).map(drop);
            }
            twice.push(essay.id);
            Ok(())
        })?;
        if !self.reference.is_empty() {
            let (reference, early) = crate::common::expand(&self.reference, self.output.path())?;
            early.into_iter().try_for_each(|failure| failures.add(failure))?;
            reader_of(&self.reference).essays(reference, options, &excluded, failures, |essay| {
                let text = text_of(&essay);
                match known.get(&essay.id) {
                    // No document is its own reference.
                    Some(same) if *same == text => {}
                    Some(_) => twice.push(essay.id),
                    None => {
                        known.insert(essay.id.clone(), text);
                        comparison.add(essay, Side::Reference)?;
                    }
                }
                Ok(())
            })?;
        }
        for id in twice {
            failures.add(twice_failure(&id))?;
        }
        Ok(comparison)
    }
}

pub(crate) fn run(arguments: &Arguments, given: &Given) -> Result<Exit> {
    let form = arguments.form()?;
    arguments.check(given, form)?;
    let output = &arguments.output;
    let (inputs, early) = arguments.input.expand_to_any(output.path())?;
    output.check(&inputs)?;
    refuse_input_as("--anonymous", arguments.anonymous.as_deref(), &inputs)?;
    arguments.keep_what_is_read()?;
    if let (Format::Report, Some(folder)) = (form, output.path()) {
        output::check_folder(folder)?;
    }
    let mut failures = output.failures(early)?;
    let control = Arc::new(Control::default());
    let stopped = control.clone();
    on_interrupt(move || stopped.stop())?;
    let pool = output.pool()?;
    let options = arguments.options();
    let of = |names| Reader {
        input: &arguments.input,
        output,
        folders: arguments.folders.then_some(names),
        languages: false,
        wordless: arguments.pairs.is_some(),
        control: &control,
        pool: &pool,
    };
    let worked: Result<Option<ComparisonResult>> = pool.install(|| {
        let comparison = arguments.read(inputs, &options, of, &mut failures)?;
        if comparison.len() < 2 {
            let read = match comparison.numbers().keys().next() {
                Some(id) => format!("{}: this is the only document that could be read", legible(id)),
                None => "no document could be read".to_owned(),
            };
            let way_out = match arguments.folders {
                true => "there is nothing to compare; name the folder that has one folder for each document of several files",
                false => "there is nothing to compare; name two files or more, or a folder of them",
            };
            failures.tell_passed_over();
            tell_failures(&failures.first, failures.count, " (list them all with --errors)");
            tell(&format!("failed: {read}: {way_out}"));
            return Ok(None);
        }
        let documents = comparison.len() as u64;
        let bar = Bar::start(!output.shows_progress(), move || Status {
            phase: "compare",
            done: 0,
            total: 0,
            documents,
            note: format!(", {documents} documents"),
        });
        let step = || !control.stopped();
        let result = match &arguments.pairs {
            Some(path) => {
                let pairs = wanted(path, &comparison, &mut failures)?;
                comparison.conclude_pairs(&pairs, &step)
            }
            None => comparison.conclude(&step),
        };
        drop(bar);
        Ok(Some(result?))
    });
    let result = match worked {
        Err(error) if matches!(error.downcast_ref(), Some(refrain::Error::Interrupted)) => {
            tell("interrupted; nothing was written");
            return Ok(Exit::Interrupted);
        }
        worked => worked?,
    };
    let Some(result) = result else { return Ok(Exit::SomeFailed) };
    // Names are often in the order of files.
    let result = if arguments.anonymous.is_some() { result.shuffled()? } else { result };
    let written = Written { arguments, form, result: &result, failures: &failures };
    written.write()?;
    if !output.quiet {
        failures.tell_passed_over();
    }
    tell_failures(&failures.first, failures.count, " (list them all with --errors)");
    Ok(Exit::of_failures(failures.count))
}

/// The pairs that a file names, by the numbers of their documents.
fn wanted(path: &Path, comparison: &Comparison, failures: &mut Failures) -> Result<Vec<(usize, usize)>> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("--pairs {}: a file with two ids on each line is wanted", path.display()))?;
    let numbers = comparison.numbers();
    let mut pairs = Vec::new();
    for (line, number) in text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()) {
        let Some((a, b)) = line.trim_end_matches('\r').split_once('\t') else {
            bail!("{}, line {number}: two ids with a tab between them are wanted", path.display());
        };
        if a == b {
            let place = format!("{}, line {number}", path.display());
            failures.add(Failure::new(&place, format!("`{a}` is paired with itself")).hint("name two documents"))?;
            continue;
        }
        match (numbers.get(a), numbers.get(b)) {
            (Some(a), Some(b)) => pairs.push((*a, *b)),
            (a_found, _) => {
                let missing = if a_found.is_none() { a } else { b };
                let place = format!("{}, line {number}", path.display());
                let failed = failures.first.iter().any(|failure| failure.input == missing);
                let hint = numbers.keys().min().map(|id| format!("ids are like `{id}`; refrain list tells them"));
                let failure = match failed {
                    true => Failure::new(&place, format!("the document `{missing}` could not be read")),
                    false => Failure::new(&place, format!("there is no document `{missing}`")),
                };
                let hint = hint.filter(|_| !failed);
                failures.add(hint.into_iter().fold(failure, Failure::hint))?;
            }
        }
    }
    if pairs.is_empty() && failures.count == 0 {
        failures.add(
            Failure::new(path.display().to_string(), "names no pairs")
                .hint("put two ids on each line, with a tab between them"),
        )?;
    }
    Ok(pairs)
}
