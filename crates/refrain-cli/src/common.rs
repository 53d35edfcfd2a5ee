//! What the verbs share: options with one name everywhere, and the way to the terminal.

use std::fs::File;
use std::io::{IsTerminal, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser;
use refrain::Failure;
use refrain::extract::{ExtractOptions, JusTextOptions, Method, Profile};
use refrain::source::{InputFormat, Inputs, Markup, SourceOptions};
use refrain::text::Offsets;
use refrain::write::{OutputFormat, Packing};

/// What to read, and how.
#[derive(Args)]
#[command(next_help_heading = "Input")]
pub(crate) struct InputArguments {
    /// Files, folders, glob patterns, @list.txt (one name a line), or - for standard input
    #[arg(value_name = "INPUT", required = true, help_heading = None)]
    pub(crate) inputs: Vec<String>,

    /// Take inputs for this format instead of recognising it by content
    #[arg(long, value_name = "FORMAT", value_parser = named(InputFormat::ALL.map(|f| (f.name(), f)).to_vec()))]
    input_format: Option<InputFormat>,

    /// JSON field or Parquet column that holds the text
    #[arg(long, value_name = "NAME", default_value = SourceOptions::TEXT_FIELD)]
    text_field: String,

    /// JSON field or Parquet column that holds the id
    #[arg(long, value_name = "NAME", default_value = SourceOptions::ID_FIELD)]
    id_field: String,

    /// What texts in JSON and Parquet are. With `auto`, whole pages and pieces full of tags count as HTML [default: auto;
    /// html for the verb extract]
    #[arg(long, value_name = "MARKUP", value_parser = markup())]
    text_is: Option<TextIs>,

    /// Largest document to read; larger ones are reported and left out
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = size)]
    max_document: u64,

    /// How many times its size an input may expand to when it is decompressed (1 GiB is always allowed)
    #[arg(long, value_name = "N", default_value_t = SourceOptions::MAX_EXPANSION)]
    max_expansion: u64,
}

impl InputArguments {
    pub(crate) fn options(&self) -> SourceOptions {
        SourceOptions {
            format: self.input_format,
            text_field: self.text_field.clone(),
            id_field: self.id_field.clone(),
            text_is: self.text_is.as_ref().and_then(|text_is| text_is.0),
            max_document: self.max_document,
            max_expansion: self.max_expansion,
        }
    }

    /// The same for those who read pages: texts in JSON and Parquet are HTML unless the user says otherwise.
    pub(crate) fn options_for_pages(&self) -> SourceOptions {
        let text_is = self.text_is.as_ref().map_or(Some(Markup::Html), |text_is| text_is.0);
        SourceOptions { text_is, ..self.options() }
    }

    /// The inputs that are there; those that are not are failures. None at all is an error.
    /// What lies in the output folder is no input.
    pub(crate) fn expand(&self, output: Option<&Path>) -> Result<(Inputs, Vec<Failure>)> {
        let (inputs, failures) = Inputs::expand_without(&self.inputs, output);
        if inputs.is_empty() {
            let list: Vec<String> = failures.iter().map(Failure::to_string).collect();
            bail!("nothing to read: {}", list.join("; "));
        }
        Ok((inputs, failures))
    }
}

/// How the main content of web pages is found.
#[derive(Args)]
#[command(next_help_heading = "Main content")]
pub(crate) struct ExtractArguments {
    /// What is wanted of the main content: all of it (cleaneval), or full sentences only (krdwrd)
    #[arg(long, value_name = "PROFILE", default_value = Profile::default().name(), value_parser = named(Profile::ALL.to_vec()))]
    profile: Profile,

    /// Keep comments of readers below articles; contributions to forums are kept in any case
    #[arg(long)]
    comments: bool,

    /// jusText: blocks with a larger share of characters in links are boilerplate
    #[arg(long, value_name = "SHARE", value_parser = share, default_value_t = JusTextOptions::PUBLISHED.max_link_density)]
    max_link_density: f64,

    /// jusText: blocks with fewer characters are short
    #[arg(long, value_name = "N", default_value_t = JusTextOptions::PUBLISHED.length_low)]
    length_low: usize,

    /// jusText: blocks with more characters and enough stop words are good
    #[arg(long, value_name = "N", default_value_t = JusTextOptions::PUBLISHED.length_high)]
    length_high: usize,

    /// jusText: share of stop words that makes a block near-good
    #[arg(long, value_name = "SHARE", value_parser = share, default_value_t = JusTextOptions::PUBLISHED.stopwords_low)]
    stopwords_low: f64,

    /// jusText: share of stop words that makes a long block good
    #[arg(long, value_name = "SHARE", value_parser = share, default_value_t = JusTextOptions::PUBLISHED.stopwords_high)]
    stopwords_high: f64,

    /// jusText: how far from good text a heading may stand, in characters
    #[arg(long, value_name = "N", default_value_t = JusTextOptions::PUBLISHED.max_heading_distance)]
    max_heading_distance: usize,

    /// jusText: treat headings like other blocks
    #[arg(long)]
    no_headings: bool,
}

impl ExtractArguments {
    pub(crate) fn options(&self, method: Method, language: Option<String>) -> ExtractOptions {
        let method = match method {
            Method::JusText(_) => Method::JusText(JusTextOptions {
                max_link_density: self.max_link_density,
                length_low: self.length_low,
                length_high: self.length_high,
                stopwords_low: self.stopwords_low,
                stopwords_high: self.stopwords_high,
                max_heading_distance: self.max_heading_distance,
                no_headings: self.no_headings,
            }),
            other => other,
        };
        ExtractOptions { method, profile: self.profile, comments: self.comments, language }
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

/// What texts are, if the user says so.
#[derive(Clone)]
struct TextIs(Option<Markup>);

/// A parser for it.
fn markup() -> impl TypedValueParser<Value = TextIs> {
    named(vec![("auto", TextIs(None)), ("html", TextIs(Some(Markup::Html))), ("text", TextIs(Some(Markup::Text)))])
}

/// A parser for the offsets option.
pub(crate) fn offsets() -> impl TypedValueParser<Value = Offsets> {
    named(vec![("chars", Offsets::Chars), ("bytes", Offsets::Bytes)])
}

/// A format with its compression: `jsonl`, `jsonl.zst`, `parquet`, ...
pub(crate) fn output_format() -> impl TypedValueParser<Value = (OutputFormat, Packing)> {
    let mut values: Vec<(&'static str, (OutputFormat, Packing))> =
        OutputFormat::ALL.iter().map(|&format| (format.name(), (format, Packing::None))).collect();
    values.extend([
        ("text.gz", (OutputFormat::Text, Packing::Gzip)),
        ("text.zst", (OutputFormat::Text, Packing::Zstd)),
        ("jsonl.gz", (OutputFormat::Jsonl, Packing::Gzip)),
        ("jsonl.zst", (OutputFormat::Jsonl, Packing::Zstd)),
        ("vertical.gz", (OutputFormat::Vertical, Packing::Gzip)),
        ("vertical.zst", (OutputFormat::Vertical, Packing::Zstd)),
    ]);
    named(values)
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
        _ => Err(format!("`{text}` is no size; write it like 500K, 64M or 1.5G")),
    }
}

/// The number of threads to use.
pub(crate) fn threads(asked: Option<NonZero<usize>>) -> usize {
    asked.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), NonZero::get)
}

/// A share of a whole.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("a share is a number from 0 to 1".into()),
    }
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
pub(crate) fn tell(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// Data, on standard output.
pub(crate) fn print(data: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(data.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// How many failures are looked at to tell them.
pub(crate) const TELLABLE: usize = 10_000;

/// How many failures are told one by one.
const TOLD: usize = 20;

/// Tells failures, the first ones in full; those that differ only in their place are told once.
pub(crate) fn tell_failures(failures: &[Failure], total: u64, more_in: &str) {
    let mut told = 0;
    let alike = |a: &Failure, b: &Failure| (&a.input, &a.member, &a.error) == (&b.input, &b.member, &b.error);
    for group in failures.chunk_by(alike).take(TOLD) {
        let more = if group.len() > 1 { format!(" - and {} more like it", group.len() - 1) } else { String::new() };
        tell(&format!("failed: {}{more}", group[0]));
        told += group.len() as u64;
    }
    if total > told {
        tell(&format!("failed: {} more{more_in}", total - told));
    }
}

/// What failed: all of it in a file, the first ones to be told.
pub(crate) struct Failures {
    file: Option<(PathBuf, File)>,
    pub(crate) first: Vec<Failure>,
    pub(crate) count: u64,
}

impl Failures {
    /// Opens the file at once: what cannot be written should show before the work, not after it.
    pub(crate) fn open(path: Option<&Path>) -> Result<Failures> {
        let file = match path {
            Some(path) => Some((path.to_owned(), File::create(path).with_context(|| path.display().to_string())?)),
            None => None,
        };
        Ok(Failures { file, first: Vec::new(), count: 0 })
    }

    pub(crate) fn add(&mut self, failure: Failure) -> refrain::Result<()> {
        if let Some((path, file)) = &mut self.file {
            let line = serde_json::to_string(&failure).map_err(std::io::Error::from)? + "\n";
            file.write_all(line.as_bytes()).map_err(|error| refrain::Error::io(path.as_path(), error))?;
        }
        self.count += 1;
        if self.first.len() < TELLABLE {
            self.first.push(failure);
        }
        Ok(())
    }
}

/// An input is never written over by the list of errors.
pub(crate) fn refuse_input_as_errors(errors: Option<&Path>, inputs: &Inputs) -> Result<()> {
    if let Some(errors) = errors
        && let Ok(errors) = errors.canonicalize()
        && inputs.iter().any(|input| input.path.canonicalize().is_ok_and(|path| path == errors))
    {
        bail!("{} is an input; name another file for the errors", errors.display());
    }
    Ok(())
}

/// Threads to work on documents.
pub(crate) fn thread_pool(threads: usize) -> Result<rayon::ThreadPool> {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().context("cannot start threads")
}

/// A number of documents in words.
pub(crate) fn counted_documents(count: u64) -> String {
    format!("{count} document{}", if count == 1 { "" } else { "s" })
}

/// True when progress can be drawn.
pub(crate) fn on_terminal() -> bool {
    std::io::stderr().is_terminal()
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_are_read() {
        assert_eq!(size("1.5G"), Ok(3 << 29));
        assert_eq!(size("64MiB"), Ok(64 << 20));
        assert_eq!(size("100"), Ok(100));
        assert!(size("many").is_err() && size("-1K").is_err() && size("").is_err() && size("0").is_err());
    }
}
