//! Dedup: text that stands elsewhere already.

mod exact;

pub use exact::{ExactDuplicates, FirstCopies, Sightings};
