//! What every verb writes for the samples, byte for byte.
//!
//! Each file in `goldens/` is a list of runs with their results: the command, its exit code, and the digest and size of
//! standard output and of every file that the run wrote. To add a run, write its command line and let the test fill in the
//! rest: `REFRAIN_GOLDENS=write cargo nextest run -p refrain-cli --test goldens`.

mod common;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use common::{Env, samples, sha256};

macro_rules! goldens {
    ($($name:ident),+) => {
        $(#[test] fn $name() { check(stringify!($name)); })+

        #[test]
        fn every_file_has_a_test() {
            let mut names: Vec<String> = fs::read_dir(folder())
                .expect("the goldens")
                .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
                .collect();
            names.sort();
            assert_eq!(names, [$(concat!(stringify!($name), ".txt")),+]);
        }
    };
}

goldens!(
    audit,
    compare,
    convert,
    corpus,
    decode,
    decontaminate,
    dedup,
    editions,
    extract,
    library,
    messages,
    quality,
    strip,
    template,
    why
);

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens")
}

/// Runs the commands of a file one after another in one folder, and compares what they write with what the file says.
fn check(name: &str) {
    let path = folder().join(name).with_extension("txt");
    let expected = fs::read_to_string(&path).expect("the goldens");
    let env = Env::new();
    env.copy_folder(&samples(), "samples");
    let mut found = String::new();
    for line in expected.lines() {
        if let Some(command) = line.strip_prefix("$ refrain ") {
            write!(found, "{line}\n{}", run(&env, command)).expect("in memory");
        } else if line.is_empty() || line.starts_with('#') {
            writeln!(found, "{line}").expect("in memory");
        }
    }
    if std::env::var_os("REFRAIN_GOLDENS").is_some_and(|value| value == "write") {
        fs::write(&path, found).expect("the goldens");
    } else if found != expected {
        panic!("{}", difference(name, &expected, &found));
    }
}

/// The lines that differ, each below its command.
fn difference(name: &str, expected: &str, found: &str) -> String {
    let mut message = format!("tests/goldens/{name}.txt: output has changed (- expected, + found)\n");
    for (expected, found) in runs(expected).zip(runs(found)).filter(|(expected, found)| expected != found) {
        writeln!(message, "{}", expected.lines().next().unwrap_or_default()).expect("in memory");
        for (sign, lines, others) in [('-', expected, found), ('+', found, expected)] {
            for line in lines.lines().filter(|line| !others.lines().any(|other| other == *line)) {
                writeln!(message, "{sign} {line}").expect("in memory");
            }
        }
    }
    message + "If this is intended, run the test again with REFRAIN_GOLDENS=write and review the diff."
}

fn runs(goldens: &str) -> impl Iterator<Item = &str> {
    goldens.split("$ refrain ").skip(1)
}

/// Runs one command line. `{1,2}` stands for the number of threads: the command runs with each, and must write the same.
fn run(env: &Env, command: &str) -> String {
    let Some((before, after)) = command.split_once("{1,2}") else { return run_once(env, command).0 };
    let (one, files) = run_once(env, &format!("{before}1{after}"));
    for file in files {
        match file.split_once('/').map(|(folder, _)| env.path(folder)) {
            Some(folder) if folder.exists() => fs::remove_dir_all(folder).expect("a folder that the first run made"),
            Some(_) => {}
            None => fs::remove_file(env.path(&file)).expect("a file that the first run made"),
        }
    }
    let (two, _) = run_once(env, &format!("{before}2{after}"));
    assert_eq!(one, two, "output depends on the number of threads: {command}");
    one
}

/// Runs one command line and returns its results with the names of the files that it wrote.
///
/// `< FILE` feeds standard input. `> /dev/null` ignores standard output, where that is text for people.
fn run_once(env: &Env, command: &str) -> (String, Vec<String>) {
    let (command, ignored) = command.strip_suffix(" > /dev/null").map_or((command, false), |command| (command, true));
    let (command, input) = command.split_once(" < ").map_or((command, None), |(command, file)| (command, Some(file)));
    let arguments: Vec<&str> = command.split_whitespace().collect();
    let before = digests(env);
    let outcome = match input {
        Some(file) => env.run_fed(&arguments, &env.read(file)),
        None => env.run(&arguments),
    };
    let after = digests(env);
    let mut result = format!("exit {}\n", outcome.code);
    if !ignored && !outcome.stdout.is_empty() {
        writeln!(result, "{} standard output", digest(&outcome.stdout)).expect("in memory");
    }
    let mut written = Vec::new();
    for (name, digest) in &after {
        if before.get(name) != Some(digest) {
            writeln!(result, "{digest} {name}").expect("in memory");
            written.push(name.clone());
        }
    }
    for name in before.keys().filter(|name| !after.contains_key(*name)) {
        writeln!(result, "removed {name}").expect("in memory");
    }
    (result, written)
}

/// Every file in the folder that is not a sample, with its digest.
fn digests(env: &Env) -> BTreeMap<String, String> {
    let files = env.snapshot("").into_iter();
    files
        .filter(|(name, _)| !name.ends_with('/') && !name.starts_with("samples/"))
        .map(|(name, content)| (name, digest(&content)))
        .collect()
}

/// The first eight bytes of the SHA-256 digest, and the size.
fn digest(content: &[u8]) -> String {
    format!("{} {:>7}", &sha256(content)[..16], content.len())
}
