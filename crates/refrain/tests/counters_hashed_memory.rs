//! The memory of a counter, in a process of its own.
#![cfg(target_os = "linux")]
#![cfg(feature = "papers")]

mod counters;

use counters::{count, peak};
use refrain::papers::frequent_lines::counters::{Counter, CounterKind, Options};

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
