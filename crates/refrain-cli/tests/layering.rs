//! The verbs of the command line parse and print. Everything else is done by the jobs of the library.

use std::fs;
use std::path::Path;

/// Lines that all verbs may have together.
const MAX_LINES: usize = 3000;

/// What only the library does: read documents, run threads, resume.
const FORBIDDEN: [&str; 8] =
    ["Source", "Collection", "rayon", "ThreadPool", "Workers", "prepare", "flow", "checkpoint("];

#[test]
fn verbs_only_parse_and_print() {
    let mut lines = 0;
    for file in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cmd")) {
        let text = fs::read_to_string(&file).expect("a source file");
        lines += text.lines().count();
        let mut uses = text.split_inclusive(';').filter_map(|part| part.trim_start().strip_prefix("use refrain::"));
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let forbidden = uses.find_map(|names| {
            let mut words = names.split(|c: char| !is_word(c));
            words.find(|word| FORBIDDEN.contains(word)).map(str::to_owned)
        });
        assert_eq!(forbidden, None, "{} does what a job of the library should do", file.display());
    }
    assert!(lines <= MAX_LINES, "the verbs have {lines} lines, more than {MAX_LINES}: move logic into the library");
}

fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}
