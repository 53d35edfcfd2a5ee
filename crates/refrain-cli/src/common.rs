//! What the verbs share: options with one name everywhere, and the way to the terminal.

use std::io::{IsTerminal, Write};
use std::num::NonZero;
use std::path::Path;

use anyhow::{Context, Result, bail};
use clap::Args;
use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser;
use refrain::Failure;
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

    /// What texts in JSON and Parquet are; by itself, whole pages and pieces full of tags count as HTML
    #[arg(long, value_name = "MARKUP", default_value = "auto", value_parser = markup())]
    text_is: TextIs,

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
            text_is: self.text_is.0,
            max_document: self.max_document,
            max_expansion: self.max_expansion,
        }
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
