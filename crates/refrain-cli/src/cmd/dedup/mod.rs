//! `refrain dedup`: text that stands elsewhere already, marked and left out.

mod choice;
mod output;
mod passes;
mod report;
mod work;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;
use refrain::dedup::{
    DedupOptions, Engine, Measure, Normalise, Task, Unit, bytes_of_evidence, is_evidence, refuse_unfinished,
};
use refrain::pipeline::Control;
use refrain::source::{Input, Inputs};
use refrain::text::Offsets;
use refrain::write::{Compression, Format};

use self::passes::Run;
use self::work::Work;
use crate::common::{
    Given, InputArguments, OutputArguments, expand, format_of_file, is_folder, named, offsets, on_interrupt,
    output_format, refuse_input_as, share, size, tell, tell_failures,
};
use crate::exit::Exit;
use crate::messages;

/// Leave out text that stands in earlier documents already
///
/// Documents are read twice: first to learn what repeats, then to mark it. A block is a duplicate when most of its words
/// stand in n-grams of text that was kept before it, or in the same order in one place of it. The first copy stays.
///
/// Killed or interrupted, or out of room, the same command goes on where it was and ends with the same bytes.
#[derive(Args)]
#[command(before_help = "Example:\n  refrain dedup docs.jsonl -o clean.jsonl --removed removed.jsonl")]
#[allow(clippy::struct_excessive_bools)] // switches of a command line
pub(crate) struct Arguments {
    #[command(flatten)]
    input: InputArguments,

    /// Format, where the name (.txt, .jsonl, .parquet, .vert) does not tell [default: jsonl]
    #[arg(long, value_name = "FORMAT", value_parser = output_format(), help_heading = "Output")]
    format: Option<(Format, Compression)>,

    /// List what was left out in this file, one JSON object a line: where, a copy of what, how much
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    removed: Option<PathBuf>,

    /// Tell on standard output what is left out, and why: a line for each. Without -o, that is all
    #[arg(long, help_heading = "Output")]
    explain: bool,

    /// List documents that were kept and those that resemble them in this file, one JSON object a line; compares whole
    /// documents. Without -o, that is all
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    clusters: Option<PathBuf>,

    /// List passages that stand nowhere any more in this file, one JSON object a line: what blocks that were left out had of
    /// their own
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    lost: Option<PathBuf>,

    /// Write the report to this file as JSON: n-grams before and after, by language and host, most repeated passages
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    report: Option<PathBuf>,

    /// Save evidence of what was kept in this folder, for --against
    #[arg(long, value_name = "FOLDER", help_heading = "Output")]
    save: Option<PathBuf>,

    /// Keep duplicates, with their marks
    #[arg(long, help_heading = "Output")]
    keep_marked: bool,

    /// What ranges count: characters (code points) or bytes
    #[arg(long, value_name = "UNIT", default_value = "chars", value_parser = offsets(), help_heading = "Output")]
    offsets: Offsets,

    /// Text that goes into one part, where -o names a folder
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = size, allow_negative_numbers = true, help_heading = "Output")]
    part_size: u64,

    /// Print the report, or the counts, as JSON
    #[arg(long, help_heading = "Output")]
    json: bool,

    /// Leave out what stands in these files or folders, too, or in evidence that was saved; they are not written. Takes
    /// all names up to the next option: name what is deduplicated before it
    #[arg(long, value_name = "INPUT", num_args = 1.., help_heading = "Duplicates")]
    against: Vec<String>,

    /// What is left out: blocks that are copies, or whole documents that resemble an earlier one [default: block]
    #[arg(long, value_name = "UNIT", value_parser = named(vec![("block", Unit::Block), ("document", Unit::Document)]), help_heading = "Duplicates")]
    by: Option<Unit>,

    /// With --by document: how much two documents must resemble each other, by their word 5-grams
    #[arg(long, value_name = "SHARE", default_value_t = 0.22, value_parser = share, help_heading = "Duplicates")]
    resemblance: f64,

    /// With --by document: the share of the 5-grams of both that both have, or of those of the later one that the earlier
    /// one has
    #[arg(long, value_name = "MEASURE", default_value = "jaccard", value_parser = named(vec![("jaccard", Measure::Resemblance), ("containment", Measure::Containment)]), help_heading = "Duplicates")]
    measure: Measure,

    /// With --by document: which one stays: first, longest, most:FIELD or least:FIELD (a field of the document, compared as
    /// number or as text)
    #[arg(long, value_name = "WHICH", default_value = "first", value_parser = which, help_heading = "Duplicates")]
    keep: Which,

    /// Leave out only what is the same as a whole, by this much: its bytes, all but white space, or its words, whatever their
    /// case and signs
    #[arg(long, value_name = "WHAT", value_parser = named(vec![("bytes", Normalise::Nothing), ("space", Normalise::Space), ("words", Normalise::Words)]), num_args = 0..=1, default_missing_value = "words", require_equals = true, help_heading = "Duplicates")]
    exact: Option<Normalise>,

    /// Only count n-grams: how many there are, how many different ones, how many occur twice or more
    #[arg(long, help_heading = "Duplicates")]
    count_only: bool,

    /// Words of an n-gram
    #[arg(long, value_name = "N", default_value = "7", value_parser = words, allow_negative_numbers = true, help_heading = "Duplicates")]
    ngram: usize,

    /// A block is a duplicate when a larger share of its words was there before
    #[arg(long, value_name = "SHARE", default_value_t = 0.5, value_parser = share, help_heading = "Duplicates")]
    threshold: f64,

    /// Blocks of fewer words between two duplicates are left out with them
    #[arg(long, value_name = "WORDS", default_value_t = 20, help_heading = "Duplicates")]
    stub: usize,

    /// Go by n-grams alone: find no copies with many words changed, and leave out those with other names in them, too
    #[arg(long, help_heading = "Duplicates")]
    intact: bool,

    /// How duplicate n-grams are found: by hashes on disk, by suffix arrays, or by counting shorter ones first. The result is
    /// the same; hash is the fastest
    #[arg(long, value_name = "ENGINE", default_value = "hash", value_parser = named(vec![("hash", Engine::Hash), ("suffix-array", Engine::SuffixArray), ("spex", Engine::Spex)]), help_heading = "Running")]
    engine: Engine,

    /// Number ids that come more than once: id, id#2, id#3
    #[arg(long, help_heading = "Input")]
    make_ids: bool,

    /// Memory to stay within; a single document takes some thirty times its size while it is worked on
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = size, allow_negative_numbers = true, help_heading = "Running")]
    memory: u64,

    /// Folder for temporary files: some 16 bytes for each word [default: beside the output, else that of the system]
    #[arg(long, value_name = "FOLDER", help_heading = "Running")]
    temporary: Option<PathBuf>,

    /// How much text is read between two checkpoints: what a killed run does again at most
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = size, allow_negative_numbers = true, help_heading = "Running")]
    checkpoint: u64,

    #[command(flatten)]
    output: OutputArguments,
}

/// A number of words of which there is at least one.
fn words(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|words| *words > 0).ok_or_else(|| "a number of words, 1 or more".into())
}

/// Which of the documents that resemble each other stays.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Which {
    First,
    Longest,
    Most(String),
    Least(String),
}

fn which(text: &str) -> Result<Which, String> {
    match (text, text.split_once(':')) {
        ("first", _) => Ok(Which::First),
        ("longest", _) => Ok(Which::Longest),
        (_, Some(("most", field))) if !field.is_empty() => Ok(Which::Most(field.to_owned())),
        (_, Some(("least", field))) if !field.is_empty() => Ok(Which::Least(field.to_owned())),
        _ => Err("first, longest, most:FIELD or least:FIELD, with the name of a field".into()),
    }
}

impl Arguments {
    /// What is left out: clusters are of documents.
    fn unit(&self) -> Unit {
        self.by.unwrap_or(if self.clusters.is_some() { Unit::Document } else { Unit::Block })
    }

    fn task(&self) -> Task {
        match (self.exact, self.unit()) {
            _ if self.count_only => Task::Count,
            (Some(normalise), unit) => Task::Exact(unit, normalise),
            (None, Unit::Block) => Task::Blocks,
            (None, Unit::Document) => Task::Documents,
        }
    }

    /// True when documents are written: to a file, or to standard output if nothing else is asked for.
    fn writes_documents(&self) -> bool {
        !self.count_only && (self.output.is_given() || !(self.explain || self.clusters.is_some()))
    }

    /// Refuses options that would do nothing.
    fn refuse_idle(&self, given: &Given) -> Result<()> {
        let documents_only = ["resemblance", "measure", "keep", "clusters"];
        let blocks_only = ["threshold", "stub", "intact", "ngram", "engine", "lost"];
        match self.task() {
            Task::Count => {
                let why = "does nothing with --count-only, which writes no documents";
                let idle = ["format", "removed", "explain", "lost", "report", "save", "keep_marked", "offsets"];
                given.refuse(&idle, why)?;
                given.refuse(&["part_size", "by", "exact", "threshold", "stub", "intact", "checkpoint"], why)?;
                given.refuse(&documents_only, why)?;
                if self.output.is_given() {
                    bail!("--count-only writes no documents; leave -o out");
                }
            }
            Task::Blocks => given.refuse(&documents_only, "needs --by document")?,
            Task::Documents => {
                given.refuse(&blocks_only, "is for blocks; whole documents are compared by --resemblance")?;
            }
            Task::Exact(..) => {
                let why = "does nothing with --exact, which compares texts as a whole";
                given.refuse(&["threshold", "stub", "intact", "ngram", "engine", "lost"], why)?;
                given.refuse(&["resemblance", "measure", "keep", "clusters", "save"], why)?;
                if self.against.iter().any(|name| is_evidence(Path::new(name))) {
                    bail!("saved evidence knows words, not whole texts; --exact needs the documents themselves");
                }
            }
        }
        if !self.writes_documents() && !self.count_only {
            given.refuse(
                &["format", "keep_marked", "part_size"],
                "is for documents that are written; name a file with -o",
            )?;
        }
        if self.removed.is_none() && !self.keep_marked && self.task() != Task::Count {
            given.refuse(&["offsets"], "is for ranges that are written: by --removed, or with --keep-marked")?;
        }
        if !self.output.path().is_some_and(is_folder) && !self.count_only {
            given.refuse(&["part_size"], "is for a folder of parts; end its name with / after -o")?;
        }
        if let Some(folder) = self.temporary.as_deref().filter(|folder| !folder.is_dir()) {
            bail!("--temporary: {} is no folder; make it first", folder.display());
        }
        if self.explain && self.json {
            bail!("--explain and --json both write to standard output; --report FILE has what --json prints");
        }
        if self.explain && self.writes_documents() && self.output.path().is_none() {
            bail!("--explain writes to standard output; name a file for the documents with -o");
        }
        if self.json && !self.count_only && self.writes_documents() && self.output.path().is_none() {
            bail!("--json prints the report on standard output; name a file for the documents with -o");
        }
        Ok(())
    }

    fn options(&self, inputs: [&Inputs; 2]) -> DedupOptions {
        let bytes = |input: &Input| input.size.unwrap_or_default() * if is_packed(&input.path) { EXPANSION } else { 1 };
        let saved = self.against.iter().map(Path::new).filter(|name| is_evidence(name)).map(bytes_of_evidence);
        DedupOptions {
            task: self.task(),
            engine: self.engine,
            ngram: self.ngram,
            threshold: self.threshold,
            stub: self.stub.min(MOST_STUB),
            edited: !self.intact,
            list_lost: self.lost.is_some(),
            memory: self.memory,
            make_ids: self.make_ids,
            expected: inputs.iter().flat_map(|inputs| inputs.iter()).map(bytes).chain(saved).sum(),
            ..DedupOptions::default()
        }
    }

    fn format(&self) -> Result<(Format, Compression)> {
        match self.output.path() {
            Some(path) if !is_folder(path) => format_of_file(path, self.format),
            _ => Ok(self.format.unwrap_or((Format::Jsonl, Compression::None))),
        }
    }

    /// Refuses to write over an input, or two things into one file.
    fn check_lists(&self, inputs: [&Inputs; 2]) -> Result<()> {
        let lists = [
            ("--removed", self.removed.as_deref()),
            ("--clusters", self.clusters.as_deref()),
            ("--lost", self.lost.as_deref()),
            ("--report", self.report.as_deref()),
        ];
        for (number, (option, list)) in lists.iter().enumerate() {
            inputs.iter().try_for_each(|inputs| refuse_input_as(option, *list, inputs))?;
            if list.is_some() && *list == self.output.path() {
                bail!("the documents and {option} cannot go into one file; name another one");
            }
            if let Some((other, _)) = lists[..number].iter().find(|(_, other)| other.is_some() && other == list) {
                bail!("{other} and {option} cannot go into one file; name another one");
            }
            if let Some(folder) = list.and_then(Path::parent)
                && !folder.as_os_str().is_empty()
                && !folder.exists()
            {
                bail!("{option}: the folder {} does not exist", folder.display());
            }
        }
        Ok(())
    }
}

/// Longer blocks are not short.
const MOST_STUB: usize = 1 << 20;
/// What packed text becomes, about.
const EXPANSION: u64 = 4;

/// True for files whose text is longer than they are.
fn is_packed(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    ["gz", "zst", "bz2", "xz", "zip", "tgz", "parquet"].contains(&extension.to_ascii_lowercase().as_str())
}

pub(crate) fn run(arguments: &Arguments, given: &Given) -> Result<Exit> {
    arguments.refuse_idle(given)?;
    let began = Instant::now();
    let output = &arguments.output;
    let format = arguments.format()?;
    let (mut inputs, mut early) = arguments.input.expand(output.path())?;
    let (saved, names): (Vec<String>, Vec<String>) =
        arguments.against.iter().cloned().partition(|name| is_evidence(Path::new(name)));
    names.iter().try_for_each(|name| refuse_unfinished(Path::new(name)))?;
    if let Some(folder) = arguments.save.as_deref().and_then(|folder| folder.canonicalize().ok())
        && saved.iter().any(|name| Path::new(name).canonicalize().is_ok_and(|other| other == folder))
    {
        bail!("--save would write over evidence that is compared with; name another folder");
    }
    let mut against = Inputs::default();
    if !names.is_empty() {
        let (found, more) = expand(&names, output.path())?;
        against = found;
        early.extend(more);
    }
    output.check(&inputs)?;
    arguments.check_lists([&inputs, &against])?;
    if against.iter().any(Input::is_stdin) {
        bail!("what is compared with cannot come from standard input; name a file after --against");
    }
    let copied = inputs.copy_stdin(arguments.temporary.as_deref())?;
    let options = arguments.options([&inputs, &against]);
    let work = Work::open(arguments, [&against, &inputs], copied.is_some())?;
    let control = Arc::new(Control::default());
    let stopped = control.clone();
    on_interrupt(move || stopped.stop())?;
    let saved = saved.into_iter().map(PathBuf::from).collect();
    let run = Run { arguments, options, saved, inputs: [against, inputs], control, pool: output.pool()?, work, format };
    let done = run.all(early, began);
    let goes_on = run.work.left_behind();
    if let Some(refrain::Error::Interrupted) = done.as_ref().err().and_then(|error| error.downcast_ref()) {
        tell(&match goes_on {
            Some(folder) => {
                format!("interrupted; the same command goes on where it was, from what is in {}", folder.display())
            }
            None => "interrupted; the output was not finished".to_owned(),
        });
        return Ok(Exit::Interrupted);
    }
    let (failures, line) = match (done, goes_on) {
        (Err(error), Some(folder)) => {
            let folder = folder.display();
            let way_out = format!("the same command goes on where it was; to give up, delete {folder}");
            return Err(error.context(way_out)).map_err(|error| {
                // The cause comes first, what can be done behind it.
                let mut chain: Vec<String> = messages::causes(&error);
                chain.rotate_left(1);
                anyhow::anyhow!("{}", chain.join("; "))
            });
        }
        (done, _) => done?,
    };
    tell_failures(&failures.first, failures.count, " (list them all with --errors)");
    if let Some(line) = line.filter(|_| !output.quiet) {
        tell(&line);
    }
    Ok(Exit::of_failures(failures.count))
}
