//! `refrain dedup`: text that stands elsewhere already, marked and left out.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::Args;
use refrain::dedup::{Counts, DedupOptions, Learned, Learning, Signature};
use refrain::pipeline::{Control, Preparation, Prepared, run_in_order};
use refrain::source::{Inputs, Source};
use refrain::text::Offsets;
use refrain::write::{Output, OutputFormat, Packed, Packing, WriteOptions, open, removed_lines};
use refrain::{Document, Failure, Position};
use serde_json::{Value, json};

use crate::common::{
    Failures, Given, InputArguments, OutputArguments, counted_documents, expand, format_of_file, is_folder, named,
    offsets, on_interrupt, output_format, print, refuse_input_as, share, size, tell, tell_failures,
};
use crate::exit::Exit;
use crate::progress::{Bar, Status};

/// Leave out text that stands in earlier documents already
///
/// Documents are read twice: first to learn what repeats, then to mark it. A block is a duplicate when most of its words
/// stand in n-grams of text that was kept before it, or in the same order in one place of it. The first copy stays.
#[derive(Args)]
#[command(before_help = "Example:\n  refrain dedup docs.jsonl -o clean.jsonl --removed removed.jsonl")]
#[allow(clippy::struct_excessive_bools)] // switches of a command line
pub(crate) struct Arguments {
    #[command(flatten)]
    input: InputArguments,

    /// Format, where the name (.txt, .jsonl, .parquet, .vert) does not tell [default: jsonl]
    #[arg(long, value_name = "FORMAT", value_parser = output_format(), help_heading = "Output")]
    format: Option<(OutputFormat, Packing)>,

    /// List what was left out in this file, one JSON object a line: where, a copy of what, how much
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    removed: Option<PathBuf>,

    /// Tell on standard output what was left out, and why: a line for each
    #[arg(long, help_heading = "Output")]
    explain: bool,

    /// With --by document: list the documents that were kept and those that resemble them in this file, one JSON object a
    /// line
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    clusters: Option<PathBuf>,

    /// Keep duplicates, with their marks
    #[arg(long, help_heading = "Output")]
    keep_marked: bool,

    /// What ranges count: characters (code points) or bytes
    #[arg(long, value_name = "UNIT", default_value = "chars", value_parser = offsets(), help_heading = "Output")]
    offsets: Offsets,

    /// Print the figures as JSON
    #[arg(long, help_heading = "Output")]
    json: bool,

    /// Leave out what stands in these files or folders, too; they are not written. May be given several times
    #[arg(long, value_name = "INPUT", help_heading = "Duplicates")]
    against: Vec<String>,

    /// What is left out: blocks that are copies, or whole documents that resemble an earlier one
    #[arg(long, value_name = "UNIT", default_value = "block", value_parser = named(vec![("block", Unit::Block), ("document", Unit::Document)]), help_heading = "Duplicates")]
    by: Unit,

    /// With --by document: how many of all word 5-grams of two documents both must have
    #[arg(long, value_name = "SHARE", default_value_t = 0.22, value_parser = share, help_heading = "Duplicates")]
    resemblance: f64,

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

    /// Find only copies whose n-grams are intact, not those with many words changed
    #[arg(long, help_heading = "Duplicates")]
    intact: bool,

    /// Number ids that come more than once: id, id#2, id#3
    #[arg(long, help_heading = "Input")]
    make_ids: bool,

    /// Memory to stay within
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = size, allow_negative_numbers = true, help_heading = "Running")]
    memory: u64,

    /// Folder for temporary files: some 16 bytes for each word [default: that of the system]
    #[arg(long, value_name = "FOLDER", help_heading = "Running")]
    temporary: Option<PathBuf>,

    #[command(flatten)]
    output: OutputArguments,
}

/// A number of words of which there is at least one.
fn words(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|words| *words > 0).ok_or_else(|| "a number of words, 1 or more".into())
}

/// What is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Block,
    Document,
}

impl Arguments {
    /// Refuses options that would do nothing.
    fn refuse_idle(&self, given: &Given) -> Result<()> {
        if self.count_only {
            let why = "does nothing with --count-only, which writes no documents";
            given.refuse(
                &["format", "removed", "keep_marked", "offsets", "by", "threshold", "stub", "intact", "resemblance"],
                why,
            )?;
            if self.output.path().is_some() {
                bail!("--count-only writes no documents; leave -o out");
            }
        } else {
            given.refuse(&["json"], "needs --count-only")?;
        }
        if self.explain && self.output.path().is_none() {
            bail!("--explain writes to standard output; name a file for the documents with -o");
        }
        match self.by {
            Unit::Block => given.refuse(&["resemblance", "clusters"], "needs --by document"),
            Unit::Document => {
                let why = "is for blocks; whole documents are compared by --resemblance";
                given.refuse(&["threshold", "stub", "intact", "ngram", "keep_marked", "offsets"], why)
            }
        }
    }

    fn options(&self) -> DedupOptions {
        DedupOptions {
            ngram: self.ngram,
            threshold: self.threshold,
            stub: self.stub,
            edited: self.by == Unit::Document || !(self.intact || self.count_only),
            memory: self.memory,
            temporary: self.temporary.clone().unwrap_or_else(std::env::temp_dir),
        }
    }

    fn format(&self) -> Result<(OutputFormat, Packing)> {
        let Some(path) = self.output.path() else {
            return Ok(self.format.unwrap_or((OutputFormat::Jsonl, Packing::None)));
        };
        if is_folder(path) {
            bail!("the documents go into one file, such as -o clean.jsonl, and {} is a folder", path.display());
        }
        format_of_file(path, self.format)
    }

    /// Refuses to write over an input, or two things into one file.
    fn check_lists(&self, inputs: [&Inputs; 2]) -> Result<()> {
        let lists = [("--removed", self.removed.as_deref()), ("--clusters", self.clusters.as_deref())];
        for (option, list) in lists {
            inputs.iter().try_for_each(|inputs| refuse_input_as(option, list, inputs))?;
            if list.is_some() && list == self.output.path() {
                bail!("the documents and {option} cannot go into one file; name another one");
            }
        }
        if self.removed.is_some() && self.removed == self.clusters {
            bail!("--removed and --clusters cannot go into one file; name another one");
        }
        Ok(())
    }
}

/// A run over the documents.
struct Run<'a> {
    arguments: &'a Arguments,
    /// What is compared with, then what is written.
    inputs: [Inputs; 2],
    control: Arc<Control>,
    pool: rayon::ThreadPool,
}

impl Run<'_> {
    /// Goes over all documents in their order, with their signatures: first those to compare with, then the others.
    fn each(
        &self,
        phase: &'static str,
        mut take: impl FnMut(Prepared, Signature, Part) -> refrain::Result<()>,
    ) -> refrain::Result<()> {
        let mut ids = Ids::default();
        for (inputs, part) in self.inputs.iter().zip([Part::Against, Part::Written]) {
            self.each_of(inputs, phase, &mut ids, |prepared, signature| take(prepared, signature, part))?;
        }
        Ok(())
    }

    fn each_of(
        &self,
        inputs: &Inputs,
        phase: &'static str,
        ids: &mut Ids,
        mut take: impl FnMut(Prepared, Signature) -> refrain::Result<()>,
    ) -> refrain::Result<()> {
        let source = Arc::new(Source::new(inputs.clone(), self.arguments.input.options()));
        let (watched, counted) = (source.clone(), self.control.clone());
        let bar = Bar::start(!self.arguments.output.shows_progress(), move || Status {
            phase,
            done: watched.bytes_read(),
            total: watched.inputs().total_size(),
            documents: counted.documents(),
            note: format!(", {} documents", counted.documents()),
        });
        let preparation = Preparation { language: None, extractor: None };
        let ngram = self.arguments.ngram;
        let result = run_in_order(
            &source,
            0..source.inputs().len(),
            Position::default(),
            &self.pool,
            &self.control,
            |position, item| {
                let prepared = preparation.prepare(position, item);
                let signature =
                    prepared.document.as_ref().map(|document| Signature::of(document, ngram)).unwrap_or_default();
                (prepared, signature)
            },
            |_, (mut prepared, signature)| {
                if let Some(document) = &mut prepared.document {
                    let repeated = ids.check(document, self.arguments.make_ids);
                    prepared.failure = prepared.failure.or(repeated);
                }
                take(prepared, signature)
            },
        );
        drop(bar);
        result
    }

    fn learn(&self, failures: &mut Failures) -> Result<Learned> {
        let mut learning = Learning::new(self.arguments.options())?;
        self.each("learn", |prepared, signature, _| {
            if let Some(failure) = prepared.failure {
                failures.add(failure)?;
            }
            if let Some(document) = prepared.document {
                self.control.count(1, 0);
                learning.add(&document.id, &signature)?;
            }
            Ok(())
        })?;
        Ok(learning.conclude(&self.pool)?)
    }
}

pub(crate) fn run(arguments: &Arguments, given: &Given) -> Result<Exit> {
    arguments.refuse_idle(given)?;
    let began = Instant::now();
    let output = &arguments.output;
    let format = if arguments.count_only { None } else { Some(arguments.format()?) };
    let (inputs, mut early) = arguments.input.expand(output.path())?;
    let (against, more) = if arguments.against.is_empty() {
        (Inputs::default(), Vec::new())
    } else {
        expand(&arguments.against, output.path())?
    };
    early.extend(more);
    if inputs.iter().chain(against.iter()).any(refrain::source::Input::is_stdin) {
        bail!("documents are read twice, and standard input is gone after the first time; name a file");
    }
    output.check(&inputs)?;
    arguments.check_lists([&inputs, &against])?;
    let mut failures = output.failures(early)?;
    let control = Arc::new(Control::default());
    let stopped = control.clone();
    on_interrupt(move || stopped.stop())?;
    let run = Run { arguments, inputs: [against, inputs], control, pool: output.pool()? };
    let done = run.all(format, &mut failures, began);
    if let Some(refrain::Error::Interrupted) = done.as_ref().err().and_then(|error| error.downcast_ref()) {
        tell("interrupted; the output was not finished");
        return Ok(Exit::Interrupted);
    }
    let line = done?;
    tell_failures(&failures.first, failures.count, " (list them all with --errors)");
    if let Some(line) = line.filter(|_| !output.quiet) {
        tell(&line);
    }
    Ok(Exit::of_failures(failures.count))
}

/// Documents that were kept, by their numbers, and those that resemble them.
type Clusters = BTreeMap<usize, (String, Vec<String>)>;

/// What documents are read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// To be compared with.
    Against,
    /// To be written.
    Written,
}

/// Tells people what was left out, from the lines for programs.
fn explain(lines: &[u8]) -> refrain::Result<()> {
    let mut out = std::io::stdout().lock();
    for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let gone: Value = serde_json::from_slice(line).map_err(std::io::Error::from)?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let percent = |value: &Value| (value.as_f64().unwrap_or_default() * 100.0).round();
        let why = &gone["evidence"]["repeats"];
        let told = if gone["copy_of"].is_string() {
            format!("{}: resembles {}, {} %", text(&gone["id"]), text(&gone["copy_of"]), percent(&gone["score"]))
        } else {
            let place = match why["document"].as_str() {
                Some(id) => format!("copy of {id}, words {} to {}", why["words"][0], why["words"][1]),
                None => "in several earlier documents, or beside a copy".to_owned(),
            };
            let start: String =
                text(&gone["text"]).split_whitespace().collect::<Vec<_>>().join(" ").chars().take(60).collect();
            let (id, share, by) = (text(&gone["id"]), percent(&why["share"]), text(&why["by"]));
            format!("{id}, {} to {}: {place}, {share} % ({by}): {start}", gone["start"], gone["end"])
        };
        writeln!(out, "{told}")?;
    }
    Ok(())
}

/// Ids that came by so far, by their hashes, and how often.
#[derive(Default)]
struct Ids {
    seen: HashMap<u64, u32>,
    hasher: RandomState,
}

impl Ids {
    /// Says so when an id was there before; or makes another one of it.
    fn check(&mut self, document: &mut Document, make: bool) -> Option<Failure> {
        let times = self.seen.entry(self.hasher.hash_one(&document.id)).or_default();
        *times += 1;
        if *times == 1 {
            return None;
        }
        if make {
            document.id = format!("{}#{times}", document.id);
            return None;
        }
        let failure = Failure::new(&document.origin.input, format!("the id `{}` was there before", document.id));
        Some(failure.member(document.origin.member.as_deref()).hint("number such ids with --make-ids"))
    }
}

/// What was left out so far.
#[derive(Default)]
struct Tally {
    documents: u64,
    gone: u64,
    blocks: u64,
}

impl Tally {
    fn words(&self, by: Unit) -> String {
        let gone = counted_documents(self.gone);
        match by {
            Unit::Block => format!("{} and {} were copies", counted(self.blocks, "block"), gone),
            Unit::Document => format!("{gone} resembled earlier ones"),
        }
    }
}

fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

impl Run<'_> {
    /// Learns, then writes or counts. Returns what there is to tell.
    fn all(
        &self,
        format: Option<(OutputFormat, Packing)>,
        failures: &mut Failures,
        began: Instant,
    ) -> Result<Option<String>> {
        let mut learned = self.learn(failures)?;
        let Some((format, packing)) = format else {
            self.print_counts(learned.counts(), began)?;
            return Ok(None);
        };
        let Arguments { by, output, .. } = self.arguments;
        let write = WriteOptions { keep_marked: self.arguments.keep_marked, offsets: self.arguments.offsets };
        let mut writer = match output.path() {
            Some(path) => open(Output::file(path)?, format, packing, write)?,
            None => open(Output::stream(std::io::stdout()), format, packing, write)?,
        };
        let mut removed = self.arguments.removed.as_deref().map(open_list).transpose()?;
        let mut tally = Tally::default();
        let mut clusters = BTreeMap::new();
        self.each("mark", |prepared, signature, part| {
            let Some(mut document) = prepared.document else { return Ok(()) };
            if part == Part::Against {
                return learned.keep(&signature);
            }
            let (gone, lines) = match by {
                Unit::Block => self.blocks(&mut learned, &mut document, &signature, &mut tally)?,
                Unit::Document => self.whole(&mut learned, &document, &signature, &mut clusters)?,
            };
            if let Some(removed) = &mut removed {
                removed.put(&lines)?;
            }
            if self.arguments.explain {
                explain(&lines)?;
            }
            tally.gone += u64::from(gone);
            if !gone {
                tally.documents += 1;
                writer.write(&document)?;
            }
            Ok(())
        })?;
        learned.finish()?;
        writer.finish()?;
        if let Some(removed) = removed {
            removed.finish()?;
        }
        if let Some(path) = &self.arguments.clusters {
            let mut list = open_list(path)?;
            for (keep, copies) in clusters.into_values() {
                list.put(format!("{}\n", json!({"keep": keep, "copies": copies})).as_bytes())?;
            }
            list.finish()?;
        }
        let told = |path: &Path| {
            format!("wrote {} to {}; {}", counted_documents(tally.documents), path.display(), tally.words(*by))
        };
        Ok(output.path().map(told))
    }

    /// Marks copied blocks. Returns whether nothing is left, and the lines for the list of what was left out.
    fn blocks(
        &self,
        learned: &mut Learned,
        document: &mut Document,
        signature: &Signature,
        tally: &mut Tally,
    ) -> refrain::Result<(bool, Vec<u8>)> {
        let before = document.marks.len();
        learned.mark(document, signature)?;
        tally.blocks += (document.marks.len() - before) as u64;
        let gone = !self.arguments.keep_marked && !document.marks.is_empty() && document.is_removed();
        Ok((gone, removed_lines(document, self.arguments.offsets)?))
    }

    /// The same for a document that resembles an earlier one.
    fn whole(
        &self,
        learned: &mut Learned,
        document: &Document,
        signature: &Signature,
        clusters: &mut Clusters,
    ) -> refrain::Result<(bool, Vec<u8>)> {
        let found = learned.judge_document(signature, self.arguments.resemblance)?;
        if let Some(found) = found.as_ref().filter(|_| self.arguments.clusters.is_some()) {
            let (_, copies) = clusters.entry(found.number).or_insert_with(|| (found.document.clone(), Vec::new()));
            copies.push(document.id.clone());
        }
        let line = found.as_ref().map(|found| {
            let score = (found.score * 10_000.0).round() / 10_000.0;
            format!("{}\n", json!({"id": document.id, "copy_of": found.document, "score": score}))
        });
        Ok((found.is_some(), line.unwrap_or_default().into_bytes()))
    }

    fn print_counts(&self, counts: Counts, began: Instant) -> Result<()> {
        let seconds = (began.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
        let Counts { documents, words, ngrams, distinct, duplicate, occurrences } = counts;
        if self.arguments.json {
            let figures = json!({
                "documents": documents, "words": words, "ngram": self.arguments.ngram, "ngrams": ngrams,
                "distinct": distinct, "duplicate": duplicate, "occurrences": occurrences, "seconds": seconds,
                "peak_memory": peak_memory(),
            });
            return print(&format!("{figures}\n"));
        }
        print(&format!(
            "documents                 {documents:>16}\nwords                     {words:>16}\n{}-grams{:>width$}\n  different               \
             {distinct:>16}\n  of these twice or more  {duplicate:>16}\n  which occur             {occurrences:>16} times\n",
            self.arguments.ngram,
            ngrams,
            width = 42 - 6 - self.arguments.ngram.to_string().len(),
        ))
    }
}

/// Opens the list of what was left out.
fn open_list(path: &Path) -> Result<Packed> {
    let file = Output::file(path).with_context(|| path.display().to_string())?;
    Ok(Packing::of_path(path).pack(file)?)
}

/// The most memory that the process has had, in bytes, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}
