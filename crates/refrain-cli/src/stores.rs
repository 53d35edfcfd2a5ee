//! Addresses on the command line. Inputs are read where they are. An output is built on this machine, and sent when it is complete.

use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use anyhow::{Context, Result, anyhow, bail};
use clap::ArgMatches;
use refrain::jobs::corpus::Manifest;
use refrain::{Failure, Input, Stop};
use refrain_store::{Stores, is_address, private_folder};

use crate::arguments::print_message;
use crate::exit::Exit;
use crate::messages;

static STORES: OnceLock<Arc<Stores>> = OnceLock::new();
/// The folder on this machine in which the output is built, and its address.
static SHOWN: OnceLock<(String, String)> = OnceLock::new();
/// Stops the run, and then sending its output.
static STOP: OnceLock<Stop> = OnceLock::new();

fn stores() -> refrain::Result<Arc<Stores>> {
    if let Some(stores) = STORES.get() {
        return Ok(stores.clone());
    }
    let made = Arc::new(Stores::new()?);
    Ok(STORES.get_or_init(|| made).clone())
}

/// What a job reads: files, and what addresses name.
pub(crate) fn input(names: &[String]) -> refrain::Result<Input> {
    let input = Input::paths(names)?;
    // A list can hold addresses.
    let needs_store = names.iter().any(|name| is_address(name) || name.starts_with('@'));
    Ok(if needs_store { input.with_store(stores()?) } else { input })
}

/// The manifest of a corpus in a folder or at an address.
pub(crate) fn manifest(corpus: &Path) -> Result<Manifest> {
    let Some(address) = corpus.to_str().filter(|name| is_address(name)) else { return Ok(Manifest::read(corpus)?) };
    let name = format!("{}/manifest.json", address.trim_end_matches('/'));
    let content = stores()?.read(&name).map_err(|failure| failed(&failure))?;
    Ok(Manifest::of_bytes(corpus, &content)?)
}

fn failed(failure: &Failure) -> anyhow::Error {
    anyhow!(messages::failure(failure))
}

/// Refuses an address where only a file can be named.
pub(crate) fn refuse_addresses(verb: &str, matches: &ArgMatches) -> Result<()> {
    for id in matches.ids().map(clap::Id::as_str).filter(|id| (verb, *id) != ("stats", "corpus")) {
        let paths = matches.try_get_many::<PathBuf>(id).ok().flatten().into_iter().flatten();
        if let Some(path) = paths.into_iter().find(|path| path.to_str().is_some_and(is_address)) {
            let option = id.replace('_', "-");
            bail!("{}: --{option} names a file of this machine; only inputs and -o can be addresses", path.display());
        }
    }
    Ok(())
}

/// Remembers how the run is stopped.
pub(crate) fn remember(stop: &Stop) {
    let _ = STOP.set(stop.clone());
}

/// A message with the address of the output instead of the folder in which it is built.
pub(crate) fn shown(line: &str) -> String {
    SHOWN.get().map_or_else(|| line.to_owned(), |(local, address)| line.replace(local.as_str(), address))
}

/// An output that is built here, and sent when it is complete.
pub(crate) struct Outgoing {
    address: String,
    /// The folder for it, which the next run of the same command finds.
    folder: PathBuf,
    local: PathBuf,
    verb: String,
    overwrites: bool,
    quiet: bool,
}

/// In the folder of an output: it is complete, and all that is missing is to send it.
const COMPLETE: &str = ".complete";
/// In the folder of an output: it replaces what is at its address.
const REPLACES: &str = ".replaces";

impl Outgoing {
    /// The command line with a path on this machine instead of the address of the output, if it is one.
    pub(crate) fn of(mut line: Vec<OsString>) -> Result<(Vec<OsString>, Option<Outgoing>)> {
        let Some((at, prefix, address)) = output_of(&line) else { return Ok((line, None)) };
        let given = line.clone();
        let has = |flags: &[&str]| given.iter().any(|word| flags.iter().any(|flag| word == flag));
        let verb = line.get(1).and_then(|verb| verb.to_str()).unwrap_or_default().to_owned();
        let Some(key) = address.strip_prefix("s3://").or_else(|| address.strip_prefix("gs://")) else {
            bail!("{address}: files cannot be written to the web; name a file, or an object such as s3://bucket/name");
        };
        if has(&["--add"]) {
            bail!("{address}: --add changes a corpus on this machine; copy it here first, and copy it back");
        }
        let name = key.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        if name.is_empty() || name.starts_with('.') {
            bail!("{address} names no output; write s3://bucket/name.jsonl, or s3://bucket/folder/");
        }
        let mut hasher = DefaultHasher::new();
        address.hash(&mut hasher);
        let folder = std::env::temp_dir().join(format!("refrain-output-{:016x}", hasher.finish()));
        let local = folder.join(name);
        let _ = SHOWN.set((local.display().to_string(), address.trim_end_matches('/').to_owned()));
        let mut word = OsString::from(prefix);
        word.push(&local);
        word.push(if address.ends_with('/') { "/" } else { "" });
        line[at] = word;
        let (overwrites, quiet) = (has(&["--overwrite"]), has(&["-q", "--quiet"]));
        Ok((line, Some(Outgoing { address, folder, local, verb, overwrites, quiet })))
    }

    /// True if a run of the same command goes on with what another one left.
    fn resumes(&self) -> bool {
        matches!(self.verb.as_str(), "corpus" | "dedup")
    }

    /// Prepares the folder in which the output is built, and checks that it can be sent.
    pub(crate) fn prepare(&self) -> Result<()> {
        let Outgoing { address, folder, .. } = self;
        make_private(folder)?;
        let context = || folder.display().to_string();
        let (is_complete, replaced) = (folder.join(COMPLETE).exists(), folder.join(REPLACES).exists());
        let store = stores()?;
        let is_taken = store.holds_any(address).map_err(|failure| failed(&failure))?;
        let is_folder = address.ends_with('/') || self.verb == "corpus";
        if is_folder && is_taken && !self.overwrites && !is_complete && !replaced {
            bail!("{address} is not empty; name another folder, or replace its files with --overwrite");
        }
        store.check_writable(address).map_err(|failure| failed(&failure))?;
        // The parts of a corpus that is complete are only sent again; other outputs are built again.
        if !self.resumes() || (is_complete && !self.local.join("manifest.json").is_file()) {
            fs::remove_dir_all(folder).with_context(context)?;
            make_private(folder)?;
        }
        if self.overwrites {
            fs::write(folder.join(REPLACES), "").with_context(context)?;
        }
        Ok(())
    }

    /// Sends the output of a run, if it is complete.
    pub(crate) fn finish(self, result: Result<Exit>) -> Result<Exit> {
        let is_done = matches!(result, Ok(Exit::Done | Exit::SomeFailed));
        if !is_done || !self.local.exists() {
            if is_done || !self.resumes() {
                let _ = fs::remove_dir_all(&self.folder);
            }
            return result;
        }
        let replaces = self.folder.join(REPLACES).exists();
        fs::write(self.folder.join(COMPLETE), "").with_context(|| self.folder.display().to_string())?;
        let stop = STOP.get().cloned().unwrap_or_default();
        let (files, bytes) = self.send(replaces, &stop).map_err(|failure| {
            let folder = self.folder.display();
            failed(&failure)
                .context(format!("the output is complete in {folder}, but was not sent; run the same command again"))
        })?;
        fs::remove_dir_all(&self.folder).with_context(|| self.folder.display().to_string())?;
        if !self.quiet {
            let files = if files == 1 { "1 file".to_owned() } else { format!("{files} files") };
            print_message(&format!("sent {files}, {bytes} bytes, to {}", self.address));
        }
        result
    }

    /// Sends the output, after what is written next to it.
    fn send(&self, replaces: bool, stop: &Stop) -> Result<(usize, u64), Failure> {
        let of_stores = |error: &dyn std::fmt::Display| Failure::new(self.address.as_str(), error.to_string());
        let store = stores().map_err(|error| of_stores(&error))?;
        let address = self.address.trim_end_matches('/');
        let above = address.rfind('/').map_or(address, |end| &address[..=end]);
        let (mut files, mut bytes) = (0, 0);
        let entries = fs::read_dir(&self.folder).map_err(|error| of_stores(&error))?;
        let beside = entries.flatten().filter(|entry| entry.path() != self.local).filter_map(|entry| {
            let name = entry.file_name().into_string().ok().filter(|name| !name.starts_with('.'))?;
            Some((entry.path(), format!("{above}{name}"), false))
        });
        let all: Vec<_> = beside.chain([(self.local.clone(), self.address.clone(), replaces)]).collect();
        for (local, address, replaces) in all {
            let sent = store.upload(&local, &address, replaces, stop)?;
            (files, bytes) = (files + sent.0, bytes + sent.1);
        }
        Ok((files, bytes))
    }
}

/// The word of a command line that names the output, what is before the name in it, and the name, if that is an address.
fn output_of(line: &[OsString]) -> Option<(usize, &'static str, String)> {
    let words = line.iter().map(|word| word.to_str().unwrap_or_default()).take_while(|word| *word != "--");
    let mut follows = false;
    for (at, word) in words.enumerate() {
        let parts = [("--output=", "--output="), ("-o=", "-o"), ("-o", "-o")];
        let glued = parts.iter().find_map(|(flag, kept)| Some((*kept, word.strip_prefix(flag)?)));
        let found = if follows { Some(("", word)) } else { glued };
        if let Some((prefix, name)) = found.filter(|(_, name)| is_address(name)) {
            return Some((at, prefix, name.to_owned()));
        }
        follows = !follows && (word == "-o" || word == "--output");
    }
    None
}

fn make_private(folder: &Path) -> Result<()> {
    let advice =
        || format!("{} is not a folder of yours; delete it, or set TMPDIR to another folder", folder.display());
    private_folder(folder).with_context(advice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_is_found_however_it_is_written() {
        let found = |words: &[&str]| {
            let line: Vec<OsString> = words.iter().map(OsString::from).collect();
            output_of(&line).map(|(at, prefix, name)| format!("{at}{prefix} {name}"))
        };
        assert_eq!(found(&["refrain", "list", "s3://b/a"]), None);
        assert_eq!(found(&["refrain", "dedup", "a", "-o", "s3://b/c/"]).as_deref(), Some("4 s3://b/c/"));
        assert_eq!(found(&["refrain", "dedup", "-os3://b/c", "a"]).as_deref(), Some("2-o s3://b/c"));
        assert_eq!(found(&["refrain", "dedup", "-o=s3://b/c", "a"]).as_deref(), Some("2-o s3://b/c"));
        assert_eq!(found(&["refrain", "dedup", "--output=gs://b/c"]).as_deref(), Some("2--output= gs://b/c"));
        assert_eq!(found(&["refrain", "dedup", "a", "-o", "out.jsonl"]), None);
        assert_eq!(found(&["refrain", "dedup", "--", "-o", "s3://b/c"]), None);
    }
}
