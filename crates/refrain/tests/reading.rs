//! Reading damaged files: never a panic, and from any position on the same items as from the start.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use refrain::source::{Collection, InputFiles, Item, ReadOptions};
use refrain::write::{Compression, Format, Sink, WriteOptions, open};
use refrain::{Document, Position};

/// One small file of every kind.
fn files(folder: &Path) -> Vec<PathBuf> {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    let mut files: Vec<PathBuf> =
        ["crawl-broken.warc.gz", "notes.zip", "notes.jsonl", "notes.csv", "sources/wiki.xml", "sources/keeper.tei.xml"]
            .map(|name| samples.join(name))
            .into();
    for (format, packing) in [
        (Format::Parquet, Compression::None),
        (Format::Vertical, Compression::Zstd),
        (Format::Jsonl, Compression::Gzip),
    ] {
        let path = folder.join(format!("made.{}", format.name()));
        let mut writer =
            open(Sink::file(&path).expect("a file"), format, packing, WriteOptions::default()).expect("a writer");
        for number in 0..5 {
            writer
                .write(&Document::from_text(format!("d{number}"), "The lamp is lit.\n\nGood night."))
                .expect("written");
        }
        writer.finish().expect("finished");
        files.push(path);
    }
    let tar = folder.join("made.tar");
    let mut archive = tar::Builder::new(fs::File::create(&tar).expect("a file"));
    for path in &files.clone() {
        let name = path.file_name().expect("a name");
        archive.append_path_with_name(path, name).expect("a member");
    }
    archive.finish().expect("finished");
    files.push(tar);
    files
}

/// What comes out of a file from a record on, in short.
fn items(path: &Path, record: u64) -> Vec<(u64, String)> {
    let (inputs, failures) = InputFiles::expand([path.to_string_lossy()]);
    assert!(failures.is_empty(), "{failures:?}");
    let mut items = Vec::new();
    let _ =
        Collection::new(inputs, ReadOptions::default()).read(Position { input: 0, record }, &mut |position, item| {
            let short = match item {
                Item::Document(raw) => format!("document {} {} {:?}", raw.id, raw.body.len(), raw.meta),
                Item::Skipped { reason, .. } => format!("skipped {reason}"),
                Item::Failed(failure) => format!("failed {failure}"),
            };
            items.push((position.record, short));
            ControlFlow::Continue(())
        });
    items
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn reading_can_begin_anywhere_even_in_a_damaged_file(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in proptest::option::of(any::<prop::sample::Index>()),
        from in 0..12_u64,
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        for file in files(folder.path()) {
            let mut bytes = fs::read(&file).expect("a file");
            for (index, byte) in &changes {
                let at = index.index(bytes.len());
                bytes[at] = *byte;
            }
            if let Some(cut) = cut {
                bytes.truncate(cut.index(bytes.len()));
            }
            let path = folder.path().join("damaged");
            fs::write(&path, bytes).expect("a file");
            let mut expected = items(&path, 0);
            prop_assert!(expected.iter().map(|(record, _)| *record).eq(0..expected.len() as u64), "numbered from 0");
            expected.retain(|(record, _)| *record >= from);
            prop_assert_eq!(items(&path, from), expected, "{} from {}", file.display(), from);
        }
    }
}

/// Two plain records, the second one at every place around the edge of a buffer.
#[test]
fn a_record_at_the_edge_of_a_buffer_is_found() {
    let record = |url: &str, body: &str, end: &str| {
        format!(
            "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: {url}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n{body}{end}",
            body.len()
        )
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("edge.warc");
    let overhead = record("a:1", "", "\n").len();
    for place in 4080..4110 {
        // The length has four digits here and one in the measure of the overhead.
        let first = record("a:1", &"x".repeat(place - overhead - 3), "\n");
        assert_eq!(first.len(), place);
        fs::write(&path, first + &record("a:2", "Two.", "\r\n\r\n")).expect("a file");
        let kinds: Vec<String> = items(&path, 0).into_iter().map(|(_, item)| item[..8].to_owned()).collect();
        assert_eq!(kinds, ["document", "document"], "second record at {place}");
    }
}

/// A gzip member around a few bytes.
fn member(content: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut encoder, content.as_bytes()).expect("in memory");
    encoder.finish().expect("in memory")
}

/// Of six members, any one damaged anywhere: the five others are read, and the damage is reported.
#[test]
fn one_damaged_member_costs_one_member() {
    let warc = |n: usize| {
        let body = format!("The text of document {n}. ").repeat(20);
        let head = format!(
            "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:uuid:d{n}>\r\nContent-Type: text/plain\r\n"
        );
        format!("{head}Content-Length: {}\r\n\r\n{body}\r\n\r\n", body.len())
    };
    let jsonl = |n: usize| {
        format!("{{\"id\": \"d{n}\", \"text\": \"{}\"}}\n", format!("The text of document {n}. ").repeat(20))
    };
    let folder = tempfile::tempdir().expect("a folder");
    for (name, make) in [("a.warc.gz", &warc as &dyn Fn(usize) -> String), ("a.jsonl.gz", &jsonl)] {
        for damaged in 0..6 {
            let whole = member(&make(damaged));
            for place in [0, 1, 11, whole.len() / 2, whole.len() - 6] {
                let bytes: Vec<Vec<u8>> = (0..6)
                    .map(|n| {
                        let mut bytes = member(&make(n));
                        if n == damaged {
                            bytes[place] ^= 0x55;
                        }
                        bytes
                    })
                    .collect();
                let path = folder.path().join(name);
                fs::write(&path, bytes.concat()).expect("a file");
                let found = items(&path, 0);
                let text = format!("{found:?}");
                // A first member that is no gzip at all leaves nothing to recognise the file by.
                if damaged == 0 && place < 2 {
                    continue;
                }
                for n in (0..6).filter(|n| *n != damaged) {
                    assert!(
                        text.contains(&format!("document d{n} ")),
                        "{name}, member {damaged}, byte {place}: no {n} in {text}"
                    );
                }
                let failures = found.iter().filter(|(_, item)| item.starts_with("failed")).count();
                assert_eq!(failures, 1, "{name}, member {damaged}, byte {place}: {text}");
            }
        }
    }
}
