//! What people hand in and cannot be compared: `refrain compare`, `refrain library add` and `refrain library check` name it and
//! the way out, and go on with the others.

mod common;

use common::{Env, cut, handed_in, noise, zip};
use serde_json::json;

const SHARED: &str = "The weight that turned the lens hung in the middle of the tower and sank a little with every turn, so that it \
    had to be wound up again every two hours, in calm nights as in storms. Whoever had the first watch woke the second keeper at \
    midnight and wrote into the log how much oil had been burnt, which way the wind blew, and what ships had passed.";

/// Hands in a file next to two good ones, which must be compared as if it were not there.
#[track_caller]
fn named_and_skipped(name: &str, content: impl AsRef<[u8]>, says: &[&str]) {
    let env = Env::new();
    for (name, seed) in [("a.txt", 1), ("b.txt", 2)] {
        env.write(name, format!("{SHARED}\n\n{}", common::words(120, seed)));
    }
    env.write(name, content);
    let says = [&[name], says].concat();
    env.run(&["compare", "a.txt", name, "b.txt", "-o", "pairs.jsonl"]).code(1).says(&says).says(&["1 pair"]);
    let pairs = env.read_jsonl("pairs.jsonl");
    assert_eq!((pairs.len(), &pairs[0]["a"], &pairs[0]["b"]), (1, &json!("a.txt"), &json!("b.txt")));
    // With one good document there is nothing to compare; with none, the same.
    env.run(&["compare", "a.txt", name]).code(1).says(&says).says(&["a.txt: this is the only", "at least two files"]);
    env.run(&["compare", name]).code(1).says(&says).says(&["no document could be read", "at least two files"]);
    env.run(&["library", "add", "lib/", name, "a.txt"]).code(1).says(&says).says(&["added 1 document "]);
    let list = env.run(&["library", "list", "lib/"]).code(0);
    assert!(list.text().lines().count() == 1 && list.text().ends_with("a.txt\n"), "{}", list.text());
    let check = env.run(&["library", "check", "lib/", name, "b.txt", "--json"]).code(1).says(&says);
    let checked = common::parse_jsonl(check.text().as_bytes());
    assert_eq!(
        (checked.len(), &checked[0]["id"], &checked[0]["sources"][0]["id"]),
        (1, &json!("b.txt"), &json!("a.txt"))
    );
    env.run(&["library", "verify", "lib/"]).code(0);
}

#[test]
fn an_encrypted_pdf() {
    named_and_skipped("essay.pdf", handed_in("encrypted.pdf"), &["encrypted PDF", "without a password"]);
}

#[test]
fn an_encrypted_docx() {
    named_and_skipped("essay.docx", handed_in("encrypted.docx"), &["encrypted", "without a password"]);
}

#[test]
fn a_damaged_pdf() {
    named_and_skipped("cut.pdf", cut("keeper.pdf", 2), &["damaged PDF file", "check that the file is complete"]);
    let noise = [&b"%PDF-1.4\n"[..], &noise(3000)].concat();
    named_and_skipped("noise.pdf", noise, &["damaged PDF file", "check that the file is complete"]);
}

#[test]
fn a_damaged_docx() {
    named_and_skipped("cut.docx", cut("keeper.docx", 60), &["damaged DOCX file", "check that the archive is complete"]);
    let members: [(&str, &[u8]); 2] =
        [("[Content_Types].xml", b"<Types/>"), ("word/document.xml", b"<w:p><w:t>x</w:p>")];
    named_and_skipped("bad.docx", zip(&members, true), &["damaged DOCX file", "word/document.xml"]);
}

#[test]
fn a_scanned_pdf() {
    named_and_skipped("scan.pdf", handed_in("scan.pdf"), &["images of pages", "OCR", "ocrmypdf"]);
}

#[test]
fn an_empty_essay() {
    named_and_skipped("essay.txt", "", &["empty file", "remove it"]);
    named_and_skipped("essay.txt", " .\n\n - ", &["no words", "check the file"]);
}

#[test]
fn two_identical_files() {
    let env = Env::new();
    for name in ["a.txt", "b.txt"] {
        env.write(name, SHARED);
    }
    env.run(&["compare", "a.txt", "b.txt", "-o", "pairs.jsonl"]).code(0).says(&["1 pair"]);
    let pair = &env.read_jsonl("pairs.jsonl")[0];
    let all = json!([0, SHARED.chars().count()]);
    assert_eq!((&pair["r"], &pair["c_ab"], &pair["c_ba"]), (&json!(1.0), &json!(1.0), &json!(1.0)));
    assert_eq!((&pair["passages"][0]["a"], &pair["passages"][0]["b"]), (&all, &all));
    let table = env.run(&["compare", "a.txt", "b.txt"]).code(0);
    assert!(table.text().contains(" 100.0  100.0  100.0 "), "{}", table.text());
    env.run(&["library", "add", "lib/", "a.txt", "b.txt"]).code(0).says(&["added 2 documents"]);
    let check = env.run(&["library", "check", "lib/", "a.txt"]).code(0);
    assert!(check.text().contains("100.0 % in a.txt") && check.text().contains("100.0 % in b.txt"), "{}", check.text());
    // The same file, named twice, is one document.
    env.run(&["compare", "a.txt", "a.txt"]).code(1).says(&["a.txt: this is the only document", "at least two files"]);
}
