//! `refrain stats`: the figures of a corpus.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use crate::arguments::print;
use crate::exit::Exit;
use crate::stores::manifest;

/// Print the statistics of a corpus: volume, documents, words and tokens at each stage, by batch, language and host
#[derive(Args)]
#[command(before_help = "Example:\n  refrain stats corpus/")]
pub(crate) struct Arguments {
    /// The corpus folder, or its address in a store
    #[arg(value_name = "FOLDER")]
    corpus: PathBuf,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit> {
    let manifest = manifest(&arguments.corpus)?;
    if arguments.json {
        print(&(serde_json::to_string_pretty(&manifest.statistics)? + "\n"))?;
    } else {
        print(&format!("{}\n{}", manifest.table(), manifest.statistics.table()))?;
    }
    Ok(Exit::Done)
}
