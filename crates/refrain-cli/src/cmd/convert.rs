//! `refrain convert`: any input to any output, nothing marked, nothing removed.

use std::sync::Arc;

use anyhow::{Result, bail};
use clap::Args;
use refrain::pipeline::{Control, Preparation, run_in_order};
use refrain::source::Source;
use refrain::text::Offsets;
use refrain::write::{Compression, DocumentWriter, Format, Output, WriteOptions, open, open_folder};
use refrain::{Document, Position};

use crate::common::{
    Given, InputArguments, OutputArguments, counted_documents, format_of_file, is_folder, offsets, on_interrupt,
    output_format, tell, tell_failures,
};
use crate::exit::Exit;
use crate::progress::{Bar, Status};

/// Turn any input into text, JSONL, Parquet or vertical
///
/// HTML becomes the visible text of the page, with nothing taken out. A corpus folder is an input like any other; ranges
/// that were marked when it was made with --keep-marked are left out here unless --keep-marked is given again. An output
/// with a slash at the end of its name is a folder, for one text file a document.
#[derive(Args)]
#[command(before_help = "Example:\n  refrain convert samples/notes.zip -o notes.vert")]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: InputArguments,

    /// Format, where the name (.txt, .jsonl, .parquet, .vert) does not tell [default: jsonl]
    #[arg(long, value_name = "FORMAT", value_parser = output_format(), help_heading = "Output")]
    format: Option<(Format, Compression)>,

    /// Keep ranges that came marked, with their marks
    #[arg(long, help_heading = "Output")]
    keep_marked: bool,

    /// With --keep-marked, what the ranges of marks count: characters (code points) or bytes
    #[arg(long, value_name = "UNIT", default_value = "chars", value_parser = offsets(), help_heading = "Output")]
    offsets: Offsets,

    #[command(flatten)]
    output: OutputArguments,
}

impl Arguments {
    /// What is written; text, where the output is a folder.
    fn format(&self) -> Result<(Format, Compression)> {
        let Some(path) = self.output.path() else {
            return Ok(self.format.unwrap_or((Format::Jsonl, Compression::None)));
        };
        if is_folder(path) {
            if self.format.is_some_and(|(format, _)| format != Format::Text) {
                bail!("only text goes into a folder, one file a document; name a file instead of {}", path.display());
            }
            return Ok((Format::Text, Compression::None));
        }
        format_of_file(path, self.format)
    }

    /// Refuses options that would do nothing.
    fn refuse_idle(&self, given: &Given, format: Format) -> Result<()> {
        if !self.keep_marked {
            given.refuse(&["offsets"], "needs --keep-marked; without it no ranges are written")?;
        }
        if matches!(format, Format::Text | Format::Vertical) {
            given.refuse(&["offsets"], "needs --format jsonl or parquet; other formats have no ranges")?;
        }
        Ok(())
    }

    fn writer(&self, (format, packing): (Format, Compression)) -> Result<Box<dyn DocumentWriter>> {
        let options = WriteOptions { keep_marked: self.keep_marked, offsets: self.offsets };
        let Some(path) = self.output.path() else {
            return Ok(open(Output::stream(std::io::stdout()), format, packing, options)?);
        };
        if is_folder(path) {
            if path.read_dir().is_ok_and(|mut entries| entries.next().is_some()) {
                bail!("the folder {} is not empty; name another one", path.display());
            }
            return Ok(open_folder(path, options)?);
        }
        Ok(open(Output::file(path)?, format, packing, options)?)
    }
}

pub(crate) fn run(arguments: &Arguments, given: &Given) -> Result<Exit> {
    let output = &arguments.output;
    let format = arguments.format()?;
    arguments.refuse_idle(given, format.0)?;
    let (inputs, early_failures) = arguments.input.expand(output.path())?;
    output.check(&inputs)?;
    let mut writer = arguments.writer(format)?;
    let mut failures = output.failures(early_failures)?;
    let source = Arc::new(Source::new(inputs, arguments.input.options()));
    let control = Arc::new(Control::default());
    let pool = output.pool()?;
    let (stopped, watched, counted) = (control.clone(), source.clone(), control.clone());
    on_interrupt(move || stopped.stop())?;
    let bar = Bar::start(!output.shows_progress(), move || Status {
        phase: "read",
        done: watched.bytes_read(),
        total: watched.inputs().total_size(),
        documents: counted.documents(),
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
    if let Some(path) = output.path().filter(|_| !output.quiet) {
        tell(&format!("wrote {} to {}", counted_documents(control.documents()), path.display()));
    }
    Ok(Exit::of_failures(failures.count))
}
