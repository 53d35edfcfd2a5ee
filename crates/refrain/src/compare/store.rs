//! Fingerprints of a collection, in memory as long as there is room, else in a temporary file.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::error::{IoContext, Result};

/// N-grams that are read at a time, about.
const CHUNK: u64 = 1 << 17;

/// N-grams of documents, one after the other.
pub(super) struct GramStore {
    /// Those that are not in the file.
    memory: Vec<u64>,
    /// How many n-grams may stay in memory.
    room: usize,
    folder: PathBuf,
    file: Option<File>,
    /// How many n-grams the file has.
    in_file: u64,
    /// Where the n-grams of each document end.
    ends: Vec<u64>,
    /// Documents that are read at a time.
    chunks: OnceLock<Vec<(usize, usize)>>,
}

impl GramStore {
    /// An empty one, for so many bytes of memory; what is more goes to a file in the folder.
    pub(super) fn new(folder: &Path, memory: u64) -> GramStore {
        GramStore {
            memory: Vec::new(),
            room: (memory / 8).max(CHUNK) as usize,
            folder: folder.to_owned(),
            file: None,
            in_file: 0,
            ends: Vec::new(),
            chunks: OnceLock::new(),
        }
    }

    pub(super) fn add(&mut self, grams: &[u64]) -> Result<()> {
        if self.memory.len() + grams.len() > self.room && !self.memory.is_empty() {
            self.spill()?;
        }
        self.chunks.take();
        self.memory.extend_from_slice(grams);
        self.ends.push(self.total());
        Ok(())
    }

    fn spill(&mut self) -> Result<()> {
        let folder = &self.folder;
        let mut file = match self.file.take() {
            Some(file) => file,
            None => tempfile::tempfile_in(folder).at(folder)?,
        };
        for grams in self.memory.chunks(CHUNK as usize) {
            let bytes: Vec<u8> = grams.iter().flat_map(|gram| gram.to_le_bytes()).collect();
            file.write_all(&bytes).at(folder)?;
        }
        self.in_file += self.memory.len() as u64;
        self.memory.clear();
        self.file = Some(file);
        Ok(())
    }

    /// How many n-grams there are.
    pub(super) fn total(&self) -> u64 {
        self.in_file + self.memory.len() as u64
    }

    /// How many documents there are.
    pub(super) fn documents(&self) -> usize {
        self.ends.len()
    }

    /// How many n-grams a document has.
    pub(super) fn length(&self, document: usize) -> usize {
        (self.ends[document] - self.start(document)) as usize
    }

    fn start(&self, document: usize) -> u64 {
        if document == 0 { 0 } else { self.ends[document - 1] }
    }

    /// Works on all documents, many at a time: each by its number and its n-grams. Returns what each stretch of documents
    /// came to, in their order.
    pub(super) fn each<T: Send, S>(
        &self,
        start: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, usize, &[u64]) + Sync,
        end: impl Fn(S) -> T + Sync,
    ) -> Result<Vec<T>> {
        let chunks = self.chunks.get_or_init(|| self.cut());
        chunks
            .par_iter()
            .map(|(first, last)| {
                let (from, to) = (self.start(*first), self.ends[*last - 1]);
                let mut read = Vec::new();
                let grams = self.read(from, to, &mut read)?;
                let mut state = start();
                for document in *first..*last {
                    let (start, end) = (self.start(document) - from, self.ends[document] - from);
                    work(&mut state, document, &grams[start as usize..end as usize]);
                }
                Ok(end(state))
            })
            .collect()
    }

    /// Stretches of documents with about as many n-grams.
    fn cut(&self) -> Vec<(usize, usize)> {
        let mut chunks = Vec::new();
        let mut first = 0;
        for document in 0..self.documents() {
            // What is in the file is read by itself.
            let leaves_file = self.ends[document] == self.in_file && document + 1 < self.documents();
            if self.ends[document] - self.start(first) >= CHUNK || leaves_file || document + 1 == self.documents() {
                chunks.push((first, document + 1));
                first = document + 1;
            }
        }
        chunks
    }

    /// The n-grams from one place to another, which are in memory or in the file.
    fn read<'a>(&'a self, from: u64, to: u64, read: &'a mut Vec<u64>) -> Result<&'a [u64]> {
        if from >= self.in_file {
            return Ok(&self.memory[(from - self.in_file) as usize..(to - self.in_file) as usize]);
        }
        let mut bytes = vec![0; (to - from) as usize * 8];
        if let Some(file) = &self.file {
            file.read_exact_at(&mut bytes, from * 8).at(&self.folder)?;
        }
        read.extend(bytes.as_chunks().0.iter().map(|gram| u64::from_le_bytes(*gram)));
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_come_back_from_memory_and_from_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut store = GramStore::new(folder.path(), 0);
        let of = |document: u64| (0..document % 700).map(|n| document * 1000 + n).collect::<Vec<u64>>();
        for document in 0..2000 {
            store.add(&of(document)).expect("room");
        }
        assert!(store.file.is_some() && !store.memory.is_empty());
        let right = store.each(|| true, |right, number, grams| *right &= grams == of(number as u64), |right| right);
        assert!(right.expect("the file").into_iter().all(|right| right));
        assert_eq!((store.documents(), store.length(699), store.length(700)), (2000, 699, 0));
    }
}
