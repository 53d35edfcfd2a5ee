//! `refrain extract`: the main content of web pages.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use refrain::extract::{ExtractMethod, MarkdownOptions, stop_list_languages};
use refrain::text::Offsets;
use refrain::write::{Compression, Format};
use refrain::{Extract, ExtractReport, Run};

use crate::arguments::{
    ExtractArguments, Given, InputArguments, OutputArguments, counted_documents, named, offsets, one_of, print_message,
};
use crate::exit::Exit;

/// Extract the main content of web pages as text, JSONL, Markdown or TEI
///
/// Keeps the article, post, product or listing with its headings, lists, tables and code, once and in reading order.
/// Removes navigation, advertisements, notices and reader comments. Every page with text yields text; its confidence
/// estimates the quality of the result.
#[derive(Args)]
#[command(
    before_help = "Examples:\n  refrain extract samples/pages/lighthouse.example/lens.html\n  refrain extract samples/crawl.warc.gz -o pages.jsonl"
)]
#[allow(clippy::struct_excessive_bools)] // switches of a command line
pub(crate) struct Arguments {
    #[command(flatten)]
    input: InputArguments,

    /// Output format, if the file extension does not select it [default: text]
    #[arg(long, value_name = "FORMAT", value_parser = one_of(Extract::FORMATS), help_heading = "Output")]
    format: Option<Format>,

    /// Instead of pages, write whether each block was kept and why: as text, or as JSON with all features (--format jsonl)
    #[arg(long, help_heading = "Output")]
    explain: bool,

    /// Write what was removed to this file, one JSON object per line: where, and why
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    removed: Option<PathBuf>,

    /// JSONL: keep boilerplate, with its marks; each block has the decision and its rule
    #[arg(long, help_heading = "Output")]
    keep_marked: bool,

    /// Markdown: write the text of links without their addresses
    #[arg(long, help_heading = "Output")]
    no_links: bool,

    /// Markdown: write tables as paragraphs
    #[arg(long, help_heading = "Output")]
    no_tables: bool,

    /// JSONL and --removed: unit of ranges, characters (code points) or bytes
    #[arg(long, value_name = "UNIT", default_value = "chars", value_parser = offsets(), help_heading = "Output")]
    offsets: Offsets,

    /// How to find the main content: the default method, or jusText or BTE as published
    #[arg(long, value_name = "METHOD", default_value = ExtractMethod::default().name(), value_parser = named(ExtractMethod::ALL.to_vec()), help_heading = "Main content")]
    method: ExtractMethod,

    /// jusText: language to assume for all pages, even if they declare another; `none` uses no stop list
    #[arg(long, value_name = "CODE", value_parser = language, help_heading = "Main content")]
    assume_lang: Option<String>,

    #[command(flatten)]
    extract: ExtractArguments,

    #[command(flatten)]
    output: OutputArguments,
}

/// A language that there is a stop list for.
fn language(code: &str) -> Result<String, String> {
    let code = code.trim().to_lowercase();
    let known = stop_list_languages();
    if code.contains(',') {
        return Err("jusText uses one stop list here: name one code; `refrain corpus --lang` takes several".into());
    }
    if code == NO_LANGUAGE || known.contains(&code.as_str()) {
        return Ok(code);
    }
    Err(format!("there is no stop list for `{code}`; there are lists for {}; none uses none", known.join(", ")))
}

/// The code of no language at all.
const NO_LANGUAGE: &str = "none";

impl Arguments {
    fn job(&self) -> Result<Extract> {
        Ok(Extract {
            read: self.input.options(),
            content: self.extract.options(self.method, self.assume_lang.clone())?,
            markdown: MarkdownOptions { links: !self.no_links, tables: !self.no_tables, ..MarkdownOptions::default() },
            explain: self.explain,
            keep_marked: self.keep_marked,
            offsets: self.offsets,
        })
    }

    /// The format, as far as the command line says it.
    fn format(&self) -> Format {
        let by_name = || self.output.path().and_then(|path| Format::of_path_among(path, Extract::FORMATS));
        self.format.or_else(by_name).unwrap_or(Format::Text)
    }

    /// Refuses options that would do nothing.
    fn refuse_idle(&self, given: &Given, format: Format) -> Result<()> {
        self.output.refuse_json(given, self.explain, &["explain"])?;
        if self.explain {
            let blocks = ["keep_marked", "no_links", "no_tables"];
            given.refuse(&blocks, "has no effect with --explain, which describes every block")?;
        }
        if format != Format::Jsonl {
            given.refuse(&["keep_marked"], "needs --format jsonl; other formats have no ranges")?;
        }
        if (format != Format::Jsonl || self.explain) && self.removed.is_none() {
            given.refuse(&["offsets"], "needs --format jsonl or --removed; other formats have no ranges")?;
        }
        if format != Format::Markdown {
            given.refuse(&["no_links", "no_tables"], "needs --format markdown")?;
        }
        ExtractArguments::refuse_idle(given, Some(self.method))?;
        if !matches!(self.method, ExtractMethod::JusText(_)) {
            given.refuse(&["assume_lang"], "needs --method justext")?;
        }
        Ok(())
    }
}

pub(crate) fn run(arguments: &Arguments, given: &Given) -> Result<Exit> {
    let output = &arguments.output;
    arguments.refuse_idle(given, arguments.format())?;
    let format = arguments.format.map(|format| (format, Compression::None));
    let (job, input, mut outputs) = (arguments.job()?, arguments.input.input()?, output.outputs(format)?);
    if let Some(path) = &arguments.removed {
        outputs = outputs.removed(path)?;
    }
    let left = "the output was not finished";
    let report = output.run(Run::default(), "pages", left, |run| job.run(&input, outputs, run))?;
    output.print_json(&report)?;
    let exit = OutputArguments::print_failures(&report.failures);
    if !output.quiet && !output.json {
        print_report(&report, output.path(), arguments.explain);
    }
    output.print_account(&report.input);
    Ok(exit)
}

/// Prints what became of the pages.
fn print_report(report: &ExtractReport, output: Option<&Path>, explain: bool) {
    let to = output.map_or(String::new(), |path| format!(" to {}", path.display()));
    let skipped = &report.input.skipped;
    let what = match report.documents {
        0 if report.failures.count == 0 && !skipped.is_empty() => "no document written: all items were skipped".into(),
        documents if explain => format!("explained the blocks of {}{to}", counted_documents(documents)),
        documents => format!("wrote {}{to}", counted_documents(documents)),
    };
    let mut poor = Vec::new();
    if report.empty > 0 {
        poor.push(format!("{} without text", report.empty));
    }
    if report.described > 0 {
        poor.push(format!("{} with only the description in their metadata", report.described));
    }
    let poor = if poor.is_empty() { String::new() } else { format!("; {}", poor.join(", ")) };
    print_message(&format!("{what}{poor}"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_those_of_the_job() {
        let arguments: Arguments = crate::arguments::parsed();
        assert_eq!(arguments.job().expect("a job"), Extract::default());
    }
}
