//! `refrain convert`: any input to any output, nothing marked, nothing removed.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, bail};
use clap::Args;
use refrain::pipeline::{Control, Preparation, run_in_order};
use refrain::source::{STDIN, Source};
use refrain::text::Offsets;
use refrain::write::{DocumentWriter, Output, OutputFormat, Packing, WriteOptions, open, open_folder};
use refrain::{Document, Position};

use crate::common::{
    Failures, InputArguments, counted_documents, offsets, on_interrupt, output_format, refuse_input_as_errors, tell,
    tell_failures, thread_pool, threads,
};
use crate::exit::Exit;
use crate::progress::{Bar, Status};

/// Turn any input into text, JSONL, Parquet or vertical
///
/// HTML becomes the visible text of the page, with nothing taken out. A corpus folder is an input like any other; ranges
/// that were marked when it was made with --keep-marked are left out here unless --keep-marked is given again.
#[derive(Args)]
#[command(before_help = "Example:\n  refrain convert samples/notes.zip -o notes.vert")]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: InputArguments,

    /// File to write, its format and packing told by its name (.txt, .jsonl, .parquet, .vert; .gz, .zst); or a folder,
    /// with a slash at the end, for one text file a document; standard output when not given
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,

    /// Format, where the name does not tell [default: jsonl]
    #[arg(long, value_name = "FORMAT", value_parser = output_format(), help_heading = "Output")]
    format: Option<(OutputFormat, Packing)>,

    /// Keep ranges that came marked, with their marks
    #[arg(long, help_heading = "Output")]
    keep_marked: bool,

    /// What ranges count: characters (code points) or bytes
    #[arg(long, value_name = "UNIT", default_value = "chars", value_parser = offsets(), help_heading = "Output")]
    offsets: Offsets,

    /// Write what failed to this file, one JSON object a line
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    errors: Option<PathBuf>,

    /// Draw no progress
    #[arg(short, long, help_heading = "Output")]
    quiet: bool,

    /// Threads [default: as many as there are cores]
    #[arg(long, value_name = "N", help_heading = "Running")]
    threads: Option<NonZero<usize>>,
}

impl Arguments {
    fn writer(&self) -> Result<Box<dyn DocumentWriter>> {
        let options = WriteOptions { keep_marked: self.keep_marked, offsets: self.offsets };
        let Some(path) = self.output.as_deref().filter(|path| *path != Path::new(STDIN)) else {
            let (format, packing) = self.format.unwrap_or((OutputFormat::Jsonl, Packing::None));
            return Ok(open(Output::stream(std::io::stdout()), format, packing, options)?);
        };
        let text_asked = self.format.is_none_or(|(format, _)| format == OutputFormat::Text);
        if is_folder(path) && !text_asked {
            bail!("only text goes into a folder, one file a document; name a file instead of {}", path.display());
        }
        if is_folder(path) {
            if path.read_dir().is_ok_and(|mut entries| entries.next().is_some()) {
                bail!("the folder {} is not empty; name another one", path.display());
            }
            return Ok(open_folder(path, options)?);
        }
        let packing = Packing::of_path(path);
        let (format, packing) = match (self.format, OutputFormat::of_path(path)) {
            (Some((format, Packing::None)), _) | (None, Some(format)) => (format, packing),
            (Some(asked), _) => asked,
            (None, None) => bail!(
                "the name {} does not tell the format; end it in .txt, .jsonl, .parquet or .vert, or use --format",
                path.display()
            ),
        };
        Ok(open(Output::file(path)?, format, packing, options)?)
    }
}

fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/")
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit> {
    let (inputs, early_failures) = arguments.input.expand(arguments.output.as_deref())?;
    refuse_input_as_errors(arguments.errors.as_deref(), &inputs)?;
    let mut writer = arguments.writer()?;
    let mut failures = Failures::open(arguments.errors.as_deref())?;
    for failure in early_failures {
        failures.add(failure)?;
    }
    let source = Arc::new(Source::new(inputs, arguments.input.options()));
    let control = Arc::new(Control::default());
    let pool = thread_pool(threads(arguments.threads))?;
    let (stopped, watched, counted) = (control.clone(), source.clone(), control.clone());
    on_interrupt(move || stopped.stop())?;
    let bar = Bar::start(arguments.quiet, move || Status {
        phase: "read",
        done: watched.bytes_read(),
        total: watched.inputs().total_size(),
        note: format!(", {} documents", counted.documents()),
    });
    let preparation = Preparation { language: None, extractor: None };
    let result = run_in_order(
        &source,
        0..source.inputs().len(),
        Position::default(),
        &pool,
        &control,
        |position, item| preparation.prepare(position, item),
        |_, prepared| {
            if let Some(failure) = prepared.failure {
                failures.add(failure)?;
            }
            // A document of which nothing is left is not written, unless it never had any text.
            let gone =
                |document: &Document| !arguments.keep_marked && !document.marks.is_empty() && document.is_removed();
            if let Some(document) = prepared.document.filter(|document| !gone(document)) {
                control.count(1, 0);
                writer.write(&document)?;
            }
            Ok(())
        },
    );
    drop(bar);
    if let Err(refrain::Error::Interrupted) = result {
        tell("interrupted; the output was not finished");
        return Ok(Exit::Interrupted);
    }
    result?;
    writer.finish()?;
    tell_failures(&failures.first, failures.count, " (list them all with --errors)");
    if let Some(path) = arguments.output.as_deref().filter(|path| *path != Path::new(STDIN)) {
        tell(&format!("wrote {} to {}", counted_documents(control.documents()), path.display()));
    }
    Ok(Exit::of_failures(failures.count))
}
