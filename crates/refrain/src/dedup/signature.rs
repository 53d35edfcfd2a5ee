//! What of a document is compared with others: its words, n-grams and anchors.

use crate::document::{Document, Span};
use crate::text::{Word, mix, words};

/// N-grams are polynomials in this, modulo 2^64.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;

/// Words of an anchor.
pub(super) const ANCHOR: usize = 4;
/// One n-gram in so many is an anchor.
const ANCHOR_EVERY: u64 = 4;

/// A document as deduplication sees it.
#[derive(Debug, Default, Clone)]
pub struct Signature {
    /// Its words.
    pub words: Vec<Word>,
    /// Its blocks: where they stand in the text, and where their words end.
    pub blocks: Vec<(Span, u32)>,
    /// Hashes of the n-grams that begin with each word, as far as there are enough words.
    pub ngrams: Vec<u64>,
    /// Where the anchors stand among the words, and their hashes.
    pub anchors: Vec<(u32, u64)>,
}

impl Signature {
    /// The signature of a document. What is marked already is left out.
    pub fn of(document: &Document, ngram: usize) -> Signature {
        let removed = document.removed_spans();
        let mut signature = Signature::default();
        for block in &document.blocks {
            let marked: usize = removed.iter().map(|span| span.intersection(block.span).len()).sum();
            if 2 * marked <= block.span.len() {
                words(block.span.of(&document.text), |word| signature.words.push(word));
                signature.blocks.push((block.span, signature.words.len() as u32));
            }
        }
        signature.ngrams = hashes(&signature.words, ngram);
        signature.anchors =
            (0..).zip(hashes(&signature.words, ANCHOR)).filter(|(_, hash)| hash % ANCHOR_EVERY == 0).collect();
        signature
    }

    /// The words of a block.
    pub(super) fn words_of(&self, block: usize) -> std::ops::Range<usize> {
        let start = if block == 0 { 0 } else { self.blocks[block - 1].1 };
        start as usize..self.blocks[block].1 as usize
    }
}

/// The hashes of all n-grams of some words, each from the one before.
fn hashes(words: &[Word], n: usize) -> Vec<u64> {
    if n == 0 || words.len() < n {
        return Vec::new();
    }
    let power = (0..n).fold(1_u64, |power, _| power.wrapping_mul(BASE));
    let mut hash = words[..n - 1].iter().fold(0_u64, |hash, word| hash.wrapping_add(word.hash).wrapping_mul(BASE));
    let mut hashes = Vec::with_capacity(words.len() - n + 1);
    for (at, word) in words[n - 1..].iter().enumerate() {
        hash = hash.wrapping_add(word.hash);
        hashes.push(mix(hash));
        hash = hash.wrapping_mul(BASE).wrapping_sub(words[at].hash.wrapping_mul(power));
    }
    hashes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rolling_hashes_are_those_of_each_window() {
        let document =
            Document::from_text("d", "one two three four five six seven eight\n\nnine ten one two three four");
        for n in [1, 2, 4, 7, 14, 15] {
            let signature = Signature::of(&document, n);
            let windows: Vec<u64> = signature.words.windows(n).flat_map(|window| hashes(window, n)).collect();
            assert_eq!(signature.ngrams, windows);
            assert_eq!(windows.len(), 15_usize.saturating_sub(n));
        }
    }
}
