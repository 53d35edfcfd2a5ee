//! Deduplication: text that already occurs elsewhere.
//!
//! [`ExactDuplicates`] marks documents whose text is the same as that of an earlier one, for `refrain corpus`.
//! [`Learning`] reads a collection of any size, and [`Learned`] judges each document by the text kept before it, block
//! by block or as a whole.

mod alignment;
#[cfg(feature = "papers")]
pub(crate) mod answers;
mod blocks;
mod difference;
mod documents;
pub(crate) mod evidence;
mod exact;
pub(crate) mod group;
#[cfg(test)]
mod growth;
mod join;
mod learned;
mod lookup;
mod matching;
mod needs;
mod neighbours;
mod past;
mod repetition;
mod saved;
mod signature;
pub(crate) mod store;
mod tables;
#[cfg(all(test, feature = "papers"))]
pub(crate) mod twin;
mod word_bits;

pub use blocks::{By, Copied, DedupFigures, Judged};
pub(crate) use blocks::{FrequentPassage, Lost};
pub(crate) use documents::Related;
pub use documents::{DocumentContext, DocumentRule, JudgedDocument, LanguageNumber, LinkKind, Measure, Resembles};
pub use evidence::{Counts, DedupOptions, Engine, Learning, Normalise, Task, Unit};
pub(crate) use exact::Sighting;
pub use exact::{ExactDuplicates, FirstCopies, Sightings};
pub(crate) use group::Repeated;
pub use join::{DedupJoin, Verdict};
pub use learned::Learned;
pub(crate) use lookup::LookupState;
#[doc(hidden)]
pub use lookup::{Aligner, DocumentEvidence, Lookup};
pub(crate) use needs::{Process, Volume};
pub(crate) use past::{Past, PastSize, PastVerdict, VERDICTS};
pub(crate) use repetition::{Repetition, RepetitionCounts, ngrams_of};
pub(crate) use saved::{EvidenceSize, EvidenceWriter, bytes_of_evidence, each_saved, is_evidence, refuse_unfinished};
pub use signature::Signature;
pub(crate) use store::{SAMPLE as WORDS_OF_COMMON, hash_of_id};
