//! Winnowing: a few fingerprints of each document. Two documents with a long enough passage in common share one
//! (Schleimer, Wilkerson and Aiken, *Winnowing: Local Algorithms for Document Fingerprinting*, 2003).
//!
//! A window moves over the hashes of the n-grams of a text, one n-gram at a time. The lowest hash in each window is a
//! fingerprint. If two texts share a passage of one window, they share its fingerprint.
//!
//! [`compare`](crate::compare) builds on this rule to find pairs of documents that share a long passage and little else, so the
//! code is there: `landmarks` in `compare/fingerprint.rs`. A window has 13 runs of 8 words, so a shared passage of 20 words
//! is enough.
