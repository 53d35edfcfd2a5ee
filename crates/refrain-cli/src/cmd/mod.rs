//! One file per verb.

pub(crate) mod audit;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod corpus;
pub(crate) mod decode;
pub(crate) mod decontaminate;
pub(crate) mod dedup;
pub(crate) mod editions;
pub(crate) mod extract;
pub(crate) mod library;
pub(crate) mod list;
pub(crate) mod man;
pub(crate) mod quality;
pub(crate) mod schema;
pub(crate) mod stats;
pub(crate) mod strip;
pub(crate) mod template;
pub(crate) mod why;
