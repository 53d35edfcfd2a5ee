//! Verdicts of earlier runs: a collection that grows is not judged again.

use std::io::{self, BufRead};
use std::ops::Range;
use std::path::Path;

use super::evidence::write_note;
use super::learned::{CELL, Learned};
use super::lookup::DocumentEvidence;
use super::saved;
use super::signature::Signature;
use super::store::{NAMES, Store};
use crate::disk::atomic::rename_if_present;
use crate::document::Mark;
use crate::error::Result;

/// What an earlier run decided about a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PastVerdict {
    /// The document was removed as a whole.
    pub(crate) is_gone: bool,
    /// A number for its language; 0 if unknown.
    pub(crate) language: u16,
    /// The words of removed blocks, in order; ranges may be empty.
    removed: Vec<Range<usize>>,
}

impl PastVerdict {
    /// The verdict that marks express: those that were set when the document was judged.
    pub(crate) fn of(signature: &Signature, marks: &[Mark], language: Option<u16>) -> PastVerdict {
        let is_marked = |block: &usize| {
            let span = signature.blocks[*block].0;
            marks.iter().any(|mark| mark.span.start <= span.start && span.end <= mark.span.end)
        };
        let removed: Vec<Range<usize>> =
            (0..signature.blocks.len()).filter(is_marked).map(|block| signature.words_of(block)).collect();
        let is_gone = !marks.is_empty() && removed.len() == signature.blocks.len();
        PastVerdict { is_gone, language: language.map_or(0, |language| language.max(1)), removed }
    }

    /// Appends the bytes that [`PastVerdict::read`] reads.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.push(u8::from(self.is_gone));
        out.extend(self.language.to_le_bytes());
        out.extend((self.removed.len() as u32).to_le_bytes());
        for end in self.removed.iter().flat_map(|range| [range.start, range.end]) {
            out.extend((end as u32).to_le_bytes());
        }
    }

    /// Reads the next verdict.
    pub(crate) fn read(input: &mut impl BufRead) -> io::Result<PastVerdict> {
        let mut head = [0; 7];
        input.read_exact(&mut head)?;
        let [gone, low, high, count @ ..] = head;
        let mut number = || {
            let mut four = [0; 4];
            input.read_exact(&mut four).map(|()| u32::from_le_bytes(four) as usize)
        };
        let mut removed = Vec::new();
        for _ in 0..u32::from_le_bytes(count) {
            removed.push(number()?..number()?);
        }
        Ok(PastVerdict { is_gone: gone > 0, language: u16::from_le_bytes([low, high]), removed })
    }
}

impl Learned {
    /// Repeats the verdict of an earlier run on the next document. What follows is judged as it was in that run.
    pub(crate) fn replay(
        &mut self,
        signature: &Signature,
        evidence: &DocumentEvidence,
        past: &PastVerdict,
    ) -> Result<()> {
        let (number, start) = self.begin(signature.words.len())?;
        for range in &past.removed {
            let (from, to) = (start + range.start as u64, start + range.end as u64);
            (from / CELL..to.div_ceil(CELL)).for_each(|cell| self.removed.set(cell));
        }
        let mut next = past.removed.iter().peekable();
        for (at, ngram) in evidence.numbers.iter().enumerate() {
            while next.next_if(|range| range.end <= at).is_some() {}
            // An n-gram in kept text does not reach into or over a removed block.
            if next.peek().is_none_or(|range| at + self.options.ngram <= range.start) {
                self.keep_ngram(*ngram, start + at as u64)?;
            }
        }
        if past.is_gone {
            self.gone.set(number as u64);
        }
        self.languages.resize(number, 0);
        self.languages.push(past.language);
        Ok(())
    }
}

/// Moves the words of all documents that were learned in a folder to another one, as evidence for later runs. A run that was killed
/// may have moved some of them.
pub(crate) fn move_words(from: &Path, to: &Path) -> Result<()> {
    for name in NAMES {
        let (from, to) = (from.join(name), to.join(name));
        rename_if_present(&from, &to)?;
    }
    let store = Store::open(to)?;
    let documents = store.len() as u64;
    write_note(&to.join(saved::NOTE), &saved::Note::new(documents, store.places()? - documents))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_read_as_they_were_written() {
        let verdicts = [
            PastVerdict::default(),
            PastVerdict { is_gone: true, language: 0xabcd, removed: vec![0..7, 7..7, 9..200_000] },
        ];
        let mut bytes = Vec::new();
        for verdict in &verdicts {
            verdict.write(&mut bytes);
        }
        let mut input = &bytes[..];
        let read = [(); 2].map(|()| PastVerdict::read(&mut input).expect("a verdict"));
        assert_eq!(read, verdicts);
        assert!(PastVerdict::read(&mut input).is_err());
    }
}
