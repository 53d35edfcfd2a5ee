//! `compare`, `editions` and `library`.

use std::fs;
use std::path::{Path, PathBuf};

use refrain::jobs::{CheckInput, CompareInput, EditionsInput, NamedPairs};
use refrain::source::ReadOptions;
use refrain::write::{Compression, Format};
use refrain::{
    Compare, Convert, Document, Editions, Input, Library, LibraryCheck, LibraryOptions, Output, Outputs, Run,
};

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples")
}

fn paths(name: &str) -> Input {
    Input::paths([samples().join(name).to_string_lossy()]).expect("a name")
}

/// The documents of a sample, in memory and as a JSONL file.
fn documents(name: &str, folder: &Path) -> (Vec<Document>, Input) {
    let (outputs, results) = Outputs::memory();
    Convert::default().run(&paths(name), outputs, &Run::default()).expect("documents");
    let documents = results.documents();
    let file = folder.join("documents.jsonl");
    let input = Input::documents(documents.clone());
    Convert::default().run(&input, Outputs::to(&file).expect("a name"), &Run::default()).expect("a file");
    (documents, Input::paths([file.to_string_lossy()]).expect("a name"))
}

#[test]
fn compare() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = Run::default();
    let job = Compare::default();
    for format in Compare::FORMATS.iter().copied().filter(|format| *format != Format::Report) {
        let file = folder.path().join("pairs").with_extension(format.extension());
        let outputs = Outputs::to(&file).expect("a name").format(format, Compression::None);
        let written = job.run(&paths("essays"), outputs, &run).expect("pairs");
        let (outputs, memory) = Outputs::memory();
        let kept = job.run(&paths("essays"), outputs.format(format, Compression::None), &run).expect("pairs");
        assert!(!written.pairs.is_empty());
        assert_eq!(written, kept);
        assert_eq!(fs::read(&file).expect("a file"), memory.bytes(), "{}", format.name());
    }
    let (documents, file) = documents("essays", folder.path());
    let from_file = job.run(&file, Outputs::none(), &run).expect("pairs");
    let from_memory = job.run(&Input::documents(documents.clone()), Outputs::none(), &run).expect("pairs");
    assert_eq!(from_file, from_memory);

    let (one, other) = documents.split_at(2);
    let pairs: NamedPairs =
        [(one[0].id.clone(), other[0].id.clone()), ("nobody".into(), one[0].id.clone())].into_iter().collect();
    let input = CompareInput { pairs: Some(pairs), ..CompareInput::from(&Input::documents(documents.clone())) };
    let (outputs, memory) = Outputs::memory();
    let key = memory.clone();
    let outputs = outputs.list("key", Output::Memory(key));
    let report = Compare { anonymous: true, ..job.clone() }.run(input, outputs, &run).expect("pairs");
    assert_eq!((report.pairs.len(), report.failures.count), (1, 1));
    assert!(String::from_utf8_lossy(&memory.bytes()).starts_with("name\tid\nDocument 1\t"));
    let with_reference = CompareInput {
        reference: Some(Input::documents(other.to_vec())),
        exclude: Some(paths("brief.md")),
        ..CompareInput::from(&Input::documents(one.to_vec()))
    };
    let report = job.run(with_reference, Outputs::none(), &run).expect("pairs");
    assert_eq!(report.documents.iter().filter(|document| document.reference).count(), other.len());
}

#[test]
fn editions() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = Run::default();
    let job = Editions::default();
    let index = folder.path().join("books.index");
    for format in Editions::FORMATS.iter().copied().filter(|format| *format != Format::Report) {
        let file = folder.path().join("pairs").with_extension(format.extension());
        let outputs = Outputs::to(&file).expect("a name").list("index", Output::path(&index).expect("a name"));
        let written = job.run(&paths("editions"), outputs.format(format, Compression::None), &run).expect("pairs");
        let (outputs, memory) = Outputs::memory();
        let kept = job.run(&paths("editions"), outputs.format(format, Compression::None), &run).expect("pairs");
        assert!(!written.pairs.is_empty() && written.compared);
        assert_eq!(written, kept);
        assert_eq!(fs::read(&file).expect("a file"), memory.bytes(), "{}", format.name());
    }
    let from_index = Input::paths([index.to_string_lossy()]).expect("a name");
    let from_index = job.run(&from_index, Outputs::none(), &run).expect("pairs");
    assert_eq!(from_index.pairs, job.run(&paths("editions"), Outputs::none(), &run).expect("pairs").pairs);

    let (outputs, memory) = Outputs::memory();
    job.run(&paths("editions"), Outputs::none().list("index", outputs.main().clone()), &run).expect("an index");
    assert_eq!(memory.bytes(), fs::read(&index).expect("an index"));

    let (documents, file) = documents("editions", folder.path());
    let from_file = job.run(&file, Outputs::none(), &run).expect("pairs");
    let from_memory = job.run(&Input::documents(documents.clone()), Outputs::none(), &run).expect("pairs");
    assert_eq!(from_file, from_memory);
    let against = Some(Input::documents(documents[..1].to_vec()));
    let input = EditionsInput { books: Input::documents(documents[1..].to_vec()), against };
    let last = documents.len() as u32 - 1;
    let report = job.run(input, Outputs::none(), &run).expect("pairs");
    assert!(report.compared && report.pairs.iter().all(|pair| pair.b == last));
}

#[test]
fn library() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = Run::default();
    let (documents, file) = documents("essays", folder.path());
    let memory_input = Input::documents(documents.clone());
    let make = |name: &str, input: &Input| {
        let mut library =
            Library::open_or_create(folder.path().join(name), LibraryOptions::default()).expect("a library");
        let report = library.add(input, &ReadOptions::default(), Outputs::none(), &run).expect("sources");
        assert_eq!((report.new, report.failures.count), (documents.len() as u64, 0));
        library
    };
    let (one, mut other) = (make("one", &file), make("other", &memory_input));
    assert!(one.sources().eq(other.sources()));
    let check = |library: &Library, input: &Input, outputs: Outputs| {
        let input = CheckInput { exclude: Some(paths("brief.md")), ..CheckInput::from(input) };
        library.check(input, &LibraryCheck { others: true, ..LibraryCheck::default() }, outputs, &run).expect("a check")
    };
    let report = check(&one, &file, Outputs::none());
    assert_eq!(report, check(&other, &memory_input, Outputs::none()));
    assert!(report.documents.iter().any(|document| !document.sources.is_empty()));
    let written = folder.path().join("checked.jsonl");
    let (outputs, memory) = Outputs::memory();
    check(&one, &file, Outputs::to(&written).expect("a name"));
    check(&other, &file, outputs);
    assert_eq!(fs::read(&written).expect("a file"), memory.bytes());

    assert_eq!(other.remove([documents[0].id.as_str(), "nobody"]).expect("a change"), ["nobody"]);
    other.compact().expect("a change");
    other.verify().expect("no damage");
    assert_eq!(other.sources().count(), documents.len() - 1);
}
