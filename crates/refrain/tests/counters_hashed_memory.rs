//! The memory of a counter, in a process of its own.
#![cfg(target_os = "linux")]

use refrain::strip::counters::{AnyCounter, Counter, CounterKind, Options};

/// The most memory that this process has had, in kB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("status");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("a peak");
    line.split_whitespace().nth(1).expect("a number").parse().expect("a number")
}

/// Counts so many lines, nearly all of them distinct.
fn count(counter: &mut AnyCounter, lines: u32) {
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

/// The array and 64 MB, whatever the size of the collection.
#[test]
fn hashed_takes_its_array_and_little_more() {
    let before = peak();
    let mut counter = CounterKind::Hashed.build(&Options { bits: 26, ..Options::default() }).expect("good options");
    count(&mut counter, 8_000_000);
    assert_eq!(counter.lines(), 8_000_000);
    assert!(counter.finish(11).expect("no error").is_frequent(b"a line that comes again and again"));
    let taken = peak() - before;
    assert!(taken < (64 + 64) << 10, "{taken} kB");
}
