//! `refrain convert`: any input to any output, nothing marked, nothing removed.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use refrain::text::Offsets;
use refrain::write::{Compression, Format};
use refrain::{Convert, Run};

use crate::arguments::{
    Given, InputArguments, OutputArguments, PackingArguments, counted_documents, offsets, output_format_or_hub,
    print_message,
};
use crate::exit::Exit;

/// Convert documents to text, JSONL, Parquet, vertical or WET
///
/// HTML becomes the visible text of the page. Nothing is removed, except ranges that are already marked (`refrain
/// corpus --keep-marked`). A folder (`-o notes/`) gets one text file per document, or with --shards a few files of many.
#[derive(Args)]
#[command(before_help = "Example:\n  refrain convert samples/notes.zip -o notes.vert")]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: InputArguments,

    /// Output format, if the file extension does not select it [default: jsonl]
    #[arg(long, value_name = "FORMAT", value_parser = output_format_or_hub(), help_heading = "Output")]
    format: Option<(Format, Compression)>,

    /// Keep marked ranges and their marks
    #[arg(long, help_heading = "Output")]
    keep_marked: bool,

    /// With --removed or --keep-marked: unit of ranges, characters (code points) or bytes
    #[arg(long, value_name = "UNIT", default_value = "chars", value_parser = offsets(), help_heading = "Output")]
    offsets: Offsets,

    /// Write what was already marked and is removed to this file, one JSON object per line: where, and why
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    removed: Option<PathBuf>,

    /// Also write the registry of a vertical file, for corpus managers: corpus.registry next to corpus.vert
    #[arg(long, help_heading = "Output")]
    registry: bool,

    /// Divide the documents into this many files of about the same size, 1 to 1000; -o names a folder
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000), allow_negative_numbers = true, help_heading = "Output")]
    shards: Option<u32>,

    #[command(flatten)]
    packing: PackingArguments,

    #[command(flatten)]
    output: OutputArguments,
}

impl Arguments {
    fn job(&self) -> Convert {
        Convert {
            read: self.input.options(),
            keep_marked: self.keep_marked,
            offsets: self.offsets,
            zstd_level: self.packing.zstd_level,
            row_group: self.packing.row_group,
            shards: self.shards,
            registry: self.registry,
        }
    }

    /// Refuses options that would do nothing.
    fn refuse_idle(&self, given: &Given) -> Result<()> {
        let path = self.output.path();
        let format = self.format.map(|(format, _)| format).or_else(|| path.and_then(Format::of_path));
        let is_zstd = self.format.is_some_and(|(_, with)| with == Compression::Zstd)
            || path.is_some_and(|path| Compression::of_path(path) == Compression::Zstd);
        PackingArguments::refuse_idle(given, matches!(format, Some(Format::Parquet | Format::Hf)), is_zstd)?;
        if format != Some(Format::Vertical) || self.shards.is_some() {
            given.refuse(&["registry"], "needs one vertical file, such as -o corpus.vert")?;
        }
        if self.removed.is_some() {
            return Ok(());
        }
        if !self.keep_marked {
            given.refuse(&["offsets"], "needs --removed or --keep-marked; without them no ranges are written")?;
        }
        if matches!(format, Some(Format::Text | Format::Vertical | Format::Wet)) {
            given.refuse(&["offsets"], "needs --format jsonl or parquet; other formats have no ranges")?;
        }
        Ok(())
    }
}

pub(crate) fn run(arguments: &Arguments, given: &Given) -> Result<Exit> {
    let output = &arguments.output;
    arguments.refuse_idle(given)?;
    let (job, input, mut outputs) = (arguments.job(), arguments.input.input()?, output.outputs(arguments.format)?);
    if let Some(path) = &arguments.removed {
        outputs = outputs.removed(path)?;
    }
    let left = "the output was not finished";
    let report = output.run(Run::default(), "documents", left, |run| job.run(&input, outputs, run))?;
    output.print_json(&report)?;
    let exit = OutputArguments::print_failures(&report.failures);
    if let Some(path) = output.path().filter(|_| !output.quiet) {
        print_message(&format!("wrote {} to {}", counted_documents(report.documents), path.display()));
    }
    output.print_account(&report.input);
    Ok(exit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_those_of_the_job() {
        let arguments: Arguments = crate::arguments::parsed();
        assert_eq!(arguments.job(), Convert::default());
    }
}
