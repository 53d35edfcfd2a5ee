//! Work parts: marked documents between the phases of a run. A part counts once its note exists.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::ops::ControlFlow;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::folder::{Folder, read_json, write_json};
use crate::dedup::{ExactDuplicates, Sighting};
use crate::document::{Document, Position};
use crate::error::{Error, Failure, Hint, IoContext, Result};
use crate::prepare::Prepared;
use crate::source::InputFiles;
use crate::stats::Account;
use crate::write::{Compressed, Compression, Sink, write_atomically};

/// Inputs that are read one after the other by one reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shard {
    pub(super) number: u32,
    pub(super) inputs: std::ops::Range<u32>,
}

/// Size of the files that make a shard.
const SHARD_BYTES: u64 = 64 << 20;

/// Groups consecutive inputs into shards. Depends on nothing but the inputs.
pub(super) fn shards(inputs: &InputFiles) -> Vec<Shard> {
    let mut shards: Vec<Shard> = Vec::new();
    let mut bytes = u64::MAX;
    for (index, input) in (0..).zip(inputs.iter()) {
        if bytes >= SHARD_BYTES {
            shards.push(Shard { number: shards.len() as u32, inputs: index..index });
            bytes = 0;
        }
        if let Some(shard) = shards.last_mut() {
            shard.inputs.end = index + 1;
        }
        // Many tiny files are also a lot of work.
        bytes += input.size.unwrap_or(SHARD_BYTES).max(4096);
    }
    shards
}

/// The note of a work part.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Note {
    /// Where the next part of the shard begins.
    pub(super) next: Position,
    /// True if there is no next part.
    pub(super) last: bool,
    pub(super) documents: u64,
    pub(super) text_bytes: u64,
    /// Bytes of its raw documents.
    #[serde(default)]
    pub(super) raw_bytes: u64,
    pub(super) skipped: BTreeMap<String, u64>,
    /// The number of failures, which are listed in a separate file.
    pub(super) failures: u64,
    /// Items that failed and yielded no document.
    #[serde(default)]
    pub(super) failed: u64,
}

impl Note {
    /// What became of the items of the part.
    pub(super) fn account(&self) -> Account {
        let skipped = self.skipped.clone();
        let found = self.documents + skipped.values().sum::<u64>() + self.failed;
        Account { found, documents: self.documents, skipped, failed: self.failed }
    }
}

/// A finished work part.
#[derive(Debug, Clone)]
pub(super) struct WorkPart {
    pub(super) shard: u32,
    pub(super) number: u32,
    pub(super) note: Note,
}

impl WorkPart {
    pub(super) fn file_name(&self) -> String {
        documents_name(self.shard, self.number)
    }

    pub(super) fn errors_name(&self) -> String {
        errors_name(self.shard, self.number)
    }

    pub(super) fn digests_name(&self) -> String {
        digests_name(self.shard, self.number)
    }
}

fn documents_name(shard: u32, number: u32) -> String {
    format!("{shard:06}-{number:06}.documents.zst")
}

fn digests_name(shard: u32, number: u32) -> String {
    format!("{shard:06}-{number:06}.digests")
}

fn errors_name(shard: u32, number: u32) -> String {
    format!("{shard:06}-{number:06}-errors.jsonl")
}

fn note_name(shard: u32, number: u32) -> String {
    format!("{shard:06}-{number:06}.json")
}

/// The parts of a shard that earlier runs finished.
pub(super) fn finished_parts(folder: &Folder, shard: &Shard) -> Result<Vec<WorkPart>> {
    let mut parts = Vec::new();
    for number in 0.. {
        match read_json(&folder.work(&note_name(shard.number, number)))? {
            Some(note) => parts.push(WorkPart { shard: shard.number, number, note }),
            None => break,
        }
    }
    Ok(parts)
}

/// A work part being written.
pub(super) struct PartWriter<'f> {
    folder: &'f Folder,
    shard: u32,
    number: u32,
    out: Option<Compressed>,
    errors: Option<Compressed>,
    /// What is noted of each document to find exact duplicates.
    sightings: Vec<u8>,
    note: Note,
    /// Raw bytes, and some for each item that is no document.
    size: u64,
    full_at: u64,
}

/// An item that is ready to be written.
pub(super) struct Ready {
    /// The document as a record, if it was one.
    pub(super) document: Option<Vec<u8>>,
    sighting: Option<Sighting>,
    text_bytes: u64,
    skipped: Option<String>,
    pub(super) failure: Option<Failure>,
    raw_bytes: u64,
}

impl Ready {
    pub(super) fn new(prepared: Prepared) -> Result<Ready> {
        let Prepared { document, skipped, failure, raw_bytes, .. } = prepared;
        let text_bytes = document.as_ref().map_or(0, |document| document.text().len() as u64);
        let sighting = document.as_ref().and_then(ExactDuplicates::sighting);
        let document = document.map(record::write).transpose()?;
        Ok(Ready { document, sighting, text_bytes, skipped, failure, raw_bytes })
    }

    /// True for a document of which nothing is left.
    pub(super) fn is_removed(&self) -> bool {
        self.document.is_some() && self.sighting.is_none()
    }
}

impl<'f> PartWriter<'f> {
    /// A part that is full after this many raw bytes.
    pub(super) fn new(folder: &'f Folder, shard: u32, number: u32, next: Position, full_at: u64) -> PartWriter<'f> {
        let note = Note {
            next,
            last: false,
            documents: 0,
            text_bytes: 0,
            raw_bytes: 0,
            skipped: BTreeMap::new(),
            failures: 0,
            failed: 0,
        };
        PartWriter { folder, shard, number, out: None, errors: None, sightings: Vec::new(), note, size: 0, full_at }
    }

    pub(super) fn is_full(&self) -> bool {
        self.size >= self.full_at
    }

    pub(super) fn add(&mut self, position: Position, item: Ready) -> Result<()> {
        self.size += item.raw_bytes;
        self.note.next = Position { record: position.record + 1, ..position };
        if let Some(reason) = item.skipped {
            *self.note.skipped.entry(reason).or_default() += 1;
            self.size += ITEM_BYTES;
        }
        if let Some(failure) = &item.failure {
            let errors =
                open_once(&mut self.errors, self.folder, &errors_name(self.shard, self.number), Compression::None)?;
            write_failure(errors, failure)?;
            self.note.failures += 1;
            self.note.failed += u64::from(item.document.is_none());
            // A part with nothing but failures must also end.
            self.size += ITEM_BYTES;
        }
        let Some(document) = item.document else { return Ok(()) };
        self.note.documents += 1;
        self.note.text_bytes += item.text_bytes;
        self.note.raw_bytes += item.raw_bytes;
        if let Some(sighting) = item.sighting {
            sighting.append_to(&mut self.sightings)?;
        }
        let out = open_once(&mut self.out, self.folder, &documents_name(self.shard, self.number), Compression::Zstd)?;
        out.put(&document)
    }

    /// Ends the part; from here on it counts.
    pub(super) fn finish(mut self, last: bool) -> Result<WorkPart> {
        for out in [self.out.take(), self.errors.take()].into_iter().flatten() {
            out.finish()?;
        }
        if !self.sightings.is_empty() {
            write_atomically(&self.folder.work(&digests_name(self.shard, self.number)), &self.sightings)?;
        }
        self.note.last = last;
        write_json(&self.folder.work(&note_name(self.shard, self.number)), &self.note)?;
        Ok(WorkPart { shard: self.shard, number: self.number, note: self.note })
    }
}

/// Bytes that a failure or a skipped item adds to the size of a part.
const ITEM_BYTES: u64 = 256;

/// A file of the work folder that is created only if something is written to it.
fn open_once<'p>(
    out: &'p mut Option<Compressed>,
    folder: &Folder,
    name: &str,
    packing: Compression,
) -> Result<&'p mut Compressed> {
    Ok(match out {
        Some(out) => out,
        none => none.insert(packing.compress_at(Sink::file(&folder.work(name))?, 1)?),
    })
}

/// Writes a failure as a line of JSON.
pub(super) fn write_failure(out: &mut Compressed, failure: &Failure) -> Result<()> {
    let mut line = serde_json::to_vec(failure).map_err(std::io::Error::from)?;
    line.push(b'\n');
    out.put(&line)
}

/// Bytes of documents that are passed on at a time.
const CHUNK_BYTES: usize = 2 << 20;

/// Reads the records of a work part, some at a time, until `each` stops.
pub(super) fn read_records(
    path: &Path,
    each: &mut dyn FnMut(Vec<Vec<u8>>) -> ControlFlow<()>,
) -> Result<ControlFlow<()>> {
    let file = File::open(path).at(path)?;
    let mut reader = BufReader::with_capacity(128 << 10, zstd::stream::read::Decoder::new(file).at(path)?);
    loop {
        let (mut records, mut bytes) = (Vec::new(), 0);
        while bytes < CHUNK_BYTES && !reader.fill_buf().at(path)?.is_empty() {
            let record = record::next(&mut reader).at(path)?;
            bytes += record.len();
            records.push(record);
        }
        if records.is_empty() {
            return Ok(ControlFlow::Continue(()));
        }
        if each(records).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
}

/// A document of a work part.
pub(super) fn read_document(record: &[u8], path: &Path) -> Result<Document> {
    record::read(record).map_err(|message| {
        let error = Error::Damaged { path: path.to_owned(), message };
        error.hint(Hint::option("overwrite", "start again with `overwrite`"))
    })
}

/// A document as bytes. Text is most of it, and is copied as it is: escaping it, as in JSON, takes longer than all the rest.
///
/// ```text
/// length of what follows  8 bytes
/// length of the head      4 bytes
/// length of the blocks    4 bytes
/// head                    JSON of all other fields
/// blocks                  start behind the end of the one before, length, kind, characters in links; as LEB128
/// text                    UTF-8
/// ```
mod record {
    use std::io::{self, Read};

    use crate::document::{Block, BlockKind, Document, Span};
    use crate::error::Result;

    const LENGTHS: usize = 16;

    pub(super) fn write(mut document: Document) -> Result<Vec<u8>> {
        let (text, blocks) = document.take_apart();
        let mut record = vec![0; LENGTHS];
        serde_json::to_writer(&mut record, &document).map_err(io::Error::from)?;
        let head = record.len() - LENGTHS;
        let mut end = 0;
        for block in &blocks {
            let kind = BlockKind::ALL.iter().position(|kind| *kind == block.kind).unwrap_or_default();
            for number in [block.span.start - end, block.span.len(), kind, block.link_chars as usize] {
                put(&mut record, number);
            }
            end = block.span.end;
        }
        let in_blocks = record.len() - LENGTHS - head;
        record.extend_from_slice(text.as_bytes());
        let length = (record.len() - 8) as u64;
        record[..8].copy_from_slice(&length.to_le_bytes());
        record[8..12].copy_from_slice(&(head as u32).to_le_bytes());
        record[12..16].copy_from_slice(&(in_blocks as u32).to_le_bytes());
        Ok(record)
    }

    /// Reads the bytes of the next record, without its length.
    pub(super) fn next(input: &mut impl Read) -> io::Result<Vec<u8>> {
        let mut length = [0; 8];
        input.read_exact(&mut length)?;
        let length = u64::from_le_bytes(length);
        let mut record = Vec::new();
        match input.take(length).read_to_end(&mut record)? as u64 == length {
            true => Ok(record),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    pub(super) fn read(record: &[u8]) -> Result<Document, String> {
        let damaged = || "damaged".to_owned();
        let (head, rest) = record.split_first_chunk().ok_or_else(damaged)?;
        let (in_blocks, rest) = rest.split_first_chunk().ok_or_else(damaged)?;
        let (head, rest) = rest.split_at_checked(u32::from_le_bytes(*head) as usize).ok_or_else(damaged)?;
        let (mut bytes, text) = rest.split_at_checked(u32::from_le_bytes(*in_blocks) as usize).ok_or_else(damaged)?;
        let mut document: Document = serde_json::from_slice(head).map_err(|error| error.to_string())?;
        let (mut blocks, mut end) = (Vec::new(), 0);
        while !bytes.is_empty() {
            let [gap, length, kind, link_chars] = [(); 4].map(|()| take(&mut bytes));
            let start = usize::saturating_add(end, gap);
            end = start.saturating_add(length);
            let kind = BlockKind::ALL.get(kind).copied().ok_or_else(damaged)?;
            blocks.push(Block { span: Span::new(start, end), kind, link_chars: link_chars as u32 });
        }
        let text = String::from_utf8(text.to_vec()).map_err(|error| error.to_string())?;
        if document.put_back(text, blocks) { Ok(document) } else { Err(damaged()) }
    }

    fn put(out: &mut Vec<u8>, mut number: usize) {
        while number >= 0x80 {
            out.push(number as u8 | 0x80);
            number >>= 7;
        }
        out.push(number as u8);
    }

    fn take(bytes: &mut &[u8]) -> usize {
        let (mut number, mut shift) = (0, 0);
        while let Some((byte, rest)) = bytes.split_first() {
            *bytes = rest;
            number |= usize::from(byte & 0x7f) << shift;
            shift = (shift + 7).min(56);
            if *byte < 0x80 {
                break;
            }
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Label, Mark, Reason, Span};

    #[test]
    fn a_document_is_read_as_it_was_written() {
        let mut document = Document::from_text("a", "Eins \u{1f600}\n\nzwei\n\n\ndrei und vier");
        document.marks.push(Mark {
            span: Span::new(0, 9),
            label: Label::Boilerplate,
            pass: "test".into(),
            reason: Reason::Stated("\"".into()),
        });
        document.adopt_pages(vec![0, 11]);
        let written = record::write(document.clone()).expect("a record");
        let record = record::next(&mut &written[..]).expect("the record");
        assert_eq!(record::read(&record), Ok(document));
        for end in 0..record.len() {
            assert!(record::read(&record[..end]).is_err(), "{end}");
        }
        assert!(record::next(&mut &written[..20]).is_err());
    }

    #[test]
    fn shards_cover_the_inputs_in_order() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["a", "b", "c"] {
            std::fs::write(folder.path().join(name), "x").expect("a file");
        }
        let (inputs, _) = InputFiles::expand([folder.path().to_string_lossy().as_ref(), "-"]);
        assert_eq!(shards(&inputs), [Shard { number: 0, inputs: 0..4 }]);
        let (inputs, _) = InputFiles::expand(["-", folder.path().to_string_lossy().as_ref()]);
        assert_eq!(shards(&inputs).len(), 2, "an input of unknown size has its own shard");
        assert_eq!(shards(&InputFiles::default()), []);
    }
}
