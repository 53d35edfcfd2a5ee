//! `refrain compare`: pairs, passages, what does not count, and what cannot be compared.

mod common;

use common::Env;
use serde_json::{Value, json};

const SHARED: &str = "The weight that turned the lens hung in the middle of the tower and sank a little with every turn, so that it \
    had to be wound up again every two hours, in calm nights as in storms. Whoever had the first watch woke the second keeper at \
    midnight and wrote into the log how much oil had been burnt, which way the wind blew, and what ships had passed.";

/// Words that no other text has.
fn own(seed: u64) -> String {
    common::words(120, seed)
}

fn documents(env: &Env, documents: &[(&str, String)]) {
    let lines: Vec<String> = documents.iter().map(|(id, text)| json!({"id": id, "text": text}).to_string()).collect();
    env.write("docs.jsonl", lines.join("\n"));
}

fn samples(env: &Env) {
    for name in ["anna.txt", "bert.txt", "clara.html", "david.txt", "eva.txt"] {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/essays").join(name);
        env.write(&format!("essays/{name}"), std::fs::read(path).expect("a sample"));
    }
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/brief.md");
    env.write("brief.md", std::fs::read(path).expect("a sample"));
}

#[test]
fn pairs_come_ranked_with_their_passages() {
    let env = Env::new();
    let (one, two) = (format!("É{}\n\n{SHARED}", own(1)), format!("{SHARED}\n\n{}", own(2)));
    documents(&env, &[("one", one.clone()), ("two", two.clone()), ("three", own(3)), ("copy", one.clone())]);
    env.run(&["compare", "docs.jsonl", "--format", "jsonl", "-o", "pairs.jsonl"])
        .code(0)
        .says(&["4 documents", "3 pairs"]);
    let pairs = env.read_jsonl("pairs.jsonl");
    assert_eq!((&pairs[0]["a"], &pairs[0]["b"], &pairs[0]["r"]), (&json!("one"), &json!("copy"), &json!(1.0)));
    let pair = &pairs[1];
    assert_eq!((&pair["a"], &pair["b"]), (&json!("one"), &json!("two")));
    assert!(pair["c_ab"].as_f64().is_some_and(|c| (0.3..0.6).contains(&c)));
    let passage = &pair["passages"][0];
    let range = |side: &str, at: usize| passage[side][at].as_u64().expect("a number") as usize;
    let part = |text: &str, side: &str| {
        text.chars().skip(range(side, 0)).take(range(side, 1) - range(side, 0)).collect::<String>()
    };
    assert_eq!((part(&one, "a"), part(&two, "b")), (SHARED.to_owned(), SHARED.to_owned()));
}

#[test]
fn named_pairs_are_all_printed() {
    let env = Env::new();
    documents(&env, &[("a", own(1)), ("b", own(2)), ("c", format!("{SHARED} {}", own(1)))]);
    env.write("pairs.tsv", "a\tb\nc\ta\n");
    env.run(&["compare", "docs.jsonl", "--pairs", "pairs.tsv", "--format", "jsonl", "-o", "out.jsonl"]).code(0);
    let pairs = env.read_jsonl("out.jsonl");
    assert_eq!((&pairs[0]["a"], &pairs[0]["b"], &pairs[1]["r"]), (&json!("c"), &json!("a"), &json!(0.0)));
    env.write("pairs.tsv", "a\tz\n");
    env.run(&["compare", "docs.jsonl", "--pairs", "pairs.tsv"]).code(1).says(&["line 1", "no document `z`"]);
    env.write("pairs.tsv", "a b\n");
    env.run(&["compare", "docs.jsonl", "--pairs", "pairs.tsv"]).code(2).says(&["a tab between"]);
}

#[test]
fn a_report_opens_anywhere() {
    let env = Env::new();
    samples(&env);
    env.run(&["compare", "essays", "--exclude", "brief.md", "-o", "report/"]).code(0).says(&["report.html"]);
    let report: Value = serde_json::from_slice(&env.read("report/report.json")).expect("JSON");
    assert_eq!(report["refrain_report"], 1);
    let names: Vec<&str> = report["documents"]
        .as_array()
        .expect("documents")
        .iter()
        .filter_map(|document| document["name"].as_str())
        .collect();
    assert_eq!(names, ["anna", "bert", "clara", "david", "eva"]);
    let of = |a: usize, b: usize| {
        let pairs = report["pairs"].as_array().expect("pairs");
        pairs.iter().find(|pair| (&pair["a"], &pair["b"]) == (&json!(a), &json!(b))).cloned().unwrap_or_default()
    };
    assert_eq!(of(0, 1)["passages"][0]["kind"], "verbatim");
    assert_eq!(of(0, 2)["passages"][0]["kind"], "edited");
    // The brief does not count, nor do references.
    let left_out: Vec<&str> = report["documents"][0]["left_out"]
        .as_array()
        .expect("ranges")
        .iter()
        .filter_map(|range| range[2].as_str())
        .collect();
    assert_eq!(left_out, ["given", "references"]);
    let page = String::from_utf8(env.read("report/report.html")).expect("UTF-8");
    assert!(page.contains("<script>") && !page.contains("http://") && !page.contains("https://"));
    assert!(String::from_utf8_lossy(&env.read("report/pairs.csv")).starts_with("a,b,r,"));
    // The same again writes over the report, and over nothing else.
    env.run(&["compare", "essays", "-o", "report/"]).code(0);
    env.write("report/mine.txt", "x");
    env.run(&["compare", "essays", "-o", "report/"]).code(2).says(&["other files"]);
}

#[test]
fn quotations_are_told_from_copies() {
    let env = Env::new();
    let words = "The keeper on watch shall not read, nor sleep, nor leave the lantern room on any pretext while the light is burning, \
        and he shall enter into the log every ship that passes, the hour of it, the wind and the weather, and the oil that was \
        burnt, and sign it with his name before he is relieved by the next keeper of the station";
    documents(
        &env,
        &[
            ("a", format!("{} “{words}” (Harbour Office 1931, p. 14). {}", own(1), own(5))),
            ("b", format!("{} {words}. {}", own(2), own(6))),
        ],
    );
    env.run(&["compare", "docs.jsonl", "-o", "pairs.jsonl"]).code(0);
    let passage = &env.read_jsonl("pairs.jsonl")[0]["passages"][0];
    assert_eq!((&passage["quoted_a"], passage.get("quoted_b")), (&json!("cited"), None));
}

#[test]
fn new_documents_are_compared_with_a_reference() {
    let env = Env::new();
    env.write("old/x.txt", format!("{SHARED} {}", own(1)));
    env.write("old/y.txt", format!("{SHARED} {}", own(2)));
    env.write("new/z.txt", format!("{SHARED} {}", own(3)));
    env.run(&["compare", "new", "--reference", "old", "-o", "pairs.csv"]).code(0).says(&["2 pairs"]);
    env.run(&["compare", "new", "old", "-o", "pairs.csv"]).code(0).says(&["3 pairs"]);
}

#[test]
fn text_in_most_documents_does_not_count() {
    let env = Env::new();
    let texts: Vec<(String, String)> = (0..25).map(|n| (n.to_string(), format!("{SHARED} {}", own(n)))).collect();
    let texts: Vec<(&str, String)> = texts.iter().map(|(id, text)| (id.as_str(), text.clone())).collect();
    documents(&env, &texts);
    env.run(&["compare", "docs.jsonl", "-o", "pairs.csv"]).code(0).says(&["wrote 0 pairs"]);
    env.run(&["compare", "docs.jsonl", "-o", "pairs.csv", "--common", "100%"]).code(0).says(&["wrote 300 pairs"]);
}

#[test]
fn copies_are_no_common_text() {
    let env = Env::new();
    let texts: Vec<(String, String)> = (0..25).map(|n| (n.to_string(), SHARED.to_owned())).collect();
    let texts: Vec<(&str, String)> = texts.iter().map(|(id, text)| (id.as_str(), text.clone())).collect();
    documents(&env, &texts);
    env.run(&["compare", "docs.jsonl", "-o", "pairs.csv"]).code(0).says(&["wrote 300 pairs"]);
}

#[test]
fn a_pair_with_a_document_without_words_is_printed() {
    let env = Env::new();
    documents(&env, &[("a", own(1)), ("b", own(1)), ("e", " . ".to_owned())]);
    env.write("pairs.tsv", "a\tb\na\te\n");
    let arguments = ["compare", "docs.jsonl", "--pairs", "pairs.tsv", "-o", "out.jsonl"];
    env.run(&arguments).code(1).says(&["no words"]);
    let pairs = env.read_jsonl("out.jsonl");
    assert_eq!((&pairs[0]["r"], &pairs[1]["r"], &pairs[1]["b"]), (&json!(1.0), &json!(0.0), &json!("e")));
}

#[test]
fn no_document_is_compared_with_itself() {
    let env = Env::new();
    samples(&env);
    env.run(&["compare", "essays/anna.txt", "--reference", "essays", "-o", "pairs.jsonl"])
        .code(0)
        .says(&["5 documents"]);
    assert!(env.read_jsonl("pairs.jsonl").iter().all(|pair| pair["a"] != pair["b"]));
    documents(&env, &[("a", own(1)), ("a", own(2)), ("b", own(3))]);
    env.run(&["compare", "docs.jsonl", "-o", "pairs.jsonl"]).code(1).says(&["2 documents", "is there twice"]);
}

#[test]
fn edited_text_is_found_between_documents_in_different_languages() {
    let env = Env::new();
    let edited = SHARED.replace("hung", "was hanging").replace("calm", "quiet").replace("wrote", "noted");
    let german = "Der Wärter zündet jeden Abend die Lampe im Turm über dem Hafen an, und am Morgen löscht er sie wieder, bevor er \
        die Vorhänge schließt und hinunter in die Küche geht, wo schon jemand Kaffee gekocht hat. ".repeat(4);
    let english = "The baker had closed his shop already and nobody was left in the streets of the village behind the dunes when \
        the first boats came home with the evening tide and the children ran down to meet them. ".repeat(4);
    documents(&env, &[("a", format!("{german}\n\n{SHARED}")), ("b", format!("{english}\n\n{edited}"))]);
    env.run(&["compare", "docs.jsonl", "-o", "pairs.jsonl"]).code(0);
    assert_eq!(env.read_jsonl("pairs.jsonl")[0]["passages"].as_array().map(Vec::len), Some(1));
}

#[test]
fn files_of_a_folder_can_be_one_document() {
    let env = Env::new();
    for name in ["class/anna/one.txt", "class/anna/two.txt", "class/bert/only.txt"] {
        env.write(name, format!("{} {SHARED}", own(name.len() as u64)));
    }
    env.run(&["compare", "class", "-o", "pairs.jsonl"]).code(0).says(&["3 documents"]);
    env.run(&["compare", "class", "--folders", "-o", "pairs.jsonl"]).code(0).says(&["2 documents", "1 pair"]);
    let pair = &env.read_jsonl("pairs.jsonl")[0];
    assert_eq!((&pair["a"], &pair["b"]), (&json!("class/anna"), &json!("class/bert")));
}

#[test]
fn names_can_be_left_out() {
    let env = Env::new();
    samples(&env);
    env.run(&["compare", "essays", "-o", "report/", "--anonymous", "key.tsv"]).code(0);
    for file in ["report/report.json", "report/report.html", "report/pairs.csv", "report/texts.jsonl"] {
        assert!(!String::from_utf8_lossy(&env.read(file)).contains("anna"), "{file}");
    }
    assert!(String::from_utf8_lossy(&env.read("key.tsv")).contains("Document 1\tessays/anna.txt"));
    let key = ["compare", "essays", "-o", "r.csv", "--anonymous", "essays/eva.txt"];
    env.run(&key).code(2).says(&["is an input"]);
}

#[test]
fn programs_are_compared_by_their_signs() {
    let env = Env::new();
    let body = "fn total(values: &[u64]) -> u64 { let mut sum = 0; for value in values { sum += value * 2; } sum }\n"
        .repeat(3);
    env.write("src/a.rs", format!("{body}fn one() {{}}\n"));
    env.write("src/b.rs", format!("// mine\n{body}"));
    env.run(&["compare", "src", "--tokens", "code", "-o", "pairs.jsonl"]).code(0);
    assert!(env.read_jsonl("pairs.jsonl")[0]["r"].as_f64().is_some_and(|r| r > 0.7));
}

#[test]
fn what_cannot_be_compared_is_named() {
    let env = Env::new();
    env.write("one.txt", own(1));
    env.run(&["compare", "one.txt"]).code(1).says(&["one.txt: this is the only document", "two files or more"]);
    env.run(&["compare", "none.txt"]).code(1).says(&["none.txt: no such file", "no document", "two files or more"]);
    env.write("empty.txt", " .\n");
    env.run(&["compare", "one.txt", "empty.txt"]).code(1).says(&[
        "empty.txt: has no words",
        "one.txt",
        "two files or more",
    ]);
    env.write("two.txt", own(1));
    env.run(&["compare", "one.txt", "two.txt", "empty.txt", "-o", "p.csv"]).code(1).says(&["empty.txt", "1 pair"]);
    env.run(&["compare", "one.txt", "two.txt", "-o", "pairs.xyz"]).code(2).says(&["--format"]);
    env.run(&["compare", "one.txt", "two.txt", "--memory", "1M"]).code(2).says(&["--memory 32M"]);
    env.run(&["compare", "one.txt", "two.txt", "--resemblance", "120%"]).code(2).says(&["from 0 to 100"]);
}

#[test]
fn names_are_no_formulas() {
    let env = Env::new();
    documents(&env, &[("=1+1", own(1)), ("-2", own(1)), ("a,@b", own(1))]);
    env.run(&["compare", "docs.jsonl", "-o", "pairs.csv"]).code(0);
    let cells: Vec<String> = env.read_text("pairs.csv").lines().skip(1).map(str::to_owned).collect();
    assert!(cells.contains(&"'=1+1,'-2,1,1,1,118,1,'=1+1,'-2".to_owned()), "{cells:?}");
    assert!(cells.iter().any(|line| line.starts_with("'=1+1,\"a,@b\",1,")), "{cells:?}");
    env.run(&["compare", "docs.jsonl", "-o", "pairs.tsv", "--anonymous", "key.tsv"]).code(0);
    assert!(env.read_text("key.tsv").contains("\t'=1+1\n"));
    env.run(&["compare", "docs.jsonl", "-o", "pairs.jsonl"]).code(0);
    assert_eq!(env.read_jsonl("pairs.jsonl")[0]["a"], "=1+1");
}

#[test]
fn memory_and_threads_do_not_change_the_pairs() {
    let env = Env::new();
    let text =
        |n: u64| json!({"id": n.to_string(), "text": format!("{} {}", common::words(300, n % 40), own(n))}).to_string();
    env.write("docs.jsonl", (0..400).map(text).collect::<Vec<_>>().join("\n"));
    let of = |options: &[&str]| {
        env.run(&[&["compare", "docs.jsonl", "-o", "pairs.jsonl"], options].concat()).code(0);
        env.read("pairs.jsonl")
    };
    let first = of(&[]);
    assert!(first.len() > 1000 && first == of(&["--threads", "1"]) && first == of(&["--memory", "32M"]));
}
