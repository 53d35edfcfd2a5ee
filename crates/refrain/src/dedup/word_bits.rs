//! A bit for each word, on disk: whether it is in widespread text, in n-grams or anchors that occur at least
//! [`WIDESPREAD`](super::group::WIDESPREAD) times; or what later runs need to know of the n-gram or anchor that begins there.

use std::fs::File;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::disk::platform::FileExt;
use crate::error::{IoContext, Result};

/// Bits for the words of the collection, written in order and read anywhere.
pub(super) struct WordBits {
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    file: Option<File>,
    /// The first byte that is not in the file for good, and the bytes from there on.
    base: u64,
    tail: Vec<u8>,
    /// The number of bits in the last byte of the tail; 0 if it is complete.
    bits: u8,
}

/// Bytes that are kept in memory.
const TAIL: usize = 64 << 10;

impl WordBits {
    pub(super) fn new(path: PathBuf) -> WordBits {
        WordBits { path, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the next words.
    pub(super) fn push(&self, words: &[bool]) -> Result<()> {
        let mut state = self.state();
        for word in words {
            if state.bits == 0 {
                state.tail.push(0);
            }
            let bit = u8::from(*word) << state.bits;
            if let Some(last) = state.tail.last_mut() {
                *last |= bit;
            }
            state.bits = (state.bits + 1) % 8;
        }
        if state.tail.len() > TAIL { self.write(&mut state) } else { Ok(()) }
    }

    /// Writes what is in memory, but for a last byte that is not complete.
    fn write(&self, state: &mut State) -> Result<()> {
        let State { file, base, tail, bits } = state;
        let file = match file {
            Some(file) => file,
            None => {
                let mut options = File::options();
                file.insert(
                    options.read(true).write(true).create(true).truncate(false).open(&self.path).at(&self.path)?,
                )
            }
        };
        file.write_all_at(tail, *base).at(&self.path)?;
        let done = tail.len() - usize::from(*bits > 0);
        *base += done as u64;
        tail.drain(..done);
        Ok(())
    }

    /// Writes everything, so that a later run can continue here.
    pub(super) fn flush(&self) -> Result<()> {
        self.write(&mut self.state())
    }

    /// The bytes of the bits of this many words.
    pub(super) fn bytes(words: u64) -> u64 {
        words.div_ceil(8)
    }

    /// Continues after this many words, all of which an earlier run wrote.
    pub(super) fn resume(&self, words: u64) -> Result<()> {
        let file =
            File::options().read(true).write(true).create(true).truncate(false).open(&self.path).at(&self.path)?;
        let bits = (words % 8) as u8;
        let mut tail = vec![0; usize::from(bits > 0)];
        file.read_exact_at(&mut tail, words / 8).at(&self.path)?;
        if let Some(last) = tail.last_mut() {
            *last &= (1 << bits) - 1;
        }
        *self.state() = State { file: Some(file), base: words / 8, tail, bits };
        Ok(())
    }

    /// The words in a range.
    pub(super) fn words(&self, from: u64, to: u64) -> Result<Vec<bool>> {
        if from >= to {
            return Ok(Vec::new());
        }
        let mut bytes = vec![0; (to.div_ceil(8) - from / 8) as usize];
        let state = self.state();
        let in_file = state.base.saturating_sub(from / 8).min(bytes.len() as u64) as usize;
        let (old, new) = bytes.split_at_mut(in_file);
        let start = (from / 8).max(state.base) - state.base;
        let tail = state.tail.get(start as usize..).unwrap_or_default();
        let known = new.len().min(tail.len());
        new[..known].copy_from_slice(&tail[..known]);
        if let Some(file) = state.file.as_ref().filter(|_| !old.is_empty()) {
            file.read_exact_at(old, from / 8).at(&self.path)?;
        }
        let bit = |word: u64| bytes[(word / 8 - from / 8) as usize] >> (word % 8) & 1 == 1;
        Ok((from..to).map(bit).collect())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn bits_are_read_as_they_were_written(
            documents in prop::collection::vec(prop::collection::vec(any::<bool>(), 0..3000), 1..400),
            ranges in prop::collection::vec((0_usize..60_000, 0_usize..3000), 9),
        ) {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("bits");
            let mut bits = WordBits::new(path.clone());
            let mut plain: Vec<bool> = Vec::new();
            for (number, words) in documents.iter().enumerate() {
                bits.push(words).expect("room");
                plain.extend(words);
                // A killed run wrote more than it resumes with.
                if number % 50 == 7 {
                    bits.flush().expect("room");
                    bits.push(&[true; 99]).expect("room");
                    bits.flush().expect("room");
                    bits = WordBits::new(path.clone());
                    bits.resume(plain.len() as u64).expect("a file");
                }
            }
            for (from, length) in ranges {
                let (from, to) = (from.min(plain.len()), (from + length).min(plain.len()));
                prop_assert_eq!(&bits.words(from as u64, to as u64).expect("bits"), &plain[from..to]);
            }
        }
    }
}
