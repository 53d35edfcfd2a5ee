//! The frequent lines of a collection, as a structure reports them, and their file format.

use std::fs::File;
use std::hash::Hasher;
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::Path;

use twox_hash::XxHash3_64;

use super::CounterKind;
use super::majority::own_key;
use super::table::{KeyTable, LineTable};
use crate::disk::atomic::AtomicFile;
use crate::error::{Error, IoContext, Result};

/// The first bytes of a file.
const MAGIC: &[u8; 8] = b"RFNLINES";

/// The version of the format of files.
const VERSION: u32 = 1;

/// The frequent lines of a collection.
///
/// # File
///
/// Numbers are little-endian. `RFNLINES`; the version (4 bytes); the structure by its place in [`CounterKind::ALL`] (1);
/// `least` (4); lines counted (8). Then, by the structure:
///
/// - exact and sorted: the number of lines (8), and of each, in the order of bytes: its count (4), its length (4), its bytes;
/// - crc64 and majority: the number of keys (8), and of each, in increasing order: the key (8), its count (4);
/// - hashed: the bytes that follow (8), and a bit for each counter, the lowest bit of a byte first.
///
/// The end is XXH3-64 of all bytes before (8).
#[derive(Debug)]
pub struct FrequentTable {
    kind: CounterKind,
    least: u32,
    counted: u64,
    set: Set,
}

#[derive(Debug)]
enum Set {
    Lines(LineTable),
    Keys(KeyTable),
    /// One bit for each of 2^b cells, which the highest b bits of a key choose.
    Cells {
        packed: Vec<u8>,
        shift: u32,
    },
}

impl FrequentTable {
    pub(super) fn of_lines(kind: CounterKind, least: u32, counted: u64, lines: LineTable) -> Self {
        FrequentTable { kind, least, counted, set: Set::Lines(lines) }
    }

    pub(super) fn of_keys(kind: CounterKind, least: u32, counted: u64, keys: KeyTable) -> Self {
        FrequentTable { kind, least, counted, set: Set::Keys(keys) }
    }

    /// The number of bytes is a power of two.
    pub(super) fn of_cells(least: u32, counted: u64, packed: Vec<u8>) -> Self {
        let shift = 64 - 3 - packed.len().trailing_zeros();
        FrequentTable { kind: CounterKind::Hashed, least, counted, set: Set::Cells { packed, shift } }
    }

    /// Whether a line occurs at least [`least`](FrequentTable::least) times, according to the structure.
    pub fn is_frequent(&self, line: &[u8]) -> bool {
        self.is_frequent_keyed(self.kind.key(line), line)
    }

    /// The same for a line whose key, by [`CounterKind::key`], is known.
    pub fn is_frequent_keyed(&self, key: u64, line: &[u8]) -> bool {
        match &self.set {
            Set::Lines(lines) => lines.count(key, line) > 0,
            Set::Keys(keys) if self.kind == CounterKind::Majority => keys.count(own_key(key)) > 0,
            Set::Keys(keys) => keys.count(key) > 0,
            Set::Cells { packed, shift } => {
                let cell = (key >> shift) as usize;
                packed[cell / 8] >> (cell % 8) & 1 == 1
            }
        }
    }

    /// The structure that found them.
    pub fn kind(&self) -> CounterKind {
        self.kind
    }

    /// The least number of occurrences of a frequent line.
    pub fn least(&self) -> u32 {
        self.least
    }

    /// Lines that were counted.
    pub fn counted(&self) -> u64 {
        self.counted
    }

    /// Number of frequent lines; or of their keys; or of counters that are full enough.
    pub fn len(&self) -> usize {
        match &self.set {
            Set::Lines(lines) => lines.len(),
            Set::Keys(keys) => keys.len(),
            Set::Cells { packed, .. } => packed.iter().map(|byte| byte.count_ones() as usize).sum(),
        }
    }

    /// True if no line is frequent.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The frequent lines with their counts, in the order of their bytes. Structures that keep keys only have none to show.
    pub fn lines(&self) -> impl Iterator<Item = (&[u8], u32)> {
        let lines = match &self.set {
            Set::Lines(lines) => Some(lines),
            _ => None,
        };
        lines.into_iter().flat_map(LineTable::sorted)
    }

    /// Writes a file, which appears under its name once it is complete.
    pub fn save(&self, path: &Path) -> Result<()> {
        let mut writer = BufWriter::new(AtomicFile::create(path)?);
        self.write(&mut writer).at(path)?;
        writer.into_inner().map_err(io::IntoInnerError::into_error).at(path)?.commit()
    }

    /// Reads a file that [`save`](FrequentTable::save) wrote.
    pub fn load(path: &Path) -> Result<Self> {
        FrequentTable::read(&mut BufReader::new(File::open(path).at(path)?), path)
    }

    /// Writes what a file has.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let mut to = Sealed { inner: to, hash: XxHash3_64::new() };
        to.write_all(MAGIC)?;
        to.write_all(&VERSION.to_le_bytes())?;
        let kind = CounterKind::ALL.iter().position(|&kind| kind == self.kind).unwrap_or_default();
        to.write_all(&[kind as u8])?;
        to.write_all(&self.least.to_le_bytes())?;
        to.write_all(&self.counted.to_le_bytes())?;
        match &self.set {
            Set::Lines(lines) => write_lines(&mut to, lines)?,
            Set::Keys(keys) => write_keys(&mut to, keys)?,
            Set::Cells { packed, .. } => {
                to.write_all(&(packed.len() as u64).to_le_bytes())?;
                to.write_all(packed)?;
            }
        }
        let sum = to.hash.finish();
        to.inner.write_all(&sum.to_le_bytes())
    }

    /// Reads what [`write`](FrequentTable::write) wrote; the path is for messages.
    pub fn read(from: &mut impl Read, path: &Path) -> Result<Self> {
        let mut from = Sealed { inner: from, hash: XxHash3_64::new() };
        check_version(&mut from, path)?;
        let read = read_body(&mut from).and_then(|frequent| Ok((frequent, check_end(&mut from)?)));
        match read {
            Ok((frequent, true)) => Ok(frequent),
            Ok((_, false)) => Err(damaged(path, "its checksum is wrong")),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Err(damaged(path, "it is truncated")),
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                Err(damaged(path, "it contains impossible numbers"))
            }
            Err(error) => Err(Error::io(path, error)),
        }
    }
}

fn damaged(path: &Path, what: &str) -> Error {
    let message = format!("this file of frequent lines is damaged: {what}; create it again");
    Error::Damaged { path: path.to_owned(), message }
}

/// Hashes what passes through.
struct Sealed<'a, T> {
    inner: &'a mut T,
    hash: XxHash3_64,
}

impl<T: Write> Sealed<'_, T> {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hash.write(bytes);
        self.inner.write_all(bytes)
    }
}

impl<T: Read> Sealed<'_, T> {
    fn array<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.inner.read_exact(&mut bytes)?;
        self.hash.write(&bytes);
        Ok(bytes)
    }

    fn number(&mut self) -> io::Result<u64> {
        self.array().map(u64::from_le_bytes)
    }

    fn small(&mut self) -> io::Result<u32> {
        self.array().map(u32::from_le_bytes)
    }

    /// Reads this many bytes. Memory grows with the bytes that exist, whatever a damaged length states.
    fn bytes(&mut self, length: u64, into: &mut Vec<u8>) -> io::Result<()> {
        into.clear();
        let read = self.inner.take(length).read_to_end(into)?;
        self.hash.write(into);
        if (read as u64) < length { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }
}

fn write_lines<T: Write>(to: &mut Sealed<T>, lines: &LineTable) -> io::Result<()> {
    to.write_all(&(lines.len() as u64).to_le_bytes())?;
    for (line, count) in lines.sorted() {
        to.write_all(&count.to_le_bytes())?;
        to.write_all(&(line.len() as u32).to_le_bytes())?;
        to.write_all(line)?;
    }
    Ok(())
}

fn write_keys<T: Write>(to: &mut Sealed<T>, keys: &KeyTable) -> io::Result<()> {
    to.write_all(&(keys.len() as u64).to_le_bytes())?;
    let mut sorted: Vec<(u64, u32)> = keys.iter().collect();
    sorted.sort_unstable();
    for (key, count) in sorted {
        to.write_all(&key.to_le_bytes())?;
        to.write_all(&count.to_le_bytes())?;
    }
    Ok(())
}

/// Refuses files of other programs and other versions.
fn check_version<T: Read>(from: &mut Sealed<T>, path: &Path) -> Result<()> {
    let unusable = |message: String| Err(Error::Unusable { path: path.to_owned(), message });
    let start = from.array::<8>().and_then(|magic| Ok((magic, from.small()?)));
    match start {
        Ok((magic, VERSION)) if magic == *MAGIC => Ok(()),
        Ok((magic, version)) if magic == *MAGIC => unusable(format!(
            "frequent lines of version {version}, but this refrain reads version {VERSION}; create the file again"
        )),
        Err(error) if error.kind() != ErrorKind::UnexpectedEof => Err(Error::io(path, error)),
        _ => unusable("not a file of frequent lines".to_owned()),
    }
}

fn read_body<T: Read>(from: &mut Sealed<T>) -> io::Result<FrequentTable> {
    let [kind] = from.array()?;
    let kind = *CounterKind::ALL.get(usize::from(kind)).ok_or(ErrorKind::InvalidData)?;
    let least = from.small()?;
    let counted = from.number()?;
    match kind {
        CounterKind::Exact | CounterKind::Sorted => {
            read_lines(from, kind).map(|lines| FrequentTable::of_lines(kind, least, counted, lines))
        }
        CounterKind::Crc64 | CounterKind::Majority => {
            read_keys(from).map(|keys| FrequentTable::of_keys(kind, least, counted, keys))
        }
        CounterKind::Hashed => read_cells(from).map(|packed| FrequentTable::of_cells(least, counted, packed)),
    }
}

fn read_lines<T: Read>(from: &mut Sealed<T>, kind: CounterKind) -> io::Result<LineTable> {
    let (mut lines, mut line) = (LineTable::default(), Vec::new());
    for _ in 0..from.number()? {
        let count = from.small()?;
        let length = from.small()?;
        from.bytes(u64::from(length), &mut line)?;
        lines.add(kind.key(&line), &line, count);
    }
    Ok(lines)
}

fn read_keys<T: Read>(from: &mut Sealed<T>) -> io::Result<KeyTable> {
    let mut keys = KeyTable::default();
    for _ in 0..from.number()? {
        let key = from.number()?;
        keys.add(key, from.small()?);
    }
    Ok(keys)
}

fn read_cells<T: Read>(from: &mut Sealed<T>) -> io::Result<Vec<u8>> {
    let length = from.number()?;
    if !length.is_power_of_two() {
        return Err(ErrorKind::InvalidData.into());
    }
    let mut packed = Vec::new();
    from.bytes(length, &mut packed)?;
    Ok(packed)
}

/// Whether the checksum agrees and nothing follows it.
fn check_end<T: Read>(from: &mut Sealed<T>) -> io::Result<bool> {
    let sum = from.hash.finish();
    let agrees = from.number()? == sum;
    Ok(agrees && from.inner.read(&mut [0])? == 0)
}

#[cfg(test)]
mod tests {
    use super::super::{Counter, Options};
    use super::*;

    fn frequent(kind: CounterKind) -> FrequentTable {
        let mut counter = kind.build(&Options { bits: 8, counters: 20, ..Options::default() }).expect("good options");
        for line in [&b"a licence"[..], b"", b"once", b"a licence", b""] {
            counter.add(line).expect("no error");
        }
        counter.finish(2).expect("no error")
    }

    fn written(frequent: &FrequentTable) -> Vec<u8> {
        let mut bytes = Vec::new();
        frequent.write(&mut bytes).expect("no error");
        bytes
    }

    #[test]
    fn a_saved_file_gives_the_same_answers() {
        let folder = tempfile::tempdir().expect("a folder");
        for kind in CounterKind::ALL {
            let path = folder.path().join(kind.name());
            let before = frequent(kind);
            before.save(&path).expect("no error");
            let after = FrequentTable::load(&path).expect("no error");
            assert!(after.is_frequent(b"a licence") && after.is_frequent(b"") && !after.is_frequent(b"once"));
            assert_eq!((after.kind(), after.least(), after.counted(), after.len()), (kind, 2, 5, before.len()));
            assert_eq!(after.lines().collect::<Vec<_>>(), before.lines().collect::<Vec<_>>());
            assert_eq!(written(&after), written(&before));
        }
        assert_eq!(folder.path().read_dir().expect("a folder").count(), 5);
    }

    #[test]
    fn every_changed_byte_and_every_cut_is_noticed() {
        for kind in CounterKind::ALL {
            let bytes = written(&frequent(kind));
            for at in 0..bytes.len() {
                let mut changed = bytes.clone();
                changed[at] ^= 1 << (at % 8);
                assert!(FrequentTable::read(&mut &changed[..], Path::new("f")).is_err(), "{kind} {at}");
                assert!(FrequentTable::read(&mut &bytes[..at], Path::new("f")).is_err(), "{kind} {at}");
            }
            let longer = [&bytes[..], b"x"].concat();
            assert!(FrequentTable::read(&mut &longer[..], Path::new("f")).is_err());
        }
    }

    #[test]
    fn messages_name_the_file() {
        let bytes = written(&frequent(CounterKind::Crc64));
        let message = |bytes: &[u8]| {
            FrequentTable::read(&mut &bytes[..], Path::new("lines.bin")).expect_err("refused").to_string()
        };
        assert_eq!(message(b"text"), "lines.bin: not a file of frequent lines");
        assert!(message(&bytes[..30]).contains("truncated"));
        let mut other = bytes.clone();
        other[8] = 9;
        assert!(message(&other).starts_with("lines.bin: frequent lines of version 9,"));
        other[8] = 1;
        other[13] ^= 1;
        assert!(message(&other).contains("checksum"));
        assert!(
            FrequentTable::load(Path::new("/nowhere/f")).expect_err("refused").to_string().starts_with("/nowhere/f: ")
        );
    }
}
