//! A model of the published method from a text.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use refrain::decode::CharedModel;
use refrain::source::Inputs;
use refrain::write::{Compression, Output};

use crate::common::{OutputArguments, tell};
use crate::exit::Exit;

/// Trains a model and writes it.
pub(super) fn run(text: &Path, encodings: &[String], output: &OutputArguments) -> Result<Exit> {
    let Some(path) = output.path() else { bail!("a model goes into a file: name one, such as -o mylang.model") };
    output.check(&Inputs::default())?;
    if let (Ok(text), Ok(model)) = (text.canonicalize(), path.canonicalize())
        && text == model
    {
        bail!("{} is both the text and the model; name another file for -o", path.display());
    }
    let bytes = fs::read(text).with_context(|| text.display().to_string())?;
    let Ok(words) = String::from_utf8(bytes) else {
        bail!("{}: is not in UTF-8; turn it into UTF-8 first: refrain decode {0} -o text.txt", text.display())
    };
    let encodings: Vec<&str> = encodings.iter().map(|encoding| encoding.trim()).collect();
    let model = CharedModel::train(&words, &encodings).with_context(|| text.display().to_string())?;
    let mut saved = Vec::new();
    model.save(&mut saved)?;
    let mut out = Compression::None.compress(Output::file(path)?)?;
    out.put(&saved)?;
    out.finish()?;
    if !output.quiet {
        tell(&format!(
            "wrote {}: {} triples of bytes tell {} apart",
            path.display(),
            model.triples(),
            encodings.join(", ")
        ));
    }
    Ok(Exit::Done)
}
