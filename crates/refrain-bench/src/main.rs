//! Commands for those who build refrain: benchmarks, and the builders of the data it ships.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Parser, Subcommand};

mod decode;
mod editions;
mod editions_margins;
mod extract;
mod features;
mod grow;
mod justext;
mod languages;
mod metadata;
mod paper_compare;
mod paper_decode;
mod paper_editions;
mod paper_strip;
mod random;
mod read;
mod serve;
mod stoplists;
mod strip;
mod template;

#[derive(Parser)]
#[command(name = "refrain-bench", about = "Benchmarks of refrain, and builders of the data it ships")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build stop lists from texts: a folder per language, named by its code, with a text file for each kind of text
    Stoplists {
        /// The folder of the language folders
        texts: PathBuf,
        /// The file of stop lists to write
        #[arg(short, long)]
        output: PathBuf,
    },
    /// Train the models that detect languages and encodings, from the same texts
    Languages {
        /// The folder of the language folders
        texts: PathBuf,
        /// The file of models to write
        #[arg(short, long)]
        output: PathBuf,
        /// N-grams that are kept of each language
        #[arg(long, default_value_t = 16_000)]
        keep: usize,
    },
    /// Detect encodings and languages, next to chardetng, or measure the time
    Decode(decode::Arguments),
    /// Train the models of the published detector of encodings, from the same texts
    Chared {
        /// The folder of the language folders
        texts: PathBuf,
        /// The file of models to write
        #[arg(short, long)]
        output: PathBuf,
    },
    /// Measure how the search for editions scales, on synthetic books with planted pairs
    Editions(editions::Arguments),
    /// Measure how close true and false pairs of books come to the limits of the rule of `refrain editions`
    EditionsMargins(editions_margins::Arguments),
    /// Extract the main content of pages in JSONL (id, html), with a model of your own or timed
    Extract(extract::Arguments),
    /// Write the features of pages with gold answers, to train the model of `refrain extract`
    Features(features::Arguments),
    /// Grow a small collection into a large one whose copies share no n-grams, to measure `refrain dedup`
    Grow(grow::Arguments),
    /// Classify the blocks of pages as published: JSON lines of {id, html} in, {id, blocks} out
    Justext {
        /// The pages
        pages: PathBuf,
        /// The language whose stop list is used; without it, and without --stop-words, none is
        #[arg(long, conflicts_with = "stop_words")]
        lang: Option<String>,
        /// A file with a stop word a line, instead of a list that refrain ships
        #[arg(long)]
        stop_words: Option<PathBuf>,
    },
    /// Compare the metadata found in pages with what people noted: JSONL with html, url, title, author and date
    Metadata {
        /// The pages
        pages: PathBuf,
        /// Print every page where something differs
        #[arg(long)]
        misses: bool,
    },
    /// Reproduce the studies of the published copy detector Ferret, next to the published figures
    PaperCompare(paper_compare::Arguments),
    /// Reproduce Table 1 of the chared paper: how often the encoding of a document is detected, in six languages
    PaperDecode {
        /// The folder of the language folders (cs, en, de, el, it, no), with .txt files in them, a sentence a line
        texts: PathBuf,
    },
    /// Reproduce the studies of the published method of frequent lines: tables of its figures
    PaperStrip(paper_strip::Arguments),
    /// Reproduce Table 3 and Figure 3 of the DUPNIQ paper: precision and recall, and scores by noise and overlap
    PaperEditions(paper_editions::Arguments),
    /// Learn the evidence that ships with `refrain strip` from a folder of books
    StripEvidence(strip::Arguments),
    /// Measure how well content is separated from templates, also with varied parameters
    Template(template::Arguments),
    /// Serve the folders in a folder as buckets of S3 on loopback, to measure how fast they are read
    Serve {
        /// The folder of the buckets
        folder: PathBuf,
    },
    /// Read inputs and do nothing else: time and peak memory, as JSON
    Read {
        /// Files or folders
        #[arg(required = true)]
        inputs: Vec<String>,
        /// The number of threads that read inputs in parallel
        #[arg(long, default_value_t = 1)]
        threads: u32,
    },
}

#[allow(clippy::print_stderr)] // a tool for builders, on their terminal
fn print_message(message: &str) {
    eprintln!("{message}");
}

fn main() -> Result<()> {
    match Arguments::parse().command {
        Command::Decode(arguments) => decode::run(&arguments),
        Command::Editions(arguments) => editions::run(&arguments),
        Command::EditionsMargins(arguments) => editions_margins::run(&arguments),
        Command::Extract(arguments) => extract::run(&arguments),
        Command::Features(arguments) => features::write(&arguments),
        Command::Grow(arguments) => grow::run(&arguments),
        Command::Serve { folder } => serve::serve(&folder),
        Command::Stoplists { texts, output } => stoplists::build(&texts, &output),
        Command::Languages { texts, output, keep } => languages::build(&texts, &output, keep),
        Command::Chared { texts, output } => languages::build_published(&texts, &output),
        Command::Justext { pages, lang, stop_words } => {
            justext::classify(&pages, lang.as_deref(), stop_words.as_deref())
        }
        Command::Metadata { pages, misses } => metadata::score(&pages, misses),
        Command::PaperCompare(arguments) => paper_compare::run(&arguments),
        Command::PaperDecode { texts } => paper_decode::run(&texts),
        Command::PaperStrip(arguments) => paper_strip::run(&arguments),
        Command::PaperEditions(arguments) => paper_editions::run(&arguments),
        Command::StripEvidence(arguments) => strip::build(&arguments),
        Command::Template(arguments) => template::run(&arguments),
        Command::Read { inputs, threads } => read::measure(&inputs, threads),
    }
}
