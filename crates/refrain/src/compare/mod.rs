//! Copied passages between documents: which pairs share text, how much, and where.
//!
//! The method follows Lyon, Malcolm and Dickerson's Ferret. The [fingerprint](Fingerprint) of a document is the set of
//! its word trigrams. The [resemblance](Scores::resemblance) R of two documents is the share of their trigrams that
//! both contain; the containment C is the share of one that occurs in the other. [`FingerprintCollection`] finds
//! exactly the pairs with enough of either. [`align`] finds the passages, even if they were edited, reordered or
//! summarised. [`Comparison`] does both, and ignores [text that everyone received](ExcludedText), text that occurs in
//! most documents, and lists of references. A [library](crate::Library) keeps sources on disk, to check
//! documents against them.

mod batch;
mod comparison;
mod excluded;
mod fingerprint;
mod join;
mod library;
mod pairs;
mod passages;
mod quotes;
mod rules;
mod spillable;

pub use comparison::{
    CompareOptions, ComparedDocument, ComparedPair, Comparison, ComparisonResult, DocumentPart, ExcludedText,
    PreparedDocument, SharedPassage,
};
pub(crate) use comparison::{page_of, pages_of};
pub use excluded::Exclusion;
pub use fingerprint::{Fingerprint, FingerprintOptions, Scores};
pub use join::{Holder, PairJoin};
pub(crate) use library::LibraryNote;
#[doc(hidden)]
pub use library::{Added, CheckOptions, Checked, LibraryReader, LibraryWriter};
pub use library::{LibrarySource, Match};
pub use pairs::{DocumentPair, FingerprintCollection, FoundPairs, PairOptions, Side};
pub use passages::{AlignOptions, AlignedPassage, PassageKind, PassageText, align};
pub use quotes::Quoted;
pub use rules::WordRule;
#[doc(hidden)]
pub use rules::{HashedToken, tokens};
