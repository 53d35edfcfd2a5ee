//! `template` on a sample site.

use std::fs;
use std::path::{Path, PathBuf};

use refrain::jobs::{RangeUnit, TemplateResult};
use refrain::{Convert, Document, Input, Memory, Output, Outputs, Run, Template, TemplateReport};

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples")
}

fn texts(documents: &[Document]) -> Vec<&str> {
    documents.iter().map(Document::text).collect()
}

#[test]
fn a_site_has_the_same_content_from_files_and_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let site = Input::paths([samples().join("site").to_string_lossy()]).expect("a name");
    let run = |job: &Template, input: &Input, outputs: Outputs| -> TemplateReport {
        job.run(input, outputs, &Run::default()).expect("the result")
    };
    // Content as documents, with what was learned saved both ways.
    let job = Template::default();
    let saved = Memory::default();
    let to_file = Outputs::to(path("content.jsonl")).expect("a name");
    let on_disk = run(&job, &site, to_file.list("save", Output::path(path("site.templates")).expect("a name")));
    let (outputs, results) = Outputs::memory();
    let in_memory = run(&job, &site, outputs.list("save", Output::Memory(saved.clone())));
    assert_eq!(in_memory, on_disk);
    assert_eq!(fs::read(path("site.templates")).expect("the templates"), saved.bytes());
    let documents = results.documents();
    let (outputs, results) = Outputs::memory();
    let written = Input::paths([path("content.jsonl").to_string_lossy()]).expect("a name");
    Convert::default().run(&written, outputs, &Run::default()).expect("the documents");
    assert_eq!(texts(&results.documents()), texts(&documents));
    let evidence = Template { evidence: Some(path("site.templates")), ..Template::default() };
    let (outputs, results) = Outputs::memory();
    assert!(!run(&evidence, &site, outputs).no_longer_fits);
    assert_eq!(texts(&results.documents()), texts(&documents));

    // Pages in memory, and in a folder.
    let files = fs::read_dir(samples().join("site")).expect("the site").map(|entry| entry.expect("a page").path());
    let mut files: Vec<PathBuf> = files.collect();
    files.sort();
    let page = |file: &PathBuf| Document::from_text(file.to_string_lossy(), fs::read_to_string(file).expect("a page"));
    let pages = Input::documents(files.iter().map(page));
    let (outputs, results) = Outputs::memory();
    run(&job, &pages, outputs);
    assert_eq!(texts(&results.documents()), texts(&documents));
    run(&job, &pages, Outputs::to(path("pages/")).expect("a name"));
    assert_eq!(fs::read_dir(path("pages")).expect("a folder").count(), files.len() + 2);

    // What is no document is bytes in memory.
    let others = [
        (TemplateResult::Ranges(RangeUnit::Chars), "ranges.jsonl"),
        (TemplateResult::Records, "records.csv"),
        (TemplateResult::Show, "pages.html"),
    ];
    for (result, name) in others {
        let job = Template { result, ..Template::default() };
        run(&job, &site, Outputs::to(path(name)).expect("a name"));
        let (outputs, results) = Outputs::memory();
        run(&job, &site, outputs);
        let bytes = results.bytes();
        assert!(!bytes.is_empty() && bytes == fs::read(path(name)).expect("a file"), "{name}");
    }
}
