//! Methods as published, each under the name of its paper or system.
//!
//! | module | what it does | published in |
//! |---|---|---|
//! | [`justext`] | finds the main content of a web page | Pomikálek, *Removing Boilerplate and Duplicate Content from Web Corpora* (2011), chapter 3 |
//! | [`bte`] | finds the main content of a web page | Finn, Kushmerick and Smyth, *Fact or Fiction: Content Classification for Digital Libraries* (2001) |
//! | [`chared`] | detects the encoding of a text | PRESEMT, deliverable D3.1.3 (2012), section 4 |
//! | [`frequent_lines`] | finds the preamble and epilogue of a book | Kaser and Lemire, *Removing Manually Generated Boilerplate from Electronic Texts* (2007) |
//! | [`findoptimal`] | removes the template from the pages of a site | Ikeda, Yamada and Hirokawa (2001) |
//! | [`onion`] | removes duplicate blocks | Pomikálek (2011) |
//! | `spex` | finds duplicate n-grams | Bernstein and Zobel, *A scalable system for identifying co-derivative documents* (2004) |
//! | `suffix_array` | finds duplicate n-grams | PRESEMT, deliverable D3.1.3 (2012), section 6.2.1 |
//! | [`ferret`] | scores pairs of documents by shared word trigrams | Lyon, Malcolm and Dickerson, *Detecting short passages of similar text in large document collections* |
//! | [`winnowing`] | selects fingerprints of passages | Schleimer, Wilkerson and Aiken, *Winnowing: Local Algorithms for Document Fingerprinting* (2003) |
//! | [`dupniq`] | scores pairs of books by shared unique words | Yalniz, Can and Manmatha, *Partial duplicate detection for large book collections* (2011) |
//! | [`book_baselines`] | the methods that DUPNIQ is compared with | the same paper |
//!
//! No default uses `book_baselines`, `findoptimal`, `frequent_lines`, `spex` and `suffix_array`, so they need the feature
//! `papers`.
//!
//! The modules of each task use them: [`extract`](crate::extract), [`decode`](crate::decode), [`strip`](crate::strip),
//! [`template`](crate::template), [`dedup`](crate::dedup), [`compare`](crate::compare) and [`editions`](crate::editions).

#[cfg(feature = "papers")]
pub mod book_baselines;
pub mod bte;
pub mod chared;
pub mod dupniq;
pub mod ferret;
#[cfg(feature = "papers")]
pub mod findoptimal;
#[cfg(feature = "papers")]
pub mod frequent_lines;
pub mod justext;
pub mod onion;
#[cfg(feature = "papers")]
pub(crate) mod spex;
#[cfg(feature = "papers")]
pub(crate) mod suffix_array;
pub mod winnowing;
