//! Ferret: pairs of documents that share word trigrams (Lyon, Malcolm and Dickerson, *Detecting short
//! passages of similar text in large document collections*).
//!
//! The [fingerprint](Fingerprint) of a document is the set of its word trigrams. The [resemblance](Scores::resemblance) R of
//! two documents is the number of trigrams that both have, divided by the number that either has. The containment C of one
//! document in another is the share of its trigrams that the other has.
//!
//! [`compare`](crate::compare) builds on these scores, so the code is there, in `compare/fingerprint.rs`. What counts as a
//! word is in `compare/rules.rs`.

pub use crate::compare::{Fingerprint, FingerprintOptions, Scores};
