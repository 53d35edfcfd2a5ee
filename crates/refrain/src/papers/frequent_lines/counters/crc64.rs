//! Counts of checksums (section 3.3.3).

use crc::{CRC_64_XZ, Crc, Table};

use super::table::KeyTable;
use super::{Counter, CounterKind, FrequentTable, check_least};
use crate::error::Result;

static CRC: Crc<u64, Table<16>> = Crc::<u64, Table<16>>::new(&CRC_64_XZ);

/// CRC-64 of a line: the polynomial of ECMA-182, as in xz.
pub(super) fn checksum(line: &[u8]) -> u64 {
    CRC.checksum(line)
}

/// Counts of the CRC-64 of lines.
///
/// A frequent line is never missed: its count is at least its own. An infrequent line is called frequent if lines with
/// the same checksum occur often enough together. Among n distinct lines some n²/2⁶⁵ pairs are expected to collide, one
/// pair in six billion lines. (This holds for text that was not made to collide: CRC-64 is no protection against
/// malice.)
///
/// It takes 16 bytes for each slot of a table that is between three eighths and three quarters full.
#[derive(Debug, Default)]
pub struct Crc64 {
    table: KeyTable,
    lines: u64,
}

impl Counter for Crc64 {
    fn kind(&self) -> CounterKind {
        CounterKind::Crc64
    }

    fn lines(&self) -> u64 {
        self.lines
    }

    fn add_keyed(&mut self, key: u64, _line: &[u8]) -> Result<()> {
        self.table.add(key, 1);
        self.lines += 1;
        Ok(())
    }

    fn merge(&mut self, other: Self) -> Result<()> {
        for (key, count) in other.table.iter() {
            self.table.add(key, count);
        }
        self.lines += other.lines;
        Ok(())
    }

    fn finish(self, least: u32) -> Result<FrequentTable> {
        check_least(least)?;
        let mut frequent = KeyTable::default();
        for (key, count) in self.table.iter().filter(|&(_, count)| count >= least) {
            frequent.add(key, count);
        }
        Ok(FrequentTable::of_keys(CounterKind::Crc64, least, self.lines, frequent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksum_is_the_standard_one() {
        assert_eq!(checksum(b"123456789"), 0x995D_C9BB_DF19_39FA);
    }

    #[test]
    fn lines_that_collide_count_together() {
        let mut counter = Crc64::default();
        counter.add_keyed(checksum(b"one"), b"one").expect("no error");
        counter.add_keyed(checksum(b"one"), b"another with this checksum").expect("no error");
        assert!(counter.finish(2).expect("no error").is_frequent(b"one"));
    }
}
