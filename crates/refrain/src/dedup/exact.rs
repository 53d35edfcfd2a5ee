//! Exact duplicates: documents whose kept text is the same, white space aside.
//!
//! Learns the digest, position and id of every document, finds the first copy of every digest that occurs at least
//! twice, and marks every other copy. Evidence that exceeds its memory limit is written to temporary files as sorted
//! runs, which are merged in one pass. Memory stays bounded, whatever the size of the collection.

use std::collections::HashSet;
use std::io::{self, BufRead, Read, Write};
use std::path::{Path, PathBuf};

use super::group::{DIGEST, PLACE, number, place};
use crate::disk::partitions::Partition;
use crate::disk::runs::{Entry, Runs};
use crate::disk::spilled::Spilled;
use crate::document::{Document, EXACT_PASS, Position, Reason};
use crate::error::Result;
use crate::kernel::{Bytes, Fields, Kernel, damaged, put};
use crate::text::TextDigest;

/// The kernel that finds documents with the same text.
#[derive(Debug, Clone)]
pub struct ExactDuplicates {
    /// The maximum bytes of one piece of evidence before it is written to disk.
    pub memory: usize,
    /// The folder for temporary files.
    pub temporary: PathBuf,
}

impl Default for ExactDuplicates {
    fn default() -> Self {
        ExactDuplicates { memory: 64 << 20, temporary: std::env::temp_dir() }
    }
}

impl ExactDuplicates {
    /// The name that marks carry.
    pub const NAME: &'static str = EXACT_PASS;

    /// What [`observe`](Kernel::observe) notes of a document.
    pub(crate) fn sighting(document: &Document) -> Option<Sighting> {
        if document.is_removed() {
            return None;
        }
        let digest = TextDigest::of(&document.kept());
        Some(Sighting { digest, position: document.position, id: document.id.clone() })
    }
}

impl Kernel for ExactDuplicates {
    type Item<'a> = &'a Document;
    type Partial = Sightings;
    type Finding = FirstCopies;
    /// Why the document is a copy, if it is one.
    type Verdict = Option<Reason>;

    fn partial(&self) -> Sightings {
        Sightings::new(self.memory, &self.temporary)
    }

    fn observe(&self, document: &Document, evidence: &mut Sightings) -> Result<()> {
        ExactDuplicates::sighting(document).map_or(Ok(()), |sighting| evidence.push(sighting))
    }

    fn merge(&self, evidence: &mut Sightings, other: Sightings) -> Result<()> {
        evidence.merge(other)
    }

    fn conclude(&self, evidence: Sightings) -> Result<FirstCopies> {
        evidence.first_copies()
    }

    fn mark(&self, document: &Document, finding: &FirstCopies) -> Result<Option<Reason>> {
        if document.is_removed() {
            return Ok(None);
        }
        finding.copy_of(TextDigest::of(&document.kept()), document.position)
    }
}

/// One occurrence of a text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Sighting {
    digest: TextDigest,
    position: Position,
    id: String,
}

impl Default for Sighting {
    fn default() -> Self {
        Sighting { digest: TextDigest([0; 16]), position: Position::default(), id: String::new() }
    }
}

impl Sighting {
    /// The digest of the text.
    pub(crate) fn digest(&self) -> TextDigest {
        self.digest
    }

    /// Changes where the text was seen.
    pub(crate) fn move_to(&mut self, position: Position) {
        self.position = position;
    }

    /// Appends the bytes that [`Sightings::from_bytes`] reads.
    pub(crate) fn append_to(&self, bytes: &mut Vec<u8>) -> Result<()> {
        Ok(self.write(bytes)?)
    }

    fn bytes(&self) -> usize {
        size_of::<Sighting>() + self.id.len()
    }
}

impl Entry for Sighting {
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&self.digest.0)?;
        out.write_all(&self.position.input.to_le_bytes())?;
        out.write_all(&self.position.record.to_le_bytes())?;
        out.write_all(&(self.id.len() as u32).to_le_bytes())?;
        out.write_all(self.id.as_bytes())
    }

    fn read(&mut self, input: &mut impl BufRead) -> io::Result<()> {
        let mut head = [0; 32];
        input.read_exact(&mut head)?;
        let length = u32::from_le_bytes(array(&head[28..]));
        let mut id = Vec::new();
        if input.take(length.into()).read_to_end(&mut id)? < length as usize {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        *self = Sighting {
            digest: TextDigest(array(&head[..16])),
            position: Position {
                input: u32::from_le_bytes(array(&head[16..20])),
                record: u64::from_le_bytes(array(&head[20..28])),
            },
            id: String::from_utf8_lossy(&id).into_owned(),
        };
        Ok(())
    }
}

/// A fixed stretch of a slice.
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(&bytes[..N]);
    array
}

/// Evidence of [`ExactDuplicates`]: the digests seen, with position and id.
#[derive(Debug)]
pub struct Sightings {
    entries: Vec<Sighting>,
    bytes: usize,
    limit: usize,
    temporary: PathBuf,
    /// What did not fit in memory.
    runs: Runs<Sighting>,
}

/// Bytes of the buffer of a run.
const BUFFER: usize = 8 << 10;

impl Sightings {
    fn new(limit: usize, temporary: &Path) -> Sightings {
        let runs = Runs::new(temporary, BUFFER);
        Sightings { entries: Vec::new(), bytes: 0, limit, temporary: temporary.to_owned(), runs }
    }

    fn push(&mut self, sighting: Sighting) -> Result<()> {
        self.bytes += sighting.bytes();
        self.entries.push(sighting);
        if self.bytes > self.limit { self.spill() } else { Ok(()) }
    }

    /// Adds what [`Bytes::to_bytes`] wrote.
    pub(crate) fn extend(&mut self, bytes: impl BufRead) -> Result<()> {
        self.extend_with(bytes, |_| true)
    }

    /// The same, but only texts with some digests.
    pub(crate) fn extend_with(&mut self, mut bytes: impl BufRead, wanted: impl Fn(TextDigest) -> bool) -> Result<()> {
        let mut sighting = Sighting::default();
        while !bytes.fill_buf()?.is_empty() {
            sighting.read(&mut bytes).map_err(|_| damaged())?;
            if wanted(sighting.digest) {
                self.push(std::mem::take(&mut sighting))?;
            }
        }
        Ok(())
    }

    /// The digests in memory; `None` if there are others.
    pub(crate) fn digests(&self) -> Option<HashSet<TextDigest>> {
        self.runs.is_empty().then(|| self.entries.iter().map(|sighting| sighting.digest).collect())
    }

    fn merge(&mut self, other: Sightings) -> Result<()> {
        self.runs.append(other.runs);
        self.bytes += other.bytes;
        self.entries.extend(other.entries);
        if self.bytes > self.limit { self.spill() } else { Ok(()) }
    }

    fn spill(&mut self) -> Result<()> {
        self.entries.sort_unstable();
        self.runs.add(self.entries.drain(..), |entry, out| entry.write(out))?;
        self.bytes = 0;
        Ok(())
    }

    /// Calls `take` with the first sighting of each text and each copy of it.
    fn each_copy(mut self, mut take: impl FnMut(&Sighting, &Sighting) -> Result<()>) -> Result<()> {
        let mut first = Sighting::default();
        let mut any = false;
        let mut next = |sighting: &Sighting| {
            if any && first.digest == sighting.digest {
                return take(&first, sighting);
            }
            any = true;
            first.clone_from(sighting);
            Ok(())
        };
        if self.runs.is_empty() {
            self.entries.sort_unstable();
            return self.entries.iter().try_for_each(next);
        }
        self.spill()?;
        self.entries = Vec::new();
        self.runs.merged(&mut next)
    }

    /// The first sighting of every digest that was seen twice.
    fn first_copies(self) -> Result<FirstCopies> {
        let mut found = FirstCopies::new(self.limit, &self.temporary);
        let mut last = None;
        self.each_copy(
            |first, _| {
                if last.replace(first.digest) == Some(first.digest) { Ok(()) } else { found.push(first) }
            },
        )?;
        Ok(found)
    }
}

/// Answers each digest of a partition with the position of the first equal one, counted from 1; zero for the first
/// itself. An entry is a digest followed by a position.
pub(super) fn first_of_digests(partition: &mut Partition) -> Result<()> {
    // The caller has made sure that the partition fits in memory.
    let mut sightings = Sightings::new(usize::MAX, Path::new(""));
    sightings.entries.reserve_exact(partition.len() as usize);
    let mut index = 0;
    partition.each(|entry| {
        let position = Position { input: index, record: number(&entry[DIGEST..]) };
        index += 1;
        sightings.push(Sighting { digest: TextDigest(array(entry)), position, id: String::new() })
    })?;
    let mut answers = vec![0; index as usize * PLACE];
    sightings.each_copy(|first, copy| {
        let at = copy.position.input as usize * PLACE;
        answers[at..at + PLACE].copy_from_slice(&place(first.position.record + 1));
        Ok(())
    })?;
    partition.answer(answers)
}

impl Bytes for Sightings {
    fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        let mut write = |entry: &Sighting| Ok(entry.write(&mut out)?);
        self.entries.iter().try_for_each(&mut write)?;
        self.runs.each(&mut write)?;
        Ok(out)
    }

    fn from_bytes(bytes: &[u8]) -> Result<Sightings> {
        let mut sightings = ExactDuplicates::default().partial();
        sightings.extend(bytes)?;
        Ok(sightings)
    }
}

/// What [`ExactDuplicates`] concludes: the first copy of every text that occurs more than once.
#[derive(Debug)]
pub struct FirstCopies {
    /// Fixed-size records in order of digest: digest, position, and the offset of the id in `ids`.
    records: Blob,
    ids: Blob,
}

const RECORD: usize = 16 + 4 + 8 + 8 + 4;

impl FirstCopies {
    fn new(limit: usize, temporary: &Path) -> FirstCopies {
        FirstCopies { records: Blob::new(limit / 2, temporary), ids: Blob::new(limit / 2, temporary) }
    }

    fn push(&mut self, first: &Sighting) -> Result<()> {
        let mut record = Vec::with_capacity(RECORD);
        record.extend_from_slice(&first.digest.0);
        record.extend_from_slice(&first.position.input.to_le_bytes());
        record.extend_from_slice(&first.position.record.to_le_bytes());
        record.extend_from_slice(&self.ids.len().to_le_bytes());
        record.extend_from_slice(&(first.id.len() as u32).to_le_bytes());
        self.records.append(&record)?;
        self.ids.append(first.id.as_bytes())
    }

    /// Number of different texts that occur more than once.
    pub fn len(&self) -> u64 {
        self.records.len() / RECORD as u64
    }

    /// True if no text occurs twice.
    pub fn is_empty(&self) -> bool {
        self.records.len() == 0
    }

    /// Why the document at a position, whose text has this digest, is a copy, if it is one.
    pub(crate) fn copy_of(&self, digest: TextDigest, position: Position) -> Result<Option<Reason>> {
        let first = self.find(digest)?.filter(|(first, _)| *first != position);
        Ok(first.map(|(position, document)| Reason::CopyOf { document, position }))
    }

    /// Position and id of the first document with this digest, if the digest occurs more than once.
    fn find(&self, digest: TextDigest) -> Result<Option<(Position, String)>> {
        let (mut low, mut high) = (0, self.len());
        let mut record = [0; RECORD];
        while low < high {
            let middle = low.midpoint(high);
            self.records.read_at(middle * RECORD as u64, &mut record)?;
            match record[..16].cmp(&digest.0) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => {
                    let mut id = vec![0; u32::from_le_bytes(array(&record[36..])) as usize];
                    self.ids.read_at(u64::from_le_bytes(array(&record[28..36])), &mut id)?;
                    let position = Position {
                        input: u32::from_le_bytes(array(&record[16..20])),
                        record: u64::from_le_bytes(array(&record[20..28])),
                    };
                    return Ok(Some((position, String::from_utf8_lossy(&id).into_owned())));
                }
            }
        }
        Ok(None)
    }
}

impl Bytes for FirstCopies {
    fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        put(&mut out, &self.records.all()?);
        put(&mut out, &self.ids.all()?);
        Ok(out)
    }

    fn from_bytes(bytes: &[u8]) -> Result<FirstCopies> {
        let (records, ids) = Fields(bytes).only(|fields| Ok((fields.bytes()?, fields.bytes()?)))?;
        let inside = |record: &[u8]| {
            let from = u64::from_le_bytes(array(&record[28..36]));
            from.checked_add(u32::from_le_bytes(array(&record[36..])).into()).is_some_and(|end| end <= ids.len() as u64)
        };
        if records.len() % RECORD != 0 || !records.chunks_exact(RECORD).all(inside) {
            return Err(damaged());
        }
        let mut copies = FirstCopies::new(usize::MAX, &std::env::temp_dir());
        copies.records.append(records)?;
        copies.ids.append(ids)?;
        Ok(copies)
    }
}

/// Bytes in memory or, beyond a limit, in a temporary file.
#[derive(Debug)]
struct Blob {
    memory: Vec<u8>,
    limit: usize,
    file: Spilled,
}

impl Blob {
    fn new(limit: usize, temporary: &Path) -> Blob {
        Blob { memory: Vec::new(), limit, file: Spilled::unnamed(temporary) }
    }

    fn len(&self) -> u64 {
        self.file.len() + self.memory.len() as u64
    }

    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.memory.extend_from_slice(bytes);
        if self.memory.len() > self.limit {
            self.file.append(&self.memory)?;
            self.memory.clear();
        }
        Ok(())
    }

    fn all(&self) -> Result<Vec<u8>> {
        let mut all = vec![0; self.file.len() as usize];
        if !all.is_empty() {
            self.file.read_at(&mut all, 0)?;
        }
        all.extend_from_slice(&self.memory);
        Ok(all)
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> Result<()> {
        // Appends are whole records, so that no read crosses from the file into memory.
        if offset < self.file.len() {
            return self.file.read_at(bytes, offset);
        }
        let start = (offset - self.file.len()) as usize;
        bytes.copy_from_slice(&self.memory[start..start + bytes.len()]);
        Ok(())
    }
}
