//! Editions of books: which books are the same work, whole or in part, and where they overlap.
//!
//! The starting point is DUPNIQ (Yalniz, Can and Manmatha, "Partial duplicate detection for large book collections",
//! CIKM 2011). A book is the sequence of the words that occur in it once, and two books are compared by the longest
//! common subsequence of these. That is [`Published`], with the baselines of the paper in [`BaselineMethod`] and a
//! lossless filter.
//!
//! [`find`] goes further. It keeps words and pairs of words that occur once or twice in a book ([`Book`]), on disk
//! ([`Shelf`]). An inverted index proposes books that share rare pairs. Chains of words at the same distances are the
//! passages that two books share, and a [`PairRule`] decides whether that is enough. [`works`] are groups of editions.
//!
//! ```
//! use refrain::editions::{Book, FindOptions, BookPairKind, Shelf, find};
//!
//! let word = |n: u32| n.to_string().bytes().map(|digit| char::from(digit - b'0' + b'k')).collect::<String>();
//! let text = |from: u32, to: u32| (from..to).map(word).collect::<Vec<_>>().join(" ");
//! let mut shelf = Shelf::new(&std::env::temp_dir())?;
//! shelf.add(&Book::read("a story", &text(1000, 1900), &[]), None)?;
//! shelf.add(&Book::read("a collection", &(text(5000, 9000) + " " + &text(1000, 1900)), &[]), None)?;
//! let found = find(&shelf, &FindOptions::default(), &refrain::Run::default().start()?)?;
//! assert_eq!(found.pairs.len(), 1);
//! assert_eq!(found.pairs[0].kind, BookPairKind::Partial);
//! assert!(found.pairs[0].share_a > 0.9 && found.pairs[0].share_b < 0.3);
//! # Ok::<(), refrain::Error>(())
//! ```

mod boilerplate;
mod book;
mod candidates;
mod chains;
mod counts;
mod find;
pub(crate) mod hash;
mod join;
mod lists;
mod pair;
mod shelf;
pub(crate) mod terms;
mod works;

pub use book::Book;
#[doc(hidden)]
pub use book::{Anchor, unique_words};
pub use candidates::CandidateOptions;
pub use chains::BookPassage;
#[doc(hidden)]
pub use chains::{AnchorIndex, Chain, ChainOptions, chains};
pub use find::{FindOptions, FoundEditions, find};
pub use join::{EditionJoin, Hit};
pub use pair::{BookPair, BookPairKind, PairRule};
pub use shelf::{Entry, Shelf};
#[doc(hidden)]
pub use terms::Term;
pub use works::{Relation, Work, works};

#[cfg(feature = "papers")]
pub use crate::papers::book_baselines::BaselineMethod;
pub use crate::papers::dupniq::{Published, Score};
