//! Texts that are compared, in memory as long as there is room, else in a temporary file.

use std::borrow::Cow;
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::error::{IoContext, Result};

/// Texts by their numbers.
pub(super) struct Texts {
    all: Vec<Place>,
    /// Bytes that may still stay in memory.
    room: u64,
    folder: PathBuf,
    file: Option<File>,
    in_file: u64,
}

/// Where a text is.
enum Place {
    Memory(String),
    File { start: u64, length: usize },
}

impl Texts {
    /// None yet, for so many bytes of memory; what is more goes to a file in the folder.
    pub(super) fn new(folder: &Path, memory: u64) -> Texts {
        Texts { all: Vec::new(), room: memory, folder: folder.to_owned(), file: None, in_file: 0 }
    }

    pub(super) fn add(&mut self, text: String) -> Result<()> {
        let length = text.len();
        if length as u64 <= self.room {
            self.room -= length as u64;
            self.all.push(Place::Memory(text));
            return Ok(());
        }
        let mut file = match self.file.take() {
            Some(file) => file,
            None => tempfile::tempfile_in(&self.folder).at(&self.folder)?,
        };
        file.write_all(text.as_bytes()).at(&self.folder)?;
        self.file = Some(file);
        self.all.push(Place::File { start: self.in_file, length });
        self.in_file += length as u64;
        Ok(())
    }

    /// The bytes of a text.
    pub(super) fn length(&self, number: usize) -> usize {
        match &self.all[number] {
            Place::Memory(text) => text.len(),
            Place::File { length, .. } => *length,
        }
    }

    /// Gives the texts other numbers: that of each is its place in the order.
    pub(super) fn reorder(&mut self, order: &[usize]) {
        let mut old: Vec<Option<Place>> = std::mem::take(&mut self.all).into_iter().map(Some).collect();
        self.all = order.iter().filter_map(|number| old[*number].take()).collect();
    }

    pub(super) fn get(&self, number: usize) -> Result<Cow<'_, str>> {
        match &self.all[number] {
            Place::Memory(text) => Ok(Cow::Borrowed(text)),
            Place::File { start, length } => {
                let mut bytes = vec![0; *length];
                if let Some(file) = &self.file {
                    file.read_exact_at(&mut bytes, *start).at(&self.folder)?;
                }
                Ok(Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_from_memory_and_from_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut texts = Texts::new(folder.path(), 40);
        let of = |number: usize| "é".repeat(number);
        for number in 0..20 {
            texts.add(of(number)).expect("room");
        }
        assert!(texts.in_file > 0);
        assert!((0..20).all(|number| texts.get(number).is_ok_and(|text| text == of(number))));
    }
}
