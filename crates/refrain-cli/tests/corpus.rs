//! `refrain corpus` and `refrain stats`: what is in a corpus folder, and who may write to it.

mod common;

use std::collections::BTreeMap;

use common::{Env, GOOD, decompress_gzip, decompress_zstd, parse_jsonl, read_parquet, sample, samples, text_of};
use serde_json::{Value, json};

fn crawl() -> String {
    sample("crawl.warc.gz")
}

fn removed(env: &Env, corpus: &str) -> Vec<Value> {
    parse_jsonl(&decompress_zstd(&env.read(&format!("{corpus}/removed/part-00000.jsonl.zst"))))
}

#[test]
fn the_sample_crawl_has_24_documents_and_2_duplicates() {
    let env = Env::new();
    let outcome = env.run(&["corpus", &crawl(), "-o", "corpus"]).code(0).says(&["corpus"]);
    let statistics = &env.read_json("corpus/manifest.json")["statistics"];
    let total = &statistics["total"];
    assert_eq!(total["downloaded"]["documents"], 24);
    assert_eq!(total["main_content"]["documents"], 24);
    assert_eq!(total["duplicates"]["documents"], 2);
    assert_eq!(total["kept"]["documents"], 22);
    assert_eq!(statistics["failures"], 0);
    let kept: BTreeMap<String, u64> = statistics["languages"]
        .as_object()
        .expect("languages")
        .iter()
        .map(|(code, stages)| (code.clone(), stages["kept"]["documents"].as_u64().expect("a number")))
        .collect();
    let expected = [("cs", 3), ("de", 4), ("el", 2), ("en", 11), ("fr", 2)];
    assert_eq!(kept, expected.map(|(code, count)| (code.to_owned(), count)).into());
    assert_eq!(statistics["skipped"]["HTTP status 404"], 1);
    assert_eq!(statistics["skipped"]["content type image/png"], 1);
    assert_eq!(env.read_json("corpus/stats.json"), *statistics);
    for (row, documents) in [("downloaded", "24"), ("  exact duplicates", "2"), ("corpus", "22")] {
        let line = outcome.text().lines().find(|line| line.starts_with(row)).expect("a row of the table");
        assert_eq!(line[row.len()..].split_whitespace().next(), Some(documents), "{line}");
    }
    let (columns, rows) = read_parquet(&env.path("corpus/documents/part-00000.parquet"));
    assert_eq!((columns.contains(&"marks".to_owned()), rows.len()), (false, 22));
    let expected = [
        "documents/",
        "documents/part-00000.parquet",
        "errors.jsonl",
        "evidence/",
        "evidence/00001/",
        "evidence/00001/documents",
        "evidence/00001/exact",
        "evidence/00001/first-anchors",
        "evidence/00001/first-ngrams",
        "evidence/00001/ids",
        "evidence/00001/ngrams",
        "evidence/00001/size.json",
        "evidence/00001/verdicts",
        "evidence/00001/widespread",
        "evidence/00001/words",
        "inputs.tsv",
        "manifest.json",
        "recipe.toml",
        "removed/",
        "removed/part-00000.jsonl.zst",
        "stats.json",
    ];
    assert_eq!(env.names("corpus"), expected);
}

#[test]
fn figures_add_up() {
    let env = Env::new();
    env.run(&["corpus", &crawl(), "-o", "corpus", "--lang", "en,cs"]).code(0);
    let statistics = &env.read_json("corpus/stats.json");
    let mut sums: BTreeMap<(String, String), u64> = BTreeMap::new();
    for stages in statistics["languages"].as_object().expect("languages").values() {
        for (stage, amount) in stages.as_object().expect("stages") {
            for (unit, number) in amount.as_object().expect("an amount") {
                *sums.entry((stage.clone(), unit.clone())).or_default() += number.as_u64().expect("a number");
            }
        }
    }
    let total = &statistics["total"];
    for ((stage, unit), sum) in &sums {
        assert_eq!(total[stage][unit], *sum, "{stage}, {unit}");
    }
    let of = |stage: &str, unit: &str| total[stage][unit].as_u64().expect("a number");
    for unit in ["words", "tokens"] {
        assert_eq!(of("downloaded", unit), of("boilerplate", unit) + of("main_content", unit));
    }
    for unit in ["documents", "words", "tokens"] {
        assert_eq!(of("main_content", unit), of("foreign", unit) + of("duplicates", unit) + of("kept", unit));
    }
}

/// Sixty English words in an order that no other number has.
fn paragraph(number: u64) -> String {
    let known: Vec<&str> = ENGLISH.split_whitespace().collect();
    let mut state = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let words = (0..60).map(|_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        known[(state >> 33) as usize % known.len()]
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn everything_that_came_in_is_kept_removed_or_failed() {
    let env = Env::new();
    let text = |numbers: &[u64]| numbers.iter().map(|n| paragraph(*n)).collect::<Vec<_>>().join("\n\n");
    let line = |id: &str, text: String| json!({ "id": id, "text": text }).to_string() + "\n";
    env.write(
        "texts.jsonl",
        line("first", text(&[1, 2, 3]))
            + &line("copy", text(&[1, 2, 3]))
            + &line("mixed", text(&[4, 2, 5]))
            + &line("quoted", text(&[3, 1]))
            + "{ damaged\n"
            + &line("empty", String::new()),
    );
    let inputs = [crawl(), sample("crawl-broken.warc.gz"), sample("books"), sample("notes.zip")];
    let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
    let options = ["texts.jsonl", "nowhere.txt", "-o", "corpus", "--lang", "en,de", "--strip", "--json"];
    env.run(&[&["corpus"], &inputs[..], &options].concat()).code(1);
    let statistics = env.read_json("corpus/stats.json");
    let (total, input) = (&statistics["total"], &statistics["input"]);
    let number = |value: &Value| value.as_u64().unwrap_or_default();
    let removed = ["boilerplate", "foreign", "stripped", "duplicates", "near_duplicates"];
    for unit in ["documents", "words", "tokens"] {
        let parts: u64 = removed.iter().chain(&["kept"]).map(|stage| number(&total[stage][unit])).sum();
        assert_eq!(number(&total["downloaded"][unit]), parts, "{unit}: {total}");
    }
    for stage in removed {
        assert!(number(&total[stage]["words"]) > 0, "{stage}: {total}");
    }
    assert_eq!(number(&total["near_duplicates"]["documents"]), 1, "the document that only quotes");
    let skipped = input["skipped"].as_object().expect("reasons").values().map(number).sum::<u64>();
    assert!(number(&input["failed"]) >= 2, "{input}");
    assert_eq!(number(&input["found"]), number(&input["documents"]) + skipped + number(&input["failed"]));
    let empty = number(&statistics["skipped"]["document without text"]);
    assert_eq!((empty, number(&input["documents"])), (1, number(&total["downloaded"]["documents"]) + 1));
    let (_, rows) = read_parquet(&env.path("corpus/documents/part-00000.parquet"));
    assert_eq!(rows.len() as u64, number(&total["kept"]["documents"]));
    // The list of removed ranges says the same of each pass.
    let mut words: BTreeMap<String, u64> = BTreeMap::new();
    for range in self::removed(&env, "corpus") {
        let pass = range["pass"].as_str().expect("a pass").to_owned();
        *words.entry(pass).or_default() += range["text"].as_str().expect("a text").split_whitespace().count() as u64;
    }
    assert_eq!(words["dedup"], number(&total["near_duplicates"]["words"]), "{words:?}");
    assert_eq!(words["strip"], number(&total["stripped"]["words"]), "{words:?}");
    let why = env.run(&["why", "quoted", "corpus"]).code(0);
    assert!(why.text().contains("first"), "{}", why.text());
}

#[test]
fn duplicates_are_removed_as_far_as_asked() {
    let env = Env::new();
    let text = |numbers: &[u64]| numbers.iter().map(|n| paragraph(*n)).collect::<Vec<_>>().join("\n\n");
    for (name, numbers) in [("a", &[1, 2, 3][..]), ("b", &[1, 2, 3]), ("c", &[2, 3]), ("d", &[3, 4, 5])] {
        env.write(&format!("in/{name}.txt"), text(numbers));
    }
    for (dedup, kept) in [("none", 11), ("exact", 8), ("documents", 6), ("blocks", 5)] {
        env.run(&["corpus", "in", "-o", dedup, "--dedup", dedup, "-q"]).code(0);
        let total = &env.read_json(&format!("{dedup}/stats.json"))["total"];
        assert_eq!(total["kept"]["words"], kept * 60, "{dedup}: {total}");
    }
    let ngrams = &env.read_json("blocks/stats.json")["ngrams"];
    assert_eq!((&ngrams["n"], &ngrams["after_near_duplicates"]["duplicate"]), (&json!(10), &json!(0)));
    // 51 in each of the two repeated paragraphs, and 9 across their border.
    assert_eq!(ngrams["after_exact_duplicates"]["duplicate"], 111);
}

#[test]
fn a_recipe_builds_the_same_corpus_and_its_lock_notices_another_one() {
    let env = Env::new();
    env.write("in/a.txt", paragraph(1));
    env.write("in/b.txt", paragraph(2));
    env.run(&["corpus", "in", "-o", "first", "--no-removed", "--lang-undecided", "keep", "--lang", "en,de", "-q"])
        .code(0);
    env.write("recipe.toml", env.read_text("first/recipe.toml") + "output = \"second/\"\nformat = \"jsonl\"\n");
    env.run(&["corpus", "--config", "recipe.toml"]).code(0).says(&["recipe.lock"]);
    let digest = |corpus: &str| env.read_json(&format!("{corpus}/manifest.json"))["digest"].clone();
    assert_eq!(digest("second"), digest("first"), "the format does not matter");
    assert!(!env.path("second/removed").exists());
    env.run(&["corpus", "--config=recipe.toml", "-o", "third", "--part-size", "1"]).code(0).says(&["recipe.lock"]);
    env.write("in/b.txt", paragraph(3));
    let changed = ["corpus", "--config", "recipe.toml", "-o", "fourth"];
    env.run(&changed).code(2).says(&["recipe.lock", "b.txt has other content", "delete"]);
    env.write("bad.toml", "inputs = [\"in\"]\nlang = en\n");
    env.run(&["corpus", "--config", "bad.toml", "-o", "x"]).code(2).says(&["bad.toml", "line 2"]);
    env.write("unknown.toml", "inputs = [\"in\"]\ncolour = \"red\"\n");
    env.run(&["corpus", "--config", "unknown.toml", "-o", "x"]).code(2).says(&["--colour"]);
    env.run(&["corpus", "--config", "nowhere.toml", "-o", "x"]).code(2).says(&["nowhere.toml"]);
}

#[test]
fn a_corpus_is_checked() {
    let env = Env::new();
    env.run(&["corpus", &sample("notes.zip"), "-o", "corpus", "--keep-marked", "-q"]).code(0);
    env.run(&["corpus", "--verify", "corpus", "corpus"]).code(0);
    let check = env.run(&["corpus", "--verify", "corpus"]).code(0);
    let digest = env.read_json("corpus/manifest.json")["digest"].as_str().expect("a digest").to_owned();
    assert!(check.text().contains(&digest), "{}", check.text());
    let part = env.path("corpus/documents/part-00000.parquet");
    let bytes = std::fs::read(&part).expect("a part");
    let mut other = bytes.clone();
    other[100] ^= 1;
    std::fs::write(&part, other).expect("a file");
    env.run(&["corpus", "--verify", "corpus"]).code(1).says(&["part-00000.parquet", "other content"]);
    std::fs::write(&part, &bytes[1..]).expect("a file");
    env.run(&["corpus", "--verify", "corpus"]).code(1).says(&["part-00000.parquet", "bytes"]);
    std::fs::remove_file(&part).expect("a file");
    env.run(&["corpus", "--verify", "corpus"]).code(1).says(&["part-00000.parquet"]);
    env.run(&["corpus", "--verify", "nowhere"]).code(2).says(&["no complete corpus"]);
}

#[test]
fn a_batch_needs_the_options_of_its_corpus() {
    let env = Env::new();
    env.write("a.txt", paragraph(1));
    env.write("b.txt", paragraph(1) + "\n\n" + &paragraph(2));
    env.write("c.txt", paragraph(2));
    env.run(&["corpus", "a.txt", "-o", "corpus", "--dedup", "exact", "-q"]).code(0);
    let before = env.snapshot("corpus");
    env.run(&["corpus", "b.txt", "-o", "corpus", "--add"]).code(2).says(&["other options", "--dedup"]);
    env.run(&["corpus", "b.txt", "-o", "corpus", "--add", "--overwrite"]).code(2).says(&["--overwrite"]);
    assert_eq!(env.snapshot("corpus"), before);
    env.run(&["corpus", "b.txt", "-o", "new", "--add", "-q"]).code(0);
    env.run(&["corpus", "c.txt", "nowhere.txt", "-o", "new", "--add", "-q"]).code(1);
    let manifest = env.read_json("new/manifest.json");
    assert_eq!(manifest["statistics"]["total"]["near_duplicates"]["documents"], 1, "{manifest}");
    assert_eq!(env.read_text("new/inputs.tsv").lines().count(), 2);
    assert_eq!(env.read_text("new/errors.jsonl").lines().count(), 1);
    let names = env.names("new");
    assert!(names.contains(&"evidence/00001/words".to_owned()) && !names.contains(&"evidence/00002/".to_owned()));
    let stats = env.run(&["stats", "new"]).code(0);
    let head = stats.text().lines().next().expect("a line").split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(head, "batch 1 batch 2 all");
    env.run(&["convert", "new", "-o", "new.jsonl"]).code(0);
    assert_eq!(env.read_jsonl("new.jsonl").len(), 1);
}

#[test]
fn batches_are_removed_and_evidence_is_made_again() {
    let env = Env::new();
    for number in 1..=4 {
        env.write(&format!("{number}.txt"), paragraph(number));
    }
    env.write("quoting.txt", paragraph(2) + "\n\n" + &paragraph(9));
    env.run(&["corpus", "1.txt", "nowhere.txt", "-o", "corpus", "-q"]).code(1);
    env.run(&["corpus", "2.txt", "-o", "corpus", "--add", "-q"]).code(0);
    env.run(&["corpus", "3.txt", "missing.txt", "-o", "corpus", "--add", "-q"]).code(1);
    let remove = |batch: &str| env.run(&["corpus", "--remove-batch", batch, "corpus"]);
    remove("4").code(2).says(&["batches are 1 to 3"]);
    remove("1").code(0);
    let check = env.run(&["corpus", "--verify", "corpus"]).code(0);
    assert!(check.text().contains("2 documents"), "{}", check.text());
    env.run(&["corpus", "2.txt", "3.txt", "missing.txt", "-o", "plain", "-q"]).code(1);
    let manifest = |corpus: &str| env.read_json(&format!("{corpus}/manifest.json"));
    assert_eq!(manifest("corpus")["digest"], manifest("plain")["digest"]);
    assert_eq!(manifest("corpus")["inputs"], manifest("plain")["inputs"]);
    assert_eq!(env.read_text("corpus/errors.jsonl"), env.read_text("plain/errors.jsonl"));
    assert_eq!(env.names("corpus/documents"), ["part-00001.parquet", "part-00002.parquet"]);

    std::fs::remove_dir_all(env.path("corpus/evidence")).expect("a folder");
    let adding = ["corpus", "quoting.txt", "1.txt", "3.txt", "-o", "corpus", "--add", "-q"];
    env.run(&adding).code(2).says(&["--rebuild-evidence"]);
    env.run(&["corpus", "--rebuild-evidence", "corpus"]).code(0);
    env.run(&adding).code(0);
    let total = &env.read_json("corpus/stats.json")["total"];
    assert_eq!(
        (&total["duplicates"]["documents"], &total["near_duplicates"]["words"]),
        (&json!(1), &json!(60)),
        "{total}"
    );
    assert_eq!(total["kept"]["words"], 4 * 60, "2, 3, 1 and what only the last one says");
    env.run(&["corpus", "--verify", "corpus"]).code(0);
    remove("1").code(0);
    remove("1").code(0);
    remove("1").code(2).says(&["only one batch"]);
}

#[test]
fn a_corpus_without_evidence_grows_once_it_is_made_again() {
    let env = Env::new();
    (1..=3).for_each(|number| env.write(&format!("{number}.txt"), paragraph(number)));
    env.run(&["corpus", "1.txt", "-o", "corpus", "--no-evidence", "-q"]).code(0);
    assert!(!env.path("corpus/evidence").exists());
    let adding = ["corpus", "1.txt", "2.txt", "-o", "corpus", "--add", "--no-evidence", "-q"];
    env.run(&adding).code(2).says(&["--rebuild-evidence"]);
    env.run(&["corpus", "--rebuild-evidence", "corpus"]).code(0);
    env.run(&adding).code(0);
    assert_eq!(env.read_json("corpus/stats.json")["total"]["duplicates"]["documents"], 1);
    assert!(!env.path("corpus/evidence").exists());
    env.run(&["corpus", "--verify", "corpus"]).code(0);
}

#[test]
fn the_manifest_has_counts_and_digests_of_all_parts() {
    let env = Env::new();
    env.run(&["corpus", &crawl(), "-o", "corpus", "--format", "jsonl"]).code(0);
    let manifest = env.read_json("corpus/manifest.json");
    assert_eq!(manifest["parts"][0]["path"], "documents/part-00000.jsonl");
    assert_eq!(manifest["parts"][0]["documents"], 22);
    for part in [&manifest["parts"][0], &manifest["removed"][0]] {
        let path = format!("corpus/{}", part["path"].as_str().expect("a path"));
        assert_eq!(part["bytes"], env.read(&path).len());
        assert_eq!(common::sha256(&env.read(&path)), part["sha256"].as_str().expect("a digest"), "{path}");
    }
    assert_eq!(manifest["inputs"]["files"], 1);
    assert!(env.read_text("corpus/inputs.tsv").ends_with("crawl.warc.gz\n"));
}

#[test]
fn only_the_languages_asked_for_are_kept() {
    let env = Env::new();
    env.run(&["corpus", &crawl(), "-o", "corpus", "--lang", "en", "--format", "jsonl"]).code(0);
    let documents = env.read_jsonl("corpus/documents/part-00000.jsonl");
    assert_eq!(documents.len(), 11);
    assert!(documents.iter().all(|document| document["language"] == "en"));
    let removed = removed(&env, "corpus");
    let foreign: Vec<&Value> = removed.iter().filter(|range| range["label"] == "foreign").collect();
    let ids: std::collections::BTreeSet<&str> = foreign.iter().filter_map(|range| range["id"].as_str()).collect();
    assert_eq!(ids.len(), 12, "4 + 1 German, 3 Czech, 2 French, 2 Greek");
    for range in foreign {
        let language = range["evidence"]["language"]["found"].as_str().expect("a language");
        assert!(["de", "cs", "fr", "el"].contains(&language), "{range}");
    }
}

const ENGLISH: &str = "The lighthouse has stood on the cliff above the harbour for more than a hundred years. Every evening the keeper \
    climbs the stairs and lights the lamp, and in the morning he puts it out again and cleans the glass.";
const GERMAN: &str = "Der Leuchtturm steht seit mehr als hundert Jahren auf der Klippe über dem Hafen. Jeden Abend steigt der \
    Wärter die Treppe hinauf und zündet die Lampe an, und am Morgen löscht er sie wieder und putzt das Glas.";

#[test]
fn the_language_comes_from_the_whole_main_content() {
    let env = Env::new();
    let begins_in_english = format!("{}\n\n{}", [ENGLISH; 7].join("\n\n"), [GERMAN; 30].join("\n\n"));
    // More German than English, in turns.
    let paragraphs: Vec<&str> = (0..40).map(|number| if number % 7 < 3 { ENGLISH } else { GERMAN }).collect();
    env.write("in/begins.txt", begins_in_english);
    env.write("in/mixed.txt", paragraphs.join("\n\n"));
    env.write("in/english.txt", format!("{GERMAN}\n\n{}", [ENGLISH; 9].join("\n\n")));
    // The navigation is English and long, the content is not.
    let links: Vec<_> = (0..60)
        .map(|n| format!("<li><a href=/{n}>Read more about the keepers of harbour {n} and their boats</a></li>"))
        .collect();
    let links = links.concat();
    let content = (0..12).map(|n| format!("<p>{n}. {GERMAN}</p>")).collect::<Vec<_>>().concat();
    env.write(
        "in/page.html",
        format!(
            "<html lang=en><body><nav><ul>{links}</ul></nav><article><h1>Turm</h1>{content}</article></body></html>"
        ),
    );
    env.run(&["corpus", "in", "-o", "corpus", "--lang", "en", "--format", "jsonl"]).code(0);
    let documents = env.read_jsonl("corpus/documents/part-00000.jsonl");
    let ids: Vec<&str> = documents.iter().filter_map(|document| document["id"].as_str()).collect();
    assert_eq!(ids, ["in/english.txt"]);
}

#[test]
fn undecided_documents_are_short_and_can_be_dropped() {
    let env = Env::new();
    env.write("in/greeting.txt", "Ahoi!");
    env.write("in/numbers.txt", "1, 2, 3, 4, 5.\n".repeat(100));
    env.write("in/long.txt", ENGLISH);
    for (action, kept) in [("keep", 3), ("drop", 1)] {
        let lang = ["corpus", "in", "-o", action, "--lang", "en", "--lang-undecided", action, "--format", "jsonl"];
        env.run(&lang).code(0);
        assert_eq!(env.read_json(&format!("{action}/stats.json"))["total"]["kept"]["documents"], kept);
    }
    let removed = removed(&env, "drop");
    assert!(removed.iter().all(|range| range["evidence"]["language"]["found"] == "unknown"), "{removed:?}");
    env.run(&["why", "greeting", "drop"]).code(0);
    env.run(&["corpus", "in", "-o", "c", "--lang-undecided", "drop"]).code(2).says(&["--lang"]);
}

#[test]
fn languages_can_be_asked_of_each_block() {
    let env = Env::new();
    let english = "The lighthouse has stood on the cliff above the harbour for more than a hundred years.";
    let german = "Der Leuchtturm steht seit mehr als hundert Jahren auf der Klippe über dem Hafen.";
    env.write("mixed.txt", format!("{english}\n\n{german}\n\nAhoi!\n"));
    env.run(&["corpus", "mixed.txt", "-o", "block", "--lang", "en", "--lang-by", "block", "--format", "text"]).code(0);
    assert_eq!(env.read_text("block/documents/part-00000.txt").trim(), format!("{english}\n\nAhoi!"));
    let total = &env.read_json("block/stats.json")["total"];
    assert_eq!((&total["kept"]["documents"], &total["foreign"]["documents"]), (&json!(1), &json!(0)), "{total}");
    assert_eq!(total["foreign"]["words"], 14);
    env.run(&["corpus", "mixed.txt", "-o", "c", "--lang-by", "block"]).code(2).says(&["--lang"]);
}

#[test]
fn an_unknown_language_is_refused_with_the_codes() {
    let env = Env::new();
    env.run(&["corpus", &crawl(), "-o", "corpus", "--lang", "en,xx"]).code(2).says(&["xx", "de", "fr"]);
    assert!(!env.path("corpus").exists());
}

#[test]
fn marked_ranges_can_be_kept_with_their_marks() {
    let env = Env::new();
    env.run(&["corpus", &crawl(), "-o", "a", "--keep-marked"]).code(0);
    let (columns, rows) = read_parquet(&env.path("a/documents/part-00000.parquet"));
    let marks = columns.iter().position(|name| name == "marks").expect("a column with the marks");
    assert_eq!(rows.len(), 24, "duplicates are there, too");
    assert!(rows.iter().all(|row| row[marks].as_deref().is_some_and(|marks| marks.contains("boilerplate"))));
    assert_eq!(rows.iter().filter(|row| row[marks].as_deref().is_some_and(|m| m.contains("duplicate"))).count(), 2);

    env.run(&["corpus", &crawl(), "-o", "b", "--keep-marked", "--format", "vertical"]).code(0);
    let vertical = env.read_text("b/documents/part-00000.vert");
    assert!(vertical.contains("<mark label=\"boilerplate\" pass=\"extract\">\n"), "marks are structures");
    assert_eq!(vertical.matches("<mark ").count(), vertical.matches("</mark>").count());
}

#[test]
fn the_list_of_removed_ranges_is_optional() {
    let env = Env::new();
    env.run(&["corpus", &crawl(), "-o", "corpus", "--no-removed"]).code(0);
    assert!(!env.path("corpus/removed").exists());
    assert_eq!(env.read_json("corpus/manifest.json")["removed"], json!([]));
}

/// The characters of a text that are not white space.
fn solid(text: &str) -> Vec<char> {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

#[test]
fn every_character_is_kept_or_listed_as_removed() {
    let env = Env::new();
    let inputs = [crawl(), sample("pages"), sample("notes.zip")];
    let arguments = ["corpus", &inputs[0], &inputs[1], &inputs[2], "--lang", "en,fr", "--format", "jsonl", "-o"];
    env.run(&[&arguments[..], &["kept"]].concat()).code(0);
    env.run(&[&arguments[..], &["all", "--keep-marked"]].concat()).code(0);
    let all = env.read_jsonl("all/documents/part-00000.jsonl");
    let kept = env.read_jsonl("kept/documents/part-00000.jsonl");
    assert_eq!(all.len(), 24 + 24 + 5);
    let mut ranges: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for range in removed(&env, "kept") {
        ranges.entry(range["id"].as_str().expect("an id").to_owned()).or_default().push(range);
    }
    let mut kept_documents = kept.iter();
    for document in &all {
        let id = document["id"].as_str().expect("an id");
        let chars: Vec<char> = text_of(document).chars().collect();
        let listed = ranges.remove(id).unwrap_or_default();
        let marks = document["marks"].as_array().expect("marks");
        assert_eq!(marks.len(), listed.len(), "{id}");
        let mut gone = vec![false; chars.len()];
        for (mark, range) in marks.iter().zip(&listed) {
            for field in ["start", "end", "label", "pass", "evidence"] {
                assert_eq!(mark[field], range[field], "{id}, {field}");
            }
            let at = |field: &str| range[field].as_u64().expect("a number") as usize;
            let text: String = chars[at("start")..at("end")].iter().collect();
            assert_eq!(range["text"], text, "{id}: the text of the range is listed");
            gone[at("start")..at("end")].fill(true);
        }
        let left: Vec<char> =
            chars.iter().zip(&gone).filter(|(c, gone)| !**gone && !c.is_whitespace()).map(|(c, _)| *c).collect();
        if left.is_empty() {
            continue;
        }
        let kept = kept_documents.next().expect("a document with text left is in the corpus");
        assert_eq!(kept["id"], id);
        assert_eq!(solid(text_of(kept)), left, "{id}");
    }
    assert!(kept_documents.next().is_none(), "no other documents");
    assert!(ranges.is_empty(), "no ranges of other documents");
}

#[test]
fn ranges_can_count_bytes() {
    let env = Env::new();
    env.run(&["corpus", &crawl(), "-o", "c", "--format", "jsonl", "--keep-marked", "--offsets", "bytes"]).code(0);
    for document in env.read_jsonl("c/documents/part-00000.jsonl") {
        let marks = document["byte_marks"].as_array().expect("marks, under a name that says what they count");
        for mark in marks {
            let at = |field: &str| mark[field].as_u64().expect("a number") as usize;
            assert!(text_of(&document).get(at("start")..at("end")).is_some(), "{mark}");
        }
    }
}

#[test]
fn duplicates_name_the_document_they_repeat() {
    let env = Env::new();
    env.run(&["corpus", &crawl(), "-o", "corpus", "--format", "jsonl"]).code(0);
    let documents = env.read_jsonl("corpus/documents/part-00000.jsonl");
    let removed = removed(&env, "corpus");
    let copies: Vec<&Value> = removed.iter().filter(|range| range["label"] == "duplicate").collect();
    assert!(!copies.is_empty());
    for copy in copies {
        let first = &copy["evidence"]["copy_of"]["document"];
        assert!(documents.iter().any(|document| document["id"] == *first), "{first} is in the corpus");
        assert!(documents.iter().all(|document| document["id"] != copy["id"]), "the copy is not");
    }
}

#[test]
fn every_format_holds_the_same_documents() {
    let env = Env::new();
    let part = |format: &str, extension: &str| {
        let folder = format!("corpus-{format}/");
        env.run(&["corpus", &crawl(), "-o", &folder, "--format", format]).code(0);
        env.read(&format!("{folder}/documents/part-00000.{extension}"))
    };
    let jsonl = part("jsonl", "jsonl");
    let text = part("text", "txt");
    let vertical = part("vertical", "vert");
    assert_eq!(parse_jsonl(&jsonl).len(), 22);
    assert_eq!(vertical.split(|&b| b == b'\n').filter(|line| line.starts_with(b"<doc ")).count(), 22);
    let joined: String =
        parse_jsonl(&jsonl).iter().map(|document| text_of(document).trim_end().to_owned() + "\n\n").collect();
    assert_eq!(String::from_utf8(text.clone()).expect("UTF-8").trim_end(), joined.trim_end());
    part("parquet", "parquet");
    assert_eq!(read_parquet(&env.path("corpus-parquet/documents/part-00000.parquet")).1.len(), 22);
    assert_eq!(decompress_gzip(&part("jsonl.gz", "jsonl.gz")), jsonl);
    assert_eq!(decompress_zstd(&part("jsonl.zst", "jsonl.zst")), jsonl);
    assert_eq!(decompress_gzip(&part("text.gz", "txt.gz")), text);
    assert_eq!(decompress_zstd(&part("text.zst", "txt.zst")), text);
    assert_eq!(decompress_gzip(&part("vertical.gz", "vert.gz")), vertical);
    assert_eq!(decompress_zstd(&part("vertical.zst", "vert.zst")), vertical);
    for format in ["parquet", "text", "vertical", "jsonl.gz", "vertical.zst"] {
        let stats = |folder: &str| env.read_json(&format!("{folder}/stats.json"));
        assert_eq!(stats(&format!("corpus-{format}")), stats("corpus-jsonl"), "{format}");
    }
}

#[test]
fn figures_are_printed_as_json_or_table_by_both_verbs() {
    let env = Env::new();
    let first = env.run(&["corpus", &crawl(), "-o", "a", "--json"]).code(0);
    let parsed: Value = serde_json::from_slice(&first.stdout).expect("JSON on standard output");
    assert_eq!(parsed, env.read_json("a/stats.json"));
    assert_eq!(env.run(&["stats", "a", "--json"]).code(0).stdout, first.stdout);
    let table = env.run(&["corpus", &crawl(), "-o", "b"]).code(0);
    let stats = env.run(&["stats", "b"]).code(0);
    let (stats_text, table_text) = (stats.text(), table.text());
    let (by_batch, more) = stats_text.split_once(table_text).expect("the table of the run is among the figures");
    assert!(more.contains("\nskipped: 28 WARC request"), "{more}");
    let row =
        |name: &str| by_batch.lines().find(|line| line.starts_with(name)).map(|line| line.split_whitespace().last());
    assert_eq!(row("addresses"), Some(Some("24")), "{by_batch}");
    assert_eq!(row("  documents"), Some(Some("22")), "{by_batch}");
    assert_eq!(stats.stderr, "");
}

#[test]
fn figures_of_a_folder_that_is_no_corpus_are_refused() {
    let env = Env::new();
    env.write("texts/a.txt", GOOD);
    env.run(&["stats", "texts"]).code(2).says(&["texts", "no complete corpus"]);
    env.run(&["stats", "nowhere"]).code(2).says(&["nowhere"]);
    env.write("other/manifest.json", "{\"name\": \"something else\"}");
    env.run(&["stats", "other"]).code(2).says(&["other/manifest.json"]);
}

#[test]
fn the_same_command_again_says_that_the_corpus_is_complete() {
    let env = Env::new();
    let crawl = crawl();
    let arguments = ["corpus", &crawl, "-o", "corpus", "--lang", "en"];
    let first = env.run(&arguments).code(0);
    let before = env.snapshot("corpus");
    let again = env.run(&arguments).code(0);
    assert_eq!(again.stdout, first.stdout);
    assert_eq!(env.snapshot("corpus"), before, "no bytes are changed");
    env.run(&[&arguments[..], &["--threads", "1", "--memory", "64M"]].concat()).code(0);
    assert_eq!(env.snapshot("corpus"), before, "threads and memory make no difference");
    again.says(&["complete"]);
}

#[test]
fn other_options_are_refused_by_name() {
    let env = Env::new();
    env.run(&["corpus", &crawl(), "-o", "corpus", "--lang", "en", "--method", "justext"]).code(0);
    let before = env.snapshot("corpus");
    let cases: [(&[&str], &str); 9] = [
        (&[], "--lang"),
        (&["--lang", "en,de"], "--lang"),
        (&["--lang", "en", "--format", "jsonl"], "--format"),
        (&["--lang", "en", "--keep-marked"], "--keep-marked"),
        (&["--lang", "en", "--offsets", "bytes"], "--offsets"),
        (&["--lang", "en", "--no-headings"], "--no-headings"),
        (&["--lang", "en", "--length-high", "250"], "--length-high"),
        (&["--lang", "en", "--profile", "krdwrd"], "--profile"),
        (&["--lang", "en", "--max-document", "1M"], "--max-document"),
    ];
    for (options, named) in cases {
        let crawl = crawl();
        let arguments = [&["corpus", &crawl, "-o", "corpus", "--method", "justext"], options].concat();
        env.run(&arguments).code(2).says(&[named, "--overwrite", "corpus"]);
    }
    let inputs = [crawl(), sample("notes.zip")];
    let arguments = ["corpus", &inputs[0], &inputs[1], "-o", "corpus", "--lang", "en", "--method", "justext"];
    env.run(&arguments).code(2).says(&["inputs"]);
    env.run(&["corpus", &crawl(), "-o", "corpus", "--lang", "en"]).code(2).says(&["--method"]);
    let files = |snapshot: Vec<(String, Vec<u8>)>| -> Vec<_> {
        snapshot.into_iter().filter(|(name, _)| !name.starts_with("work/")).collect()
    };
    assert_eq!(files(env.snapshot("corpus")), files(before));
}

#[test]
fn options_without_effect_are_refused_with_what_they_need() {
    let env = Env::new();
    let cases: [(&[&str], &[&str]); 7] = [
        (&["--method", "none", "--profile", "cleaneval"], &["--profile", "--method none"]),
        (&["--method", "none", "--comments"], &["--comments", "--method none"]),
        (&["--method", "justext", "--comments"], &["--comments", "--method default"]),
        (&["--method", "none", "--length-low", "1"], &["--length-low", "--method justext"]),
        (&["--no-headings"], &["--no-headings", "--method justext"]),
        (&["--no-removed", "--offsets", "bytes"], &["--offsets", "--no-removed"]),
        (&["--no-removed", "--keep-marked", "--format", "text", "--offsets", "bytes"], &["--offsets", "--no-removed"]),
    ];
    for (options, words) in cases {
        env.run(&[&["corpus", &crawl(), "-o", "corpus"], options].concat()).code(2).says(words);
    }
    assert!(!env.path("corpus").exists());
}

#[test]
fn an_option_that_differs_is_named_as_the_user_writes_it() {
    let env = Env::new();
    env.run(&["corpus", &crawl(), "-o", "corpus"]).code(0);
    env.run(&["corpus", &crawl(), "-o", "corpus", "--no-removed"]).code(2).says(&["--no-removed"]);
}

#[test]
fn a_refused_run_leaves_nothing_behind() {
    let env = Env::new();
    env.run(&["corpus", &crawl(), "-o", "corpus"]).code(0);
    let before = env.names("corpus");
    env.run(&["corpus", &crawl(), "-o", "corpus", "--lang", "en"]).code(2);
    assert_eq!(env.names("corpus"), before);
}

#[test]
fn overwrite_replaces_a_corpus_and_nothing_else() {
    let env = Env::new();
    env.run(&["corpus", &crawl(), "-o", "corpus", "--format", "jsonl"]).code(0);
    env.write("corpus/notes-of-mine.txt", "Mine.");
    env.run(&["corpus", &sample("notes.zip"), "-o", "corpus", "--overwrite"]).code(0);
    assert_eq!(read_parquet(&env.path("corpus/documents/part-00000.parquet")).1.len(), 5);
    assert!(!env.path("corpus/documents/part-00000.jsonl").exists(), "the old part is gone");
    assert_eq!(env.read_text("corpus/notes-of-mine.txt"), "Mine.");
    env.run(&["corpus", &sample("notes.zip"), "-o", "fresh", "--overwrite"]).code(0);
    std::fs::remove_file(env.path("corpus/notes-of-mine.txt")).expect("removed");
    assert_eq!(env.snapshot("corpus"), env.snapshot("fresh"));
}

#[test]
fn a_folder_of_somebody_else_is_refused_even_to_overwrite() {
    let env = Env::new();
    env.write("texts/a.txt", GOOD);
    env.write("texts/part-of-mine.txt", GOOD);
    let before = env.snapshot("texts");
    for more in [&[][..], &["--overwrite"]] {
        let crawl = crawl();
        let arguments = [&["corpus", &crawl, "-o", "texts"], more].concat();
        env.run(&arguments).code(2).says(&["texts", "not empty"]);
        assert_eq!(env.snapshot("texts"), before);
    }
    env.run(&["corpus", &crawl(), "-o", "texts/a.txt"]).code(2).says(&["texts/a.txt", "is a file"]);
}

#[test]
fn a_folder_with_the_manifest_of_somebody_else_is_refused() {
    let env = Env::new();
    env.write("site/manifest.json", "{\"name\": \"an extension\"}");
    env.write("site/part-1.txt", GOOD);
    let before = env.names("site");
    env.run(&["corpus", &crawl(), "-o", "site"]).code(2).says(&["site"]);
    assert_eq!(env.names("site"), before);
}

#[test]
fn overwrite_does_not_touch_the_files_of_somebody_else() {
    let env = Env::new();
    env.write("site/manifest.json", "{\"name\": \"an extension\"}");
    env.write("site/part-1.txt", GOOD);
    env.run(&["corpus", &crawl(), "-o", "site", "--overwrite"]).code(2).says(&["site"]);
    assert_eq!(env.names("site"), ["manifest.json", "part-1.txt"]);
}

#[test]
fn an_empty_folder_is_filled() {
    let env = Env::new();
    std::fs::create_dir(env.path("corpus")).expect("a folder");
    env.run(&["corpus", &sample("notes.zip"), "-o", "corpus/"]).code(0);
    assert!(env.path("corpus/manifest.json").is_file());
}

#[test]
fn folders_above_the_corpus_are_made() {
    let env = Env::new();
    env.run(&["corpus", &sample("notes.zip"), "-o", "a/b/corpus"]).code(0);
    assert!(env.path("a/b/corpus/manifest.json").is_file());
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let env = Env::new();
    for n in 0..40 {
        env.write(&format!("in/{n:02}.txt"), format!("Text number {}. {GOOD}", n % 30));
    }
    env.write("in/bad.jsonl", "oops\n{\"text\": \"One.\"}\n");
    let inputs = [crawl(), sample("notes.zip"), sample("crawl-broken.warc.gz")];
    for threads in ["1", "2", "4"] {
        let output = format!("corpus-{threads}");
        let arguments = ["corpus", "in", &inputs[0], &inputs[1], &inputs[2], "-o", &output, "--threads", threads];
        env.run(&arguments).code(1);
    }
    let one = env.snapshot("corpus-1");
    assert!(one.len() >= 6);
    assert_eq!(one, env.snapshot("corpus-2"));
    assert_eq!(one, env.snapshot("corpus-4"));
}

#[test]
fn a_corpus_folder_is_an_input_like_any_other() {
    let env = Env::new();
    env.run(&["corpus", &crawl(), "-o", "a", "--format", "jsonl"]).code(0);
    env.run(&["corpus", &crawl(), "-o", "b"]).code(0);
    let jsonl = env.convert(&["a"]);
    let parquet = env.convert(&["b"]);
    assert_eq!((jsonl.outcome.code, jsonl.documents.len()), (0, 22), "errors, figures and removed ranges are not read");
    assert_eq!(jsonl.texts(), parquet.texts());
    assert_eq!(jsonl.ids(), parquet.ids());
    let parts = env.read_jsonl("a/documents/part-00000.jsonl");
    assert_eq!(jsonl.texts(), parts.iter().map(text_of).collect::<Vec<_>>());
    env.run(&["corpus", "a", "-o", "c", "--format", "jsonl"]).code(0);
    let texts = |folder: &str| {
        let lines = env.read_jsonl(&format!("{folder}/documents/part-00000.jsonl"));
        lines.iter().map(|line| text_of(line).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(texts("c"), texts("a"), "a clean corpus stays as it is");
}

#[test]
fn method_none_leaves_boilerplate_in() {
    let env = Env::new();
    env.run(&["corpus", &crawl(), "-o", "corpus", "--method", "none"]).code(0);
    let total = &env.read_json("corpus/stats.json")["total"];
    assert_eq!(total["boilerplate"]["words"], 0);
    assert_eq!(total["kept"]["documents"], 24, "with their different navigation the copies differ");
}

#[test]
fn copies_beyond_white_space_are_found_and_the_first_one_is_kept() {
    let env = Env::new();
    let lines = [("a", "One  day."), ("b", "One day."), ("c", "Another day."), ("d", " One\nday. ")];
    let lines: String = lines.iter().map(|(id, text)| json!({"id": id, "text": text}).to_string() + "\n").collect();
    env.write("in.jsonl", lines);
    env.run(&["corpus", "in.jsonl", "-o", "corpus", "--format", "jsonl"]).code(0);
    let documents = env.read_jsonl("corpus/documents/part-00000.jsonl");
    let ids: Vec<_> = documents.iter().map(|document| document["id"].clone()).collect();
    assert_eq!(ids, ["a", "c"]);
}

#[test]
fn a_corpus_without_documents_is_reported() {
    let env = Env::new();
    env.write("in/dot.png", b"\x89PNG\r\n\x1a\n");
    env.run(&["corpus", "in", "-o", "corpus"]).code(0).says(&["the corpus is empty"]);
    assert_eq!(env.read_json("corpus/manifest.json")["parts"], json!([]));
    env.run(&["convert", "corpus"]).says(&["corpus"]);
}

#[test]
fn standard_input_makes_a_corpus() {
    let env = Env::new();
    let bytes = std::fs::read(samples().join("crawl.warc.gz")).expect("the sample");
    env.run_fed(&["corpus", "-", "-o", "corpus"], &bytes).code(0);
    assert_eq!(env.read_json("corpus/stats.json")["total"]["kept"]["documents"], 22);
}

#[test]
fn a_corpus_written_into_its_own_input_folder_does_not_read_itself() {
    let env = Env::new();
    env.write("texts/a.txt", GOOD);
    let arguments = ["corpus", "texts", "-o", "texts/corpus", "--format", "jsonl"];
    env.run(&arguments).code(0);
    let before = env.snapshot("texts/corpus");
    assert_eq!(env.read_jsonl("texts/corpus/documents/part-00000.jsonl").len(), 1);
    env.run(&arguments).code(0);
    assert_eq!(env.snapshot("texts/corpus"), before);
}

#[test]
fn the_method_can_be_named() {
    let env = Env::new();
    env.run(&["corpus", &crawl(), "-o", "named", "--method", "default"]).code(0);
    env.run(&["corpus", &crawl(), "-o", "default"]).code(0);
    assert_eq!(env.snapshot("named"), env.snapshot("default"));
    for method in ["justext", "bte", "none"] {
        env.run(&["corpus", &crawl(), "-o", method, "--method", method]).code(0);
    }
}

#[test]
fn a_corpus_is_never_made_from_itself() {
    let env = Env::new();
    env.run(&["corpus", &crawl(), "-o", "corpus"]).code(0);
    let before = env.snapshot("corpus");
    env.run(&["corpus", "corpus", "-o", "corpus", "--overwrite"]).code(2).says(&["corpus", "is inside the output"]);
    assert_eq!(env.snapshot("corpus"), before, "nothing is lost");
}

#[test]
fn a_run_killed_in_its_first_moments_does_not_block_the_folder() {
    let env = Env::new();
    for files in [&["work/lock"][..], &["work/lock", "work/.run.json.partial", "inputs.tsv", ".inputs.tsv.partial"]] {
        let folder = format!("corpus-{}", files.len());
        for file in files {
            env.write(&format!("{folder}/{file}"), "");
        }
        std::fs::create_dir(env.path(&format!("{folder}/documents"))).expect("a folder");
        env.run(&["corpus", &crawl(), "-o", &folder]).code(0);
        assert_eq!(env.read_json(&format!("{folder}/stats.json"))["total"]["kept"]["documents"], 22);
    }
}

#[test]
fn a_replacement_killed_halfway_is_done_again() {
    let env = Env::new();
    env.run(&["corpus", &crawl(), "-o", "corpus", "--format", "jsonl"]).code(0);
    // As after a kill: the manifest is gone, the old part is still there.
    std::fs::remove_file(env.path("corpus/manifest.json")).expect("a manifest");
    env.write("corpus/work/clearing", "");
    env.run(&["corpus", &crawl(), "-o", "corpus"]).code(0);
    assert!(!env.path("corpus/documents/part-00000.jsonl").exists(), "the old part is gone");
    assert_eq!(read_parquet(&env.path("corpus/documents/part-00000.parquet")).1.len(), 22);
}

#[test]
fn languages_without_a_stop_list_are_judged_without_stop_words() {
    let env = Env::new();
    let sentence = "灯台守は夕暮れになると灯りをともし、朝になるまで塔の上で見張りを続けた。海は静かで、遠くに漁船の影が見えるだけだった。".repeat(6);
    env.write("page.html", format!("<html><body><ul><li><a href=/>ホーム</a></ul><p>{sentence}</p></body></html>"));
    for languages in ["en,ja", "ja"] {
        env.run(&["corpus", "page.html", "-o", languages, "--lang", languages, "--format", "jsonl"]).code(0);
        assert_eq!(env.read_jsonl(&format!("{languages}/documents/part-00000.jsonl"))[0]["text"], sentence);
    }
}

#[test]
fn a_run_begun_from_standard_input_is_not_continued() {
    let env = Env::new();
    env.run_fed(&["corpus", "-", "-o", "corpus"], b"{\"text\": \"One.\"}\n").code(0);
    // As after a kill before the end: the record of the run is there, the manifest is not.
    let manifest = env.read_json("corpus/manifest.json");
    let record = json!({"refrain": manifest["refrain"], "inputs": manifest["inputs"], "options": manifest["options"]});
    std::fs::remove_file(env.path("corpus/manifest.json")).expect("a manifest");
    env.write("corpus/work/run.json", record.to_string());
    let words = ["standard input", "--overwrite"];
    env.run_fed(&["corpus", "-", "-o", "corpus"], b"{\"text\": \"Two.\"}\n").code(2).says(&words);
}

#[test]
fn documents_without_text_are_counted_as_skipped() {
    let env = Env::new();
    env.write("in.jsonl", "{\"text\": \"\"}\n{\"text\": null}\n{\"text\": \"One.\"}\n");
    env.run(&["corpus", "in.jsonl", "-o", "corpus"]).code(0);
    let statistics = env.read_json("corpus/stats.json");
    assert_eq!(statistics["skipped"]["document without text"], 2);
    assert_eq!(statistics["total"]["downloaded"]["documents"], 1);
}

/// Pages of one host: each has its own article, and all of them the same paragraphs around it.
fn pages_of_a_site(host: &str, numbers: std::ops::Range<u64>) -> String {
    let page = |n: u64| {
        let own = format!("{}. {}.", common::words(70, 3 * n + 1), common::words(60, 3 * n + 2));
        let html = format!(
            "<html><body><div id=head><p>{SITE_NOTICE}</p></div><div id=text><h1>{}</h1><p>{own}</p></div>\
             <div id=foot><p>{SITE_NOTICE} All letters are answered by the keeper himself.</p></div></body></html>",
            common::words(4, 3 * n)
        );
        json!({ "id": format!("https://{host}/{n}"), "html": html }).to_string() + "\n"
    };
    numbers.map(page).collect()
}

/// Long enough to be taken for main content, page by page.
const SITE_NOTICE: &str = "The friends of the lighthouse meet on the first Sunday of every month in the hall behind the \
    church, where they drink tea, mend the nets of the museum and talk about the weather of the weeks that lie behind them.";

#[test]
fn what_the_pages_of_a_host_share_is_marked() {
    let env = Env::new();
    // A host with too few pages has no template: all of its text stays.
    env.write("pages.jsonl", pages_of_a_site("lamp.example", 0..8) + &pages_of_a_site("www.gull.example", 8..10));
    let command = |output: &str, more: &[&str]| {
        let all = [
            "corpus",
            "pages.jsonl",
            "-o",
            output,
            "--text-field",
            "html",
            "--format",
            "jsonl",
            "--quiet",
            "--dedup",
            "exact",
        ];
        env.run(&[&all, more].concat()).code(0)
    };
    command("plain", &[]);
    command("clean", &["--template", "host"]);
    let notices = |corpus: &str| -> Vec<bool> {
        let documents = env.read_jsonl(&format!("{corpus}/documents/part-00000.jsonl"));
        assert_eq!(documents.len(), 10);
        documents.iter().map(|document| text_of(document).contains("friends of the lighthouse")).collect()
    };
    assert_eq!(notices("plain"), [true; 10]);
    assert_eq!(notices("clean"), [[false; 8].as_slice(), &[true; 2]].concat());
    let removed = removed(&env, "clean");
    let of_site: Vec<&Value> = removed.iter().filter(|mark| mark["label"] == "template").collect();
    assert_eq!(of_site.len(), 16);
    assert_eq!(of_site[0]["pass"], "template");
    assert_eq!(of_site[0]["evidence"], json!({ "site": { "host": "lamp.example", "pages": 8 } }));
    let total = &env.read_json("clean/stats.json")["total"];
    let words = |stage: &str| total[stage]["words"].as_u64().expect("a number");
    assert!(words("template") > 8 * 70);
    assert_eq!(words("downloaded"), words("boilerplate") + words("template") + words("main_content"));
    let table = env.run(&["stats", "clean"]).code(0);
    assert!(table.text().contains("  site template"), "{}", table.text());
    // However many threads, and wherever an earlier run was stopped.
    command("single", &["--template", "host", "--threads", "1"]);
    assert_eq!(env.snapshot("single"), env.snapshot("clean"));
}

#[test]
fn a_resumed_run_marks_with_the_templates_that_were_learned() {
    let env = Env::new();
    env.write("pages.jsonl", pages_of_a_site("lamp.example", 0..300));
    let command =
        ["corpus", "pages.jsonl", "-o", "corpus", "--text-field", "html", "--template", "host", "--checkpoint", "1K"];
    env.run(&command).code(0);
    let whole = env.snapshot("corpus");
    // Killed between the templates and the end; a run that was faster than that is tried again.
    let killed = (0..20).any(|_| {
        std::fs::remove_dir_all(env.path("corpus")).expect("it can be removed");
        let mut run = env.command(&command).spawn().expect("the program");
        let templates = env.path("corpus/work/templates.json");
        while !templates.exists() && run.try_wait().expect("a state").is_none() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        run.kill().expect("it can be killed");
        run.wait().expect("an end");
        env.path("corpus/work/templates.json").exists() && !env.path("corpus/manifest.json").exists()
    });
    assert!(killed, "no run was killed in time");
    env.run(&command).code(0);
    assert!(env.snapshot("corpus") == whole, "other bytes");
}

#[test]
fn templates_of_hosts_need_inputs_that_can_be_read_twice() {
    let env = Env::new();
    let command = ["corpus", "-", "-o", "corpus", "--template", "host"];
    env.run_fed(&command, b"<p>a page").code(2).says(&["--template host", "save it to a file first"]);
    assert!(!env.path("corpus").exists());
}

#[test]
fn the_summary_fits_a_screen() {
    let env = Env::new();
    let outcome =
        env.run(&["corpus", &sample("pages"), &crawl(), &sample("notes.zip"), "-o", "corpus", "--strip"]).code(0);
    let lines: Vec<&str> = outcome.text().lines().collect();
    assert!(lines.len() + outcome.stderr.lines().count() < 24, "{lines:?}");
    assert!(lines.iter().all(|line| line.chars().count() <= 100), "{lines:?}");
    // The rest is in the figures.
    let stats = env.run(&["stats", "corpus"]).code(0);
    assert!(stats.text().lines().count() > lines.len());
    assert!(lines.iter().filter(|line| !line.ends_with("more)")).all(|line| stats.text().contains(line)), "{lines:?}");
}
