//! What must hold for any bytes, whatever target they come from.

use std::ops::ControlFlow;
use std::path::Path;

use refrain::extract::JusText;
use refrain::pipeline::{Extraction, Preparation};
use refrain::source::{InputFormat, Inputs, Item, Source, SourceOptions};
use refrain::text::{CharOffsets, Offsets};
use refrain::{Document, Position, Span};

/// Documents are kept small, so that the limit is met.
const MAX_DOCUMENT: u64 = 64 << 10;

/// How many positions reading is begun at.
const RESUMED: usize = 4;

/// Reads bytes as a file of this name, as this format or as what they look like, and checks all that comes out.
///
/// # Panics
///
/// When something does not hold.
pub fn read(bytes: &[u8], name: &str, format: Option<InputFormat>) {
    let folder = scratch();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).expect("room for the input");
    let (inputs, failures) = Inputs::expand([path.to_string_lossy()]);
    assert!(failures.is_empty() && inputs.len() == 1);
    let source = Source::new(inputs, SourceOptions { format, max_document: MAX_DOCUMENT, ..SourceOptions::default() });

    // Telling languages takes more time than all the rest; the target `decode` does it.
    let preparation = Preparation { language: None, extraction: Extraction::JusText(JusText::default()) };
    let mut seen = Vec::new();
    source.read_all(&mut |position, item| {
        assert_eq!(position, Position { input: 0, record: seen.len() as u64 }, "positions count the items");
        seen.push(summary(&item));
        if let Item::Document(raw) = &item {
            assert!(raw.body.len() as u64 <= MAX_DOCUMENT, "a document of {} bytes", raw.body.len());
        }
        let prepared = preparation.prepare(position, item);
        if let Some(document) = &prepared.document {
            check_document(document);
        }
        ControlFlow::Continue(())
    });
    assert!(!seen.is_empty() || !bytes.is_empty(), "an empty file is a failure");

    // A run that was killed goes on at any position and sees the same.
    for first in 1..=seen.len().min(RESUMED) {
        let mut again = Vec::new();
        let _ = source.read(Position { input: 0, record: first as u64 }, &mut |position, item| {
            assert_eq!(position.record, (first + again.len()) as u64, "positions go on");
            again.push(summary(&item));
            ControlFlow::Continue(())
        });
        assert_eq!(again, seen[first..], "read from record {first} on");
    }
}

/// An item in short, for comparison.
fn summary(item: &Item) -> String {
    match item {
        Item::Document(raw) => format!("document {:?}, {} bytes", raw.id, raw.body.len()),
        Item::Skipped { reason, .. } => format!("skipped: {reason}"),
        Item::Failed(failure) => format!("failed: {failure}"),
    }
}

/// A folder in memory, where the system has such.
fn scratch() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    folder.expect("a folder for the input")
}

/// What holds for every document.
///
/// # Panics
///
/// When something does not hold.
pub fn check_document(document: &Document) {
    let text = document.text.as_str();
    let mut end = 0;
    for block in &document.blocks {
        check_span(block.span, text);
        assert!(block.span.start >= end, "blocks are ordered and do not overlap");
        end = block.span.end;
        let content = block.span.of(text);
        assert_eq!(content, content.trim(), "no white space around a block");
        assert!(!content.is_empty(), "no empty block");
        assert!(block.link_chars as usize <= content.chars().count(), "no more characters in links than there are");
    }
    for mark in &document.marks {
        check_span(mark.span, text);
        let chars = CharOffsets::new(text).span(mark.span, Offsets::Chars);
        assert_eq!(chars.len(), mark.span.of(text).chars().count(), "offsets in characters");
    }
    let removed = document.removed_spans();
    assert!(removed.windows(2).all(|pair| pair[0].end < pair[1].start), "removed ranges are joined");
    let kept = document.kept();
    assert!(kept.len() <= text.len(), "what is kept is no longer than the text");
    assert!(!removed.is_empty() || kept == text, "without marks all is kept");
    assert_eq!(document.is_removed(), kept.trim().is_empty());
    let mut left = text.chars();
    assert!(
        kept.chars().filter(|c| !c.is_whitespace()).all(|c| left.any(|other| other == c)),
        "what is kept stands in the text, in its order"
    );
}

fn check_span(span: Span, text: &str) {
    assert!(text.get(span.start..span.end).is_some(), "{span:?} lies in the text, between characters");
}
