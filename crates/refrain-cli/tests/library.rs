//! `refrain library`: sources kept on disk, and what happens to them when things go wrong.

mod common;

use std::collections::BTreeSet;
use std::process::Stdio;
use std::time::{Duration, Instant};

use common::Env;
use serde_json::{Value, json};

const SHARED: &str = "The weight that turned the lens hung in the middle of the tower and sank a little with every turn, so that it \
    had to be wound up again every two hours, in calm nights as in storms. Whoever had the first watch woke the second keeper at \
    midnight and wrote into the log how much oil had been burnt, which way the wind blew, and what ships had passed.";

fn own(seed: u64) -> String {
    common::words(150, seed)
}

fn checked(env: &Env, library: &str, file: &str) -> Value {
    let out = env.run(&["library", "check", library, file, "--json"]).code(0);
    serde_json::from_str(out.text()).expect("JSON")
}

#[test]
fn sources_are_kept_and_found() {
    let env = Env::new();
    for n in 0..5 {
        let more = if n == 3 { SHARED } else { "" };
        env.write(&format!("old/{n}.txt"), format!("{}\n\n{more}\n\n{}", own(n), own(n + 100)));
    }
    env.write("essay.txt", format!("{}\n\n{SHARED}", own(77)));
    env.run(&["library", "add", "lib/", "old"]).code(0).says(&["added 5 documents"]);
    env.run(&["library", "add", "lib/", "old"]).code(0).says(&["added 0 documents", "5 already present"]);
    let found = checked(&env, "lib/", "essay.txt");
    assert!(found["c"].as_f64().is_some_and(|c| (0.2..0.6).contains(&c)));
    assert_eq!((&found["sources"][0]["id"], found["sources"].as_array().map(Vec::len)), (&json!("old/3.txt"), Some(1)));
    assert_eq!(found["sources"][0]["passages"][0]["kind"], "verbatim");
    env.run(&["library", "check", "lib/", "essay.txt"]).code(0);
    let list = env.run(&["library", "list", "lib/"]).code(0);
    assert_eq!(list.text().lines().count(), 5);
    env.write("old/3.txt", own(200));
    env.run(&["library", "add", "lib/", "old"]).code(0).says(&["replaced 1"]);
    assert_eq!(checked(&env, "lib/", "essay.txt")["sources"], json!([]));
    env.run(&["library", "remove", "lib/", "old/2.txt", "old/9.txt"])
        .code(1)
        .says(&["old/9.txt: no source has this name"]);
    env.run(&["library", "verify", "lib/"]).code(0).says(&["4 sources"]);
    env.run(&["library", "compact", "lib/"]).code(0).says(&["4 sources in one segment"]);
    env.run(&["library", "verify", "lib/"]).code(0);
}

#[test]
fn a_document_that_is_a_source_is_reported_and_excluded_on_request() {
    let env = Env::new();
    env.write("a.txt", SHARED);
    env.write("b.txt", format!("{}\n\n{SHARED}", own(1)));
    env.run(&["library", "add", "lib/", "./a.txt", "b.txt"]).code(0);
    let found = checked(&env, "lib/", "a.txt");
    assert_eq!(
        (&found["c"], &found["sources"][0]["id"], &found["sources"][0]["itself"]),
        (&json!(1.0), &json!("a.txt"), &json!(true))
    );
    let outcome = env.run(&["library", "check", "lib/", "a.txt"]).code(0);
    assert!(
        outcome.text().contains("100.0 % in a.txt") && outcome.text().contains("the document itself"),
        "{}",
        outcome.text()
    );
    env.run(&["library", "check", "lib/", "a.txt", "--others", "-o", "found.jsonl"]).code(0);
    let found: Value = serde_json::from_str(&env.read_text("found.jsonl")).expect("JSON");
    assert_eq!((&found["sources"][0]["id"], found["sources"].as_array().map(Vec::len)), (&json!("b.txt"), Some(1)));
    env.run(&["library", "check", "lib/", "a.txt", "-o", "found.csv"]).code(2).says(&[".txt, .jsonl"]);
    env.run(&["library", "check", "lib/", "lib"]).code(2).says(&["is a library of refrain"]);
    env.run(&["library", "remove", "lib/", "a.txt"]).code(0).says(&["removed 1 document"]);
    let line = |text: String| json!({"id": "same", "text": text}).to_string() + "\n";
    env.write("twice.jsonl", line(own(8)) + &line(own(9)));
    env.run(&["library", "add", "lib/", "twice.jsonl"])
        .code(1)
        .says(&["added 1 document", "another document has the same id"]);
    env.write("b.txt", own(10));
    env.run(&["library", "add", "lib/", "b.txt"]).code(0).says(&["replaced 1: b.txt"]);
}

#[test]
fn what_is_lost_or_damaged_is_named() {
    let env = Env::new();
    for n in 0..3 {
        env.write(
            &format!("{n}.txt"),
            format!("{}\n\n{SHARED}\n\nReferences\n\nSmith, 1998, Lamps.\nJones, 2001, Oil.\n", own(n)),
        );
    }
    env.run(&["library", "add", "lib/", "0.txt", "1.txt", "2.txt"]).code(0);
    env.run(&["library", "add", "0.txt", "1.txt"]).code(2).says(&["0.txt is a file"]);
    let mut bytes = env.read("lib/000001.texts");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x40;
    env.write("lib/000001.texts", &bytes);
    env.run(&["library", "check", "lib/", "0.txt"]).code(2).says(&["the text of `1.txt`", "add it again"]);
    env.run(&["library", "verify", "lib/"]).code(2).says(&["1.txt"]);
    env.run(&["library", "compact", "lib/"]).code(2).says(&["1.txt"]);
    env.run(&["library", "remove", "lib/", "1.txt"]).code(0);
    env.run(&["library", "compact", "lib/"]).code(0);
    env.run(&["library", "verify", "lib/"]).code(0).says(&["2 sources"]);
    let documents = env.read_text("lib/000002.documents").replace("\"end\":", "\"end\":9");
    env.write("lib/000002.documents", documents);
    env.run(&["library", "check", "lib/", "0.txt"]).code(2).says(&["is damaged"]);
    std::fs::remove_file(env.path("lib/000002.texts")).expect("a file");
    env.run(&["library", "check", "lib/", "0.txt"]).code(2).says(&["a file of this library is missing"]);
    std::fs::remove_file(env.path("lib/library.json")).expect("a file");
    env.run(&["library", "check", "lib/", "0.txt"]).code(2).says(&["library.json of this library is missing"]);
}

#[test]
fn what_is_no_library_is_not_touched() {
    let env = Env::new();
    env.write("a.txt", own(1));
    env.write("other/mine.txt", "x");
    env.run(&["library", "add", "other/", "a.txt"]).code(2).says(&["other files"]);
    env.run(&["library", "check", "other/", "a.txt"]).code(2).says(&["is not a library", "creates one"]);
    env.run(&["library", "add", "lib/", "a.txt"]).code(0);
    let note = env.read_text("lib/library.json");
    env.write("lib/library.json", note.replace("\"refrain_library\": 1", "\"refrain_library\": 2"));
    env.run(&["library", "check", "lib/", "a.txt"]).code(1).says(&["lib/", "version 2", "make it anew"]);
    for change in [&["add", "lib/", "a.txt"][..], &["remove", "lib/", "a.txt"], &["list", "lib/"], &["compact", "lib/"]]
    {
        env.run(&[&["library"], change].concat()).code(1).says(&["lib/", "version 2", "make it anew"]);
    }
    env.write("lib/library.json", "{");
    env.run(&["library", "check", "lib/", "a.txt"]).code(2).says(&["library.json"]);
}

#[test]
fn files_of_others_and_repeated_ids_do_no_harm() {
    let env = Env::new();
    env.write("mine/2023.texts", "mine");
    env.write("a.txt", own(1));
    env.run(&["library", "add", "mine/", "a.txt"]).code(2).says(&["other files"]);
    assert_eq!(env.read_text("mine/2023.texts"), "mine");
    let line = |n: u64| json!({"id": "same", "text": own(n)}).to_string();
    env.write("same.jsonl", (0..600).map(line).collect::<Vec<_>>().join("\n"));
    env.run(&["library", "add", "lib/", "same.jsonl"]).code(1).says(&["another document has the same id", "598 more"]);
    env.run(&["library", "verify", "lib/"]).code(0).says(&["1 sources"]);
    assert!(env.names("lib").len() < 10);
    env.run(&["library", "add", "lib/", "a.txt", "--memory", "1K"]).code(2).says(&["--memory 32M"]);
}

#[test]
fn a_damaged_index_is_reported() {
    let env = Env::new();
    env.write("a.txt", own(1));
    env.run(&["library", "add", "lib/", "a.txt"]).code(0);
    let mut grams = env.read("lib/000001.grams");
    grams.chunks_mut(12).for_each(|entry| entry[11] = 0x7F);
    env.write("lib/000001.grams", &grams);
    env.run(&["library", "check", "lib/", "a.txt"]).code(2).says(&["000001.grams", "verify"]);
    env.write("lib/000001.grams", &grams[..grams.len() - 5]);
    env.run(&["library", "check", "lib/", "a.txt"]).code(2).says(&["has the wrong length"]);
}

#[test]
fn killed_while_it_adds_a_library_is_as_it_was() {
    let env = Env::new();
    env.write("first.txt", format!("{SHARED} {}", own(1)));
    env.run(&["library", "add", "lib/", "first.txt"]).code(0);
    let line = |n: u64| json!({"id": n.to_string(), "text": common::words(400, n)}).to_string();
    env.write("many.jsonl", (0..1500).map(line).collect::<Vec<_>>().join("\n"));
    env.write("essay.txt", SHARED);
    for wait in [5, 60, 150, 300] {
        let mut command = env.command(&["library", "add", "lib/", "many.jsonl", "--quiet"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("refrain");
        std::thread::sleep(Duration::from_millis(wait));
        let _ = child.kill();
        let done = child.wait().expect("an end").success();
        env.run(&["library", "verify", "lib/"]).code(0).says(&[if done { "1501 sources" } else { " sources" }]);
        assert_eq!(checked(&env, "lib/", "essay.txt")["sources"][0]["id"], "first.txt");
    }
    env.run(&["library", "add", "lib/", "many.jsonl"]).code(0);
    env.run(&["library", "verify", "lib/"]).code(0).says(&["1501 sources"]);
}

/// Ids of the sources of a library.
fn listed(env: &Env, library: &str) -> BTreeSet<String> {
    let out = env.run(&["library", "list", library, "--json"]).code(0);
    let sources = common::parse_jsonl(out.text().as_bytes());
    sources.iter().filter_map(|source| source["id"].as_str()).map(str::to_owned).collect()
}

#[test]
fn killed_at_any_moment_of_any_change_a_library_loses_nothing() {
    const SOURCES: u64 = 150;
    let env = Env::new();
    for part in 0..3 {
        let line = |n: u64| json!({"id": format!("{n:04}"), "text": common::words(300, n)}).to_string();
        let lines: Vec<String> = (part * SOURCES..(part + 1) * SOURCES).map(line).collect();
        env.write(&format!("{part}.jsonl"), lines.join("\n"));
    }
    let ids = |from: u64, to: u64| (from..to).map(|n| format!("{n:04}")).collect::<BTreeSet<_>>();
    let (removed, added) = (ids(0, 50), ids(SOURCES, 3 * SOURCES));
    let add = vec!["library", "add", "lib/", "1.jsonl", "2.jsonl", "--quiet"];
    let remove = ["library", "remove", "lib/"].into_iter().chain(removed.iter().map(String::as_str)).collect();
    let changes = [add, remove, vec!["library", "compact", "lib/"]];
    env.run(&["library", "add", "lib/", "0.jsonl"]).code(0);
    // How long each takes when nobody kills it.
    for name in env.names("lib") {
        env.write(&format!("copy/{name}"), env.read(&format!("lib/{name}")));
    }
    let takes = changes.each_ref().map(|change| {
        let copy: Vec<&str> = change.iter().map(|word| if *word == "lib/" { "copy/" } else { *word }).collect();
        let start = Instant::now();
        env.run(&copy).code(0);
        start.elapsed()
    });
    let mut moment = 0x5EED_u64;
    let mut before = listed(&env, "lib/");
    for round in 0..9 {
        let after: BTreeSet<String> = match round % 3 {
            0 => before.union(&added).cloned().collect(),
            1 => before.difference(&removed).cloned().collect(),
            _ => before.clone(),
        };
        moment = moment.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut command = env.command(&changes[round % 3]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("refrain starts");
        std::thread::sleep(takes[round % 3].mul_f64((moment >> 40) as f64 / f64::from(1 << 24)));
        let _ = child.kill();
        let done = child.wait().expect("an end").code().is_some();
        env.run(&["library", "verify", "lib/"]).code(0);
        let now = listed(&env, "lib/");
        assert!(now == after || (now == before && !done), "round {round}: {} sources", now.len());
        before = now;
    }
    for change in &changes {
        assert!(env.run(change).code < 2);
    }
    env.run(&["library", "verify", "lib/"]).code(0);
    assert_eq!(listed(&env, "lib/"), ids(50, 3 * SOURCES));
}

#[test]
fn passages_come_with_pages_and_quotations() {
    let env = Env::new();
    env.write("keeper.pdf", common::handed_in("keeper.pdf"));
    let converted = env.convert(&["keeper.pdf"]);
    let text = common::text_of(&converted.documents[0]);
    // What stands on the second page.
    let start = converted.documents[0]["pages"][1].as_u64().expect("a page") as usize;
    let second: String = text.chars().skip(start).take(230).collect();
    env.write("essay.txt", format!("{} «{second}» (Fennick 1931, p. 2). {}", own(1), own(2)));
    env.run(&["library", "add", "lib/", "keeper.pdf"]).code(0);
    let found = checked(&env, "lib/", "essay.txt");
    let passage = &found["sources"][0]["passages"][0];
    assert_eq!((&passage["quoted_a"], passage.get("quoted_b")), (&json!("cited"), None), "{passage}");
    assert_eq!((passage.get("page_a"), &passage["page_b"]), (None, &json!(2)), "{passage}");
    // The other way round.
    env.run(&["library", "add", "other/", "essay.txt"]).code(0);
    let found = checked(&env, "other/", "keeper.pdf");
    let passage = &found["sources"][0]["passages"][0];
    assert_eq!((&passage["page_a"], &passage["quoted_b"]), (&json!(2), &json!("cited")), "{passage}");
}

#[test]
fn given_text_does_not_count() {
    let env = Env::new();
    env.write("old.txt", format!("{SHARED}\n\n{}", own(1)));
    env.write("brief.txt", SHARED);
    env.write("essay.txt", format!("{SHARED}\n\n{}", own(2)));
    env.run(&["library", "add", "lib/", "old.txt"]).code(0);
    assert_eq!(checked(&env, "lib/", "essay.txt")["sources"][0]["id"], "old.txt");
    let out = env.run(&["library", "check", "lib/", "essay.txt", "--json", "--exclude", "brief.txt"]).code(0);
    let found: Value = serde_json::from_str(out.text()).expect("JSON");
    assert_eq!((&found["sources"], &found["shared"]), (&json!([]), &json!(0)));
    let missing = ["library", "check", "lib/", "essay.txt", "--exclude", "none.txt"];
    env.run(&missing).code(2).says(&["none.txt: no such file"]);
}

#[test]
fn other_words_than_those_of_the_library_are_refused() {
    let env = Env::new();
    env.write("a.txt", own(1));
    env.write("b.txt", own(2));
    env.run(&["library", "add", "lib/", "a.txt", "--ngram", "4"]).code(0);
    for other in [["--ngram", "3"], ["--tokens", "code"]] {
        let said = ["lib/", "--tokens letters --ngram 4", "another library"];
        env.run(&[&["library", "add", "lib/", "b.txt"][..], &other].concat()).code(2).says(&said);
    }
    env.run(&["library", "add", "lib/", "b.txt", "--ngram", "4", "--tokens", "letters"]).code(0);
    env.run(&["library", "add", "lib/", "b.txt"]).code(0).says(&["1 already present"]);
    assert_eq!(listed(&env, "lib/"), ["a.txt", "b.txt"].map(str::to_owned).into());
}

#[test]
fn names_do_nothing_to_a_terminal() {
    let env = Env::new();
    let id = "a\u{1b}[31mred\nb";
    env.write("docs.jsonl", json!({"id": id, "text": format!("{SHARED}\u{1b}[2J")}).to_string());
    env.run(&["library", "add", "lib/", "docs.jsonl"]).code(0);
    let list = env.run(&["library", "list", "lib/"]).code(0);
    assert!(list.text().lines().count() == 1 && list.text().contains("a [31mred b"), "{}", list.text());
    assert_eq!(listed(&env, "lib/"), [id.to_owned()].into());
    let check = env.run(&["library", "check", "lib/", "docs.jsonl"]).code(0);
    assert!(check.text().contains("% in a [31mred b") && !check.text().contains('\u{1b}'), "{}", check.text());
}

#[test]
fn one_program_at_a_time_changes_a_library() {
    let env = Env::new();
    env.write("a.txt", own(1));
    env.run(&["library", "add", "lib/", "a.txt"]).code(0);
    let lock = std::fs::File::create(env.path("lib/lock")).expect("the lock");
    lock.lock().expect("nobody else has it");
    for change in [&["add", "lib/", "a.txt"][..], &["remove", "lib/", "a.txt"], &["compact", "lib/"]] {
        env.run(&[&["library"], change].concat()).code(1).says(&["lib/", "another program", "wait"]);
    }
    env.run(&["library", "check", "lib/", "a.txt"]).code(0);
}
