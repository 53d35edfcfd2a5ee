//! The verbs of the command line parse and print. Everything else is done by the jobs of the library.

use std::fs;
use std::path::Path;

/// Lines that all verbs may have together. 3,000 until `schema` came, which has 70.
const MAX_LINES: usize = 3070;

/// What only the library does: read documents, run threads, learn, resume. No verb may name these, in `use` lines or elsewhere.
const FORBIDDEN: [&str; 21] = [
    "Source",
    "Collection",
    "prepare",
    "flow",
    "each_document",
    "rayon",
    "ThreadPool",
    "Workers",
    "spawn",
    "kernel",
    "Kernel",
    "Join",
    "Learning",
    "Comparison",
    "Extractor",
    "Decoder",
    "disk",
    "partitions",
    "runs",
    "AtomicFile",
    "DocumentWriter",
];

#[test]
fn verbs_only_parse_and_print() {
    let mut lines = 0;
    for file in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cmd")) {
        let text = fs::read_to_string(&file).expect("a source file");
        lines += text.lines().count();
        let forbidden = words(&text).into_iter().find(|word| FORBIDDEN.contains(&word.as_str()));
        assert_eq!(forbidden, None, "{} does what a job of the library should do", file.display());
    }
    assert!(lines <= MAX_LINES, "the verbs have {lines} lines, more than {MAX_LINES}: move logic into the library");
}

/// The words of the code: without its tests, comments and string literals.
fn words(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code.lines().map(|line| line.split("//").next().unwrap_or_default());
    let code = lines.collect::<Vec<_>>().join("\n");
    // Every second part is a literal: the code above the tests has no escaped quotation marks outside them.
    let outside: Vec<&str> = code.split('"').step_by(2).collect();
    let words = outside.iter().flat_map(|part| part.split(|c: char| !c.is_alphanumeric() && c != '_'));
    words.map(str::to_owned).collect()
}

#[test]
fn an_inline_path_is_found() {
    let words =
        words("/// Uses rayon.\nfn run() { print(\"no flow\"); refrain::prepare::open() } #[cfg(test)] mod disk {}");
    assert_eq!(words.iter().filter(|word| FORBIDDEN.contains(&word.as_str())).collect::<Vec<_>>(), ["prepare"]);
}

fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}
