//! `refrain corpus`: whatever there is in, a clean corpus folder out.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use clap::Args;
use clap::builder::TypedValueParser;
use refrain::Failure;
use refrain::corpus::{Corpus, CorpusOptions, Outcome, Phase, Start};
use refrain::extract::Method;
use refrain::text::Offsets;
use refrain::write::{Compression, Format, WriteOptions};

use crate::common::{
    ExtractArguments, Given, InputArguments, TELLABLE, languages, named, offsets, on_interrupt, output_format, print,
    size, tell, tell_failures, thread_number, threads,
};
use crate::exit::Exit;
use crate::progress::{Bar, Status};

/// Make a clean corpus: read, decode, strip boilerplate, drop exact duplicates, write
///
/// Reads WARC, HTML, text, JSONL, Parquet and vertical files, packed or in archives, and writes a folder: parts with the
/// documents, `removed/` with every range left out and why, `errors.jsonl`, `stats.json`, and `manifest.json` with
/// options, counts and digests. Killed at any moment, the same command goes on where it was and ends with the same bytes.
///
/// Memory stays the same whatever the size of the input: about 150 MiB per thread, evidence for duplicates up to
/// --memory, and several times the size of the largest document.
#[derive(Args)]
#[allow(clippy::struct_excessive_bools)] // switches of a command line
#[command(before_help = "Example:\n  refrain corpus samples/crawl.warc.gz -o corpus/ --lang en,de")]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: InputArguments,

    /// The corpus folder
    #[arg(short, long, value_name = "FOLDER", help_heading = "Output")]
    output: PathBuf,

    /// Format of the parts
    #[arg(long, value_name = "FORMAT", default_value = "parquet", value_parser = output_format(), help_heading = "Output")]
    format: (Format, Compression),

    /// Keep marked ranges in the parts, with their marks
    #[arg(long, help_heading = "Output")]
    keep_marked: bool,

    /// Do not write the list of removed ranges
    #[arg(long, help_heading = "Output")]
    no_removed: bool,

    /// What ranges count: characters (code points) or bytes
    #[arg(long, value_name = "UNIT", default_value = "chars", value_parser = offsets(), help_heading = "Output")]
    offsets: Offsets,

    /// Text that goes into one part
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = size, allow_negative_numbers = true, help_heading = "Output")]
    part_size: u64,

    /// Replace the corpus in the folder, if there is one
    #[arg(long, help_heading = "Output")]
    overwrite: bool,

    /// Print the figures as JSON
    #[arg(long, help_heading = "Output")]
    json: bool,

    /// Draw no progress
    #[arg(short, long, help_heading = "Output")]
    quiet: bool,

    /// Languages to keep, by their codes, separated by commas; documents in others are marked and left out. What is too
    /// short to tell is kept
    #[arg(long, value_name = "CODES", value_delimiter = ',', help_heading = "Cleaning")]
    lang: Vec<String>,

    /// What has to be in these languages: whole documents, or each of their blocks by itself
    #[arg(long, value_name = "UNIT", default_value = "document", requires = "lang", action = clap::ArgAction::Set, value_parser = named(vec![("document", false), ("block", true)]), help_heading = "Cleaning")]
    lang_by: bool,

    /// How the main content of web pages is found
    #[arg(long, value_name = "METHOD", default_value = "default", value_parser = method_or_none(), help_heading = "Main content")]
    method: MethodOrNone,

    #[command(flatten)]
    extract: ExtractArguments,

    /// Learn what the pages of a site have around their content, and mark that, too: of each host (the inputs are read twice), or
    /// of none
    #[arg(long, value_name = "OF", default_value = "none", action = clap::ArgAction::Set, value_parser = named(vec![("none", false), ("host", true)]), help_heading = "Main content")]
    template: bool,

    /// Threads, 1 to 256 [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = thread_number, allow_negative_numbers = true, help_heading = "Running")]
    threads: Option<usize>,

    /// How much is read between two checkpoints: what a killed run does again at most, per thread
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = size, allow_negative_numbers = true, help_heading = "Running")]
    checkpoint: u64,

    /// Memory for evidence about duplicates; more goes to temporary files in the corpus folder
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = size, allow_negative_numbers = true, help_heading = "Running")]
    memory: u64,
}

/// A method, or none.
#[derive(Clone)]
struct MethodOrNone(Option<Method>);

fn method_or_none() -> impl TypedValueParser<Value = MethodOrNone> {
    let methods = Method::ALL.map(|(name, method)| (name, MethodOrNone(Some(method))));
    named(methods.into_iter().chain([("none", MethodOrNone(None))]).collect())
}

impl Arguments {
    /// Refuses options that would do nothing.
    fn refuse_idle(&self, given: &Given) -> Result<()> {
        let marks = self.keep_marked && matches!(self.format.0, Format::Jsonl | Format::Parquet);
        if self.no_removed && !marks {
            let why = "does nothing with --no-removed, unless --keep-marked writes ranges to jsonl or parquet";
            given.refuse(&["offsets"], why)?;
        }
        ExtractArguments::refuse_idle(given, self.method.0)
    }

    fn options(&self) -> Result<CorpusOptions> {
        Ok(CorpusOptions {
            source: self.input.options(),
            languages: languages("--lang", &self.lang)?,
            by_block: self.lang_by,
            extract: self.method.0.map(|method| self.extract.options(method, None)),
            template_of_host: self.template,
            format: self.format.0,
            packing: self.format.1,
            write: WriteOptions { keep_marked: self.keep_marked, offsets: self.offsets },
            removed: !self.no_removed,
            part_bytes: self.part_size,
            checkpoint_bytes: self.checkpoint,
            memory: self.memory,
            threads: threads(self.threads),
            overwrite: self.overwrite,
        })
    }
}

pub(crate) fn run(arguments: &Arguments, given: &Given) -> Result<Exit> {
    arguments.refuse_idle(given)?;
    let options = arguments.options()?;
    let (inputs, failures) = arguments.input.expand(Some(&arguments.output))?;
    let corpus = Arc::new(Corpus::new(inputs, failures, arguments.output.clone(), options));

    let watched = corpus.clone();
    on_interrupt(move || watched.control().stop())?;
    let watched = corpus.clone();
    let bar = Bar::start(arguments.quiet, move || {
        let now = watched.progress();
        let failed = if now.failures > 0 { format!(", {} failed", now.failures) } else { String::new() };
        Status {
            phase: match now.phase {
                Phase::Templates => "templates",
                Phase::Read => "read",
                Phase::Learn => "learn",
                Phase::Write => "write",
            },
            done: now.done,
            total: now.total,
            documents: now.documents,
            note: format!(", {} documents{failed}", now.documents),
        }
    });
    let result = corpus.run();
    drop(bar);
    let folder = &arguments.output;
    let Outcome { manifest, start } = match result {
        Err(refrain::Error::Interrupted) => {
            let how = if arguments.overwrite { " without --overwrite" } else { "" };
            tell(&format!("interrupted; the same command{how} goes on where it was ({})", folder.display()));
            return Ok(Exit::Interrupted);
        }
        other => other?,
    };
    if arguments.json {
        print(&(serde_json::to_string_pretty(&manifest.statistics)? + "\n"))?;
    } else {
        print(&manifest.statistics.table())?;
    }
    if arguments.template && manifest.statistics.total.template.words == 0 {
        tell(
            "note: --template host marked nothing: no host has three pages or more that share a template (pages need an address: a \
             field url, or that of a web archive), or what they share is boilerplate already",
        );
    }
    let failed = manifest.statistics.failures;
    let errors = folder.join("errors.jsonl");
    tell_failures(&read_failures(&errors), failed, &format!(", see {}", errors.display()));
    if manifest.statistics.total.kept.documents == 0 {
        tell(
            "note: no document is left; errors.jsonl says what failed, removed/ what was taken out, `refrain list` what was read",
        );
    }
    let how = match start {
        Start::New => "",
        Start::Resumed => "; went on where an earlier run was stopped",
        Start::Complete => "; it was complete, nothing had to be done",
    };
    let parts = manifest.parts.len();
    tell(&format!("corpus: {} ({parts} part{}){how}", folder.display(), if parts == 1 { "" } else { "s" }));
    Ok(Exit::of_failures(failed))
}

/// The first failures of a corpus.
fn read_failures(errors: &Path) -> Vec<Failure> {
    let Ok(file) = File::open(errors) else { return Vec::new() };
    let lines = BufReader::new(file).lines().map_while(Result::ok).take(TELLABLE);
    lines.filter_map(|line| serde_json::from_str(&line).ok()).collect()
}
