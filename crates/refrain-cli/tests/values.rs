//! Ranges that documents carry (marks, blocks, pages) stay true from one verb to the next, and nothing gets lost on the way.

mod common;

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use common::{Env, sample, text_of, words};
use serde_json::{Value, json};

const STORY: &str = "Der Wärter stieg jeden Abend die Treppe hinauf, zündete die Lampe an und schrieb die Namen der Schiffe, die \
    vorüberfuhren, in ein großes Buch auf dem Tisch.";
const OTHER: &str = "Im Dorf hinter den Dünen hatte der Bäcker seinen Laden schon geschlossen, als die ersten Boote mit der Flut \
    des Abends nach Hause kamen.";

fn mark(start: usize, end: usize) -> Value {
    json!({"start": start, "end": end, "label": "boilerplate", "pass": "by-hand", "evidence": {"stated": "navigation"}})
}

/// A document whose first paragraph is marked.
fn marked() -> Value {
    let text = format!("Startseite – Über uns\n\n{STORY}");
    json!({"id": "marked", "text": text, "marks": [mark(0, 21)], "rank": 7})
}

/// Checks that all ranges of a document lie in its text, and that blocks hold whole words.
fn check_ranges(document: &Value, what: &str) {
    let text: Vec<char> = text_of(document).chars().collect();
    let list = |name: &str| document[name].as_array().cloned().unwrap_or_default();
    for range in list("marks").iter().chain(&list("blocks")) {
        let at = |name: &str| usize::try_from(range[name].as_u64().expect("a place")).expect("a place");
        let (start, end) = (at("start"), at("end"));
        assert!(start <= end && end <= text.len(), "{what}: {range} of {}", text.len());
        let inside =
            |at: usize| at > 0 && at < text.len() && text[at - 1].is_alphanumeric() && text[at].is_alphanumeric();
        assert!(!inside(start) && !inside(end), "{what}: {range} cuts a word of {document}");
    }
    let pages: Vec<u64> = list("pages").iter().filter_map(Value::as_u64).collect();
    assert!(pages.is_sorted() && pages.iter().all(|page| *page <= text.len() as u64), "{what}: {pages:?}");
}

#[test]
fn strip_leaves_marked_text_out_wherever_it_writes() {
    let env = Env::new();
    env.write("docs.jsonl", format!("{}\n{}\n", marked(), json!({"id": "plain", "text": OTHER})));
    env.run(&["strip", "docs.jsonl", "-o", "out/"]).code(0);
    assert_eq!(env.read_text("out/marked.txt"), STORY);
    assert_eq!(env.read_text("out/plain.txt"), OTHER);
    env.run(&["strip", "docs.jsonl", "-o", "out.jsonl"]).code(0);
    assert_eq!(env.read_jsonl("out.jsonl")[0]["text"], STORY);
    env.write("one.jsonl", marked().to_string());
    env.run(&["strip", "one.jsonl", "-o", "one.txt"]).code(0);
    assert_eq!(env.read_text("one.txt"), STORY);
    env.run(&["strip", "one.jsonl", "-o", "all.txt", "--use-marked"]).code(0);
    assert_eq!(env.read_text("all.txt"), text_of(&marked()));
}

#[test]
fn marked_pages_of_a_corpus_lose_no_letters() {
    let env = Env::new();
    env.run(&["corpus", &sample("crawl.warc.gz"), "-o", "marked", "--keep-marked", "--format", "jsonl"]).code(0);
    env.run(&["strip", "marked", "-o", "out/"]).code(0);
    let documents = env.convert(&["marked"]).documents;
    let texts: HashSet<&str> = documents.iter().map(text_of).collect();
    let bodies: Vec<String> = env
        .names("out")
        .iter()
        .filter(|name| Path::new(name).extension().is_some_and(|extension| extension == "txt"))
        .map(|name| env.read_text(&format!("out/{name}")))
        .collect();
    assert!(!bodies.is_empty());
    let whole = |body: &String| body.is_empty() || texts.iter().any(|text| text.contains(body.trim()));
    assert!(bodies.iter().all(whole), "{bodies:?}");
}

#[test]
fn blocks_and_pages_follow_the_text() {
    let env = Env::new();
    let text = format!("{STORY}\n\n{OTHER}\n\nEnde gut, alles gut.");
    let (story, other) = (STORY.chars().count(), OTHER.chars().count());
    let second = story + 2 + other + 2;
    let record = json!({
        "id": "b", "text": text, "pages": [0, story + 2, second],
        "blocks": [
            {"start": 0, "end": story, "kind": "heading", "level": 2},
            {"start": story + 2, "end": second - 2, "kind": "paragraph"},
            {"start": second, "end": second + 20, "kind": "list_item"},
        ],
    });
    env.write("docs.jsonl", format!("{}\n{record}\n", json!({"id": "a", "text": OTHER})));
    for format in ["jsonl", "parquet"] {
        let clean = format!("clean.{format}");
        env.run(&["dedup", "docs.jsonl", "-o", &clean]).code(0);
        let left = &env.convert(&[&clean]).documents[1];
        assert_eq!(text_of(left), format!("{STORY}\n\nEnde gut, alles gut."), "{format}");
        let blocks = json!([
            {"start": 0, "end": story, "kind": "heading", "level": 2},
            {"start": story + 2, "end": story + 22, "kind": "list_item"},
        ]);
        assert_eq!((&left["blocks"], &left["pages"]), (&blocks, &json!([0, story + 2, story + 2])), "{format}");
    }
}

#[test]
fn ranges_that_do_not_fit_are_reported_and_the_others_are_kept() {
    let env = Env::new();
    let mut document = marked();
    document["marks"] = json!([mark(0, 21), mark(10, 4000)]);
    document["blocks"] = json!([{"start": 5, "end": 9, "kind": "paragraph"}]);
    document["pages"] = json!([0, 4000]);
    env.write("docs.jsonl", document.to_string());
    let converted = env.convert(&["docs.jsonl"]);
    assert_eq!(text_of(&converted.documents[0]), STORY);
    let failure = &converted.failures[0];
    let error = failure["error"].as_str().expect("an error");
    assert!(
        error.contains("1 of 2 `marks`, `blocks`, `pages`, which are outside") && error.contains("marked"),
        "{failure}"
    );
    assert_eq!(failure["input"], "docs.jsonl");
    // Not one of them fits.
    document["marks"] = json!([mark(10, 4000), mark(30, 20), {"start": "a", "end": null}]);
    env.write("docs.jsonl", document.to_string());
    let converted = env.convert(&["docs.jsonl"]);
    let error = converted.failures[0]["error"].as_str().expect("an error");
    assert!(error.contains("3 of 3 `marks`"), "{error}");
    assert!(converted.documents[0].get("marks").is_none(), "marks must not travel beside another text");
    // What other programs call by these names is none of our business.
    let own = json!({"id": "own", "text": STORY, "marks": [1, 2], "blocks": ["A"], "pages": [12, 14]});
    env.write("own.jsonl", own.to_string());
    let converted = env.convert(&["own.jsonl"]);
    assert!(converted.failures.is_empty());
    for name in ["marks", "blocks", "pages"] {
        assert_eq!(converted.documents[0][name], own[name]);
    }
}

#[test]
fn marks_of_an_unknown_kind_are_reported_for_what_they_are() {
    let env = Env::new();
    let with = |name: &str, value: Value| {
        let mut document = marked();
        document["marks"][0][name] = value;
        env.write("docs.jsonl", document.to_string());
        let converted = env.convert(&["docs.jsonl"]);
        let error = converted.failures[0]["error"].as_str().expect("an error").to_owned();
        assert!(!error.contains("outside"), "{error}");
        (text_of(&converted.documents[0]).to_owned(), error)
    };
    let (text, error) = with("label", json!("irony"));
    assert_eq!(text, text_of(&marked()), "nobody knows whether this text is to be removed");
    assert!(error.contains("ignored 1 of 1 `marks`, whose label is unknown"), "{error}");
    let (text, error) = with("evidence", json!({"oracle": 7}));
    assert_eq!(text, STORY, "marked text stays marked");
    assert!(error.contains("kept 1 of 1 `marks`, whose evidence is unknown"), "{error}");
    env.run(&["convert", "docs.jsonl", "-o", "kept.jsonl", "--keep-marked"]).code(1);
    assert_eq!(env.read_jsonl("kept.jsonl")[0]["marks"][0]["evidence"], json!({"stated": "{\"oracle\":7}"}));
}

#[test]
fn fully_marked_documents_are_skipped_by_every_verb() {
    let env = Env::new();
    let whole = |id: &str, text: &str| json!({"id": id, "text": text, "marks": [mark(0, text.chars().count())]});
    let page = format!("<html><body><p>{STORY}</p></body></html>");
    let documents = [marked(), whole("gone", STORY), json!({"id": "plain", "text": OTHER}), whole("page", &page)];
    let lines: Vec<String> = documents.iter().map(Value::to_string).collect();
    env.write("docs.jsonl", lines.join("\n"));
    let evals = format!("--evals={}", sample("evals"));
    for line in [
        "convert docs.jsonl -o 1.jsonl",
        "convert docs.jsonl -o 1/",
        "extract docs.jsonl -o 2.jsonl",
        "extract docs.jsonl -o 2/",
        "strip docs.jsonl -o 3.jsonl",
        "strip docs.jsonl -o 3/",
        "template docs.jsonl -o 4.jsonl",
        "template docs.jsonl -o 4/",
        "dedup docs.jsonl -o 5.jsonl --removed 5.removed.jsonl",
        "dedup docs.jsonl -o 6.jsonl --removed 6.removed.jsonl --by document",
        "dedup docs.jsonl -o 7.jsonl --removed 7.removed.jsonl --by document --keep longest",
        &format!("decontaminate docs.jsonl -o 8.jsonl {evals}"),
        "compare docs.jsonl -o 9.jsonl",
        "editions docs.jsonl -o 10/",
        "library add lib docs.jsonl",
        "list docs.jsonl",
    ] {
        let ended = env.run(&line.split(' ').collect::<Vec<_>>()).code(0);
        let account = "found 4 items: 2 documents, 2 skipped (2 fully marked text), 0 failed";
        assert!(ended.stderr.contains(account), "{line}: {ended:?}");
        let output = line.split_once("-o ").and_then(|(_, rest)| rest.split(' ').next()).unwrap_or_default();
        if Path::new(output).extension().is_some_and(|it| it == "jsonl") && !line.starts_with("compare") {
            assert_eq!(env.read_jsonl(output).len(), 2, "{line}");
        } else if output.ends_with('/') && !line.starts_with("editions") {
            let texts = env.names(output).into_iter().filter(|name| name != "report.jsonl");
            assert_eq!(texts.count(), 2, "{line}");
        }
    }
    // The lists still say why.
    for list in ["5.removed.jsonl", "6.removed.jsonl", "7.removed.jsonl"] {
        assert!(env.read_jsonl(list).iter().any(|removed| removed["id"] == "gone"), "{list}");
    }
    let kept = env.convert(&["docs.jsonl", "--keep-marked"]);
    assert!(kept.ids().contains(&"gone"), "{kept:?}");
}

#[test]
fn people_see_addresses_instead_of_ids() {
    let env = Env::new();
    let record = |id: &str, url: &str, text: &str| json!({"id": id, "url": url, "text": text}).to_string();
    let lines = [
        record("7f3a", "http://a.example/story", &format!("{STORY} {OTHER}")),
        record("81bc", "http://a.example/empty", "* * *"),
        record("7f3a", "http://a.example/again", OTHER),
        record("92de", "http://a.example/copy", &format!("{STORY} {OTHER}")),
    ];
    env.write("docs.jsonl", lines.join("\n"));
    for line in
        ["compare docs.jsonl -o pairs.jsonl", "library add lib docs.jsonl", "library check lib docs.jsonl -o c.jsonl"]
    {
        let ended = env.run(&line.split(' ').collect::<Vec<_>>()).code(1);
        assert!(ended.stderr.contains("http://a.example/empty: no words"), "{line}: {ended:?}");
        let again = "http://a.example/again: skipped: another document has the same id";
        assert!(ended.stderr.contains(again) || line.contains("check"), "{line}: {ended:?}");
        assert!(!ended.stderr.contains("7f3a") && !ended.stderr.contains("81bc"), "{line}: {ended:?}");
    }
    env.write("docs.jsonl", [&*lines[0], &lines[1], &lines[3]].join("\n"));
    env.run(&["dedup", "docs.jsonl", "--by", "document", "-o", "clean.jsonl", "--clusters", "clusters.jsonl"]).code(0);
    let cluster = &env.read_jsonl("clusters.jsonl")[0];
    assert_eq!((&cluster["keep"], &cluster["url"]), (&json!("7f3a"), &json!("http://a.example/story")));
    assert_eq!(cluster["copy_urls"], json!(["http://a.example/copy"]));
}

#[test]
fn new_texts_do_not_keep_old_marks() {
    let env = Env::new();
    let page = |n: usize| {
        format!("<html><body><p>Menü der Seite</p><div><p>{STORY}</p><p>{OTHER} {n}</p></div></body></html>")
    };
    let line = |n: usize| json!({"id": format!("p{n}"), "url": format!("http://a.example/{n}"), "text": page(n), "marks": [mark(12, 33)]});
    let lines: Vec<String> = (0..4).map(|n| line(n).to_string()).collect();
    env.write("pages.jsonl", lines.join("\n"));
    env.write("text.jsonl", marked().to_string());
    for arguments in
        [&["extract", "pages.jsonl"][..], &["template", "pages.jsonl"], &["extract", "text.jsonl", "--text-is", "text"]]
    {
        env.run(&[arguments, &["-o", "out.jsonl"]].concat()).code(0);
        let written = env.read_jsonl("out.jsonl");
        let read = env.convert(&["out.jsonl"]).documents;
        for (written, read) in written.iter().zip(&read) {
            assert!(written.get("marks").is_none(), "{arguments:?}: {written}");
            assert_eq!(text_of(written), text_of(read), "{arguments:?}");
            assert!(
                [STORY, OTHER].iter().any(|text| text_of(written).contains(text)) && !text_of(written).contains("Men"),
                "{arguments:?}: {written}"
            );
        }
    }
}

#[test]
fn marked_text_counts_nowhere_unless_asked_for() {
    let env = Env::new();
    let with = |id: &str, own: &str| {
        let text = format!("{STORY}\n\n{own}");
        json!({"id": id, "text": text, "marks": [mark(0, STORY.chars().count())]}).to_string()
    };
    env.write(
        "docs.jsonl",
        [with("a", OTHER), with("b", "Ganz andere Worte, die sonst nirgends stehen, auch nicht hier.")].join("\n"),
    );
    let pairs =
        |more: &[&str]| env.run(&[&["compare", "docs.jsonl", "-o", "pairs.jsonl", "-q"][..], more].concat()).code;
    assert!(pairs(&[]) < 2);
    assert!(env.read_jsonl("pairs.jsonl").iter().all(|pair| pair["shared"] == 0), "{:?}", env.read_text("pairs.jsonl"));
    assert!(pairs(&["--use-marked"]) < 2);
    assert_eq!(env.read_jsonl("pairs.jsonl").len(), 1);
    env.write("new.jsonl", with("new", "Ein neuer Anfang, der nirgends sonst zu finden ist, mit ganz eigenen Worten."));
    let found = |library: &str, more: &[&str]| {
        env.run(&[&["library", "add", library, "docs.jsonl", "-q"], more].concat()).code(0);
        env.run(&[&["library", "check", library, "new.jsonl", "-o", "found.jsonl", "-q"], more].concat()).code(0);
        env.read_jsonl("found.jsonl")[0]["shared"].as_u64().expect("a number")
    };
    assert_eq!(found("without", &[]), 0);
    assert!(found("with", &["--use-marked"]) > 0);
    let (story, own) = (words(3000, 1), [words(3000, 2), words(3000, 3)]);
    let book = |(id, own): (usize, &String)| {
        json!({"id": id.to_string(), "text": format!("{story}\n\n{own}"), "marks": [mark(0, story.len())]}).to_string()
    };
    env.write("books.jsonl", own.iter().enumerate().map(book).collect::<Vec<_>>().join("\n"));
    let pairs = |more: &[&str]| {
        env.run(&[&["editions", "books.jsonl", "-o", "editions.jsonl", "-q"], more].concat()).code(0);
        env.read_jsonl("editions.jsonl").len()
    };
    assert_eq!((pairs(&[]), pairs(&["--use-marked"])), (0, 1));
    env.run(&["dedup", "docs.jsonl", "-o", "clean.jsonl"]).code(0).says(&["0 blocks"]);
    env.run(&["dedup", "docs.jsonl", "-o", "clean.jsonl", "--use-marked"]).code(0).says(&["1 block"]);
}

#[test]
fn annotation_of_vertical_files_survives() {
    let env = Env::new();
    let sentence = |text: &str, n: usize| {
        let mut tokens = String::new();
        for word in text.split_whitespace() {
            tokens += &[word, "\t", &word.to_lowercase(), "\tN", &n.to_string(), "\n"].concat();
        }
        format!("<p n=\"{n}\">\n<s id=\"{n}\">\n{tokens}<g/>\n!\t!\tSENT\n</s>\n</p>\n")
    };
    let (story, other) = (sentence(STORY, 1), sentence(OTHER, 2));
    let document = |id: &str, body: &str| format!("<doc id=\"{id}\" origin=\"in.vert\">\n{body}</doc>\n");
    env.write("in.vert", document("a", &story) + &document("b", &format!("{other}{story}")) + &document("c", &story));
    env.run(&["convert", "in.vert", "-o", "same.vert"]).code(0);
    assert_eq!(env.read_text("same.vert"), env.read_text("in.vert"));
    env.run(&["dedup", "in.vert", "-o", "clean.vert"]).code(0);
    assert_eq!(env.read_text("clean.vert"), document("a", &story) + &document("b", &other));
    env.run(&["dedup", "in.vert", "-o", "marked.vert", "--keep-marked"]).code(0);
    let marked = env.read_text("marked.vert");
    assert_eq!(marked.matches("<mark ").count(), marked.matches("</mark>").count());
    assert_eq!(marked.matches("\tSENT\n").count(), 4);
}

#[test]
fn a_nul_byte_leaves_the_annotation_of_a_vertical_file_alone() {
    let env = Env::new();
    let text = "<doc id=\"a\" origin=\"in.vert\">\n<p>\n<s n=\"1\">\nDie\tdie\tART\nLa\0m\0pe\tLampe\tNN\n\
        <hi>\nbrennt\tbrennen\tVV\n</hi>\n<g/>\n.\t.\tSENT\n</s>\n<s n=\"2\">\n\0\t?\tXY\nEnde\tEnde\tNN\n</s>\n</p>\n</doc>\n";
    env.write("in.vert", text);
    env.run(&["convert", "in.vert", "-o", "out.vert"]).code(1).says(&["NUL bytes in the text of a (3)"]);
    assert_eq!(env.read_text("out.vert"), text.replace('\0', "\u{fffd}"));
}

/// Runs a verb that writes documents, and returns them.
fn run(env: &Env, verb: &str, input: &str, output: &str) -> Vec<Value> {
    let kept: &[&str] = if ["extract", "dedup", "convert", "decontaminate", "quality"].contains(&verb) {
        &["--keep-marked"]
    } else {
        &[]
    };
    let evals = format!("--evals={}", std::fs::canonicalize(sample("evals")).expect("a sample").display());
    let own: &[&str] = match verb {
        "decontaminate" => &[&evals],
        "quality" => &["--quality=gopher,c4"],
        _ => &[],
    };
    let target = format!("{output}.jsonl");
    match verb {
        "corpus" => {
            env.run(&["corpus", input, "-o", output, "--keep-marked", "--format", "jsonl", "-q"]).code(0);
            std::fs::rename(env.path(&format!("{output}/documents/part-00000.jsonl")), env.path(&target))
                .expect("a part");
        }
        _ => {
            let outcome = env.run(&[&[verb, input, "-o", &target, "-q"][..], kept, own].concat());
            assert!(outcome.code < 2, "{verb} {input}: {outcome:?}");
        }
    }
    env.read_jsonl(&target)
}

#[test]
fn every_verb_reads_what_another_one_wrote() {
    let env = Env::new();
    let pages = [sample("crawl.warc.gz"), sample("documents/keeper.pdf")]
        .map(|path| std::fs::canonicalize(path).expect("a sample"));
    env.write("list.txt", pages.map(|path| path.to_str().expect("a name").to_owned()).join("\n"));
    let verbs = ["extract", "template", "strip", "dedup", "convert", "corpus", "decontaminate", "quality"];
    for first in verbs {
        let written = run(&env, first, "@list.txt", first);
        assert!(!written.is_empty(), "{first}");
        for document in &written {
            check_ranges(document, first);
        }
        let before: BTreeMap<&str, &Value> =
            written.iter().map(|document| (document["id"].as_str().expect("an id"), document)).collect();
        // This verb changes nothing but the encoding.
        env.run(&["decode", &format!("{first}.jsonl"), "-o", "decoded.jsonl", "-q"]).code(0);
        assert_eq!(env.read("decoded.jsonl"), env.read(&format!("{first}.jsonl")), "{first}, then decode");
        for second in verbs {
            let what = format!("{first}, then {second}");
            let again = run(&env, second, &format!("{first}.jsonl"), &format!("{first}-{second}"));
            for document in &again {
                check_ranges(document, &what);
                let id = document["id"].as_str().expect("an id");
                let old = before.get(id).unwrap_or_else(|| panic!("{what}: {id} is new"));
                // Every word was there before: none was cut.
                let words: HashSet<&str> = text_of(old).split_whitespace().collect();
                let new = text_of(document).split_whitespace().find(|word| !words.contains(word));
                assert!(new.is_none(), "{what}: {new:?} of {id}");
                for (name, value) in old.as_object().expect("fields") {
                    let ours =
                        ["text", "blocks", "pages", "marks", "language", "confidence", "note", "encoding_losses"];
                    let there =
                        document.get(name) == Some(value) || document.get(format!("source_{name}")) == Some(value);
                    assert!(ours.contains(&name.as_str()) || there, "{what}: {name} of {id}: {value}");
                }
            }
            if ["strip", "dedup", "convert"].contains(&second) {
                let kept = env.convert(&[&format!("{first}.jsonl")]).documents;
                let ids: HashSet<&Value> = again.iter().map(|document| &document["id"]).collect();
                assert!(
                    kept.iter().all(|document| text_of(document).is_empty()
                        || ids.contains(&document["id"])
                        || second == "dedup"),
                    "{what}"
                );
            }
        }
        for last in
            [&["compare", "-o", "pairs.jsonl"][..], &["editions", "-o", "editions/"], &["library", "add", "library"]]
        {
            let input = format!("{first}.jsonl");
            let (verb, rest) = if last[0] == "library" { (last, &[][..]) } else { (&last[..1], &last[1..]) };
            let outcome = env.run(&[verb, &[input.as_str()], rest, &["-q"]].concat());
            assert!(outcome.code < 2, "{first}, then {last:?}: {outcome:?}");
            let _ = std::fs::remove_dir_all(env.path("editions"));
            let _ = std::fs::remove_dir_all(env.path("library"));
        }
    }
}
