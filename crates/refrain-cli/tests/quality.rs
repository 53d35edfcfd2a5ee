//! `refrain quality`, and the same rules in `corpus`.

mod common;

use common::{Env, Outcome, simple_page, words};
use serde_json::{Value, json};

fn run(env: &Env, line: &str) -> Outcome {
    env.run(&line.split_whitespace().collect::<Vec<_>>())
}

/// Documents by id and text, in `docs.jsonl`.
fn with_documents(documents: &[(&str, &str)]) -> Env {
    let env = Env::new();
    let lines = documents.iter().map(|(id, text)| json!({"id": id, "text": text}).to_string() + "\n");
    env.write("docs.jsonl", lines.collect::<String>());
    env
}

fn ids(env: &Env, file: &str) -> Vec<String> {
    env.read_jsonl(file).iter().map(|document| document["id"].as_str().expect("an id").to_owned()).collect()
}

/// A text of sentences that no rule removes.
fn story() -> String {
    let text = "The keeper lit the lamp at dusk, and again when fog came in from the sea. Nobody on shore could say how many ships had \
        passed that night. In the morning he wrote a short report with a blunt pencil. It was sent to an office of the harbour, where a \
        clerk put it into a box. Years later somebody found that box behind some old maps. What she read there was dull, and true. ";
    text.to_owned()
}

#[test]
fn a_document_is_removed_with_the_rule_that_it_breaks() {
    let story = story();
    let list = "Item ...\nThing ...\nstone ...\n".to_owned() + &story;
    let env = with_documents(&[("story", &story), ("list", &list), ("menu", "Home\nNews"), ("empty", "")]);
    let outcome =
        run(&env, "quality docs.jsonl --quality gopher-quality -o good.jsonl --removed removed.jsonl").code(0);
    assert!(
        outcome.stderr.contains("kept 2 of 4 documents"),
        "{} {}",
        outcome.stderr,
        String::from_utf8_lossy(&outcome.stdout)
    );
    let table = String::from_utf8_lossy(&outcome.stdout).into_owned();
    assert!(
        table.contains("quality gopher-quality ellipsis_lines") && table.contains("gopher-quality words"),
        "{table}"
    );
    assert_eq!(ids(&env, "good.jsonl"), ["story", "empty"], "a document without text breaks no rule");
    let removed = env.read_jsonl("removed.jsonl");
    let evidence: Vec<&Value> = removed.iter().map(|line| &line["evidence"]["measured"]).collect();
    assert_eq!(
        evidence[0],
        &json!({"filter": "gopher-quality", "rule": "ellipsis_lines", "value": 0.75, "limit": 0.3})
    );
    assert_eq!((&removed[0]["label"], &removed[0]["text"]), (&json!("quality"), &json!(list)));
    let why = run(&env, "why list good.jsonl --removed removed.jsonl").code(0);
    let why = String::from_utf8_lossy(&why.stdout).into_owned();
    let sentence = "share of lines that end with an ellipsis: 75 %, at most 30 % (gopher-quality)";
    assert!(why.contains(sentence), "{why}");
    run(&env, "quality docs.jsonl --quality gopher-quality --explain -o why.jsonl -q").code(0);
    let explained = env.read_jsonl("why.jsonl");
    assert_eq!((&explained[1]["why"], &explained[1]["kept"]), (&json!(sentence), &json!(false)));
    assert_eq!(explained[0]["kept"], true);
    assert!(explained[0]["gopher-quality"]["words"].as_f64() >= Some(50.0));
}

#[test]
fn c4_removes_lines_and_keeps_the_rest() {
    let text = format!("Home\n{}\nWe use cookies to remember you.\nThe end.[1]", story());
    let env = with_documents(&[("page", &text)]);
    run(&env, "quality docs.jsonl --quality c4 -o good.jsonl --removed removed.jsonl -q").code(0);
    let rules: Vec<_> =
        env.read_jsonl("removed.jsonl").iter().map(|line| line["evidence"]["measured"]["rule"].clone()).collect();
    assert_eq!(rules, ["line_end", "line_policy", "line_words"]);
    assert_eq!(env.read_jsonl("good.jsonl")[0]["text"], story().trim());
}

#[test]
fn own_limits_come_from_a_file() {
    let env = with_documents(&[("one", "one"), ("three", "one two three"), ("five", "one two three four five")]);
    env.write("own.json", r#"{"at_least": {"words": 2}, "at_most": {"words": 4}}"#);
    run(&env, "quality docs.jsonl --quality own.json -o good.jsonl -q").code(0);
    assert_eq!(ids(&env, "good.jsonl"), ["three"]);
    run(&env, "quality docs.jsonl --min-words 2 --max-words 4 -o limits.jsonl -q").code(0);
    assert_eq!(env.read("good.jsonl"), env.read("limits.jsonl"));
    env.write("bad.json", r#"{"at_most": {"wrods": 4}}"#);
    run(&env, "quality docs.jsonl --quality bad.json").code(2).says(&["bad.json", "wrods"]);
    run(&env, "quality docs.jsonl --quality gophre").code(2).says(&["gophre", "gopher-quality", "--quality"]);
    run(&env, "quality docs.jsonl").code(2).says(&["--quality"]);
    run(&env, "quality docs.jsonl --min-words 5 --max-words 4").code(2).says(&["at least 5"]);
    run(&env, "quality docs.jsonl --sample 0").code(2).says(&["sample"]);
    run(&env, "quality docs.jsonl --learn --quality gopher").code(2).says(&["--quality", "--learn"]);
}

#[test]
fn limits_are_learned_from_text_in_a_language() {
    let env = Env::new();
    let text = |n: usize| {
        let line = "Strážce majáku každý večer zapálil velkou lampu nad přístavem a ráno ji zase zhasl.\n";
        (0..n % 7 + 3).map(|line_number| format!("{n} {line_number} {line}")).collect::<Vec<_>>().concat()
    };
    let lines: String = (0..120).map(|n| json!({"id": n.to_string(), "text": text(n)}).to_string() + "\n").collect();
    env.write("reference.jsonl", lines);
    run(&env, "quality reference.jsonl --learn -o cs.json").code(0).says(&["cs", "120 documents"]);
    let learned = env.read_json("cs.json");
    assert_eq!((&learned["language"], &learned["name"]), (&json!("cs"), &json!("cs")));
    assert!(learned["stop_words"].as_array().is_some_and(|words| words.contains(&json!("majáku"))), "{learned}");
    run(&env, "quality reference.jsonl --quality cs.json -o good.jsonl --removed removed.jsonl -q").code(0);
    assert!(ids(&env, "good.jsonl").len() >= 60, "a tenth at most is beyond each limit");
    env.write("english.jsonl", json!({"id": "en", "text": story()}).to_string());
    run(&env, "quality english.jsonl --quality cs.json -o english-good.jsonl -q").code(0);
    assert_eq!(ids(&env, "english-good.jsonl"), ["en"], "limits for Czech judge no English");
    run(&env, "quality reference.jsonl --learn --lang de").code(2).says(&["de", "100"]);
}

#[test]
fn corpus_applies_the_same_rules_and_says_so() {
    let env = Env::new();
    let pages = [
        ("https://a.spam.example/1", story()),
        ("https://b.example/2", "Write to eva@a.example, please.".to_owned()),
        ("https://b.example/3", story() + "Mail eva@a.example from 8.8.8.8 now."),
    ];
    let archive: Vec<u8> = pages.iter().flat_map(|(url, text)| simple_page(url, text)).collect();
    env.write("crawl.warc", archive);
    env.write("hosts.txt", "# hosts\nspam.example\n");
    let line = "corpus crawl.warc -o corpus/ --format jsonl --quality gopher-quality --mask pii --block-hosts hosts.txt --method none";
    let outcome = run(&env, line).code(0);
    let table = String::from_utf8_lossy(&outcome.stdout).into_owned();
    assert!(table.contains("low quality") && table.contains("quality gopher-quality words"), "{table}");
    let manifest = env.read_json("corpus/manifest.json");
    let total = &manifest["statistics"]["total"];
    assert_eq!((&total["quality"]["documents"], &total["kept"]["documents"]), (&json!(2), &json!(1)));
    let rules = manifest["statistics"]["rules"].as_object().expect("rules");
    assert_eq!(rules.keys().collect::<Vec<_>>(), ["hosts quality", "quality gopher-quality words"]);
    assert_eq!(rules["hosts quality"]["ranges"], 1);
    let quality = &manifest["options"]["quality"];
    assert_eq!((&quality["mask"], quality["rules"].as_array().map(Vec::len)), (&json!("pii"), Some(1)));
    for (name, bytes) in env.snapshot("corpus") {
        let bytes = if name.contains(".zst") { common::decompress_zstd(&bytes) } else { bytes };
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("eva@") && !text.contains("8.8.8.8"), "{name}: {text}");
    }
    let kept = env.read_text("corpus/documents/part-00000.jsonl");
    assert!(kept.contains("Mail [email] from [ip] now."), "{kept}");
    let removed = common::parse_jsonl(&common::decompress_zstd(&env.read("corpus/removed/part-00000.jsonl.zst")));
    let masked: Vec<_> = removed.iter().filter(|line| line["label"] == "masked").map(|line| &line["text"]).collect();
    assert_eq!(masked, ["[email]", "[email]", "[ip]"]);
    run(&env, line).code(0).says(&["already complete"]);
    env.write("hosts.txt", "other.example\n");
    run(&env, line).code(2);
}

#[test]
fn a_sample_does_not_depend_on_the_order_of_documents() {
    let documents: Vec<(String, String)> = (0..200).map(|n| (n.to_string(), words(20, n))).collect();
    let line = |(id, text): &(String, String)| json!({"id": id, "text": text}).to_string() + "\n";
    let env = Env::new();
    env.write("there.jsonl", documents.iter().map(line).collect::<String>());
    env.write("back.jsonl", documents.iter().rev().map(line).collect::<String>());
    run(&env, "quality there.jsonl --sample 20% -o a.jsonl").code(0).says(&["document outside the sample"]);
    run(&env, "quality back.jsonl --sample 20% -o b.jsonl").code(0);
    let (there, mut back) = (ids(&env, "a.jsonl"), ids(&env, "b.jsonl"));
    back.reverse();
    assert_eq!(there, back);
    assert!((20..60).contains(&there.len()), "{}", there.len());
}
