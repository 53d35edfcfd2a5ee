//! `refrain decode`: files to UTF-8, the encoding they are said to have, and what cannot be read.

mod common;

use std::process::Stdio;

use common::{Env, GOOD, Outcome, decompress_gzip, decompress_zstd, noise, parse_jsonl, words, zip};
use serde_json::{Value, json};

/// Czech in windows-1250, which the page declares.
const CZECH: &[u8] =
    b"<html><head><meta charset=windows-1250></head><body>P\xf8\xedli\x9a \x9elu\x9dou\xe8k\xfd k\xf9\xf2 \
    \xfap\xecl \xef\xe1belsk\xe9 \xf3dy.</body></html>\n";
const CZECH_TEXT: &str =
    "<html><head><meta charset=windows-1250></head><body>Příliš žluťoučký kůň úpěl ďábelské ódy.</body></html>\n";

/// UTF-8 that declares something else.
const WRONG: &str =
    "<html><head><meta charset=iso-8859-2></head><body>Der Wärter grüßt über die Brücke.</body></html>\n";

/// UTF-8 with one byte spoilt.
const SPOILT: &[u8] =
    b"Gr\xc3\xbc\xc3\x9fe von der Br\xc3\xbccke, sch\xc3\xb6n, f\xc3\xbcr \xc3\x84rger m\xc3\xb6glich, \
    T\xc3\xbcr, \xc3\x96l, \xc3\xbcber, M\xc3\xbchle, K\xc3\xa4se, gr\xc3\xbcn, N\xc3\xa4he, sch\xc3\xbctzen, \xff!\n";

fn with_pages() -> Env {
    let env = Env::new();
    env.write("pages/b.html", CZECH);
    env.write("pages/a.txt", GOOD);
    env.write("pages/sub/c.html", WRONG);
    env.write("pages/.hidden", "not read");
    env
}

fn png() -> Vec<u8> {
    [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10\x08\x02\0\0\0".as_slice(), &noise(3000)].concat()
}

fn elf() -> Vec<u8> {
    [b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0\x01\0\0\0".as_slice(), &[0; 200], &noise(3000)].concat()
}

#[track_caller]
fn line_of<'a>(lines: &'a [Value], origin: &str) -> &'a Value {
    lines.iter().find(|line| line["origin"] == origin).unwrap_or_else(|| panic!("no line of {origin}: {lines:?}"))
}

fn fields(line: &Value) -> Vec<&str> {
    line.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[test]
fn a_folder_becomes_a_folder_of_utf8_with_a_report() {
    let env = with_pages();
    let outcome = env.run(&["decode", "pages/", "-o", "utf8/"]).code(0);
    let outcome = outcome.says(&["wrote 3 files and report.jsonl to utf8/", "2 UTF-8", "1 windows-1250"]);
    assert!(outcome.stderr.ends_with("found 3 items: 3 documents, 0 skipped, 0 failed\n"), "{}", outcome.stderr);
    assert_eq!((outcome.text(), outcome.stderr.lines().count()), ("", 2), "{}", outcome.stderr);
    assert_eq!(env.names("utf8"), ["a.txt", "b.html", "report.jsonl", "sub/", "sub/c.html"]);
    assert_eq!(env.read_text("utf8/a.txt"), GOOD);
    assert_eq!(env.read_text("utf8/b.html"), CZECH_TEXT);
    assert_eq!(env.read_text("utf8/sub/c.html"), WRONG, "declarations stay as they are");
    let report = env.read_jsonl("utf8/report.jsonl");
    let origins: Vec<_> = report.iter().map(|line| line["origin"].as_str().expect("a name")).collect();
    assert_eq!(origins, ["pages/a.txt", "pages/b.html", "pages/sub/c.html"]);
    let all = "origin encoding second language confidence declared agrees bytes losses loss_at repair nuls note error";
    assert!(report.iter().all(|line| fields(line).join(" ") == all), "{report:?}");
    let czech = line_of(&report, "pages/b.html");
    assert_eq!((&czech["encoding"], &czech["declared"]), (&json!("windows-1250"), &json!("windows-1250")));
    assert_eq!((&czech["agrees"], &czech["bytes"], &czech["losses"]), (&json!(true), &json!(CZECH.len()), &json!(0)));
    assert_eq!((&czech["repair"], &czech["nuls"], &czech["error"]), (&Value::Null, &Value::Null, &Value::Null));
    let wrong = line_of(&report, "pages/sub/c.html");
    assert_eq!((&wrong["declared"], &wrong["agrees"]), (&json!("ISO-8859-2"), &json!(false)));
    let plain = line_of(&report, "pages/a.txt");
    assert_eq!((&plain["declared"], &plain["agrees"]), (&Value::Null, &Value::Null));
}

#[test]
fn one_file_goes_to_standard_output() {
    let env = with_pages();
    let outcome = env.run(&["decode", "pages/b.html"]).code(0);
    assert_eq!(outcome.text(), CZECH_TEXT);
    assert_eq!(outcome.stderr, "found 1 item: 1 document, 0 skipped, 0 failed\n");
    assert_eq!(env.run_fed(&["decode", "-"], CZECH).code(0).text(), CZECH_TEXT);
    assert_eq!(env.run(&["decode", "pages/b.html", "-o", "-"]).code(0).text(), CZECH_TEXT);
}

#[test]
fn one_file_goes_to_a_file_packed_as_its_name_says() {
    let env = with_pages();
    env.run(&["decode", "pages/b.html", "-o", "b.html"]).code(0).says(&["wrote b.html: 1 windows-1250"]);
    assert_eq!(env.read_text("b.html"), CZECH_TEXT);
    assert_eq!(env.run(&["decode", "pages/b.html", "-o", "b.html.gz", "-q"]).code(0).stderr, "");
    assert_eq!(decompress_gzip(&env.read("b.html.gz")), CZECH_TEXT.as_bytes());
    env.run(&["decode", "pages/b.html", "-o", "one/"]).code(0);
    assert_eq!(env.names("one"), ["b.html", "report.jsonl"]);
}

#[test]
fn several_files_without_a_folder_are_refused_with_the_way_out() {
    let env = with_pages();
    env.run(&["decode", "pages/"]).code(2).says(&["-o utf8/", "--detect"]);
    env.run(&["decode", "pages/a.txt", "pages/b.html"]).code(2).says(&["several files", "-o utf8/"]);
}

#[test]
fn names_are_relative_to_what_all_inputs_have_in_common() {
    let env = with_pages();
    env.write("more/a.txt", GOOD);
    for (output, inputs, names) in [
        ("1/", &["pages", "more"][..], &["more/", "more/a.txt", "pages/", "pages/a.txt", "pages/b.html"][..]),
        ("2/", &["pages/a.txt", "pages/b.html"], &["a.txt", "b.html"]),
        ("3/", &["pages/*.html"], &["b.html"]),
        ("4/", &["./pages/../pages/sub"], &["c.html"]),
        ("5/", &["@list.txt"], &["more/", "more/a.txt", "pages/", "pages/a.txt"]),
    ] {
        env.write("list.txt", "pages/a.txt\nmore/a.txt\n");
        env.run(&[&["decode", "-o", output], inputs].concat()).code(0);
        let written = env.names(output);
        assert!(names.iter().all(|name| written.iter().any(|there| there == name)), "{inputs:?}: {written:?}");
        assert!(written.iter().any(|name| name == "report.jsonl"), "{inputs:?}: {written:?}");
        assert!(!written.iter().any(|name| name.contains("partial")), "{inputs:?}: {written:?}");
    }
    let outcome = env.run_fed(&["decode", "-", "-o", "6/"], CZECH).code(0);
    assert_eq!(env.read_text("6/standard-input.txt"), CZECH_TEXT, "{}", outcome.stderr);
}

#[test]
fn detect_prints_an_aligned_table() {
    let env = with_pages();
    let outcome =
        env.run(&["decode", "--detect", "pages"]).code(0).says(&["2 UTF-8, 1 windows-1250, 1 declared otherwise"]);
    let lines: Vec<&str> = outcome.text().lines().collect();
    assert_eq!(lines[0], "file              encoding        language  confidence  declared");
    let columns: Vec<Vec<&str>> = lines.iter().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(columns[1][..2], ["pages/a.txt", "UTF-8"]);
    assert_eq!(columns[2][..2], ["pages/b.html", "windows-1250"]);
    assert_eq!(columns[1][4..], ["-"]);
    assert_eq!(columns[2][4..], ["windows-1250,", "agrees"]);
    assert_eq!(columns[3][4..], ["ISO-8859-2,", "differs"]);
    let at = lines[0].find("encoding").expect("a column");
    assert!(lines[1..].iter().all(|line| line[at..].starts_with(['U', 'w'])), "{lines:?}");
    assert_eq!(
        env.names(""),
        ["pages/", "pages/.hidden", "pages/a.txt", "pages/b.html", "pages/sub/", "pages/sub/c.html"]
    );
}

#[test]
fn detect_writes_one_line_a_file() {
    let env = with_pages();
    env.run(&["decode", "--detect", "pages", "--format", "jsonl", "-o", "out.jsonl"]).code(0).says(&["out.jsonl"]);
    let lines = env.read_jsonl("out.jsonl");
    assert_eq!(fields(&lines[0])[..5], ["origin", "encoding", "second", "language", "confidence"]);
    let origins: Vec<_> = lines.iter().map(|line| line["origin"].as_str().expect("a name")).collect();
    assert_eq!(origins, ["pages/a.txt", "pages/b.html", "pages/sub/c.html"]);
    assert_eq!(lines[1]["encoding"], "windows-1250");
    assert_eq!((&lines[0]["declared"], &lines[1]["declared"]), (&Value::Null, &json!("windows-1250")));
    assert!(lines.iter().all(|line| line["confidence"].as_f64().is_some_and(|c| (0.0..=1.0).contains(&c))));
    let plain = env.read("out.jsonl");
    env.run(&["decode", "--detect", "pages", "-o", "out.jsonl.zst"]).code(0);
    assert_eq!(decompress_zstd(&env.read("out.jsonl.zst")), plain);
    env.run(&["decode", "--detect", "pages", "-o", "out.jsonl.gz"]).code(0);
    assert_eq!(decompress_gzip(&env.read("out.jsonl.gz")), plain);
    assert_eq!(env.run(&["decode", "--detect", "pages", "--format", "jsonl"]).code(0).stdout, plain);
    env.run(&["decode", "--detect", "pages", "-o", "out.txt"]).code(0);
    assert!(env.read_text("out.txt").starts_with("file "));
    env.run(&["decode", "--detect", "pages", "-o", "out.csv"]).code(2).says(&["out.csv", ".jsonl", "--format"]);
    env.run(&["decode", "--detect", "pages", "-o", "new/"]).code(2).says(&["new/ is a folder", "name a file"]);
}

#[test]
fn the_language_and_a_sample_can_be_given() {
    let env = with_pages();
    env.run(&["decode", "--detect", "pages", "--assume-lang", "cs", "--format", "jsonl", "-o", "out.jsonl"]).code(0);
    assert_eq!(line_of(&env.read_jsonl("out.jsonl"), "pages/b.html")["encoding"], "windows-1250");
    env.run(&["decode", "--assume-lang", "CS", "pages", "-o", "utf8/"]).code(0);
    assert_eq!(env.read_text("utf8/b.html"), CZECH_TEXT);
    for code in ["zh", "zh-hans", "zh-hant"] {
        env.run(&["decode", "--detect", "--assume-lang", code, "pages/a.txt"]).code(0);
    }
    env.run(&["decode", "--detect", "--sample", "64K", "pages"]).code(0);
    env.run(&["decode", "--detect", "--sample", "0", "pages"]).code(2).says(&["--sample", "64M"]);
}

#[test]
fn an_unknown_language_is_refused_with_the_valid_ones() {
    let env = with_pages();
    env.run(&["decode", "--assume-lang", "xx", "pages/a.txt"]).code(2).says(&["`xx`", "cs, ", "zh-hans, zh-hant"]);
    env.run(&["decode", "--assume-lang", "hy", "pages/a.txt"]).code(2).says(&["no encoding but UTF-8", "`hy`"]);
    env.run(&["decode", "--assume-lang", "cs,de", "pages/a.txt"]).code(2).says(&["one code"]);
}

#[test]
fn only_texts_in_the_languages_asked_for_are_written() {
    let env = with_pages();
    let german = "Der Wärter grüßt über die Brücke, und am Abend zündet er die Lampe im Turm über dem Hafen an.";
    env.write(
        "pages/a.txt",
        "The lighthouse has stood on the cliff above the harbour for more than a hundred years now.",
    );
    env.write("pages/d.txt", german);
    env.write("pages/e.txt", "Ahoi");
    env.run(&["decode", "pages", "-o", "utf8/", "--lang", "de,CS"]).code(0).says(&["1 foreign, skipped"]);
    let report = env.read_jsonl("utf8/report.jsonl");
    assert_eq!(line_of(&report, "pages/a.txt")["note"], "foreign", "English");
    assert_eq!(line_of(&report, "pages/d.txt")["note"], Value::Null);
    assert_eq!(line_of(&report, "pages/e.txt")["note"], "language not clear");
    assert!(!env.path("utf8/a.txt").exists() && env.path("utf8/e.txt").exists());
    assert_eq!(env.read_text("utf8/d.txt"), german);
    env.run(&["decode", "pages", "-o", "x/", "--lang", "xx"]).code(2).says(&["`xx`"]);
    assert!(!env.path("x").exists());
    env.run(&["decode", "--detect", "pages", "--lang", "de"]).code(2).says(&["--lang", "texts that are written"]);
}

#[test]
fn the_result_does_not_depend_on_threads() {
    let env = Env::new();
    for n in 0..600 {
        env.write(&format!("in/{n:03}.txt"), words(20, n));
    }
    let lines = |threads: &str| {
        let outcome = env.run(&["decode", "--detect", "in", "--format", "jsonl", "--threads", threads]).code(0);
        let origins: Vec<String> = parse_jsonl(&outcome.stdout).iter().map(|line| line["origin"].to_string()).collect();
        assert!(origins.is_sorted() && origins.len() == 600);
        outcome.stdout
    };
    assert_eq!(lines("1"), lines("4"));
}

#[test]
fn binary_files_are_failures_that_name_the_file() {
    let env = Env::with_good_document();
    let archive = zip(&[("a.txt", words(500, 1).as_bytes()), ("b.txt", words(500, 2).as_bytes())], true);
    for (name, content) in [("picture.png", png()), ("texts.zip", archive), ("program", elf())] {
        env.write(&format!("in/{name}"), content);
        env.write("in/good.txt", GOOD);
    }
    let outcome = env.run(&["decode", "in", "-o", "utf8/", "--errors", "errors.jsonl"]).code(1);
    assert_eq!(env.names("utf8"), ["good.txt", "report.jsonl"]);
    assert_eq!(env.read_jsonl("errors.jsonl").len(), 3);
    let outcome = outcome.says(&["in/picture.png", "in/texts.zip", "in/program", "is not text", "wrote 1 file "]);
    assert_eq!(outcome.stderr.matches("is not text").count(), 3, "{}", outcome.stderr);
    env.run(&["decode", "in/picture.png"]).code(1).says(&["in/picture.png", "is not text"]);
    env.run(&["decode", "in/picture.png", "-o", "out.txt"]).code(1).says(&["is not text"]);
    assert!(!env.path("out.txt").exists(), "no file for what is no text");
    let table = env.run(&["decode", "--detect", "in"]).code(1);
    assert_eq!(table.text().matches("is not text").count(), 3, "{}", table.text());
}

#[test]
fn binary_files_have_a_line_that_says_so() {
    let env = Env::new();
    env.write("in/picture.png", png());
    env.write("in/good.txt", GOOD);
    env.run(&["decode", "--detect", "in", "--format", "jsonl", "-o", "out.jsonl"]).code(1).says(&["in/picture.png"]);
    let lines = env.read_jsonl("out.jsonl");
    assert_eq!(lines.len(), 2);
    let picture = line_of(&lines, "in/picture.png");
    assert_eq!((&picture["encoding"], &picture["confidence"]), (&Value::Null, &json!(0.0)));
    assert!(picture["error"].as_str().is_some_and(|error| error.contains("is not text")), "{picture}");
    assert_eq!(line_of(&lines, "in/good.txt")["error"], Value::Null);
}

#[test]
fn an_empty_file_is_empty_and_no_failure() {
    let env = Env::new();
    env.write("in/empty.html", "");
    env.write("in/good.txt", GOOD);
    let outcome = env.run(&["decode", "--detect", "in", "--format", "jsonl"]).code(0).says(&["1 empty"]);
    let lines = parse_jsonl(&outcome.stdout);
    let empty = line_of(&lines, "in/empty.html");
    assert_eq!((&empty["encoding"], &empty["confidence"]), (&Value::Null, &json!(0.0)));
    assert_eq!((&empty["note"], &empty["error"], &empty["language"]), (&json!("empty"), &Value::Null, &Value::Null));
    let table = env.run(&["decode", "--detect", "in/empty.html"]).code(0);
    assert!(table.text().contains("empty "), "{}", table.text());
    env.run(&["decode", "in", "-o", "utf8/"]).code(0);
    assert_eq!(env.read_text("utf8/empty.html"), "");
    assert_eq!(line_of(&env.read_jsonl("utf8/report.jsonl"), "in/empty.html")["note"], "empty");
    assert_eq!(env.run(&["decode", "in/empty.html"]).code(0).text(), "");
}

#[test]
fn bytes_that_fit_nothing_are_kept_as_marks_and_counted() {
    let env = Env::new();
    env.write("in/spoilt.txt", SPOILT);
    let outcome = env.run(&["decode", "in", "-o", "utf8/"]).code(0).says(&["U+FFFD (1), in 1 file"]);
    let text = env.read_text("utf8/spoilt.txt");
    assert!(text.starts_with("Grüße") && text.ends_with(", \u{fffd}!\n"), "{text}: {}", outcome.stderr);
    let report = env.read_jsonl("utf8/report.jsonl");
    assert_eq!((&report[0]["encoding"], &report[0]["losses"]), (&json!("UTF-8"), &json!(1)));
    assert_eq!(report[0]["loss_at"], json!([text.find('\u{fffd}')]));
    let outcome = env.run(&["decode", "in/spoilt.txt"]).code(0).says(&["note: ", "U+FFFD (1)"]);
    assert_eq!(outcome.text(), text);
    assert_eq!(env.run(&["decode", "in/spoilt.txt", "--quiet"]).code(0).stderr, "");
}

#[test]
fn of_many_losses_the_first_ten_places_are_reported() {
    let env = Env::new();
    env.write("in/spoilt.txt", SPOILT.repeat(25));
    env.run(&["decode", "in", "-o", "utf8/"]).code(0).says(&["U+FFFD (25), in 1 file"]);
    let (text, report) = (env.read_text("utf8/spoilt.txt"), env.read_jsonl("utf8/report.jsonl"));
    let places: Vec<usize> = text.match_indices('\u{fffd}').map(|(at, _)| at).take(10).collect();
    assert_eq!((&report[0]["losses"], &report[0]["loss_at"]), (&json!(25), &json!(places)));
}

#[test]
fn nul_characters_are_reported() {
    let env = Env::new();
    env.write("in/nul.txt", format!("{GOOD}\0{GOOD}"));
    env.run(&["decode", "in", "-o", "utf8/"]).code(0).says(&["NUL", "in 1 file"]);
    let report = env.read_jsonl("utf8/report.jsonl");
    assert_eq!(report[0]["nuls"], json!({"at": GOOD.len(), "count": 1}));
    assert_eq!(env.read_text("utf8/nul.txt"), format!("{GOOD}\u{fffd}{GOOD}"));
}

#[test]
fn every_file_is_one_text_and_nothing_is_decompressed() {
    let env = Env::new();
    let lines = "{\"text\": \"One.\"}\n{\"text\": \"Two.\"}\n";
    env.write("in/notes.jsonl", lines);
    env.write("in/notes.jsonl.gz", common::gzip(lines.repeat(200).as_bytes()));
    env.run(&["decode", "in", "-o", "utf8/"]).code(1).says(&["in/notes.jsonl.gz", "is not text"]);
    assert_eq!(env.read_text("utf8/notes.jsonl"), lines);
    assert_eq!(env.read_jsonl("utf8/report.jsonl").len(), 2);
}

#[test]
fn missing_files_fail_and_good_ones_are_decoded() {
    let env = with_pages();
    env.run(&["decode", "missing.html"]).code(2).says(&["missing.html", "no such file"]);
    env.run(&["decode", "missing/*.html", "-o", "utf8/"]).code(2).says(&["missing/*.html", "no file matches"]);
    assert!(!env.path("utf8").exists());
    env.run(&["decode", "pages/b.html", "missing.html", "-o", "utf8/"]).code(1).says(&["missing.html", "no such file"]);
    assert_eq!(env.read_text("utf8/b.html"), CZECH_TEXT);
    let outcome = env.run(&["decode", "--detect", "pages/b.html", "missing.html", "--format", "jsonl"]).code(1);
    let lines = parse_jsonl(&outcome.stdout);
    assert_eq!(line_of(&lines, "missing.html")["error"], "no such file");
    assert_eq!(line_of(&lines, "pages/b.html")["encoding"], "windows-1250");
}

#[cfg(target_os = "linux")]
#[test]
fn unreadable_files_fail_and_good_ones_are_decoded() {
    use std::os::unix::fs::PermissionsExt;
    let env = with_pages();
    env.write("pages/locked.txt", GOOD);
    std::fs::set_permissions(env.path("pages/locked.txt"), PermissionsExt::from_mode(0o000)).expect("permissions");
    // Nothing is locked for the administrator.
    if std::fs::File::open(env.path("pages/locked.txt")).is_err() {
        env.run(&["decode", "pages", "-o", "utf8/"]).code(1).says(&["pages/locked.txt", "permission denied"]);
        assert_eq!(env.read_text("utf8/b.html"), CZECH_TEXT);
    }
    // A file that can be opened, and not be read.
    let outcome = env.run(&["decode", "--detect", "pages/b.html", "/proc/self/mem", "--format", "jsonl"]).code(1);
    let lines = parse_jsonl(&outcome.stdout);
    assert!(line_of(&lines, "/proc/self/mem")["error"].is_string(), "{lines:?}");
    assert_eq!(line_of(&lines, "pages/b.html")["error"], Value::Null);
}

#[test]
fn too_large_a_file_fails_with_the_way_out() {
    let env = with_pages();
    env.write("pages/large.txt", words(2000, 1));
    let outcome = env.run(&["decode", "pages", "-o", "utf8/", "--max-document", "8K"]).code(1);
    outcome.says(&["pages/large.txt", "larger than 8192 bytes", "--max-document"]);
    assert!(!env.path("utf8/large.txt").exists());
    assert_eq!(env.read_text("utf8/b.html"), CZECH_TEXT);
}

#[test]
fn an_output_folder_inside_the_input_is_not_read() {
    let env = with_pages();
    for overwrite in [&[][..], &["--overwrite"]] {
        env.run(&[&["decode", "pages", "-o", "pages/utf8/"], overwrite].concat()).code(0).says(&["wrote 3 files"]);
        assert_eq!(env.names("pages/utf8"), ["a.txt", "b.html", "report.jsonl", "sub/", "sub/c.html"]);
    }
    env.run(&["decode", "pages", "-o", "pages"]).code(2).says(&["pages", "is inside the output"]);
    assert_eq!(env.read("pages/b.html"), CZECH, "no input is written over");
}

#[test]
fn a_full_folder_needs_leave_to_be_written_to() {
    let env = with_pages();
    env.write("utf8/a.txt", "older");
    env.write("utf8/other.txt", "other");
    env.run(&["decode", "pages", "-o", "utf8/"]).code(2).says(&["utf8/ is not empty", "--overwrite"]);
    assert_eq!(env.read_text("utf8/a.txt"), "older");
    env.run(&["decode", "pages", "-o", "utf8/", "--overwrite"]).code(0);
    assert_eq!((env.read_text("utf8/a.txt").as_str(), env.read_text("utf8/other.txt").as_str()), (GOOD, "other"));
}

#[cfg(unix)]
#[test]
fn a_link_in_the_output_is_replaced_and_not_followed() {
    let env = with_pages();
    std::fs::create_dir(env.path("utf8")).expect("a folder");
    std::os::unix::fs::symlink(env.path("pages/b.html"), env.path("utf8/b.html")).expect("a link");
    env.run(&["decode", "pages", "-o", "utf8/", "--overwrite"]).code(0);
    assert_eq!(env.read("pages/b.html"), CZECH);
    assert_eq!(env.read_text("utf8/b.html"), CZECH_TEXT);
}

#[test]
fn outputs_that_cannot_be_are_refused_with_a_reason() {
    let env = with_pages();
    env.write("there.txt", "older");
    env.run(&["decode", "pages", "-o", "there.txt"])
        .code(2)
        .says(&["there.txt is the name of a file", "need a folder"]);
    env.run(&["decode", "pages", "-o", "there.txt/"]).code(2).says(&["there.txt is a file"]);
    env.run(&["decode", "pages/b.html", "-o", "pages/b.html"]).code(2).says(&["both an input and the output"]);
    env.run(&["decode", "pages/b.html", "-o", "nowhere/b.html"]).code(2).says(&["the folder nowhere does not exist"]);
    assert_eq!(env.read_text("there.txt"), "older");
    assert_eq!(env.read("pages/b.html"), CZECH);
    for name in ["x.png", "x.csv", "x.jsonl", "x.html.zip"] {
        env.run(&["decode", "pages/b.html", "-o", name]).code(2).says(&[name, ".txt or .html", ".gz or .zst"]);
        assert!(!env.path(name).exists(), "{name}");
    }
    env.run(&["decode", "pages/b.html", "-o", "x"]).code(2).says(&["such as .txt"]);
    env.run(&["decode", "pages/b.html", "-o", "x.html"]).code(0);
    env.run(&["decode", "pages/b.html", "-o", "x.txt.zst"]).code(0);
    env.run(&["decode", "pages/b.html", "-o", "there.txt"]).code(0);
    assert_eq!(env.read_text("there.txt"), CZECH_TEXT, "an older file is replaced, as by other verbs");
}

#[test]
fn options_that_would_do_nothing_are_refused() {
    let env = with_pages();
    env.run(&["decode", "pages", "-o", "utf8/", "--format", "jsonl"]).code(2).says(&["--format", "--detect"]);
    env.run(&["decode", "pages/a.txt", "--overwrite"]).code(2).says(&["--overwrite", "needs a folder"]);
    env.run(&["decode", "--detect", "pages/a.txt", "--overwrite"]).code(2).says(&["--overwrite"]);
    assert!(!env.path("utf8").exists());
}

#[test]
fn a_file_called_like_the_report_fails_and_is_not_lost_in_silence() {
    let env = with_pages();
    env.write("pages/report.jsonl", "{}\n");
    let outcome = env.run(&["decode", "pages", "-o", "utf8/"]).code(1);
    outcome.says(&["pages/report.jsonl", "would overwrite the report", "rename it"]);
    assert_eq!(env.read_jsonl("utf8/report.jsonl").len(), 4);
}

#[test]
fn a_closed_pipe_ends_the_work_without_an_error() {
    let env = Env::new();
    env.write("big.txt", format!("{}\n", words(10, 3)).repeat(50_000));
    let outcome = env.run_with_closed_pipe(&["decode", "big.txt"], 1);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    for n in 0..3000 {
        env.write(&format!("in/{n:04}-{}.txt", "x".repeat(120)), "Text.");
    }
    for format in ["text", "jsonl"] {
        let outcome = env.run_with_closed_pipe(&["decode", "--detect", "in", "--format", format], 1);
        assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""), "{format}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_exits_with_130_and_leaves_no_report() {
    let env = with_pages();
    let mut command = env.command(&["decode", "pages/b.html", "-", "pages/sub", "-o", "utf8/", "--threads", "1"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("refrain starts");
    let stdin = child.stdin.take().expect("its standard input");
    // The first file is written; then it waits for standard input.
    while !env.path("utf8/b.html").exists() && !env.path("utf8/pages/b.html").exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill").success());
    std::thread::sleep(std::time::Duration::from_millis(200));
    drop(stdin);
    let outcome = Outcome::of(child.wait_with_output().expect("refrain ends")).code(130);
    outcome.says(&["interrupted", "utf8/", "--overwrite"]);
    assert!(!env.names("utf8").iter().any(|name| name.contains("report")), "{:?}", env.names("utf8"));
}

#[test]
fn the_file_of_errors_may_lie_in_the_output_folder() {
    let env = with_pages();
    env.write("pages/picture.png", png());
    std::fs::create_dir(env.path("utf8")).expect("a folder");
    env.run(&["decode", "pages", "-o", "utf8/", "--errors", "utf8/errors.jsonl"]).code(1);
    assert_eq!(env.read_jsonl("utf8/errors.jsonl").len(), 1);
}

/// Sentences enough for a model.
fn czech_sentences() -> String {
    let words = ["příliš", "žluťoučký", "kůň", "úpěl", "ďábelské", "ódy", "šťastně", "řeka", "teče", "přes", "území"];
    let word = |i: usize, j: usize| words[(i * 7 + j * j * (i + 3)) % words.len()];
    let sentence = |i: usize| (0..9).map(|j| word(i, j)).collect::<Vec<_>>().join(" ");
    (0..400).map(|i| sentence(i) + ".\n").collect()
}

#[test]
fn a_model_of_ones_own_detects_encodings() {
    let env = Env::new();
    env.write("czech.txt", czech_sentences());
    let train = ["decode", "--train", "czech.txt", "--encodings", "windows-1250,iso-8859-2", "-o", "czech.model"];
    env.run(&train).code(0).says(&["wrote czech.model", "windows-1250, iso-8859-2"]);
    env.write("page.txt", b"\xbelu\xbbou\xe8k\xfd k\xf9\xf2");
    let found = env.run(&["decode", "--model", "czech.model", "page.txt"]).code(0);
    assert_eq!(found.text(), "žluťoučký kůň");
    env.write("czech.model", "something else");
    env.run(&["decode", "--model", "czech.model", "page.txt"]).code(2).says(&["czech.model is not a model"]);
    env.run(&["decode", "--train", "czech.txt", "-o", "x.model"]).code(2).says(&["--encodings"]);
}

#[test]
fn texts_that_make_no_model_are_refused_with_the_reason() {
    let env = Env::new();
    env.write("short.txt", "Málo textu.");
    env.write("czech.txt", czech_sentences());
    env.write("latin2.txt", b"\xbelu\xbbou\xe8k\xfd");
    let train =
        |text: &str, encodings: &str| env.run(&["decode", "--train", text, "--encodings", encodings, "-o", "x.model"]);
    train("short.txt", "windows-1250").code(2).says(&["short.txt", "at least 10000 bytes"]);
    train("czech.txt", "windows-1251").code(2).says(&["windows-1251", "cannot express", "ř"]);
    train("czech.txt", "klingon").code(2).says(&["klingon"]);
    train("latin2.txt", "windows-1250").code(2).says(&["latin2.txt", "UTF-8"]);
    assert!(!env.path("x.model").exists());
}

#[test]
fn the_published_method_needs_a_language() {
    let env = Env::new();
    env.write("page.html", CZECH);
    let published =
        |more: &[&str]| env.run(&[&["decode", "--detect", "--method", "published", "page.html"], more].concat());
    published(&[]).code(2).says(&["needs a language"]);
    published(&["--assume-lang", "hy"]).code(2).says(&["no encoding but UTF-8", "hy"]);
    assert!(published(&["--assume-lang", "cs"]).code(0).text().contains("windows-1250"));
}

#[test]
fn short_lines_of_chinese_and_files_without_marks_are_read_as_they_are() {
    let env = Env::new();
    // GBK; the first line is valid as UTF-8.
    let notice = b"\xcd\xa8\xd6\xaa\n\xb8\xf7\xce\xbb\xcd\xac\xca\xc2\xa3\xba\xbd\xf1\xcc\xec\xcf\xc2\xce\xe7\xc8\xfd\xb5\xe3\xd4\xda\
        \xbb\xe1\xd2\xe9\xca\xd2\xd5\xd9\xbf\xaa\xc8\xab\xcc\xe5\xbb\xe1\xd2\xe9\xa1\xa3\n";
    env.write("in/notice.txt", notice);
    let japanese = "吾輩は猫である。名前はまだ無い。どこで生れたか頓と見当がつかぬ。\n";
    env.write("in/utf16.txt", japanese.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
    env.write("in/short.txt", "Ahoi");
    env.run(&["decode", "in", "-o", "utf8/"]).code(0);
    assert_eq!(env.read_text("utf8/notice.txt"), "通知\n各位同事：今天下午三点在会议室召开全体会议。\n");
    assert_eq!(env.read_text("utf8/utf16.txt"), japanese);
    let report = env.read_jsonl("utf8/report.jsonl");
    assert_eq!(line_of(&report, "in/notice.txt")["repair"], Value::Null);
    let utf16 = line_of(&report, "in/utf16.txt");
    assert_eq!((&utf16["encoding"], &utf16["language"]), (&json!("UTF-16LE"), &json!("ja")));
    assert_eq!(line_of(&report, "in/short.txt")["language"], Value::Null, "too short to decide");
}

#[test]
fn marks_of_the_file_are_no_losses() {
    let env = Env::new();
    env.write("in/marks.txt", [SPOILT, "\u{fffd}\u{fffd}\n".as_bytes()].concat());
    env.run(&["decode", "in", "-o", "utf8/"]).code(0).says(&["U+FFFD (1), in 1 file"]);
    assert_eq!(env.read_jsonl("utf8/report.jsonl")[0]["losses"], 1);
}

#[test]
fn text_that_was_encoded_twice_is_set_right_behind_a_mark() {
    let env = Env::new();
    let line = "Der Wärter grüßt über die Brücke, und am Abend zündet er die Lampe an.\n";
    let twice: String = line.replace('ä', "Ã¤").replace('ü', "Ã¼").replace('ß', "ÃŸ");
    env.write("in/a.txt", format!("\u{feff}{twice}"));
    env.run(&["decode", "in", "-o", "utf8/"]).code(0);
    assert_eq!(env.read_text("utf8/a.txt"), line);
    let report = env.read_jsonl("utf8/report.jsonl");
    assert_eq!(report[0]["repair"], json!({"double_encoded": {"through": "windows-1252"}}));
    assert_eq!(report[0]["language"], "de");
}

#[test]
fn noise_behind_a_mark_is_a_failure() {
    let env = Env::new();
    env.write("noise.bin", [b"\xff\xfe".as_slice(), &noise(4000)].concat());
    env.run(&["decode", "--detect", "noise.bin"]).code(1).says(&["noise.bin", "is not text"]);
}

#[test]
fn a_stated_encoding_is_used_for_all_files() {
    let env = Env::new();
    env.write("dos/a.txt", b"Gr\x81\xe1e aus K\x94ln\r\n".as_slice());
    env.write("dos/b.txt", b"plain\n".as_slice());
    env.run(&["decode", "--from", "cp850", "dos/", "-o", "utf8/"]).code(0).says(&["wrote 2 files", "2 IBM850"]);
    assert_eq!(env.read_text("utf8/a.txt"), "Gr\u{fc}\u{df}e aus K\u{f6}ln\r\n");
    let unknown = env.run(&["decode", "--from", "cp1", "dos/", "-o", "other/"]).code(2);
    unknown.says(&["unknown encoding `cp1`", "IBM437, IBM850", "--from"]);
    for option in [&["--assume-lang", "de"][..], &["--sample", "1K"], &["--detect"]] {
        env.run(&[&["decode", "--from", "cp850", "dos/a.txt"][..], option].concat()).code(2).says(&["--from"]);
    }
}

#[test]
fn an_uncertain_encoding_is_noted_with_two_guesses() {
    let env = Env::new();
    // EBCDIC: in no encoding that can be detected.
    let ebcdic =
        b"\xe3\x88\x85\x40\x93\x81\x94\x97\x40\x89\xa2\x40\x93\x89\xa3\x40\x81\xa3\x40\x84\xa4\xa2\x92\x4b".repeat(3);
    env.write("odd.txt", ebcdic);
    env.write("even.txt", "plain");
    let outcome = env.run(&["decode", "--detect", "odd.txt", "even.txt", "-o", "found.jsonl"]).code(0);
    outcome.says(&["note: odd.txt: the encoding is uncertain: ", " or ", "--from"]);
    let lines = env.read_jsonl("found.jsonl");
    let odd = line_of(&lines, "odd.txt");
    assert!(odd["second"].is_string() && odd["second"] != odd["encoding"], "{odd}");
    assert!(odd["note"] == "encoding not clear" && odd["confidence"].as_f64() < Some(0.5), "{odd}");
    assert_eq!(line_of(&lines, "even.txt")["note"], Value::Null);
}
