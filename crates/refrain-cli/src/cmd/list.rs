//! `refrain list`: what the sources see.

use std::io::Write;

use anyhow::Result;
use clap::Args;
use refrain::Run;
use refrain::jobs::{ItemKind, ListedItem};
use serde_json::json;

use crate::arguments::{InputArguments, print_message};
use crate::exit::Exit;

/// List what the inputs contain: documents, skipped items and damage
///
/// Reads the inputs as every other verb does, and writes no files. Prints one line per item with four columns: document,
/// skipped or failed; the size in bytes; the URL or id, the reason, or the error; the input and the item number. The line of a
/// damaged document ends with the error.
#[derive(Args)]
#[command(before_help = "Example:\n  refrain list samples/crawl-broken.warc.gz")]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: InputArguments,

    /// Print one JSON object per line
    #[arg(long, help_heading = "Output")]
    json: bool,

    /// Print the list only, without the summary
    #[arg(short, long, help_heading = "Output")]
    quiet: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit> {
    let mut failures = 0;
    let show = |item: ListedItem| {
        failures += u64::from(item.failure.is_some());
        let line = if arguments.json { json!(item.line()).to_string() } else { as_text(&item) };
        Ok(std::io::stdout().lock().write_all((line + "\n").as_bytes())?)
    };
    let account = arguments.input.input()?.each_item(&arguments.input.options(), &Run::default(), show)?;
    if !arguments.quiet {
        print_message(&account.to_string());
    }
    Ok(Exit::of_failures(failures))
}

fn as_text(ListedItem { record, kind, failure }: &ListedItem) -> String {
    let place = |origin: &str| record.map_or(origin.to_owned(), |record| format!("{origin} #{record}"));
    let error = failure.as_ref().map_or("", |failure| failure.error.as_str());
    match kind {
        ItemKind::Document { id, origin, bytes } => {
            let name = origin.url.as_deref().unwrap_or(id);
            let damage = if error.is_empty() { String::new() } else { format!("\t{error}") };
            format!("document\t{bytes}\t{name}\t{}{damage}", place(&origin.path()))
        }
        ItemKind::Skipped { origin, reason } => format!("skipped\t-\t{reason}\t{}", place(&origin.path())),
        ItemKind::Failed => {
            let path = failure.as_ref().map_or(String::new(), |failure| match &failure.member {
                Some(member) => format!("{}/{member}", failure.input),
                None => failure.input.clone(),
            });
            format!("failed\t-\t{error}\t{}", place(&path))
        }
    }
}
