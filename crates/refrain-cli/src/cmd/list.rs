//! `refrain list`: what the sources see.

use std::ops::ControlFlow;

use anyhow::Result;
use clap::Args;
use refrain::source::{Item, Source};
use serde_json::json;

use crate::common::{InputArguments, print, tell};
use crate::exit::Exit;

/// Show what is in the inputs: documents, what is passed over and why, what is damaged
///
/// One line an item: document, skipped or failed; size in bytes; id or reason; origin. Nothing is decoded or written.
#[derive(Args)]
#[command(before_help = "Example:\n  refrain list samples/crawl-broken.warc.gz")]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: InputArguments,

    /// One JSON object a line
    #[arg(long, help_heading = "Output")]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit> {
    let (inputs, failures) = arguments.input.expand()?;
    let (mut documents, mut skipped, mut failed) = (0_u64, 0_u64, 0_u64);
    let mut result = Ok(());
    let mut show = |item: Item| {
        let line = match item {
            Item::Document(raw) => {
                documents += 1;
                let (size, origin) = (raw.body.len(), raw.origin.path().into_owned());
                let name = raw.origin.url.as_deref().unwrap_or(&raw.id);
                match arguments.json {
                    true => json!({"kind": "document", "id": raw.id, "url": raw.origin.url, "bytes": size, "origin": origin})
                        .to_string(),
                    false => format!("document\t{size}\t{name}\t{origin}"),
                }
            }
            Item::Skipped { origin, reason } => {
                skipped += 1;
                match arguments.json {
                    true => json!({"kind": "skipped", "reason": reason, "url": origin.url, "origin": origin.path()})
                        .to_string(),
                    false => format!("skipped\t-\t{reason}\t{}", origin.path()),
                }
            }
            Item::Failed(failure) => {
                failed += 1;
                match arguments.json {
                    true => json!({"kind": "failed", "failure": failure}).to_string(),
                    false => format!("failed\t-\t{failure}\t{}", failure.input),
                }
            }
        };
        result = print(&(line + "\n"));
        if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    for failure in failures {
        if show(Item::Failed(failure)).is_break() {
            break;
        }
    }
    Source::new(inputs, arguments.input.options()).read_all(&mut |_, item| show(item));
    result?;
    tell(&format!("{documents} documents, {skipped} skipped, {failed} failed"));
    Ok(Exit::of_failures(failed))
}
