//! `refrain convert`: every output format, and the way there and back.

mod common;

use common::{Env, GOOD, decompress_gzip, decompress_zstd, parse_jsonl, read_parquet, sample, text_of, words};
use serde_json::{Value, json};

const LINES: &str = "{\"id\":\"1\",\"text\":\"One day.\\n\\nOne night.\"}\n{\"id\":\"2\",\"text\":\"Two.\"}\n";
const TEXT: &str = "One day.\n\nOne night.\n\nTwo.\n";
const VERTICAL: &str = "<doc id=\"1\" origin=\"in.jsonl\">\n<p>\nOne\nday\n<g/>\n.\n</p>\n<p>\nOne\nnight\n<g/>\n.\n</p>\n</doc>\n\
    <doc id=\"2\" origin=\"in.jsonl\">\n<p>\nTwo\n<g/>\n.\n</p>\n</doc>\n";
const JSONL: &str = "{\"id\":\"1\",\"origin\":\"in.jsonl\",\"text\":\"One day.\\n\\nOne night.\"}\n\
    {\"id\":\"2\",\"origin\":\"in.jsonl\",\"text\":\"Two.\"}\n";

fn with_lines() -> Env {
    let env = Env::new();
    env.write("in.jsonl", LINES);
    env
}

#[test]
fn the_name_of_the_output_decides_format_and_compression() {
    let env = with_lines();
    for (name, expected) in [
        ("out.txt", TEXT),
        ("out.text", TEXT),
        ("out.jsonl", JSONL),
        ("out.ndjson", JSONL),
        ("out.vert", VERTICAL),
        ("out.vertical", VERTICAL),
        ("OUT.TXT", TEXT),
    ] {
        env.run(&["convert", "in.jsonl", "-o", name]).code(0).says(&["2 documents", name]);
        assert_eq!(env.read_text(name), expected, "{name}");
    }
    for (name, expected) in [("out.txt.gz", TEXT), ("out.jsonl.gz", JSONL), ("out.vert.gz", VERTICAL)] {
        env.run(&["convert", "in.jsonl", "-o", name]).code(0);
        assert_eq!(String::from_utf8_lossy(&decompress_gzip(&env.read(name))), expected, "{name}");
    }
    for (name, expected) in [("out.txt.zst", TEXT), ("out.jsonl.zst", JSONL), ("out.vert.zst", VERTICAL)] {
        env.run(&["convert", "in.jsonl", "-o", name]).code(0);
        assert_eq!(String::from_utf8_lossy(&decompress_zstd(&env.read(name))), expected, "{name}");
    }
    env.run(&["convert", "in.jsonl", "-o", "out.parquet"]).code(0);
    let (columns, rows) = read_parquet(&env.path("out.parquet"));
    assert_eq!(columns, ["id", "url", "language", "encoding", "origin", "words", "text", "meta"]);
    let texts: Vec<_> = rows.iter().map(|row| row[6].as_deref()).collect();
    assert_eq!(texts, [Some("One day.\n\nOne night."), Some("Two.")]);
    let words: Vec<_> = rows.iter().map(|row| row[5].as_deref()).collect();
    assert_eq!(words, [Some("4"), Some("1")]);
    let leftovers = env.names("").into_iter().filter(|name| name.contains("partial")).collect::<Vec<_>>();
    assert!(leftovers.is_empty(), "{leftovers:?}");
}

#[test]
fn the_format_option_works_on_standard_output_and_goes_before_the_name() {
    let env = with_lines();
    for (format, expected) in [("text", TEXT), ("jsonl", JSONL), ("vertical", VERTICAL)] {
        let outcome = env.run(&["convert", "in.jsonl", "--format", format]).code(0);
        assert_eq!(outcome.text(), expected, "{format}");
        assert_eq!(outcome.stderr, "found 2 items: 2 documents, 0 skipped, 0 failed\n", "{format}");
        let packed = env.run(&["convert", "in.jsonl", "--format", &format!("{format}.gz")]).code(0);
        assert_eq!(String::from_utf8_lossy(&decompress_gzip(&packed.stdout)), expected, "{format}.gz");
        let packed = env.run(&["convert", "in.jsonl", "--format", &format!("{format}.zst")]).code(0);
        assert_eq!(String::from_utf8_lossy(&decompress_zstd(&packed.stdout)), expected, "{format}.zst");
        env.run(&["convert", "in.jsonl", "--format", format, "-o", "out.anything"]).code(0);
        assert_eq!(env.read_text("out.anything"), expected, "{format}");
    }
    let table = env.run(&["convert", "in.jsonl", "--format", "parquet"]).code(0);
    env.write("table", table.stdout);
    assert_eq!(read_parquet(&env.path("table")).1.len(), 2);
}

#[test]
fn fields_of_json_lines_arrive_one_line_a_document_in_order() {
    let env = Env::new();
    let lines: Vec<Value> = (0..2000)
        .map(|n| {
            json!({"id": format!("d{n}"), "url": format!("https://a.example/{n}"), "language": "en", "text": words(5, n),
            "tags": ["x", n], "nested": {"deep": [null, true, 0.5]}, "größe": "ü\u{1f600}\n\"", "empty": ""})
        })
        .collect();
    let input: String = lines.iter().map(|line| line.to_string() + "\n").collect();
    env.write("in.jsonl", input);
    let converted = env.convert(&["in.jsonl", "--threads", "4"]);
    assert_eq!(converted.outcome.code, 0);
    assert_eq!(converted.documents.len(), lines.len());
    for (mut document, line) in converted.documents.into_iter().zip(lines) {
        let fields = document.as_object_mut().expect("an object");
        assert_eq!(fields.remove("origin"), Some(json!("in.jsonl")));
        assert_eq!(document, line);
    }
}

#[test]
fn no_field_of_the_source_is_lost() {
    let env = Env::new();
    let line = json!({"id": "1", "text": GOOD, "words": ["keeper", "lamp"], "title": "Dusk", "encoding": "latin1",
        "language": "English", "meta": {"a": 1}, "part": 2});
    env.write("in.jsonl", format!("{line}\n"));
    let converted = env.convert(&["in.jsonl"]);
    for (name, value) in line.as_object().expect("an object") {
        assert_eq!(&converted.documents[0][name], value, "{name}");
    }
}

#[test]
fn a_field_that_has_the_name_of_the_text_or_the_id_is_not_lost() {
    let env = Env::new();
    env.write("in.jsonl", format!("{}\n", json!({"key": "k", "body": GOOD, "id": 7, "text": "A summary."})));
    let converted = env.convert(&["in.jsonl", "--text-field", "body", "--id-field", "key"]);
    assert_eq!((converted.ids(), converted.texts()), (vec!["k"], vec![GOOD]));
    assert_eq!(converted.documents[0]["source_text"], "A summary.");
    assert_eq!(converted.documents[0]["source_id"], 7);
}

#[test]
fn documents_come_in_the_order_of_the_inputs() {
    let env = Env::new();
    for n in 0..300 {
        env.write(&format!("in/{n:03}.txt"), format!("Text {n}."));
    }
    let converted = env.convert(&["in", "--threads", "4"]);
    let expected: Vec<String> = (0..300).map(|n| format!("Text {n}.")).collect();
    assert_eq!(converted.texts(), expected);
    let converted = env.convert(&["in/200.txt", "in/100.txt", "in/00?.txt"]);
    assert_eq!(converted.texts()[..3], ["Text 200.", "Text 100.", "Text 0."]);
}

#[test]
fn vertical_output_is_exact_and_reads_back() {
    let env = Env::new();
    let text = "He said: 3 < 4 & <doc> is no tag.\n\nSee https://a.example/x?y=1&z=2 (today), don't wait.";
    let line = json!({"id": "a<b>&\"c\"\n", "url": "https://a.example/?a&b", "text": text,
        "year": 1871, "good": true, "author": "\"A\" & B", "odd name": "left out", "list": [1]});
    env.write("in.jsonl", format!("{line}\n"));
    env.run(&["convert", "in.jsonl", "-o", "out.vert"]).code(0);
    let expected = "<doc id=\"a&lt;b&gt;&amp;&quot;c&quot; \" url=\"https://a.example/?a&amp;b\" origin=\"in.jsonl\" \
         year=\"1871\" good=\"true\" author=\"&quot;A&quot; &amp; B\">\n\
         <p>\nHe\nsaid\n<g/>\n:\n3\n&lt;\n4\n&amp;\n&lt;\n<g/>\ndoc\n<g/>\n>\nis\nno\ntag\n<g/>\n.\n</p>\n\
         <p>\nSee\nhttps://a.example/x?y=1&amp;z=2\n(\n<g/>\ntoday\n<g/>\n)\n<g/>\n,\ndon't\nwait\n<g/>\n.\n</p>\n</doc>\n";
    assert_eq!(env.read_text("out.vert"), expected);

    let back = env.convert(&["out.vert"]);
    assert_eq!(back.texts(), [text]);
    assert_eq!(back.documents[0]["author"], "\"A\" & B");
    assert_eq!(back.documents[0]["url"], "https://a.example/?a&b");
    assert_eq!(back.documents[0]["origin"], "in.jsonl", "where the document came from first");
    env.run(&["convert", "out.vert", "-o", "again.vert"]).code(0);
    assert_eq!(env.read_text("again.vert"), expected);
}

#[test]
fn every_sample_document_reads_back_from_vertical() {
    let env = Env::new();
    env.run(&["convert", &sample("crawl.warc.gz"), &sample("notes.zip"), "-o", "a.jsonl"]).code(0);
    env.run(&["convert", "a.jsonl", "-o", "b.vert.gz"]).code(0);
    env.run(&["convert", "b.vert.gz", "-o", "c.jsonl"]).code(0);
    let (a, c) = (env.read_jsonl("a.jsonl"), env.read_jsonl("c.jsonl"));
    assert_eq!((a.len(), c.len()), (29, 29));
    for (a, c) in a.iter().zip(&c) {
        let plain = |document: &Value| text_of(document).split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(plain(a), plain(c), "{}", a["id"]);
        assert_eq!((&a["id"], &a["url"], &a["encoding"]), (&c["id"], &c["url"], &c["encoding"]));
    }
}

#[test]
fn parquet_to_jsonl_to_parquet_gives_the_same_table() {
    let env = Env::new();
    let inputs = [sample("crawl.warc.gz"), sample("notes.jsonl")];
    env.run(&["convert", &inputs[0], &inputs[1], "-o", "a.parquet"]).code(0);
    env.run(&["convert", "a.parquet", "-o", "b.jsonl"]).code(0);
    env.run(&["convert", "b.jsonl", "-o", "c.parquet"]).code(0);
    let (columns, a) = read_parquet(&env.path("a.parquet"));
    let (_, c) = read_parquet(&env.path("c.parquet"));
    assert_eq!((a.len(), c.len()), (29, 29));
    for (a, c) in a.iter().zip(&c) {
        for (name, (a, c)) in columns.iter().zip(a.iter().zip(c)) {
            assert_eq!(a, c, "column {name}");
        }
    }
    env.run(&["convert", "c.parquet", "-o", "d.jsonl"]).code(0);
    assert_eq!(env.read_text("b.jsonl"), env.read_text("d.jsonl"));
}

#[test]
fn a_folder_gets_a_text_file_for_every_document() {
    let env = Env::new();
    env.write("in/a.txt", "A.");
    env.write("in/sub/a.txt", "B.");
    env.write("in.jsonl", "{\"id\":\"https://a.example/x?y=1\",\"text\":\"C.\"}\n{\"id\":\"../x\",\"text\":\"D.\"}\n{\"id\":\"x\",\"text\":\"E.\"}\n");
    env.run(&["convert", "in", "in.jsonl", "-o", "out/"]).code(0).says(&["5 documents", "out/"]);
    let files: Vec<(String, String)> = env
        .snapshot("out")
        .into_iter()
        .map(|(name, content)| (name, String::from_utf8(content).expect("UTF-8")))
        .collect();
    let expected = [
        ("a.example_x_y_1.txt", "C."),
        ("in/", ""),
        ("in/a.txt", "A."),
        ("in/sub/", ""),
        ("in/sub/a.txt", "B."),
        ("x-2.txt", "E."),
        ("x.txt", "D."),
    ];
    assert_eq!(files, expected.map(|(name, text)| (name.to_owned(), text.to_owned())));
}

#[test]
fn an_existing_folder_needs_no_slash() {
    let env = with_lines();
    std::fs::create_dir(env.path("out")).expect("a folder");
    env.run(&["convert", "in.jsonl", "-o", "out"]).code(0);
    assert_eq!(env.names("out"), ["1.txt", "2.txt"]);
}

#[test]
fn outputs_that_cannot_be_are_refused_with_a_reason() {
    let env = with_lines();
    std::fs::create_dir(env.path("folder")).expect("a folder");
    let refused = |output: &str, format: &[&str], words: &[&str]| {
        let outcome = env.run(&[&["convert", "in.jsonl", "-o", output], format].concat()).code(2).says(words);
        assert!(outcome.stderr.starts_with("error: "), "{}", outcome.stderr);
        assert_eq!(outcome.stderr.lines().count(), 1, "{}", outcome.stderr);
    };
    refused("folder", &["--format", "jsonl"], &["folder", "name a file"]);
    refused("out.parquet.gz", &[], &["Parquet", ".gz"]);
    refused("in.jsonl/out.txt", &[], &["in.jsonl/out.txt"]);
    refused("nowhere/out.txt", &[], &["nowhere/out.txt", "the folder nowhere does not exist"]);
    refused("in.jsonl", &[], &["in.jsonl is both an input and the output"]);
    refused("out.jsonl", &["--offsets", "bytes"], &["--offsets", "--keep-marked"]);
    refused("out.vert", &["--keep-marked", "--offsets", "bytes"], &["--offsets", "jsonl or parquet"]);
    assert_eq!(env.names(""), ["folder/", "in.jsonl"], "nothing is left behind");
}

#[test]
fn a_folder_for_anything_but_text_is_refused_with_a_reason() {
    let env = with_lines();
    env.run(&["convert", "in.jsonl", "-o", "new/", "--format", "jsonl"]).code(2).says(&["new/", "folder"]);
    assert_eq!(env.names(""), ["in.jsonl"]);
}

#[test]
fn an_error_says_what_the_system_said_only_once() {
    let env = with_lines();
    let outcome = env.run(&["convert", "in.jsonl", "-o", "in.jsonl/out.txt"]).code(2);
    assert_eq!(outcome.stderr.matches("Not a directory").count(), 1, "{}", outcome.stderr);
}

#[test]
fn a_name_that_asks_for_an_unknown_format_is_refused() {
    let env = with_lines();
    env.run(&["convert", "in.jsonl", "-o", "out.csv"]).code(2).says(&["out.csv", "--format"]);
    assert!(!env.path("out.csv").exists());
}

#[test]
fn an_output_that_is_also_the_input_does_not_lose_it() {
    let env = with_lines();
    env.run(&["convert", "in.jsonl", "-o", "in.jsonl"]);
    assert_eq!(env.read_jsonl("in.jsonl").len(), 2, "the file was read before it was replaced");
}

#[test]
fn an_older_output_is_replaced_only_by_a_complete_one() {
    let env = with_lines();
    env.write("out.jsonl", "older");
    env.run(&["convert", "missing", "-o", "out.jsonl"]).code(2);
    assert_eq!(env.read_text("out.jsonl"), "older");
    env.run(&["convert", "in.jsonl", "-o", "out.jsonl"]).code(0);
    assert_eq!(env.read_text("out.jsonl"), JSONL);
}

#[test]
fn failures_go_to_the_errors_file() {
    let env = with_lines();
    env.write("bad.jsonl", "oops\n");
    env.run(&["convert", "bad.jsonl", "in.jsonl", "-o", "out.txt", "--errors", "errors.jsonl"]).code(1);
    let failures = env.read_jsonl("errors.jsonl");
    assert_eq!(failures.len(), 1);
    assert_eq!((&failures[0]["input"], &failures[0]["place"]), (&json!("bad.jsonl"), &json!({"line": 1})));
    assert_eq!(env.read_text("out.txt"), TEXT);
}

#[test]
fn an_errors_file_that_cannot_be_written_is_an_error_before_the_work() {
    let env = with_lines();
    env.run(&["convert", "in.jsonl", "-o", "out.txt", "--errors", "nowhere/errors.jsonl"]).code(2).says(&["nowhere"]);
    assert!(!env.path("out.txt").exists(), "nothing was done");
}

#[test]
fn nothing_is_taken_out_of_a_page() {
    let env = Env::new();
    let page = "<html><head><title>T</title><style>x{}</style></head><body><ul><li><a href=/>Home</a><li>About</ul>\
        <h1>Dusk</h1><p>The lamp.</p><script>var x;</script><footer>Imprint</footer></body></html>";
    env.write("page.html", page);
    assert_eq!(env.only_text(&["page.html"]), "Home\n\nAbout\n\nDusk\n\nThe lamp.\n\nImprint");
    let vertical = env.run(&["convert", "page.html", "--format", "vertical"]).code(0);
    for tag in ["<p type=\"list_item\">", "<p type=\"heading\">", "<p>"] {
        assert!(vertical.text().lines().any(|line| line == tag), "{tag} is not in {}", vertical.text());
    }
}

#[test]
fn a_closed_pipe_ends_the_work_without_an_error() {
    let env = Env::new();
    let lines: String = (0..20_000).map(|n| json!({"text": words(20, n)}).to_string() + "\n").collect();
    env.write("big.jsonl", &lines);
    for format in ["jsonl", "text", "vertical", "jsonl.gz", "jsonl.zst"] {
        let first = usize::from(!format.contains('.'));
        for threads in ["1", "2"] {
            let outcome =
                env.run_with_closed_pipe(&["convert", "big.jsonl", "--format", format, "--threads", threads], first);
            assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""), "{format}, {threads} threads");
        }
    }
    let outcome = env.run_with_closed_pipe(&["list", "big.jsonl"], 1);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""), "list");
}

#[test]
fn a_closed_pipe_ends_a_table_without_an_error() {
    let env = Env::new();
    env.write("in.jsonl", LINES);
    let outcome = env.run_with_closed_pipe(&["convert", "in.jsonl", "--format", "parquet"], 0);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
}

#[test]
fn marks_of_a_corpus_are_honoured_or_kept() {
    let env = Env::new();
    for format in ["jsonl", "parquet"] {
        env.run(&["corpus", &sample("crawl.warc.gz"), "-o", format, "--keep-marked", "--format", format]).code(0);
        let pages = env.convert(&[&sample("crawl.warc.gz")]);
        let whole = env.convert(&[format, "--keep-marked"]);
        assert_eq!(whole.ids(), pages.ids(), "{format}");
        assert_eq!(whole.texts(), pages.texts(), "{format}: nothing is taken out");
        let clean = format!("clean-{format}");
        env.run(&["corpus", &sample("crawl.warc.gz"), "-o", &clean]).code(0);
        let honoured = env.convert(&[format]);
        let kept: Vec<&str> = honoured.texts().into_iter().filter(|text| !text.is_empty()).collect();
        assert_eq!(kept, env.convert(&[&clean]).texts(), "{format}: what is left is the clean corpus");
    }
}

#[test]
fn a_field_with_the_name_of_a_column_survives_parquet() {
    let env = Env::new();
    env.write("in.jsonl", "{\"doc\": \"d\", \"id\": 1, \"text\": \"Text.\"}\n");
    env.run(&["convert", "in.jsonl", "--id-field", "doc", "-o", "a.parquet"]).code(0);
    let back = env.convert(&["a.parquet"]);
    assert_eq!((back.ids(), &back.documents[0]["source_id"]), (vec!["d"], &serde_json::json!(1)));
}

#[test]
fn an_output_file_in_the_input_folder_is_not_read() {
    let env = Env::new();
    env.write("texts/a.txt", GOOD);
    for _ in 0..2 {
        env.run(&["convert", "texts", "-o", "texts/out.jsonl"]).code(0);
        assert_eq!(env.read_jsonl("texts/out.jsonl").len(), 1);
    }
}

#[test]
fn a_pipe_is_written_to_and_not_replaced() {
    let env = with_lines();
    let pipe = env.path("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::read_to_string(pipe).expect("the pipe")
    });
    env.run(&["convert", "in.jsonl", "-o", "pipe", "--format", "jsonl"]).code(0);
    assert_eq!(reader.join().expect("the reader").lines().count(), 2);
    assert!(!std::fs::metadata(&pipe).expect("the pipe").is_file());
}

#[test]
fn text_about_tags_remains_text() {
    let env = Env::new();
    let text = "<b> is the tag for bold text, <script> that for programs.";
    env.write("in.jsonl", serde_json::json!({"id": "a", "text": text}).to_string() + "\n");
    assert_eq!(env.only_text(&["in.jsonl"]), text);
    env.run(&["convert", "in.jsonl", "-o", "a.vert"]).code(0);
    assert_eq!(env.only_text(&["a.vert"]), text);
    env.run(&["corpus", "in.jsonl", "-o", "corpus"]).code(0);
    assert_eq!(env.only_text(&["corpus"]), text);
    assert_eq!(env.only_text(&["in.jsonl", "--text-is", "html"]), "is the tag for bold text,");
    // A whole page is taken for one, unless it is said to be text.
    let page = "<!doctype html><p>Bold.";
    env.write("page.jsonl", serde_json::json!({"id": "a", "text": page}).to_string() + "\n");
    assert_eq!(env.only_text(&["page.jsonl"]), "Bold.");
    assert_eq!(env.only_text(&["page.jsonl", "--text-is", "text"]), page);
}

#[test]
fn an_input_is_never_the_file_of_errors() {
    let env = with_lines();
    let before = env.read("in.jsonl");
    env.run(&["convert", "in.jsonl", "--errors", "in.jsonl"]).code(2).says(&["is an input"]);
    assert_eq!(env.read("in.jsonl"), before);
}

#[test]
fn documents_are_divided_into_files_of_about_the_same_size() {
    let env = Env::new();
    let line = |number: usize| {
        json!({"id": number.to_string(), "text": words(20 + number % 90, number as u64)}).to_string() + "\n"
    };
    env.write("in.jsonl", (0..300).map(line).collect::<String>());
    for folder in ["one/", "two/"] {
        let threads = if folder == "one/" { "1" } else { "2" };
        let line =
            ["convert", "in.jsonl", "-o", folder, "--shards", "4", "--format", "jsonl.zst", "--threads", threads];
        env.run(&line).code(0).says(&["300 documents"]);
    }
    assert_eq!(
        env.names("one"),
        ["part-00000.jsonl.zst", "part-00001.jsonl.zst", "part-00002.jsonl.zst", "part-00003.jsonl.zst"]
    );
    assert_eq!(env.snapshot("one"), env.snapshot("two"), "the same bytes with any number of threads");
    let sizes: Vec<usize> = env.snapshot("one").iter().map(|(_, packed)| decompress_zstd(packed).len()).collect();
    let (least, most) = (sizes.iter().min().expect("sizes"), sizes.iter().max().expect("sizes"));
    assert!(most - least < most / 20, "{sizes:?}");
    assert_eq!(env.convert(&["one"]).documents.len(), 300);
    env.run(&["convert", "in.jsonl", "-o", "x.jsonl", "--shards", "4"])
        .code(2)
        .says(&["written to a folder", "end the name of -o in /"]);
    env.run(&["convert", "in.jsonl", "-o", "one/", "--shards", "4"]).code(2).says(&["not empty", "--overwrite"]);
    env.run(&["convert", "in.jsonl", "-o", "x/", "--shards", "0"]).code(2).says(&["--shards"]);
}

#[test]
fn parquet_is_packed_and_grouped_as_asked() {
    let env = Env::new();
    let line = |number: usize| json!({"id": number.to_string(), "text": words(400, number as u64)}).to_string() + "\n";
    env.write("in.jsonl", (0..200).map(line).collect::<String>());
    env.run(&["convert", "in.jsonl", "-o", "default.parquet"]).code(0);
    env.run(&["convert", "in.jsonl", "-o", "small.parquet", "--zstd-level", "19"]).code(0);
    env.run(&["convert", "in.jsonl", "-o", "groups.parquet", "--row-group", "64K"]).code(0);
    let groups = |name: &str| {
        let file = std::fs::File::open(env.path(name)).expect("a file");
        let reader = parquet::file::reader::SerializedFileReader::new(file).expect("a table");
        parquet::file::reader::FileReader::metadata(&reader).num_row_groups()
    };
    assert!(env.read("small.parquet").len() < env.read("default.parquet").len());
    assert_eq!(groups("default.parquet"), 1);
    assert!(groups("groups.parquet") > 3, "{}", groups("groups.parquet"));
    assert_eq!(read_parquet(&env.path("groups.parquet")).1, read_parquet(&env.path("default.parquet")).1);
    env.run(&["convert", "in.jsonl", "-o", "fast.jsonl.zst"]).code(0);
    env.run(&["convert", "in.jsonl", "-o", "small.jsonl.zst", "--zstd-level", "19"]).code(0);
    assert!(env.read("small.jsonl.zst").len() < env.read("fast.jsonl.zst").len());
    env.run(&["convert", "in.jsonl", "-o", "x.jsonl", "--row-group", "1M"]).code(2).says(&["--row-group needs"]);
    env.run(&["convert", "in.jsonl", "-o", "x.jsonl.gz", "--zstd-level", "3"]).code(2).says(&["--zstd-level needs"]);
    env.run(&["convert", "in.jsonl", "-o", "x.parquet", "--zstd-level", "23"]).code(2).says(&["--zstd-level"]);
}

#[test]
fn json_lines_have_the_fields_that_other_programs_expect() {
    let env = Env::new();
    let line = json!({"id": "a", "text": "One day.", "url": "https://a.example/", "warc_date": "2024-05-06T08:00:00Z",
        "date": "2021-03-03", "author": "Ida"});
    env.write("in.jsonl", line.to_string() + "\n{\"id\": \"b\", \"text\": \"Two.\"}\n");
    let of_format = |format| parse_jsonl(&env.run(&["convert", "in.jsonl", "--format", format]).code(0).stdout);
    let dolma = json!([
        {"id": "a", "text": "One day.", "source": "in.jsonl", "added": "2024-05-06T08:00:00Z", "created": "2021-03-03",
            "metadata": {"url": "https://a.example/", "author": "Ida"}},
        {"id": "b", "text": "Two.", "source": "in.jsonl", "metadata": {}},
    ]);
    assert_eq!(json!(of_format("dolma")), dolma);
    let datatrove = json!([
        {"text": "One day.", "id": "a", "media": [], "metadata": {"url": "https://a.example/", "origin": "in.jsonl",
            "warc_date": "2024-05-06T08:00:00Z", "date": "2021-03-03", "author": "Ida"}},
        {"text": "Two.", "id": "b", "media": [], "metadata": {"origin": "in.jsonl"}},
    ]);
    assert_eq!(json!(of_format("datatrove")), datatrove);
    env.run(&["convert", "in.jsonl", "-o", "x.gz", "--format", "dolma"]).code(0);
    assert_eq!(json!(parse_jsonl(&decompress_gzip(&env.read("x.gz")))), dolma);
    env.run(&["corpus", "in.jsonl", "-o", "corpus/", "--format", "dolma.zst"]).code(0);
    assert_eq!(env.convert(&["corpus"]).texts(), ["One day.", "Two."]);
}

#[test]
fn wet_is_an_archive_of_texts() {
    let env = Env::new();
    env.run(&["convert", &sample("crawl.warc.gz"), "-o", "crawl.wet.gz"]).code(0).says(&["24 documents"]);
    let (pages, texts) = (env.convert(&[&sample("crawl.warc.gz")]), env.convert(&["crawl.wet.gz"]));
    assert_eq!((texts.outcome.code, texts.texts()), (0, pages.texts()));
    for (text, page) in texts.documents.iter().zip(&pages.documents) {
        assert_eq!((&text["url"], &text["warc_date"]), (&page["url"], &page["warc_date"]));
    }
    let archive = String::from_utf8(decompress_gzip(&env.read("crawl.wet.gz"))).expect("UTF-8");
    let id = pages.ids()[0];
    assert!(archive.contains(&format!("WARC-Refers-To: <urn:uuid:{id}>\r\n")), "{archive}");
    // One gzip member a record: the bytes of a header that no compression makes.
    let members = env.read("crawl.wet.gz").windows(4).filter(|bytes| bytes == b"\x1f\x8b\x08\x00").count();
    assert_eq!(members, 24);
    env.write("note.txt", GOOD);
    let outcome = env.run(&["convert", "note.txt", "--format", "wet"]).code(0);
    assert!(outcome.text().contains("WARC-Target-URI: urn:refrain:note.txt\r\nWARC-Date: 1970-01-01T00:00:00Z\r\n"));
}

#[test]
fn a_folder_for_a_hub_has_tables_a_card_and_metadata() {
    let env = Env::new();
    env.run(&["convert", &sample("crawl.warc.gz"), "-o", "pages/", "--format", "hf", "--shards", "2"]).code(0);
    let names = [
        "README.md",
        "croissant.json",
        "data/",
        "data/train-00000-of-00002.parquet",
        "data/train-00001-of-00002.parquet",
    ];
    assert_eq!(env.names("pages"), names);
    let rows = |name: &str| read_parquet(&env.path(name)).1.len();
    assert_eq!(rows("pages/data/train-00000-of-00002.parquet") + rows("pages/data/train-00001-of-00002.parquet"), 24);
    let card = env.read_text("pages/README.md");
    assert!(card.starts_with("---\npretty_name: \"pages\"\n") && card.contains("\n- n<1K\n"), "{card}");
    assert!(card.contains("path: data/train-*.parquet\n---\n\n# pages\n\n24 documents, "), "{card}");
    let metadata = env.read_json("pages/croissant.json");
    assert_eq!(metadata["conformsTo"], "http://mlcommons.org/croissant/1.0");
    assert_eq!(metadata["distribution"][1]["sha256"], common::sha256(&env.read(&format!("pages/{}", names[4]))));
    let columns = metadata["recordSet"][0]["field"].as_array().expect("fields");
    let columns: Vec<&str> = columns.iter().filter_map(|field| field["name"].as_str()).collect();
    assert_eq!(columns, read_parquet(&env.path("pages/data/train-00000-of-00002.parquet")).0);
    env.run(&["convert", "pages/data/", "-o", "again.jsonl"]).code(0).says(&["24 documents"]);
    env.run(&["convert", "pages/", "-o", "pages.parquet", "--format", "hf"]).code(2).says(&["written to a folder"]);
}

#[test]
fn a_registry_needs_a_vertical_file() {
    let env = with_lines();
    env.run(&["convert", "in.jsonl", "-o", "out.vert", "--registry"]).code(0);
    let registry = env.read_text("out.registry");
    assert!(
        registry.contains("\nNAME \"out\"\n") && registry.contains("STRUCTURE doc {\n    ATTRIBUTE id\n"),
        "{registry}"
    );
    assert_eq!(env.read_text("out.vert"), VERTICAL);
    env.run(&["convert", "in.jsonl", "-o", "out.jsonl", "--registry"])
        .code(2)
        .says(&["--registry needs one vertical file"]);
    env.run(&["convert", "in.jsonl", "--format", "vertical", "--registry"]).code(2).says(&["name a file with -o"]);
    env.run(&["convert", "in.jsonl", "-o", "a'b.vert", "--registry"]).code(2).says(&["without quotation marks"]);
}
