//! Recipes: the options of a command line in a file.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use refrain::Run;
use refrain::jobs::corpus::CorpusLock;
use toml::{Table, Value};

/// The option that names a recipe.
const CONFIG: &str = "--config";

/// The command line with the options of the recipe that it names, if there is one. What the command line says itself counts more.
pub(crate) fn with_recipe(line: impl Iterator<Item = OsString>) -> Result<Vec<OsString>> {
    let mut line: Vec<OsString> = line.collect();
    let named = |(at, word): (usize, &OsString)| {
        let word = word.to_str()?;
        match word.strip_prefix(CONFIG)? {
            "" => line.get(at + 1).map(PathBuf::from),
            rest => rest.strip_prefix('=').map(PathBuf::from),
        }
    };
    let is_corpus = line.get(1).is_some_and(|verb| verb == "corpus");
    let Some(path) = line.iter().enumerate().find_map(named).filter(|_| is_corpus) else { return Ok(line) };
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let recipe: Table = text.parse().map_err(|error: toml::de::Error| {
        let place = error.span().map_or(0, |span| text[..span.start].lines().count().max(1));
        anyhow::anyhow!("{}: line {place}: {}", path.display(), error.message())
    })?;
    let given: Vec<String> = line.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let is_given = |name: &str| {
        let flag = format!("--{name}");
        let is_flag = |word: &String| {
            word.strip_prefix(&flag).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
                || (name == "output" && word.starts_with("-o"))
        };
        given.iter().any(is_flag)
    };
    let mut options = Vec::new();
    for (name, value) in &recipe {
        let name = name.replace('_', "-");
        let values = match value {
            Value::Array(values) => values.iter().collect(),
            value => vec![value],
        };
        for value in values {
            let word = match value {
                Value::String(text) => text.clone(),
                Value::Integer(_) | Value::Float(_) => value.to_string(),
                Value::Boolean(false) => continue,
                Value::Boolean(true) => String::new(),
                _ => bail!("{}: `{name}` must be a text, a number, true or false, or a list of these", path.display()),
            };
            match (name.as_str(), value) {
                ("inputs", _) => options.push(word),
                ("config", _) => bail!("{}: a recipe cannot name another recipe", path.display()),
                _ if is_given(&name) => {}
                (_, Value::Boolean(_)) => options.push(format!("--{name}")),
                _ => options.push(format!("--{name}={word}")),
            }
        }
    }
    line.splice(2..2, options.into_iter().map(OsString::from));
    Ok(line)
}

/// Compares a corpus with the lock next to its recipe, or writes the lock if there is none.
pub(crate) fn check_lock(recipe: &Path, corpus: &Path, run: &Run) -> Result<String> {
    let path = recipe.with_extension("lock");
    let now = CorpusLock::of(corpus, run)?;
    let shown = path.display();
    if !path.exists() {
        let note = "# Written by refrain corpus --config. Delete this file to accept another corpus.\n";
        fs::write(&path, note.to_owned() + &toml::to_string(&now)?).with_context(|| shown.to_string())?;
        return Ok(format!("wrote {shown}: the next run of this recipe must give the same documents"));
    }
    let text = fs::read_to_string(&path).with_context(|| shown.to_string())?;
    let then: CorpusLock = toml::from_str(&text).with_context(|| shown.to_string())?;
    match then.differences(&now).as_slice() {
        [] => Ok(format!("the documents are those of {shown}")),
        differences => bail!(
            "{} is not the corpus of {shown}: {}; to accept the new corpus, delete {shown} and run again",
            corpus.display(),
            differences.join("; ")
        ),
    }
}
