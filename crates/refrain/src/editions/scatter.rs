//! Numbers by the hundred million, sorted part by part: in memory as far as it reaches, then in files that vanish.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rayon::slice::ParallelSliceMut;

use crate::error::{IoContext, Result};

/// Parts that numbers are put in.
pub(super) const PARTS: usize = 64;
/// The least number of records that are written at a time.
const LEAST: usize = 1 << 12;
/// Bytes of a record.
const SIZE: usize = size_of::<u128>();

/// Numbers on their way into parts.
pub(super) struct Scatter {
    parts: Vec<Part>,
    /// Records of a part in memory before they are written.
    most: usize,
    folder: PathBuf,
}

#[derive(Default)]
struct Part {
    waiting: Vec<u128>,
    file: Option<File>,
}

impl Scatter {
    /// Keeps about so many bytes in memory, and the rest in files in a folder.
    pub(super) fn new(memory: u64, folder: &Path) -> Scatter {
        let most = usize::try_from(memory).unwrap_or(usize::MAX) / SIZE / PARTS;
        let parts = std::iter::repeat_with(Part::default).take(PARTS).collect();
        Scatter { parts, most: most.max(LEAST), folder: folder.to_owned() }
    }

    /// Adds a number to a part.
    pub(super) fn push(&mut self, part: usize, number: u128) -> Result<()> {
        let part = &mut self.parts[part % PARTS];
        part.waiting.push(number);
        if part.waiting.len() >= self.most {
            if part.file.is_none() {
                part.file = Some(tempfile::tempfile_in(&self.folder).at(&self.folder)?);
            }
            if let Some(file) = &mut part.file {
                let mut bytes = Vec::with_capacity(part.waiting.len() * SIZE);
                part.waiting.drain(..).for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
                file.write_all(&bytes).at(&self.folder)?;
            }
        }
        Ok(())
    }

    /// Hands out the parts, each of them sorted.
    pub(super) fn each(self, mut found: impl FnMut(&[u128]) -> Result<()>) -> Result<()> {
        for part in self.parts {
            let mut numbers = part.waiting;
            if let Some(mut file) = part.file {
                let bytes = file.seek(SeekFrom::End(0)).at(&self.folder)?;
                file.seek(SeekFrom::Start(0)).at(&self.folder)?;
                numbers.reserve(bytes as usize / SIZE);
                let mut chunk = vec![0; LEAST * SIZE];
                let mut left = bytes as usize;
                while left > 0 {
                    let chunk = &mut chunk[..left.min(LEAST * SIZE)];
                    file.read_exact(chunk).at(&self.folder)?;
                    let (records, _) = chunk.as_chunks::<SIZE>();
                    numbers.extend(records.iter().map(|record| u128::from_le_bytes(*record)));
                    left -= chunk.len();
                }
            }
            numbers.par_sort_unstable();
            found(&numbers)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_memory_give_the_same_parts() {
        let numbers: Vec<u128> = (0..30_000_u128).map(|n| n * n * 7919 % 1_000_003).collect();
        let sorted = |memory: u64| {
            let mut scatter = Scatter::new(memory, &std::env::temp_dir());
            for number in &numbers {
                scatter.push((number % 3) as usize, *number).expect("a temporary file");
            }
            let mut parts = Vec::new();
            scatter
                .each(|part| {
                    parts.push(part.to_vec());
                    Ok(())
                })
                .expect("a temporary file");
            parts
        };
        let in_memory = sorted(1 << 30);
        assert_eq!(in_memory, sorted(0));
        assert_eq!(in_memory.iter().map(Vec::len).sum::<usize>(), numbers.len());
        assert!(in_memory.iter().all(|part| part.is_sorted()));
    }
}
