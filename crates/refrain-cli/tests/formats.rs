//! Files that an earlier build of refrain wrote still open. `formats/README.md` says how each was made.

mod common;

use std::path::Path;

use common::{Env, parse_jsonl, read_parquet, samples, text_of};
use serde_json::json;

/// A folder with the samples in `samples/` and the kept files in `formats/`.
fn kept() -> Env {
    let env = Env::new();
    env.copy_folder(&samples(), "samples");
    env.copy_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats"), "formats");
    env
}

#[test]
fn a_corpus_is_read() {
    let env = kept();
    let from_parquet = env.convert(&["formats/corpus"]);
    assert_eq!(
        from_parquet.ids(),
        [
            "samples/notes.zip/harbour/barometer.txt",
            "samples/notes.zip/harbour/ferry.txt",
            "samples/notes.zip/harbour/quai.txt",
            "samples/notes.zip/garden/slugs.txt",
            "samples/notes.zip/garden/regentonne.txt",
            "samples/pages/lighthouse.example/lens.html",
            "samples/pages/lighthouse.example/tides.html",
        ]
    );
    let parts = env.path("formats/corpus/documents/part-00000.parquet");
    let (names, rows) = read_parquet(&parts);
    let text = names.iter().position(|name| name == "text").expect("a column of texts");
    assert_eq!(from_parquet.texts(), rows.iter().map(|row| row[text].as_deref().expect("a text")).collect::<Vec<_>>());

    let without_marked = env.convert(&["formats/corpus-marked"]);
    assert_eq!(without_marked.texts(), from_parquet.texts(), "marked ranges are not part of the corpus");
    let with_marked = env.convert(&["formats/corpus-marked", "--keep-marked"]);
    assert_eq!(with_marked.documents, env.read_jsonl("formats/corpus-marked/documents/part-00000.jsonl"));

    let statistics = env.run(&["stats", "formats/corpus", "--json"]).code(0);
    let statistics: serde_json::Value = serde_json::from_str(statistics.text()).expect("JSON");
    assert_eq!(statistics["total"]["kept"], json!({"documents": 7, "words": 1512, "tokens": 1670}));
}

#[test]
fn a_corpus_without_evidence_grows() {
    let env = kept();
    let more = ["corpus", "samples/notes.jsonl", "-o", "formats/corpus", "--dedup", "exact", "-q"];
    let adding = [&more[..], &["--add"]].concat();
    env.run(&adding).code(2).says(&["--rebuild-evidence"]);
    env.run(&["corpus", "--rebuild-evidence", "formats/corpus"]).code(0);
    env.run(&adding).code(0);
    env.run(&["corpus", "--verify", "formats/corpus"]).code(0);
    let manifest = env.read_json("formats/corpus/manifest.json");
    assert_eq!(manifest["batches"].as_array().map(Vec::len), Some(2));
    assert_eq!(manifest["parts"][0]["documents"], 7, "the first part is as it was");
}

#[test]
fn a_killed_run_is_resumed() {
    let env = kept();
    for empty in ["documents", "removed"] {
        std::fs::create_dir(env.path("formats/corpus-killed").join(empty)).expect("a folder that git does not keep");
    }
    env.run(&["convert", "formats/corpus-killed"]).code(2).says(&["an incomplete corpus"]);
    let command =
        ["corpus", "samples/pages", "samples/site", "--part-size", "20K", "--checkpoint", "20K", "--threads", "1"];
    env.run(&[&command[..], &["-o", "fresh/"]].concat()).code(0);
    env.run(&[&command[..], &["-o", "formats/corpus-killed/"]].concat()).code(0).says(&["resumed an interrupted run"]);
    assert!(env.snapshot("formats/corpus-killed") == env.snapshot("fresh"), "the same corpus as without a break");
}

#[test]
fn evidence_of_duplicates_is_used() {
    let env = kept();
    for (unit, removed) in [("block", 6), ("document", 1)] {
        let run = ["dedup", "samples/essays/anna.txt", "samples/notes.jsonl", "--by", unit, "-o", "clean.jsonl", "-q"];
        let against = ["--against", "formats/dedup-evidence", "--removed", "removed.jsonl"];
        env.run(&[&run[..], &against[..]].concat()).code(0);
        let removed_now = env.read_jsonl("removed.jsonl");
        assert_eq!(removed_now.len(), removed, "{unit}: {removed_now:?}");
        assert!(removed_now.iter().all(|range| range["id"] == "samples/essays/anna.txt"), "{removed_now:?}");
        let notes = env.convert(&["samples/notes.jsonl"]);
        assert_eq!(env.read_jsonl("clean.jsonl").len(), notes.documents.len());
    }
}

#[test]
fn a_library_is_checked_against() {
    let env = kept();
    let found = env.run(&["library", "check", "formats/library", "samples/essays/bert.txt", "--json"]).code(0);
    let found = &parse_jsonl(&found.stdout)[0];
    assert_eq!(found["shared"], found["grams"]);
    assert_eq!(found["sources"][1]["id"], "samples/essays/anna.txt");
    assert_eq!(found["sources"][1]["r"], 0.199_413);
    env.run(&["library", "verify", "formats/library"]).code(0).says(&["5 sources"]);
    env.run(&["library", "add", "formats/library", "samples/books"]).code(0);
    env.run(&["library", "verify", "formats/library"]).code(0).says(&["8 sources"]);
}

#[test]
fn an_index_of_books_is_searched() {
    let env = kept();
    let from_index = env.run(&["editions", "formats/books.index", "--format", "tsv"]).code(0);
    let from_books = env.run(&["editions", "samples/editions", "--format", "tsv"]).code(0);
    assert_eq!(from_index.text(), from_books.text());
    assert_eq!(from_index.text().lines().count(), 8, "seven pairs below a heading");
}

#[test]
fn templates_and_wrappers_are_used() {
    let env = kept();
    let page = "samples/site/bells.html";
    let content = env.run(&["template", page, "--evidence", "formats/site.templates"]).code(0);
    let content = &parse_jsonl(&content.stdout)[0];
    assert!(text_of(content).starts_with("Fog bells for sale\n\nSeven fog bells"), "{content}");
    assert!(text_of(content).ends_with("none of them is out of tune."), "{content}");

    let records =
        env.run(&["template", page, "--records", "--wrapper", "formats/site.wrapper", "--format", "jsonl"]).code(0);
    let record = &parse_jsonl(&records.stdout)[0];
    assert_eq!((&record["author"], &record["place"]), (&json!("Bram Oost"), &json!("Buoy Yard")));
}

#[test]
fn evidence_of_books_is_used() {
    let env = kept();
    let kept = env.run(&["strip", "samples/books/lamp.txt", "--evidence", "formats/books.evidence"]).code(0);
    env.run(&["strip", "samples/books", "-o", "bodies/"]).code(0);
    assert_eq!(kept.text(), env.read_text("bodies/lamp.txt"));
    assert!(kept.stdout.len() < env.read("samples/books/lamp.txt").len());
}

#[test]
fn the_texts_of_a_report_are_compared_again() {
    let env = kept();
    env.run(&["convert", "formats/report"]).code(2).says(&["report"]);
    let report = env.read_json("formats/report/report.json");
    assert_eq!(report["refrain_report"], 1);
    let again = env.run(&["compare", "formats/report/texts.jsonl", "--format", "json"]).code(0);
    let again: serde_json::Value = serde_json::from_str(again.text()).expect("JSON");
    let passages = |report: &serde_json::Value| -> Vec<_> {
        let pairs = report["pairs"].as_array().expect("pairs");
        pairs.iter().map(|pair| (pair["r"].clone(), pair["passages"].clone())).collect()
    };
    assert_eq!(passages(&report).len(), 3);
    assert_eq!(passages(&again), passages(&report));
}

#[test]
fn a_model_of_encodings_is_used() {
    let env = kept();
    env.write("page.txt", b"\xbelu\xbbou\xe8k\xfd k\xf9\xf2");
    let found = env.run(&["decode", "--model", "formats/czech.model", "page.txt"]).code(0);
    assert_eq!(found.text(), "žluťoučký kůň");
}
