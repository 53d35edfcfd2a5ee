//! `refrain quality`: remove documents and lines that break rules of quality, or learn limits for a language.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use refrain::text::Offsets;
use refrain::write::{Compression, Format};
use refrain::{Quality, Run};

use crate::arguments::{
    InputArguments, OutputArguments, QualityArguments, counted_documents, languages, offsets, output_format, print,
    print_message,
};
use crate::exit::Exit;

/// Remove documents and lines that break rules of quality
///
/// Applies the published rules of Gopher, C4, FineWeb and FineWeb-2, or limits in a file. The rules are for main content:
/// extract that of web pages first. With --learn, it learns limits for a language from documents worth keeping.
#[derive(Args)]
#[command(
    before_help = "Examples:\n  refrain quality samples/notes.jsonl --quality gopher -o good.jsonl --removed removed.jsonl\n  refrain quality reference.jsonl --learn --lang cs -o cs.json"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: InputArguments,
    #[command(flatten)]
    rules: QualityArguments,
    /// Learn limits from the documents and write a file for --quality, instead of judging them
    #[arg(long, conflicts_with_all = ["quality", "min_words", "max_words", "block_hosts", "sample", "mask", "format", "explain", "keep_marked", "offsets", "removed"], help_heading = "Learning")]
    learn: bool,
    /// With --learn: the language of the documents, by its code [default: the most frequent one]
    #[arg(long, value_name = "CODE", requires = "learn", help_heading = "Learning")]
    lang: Option<String>,
    /// Output format, if the file extension does not select it [default: jsonl]
    #[arg(long, value_name = "FORMAT", value_parser = output_format(), help_heading = "Output")]
    format: Option<(Format, Compression)>,
    /// Instead of documents, write what was measured of each, and the rule that it breaks, one JSON object per line
    #[arg(long, conflicts_with_all = ["format", "keep_marked", "json"], help_heading = "Output")]
    explain: bool,
    /// Keep what breaks a rule, with its marks
    #[arg(long, help_heading = "Output")]
    keep_marked: bool,
    /// Unit of ranges: characters (code points) or bytes
    #[arg(long, value_name = "UNIT", default_value = "chars", value_parser = offsets(), help_heading = "Output")]
    offsets: Offsets,
    /// Write what was removed to this file, one JSON object per line: where, and which rule it breaks
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    removed: Option<PathBuf>,
    #[command(flatten)]
    output: OutputArguments,
}

impl Arguments {
    fn job(&self) -> Quality {
        let (explain, keep_marked, offsets) = (self.explain, self.keep_marked, self.offsets);
        Quality { read: self.input.options(), rules: self.rules.options(), explain, keep_marked, offsets }
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit> {
    let (output, job, input) = (&arguments.output, arguments.job(), arguments.input.input()?);
    let mut outputs = output.outputs(arguments.format)?;
    if let Some(path) = &arguments.removed {
        outputs = outputs.removed(path)?;
    }
    let left = "the output was not finished";
    let (account, failures, done) = if arguments.learn {
        let language = languages("--lang", arguments.lang.as_slice())?.pop();
        let learn = |run: &Run| job.learn(&input, language.as_deref(), outputs, run);
        let learned = output.run(Run::default(), "documents", left, learn)?;
        output.print_json(&learned)?;
        let language = learned.rules.language.unwrap_or_default();
        let done = format!("learned limits for {language} from {}", counted_documents(learned.documents));
        (learned.input, learned.failures, done)
    } else {
        let report = output.run(Run::default(), "documents", left, |run| job.run(&input, outputs, run))?;
        output.print_json(&report)?;
        if !output.quiet && !output.json && output.path().is_some() {
            print(&report.rules.table())?;
        }
        let (kept, all) = (report.documents_kept, counted_documents(report.documents));
        let done = format!("kept {kept} of {all}, {} of {} words", report.words_kept, report.words);
        (report.input, report.failures, done)
    };
    let exit = OutputArguments::print_failures(&failures);
    if let Some(path) = output.path().filter(|_| !output.quiet) {
        print_message(&format!("{done}; wrote {}", path.display()));
    }
    output.print_account(&account);
    Ok(exit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_those_of_the_job() {
        assert_eq!(crate::arguments::parsed::<Arguments>().job(), Quality::default());
    }
}
