//! `refrain extract`: what comes out of pages, in every format, and what is said of those that cannot be used.

mod common;

use std::fmt::Write as _;

use common::{Env, GOOD, Outcome, decompress_gzip, decompress_zstd, noise, parse_jsonl, sample, text_of, words, zip};
use serde_json::{Value, json};

/// A page with all that there is: navigation, an article with its parts, comments of readers, a footer.
const PAGE: &str = r#"<!DOCTYPE html>
<html lang=en><head><title>Lamps of the coast</title></head><body>
<nav><a href="/">Home</a> <a href="/about">About us</a></nav>
<article><h1>Lamps of the coast</h1>
<p>The keeper lit the lamp at dusk, and again when the fog came in from <a href="/sea">the open sea</a> that night,
as he had done for years &amp; years before the inspector came and asked him for the book.</p>
<ul><li>Trim the wick before the lamp is lit, every evening of the year.</li>
<li>Wind the clock that turns the lens, and do not let it stop.</li></ul>
<table><tr><th>Order</th><th>Place of the lens</th></tr><tr><td>First</td><td>Great landfall lights</td></tr></table>
<p>In the morning he put the lamp out and wrote the hours into the book that lay on the desk, because the inspector
would ask for it, and because the hours were all that was left of the night when it was over.</p></article>
<div class="comments" id="comments"><h3>Comments</h3><div class="comment"><p>I remember this lamp from the time when I was
a child, and my father was the keeper of it.</p></div></div>
<footer>All rights reserved</footer></body></html>"#;

const FIRST: &str = "The keeper lit the lamp at dusk, and again when the fog came in from the open sea that night, as he had done \
                     for years & years before the inspector came and asked him for the book.";
const COMMENT: &str = "I remember this lamp from the time when I was a child, and my father was the keeper of it.";

/// A page around one sentence.
fn page(sentence: &str) -> String {
    format!("<html><body><p>{sentence}</p></body></html>")
}

/// JSONL with a page in the field `html` of each line.
fn jsonl(pages: &[(&str, &str)]) -> String {
    pages.iter().fold(String::new(), |mut lines, (id, html)| {
        writeln!(lines, "{}", json!({"id": id, "html": html})).expect("in memory");
        lines
    })
}

impl Env {
    /// Extracts to JSONL on standard output.
    #[track_caller]
    fn extract(&self, arguments: &[&str], code: i32) -> (Vec<Value>, Outcome) {
        let outcome = self.run(&[&["extract", "--format", "jsonl"], arguments].concat()).code(code);
        (parse_jsonl(&outcome.stdout), outcome)
    }
}

fn ids(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["id"].as_str().expect("an id")).collect()
}

/// Kinds of pages that all methods have to answer for, one line each.
fn five_pages() -> String {
    let lines = [
        json!({"id": "whole", "html": PAGE, "site": "coast", "year": 1911, "tags": ["a", "b"], "confidence": "ours"}),
        json!({"id": "empty", "html": ""}),
        json!({"id": "bare", "html": "<html></html>"}),
        json!({"id": "piece", "html": format!("<h2>Hours</h2><p>{FIRST} {FIRST}<p>{}", &FIRST[..70])}),
        json!({"id": "words", "html": format!("{FIRST} {FIRST}")}),
    ];
    lines.map(|line| line.to_string() + "\n").concat()
}

#[test]
fn one_line_for_each_page_in_their_order() {
    let env = Env::new();
    env.write("pages.jsonl", five_pages());
    for method in [&[][..], &["--method", "justext", "--assume-lang", "en"], &["--method", "bte"]] {
        let door = ["extract", "pages.jsonl", "--text-field", "html", "--format", "jsonl", "-o", "out.jsonl"];
        env.run(&[&door, method].concat()).code(0).says(&["5 documents", "2 without text", "out.jsonl"]);
        let lines = env.read_jsonl("out.jsonl");
        assert_eq!(ids(&lines), ["whole", "empty", "bare", "piece", "words"], "{method:?}");
        for line in &lines {
            let id = &line["id"];
            let (text, blocks) = (text_of(line), line["blocks"].as_array().expect("blocks"));
            let confidence = line["confidence"].as_f64().expect("a confidence");
            assert!((0.0..=1.0).contains(&confidence), "{method:?}, {id}: {confidence}");
            assert!(line.as_object().expect("an object").contains_key("title"), "{method:?}, {id}");
            let empty = *id == "empty" || *id == "bare";
            assert_eq!(text.is_empty(), empty, "{method:?}, {id}: {line}");
            assert_eq!(blocks.is_empty(), empty, "{method:?}, {id}");
            assert_eq!(confidence == 0.0, empty, "{method:?}, {id}");
            assert_eq!(line["note"].is_string(), empty, "{method:?}, {id}: {line}");
            // Blocks are ranges of the text, in characters, and there is no text next to them.
            let chars: Vec<char> = text.chars().collect();
            let at = |name: &str, block: &Value| block[name].as_u64().expect("an offset") as usize;
            let parts =
                blocks.iter().map(|block| chars[at("start", block)..at("end", block)].iter().collect::<String>());
            assert_eq!(parts.collect::<Vec<_>>().join("\n\n"), text, "{method:?}, {id}");
        }
        assert!(text_of(&lines[0]).contains(FIRST), "{method:?}: {}", lines[0]);
        assert!(!text_of(&lines[0]).contains("About us"), "{method:?}: {}", lines[0]);
        assert!(text_of(&lines[3]).contains(FIRST), "{method:?}: {}", lines[3]);
        assert_eq!(text_of(&lines[4]), format!("{FIRST} {FIRST}"), "{method:?}");
        assert_eq!(lines[0]["title"], "Lamps of the coast");
        assert_eq!(lines[1]["title"], Value::Null);
        assert_eq!(lines[1]["note"], "the page is empty");
        assert_eq!(lines[2]["note"], "the page shows no text");
    }
}

#[test]
fn unknown_fields_are_carried_over_and_none_of_ours_is_lost() {
    let env = Env::new();
    env.write("pages.jsonl", five_pages());
    let (lines, _) = env.extract(&["pages.jsonl", "--text-field", "html"], 0);
    assert_eq!(
        (&lines[0]["site"], &lines[0]["year"], &lines[0]["tags"]),
        (&json!("coast"), &json!(1911), &json!(["a", "b"]))
    );
    assert!(lines[0]["confidence"].is_f64(), "{}", lines[0]);
    assert_eq!(lines[0]["source_confidence"], "ours");
    assert_eq!(lines[0].get("html"), None, "the page itself does not travel");
}

#[test]
fn text_goes_to_standard_output() {
    let env = Env::new();
    env.write("a.html", PAGE);
    env.write("b.html", page(FIRST));
    let outcome = env.run(&["extract", "a.html", "b.html"]).code(0);
    let text = outcome.text();
    assert!(text.starts_with("Lamps of the coast\n\n"), "{text}");
    assert!(text.contains(&format!("\n\n{FIRST}\n\n")), "{text}");
    assert!(text.ends_with(&format!("it was over.\n\n{FIRST}\n")), "{text}");
    for gone in ["About us", "All rights reserved", COMMENT, "<", "&amp;"] {
        assert!(!text.contains(gone), "`{gone}` in {text}");
    }
    assert_eq!(outcome.stderr, "wrote 2 documents\nfound 2 items: 2 documents, 0 skipped, 0 failed\n");
    assert_eq!(env.run(&["extract", "a.html", "b.html", "--quiet"]).code(0).stderr, "");
    assert_eq!(env.run_fed(&["extract", "-"], page(FIRST).as_bytes()).code(0).text(), format!("{FIRST}\n"));
}

#[test]
fn markdown_has_headings_lists_tables_and_links() {
    let env = Env::new();
    env.write("a.html", PAGE);
    let outcome = env.run(&["extract", "a.html", "--format", "markdown"]).code(0);
    for part in [
        "# Lamps of the coast\n",
        "[the open sea](/sea)",
        "\n- Trim the wick before the lamp is lit, every evening of the year.\n- Wind the clock",
        "\n| Order | Place of the lens |\n| --- | --- |\n| First | Great landfall lights |\n",
    ] {
        assert!(outcome.text().contains(part), "`{part}` is not in {}", outcome.text());
    }
    let plain = env.run(&["extract", "a.html", "--format", "markdown", "--no-links", "--no-tables"]).code(0);
    assert!(plain.text().contains("from the open sea that"), "{}", plain.text());
    assert!(!plain.text().contains('|') && plain.text().contains("Great landfall lights"), "{}", plain.text());
}

#[test]
fn tei_is_well_formed_whatever_the_pages_hold() {
    let env = Env::new();
    env.write("a.html", PAGE);
    let odd = "<p>One &lt; two &amp;amp; three ]]&gt; \u{1}\u{b}\u{fffe} <a href='/x?a=1&b=\"2\"'>four</a>, and so on until the end.</p>";
    env.write("b.html", format!("<title>\"A\" & <b></title><html><body>{odd}</body></html>"));
    env.write("c.html", "<html></html>");
    env.run(&["extract", "a.html", "b.html", "c.html", "-o", "out.xml"]).code(0);
    let xml = env.read_text("out.xml");
    let document = roxmltree::Document::parse(&xml).unwrap_or_else(|error| panic!("{error}: {xml}"));
    assert_eq!(document.root_element().tag_name().name(), "teiCorpus");
    let count = |name: &str| document.descendants().filter(|node| node.tag_name().name() == name).count();
    assert_eq!((count("TEI"), count("text"), count("table")), (3, 3, 1), "{xml}");
    let texts: Vec<&str> = document.descendants().filter_map(|node| node.text()).collect();
    for part in ["Lamps of the coast", "\"A\" & <b>", "the open sea"] {
        assert!(texts.iter().any(|text| text.trim() == part), "`{part}` is not in {texts:?}");
    }
}

#[test]
fn every_block_is_explained() {
    let env = Env::new();
    env.write("a.html", PAGE);
    for (method, rules) in [
        ("default", &["learned", "comment"][..]),
        ("justext", &["good/good", "bad/bad", "short/bad", "near-good/good"]),
        ("bte", &["range"]),
    ] {
        let outcome = env.run(&["extract", "a.html", "--explain", "--format", "jsonl", "--method", method]).code(0);
        let lines = parse_jsonl(&outcome.stdout);
        assert!(lines.len() > 8, "{method}: {lines:?}");
        for (number, line) in lines.iter().enumerate() {
            assert_eq!((&line["id"], &line["block"]), (&json!("a.html"), &json!(number)), "{method}");
            assert!(line["keep"].is_boolean() && line["path"].is_string(), "{method}: {line}");
            let figure = if method == "justext" { "length" } else { "words" };
            assert!(!text_of(line).is_empty() && line["features"][figure].is_number(), "{method}: {line}");
            assert_eq!(line["probability"].is_number(), method == "default", "{method}: {line}");
            assert!(line["rule"].is_string(), "{method}: {line}");
        }
        let rule = |line: &Value| line["rule"].as_str().expect("a rule").to_owned();
        assert!(lines.iter().any(|line| rules.contains(&rule(line).as_str())), "{method}: {lines:?}");
        assert!(lines.iter().any(|line| text_of(line) == FIRST && line["keep"] == true), "{method}: {lines:?}");
        assert!(lines.iter().any(|line| line["keep"] == false), "{method}: {lines:?}");
    }
    env.run(&["extract", "a.html", "--explain", "-o", "x.md"]).code(2).says(&["x.md", ".jsonl"]);
}

#[test]
fn full_sentences_only_for_linguists() {
    let env = Env::new();
    env.write("a.html", PAGE);
    let (all, _) = env.extract(&["a.html"], 0);
    let (sentences, _) = env.extract(&["a.html", "--profile", "krdwrd"], 0);
    assert!(text_of(&all[0]).starts_with("Lamps of the coast\n\n") && text_of(&all[0]).contains("Great landfall"));
    assert!(text_of(&sentences[0]).starts_with(FIRST), "{}", sentences[0]);
    assert!(!text_of(&sentences[0]).contains("Great landfall"), "{}", sentences[0]);
    assert!(sentences[0]["blocks"].as_array().expect("blocks").iter().all(|block| block["kind"] != "heading"));
}

#[test]
fn comments_of_readers_are_kept_on_request() {
    let env = Env::new();
    let more = [
        "My grandmother used to say that nobody on that coast ever slept before the lamp was lit, and she was right about it.",
        "We went there last summer with the children, and the woman at the museum let us turn the lens, which was a great joy.",
        "The book is still there, by the way, and you can read in it what the weather was like on the day that I was born.",
    ];
    let more = more.map(|text| format!("<div class=comment><p>{text}</p></div>")).concat();
    env.write("a.html", PAGE.replace("</div></div>", &format!("</div>{more}</div>")));
    let blocks = |arguments: &[&str], rule: &str| -> Vec<bool> {
        let (lines, _) = env.extract(&[&["a.html", "--keep-marked"], arguments].concat(), 0);
        let blocks = lines[0]["blocks"].as_array().expect("blocks").clone();
        blocks.iter().filter(|block| block["rule"] == rule).map(|block| block["keep"] == true).collect()
    };
    // The heading and the four comments.
    assert_eq!(blocks(&[], "comment"), [false; 5]);
    assert!(blocks(&["--comments"], "comment").iter().all(|kept| *kept));
    let (without, _) = env.extract(&["a.html"], 0);
    let (with, _) = env.extract(&["a.html", "--comments"], 0);
    for comment in
        ["I remember this lamp", "My grandmother used to", "We went there last summer", "The book is still there"]
    {
        assert!(!text_of(&without[0]).contains(comment), "{}", without[0]);
        assert!(text_of(&with[0]).contains(comment), "`{comment}` is not in {}", with[0]);
    }
    assert!(text_of(&with[0]).contains(FIRST) && text_of(&without[0]).contains(FIRST));
}

#[test]
fn removed_text_can_be_kept_with_its_marks() {
    let env = Env::new();
    env.write("a.html", PAGE);
    let (marked, _) = env.extract(&["a.html", "--keep-marked"], 0);
    let (plain, _) = env.extract(&["a.html"], 0);
    let text = text_of(&marked[0]);
    assert!(text.contains("About us") && text.contains(COMMENT) && text.contains("All rights reserved"), "{text}");
    let blocks = marked[0]["blocks"].as_array().expect("blocks");
    let of = |block: &Value, unit: &[u8]| {
        let at = |name: &str| block[name].as_u64().expect("an offset") as usize;
        String::from_utf8(unit[at("start")..at("end")].to_vec()).expect("UTF-8")
    };
    // The page is ASCII: characters are bytes.
    let kept: Vec<String> =
        blocks.iter().filter(|block| block["keep"] == true).map(|block| of(block, text.as_bytes())).collect();
    assert_eq!(kept.join("\n\n"), text_of(&plain[0]));
    let comment = blocks.iter().find(|block| of(block, text.as_bytes()) == COMMENT).expect("the comment");
    assert_eq!((&comment["keep"], &comment["rule"]), (&json!(false), &json!("comment")));
    let marks = marked[0]["marks"].as_array().expect("marks");
    assert_eq!(marks.len(), blocks.len() - kept.len());
    let mark = marks.iter().find(|mark| mark["start"] == comment["start"]).expect("the mark of the comment");
    assert_eq!(
        (&mark["end"], &mark["label"], &mark["pass"]),
        (&comment["end"], &json!("boilerplate"), &json!("extract"))
    );
    assert_eq!(mark["evidence"]["judged"]["rule"], "comment");
}

#[test]
fn marked_pages_become_main_content_later() {
    let env = Env::new();
    let indented = "<p>A paragraph of ordinary words, which is here to read.</p><pre>  if lit:\n      sleep()\n</pre>";
    env.write("indented.html", PAGE.replace(FIRST, &format!("{FIRST}</p>{indented}<p>")));
    env.write("mostly-empty.html", "<html><body><nav><a href=/>Home</a></nav></body></html>");
    let inputs = [sample("crawl.warc.gz"), sample("pages"), "indented.html".into(), "mostly-empty.html".into()];
    for method in ["default", "justext", "bte"] {
        for unit in ["chars", "bytes"] {
            let run = |more: &[&str]| {
                let arguments = [&["extract"], &inputs.each_ref().map(String::as_str)[..], &["--method", method], more];
                env.run(&arguments.concat()).code(0);
            };
            run(&["-o", "marked.jsonl", "--keep-marked", "--offsets", unit]);
            run(&["-o", "plain.jsonl"]);
            let texts = |documents: &[Value]| -> Vec<(String, String)> {
                let texts = documents.iter().map(|page| (page["id"].to_string(), text_of(page).to_owned()));
                texts.filter(|(_, text)| !text.is_empty()).collect()
            };
            let converted = env.convert(&["marked.jsonl"]);
            assert!(converted.failures.is_empty(), "{method}, {unit}: {:?}", converted.failures);
            // Pages without main content are left out by `convert`, and empty records of `extract`.
            assert_eq!(texts(&converted.documents), texts(&env.read_jsonl("plain.jsonl")), "{method}, {unit}");
            // A second run extracts the same text from the marked pages.
            env.run(&["extract", "marked.jsonl", "-o", "again.jsonl"]).code(0);
            assert_eq!(
                texts(&env.read_jsonl("again.jsonl")),
                texts(&env.read_jsonl("plain.jsonl")),
                "{method}, {unit}"
            );
        }
    }
}

#[test]
fn ranges_count_characters_or_bytes() {
    let env = Env::new();
    let greek = "Ο φαροφύλακας άναψε τη λάμπα το σούρουπο, και πάλι όταν ήρθε η ομίχλη από το πέλαγος εκείνη τη νύχτα.";
    env.write("a.html", page(greek));
    for (unit, length) in [("chars", greek.chars().count()), ("bytes", greek.len())] {
        let (lines, _) = env.extract(&["a.html", "--offsets", unit], 0);
        assert_eq!(text_of(&lines[0]), greek);
        let field = if unit == "bytes" { "byte_blocks" } else { "blocks" };
        assert_eq!(lines[0][field][0]["end"], length, "{unit}");
    }
}

#[test]
fn web_archives_become_packed_jsonl() {
    let env = Env::new();
    env.run(&["extract", &sample("crawl.warc.gz"), "-o", "out.jsonl.zst"])
        .code(0)
        .says(&["24 documents", "out.jsonl.zst"]);
    let lines = parse_jsonl(&decompress_zstd(&env.read("out.jsonl.zst")));
    assert_eq!(lines.len(), 24);
    let lens =
        lines.iter().find(|line| line["url"] == "https://lighthouse.example/articles/lens.html").expect("a page");
    assert_eq!(
        (&lens["author"], &lens["date"], &lens["language"]),
        (&json!("Marian Tollard"), &json!("2023-03-04"), &json!("en"))
    );
    assert!(text_of(lens).contains("A bare flame sends its light everywhere"), "{lens}");
    assert!(!text_of(lens).contains("cookies") && !text_of(lens).contains("Most read"), "{lens}");
    for line in &lines {
        assert!(!text_of(line).is_empty() && line["confidence"].as_f64() > Some(0.0), "{line}");
    }
}

#[test]
fn the_name_of_the_output_decides_its_format() {
    let env = Env::new();
    env.write("a.html", PAGE);
    let text = env.run(&["extract", "a.html"]).code(0).stdout;
    let markdown = env.run(&["extract", "a.html", "--format", "markdown"]).code(0).stdout;
    let jsonl = env.run(&["extract", "a.html", "--format", "jsonl"]).code(0).stdout;
    let tei = env.run(&["extract", "a.html", "--format", "tei"]).code(0).stdout;
    for (name, expected) in [
        ("a.txt", &text),
        ("a.text", &text),
        ("a.md", &markdown),
        ("a.markdown", &markdown),
        ("a.jsonl", &jsonl),
        ("A.NDJSON", &jsonl),
        ("a.xml", &tei),
        ("a.tei", &tei),
    ] {
        env.run(&["extract", "a.html", "-o", name]).code(0);
        assert_eq!(&env.read(name), expected, "{name}");
        env.run(&["extract", "a.html", "-o", &format!("{name}.gz")]).code(0);
        assert_eq!(&decompress_gzip(&env.read(&format!("{name}.gz"))), expected, "{name}.gz");
        env.run(&["extract", "a.html", "-o", &format!("{name}.zst")]).code(0);
        assert_eq!(&decompress_zstd(&env.read(&format!("{name}.zst"))), expected, "{name}.zst");
    }
    // What the user says goes before what the name says.
    env.run(&["extract", "a.html", "-o", "b.txt", "--format", "jsonl"]).code(0);
    assert_eq!(env.read("b.txt"), jsonl);
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let env = Env::new();
    let sources = [sample("crawl.warc.gz"), sample("pages")];
    for format in ["text", "jsonl", "markdown", "tei"] {
        let run = |threads: &str| {
            let options = ["extract", &sources[0], &sources[1], "--format", format, "--threads", threads];
            env.run(&options).code(0).stdout
        };
        let one = run("1");
        assert!(one.len() > 10_000, "{format}");
        assert!(one == run("2"), "{format}: one thread and two differ");
        assert!(one == run("2"), "{format}: two runs differ");
    }
}

#[test]
fn the_same_page_gives_the_same_answer_in_any_input() {
    let env = Env::new();
    let long = format!("<html><body>{}</body></html>", format!("<p>{FIRST}</p><li>x").repeat(500));
    let pages = [("a", PAGE), ("b", &long), ("c", PAGE), ("d", "<html></html>"), ("e", PAGE), ("f", "x"), ("g", PAGE)];
    env.write("pages.jsonl", jsonl(&pages));
    for method in [&["default"][..], &["justext", "--assume-lang", "en"], &["bte"]] {
        let arguments = ["pages.jsonl", "--text-field", "html", "--keep-marked", "--method"];
        let (mut lines, _) = env.extract(&[&arguments, method].concat(), 0);
        for line in &mut lines {
            line.as_object_mut().expect("an object").remove("id");
        }
        for again in [2, 4, 6] {
            assert_eq!(lines[again], lines[0], "{method:?}");
        }
    }
}

#[test]
fn what_is_no_page_is_named_and_the_rest_is_extracted() {
    let env = Env::new();
    env.write("good.html", page(FIRST));
    env.write("paper.pdf", [b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n".to_vec(), noise(3000)].concat());
    env.write("paper.html", [b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n".to_vec(), noise(3000)].concat());
    env.write("dot.png", [b"\x89PNG\r\n\x1a\n".to_vec(), noise(3000)].concat());
    env.write("noise.html", noise(3000));
    for (name, why) in [
        ("paper.pdf", "damaged PDF file"),
        ("paper.html", "damaged PDF file"),
        ("dot.png", "is not text: image"),
        ("noise.html", "is not text: binary data"),
    ] {
        let (lines, outcome) = env.extract(&[name, "good.html", "--errors", "errors.jsonl"], 1);
        assert_eq!(ids(&lines), ["good.html"], "{name}");
        assert_eq!(text_of(&lines[0]), FIRST, "{name}");
        outcome.says(&[name, why]);
        let errors = env.read_jsonl("errors.jsonl");
        assert_eq!(errors.len(), 1, "{name}: {errors:?}");
        assert_eq!(errors[0]["input"], name);
        // On its own as well, and with nothing on standard output.
        let (lines, outcome) = env.extract(&[name], 1);
        assert!(lines.is_empty(), "{name}: {lines:?}");
        outcome.says(&[name, why]);
    }
    let (lines, outcome) = env.extract(&["paper.pdf", "dot.png", "good.html", "noise.html"], 1);
    assert_eq!(ids(&lines), ["good.html"]);
    outcome.says(&["paper.pdf", "dot.png", "noise.html"]);
}

#[test]
fn an_empty_page_is_a_page_without_text() {
    let env = Env::new();
    env.write("good.html", page(FIRST));
    for name in ["empty.html", "EMPTY.HTM"] {
        env.write(name, "");
        for arguments in [&[name][..], &[name, "good.html"]] {
            let (lines, outcome) = env.extract(arguments, 0);
            assert_eq!(lines.len(), arguments.len());
            assert_eq!((&lines[0]["id"], text_of(&lines[0])), (&json!(name), ""));
            assert_eq!((&lines[0]["confidence"], &lines[0]["note"]), (&json!(0.0), &json!("the page is empty")));
            assert!(outcome.stderr.contains("; 1 without text\nfound "), "{}", outcome.stderr);
        }
    }
    env.write("blank.html", " \n\t ");
    let (lines, _) = env.extract(&["blank.html"], 0);
    assert_eq!((text_of(&lines[0]), &lines[0]["confidence"]), ("", &json!(0.0)));
    assert!(lines[0]["note"].is_string(), "{}", lines[0]);
    env.write("pages.zip", zip(&[("empty.html", b""), ("good.html", page(FIRST).as_bytes())], true));
    let (lines, _) = env.extract(&["pages.zip"], 0);
    assert_eq!(lines.iter().map(text_of).collect::<Vec<_>>(), ["", FIRST]);
    // Of other files nobody can say what they should have been.
    env.write("empty.jsonl", "");
    env.extract(&["empty.jsonl", "good.html"], 1).1.says(&["empty.jsonl", "empty file"]);
}

#[test]
fn lines_without_a_page_are_counted_and_named() {
    let env = Env::new();
    let good = page(FIRST);
    let lines = [
        json!({"id": "1", "html": good}).to_string(),
        json!({"id": "2", "text": good}).to_string(),
        json!({"id": "3", "html": good}).to_string(),
        json!({"id": "4", "html": 7}).to_string(),
        "no JSON".to_owned(),
        json!({"id": "6", "html": good}).to_string(),
        json!({"id": "7"}).to_string(),
        json!({"id": "8"}).to_string(),
    ];
    env.write("pages.jsonl", lines.join("\n"));
    let (lines, outcome) = env.extract(&["pages.jsonl", "--text-field", "html", "--errors", "errors.jsonl"], 1);
    assert_eq!(ids(&lines), ["1", "3", "6"]);
    assert!(lines.iter().all(|line| text_of(line) == FIRST));
    let errors = env.read_jsonl("errors.jsonl");
    let places: Vec<u64> = errors.iter().filter_map(|error| error["place"]["line"].as_u64()).collect();
    assert_eq!(places, [2, 4, 5, 7, 8], "{errors:?}");
    let outcome = outcome.says(&[
        "pages.jsonl, line 2: no field \"html\"; fields are: id, text",
        "pages.jsonl, line 4: field \"html\" is not a string",
        "and 2 more with the same cause",
        "pages.jsonl, line 5: not valid JSON",
        "--text-field",
    ]);
    assert_eq!(outcome.stderr.matches("no field").count(), 1, "one cause is reported once: {}", outcome.stderr);
    // The wrong field throughout: all lines fail, and the existing fields are listed.
    env.write("other.jsonl", jsonl(&[("1", &good), ("2", &good)]));
    let (lines, outcome) = env.extract(&["other.jsonl"], 1);
    assert!(lines.is_empty());
    outcome.says(&["no field \"text\"; fields are: id, html", "and 1 more with the same cause"]);
}

#[test]
fn unknown_names_are_answered_with_the_known_ones() {
    let env = Env::new();
    env.write("a.html", page(FIRST));
    env.run(&["extract", "a.html", "--assume-lang", "xx"]).code(2).says(&[
        "`xx`",
        "--assume-lang",
        "cs, cy, da, de, el, en,",
        "none",
    ]);
    env.run(&["extract", "a.html", "--method", "magic"]).code(2).says(&["magic", "--method", "default, justext, bte"]);
    env.run(&["extract", "a.html", "--profile", "x"]).code(2).says(&["--profile", "cleaneval, krdwrd"]);
    env.run(&["extract", "a.html", "--format", "docx"]).code(2).says(&["text, jsonl, markdown, tei"]);
    env.run(&["extract"]).code(2).says(&["INPUT"]);
    env.run(&["extract", "missing.html"]).code(2).says(&["missing.html", "no such file"]);
    let (lines, outcome) = env.extract(&["missing.html", "a.html"], 1);
    assert_eq!(ids(&lines), ["a.html"]);
    outcome.says(&["missing.html", "no such file"]);
}

#[test]
fn jus_text_uses_the_list_that_is_asked_for() {
    let env = Env::new();
    // Without a language there is no stop list, and long blocks with few links are good.
    env.write("a.html", page(&FIRST.repeat(2)));
    let kept = |lang: &str| {
        let (lines, _) = env.extract(&["a.html", "--method", "justext", "--assume-lang", lang], 0);
        !text_of(&lines[0]).is_empty()
    };
    assert!(kept("en"));
    assert!(!kept("cs"), "no Czech words in it");
}

#[test]
fn an_output_that_cannot_be_written_is_an_error_before_the_work() {
    let env = Env::new();
    env.write("a.html", page(FIRST));
    for (output, words) in [
        ("missing/out.jsonl", &["missing/out.jsonl", "the folder missing does not exist"][..]),
        ("out.docx", &["out.docx", "does not state a format", ".jsonl", "--format"]),
        ("out", &["`out` could be a file or a folder", "out/", ".jsonl"]),
        ("out.zst", &["out.zst", "does not state a format"]),
        ("a.html", &["a.html"]),
    ] {
        let outcome = env.run(&["extract", "a.html", "-o", output]).code(2).says(words);
        assert_eq!(outcome.stdout, b"", "{output}");
    }
    assert_eq!(env.read_text("a.html"), page(FIRST), "an input is never written over");
    assert!(!env.path("out").exists() && !env.path("out.docx").exists());
    if cfg!(target_os = "linux") {
        let outcome = env.run(&["extract", "a.html", "-o", "/dev/full", "--format", "text"]).code(2);
        outcome.says(&["/dev/full: No space left"]);
    }
}

#[test]
fn a_folder_gets_a_file_for_each_page() {
    let env = Env::new();
    env.run(&["extract", &sample("crawl.warc.gz"), "-o", "pages/", "--format", "markdown"]).code(0);
    let names = env.names("pages");
    assert_eq!(names.len(), 24);
    assert!(names.contains(&"lighthouse.example_articles_lens.html.md".to_owned()), "{names:?}");
    assert!(env.read_text("pages/lighthouse.example_articles_lens.html.md").starts_with("# "));
    env.run(&["extract", &sample("crawl.warc.gz"), "-o", "pages/"]).code(2).says(&["not empty"]);
}

#[test]
fn an_input_is_no_output() {
    let env = Env::new();
    let pages = jsonl(&[("1", &page(FIRST))]);
    env.write("pages.jsonl", &pages);
    env.write("list", "pages.jsonl\nb.html\n");
    env.write("b.html", page(FIRST));
    for inputs in [&["pages.jsonl"][..], &["./pages.jsonl", "b.html"], &["@list"]] {
        let arguments = [&["extract", "--text-field", "html", "-o", "pages.jsonl"], inputs].concat();
        env.run(&arguments).code(2).says(&["pages.jsonl is both an input and the output"]);
        assert_eq!(env.read_text("pages.jsonl"), pages, "{inputs:?}");
    }
}

#[test]
fn errors_go_to_a_file_that_can_be_written() {
    let env = Env::new();
    env.write("a.html", page(FIRST));
    for verb in ["extract", "convert"] {
        env.run(&[verb, "a.html", "--errors", "-"]).code(2).says(&["--errors", "name a file", "standard error"]);
        let outcome = env.run(&[verb, "a.html", "--errors", "missing/errors.jsonl"]).code(2);
        outcome.says(&["missing/errors.jsonl", "the folder missing does not exist"]);
        let both = ["-o", "out.jsonl", "--errors", "out.jsonl"];
        env.run(&[&[verb, "a.html"][..], &both].concat()).code(2).says(&["one file", "--errors"]);
    }
    assert_eq!(env.names(""), ["a.html"]);
}

#[test]
fn options_without_effect_are_refused_with_what_they_need() {
    let env = Env::new();
    env.write("a.html", PAGE);
    let cases: [(&[&str], &[&str]); 20] = [
        (&["--keep-marked"], &["--keep-marked", "--format jsonl"]),
        (&["--keep-marked", "-o", "out.md"], &["--keep-marked", "--format jsonl"]),
        (&["--offsets", "chars", "--format", "tei"], &["--offsets", "--format jsonl"]),
        (&["--offsets", "bytes"], &["--offsets", "--format jsonl"]),
        (&["--no-links"], &["--no-links", "--format markdown"]),
        (&["--no-links", "--format", "tei"], &["--no-links", "--format markdown"]),
        (&["--no-tables", "-o", "out.jsonl"], &["--no-tables", "--format markdown"]),
        (&["--explain", "--keep-marked"], &["--keep-marked", "--explain"]),
        (&["--explain", "--offsets", "bytes"], &["--offsets", "--removed"]),
        (&["--explain", "--no-links"], &["--no-links", "--explain"]),
        (&["--explain", "--format", "markdown"], &["markdown", "jsonl"]),
        (&["--length-low", "70"], &["--length-low", "--method justext"]),
        (&["--stopwords-high", "0.4", "--method", "bte"], &["--stopwords-high", "--method justext"]),
        (&["--max-link-density", "0.1"], &["--max-link-density", "--method justext"]),
        (&["--max-heading-distance", "1"], &["--max-heading-distance", "--method justext"]),
        (&["--no-headings"], &["--no-headings", "--method justext"]),
        (&["--assume-lang", "en"], &["--assume-lang", "--method justext"]),
        (&["--assume-lang", "none", "--method", "bte"], &["--assume-lang", "--method justext"]),
        (&["--comments", "--method", "justext"], &["--comments", "--method default"]),
        (&["--comments", "--method", "bte"], &["--comments", "--method default"]),
    ];
    for (options, words) in cases {
        let outcome = env.run(&[&["extract", "a.html"], options].concat()).code(2).says(words);
        assert_eq!((outcome.stdout.len(), outcome.stderr.lines().count()), (0, 1), "{options:?}: {}", outcome.stderr);
    }
    assert_eq!(env.names(""), ["a.html"]);
    let figures = ["--length-low", "60", "--no-headings", "--assume-lang", "en", "--profile", "krdwrd"];
    env.run(&[&["extract", "a.html", "--method", "justext"], &figures[..]].concat()).code(0);
}

#[test]
fn the_format_of_explanations_may_be_named() {
    let env = Env::new();
    env.write("evil.html", "<p>One \u{1b}]0;evil\u{7} two, and \u{1b}[31m many more words to read here.</p>");
    let shown = env.run(&["extract", "evil.html", "--explain"]).code(0).text().to_owned();
    assert!(!shown.contains(|c: char| c.is_control() && c != '\n'), "{shown:?}");
    env.write("a.html", PAGE);
    let text = env.run(&["extract", "a.html", "--explain"]).code(0).text().to_owned();
    let lines = parse_jsonl(&env.run(&["extract", "a.html", "--explain", "--format", "jsonl"]).code(0).stdout);
    assert_eq!(text.lines().count(), lines.len());
    for (number, (shown, line)) in text.lines().zip(&lines).enumerate() {
        let what = if line["keep"] == true { "kept" } else { "removed" };
        assert!(shown.starts_with(&format!("a.html, block {number}: {what} (")), "{shown}");
    }
    env.run(&["extract", "a.html", "--explain", "-o", "why.jsonl"]).code(0);
    assert_eq!(env.read_jsonl("why.jsonl"), lines);
}

#[test]
fn one_language_is_enough_for_a_stop_list() {
    let env = Env::new();
    env.write("a.html", PAGE);
    let outcome = env.run(&["extract", "a.html", "--method", "justext", "--assume-lang", "en,de"]).code(2);
    outcome.says(&["--assume-lang", "one code", "refrain corpus"]);
}

#[test]
fn what_became_of_all_pages_is_printed_at_the_end() {
    let env = Env::new();
    let crawl = sample("crawl.warc.gz");
    let outcome = env.run(&["extract", &crawl, "-o", "out.jsonl"]).code(0);
    let lines: Vec<&str> = outcome.stderr.lines().collect();
    assert_eq!(lines[0], "wrote 24 documents to out.jsonl");
    let account = "found 57 items: 24 documents, 33 skipped (28 WARC request, 1 HTTP status 301, ";
    assert!(lines[1].starts_with(account) && lines[1].ends_with("), 0 failed"), "{lines:?}");
    assert_eq!(lines.len(), 2);
    assert_eq!(env.run(&["extract", &crawl, "-o", "out.jsonl", "--quiet"]).code(0).stderr, "");
    let stated = "<meta name=description content='A tide table that runs in your browser.'><div id=root></div>";
    let pages = [("1", PAGE), ("2", "<html></html>"), ("3", stated)];
    env.write("pages.jsonl", jsonl(&pages));
    let outcome = env.run(&["extract", "pages.jsonl", "--text-field", "html"]).code(0);
    let wrote = "wrote 3 documents; 1 without text, 1 with only the description in their metadata\n";
    assert_eq!(outcome.stderr, format!("{wrote}found 3 items: 3 documents, 0 skipped, 0 failed\n"));
}

#[test]
fn a_run_that_passes_over_everything_says_so() {
    let env = Env::new();
    env.write("pictures/dot.png", [b"\x89PNG\r\n\x1a\n".to_vec(), noise(3000)].concat());
    env.write("pictures/noise.bin", noise(3000));
    let outcome = env.run(&["extract", "pictures"]).code(0).says(&["no document written", "all items were skipped"]);
    assert_eq!((outcome.stderr.lines().count(), outcome.text()), (2, ""), "{}", outcome.stderr);
    outcome.says(&["found 2 items: 0 documents, 2 skipped (1 binary data, 1 "]);
}

/// A record without what may differ when its text is extracted once more.
fn facts(line: &Value) -> Value {
    let names = ["id", "url", "encoding", "origin", "title", "author", "date", "language", "warc_date", "content_type"];
    names.iter().map(|name| line[name].clone()).collect()
}

#[test]
fn what_extract_wrote_keeps_its_facts_when_it_is_read_again() {
    let env = Env::new();
    env.run(&["extract", &sample("crawl.warc.gz"), "-o", "first.jsonl"]).code(0);
    let first = env.read_jsonl("first.jsonl");
    for options in [&[][..], &["--text-is", "text"]] {
        let (again, _) = env.extract(&[&["first.jsonl"], options].concat(), 0);
        assert_eq!(again.len(), first.len());
        for (again, first) in again.iter().zip(&first) {
            assert_eq!((facts(again), text_of(again)), (facts(first), text_of(first)), "{options:?}");
            for name in ["source_title", "source_author", "source_language", "source_origin", "source_encoding"] {
                assert_eq!(again.get(name), None, "{options:?}: {again}");
            }
        }
    }
}

#[test]
fn a_corpus_keeps_its_facts_when_it_is_extracted() {
    let env = Env::new();
    for format in ["parquet", "jsonl"] {
        env.run(&["corpus", &sample("crawl.warc.gz"), "-o", format, "--format", format]).code(0);
        let documents = env.convert(&[format]).documents;
        let (lines, _) = env.extract(&[format], 0);
        assert_eq!(lines.len(), documents.len(), "{format}");
        for (line, document) in lines.iter().zip(&documents) {
            assert_eq!(facts(line), facts(document), "{format}");
            assert_eq!((&line["author"], &line["date"]), (&Value::Null, &Value::Null), "{format}: nothing is guessed");
            let fields = line.as_object().expect("an object");
            assert!(!fields.keys().any(|name| name.starts_with("source_") || name == "words"), "{format}: {line}");
        }
    }
}

#[test]
fn plain_text_says_no_more_about_itself_than_its_source_does() {
    let env = Env::new();
    env.write("a.txt", format!("By Ida Fennick, 3 March 2021\n\n{FIRST}\n"));
    let (lines, _) = env.extract(&["a.txt"], 0);
    assert_eq!((&lines[0]["title"], lines[0].get("author"), lines[0].get("date")), (&Value::Null, None, None));
    let row = json!({"id": "1", "text": FIRST, "title": "Lamps", "author": "Ida Fennick", "date": 1911});
    env.write("a.jsonl", row.to_string());
    let (lines, _) = env.extract(&["a.jsonl", "--text-is", "text"], 0);
    let said = (&lines[0]["title"], &lines[0]["author"], &lines[0]["date"]);
    assert_eq!(said, (&json!("Lamps"), &json!("Ida Fennick"), &json!(1911)));
    let tei = env.run(&["extract", "a.jsonl", "--text-is", "text", "--format", "tei"]).code(0);
    assert!(tei.text().contains("<title>Lamps</title><author>Ida Fennick</author>"), "{}", tei.text());
}

#[test]
fn what_a_page_says_goes_before_what_its_source_says() {
    let env = Env::new();
    let row = json!({"id": "1", "html": PAGE, "title": "Another title", "author": "Ida Fennick", "language": "en"});
    env.write("a.jsonl", row.to_string());
    let (lines, _) = env.extract(&["a.jsonl", "--text-field", "html"], 0);
    assert_eq!(
        (&lines[0]["title"], &lines[0]["source_title"]),
        (&json!("Lamps of the coast"), &json!("Another title"))
    );
    assert_eq!((&lines[0]["author"], lines[0].get("source_author")), (&json!("Ida Fennick"), None));
    assert_eq!((&lines[0]["language"], lines[0].get("source_language")), (&json!("en"), None));
}

/// A page of 100 MB of paragraphs, links and tags is read whole, in memory that is a small multiple of it.
#[cfg(target_os = "linux")]
#[test]
fn the_memory_for_a_huge_page_is_in_proportion() {
    const SIZE: usize = 100 << 20;
    let env = Env::new();
    let mut html = String::with_capacity(SIZE + 10_000);
    html.push_str("<html><body>");
    for seed in 0.. {
        if html.len() >= SIZE {
            break;
        }
        let text = words(40, seed % 5000);
        let _ = writeln!(html, "<div class=c{seed}><p>{text} <a href=/{seed}>{GOOD}</a></p><ul><li>x<li>y</ul></div>");
    }
    env.write("huge.html", &html);
    drop(html);
    let output = std::process::Command::new("sh")
        .args([
            "-c",
            "\"$0\" extract huge.html -o out.jsonl --quiet --threads 1 & wait_for=$!
            peak=0
            while [ -r /proc/$wait_for/status ]; do
                now=$(sed -n 's/^VmHWM:[^0-9]*\\([0-9]*\\).*/\\1/p' /proc/$wait_for/status 2>/dev/null)
                [ -n \"$now\" ] && peak=$now
                sleep 0.05
            done
            wait $wait_for; echo \"$? $peak\"",
            env!("CARGO_BIN_EXE_refrain"),
        ])
        .current_dir(env.path("."))
        .output()
        .expect("a shell");
    let figures = String::from_utf8_lossy(&output.stdout).into_owned();
    let (code, peak) = figures.trim().split_once(' ').unwrap_or_else(|| panic!("{output:?}"));
    let peak: usize = peak.parse().unwrap_or_else(|_| panic!("{output:?}"));
    assert_eq!(code, "0", "{output:?}");
    assert!(peak << 10 < 10 * SIZE, "peak of memory: {peak} kB");
    let lines = env.read_jsonl("out.jsonl");
    assert_eq!(lines.len(), 1);
    assert!(!text_of(&lines[0]).is_empty() && lines[0]["confidence"].as_f64() > Some(0.0), "{}", lines[0]["note"]);
}

#[test]
fn nul_characters_in_pages_are_no_failure() {
    let env = Env::new();
    env.write("a.jsonl", format!("{{\"id\": \"a\", \"html\": \"<p>{GOOD} \\u0000</p>\"}}\n"));
    let (lines, _) = env.extract(&["a.jsonl", "--text-field", "html"], 0);
    assert!(text_of(&lines[0]).contains(GOOD), "{lines:?}");
}
