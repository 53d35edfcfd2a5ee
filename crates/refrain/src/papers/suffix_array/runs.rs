//! Sorted n-grams on disk, each with the places where it occurs, and their merging.
//!
//! A run is a file of n-grams in the order of their word ids. As in section 6.2.1 of the PRESEMT report D3.1.3, an
//! n-gram omits the ids it shares with the previous one. Ids are in Elias codes: frequent words occur early, so their
//! ids are small. Places follow, as differences, up to an end mark. They are never all in memory: an n-gram may occur
//! very often.

use std::fs;
use std::path::{Path, PathBuf};

use super::bits::{BitReader, BitWriter};
use crate::disk::runs::{self, Cursor};
use crate::error::{IoContext, Result};

/// Takes in n-grams in sorted order, and after each its places in order.
pub(super) trait Sorted {
    fn ngram(&mut self, ids: &[i32]) -> Result<()>;
    fn place(&mut self, place: u64) -> Result<()>;
}

/// A file of sorted n-grams.
pub(super) struct NgramRun {
    path: PathBuf,
    /// How many n-grams there are.
    ngrams: u64,
    /// A place before all that are in it, so that they are small numbers.
    base: u64,
}

/// Writes a run.
pub(super) struct RunWriter<'a> {
    bits: BitWriter<'a>,
    base: u64,
    ngrams: u64,
    /// The n-gram before.
    last: Vec<i32>,
    /// The place before, if this n-gram has one.
    place: Option<u64>,
}

impl Sorted for RunWriter<'_> {
    fn ngram(&mut self, ids: &[i32]) -> Result<()> {
        self.end()?;
        let shared = self.last.iter().zip(ids).take_while(|(last, id)| last == id).count();
        self.bits.gamma(shared as u64 + 1)?;
        for id in &ids[shared..] {
            self.bits.delta(u64::from(id.unsigned_abs()))?;
        }
        self.last.clear();
        self.last.extend_from_slice(ids);
        self.ngrams += 1;
        Ok(())
    }

    fn place(&mut self, place: u64) -> Result<()> {
        let before = self.place.replace(place).unwrap_or(self.base);
        // 1 is the end.
        self.bits.delta(place - before + 2)
    }
}

impl RunWriter<'_> {
    /// Ends the places of an n-gram.
    fn end(&mut self) -> Result<()> {
        match self.place.take() {
            Some(_) => self.bits.delta(1),
            None => Ok(()),
        }
    }
}

impl NgramRun {
    /// Writes what `fill` hands over. No place is before `base`.
    pub(super) fn write(
        path: PathBuf,
        base: u64,
        fill: impl FnOnce(&mut RunWriter<'_>) -> Result<()>,
    ) -> Result<NgramRun> {
        let bits = BitWriter::create(&path)?;
        let mut writer = RunWriter { bits, base, ngrams: 0, last: Vec::new(), place: None };
        fill(&mut writer)?;
        writer.end()?;
        let ngrams = writer.ngrams;
        writer.bits.finish()?;
        Ok(NgramRun { path, ngrams, base })
    }

    fn remove(self) -> Result<()> {
        fs::remove_file(&self.path).at(&self.path)
    }
}

/// A run that is being read. The places of an n-gram are read before the next n-gram.
struct RunReader<'a> {
    bits: BitReader<'a>,
    base: u64,
    left: u64,
    /// The current n-gram.
    ids: Vec<i32>,
}

impl Cursor for RunReader<'_> {
    type Key = [i32];

    fn key(&self) -> &[i32] {
        &self.ids
    }

    fn advance(&mut self) -> Result<bool> {
        if self.left == 0 {
            return Ok(false);
        }
        self.left -= 1;
        let shared = self.bits.gamma()? as usize - 1;
        for id in self.ids.iter_mut().skip(shared) {
            *id = self.bits.delta()? as i32;
        }
        Ok(true)
    }
}

impl RunReader<'_> {
    fn open(run: &NgramRun, n: usize) -> Result<RunReader<'_>> {
        Ok(RunReader { bits: BitReader::open(&run.path)?, base: run.base, left: run.ngrams, ids: vec![0; n] })
    }

    /// Hands over the places of the n-gram.
    fn places(&mut self, into: &mut impl Sorted) -> Result<()> {
        let mut place = self.base;
        loop {
            match self.bits.delta()? {
                1 => return Ok(()),
                difference => place += difference - 2,
            }
            into.place(place)?;
        }
    }
}

/// Merges runs, `fan_in` at a time, and passes on all that they have. Runs are in the order of their places; they are
/// removed.
pub(super) fn merge(runs: Vec<NgramRun>, n: usize, fan_in: usize, folder: &Path, into: &mut impl Sorted) -> Result<()> {
    let mut merged = 0_u32;
    let runs = runs::reduce(runs, fan_in, |some| {
        let path = folder.join(format!("merged-{merged:05}"));
        merged += 1;
        let base = some.first().map_or(0, |run| run.base);
        let run = NgramRun::write(path, base, |into| merge_at_once(&some, n, into))?;
        some.into_iter().try_for_each(NgramRun::remove)?;
        Ok(run)
    })?;
    merge_at_once(&runs, n, into)?;
    runs.into_iter().try_for_each(NgramRun::remove)
}

fn merge_at_once(runs: &[NgramRun], n: usize, into: &mut impl Sorted) -> Result<()> {
    let readers = runs.iter().map(|run| RunReader::open(run, n)).collect::<Result<_>>()?;
    let mut last = Vec::with_capacity(n);
    // Among equal n-grams that of the earlier run comes first, and so do its places.
    runs::merge(readers, |_, reader: &mut RunReader<'_>| {
        if last != reader.ids {
            last.clone_from(&reader.ids);
            into.ngram(&last)?;
        }
        reader.places(into)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// N-grams with their places.
    #[derive(Debug, Default, PartialEq, Eq)]
    struct List(Vec<(Vec<i32>, Vec<u64>)>);

    impl Sorted for List {
        fn ngram(&mut self, ids: &[i32]) -> Result<()> {
            self.0.push((ids.to_vec(), Vec::new()));
            Ok(())
        }

        fn place(&mut self, place: u64) -> Result<()> {
            self.0.last_mut().expect("an n-gram before its places").1.push(place);
            Ok(())
        }
    }

    #[test]
    fn runs_are_merged_in_rounds() {
        let folder = tempfile::tempdir().expect("a folder");
        for (count, fan_in) in [(0, 2), (1, 2), (2, 2), (3, 2), (9, 2), (10, 3), (10, 64)] {
            let run = |number: u64| {
                let path = folder.path().join(format!("run-{number}"));
                // One n-gram of its own, two that all runs have, each at two places.
                let own = vec![2, number as i32 + 1, 7];
                NgramRun::write(path, number * 100, |into| {
                    for (ids, first) in [(vec![1, 1, 1], 0), (own, 10), (vec![i32::MAX, 1, i32::MAX], 20)] {
                        into.ngram(&ids)?;
                        into.place(number * 100 + first)?;
                        into.place(number * 100 + first + 3)?;
                    }
                    Ok(())
                })
            };
            let runs = (0..count).map(run).collect::<Result<Vec<_>>>().expect("room");
            let mut list = List::default();
            merge(runs, 3, fan_in, folder.path(), &mut list).expect("room");
            let places = |first| (0..count).flat_map(|run| [run * 100 + first, run * 100 + first + 3]).collect();
            let mut wanted = List::default();
            if count > 0 {
                wanted.0.push((vec![1, 1, 1], places(0)));
                wanted
                    .0
                    .extend((0..count).map(|run| (vec![2, run as i32 + 1, 7], vec![run * 100 + 10, run * 100 + 13])));
                wanted.0.push((vec![i32::MAX, 1, i32::MAX], places(20)));
            }
            assert_eq!(list, wanted);
            assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
        }
    }
}
