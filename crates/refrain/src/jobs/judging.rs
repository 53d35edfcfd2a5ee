//! Judges documents by earlier text, in order: the part of `dedup` and `corpus` that is the same.

use crate::decode::{detect_language, identify};
use crate::dedup::{Aligner, DocumentEvidence, Lookup, LookupState, Resembles, Signature};
use crate::document::{Document, Reason};
use crate::error::{Error, Result};
use crate::run::Workers;

/// A document on its way to its verdict.
pub(super) trait Judged: Send {
    /// What is compared with earlier text; `None` if the document is not compared and was not learned.
    fn signature(&self) -> Option<&Signature>;

    /// The size of its text in bytes.
    fn text_bytes(&self) -> u64;

    /// Does what does not depend on verdicts about earlier documents; many documents at a time.
    fn align(&mut self, aligner: &Aligner, evidence: &mut DocumentEvidence) -> Result<()>;
}

/// A low estimate of the bytes of text for a word.
const BYTES_OF_WORD: u64 = 6;
/// Bytes of text of the documents that are compared at a time.
const CHUNK: u64 = 256 << 10;

/// Reads all documents with the evidence about them. Evidence is looked up in the order of the documents; then many
/// documents at a time are compared with earlier text; then they are handed over in their order. `read` says of each document
/// whether the state of the lookup behind it is needed.
pub(super) fn each_with_evidence<D: Judged>(
    workers: &Workers,
    mut lookup: Lookup,
    read: impl FnOnce(&mut dyn FnMut(D, bool) -> Result<()>) -> Result<()> + Send,
    mut take: impl FnMut(D, DocumentEvidence, Option<LookupState>) -> Result<()>,
) -> Result<()> {
    let aligner = lookup.aligner();
    workers.in_stages(
        |send| {
            let (mut chunk, mut in_chunk) = (Vec::new(), 0);
            read(&mut |document: D, is_state_needed| {
                let signature = document.signature();
                let evidence = signature.map(|signature| lookup.look_up(signature)).transpose()?.unwrap_or_default();
                // Only the words of some documents are known.
                let words = signature.map_or(0, |signature| signature.words.len() as u64);
                in_chunk += document.text_bytes().max(BYTES_OF_WORD * words) + 1;
                chunk.push((document, evidence, is_state_needed.then(|| lookup.state())));
                if in_chunk < CHUNK {
                    return Ok(());
                }
                in_chunk = 0;
                // If the chunk is refused, the sink met an error and returns it.
                if send(std::mem::take(&mut chunk)).is_break() { Err(Error::Interrupted) } else { Ok(()) }
            })?;
            let _ = send(chunk);
            Ok(())
        },
        |(mut document, mut evidence, state)| {
            let done = document.align(&aligner, &mut evidence);
            (document, evidence, state, done)
        },
        |(document, evidence, state, done)| {
            done?;
            take(document, evidence, state)
        },
    )
}

/// Why a document is a copy as a whole.
pub(super) fn reason_of_copy(found: &Resembles) -> Reason {
    let score = (found.score * 10_000.0).round() / 10_000.0;
    Reason::Resembles { document: found.document.clone(), score }
}

/// A number for the language of a document: stated, or identified.
pub(super) fn language_number(document: &Document) -> Option<u16> {
    match &document.language {
        Some(code) => Some(number_of_language(code)),
        None => detect_language(document).filter(|found| found.reliable).map(|found| number_of_language(found.code)),
    }
}

/// The same for a text.
pub(super) fn language_of(text: &str) -> Option<u16> {
    identify(text).filter(|found| found.reliable).map(|found| number_of_language(found.code))
}

/// A number for a language, whatever the country: `en-GB` is `en`.
pub(super) fn number_of_language(code: &str) -> u16 {
    let code = code.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
    code.bytes().fold(1, |number: u16, byte| number.wrapping_mul(31).wrapping_add(byte.into()))
}
