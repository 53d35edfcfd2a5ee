//! `refrain corpus`: whatever there is in, a clean corpus folder out.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use clap::builder::TypedValueParser;
use refrain::decode::Undecided;
use refrain::extract::ExtractMethod;
use refrain::jobs::corpus::{CorpusDedup, CorpusTemplates, Kept, LanguageUnit, Start};
use refrain::text::Offsets;
use refrain::write::{Compression, Format};
use refrain::{Corpus, CorpusReport, Outputs, Run};

use crate::arguments::{
    ExtractArguments, Given, InputArguments, PackingArguments, QualityArguments, alarm, is_folder, languages, named,
    offsets, output_format, print, print_failures, print_message, run_job, size, thread_number,
};
use crate::config::check_lock;
use crate::exit::Exit;
use crate::maintenance::{Task, maintain};
use crate::progress::Shown;

/// Build a clean corpus: decode documents, remove boilerplate and duplicates, select languages
///
/// Reads WARC, HTML, text, JSONL, Parquet, vertical and office files, compressed or in archives. Writes a folder: parts
/// with the documents, `removed/` with every removed range and the reason, `errors.jsonl`, `stats.json`, and
/// `manifest.json` with options, counts and digests. If a run is interrupted, run the same command again: it resumes
/// and ends with the same bytes.
///
/// The steps are, in this order: read, decode, remove site templates (--template), find main content (--method), select languages
/// (--lang), judge quality (--quality), strip books (--strip), remove exact duplicates, remove near-duplicates (--dedup), write.
///
/// Memory does not depend on the size of the input. refrain needs about 150 MiB per thread, up to --memory for duplicates,
/// and several times the size of the largest document.
#[derive(Args)]
#[allow(clippy::struct_excessive_bools)] // switches of a command line
#[command(before_help = "Example:\n  refrain corpus samples/crawl.warc.gz -o corpus/ --lang en,de")]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: InputArguments,

    /// The corpus folder; also in S3 (s3://bucket/corpus/)
    #[arg(short, long, value_name = "FOLDER", required_unless_present_any = ["verify", "rebuild_evidence", "remove_batch"], help_heading = "Output")]
    output: Option<PathBuf>,

    /// Take inputs and options from a recipe: a TOML file with the long names of options, and `inputs`. Every corpus folder holds
    /// its own, recipe.toml. Options of the command line count more. Writes a lock next to the recipe, or fails if
    /// the documents are not those of the lock
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    config: Option<PathBuf>,

    /// Build nothing: read all files of a corpus, the INPUT, and compare them with its manifest
    #[arg(long, conflicts_with_all = ["output", "config", "rebuild_evidence", "remove_batch"], help_heading = "Output")]
    verify: bool,

    /// Build nothing: make again what --add compares new documents with, from the documents of a corpus, the INPUT
    #[arg(long, conflicts_with_all = ["output", "config"], help_heading = "Output")]
    rebuild_evidence: bool,

    /// Build nothing: remove a batch from a corpus, the INPUT. Copies of its text in other batches are not restored
    #[arg(long, value_name = "N", conflicts_with_all = ["output", "config", "rebuild_evidence"], help_heading = "Output")]
    remove_batch: Option<usize>,

    /// Format of the parts
    #[arg(long, value_name = "FORMAT", default_value = "parquet", value_parser = output_format(), help_heading = "Output")]
    format: (Format, Compression),

    /// Keep marked ranges in the parts, with their marks
    #[arg(long, help_heading = "Output")]
    keep_marked: bool,

    /// Do not write the list of removed ranges
    #[arg(long, help_heading = "Output")]
    no_removed: bool,

    /// Unit of ranges: characters (code points) or bytes
    #[arg(long, value_name = "UNIT", default_value = "chars", value_parser = offsets(), help_heading = "Output")]
    offsets: Offsets,

    /// Amount of text per part
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = size, allow_negative_numbers = true, help_heading = "Output")]
    part_size: u64,

    #[command(flatten)]
    packing: PackingArguments,

    /// Replace the corpus in the folder, if there is one
    #[arg(long, conflicts_with = "add", help_heading = "Output")]
    overwrite: bool,

    /// Add the inputs to the corpus in the folder, as another batch. They are compared with it, and it does not change. Its
    /// documents are then those of a corpus of all inputs, one batch after the other
    #[arg(long, help_heading = "Output")]
    add: bool,

    /// Do not keep what --add compares new documents with. The corpus is smaller, and can be added to only after --rebuild-evidence
    #[arg(long, help_heading = "Output")]
    no_evidence: bool,

    /// Print for programs: the statistics as JSON on standard output, and progress as lines of JSON on standard error
    #[arg(long, help_heading = "Output")]
    json: bool,

    /// Print failures only: no progress, no table, no summary
    #[arg(short, long, help_heading = "Output")]
    quiet: bool,

    /// Languages to keep, by their codes, separated by commas. Documents in other languages are removed
    #[arg(long, value_name = "CODES", value_delimiter = ',', help_heading = "Cleaning")]
    lang: Vec<String>,

    /// Apply --lang to whole documents or to each block
    #[arg(long, value_name = "UNIT", default_value = "document", requires = "lang", action = clap::ArgAction::Set, value_parser = named(vec![("document", LanguageUnit::Document), ("block", LanguageUnit::Block)]), help_heading = "Cleaning")]
    lang_by: LanguageUnit,

    /// What --lang does with text that is too short to identify its language: keep or drop it. Documents with 500 bytes of text,
    /// 250 of them letters, are long enough
    #[arg(long, value_name = "ACTION", default_value = "keep", requires = "lang", action = clap::ArgAction::Set, value_parser = named(vec![("keep", Undecided::Keep), ("drop", Undecided::Drop)]), help_heading = "Cleaning")]
    lang_undecided: Undecided,

    /// How to find the main content of web pages
    #[arg(long, value_name = "METHOD", default_value = "default", value_parser = method_or_none(), help_heading = "Main content")]
    method: MethodOrNone,

    #[command(flatten)]
    extract: ExtractArguments,

    /// Also learn and remove the template of each host. Reads the inputs twice
    #[arg(long, value_name = "OF", default_value = "none", action = clap::ArgAction::Set, value_parser = named(vec![("none", CorpusTemplates::None), ("host", CorpusTemplates::Host)]), help_heading = "Main content")]
    template: CorpusTemplates,

    #[command(flatten)]
    quality: QualityArguments,
    /// Also remove licence headers, footers and notes of transcribers from books: from texts that are not web pages
    #[arg(long, help_heading = "Cleaning")]
    strip: bool,

    /// Duplicates to remove: none; exact (documents with the same text); also documents of which earlier ones contain nearly all;
    /// or exact duplicates, and blocks that occur in earlier documents
    #[arg(long, value_name = "WHAT", default_value = "blocks", action = clap::ArgAction::Set, value_parser = named(vec![("none", CorpusDedup::None), ("exact", CorpusDedup::Exact), ("documents", CorpusDedup::Documents), ("blocks", CorpusDedup::Blocks)]), help_heading = "Cleaning")]
    dedup: CorpusDedup,

    /// Number of threads, 1 to 256 [default: number of cores]
    #[arg(long, value_name = "N", value_parser = thread_number, allow_negative_numbers = true, help_heading = "Running")]
    threads: Option<usize>,

    /// Do not complete the corpus if a source, host or language loses more than this share of its main content, in words or
    /// documents; exit with 3. The same command with a higher share, or off, completes it. Languages that were not requested do
    /// not count, nor groups of fewer than 10 documents or 1,000 words
    #[arg(long, value_name = "SHARE", value_parser = alarm, help_heading = "Running")]
    alarm: Option<f64>,

    /// Amount of input between checkpoints: the most that an interrupted run repeats, per thread
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = size, allow_negative_numbers = true, help_heading = "Running")]
    checkpoint: u64,

    /// Memory for evidence of duplicates; evidence beyond this goes to temporary files in the corpus folder
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = size, allow_negative_numbers = true, help_heading = "Running")]
    memory: u64,
}

/// A method, or none.
#[derive(Clone)]
struct MethodOrNone(Option<ExtractMethod>);

fn method_or_none() -> impl TypedValueParser<Value = MethodOrNone> {
    let methods = ExtractMethod::ALL.map(|(name, method)| (name, MethodOrNone(Some(method))));
    named(methods.into_iter().chain([("none", MethodOrNone(None))]).collect())
}

impl Arguments {
    /// Refuses options that would do nothing.
    fn refuse_idle(&self, given: &Given) -> Result<()> {
        let marks = self.keep_marked
            && matches!(self.format.0, Format::Jsonl | Format::Dolma | Format::Datatrove | Format::Parquet);
        if self.no_removed && !marks {
            let why = "has no effect with --no-removed, unless --keep-marked writes ranges to jsonl or parquet";
            given.refuse(&["offsets"], why)?;
        }
        PackingArguments::refuse_idle(given, self.format.0 == Format::Parquet, self.format.1 == Compression::Zstd)?;
        ExtractArguments::refuse_idle(given, self.method.0)
    }

    fn job(&self) -> Result<Corpus> {
        Ok(Corpus {
            read: self.input.options(),
            lang: languages("--lang", &self.lang)?,
            lang_by: self.lang_by,
            lang_undecided: self.lang_undecided,
            content: self.method.0.map(|method| self.extract.options(method, None)).transpose()?,
            template: self.template,
            quality: self.quality.options(),
            strip: self.strip,
            dedup: self.dedup,
            keep_marked: self.keep_marked,
            offsets: self.offsets,
            removed: !self.no_removed,
            part_size: self.part_size,
            zstd_level: self.packing.zstd_level,
            row_group: self.packing.row_group,
            checkpoint: self.checkpoint,
            add: self.add,
            evidence: !self.no_evidence,
            alarm: self.alarm.filter(|share| share.is_finite()),
        })
    }
}

pub(crate) fn run(arguments: &Arguments, given: &Given) -> Result<Exit> {
    let Some(output) = arguments.output.as_deref() else {
        let task = match (arguments.verify, arguments.remove_batch) {
            (true, _) => Task::Verify { json: arguments.json },
            (false, Some(batch)) => Task::RemoveBatch(batch),
            (false, None) => Task::RebuildEvidence,
        };
        return maintain(arguments.input.input()?.names(), task, arguments.threads, arguments.quiet);
    };
    arguments.refuse_idle(given)?;
    let (job, input) = (arguments.job()?, arguments.input.input()?);
    let (format, compression) = arguments.format;
    if output.extension().is_some() && !is_folder(output) && !output.exists() {
        let path = output.display();
        bail!("{path} is the name of a file, but a corpus is a folder; write {path}/ for a folder of that name");
    }
    let outputs = Outputs::to(output)?.format(format, compression).overwrite(arguments.overwrite);
    let folder = output.display();
    let how = if arguments.overwrite { " without --overwrite" } else { "" };
    let before = if arguments.add { "the corpus is as it was before; " } else { "" };
    let left = || format!("{before}{}; run the same command{how} again to resume ({folder})", Kept::of(output));
    let shown = if arguments.json && !arguments.quiet { Shown::Json } else { Shown::unless(arguments.quiet) };
    let run = Run { threads: arguments.threads, memory: Some(arguments.memory), ..Run::default() };
    let report = run_job(run.clone(), shown, "documents", left, |run| job.run(&input, outputs, run))?;
    let statistics = &report.manifest.statistics;
    match (arguments.json, arguments.quiet) {
        (true, _) => print(&(serde_json::to_string_pretty(statistics)? + "\n"))?,
        (false, false) => print(&statistics.summary())?,
        (false, true) => {}
    }
    let errors = output.join("errors.jsonl");
    print_failures(&report.failures.first, report.failures.count, &format!(", see {}", errors.display()));
    if !arguments.quiet {
        print_report(arguments, output, &report);
    }
    if let Some(recipe) = &arguments.config {
        let said = check_lock(recipe, output, &run)?;
        if !arguments.quiet {
            print_message(&said);
        }
    }
    Ok(Exit::of_failures(report.failures.count))
}

/// Prints what the run did.
fn print_report(
    arguments: &Arguments,
    output: &Path,
    CorpusReport { manifest, start, input, converted, .. }: &CorpusReport,
) {
    if *converted {
        print_message("note: the evidence had the layout of an earlier version, and was converted");
    }
    let total = &manifest.statistics.total;
    if arguments.template == CorpusTemplates::Host && total.template.words == 0 {
        print_message(
            "note: --template host marked nothing. Either no host has at least three pages with an address (a field url, or a web \
             archive) that share a template, or the template is boilerplate already",
        );
    }
    if total.kept.documents == 0 {
        print_message(
            "note: the corpus is empty; see errors.jsonl for failures, removed/ for removed text, and `refrain list` for the inputs",
        );
    }
    let how = match start {
        Start::New => "",
        Start::Resumed => "; resumed an interrupted run",
        Start::Complete => "; already complete",
    };
    let parts = manifest.parts.len();
    let folder = output.display();
    let parts = format!("{parts} part{}", if parts == 1 { "" } else { "s" });
    print_message(&format!("corpus: {folder} ({parts}){how}; for all figures: refrain stats {folder}"));
    print_message(&input.to_string());
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches;

    use super::*;

    #[test]
    fn defaults_are_those_of_the_job() {
        let command = Arguments::augment_args(clap::Command::new("corpus"));
        let matches = command.get_matches_from(["corpus", "a.html", "-o", "corpus/"]);
        let arguments = Arguments::from_arg_matches(&matches).expect("a command line");
        assert_eq!((arguments.job().expect("a job"), arguments.memory), (Corpus::default(), Corpus::MEMORY));
    }
}
