//! Entries on disk by the highest bits of a hash, or by another number: each partition fits in memory where all do not.
//!
//! This is how evidence larger than memory is joined with the documents it came from. Each entry of a document is appended
//! to its partition. Then each partition is processed by itself, in memory, and gets an answer for each of its entries. When
//! the documents are read a second time, the answer for a hash is the next one of its partition.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::platform::FileExt;
use super::spilled::Spilled;
use crate::error::{IoContext, Result};

/// The smallest allocation for the entries of a partition.
const FIRST: usize = 4 << 10;
/// Buffers of at most this many bytes are parts of one allocation. The system gets a large allocation back as a whole; the
/// allocator keeps what many small ones leave behind.
const SHARED: usize = 128 << 10;
/// How many bytes are read at a time: entries, and answers.
const READ_ENTRIES: usize = 256 << 10;
pub(crate) const READ_ANSWERS: usize = 32 << 10;

/// Entries of the same size on their way into partitions.
pub(crate) struct Partitions {
    size: usize,
    /// The entries of each partition that are not in its file yet, and how many bytes of them there may be.
    waiting: Waiting,
    room: usize,
    files: Vec<Spilled>,
}

/// The buffers of all partitions.
enum Waiting {
    /// One after the other, all of the same size; and how many bytes of each are filled.
    Shared(Vec<u8>, Vec<usize>),
    /// Each on its own, as large as it has to be.
    Single(Vec<Vec<u8>>),
}

/// Entries whose hashes have the same highest bits.
#[derive(Debug)]
pub(crate) struct Partition {
    size: usize,
    file: Spilled,
    /// Entries that were never written to the file.
    rest: Vec<u8>,
    /// Entries that come before these and get no answers.
    past: Option<Box<Partition>>,
}

/// The partition of a hash, of two to the power of `bits`.
#[inline]
pub(crate) fn partition(hash: u64, bits: u32) -> usize {
    if bits == 0 { 0 } else { (hash >> (u64::BITS - bits)) as usize }
}

impl Partitions {
    /// For entries of `size` bytes. Each partition keeps up to `buffer` bytes in memory and the rest in a file of its own in
    /// the folder, which is open only while it is used.
    pub(crate) fn named(folder: &Path, name: &str, count: usize, size: usize, buffer: usize) -> Partitions {
        let file = |number| Spilled::named(folder.join(format!("{name}-{number:04}")));
        Partitions::new((0..count).map(file).collect(), size, buffer)
    }

    /// The same with files without names, all of which are open.
    pub(crate) fn unnamed(folder: &Path, count: usize, size: usize, buffer: usize) -> Partitions {
        Partitions::new((0..count).map(|_| Spilled::unnamed(folder)).collect(), size, buffer)
    }

    fn new(files: Vec<Spilled>, size: usize, buffer: usize) -> Partitions {
        let room = (buffer / size).max(1) * size;
        let waiting = match room <= SHARED {
            true => Waiting::Shared(vec![0; room * files.len()], vec![0; files.len()]),
            false => Waiting::Single(vec![Vec::new(); files.len()]),
        };
        Partitions { size, waiting, room, files }
    }

    /// Continues files that have at least this many entries, and discards the rest. If answers exist, the entries have
    /// been deleted.
    pub(crate) fn resume(&mut self, entries: &[u64]) -> Result<()> {
        for (file, entries) in self.files.iter_mut().zip(entries) {
            let bytes = entries * self.size as u64;
            if file.path().exists() || (bytes > 0 && !answers_path(file).exists()) {
                file.resume(bytes)?;
            } else {
                file.resume_deleted(bytes);
            }
        }
        Ok(())
    }

    /// The same for entries that are not read again once the entries behind them have answers.
    pub(crate) fn resume_past(&mut self, entries: &[u64]) -> Result<()> {
        for (file, entries) in self.files.iter_mut().zip(entries) {
            let bytes = entries * self.size as u64;
            if file.path().exists() { file.resume(bytes)? } else { file.resume_deleted(bytes) }
        }
        Ok(())
    }

    /// Adds an entry to a partition. Pass an array where you can: copying a few bytes is faster if their number is constant.
    #[inline]
    pub(crate) fn push(&mut self, number: usize, entry: &impl AsRef<[u8]>) -> Result<()> {
        let Waiting::Shared(bytes, filled) = &mut self.waiting else { return self.push_single(number, entry) };
        let entry = entry.as_ref();
        let at = filled[number];
        let start = number * self.room + at;
        bytes[start..start + entry.len()].copy_from_slice(entry);
        filled[number] = at + entry.len();
        if at + entry.len() == self.room { self.spill(number) } else { Ok(()) }
    }

    /// The same for buffers of their own. This is a separate function so that `push` is short enough to be inlined.
    #[inline(never)]
    fn push_single(&mut self, number: usize, entry: &impl AsRef<[u8]>) -> Result<()> {
        let entry = entry.as_ref();
        if let Waiting::Single(buffers) = &mut self.waiting {
            let buffer = &mut buffers[number];
            if buffer.capacity() - buffer.len() < entry.len() {
                make_room(buffer, entry.len(), self.room, &mut self.files[number])?;
            }
            buffer.extend_from_slice(entry);
        }
        Ok(())
    }

    #[cold]
    fn spill(&mut self, number: usize) -> Result<()> {
        let waiting = self.waiting.of(number, self.room);
        if !waiting.is_empty() {
            self.files[number].append(waiting)?;
            self.waiting.clear(number);
        }
        Ok(())
    }

    /// Writes all that is in memory. Returns how many entries each partition has.
    pub(crate) fn flush(&mut self) -> Result<Vec<u64>> {
        (0..self.files.len()).try_for_each(|number| self.spill(number))?;
        Ok(self.files.iter().map(|file| file.len() / self.size as u64).collect())
    }

    /// The partitions. Entries that were never written stay in memory.
    pub(crate) fn finish(self) -> Vec<Partition> {
        let (size, room) = (self.size, self.room);
        let rests: Vec<Vec<u8>> = match self.waiting {
            Waiting::Shared(..) => (0..self.files.len()).map(|number| self.waiting.of(number, room).to_vec()).collect(),
            Waiting::Single(mut buffers) => {
                buffers.iter_mut().for_each(Vec::shrink_to_fit);
                buffers
            }
        };
        self.files.into_iter().zip(rests).map(|(file, rest)| Partition { size, file, rest, past: None }).collect()
    }

    /// The same, but a partition is either on disk or in memory: its answers will be, too.
    pub(crate) fn finish_for_answers(mut self) -> Result<Vec<Partition>> {
        for number in 0..self.files.len() {
            if self.files[number].len() > 0 {
                self.spill(number)?;
            }
        }
        Ok(self.finish())
    }
}

/// Makes room for an entry of `size` bytes: a buffer doubles until it has `room` bytes, then its entries are appended to the file.
#[cold]
fn make_room(buffer: &mut Vec<u8>, size: usize, room: usize, file: &mut Spilled) -> Result<()> {
    if buffer.len() + size > room {
        file.append(buffer)?;
        buffer.clear();
    } else {
        let larger = (2 * buffer.capacity()).max(FIRST).max(size).min(room);
        buffer.reserve_exact(larger - buffer.len());
    }
    Ok(())
}

impl Waiting {
    /// The entries of a partition, in buffers of `room` bytes.
    fn of(&self, number: usize, room: usize) -> &[u8] {
        match self {
            Waiting::Shared(bytes, filled) => &bytes[number * room..][..filled[number]],
            Waiting::Single(buffers) => &buffers[number],
        }
    }

    fn clear(&mut self, number: usize) {
        match self {
            Waiting::Shared(_, filled) => filled[number] = 0,
            Waiting::Single(buffers) => buffers[number].clear(),
        }
    }
}

/// The path of the answers of a partition, once they exist.
fn answers_path(file: &Spilled) -> PathBuf {
    file.path().with_extension("answers")
}

impl Partition {
    /// How many entries there are.
    pub(crate) fn len(&self) -> u64 {
        (self.file.len() + self.rest.len() as u64) / self.size as u64
    }

    /// Puts other entries in front of these. They get no answers.
    pub(crate) fn behind(self, past: Partition) -> Partition {
        Partition { past: Some(Box::new(past)), ..self }
    }

    /// The entries in front of these.
    pub(crate) fn past(&self) -> Option<&Partition> {
        self.past.as_deref()
    }

    /// The bytes of an entry.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// All entries, in the order in which they were added.
    pub(crate) fn read(&self) -> Result<Vec<u8>> {
        if !self.is_on_disk() {
            return Ok(self.rest.clone());
        }
        let mut bytes = vec![0; self.file.len() as usize];
        self.file.read_at(&mut bytes, 0)?;
        bytes.extend_from_slice(&self.rest);
        Ok(bytes)
    }

    /// Passes on each entry, in the order in which they were added.
    pub(crate) fn each(&self, mut take: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let mut chunk = vec![0; ((READ_ENTRIES / self.size).max(1) * self.size).min(self.file.len() as usize)];
        let mut from = 0;
        while from < self.file.len() {
            let now = chunk.len().min((self.file.len() - from) as usize);
            self.file.read_at(&mut chunk[..now], from)?;
            chunk[..now].chunks_exact(self.size).try_for_each(&mut take)?;
            from += now as u64;
        }
        self.rest.chunks_exact(self.size).try_for_each(take)
    }

    /// Replaces the entries by answers. The file of the entries remains until [`Partition::delete_entries`].
    pub(crate) fn answer(&mut self, answers: Vec<u8>) -> Result<()> {
        if self.is_on_disk() {
            let path = self.answers_path();
            std::fs::write(&path, answers).at(&path)
        } else {
            self.rest = answers;
            Ok(())
        }
    }

    /// The path of the answers, once they exist.
    pub(crate) fn answers_path(&self) -> PathBuf {
        answers_path(&self.file)
    }

    /// Deletes the files of the entries.
    pub(crate) fn delete_entries(&self) -> Result<()> {
        self.past().map_or(Ok(()), Partition::delete_entries)?;
        if self.is_on_disk() { self.file.delete() } else { Ok(()) }
    }

    /// True when entries or answers are in a file.
    pub(crate) fn is_on_disk(&self) -> bool {
        self.file.len() > 0
    }
}

/// Answers of W bytes as they are read again, for hashes in the same order.
pub(crate) struct Answers<const W: usize> {
    bits: u32,
    streams: Vec<Stream>,
}

/// Numbers in a file or in memory, one after the other.
struct Stream {
    path: PathBuf,
    /// The offset at which to continue reading the file, if there is one.
    next: Option<u64>,
    bytes: Vec<u8>,
    at: usize,
    /// How many were read.
    taken: u64,
}

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

    /// Reads more; at least `least` bytes must be available.
    fn fill(&mut self, least: usize) -> Result<()> {
        self.bytes.drain(..self.at);
        self.at = 0;
        if let Some(next) = &mut self.next {
            let file = File::open(&self.path).at(&self.path)?;
            let left = self.bytes.len();
            self.bytes.resize(left + READ_ANSWERS, 0);
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
    pub(crate) fn new(partitions: Vec<Partition>) -> Answers<W> {
        let bits = partitions.len().trailing_zeros();
        let open = |partition: Partition| {
            let next = partition.is_on_disk().then_some(0);
            Stream { path: partition.answers_path(), next, bytes: partition.rest, at: 0, taken: 0 }
        };
        Answers { bits, streams: partitions.into_iter().map(open).collect() }
    }

    /// Answers in one file, for any hashes.
    #[cfg(feature = "papers")]
    pub(crate) fn of_file(path: PathBuf) -> Answers<W> {
        Answers { bits: 0, streams: vec![Stream { path, next: Some(0), bytes: Vec::new(), at: 0, taken: 0 }] }
    }

    /// The answer for the next hash, and its partition.
    #[inline]
    pub(crate) fn next(&mut self, hash: u64) -> Result<(usize, u64)> {
        let number = partition(hash, self.bits);
        Ok((number, self.streams[number].next::<W>()?))
    }

    /// How many answers were read from each partition.
    pub(crate) fn answers_read(&self) -> Vec<u64> {
        self.streams.iter().map(|stream| stream.taken).collect()
    }

    /// Continues after this many answers; only for those in files.
    pub(crate) fn skip(&mut self, taken: &[u64]) {
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
        // Few stay in memory, many are written to files.
        for count in [100, 200_000] {
            let mut numbers = Partitions::named(folder.path(), "numbers", 4, 8, 8 << 10);
            for number in 0..count {
                numbers.push(partition(mix(number % 977), 2), &number.to_le_bytes()).expect("room");
            }
            let mut partitions = numbers.finish_for_answers().expect("room");
            assert_eq!(partitions[0].is_on_disk(), count > 1000);
            for partition in &mut partitions {
                let numbers = partition.read().expect("numbers");
                let answers = numbers.chunks(8).flat_map(|number| number[..5].to_vec()).collect();
                partition.answer(answers).expect("room");
                partition.delete_entries().expect("a file, or none");
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
    fn what_was_written_behind_a_checkpoint_is_discarded() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut first = Partitions::named(folder.path(), "numbers", 2, 1, 100);
        first.push(0, &[1]).expect("room");
        let entries = first.flush().expect("room");
        first.push(0, &[2]).expect("room");
        first.flush().expect("room");
        let mut second = Partitions::named(folder.path(), "numbers", 2, 1, 100);
        second.resume(&entries).expect("the files");
        second.push(0, &[3]).expect("room");
        assert_eq!(second.finish()[0].read().expect("entries"), [1, 3]);
    }

    #[test]
    fn entries_come_in_their_order_and_no_buffer_is_larger_than_it_may_be() {
        let folder = tempfile::tempdir().expect("a folder");
        // All in memory; some in files; one entry at a time in memory.
        for buffer in [1 << 20, 9000, 200, 0] {
            for mut numbers in [
                Partitions::named(folder.path(), "numbers", 3, 6, buffer),
                Partitions::unnamed(folder.path(), 3, 6, buffer),
            ] {
                for number in 0..5000_u32 {
                    let [a, b, c, d] = number.to_le_bytes();
                    numbers.push(number as usize % 2, &[a, b, c, d, 7, 8]).expect("room");
                    if let Waiting::Single(buffers) = &numbers.waiting {
                        assert!(buffers.iter().all(|waiting| waiting.capacity() <= buffer.max(6)));
                    }
                }
                for (start, partition) in (0_u32..).zip(numbers.finish()) {
                    let mut next = start;
                    let check = |entry: &[u8]| {
                        assert_eq!(entry, [&next.to_le_bytes()[..], &[7, 8]].concat());
                        next += 2;
                        Ok(())
                    };
                    partition.each(check).expect("entries");
                    assert_eq!(next, if start < 2 { 5000 + start } else { 2 });
                    assert_eq!(partition.len(), if start < 2 { 2500 } else { 0 });
                    assert_eq!(partition.is_on_disk(), buffer < 1 << 20 && start < 2);
                    partition.delete_entries().expect("a file, or none");
                }
                assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
            }
        }
    }
}
