//! Editions of books: which books are the same work, whole or in part, and where they overlap.
mod boilerplate;
mod book;
mod candidates;
mod chains;
mod counts;
mod find;
mod hash;
mod lists;
mod pair;
mod scatter;
mod sequence;
mod shelf;
mod terms;
mod works;

pub use boilerplate::{Boilerplate, MOST_EDGES};
pub use book::{Anchor, Book, unique_words};
pub use candidates::{CandidateOptions, Candidates};
pub use chains::{Chain, ChainOptions, Lookup, chains};
pub use find::{FindOptions, Found, LEAST_UNIQUE, find};
pub use pair::{Kind, Pair, Rule};
pub use sequence::{Published, Score, longest_increasing};
pub use shelf::{Entry, Shelf};
pub use terms::{Term, terms};
pub use works::{Relation, Work, works};
