//! Corpus folders as inputs: their parts, and nothing else that lies beside them.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The version of the layout; changes when older versions of refrain could not read it.
pub(crate) const LAYOUT: u32 = 1;

/// The file that makes a folder a complete corpus.
pub(crate) const MANIFEST: &str = "manifest.json";

/// The folder that is there while a corpus is being made.
pub(crate) const WORK: &str = "work";

/// The file in it that is there while an old corpus is being removed.
pub(crate) const CLEARING: &str = "clearing";

/// The file in it that says how.
pub(crate) const RUN: &str = "run.json";

/// The program that wrote a corpus.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Its version.
    pub version: String,
    /// The version of the folder's layout.
    pub layout: u32,
}

/// What has to be known of a manifest to read the documents.
#[derive(Deserialize)]
struct Known {
    refrain: Identity,
    parts: Vec<KnownPart>,
}

#[derive(Deserialize)]
struct KnownPart {
    path: PathBuf,
}

/// The files with the documents, if the folder is a corpus; an error in words if it cannot be read as one.
pub(crate) fn parts_of(folder: &Path) -> Option<Result<Vec<PathBuf>, String>> {
    let content = match fs::read(folder.join(MANIFEST)) {
        Ok(content) => content,
        Err(_) if began_by_refrain(folder) => {
            return Some(Err("a corpus that is not complete; run the command that began it again".into()));
        }
        Err(_) => return None,
    };
    // Somebody else's manifest.json is an ordinary file.
    let known: Known = serde_json::from_slice(&content).ok()?;
    if known.refrain.layout > LAYOUT {
        return Some(Err(format!("a corpus written by refrain {}, which is newer than this", known.refrain.version)));
    }
    Some(Ok(known.parts.iter().map(|part| folder.join(&part.path)).collect()))
}

/// True when a run of refrain began to fill the folder.
fn began_by_refrain(folder: &Path) -> bool {
    #[derive(Deserialize)]
    struct Begun {
        #[serde(rename = "refrain")]
        _by: Identity,
    }
    let content = fs::read(folder.join(WORK).join(RUN)).unwrap_or_default();
    serde_json::from_slice::<Begun>(&content).is_ok() || folder.join(WORK).join(CLEARING).is_file()
}
