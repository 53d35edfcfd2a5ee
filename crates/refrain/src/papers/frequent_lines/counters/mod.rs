//! Structures that find the frequent lines of a collection: the five of section 3.3 of Kaser and Lemire, "Removing
//! Manually Generated Boilerplate from Electronic Texts" (2007), with one [trait](Counter).
//!
//! A line is frequent if it occurs at least `least` times. (The paper says more than K times: `least` is K + 1.)
//!
//! | name | memory | a frequent line called infrequent | an infrequent line called frequent |
//! |---|---|---|---|
//! | [`exact`](Exact) | all distinct lines | never | never |
//! | [`sorted`](Sorted) | `memory`, and the frequent lines | never | never |
//! | [`crc64`](Crc64) | up to 43 bytes for each distinct line | never | if CRC-64 collide: about n²/2⁶⁵ pairs of n lines |
//! | [`hashed`](Hashed) | 2^`bits` bytes | never up to 255 occurrences; beyond, with a probability of at most [`MISS`] | if lines share a counter; beyond 255 occurrences also if a counter overestimates |
//! | [`majority`](Majority) | about 35 bytes for each counter | only if it is at most n/(c + 1) of n lines | if it occurs at least `least` − n/(c + 1) times |
//!
//! Each structure takes a line together with its 64-bit key. Computing keys takes most of the time and depends only on
//! the line: compute them on many threads with [`CounterKind::key`], and add them on one, in the order of the lines.
//! Then one structure is in memory, and its result does not depend on threads. [`Counter::add_all`] does so.
//!
//! ```
//! use refrain::papers::frequent_lines::counters::{Counter, CounterKind, Options};
//!
//! let mut counter = CounterKind::Hashed.build(&Options::default())?;
//! counter.add_all(&[b"a line of a licence", b"a line of a book", b"a line of a licence"])?;
//! let frequent = counter.finish(2)?;
//! assert!(frequent.is_frequent(b"a line of a licence"));
//! assert!(!frequent.is_frequent(b"a line of a book"));
//! # Ok::<(), refrain::Error>(())
//! ```

mod crc64;
mod exact;
mod frequent;
mod hashed;
mod majority;
mod morris;
mod sorted;
mod table;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::PathBuf;

use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_64;

use super::PaperOptions;
use crate::error::{Error, Result};

pub use crc64::Crc64;
pub use exact::Exact;
pub use frequent::FrequentTable;
pub use hashed::Hashed;
pub use majority::Majority;
pub use morris::{MISS, Morris};
pub use sorted::Sorted;

/// Lines whose keys are made at a time by [`Counter::add_all`]: two blocks of keys take 1 MB.
const BLOCK: usize = 1 << 16;

/// Counts lines, to find the frequent ones in the end.
pub trait Counter: Send + Sized {
    /// Which structure this is.
    fn kind(&self) -> CounterKind;

    /// Lines counted, those of merged counters with them.
    fn lines(&self) -> u64;

    /// Counts a line whose key, by [`CounterKind::key`], is known. Structures that keep keys only do not look at the line.
    fn add_keyed(&mut self, key: u64, line: &[u8]) -> Result<()>;

    /// Counts with this counter what another of the same kind and options has counted.
    fn merge(&mut self, other: Self) -> Result<()>;

    /// Ends counting: lines that occur at least `least` times are frequent, as far as the structure can determine.
    fn finish(self, least: u32) -> Result<FrequentTable>;

    /// Counts a line.
    fn add(&mut self, line: &[u8]) -> Result<()> {
        self.add_keyed(self.kind().key(line), line)
    }

    /// Counts lines whose keys are known.
    fn add_keys(&mut self, keys: &[u64], lines: &[&[u8]]) -> Result<()> {
        keys.iter().zip(lines).try_for_each(|(&key, line)| self.add_keyed(key, line))
    }

    /// Counts lines. Keys are made by all threads of rayon, and added in the order of the lines: the result is that of
    /// [`Counter::add`] for each line.
    fn add_all(&mut self, lines: &[&[u8]]) -> Result<()> {
        let key = self.kind().key_function();
        let mut blocks = lines.chunks(BLOCK);
        let (mut now, mut next) = (Vec::new(), Vec::new());
        let mut block = blocks.next().unwrap_or_default();
        make_keys(key, block, &mut now);
        while !block.is_empty() {
            let following = blocks.next().unwrap_or_default();
            let (added, ()) = rayon::join(|| self.add_keys(&now, block), || make_keys(key, following, &mut next));
            added?;
            block = following;
            std::mem::swap(&mut now, &mut next);
        }
        Ok(())
    }
}

fn make_keys(key: fn(&[u8]) -> u64, lines: &[&[u8]], keys: &mut Vec<u64>) {
    lines.par_iter().with_min_len(1 << 10).map(|line| key(line)).collect_into_vec(keys);
}

/// The structures, by the names that the parameter `counter` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CounterKind {
    /// Exact counts in memory: [`Exact`].
    Exact,
    /// Exact counts by sorting on disk: [`Sorted`].
    Sorted,
    /// Counts of CRC-64 keys: [`Crc64`].
    Crc64,
    /// An array of 8-bit counters: [`Hashed`].
    Hashed,
    /// Generalised majority: [`Majority`].
    Majority,
}

impl CounterKind {
    /// All of them.
    pub const ALL: [CounterKind; 5] =
        [CounterKind::Exact, CounterKind::Sorted, CounterKind::Crc64, CounterKind::Hashed, CounterKind::Majority];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            CounterKind::Exact => "exact",
            CounterKind::Sorted => "sorted",
            CounterKind::Crc64 => "crc64",
            CounterKind::Hashed => "hashed",
            CounterKind::Majority => "majority",
        }
    }

    /// Whether lines are kept; others keep their keys, or less.
    pub fn keeps_lines(self) -> bool {
        matches!(self, CounterKind::Exact | CounterKind::Sorted)
    }

    /// The key of a line with which this structure counts.
    pub fn key(self, line: &[u8]) -> u64 {
        self.key_function()(line)
    }

    fn key_function(self) -> fn(&[u8]) -> u64 {
        match self {
            CounterKind::Crc64 => crc64::checksum,
            _ => XxHash3_64::oneshot,
        }
    }

    /// An empty counter.
    pub fn build(self, options: &Options) -> Result<AnyCounter> {
        Ok(match self {
            CounterKind::Exact => AnyCounter::Exact(Exact::default()),
            CounterKind::Sorted => AnyCounter::Sorted(Sorted::new(options)?),
            CounterKind::Crc64 => AnyCounter::Crc64(Crc64::default()),
            CounterKind::Hashed => AnyCounter::Hashed(Hashed::new(options)?),
            CounterKind::Majority => AnyCounter::Majority(Majority::new(options)?),
        })
    }
}

impl fmt::Display for CounterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The options of the structures. Each uses those that concern it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Bytes that [`Sorted`] may use while it counts.
    pub memory: u64,
    /// Where [`Sorted`] puts what does not fit into memory.
    pub folder: PathBuf,
    /// [`Hashed`] has 2^`bits` counters.
    pub bits: u32,
    /// The largest count that [`Hashed`] must represent: more than 255 makes its counters approximate.
    pub ceiling: u32,
    /// Seed of the chances of approximate counters.
    pub seed: u64,
    /// How many lines [`Majority`] monitors: c in the paper.
    pub counters: u32,
    /// The minimum counter of a monitored line for the line to be frequent (the paper uses 5 where K is 10), instead of
    /// the smallest value that misses no line.
    pub majority_least: Option<u32>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            memory: 512 << 20,
            folder: std::env::temp_dir(),
            bits: PaperOptions::PUBLISHED.bits,
            ceiling: hashed::PLAIN,
            seed: 0,
            counters: PaperOptions::PUBLISHED.counters,
            majority_least: None,
        }
    }
}

impl Options {
    /// The options for one part of a collection that is counted in parts: approximate counters of different parts must
    /// not share random numbers. Counted one after another and merged in order, they give the same result in each run.
    #[must_use]
    pub fn for_part(&self, part: u64) -> Options {
        let seed = XxHash3_64::oneshot_with_seed(self.seed, &part.to_le_bytes());
        Options { seed, ..self.clone() }
    }
}

/// One of the five structures.
#[derive(Debug)]
pub enum AnyCounter {
    /// Exact counts in memory.
    Exact(Exact),
    /// Exact counts by sorting on disk.
    Sorted(Sorted),
    /// Counts of CRC-64 keys.
    Crc64(Crc64),
    /// An array of 8-bit counters.
    Hashed(Hashed),
    /// Generalised majority.
    Majority(Majority),
}

/// Does the same for the counter in any of the variants.
macro_rules! each {
    ($any:expr, $counter:ident => $result:expr) => {
        match $any {
            AnyCounter::Exact($counter) => $result,
            AnyCounter::Sorted($counter) => $result,
            AnyCounter::Crc64($counter) => $result,
            AnyCounter::Hashed($counter) => $result,
            AnyCounter::Majority($counter) => $result,
        }
    };
}

impl Counter for AnyCounter {
    fn kind(&self) -> CounterKind {
        each!(self, counter => counter.kind())
    }

    fn lines(&self) -> u64 {
        each!(self, counter => counter.lines())
    }

    fn add_keyed(&mut self, key: u64, line: &[u8]) -> Result<()> {
        each!(self, counter => counter.add_keyed(key, line))
    }

    fn add_keys(&mut self, keys: &[u64], lines: &[&[u8]]) -> Result<()> {
        each!(self, counter => counter.add_keys(keys, lines))
    }

    fn merge(&mut self, other: Self) -> Result<()> {
        match (self, other) {
            (AnyCounter::Exact(a), AnyCounter::Exact(b)) => a.merge(b),
            (AnyCounter::Sorted(a), AnyCounter::Sorted(b)) => a.merge(b),
            (AnyCounter::Crc64(a), AnyCounter::Crc64(b)) => a.merge(b),
            (AnyCounter::Hashed(a), AnyCounter::Hashed(b)) => a.merge(b),
            (AnyCounter::Majority(a), AnyCounter::Majority(b)) => a.merge(b),
            (a, b) => {
                Err(Error::Refused(format!("counters of two kinds, {} and {}, do not merge", a.kind(), b.kind())))
            }
        }
    }

    fn finish(self, least: u32) -> Result<FrequentTable> {
        each!(self, counter => counter.finish(least))
    }
}

/// Refuses a `least` of 0, by which lines would be frequent that never occur.
fn check_least(least: u32) -> Result<()> {
    match least {
        0 => Err(Error::Refused("a frequent line must occur at least once; 0 was asked".to_owned())),
        _ => Ok(()),
    }
}
