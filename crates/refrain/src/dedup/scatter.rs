//! Numbers on disk, by the highest bits of a hash: scattered in the order in which they came, answered in the same order.
//!
//! This is how evidence larger than memory is joined with the documents it came from. Every document's hashes go to the
//! file of their partition; each partition is worked on by itself, in memory, and gets an answer for each of its numbers;
//! and when the documents come by a second time, each hash finds its answer next in the file of its partition.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Cursor, Read, Write};
use std::path::{Path, PathBuf};

use crate::error::{IoContext, Result};

/// What is written at a time to the file of a partition. What is not more stays in memory.
const BUFFER: usize = 64 << 10;

/// Numbers on their way to disk: a hash and what goes with it.
pub(super) struct Scatter<const N: usize> {
    bits: u32,
    partitions: Vec<Partition<N>>,
}

/// Numbers with the same highest bits, and later the answers to them.
#[derive(Debug)]
pub(super) struct Partition<const N: usize> {
    path: PathBuf,
    /// The file, once there was enough for one.
    file: Option<File>,
    /// What is not in the file.
    rest: Vec<u8>,
    pub(super) entries: u64,
}

/// The partition of a hash.
#[inline]
pub(super) fn partition(hash: u64, bits: u32) -> usize {
    (hash >> (u64::BITS - bits)) as usize
}

impl<const N: usize> Scatter<N> {
    pub(super) fn new(folder: &Path, name: &str, bits: u32) -> Scatter<N> {
        let partition = |number: usize| {
            let path = folder.join(format!("{name}-{number:04}"));
            Partition { path, file: None, rest: Vec::new(), entries: 0 }
        };
        Scatter { bits, partitions: (0..1 << bits).map(partition).collect() }
    }

    #[inline]
    pub(super) fn push(&mut self, entry: [u64; N]) -> Result<()> {
        let partition = &mut self.partitions[partition(entry[0], self.bits)];
        partition.entries += 1;
        for number in entry {
            partition.rest.extend_from_slice(&number.to_le_bytes());
        }
        if partition.rest.len() >= BUFFER { partition.spill() } else { Ok(()) }
    }

    pub(super) fn finish(mut self) -> Result<Vec<Partition<N>>> {
        for partition in self.partitions.iter_mut().filter(|partition| partition.file.is_some()) {
            partition.spill()?;
        }
        Ok(self.partitions)
    }
}

impl<const N: usize> Partition<N> {
    /// Writes what is in memory to the file.
    fn spill(&mut self) -> Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(File::create(&self.path).at(&self.path)?),
        };
        file.write_all(&self.rest).at(&self.path)?;
        self.rest.clear();
        Ok(())
    }

    fn open(&self) -> Result<Stored<&[u8]>> {
        Ok(match &self.file {
            Some(_) => Stored::File(BufReader::with_capacity(BUFFER, File::open(&self.path).at(&self.path)?)),
            None => Stored::Memory(&self.rest[..]),
        })
    }

    /// All numbers, in the order in which they came.
    pub(super) fn read(&self) -> Result<Vec<[u64; N]>> {
        let mut stored = self.open()?;
        let mut numbers = Vec::with_capacity(self.entries as usize);
        let mut bytes = [0; 8];
        for _ in 0..self.entries {
            let mut entry = [0; N];
            for number in &mut entry {
                stored.read_exact(&mut bytes).at(&self.path)?;
                *number = u64::from_le_bytes(bytes);
            }
            numbers.push(entry);
        }
        Ok(numbers)
    }

    /// Puts answers in the place of the numbers.
    pub(super) fn answer<A: Answer>(&mut self, answers: &[A]) -> Result<()> {
        if self.file.is_none() {
            self.rest.clear();
            return answers.iter().try_for_each(|answer| answer.put(&mut self.rest)).at(&self.path);
        }
        let mut file = BufWriter::with_capacity(BUFFER, File::create(&self.path).at(&self.path)?);
        answers.iter().try_for_each(|answer| answer.put(&mut file)).at(&self.path)?;
        file.flush().at(&self.path)
    }
}

/// Numbers or answers, wherever they are.
enum Stored<M> {
    Memory(M),
    File(BufReader<File>),
}

impl<M: Read> Read for Stored<M> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Stored::Memory(bytes) => bytes.read(buffer),
            Stored::File(file) => file.read(buffer),
        }
    }
}

/// A number that answers.
pub(super) trait Answer: Sized {
    fn put(&self, out: &mut impl Write) -> io::Result<()>;
    fn take(input: &mut impl Read) -> io::Result<Self>;
}

impl Answer for u32 {
    fn put(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&self.to_le_bytes())
    }

    fn take(input: &mut impl Read) -> io::Result<u32> {
        let mut bytes = [0; 4];
        input.read_exact(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }
}

impl Answer for u64 {
    fn put(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&self.to_le_bytes())
    }

    fn take(input: &mut impl Read) -> io::Result<u64> {
        let mut bytes = [0; 8];
        input.read_exact(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }
}

/// Answers as they are read again, for hashes in the same order.
pub(super) struct Answers {
    bits: u32,
    files: Vec<(PathBuf, Stored<Cursor<Vec<u8>>>)>,
}

impl Answers {
    pub(super) fn open<const N: usize>(partitions: Vec<Partition<N>>) -> Result<Answers> {
        let bits = partitions.len().trailing_zeros();
        let open = |partition: Partition<N>| {
            let kept = match &partition.file {
                Some(_) => {
                    let file = File::open(&partition.path).at(&partition.path)?;
                    Stored::File(BufReader::with_capacity(BUFFER, file))
                }
                None => Stored::Memory(Cursor::new(partition.rest)),
            };
            Ok((partition.path, kept))
        };
        Ok(Answers { bits, files: partitions.into_iter().map(open).collect::<Result<_>>()? })
    }

    /// The answer for the next hash, and its partition.
    #[inline]
    pub(super) fn next<A: Answer>(&mut self, hash: u64) -> Result<(usize, A)> {
        let number = partition(hash, self.bits);
        let (path, kept) = &mut self.files[number];
        Ok((number, A::take(kept).at(path)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::mix;

    #[test]
    fn answers_come_in_the_order_of_the_numbers() {
        let folder = tempfile::tempdir().expect("a folder");
        // Few stay in memory, many go to files.
        for count in [100, 200_000] {
            let mut scatter: Scatter<2> = Scatter::new(folder.path(), "numbers", 2);
            for number in 0..count {
                scatter.push([mix(number % 977), number]).expect("room");
            }
            let mut partitions = scatter.finish().expect("room");
            assert_eq!(partitions[0].file.is_some(), count > 1000);
            for partition in &mut partitions {
                let answers: Vec<u64> =
                    partition.read().expect("numbers").iter().map(|[_, number]| number + 1).collect();
                partition.answer(&answers).expect("room");
            }
            let mut answers = Answers::open(partitions).expect("answers");
            for number in 0..count {
                let (_, answer): (_, u64) = answers.next(mix(number % 977)).expect("an answer");
                assert_eq!(answer, number + 1);
            }
        }
    }
}
