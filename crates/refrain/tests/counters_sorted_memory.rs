//! The memory of a counter, in a process of its own.
#![cfg(target_os = "linux")]
#![cfg(feature = "papers")]

mod counters;

use counters::{count, peak};
use refrain::papers::frequent_lines::counters::{Counter, CounterKind, Options};

/// As much as it was given, and a few megabytes for threads and for what the allocator keeps.
#[test]
fn sorted_keeps_within_its_memory() {
    let before = peak();
    let mut counter =
        CounterKind::Sorted.build(&Options { memory: 32 << 20, ..Options::default() }).expect("good options");
    count(&mut counter, 4_000_000);
    assert!(counter.finish(11).expect("no error").is_frequent(b"a line that comes again and again"));
    let taken = peak() - before;
    assert!(taken < (32 + 16) << 10, "{taken} kB");
}
