//! Shared by the verbs: options with the same name everywhere, and output on the terminal.

use std::collections::{HashMap, HashSet};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use clap::builder::TypedValueParser;
use clap::builder::{NonEmptyStringValueParser, PossibleValuesParser};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args};
use refrain::decode::LanguageFilter;
use refrain::extract::{ExtractMethod, ExtractOptions, ExtractProfile, JusTextOptions};
use refrain::jobs::{Losses, QualityOptions};
use refrain::quality::Mask;
use refrain::source::{InputFormat, ReadOptions, STDIN, TextIs};
use refrain::text::Offsets;
use refrain::write::{Compression, Format};
use refrain::{Account, Failure, Output, Outputs, Run};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::exit::Exit;
use crate::messages;
use crate::progress::{Bar, Shown};

/// What to read, and how.
#[derive(Args)]
#[command(next_help_heading = "Input")]
pub(crate) struct InputArguments {
    /// Files, folders, glob patterns, addresses (s3://, gs://, https://), @list.txt (one name per line), or - for standard input
    #[arg(value_name = "INPUT", required = true, help_heading = None)]
    pub(crate) inputs: Vec<String>,

    /// Read inputs as this format instead of recognising it by content
    #[arg(long, value_name = "FORMAT", value_parser = named(InputFormat::ALL.map(|f| (f.name(), f)).to_vec()))]
    input_format: Option<InputFormat>,

    /// JSON field or column (Parquet, CSV) that holds the text
    #[arg(long, value_name = "NAME", default_value = ReadOptions::TEXT_FIELD, value_parser = NonEmptyStringValueParser::new())]
    text_field: String,

    /// JSON field or column (Parquet, CSV) that holds the id
    #[arg(long, value_name = "NAME", default_value = ReadOptions::ID_FIELD)]
    id_field: String,

    /// How to read texts in JSON, Parquet and CSV: as HTML, as plain text, or (auto) as HTML if they look like it [default:
    /// auto; html for extract]
    #[arg(long, value_name = "MARKUP", value_parser = named(TextIs::ALL.to_vec()))]
    text_is: Option<TextIs>,

    /// Types of documents to read, separated by commas; others are skipped [default: all]
    #[arg(long, value_name = "TYPES", value_delimiter = ',', value_parser = named(InputFormat::DOCUMENTS.map(|f| (f.name(), f)).to_vec()))]
    types: Vec<InputFormat>,

    /// Read text that an earlier run marked (--keep-marked) as if it were not marked. Without this, it is ignored
    #[arg(long)]
    use_marked: bool,

    /// Largest document to read; larger documents are reported and skipped
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = size, allow_negative_numbers = true)]
    max_document: u64,

    /// Largest factor by which an input may expand when decompressed (1 GiB is always allowed)
    #[arg(long, value_name = "N", default_value_t = ReadOptions::MAX_EXPANSION, value_parser = number, allow_negative_numbers = true)]
    max_expansion: u64,
}

impl InputArguments {
    pub(crate) fn options(&self) -> ReadOptions {
        ReadOptions {
            format: self.input_format,
            text_field: self.text_field.clone(),
            id_field: self.id_field.clone(),
            text_is: self.text_is,
            types: self.types.clone(),
            use_marked: self.use_marked,
            max_document: self.max_document,
            max_expansion: self.max_expansion,
        }
    }

    /// What a job reads.
    pub(crate) fn input(&self) -> refrain::Result<refrain::Input> {
        crate::stores::input(&self.inputs)
    }
}

/// How the main content of web pages is found.
#[derive(Args)]
#[command(next_help_heading = "Main content")]
pub(crate) struct ExtractArguments {
    /// How much of the main content to keep: all of it (cleaneval) or full sentences only (krdwrd)
    #[arg(long, value_name = "PROFILE", default_value = ExtractProfile::default().name(), value_parser = named(ExtractProfile::ALL.to_vec()))]
    profile: ExtractProfile,

    /// Keep reader comments below articles. Forum posts are always kept. Needs --method default
    #[arg(long)]
    comments: bool,

    /// Set a parameter of jusText, such as length_low=50; repeat it for others. The guide lists them
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,

    /// jusText: blocks with a larger share of characters in links are boilerplate
    #[arg(long, hide = true, value_name = "SHARE", value_parser = share, allow_negative_numbers = true, default_value_t = JusTextOptions::PUBLISHED.max_link_density)]
    max_link_density: f64,

    /// jusText: blocks with fewer characters are short
    #[arg(long, hide = true, value_name = "N", default_value_t = JusTextOptions::PUBLISHED.length_low as u64, value_parser = number, allow_negative_numbers = true)]
    length_low: u64,

    /// jusText: blocks with more characters and enough stop words are good
    #[arg(long, hide = true, value_name = "N", default_value_t = JusTextOptions::PUBLISHED.length_high as u64, value_parser = number, allow_negative_numbers = true)]
    length_high: u64,

    /// jusText: share of stop words that makes a block near-good
    #[arg(long, hide = true, value_name = "SHARE", value_parser = share, allow_negative_numbers = true, default_value_t = JusTextOptions::PUBLISHED.stopwords_low)]
    stopwords_low: f64,

    /// jusText: share of stop words that makes a long block good
    #[arg(long, hide = true, value_name = "SHARE", value_parser = share, allow_negative_numbers = true, default_value_t = JusTextOptions::PUBLISHED.stopwords_high)]
    stopwords_high: f64,

    /// jusText: largest distance of a heading from good text, in characters
    #[arg(long, hide = true, value_name = "N", default_value_t = JusTextOptions::PUBLISHED.max_heading_distance as u64, value_parser = number, allow_negative_numbers = true)]
    max_heading_distance: u64,

    /// jusText: treat headings like other blocks
    #[arg(long, hide = true)]
    no_headings: bool,
}

impl ExtractArguments {
    pub(crate) fn options(&self, method: ExtractMethod, language: Option<String>) -> Result<ExtractOptions> {
        let method = match method {
            ExtractMethod::JusText(_) => ExtractMethod::JusText(with_parameters(
                JusTextOptions {
                    max_link_density: self.max_link_density,
                    length_low: self.length_low as usize,
                    length_high: self.length_high as usize,
                    stopwords_low: self.stopwords_low,
                    stopwords_high: self.stopwords_high,
                    max_heading_distance: self.max_heading_distance as usize,
                    no_headings: self.no_headings,
                },
                &self.set,
            )?),
            other => other,
        };
        Ok(ExtractOptions { method, profile: self.profile, comments: self.comments, language })
    }

    /// Refuses what the method does not look at.
    pub(crate) fn refuse_idle(given: &Given, method: Option<ExtractMethod>) -> Result<()> {
        if method.is_none() {
            given.refuse(&["profile", "comments"], "has no effect with --method none, which keeps pages whole")?;
        }
        if method != Some(ExtractMethod::Default) {
            given.refuse(&["comments"], "needs --method default; the published methods do not recognise comments")?;
        }
        if !matches!(method, Some(ExtractMethod::JusText(_))) {
            given.refuse(&JUSTEXT_ONLY, "needs --method justext")?;
        }
        Ok(())
    }
}

/// What decides whether documents are worth keeping.
#[derive(Args)]
#[command(next_help_heading = "Quality")]
pub(crate) struct QualityArguments {
    /// Rules of quality, separated by commas and applied in this order: gopher, c4, fineweb, fineweb2, or a JSON file with limits.
    /// gopher-repetition, gopher-quality and fineweb-quality are parts of these
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = NonEmptyStringValueParser::new())]
    quality: Vec<String>,

    /// Remove documents with fewer words. Punctuation marks do not count
    #[arg(long, value_name = "N", value_parser = number, allow_negative_numbers = true)]
    min_words: Option<u64>,

    /// Remove documents with more words
    #[arg(long, value_name = "N", value_parser = number, allow_negative_numbers = true)]
    max_words: Option<u64>,

    /// Remove documents of the hosts in this file, one per line, and of all hosts below them; repeat it for more files
    #[arg(long, value_name = "FILE")]
    block_hosts: Vec<PathBuf>,

    /// Read only this share of the documents. Their addresses decide, or their texts: a larger share contains a smaller one
    #[arg(long, value_name = "SHARE", value_parser = share, allow_negative_numbers = true)]
    sample: Option<f64>,

    /// Replace e-mail addresses and public IP addresses by [email] and [ip]. They are not kept anywhere in the output
    #[arg(long, value_name = "WHAT", value_parser = named(vec![("pii", Mask::Pii)]))]
    mask: Option<Mask>,
}

impl QualityArguments {
    pub(crate) fn options(&self) -> QualityOptions {
        QualityOptions {
            quality: self.quality.clone(),
            min_words: self.min_words,
            max_words: self.max_words,
            block_hosts: self.block_hosts.clone(),
            sample: self.sample,
            mask: self.mask,
        }
    }
}

/// Options that only jusText uses.
const JUSTEXT_ONLY: [&str; 8] = [
    "set",
    "max_link_density",
    "length_low",
    "length_high",
    "stopwords_low",
    "stopwords_high",
    "max_heading_distance",
    "no_headings",
];

/// Where the documents go, for verbs that write them to one place; what failed; how the work is done.
#[derive(Args)]
pub(crate) struct OutputArguments {
    /// File whose extension states format and compression (.gz, .zst), or folder if the name ends with /; also in S3 (s3://bucket/name) [default: standard output]
    #[arg(short, long, value_name = "PATH", help_heading = "Output", display_order = 0)]
    output: Option<PathBuf>,

    /// Write into a folder that is not empty: files of the same names are replaced, others are left alone
    #[arg(long, help_heading = "Output")]
    pub(crate) overwrite: bool,

    /// Print the report of the run as JSON instead of a summary. Without -o, write nothing else
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    /// Write the report of the run to this file as JSON
    #[arg(long, value_name = "FILE.json", help_heading = "Output")]
    report: Option<PathBuf>,

    /// Write failures to this file, one JSON object per line
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    errors: Option<PathBuf>,

    /// Print failures only: no progress, no table, no summary
    #[arg(short, long, help_heading = "Output")]
    pub(crate) quiet: bool,

    /// Number of threads, 1 to 256 [default: number of cores]
    #[arg(long, value_name = "N", value_parser = thread_number, allow_negative_numbers = true, help_heading = "Running")]
    threads: Option<usize>,
}

impl OutputArguments {
    /// True if the user chose an output for documents.
    pub(crate) fn is_given(&self) -> bool {
        self.output.is_some()
    }

    /// The file or folder; none for standard output.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| *path != Path::new(STDIN))
    }

    /// True when progress can be drawn, and does not get mixed with the documents.
    pub(crate) fn shows_progress(&self) -> bool {
        !self.quiet && (self.path().is_some() || !std::io::stdout().is_terminal())
    }

    /// Where the job writes: the main output, and the list of failures.
    pub(crate) fn outputs(&self, format: Option<(Format, Compression)>) -> Result<Outputs> {
        if self.json && self.is_given() && self.path().is_none() {
            bail!("--json writes to standard output; name a file for the documents with -o");
        }
        let outputs = self.results(format)?;
        Ok(if self.json && !self.is_given() { outputs.discard_main() } else { outputs })
    }

    /// The same for a verb whose main output is what `--json` prints.
    pub(crate) fn results(&self, format: Option<(Format, Compression)>) -> Result<Outputs> {
        self.refuse_idle_overwrite()?;
        let mut outputs = match &self.output {
            Some(path) => Outputs::to(path)?.overwrite(self.overwrite),
            None => Outputs::stdout(),
        };
        if let Some((format, compression)) = format {
            outputs = outputs.format(format, compression);
        }
        self.add_lists(outputs)
    }

    /// Adds the list of failures and the report, if they are wanted.
    fn add_lists(&self, mut outputs: Outputs) -> Result<Outputs> {
        if let Some(path) = &self.errors {
            outputs = outputs.errors(path)?;
        }
        if let Some(path) = &self.report {
            if path == Path::new(STDIN) {
                bail!("--report needs the name of a file; --json prints the report");
            }
            outputs = match Format::of_path(path) {
                Some(Format::Html) => outputs.list("page", Output::path(path)?),
                _ => outputs.report(path)?,
            };
        }
        Ok(outputs)
    }

    /// Refuses the first given of these options, if both its result and the report would be written to standard output.
    pub(crate) fn refuse_json(&self, given: &Given, writes: bool, options: &[&str]) -> Result<()> {
        if writes && self.json && self.path().is_none() {
            given.refuse(options, "and --json both write to standard output; name a file with -o")?;
        }
        Ok(())
    }

    /// Prints the report as JSON, if that is wanted.
    pub(crate) fn print_json(&self, report: &impl Serialize) -> Result<()> {
        if self.json { print(&(serde_json::to_string_pretty(report)? + "\n")) } else { Ok(()) }
    }

    fn refuse_idle_overwrite(&self) -> Result<()> {
        if self.overwrite && !self.path().is_some_and(is_folder) {
            bail!("--overwrite needs a folder to write to, such as -o clean/; a file is replaced without it");
        }
        Ok(())
    }

    /// True for a verb that prints a table at the end of the run, unless the user names a file or another format.
    pub(crate) fn prints_table(&self, format: Option<Format>) -> bool {
        self.path().is_none() && !self.json && matches!(format, None | Some(Format::Table))
    }

    /// Where such a verb writes: its pairs, and one more list, if a file is named for it.
    pub(crate) fn outputs_of_pairs(
        &self,
        format: Option<Format>,
        name: &'static str,
        list: Option<&Path>,
    ) -> Result<Outputs> {
        let outputs = match self.prints_table(format) {
            true => self.lists()?,
            false => self.outputs(format.map(|format| (format, Compression::None)))?,
        };
        Ok(match list {
            Some(path) => outputs.list(name, Output::path(path)?),
            None => outputs,
        })
    }

    /// The same for a verb that has no main output, or prints it by itself.
    pub(crate) fn lists(&self) -> Result<Outputs> {
        self.refuse_idle_overwrite()?;
        self.add_lists(Outputs::none())
    }

    /// Runs a job with its progress on the terminal, until it is done or interrupted. `unit` is what it counts; `left`
    /// describes what an interrupted run keeps.
    pub(crate) fn run<T>(
        &self,
        run: Run,
        unit: &'static str,
        left: &str,
        job: impl FnOnce(&Run) -> refrain::Result<T>,
    ) -> Result<T> {
        let shown = Shown::unless(!self.shows_progress());
        run_job(Run { threads: self.threads, ..run }, shown, unit, || left.to_owned(), job)
    }

    /// Prints what failed.
    pub(crate) fn print_failures(failures: &refrain::Failures) -> Exit {
        print_failures(&failures.first, failures.count, " (list them all with --errors)");
        Exit::of_failures(failures.count)
    }

    /// Prints what became of the items of the inputs: the last line of every verb that reads documents.
    pub(crate) fn print_account(&self, input: &Account) {
        if !self.quiet {
            print_message(&input.to_string());
        }
    }
}

/// How files are compressed.
#[derive(Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct PackingArguments {
    /// Level of zstd in Parquet and .zst files, 1 to 22 [default: 1 in Parquet, 3 in others]
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(i32).range(1..=22), allow_negative_numbers = true)]
    pub(crate) zstd_level: Option<i32>,

    /// Size of a row group in Parquet: what a reader needs to hold in memory [default: 32M]
    #[arg(long, value_name = "SIZE", value_parser = size, allow_negative_numbers = true)]
    pub(crate) row_group: Option<u64>,
}

impl PackingArguments {
    /// Refuses options that would do nothing.
    pub(crate) fn refuse_idle(given: &Given, is_parquet: bool, is_zstd: bool) -> Result<()> {
        if !is_parquet {
            given.refuse(&["row_group"], "needs --format parquet or hf; other formats have no row groups")?;
        }
        if !is_parquet && !is_zstd {
            given.refuse(&["zstd_level"], "needs Parquet, or a file that ends in .zst")?;
        }
        Ok(())
    }
}

/// Runs a job with its progress on the terminal, until it is done or interrupted. `unit` is what it counts; `left`
/// describes what an interrupted run keeps.
pub(crate) fn run_job<T>(
    run: Run,
    shown: Shown,
    unit: &'static str,
    left: impl FnOnce() -> String,
    job: impl FnOnce(&Run) -> refrain::Result<T>,
) -> Result<T> {
    let (bar, observer) = Bar::of_run(shown, unit);
    let run = Run { observer, ..run };
    let stop = run.stop.clone();
    crate::stores::remember(&stop);
    on_interrupt(move || stop.request())?;
    let result = job(&run);
    bar.end(result.is_ok());
    if let Err(error) = &result
        && error.is_interrupted()
    {
        match error {
            refrain::Error::Hinted { hint, .. } => print_message(&format!("interrupted; {hint}")),
            _ => print_message(&format!("interrupted; {}", left())),
        }
    }
    Ok(result?)
}

/// True for a folder, or for a name that asks for one.
pub(crate) fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/")
}

/// The options that the user gave; defaults are not among them.
#[derive(Default)]
pub(crate) struct Given(HashSet<String>);

impl Given {
    pub(crate) fn of(matches: &ArgMatches) -> Given {
        let given = |id: &&clap::Id| matches.value_source(id.as_str()) == Some(ValueSource::CommandLine);
        Given(matches.ids().filter(given).map(|id| id.as_str().to_owned()).collect())
    }

    /// Rejects the first of these options that was given; `why` states what it requires.
    pub(crate) fn refuse(&self, options: &[&str], why: &str) -> Result<()> {
        match options.iter().find(|option| self.0.contains(**option)) {
            Some(option) => bail!("--{} {why}", option.replace('_', "-")),
            None => Ok(()),
        }
    }
}

/// A parser for options with named values.
pub(crate) fn named<T: Clone + Send + Sync + 'static>(
    values: Vec<(&'static str, T)>,
) -> impl TypedValueParser<Value = T> {
    let names: Vec<&'static str> = values.iter().map(|(name, _)| *name).collect();
    PossibleValuesParser::new(names).try_map(move |name| {
        let found = values.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone());
        found.ok_or_else(|| format!("unknown value {name}"))
    })
}

/// A parser for the offsets option.
pub(crate) fn offsets() -> impl TypedValueParser<Value = Offsets> {
    named(vec![("chars", Offsets::Chars), ("bytes", Offsets::Bytes)])
}

/// A parser for the formats that a verb writes.
pub(crate) fn one_of(formats: &[Format]) -> impl TypedValueParser<Value = Format> {
    named(formats.iter().map(|format| (format.name(), *format)).collect())
}

/// The formats of documents with their compressions: `jsonl`, `jsonl.zst`, `parquet`, ...
fn document_formats() -> Vec<(&'static str, (Format, Compression))> {
    let mut values: Vec<(&'static str, (Format, Compression))> =
        Format::DOCUMENTS.iter().map(|&format| (format.name(), (format, Compression::None))).collect();
    values.extend([
        ("text.gz", (Format::Text, Compression::Gzip)),
        ("text.zst", (Format::Text, Compression::Zstd)),
        ("jsonl.gz", (Format::Jsonl, Compression::Gzip)),
        ("jsonl.zst", (Format::Jsonl, Compression::Zstd)),
        ("vertical.gz", (Format::Vertical, Compression::Gzip)),
        ("vertical.zst", (Format::Vertical, Compression::Zstd)),
        ("dolma.gz", (Format::Dolma, Compression::Gzip)),
        ("dolma.zst", (Format::Dolma, Compression::Zstd)),
        ("datatrove.gz", (Format::Datatrove, Compression::Gzip)),
        ("datatrove.zst", (Format::Datatrove, Compression::Zstd)),
        ("wet.gz", (Format::Wet, Compression::Gzip)),
    ]);
    values
}

/// A parser for them.
pub(crate) fn output_format() -> impl TypedValueParser<Value = (Format, Compression)> {
    named(document_formats())
}

/// The same with the folder for a hub of data sets.
pub(crate) fn output_format_or_hub() -> impl TypedValueParser<Value = (Format, Compression)> {
    named([document_formats(), vec![(Format::Hf.name(), (Format::Hf, Compression::None))]].concat())
}

/// A number of bytes: 500K, 1.5G, 100000.
#[allow(clippy::cast_sign_loss)] // the number is positive where it is cast
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let trimmed = text.trim().trim_end_matches(['b', 'B']).trim_end_matches('i');
    let (number, factor) = match trimmed.chars().last().map(|c| c.to_ascii_uppercase()) {
        Some('K') => (&trimmed[..trimmed.len() - 1], 1_u64 << 10),
        Some('M') => (&trimmed[..trimmed.len() - 1], 1 << 20),
        Some('G') => (&trimmed[..trimmed.len() - 1], 1 << 30),
        Some('T') => (&trimmed[..trimmed.len() - 1], 1 << 40),
        _ => (trimmed, 1),
    };
    match number.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok((number * factor as f64) as u64),
        _ => Err(format!("`{text}` is not a size; write 500K, 64M or 1.5G")),
    }
}

/// The maximum number of threads; starting more costs more time than they save.
const MOST_THREADS: usize = Run::MAX_THREADS;

/// A number of threads.
pub(crate) fn thread_number(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads) if (1..=MOST_THREADS).contains(&threads) => Ok(threads),
        _ => Err(format!("the number of threads must be from 1 to {MOST_THREADS}")),
    }
}

/// A count, such as that of characters.
fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "expected a whole number, at least 0".into())
}

/// A share of a whole, from 0 to 1 or in percent.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    let (number, whole) = match text.trim().strip_suffix('%') {
        Some(percent) => (percent.trim(), 100.0),
        None => (text, 1.0),
    };
    match number.parse::<f64>() {
        Ok(number) if (0.0..=whole).contains(&number) => Ok(number / whole),
        _ => Err("a share is a number from 0 to 1, or in percent: 0.03 or 3%".into()),
    }
}

/// A share that raises an alarm, or `off`: no share is as large as that.
pub(crate) fn alarm(text: &str) -> Result<f64, String> {
    if text == "off" { Ok(f64::INFINITY) } else { share(text) }
}

/// The parameters of a published method with those that the user set: `name=value` each.
pub(crate) fn with_parameters<T: Serialize + DeserializeOwned>(published: T, set: &[String]) -> Result<T> {
    let mut parameters = serde_json::to_value(published)?;
    for assignment in set {
        let Some((name, value)) = assignment.split_once('=') else {
            bail!("--set {assignment}: write it as name=value");
        };
        let (name, value) = (name.trim().replace('-', "_"), value.trim());
        let Some(parameter) = parameters.get_mut(&name) else {
            let mut names: Vec<&str> =
                parameters.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
            names.sort_unstable();
            let names = names.join(", ");
            bail!("--set {assignment}: the method has no parameter `{name}`; its parameters are {names}");
        };
        *parameter = match parameter {
            Value::Number(number) if number.is_f64() => {
                share(value).map_err(|error| anyhow!("--set {assignment}: {error}"))?.into()
            }
            Value::String(_) => value.into(),
            _ => serde_json::from_str(value).unwrap_or_else(|_| value.into()),
        };
        T::deserialize(&parameters)
            .map_err(|error| anyhow!("--set {assignment}: {}", in_plain_words(value, &error)))?;
    }
    Ok(serde_json::from_value(parameters)?)
}

/// Which values a parameter has, without names of types.
fn in_plain_words(value: &str, error: &serde_json::Error) -> String {
    let error = error.to_string();
    let expected = match error.split_once("expected ").map_or(error.as_str(), |(_, expected)| expected) {
        "usize" | "u8" | "u32" | "u64" => "a whole number, at least 0",
        "a boolean" => "true or false",
        expected => expected,
    };
    format!("expected {expected}, not `{value}`")
}

/// Asks a run to stop at the first Ctrl-C and ends it at the second.
pub(crate) fn on_interrupt(stop: impl Fn() -> bool + Send + 'static) -> Result<()> {
    let listening = ctrlc::set_handler(move || {
        let asked_before = stop();
        if asked_before {
            #[allow(clippy::exit)] // files appear only when they are complete: nothing can be left half done
            std::process::exit(130);
        }
    });
    listening.context("cannot listen for Ctrl-C")
}

/// A line for people, on standard error.
pub(crate) fn print_message(line: &str) {
    // In one piece, so that other programs on the same terminal cannot write into the line.
    let _ = std::io::stderr().write_all(format!("{}\n", crate::stores::shown(line)).as_bytes());
}

/// How much was removed by group and by rule, if anything was.
pub(crate) fn print_losses(losses: &Losses, unit: &str) {
    let tables = losses.tables(unit);
    if !tables.is_empty() {
        print_message(tables.trim_end());
    }
}

/// Data, on standard output.
pub(crate) fn print(data: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(data.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// The maximum number of failures printed one by one.
const SHOWN_FAILURES: usize = 20;

/// Prints failures, the first ones in full; those of one file with the same cause are printed once.
pub(crate) fn print_failures(failures: &[Failure], total: u64, more_in: &str) {
    let mut groups: Vec<(&Failure, u64)> = Vec::new();
    let mut known = HashMap::new();
    for failure in failures {
        let group = *known.entry((&failure.input, &failure.member, cause(failure))).or_insert(groups.len());
        match groups.get_mut(group) {
            Some((_, count)) => *count += 1,
            None => groups.push((failure, 1)),
        }
    }
    let mut printed = 0;
    for (first, count) in groups.into_iter().take(SHOWN_FAILURES) {
        let more = if count > 1 { format!(" (and {} more with the same cause)", count - 1) } else { String::new() };
        print_message(&format!("failed: {}{more}", messages::failure(first)));
        printed += count;
    }
    if total > printed {
        print_message(&format!("failed: {} more{more_in}", total - printed));
    }
}

/// The cause, without the fields that a line has instead of the requested one.
fn cause(failure: &Failure) -> &str {
    failure.error.split("; fields are: ").next().unwrap_or_default()
}

/// A number of documents in words.
pub(crate) fn counted_documents(count: u64) -> String {
    format!("{count} document{}", if count == 1 { "" } else { "s" })
}

/// True when progress can be drawn.
pub(crate) fn on_terminal() -> bool {
    std::io::stderr().is_terminal()
}

/// The languages that an option names.
pub(crate) fn languages(option: &str, values: &[String]) -> Result<Vec<String>> {
    let known = LanguageFilter::known();
    let codes: Vec<String> =
        values.iter().map(|code| code.trim().to_lowercase()).filter(|code| !code.is_empty()).collect();
    if codes.is_empty() && !values.is_empty() {
        bail!("{option} is empty; name at least one language, or remove the option to keep all");
    }
    match codes.iter().find(|code| !known.contains(&code.as_str())) {
        Some(code) => bail!("unknown language `{code}`; the codes are: {}", known.join(", ")),
        None => Ok(codes),
    }
}

/// The arguments of a verb on a command line that names an input, and nothing else.
#[cfg(test)]
pub(crate) fn parsed<T: Args>() -> T {
    parsed_with(&[])
}

/// The same with options that the verb requires.
#[cfg(test)]
pub(crate) fn parsed_with<T: Args>(options: &[&str]) -> T {
    let line = [&["verb", "input", "input"], options].concat();
    let matches = T::augment_args(clap::Command::new("verb")).get_matches_from(line);
    T::from_arg_matches(&matches).expect("arguments")
}

#[cfg(test)]
mod tests {
    use refrain::extract::JusTextOptions;

    use super::{share, size, with_parameters};

    #[test]
    fn shares_are_read() {
        assert_eq!((share("0.5"), share("50%"), share("50 %")), (Ok(0.5), Ok(0.5), Ok(0.5)));
        assert!(share("50").is_err() && share("101%").is_err() && share("-1%").is_err() && share("%").is_err());
    }

    #[test]
    fn parameters_are_those_of_the_method() {
        let set = |values: &[&str]| {
            let values: Vec<String> = values.iter().map(ToString::to_string).collect();
            with_parameters(JusTextOptions::PUBLISHED, &values).map_err(|error| error.to_string())
        };
        let expected = JusTextOptions { length_low: 50, max_link_density: 0.25, ..JusTextOptions::PUBLISHED };
        assert_eq!(set(&["length_low=50", "max-link-density=25%"]), Ok(expected));
        assert_eq!(set(&[]), Ok(JusTextOptions::PUBLISHED));
        let refused = set(&["length=50"]).expect_err("an unknown name");
        assert!(refused.contains("`length`") && refused.contains("length_high, length_low"), "{refused}");
        for wrong in ["length_low", "length_low=-1", "length_low=many", "stopwords_low=2", "no_headings=7"] {
            assert!(set(&[wrong]).is_err_and(|error| error.contains(wrong)), "{wrong}");
        }
        let refused = |wrong: &str| set(&[wrong]).expect_err("a value of another type");
        for (name, value) in [("length_low", "many"), ("length_low", "-1")] {
            let wrong = format!("{name}={value}");
            assert_eq!(refused(&wrong), format!("--set {wrong}: expected a whole number, at least 0, not `{value}`"));
        }
        assert_eq!(refused("no_headings=7"), "--set no_headings=7: expected true or false, not `7`");
    }

    #[test]
    fn sizes_are_read() {
        assert_eq!(size("1.5G"), Ok(3 << 29));
        assert_eq!(size("64MiB"), Ok(64 << 20));
        assert_eq!(size("100"), Ok(100));
        assert!(size("many").is_err() && size("-1K").is_err() && size("").is_err() && size("0").is_err());
    }
}
