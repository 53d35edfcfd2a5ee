//! A segment of a library on disk: sorted n-grams with the documents they occur in, the documents, and their texts.
//!
//! A segment is written once and never changed. Its n-grams are sorted entries of twelve bytes. One entry in every
//! [`STEP`] is kept in memory, so that finding an n-gram reads only a few kilobytes.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::disk::platform::FileExt;
use crate::disk::runs::Cursor;
use crate::document::Span;
use crate::error::{Error, IoContext, Result};
use crate::text::Digest;

/// Bytes of an entry: the hash of an n-gram, and the number of a document.
const ENTRY: usize = 12;
/// One entry in this many is kept in memory.
const STEP: usize = 256;
/// The maximum number of threads that look up n-grams.
const READERS: usize = 16;
/// The minimum number of n-grams for each thread.
const PART: usize = 64;
/// The compression level of texts.
const LEVEL: i32 = 3;
/// The files of a segment.
pub(super) const FILES: [&str; 4] = ["grams", "steps", "documents", "texts"];
const GRAMS: usize = 0;
const STEPS: usize = 1;
const DOCUMENTS: usize = 2;
const TEXTS: usize = 3;

/// A document of a library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LibrarySource {
    /// Its id.
    pub id: String,
    /// Its address, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The number of words.
    pub words: u64,
    /// The number of distinct n-grams.
    pub grams: usize,
    /// Its language, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Where its pages begin, in code points.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pages: Vec<u64>,
    /// Ranges that do not count: lists of references.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) left_out: Vec<Span>,
    /// A digest of its text.
    pub(super) digest: String,
    /// The offset of its text.
    pub(super) start: u64,
    pub(super) length: u64,
}

impl LibrarySource {
    /// Its display name: its address, or else its id.
    pub fn name(&self) -> &str {
        self.url.as_deref().unwrap_or(&self.id)
    }
}

/// Names and digests of the files of a segment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct SegmentNote {
    /// The name of its files, without extensions.
    pub(super) name: String,
    /// The number of its documents.
    pub(super) documents: usize,
    /// The number of its entries.
    pub(super) entries: u64,
    /// The digests of the files, in the order of [`FILES`].
    pub(super) digests: Vec<String>,
    /// Documents that were removed, in ascending order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) removed: Vec<u32>,
}

pub(super) fn path_of(folder: &Path, name: &str, file: &str) -> PathBuf {
    folder.join(format!("{name}.{file}"))
}

/// A file whose digest is computed as it is written.
struct Digested {
    path: PathBuf,
    file: BufWriter<File>,
    digest: Digest,
    bytes: u64,
}

impl Digested {
    fn create(path: PathBuf) -> Result<Digested> {
        let file = BufWriter::with_capacity(1 << 20, File::create(&path).at(&path)?);
        Ok(Digested { path, file, digest: Digest::default(), bytes: 0 })
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.digest.update(bytes);
        self.bytes += bytes.len() as u64;
        self.file.write_all(bytes).at(&self.path)
    }

    /// Syncs the file to disk. Returns its digest.
    fn finish(mut self) -> Result<String> {
        self.file.flush().at(&self.path)?;
        self.file.get_ref().sync_all().at(&self.path)?;
        Ok(self.digest.hex())
    }
}

/// A segment being written.
pub(super) struct SegmentWriter {
    name: String,
    grams: Digested,
    steps: Digested,
    documents: Digested,
    texts: Digested,
    count: usize,
    entries: u64,
}

impl SegmentWriter {
    pub(super) fn create(folder: &Path, name: &str) -> Result<SegmentWriter> {
        let [grams, steps, documents, texts] = FILES.map(|file| Digested::create(path_of(folder, name, file)));
        Ok(SegmentWriter {
            name: name.to_owned(),
            grams: grams?,
            steps: steps?,
            documents: documents?,
            texts: texts?,
            count: 0,
            entries: 0,
        })
    }

    /// Adds a document with its compressed text. Returns its number.
    pub(super) fn add_packed(&mut self, mut source: LibrarySource, packed: &[u8]) -> Result<u32> {
        (source.start, source.length) = (self.texts.bytes, packed.len() as u64);
        self.texts.put(packed)?;
        let line = serde_json::to_string(&source).map_err(std::io::Error::from)? + "\n";
        self.documents.put(line.as_bytes())?;
        self.count += 1;
        Ok(self.count as u32 - 1)
    }

    /// Adds a document.
    pub(super) fn add(&mut self, source: LibrarySource, text: &str) -> Result<u32> {
        let packed = zstd::bulk::compress(text.as_bytes(), LEVEL)?;
        self.add_packed(source, &packed)
    }

    /// Adds an n-gram of a document, in ascending order.
    pub(super) fn put(&mut self, gram: u64, document: u32) -> Result<()> {
        if self.entries.is_multiple_of(STEP as u64) {
            self.steps.put(&gram.to_le_bytes())?;
        }
        self.grams.put(&gram.to_le_bytes())?;
        self.grams.put(&document.to_le_bytes())?;
        self.entries += 1;
        Ok(())
    }

    pub(super) fn finish(self) -> Result<SegmentNote> {
        let digests = [self.grams, self.steps, self.documents, self.texts].map(Digested::finish);
        Ok(SegmentNote {
            name: self.name,
            documents: self.count,
            entries: self.entries,
            digests: digests.into_iter().collect::<Result<_>>()?,
            removed: Vec::new(),
        })
    }
}

/// The result of looking up n-grams in a segment.
#[derive(Default)]
pub(super) struct Found {
    /// Whether the segment contains each n-gram.
    pub(super) here: Vec<bool>,
    /// How many of the n-grams each document contains, without zeros.
    pub(super) counts: HashMap<u32, usize>,
}

/// A segment opened for reading. Its files stay open, so they can be read even if a merge deletes them meanwhile.
pub(super) struct Segment {
    folder: PathBuf,
    pub(super) note: SegmentNote,
    /// In the order of [`FILES`].
    files: [File; 4],
    steps: Vec<u64>,
    pub(super) sources: Vec<LibrarySource>,
}

impl Segment {
    pub(super) fn open(folder: &Path, note: SegmentNote) -> Result<Segment> {
        let path = |file: &str| path_of(folder, &note.name, file);
        let [grams, steps, documents, texts] = FILES.map(|file| File::open(path(file)).at(&path(file)));
        let files = [grams?, steps?, documents?, texts?];
        let length = |file: usize| Ok::<u64, Error>(files[file].metadata().at(&path(FILES[file]))?.len());
        let read = |file: usize| {
            let mut bytes = vec![0; length(file)? as usize];
            files[file].read_exact_at(&mut bytes, 0).at(&path(FILES[file])).map(|()| bytes)
        };
        let steps: Vec<u64> = read(STEPS)?.as_chunks().0.iter().map(|step| u64::from_le_bytes(*step)).collect();
        let documents = read(DOCUMENTS)?;
        let lines = documents.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let damaged = |message: String| Error::Damaged { path: path(FILES[DOCUMENTS]), message };
        let sources: Vec<LibrarySource> = lines
            .map(|line| serde_json::from_slice(line).map_err(|error| damaged(error.to_string())))
            .collect::<Result<_>>()?;
        if note.digests.len() != FILES.len() {
            let message = format!("the list of the library has no digests of segment {}", note.name);
            return Err(Error::Damaged { path: folder.to_owned(), message });
        }
        if sources.len() != note.documents {
            return Err(damaged(format!("contains {} documents instead of {}", sources.len(), note.documents)));
        }
        let (length_of_texts, length_of_grams) = (length(TEXTS)?, length(GRAMS)?);
        let beyond =
            |source: &LibrarySource| source.start.checked_add(source.length).is_none_or(|end| end > length_of_texts);
        if sources.iter().any(beyond) {
            return Err(damaged("names texts that do not exist".into()));
        }
        if note.entries.checked_mul(ENTRY as u64) != Some(length_of_grams)
            || steps.len() as u64 != note.entries.div_ceil(STEP as u64)
        {
            return Err(Error::Damaged { path: path(FILES[GRAMS]), message: "has the wrong length".into() });
        }
        Ok(Segment { files, folder: folder.to_owned(), note, steps, sources })
    }

    fn path(&self, file: usize) -> PathBuf {
        path_of(&self.folder, &self.note.name, FILES[file])
    }

    /// The number of the document with this id and text, if the segment contains it.
    pub(super) fn number_of(&self, id: &str, digest: &str) -> Option<u32> {
        let numbered = self.sources.iter().zip(0..).filter(|(_, number)| !self.is_removed(*number));
        numbered.filter(|(source, _)| source.id == id && source.digest == digest).map(|(_, number)| number).next()
    }

    pub(super) fn is_removed(&self, document: u32) -> bool {
        self.note.removed.binary_search(&document).is_ok()
    }

    /// Looks up n-grams, which are in ascending order, in all documents except `without`.
    pub(super) fn find(&self, grams: &[u64], without: Option<u32>) -> Result<Found> {
        let part = grams.len().div_ceil(READERS).max(PART);
        if grams.len() <= part {
            return self.find_part(grams, without);
        }
        // The n-grams are far apart on disk. Each lookup waits for the disk, so let several threads wait at the same time.
        let parts: Result<Vec<Found>> = std::thread::scope(|scope| {
            let start = |grams| std::thread::Builder::new().spawn_scoped(scope, move || self.find_part(grams, without));
            let readers = grams.chunks(part).map(start).collect::<std::io::Result<Vec<_>>>()?;
            let end = |reader: std::thread::ScopedJoinHandle<'_, Result<Found>>| {
                reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            readers.into_iter().map(end).collect()
        });
        let mut found = Found::default();
        for part in parts? {
            found.here.extend(part.here);
            for (document, count) in part.counts {
                *found.counts.entry(document).or_default() += count;
            }
        }
        Ok(found)
    }

    fn find_part(&self, grams: &[u64], without: Option<u32>) -> Result<Found> {
        let mut found = Found { here: vec![false; grams.len()], counts: HashMap::new() };
        let path = self.path(GRAMS);
        let mut block = Vec::new();
        let mut at_step = usize::MAX;
        for (number, gram) in grams.iter().enumerate() {
            // The entries of an n-gram may begin in the step before the first one that begins with it.
            let mut step = self.steps.partition_point(|step| step < gram).saturating_sub(1);
            while step < self.steps.len() && self.steps[step] <= *gram {
                if at_step != step {
                    let start = (step * STEP) as u64;
                    let entries = (self.note.entries - start).min(STEP as u64) as usize;
                    block.resize(entries * ENTRY, 0);
                    self.files[GRAMS].read_exact_at(&mut block, start * ENTRY as u64).at(&path)?;
                    at_step = step;
                }
                let entries = block.as_chunks::<ENTRY>().0;
                let first = entries.partition_point(|entry| gram_of(entry) < *gram);
                for entry in entries[first..].iter().take_while(|entry| gram_of(entry) == *gram) {
                    let document = u32::from_le_bytes([entry[8], entry[9], entry[10], entry[11]]);
                    if document as usize >= self.sources.len() {
                        let message = "names a document that does not exist; run `refrain library verify`".into();
                        return Err(Error::Damaged { path, message });
                    }
                    if !self.is_removed(document) && Some(document) != without {
                        found.here[number] = true;
                        *found.counts.entry(document).or_default() += 1;
                    }
                }
                step += 1;
            }
        }
        Ok(found)
    }

    /// The compressed text of a document.
    pub(super) fn packed(&self, document: u32) -> Result<Vec<u8>> {
        let source = &self.sources[document as usize];
        let mut packed = vec![0; source.length as usize];
        self.files[TEXTS].read_exact_at(&mut packed, source.start).at(&self.path(TEXTS))?;
        Ok(packed)
    }

    /// The text of a document, verified against its digest.
    pub(super) fn text(&self, document: u32) -> Result<String> {
        let source = &self.sources[document as usize];
        let unpacked = zstd::stream::decode_all(self.packed(document)?.as_slice()).ok();
        let text = unpacked.and_then(|text| String::from_utf8(text).ok());
        let fits = |text: &String| {
            let is_part = |span: &Span| text.get(span.start..span.end).is_some();
            source.digest == digest_of(text) && source.left_out.iter().all(is_part)
        };
        text.filter(fits).ok_or_else(|| {
            let message = format!("the text of `{}` is damaged; remove it and add it again", source.id);
            Error::Damaged { path: self.path(TEXTS), message }
        })
    }

    /// All entries, in order.
    pub(super) fn entries(&self) -> Result<Entries> {
        let path = self.path(GRAMS);
        let file = BufReader::with_capacity(1 << 20, File::open(&path).at(&path)?);
        Ok(Entries { path, file, left: self.note.entries, gram: 0, document: 0 })
    }

    /// Compares the files and the texts with their digests. The texts of removed documents are not checked.
    pub(super) fn verify(&self) -> Result<()> {
        let mut chunk = vec![0; 1 << 20];
        for (file, expected) in self.note.digests.iter().enumerate().take(TEXTS) {
            let mut digest = Digest::default();
            let mut at = 0;
            loop {
                match self.files[file].read_at(&mut chunk, at).at(&self.path(file))? {
                    0 => break,
                    length => {
                        digest.update(&chunk[..length]);
                        at += length as u64;
                    }
                }
            }
            if digest.hex() != *expected {
                let message =
                    "damaged content; restore the file from a backup, or add the sources to a new folder".into();
                return Err(Error::Damaged { path: self.path(file), message });
            }
        }
        let mut left = (0..self.sources.len() as u32).filter(|document| !self.is_removed(*document));
        left.try_for_each(|document| self.text(document).map(drop))
    }
}

/// The digest of the text of a source.
pub(super) fn digest_of(text: &str) -> String {
    let mut digest = Digest::default();
    digest.update(text.as_bytes());
    digest.hex()
}

fn gram_of(entry: &[u8; ENTRY]) -> u64 {
    let [gram @ .., _, _, _, _] = entry;
    u64::from_le_bytes(*gram)
}

/// Entries of a segment, one after the other.
pub(super) struct Entries {
    path: PathBuf,
    file: BufReader<File>,
    left: u64,
    /// The current entry: an n-gram, and the number of a document.
    gram: u64,
    pub(super) document: u32,
}

impl Cursor for Entries {
    type Key = u64;

    fn key(&self) -> &u64 {
        &self.gram
    }

    fn advance(&mut self) -> Result<bool> {
        if self.left == 0 {
            return Ok(false);
        }
        let mut entry = [0; ENTRY];
        self.file.read_exact(&mut entry).at(&self.path)?;
        self.left -= 1;
        self.gram = gram_of(&entry);
        self.document = u32::from_le_bytes([entry[8], entry[9], entry[10], entry[11]]);
        Ok(true)
    }
}
