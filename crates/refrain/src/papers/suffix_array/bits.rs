//! Numbers as bits on disk, in Elias codes: short for small numbers.
//!
//! As in Witten, Moffat and Bell, *Managing Gigabytes* (1999). Bits are filled in from the lowest on, so that the zeros a
//! code begins with are counted with one instruction; files are whole groups of eight bytes.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

use crate::error::{IoContext, Result};

/// What is written or read at a time.
const BUFFER: usize = 64 << 10;

/// Writes codes.
pub(super) struct BitWriter<'a> {
    path: &'a Path,
    file: BufWriter<File>,
    /// Bits that are not written yet, and how many. Always fewer than 64 between calls.
    bits: u128,
    filled: u32,
}

impl<'a> BitWriter<'a> {
    pub(super) fn create(path: &'a Path) -> Result<BitWriter<'a>> {
        let file = File::create(path).at(path)?;
        Ok(BitWriter { path, file: BufWriter::with_capacity(BUFFER, file), bits: 0, filled: 0 })
    }

    /// The lowest bits of a number.
    #[inline]
    fn put(&mut self, number: u64, width: u32) -> Result<()> {
        self.bits |= u128::from(number) << self.filled;
        self.filled += width;
        if self.filled >= u64::BITS {
            self.file.write_all(&(self.bits as u64).to_le_bytes()).at(self.path)?;
            self.bits >>= u64::BITS;
            self.filled -= u64::BITS;
        }
        Ok(())
    }

    /// The gamma code of a number from 1 on: its width in zeros, then its bits.
    #[inline]
    pub(super) fn gamma(&mut self, number: u64) -> Result<()> {
        let width = number.ilog2();
        self.put(1 << width, width + 1)?;
        self.put(number ^ 1 << width, width)
    }

    /// The delta code of a number from 1 on: its width in gamma code, then its bits.
    #[inline]
    pub(super) fn delta(&mut self, number: u64) -> Result<()> {
        let width = number.ilog2();
        self.gamma(u64::from(width) + 1)?;
        self.put(number ^ 1 << width, width)
    }

    /// Writes what is left.
    pub(super) fn finish(mut self) -> Result<()> {
        if self.filled > 0 {
            self.file.write_all(&(self.bits as u64).to_le_bytes()).at(self.path)?;
        }
        self.file.flush().at(self.path)
    }
}

/// Reads what a [`BitWriter`] wrote. How many codes there are is known elsewhere.
pub(super) struct BitReader<'a> {
    path: &'a Path,
    file: BufReader<File>,
    bits: u128,
    filled: u32,
}

impl<'a> BitReader<'a> {
    pub(super) fn open(path: &'a Path) -> Result<BitReader<'a>> {
        let file = File::open(path).at(path)?;
        Ok(BitReader { path, file: BufReader::with_capacity(BUFFER, file), bits: 0, filled: 0 })
    }

    /// Reads eight more bytes.
    fn fill(&mut self) -> Result<()> {
        let mut bytes = [0; 8];
        self.file.read_exact(&mut bytes).at(self.path)?;
        self.bits |= u128::from(u64::from_le_bytes(bytes)) << self.filled;
        self.filled += u64::BITS;
        Ok(())
    }

    /// A number of so many bits, fewer than 64.
    #[inline]
    fn take(&mut self, width: u32) -> Result<u64> {
        if self.filled < width {
            self.fill()?;
        }
        let number = self.bits as u64 & ((1 << width) - 1);
        self.bits >>= width;
        self.filled -= width;
        Ok(number)
    }

    #[inline]
    pub(super) fn gamma(&mut self) -> Result<u64> {
        if self.bits == 0 {
            // Zeros of a code that continues in the next bytes, or no zeros at all.
            self.fill()?;
        }
        let width = self.bits.trailing_zeros();
        self.checked(width)?;
        self.bits >>= width + 1;
        self.filled -= width + 1;
        Ok(1 << width | self.take(width)?)
    }

    #[inline]
    pub(super) fn delta(&mut self) -> Result<u64> {
        let width = (self.gamma()? - 1).min(u64::from(u64::BITS)) as u32;
        self.checked(width)?;
        Ok(1 << width | self.take(width)?)
    }

    /// No number is wider than 64 bits, unless the file is damaged.
    #[inline]
    fn checked(&self, width: u32) -> Result<()> {
        if width < u64::BITS {
            return Ok(());
        }
        Err(io::Error::new(io::ErrorKind::InvalidData, "not an Elias code; the file is damaged")).at(self.path)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Numbers of every width.
    fn numbers() -> impl Strategy<Value = Vec<(u64, bool)>> {
        let number = (any::<u64>(), 0..64_u32, any::<bool>());
        prop::collection::vec(number.prop_map(|(number, shift, delta)| ((number >> shift).max(1), delta)), 0..200)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]
        #[test]
        fn codes_are_read_as_they_were_written(numbers in numbers()) {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("codes");
            let mut writer = BitWriter::create(&path).expect("a file");
            for (number, delta) in &numbers {
                if *delta { writer.delta(*number) } else { writer.gamma(*number) }.expect("room");
            }
            writer.finish().expect("room");
            let mut reader = BitReader::open(&path).expect("a file");
            for (number, delta) in &numbers {
                let read = if *delta { reader.delta() } else { reader.gamma() }.expect("a number");
                prop_assert_eq!(read, *number);
            }
        }
    }

    #[test]
    fn damaged_files_are_errors() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("codes");
        for bytes in [&[][..], &[0; 5], &[0; 8], &[0; 64]] {
            std::fs::write(&path, bytes).expect("room");
            assert!(BitReader::open(&path).expect("a file").gamma().is_err());
            assert!(BitReader::open(&path).expect("a file").delta().is_err());
        }
    }
}
