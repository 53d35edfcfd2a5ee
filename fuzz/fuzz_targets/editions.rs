#![no_main]
//! The first byte cuts the rest into two texts that are compared; all of it is opened as a saved index, too.

use refrain::editions::{AnchorIndex, Book, ChainOptions, Shelf, chains};

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let [share, rest @ ..] = input else { return };
    let text = String::from_utf8_lossy(rest);
    let at = text.floor_char_boundary(text.len() * usize::from(*share) / 256);
    let (a, b) = text.split_at(at);
    let (one, other) = (Book::read("a", a, &[]), Book::read("b", b, &[]));
    let options = ChainOptions { least_worth: 0.0, ..ChainOptions::default() };
    let found = chains(&one, &AnchorIndex::of(&one.anchors), &other, &AnchorIndex::of(&other.anchors), &options);
    for passage in found.iter().flat_map(|chain| &chain.passages) {
        assert!(a.get(passage.a_bytes.start..passage.a_bytes.end).is_some(), "a passage lies in the one text");
        assert!(b.get(passage.b_bytes.start..passage.b_bytes.end).is_some(), "and in the other");
    }
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), [b"refrain editions 1\n", rest].concat()).expect("a temporary file");
    if let Ok(shelf) = Shelf::open(file.path()) {
        let _ = shelf.book(0);
    }
});
