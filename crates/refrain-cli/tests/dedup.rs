//! `refrain dedup`: what is left out and why, and what cannot be read.

mod common;

use common::Env;
use serde_json::{Value, json};

const STORY: &str = "The keeper of the lighthouse climbed the stairs every evening at dusk, lit the lamp, and wrote the names of \
    the ships that had passed into a large book that lay on the table below the window.";
const OTHER: &str = "In the village behind the dunes the baker had already closed his shop, and the smell of bread was gone \
    from the streets, when the first boats came home with the evening tide.";
/// Every fifth word of the story is another one.
const EDITED: &str = "The keeper of that lighthouse climbed the steps every evening at nightfall, lit the lantern, and wrote the \
    titles of the ships that went passed into a heavy book that lay under the table below one window.";

fn documents(env: &Env, documents: &[(&str, &str)]) {
    let lines: Vec<String> = documents.iter().map(|(id, text)| json!({"id": id, "text": text}).to_string()).collect();
    env.write("docs.jsonl", lines.join("\n"));
}

fn removed(env: &Env) -> Vec<Value> {
    env.read_jsonl("removed.jsonl")
}

const DEDUP: [&str; 6] = ["dedup", "docs.jsonl", "-o", "clean.jsonl", "--removed", "removed.jsonl"];

#[test]
fn copied_blocks_are_left_out_with_the_place_they_came_from() {
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
fn the_first_copy_stays_whatever_the_threads() {
    let env = Env::new();
    let all: Vec<(String, String)> = (0..300)
        .map(|n| (n.to_string(), format!("{}\n\n{}", common::words(30, n % 60), common::words(25, n % 90))))
        .collect();
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
        removed(&env).iter().map(|line| (line["id"].clone(), line["copy_of"].clone())).collect();
    assert_eq!(gone, [(json!("b"), json!("a")), (json!("c"), json!("a")), (json!("e"), json!("d"))]);
    assert_eq!(removed(&env)[0]["score"], 1.0);
}

#[test]
fn what_another_collection_has_is_left_out() {
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
    let told = env.run(&["dedup", "docs.jsonl", "-o", "e.jsonl", "--explain"]).code(0).text().to_owned();
    assert!(told.contains("b, 0 to 1") && told.contains("copy of a") && told.contains("(alignment)"), "{told}");
    env.run(&["dedup", "docs.jsonl", "-o", "f.jsonl", "--by", "document", "--clusters", "clusters.jsonl"]).code(0);
    assert_eq!(env.read_jsonl("clusters.jsonl"), [json!({"keep": "a", "copies": ["b"]})]);
    env.run(&["dedup", "docs.jsonl", "--explain"]).code(2).says(&["-o"]);
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
fn many_identical_documents_leave_one() {
    let env = Env::new();
    let line = format!("{}\n", json!({"text": STORY}));
    env.write("docs.jsonl", line.repeat(20_000));
    env.run(&DEDUP).code(0).says(&["wrote 1 document"]);
    assert_eq!(removed(&env).len(), 19_999);
}

#[test]
fn what_cannot_be_done_is_refused() {
    let env = Env::new();
    documents(&env, &[("a", STORY)]);
    env.run(&["dedup", "docs.jsonl", "-o", "x.jsonl", "--memory", "1M"]).code(2).says(&["--memory 128M"]);
    env.run(&["dedup", "docs.jsonl", "-o", "x.jsonl", "--temporary", "none"]).code(2).says(&["none"]);
    env.run(&["dedup", "-", "-o", "x.jsonl"]).code(2).says(&["read twice"]);
    env.run(&["dedup", "docs.jsonl", "-o", "x.jsonl", "--json"]).code(2).says(&["--count-only"]);
    env.run(&["dedup", "docs.jsonl", "-o", "x.jsonl", "--ngram", "0"]).code(2).says(&["1 or more"]);
    env.run(&["dedup", "docs.jsonl", "-o", "x/"]).code(2).says(&["x/ is a folder"]);
    assert!(!env.path("x.jsonl").exists());
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
    env.run(&[&dedup[..], &["--removed", "x.jsonl"]].concat()).code(2).says(&["one file"]);
    assert_eq!((env.read_text("docs.jsonl"), env.read_text("old.jsonl")), before);
}
