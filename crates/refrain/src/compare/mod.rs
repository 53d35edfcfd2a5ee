//! Copied passages between documents: which pairs share text, how much, and where.
//!
//! After Lyon, Malcolm and Dickerson's Ferret: the [fingerprint](Fingerprint) of a document is the set of its word trigrams;
//! of two documents the [resemblance](Scores::resemblance) R tells what share of both is common, the containment C what
//! share of the one stands in the other. [`FingerprintCollection`] finds all pairs with enough of either, exactly. [`align`] finds the
//! passages themselves, also where they were edited, reordered or summed up. [`Comparison`] does both, and knows what does
//! not count: [text that everyone was given](ExcludedText), text that stands in most documents, [lists of references](references).
//! A [library](LibraryReader) keeps sources on disk, to check documents against them.

mod batch;
mod comparison;
mod fingerprint;
mod join;
mod leave_out;
mod library;
mod pairs;
mod passages;
mod quotes;
mod rules;
mod spillable;

pub(crate) use comparison::page_of;
pub use comparison::{
    CompareOptions, ComparedDocument, ComparedPair, Comparison, ComparisonResult, DocumentPart, ExcludedText,
    PreparedDocument, SharedPassage, pages_of,
};
pub use fingerprint::{Fingerprint, FingerprintOptions, Scores};
pub use join::{Holder, PairJoin};
pub use leave_out::{LeftOut, references};
pub use library::{Added, CheckOptions, Checked, LibraryReader, LibrarySource, LibraryWriter, Match};
pub use pairs::{DocumentPair, FingerprintCollection, FoundPairs, PairOptions, Side};
pub use passages::{AlignOptions, AlignedPassage, PassageKind, PassageText, align};
pub use quotes::Quoted;
pub use rules::{HashedToken, WordRule, tokens};
