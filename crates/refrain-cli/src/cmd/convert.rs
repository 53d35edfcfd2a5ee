//! `refrain convert`: any input to any output, nothing marked, nothing removed.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use clap::Args;
use refrain::Position;
use refrain::pipeline::{Control, Extraction, Preparation, run_in_order};
use refrain::source::Source;
use refrain::write::{DocumentWriter, Output, OutputFormat, Packing, WriteOptions, open, open_folder};

use crate::common::{InputArguments, output_format, tell, tell_failures, threads};
use crate::exit::Exit;
use crate::progress::{Bar, Status};

/// Turn any input into text, JSONL, Parquet or vertical, with nothing taken out
///
/// HTML becomes the visible text of the page. A corpus folder is an input like any other.
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

    /// Write what failed to this file, one JSON object a line
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    errors: Option<PathBuf>,

    /// Draw no progress
    #[arg(short, long, help_heading = "Output")]
    quiet: bool,

    /// Threads [default: as many as there are cores]
    #[arg(long, value_name = "N", help_heading = "Running")]
    threads: Option<usize>,
}

impl Arguments {
    fn writer(&self) -> Result<Box<dyn DocumentWriter>> {
        let options = WriteOptions::default();
        let Some(path) = &self.output else {
            let (format, packing) = self.format.unwrap_or((OutputFormat::Jsonl, Packing::None));
            return Ok(open(Output::stream(std::io::stdout()), format, packing, options)?);
        };
        let text_asked = self.format.is_none_or(|(format, _)| format == OutputFormat::Text);
        if text_asked && is_folder(path) {
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
    let (inputs, mut failures) = arguments.input.expand(arguments.output.as_deref())?;
    let mut writer = arguments.writer()?;
    let source = Arc::new(Source::new(inputs, arguments.input.options()));
    let control = Arc::new(Control::default());
    let pool = rayon_pool(threads(arguments.threads))?;
    let (stopped, watched, counted) = (control.clone(), source.clone(), control.clone());
    ctrlc::set_handler(move || stopped.stop()).context("cannot listen for Ctrl-C")?;
    let bar = Bar::start(arguments.quiet, move || Status {
        phase: "read",
        done: watched.bytes_read(),
        total: watched.inputs().total_size(),
        note: format!(", {} documents", counted.documents()),
    });
    let preparation = Preparation { language: None, extraction: Extraction::None };
    let result = run_in_order(
        &source,
        0..source.inputs().len(),
        Position::default(),
        &pool,
        &control,
        |position, item| preparation.prepare(position, item),
        |_, prepared| {
            failures.extend(prepared.failure);
            if let Some(document) = prepared.document {
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
    if let Some(path) = &arguments.errors {
        let mut file = File::create(path).with_context(|| path.display().to_string())?;
        for failure in &failures {
            writeln!(file, "{}", serde_json::to_string(failure)?).with_context(|| path.display().to_string())?;
        }
    }
    tell_failures(&failures, failures.len() as u64, " (list them all with --errors)");
    if let Some(path) = &arguments.output {
        tell(&format!("wrote {} documents to {}", control.documents(), path.display()));
    }
    Ok(Exit::of_failures(failures.len() as u64))
}

fn rayon_pool(threads: usize) -> Result<rayon::ThreadPool> {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().context("cannot start threads")
}
