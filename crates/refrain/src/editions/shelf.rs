//! Books on disk: the data learned from a collection, to be searched, saved and joined.
//!
//! A saved index is one file. It has a line that identifies it, the records of all books and of the edges of some, a
//! table of them in JSON, and a footer that locates the table. The record of a book does not depend on other books, so
//! indexes are joined by concatenating their records.

use std::fs::File;
use std::io::{BufWriter, IntoInnerError, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_64;

use super::boilerplate::MOST_EDGES;
use super::book::{Anchor, Book};
use super::hash::{KEY_BITS, KEY_MASK};
use crate::disk::atomic::AtomicFile;
use crate::disk::platform::FileExt;
use crate::error::{Error, IoContext, Result};

/// The first bytes of a saved index, with the format version.
const MAGIC: &[u8] = b"refrain editions 2\n";
/// The first bytes of an index of any version.
const FAMILY: &[u8] = b"refrain editions ";
/// The length of the footer: where the table begins, its length, and its hash.
const FOOTER: usize = 24;
/// Bytes of a key.
const KEY_BYTES: usize = KEY_BITS as usize / 8;

/// The entry of a book in the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Entry {
    /// Its id: the name of its file without the extension, or the id of the document.
    pub id: String,
    /// Its address, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Its title, if it states one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Its author, if it states one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub author: String,
    /// Its length in letters.
    pub letters: u32,
    /// Its length in words.
    pub words: u32,
    /// The size of its text in bytes.
    pub bytes: u32,
    /// The range from its first compared word to its last one, in bytes.
    #[serde(default)]
    pub compared: (u32, u32),
    /// Words that occur in it once.
    pub unique: u32,
    /// Pairs of words that are rare in it.
    pub pairs: u32,
    /// Whether it is in alphabetical order.
    #[serde(default)]
    pub is_list: bool,
    /// The offset of its record.
    at: u64,
    /// The length of its record.
    length: u32,
    /// The hash of its record.
    hash: u64,
}

impl Entry {
    /// Its display name: its address, or else its id.
    pub fn name(&self) -> &str {
        self.url.as_deref().unwrap_or(&self.id)
    }

    /// Equal for two books with exactly the same words in the same positions.
    pub(super) fn same(&self) -> (u64, u32) {
        (self.hash, self.letters)
    }
}

#[derive(Serialize, Deserialize)]
struct Table {
    #[serde(default)]
    made: String,
    books: Vec<Entry>,
    edges: Vec<Entry>,
}

/// Books on disk.
#[derive(Debug)]
pub struct Shelf {
    file: File,
    /// For messages.
    path: PathBuf,
    end: u64,
    /// How its books were prepared.
    made: String,
    books: Vec<Entry>,
    edges: Vec<Entry>,
    /// Records that are not written yet.
    waiting: Vec<u8>,
}

/// Bytes written at a time.
const CHUNK: usize = 1 << 20;

impl Shelf {
    /// An empty shelf, in a temporary file in this folder.
    pub fn new(folder: &Path) -> Result<Shelf> {
        Shelf::of_books_made(folder, "")
    }

    /// The same, with a label for how its books are prepared: only shelves with the same label are joined.
    pub fn of_books_made(folder: &Path, made: &str) -> Result<Shelf> {
        let file = tempfile::tempfile_in(folder).at(folder)?;
        let (books, edges, waiting) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Shelf { file, path: folder.to_owned(), end: 0, made: made.to_owned(), books, edges, waiting })
    }

    /// True for a file that is a saved index, of this version or another.
    pub fn is_saved(path: &Path) -> bool {
        let mut start = Vec::new();
        let read = File::open(path).and_then(|file| file.take(FAMILY.len() as u64).read_to_end(&mut start));
        read.is_ok() && start == FAMILY
    }

    /// Opens a saved index.
    pub fn open(path: &Path) -> Result<Shelf> {
        let damaged = |message: &str| Error::Damaged { path: path.to_owned(), message: message.into() };
        let again = "the index is damaged; create it again from the books";
        let mut file = File::open(path).at(path)?;
        let size = file.seek(SeekFrom::End(0)).at(path)?;
        let mut magic = [0; MAGIC.len()];
        file.seek(SeekFrom::Start(0)).at(path)?;
        file.read_exact(&mut magic).map_err(|_| damaged("not an index of editions"))?;
        if magic != MAGIC {
            let other = magic.starts_with(FAMILY);
            let message = "an index of another version of refrain; create it again from the books";
            return Err(if other {
                Error::Unusable { path: path.to_owned(), message: message.into() }
            } else {
                damaged("not an index of editions")
            });
        }
        let mut footer = [0; FOOTER];
        let footer_at = size.checked_sub(FOOTER as u64).ok_or_else(|| damaged(again))?;
        file.read_exact_at(&mut footer, footer_at).map_err(|_| damaged(again))?;
        let number = |n: usize| footer[8 * n..8 * n + 8].iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        let (at, length, hash) = (number(0), number(1), number(2));
        if at.checked_add(length) != Some(footer_at) {
            return Err(damaged(again));
        }
        let mut table = vec![0; length as usize];
        file.read_exact_at(&mut table, at).map_err(|_| damaged(again))?;
        if XxHash3_64::oneshot(&table) != hash {
            return Err(damaged(again));
        }
        let Table { made, books, edges } = serde_json::from_slice(&table).map_err(|_| damaged(again))?;
        let fits = |entry: &Entry| entry.at.checked_add(u64::from(entry.length)).is_some_and(|end| end <= at);
        if !books.iter().chain(&edges).all(fits) {
            return Err(damaged(again));
        }
        Ok(Shelf { file, path: path.to_owned(), end: at, made, books, edges, waiting: Vec::new() })
    }

    /// The entries of the books.
    pub fn books(&self) -> &[Entry] {
        &self.books
    }

    /// Number of books.
    pub fn len(&self) -> usize {
        self.books.len()
    }

    /// True if there are no books.
    pub fn is_empty(&self) -> bool {
        self.books.is_empty()
    }

    /// Adds a book. Its edges, if significant, show what notices look like.
    pub fn add(&mut self, book: &Book, edges: Option<&Book>) -> Result<()> {
        let entry = self.write(book)?;
        self.books.push(entry);
        if let Some(edges) = edges.filter(|edges| !edges.anchors.is_empty()) {
            let entry = self.write(edges)?;
            self.edges.push(entry);
            self.draw(2 * MOST_EDGES);
        }
        Ok(())
    }

    /// Adds the books of another shelf that are wanted.
    pub fn join(&mut self, other: &Shelf, mut wanted: impl FnMut(&Entry) -> bool) -> Result<()> {
        if self.made != other.made {
            let message = format!(
                "its books were prepared with other options ({}; now: {}); create the index again from the books",
                other.made, self.made
            );
            return Err(Error::Unusable { path: other.path.clone(), message });
        }
        for entry in other.books.iter().filter(|entry| wanted(entry)) {
            let moved = self.copy(other, entry)?;
            self.books.push(moved);
        }
        for entry in &other.edges {
            let moved = self.copy(other, entry)?;
            self.edges.push(moved);
        }
        self.draw(2 * MOST_EDGES);
        Ok(())
    }

    /// Keeps at most this many edges, chosen by hash, so that the order of books does not matter.
    fn draw(&mut self, most: usize) {
        if self.edges.len() > most {
            self.edges.sort_unstable_by(|one, other| (one.hash, &one.id).cmp(&(other.hash, &other.id)));
            self.edges.dedup_by(|next, last| (next.hash, &next.id) == (last.hash, &last.id));
            self.edges.truncate(MOST_EDGES);
        }
    }

    /// Sorts the books from a number on by id, so that results do not depend on the order in which they were added.
    pub fn sort_from(&mut self, number: usize) {
        if let Some(books) = self.books.get_mut(number..) {
            books.sort_by(|one, other| (&one.id, one.hash).cmp(&(&other.id, other.hash)));
        }
    }

    /// True for two books with exactly the same words in the same positions.
    pub fn are_same(&self, a: u32, b: u32) -> bool {
        let of = |book: u32| self.books.get(book as usize).map(Entry::same);
        of(a).is_some() && of(a) == of(b)
    }

    fn copy(&mut self, other: &Shelf, entry: &Entry) -> Result<Entry> {
        let record = other.record(entry)?;
        if XxHash3_64::oneshot(&record) != entry.hash {
            return Err(other.damaged(entry));
        }
        let at = self.put(&record)?;
        Ok(Entry { at, ..entry.clone() })
    }

    fn write(&mut self, book: &Book) -> Result<Entry> {
        let record = encode(&book.anchors);
        let at = self.put(&record)?;
        Ok(Entry {
            id: book.id.clone(),
            url: book.url.clone(),
            title: book.title.clone(),
            author: book.author.clone(),
            letters: book.letters,
            words: book.words,
            bytes: book.bytes,
            compared: book.compared,
            unique: book.unique_words().count() as u32,
            pairs: book.anchors.iter().filter(|anchor| anchor.is_pair()).count() as u32,
            is_list: book.is_list,
            at,
            length: record.len() as u32,
            hash: XxHash3_64::oneshot(&record),
        })
    }

    fn put(&mut self, record: &[u8]) -> Result<u64> {
        let at = self.end + self.waiting.len() as u64;
        self.waiting.extend_from_slice(record);
        if self.waiting.len() >= CHUNK {
            self.flush()?;
        }
        Ok(at)
    }

    /// Writes pending records.
    pub fn flush(&mut self) -> Result<()> {
        self.file.write_all_at(&self.waiting, self.end).at(&self.path)?;
        self.end += self.waiting.len() as u64;
        self.waiting.clear();
        Ok(())
    }

    /// Bytes of the record of a book.
    pub(super) fn size(&self, number: u32) -> u64 {
        self.books.get(number as usize).map_or(0, |entry| u64::from(entry.length))
    }

    /// Reads a book.
    pub fn book(&self, number: u32) -> Result<Book> {
        match self.books.get(number as usize) {
            Some(entry) => self.read(entry),
            None => Err(Error::Refused(format!("there is no book with the number {number}"))),
        }
    }

    /// Reads the edges of books.
    pub(super) fn edges(&self) -> Result<Vec<Book>> {
        let mut drawn: Vec<&Entry> = self.edges.iter().collect();
        drawn.sort_unstable_by(|one, other| (one.hash, &one.id).cmp(&(other.hash, &other.id)));
        drawn.dedup_by(|next, last| (next.hash, &next.id) == (last.hash, &last.id));
        drawn.iter().take(MOST_EDGES).map(|entry| self.read(entry)).collect()
    }

    fn record(&self, entry: &Entry) -> Result<Vec<u8>> {
        let length = entry.length as usize;
        // Records are written whole, so each is either in the file or pending.
        if let Some(from) = entry.at.checked_sub(self.end) {
            let waiting = self.waiting.get(from as usize..).and_then(|rest| rest.get(..length));
            return Ok(waiting.unwrap_or_default().to_vec());
        }
        let mut record = vec![0; length];
        self.file.read_exact_at(&mut record, entry.at).at(&self.path)?;
        Ok(record)
    }

    fn damaged(&self, entry: &Entry) -> Error {
        let message = format!("the record of {} is damaged; create the index again from the books", entry.id);
        Error::Damaged { path: self.path.clone(), message }
    }

    fn read(&self, entry: &Entry) -> Result<Book> {
        let record = self.record(entry)?;
        if XxHash3_64::oneshot(&record) != entry.hash {
            return Err(self.damaged(entry));
        }
        Ok(Book {
            id: entry.id.clone(),
            url: entry.url.clone(),
            title: entry.title.clone(),
            author: entry.author.clone(),
            letters: entry.letters,
            words: entry.words,
            bytes: entry.bytes,
            compared: entry.compared,
            is_list: entry.is_list,
            anchors: decode(&record).ok_or_else(|| self.damaged(entry))?,
        })
    }

    /// Saves the index; it appears under its name once it is complete.
    pub fn save(&mut self, path: &Path) -> Result<()> {
        self.flush()?;
        self.draw(MOST_EDGES);
        let mut out = BufWriter::new(AtomicFile::create(path)?);
        out.write_all(MAGIC).at(path)?;
        let mut at = MAGIC.len() as u64;
        let mut move_to = |out: &mut BufWriter<AtomicFile>, entry: &Entry| -> Result<Entry> {
            let record = self.record(entry)?;
            out.write_all(&record).at(path)?;
            let moved = Entry { at, ..entry.clone() };
            at += record.len() as u64;
            Ok(moved)
        };
        let books = self.books.iter().map(|entry| move_to(&mut out, entry)).collect::<Result<_>>()?;
        let edges = self.edges.iter().map(|entry| move_to(&mut out, entry)).collect::<Result<_>>()?;
        let table = serde_json::to_vec(&Table { made: self.made.clone(), books, edges })
            .map_err(std::io::Error::from)
            .at(path)?;
        out.write_all(&table).at(path)?;
        for number in [at, table.len() as u64, XxHash3_64::oneshot(&table)] {
            out.write_all(&number.to_le_bytes()).at(path)?;
        }
        out.into_inner().map_err(IntoInnerError::into_error).at(path)?.commit()
    }
}

/// Encodes the anchors of a book: key, flags, distances from the one before in letters and in bytes, and length of
/// each.
fn encode(anchors: &[Anchor]) -> Vec<u8> {
    let mut out = Vec::with_capacity(10 * anchors.len());
    let (mut position, mut byte) = (0, 0);
    for anchor in anchors {
        out.extend_from_slice(&anchor.key().to_le_bytes()[..KEY_BYTES]);
        out.push((anchor.flags() >> KEY_BITS) as u8);
        varint(&mut out, anchor.position.wrapping_sub(position));
        varint(&mut out, anchor.byte.wrapping_sub(byte));
        out.push(anchor.bytes);
        (position, byte) = (anchor.position, anchor.byte);
    }
    out
}

fn varint(out: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Decodes anchors; `None` if the bytes are not valid.
fn decode(mut bytes: &[u8]) -> Option<Vec<Anchor>> {
    let mut anchors = Vec::with_capacity(bytes.len() / 10);
    let (mut position, mut byte) = (0_u32, 0_u32);
    while !bytes.is_empty() {
        let (head, rest) = bytes.split_at_checked(KEY_BYTES + 1)?;
        let key = head[..KEY_BYTES].iter().rev().fold(0, |key, byte| key << 8 | u64::from(*byte)) & KEY_MASK;
        let flags = u64::from(head[KEY_BYTES]) << KEY_BITS;
        bytes = rest;
        position = position.wrapping_add(number(&mut bytes)?);
        byte = byte.wrapping_add(number(&mut bytes)?);
        let (size, rest) = bytes.split_first()?;
        bytes = rest;
        anchors.push(Anchor::new(key, flags, position, byte, *size));
    }
    Some(anchors)
}

fn number(bytes: &mut &[u8]) -> Option<u32> {
    let mut sum = 0;
    for shift in [0, 7, 14, 21, 28] {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        sum |= u32::from(first & 0x7F).checked_shl(shift)?;
        if first & 0x80 == 0 {
            return Some(sum);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn book(id: &str, words: &[&str]) -> Book {
        Book::read(id, &words.join(" "), &[])
    }

    #[test]
    fn what_is_saved_comes_back_and_joins() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("index");
        let (a, b) = (book("a", &["keeper", "lamp", "stairs"]), book("b", &["harbour", "boat"]));
        let mut shelf = Shelf::new(folder.path()).expect("a file");
        shelf.add(&a, Some(&b)).expect("room");
        shelf.save(&path).expect("a file");
        assert!(Shelf::is_saved(&path));
        let saved = Shelf::open(&path).expect("an index");
        assert_eq!(saved.book(0).expect("a book"), a);
        assert_eq!(saved.edges().expect("edges")[0].anchors, b.anchors);
        let mut both = Shelf::new(folder.path()).expect("a file");
        both.add(&b, None).expect("room");
        both.join(&saved, |_| true).expect("an index");
        assert_eq!(both.book(1).expect("a book"), a, "before it is written");
        both.flush().expect("room");
        assert_eq!(both.book(1).expect("a book"), a, "and behind");
        assert!(both.book(2).is_err());
        let mut raw = Shelf::of_books_made(folder.path(), "as they come").expect("a file");
        let message = raw.join(&saved, |_| true).expect_err("made in another way").to_string();
        assert!(message.contains("as they come") && message.contains("create the index again"), "{message}");
    }

    #[test]
    fn edges_are_drawn_whatever_the_order() {
        let folder = tempfile::tempdir().expect("a folder");
        let texts: Vec<Book> = (0..2 * MOST_EDGES + 500)
            .map(|n| book(&n.to_string(), &["keeper", &"abcdefghij"[n % 10..], &"k".repeat(1 + n / 10 % 200)]))
            .collect();
        let shelf = |order: &mut dyn Iterator<Item = &Book>| {
            let mut shelf = Shelf::new(folder.path()).expect("a file");
            order.for_each(|text| shelf.add(text, Some(text)).expect("room"));
            shelf.sort_from(0);
            let ids: Vec<String> = shelf.books().iter().map(|book| book.id.clone()).collect();
            (ids, shelf.edges().expect("edges"))
        };
        assert!(shelf(&mut texts.iter()) == shelf(&mut texts.iter().rev()));
    }

    #[test]
    fn damage_and_other_versions_are_reported() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("index");
        let mut shelf = Shelf::new(folder.path()).expect("a file");
        shelf.add(&book("a", &["keeper", "lamp", "stairs"]), None).expect("room");
        shelf.save(&path).expect("a file");
        let good = std::fs::read(&path).expect("the index");
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 0x11;
            std::fs::write(&path, &bad).expect("a file");
            assert!(Shelf::open(&path).and_then(|shelf| shelf.book(0)).is_err(), "byte {at}");
        }
        std::fs::write(&path, &good[..good.len() - 3]).expect("a file");
        assert!(Shelf::open(&path).is_err());
        std::fs::write(&path, b"refrain editions 7\n and more").expect("a file");
        let message = Shelf::open(&path).expect_err("another version").to_string();
        assert!(message.contains("another version"), "{message}");
    }

    proptest! {
        #[test]
        fn records_come_back(words in prop::collection::vec("[a-zé]{1,9}", 0..80)) {
            let book = Book::read("a", &words.join(" "), &[]);
            prop_assert_eq!(decode(&encode(&book.anchors)), Some(book.anchors));
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = decode(&bytes);
        }
    }
}
