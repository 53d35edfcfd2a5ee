//! Exact counts by sorting on disk (section 3.3.2).

use std::cmp::Ordering;
use std::io::{self, BufRead, ErrorKind, Read, Write};

use twox_hash::XxHash3_64;

use super::table::{LineTable, MOST_LINES};
use super::{Counter, CounterKind, FrequentTable, Options, check_least};
use crate::disk::runs::{Entry, FAN_IN, Runs};
use crate::error::{Error, Result};

/// Bytes of memory per distinct line, besides its own: 24 for the entry, 16 to sort, up to 22 for slots, rounded up.
const FOR_EACH: usize = 64;
/// Bytes that are allocated at once, whatever the memory limit.
const ROOM: usize = 512 << 20;

/// The smallest memory limit; lower values count as this one.
const LEAST_MEMORY: u64 = 4 << 10;

/// Exact counts in as much [memory](Options::memory) as is given: what does not fit is sorted and written to disk.
///
/// It makes no errors. Distinct lines and their counts are collected in memory. When it is full, they are sorted and
/// written to a file. In the end the files are merged, and lines that occur often enough are kept. Disk space is at most the bytes of
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
    runs: Runs<Counted>,
    lines: u64,
}

impl Sorted {
    /// With the [memory](Options::memory) and the [folder](Options::folder) of the options. The folder is not touched
    /// before memory is full.
    pub fn new(options: &Options) -> Result<Self> {
        let memory = usize::try_from(options.memory.max(LEAST_MEMORY)).map_err(|_| {
            Error::Refused(format!("{} bytes of memory are more than this counter can use", options.memory))
        })?;
        let most_lines = (memory / 2 / FOR_EACH).min(MOST_LINES);
        Ok(Sorted {
            table: LineTable::with_room(most_lines.min(ROOM / FOR_EACH)),
            most_lines,
            most_bytes: memory / 2,
            runs: Runs::new(&options.folder, (memory / 2 / FAN_IN).clamp(1 << 10, 1 << 20)),
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
        self.runs.add(self.table.sorted(), |(line, count), out| put_line(line, count, out))?;
        self.table.clear();
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

    fn merge(&mut self, other: Self) -> Result<()> {
        self.runs.append(other.runs);
        self.lines += other.lines;
        other.table.iter().try_for_each(|(key, line, count)| self.add_counted(key, line, count))
    }

    fn finish(mut self, least: u32) -> Result<FrequentTable> {
        check_least(least)?;
        let mut frequent = LineTable::default();
        if self.runs.is_empty() {
            let kept = self.table.iter().filter(|&(_, _, count)| count >= least);
            kept.for_each(|(key, line, count)| frequent.add(key, line, count));
        } else {
            self.spill()?;
            self.table = LineTable::default();
            self.runs.merged(|Counted { line, count }| {
                if *count >= least {
                    frequent.add(XxHash3_64::oneshot(line), line, *count);
                }
                Ok(())
            })?;
        }
        Ok(FrequentTable::of_lines(CounterKind::Sorted, least, self.lines, frequent))
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

/// A line with its count, as it is in a run: its length, its bytes, its count.
#[derive(Debug, Default)]
struct Counted {
    line: Vec<u8>,
    count: u32,
}

fn put_line(line: &[u8], count: u32, out: &mut impl Write) -> io::Result<()> {
    put_number(out, line.len() as u64)?;
    out.write_all(line)?;
    put_number(out, u64::from(count))
}

impl Entry for Counted {
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        put_line(&self.line, self.count, out)
    }

    fn read(&mut self, input: &mut impl BufRead) -> io::Result<()> {
        let length = get_number(input)?;
        self.line.clear();
        let read = input.take(length).read_to_end(&mut self.line)?;
        if (read as u64) < length {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        self.count = u32::try_from(get_number(input)?).map_err(|_| ErrorKind::InvalidData)?;
        Ok(())
    }

    fn absorb(&mut self, equal: &Self) -> bool {
        self.count = self.count.saturating_add(equal.count);
        true
    }
}

impl Ord for Counted {
    fn cmp(&self, other: &Self) -> Ordering {
        self.line.cmp(&other.line)
    }
}

impl PartialOrd for Counted {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Counted {
    fn eq(&self, other: &Self) -> bool {
        self.line == other.line
    }
}

impl Eq for Counted {}

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
        assert!(counter.runs() > FAN_IN, "{}", counter.runs());
        let frequent = counter.finish(3).expect("no error");
        let lines: Vec<(&[u8], u32)> = frequent.lines().collect();
        assert_eq!(lines, [(&b"line 0"[..], 3), (b"line 1", 3), (b"line 2", 3)]);
        assert_eq!(folder.path().read_dir().expect("a folder").count(), 0);
    }

    #[test]
    fn a_line_that_was_cut_is_an_error() {
        let mut bytes = Vec::new();
        put_line(b"line", 300, &mut bytes).expect("no error");
        let mut counted = Counted::default();
        counted.read(&mut &bytes[..]).expect("a line");
        assert_eq!((&counted.line[..], counted.count), (&b"line"[..], 300));
        for end in 0..bytes.len() {
            assert!(counted.read(&mut &bytes[..end]).is_err());
        }
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
