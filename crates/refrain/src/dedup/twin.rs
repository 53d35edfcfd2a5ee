//! A simple reference implementation of the engines: all n-grams in a map, in memory.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use proptest::prelude::*;

use crate::dedup::answers::Found;
use crate::dedup::group::{Most, flagged};
use crate::dedup::store::{Store, StoreSize, StoreWriter};
use crate::error::Result;
use crate::text::Word;

/// What is found, with the answers in memory.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Plain {
    answers: Vec<u32>,
    repeated: u64,
    occurrences: u64,
    most: Most<u32>,
}

/// The result of the reference implementation.
pub(crate) fn plain(documents: &[Vec<u64>], n: usize) -> Plain {
    let ngrams: Vec<&[u64]> = documents.iter().flat_map(|document| document.windows(n)).collect();
    let mut counts: HashMap<&[u64], u64> = HashMap::new();
    for ngram in &ngrams {
        *counts.entry(ngram).or_default() += 1;
    }
    let mut groups: HashMap<&[u64], u32> = HashMap::new();
    let mut answers = Vec::new();
    let mut counted = Vec::new();
    for ngram in &ngrams {
        let next = groups.len() as u32 + 1;
        answers.push(match counts[ngram] {
            1 => 0,
            count => {
                let number = *groups.entry(ngram).or_insert_with(|| {
                    counted.push((count, next));
                    next
                });
                flagged(number, count)
            }
        });
    }
    let occurrences = counted.iter().map(|(count, _)| count).sum();
    Plain { answers, repeated: groups.len() as u64, occurrences, most: Most::of(counted) }
}

/// The result of an engine, which must delete all files except the answers.
pub(crate) fn engine(documents: &[Vec<u64>], run: impl Fn(&Store, &Path) -> Result<Found>) -> Plain {
    let store = tempfile::tempdir().expect("a folder");
    let mut writer = StoreWriter::open(store.path(), StoreSize::default()).expect("room");
    let mut next = 0;
    for document in documents {
        next += document.len() as u64 + 1;
        writer.add("", document.iter().map(|hash| Word::known_by(*hash, false)), next).expect("room");
    }
    writer.flush().expect("room");
    let words = Store::open(store.path()).expect("words");
    let folder = tempfile::tempdir().expect("a folder");
    let found = run(&words, folder.path()).expect("answers");
    let left: Vec<_> =
        fs::read_dir(folder.path()).expect("a folder").map(|file| file.expect("a file").path()).collect();
    assert_eq!(left, [found.answers.as_path()]);
    let bytes = fs::read(&found.answers).expect("answers");
    let (answers, rest) = bytes.as_chunks();
    assert!(rest.is_empty());
    Plain {
        answers: answers.iter().map(|answer| u32::from_le_bytes(*answer)).collect(),
        repeated: found.repeated,
        occurrences: found.occurrences,
        most: found.most,
    }
}

/// A word of 47 bits.
pub(crate) fn word(number: u64) -> u64 {
    crate::text::mix(number + 1) >> 17
}

/// Collections of few different words, so that n-grams repeat.
pub(crate) fn documents() -> impl Strategy<Value = Vec<Vec<u64>>> {
    (1..12_u64).prop_flat_map(|letters| {
        let document = prop::collection::vec((0..letters).prop_map(word), 0..40);
        prop::collection::vec(document, 0..12)
    })
}

/// A document with this many words, some of which repeat.
pub(crate) fn long(words: u64) -> Vec<u64> {
    (0..words).map(|number| word(crate::text::mix(number % 1013) % (1 + number % 300))).collect()
}

#[test]
fn the_twin_does_as_is_said() {
    let documents = [vec![1, 2, 1, 2], vec![], vec![9, 1, 2, 5, 9, 1]];
    let found = plain(&documents, 2);
    assert_eq!(found.answers, [1, 0, 1, 2, 1, 0, 0, 2]);
    assert_eq!((found.repeated, found.occurrences), (2, 5));
    assert_eq!(found.most.counts, [(3, 1), (2, 2)]);
}
