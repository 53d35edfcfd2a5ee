//! What an unfinished run leaves for the next one.

use std::fmt;
use std::path::Path;

use super::work::Note;
use crate::source::corpus::WORK;
use crate::stats::thousands;

/// What an unfinished run leaves in its folder. The same run does not do this again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Kept {
    /// Documents that were read and prepared.
    pub documents: u64,
    /// Parts of the corpus that are written.
    pub parts: u64,
}

impl Kept {
    /// What is in the folder of a corpus. Only what has a note counts, as for a run that resumes.
    pub fn of(folder: &Path) -> Kept {
        let mut kept = Kept::default();
        for entry in std::fs::read_dir(folder.join(WORK)).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let Some(name) = name.to_str().and_then(|name| name.strip_suffix(".json")) else { continue };
            match name.split_once('-') {
                Some(("final", _)) => kept.parts += 1,
                Some(_) => {
                    let note = std::fs::read(entry.path()).ok().and_then(|note| serde_json::from_slice(&note).ok());
                    kept.documents += note.map_or(0, |note: Note| note.documents);
                }
                None => {}
            }
        }
        kept
    }
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted =
            |count: u64, noun: &str| format!("{} {noun}{}", thousands(count), if count == 1 { "" } else { "s" });
        match (self.documents, self.parts) {
            (0, _) => f.write_str("nothing is complete yet"),
            (documents, 0) => write!(f, "kept: {} as read", counted(documents, "document")),
            (documents, parts) => {
                write!(f, "kept: {} as read, {} as written", counted(documents, "document"), counted(parts, "part"))
            }
        }
    }
}
