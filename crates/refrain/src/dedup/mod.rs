//! Dedup: text that stands elsewhere already.
//!
//! [`ExactDuplicates`] marks documents whose text is the same as that of an earlier one; it is a part of `refrain corpus`.
//! [`Learning`] takes in a collection of any size, and [`Learned`] judges each of its documents by what was kept of those
//! before it: block by block, or as a whole.

mod alignment;
mod blocks;
mod documents;
mod evidence;
mod exact;
mod scatter;
mod signature;

pub use blocks::{By, Copied};
pub use documents::Resembles;
pub use evidence::{Counts, DedupOptions, Learned, Learning};
pub use exact::{ExactDuplicates, FirstCopies, Sightings};
pub use signature::Signature;
