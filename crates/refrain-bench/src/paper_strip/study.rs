//! The studies of the paper about these structures, under its names: Kaser and Lemire (2007), figures 3, 6, 7 and 9.
//!
//! Each is a function that gives the rows of a table. K is as in the paper: a line is frequent if it occurs more than K
//! times.

use std::collections::HashMap;
use std::time::Instant;

use anyhow::Result;
use refrain::papers::frequent_lines::counters::{Counter, CounterKind, Exact, Hashed, Majority, Options};

use crate::random::Random;

/// p of the bound for skewed distributions in figure 6, which the paper reads from its figure 5(b) for K ≈ 100.
pub(crate) const PAPER_P: f64 = 1.0 / 1000.0;

/// Proposition 1: the expected number of flips until `n` heads in a row, if heads have the probability `p`.
pub(crate) fn expected_flips(p: f64, n: u32) -> f64 {
    (1..=n).map(|i| p.powf(-f64::from(i))).sum()
}

/// A row of figure 3.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Misclassified {
    /// GAP_MAX.
    pub(crate) gap_max: u32,
    /// Probability of a false positive.
    pub(crate) p: f64,
    /// Expected number of lines after the preamble that are mistaken for a part of it.
    pub(crate) lines: f64,
}

/// Figure 3: Σ (1 − p)^−k − GAP_MAX, with k from 1 to GAP_MAX.
pub(crate) fn misclassified(gap_max: u32, probabilities: &[f64]) -> Vec<Misclassified> {
    let row = |&p| Misclassified { gap_max, p, lines: expected_flips(1.0 - p, gap_max) - f64::from(gap_max) };
    probabilities.iter().map(row).collect()
}

fn counted(lines: &[&[u8]]) -> Result<Exact> {
    let mut exact = Exact::default();
    exact.add_all(lines)?;
    Ok(exact)
}

/// A row of figure 6.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FalsePositives {
    /// K: a line is frequent if it occurs more often.
    pub(crate) k: u32,
    /// Number of counters, c.
    pub(crate) c: u64,
    /// Share of all lines that are infrequent and called frequent, each as often as it occurs.
    pub(crate) measured: f64,
    /// The crude bound, 1 − e^−((n−1)/c).
    pub(crate) crude_bound: f64,
    /// Share of distinct lines that are frequent: p.
    pub(crate) p: f64,
    /// The bound for skewed distributions, p(n−1)/c.
    pub(crate) skewed_bound: f64,
    /// The same with [`PAPER_P`].
    pub(crate) paper_bound: f64,
}

/// Figure 6: lines that [`Hashed`] falsely calls frequent, with 2^b counters for each b, compared with both bounds. K is at most
/// 254.
///
/// Measures the mean over `hashes` hash functions, the first of which is that of [`Hashed`]. The paper uses one. If few lines
/// collide, several hash functions show how much is chance. The bound for skewed distributions holds as far as its assumption
/// does, that infrequent lines occur much less than K times.
pub(crate) fn false_positives(lines: &[&[u8]], ks: &[u32], bits: &[u32], hashes: u32) -> Result<Vec<FalsePositives>> {
    let exact = counted(lines)?;
    let mut rows = Vec::with_capacity(ks.len() * bits.len());
    for &k in ks {
        for &bits in bits {
            rows.push(false_positives_of(&exact, k, bits, hashes.max(1))?);
        }
    }
    Ok(rows)
}

fn false_positives_of(exact: &Exact, k: u32, bits: u32, hashes: u32) -> Result<FalsePositives> {
    let mut wrong = 0;
    for hash in 0..hashes {
        wrong += wrong_lines(exact, k, bits, hash)?;
    }
    let above = exact.counts().filter(|&(_, count)| count > k).count();
    let (n, c) = (exact.distinct() as u64, 1u64 << bits);
    let p = above as f64 / (n as f64).max(1.0);
    Ok(FalsePositives {
        k,
        c,
        measured: wrong as f64 / f64::from(hashes) / (exact.lines() as f64).max(1.0),
        crude_bound: crude_bound(n, c),
        p,
        skewed_bound: skewed_bound(p, n, c),
        paper_bound: skewed_bound(PAPER_P, n, c),
    })
}

/// Occurrences of lines that one hash function makes appear frequent.
fn wrong_lines(exact: &Exact, k: u32, bits: u32, hash: u32) -> Result<u64> {
    let mut hashed = Hashed::new(&Options { bits, ..Options::default() })?;
    for (line, count) in exact.counts() {
        let key = rehashed(line, hash);
        // A counter is full at 255: what comes after does not matter.
        (0..count.min(255)).try_for_each(|_| hashed.add_keyed(key, line))?;
    }
    let frequent = hashed.finish(k + 1)?;
    let is_false = |&(line, count): &(&[u8], u32)| count <= k && frequent.is_frequent_keyed(rehashed(line, hash), line);
    Ok(exact.counts().filter(is_false).map(|(_, count)| u64::from(count)).sum())
}

/// A line by one of many hash functions.
fn rehashed(line: &[u8], hash: u32) -> u64 {
    let key = CounterKind::Hashed.key(line);
    match hash {
        0 => key,
        _ => Random(key ^ Random(u64::from(hash)).next()).next(),
    }
}

/// 1 − e^−((n−1)/c).
pub(crate) fn crude_bound(n: u64, c: u64) -> f64 {
    -(-(n.saturating_sub(1) as f64) / c as f64).exp_m1()
}

/// p(n−1)/c.
pub(crate) fn skewed_bound(p: f64, n: u64, c: u64) -> f64 {
    p * n.saturating_sub(1) as f64 / c as f64
}

/// What figure 7 is made with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Zipf {
    /// Number of distinct items.
    pub(crate) items: u32,
    /// Length of the stream, about.
    pub(crate) n: u32,
    /// Whether each item occurs at least once. The paper does not say; if not, items whose share is less than half an
    /// occurrence do not occur.
    pub(crate) each_occurs: bool,
    /// Number of counters, c.
    pub(crate) c: u32,
    /// Random orders of the stream, over which efficiency is averaged.
    pub(crate) runs: u32,
    /// Seed of the orders.
    pub(crate) seed: u64,
}

impl Default for Zipf {
    fn default() -> Self {
        Zipf { items: 1_000, n: 100_000, each_occurs: false, c: 30, runs: 30, seed: 7 }
    }
}

/// A row of figure 7.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Efficiency {
    /// The item of rank r has a frequency proportional to 1/r^x.
    pub(crate) x: f64,
    /// The largest k for which the k items with the largest counters are k most frequent items, divided by c.
    pub(crate) efficiency: f64,
}

/// Figure 7: efficiency of generalised majority for Zipfian distributions.
pub(crate) fn efficiency(zipf: &Zipf, exponents: &[f64]) -> Result<Vec<Efficiency>> {
    let mut random = Random(zipf.seed);
    let mut rows = Vec::with_capacity(exponents.len());
    for &x in exponents {
        let frequencies = zipf_frequencies(zipf, x);
        let mut sum = 0;
        for _ in 0..zipf.runs {
            sum += largest_exact(&frequencies, zipf.c, &mut random)?;
        }
        rows.push(Efficiency { x, efficiency: f64::from(sum) / f64::from(zipf.runs) / f64::from(zipf.c) });
    }
    Ok(rows)
}

/// Frequencies of the items by rank.
fn zipf_frequencies(zipf: &Zipf, x: f64) -> Vec<u32> {
    let share = |rank: u32| f64::from(rank).powf(-x);
    let all: f64 = (1..=zipf.items).map(share).sum();
    #[allow(clippy::cast_sign_loss)] // shares are not below zero
    let count = |rank| (share(rank) / all * f64::from(zipf.n)).round() as u32;
    (1..=zipf.items).map(|rank| count(rank).max(u32::from(zipf.each_occurs))).collect()
}

/// The largest k up to c for which GM answers the top-k query exactly, in a random order. Of items with the same
/// frequency, any may be in the answer; a counter of zero means an item that does not occur.
fn largest_exact(frequencies: &[u32], c: u32, random: &mut Random) -> Result<u32> {
    let mut majority = Majority::new(&Options { counters: c, ..Options::default() })?;
    for item in shuffled(frequencies, random) {
        majority.add_keyed(item_key(item), b"")?;
    }
    let counts: HashMap<u64, u32> = (0..).zip(frequencies).map(|(item, &count)| (item_key(item), count)).collect();
    let found = majority.counts();
    let (mut theirs, mut best, mut exact) = (0u64, 0u64, 0);
    for k in 0..c as usize {
        theirs += found.get(k).map_or(0, |(key, _)| u64::from(counts[key]));
        best += frequencies.get(k).copied().map_or(0, u64::from);
        // No k items have more occurrences together than the k most frequent.
        if theirs == best {
            exact = k as u32 + 1;
        }
    }
    Ok(exact)
}

/// Keys that are as good as hashes, never 0.
fn item_key(item: u32) -> u64 {
    Random(u64::from(item)).next() | 1
}

/// A stream in which each item occurs as often as it should, in random order.
fn shuffled(frequencies: &[u32], random: &mut Random) -> Vec<u32> {
    let items = (0..).zip(frequencies);
    let mut stream: Vec<u32> = items.flat_map(|(item, &count)| (0..count).map(move |_| item)).collect();
    for last in (1..stream.len()).rev() {
        stream.swap(last, random.below(last as u64 + 1) as usize);
    }
    stream
}

/// A row of figure 9.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Timing {
    /// The structure.
    pub(crate) kind: CounterKind,
    /// Number of counters of [`Majority`] and [`Hashed`]; 0 for the others, which have as many as there are distinct lines.
    pub(crate) c: u64,
    /// Threads that made keys.
    pub(crate) threads: usize,
    /// Lines counted.
    pub(crate) lines: u64,
    /// Bytes of the lines, with one more for the end of each.
    pub(crate) bytes: u64,
    /// Wall-clock time to build the structure and to find the frequent lines.
    pub(crate) seconds: f64,
    /// Frequent lines that were found, as `FrequentTable::len` counts them.
    pub(crate) frequent: usize,
}

impl Timing {
    /// Millions of bytes in a second, to be compared with `LC_ALL=C sort | uniq -c` of a file with these lines.
    pub(crate) fn megabytes_per_second(&self) -> f64 {
        self.bytes as f64 / 1e6 / self.seconds.max(1e-9)
    }
}

/// Figure 9: builds each structure over the lines, generalised majority with each number of counters.
pub(crate) fn time_all(lines: &[&[u8]], k: u32, options: &Options, counters: &[u32]) -> Result<Vec<Timing>> {
    let mut rows = Vec::new();
    for kind in CounterKind::ALL {
        if kind != CounterKind::Majority {
            rows.push(time_one(kind, lines, k, options)?);
        }
    }
    for &counters in counters {
        rows.push(time_one(CounterKind::Majority, lines, k, &Options { counters, ..options.clone() })?);
    }
    Ok(rows)
}

/// Builds one structure over the lines, on all threads of rayon.
pub(crate) fn time_one(kind: CounterKind, lines: &[&[u8]], k: u32, options: &Options) -> Result<Timing> {
    let start = Instant::now();
    let mut counter = kind.build(options)?;
    counter.add_all(lines)?;
    let frequent = counter.finish(k + 1)?;
    let seconds = start.elapsed().as_secs_f64();
    let c = match kind {
        CounterKind::Majority => u64::from(options.counters),
        CounterKind::Hashed => 1 << options.bits,
        _ => 0,
    };
    let bytes = lines.iter().map(|line| line.len() as u64 + 1).sum();
    let (threads, lines) = (rayon::current_num_threads(), lines.len() as u64);
    Ok(Timing { kind, c, threads, lines, bytes, seconds, frequent: frequent.len() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Section 3.2: the bound Lσ^GAP_MAX for the probability that a preamble of L lines is cut short, if each of its lines is a
    /// false negative with the probability σ.
    fn cut_short_bound(lines: u32, sigma: f64, gap_max: u32) -> f64 {
        f64::from(lines) * sigma.powf(f64::from(gap_max))
    }

    fn close(found: f64, expected: f64) -> bool {
        (found - expected).abs() <= 1e-9 * expected.abs().max(1.0)
    }

    /// `distinct` lines of which every tenth occurs 20 times and the others once.
    fn skewed(distinct: u32) -> Vec<Vec<u8>> {
        let times = |i: u32| if i.is_multiple_of(10) { 20 } else { 1 };
        (0..distinct).flat_map(|i| (0..times(i)).map(move |_| format!("line number {i}").into_bytes())).collect()
    }

    #[test]
    fn numbers_of_section_3_2() {
        assert!(close(expected_flips(0.5, 2), 6.0));
        assert!(close(expected_flips(0.25, 10), 1_398_100.0));
        assert!((cut_short_bound(300, 0.25, 10) - 0.0003).abs() < 0.00002);
    }

    #[test]
    fn figure_3_at_its_ends() {
        let rows = misclassified(10, &[0.0, 0.2, 0.5]);
        assert!(close(rows[0].lines, 0.0) && close(rows[2].lines, 2036.0));
        assert!((30.0..40.0).contains(&rows[1].lines), "{rows:?}");
    }

    #[test]
    fn proposition_1_agrees_with_flips() {
        let (mut random, rounds) = (Random(1), 20_000);
        let mut flips = 0u32;
        for _ in 0..rounds {
            let mut heads = 0;
            while heads < 3 {
                flips += 1;
                heads = if random.below(10) < 6 { heads + 1 } else { 0 };
            }
        }
        assert!((f64::from(flips) / f64::from(rounds) / expected_flips(0.6, 3) - 1.0).abs() < 0.02);
    }

    #[test]
    fn false_positives_are_within_the_crude_bound_and_fall_with_counters() {
        let lines = skewed(2_000);
        let lines: Vec<&[u8]> = lines.iter().map(|line| &line[..]).collect();
        let rows = false_positives(&lines, &[10], &[6, 10, 14, 18], 3).expect("no error");
        assert_eq!(rows[0].c, 64);
        assert!(rows.is_sorted_by(|a, b| a.measured >= b.measured), "{rows:?}");
        assert!(rows.iter().all(|row| row.measured <= row.crude_bound), "{rows:?}");
        // 1 800 of 5 800 lines are infrequent, and with 64 counters all of them share one with a frequent line.
        assert!(rows[0].measured > 0.25 && rows[3].measured < 0.001, "{rows:?}");
        assert!(close(rows[0].p, 0.1) && close(rows[2].paper_bound, 1999.0 / 16384.0 / 1000.0));
    }

    #[test]
    fn false_positives_of_nothing() {
        let rows = false_positives(&[], &[10], &[4], 0).expect("no error");
        assert!(close(rows[0].measured, 0.0) && close(rows[0].crude_bound, 0.0));
    }

    #[test]
    fn efficiency_grows_with_the_exponent() {
        let zipf = Zipf { items: 200, n: 10_000, c: 20, runs: 5, ..Zipf::default() };
        let rows = efficiency(&zipf, &[0.5, 1.0, 2.5]).expect("no error");
        assert!(rows[0].efficiency <= rows[1].efficiency && rows[1].efficiency < rows[2].efficiency, "{rows:?}");
        assert!(rows[2].efficiency > 0.5 && rows[2].efficiency <= 1.0, "{rows:?}");
        assert_eq!(rows, efficiency(&zipf, &[0.5, 1.0, 2.5]).expect("no error"));
    }

    #[test]
    fn frequencies_add_up() {
        let frequencies = zipf_frequencies(&Zipf::default(), 1.0);
        let sum: u32 = frequencies.iter().sum();
        assert!(frequencies.len() == 1_000 && frequencies.is_sorted_by(|a, b| a >= b));
        assert!((99_000..101_000).contains(&sum), "{sum}");
    }

    #[test]
    fn all_structures_are_timed() {
        let rows = time_all(&[b"x", b"yy", b"x"], 1, &Options::default(), &[2, 5]).expect("no error");
        let kinds: Vec<&str> = rows.iter().map(|row| row.kind.name()).collect();
        assert_eq!(kinds, ["exact", "sorted", "crc64", "hashed", "majority", "majority"]);
        assert!(rows.iter().all(|row| row.bytes == 7 && row.frequent == 1 && row.megabytes_per_second() > 0.0));
    }
}
