//! Sorted runs: what does not fit in memory is sorted in pieces, each piece is written to a file, and the files are merged.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, IntoInnerError, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};

use crate::error::{IoContext, Result};

/// How many runs are merged at a time: each is an open file and a buffer.
pub(crate) const FAN_IN: usize = 64;

/// Something sorted that is read from its beginning to its end. A new cursor is before its first entry.
pub(crate) trait Cursor {
    /// The sort key.
    type Key: Ord + ?Sized;

    /// The key of the current entry.
    fn key(&self) -> &Self::Key;

    /// Moves to the next entry; false at the end.
    fn advance(&mut self) -> Result<bool>;
}

/// Merges sorted sequences: calls `take` with the number and the cursor of the smallest key until all are at their end.
/// Of equal keys, that of the earlier cursor comes first.
pub(crate) fn merge<C: Cursor>(cursors: Vec<C>, mut take: impl FnMut(usize, &mut C) -> Result<()>) -> Result<()> {
    let mut heap = BinaryHeap::with_capacity(cursors.len());
    for (number, mut cursor) in cursors.into_iter().enumerate() {
        if cursor.advance()? {
            heap.push(Next { cursor, number });
        }
    }
    while let Some(mut next) = heap.peek_mut() {
        take(next.number, &mut next.cursor)?;
        if !next.cursor.advance()? {
            PeekMut::pop(next);
        }
    }
    Ok(())
}

/// A cursor in the heap, which has the smallest key on top.
struct Next<C> {
    cursor: C,
    number: usize,
}

impl<C: Cursor> Ord for Next<C> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.cursor.key().cmp(self.cursor.key()).then_with(|| other.number.cmp(&self.number))
    }
}

impl<C: Cursor> PartialOrd for Next<C> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<C: Cursor> PartialEq for Next<C> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<C: Cursor> Eq for Next<C> {}

/// Joins neighbouring runs, `fan_in` at a time, until at most that many remain. They keep their order.
pub(crate) fn reduce<R>(mut runs: Vec<R>, fan_in: usize, mut join: impl FnMut(Vec<R>) -> Result<R>) -> Result<Vec<R>> {
    let fan_in = fan_in.max(2);
    while runs.len() > fan_in {
        let mut joined = Vec::with_capacity(runs.len().div_ceil(fan_in));
        let mut left = runs.into_iter();
        while left.len() > 0 {
            let mut some: Vec<R> = left.by_ref().take(fan_in).collect();
            joined.extend(if some.len() == 1 { some.pop() } else { Some(join(some)?) });
        }
        runs = joined;
    }
    Ok(runs)
}

/// An entry of a run.
pub(crate) trait Entry: Ord + Default {
    fn write(&self, out: &mut impl Write) -> io::Result<()>;

    /// Replaces the entry by the next one that [`Entry::write`] wrote.
    fn read(&mut self, input: &mut impl BufRead) -> io::Result<()>;

    /// Adds an equal entry to this one; false where both are needed.
    fn absorb(&mut self, _equal: &Self) -> bool {
        false
    }
}

/// Sorted runs of entries in temporary files, which are open only while they are used.
#[derive(Debug)]
pub(crate) struct Runs<E> {
    folder: PathBuf,
    /// Bytes of the buffer of a file.
    buffer: usize,
    files: Vec<TempPath>,
    entries: PhantomData<fn() -> E>,
}

impl<E: Entry> Runs<E> {
    /// No runs yet. The folder is used when there is one.
    pub(crate) fn new(folder: &Path, buffer: usize) -> Runs<E> {
        Runs { folder: folder.to_owned(), buffer, files: Vec::new(), entries: PhantomData }
    }

    /// How many runs there are.
    #[cfg(any(test, feature = "papers"))]
    pub(crate) fn len(&self) -> usize {
        self.files.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Writes a run of entries, which must be in order; `write` does what [`Entry::write`] would.
    pub(crate) fn add<T>(
        &mut self,
        sorted: impl IntoIterator<Item = T>,
        mut write: impl FnMut(T, &mut BufWriter<NamedTempFile>) -> io::Result<()>,
    ) -> Result<()> {
        let mut out = self.create()?;
        sorted.into_iter().try_for_each(|entry| write(entry, &mut out)).at(&self.folder)?;
        let file = self.end(out)?;
        self.files.push(file);
        Ok(())
    }

    /// Takes over the runs of another.
    pub(crate) fn append(&mut self, mut other: Runs<E>) {
        self.files.append(&mut other.files);
    }

    /// Passes on the entries of all runs in order, and deletes the runs.
    pub(crate) fn merged(mut self, take: impl FnMut(&E) -> Result<()>) -> Result<()> {
        let files = reduce(std::mem::take(&mut self.files), FAN_IN, |files| {
            let mut out = self.create()?;
            self.merge_files(&files, |entry| entry.write(&mut out).at(&self.folder))?;
            self.end(out)
        })?;
        self.merge_files(&files, take)
    }

    /// Passes on the entries of all runs, one run after the other, and keeps the runs.
    pub(crate) fn each(&self, mut take: impl FnMut(&E) -> Result<()>) -> Result<()> {
        self.files.iter().try_for_each(|file| self.merge_files(std::slice::from_ref(file), &mut take))
    }

    fn merge_files(&self, files: &[TempPath], mut take: impl FnMut(&E) -> Result<()>) -> Result<()> {
        let cursors = files.iter().map(|path| Reading::open(path, self.buffer)).collect::<Result<_>>()?;
        let mut last: Option<E> = None;
        merge(cursors, |_, reading: &mut Reading<E>| {
            let Some(last) = &mut last else {
                last = Some(std::mem::take(&mut reading.entry));
                return Ok(());
            };
            if *last != reading.entry || !last.absorb(&reading.entry) {
                take(last)?;
                // The entry that was passed on leaves its memory to the next one that is read.
                std::mem::swap(last, &mut reading.entry);
            }
            Ok(())
        })?;
        last.as_ref().map_or(Ok(()), take)
    }

    fn create(&self) -> Result<BufWriter<NamedTempFile>> {
        let file = tempfile::Builder::new().prefix("refrain-run-").tempfile_in(&self.folder).at(&self.folder)?;
        Ok(BufWriter::with_capacity(self.buffer, file))
    }

    /// Closes a file. It is deleted when the path is dropped.
    fn end(&self, out: BufWriter<NamedTempFile>) -> Result<TempPath> {
        Ok(out.into_inner().map_err(IntoInnerError::into_error).at(&self.folder)?.into_temp_path())
    }
}

/// A run that is being read, with its current entry.
struct Reading<E> {
    file: BufReader<File>,
    path: PathBuf,
    entry: E,
}

impl<E: Entry> Reading<E> {
    fn open(path: &Path, buffer: usize) -> Result<Reading<E>> {
        let file = BufReader::with_capacity(buffer, File::open(path).at(path)?);
        Ok(Reading { file, path: path.to_owned(), entry: E::default() })
    }
}

impl<E: Entry> Cursor for Reading<E> {
    type Key = E;

    fn key(&self) -> &E {
        &self.entry
    }

    fn advance(&mut self) -> Result<bool> {
        if self.file.fill_buf().at(&self.path)?.is_empty() {
            return Ok(false);
        }
        self.entry.read(&mut self.file).at(&self.path)?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A number, and how often it occurs.
    #[derive(Debug, Default)]
    struct Counted(u8, u8);

    impl Ord for Counted {
        fn cmp(&self, other: &Self) -> Ordering {
            self.0.cmp(&other.0)
        }
    }

    impl PartialOrd for Counted {
        fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
            Some(self.cmp(other))
        }
    }

    impl PartialEq for Counted {
        fn eq(&self, other: &Self) -> bool {
            self.0 == other.0
        }
    }

    impl Eq for Counted {}

    impl Entry for Counted {
        fn write(&self, out: &mut impl Write) -> io::Result<()> {
            out.write_all(&[self.0, self.1])
        }

        fn read(&mut self, input: &mut impl BufRead) -> io::Result<()> {
            let mut bytes = [0; 2];
            input.read_exact(&mut bytes)?;
            *self = Counted(bytes[0], bytes[1]);
            Ok(())
        }

        fn absorb(&mut self, equal: &Self) -> bool {
            // More than ten do not fit.
            let fits = self.1 + equal.1 <= 10;
            self.1 += if fits { equal.1 } else { 0 };
            fits
        }
    }

    fn runs(folder: &Path, numbers: &[Vec<u8>]) -> Runs<Counted> {
        let mut runs = Runs::new(folder, 16);
        for run in numbers {
            let mut run = run.clone();
            run.sort_unstable();
            runs.add(run, |number, out| Counted(number, 1).write(out)).expect("room");
        }
        runs
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn merged_runs_are_all_numbers_in_order(
            numbers in prop::collection::vec(prop::collection::vec(0_u8..9, 0..5), 0..150), cut in 0_usize..150,
        ) {
            let folder = tempfile::tempdir().expect("a folder");
            let (one, other) = numbers.split_at(cut.min(numbers.len()));
            let mut all = runs(folder.path(), one);
            all.append(runs(folder.path(), other));
            prop_assert_eq!(all.len(), numbers.len());
            let mut found: Vec<(u8, u8)> = Vec::new();
            all.merged(|Counted(number, times)| {
                found.push((*number, *times));
                Ok(())
            }).expect("the runs");
            prop_assert!(found.iter().all(|(_, times)| (1..=10).contains(times)));
            let found: Vec<u8> = found.iter().flat_map(|(number, times)| vec![*number; usize::from(*times)]).collect();
            let mut wanted = numbers.concat();
            wanted.sort_unstable();
            prop_assert_eq!(found, wanted);
            prop_assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
        }
    }

    #[test]
    fn a_run_that_was_cut_is_an_error_that_names_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let runs = runs(folder.path(), &[vec![1, 2, 3], vec![2]]);
        let path = runs.files[0].to_path_buf();
        File::options().write(true).open(&path).expect("a run").set_len(5).expect("a run");
        let error = runs.merged(|_| Ok(())).expect_err("half an entry").to_string();
        assert!(error.starts_with(&path.display().to_string()), "{error}");
    }

    #[test]
    fn joined_runs_keep_their_order() {
        for count in [0, 1, 3, 4, 9, 10, 28] {
            let runs = reduce((0..count).map(|number| vec![number]).collect(), 3, |some| Ok(some.concat()));
            let runs = runs.expect("no error");
            assert!(runs.len() <= 3);
            assert_eq!(runs.concat(), (0..count).collect::<Vec<_>>());
        }
    }
}
