//! `refrain man`: manual pages.

use anyhow::{Result, bail};
use clap::Args;

use crate::arguments::print;
use crate::exit::Exit;

/// Print a manual page
#[derive(Args)]
#[command(before_help = "Example:\n  refrain man corpus | man -l -")]
pub(crate) struct Arguments {
    /// The verb (corpus, library add) [default: refrain itself]
    #[arg(value_name = "VERB", num_args = 0..=2)]
    verbs: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments, mut command: clap::Command) -> Result<Exit> {
    command.build();
    let mut page = command;
    for verb in &arguments.verbs {
        let Some(found) = page.find_subcommand(verb).cloned() else {
            let verbs: Vec<&str> = page.get_subcommands().map(clap::Command::get_name).collect();
            match verbs.as_slice() {
                [] => bail!("`{}` has no subcommands", page.get_name()),
                verbs => bail!("no verb `{verb}`; the verbs are: {}", verbs.join(", ")),
            }
        };
        page = found;
    }
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
