//! Numbers on disk, by the highest bits of a hash: scattered in the order in which they came, answered in the same order.
//!
//! This is how evidence larger than memory is joined with the documents it came from. Every document's hashes go to the
//! file of their partition; each partition is worked on by itself, in memory, and gets an answer for each of its numbers;
//! and when the documents come by a second time, each hash finds its answer next in the file of its partition.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use crate::error::{IoContext, Result};

/// What is written at a time to the file of a partition.
const BUFFER: usize = 64 << 10;

/// Numbers on their way to disk: a hash and what goes with it.
pub(super) struct Scatter<const N: usize> {
    bits: u32,
    files: Vec<(PathBuf, BufWriter<File>, u64)>,
}

/// A file of numbers with the same highest bits.
#[derive(Debug)]
pub(super) struct Partition<const N: usize> {
    path: PathBuf,
    pub(super) entries: u64,
}

/// The partition of a hash.
#[inline]
pub(super) fn partition(hash: u64, bits: u32) -> usize {
    (hash >> (u64::BITS - bits)) as usize
}

impl<const N: usize> Scatter<N> {
    pub(super) fn new(folder: &Path, name: &str, bits: u32) -> Result<Scatter<N>> {
        let file = |number: usize| {
            let path = folder.join(format!("{name}-{number:04}"));
            let file = File::create(&path).at(&path)?;
            Ok((path, BufWriter::with_capacity(BUFFER, file), 0))
        };
        Ok(Scatter { bits, files: (0..1 << bits).map(file).collect::<Result<_>>()? })
    }

    #[inline]
    pub(super) fn push(&mut self, entry: [u64; N]) -> Result<()> {
        let (path, file, entries) = &mut self.files[partition(entry[0], self.bits)];
        *entries += 1;
        for number in entry {
            file.write_all(&number.to_le_bytes()).at(path)?;
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<Vec<Partition<N>>> {
        let finish = |(path, mut file, entries): (PathBuf, BufWriter<File>, u64)| {
            file.flush().at(&path)?;
            Ok(Partition { path, entries })
        };
        self.files.into_iter().map(finish).collect()
    }
}

impl<const N: usize> Partition<N> {
    /// All numbers, in the order in which they came.
    pub(super) fn read(&self) -> Result<Vec<[u64; N]>> {
        let mut file = BufReader::with_capacity(BUFFER, File::open(&self.path).at(&self.path)?);
        let mut numbers = Vec::with_capacity(self.entries as usize);
        let mut bytes = [0; 8];
        for _ in 0..self.entries {
            let mut entry = [0; N];
            for number in &mut entry {
                file.read_exact(&mut bytes).at(&self.path)?;
                *number = u64::from_le_bytes(bytes);
            }
            numbers.push(entry);
        }
        Ok(numbers)
    }

    /// Puts answers in the place of the numbers.
    pub(super) fn answer<A: Answer>(&self, answers: &[A]) -> Result<()> {
        let mut file = BufWriter::with_capacity(BUFFER, File::create(&self.path).at(&self.path)?);
        for answer in answers {
            answer.put(&mut file).at(&self.path)?;
        }
        file.flush().at(&self.path)
    }
}

/// A number that answers.
pub(super) trait Answer: Sized {
    fn put(&self, out: &mut impl Write) -> std::io::Result<()>;
    fn take(input: &mut impl Read) -> std::io::Result<Self>;
}

impl Answer for u32 {
    fn put(&self, out: &mut impl Write) -> std::io::Result<()> {
        out.write_all(&self.to_le_bytes())
    }

    fn take(input: &mut impl Read) -> std::io::Result<u32> {
        let mut bytes = [0; 4];
        input.read_exact(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }
}

impl Answer for u64 {
    fn put(&self, out: &mut impl Write) -> std::io::Result<()> {
        out.write_all(&self.to_le_bytes())
    }

    fn take(input: &mut impl Read) -> std::io::Result<u64> {
        let mut bytes = [0; 8];
        input.read_exact(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }
}

/// Answers as they are read again, for hashes in the same order.
pub(super) struct Answers {
    bits: u32,
    files: Vec<(PathBuf, BufReader<File>)>,
}

impl Answers {
    pub(super) fn open<const N: usize>(partitions: &[Partition<N>]) -> Result<Answers> {
        let open = |partition: &Partition<N>| {
            let file = File::open(&partition.path).at(&partition.path)?;
            Ok((partition.path.clone(), BufReader::with_capacity(BUFFER, file)))
        };
        Ok(Answers {
            bits: partitions.len().trailing_zeros(),
            files: partitions.iter().map(open).collect::<Result<_>>()?,
        })
    }

    /// The answer for the next hash, and its partition.
    #[inline]
    pub(super) fn next<A: Answer>(&mut self, hash: u64) -> Result<(usize, A)> {
        let number = partition(hash, self.bits);
        let (path, file) = &mut self.files[number];
        Ok((number, A::take(file).at(path)?))
    }
}
