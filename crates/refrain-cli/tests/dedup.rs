//! `refrain dedup`: what is left out and why, and what cannot be read.

mod common;

use std::io::Write;

use common::{Env, words};
use serde_json::{Value, json};

const STORY: &str = "The keeper of the lighthouse climbed the stairs every evening at dusk, lit the lamp, and wrote the names of \
    the ships that had passed into a large book that lay on the table below the window.";
const OTHER: &str = "In the village behind the dunes the baker had already closed his shop, and the smell of bread was gone \
    from the streets, when the first boats came home with the evening tide.";
/// Every fifth word of the story, about, is another one.
const EDITED: &str = "The keeper of that lighthouse climbed the steps every evening at nightfall, lit the lantern, and wrote the \
    names of the ships that went passed into a heavy book that lay under the table below one window.";

fn documents(env: &Env, documents: &[(&str, &str)]) {
    let lines: Vec<String> = documents.iter().map(|(id, text)| json!({"id": id, "text": text}).to_string()).collect();
    env.write("docs.jsonl", lines.join("\n"));
}

fn removed(env: &Env) -> Vec<Value> {
    env.read_jsonl("removed.jsonl")
}

/// The document that was kept instead of a removed one.
fn resembled(line: &Value) -> &Value {
    &line["evidence"]["resembles"]["document"]
}

const DEDUP: [&str; 6] = ["dedup", "docs.jsonl", "-o", "clean.jsonl", "--removed", "removed.jsonl"];

#[test]
fn copied_blocks_are_removed_and_their_source_is_listed() {
    let env = Env::new();
    let new =
        "What she saw from the window on that night nobody believed, although she told it to everyone who asked her.";
    documents(&env, &[("a", &format!("{OTHER}\n\n{STORY}")), ("b", &format!("{new}\n\n{STORY}"))]);
    env.run(&DEDUP).code(0).says(&["wrote 2 documents", "1 block"]);
    let clean = env.read_jsonl("clean.jsonl");
    assert_eq!(clean[0]["text"], format!("{OTHER}\n\n{STORY}"));
    assert_eq!(clean[1]["text"], new);
    let gone = &removed(&env)[0];
    let start = new.len() + 2;
    assert_eq!((&gone["id"], &gone["label"]), (&json!("b"), &json!("duplicate")));
    assert_eq!((&gone["start"], &gone["end"]), (&json!(start), &json!(start + STORY.len())));
    let why = &gone["evidence"]["repeats"];
    assert_eq!((&why["document"], &why["by"], &why["share"]), (&json!("a"), &json!("ngrams"), &json!(1.0)));
}

#[test]
fn edited_copies_are_found_and_other_facts_are_not_copies() {
    let env = Env::new();
    let meeting = "The meeting on Monday will be held in room 12 of the old town hall.";
    let another = "The meeting on Friday will be held in room 31 of the old town hall.";
    documents(
        &env,
        &[
            ("a", STORY),
            ("b", &format!("{OTHER}\n\n{EDITED}")),
            ("c", meeting),
            ("d", &format!("{another}\n\nCome all.")),
        ],
    );
    env.run(&DEDUP).code(0);
    let gone = removed(&env);
    assert_eq!(gone.len(), 1, "{gone:?}");
    assert_eq!(gone[0]["evidence"]["repeats"]["by"], "alignment");
    env.run(&["dedup", "docs.jsonl", "-o", "intact.jsonl", "--intact"]).code(0).says(&["0 blocks"]);
}

#[test]
fn the_first_copy_is_kept_whatever_the_threads() {
    let env = Env::new();
    let all: Vec<(String, String)> =
        (0..300).map(|n| (n.to_string(), format!("{}\n\n{}", words(30, n % 60), words(25, n % 90)))).collect();
    let all: Vec<(&str, &str)> = all.iter().map(|(id, text)| (id.as_str(), text.as_str())).collect();
    documents(&env, &all);
    let clean = |threads: &str| {
        env.run(&["dedup", "docs.jsonl", "-o", &format!("{threads}.jsonl"), "--threads", threads]).code(0);
        env.read_text(&format!("{threads}.jsonl"))
    };
    let one = clean("1");
    assert_eq!(one, clean("3"));
    assert!(one.lines().count() < 300 && one.starts_with("{\"id\":\"0\""), "{one}");
}

#[test]
fn whole_documents_are_compared() {
    let env = Env::new();
    let both = format!("{STORY}\n\n{OTHER}");
    documents(
        &env,
        &[("a", &both), ("b", &both.to_uppercase()), ("c", &format!("{OTHER} {STORY}")), ("d", "word"), ("e", "word")],
    );
    env.run(&[&DEDUP[..], &["--by", "document"]].concat()).code(0);
    let gone: Vec<(Value, Value)> =
        removed(&env).iter().map(|line| (line["id"].clone(), resembled(line).clone())).collect();
    assert_eq!(gone, [(json!("b"), json!("a")), (json!("c"), json!("a")), (json!("e"), json!("d"))]);
    assert_eq!(removed(&env)[0]["evidence"]["resembles"]["score"], 1.0);
}

#[test]
fn copies_of_another_collection_are_removed() {
    let env = Env::new();
    env.write("old.jsonl", format!("{}\n", json!({"id": "old", "text": STORY})));
    documents(&env, &[("a", STORY), ("b", OTHER)]);
    env.run(&[&DEDUP[..], &["--against", "old.jsonl"]].concat()).code(0).says(&["wrote 1 document"]);
    assert_eq!(env.read_jsonl("clean.jsonl")[0]["id"], "b");
    assert_eq!(removed(&env)[0]["evidence"]["repeats"]["document"], "old");
    env.run(&["dedup", "docs.jsonl", "-o", "d.jsonl", "--against", "old.jsonl", "--by", "document"]).code(0);
    assert_eq!(env.read_jsonl("d.jsonl").len(), 1);
}

#[test]
fn removals_are_explained_and_clusters_listed() {
    let env = Env::new();
    documents(&env, &[("a", STORY), ("b", STORY), ("c", OTHER), ("d", EDITED)]);
    let lines = env.run(&["dedup", "docs.jsonl", "--explain"]).code(0).text().to_owned();
    assert!(lines.contains("b, 0 to 191: its document has the same words as a"), "{lines}");
    assert!(lines.contains("of its words occur in the same order in a"), "{lines}");
    // Both sides are shown: the text that was removed, and the one that was kept.
    let copy = lines.lines().skip_while(|line| !line.starts_with("b, 0 to")).collect::<Vec<_>>();
    let beginning = &STORY[..40];
    assert_eq!(copy[1][..53], format!("   removed:  {beginning}"), "{lines}");
    assert_eq!(copy[2][..53], format!("   kept:     {beginning}"), "{lines}");
    env.run(&["dedup", "docs.jsonl", "--explain", "-o", "why.txt"]).code(0);
    assert_eq!(env.read_text("why.txt"), lines);
    // As JSON it is the list of what was removed.
    env.run(&["dedup", "docs.jsonl", "-o", "clean.jsonl", "--removed", "removed.jsonl"]).code(0);
    env.run(&["dedup", "docs.jsonl", "--explain", "-o", "why.jsonl"]).code(0);
    assert_eq!(env.read_text("why.jsonl"), env.read_text("removed.jsonl"));
    env.run(&["dedup", "docs.jsonl", "-o", "f.jsonl", "--by", "document", "--clusters", "clusters.jsonl"]).code(0);
    let clusters = env.read_jsonl("clusters.jsonl");
    assert_eq!((clusters.len(), &clusters[0]["keep"], &clusters[0]["copies"]), (1, &json!("a"), &json!(["b"])));
    // A short text with changes can be another one.
    assert_eq!(clusters[0]["related"][0]["id"], "d");
    // Without an output that is all.
    env.run(&["dedup", "docs.jsonl", "--clusters", "only.jsonl"]).code(0);
    assert_eq!(env.read_text("only.jsonl"), env.read_text("clusters.jsonl"));
    env.run(&["dedup", "docs.jsonl", "--explain", "-o", "why.parquet"]).code(2).says(&["why.parquet", ".jsonl"]);
}

#[test]
fn a_page_shows_what_was_removed_beside_its_source() {
    let env = Env::new();
    let hostile = "<script>alert(1)</script> & <b>no tags</b> \u{1b}[31m";
    documents(&env, &[("a", STORY), ("<i>b</i>", STORY), ("c", OTHER), ("d", EDITED), ("e", hostile), ("f", hostile)]);
    for options in [&[][..], &["--exact"], &["--by", "document"], &["--by", "document", "--keep", "longest"]] {
        let line = ["dedup", "docs.jsonl", "-o", "clean.jsonl", "--report", "report.html"];
        env.run(&[&line[..], options].concat()).code(0);
        let page = env.read_text("report.html");
        assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"), "{options:?}");
        assert!(page.contains("<bdi>kept in a</bdi>"), "{options:?}: {page}");
        assert!(page.matches(&STORY[..30]).count() >= 2, "{options:?}: {page}");
        assert!(!page.contains("<script") && !page.contains("<i>") && !page.contains('\u{1b}'), "{options:?}: {page}");
        assert!(!page.contains("src=") && !page.contains("http:") && !page.contains("https:"), "{options:?}");
    }
    // Saved evidence has words and no text.
    env.run(&["dedup", "docs.jsonl", "-o", "clean.jsonl", "--save", "known"]).code(0);
    env.run(&["dedup", "docs.jsonl", "-o", "x.jsonl", "--against", "known", "--report", "report.html"]).code(0);
    assert!(env.read_text("report.html").contains("only the words of this document were saved"));
    env.run(&["dedup", "docs.jsonl", "--count-only", "--report", "report.html"]).code(2).says(&[".json"]);
}

#[test]
fn people_see_addresses_and_files_have_ids() {
    let env = Env::new();
    let crawl = common::sample("crawl.warc.gz");
    let is_uuid = |text: &str| text.len() == 36 && text.split('-').map(str::len).eq([8, 4, 4, 4, 12]);
    let has_uuid = |text: &str| text.split([' ', ',', ':', '\n']).any(is_uuid);
    for command in [
        &["dedup", &crawl, "--explain"][..],
        &["dedup", &crawl, "--explain", "--exact"],
        &["dedup", &crawl, "--explain", "--by", "document"],
        &["dedup", &crawl, "--explain", "--by", "document", "--keep", "longest"],
        &["strip", &crawl, "--explain"],
        &["extract", &crawl, "--explain"],
        &["compare", &crawl],
        &["editions", &crawl],
        &["list", &crawl],
    ] {
        let text = env.run(command).code(0).text().to_owned();
        assert!(text.contains("lighthouse.example") && !has_uuid(&text), "{command:?}: {text}");
    }
    env.run(&["dedup", &crawl, "--removed", "removed.jsonl", "-o", "clean.jsonl"]).code(0);
    assert!(env.read_jsonl("removed.jsonl").iter().all(|line| is_uuid(line["id"].as_str().expect("an id"))));
    env.run(&["library", "add", "lib/", &crawl]).code(0);
    let list = env.run(&["library", "list", "lib/"]).code(0).text().to_owned();
    assert!(list.contains("https://lighthouse.example/") && !has_uuid(&list), "{list}");
    let check = env.run(&["library", "check", "lib/", &crawl]).code(0).text().to_owned();
    assert!(check.contains("https://lighthouse.example/") && !has_uuid(&check), "{check}");
    // What the list shows can be removed.
    let name = list.split_whitespace().find(|word| word.starts_with("https://")).expect("an address");
    env.run(&["library", "remove", "lib/", name]).code(0).says(&["removed 1 document"]);
}

#[test]
fn a_report_is_printed_or_written_and_then_nothing_else_without_an_output() {
    let env = Env::new();
    documents(&env, &[("a", STORY), ("b", STORY)]);
    let printed = env.run(&["dedup", "docs.jsonl", "--json", "--report", "report.json"]).code(0);
    assert_eq!(printed.text(), env.read_text("report.json"));
    let report: Value = serde_json::from_slice(&printed.stdout).expect("JSON");
    assert_eq!((&report["documents"], &report["documents_kept"]), (&json!(2), &json!(1)));
    env.run(&["dedup", "docs.jsonl", "--json", "-o", "-"]).code(2).says(&["-o"]);
    env.run(&["dedup", "docs.jsonl", "--report", "report.txt"]).code(2).says(&["report.txt", ".json"]);
}

#[test]
fn ngrams_can_be_counted() {
    let env = Env::new();
    documents(&env, &[("a", "one two three four"), ("b", "two three four five"), ("c", "one two")]);
    let outcome =
        env.run(&["dedup", "docs.jsonl", "--count-only", "--json", "--ngram", "2", "--memory", "1.5G"]).code(0);
    let counts: Value = serde_json::from_slice(&outcome.stdout).expect("JSON");
    let figures = ["words", "ngrams", "distinct", "duplicate", "occurrences"].map(|name| counts[name].as_u64());
    assert_eq!(figures, [10, 7, 4, 3, 6].map(Some));
    assert!(counts["peak_memory"].as_u64() > Some(1 << 20) && counts["seconds"].is_number());
}

#[test]
fn repeated_ids_are_named_and_can_be_made_new() {
    let env = Env::new();
    documents(&env, &[("a", STORY), ("a", OTHER)]);
    env.run(&DEDUP).code(1).says(&["`a`", "--make-ids"]);
    assert_eq!(env.read_jsonl("clean.jsonl").len(), 2, "nothing is lost");
    env.run(&["dedup", "docs.jsonl", "-o", "made.jsonl", "--make-ids"]).code(0);
    assert_eq!(env.read_jsonl("made.jsonl")[1]["id"], "a#2");
}

#[test]
fn documents_without_words_are_kept() {
    let env = Env::new();
    documents(&env, &[("a", ""), ("b", "***"), ("c", ""), ("d", "***")]);
    env.run(&DEDUP).code(0).says(&["wrote 4 documents"]);
}

#[test]
fn of_a_million_identical_documents_one_is_left() {
    let env = Env::new();
    env.write(
        "docs.jsonl",
        "{\"text\": \"The lamp was lit at dusk, and the keeper wrote it down.\"}\n".repeat(1_000_000),
    );
    for arguments in [&["--by", "block"], &["--by", "document"]] {
        env.run(&[&DEDUP[..], arguments].concat()).code(0).says(&["wrote 1 document"]);
        let list = std::fs::read_to_string(env.path("removed.jsonl")).expect("a list");
        assert_eq!(list.lines().count(), 999_999);
    }
}

#[test]
fn a_document_of_a_gigabyte_is_named_and_the_rest_is_done() {
    let env = Env::new();
    let path = env.path("docs.jsonl");
    let mut file = std::fs::File::create(&path).expect("a file");
    let words = "lamp ".repeat(200_000);
    let mut write = |text: &str| file.write_all(text.as_bytes()).expect("room");
    write("{\"id\": \"large\", \"text\": \"");
    (0..1024).for_each(|_| write(&words));
    write(&format!("\"}}\n{}\n", json!({"id": "b", "text": STORY})));
    env.run(&DEDUP).code(1).says(&["docs.jsonl, line 1", "--max-document", "wrote 1 document"]);
}

#[test]
fn what_cannot_be_done_is_refused() {
    let env = Env::new();
    documents(&env, &[("a", STORY)]);
    env.run(&["dedup", "docs.jsonl", "-o", "x.jsonl", "--memory", "1M"]).code(2).says(&["--memory 128M"]);
    env.run(&["dedup", "docs.jsonl", "-o", "x.jsonl", "--temporary", "none"]).code(2).says(&["none"]);
    env.run(&["dedup", "docs.jsonl", "--json", "--explain"]).code(2).says(&["--json", "--explain"]);
    env.run(&["dedup", "docs.jsonl", "-o", "x.jsonl", "--ngram", "0"]).code(2).says(&["at least one word"]);
    env.run(&["dedup", "docs.jsonl", "-o", "x.jsonl", "--keep", "best"]).code(2).says(&["longest"]);
    env.run(&["dedup", "docs.jsonl", "-o", "x.jsonl", "--keep", "longest"]).code(2).says(&["--by document"]);
    env.run(&["dedup", "docs.jsonl", "-o", "x.jsonl", "--exact", "--stub", "3"]).code(2).says(&["--exact"]);
    env.run(&["dedup", "docs.jsonl", "-o", "x.jsonl", "--against", "-"]).code(2).says(&["--against"]);
    assert!(!env.path("x.jsonl").exists());
}

#[test]
fn options_that_would_do_nothing_are_refused() {
    let env = Env::new();
    documents(&env, &[("a", STORY)]);
    for (options, why) in [
        (["--offsets", "bytes"], "for ranges that are written"),
        (["--part-size", "1M"], "for a folder of parts"),
        (["--temporary", "nowhere"], "nowhere is not a folder"),
    ] {
        env.run(&[&["dedup", "docs.jsonl", "-o", "clean.jsonl"], &options[..]].concat()).code(2).says(&[why]);
    }
    env.run(&["dedup", "docs.jsonl", "--temporary", "nowhere"]).code(2).says(&["create it first"]);
}

#[test]
fn marks_that_come_with_a_document_are_honoured() {
    let env = Env::new();
    documents(&env, &[("a", STORY), ("b", STORY)]);
    env.run(&["dedup", "docs.jsonl", "-o", "marked.jsonl", "--keep-marked"]).code(0);
    env.run(&["dedup", "marked.jsonl", "-o", "clean.jsonl"]).code(0).says(&["wrote 1 document"]);
    let clean = env.read_jsonl("clean.jsonl");
    assert_eq!((clean.len(), clean[0].get("marks")), (1, None));
}

#[test]
fn no_input_is_written_over() {
    let env = Env::new();
    documents(&env, &[("a", STORY)]);
    env.write("old.jsonl", format!("{}\n", json!({"id": "old", "text": OTHER})));
    let before = (env.read_text("docs.jsonl"), env.read_text("old.jsonl"));
    let dedup = ["dedup", "docs.jsonl", "--against", "old.jsonl", "--by", "document", "-o", "x.jsonl"];
    for (option, file) in [("--removed", "docs.jsonl"), ("--removed", "old.jsonl"), ("--clusters", "docs.jsonl")] {
        env.run(&[&dedup[..], &[option, file]].concat()).code(2).says(&[file, "is an input", option]);
    }
    env.run(&[&dedup[..], &["--removed", "x.jsonl"]].concat())
        .code(2)
        .says(&["two outputs cannot share one file", "--removed"]);
    assert_eq!((env.read_text("docs.jsonl"), env.read_text("old.jsonl")), before);
}

#[test]
fn all_engines_remove_the_same() {
    let env = Env::new();
    let text = |n: u64| format!("{}\n\n{}", words(40, n % 7), words(25, n % 11));
    let all: Vec<(String, String)> = (0..60).map(|n| (n.to_string(), text(n))).collect();
    documents(&env, &all.iter().map(|(id, text)| (id.as_str(), text.as_str())).collect::<Vec<_>>());
    let of = |engine: &str| {
        env.run(&[&DEDUP[..], &["--engine", engine, "--report", "report.json"]].concat()).code(0);
        ["clean.jsonl", "removed.jsonl", "report.json"].map(|name| env.read_text(name))
    };
    let counts = |engine: &str| {
        let outcome = env.run(&["dedup", "docs.jsonl", "--count-only", "--json", "--engine", engine]).code(0);
        let counts: Value = serde_json::from_slice(&outcome.stdout).expect("JSON");
        ["words", "ngrams", "distinct", "duplicate", "occurrences"].map(|name| counts[name].clone())
    };
    for engine in ["suffix-array", "spex"] {
        assert_eq!((of(engine), counts(engine)), (of("hash"), counts("hash")), "{engine}");
    }
}

#[test]
fn exact_copies_can_be_all_that_is_removed() {
    let env = Env::new();
    documents(&env, &[("a", STORY), ("b", &STORY.to_lowercase()), ("c", &format!("{OTHER}\n\n  {STORY}"))]);
    let left = |arguments: &[&str]| -> Vec<Value> {
        env.run(&[&DEDUP[..], arguments].concat()).code(0);
        env.read_jsonl("clean.jsonl").iter().map(|line| line["id"].clone()).collect()
    };
    assert_eq!(left(&["--exact", "--by", "document"]), [json!("a"), json!("c")]);
    let copy = STORY.to_lowercase();
    let evidence = json!({"resembles": {"document": "a", "score": 1.0}});
    let gone = json!({
        "id": "b", "start": 0, "end": copy.len(), "label": "duplicate", "pass": "dedup", "evidence": evidence,
        "document_words": 37, "document_blocks": 1, "text": copy,
    });
    assert_eq!(removed(&env), [gone]);
    assert_eq!(left(&["--exact=space", "--by", "document"]), [json!("a"), json!("b"), json!("c")]);
    assert_eq!(left(&["--exact=bytes"]), [json!("a"), json!("b"), json!("c")]);
    assert_eq!(env.read_jsonl("clean.jsonl")[2]["text"], OTHER);
}

#[test]
fn documents_that_resemble_others_can_be_kept_with_marks() {
    let env = Env::new();
    documents(&env, &[("a", STORY), ("b", STORY), ("c", OTHER)]);
    for more in
        [&["--by", "document"][..], &["--by", "document", "--keep", "longest"], &["--by", "document", "--exact"]]
    {
        env.run(&[&DEDUP[..], &["--keep-marked"], more].concat()).code(0);
        let marked = env.read_jsonl("clean.jsonl");
        assert_eq!(marked.len(), 3, "{more:?}");
        assert_eq!((&marked[0]["marks"], &marked[1]["text"]), (&json!([]), &json!(STORY)), "{more:?}");
        assert_eq!(*resembled(&marked[1]["marks"][0]), "a", "{more:?}");
        assert_eq!(env.convert(&["clean.jsonl"]).ids(), ["a", "c"], "{more:?}");
    }
}

#[test]
fn which_document_is_kept_can_be_chosen() {
    let env = Env::new();
    let longer = format!("{STORY}\n\n{OTHER} He slept.");
    let lines = [
        json!({"id": "a", "text": format!("{STORY}\n\n{OTHER}"), "date": "2024-05-01", "rank": 9}),
        json!({"id": "b", "text": longer, "date": "2023-01-31", "rank": 10}),
        json!({"id": "c", "text": format!("{OTHER}\n\n{STORY}")}),
    ];
    env.write("docs.jsonl", lines.map(|line| line.to_string()).join("\n"));
    let kept = |keep: &str| {
        let more = ["--by", "document", "--keep", keep, "--clusters", "clusters.jsonl"];
        env.run(&[&DEDUP[..], &more].concat()).code(0).says(&["wrote 1 document", "removed 2 documents"]);
        let id = env.read_jsonl("clean.jsonl")[0]["id"].clone();
        assert!(removed(&env).iter().all(|gone| *resembled(gone) == id));
        assert_eq!(env.read_jsonl("clusters.jsonl")[0]["keep"], id);
        id
    };
    assert_eq!(kept("longest"), "b");
    assert_eq!((kept("most:date"), kept("least:date")), (json!("a"), json!("b")));
    assert_eq!((kept("most:rank"), kept("least:rank")), (json!("b"), json!("a")));
    assert_eq!(kept("first"), "a");
}

#[test]
fn evidence_replaces_the_documents_it_was_saved_of() {
    let env = Env::new();
    let text = |n: u64| format!("{}\n\n{}", words(40, n % 70), words(25, n % 70 + 300));
    let line = |n: u64| json!({"id": n.to_string(), "text": text(n)}).to_string();
    env.write("old.jsonl", (0..100).map(line).collect::<Vec<_>>().join("\n"));
    env.write("new.jsonl", (60..180).map(line).collect::<Vec<_>>().join("\n"));
    env.run(&["dedup", "old.jsonl", "-o", "kept.jsonl", "--save", "evidence/"]).code(0);
    for by in ["block", "document"] {
        let dedup = ["dedup", "new.jsonl", "--by", by, "-o"];
        env.run(&[&dedup[..], &["a.jsonl", "--removed", "ra.jsonl", "--against", "kept.jsonl"]].concat()).code(0);
        env.run(&[&dedup[..], &["b.jsonl", "--removed", "rb.jsonl", "--against", "evidence/"]].concat()).code(0);
        assert_eq!(env.read_text("a.jsonl"), env.read_text("b.jsonl"));
        assert_eq!(env.read_text("ra.jsonl"), env.read_text("rb.jsonl"));
        assert!(env.read_text("rb.jsonl").lines().count() > 30);
    }
    // What is damaged or was not finished is never taken for documents, or for less evidence.
    let against = ["dedup", "new.jsonl", "-o", "x.jsonl", "--against", "evidence/"];
    let words = env.read("evidence/words");
    env.write("evidence/words", &words[..words.len() / 2]);
    env.run(&against).code(2).says(&["the wrong length"]);
    env.write("evidence/words", &words);
    let note = env.read("evidence/evidence.json");
    std::fs::remove_file(env.path("evidence/evidence.json")).expect("a file");
    env.run(&against).code(2).says(&["is incomplete"]);
    env.write("evidence/evidence.json", note);
    assert!(!env.path("x.jsonl").exists());
    env.run(&["dedup", "new.jsonl", "-o", "x.jsonl", "--save", "."]).code(2).says(&["other files"]);
    env.run(&["dedup", "new.jsonl", "-o", "x.jsonl", "--exact", "--against", "evidence/"]).code(2).says(&["evidence"]);
}

#[test]
fn the_report_lists_what_is_kept_and_what_is_lost() {
    let env = Env::new();
    let own = "Nobody had told the baker about the lamp and the keeper before that night.";
    let lines = [
        json!({"id": "a", "text": STORY, "language": "en", "url": "https://one.example/a"}),
        // Some words of its own at the end of a copied block.
        json!({"id": "b", "text": format!("{STORY} {own}\n\n{OTHER}"), "language": "en", "url": "https://two.example/b"}),
        json!({"id": "c", "text": "", "language": "de", "url": "https://two.example/c"}),
    ];
    env.write("docs.jsonl", lines.map(|line| line.to_string()).join("\n"));
    let more = ["--report", "report.json", "--lost", "lost.jsonl"];
    let table = env.run(&[&DEDUP[..], &more].concat()).code(0).text().to_owned();
    assert!(table.contains("7-grams, repeated") && table.contains("two.example"), "{table}");
    let report = env.read_json("report.json");
    let words = |text: &str| text.split_whitespace().count() as u64;
    assert_eq!(report["words"], words(STORY) * 2 + words(OTHER) + words(own));
    assert_eq!(report["words_kept"], words(STORY) + words(OTHER));
    assert_eq!((&report["documents_without_words"], &report["blocks_removed"]), (&json!(1), &json!(1)));
    assert_eq!(report["ngrams_before"]["duplicate"], words(STORY) - 6);
    assert_eq!(report["ngrams_after"]["duplicate"], 0);
    assert_eq!(report["by_host"]["two.example"]["documents"], 2);
    assert_eq!(
        (&report["most_repeated"][0]["count"], &report["most_repeated"][0]["document"]),
        (&json!(2), &json!("a"))
    );
    // What is lost: n-grams of the words of its own, and those that reach across the ends of the block.
    let lost = env.read_jsonl("lost.jsonl");
    assert_eq!(lost.len(), 1);
    assert!(lost[0]["text"].as_str().is_some_and(|text| text.ends_with(own.trim_end_matches('.'))), "{lost:?}");
    assert!(report["ngrams_lost"].as_u64() >= lost[0]["ngrams"].as_u64());
}

#[test]
fn the_report_counts_all_spellings_of_a_host_together() {
    let env = Env::new();
    let page = |id: &str, url: &str| json!({"id": id, "text": format!("{STORY} {id}"), "url": url}).to_string();
    let pages = [page("a", "http://WWW.Example.org:80/a"), page("b", "https://example.org/b")];
    env.write("docs.jsonl", pages.join("\n"));
    env.run(&["dedup", "docs.jsonl", "-o", "clean.jsonl", "--report", "report.json"]).code(0);
    let report = env.read_json("report.json");
    let hosts: Vec<_> = report["by_host"].as_object().expect("hosts").iter().collect();
    assert_eq!(hosts.len(), 1, "{hosts:?}");
    assert_eq!((hosts[0].0.as_str(), &hosts[0].1["documents"]), ("example.org", &json!(2)));
}

#[test]
fn standard_input_and_folders_of_parts() {
    let env = Env::new();
    let text = |n: u64| json!({"id": n.to_string(), "text": words(200, n % 80)}).to_string();
    let lines = (0..100).map(text).collect::<Vec<_>>().join("\n");
    env.run_fed(&["dedup", "-", "-o", "fed.jsonl"], lines.as_bytes()).code(0);
    env.write("docs.jsonl", &lines);
    env.run(&["dedup", "docs.jsonl", "-o", "read.jsonl"]).code(0);
    let ids = |name: &str| env.read_jsonl(name).iter().map(|line| line["id"].clone()).collect::<Vec<_>>();
    assert_eq!(ids("fed.jsonl"), ids("read.jsonl"));
    let parts = ["--checkpoint", "10K", "--part-size", "30K", "--format", "parquet"];
    env.run(&[&["dedup", "docs.jsonl", "-o", "parts/"], &parts[..]].concat()).code(0).says(&["wrote 80 documents"]);
    assert!(env.path("parts/part-00001.parquet").exists() && !env.path("parts/part-00009.parquet").exists());
    env.run(&["convert", "parts/", "-o", "back.jsonl"]).code(0);
    assert_eq!(ids("back.jsonl"), ids("read.jsonl"));
    env.write("full/other.txt", "x");
    env.run(&["dedup", "docs.jsonl", "-o", "full/"]).code(2).says(&["full/ is not empty"]);
}

#[test]
fn memory_does_not_change_the_output() {
    let env = Env::new();
    let text = |n: u64| json!({"id": n.to_string(), "text": words(300, n % 700)}).to_string();
    env.write("docs.jsonl", (0..1000).map(text).collect::<Vec<_>>().join("\n"));
    let of = |memory: &str| {
        env.run(&[&DEDUP[..], &["--memory", memory, "--report", "report.json"]].concat()).code(0);
        ["clean.jsonl", "removed.jsonl", "report.json"].map(|name| env.read(name))
    };
    assert_eq!(of("128M"), of("3G"));
}

#[test]
fn odd_collections_are_worked_through() {
    let env = Env::new();
    // Documents of one word each.
    env.write(
        "words.jsonl",
        (0..5000).map(|n| json!({"text": format!("w{}", n % 50)}).to_string() + "\n").collect::<String>(),
    );
    env.run(&["dedup", "words.jsonl", "-o", "a.jsonl"]).code(0).says(&["wrote 50 documents"]);
    env.run(&["dedup", "words.jsonl", "-o", "a.jsonl", "--by", "document"]).code(0).says(&["wrote 50 documents"]);
    env.run(&["dedup", "words.jsonl", "-o", "a.jsonl", "--exact"]).code(0).says(&["wrote 50 documents"]);
    // A document that is larger than any may be: it is named, and the rest is done.
    let large = json!({"id": "large", "text": "lamp ".repeat(300_000)}).to_string();
    env.write("docs.jsonl", format!("{large}\n{}\n", json!({"id": "b", "text": STORY})));
    env.run(&[&DEDUP[..], &["--max-document", "1M"]].concat()).code(1).says(&["--max-document", "wrote 1 document"]);
    env.run(&DEDUP).code(0).says(&["wrote 2 documents"]);
}

#[test]
fn few_files_are_open_at_a_time() {
    let env = Env::new();
    let lines = (0..3000).map(|n| json!({"text": format!("{STORY} Number {n} of {}.", n / 2)}).to_string() + "\n");
    env.write("docs.jsonl", lines.collect::<String>());
    let command = format!(
        "ulimit -n 64; exec {} dedup docs.jsonl -o clean.jsonl --checkpoint 64K --quiet",
        env!("CARGO_BIN_EXE_refrain")
    );
    let status = std::process::Command::new("sh").args(["-c", &command]).current_dir(env.path(".")).status();
    assert!(status.expect("a shell").success());
}

#[test]
fn evidence_is_not_written_over_while_it_is_read() {
    let env = Env::new();
    documents(&env, &[("a", STORY)]);
    env.run(&["dedup", "docs.jsonl", "-o", "a.jsonl", "--save", "known"]).code(0);
    let again = ["dedup", "docs.jsonl", "-o", "b.jsonl", "--against", "known", "--save", "known/."];
    env.run(&again).code(2).says(&["--save", "another folder"]);
    // What a run that was killed left behind is no reason to refuse.
    std::fs::remove_file(env.path("known/evidence.json")).expect("a note");
    env.run(&["dedup", "docs.jsonl", "-o", "c.jsonl", "--save", "known"]).code(0);
    env.run(&["dedup", "docs.jsonl", "-o", "d.jsonl", "--against", "known"]).code(0).says(&["wrote 0 documents"]);
}

#[test]
fn copies_of_removed_documents_are_linked_to_what_was_kept() {
    let env = Env::new();
    let both = format!("{STORY}\n\n{OTHER}");
    documents(&env, &[("a", &both), ("b", &both.to_uppercase()), ("c", &format!("{OTHER}\n\n{STORY}"))]);
    env.run(&["dedup", "docs.jsonl", "--by", "document", "-o", "x.jsonl", "--removed", "removed.jsonl"]).code(0);
    let copies: Vec<String> = removed(&env).iter().map(|line| resembled(line).to_string()).collect();
    assert_eq!(copies, ["\"a\"", "\"a\""]);
    env.run(&["dedup", "docs.jsonl", "--by", "document", "-o", "y.jsonl", "--keep", "longest"])
        .code(0)
        .says(&["wrote 1 document"]);
}

#[test]
fn exact_leaves_alone_what_repeats_inside_a_document() {
    let env = Env::new();
    documents(&env, &[("a", &format!("{STORY}\n\nThe end.\n\n{STORY}")), ("b", STORY)]);
    env.run(&[&DEDUP[..], &["--exact"]].concat()).code(0).says(&["wrote 1 document"]);
    assert_eq!(removed(&env).len(), 1);
}

#[test]
fn made_ids_are_nobody_elses() {
    let env = Env::new();
    documents(&env, &[("a", STORY), ("a", "Another text."), ("a#2", "A third one.")]);
    env.run(&[&DEDUP[..], &["--make-ids"]].concat()).code(0);
    let clean = std::fs::read_to_string(env.path("clean.jsonl")).expect("documents");
    let ids: Vec<Value> =
        clean.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON")["id"].clone()).collect();
    assert_eq!(ids, ["a", "a##2", "a#2"]);
}

#[test]
fn a_folder_with_other_files_keeps_its_parts() {
    let env = Env::new();
    documents(&env, &[("a", STORY)]);
    let command = ["dedup", "docs.jsonl", "-o", "parts/"];
    env.run(&command).code(0);
    env.write("parts/mine.txt", "mine");
    env.run(&command).code(2).says(&["parts/ is not empty", "--overwrite"]);
    env.run(&[&command[..], &["--overwrite"]].concat()).code(0);
    assert_eq!(env.read_text("parts/mine.txt"), "mine");
    assert!(env.path("parts/part-00000.jsonl").exists());
}

#[test]
fn the_other_blocks_of_a_document_speak_for_one_that_differs() {
    let env = Env::new();
    let words = |name: &str, count: usize| (0..count).map(|n| format!("{name}{}", letters(n))).collect::<Vec<_>>();
    let (one, two) = (words("one", 40), words("two", 40));
    let mut changed = one.clone();
    for at in [3, 16, 24] {
        changed[at] = format!("changed{}", letters(at));
    }
    let page = |blocks: &[&[String]]| blocks.iter().map(|block| block.join(" ")).collect::<Vec<_>>().join("\n\n");
    let own = words("own", 300);
    // Nothing else of the second document comes from the first one; of the third, a block as long does.
    for (blocks, gone) in [(vec![&changed[..], &own], 0), (vec![&changed[..], &two, &own[..100]], 2)] {
        documents(&env, &[("a", &page(&[&one, &two])), ("b", &page(&blocks))]);
        env.run(&DEDUP).code(0);
        assert_eq!(removed(&env).len(), gone);
    }
}

/// A number in letters: words with digits are facts.
fn letters(number: usize) -> String {
    number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect()
}

/// Documents of two hosts. Most of those of one are copies.
fn two_hosts(env: &Env) {
    let document = |number: u64| {
        let host = if number < 20 { "a" } else { "b" };
        let seed = if host == "b" { 100 + number % 2 } else { number };
        let url = format!("https://{host}.example/{number}");
        json!({"id": format!("d{number}"), "url": url, "text": words(90, seed)}).to_string() + "\n"
    };
    env.write("docs.jsonl", (0..40).map(document).collect::<String>());
}

#[test]
fn an_alarm_holds_back_the_output_until_it_is_accepted() {
    let env = Env::new();
    two_hosts(&env);
    for (output, by) in
        [("clean/", "block"), ("clean.jsonl", "document"), ("clean.jsonl.zst", "block"), ("clean.parquet", "block")]
    {
        let run = |more: &[&str]| {
            env.run(&[&["dedup", "docs.jsonl", "-o", output, "--by", by, "--report", "report.json"], more].concat())
        };
        let plain = env.run(&["dedup", "docs.jsonl", "-o", &format!("plain-{output}"), "--by", by]).code(0);
        let alarm = run(&["--alarm", "50%"]);
        assert_eq!(alarm.code, 3, "{output}: {alarm:?}");
        assert!(alarm.stderr.contains("host b.example loses 90.0 % of its 20 documents"), "{output}: {alarm:?}");
        assert!(!alarm.stderr.contains("a.example"), "{output}: {alarm:?}");
        // The command that accepts it is ready to be run.
        let command = format!(" dedup docs.jsonl -o {output} --by {by} --report report.json --alarm off\n");
        assert!(alarm.stderr.ends_with(&command), "{output}: {alarm:?}");
        let shown =
            |name: &str| ![".", "_refrain/."].iter().any(|start| name.starts_with(start)) && !name.ends_with('/');
        let files = |folder: &str| env.snapshot(folder).into_iter().filter(|(name, _)| shown(name)).collect::<Vec<_>>();
        if output.ends_with('/') {
            assert_eq!(files(output), [], "{output}");
        }
        assert!(!env.path(output).is_file(), "{output}");
        assert_eq!(run(&["--alarm", "50%"]).code, 3, "{output}: again");
        // A higher limit accepts it.
        let accepted = run(&["--alarm", "95%"]);
        assert_eq!((accepted.code, &accepted.stdout), (0, &plain.stdout), "{output}: {accepted:?}");
        if output.ends_with('/') {
            assert_eq!(files(output), files(&format!("plain-{output}")));
        } else {
            assert_eq!(env.read(output), env.read(&format!("plain-{output}")), "{output}");
        }
        let rest =
            env.snapshot(".").into_iter().filter(|(name, _)| name.contains(".working") || name.contains(".partial"));
        assert_eq!(rest.count(), 0, "{output}");
    }
}

#[test]
fn an_accepted_alarm_does_not_compare_again() {
    let env = Env::new();
    two_hosts(&env);
    let run = |alarm: &str| env.run(&["dedup", "docs.jsonl", "-o", "clean/", "--alarm", alarm]);
    assert_eq!(run("0.1").code, 3);
    // The finished part waits under a hidden name, and only gets its own.
    let before = std::fs::metadata(env.path("clean/.part-00000.jsonl")).expect("a part").modified().expect("a time");
    assert_eq!(run("off").code, 0);
    assert_eq!(
        std::fs::metadata(env.path("clean/part-00000.jsonl")).expect("a part").modified().expect("a time"),
        before
    );
}

#[test]
fn an_alarm_needs_something_to_hold_back() {
    let env = Env::new();
    two_hosts(&env);
    let refused = env.run(&["dedup", "docs.jsonl", "--alarm", "0.3"]).code(2);
    assert!(
        refused.stderr.contains("can only hold back a file or a folder") && refused.stderr.contains("-o"),
        "{refused:?}"
    );
    env.run(&["dedup", "docs.jsonl", "-o", "x.jsonl", "--alarm", "2"]).code(2);
}

#[test]
fn shares_are_counted_by_source_and_rule() {
    let env = Env::new();
    two_hosts(&env);
    env.write("more/d1.txt", words(90, 1));
    env.write("more/d2.txt", words(90, 999));
    env.run(&["dedup", "docs.jsonl", "more", "-o", "clean/", "-q"]).code(0);
    let report = env.read_json("clean/_refrain/report.json");
    assert_eq!(report["by_source"]["docs.jsonl"]["documents"], 40);
    assert_eq!(report["by_source"]["more"]["documents_kept"], 1, "{}", report["by_source"]);
    assert_eq!(report["by_rule"]["dedup digest"]["ranges"], 19, "{}", report["by_rule"]);
    let removed = report["words"].as_u64().expect("words") - report["words_kept"].as_u64().expect("words");
    assert_eq!(report["by_rule"]["dedup digest"]["words"], removed);
}

/// The peak memory of a run, and that of the files in a folder meanwhile.
fn peaks(env: &Env, line: &[&str], temporary: &str) -> (u64, u64) {
    let mut run = std::process::Command::new(env!("CARGO_BIN_EXE_refrain"))
        .args(line)
        .current_dir(env.path(""))
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("a process");
    let status = format!("/proc/{}/status", run.id());
    let (mut memory, mut disk) = (0, 0);
    while run.try_wait().expect("a process").is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let peak = text.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok());
        memory = peak.map_or(memory, |kilobytes: u64| memory.max(kilobytes << 10));
        disk = disk.max(size_of(&env.path(temporary)));
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    (memory, disk)
}

/// Bytes of the files below a folder, as far as they are still there.
fn size_of(folder: &std::path::Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let size = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(meta) if meta.is_dir() => size_of(&entry.path()),
        meta => meta.map_or(0, |meta| meta.len()),
    };
    entries.map(size).sum()
}

#[cfg(target_os = "linux")]
#[test]
fn a_plan_foresees_memory_and_disk() {
    let env = Env::new();
    std::fs::create_dir(env.path("temporary")).expect("a folder");
    // Paragraphs of one document in four are copies. The first collection is read whole.
    let paragraph = |number: u64| common::words(60, number);
    let document = |number: u64| {
        let own = if number % 4 == 3 { number / 8 } else { number };
        let text: Vec<String> = (0..4).map(|at| paragraph(own * 4 + at)).collect();
        json!({"id": number.to_string(), "text": text.join("\n\n")}).to_string() + "\n"
    };
    for documents in [1000, 8000, 16_000] {
        env.write("docs.jsonl", (0..documents).map(document).collect::<String>());
        let units =
            [&["--by", "block"][..], &["--by", "document"], &["--exact"], &["--count-only"], &["--checkpoint", "4M"]];
        for unit in units {
            let mut line = [&["dedup", "docs.jsonl", "--temporary", "temporary", "--json", "-q"][..], unit].concat();
            if unit != ["--count-only"] {
                line.extend(["-o", "clean.jsonl"]);
            }
            let planned = env.run(&[&line[..], &["--plan"]].concat()).code(0);
            let plan: Value = serde_json::from_slice(&planned.stdout).expect("an object");
            let (memory, disk) = peaks(&env, &line, "temporary");
            for (name, found, floor) in [("peak_memory", memory, FLOOR), ("temporary_disk", disk, 4 << 20)] {
                let planned = plan[name].as_u64().expect("a number");
                let near = planned.abs_diff(found) <= floor.max(found / 4);
                assert!(near, "{name} of {documents} documents, {unit:?}: {planned}, and it took {found}");
            }
        }
    }
}

/// What the allocator keeps and how many documents are in work differs from run to run by this much, whatever the size of the
/// collection.
#[cfg(target_os = "linux")]
const FLOOR: u64 = 96 << 20;

#[cfg(target_os = "linux")]
#[test]
fn a_plan_reads_less_than_the_inputs_have() {
    let env = Env::new();
    let line = |number: u64| json!({"id": number.to_string(), "text": words(600, number)}).to_string() + "\n";
    let lines: String = (0..12_000).map(line).collect();
    env.write("docs.jsonl", &lines);
    let mut plan = std::process::Command::new(env!("CARGO_BIN_EXE_refrain"))
        .args(["dedup", "docs.jsonl", "--count-only", "--plan", "-q"])
        .current_dir(env.path(""))
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("a process");
    let (io, mut read) = (format!("/proc/{}/io", plan.id()), 0);
    while plan.try_wait().expect("a process").is_none() {
        let text = std::fs::read_to_string(&io).unwrap_or_default();
        let bytes = text.lines().find_map(|line| line.strip_prefix("rchar: ")?.parse().ok());
        read = bytes.map_or(read, |bytes: usize| read.max(bytes));
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    // The sample is read twice, and so is what was learned from it, as long as a part of the text.
    assert!(read > 0 && read < lines.len(), "{read} of {} bytes", lines.len());
}

#[test]
fn a_plan_reads_folders_and_archives_and_refuses_standard_input() {
    let env = Env::new();
    let text = |number: u64| words(200, number);
    for number in 0..60 {
        env.write(&format!("many/{number}.txt"), text(number));
    }
    let lines: String =
        (0..60).map(|number| json!({"id": number.to_string(), "text": text(number)}).to_string() + "\n").collect();
    env.write("a.jsonl.gz", common::gzip(lines.as_bytes()));
    env.write("a.jsonl.zst", common::zstd(lines.as_bytes()));
    let records = (0..60).flat_map(|number| {
        let url = format!("http://example.org/{number}");
        common::gzip(&common::simple_page(&url, &text(number)))
    });
    env.write("a.warc.gz", records.collect::<Vec<u8>>());
    let column = |of: fn(u64) -> String| {
        let values: Vec<String> = (0..60).map(of).collect();
        common::strings(&values.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let columns = vec![("id", column(|number| number.to_string())), ("text", column(|number| words(200, number)))];
    common::write_parquet(&env.path("a.parquet"), columns);
    for name in ["many", "a.jsonl.gz", "a.jsonl.zst", "a.warc.gz", "a.parquet"] {
        let planned = env.run(&["dedup", name, "-o", "clean.jsonl", "--plan", "--json", "-q"]).code(0);
        let plan: Value = serde_json::from_slice(&planned.stdout).expect("an object");
        assert_eq!((&plan["documents"], &plan["words"]), (&json!(60), &json!(12_000)), "{name}");
        assert!(!env.path("clean.jsonl").exists());
    }
    let refused = env.run_fed(&["dedup", "-", "-o", "clean.jsonl", "--plan"], lines.as_bytes()).code(2);
    refused.says(&["standard input", "name a file"]);
}

/// What is removed from a document that follows a manual, as text.
fn removed_from(source: &str, text: &str) -> Vec<String> {
    let env = Env::new();
    documents(&env, &[("source", source), ("copy", text)]);
    env.run(&DEDUP).code(0);
    removed(&env).iter().map(|line| line["text"].as_str().expect("a text").to_owned()).collect()
}

/// Paragraphs that occur nowhere else.
fn own(paragraphs: u64) -> String {
    (0..paragraphs).map(|number| words(40, number + 500)).collect::<Vec<_>>().join("\n\n")
}

#[test]
fn a_short_block_with_another_word_is_kept_in_a_document_that_shares_little() {
    let source = format!("{STORY}\n\nThe name of the existing rule that is going to be altered.\n\n{OTHER}");
    let text =
        |word: &str| format!("{STORY}\n\nThe name of the existing {word} that is going to be altered.\n\n{}", own(4));
    assert_eq!(removed_from(&source, &text("rule")).len(), 2);
    assert_eq!(removed_from(&source, &text("table")), [STORY]);
}

#[test]
fn a_statement_that_was_added_to_a_copied_block_is_kept() {
    let added = "Without a lamp he could not have seen how the fishermen repaired their broken nets.";
    let source = format!("{STORY}\n\n{OTHER}");
    let text = format!("{STORY} {added}\n\n{OTHER}\n\n{}", own(1));
    assert_eq!(removed_from(&source, &text), [OTHER]);
}

#[test]
fn differences_in_a_few_of_many_copied_blocks_are_no_edits() {
    let blocks: Vec<String> = (0..8).map(|number| words(30, number).trim_end().to_owned()).collect();
    let source = format!("{}\n\n{STORY}", blocks.join("\n\n"));
    // Changes in one block of nine are another statement; changes in all of them are those of an editor.
    let text = format!("{}\n\n{EDITED}\n\n{}", blocks.join("\n\n"), own(8));
    assert_eq!(removed_from(&source, &text), blocks);
}

#[test]
fn a_heading_beside_a_copy_is_kept_if_it_has_another_word() {
    let source = format!("{STORY}\n\n13.3.2. Lamps and oil\n\n{OTHER}");
    let text = |heading: &str| format!("{STORY}\n\n{heading}\n\n{}", own(4));
    assert_eq!(removed_from(&source, &text("13.3.2. Lamps and oil")).len(), 2);
    assert_eq!(removed_from(&source, &text("13.3.2. Lamps und oil")), [STORY]);
}

#[test]
fn a_short_block_between_copies_is_kept_if_its_words_only_occur_nearby() {
    let source = format!("{STORY}\n\nThe name of the table and of the schema of the foreign server\n\n{OTHER}");
    let text = |short: &str| format!("{STORY}\n\n{short}\n\n{OTHER}\n\n{}", own(6));
    assert_eq!(removed_from(&source, &text("the schema of the foreign server")).len(), 3);
    assert_eq!(removed_from(&source, &text("Name of the foreign table")), [STORY, OTHER]);
}

#[test]
fn a_common_number_in_place_of_another_is_another_fact() {
    let env = Env::new();
    let note = |version: u8| {
        format!(
            "Read the notes on compatibility before you update, because files that version {version} wrote are \
             converted when they are first opened, and older ones cannot read them."
        )
    };
    let line = |id: &str, text: String| json!({"id": id, "text": text}).to_string() + "\n";
    // Both numbers are among the most common words of the collection.
    let mut lines: String = (0..40)
        .map(|number| line(&number.to_string(), format!("{}\n\n{} 3 8", words(30, number), words(5, number + 900))))
        .collect();
    lines += &line("a", format!("{}\n\n{STORY}", note(3)));
    lines += &line("b", format!("{}\n\n{}", note(8), own(2)));
    env.write("docs.jsonl", lines);
    env.run(&DEDUP).code(0);
    assert_eq!(removed(&env), [Value::Null; 0]);
}

#[test]
fn text_between_two_copied_stretches_is_no_quotation() {
    let env = Env::new();
    let opening = "With great sadness the family announces the death of";
    let end = "after a short illness, at home and surrounded by those who were dear to us and to all in the village.";
    let notice = format!("{opening} Conrad Neal the old baker from Heronshore beyond the sea, {end}");
    documents(
        &env,
        &[
            ("a", &format!("{opening} Oscar Fry.\n\n{STORY}")),
            ("b", &format!("{OTHER}\n\nShe left us {end}")),
            ("c", &format!("{notice}\n\n{}", own(2))),
        ],
    );
    env.run(&DEDUP).code(0);
    assert_eq!(removed(&env), [Value::Null; 0]);
}

#[test]
fn an_author_before_a_licence_that_many_share_is_kept() {
    let env = Env::new();
    let text = |number: u64| format!("{} {}\n\n{}", words(12, 900 + number), words(60, 7), words(60, 700 + number));
    let lines = |count: u64| -> String {
        (0..count).map(|number| json!({"id": number.to_string(), "text": text(number)}).to_string() + "\n").collect()
    };
    env.write("docs.jsonl", lines(8));
    env.run(&DEDUP).code(0);
    assert_eq!(removed(&env), [Value::Null; 0]);
    // What only two share is a quotation.
    env.write("docs.jsonl", lines(2));
    env.run(&DEDUP).code(0);
    assert_eq!(removed(&env).len(), 1);
}
