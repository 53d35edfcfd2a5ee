//! Commands for those who build refrain: benchmarks, and the builders of the data it ships.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Parser, Subcommand};

mod read;
mod stoplists;

#[derive(Parser)]
#[command(name = "refrain-bench", about = "Benchmarks of refrain, and builders of the data it ships")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build stop lists from texts: a folder per language, named by its code, with the text in it
    Stoplists {
        /// The folder of the language folders
        texts: PathBuf,
        /// The files to look for in each of them; the first one found counts
        #[arg(long, value_delimiter = ',', default_value = "preferred.txt,leipzig.txt")]
        files: Vec<String>,
        /// Where the lists go
        #[arg(short, long)]
        output: PathBuf,
    },
    /// Read inputs and do nothing else: time and peak memory, as JSON
    Read {
        /// Files or folders
        #[arg(required = true)]
        inputs: Vec<String>,
        /// Threads: inputs are read side by side
        #[arg(long, default_value_t = 1)]
        threads: u32,
    },
}

fn main() -> Result<()> {
    match Arguments::parse().command {
        Command::Stoplists { texts, files, output } => stoplists::build(&texts, &files, &output),
        Command::Read { inputs, threads } => read::measure(&inputs, threads),
    }
}
