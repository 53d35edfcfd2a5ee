//! `refrain dedup`: remove text that occurs in earlier documents.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;
use refrain::text::Offsets;
use refrain::write::{Compression, Format};
use refrain::{Dedup, Engine, Keep, Measure, Normalise, Output, Outputs, Run, Unit};

use crate::arguments::{
    Given, InputArguments, OutputArguments, alarm, counted_documents, is_folder, named, offsets, output_format, print,
    print_message, share, size,
};
use crate::exit::Exit;
use crate::stores;

/// Remove text that repeats earlier documents
///
/// Reads the documents twice: first to learn what repeats, then to remove it. A block is a duplicate if most of its
/// words occur in n-grams of text that was kept before, or in the same order in one earlier passage. The first copy is
/// kept.
///
/// If a run is interrupted or killed, or runs out of disk space, run the same command again: it resumes and ends with the same
/// bytes.
#[derive(Args)]
#[command(
    before_help = "Example:\n  refrain dedup docs.jsonl -o clean.jsonl --removed removed.jsonl",
    mut_arg("report", |arg| arg.value_name("FILE").help(
        "Write the report of the run to this file: as JSON (.json), or as a page (.html) that shows what was removed next to its source"
    ))
)]
#[allow(clippy::struct_excessive_bools)] // switches of a command line
pub(crate) struct Arguments {
    #[command(flatten)]
    input: InputArguments,

    /// Output format, if the file extension does not select it [default: jsonl]
    #[arg(long, value_name = "FORMAT", value_parser = output_format(), help_heading = "Output")]
    format: Option<(Format, Compression)>,

    /// Write what was removed to this file, one JSON object per line: where, a copy of what, and the copied share
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    removed: Option<PathBuf>,

    /// Instead of documents, write what was removed and why: as text with both sides, or as the JSON of --removed (--format jsonl)
    #[arg(long, help_heading = "Output")]
    explain: bool,

    /// Write each kept document with its near-duplicates to this file, one JSON object per line. Implies --by document.
    /// Without -o, write no documents
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    clusters: Option<PathBuf>,

    /// Write passages that no longer occur anywhere to this file: text of removed blocks that was not copied. One JSON
    /// object per line
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    lost: Option<PathBuf>,

    /// Save evidence of the kept text in this folder, for a later --against
    #[arg(long, value_name = "FOLDER", help_heading = "Output")]
    save: Option<PathBuf>,

    /// Keep duplicates and their marks
    #[arg(long, help_heading = "Output")]
    keep_marked: bool,

    /// Unit of ranges: characters (code points) or bytes
    #[arg(long, value_name = "UNIT", default_value = "chars", value_parser = offsets(), help_heading = "Output")]
    offsets: Offsets,

    /// Amount of text per part, if -o names a folder
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = size, allow_negative_numbers = true, help_heading = "Output")]
    part_size: u64,

    /// Also remove text that occurs in these files, folders or saved evidence. They are not written. Takes all names up
    /// to the next option, so put your inputs first
    #[arg(long, value_name = "INPUT", num_args = 1.., help_heading = "Duplicates")]
    against: Vec<String>,

    /// What to remove: copied blocks, or whole documents that resemble an earlier one [default: block]
    #[arg(long, value_name = "UNIT", value_parser = named(vec![("block", Unit::Block), ("document", Unit::Document)]), help_heading = "Duplicates")]
    by: Option<Unit>,

    /// With --by document: the share of the own text of a document that an earlier one must contain. Wording that many
    /// documents share does not count
    #[arg(long, value_name = "SHARE", default_value_t = Dedup::default().contained, value_parser = share, help_heading = "Duplicates")]
    contained: f64,

    /// With --by document: compare documents as published instead, by how much their word 5-grams resemble each other.
    /// At .22, about a third of shared text is enough
    #[arg(long, value_name = "SHARE", value_parser = share, help_heading = "Duplicates")]
    resemblance: Option<f64>,

    /// With --by document: how to measure resemblance. jaccard: the share of all 5-grams that both documents contain.
    /// containment: the share of the later document's 5-grams that the earlier one contains
    #[arg(long, value_name = "MEASURE", default_value = "jaccard", value_parser = named(vec![("jaccard", Measure::Jaccard), ("containment", Measure::Containment)]), help_heading = "Duplicates")]
    measure: Measure,

    /// With --by document: which document to keep: first, longest, newest, most:FIELD or least:FIELD (numbers are compared
    /// as numbers)
    #[arg(long, value_name = "WHICH", default_value_t = Dedup::default().keep, help_heading = "Duplicates")]
    keep: Keep,

    /// Remove only exact copies, compared by words (ignoring case and punctuation), by everything but white space, or
    /// by bytes
    #[arg(long, value_name = "WHAT", value_parser = named(vec![("bytes", Normalise::Bytes), ("space", Normalise::Space), ("words", Normalise::Words)]), num_args = 0..=1, default_missing_value = "words", require_equals = true, help_heading = "Duplicates")]
    exact: Option<Normalise>,

    /// Only count n-grams: all, distinct and repeated
    #[arg(long, help_heading = "Duplicates")]
    count_only: bool,

    /// Number of words in an n-gram
    #[arg(long, value_name = "N", default_value_t = Dedup::default().ngram, allow_negative_numbers = true, help_heading = "Duplicates")]
    ngram: usize,

    /// Remove a block if more than this share of its words is in earlier kept text
    #[arg(long, value_name = "SHARE", default_value_t = Dedup::default().threshold, value_parser = share, help_heading = "Duplicates")]
    threshold: f64,

    /// Also remove blocks with fewer words between two removed blocks
    #[arg(long, value_name = "WORDS", default_value_t = Dedup::default().stub, help_heading = "Duplicates")]
    stub: usize,

    /// Compare n-grams only. This misses heavily edited copies and also removes near-duplicates that differ only in
    /// names or numbers
    #[arg(long, help_heading = "Duplicates")]
    intact: bool,

    /// What to do with blocks that have the wording of many documents, but other names, numbers or words in it
    #[arg(long, value_name = "WHAT", default_value = "keep", value_parser = named(vec![("keep", false), ("remove", true)]), action = clap::ArgAction::Set, help_heading = "Duplicates")]
    template_text: bool,

    /// How to find repeated n-grams: by hashes on disk, by suffix arrays, or by counting shorter n-grams first. The
    /// result is the same; hash is the fastest
    #[arg(long, value_name = "ENGINE", default_value = "hash", value_parser = named(vec![("hash", Engine::Hash), ("suffix-array", Engine::SuffixArray), ("spex", Engine::Spex)]), help_heading = "Running")]
    engine: Engine,

    /// Instead of running, print what the run will take: memory, temporary disk, size of the output, and time. Reads a sample
    /// of the inputs and writes no output
    #[arg(long, help_heading = "Running")]
    plan: bool,

    /// Do not complete the output if a source, host or language loses more than this share of its words or documents; exit
    /// with 3. The same command with a higher share, or off, completes it. Groups of fewer than 10 documents or 1,000 words
    /// raise no alarm
    #[arg(long, value_name = "SHARE", value_parser = alarm, help_heading = "Running")]
    alarm: Option<f64>,

    /// Number repeated ids: id, id#2, id#3
    #[arg(long, help_heading = "Input")]
    make_ids: bool,

    /// Memory limit; a document takes about thirty times its size while it is processed
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = size, allow_negative_numbers = true, help_heading = "Running")]
    memory: u64,

    /// Folder for temporary files: about 16 bytes per word [default: next to the output, or that of the system]
    #[arg(long, value_name = "FOLDER", help_heading = "Running")]
    temporary: Option<PathBuf>,

    /// Amount of text between checkpoints: the most that an interrupted run repeats
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = size, allow_negative_numbers = true, help_heading = "Running")]
    checkpoint: u64,

    #[command(flatten)]
    output: OutputArguments,
}

impl Arguments {
    fn job(&self) -> Dedup {
        Dedup {
            read: self.input.options(),
            // Clusters are of documents.
            unit: self.by.unwrap_or(if self.clusters.is_some() { Unit::Document } else { Unit::Block }),
            contained: self.contained,
            resemblance: self.resemblance,
            measure: self.measure,
            keep: self.keep.clone(),
            exact: self.exact,
            count_only: self.count_only,
            ngram: self.ngram,
            threshold: self.threshold,
            stub: self.stub,
            intact: self.intact,
            template_text: self.template_text,
            engine: self.engine,
            make_ids: self.make_ids,
            keep_marked: self.keep_marked,
            offsets: self.offsets,
            part_size: self.part_size,
            checkpoint: self.checkpoint,
            alarm: self.alarm.filter(|share| share.is_finite()),
        }
    }

    /// True if documents are written: to a file, or to standard output if nothing else is wanted.
    fn writes_documents(&self) -> bool {
        let prints_other = self.clusters.is_some() || self.output.json;
        !self.count_only && !self.explain && (self.output.is_given() || !prints_other)
    }

    fn outputs(&self) -> Result<Outputs> {
        let mut outputs = self.output.outputs(self.format)?;
        if !self.writes_documents() {
            outputs = outputs.discard_main();
        }
        let lists = [("removed", &self.removed), ("clusters", &self.clusters), ("lost", &self.lost)];
        for (name, path) in lists {
            if let Some(path) = path {
                outputs = outputs.list(name, Output::path(path)?);
            }
        }
        if let Some(folder) = &self.save {
            outputs = outputs.save(folder)?;
        }
        if self.explain {
            let formats = [Format::Text, Format::Jsonl];
            let asked = self.format.map(|(format, _)| format);
            let (format, output) = match self.output.path() {
                Some(path) if is_folder(path) => {
                    bail!("{} is a folder, but --explain writes one file; name a file", path.display())
                }
                Some(path) => (Format::choose(path, asked, &formats)?, Output::path(path)?),
                None => (
                    Format::choose(Path::new("standard output"), asked.or(Some(Format::Text)), &formats)?,
                    Output::Stdout,
                ),
            };
            if format == Format::Jsonl && self.removed.is_some() {
                bail!("--explain with --format jsonl writes what --removed lists; remove one of them");
            }
            outputs = outputs.list(if format == Format::Jsonl { "removed" } else { "explain" }, output);
        }
        Ok(outputs)
    }

    /// Refuses options that would do nothing.
    fn refuse_idle(&self, given: &Given, job: &Dedup) -> Result<()> {
        let documents_only = ["contained", "resemblance", "measure", "keep", "clusters"];
        let blocks_only = ["threshold", "stub", "intact", "template_text", "ngram", "engine", "lost"];
        if self.count_only {
            let why = "has no effect with --count-only, which writes no documents";
            let idle = ["format", "removed", "explain", "lost", "save", "keep_marked", "offsets", "alarm"];
            given.refuse(&idle, why)?;
            given.refuse(&["part_size", "by", "exact", "threshold", "stub", "intact", "checkpoint"], why)?;
            given.refuse(&documents_only, why)?;
            if self.output.is_given() {
                bail!("--count-only writes no documents; remove -o");
            }
            return Ok(());
        }
        if self.exact.is_some() {
            let why = "has no effect with --exact, which compares texts as a whole";
            given.refuse(&blocks_only, why)?;
            given.refuse(&documents_only, why)?;
            given.refuse(&["save"], why)?;
        } else if job.unit == Unit::Document {
            given.refuse(&blocks_only, "is for blocks; whole documents are compared by --contained")?;
        } else {
            given.refuse(&documents_only, "needs --by document")?;
        }
        if self.explain {
            given.refuse(
                &["keep_marked", "part_size", "overwrite", "alarm"],
                "has no effect with --explain, which writes no documents",
            )?;
            self.output.refuse_json(given, true, &["explain"])?;
        } else if !self.writes_documents() {
            let why = "is for documents that are written; name a file with -o";
            given.refuse(&["format", "keep_marked", "part_size"], why)?;
        }
        let in_folder = self.output.path().is_some_and(is_folder);
        if self.removed.is_none() && !self.keep_marked && !self.explain && !in_folder {
            given.refuse(&["offsets"], "is for ranges that are written: by --removed, or with --keep-marked")?;
        }
        if !in_folder {
            given.refuse(&["part_size"], "is for a folder of parts; end its name with / after -o")?;
        }
        Ok(())
    }
}

pub(crate) fn run(arguments: &Arguments, given: &Given) -> Result<Exit> {
    let (output, job) = (&arguments.output, arguments.job());
    arguments.refuse_idle(given, &job)?;
    let (input, outputs) = (arguments.input.input()?, arguments.outputs()?);
    let against = (!arguments.against.is_empty()).then(|| stores::input(&arguments.against)).transpose()?;
    let began = Instant::now();
    let run = Run { memory: Some(arguments.memory), temporary: arguments.temporary.clone(), ..Run::default() };
    if arguments.plan {
        let plan = |run: &Run| job.plan(&input, against.as_ref(), &outputs, run);
        let plan = output.run(run, "documents", "nothing was written", plan)?;
        if output.json {
            output.print_json(&plan)?;
        } else {
            print(&plan.to_string())?;
        }
        return Ok(Exit::Done);
    }
    let report = output.run(run, "documents", "the output was not finished", |run| match &against {
        Some(against) => job.run_against(&input, against, outputs, run),
        None => job.run(&input, outputs, run),
    })?;
    let is_free = output.path().is_some() || !arguments.writes_documents();
    if output.json && arguments.count_only {
        print(&(serde_json::to_string(&report.counts(began.elapsed()))? + "\n"))?;
    } else if output.json {
        output.print_json(&report)?;
    } else if !output.quiet && (arguments.count_only || (is_free && !arguments.explain)) {
        print(&report.to_string())?;
    }
    let exit = OutputArguments::print_failures(&report.failures);
    if let Some(path) = output.path().filter(|_| !output.quiet && arguments.explain) {
        print_message(&format!(
            "wrote what would be removed of {} to {}",
            counted_documents(report.documents),
            path.display()
        ));
    }
    if let Some(path) = output.path().filter(|_| !output.quiet && arguments.writes_documents()) {
        let removed = counted_documents(report.documents - report.documents_kept);
        let removed = match report.blocks_removed {
            Some(blocks) => format!("removed {blocks} block{} and {removed}", if blocks == 1 { "" } else { "s" }),
            None => format!("removed {removed}"),
        };
        let lost = match report.ngrams.as_ref().map_or(0, |ngrams| ngrams.ngrams_lost) {
            lost @ 1.. if arguments.lost.is_none() => {
                format!("; {lost} n-grams no longer occur anywhere (--lost FILE lists them)")
            }
            _ => String::new(),
        };
        print_message(&format!(
            "wrote {} to {}; {removed}{lost}",
            counted_documents(report.documents_kept),
            path.display()
        ));
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
        assert_eq!((arguments.job(), arguments.memory), (Dedup::default(), Dedup::MEMORY));
    }
}
