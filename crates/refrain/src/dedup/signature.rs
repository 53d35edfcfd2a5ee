//! The parts of a document that are compared with others: its words, n-grams and anchors, or digests of its text.

use super::evidence::{DedupOptions, Normalise, Task, Unit};
use crate::document::{Document, Mark, Span};
use crate::text::{Digest, Word, mix, words};

/// N-grams are polynomials in this, modulo 2^64.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;

/// Words of an anchor.
pub(super) const ANCHOR: usize = 4;

/// A low estimate of the bytes of a word and the space after it.
const BYTES_OF_WORD: usize = 5;

/// A document in the form that deduplication compares.
#[derive(Debug, Default, Clone)]
pub struct Signature {
    /// Its words.
    pub words: Vec<Word>,
    /// The number of words.
    pub length: usize,
    /// Its blocks: their ranges in the text, and where their words end.
    pub blocks: Vec<(Span, u32)>,
    /// Hashes of the n-grams that begin with each word, as far as there are enough words.
    pub ngrams: Vec<u64>,
    /// The positions of the anchors among the words, and their hashes.
    pub anchors: Vec<(u32, u64)>,
    /// Digests of its blocks, or of the whole document.
    pub digests: Vec<u128>,
    /// The address of the document, if it is [wanted](DedupOptions::addresses) and not its id.
    pub address: Option<String>,
}

impl Signature {
    /// The signature of a document, without text that is already marked.
    pub fn of(document: &Document, options: &DedupOptions) -> Signature {
        let removed = document.removed_spans();
        let mut signature = Signature::default();
        signature.words.reserve(document.text().len() / BYTES_OF_WORD);
        signature.blocks.reserve_exact(document.blocks().len());
        for block in document.blocks() {
            let marked: usize = removed.iter().map(|span| span.intersection(block.span).len()).sum();
            if 2 * marked <= block.span.len() {
                words(block.span.of(document.text()), |word| signature.words.push(word));
                signature.blocks.push((block.span, signature.words.len() as u32));
            }
        }
        signature.complete(options);
        signature.address =
            Some(document.name()).filter(|url| options.addresses && *url != document.id).map(str::to_owned);
        if let Task::Exact(unit, normalise) = options.task {
            let blocks = signature.blocks.iter().map(|(span, _)| span.of(document.text()));
            signature.digests = match unit {
                Unit::Block => blocks.map(|text| digest([text], normalise)).collect(),
                Unit::Document => vec![digest(blocks, normalise)],
            };
        }
        signature
    }

    /// The signature of saved words, for a document whose text is not in memory.
    pub(super) fn of_words(words: &[Word], options: &DedupOptions) -> Signature {
        let mut signature = Signature { words: words.to_vec(), ..Signature::default() };
        signature.complete(options);
        signature
    }

    fn complete(&mut self, options: &DedupOptions) {
        self.length = self.words.len();
        if options.needs_ngrams() {
            self.ngrams.reserve_exact((self.words.len() + 1).saturating_sub(options.ngram));
            each_hash(&self.words, |word| word.hash, options.ngram, |hash| self.ngrams.push(hash));
        }
        if options.needs_anchors() {
            self.anchors.reserve(self.words.len() / 3);
            let (mut at, every) = (0, options.anchor_every());
            each_hash(
                &self.words,
                |word| word.hash,
                ANCHOR,
                |hash| {
                    if hash % every == 0 {
                        self.anchors.push((at, hash));
                    }
                    at += 1;
                },
            );
        }
    }

    /// The words of blocks that are not marked by these marks.
    pub fn words_outside<'a>(&'a self, marks: &'a [Mark]) -> impl Iterator<Item = Word> + 'a {
        let kept = (0..self.blocks.len()).filter(|block| !marks.iter().any(|mark| mark.span == self.blocks[*block].0));
        kept.flat_map(|block| self.words[self.words_of(block)].iter().copied())
    }

    /// The words of a block.
    pub(super) fn words_of(&self, block: usize) -> std::ops::Range<usize> {
        let start = if block == 0 { 0 } else { self.blocks[block - 1].1 };
        start as usize..self.blocks[block].1 as usize
    }

    /// Drops what is not needed to [learn](super::Learning::add) it.
    pub fn shrink(&mut self, options: &DedupOptions) {
        if !options.needs_words() {
            self.words = Vec::new();
        }
        self.blocks = Vec::new();
    }

    /// The hashes of some words.
    pub(super) fn hashes_of(&self, words: std::ops::Range<usize>) -> Vec<u64> {
        self.words[words].iter().map(|word| word.hash).collect()
    }

    /// The range of an n-gram in the text of the document, limited to a block.
    pub fn span_of_ngram(&self, at: usize, block: usize) -> Option<Span> {
        let ngram = (self.words.len() + 1).checked_sub(self.ngrams.len())?;
        let words = self.words_of(block);
        words.contains(&at).then(|| self.span_of(at..(at + ngram).min(words.end), block))
    }

    /// The range of some words in the text of the document.
    pub(crate) fn span_of_words(&self, words: std::ops::Range<usize>) -> Option<Span> {
        let range = |word: usize| {
            let (block, _) = self.blocks.get(self.blocks.partition_point(|(_, end)| *end as usize <= word))?;
            let range = self.words.get(word)?.range();
            Some(Span::new(block.start + range.start, block.start + range.end))
        };
        Some(Span::new(range(words.start)?.start, range(words.end.checked_sub(1)?)?.end))
    }

    /// The range of some words of a block in the text of the document.
    pub(super) fn span_of(&self, words: std::ops::Range<usize>, block: usize) -> Span {
        let start = self.blocks[block].0.start;
        Span::new(start + self.words[words.start].range().start, start + self.words[words.end - 1].range().end)
    }

    /// Some words as they are in the document, with spaces between them.
    pub(super) fn text_of(&self, words: &[usize], document: &Document) -> String {
        let mut text = String::new();
        for at in words {
            let block = self.blocks.partition_point(|(_, end)| *end as usize <= *at);
            text.push_str(self.span_of(*at..*at + 1, block).of(document.text()));
            text.push(' ');
        }
        text
    }
}

/// Calls `take` with the hashes of all n-grams of some words, each computed from the one before.
#[inline]
pub(super) fn each_hash<W>(words: &[W], hash_of: impl Fn(&W) -> u64, n: usize, mut take: impl FnMut(u64)) {
    if n == 0 || words.len() < n {
        return;
    }
    let power = (0..n).fold(1_u64, |power, _| power.wrapping_mul(BASE));
    let mut hash = words[..n - 1].iter().fold(0_u64, |hash, word| hash.wrapping_add(hash_of(word)).wrapping_mul(BASE));
    for (word, first) in words[n - 1..].iter().zip(words) {
        hash = hash.wrapping_add(hash_of(word));
        take(mix(hash));
        hash = hash.wrapping_mul(BASE).wrapping_sub(hash_of(first).wrapping_mul(power));
    }
}

/// The digest of some pieces of text.
fn digest<'a>(pieces: impl IntoIterator<Item = &'a str>, normalise: Normalise) -> u128 {
    let mut digest = Digest::default();
    for (number, piece) in pieces.into_iter().enumerate() {
        if number > 0 {
            digest.update(b"\n");
        }
        match normalise {
            Normalise::Bytes => digest.update(piece.as_bytes()),
            Normalise::Space => {
                for part in piece.split_whitespace() {
                    digest.update(part.as_bytes());
                    digest.update(b" ");
                }
            }
            Normalise::Words => {
                words(piece, |word| {
                    digest.update(piece[word.range()].to_lowercase().as_bytes());
                    digest.update(b" ");
                });
            }
        }
    }
    digest.short()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rolling_hashes_are_those_of_each_window() {
        let document =
            Document::from_text("d", "one two three four five six seven eight\n\nnine ten one two three four");
        for ngram in [1, 2, 4, 7, 14, 15] {
            let signature = Signature::of(&document, &DedupOptions { ngram, ..DedupOptions::default() });
            let mut windows = Vec::new();
            signature
                .words
                .windows(ngram)
                .for_each(|window| each_hash(window, |word| word.hash, ngram, |hash| windows.push(hash)));
            assert_eq!(signature.ngrams, windows);
            assert_eq!(windows.len(), 15_usize.saturating_sub(ngram));
        }
    }

    #[test]
    fn digests_forget_what_is_normalised() {
        let same = |one: &str, other: &str, normalise| digest([one], normalise) == digest([other], normalise);
        assert!(same("The  lamp, lit.", "the lamp lit", Normalise::Words));
        assert!(!same("The lamp", "the lamp", Normalise::Space) && same("the\tlamp ", "the lamp", Normalise::Space));
        assert!(!same("the  lamp", "the lamp", Normalise::Bytes));
        assert!(!same("the lamp", "thelamp", Normalise::Words));
    }
}
