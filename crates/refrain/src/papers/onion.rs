//! onion: duplicate blocks by the share of their n-grams that occur in earlier text (Pomikálek, *Removing Boilerplate and
//! Duplicate Content from Web Corpora*, 2011).
//!
//! The documents of a collection are read in order. A block is a duplicate if more than a
//! [threshold](DedupOptions::threshold) of it is covered by n-grams of text that was kept before. The n-grams of a duplicate
//! do not count as kept.
//!
//! [`dedup`](crate::dedup) builds on this rule, so the code is there, in `dedup/blocks.rs`. A block that the rule finds has
//! the reason [`By::Ngrams`]; the other reasons are additions of refrain. The n-grams that occur twice are found by hashes
//! (`dedup/group.rs`) or by one of the published [engines](Engine): `papers/spex.rs` and `papers/suffix_array.rs`.

pub use crate::dedup::{By, DedupOptions, Engine};
