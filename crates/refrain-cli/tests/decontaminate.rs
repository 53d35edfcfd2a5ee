//! `refrain decontaminate`: what is removed, what is only reported, and the files that say so.

mod common;

use common::{Env, samples};
use serde_json::{Value, json};

fn with_samples() -> Env {
    let env = Env::new();
    env.copy_folder(&samples(), "samples");
    env
}

fn with_item(item: &Value, text: &str) -> Env {
    let env = Env::new();
    env.write("evals.jsonl", format!("{item}\n"));
    env.write("docs.jsonl", format!("{}\n", json!({"id": "a", "text": text})));
    env
}

/// The text that is left of a document.
fn left(item: &Value, text: &str) -> String {
    let env = with_item(item, text);
    env.run(&["decontaminate", "docs.jsonl", "--evals", "evals.jsonl", "-o", "clean.jsonl", "-q"]).code(0);
    let clean = env.read_text("clean.jsonl");
    serde_json::from_str::<Value>(&clean).map_or(String::new(), |line| line["text"].as_str().unwrap_or("").to_owned())
}

#[test]
fn a_short_question_needs_its_answer() {
    let item = json!({"question": "What is the capital of France?", "answer": "Paris"});
    let alone = "He asked: what is the capital of France? Nobody knew it.";
    assert_eq!(left(&item, alone), alone);
    let far =
        format!("What is the capital of France?\n\n{}\n\nParis is a town in Texas.", "The wind rose. ".repeat(40));
    assert_eq!(left(&item, &far), far.trim());
    assert_eq!(left(&item, "Start.\n\nWHAT is the capital\nof France?\nAnswer: Paris\n\nEnd."), "Start.\n\nEnd.");
    // The words of the question in another order, and parts of it, are common phrases.
    let phrases = "The capital of France is Paris. What is the capital of Germany? Berlin.";
    assert_eq!(left(&item, phrases), phrases);
}

#[test]
fn common_phrases_are_no_items() {
    let item = json!({"question": "Which of the following is true at the end of the day?", "choices": ["yes", "no"], "answer": 0});
    let between = "The keeper wrote it into the book, and the bell rang over the harbour. ".repeat(5);
    let text = format!("Which of the following is true? {between}Yes, at the end of the day we rest.");
    assert_eq!(left(&item, &text), text);
}

#[test]
fn other_numbers_are_another_question() {
    let item = json!({"question": "Tom has 12 lamps and sells 5 of them to each of his 2 neighbours. How many lamps are left?", "answer": "2"});
    let other = "Tom has 14 lamps and sells 3 of them to each of his 4 neighbours. How many lamps are left? 2";
    assert_eq!(left(&item, other), other);
    let same = "Tom has 12 lamps, and sells 5 of them to each of his 2 neighbours! How many lamps are left?";
    assert_eq!(left(&item, same), "");
}

#[test]
fn options_in_any_order_identify_a_question_that_says_nothing() {
    let options = [
        "The bell rings every forty seconds",
        "The lens floats on a bath of mercury",
        "The keepers live below the lamp",
    ];
    let item = json!({"question": "Which is true?", "options": options, "answer": "B"});
    let text = format!("Quiz\n\n1. {}.\n2. {}.\n3. {}.\n\nEnd.", options[2], options[0], options[1]);
    assert_eq!(left(&item, &text), "Quiz\n\nEnd.");
    let one = format!("We learned it there. {}. Then we left.", options[1]);
    assert_eq!(left(&item, &one), one);
}

#[test]
fn fields_can_be_named() {
    let item = json!({"q1": "Which keeper relit the lamp of Skerrow Head on the night of the storm?", "other": "x"});
    let env = with_item(&item, "Which keeper relit the lamp of Skerrow Head on the night of the storm?");
    let line = ["decontaminate", "docs.jsonl", "--evals", "evals.jsonl", "-o", "clean.jsonl"];
    let refused = env.run(&line).code(2);
    refused.says(&["no question, passage or answer; fields are: q1, other", "--question-field"]);
    env.run(&[&line[..], &["--question-field", "q1"]].concat())
        .code(0)
        .says(&["found items of benchmarks in 1 document"]);
}

#[test]
fn explanations_reports_and_lists_agree() {
    let env = with_samples();
    let verb = ["decontaminate", "samples/quiz.jsonl", "--evals", "samples/evals/"];
    let run = |more: &[&str]| env.run(&[&verb[..], more].concat());
    let outcome = run(&["--explain"]).code(0);
    let text = String::from_utf8_lossy(&outcome.stdout).into_owned();
    assert!(text.contains("100 % of question, options, answer of item q1 of the benchmark lighthouse-quiz"), "{text}");
    run(&["-o", "clean.jsonl", "--removed", "removed.jsonl", "--report", "report.json", "-q"]).code(0);
    run(&["--explain", "--format", "jsonl", "-o", "explained.jsonl", "-q"]).code(0);
    assert_eq!(env.read_text("removed.jsonl"), env.read_text("explained.jsonl"));
    assert_eq!(3 * env.read_text("removed.jsonl").lines().count(), text.lines().count());
    let printed: Value = serde_json::from_slice(&run(&["--json"]).code(0).stdout).expect("JSON");
    let report: Value = serde_json::from_str(&env.read_text("report.json")).expect("JSON");
    assert_eq!(printed, report);
    run(&["-o", "clean.jsonl", "--report", "report.html", "-q"]).code(0);
    let page = env.read_text("report.html");
    assert!(page.contains("<mark>WHICH KEEPER OF SKERROW HEAD RELIT"), "{page}");
    assert!(!page.contains("http:") && !page.contains("https:"), "no other file is loaded");
    run(&["-o", "parts/", "-q"]).code(0);
    assert_eq!(env.read_text("parts/part-00000.jsonl"), env.read_text("clean.jsonl"));
}

#[test]
fn marked_text_of_an_earlier_run_is_not_searched() {
    let env = with_samples();
    let verb = ["decontaminate", "--evals", "samples/evals/", "--format", "jsonl", "-q"];
    let run = |more: &[&str]| env.run(&[&verb[..1], &more[..1], &verb[1..], &more[1..]].concat()).code(0);
    run(&["samples/quiz.jsonl", "-o", "marked.jsonl", "--keep-marked"]);
    run(&["marked.jsonl", "-o", "clean.jsonl", "--report", "again.json"]);
    run(&["samples/quiz.jsonl", "-o", "once.jsonl"]);
    assert_eq!(env.read_text("clean.jsonl"), env.read_text("once.jsonl"));
    let report: Value = serde_json::from_str(&env.read_text("again.json")).expect("JSON");
    assert_eq!(report["documents_contaminated"], 0);
}
