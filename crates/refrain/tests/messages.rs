//! The library does not know the command line: no message of it names a flag. Hints name options, and each surface spells them.

use std::fs;
use std::path::{Path, PathBuf};

/// Flags of other programs that messages recommend.
const OTHER_PROGRAMS: [&str; 3] =
    ["soffice --convert-to", "ocrmypdf --force-ocr", "compilecorp --no-sketches --recompile-corpus"];

#[test]
fn no_message_names_a_flag() {
    let mut checked = 0;
    for file in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        let text = fs::read_to_string(&file).expect("a source file");
        let code = text.split("#[cfg(test)]").next().expect("the code above the tests");
        for (number, line) in code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            let line = OTHER_PROGRAMS.iter().fold(line.to_owned(), |line, program| line.replace(program, ""));
            assert!(!names_a_flag(&line), "{}, line {}: {}", file.display(), number + 1, line.trim());
        }
        checked += 1;
    }
    assert!(checked > 100, "only {checked} files were checked");
}

#[test]
fn flags_are_recognised() {
    assert!(names_a_flag("\"raise it with --max-document\""));
    assert!(names_a_flag("format!(\"--{}\", name)"));
    assert!(!names_a_flag("<!-- a comment -->{--ink:#000}var(--ink) a--b"));
}

/// True for two dashes at the start of a word, followed by a letter or by a name that is filled in.
fn names_a_flag(line: &str) -> bool {
    line.match_indices("--").any(|(at, _)| {
        let before = line[..at].chars().next_back().is_none_or(|c| c.is_whitespace() || matches!(c, '"' | '`' | '('));
        let behind = line[at + 2..].starts_with(|c: char| c.is_ascii_lowercase() || c == '{');
        before && behind && !line[..at].ends_with("var(")
    })
}

/// The Rust files at or below a path.
fn sources(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return if path.extension().is_some_and(|extension| extension == "rs") {
            vec![path.to_owned()]
        } else {
            vec![]
        };
    }
    fs::read_dir(path).expect("a folder").flat_map(|entry| sources(&entry.expect("an entry").path())).collect()
}
