//! Work parts: marked documents between the phases of a run. A part counts once its note exists.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::ops::ControlFlow;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::folder::{Folder, read_json, write_json};
use crate::document::{Document, Position};
use crate::error::{Error, Failure, Hint, IoContext, Result};
use crate::prepare::Prepared;
use crate::source::InputFiles;
use crate::stats::Account;
use crate::write::{Compressed, Compression, Sink};

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
}

fn documents_name(shard: u32, number: u32) -> String {
    format!("{shard:06}-{number:06}.jsonl.zst")
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
    note: Note,
    raw_bytes: u64,
    full_at: u64,
}

/// An item that is ready to be written.
pub(super) struct Ready {
    /// The document as a line of JSON, if it was one.
    pub(super) document: Option<Vec<u8>>,
    text_bytes: u64,
    skipped: Option<String>,
    pub(super) failure: Option<Failure>,
    raw_bytes: u64,
}

impl Ready {
    pub(super) fn new(prepared: Prepared) -> Result<Ready> {
        let Prepared { document, skipped, failure, raw_bytes, .. } = prepared;
        let text_bytes = document.as_ref().map_or(0, |document| document.text().len() as u64);
        let line = |document: Document| {
            let mut line = serde_json::to_vec(&document).map_err(std::io::Error::from)?;
            line.push(b'\n');
            Ok::<_, Error>(line)
        };
        Ok(Ready { document: document.map(line).transpose()?, text_bytes, skipped, failure, raw_bytes })
    }
}

impl<'f> PartWriter<'f> {
    /// A part that is full after this many raw bytes.
    pub(super) fn new(folder: &'f Folder, shard: u32, number: u32, next: Position, full_at: u64) -> PartWriter<'f> {
        let note =
            Note { next, last: false, documents: 0, text_bytes: 0, skipped: BTreeMap::new(), failures: 0, failed: 0 };
        PartWriter { folder, shard, number, out: None, errors: None, note, raw_bytes: 0, full_at }
    }

    pub(super) fn is_full(&self) -> bool {
        self.raw_bytes >= self.full_at
    }

    pub(super) fn add(&mut self, position: Position, item: Ready) -> Result<()> {
        self.raw_bytes += item.raw_bytes;
        self.note.next = Position { record: position.record + 1, ..position };
        if let Some(reason) = item.skipped {
            *self.note.skipped.entry(reason).or_default() += 1;
            self.raw_bytes += ITEM_BYTES;
        }
        if let Some(failure) = &item.failure {
            let errors =
                open_once(&mut self.errors, self.folder, &errors_name(self.shard, self.number), Compression::None)?;
            write_failure(errors, failure)?;
            self.note.failures += 1;
            self.note.failed += u64::from(item.document.is_none());
            // A part with nothing but failures must also end.
            self.raw_bytes += ITEM_BYTES;
        }
        let Some(document) = item.document else { return Ok(()) };
        self.note.documents += 1;
        self.note.text_bytes += item.text_bytes;
        let out = open_once(&mut self.out, self.folder, &documents_name(self.shard, self.number), Compression::Zstd)?;
        out.put(&document)
    }

    /// Ends the part; from here on it counts.
    pub(super) fn finish(mut self, last: bool) -> Result<WorkPart> {
        for out in [self.out.take(), self.errors.take()].into_iter().flatten() {
            out.finish()?;
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

/// Reads the documents of a work part.
pub(super) fn read_part(path: &Path, mut each: impl FnMut(Document) -> Result<()>) -> Result<()> {
    let mut result = Ok(());
    read_lines(path, &mut |lines| {
        result = lines.iter().try_for_each(|line| each(read_document(line, path)?));
        if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    result
}

/// Bytes of documents that are passed on at a time.
const CHUNK_BYTES: usize = 2 << 20;

/// Reads the documents of a work part as they are written, some at a time, until `each` stops.
pub(super) fn read_lines(path: &Path, each: &mut dyn FnMut(Vec<Vec<u8>>) -> ControlFlow<()>) -> Result<()> {
    let file = File::open(path).at(path)?;
    let mut reader = BufReader::with_capacity(128 << 10, zstd::stream::read::Decoder::new(file).at(path)?);
    loop {
        let (mut lines, mut bytes) = (Vec::new(), 0);
        while bytes < CHUNK_BYTES {
            let mut line = Vec::new();
            if reader.read_until(b'\n', &mut line).at(path)? == 0 {
                break;
            }
            bytes += line.len();
            lines.push(line);
        }
        if lines.is_empty() || each(lines).is_break() {
            return Ok(());
        }
    }
}

/// A document of a work part.
pub(super) fn read_document(line: &[u8], path: &Path) -> Result<Document> {
    serde_json::from_slice(line).map_err(|error| {
        let error = Error::Damaged { path: path.to_owned(), message: error.to_string() };
        error.hint(Hint::option("overwrite", "start again with `overwrite`"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
