//! The laws of all structures, compared with counts in a `HashMap`.

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;

type Lines = Vec<Vec<u8>>;

/// Counts by the plain way.
fn naive(lines: &[Vec<u8>]) -> HashMap<&[u8], u32> {
    let mut counts = HashMap::new();
    for line in lines {
        *counts.entry(&line[..]).or_default() += 1;
    }
    counts
}

/// Few and many distinct lines, short and long.
fn lines() -> impl Strategy<Value = Lines> {
    let line = prop_oneof![
        4 => (0u32..12).prop_map(|i| format!("frequent line {i}").into_bytes()),
        4 => (0u32..400).prop_map(|i| format!("{i} is a line that is not so frequent").into_bytes()),
        1 => prop::collection::vec(any::<u8>(), 0..40),
    ];
    prop::collection::vec(line, 0..600)
}

fn tiny() -> Options {
    Options { memory: 1, bits: 6, counters: 5, ..Options::default() }
}

fn add_each(counter: &mut impl Counter, lines: &[Vec<u8>]) {
    lines.iter().try_for_each(|line| counter.add(line)).expect("no error");
}

/// Counts pieces of the lines with counters of their own, and merges them.
fn in_parts(kind: CounterKind, options: &Options, lines: &[Vec<u8>], parts: usize) -> AnyCounter {
    let mut whole = kind.build(options).expect("good options");
    for (piece, part) in lines.chunks(lines.len().div_ceil(parts).max(1)).zip(1..) {
        let mut counter = kind.build(&options.for_part(part)).expect("good options");
        let piece: Vec<&[u8]> = piece.iter().map(|line| &line[..]).collect();
        counter.add_all(&piece).expect("no error");
        whole.merge(counter).expect("no error");
    }
    whole
}

fn bytes(frequent: &FrequentTable) -> Vec<u8> {
    let mut bytes = Vec::new();
    frequent.write(&mut bytes).expect("no error");
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn exact_and_sorted_and_crc64_are_as_naive(lines in lines(), least in 1u32..12, parts in 1usize..6) {
        let counts = naive(&lines);
        for kind in [CounterKind::Exact, CounterKind::Sorted, CounterKind::Crc64] {
            let frequent = in_parts(kind, &tiny(), &lines, parts).finish(least).expect("no error");
            for (line, &count) in &counts {
                prop_assert_eq!(frequent.is_frequent(line), count >= least, "{} {:?}", kind, line);
            }
            // No two of these lines have the same CRC-64, or this would fail.
            prop_assert_eq!(frequent.len(), counts.values().filter(|&&count| count >= least).count());
            prop_assert!(!frequent.is_frequent(b"never seen"));
            prop_assert_eq!(frequent.counted(), lines.len() as u64);
        }
    }

    #[test]
    fn exact_and_sorted_have_the_counts(lines in lines(), parts in 1usize..6) {
        let counts = naive(&lines);
        for kind in [CounterKind::Exact, CounterKind::Sorted] {
            let frequent = in_parts(kind, &tiny(), &lines, parts).finish(1).expect("no error");
            prop_assert!(frequent.lines().is_sorted());
            prop_assert_eq!(frequent.lines().collect::<HashMap<_, _>>(), counts.clone());
        }
    }

    #[test]
    fn hashed_never_misses(lines in lines(), bits in 4u32..=10, least in 1u32..40, parts in 1usize..4) {
        let frequent = in_parts(CounterKind::Hashed, &Options { bits, ..tiny() }, &lines, parts).finish(least).expect("no error");
        for (line, _) in naive(&lines).into_iter().filter(|&(_, count)| count >= least) {
            prop_assert!(frequent.is_frequent(line), "{:?}", line);
        }
    }

    /// A line is frequent if its counter is: a counter holds the sum of the counts of all lines that share it.
    #[test]
    fn hashed_counts_the_lines_of_each_cell(lines in lines(), bits in 4u32..=10, least in 1u32..=255) {
        let frequent = in_parts(CounterKind::Hashed, &Options { bits, ..tiny() }, &lines, 3).finish(least).expect("no error");
        let cell = |line: &[u8]| CounterKind::Hashed.key(line) >> (64 - bits);
        let mut cells: HashMap<u64, u32> = HashMap::new();
        for line in &lines {
            *cells.entry(cell(line)).or_default() += 1;
        }
        for line in &lines {
            prop_assert_eq!(frequent.is_frequent(line), cells[&cell(line)] >= least);
        }
    }

    #[test]
    fn majority_keeps_what_is_more_than_its_share(lines in lines(), counters in 1u32..40, parts in 1usize..6) {
        let AnyCounter::Majority(counter) =
            in_parts(CounterKind::Majority, &Options { counters, ..tiny() }, &lines, parts) else { unreachable!() };
        let monitored: HashMap<u64, u64> = counter.counts().into_iter().collect();
        let share = lines.len() as u64 / u64::from(counters + 1);
        let kept: u64 = monitored.values().sum();
        prop_assert!(monitored.len() <= counters as usize);
        prop_assert!(counter.decrements() * u64::from(counters + 1) <= lines.len() as u64 - kept);
        for (line, count) in naive(&lines) {
            let found = monitored.get(&CounterKind::Majority.key(line)).copied().unwrap_or(0);
            let count = u64::from(count);
            prop_assert!(found <= count && count <= found + counter.decrements());
            prop_assert!(count <= share || found > 0);
        }
    }

    #[test]
    fn majority_misses_only_what_is_below_its_share(lines in lines(), counters in 1u32..40, least in 1u32..60) {
        let options = Options { counters, ..tiny() };
        let frequent = in_parts(CounterKind::Majority, &options, &lines, 3).finish(least).expect("no error");
        let share = lines.len() as u64 / u64::from(counters + 1);
        for (line, count) in naive(&lines) {
            let (count, least) = (u64::from(count), u64::from(least));
            prop_assert!(count < least || count <= share || frequent.is_frequent(line));
            prop_assert!(count + share >= least || !frequent.is_frequent(line));
        }
    }

    /// Algorithm 2 as it is written, with a loop over all counters.
    #[test]
    fn majority_is_as_the_paper_says(lines in lines(), counters in 1u32..40) {
        let mut counter = Majority::new(&Options { counters, ..tiny() }).expect("good options");
        let mut plain: HashMap<u64, u64> = HashMap::new();
        for line in &lines {
            counter.add(line).expect("no error");
            let key = CounterKind::Majority.key(line);
            if plain.contains_key(&key) || plain.len() < counters as usize {
                *plain.entry(key).or_default() += 1;
            } else {
                plain.retain(|_, count| {
                    *count -= 1;
                    *count > 0
                });
            }
        }
        prop_assert_eq!(counter.counts().into_iter().collect::<HashMap<_, _>>(), plain);
    }

    /// The result of a structure does not depend on threads nor, except for majority, on parts.
    #[test]
    fn all_at_once_is_as_one_by_one(lines in lines(), least in 1u32..12) {
        for kind in CounterKind::ALL {
            let mut one_by_one = kind.build(&tiny()).expect("good options");
            add_each(&mut one_by_one, &lines);
            let mut at_once = kind.build(&tiny()).expect("good options");
            at_once.add_all(&lines.iter().map(|line| &line[..]).collect::<Vec<_>>()).expect("no error");
            let expected = bytes(&one_by_one.finish(least).expect("no error"));
            prop_assert_eq!(&bytes(&at_once.finish(least).expect("no error")), &expected);
            if kind != CounterKind::Majority {
                prop_assert_eq!(&bytes(&in_parts(kind, &tiny(), &lines, 4).finish(least).expect("no error")), &expected);
            }
        }
    }
}

/// Lines that occur exactly as often as asked, counted approximately, in one piece and merged from parts.
#[test]
fn approximate_hashed_misses_as_rarely_as_promised() {
    let lines: Lines = (0..2_000u32).map(|i| format!("line {i}").into_bytes()).collect();
    let (least, rounds) = (600, 600);
    for parts in [1, 5] {
        let options = Options { bits: 22, ceiling: least, seed: 9, ..Options::default() };
        let mut whole = Hashed::new(&options).expect("good options");
        for part in 1..=parts {
            let mut counter = Hashed::new(&options.for_part(part)).expect("good options");
            (0..rounds / parts).for_each(|_| add_each(&mut counter, &lines));
            whole.merge(counter).expect("no error");
        }
        let frequent = whole.finish(least).expect("no error");
        let missed = lines.iter().filter(|line| !frequent.is_frequent(line)).count();
        assert!(missed as f64 <= MISS * lines.len() as f64, "{parts}: {missed}");
    }
}

/// Lines that occur half as often as required are rarely counted as frequent.
#[test]
fn approximate_hashed_recognises_infrequent_lines() {
    let lines: Lines = (0..1_000u32).map(|i| format!("line {i}").into_bytes()).collect();
    let mut counter = Hashed::new(&Options { bits: 22, ceiling: 600, ..Options::default() }).expect("good options");
    (0..300).for_each(|_| add_each(&mut counter, &lines));
    let frequent = counter.finish(600).expect("no error");
    assert!(lines.iter().filter(|line| frequent.is_frequent(line)).count() < 10);
}

#[test]
fn counters_of_two_kinds_do_not_merge() {
    let mut exact = CounterKind::Exact.build(&tiny()).expect("good options");
    let message =
        exact.merge(CounterKind::Crc64.build(&tiny()).expect("good options")).expect_err("refused").to_string();
    assert!(message.contains("exact and crc64"), "{message}");
}

#[test]
fn an_empty_collection_has_no_frequent_lines() {
    for kind in CounterKind::ALL {
        let mut counter = kind.build(&tiny()).expect("good options");
        counter.add_all(&[]).expect("no error");
        let frequent = counter.finish(1).expect("no error");
        assert!(frequent.is_empty() && !frequent.is_frequent(b""), "{kind}");
        assert!(kind.build(&tiny()).expect("good options").finish(0).is_err(), "{kind}");
    }
}

/// More lines than one block of keys.
#[test]
fn blocks_of_keys_are_added_in_order() {
    let lines: Lines = (0..BLOCK as u32 * 2 + 100).map(|i| (i % 50_000).to_le_bytes().to_vec()).collect();
    let lines: Vec<&[u8]> = lines.iter().map(|line| &line[..]).collect();
    let mut counter = CounterKind::Exact.build(&tiny()).expect("good options");
    counter.add_all(&lines).expect("no error");
    let frequent = counter.finish(3).expect("no error");
    assert_eq!((frequent.counted(), frequent.len()), (lines.len() as u64, lines.len() - 100_000));
}
