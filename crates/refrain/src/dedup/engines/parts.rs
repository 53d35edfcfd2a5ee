//! Records on disk, in parts that are worked on one by one.
//!
//! Records come in any order and go to the part that someone chose for them; each part is read again in the order in which
//! its records came. No part keeps its file open, so that there may be many, and what has never filled a buffer stays in
//! memory.

use std::fs::{self, File, OpenOptions};
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};

use crate::error::{IoContext, Result};

/// What is written at a time to the file of a part, when there is memory for it.
const BUFFER: u64 = 256 << 10;

/// Records on their way to disk.
pub(super) struct Parts {
    record: usize,
    /// What a part keeps in memory.
    buffer: usize,
    all: Vec<Part>,
}

/// Records that belong together.
pub(super) struct Part {
    path: PathBuf,
    /// How many records are in the file.
    written: u64,
    /// What is not in the file.
    rest: Vec<u8>,
}

impl Parts {
    /// Parts for records of so many bytes. `memory` is for the buffers of all parts together.
    pub(super) fn new(folder: &Path, name: &str, parts: u64, record: usize, memory: u64) -> Parts {
        // A buffer doubles as it grows, so it may have room for twice what is in it.
        let buffer = (memory / 2 / parts.max(1)).min(BUFFER) as usize;
        let part = |number| Part { path: folder.join(format!("{name}-{number:05}")), written: 0, rest: Vec::new() };
        Parts { record, buffer, all: (0..parts).map(part).collect() }
    }

    #[inline]
    pub(super) fn push(&mut self, part: usize, pieces: &[&[u8]]) -> Result<()> {
        let part = &mut self.all[part];
        for piece in pieces {
            part.rest.extend_from_slice(piece);
        }
        if part.rest.len() >= self.buffer { part.spill(self.record) } else { Ok(()) }
    }

    /// The parts, each to be read and removed.
    pub(super) fn finish(self) -> impl Iterator<Item = Records> {
        self.all.into_iter().map(move |part| Records { record: self.record, part })
    }
}

impl Part {
    /// Writes what is in memory to the end of the file.
    fn spill(&mut self, record: usize) -> Result<()> {
        let mut options = OpenOptions::new();
        // What an earlier run may have left behind is overwritten.
        let options = if self.written == 0 { options.write(true).truncate(true) } else { options.append(true) };
        let mut file = options.create(true).open(&self.path).at(&self.path)?;
        file.write_all(&self.rest).at(&self.path)?;
        self.written += (self.rest.len() / record) as u64;
        self.rest.clear();
        Ok(())
    }
}

/// All records of a part.
pub(super) struct Records {
    record: usize,
    part: Part,
}

impl Records {
    /// Hands out each record, in the order in which they came.
    pub(super) fn each(&self, mut take: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let Part { path, written, rest } = &self.part;
        if *written > 0 {
            let mut file = BufReader::with_capacity(BUFFER as usize, File::open(path).at(path)?);
            let mut record = vec![0; self.record];
            for _ in 0..*written {
                file.read_exact(&mut record).at(path)?;
                take(&record)?;
            }
        }
        rest.chunks_exact(self.record).try_for_each(take)
    }

    /// Deletes the file, if there is one.
    pub(super) fn remove(self) -> Result<()> {
        if self.part.written > 0 { fs::remove_file(&self.part.path).at(&self.part.path) } else { Ok(()) }
    }
}

/// A number that begins at a byte of a record.
#[inline]
pub(super) fn number<const N: usize>(record: &[u8], at: usize) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&record[at..at + N]);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_in_their_order_and_files_go() {
        let folder = tempfile::tempdir().expect("a folder");
        // All in memory; some in files; nothing in memory.
        for memory in [1 << 20, 200, 0] {
            let mut parts = Parts::new(folder.path(), "part", 3, 6, memory);
            for number in 0..1000_u32 {
                parts.push(number as usize % 2, &[&number.to_le_bytes(), &[7, 8]]).expect("room");
            }
            let files = fs::read_dir(folder.path()).expect("a folder").count();
            assert_eq!(files, if memory == 1 << 20 { 0 } else { 2 });
            for (start, part) in (0..).zip(parts.finish()) {
                let mut next = start;
                let check = |record: &[u8]| {
                    assert_eq!((u32::from_le_bytes(number(record, 0)), &record[4..]), (next, &[7, 8][..]));
                    next += 2;
                    Ok(())
                };
                part.each(check).expect("records");
                assert_eq!(next, if start < 2 { 1000 + start } else { 2 });
                part.remove().expect("no file");
            }
            assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
        }
    }
}
