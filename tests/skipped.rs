//! Tests that cannot run here are counted: each appends a line to a file, and `make test` prints the file at the end.

use std::io::Write;
use std::path::Path;

/// Records that the running test is skipped, and why.
#[allow(clippy::print_stderr)] // for those who run a single test
pub(crate) fn skipped(why: &str) {
    let line = format!("{}: {why}", std::thread::current().name().unwrap_or("a test"));
    eprintln!("skipped {line}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/skipped-tests.txt");
    std::fs::create_dir_all(path.parent().expect("a folder above")).expect("a folder");
    let mut file = std::fs::File::options().append(true).create(true).open(path).expect("the list of skipped tests");
    file.write_all((line + "\n").as_bytes()).expect("a line in the list of skipped tests");
}
