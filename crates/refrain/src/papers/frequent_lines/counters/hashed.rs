//! An array of small counters that lines are hashed to (section 3.3.4).

use super::morris::{Morris, Random};
use super::{Counter, CounterKind, FrequentTable, Options, check_least};
use crate::error::{Error, Result};

/// As far as an 8-bit counter counts exactly.
pub(super) const PLAIN: u32 = u8::MAX as u32;

/// Numbers of bits that are allowed.
const BITS: std::ops::RangeInclusive<u32> = 3..=30;

/// 2^b counters of eight bits, one of which is chosen by the highest b bits of the hash of a line (XXH3).
///
/// Up to a [ceiling](Options::ceiling) of 255 the counters count exactly and stop at 255. Then a frequent line is never
/// missed: its counter is at least its own count. An infrequent line is called frequent if it shares a counter with a
/// frequent one, or with so many infrequent ones that they are frequent together. `paper_strip/study.rs` of the
/// benchmarks has the bounds of the paper for it. With more counters than distinct lines this concerns few lines.
///
/// For a larger ceiling the counters are [approximate](Morris): a frequent line is missed with a probability of at most
/// [`MISS`](super::MISS), and lines are called frequent, too, that occur somewhat less often than asked.
///
/// Memory is the array, whatever the size of the collection. The end packs the array into bits, in place. Counters that are
/// to be merged have an array each: on many threads make keys, and count them with one.
#[derive(Debug)]
pub struct Hashed {
    cells: Vec<u8>,
    bits: u32,
    morris: Option<Morris>,
    random: Random,
    lines: u64,
}

impl Hashed {
    /// An array of 2^[`bits`](Options::bits) counters that count up to [`ceiling`](Options::ceiling) occurrences.
    pub fn new(options: &Options) -> Result<Self> {
        if !BITS.contains(&options.bits) {
            let (bits, low, high) = (options.bits, BITS.start(), BITS.end());
            return Err(Error::Refused(format!("2^{bits} counters: the exponent must be from {low} to {high}")));
        }
        Ok(Hashed {
            cells: vec![0; 1 << options.bits],
            bits: options.bits,
            morris: (options.ceiling > PLAIN).then(|| Morris::new(options.ceiling)),
            random: Random::new(options.seed),
            lines: 0,
        })
    }

    /// The largest `least` that counters support.
    #[allow(clippy::cast_sign_loss)] // a count
    fn ceiling(&self) -> u32 {
        self.morris.as_ref().map_or(PLAIN, |morris| morris.estimate(u8::MAX).round() as u32)
    }

    /// The value of a counter from which on its lines are frequent.
    fn threshold(&self, least: u32) -> Result<u8> {
        check_least(least)?;
        let ceiling = self.ceiling();
        if least > ceiling {
            return Err(Error::Refused(format!(
                "the hashed counter counts up to {ceiling} occurrences and cannot count {least}"
            )));
        }
        Ok(self.morris.as_ref().map_or(least as u8, |morris| morris.threshold(least)))
    }
}

impl Counter for Hashed {
    fn kind(&self) -> CounterKind {
        CounterKind::Hashed
    }

    fn lines(&self) -> u64 {
        self.lines
    }

    fn add_keyed(&mut self, key: u64, _line: &[u8]) -> Result<()> {
        let cell = &mut self.cells[(key >> (64 - self.bits)) as usize];
        *cell = match &self.morris {
            None => cell.saturating_add(1),
            Some(morris) => morris.step(*cell, self.random.next()),
        };
        self.lines += 1;
        Ok(())
    }

    fn merge(&mut self, other: Self) -> Result<()> {
        if (self.bits, &self.morris) != (other.bits, &other.morris) {
            return Err(Error::Refused(
                "hashed counters can be merged only if bits and ceiling are the same".to_owned(),
            ));
        }
        for (cell, &added) in self.cells.iter_mut().zip(&other.cells) {
            *cell = match &self.morris {
                None => cell.saturating_add(added),
                Some(morris) => morris.merge(*cell, added, || self.random.next()),
            };
        }
        self.lines += other.lines;
        Ok(())
    }

    fn finish(self, least: u32) -> Result<FrequentTable> {
        let threshold = self.threshold(least)?;
        Ok(FrequentTable::of_cells(least, self.lines, pack(self.cells, threshold)))
    }
}

/// One bit for each cell of at least `threshold`, in the memory of the cells.
fn pack(mut cells: Vec<u8>, threshold: u8) -> Vec<u8> {
    let bytes = cells.len() / 8;
    let mut eight = [0; 8];
    for byte in 0..bytes {
        eight.copy_from_slice(&cells[byte * 8..byte * 8 + 8]);
        cells[byte] = pack_eight(u64::from_le_bytes(eight), threshold);
    }
    cells.truncate(bytes);
    cells.shrink_to_fit();
    cells
}

/// One bit for each of eight cells, the lowest for the first, by arithmetic on all of them at once.
fn pack_eight(cells: u64, threshold: u8) -> u8 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = EACH << 7;
    let threshold = u64::from(threshold) * EACH;
    let low_is_enough = (cells | HIGH) - (threshold & !HIGH);
    let is_enough = (cells & !threshold | !(cells ^ threshold) & low_is_enough) & HIGH;
    // The product gathers the lowest bits of all bytes in the highest byte.
    ((is_enough >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_remains_full() {
        let mut counter = Hashed::new(&Options { bits: 4, ..Options::default() }).expect("good options");
        (0..1_000).for_each(|_| counter.add(b"often").expect("no error"));
        let mut other = Hashed::new(&Options { bits: 4, ..Options::default() }).expect("good options");
        (0..255).for_each(|_| other.add(b"often").expect("no error"));
        counter.merge(other).expect("no error");
        assert!(counter.finish(255).expect("no error").is_frequent(b"often"));
    }

    #[test]
    fn what_cannot_be_counted_is_refused() {
        let plain = Hashed::new(&Options::default()).expect("good options");
        assert!(plain.finish(256).expect_err("refused").to_string().contains("255"));
        let large = || Hashed::new(&Options { ceiling: 5_000, bits: 10, ..Options::default() }).expect("good options");
        assert!(large().finish(5_000).is_ok());
        assert!(large().finish(5_001).is_err());
        assert!(large().finish(0).is_err());
        assert!(Hashed::new(&Options { bits: 31, ..Options::default() }).is_err());
        assert!(large().merge(Hashed::new(&Options::default()).expect("good options")).is_err());
    }

    #[test]
    fn the_same_seed_counts_the_same() {
        let cells = |seed| {
            let options = Options { ceiling: 5_000, bits: 3, seed, ..Options::default() };
            let mut counter = Hashed::new(&options).expect("good options");
            (0..9_000u32).for_each(|i| counter.add(&(i % 50).to_le_bytes()).expect("no error"));
            let mut other = Hashed::new(&options.for_part(1)).expect("good options");
            (0..900u32).for_each(|i| other.add(&(i % 50).to_le_bytes()).expect("no error"));
            counter.merge(other).expect("no error");
            counter.cells
        };
        assert_eq!(cells(4), cells(4));
        assert_ne!(cells(4), cells(5));
    }

    #[test]
    fn packed_bits_are_in_the_order_of_cells() {
        let mut cells = vec![0; 16];
        (cells[0], cells[3], cells[9]) = (2, 1, 7);
        assert_eq!(pack(cells, 2), [0b1, 0b10]);
    }

    #[test]
    fn packing_compares_each_cell_with_the_threshold() {
        for threshold in 1..=u8::MAX {
            let cells: Vec<u8> = (0..=u8::MAX).map(|i| i.wrapping_mul(167)).collect();
            let packed = pack(cells.clone(), threshold);
            for (at, &cell) in cells.iter().enumerate() {
                assert_eq!(packed[at / 8] >> (at % 8) & 1 == 1, cell >= threshold, "{cell} {threshold}");
            }
        }
    }
}
