use std::fs;

use refrain::{Decode, Input, Output, Outputs, Run};

use super::{samples, texts};

#[test]
fn decode() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = Input::paths([samples().join("pages").to_string_lossy()]).expect("a name");
    let decoded = folder.path().join("utf8/");
    let job = Decode::default();
    let to_files = Outputs::to(&decoded).expect("a name");
    let on_disk = job.run(&input, to_files, &Run::default()).expect("the texts");
    let (outputs, results) = Outputs::memory();
    let (_, lines) = Outputs::memory();
    let outputs = outputs.list("files", Output::Memory(lines.clone()));
    let in_memory = job.run(&input, outputs, &Run::default()).expect("the documents");
    let documents = results.documents();

    assert_eq!(in_memory.encodings, on_disk.encodings);
    assert_eq!(fs::read(decoded.join("report.jsonl")).expect("the report"), lines.bytes());
    assert_eq!(documents.len() as u64, on_disk.files);
    for document in &documents {
        let name = document.id.rsplit_once("pages/").expect("the name of a page").1;
        assert_eq!(fs::read_to_string(decoded.join(name)).expect("a text"), document.text(), "{name}");
        let bytes = fs::read(&document.origin.input).expect("a page");
        let text = job.bytes(bytes).expect("text");
        assert_eq!((text.text.as_str(), Some(text.encoding)), (document.text(), document.encoding.as_deref()));
    }

    // What is decoded stays as it is.
    let (outputs, results) = Outputs::memory();
    let again = job.run(&Input::documents(documents.clone()), outputs, &Run::default()).expect("the documents");
    assert_eq!(again.encodings.keys().collect::<Vec<_>>(), [&"UTF-8"]);
    assert_eq!(texts(&results.documents()), texts(&documents));
}
