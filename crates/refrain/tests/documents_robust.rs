//! Documents with bytes flipped, cut out, and cut off: no panic, no endless work, text within the limit.

mod common;

use std::io::{Cursor, Read, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use common::Random;
use refrain::prepare::Preparation;
use refrain::source::{Collection, InputFiles, ReadOptions};

/// What documents may be in these tests.
const LIMIT: u64 = 1 << 20;

/// How often each sample is damaged.
const ROUNDS: usize = 40;

fn samples() -> Vec<PathBuf> {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    let files = ["documents", "sources"].map(|folder| std::fs::read_dir(samples.join(folder)).expect("the samples"));
    let entries = files.into_iter().flatten().map(|entry| entry.expect("an entry").path());
    let mut samples: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end != "py")).collect();
    samples.sort();
    assert!(samples.len() > 8, "{samples:?}");
    samples
}

/// Reads a file as everything else does, and checks what comes out.
fn read(bytes: &[u8], name: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).expect("a file");
    let (inputs, _) = InputFiles::expand([path.to_string_lossy()]);
    let source = Collection::new(inputs, ReadOptions { max_document: LIMIT, ..ReadOptions::default() });
    let preparation = Preparation::default();
    source.read_all(&mut |position, item| {
        let prepared = preparation.prepare(position, item);
        if let Some(document) = prepared.document {
            assert!(document.text().len() as u64 <= LIMIT, "{name}: {} bytes of text", document.text().len());
            let (length, pages) = (document.text().len(), document.pages());
            assert!(pages.is_sorted() && pages.iter().all(|page| *page <= length), "{name}: {pages:?} of {length}");
        }
        ControlFlow::Continue(())
    });
}

/// Damages bytes in one of several ways.
fn damage(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if bytes.is_empty() {
        return bytes;
    }
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        match random.below(4) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.below(256) as u8,
            2 => {
                let end = (at + random.below(64)).min(bytes.len());
                bytes.drain(at..end);
            }
            _ => {
                let end = (at + random.below(64)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                let to = random.below(bytes.len());
                bytes.splice(to..to, piece);
            }
        }
        if bytes.is_empty() {
            return bytes;
        }
    }
    if random.below(4) == 0 {
        bytes.truncate(random.below(bytes.len()));
    }
    bytes
}

#[test]
fn damaged_files_are_survived() {
    let mut random = Random(11);
    for path in samples() {
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        let bytes = std::fs::read(&path).expect("a sample");
        read(&bytes, &name);
        for _ in 0..ROUNDS {
            read(&damage(&bytes, &mut random), &name);
        }
    }
}

/// Checksums of archives catch most damage, so that parts are damaged before they are packed, too.
#[test]
fn damaged_parts_are_survived() {
    let mut random = Random(12);
    for path in samples() {
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        if !["keeper.docx", "keeper.odt", "keeper.epub"].contains(&name.as_str()) {
            continue;
        }
        let bytes = std::fs::read(&path).expect("a sample");
        let mut archive = zip::ZipArchive::new(Cursor::new(&bytes)).expect("an archive");
        let mut parts = Vec::new();
        for index in 0..archive.len() {
            let mut member = archive.by_index(index).expect("a member");
            let mut content = Vec::new();
            member.read_to_end(&mut content).expect("a whole member");
            parts.push((member.name().expect("a name").into_owned(), content));
        }
        for _ in 0..ROUNDS {
            let mut packed = zip::ZipWriter::new(Cursor::new(Vec::new()));
            for (name, content) in &parts {
                let content = if name.ends_with("ml") || name.ends_with("opf") {
                    damage(content, &mut random)
                } else {
                    content.clone()
                };
                packed.start_file(name.as_str(), zip::write::SimpleFileOptions::default()).expect("room");
                packed.write_all(&content).expect("room");
            }
            read(&packed.finish().expect("an archive").into_inner(), &name);
        }
    }
}
