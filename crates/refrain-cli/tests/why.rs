//! `refrain why`, and the evidence that folders of documents keep for it.

mod common;

use common::{Env, Outcome, samples, words};
use serde_json::{Value, json};

/// Three documents: the second repeats a paragraph of the first with other words, and the third is the same as the first.
fn collection(env: &Env) {
    let [one, two] = [1, 2].map(|seed| words(60, seed));
    let edited = one.replacen(' ', " inserted ", 1);
    let documents = [
        ("https://a.example/first", format!("{one}\n\n{}", words(50, 3))),
        ("https://a.example/second", format!("{two}\n\n{edited}")),
        ("notes/third.txt", format!("{one}\n\n{}", words(50, 3))),
    ];
    let lines = documents.map(|(id, text)| json!({"id": id, "text": text}).to_string() + "\n");
    env.write("docs.jsonl", lines.concat());
}

fn why(env: &Env, arguments: &str) -> Outcome {
    env.run(&format!("why {arguments}").split(' ').collect::<Vec<_>>())
}

fn as_json(env: &Env, arguments: &str) -> Value {
    let outcome = why(env, &format!("{arguments} --json"));
    assert_eq!(outcome.code, 0, "{outcome:?}");
    serde_json::from_slice(&outcome.stdout).expect("an object")
}

fn text(outcome: &Outcome) -> String {
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""), "{outcome:?}");
    String::from_utf8(outcome.stdout.clone()).expect("text")
}

#[test]
fn a_folder_keeps_what_was_removed_from_it() {
    let env = Env::new();
    collection(&env);
    for options in [&[][..], &["--format", "jsonl.zst", "--removed", "removed.jsonl"], &["--by", "document"]] {
        let _ = std::fs::remove_dir_all(env.path("clean"));
        env.run(&[&["dedup", "docs.jsonl", "-o", "clean/", "-q"], options].concat()).code(0);
        assert!(env.path("clean/_refrain/removed.jsonl.zst").is_file(), "{options:?}");
        let report = env.read_json("clean/_refrain/report.json");
        assert_eq!(report["documents"], 3, "{options:?}");
        // Neither is a document when the folder is read again.
        let listed = env.run(&["list", "clean/"]).code(0);
        assert!(!String::from_utf8_lossy(&listed.stdout).contains("_refrain"), "{options:?}: {listed:?}");
        assert!(listed.stderr.ends_with(" 0 skipped, 0 failed\n"), "{options:?}: {listed:?}");
    }
    env.run(&["list", "clean/_refrain"]).code(2);
}

#[test]
fn the_rule_and_both_sides_are_shown() {
    let env = Env::new();
    collection(&env);
    env.run(&["dedup", "docs.jsonl", "-o", "clean/", "-q"]).code(0);
    let second = text(&why(&env, "second clean/"));
    let lines: Vec<&str> = second.lines().collect();
    assert_eq!(lines[0], "https://a.example/second");
    assert_eq!(lines[1], "1 of 2 paragraphs (61 of 121 words) was removed: 1 is a copy");
    assert!(lines[3].contains("% of its words") && lines[3].ends_with("https://a.example/first"), "{second}");
    assert!(lines[4].starts_with("   removed:  ") && lines[5].starts_with("   kept:     "), "{second}");
    let begin = |line: &str| line[13..].split(' ').next().expect("a word").to_owned();
    assert_eq!(begin(lines[4]), begin(lines[5]), "the same place: {second}");

    let third = as_json(&env, "third clean/");
    assert_eq!(third["summary"], "the whole document (110 words) was removed: 2 are copies");
    assert_eq!(third["ranges"][0]["rule"], "dedup digest");
    assert_eq!(third["ranges"][0]["partner"]["id"], "https://a.example/first");
    assert_eq!(third["ranges"][0]["partner"]["text"], third["ranges"][0]["text"]);
    assert_eq!(text(&why(&env, "first clean/")).lines().nth(1), Some("nothing was removed from it"));
}

#[test]
fn a_part_of_a_name_selects_one_document_or_lists_them() {
    let env = Env::new();
    collection(&env);
    env.run(&["dedup", "docs.jsonl", "-o", "clean/", "-q"]).code(0);
    let several = why(&env, "a.example clean/");
    assert_eq!(several.code, 2);
    assert!(several.stderr.contains("2 documents match `a.example`"), "{several:?}");
    assert!(several.stderr.contains("\n  https://a.example/first\n  https://a.example/second"), "{several:?}");
    let none = why(&env, "nothing-like-it clean/");
    assert_eq!((none.code, none.stderr.as_str()), (2, "error: no document of clean/ matches `nothing-like-it`\n"));
    let missing = why(&env, "first docs.jsonl");
    assert_eq!(missing.code, 2);
    assert!(missing.stderr.contains("no list of removed ranges in docs.jsonl") && missing.stderr.contains("--removed"));
}

#[test]
fn a_list_next_to_one_file_works_too() {
    let env = Env::new();
    collection(&env);
    env.run(&["dedup", "docs.jsonl", "-o", "clean.jsonl", "--removed", "removed.jsonl", "-q"]).code(0);
    let report = as_json(&env, "second clean.jsonl --removed removed.jsonl");
    assert_eq!(report["ranges"][0]["partner"]["id"], "https://a.example/first");
    // Without the documents, the reasons remain.
    env.write("other.jsonl", "{\"id\":\"x\",\"text\":\"Other text.\"}\n");
    let report = as_json(&env, "second other.jsonl --removed removed.jsonl");
    assert_eq!(report["ranges"][0]["source"], "https://a.example/first");
    assert_eq!(report["ranges"][0]["partner"], Value::Null);
    // A list that is none is named.
    let damaged = why(&env, "second clean.jsonl --removed docs.jsonl");
    assert_eq!(damaged.code, 2);
    assert!(damaged.stderr.contains("docs.jsonl: is not a list of removed ranges"), "{damaged:?}");
}

#[test]
fn corpora_books_and_pages_are_explained() {
    let env = Env::new();
    env.copy_folder(&samples(), "samples");
    env.run(&["corpus", "samples/crawl.warc.gz", "-o", "corpus/", "-q"]).code(0);
    let page = text(&why(&env, "https://lighthouse.example/articles/lens.html corpus/"));
    assert!(
        page.contains("are boilerplate")
            && page.contains("extract learned: the probability that it is main content is"),
        "{page}"
    );
    env.run(&["strip", "samples/books", "-o", "books/", "-q"]).code(0);
    let book =
        env.read_jsonl("books/report.jsonl").iter().find(|book| book["preamble_end"] != 0).expect("one")["origin"]
            .clone();
    let book = text(&why(&env, &format!("{} books/", book.as_str().expect("a name"))));
    assert!(book.contains("in the preamble"), "{book}");
    env.run(&["template", "samples/site", "-o", "pages/", "-q"]).code(0);
    let id = env.read_jsonl("pages/report.jsonl")[0]["id"].as_str().expect("an id").to_owned();
    let page = text(&why(&env, &format!("{id} pages/")));
    assert!(page.contains("site template") && page.contains("it is not content on"), "{page}");
}

#[test]
fn items_of_benchmarks_are_shown_beside_the_text() {
    let env = Env::new();
    env.copy_folder(&samples(), "samples");
    let evals = ["--evals", "samples/evals/"];
    env.run(&[&["decontaminate", "samples/quiz.jsonl", "-o", "clean/", "-q"], &evals[..]].concat()).code(0);
    let report = as_json(&env, "pub-quiz clean/");
    let partner = &report["ranges"][0]["partner"];
    assert_eq!((&partner["id"], &partner["benchmark"]), (&json!("q1"), &json!("lighthouse-quiz")));
    let question = env.read_jsonl("samples/evals/lighthouse-quiz.jsonl")[0]["question"].clone();
    assert!(partner["text"].as_str().expect("a text").contains(question.as_str().expect("a question")), "{report}");
    let shown = text(&why(&env, "pub-quiz clean/"));
    assert!(shown.contains("\n   removed:  ") && shown.contains("\n   item:     "), "{shown}");
    let explained = env.run(&[&["decontaminate", "samples/quiz.jsonl", "--explain"], &evals[..]].concat()).code(0);
    assert!(explained.text().contains("\n   item:     "), "{explained:?}");
}

#[test]
fn hostile_names_and_texts_do_not_steer_the_terminal() {
    let env = Env::new();
    let text_of = format!("\u{1b}]0;title\u{7} {}", words(60, 1));
    let lines = ["a", "b\u{1b}[31m"].map(|id| json!({"id": id, "text": text_of}).to_string() + "\n");
    env.write("docs.jsonl", lines.concat());
    env.run(&["dedup", "docs.jsonl", "-o", "clean/", "-q"]).code(0);
    let shown = text(&why(&env, "b clean/"));
    assert!(shown.contains('a') && !shown.contains(['\u{1b}', '\u{7}']), "{shown:?}");
}
