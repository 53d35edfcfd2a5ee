//! `refrain completions`: completion scripts for shells.

use anyhow::Result;
use clap::Args;
use clap_complete::Shell;

use crate::arguments::print;
use crate::exit::Exit;

/// Print a completion script for a shell
#[derive(Args)]
#[command(before_help = "Example:\n  refrain completions bash > ~/.local/share/bash-completion/completions/refrain")]
pub(crate) struct Arguments {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(arguments: &Arguments, command: &mut clap::Command) -> Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, command, "refrain", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}
