//! Rules that hold for every verb: how outputs are named, what `-q` prints, and what happens without input.

mod common;

use std::os::unix::fs::symlink;

use common::{Env, GOOD, Outcome, noise, samples, simple_page, verbs, warc_record, zip};

/// A verb with a command line that works.
struct Sample {
    verb: &'static str,
    /// What follows the verb: names that exist, and no output.
    input: &'static str,
    writes: Writes,
}

/// What `-o` can name.
#[derive(PartialEq)]
enum Writes {
    FileOrFolder,
    File,
    /// Always a folder, with or without a slash at the end of its name.
    Folder,
    /// The verb has no `-o`.
    Nothing,
}

impl Sample {
    /// The option that names an output of its own.
    fn output(&self) -> String {
        match self.writes {
            Writes::FileOrFolder | Writes::Folder => format!("-o out-{}/", self.verb),
            Writes::File => "-o out.jsonl".to_owned(),
            Writes::Nothing => String::new(),
        }
    }
}

const SAMPLES: [Sample; 18] = [
    Sample { verb: "corpus", input: "samples/notes.zip", writes: Writes::Folder },
    Sample { verb: "extract", input: "samples/pages", writes: Writes::FileOrFolder },
    Sample { verb: "convert", input: "samples/notes.zip", writes: Writes::FileOrFolder },
    Sample { verb: "decode", input: "samples/pages", writes: Writes::FileOrFolder },
    Sample { verb: "dedup", input: "samples/notes.jsonl", writes: Writes::FileOrFolder },
    Sample { verb: "decontaminate", input: "--evals=samples/evals/ samples/quiz.jsonl", writes: Writes::FileOrFolder },
    Sample { verb: "quality", input: "--quality=gopher samples/notes.jsonl", writes: Writes::FileOrFolder },
    Sample { verb: "strip", input: "samples/books", writes: Writes::FileOrFolder },
    Sample { verb: "template", input: "samples/site", writes: Writes::FileOrFolder },
    Sample { verb: "compare", input: "samples/essays", writes: Writes::FileOrFolder },
    Sample { verb: "editions", input: "samples/editions", writes: Writes::FileOrFolder },
    Sample { verb: "library add", input: "lib samples/essays", writes: Writes::Nothing },
    Sample { verb: "library check", input: "lib samples/brief.md", writes: Writes::File },
    Sample { verb: "library list", input: "lib", writes: Writes::Nothing },
    Sample { verb: "library verify", input: "lib", writes: Writes::Nothing },
    Sample { verb: "library compact", input: "lib", writes: Writes::Nothing },
    Sample { verb: "library remove", input: "lib samples/essays/eva.txt", writes: Writes::Nothing },
    Sample { verb: "list", input: "samples/notes.zip", writes: Writes::Nothing },
];

/// Verbs that read no documents, or only outputs of others.
const OTHERS: [&str; 7] = ["library", "stats", "why", "audit", "schema", "completions", "man"];

/// A folder with the samples, and a library of them.
fn with_library() -> Env {
    let env = Env::new();
    env.copy_folder(&samples(), "samples");
    env.run(&["library", "add", "lib", "samples/essays", "-q"]).code(0);
    env
}

fn run(env: &Env, sample: &Sample, more: &str) -> Outcome {
    run_line(env, &format!("{} {} {more}", sample.verb, sample.input))
}

fn run_line(env: &Env, line: &str) -> Outcome {
    env.run(&line.split_whitespace().collect::<Vec<_>>())
}

fn writing() -> impl Iterator<Item = &'static Sample> {
    SAMPLES.iter().filter(|sample| sample.writes != Writes::Nothing)
}

#[test]
fn every_verb_has_a_sample() {
    let mut expected: Vec<String> = verbs(&Env::new()).iter().map(|verb| verb.join(" ")).collect();
    let mut known: Vec<&str> = SAMPLES.iter().map(|sample| sample.verb).chain(OTHERS).collect();
    expected.sort();
    known.sort_unstable();
    assert_eq!(known, expected);
}

#[test]
fn a_name_that_is_neither_file_nor_folder_is_refused() {
    let env = with_library();
    for sample in writing().filter(|sample| sample.writes != Writes::Folder) {
        let refused = run(&env, sample, "-o name");
        assert_eq!(refused.code, 2, "{}: {refused:?}", sample.verb);
        assert!(refused.stderr.contains("name/ for a folder"), "{}: {refused:?}", sample.verb);
        assert!(!env.path("name").exists(), "{}", sample.verb);
    }
}

#[test]
fn an_extension_that_cannot_be_written_is_refused() {
    let env = with_library();
    for sample in writing() {
        let refused = run(&env, sample, "-o x.xlsx");
        assert_eq!(refused.code, 2, "{}: {refused:?}", sample.verb);
        assert!(refused.stderr.contains("x.xlsx"), "{}: {refused:?}", sample.verb);
        assert!(!env.path("x.xlsx").exists(), "{}", sample.verb);
    }
    // Nor is one text written under such a name, or a list of JSON lines under that of a table.
    for line in ["strip samples/books/lamp.txt -o x.xlsx", "decode samples/brief.md -o x.xlsx"] {
        run_line(&env, line).code(2).says(&["x.xlsx", ".txt"]);
    }
    for list in ["--removed", "--errors", "--lost"] {
        run_line(&env, &format!("dedup samples/notes.jsonl -o x.jsonl {list} x.csv"))
            .code(2)
            .says(&["x.csv", ".jsonl"]);
    }
    assert!(!env.path("x.csv").exists() && !env.path("x.jsonl").exists());
}

#[test]
fn texts_can_be_read_again_without_their_report() {
    let env = with_library();
    for (line, count) in [
        ("decode samples/pages -o texts/", "24 documents"),
        ("strip samples/books -o texts/", "3 documents"),
        ("template samples/site -o texts/", "6 documents"),
    ] {
        run_line(&env, &format!("{line} -q")).code(0);
        assert!(env.path("texts/report.jsonl").exists(), "{line}");
        run_line(&env, "convert texts/ -o again.jsonl").code(0).says(&[count]);
        std::fs::remove_dir_all(env.path("texts")).expect("a folder");
    }
}

/// The last line of a run adds up, and says the same as the report.
fn account_of(line: &str, ended: &Outcome, account: &serde_json::Value) -> [u64; 4] {
    let number = |name: &str| account[name].as_u64().unwrap_or_else(|| panic!("{line}: {account}"));
    let skipped: u64 = account["skipped"].as_object().expect(line).values().filter_map(serde_json::Value::as_u64).sum();
    let counts = [number("found"), number("documents"), skipped, number("failed")];
    assert_eq!(counts[0], counts[1..].iter().sum::<u64>(), "{line}: {account}");
    let said = ended.stderr.lines().last().unwrap_or_default();
    let expected = format!("found {} items: {} documents, {} skipped", counts[0], counts[1], counts[2]);
    assert!(said.starts_with(&expected) && said.ends_with(&format!("{} failed", counts[3])), "{line}: {said}");
    counts
}

#[test]
fn every_verb_accounts_for_every_item_as_list_does() {
    let env = with_library();
    let page =
        simple_page("http://a.example/", "The lamp at Skerrow Head was lit at dusk and burned until the morning.");
    let request = warc_record("request", "http://a.example/", "application/http", b"GET / HTTP/1.1\r\n\r\n");
    env.write("in/crawl.warc", [page, request].concat());
    env.write("in/broken.gz", [0x1f, 0x8b, 8, 0, 0]);
    env.write("in/broken.txt", [0, 1, 2, 3, 0, 0xff, 0xfe, 0, 9, 0, 0, 0]);
    env.write("in/picture.png", b"\x89PNG\r\n\x1a\n");
    env.write("in/bytes.dat", noise(4000));
    env.write("in/broken.pdf", b"%PDF-1.4\nnothing");
    env.write("in/lines.jsonl", "{\"text\": \"Nobody has counted the gulls of the harbour.\"}\n{}\n");
    env.write("in/one.txt", GOOD);
    env.write("in/two.txt", "The office of the harbour was closed until noon, and the ferry had left.");
    env.write("in/all.zip", zip(&[("a.txt", GOOD.as_bytes()), ("b.gif", b"GIF89a"), ("c.pdf", b"%PDF-1.4\n")], true));
    let listed = run_line(&env, "list in missing.txt --json");
    let mut expected = [0; 4];
    for item in String::from_utf8(listed.stdout.clone()).expect("JSON lines").lines() {
        let item: serde_json::Value = serde_json::from_str(item).expect("JSON");
        expected[0] += 1;
        match item["kind"].as_str() {
            Some("document") => expected[1] += 1,
            Some("skipped") => expected[2] += 1,
            _ => expected[3] += 1,
        }
    }
    assert_eq!(expected, [15, 5, 4, 6], "{}", listed.text());
    assert!(listed.stderr.contains("found 15 items: 5 documents, 4 skipped ("), "{listed:?}");
    // Verbs that write documents or reports, or add to a library, read what `list` reads.
    for sample in SAMPLES.iter().filter(|sample| sample.writes != Writes::Nothing || sample.verb == "library add") {
        let (options, _) = sample.input.rsplit_once(' ').unwrap_or_default();
        let report = if sample.verb == "corpus" { "--json" } else { "--report report.json" };
        let line = format!("{} {options} in missing.txt {} {report}", sample.verb, sample.output());
        let ended = run_line(&env, &line);
        assert_eq!(ended.code, 1, "{line}: {ended:?}");
        let json = if sample.verb == "corpus" { ended.stdout.clone() } else { env.read("report.json") };
        let report: serde_json::Value = serde_json::from_slice(&json).expect(sample.verb);
        let account = account_of(&line, &ended, &report["input"]);
        match sample.verb {
            // Each file is one text.
            "decode" => assert_eq!(account[0], 10 + 1, "{line}: {ended:?}"),
            _ => assert_eq!(account, expected, "{line}: {ended:?}"),
        }
    }
}

#[test]
fn a_folder_that_is_not_empty_keeps_its_files() {
    let env = with_library();
    for sample in writing() {
        let folder = format!("full-{}", sample.verb.replace(' ', "-"));
        env.write(&format!("{folder}/mine.xyz"), "Mine.");
        let refused = run(&env, sample, &format!("-o {folder}/"));
        assert_eq!(refused.code, 2, "{}: {refused:?}", sample.verb);
        assert_eq!(env.names(&folder), ["mine.xyz"], "{}", sample.verb);
        let overwritten = run(&env, sample, &format!("-o {folder}/ --overwrite"));
        // --overwrite of a corpus replaces a corpus, and never other files.
        let code = if sample.writes == Writes::FileOrFolder { 0 } else { 2 };
        assert_eq!(overwritten.code, code, "{}: {overwritten:?}", sample.verb);
        assert_eq!(env.names(&folder).len() > 1, code == 0, "{}", sample.verb);
        assert_eq!(env.read_text(&format!("{folder}/mine.xyz")), "Mine.", "{}", sample.verb);
    }
}

#[test]
fn links_in_an_output_folder_are_replaced_and_never_followed() {
    let env = with_library();
    for sample in writing().filter(|sample| sample.writes != Writes::File) {
        let (verb, output) = (sample.verb, sample.output());
        let folder = output.trim_start_matches("-o ").trim_end_matches('/');
        run(&env, sample, &output).code(0);
        let written = env.snapshot(folder);
        let files = || written.iter().filter(|(name, _)| !name.ends_with('/'));
        for (number, (name, _)) in files().enumerate() {
            let precious = format!("precious/{verb}-{number}");
            env.write(&precious, "Precious.");
            std::fs::remove_file(env.path(folder).join(name)).expect("a file");
            symlink(env.path(&precious), env.path(folder).join(name)).expect("a link");
        }
        let again = run(&env, sample, &format!("{output} --overwrite"));
        for (number, (name, _)) in files().enumerate() {
            assert_eq!(env.read_text(&format!("precious/{verb}-{number}")), "Precious.", "{verb}: {name}");
            let is_link = env.path(folder).join(name).is_symlink();
            assert!(!is_link || again.code == 2, "{verb}: {name} is still a link: {again:?}");
        }
        // Without its manifest, a folder is no corpus.
        assert_eq!(again.code, if sample.writes == Writes::Folder { 2 } else { 0 }, "{verb}: {again:?}");
        assert!(again.code == 2 || env.snapshot(folder) == written, "{verb}");

        // The folder of the evidence is a link.
        if env.path(folder).join("_refrain").is_dir() {
            let outside = format!("outside-{verb}");
            std::fs::rename(env.path(folder).join("_refrain"), env.path(&outside)).expect("a folder");
            symlink(env.path(&outside), env.path(folder).join("_refrain")).expect("a link");
            let before = env.snapshot(&outside);
            let refused = run(&env, sample, &format!("{output} --overwrite")).code(2);
            assert!(refused.stderr.contains("_refrain is a symbolic link"), "{verb}: {refused:?}");
            assert_eq!(env.snapshot(&outside), before, "{verb}");
        }
    }
}

#[test]
fn overwriting_replaces_the_files_of_an_earlier_run() {
    let env = with_library();
    for sample in writing().filter(|sample| sample.writes == Writes::FileOrFolder) {
        let output = sample.output();
        let folder = output.trim_start_matches("-o ");
        run(&env, sample, &output).code(0);
        let first = env.snapshot(folder);
        run(&env, sample, &format!("{output} --overwrite")).code(0);
        assert_eq!(env.snapshot(folder), first, "{}", sample.verb);
    }
}

#[test]
fn files_in_an_output_folder_are_named_after_the_inputs() {
    let env = Env::new();
    env.copy_folder(&samples().join("essays"), "essays");
    env.copy_folder(&samples().join("essays"), "essays/more");
    env.write("essays/more.zip", zip(&[("sub/x.txt", GOOD.as_bytes()), ("sub/x", GOOD.as_bytes())], true));
    let absolute = env.path("essays");
    for verb in ["convert", "extract", "decode", "strip"] {
        let inputs: &[&str] = if verb == "decode" { &["/anna.txt", "/more"] } else { &[""] };
        let mut folders = Vec::new();
        for (number, root) in ["essays", absolute.to_str().expect("a name")].into_iter().enumerate() {
            let inputs: Vec<String> = inputs.iter().map(|input| format!("{root}{input}")).collect();
            let folder = format!("{verb}-{number}/");
            let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
            env.run(&[&[verb, "-o", &folder, "-q"], inputs.as_slice()].concat()).code(0);
            folders.push(env.names(&folder));
        }
        assert_eq!(folders[0], folders[1], "{verb}");
        for name in ["anna.txt", "more/anna.txt"] {
            assert!(folders[0].iter().any(|file| file == name), "{verb}: {folders:?}");
        }
        if verb != "decode" {
            // Two members of an archive would get the same name.
            for name in ["more.zip_sub_x.txt", "more.zip_sub_x-2.txt"] {
                assert!(folders[0].iter().any(|file| file == name), "{verb}: {folders:?}");
            }
        }
    }
}

#[test]
fn quiet_runs_print_nothing() {
    let env = with_library();
    for sample in SAMPLES.iter().filter(|sample| sample.verb != "library list") {
        let output = sample.output();
        let quiet = run(&env, sample, &format!("-q {output}"));
        assert_eq!((quiet.code, quiet.stderr.as_str()), (0, ""), "{}", sample.verb);
        // The list is the result of this verb.
        assert_eq!(quiet.stdout.is_empty(), sample.verb != "list", "{}: {}", sample.verb, quiet.text());
    }
}

#[test]
fn quiet_runs_still_print_failures() {
    let env = with_library();
    for sample in SAMPLES.iter().filter(|sample| sample.input.contains("samples/") && sample.verb != "list") {
        let output = sample.output();
        let line = format!("{} {} missing.txt -q {output}", sample.verb, sample.input);
        let failed = run_line(&env, &line);
        assert_eq!(failed.code, 1, "{line}: {failed:?}");
        assert!(failed.stderr.contains("missing.txt") && failed.stderr.lines().count() == 1, "{line}: {failed:?}");
    }
}

#[test]
fn no_input_is_an_error() {
    let env = with_library();
    for sample in &SAMPLES {
        let output = if sample.writes == Writes::Folder { "-o none/" } else { "" };
        let input = match sample.input.split_once(' ') {
            Some((library, _)) if sample.verb != "library remove" => format!("{library} missing"),
            Some((_, id)) => format!("missing {id}"),
            None => "missing".to_owned(),
        };
        let refused = run_line(&env, &format!("{} {input} {output}", sample.verb));
        assert_eq!(refused.code, 2, "{}: {refused:?}", sample.verb);
        assert!(refused.stderr.contains("missing"), "{}: {refused:?}", sample.verb);
        assert!(refused.stdout.is_empty(), "{}: {refused:?}", sample.verb);
    }
    run_line(&env, "stats missing").code(2).says(&["missing"]);
}

#[test]
fn the_folder_for_temporary_files_must_exist() {
    let env = with_library();
    for sample in &SAMPLES {
        let words: Vec<&str> = sample.verb.split(' ').chain(["--help"]).collect();
        if env.run(&words).code(0).text().contains("--temporary") {
            let refused = run(&env, sample, &format!("--temporary nowhere {}", sample.output()));
            assert_eq!(refused.code, 2, "{}: {refused:?}", sample.verb);
            assert!(refused.stderr.contains("nowhere"), "{}: {refused:?}", sample.verb);
        }
    }
}

#[test]
fn every_verb_prints_its_report_as_json() {
    let env = with_library();
    for sample in writing() {
        let output = if sample.writes == Writes::Folder { sample.output() } else { String::new() };
        let printed = run(&env, sample, &format!("--json -q {output}"));
        assert_eq!((printed.code, printed.stderr.as_str()), (0, ""), "{}", sample.verb);
        let report: serde_json::Value = serde_json::from_slice(&printed.stdout).expect(sample.verb);
        assert!(report.is_object(), "{}: {report}", sample.verb);
        if sample.writes == Writes::Folder {
            continue; // a corpus has its report in its folder
        }
        // The results are written where they are named.
        let both = run(&env, sample, &format!("--json -q {} --report report.json", sample.output()));
        assert_eq!(both.code, 0, "{}: {both:?}", sample.verb);
        let written: serde_json::Value = serde_json::from_slice(&env.read("report.json")).expect(sample.verb);
        assert!(written.is_object(), "{}: {written}", sample.verb);
        let is_summary = ["template", "library check"].contains(&sample.verb);
        assert!(is_summary || serde_json::from_slice::<serde_json::Value>(&both.stdout).expect(sample.verb) == written);
    }
}

#[test]
fn a_report_is_written_even_if_everything_failed() {
    let env = with_library();
    env.write("broken.gz", [0x1f, 0x8b, 8, 0, 0]);
    for sample in writing().filter(|sample| sample.writes != Writes::Folder) {
        let line = match sample.verb {
            "library check" => "library check lib broken.gz --report r.json".to_owned(),
            "decontaminate" => "decontaminate broken.gz --evals samples/evals/ --json --report r.json".to_owned(),
            "quality" => "quality broken.gz --quality gopher --json --report r.json".to_owned(),
            verb => format!("{verb} broken.gz --json --report r.json"),
        };
        let _ = std::fs::remove_file(env.path("r.json"));
        let failed = run_line(&env, &line);
        // For decode it is a file of bytes that are not text.
        assert_eq!(failed.code, 1, "{line}: {failed:?}");
        let report: serde_json::Value = serde_json::from_slice(&env.read("r.json")).expect(sample.verb);
        assert_eq!(report["failures"]["count"], 1, "{line}: {report}");
    }
}

#[test]
fn no_list_is_written_over_the_results() {
    let env = with_library();
    for line in [
        "compare samples/essays -o c/ --report c/report.json",
        "strip samples/books -o s/ --removed s/report.jsonl",
        "library add lib samples/brief.md --report lib/library.json",
        "library add lib samples/brief.md --errors lib/library.json",
        "extract samples/pages --removed -",
    ] {
        run_line(&env, line).code(2);
    }
    run_line(&env, "library verify lib").code(0);
    assert!(!env.path("c").exists() && !env.path("s").exists());
}

#[test]
fn what_is_removed_is_listed_with_the_reason() {
    let env = with_library();
    run_line(&env, "strip samples/books -o marked.jsonl --keep-marked -q").code(0);
    for (line, label, reason) in [
        ("extract samples/pages -o pages.jsonl", "boilerplate", "judged"),
        ("extract samples/pages --method justext -o justext.jsonl", "boilerplate", "classified"),
        ("strip samples/books -o books/", "preamble", "stated"),
        ("strip samples/books --explain", "preamble", "stated"),
        ("convert marked.jsonl -o bodies.jsonl", "preamble", "stated"),
        ("quality samples/pages --quality fineweb -o good.jsonl", "quality", "measured"),
        ("dedup samples/crawl.warc.gz -o clean.jsonl", "duplicate", "repeats"),
        ("dedup marked.jsonl -o again.jsonl", "epilogue", "stated"),
        ("dedup marked.jsonl --by document -o again.jsonl", "epilogue", "stated"),
        ("dedup marked.jsonl --by document --keep longest -o again.jsonl", "epilogue", "stated"),
    ] {
        run_line(&env, &format!("{line} --removed removed.jsonl -q")).code(0);
        let removed = env.read_jsonl("removed.jsonl");
        assert!(removed.iter().any(|line| line["label"] == label), "{line}: {removed:?}");
        for range in &removed {
            assert!(range["evidence"].get(reason).is_some(), "{line}: {range}");
            let text = range["text"].as_str().expect("a text");
            let length = range["end"].as_u64().expect("an end") - range["start"].as_u64().expect("a start");
            assert_eq!(length, text.chars().count() as u64, "{line}: {range}");
        }
    }
}
