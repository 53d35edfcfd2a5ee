use std::fs;
use std::path::Path;

use refrain::{Convert, Dedup, Document, Input, Keep, Memory, Output, Outputs, Run, Unit};

use super::{read, samples, texts};

#[test]
fn dedup() {
    let folder = tempfile::tempdir().expect("a folder");
    let name = |file: &str| folder.path().join(file);
    let docs = name("docs.jsonl");
    let crawl = Input::documents(read(&samples().join("crawl.warc.gz")));
    Convert::default().run(&crawl, Outputs::to(&docs).expect("a name"), &Run::default()).expect("a file");
    let files = Input::paths([docs.to_string_lossy()]).expect("a name");
    let in_memory = Input::documents(read(&docs));

    let by_document = Dedup { unit: Unit::Document, ..Dedup::default() };
    let longest = Dedup { keep: Keep::Longest, ..by_document.clone() };
    for (number, job) in [Dedup::default(), by_document, longest].into_iter().enumerate() {
        let (clean, list) = (name(&format!("{number}.jsonl")), name(&format!("{number}-removed.jsonl")));
        let outputs = Outputs::to(&clean).and_then(|outputs| outputs.removed(&list)).expect("names");
        let on_disk = job.run(&files, outputs, &Run::default()).expect("the documents");
        assert!(on_disk.words_kept < on_disk.words, "{job:?}");
        for input in [&files, &in_memory] {
            let (outputs, results) = Outputs::memory();
            let removed = Memory::default();
            let outputs = outputs.list("removed", Output::Memory(removed.clone()));
            assert_eq!(job.run(input, outputs, &Run::default()).expect("the documents"), on_disk);
            assert_eq!(removed.bytes(), fs::read(&list).expect("a list"));
            assert_eq!(texts(&results.documents()), texts(&read(&clean)));
        }
        let written = serde_json::to_string(&job).expect("a job is plain data");
        assert_eq!(serde_json::from_str::<Dedup>(&written).expect("the same job"), job);
    }
}

#[test]
fn dedup_against_documents_files_and_evidence() {
    let folder = tempfile::tempdir().expect("a folder");
    let name = |file: &str| folder.path().join(file).to_string_lossy().into_owned();
    let known = read(&samples().join("crawl.warc.gz"));
    let (old, new) = known.split_at(known.len() / 2);
    let (old, new) = (Input::documents(old.to_vec()), Input::documents(new.to_vec()));
    let job = Dedup::default();
    let outputs = Outputs::to(name("old.jsonl")).and_then(|outputs| outputs.save(name("evidence")));
    job.run(&old, outputs.expect("names"), &Run::default()).expect("the documents");
    let against = |known: &Input| {
        let (outputs, results) = Outputs::memory();
        let outputs = outputs.list("explain", Output::Memory(results.clone()));
        job.run_against(&new, known, outputs, &Run::default()).expect("the documents");
        assert!(!results.bytes().is_empty());
        results.documents()
    };
    let file = against(&Input::paths([name("old.jsonl")]).expect("a name"));
    let documents = against(&Input::documents(read(Path::new(&name("old.jsonl")))));
    let evidence = against(&Input::paths([name("evidence")]).expect("a name"));
    assert_eq!((texts(&documents), texts(&evidence)), (texts(&file), texts(&file)));
}

#[test]
fn dedup_refuses_what_it_cannot_do() {
    let input = Input::documents([Document::from_text("a", "One text.")]);
    let refusal = |job: &Dedup, outputs: Outputs| {
        job.run(&input, outputs, &Run::default()).expect_err("cannot be done").to_string()
    };
    let clusters = Outputs::none().list("clusters", Output::Memory(Memory::default()));
    assert!(refusal(&Dedup::default(), clusters).contains("`clusters`"));
    let longest = Dedup { keep: Keep::Longest, ..Dedup::default() };
    assert!(refusal(&longest, Outputs::none()).contains("`keep`"));
    let count = Dedup { count_only: true, ..Dedup::default() };
    assert!(refusal(&count, Outputs::memory().0).contains("writes no documents"));
    let run = Run { memory: Some(1 << 20), ..Run::default() };
    let error = Dedup::default().run(&input, Outputs::none(), &run).expect_err("too little memory");
    assert!(error.to_string().contains("`memory=128M`"), "{error}");
}
