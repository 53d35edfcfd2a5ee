//! `refrain strip`: preambles and epilogues of books, and what is no book.

mod common;

use common::{Env, gzip, parse_jsonl, zip};
use serde_json::Value;

/// What stands between the two notices of a made-up book.
fn body(n: usize) -> String {
    let sentence = |i: usize| {
        let subject = ["keeper", "ferryman", "baker", "widow", "miller"][(n * 7 + i) % 5];
        let place = ["harbour", "orchard", "tower", "mill", "bridge"][(n + i * 3) % 5];
        format!("On day {i} of year {n} the {subject} went to the {place} and back.\n")
    };
    let paragraphs: String = (0..40).map(|i| sentence(i) + if i % 4 == 3 { "\n" } else { "" }).collect();
    format!("TALE NUMBER {}\n\nby Ida Keeper\n\n\nCHAPTER I\n\n{paragraphs}", word(n))
}

fn word(n: usize) -> &'static str {
    ["ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX"][n % 6]
}

/// Lines of the header, up to the credits.
const PREAMBLE: usize = 14;

fn book(n: usize) -> String {
    let title = format!("Tale Number {}", word(n));
    let body = body(n);
    format!(
        "The Project Gutenberg EBook of {title}, by Ida Keeper\n\nMade up for a test: copy it and give it away as you like.\n\n\
         Title: {title}\n\nAuthor: Ida Keeper\n\nRelease Date: May {n}, 2009 [EBook #{n}]\n\nLanguage: English\n\n\
         *** START OF THIS PROJECT GUTENBERG EBOOK {0} ***\nProduced by Tom Reader\n\n\n{body}\n\n\
         End of Project Gutenberg's {title}, by Ida Keeper\n\n*** END OF THIS PROJECT GUTENBERG EBOOK {0} ***\n",
        title.to_uppercase()
    )
}

/// The line that the epilogue begins on.
fn epilogue(text: &str) -> usize {
    1 + text.lines().position(|line| line.starts_with("End of Project Gutenberg")).expect("an end line")
}

fn with_books() -> Env {
    let env = Env::new();
    for n in 0..5 {
        env.write(&format!("books/b{n}.txt"), book(n));
    }
    env
}

/// The cells of a table with tabs, without its head.
fn rows(tsv: &str) -> Vec<Vec<&str>> {
    tsv.lines().skip(1).map(|line| line.split('\t').collect()).collect()
}

#[test]
fn a_table_has_lines_and_confidence() {
    let env = with_books();
    env.run(&["strip", "books", "--explain", "--format", "tsv", "-o", "out.tsv"]).code(0).says(&[
        "learned from 1 different book among 5 and",
        "ships with refrain",
        "tsv: 5 books,",
    ]);
    let tsv = env.read_text("out.tsv");
    assert!(tsv.starts_with("id\tpreamble_end\tepilogue_start\tconfidence\t"), "{tsv}");
    let end = epilogue(&book(0)).to_string();
    for (n, row) in rows(&tsv).iter().enumerate() {
        assert_eq!(row[..3], [&format!("b{n}"), &PREAMBLE.to_string(), &end], "{row:?}");
        assert!(row[3].parse::<f64>().is_ok_and(|confidence| confidence > 0.5), "{row:?}");
    }
}

#[test]
fn a_book_counts_once_as_a_file_and_as_a_document() {
    let env = Env::new();
    let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/books");
    env.run(&["convert", samples, "-o", "books.jsonl"]).code(0);
    env.run(&["strip", samples, "books.jsonl", "--explain"])
        .code(0)
        .says(&["learned from 3 different books among 6 and"]);
}

#[test]
fn bodies_are_the_bytes_between_and_a_report_has_the_rest() {
    let env = with_books();
    env.run(&["strip", "books", "-o", "clean/", "--doubtful", "doubtful.tsv"]).code(0).says(&["wrote clean/: 5 books"]);
    assert_eq!(env.names("clean"), ["b0.txt", "b1.txt", "b2.txt", "b3.txt", "b4.txt", "report.jsonl"]);
    assert_eq!(env.read_text("clean/b3.txt"), format!("\n\n{}\n\n", body(3)));
    let report = env.read_jsonl("clean/report.jsonl");
    assert_eq!(report[2]["id"], "b2");
    assert_eq!(report[2]["file"], "b2.txt");
    assert_eq!(report[2]["facts"]["title"], "Tale Number THREE");
    assert_eq!(report[2]["facts"]["author"], "Ida Keeper");
    assert_eq!(report[2]["facts"]["declared_language"], "English");
    assert_eq!(report[2]["facts"]["release_date"], "May 2, 2009");
    assert_eq!(report[2]["facts"]["ebook"], "2");
    assert_eq!(report[2]["facts"]["credits"], "Produced by Tom Reader");
    assert!(env.read_text("doubtful.tsv").starts_with("id\t"));
    env.run(&["strip", "books", "-o", "clean/"]).code(2).says(&["not empty", "--overwrite"]);
    env.run(&["strip", "books", "-o", "clean/", "--overwrite"]).code(0);
}

#[test]
fn documents_have_the_facts_as_fields() {
    let env = with_books();
    env.write(
        "books/b0.txt",
        book(0).replace("Ida Keeper", "Zo\u{eb} Weir").chars().map(|c| c as u8).collect::<Vec<u8>>(),
    );
    env.run(&["strip", "books", "-o", "out.jsonl"]).code(0);
    let documents = env.read_jsonl("out.jsonl");
    assert_eq!(documents.len(), 5);
    assert_eq!(documents[0]["author"], "Zo\u{eb} Weir");
    let text = documents[0]["text"].as_str().expect("a text");
    assert!(text.starts_with("TALE NUMBER ONE\n\nby Zo\u{eb} Weir") && text.ends_with("and back."), "{text}");
}

#[test]
fn documents_can_keep_preambles_and_epilogues_with_marks() {
    let env = with_books();
    env.run(&["strip", "books", "-o", "marked.jsonl", "--keep-marked"]).code(0);
    let marked = env.read_jsonl("marked.jsonl");
    assert_eq!(marked[1]["text"], book(1));
    let labels: Vec<&Value> = (0..2).map(|n| &marked[1]["marks"][n]["label"]).collect();
    assert_eq!(labels, ["preamble", "epilogue"]);
    env.run(&["convert", "marked.jsonl", "-o", "bodies.jsonl"]).code(0);
    env.run(&["strip", "books", "-o", "stripped.jsonl"]).code(0);
    let texts = |name| env.read_jsonl(name).iter().map(|document| document["text"].clone()).collect::<Vec<_>>();
    assert_eq!(texts("bodies.jsonl"), texts("stripped.jsonl"));
    env.run(&["strip", "books", "-o", "out/", "--keep-marked"]).code(2).says(&["--keep-marked needs"]);
    env.run(&["strip", "books", "-o", "x.jsonl", "--offsets", "bytes"])
        .code(2)
        .says(&["needs --removed or --keep-marked"]);
}

#[test]
fn one_book_is_found_by_what_comes_with_refrain() {
    let env = with_books();
    let done = env.run(&["strip", "books/b1.txt"]).code(0).says(&["one book", "ships with refrain"]);
    assert_eq!(done.text(), format!("\n\n{}\n\n", body(1)));
    env.write("single/b1.txt", book(1));
    let outcome = env.run(&["strip", "single", "--explain", "--format", "jsonl"]).code(0).says(&["ships with refrain"]);
    let rows: Vec<Value> = parse_jsonl(&outcome.stdout);
    assert_eq!(rows[0]["preamble_end"], PREAMBLE);
    let fed = env.run_fed(&["strip", "-"], book(1).as_bytes()).code(0);
    assert_eq!(fed.stdout, done.stdout);
    env.run(&["strip", "books/b1.txt", "-o", "one.txt"]).code(0);
    assert_eq!(env.read("one.txt"), done.stdout);
}

#[test]
fn credits_can_be_kept() {
    let env = with_books();
    let done = env.run(&["strip", "books/b1.txt", "--keep-credits", "--quiet"]).code(0);
    assert!(done.text().starts_with("Produced by Tom Reader\n"), "{}", done.text());
    assert_eq!(done.stderr, "");
}

#[test]
fn a_file_of_nothing_but_boilerplate_is_reported_and_written_whole() {
    let env = with_books();
    let (head, _) =
        book(9).split_once("TALE NUMBER").map(|(head, rest)| (head.to_owned(), rest.to_owned())).expect("a body");
    let all = format!("{head}\n\nEnd of Project Gutenberg's Nothing\n");
    env.write("books/empty.txt", &all);
    env.run(&["strip", "books", "-o", "clean/", "--doubtful", "doubtful.tsv"]).code(0).says(&[
        "found only boilerplate",
        "empty",
        "1 doubtful",
    ]);
    assert_eq!(env.read_text("clean/empty.txt"), all);
    let doubtful = env.read_text("doubtful.tsv");
    assert!(rows(&doubtful)[0][0] == "empty" && doubtful.contains("nothing would remain"), "{doubtful}");
    let worst = env.run(&["strip", "books", "--explain", "--worst", "--format", "tsv"]).code(0);
    assert_eq!(rows(worst.text())[0][0], "empty");
}

#[test]
fn encodings_and_line_ends_keep_their_line_numbers() {
    let env = with_books();
    let text = book(2).replace("Tom Reader", "Zo\u{eb} Reader");
    let crlf = text.replace('\n', "\r\n");
    let utf_16 = |text: &str| -> Vec<u8> {
        "\u{feff}".chars().chain(text.chars()).collect::<String>().encode_utf16().flat_map(u16::to_le_bytes).collect()
    };
    env.write("mixed/lf.txt", &text);
    env.write("mixed/crlf.txt", &crlf);
    env.write("mixed/cr.txt", text.replace('\n', "\r"));
    env.write("mixed/bom.txt", format!("\u{feff}{crlf}"));
    env.write("mixed/latin.txt", crlf.chars().map(|c| c as u8).collect::<Vec<u8>>());
    env.write("mixed/wide.txt", utf_16(&crlf));
    env.run(&["strip", "mixed", "--explain", "--format", "tsv", "-o", "out.tsv"]).code(0);
    let end = epilogue(&text).to_string();
    for row in rows(&env.read_text("out.tsv")) {
        assert_eq!(row[1..3], [&PREAMBLE.to_string(), &end], "{row:?}");
    }
    env.run(&["strip", "mixed", "-o", "clean/"]).code(0);
    let clean = format!("\n\n{}\n\n", body(2));
    assert_eq!(env.read_text("clean/crlf.txt"), clean.replace('\n', "\r\n"));
    assert_eq!(env.read_text("clean/cr.txt"), clean.replace('\n', "\r"));
    assert_eq!(env.read("clean/wide.txt"), utf_16(&clean.replace('\n', "\r\n")));
    assert!(env.read("clean/bom.txt").starts_with("\u{feff}".as_bytes()));
}

#[test]
fn a_binary_file_is_named_and_the_others_are_done() {
    let env = with_books();
    env.write("books/scan.txt", [&b"\x89PNG\r\n\x1a\n"[..], &[0; 500]].concat());
    env.write("books/cover.bin", [0_u8, 1, 2, 3, 255, 254].repeat(99));
    env.run(&["strip", "books", "-o", "clean/", "--errors", "errors.jsonl"]).code(1).says(&[
        "books/scan.txt",
        "books/cover.bin",
        "5 books",
    ]);
    assert_eq!(env.names("clean").len(), 6);
    assert_eq!(env.read_jsonl("errors.jsonl").len(), 2);
    env.write("kept.txt", "a body");
    env.run(&["strip", "books/cover.bin", "-o", "kept.txt"]).code(1);
    assert_eq!(env.read_text("kept.txt"), "a body", "nothing takes the place of something");
}

#[test]
fn where_nothing_can_be_read_nothing_is_left_behind_or_claimed() {
    let env = Env::new();
    env.write("only/cover.bin", [0_u8, 1, 2, 3, 255, 254].repeat(99));
    let done = env.run(&["strip", "only", "-o", "deep/clean/"]).code(1).says(&["cover.bin", "wrote nothing"]);
    assert!(!done.stderr.contains("one book"), "{}", done.stderr);
    assert!(!env.path("deep").exists());
    env.write("single/text.txt", "The only text.\n");
    env.run(&["strip", "single", "-o", "clean/", "--profile", "generic"]).code(2).says(&["at least two texts"]);
    assert!(!env.path("clean").exists());
}

#[test]
fn repeated_texts_have_the_same_result() {
    let env = with_books();
    for n in 0..5 {
        env.write(&format!("books/again/b{n}.txt"), book(n));
    }
    // The same first and last bytes and the same size, and yet another text.
    env.write("books/again/other.txt", book(3).replacen("*** START OF", "*** ABOUT OF", 1));
    env.run(&["strip", "books", "--explain", "-o", "out.tsv"]).code(0);
    let tsv = env.read_text("out.tsv");
    let all = rows(&tsv);
    for n in 0..5 {
        let of = |id: String| all.iter().find(|row| row[0] == id).map(|row| row[1..].to_vec());
        assert_eq!(of(format!("b{n}")), of(format!("again/b{n}")));
    }
    let other = all.iter().find(|row| row[0] == "again/other").expect("a row");
    assert!(other[8].contains("no marker"), "{other:?}");
}

#[test]
fn what_cannot_be_written_shows_before_the_work() {
    let env = with_books();
    for [option, path] in [["--report", "nowhere/r.html"], ["--doubtful", "nowhere/d.tsv"]] {
        env.run(&["strip", "books", "-o", "clean/", option, path]).code(2).says(&[path, "does not exist"]);
    }
    env.run(&["strip", "books", "-o", "clean/", "--doubtful", "-"]).code(2).says(&["--doubtful"]);
    env.run(&["strip", "books", "-o", "clean/", "--save", "same", "--doubtful", "./same"])
        .code(2)
        .says(&["two outputs", "same"]);
    assert!(!env.path("clean").exists());
}

#[test]
fn books_in_archives_and_tables_are_documents() {
    let env = Env::new();
    let books: Vec<(String, String)> = (0..4).map(|n| (format!("b{n}.txt"), book(n))).collect();
    let members: Vec<(&str, &[u8])> = books.iter().map(|(name, text)| (name.as_str(), text.as_bytes())).collect();
    env.write("books.zip", zip(&members, true));
    env.run(&["strip", "books.zip", "--explain", "-o", "out.tsv"]).code(0).says(&["4 books"]);
    let end = epilogue(&book(0)).to_string();
    for (n, row) in rows(&env.read_text("out.tsv")).iter().enumerate() {
        assert_eq!(row[..3], [&format!("books.zip/b{n}"), &PREAMBLE.to_string(), &end]);
    }
    env.run(&["strip", "books.zip", "-o", "clean/"]).code(0);
    assert_eq!(env.read_text("clean/books.zip_b1.txt"), format!("\n\n{}\n\n", body(1)));
    assert_eq!(env.read_jsonl("clean/report.jsonl")[1]["file"], "books.zip_b1.txt");
    let refused = env.run(&["strip", "books.zip"]).code(2).says(&["several books", "folder"]);
    assert_eq!(refused.text(), "", "nothing is written before it is refused");
    env.run(&["strip", "books.zip", "-o", "body.txt"]).code(2);
    env.run(&["strip", "books.zip", "-o", "body"]).code(2).says(&["write body/ for a folder"]);
    assert!(!env.path("body.txt").exists());
    env.run(&["strip", "books.zip", "-o", "clean/", "--overwrite"]).code(0);
    assert_eq!(env.names("clean").len(), 5, "books are replaced, and do not stand beside the old ones");
    env.write("one.zip", zip(&members[..1], true));
    assert_eq!(env.run(&["strip", "one.zip"]).code(0).text(), format!("\n\n{}\n\n", body(0)));
}

#[test]
fn packed_texts_lose_nothing_but_the_packing() {
    let env = with_books();
    let indented = book(1).replace("TALE NUMBER TWO", "     TALE NUMBER TWO");
    env.write("some/plain.txt", &indented);
    env.write("some/packed.txt.gz", gzip(indented.as_bytes()));
    env.write("some/plain.txt.gz", gzip(indented.as_bytes()));
    env.run(&["strip", "some", "-o", "clean/"]).code(0);
    assert_eq!(env.names("clean"), ["packed.txt", "plain-2.txt", "plain.txt", "report.jsonl"]);
    assert_eq!(env.read("clean/packed.txt"), env.read("clean/plain.txt"));
    let mut files: Vec<Value> = env.read_jsonl("clean/report.jsonl").iter().map(|row| row["file"].clone()).collect();
    files.sort_by_key(Value::to_string);
    assert_eq!(files, ["packed.txt", "plain-2.txt", "plain.txt"]);
    env.run(&["strip", "some/packed.txt.gz", "-o", "one.txt"]).code(0);
    assert_eq!(env.read("one.txt"), env.read("clean/plain.txt"));
}

#[test]
fn a_name_must_state_what_is_written() {
    let env = with_books();
    for name in ["all.csv", "clean.unknown"] {
        env.run(&["strip", "books", "-o", name]).code(2).says(&[name, "--format", "/ for a folder"]);
        assert!(!env.path(name).exists());
    }
    for format in [&[][..], &["--format", "text"]] {
        let arguments = [&["strip", "books", "-o", "all.txt"][..], format].concat();
        env.run(&arguments).code(2).says(&["several books", "-o clean/"]);
        assert!(!env.path("all.txt").exists());
    }
    env.run(&["strip", "books", "--explain", "-o", "x.html"]).code(2).says(&["x.html", ".tsv"]);
    env.run(&["strip", "books/b0.txt", "-o", "x.html"]).code(2).says(&["x.html"]);
    env.run(&["strip", "books/b0.txt", "-o", "b0.rst"]).code(0);
    env.run(&["strip", "books", "-o", "clean/"]).code(0);
    assert!(env.path("clean/b4.txt").exists());
}

#[test]
fn evidence_can_be_saved_and_used_again() {
    let env = with_books();
    env.run(&["strip", "books", "--explain", "-o", "one.tsv", "--save", "books.evidence"]).code(0);
    env.run(&["strip", "books", "--explain", "-o", "two.tsv", "--evidence", "books.evidence"]).code(0);
    assert_eq!(rows(&env.read_text("one.tsv"))[0][..3], rows(&env.read_text("two.tsv"))[0][..3]);
    env.run(&["strip", "books", "--explain", "--evidence", "books.evidence", "--profile", "generic"])
        .code(2)
        .says(&["learned with --profile gutenberg"]);
    env.run(&["strip", "books", "--explain", "--evidence", "books/b0.txt"]).code(2).says(&["not evidence"]);
}

/// Sentences that no other text has, in paragraphs.
fn own(n: usize) -> String {
    let word = |seed: usize| -> String {
        let mixed = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (0..7).map(|i| char::from(b'a' + (mixed >> (20 + 5 * i) & 15) as u8)).collect()
    };
    let line = |i: usize| (0..8).map(|at| word((n * 100 + i) * 8 + at)).collect::<Vec<_>>().join(" ");
    (0..30).map(|i| line(i) + if i % 6 == 5 { ".\n\n" } else { "\n" }).collect()
}

#[test]
fn texts_of_any_kind_are_stripped_of_what_they_share() {
    let env = Env::new();
    let top = "Copyright The Example Authors, all rights reserved worldwide.\n\n";
    let imports = "use std::collections::{BTreeMap, HashMap, HashSet};\n\n";
    let bottom = "This report was made for the members of the example society only.\n\
        Whoever is not a member should give it back at the next meeting.\n";
    for n in 0..20 {
        env.write(&format!("sources/s{n}.txt"), format!("{top}{imports}{}{bottom}", own(n)));
    }
    env.run(&["strip", "sources", "--profile", "generic", "-o", "clean/", "--doubtful", "doubtful.tsv"]).code(0);
    for n in 0..20 {
        assert_eq!(env.read_text(&format!("clean/s{n}.txt")), format!("\n{imports}{}", own(n)), "no more, and no less");
    }
    assert_eq!(rows(&env.read_text("doubtful.tsv")).len(), 0);
    env.run(&["strip", "sources/s1.txt", "--profile", "generic"]).code(2).says(&["at least two texts"]);
}

#[test]
fn the_published_method_counts_lines() {
    let env = Env::new();
    for n in 0..12 {
        env.write(&format!("books/b{n:02}.txt"), book(n));
    }
    env.run(&["strip", "books", "--explain", "--method", "paper", "--heuristics", "--e-max", "10", "-o", "out.tsv"])
        .code(0);
    let end = epilogue(&book(0)).to_string();
    let tsv = env.read_text("out.tsv");
    assert!(rows(&tsv).iter().all(|row| row[2] == end && row[3].is_empty()), "{tsv}");
    env.run(&["strip", "books", "--explain", "--k", "3"]).code(2).says(&["--k needs --method paper"]);
    env.run(&["strip", "books", "--explain", "--method", "paper", "--keep-credits"]).code(2).says(&["default method"]);
}

#[test]
fn a_page_shows_the_worst_cases_and_the_figures() {
    let env = with_books();
    env.write("books/odd.txt", "<b>Nothing</b> of the kind stands here.\n\nNor there.\n");
    env.run(&["strip", "books", "-o", "clean/", "--report", "books.html"]).code(0);
    let page = env.read_text("books.html");
    assert!(page.contains("6 texts: 5 with a preamble") && page.contains("Positions of frequent lines"), "{page}");
    assert!(page.contains("&lt;b&gt;Nothing") && !page.contains("<b>Nothing") && !page.contains("://"), "{page}");
    assert!(page.find("<bdi>odd</bdi>") < page.find("<bdi>b0</bdi>"), "the worst first");
    env.run(&["strip", "books", "--explain", "--report", "books/b0.txt"]).code(2);
}

#[test]
fn several_books_need_a_folder() {
    let env = with_books();
    env.run(&["strip", "books"]).code(2).says(&["-o clean/", "--explain"]);
    env.run(&["strip", "books", "--format", "tsv"]).code(2).says(&["--explain"]);
    env.run(&["strip", "nowhere"]).code(2).says(&["nothing to read"]);
}

#[test]
fn any_counter_finds_the_lines_that_books_share() {
    let env = with_books();
    let method = ["--method", "paper", "--k", "2", "--explain", "--format", "tsv", "-o", "out.tsv"];
    for counter in ["exact", "sorted", "crc64", "hashed", "majority"] {
        env.run(&[["strip", "books", "--counter", counter].as_slice(), &method].concat()).code(0);
        let table = env.read_text("out.tsv");
        assert!(rows(&table).iter().all(|row| row[1] == "3"), "{counter}: the shared line of the header\n{table}");
    }
    for (option, value, counter) in
        [("--bits", "20", "hashed"), ("--counters", "9", "majority"), ("--memory", "9M", "sorted")]
    {
        env.run(&[["strip", "books", option, value].as_slice(), &method].concat()).code(2).says(&[counter]);
    }
}
