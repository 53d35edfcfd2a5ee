//! Damaged and hostile inputs: each is reported with its file and place, and the rest is processed.

mod common;

use std::io::Write;
use std::process::Stdio;

use common::{
    Env, GOOD, Outcome, bzip2, gzip, noise, page_record, parse_jsonl, sample, simple_page, strings, tar, text_of,
    warc_record_of_length, words, write_parquet, xz, zip, zstd,
};

#[test]
fn a_missing_path_alone_cannot_be_run() {
    let env = Env::new();
    for verb in ["convert", "list"] {
        env.run(&[verb, "missing.txt"]).code(2).says(&["missing.txt", "no such file"]);
    }
    env.run(&["corpus", "missing.txt", "-o", "corpus"]).code(2).says(&["missing.txt", "no such file"]);
    assert!(!env.path("corpus").exists(), "nothing was read, so nothing is written");
}

#[test]
fn a_missing_path_next_to_a_good_one_is_a_failure() {
    let env = Env::with_good_document();
    let converted = env.convert(&["missing.txt", "good.txt"]);
    converted.good_is_kept_with_one_failure("missing.txt", &["no such file"]);
}

#[test]
fn a_missing_path_is_listed_in_the_errors_of_a_corpus() {
    let env = Env::with_good_document();
    env.run(&["corpus", "missing.txt", "good.txt", "-o", "corpus", "--format", "jsonl"]).code(1).says(&["missing.txt"]);
    let errors = env.read_jsonl("corpus/errors.jsonl");
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0]["input"], "missing.txt");
    assert_eq!(env.read_jsonl("corpus/documents/part-00000.jsonl")[0]["text"], GOOD);
}

#[test]
fn a_pattern_that_matches_nothing_is_a_failure() {
    let env = Env::with_good_document();
    env.convert(&["*.html", "good.txt"]).good_is_kept_with_one_failure("*.html", &["no file matches"]);
}

#[test]
fn an_empty_file_is_a_failure() {
    let env = Env::with_good_document();
    env.write("empty.txt", "");
    env.convert(&["empty.txt", "good.txt"]).good_is_kept_with_one_failure("empty.txt", &["empty file"]);
}

#[test]
fn a_folder_without_documents_is_a_failure() {
    let env = Env::with_good_document();
    std::fs::create_dir(env.path("nothing")).expect("a folder");
    env.run(&["convert", "nothing"]).code(2).says(&["nothing", "no files in this folder"]);
    env.convert(&["nothing", "good.txt"]).good_is_kept_with_one_failure("nothing", &["no files in this folder"]);
}

#[test]
fn a_broken_link_in_a_folder_is_a_failure() {
    let env = Env::new();
    env.write("texts/good.txt", GOOD);
    std::os::unix::fs::symlink("gone.txt", env.path("texts/link.txt")).expect("a link");
    env.convert(&["texts"]).good_is_kept_with_one_failure("texts/link.txt", &["no such file"]);
}

#[test]
fn a_truncated_text_is_a_failure_whatever_packed_it() {
    let env = Env::with_good_document();
    let text = words(20_000, 1).into_bytes();
    let packed = [("gz", gzip(&text)), ("zst", zstd(&text)), ("bz2", bzip2(&text)), ("xz", xz(&text))];
    for (extension, packed) in packed {
        let name = format!("cut.txt.{extension}");
        env.write(&name, &packed[..packed.len() / 2]);
        let converted = env.convert(&[&name, "good.txt"]);
        assert_eq!(converted.documents.len(), 1, "{name}: half a text is no document");
        converted.good_is_kept_with_one_failure(&name, &["truncated"]);
    }
}

#[test]
fn lines_before_the_cut_of_a_truncated_jsonl_arrive() {
    let env = Env::with_good_document();
    let lines: Vec<String> =
        (0..3000).map(|n| format!("{{\"id\": \"{n}\", \"text\": \"{}\"}}\n", words(12, n))).collect();
    let plain = lines.concat().into_bytes();
    for (extension, packed) in [("gz", gzip(&plain)), ("zst", zstd(&plain)), ("xz", xz(&plain))] {
        let name = format!("cut.jsonl.{extension}");
        env.write(&name, &packed[..packed.len() * 3 / 5]);
        let converted = env.convert(&[&name, "good.txt"]);
        let failure = converted.good_is_kept_with_one_failure(&name, &["truncated"]);
        let arrived = converted.documents.len() - 1;
        assert!(arrived > 500 && arrived < 2900, "{name}: {arrived} lines");
        assert_eq!(failure["place"]["line"], arrived + 1, "{name}: the line that is cut");
        for (n, document) in converted.documents[..arrived].iter().enumerate() {
            assert_eq!(document["id"], n.to_string(), "{name}");
            assert_eq!(text_of(document), words(12, n as u64), "{name}");
        }
    }
}

#[test]
fn a_damaged_member_of_a_zip_leaves_the_others() {
    let env = Env::new();
    for deflated in [false, true] {
        let long = words(2000, 3);
        let members: [(&str, &[u8]); 3] = [("a.txt", GOOD.as_bytes()), ("b.txt", long.as_bytes()), ("c.txt", b"Last.")];
        let mut bytes = zip(&members, deflated);
        let middle = bytes.len() / 2;
        for byte in &mut bytes[middle..middle + 16] {
            *byte ^= 0x5a;
        }
        env.write("damaged.zip", bytes);
        let converted = env.convert(&["damaged.zip"]);
        let failure = converted.good_is_kept_with_one_failure("damaged.zip", &["b.txt"]);
        assert_eq!(failure["member"], "b.txt");
        assert_eq!(converted.texts(), [GOOD, "Last."]);
    }
}

#[test]
fn a_truncated_zip_is_a_failure() {
    let env = Env::with_good_document();
    let bytes = zip(&[("a.txt", words(2000, 3).as_bytes())], true);
    env.write("cut.zip", &bytes[..bytes.len() / 2]);
    let converted = env.convert(&["cut.zip", "good.txt"]);
    converted.good_is_kept_with_one_failure("cut.zip", &["check that the archive is complete"]);
}

#[test]
fn an_encrypted_member_of_a_zip_is_a_failure() {
    let env = Env::new();
    let mut bytes = zip(&[("a.txt", GOOD.as_bytes()), ("secret.txt", b"Twelve bytes and more of a secret.")], false);
    // Bit 0 of the flags, in the header of the member and in the directory.
    for (magic, flags, name) in [(b"PK\x03\x04", 6, 30), (b"PK\x01\x02", 8, 46)] {
        let starts: Vec<usize> = bytes.windows(4).enumerate().filter(|(_, w)| w == magic).map(|(at, _)| at).collect();
        let member = starts.into_iter().find(|at| bytes[at + name..].starts_with(b"secret.txt"));
        bytes[member.expect("the header of the member") + flags] |= 1;
    }
    env.write("notes.zip", bytes);
    let converted = env.convert(&["notes.zip"]);
    let failure = converted.good_is_kept_with_one_failure("notes.zip", &["encrypted"]);
    assert_eq!(failure["member"], "secret.txt");
}

#[test]
fn a_member_that_expands_to_more_than_a_document_may_have_is_a_failure() {
    let env = Env::with_good_document();
    let spaces = vec![b' '; 3 << 20];
    env.write("bomb.zip", zip(&[("a.txt", &spaces), ("b.txt", b"Small.")], true));
    assert!(env.read("bomb.zip").len() < 10_000);
    let converted = env.convert(&["bomb.zip", "good.txt", "--max-document", "1M"]);
    let failure = converted.good_is_kept_with_one_failure("bomb.zip", &["1048576", "--max-document"]);
    assert_eq!(failure["member"], "a.txt");
    assert_eq!(converted.texts(), ["Small.", GOOD]);
}

#[test]
fn a_member_that_claims_to_expand_beyond_all_limits_is_not_decompressed() {
    let env = Env::with_good_document();
    let mut bytes = zip(&[("a.txt", &[b' '; 10_000]), ("b.txt", b"Small.")], true);
    // The uncompressed size in the directory of the archive: 3 GiB.
    let entry = bytes.windows(4).position(|w| w == b"PK\x01\x02").expect("a directory");
    bytes[entry + 24..entry + 28].copy_from_slice(&(3_u32 << 30).to_le_bytes());
    env.write("bomb.zip", bytes);
    let converted = env.convert(&["bomb.zip", "good.txt", "--max-expansion", "1", "--max-document", "4G"]);
    let failure = converted.good_is_kept_with_one_failure("bomb.zip", &["expands", "--max-expansion"]);
    assert_eq!(failure["member"], "a.txt");
    assert_eq!(converted.texts(), ["Small.", GOOD]);
}

#[test]
fn a_stream_that_expands_beyond_all_limits_is_stopped() {
    let env = Env::with_good_document();
    let mut blank = vec![b' '; 16 << 20];
    blank.push(b'\n');
    let line = format!("{{\"text\": \"{GOOD}\"}}\n");
    env.write("bomb.jsonl.zst", [zstd(line.as_bytes()), zstd(&blank).repeat(80), zstd(line.as_bytes())].concat());
    assert!(env.read("bomb.jsonl.zst").len() < 1 << 20);
    let converted = env.convert(&["bomb.jsonl.zst", "good.txt", "--max-expansion", "1"]);
    let failure = converted.good_is_kept_with_one_failure("bomb.jsonl.zst", &["expands", "--max-expansion"]);
    assert!(failure["place"]["line"].as_u64().is_some_and(|line| line > 60), "{failure}");
    assert_eq!(converted.texts(), [GOOD, GOOD], "what came before the bomb went off, and the other file");
}

#[test]
fn packed_members_of_an_archive_share_its_limit() {
    let env = Env::with_good_document();
    let mut blank = vec![b' '; 16 << 20];
    blank.push(b'\n');
    let packed = zstd(&blank).repeat(25);
    let members: [(&str, &[u8]); 3] = [("1.jsonl.zst", &packed), ("2.jsonl.zst", &packed), ("3.jsonl.zst", &packed)];
    env.write("bomb.zip", zip(&members, true));
    let converted = env.convert(&["bomb.zip", "good.txt", "--max-expansion", "1"]);
    assert_eq!(converted.outcome.code, 1, "1.2 GB came out of {} bytes", env.read("bomb.zip").len());
    let failure = converted.good_is_kept_with_one_failure("bomb.zip", &["expands", "--max-expansion"]);
    assert_eq!(failure["member"], "3.jsonl.zst");
}

#[test]
fn names_that_leave_the_folder_are_harmless() {
    let env = Env::new();
    let members: [(&str, &[u8]); 5] = [
        ("../../outside.txt", b"One."),
        ("/tmp/absolute-path-of-a-test.txt", b"Two."),
        ("a/../../b.txt", b"Three."),
        ("..\\..\\windows.txt", b"Four."),
        ("..", b"Five."),
    ];
    env.write("box/in/wicked.zip", zip(&members, true));
    env.write("box/in/wicked.tar", tar(&members));
    for archive in ["box/in/wicked.zip", "box/in/wicked.tar"] {
        let before = env.names("box");
        env.run(&["convert", archive, "-o", "box/in/out/"]).code(0);
        let after = env.snapshot("box");
        let new: Vec<_> = after.iter().filter(|(name, _)| !before.contains(name)).collect();
        let mut texts = Vec::new();
        for (name, content) in new {
            assert!(name.starts_with("in/out/"), "{archive} wrote {name}");
            assert_eq!(name.matches('/').count(), 2, "{archive} made folders: {name}");
            texts.extend(Some(String::from_utf8_lossy(content).into_owned()).filter(|text| !text.is_empty()));
        }
        texts.sort();
        assert_eq!(texts, ["Five.", "Four.", "One.", "Three.", "Two."], "{archive}");
        assert!(!env.path("outside.txt").exists() && !env.path("b.txt").exists(), "{archive}");
        assert!(!std::path::Path::new("/tmp/absolute-path-of-a-test.txt").exists(), "{archive}");
        std::fs::remove_dir_all(env.path("box/in/out")).expect("removed");
    }
}

#[test]
fn archives_nested_too_deep_are_a_failure() {
    let env = Env::with_good_document();
    let mut bytes = GOOD.as_bytes().to_vec();
    for depth in 0..8 {
        let name = if depth == 0 { "a.txt".to_owned() } else { format!("{depth}.tar") };
        bytes = tar(&[(&name, &bytes)]);
    }
    env.write("deep.tar", bytes);
    env.convert(&["deep.tar", "good.txt"]).good_is_kept_with_one_failure("deep.tar", &["nested"]);
}

#[test]
fn members_before_the_cut_of_a_truncated_tar_arrive() {
    let env = Env::new();
    let bytes = tar(&[("a.txt", GOOD.as_bytes()), ("b.txt", words(5000, 2).as_bytes())]);
    env.write("cut.tar", &bytes[..bytes.len() / 2]);
    let converted = env.convert(&["cut.tar"]);
    assert_eq!(converted.texts().len(), 1, "half a text is no document");
    converted.good_is_kept_with_one_failure("cut.tar", &["b.txt"]);
}

#[test]
fn parquet_without_the_text_column_lists_its_columns() {
    let env = Env::with_good_document();
    write_parquet(&env.path("t.parquet"), vec![("key", strings(&["1"])), ("body", strings(&["Text."]))]);
    let converted = env.convert(&["t.parquet", "good.txt"]);
    converted.good_is_kept_with_one_failure("t.parquet", &["key, body", "--text-field"]);
}

#[test]
fn parquet_whose_text_column_holds_numbers_is_a_failure() {
    let env = Env::with_good_document();
    let numbers = std::sync::Arc::new(arrow_array::Int64Array::from(vec![1, 2]));
    write_parquet(&env.path("t.parquet"), vec![("text", numbers)]);
    let converted = env.convert(&["t.parquet", "good.txt"]);
    converted.good_is_kept_with_one_failure("t.parquet", &["Int64", "not text"]);
}

#[test]
fn a_parquet_file_cut_off_is_a_failure() {
    let env = Env::with_good_document();
    write_parquet(&env.path("t.parquet"), vec![("text", strings(&[&words(1000, 1)]))]);
    let bytes = env.read("t.parquet");
    env.write("t.parquet", &bytes[..bytes.len() / 2]);
    env.convert(&["t.parquet", "good.txt"]).good_is_kept_with_one_failure("t.parquet", &["Parquet"]);
}

#[test]
fn damaged_parquet_data_are_a_failure() {
    let env = Env::with_good_document();
    write_parquet(&env.path("t.parquet"), vec![("text", strings(&[&words(1000, 1), &words(1000, 2)]))]);
    let mut bytes = env.read("t.parquet");
    for byte in &mut bytes[8..200] {
        *byte ^= 0xa5;
    }
    env.write("t.parquet", bytes);
    env.convert(&["t.parquet", "good.txt"]).good_is_kept_with_one_failure("t.parquet", &["Parquet"]);
}

#[test]
fn invalid_json_is_reported_with_its_line() {
    let env = Env::new();
    env.write("a.jsonl", format!("{{\"text\": \"One.\"}}\n\n{{\"text\": \"Tw\n{{\"text\": \"{GOOD}\"}}\n"));
    let converted = env.convert(&["a.jsonl"]);
    let failure = converted.good_is_kept_with_one_failure("a.jsonl", &["not valid JSON"]);
    assert_eq!(failure["place"]["line"], 3);
    assert!(converted.outcome.stderr.contains("a.jsonl, line 3"), "{}", converted.outcome.stderr);
    assert_eq!(converted.texts(), ["One.", GOOD]);
}

#[test]
fn json_that_is_no_object_or_not_utf8_is_reported_with_its_line() {
    let env = Env::new();
    let deep = "[".repeat(100_000);
    let lines: [&[u8]; 6] = [
        b"[1, 2]",
        b"\"text\"",
        b"{\"text\": \"caf\xe9\"}",
        b"{\"text\": 17}",
        deep.as_bytes(),
        b"{\"text\": \"Last.\"}",
    ];
    env.write("a.jsonl", lines.join(&b'\n'));
    let converted = env.convert(&["a.jsonl"]);
    let places: Vec<_> = converted.failures.iter().map(|failure| failure["place"]["line"].clone()).collect();
    assert_eq!(places, [1, 2, 3, 4, 5]);
    assert_eq!(converted.texts(), ["Last."]);
    assert_eq!(converted.outcome.code, 1);
}

#[test]
fn a_json_line_without_the_field_lists_its_fields() {
    let env = Env::new();
    env.write("a.jsonl", format!("{{\"key\": 1, \"body\": \"x\"}}\n{{\"text\": \"{GOOD}\"}}\n"));
    let converted = env.convert(&["a.jsonl"]);
    let failure = converted.good_is_kept_with_one_failure("a.jsonl", &["key, body", "--text-field"]);
    assert_eq!(failure["place"]["line"], 1);
}

#[test]
fn a_line_over_the_limit_is_a_failure() {
    let env = Env::new();
    let long = "x".repeat(3 << 20);
    env.write("a.jsonl", format!("{{\"text\": \"{long}\"}}\n{{\"text\": \"{GOOD}\"}}\n"));
    let converted = env.convert(&["a.jsonl", "--max-document", "1M"]);
    let failure = converted.good_is_kept_with_one_failure("a.jsonl", &["1048576", "--max-document"]);
    assert_eq!(failure["place"]["line"], 1);
    assert_eq!(converted.documents.len(), 1);
}

#[test]
fn documents_over_the_limit_are_failures_in_every_format() {
    let env = Env::with_good_document();
    let long = words(200_000, 5);
    env.write("big.txt", &long);
    env.write("big.warc", simple_page("https://a.example/", &long));
    env.write("big.vert", format!("<doc id=\"1\">\n{}\n</doc>\n", long.replace(' ', "\n")));
    write_parquet(&env.path("big.parquet"), vec![("text", strings(&[&long]))]);
    for name in ["big.txt", "big.warc", "big.vert", "big.parquet"] {
        let converted = env.convert(&[name, "good.txt", "--max-document", "1M"]);
        converted.good_is_kept_with_one_failure(name, &["1048576", "--max-document"]);
        assert_eq!(converted.documents.len(), 1, "{name}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_line_of_two_gigabytes_is_skipped_in_little_memory() {
    let env = Env::new();
    let mut command = env.command(&["convert", "-", "--input-format", "jsonl"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("refrain starts");
    let mut stdin = child.stdin.take().expect("its standard input");
    let piece = vec![b'x'; 1 << 20];
    for _ in 0..2048 {
        stdin.write_all(&piece).expect("refrain reads on");
    }
    // All but what the pipe holds has been read by now.
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).expect("the state of the process");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the peak of its memory");
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().expect("a number");
    stdin.write_all(format!("\n{{\"text\": \"{GOOD}\"}}\n").as_bytes()).expect("refrain reads on");
    drop(stdin);
    let outcome =
        Outcome::of(child.wait_with_output().expect("refrain ends")).code(1).says(&["-, line 1", "--max-document"]);
    assert_eq!(text_of(&parse_jsonl(&outcome.stdout)[0]), GOOD);
    assert!(peak < 400 << 10, "peak of memory: {peak} kB");
}

#[test]
fn random_bytes_that_claim_to_be_a_page_are_a_failure() {
    let env = Env::new();
    env.write("pages/good.txt", GOOD);
    env.write("pages/page.html", noise(20_000));
    for arguments in [&["pages"][..], &["pages/page.html", "pages/good.txt"]] {
        let converted = env.convert(arguments);
        let failure = converted.good_is_kept_with_one_failure("pages/page.html", &["is not text"]);
        assert!(failure["place"]["byte"].is_u64(), "{failure}");
        assert_eq!(converted.documents.len(), 1);
    }
}

#[test]
fn a_picture_in_a_folder_is_skipped() {
    let env = Env::new();
    env.write("pages/good.txt", GOOD);
    env.write("pages/dot.png", [b"\x89PNG\r\n\x1a\n".to_vec(), noise(500)].concat());
    env.write("pages/data.bin", noise(500));
    assert_eq!(env.only_text(&["pages"]), GOOD);
    let list = env.run(&["list", "pages"]).code(0);
    assert!(list.text().contains("skipped\t-\timage\tpages/dot.png"), "{}", list.text());
    env.convert(&["pages/dot.png", "pages"]).good_is_kept_with_one_failure("pages/dot.png", &["is not text: image"]);
}

#[test]
fn nul_bytes_in_a_text_are_replaced_and_reported() {
    let env = Env::with_good_document();
    let text = "The lamp was lit at dusk, as on every other evening of that long year.";
    env.write("nul.txt", format!("{}\0{}", &text[..25], &text[25..]));
    let converted = env.convert(&["nul.txt", "good.txt"]);
    let failure = converted.good_is_kept_with_one_failure("nul.txt", &["NUL"]);
    assert_eq!(failure["place"]["byte"], 25);
    assert!(converted.outcome.stderr.contains("nul.txt, byte 25"), "{}", converted.outcome.stderr);
    assert_eq!(converted.texts()[0], format!("{}\u{fffd}{}", &text[..25], &text[25..]));
}

#[test]
fn a_warc_cut_in_the_middle_gives_the_records_before_the_cut() {
    let env = Env::new();
    let records = [
        simple_page("https://a.example/1", GOOD),
        simple_page("https://a.example/2", "The second page."),
        simple_page("https://a.example/3", &words(3000, 9)),
    ];
    let plain = records.concat();
    env.write("cut.warc", &plain[..plain.len() * 2 / 3]);
    let packed = records.map(|record| gzip(&record)).concat();
    env.write("cut.warc.gz", &packed[..packed.len() * 2 / 3]);
    let plain_in_one_member = gzip(&plain);
    env.write("one-member.warc.gz", &plain_in_one_member[..plain_in_one_member.len() * 2 / 3]);
    for name in ["cut.warc", "cut.warc.gz", "one-member.warc.gz"] {
        let converted = env.convert(&[name]);
        let failure = converted.good_is_kept_with_one_failure(name, &["truncated"]);
        assert_eq!(failure["place"]["record"], 3, "{name}");
        assert!(converted.outcome.stderr.contains(&format!("{name}, record 3")), "{}", converted.outcome.stderr);
        assert_eq!(converted.texts(), [GOOD, "The second page."], "{name}");
    }
}

#[test]
fn a_warc_cut_inside_a_header_is_a_failure() {
    let env = Env::new();
    let mut bytes = simple_page("https://a.example/1", GOOD);
    bytes.extend_from_slice(&simple_page("https://a.example/2", "x")[..40]);
    env.write("cut.warc", bytes);
    let converted = env.convert(&["cut.warc"]);
    let failure = converted.good_is_kept_with_one_failure("cut.warc", &["truncated"]);
    assert_eq!(failure["place"]["record"], 2);
}

#[test]
fn a_warc_record_with_a_wrong_length_leaves_its_neighbours() {
    let env = Env::new();
    let block = common::http("Content-Type: text/html\r\n", b"<html><body><p>Of a wrong length.</p></body></html>");
    let kind = "application/http; msgtype=response";
    for (case, length) in [("too long", block.len() + 60), ("far too long", 1 << 20), ("too short", block.len() - 20)] {
        let wrong = warc_record_of_length("response", "https://a.example/2", kind, &block, length);
        let neighbours =
            [simple_page("https://a.example/1", "The first page."), simple_page("https://a.example/3", GOOD)];
        env.write("a.warc", [neighbours[0].as_slice(), &wrong, &neighbours[1]].concat());
        let converted = env.convert(&["a.warc"]);
        let failure = converted.good_is_kept_with_one_failure("a.warc", &[]);
        assert_eq!(failure["place"]["record"], 2, "{case}: {failure}");
        // What is too short can be read up to the next record.
        let texts: &[&str] = match case {
            "too short" => &["The first page.", "Of a wrong length.", GOOD],
            _ => &["The first page.", GOOD],
        };
        assert_eq!(converted.texts(), texts, "{case}");

        env.write("a.warc.gz", [gzip(&neighbours[0]), gzip(&wrong), gzip(&neighbours[1])].concat());
        let converted = env.convert(&["a.warc.gz"]);
        let failure = converted.good_is_kept_with_one_failure("a.warc.gz", &[]);
        assert_eq!(failure["place"]["record"], 2, "{case}, packed: {failure}");
        assert_eq!(converted.texts(), texts, "{case}, packed");
    }
}

#[test]
fn a_wrong_length_of_a_record_without_a_document_leaves_its_neighbours() {
    let env = Env::new();
    let block = b"GET /2 HTTP/1.1\r\nHost: a.example\r\n\r\n";
    for (case, length) in [("too long", block.len() + 60), ("too short", block.len() - 20)] {
        let kind = "application/http; msgtype=request";
        let wrong = warc_record_of_length("request", "https://a.example/2", kind, block, length);
        let neighbours =
            [simple_page("https://a.example/1", "The first page."), simple_page("https://a.example/2", GOOD)];
        env.write("a.warc", [neighbours[0].as_slice(), &wrong, &neighbours[1]].concat());
        let converted = env.convert(&["a.warc"]);
        assert_eq!(converted.texts(), ["The first page.", GOOD], "{case}");
        let failure = converted.good_is_kept_with_one_failure("a.warc", &[]);
        assert_eq!(failure["place"]["record"], 2, "{case}: {failure}");
    }
}

#[test]
fn a_warc_record_of_negative_or_absurd_length_leaves_its_neighbours() {
    let env = Env::new();
    for length in ["-1", "many", "99999999999999999999999", "18446744073709551615"] {
        let record = simple_page("https://a.example/1", "Wrong.");
        let record = String::from_utf8(record).expect("UTF-8");
        let (head, rest) = record.split_once("Content-Length: ").expect("a length");
        let (_, rest) = rest.split_once("\r\n").expect("a line");
        let wrong = format!("{head}Content-Length: {length}\r\n{rest}");
        env.write("a.warc", [wrong.as_bytes(), &simple_page("https://a.example/2", GOOD)].concat());
        let converted = env.convert(&["a.warc"]);
        let failure = converted.good_is_kept_with_one_failure("a.warc", &[]);
        assert_eq!(failure["place"]["record"], 1, "{length}");
    }
}

#[test]
fn a_body_that_is_not_what_its_header_says_is_a_failure_or_taken_as_it_is() {
    let env = Env::new();
    let packed = gzip(words(2000, 4).as_bytes());
    let headers = "Content-Type: text/plain\r\nContent-Encoding: gzip\r\n";
    let records = [
        page_record("https://a.example/cut", headers, &packed[..packed.len() / 2]),
        page_record("https://a.example/unpacked-before", headers, GOOD.as_bytes()),
    ];
    env.write("a.warc", records.concat());
    let converted = env.convert(&["a.warc"]);
    let failure = converted.good_is_kept_with_one_failure("a.warc", &["gzip"]);
    assert_eq!(failure["place"]["record"], 1);
    assert_eq!(converted.documents.len(), 1);
}

#[test]
fn the_broken_sample_gives_its_two_good_pages() {
    let env = Env::new();
    let name = sample("crawl-broken.warc.gz");
    let converted = env.convert(&[&name]);
    let urls: Vec<_> = converted.documents.iter().map(|document| document["url"].clone()).collect();
    let site = "https://lighthouse.example/articles";
    assert_eq!(urls, [format!("{site}/lens.html"), format!("{site}/fog-signals.html")]);
    let places: Vec<_> = converted.failures.iter().map(|failure| failure["place"]["record"].clone()).collect();
    assert_eq!(places, [5, 9]);
    let outcome = converted.outcome.code(1);
    outcome.says(&["crawl-broken.warc.gz, record 5", "crawl-broken.warc.gz, record 9"]);

    env.run(&["corpus", &name, "-o", "corpus", "--format", "jsonl"]).code(1).says(&["record 5", "record 9"]);
    assert_eq!(env.read_jsonl("corpus/documents/part-00000.jsonl").len(), 2);
    assert_eq!(env.read_jsonl("corpus/errors.jsonl").len(), 2);
}

#[test]
fn a_damaged_vertical_file_gives_its_other_documents() {
    let env = Env::new();
    let bytes = [b"<doc id=\"1\">\nca", &b"f\xe9"[..], b"\n</doc>\n<doc id=\"2\">\nLast\n</doc>\n"].concat();
    env.write("a.vert", bytes);
    let converted = env.convert(&["a.vert"]);
    assert_eq!(converted.failures[0]["place"]["line"], 2);
    assert_eq!(converted.texts().last(), Some(&"Last"));
    assert_eq!(converted.outcome.code, 1);
}

#[test]
fn many_failures_are_counted_and_the_first_ones_printed() {
    let env = Env::with_good_document();
    env.write("bad.jsonl", "oops\n".repeat(500));
    let converted = env.convert(&["bad.jsonl", "good.txt"]);
    assert_eq!(converted.failures.len(), 500);
    assert_eq!(converted.texts(), [GOOD]);
    let lines = converted.outcome.stderr.lines().filter(|line| line.starts_with("failed: ")).count();
    assert!(lines < 50, "{lines} lines");
    converted.outcome.code(1).says(&["bad.jsonl, line 1", "more"]);
}

#[test]
fn what_was_there_is_not_replaced_by_nothing() {
    let env = Env::new();
    env.write("empty.txt", "");
    env.write("found.jsonl", "what was there\n");
    for verb in ["strip", "template"] {
        env.run(&[verb, "empty.txt", "-o", "found.jsonl"]).code(1).says(&["wrote nothing"]);
        assert_eq!(env.read_text("found.jsonl"), "what was there\n", "{verb}");
    }
}

#[test]
fn a_file_of_a_folder_that_is_read_is_never_written_over() {
    let env = Env::new();
    (0..3).for_each(|n| env.write(&format!("texts/{n}.txt"), GOOD));
    for verb in ["convert", "strip", "editions", "template"] {
        for inputs in ["texts", "texts/*.txt"] {
            let command = [verb, inputs, "-o", "texts/1.txt"];
            env.run(&command).code(2);
            assert_eq!(env.read_text("texts/1.txt"), GOOD, "{command:?}");
        }
    }
}
