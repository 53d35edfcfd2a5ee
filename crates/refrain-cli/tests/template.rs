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
fn the_published_method_prints_its_cut_point() {
    let env = Env::new();
    env.write("set.jsonl", jsonl((0..4).map(|n| (n.to_string(), page("quay", n)))));
    let done = env.run(&["template", "set.jsonl", "--text-field", "html", "--method", "findoptimal", "--json"]).code(0);
    let found: Value = serde_json::from_slice(&done.stdout).expect("one JSON object");
    assert!(found["n"].as_u64() >= Some(2) && found["a"].as_u64() >= Some(1), "{found}");
    assert!(found["alternation_count"].is_u64() && found["pages"] == 4, "{found}");
    env.run(&["template", "set.jsonl", "--text-field", "html", "--method", "findoptimal", "--save", "x"])
        .code(2)
        .says(&["--save needs the default method"]);
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
fn a_wrapper_that_does_not_fit_is_reported_for_each_page() {
    let env = with_site(4);
    env.run(&["template", "site/", "--records", "--save-wrapper", "w.json", "-o", "table.csv"]).code(0);
    env.write("other/a.html", "<p>Nothing of that kind.</p>");
    env.run(&["template", "other/", "--records", "--wrapper", "w.json", "-o", "out.csv"]).code(1).says(&[
        "other/a.html",
        "no field was found",
        "the wrapper was learned from other pages",
    ]);
    env.write("w2.json", "{\"fields\": 3}");
    env.run(&["template", "site/", "--records", "--wrapper", "w2.json"])
        .code(2)
        .says(&["w2.json", "not a wrapper file"]);
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
        .says(&["quay.json no longer fits: 0 of 4 pages", "learn it again with --save"]);
    env.write("bad.json", "{}");
    env.run(&["template", "new/", "--evidence", "bad.json"]).code(2).says(&["bad.json", "not a file of templates"]);
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
        .says(&["2 of 2 pages have no template", "page by page"]);
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
fn sites_are_distinguished() {
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
fn an_empty_page_and_a_missing_one_fail_and_the_others_are_written() {
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
    let lines = env.read_jsonl("out.jsonl");
    let full = lines.iter().filter(|line| line["content_ranges"].as_array().is_some_and(|ranges| !ranges.is_empty()));
    assert_eq!(full.count(), 3, "{lines:?}");
}

#[test]
fn a_page_of_fifty_megabytes_is_done() {
    let env = with_site(4);
    let long = "<p>A line that comes again and again.</p>\n".repeat(50 * 25_000);
    env.write("site/long.html", page("quay", 8).replace("<p>In week 0", &format!("{long}<p>In week 0")));
    env.run(&["template", "site/", "--ranges", "bytes", "-o", "out.jsonl"]).code(0).says(&["5 pages"]);
    assert_eq!(env.read_jsonl("out.jsonl").len(), 5);
}

#[test]
fn a_small_site_next_to_a_large_one_keeps_its_pages() {
    let env = Env::new();
    let filling = "<p>Filled with words that stand here only.</p>".repeat(400);
    let large = (0..90).map(|n| {
        json!({"url": format!("https://large.example/{n}"), "html": page("large", n).replace("<p>In week 0", &format!("{filling}<p>In week 0"))})
    });
    let small = (0..6).map(|n| json!({"url": format!("https://small.example/{n}"), "html": page("small", n)}));
    env.write("set.jsonl", large.chain(small).map(|line| line.to_string() + "\n").collect::<String>());
    let options = ["--text-field", "html", "--by", "host", "--memory", "400K", "--json"];
    let done =
        env.run(&[&["template", "set.jsonl"][..], &options].concat()).code(0).says(&["learned from", "of 96 pages"]);
    let found: Value = serde_json::from_slice(&done.stdout).expect("one JSON object");
    let small = found["templates"].as_array().expect("templates").iter().find(|t| t["key"] == "small.example");
    assert_eq!(small.map(|template| template["pages"].clone()), Some(json!(6)), "{found}");
    assert_eq!(found["without_template"], 0, "{found}");
}

#[test]
fn sites_that_share_nothing_but_a_script_are_not_one() {
    let env = Env::new();
    let script = (0..300).map(|i| format!("call{i}('a', {i}, window);")).collect::<Vec<_>>().concat();
    for n in 0..20 {
        env.write(&format!("many/{n}.html"), format!("<script>{script}</script>{}", strange(n)));
    }
    env.run(&["template", "many/", "--format", "text"]).code(0).says(&["20 of 20 pages", "page by page"]);
}

#[test]
fn anchors_and_nested_headings_do_no_harm() {
    let env = Env::new();
    for n in 0..5 {
        let html = page("quay", n).replace("<ul id", "<a name=top><ul id");
        env.write(&format!("site/{n}.html"), html);
        let nested = (0..20_000).map(|i| format!("<h1 id=a{i}>")).collect::<Vec<_>>().concat();
        let closed = (0..20_000).map(|i| format!("</h1><!--{i}-->")).collect::<Vec<_>>().concat();
        env.write(&format!("deep/{n}.html"), format!("{nested}text {n}{closed}"));
    }
    let done = env.run(&["template", "site/", "--format", "text"]).code(0);
    assert!(String::from_utf8(done.stdout).expect("text").contains("year 3"));
    env.run(&["template", "deep/", "--format", "text"]).code(0);
}

#[test]
fn fields_called_id_keep_columns_of_their_own() {
    let env = Env::new();
    for n in 0..6 {
        let ids =
            format!("<p class=a>ID: <b>first {n}</b></p><p class=c>ID: <b>second {n}</b></p><div class=\"quay-text");
        env.write(&format!("site/p{n}.html"), page("quay", n).replace("<div class=\"quay-text", &ids));
    }
    env.run(&["template", "site/", "--records", "--save-wrapper", "w.json", "-o", "table.csv"]).code(0);
    let table = env.read_text("table.csv");
    assert!(table.contains("first 3") && table.contains("second 3"), "{table}");
    let head: Vec<&str> = table.lines().next().expect("a head").split(',').collect();
    assert_eq!(head.iter().collect::<std::collections::HashSet<_>>().len(), head.len(), "{head:?}");
    let mut wrapper: Value = serde_json::from_str(&env.read_text("w.json")).expect("JSON");
    wrapper["wrappers"][0][1]["name"] = wrapper["wrappers"][0][0]["name"].clone();
    env.write("twice.json", wrapper.to_string());
    env.run(&["template", "site/", "--records", "--wrapper", "twice.json"]).code(2).says(&["two fields", "twice.json"]);
}

#[test]
fn the_wrapper_of_another_site_is_reported() {
    let env = with_site(6);
    env.run(&["template", "site/", "--records", "--save-wrapper", "w.json", "-o", "table.csv"]).code(0);
    for n in 0..4 {
        env.write(&format!("other/{n}.html"), format!("<html><head><title>{n}</title></head>{}", strange(n)));
    }
    let options = ["--records", "--wrapper", "w.json", "-o", "out.csv"];
    env.run(&[&["template", "other/"][..], &options].concat())
        .code(1)
        .says(&["the wrapper was learned from other pages"]);
}

#[test]
fn a_folder_holds_a_report_names_that_fit_and_nothing_when_there_is_nothing() {
    let env = Env::new();
    let id = |n: usize| format!("{}{n}", "\u{9801}".repeat(120));
    env.write("set.jsonl", jsonl((0..4).map(|n| (id(n), page("quay", n)))));
    env.run(&["template", "set.jsonl", "--text-field", "html", "-o", "clean/"]).code(0);
    let report = env.read_jsonl("clean/report.jsonl");
    assert_eq!(report.len(), 4);
    for line in &report {
        let text = env.read_text(&format!("clean/{}", line["file"].as_str().expect("a name")));
        assert_eq!((line["bytes"].as_u64(), &line["by"]), (Some(text.len() as u64), &json!("template")));
    }
    env.write("hollow/empty.html", "");
    env.run(&["template", "hollow/", "-o", "none/"]).code(1);
    assert!(!env.path("none").exists());
    env.run(&["template", "missing.html", "-o", "none/"]).code(2).says(&["missing.html", "no such file"]);
    assert!(!env.path("none").exists());
    env.run(&["template", "set.jsonl", "--text-field", "html", "-o", "x.foo"]).code(2).says(&["x.foo", ".jsonl"]);
}

#[test]
fn no_tag_is_cut_in_two() {
    let env = Env::new();
    for n in 0..6 {
        let text = format!("<div class=\"quay-text\"><div class=\"part{n} wide\"><img alt=\"\" src=\"{n}.gif\">");
        env.write(
            &format!("site/{n}.html"),
            page("quay", n)
                .replace("<div class=\"quay-text\">", &text)
                .replace("</div>\n<div id", "</div></div>\n<div id"),
        );
    }
    let done = env.run(&["template", "site/", "--format", "text"]).code(0);
    let text = String::from_utf8(done.stdout).expect("text");
    assert!(!text.contains('>') && !text.contains("gif") && text.contains("year 3"), "{text}");
}

/// Ranges as they stand in a line of JSON.
fn ranges(line: &Value) -> Vec<(u64, u64)> {
    let range = |range: &Value| (range[0].as_u64().expect("start"), range[1].as_u64().expect("end"));
    line["content_ranges"].as_array().expect("ranges").iter().map(range).collect()
}

/// F1 of found content, over all letters of a set.
fn f1(gold: &[Value], found: &[Value]) -> f64 {
    let [mut content, mut kept, mut both] = [0, 0, 0];
    for (gold, found) in gold.iter().zip(found) {
        let (gold, found) = (ranges(gold), ranges(found));
        let length = |ranges: &[(u64, u64)]| ranges.iter().map(|(start, end)| end - start).sum::<u64>();
        content += length(&gold);
        kept += length(&found);
        for a in &gold {
            both += found.iter().map(|b| a.1.min(b.1).saturating_sub(a.0.max(b.0))).sum::<u64>();
        }
    }
    2.0 * both as f64 / (content + kept).max(1) as f64
}

/// The quality that was reached, on pages of real sites where these are at hand: every other page of some sets.
#[test]
fn content_of_real_sites_is_found_as_well_as_it_was() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/sites/dev");
    if !folder.is_dir() {
        common::skipped("../shared/data/sites/dev does not exist");
        return;
    }
    let env = Env::new();
    let wanted = [
        ("k1000", 0.98),
        ("dice", 0.97),
        ("gayot", 0.96),
        ("apache-fr", 0.95),
        ("mix-itw66-k1000", 0.97),
        ("noise-k1000", 0.95),
    ];
    for (name, least) in wanted {
        let packed = std::fs::read(folder.join(format!("{name}.jsonl.zst"))).expect("a set");
        let text = String::from_utf8(zstd::decode_all(&packed[..]).expect("packed with zstd")).expect("text");
        let lines: Vec<&str> = text.split('\n').filter(|line| !line.is_empty()).step_by(2).collect();
        env.write("set.jsonl", lines.join("\n") + "\n");
        env.run(&["template", "set.jsonl", "--text-field", "html", "--ranges", "normalised", "-o", "out.jsonl"])
            .code(0);
        let gold: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let reached = f1(&gold, &env.read_jsonl("out.jsonl"));
        assert!(reached >= least, "{name}: F1 {reached:.3}, and it was at least {least}");
    }
}
