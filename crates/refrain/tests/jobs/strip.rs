use std::fs;
use std::path::Path;

use refrain::jobs::SavedEvidence;
#[cfg(feature = "papers")]
use refrain::strip::PaperOptions;
use refrain::strip::StripMethod;
use refrain::{Convert, Document, Input, Label, Memory, Output, Outputs, Run, Strip, StripReport};

use super::{read, samples, texts};

/// Runs the job: its report, documents and evidence.
fn strip_all(job: &Strip, input: &Input) -> (StripReport, Vec<Document>, Vec<u8>) {
    let (outputs, results) = Outputs::memory();
    let evidence = Memory::default();
    let saves = job.evidence.is_none() && job.method == StripMethod::Learned;
    let outputs = if saves { outputs.list("save", Output::Memory(evidence.clone())) } else { outputs };
    let report = job.run(input, outputs, &Run::default()).expect("the books");
    (report, results.documents(), evidence.bytes())
}

#[test]
fn strip() {
    let folder = tempfile::tempdir().expect("a folder");
    let books = samples().join("books");
    let files = Input::paths([books.to_string_lossy()]).expect("a name");
    let job = Strip::default();
    let (report, bodies, evidence) = strip_all(&job, &files);
    assert_eq!((report.books, report.preambles, report.epilogues), (3, 3, 3));
    assert!(report.learned.is_some_and(|learned| learned.texts == 3));

    // To files.
    let file = folder.path().join("bodies.jsonl");
    let on_disk = job.run(&files, Outputs::to(&file).expect("a name"), &Run::default()).expect("the books");
    assert_eq!(on_disk, report);
    assert_eq!(texts(&read(&file)), texts(&bodies));
    let clean = folder.path().join("clean/");
    job.run(&files, Outputs::to(&clean).expect("a name"), &Run::default()).expect("the books");
    for body in &bodies {
        let name = Path::new(&body.id).file_name().expect("a name");
        assert_eq!(fs::read_to_string(clean.join(name)).expect("a body").trim(), body.text());
    }

    // From memory, and from a file of documents.
    let whole = read(&books);
    let (from_memory, documents, saved) = strip_all(&job, &Input::documents(whole.clone()));
    assert_eq!((from_memory, &saved), (report, &evidence));
    assert_eq!(texts(&documents), texts(&bodies));
    let file = folder.path().join("books.jsonl");
    let outputs = Outputs::to(&file).expect("a name");
    Convert::default().run(&Input::documents(whole.clone()), outputs, &Run::default()).expect("the documents");
    let (_, from_jsonl, _) = strip_all(&job, &Input::paths([file.to_string_lossy()]).expect("a name"));
    assert_eq!(texts(&from_jsonl), texts(&documents));

    // With marks, and with saved evidence.
    let keep = Strip { keep_marked: true, ..Strip::default() };
    let (_, marked, _) = strip_all(&keep, &files);
    assert_eq!(texts(&marked), texts(&whole));
    assert!(marked.iter().all(|book| book.marks[0].label == Label::Preamble && book.marks.len() == 2));
    let known = Strip { evidence: Some(SavedEvidence::Bytes(evidence)), ..Strip::default() };
    let (used, again, _) = strip_all(&known, &files);
    assert_eq!((used.learned, texts(&again)), (None, texts(&bodies)));
}

#[cfg(feature = "papers")]
#[test]
fn the_published_method_gives_the_same_from_files_and_memory() {
    let books = samples().join("books");
    let files = Input::paths([books.to_string_lossy()]).expect("a name");
    let paper =
        Strip { method: StripMethod::Paper(PaperOptions { k: 1, ..PaperOptions::PUBLISHED }), ..Strip::default() };
    assert_eq!(texts(&strip_all(&paper, &files).1), texts(&strip_all(&paper, &Input::documents(read(&books))).1));
    let written = serde_json::to_string(&paper).expect("a job is plain data");
    assert_eq!(serde_json::from_str::<Strip>(&written).expect("the same job"), paper);
}

#[test]
fn strip_writes_rows_and_lists_to_memory() {
    let files = Input::paths([samples().join("books").to_string_lossy()]).expect("a name");
    let (outputs, rows) = Outputs::memory();
    let (page, doubtful) = (Memory::default(), Memory::default());
    let outputs = outputs.list("page", Output::Memory(page.clone())).list("doubtful", Output::Memory(doubtful.clone()));
    let job = Strip { explain: true, ..Strip::default() };
    job.run(&files, outputs, &Run::default()).expect("the books");
    assert!(rows.documents().is_empty());
    let rows = String::from_utf8(rows.bytes()).expect("text");
    assert!(rows.lines().all(|row| row.starts_with("{\"confidence\":") || row.starts_with("{\"id\":")), "{rows}");
    assert_eq!(rows.lines().count(), 3);
    assert!(page.bytes().starts_with(b"<!doctype html>") && doubtful.bytes().starts_with(b"id\t"));

    let run = Run::default();
    run.stop.request();
    let stopped = Strip::default().run(&files, Outputs::none(), &run);
    assert!(matches!(stopped, Err(refrain::Error::Interrupted)));
}
