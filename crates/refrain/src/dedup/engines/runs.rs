//! Sorted n-grams on disk, each with the places where it occurs, and their merging.
//!
//! A run is a file of n-grams in the order of their word ids. As in section 6.2.1 of the PRESEMT report D3.1.3, an n-gram
//! leaves out the ids it shares with the one before, and ids are in Elias codes: frequent words were met early, so their
//! ids are small. Places follow, as differences, up to a mark for their end. They are never all in memory: an n-gram may
//! occur very often.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs;
use std::path::{Path, PathBuf};

use super::bits::{BitReader, BitWriter};
use crate::error::{IoContext, Result};

/// Takes in n-grams in sorted order, and after each its places in order.
pub(super) trait Sorted {
    fn ngram(&mut self, ids: &[i32]) -> Result<()>;
    fn place(&mut self, place: u64) -> Result<()>;
}

/// A file of sorted n-grams.
pub(super) struct Run {
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

impl Run {
    /// Writes what `fill` hands over. No place is before `base`.
    pub(super) fn write(path: PathBuf, base: u64, fill: impl FnOnce(&mut RunWriter<'_>) -> Result<()>) -> Result<Run> {
        let bits = BitWriter::create(&path)?;
        let mut writer = RunWriter { bits, base, ngrams: 0, last: Vec::new(), place: None };
        fill(&mut writer)?;
        writer.end()?;
        let ngrams = writer.ngrams;
        writer.bits.finish()?;
        Ok(Run { path, ngrams, base })
    }

    fn remove(self) -> Result<()> {
        fs::remove_file(&self.path).at(&self.path)
    }
}

/// Reads a run.
struct RunReader<'a> {
    bits: BitReader<'a>,
    base: u64,
    left: u64,
}

impl RunReader<'_> {
    fn open(run: &Run) -> Result<RunReader<'_>> {
        Ok(RunReader { bits: BitReader::open(&run.path)?, base: run.base, left: run.ngrams })
    }

    /// Puts the next n-gram in the place of the one before; `false` at the end.
    fn ngram(&mut self, ids: &mut [i32]) -> Result<bool> {
        if self.left == 0 {
            return Ok(false);
        }
        self.left -= 1;
        let shared = self.bits.gamma()? as usize - 1;
        for id in ids.iter_mut().skip(shared) {
            *id = self.bits.delta()? as i32;
        }
        Ok(true)
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

/// Merges runs until there are few enough to be merged at once, `fan_in`, and hands over what they have in all. Runs are
/// in the order of their places, and stay so; they are removed.
pub(super) fn merge(mut runs: Vec<Run>, n: usize, fan_in: usize, folder: &Path, into: &mut impl Sorted) -> Result<()> {
    let fan_in = fan_in.max(2);
    for round in 0_u32.. {
        if runs.len() <= fan_in {
            break;
        }
        let mut merged = Vec::with_capacity(runs.len().div_ceil(fan_in));
        let mut left = runs.into_iter().peekable();
        while left.peek().is_some() {
            let path = folder.join(format!("merged-{round}-{:05}", merged.len()));
            merged.push(merge_into_run(left.by_ref().take(fan_in).collect(), n, path)?);
        }
        runs = merged;
    }
    merge_at_once(&runs, n, into)?;
    runs.into_iter().try_for_each(Run::remove)
}

fn merge_into_run(runs: Vec<Run>, n: usize, path: PathBuf) -> Result<Run> {
    let base = runs.first().map_or(0, |run| run.base);
    let merged = Run::write(path, base, |into| merge_at_once(&runs, n, into))?;
    runs.into_iter().try_for_each(Run::remove)?;
    Ok(merged)
}

fn merge_at_once(runs: &[Run], n: usize, into: &mut impl Sorted) -> Result<()> {
    let mut readers = runs.iter().map(RunReader::open).collect::<Result<Vec<_>>>()?;
    // The next n-gram of each run. Among equal ones the earlier run comes first, and so do its places.
    let mut heads = BinaryHeap::with_capacity(runs.len());
    for (number, reader) in readers.iter_mut().enumerate() {
        let mut ids = vec![0; n];
        if reader.ngram(&mut ids)? {
            heads.push(Reverse((ids, number)));
        }
    }
    let mut last = Vec::with_capacity(n);
    while let Some(mut head) = heads.peek_mut() {
        let Reverse((ids, number)) = &mut *head;
        if last != *ids {
            last.clone_from(ids);
            into.ngram(ids)?;
        }
        let reader = &mut readers[*number];
        reader.places(into)?;
        if !reader.ngram(ids)? {
            PeekMut::pop(head);
        }
    }
    Ok(())
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
                Run::write(path, number * 100, |into| {
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
