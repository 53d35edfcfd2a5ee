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
use crate::text::TextDigest;
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
        let digest = sighting.as_ref().map(Sighting::digest);
        let document = document.map(|document| record::write(document, digest)).transpose()?;
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

/// A document of a work part, and the digest of what its marks leave, if they leave something.
pub(super) fn read_document(record: &[u8], path: &Path) -> Result<(Document, Option<TextDigest>)> {
    record::read(record).map_err(|message| {
        let error = Error::Damaged { path: path.to_owned(), message };
        error.hint(Hint::option("overwrite", "start again with `overwrite`"))
    })
}

/// A document as bytes. Text is most of it, and is copied as it is: escaping it, as in JSON, takes longer than all the rest. A page
/// has a hundred marks that differ in range and probability only, so what else is in them is written once.
///
/// ```text
/// length of what follows  8 bytes
/// length of the head      4 bytes
/// length of the kinds     4 bytes
/// length of the marks     4 bytes
/// length of the blocks    4 bytes
/// digest of what is left  1 byte: 1 if something is left; 16 bytes
/// head                    JSON of all other fields
/// kinds                   JSON of marks without range and probability
/// marks                   start, length, number of its kind, as LEB128; probability, 8 bytes if its kind has one
/// blocks                  start behind the end of the one before, length, kind, characters in links; as LEB128
/// text                    UTF-8
/// ```
mod record {
    use std::io::{self, Read};

    use crate::document::{Block, BlockKind, Document, Mark, Reason, Span};
    use crate::error::Result;
    use crate::text::TextDigest;

    /// The length of all that follows, and four others.
    const LENGTHS: usize = 24;
    const DIGEST: usize = 17;
    /// The last kinds, which a mark is compared with: where all marks differ, comparing them with each other would take long.
    const KINDS: usize = 16;

    pub(super) fn write(mut document: Document, digest: Option<TextDigest>) -> Result<Vec<u8>> {
        let (text, blocks) = document.take_apart();
        let (kinds, marks) = apart(std::mem::take(&mut document.marks));
        let mut record = vec![0; LENGTHS];
        record.push(u8::from(digest.is_some()));
        record.extend(digest.map_or([0; 16], |digest| digest.0));
        let mut at = record.len();
        let mut part = |record: &[u8]| {
            let length = (record.len() - at) as u32;
            at = record.len();
            length.to_le_bytes()
        };
        serde_json::to_writer(&mut record, &document).map_err(io::Error::from)?;
        let in_head = part(&record);
        serde_json::to_writer(&mut record, &kinds).map_err(io::Error::from)?;
        let in_kinds = part(&record);
        record.extend_from_slice(&marks);
        let in_marks = part(&record);
        let mut end = 0;
        for block in &blocks {
            let kind = BlockKind::ALL.iter().position(|kind| *kind == block.kind).unwrap_or_default();
            for number in [block.span.start - end, block.span.len(), kind, block.link_chars as usize] {
                put(&mut record, number);
            }
            end = block.span.end;
        }
        let in_blocks = part(&record);
        record.extend_from_slice(text.as_bytes());
        let length = (record.len() - 8) as u64;
        record[..8].copy_from_slice(&length.to_le_bytes());
        for (number, length) in [in_head, in_kinds, in_marks, in_blocks].iter().enumerate() {
            record[8 + 4 * number..12 + 4 * number].copy_from_slice(length);
        }
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

    /// The kinds of marks, and the bytes of the marks.
    fn apart(marks: Vec<Mark>) -> (Vec<Mark>, Vec<u8>) {
        let (mut kinds, mut bytes) = (Vec::<Mark>::new(), Vec::new());
        for mut mark in marks {
            let span = std::mem::replace(&mut mark.span, Span::new(0, 0));
            let probability = match &mut mark.reason {
                Reason::Judged { probability: Some(probability), .. } => Some(std::mem::take(probability)),
                _ => None,
            };
            let near = kinds.len().saturating_sub(KINDS);
            let known = kinds[near..].iter().rposition(|kind| *kind == mark);
            let kind = near + known.unwrap_or(kinds.len() - near);
            if known.is_none() {
                kinds.push(mark);
            }
            for number in [span.start, span.len(), kind] {
                put(&mut bytes, number);
            }
            bytes.extend(probability.map(f64::to_le_bytes).into_iter().flatten());
        }
        (kinds, bytes)
    }

    fn together(kinds: &[Mark], mut bytes: &[u8]) -> Option<Vec<Mark>> {
        let mut marks = Vec::new();
        while !bytes.is_empty() {
            let [start, length, kind] = [(); 3].map(|()| take(&mut bytes));
            let mut mark = Mark { span: Span::new(start, start.saturating_add(length)), ..kinds.get(kind)?.clone() };
            if let Reason::Judged { probability: Some(probability), .. } = &mut mark.reason {
                let (first, rest) = bytes.split_first_chunk()?;
                (*probability, bytes) = (f64::from_le_bytes(*first), rest);
            }
            marks.push(mark);
        }
        Some(marks)
    }

    pub(super) fn read(record: &[u8]) -> Result<(Document, Option<TextDigest>), String> {
        let damaged = || "damaged".to_owned();
        let (lengths, rest) = record.split_at_checked(LENGTHS - 8).ok_or_else(damaged)?;
        let (digest, mut rest) = rest.split_first_chunk::<DIGEST>().ok_or_else(damaged)?;
        let mut parts = [&rest[..0]; 4];
        for (part, length) in parts.iter_mut().zip(lengths.as_chunks().0) {
            (*part, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or_else(damaged)?;
        }
        let ([head, kinds, marks, mut bytes], text) = (parts, rest);
        let mut document: Document = serde_json::from_slice(head).map_err(|error| error.to_string())?;
        let kinds: Vec<Mark> = serde_json::from_slice(kinds).map_err(|error| error.to_string())?;
        document.marks = together(&kinds, marks).ok_or_else(damaged)?;
        let (mut blocks, mut end) = (Vec::new(), 0);
        while !bytes.is_empty() {
            let [gap, length, kind, link_chars] = [(); 4].map(|()| take(&mut bytes));
            let start = usize::saturating_add(end, gap);
            end = start.saturating_add(length);
            let kind = BlockKind::ALL.get(kind).copied().ok_or_else(damaged)?;
            blocks.push(Block { span: Span::new(start, end), kind, link_chars: link_chars as u32 });
        }
        let text = String::from_utf8(text.to_vec()).map_err(|error| error.to_string())?;
        let [is_left, digest @ ..] = *digest;
        match document.put_back(text, blocks) {
            true => Ok((document, (is_left == 1).then_some(TextDigest(digest)))),
            false => Err(damaged()),
        }
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
        let judged = |(number, rule): (usize, &'static str)| Mark {
            span: Span::new(number, number + 1),
            label: Label::Boilerplate,
            pass: "extract".into(),
            reason: Reason::Judged { rule: rule.into(), probability: (number > 1).then_some(number as f64 / 7.0) },
        };
        document.marks.extend(["a", "b", "a", "a", "b"].into_iter().enumerate().map(judged));
        document.adopt_pages(vec![0, 11]);
        let digest = Some(TextDigest::of(document.text()));
        let written = record::write(document.clone(), digest).expect("a record");
        let record = record::next(&mut &written[..]).expect("the record");
        assert_eq!(record::read(&record), Ok((document.clone(), digest)));
        let without = record::write(document.clone(), None).expect("a record");
        assert_eq!(record::read(&without[8..]), Ok((document, None)));
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
