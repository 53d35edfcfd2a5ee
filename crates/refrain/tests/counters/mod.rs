//! What the tests of the memory of counters share. Each is a program of its own, as memory is that of a process.

use refrain::papers::frequent_lines::counters::{AnyCounter, Counter};

/// The most memory that this process has had, in kB.
pub(crate) fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("status");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("a peak");
    line.split_whitespace().nth(1).expect("a number").parse().expect("a number")
}

/// Counts so many lines, nearly all of them distinct.
pub(crate) fn count(counter: &mut AnyCounter, lines: u32) {
    for start in (0..lines).step_by(1_000) {
        let line = |i| match i % 1_000 {
            0 => "a line that comes again and again".to_owned(),
            _ => format!("line {i} of many, none of which comes again"),
        };
        let texts: Vec<String> = (start..start + 1_000).map(line).collect();
        let texts: Vec<&[u8]> = texts.iter().map(String::as_bytes).collect();
        counter.add_all(&texts).expect("no error");
    }
}
