//! What must hold for any bytes, whatever target they come from.

use std::ops::ControlFlow;
use std::path::Path;

use refrain::extract::{Extracted, Extractor};
use refrain::prepare::Preparation;
use refrain::source::{Collection, InputFiles, InputFormat, Item, ReadOptions};
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
    let (inputs, failures) = InputFiles::expand([path.to_string_lossy()]);
    assert!(failures.is_empty() && inputs.len() == 1);
    let source = Collection::new(inputs, ReadOptions { format, max_document: MAX_DOCUMENT, ..ReadOptions::default() });

    // Telling languages takes more time than all the rest; the target `decode` does it.
    let preparation = Preparation { extractor: Some(Extractor::default()), ..Preparation::default() };
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
    let text = document.text();
    let mut end = 0;
    for block in document.blocks() {
        check_span(block.span, text);
        assert!(block.span.start >= end, "blocks are ordered and do not overlap");
        end = block.span.end;
        let content = block.span.of(text);
        // The first line of preformatted text keeps its indentation.
        assert_eq!(content, content.trim_end(), "no white space behind a block");
        assert!(
            content.lines().next().is_some_and(|line| !line.trim().is_empty()),
            "no block begins with a blank line"
        );
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

/// What holds for everything that was found in a page.
///
/// # Panics
///
/// When something does not hold.
pub fn check_extracted(found: &Extracted<'_>) {
    let page = found.page;
    let blocks: Vec<&str> = page.blocks.iter().map(|block| block.span.of(&page.text)).collect();
    assert_eq!(page.text, blocks.join("\n\n"), "all text is in blocks");
    assert_eq!(found.decisions.len(), blocks.len(), "a decision for each block");
    let kept: Vec<&str> = (0..blocks.len()).filter(|&block| found.keeps(block)).map(|block| blocks[block]).collect();
    assert_eq!(found.text(), kept.join("\n\n"), "the text that is kept is made of blocks");
    assert!((0.0..=1.0).contains(&found.confidence), "a confidence of {}", found.confidence);
    assert!(!kept.is_empty() || (found.confidence == 0.0 && found.note.is_some()), "nothing is kept without a word");
    for decision in found.decisions {
        assert!(decision.probability.is_none_or(|p| (0.0..=1.0).contains(&p)), "{decision:?}");
    }
}

fn check_span(span: Span, text: &str) {
    assert!(text.get(span.start..span.end).is_some(), "{span:?} lies in the text, between characters");
}
