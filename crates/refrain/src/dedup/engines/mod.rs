//! Engines that find duplicate n-grams in the words of a collection, as published. The default one is faster, works on hashes
//! while the documents come by, and is in [`group`](super::group); all find the same.

mod answers;
mod bits;
mod runs;
mod spex;
mod suffixes;
#[cfg(test)]
mod twin;

pub(super) use spex::by_spex;
pub(super) use suffixes::by_suffix_arrays;
