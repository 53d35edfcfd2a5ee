//! Every job of the library: files and memory give the same documents, with the same figures. `Editions` and `Library` are in
//! `jobs/compare.rs`.

use std::path::{Path, PathBuf};

use refrain::{Convert, Document, Input, Outputs, Run};

#[path = "jobs/arrow.rs"]
mod arrow;
#[path = "jobs/compare.rs"]
mod compare;
#[path = "jobs/convert.rs"]
mod convert;
#[path = "jobs/corpus.rs"]
mod corpus;
#[path = "jobs/decode.rs"]
mod decode;
#[path = "jobs/decontaminate.rs"]
mod decontaminate;
#[path = "jobs/dedup.rs"]
mod dedup;
#[path = "jobs/extract.rs"]
mod extract;
#[path = "jobs/quality.rs"]
mod quality;
#[path = "jobs/strip.rs"]
mod strip;
#[path = "jobs/template.rs"]
mod template;

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples")
}

fn texts(documents: &[Document]) -> Vec<&str> {
    documents.iter().map(Document::text).collect()
}

fn names_of(documents: &[Document]) -> Vec<&str> {
    documents.iter().map(Document::name).collect()
}

/// The documents in files.
fn read(path: &Path) -> Vec<Document> {
    let (outputs, results) = Outputs::memory();
    let input = Input::paths([path.to_string_lossy()]).expect("a name");
    Convert::default().run(&input, outputs, &Run::default()).expect("the documents");
    results.documents()
}
