//! `refrain template`: pages without what they share, ranges, records, and what is no site.

mod common;

use common::{Env, Outcome};
use serde_json::{Value, json};

/// A page of a made-up site: what all share, and what is its own.
fn page(site: &str, n: usize) -> String {
    let words = ["harbour", "orchard", "tower", "mill", "bridge", "quarry", "chapel"];
    let sentence = |i: usize| {
        let (a, b) = (words[(n * 3 + i) % 7], words[(n + i * 5) % 7]);
        format!(
            "<p>In week {i} of {site} year {n} the {a} was closed, and everybody went to the {b} by way of path {}.</p>\n",
            n * i
        )
    };
    let body: String = (0..3 + n % 4).map(sentence).collect();
    format!(
        "<!DOCTYPE html><html><head><title>Tale {n} - {site}</title></head><body class=\"{site}\">\n\
         <ul id=\"{site}-menu\"><li><a href=\"/\">{site} home</a></li><li><a href=\"/{site}/map\">Map</a></li></ul>\n\
         <h1>Tale number {n}</h1>\n<div class=\"{site}-meta\">Author: <b>Keeper {n}</b></div>\n\
         <div class=\"{site}-text\">{body}</div>\n\
         <div id=\"{site}-foot\"><p>All that stands on {site} may be copied.</p><p>The office of {site} is open from eight to four.</p></div>\
         </body></html>\n"
    )
}

/// A page that has nothing in common with pages of other numbers.
fn strange(n: usize) -> String {
    let words = (0..150).map(|i| format!("<i{n} id=z{n}q{i}>w{n}x{i} v{n}y{i}</i{n}> ")).collect::<Vec<_>>().concat();
    format!("<div class=k{n}>{words}</div>")
}

fn jsonl(pages: impl IntoIterator<Item = (String, String)>) -> String {
    pages.into_iter().map(|(id, html)| json!({"site": "x", "id": id, "html": html}).to_string() + "\n").collect()
}

fn with_site(count: usize) -> Env {
    let env = Env::new();
    for n in 0..count {
        env.write(&format!("site/p{n}.html"), page("quay", n));
    }
    env
}

/// The content of a page by its ranges in code points of the normalised page.
fn cut(html: &str, ranges: &Value) -> Vec<String> {
    let mut normalised = String::new();
    for character in html.chars() {
        let character = if matches!(character, ' ' | '\t' | '\r' | '\n') { ' ' } else { character };
        if !(character == ' ' && normalised.ends_with(' ')) {
            normalised.push(character);
        }
    }
    let letters: Vec<char> = normalised.chars().collect();
    let bound = |range: &Value, end: usize| range[end].as_u64().expect("an offset") as usize;
    let ranges = ranges.as_array().expect("ranges");
    ranges.iter().map(|range| letters[bound(range, 0)..bound(range, 1)].iter().collect::<String>()).collect()
}

#[test]
fn ranges_of_normalised_pages_with_the_fields_of_the_source() {
    let env = Env::new();
    let pages: Vec<(String, String)> =
        (0..6).map(|n| (format!("é{n}"), page("quay", n).replace("week", "wéek\r\n\t"))).collect();
    env.write("set.jsonl", jsonl(pages.clone()));
    let arguments = ["--text-field", "html", "--ranges", "normalised", "--format", "jsonl", "-o", "out.jsonl"];
    env.run(&[&["template", "set.jsonl"][..], &arguments].concat()).code(0).says(&["6 pages, 1 template"]);
    let lines = env.read_jsonl("out.jsonl");
    for ((id, html), line) in pages.iter().zip(&lines) {
        assert_eq!((&line["id"], &line["site"]), (&json!(id), &json!("x")));
        assert!(line.get("html").is_none());
        let content = cut(html, &line["content_ranges"]);
        assert!(content[0].starts_with("Tale number"), "{content:?}");
        let body = content.last().expect("a body");
        assert!(body.contains("was closed") && !body.contains("may be copied") && !body.contains("Author"), "{body}");
    }
}

#[test]
fn the_published_method_tells_its_cut_point() {
    let env = Env::new();
    env.write("set.jsonl", jsonl((0..4).map(|n| (n.to_string(), page("quay", n)))));
    let done = env.run(&["template", "set.jsonl", "--text-field", "html", "--method", "findoptimal", "--json"]).code(0);
    let found: Value = serde_json::from_slice(&done.stdout).expect("one JSON object");
    assert!(found["n"].as_u64() >= Some(2) && found["a"].as_u64() >= Some(1), "{found}");
    assert!(found["alternation_count"].is_u64() && found["pages"] == 4, "{found}");
    env.run(&["template", "set.jsonl", "--text-field", "html", "--method", "findoptimal", "--save", "x"])
        .code(2)
        .says(&["--save is for the default method"]);
}

#[test]
fn a_folder_gets_pages_without_what_they_share() {
    let env = with_site(6);
    env.run(&["template", "site/", "-o", "clean/"]).code(0).says(&["wrote clean/: 6 pages, 1 template"]);
    let clean = env.read_text("clean/p2.html");
    assert!(clean.contains("<h1>Tale number 2</h1>") || clean.starts_with("Tale number 2"), "{clean}");
    assert!(clean.contains("was closed") && !clean.contains("office") && !clean.contains("home"), "{clean}");
    env.run(&["template", "site/", "-o", "clean/"]).code(2).says(&["is not empty", "--overwrite"]);
    env.run(&["template", "site/", "-o", "clean/", "--overwrite"]).code(0);
}

#[test]
fn documents_hold_text_and_keep_their_order() {
    let env = with_site(5);
    env.run(&["template", "site/", "-o", "clean.jsonl"]).code(0);
    let documents = env.read_jsonl("clean.jsonl");
    assert_eq!(documents.len(), 5);
    let text = documents[1]["text"].as_str().expect("text");
    assert!(text.contains("year 1") && !text.contains('<') && !text.contains("may be copied"), "{text}");
    let one = env.run(&["template", "site/", "--threads", "1", "--format", "jsonl"]).code(0);
    assert_eq!(one.stdout, env.read("clean.jsonl"));
}

#[test]
fn records_become_a_table_and_a_wrapper_reads_new_pages() {
    let env = with_site(6);
    env.run(&["template", "site/", "--records", "--save-wrapper", "w.json", "-o", "table.csv"]).code(0);
    let table = env.read_text("table.csv");
    let head: Vec<&str> = table.lines().next().expect("a head").split(',').collect();
    assert!(head.contains(&"id") && head.contains(&"headline") && head.contains(&"author"), "{head:?}");
    assert_eq!(table.lines().count(), 7);
    assert!(table.contains("Keeper 3"), "{table}");
    env.write("new/fresh.html", page("quay", 40));
    let done = env.run(&["template", "new/", "--records", "--wrapper", "w.json", "--format", "jsonl"]).code(0);
    let row: Value = serde_json::from_slice(&done.stdout).expect("a row");
    assert_eq!((&row["headline"], &row["author"]), (&json!("Tale number 40"), &json!("Keeper 40")));
    env.run(&["template", "site/", "--records", "-o", "table.parquet"]).code(0);
    assert!(env.read("table.parquet").starts_with(b"PAR1"));
}

#[test]
fn a_wrapper_that_does_not_fit_is_told_for_each_page() {
    let env = with_site(4);
    env.run(&["template", "site/", "--records", "--save-wrapper", "w.json", "-o", "table.csv"]).code(0);
    env.write("other/a.html", "<p>Nothing of that kind.</p>");
    env.run(&["template", "other/", "--records", "--wrapper", "w.json", "-o", "out.csv"]).code(1).says(&[
        "other/a.html",
        "no field was found",
        "the wrapper is of other pages",
    ]);
    env.write("w2.json", "{\"fields\": 3}");
    env.run(&["template", "site/", "--records", "--wrapper", "w2.json"]).code(2).says(&["w2.json", "no wrapper file"]);
}

#[test]
fn shown_pages_have_their_template_in_grey_and_hostile_text_as_text() {
    let env = with_site(4);
    env.write("site/p9.html", page("quay", 9).replace("<p>In week 0", "<p><script>alert(1)</script>In week 0"));
    env.run(&["template", "site/", "--show", "-o", "pages.html"]).code(0);
    let shown = env.read_text("pages.html");
    assert!(shown.contains("<s>") && shown.contains("Tale number 2") && !shown.contains("<script>"), "{shown}");
    let done: Outcome = env.run(&["template", "site/", "--show"]).code(0);
    assert_eq!(String::from_utf8(done.stdout).expect("text"), shown);
}

#[test]
fn saved_evidence_marks_new_pages_and_says_when_it_no_longer_fits() {
    let env = with_site(6);
    env.run(&["template", "site/", "--save", "quay.json", "-o", "clean/"]).code(0);
    env.write("new/a.html", page("quay", 50));
    let done = env.run(&["template", "new/", "--evidence", "quay.json", "--format", "text"]).code(0);
    let text = String::from_utf8(done.stdout).expect("text");
    assert!(text.contains("year 50") && !text.contains("may be copied"), "{text}");
    assert!(!done.stderr.contains("no longer fits"), "{}", done.stderr);
    for n in 0..4 {
        env.write(&format!("drifted/{n}.html"), strange(n));
    }
    env.run(&["template", "drifted/", "--evidence", "quay.json", "--format", "text"])
        .code(0)
        .says(&["quay.json no longer fits: 0 of 4 pages", "learn again with --save"]);
    env.write("bad.json", "{}");
    env.run(&["template", "new/", "--evidence", "bad.json"]).code(2).says(&["bad.json", "no file of templates"]);
}

#[test]
fn fewer_than_three_pages_are_done_page_by_page() {
    let env = with_site(2);
    let long = "The keeper climbs the stairs of the tower once more, trims the wick of the lamp, and draws the curtains around \
                the great lens before the sun can set the boards on fire, as it did in the year of the comet.";
    env.write(
        "site/p0.html",
        page("quay", 0).replace("<p>In week 0", &format!("<p>{long}</p><p>{long} Twice.</p><p>In week 0")),
    );
    let done = env
        .run(&["template", "site/", "--ranges", "bytes"])
        .code(0)
        .says(&["2 of 2 pages have fewer than 3 different pages", "page by page"]);
    let first = String::from_utf8(done.stdout).expect("lines");
    let line: Value = serde_json::from_str(first.lines().next().expect("a line")).expect("JSON");
    let html = env.read_text("site/p0.html");
    let ranges = line["content_ranges"].as_array().expect("ranges");
    let text: String = ranges
        .iter()
        .map(|range| &html[range[0].as_u64().expect("start") as usize..range[1].as_u64().expect("end") as usize])
        .collect();
    assert!(text.contains("climbs the stairs") && !text.contains("<title>"), "{text}");
}

#[test]
fn identical_pages_and_sites_of_one_page_each_have_no_template() {
    let env = Env::new();
    for n in 0..5 {
        env.write(&format!("same/{n}.html"), page("quay", 3));
    }
    env.run(&["template", "same/", "--format", "text"]).code(0).says(&["5 of 5 pages", "page by page"]);
    for n in 0..20 {
        env.write(&format!("many/{n}.html"), strange(n));
    }
    env.run(&["template", "many/", "--format", "text"]).code(0).says(&["20 of 20 pages", "page by page"]);
}

#[test]
fn sites_are_told_apart() {
    let env = Env::new();
    let mixed = (0..12).map(|n| (n.to_string(), if n % 4 == 1 { page("weir", n) } else { page("quay", n) }));
    env.write("set.jsonl", jsonl(mixed));
    let done = env.run(&["template", "set.jsonl", "--text-field", "html", "--json"]).code(0);
    let found: Value = serde_json::from_slice(&done.stdout).expect("one JSON object");
    let pages: Vec<u64> =
        found["templates"].as_array().expect("templates").iter().filter_map(|t| t["pages"].as_u64()).collect();
    assert_eq!(pages, [9, 3], "{found}");
}

#[test]
fn an_empty_page_and_a_missing_one_fail_beside_the_others() {
    let env = with_site(4);
    env.write("site/empty.html", "");
    env.run(&["template", "site/", "missing.html", "-o", "clean/"]).code(1).says(&[
        "empty.html",
        "missing.html",
        "4 pages",
    ]);
    let env = Env::new();
    env.write(
        "set.jsonl",
        jsonl((0..4).map(|n| (n.to_string(), if n == 2 { String::new() } else { page("quay", n) }))),
    );
    env.run(&["template", "set.jsonl", "--text-field", "html", "--ranges", "chars", "-o", "out.jsonl"]);
    assert!(env.read_jsonl("out.jsonl").len() >= 3);
}

#[test]
fn a_page_of_fifty_megabytes_is_done() {
    let env = with_site(4);
    let long = "<p>A line that comes again and again.</p>\n".repeat(50 * 25_000);
    env.write("site/long.html", page("quay", 8).replace("<p>In week 0", &format!("{long}<p>In week 0")));
    env.run(&["template", "site/", "--ranges", "bytes", "-o", "out.jsonl"]).code(0).says(&["5 pages"]);
    assert_eq!(env.read_jsonl("out.jsonl").len(), 5);
}
