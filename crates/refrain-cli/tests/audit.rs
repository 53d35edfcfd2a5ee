//! `refrain audit`: the draw, its two formats, and the sum of verdicts.

mod common;

use std::collections::BTreeSet;

use common::{Env, samples, words};
use serde_json::{Value, json};

/// Copies of three kinds: many equal paragraphs, some edited ones, and a few documents with hostile text.
fn collection(env: &Env) {
    let mut lines = String::new();
    let others: Vec<String> = words(200, 77).split(' ').map(|word| word.chars().rev().collect()).collect();
    for number in 0..60_u64 {
        let (copied, own) = (words(40, 1000 + number % 3), words(40, number));
        // One word in five was changed, which no n-gram survives.
        let word = |(at, word): (usize, &str)| {
            if at % 5 == 0 { format!("{} ", others[(number as usize + at) % others.len()]) } else { format!("{word} ") }
        };
        let copied = if number % 4 == 0 { copied.split(' ').enumerate().map(word).collect() } else { copied };
        let text = format!("{own}\n\n{copied}\n\n<script>alert(1)</script> {}", words(30, 1));
        lines += &(json!({"id": format!("d{number}"), "text": text}).to_string() + "\n");
    }
    env.write("docs.jsonl", lines);
    env.run(&["dedup", "docs.jsonl", "-o", "clean/", "-q"]).code(0);
}

fn drawn(env: &Env, options: &[&str]) -> Vec<Value> {
    env.run(&[&["audit", "clean/", "-o", "sample.jsonl", "-q"], options].concat()).code(0);
    env.read_jsonl("sample.jsonl")
}

#[test]
fn the_draw_is_deterministic_and_covers_every_rule() {
    let env = Env::new();
    collection(&env);
    let one = drawn(&env, &["--sample", "20"]);
    assert_eq!(one, drawn(&env, &["--sample", "20", "--threads", "1"]));
    assert_ne!(one, drawn(&env, &["--sample", "20", "--seed", "2"]));
    assert_eq!(one.len(), 20);
    let all = drawn(&env, &["--sample", "100000"]);
    let rules = |items: &[Value]| items.iter().map(|item| item["rule"].to_string()).collect::<BTreeSet<_>>();
    assert_eq!(rules(&one), rules(&all));
    assert!(rules(&all).len() >= 2, "{:?}", rules(&all));
    // A weight is the number of removals that an item represents.
    let weights: f64 = one.iter().map(|item| item["weight"].as_f64().expect("a number")).sum();
    assert!((weights - all.len() as f64).abs() < 0.1, "{weights} of {}", all.len());
    assert!(all.iter().all(|item| item["weight"] == 1.0));
    assert!(one.iter().all(|item| item["partner"]["text"].as_str().is_some_and(|text| !text.is_empty())), "both sides");
}

#[test]
fn the_page_is_one_file_and_hostile_text_is_text() {
    let env = Env::new();
    collection(&env);
    let outcome = env.run(&["audit", "clean/", "-o", "audit.html", "--sample", "10"]).code(0);
    assert!(
        outcome.stderr.contains("wrote 10 of ") && outcome.stderr.ends_with(" removals to audit.html\n"),
        "{outcome:?}"
    );
    let page = env.read_text("audit.html");
    assert!(!page.contains("<script>alert") && page.contains("\\u003cscript>alert"));
    assert_eq!(page.matches("<script>").count(), 1);
    assert!(page.contains("default-src 'none'") && !page.contains("/*AUDIT*/"));
}

#[test]
fn nothing_to_judge_and_names_without_a_format_are_refused() {
    let env = Env::new();
    env.write("docs.jsonl", "{\"id\":\"a\",\"text\":\"One text.\"}\n");
    env.run(&["dedup", "docs.jsonl", "-o", "clean/", "-q"]).code(0);
    for (arguments, expected) in [
        (&["audit", "clean/", "-o", "audit.html"][..], "nothing was removed in clean/"),
        (&["audit", "clean/", "-o", "audit.csv"], "audit.csv"),
        (&["audit", "docs.jsonl", "-o", "audit.html"], "no list of removed ranges"),
        (&["audit", "--verdicts", "docs.jsonl", "--seed", "3"], "--seed has no effect with --verdicts"),
        (&["audit", "--verdicts", "docs.jsonl"], "no verdicts in docs.jsonl"),
    ] {
        let refused = env.run(arguments).code(2);
        assert!(refused.stderr.contains(expected), "{arguments:?}: {refused:?}");
    }
}

#[test]
fn verdicts_are_summed_up_by_rule() {
    let env = Env::new();
    collection(&env);
    let items = drawn(&env, &["--sample", "12"]);
    let verdict = |(number, item): (usize, &Value)| {
        let verdict = ["wrong", "unsure", "right"][number.min(2)];
        let line = json!({"item": item["item"], "rule": item["rule"], "score": item["score"], "weight": item["weight"],
            "verdict": verdict, "judge": "a", "note": ""});
        line.to_string() + "\n"
    };
    env.write("verdicts.jsonl", items.iter().enumerate().map(verdict).collect::<String>());
    let table = env.run(&["audit", "--verdicts", "verdicts.jsonl"]).code(0);
    let table = String::from_utf8(table.stdout).expect("text");
    let plain = table.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(plain.starts_with("rule ") && plain.contains(" all removals 12 1 1 "), "{table}");
    let sum = env.run(&["audit", "--verdicts", "verdicts.jsonl", "verdicts.jsonl", "--json"]).code(0);
    let sum: Value = serde_json::from_slice(&sum.stdout).expect("an object");
    assert_eq!(
        (&sum["overall"]["judged"], &sum["overall"]["wrong"], &sum["agreement"]),
        (&json!(12), &json!(1), &Value::Null)
    );
}

#[test]
fn a_corpus_is_judged_too() {
    let env = Env::new();
    env.copy_folder(&samples(), "samples");
    env.run(&["corpus", "samples/crawl.warc.gz", "-o", "clean/", "-q"]).code(0);
    let items = drawn(&env, &[]);
    assert!(items.iter().any(|item| item["rule"] == "extract learned" && item.get("partner").is_none()));
    assert!(items.iter().any(|item| item["rule"] == "exact copy" && item["partner"]["is_named"] == true));
}
