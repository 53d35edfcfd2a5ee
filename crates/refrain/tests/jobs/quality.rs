use refrain::jobs::QualityOptions;
use refrain::{Input, Label, Outputs, Quality, Run};

use super::{names_of, read, samples};

fn job(quality: &str) -> Quality {
    let rules = QualityOptions { quality: vec![quality.into()], min_words: Some(90), ..QualityOptions::default() };
    Quality { rules, ..Quality::default() }
}

#[test]
fn files_and_memory_hold_the_same_documents() {
    let folder = tempfile::tempdir().expect("a folder");
    let notes = samples().join("notes.jsonl");
    let input = Input::paths([notes.to_string_lossy()]).expect("a name");
    let file = folder.path().join("notes.jsonl");
    let report = job("fineweb").run(&input, Outputs::to(&file).expect("a name"), &Run::default()).expect("a file");
    assert_eq!(report.documents, 5);
    assert!(report.documents_kept > 0 && report.documents_kept < 5, "{report:?}");
    let (outputs, results) = Outputs::memory();
    let again = job("fineweb").run(&Input::documents(read(&notes)), outputs, &Run::default()).expect("documents");
    assert_eq!((again.words_kept, &again.rules), (report.words_kept, &report.rules));
    assert_eq!(names_of(&results.documents()), names_of(&read(&file)));
}

#[test]
fn what_breaks_a_rule_can_be_kept_with_its_marks() {
    let (outputs, results) = Outputs::memory();
    let keeping = Quality { keep_marked: true, ..job("gopher") };
    let notes = samples().join("notes.jsonl");
    keeping.run(&Input::documents(read(&notes)), outputs, &Run::default()).expect("documents");
    let documents = results.documents();
    let marked = documents.iter().filter(|document| document.marks.iter().any(|mark| mark.label == Label::Quality));
    assert!(documents.len() == 5 && marked.count() > 0);
}
