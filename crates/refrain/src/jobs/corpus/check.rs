//! Whether a corpus is what its manifest says, and whether a recipe still gives the same corpus.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::digest::{ContentDigest, digest_of};
use super::folder::{INPUTS, Manifest};
use super::maintain::each_written;
use crate::error::{Error, IoContext, Result};
use crate::run::{Run, Workers};
use crate::text::Digest;

/// What [`CorpusCheck::of`] found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CorpusCheck {
    /// Files that were read.
    pub files: u64,
    /// Documents in them.
    pub documents: u64,
    /// The digest of the documents; `None` if the manifest has none, or the format does not hold all that it covers.
    pub digest: Option<String>,
    /// What is not as the manifest says.
    pub problems: Vec<String>,
}

impl CorpusCheck {
    /// Reads all files of a corpus folder, and compares them and the documents in them with the manifest.
    pub fn of(folder: &Path, run: &Run) -> Result<CorpusCheck> {
        let manifest = Manifest::read(folder)?;
        let workers = run.start()?;
        let mut check = CorpusCheck::default();
        let files = || manifest.parts.iter().chain(&manifest.removed);
        workers.begin("verify", files().map(|part| part.written.bytes).sum());
        for part in files() {
            check.files += 1;
            let found = File::open(folder.join(&part.path)).and_then(|file| digest_of_file(file, &workers));
            let problem = match found {
                Err(error) => Some(error.to_string()),
                Ok((bytes, _)) if bytes != part.written.bytes => {
                    Some(format!("has {bytes} bytes, but was written with {}", part.written.bytes))
                }
                Ok((_, sha256)) if part.written.sha256.as_ref().is_some_and(|known| *known != sha256) => {
                    Some("has other content than was written".into())
                }
                Ok(_) => None,
            };
            workers.stop().check()?;
            check.problems.extend(problem.map(|problem| format!("{}: {problem}", part.path)));
        }
        check.documents = manifest.parts.iter().map(|part| part.documents).sum();
        if check.problems.is_empty() && manifest.holds_documents() {
            check.documents_of(folder, &manifest, &workers)?;
        }
        Ok(check)
    }

    /// Compares the documents.
    fn documents_of(&mut self, folder: &Path, manifest: &Manifest, workers: &Workers) -> Result<()> {
        let Some(known) = manifest.digest else { return Ok(()) };
        let keep_marked = manifest.option("keep_marked") == "true";
        let (mut digest, mut documents) = (ContentDigest::default(), 0);
        let parts: Vec<PathBuf> = manifest.parts.iter().map(|part| folder.join(&part.path)).collect();
        let work = |document| digest_of(&document, keep_marked);
        each_written(workers, "verify documents", &parts, work, |found| {
            digest = digest.followed_by(found);
            documents += 1;
            Ok(())
        })?;
        if documents != self.documents {
            self.problems.push(format!("the parts hold {documents} documents, but {} were written", self.documents));
        } else if digest != known {
            self.problems.push(format!("the documents have the digest {digest}, but {known} was written"));
        }
        self.digest = Some(digest.to_string());
        Ok(())
    }
}

/// The size and the SHA-256 of a file.
fn digest_of_file(mut file: File, workers: &Workers) -> std::io::Result<(u64, String)> {
    let (mut digest, mut buffer) = (Digest::default(), vec![0; 1 << 20]);
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 || workers.stop().is_requested() {
            return Ok((file.stream_position()?, digest.hex()));
        }
        digest.update(&buffer[..read]);
        workers.advance(read as u64, 0, 0);
    }
}

/// What a corpus was built from and what it is, to be kept beside a recipe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CorpusLock {
    /// The version of refrain.
    pub version: String,
    /// The digest of the documents.
    pub digest: String,
    /// How many there are.
    pub documents: u64,
    /// The inputs.
    #[serde(default)]
    pub inputs: Vec<LockedInput>,
}

/// An input of a locked corpus.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedInput {
    /// Its name.
    pub name: String,
    /// Its SHA-256; `None` if it is no file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

impl CorpusLock {
    /// The lock of a corpus folder. Reads all inputs, by the names in the folder.
    pub fn of(folder: &Path, run: &Run) -> Result<CorpusLock> {
        let manifest = Manifest::read(folder)?;
        let list = folder.join(INPUTS);
        let list = std::fs::read_to_string(&list).at(&list)?;
        let workers = run.start()?;
        workers.begin("lock", manifest.inputs.bytes);
        let mut inputs = Vec::new();
        for name in list.lines().filter_map(|line| line.split_once('\t')).map(|(_, name)| name) {
            let found = File::open(name).and_then(|file| digest_of_file(file, &workers)).ok();
            workers.stop().check()?;
            inputs.push(LockedInput { name: name.to_owned(), sha256: found.map(|(_, sha256)| sha256) });
        }
        let digest = manifest.digest.ok_or_else(|| {
            Error::Refused(format!("{} was built by a version that computed no digest", folder.display()))
        })?;
        Ok(CorpusLock {
            version: manifest.refrain.version,
            digest: digest.to_string(),
            documents: manifest.parts.iter().map(|part| part.documents).sum(),
            inputs,
        })
    }

    /// In words, why another corpus differs from this one; empty if its documents are the same.
    pub fn differences(&self, now: &CorpusLock) -> Vec<String> {
        let mut differences = Vec::new();
        if self.digest == now.digest {
            return differences;
        }
        differences.push(format!("{} documents with other content, instead of {}", now.documents, self.documents));
        if self.version != now.version {
            differences.push(format!("refrain {} instead of {}", now.version, self.version));
        }
        for input in &self.inputs {
            match now.inputs.iter().find(|other| other.name == input.name) {
                None => differences.push(format!("{} is no longer an input", input.name)),
                Some(other) if other.sha256 != input.sha256 => {
                    differences.push(format!("{} has other content", input.name));
                }
                Some(_) => {}
            }
        }
        let is_new = |input: &&LockedInput| self.inputs.iter().all(|other| other.name != input.name);
        differences.extend(now.inputs.iter().filter(is_new).map(|input| format!("{} is a new input", input.name)));
        differences
    }
}
