//! Inputs of all kinds: packed, in archives, in folders, from lists and patterns, through a pipe; and web archives.

mod common;

use std::io::Write;
use std::os::unix::fs::symlink;
use std::sync::Arc;

use arrow_array::{BooleanArray, Float64Array, Int64Array};
use common::{
    Env, GOOD, bzip2, gzip, http, page_record, parse_jsonl, reader_file, sample, simple_page, strings, tar, text_of,
    warc_record, write_parquet, xz, zip, zstd,
};
use serde_json::json;

#[test]
fn compression_is_recognised_by_content_not_by_name() {
    let env = Env::new();
    let (first, second) = GOOD.split_at(30);
    let two_members = [gzip(first.as_bytes()), gzip(second.as_bytes())].concat();
    let two_frames = [zstd(first.as_bytes()), zstd(second.as_bytes())].concat();
    let two_streams = [bzip2(first.as_bytes()), bzip2(second.as_bytes())].concat();
    let two_xz = [xz(first.as_bytes()), xz(second.as_bytes())].concat();
    let files = [
        ("gzip.bz2", two_members),
        ("zstd.gz", two_frames),
        ("bzip2.xz", two_streams),
        ("xz.zst", two_xz),
        ("twice.txt", zstd(&gzip(GOOD.as_bytes()))),
        ("plain.gz", GOOD.as_bytes().to_vec()),
        ("without-extension", gzip(GOOD.as_bytes())),
    ];
    for (name, content) in files {
        env.write(name, content);
        assert_eq!(env.only_text(&[name]), GOOD, "{name}");
    }
}

#[test]
fn archives_are_recognised_by_content_and_may_be_nested() {
    let env = Env::new();
    let members: [(&str, &[u8]); 2] = [("a/one.txt", GOOD.as_bytes()), ("b/two.txt", b"Two.")];
    let archives = [
        ("tar.zip", tar(&members), "a/one.txt"),
        ("packed.tar.gz", gzip(&tar(&members)), "a/one.txt"),
        ("packed.tgz", gzip(&tar(&members)), "a/one.txt"),
        ("packed.tar.xz", xz(&tar(&members)), "a/one.txt"),
        ("stored.tar", zip(&members, false), "a/one.txt"),
        ("deflated.zip", zip(&members, true), "a/one.txt"),
        ("zip-in-tar.tar", tar(&[("inner.zip", &zip(&members, true))]), "inner.zip/a/one.txt"),
        ("zip-in-zip.zip", zip(&[("inner.zip", &zip(&members, true))], true), "inner.zip/a/one.txt"),
        (
            "gz-in-zip.zip",
            zip(&[("a/one.txt.gz", &gzip(GOOD.as_bytes())), ("b/two.txt", b"Two.")], true),
            "a/one.txt.gz",
        ),
    ];
    for (name, content, member) in archives {
        env.write(name, content);
        let converted = env.convert(&[name]);
        assert_eq!(converted.outcome.code, 0, "{name}: {converted:?}");
        assert_eq!(converted.texts(), [GOOD, "Two."], "{name}");
        assert_eq!(converted.documents[0]["origin"], format!("{name}/{member}"));
        assert_eq!(converted.documents[0]["id"], format!("{name}/{member}"));
    }
}

#[test]
fn containers_of_documents_are_read_inside_archives() {
    let env = Env::new();
    write_parquet(&env.path("t.parquet"), vec![("text", strings(&["From a table."]))]);
    let warc = gzip(&simple_page("https://a.example/", "From a crawl."));
    let table = env.read("t.parquet");
    let members: [(&str, &[u8]); 4] = [
        ("a.jsonl", b"{\"text\": \"From lines.\"}\n{\"text\": \"From more lines.\"}\n"),
        ("b.parquet", &table),
        ("c.vert", b"<doc id=\"1\">\nFrom\ntokens\n<g/>\n.\n</doc>\n"),
        ("d.warc.gz", &warc),
    ];
    for (name, content) in [("all.zip", zip(&members, true)), ("all.tar.gz", gzip(&tar(&members)))] {
        env.write(name, content);
        let converted = env.convert(&[name]);
        assert_eq!(converted.outcome.code, 0, "{converted:?}");
        let expected = ["From lines.", "From more lines.", "From a table.", "From tokens.", "From a crawl."];
        assert_eq!(converted.texts(), expected, "{name}");
    }
}

#[test]
fn folders_are_read_deeply_in_the_order_of_their_names_without_hidden_files() {
    let env = Env::new();
    env.write("texts/b/second.txt", "Two.");
    env.write("texts/a/deep/down/first.txt", "One.");
    env.write("texts/c.html", "<p>Three.</p>");
    env.write("texts/.hidden.txt", "Hidden.");
    env.write("texts/.git/config.txt", "Hidden, too.");
    let converted = env.convert(&["texts"]);
    assert_eq!(converted.texts(), ["One.", "Two.", "Three."]);
    assert_eq!(converted.ids(), ["texts/a/deep/down/first.txt", "texts/b/second.txt", "texts/c.html"]);
    let converted = env.convert(&["texts/.hidden.txt"]);
    assert_eq!(converted.texts(), ["Hidden."], "a hidden file that is named is read");
}

#[test]
fn hidden_members_of_archives_are_skipped() {
    let env = Env::new();
    let members: [(&str, &[u8]); 4] =
        [("./a.txt", GOOD.as_bytes()), ("__MACOSX/._a.txt", b"x"), (".git/b.txt", b"x"), ("c/.d.txt", b"x")];
    env.write("a.zip", zip(&members, true));
    env.write("a.tar", tar(&members));
    assert_eq!(env.only_text(&["a.zip"]), GOOD);
    assert_eq!(env.only_text(&["a.tar"]), GOOD);
}

#[test]
fn members_with_the_same_name_are_all_read() {
    let env = Env::new();
    let members: [(&str, &[u8]); 4] =
        [("a/notex.txt", b"One."), ("a/notes.txt", b"Two."), ("a/notes (2).txt", b"Three."), ("b.txt", b"Four.")];
    for deflated in [false, true] {
        let mut archive = zip(&members, deflated);
        while let Some(at) = archive.windows(5).position(|bytes| bytes == b"notex") {
            archive[at..at + 5].copy_from_slice(b"notes");
        }
        env.write("a.zip", archive);
        let converted = env.convert(&["a.zip"]);
        assert_eq!(converted.texts(), ["One.", "Two.", "Three.", "Four."], "{converted:?}");
        let ids = ["a.zip/a/notes.txt", "a.zip/a/notes (2).txt", "a.zip/a/notes (2) (2).txt", "a.zip/b.txt"];
        assert_eq!(converted.ids(), ids);
    }
}

#[test]
fn sparse_members_of_tar_archives_are_read_with_their_holes() {
    for format in ["gnu", "pax-0.0", "pax-0.1", "pax-1.0"] {
        let env = Env::new();
        env.write("a.tar.gz", std::fs::read(reader_file(&format!("sparse-{format}.tar.gz"))).expect("a file"));
        let converted = env.convert(&["a.tar.gz"]);
        let sentence = "The lamp at Skerrow Head was lit at dusk and burned until the morning.";
        assert_eq!(converted.texts()[..3], [sentence, sentence, "Nobody has counted the gulls."], "{format}");
        assert_eq!(converted.ids()[1], "a.tar.gz/inner.tar/one.txt", "{format}");
        // A hole in a text is no text.
        converted.outcome.code(1).says(&["a.tar.gz/hole.txt"]);
        // Its holes count as any other data.
        let limited = env.run(&["convert", "a.tar.gz", "--max-document", "60K", "-o", "x.jsonl"]);
        limited.code(1).says(&["a.tar.gz/hole.txt", "larger than 61440 bytes"]);
    }
}

#[test]
fn links_in_tar_archives_are_counted() {
    let env = Env::new();
    let mut builder = tar_builder();
    let mut header = tar_header(::tar::EntryType::Regular, GOOD.len());
    builder.append_data(&mut header, "a.txt", GOOD.as_bytes()).expect("in memory");
    for (kind, name) in [(::tar::EntryType::Symlink, "b.txt"), (::tar::EntryType::Link, "c.txt")] {
        builder.append_link(&mut tar_header(kind, 0), name, "a.txt").expect("in memory");
    }
    env.write("a.tar", builder.into_inner().expect("in memory"));
    let converted = env.convert(&["a.tar"]);
    assert_eq!(converted.texts(), [GOOD]);
    converted.outcome.code(0).says(&["found 3 items: 1 document, 2 skipped (2 link), 0 failed"]);
}

fn tar_builder() -> ::tar::Builder<Vec<u8>> {
    ::tar::Builder::new(Vec::new())
}

fn tar_header(kind: ::tar::EntryType, size: usize) -> ::tar::Header {
    let mut header = ::tar::Header::new_gnu();
    header.set_entry_type(kind);
    header.set_size(size as u64);
    header
}

/// A record of an ARC file, with the line in its first or second version.
fn arc_record(url: &str, kind: &str, block: &[u8], second: bool) -> Vec<u8> {
    let more = if second { " 200 - - 77 a.arc" } else { "" };
    let line = format!("{url} 192.0.2.1 20080430204825 {kind}{more} {}\n", block.len());
    [line.as_bytes(), block, b"\n"].concat()
}

/// The records of an ARC file; the first one describes it.
fn arc_records(second: bool) -> Vec<Vec<u8>> {
    let fields = "URL IP-address Archive-date Content-type";
    let fields = if second { format!("{fields} Result-code Checksum Location Offset Filename") } else { fields.into() };
    let version = if second { "2 0" } else { "1 0" };
    let head = format!("{version} Example\n{fields} Archive-length\n");
    let page = |sentence: &str| format!("<html><body><p>{sentence}</p></body></html>");
    let html = "Content-Type: text/html; charset=utf-8\r\n";
    let missing = b"HTTP/1.0 404 Not Found\r\nContent-Type: text/html\r\n\r\n<p>Missing.";
    vec![
        arc_record("filedesc://a.arc", "text/plain", head.as_bytes(), second),
        arc_record("dns:a.example", "text/dns", b"20080430204825\na.example. 3600 IN A 192.0.2.1\n", second),
        arc_record("http://a.example/", "text/html", &http(html, page("One page.").as_bytes()), second),
        arc_record("http://a.example/gone", "text/html", missing, second),
        arc_record("http://a.example/x.png", "image/png", &http("Content-Type: image/png\r\n", b"\x89PNG"), second),
        arc_record("http://a.example/a b.html", "text/html", &http(html, page("Another page.").as_bytes()), second),
        arc_record("http://a.example/bare", "text/plain", b"A text without a header.", second),
    ]
}

#[test]
fn arc_files_are_read_like_warc_files() {
    let env = Env::new();
    for second in [false, true] {
        let records = arc_records(second);
        env.write("a.bin", records.concat());
        env.write("a.arc.gz", records.iter().flat_map(|record| gzip(record)).collect::<Vec<u8>>());
        for name in ["a.bin", "a.arc.gz"] {
            let converted = env.convert(&[name]);
            assert_eq!(converted.texts(), ["One page.", "Another page.", "A text without a header."], "{converted:?}");
            let documents = &converted.documents;
            assert_eq!(documents[1]["url"], "http://a.example/a b.html");
            assert_eq!(documents[1]["warc_date"], "2008-04-30T20:48:25Z");
            assert_eq!(documents[1]["content_type"], "text/html");
            assert_eq!(documents[1]["id"], format!("{name}:6"), "the same page may be in the file again");
            let skipped =
                ["4 skipped", "1 ARC header", "1 HTTP status 404", "content type text/dns", "content type image/png"];
            converted.outcome.code(0).says(&skipped);
        }
    }
}

#[test]
fn damage_in_arc_files_costs_one_record() {
    let env = Env::new();
    let mut records = arc_records(false);
    // One record says that it is shorter than it is, one that it is longer.
    for (record, length) in [(2, 10_i64), (5, -10)] {
        let text = String::from_utf8(records[record].clone()).expect("a page");
        let (line, block) = text.split_once('\n').expect("a line");
        let (fields, right) = line.rsplit_once(' ').expect("a length");
        let wrong = right.parse::<i64>().expect("a length") + length;
        records[record] = format!("{fields} {wrong}\n{block}").into_bytes();
    }
    env.write("a.arc", records.concat());
    let converted = env.convert(&["a.arc"]);
    assert_eq!(converted.texts(), ["Another page.", "A text without a header."], "{converted:?}");
    converted
        .outcome
        .code(1)
        .says(&["record 3: Content-Length does not match", "record 6: Content-Length is too short"]);
    let cut_off = records.concat();
    env.write("a.arc", &cut_off[..cut_off.len() - 12]);
    env.convert(&["a.arc"]).outcome.code(1).says(&["record 7", "the archive ends before the record does"]);
    env.write("a.arc", [arc_records(false).concat(), b"\n\nrubbish\n".to_vec(), arc_records(false).concat()].concat());
    let converted = env.convert(&["a.arc"]);
    assert_eq!(converted.texts().len(), 6, "{converted:?}");
    converted.outcome.code(1).says(&["record 7: Content-Length is too short"]);
}

#[test]
fn what_crawlers_record_of_themselves_is_skipped() {
    let env = Env::new();
    let own = "metadata://gnu.org/software/wget/warc/";
    let records = [
        warc_record("resource", &format!("{own}wget.log"), "text/plain", b"Saving to: index.html"),
        warc_record("resource", &format!("{own}wget_arguments.txt"), "text/plain", b"\"--warc-file=x\""),
        warc_record("resource", "urn:X-wpull:log", "text/plain", b"INFO Fetched."),
        warc_record("resource", "http://a.example/a.txt", "text/plain", GOOD.as_bytes()),
    ];
    env.write("a.warc", records.concat());
    let converted = env.convert(&["a.warc"]);
    assert_eq!(converted.texts(), [GOOD]);
    converted.outcome.code(0).says(&["3 record of the crawler about itself"]);
}

#[test]
fn a_loop_of_links_is_survived() {
    let env = Env::new();
    env.write("texts/a.txt", GOOD);
    env.write("elsewhere/b.txt", "Linked.");
    symlink(".", env.path("texts/self")).expect("a link");
    symlink("../elsewhere", env.path("texts/linked")).expect("a link");
    symlink("../texts", env.path("elsewhere/back")).expect("a link");
    let converted = env.convert(&["texts"]);
    assert_eq!(converted.outcome.code, 0, "{converted:?}");
    assert_eq!(converted.texts(), [GOOD, "Linked."], "{:?}", converted.ids());
}

#[test]
fn a_file_that_several_links_lead_to_is_read_once() {
    let env = Env::new();
    env.write("texts/a.txt", GOOD);
    env.write("elsewhere/b.txt", "Linked.");
    symlink("../elsewhere", env.path("texts/link-1")).expect("a link");
    symlink("../elsewhere", env.path("texts/link-2")).expect("a link");
    symlink("a.txt", env.path("texts/c.txt")).expect("a link");
    symlink("..", env.path("texts/up")).expect("a link");
    let converted = env.convert(&["texts"]);
    assert_eq!(converted.outcome.code, 0, "{converted:?}");
    let mut texts = converted.texts();
    texts.sort_unstable();
    assert_eq!(texts, ["Linked.", GOOD], "{:?}", converted.ids());
}

#[test]
fn patterns_name_files_and_folders() {
    let env = Env::new();
    for (name, text) in
        [("b.txt", "B."), ("a.txt", "A."), ("c.md", "C."), ("sub/d.txt", "D."), ("sub/deep/e.txt", "E.")]
    {
        env.write(name, text);
    }
    assert_eq!(env.convert(&["*.txt"]).texts(), ["A.", "B."]);
    assert_eq!(env.convert(&["[bc].*"]).texts(), ["B.", "C."]);
    assert_eq!(env.convert(&["**/*.txt"]).texts(), ["A.", "B.", "D.", "E."]);
    assert_eq!(env.convert(&["su?"]).texts(), ["D.", "E."]);
    env.write("odd[1].txt", "Odd.");
    assert_eq!(env.convert(&["odd[1].txt"]).texts(), ["Odd."], "a file of this very name goes first");
}

#[test]
fn standard_input_is_recognised_like_a_file() {
    let env = Env::new();
    let lines = format!("{{\"text\": \"{GOOD}\"}}\n{{\"text\": \"Two.\"}}\n");
    let parquet = {
        write_parquet(&env.path("t.parquet"), vec![("text", strings(&[GOOD, "Two."]))]);
        env.read("t.parquet")
    };
    let archive: [(&str, &[u8]); 2] = [("a.txt", GOOD.as_bytes()), ("b.txt", b"Two.")];
    for (what, input) in [
        ("JSONL", lines.clone().into_bytes()),
        ("packed JSONL", gzip(lines.as_bytes())),
        ("zip", zip(&archive, true)),
        ("tar", tar(&archive)),
        ("Parquet", parquet),
    ] {
        let outcome = env.run_fed(&["convert", "-"], &input).code(0);
        let documents = parse_jsonl(&outcome.stdout);
        assert_eq!(documents.iter().map(text_of).collect::<Vec<_>>(), [GOOD, "Two."], "{what}");
    }
    let outcome = env.run_fed(&["convert", "-"], GOOD.as_bytes()).code(0);
    assert_eq!(parse_jsonl(&outcome.stdout)[0], json!({"id": "-", "encoding": "UTF-8", "origin": "-", "text": GOOD}));
    env.run_fed(&["convert", "-"], b"").code(1).says(&["-", "empty"]);
}

#[test]
fn a_named_pipe_is_read() {
    let env = Env::new();
    let made = std::process::Command::new("mkfifo").arg(env.path("pipe")).status();
    if !made.is_ok_and(|status| status.success()) {
        common::skipped("mkfifo is not installed");
        return;
    }
    let path = env.path("pipe");
    let writer = std::thread::spawn(move || std::fs::write(path, gzip(GOOD.as_bytes())));
    assert_eq!(env.only_text(&["pipe"]), GOOD);
    writer.join().expect("a thread").expect("a written pipe");
}

#[test]
fn a_list_names_inputs_one_a_line() {
    let env = Env::new();
    env.write("a.txt", "A.");
    env.write("sub dir/b.txt", "B.");
    env.write("c1.txt", "C.");
    env.write("list.txt", "c*.txt\r\nsub dir\n\na.txt\n");
    assert_eq!(env.convert(&["@list.txt"]).texts(), ["C.", "B.", "A."]);
    env.write("list.txt", "a.txt\ngone.txt\n");
    let converted = env.convert(&["@list.txt"]);
    assert_eq!((converted.outcome.code, converted.texts()), (1, vec!["A."]));
    assert_eq!(converted.failures[0]["input"], "gone.txt");
    env.run(&["convert", "@nothing.txt"]).code(2).says(&["@nothing.txt", "no such file"]);
}

#[test]
fn the_input_format_can_be_forced() {
    let env = Env::new();
    env.write("page.txt", "<p>One.</p><p>Two.</p>");
    assert_eq!(env.only_text(&["page.txt", "--input-format", "text"]), "<p>One.</p><p>Two.</p>");
    assert_eq!(env.only_text(&["page.txt", "--input-format", "html"]), "One.\n\nTwo.");
    env.write("tokens", "One\ntoken\n<g/>\n.\n");
    assert_eq!(env.only_text(&["tokens", "--input-format", "vertical"]), "One token.");
    assert_eq!(env.only_text(&["tokens"]), "One\ntoken\n<g/>\n.");
    env.write("lines.jsonl.gz", gzip(b"{\"text\": \"One.\"}"));
    assert_eq!(env.only_text(&["lines.jsonl.gz", "--input-format", "text"]), "{\"text\": \"One.\"}");
}

#[test]
fn a_forced_format_is_that_of_the_members_of_an_archive() {
    let env = Env::new();
    env.write("a.zip", zip(&[("lines", b"{\"text\": \"One.\"}")], true));
    assert_eq!(env.only_text(&["a.zip", "--input-format", "jsonl"]), "One.");
    env.write("a.tar.gz", gzip(&tar(&[("page", b"One.<p>Two.")])));
    assert_eq!(env.only_text(&["a.tar.gz", "--input-format", "html"]), "One.\n\nTwo.");
}

#[test]
fn fields_of_json_lines_can_be_named_and_the_others_travel() {
    let env = Env::new();
    let line = json!({"key": 17, "body": GOOD, "author": {"name": "A. B."}, "tags": ["x", 2, null], "year": 1871});
    env.write("a.jsonl", format!("{line}\n"));
    let converted = env.convert(&["a.jsonl", "--text-field", "body", "--id-field", "key"]);
    let expected = json!({"id": "17", "origin": "a.jsonl", "text": GOOD,
        "author": {"name": "A. B."}, "tags": ["x", 2, null], "year": 1871});
    assert_eq!(converted.documents, [expected]);
    let converted = env.convert(&["a.jsonl", "--text-field", "body"]);
    assert_eq!(converted.documents[0]["id"], "a.jsonl:1", "documents without an id are named after their line");
    assert_eq!(converted.documents[0]["key"], 17);
}

#[test]
fn columns_of_parquet_tables_can_be_named_and_the_others_travel() {
    let env = Env::new();
    let columns: Vec<(&str, arrow_array::ArrayRef)> = vec![
        ("key", strings(&["k1", "k2"])),
        ("body", strings(&[GOOD, "Two."])),
        ("url", strings(&["https://a.example/1", "https://a.example/2"])),
        ("year", Arc::new(Int64Array::from(vec![Some(1871), None]))),
        ("score", Arc::new(Float64Array::from(vec![0.5, 1.25]))),
        ("good", Arc::new(BooleanArray::from(vec![true, false]))),
    ];
    write_parquet(&env.path("t.parquet"), columns);
    let converted = env.convert(&["t.parquet", "--text-field", "body", "--id-field", "key"]);
    let expected = [
        json!({"id": "k1", "url": "https://a.example/1", "origin": "t.parquet", "text": GOOD,
            "year": 1871, "score": 0.5, "good": true}),
        json!({"id": "k2", "url": "https://a.example/2", "origin": "t.parquet", "text": "Two.",
            "score": 1.25, "good": false}),
    ];
    assert_eq!(converted.documents, expected);
    let converted = env.convert(&["t.parquet", "--text-field", "body"]);
    assert_eq!(converted.ids(), ["t.parquet:1", "t.parquet:2"], "documents without an id are named after their row");
}

const PAGE: &str = "<html><body><p>The wind went round to the north.</p></body></html>";
const SENTENCE: &str = "The wind went round to the north.";

/// A brotli stream of one block that is not compressed.
fn brotli(content: &[u8]) -> Vec<u8> {
    // Window of 16 bits, not the last block, length in four nibbles, uncompressed.
    let header = (1_u32 << 20) | ((content.len() as u32 - 1) << 4);
    [&header.to_le_bytes()[..3], content, &[3]].concat()
}

fn zlib(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).expect("in memory");
    encoder.finish().expect("in memory")
}

fn deflate(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).expect("in memory");
    encoder.finish().expect("in memory")
}

fn chunked(content: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    for chunk in content.chunks(7) {
        body.extend_from_slice(format!("{:x};note=x\r\n", chunk.len()).as_bytes());
        body.extend_from_slice(chunk);
        body.extend_from_slice(b"\r\n");
    }
    [body.as_slice(), b"0\r\nTrailer: x\r\n\r\n"].concat()
}

#[test]
fn encodings_of_http_bodies_are_undone() {
    let env = Env::new();
    let page = PAGE.as_bytes();
    let cases: [(&str, Vec<u8>); 10] = [
        ("", page.to_vec()),
        ("Transfer-Encoding: chunked\r\n", chunked(page)),
        ("Content-Encoding: gzip\r\n", gzip(page)),
        ("content-encoding: X-GZIP\r\n", gzip(page)),
        ("Content-Encoding: deflate\r\n", zlib(page)),
        ("Content-Encoding: deflate\r\n", deflate(page)),
        ("Content-Encoding: br\r\n", brotli(page)),
        ("Content-Encoding: zstd\r\n", zstd(page)),
        ("Transfer-Encoding: chunked\r\nContent-Encoding: br\r\n", chunked(&brotli(page))),
        ("Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n", chunked(&gzip(page))),
    ];
    for (headers, body) in cases {
        let headers = format!("Content-Type: text/html\r\n{headers}");
        let record = page_record("https://a.example/x", &headers, &body);
        env.write("a.warc", &record);
        assert_eq!(env.only_text(&["a.warc"]), SENTENCE, "{headers}");
        env.write("a.warc.gz", gzip(&record));
        assert_eq!(env.only_text(&["a.warc.gz"]), SENTENCE, "{headers}");
    }
}

#[test]
fn wet_and_resource_records_are_documents() {
    let env = Env::new();
    let records = [
        warc_record("warcinfo", "", "application/warc-fields", b"software: x\r\n"),
        warc_record("conversion", "https://a.example/1", "text/plain", "Aus dem Wald, grün.".as_bytes()),
        warc_record("resource", "https://a.example/2", "text/html; charset=iso-8859-1", b"<p>caf\xe9</p>"),
        warc_record("metadata", "https://a.example/2", "application/warc-fields", b"x: y"),
        warc_record("resource", "https://a.example/3.png", "image/png", b"\x89PNG"),
    ];
    env.write("a.warc.wet.gz", records.map(|record| gzip(&record)).concat());
    let converted = env.convert(&["a.warc.wet.gz"]);
    assert_eq!(converted.outcome.code, 0, "{converted:?}");
    assert_eq!(converted.texts(), ["Aus dem Wald, grün.", "café"]);
    assert_eq!(converted.documents[0]["url"], "https://a.example/1");
    assert_eq!(converted.documents[0]["content_type"], "text/plain");
    assert_eq!(converted.documents[0]["warc_date"], "2024-05-01T12:00:00Z");
}

#[test]
fn redirects_error_pages_and_pictures_are_no_documents() {
    let env = Env::new();
    let kind = "application/http; msgtype=response";
    let not_found = b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n<p>Nothing here.</p>";
    let records = [
        warc_record("response", "https://a.example/1", kind, not_found),
        page_record("https://a.example/2", "Content-Type: image/png\r\n", b"\x89PNG"),
        simple_page("https://a.example/3", GOOD),
    ];
    env.write("a.warc", records.concat());
    assert_eq!(env.only_text(&["a.warc"]), GOOD);
    let list = env.run(&["list", "a.warc", "--json"]).code(0);
    let kinds: Vec<_> = parse_jsonl(&list.stdout).iter().map(|item| item["kind"].clone()).collect();
    assert_eq!(kinds, ["skipped", "skipped", "document"]);
}

#[test]
fn the_charset_of_the_http_header_is_used() {
    let env = Env::new();
    // The same bytes mean different letters; only the header is decisive.
    let body = b"<html><body><p>\xe1\xe9\xf8</p></body></html>";
    for (charset, text) in [("windows-1250", "áéř"), ("iso-8859-1", "áéø"), ("windows-1251", "бйш")] {
        env.write(
            "a.warc",
            page_record("https://a.example/", &format!("Content-Type: text/html; charset=\"{charset}\"\r\n"), body),
        );
        assert_eq!(env.only_text(&["a.warc"]), text, "{charset}");
    }
}

#[test]
fn records_with_bare_line_ends_and_odd_headers_are_read() {
    let env = Env::new();
    let block = format!("HTTP/1.0 200\nContent-Type:text/html\n\n{PAGE}");
    let record = format!(
        "WARC/1.1\nwarc-type: response\nWARC-Target-URI: <https://a.example/>\nWARC-Record-ID: <urn:uuid:1-2-3>\n\
         Content-Length: {}\n\n{block}\n\n",
        block.len()
    );
    env.write("a.warc", record);
    let converted = env.convert(&["a.warc"]);
    assert_eq!(converted.texts(), [SENTENCE]);
    assert_eq!(converted.documents[0]["url"], "https://a.example/");
    assert_eq!(converted.documents[0]["id"], "1-2-3");
}

#[test]
fn the_sample_crawl_gives_its_24_pages_in_order() {
    let env = Env::new();
    let converted = env.convert(&[&sample("crawl.warc.gz")]);
    assert_eq!((converted.outcome.code, converted.documents.len()), (0, 24));
    assert_eq!(converted.documents[0]["url"], "https://lighthouse.example/articles/lens.html");
    let by_path = |path: &str| {
        let found =
            converted.documents.iter().find(|document| document["url"].as_str().is_some_and(|u| u.ends_with(path)));
        found.unwrap_or_else(|| panic!("{path} is missing"))
    };
    for (path, encoding, words) in [
        ("/old/paint.htm", "windows-1252", "paint"),
        ("/el/anemoi.html", "windows-1253", "άνεμο"),
        ("/kalender/januar.html", "windows-1252", "Januar"),
        ("/cz/ovoce/jablon.html", "windows-1250", "jablo"),
        ("/articles/tides.html", "UTF-8", "tide"),
        ("/articles/birds.html", "UTF-8", "bird"),
        ("/fr/ete-au-phare.html", "UTF-8", "été"),
    ] {
        let document = by_path(path);
        assert_eq!(document["encoding"], encoding, "{path}");
        assert!(text_of(document).contains(words), "{path}: {document}");
        assert!(!text_of(document).contains('\u{fffd}'), "{path}");
    }
}

#[test]
fn the_sample_notes_are_the_same_from_zip_and_from_lines() {
    let env = Env::new();
    let zipped = env.convert(&[&sample("notes.zip")]);
    let lines = env.convert(&[&sample("notes.jsonl")]);
    let normal = |text: &str| text.replace("\r\n", "\n").trim_end().to_owned();
    let zipped: Vec<String> = zipped.texts().into_iter().map(normal).collect();
    let lines: Vec<String> = lines.texts().into_iter().map(normal).collect();
    assert_eq!(zipped.len(), 5);
    assert_eq!(zipped, lines);
}

#[test]
fn the_sample_notes_are_the_same_from_a_table() {
    let env = Env::new();
    let rows = env.convert(&[&sample("notes.csv")]);
    let lines = env.convert(&[&sample("notes.jsonl")]);
    assert_eq!((rows.outcome.code, rows.texts()), (0, lines.texts()));
    assert_eq!(rows.ids(), lines.ids());
    assert_eq!(rows.documents[0]["author"], lines.documents[0]["author"]);
}

#[test]
fn tables_are_recognised_by_their_first_line_or_name() {
    let env = Env::new();
    let expected = [("7", "One, \"two\"\nand three."), ("8", "Four.")];
    for (name, table) in [
        ("comma", "text,id\r\n\"One, \"\"two\"\"\nand three.\",7\r\nFour.,8\r\n"),
        ("tab", "\u{feff}id\ttext\n7\t\"One, \"\"two\"\"\nand three.\"\n8\tFour."),
        ("semicolon.csv", "\"id\";\"a, b, c\";\"text\"\n7;x;\"One, \"\"two\"\"\nand three.\"\n8;y;Four.\n"),
        ("named.csv.gz", "the id,the text\n7,\"One, \"\"two\"\"\nand three.\"\n8,Four.\n"),
    ] {
        let named = name.starts_with("named");
        env.write(name, if named { gzip(table.as_bytes()) } else { table.into() });
        let fields: &[&str] = if named { &["--text-field", "the text", "--id-field", "the id"] } else { &[] };
        let converted = env.convert(&[fields, &[name]].concat());
        let found: Vec<_> = converted.ids().into_iter().zip(converted.texts()).collect();
        assert_eq!((converted.outcome.code, found), (0, expected.to_vec()), "{name}");
    }
    env.write("prose.txt", "A text, with commas, and more\n");
    assert_eq!(env.only_text(&["prose.txt"]), "A text, with commas, and more");
    env.write("a.tsv", "title\tbody\na\tb\n");
    let converted = env.convert(&["a.tsv"]);
    converted.outcome.code(1).says(&["a.tsv: no column \"text\"; columns are: title, body", "--text-field"]);
}

#[test]
fn a_bad_row_costs_one_row_and_a_killed_run_resumes() {
    let env = Env::new();
    let rows = [
        "id,text\n",
        "1,One.\n",
        "2\n",
        "3,Three,too,many\n",
        "4,caf\u{e9}\n",
        "5,",
        &"long ".repeat(500),
        "\n6,Six.\n",
    ];
    let mut table = rows.concat().into_bytes();
    let accent = table.iter().position(|byte| *byte == 0xc3).expect("an accent");
    table.remove(accent);
    env.write("a.csv", table);
    let converted = env.convert(&["--max-document", "2000", "a.csv"]);
    assert_eq!(converted.ids(), ["1", "6"]);
    let places: Vec<_> = converted.failures.iter().map(|failure| failure["place"]["line"].as_u64()).collect();
    assert_eq!(places, [Some(3), Some(4), Some(5), Some(6)]);
    converted.outcome.code(1).says(&[
        "2 documents, 0 skipped, 4 failed",
        "1 cells in a table of 2 columns",
        "not UTF-8",
    ]);
}

#[test]
fn articles_of_a_wiki_become_plain_text() {
    let env = Env::new();
    let converted = env.convert(&[&sample("sources/wiki.xml")]);
    let converted_text = "Skerrow Head light is a lighthouse on the northern side of the bay. It was built of local granite and lit \
        for the first time in a November gale.\n\nTower\n\nThe tower has one hundred and ninety-six steps. Its parts are:\n\n\
        the base, with the store of oil,\n\nthe stairs,\n\nthe lantern room – closed to visitors.\n\nPainting\n\n\
        The tower is painted every fourth year.";
    assert_eq!(converted.texts()[0], converted_text);
    assert_eq!(converted.ids(), ["3", "6"]);
    let first = &converted.documents[0];
    assert_eq!(
        (&first["title"], &first["url"], &first["language"], &first["revision"]),
        (
            &json!("Skerrow Head light"),
            &json!("https://wiki.lighthouse.example/wiki/Skerrow_Head_light"),
            &json!("en"),
            &json!("41")
        )
    );
    converted.outcome.code(0).says(&["4 items: 2 documents, 2 skipped (1 redirect, 1 wiki namespace Talk), 0 failed"]);
}

#[test]
fn a_damaged_page_of_a_wiki_costs_one_page() {
    let env = Env::new();
    let page = |id: &str, text: &str| {
        format!("<page><title>T</title><id>{id}</id><revision><text>{text}</text></revision></page>\n")
    };
    let pages = [
        page("1", "One."),
        page("2", "Two.</b>"),
        page("3", &"long ".repeat(500)),
        page("4", "Four."),
        "<page><id>5".into(),
    ];
    let dump = format!("<mediawiki>{}", pages.concat());
    env.write("dump", bzip2(dump.as_bytes()));
    let converted = env.convert(&["--max-document", "2000", "dump"]);
    assert_eq!(converted.ids(), ["1", "4"]);
    let places: Vec<_> = converted.failures.iter().map(|failure| failure["place"]["record"].as_u64()).collect();
    assert_eq!(places, [Some(2), Some(3), Some(5)]);
    converted.outcome.code(1).says(&[
        "damaged MediaWiki file: byte",
        "larger than 2000 bytes",
        "cut off in the middle of a page",
    ]);
}

#[test]
fn editions_and_recognised_text_are_read() {
    let env = Env::new();
    let tei = &env.convert(&[&sample("sources/keeper.tei.xml")]).documents[0];
    let text = "November\n\nThe first gale took the boat house, and the keeper found its door in the garden of the school. He wrote \
        door, one, painted into the log.\n\nAfter that the wind stayed in the west, and the lighthouse hummed like a bottle.\n\n\
        Lamp in the tower, wind in the door,\nnobody comes to the rock any more.\n\nNight\tOil\nfirst\t4 l\n\nIt is a table now.";
    assert_eq!(text_of(tei), text);
    assert_eq!(
        (&tei["title"], &tei["author"], &tei["language"]),
        (&json!("The keeper's winter"), &json!("Ida Fennick"), &json!("en"))
    );
    for name in ["log.alto.xml", "log.hocr"] {
        let found = &env.convert(&[&sample(&format!("sources/{name}"))]).documents[0];
        let text = "The ferry passed the lighthouse\nat seven and blew its\nhorn.\n\nNo answer came.\n\nThe keeper was asleep.";
        assert_eq!(
            (text_of(found), &found["pages"], &found["language"]),
            (text, &json!([0, 78]), &json!("en")),
            "{name}"
        );
    }
    env.write("cut.xml", "<alto><Layout><Page>");
    let converted = env.convert(&["cut.xml"]);
    assert!(
        converted.failures[0]["error"].as_str().is_some_and(|error| error.starts_with("damaged ALTO file: byte 20"))
    );
}

#[test]
fn pages_that_were_written_as_tei_are_read_again_one_by_one() {
    let env = Env::new();
    env.run(&["extract", &sample("crawl.warc.gz"), "-o", "pages.xml.gz"]).code(0);
    env.run(&["extract", &sample("crawl.warc.gz"), "-o", "pages.jsonl"]).code(0);
    let again = env.convert(&["pages.xml.gz"]);
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let pages = env.read_jsonl("pages.jsonl");
    assert_eq!((again.outcome.code, again.documents.len()), (0, pages.len()));
    for (found, page) in again.documents.iter().zip(&pages) {
        assert_eq!(found["title"], page["title"]);
        let (mut one, mut other) = (words(text_of(found)), words(text_of(page)));
        one.sort();
        other.sort();
        assert_eq!(one, other, "{}", page["url"]);
    }
}

#[test]
fn names_that_are_not_utf8_are_read_from_a_folder() {
    use std::os::unix::ffi::OsStrExt;
    let env = Env::new();
    env.write("texts/a.txt", "A.");
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.txt");
    std::fs::write(env.path("texts").join(name), GOOD).expect("a file");
    let converted = env.convert(&["texts"]);
    assert_eq!((converted.outcome.code, converted.texts()), (0, vec!["A.", GOOD]));
}

#[test]
fn a_list_shows_documents_skipped_items_and_failures() {
    let env = Env::new();
    let outcome = env.run(&["list", &sample("crawl-broken.warc.gz")]).code(1).says(&["2 documents", "2 failed"]);
    let kinds: Vec<&str> = outcome.text().lines().map(|line| line.split('\t').next().unwrap_or_default()).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == "document").count(), 2);
    assert_eq!(kinds.iter().filter(|kind| **kind == "failed").count(), 2);
    let json = env.run(&["list", "--json", &sample("crawl-broken.warc.gz")]).code(1);
    let items = parse_jsonl(&json.stdout);
    assert_eq!(items.len(), kinds.len());
    assert_eq!(items.iter().filter(|item| item["kind"] == "failed").count(), 2);
}
