//! The command line itself: help, examples, suggestions, completions, manual pages, exit codes.

mod common;

use common::{Env, sample, samples, verbs};

/// A command line: words in front of the verb, the verb, words behind it.
fn with<'a>(before: &[&'a str], verb: &'a [String], after: &[&'a str]) -> Vec<&'a str> {
    before.iter().copied().chain(verb.iter().map(String::as_str)).chain(after.iter().copied()).collect()
}

/// The example that a help text opens with: the first that runs the verb, and what must be run before it.
#[track_caller]
fn example_of(help: &str, verb: &[String]) -> (Vec<String>, String) {
    let mut lines = help.lines();
    assert!(matches!(lines.next(), Some("Example:" | "Examples:")), "help opens with an example: {help}");
    let mut before = Vec::new();
    for line in lines.map(str::trim).take_while(|line| line.starts_with("refrain ")) {
        if line.starts_with(&format!("refrain {} ", verb.join(" ")).replace("  ", " ")) {
            return (before, line.to_owned());
        }
        before.push(line.to_owned());
    }
    panic!("an example runs {verb:?}: {help}");
}

#[track_caller]
fn example(help: &str) -> String {
    example_of(help, &[]).1
}

/// A folder with a link to the samples, so that examples find them as they do from the root of the repository.
fn with_samples() -> Env {
    let env = Env::new();
    std::os::unix::fs::symlink(samples(), env.path("samples")).expect("a link");
    env
}

#[track_caller]
fn run_example(env: &Env, line: &str) -> common::Outcome {
    let arguments: Vec<&str> = line.split_whitespace().skip(1).collect();
    env.run(&arguments)
}

#[test]
fn help_of_every_verb_opens_with_an_example() {
    let env = Env::new();
    for verb in verbs(&env) {
        let long = env.run(&with(&[], &verb, &["--help"])).code(0);
        let shown = example_of(long.text(), &verb);
        let short = env.run(&with(&[], &verb, &["-h"])).code(0);
        assert_eq!(example_of(short.text(), &verb), shown, "{verb:?}");
    }
    example(env.run(&["--help"]).code(0).text());
    assert_eq!(env.run(&["help", "corpus"]).code(0).stdout, env.run(&["corpus", "--help"]).code(0).stdout);
}

#[test]
fn examples_work_as_printed() {
    let reader = Env::new();
    for verb in [verbs(&reader), vec![Vec::new()]].concat() {
        let help = reader.run(&with(&[], &verb, &["--help"])).code(0);
        let (before, line) = example_of(help.text(), &verb);
        if line.contains(['|', '>', '~']) {
            continue;
        }
        let env = with_samples();
        env.write("docs.jsonl", env.read("samples/notes.jsonl"));
        if verb == ["stats"] {
            let corpus = reader.run(&["--help"]).code(0);
            run_example(&env, &example(corpus.text())).code(0);
        } else if verb.len() == 2 && verb[1] != "add" {
            let add = reader.run(&[&verb[0], "add", "--help"]).code(0);
            run_example(&env, &example(add.text())).code(0);
        }
        for line in before {
            run_example(&env, &line).code(0);
        }
        let outcome = run_example(&env, &line);
        // The broken sample is shown on purpose.
        let expected = i32::from(line.contains("broken"));
        assert_eq!(outcome.code, expected, "{line}: {}", outcome.stderr);
        if let Some((_, output)) = line.split_once(" -o ") {
            let output = output.split_whitespace().next().expect("a name");
            assert!(env.path(output).exists(), "{line} writes {output}");
        } else {
            assert!(!outcome.stdout.is_empty() || !outcome.stderr.is_empty(), "{line} prints something");
        }
    }
}

#[test]
fn examples_that_continue_elsewhere_work_up_to_there() {
    let env = with_samples();
    for verb in ["completions", "man"] {
        let help = env.run(&[verb, "--help"]).code(0);
        let line = example(help.text());
        let ours = line.split(['|', '>']).next().expect("our part");
        assert!(!run_example(&env, ours).code(0).stdout.is_empty(), "{line}");
    }
}

#[test]
fn near_misses_are_suggested() {
    let env = Env::new();
    env.run(&["corpsu", "x"]).code(2).says(&["corpsu", "'corpus'"]);
    env.run(&["corpus", "x", "-o", "y", "--keep-mark"]).code(2).says(&["--keep-mark", "--keep-marked"]);
    env.run(&["convert", "x", "--input-formt", "text"]).code(2).says(&["--input-format"]);
    env.run(&["convert", "x", "--format", "parket"]).code(2).says(&["parket", "'parquet'"]);
    env.run(&["convert", "x", "--input-format", "htm"]).code(2).says(&["'html'"]);
    env.run(&["completions", "bsh"]).code(2).says(&["'bash'"]);
    env.run(&["man", "corpsu"]).code(2).says(&["corpsu", "corpus"]);
}

#[test]
fn wrong_values_are_refused_with_the_right_form() {
    let env = Env::new();
    env.run(&["convert", "x", "--max-document", "big"]).code(2).says(&["--max-document", "big", "64M"]);
    env.run(&["convert", "x", "--max-document", "0"]).code(2).says(&["--max-document"]);
    env.run(&["convert", "x", "--threads", "two"]).code(2).says(&["--threads", "two"]);
    env.run(&["corpus", "x", "-o", "y", "--offsets", "words"]).code(2).says(&["chars", "bytes"]);
    env.run(&["corpus", "x", "-o", "y", "--max-link-density", "much"]).code(2).says(&["--max-link-density"]);
    env.run(&["corpus", "x"]).code(2).says(&["--output"]);
    env.run(&["convert"]).code(2).says(&["<INPUT>"]);
    env.run::<&str>(&[]).code(2).says(&["Usage: refrain"]);
}

#[test]
fn thresholds_outside_their_range_are_refused() {
    let env = Env::new();
    let notes = sample("notes.zip");
    for (option, value) in [("--max-link-density", "-0.5"), ("--stopwords-low", "NaN"), ("--stopwords-high", "7")] {
        let outcome = env.run(&["corpus", &notes, "-o", "y", &format!("{option}={value}")]).code(2);
        outcome.says(&[option]);
    }
}

#[test]
fn numbers_that_make_no_sense_are_refused_with_what_is_wanted() {
    let env = Env::new();
    let notes = sample("notes.zip");
    for verb in [&["convert"][..], &["extract"], &["corpus", "-o", "y"]] {
        for threads in ["0", "-1", "257", "100000", "99999999999999999999"] {
            let outcome = env.run(&[verb, &[&notes, "--threads", threads]].concat()).code(2);
            outcome.says(&["--threads", &format!("'{threads}'"), "from 1 to 256"]);
        }
    }
    for verb in [&["extract"][..], &["corpus", "-o", "y"]] {
        for (option, value, wanted) in [
            ("--length-low", "-5", "expected a whole number, at least 0"),
            ("--length-high", "1.5", "expected a whole number, at least 0"),
            ("--max-heading-distance", "-1", "expected a whole number, at least 0"),
            ("--max-link-density", "-0.5", "a number from 0 to 1"),
            ("--max-document", "-1", "64M"),
            ("--max-expansion", "-1", "expected a whole number, at least 0"),
        ] {
            env.run(&[verb, &[&notes, option, value]].concat()).code(2).says(&[option, value, wanted]);
        }
    }
    env.run(&["corpus", &notes, "-o", "y", "--memory", "-1"]).code(2).says(&["--memory", "64M"]);
    let converted = env.run(&["convert", &notes, "--threads", "256"]).code(0);
    assert_eq!(converted.stderr, "found 5 items: 5 documents, 0 skipped, 0 failed\n");
}

/// Runs a line of shell on a terminal, and gives all that the terminal shows.
#[cfg(target_os = "linux")]
fn on_terminal(env: &Env, line: &str) -> String {
    let line = line.replace("refrain", env!("CARGO_BIN_EXE_refrain"));
    let mut command = std::process::Command::new("script");
    command.args(["-qec", &line, "/dev/null"]).env("TERM", "xterm").current_dir(env.path("."));
    let output = command.stdin(std::process::Stdio::null()).output().expect("script, of util-linux");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[cfg(target_os = "linux")]
#[test]
fn progress_does_not_mix_with_documents_on_a_terminal() {
    let env = Env::new();
    env.write("a.jsonl", "{\"text\": \"<p>The lamp is lit at dusk and burns until the morning.</p>\"}\n".repeat(200));
    for (verb, drawn) in [("extract", ", 200 pages"), ("convert", ", 200 documents")] {
        let run = |input: &str, output: &str| {
            let line = format!("({input}; sleep 1) | refrain {verb} --threads 1 --format text {output} -");
            on_terminal(&env, &line)
        };
        let shown = run("cat a.jsonl", "");
        assert!(shown.contains("The lamp is lit"), "{verb}: {shown:?}");
        assert!(!shown.contains('\u{1b}') && !shown.contains(drawn), "{verb}: {shown:?}");
        let shown = run("cat a.jsonl", "-o out.txt");
        assert!(shown.contains('\u{1b}') && shown.contains(drawn) && !shown.contains("0 B"), "{verb}: {shown:?}");
        let shown = run("true", "-o out.txt");
        assert!(!shown.contains('\u{1b}') && !shown.contains(", 0 pages"), "{verb}, nothing was read: {shown:?}");
        assert!(!shown.contains(", 0 documents"), "{verb}, nothing was read: {shown:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_line_is_kept_of_each_stage_on_a_terminal() {
    let env = Env::new();
    env.write("a.jsonl", "{\"text\": \"<p>The lamp is lit at dusk and burns until the morning.</p>\"}\n".repeat(200));
    let shown = on_terminal(&env, "refrain corpus a.jsonl -o corpus/");
    for stage in ["     read  200 documents", "    write  200 documents, 199 removed in "] {
        assert!(shown.contains(stage), "{stage}: {shown:?}");
    }
    let shown = on_terminal(&env, "refrain corpus a.jsonl -o quiet/ -q");
    assert!(shown.trim().is_empty(), "{shown:?}");
}

#[test]
fn programs_get_progress_as_lines_of_json() {
    let env = Env::new();
    env.write("a.jsonl", "{\"text\": \"The lamp is lit at dusk and burns until the morning.\"}\n".repeat(20));
    let outcome = env.run(&["corpus", "a.jsonl", "-o", "corpus", "--json"]).code(0);
    let lines = outcome.stderr.lines().filter(|line| line.starts_with('{'));
    let events: Vec<serde_json::Value> = lines.map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let stages: Vec<&serde_json::Value> = events.iter().filter(|event| event["event"] == "stage").collect();
    let names: Vec<&str> = stages.iter().map(|stage| stage["stage"].as_str().expect("a name")).collect();
    assert_eq!((names.first(), names.last()), (Some(&"read"), Some(&"write")), "{names:?}");
    assert_eq!(stages[0]["documents"], 20);
    assert_eq!(stages[names.len() - 1]["removed"], 19);
    assert!(stages[0]["seconds"].as_f64() > Some(0.0) && stages[0]["bytes_per_second"].as_f64() > Some(0.0));
    let quiet = env.run(&["corpus", "a.jsonl", "-o", "quiet", "--json", "-q"]).code(0);
    assert_eq!((quiet.stderr.as_str(), &quiet.stdout), ("", &outcome.stdout));
}

#[test]
fn schemas_are_listed_printed_and_written() {
    let env = Env::new();
    let listed = env.run(&["schema"]).code(0);
    let names: Vec<&str> = listed.text().lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.contains(&"removed") && names.len() > 40, "{names:?}");
    let written = env.run(&["schema", "--all", "-o", "schemas/"]).code(0);
    assert_eq!(written.stderr, format!("wrote {} schemas to schemas/\n", names.len()));
    for name in names {
        let printed = env.run(&["schema", name]).code(0);
        assert_eq!(printed.text(), env.read_text(&format!("schemas/{name}.schema.json")), "{name}");
        let schema: serde_json::Value = serde_json::from_str(printed.text()).expect("JSON");
        assert_eq!(schema["title"], name);
    }
    env.run(&["schema", "removd"]).code(2).says(&["no format `removd`", "refrain schema"]);
    env.run(&["schema", "--all"]).code(2).says(&["--output"]);
    env.run(&["schema", "--all", "-o", "schemas.json"]).code(2).says(&["schemas.json is not a folder"]);
}

#[test]
fn completions_are_there_for_every_shell() {
    let env = Env::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = env.run(&["completions", shell]).code(0);
        assert!(script.stdout.len() > 1000, "{shell}");
        for word in ["refrain", "corpus", "convert", "keep-marked"] {
            assert!(script.text().contains(word), "{shell}: {word}");
        }
        assert_eq!(script.stderr, "");
    }
}

#[test]
fn the_bash_script_is_valid() {
    let env = Env::new();
    env.write("refrain.bash", env.run(&["completions", "bash"]).code(0).stdout);
    match std::process::Command::new("bash").arg("-n").arg(env.path("refrain.bash")).status() {
        Ok(status) => assert!(status.success()),
        Err(_) => common::skipped("bash is not installed"),
    }
}

#[test]
fn manual_pages_are_there_for_every_verb() {
    let env = Env::new();
    let page = env.run(&["man"]).code(0);
    assert!(page.text().contains(".TH refrain 1"), "{}", page.text());
    for verb in verbs(&env) {
        assert!(page.text().contains(&verb[0]), "{verb:?} is named");
        let page = env.run(&with(&["man"], &verb, &[])).code(0);
        assert!(page.text().contains(&format!(".TH refrain-{} 1", verb.join("-"))), "{verb:?}");
        for section in [".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION"] {
            assert!(page.text().contains(section), "{verb:?}: {section}");
        }
    }
}

#[test]
fn manual_pages_have_the_version() {
    let env = Env::new();
    for verb in verbs(&env) {
        let page = env.run(&with(&["man"], &verb, &[])).code(0);
        assert!(page.text().contains(env!("CARGO_PKG_VERSION")), "{verb:?}");
    }
}

#[test]
fn manual_pages_have_the_example() {
    let env = Env::new();
    for verb in verbs(&env) {
        let page = env.run(&with(&["man"], &verb, &[])).code(0);
        let plain = page.text().replace("\\-", "-").replace("\\&", "");
        let help = env.run(&with(&[], &verb, &["--help"])).code(0);
        assert!(plain.contains(&example(help.text())), "{verb:?}: the example");
    }
}

#[test]
fn no_color_is_honoured() {
    let env = with_samples();
    let cases: [&[&str]; 4] =
        [&["--help"], &["corpus", "--hlep"], &["list", "samples/crawl-broken.warc.gz"], &["convert", "missing"]];
    for arguments in cases {
        for (name, forced) in [("on a pipe", false), ("with colour forced", true)] {
            let mut command = env.command(arguments);
            command.env("NO_COLOR", "1");
            if forced {
                command.env("CLICOLOR_FORCE", "1");
            }
            let output = command.output().expect("refrain starts");
            assert!(!output.stdout.contains(&0x1b), "{arguments:?} {name}");
            assert!(!output.stderr.contains(&0x1b), "{arguments:?} {name}");
        }
    }
}

#[test]
fn nothing_is_drawn_where_nobody_looks() {
    let env = with_samples();
    let outcome = env.run(&["corpus", "samples/crawl.warc.gz", "-o", "corpus"]).code(0);
    assert!(!outcome.stderr.contains(['\r', '\u{1b}']), "{}", outcome.stderr);
    assert_eq!(outcome.stderr.lines().count(), 2, "{}", outcome.stderr);
}

#[test]
fn one_part_is_one_part() {
    let env = with_samples();
    let outcome = env.run(&["corpus", "samples/crawl.warc.gz", "-o", "corpus"]).code(0);
    assert!(!outcome.stderr.contains("1 parts"), "{}", outcome.stderr);
}

#[test]
fn the_version_is_printed() {
    let env = Env::new();
    let expected = format!("refrain {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(env.run(&["--version"]).code(0).text(), expected);
    assert_eq!(env.run(&["-V"]).code(0).text(), expected);
}

#[test]
fn exit_codes_are_as_help_says() {
    let env = with_samples();
    let help = env.run(&["--help"]).code(0);
    for code in ["0 done", "1 done", "2 could not run", "130"] {
        assert!(help.text().split_whitespace().collect::<Vec<_>>().join(" ").contains(code), "{code}");
    }
    env.run(&["list", "samples/notes.zip"]).code(0);
    env.run(&["list", "samples/crawl-broken.warc.gz"]).code(1);
    env.run(&["list", "missing"]).code(2);
    env.run(&["nonsense"]).code(2);
}

#[cfg(unix)]
#[test]
fn an_interrupted_conversion_exits_with_130_and_leaves_no_file() {
    use std::io::Write;
    let env = Env::new();
    let mut command = env.command(&["convert", "-", "--input-format", "jsonl", "-o", "out.jsonl"]);
    command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    command.stderr(std::process::Stdio::piped());
    let mut child = command.spawn().expect("refrain starts");
    let mut stdin = child.stdin.take().expect("its standard input");
    let line = b"{\"text\": \"One.\"}\n".repeat(1000);
    for _ in 0..20 {
        stdin.write_all(&line).expect("refrain reads");
    }
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill").success());
    // It notices at the next document; whether this is read any more is not our concern.
    while stdin.write_all(&line).is_ok() {}
    let outcome = common::Outcome::of(child.wait_with_output().expect("refrain ends")).code(130);
    assert!(env.names("").is_empty(), "{:?}", env.names(""));
    outcome.says(&["interrupted"]);
}
