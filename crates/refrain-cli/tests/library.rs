//! `refrain library`: sources kept on disk, and what happens to them when things go wrong.

mod common;

use std::process::Stdio;
use std::time::Duration;

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
    env.run(&["library", "add", "lib/", "old"]).code(0).says(&["added 0 documents", "5 were there already"]);
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
        .says(&["old/9.txt: no source has this id"]);
    env.run(&["library", "verify", "lib/"]).code(0).says(&["4 sources"]);
    env.run(&["library", "compact", "lib/"]).code(0).says(&["4 sources in one segment"]);
    env.run(&["library", "verify", "lib/"]).code(0);
}

#[test]
fn what_is_no_library_is_not_touched() {
    let env = Env::new();
    env.write("a.txt", own(1));
    env.write("other/mine.txt", "x");
    env.run(&["library", "add", "other/", "a.txt"]).code(2).says(&["other files"]);
    env.run(&["library", "check", "other/", "a.txt"]).code(2).says(&["is no library", "refrain library add"]);
    env.run(&["library", "add", "lib/", "a.txt"]).code(0);
    let note = env.read_text("lib/library.json");
    env.write("lib/library.json", note.replace("\"refrain_library\": 1", "\"refrain_library\": 2"));
    env.run(&["library", "check", "lib/", "a.txt"]).code(2).says(&["version 2", "make it anew"]);
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
    env.run(&["library", "add", "lib/", "same.jsonl"]).code(0);
    env.run(&["library", "verify", "lib/"]).code(0).says(&["1 sources"]);
    assert!(env.names("lib").len() < 10);
    env.run(&["library", "add", "lib/", "a.txt", "--memory", "1K"]).code(2).says(&["--memory 32M"]);
}

#[test]
fn a_damaged_index_is_told() {
    let env = Env::new();
    env.write("a.txt", own(1));
    env.run(&["library", "add", "lib/", "a.txt"]).code(0);
    let mut grams = env.read("lib/000001.grams");
    grams.chunks_mut(12).for_each(|entry| entry[11] = 0x7F);
    env.write("lib/000001.grams", &grams);
    env.run(&["library", "check", "lib/", "a.txt"]).code(2).says(&["000001.grams", "verify"]);
    env.write("lib/000001.grams", &grams[..grams.len() - 5]);
    env.run(&["library", "check", "lib/", "a.txt"]).code(2).says(&["not as long"]);
}

#[test]
fn a_library_of_version_one_opens() {
    let env = Env::new();
    let kept = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/library-1");
    for entry in std::fs::read_dir(kept).expect("the library that is kept").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        env.write(&format!("lib/{name}"), std::fs::read(entry.path()).expect("a file"));
    }
    env.write("essay.txt", SHARED);
    let found = checked(&env, "lib/", "essay.txt");
    assert_eq!(found["sources"][0]["id"], "samples/essays/anna.txt");
    env.run(&["library", "verify", "lib/"]).code(0).says(&["5 sources"]);
}

#[test]
fn killed_while_it_adds_a_library_is_as_it_was() {
    let env = Env::new();
    env.write("first.txt", format!("{SHARED} {}", own(1)));
    env.run(&["library", "add", "lib/", "first.txt"]).code(0);
    let line = |n: u64| json!({"id": n.to_string(), "text": common::words(400, n)}).to_string();
    env.write("many.jsonl", (0..4000).map(line).collect::<Vec<_>>().join("\n"));
    env.write("essay.txt", SHARED);
    for wait in [5, 60, 150, 300, 600] {
        let mut command = env.command(&["library", "add", "lib/", "many.jsonl", "--quiet"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("refrain");
        std::thread::sleep(Duration::from_millis(wait));
        let _ = child.kill();
        let done = child.wait().expect("an end").success();
        env.run(&["library", "verify", "lib/"]).code(0).says(&[if done { "4001 sources" } else { " sources" }]);
        assert_eq!(checked(&env, "lib/", "essay.txt")["sources"][0]["id"], "first.txt");
    }
    env.run(&["library", "add", "lib/", "many.jsonl"]).code(0);
    env.run(&["library", "verify", "lib/"]).code(0).says(&["4001 sources"]);
}

#[test]
fn one_program_at_a_time_changes_a_library() {
    let env = Env::new();
    env.write("a.txt", own(1));
    env.run(&["library", "add", "lib/", "a.txt"]).code(0);
    let lock = std::fs::File::create(env.path("lib/lock")).expect("the lock");
    lock.lock().expect("nobody else has it");
    env.run(&["library", "add", "lib/", "a.txt"]).code(2).says(&["another program", "wait"]);
    env.run(&["library", "remove", "lib/", "a.txt"]).code(2).says(&["another program"]);
    env.run(&["library", "check", "lib/", "a.txt"]).code(0);
}
