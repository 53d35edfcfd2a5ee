//! `refrain schema`: JSON Schema of what refrain writes.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;
use refrain::jobs::OutputSchema;

use crate::arguments::{is_folder, print, print_message};
use crate::exit::Exit;

/// Print the JSON Schema of a format that refrain writes
///
/// Without a format, lists all formats and the files that have them. A schema describes a whole file (.json) or each line of one
/// (.jsonl). Readers should ignore fields that a schema does not name: later versions can add some.
#[derive(Args)]
#[command(before_help = "Examples:\n  refrain schema\n  refrain schema removed\n  refrain schema --all -o schemas/")]
pub(crate) struct Arguments {
    /// The format (documents, removed, manifest, ...)
    #[arg(value_name = "FORMAT", conflicts_with = "all")]
    format: Option<String>,

    /// Write the schemas of all formats to a folder, as FORMAT.schema.json
    #[arg(long, requires = "output")]
    all: bool,

    /// The folder for --all
    #[arg(short, long, value_name = "FOLDER/", requires = "all")]
    output: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit> {
    if let Some(folder) = &arguments.output {
        if !is_folder(folder) {
            bail!("{} is not a folder; end its name with /", folder.display());
        }
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        for format in OutputSchema::ALL {
            let path = folder.join(format!("{}.schema.json", format.name));
            std::fs::write(&path, text(format)?).with_context(|| path.display().to_string())?;
        }
        print_message(&format!("wrote {} schemas to {}", OutputSchema::ALL.len(), folder.display()));
        return Ok(Exit::Done);
    }
    match &arguments.format {
        Some(name) => match OutputSchema::named(name) {
            Some(format) => print(&text(format)?)?,
            None => bail!("no format `{name}`; `refrain schema` lists all formats"),
        },
        None => {
            let line = |format: &OutputSchema| format!("{:<22}{}\n", format.name, format.about);
            print(&OutputSchema::ALL.iter().map(line).collect::<String>())?;
        }
    }
    Ok(Exit::Done)
}

fn text(format: &OutputSchema) -> Result<String> {
    Ok(serde_json::to_string_pretty(&format.schema())? + "\n")
}
