use std::fs;

use refrain::jobs::corpus::Start;
use refrain::{Corpus, Document, Input, Outputs, Run};

use super::{read, samples, texts};

#[test]
fn a_corpus_from_memory_resumes_and_knows_its_documents() {
    let folder = tempfile::tempdir().expect("a folder");
    let corpus = folder.path().join("corpus");
    let build = |texts: &[&str]| {
        let documents = texts.iter().map(|text| Document::from_text("", *text));
        let outputs = Outputs::to(&corpus).expect("a name");
        Corpus::default().run(&Input::documents(documents), outputs, &Run::default())
    };
    assert_eq!(build(&["One note.", "Another."]).expect("a corpus").start, Start::New);
    assert_eq!(build(&["One note.", "Another."]).expect("a corpus").start, Start::Complete);
    assert!(build(&["Two notes", "Another."]).is_err(), "other documents are another corpus");
}

#[test]
fn threads_do_not_matter() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = Input::paths([samples().join("crawl.warc.gz").to_string_lossy()]).expect("a name");
    let build = |threads: usize| {
        let path = folder.path().join(threads.to_string());
        let run = Run { threads: Some(threads), ..Run::default() };
        Corpus::default().run(&input, Outputs::to(&path).expect("a name"), &run).expect("a corpus");
        (fs::read(path.join("manifest.json")).expect("a manifest"), read(&path))
    };
    let ((one, documents), (two, others)) = (build(1), build(2));
    assert_eq!(one, two);
    assert_eq!(texts(&documents), texts(&others));
}
