//! A library of sources that documents are checked against: an index that stays on disk.
//!
//! A library is a folder. `library.json` names its segments. Every change replaces that file as a whole, after all
//! files it names are safely on disk. A crash therefore leaves the library as it was either before or after the change.
//! One program at a time may change it; any number may read.

mod segment;

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::comparison::{AlignableText, CompareOptions, PreparedDocument, SharedPassage, passages};
use super::fingerprint::{FingerprintOptions, Scores};
use super::rules::WordRule;
pub use segment::LibrarySource;
use segment::{FILES, Segment, SegmentNote, SegmentWriter, digest_of, path_of};

use crate::disk::atomic::{open_lock, sync_folder, write_atomically};
use crate::disk::runs::{self, Cursor};
use crate::document::Span;
use crate::error::{Error, IoContext, Result};

/// The version of the library format.
const VERSION: u32 = 1;
const NOTE: &str = "library.json";
/// The name of the note until it is complete.
const NEW_NOTE: &str = ".library.json.partial";
const LOCK: &str = "lock";
/// With more segments than this, all are merged.
const MOST_SEGMENTS: usize = 12;
/// Bytes of an n-gram that waits to be written to a segment.
const WAITING: u64 = 16;

/// `library.json`, which names the segments of a library.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct LibraryNote {
    /// The version of the layout.
    refrain_library: u32,
    /// What counts as a word.
    tokens: String,
    /// The number of words in an n-gram.
    ngram: usize,
    /// The number of the next segment.
    next: u64,
    /// The segments, in the order in which they were added.
    segments: Vec<SegmentNote>,
}

impl LibraryNote {
    fn read(folder: &Path) -> Result<LibraryNote> {
        let path = folder.join(NOTE);
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && has_segments(folder) => {
                let message = format!(
                    "the file {NOTE} of this library is missing; restore it from a backup, or add the sources to a new folder"
                );
                return Err(Error::Damaged { path: folder.to_owned(), message });
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let folder = folder.display();
                return Err(Error::Refused(format!(
                    "{folder} is not a library; adding sources to a new folder creates one"
                )));
            }
            read => read.at(&path)?,
        };
        let damaged = |message: String| Error::Damaged { path: path.clone(), message };
        let any: serde_json::Value = serde_json::from_slice(&bytes).map_err(|error| {
            damaged(format!(
                "the file is damaged ({error}); restore it from a backup, or add the sources to a new folder"
            ))
        })?;
        match any["refrain_library"].as_u64() {
            Some(version) if version == u64::from(VERSION) => {}
            Some(version) => {
                let message = format!(
                    "this library has version {version} of the form of libraries, this refrain knows version {VERSION}; use the \
                     refrain that made it, or make it anew in another folder"
                );
                return Err(Error::Unusable { path: folder.to_owned(), message });
            }
            None => return Err(damaged("not the list of a library".into())),
        }
        serde_json::from_value(any).map_err(|error| damaged(error.to_string()))
    }

    /// Replaces the note atomically and durably.
    fn write(&self, folder: &Path) -> Result<()> {
        let bytes = serde_json::to_vec_pretty(self).map_err(std::io::Error::from)?;
        // The files it names must be durable first.
        sync_folder(Some(folder))?;
        write_atomically(&folder.join(NOTE), &bytes)
    }

    fn fingerprints(&self) -> Result<FingerprintOptions> {
        let rule = WordRule::ALL.into_iter().find(|rule| rule.name() == self.tokens);
        let rule = rule.ok_or_else(|| Error::Refused(format!("unknown tokens `{}` in this library", self.tokens)))?;
        Ok(FingerprintOptions { rule, ngram: self.ngram })
    }
}

/// A library opened for reading.
pub struct LibraryReader {
    segments: Vec<Segment>,
    fingerprints: FingerprintOptions,
}

/// A source that shares text with a document.
#[derive(Debug, Clone)]
pub struct Match {
    /// The source.
    pub source: LibrarySource,
    /// How much they share; `a` is the document, `b` the source.
    pub scores: Scores,
    /// The passages they share.
    pub passages: Vec<SharedPassage>,
    /// The text of the source.
    pub text: String,
    /// True if the source is the document itself: same id, same text.
    pub itself: bool,
}

/// The result of checking a document.
#[derive(Debug, Clone)]
pub struct Checked {
    /// The share of its n-grams that occur in any source: its containment in the library.
    pub containment: f64,
    /// The number of its n-grams that occur in any source.
    pub shared: usize,
    /// The number of its n-grams.
    pub grams: usize,
    /// The sources, the highest containment first.
    pub sources: Vec<Match>,
}

/// Which sources a check reports.
#[derive(Debug, Clone, Copy)]
pub struct CheckOptions {
    /// The minimum share of the document that a source contains.
    pub containment: f64,
    /// The maximum number of sources.
    pub most: usize,
    /// Ignore the document itself if it is in the library with the same id and text.
    pub others: bool,
}

impl Default for CheckOptions {
    fn default() -> Self {
        CheckOptions { containment: 0.02, most: 20, others: false }
    }
}

/// A source that shares n-grams: its scores, its segment, and its number there.
type Found = (Scores, usize, u32);

impl LibraryReader {
    /// Opens a library.
    ///
    /// ```
    /// use refrain::Document;
    /// use refrain::compare::{CheckOptions, CompareOptions, ExcludedText, LibraryReader, LibraryWriter, PreparedDocument};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let options = CompareOptions::default();
    /// let document = |id: &str, text: &str| PreparedDocument::of(Document::from_text(id, text), &options, &ExcludedText::default());
    /// let mut writer = LibraryWriter::open(folder.path(), &options)?;
    /// writer.add(document("rules", "The keeper on watch shall not leave the lantern room while the light is burning."))?;
    /// writer.commit()?;
    ///
    /// let library = LibraryReader::open(folder.path())?;
    /// let mine = document("mine", "He shall not leave the lantern room while the light is burning, they say.");
    /// let checked = library.check(&mine, &CheckOptions::default(), &options)?;
    /// assert_eq!(checked.sources[0].source.id, "rules");
    /// assert!(checked.containment > 0.5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open(folder: &Path) -> Result<LibraryReader> {
        let mut tries = 0;
        loop {
            let note = LibraryNote::read(folder)?;
            let fingerprints = note.fingerprints()?;
            let opened: Result<Vec<Segment>> =
                note.segments.into_iter().map(|segment| Segment::open(folder, segment)).collect();
            match opened {
                // Another program merged segments since the note was read.
                Err(Error::Io { error, .. }) if error.kind() == std::io::ErrorKind::NotFound && tries < 5 => tries += 1,
                Err(Error::Io { path, error }) if error.kind() == std::io::ErrorKind::NotFound => {
                    let message = "a file of this library is missing; restore it from a backup, or add the sources to a new folder";
                    return Err(Error::Damaged { path, message: message.into() });
                }
                opened => return Ok(LibraryReader { segments: opened?, fingerprints }),
            }
        }
    }

    /// Opens a library, or an empty one with these options if the folder does not contain one yet.
    pub fn open_or_empty(folder: &Path, fingerprints: FingerprintOptions) -> Result<LibraryReader> {
        if !folder.join(NOTE).exists() && !has_segments(folder) {
            return Ok(LibraryReader { segments: Vec::new(), fingerprints });
        }
        LibraryReader::open(folder)
    }

    /// How the library computes fingerprints.
    pub fn fingerprints(&self) -> FingerprintOptions {
        self.fingerprints
    }

    /// The sources, in the order in which they were added.
    pub fn sources(&self) -> impl Iterator<Item = &LibrarySource> {
        self.segments.iter().flat_map(|segment| {
            let all = segment.sources.iter().zip(0..);
            all.filter(|(_, number)| !segment.is_removed(*number)).map(|(source, _)| source)
        })
    }

    /// Checks a document against the library. A source with its id and its text is the document itself, and is marked
    /// as such.
    pub fn check(
        &self,
        prepared: &PreparedDocument,
        check: &CheckOptions,
        options: &CompareOptions,
    ) -> Result<Checked> {
        let grams = prepared.fingerprint().grams();
        let (shared, found) = self.find(prepared, check)?;
        let rule = options.fingerprints.rule;
        let align = options.passages.as_ref().filter(|_| !found.is_empty());
        let own = align.map(|align| (AlignableText::of_document(prepared, rule), align));
        let mut sources = Vec::new();
        for (scores, at, document) in found {
            let segment = &self.segments[at];
            let source = segment.sources[document as usize].clone();
            let text = segment.text(document)?;
            let other = || AlignableText::of(&text, &source.left_out, source.language.as_deref(), rule);
            let passages = own.as_ref().map(|(own, align)| passages(own, &other(), align)).unwrap_or_default();
            let itself = source.id == prepared.id && text == *prepared.text;
            sources.push(Match { source, scores, passages, text, itself });
        }
        let containment = if grams.is_empty() { 0.0 } else { shared as f64 / grams.len() as f64 };
        Ok(Checked { containment, shared, grams: grams.len(), sources })
    }

    /// The number of n-grams of a document that occur in any source, and the sources that contain the most of them.
    fn find(&self, prepared: &PreparedDocument, check: &CheckOptions) -> Result<(usize, Vec<Found>)> {
        let grams = prepared.fingerprint().grams();
        let itself = check.others.then(|| (prepared.id.as_str(), digest_of(&prepared.text)));
        let mut anywhere = vec![false; grams.len()];
        let mut found = Vec::new();
        for (at, segment) in self.segments.iter().enumerate() {
            let itself = itself.as_ref().and_then(|(id, digest)| segment.number_of(id, digest));
            let shared = segment.find(grams, itself)?;
            anywhere.iter_mut().zip(shared.here).for_each(|(anywhere, here)| *anywhere |= here);
            let scores = |(document, shared): (u32, usize)| {
                let scores = Scores::of(grams.len(), segment.sources[document as usize].grams, shared);
                (scores.a_in_b >= check.containment).then_some((scores, at, document))
            };
            found.extend(shared.counts.into_iter().filter_map(scores));
        }
        found.sort_by_key(|(scores, segment, document)| (Reverse(scores.shared), *segment, *document));
        found.truncate(check.most);
        Ok((anywhere.iter().filter(|found| **found).count(), found))
    }

    /// Verifies that all files are unchanged.
    pub fn verify(&self) -> Result<()> {
        self.segments.iter().try_for_each(Segment::verify)
    }
}

/// A library opened for writing, by one program at a time.
pub struct LibraryWriter {
    folder: PathBuf,
    note: LibraryNote,
    /// Held to keep other programs from writing.
    _lock: File,
    memory: u64,
    /// The segment that documents are added to.
    open: Option<OpenSegment>,
    added: Vec<SegmentNote>,
    /// The location of each id: its segment, counting those in the note and then those added, and its number there.
    places: HashMap<String, (usize, u32, String)>,
}

/// A segment that documents are added to.
struct OpenSegment {
    writer: SegmentWriter,
    /// N-grams of its documents.
    waiting: Vec<(u64, u32)>,
    /// Documents that were removed again.
    removed: Vec<u32>,
}

/// The result of adding a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// It is new.
    New,
    /// It replaces a document with the same id.
    Replaced,
    /// It was already there with the same text.
    Known,
}

impl LibraryWriter {
    /// Opens a library for writing, or creates one. `options` set how a new library computes fingerprints, and the
    /// memory limit.
    pub fn open(folder: &Path, options: &CompareOptions) -> Result<LibraryWriter> {
        if !folder.join(NOTE).exists() && has_other_files(folder) {
            let folder = folder.display();
            return Err(Error::Refused(format!("{folder} contains other files; name another folder for the library")));
        }
        if folder.is_file() {
            let folder = folder.display();
            return Err(Error::Refused(format!("{folder} is a file; name a folder for the library")));
        }
        fs::create_dir_all(folder).at(folder)?;
        let path = folder.join(LOCK);
        let lock = open_lock(&path)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(std::fs::TryLockError::WouldBlock) => {
                let message = "another program is changing this library; wait until it ends, then run again".into();
                return Err(Error::Unusable { path: folder.to_owned(), message });
            }
            Err(std::fs::TryLockError::Error(error)) => return Err(Error::io(path, error)),
        }
        // No other program can create one now.
        let is_new = !folder.join(NOTE).exists();
        let note = if is_new {
            let FingerprintOptions { rule, ngram } = options.fingerprints;
            let note = LibraryNote {
                refrain_library: VERSION,
                tokens: rule.name().into(),
                ngram,
                next: 1,
                segments: Vec::new(),
            };
            note.write(folder)?;
            note
        } else {
            LibraryNote::read(folder)?
        };
        let mut writer = LibraryWriter {
            folder: folder.to_owned(),
            note,
            _lock: lock,
            memory: options.pairs.memory,
            open: None,
            added: Vec::new(),
            places: HashMap::new(),
        };
        writer.forget_unnamed()?;
        for (at, note) in writer.note.segments.iter().enumerate() {
            let segment = Segment::open(folder, note.clone())?;
            for (source, number) in segment.sources.iter().zip(0..).filter(|(_, number)| !segment.is_removed(*number)) {
                writer.places.insert(source.id.clone(), (at, number, source.digest.clone()));
            }
        }
        Ok(writer)
    }

    /// How the library computes fingerprints.
    pub fn fingerprints(&self) -> Result<FingerprintOptions> {
        self.note.fingerprints()
    }

    /// Deletes files that the note does not name: leftovers of a killed program or of merged segments.
    fn forget_unnamed(&self) -> Result<()> {
        let named: HashSet<PathBuf> = self
            .note
            .segments
            .iter()
            .flat_map(|segment| FILES.map(|file| path_of(&self.folder, &segment.name, file)))
            .collect();
        for entry in fs::read_dir(&self.folder).at(&self.folder)? {
            let path = entry.at(&self.folder)?.path();
            if is_ours(&path) && !named.contains(&path) {
                fs::remove_file(&path).at(&path)?;
            }
        }
        Ok(())
    }

    /// Adds a document. It becomes permanent with [`LibraryWriter::commit`].
    pub fn add(&mut self, prepared: PreparedDocument) -> Result<Added> {
        let digest = digest_of(&prepared.text);
        let added = match self.places.get(&prepared.id) {
            Some((_, _, known)) if *known == digest => return Ok(Added::Known),
            Some(_) => Added::Replaced,
            None => Added::New,
        };
        if added == Added::Replaced {
            self.remove(&prepared.id)?;
        }
        let room = (self.memory / 3 / WAITING) as usize;
        if self
            .open
            .as_ref()
            .is_some_and(|open| !open.waiting.is_empty() && open.waiting.len() + prepared.fingerprint().len() > room)
        {
            self.close_segment()?;
        }
        if self.open.is_none() {
            let name = format!("{:06}", self.note.next);
            self.note.next += 1;
            let writer = SegmentWriter::create(&self.folder, &name)?;
            self.open = Some(OpenSegment { writer, waiting: Vec::new(), removed: Vec::new() });
        }
        let at = self.note.segments.len() + self.added.len();
        if let Some(OpenSegment { writer, waiting, .. }) = &mut self.open {
            let source = LibrarySource {
                id: prepared.id.clone(),
                url: prepared.url.clone(),
                words: prepared.words(),
                grams: prepared.fingerprint().len(),
                language: prepared.language.clone(),
                pages: prepared.pages.clone(),
                left_out: prepared.left_out.iter().map(|(span, _)| *span).collect::<Vec<Span>>(),
                digest: digest.clone(),
                start: 0,
                length: 0,
            };
            let number = writer.add(source, &prepared.text)?;
            waiting.extend(prepared.fingerprint().grams().iter().map(|gram| (*gram, number)));
            self.places.insert(prepared.id, (at, number, digest));
        }
        Ok(added)
    }

    /// Removes a document; returns false if there is none with this id.
    pub fn remove(&mut self, id: &str) -> Result<bool> {
        let Some((at, number, _)) = self.places.remove(id) else { return Ok(false) };
        let known = self.note.segments.len();
        let removed = match (&mut self.open, at.checked_sub(known)) {
            (_, None) => &mut self.note.segments[at].removed,
            (Some(open), Some(added)) if added == self.added.len() => &mut open.removed,
            (_, Some(added)) => &mut self.added[added].removed,
        };
        if let Err(place) = removed.binary_search(&number) {
            removed.insert(place, number);
        }
        Ok(true)
    }

    fn close_segment(&mut self) -> Result<()> {
        let Some(OpenSegment { mut writer, mut waiting, removed }) = self.open.take() else { return Ok(()) };
        waiting.sort_unstable();
        waiting.into_iter().try_for_each(|(gram, document)| writer.put(gram, document))?;
        self.added.push(SegmentNote { removed, ..writer.finish()? });
        if self.added.len() > MOST_SEGMENTS { self.join_added() } else { Ok(()) }
    }

    /// Merges the added segments, so that fewer files are open at once later.
    fn join_added(&mut self) -> Result<()> {
        let added = std::mem::take(&mut self.added);
        let (joined, numbers) = self.join(&added)?;
        let known = self.note.segments.len();
        for (at, number, _) in self.places.values_mut().filter(|(at, ..)| *at >= known) {
            if let Some(new) = numbers[*at - known].get(*number as usize).copied().flatten() {
                (*at, *number) = (known, new);
            }
        }
        self.added.push(joined);
        // The note does not name them.
        for path in added.iter().flat_map(|segment| FILES.map(|file| path_of(&self.folder, &segment.name, file))) {
            fs::remove_file(&path).at(&path)?;
        }
        Ok(())
    }

    /// Makes all changes permanent. Merges the segments if there are many.
    pub fn commit(mut self) -> Result<()> {
        self.close_segment()?;
        self.note.segments.append(&mut self.added);
        self.note.write(&self.folder)?;
        if self.note.segments.len() > MOST_SEGMENTS {
            // The changes are already permanent. If there is no space to merge now, the next change merges.
            self.merge().or_else(|error| if matches!(error, Error::Io { .. }) { Ok(()) } else { Err(error) })?;
        }
        Ok(())
    }

    /// Merges all segments into one, without removed documents.
    pub fn compact(mut self) -> Result<()> {
        self.close_segment()?;
        self.note.segments.append(&mut self.added);
        self.merge()
    }

    fn merge(&mut self) -> Result<()> {
        let segments = self.note.segments.clone();
        let (joined, _) = self.join(&segments)?;
        self.note.segments = vec![joined];
        self.note.write(&self.folder)?;
        self.forget_unnamed()
    }

    /// Merges segments into one, without removed documents. Returns it, and the new number of each document.
    fn join(&mut self, notes: &[SegmentNote]) -> Result<(SegmentNote, Vec<Vec<Option<u32>>>)> {
        let open = |note: &SegmentNote| Segment::open(&self.folder, note.clone());
        let segments: Vec<Segment> = notes.iter().map(open).collect::<Result<_>>()?;
        // Do not copy damaged data and give it a digest that hides the damage.
        segments.iter().try_for_each(Segment::verify)?;
        let mut merged = SegmentWriter::create(&self.folder, &format!("{:06}", self.note.next))?;
        self.note.next += 1;
        let mut numbers: Vec<Vec<Option<u32>>> = Vec::new();
        for segment in &segments {
            let mut own = Vec::with_capacity(segment.sources.len());
            for (source, number) in segment.sources.iter().zip(0..) {
                own.push(match segment.is_removed(number) {
                    true => None,
                    false => Some(merged.add_packed(source.clone(), &segment.packed(number)?)?),
                });
            }
            numbers.push(own);
        }
        let entries = segments.iter().map(Segment::entries).collect::<Result<_>>()?;
        runs::merge(entries, |segment, entry| {
            match numbers[segment].get(entry.document as usize).copied().flatten() {
                Some(number) => merged.put(*entry.key(), number),
                None => Ok(()),
            }
        })?;
        Ok((merged.finish()?, numbers))
    }
}

/// True for a folder with files that a new library would not contain.
fn has_other_files(folder: &Path) -> bool {
    let is_other = |name: std::ffi::OsString| name != LOCK && name != NEW_NOTE;
    fs::read_dir(folder)
        .is_ok_and(|mut entries| entries.any(|entry| entry.is_ok_and(|entry| is_other(entry.file_name()))))
}

/// True for a folder with segments of a library.
fn has_segments(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.any(|entry| entry.is_ok_and(|entry| is_ours(&entry.path()))))
}

/// True for files that belong to segments of a library.
fn is_ours(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    (FILES.contains(&ending) && stem.len() == 6 && stem.bytes().all(|byte| byte.is_ascii_digit()))
        || path.ends_with(NEW_NOTE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::ExcludedText;
    use crate::document::Document;

    fn document(id: &str, text: &str) -> PreparedDocument {
        PreparedDocument::of(Document::from_text(id, text), &CompareOptions::default(), &ExcludedText::default())
    }

    /// A distinct text for each number.
    fn text(number: u64) -> String {
        (0..60).map(|n| letters(crate::text::mix(number * 1000 + n))).collect::<Vec<_>>().join(" ")
    }

    fn letters(mut hash: u64) -> String {
        (0..6)
            .map(|_| {
                let letter = (b'a' + (hash % 26) as u8) as char;
                hash /= 26;
                letter
            })
            .collect()
    }

    fn found(folder: &Path, text: &str) -> Vec<String> {
        let library = LibraryReader::open(folder).expect("a library");
        let options = CompareOptions { passages: None, ..CompareOptions::default() };
        let checked = library.check(&document("new", text), &CheckOptions::default(), &options).expect("a check");
        checked.sources.into_iter().map(|found| found.source.id).collect()
    }

    #[test]
    fn sources_are_added_replaced_removed_and_merged() {
        let folder = tempfile::tempdir().expect("a folder");
        let options = CompareOptions::default();
        for number in 0..MOST_SEGMENTS as u64 + 3 {
            let mut writer = LibraryWriter::open(folder.path(), &options).expect("a library");
            assert_eq!(writer.add(document(&format!("s{number}"), &text(number))).expect("room"), Added::New);
            assert_eq!(writer.add(document(&format!("s{number}"), &text(number))).expect("room"), Added::Known);
            writer.commit().expect("room");
        }
        assert!(LibraryReader::open(folder.path()).expect("a library").segments.len() < MOST_SEGMENTS);
        assert_eq!(found(folder.path(), &text(3)), ["s3"]);
        let mut writer = LibraryWriter::open(folder.path(), &options).expect("a library");
        assert_eq!(writer.add(document("s3", &text(99))).expect("room"), Added::Replaced);
        assert!(writer.remove("s4").expect("room") && !writer.remove("s4").expect("room"));
        writer.commit().expect("room");
        for _ in 0..2 {
            assert_eq!(
                (found(folder.path(), &text(3)), found(folder.path(), &text(99))),
                (vec![], vec!["s3".to_owned()])
            );
            assert_eq!(
                (found(folder.path(), &text(4)), found(folder.path(), &text(5))),
                (vec![], vec!["s5".to_owned()])
            );
            LibraryReader::open(folder.path()).expect("a library").verify().expect("nothing is damaged");
            LibraryWriter::open(folder.path(), &options).expect("a library").compact().expect("room");
        }
        let library = LibraryReader::open(folder.path()).expect("a library");
        assert_eq!((library.segments.len(), library.sources().count()), (1, MOST_SEGMENTS + 2));
    }

    #[test]
    fn little_memory_makes_more_segments_and_the_same_library() {
        let [one, other] = [1 << 30, 1 << 10].map(|memory| {
            let folder = tempfile::tempdir().expect("a folder");
            let mut options = CompareOptions::default();
            options.pairs.memory = memory;
            let mut writer = LibraryWriter::open(folder.path(), &options).expect("a library");
            for number in 0..9 {
                writer.add(document(&number.to_string(), &text(number))).expect("room");
            }
            writer.commit().expect("room");
            (
                LibraryReader::open(folder.path()).expect("a library").segments.len(),
                (0..9).map(|n| found(folder.path(), &text(n))).collect::<Vec<_>>(),
            )
        });
        assert!(other.0 > one.0 && one.1 == other.1);
    }

    #[test]
    fn what_was_not_committed_is_forgotten_and_one_writer_is_enough() {
        let folder = tempfile::tempdir().expect("a folder");
        let options = CompareOptions::default();
        let mut writer = LibraryWriter::open(folder.path(), &options).expect("a library");
        writer.add(document("a", &text(1))).expect("room");
        writer.close_segment().expect("room");
        let refused = LibraryWriter::open(folder.path(), &options).err().map(|error| error.to_string());
        assert!(refused.is_some_and(|refused| refused.contains("another program")));
        drop(writer);
        assert_eq!(LibraryReader::open(folder.path()).expect("a library").sources().count(), 0);
        LibraryWriter::open(folder.path(), &options).expect("a library");
        let left = fs::read_dir(folder.path()).expect("the folder").count();
        assert_eq!(left, 2, "the note and the lock");
    }

    #[test]
    fn readers_continue_while_segments_are_merged() {
        let folder = tempfile::tempdir().expect("a folder");
        let options = CompareOptions::default();
        for number in 0..3 {
            let mut writer = LibraryWriter::open(folder.path(), &options).expect("a library");
            writer.add(document(&number.to_string(), &text(number))).expect("room");
            writer.commit().expect("room");
        }
        let library = LibraryReader::open(folder.path()).expect("a library");
        LibraryWriter::open(folder.path(), &options).expect("a library").compact().expect("room");
        assert!(!folder.path().join("000001.grams").exists());
        library.verify().expect("nothing is damaged");
        let checked = library.check(&document("new", &text(2)), &CheckOptions::default(), &options).expect("a check");
        assert_eq!(checked.sources[0].source.id, "2");
    }

    #[test]
    fn damage_and_other_versions_are_reported() {
        let folder = tempfile::tempdir().expect("a folder");
        let options = CompareOptions::default();
        let mut writer = LibraryWriter::open(folder.path(), &options).expect("a library");
        writer.add(document("a", &text(1))).expect("room");
        writer.commit().expect("room");
        let grams = folder.path().join("000001.grams");
        let mut bytes = fs::read(&grams).expect("a file");
        bytes[9] ^= 1;
        fs::write(&grams, bytes).expect("room");
        let message = LibraryReader::open(folder.path()).expect("a library").verify().expect_err("damage").to_string();
        assert!(message.contains("000001.grams"));
        let note = fs::read_to_string(folder.path().join(NOTE)).expect("a note");
        fs::write(folder.path().join(NOTE), note.replace("\"refrain_library\": 1", "\"refrain_library\": 7"))
            .expect("room");
        let message = LibraryReader::open(folder.path()).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(message.contains("version 7"));
        assert!(LibraryReader::open(Path::new("/nowhere")).is_err());
    }
}
