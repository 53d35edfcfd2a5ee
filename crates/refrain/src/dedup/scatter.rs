//! Entries on disk, by the highest bits of a hash: scattered in the order in which they came, answered in the same order.
//!
//! This is how evidence larger than memory is joined with the documents it came from. Every document's hashes go to the
//! file of their partition; each partition is worked on by itself, in memory, and gets an answer for each of its entries;
//! and when the documents come by a second time, each hash finds its answer next in the file of its partition.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::error::{IoContext, Result};

/// All partitions of a kind keep entries in one part of the memory in so many before they are written: large pieces, since
/// a file is opened for each of them.
const BUFFERS: u64 = 32;

/// Entries of N bytes on their way to disk.
pub(super) struct Scatter<const N: usize> {
    bits: u32,
    /// What is not in files yet, as many bytes for each partition; and how many of these there are.
    waiting: Vec<u8>,
    room: usize,
    filled: Vec<u32>,
    partitions: Vec<Partition<N>>,
}

/// Entries whose hashes have the same highest bits.
#[derive(Debug)]
pub(super) struct Partition<const N: usize> {
    path: PathBuf,
    /// There is a file, once there was enough for one. It is open only while it is used: there may be more of them than a
    /// process may have open.
    on_disk: bool,
    /// What was never written to a file.
    rest: Vec<u8>,
    pub(super) entries: u64,
}

/// The partition of a hash.
#[inline]
pub(super) fn partition(hash: u64, bits: u32) -> usize {
    (hash >> (u64::BITS - bits)) as usize
}

impl<const N: usize> Scatter<N> {
    /// An empty one in a folder, with two to the power of `bits` partitions, where there is so much memory.
    pub(super) fn new(folder: &Path, name: &str, bits: u32, memory: u64) -> Scatter<N> {
        let partition = |number: usize| {
            let path = folder.join(format!("{name}-{number:04}"));
            Partition { path, on_disk: false, rest: Vec::new(), entries: 0 }
        };
        let room = ((memory / BUFFERS) >> bits).clamp(8 << 10, 128 << 10) as usize / N * N;
        let partitions: Vec<Partition<N>> = (0..1 << bits).map(partition).collect();
        Scatter { bits, waiting: vec![0; room << bits], room, filled: vec![0; partitions.len()], partitions }
    }

    /// Goes on with files that have at least so many entries, and forgets what is more. Where there are answers already, the
    /// entries are gone.
    pub(super) fn resume(&mut self, entries: &[u64]) -> Result<()> {
        for (partition, entries) in self.partitions.iter_mut().zip(entries) {
            (partition.on_disk, partition.entries) = (*entries > 0, *entries);
            if partition.path.exists() || (*entries > 0 && !partition.answers_path().exists()) {
                let file = File::options().write(true).open(&partition.path).at(&partition.path)?;
                file.set_len(entries * N as u64).at(&partition.path)?;
            }
        }
        Ok(())
    }

    #[inline]
    pub(super) fn push(&mut self, hash: u64, entry: [u8; N]) -> Result<()> {
        let number = partition(hash, self.bits);
        let filled = self.filled[number] as usize;
        let at = number * self.room + filled;
        self.waiting[at..at + N].copy_from_slice(&entry);
        self.filled[number] = (filled + N) as u32;
        if filled + N == self.room { self.spill(number) } else { Ok(()) }
    }

    /// The entries of a partition that wait.
    fn waiting(&self, number: usize) -> &[u8] {
        &self.waiting[number * self.room..][..self.filled[number] as usize]
    }

    fn spill(&mut self, number: usize) -> Result<()> {
        let waiting = &self.waiting[number * self.room..][..self.filled[number] as usize];
        if !waiting.is_empty() {
            self.partitions[number].append(waiting)?;
        }
        self.filled[number] = 0;
        Ok(())
    }

    /// Writes all that is in memory. Returns how many entries each partition has.
    pub(super) fn flush(&mut self) -> Result<Vec<u64>> {
        (0..self.partitions.len()).try_for_each(|number| self.spill(number))?;
        Ok(self.partitions.iter().map(|partition| partition.entries).collect())
    }

    /// The partitions. Those that were never written stay in memory.
    pub(super) fn finish(mut self) -> Result<Vec<Partition<N>>> {
        for number in 0..self.partitions.len() {
            if self.partitions[number].on_disk {
                self.spill(number)?;
            } else {
                let rest = self.waiting(number).to_vec();
                let partition = &mut self.partitions[number];
                (partition.entries, partition.rest) = ((rest.len() / N) as u64, rest);
            }
        }
        Ok(self.partitions)
    }
}

impl<const N: usize> Partition<N> {
    /// Writes entries behind those in the file.
    fn append(&mut self, entries: &[u8]) -> Result<()> {
        let mut file = File::options();
        let file = if self.on_disk { file.append(true) } else { file.write(true).create(true).truncate(true) };
        file.open(&self.path).and_then(|mut file| file.write_all(entries)).at(&self.path)?;
        self.on_disk = true;
        self.entries += (entries.len() / N) as u64;
        Ok(())
    }

    /// All entries, in the order in which they came.
    pub(super) fn read(&self) -> Result<Vec<u8>> {
        let mut bytes = self.rest.clone();
        if self.on_disk {
            bytes.reserve_exact(self.entries as usize * N);
            File::open(&self.path).and_then(|mut file| file.read_to_end(&mut bytes)).at(&self.path)?;
        }
        Ok(bytes)
    }

    /// Where the answers are, once they are there.
    pub(super) fn answers_path(&self) -> PathBuf {
        self.path.with_extension("answers")
    }

    /// Puts answers in the place of the entries. The file of the entries stays until [`Partition::drop_entries`].
    pub(super) fn answer(&mut self, answers: Vec<u8>) -> Result<()> {
        if self.on_disk {
            let path = self.answers_path();
            std::fs::write(&path, answers).at(&path)
        } else {
            self.rest = answers;
            Ok(())
        }
    }

    /// Deletes the file of the entries.
    pub(super) fn drop_entries(&self) -> Result<()> {
        if self.on_disk && self.path.exists() { std::fs::remove_file(&self.path).at(&self.path) } else { Ok(()) }
    }

    /// True when entries or answers are in a file.
    pub(super) fn is_on_disk(&self) -> bool {
        self.on_disk
    }
}

/// Answers of W bytes as they are read again, for hashes in the same order.
pub(super) struct Answers<const W: usize> {
    bits: u32,
    streams: Vec<Stream>,
}

/// Numbers in a file or in memory, one after the other.
struct Stream {
    path: PathBuf,
    /// Where to read on in the file, if there is one.
    next: Option<u64>,
    bytes: Vec<u8>,
    at: usize,
    /// How many were taken.
    taken: u64,
}

/// What is read at a time.
const READ: usize = 32 << 10;

impl Stream {
    fn next<const W: usize>(&mut self) -> Result<u64> {
        if self.at + W > self.bytes.len() {
            self.fill(W)?;
        }
        let mut number = [0; 8];
        number[..W].copy_from_slice(&self.bytes[self.at..self.at + W]);
        self.at += W;
        self.taken += 1;
        Ok(u64::from_le_bytes(number))
    }

    /// Reads on; there have to be so many bytes.
    fn fill(&mut self, least: usize) -> Result<()> {
        self.bytes.drain(..self.at);
        self.at = 0;
        if let Some(next) = &mut self.next {
            let file = File::open(&self.path).at(&self.path)?;
            let left = self.bytes.len();
            self.bytes.resize(left + READ, 0);
            let mut filled = left;
            while filled < self.bytes.len() {
                match file.read_at(&mut self.bytes[filled..], *next).at(&self.path)? {
                    0 => break,
                    read => (filled, *next) = (filled + read, *next + read as u64),
                }
            }
            self.bytes.truncate(filled);
        }
        if self.bytes.len() < least {
            return Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof)).at(&self.path);
        }
        Ok(())
    }
}

impl<const W: usize> Answers<W> {
    pub(super) fn new<const N: usize>(partitions: Vec<Partition<N>>) -> Answers<W> {
        let bits = partitions.len().trailing_zeros();
        let open = |partition: Partition<N>| {
            let next = partition.is_on_disk().then_some(0);
            Stream { path: partition.answers_path(), next, bytes: partition.rest, at: 0, taken: 0 }
        };
        Answers { bits, streams: partitions.into_iter().map(open).collect() }
    }

    /// Answers in one file, for whatever hashes.
    pub(super) fn of_file(path: PathBuf) -> Answers<W> {
        Answers { bits: 0, streams: vec![Stream { path, next: Some(0), bytes: Vec::new(), at: 0, taken: 0 }] }
    }

    /// The answer for the next hash, and its partition.
    #[inline]
    pub(super) fn next(&mut self, hash: u64) -> Result<(usize, u64)> {
        let number = if self.bits == 0 { 0 } else { partition(hash, self.bits) };
        Ok((number, self.streams[number].next::<W>()?))
    }

    /// How many answers were taken from each partition.
    pub(super) fn taken(&self) -> Vec<u64> {
        self.streams.iter().map(|stream| stream.taken).collect()
    }

    /// Goes on behind so many answers; only for those that are in files.
    pub(super) fn skip(&mut self, taken: &[u64]) {
        for (stream, taken) in self.streams.iter_mut().zip(taken).filter(|(stream, _)| stream.next.is_some()) {
            (stream.next, stream.taken) = (Some(taken * W as u64), *taken);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::mix;

    #[test]
    fn answers_come_in_the_order_of_the_entries() {
        let folder = tempfile::tempdir().expect("a folder");
        // Few stay in memory, many go to files.
        for count in [100, 200_000] {
            let mut scatter: Scatter<8> = Scatter::new(folder.path(), "numbers", 2, 0);
            for number in 0..count {
                scatter.push(mix(number % 977), number.to_le_bytes()).expect("room");
            }
            let mut partitions = scatter.finish().expect("room");
            assert_eq!(partitions[0].is_on_disk(), count > 1000);
            for partition in &mut partitions {
                let numbers = partition.read().expect("numbers");
                let answers = numbers.chunks(8).flat_map(|number| number[..5].to_vec()).collect();
                partition.answer(answers).expect("room");
                partition.drop_entries().expect("a file, or none");
            }
            let mut answers: Answers<5> = Answers::new(partitions);
            for number in 0..count {
                let (_, answer) = answers.next(mix(number % 977)).expect("an answer");
                assert_eq!(answer, number);
            }
            assert!(answers.next(0).is_err(), "there are no more");
        }
    }

    #[test]
    fn what_was_written_behind_a_checkpoint_is_forgotten() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut first: Scatter<1> = Scatter::new(folder.path(), "numbers", 1, 0);
        first.push(0, [1]).expect("room");
        let entries = first.flush().expect("room");
        first.push(0, [2]).expect("room");
        first.flush().expect("room");
        let mut second: Scatter<1> = Scatter::new(folder.path(), "numbers", 1, 0);
        second.resume(&entries).expect("the files");
        second.push(0, [3]).expect("room");
        assert_eq!(second.finish().expect("room")[0].read().expect("entries"), [1, 3]);
    }
}
