//! Evidence that outlives a run: the words of kept text, so that a later collection can be compared with it without
//! reading it again.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::evidence::{DedupOptions, FORMAT, read_note, write_note};
use super::signature::Signature;
use super::store::{Store, StoreSize, StoreWriter, WORDS, is_store};
use crate::error::{Error, IoContext, Result};
use crate::text::Word;

const NOTE: &str = "evidence.json";

#[derive(Serialize, Deserialize)]
struct Note {
    refrain_evidence: u32,
    documents: u64,
    words: u64,
}

/// Writes the words of documents into a folder.
pub(crate) struct EvidenceWriter {
    folder: PathBuf,
    store: StoreWriter,
    size: EvidenceSize,
}

/// How much evidence is in a folder.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct EvidenceSize {
    documents: u64,
    words: u64,
    store: StoreSize,
}

impl EvidenceWriter {
    /// Opens a folder for evidence. With the size that [`EvidenceWriter::flush`] returned, it resumes there.
    pub(crate) fn open(folder: &Path, size: EvidenceSize) -> Result<EvidenceWriter> {
        if size.documents == 0
            && folder.read_dir().is_ok_and(|mut files| files.next().is_some())
            && !is_evidence(folder)
            && !is_store(folder)
        {
            let folder = folder.display();
            return Err(Error::Refused(format!("{folder} contains other files; name another folder for the evidence")));
        }
        std::fs::create_dir_all(folder).at(folder)?;
        let note = folder.join(NOTE);
        if note.exists() {
            std::fs::remove_file(&note).at(&note)?;
        }
        Ok(EvidenceWriter { folder: folder.to_owned(), store: StoreWriter::open(folder, size.store)?, size })
    }

    /// Adds a document by its words.
    pub(crate) fn add(&mut self, id: &str, words: impl Iterator<Item = Word>) -> Result<()> {
        let words: Vec<Word> = words.collect();
        self.size.documents += 1;
        self.size.words += words.len() as u64;
        self.store.add(id, words.into_iter(), self.size.words + self.size.documents)
    }

    /// Writes everything that is still in memory.
    pub(crate) fn flush(&mut self) -> Result<EvidenceSize> {
        self.size.store = self.store.flush()?;
        Ok(self.size)
    }

    /// Finishes writing: from now on the folder is valid evidence.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.flush()?;
        let note = Note { refrain_evidence: FORMAT, documents: self.size.documents, words: self.size.words };
        write_note(&self.folder.join(NOTE), &note)
    }
}

/// True for a folder with evidence that was saved.
pub(crate) fn is_evidence(folder: &Path) -> bool {
    folder.join(NOTE).is_file()
}

/// The approximate size of the text that saved evidence represents, in bytes.
pub(crate) fn bytes_of_evidence(folder: &Path) -> u64 {
    folder.join(WORDS).metadata().map_or(0, |words| words.len())
}

/// Returns an error for a folder with unfinished evidence, which would be mistaken for documents.
pub(crate) fn refuse_unfinished(folder: &Path) -> Result<()> {
    if !is_evidence(folder) && is_store(folder) {
        let folder = folder.display();
        return Err(Error::Refused(format!(
            "the evidence in {folder} is incomplete; run the command that saves it again"
        )));
    }
    Ok(())
}

/// Calls `take` with each document in a folder of evidence: its id and its signature.
pub(crate) fn each_saved(
    folder: &Path,
    options: &DedupOptions,
    mut take: impl FnMut(String, Signature) -> Result<()>,
) -> Result<()> {
    let path = folder.join(NOTE);
    let damaged = |message: &str| Error::Damaged { path: path.clone(), message: message.to_owned() };
    let note: Note = read_note(&path)?.ok_or_else(|| damaged("does not exist"))?;
    if note.refrain_evidence != FORMAT {
        return Err(damaged("another version of refrain saved it; save the evidence again"));
    }
    let store = Store::open(folder)?;
    if (store.len() as u64, store.places()?) != (note.documents, note.words + note.documents) {
        return Err(damaged("the files next to it have the wrong length; save the evidence again"));
    }
    store.words_of_each(|number, words| take(store.id(number)?, Signature::of_words(words, options)))
}
