//! `refrain list`: what the sources see.

use std::ops::ControlFlow;

use anyhow::Result;
use clap::Args;
use refrain::source::Item;
use serde_json::json;

use crate::arguments::{InputArguments, counted_documents, print, tell};
use crate::exit::Exit;

/// List what the inputs contain: documents, skipped items and damage
///
/// One line per item: document, skipped or failed; size in bytes; URL or id, reason, or error; input and item number.
/// Nothing is decoded or written.
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
    let (mut documents, mut skipped, mut failed) = (0_u64, 0_u64, 0_u64);
    let mut result = Ok(());
    let show = |record: Option<u64>, item: Item| {
        let place = |origin: &str| record.map_or(origin.to_owned(), |record| format!("{origin} #{record}"));
        let (values, line) = match item {
            Item::Document(raw) => {
                documents += 1;
                let (size, origin) = (raw.body.len(), raw.origin.path());
                let name = raw.origin.url.as_deref().unwrap_or(&raw.id);
                (
                    json!({"kind": "document", "id": raw.id, "url": raw.origin.url, "bytes": size, "origin": origin, "record": record}),
                    format!("document\t{size}\t{name}\t{}", place(&origin)),
                )
            }
            Item::Skipped { origin, reason } => {
                skipped += 1;
                (
                    json!({"kind": "skipped", "reason": reason, "url": origin.url, "origin": origin.path(), "record": record}),
                    format!("skipped\t-\t{reason}\t{}", place(&origin.path())),
                )
            }
            Item::Failed(failure) => {
                failed += 1;
                let path = match &failure.member {
                    Some(member) => format!("{}/{member}", failure.input),
                    None => failure.input.clone(),
                };
                (
                    json!({"kind": "failed", "failure": failure, "record": record}),
                    format!("failed\t-\t{}\t{}", failure.error, place(&path)),
                )
            }
        };
        result = print(&(if arguments.json { values.to_string() } else { line } + "\n"));
        if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    arguments.input.input()?.each_item(&arguments.input.options(), show)?;
    result?;
    if !arguments.quiet {
        tell(&format!("{}, {skipped} skipped, {failed} failed", counted_documents(documents)));
    }
    Ok(Exit::of_failures(failed))
}
