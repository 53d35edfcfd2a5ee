//! `refrain man`: manual pages.

use anyhow::{Result, bail};
use clap::Args;

use crate::common::print;
use crate::exit::Exit;

/// Print a manual page
#[derive(Args)]
#[command(before_help = "Example:\n  refrain man corpus | man -l -")]
pub(crate) struct Arguments {
    /// The verb; the page of refrain itself when not given
    verb: Option<String>,
}

pub(crate) fn run(arguments: &Arguments, mut command: clap::Command) -> Result<Exit> {
    command.build();
    let page: clap::Command = match &arguments.verb {
        None => command,
        Some(verb) => match command.find_subcommand(verb) {
            Some(found) => found.clone(),
            None => {
                let verbs: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
                bail!("no verb `{verb}`; the verbs are: {}", verbs.join(", "));
            }
        },
    };
    // The example that opens the help has a place of its own here.
    let page = match page.get_before_help().cloned() {
        Some(example) => page.after_help(example),
        None => page,
    };
    let mut roff = Vec::new();
    let source = concat!("refrain ", env!("CARGO_PKG_VERSION"));
    clap_mangen::Man::new(page).source(source).render(&mut roff)?;
    print(&String::from_utf8_lossy(&roff))?;
    Ok(Exit::Done)
}
