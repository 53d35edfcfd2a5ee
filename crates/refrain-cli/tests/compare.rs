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

/// A passage inside a long text of its own.
fn long(seed: u64, copied: &str) -> String {
    let sentences = common::words(3000, seed);
    let middle = sentences.match_indices(' ').nth(1500).map_or(0, |(at, _)| at);
    format!("{} {copied}{}", &sentences[..middle], &sentences[middle..])
}

#[test]
fn a_passage_is_enough_for_a_pair_to_be_listed() {
    let env = Env::new();
    let copied = SHARED.split(' ').take(60).collect::<Vec<_>>().join(" ") + ".";
    let edited = copied.replace("middle", "centre").replace("calm", "quiet").replace("woke", "called");
    let texts =
        [("one", long(1, &copied)), ("two", long(2, &copied)), ("three", long(3, &edited)), ("four", long(4, ""))];
    documents(&env, &texts);
    env.run(&["compare", "docs.jsonl", "-o", "pairs.jsonl"]).code(0).says(&["3 pairs"]);
    let pairs = env.read_jsonl("pairs.jsonl");
    let of = |a: &str, b: &str| pairs.iter().find(|pair| pair["a"] == a && pair["b"] == b).expect("a pair");
    assert!(of("one", "two")["r"].as_f64().is_some_and(|r| r < 0.02));
    assert_eq!(of("one", "two")["longest"], 60);
    assert_eq!(of("two", "three")["passages"][0]["kind"], "edited");
    // The table has the column, too.
    let run = env.run(&["compare", "docs.jsonl"]);
    assert!(run.text().lines().next().is_some_and(|head| head.contains("longest")));
    // Lists by scores alone, and by longer passages.
    for words in ["0", "80"] {
        env.run(&["compare", "docs.jsonl", "-o", "pairs.jsonl", "--passage-words", words]).code(0).says(&["0 pairs"]);
    }
    env.run(&["compare", "docs.jsonl", "--no-passages", "--passage-words", "50"]).code(2).says(&["--passage-words"]);
    // What everyone received does not count.
    env.write("brief.txt", SHARED);
    env.run(&["compare", "docs.jsonl", "--exclude", "brief.txt", "-o", "pairs.jsonl"]).code(0);
    assert!(!env.read_jsonl("pairs.jsonl").iter().any(|pair| pair["a"] == "one" && pair["b"] == "two"));
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
    env.run(&["compare", "docs.jsonl", "--pairs", "pairs.tsv"]).code(2).says(&["separated by a tab"]);
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
    assert!(page.contains("\"alone\":false"));
    env.run(&["compare", "essays", "--exclude", "brief.md", "-o", "page.html"]).code(0);
    assert!(String::from_utf8_lossy(&env.read("page.html")).contains("\"alone\":true"));
    assert!(String::from_utf8_lossy(&env.read("report/pairs.csv")).starts_with("a,b,r,"));
    // A report is replaced only on demand, and nothing else in its folder is touched.
    env.run(&["compare", "essays", "-o", "report/"]).code(2).says(&["report/ is not empty", "--overwrite"]);
    env.write("report/mine.txt", "x");
    env.run(&["compare", "essays", "-o", "report/", "--overwrite"]).code(0);
    assert_eq!(env.read("report/mine.txt"), b"x");
}

#[test]
fn quotations_are_distinguished_from_copies() {
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
    env.run(&["compare", "docs.jsonl", "-o", "pairs.jsonl"])
        .code(1)
        .says(&["2 documents", "another document has the same id"]);
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
fn passages_of_folders_name_their_files_and_pages() {
    let env = Env::new();
    let pdf = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/documents/keeper.pdf");
    env.write("keeper.pdf", std::fs::read(pdf).expect("a sample"));
    env.run(&["convert", "keeper.pdf", "-o", "keeper.jsonl"]).code(0);
    let keeper = env.read_jsonl("keeper.jsonl").remove(0);
    let text = keeper["text"].as_str().expect("a text").to_owned();
    let second = keeper["pages"][1].as_u64().expect("two pages") as usize;
    env.write("class/anna/first.txt", format!("é {}", own(1)));
    env.write("class/anna/paper.pdf", env.read("keeper.pdf"));
    env.write(
        "class/bert/only.txt",
        format!("{}\n\n{}", own(2), text.chars().skip(second).collect::<String>().repeat(3)),
    );
    env.write("class/clara.txt", text.repeat(2));
    let compare = ["compare", "class", "--folders", "--resemblance", "0", "-o"];
    env.run(&[&compare[..], &["report/"]].concat()).code(0);
    let report: Value = serde_json::from_slice(&env.read("report/report.json")).expect("JSON");
    let files = &report["documents"][0]["files"];
    assert_eq!((&files[0]["name"], &files[1]["name"]), (&json!("first.txt"), &json!("paper.pdf")));
    let start = 2 + own(1).chars().count() + 2;
    assert_eq!((&files[1]["start"], &files[1]["pages"]), (&json!(start), &json!([start, start + second])));
    assert!(report["documents"][2].get("files").is_none(), "a file is no folder");
    let pairs = report["pairs"].as_array().expect("pairs");
    let with_clara = pairs.iter().find(|pair| pair["a"] == 0 && pair["b"] == 2).expect("a pair");
    let passage = &with_clara["passages"][0];
    assert_eq!((&passage["file_a"], &passage["page_a"]), (&json!("paper.pdf"), &json!(1)));
    assert!(passage.get("file_b").is_none() && passage.get("page_b").is_none());
    // The same in bytes.
    env.run(&[&compare[..], &["report/", "--offsets", "bytes", "--overwrite"]].concat()).code(0);
    let report: Value = serde_json::from_slice(&env.read("report/report.json")).expect("JSON");
    assert_eq!(report["documents"][0]["files"][1]["start"], json!(start + 1));
    // Names of files are names.
    env.run(&[&compare[..], &["report/", "--anonymous", "key.tsv", "--overwrite"]].concat()).code(0);
    let report = String::from_utf8(env.read("report/report.json")).expect("UTF-8");
    assert!(report.contains("\"file 2\"") && !report.contains("paper") && !report.contains("first.txt"));
}

#[test]
fn a_page_has_the_highest_pairs_and_says_how_many_there_are() {
    let env = Env::new();
    let texts: Vec<(String, String)> =
        (0..50).map(|n| (format!("d{n}"), format!("{SHARED} {}", common::words(40 + n, n as u64)))).collect();
    let texts: Vec<(&str, String)> = texts.iter().map(|(id, text)| (id.as_str(), text.clone())).collect();
    documents(&env, &texts);
    env.run(&["compare", "docs.jsonl", "-o", "report/", "--common", "100%"]).code(0).says(&["1225 pairs"]);
    let page = String::from_utf8(env.read("report/report.html")).expect("UTF-8");
    let (_, rest) = page.split_once("id=\"report\">").expect("what was found");
    let data: Value = serde_json::from_str(rest.split_once("</script>").expect("its end").0).expect("JSON");
    assert_eq!(data["pairs"].as_array().map(Vec::len), Some(1000));
    assert_eq!(data["totals"]["pairs"], 1225);
    let bars = data["histogram"].as_array().expect("bars").iter().filter_map(Value::as_u64);
    assert_eq!(bars.sum::<u64>(), 1225);
    let report: Value = serde_json::from_slice(&env.read("report/report.json")).expect("JSON");
    assert_eq!(report["pairs"].as_array().map(Vec::len), Some(1225));
}

#[test]
fn names_can_be_omitted() {
    let env = Env::new();
    samples(&env);
    env.run(&["compare", "essays", "-o", "report/", "--anonymous", "key.tsv"]).code(0);
    for file in ["report/report.json", "report/report.html", "report/pairs.csv", "report/texts.jsonl"] {
        assert!(!String::from_utf8_lossy(&env.read(file)).contains("anna"), "{file}");
    }
    let key = |env: &Env| {
        let key = String::from_utf8(env.read("key.tsv")).expect("UTF-8");
        let name = |id: &str| key.lines().find(|line| line.ends_with(id)).map(|line| line[..10].to_owned());
        ["anna.txt", "bert.txt", "clara.html", "david.txt", "eva.txt"].map(|id| name(id).unwrap_or_default())
    };
    // Numbers say nothing of names: they go by what is written, so that they stay the same, and the order of files is none.
    let numbers = key(&env);
    assert!(!numbers.is_sorted(), "{numbers:?}");
    let report: Value = serde_json::from_slice(&env.read("report/report.json")).expect("JSON");
    let listed = report["documents"].as_array().expect("documents").iter().map(|document| document["name"].clone());
    assert!(listed.eq((1..=5).map(|number| json!(format!("Document {number}")))));
    for pair in report["pairs"].as_array().expect("pairs") {
        assert!(pair["a"].as_u64() < pair["b"].as_u64(), "the order of the two says nothing, either");
    }
    let other = Env::new();
    for (name, as_name) in
        [("anna.txt", "z.txt"), ("bert.txt", "y.txt"), ("clara.html", "x.html"), ("eva.txt", "w.txt")]
    {
        other.write(&format!("essays/{as_name}"), env.read(&format!("essays/{name}")));
    }
    other.write("essays/v.txt", env.read("essays/david.txt"));
    other.run(&["compare", "essays", "-o", "report/", "--anonymous", "key.tsv"]).code(0);
    assert_eq!(env.read("report/report.json"), other.read("report/report.json"));
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
fn passages_of_programs_end_where_what_is_copied_ends() {
    let env = Env::new();
    let copied = "fn total(values: &[u64], start: u64) -> Result<u64, Overflow> {\n    let mut sum = start;\n    for value in values {\n        \
        sum = sum.checked_add(value * 2).ok_or(Overflow { at: sum })?;\n    }\n    if sum > LIMIT { return Err(Overflow { at: sum }); }\n    Ok(sum)\n}";
    let one =
        format!("use std::io;\n\n{copied}\n\nfn read() -> io::Result<String> {{ io::read_to_string(io::stdin()) }}\n");
    let two = format!("mod lamp;\n\nstruct Overflow {{ at: u64 }}\n\nconst LIMIT: u64 = 99;\n\n{copied}\n");
    env.write("src/a.rs", &one);
    env.write("src/b.rs", &two);
    env.run(&["compare", "src", "--tokens", "code", "-o", "pairs.jsonl"]).code(0);
    let passages = &env.read_jsonl("pairs.jsonl")[0]["passages"];
    let range = |side: &str| [0, 1].map(|at| passages[0][side][at].as_u64().expect("a number") as usize);
    let [from, to] = range("a");
    assert_eq!((&one[from..to], &passages[0]["kind"]), (copied, &json!("verbatim")));
    let [from, to] = range("b");
    assert_eq!((&two[from..to], passages.as_array().map(Vec::len)), (copied, Some(1)));
}

#[test]
fn what_cannot_be_compared_is_named() {
    let env = Env::new();
    env.write("one.txt", own(1));
    env.run(&["compare", "one.txt"]).code(1).says(&["one.txt: this is the only document", "at least two files"]);
    env.run(&["compare", "none.txt"]).code(2).says(&["nothing to read", "none.txt: no such file"]);
    env.write("empty.txt", " .\n");
    env.run(&["compare", "one.txt", "empty.txt"]).code(1).says(&[
        "empty.txt: no words to compare",
        "one.txt",
        "at least two files",
    ]);
    env.write("two.txt", own(1));
    env.run(&["compare", "one.txt", "two.txt", "empty.txt", "-o", "p.csv"]).code(1).says(&["empty.txt", "1 pair"]);
    env.run(&["compare", "one.txt", "two.txt", "-o", "pairs.xyz"]).code(2).says(&["--format"]);
    env.run(&["compare", "one.txt", "two.txt", "--memory", "1M"]).code(2).says(&["--memory 32M"]);
    env.run(&["compare", "one.txt", "two.txt", "--resemblance", "120%"]).code(2).says(&["from 0 to 1, or in percent"]);
}

#[test]
fn names_are_no_formulas() {
    let env = Env::new();
    documents(&env, &[("=1+1", own(1)), ("-2", own(1)), ("a,@b", own(1))]);
    env.run(&["compare", "docs.jsonl", "-o", "pairs.csv"]).code(0);
    let cells: Vec<String> = env.read_text("pairs.csv").lines().skip(1).map(str::to_owned).collect();
    assert!(cells.contains(&"'=1+1,'-2,1,1,1,118,1,120,'=1+1,'-2".to_owned()), "{cells:?}");
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

#[test]
fn what_is_read_is_never_written_over() {
    let env = Env::new();
    samples(&env);
    env.write("pairs.csv", "essays/anna.txt\tessays/bert.txt\n");
    let brief = env.read("brief.md");
    env.write("brief.txt", &brief);
    for (arguments, name) in [
        (["--exclude", "brief.md", "--format", "csv", "-o", "brief.md"].as_slice(), "brief.md"),
        (&["--exclude", "brief.txt", "--errors", "brief.txt", "-o", "out.csv"], "brief.txt"),
        (&["--exclude", "brief.md", "--anonymous", "brief.md", "-o", "out.csv"], "brief.md"),
        (&["--reference", "brief.txt", "--errors", "brief.txt", "-o", "out.csv"], "brief.txt"),
        (&["--pairs", "pairs.csv", "-o", "pairs.csv"], "pairs.csv"),
        (&["--anonymous", "key.csv", "-o", "key.csv"], "--anonymous"),
    ] {
        env.run(&[&["compare", "essays"], arguments].concat()).code(2).says(&[name, "name another"]);
        assert!(env.read("brief.md") == brief && env.read("brief.txt") == brief);
    }
}

#[test]
fn reports_and_libraries_are_no_documents() {
    let env = Env::new();
    samples(&env);
    env.run(&["library", "add", "essays/lib/", "essays"]).code(0);
    for _ in 0..2 {
        let report = env.run(&["compare", "essays", "-o", "essays/report/", "--overwrite"]).code(0);
        report.says(&["compared 5 documents"]);
        env.run(&["compare", "essays", "-o", "pairs.csv"]).code(0).says(&["compared 5 documents"]);
    }
    env.run(&["compare", "essays/report", "-o", "pairs.csv"]).code(2).says(&["is a report of refrain"]);
    // Beside other files, a report hides nothing.
    env.write("essays/report/late.txt", own(9));
    assert!(env.run(&["list", "essays"]).text().contains("late.txt"));
}

#[test]
fn ids_do_not_depend_on_how_a_path_was_typed() {
    let env = Env::new();
    samples(&env);
    let pairs = |inputs: &[&str]| {
        let mut arguments = vec!["compare"];
        arguments.extend_from_slice(inputs);
        env.run(&[&arguments[..], &["-o", "pairs.csv"]].concat()).code(0);
        env.read_text("pairs.csv")
    };
    assert_eq!(pairs(&["essays"]), pairs(&["./essays/"]));
    assert_eq!(pairs(&["essays"]), pairs(&["essays/.//"]));
}

#[test]
fn members_of_an_archive_belong_together_in_any_order() {
    let env = Env::new();
    let copied = own(5);
    let (anna, bert, more) = (own(1), format!("{}\n\n{copied}", own(2)), copied.clone());
    let members = [("anna/1.txt", anna.as_bytes()), ("bert/1.txt", bert.as_bytes()), ("anna/2.txt", more.as_bytes())];
    env.write("class.zip", common::zip(&members, true));
    env.run(&["compare", "class.zip", "--folders", "-o", "pairs.jsonl"]).code(0).says(&["2 documents"]);
    let pairs = env.read_jsonl("pairs.jsonl");
    assert_eq!((&pairs[0]["a"], &pairs[0]["b"]), (&json!("class.zip/anna"), &json!("class.zip/bert")));
    env.write(
        "one.zip",
        common::zip(&[("class/anna.txt", anna.as_bytes()), ("class/bert.txt", bert.as_bytes())], true),
    );
    env.run(&["compare", "one.zip", "--folders"]).code(1).says(&["one folder per document"]);
}

#[test]
fn a_reference_with_the_id_of_a_document_is_reported() {
    let env = Env::new();
    let line = |text: &str| json!({"id": "1", "text": text}).to_string() + "\n";
    env.write("new.jsonl", line(&own(1)) + &json!({"id": "2", "text": own(2)}).to_string());
    env.write("old.jsonl", line(&own(3)));
    env.run(&["compare", "new.jsonl", "--reference", "old.jsonl", "-o", "pairs.csv"])
        .code(1)
        .says(&["another document has the same id", "failed: 1:"]);
    env.run(&["compare", "new.jsonl", "--reference", "new.jsonl", "-o", "pairs.csv"]).code(0);
}

#[test]
fn single_sentences_are_shown_and_changed_numbers_are_edits() {
    let env = Env::new();
    let sentences = [
        "The weight that turned the lens hung in the middle of the tower and sank a little with every turn of the wheel.",
        "Whoever had the first watch woke the second keeper at midnight and wrote into the log how much oil had been burnt.",
        "In calm nights the herring boats lay so close below the rock that their crews could be heard singing until the morning.",
    ];
    let essay: Vec<String> = sentences.iter().zip(1..).map(|(sentence, n)| format!("{}. {sentence}", own(n))).collect();
    let source: Vec<String> =
        sentences.iter().zip(11..).map(|(sentence, n)| format!("{}. {sentence}", own(n))).collect();
    documents(&env, &[("a", essay.join(" ") + " " + &own(4)), ("b", source.join(" ") + " " + &own(14))]);
    env.run(&["compare", "docs.jsonl", "--resemblance", "0", "-o", "pairs.jsonl"]).code(0);
    let pairs = env.read_jsonl("pairs.jsonl");
    let passages = pairs[0]["passages"].as_array().expect("passages");
    let texts: Vec<String> = passages
        .iter()
        .map(|passage| {
            let ends: Vec<usize> = passage["a"]
                .as_array()
                .expect("two ends")
                .iter()
                .map(|end| end.as_u64().unwrap_or(0) as usize)
                .collect();
            essay.join(" ").chars().skip(ends[0]).take(ends[1] - ends[0]).collect()
        })
        .collect();
    assert_eq!(texts, sentences);
    assert!(passages.iter().all(|passage| passage["kind"] == "verbatim"));

    let measured = |grams: [u32; 3]| {
        format!(
            "At the second station we weighed {} g of wet sand from the upper beach, dried it for two hours in the small oven of the school \
         laboratory, and found {} g left, so that the water in it, which evaporated, must have been about {} g in all.",
            grams[0], grams[1], grams[2]
        )
    };
    documents(
        &env,
        &[("a", own(21) + "\n\n" + &measured([300, 260, 40])), ("b", own(22) + "\n\n" + &measured([450, 350, 100]))],
    );
    env.run(&["compare", "docs.jsonl", "--resemblance", "0", "-o", "pairs.jsonl"]).code(0);
    assert_eq!(env.read_jsonl("pairs.jsonl")[0]["passages"][0]["kind"], "edited");
}

#[test]
fn characters_that_nobody_sees_hide_nothing() {
    let env = Env::new();
    let text = format!("{}. {SHARED} {}.", own(1), own(2));
    for (name, sign) in [("soft", '\u{AD}'), ("space", '\u{200B}'), ("joiner", '\u{2060}')] {
        let mut inside = false;
        let hidden: String = text
            .chars()
            .flat_map(|c| {
                let put = inside && c.is_alphabetic();
                inside = c.is_alphabetic();
                put.then_some(sign).into_iter().chain([c])
            })
            .collect();
        documents(&env, &[("a", text.clone()), (name, hidden)]);
        env.run(&["compare", "docs.jsonl", "-o", "pairs.jsonl"]).code(0);
        let pairs = env.read_jsonl("pairs.jsonl");
        assert_eq!((&pairs[0]["r"], &pairs[0]["passages"][0]["kind"]), (&json!(1.0), &json!("verbatim")), "{name}");
    }
}

#[test]
fn skipped_items_are_reported() {
    let env = Env::new();
    samples(&env);
    env.write("essays/late.rar", b"Rar!\x1a\x07\x01\x00and more of it");
    env.write(
        "essays/late.pages",
        common::zip(
            &[("Index/Document.iwa", b"\0\x01".as_slice()), ("Metadata/BuildVersionHistory.plist", b"<plist></plist>")],
            true,
        ),
    );
    let (rar, pages) = ("1 RAR archive", "iWork document");
    env.run(&["compare", "essays", "-o", "pairs.csv"]).says(&["compared 5 documents", "skipped", rar, pages]);
    env.run(&["library", "add", "lib/", "essays"]).says(&["added 5 documents", rar, pages]);
    env.run(&["compare", "essays", "-o", "essays/anna.txt/"]).code(2).says(&["anna.txt is a file"]);
    env.write("none.tsv", "\n");
    env.run(&["compare", "essays", "--pairs", "none.tsv"]).code(1).says(&["contains no pairs"]);
    env.write("none.tsv", "essays/eva.txt\tessays/eva.txt\n");
    env.run(&["compare", "essays", "--pairs", "none.tsv"]).code(1).says(&["paired with itself"]);
    let table = env.run(&["compare", "essays", "--no-passages"]).text().to_owned();
    assert!(table.lines().nth(1).is_some_and(|line| line.contains(" -  ")), "{table}");
}

#[test]
fn the_key_to_the_names_is_kept() {
    let env = Env::new();
    samples(&env);
    for (out, key) in [("out.jsonl", "./out.jsonl"), ("report/", "report/report.json"), ("report/", "report/key.tsv")] {
        env.run(&["compare", "essays", "-o", out, "--anonymous", key]).code(2).says(&["--anonymous"]);
    }
    env.write("report/notes/mine.txt", "Mine.");
    for key in ["report/key.tsv", "./report/report.json", "report/notes/key.tsv", "report/notes/../key.tsv"] {
        let command = ["compare", "essays", "-o", "report/", "--anonymous", key];
        env.run(&command).code(2);
        env.run(&[&command[..], &["--overwrite"]].concat()).code(2).says(&["inside the report", "--anonymous"]);
    }
    assert_eq!(env.names("report"), ["notes/", "notes/mine.txt"]);
}

#[test]
fn a_table_in_a_file_has_all_pairs() {
    let env = Env::new();
    let texts: Vec<(String, String)> =
        (0..12).map(|n| (n.to_string(), format!("{} {}", own(500), common::words(5, n)))).collect();
    documents(&env, &texts.iter().map(|(id, text)| (id.as_str(), text.clone())).collect::<Vec<_>>());
    env.run(&["compare", "docs.jsonl", "-o", "pairs.txt"]).code(0).says(&["66 pairs"]);
    assert_eq!(env.read_text("pairs.txt").lines().count(), 67);
}

#[test]
fn folders_that_are_named_one_by_one_are_documents() {
    let env = Env::new();
    for (name, text) in [
        ("anna/1.txt", SHARED.to_owned()),
        ("anna/2.txt", own(1)),
        ("bert/1.txt", own(2)),
        ("bert/2.txt", SHARED.to_owned()),
    ] {
        env.write(name, text);
    }
    env.run(&["compare", "anna", "bert", "--folders", "--format", "jsonl", "-o", "out.jsonl"])
        .code(0)
        .says(&["2 documents"]);
    let pairs = env.read_jsonl("out.jsonl");
    assert_eq!((&pairs[0]["a"], &pairs[0]["b"]), (&json!("anna"), &json!("bert")));
}
