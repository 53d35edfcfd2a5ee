//! What the library does in one place only, by the names of the definitions.

use std::fs;
use std::path::{Path, PathBuf};

/// Definitions that exist once, and their files.
const ONCE: [(&str, &str); 18] = [
    // Addresses.
    ("fn without_scheme(", "url.rs"),
    ("fn host_or_start(", "url.rs"),
    ("fn top_level_domain(", "url.rs"),
    // Scripts without spaces.
    ("fn is_southeast_asian(", "text/scripts.rs"),
    ("fn is_chinese_or_japanese(", "text/scripts.rs"),
    // Cells of CSV and other tables.
    ("fn cell(text: &str, separator: char)", "report/cells.rs"),
    // Output formats by name.
    ("enum Format ", "write/format.rs"),
    // Files that appear when they are complete.
    ("struct AtomicFile", "disk/atomic.rs"),
    // Entries by hash.
    ("struct Partitions", "disk/partitions.rs"),
    ("fn partition(", "disk/partitions.rs"),
    ("fn finish_for_answers(", "disk/partitions.rs"),
    // Sorted runs.
    ("struct Runs", "disk/runs.rs"),
    ("trait Cursor", "disk/runs.rs"),
    ("fn merge<C: Cursor>(", "disk/runs.rs"),
    ("fn reduce<", "disk/runs.rs"),
    // Temporary files.
    ("struct Spilled", "disk/spilled.rs"),
    // Exact duplicates.
    ("fn each_copy(", "dedup/exact.rs"),
    // Longest increasing subsequences.
    ("fn longest_increasing(", "text/increasing.rs"),
];

/// What another implementation of them would use, and the only file that does.
const ONLY: [(&str, &str); 9] = [
    ("split_once(\"://\")", "url.rs"),
    (r"'\u{1780}'", "text/scripts.rs"),
    (r"'\u{3400}'", "text/scripts.rs"),
    (r#""\"\"""#, "report/cells.rs"),
    ("fs::rename", "disk/atomic.rs"),
    (".persist(", "disk/atomic.rs"),
    // Standard input as a file.
    ("io::copy(&mut io::stdin()", "source/inputs.rs"),
    ("BinaryHeap", "disk/runs.rs"),
    ("(u64::BITS - bits)", "disk/partitions.rs"),
];

/// Names of implementations that were replaced.
const REPLACED: [&str; 4] = ["struct Scatter", "fn scatter", "fn merge_runs", "fn longest_rising"];

#[test]
fn each_kernel_exists_once() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files: Vec<(PathBuf, String)> = files(&source)
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).expect("a source file");
            (path.strip_prefix(&source).expect("a path below src").to_owned(), text)
        })
        .collect();
    let found = |name: &str| -> Vec<&Path> {
        files.iter().filter(|(_, text)| text.contains(name)).map(|(path, _)| path.as_path()).collect()
    };
    for (name, file) in ONCE.into_iter().chain(ONLY) {
        assert_eq!(found(name), [Path::new(file)], "`{name}` belongs to one file: use what is there");
    }
    for (name, file) in ONCE {
        let (_, text) = files.iter().find(|(path, _)| path == Path::new(file)).expect("the file");
        assert_eq!(text.matches(name).count(), 1, "`{name}` in {file}");
    }
    for name in REPLACED {
        assert!(found(name).is_empty(), "`{name}`: use what `ONCE` lists");
    }
}

#[test]
fn the_library_leaves_the_panic_hook_of_the_program_alone() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for path in files(&source) {
        let text = fs::read_to_string(&path).expect("a source file");
        assert!(!text.contains("set_hook"), "{}: use `source::guard`", path.display());
    }
}

/// The source files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}
