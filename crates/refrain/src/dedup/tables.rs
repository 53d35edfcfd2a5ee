//! Tables by number: positions, mostly on disk, and bits, in memory.

use std::fs::File;
use std::io::{Read, Write};
use std::path::PathBuf;

use super::group::{PLACE, number, place};
use crate::disk::platform::FileExt;
use crate::error::{IoContext, Result};

/// Positions by number, mostly on disk.
pub(super) struct Places {
    path: PathBuf,
    file: Option<File>,
    pages: Vec<Page>,
}

#[derive(Clone)]
struct Page {
    number: u64,
    changed: bool,
    bytes: Vec<u8>,
}

/// Bytes of a page, and how many pages are in memory.
const PAGE: usize = 4096;
const PAGES: usize = 4096;
const PLACES: u64 = (PAGE / PLACE) as u64;
/// The memory of all pages.
pub(super) const BYTES_OF_PLACES: u64 = (PAGE * PAGES) as u64;

impl Places {
    pub(super) fn new(path: PathBuf) -> Places {
        let none = Page { number: u64::MAX, changed: false, bytes: Vec::new() };
        Places { path, file: None, pages: vec![none; PAGES] }
    }

    /// Resumes with the file of an earlier run.
    pub(super) fn resume(&mut self) -> Result<()> {
        if self.path.exists() {
            self.file = Some(File::options().read(true).write(true).open(&self.path).at(&self.path)?);
        }
        Ok(())
    }

    fn page(&mut self, number: u64) -> Result<&mut Page> {
        let at = number as usize % PAGES;
        if self.pages[at].number != number {
            self.write(at)?;
            let page = &mut self.pages[at];
            page.bytes.clear();
            page.bytes.resize(PAGE, 0);
            if let Some(file) = &self.file {
                let mut from = 0;
                while from < PAGE {
                    match file.read_at(&mut page.bytes[from..], number * PAGE as u64 + from as u64).at(&self.path)? {
                        0 => break,
                        read => from += read,
                    }
                }
            }
            (page.number, page.changed) = (number, false);
        }
        Ok(&mut self.pages[at])
    }

    fn write(&mut self, at: usize) -> Result<()> {
        let page = &mut self.pages[at];
        if page.changed {
            let file = match &mut self.file {
                Some(file) => file,
                None => {
                    let mut options = File::options();
                    let file = options.read(true).write(true).create(true).truncate(true).open(&self.path);
                    self.file.insert(file.at(&self.path)?)
                }
            };
            file.write_all_at(&page.bytes, page.number * PAGE as u64).at(&self.path)?;
            page.changed = false;
        }
        Ok(())
    }

    pub(super) fn get(&mut self, number_of: u64) -> Result<u64> {
        let at = (number_of % PLACES) as usize * PLACE;
        Ok(number(&self.page(number_of / PLACES)?.bytes[at..at + PLACE]))
    }

    pub(super) fn set(&mut self, number_of: u64, to: u64) -> Result<()> {
        let at = (number_of % PLACES) as usize * PLACE;
        let page = self.page(number_of / PLACES)?;
        page.bytes[at..at + PLACE].copy_from_slice(&place(to));
        page.changed = true;
        Ok(())
    }

    /// Writes everything that is still in memory.
    pub(super) fn flush(&mut self) -> Result<()> {
        (0..PAGES).try_for_each(|at| self.write(at))
    }
}

/// A row of bits.
#[derive(Debug, Default)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    pub(super) fn new(length: u64) -> Bits {
        Bits(vec![0; length.div_ceil(64) as usize])
    }

    #[inline]
    pub(super) fn get(&self, at: u64) -> bool {
        self.0[(at / 64) as usize] >> (at % 64) & 1 == 1
    }

    #[inline]
    pub(super) fn set(&mut self, at: u64) {
        self.0[(at / 64) as usize] |= 1 << (at % 64);
    }

    /// The number of set bits.
    pub(super) fn count(&self) -> u64 {
        self.count_with(u64::MAX)
    }

    /// The number of set bits, with `mask` applied to each 64 of them.
    fn count_with(&self, mask: u64) -> u64 {
        self.0.iter().map(|bits| u64::from((bits & mask).count_ones())).sum()
    }

    pub(super) fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        self.0.iter().try_for_each(|bits| out.write_all(&bits.to_le_bytes()))
    }

    pub(super) fn read(&mut self, input: &mut impl Read) -> std::io::Result<()> {
        let mut eight = [0; 8];
        self.0.iter_mut().try_for_each(|bits| {
            input.read_exact(&mut eight)?;
            *bits = u64::from_le_bytes(eight);
            Ok(())
        })
    }
}

/// Which n-grams occur in kept text, and which occur there more than once: two adjacent bits, by number.
pub(super) struct Kept(Bits);

impl Kept {
    pub(super) fn new(length: u64) -> Kept {
        Kept(Bits::new(2 * length))
    }

    #[inline]
    pub(super) fn get(&self, number: u64) -> bool {
        self.0.get(2 * number)
    }

    /// Records another occurrence of an n-gram. True for the first one.
    #[inline]
    pub(super) fn add(&mut self, number: u64) -> bool {
        let first = !self.get(number);
        self.0.set(2 * number + u64::from(!first));
        first
    }

    /// How many n-grams occur, and how many of these more than once.
    pub(super) fn counts(&self) -> (u64, u64) {
        const FIRST: u64 = u64::MAX / 3;
        (self.0.count_with(FIRST), self.0.count_with(!FIRST))
    }

    pub(super) fn bits(&self) -> &Bits {
        &self.0
    }

    pub(super) fn bits_mut(&mut self) -> &mut Bits {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_kept_beyond_memory() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut places = Places::new(folder.path().join("places"));
        let far = PLACES * PAGES as u64;
        for number in [0, 1, far, far + 1, 3 * far] {
            places.set(number, number + 7).expect("room");
        }
        for number in [3 * far, far + 1, far, 1, 0] {
            assert_eq!(places.get(number).expect("a place"), number + 7);
        }
        places.flush().expect("room");
        let mut again = Places::new(folder.path().join("places"));
        again.resume().expect("the file");
        assert_eq!(again.get(far).expect("a place"), far + 7);
    }

    #[test]
    fn what_is_kept_twice_is_known() {
        let mut kept = Kept::new(100);
        assert!(kept.add(0) && kept.add(31) && kept.add(99));
        assert!(!kept.add(31) && !kept.add(31));
        assert_eq!((kept.get(31), kept.get(30), kept.counts()), (true, false, (3, 1)));
    }
}
