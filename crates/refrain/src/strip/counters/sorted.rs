//! Exact counts by sorting on disk (section 3.3.2).

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};
use twox_hash::XxHash3_64;

use super::table::{LineTable, MOST_LINES};
use super::{Counter, CounterKind, Frequent, Options, check_least};
use crate::error::{Error, IoContext, Result};

/// Runs that are merged at a time: each is an open file and a buffer.
const RUNS_AT_A_TIME: usize = 64;

/// Bytes of memory for each distinct line, but for its own: 24 for the entry, 16 to sort, up to 22 for slots; and a word.
const FOR_EACH: usize = 64;
/// Bytes that are taken at once, however much memory was given.
const ROOM: usize = 512 << 20;

/// Less memory than this is taken for this much.
const LEAST_MEMORY: u64 = 4 << 10;

/// Exact counts in as much [memory](Options::memory) as is given: what does not fit is sorted and put on disk.
///
/// It makes no errors. Distinct lines and their counts are gathered in memory; when it is full they are written to a file,
/// sorted. In the end the files are merged, and lines that occur often enough are kept. Disk space is at most the bytes of
/// the lines and a few for each of them, twice that for a moment if there are more than 64 files. The frequent lines
/// themselves must fit into memory; they may take more than was given.
///
/// A line longer than half the memory takes as much as it is long, one at a time. Counters that are to be merged have each
/// their own memory until then.
#[derive(Debug)]
pub struct Sorted {
    table: LineTable,
    most_lines: usize,
    most_bytes: usize,
    buffer: usize,
    runs: Vec<TempPath>,
    folder: PathBuf,
    lines: u64,
}

impl Sorted {
    /// With the [memory](Options::memory) and the [folder](Options::folder) of the options. The folder is not touched
    /// before memory is full.
    pub fn new(options: &Options) -> Result<Self> {
        let memory = usize::try_from(options.memory.max(LEAST_MEMORY)).map_err(|_| {
            Error::Refused(format!("{} bytes of memory are more than can be used here", options.memory))
        })?;
        let most_lines = (memory / 2 / FOR_EACH).min(MOST_LINES);
        Ok(Sorted {
            table: LineTable::with_room(most_lines.min(ROOM / FOR_EACH)),
            most_lines,
            most_bytes: memory / 2,
            buffer: (memory / 2 / RUNS_AT_A_TIME).clamp(1 << 10, 1 << 20),
            runs: Vec::new(),
            folder: options.folder.clone(),
            lines: 0,
        })
    }

    /// Files that are on disk now.
    pub fn runs(&self) -> usize {
        self.runs.len()
    }

    fn add_counted(&mut self, key: u64, line: &[u8], count: u32) -> Result<()> {
        self.table.add(key, line, count);
        if self.table.len() >= self.most_lines || self.table.bytes() >= self.most_bytes {
            self.spill()?;
        }
        Ok(())
    }

    /// Writes what is in memory to a file.
    fn spill(&mut self) -> Result<()> {
        let mut run = NewRun::create(&self.folder, self.buffer)?;
        for (line, count) in self.table.sorted() {
            run.put(line, count)?;
        }
        self.runs.push(run.end()?);
        self.table.clear();
        Ok(())
    }

    /// Merges files until there are few enough to be merged at once.
    fn reduce(&mut self) -> Result<()> {
        while self.runs.len() > RUNS_AT_A_TIME {
            let few: Vec<TempPath> = self.runs.drain(..RUNS_AT_A_TIME).collect();
            let mut run = NewRun::create(&self.folder, self.buffer)?;
            merge_runs(&few, self.buffer, |line, count| run.put(line, count))?;
            self.runs.push(run.end()?);
        }
        Ok(())
    }
}

impl Counter for Sorted {
    fn kind(&self) -> CounterKind {
        CounterKind::Sorted
    }

    fn lines(&self) -> u64 {
        self.lines
    }

    fn add_keyed(&mut self, key: u64, line: &[u8]) -> Result<()> {
        self.lines += 1;
        self.add_counted(key, line, 1)
    }

    fn merge(&mut self, mut other: Self) -> Result<()> {
        self.runs.append(&mut other.runs);
        self.lines += other.lines;
        other.table.iter().try_for_each(|(key, line, count)| self.add_counted(key, line, count))
    }

    fn finish(mut self, least: u32) -> Result<Frequent> {
        check_least(least)?;
        let mut frequent = LineTable::default();
        if self.runs.is_empty() {
            let kept = self.table.iter().filter(|&(_, _, count)| count >= least);
            kept.for_each(|(key, line, count)| frequent.add(key, line, count));
        } else {
            self.spill()?;
            self.table = LineTable::default();
            self.reduce()?;
            merge_runs(&self.runs, self.buffer, |line, count| {
                if count >= least {
                    frequent.add(XxHash3_64::oneshot(line), line, count);
                }
                Ok(())
            })?;
        }
        Ok(Frequent::of_lines(CounterKind::Sorted, least, self.lines, frequent))
    }
}

/// A file of lines that is being written: for each its length, its bytes and its count.
struct NewRun<'a> {
    folder: &'a Path,
    file: BufWriter<NamedTempFile>,
}

impl<'a> NewRun<'a> {
    fn create(folder: &'a Path, buffer: usize) -> Result<Self> {
        let file = tempfile::Builder::new().prefix("refrain-lines-").tempfile_in(folder).at(folder)?;
        Ok(NewRun { folder, file: BufWriter::with_capacity(buffer, file) })
    }

    fn put(&mut self, line: &[u8], count: u32) -> Result<()> {
        put_number(&mut self.file, line.len() as u64)
            .and_then(|()| self.file.write_all(line))
            .and_then(|()| put_number(&mut self.file, u64::from(count)))
            .at(self.folder)
    }

    /// Closes the file; it stays until the path is dropped.
    fn end(self) -> Result<TempPath> {
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error).at(self.folder)?;
        Ok(file.into_temp_path())
    }
}

/// Writes a number, seven bits in a byte.
fn put_number(file: &mut impl Write, mut number: u64) -> io::Result<()> {
    while number > 0x7F {
        file.write_all(&[number as u8 | 0x80])?;
        number >>= 7;
    }
    file.write_all(&[number as u8])
}

fn get_number(file: &mut impl BufRead) -> io::Result<u64> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let mut byte = [0];
        file.read_exact(&mut byte)?;
        number |= u64::from(byte[0] & 0x7F) << shift;
        shift += 7;
        if byte[0] < 0x80 || shift > 56 {
            return Ok(number);
        }
    }
}

/// A file of lines that is being read, with the line that comes next.
struct Run {
    file: BufReader<File>,
    path: PathBuf,
    line: Vec<u8>,
    count: u32,
}

impl Run {
    /// The run at its first line, if it has one.
    fn open(path: &Path, buffer: usize) -> Result<Option<Run>> {
        let file = BufReader::with_capacity(buffer, File::open(path).at(path)?);
        let mut run = Run { file, path: path.to_owned(), line: Vec::new(), count: 0 };
        Ok(run.advance()?.then_some(run))
    }

    /// Goes to the next line; false at the end.
    fn advance(&mut self) -> Result<bool> {
        if self.file.fill_buf().at(&self.path)?.is_empty() {
            return Ok(false);
        }
        self.read_line().at(&self.path)?;
        Ok(true)
    }

    fn read_line(&mut self) -> io::Result<()> {
        let length = get_number(&mut self.file)?;
        self.line.clear();
        let read = (&mut self.file).take(length).read_to_end(&mut self.line)?;
        if (read as u64) < length {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        self.count = u32::try_from(get_number(&mut self.file)?).map_err(|_| ErrorKind::InvalidData)?;
        Ok(())
    }
}

/// The heap has the run with the first line on top.
impl Ord for Run {
    fn cmp(&self, other: &Self) -> Ordering {
        other.line.cmp(&self.line)
    }
}

impl PartialOrd for Run {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Run {
    fn eq(&self, other: &Self) -> bool {
        self.line == other.line
    }
}

impl Eq for Run {}

/// Hands over each distinct line of some runs, in order, with the sum of its counts.
fn merge_runs(runs: &[TempPath], buffer: usize, mut put: impl FnMut(&[u8], u32) -> Result<()>) -> Result<()> {
    let mut heap = BinaryHeap::with_capacity(runs.len());
    for path in runs {
        heap.extend(Run::open(path, buffer)?);
    }
    let (mut line, mut count) = (Vec::new(), 0u32);
    while let Some(mut first) = heap.peek_mut() {
        if first.line != line {
            if count > 0 {
                put(&line, count)?;
            }
            line.clone_from(&first.line);
            count = 0;
        }
        count = count.saturating_add(first.count);
        if !first.advance()? {
            PeekMut::pop(first);
        }
    }
    if count > 0 { put(&line, count) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn many(options: &Options, lines: u32) -> Result<Sorted> {
        let mut counter = Sorted::new(options)?;
        (0..lines).try_for_each(|i| counter.add(format!("line {}", i % 10_007).as_bytes()))?;
        Ok(counter)
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let options = Options { memory: 1, folder: "/nowhere/at/all".into(), ..Options::default() };
        assert!(many(&options, 10).is_ok());
        assert!(many(&options, 1_000).expect_err("refused").to_string().starts_with("/nowhere/at/all: "));
    }

    #[test]
    fn files_are_merged_in_passes_and_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let options = Options { memory: 1, folder: folder.path().to_owned(), ..Options::default() };
        let mut counter = many(&options, 20_014).expect("no error");
        counter.merge(many(&options, 3).expect("no error")).expect("no error");
        assert!(counter.runs() > RUNS_AT_A_TIME, "{}", counter.runs());
        let frequent = counter.finish(3).expect("no error");
        let lines: Vec<(&[u8], u32)> = frequent.lines().collect();
        assert_eq!(lines, [(&b"line 0"[..], 3), (b"line 1", 3), (b"line 2", 3)]);
        assert_eq!(folder.path().read_dir().expect("a folder").count(), 0);
    }

    #[test]
    fn a_file_that_was_cut_is_an_error_that_names_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let options = Options { memory: 1, folder: folder.path().to_owned(), ..Options::default() };
        let counter = many(&options, 200).expect("no error");
        let path = counter.runs[0].to_path_buf();
        let length = path.metadata().expect("no error").len();
        File::options().write(true).open(&path).expect("no error").set_len(length - 3).expect("no error");
        assert!(counter.finish(1).expect_err("refused").to_string().starts_with(&path.display().to_string()));
    }

    #[test]
    fn empty_lines_and_long_ones_are_counted() {
        let folder = tempfile::tempdir().expect("a folder");
        let options = Options { memory: 1, folder: folder.path().to_owned(), ..Options::default() };
        let mut counter = Sorted::new(&options).expect("good options");
        let long = vec![b'l'; 100_000];
        for line in [&b""[..], &long, b"", &long, b"once"] {
            counter.add(line).expect("no error");
        }
        assert_eq!(counter.runs(), 2);
        let frequent = counter.finish(2).expect("no error");
        assert!(frequent.is_frequent(b"") && frequent.is_frequent(&long) && !frequent.is_frequent(b"once"));
    }

    #[test]
    fn numbers_are_read_as_written() {
        for number in [0, 0x7F, 0x80, 0xFFFF, u64::from(u32::MAX), 1 << 40] {
            let mut bytes = Vec::new();
            put_number(&mut bytes, number).expect("no error");
            assert_eq!(get_number(&mut &bytes[..]).expect("no error"), number);
        }
    }
}
