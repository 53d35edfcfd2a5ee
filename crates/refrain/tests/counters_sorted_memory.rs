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

/// As much as it was given, and a few megabytes for threads and for what the allocator keeps.
#[test]
fn sorted_stays_within_its_memory() {
    let before = peak();
    let mut counter =
        CounterKind::Sorted.build(&Options { memory: 32 << 20, ..Options::default() }).expect("good options");
    count(&mut counter, 4_000_000);
    assert!(counter.finish(11).expect("no error").is_frequent(b"a line that comes again and again"));
    let taken = peak() - before;
    assert!(taken < (32 + 16) << 10, "{taken} kB");
}
