use std::fs;

use refrain::{Document, Extract, Input, Outputs, Run};

use super::{read, samples, texts};

#[test]
fn one_page_and_many_give_the_same_text() {
    let page = samples().join("pages/lighthouse.example/lens.html");
    let html = fs::read_to_string(&page).expect("a page");
    let one = Extract::default().page(&html, Some("https://lighthouse.example/lens.html"));
    let (outputs, results) = Outputs::memory();
    let input = Input::paths([page.to_string_lossy()]).expect("a name");
    Extract::default().run(&input, outputs, &Run::default()).expect("the page");
    let from_file = results.documents();
    assert_eq!(texts(&from_file), [one.document.text()]);
    assert_eq!(from_file[0].meta.get("title"), Some(&one.metadata.title.expect("a title").into()));
}

#[test]
fn files_and_memory_hold_the_same_pages() {
    let folder = tempfile::tempdir().expect("a folder");
    let crawl = samples().join("crawl.warc.gz");
    let input = Input::paths([crawl.to_string_lossy()]).expect("a name");
    let (outputs, results) = Outputs::memory();
    let in_memory = Extract::default().run(&input, outputs, &Run::default()).expect("pages");
    let file = folder.path().join("pages.jsonl");
    let on_disk = Extract::default().run(&input, Outputs::to(&file).expect("a name"), &Run::default()).expect("pages");
    assert_eq!(in_memory, on_disk);
    assert_eq!(texts(&results.documents()), texts(&read(&file)));
}

#[test]
fn pages_in_memory_are_extracted_like_files() {
    let page = samples().join("pages/lighthouse.example/lens.html");
    let html = fs::read_to_string(page).expect("a page");
    let (outputs, results) = Outputs::memory();
    let input = Input::documents([Document::from_text("lens", html.clone())]);
    Extract::default().run(&input, outputs, &Run::default()).expect("the page");
    assert_eq!(texts(&results.documents()), [Extract::default().page(&html, None).document.text()]);
}
