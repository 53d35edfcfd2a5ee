//! Exact counts in memory (section 3.3.1).

use super::table::{LineTable, MOST_LINES};
use super::{Counter, CounterKind, FrequentTable, check_least};
use crate::error::{Error, Hint, Result};

/// Exact counts in memory: a hash table of all distinct lines.
///
/// It makes no errors. It takes the bytes of the distinct lines and up to 80 bytes for each of them.
#[derive(Debug, Default)]
pub struct Exact {
    table: LineTable,
    lines: u64,
}

impl Exact {
    /// Each distinct line with its count, in the order of first occurrences.
    pub fn counts(&self) -> impl Iterator<Item = (&[u8], u32)> {
        self.table.iter().map(|(_, line, count)| (line, count))
    }

    /// Number of distinct lines.
    pub fn distinct(&self) -> usize {
        self.table.len()
    }

    fn check_room(&self) -> Result<()> {
        match self.table.len() < MOST_LINES {
            true => Ok(()),
            false => {
                Err(Error::Refused(format!("more than {MOST_LINES} distinct lines are too many for the exact counter"))
                    .hint(Hint::value("counter", "sorted", "use `counter=sorted`")))
            }
        }
    }
}

impl Counter for Exact {
    fn kind(&self) -> CounterKind {
        CounterKind::Exact
    }

    fn lines(&self) -> u64 {
        self.lines
    }

    fn add_keyed(&mut self, key: u64, line: &[u8]) -> Result<()> {
        self.check_room()?;
        self.table.add(key, line, 1);
        self.lines += 1;
        Ok(())
    }

    fn merge(&mut self, other: Self) -> Result<()> {
        for (key, line, count) in other.table.iter() {
            self.check_room()?;
            self.table.add(key, line, count);
        }
        self.lines += other.lines;
        Ok(())
    }

    fn finish(self, least: u32) -> Result<FrequentTable> {
        check_least(least)?;
        let mut frequent = LineTable::default();
        for (key, line, count) in self.table.iter().filter(|&(_, _, count)| count >= least) {
            frequent.add(key, line, count);
        }
        Ok(FrequentTable::of_lines(CounterKind::Exact, least, self.lines, frequent))
    }
}
