use std::fs;

use refrain::{Convert, Document, Input, Outputs, Run};

use super::{names_of, read, samples};

#[test]
fn files_and_memory_hold_the_same_documents() {
    let folder = tempfile::tempdir().expect("a folder");
    let notes = samples().join("notes.jsonl");
    let input = Input::paths([notes.to_string_lossy()]).expect("a name");
    let file = folder.path().join("notes.jsonl");
    let report = Convert::default().run(&input, Outputs::to(&file).expect("a name"), &Run::default()).expect("a file");
    let documents = read(&notes);
    assert_eq!(report.documents, documents.len() as u64);
    let again = folder.path().join("again.jsonl");
    let from_memory = Input::documents(documents.clone());
    Convert::default().run(&from_memory, Outputs::to(&again).expect("a name"), &Run::default()).expect("a file");
    assert_eq!(fs::read_to_string(&file).expect("a file"), fs::read_to_string(&again).expect("a file"));
    assert_eq!(names_of(&read(&again)), names_of(&documents));
}

#[test]
fn a_list_that_the_job_does_not_write_is_refused() {
    let outputs = Outputs::none().save("evidence").expect("a name");
    let input = Input::documents([Document::from_text("a", "One text.")]);
    let refused = Convert::default().run(&input, outputs, &Run::default()).expect_err("no such list");
    assert!(refused.to_string().contains("save"), "{refused}");
}
